"""Event files for TensorBoard, read back with TensorBoard's own accumulator."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from tests.conftest import SOURCES
from tests.observe.report.runs import train

from rushlight import observe
from rushlight.observe.report import tensorboard


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "observe.db")


@pytest.fixture
def accumulated():
    """``accumulated(folder)``: what TensorBoard reads, nothing thinned."""
    module = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")

    def load(folder):
        found = module.EventAccumulator(folder, size_guidance={"scalars": 0, "histograms": 0, "tensors": 0})
        return found.Reload()

    return load


def exported(file, folder, name=-1, **options):
    with observe.read(file) as runs:
        return tensorboard.export(runs[name], folder, **options)


def text_of(events, tag):
    return [(e.step, e.tensor_proto.string_val[0].decode()) for e in events.Tensors(tag)]


def test_scalars_are_those_of_the_run(torch, accumulated, file, tmp_path):
    train(torch, file, run="good")
    folder = exported(file, tmp_path / "logs")
    assert folder == str(tmp_path / "logs" / "good") and len(os.listdir(folder)) == 1
    events = accumulated(folder)
    with observe.read(file) as runs:
        run = runs[-1]
        losses = run.scalars()["loss"][1]
        assert [e.value for e in events.Scalars("loss/loss")] == pytest.approx(losses.tolist())
        assert [e.step for e in events.Scalars("loss/loss")] == list(range(6))
        assert [e.value for e in events.Scalars("learning rate")] == pytest.approx([0.05] * 6)
        for t in run.tensors:
            found = [e.value for e in events.Scalars(f"gradient_norm/{t.name}")]
            assert found == pytest.approx(run.series(t.name)[1].tolist())
        for figure in ("grad_to_weight", "update_to_weight"):
            found = [e.value for e in events.Scalars(f"{figure}/first.weight")]
            assert found == pytest.approx(run.series("first.weight", figure)[1].tolist())
        times = [e.wall_time for e in events.Scalars("loss/loss")]
        seconds = [s for (s,) in run.query("SELECT seconds FROM steps ORDER BY step")]
        assert times == pytest.approx([run.started + s for s in seconds], abs=1e-5)
    assert not any(tag.startswith(("nan_count", "inf_count")) for tag in events.Tags()["scalars"])


def test_histograms_come_from_the_quantiles(torch, accumulated, file, tmp_path):
    train(torch, file)
    events = accumulated(exported(file, tmp_path / "logs"))
    with observe.read(file) as runs:
        run = runs[-1]
        for kind, values in (("gradient", False), ("value", True)):
            steps, curves = run.curves("first", values=values)
            found = events.Histograms(f"{kind}/first")
            assert [e.step for e in found] == steps.tolist() == list(range(6))
            for event, curve in zip(found, curves):
                h = event.histogram_value
                assert h.num == 48 and h.min == curve[0] and h.max == curve[-1] == h.bucket_limit[-1]
                assert sum(h.bucket) == pytest.approx(48) and np.all(np.diff(h.bucket_limit) > 0)
                for limit in h.bucket_limit:  # up to each limit lies the share that the quantiles say
                    share = (np.flatnonzero(curve == np.float32(limit))[-1]) / 20
                    below = sum(n for n, at in zip(h.bucket, h.bucket_limit) if at <= limit)
                    assert below == pytest.approx(48 * share)
                assert h.sum / h.num == pytest.approx(run.series("first", "mean", values=values)[1][event.step], abs=1e-6)
                assert h.sum_squares == pytest.approx(run.series("first", "norm", values=values)[1][event.step] ** 2)


def test_many_equal_numbers_are_one_bucket(torch, accumulated, file, tmp_path):
    w = torch.ones(40, requires_grad=True)
    with observe.record(file=file, engine=torch.__name__, keep="statistics", run="r"):
        (w[:10] * 3).sum().backward()
    events = accumulated(exported(file, tmp_path / "logs"))
    h = events.Histograms("gradient/w")[0].histogram_value
    assert h.bucket_limit[0] == 0.0 and h.bucket_limit[-1] == 3.0 and h.bucket[0] == pytest.approx(28, abs=2.1) and sum(h.bucket) == 40
    h = events.Histograms("gradient/mul")[0].histogram_value
    assert list(h.bucket_limit) == [1.0] and list(h.bucket) == pytest.approx([10]) and h.min == h.max == 1.0


def test_nan_counts_alarms_and_notes(torch, accumulated, file, tmp_path):
    def spoil(step, model, x):
        if step == 3:
            x[0, 0] = math.nan
        with torch.no_grad():
            model(x)

    train(torch, file, spoil=spoil)
    events = accumulated(exported(file, tmp_path / "logs"))
    assert [e.value for e in events.Scalars("nan_count/first.weight")] == [0.0, 0.0, 0.0, 24.0, 24.0, 24.0]
    assert math.isnan(events.Scalars("loss/loss")[3].value)
    assert len(events.Histograms("gradient/first.weight")) == 3, "of what is NaN throughout there is none"
    with observe.read(file) as runs:
        alarms, notes = runs[-1].alarms, runs[-1].notes
    texts = text_of(events, "alarms")
    assert [step for step, _ in texts] == sorted({a["step"] for a in alarms})
    for alarm in alarms:
        assert any(step == alarm["step"] and alarm["text"] in text for step, text in texts)
    assert any("runs.py:" in text for _, text in texts)
    (_, note), (_, head) = text_of(events, "notes")[0], text_of(events, "run")[0]
    assert all(n in note for n in notes) and "state: finished" in head


def test_long_runs_are_condensed_and_say_so(torch, accumulated, file, tmp_path):
    def spoil(step, model, x):
        if step == 33:
            x *= 50.0

    train(torch, file, 60, spoil=spoil, rate=1e-5)
    events = accumulated(exported(file, tmp_path / "logs", points=20, histograms=6))
    with observe.read(file) as runs:
        norms = runs[-1].series("first.weight")[1]
    found = events.Scalars("gradient_norm/first.weight")
    assert len(found) == 20 and max(e.value for e in found) == pytest.approx(norms.max()), "the spike is not lost"
    assert norms.argmax() == 33 and len(events.Scalars("loss/loss")) == 20
    assert max(e.value for e in events.Scalars("loss/loss")) > 10 and len(events.Histograms("gradient/first")) == 6
    note = text_of(events, "notes")[0][1]
    assert "The 60 steps are condensed to 20 points: each shows the largest of 3 steps" in note
    assert "Histograms of gradients are of 6 of the 60 steps." in note and "loss/loss has 60 steps, of which 20 are here" in note


def test_runs_have_folders_of_their_own_and_again_is_the_same_file(torch, accumulated, file, tmp_path):
    train(torch, file, 2, run="a/b: c")
    train(torch, file, 3, run="a/b: c")
    train(torch, file, 2, run="../..")
    logs = tmp_path / "logs"
    one, two, three = (exported(file, logs, i) for i in range(3))
    assert [os.path.basename(f) for f in (one, two, three)] == ["a_b_c", "a_b_c_2", "run"]
    assert exported(file, logs, 0) == one and exported(file, logs, 1) == two
    assert all(len(os.listdir(f)) == 1 for f in (one, two, three)) and set(os.listdir(logs)) == {"a_b_c", "a_b_c_2", "run"}
    assert [len(accumulated(f).Scalars("loss/loss")) for f in (one, two, three)] == [2, 3, 2]


def test_a_run_without_steps(torch, accumulated, file, tmp_path):
    with pytest.warns(UserWarning), observe.record(file=file, engine=torch.__name__):
        pass
    events = accumulated(exported(file, tmp_path / "logs"))
    assert events.Tags()["scalars"] == [] and "No tensor" in text_of(events, "notes")[0][1]


def test_what_is_refused(rushlight, accumulated, file, tmp_path):
    train(rushlight, file, 1)
    (tmp_path / "taken").write_text("")
    with pytest.raises(OSError):
        exported(file, tmp_path / "taken")
    for wrong in ({"points": 0}, {"histograms": 0}):
        with pytest.raises(ValueError, match="must be a number from 1 on"):
            exported(file, tmp_path / "logs", **wrong)


def test_tensorflow_is_not_needed(rushlight, accumulated, file, tmp_path):
    train(rushlight, file, 1)
    code = (
        "import sys\nfrom rushlight import observe\nfrom rushlight.observe.report import tensorboard\n"
        "with observe.read(sys.argv[1]) as runs: tensorboard.export(runs[-1], sys.argv[2])\nprint('tensorflow' in sys.modules)"
    )
    command = [sys.executable, "-W", "error", "-c", code, file, str(tmp_path / "logs")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SOURCES)})
    assert done.returncode == 0 and done.stdout.strip() == "False", done.stderr


def test_without_the_library_the_error_says_what_to_install(rushlight, file, tmp_path, monkeypatch):
    train(rushlight, file, 1)
    for name in [n for n in sys.modules if n.split(".")[0] == "tensorboard"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(ImportError, match=r"pip install 'rushlight\[tensorboard\]' brings it"):
        exported(file, tmp_path / "logs")
    assert not (tmp_path / "logs").exists()
