"""The layers against recordings of PyTorch: repr, names, and initial weights bit for bit; and their own
errors.
"""

import json
import pathlib

import pytest

GOLDEN = json.loads((pathlib.Path(__file__).parent.parent / "golden" / "nn" / "layers.json").read_text())


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["make"])
def test_as_recorded(torch, case):
    torch.manual_seed(2)
    layer = eval(f"torch.nn.{case['make']}", {"torch": torch})
    assert repr(layer) == case["repr"]
    assert {k: v.flatten().tolist() for k, v in layer.state_dict().items()} == case["state"]


def test_refusals(torch, fails):
    nn = torch.nn
    with fails(ValueError, "dropout probability has to be between 0 and 1, but got 2"):
        nn.Dropout(2)
    with fails(ValueError, "groups must be a positive integer"):
        nn.Conv2d(1, 1, 1, groups=0)
    with fails(ValueError, "in_channels must be divisible by groups"):
        nn.Conv2d(3, 4, 1, groups=2)
    with fails(ValueError, "out_channels must be divisible by groups"):
        nn.Conv2d(4, 3, 1, groups=2)
    with fails(ValueError, "padding='same' is not supported for strided convolutions"):
        nn.Conv2d(1, 1, 1, stride=2, padding="same")
    with fails(ValueError, "Invalid padding string 'some', should be one of {"):
        nn.Conv2d(1, 1, 1, padding="some")
    with fails(ValueError, "padding_mode must be one of {"):
        nn.Conv2d(1, 1, 1, padding_mode="x")
    with fails(ValueError, "num_channels (3) must be divisible by num_groups (2)"):
        nn.GroupNorm(2, 3)
    with fails(ValueError, "expected 2D or 3D input (got 1D input)"):
        nn.BatchNorm1d(2)(torch.zeros(2))
    with fails(ValueError, "expected 4D input (got 2D input)"):
        nn.BatchNorm2d(2)(torch.zeros(2, 2))
    with fails(ValueError, "expected 5D input (got 2D input)"):
        nn.BatchNorm3d(2)(torch.zeros(2, 2))
    with fails(AssertionError, "Padding_idx must be within num_embeddings"):
        nn.Embedding(3, 1, padding_idx=3)
    with fails(AssertionError, "Shape of weight does not match num_embeddings and embedding_dim"):
        nn.Embedding(3, 1, _weight=torch.zeros(2, 1))
    with fails(AssertionError, "Embeddings parameter is expected to be 2-dimensional"):
        nn.Embedding.from_pretrained(torch.zeros(3))
    with fails(TypeError, "unflattened_size must be a tuple of ints, but found type int"):
        nn.Unflatten(1, 4)
    with fails(TypeError, "unflattened_size must be tuple of ints, but found element of type str at pos 1"):
        nn.Unflatten(1, (2, "x"))
    with fails(AssertionError, "max_val (1.0) must be greater than min_val (2.0)"):
        nn.Hardtanh(2.0, 1.0)
    with fails(ValueError, "Softmax2d: expected input to be 3D or 4D, got 1D instead"):
        nn.Softmax2d()(torch.zeros(3))
    with fails(ValueError, "in1_features must be > 0, but got (in1_features=0)"):
        nn.Bilinear(0, 1, 1)
    with fails(TypeError, "delta must be a float or int, got: <class 'str'>"):
        nn.HuberLoss(delta="x")
    with fails(ValueError, "only p == 1 and p == 2 supported"):
        nn.MultiMarginLoss(p=3)
    with fails(ValueError, "TripletMarginLoss: expected margin to be greater than 0, got 0 instead"):
        nn.TripletMarginLoss(margin=0)


def test_old_reductions(torch):
    with pytest.warns(
        UserWarning, match="size_average and reduce args will be deprecated, please use reduction='sum'"
    ):
        assert torch.nn.MSELoss(size_average=False).reduction == "sum"
    with pytest.warns(UserWarning, match="reduction='none'"):
        assert torch.nn.L1Loss(reduce=False).reduction == "none"


def test_pretrained_tables(torch):
    table = torch.arange(6.0).view(3, 2)
    layer = torch.nn.Embedding.from_pretrained(table)
    assert not layer.weight.requires_grad and layer.weight.data_ptr() == table.data_ptr()
    assert layer(torch.tensor([2])).tolist() == [[4.0, 5.0]]
    assert torch.nn.Embedding.from_pretrained(table, freeze=False).weight.requires_grad


def test_batch_norm_follows_the_batches(torch):
    x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
    norm = torch.nn.BatchNorm1d(2)
    norm(x)
    assert torch.allclose(norm.running_mean, torch.tensor([0.2, 2.0]))
    assert (
        torch.allclose(norm.running_var, torch.tensor([1.1, 20.9])) and norm.num_batches_tracked.item() == 1
    )
    norm.eval()(x)
    assert norm.num_batches_tracked.item() == 1
    average = torch.nn.BatchNorm1d(2, momentum=None)
    average(x), average(x * 2)
    assert torch.allclose(average.running_mean, torch.tensor([3.0, 30.0]))
    free = torch.nn.BatchNorm1d(2, track_running_stats=False).eval()
    assert torch.allclose(free(x), torch.tensor([[-1.0, -1.0], [1.0, 1.0]]), atol=1e-4)


def test_a_network_learns(torch):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    for _ in range(200):
        optimizer.zero_grad()
        loss = torch.nn.MSELoss()(net(x), y)
        loss.backward()
        optimizer.step()
    assert loss.item() < 1e-2
