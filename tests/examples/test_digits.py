"""The example on real data, run as a user runs it."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
SCRIPT = FOLDER / "digits.py"
ROW = re.compile(r"^(\S+) +(\d+)x(\d+) +(\d\.\d+e[+-]\d+) +(-?\d\.\d+e[+-]\d+) +(\d+\.\d)%$")


@pytest.fixture(scope="module")
def run():
    """`run(engine, *words)` starts the example on an engine and returns what it printed."""
    rushlight = pathlib.Path(__import__("rushlight").__file__).resolve().parent

    def start(engine, *words):
        how = ["-m", "rushlight", "run"] if engine == "rushlight" else []
        # One BLAS thread: on a busy machine several threads wait for each other far longer than they compute.
        environment = {**os.environ, "PYTHONPATH": str(rushlight.parent), "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, *how, str(SCRIPT), *words],
            capture_output=True,
            text=True,
            timeout=300,
            env=environment,
        )
        assert (done.stderr, done.returncode) == ("", 0)  # no progress bar where nobody is watching
        return done.stdout

    return start


def table(text):
    """The rows of the printed table: name -> (shape, norm, mean, share of zeros in percent)."""
    rows = [match.groups() for line in text.splitlines() if (match := ROW.match(line))]
    return {
        name: ((int(a), int(b)), float(norm), float(mean), float(zeros))
        for name, a, b, norm, mean, zeros in rows
    }


def check(text):
    assert "1797 images: 1437 to learn from, 360 to be tested on" in text
    accuracy = float(re.search(r"test accuracy (\d+\.\d+)%", text)[1])
    assert accuracy >= 97
    rows = table(text)
    assert {name: row[0] for name, row in rows.items()} == {
        "first": (360, 128),
        "relu(first)": (360, 128),
        "second": (360, 64),
        "relu(second)": (360, 64),
        "scores": (360, 10),
    }
    for name, (_, norm, mean, zeros) in rows.items():
        assert norm > 0 and abs(mean) < norm, name
        assert (zeros > 10) == (name in ("first", "second")), name  # what a ReLU switched off, exactly there
    return accuracy, rows


def test_the_example_learns_and_shows_its_gradients(run):
    check(run("rushlight"))


def test_it_is_a_plain_torch_program():
    text = SCRIPT.read_text()
    imports = re.findall(r"^(?:import|from) +(\w+)", text, re.MULTILINE)
    assert "torch" in imports and "rushlight" not in imports


def test_pytorch_prints_the_same(run):
    pytest.importorskip("torch")
    one, other = run("rushlight", "--epochs", "2"), run("torch", "--epochs", "2")
    accuracies = [float(re.search(r"test accuracy (\d+\.\d+)%", text)[1]) for text in (one, other)]
    assert abs(accuracies[0] - accuracies[1]) < 0.6  # two of 360 images, where rounding may tip a score
    mine, theirs = table(one), table(other)
    assert mine.keys() == theirs.keys() and len(mine) == 5
    for name, (shape, norm, _, zeros) in theirs.items():
        assert mine[name][0] == shape
        assert mine[name][1] == pytest.approx(norm, rel=0.01)
        assert mine[name][3] == pytest.approx(zeros, abs=0.5)


def test_progress_bar_on_a_terminal(run):
    pty = pytest.importorskip("pty")
    rushlight = pathlib.Path(__import__("rushlight").__file__).resolve().parent
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "rushlight", "run", str(SCRIPT), "--epochs", "2"],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(rushlight.parent), "OMP_NUM_THREADS": "1"},
    )
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 4096):
            text += chunk
    except OSError:  # Linux reports the closed terminal this way
        assert text
    finally:
        os.close(ours)
    assert process.wait(timeout=120) == 0
    assert text.count(b"\r") >= 2 and b"1/2" in text and b"2/2" in text and text.endswith(b"\n")
