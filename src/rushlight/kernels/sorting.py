"""Order: sorting, selecting by rank, searching, the distinct.

NaN is greater than every number, as in PyTorch. All sorts are stable, so equal elements keep their order in
both directions and ranks among equals go to the earlier ones; where PyTorch's are not stable, ``ties`` says
what it does with small tensors.
"""
import numpy as np

from ..dtypes import BY_NUMPY
from . import ties
from .memory import ordered_like
from .reduce import one_axis, take_along

__all__ = ["comparable", "order", "sort", "topk", "kth", "mode", "search", "sorted_rows", "distinct",
           "distinct_rows", "runs"]

_i64, _f32, _f64 = np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.float64)


def comparable(x):
    """Half types that NumPy sorts slowly, or not at all, as float32."""
    if x.dtype is _f32 or x.dtype is _f64:
        return x
    return x.astype(_f32) if BY_NUMPY[x.dtype].low_precision else x


def order(x, dim, descending, stable=True):
    """The indices that sort ``x`` along ``dim``."""
    axis = one_axis(dim, x.ndim)
    if x.ndim == 0:
        return np.zeros((), _i64)
    x = comparable(x)
    if not descending:
        made = x.argsort(axis, "stable")
    else:
        turned = (slice(None),) * axis + (slice(None, None, -1),)
        made = (x.shape[axis] - 1) - x[turned].argsort(axis, "stable")[turned]
    if stable or x.shape[axis] <= 16 or x.size > ties.WORK:
        return made
    return _rearranged(x, made, axis, lambda same: same.any(-1), ties.sorted_row)


def _rearranged(x, indices, axis, where, row):
    """``indices`` (the stable ones along ``axis``) with ``row(keys)`` in the rows that have equals ``where``
    it matters.
    """
    last = axis == x.ndim - 1
    if not last:
        x, indices = np.moveaxis(x, axis, -1), np.moveaxis(indices, axis, -1)
    same = ties.equals(take_along(x, indices, x.ndim - 1))
    chosen = where(same)
    if not chosen.any():
        return indices if last else np.moveaxis(indices, -1, axis)
    made = np.array(indices)
    for at in map(tuple, np.argwhere(chosen)):
        picked = row(ties.ranks(same[at], indices[at]))
        made[at][:len(picked)] = picked
    return made if last else np.moveaxis(made, -1, axis)


def sort(x, dim, descending, stable=True):
    """(values, indices) in order."""
    if x.ndim == 0:
        one_axis(dim, 0)
        return x.copy(), np.zeros((), _i64)
    indices = order(x, dim, descending, stable)
    values = take_along(x, indices, dim % x.ndim)
    if x.flags.c_contiguous:
        return values, indices
    return ordered_like(values, x), ordered_like(indices, x)


def topk(x, k, axis, largest, in_order):
    """The indices of the ``k`` greatest or least along ``axis``."""
    n = x.shape[axis]
    if x.ndim == 1 and n > ties.WORK and k * 8 < n and comparable(x).dtype.kind == "f":
        near = _candidates(comparable(x), k, largest)
        return near[order(x[near], 0, largest)[:k]]
    made = order(x, axis, largest)
    if x.size <= ties.WORK and k:
        # Equals matter among the first k, and where the k-th has one behind it.
        made = _rearranged(comparable(x), made, axis, lambda same: same[..., :k].any(-1) | (not in_order),
                           lambda keys: ties.topk_row(keys, k, in_order))
    return np.ascontiguousarray(made[(slice(None),) * axis + (slice(0, k),)])


def _candidates(x, k, largest):
    """Indices, in order, of the elements of a long row that can be among its ``k`` greatest (or least)."""
    n = x.shape[0]
    if k == 0:
        return np.zeros(0, _i64)
    bound = np.partition(x, n - k if largest else k - 1)[n - k if largest else k - 1]
    if bound != bound:
        return np.arange(n)
    return np.flatnonzero((x >= bound) | (x != x) if largest else x <= bound)


def kth(x, k, axis):
    """The index of the element of rank ``k`` (from 0) along ``axis``, with that axis kept."""
    made = order(x, axis, False)
    if x.size <= ties.WORK:
        def row(keys):
            return [0] * k + [ties.kth_row(keys, k)]
        made = _rearranged(comparable(x), made, axis,
                           lambda same: same[..., max(k - 1, 0):k + 1].any(-1), row)
    return np.ascontiguousarray(made[(slice(None),) * axis + (slice(k, k + 1),)])


