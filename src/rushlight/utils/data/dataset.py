"""Datasets: what can be asked for its i-th sample, or read from beginning to end."""

import bisect
import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Iterable, TypeVar, cast  # noqa: UP035  (Generic needs typing's Iterable)

from rushlight.ops.table import namespaces
from rushlight.random import Generator, default_generator
from rushlight.tensor import Tensor

__all__ = [
    "Dataset",
    "IterableDataset",
    "TensorDataset",
    "StackDataset",
    "ConcatDataset",
    "ChainDataset",
    "Subset",
    "random_split",
]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_Stack = TypeVar("_Stack", bound=tuple | dict)

_randperm = namespaces["torch"]["randperm"]


class Dataset(Generic[_T_co]):
    """Samples by index (map style). A subclass defines ``__getitem__``, and ``__len__`` where samplers need it.

    ``__getitems__(indices)``, where it is defined, gives the samples of a whole batch as a list; a DataLoader
    then calls it instead of asking one by one. There is no ``__len__`` here: a class whose ``__len__`` raises
    could not be told from one that has a length.

    Example::

        >>> from rushlight.utils.data import Dataset
        >>> class Squares(Dataset):
        ...     def __len__(self):
        ...         return 4
        ...     def __getitem__(self, index):
        ...         return index * index
        >>> (Squares() + Squares())[5]
        1
    """

    def __getitem__(self, index: Any) -> _T_co:
        raise NotImplementedError(
            "Subclasses of Dataset should implement __getitem__.\n"
            f"{type(self).__name__} does not; a stream of samples is an IterableDataset."
        )

    def __add__(self, other: "Dataset[_T_co]") -> "ConcatDataset[_T_co]":
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """A stream of samples: a subclass defines ``__iter__``, and ``__len__`` if it knows its length.

    In a DataLoader with workers each of them reads its own copy from the beginning. So that samples do not
    arrive as often as there are workers, ``__iter__`` (or the loader's ``worker_init_fn``) asks
    ``get_worker_info()`` for its part.

    Example::

        >>> from rushlight.utils.data import DataLoader, IterableDataset, get_worker_info
        >>> class Numbers(IterableDataset):
        ...     def __iter__(self):
        ...         info = get_worker_info()
        ...         start, step = (0, 1) if info is None else (info.id, info.num_workers)
        ...         return iter(range(start, 6, step))
        >>> [batch.tolist() for batch in DataLoader(Numbers(), batch_size=4)]
        [[0, 1, 2, 3], [4, 5]]
    """

    def __add__(self, other: Dataset[_T_co]) -> "ChainDataset":  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """The i-th sample is the tuple of the i-th elements of ``tensors`` along their first dimension.

    AssertionError if their first dimensions differ.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.utils.data import TensorDataset
        >>> TensorDataset(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([0, 1]))[1]
        (tensor([3., 4.]), tensor(1))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError(
                f"Size mismatch between tensors\nTheir first dimensions are {', '.join(str(tensor.size(0)) for tensor in tensors)}."
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[_Stack]):
    """Datasets side by side: the i-th sample is the tuple (or dict) of their i-th samples.

    Args:
        args: datasets for tuples, or
        kwargs: datasets for dicts. ValueError for both, for none, and if their lengths differ.

    Example::

        >>> from rushlight.utils.data import StackDataset
        >>> StackDataset(range(3), "abc")[1], StackDataset(n=range(3), letter="abc")[1]
        ((1, 'b'), {'n': 1, 'letter': 'b'})
    """

    datasets: tuple | dict

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or"
                "``dict``- (via ``kwargs``) like input/output, but both types are given."
                f"\nName all datasets, or none: {', '.join(kwargs)} have names."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed\nThere is nothing to stack.")
        self.datasets = args or kwargs
        lengths = [len(dataset) for dataset in self._parts()]
        self._length = lengths[0]
        if any(length != self._length for length in lengths):
            raise ValueError(f"Size mismatch between datasets\nTheir lengths are {lengths}.")

    def _parts(self) -> list:
        datasets = self.datasets
        return list(datasets.values() if isinstance(datasets, dict) else datasets)

    def _sample(self, values: Any) -> Any:
        return dict(zip(self.datasets, values)) if isinstance(self.datasets, dict) else tuple(values)

    def __getitem__(self, index: Any) -> Any:
        return self._sample([dataset[index] for dataset in self._parts()])

    def __getitems__(self, indices: list) -> list:
        columns = [self._column(dataset, indices) for dataset in self._parts()]
        return [self._sample(row) for row in zip(*columns)]

    @staticmethod
    def _column(dataset: Any, indices: list) -> Sequence:
        if not callable(getattr(dataset, "__getitems__", None)):
            return [dataset[index] for index in indices]
        items = dataset.__getitems__(indices)
        if len(items) != len(indices):
            raise ValueError(
                f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}"
                f"\n__getitems__ of {type(dataset).__name__} must give one sample for each index."
            )
        return items

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[_T_co]):
    """Map-style datasets one after the other. AssertionError for none, and for an IterableDataset.

    Example::

        >>> from rushlight.utils.data import ConcatDataset
        >>> both = ConcatDataset([range(3), range(10, 12)])
        >>> len(both), both[3], both[-1], both.cumulative_sizes
        (5, 10, 11, [3, 5])
    """

    datasets: list[Dataset[_T_co]]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable) -> list[int]:
        """The running sum of the lengths of what ``sequence`` holds."""
        return list(itertools.accumulate(len(element) for element in sequence))

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        super().__init__()
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable\nThere is nothing to join.")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset\nStreams are joined by ChainDataset.")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> _T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError(
                    f"absolute value of index should not exceed dataset length\nThe index is {idx}, the length {len(self)}."
                )
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - self.cumulative_sizes[which - 1] if which else idx]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The old spelling of ``cumulative_sizes``."""
        warnings.warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Streams one after the other; each is opened when the one before it has ended.

    Example::

        >>> from rushlight.utils.data import ChainDataset, IterableDataset
        >>> class Count(IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(2))
        >>> list(ChainDataset([Count(), Count()]))
        [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        super().__init__()
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError(
                    "ChainDataset only supports IterableDataset"
                    f"\nThis is a {type(dataset).__name__}; ConcatDataset joins map-style datasets."
                )
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for dataset in self._checked():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._checked())


