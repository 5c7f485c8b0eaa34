"""Switches of ``save`` and ``load``."""

from __future__ import annotations

import mmap
import sys
import threading
from enum import Enum
from typing import Any

__all__ = [
    *("LoadEndianness", "SourceChangeWarning", "get_crc32_options", "set_crc32_options"),
    *("get_default_load_endianness", "set_default_load_endianness"),
    *("get_default_mmap_options", "set_default_mmap_options", "skip_data", "current"),
]

# Windows maps files too, but has no flags to choose from.
MAP_PRIVATE: Any = getattr(mmap, "MAP_PRIVATE", None)
MAP_SHARED: Any = getattr(mmap, "MAP_SHARED", None)


class _Settings:
    def __init__(self) -> None:
        self.crc32 = True
        self.endianness: LoadEndianness | None = None
        self.mmap_flags = MAP_PRIVATE


class _PerThread(threading.local):
    skip_data = False


_settings = _Settings()
current = _PerThread()


class SourceChangeWarning(Warning):
    """The source of a class is not what it was when its object was saved (old format only)."""


class LoadEndianness(Enum):
    """The byte order that files without a mark are taken to have."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


def get_crc32_options() -> bool:
    """Whether ``save`` writes a checksum for each record.

    >>> from rushlight import serialization
    >>> serialization.get_crc32_options()
    True
    """
    return _settings.crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Whether ``save`` writes checksums. Without them ``load`` cannot tell a damaged record."""
    _settings.crc32 = bool(compute_crc32)


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order of files that have no mark; None stands for little."""
    return _settings.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the byte order of files that have no mark."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness\nPass a LoadEndianness or None.")
    _settings.endianness = endianness


def get_default_mmap_options() -> Any:
    """``mmap.MAP_PRIVATE`` (changes of loaded tensors stay in memory) or ``MAP_SHARED`` (they go to the file)."""
    return _settings.mmap_flags


class set_default_mmap_options:
    """Choose how ``load(mmap=True)`` maps a file: a function, and a context manager that takes it back.

    Args:
        flags: ``mmap.MAP_PRIVATE`` or ``mmap.MAP_SHARED``.
    """

    def __init__(self, flags: Any) -> None:
        if sys.platform == "win32":
            raise RuntimeError("Changing the default mmap options is currently not supported for Windows\nMaps are private there.")
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                f"mmap.MAP_SHARED, but got {flags}\nImport them from Python's mmap."
            )
        self.prev, _settings.mmap_flags = _settings.mmap_flags, flags

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        _settings.mmap_flags = self.prev


class skip_data:
    """Context manager: ``save`` leaves zeros where the elements go, ``load`` leaves them uninitialised."""

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self.before, current.skip_data = current.skip_data, True

    def __exit__(self, *_: object) -> None:
        current.skip_data = self.before
