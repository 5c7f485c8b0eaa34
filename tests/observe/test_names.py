"""Names that are looked for in frames, and those of losses."""

import sys
import types

import pytest
from tests.observe.models import inputs, settle

from rushlight import observe
from rushlight.observe.names import held_name, loop_variables


def test_the_variables_that_loops_set():
    def code(items, pairs):
        plain = 0
        for one in items:
            plain = one
        for i, (left, right) in pairs:
            plain = i, left, right
        return plain

    assert {"one", "i", "left", "right"} <= loop_variables(code.__code__) and "plain" not in loop_variables(code.__code__)


def test_what_a_frame_calls_a_value():
    wanted, other = object(), object()
    box = types.SimpleNamespace(inner=wanted)
    table = {"loss": other}
    row = [0, types]

    def name(value):
        return held_name(sys._getframe(1), value)

    assert name(wanted) == "wanted" and name(other) == "other"
    del wanted
    assert name(box.inner) == "box.inner"
    held = table["loss"]
    del other, held
    assert name(table["loss"]) == "table['loss']"
    assert name(row[1]) == "row[1]" and name(object()) is None


class Trainer:
    def __init__(self, torch):
        self.model, self.criterion = settle(torch, torch.nn.Linear(3, 1)), torch.nn.MSELoss()

    def run(self, torch):
        self.loss = self.criterion(self.model(inputs(torch, 4, 3)), torch.zeros(4, 1))
        self.loss.backward()


def stored(torch):
    model, criterion = settle(torch, torch.nn.Linear(3, 1)), torch.nn.MSELoss()
    last = criterion(model(inputs(torch, 4, 3)), torch.zeros(4, 1))
    last.backward()


def scaled(torch):
    model, criterion = settle(torch, torch.nn.Linear(3, 1)), torch.nn.MSELoss()
    loss = criterion(model(inputs(torch, 4, 3)), torch.zeros(4, 1)) * 2
    loss.backward()


def given(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(3, 1)

        def forward(self, x):
            h = self.inner(x)
            return {"h": h, "loss": h.pow(2).mean()}

    model = settle(torch, Model())
    out = model(inputs(torch, 4, 3))
    out["loss"].backward()


def handed(torch):
    def back(total):
        total.backward()

    criterion, model = torch.nn.MSELoss(), settle(torch, torch.nn.Linear(3, 1))
    back(criterion(model(inputs(torch, 4, 3)), torch.zeros(4, 1)))


def nowhere(torch):
    settle(torch, torch.nn.Linear(3, 1))(inputs(torch, 4, 3)).sum().backward()


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (stored, "last"),
        (scaled, "loss"),
        (lambda torch: Trainer(torch).run(torch), "self.loss"),
        (given, "out['loss']"),
        (handed, "total"),
        (nowhere, "sum"),
    ],
    ids=["stored", "scaled", "attribute", "item", "argument", "nowhere"],
)
def test_a_loss_has_the_name_that_backward_was_called_on(torch, program, name):
    with observe.record(engine=torch.__name__) as rec:
        program(torch)
        program(torch)
    assert [n for n, _ in rec._recorder.scalars] == [name] and not rec.notes
