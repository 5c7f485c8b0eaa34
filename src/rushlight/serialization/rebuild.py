"""What a checkpoint calls to make its tensors: the functions that PyTorch keeps in ``torch._utils``.

A tensor in a file is a call of one of these, with a storage, an offset, a size and strides. All of that comes
from the file and may be false, so nothing is laid over memory before it has been seen to fit.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import OrderedDict
from typing import Any

import numpy as np

from .. import dtypes
from ..autograd.node import RemovableHandle
from ..device import check
from ..kernels import memory
from ..layout import layout, strided
from ..nn.parameter import Parameter
from ..ops.storage import TypedStorage, UntypedStorage
from ..random import Generator
from ..tensor import Tensor, wrap

__all__ = ["STORAGE_TYPES", "LoadedGenerator", "LoadedHandle", "StorageType", "storage_name"]

_NAMES = {
    "Double": dtypes.float64,
    "Float": dtypes.float32,
    "Half": dtypes.float16,
    "Long": dtypes.int64,
    "Int": dtypes.int32,
    "Short": dtypes.int16,
    "Char": dtypes.int8,
    "Byte": dtypes.uint8,
    "Bool": dtypes.bool_,
    "BFloat16": dtypes.bfloat16,
    "ComplexDouble": dtypes.complex128,
    "ComplexFloat": dtypes.complex64,
}
_MOST_DIMENSIONS = 64


class StorageType:
    """Stands for a class like ``torch.FloatStorage``, by which files name the dtype of a storage."""

    def __init__(self, name: str) -> None:
        if name.removesuffix("Storage") not in _NAMES:
            raise KeyError(name)
        self.name = name

    @property
    def dtype(self) -> dtypes.dtype:
        """The dtype of the elements."""
        return _NAMES[self.name.removesuffix("Storage")]

    def __repr__(self) -> str:
        return f"StorageType(dtype={self.dtype})"


STORAGE_TYPES = {f"{name}Storage": StorageType(f"{name}Storage") for name in _NAMES}
globals().update(STORAGE_TYPES)  # picklers that know no names but Python's look for them here
_STORAGE_NAMES = {kind.dtype: name for name, kind in STORAGE_TYPES.items()}


def storage_name(dtype: dtypes.dtype) -> str | None:
    """``FloatStorage`` for float32; None for the dtypes that are younger than those names."""
    return _STORAGE_NAMES.get(dtype)


def _whole(values: Any, what: str) -> tuple[int, ...]:
    if not isinstance(values, (tuple, list)) or not all(type(v) is int for v in values):
        raise TypeError(f"{what} of a tensor must be a tuple of whole numbers, not {type(values).__name__}")
    return tuple(values)


def _window(storage: Any, dtype: Any, offset: Any, size: Any, stride: Any) -> np.ndarray:
    """An array over the bytes of a storage, after all numbers have been checked."""
    if not isinstance(storage, (TypedStorage, UntypedStorage)) or not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"a tensor is made of a storage and a dtype, not of {type(storage).__name__} and {type(dtype).__name__}")
    untyped = storage._untyped_storage if isinstance(storage, TypedStorage) else storage
    shape, steps = _whole(size, "the size"), _whole(stride, "the stride")
    if len(shape) != len(steps) or len(shape) > _MOST_DIMENSIONS:
        raise RuntimeError(f"mismatch in length of strides and shape\nThe file gives {len(shape)} sizes and "
                           f"{len(steps)} strides; at most {_MOST_DIMENSIONS} dimensions are possible.")  # fmt: skip
    if type(offset) is not int or offset < 0 or min(shape, default=0) < 0 or min(steps, default=0) < 0:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset {offset} are not valid"
            "\nNone of them can be negative."
        )
    item, room = dtype.itemsize, untyped.nbytes()
    root = untyped._root
    top = item * (offset + 1 + sum((n - 1) * s for n, s in zip(shape, steps)))
    if top > room and 0 not in shape:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset {offset}, and itemsize "
            f"{item} requiring a storage size of {top} are out of bounds for storage of size {room}"
            "\nThe file describes a tensor that its storage cannot hold."
        )
    try:
        if 0 in shape:
            return np.ndarray(shape, dtype.numpy, memory.as_buffer(root) if room else None)
        return np.ndarray(shape, dtype.numpy, memory.as_buffer(root), offset * item, [s * item for s in steps])
    except ValueError:
        return _too_big(shape)


def _too_big(shape: tuple[int, ...]) -> Any:
    raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}\nNo tensor can be that big.")


def _marked(array: np.ndarray, requires_grad: Any, metadata: Any) -> Tensor:
    """The tensor, with the marks that PyTorch keeps as bits done to its elements."""
    if metadata is not None and not isinstance(metadata, dict):
        raise TypeError(f"expected dict, got {type(metadata).__name__}")
    if metadata and metadata.get("conj"):
        array = array.conj()
    if metadata and metadata.get("neg"):
        array = -array
    made = wrap(array)
    if requires_grad:
        made._set_requires_grad(True)
    return made


def _rebuild_tensor(storage: Any, storage_offset: Any, size: Any, stride: Any) -> Tensor:
    return wrap(_window(storage, getattr(storage, "dtype", None), storage_offset, size, stride))


def _rebuild_tensor_v2(
    storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any, metadata: Any = None
) -> Tensor:
    array = _window(storage, getattr(storage, "dtype", None), storage_offset, size, stride)
    return _marked(array, requires_grad, metadata)


def _rebuild_tensor_v3(
    storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any, dtype: Any,
    metadata: Any = None,
) -> Tensor:  # fmt: skip
    return _marked(_window(storage, dtype, storage_offset, size, stride), requires_grad, metadata)


def _tensor(data: Any) -> Tensor:
    if not isinstance(data, Tensor):
        raise TypeError(f"expected a tensor, not {type(data).__name__}")
    return data


def _rebuild_parameter(data: Any, requires_grad: Any, backward_hooks: Any) -> Parameter:
    return Parameter(_tensor(data), bool(requires_grad))


def _rebuild_parameter_with_state(data: Any, requires_grad: Any, backward_hooks: Any, state: Any) -> Parameter:
    return _with_state(Parameter(_tensor(data), bool(requires_grad)), state)


def _with_state(made: Any, state: Any) -> Any:
    """Give back the attributes that hung on a tensor: a dictionary, or that and one of slots."""
    slots: Any = None
    if isinstance(state, tuple):
        if len(state) != 2:
            raise RuntimeError(f"Invalid serialized state: a tuple of {len(state)}\nIt has two parts: attributes and slots.")
        state, slots = state
    if state:
        if type(state) is not dict:
            raise TypeError(f"the attributes of a tensor are a dict, not {type(state).__name__}")
        made.__dict__.update(state)
    for name, value in (slots or {}).items():
        if hasattr(Tensor, name):
            raise RuntimeError(f"Invalid serialized state: {name!r:.80}\nIt is no slot, but part of every tensor.")
        setattr(made, name, value)
    return made


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    made = func(*args)
    if type(made) is not new_type:
        made = _tensor(made).as_subclass(new_type)
    if type(made).__setstate__ is not Tensor.__setstate__:
        made.__setstate__(state)
        return made
    return _with_state(made, state)


def _rebuild_device_tensor_from_cpu_tensor(data: Any, dtype: Any, device: Any, requires_grad: Any) -> Tensor:
    check(device)
    made = _tensor(data).to(dtype)
    return made.requires_grad_() if requires_grad else made


def _rebuild_device_tensor_from_numpy(data: Any, dtype: Any, device: Any, requires_grad: Any) -> Tensor:
    check(device)
    if not isinstance(data, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(data).__name__})")
    made = wrap(data.astype(dtype.numpy))
    return made.requires_grad_() if requires_grad else made


def _no_sparse(*_: Any) -> Any:
    raise NotImplementedError("the file holds a sparse tensor\nrushlight has dense tensors only: save x.to_dense().")


def _no_quantized(*_: Any) -> Any:
    raise NotImplementedError("the file holds a quantized tensor\nrushlight has none: save x.dequantize().")


def _no_nested(*_: Any) -> Any:
    raise NotImplementedError("the file holds a nested tensor\nrushlight has none: pad it, or save a list.")


def _no_meta(*_: Any) -> Any:
    check("meta")


def _no_wrapper(*_: Any) -> Any:
    raise NotImplementedError("the file holds a wrapper subclass of a tensor\nSave the tensors that it wraps.")


def _get_layout(name: Any) -> layout:
    if name != "torch.strided":
        raise NotImplementedError(
            f"the layout {name if type(name) is str else type(name)} does not exist in rushlight\nThere is torch.strided only."
        )
    return strided


class _Pending(threading.local):
    generators: list[Any] | None = None


pending = _Pending()


class LoadedGenerator(Generator):
    """A generator that is being read: its state arrives after it was made.

    In the old format the bytes of the state come after the whole pickle; there the state waits in ``pending``.
    """

    __slots__ = ()

    def __setstate__(self, state: Any) -> None:
        if pending.generators is None:
            self.become(state)
        else:
            pending.generators.append((self, state))

    def become(self, state: Any) -> None:
        """Continue where the saved generator stood, as an ordinary generator."""
        seed, _, bits = state
        self.manual_seed(seed)
        self.set_state(bits)
        self.__class__ = Generator  # type: ignore[assignment]


class LoadedHandle(RemovableHandle):
    """A handle of a hook that is being read: its table, its number and, in newer files, further tables."""

    __slots__ = ()

    def __setstate__(self, state: Any) -> None:
        table, self.id, *extra = state
        self._table = weakref.ref(OrderedDict() if table is None else table)
        self._extra = [weakref.ref(t) for t in (extra[0] if extra else ()) if t is not None]
        RemovableHandle._next_id = itertools.count(max(self.id, next(RemovableHandle._next_id)) + 1)
        self.__class__ = RemovableHandle  # type: ignore[assignment]
