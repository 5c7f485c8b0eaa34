"""The memory behind a tensor: storages, data_ptr, storage_offset, resize_, set_."""
import warnings

import numpy as np

from ..autograd import modes
from ..device import CPU
from ..kernels import memory
from ..layout import contiguous_format
from ..tensor import Tensor
from ._factory import check_sizes, ordered_empty, publish, size_list, sizes
from .strided import storage_start

__all__ = ["UntypedStorage", "TypedStorage"]


class UntypedStorage:
    """The bytes that a tensor and its views share.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1, 2]).untyped_storage().nbytes()
        16
    """

    __slots__ = ("_root", "__weakref__")
    __module__ = "torch.storage"

    def __init__(self, size=0, *, device=None):
        self._root = size if isinstance(size, np.ndarray) else np.zeros(int(size), np.uint8)

    device = CPU
    is_cuda = is_sparse = False

    @property
    def _bytes(self):
        return memory.spanning(self._root)

    @property
    def _cdata(self):
        return self.data_ptr()

    def data_ptr(self):
        """The address of the first byte; 0 for an empty storage."""
        return memory.address(self._root) if self.nbytes() else 0

    def nbytes(self):
        """Its size in bytes."""
        return memory.nbytes(self._root)

    size = __len__ = nbytes

    def element_size(self):
        """Bytes per element: 1."""
        return 1

    def tolist(self):
        """The bytes as a list of ints."""
        return self._bytes.tolist()

    def __getitem__(self, index):
        got = self._bytes[index]
        return UntypedStorage(memory.adopt(got)) if isinstance(got, np.ndarray) else int(got)

    def __setitem__(self, index, value):
        self._bytes[index] = value

    def __iter__(self):
        return iter(self.tolist())

    def clone(self):
        """A copy of the bytes."""
        return UntypedStorage(self._bytes.copy())

    def copy_(self, source, non_blocking=None):
        """Write the bytes of another storage of the same size."""
        if source.nbytes() != self.nbytes():
            raise RuntimeError(f"The size of tensor a ({self.nbytes()}) must match the size of tensor b "
                               f"({source.nbytes()}) at "
                               "non-singleton dimension 0\nStorages of one size can be copied.")
        self._bytes[...] = source._bytes
        return self

    def fill_(self, value):
        """Set every byte."""
        self._bytes[...] = value
        return self

    def __repr__(self):
        body = "".join(f" {b}\n" for b in self.tolist())
        return f"{body}[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes()}]"

    def __reduce__(self):
        return UntypedStorage, (self._root,)

    def __deepcopy__(self, memo):
        made = memo[id(self)] = self.clone()
        return made


