"""Records what utils/data/test_orders.py compares with: the indices that samplers draw, splits, and the batches of
loaders, with what workers' generators give.

Run it where PyTorch is installed:

python tests/golden/make_data.py
"""

import importlib
import json
import pathlib
import random

import numpy as np

HERE = pathlib.Path(__file__).parent / "data"

# Each is evaluated after manual_seed(7), with `g` a generator of seed 11, and listed twice: the second pass shows what the
# first one left in the generators.
SAMPLERS = [
    "RandomSampler(range(10))",
    "RandomSampler(range(10), generator=g)",
    "RandomSampler(range(5), num_samples=13)",
    "RandomSampler(range(5), num_samples=10, generator=g)",
    "RandomSampler(range(7), replacement=True)",
    "RandomSampler(range(7), replacement=True, num_samples=70, generator=g)",
    "RandomSampler(range(100), num_samples=3)",
    "SubsetRandomSampler([3, 1, 4, 15, 9])",
    "SubsetRandomSampler([3, 1, 4, 15, 9], generator=g)",
    "WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 9)",
    "WeightedRandomSampler([0.9, 0.4, 0.05, 0.2, 0.3, 0.1], 4, replacement=False, generator=g)",
    "BatchSampler(RandomSampler(range(10)), 4, False)",
    "BatchSampler(RandomSampler(range(10), generator=g), 4, True)",
    "DistributedSampler(range(10), 3, 1)",
    "DistributedSampler(range(10), 3, 2, seed=5)",
    "DistributedSampler(range(10), 3, 0, shuffle=False, drop_last=True)",
    "DistributedSampler(range(2), 5, 4, shuffle=False)",
    "random_split(range(10), [3, 7])[0]",
    "random_split(range(10), [3, 7], generator=g)[1]",
    "random_split(range(17), [0.3, 0.3, 0.4], g)[2]",
]

LOADERS = [
    {},
    {"shuffle": True},
    {"shuffle": True, "generator": "g", "batch_size": 4},
    {"shuffle": True, "drop_last": True, "batch_size": 4},
    {"batch_size": None, "shuffle": True},
    {"shuffle": True, "batch_size": 3, "num_workers": 1},
    {"shuffle": True, "batch_size": 3, "num_workers": 2},
    {"shuffle": True, "batch_size": 3, "num_workers": 2, "generator": "g"},
    {"shuffle": True, "batch_size": 2, "num_workers": 2, "persistent_workers": True, "prefetch_factor": 3},
    {"batch_size": None, "num_workers": 2},
]


class Drawing:
    """The i-th sample is i, and a number of each generator."""

    def __init__(self, torch):
        self.torch = torch

    def __len__(self):
        return 11

    def __getitem__(self, index):
        return index, self.torch.rand(()).item(), random.random(), np.random.rand()


def start(torch):
    torch.manual_seed(7)
    random.seed(7)
    np.random.seed(7)
    return torch.Generator().manual_seed(11)


def listed(value):
    if isinstance(value, (list, tuple)):
        return [listed(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value


def sampled(torch, data, case):
    """Two passes, and a number that shows where the default generator stands."""
    g = start(torch)
    sampler = eval(f"data.{case.replace('(RandomS', '(data.RandomS')}", {"data": data, "g": g})
    return [list(sampler), list(sampler), torch.rand(1).item(), torch.rand(1, generator=g).item()]


def loaded(torch, data, case):
    """Two passes of a loader, and the same numbers."""
    g = start(torch)
    options = {**case, "generator": g} if "generator" in case else case
    loader = data.DataLoader(Drawing(torch), **options)
    return [listed(list(loader)), listed(list(loader)), torch.rand(1).item(), torch.rand(1, generator=g).item()]


def main():
    torch, data = importlib.import_module("torch"), importlib.import_module("torch.utils.data")
    entries = [[case, sampled(torch, data, case)] for case in SAMPLERS]
    entries += [[case, loaded(torch, data, case)] for case in LOADERS]
    HERE.mkdir(exist_ok=True)
    (HERE / "orders.json").write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")


if __name__ == "__main__":
    main()
