"""What passes between a loader and its workers: indices one way, batches the other.

**Messages.** Each worker has one connection of its own, and one process at either end. A queue that all workers
share needs a lock, and a worker that is killed while it holds the lock takes the others with it. A message is a
head (which task, and how to read the rest) and a body, both pickled; a body that cannot be read is then still a
message about a task.

**Large arrays** do not go through the connection. Pickle hands out their memory separately (protocol 5); it is
written to an anonymous file in memory (``memfd_create``), whose descriptor follows the message, and the receiver maps
that file and lays the arrays over it. Such a file has no name: nothing is left behind when a process is killed,
and the size of ``/dev/shm`` does not matter. All large arrays of one message share a file. The receiver's mapping
may hold a descriptor as long as an array lives, so from a certain number on it reads the file instead. Systems
without ``memfd_create`` send everything through the connection.

**Tensors** are sent by their storage, so that two that share memory share it on the other side; but one that lies in
a much larger storage (a row of the dataset's tensor) is sent alone.
"""

import io
import mmap
import os
import pickle
import queue
import socket
import struct
import sys
import threading
import traceback
import weakref
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.kernels import memory
from rushlight.tensor import Tensor, wrap

__all__ = ["DATA", "EXHAUSTED", "FAILED", "ExceptionWrapper", "Receiver", "Sender", "pack", "unpack"]

DATA, FAILED, EXHAUSTED = 0, 1, 2  # kinds of answers

_HAS_FILES = hasattr(os, "memfd_create") and hasattr(socket, "send_fds")
_SHARED_FROM = 128 * 1024  # bytes from which an array goes through a file; measured, see `pack`
_IN_ONE_GO = 16 * 1024  # bytes that a connection takes without waiting for the reader
_MAPPED_AT_MOST = 256  # files; the usual limit of descriptors is 1024
_ALIGNMENT = 64
_HEAD = struct.Struct("<I")


class KeyErrorMessage(str):
    """A text that KeyError, which shows the repr of its argument, shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self


class ExceptionWrapper:
    """The exception that is being handled, to be raised again in another process.

    Args:
        where: "in DataLoader worker process 0", for the message.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, error, trace = exc_info or sys.exc_info()
        self.exc_type: Any = kind
        self.exc_msg = "".join(traceback.format_exception(kind, error, trace))
        self.where = where

    def reraise(self) -> None:
        """Raise an exception of the same type, with the original traceback as its text.

        A type that does not take one text as its argument becomes a RuntimeError.
        """
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = KeyErrorMessage(text)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=text)
        try:
            made = self.exc_type(text)
        except Exception:
            raise RuntimeError(text) from None
        raise made


# ---------------------------------------------------------------- pickling


class _Pickler(pickle.Pickler):
    """Pickles tensors as what they show of their storage."""

    def __init__(self, file: Any, buffer_callback: Callable | None) -> None:
        super().__init__(file, 5, buffer_callback=buffer_callback)
        self._storages: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # id -> (storage, as it is sent)

    def reducer_override(self, obj: Any) -> Any:
        return self._tensor(obj) if obj.__class__ is Tensor else NotImplemented

    def _tensor(self, tensor: Tensor) -> Any:
        if tensor.requires_grad and not tensor.is_leaf:
            raise RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not "
                "support crossing process boundaries.  If you just want to transfer the data, call detach() on "
                "the tensor before serializing (e.g., putting it on the queue)."
                "\nIt is part of what the dataset or collate_fn returned in a worker."
            )
        array = tensor._a
        owner = memory.root(array)
        if 2 * array.nbytes < owner.nbytes or not array.flags.writeable:
            array = owner = array.copy("K")
        if id(owner) not in self._storages:
            # Bytes, where the storage has gaps or a dtype that is no buffer (bfloat16).
            plain = owner.flags.c_contiguous and owner.dtype.kind != "V"
            self._storages[id(owner)] = owner, owner if plain else memory.spanning(owner)
        sent = self._storages[id(owner)][1]
        start = memory.address(array) - memory.address(sent) if array.size else 0
        layout = start, array.shape, array.strides
        return _tensor, (sent, tensor.dtype.name, layout, tensor.requires_grad, tensor.__dict__)


def _tensor(sent: np.ndarray, dtype: str, layout: Any, requires_grad: bool, state: dict) -> Tensor:
    """The other half of ``_Pickler._tensor``."""
    start, shape, strides = layout
    wanted = dtypes.BY_NAME[dtype].numpy
    if 0 in shape:
        made = wrap(np.empty(shape, wanted))
    elif sent.dtype == wanted and sent.shape == shape and sent.strides == strides:
        made = wrap(sent)
    else:
        made = wrap(np.ndarray(shape, wanted, sent, start, strides))
    if requires_grad:
        made._rg = True
    if state:
        made.__dict__.update(state)
    return made


