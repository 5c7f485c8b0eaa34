"""Writing along one dimension at index arrays; the reading side, and what both share, is in ``gather``.

Each makes the copy that it writes into, or writes into the array given as ``into``, once all is known to be
well.
"""
import numpy as np

from ..dtypes import BY_NUMPY
from .errors import refuse, scalar_name, wrap_dim
from .gather import (
    add_into,
    add_rows,
    check_bounds,
    check_flat,
    check_scatter,
    counted,
    first_outside,
    positions,
    rows,
    wide,
    within,
)
from .masked import convertible
from .memory import copy_dense, empty_like

__all__ = ["scatter", "scatter_into", "index_add", "index_copy", "index_fill", "scatter_reduce",
           "index_reduce", "put",
           "numpy_index", "check_put"]

_i64, _i32, _f32 = np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.float32)
_ndarray = np.ndarray


def copied(x):
    """A C-contiguous copy."""
    return np.array(x, order="C")


def _source(index, source):
    """The part of a source that an index of smaller size speaks of, in a row."""
    if source.shape != index.shape:
        if source.ndim == 0 or index.ndim == 0:
            source = source.reshape(-1)[:index.size]
        else:
            source = source[tuple(map(slice, index.shape))]
    return source.reshape(-1)


def _length(x, axis):
    return x.shape[axis] if x.ndim else 1


def scatter(x, dim, index, source, reduce=None, into=None):
    """A copy of ``x`` with ``source`` (array or number) written at ``index`` along ``dim``; ``reduce``: None,
    "add", "multiply".
    """
    given = isinstance(source, _ndarray)
    if given and source.ndim == 0 and index.ndim:
        given, source = False, source.astype(x.dtype)
    if reduce is not None and reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.\nOr use scatter_reduce.")
    axis = check_scatter(x, dim, index, source if given else None)
    if not given and not isinstance(source, (_ndarray, np.generic)):
        source = convertible(source, x.dtype)
    if index.size:
        check_bounds(index, _length(x, axis), axis)
    made = copied(x) if into is None else into
    if not index.size:
        return made
    at = positions(index, x.shape, axis).reshape(-1)
    values = _source(index, source) if given else source
    flat = made.reshape(-1)
    if reduce is None:
        flat[at] = values
    elif reduce == "add":
        add_into(flat, at, np.broadcast_to(values, at.shape))
    else:
        multiply_at(flat, at, values)
    return made


def multiply_at(flat, at, values):
    """Multiply the flat array by ``values`` at flat positions, which may repeat."""
    carried = wide(flat)
    np.multiply.at(carried, at, wide(np.asarray(values)))
    if carried is not flat:
        flat[...] = carried


def scatter_into(x, dim, index, source, into=None):
    """A copy of ``x`` with ``source`` added at ``index`` along ``dim``."""
    axis = check_scatter(x, dim, index, source)
    if index.size:
        check_bounds(index, _length(x, axis), axis)
    made = copied(x) if into is None else into
    if index.size:
        add_into(made.reshape(-1), positions(index, x.shape, axis).reshape(-1), _source(index, source))
    return made


# ---------------------------------------------------------------- whole slices

def _check_slices(name, x, axis, index, source):
    """PyTorch's errors for ``index_add`` and ``index_reduce``."""
    if index.dtype is _i64 and index.ndim == 1 and x.dtype is source.dtype and x.ndim == source.ndim > 0:
        own, other = x.shape, source.shape
        if other[axis] == index.size and own[:axis] == other[:axis] and own[axis + 1:] == other[axis + 1:]:
            return
    if index.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
                         f"{scalar_name(index.dtype)} and size: {list(index.shape)}")
    if index.dtype not in (_i64, _i32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: "
                           f"{scalar_name(index.dtype)}"
                           "\nConvert it with .long().")
    if x.dtype != source.dtype:
        raise RuntimeError(f"{name}(): self ({scalar_name(x.dtype)}) and source "
                           f"({scalar_name(source.dtype)}) must have the same "
                           "scalar type\nConvert the source.")
    if axis and axis >= source.ndim:
        raise RuntimeError(f"{name}(): Indexing dim {axis} is out of bounds of the source tensor with dim "
                           f"{source.ndim}")
    if index.size != _length(source, axis):
        raise RuntimeError(f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim): "
                           f"({_length(source, axis)}), for dim: {axis}")
    own, other = list(x.shape), list(source.shape)
    if own and other:
        del own[axis], other[axis]
    if own != other:
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified "
                           "dimension. Got self.shape = "
                           f"{list(x.shape)} source.shape = {list(source.shape)}")


def _scaled(source, alpha):
    if alpha.__class__ is int and alpha == 1:
        return source
    kind = source.dtype.kind
    if kind == "b":
        return source & bool(alpha)
    if kind in "iu":
        return source * np.asarray(int(alpha)).astype(source.dtype)
    return (wide(source) * alpha).astype(source.dtype, copy=False)


