"""Pooling in any number of dimensions on arrays of shape (N, C, *size).

The windows are walked by their places: one place of all windows together is a slice of the padded input, so a
2 by 2 maximum is four slices and three comparisons, however many windows there are. Sums go dimension by
dimension, which takes kh + kw slices instead of kh * kw.

What a maximum keeps for its gradient is which place of its window won, a byte where PyTorch keeps an eight-byte
index; `places_of` turns it into that index for who asks.
"""
import math
from itertools import product

import numpy as np

__all__ = [
    "pooled_size",
    "max_pool",
    "places_of",
    "give_back",
    "take_won",
    "scatter",
    "put",
    "gather",
    "avg_divisors",
    "sum_pool",
    "sum_pool_gradient",
    "adaptive_matrix",
    "along",
    "max_of_windows",
    "bounds",
    "fractional_max",
]


def pooled_size(n, k, stride, padding, dilation, ceil_mode):
    """The number of windows; with ``ceil_mode`` a last one may hang over the edge, but must begin inside."""
    reach = n + 2 * padding - dilation * (k - 1) - 1
    count = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= n + padding:
        count -= 1
    return count


def lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _frame(size, out, kernel, stride, padding, dilation):
    """The size in which every window of the output lies inside."""
    return tuple(max((o - 1) * s + d * (k - 1) + 1, n + p)
                 for o, s, d, k, n, p in zip(out, stride, dilation, kernel, size, padding))


def _inside(size, padding):
    return (..., *(slice(p, p + n) for n, p in zip(size, padding)))


def _framed(x, out, kernel, stride, padding, dilation, fill):
    """``x`` padded so that every window of the output lies inside."""
    size = x.shape[2:]
    need = _frame(size, out, kernel, stride, padding, dilation)
    if need == size and not any(padding):
        return x
    made = np.full((*x.shape[:2], *need), fill, x.dtype)
    made[_inside(size, padding)] = x
    return made


def _place(x, at, out, stride, dilation):
    """The element at place ``at`` of every window."""
    return x[(..., *(slice(i * d, i * d + s * (o - 1) + 1, s) for i, d, s, o in zip(at, dilation, stride, out)))]


# ---------------------------------------------------------------- maxima

