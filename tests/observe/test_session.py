"""``rushlight run --observe``: programs that stay as they are, with rushlight and with PyTorch."""

import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import rushlight
from rushlight import observe

SOURCES = str(pathlib.Path(rushlight.__file__).resolve().parent.parent)
ENVIRONMENT = {**os.environ, "PYTHONPATH": SOURCES, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
ENGINES = ["rushlight", "torch"] if importlib.util.find_spec("torch") else ["rushlight"]

TRAIN = """
    import sys
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
            self.head = nn.Linear(8, 1)

        def forward(self, x):
            h = self.encoder(x)
            return self.head(h)

    def main(steps=6):
        torch.manual_seed(0)
        model = Net()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, y = torch.randn(16, 4), torch.randn(16, 1)
        for step in range(steps):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"loss {loss.item():.4f}", __name__, sys.argv[1:])

    if __name__ == "__main__":
        main()
"""


def run(folder, *words, code=TRAIN, name="train.py", engine="rushlight"):
    (folder / name).write_text(textwrap.dedent(code))
    options = ["--engine", engine] if engine != "rushlight" else []
    return subprocess.run(
        [sys.executable, "-m", "rushlight", "run", *options, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_program_is_observed_as_it_is(tmp_path, engine):
    plain = run(tmp_path, "train.py", "7", "--fast", engine=engine)
    seen = run(tmp_path, "--observe", "train.py", "7", "--fast", engine=engine)
    assert (seen.stdout, seen.returncode) == (plain.stdout, 0) and plain.stderr == ""
    assert "['7', '--fast']" in seen.stdout
    assert "6 steps" in seen.stderr and "rushlight report" in seen.stderr
    with observe.read(tmp_path / "observe.db") as runs:
        (one,) = runs
        assert (one.engine, one.steps, one.outcome, one.name) == (engine, 6, "finished", "train.py 1")
        assert one.program == "train.py 7 --fast"
        names = [t.name for t in one.tensors]
        assert {"model", "model.encoder.0", "model.encoder", "model.head.weight", "loss"} <= set(names) | {
            o for t in one.tensors for o in t.outputs
        }
        assert one.tensor("model.head.weight").kind == "parameter"
        assert one.tensor("model.encoder.0").source == "h = self.encoder(x)"
        losses = one.scalars()["loss"][1]
        assert f"loss {losses[-1]:.4f}" in seen.stdout and len(losses) == 6
        assert one.scalars()["learning rate"][1].tolist() == pytest.approx([0.1] * 6)
        updates = one.series("model.head.weight", "update_to_weight")[1]
        ratios = one.series("model.head.weight", "grad_to_weight")[1]
        assert updates.tolist() == pytest.approx((0.1 * ratios).tolist(), rel=1e-3)


@pytest.mark.skipif(len(ENGINES) < 2, reason="needs PyTorch")
def test_both_engines_give_the_same_run(tmp_path):
    for engine in ENGINES:
        assert run(tmp_path, "--observe=both.db", "--values", "train.py", engine=engine).returncode == 0
    with observe.read(tmp_path / "both.db") as runs:
        ours, theirs = runs
        assert ours.has_values and theirs.has_values
        assert {t.name for t in ours.tensors} == {t.name for t in theirs.tensors}
        for t in ours.tensors:
            for values in (False, True):
                a, b = ours.series(t.name, values=values)[1], theirs.series(t.name, values=values)[1]
                assert a == pytest.approx(b, rel=1e-4, abs=1e-7, nan_ok=True), t.name


@pytest.mark.parametrize("engine", ENGINES)
def test_programs_that_end_early(tmp_path, engine):
    code = TRAIN.replace("print(f", "print(1 / 0, f")
    failed = run(tmp_path, "--observe", "train.py", code=code, engine=engine)
    assert failed.returncode == 1 and failed.stderr.rstrip().endswith("ZeroDivisionError: division by zero")
    assert "6 steps" in failed.stderr and "session.py" not in failed.stderr
    left = run(tmp_path, "--observe", "train.py", code=code.replace("1 / 0", "sys.exit(3)"), engine=engine)
    assert left.returncode == 3
    with observe.read(tmp_path / "observe.db") as runs:
        assert [(r.steps, r.state()) for r in runs] == [(6, "ZeroDivisionError: division by zero"), (6, "SystemExit: 3")]


def test_a_program_that_is_killed(tmp_path):
    code = TRAIN.replace("optimizer.step()", "optimizer.step(); step == 4 and __import__('os').kill(__import__('os').getpid(), 9)")
    done = run(tmp_path, "--observe", "train.py", code=code)
    assert done.returncode == -9
    with observe.read(tmp_path / "observe.db") as runs:
        assert runs[-1].steps == 4 and runs[-1].state().startswith("killed")
        assert len(runs[-1].series("model.head")[0]) == 4


def test_a_program_that_is_interrupted(tmp_path):
    (tmp_path / "train.py").write_text(textwrap.dedent(TRAIN.replace("range(steps)", "range(10**9)")))
    child = subprocess.Popen(
        [sys.executable, "-m", "rushlight", "run", "--observe", "train.py"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        deadline = time.monotonic() + 60
        while True:  # read while it runs
            assert time.monotonic() < deadline and child.poll() is None
            if (tmp_path / "observe.db").exists():
                with observe.read(tmp_path / "observe.db") as runs:
                    if len(runs) and runs[0].steps > 20:
                        assert runs[0].state() == "running"
                        break
            time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        err = child.communicate(timeout=60)[1]
    finally:
        child.kill()
    assert "KeyboardInterrupt" in err and "steps" in err
    with observe.read(tmp_path / "observe.db") as runs:
        assert runs[0].state() == "KeyboardInterrupt" and runs[0].steps > 20


@pytest.mark.parametrize("engine", ENGINES)
def test_alarms_are_said_and_written(tmp_path, engine):
    code = TRAIN.replace("for step in range(steps):", "for step in range(steps):\n            x[0, 0] = float('nan') if step > 2 else 0.0")
    seen = run(tmp_path, "--observe", "train.py", code=code, engine=engine)
    assert seen.returncode == 0 and "rushlight: Step 3: linear at train.py:13" in seen.stderr
    with observe.read(tmp_path / "observe.db") as runs:
        first = runs[0].alarms[0]
        assert (first["step"], first["kind"], first["line"]) == (3, "value", 13)
        assert first["source"] == "h = self.encoder(x)"
    stopped = run(tmp_path, "--observe", "--stop", "train.py", code=code, engine=engine)
    assert stopped.returncode == 1 and "NonFinite: Step 3" in stopped.stderr


def test_the_options(tmp_path):
    done = run(tmp_path, "--observe=a folder.db", "--every=2", "--run", "first try", "train.py")
    assert done.returncode == 0
    with observe.read(tmp_path / "a folder.db") as runs:
        assert runs["first try"].step_numbers().tolist() == [0, 2, 4]
    for words, said in [
        (["--every", "0", "--observe", "train.py"], "--every '0' is no whole number"),
        (["--every", "2", "train.py"], "--every belongs to --observe"),
        (["--observe=", "train.py"], "--observe= needs the name of a file"),
        (["--engine", "jax", "train.py"], "no engine 'jax'; there are: rushlight, torch"),
        (["--engine"], "--engine needs a value"),
        (["--observed", "train.py"], "no option --observed"),
    ]:
        done = run(tmp_path, *words)
        assert done.returncode == 2 and said in done.stderr and not done.stdout, words


def test_a_file_that_is_something_else_stops_the_program_before_it_starts(tmp_path):
    (tmp_path / "notes.db").write_text("my notes\n" * 100)
    done = run(tmp_path, "--observe=notes.db", "train.py")
    assert done.returncode == 2 and "is not a file of runs" in done.stderr and not done.stdout
    assert (tmp_path / "notes.db").read_text().startswith("my notes")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_program_that_observes_itself(tmp_path, engine):
    code = TRAIN.replace("import sys\n", "import sys\n    from rushlight import observe\n").replace(
        "        for step", "        rec = observe.record(model).__enter__()\n        for step"
    )
    code = code.replace("        print(f", "        rec.__exit__(None, None, None)\n        print(len(rec), f")
    seen = run(tmp_path, "--observe", "train.py", code=code, engine=engine)
    assert seen.returncode == 0, seen.stderr
    with observe.read(tmp_path / "observe.db") as runs:
        assert runs[0].steps == 6 and seen.stdout.startswith(str(6 * len(runs[0].tensors)))
        assert not runs[0].notes or all("Skipped" in n for n in runs[0].notes)


def test_a_program_that_trains_nothing(tmp_path):
    done = run(tmp_path, "--observe", "hello.py", code="print('hello')", name="hello.py")
    assert (done.stdout, done.returncode) == ("hello\n", 0)
    assert "0 steps" in done.stderr and "No tensor that requires grad was computed" in done.stderr


@pytest.mark.parametrize("engine", ENGINES)
def test_worker_processes_write_nothing(tmp_path, engine):
    code = """
        import os
        import torch
        from torch.utils.data import DataLoader

        class Squares(torch.utils.data.Dataset):
            def __len__(self):
                return 12

            def __getitem__(self, i):
                w = torch.ones(3, requires_grad=True)
                (w * i).sum().backward()
                return w.grad

        if __name__ == "__main__":
            model = torch.nn.Linear(3, 1)
            for batch in DataLoader(Squares(), batch_size=4, num_workers=2):
                model(batch).sum().backward()
            if os.fork() == 0:
                model(batch).sum().backward()
                os._exit(0)
            os.wait()
            model(batch).sum().backward()
    """
    done = run(tmp_path, "--observe", "load.py", code=code, name="load.py", engine=engine)
    assert done.returncode == 0, done.stderr
    with observe.read(tmp_path / "observe.db") as runs:
        (one,) = runs
        assert one.steps == 4 and one.outcome == "finished" and "mul" not in [t.op for t in one.tensors]


def test_modules_code_and_standard_input_are_observed(tmp_path):
    for words in (["-m", "train"], ["-c", "import train; train.main()"]):
        assert run(tmp_path, "--observe", *words).returncode == 0
    with observe.read(tmp_path / "observe.db") as runs:
        assert [r.steps for r in runs] == [6, 6]


@pytest.mark.skipif(len(ENGINES) < 2, reason="needs PyTorch")
def test_errors_of_pytorch_are_explained_at_the_end(tmp_path):
    code = """
        import torch
        w = torch.ones(3, requires_grad=True)
        kept = torch.sigmoid(w)
        kept += 1
        kept.sum().backward()
    """
    done = run(tmp_path, "--observe", "spoilt.py", code=code, name="spoilt.py", engine="torch")
    assert done.returncode == 1 and done.stderr.rstrip().splitlines()[-1].startswith("RuntimeError: one of the variables needed")
    told = done.stderr[: done.stderr.index("Traceback")]
    assert "changed in place" in told and "spoilt.py:5" in told and "spoilt.py:4" in told
