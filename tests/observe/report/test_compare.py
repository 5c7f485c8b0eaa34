"""Comparing runs: the place where they part is the one where they were made to, and what agrees is said to."""

import math
import sqlite3

import numpy as np
import pytest
from tests.observe.models import MODELS, settle
from tests.observe.report.runs import both_engines, make_model, train

from rushlight import observe
from rushlight.observe.report.compare import _spread


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "observe.db")


def test_the_same_program_twice_is_the_same(torch, file):
    train(torch, file, run="one")
    train(torch, file, run="two")
    found = observe.compare(f"{file}:one", f"{file}:two")
    assert found.same and found.parting is None and found.largest == 0.0 and found.agreed == len(found.steps) == 6
    assert "No difference: 6 steps of 10 tensors (values and gradients) agree to the last digit" in found.text
    assert str(found) == found.text and "no difference" in repr(found)


def test_two_engines_agree(file):
    rushlight, torch = both_engines()
    for engine in (rushlight, torch):
        train(engine, file, engine=engine.__name__)
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert found.same and 0.0 < found.largest < 1e-5, found.text
    assert "The engines differ: A ran on rushlight, B on torch." in found.text


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_models_agree_on_two_engines(name, file):
    for engine in both_engines():
        model, run = MODELS[name](engine)
        with observe.record(model, keep="statistics", values=True, file=file):
            run(lambda *_: None)
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert found.parting is None and found.compared > 3, found.text
    assert found.largest < 1e-5
    assert all(t.kind == "intermediate" for t in found.only_a + found.only_b)


def test_another_learning_rate_parts_at_the_first_update(torch, file):
    train(torch, file)
    train(torch, file, rate=0.0501)
    found = observe.compare(f"{file}:1", f"{file}:2")
    p = found.parting
    assert not found.same and (p.step, p.kind, p.figure) == (0, "update", "norm")
    assert p.name.startswith(("first", "second")) and abs(p.difference - 0.002) < 1e-4
    assert found.agreed == 0 and found.agreed_within == 10
    assert "They part at step 0: the update of " in found.text
    assert "The learning rate of step 0 differs: A 0.05, B 0.0501." in found.text


def test_another_weight_parts_at_the_weight(torch, file):
    def spoil(step, model, x):
        if step == 3:
            with torch.no_grad():
                model.second.weight[0, 0] += 0.25

    train(torch, file)
    train(torch, file, spoil=spoil)
    found = observe.compare(f"{file}:1", f"{file}:2")
    p = found.parting
    assert (p.step, p.kind, p.name) == (3, "weight", "second.weight") and p.a != p.b
    assert found.agreed == 3 and found.largest == 0.0
    assert "They part at step 3: the weight second.weight, as the step finds it." in found.text
    assert "Before that 3 steps of 10 tensors (values and gradients) agreed to the last digit" in found.text


def test_other_data_part_at_the_first_value(torch, file):
    def spoil(step, model, x):
        if step == 2:
            x += 0.001

    train(torch, file)
    train(torch, file, spoil=spoil)
    p = observe.compare(f"{file}:1", f"{file}:2").parting
    assert (p.step, p.kind, p.name) == (2, "value", "first") and p.tensor_a.op == "linear"


def test_without_values_the_gradient_nearest_to_the_loss_is_named(torch, file):
    def spoil(step, model, x):
        if step == 2:
            x += 0.1

    train(torch, file, values=False)
    train(torch, file, values=False, spoil=spoil)
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert (found.parting.step, found.parting.kind) == (2, "gradient")
    later = {row[2] for row in found.later}
    assert found.parting.name not in ("first", "h") and any("of" in where for where in later)
    assert "(gradients)" in found.text


def test_both_lines_are_shown_where_they_differ(torch, file):
    model = make_model(torch)
    for number in range(2):
        with observe.watch(model, file=file, on="log", values=True):
            if number:
                y = torch.tanh(model.first(torch.ones(2, 4)))
            else:
                y = torch.sigmoid(model.first(torch.ones(2, 4)))
            y.sum().backward()
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert found.parting.name == "y" and {found.parting.tensor_a.op, found.parting.tensor_b.op} == {"tanh", "sigmoid"}
    assert "A  test_compare.py:" in found.text and "B  test_compare.py:" in found.text and "torch.tanh(" in found.text


