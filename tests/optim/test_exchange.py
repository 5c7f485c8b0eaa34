"""States of optimizers between rushlight and PyTorch, both ways; copies; an optimizer on other parameters."""

import copy
import importlib.util
import pickle

import pytest

OPTIMIZERS = [
    "SGD(p, lr=0.1, momentum=0.9)",
    "Adam(p, lr=0.1, amsgrad=True)",
    "AdamW(p, lr=0.1)",
    "Adadelta(p)",
    "Adafactor(p)",
    "Adagrad(p)",
    "Adamax(p)",
    "ASGD(p, t0=2)",
    "LBFGS(p, lr=0.1, max_iter=3)",
    "Muon(p[:1])",
    "NAdam(p)",
    "RAdam(p)",
    "RMSprop(p, momentum=0.9, centered=True)",
    "Rprop(p)",
]


def params_of(torch):
    return [
        torch.tensor([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], requires_grad=True),
        torch.tensor([3.0, -0.125], requires_grad=True),
    ]


def made(torch, case, params):
    return eval(f"torch.optim.{case}", {"torch": torch, "p": params})


def go_on(optimizer, params, steps):
    def closure():
        optimizer.zero_grad()
        loss = ((params[0] - 1) ** 2).sum() + (params[1] * params[1]).sum() * 3
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)


def carried(value, source, target):
    """A state with tensors of one library as one with tensors of the other."""
    if isinstance(value, source.Tensor):
        return target.from_numpy(value.detach().numpy().copy())
    if isinstance(value, dict):
        return {k: carried(v, source, target) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(carried(v, source, target) for v in value)
    return value


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="compares with PyTorch itself")
@pytest.mark.parametrize("case", OPTIMIZERS)
@pytest.mark.parametrize("there", [True, False], ids=["to torch", "from torch"])
def test_half_here_half_there(rushlight, case, there):
    import torch

    source, target = (rushlight, torch) if there else (torch, rushlight)
    whole = params_of(target)
    go_on(made(target, case, whole), whole, 6)

    params = params_of(source)
    optimizer = made(source, case, params)
    go_on(optimizer, params, 3)
    rest = [target.from_numpy(p.detach().numpy().copy()).requires_grad_() for p in params]
    other = made(target, case, rest)
    other.load_state_dict(carried(optimizer.state_dict(), source, target))
    go_on(other, rest, 3)
    for a, b in zip(whole, rest):
        assert b.reshape(-1).tolist() == pytest.approx(a.reshape(-1).tolist(), rel=2e-5, abs=1e-6)


@pytest.mark.parametrize("case", OPTIMIZERS)
def test_loaded_into_a_fresh_one(torch, case):
    whole = params_of(torch)
    go_on(made(torch, case, whole), whole, 6)
    params = params_of(torch)
    first = made(torch, case, params)
    go_on(first, params, 3)
    second = made(torch, case, params)
    second.load_state_dict(pickle.loads(pickle.dumps(first.state_dict())))
    go_on(second, params, 3)
    for a, b in zip(whole, params):
        assert b.reshape(-1).tolist() == pytest.approx(a.reshape(-1).tolist(), rel=1e-6)


@pytest.mark.parametrize("case", [c for c in OPTIMIZERS if "LBFGS" not in c and "Muon" not in c])
def test_parameters_with_deep_copies(torch, case):
    """A copied optimizer has parameters of its own, and its own state."""
    params = params_of(torch)
    optimizer = made(torch, case, params)
    go_on(optimizer, params, 2)
    before = [p.detach().clone() for p in params]
    twin = copy.deepcopy(optimizer)
    theirs = twin.param_groups[0]["params"]
    go_on(twin, theirs, 2)
    for p, b in zip(params, before):
        assert torch.equal(p.detach(), b)
    go_on(optimizer, params, 2)
    for p, t in zip(params, theirs):
        assert torch.equal(p, t)


