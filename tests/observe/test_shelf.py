"""The shelf keeps copies, and holds no more memory than its budget but for the ends of pieces."""

import gc
import tracemalloc

import ml_dtypes
import numpy as np
import pytest

from rushlight import observe
from rushlight.observe.select import Budget
from rushlight.observe.shelf import Shelf

RANDOM = np.random.default_rng(0)
ARRAYS = [
    np.float32(3.0).reshape(()),
    np.zeros((0, 4), np.float32),
    RANDOM.standard_normal((7, 5, 3)),
    RANDOM.standard_normal((7, 5, 3)).transpose(2, 0, 1),
    RANDOM.standard_normal((64, 64)).astype(np.float16)[::2, ::-1],
    RANDOM.standard_normal(9).astype(ml_dtypes.bfloat16),
    RANDOM.standard_normal(4) + 1j,
]


def test_what_is_put_is_what_is_kept():
    shelf = Shelf(Budget(None))
    made = [shelf.put(a) for a in ARRAYS * 3]
    for a, b in zip(ARRAYS * 3, made):
        assert (a.shape, a.dtype) == (b.shape, b.dtype) and not np.shares_memory(a, b) and b.flags.c_contiguous
        np.testing.assert_array_equal(a, b)
        assert b.ctypes.data % b.dtype.alignment == 0
    for i, a in enumerate(made):
        assert not any(np.shares_memory(a, b) for b in made[i + 1 :])
    assert shelf.budget.used == 3 * sum(a.nbytes for a in ARRAYS)


@pytest.mark.parametrize("limit", [0, 1000, 50_000, 5_000_000, 40_000_000])
def test_no_more_is_held_than_was_granted(limit):
    sizes = RANDOM.integers(1, 60_000, 3000)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        shelf = Shelf(Budget(limit))
        made = [shelf.put(np.zeros(n, np.float32)) for n in sizes if shelf.budget.refused < 100]
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    kept = [a for a in made if a is not None]
    assert sum(a.nbytes for a in kept) == shelf.budget.used <= limit
    assert held <= 1.05 * limit + 500 * len(made) + 5000  # the arrays are objects of some hundred bytes each
    if limit >= 5_000_000:
        assert shelf.budget.used > 0.95 * limit and held > 0.95 * limit


def test_pieces_are_freed_with_what_is_on_them():
    tracemalloc.start()
    try:
        shelf = Shelf(Budget(None))
        made = [shelf.put(np.zeros(100_000, np.float32)) for _ in range(500)]
        full = tracemalloc.get_traced_memory()[0]
        del made[:490]
        assert tracemalloc.get_traced_memory()[0] < 0.7 * full
    finally:
        tracemalloc.stop()


def test_a_leaf_of_many_passes_takes_its_place_once(torch):
    model = torch.nn.Linear(30, 20)
    with observe.record(model) as rec:
        for _ in range(5):
            model(torch.ones(2, 30)).sum().backward(retain_graph=True)
    entry = rec.find("weight")[-1]
    np.testing.assert_array_equal(entry.array, model.weight.grad.detach().numpy())
    assert entry.statistics.norm == pytest.approx(float(model.weight.grad.norm()), rel=1e-6)
    assert rec.budget.used == sum(e.array.nbytes for e in rec if e.kept == "whole") + sum(
        e.statistics.sample.nbytes for e in rec if e is entry
    )
    entry.drop()
    assert entry.grad is None and entry.statistics is None
