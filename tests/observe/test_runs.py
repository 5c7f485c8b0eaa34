"""Reading a file of runs: what comes back is what was recorded, in full and condensed, of finished and of unfinished runs."""

import math
import os
import pathlib
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from tests.observe.models import MODELS, inputs
from tests.observe.report.runs import make_model, train

from rushlight import observe
from rushlight.observe import runs as reading
from rushlight.observe.runs import FIGURES, run_of


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "observe.db")


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_file_says_what_the_record_said(torch, file, name):
    """Of every kind of model: the same tensors, places, shapes and figures as the entries in memory."""
    model, run = MODELS[name](torch)
    with observe.record(model, keep="statistics", values=True, file=file) as rec:
        run(lambda *_: None)
    entries = {e.name: e for e in rec if e.step == rec.steps - 1}
    with observe.read(file) as runs:
        found = runs[-1]
        step = found.span()[1]
        gradients, values = found.at(step), found.at(step, values=True)
        numbers = {t.number: t for t in found.tensors}
        assert {numbers[n].name for n in gradients} == set(entries)
        for number, figures in gradients.items():
            t, e = numbers[number], entries[numbers[number].name]
            assert (t.kind, t.op, t.shape, t.dtype, t.path, t.call) == (e.kind, e.op, tuple(e.shape), e.dtype, e.path, e.call)
            assert t.outputs == e.outputs and t.variable == e.variable
            if e.place.file:
                assert (t.file, t.line) == (e.place.file, e.place.line) and t.place == str(e.place)
                assert t.source and t.source in pathlib.Path(t.file).read_text()
            for figure in ("norm", "mean", "std", "min", "max", "nan", "inf"):
                assert figures[figure] == (None if e.statistics is None else getattr(e.statistics, figure)), (t.name, figure)
            if e.statistics is not None:
                assert figures["zeros"] == e.statistics.share_of_zeros and figures["rms"] == pytest.approx(e.statistics.rms)
            assert figures["arrivals"] == e.arrivals
            if e.value is not None:
                assert values[number]["norm"] == e.value.norm and values[number]["mean"] == e.value.mean
        used = {(s.name, rec[p].name) for s in entries.values() for p in s.used_by if p is not None}
        edges = {(numbers[i].name, t.name) for t in found.tensors for i in t.inputs if numbers[i].kind == "intermediate"}
        of_step = [(numbers[a], numbers[b]) for a, b in found.edges(step)]
        assert {(a.name, b.name) for a, b in of_step if a.kind == "intermediate"} == used, "of this step alone"
        drawn = {a.name for a, _ in of_step if a.kind == "parameter"}  # a gradient may come to what an earlier step used
        assert drawn and drawn <= {t.name for t in numbers.values() if t.kind == "parameter"}
        assert used and (edges == used if step == 0 else edges >= used), "of all steps together"


def test_series_scalars_and_steps(torch, file):
    train(torch, file, 7, run="r")
    with observe.read(file) as runs:
        run = runs["r"]
        assert run.steps == 7 and run.step_numbers().tolist() == list(range(7)) and run.span() == (0, 6, 7)
        assert set(run.scalars()) == {"loss", "learning rate"}
        steps, norms = run.series("first.weight")
        assert steps.tolist() == list(range(7)) and norms.dtype == float and (norms > 0).all()
        weight = run.series("first.weight", "weight_norm")[1]
        assert run.series("first.weight", "grad_to_weight")[1] == pytest.approx(norms / weight)
        assert run.series("first.weight", "update_to_weight")[1] == pytest.approx(0.05 * norms / weight, rel=1e-4)
        assert run.series("first", values=True)[1].shape == (7,) and run.has_values
        assert run.series("second.weight", "rms")[1] == pytest.approx(run.series("second.weight")[1] / math.sqrt(12))
        assert 0 < run.seconds <= run.ended - run.started
        with pytest.raises(ValueError, match="there is no figure 'size'\nThere are norm, rms"):
            run.series("first", "size")
        with pytest.raises(KeyError, match="nothing is called 'frist' in this run. The nearest are first"):
            run.series("frist")
        with pytest.raises(KeyError, match="no run is called 'q'"):
            runs["q"]
        assert list(runs) == [runs[0]] and len(runs) == 1 and "r" in repr(runs) and "7 steps, finished" in repr(run)


