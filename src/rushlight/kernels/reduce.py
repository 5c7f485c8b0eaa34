"""Reductions of arrays: sums, products, extremes, logic, and the reading of ``dim`` that all of them share.

NumPy adds pairwise along the innermost axis and plainly along outer ones; PyTorch cascades along all. ``add``
cuts a long outer axis into blocks, so that the error of a float32 sum grows with the logarithm of its length
here too. Half types are added and multiplied in float32 and rounded once; integers and bools in int64.

Results are contiguous, as PyTorch's; NumPy's keep the order in memory of the dimensions that are left, which
shows from three dimensions on.

Messages that name the operator take its name as an argument, for one kernel serves several.
"""
import operator

import numpy as np

from ..dtypes import BY_NUMPY
from .errors import not_a_dim
from .memory import contiguous

__all__ = ["one_axis", "axes_of", "kept_shape", "lost_count", "need_nonempty", "refuse_dtype", "wide",
           "narrow", "add", "add_all", "multiply", "extreme", "extreme_with_index", "index_of_extreme",
           "take_along", "put_along", "logical"]

_f32, _f64, _i64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)
_add, _multiply = np.add.reduce, np.multiply.reduce
_BLOCK = 128


# ---------------------------------------------------------------- dims

def one_axis(dim, ndim):
    """A dimension counted from the front; a 0-d array has one to speak of."""
    span = ndim or 1
    try:
        inside = -span <= dim < span
    except TypeError:
        raise not_a_dim(dim) from None
    if not inside:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got "
                         f"{dim})"
                         f"\nThe tensor has {ndim} dimension{'' if ndim == 1 else 's'}.")
    return operator.index(dim) % span


def axes_of(dim, ndim):
    """``dim`` (an int, several, or None and empty for all) as a tuple of axes for NumPy."""
    if dim.__class__ is int:
        if 0 <= dim < ndim:
            return (dim,)
        axis = one_axis(dim, ndim)
        return (axis,) if ndim else ()
    if dim is None:
        return tuple(range(ndim))
    if not isinstance(dim, (list, tuple)):
        axis = one_axis(operator.index(dim), ndim)
        return (axis,) if ndim else ()
    if len(dim) == 0:
        return tuple(range(ndim))
    axes = [one_axis(operator.index(d), ndim) for d in dim]
    if len(axes) > 1:
        for i, a in enumerate(axes):
            if a in axes[:i]:
                raise RuntimeError(f"dim {a} appears multiple times in the list of dims\nName each dimension "
                                   "once.")
    return tuple(axes) if ndim else ()


def kept_shape(shape, dim):
    """The shape of a reduction that keeps its dimensions with length 1."""
    axes = axes_of(dim, len(shape))
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def lost_count(shape, dim):
    """How many elements each result of a reduction is made of."""
    count = 1
    for axis in axes_of(dim, len(shape)):
        count *= shape[axis]
    return count


def need_nonempty(name, x, dim):
    """Extremes of nothing do not exist."""
    if x.size:
        return
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                           "Specify the reduction dim "
                           "with the 'dim' argument.\nThe tensor is empty.")
    for axis in axes_of(dim, x.ndim):
        if x.shape[axis] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size."
                             f"\nThe tensor has shape {list(x.shape)}.")


def refuse_dtype(what, x, kinds="c"):
    """NotImplementedError with PyTorch's kernel name for a dtype it has no kernel for."""
    given = BY_NUMPY[x.dtype]
    if x.dtype.kind in kinds or given.barebones:
        raise NotImplementedError(f'"{what}" not implemented for \'{given.scalar_name}\'\nConvert the tensor '
                                  'first.')


# ---------------------------------------------------------------- precision

def wide(x):
    """Half types as float32; others as they are."""
    d = x.dtype
    if d is _f32 or d is _f64:
        return x
    return x.astype(_f32) if BY_NUMPY[x.dtype].low_precision else x


def narrow(result, dtype):
    """A result in the dtype of the operator's input."""
    return result if result.dtype is dtype or result.dtype == dtype else result.astype(dtype)


# ---------------------------------------------------------------- sums and products

def add_all(x):
    """The sum of all elements in the dtype that PyTorch gives it."""
    d = x.dtype
    if d is _f32 or d is _f64:
        if x.size > 65536:
            return _add_long(x, tuple(range(x.ndim)), False)
        return _add(x, None)
    return add(x, None, False, None)


def add(x, dim, keepdim, dtype):
    """The sum over ``dim``; ``dtype`` is a NumPy dtype that the elements are cast to first, or None."""
    if dtype is None and x.size <= 1024 and (x.dtype is _f32 or x.dtype is _f64):
        made = _add(x, axes_of(dim, x.ndim), None, None, keepdim)
        return made if x.ndim < 3 else contiguous(made)
    axes = axes_of(dim, x.ndim)
    if dtype is None:
        dtype = x.dtype if x.dtype.kind in "fcV" else _i64
    elif dtype.kind == "b":
        return contiguous(np.logical_or.reduce(x, axis=axes, keepdims=keepdim))
    if dtype.kind in "fV" and dtype.itemsize == 2:
        return contiguous(np.asarray(_add_long(x.astype(_f32), axes, keepdim)).astype(dtype))
    if x.dtype != dtype:
        x = x.astype(dtype)
    return contiguous(_add_long(x, axes, keepdim) if dtype.kind in "fc" else
                      _add(x, axes, dtype, None, keepdim))


