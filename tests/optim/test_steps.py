"""Optimizers with their options against a recording of PyTorch: parameters, states, groups, repr."""

import importlib.util
import json
import pathlib

import pytest

GOLDEN_FOLDER = pathlib.Path(__file__).parent.parent / "golden"
GOLDEN = json.loads((GOLDEN_FOLDER / "optim" / "steps.json").read_text())


def close(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b))
    return a == b if a is None else a == pytest.approx(b, rel=2e-6, abs=1e-7)


def run(torch, case, dtype="float32"):
    """The same steps as in the recording: see golden/make_optim.py."""
    kind = getattr(torch, dtype)
    starts = [[[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], [3.0, -0.125], 0.75]
    params = [torch.tensor(start, dtype=kind, requires_grad=True) for start in starts]
    optimizer = eval(f"torch.optim.{case}", {"torch": torch, "params": params})
    for step in range(6):
        optimizer.zero_grad()
        loss = ((params[0] - 1) ** 2).sum() + (params[1] * params[1]).sum() * 3
        if step % 2:
            loss = loss + params[2] ** 2 * 0.5
        loss.backward()
        optimizer.step()
    return params, optimizer


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["case"])
def test_as_recorded(torch, golden):
    params, optimizer = run(torch, golden["case"])
    assert close([p.tolist() for p in params], golden["params"])
    state = optimizer.state_dict()
    assert {str(k): sorted(v) for k, v in state["state"].items()} == {
        k: sorted(v) for k, v in golden["state"].items()
    }
    for number, entry in state["state"].items():
        for name, value in entry.items():
            value = value.tolist() if isinstance(value, torch.Tensor) else value
            assert close(value, golden["state"][str(number)][name]), (number, name)
    assert [{k: repr(v) for k, v in group.items()} for group in state["param_groups"]] == golden["groups"]
    assert repr(optimizer) == golden["repr"]


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "case",
    [
        "SGD(params, lr=0.1, momentum=0.9)",
        "Adam(params, lr=0.1, eps=1e-3)",
        "AdamW(params, lr=0.1, eps=1e-3)",
        "Adadelta(params, eps=1e-3)",
        "Adagrad(params, lr=0.1, eps=1e-3)",
        "Adamax(params, lr=0.1, eps=1e-3)",
        "ASGD(params, lr=0.1, t0=2)",
        "NAdam(params, lr=0.1, eps=1e-3)",
        "RAdam(params, lr=0.1, eps=1e-3)",
        "RMSprop(params, lr=0.1, eps=1e-3)",
        "Rprop(params, lr=0.125, etas=(0.5, 2.0))",
    ],
)
def test_other_dtypes_agree_with_float32(torch, case, dtype):
    expected = [p.tolist() for p in run(torch, case)[0]]
    tolerance = {"float64": 1e-5, "float16": 1e-1, "bfloat16": 1e-1}[dtype]
    params, _ = run(torch, case, dtype)
    for p, e in zip(params, expected):
        assert str(p.dtype) == f"torch.{dtype}"
        assert torch.allclose(
            p.double(), torch.tensor(e, dtype=torch.float64), rtol=tolerance, atol=tolerance
        )


@pytest.mark.parametrize(
    "case",
    [
        "SGD(ps, lr=0.1, momentum=0.9)",
        "Adam(ps, lr=0.1)",
        "Adam(ps, lr=0.1, amsgrad=True)",
        "Adadelta(ps)",
        "Adagrad(ps, lr=0.1, initial_accumulator_value=0.1)",
        "Adamax(ps, lr=0.1)",
        "ASGD(ps, lr=0.1, t0=1)",
        "NAdam(ps, lr=0.1)",
        "RAdam(ps, lr=0.1)",
        "RMSprop(ps, lr=0.1, momentum=0.9, centered=True)",
        "Rprop(ps, lr=0.1)",
        "LBFGS(ps, lr=0.1, max_iter=3)",
    ],
)
def test_complex_parameters_step_as_their_real_parts(torch, case):
    z = torch.tensor([1 + 2j, -0.5 + 0.25j], requires_grad=True)
    r = torch.view_as_real(z.detach()).clone().requires_grad_()
    optimizers = [eval(f"torch.optim.{case}", {"torch": torch, "ps": [p]}) for p in (z, r)]

    def closure_of(optimizer, value):
        def closure():
            optimizer.zero_grad()
            loss = value()
            loss.backward()
            return loss

        return closure

    for _ in range(4):
        optimizers[0].step(closure_of(optimizers[0], lambda: (z.abs() ** 2).sum()))
        optimizers[1].step(closure_of(optimizers[1], lambda: (r * r).sum()))
    assert torch.allclose(torch.view_as_real(z.detach()), r.detach(), atol=1e-6)


