"""The worker processes of one iterator, seen from the loader.

Every wait is for the workers' connections *and* for the ends of their processes, so a killed worker is noticed when
it dies and not when something times out; no signal handler is needed for it. The pool knows nothing of the iterator
that owns it: a finaliser of the iterator stops it, when the iterator is collected or the interpreter ends.
"""

import contextlib
import os
import pickle
import signal
import time
import warnings
from collections import deque
from collections.abc import Callable
from multiprocessing import connection as connections
from multiprocessing import util
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any

from rushlight.utils.data._utils import transport
from rushlight.utils.data._utils.worker import GRACE

__all__ = ["Pool"]

_AFTER_SIGTERM = 1.0  # seconds a worker has to follow that signal


class Pool:
    """Processes, each with its connection.

    Args:
        context: of multiprocessing.
        target: what a process runs, called with its end of the connection and further arguments.
        arguments: those further arguments, one tuple for each process.
    """

    def __init__(self, context: BaseContext, target: Callable, arguments: list[tuple]) -> None:
        self._owner = os.getpid()
        self.workers: list[BaseProcess] = []
        self.failure = ""
        self._ends: list[connections.Connection] = []
        self._receivers: list[transport.Receiver] = []
        self._active: list[bool] = []
        self._watched: dict[Any, int] = {}
        self._arrived: deque[tuple[int, tuple, Any]] = deque()
        self.stopped = False
        try:
            for further in arguments:
                self._start(context, target, further)
        except BaseException:
            self.stop()
            raise

    def _start(self, context: Any, target: Callable, further: tuple) -> None:
        mine, theirs = context.Pipe()
        receiver = transport.Receiver(mine)
        # Processes forked later must not keep a dead loader's connections open.
        util.register_after_fork(receiver, transport.Receiver.close)
        process = context.Process(target=target, args=(theirs, *further))
        process.daemon = True
        try:
            with theirs:
                process.start()
        except BaseException as error:
            receiver.close()
            if isinstance(error, (TypeError, AttributeError, pickle.PicklingError)):
                warnings.warn(
                    "Got pickle error when attempting to start a worker Process. "
                    "This might be because the worker Process arguments are not picklable. "
                    "Python 3.14+ changed the multiprocessing start method in non-Mac POSIX platforms "
                    "to 'forkserver', which requires the worker Process arguments to be picklable. "
                    "You can also try multiprocessing.set_start_method('fork').",
                    stacklevel=6,
                )
            raise
        number = len(self.workers)
        self.workers.append(process)
        self._ends.append(mine)
        self._receivers.append(receiver)
        self._active.append(True)
        self._watched[mine] = self._watched[process.sentinel] = number

    # ------------------------------------------------------------ messages

    def send(self, worker: int, head: tuple, body: Any) -> None:
        """Send a task. RuntimeError if the worker is gone."""
        self._check()
        message, _ = transport.pack(head, body, share=False)
        try:
            self._ends[worker].send_bytes(message)
        except (BrokenPipeError, ConnectionResetError):
            self._fail([worker])

    def receive(self, timeout: float | None) -> tuple[int, tuple, Any] | None:
        """(worker, head, body) of the next answer, or None if none arrives in ``timeout`` seconds.

        RuntimeError if a worker has ended that should not have.
        """
        self._check()
        if not self._arrived:
            ready = connections.wait(list(self._watched), timeout)
            gone = {self._watched[handle] for handle in ready if isinstance(handle, int)}
            if gone:
                self._fail(sorted(gone))
            for handle in ready:
                worker = self._watched[handle]
                try:
                    self._arrived.append((worker, *self._receivers[worker].receive()))
                except (EOFError, OSError):
                    self._fail([worker])
        return self._arrived.popleft() if self._arrived else None

    def _check(self) -> None:
        if self.failure:
            raise RuntimeError(self.failure)
        if self.stopped:
            raise AssertionError(
                "Invalid iterator state: shutdown or no outstanding tasks when fetching next data"
                "\nThe workers were ended: iterate over the DataLoader again."
            )

    def _fail(self, gone: list[int]) -> None:
        """Report workers that have ended, and end the others."""
        ended = [self.workers[number] for number in gone]
        for worker in ended:
            worker.join(GRACE)
        pids = ", ".join(str(worker.pid) for worker in ended)
        self.failure = f"DataLoader worker (pid(s) {pids}) exited unexpectedly\n{_HELP}"
        cause = RuntimeError(_how_it_ended(ended[0]))
        self.stop()
        raise RuntimeError(self.failure) from cause

    # ------------------------------------------------------------ the end

    def release(self, worker: int) -> None:
        """Let one worker end, because there is nothing left for it to do."""
        if self._active[worker]:
            self._active[worker] = False
            del self._watched[self._ends[worker]], self._watched[self.workers[worker].sentinel]
            self._receivers[worker].close()

    def stop(self) -> None:
        """End all workers and wait for them: a while for the samples they are fetching, then by force."""
        if self.stopped or os.getpid() != self._owner:  # a forked child has a copy of this object
            return
        self.stopped = True
        for number in range(len(self.workers)):
            self.release(number)
        self._arrived.clear()
        for patience, then in ((GRACE, "terminate"), (_AFTER_SIGTERM, "kill"), (_AFTER_SIGTERM, "")):
            until = time.monotonic() + patience
            for worker in self.workers:
                worker.join(max(0.0, until - time.monotonic()))
            alive = [worker for worker in self.workers if worker.is_alive()]
            for worker in alive:
                if then:
                    getattr(worker, then)()
            if not alive:
                break


_HELP = (
    "How it ended stands in the exception that caused this one. With num_workers=0 the samples are fetched in this "
    "process, where an error shows its own traceback."
)


def _how_it_ended(worker: BaseProcess) -> str:
    code = worker.exitcode
    if code is not None and code < 0:
        name = str(-code)
        with contextlib.suppress(ValueError):
            name = signal.strsignal(-code) or name
        text = f"DataLoader worker (pid {worker.pid}) is killed by signal: {name}. "
        if hasattr(signal, "SIGKILL") and code == -signal.SIGKILL:
            text += "\nThe system kills so when memory runs out."
        return text
    return (
        f"DataLoader worker (pid {worker.pid}) exited unexpectedly with exit code {code}. Details are lost due to "
        "multiprocessing. Rerunning with num_workers=0 may give better error trace."
    )
