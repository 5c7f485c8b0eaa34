"""Saving: the pickle that describes an object, and the storages that it mentions.

The pickler replaces tensors by calls of PyTorch's rebuilding functions and storages by persistent ids, and
writes PyTorch's names for rushlight's classes. It is Python's pickler in Python, because the one in C gives no
hand in how a name is written; elements of tensors do not pass through it, so its speed decides nothing.
"""

from __future__ import annotations

import copyreg
import inspect
import io
import os
import pickle
import struct
import sys
import warnings
from collections import OrderedDict
from types import FunctionType
from typing import Any

import numpy as np

from ..autograd.node import Hooks, RemovableHandle
from ..device import device
from ..dtypes import dtype, uint8
from ..kernels import memory
from ..layout import layout, memory_format
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..ops.storage import TypedStorage, UntypedStorage
from ..ops.strided import storage_start
from ..random import Generator
from ..tensor import Tensor, wrap
from . import rebuild
from .archive import Writer
from .atomic import replacing
from .locations import location_tag
from .names import outward
from .options import current, get_crc32_options

__all__ = ["MAGIC_NUMBER", "PROTOCOL_VERSION", "save"]

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
DEFAULT_PROTOCOL = 2
ALIGNMENT = 64

_PLAIN = (str, int, float, bool, type(None), bytes, list, dict, tuple, set, OrderedDict)


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object to a file, in PyTorch's format: each engine reads what the other wrote.

    Tensors that share memory share it again after loading. A path gets the new file in one step, when it is
    complete and on the disk: a program that is killed while it saves leaves the old file whole.

    Args:
        obj: tensors, modules' and optimizers' ``state_dict``, whole modules, and what pickle takes.
        f: a path, or an object with ``write``.
        pickle_module: another module with a ``Pickler``.
        pickle_protocol: the default 2 is what ``load`` with ``weights_only=True`` reads.

    Raises:
        RuntimeError: the folder does not exist; two tensors show the same memory as different dtypes.
        TypeError, pickle.PicklingError: something in ``obj`` cannot be pickled.

    Example::

        >>> import io
        >>> import rushlight as torch
        >>> file = io.BytesIO()
        >>> torch.save({"weight": torch.arange(3.)}, file)
        >>> _ = file.seek(0)
        >>> torch.load(file)
        {'weight': tensor([0., 1., 2.])}
    """
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with a 'write' attribute\nIt is {type(f).__name__}."
        )
    if not _use_new_zipfile_serialization and current.skip_data:
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False\nUse the zip format.")
    path = os.fspath(f) if isinstance(f, (str, os.PathLike)) else None
    storages = _Storages(with_views=not _use_new_zipfile_serialization)
    text = io.BytesIO()
    _pickler(pickle_module, text, pickle_protocol, storages).dump(obj)  # before a file is touched: it may fail

    def write(stream: Any) -> None:
        if _use_new_zipfile_serialization:
            _write_zip(stream, _archive_name(path), text.getvalue(), storages, not _disable_byteorder_record)
        else:
            _write_stream(stream, text.getvalue(), storages, pickle_module, pickle_protocol)

    if path is not None:
        with replacing(path) as stream:
            write(stream)
    else:
        write(f)
        if hasattr(f, "flush"):
            f.flush()


# ---------------------------------------------------------------- the two formats


def _archive_name(path: Any) -> str:
    """The folder inside the archive: the file's name without its ending, where that is ASCII."""
    if not isinstance(path, str) or not path.isascii():
        return "archive"
    return path.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or (os.path.basename(path).lstrip(".") or "archive")


def _write_zip(stream: Any, name: str, text: bytes, storages: _Storages, byteorder: bool) -> None:
    archive = Writer(stream.write, name, get_crc32_options(), ALIGNMENT)
    archive.record("data.pkl", text)
    archive.record(".format_version", b"1")
    archive.record(".storage_alignment", str(ALIGNMENT).encode())
    if byteorder:
        archive.record("byteorder", sys.byteorder.encode())
    for key, root, _ in storages:
        archive.record(f"data/{key}", _bytes_of(root))
    archive.close()