EVERY = [
    "SGD(p, lr=0.1)",
    "SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)",
    "Adam(p, lr=0.01, weight_decay=0.1)",
    "Adam(p, lr=0.01, maximize=True)",
    "AdamW(p, lr=0.01, amsgrad=True)",
    "Adadelta(p, lr=0.5, weight_decay=0.1)",
    "Adafactor(p, lr=0.1, weight_decay=0.1)",
    "Adagrad(p, lr=0.1, lr_decay=0.1, weight_decay=0.1)",
    "Adamax(p, lr=0.01, weight_decay=0.1, maximize=True)",
    "ASGD(p, lr=0.1, t0=4, lambd=0.1, weight_decay=0.1)",
    "NAdam(p, lr=0.01, weight_decay=0.1)",
    "NAdam(p, lr=0.01, weight_decay=0.1, decoupled_weight_decay=True)",
    "RAdam(p, lr=0.01, betas=(0.9, 0.99), weight_decay=0.1)",
    "RMSprop(p, lr=0.01, weight_decay=0.1)",
    "RMSprop(p, lr=0.01, alpha=0.5, momentum=0.9, centered=True, eps=1e-3)",
    "Rprop(p, lr=0.01)",
]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="compares with PyTorch itself")
@pytest.mark.parametrize("sizes", [[(3, 4), (200, 200), (5,)], [(17,)] * 40, [(70, 300), (300, 70), (1,), ()]])
@pytest.mark.parametrize("gaps", [False, True], ids=["all", "gaps"])
@pytest.mark.parametrize("case", EVERY)
def test_twenty_steps_in_layouts_of_all_kinds(rushlight, case, sizes, gaps):
    """Small and large parameters, whole runs and chunks, and gradients that are missing now and then."""
    import numpy as np
    import torch

    generator = np.random.default_rng(0)
    starts = [generator.standard_normal(size).astype("float32") for size in sizes]
    sets = {lib: [lib.from_numpy(np.array(s)).requires_grad_() for s in starts] for lib in (torch, rushlight)}
    optimizers = {lib: eval(f"lib.optim.{case}", {"lib": lib, "p": params}) for lib, params in sets.items()}
    for step in range(20):
        for k, size in enumerate(sizes):
            gradient = generator.standard_normal(size).astype("float32")
            for lib, params in sets.items():
                params[k].grad = None if gaps and (step + k) % 3 == 1 else lib.from_numpy(np.array(gradient))
        for optimizer in optimizers.values():
            optimizer.step()
    for a, b in zip(*sets.values()):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=2e-5, atol=2e-6)
    states = [optimizer.state_dict()["state"] for optimizer in optimizers.values()]
    for number, entry in states[0].items():
        assert list(entry) == list(states[1][number])
        for name, value in entry.items():
            other = states[1][number][name]
            assert str(value.dtype) == str(other.dtype) and list(value.shape) == list(other.shape)
            np.testing.assert_allclose(value.numpy(), other.numpy(), rtol=5e-5, atol=2e-6)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="compares with PyTorch itself")