class Subset(Dataset[_T_co]):
    """The samples of ``dataset`` at ``indices``, in that order.

    A subclass that overrides ``__getitem__`` must override ``__getitems__`` as well, which is what a DataLoader
    calls: NotImplementedError else.

    Example::

        >>> from rushlight.utils.data import Subset
        >>> list(Subset("abcdef", [4, 0]))
        ['e', 'a']
    """

    dataset: Dataset[_T_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[_T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{kind.__name__} overrides __getitem__ but not __getitems__. "
                "When subclassing Subset and overriding __getitem__, you must also override "
                "__getitems__ to ensure DataLoader works correctly with your custom logic. "
                "A simple implementation:\n\n"
                "def __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[_T_co]:
        wanted = [self.indices[i] for i in indices]
        batched = getattr(self.dataset, "__getitems__", None)
        if callable(batched):
            return batched(wanted)
        return [self.dataset[i] for i in wanted]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[_T],
    lengths: Sequence[int | float],
    generator: Generator | None = default_generator,
) -> list[Subset[_T]]:
    """Subsets of the given lengths that have no sample in common, drawn at random.

    Args:
        dataset: must have a length.
        lengths: whole numbers that sum up to the dataset's length; or fractions that sum up to 1, of which each
            gets the whole samples that are its part, and what remains goes one by one to the first ones.
        generator: where the permutation is drawn from.

    ValueError for lengths with another sum, and for a fraction that is not between 0 and 1; a warning for a
    part that comes out empty.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.utils.data import random_split
        >>> parts = random_split(range(10), [0.75, 0.25], torch.Generator().manual_seed(42))
        >>> [list(part) for part in parts]
        [[2, 6, 1, 8, 4, 5, 0, 9], [3, 7]]
    """
    size = len(dataset)  # type: ignore[arg-type]
    total = sum(lengths)
    if math.isclose(total, 1) and total <= 1:
        lengths = _whole_parts(size, lengths)
        for i, length in enumerate(lengths):
            if length == 0:
                warnings.warn(f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2)
        total = sum(lengths)
    if total != size:
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset!"
            f"\nThe lengths sum up to {total}, the dataset has {size} samples."
        )
    indices = _randperm(total, generator=generator).tolist()
    ends = itertools.accumulate(cast(Sequence[int], lengths))
    return [Subset(dataset, indices[end - length : end]) for end, length in zip(ends, lengths)]


def _whole_parts(size: int, fractions: Sequence[float]) -> list[int]:
    for i, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1\nIt is {fraction}.")
    parts = [math.floor(size * fraction) for fraction in fractions]
    for i in range(size - sum(parts)):
        parts[i % len(parts)] += 1
    return parts