def test_rtol_and_atol_let_pass(torch, file):
    def spoil(step, model, x):
        x += 1e-4

    train(torch, file)
    train(torch, file, spoil=spoil)
    assert not observe.compare(f"{file}:1", f"{file}:2").same
    assert observe.compare(f"{file}:1", f"{file}:2", rtol=0.5).same
    assert observe.compare(f"{file}:1", f"{file}:2", atol=1.0).same
    for wrong in ({"rtol": -1}, {"atol": math.inf}, {"rtol": math.nan}):
        with pytest.raises(ValueError, match="must be a number from 0 on"):
            observe.compare(f"{file}:1", f"{file}:2", **wrong)


def test_a_nan_that_only_one_run_has(torch, file):
    def spoil(step, model, x):
        if step == 4:
            x[0, 0] = math.nan

    train(torch, file)
    train(torch, file, spoil=spoil)
    train(torch, file, spoil=spoil)
    found = observe.compare(f"{file}:1", f"{file}:2")
    p = found.parting
    assert (p.step, p.kind, p.name, p.figure) == (4, "value", "first", "nan") and math.isinf(p.difference)
    assert (p.a, p.b) == (0.0, 6.0) and "NaN: A 0, B 6" in found.text and "beyond measure" in found.text
    assert observe.compare(f"{file}:2", f"{file}:3").same, "the same NaN in both is no difference"


def test_only_the_loss_differs(torch, file):
    for shift in (0.0, 0.5):
        w = torch.ones(3, requires_grad=True)
        with observe.record(file=file, engine=torch.__name__):
            loss = (w * 2).sum() + shift
            loss.backward()
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert (found.parting.kind, found.parting.name, found.parting.a, found.parting.b) == ("scalar", "loss", 6.0, 6.5)
    assert "They part at step 0: loss." in found.text


