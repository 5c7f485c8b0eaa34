"""Loading: an archive or an old stream of pickles, by the machine that only builds data or by Python's.

What was saved by PyTorch arrives as rushlight's tensors, parameters and modules, and the other way round.
"""

from __future__ import annotations

import functools
import inspect
import io
import mmap as mapping
import os
import pickle
import struct
import sys
import warnings
from typing import Any

import numpy as np

from ..kernels import memory
from ..ops.storage import TypedStorage, UntypedStorage
from . import rebuild, safetensors, weights
from .archive import Reader
from .locations import restorer
from .names import inward
from .options import (
    MAP_SHARED,
    LoadEndianness,
    SourceChangeWarning,
    current,
    get_default_load_endianness,
    get_default_mmap_options,
)
from .weights import UNSAFE_MESSAGE, WeightsUnpickler, read_global
from .writing import MAGIC_NUMBER, PROTOCOL_VERSION

__all__ = ["get_unsafe_globals_in_checkpoint", "load"]

_YES = ("1", "y", "yes", "true")


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read an object that ``save`` wrote, rushlight's or PyTorch's.

    By default nothing in the file can run code: it may hold tensors, parameters, numbers, text, containers of
    them, and what ``serialization.add_safe_globals`` permits. ``weights_only=False`` runs what the file says, so
    it is for files from people you trust.

    Every record is compared with its checksum before it is used; with ``mmap=True`` the elements of tensors
    are not, since they are read from the disk when they are looked at.

    Args:
        f: a path, or an object with ``read``, ``readline``, ``seek`` and ``tell``.
        map_location: where storages of other devices go: ``"cpu"``, a ``torch.device``, a dict of tags, or a
            function of (storage, tag).
        pickle_module: another module with an ``Unpickler``; only without ``weights_only``.
        weights_only: True unless ``pickle_module`` is given.
        mmap: map the file into memory; changes of the tensors stay in memory.
        pickle_load_args: for the unpickler, such as ``encoding``.

    Raises:
        pickle.UnpicklingError: the file asks for more than ``weights_only`` permits, or its pickle is damaged.
        RuntimeError: the file is damaged or cut off, and the message names the part; or it is for a device
            that is not there.
        EOFError: the file is empty, or an old one ends too early.

    Example::

        >>> import io
        >>> import rushlight as torch
        >>> file = io.BytesIO()
        >>> torch.save(torch.nn.Linear(2, 1).state_dict(), file)
        >>> _ = file.seek(0)
        >>> list(torch.load(file))
        ['weight', 'bias']
    """
    safe = _decide(weights_only, pickle_module)
    if safe and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified"
                           "\nLeave pickle_module out, or pass weights_only=False.")  # fmt: skip
    if safe and pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    pickle_load_args.setdefault("encoding", "utf-8")
    unpickler = WeightsUnpickler if safe else _torch_unpickler(pickle_module or pickle)
    unpickler = functools.partial(unpickler, **pickle_load_args)
    path = os.fspath(f) if isinstance(f, (str, os.PathLike)) else None
    if path is not None:
        if str(path).endswith(".safetensors"):
            return safetensors.load_file(path, map_location)
        with open(path, "rb") as file:
            return _explained(safe, _load, file, path, map_location, unpickler, safe, mmap)
    _check_seekable(f)
    start, whole = f.tell(), _with_an_end(f)
    result = _explained(safe, _load, whole, None, map_location, unpickler, safe, mmap)
    if whole is not f:
        f.seek(start + whole.tell())  # another object may follow
    return result


def _decide(weights_only: bool | None, pickle_module: Any) -> bool:
    forced = os.getenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0").lower() in _YES
    loose = os.getenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "0").lower() in _YES
    if forced and loose:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but "
            "both were set.\nUnset one of them."
        )
    if forced:
        return True
    if weights_only is None and loose:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
            "explicitly passed to `torch.load`, forcing weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        return False
    return pickle_module is None if weights_only is None else bool(weights_only)


def _explained(safe: bool, function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except pickle.UnpicklingError as error:
        if not safe:
            raise
        raise pickle.UnpicklingError(weights.advice(str(error))) from error.__cause__


def _check_seekable(f: Any) -> None:
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        if "seek" not in str(error) and "tell" not in str(error):
            raise
        raise type(error)(
            f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer "
            "like io.BytesIO and try to load from it instead."
        ) from None


def _with_an_end(f: Any) -> Any:
    """The file, or its rest in memory where nobody can tell how long it is (``gzip`` before Python 3.12)."""
    start = f.tell()
    try:
        f.seek(0, io.SEEK_END)
    except (ValueError, io.UnsupportedOperation):
        return io.BytesIO(f.read())
    f.seek(start)
    return f


def _load(file: Any, path: Any, map_location: Any, unpickler: Any, safe: bool, mmap: bool | None) -> Any:
    start = file.tell()
    magic = file.read(4)
    file.seek(start)
    if magic == b"PK\3\4":
        archive = Reader(file)
        if "constants.pkl" in archive:
            _refuse_script(safe)
        return _Archive(archive, path, map_location, bool(mmap)).load(unpickler)
    if mmap:
        name = f"{path}, " if isinstance(path, str) else ""
        raise RuntimeError(
            f"mmap can only be used with files saved with `torch.save({name}_use_new_zipfile_serialization=True), please "
            "torch.save your checkpoint with this option in order to use mmap."
        )
    if not magic:
        raise EOFError("Ran out of input\nThe file is empty.")
    return _load_stream(file, map_location, unpickler, safe)


def _refuse_script(safe: bool) -> None:
    if safe:
        raise RuntimeError(
            "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. " + UNSAFE_MESSAGE
            + "\nrushlight has no TorchScript: in PyTorch, save torch.jit.load(file).state_dict()."
        )  # fmt: skip
    raise RuntimeError(
        "'torch.load' received a zip file that looks like a TorchScript archive\nrushlight has no TorchScript: in "
        "PyTorch, save torch.jit.load(file).state_dict()."
    )


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """Full names of the classes and functions in a checkpoint that ``weights_only=True`` would refuse.

    The pickle is read, not run. ValueError if ``f`` is no checkpoint.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    _check_seekable(f)
    start = f.tell()
    magic = f.read(4)
    f.seek(start)
    if magic != b"PK\3\4":
        raise ValueError("Expected input to be a checkpoint returned by torch.save\nIt is no zip archive.")
    archive = Reader(f)
    if "constants.pkl" in archive:
        raise ValueError(
            "Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint"
            "\nrushlight has no TorchScript."
        )
    return sorted(_globals_in(archive.read("data.pkl")) - weights.allowed())


