"""A worker process: it takes indices, fetches, and sends back batches, until the loader closes the connection.

The main thread works; a second thread listens. So indices never wait for a worker that is itself waiting to be
read, and the end of the loader is noticed while a sample is being fetched: the sample may be finished, but a
worker whose loader is gone does not outlive it by more than ``GRACE`` seconds, whatever the dataset is doing.
"""

import contextlib
import os
import pickle
import queue
import random
import threading
import time
from collections.abc import Callable
from multiprocessing import connection as connections
from multiprocessing import parent_process
from typing import Any

import numpy as np

from rushlight import settings
from rushlight.random import manual_seed
from rushlight.utils.data._utils import transport
from rushlight.utils.data._utils.fetch import _DatasetKind
from rushlight.utils.data._utils.info import WorkerInfo, get_worker_info, set_worker_info
from rushlight.utils.data._utils.transport import ExceptionWrapper

__all__ = ["GRACE", "WorkerInfo", "get_worker_info", "work"]

GRACE = 5.0  # seconds that a worker has to finish a sample once the loader is gone
_LOOK_AGAIN = 5.0  # seconds after which a worker looks for its parent, in case nothing told of its end


def numpy_seed(base_seed: int, worker_id: int) -> np.ndarray:
    """Four words for ``numpy.random.seed``, PyTorch's: they differ from what Python's ``random`` is seeded with,
    which is the same algorithm.
    """
    entropy = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return np.random.SeedSequence(entropy).generate_state(4)


def _seed_everything(base_seed: int, worker_id: int) -> int:
    seed = base_seed + worker_id
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(numpy_seed(base_seed, worker_id))
    return seed


class _Inbox:
    """The tasks that have arrived, filled by the listening thread; ``closed`` once there will be no more."""

    def __init__(self, connection: connections.Connection) -> None:
        self._connection = connection
        self._arrived: queue.SimpleQueue = queue.SimpleQueue()
        self.closed = False
        threading.Thread(target=self._listen, daemon=True, name="rushlight-listener").start()

    def get(self) -> bytes | None:
        """The next message, or None at the end."""
        return self._arrived.get()

    def _listen(self) -> None:
        parent, parent_pid = parent_process(), os.getppid()
        watched: list[Any] = [self._connection] if parent is None else [self._connection, parent.sentinel]
        with contextlib.suppress(EOFError, OSError):  # the loader has closed its end, or is gone
            while True:
                ready = connections.wait(watched, _LOOK_AGAIN)
                if self._connection in ready:
                    self._arrived.put(self._connection.recv_bytes())
                elif ready or os.getppid() != parent_pid:
                    break
        self.closed = True
        self._arrived.put(None)
        time.sleep(GRACE)
        os._exit(1)


def work(
    connection: connections.Connection,
    kind: int,
    dataset: Any,
    auto_collation: bool,
    collate_fn: Callable,
    drop_last: bool,
    base_seed: int,
    init_fn: Callable[[int], None] | None,
    worker_id: int,
    num_workers: int,
) -> None:
    """What a worker process runs.

    A message is ((epoch, task), indices); the task None begins a new pass over the dataset. An answer's head is
    (epoch, task, kind of answer).
    """
    # Control-C reaches the loader's process as well, which tells of it; and a connection that nobody reads any more
    # is the end of the work. (The dataset's own errors, these kinds included, have become answers before that.)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        settings.set_num_threads(1)
        seed = _seed_everything(base_seed, worker_id)
        set_worker_info(WorkerInfo(id=worker_id, num_workers=num_workers, seed=seed, dataset=dataset))
        desk = _Desk(kind, dataset, auto_collation, collate_fn, drop_last, worker_id)
        with contextlib.closing(transport.Sender(connection)) as sender:
            inbox = _Inbox(connection)
            desk.begin(init_fn)
            while (message := inbox.get()) is not None:
                if inbox.closed:
                    continue
                (epoch, task), index = transport.unpack(message, _no_file)
                if task is None:
                    desk.begin()
                elif not desk.exhausted:
                    what, answer = desk.answer(index)
                    sender.send(*_packed((epoch, task, what), answer, desk.where))
                    del answer  # its memory is free while this waits


class _Desk:
    """Where a worker makes its answers."""

    def __init__(
        self,
        kind: int,
        dataset: Any,
        auto_collation: bool,
        collate_fn: Callable,
        drop_last: bool,
        worker_id: int,
    ) -> None:
        self._kind = kind
        self._fetching = dataset, auto_collation, collate_fn, drop_last
        self._fetcher: Any = None
        self._worker_id = worker_id
        self._trouble: ExceptionWrapper | None = None
        self.where = f"in DataLoader worker process {worker_id}"
        self.exhausted = False

    def begin(self, init_fn: Callable[[int], None] | None = None) -> None:
        """Begin a pass over the dataset; an error in it is the answer to every task."""
        self.exhausted, self._trouble = False, None
        try:
            if init_fn is not None:
                init_fn(self._worker_id)
            self._fetcher = _DatasetKind.create_fetcher(self._kind, *self._fetching)
        except Exception:
            self._trouble = ExceptionWrapper(where=self.where)

    def answer(self, index: Any) -> tuple[int, Any]:
        """The kind of answer to a task, and the answer."""
        trouble = index if isinstance(index, ExceptionWrapper) else self._trouble
        if trouble is not None:
            return transport.FAILED, trouble
        try:
            return transport.DATA, self._fetcher.fetch(index)
        except Exception as error:
            if isinstance(error, StopIteration) and self._kind == _DatasetKind.Iterable:
                self.exhausted = True
                return transport.EXHAUSTED, None
            return transport.FAILED, ExceptionWrapper(where=self.where)


def _packed(head: tuple, answer: Any, where: str) -> tuple[bytes, int | None]:
    """The answer as a message; what cannot be pickled becomes the error that says so."""
    try:
        return transport.pack(head, answer)
    except Exception:
        failed = (*head[:2], transport.FAILED)
        if isinstance(answer, ExceptionWrapper):  # of a class that cannot be found by its name
            answer.exc_msg += f"\n(Its type, {answer.exc_type.__qualname__}, could not be pickled.)"
            answer.exc_type = RuntimeError
        else:
            answer = ExceptionWrapper(where=where)
            if not isinstance(answer.exc_type, type) or answer.exc_type.__module__ not in _ALWAYS_THERE:
                answer.exc_type = RuntimeError
        return transport.pack(failed, answer)


_ALWAYS_THERE = ("builtins", pickle.PicklingError.__module__)


def _no_file() -> int:
    raise EOFError("a message from the loader has no file")
