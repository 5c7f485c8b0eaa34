"""Comparisons, clamping and ties."""
import numpy as np
import pytest

inf, nan = float("inf"), float("nan")


def values(t):
    return t.tolist()


def test_comparisons(torch):
    x, y = torch.tensor([1.0, 2.0, nan]), torch.tensor([2.0, 2.0, nan])
    assert values(x == y) == [False, True, False]
    assert values(x != y) == [True, False, True]
    assert values(x < y) == [True, False, False]
    assert values(x <= 2) == [True, True, False]
    assert values(2 > x) == [True, False, False]
    assert values(torch.tensor([1, 2, 3]) >= 2) == [False, True, True]
    assert values(torch.tensor([1, 2]) == 1.5) == [False, False]
    assert (x == y).dtype == torch.bool
    assert not (torch.ones(2, requires_grad=True) > 0).requires_grad


def test_comparisons_with_anything(torch):
    x = torch.tensor([1.0, 2.0])
    assert (x == "a") is False
    assert (x != None) is True  # noqa: E711
    assert (None == x) is False  # noqa: E711
    assert values(x == np.array([1.0, 3.0])) == [True, False]
    for call in (lambda: x < "a", lambda: x >= None):
        with pytest.raises(TypeError, match="not supported between instances of 'Tensor' and"):
            call()


def test_complex_numbers_have_no_order(torch, fails):
    z = torch.tensor([1j])
    assert values(z == 1j) == [True]
    with fails(NotImplementedError, "\"lt_cpu\" not implemented for 'ComplexFloat'"):
        torch.lt(z, z)
    with fails(RuntimeError, "maximum not implemented for complex tensors."):
        torch.maximum(z, z)
    with fails(NotImplementedError, "clamp is not supported for complex types"):
        z.clamp(0)


def test_comparison_in_place(torch):
    x = torch.tensor([1.0, 2.0])
    assert values(x.gt_(1)) == [0.0, 1.0]
    assert x.dtype == torch.float32


def gradients(torch, call, *numbers):
    inputs = [torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in numbers]
    return [g.item() for g in torch.autograd.grad(call(*inputs), inputs)]


@pytest.mark.parametrize(("name", "numbers", "wanted"), [
    ("maximum", [1.0, 1.0], [0.5, 0.5]), ("minimum", [1.0, 1.0], [0.5, 0.5]),
    ("maximum", [2.0, 1.0], [1.0, 0.0]),
    ("maximum", [nan, 1.0], [1.0, 1.0]), ("fmax", [1.0, 1.0], [1.0, 0.0]), ("fmax", [nan, 1.0], [0.0, 1.0]),
    ("fmin", [1.0, nan], [1.0, 0.0]), ("clamp_min", [1.0, 1.0], [1.0, 0.0]),
    ("clamp_max", [1.0, 1.0], [1.0, 0.0]),
    ("clamp", [1.0, 1.0, 2.0], [1.0, 0.0, 0.0]), ("clamp", [3.0, 5.0, 2.0], [0.0, 0.0, 1.0]),
    ("clamp", [1.0, 5.0, 2.0], [0.0, 0.0, 1.0])])
def test_ties(torch, name, numbers, wanted):
    assert gradients(torch, getattr(torch, name), *numbers) == wanted


def test_nan_in_extremes(torch):
    x, y = torch.tensor([nan, 1.0]), torch.tensor([2.0, nan])
    assert values(torch.fmax(x, y)) == [2, 1]
    assert torch.maximum(x, y).isnan().all()
    assert torch.clamp(x, 0, 1).isnan().tolist() == [True, False]


def test_clamp(torch, fails):
    x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
    y = x.clamp(0, 1)
    assert values(y) == [0, 0.5, 1]
    y.sum().backward()
    assert values(x.grad) == [0, 1, 0]
    assert values(torch.clamp(x, 5, 2)) == [2, 2, 2]
    assert values(x.detach().clone().clamp_(min=0)) == [0, 0.5, 2]
    assert (torch.tensor([1, 2]).clamp(0.5)).dtype == torch.float32
    assert values(torch.tensor([1, 5]).clamp(max=3)) == [1, 3]
    assert torch.tensor([True]).clamp(0).dtype == torch.int64
    with fails(RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None"):
        x.clamp()


def test_names_of_nodes(torch):
    x, y = torch.ones(2, requires_grad=True), torch.ones(2)
    assert x.clamp(0, 1).grad_fn.name() == "ClampBackward1"
    assert x.clamp(y, y).grad_fn.name() == "ClampBackward0"
    assert x.clamp_min(0).grad_fn.name() == "ClampMinBackward0"
    assert x.clamp_min(y).grad_fn.name() == "ClampMinBackward1"


def test_logic(torch):
    a, b = torch.tensor([0.0, 2.0, nan]), torch.tensor([1, 1, 0])
    assert values(torch.logical_and(a, b)) == [False, True, False]
    assert values(torch.logical_or(a, b)) == [True, True, True]
    assert values(torch.logical_xor(a, b)) == [True, False, True]
    assert values(torch.logical_not(a)) == [True, False, False]
    assert values(torch.tensor([0.0, 2.0]).logical_not_()) == [1.0, 0.0]


def test_nearly_equal(torch, fails):
    x = torch.tensor([1.0, inf, nan, 1.0])
    y = torch.tensor([1.0 + 1e-6, inf, nan, 1.1])
    assert values(torch.isclose(x, y)) == [True, True, False, False]
    assert values(torch.isclose(x, y, equal_nan=True)) == [True, True, True, False]
    assert torch.allclose(x[:2], y[:2]) is True
    assert values(torch.isclose(torch.tensor([1, 2]), torch.tensor([1, 3]))) == [True, False]
    with fails(RuntimeError, "Float did not match Double"):
        torch.isclose(x, y.double())
    with fails(RuntimeError, "rtol must be greater than or equal to zero, but got -1"):
        torch.isclose(x, y, rtol=-1)


def test_equal(torch):
    x = torch.tensor([1.0, 2.0])
    assert torch.equal(x, x.clone()) is True
    assert torch.equal(x, x.double()) is True
    assert torch.equal(x, torch.ones(3)) is False
    assert torch.equal(torch.tensor([nan]), torch.tensor([nan])) is False
