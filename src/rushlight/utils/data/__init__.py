"""Datasets, the orders in which they are read, and the loader that makes batches of them.

    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
    for x, y in loader: ...

The same seed gives the same batches as PyTorch. PyTorch's DataPipes (``IterDataPipe``, ``functional_datapipe``
and their kin), which it no longer develops, are not here.
"""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.utils.data._utils.collate import default_collate, default_convert
from rushlight.utils.data._utils.fetch import _DatasetKind
from rushlight.utils.data._utils.info import get_worker_info
from rushlight.utils.data.dataloader import DataLoader
from rushlight.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from rushlight.utils.data.distributed import DistributedSampler
from rushlight.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "_DatasetKind",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
