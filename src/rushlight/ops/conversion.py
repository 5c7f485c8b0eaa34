"""Into and out of tensors: Python data, NumPy arrays, DLPack, numbers; and from one dtype to another."""
import warnings

import numpy as np

from .. import dtypes
from ..autograd import modes
from ..device import check
from ..device import device as device_type
from ..dtypes import BY_NUMPY
from ..kernels import memory
from ..kernels.quiet import hush, unhush
from ..layout import format_order
from ..tensor import Tensor, wrap
from . import call
from ._factory import check_place, finish, is_preserve, numpy_dtype, overriding, publish
from .copying import cast_to, clone, warn_discards
from .nested import array_of, flat_array

_ndarray = np.ndarray


# ---------------------------------------------------------------- from data

def _array_and_kind(data, dtype):
    """An array for any data that ``tensor`` takes; True second if it shares memory with the data."""
    if isinstance(data, Tensor):
        return data._a, True
    if isinstance(data, _ndarray):
        return _from_ndarray(data), True
    if not isinstance(data, (list, tuple, bool, int, float, complex, np.generic, str)):
        if hasattr(data, "__dlpack__") and not hasattr(data, "__array_interface__"):
            return _from_dlpack(data), True
        if hasattr(data, "__array_interface__") or hasattr(data, "__array__"):
            return _from_ndarray(np.asarray(data)), True
    return array_of(data, dtype), False


@publish
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False, names=None):
    """A new leaf holding a copy of ``data``: a number, nested sequences of numbers, an array.

    The dtype is inferred (Python floats give the default dtype) unless given. ValueError for ragged
    sequences, TypeError and RuntimeError as in PyTorch for what is no number or does not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
    """
    if data.__class__ is list and dtype is None and device is None and modes.plain \
            and requires_grad is False and not pin_memory:
        kinds = set(map(_type, data))
        if kinds == _FLOAT or kinds == _INT:
            made = flat_array(data, dtypes._default.numpy if kinds == _FLOAT else _int64)
            if made is not None:
                return wrap(made)
    numpy = None if dtype is None else numpy_dtype(dtype, "tensor")
    if device is not None or pin_memory:
        check_place(None, device, pin_memory)
    if isinstance(data, Tensor):
        warnings.warn("To copy construct from a tensor, it is recommended to use "
                      "sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than "
                      "torch.tensor(sourceTensor).",
                      UserWarning, stacklevel=2)
    array, shares = _array_and_kind(data, numpy)
    if numpy is not None and array.dtype != numpy:
        array = _converted(array, numpy)
    elif shares:
        array = memory.copy_dense(array)
    return finish(array, requires_grad, "tensor")


_FLOAT, _INT, _type = {float}, {int}, type
_int64 = np.dtype(np.int64)


def _converted(array, numpy):
    token = hush()
    try:
        if array.dtype.kind == "c" and numpy.kind not in "cb":
            warn_discards()
        return memory.convert(array, numpy)
    finally:
        unhush(token)


@publish
def as_tensor(data, dtype=None, device=None):
    """``data`` as a tensor: a Tensor of that dtype is returned as it is, an array shares its memory, other
    data is copied.

    Example::

        >>> import rushlight as torch
        >>> torch.as_tensor([1., 2.])
        tensor([1., 2.])
    """
    if device is not None:
        check(device)
    if isinstance(data, Tensor):
        return data if dtype is None else to(data, dtype)
    numpy = None if dtype is None else numpy_dtype(dtype, "as_tensor")
    array, _ = _array_and_kind(data, numpy)
    if numpy is not None and array.dtype != numpy:
        array = _converted(array, numpy)
    return finish(array)


