"""Scaled dot-product attention on arrays, forward and backward.

The scores live in one buffer: masked, exponentiated and normalized in place, they become the weights that the
backward pass needs. A row without a visible place has weights 0: its maximum is minus infinity, which would make
``exp(-inf - -inf)`` NaN, so it is replaced by 0.
"""
import functools

import numpy as np

from .recurrent import wide

__all__ = ["attend", "attend_backward"]


@functools.lru_cache(maxsize=16)
def _future(rows, columns, dtype):
    """0 where a row may look (column <= row), minus infinity after."""
    made = np.zeros((rows, columns), dtype)
    made[~np.tri(rows, columns, dtype=bool)] = -np.inf
    made.flags.writeable = False
    return made


def attend(query, key, value, mask, causal, scale):
    """(``softmax(query key^T scale + mask) value``, the weights)."""
    dtype = query.dtype
    query, key, value = wide(query), wide(key), wide(value)
    weights = np.matmul(query * query.dtype.type(scale), key.swapaxes(-1, -2))
    if causal:
        weights += _future(*weights.shape[-2:], weights.dtype)
    elif mask is not None:
        if mask.dtype.kind == "b":
            np.copyto(weights, -np.inf, where=~mask)
        else:
            weights += wide(mask)
    if weights.shape[-1]:
        top = np.maximum.reduce(weights, -1, keepdims=True)
        if mask is not None:
            top[top == -np.inf] = 0
        weights -= top
        np.exp(weights, out=weights)
        total = np.add.reduce(weights, -1, keepdims=True)
        if mask is not None:
            total[total == 0] = 1
        np.divide(1, total, out=total)
        weights *= total
    out = np.matmul(weights, value)
    return out.astype(dtype, copy=False), weights


def attend_backward(g, query, key, value, scale, out, weights, needs):
    """Gradients of (query, key, value, mask)."""
    g, query, key, value, out = wide(g), wide(query), wide(key), wide(value), wide(out)
    to_query = to_key = to_mask = None
    if needs[0] or needs[1] or needs[3]:
        scores = np.matmul(g, value.swapaxes(-1, -2))
        scores -= np.add.reduce(g * out, -1, keepdims=True)
        scores *= weights
        to_mask = scores
        scale = query.dtype.type(scale)
        if needs[0]:
            to_query = np.matmul(scores, key)
            to_query *= scale
        if needs[1]:
            to_key = np.matmul(scores.swapaxes(-1, -2), query)
            to_key *= scale
    to_value = np.matmul(weights.swapaxes(-1, -2), g) if needs[2] else None
    return to_query, to_key, to_value, to_mask if needs[3] else None