@pytest.mark.parametrize(
    "case",
    [
        "SGD([p], lr=0.1, momentum=0.9)",
        "Adam([p], lr=0.1, amsgrad=True, weight_decay=0.1)",
        "Adadelta([p], weight_decay=0.1)",
        "Adagrad([p], lr=0.1, weight_decay=0.1)",
        "Adamax([p], lr=0.1, weight_decay=0.1)",
        "ASGD([p], lr=0.1, weight_decay=0.1)",
        "NAdam([p], lr=0.1, weight_decay=0.1)",
        "RAdam([p], lr=0.1, betas=(0.9, 0.8), weight_decay=0.1)",
        "RMSprop([p], lr=0.1, momentum=0.9, centered=True, weight_decay=0.1)",
        "Rprop([p], lr=0.1)",
    ],
)
def test_differentiable_steps_as_torch(rushlight, case):
    """Gradients through steps, of the start and of what the gradients were made from.

    Three steps where PyTorch can go back through them; several optimizers change what an earlier step saved.
    """
    import torch

    steps = 1 if case.startswith(("Adam(", "Adamax", "RMSprop", "Rprop")) else 3

    results = []
    for lib in (torch, rushlight):
        start = lib.tensor([0.5, -1.5, 2.0], requires_grad=True)
        slope = lib.tensor([1.0, -0.5, 0.25], requires_grad=True)
        p = start.clone()
        optimizer = eval(f"lib.optim.{case[:-1]}, differentiable=True)", {"lib": lib, "p": p})
        for _ in range(steps):
            p.grad = slope * slope * (p.detach() + 1)
            optimizer.step()
        (p * p).sum().backward()
        results.append((p.tolist(), start.grad.tolist(), slope.grad.tolist()))
    for theirs, mine in zip(*results):
        assert mine == pytest.approx(theirs, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("kind", ["Adam", "Adadelta", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop"])
def test_capturable_is_refused_at_the_first_step(torch, kind):
    p = torch.ones(2, requires_grad=True)
    optimizer = getattr(torch.optim, kind)([p], capturable=True)
    p.sum().backward()
    with pytest.raises(AssertionError) as error:
        optimizer.step()
    assert str(error.value).startswith("If capturable=True, params")
    assert "must be on supported devices: ['cuda', 'xpu', 'hpu', 'privateuseone'" in str(error.value)


OPTION_REFUSALS = [
    ("Adadelta([p], rho=2)", "Invalid rho value: 2"),
    ("Adadelta([p], eps=-1)", "Invalid epsilon value: -1"),
    ("Adafactor([p], lr=-1)", "Learning rate should be >= 0 but is: -1"),
    ("Adafactor([p], beta2_decay=0.5)", "beta2_decay should be <= 0 but is: 0.5"),
    ("Adafactor([p], eps=(-1, 1))", "epsilon1 should be >= 0 but is: -1"),
    ("Adafactor([p], eps=(1, -1))", "epsilon2 should be >= 0 but is: -1"),
    ("Adafactor([p], d=0.5)", "Clipping threshold d should be >= 1 but is: 0.5"),
    ("Adafactor([p], weight_decay=-1)", "weight_decay should be >= 0 but is: -1"),
    ("Adagrad([p], lr_decay=-1)", "Invalid lr_decay value: -1"),
    ("Adagrad([p], initial_accumulator_value=-1)", "Invalid initial_accumulator_value value: -1"),
    ("Adamax([p], betas=(1.0, 0))", "Invalid beta parameter at index 0: 1.0"),
    ("Adamax([p], betas=(0, 1.0))", "Invalid beta parameter at index 1: 1.0"),
    ("ASGD([p], weight_decay=-1)", "Invalid weight_decay value: -1"),
    ("ASGD([p], lr=torch.ones(2))", "Tensor lr must be 1-element"),
    ("NAdam([p], momentum_decay=-1)", "Invalid momentum_decay value: -1"),
    ("RAdam([p], weight_decay=-1)", "Invalid weight_decay value: -1"),
    ("RMSprop([p], momentum=-1)", "Invalid momentum value: -1"),
    ("RMSprop([p], alpha=-1)", "Invalid alpha value: -1"),
    ("Rprop([p], etas=(1, 2))", "Invalid eta values: 1, 2"),
    ("Rprop([p], lr=-1)", "Invalid learning rate: -1"),
    ("Muon([p])", "Muon only supports 2D parameters whereas we found a parameter with size: torch.Size([2])"),
    ("Muon([p], momentum=-1)", "momentum should be >= 0 but is: -1"),
    ("Muon([p], adjust_lr_fn='x')", "Adjust learning rate function x is not supported"),
]


@pytest.mark.parametrize("case, sentence", OPTION_REFUSALS, ids=[case for case, _ in OPTION_REFUSALS])
def test_options_out_of_range(torch, fails, case, sentence):
    with fails(ValueError, sentence):
        eval(f"torch.optim.{case}", {"torch": torch, "p": torch.ones(2, requires_grad=True)})


def test_complex_parameters_are_refused_where_torch_does(torch, fails):
    for kind, shape in (("Adafactor", (2,)), ("Muon", (2, 2))):
        p = torch.ones(shape, dtype=torch.complex64, requires_grad=True)
        optimizer = getattr(torch.optim, kind)([p])
        p.abs().sum().backward()
        with fails(RuntimeError, f"{kind} does not support complex parameters"):
            optimizer.step()