@publish
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """``obj`` as a tensor, sharing memory where possible; ``copy=True`` always copies, ``copy=False`` never
    (ValueError).

    Takes tensors, arrays, DLPack and buffer objects, numbers and nested sequences.

    Example::

        >>> import rushlight as torch
        >>> torch.asarray([1, 2])
        tensor([1, 2])
    """
    check(device)
    numpy = None if dtype is None else numpy_dtype(dtype, "asarray")
    if isinstance(obj, Tensor):
        if numpy is not None and obj._a.dtype != numpy:
            if copy is False:
                raise ValueError(f"can't alias tensor with dtype '{obj.dtype.scalar_name}' into dtype "
                                 f"'{BY_NUMPY[numpy].scalar_name}'.")
            made = cast_to(obj, numpy)
        else:
            made = obj.clone() if copy else obj
        if requires_grad and not made.requires_grad:
            made = (made if made is not obj else made.detach()).requires_grad_()
        elif not requires_grad and made.requires_grad:
            made = made.detach()
        return made
    if isinstance(obj, (bytes, bytearray, memoryview)):
        array, shares = np.frombuffer(obj, numpy or _default_numpy()), True
        array = memory.adopt(array)
    else:
        array, shares = _array_and_kind(obj, numpy)
    if not shares and copy is False:
        raise ValueError("can't alias arbitrary sequence into a tensor.\nLeave copy out.")
    if numpy is not None and array.dtype != numpy:
        if copy is False:
            raise ValueError(f"can't alias tensor with dtype '{BY_NUMPY[array.dtype].scalar_name}' into "
                             f"dtype '{BY_NUMPY[numpy].scalar_name}'.")
        array = _converted(array, numpy)
    elif copy and shares:
        array = memory.copy_dense(array)
    return finish(array, requires_grad, "asarray")


def _default_numpy():
    return dtypes.get_default_dtype().numpy


# ---------------------------------------------------------------- NumPy and DLPack

def _from_ndarray(array):
    """A user's array as the memory of a tensor."""
    if array.__class__ is not _ndarray:
        array = np.asarray(array)
    if array.dtype not in BY_NUMPY:
        if array.dtype.byteorder not in "=|" and array.dtype.newbyteorder("=") in BY_NUMPY:
            raise ValueError("given numpy array has byte order different from the native byte order. "
                             "Conversion between byte "
                             "orders is currently not supported.")
        dtypes.of(array.dtype)
    for s in array.strides:
        if s < 0:
            raise ValueError("At least one stride in the given numpy array is negative, and tensors with "
                             "negative strides are "
                             "not currently supported. (You can probably work around this by making a copy "
                             "of your array  with "
                             "array.copy().) ")
        if s % array.itemsize:
            raise ValueError("given numpy array strides not a multiple of the element byte size. Copy the "
                             "numpy array to "
                             "reallocate the memory.")
    if not array.flags.writeable:
        warnings.warn("The given NumPy array is not writable, and PyTorch does not support non-writable "
                      "tensors. This means "
                      "writing to this tensor will result in undefined behavior. You may want to copy the "
                      "array to protect its "
                      "data or make it writable before converting it to a tensor. This type of warning will "
                      "be suppressed for "
                      "the rest of this program.\nHere, writing to it raises ValueError.", UserWarning,
                      stacklevel=4)
    return array if array.base is None else memory.adopt(array)


@publish
def from_numpy(ndarray):
    """A tensor that shares the memory of a NumPy array.

    TypeError for other objects and unknown element types, ValueError for negative strides and foreign byte
    order.

    Example::

        >>> import numpy as np, rushlight as torch
        >>> a = np.array([1., 2.])
        >>> t = torch.from_numpy(a)
        >>> a[0] = 5
        >>> t
        tensor([5., 2.], dtype=torch.float64)
    """
    if not isinstance(ndarray, _ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})\nUse torch.as_tensor for other "
                        "data.")
    return finish(_from_ndarray(ndarray))