def _globals_in(text: bytes) -> set[str]:
    """The names in a pickle of protocol 2."""
    file = io.BytesIO(text)
    found: set[str] = set()
    while True:
        key = file.read(1)
        if not key:
            raise EOFError("Ran out of input\nThe pickle ends before its STOP.")
        if key == pickle.STOP:
            return found
        if key == pickle.GLOBAL:
            found.add(".".join(read_global(file)))
        elif key in _LENGTHS:
            file.read(_LENGTHS[key])
        elif key == pickle.BINUNICODE:
            file.read(*struct.unpack("<I", file.read(4)))
        elif key in (pickle.SHORT_BINSTRING, pickle.LONG1):
            file.read(*struct.unpack("<B", file.read(1)))
        elif key not in weights._OPCODES:
            raise pickle.UnpicklingError(f"Unsupported operand {key[0]}")


_LENGTHS = {
    pickle.BININT: 4, pickle.BININT1: 1, pickle.BININT2: 2, pickle.BINFLOAT: 8, pickle.BINGET: 1, pickle.BINPUT: 1,
    pickle.LONG_BINGET: 4, pickle.LONG_BINPUT: 4, pickle.PROTO: 1,
}  # fmt: skip


# ---------------------------------------------------------------- names and storages


def _torch_unpickler(pickle_module: Any) -> Any:
    """The module's unpickler, with rushlight's classes for PyTorch's names."""

    class TorchUnpickler(pickle_module.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if module == "torch" or module.startswith("torch."):
                return inward(module, name)
            return super().find_class(module, name)

    return TorchUnpickler


def _storage_parts(saved_id: Any, count: int) -> tuple[Any, ...]:
    """(dtype, key, location, numel, ...) of a persistent id, after a look at their types."""
    if type(saved_id) is not tuple or len(saved_id) != count or not _is_text(saved_id[0], "storage"):
        raise pickle.UnpicklingError(f"A persistent id of a storage has {count} parts, this one is {type(saved_id)}")
    _, kind, key, location, numel, *rest = saved_id
    dtype = rebuild.STORAGE_TYPES["ByteStorage"].dtype if kind is UntypedStorage else getattr(kind, "dtype", None)
    if not isinstance(kind, rebuild.StorageType) and kind is not UntypedStorage:
        raise pickle.UnpicklingError(f"A storage is of an unknown kind: {type(kind)}")
    if type(key) is not str or type(numel) is not int or numel < 0 or type(_text(location)) is not str:
        raise pickle.UnpicklingError("A persistent id of a storage needs a key, a location and a number of elements")
    return (dtype, key, _text(location), numel, *rest)


def _is_text(value: Any, wanted: str) -> bool:
    """Whether it is this text, without asking an object of the file whether it equals it."""
    return type(value) in (str, bytes) and _text(value) == wanted


def _text(value: Any) -> Any:
    return value.decode("ascii") if type(value) is bytes else value


def _swapped(data: np.ndarray, dtype: Any) -> np.ndarray:
    """Bytes of the other byte order, put right; the parts of a complex number count one by one."""
    item = dtype.itemsize // (2 if dtype.is_complex else 1)
    return data if item == 1 else data.view(f"u{item}").byteswap().view(np.uint8)


def _as_storage(data: np.ndarray, dtype: Any) -> UntypedStorage:
    """A storage over bytes; those of bools become 0 or 1, which NumPy relies on."""
    if dtype.name == "bool" and data.size and data.max() > 1:
        data = (data != 0).view(np.uint8)
    return UntypedStorage(memory.adopt(data))


class _Archive:
    """An object in a zip archive."""

    def __init__(self, archive: Reader, path: Any, map_location: Any, mmap: bool) -> None:
        self._archive, self._restore = archive, restorer(map_location)
        self._loaded: dict[str, TypedStorage] = {}
        self._whole: Any = None
        if mmap:
            if path is None:
                raise ValueError("f must be a file path in order to use the mmap argument\nIt is an open file.")
            self._whole = _mapped(path)
        self._foreign = self._byteorder() != sys.byteorder

    def _byteorder(self) -> str:
        if "byteorder" in self._archive:
            order = self._archive.read("byteorder")
            if order not in (b"little", b"big"):
                raise ValueError(f"Unknown endianness type: {order[:20]!r}\nRecord 'byteorder' holds it.")
            return order.decode()
        asked = get_default_load_endianness()
        return {LoadEndianness.BIG: "big", LoadEndianness.NATIVE: sys.byteorder}.get(asked, "little")  # type: ignore[arg-type]

    def load(self, unpickler: Any) -> Any:
        """The object that record ``data.pkl`` describes."""
        machine = unpickler(io.BytesIO(self._archive.read("data.pkl")))
        machine.persistent_load = self._persistent
        return machine.load()

    def _persistent(self, saved_id: Any) -> TypedStorage:
        dtype, key, location, numel = _storage_parts(saved_id, 5)
        if key not in self._loaded:
            data = self._data(f"data/{key}", numel * dtype.itemsize, dtype)
            if self._foreign:
                data = _swapped(data, dtype)
            self._loaded[key] = TypedStorage(self._restore(_as_storage(data, dtype), location), dtype)
        storage = self._loaded[key]
        return storage if storage.dtype is dtype else TypedStorage(storage._untyped_storage, dtype)

    def _data(self, name: str, size: int, dtype: Any) -> np.ndarray:
        record = self._archive.find(name)
        if not 0 <= record.size - size < dtype.itemsize:
            self._archive._refuse(name, f"it has {record.size} bytes, and the object needs {size}")
        if current.skip_data:
            return np.empty(record.size, np.uint8)
        if self._whole is None:
            return self._archive.array(record)
        start = self._archive.offset(record)
        return self._whole[start : start + record.size]


def _mapped(path: Any) -> np.ndarray:
    with open(path, "r+b" if get_default_mmap_options() == MAP_SHARED and MAP_SHARED is not None else "rb") as file:
        shared = file.mode.startswith("r+") or file.mode == "rb+"
        access = mapping.ACCESS_WRITE if shared else mapping.ACCESS_COPY
        return np.frombuffer(mapping.mmap(file.fileno(), 0, access=access), np.uint8)


# ---------------------------------------------------------------- the old format


class _Bounded:
    """A file that believes no length beyond its end, so that nobody reserves memory for bytes that are not there."""

    def __init__(self, file: Any) -> None:
        self._file = file
        at = file.tell()
        file.seek(0, io.SEEK_END)
        self.end = file.tell()
        file.seek(at)

    def left(self) -> int:
        return self.end - self._file.tell()

    def read(self, size: int = -1) -> bytes:
        return self._file.read(min(size, self.left()) if size >= 0 else size)

    def readline(self) -> bytes:
        return self._file.readline(1 << 16)

    def readinto(self, view: Any) -> int:
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)


