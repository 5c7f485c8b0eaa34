"""DataLoader: batches of a dataset, fetched here or by worker processes.

An iterator draws, in this order, what PyTorch's draws: it opens the sampler, takes a base seed from the loader's
generator (or the default one), and lets the sampler draw its own seed when it is first read. So the same seed gives
the same batches, with and without workers, and each worker the same random numbers.

Work is given to the workers in turn, ``prefetch_factor`` tasks ahead for each, and answers are handed out in the
order of the tasks; one that comes early waits. A worker whose stream has ended answers no more, and its outstanding
tasks are skipped.
"""

import itertools
import multiprocessing
import os
import warnings
import weakref
from collections.abc import Callable, Iterable
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from rushlight.random import Generator
from rushlight.utils.data._utils import transport, worker
from rushlight.utils.data._utils.collate import default_collate, default_convert
from rushlight.utils.data._utils.fetch import _DatasetKind
from rushlight.utils.data._utils.info import get_worker_info
from rushlight.utils.data._utils.pool import Pool
from rushlight.utils.data.dataset import Dataset, IterableDataset
from rushlight.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    drawn_seed,
)

__all__ = ["DataLoader", "get_worker_info", "default_collate", "default_convert"]

_T_co = TypeVar("_T_co", covariant=True)


class _InfiniteConstantSampler(Sampler):
    """None, for ever: a stream is read without indices, and its end is its own."""

    def __iter__(self) -> Any:
        return itertools.repeat(None)


class DataLoader(Generic[_T_co]):
    """Iterates over a dataset in batches.

    Args:
        dataset: a map-style dataset (anything with ``__getitem__``, and ``__len__`` for the samplers made here), or an
            :class:`IterableDataset`.
        batch_size: samples in a batch; None for single samples, which are converted but get no batch dimension.
        shuffle: a new random order in every pass.
        sampler: an iterable of indices, instead of ``shuffle``.
        batch_sampler: an iterable of lists of indices, instead of all four: ``batch_size``, ``shuffle``, ``sampler``,
            ``drop_last``.
        num_workers: processes that fetch samples; 0: this one does.
        collate_fn: makes a batch of a list of samples; ``default_collate``, or without batches
            ``default_convert``.
        pin_memory: accepted; without an accelerator it only warns, as in PyTorch.
        drop_last: leave out a last batch that is smaller.
        timeout: seconds to wait for a batch of the workers; 0 for as long as it takes.
        worker_init_fn: called in each worker with its number, after it was seeded.
        multiprocessing_context: how workers are started: "fork", "spawn", "forkserver" or a context. With the latter
            two, everything that is given to the loader must be picklable.
        generator: of the random order and of the workers' seeds; None for the default generator.
        prefetch_factor: tasks that each worker is ahead; 2 where there are workers.
        persistent_workers: keep the workers from one pass to the next.
        pin_memory_device: accepted; deprecated in PyTorch.
        in_order: whether batches come in the order of the sampler, or as the workers finish them.

    An exception in a worker is raised here, with the worker's traceback in its text. A worker that dies is reported
    with a RuntimeError at once. ValueError and TypeError for arguments that exclude one another or make no sense.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.utils.data import DataLoader, TensorDataset
        >>> data = TensorDataset(torch.arange(5) * 10, torch.arange(5))
        >>> for x, y in DataLoader(data, batch_size=2):
        ...     print(x.tolist(), y.tolist())
        [0, 10] [0, 1]
        [20, 30] [2, 3]
        [40] [4]
        >>> len(DataLoader(data, batch_size=2, drop_last=True))
        2
    """

    dataset: Dataset[_T_co]
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Sampler | Iterable
    pin_memory_device: str
    prefetch_factor: int | None
    _iterator: "_BaseDataLoaderIter | None"
    __initialized = False

    def __init__(
        self,
        dataset: Dataset[_T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable | None = None,
        batch_sampler: Sampler[list] | Iterable[list] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: str | BaseContext | None = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        prefetch_factor = _checked_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order

        if isinstance(dataset, IterableDataset):
            self._dataset_kind = _DatasetKind.Iterable
            _check_stream(shuffle, sampler, batch_sampler)
        else:
            self._dataset_kind = _DatasetKind.Map
            shuffle = bool(shuffle)
        batch_size, drop_last = _checked_batching(batch_size, shuffle, sampler, batch_sampler, drop_last)

        if sampler is None:
            if self._dataset_kind == _DatasetKind.Iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)  # type: ignore[arg-type]
            else:
                sampler = SequentialSampler(dataset)  # type: ignore[arg-type]
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)

        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called: int | None = None
        self._iterator = None
        self.check_worker_number_rationality()

    def _get_iterator(self) -> "_BaseDataLoaderIter":
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    @property
    def multiprocessing_context(self) -> BaseContext | None:
        """How workers are started; None for Python's own way."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, multiprocessing_context: str | BaseContext | None) -> None:
        self.__multiprocessing_context = _checked_context(multiprocessing_context, self.num_workers)

    def __setattr__(self, attr: str, val: Any) -> None:
        if self.__initialized and attr in _FIXED:
            raise ValueError(
                f"{attr} attribute should not be set after {self.__class__.__name__} is initialized"
                "\nMake another DataLoader: its samplers were made for these values."
            )
        super().__setattr__(attr, val)

    def __iter__(self) -> "_BaseDataLoaderIter":
        if not self.persistent_workers or self.num_workers == 0:
            return self._get_iterator()
        kept = self._iterator
        if kept is None or kept._ended():
            kept = self._iterator = self._get_iterator()
        else:
            kept._reset(self)
        return kept

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        """What is read for each task: lists of indices, or without batches single ones."""
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        """Batches in a pass, as far as sampler or dataset know. TypeError where they have no length.

        For a stream that is read by several workers it may be wrong, since each has its own last batch.
        """
        if self._dataset_kind != _DatasetKind.Iterable:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn if there are more workers than processors that this process may use."""
        if not self.num_workers:
            return
        is_exact = hasattr(os, "sched_getaffinity")
        processors = len(os.sched_getaffinity(0)) if is_exact else os.cpu_count()
        if processors is not None and self.num_workers <= processors:
            return
        if processors is None:
            suggestion = "DataLoader is not able to compute a suggested max number of worker in current system."
        else:
            doubt = "" if is_exact else " (`cpuset` is not taken into account)"
            suggestion = (
                f"Our suggested max number of worker in current system is {processors}{doubt}, which is smaller "
                "than what this DataLoader is going to create."
            )
        warnings.warn(
            f"This DataLoader will create {self.num_workers} worker processes in total. {suggestion} "
            "Please be aware that excessive worker creation might get DataLoader running slow or even freeze, "
            "lower the worker number to avoid potential slowness/freeze if necessary.",
            stacklevel=2,
        )