@publish
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A 1-d tensor over the memory of an object with Python's buffer protocol, from byte ``offset`` on.

    ValueError where the buffer is too short or not a whole number of elements.

    Example::

        >>> import rushlight as torch
        >>> torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8)
        tensor([1, 2, 3], dtype=torch.uint8)
    """
    numpy = numpy_dtype(dtype, "frombuffer")
    try:
        raw = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.\nGive bytes, bytearray, "
                         "memoryview, array or the like.") from None
    size, each = raw.nbytes, numpy.itemsize
    if size == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
                         f"({size} bytes) minus 1")
    if count == 0 or count < -1:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if count < 0:
        if (size - offset) % each:
            raise ValueError(f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a "
                             "multiple of element "
                             f"size ({each})")
        count = (size - offset) // each
    if offset + count * each > size:
        raise ValueError(f"requested buffer length ({count} * {each} bytes) after offset ({offset} bytes) "
                         "must not be greater "
                         f"than actual buffer length ({size} bytes)")
    if raw.readonly:
        warnings.warn("The given buffer is not writable, and PyTorch does not support non-writable tensors. "
                      "This means you can "
                      "write to the underlying (supposedly non-writable) buffer using the tensor. You may "
                      "want to copy the "
                      "buffer to protect its data or make it writable before converting it to a tensor. This "
                      "type of warning "
                      "will be suppressed for the rest of this program.\nHere, writing to it raises "
                      "ValueError.",
                      UserWarning, stacklevel=2)
    bytes_ = np.frombuffer(raw.cast("B") if raw.format != "B" or raw.ndim != 1 else raw, np.uint8)
    return finish(memory.adopt(bytes_[offset:offset + count * each].view(numpy)), requires_grad, "frombuffer")


class _Capsule:
    """A bare DLPack capsule as NumPy wants it."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


class _Unlocked:
    """The memory of a capsule, which does not say whether it may be written: NumPy takes that for no, PyTorch for yes."""

    def __init__(self, array):
        self.array = array
        described = array.__array_interface__
        self.__array_interface__ = {**described, "data": (described["data"][0], False)}


def _from_dlpack(obj, **kwargs):
    return memory.adopt(np.from_dlpack(obj, **kwargs))


@publish
def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor that shares memory with an object of another library, by the DLPack protocol.

    Example::

        >>> import numpy as np, rushlight as torch
        >>> torch.from_dlpack(np.array([1, 2]))
        tensor([1, 2])
    """
    check(device)
    if not hasattr(ext_tensor, "__dlpack__"):
        if type(ext_tensor).__name__ != "PyCapsule":
            raise TypeError(f"from_dlpack() needs an object with __dlpack__, not {type(ext_tensor).__name__}")
        return finish(memory.adopt(np.asarray(_Unlocked(np.from_dlpack(_Capsule(ext_tensor))))))
    if isinstance(ext_tensor, Tensor):
        return ext_tensor.clone() if copy else ext_tensor.detach()
    return finish(_from_dlpack(ext_tensor) if copy is None else _from_dlpack(ext_tensor, copy=copy))


@publish(method=True, as_function=False)
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self._a.dtype.kind == "V":
        raise BufferError("rushlight cannot export bfloat16 by DLPack\nConvert it with .float() first.")
    extra = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
    extra = {k: v for k, v in extra.items() if v is not None}
    return self._a.__dlpack__(**extra)


@publish(method=True, as_function=False)
def __dlpack_device__(self):
    return 1, 0


@publish(method=True, as_function=False)
def numpy(self, *, force=False):
    """The memory as a NumPy array: writes to one are seen by the other.

    RuntimeError for a tensor that requires grad (``force=True`` detaches), TypeError for bfloat16, which
    NumPy lacks.

    Example::

        >>> import rushlight as torch
        >>> torch.ones(2).numpy()
        array([1., 1.], dtype=float32)
    """
    if not modes.plain:
        taken, result = overriding(numpy, (self,), (self,), {"force": True} if force else {})
        if taken:
            return result
    if not force and self._rg and self.requires_grad:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                           "instead.")
    if self._a.dtype.kind == "V":
        raise TypeError("Got unsupported ScalarType BFloat16\nNumPy has no bfloat16: use .float().numpy().")
    return self._a.view()


@publish(method=True, as_function=False)
def __array__(self, dtype=None, copy=None):
    array = numpy(self)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.\nLeave copy=False "
                             "or dtype out.")
        return array.astype(dtype)
    return array.copy() if copy else array


@publish(method=True, as_function=False)
def __array_wrap__(self, array, context=None, return_scalar=False):
    array = np.asarray(array)
    return finish(_from_ndarray(array.astype(np.uint8) if array.dtype == np.bool_ else array))


# ---------------------------------------------------------------- Python numbers

@publish(method=True, as_function=False)
def item(self):
    """The only element, as a Python number. RuntimeError if there is not exactly one.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([2.5]).item()
        2.5
    """
    if not modes.plain:
        taken, result = overriding(item, (self,), (self,))
        if taken:
            return result
    a = self._a
    if a.size != 1:
        raise RuntimeError(f"a Tensor with {a.size} elements cannot be converted to Scalar\nReduce it first, "
                           "or use tolist().")
    return float(a.reshape(())) if a.dtype.kind == "V" else a.item()


@publish(method=True, as_function=False)
def tolist(self):
    """The elements as nested lists of Python numbers; a 0-d tensor gives its number.

    Example::

        >>> import rushlight as torch
        >>> torch.eye(2).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    if not modes.plain:
        taken, result = overriding(tolist, (self,), (self,))
        if taken:
            return result
    a = self._a
    return a.astype(np.float32).tolist() if a.dtype.kind == "V" else a.tolist()


