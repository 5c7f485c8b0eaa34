"""Indexing with brackets.

An index is read in two steps, as PyTorch reads it. The *basic* part (integers, slices, None, ...) makes a view; the *advanced*
part (tensors, lists, masks, Python bools) then picks elements of that view into a new tensor. NumPy would mix the two: an
integer beside an index array counts as an array there, and as a step of its own here.
"""
import warnings

import numpy as np

from ..autograd import modes
from ..kernels.index import scatter_add
from ..kernels.memory import dense_strides
from ..tensor import Tensor, user_place
from . import call
from .declare import Array, Operand, both, op
from .scalars import number_for

__all__ = ["split_index"]

_FULL = slice(None)


# ---------------------------------------------------------------- reading an index

def _as_array(i):
    """An index sequence or tensor as an integer or bool array; IndexError for other dtypes."""
    if isinstance(i, Tensor):
        array = i._a
    elif isinstance(i, np.ndarray):
        array = i
    else:
        array = np.array([_as_array(x) if isinstance(x, (list, tuple, Tensor)) else x for x in i]) if len(i) else \
            np.zeros(0, np.int64)
    if array.dtype == np.uint8:
        warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead. ", UserWarning,
                      stacklevel=5)
        return array.astype(bool)
    if array.dtype != bool and array.dtype not in (np.int64, np.int32):
        if isinstance(i, np.ndarray) and array.dtype.kind in "iu":
            return array.astype(np.int64)
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors"
                         f"\nThis one is {array.dtype.name}: convert it with .long().")
    return array


def _is_sequence_tuple(index):
    """PyTorch's old rule: a short list that holds sequences, slices or tensors is read as a tuple."""
    return len(index) < 32 and any(isinstance(x, (list, tuple, slice, Tensor, np.ndarray)) or x is None or x is Ellipsis
                                   for x in index)


def _as_tuple(index):
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and _is_sequence_tuple(index):
        warnings.warn("Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; "
                      "use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
                      "x[torch.tensor(seq)], which will result either in an error or a different result", UserWarning, stacklevel=4)
        return tuple(index)
    return (index,)


