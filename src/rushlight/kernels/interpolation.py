"""Interpolation on arrays: along each dimension, as a choice of elements or as a product with a matrix.

Every mode of `interpolate` works dimension by dimension. The nearest ones choose elements; the others weigh a few
neighbours, which is a product with a (wide and nearly empty) matrix of the new size by the old one: BLAS makes up
for the zeros, and the gradient is the product with the transposed matrix, whatever the mode.

Sources: R. Keys, "Cubic convolution interpolation for digital image processing" (1981), with a = -0.75 (PyTorch's) or
-0.5 where antialiased (Pillow's); the antialiased filters are stretched by the scale when they shrink an image.
"""
import functools
import math

import numpy as np

__all__ = ["nearest", "take", "give", "matrix", "fixed_point"]

f32 = np.float32


@functools.lru_cache(512)
def nearest(n, out, given, exact):
    """Which of ``n`` elements each of ``out`` takes. In single precision, as PyTorch computes it for every dtype."""
    at = np.arange(out).astype(f32) + f32(0.5 if exact else 0)
    scale = f32(1.0 / given) if given is not None and given > 0 else f32(n) / f32(out)
    made = np.minimum(np.floor(at * scale).astype(np.int64), n - 1)
    made.flags.writeable = False
    return made


def take(x, chosen):
    """``x`` at the given indices along each of its last dimensions."""
    first = x.ndim - len(chosen)
    for i, at in enumerate(chosen):
        x = np.take(x, at, first + i)
    return x


def give(g, chosen, size):
    """The opposite of ``take``: each element added to where it was taken from (``chosen`` never decrease)."""
    first = g.ndim - len(chosen)
    for i, (at, n) in enumerate(zip(chosen, size)):
        axis = first + i
        made = np.zeros((*g.shape[:axis], n, *g.shape[axis + 1:]), g.dtype)
        if len(at):
            starts = np.flatnonzero(np.diff(at, prepend=-1))
            made[(slice(None),) * axis + (at[starts],)] = np.add.reduceat(g, starts, axis)
        g = made
    return g


# ---------------------------------------------------------------- weights

def _linear(t):
    return np.maximum(1 - np.abs(t), 0)


def _cubic(t, a):
    t = np.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((t - 5) * t + 8) * t * a - 4 * a
    return np.where(t < 1, near, np.where(t < 2, far, 0))


def _lanczos(t):
    return np.where(np.abs(t) < 3, np.sinc(t) * np.sinc(t / 3), 0)


def _filter(kind, antialias):
    """(half the filter's width, the filter)."""
    if kind == "linear":
        return 1, _linear
    if kind == "cubic":
        return 2, functools.partial(_cubic, a=-0.5 if antialias else -0.75)
    return 3, _lanczos


@functools.lru_cache(512)
def matrix(n, out, kind, align_corners, given, antialias=False):
    """(out, n): the weights of the input's elements in each of the output's; ``kind`` is linear, cubic or lanczos."""
    if align_corners:
        scale = (n - 1) / (out - 1) if out > 1 else 0.0
    else:
        scale = 1.0 / given if given is not None and given > 0 else n / out
    places = np.arange(out)
    made = np.zeros((out, n))
    half, weigh = _filter(kind, antialias)
    if antialias:
        _stretched(made, scale, half, weigh)
    else:
        at = places * scale if align_corners else (places + 0.5) * scale - 0.5
        if kind == "linear":
            at = np.clip(at, 0, n - 1)
        first = np.floor(at).astype(np.int64)
        for k in range(1 - half, half + 1):
            np.add.at(made, (places, np.clip(first + k, 0, n - 1)), weigh(at - (first + k)))
    made.flags.writeable = False
    return made


def _stretched(made, scale, half, weigh):
    """Fill in the weights of filters that are widened by the scale, normalised to sum one."""
    out, n = made.shape
    wide = max(scale, 1.0)
    support = half * wide
    for i in range(out):
        center = scale * (i + 0.5)
        begin, end = max(int(center - support + 0.5), 0), min(int(center + support + 0.5), n)
        weights = weigh((np.arange(begin, end) - center + 0.5) / wide)
        total = weights.sum()
        made[i, begin:end] = weights / total if total else weights


def fixed_point(x, matrices):
    """``x`` of 8-bit integers, its last dimensions multiplied by a matrix each, the last one first.

    In 16-bit fixed point with as many digits as the largest weight leaves room for, as PyTorch and Pillow.
    """
    for i, weights in reversed(list(enumerate(matrices))):
        if weights is None:
            continue
        axis = x.ndim - len(matrices) + i
        largest, digits = weights.max(), 0
        while digits < 22 and int(0.5 + largest * (1 << (digits + 1))) < 1 << 15:
            digits += 1
        whole = np.trunc(weights * (1 << digits) + np.where(weights < 0, -0.5, 0.5)).astype(np.int64)
        moved = np.moveaxis(x, axis, -1).astype(np.int64) @ whole.T
        x = np.moveaxis(np.clip((moved + (1 << (digits - 1))) >> digits, 0, 255), -1, axis).astype(np.uint8)
    return np.ascontiguousarray(x)


def output_sizes(size, factors):
    """The sizes that scale factors give."""
    return [math.floor(float(n) * float(f)) for n, f in zip(size, factors)]
