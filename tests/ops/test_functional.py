"""nn.functional call by call, against recordings of PyTorch: values, dtypes, node names, warnings, and every
refusal's sentence."""
import gzip
import json
import math
import pathlib

import numpy as np
import pytest
from tests.ops.functional_cases import CASES, outcome

import rushlight

RECORDED = pathlib.Path(__file__).parent.parent / "golden" / "functional" / "outcomes.json.gz"


@pytest.fixture(scope="module")
def recorded():
    with gzip.open(RECORDED, "rt") as stream:
        return json.load(stream)


def compare(actual, expected):
    if isinstance(expected, list):
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected):
            compare(a, e)
        return
    assert {**actual, "numbers": None} == {**expected, "numbers": None}
    half = expected["dtype"] in ("float16", "bfloat16")
    loose = 1e-2 if half else 2e-5
    np.testing.assert_allclose(actual["numbers"], expected["numbers"], loose, loose if half else 1e-6)


def check(actual, expected, expression):
    assert ("error" in actual) == ("error" in expected), (actual, expected)
    if "error" in expected:
        assert (actual["error"], actual["says"]) == (expected["error"], expected["says"])
    else:
        compare(actual["result"], expected["result"])
    if "padding=\"same\"" not in expression:        # PyTorch gives that warning once in a process
        assert actual["warnings"] == expected["warnings"]


@pytest.mark.parametrize("expression", CASES)
def test_outcome_is_the_recorded_one(expression, recorded):
    check(outcome(rushlight, expression), recorded[expression], expression)


def test_recording_is_what_this_pytorch_does(recorded):
    torch = pytest.importorskip("torch")
    for expression in CASES:
        check(outcome(torch, expression), recorded[expression], expression)


def test_functions_hold_no_more_than_pytorch():
    torch = pytest.importorskip("torch")
    unknown = [n for n in rushlight.nn.functional.__all__ if not hasattr(torch.nn.functional, n)]
    assert unknown == []


# ---------------------------------------------------------------- softmax without a maximum