def _bool(self):
    a = self._a
    if a.size != 1:
        if a.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous\nCompare numel() with 0 "
                               "instead.")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous\nUse .any() or "
                           ".all().")
    return bool(a.item() if a.dtype.kind != "V" else float(a.reshape(())))


def _single(self):
    """The one element, for int(), float(), complex()."""
    if self._a.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars\n"
                         f"This one has {self._a.size}: index it, or use tolist().")
    return item(self)


def _float(self):
    value = _single(self)
    if value.__class__ is complex:
        if value.imag:
            raise RuntimeError("value cannot be converted to type double without overflow\nTake .real or "
                               "abs() first.")
        return value.real
    return float(value)


def _int(self):
    value = _single(self)
    if value.__class__ is complex:
        if value.imag:
            raise RuntimeError("value cannot be converted to type int64_t without overflow\nTake .real or "
                               "abs() first.")
        value = value.real
    return int(value)


def _index(self):
    if self._a.size != 1 or self._a.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index\n"
                        f"This one has {self._a.size} elements of {self.dtype}.")
    return int(self._a.item())


def _len(self):
    shape = self._a.shape
    if not shape:
        raise TypeError("len() of a 0-d tensor\nIts number is .item().")
    return shape[0]


def _iter(self):
    if not self._a.ndim:
        raise TypeError("iteration over a 0-d tensor\nIts number is .item().")
    return iter(self.unbind(0))


def _contains(self, element):
    if not isinstance(element, (Tensor, *call.NUMBER)):
        raise RuntimeError("Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
                           f"{type(element)}."
                           "\nWrap it with torch.tensor.")
    return bool((element == self).any().item())


Tensor.__bool__ = _bool
Tensor.__float__ = _float
Tensor.__int__ = _int
Tensor.__complex__ = lambda self: complex(_single(self))
Tensor.__index__ = _index
Tensor.__len__ = _len
Tensor.__iter__ = _iter
Tensor.__contains__ = _contains


# ---------------------------------------------------------------- dtype and device

def _as_dtype(self, numpy, memory_format=None, copy=False):
    if self._a.dtype == numpy:
        if not copy and is_preserve(memory_format):
            return self
        if not copy and _lies(self._a, memory_format):
            return self
        return clone.public(self, memory_format=memory_format)
    if self._a.dtype.kind == "c" and numpy.kind not in "cb":
        warn_discards()
    made = cast_to(self, numpy)
    return made if is_preserve(memory_format) else made.contiguous(memory_format=memory_format)