def test_shapes_and_tensors_of_one_run_alone(torch, file):
    class Other(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.input_layer, self.second = torch.nn.Linear(4, 5), torch.nn.Linear(5, 2)

        def forward(self, x):
            return self.second(torch.relu(self.input_layer(x)))

    train(torch, file)
    train(torch, file, model=settle(torch, Other()))
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert not found.same and [x.name for x, _ in found.shapes] == ["second.weight"]
    assert {t.name for t in found.only_a} == {"first", "h", "first.weight", "first.bias"}
    assert "input_layer.bias" in {t.name for t in found.only_b}
    assert "first.bias (nearest: input_layer.bias)" in found.text
    assert "The shapes differ: second.weight 2x6 and 2x5." in found.text
    assert (found.parting.step, found.parting.figure) == (0, "shape") and "shape: A 2x6, B 2x5" in found.text


def test_another_batch_size(torch, file):
    train(torch, file)
    train(torch, file, batch=7)
    p = observe.compare(f"{file}:1", f"{file}:2").parting
    assert (p.step, p.kind, p.name, p.figure, p.a, p.b) == (0, "value", "first", "size", 48.0, 42.0)


def test_nothing_in_common(torch, file):
    train(torch, file)
    w = torch.ones(3, requires_grad=True)
    with observe.record(file=file, engine=torch.__name__):
        (w * w).prod().backward()
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert not found.same and found.compared == 0 and "no tensor is in both" in found.text


def test_lengths_and_every(torch, file):
    train(torch, file, steps=12)
    train(torch, file, steps=7)
    train(torch, file, steps=12, every=5)
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert found.same and len(found.steps) == 7
    assert "A has 12 steps, B 7; compared are the 7 that both have." in found.text
    found = observe.compare(f"{file}:1", f"{file}:3")
    assert found.same and found.steps.tolist() == [0, 5, 10]


def test_a_run_without_steps(torch, file):
    train(torch, file)
    with pytest.warns(UserWarning, match="nothing was recorded"), observe.record(file=file, engine=torch.__name__):
        pass
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert not found.same and "no step that both recorded" in found.text


def test_a_gradient_that_is_only_rounding_noise(file):
    """The bias before a batch normalization: two engines agree on no digit of its gradient, and Adam makes steps of it."""
    for engine in both_engines():
        engine.manual_seed(0)
        model = engine.nn.Sequential(engine.nn.Linear(5, 8), engine.nn.BatchNorm1d(8), engine.nn.Tanh(), engine.nn.Linear(8, 1))
        x = engine.randn(64, 5)
        optimizer = engine.optim.Adam(model.parameters(), lr=0.01)
        with observe.watch(model, file=file, on="log", optimizer=optimizer):
            for _ in range(3):
                optimizer.zero_grad()
                model(x).pow(2).mean().backward()
                optimizer.step()
    found = observe.compare(f"{file}:1", f"{file}:2", rtol=2e-4)
    assert found.parting is None and found.noisy == ["0.bias"], found.text
    assert "nothing but rounding noise" in found.text


def test_operators_that_engines_name_differently_belong_together(file):
    for engine in both_engines():
        w = engine.ones(2, 3, 4, requires_grad=True)
        with observe.record(file=file, engine=engine.__name__, values=True):
            (w * 2).flatten(1).exp().sum().backward()
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert found.same and not found.only_a and not found.only_b, found.text
    assert [(x.name, y.name) for x, y in found.renamed] == [("view", "flatten")]
    assert "Taken for the same, by module, line and shape: view as flatten." in found.text


def test_runs_are_named_as_file_and_run(torch, file):
    train(torch, file, run="a")
    train(torch, file, run="b", rate=0.1)
    with observe.read(file) as runs:
        assert not observe.compare(runs["a"], runs["b"]).same
        assert runs["a"].steps == 6, "runs that were given stay open"
        assert observe.compare(file, runs[1]).same, "the newest run"
    assert observe.compare(f"{file}:1", f"{file}:a").same
    with pytest.raises(KeyError, match="no run is called 'c'.*1 \\(a\\), 2 \\(b\\)"):
        observe.compare(file, f"{file}:c")
    with pytest.raises(observe.NoRunFile, match="there is no file"):
        observe.compare(file, "nowhere.db")


def test_long_runs_part_late_and_little_is_read(torch, file, monkeypatch):
    """The steps before the parting are read in growing parts, those after it only here and there."""
    train(torch, file, steps=3)
    with sqlite3.connect(file) as connection:  # the newest step, over and over
        last = connection.execute("SELECT max(step) FROM steps").fetchone()[0]
        for table, columns in (("figures", "arrivals,size,norm,mean,std,low,high,zeros,nan,inf,weight_norm,update_norm,curve"),):
            connection.execute(
                f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO {table} "
                f"SELECT tensor, of_value, {last} + i, {columns} FROM {table}, n WHERE step = {last}"
            )
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO steps "
            f"SELECT run, {last} + i, seconds, tensors, reached, graph FROM steps, n WHERE step = {last}"
        )
        connection.execute("INSERT INTO runs SELECT 2, 'copy', program, engine, versions, process, started, ended, outcome FROM runs")
        shift = 1 << 32
        connection.execute(
            "INSERT INTO tensors SELECT id + ?, 2, position, name, kind, path, call, op, variable, outputs, file, line, source, shape, "
            "dtype FROM tensors",
            (shift,),
        )
        connection.execute("INSERT INTO steps SELECT 2, step, seconds, tensors, reached, NULL FROM steps")
        connection.execute(
            "INSERT INTO figures SELECT tensor + ?, of_value, step, arrivals, size, norm * (1 + (step >= 2500) * 0.01), mean, std, low, "
            "high, zeros, nan, inf, weight_norm, update_norm, curve FROM figures",
            (shift,),
        )
    connection.close()
    monkeypatch.setattr("rushlight.observe.report.compare._ROWS", 1000)
    found = observe.compare(f"{file}:1", f"{file}:2")
    assert found.parting.step == 2500 and found.agreed == 2500 and abs(found.parting.difference - 0.01) < 1e-3
    assert found.later[0][0] == 2500 and found.later[-1][0] == 3002 and len(found.later) <= 10


def test_spread():
    assert _spread([4, 5, 6], 10) == [4, 5, 6]
    for length in (11, 12, 50, 1000, 100_000):
        for count in (1, 2, 3, 5, 10):
            found = _spread(np.arange(length), count)
            assert 1 <= len(found) <= count and found[0] == 0 and len(set(found.tolist())) == len(found)
            assert count < 3 or found[-1] == length - 1
