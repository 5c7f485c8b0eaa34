"""Activations at NaN, and the sign that zero keeps."""
import math

import pytest

NAN = float("nan")


@pytest.mark.parametrize("name, slope", [
    ("hardtanh", 1.0), ("relu6", 1.0), ("hardshrink", 1.0), ("softshrink", 1.0), ("elu", 1.0), ("celu", 1.0),
    ("selu", 1.0507010221481323), ("relu", 1.0), ("hardsigmoid", 0.0), ("softplus", NAN),
])
def test_gradient_at_nan(torch, name, slope):
    x = torch.tensor([NAN, 0.75, -2.0], requires_grad=True)
    getattr(torch.nn.functional, name)(x).sum().backward()
    assert x.grad[0].item() == pytest.approx(slope, nan_ok=True)
    assert not x.grad[1:].isnan().any()


def test_threshold_at_nan(torch):
    x = torch.tensor([NAN, 1.0, -1.0], requires_grad=True)
    torch.nn.functional.threshold(x, 0, 0).sum().backward()
    assert x.grad.tolist() == [1, 1, 0]


@pytest.mark.parametrize("name", ["relu", "relu6", "hardtanh", "elu", "celu", "selu"])
def test_negative_zero_stays(torch, name):
    made = getattr(torch.nn.functional, name)(torch.tensor([-0.0, 0.0, -0.0]))
    assert [math.copysign(1, v) for v in made.tolist()] == [-1, 1, -1]


def test_negative_zero_stays_between_tensors(torch):
    made = torch.clamp(torch.tensor([-0.0, 0.0]), torch.zeros(2), torch.ones(2))
    assert [math.copysign(1, v) for v in made.tolist()] == [-1, 1]
