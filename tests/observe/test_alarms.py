"""``watch``: what raises, what is reported, and that ordinary training is left alone."""

import logging
import warnings

import pytest
from tests.observe.models import MODELS, inputs, settle

from rushlight import observe


def test_a_value_that_is_not_finite(torch):
    model = settle(torch, torch.nn.Sequential(torch.nn.Linear(3, 3)))
    with pytest.raises(observe.NonFinite) as caught, observe.watch(model):
        h = model(inputs(torch, 2, 3))
        torch.log(h - 100).sum()
    text = str(caught.value)
    assert text.startswith("Step 0: log at test_alarms.py:") and "6 NaN of 6 values of shape [2, 3]" in text
    assert "Its input was [2, 3] from -10" in text and "it was born here." in text
    assert caught.value.alarm.kind == "value"


def test_a_softmax_of_masked_rows_is_not_blamed_on_the_data(torch):
    scores = settle(torch, torch.nn.Linear(3, 3))
    with pytest.raises(observe.NonFinite) as caught, observe.watch(scores):
        scores(inputs(torch, 2, 3)).masked_fill(torch.ones(2, 3) > 0, float("-inf")).softmax(-1)
    text = str(caught.value)
    assert "2 rows of the input are -inf throughout (everything is masked)" in text and "outside" not in text and "born here" not in text


def test_spoilt_weights_are_named_once(torch):
    model = settle(torch, torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with observe.watch(model, on="log", optimizer=optimizer) as seen:
        for i in range(6):
            h = model(inputs(torch, 2, 3))
            optimizer.zero_grad()
            (h * float("inf") if i == 2 else h).sum().backward()
            optimizer.step()
    assert [(a.step, a.kind) for a in seen.alarms if a.kind in ("value", "gradient")] == [(2, "value"), (2, "gradient"), (3, "value")]
    text = seen.alarms[-1].text
    assert "Parameters 0.bias and 0.weight are not finite themselves, after the update by SGD in step 2: no step" in text, text
    assert "outside" not in text and "not reported while it stays so" in text
    with pytest.raises(observe.NonFinite, match="Parameters 0.bias and 0.weight are not finite themselves: no step"), observe.watch(model):
        model(inputs(torch, 2, 3))
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(1.0)
    model.zero_grad()
    with observe.watch(model, on="log") as seen:
        model(inputs(torch, 2, 3)).sum().backward()
    assert seen.alarms == []


def test_a_value_that_came_in_bad(torch):
    model = settle(torch, torch.nn.Linear(3, 3))
    bad = inputs(torch, 2, 3) * float("nan")
    with pytest.raises(observe.NonFinite, match="linear at test_alarms.py:.*6 NaN.*came in from outside"), observe.watch(model):
        model(bad)


def test_a_gradient_that_is_not_finite(torch):
    model = settle(torch, torch.nn.Linear(3, 3))
    with pytest.raises(observe.NonFinite) as caught, observe.watch(model):
        h = model(inputs(torch, 2, 3))
        square = ((h - h.detach()) ** 2).sum()
        torch.sqrt(square).backward()
    text = str(caught.value)
    assert "the gradient of square (sum at test_alarms.py:" in text and "1 Inf of 1 values" in text
    assert "born in the derivative of sqrt at test_alarms.py:" in text and "ranged from 0 to 0" in text
    assert model.weight.grad is None


def test_masks_with_minus_infinity_are_meant(torch):
    model = settle(torch, torch.nn.Linear(3, 3))
    with observe.watch(model) as seen:
        h = model(inputs(torch, 2, 3))
        mask = torch.zeros(2, 3).masked_fill(torch.eye(3)[:2] > 0, float("-inf"))
        (h.masked_fill(h == h.max(), float("-inf")).softmax(1) + (h + mask).softmax(1)).pow(2).sum().backward()
    assert seen.alarms == [] and seen.report().splitlines()[-1] == "Nothing unusual was seen."


def test_logging_and_functions(torch, caplog):
    model = settle(torch, torch.nn.Linear(3, 3))
    heard = []

    def bad_step():
        (torch.log(model(inputs(torch, 2, 3)) * 0)).sum().backward()

    with caplog.at_level(logging.WARNING, "rushlight.observe"), observe.watch(model, on="log") as seen:
        bad_step()
        bad_step()
    assert len(caplog.records) == len(seen.alarms) == 4 and {a.step for a in seen.alarms} == {0, 1}
    with observe.watch(model, on=lambda *, alarm: heard.append(alarm.kind)) as seen:
        bad_step()
    assert heard == ["value", "gradient"]
    with (
        pytest.warns(UserWarning, match="nothing was watched"),
        observe.watch(model, ignore="log", on=lambda *, alarm: heard.append(alarm.kind)),
    ):
        torch.log(model(inputs(torch, 2, 3)) * 0)
    assert len(heard) == 2
    with pytest.raises(ValueError, match="on='shout' is unknown"):
        observe.watch(model, on="shout")


def test_vanishing(torch):
    torch.manual_seed(0)
    layers = [layer for _ in range(8) for layer in (torch.nn.Linear(16, 16), torch.nn.Sigmoid())]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(16, 1))
    with observe.watch(model) as seen:
        for _ in range(3):
            model(inputs(torch, 8, 16)).pow(2).mean().backward()
    (alarm,) = seen.alarms
    assert alarm.kind == "vanishing" and alarm.name == "0.weight" and "gradients vanish on their way back" in seen.report()


