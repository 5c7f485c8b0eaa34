"""Fetching: from what the sampler gave to a collated batch. In the loader's process or in a worker, all the same."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd import modes
from rushlight.tensor import Tensor, wrap
from rushlight.utils.data._utils import collate
from rushlight.utils.data.dataset import Subset, TensorDataset

__all__ = ["_DatasetKind"]


class _BaseDatasetFetcher:
    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable, drop_last: bool) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        raise NotImplementedError


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Reads on, as many samples as there are indices; StopIteration at the end."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable, drop_last: bool) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        wanted = len(possibly_batched_index)
        data: list = []
        while len(data) < wanted:
            try:
                data.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not data or (self.drop_last and len(data) < wanted):
            raise StopIteration
        return self.collate_fn(data)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Asks for the samples by index."""

    def fetch(self, possibly_batched_index: Any) -> Any:
        dataset = self.dataset
        if not self.auto_collation:
            return self.collate_fn(dataset[possibly_batched_index])
        if self.collate_fn is collate.default_collate and dataset.__class__ in _TENSORS_INSIDE:
            batch = _gathered(dataset, possibly_batched_index)
            if batch is not None:
                return batch
        if getattr(dataset, "__getitems__", None):
            data = dataset.__getitems__(possibly_batched_index)
        else:
            data = [dataset[index] for index in possibly_batched_index]
        return self.collate_fn(data)


_TENSORS_INSIDE = (TensorDataset, Subset)


def _gathered(dataset: Any, indices: Any) -> list[Tensor] | None:
    """The batch of a TensorDataset, or of subsets of one, taken from each tensor at once.

    Equal to what ``default_collate`` makes of the single samples, and some fifty times as fast. None wherever that
    might differ, gradients and errors included: those samples are then fetched one by one.
    """
    if not modes.plain or indices.__class__ is not list or set(map(type, indices)) != {int}:
        return None
    if collate.default_collate_fn_map.get(Tensor) is not collate.collate_tensor_fn:
        return None
    while dataset.__class__ is Subset:
        known = dataset.indices
        if known.__class__ not in (list, range) or min(indices) < -len(known) or max(indices) >= len(known):
            return None
        indices = [known[i] for i in indices]
        dataset = dataset.dataset
    if dataset.__class__ is not TensorDataset or set(map(type, indices)) != {int}:
        return None
    least, most, arrays = min(indices), max(indices), []
    for tensor in dataset.tensors:
        if tensor.__class__ is not Tensor or tensor.requires_grad:
            return None
        array = tensor._a
        if not array.ndim or least < -len(array) or most >= len(array):
            return None
        arrays.append(array)
    where = np.array(indices, np.intp)
    return [wrap(array.take(where, axis=0)) for array in arrays] if arrays else None


class _DatasetKind:
    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind: int, dataset: Any, auto_collation: bool, collate_fn: Callable, drop_last: bool) -> _BaseDatasetFetcher:
        made = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return made(dataset, auto_collation, collate_fn, drop_last)