_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


def _checked_workers(num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool) -> int | None:
    """The prefetch factor, if the arguments about workers make sense."""
    if num_workers < 0:
        raise ValueError(
            f"num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.\nIt is {num_workers}."
        )
    if timeout < 0:
        raise ValueError(f"timeout option should be non-negative\nIt is {timeout}; 0 waits without end.")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            f"\nIt is {prefetch_factor}."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError(f"prefetch_factor option should be non-negative\nIt is {prefetch_factor}.")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0\nThere is no worker to keep.")
    return 2 if num_workers and prefetch_factor is None else prefetch_factor


def _checked_context(given: str | BaseContext | None, num_workers: int) -> BaseContext | None:
    if given is None:
        return None
    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with "
            f"multi-process loading (num_workers > 0), but got num_workers={num_workers}"
            "\nWithout workers no process is started."
        )
    if isinstance(given, str):
        methods = multiprocessing.get_all_start_methods()
        if given not in methods:
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {methods!r}, but got "
                f"multiprocessing_context={given!r}\nThese are what this system has."
            )
        return multiprocessing.get_context(given)
    if not isinstance(given, BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start "
            f"method, but got multiprocessing_context={given}\nmultiprocessing.get_context() makes one."
        )
    return given


def _check_stream(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """A stream is read in its own order."""
    for name, given, is_default in (
        ("shuffle", shuffle, shuffle in {False, None}),
        ("sampler", sampler, sampler is None),
        ("batch_sampler", batch_sampler, batch_sampler is None),
    ):
        if not is_default:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={given}"
                "\nThe order of an IterableDataset is its own."
            )


def _checked_batching(
    batch_size: int | None, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool
) -> tuple[int | None, bool]:
    """(batch_size, drop_last), if these arguments do not exclude one another."""
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle\nThe order is the sampler's; leave shuffle out.")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                "\nIt says all that these would say."
            )
        return None, False
    if batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            "\nThere is no last batch to drop."
        )
    return batch_size, drop_last


# ---------------------------------------------------------------- iterators


