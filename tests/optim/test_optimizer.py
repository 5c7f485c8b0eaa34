"""Optimizer: groups, states, saving, hooks, refusals; on rushlight and on PyTorch alike."""

import copy
import importlib
import pickle

import pytest


def leaf(torch, *values):
    return torch.tensor(values, requires_grad=True)


def optimizer_file(torch):
    return importlib.import_module(f"{torch.__name__}.optim.optimizer")


def stepped(torch, make, steps=3):
    p = leaf(torch, 1.0, -2.0)
    optimizer = make([p])
    for _ in range(steps):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
    return p, optimizer


def test_refusals(torch, fails):
    optim, x = torch.optim, leaf(torch, 1.0)
    with fails(
        TypeError,
        "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
        "torch.FloatT",
    ):
        optim.SGD(x)
    with fails(ValueError, "optimizer got an empty parameter list"):
        optim.Adam([])
    with fails(TypeError, "optimizer can only optimize Tensors, but one of the params is int"):
        optim.Adam([3])
    with fails(ValueError, "can't optimize a non-leaf Tensor"):
        optim.Adam([x * 2])
    with fails(ValueError, "some parameters appear in more than one parameter group"):
        optim.Adam([{"params": x}, {"params": [x]}])
    with fails(
        TypeError,
        "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in",
    ):
        optim.Adam([{"params": {x}}])
    with fails(TypeError, "param_group must be a dict, but got <class 'list'>"):
        optim.Adam([x]).add_param_group([x])
    with fails(ValueError, "all optimizer params should be with/without names. Some param names are missing"):
        optim.Adam([("a", x), leaf(torch, 1.0)])
    named = optim.SGD([("a", x)])
    assert named.param_groups[0]["param_names"] == ["a"]
    with fails(
        ValueError,
        "all optimizer param groups should be with/without names. cannot add param group without names",
    ):
        named.add_param_group({"params": leaf(torch, 1.0)})
    with pytest.warns(UserWarning, match="optimizer contains a parameter group with duplicate parameters"):
        optim.SGD([x, x])
    with fails(NotImplementedError):
        optim.Optimizer([x], {}).step()
    with fails(ValueError, "parameter group didn't specify a value of required optimization parameter lr"):
        optim.Optimizer([x], {"lr": optimizer_file(torch).required})


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        ("SGD([x], lr=-1)", ValueError, "Invalid learning rate: -1"),
        ("SGD([x], momentum=-1)", ValueError, "Invalid momentum value: -1"),
        ("SGD([x], weight_decay=-1)", ValueError, "Invalid weight_decay value: -1"),
        ("SGD([x], nesterov=True)", ValueError, "Nesterov momentum requires a momentum and zero dampening"),
        ("SGD([x], lr=torch.ones(2))", ValueError, "Tensor lr must be 1-element"),
        (
            "SGD([x], fused=True, foreach=True)",
            RuntimeError,
            "`fused` and `foreach` cannot be `True` together.",
        ),
        (
            "SGD([x], fused=True, differentiable=True)",
            RuntimeError,
            "`fused` does not support `differentiable`",
        ),
        ("Adam([x], lr=-1)", ValueError, "Invalid learning rate: -1"),
        ("Adam([x], eps=-1)", ValueError, "Invalid epsilon value: -1"),
        ("Adam([x], betas=(1.0, 0.9))", ValueError, "Invalid beta parameter at index 0: 1.0"),
        ("Adam([x], betas=(0.9, -0.1))", ValueError, "Invalid beta parameter at index 1: -0.1"),
        ("Adam([x], betas=(0, 0.9))", ValueError, "betas must be either both floats or both Tensors"),
        ("Adam([x], weight_decay=-1)", ValueError, "Invalid weight_decay value: -1"),
        ("Adam([x], lr=torch.ones(2))", ValueError, "Tensor lr must be 1-element"),
        (
            "Adam([x], lr=torch.ones(1), foreach=True)",
            ValueError,
            "lr as a Tensor is not supported for capturable=False and foreach=True",
        ),
        (
            "AdamW([x], fused=True, foreach=True)",
            RuntimeError,
            "`fused` and `foreach` cannot be `True` together.",
        ),
    ],
)
def test_options_out_of_range(torch, fails, call, kind, text):
    with fails(kind, text):
        eval(f"torch.optim.{call}", {"torch": torch, "x": leaf(torch, 1.0)})


def test_capturable_is_for_other_devices(torch, fails):
    p = leaf(torch, 1.0)
    optimizer = torch.optim.Adam([p], capturable=True)
    p.grad = torch.ones(1)
    with fails(AssertionError, "If capturable=True, params and state_steps must be on supported devices: ["):
        optimizer.step()


