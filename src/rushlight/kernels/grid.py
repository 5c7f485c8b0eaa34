"""Sampling planes and volumes at real-valued places, on arrays, with both gradients.

A place is brought from [-1, 1] to pixels, treated at the border (`_to_pixels` keeps the derivative of both), and
read from its neighbours: two for each dimension with their weights, or four (cubic), or one (nearest). Everything
here works on one list of (index, weight, derivative of the weight) for each dimension, so planes and volumes, and all
modes, are one piece of code.

Formulas as in PyTorch's GridSampler.h; the idea is Jaderberg and others, "Spatial transformer networks" (2015).
"""
from itertools import product

import numpy as np

__all__ = ["sample", "sample_gradients", "neighbours", "weights", "inside_and_flat"]

CUBIC = -0.75


def _scaled(x, n, align_corners):
    """(pixels, their derivative) of a coordinate in [-1, 1]."""
    if align_corners:
        return (x + 1) / 2 * (n - 1), (n - 1) / 2
    return ((x + 1) * n - 1) / 2, n / 2


def _reflected(x, low, high):
    """(x mirrored at ``low / 2`` and ``high / 2`` until it lies between, the sign of the derivative)."""
    if low == high:
        return np.zeros_like(x), np.zeros_like(x)
    least, span = low / 2, (high - low) / 2
    at = x - least
    sign = np.where(at < 0, -1, 1).astype(x.dtype)
    at = np.abs(at)
    extra = np.fmod(at, span)
    flips = np.floor(at / span)
    even = flips % 2 == 0
    return np.where(even, extra + least, span - extra + least), np.where(even, sign, -sign)


def _clipped(x, n):
    return np.where(x > 0, np.minimum(x, n - 1), 0).astype(x.dtype), ((x > 0) & (x < n - 1)).astype(x.dtype)


def _bordered(x, n, padding_mode, align_corners):
    """(x as the padding mode moves it, the derivative of that)."""
    if padding_mode == 0:
        return x, None
    if padding_mode == 1:
        return _clipped(x, n)
    x, sign = _reflected(x, 0, 2 * (n - 1)) if align_corners else _reflected(x, -1, 2 * n - 1)
    x, inside = _clipped(x, n)
    return x, inside * sign


def _to_pixels(grid, n, padding_mode, align_corners):
    x, factor = _scaled(grid, n, align_corners)
    x, derivative = _bordered(x, n, padding_mode, align_corners)
    # What no float of an integer's size can hold counts as outside; as NaN does.
    x = np.where(np.isfinite(x) & (np.abs(x) < 2 ** 31 - 2), x, x.dtype.type(-100))
    return x, factor if derivative is None else derivative * factor


def weights(t, mode):
    """The weights of the neighbours of a place ``t`` beyond the first one; of arrays or Tensors."""
    if mode == 0:
        return [1 - t, t]
    a, rest = CUBIC, 1 - t

    def near(x):
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x):
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return [far(t + 1), near(t), near(rest), far(rest + 1)]


def _slopes(t, mode):
    """The derivatives of ``weights`` by ``t``."""
    if mode == 0:
        return [-1, 1]
    a, rest = CUBIC, 1 - t

    def near(x):
        return (3 * (a + 2) * x - 2 * (a + 3)) * x

    def far(x):
        return (3 * a * x - 10 * a) * x + 8 * a
    return [far(t + 1), near(t), -near(rest), -far(rest + 1)]


def neighbours(grid, n, mode, padding_mode, align_corners):
    """Along one dimension of ``n``: (the indices of the neighbours, how far the place is beyond the first one, the
    derivative of that by the grid's number). For the nearest, the last two are None."""
    if mode == 2:       # the neighbours, not the place itself, are treated at the border
        x, factor = _scaled(grid, n, align_corners)
        base = np.floor(x)
        made = []
        for k in range(-1, 3):
            at, _ = _bordered(base + k, n, padding_mode, align_corners)
            usable = np.isfinite(at) & (np.abs(at) < 2 ** 31 - 2)
            made.append(np.where(usable, at, -100).astype(np.int64))
        return made, x - base, np.full(x.shape, factor, x.dtype)
    x, factor = _to_pixels(grid, n, padding_mode, align_corners)
    if mode == 1:
        return [np.rint(x).astype(np.int64)], None, None
    base = np.floor(x)
    at = base.astype(np.int64)
    return [at, at + 1], x - base, np.broadcast_to(np.asarray(factor, x.dtype), x.shape)


