"""Reading and writing elements along one dimension by index arrays, and elements picked by masks.

``gather`` and ``scatter`` are reads and writes at flat positions: an index along one dimension, and in every
other dimension the position of the index itself. Positions may repeat: written ones keep the last value,
added ones add up (see ``index``). PyTorch takes no negative index here, but for ``take``, ``put`` and
``index_fill``.
"""
import numpy as np

from ..dtypes import BY_NUMPY
from .errors import scalar_name, wrap_dim
from .index import scatter_add

__all__ = ["positions", "check_bounds", "gather", "gather_back", "add_into", "rows", "select", "select_back",
           "add_rows", "take",
           "take_back", "wide"]

_i64, _i32, _f32 = np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.float32)
_INDEX = (_i64, _i32)
_SHORT = 64


# ---------------------------------------------------------------- bounds

def extremes(index):
    """(smallest, greatest) of a nonempty index."""
    if index.size <= _SHORT:
        values = index.reshape(-1).tolist()
        return min(values), max(values)
    return np.minimum.reduce(index, None), np.maximum.reduce(index, None)


def within(index, size):
    """Whether all of ``index`` lies in ``range(size)``."""
    if not index.size:
        return True
    low, high = extremes(index)
    return low >= 0 and high < size


def not_negative(index):
    """Whether no index is negative; NumPy itself finds those that are too great."""
    if index.size <= _SHORT:
        return index.ndim == 1 and index.size > 0 and min(index.tolist()) >= 0
    return np.minimum.reduce(index, None) >= 0


def first_outside(index, size, low=0):
    """The first index that is not in ``range(low, size)``."""
    flat = index.reshape(-1)
    return int(flat[np.flatnonzero((flat < low) | (flat >= size))[0]])


def check_bounds(index, size, dim, error=RuntimeError, prefix=""):
    if not within(index, size):
        raise error(f"{prefix}index {first_outside(index, size)} is out of bounds for dimension {dim} with "
                    f"size {size}"
                    + (f"\nValid are 0 to {size - 1}." if size else ""))


def counted(index, size, dim, error=IndexError):
    """``index`` without negative numbers, which count from the end."""
    if not index.size:
        return index
    low, high = extremes(index)
    if low < -size or high >= size:
        raise error(f"index {first_outside(index, size, -size)} is out of bounds for dimension {dim} with "
                    f"size {size}"
                    f"\nValid are {-size} to {size - 1}.")
    return np.where(index < 0, index + size, index) if low < 0 else index


# ---------------------------------------------------------------- gather and scatter

def check_index(name, x, index, what="self"):
    """dtype and number of dimensions of a gather's or scatter's index."""
    if index.dtype not in _INDEX:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index\nConvert it with .long().")
    if (index.ndim or 1) != (x.ndim or 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {what} tensor"
                           f"\nThey have {index.ndim} and {x.ndim}.")


def check_gather(x, dim, index):
    axis = wrap_dim(dim, x.ndim)
    if not index.size:
        return axis
    check_index("gather", x, index, "input")
    for i, (n, m) in enumerate(zip(index.shape, x.shape)):
        if n > m and i != axis:
            raise RuntimeError(f"Size does not match at dimension {i} expected index {list(index.shape)} to "
                               "be no larger than self "
                               f"{list(x.shape)} apart from dimension {axis}")
    return axis