@pytest.mark.parametrize("case", [c for c in OPTIMIZERS if "LBFGS" not in c and "Muon" not in c])
def test_a_group_that_came_later_and_options_changed_between_steps(torch, case):
    params = params_of(torch)
    optimizer = made(torch, case.replace("(p", "(p[:1]"), params)
    go_on_one = (params[0] * 1.0).sum
    go_on_one().backward()
    optimizer.step()
    if "Adagrad" not in case:  # whose state is made with it
        optimizer.add_param_group({"params": params[1:]})
        (params[1] * params[1]).sum().backward()
    optimizer.param_groups[0]["lr"] = 0.0
    before = params[0].detach().clone()
    optimizer.step()
    if not any(kind in case for kind in ("Rprop", "ASGD", "momentum")):  # steps of their own sizes
        assert torch.allclose(params[0].detach(), before, atol=1e-6)
    if "Adagrad" not in case:
        assert params[1].tolist() != [3.0, -0.125]


def test_swapped_in(torch):
    swap = torch.optim.swap_in_optimizer_params_and_state
    for case in ("SGD(p, lr=0.1, momentum=0.9)", "Adam(p, lr=0.1)"):
        params, others = params_of(torch), params_of(torch)
        optimizer = made(torch, case, params)
        go_on(optimizer, params, 2)
        before = [p.detach().clone() for p in params]
        state = copy.deepcopy(optimizer.state_dict())
        state["param_groups"][0]["lr"] = 0.5
        kept = copy.deepcopy(state)
        for p in others:
            p.grad = torch.ones_like(p)
        with swap(optimizer, {"a": others[0], "b": others[1]}, state):
            assert optimizer.param_groups[0]["lr"] == 0.5
            optimizer.step()
        assert optimizer.param_groups[0]["params"][0] is params[0]
        assert optimizer.param_groups[0]["lr"] == 0.1
        for p, b in zip(params, before):
            assert torch.equal(p.detach(), b)
        assert others[0][0, 0].item() != 0.5
        for number, entry in state["state"].items():  # the step was written into the state that was given
            for name, value in entry.items():
                assert not torch.equal(value, kept["state"][number][name]), name
        go_on(optimizer, params, 1)


def test_swapping_refuses_what_does_not_fit(torch, fails):
    swap = torch.optim.swap_in_optimizer_params_and_state
    params = params_of(torch)
    optimizer = made(torch, "SGD(p, lr=0.1, momentum=0.9)", params)
    with fails(RuntimeError, "swap_in_optimizer_params_and_state requires initialized optimizer state."):
        with swap(optimizer, {}, {}):
            pass
    go_on(optimizer, params, 1)
    state = optimizer.state_dict()
    named = dict(zip("ab", params))
    group = state["param_groups"][0]
    for given, beginning in (
        (3, "swap_in_optimizer_params_and_state requires a DCP-style optimizer state_dict."),
        ({"state": 3}, "swap_in_optimizer_params_and_state requires swapin_optim_state['state'] to be a dict"),
        ({"state": {}, "param_groups": 3}, "swap_in_optimizer_params_and_state requires swapin_optim_state['param_"),
        ({"state": {}, "param_groups": []}, "swapin_optim_state has a different number of parameter groups than"),
        ({"state": {}, "param_groups": [{**group, "params": [0]}]}, "swapin_optim_state param group 0 has a differ"),
        ({"state": {}, "param_groups": [{**group, "x": 0}]}, "swap_in_optimizer_params_and_state requires optimizer"),
        ({**state, "state": {7: {}}}, "swap_in_optimizer_params_and_state requires swapin_optim_state['state'] to be"),
    ):
        with fails(RuntimeError, beginning), swap(optimizer, named, given):
            pass
    with fails(RuntimeError, "swap_in_optimizer_params_and_state requires the explicit parameter state to match"):
        with swap(optimizer, {"a": params[0]}, state):
            pass


def test_sparse_adam_says_why_not(rushlight, fails):
    with fails(NotImplementedError, "SparseAdam needs sparse gradients, and rushlight's gradients are dense"):
        rushlight.optim.SparseAdam([rushlight.zeros(1)])