def test_groups(torch):
    a, b = leaf(torch, 1.0), leaf(torch, 1.0)
    optimizer = torch.optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.25)
    assert [g["lr"] for g in optimizer.param_groups] == [0.25, 0.5] and optimizer.defaults["lr"] == 0.25
    c = leaf(torch, 1.0)
    optimizer.add_param_group({"params": [c], "lr": 1.0})
    for p in (a, b, c):
        p.grad = torch.ones(1)
    optimizer.step()
    assert [p.item() for p in (a, b, c)] == [0.75, 0.5, 0.0]
    optimizer.param_groups[0]["lr"] = 1.0
    optimizer.step()
    assert a.item() == -0.25


def test_zero_grad(torch):
    p = leaf(torch, 1.0)
    optimizer = torch.optim.SGD([p], lr=1.0)
    p.grad = torch.ones(1)
    grad = p.grad
    optimizer.zero_grad(set_to_none=False)
    assert p.grad is grad and grad.item() == 0
    optimizer.zero_grad()
    assert p.grad is None
    optimizer.step()
    assert p.item() == 1.0


def test_closure(torch):
    p = leaf(torch, 2.0)
    optimizer = torch.optim.Adam([p], lr=0.5)

    def closure():
        optimizer.zero_grad()
        assert torch.is_grad_enabled()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 4.0
    assert p.item() == pytest.approx(1.5)


MAKERS = {
    "SGD": lambda torch: lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9),
    "Adam": lambda torch: lambda ps: torch.optim.Adam(ps, lr=0.1, amsgrad=True),
    "AdamW": lambda torch: lambda ps: torch.optim.AdamW(ps, lr=0.1),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("way", ["state_dict", "deepcopied state_dict", "pickle", "deepcopy"])
def test_training_goes_on_where_it_was_saved(torch, name, way):
    make = MAKERS[name](torch)
    straight, _ = stepped(torch, make, 6)
    p, optimizer = stepped(torch, make, 3)
    if way == "pickle":
        p, optimizer = pickle.loads(pickle.dumps((p, optimizer)))
        assert optimizer.param_groups[0]["params"][0] is p
    elif way == "deepcopy":
        p, optimizer = copy.deepcopy((p, optimizer))
    else:
        state = optimizer.state_dict()
        if "deep" in way:
            state = copy.deepcopy(state)
        p = p.detach().clone().requires_grad_()
        optimizer = make([p])
        optimizer.load_state_dict(state)
    for _ in range(3):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
    assert torch.allclose(p, straight)


@pytest.mark.parametrize("name", MAKERS)
def test_the_states_entries_are_the_users(torch, name):
    """Entries may be read, written in place, replaced and deleted; the next step takes what is there."""
    p, optimizer = stepped(torch, MAKERS[name](torch))
    entry = optimizer.state[p]
    key = "momentum_buffer" if name == "SGD" else "exp_avg"
    before = p.detach().clone()
    entry[key].zero_()
    p.grad = torch.zeros(2)
    optimizer.param_groups[0]["weight_decay"] = 0
    optimizer.step()
    assert torch.equal(p, before)
    entry[key] = torch.full((2,), 1.0)
    p.grad = torch.zeros(2)
    optimizer.step()
    assert not torch.equal(p, before)
    if name != "SGD":
        assert entry["step"].item() == 5
        entry["step"] = torch.tensor(0.0)
        optimizer.step()
        assert optimizer.state[p]["step"].item() == 1
    optimizer.state.clear()
    p.grad = torch.ones(2)
    optimizer.step()
    assert optimizer.state[p][key].shape == (2,)


def test_a_parameters_memory_stays_its_own(torch):
    p = leaf(torch, 1.0, 2.0)
    view = p.detach()
    optimizer = torch.optim.Adam([p], lr=1.0)
    p.grad = torch.ones(2)
    address, version = p.data_ptr(), p._version
    optimizer.step()
    assert p.data_ptr() == address and torch.equal(view, p) and p._version > version


def test_new_data_of_a_parameter(torch):
    p = leaf(torch, 1.0, 2.0)
    optimizer = torch.optim.SGD([p], lr=1.0, momentum=0.5)
    for data in (torch.zeros(2), torch.ones(2), torch.ones(2, dtype=torch.float64)):
        p.data = data
        p.grad = torch.ones(2, dtype=data.dtype)
        start = data.clone()
        optimizer.step()
        assert (p < start).all() and p.data_ptr() == data.data_ptr()