def check_scatter(x, dim, index, source=None):
    axis = wrap_dim(dim, x.ndim)
    if index.dtype is _i64 and (source is None or x.dtype is source.dtype
                                and index.shape == source.shape) and (
            index.shape == x.shape or index.ndim == x.ndim == 1):
        return axis
    if not index.size:
        return axis
    if index.dtype not in _INDEX:
        check_index("scatter", x, index)
    if source is not None and source.dtype != x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype\nThey are "
                           f"{BY_NUMPY[x.dtype].name} and {BY_NUMPY[source.dtype].name}.")
    check_index("scatter", x, index)
    shape = index.shape or (1,)
    own = x.shape or (1,)
    other = None if source is None else source.shape or (1,)
    if any(n > m for i, (n, m) in enumerate(zip(shape, own)) if i != axis) \
            or other is not None and len(other) >= len(shape) and any(n > m for n, m in zip(shape, other)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from "
            f"dimension {axis}"
            + ("" if source is None else f" and to be no larger size than src {list(source.shape)}"))
    if other is not None and len(other) > len(shape):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor\n"
                           f"They have {index.ndim} and {source.ndim}.")
    if other is not None and len(other) < len(shape):
        raise IndexError(f"Dimension out of range (expected to be in range of [{-len(other)}, "
                         f"{len(other) - 1}], but got "
                         f"{len(other)})\nindex and src have the same number of dimensions.")
    return axis


def positions(index, shape, axis):
    """The flat position in a C-contiguous array of ``shape`` of each element of ``index``, an index along
    ``axis``.
    """
    if len(shape) <= 1:
        return index
    step = 1
    made = None
    for d in range(len(shape) - 1, -1, -1):
        if d == axis:
            part = index if step == 1 else index * step
        else:
            part = np.arange(0, index.shape[d] * step, step).reshape((-1,) + (1,) * (len(shape) - 1 - d))
        made = part if made is None else made + part
        step *= shape[d]
    return made


def gather(x, dim, index):
    """``x`` at ``index`` along ``dim``; the other dimensions of ``index`` may be shorter than those of ``x``.
    """
    if x.ndim == 1 == index.ndim and index.dtype is _i64 and (dim == 0 or dim == -1) and not_negative(index):
        try:
            return x.take(index)
        except IndexError:
            pass                                 # out of bounds: said below
    axis = check_gather(x, dim, index)
    if not index.size:
        return np.empty(index.shape, x.dtype)
    check_bounds(index, x.shape[axis] if x.ndim else 1, axis)
    if x.ndim <= 1:
        return x.reshape(-1).take(index)
    return x.reshape(-1).take(positions(index, x.shape, axis))


def add_into(flat, at, values):
    """Add ``values`` to the flat array at flat positions, which may repeat."""
    if at.size <= _SHORT and flat.dtype.kind == "f" and flat.dtype.itemsize > 2:
        np.add.at(flat, at, values)
        return
    if BY_NUMPY[flat.dtype].low_precision:
        flat += scatter_add(values.astype(_f32), (at,), flat.shape).astype(flat.dtype)
    elif flat.dtype.kind == "f" and at.size > 8 * _SHORT and 4 * at.size >= flat.size:
        # bincount adds in float64, twice as fast as ufunc.at; worth a pass over the whole only for many
        # values.
        flat += np.bincount(at, values, flat.size).astype(flat.dtype, copy=False)
    else:
        np.add.at(flat, at, values)


def gather_back(g, dim, index, shape):
    """Zeros of ``shape`` with ``g`` added at ``index`` along ``dim``: the gradient of ``gather``."""
    g = np.asarray(g)
    made = np.zeros(shape, g.dtype)
    if index.size:
        axis = wrap_dim(dim, len(shape))
        at = positions(index, shape, axis).reshape(-1)
        add_into(made.reshape(-1), at, g.reshape(-1))
    return made


# ---------------------------------------------------------------- whole slices

def rows(index, axis, ndim):
    """A NumPy index for the slices of one axis at ``index``."""
    return (slice(None),) * axis + (index,) if axis else (index,)


