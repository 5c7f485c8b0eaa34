"""Names in files: PyTorch's on paper, rushlight's in memory.

A file names classes and functions by module and name. rushlight writes the names that PyTorch would write and
resolves them to its own: ``torch.nn.modules.linear.Linear`` is ``rushlight.nn.modules.linear.Linear``, whether
or not ``torch`` can be imported in this process, and whichever engine wrote the file.
"""

from __future__ import annotations

import importlib
from typing import Any

from .. import dtypes
from ..autograd.node import RemovableHandle
from ..compat import absent
from ..device import device
from ..layout import layout
from ..ops.storage import TypedStorage, UntypedStorage
from ..random import Generator
from ..tensor import Size, Tensor
from . import rebuild

__all__ = ["REBUILDERS", "inward", "outward"]

_ROOT = __name__.partition(".")[0]

REBUILDERS: dict[tuple[str, str], Any] = {
    **{
        ("torch._utils", f.__name__): f
        for f in (
            *(rebuild._rebuild_tensor, rebuild._rebuild_tensor_v2, rebuild._rebuild_tensor_v3),
            *(rebuild._rebuild_parameter, rebuild._rebuild_parameter_with_state),
            *(rebuild._rebuild_device_tensor_from_cpu_tensor, rebuild._rebuild_device_tensor_from_numpy),
        )
    },
    ("torch._utils", "_rebuild_sparse_tensor"): rebuild._no_sparse,
    ("torch._utils", "_rebuild_qtensor"): rebuild._no_quantized,
    ("torch._utils", "_rebuild_nested_tensor"): rebuild._no_nested,
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): rebuild._no_meta,
    ("torch._utils", "_rebuild_wrapper_subclass"): rebuild._no_wrapper,
    ("torch._tensor", "_rebuild_from_type_v2"): rebuild._rebuild_from_type_v2,
    ("torch.serialization", "_get_layout"): rebuild._get_layout,
}

_PLACES: dict[Any, tuple[str, str]] = {
    **{function: place for place, function in REBUILDERS.items()},
    Tensor: ("torch", "Tensor"),
    Size: ("torch", "Size"),
    device: ("torch", "device"),
    dtypes.dtype: ("torch", "dtype"),
    layout: ("torch", "layout"),
    Generator: ("torch._C", "Generator"),
    RemovableHandle: ("torch.utils.hooks", "RemovableHandle"),
    UntypedStorage: ("torch.storage", "UntypedStorage"),
    TypedStorage: ("torch.storage", "TypedStorage"),
}
_OBJECTS = {place: thing for thing, place in _PLACES.items()}
_OBJECTS["torch._C", "Generator"] = rebuild.LoadedGenerator
_OBJECTS["torch.utils.hooks", "RemovableHandle"] = rebuild.LoadedHandle
_OBJECTS["torch._utils", "_rebuild_xla_tensor"] = rebuild._rebuild_device_tensor_from_numpy
_OBJECTS["torch.tensor", "_rebuild_from_type_v2"] = rebuild._rebuild_from_type_v2

# Where PyTorch keeps in one module what rushlight has in several: the beginning of our full name, and PyTorch's module.
_HOMES = {
    f"{_ROOT}.nn.modules._attention": "torch.nn.modules.activation",
    f"{_ROOT}.nn.modules.linear_cross_entropy.LinearCrossEntropyOptions": "torch.nn.modules.linear_cross_entropy_options",
    f"{_ROOT}.nn.modules.linear_cross_entropy.": "torch.nn.modules.loss",
    f"{_ROOT}.nn.modules._hooks": "torch.nn.modules.module",
    f"{_ROOT}.nn.modules._lazy_conv": "torch.nn.modules.conv",
    f"{_ROOT}.nn.modules._lazy_norm.LazyInstance": "torch.nn.modules.instancenorm",
    f"{_ROOT}.nn.modules._lazy_norm.": "torch.nn.modules.batchnorm",
    f"{_ROOT}.optim._": "torch.optim",
    f"{_ROOT}.optim.lr_scheduler.": "torch.optim.lr_scheduler",
}


def outward(thing: Any) -> tuple[str, str] | None:
    """(module, name) under which PyTorch knows one of rushlight's classes or functions; None for others."""
    if isinstance(thing, dtypes.dtype):
        return "torch", thing.name
    if isinstance(thing, rebuild.StorageType):
        return "torch", thing.name
    try:
        if thing in _PLACES:
            return _PLACES[thing]
    except TypeError:  # it cannot be hashed
        return None
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    if module == _ROOT or module.startswith(_ROOT + "."):
        full = f"{module}.{name}"
        home = next((home for begin, home in _HOMES.items() if full.startswith(begin)), None)
        return home or "torch" + module.removeprefix(_ROOT), name
    if (module == "torch" or module.startswith("torch.")) and _own(module, name) is thing:
        return module, name
    return None


def _own(module: str, name: str) -> Any:
    try:
        return inward(module, name)
    except (AttributeError, ImportError):
        return None


def inward(module: str, name: str) -> Any:
    """rushlight's counterpart of ``torch...``.

    Raises:
        AttributeError, ModuleNotFoundError: there is none; the message says what is nearest.
    """
    if (module, name) in _OBJECTS:
        return _OBJECTS[module, name]
    if name in rebuild.STORAGE_TYPES and module in ("torch", "torch.storage", "torch.cuda"):
        return rebuild.STORAGE_TYPES[name]
    if module == "torch" and name in dtypes.BY_NAME:
        return dtypes.BY_NAME[name]
    first, *rest = name.split(".")
    found = _holder(module, first)
    for part in (first, *rest):
        found = getattr(found, part)
    return found


def _holder(module: str, name: str) -> Any:
    """The module of ours that has this name: the one called so, one that holds a part of it, or the package above."""
    places = [_ROOT + module.removeprefix("torch"), *(own for own, home in _HOMES.items() if home == module and own[-1].isalnum())]
    above = places[0].rpartition(".")[0]
    if above.count("."):  # not the root: there names mean something else
        places.append(above)
    seen = None
    for place in places:
        try:
            there = importlib.import_module(place)
        except ModuleNotFoundError as error:
            if error.name is None or not (place + ".").startswith(error.name + "."):
                raise
            continue
        if hasattr(there, name):
            return there
        seen = seen or (there if place == places[0] else None)
    if seen is None:
        raise absent.no_module(module)
    return seen