def test_every_figure_can_be_asked(torch, file):
    train(torch, file, 3)
    with observe.read(file) as runs:
        for figure in FIGURES:
            assert runs[-1].series("first.weight", figure)[1].shape == (3,)
        grids = runs[-1].grid(*FIGURES)
        assert [g.figure for g in grids] == list(FIGURES) and all(g.values.shape == (10, 3) for g in grids)


def test_a_grid_is_condensed_so_that_nothing_gets_lost(torch, file):
    def spoil(step, model, x):
        if step == 41:
            x[0, 0] = math.nan

    train(torch, file, 50, spoil=spoil, rate=0.0)
    with observe.read(file) as runs:
        run = runs[-1]
        norm, nan, low = run.grid("norm", "nan", "min", columns=12)
        assert norm.per_column == 5 and norm.starts.tolist() == list(range(0, 50, 5)) and norm.values.shape == (10, 10)
        for i, t in enumerate(norm.tensors):
            full = {f: run.series(t.name, f)[1].reshape(10, 5) for f in ("norm", "nan", "min")}
            assert norm.values[i] == pytest.approx(np.fmax.reduce(full["norm"], axis=1), nan_ok=True)
            assert nan.values[i] == pytest.approx(full["nan"].sum(axis=1))
            assert low.values[i] == pytest.approx(np.fmin.reduce(full["min"], axis=1), nan_ok=True)
        assert (nan.values.sum(axis=0) > 0).tolist() == [False] * 8 + [True] * 2
        (part,) = run.grid("norm", columns=12, tensors=[run.tensor("second")])
        assert part.tensors == [run.tensor("second")] and part.values.shape == (1, 10)
        assert part.values[0].tolist() == norm.values[[t.name for t in norm.tensors].index("second")].tolist()
        whole = run.grid("norm", columns=50)[0]
        assert whole.per_column == 1 and whole.values.shape == (10, 50)


def test_grids_of_runs_that_watch_each_nth_step(torch, file):
    train(torch, file, 40, every=3)
    with observe.read(file) as runs:
        (grid,) = runs[-1].grid("norm", columns=5)
        assert len(grid.starts) <= 5 and grid.starts[0] == 0 and not np.isnan(grid.values).any()
        steps, curves = runs[-1].curves("first", columns=4)
        assert len(steps) == 4 and set(steps.tolist()) <= set(range(0, 40, 3)) and curves.shape == (4, 21)


def test_curves(torch, file):
    w = torch.linspace(0, 1, 101).requires_grad_()
    with observe.record(file=file, engine=torch.__name__, keep="statistics"):
        (w * w / 2).sum().backward()
    with observe.read(file) as runs:
        steps, curves = runs[-1].curves("w")
        assert steps.tolist() == [0] and curves[0] == pytest.approx(np.linspace(0, 1, 21), abs=1e-6)


def test_tensors_that_appear_later(torch, file):
    model = make_model(torch)
    with observe.record(model, keep="statistics", file=file):
        for step in range(4):
            h = model(inputs(torch, 2, 4))
            if step >= 2:
                h = torch.tanh(h)
            if step == 2:
                with observe.read(file) as runs:
                    run = runs[-1]
                    before = len(run.tensors)
            h.sum().backward()
        with observe.read(file) as runs:
            assert before == 8 and len(runs[-1].tensors) > 8
            tanh = next(t for t in runs[-1].tensors if t.op == "tanh")
            (grid,) = runs[-1].grid("norm", tensors=[tanh])
            assert np.isnan(grid.values[0]).tolist() == [True, True, False]


