"""L-BFGS: live against PyTorch, and what it reaches on known functions."""

import importlib.util

import pytest


def rosenbrock(w):
    return (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2


def minimise(torch, steps, dtype="float64", split=False, **options):
    """The parameters, losses and optimizer after some steps on Rosenbrock's function."""
    kind = getattr(torch, dtype)
    start = torch.tensor([-1.2, 1.0], dtype=kind)
    params = [start[:1].clone(), start[1:].clone()] if split else [start.clone()]
    for p in params:
        p.requires_grad_()
    optimizer = torch.optim.LBFGS(params, **options)
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = rosenbrock(torch.cat(params))
        loss.backward()
        return loss

    for _ in range(steps):
        losses.append(optimizer.step(closure).item())
    return [v for p in params for v in p.tolist()], losses, optimizer


@pytest.mark.parametrize("split", [False, True])
def test_strong_wolfe_finds_the_minimum(torch, split):
    w, losses, _ = minimise(torch, 4, split=split, line_search_fn="strong_wolfe")
    assert w == pytest.approx([1.0, 1.0], abs=1e-3)
    assert losses[0] > losses[1] > losses[-1]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="compares with PyTorch itself")
@pytest.mark.parametrize(
    "options",
    [
        {"line_search_fn": "strong_wolfe"},
        {"line_search_fn": "strong_wolfe", "lr": 0.3, "history_size": 3},
        {"line_search_fn": "strong_wolfe", "max_iter": 5, "max_eval": 4},
        {"line_search_fn": "strong_wolfe", "tolerance_change": 1e-2},
        {"lr": 1e-3},
        {"lr": 1e-3, "max_iter": 3, "history_size": 2},
        {"lr": 1e-3, "tolerance_grad": 50.0},
    ],
    ids=str,
)
def test_as_torch(rushlight, options):
    import torch

    theirs, mine = minimise(torch, 5, **options), minimise(rushlight, 5, **options)
    assert mine[0] == pytest.approx(theirs[0], rel=1e-9)
    assert mine[1][:3] == pytest.approx(theirs[1][:3], rel=1e-7, abs=1e-14)
    assert mine[1] == pytest.approx(theirs[1], rel=1e-4, abs=1e-14)  # the last digit of a processor grows with each search
    states = [result[2].state_dict()["state"][0] for result in (theirs, mine)]
    assert list(states[0]) == list(states[1])
    assert [states[0][k] for k in ("func_evals", "n_iter")] == [states[1][k] for k in ("func_evals", "n_iter")]
    for name in ("old_dirs", "old_stps", "ro"):
        assert len(states[0].get(name, ())) == len(states[1].get(name, ()))


def test_goes_on_from_its_state(torch):
    whole, _, _ = minimise(torch, 3, line_search_fn="strong_wolfe", max_iter=4)
    _, _, first = minimise(torch, 1, line_search_fn="strong_wolfe", max_iter=4)
    w = first.param_groups[0]["params"][0]
    second = torch.optim.LBFGS([w], line_search_fn="strong_wolfe", max_iter=4)
    second.load_state_dict(first.state_dict())

    def closure():
        second.zero_grad()
        loss = rosenbrock(w)
        loss.backward()
        return loss

    second.step(closure)
    second.step(closure)
    assert w.tolist() == pytest.approx(whole, rel=1e-12)


def test_tensor_lr_and_parameters_without_gradient(torch):
    used = torch.tensor([3.0], requires_grad=True)
    unused = torch.tensor([5.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([used, unused], lr=torch.tensor(1.0), line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = (used * used).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert used.item() == pytest.approx(0, abs=1e-5)
    assert unused.item() == 5.0


def test_refusals(torch, fails):
    w = torch.zeros(1, requires_grad=True)
    with fails(ValueError, "LBFGS doesn't support per-parameter options (parameter groups)"):
        torch.optim.LBFGS([{"params": [w]}, {"params": [torch.zeros(1, requires_grad=True)]}])
    with fails(ValueError, "Invalid learning rate: -1"):
        torch.optim.LBFGS([w], lr=-1)
    optimizer = torch.optim.LBFGS([w], line_search_fn="golden")

    def closure():
        optimizer.zero_grad()
        loss = ((w - 1) ** 2).sum()
        loss.backward()
        return loss

    with fails(RuntimeError, "only 'strong_wolfe' is supported"):
        optimizer.step(closure)