def _write_stream(stream: Any, text: bytes, storages: _Storages, pickle_module: Any, protocol: int) -> None:
    """The format before the archive: four pickles, the keys, and the storages one after another."""
    sizes = {"short": 2, "int": 4, "long": 4}
    about = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little", "type_sizes": sizes}
    for head in (MAGIC_NUMBER, PROTOCOL_VERSION, about):
        pickle_module.dump(head, stream, protocol=protocol)
    stream.write(text)
    entries = sorted(storages, key=lambda entry: entry[0])
    pickle_module.dump([key for key, _, _ in entries], stream, protocol=protocol)
    for _, root, item in entries:
        stream.write(struct.pack("<q", memory.nbytes(root) // item))
        data = _bytes_of(root)
        stream.write(data if sys.byteorder == "little" else np.asarray(data).view(f"u{item}").byteswap())


def _bytes_of(root: np.ndarray) -> Any:
    flat = memory.spanning(root)
    return (np.zeros(flat.size, np.uint8) if current.skip_data else flat).data


# ---------------------------------------------------------------- storages and pickles


class _Storages:
    """The storages that a pickle mentions, each once, in the order of their first mention."""

    def __init__(self, with_views: bool) -> None:
        self._found: dict[int, tuple[str, np.ndarray, int]] = {}
        self._dtypes: dict[int, dtype] = {}
        self._with_views = with_views

    def __iter__(self) -> Any:
        return iter(self._found.values())

    def identity(self, storage: Any) -> tuple[Any, ...]:
        """What stands in the pickle for a storage."""
        kind: Any = UntypedStorage
        if isinstance(storage, TypedStorage):
            untyped, its = storage._untyped_storage, storage.dtype
            kind = rebuild.STORAGE_TYPES[rebuild.storage_name(its) or ""]
        else:
            untyped, its = storage, uint8
        root = untyped._root
        if untyped.nbytes() and self._dtypes.setdefault(untyped.data_ptr(), its) is not its:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types"
                "\nSave one of them, and view it again after loading."
            )
        key, *_ = self._found.setdefault(id(root), (str(len(self._found)), root, its.itemsize))
        identity = ("storage", kind, key, location_tag(untyped), untyped.nbytes() // its.itemsize)
        return (*identity, None) if self._with_views else identity


def _pickler(pickle_module: Any, file: Any, protocol: int, storages: _Storages) -> Any:
    """A pickler of the module's kind with our hand in storages, tensors and names."""
    base: Any = pickle._Pickler if pickle_module is pickle else pickle_module.Pickler
    sources: set[type] = set()
    names_itself = hasattr(base, "save_global")  # one in C does not: names stay rushlight's, and PyTorch cannot read them

    class TorchPickler(base):
        def persistent_id(self, obj: Any) -> Any:
            if isinstance(obj, (TypedStorage, UntypedStorage)):
                return storages.identity(obj)
            if storages._with_views and isinstance(obj, type) and issubclass(obj, Module) and obj not in sources:
                sources.add(obj)
                return ("module", obj, *_source_of(obj))
            return None

        def reducer_override(self, obj: Any) -> Any:
            if type(obj) in _PLAIN or (type(obj) is dtype and not names_itself):
                return NotImplemented
            return _reduced(obj)

        if names_itself:

            def save_global(self, obj: Any, name: Any = None) -> None:
                place = outward(obj)
                if place is None:
                    super().save_global(obj, name)
                elif self.proto >= 4:
                    self.save(place[0])
                    self.save(place[1])
                    self.write(pickle.STACK_GLOBAL)
                    self.memoize(obj)
                else:
                    self.write(pickle.GLOBAL + "{}\n{}\n".format(*place).encode())
                    self.memoize(obj)

            dispatch = {**getattr(base, "dispatch", {}), FunctionType: save_global}

    return TorchPickler(file, protocol=protocol)


def _source_of(cls: type) -> tuple[str | None, str | None]:
    try:
        return inspect.getsourcefile(cls), inspect.getsource(cls)
    except (OSError, TypeError):
        warnings.warn(
            f"Couldn't retrieve source code for container of type {cls.__name__}. It won't be checked for "
            "correctness upon loading.",
            stacklevel=2,
        )
        return None, None


def _reduced(obj: Any) -> Any:
    """How rushlight's own objects are taken apart; NotImplemented for all others."""
    if isinstance(obj, Tensor):
        return _reduced_tensor(obj)
    if isinstance(obj, (dtype, rebuild.StorageType)):
        return obj.name
    if isinstance(obj, device):
        return device, (obj.type,) if obj.index is None else (obj.type, obj.index)
    if isinstance(obj, layout):
        return rebuild._get_layout, (repr(obj),)
    if isinstance(obj, memory_format):
        raise TypeError("cannot pickle 'torch.memory_format' object\nSave its name.")
    if isinstance(obj, Generator):
        return Generator, (obj.device,), (obj.initial_seed(), None, obj.get_state())
    if type(obj) is Hooks:
        return OrderedDict, (), None, None, iter(obj.items())
    if type(obj) is RemovableHandle:
        return copyreg.__newobj__, (RemovableHandle,), (obj._table(), obj.id)  # type: ignore[attr-defined]
    return NotImplemented


def _reduced_tensor(t: Tensor) -> Any:
    cls = type(t)
    method = cls.__reduce_ex__
    if method is Parameter.__reduce_ex__:
        state: Any = dict(t.__dict__)
        args: tuple[Any, ...] = (wrap(t._a), t.requires_grad, OrderedDict())
        return (rebuild._rebuild_parameter_with_state, (*args, state)) if state else (rebuild._rebuild_parameter, args)
    if method is not Tensor.__reduce_ex__:
        return NotImplemented  # a class that says itself how it is pickled
    state = t.__getstate__() if cls.__getstate__ is not object.__getstate__ else t.__dict__
    func, args = _described(t)
    if cls is Tensor and not state:
        return func, args
    return rebuild._rebuild_from_type_v2, (func, cls, args, state)


def _described(t: Tensor) -> tuple[Any, tuple[Any, ...]]:
    """The function that rebuilds a tensor, and what it takes."""
    if t._backward_hooks:
        warnings.warn(
            f"backward hook {t._backward_hooks!r} on tensor will not be serialized.  If this is expected, you can "
            "decorate the function with @torch.utils.hooks.unserializable_hook to suppress this warning",
            stacklevel=2,
        )
    array, its = t._a, t.dtype
    if any(s < 0 for s in array.strides):
        array = array.copy()
    root = UntypedStorage(memory.root(array))
    start = storage_start(array) if array.size else 0
    steps = tuple(s // its.itemsize for s in array.strides) if array.size else tuple(t.stride())
    named = rebuild.storage_name(its) is not None
    storage = TypedStorage(root, its) if named else root
    args: tuple[Any, ...] = (storage, start // its.itemsize, array.shape, steps, t.requires_grad, OrderedDict())
    return (rebuild._rebuild_tensor_v2, args) if named else (rebuild._rebuild_tensor_v3, (*args, its))
