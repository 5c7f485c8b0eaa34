"""Learning-rate schedules against a recording of PyTorch, to the last bit, and live; states, warnings, errors."""

import copy
import gzip
import importlib.util
import json
import pathlib
import pickle
import warnings

import pytest
from tests.optim.schedules import CASES, made, plain, run, seen, step_on

GOLDEN_FILE = pathlib.Path(__file__).parent.parent / "golden" / "optim" / "schedules.json.gz"
GOLDEN = json.loads(gzip.decompress(GOLDEN_FILE.read_bytes()))


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["case"])
def test_as_recorded(torch, golden, quiet):
    with quiet():
        now = json.loads(json.dumps(run(torch, golden["case"])))
    for kind in ("rates", "jumps"):
        for step, (mine, recorded) in enumerate(zip(now.get(kind, []), golden.get(kind, []), strict=True)):
            assert mine == recorded, (kind, step)
    assert now["state"] == golden["state"]
    assert list(now["state"]) == list(golden["state"])


def test_the_recording_is_complete():
    assert [golden["case"] for golden in GOLDEN] == CASES


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="compares with PyTorch itself")
@pytest.mark.parametrize("case", CASES)
def test_as_torch(rushlight, case, quiet):
    import torch

    with quiet():
        assert run(rushlight, case, 77 if "OneCycle" not in case else 50) == run(
            torch, case, 77 if "OneCycle" not in case else 50
        )


@pytest.mark.parametrize("case", CASES)
def test_goes_on_from_its_state(torch, case, quiet):
    """A schedule and optimizer loaded half-way go on like those that were saved."""
    with quiet():
        one, optimizer = made(torch, case)
        for step in range(20):
            step_on(one, optimizer, step)
        other, fresh = made(torch, case)
        fresh.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        state = one.state_dict()
        other.load_state_dict(pickle.loads(pickle.dumps(state)))
        for step in range(20, 40):
            step_on(one, optimizer, step)
            step_on(other, fresh, step)
            assert seen(one, optimizer) == seen(other, fresh)


def test_resuming_with_last_epoch(torch, quiet):
    first, optimizer = made(torch, "ExponentialLR(o, 0.9)")
    with quiet():
        for step in range(5):
            step_on(first, optimizer, step)
    again = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9, last_epoch=first.last_epoch)
    assert again.last_epoch == 6
    assert plain(again.get_last_lr()) == plain(first.get_last_lr())
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 9, last_epoch=4)
    assert plain(cosine.base_lrs) == [0.11, 0.37]


def test_warnings(torch, warned):
    S = torch.optim.lr_scheduler

    def sgd():
        return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)

    order = warned(lambda: S.StepLR(sgd(), 2).step())
    assert len(order) == 1
    assert order[0].startswith("Detected call of `lr_scheduler.step()` before `optimizer.step()`.")

    optimizer = sgd()
    scheduler = S.StepLR(optimizer, 2)
    optimizer.step()
    assert warned(scheduler.step) == []
    assert warned(scheduler.get_lr) == [
        "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
    ]
    assert warned(lambda: scheduler.step(5))[0].startswith("The epoch parameter in `scheduler.step()` was not")

    optimizer = sgd()
    scheduler = S.StepLR(optimizer, 2)
    optimizer.step = lambda: None
    assert warned(scheduler.step)[0].startswith("Seems like `optimizer.step()` has been overridden after")


