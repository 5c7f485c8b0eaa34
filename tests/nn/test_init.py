"""nn.init against a recording of PyTorch: the same numbers, bit for bit, from the same seed."""

import json
import math
import pathlib

import pytest

GOLDEN = json.loads((pathlib.Path(__file__).parent.parent / "golden" / "nn" / "init.json").read_text())


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["call"])
def test_numbers(torch, case):
    torch.manual_seed(1)
    t = torch.empty(case["shape"])
    result = eval(f"torch.nn.init.{case['call']}", {"torch": torch, "t": t})
    assert result is t or torch.equal(result, t)
    if case["call"].startswith("orthogonal_"):  # rounding of the decomposition depends on the library
        assert torch.allclose(t.flatten(), torch.tensor(case["values"]), atol=1e-5)
    else:
        assert t.flatten().tolist() == case["values"]
    assert torch.rand(1).item() == case["next"]  # and the generator stands where PyTorch's does


@pytest.mark.parametrize(
    "call", ["kaiming_uniform_", "xavier_normal_", "uniform_", "trunc_normal_", "orthogonal_"]
)
def test_a_generator(torch, call):
    rows = []
    for _ in range(2):
        generator = torch.Generator().manual_seed(7)
        rows.append(getattr(torch.nn.init, call)(torch.empty(4, 4), generator=generator))
    assert torch.equal(*rows)


def test_in_place_on_parameters(torch):
    p = torch.nn.Parameter(torch.zeros(2, 2))
    for name in (
        "uniform_",
        "normal_",
        "ones_",
        "zeros_",
        "eye_",
        "xavier_uniform_",
        "kaiming_normal_",
        "orthogonal_",
        "trunc_normal_",
    ):
        result = getattr(torch.nn.init, name)(p)
        assert result.data_ptr() == p.data_ptr() and p.is_leaf and p.requires_grad
    assert torch.nn.init.constant_(p, 3.0).tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_gain(torch, fails):
    gain = torch.nn.init.calculate_gain
    assert [gain(n) for n in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")] == [
        1,
        1,
        1,
        5.0 / 3,
        math.sqrt(2.0),
        math.sqrt(2.0 / (1 + 0.01**2)),
        0.75,
    ]
    with fails(ValueError, "Unsupported nonlinearity swish"):
        gain("swish")
    with fails(ValueError, "negative_slope True not a valid number"):
        gain("leaky_relu", True)


def test_refusals(torch, fails):
    init, vector = torch.nn.init, torch.zeros(3)
    with fails(ValueError, "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"):
        init.xavier_uniform_(vector)
    with fails(ValueError, "Only tensors with 2 dimensions are supported"):
        init.eye_(vector)
    with fails(ValueError, "Only tensors with 2 dimensions are supported"):
        init.sparse_(vector, 0.5)
    with fails(ValueError, "Only tensors with 2 or more dimensions are supported"):
        init.orthogonal_(vector)
    with fails(ValueError, "Only tensors with 3, 4, or 5 dimensions are supported"):
        init.dirac_(vector)
    with fails(ValueError, "dim 0 must be divisible by groups"):
        init.dirac_(torch.zeros(3, 1, 1), groups=2)
    with fails(ValueError, "Mode fan not supported, please use one of ['fan_in', 'fan_out']"):
        init.kaiming_uniform_(torch.zeros(2, 2), mode="fan")
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        init.kaiming_uniform_(torch.zeros(0, 2))
    with pytest.warns(UserWarning, match="mean is more than 2 std from"):
        init.trunc_normal_(torch.zeros(2), mean=4.5)
    with pytest.warns(
        FutureWarning, match="`nn.init.uniform` is now deprecated in favor of `nn.init.uniform_`."
    ):
        init.uniform(vector)
