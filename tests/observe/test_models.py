"""Twelve models: every entry of a record against ``retain_grad``, and the two engines against each other."""

import importlib.util

import numpy as np
import pytest
from tests.conftest import engines, load
from tests.observe.models import MODELS

from rushlight import observe


def ignore(name, tensor):
    """What a model calls `keep` with when nobody retains by hand."""


def array(tensor):
    return tensor.detach().numpy()


@pytest.mark.parametrize("name", MODELS)
def test_named_entries_are_what_retain_grad_keeps(torch, name):
    model, run = MODELS[name](torch)
    by_hand = {}

    def keep(key, tensor):
        tensor.retain_grad()
        by_hand[key] = tensor

    run(keep)
    parameters = {n: array(p.grad) for n, p in model.named_parameters()}
    assert by_hand
    model, run = MODELS[name](torch)
    with observe.record(model) as rec:
        run(ignore)
    for key, tensor in by_hand.items():
        np.testing.assert_array_equal(array(rec[key].grad), array(tensor.grad), err_msg=key)
    for key, grad in parameters.items():
        np.testing.assert_array_equal(array(rec[key].grad), grad, err_msg=key)


@pytest.mark.parametrize("name", MODELS)
def test_every_entry_is_what_retain_grad_keeps(torch, name, monkeypatch):
    model, run = MODELS[name](torch)
    held = []
    add = observe.Record._add

    def add_and_retain(record, entry):
        add(record, entry)
        if entry.kind == "intermediate":
            tensor = entry.ref()
            tensor.retain_grad()
            held.append((entry, tensor, tensor.grad_fn))

    monkeypatch.setattr(observe.Record, "_add", add_and_retain)
    with observe.record(model) as rec:
        run(ignore)
    assert len(held) >= 4 and all("asked to retain its gradient" in n for n in rec.notes)
    compared = 0
    for entry, tensor, made_by in held:
        if tensor.grad_fn is made_by:  # else it was written in place, and retain_grad moved to what it became
            assert (entry.grad is None) == (tensor.grad is None), entry
            if tensor.grad is not None:
                np.testing.assert_array_equal(array(entry.grad), array(tensor.grad), err_msg=repr(entry))
                compared += 1
    assert compared >= len(held) - 3


@pytest.mark.skipif(len(engines()) < 2 or not importlib.util.find_spec("torch"), reason="needs both engines")
@pytest.mark.parametrize("name", MODELS)
def test_both_engines_have_the_same_table(name):
    tables = []
    for engine in engines():
        model, run = MODELS[name](load(engine))
        with observe.record(model, keep="statistics") as rec:
            run(ignore)
        tables.append({(e.step, e.name): e for e in rec})
    ours, theirs = tables
    common = ours.keys() & theirs.keys()
    assert {k for k, e in theirs.items() if e.kind == "parameter" or e.outputs} <= common
    assert {k for k, e in theirs.items() if e.variable and e.kind == "intermediate"} <= ours.keys()
    for key in common:
        a, b = ours[key], theirs[key]
        assert (a.shape, a.kind, a.path, a.call, a.variable) == (b.shape, b.kind, b.path, b.call, b.variable), key
        assert a.place.line == b.place.line or b.adopted, key
        assert (a.norm is None) == (b.norm is None), key
        if a.norm is None:
            continue
        # What is near zero is measured by the size of the whole gradient. The floor is for gradients that are zero but for rounding,
        # as those of a bias before a batch norm.
        assert a.norm == pytest.approx(b.norm, rel=1e-5, abs=1e-7), key
        scale = max(a.statistics.rms, b.statistics.rms)
        for figure in ("mean", "std", "min", "max"):
            mine, other = getattr(a.statistics, figure), getattr(b.statistics, figure)
            assert abs(mine - other) <= 1e-5 * max(abs(mine), abs(other), scale) + 1e-7, (key, figure, mine, other, scale)
