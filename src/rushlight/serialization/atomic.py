"""Files that are there whole or not at all.

A checkpoint is written beside its place, under a name of its own, forced to the disk, and then renamed over the
old one, which the file system does in one step. A program that is killed before that leaves the old
checkpoint as it was, and at worst a ``.name.XXXXXXXX.partial`` beside it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["replacing"]


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of ``path`` when the block ends, and vanishes if the block raises.

    A symbolic link stays, and what it points to is replaced. Devices and pipes are written directly.

    Raises:
        RuntimeError: the folder does not exist.
        OSError: the folder cannot be written to, or the disk is full.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        shown = os.path.dirname(path) or folder
        raise RuntimeError(f"Parent directory {shown} does not exist.\nMake it first, with os.makedirs.")
    mode = None
    if os.path.exists(target):
        status = os.stat(target)
        if stat.S_ISDIR(status.st_mode):
            raise RuntimeError(f"File {path} cannot be opened.\nIt is a folder: give the name of a file.")
        if not stat.S_ISREG(status.st_mode):
            with open(target, "wb") as stream:
                yield stream
            return
        mode = stat.S_IMODE(status.st_mode)
    beside = os.path.join(folder, f".{name[:200]}.{secrets.token_hex(4)}.partial")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    number = os.open(beside, flags, 0o666)
    try:
        with open(number, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Force the new name to the disk, where folders can be opened (not on Windows)."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