def index_add(x, dim, index, source, alpha=1, into=None):
    """``x`` with the slices of ``alpha * source`` added."""
    axis = wrap_dim(dim, x.ndim)
    _check_slices("index_add_", x, axis, index, source)
    check_bounds(index, _length(x, axis), axis)
    made = copied(x) if into is None else into
    source = _scaled(source, alpha)
    if made.ndim == 0:
        made[...] = made + source
        return made
    add_rows(made, axis, index, source if source.ndim else source.reshape(1))
    return made


def index_copy(x, dim, index, source, into=None):
    """``x`` with the slices of ``source`` written."""
    axis = wrap_dim(dim, x.ndim)
    name = "index_copy_(): "
    if index.ndim > 1:
        raise IndexError(f"{name}Index should have dimension 1 or 0 (got {index.ndim})")
    if source.ndim == 0 and index.size != 1:
        raise IndexError(f"{name}When source is scalar, index should have one element (got {index.size})")
    if source.ndim != x.ndim and source.ndim and x.ndim:
        raise IndexError(f"{name}When source and destination are not scalars, their dimensionality must "
                         "match. Source "
                         f"dimensionality ({source.ndim}), destination dimensionality ({x.ndim})")
    if index.dtype != _i64:
        raise RuntimeError(f"{name}Expected a long tensor for index, but got "
                           f"{scalar_name(index.dtype)}\nConvert it with .long().")
    if x.dtype != source.dtype:
        raise RuntimeError(f"{name}self and source expected to have the same dtype, but got (self) "
                           f"{scalar_name(x.dtype)} and "
                           f"(source) {scalar_name(source.dtype)}")
    own, other = list(x.shape), list(source.shape)
    if own:
        del own[axis]
    if other:
        del other[axis]
    if own != other:
        text = [" ".join(map(str, s)) if s else "" for s in (own, other)]
        raise RuntimeError(f"{name}Source/destination tensor must have same slice shapes. Destination slice "
                           f"shape: {text[0]} at "
                           f"dimension {axis} and source slice shape: {text[1]} at dimension 0.")
    if source.ndim and index.size != _length(source, axis):
        raise IndexError(f"{name}Number of indices ({index.size}) should be equal to source.size(dim) "
                         f"({_length(source, axis)})")
    check_bounds(index, _length(x, axis), axis, IndexError, name)
    made = copied(x) if into is None else into
    if made.ndim == 0:
        made[...] = source.reshape(())
    elif index.size:
        made[rows(index.reshape(-1), axis, made.ndim)] = source if source.ndim else source.reshape(1)
    return made


def index_fill(x, dim, index, value):
    """``x`` with whole slices filled with a number."""
    axis = wrap_dim(dim, x.ndim)
    if index.dtype != _i64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.\nConvert it with .long().")
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar\nFlatten it first.")
    if isinstance(value, _ndarray) and value.ndim:
        raise RuntimeError("index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{value.ndim} dimension(s)."
                           "\nUse index_copy.")
    if x.dtype.kind != "c" and (isinstance(value, complex) or isinstance(value, _ndarray)
                                and value.dtype.kind == "c"):
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not "
                           "supported\nThe tensor is real.")
    index = counted(index, _length(x, axis), axis)
    made = copy_dense(np.asarray(x))
    if not isinstance(value, (_ndarray, np.generic)):
        value = convertible(value, x.dtype)
    if made.ndim == 0:
        if index.size:
            made[...] = value
    elif index.size:
        made[rows(index.reshape(-1), axis, made.ndim)] = value
    return made


# ---------------------------------------------------------------- reductions

def _identity(reduce, dtype):
    """What changes nothing when it is combined."""
    if reduce in ("sum", "mean"):
        return 0
    if reduce == "prod":
        return 1
    low = reduce == "amax"
    if dtype.kind == "f":
        return -np.inf if low else np.inf
    if dtype.kind == "b":
        return not low
    info = np.iinfo(dtype)
    return info.min if low else info.max


_UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def _reduce_flat(x, at, values, reduce, include_self):
    """A copy of ``x`` with ``values`` combined at flat positions ``at``."""
    made = copied(wide(x))
    flat = made.reshape(-1)
    if not include_self:
        flat[at] = _identity(reduce, made.dtype)
    _UFUNCS[reduce].at(flat, at, wide(values))
    if reduce == "mean":
        count = np.full(flat.shape, int(bool(include_self)), _i64) + np.bincount(at, minlength=flat.size)
        count[count == 0] = 1
        if made.dtype.kind in "iu":
            flat[...] = np.floor_divide(flat, count)
        else:
            flat /= count.astype(made.real.dtype)
    return made if made.dtype == x.dtype else made.astype(x.dtype)


