"""Counting into bins: histc, histogram, histogramdd, bincount. They have no derivatives."""
import numpy as np

from .. import dtypes
from ..dtypes import BY_NUMPY
from ..kernels import reduce
from ..tensor import Tensor
from ._reduced import give
from .call import return_type
from .declare import Array, OptionalArray, composite, op

__all__ = []


def edges_between(low, high, bins, dtype):
    """``bins + 1`` evenly spaced edges, computed from the nearer end as PyTorch's ``linspace``."""
    real = dtype.type
    low, high = real(low), real(high)
    step = (high - low) / real(bins)
    index = np.arange(bins + 1)
    up, down = low + step * index.astype(dtype), high - step * (bins - index).astype(dtype)
    return np.where(index < (bins + 1) / 2, up, down).astype(dtype)


def _finite_range(name, low, high):
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.{name}: range of [{_text(low)}, {_text(high)}] is not finite\nGive the "
                           "range, or remove what is not finite.")


def _text(x):
    return "-nan" if x != x else f"{x:g}"


def _bins(bins):
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0\nGive at "
                           "least one bin.")


# ---------------------------------------------------------------- histc

@op(method=True, differentiable=False, fast=False)
def histc(input: Array, bins=100, min=0, max=0):
    """How many elements fall into each of ``bins`` even bins between ``min`` and ``max`` (the data's own if
    both are equal).

    Elements outside and NaN are left out; the last bin holds its upper edge. Floating tensors only, and the
    counts have their dtype.

    Example::

        >>> import rushlight as torch
        >>> torch.histc(torch.tensor([1., 2., 1.]), bins=4, min=0, max=3)
        tensor([0., 2., 1., 0.])
    """
    if input.dtype.kind not in "fV":
        known = BY_NUMPY[input.dtype]
        which = "linspace_cpu" if known is dtypes.bool_ else "histogram_cpu"
        raise NotImplementedError(f'"{which}" not implemented for \'{known.scalar_name}\'\nConvert it with '
                                  '.float().')
    _bins(bins)
    x = reduce.wide(input).reshape(-1)
    low, high = min, max
    if low == high and x.size:
        low, high = x.min(), x.max()
    _finite_range("histc", low, high)
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min\nGive min < max.")
    if low == high:
        low, high = low - 1, high + 1
    real = x.dtype.type
    low, high = real(low), real(high)
    inside = x[(x >= low) & (x <= high)]
    place = ((inside - low) * real(bins) / (high - low)).astype(np.int64)
    place[place == bins] -= 1
    return np.bincount(place, minlength=bins).astype(input.dtype)


# ---------------------------------------------------------------- histograms in several dimensions

def _check_histogram(x, weight):
    if x.dtype.kind != "f" or x.dtype.itemsize == 2:
        raise NotImplementedError(f'"histogramdd" not implemented for \'{BY_NUMPY[x.dtype].scalar_name}\''
                                  '\nConvert with .float().')
    if weight is not None:
        if weight.shape != x.shape[:-1]:
            raise RuntimeError("torch.histogramdd: if weight tensor is provided it should have the same "
                               "shape as the input tensor "
                               f"excluding its innermost dimension, but got input with shape {list(x.shape)} "
                               "and weight with shape "
                               f"{list(weight.shape)}\nGive one weight per point.")
        if weight.dtype != x.dtype:
            raise RuntimeError("torch.histogramdd: if weight tensor is provided, input tensor and weight "
                               "tensor should have the same "
                               f"dtype, but got input {BY_NUMPY[x.dtype].scalar_name}, and weight "
                               f"{BY_NUMPY[weight.dtype].scalar_name}\nConvert one of them.")


def _check_edges(edges, dtype):
    for i, e in enumerate(edges):
        if e.ndim != 1:
            raise RuntimeError(f"torch.histogramdd: bins tensor should have one dimension, but got {e.ndim} "
                               "dimensions in the bins "
                               f"tensor for dimension {i}\nGive a row of edges.")
        if not e.size:
            raise RuntimeError("torch.histogramdd: bins tensor should have at least 1 element, but got 0 "
                               "elements in the bins tensor "
                               f"for dimension {i}\nGive a row of edges.")
        if e.dtype != dtype:
            raise RuntimeError("torch.histogramdd: input tensor and bins tensors should have the same "
                               "dtype, but got input with dtype "
                               f"{BY_NUMPY[dtype].scalar_name} and bins for dimension {i} with dtype "
                               f"{BY_NUMPY[e.dtype].scalar_name}"
                               "\nConvert one of them.")


def _ranges(points, counts, range):
    """(low, high) of each dimension: given, or the data's own, never of no width."""
    dims = points.shape[1]
    for i, n in enumerate(counts):
        if n <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {n} for dimension {i}\nGive at "
                               "least one bin.")
    if range is not None:
        if len(range) != 2 * dims:
            raise RuntimeError(f"torch.histogramdd: for a {dims}-dimensional histogram range should have "
                               f"{2 * dims} elements, but got "
                               f"{len(range)}\nGive (min, max) of each dimension.")
        pairs = [(float(range[2 * i]), float(range[2 * i + 1])) for i in np.arange(dims)]
    elif points.shape[0]:
        pairs = list(zip(points.min(0).tolist(), points.max(0).tolist()))
    else:
        pairs = [(0.0, 1.0)] * dims
    made = []
    for i, (low, high) in enumerate(pairs):
        if not (np.isfinite(low) and np.isfinite(high)):
            raise RuntimeError(f"torch.histogramdd: dimension {i}'s range [{_text(low)}, {_text(high)}] is "
                               "not finite"
                               "\nGive the range, or remove what is not finite.")
        if low > high:
            raise RuntimeError(f"torch.histogramdd: min should not exceed max, but got min {low:g} max "
                               f"{high:g} for dimension {i}"
                               "\nGive (min, max).")
        made.append((low - 0.5, high + 0.5) if low == high else (low, high))
    return made