@pytest.mark.parametrize("scale", [1e-3, 1.0, 20.0, 80.0, 200.0, 1e4])
@pytest.mark.parametrize("shape", [(7,), (2, 5), (20, 50), (3, 4, 17)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_is_accurate_at_every_scale(name, shape, scale):
    x = np.random.default_rng(3).standard_normal(shape) * scale
    given = rushlight.from_numpy(x.astype(np.float32))
    wide = x.astype(np.float32).astype(np.float64)
    exact = wide - wide.max(-1, keepdims=True)
    exact -= np.log(np.exp(exact).sum(-1, keepdims=True))
    made = getattr(rushlight, name)(given, -1).numpy()
    if name == "softmax":
        exact = np.exp(exact)
        np.testing.assert_allclose(made, exact, 1e-6, 1e-34)
    else:
        np.testing.assert_allclose(made, exact, 1e-6, 1e-6)


@pytest.mark.parametrize(
    "row", [[math.nan, 1.0], [math.inf, 1.0], [-math.inf, -math.inf], [1e30, -1e30], [-1e30, -1e30]]
)
def test_softmax_of_extremes(row):
    x = np.array([row, [0.0, 1.0]], np.float32)
    with np.errstate(all="ignore"):
        e = np.exp(x - x.max(1, keepdims=True))
        expected = e / e.sum(1, keepdims=True)
    np.testing.assert_array_equal(
        np.isnan(rushlight.softmax(rushlight.from_numpy(x), 1).numpy()), np.isnan(expected)
    )
    np.testing.assert_allclose(rushlight.softmax(rushlight.from_numpy(x), 1).numpy(), expected, 1e-6)


# ---------------------------------------------------------------- what is kept, and what is written

def test_linear_saves_only_what_its_gradients_need():
    x, w = rushlight.ones(2, 3), rushlight.ones(4, 3, requires_grad=True)
    y = rushlight.nn.functional.linear(x, w)
    assert y.grad_fn.plan.saves == ("input", "weight_shape")
    assert (
        rushlight.nn.functional.linear(
            x, w.detach(), rushlight.ones(4, requires_grad=True)
        ).grad_fn.plan.saves
        == ()
    )


def test_batch_norm_moves_its_running_statistics():
    x = rushlight.tensor([[1.0, 4.0], [3.0, 8.0]])
    mean, var = rushlight.zeros(2), rushlight.ones(2)
    rushlight.nn.functional.batch_norm(x, mean, var, training=True, momentum=0.5)
    assert mean.tolist() == [1.0, 3.0]
    assert var.tolist() == [1.5, 4.5]
    assert mean._version == 1


def test_cross_entropy_of_ignored_rows_has_no_gradient_even_of_infinite_logits():
    x = rushlight.tensor([[1.0, 2.0], [math.inf, 0.0]], requires_grad=True)
    loss = rushlight.nn.functional.cross_entropy(x, rushlight.tensor([0, -100]), reduction="sum")
    loss.backward()
    assert x.grad[1].tolist() == [0.0, 0.0]
    assert loss.item() == pytest.approx(math.log(1 + math.e), rel=1e-6)


@pytest.mark.parametrize("ignored", [-100, -1, 0, 2])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_is_nll_loss_of_log_softmax(reduction, ignored):
    F = rushlight.nn.functional
    x = rushlight.tensor([[1.0, 2.0, 0.5], [0.1, -3.0, 2.0], [5.0, 1.0, 1.0]], requires_grad=True)
    target = rushlight.tensor([0, 2, ignored])
    one = F.cross_entropy(x, target, ignore_index=ignored, reduction=reduction)
    two = F.nll_loss(F.log_softmax(x, 1), target, ignore_index=ignored, reduction=reduction)
    np.testing.assert_allclose(one.detach().numpy(), two.detach().numpy(), 1e-6)
    grads = [rushlight.autograd.grad(loss.sum(), x)[0].numpy() for loss in (one, two)]
    np.testing.assert_allclose(*grads, 1e-5, 1e-7)


def test_a_second_call_does_not_write_into_the_first_result():
    x = rushlight.tensor([[1.0, -2.0]])
    for name in ("relu", "softmax", "log_softmax"):
        call = getattr(rushlight, name)
        extra = () if name == "relu" else (1,)
        first = call(x, *extra)
        before = first.tolist()
        call(x * 3, *extra)
        assert first.tolist() == before
        assert x.tolist() == [[1.0, -2.0]]


def test_in_place_forms_return_their_argument():
    F = rushlight.nn.functional
    for name in (
        "relu",
        "relu6",
        "elu",
        "selu",
        "celu",
        "silu",
        "mish",
        "hardswish",
        "hardsigmoid",
        "hardtanh",
        "leaky_relu",
    ):
        x = rushlight.tensor([-1.0, 0.5, 2.0])
        expected = getattr(F, name)(x).tolist()
        assert getattr(F, name)(x, inplace=True) is x
        assert x.tolist() == expected


def test_embedding_gradients_skip_padding_and_divide_by_frequency():
    F = rushlight.nn.functional
    for options, expected in ((dict(), [[2.0], [1.0]]), (dict(padding_idx=0), [[0.0], [1.0]]),
                              (dict(scale_grad_by_freq=True), [[1.0], [1.0]])):
        table = rushlight.ones(2, 1, requires_grad=True)
        F.embedding(rushlight.tensor([0, 1, 0]), table, **options).sum().backward()
        assert table.grad.tolist() == expected


def test_embedding_scales_long_rows_down_in_place():
    table = rushlight.tensor([[3.0, 4.0], [0.3, 0.4]])
    rushlight.nn.functional.embedding(rushlight.tensor([0]), table, max_norm=1.0)
    assert np.allclose(table.numpy(), [[0.6, 0.8], [0.3, 0.4]])
    assert table._version == 1


def test_sparse_gradients_are_refused_when_they_are_due():
    table = rushlight.ones(2, 1, requires_grad=True)
    made = rushlight.nn.functional.embedding(rushlight.tensor([0]), table, sparse=True)
    with pytest.raises(NotImplementedError, match="no sparse gradients"):
        made.sum().backward()