class _BaseDataLoaderIter:
    """One pass over a loader's dataset."""

    def __init__(self, loader: DataLoader) -> None:
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        if loader.pin_memory:
            if loader.pin_memory_device:
                warnings.warn(
                    "pin_memory_device is deprecated, the current accelerator will be used as the device,"
                    f"ignore pin_memory_device='{loader.pin_memory_device}'.",
                    stacklevel=2,
                )
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
                stacklevel=2,
            )
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = drawn_seed(loader.generator)
        self._persistent_workers = loader.persistent_workers
        self._num_yielded = 0

    def __iter__(self) -> "_BaseDataLoaderIter":
        return self

    def _ended(self) -> bool:
        """Whether no further pass is possible."""
        return False

    def _reset(self, loader: DataLoader, first_iter: bool = False) -> None:
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        data = self._next_data()
        self._num_yielded += 1
        told = self._IterableDataset_len_called
        if self._dataset_kind == _DatasetKind.Iterable and told is not None and self._num_yielded > told:
            text = (
                f"Length of IterableDataset {self._dataset} was reported to be {told}"
                f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched. "
            )
            if self._num_workers > 0:
                text += (
                    "For multiprocessing data-loading, this could be caused by not properly configuring the "
                    "IterableDataset replica at each worker. Please see "
                    "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
                )
            warnings.warn(text, stacklevel=2)
        return data

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", self.__class__.__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Fetches when asked, in this process."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError(
                "_SingleProcessDataLoaderIter requires timeout == 0\nOnly workers can be waited for: leave timeout out."
            )
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )

    def _next_data(self) -> Any:
        return self._dataset_fetcher.fetch(self._next_index())


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Lets worker processes fetch ahead."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        self._prefetch_factor: int = loader.prefetch_factor or 0
        self._in_order = loader.in_order
        if self._prefetch_factor <= 0:
            raise AssertionError(
                "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"
                "\nA worker that may not begin a batch never gives one."
            )
        fetching = self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        self._pool = Pool(
            loader.multiprocessing_context or multiprocessing.get_context(),
            worker.work,
            [(*fetching, self._base_seed, loader.worker_init_fn, i, self._num_workers) for i in range(self._num_workers)],
        )
        self._workers = self._pool.workers
        self._stop = weakref.finalize(self, self._pool.stop)
        self._epoch = -1
        self._reset(loader, first_iter=True)

    def _reset(self, loader: DataLoader, first_iter: bool = False) -> None:
        super()._reset(loader, first_iter)
        self._epoch += 1  # answers to tasks of an earlier pass, that was left, are thrown away
        self._send_idx = 0  # the next task to be given out
        self._rcvd_idx = 0  # the task whose answer is handed out next
        self._task_worker: dict[int, int] = {}  # whose it is, for each task that has not been handed out
        self._early: dict[int, tuple[int, Any]] = {}  # answers whose turn has not come
        self._outstanding = [0] * self._num_workers
        self._has_more = [True] * self._num_workers
        self._turns = itertools.cycle(range(self._num_workers))
        if not first_iter:
            for i in range(self._num_workers):
                self._pool.send(i, (self._epoch, None), None)
        for _ in range(self._prefetch_factor * self._num_workers):
            self._try_put_index()

    def _ended(self) -> bool:
        return self._pool.stopped

    def _try_put_index(self) -> None:
        """Give out one more task, if there is one and somebody to take it."""
        try:
            index = self._next_index()
        except StopIteration:
            return
        share = self._prefetch_factor * self._num_workers // max(1, sum(self._has_more))
        for chosen in itertools.islice(self._turns, self._num_workers):
            if self._has_more[chosen] and (self._in_order or self._outstanding[chosen] < share):
                break
        else:
            return
        self._pool.send(chosen, (self._epoch, self._send_idx), index)
        self._task_worker[self._send_idx] = chosen
        self._outstanding[chosen] += 1
        self._send_idx += 1

    def _next_data(self) -> Any:
        while self._find_task():
            if self._rcvd_idx in self._early:
                task, answer = self._rcvd_idx, self._early.pop(self._rcvd_idx)
            else:
                task, answer = self._receive()
            kind, data = answer
            if kind == transport.EXHAUSTED:
                self._has_more[self._task_worker[task]] = False
                if not self._persistent_workers:
                    self._pool.release(self._task_worker[task])
                self._try_put_index()
            elif task == self._rcvd_idx or not self._in_order:
                return self._hand_out(task, kind, data)
            else:
                self._early[task] = answer
        if not self._persistent_workers:
            self._stop()
        raise StopIteration

    def _find_task(self) -> bool:
        """Go on to the next task that will still be answered; False if there is none."""
        while self._rcvd_idx < self._send_idx:
            chosen = self._task_worker.get(self._rcvd_idx)
            if chosen is not None:
                if self._has_more[chosen] or self._rcvd_idx in self._early:
                    return True
                del self._task_worker[self._rcvd_idx]
            self._rcvd_idx += 1
        return False

    def _receive(self) -> tuple[int, tuple[int, Any]]:
        """(task, (kind, data)) of the next answer to a task of this pass."""
        while True:
            arrived = self._pool.receive(self._timeout if self._timeout > 0 else None)
            if arrived is None:
                raise RuntimeError(
                    f"DataLoader timed out after {self._timeout} seconds"
                    "\nNo worker gave a batch in that time: look at what the dataset waits for, or raise timeout."
                )
            _, (epoch, task, kind), data = arrived
            if epoch == self._epoch:
                return task, (transport.FAILED, data) if _is_error(data) else (kind, data)

    def _hand_out(self, task: int, kind: int, data: Any) -> Any:
        self._outstanding[self._task_worker.pop(task)] -= 1
        if task == self._rcvd_idx:
            self._rcvd_idx += 1
        self._try_put_index()
        if kind == transport.FAILED:
            data.reraise()
        return data

    def _shutdown_workers(self) -> None:
        """End the workers now; the iterator gives no more batches."""
        self._stop()


def _is_error(data: Any) -> bool:
    """Whether the answer could not be read here."""
    return isinstance(data, transport.ExceptionWrapper)