def _add_long(x, axes, keepdim):
    """A floating sum whose error stays small along outer axes as well."""
    if x.size <= 1024 or not axes:
        return _add(x, axes, None, None, keepdim)
    if len(axes) == x.ndim and x.flags.c_contiguous:
        flat = x.reshape(-1)
        whole = _add(flat)
        return np.full((1,) * x.ndim, whole, x.dtype) if keepdim else whole
    for axis in axes:
        n = x.shape[axis]
        if n >= 4 * _BLOCK and x.strides[axis] != x.itemsize:
            x = _cascade(x, axis)
    return _add(x, axes, None, None, keepdim)


def _cascade(x, axis):
    """Sums of blocks along one axis, again and again, until few are left."""
    while x.shape[axis] >= 2 * _BLOCK:
        n = x.shape[axis]
        cut = n - n % _BLOCK
        lead = (slice(None),) * axis
        shape = (*x.shape[:axis], cut // _BLOCK, _BLOCK, *x.shape[axis + 1:])
        blocks = x[(*lead, slice(0, cut))].reshape(shape)
        sums = _add(blocks, axis + 1)
        if cut < n:
            sums = np.concatenate((sums, _add(x[(*lead, slice(cut, n))], axis, None, None, True)), axis)
        x = sums
    return x


def multiply(x, dim, keepdim, dtype):
    """The product over one dimension, or over all."""
    axes = axes_of(dim, x.ndim)
    if dtype is None:
        dtype = x.dtype if x.dtype.kind in "fcV" else _i64
    elif dtype.kind == "b":
        return contiguous(np.logical_and.reduce(x, axis=axes, keepdims=keepdim))
    if dtype.kind in "fV" and dtype.itemsize == 2:
        return contiguous(np.asarray(_multiply(x.astype(_f32), axes, None, None, keepdim)).astype(dtype))
    if x.dtype != dtype:
        x = x.astype(dtype)
    return contiguous(_multiply(x, axes, dtype, None, keepdim))


# ---------------------------------------------------------------- extremes

def extreme(ufunc, x, dim, keepdim):
    """The greatest or least over ``dim``; NaN wins."""
    if x.dtype.kind == "V":
        made = ufunc.reduce(x.astype(_f32), axis=axes_of(dim, x.ndim), keepdims=keepdim)
        return contiguous(np.asarray(made).astype(x.dtype))
    made = ufunc.reduce(x, axes_of(dim, x.ndim), None, None, keepdim)
    return made if x.ndim < 3 else contiguous(made)


def index_of_extreme(find, x, dim, keepdim):
    """Where the extreme stands: the first of equals, NaN before all else. ``find`` is ndarray.argmax or
    ndarray.argmin.
    """
    if x.dtype.kind == "V":
        x = x.astype(_f32)
    if dim is None:
        found = find(x)
        return np.full((1,) * x.ndim, found) if keepdim else found
    if x.ndim == 0:
        return np.zeros((), _i64)
    return find(x, one_axis(dim, x.ndim), keepdims=keepdim) if keepdim else find(x, one_axis(dim, x.ndim))


def extreme_with_index(find, ufunc, x, dim, keepdim):
    """(values, indices) along one dimension."""
    if x.ndim == 0:
        return x.copy(), np.zeros((), _i64)
    return extreme(ufunc, x, dim, keepdim), index_of_extreme(find, x, dim, keepdim)


def _places(index, axis):
    """A tuple that indexes, along ``axis``, by ``index`` and goes through the other axes in step."""
    n = index.ndim
    if n == 1:
        return index
    made = []
    for i, m in enumerate(index.shape):
        made.append(index if i == axis else np.arange(m).reshape((1,) * i + (m,) + (1,) * (n - i - 1)))
    return tuple(made)


def take_along(x, index, axis):
    """``np.take_along_axis`` for equal other axes, with less overhead."""
    if x.shape[:axis] != index.shape[:axis] or x.shape[axis + 1:] != index.shape[axis + 1:]:
        return np.take_along_axis(x, index, axis)
    return x[_places(index, axis)]


def put_along(g, index, shape, dim, keepdim):
    """Zeros of ``shape`` with ``g`` at ``index`` along ``dim``; the indices of one line differ."""
    g = np.asarray(g)
    if not shape:
        return g.reshape(()).copy()
    axis = dim % len(shape)
    made = np.zeros(shape, g.dtype)
    if not keepdim:
        kept = (*shape[:axis], 1, *shape[axis + 1:])
        g, index = g.reshape(kept), index.reshape(kept)
    made[_places(index, axis)] = g
    return made


def logical(ufunc, x, dim, keepdim):
    """all/any; uint8 answers in uint8, an empty list of dims means none (each element for itself)."""
    if isinstance(dim, (list, tuple)) and not dim:
        result = x != 0
    else:
        result = contiguous(ufunc.reduce(x, axes_of(dim, x.ndim), np.bool_, None, keepdim))
    return np.asarray(result).astype(np.uint8) if x.dtype == np.uint8 else result