def _fill(points, edges, weight, density):
    """The histogram of points (n, d) over edges of each dimension."""
    shape = tuple(e.shape[0] - 1 for e in edges)
    inside = np.ones(points.shape[0], np.bool_)
    places = []
    for i, e in enumerate(edges):
        x = points[:, i]
        inside &= (x >= e[0]) & (x <= e[-1])
        at = np.searchsorted(e, x, "right") - 1
        places.append(np.where(x == e[-1], shape[i] - 1, at))
    dtype = points.dtype
    if 0 in shape:
        return np.zeros(shape, dtype)
    flat = np.ravel_multi_index([p[inside] for p in places], shape) if inside.any() else np.zeros(0, np.int64)
    w = None if weight is None else weight.reshape(-1)[inside].astype(np.float64)
    made = np.bincount(flat, w, int(np.prod(shape))).reshape(shape).astype(dtype)
    if density:
        made = made / np.add.reduce(made, None)
        for i, e in enumerate(edges):
            widths = np.diff(e)
            made = made / widths.reshape([-1 if j == i else 1 for j in np.arange(len(edges))])
    return made


@op(name="histogramdd", function=False, multiple=True, out=False, fast=False)
def _histogramdd(input: Array, weight: OptionalArray, bins, range, density):
    """(histogram, edges of each dimension); ``bins`` are counts or arrays of edges."""
    _check_histogram(input, weight)
    points = input.reshape(-1, input.shape[-1])
    if all(isinstance(b, np.ndarray) for b in bins):
        edges = [np.array(b) for b in bins]
        _check_edges(edges, points.dtype)
    else:
        ranges = _ranges(points, bins, range)
        edges = [edges_between(low, high, n, points.dtype) for n, (low, high) in zip(bins, ranges)]
    return [_fill(points, edges, weight, density), *edges]


@composite(method=True)
def histogram(input, bins, *, range=None, weight=None, density=False, out=None):
    """Counts (or weights, or a density) in bins, and the bins' edges, as a named tuple ``(hist, bin_edges)``.

    ``bins``: how many even ones in ``range`` (the data's own by default), or a tensor of rising edges. All
    but the last bin leave out their upper edge. float32 and float64 only.

    Example::

        >>> import rushlight as torch
        >>> torch.histogram(torch.tensor([1., 2., 1.]), bins=4, range=(0., 3.)).hist
        tensor([0., 2., 1., 0.])
    """
    flat = input.reshape(-1, 1)
    made = _histogramdd.public(flat, None if weight is None else weight.reshape(-1),
                               [bins._a if isinstance(bins, Tensor) else bins], range, density)
    if out is not None:
        made = [give(o, m, "histogram") for o, m in zip(out, made)]
    return return_type("histogram", ("hist", "bin_edges"))(made)


@composite
def histogramdd(input, bins, range=None, weight=None, density=False):
    """The histogram of points, the rows of ``input`` (..., D), over D dimensions: ``(hist, bin_edges)``,
    edges as a tuple.

    ``bins``: one count, a count per dimension, or a tensor of edges per dimension; ``range``: min and max of
    each in a row.
    """
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions\nIts rows are "
                           "points.")
    dims = input.shape[-1]
    parts = [bins] * dims if isinstance(bins, int) else list(bins)
    if len(parts) != dims:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the "
                           "input."
                           f"\nThere are {len(parts)} for {dims} dimensions.")
    parts = [b._a if isinstance(b, Tensor) else b for b in parts]
    made = _histogramdd.public(input, weight, parts, range, density)
    return return_type("histogramdd", ("hist", "bin_edges"))([made[0], tuple(made[1:])])


# ---------------------------------------------------------------- bincount

@op(method=True, out=False, fast=False)
def bincount(input: Array, weights: OptionalArray = None, minlength=0):
    """How often each whole number from 0 to the greatest occurs in a row, or the sum of its ``weights``.

    int64 counts; float32 sums for float32 weights, else float64. RuntimeError for negative numbers or several
    dimensions.

    Example::

        >>> import rushlight as torch
        >>> torch.bincount(torch.tensor([0, 2, 2]))
        tensor([1, 0, 2])
    """
    known = BY_NUMPY[input.dtype]
    if known.category != dtypes.INTEGRAL or known.barebones:
        raise NotImplementedError(f'"bincount_cpu" not implemented for \'{known.scalar_name}\'\nConvert it '
                                  'with .long().')
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0\nIt is the least length of the result.")
    if input.ndim == 1 and not input.size:
        return np.zeros(minlength, np.int64)
    if input.ndim != 1 or input.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.\nFlatten it, and shift "
                           "negative numbers.")
    if weights is None:
        return np.bincount(input, minlength=minlength).astype(np.int64, copy=False)
    if weights.ndim != 1 or weights.shape[0] != input.shape[0]:
        raise RuntimeError("weights should be 1-d and have the same length as input\nGive one weight per "
                           "element.")
    made = np.bincount(input, weights.astype(np.float64), minlength)
    return made.astype(np.float32) if weights.dtype == np.float32 else made
