"""Padding on arrays: with a constant, or with elements of the array itself chosen by index."""
import numpy as np

__all__ = ["constant", "sources", "take", "give"]


def constant(x, pads, value):
    """``x`` with (before, after) of each dimension in ``pads`` added (or, where negative, cut off)."""
    shape = tuple(n + b + a for n, (b, a) in zip(x.shape, pads))
    made = np.full(shape, np.asarray(value).astype(x.dtype), x.dtype)
    inner = tuple(slice(max(b, 0), max(b, 0) + n + min(b, 0) + min(a, 0)) for n, (b, a) in zip(x.shape, pads))
    outer = tuple(slice(max(-b, 0), n - max(-a, 0)) for n, (b, a) in zip(x.shape, pads))
    made[inner] = x[outer]
    return made


def sources(n, before, after, mode):
    """Which element of a dimension of n each padded place repeats."""
    if mode == "circular":          # what is cut off does not come back at the other end
        m = n + min(before, 0) + min(after, 0)
        return max(-before, 0) + np.arange(-max(before, 0), m + max(after, 0)) % m if m else np.zeros(0, int)
    at = np.arange(-before, n + after)
    if mode == "replicate":
        return np.clip(at, 0, n - 1)
    at = np.abs(at)
    return np.where(at >= n, 2 * (n - 1) - at, at)


def take(x, chosen):
    """``x`` at the given indices along each of its last dimensions."""
    first = x.ndim - len(chosen)
    for i, at in enumerate(chosen):
        x = np.take(x, at, first + i)
    return np.ascontiguousarray(x)


def give(g, chosen, sizes):
    """The opposite of ``take``: each element added to where it was taken from."""
    first = g.ndim - len(chosen)
    for i, (at, n) in enumerate(zip(chosen, sizes)):
        moved = np.moveaxis(g, first + i, 0)
        made = np.zeros((n, *moved.shape[1:]), g.dtype)
        np.add.at(made, at, moved)
        g = np.moveaxis(made, 0, first + i)
    return np.ascontiguousarray(g)