class TypedStorage:
    """A storage seen as elements of one dtype: what the deprecated ``Tensor.storage()`` gives."""

    __slots__ = ("_untyped_storage", "dtype")
    __module__ = "torch.storage"

    def __init__(self, untyped, dtype):
        self._untyped_storage, self.dtype = untyped, dtype

    device = CPU

    @property
    def _elements(self):
        raw = self._untyped_storage._bytes
        n = self.dtype.itemsize
        return raw[:raw.size // n * n].view(self.dtype.numpy)

    def untyped(self):
        """The same memory as bytes."""
        return self._untyped_storage

    def data_ptr(self):
        return self._untyped_storage.data_ptr()

    def nbytes(self):
        return self._untyped_storage.nbytes()

    def size(self):
        """The number of elements."""
        return self.nbytes() // self.dtype.itemsize

    __len__ = size

    def element_size(self):
        return self.dtype.itemsize

    def tolist(self):
        """The elements as a list of numbers."""
        return self._elements.tolist()

    def __getitem__(self, index):
        return self._elements[index].item()

    def __setitem__(self, index, value):
        self._elements[index] = value

    def __iter__(self):
        return iter(self.tolist())

    def __repr__(self):
        body = "".join(f" {v}\n" for v in self.tolist())
        return f"{body}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {self.size()}]"


@publish(method=True, as_function=False)
def untyped_storage(self):
    """The storage that this tensor and its views share."""
    return UntypedStorage(memory.root(self._a))


@publish(method=True, as_function=False)
def storage(self):
    """The storage as elements of this tensor's dtype: deprecated, warns as PyTorch does."""
    warnings.warn("TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be "
                  "the only storage class. "
                  "This should only matter to you if you are using storages directly.  To access "
                  "UntypedStorage directly, use "
                  "tensor.untyped_storage() instead of tensor.storage()", UserWarning, stacklevel=2)
    return typed_storage(self)


def typed_storage(self):
    return TypedStorage(UntypedStorage(memory.root(self._a)), self.dtype)


Tensor._typed_storage = typed_storage


@publish
def is_storage(obj):
    """Whether ``obj`` is a storage."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


@publish(method=True, as_function=False)
def data_ptr(self):
    """The address of the first element; 0 for an empty tensor."""
    return memory.address(self._a) if self._a.size else 0


@publish(method=True, as_function=False)
def storage_offset(self):
    """How many elements of the storage come before the first one of this tensor."""
    return storage_start(self._a) // self._a.itemsize if self._a.size else 0


@publish(method=True, as_function=False)
def is_set_to(self, tensor):
    """Whether both show the same memory with the same shape and strides."""
    a, b = self._a, tensor._a
    return a.shape == b.shape and a.strides == b.strides and memory.address(a) == memory.address(b)


# ---------------------------------------------------------------- other memory for the same tensor

def _check_replaceable(self):
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad\nDetach it first.")


def _resized(self, shape, memory_format):
    a = self._a
    if a.shape == shape:
        return self
    made = ordered_empty(shape, a.dtype, memory_format)
    top = memory.extent(shape, made.strides, a.itemsize)[1]
    start = storage_start(a) if a.size else 0
    owner = memory.root(a)
    if 0 in shape:
        self._a = made
    elif start + top <= memory.nbytes(owner) and owner.size:
        whole = memory.as_buffer(owner)
        self._a = np.ndarray(shape, a.dtype, whole, start, made.strides)
    else:                                    # what is there is kept, the rest is uninitialised
        raw = np.empty(start + top, np.uint8)
        old = memory.spanning(owner)[:raw.size]
        raw[:old.size] = old
        self._a = np.ndarray(shape, a.dtype, raw, start, made.strides)
    return self


@publish(method=True, as_function=False)
def resize_(self, *shape, memory_format=contiguous_format):
    """Give this tensor another shape; its memory is kept and grows if it must (new elements are
    uninitialised).

    RuntimeError for a tensor that requires grad.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1, 2, 3, 4]).resize_(2, 2)
        tensor([[1, 2],
                [3, 4]])
    """
    shape = sizes(shape, "resize_")
    _check_replaceable(self)
    check_sizes(shape, "resize_")
    return _resized(self, shape, memory_format)


@publish(method=True)
def resize_as_(self, the_template, *, memory_format=contiguous_format):
    """``resize_`` to the shape of another tensor."""
    _check_replaceable(self)
    return _resized(self, the_template._a.shape, memory_format)


@publish(method=True, as_function=False)
def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Make this tensor show the memory of another tensor or storage; without arguments, none.

    RuntimeError if the dtypes differ or the window leaves the storage.
    """
    if self.requires_grad and modes.state.grad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place "
                           "operation.\nDetach it first.")
    if source is None:
        self._a = np.empty(0, self._a.dtype)
    elif isinstance(source, Tensor) and size is None:
        if source._a.dtype != self._a.dtype:
            raise RuntimeError(f"Could not set tensor of type {_c_name(source)} to a tensor of type "
                               f"{_c_name(self)}")
        self._a = source._a
    else:
        self._a = _window(self, source, storage_offset, size, stride)
    self._bump(("set_", None))
    return self


def _c_name(t):
    names = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int"}
    return names.get(t.dtype.name, t.dtype.name)


def _window(self, source, offset, size, stride):
    """An array over a storage."""
    root = memory.root(source._a) if isinstance(source, Tensor) else \
        (source._untyped_storage if isinstance(source, TypedStorage) else source)._root
    dtype = self._a.dtype
    n = dtype.itemsize
    shape = (memory.nbytes(root) // n,) if size is None else size_list(size, "set_", "size")
    strides = np.empty(shape, dtype).strides if stride is None else \
        tuple(s * n for s in size_list(stride, "set_", "stride"))
    top = offset * n + memory.extent(shape, strides, n)[1]
    room = memory.nbytes(root)
    if top > room and 0 not in shape:
        raise RuntimeError(f"setStorage: sizes {list(shape)}, strides {[s // n for s in strides]}, storage "
                           f"offset {offset}, and "
                           f"itemsize {n} requiring a storage size of {top} are out of bounds for storage of "
                           f"size {room}")
    if 0 in shape:
        return np.ndarray(shape, dtype)
    whole = memory.as_buffer(root)
    return np.ndarray(shape, dtype, whole, offset * n, strides)


@publish(method=True, as_function=False)
def share_memory_(self):
    """Mark the tensor as shared; the memory of a process's tensors is not moved."""
    self._rare().shared = True
    return self


@publish(method=True, as_function=False)
def is_pinned(self, device=None):
    """False: there is no pinned memory."""
    return False


