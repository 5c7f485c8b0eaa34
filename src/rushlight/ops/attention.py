"""Scaled dot-product attention.

Without dropout it is one operator, whose weights are kept for the backward pass; with dropout, for shapes that
broadcast against each other and for second derivatives it is composed.
"""
import functools
import math

import numpy as np

from ..dtypes import bool_
from ..kernels import attention as kernels
from .again import again, recorded
from .declare import Array, OptionalArray, composite, op
from .late import F, torch

__all__ = ["check_attention", "ENABLED"]

# Which of PyTorch's implementations a program allows (`nn.attention.sdpa_kernel`, `backends.cuda.enable_*_sdp`). On the CPU
# PyTorch has the composition ("math") and a fused kernel ("flash"); here both give the same numbers, and the choice shows in
# the name of the node and in the refusals.
ENABLED = {"cudnn": True, "flash": True, "mem_efficient": True, "math": True, "overrideable": True}


def _fused(query, attn_mask):
    """Whether PyTorch would take its fused kernel, which has no gradient for the mask."""
    return query.ndim == 4 and ENABLED["flash"] and (attn_mask is None or not attn_mask.requires_grad)


def _both_masks(mask, query, key):
    """A mask that hides the future too."""
    past = torch.ones(query.shape[-2], key.shape[-2], dtype=bool_).tril()
    return mask.logical_and(past) if mask._a.dtype.kind == "b" else mask.masked_fill(past.logical_not(), -math.inf)


def _node_name(query, key, value, attn_mask, causal, scale):
    """The fused kernel's name, or that of the composition's last step."""
    if _fused(query, attn_mask):
        return "ScaledDotProductFlashAttentionForCpuBackward0"
    return "MmBackward0" if query.ndim == 2 else "UnsafeViewBackward0"


@op(function=False, out=False, extras=("weights",), grad_name=_node_name)
def attention(query: Array, key: Array, value: Array, attn_mask: OptionalArray, causal, scale):
    """``softmax(query key^T scale + attn_mask) value`` for equal leading dimensions."""
    out, weights = kernels.attend(query, key, value, attn_mask, causal, scale)
    return out, {"weights": weights}


@attention.derivatives
def _attention_rule(g, query, key, value, attn_mask, causal, scale, out, weights, needs):
    inputs = query, key, value, attn_mask
    if recorded(g, *inputs):
        return again(functools.partial(_composed, causal=causal, scale=scale), inputs, needs, (g,))
    found = kernels.attend_backward(g, query, key, value, scale, out, weights, needs)
    return tuple(f if f is None else f.astype(x.dtype, copy=False) for f, x in zip(found, inputs))


def _composed(query, key, value, mask, causal, scale, dropout_p=0.0):
    """The same over operators, with dropout."""
    # Half of the scale on each side keeps the product in range.
    factor = math.sqrt(abs(scale))
    scores = (query * (factor if scale >= 0 else -factor)) @ (key.transpose(-2, -1) * factor)
    if causal:
        mask = torch.ones(scores.shape[-2:], dtype=bool_).tril()
    if mask is not None:
        if mask._a.dtype.kind == "b":
            scores = scores.masked_fill(mask.logical_not(), -math.inf)
        else:
            scores = scores + mask
    weights = torch.softmax(scores, -1)
    if mask is not None:
        hidden = (scores.detach() == -math.inf).all(-1, keepdim=True)
        weights = weights.masked_fill(hidden, 0.0)
    if dropout_p > 0.0:
        weights = F.dropout(weights, dropout_p)
    return weights @ value


def _fits(query, key, value, mask):
    """Whether the operator takes these: equal leading dimensions, a mask that broadcasts to the scores."""
    q, k, v = query._a, key._a, value._a
    lead, dtype = q.shape[:-2], q.dtype
    if k.shape[:-2] != lead or v.shape[:-2] != lead or k.shape[-1] != q.shape[-1] or k.shape[-2] != v.shape[-2] \
            or dtype.kind != "f" and dtype.itemsize != 2 or dtype.kind in "iu":
        return False
    if mask is None:
        return True
    shape = (*lead, q.shape[-2], k.shape[-2])
    return mask.ndim <= len(shape) and all(n in (1, m) for n, m in zip(mask.shape[::-1], shape[::-1])) \
        and np.dtype(mask._a.dtype).kind != "c"


def check_attention(query, key, value, attn_mask):
    """PyTorch's errors for arguments that do not go together."""
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but got "
                           "query.dim: "
                           f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead.")
    if not query._a.dtype == key._a.dtype == value._a.dtype:
        names = [_c_name(t) for t in (query, key, value)]
        raise RuntimeError("Expected query, key, and value to have the same dtype, but got query.dtype: "
                           f"{names[0]} key.dtype: {names[1]} and value.dtype: {names[2]} instead.")
    if (
        attn_mask is not None
        and attn_mask._a.dtype.kind != "b"
        and attn_mask._a.dtype != query._a.dtype
        and attn_mask._a.dtype != "float32"
    ):
        raise RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                           "attn_mask.dtype: "
                           f"{_c_name(attn_mask)} and  query.dtype: {_c_name(query)} instead.")


@composite(space="nn.functional")
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """``softmax(query key^T * scale + mask) value`` (Vaswani and others 2017).

    ``query``: (*, L, E); ``key``: (*, S, E); ``value``: (*, S, Ev); returns (*, L, Ev). ``attn_mask``:
    boolean (True takes part) or added to the scores; ``is_causal`` masks what comes later; ``scale`` is ``1 /
    sqrt(E)`` by default; ``dropout_p`` drops weights. A row whose every place is masked gives zeros, as in
    PyTorch. RuntimeError for what does not fit.

    Example::

        >>> import rushlight as torch
        >>> q = torch.ones(1, 2, 4)
        >>> torch.nn.functional.scaled_dot_product_attention(q, q, q).shape
        torch.Size([1, 2, 4])
    """
    check_attention(query, key, value, attn_mask)
    if not ENABLED["math"]:
        if not ENABLED["flash"]:
            raise RuntimeError("No viable backend for scaled_dot_product_attention was found. This is likely due to turning off "
                               "both the math kernel and the fused kernels.")
        if dropout_p > 0.0:
            raise RuntimeError("No available kernel.  Aborting execution.\nThe fused kernel has no dropout: allow SDPBackend.MATH.")
    if enable_gqa:
        heads = query.shape[-3]
        if any(t.ndim < 3 or not t.shape[-3] or heads % t.shape[-3] for t in (key, value)):
            raise RuntimeError("Number of heads in key and value must divide the number of heads in \n"
                               f"the query, which has {heads}.")
        key = key.repeat_interleave(heads // key.shape[-3], -3)
        value = value.repeat_interleave(heads // value.shape[-3], -3)
    if attn_mask is not None and is_causal:
        if dropout_p > 0.0 or not _fused(query, attn_mask):
            raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
        attn_mask, is_causal = _both_masks(attn_mask, query, key), False
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else 1.0
    if dropout_p <= 0.0 and _fits(query, key, value, attn_mask):
        return attention(query, key, value, attn_mask, is_causal, scale)
    return _composed(query, key, value, attn_mask, is_causal, scale, dropout_p)


def _c_name(t):
    return {
        "float32": "float",
        "float64": "double",
        "float16": "c10::Half",
        "bfloat16": "c10::BFloat16",
        "int32": "int",
        "int64": "long int",
        "int16": "short int",
        "int8": "signed char",
        "uint8": "unsigned char",
        "bool": "bool",
    }.get(t._a.dtype.name, t._a.dtype.name)