def _lies(array, memory_format):
    order = format_order(memory_format, array.ndim)
    return array.flags.c_contiguous if order is None else array.transpose(order).flags.c_contiguous


@publish(method=True, as_function=False)
def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None, other=None):
    """This tensor with another dtype (or that of another tensor): itself if nothing changes and ``copy`` is
    not asked for.

    Called as ``to(dtype)``, ``to(device, dtype)`` or ``to(other)``. Gradients flow back through it.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1.9, -1.9]).to(torch.int64)
        tensor([ 1, -1])
    """
    if not modes.plain:
        taken, result = overriding(to, (self,), (self, *args), _named(
            dtype=dtype, device=device, non_blocking=non_blocking, copy=copy, memory_format=memory_format,
            other=other))
        if taken:
            return result
    if args:
        first, rest = args[0], args[1:]
        if first.__class__ is dtypes.dtype or first in _PYTHON_TYPES:
            dtype = first
        elif isinstance(first, Tensor):
            other = first
        elif first is None or isinstance(first, (str, int, device_type)):
            device = first
            if rest and not isinstance(rest[0], bool):
                dtype, rest = rest[0], rest[1:]
        else:
            raise TypeError("to() received an invalid combination of arguments - got "
                            f"({type(first).__name__}), but expected one "
                            "of:\n * (torch.device device = None, torch.dtype dtype = None, bool "
                            "non_blocking = False, bool copy = "
                            "False, *, torch.memory_format memory_format = None)\n * (torch.dtype dtype, "
                            "...)\n * (Tensor tensor, ...)")
        if rest:
            non_blocking = rest[0]
            if len(rest) > 1:
                copy = rest[1]
    if device is not None:
        check(device)
    if other is not None:
        dtype = other.dtype
    numpy = self._a.dtype if dtype is None else numpy_dtype(dtype, "to")
    return _as_dtype(self, numpy, memory_format, copy)


_PYTHON_TYPES = (float, int, bool, complex)


def _named(**kwargs):
    return {k: v for k, v in kwargs.items() if v is not None and v is not False}


def _declare_cast(name, d):
    numpy = d.numpy

    def cast(self, memory_format=None):
        if not modes.plain:
            taken, result = overriding(cast, (self,), (self,), _named(memory_format=memory_format))
            if taken:
                return result
        if self._a.dtype is numpy and memory_format is None:
            return self
        return _as_dtype(self, numpy, memory_format)
    cast.__doc__ = f"""This tensor as {d.name}: itself if it is that already.

    Example::

        >>> import rushlight as torch
        >>> torch.ones(1).{name}().dtype
        torch.{d.name}
    """
    publish(cast, name=name, method=True, as_function=False)


for _name, _d in (("float", dtypes.float32), ("double", dtypes.float64), ("half", dtypes.float16),
                  ("bfloat16", dtypes.bfloat16), ("long", dtypes.int64), ("int", dtypes.int32),
                  ("short", dtypes.int16), ("char", dtypes.int8), ("byte", dtypes.uint8),
                  ("bool", dtypes.bool_), ("cfloat", dtypes.complex64), ("cdouble", dtypes.complex128)):
    _declare_cast(_name, _d)


@publish(method=True, as_function=False)
def type_as(self, other):
    """This tensor with the dtype of ``other``."""
    return to(self, other.dtype)


@publish(method=True, as_function=False)
def cpu(self, memory_format=None):
    """This tensor: it is on the CPU."""
    return self if is_preserve(memory_format) else _as_dtype(self, self._a.dtype, memory_format)


@publish(method=True, as_function=False)
def cuda(self, device=None, non_blocking=False, memory_format=None):
    """Raises what a CPU build of PyTorch raises."""
    check("cuda")


@publish(method=True, as_function=False)
def pin_memory(self, device=None):
    """RuntimeError: there is no accelerator that could use pinned memory."""
    raise RuntimeError("Cannot access accelerator device when none is available.\nrushlight runs on the CPU: "
                       "leave pin_memory out.")