def test_a_changed_parameter_spoils_an_older_graph(torch, fails):
    p = leaf(torch, 1.0, 2.0)
    optimizer = torch.optim.SGD([p], lr=1.0)
    loss = (p * p).sum()
    p.grad = torch.ones(2)
    optimizer.step()
    with fails(
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace oper",
    ):
        loss.backward()


def test_transposed_and_expanded(torch):
    base = torch.arange(6.0).view(2, 3)
    p = base.t().requires_grad_()
    for make in (torch.optim.Adam, torch.optim.SGD):
        optimizer = make([p], lr=0.5)
        p.grad = torch.ones(1).expand(3, 2)
        optimizer.step()
    assert torch.allclose(base, torch.arange(6.0).view(2, 3) - 1.0, atol=1e-6)


def test_step_hooks(torch, fails):
    p, seen = leaf(torch, 1.0), []
    optimizer = torch.optim.SGD([p], lr=1.0)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("pre"))
    handle = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("post"))
    from_module = optimizer_file(torch)
    globals_ = [
        from_module.register_optimizer_step_pre_hook(lambda o, args, kwargs: seen.append("global pre")),
        from_module.register_optimizer_step_post_hook(lambda o, args, kwargs: seen.append("global post")),
    ]
    try:
        optimizer.step()
    finally:
        for g in globals_:
            g.remove()
    assert seen == ["global pre", "pre", "post", "global post"]
    handle.remove()
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
    with pytest.raises(
        RuntimeError, match="must return None or a tuple of \\(new_args, new_kwargs\\), but got 3."
    ):
        optimizer.step()


def test_state_dict_hooks(torch):
    _, optimizer = stepped(torch, lambda ps: torch.optim.Adam(ps))
    seen = []
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("pre"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "note": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, state: seen.append(state.pop("note")))
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"), prepend=True)
    state = optimizer.state_dict()
    assert state["note"] == 1
    optimizer.load_state_dict(state)
    assert seen == ["pre", 1, "loaded"] and "note" in state


def test_loading_refuses(torch, fails):
    _, optimizer = stepped(torch, lambda ps: torch.optim.Adam(ps))
    state = optimizer.state_dict()
    two = torch.optim.Adam([{"params": leaf(torch, 1.0)}, {"params": leaf(torch, 1.0)}])
    with fails(ValueError, "loaded state dict has a different number of parameter groups"):
        two.load_state_dict(state)
    wide = torch.optim.Adam([leaf(torch, 1.0), leaf(torch, 1.0)])
    with fails(
        ValueError,
        "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
    ):
        wide.load_state_dict(state)


def test_loading_casts_to_the_parameter(torch):
    p, optimizer = stepped(torch, lambda ps: torch.optim.Adam(ps))
    wide = p.detach().double().requires_grad_()
    other = torch.optim.Adam([wide])
    other.load_state_dict(optimizer.state_dict())
    assert (
        other.state[wide]["exp_avg"].dtype == torch.float64
        and other.state[wide]["step"].dtype == torch.float32
    )


def test_loading_a_state_with_plain_steps(torch):
    p, optimizer = stepped(torch, lambda ps: torch.optim.AdamW(ps))
    state = copy.deepcopy(optimizer.state_dict())
    state["state"][0]["step"] = 3
    del state["param_groups"][0]["decoupled_weight_decay"]
    optimizer.load_state_dict(state)
    assert (
        optimizer.state[p]["step"].item() == 3 and optimizer.param_groups[0]["decoupled_weight_decay"] is True
    )


def test_differentiable(torch):
    start = leaf(torch, 2.0)
    p = start.clone()
    optimizer = torch.optim.SGD([p], lr=0.5, differentiable=True)
    p.grad = start * 3
    optimizer.step()
    p.sum().backward()
    assert start.grad.item() == pytest.approx(1 - 0.5 * 3)


def test_a_schedulers_way(torch):
    p = leaf(torch, 1.0)
    optimizer = torch.optim.Adam([p], lr=0.1)
    for lr in (0.1, 0.01):
        for group in optimizer.param_groups:
            group["lr"] = lr
        before = p.item()
        p.grad = torch.ones(1)
        optimizer.step()
        assert before - p.item() == pytest.approx(lr, rel=1e-4)


def test_an_optimizer_of_ones_own(torch):
    class Signs(torch.optim.Optimizer):
        def __init__(self, params, lr=0.5):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.sub_(p.grad.sign(), alpha=group["lr"])
                    self.state[p]["count"] = self.state[p].get("count", 0) + 1

    p, optimizer = stepped(torch, Signs, 1)
    assert p.tolist() == [0.5, -1.5] and optimizer.state_dict()["state"] == {0: {"count": 1}}
