"""Where NaN and Inf are born, as a record tells it."""

import math

import numpy as np
import pytest

from rushlight import observe
from rushlight.observe.births import empty_rows


def test_the_first_maker_is_named_from_far_below(torch):
    with observe.record(engine=torch.__name__) as rec:
        w = torch.ones(3, requires_grad=True)
        h = w * 2
        square = ((h - h.detach()) ** 2).sum()
        root = torch.sqrt(square)
        (root * 3).backward()
        text = observe.explain(w)
    for said in (text, observe.explain("h", record=rec), observe.explain("square", record=rec)):
        assert "It was born in the derivative of sqrt at test_births.py:" in said and "whose own gradient was finite" in said, said
    assert text.startswith("This tensor has a gradient of shape [3]") and "3 NaN" in text


def test_a_seed_that_is_not_finite(torch):
    with observe.record(engine=torch.__name__) as rec:
        y = torch.ones(2, requires_grad=True) * 2
        y.backward(torch.tensor([math.inf, 1.0]))
    assert "came in with the gradient that backward was started with" in observe.explain("y", record=rec)


def test_a_branch_that_gets_a_gradient_is_not_called_untaken(torch):
    with observe.record(engine=torch.__name__) as rec:
        x = torch.tensor([0.0, 4.0], requires_grad=True) * 1
        (torch.where(x >= 0, x.sqrt(), x) * torch.tensor([0.0, 1.0])).sum().backward()
    text = observe.explain("x", record=rec)
    assert "born in the derivative of sqrt" in text  # zero times Inf: the zero comes from the mask, which lies behind the choice
    with observe.record(engine=torch.__name__) as rec:
        x = torch.tensor([-1.0, 4.0], requires_grad=True) * 1
        torch.where(x < 9, x.sqrt(), x).sum().backward()
    assert "untaken" not in observe.explain("x", record=rec)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_rows_of_minus_infinity(dtype):
    low = -np.inf
    assert empty_rows(np.array([[low, low], [low, 0.0]], dtype)) == 1
    assert empty_rows(np.array([[low, 1.0], [low, 0.0]], dtype)) == 1
    assert empty_rows(np.array([[low, 1.0], [2.0, 0.0]], dtype)) == 0
    assert empty_rows(np.array(low, dtype)) == 0 and empty_rows(np.zeros((0, 3), dtype)) == 0 and empty_rows(np.arange(3)) == 0


def test_a_sum_that_overflows_is_not_blamed_on_a_derivative_alone(torch):
    h = torch.ones(4, requires_grad=True)
    with observe.watch(engine=torch.__name__, on="log") as seen:
        for _ in range(3):
            (h * 2e38).sum().backward()
    told = next(a.text for a in seen.alarms if a.kind == "gradient")
    assert "of h" in told and "or in the sum: the .grad of a leaf adds up what came" in told
