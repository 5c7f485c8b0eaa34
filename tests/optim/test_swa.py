"""Averaged models, SWALR is among the schedules: plain and exponential means, buffers, batch norms."""

import importlib.util

import pytest


def net(torch):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1))


def averaged(torch, **options):
    model = net(torch)
    average = torch.optim.swa_utils.AveragedModel(model, **options)
    for step in range(5):
        model(torch.randn(4, 2))
        with torch.no_grad():
            for p in model.parameters():
                p.add_(torch.randn(p.shape) * (step + 1))
        average.update_parameters(model)
    return model, average


def functions(torch, name):
    utils = torch.optim.swa_utils
    return {
        "default": {},
        "ema": {"avg_fn": utils.get_ema_avg_fn(0.9)},
        "swa": {"avg_fn": utils.get_swa_avg_fn()},
        "multi ema": {"multi_avg_fn": utils.get_ema_multi_avg_fn(0.9)},
        "multi swa": {"multi_avg_fn": utils.get_swa_multi_avg_fn()},
        "own": {"avg_fn": lambda a, p, n: torch.maximum(a, p) + n * 0},
        "buffers": {"use_buffers": True},
        "buffers ema": {"use_buffers": True, "multi_avg_fn": utils.get_ema_multi_avg_fn(0.9)},
    }[name]


NAMES = ["default", "ema", "swa", "multi ema", "multi swa", "own", "buffers", "buffers ema"]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="compares with PyTorch itself")
@pytest.mark.parametrize("name", NAMES)
def test_as_torch(rushlight, name):
    import numpy as np
    import torch

    states = [averaged(lib, **functions(lib, name))[1].state_dict() for lib in (torch, rushlight)]
    assert list(states[0]) == list(states[1])
    for key, value in states[0].items():
        assert str(value.dtype) == str(states[1][key].dtype)
        np.testing.assert_allclose(value.numpy(), states[1][key].numpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["default", "swa", "multi swa"])
def test_the_mean(torch, name):
    model = torch.nn.Linear(2, 1)
    average = torch.optim.swa_utils.AveragedModel(model, **functions(torch, name))
    seen = []
    for step in range(4):
        with torch.no_grad():
            model.weight.fill_(float(step * step))
        seen.append(model.weight.detach().clone())
        average.update_parameters(model)
    assert average.n_averaged.item() == 4
    assert torch.allclose(average.module.weight, torch.stack(seen).mean(0))
    assert average(torch.ones(1, 2)).shape == (1, 1)
    other = torch.optim.swa_utils.AveragedModel(torch.nn.Linear(2, 1))
    other.load_state_dict(average.state_dict())
    assert torch.equal(other.module.weight, average.module.weight)


def test_buffers_follow_the_model(torch):
    model, average = averaged(torch)
    assert torch.equal(model[1].running_mean, average.module[1].running_mean)
    model, average = averaged(torch, use_buffers=True)
    assert not torch.equal(model[1].running_mean, average.module[1].running_mean)


def test_update_bn(torch):
    model = net(torch)
    data = [torch.randn(6, 2) for _ in range(3)]
    model.eval()
    torch.optim.swa_utils.update_bn([(batch, 0) for batch in data], model)
    inner = [model[0](batch) for batch in data]
    assert torch.allclose(model[1].running_mean, torch.stack([x.mean(0) for x in inner]).mean(0), atol=1e-6)
    assert torch.allclose(model[1].running_var, torch.stack([x.var(0) for x in inner]).mean(0), atol=1e-6)
    assert model[1].momentum == 0.1
    assert not model.training
    torch.optim.swa_utils.update_bn(iter(data), torch.nn.Linear(2, 2))


def test_refusals(torch, fails):
    utils = torch.optim.swa_utils
    for make in (utils.get_ema_avg_fn, utils.get_ema_multi_avg_fn):
        with fails(ValueError, "Invalid decay value 2 provided. Please provide a value in [0,1] range."):
            make(2)
    with fails(AssertionError, "Only one of avg_fn and multi_avg_fn should be provided"):
        utils.AveragedModel(net(torch), avg_fn=max, multi_avg_fn=max)
    update = utils.get_swa_multi_avg_fn()
    with fails(RuntimeError, "For integral input tensors, argument alpha must not be a floating point number."):
        update([torch.tensor([1])], [torch.tensor([2])], 3)
    with fails(RuntimeError, "Integer division with addcdiv is no longer supported"):
        update([torch.tensor([1])], [torch.tensor([2])], torch.tensor(3))