def _consumes(item):
    """How many dimensions an index item takes."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, (Tensor, np.ndarray)):
        array = item._a if isinstance(item, Tensor) else item
        return array.ndim if array.dtype in (bool, np.uint8) else 1
    return 1


def _bound(s):
    """A bound or step of a slice, as a whole number or None."""
    if s is None or isinstance(s, int):
        return s
    if isinstance(s, Tensor) and (s._a.size != 1 or s._a.dtype.kind not in "iub"):
        raise TypeError("only integer tensors of a single element can be converted to an index\nConvert a number with int(...).")
    if not hasattr(s, "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method\n"
                        f"This one is {s!r}: convert it with int(...).")
    return s.__index__()


def split_index(shape, index):
    """(basic, advanced, kind) of an index of an array of ``shape``.

    ``basic``: a NumPy index that gives a view (None if nothing changes). ``advanced``: a tuple of arrays and full slices for that
    view, or None. ``kind``: the last basic step, "select", "slice", "unsqueeze" or "alias".
    """
    items = _as_tuple(index)
    taken = sum(_consumes(i) for i in items)
    ndim = len(shape)
    if taken > ndim:
        if ndim == 0 and len(items) == 1 and isinstance(items[0], slice):
            raise IndexError("slice() cannot be applied to a 0-dim tensor.\nIt has one element: .item() reads it.")
        if ndim == 0 and len(items) == 1 and not isinstance(items[0], (Tensor, np.ndarray, list, tuple, range)):
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                             "convert a 0-dim tensor to a number")
        raise IndexError(f"too many indices for tensor of dimension {ndim}\nThe index takes {taken} dimensions.")
    basic, advanced, kind, dim = [], [], "alias", 0
    seen_ellipsis, at, mismatched = False, 0, None         # at: the dimension of the view
    for place, item in enumerate(items):
        if item is Ellipsis:
            skip = ndim - taken if not seen_ellipsis else 0
            seen_ellipsis = True
            basic += [_FULL] * skip
            advanced += [_FULL] * skip
            dim += skip
            at += skip
        elif item is None:
            basic.append(None)
            advanced.append(_FULL)
            kind = "unsqueeze"
            at += 1
        elif isinstance(item, bool):
            basic.append(None)
            advanced.append(np.array([item]))
            at += 1
        elif isinstance(item, slice):
            step = _bound(item.step)
            if step is not None and step <= 0:
                raise ValueError("slice step cannot be zero" if step == 0 else "step must be greater than zero"
                                 "\nUse torch.flip to reverse a dimension.")
            s = slice(_bound(item.start), _bound(item.stop), step)
            basic.append(s)
            advanced.append(_FULL)
            kind = "slice"
            dim += 1
            at += 1
        elif isinstance(item, (Tensor, np.ndarray, list, tuple, range)):
            array = item._a if isinstance(item, Tensor) else item
            if isinstance(array, np.ndarray) and array.ndim == 0:
                if array.dtype in (bool, np.uint8):
                    basic.append(None)
                    advanced.append(array.astype(bool).reshape(1))
                    at += 1
                    continue
                if array.dtype.kind in "iu":
                    basic.append(_integer(int(array), place, shape[dim]))
                    kind = "select"
                    dim += 1
                    continue
            array = _as_array(item)
            if array.dtype == bool:
                n = array.ndim
                if array.shape != tuple(shape[dim:dim + n]):
                    mismatched = mismatched or (array.shape, at)
                basic += [_FULL] * n
                advanced.append(array)
                dim += n
                at += n
            else:
                basic.append(_FULL)
                advanced.append(array)
                dim += 1
                at += 1
        elif hasattr(item, "__index__") and not isinstance(item, np.bool_):
            basic.append(_integer(item.__index__(), place, shape[dim]))
            kind = "select"
            dim += 1
        elif isinstance(item, str):
            raise TypeError(f"new(): invalid data type 'str'\nAn index is made of integers, slices, tensors, None and '...', not {item!r}.")
        else:
            raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
                             f"{modes.named_type(item)})")
    if mismatched:
        raise _no_mask(shape, basic, *mismatched)
    chosen = None
    if any(isinstance(a, np.ndarray) for a in advanced):
        chosen = tuple(advanced)
    trivial = all(isinstance(b, slice) and b == _FULL for b in basic)
    return (None if trivial and chosen is not None else (*basic, Ellipsis)), chosen, kind


def _no_mask(shape, basic, mask, at):
    """The IndexError of a mask that stands at dimension ``at`` of the view by a basic index, and is of another shape."""
    view = np.broadcast_to(np.empty(()), shape)[(*basic, ...)].shape
    bad = next(k for k, n in enumerate(mask) if n != view[at + k])
    return IndexError(f"The shape of the mask {list(mask)} at index {bad} does not match the shape of the indexed tensor {list(view)} "
                      f"at index {at + bad}")


def _integer(i, place, n):
    """The integer at a place of the index, for a dimension of ``n``: PyTorch's text counts the places."""
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for dimension {place} with size {n}"
                         f"\nValid are {-n} to {n - 1}." if n else f"index {i} is out of bounds for dimension {place} with size 0")
    return i


# ---------------------------------------------------------------- operators


def _basic(name, grad_name):
    """One of the view operators of basic indexing: alike but for the name of their node."""
    def kernel(input: Array, index):
        return input[index]
    kernel.__name__ = name
    declared = op(view=True, function=False, grad_name=grad_name)(kernel)
    declared.derivative(input=lambda g, index, input_shape: both.index_place(g, index, input_shape))
    return declared


_BASIC = {kind: _basic("basic_" + kind, grad) for kind, grad in (
    ("select", "SelectBackward0"), ("slice", "SliceBackward0"), ("unsqueeze", "UnsqueezeBackward0"), ("alias", "AliasBackward0"))}
_SELECT, _SLICE = _BASIC["select"].public, _BASIC["slice"].public


@op(function=False)
def index_place(g: Array, index, shape):
    """Zeros of ``shape`` with ``g`` at a basic index: the gradient of a view by index."""
    made = np.zeros(shape, g.dtype)
    made[index] = g
    return made


index_place.derivative(g=lambda g, index: g[index])


@op(function=False)
def index(input: Array, indices):
    """Elements of ``input`` at ``indices``, a NumPy index of arrays and full slices."""
    try:
        made = input[indices]
    except IndexError as error:
        raise IndexError(_translated(str(error), indices, input.shape)) from None
    if input.flags.c_contiguous:
        return made if made.flags.c_contiguous else np.ascontiguousarray(made)
    strides = dense_strides(made.shape, _kept_strides(input.strides, indices, made.ndim), made.itemsize)
    laid = np.ndarray(made.shape, made.dtype, np.empty(max(made.size, 1), made.dtype), 0, strides)
    laid[...] = made
    return laid