def mode(x, dim):
    """(most frequent value, the index of one of its occurrences) along ``dim``, reduced; the least of equally
    frequent ones.
    """
    axis = one_axis(dim, x.ndim)
    if x.ndim == 0:
        return x.copy(), np.zeros((), _i64)
    indices = np.moveaxis(order(x, axis, False, stable=False), axis, -1)
    lines = np.moveaxis(x, axis, -1)
    n = lines.shape[-1]
    if x.dtype.kind == "f" and n <= 16:
        # Its comparison knows no NaN: that stays about where it is.
        for at in map(tuple, np.argwhere(np.isnan(lines).any(-1))):
            indices[at] = ties.sorted_row(lines[at])
    values = np.take_along_axis(lines, indices, -1)
    starts = np.ones(values.shape, np.bool_)
    starts[..., 1:] = values[..., 1:] != values[..., :-1]
    places = np.arange(n)
    begun = np.maximum.accumulate(np.where(starts, places, 0), -1)
    length = places - begun + 1
    best = length.argmax(-1)[..., None]        # where the longest run ends; the first of equals is the least
    return np.take_along_axis(values, best, -1)[..., 0], np.take_along_axis(indices, best, -1)[..., 0]


# ---------------------------------------------------------------- searching

def search(edges, x, right):
    """Where the elements of ``x`` belong in the sorted ``edges``: (..., n) against (..., m), or one row for
    all of ``x``.

    A binary search on the condition, so what it answers for NaN and for edges out of order is PyTorch's
    answer as well.
    """
    edges, x = comparable(edges), comparable(x)
    n = edges.shape[-1]
    if edges.ndim == 1 and n and bool((edges[1:] >= edges[:-1]).all()) and edges[0] == edges[0]:
        found = np.asarray(np.searchsorted(edges, x, "right" if right else "left"))
        if x.dtype.kind == "f":
            found = np.where(x != x, n, found)
        return found
    low, high = np.zeros(x.shape, _i64), np.full(x.shape, n)
    one_row = edges.ndim == 1
    while True:
        open_ = low < high
        if not open_.any():
            return low
        middle = (low + high) >> 1
        at = np.minimum(middle, n - 1)
        value = edges[at] if one_row else np.take_along_axis(edges, at, -1)
        up = open_ & ~(value > x if right else value >= x)
        low = np.where(up, middle + 1, low)
        high = np.where(open_ & ~up, middle, high)


# ---------------------------------------------------------------- the distinct

def runs(changed):
    """(index of each element's run, lengths of the runs) from marks of the elements that begin one."""
    inverse = np.cumsum(changed) - 1
    starts = np.flatnonzero(changed)
    return inverse, np.diff(np.append(starts, changed.shape[0]))


def _changes(x):
    changed = np.ones(x.shape[0], np.bool_)
    if x.ndim == 1:
        changed[1:] = x[1:] != x[:-1]
    else:
        changed[1:] = (x[1:] != x[:-1]).any(1)
    return changed


def distinct(flat):
    """(sorted distinct values, inverse, counts) of a flat array; each NaN is its own."""
    if not flat.size:
        return flat.copy(), np.zeros(0, _i64), np.zeros(0, _i64)
    indices = comparable(flat).argsort(0, "stable")
    ordered = flat[indices]
    changed = _changes(ordered)
    inverse, counts = runs(changed)
    back = np.empty(flat.shape[0], _i64)
    back[indices] = inverse
    return ordered[changed], back, counts


def sorted_rows(rows):
    """The order of rows by their elements, the first one counting most."""
    if rows.shape[1] == 0:
        return np.arange(rows.shape[0])
    return np.lexsort(comparable(rows).T[::-1])


def distinct_rows(rows, consecutive):
    """(indices of the rows kept, inverse, counts); sorted unless only neighbours are compared."""
    n = rows.shape[0]
    indices = np.arange(n) if consecutive else sorted_rows(rows)
    ordered = rows[indices]
    changed = _changes(ordered)
    inverse, counts = runs(changed)
    back = np.empty(n, _i64)
    back[indices] = inverse
    return indices[changed], back, counts