def test_exploding_and_spikes(torch):
    torch.manual_seed(0)

    class Sine(torch.nn.Module):
        def forward(self, x):
            return torch.sin(x)

    model = torch.nn.Sequential(*[layer for _ in range(6) for layer in (torch.nn.Linear(16, 16), Sine())])
    with torch.no_grad():
        for layer in model[::2]:
            layer.weight *= 30
    with observe.watch(model) as seen:
        model(inputs(torch, 8, 16)).mean().backward()
    assert [a.kind for a in seen.alarms] == ["exploding"]
    small = settle(torch, torch.nn.Linear(4, 2))
    with observe.watch(small) as seen:
        for i in range(8):
            small.zero_grad()
            (small(inputs(torch, 3, 4)).pow(2).mean() * (1000 if i == 6 else 1)).backward()
    assert [(a.kind, a.step) for a in seen.alarms] == [("spike", 6)] and "times the median of the 6 steps" in seen.report()


def test_dead_units(torch):
    model = settle(torch, torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)))
    with torch.no_grad():
        model[0].bias[:] = 3.0
        model[0].bias[2:5] = -100.0
    with observe.watch(model) as seen:
        for i in range(4):
            model(inputs(torch, 200, 4, seed=float(i))).pow(2).sum().backward()
            assert seen.dead_units() == ({} if i < 2 else {"0": [2, 3, 4]})
    assert "0: 3 of 8 units look dead (2, 3, 4): their gradient was zero for each of 800 examples in 4 steps." in seen.report()


def test_parameters_without_gradient(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.unused, self.cut = (torch.nn.Linear(3, 3) for _ in range(3))

        def forward(self, x):
            return self.used(x) + self.cut(x).detach()

    model = settle(torch, Net())
    with observe.watch(model) as seen:
        for _ in range(3):
            model(inputs(torch, 2, 3)).sum().backward()
        with torch.no_grad():
            model(inputs(torch, 2, 3))
    assert set(seen.missing()) == {"unused.weight", "unused.bias", "cut.weight", "cut.bias"}
    assert "never called" in seen.missing()["unused.weight"] and ".detach() at test_alarms.py:" in seen.missing()["cut.bias"]
    assert seen.report().splitlines()[0] == "Watched 3 steps of 4 intermediates and 6 parameters."


def test_a_loss_that_broadcasts(torch):
    model = settle(torch, torch.nn.Linear(3, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with observe.watch(model) as seen:
            torch.nn.functional.mse_loss(model(inputs(torch, 5, 3)), inputs(torch, 5)).backward()
    assert "takes shapes [5, 1] and [5] and broadcasts them to [5, 5]" in seen.report()


def test_nothing_watched_is_said(torch):
    model = settle(torch, torch.nn.Linear(3, 1))
    with pytest.warns(UserWarning, match="nothing was watched"), observe.watch(model):
        model(inputs(torch, 2, 3))


def test_only_the_step_at_hand_is_kept(torch):
    model = settle(torch, torch.nn.Linear(3, 1))
    with observe.watch(model) as seen:
        for _ in range(5):
            model(inputs(torch, 2, 3)).sum().backward()
    assert {e.step for e in seen.record} == {4} and seen.steps == 5 and seen.record.budget.used == 0


@pytest.mark.parametrize("name", MODELS)
def test_healthy_models_raise_no_alarm(torch, name):
    model, run = MODELS[name](torch)
    with observe.watch(model) as seen:
        for _ in range(2):
            run(lambda key, tensor: None)
    assert [a for a in seen.alarms if a.kind in ("value", "gradient")] == [] and seen.missing() == {}


def test_memory_that_is_not_set_yet_raises_no_alarm(torch):
    model = torch.nn.Linear(2, 1)
    with observe.watch(model) as seen:
        for _ in range(20):
            buffer = torch.empty(100, 10)
            buffer.fill_(float("nan"))
            del buffer
            torch.empty(100, 10)
            torch.empty_like(torch.zeros(100, 10))
        model(torch.ones(3, 2)).sum().backward()
    assert seen.alarms == []