def test_a_run_that_goes_on_while_it_is_read(torch, file):
    """One reader, kept open: what it says follows the run to its end."""
    model = make_model(torch)
    with observe.watch(model, on="log", file=file) as seen:
        for step in range(4):
            h = model(inputs(torch, 2, 4))
            if step == 1:
                runs = observe.read(file)
                run = runs[-1]
                assert run.state() == "running" and run.steps == 1 and len(run.tensors) == 8
            if step == 3:
                h = torch.tanh(h)
                assert run.steps == 3 and run.step_numbers().tolist() == [0, 1, 2]
            h.sum().backward()
    assert run.state() == "finished" and run.ended is not None and run.steps == 4 and seen.steps == 4
    assert "tanh" in {t.op for t in run.tensors} and run.tensor(next(t.name for t in run.tensors if t.op == "tanh"))
    runs.close()
    with pytest.raises(sqlite3.ProgrammingError):
        run.steps


def test_a_run_without_steps(torch, file):
    with pytest.warns(UserWarning), observe.record(file=file, engine=torch.__name__):
        pass
    with observe.read(file) as runs:
        run = runs[-1]
        assert run.steps == 0 and run.span() == (None, None, 0) and run.tensors == [] and run.scalars() == {} and run.seconds == 0.0
        assert run.at(0) == {} and not run.has_values and run.state() == "finished"
        with pytest.raises(ValueError, match="has no steps\nIts first step is not over"):
            run.grid("norm")


def test_runs_by_name(torch, file):
    train(torch, file, 1, run="twin")
    train(torch, file, 2, run="twin")
    train(torch, file, 3, run="3")
    train(torch, file, 4)
    for what, steps in ((file, 4), (f"{file}:twin", 2), (f"{file}:1", 1), (f"{file}:2", 2), (f"{file}:3", 3), (f"{file}:4", 4)):
        run = run_of(what)
        assert run.steps == steps, what
        assert run_of(run) is run
        run.close()
    odd = file.replace("observe.db", "with:colon.db")
    train(torch, odd, 5)
    for what in (odd, f"{odd}:1"):
        run = run_of(what)
        assert run.steps == 5 and run.file == odd
        run.close()
    with pytest.raises(KeyError, match="no run is called '5'"):
        run_of(f"{file}:5")
    with pytest.raises(observe.NoRunFile, match="there is no file"):
        run_of(file + "x:1")


def test_a_file_of_no_runs(file):
    from_store = observe.record(file=file).writer
    reading.connect(from_store.file, write=True).close()
    with pytest.raises(observe.NoRunFile, match="there is no run in .* yet"):
        run_of(file)


def test_an_unknown_process_is_dead_and_its_successor_is_not_it(rushlight, file):
    """A process number may be given again: what began long after the run is another one."""
    train(rushlight, file, 1)
    other = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE runs SET outcome = NULL, ended = NULL, process = ?", (other.pid,))
    connection.close()

    def state():
        with observe.read(file) as runs:
            return runs[-1].state()

    assert state() == "running"
    if os.path.exists("/proc/self/stat"):
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE runs SET started = started - 7200")
        connection.close()
        assert state().startswith("killed")
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE runs SET started = started + 7200")
        connection.close()
        other.kill()
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)  # dead, and nobody has taken notice
        assert state().startswith("killed")
    other.kill()
    other.communicate()
    assert state().startswith("killed")


def test_alarms_and_notes_keep_their_order(torch, file):
    def spoil(step, model, x):
        with torch.no_grad():
            model(x)
        if step in (1, 3):
            x[0, 0] = math.nan

    seen = train(torch, file, 5, spoil=spoil, rate=0.0)
    with observe.read(file) as runs:
        alarms = runs[-1].alarms
        said = [a["text"] for a in alarms]
        assert said[: len(seen.alarms)] == [a.text for a in seen.alarms]
        assert [a["step"] for a in alarms] == sorted(a["step"] for a in alarms)
        first = alarms[0]
        assert first["kind"] == "value" and first["step"] == 1 and os.path.basename(first["file"]) == "runs.py"
        assert first["source"] == "h = torch.relu(self.first(x))" and first["line"] == runs[-1].tensor("first").line
        assert any(n.startswith("Skipped: ") and "no_grad" in n for n in runs[-1].notes)
