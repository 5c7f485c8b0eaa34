"""Samplers: the order in which a dataset is read.

Those that draw at random draw what PyTorch draws: the same seed gives the same order.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from rushlight.dtypes import float64, int64
from rushlight.ops.table import namespaces
from rushlight.random import Generator
from rushlight.tensor import Tensor

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_T_co = TypeVar("_T_co", covariant=True)

_torch = namespaces["torch"]
_as_tensor, _empty, _multinomial = _torch["as_tensor"], _torch["empty"], _torch["multinomial"]
_randint, _randperm = _torch["randint"], _torch["randperm"]


def drawn_seed(generator: Generator | None = None) -> int:
    """A whole number of 63 bits from a generator (None: the default one), as PyTorch draws a seed."""
    return int(_empty((), dtype=int64).random_(generator=generator).item())


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class Sampler(Generic[_T_co]):
    """Base of all samplers. A subclass defines ``__iter__``, which gives indices or lists of indices, and
    ``__len__`` where somebody asks for the length of a loader.

    Example::

        >>> from rushlight.utils.data import DataLoader, Sampler
        >>> class ShortFirst(Sampler):
        ...     def __init__(self, data):
        ...         self.data = data
        ...     def __len__(self):
        ...         return len(self.data)
        ...     def __iter__(self):
        ...         return iter(sorted(range(len(self.data)), key=lambda i: len(self.data[i])))
        >>> words = ["three", "a", "to"]
        >>> list(DataLoader(words, batch_size=2, sampler=ShortFirst(words)))
        [['a', 'to'], ['three']]
    """

    def __iter__(self) -> Iterator[_T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0, 1, 2, ... up to the length of ``data_source``.

    Example::

        >>> from rushlight.utils.data import SequentialSampler
        >>> list(SequentialSampler("abc"))
        [0, 1, 2]
    """

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order.

    Args:
        data_source: what has the length.
        replacement: whether an index may come again.
        num_samples: how many; None for the length of ``data_source``. Without replacement, more of them than
            that begin a new permutation.
        generator: where they are drawn from. None: each pass seeds a generator of its own with a number from the
            default one.

    TypeError and ValueError for arguments that make no sense.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.utils.data import RandomSampler
        >>> list(RandomSampler(range(5), generator=torch.Generator().manual_seed(0)))
        [4, 0, 1, 3, 2]
    """

    data_source: Sized
    replacement: bool

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(self.replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={self.replacement}\nPass True or False.")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
                + ("\nThe data is empty." if self._num_samples is None else "\nPass 1 or more.")
            )

    @property
    def num_samples(self) -> int:
        """How many indices a pass gives; asked for each time, since a dataset may grow."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator()
            generator.manual_seed(drawn_seed())
        if self.replacement:
            whole, rest = divmod(self.num_samples, 32)
            for count in itertools.chain(itertools.repeat(32, whole), (rest,)):
                yield from _randint(high=n, size=(count,), dtype=int64, generator=generator).tolist()
        else:
            whole, rest = divmod(self.num_samples, n)
            for count in itertools.chain(itertools.repeat(n, whole), (rest,)):
                yield from _randperm(n, generator=generator).tolist()[:count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.utils.data import SubsetRandomSampler
        >>> list(SubsetRandomSampler([10, 20, 30], generator=torch.Generator().manual_seed(0)))
        [30, 10, 20]
    """

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in _randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn with the given weights, which need not sum up to 1.

    Args:
        weights: one for each index.
        num_samples: how many to draw.
        replacement: whether an index may come again.
        generator: where they are drawn from; None for the default one.

    ValueError for arguments that make no sense.

    Example::

        >>> from rushlight.utils.data import WeightedRandomSampler
        >>> list(WeightedRandomSampler([0., 1., 0.], 4))
        [1, 1, 1, 1]
    """

    weights: Tensor
    num_samples: int
    replacement: bool

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        if not _is_whole(num_samples) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}\nPass 1 or more.")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}\nPass True or False.")
        weights_tensor = _as_tensor(weights, dtype=float64)
        if weights_tensor.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given "
                f"weights have shape {tuple(weights_tensor.shape)}\nGive one weight for each sample."
            )
        self.weights = weights_tensor
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = _multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of ``batch_size`` indices of another sampler.

    Args:
        sampler: any iterable of indices.
        batch_size: a positive int.
        drop_last: whether a last list that is shorter is left out.

    ValueError for arguments that make no sense.

    Example::

        >>> from rushlight.utils.data import BatchSampler
        >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not _is_whole(batch_size) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}\nPass 1 or more.")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}\nPass True or False.")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        shortest = self.batch_size if self.drop_last else 1
        while len(batch := list(itertools.islice(indices, self.batch_size))) >= shortest:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]  # TypeError where a sampler has no length
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
