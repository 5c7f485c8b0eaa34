"""What code in a worker process may know about it."""

from dataclasses import dataclass
from typing import Any

from rushlight.random import Generator

__all__ = ["WorkerInfo", "get_worker_info", "set_worker_info"]


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker process of a DataLoader.

    Attributes:
        id: its number, from 0.
        num_workers: how many there are.
        seed: of its random numbers: the loader's base seed plus ``id``.
        dataset: its own copy of the dataset.
        rng: None; PyTorch keeps a place for generators of threads here.
        worker_method: "multiprocessing".
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Generator | None = None
    worker_method: str | None = "multiprocessing"


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a worker process of a DataLoader its :class:`WorkerInfo`; None in every other process.

    Example::

        >>> from rushlight.utils.data import get_worker_info
        >>> get_worker_info() is None
        True
    """
    return _worker_info


def set_worker_info(info: WorkerInfo) -> None:
    """Say that this process is a worker."""
    global _worker_info
    _worker_info = info
