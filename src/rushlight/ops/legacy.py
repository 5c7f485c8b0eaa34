"""PyTorch's older ways to make tensors: ``Tensor(2, 3)``, ``FloatTensor([...])``, ``x.new(...)``,
``x.type("torch.LongTensor")``.
"""
import warnings

import numpy as np

from .. import dtypes
from ..dtypes import BY_NUMPY
from ..kernels import memory
from ..tensor import Size, Tensor, wrap_like
from . import table
from ._factory import check_place, finish, numpy_dtype, publish, size_list
from .conversion import _as_dtype, _converted
from .copying import detach
from .nested import array_of

_NAMES = {"FloatTensor": dtypes.float32, "DoubleTensor": dtypes.float64, "HalfTensor": dtypes.float16,
          "BFloat16Tensor": dtypes.bfloat16, "LongTensor": dtypes.int64, "IntTensor": dtypes.int32,
          "ShortTensor": dtypes.int16,
          "CharTensor": dtypes.int8, "ByteTensor": dtypes.uint8, "BoolTensor": dtypes.bool_,
          "ComplexFloatTensor": dtypes.complex64, "ComplexDoubleTensor": dtypes.complex128}
_TYPE_OF = {d: name for name, d in _NAMES.items()}


def legacy_tensor(numpy, args, cls=Tensor):
    """What ``FloatTensor(*args)`` means: sizes give an uninitialised tensor, data is copied, a tensor is
    aliased.
    """
    if not args:
        return wrap_like(cls, np.empty(0, numpy))
    first = args[0]
    if len(args) == 1:
        if isinstance(first, Tensor):
            if numpy is not None and first._a.dtype != numpy:
                raise TypeError(f"expected {BY_NUMPY[numpy]} (got {first.dtype})\nConvert it with .to().")
            made = detach(first) if cls is Tensor else wrap_like(cls, first._a)
            made._ver = first._cell()
            return made
        if isinstance(first, Size):
            return wrap_like(cls, np.empty(first, numpy))
        if isinstance(first, (list, tuple, np.ndarray, range)):
            if isinstance(first, np.ndarray):
                return wrap_like(cls, _converted(first, numpy))
            return wrap_like(cls, _lenient(first, numpy))
        if isinstance(first, str):
            raise TypeError("new(): invalid data type 'str'\nPass sizes or a sequence of numbers.")
        if not hasattr(first, "__index__"):
            raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})\nUse torch.tensor "
                            "for one number.")
    return wrap_like(cls, np.empty(size_list(args, "new", "size"), numpy))


def _lenient(data, numpy):
    """Data for a legacy type: numbers are cast as in C."""
    try:
        return array_of(data, numpy)
    except RuntimeError:
        return _converted(array_of(data), numpy)


def _new(cls, *args, device=None):
    check_place(None, device)
    first = args[0] if len(args) == 1 else None
    if isinstance(first, Tensor):
        return legacy_tensor(None, args, cls)
    return legacy_tensor(dtypes.get_default_dtype().numpy, args, cls)


Tensor.__new__ = staticmethod(_new)


class _TypeOfTensors(type):
    """Metaclass of the old tensor types, one for each dtype: calling one makes a plain Tensor."""

    def __call__(cls, *args, device=None):
        check_place(None, device)
        return legacy_tensor(cls.dtype.numpy, args)

    def __instancecheck__(cls, value):
        return isinstance(value, Tensor) and value.dtype is cls.dtype


for _name, _d in _NAMES.items():
    _type = _TypeOfTensors(_name, (), {"dtype": _d, "__module__": "torch", "is_cuda": False,
                                       "__doc__": f"The old type of {_d.name} tensors: {_name}(2, 3), "
                                                  f"{_name}([1, 2])."})
    table.namespaces["torch"][_name] = _type


@publish(method=True, as_function=False)
def new(self, *args, device=None):
    """A tensor of this one's dtype from sizes or data: the old form of ``new_empty`` and ``new_tensor``."""
    check_place(None, device)
    return legacy_tensor(self._a.dtype, args)


@publish(method=True, as_function=False)
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A copy of ``data`` as a tensor with this tensor's dtype unless ``dtype`` says other.

    Example::

        >>> import rushlight as torch
        >>> torch.ones(1).new_tensor([1, 2])
        tensor([1., 2.])
    """
    check_place(layout, device, pin_memory)
    numpy = self._a.dtype if dtype is None else numpy_dtype(dtype, "new_tensor")
    if isinstance(data, Tensor):
        warnings.warn("To copy construct from a tensor, it is recommended to use "
                      "sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than "
                      "tensor.new_tensor(sourceTensor).", UserWarning,
                      stacklevel=2)
        data = data._a
    if isinstance(data, np.ndarray):
        array = memory.copy_dense(data) if data.dtype == numpy else _converted(data, numpy)
        return finish(array, requires_grad, "new_tensor")
    return finish(array_of(data, numpy), requires_grad, "new_tensor")


@publish(name="type", method=True, as_function=False)
def convert_type(self, dtype=None, non_blocking=False):
    """The old name of the tensor's type, such as "torch.FloatTensor"; or, given a type or dtype, the tensor
    converted to it.

    ValueError for an unknown name.

    Example::

        >>> import rushlight as torch
        >>> torch.ones(1).type(), torch.ones(1).type("torch.LongTensor")
        ('torch.FloatTensor', tensor([1]))
    """
    if dtype is None:
        name = _TYPE_OF.get(self.dtype)
        return f"torch.{name}" if name else f"torch.{self.dtype.scalar_name}Tensor"
    if isinstance(dtype, str):
        found = _NAMES.get(dtype.removeprefix("torch."))
        if found is None or not dtype.startswith("torch."):
            if dtype == "torch.Tensor":
                found = dtypes.get_default_dtype()
            else:
                raise ValueError(f"invalid type: '{dtype}'\nThe names are torch.{', torch.'.join(_NAMES)}.")
        return _as_dtype(self, found.numpy)
    if dtype is Tensor:
        return _as_dtype(self, dtypes.get_default_dtype().numpy)
    if isinstance(dtype, _TypeOfTensors):
        return _as_dtype(self, dtype.dtype.numpy)
    return _as_dtype(self, numpy_dtype(dtype, "type"))
