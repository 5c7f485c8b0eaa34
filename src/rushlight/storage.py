"""``torch.storage``: the classes of storages, and storages that are files.

The classes themselves stand in ``ops.storage``. Here they learn what only programs that handle files ask for:
``UntypedStorage.from_file``, and to be taken for arrays of bytes by NumPy and ``torch.asarray``. That is all that
``safetensors.torch`` needs beyond tensors.
"""

from __future__ import annotations

import mmap
import os
from typing import Any

import numpy as np

from .compat import absent
from .kernels import memory
from .ops.storage import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]


def _from_file(filename: Any, shared: bool = False, nbytes: int = 0, *, size: int | None = None) -> UntypedStorage:
    """The bytes of a file as a storage, read from the disk when they are looked at.

    Args:
        filename: a path.
        shared: True writes changes to the file, and makes or lengthens it as needed; False keeps them in
            memory.
        nbytes: how many bytes; 0 takes the whole file.

    Raises:
        RuntimeError: the file is shorter than ``nbytes`` and not shared.

    Example::

        >>> import tempfile
        >>> import rushlight as torch
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     _ = file.write(bytes([1, 2, 3])), file.flush()
        ...     torch.UntypedStorage.from_file(file.name, nbytes=3).tolist()
        [1, 2, 3]
    """
    wanted = int(nbytes if size is None else size)
    if wanted < 0:
        raise RuntimeError(f"from_file: nbytes must not be negative, but is {wanted}\n0 takes the whole file.")
    with open(filename, "r+b" if shared and os.path.exists(filename) else "w+b" if shared else "rb") as file:
        there = os.fstat(file.fileno()).st_size
        if there < wanted and shared:
            file.truncate(wanted)
        elif there < wanted:
            raise RuntimeError(f"mmap {wanted} bytes from file <{os.fspath(filename)}>: it has {there}"
                               "\nAsk for no more, or pass shared=True to lengthen it.")  # fmt: skip
        count = wanted or there
        if not count:
            return UntypedStorage(0)
        access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
        return UntypedStorage(memory.adopt(np.frombuffer(mmap.mmap(file.fileno(), count, access=access), np.uint8)))


def _array_interface(self: UntypedStorage) -> dict[str, Any]:
    return self._bytes.__array_interface__


def _untyped(self: UntypedStorage) -> UntypedStorage:
    """The storage itself: it has no dtype."""
    return self


UntypedStorage.untyped = _untyped  # type: ignore[attr-defined]
UntypedStorage.from_file = staticmethod(_from_file)  # type: ignore[attr-defined]
UntypedStorage.__array_interface__ = property(_array_interface)  # type: ignore[attr-defined]


def __getattr__(name: str) -> object:
    raise absent.missing(__name__, name)