def _kept_strides(strides, indices, ndim):
    """For each dimension of a result the stride of the input's that it goes along, 0 for those of the indices: PyTorch lays
    results out in the order of these.
    """
    kept, first, split, at = [], None, False, 0
    for i in indices:
        if isinstance(i, slice):
            kept.append(strides[at])
            at += 1
            continue
        if first is None:
            first, last = len(kept), len(kept)
        split |= len(kept) != last                  # the indices' dimensions then come first
        at += i.ndim if i.dtype == bool else 1
    kept += strides[at:]
    where = 0 if split or first is None else first
    return kept[:where] + [0] * (ndim - len(kept)) + kept[where:]


index.derivative(input=lambda g, indices, input_shape: both.index_add_zeros(g, indices, input_shape))


@op(function=False)
def index_add_zeros(g: Array, indices, shape):
    """Zeros of ``shape`` with ``g`` added at ``indices``: the gradient of ``index``."""
    return scatter_add(np.asarray(g), indices, shape)


index_add_zeros.derivative(g=lambda g, indices: both.index(g, indices))


@op(function=False, grad_name="IndexPutBackward0", inplace=True, out=False)
def index_put(input: Array, indices, values: Operand, accumulate=False):
    """``input`` with ``values`` written (or added, with ``accumulate``) at ``indices``."""
    made = input.copy()
    if accumulate:
        made += scatter_add(np.broadcast_to(values, made[indices].shape), indices, made.shape).astype(made.dtype, copy=False)
    else:
        made[indices] = values
    return made


index_put.derivative(
    input=lambda g, indices, accumulate: g if accumulate else both.index_put(g, indices, 0),
    values=lambda g, indices: both.index(g, indices))


def _translated(text, indices, shape):
    """PyTorch's text for NumPy's: it counts the dimensions that are indexed, and no others."""
    if "shape mismatch" in text:
        shapes = ", ".join(str(list(i.nonzero()[0].shape if i.dtype == bool else i.shape)) for i in indices if isinstance(i, np.ndarray))
        return f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
    indexed, at = [], 0
    for i in indices:
        n = i.ndim if isinstance(i, np.ndarray) and i.dtype == bool else 1
        if isinstance(i, np.ndarray):
            indexed += range(at, at + n)
        at += n
    if any(shape[d] == 0 for d in indexed):
        return "index is out of bounds for dimension with size 0"
    before, found, after = text.partition("axis ")
    axis, *rest = after.split(" ", 1)
    return f"{before}dimension {indexed.index(int(axis))} {' '.join(rest)}" if found and int(axis) in indexed else text


def getitem(self, index):
    """``self[index]``: a view for a basic index, a new tensor for an advanced one."""
    kind = index.__class__
    if not modes.plain:
        taken, result = call.try_override(getitem, (self, index), (self, index), {})
        if taken:
            return result
    elif kind is int:
        a = self._a
        if a.ndim > 1:
            n = len(a)
            if -n <= index < n:
                return _SELECT(self, index)
        elif a.ndim == 1 and -a.size <= index < a.size:
            return _SELECT(self, (index, ...))
    elif kind is slice and (index.step is None or index.step.__class__ is int and index.step > 0) and self._a.ndim:
        if (index.start is None or index.start.__class__ is int) and (index.stop is None or index.stop.__class__ is int):
            return _SLICE(self, index)
    basic, advanced, kind = split_index(self._a.shape, index)
    if basic is not None:
        self = _BASIC[kind].public(self, basic)
        if advanced is None:
            return self
    return _index(self, advanced)


_index = index.public