def pack(head: tuple, body: Any, share: bool = _HAS_FILES) -> tuple[bytes, int | None]:
    """A message, and the descriptor of the file that belongs to it, if any.

    From ``_SHARED_FROM`` bytes on an array costs the receiver less through a file: a connection is read in pieces
    and copied twice, a mapping costs one call and its page faults.
    """
    buffers: list[memoryview] = []

    def inside(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes < _SHARED_FROM:
            return True
        buffers.append(raw)
        return False

    stream = io.BytesIO()
    _Pickler(stream, inside if share else None).dump(body)
    if not buffers:
        front = pickle.dumps((head, None))
        return b"".join((_HEAD.pack(len(front)), front, stream.getbuffer())), None
    spans, size = [], 0
    for raw in buffers:
        spans.append((size, size + raw.nbytes))
        size += -(-raw.nbytes // _ALIGNMENT) * _ALIGNMENT
    file = os.memfd_create("rushlight", os.MFD_CLOEXEC)
    try:
        for raw, (start, _) in zip(buffers, spans):
            written = 0
            while written < raw.nbytes:
                written += os.pwrite(file, raw[written:], start + written)
        os.ftruncate(file, size)
    except BaseException:
        os.close(file)
        raise
    front = pickle.dumps((head, (size, spans)))
    return b"".join((_HEAD.pack(len(front)), front, stream.getbuffer())), file


_mapped: "weakref.WeakSet[mmap.mmap]" = weakref.WeakSet()


def unpack(message: bytes, next_file: Callable[[], int]) -> tuple[tuple, Any]:
    """(head, body) of a message; the body may be an exception that reading it raised, as an ExceptionWrapper.

    Args:
        next_file: gives the descriptor of the file that follows a message.
    """
    view = memoryview(message)
    (length,) = _HEAD.unpack_from(view)
    end = _HEAD.size + length
    head, shared = pickle.loads(view[_HEAD.size : end])
    buffers = None
    if shared is not None:
        size, spans = shared
        whole = memoryview(_contents(next_file(), size))
        buffers = [whole[start:stop] for start, stop in spans]
    try:
        return head, pickle.loads(view[end:], buffers=buffers)
    except Exception:
        return head, ExceptionWrapper(where="while reading what another process of a DataLoader sent")


def _contents(file: int, size: int) -> Any:
    try:
        if len(_mapped) < _MAPPED_AT_MOST:
            made = mmap.mmap(file, size)
            _mapped.add(made)
            return made
        copied = np.empty(size, np.uint8)
        done = 0
        while done < size:
            done += os.preadv(file, [copied[done:].data], done)
        return copied
    finally:
        os.close(file)


# ---------------------------------------------------------------- the two ends


class Sender:
    """Sends messages. A large one is left to a thread, so that a worker goes on with its next batch and does not
    wait until this one is read.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._files = _descriptors(connection)
        self._waiting: queue.Queue | None = None
        self._broken = False

    def send(self, message: bytes, file: int | None) -> None:
        """Send a message and its file, which is closed; OSError where nobody reads any more."""
        if self._broken:
            raise BrokenPipeError("nobody reads this connection any more")
        if self._waiting is None and len(message) > _IN_ONE_GO:
            self._waiting = queue.Queue()
            threading.Thread(target=self._work, daemon=True, name="rushlight-sender").start()
        if self._waiting is not None and (len(message) > _IN_ONE_GO or self._waiting.unfinished_tasks):
            self._waiting.put((message, file))
        else:
            self._put(message, file)

    def close(self) -> None:
        """Wait until everything is sent, and close this end."""
        if self._waiting is not None:
            self._waiting.join()
        if self._files is not None:
            self._files.close()
        self._connection.close()

    def _work(self) -> None:
        assert self._waiting is not None
        while True:
            message, file = self._waiting.get()
            try:
                self._put(message, file)
            except OSError:
                self._broken = True
            self._waiting.task_done()

    def _put(self, message: bytes, file: int | None) -> None:
        try:
            self._connection.send_bytes(message)
            if file is not None:
                assert self._files is not None
                socket.send_fds(self._files, [b"."], [file])
        finally:
            if file is not None:
                os.close(file)


class Receiver:
    """Receives messages."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._files = _descriptors(connection)

    def receive(self) -> tuple[tuple, Any]:
        """The next message, as ``unpack`` gives it; EOFError or OSError where the other end is gone."""
        return unpack(self._connection.recv_bytes(), self._next_file)

    def _next_file(self) -> int:
        assert self._files is not None
        _, files, _, _ = socket.recv_fds(self._files, 1, 1)
        if not files:
            raise EOFError("the other process ended in the middle of a message")
        return files[0]

    def close(self) -> None:
        """Close this end; the other one learns of it."""
        if self._files is not None:
            self._files.close()
        self._connection.close()


def _descriptors(connection: Connection) -> socket.socket | None:
    """The connection as a socket, which can carry descriptors."""
    if not _HAS_FILES:
        return None
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, os.dup(connection.fileno()))
    made.settimeout(None)  # whatever socket.setdefaulttimeout says: it would hold for the connection too
    return made