def select(x, dim, index):
    """The slices of ``x`` at ``index`` (a vector or one number) along ``dim``."""
    if index.ndim == 1 and index.dtype is _i64 and -x.ndim <= dim < x.ndim and not_negative(index):
        try:
            return x.take(index, dim)
        except IndexError:
            pass                                 # out of bounds: said below
    axis = wrap_dim(dim, x.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector\nFlatten it first.")
    if index.dtype not in _INDEX:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index\nConvert it with "
                           ".long().")
    if x.ndim == 0:
        if index.size != 1:
            raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} "
                               "value(s)")
        if not within(index, 1):
            raise IndexError("index out of range in self\nA scalar has index 0.")
        return x.copy()
    if not within(index, x.shape[axis]):
        if axis == 1:                    # PyTorch copies along the second dimension in a way of its own
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={first_outside(index, x.shape[1])} axis_dim={x.shape[1]}"
                               f"\nValid are 0 to {x.shape[1] - 1}.")
        raise IndexError(f"index out of range in self\nIndex {first_outside(index, x.shape[axis])} along a "
                         "dimension of size "
                         f"{x.shape[axis]}.")
    if not index.size:
        return np.empty((*x.shape[:axis], 0, *x.shape[axis + 1:]), x.dtype)
    return x.take(index.reshape(1) if index.ndim == 0 else index, axis)


def select_back(g, dim, index, shape):
    """Zeros of ``shape`` with the slices of ``g`` added at ``index`` along ``dim``."""
    g = np.asarray(g)
    if not shape:
        return g.reshape(()).copy()
    made = np.zeros(shape, g.dtype)
    add_rows(made, wrap_dim(dim, len(shape)), index, g)
    return made


def add_rows(made, axis, index, source):
    """Add the slices of ``source`` to those of ``made`` at ``index`` along ``axis``, in place; indices may
    repeat.
    """
    if not source.size or not index.size:
        return
    if made.ndim == 1 and made.dtype.kind in "fiuc" and made.dtype.itemsize > 2:
        np.add.at(made, index.reshape(-1), source)
        return
    index = index.reshape(-1)
    lead = np.moveaxis(made, axis, 0)
    values = np.moveaxis(source, axis, 0)
    if BY_NUMPY[made.dtype].low_precision:
        lead += scatter_add(np.ascontiguousarray(values, _f32), (index,), lead.shape).astype(made.dtype)
    elif made.ndim == 1:
        np.add.at(made, index, source)
    elif index.size <= 8:
        for i, k in enumerate(index.tolist()):
            lead[k] += values[i]
    elif index.size * 4 >= lead.shape[0]:
        lead += scatter_add(np.ascontiguousarray(values), (index,), lead.shape)
    else:                                # few slices of many: leave the others alone
        unique, inverse = np.unique(index, return_inverse=True)
        lead[unique] += scatter_add(np.ascontiguousarray(values), (inverse,), (unique.size, *lead.shape[1:]))


# ---------------------------------------------------------------- flat positions

def check_flat(name, x, index):
    """PyTorch's errors for ``take``; returns the index without negative numbers."""
    if index.dtype != _i64:
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got "
                           f"{scalar_name(index.dtype)}\nConvert it with .long().")
    if not index.size:
        return index
    if not x.size:
        raise IndexError(f"{name}(): tried to {name} from an empty tensor" if name == "take" else
                         f"{name}(): tried to put elements into an empty tensor")
    low, high = extremes(index)
    if low < -x.size or high >= x.size:
        raise IndexError(f"out of range: tried to access index {first_outside(index, x.size, -x.size)} on a "
                         f"tensor of {x.size} "
                         "elements.")
    return np.where(index < 0, index + x.size, index) if low < 0 else index


def take(x, index):
    """Elements of ``x``, read as one row, at ``index``."""
    if index.dtype is _i64 and index.size and x.size:
        try:
            return x.take(index)
        except IndexError:
            pass                                 # out of bounds: said below
    index = check_flat("take", x, index)
    if not index.size:
        return np.empty(index.shape, x.dtype)
    return x.reshape(-1).take(index)


def take_back(g, index, shape):
    """Zeros of ``shape`` with ``g`` added at flat ``index``."""
    g = np.asarray(g)
    made = np.zeros(shape, g.dtype)
    if index.size:
        add_into(made.reshape(-1), np.where(index < 0, index + made.size, index).reshape(-1), g.reshape(-1))
    return made


# ---------------------------------------------------------------- half types

def wide(x):
    """An array in which to compute: half types in float32."""
    return x.astype(_f32) if BY_NUMPY[x.dtype].low_precision else x