class _Stream:
    """The storages of a stream: they are named in the pickle and follow it."""

    def __init__(self, map_location: Any, room: int) -> None:
        self._restore, self._room = restorer(map_location), room
        self.storages: dict[str, TypedStorage] = {}
        self._fresh: dict[str, tuple[np.ndarray, Any]] = {}

    def persistent(self, saved_id: Any) -> Any:
        if type(saved_id) is tuple and len(saved_id) == 4 and _is_text(saved_id[0], "module"):
            _compare_source(*saved_id[1:])
            return saved_id[1]
        dtype, key, location, numel, view = _storage_parts(saved_id, 6)
        if key not in self.storages:
            size = numel * dtype.itemsize
            self._room -= size
            if self._room < 0:
                raise pickle.UnpicklingError(f"Storage {key} of {size} bytes is bigger than the file")
            data = np.zeros(size, np.uint8)
            self._fresh[key] = data, dtype
            self.storages[key] = TypedStorage(self._restore(UntypedStorage(data), location), dtype)
        if view is None:
            return self.storages[key]
        return self._part(self.storages[key], view)

    def _part(self, whole: TypedStorage, view: Any) -> TypedStorage:
        """A storage that is a part of another: files before 2018 have them."""
        if type(view) is not tuple or len(view) != 3 or not all(type(n) is int and n >= 0 for n in view[1:]):
            raise pickle.UnpicklingError("A view of a storage needs a key, an offset and a size")
        item = whole.dtype.itemsize
        start, stop = view[1] * item, (view[1] + view[2]) * item
        if stop > whole.nbytes():
            raise pickle.UnpicklingError(f"Storage {view[0] if type(view[0]) is str else '?'} leaves its root")
        return TypedStorage(UntypedStorage(memory.adopt(whole._untyped_storage._bytes[start:stop])), whole.dtype)

    def fill(self, keys: Any, file: _Bounded) -> None:
        """Read the bytes of each storage."""
        if type(keys) is not list or any(type(k) is not str for k in keys) or set(keys) != set(self._fresh):
            raise RuntimeError("the file does not list the storages that its object needs\nIt is damaged.")
        for key in keys:
            data, dtype = self._fresh[key]
            head = file.read(8)
            if len(head) != 8 or struct.unpack("<q", head)[0] * dtype.itemsize != data.size:
                raise RuntimeError(
                    f"unexpected EOF or wrong size in storage {key}. The file might be corrupted.\n"
                    f"The object needs {data.size} bytes."
                )
            got = file.readinto(data.data)
            if got != data.size:
                raise RuntimeError(
                    f"unexpected EOF, expected {data.size - got} more bytes. The file might be corrupted.\n"
                    f"It ends within storage {key}."
                )
            if sys.byteorder == "big":
                data[:] = _swapped(data, dtype)
            if dtype.name == "bool":
                np.minimum(data, 1, out=data)