def setitem(self, index, value):
    """``self[index] = value``, with history if ``value`` or ``self`` has one."""
    if not modes.plain:
        taken, _ = call.try_override(setitem, (self, index, value), (self, index, value), {})
        if taken:
            return
    if not isinstance(value, (Tensor, *call.NUMBER)):
        raise TypeError(f"can't assign a {type(value).__name__ if not isinstance(value, np.ndarray) else 'numpy.ndarray'} to a "
                        f"{self.type()}\nWrap it with torch.as_tensor.")
    basic, advanced, _ = split_index(self._a.shape, index)
    recorded = modes.state.grad and (self._rg or isinstance(value, Tensor) and value._rg)
    if recorded or self.is_inference():
        _set_recorded(self, basic, advanced, value)
        return
    array = self._a
    call.check_overlap(array)
    part = array if basic is None else array[basic]
    if isinstance(value, Tensor):
        source = value._a
        if advanced is not None and source.dtype != array.dtype and not _fills(advanced, source):
            raise RuntimeError("Index put requires the source and destination dtypes match, got "
                               f"{self.dtype.scalar_name} for the destination and {value.dtype.scalar_name} for the source."
                               f"\nConvert the source with .to({self.dtype}).")
    else:
        source = np.asarray(number_for(value, array.dtype, part.size == 1), array.dtype)
    if isinstance(value, Tensor):
        if advanced is None:
            call.check_partial_overlap(part, (value,))
        if np.shares_memory(source, array, 1) if source.size and source.ndim else False:
            source = source.copy()
    _write(part, advanced, source)
    self._bump(("__setitem__", user_place()))


def _fills(advanced, source):
    """Whether PyTorch would fill by a mask, which casts: one number, and one mask as the only index."""
    picks = [i for i in advanced if isinstance(i, np.ndarray)]
    return source.size == 1 and len(picks) == 1 and picks[0].dtype == bool


def _write(part, advanced, source):
    if advanced is None:
        source = _stripped(source, part.shape)
        _check_expandable(source.shape, part.shape)
        token = call.hush()
        try:
            np.copyto(part, source, casting="unsafe")
        finally:
            call.unhush(token)
        return
    shape = _result_shape(part, advanced)
    source = _stripped(source, shape)
    try:
        np.broadcast_shapes(source.shape, shape)
        fits = len(source.shape) <= len(shape) and all(n in (1, m) for n, m in zip(source.shape[::-1], shape[::-1]))
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(source.shape)} cannot be broadcast to indexing result of "
                           f"shape {list(shape)}")
    token = call.hush()
    try:
        part[advanced] = source
    finally:
        call.unhush(token)


def _result_shape(part, advanced):
    try:
        return part[advanced].shape
    except IndexError as error:
        raise IndexError(_translated(str(error), advanced, part.shape)) from None


def _stripped(source, shape):
    """Leading dimensions of size 1 that the target does not have are dropped, as PyTorch does."""
    while source.ndim > len(shape) and source.shape[0] == 1:
        source = source[0, ...]
    return source


def _check_expandable(given, shape):
    if len(given) > len(shape):
        raise RuntimeError(f"expand({list(given)}, size={list(shape)}): the number of sizes provided ({len(shape)}) must be greater or "
                           f"equal to the number of dimensions in the tensor ({len(given)})")
    lead = len(shape) - len(given)
    for i in range(len(given) - 1, -1, -1):
        n = given[i]
        if n not in (1, shape[lead + i]):
            raise RuntimeError(f"The expanded size of the tensor ({shape[lead + i]}) must match the existing size ({n}) at non-singleton "
                               f"dimension {lead + i}.  Target sizes: {list(shape)}.  Tensor sizes: {list(given)}")


def _set_recorded(self, basic, advanced, value):
    """The same through operators that keep history."""
    part = self if basic is None else _BASIC["alias" if advanced is None else "slice"].public(self, basic)
    if advanced is None:
        if isinstance(value, Tensor):
            if value.ndim > part.ndim:
                value = value.reshape(_stripped(value._a, part._a.shape).shape)
            _check_expandable(value._a.shape, part._a.shape)
            part.copy_(value)
        else:
            part.fill_(value)
        return
    shape = _result_shape(part._a, advanced)
    if isinstance(value, Tensor):
        if value.dtype is not self.dtype:
            if not _fills(advanced, value._a):
                raise RuntimeError("Index put requires the source and destination dtypes match, got "
                                   f"{self.dtype.scalar_name} for the destination and {value.dtype.scalar_name} for the source."
                                   f"\nConvert the source with .to({self.dtype}).")
            value = value.to(self.dtype)
        if value.ndim > len(shape):
            value = value.reshape(_stripped(value._a, shape).shape)
        if any(n not in (1, m) for n, m in zip(value._a.shape[::-1], shape[::-1])):
            raise RuntimeError(f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of "
                               f"shape {list(shape)}")
    else:
        value = call.wrap(np.asarray(number_for(value, self._a.dtype), self._a.dtype))
    call.invoke_inplace(index_put, [part, advanced, value, False], "index_put_")


getitem.__name__, setitem.__name__ = "__getitem__", "__setitem__"
Tensor.__getitem__ = getitem
Tensor.__setitem__ = setitem