def _first_inside(out, kernel, stride, padding, dilation, dtype):
    """The number of the first place of each window that is not padding."""
    made = np.zeros((1,) * len(out), np.int64)
    for i, (o, k, s, p, d) in enumerate(zip(out, kernel, stride, padding, dilation)):
        begin = np.arange(o) * s - p
        first = np.where(begin < 0, -(begin // d), 0)
        made = made * k + first.reshape((-1,) + (1,) * (len(out) - 1 - i))
    return made.astype(dtype)


def max_pool(x, out, kernel, stride, padding, dilation):
    """(maxima, the number of the place in its window where each was).

    NaN counts as greatest, the last of several; of equals the first is taken.
    """
    x = _framed(x, out, kernel, stride, padding, dilation, lowest(x.dtype))
    count = math.prod(kernel)
    small = np.uint8 if count <= 256 else np.uint16 if count <= 65536 else np.int64
    best = won = None
    for number, at in enumerate(product(*map(range, kernel))):
        candidate = _place(x, at, out, stride, dilation)
        if best is None:
            best = np.array(candidate, order="C")
            won = np.zeros(best.shape, small)
            if any(padding):
                won[...] = _first_inside(out, kernel, stride, padding, dilation, small)
            continue
        better = candidate > best
        if small is np.uint8:       # the last that is better wins: numbers only grow
            np.maximum(won, better.view(np.uint8) * np.uint8(number), out=won)
        else:
            won[better] = number
        np.maximum(best, candidate, out=best)
    if x.dtype.kind == "f" and best.size and np.isnan(np.dot(best.ravel(), np.zeros(best.size, best.dtype))):
        # An infinity may have made the NaN as well; then this changes nothing.
        for number, at in enumerate(product(*map(range, kernel))):
            won[np.isnan(_place(x, at, out, stride, dilation))] = number
    return best, won


def places_of(won, size, kernel, stride, padding, dilation):
    """The index, in a plane of ``size``, of the place of each window whose number is given."""
    starts, offsets = np.zeros((), np.int64), np.zeros((), np.int64)
    for i, (n, o, k, s, p, d) in enumerate(zip(size, won.shape[2:], kernel, stride, padding, dilation)):
        rest = (1,) * (len(size) - 1 - i)
        starts = starts * n + (np.arange(o) * s - p).reshape((-1, *rest))
        offsets = offsets * n + (np.arange(k) * d).reshape((-1, *rest))
    return offsets.reshape(-1)[won] + starts


def give_back(g, won, size, kernel, stride, padding, dilation):
    """Each element of ``g`` added to the place of its window that won."""
    out = g.shape[2:]
    made = np.zeros((*g.shape[:2], *_frame(size, out, kernel, stride, padding, dilation)), g.dtype)
    alone = all(s >= d * (k - 1) + 1 for s, d, k in zip(stride, dilation, kernel))
    for number, at in enumerate(product(*map(range, kernel))):
        target = _place(made, at, out, stride, dilation)
        if alone:               # no window shares an element with another
            np.multiply(g, won == number, out=target)
        else:
            target += np.where(won == number, g, g.dtype.type(0))
    if alone and not np.isfinite(np.dot(g.ravel(), np.zeros(g.size, g.dtype))):
        for number, at in enumerate(product(*map(range, kernel))):      # an infinity times False is NaN
            _place(made, at, out, stride, dilation)[...] = np.where(won == number, g, g.dtype.type(0))
    if made.shape[2:] == size:
        return made
    return np.ascontiguousarray(made[_inside(size, padding)])


def take_won(x, won, kernel, stride, padding, dilation):
    """The elements of ``x`` at the places that won: what ``give_back`` spreads, this collects."""
    return gather(x, places_of(won, x.shape[2:], kernel, stride, padding, dilation))


def _planes(places, size):
    n, c = places.shape[:2]
    return (places.reshape(n * c, -1) + np.arange(n * c)[:, None] * math.prod(size)).ravel()


def scatter(g, places, shape):
    """Each element of ``g`` added to its place in a plane of zeros."""
    made = np.zeros(math.prod(shape), g.dtype)
    if made.size and g.size:
        np.add.at(made, _planes(places, shape[2:]), g.ravel())
    return made.reshape(shape)


def put(x, places, shape):
    """Each element of ``x`` written to its place in a plane of zeros."""
    made = np.zeros(math.prod(shape), x.dtype)
    if made.size and x.size:
        made[_planes(places, shape[2:])] = x.ravel()
    return made.reshape(shape)


def gather(x, places):
    """The elements of ``x`` at ``places`` of its planes."""
    n, c = x.shape[:2]
    return np.take_along_axis(x.reshape(n, c, -1), places.reshape(n, c, -1), 2).reshape(places.shape)


# ---------------------------------------------------------------- means

def _extent(n, out, k, stride, padding, include_pad):
    """How many elements each window counts along one dimension."""
    begin = np.arange(out) * stride - padding
    end = np.minimum(begin + k, n + padding)
    if not include_pad:
        begin, end = np.maximum(begin, 0), np.minimum(end, n)
    return end - begin


def avg_divisors(size, out, kernel, stride, padding, include_pad, override, dtype):
    """What each window's sum is divided by."""
    if override:
        return dtype.type(override)
    made = np.ones((), np.int64)
    for i, (n, o, k, s, p) in enumerate(zip(size, out, kernel, stride, padding)):
        made = made * _extent(n, o, k, s, p, include_pad).reshape((-1,) + (1,) * (len(size) - 1 - i))
    return made.astype(dtype)


def sum_pool(x, out, kernel, stride, padding):
    """The sum of each window."""
    ones = (1,) * len(out)
    made = _framed(x, out, kernel, stride, padding, ones, 0)
    for axis in range(x.ndim - 1, 1, -1):
        k, s, o = kernel[axis - 2], stride[axis - 2], out[axis - 2]
        parts = [made[(slice(None),) * axis + (slice(i, i + s * (o - 1) + 1, s),)] for i in range(k)]
        made = np.array(parts[0], order="C") if k == 1 else parts[0] + parts[1]
        for part in parts[2:]:
            made += part
    return made


def sum_pool_gradient(g, shape, kernel, stride, padding):
    """Each element of ``g`` added to all elements of its window."""
    out, size = g.shape[2:], shape[2:]
    frame = _frame(size, out, kernel, stride, padding, (1,) * len(out))
    made = g
    for axis in range(2, g.ndim):
        k, s, o = kernel[axis - 2], stride[axis - 2], out[axis - 2]
        spread = np.zeros((*made.shape[:axis], frame[axis - 2], *made.shape[axis + 1:]), g.dtype)
        for i in range(k):
            spread[(slice(None),) * axis + (slice(i, i + s * (o - 1) + 1, s),)] += made
        made = spread
    return np.ascontiguousarray(made[_inside(size, padding)])


# ---------------------------------------------------------------- windows that cover a plane evenly, or by chance

def bounds(n, out):
    """Where adaptive windows begin and end."""
    return [(i * n // out, -(-(i + 1) * n // out)) for i in range(out)]


def adaptive_matrix(n, out, dtype):
    """(out, n): row i averages window i. An adaptive average pooling is a product with one of these for every
    dimension."""
    made = np.zeros((out, n), dtype)
    for i, (begin, end) in enumerate(bounds(n, out)):
        made[i, begin:end] = 1 / (end - begin)
    return made


def along(x, matrices):
    """``x`` with its last dimensions multiplied by a matrix each; None leaves a dimension as it is."""
    first = x.ndim - len(matrices)
    # The dimensions that shrink come first, so that the others have less to do.
    order = sorted((i for i, m in enumerate(matrices) if m is not None),
                   key=lambda i: matrices[i].shape[0] / max(matrices[i].shape[1], 1))
    for i in order:
        matrix, axis = matrices[i], first + i
        if axis == x.ndim - 1:
            x = np.matmul(x, matrix.T)
        else:
            made = np.matmul(matrix, x.reshape(*x.shape[:axis + 1], math.prod(x.shape[axis + 1:])))
            x = made.reshape(*x.shape[:axis], matrix.shape[0], *x.shape[axis + 1:])
    return x


def max_of_windows(x, windows):
    """(maxima, their places in the plane) of windows whose (begin, end) are given for each dimension.

    ``windows`` holds one list per dimension. NaN counts as greatest; of equals the first is taken.
    """
    n, c, *size = x.shape
    out = tuple(map(len, windows))
    best, places = np.empty((n, c, *out), x.dtype), np.empty((n, c, *out), np.int64)
    grid = np.arange(math.prod(size)).reshape(size)
    for at in product(*(enumerate(w) for w in windows)):
        index, inside = tuple(i for i, _ in at), tuple(slice(*w) for _, w in at)
        flat = x[(..., *inside)].reshape(n, c, -1)
        places[(..., *index)] = grid[inside].reshape(-1)[flat.argmax(2)]
    if places.size:
        best[...] = gather(x, places)
    return best, places


def _starts(samples, n, out, k):
    """Where fractional windows begin along a dimension of ``n``: (N, C, out) from numbers between 0 and 1."""
    i = np.arange(out).astype(samples.dtype)
    step = samples.dtype.type(n - k) / samples.dtype.type(max(out - 1, 1))
    samples = samples[..., None]
    made = ((i + samples) * step).astype(np.int64) - (samples * step).astype(np.int64)
    if out:
        made[..., -1] = n - k
    return made


def fractional_max(x, samples, kernel, out):
    """(maxima, their places) of windows that begin at random: ``samples``, (N, C, dimensions), say where."""
    n, c, *size = x.shape
    if len(size) == 2:
        samples = samples[..., ::-1]        # the width's number comes first
    begin = np.zeros((n, c) + (1,) * len(size), np.int64)
    for i, (m, k, o) in enumerate(zip(size, kernel, out)):
        starts = _starts(samples[..., i], m, o, k)
        begin = begin * m + starts.reshape((n, c) + (1,) * i + (-1,) + (1,) * (len(size) - 1 - i))
    best = places = None
    for at in product(*map(range, kernel)):
        here = begin + int(np.ravel_multi_index(at, size))
        candidate = gather(x, here)
        if best is None:
            best, places = candidate, here
            continue
        better = (candidate > best) | np.isnan(candidate)
        np.copyto(best, candidate, where=better)
        np.copyto(places, here, where=better)
    return best, places
