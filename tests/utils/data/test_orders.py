"""The orders in which samplers and loaders read, and what workers' generators give, against a recording of PyTorch.

With PyTorch installed it answers too, so the recording is checked as well.
"""

import importlib.util
import json
import pathlib

import pytest

GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
_spec = importlib.util.spec_from_file_location("make_data", GOLDEN / "make_data.py")
make_data = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make_data)
RECORDED = json.loads((GOLDEN / "data" / "orders.json").read_text())


def test_everything_is_recorded():
    assert [case for case, _ in RECORDED] == make_data.SAMPLERS + make_data.LOADERS


@pytest.mark.parametrize("case, expected", RECORDED[: len(make_data.SAMPLERS)], ids=make_data.SAMPLERS)
def test_samplers(torch, data, case, expected):
    assert make_data.sampled(torch, data, case) == expected


@pytest.mark.parametrize("case, expected", RECORDED[len(make_data.SAMPLERS) :], ids=map(str, make_data.LOADERS))
def test_loaders(torch, data, case, expected):
    assert json.loads(json.dumps(make_data.loaded(torch, data, case))) == expected


def test_the_base_seed_is_drawn_after_the_sampler_is_opened(torch, data):
    class Eager:
        def __iter__(self):
            return iter([int(torch.randint(0, 1000, ()))])

    torch.manual_seed(0)
    expected = [int(torch.randint(0, 1000, ()))]
    torch.manual_seed(0)
    assert list(data.DataLoader(range(1000), batch_size=None, sampler=Eager())) == expected
    # With workers a sampler is opened twice, and the seed is drawn in between.
    torch.manual_seed(0)
    drawn = [int(torch.randint(0, 1000, ())), torch.empty((), dtype=torch.int64).random_(), int(torch.randint(0, 1000, ()))]
    torch.manual_seed(0)
    assert list(data.DataLoader(range(1000), batch_size=None, sampler=Eager(), num_workers=1)) == drawn[2:]


def test_many_seeds(torch, data):
    """Seeds above 32 bits and the words for NumPy's generator."""
    if torch.__name__ != "torch":
        pytest.skip("compares with PyTorch's own function")
    worker = importlib.import_module("torch.utils.data._utils.worker")
    own = importlib.import_module("rushlight.utils.data._utils.worker")
    for seed in (0, 1, 2**32 - 1, 2**32, 2**63 - 1, 937055941807507096):
        for number in (0, 1, 77):
            assert own.numpy_seed(seed, number).tolist() == worker._generate_state(seed, number)
