"""The sampler that gives each of several processes its own part of a dataset."""

import math
from collections.abc import Iterator
from typing import Any, TypeVar

from rushlight.ops.table import namespaces
from rushlight.random import Generator
from rushlight.utils.data.dataset import Dataset
from rushlight.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]

_T_co = TypeVar("_T_co", covariant=True)

_randperm = namespaces["torch"]["randperm"]


class DistributedSampler(Sampler[_T_co]):
    """Every ``num_replicas``-th index, beginning with the ``rank``-th, of a permutation that all processes share.

    Args:
        dataset: must have a length, the same in every process.
        num_replicas, rank: how many processes there are, and which this one is. rushlight has no process groups
            that could be asked, so both must be given: RuntimeError else. ValueError for a rank out of range.
        shuffle: whether the permutation is a random one.
        seed: of that permutation, the same in every process; ``set_epoch`` is added to it.
        drop_last: whether parts are made equal by leaving out the last samples, or by giving first ones again.

    Example::

        >>> from rushlight.utils.data import DistributedSampler
        >>> [list(DistributedSampler(range(5), num_replicas=2, rank=r, shuffle=False)) for r in (0, 1)]
        [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(
        self,
        dataset: Dataset,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise RuntimeError(
                "Requires distributed package to be available"
                "\nrushlight has none: pass num_replicas= and rank=, for example from your launcher's environment."
            )
        if rank >= num_replicas or rank < 0:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]\nProcesses are counted from 0."
            )
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        self.shuffle = shuffle
        self.seed = seed
        size = len(dataset)  # type: ignore[arg-type]
        self.num_samples = size // num_replicas if drop_last else math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[Any]:
        size = len(self.dataset)  # type: ignore[arg-type]
        if self.shuffle:
            generator = Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = _randperm(size, generator=generator).tolist()
        else:
            indices = list(range(size))
        lacking = self.total_size - size
        if not self.drop_last and lacking > 0:
            indices += (indices * math.ceil(lacking / size))[:lacking]
        indices = indices[: self.total_size] if self.drop_last else indices
        if len(indices) != self.total_size:
            raise AssertionError(
                f"Number of indices ({len(indices)}) does not match total_size ({self.total_size})"
                "\nThe dataset's length has changed since the sampler was made."
            )
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Choose the permutation of this epoch; without it every pass has the same order."""
        self.epoch = epoch