def scatter_reduce(x, dim, index, source, reduce, include_self=True):
    """``scatter`` that combines."""
    if reduce not in _UFUNCS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}\nUse "
                           "one of these.")
    axis = check_scatter(x, dim, index, source)
    if x.dtype.kind == "c" and reduce in ("amax", "amin") or x.dtype.kind == "b" and reduce == "mean":
        raise refuse("scatter_gather_tensor_cpu_reduce_" + reduce, x.dtype)
    if not index.size:
        return copied(x)
    check_bounds(index, _length(x, axis), axis)
    return _reduce_flat(x, positions(index, x.shape, axis).reshape(-1), _source(index, source), reduce,
                        include_self)


def index_reduce(x, dim, index, source, reduce, include_self=True):
    """``index_add`` that combines in other ways."""
    axis = wrap_dim(dim, x.ndim)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
                           f"{reduce}.")
    _check_slices("index_reduce_", x, axis, index, source)
    if x.dtype.kind == "c" and reduce in ("amax", "amin"):
        raise refuse("maximum_cpu" if reduce == "amax" else "minimum_cpu", x.dtype)
    if x.dtype.kind == "b" and reduce == "mean":
        raise refuse("div_floor_cpu", x.dtype)
    size = _length(x, axis)
    if not within(index, size):
        raise IndexError(f"index out of range in self\nIndex {first_outside(index, size)} along a dimension "
                         f"of size {size}.")
    if not source.size or not index.size:
        return copied(x)
    spread = index.reshape((-1,) + (1,) * (max(x.ndim, 1) - 1 - axis))
    spread = np.broadcast_to(spread, source.shape or (1,))
    return _reduce_flat(x, positions(spread, x.shape, axis).reshape(-1), source.reshape(-1), reduce,
                        include_self)


# ---------------------------------------------------------------- flat positions and brackets

def put(x, index, source, accumulate):
    """``x``, read as one row, with ``source`` written at flat positions."""
    name = "put_(): "
    if index.dtype != _i64:
        raise RuntimeError(f"{name}Expected a long tensor for index, but got "
                           f"{scalar_name(index.dtype)}\nConvert it with .long().")
    if x.dtype != source.dtype:
        raise RuntimeError(f"{name}self and source expected to have the same dtype, but got self.dtype = "
                           f"{scalar_name(x.dtype)} and "
                           f"source.dtype = {scalar_name(source.dtype)}")
    if index.size != source.size:
        raise IndexError(f"{name}Expected source and index to have the same number of elements, but got "
                         "source.numel() = "
                         f"{source.size}, index.numel() = {index.size}")
    if index.size and not x.size:
        raise IndexError(f"{name}tried to put elements into an empty tensor")
    index = check_flat("put", x, index)
    made = copied(x)
    if index.size:
        if accumulate:
            add_into(made.reshape(-1), index.reshape(-1), source.reshape(-1))
        else:
            made.reshape(-1)[index.reshape(-1)] = source.reshape(-1)
    if not x.flags.c_contiguous:                 # the result keeps the order of dimensions in memory
        kept = empty_like(x)
        kept[...] = made
        return kept
    return made


def numpy_index(x, indices):
    """A NumPy index from PyTorch's index arrays."""
    taken = sum(1 if i.dtype.kind != "b" and i.dtype != np.uint8 else i.ndim for i in indices)
    if taken > x.ndim:
        raise IndexError(f"too many indices for tensor of dimension {x.ndim} (got {taken})")
    made = []
    for i in indices:
        if i.dtype == np.uint8:
            made.append(i.astype(bool))
        elif i.dtype.kind == "b" or i.dtype in (_i64, _i32):
            made.append(i)
        else:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors"
                             f"\nThis one is {BY_NUMPY[i.dtype].name}: convert it with .long().")
    at = 0
    for i in made:
        if i.dtype.kind == "b":
            for j, n in enumerate(i.shape):
                if n != x.shape[at + j]:
                    raise IndexError(f"The shape of the mask {list(i.shape)} at index {j} does not match the "
                                     "shape of the indexed "
                                     f"tensor {list(x.shape)} at index {at + j}")
            at += i.ndim
        else:
            counted(i, x.shape[at], at)
            at += 1
    shapes = [(np.count_nonzero(i),) if i.dtype.kind == "b" else i.shape for i in made]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                         + ", ".join(str(list(s)) for s in shapes)) from None
    return tuple(made)


def check_put(x, index, given):
    """Whether values of shape ``given`` fit where ``index`` points."""
    shape = x[index].shape
    if len(given) > len(shape) or any(n not in (1, m) for n, m in zip(given[::-1], shape[::-1])):
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to "
                           "indexing result of shape "
                           f"{list(shape)}")