def inside_and_flat(chosen, size):
    """(which of the places lie in the plane, their flat indices) of one index for each dimension."""
    inside, flat = np.True_, 0
    for at, n in zip(chosen, size):
        inside = inside & (at >= 0) & (at < n)
        flat = flat * n + np.clip(at, 0, n - 1)
    return inside, flat


def _places(size, grid, mode, padding_mode, align_corners):
    """Every neighbour: (flat index, whether it lies inside, its weights per dimension, their derivatives)."""
    dims = len(size)
    lists = []
    for i, n in enumerate(size):
        indices, t, factor = neighbours(grid[..., dims - 1 - i], n, mode, padding_mode, align_corners)
        if t is None:
            lists.append([(indices[0], None, None)])
        else:
            slopes = [d * factor for d in _slopes(t, mode)]
            lists.append(list(zip(indices, weights(t, mode), slopes)))
    for chosen in product(*lists):
        inside, flat = inside_and_flat([at for at, _, _ in chosen], size)
        yield flat, inside, [w for _, w, _ in chosen], [d for _, _, d in chosen]


def _product(factors, inside, dtype):
    made = inside.astype(dtype)
    for f in factors:
        if f is not None:
            made = made * f
    return made


def _taken(x, flat):
    """(N, C, places) elements of (N, C, *size) at (N, *) places of the planes."""
    n, c = x.shape[:2]
    return np.take_along_axis(x.reshape(n, c, -1), flat.reshape(n, 1, -1), 2)


def sample(x, grid, mode, padding_mode, align_corners):
    """``x``, (N, C, *size), at the places ``grid``, (N, *out, dimensions): (N, C, *out)."""
    n, c = x.shape[:2]
    out = grid.shape[1:-1]
    made = np.zeros((n, c, int(np.prod(out))), x.dtype)
    if made.size:
        for flat, inside, weights, _ in _places(x.shape[2:], grid, mode, padding_mode, align_corners):
            value = _taken(x, flat)
            weight = _product(weights, inside, x.dtype).reshape(n, 1, -1)
            made += np.where(inside.reshape(n, 1, -1), value * weight, 0)
    return made.reshape(n, c, *out)


def sample_gradients(g, x, grid, mode, padding_mode, align_corners, needs):
    """The gradients of ``sample`` for ``x`` and ``grid`` (None where ``needs`` says so)."""
    n, c, *size = x.shape
    flat_g = g.reshape(n, c, -1)
    volume, places = int(np.prod(size)), flat_g.shape[2]
    to_x = np.zeros((n * c * volume,), x.dtype) if needs[0] else None
    to_grid = np.zeros(grid.shape, grid.dtype) if needs[1] else None
    if not flat_g.size:
        return None if to_x is None else to_x.reshape(x.shape), to_grid
    planes = (np.arange(n * c) * volume).reshape(n, c, 1)
    for flat, inside, weights, derivatives in _places(size, grid, mode, padding_mode, align_corners):
        if needs[0]:
            weight = _product(weights, inside, x.dtype).reshape(n, 1, places)
            share = np.where(inside.reshape(n, 1, places), flat_g * weight, 0)
            np.add.at(to_x, (planes + flat.reshape(n, 1, places)).ravel(), share.ravel())
        if needs[1] and mode != 1:
            value = (flat_g * _taken(x, flat)).sum(1).reshape(inside.shape)
            for i in range(len(size)):
                factors = [d if j == i else w for j, (w, d) in enumerate(zip(weights, derivatives))]
                to_grid[..., len(size) - 1 - i] += np.where(inside, value * _product(factors, inside, grid.dtype), 0)
    return None if to_x is None else to_x.reshape(x.shape), to_grid