def _compare_source(cls: Any, file: Any, source: Any) -> None:
    """Warn if a class is not what it was; rushlight's own never are what PyTorch's were."""
    if not source or not isinstance(cls, type) or cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
        return
    try:
        now = inspect.getsource(cls)
    except (OSError, TypeError):
        warnings.warn(
            f"Couldn't retrieve source code for container of type {cls.__name__}. It won't be checked for correctness "
            "upon loading.",
            stacklevel=2,
        )
        return
    if now != source:
        warnings.warn(
            f"source code of class '{cls.__module__}.{cls.__name__}' has changed. you can retrieve the original source "
            "code by accessing the object's source attribute or set `torch.nn.Module.dump_patches = True` and use the "
            "patch tool to revert the changes.",
            SourceChangeWarning,
            stacklevel=2,
        )


def _load_stream(file: Any, map_location: Any, unpickler: Any, safe: bool) -> Any:
    start = file.tell()
    if start == 0 and file.read(512)[257:262] == b"ustar":
        raise RuntimeError(
            ("Cannot use ``weights_only=True`` with files saved in the legacy .tar format. " + UNSAFE_MESSAGE if safe
             else "The file is in the legacy .tar format")
            + "\nrushlight does not read the format of 2016: load it in PyTorch and save it again."
        )  # fmt: skip
    file.seek(start)
    bounded = _Bounded(file)
    stream = _Stream(map_location, bounded.left())
    magic = unpickler(bounded).load()
    if type(magic) is not int or magic != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?\nIt is neither an archive nor an old checkpoint.")
    version = unpickler(bounded).load()
    if type(version) is not int or version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version if type(version) is int else type(version)}"
                           f"\nOld checkpoints have {PROTOCOL_VERSION}.")  # fmt: skip
    unpickler(bounded).load()
    machine = unpickler(bounded)
    machine.persistent_load = stream.persistent
    waiting: list[Any] = []
    rebuild.pending.generators = waiting
    try:
        result = machine.load()
    finally:
        rebuild.pending.generators = None
    stream.fill(unpickler(bounded).load(), bounded)
    for made, state in waiting:
        made.become(state)
    return result
