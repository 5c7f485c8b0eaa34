"""Every sampling function gives PyTorch's numbers, bit for bit, at sizes 1 to 1,000 and in every dtype it has."""
import json
import pathlib

import numpy as np
import pytest
from tests.ops.sampling_cases import cases, fingerprint, record

import rushlight

RECORDED = json.loads((pathlib.Path(__file__).parent.parent / "golden" / "sampling" / "digests.json").read_text())
CASES = cases()


@pytest.mark.parametrize("seed", sorted(RECORDED))
def test_digests_are_the_recorded_ones(seed):
    made = record(rushlight, int(seed))
    assert {k: v for k, v in made.items() if RECORDED[seed][k] != v} == {}


def test_digests_are_those_of_torch():
    torch = pytest.importorskip("torch")
    made, expected = record(rushlight, 12345), record(torch, 12345)
    assert {k: v for k, v in made.items() if expected[k] != v} == {}


def test_calls_continue_one_stream():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    names = [list(CASES)[i] for i in rng.integers(0, len(CASES), 300)]
    prints = []
    for lib in (rushlight, torch):
        lib.manual_seed(3)
        prints.append([fingerprint(CASES[n](lib)) for n in names] + [lib.get_rng_state().tolist()])
    assert prints[0] == prints[1]


def test_state_is_saved_and_restored():
    rushlight.manual_seed(1)
    rushlight.randn(3)
    state = rushlight.get_rng_state()
    first = rushlight.randn(20).tolist()
    rushlight.set_rng_state(state)
    assert rushlight.randn(20).tolist() == first


def test_generators_are_apart_from_the_default_one():
    rushlight.manual_seed(1)
    g = rushlight.Generator().manual_seed(1)
    other = rushlight.Generator()
    other.set_state(g.get_state())
    assert rushlight.rand(5, generator=g).tolist() == rushlight.rand(5).tolist() == rushlight.rand(5, generator=other).tolist()
    assert g.initial_seed() == 1 == rushlight.initial_seed()


def test_fork_rng_leaves_the_generator_alone():
    rushlight.manual_seed(1)
    with rushlight.random.fork_rng():
        inside = rushlight.rand(3).tolist()
    assert rushlight.rand(3).tolist() == inside
    rushlight.manual_seed(1)
    with rushlight.random.fork_rng(enabled=False):
        rushlight.rand(3)
    assert rushlight.rand(3).tolist() != inside


@pytest.mark.parametrize("call, kind, sentence", [
    (lambda t: t.rand(-1), RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    (lambda t: t.zeros(2).normal_(0, -1), RuntimeError, "normal expects std >= 0.0, but found std -1"),
    (lambda t: t.randint(5, 5, (2,)), RuntimeError, "random_ expects 'from' to be less than 'to', but got from=5 >= to=5"),
    (lambda t: t.bernoulli(t.tensor([2.0])), RuntimeError, "Expected p_in >= 0 && p_in <= 1 to be true, but got false."),
    (lambda t: t.multinomial(t.tensor([-1.0, 1.0]), 1), RuntimeError, "probability tensor contains either `inf`, `nan` or element < 0"),
    (lambda t: t.multinomial(t.tensor([1.0, 1.0]), 3), RuntimeError,
     "cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
    (lambda t: t.zeros(2, dtype=t.int64).uniform_(), NotImplementedError, '"check_uniform_bounds" not implemented for \'Long\''),
])
def test_refusals(torch, call, kind, sentence):
    state = torch.get_rng_state().tolist()
    with pytest.raises(kind) as info:
        call(torch)
    assert str(info.value).startswith(sentence)
    assert torch.get_rng_state().tolist() == state


def test_drawing_into_a_recorded_tensor_cuts_its_gradient(torch):
    x = torch.ones(20, requires_grad=True)
    y = x * 2
    y.uniform_()
    (y * 3).sum().backward()
    assert x.grad.tolist() == [0.0] * 20


@pytest.mark.parametrize("draw, name", [
    (lambda t, x: t.bernoulli(x, 0.5), "bernoulli"),
    (lambda t, x: t.binomial(t.ones(2), x), "binomial"),
])
def test_backward_through_what_has_no_derivative(torch, draw, name):
    x = torch.full((2,), 0.5, requires_grad=True)
    made = draw(torch, x)
    assert type(made.grad_fn).__name__ == "NotImplemented"
    with pytest.raises(RuntimeError, match=f"^derivative for aten::{name} is not implemented"):
        made.sum().backward()