REFUSALS = [
    ("StepLR(3, 1)", "TypeError", "int is not an Optimizer"),
    ("LambdaLR(o, [lambda e: 1])", "ValueError", "Expected 2 lr_lambdas, but got 1"),
    ("MultiplicativeLR(o, 3)", "TypeError", "lr_lambda should be a function, but got int"),
    ("ConstantLR(o, 2)", "ValueError", "Constant multiplicative factor expected to be between 0 and 1."),
    ("LinearLR(o, 0)", "ValueError", "Starting multiplicative factor expected to be greater than 0 and less or"),
    ("LinearLR(o, 1, 2)", "ValueError", "Ending multiplicative factor expected to be between 0 and 1."),
    ("CosineAnnealingWarmRestarts(o, 0)", "ValueError", "Expected positive integer T_0, but got 0"),
    ("CosineAnnealingWarmRestarts(o, 1, 0)", "ValueError", "Expected integer T_mult >= 1, but got 0"),
    ("CosineAnnealingWarmRestarts(o, 1, 1, 'a')", "ValueError", "Expected float or int eta_min, but got a of"),
    ("CosineAnnealingWarmRestarts(o, 1).step(-1)", "ValueError", "Expected non-negative epoch, but got -1"),
    ("CyclicLR(o, [1, 2, 3], 1)", "ValueError", "base_lr must have the same length as optimizer.param_groups."),
    ("CyclicLR(o, 1, 2, mode='x')", "ValueError", "mode is invalid and scale_fn is None"),
    ("CyclicLR(plain, 1, 2)", "ValueError", "optimizer must support momentum or beta1 with `cycle_momentum`"),
    ("OneCycleLR(o, 1)", "ValueError", "You must define either total_steps OR (epochs AND steps_per_epoch)"),
    ("OneCycleLR(o, 1, 0)", "ValueError", "Expected positive integer total_steps, but got 0"),
    ("OneCycleLR(o, 1, epochs=1, steps_per_epoch=0)", "ValueError", "Expected positive integer steps_per_epoch"),
    ("OneCycleLR(o, 1, 5, pct_start=2.0)", "ValueError", "Expected float between 0 and 1 pct_start, but got 2.0"),
    ("OneCycleLR(o, 1, 5, anneal_strategy='x')", "ValueError", "anneal_strategy must be one of 'cos' or 'linear'"),
    ("OneCycleLR(plain, 1, 5)", "ValueError", "optimizer must support momentum or beta1 with `cycle_momentum`"),
    ("[OneCycleLR(o, 1, 5)]*1 and [x.step() for x in [OneCycleLR(o, 1, 5)] * 9]", "ValueError", "Tried to step 6"),
    ("ReduceLROnPlateau(o, factor=1.0)", "ValueError", "Factor should be < 1.0."),
    ("ReduceLROnPlateau(o, min_lr=[1])", "ValueError", "expected 2 min_lrs, got 1"),
    ("ReduceLROnPlateau(o, mode='x')", "ValueError", "mode x is unknown!"),
    ("ReduceLROnPlateau(o, threshold_mode='x')", "ValueError", "threshold mode x is unknown!"),
    ("ChainedScheduler([])", "ValueError", "ChainedScheduler expects at least one scheduler to be chained, but"),
    ("ChainedScheduler([ReduceLROnPlateau(o)])", "ValueError", "ChainedScheduler does not support `ReduceLROnPl"),
    ("SequentialLR(o, [], [])", "ValueError", "SequentialLR expects at least one scheduler, but got no scheduler"),
    ("SequentialLR(o, [StepLR(o, 1)], [1])", "ValueError", "Sequential Schedulers expects number of schedulers"),
    ("SequentialLR(o, [3], [])", "TypeError", "SequentialLR at index 0 should have `optimizer` as its attribute."),
    ("SequentialLR(o, [StepLR(adam, 1)], [])", "ValueError", "SequentialLR expects all schedulers to belong to"),
    ("StepLR(o, 1, last_epoch=3)", "KeyError", '"param \'initial_lr\' is not specified in param_groups[0] when'),
    ("U.SWALR(o, 1, anneal_strategy='x')", "ValueError", "anneal_strategy must be one of 'cos' or 'linear', in"),
    ("U.SWALR(o, 1, anneal_epochs=-1)", "ValueError", "anneal_epochs must be equal or greater than 0, got -1"),
    ("LRScheduler(o)", "NotImplementedError", ""),
]


@pytest.mark.parametrize("case, kind, beginning", REFUSALS, ids=[case for case, *_ in REFUSALS])
def test_refusals(torch, case, kind, beginning, quiet):
    from tests.optim.schedules import optimizers

    schedulers = torch.optim.lr_scheduler
    names = {**vars(schedulers), "U": torch.optim.swa_utils, **optimizers(torch)}
    names["plain"] = torch.optim.LBFGS([torch.zeros(1, requires_grad=True)])
    with quiet(), pytest.raises(Exception) as error:
        eval(case, names)
    assert type(error.value).__name__ == kind
    assert str(error.value).startswith(beginning), str(error.value)


def test_groups_that_came_later(torch):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    one = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
    each = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0, min_lr=[0.1])
    optimizer.add_param_group({"params": [torch.zeros(1, requires_grad=True)], "lr": 2.0})
    for loss in (1.0, 2.0):
        one.step(loss)
    assert one.get_last_lr() == [0.5, 1.0]
    each.step(1.0)
    with pytest.raises(RuntimeError, match="The number of param groups in the `optimizer`"):
        each.step(2.0)


def test_a_tensor_stays_the_same_tensor(torch, quiet):
    lr = torch.tensor(0.5)
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    last = scheduler.get_last_lr()[0]
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] is lr
    assert lr.item() == 0.25
    assert last.item() == 0.5


def test_an_own_scheduler_and_the_old_name(torch):
    class Mine(torch.optim.lr_scheduler._LRScheduler):
        def get_lr(self):
            return [lr / (1 + self.last_epoch) for lr in self.base_lrs]

    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    scheduler = Mine(optimizer)
    assert isinstance(scheduler, torch.optim.lr_scheduler.LRScheduler)
    optimizer.step()
    scheduler.step()
    assert scheduler.get_last_lr() == [0.5]


def test_callable_objects_are_saved(torch):
    class Power:
        def __init__(self, base):
            self.base = base

        def __call__(self, epoch):
            return self.base**epoch

    def schedule(base):
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        return torch.optim.lr_scheduler.LambdaLR(optimizer, Power(base))

    one, other = schedule(0.5), schedule(0.9)
    state = one.state_dict()
    assert state["lr_lambdas"] == [{"base": 0.5}]
    other.load_state_dict(state)
    assert other.lr_lambdas[0].base == 0.5
    assert "lr_lambdas" in state


def test_no_cycle_keeps_the_optimizer(rushlight, no_gc):
    import weakref

    optimizer = rushlight.optim.SGD([rushlight.zeros(1, requires_grad=True)], lr=1.0)
    scheduler = rushlight.optim.lr_scheduler.StepLR(optimizer, 2)
    seen = weakref.ref(optimizer)
    del optimizer, scheduler
    assert seen() is None


def test_an_optimizer_with_a_schedule_is_copied_and_pickled(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.5)
        torch.optim.lr_scheduler.StepLR(optimizer, 2)
        for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
            other.step()
            assert other.param_groups[0]["initial_lr"] == 1.0
