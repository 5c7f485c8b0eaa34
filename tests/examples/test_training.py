"""The examples that train: the same losses as PyTorch step by step, the figures at the end, the bar, the plot.

golden/make_examples.py recorded PyTorch's losses; where PyTorch is installed it runs beside rushlight as well.
"""

import gzip
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden" / "examples"
NAMES = ["digits_cnn", "names", "series"]


def environment(*folders):
    """One BLAS thread (several wait for each other on a busy machine), and these folders to import from first."""
    sources = pathlib.Path(__import__("rushlight").__file__).resolve().parent.parent
    path = os.pathsep.join(map(str, [*folders, sources, *filter(None, [os.environ.get("PYTHONPATH")])]))
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def command(engine, name, words):
    how = ["-m", "rushlight", "run"] if engine == "rushlight" else []
    return [sys.executable, *how, str(FOLDER / f"{name}.py"), *words]


@pytest.fixture
def run(tmp_path):
    """`run(engine, name, *words)` -> what an example printed and its losses, where there is no matplotlib."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "matplotlib.py").write_text("raise ImportError('hidden by a test')\n")

    def start(engine, name, *words):
        losses = tmp_path / f"{engine}.json"
        done = subprocess.run(
            command(engine, name, [*words, "--losses", str(losses)]),
            capture_output=True,
            text=True,
            timeout=300,
            cwd=tmp_path,
            env=environment(tmp_path / "hidden"),
        )
        assert (done.stderr, done.returncode) == ("", 0)  # no progress bar where nobody is watching
        assert "no plot: matplotlib is not installed" in done.stdout and not list(tmp_path.glob("*.png"))
        return done.stdout, json.loads(losses.read_text())

    return start


def recorded(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


def figure(pattern, text):
    return float(re.search(pattern, text)[1])


@pytest.mark.parametrize("name", NAMES)
def test_the_losses_are_pytorchs(name, run):
    record = recorded(name)
    _, losses = run("rushlight", name, *record["arguments"])
    assert len(losses) == len(record["losses"]) >= 20
    assert losses[:20] == pytest.approx(record["losses"][:20], rel=1e-4)
    assert losses == pytest.approx(record["losses"], rel=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_pytorch_beside_it(name, run):
    pytest.importorskip("torch")
    words = recorded(name)["arguments"]
    (mine, my_losses), (theirs, losses) = run("rushlight", name, *words), run("torch", name, *words)
    assert len(my_losses) == len(losses)
    assert my_losses[:20] == pytest.approx(losses[:20], rel=1e-4)
    if name == "names":  # the names that it invents, letter by letter from the same random numbers
        assert mine.partition("New ones:")[2] == theirs.partition("New ones:")[2]


def test_the_network_reads_digits(run):
    text, losses = run("rushlight", "digits_cnn")
    assert "1797 images: 1437 to learn from, 360 to be tested on" in text
    assert re.search(r"a checkpoint of \d+ kB after 138 steps, loaded: the same scores as before", text)
    assert len(losses) == 276
    theirs = recorded("digits_cnn")["whole run"]["test accuracy"]
    assert figure(r"test accuracy (\S+)%", text) == pytest.approx(theirs, abs=1) and theirs > 98


def test_an_interruption_changes_nothing(tmp_path):
    """The same training with and without the checkpoint in its middle has the same losses to the last bit."""
    program = """
import json, sys
sys.path.insert(0, sys.argv[1])
import torch
import digits_cnn as example
runs = []
for interrupted in (False, True):
    torch.manual_seed(1)
    data = torch.utils.data.Subset(torch.utils.data.TensorDataset(*example.load_digits(example.DATA)), range(256))
    loader = torch.utils.data.DataLoader(data, batch_size=64, shuffle=True)
    tests = torch.utils.data.DataLoader(data, batch_size=64, generator=torch.Generator())
    training = example.Training(8)
    training.epoch(loader)
    if interrupted:
        training = example.resumed(training, 8, tests)
    training.epoch(loader)
    runs.append(training.losses)
assert len(runs[0]) == 8 and runs[0] == runs[1], runs
"""
    words = [sys.executable, "-m", "rushlight", "run", "-c", program, str(FOLDER)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment())
    assert (done.stderr, done.returncode) == ("", 0)


def test_the_model_knows_more_than_a_table_and_invents(run):
    text, losses = run("rushlight", "names", "--steps", "120")
    assert "10000 surnames: 9000 to learn from, 1000 to be tested on" in text
    assert losses[0] == pytest.approx(math.log(27), abs=0.6)  # at first nothing is likelier than another
    assert figure(r"test loss (\S+)", text) < 2.45
    table = figure(r"table of pairs of letters: ([\d.]+)", text)
    assert table == pytest.approx(recorded("names")["whole run"]["table of pairs"], abs=1e-4) and table > 2.45
    known = set(gzip.decompress((FOLDER / "surnames.txt.gz").read_bytes()).decode().split())
    invented = text.partition("New ones:\n")[2].partition("no plot")[0].split()
    assert len(known) == 10_000 and len(invented) == 24 == len(set(invented))
    assert all(re.fullmatch("[A-Z][a-z]{0,12}", name) and name.lower() not in known for name in invented)


def test_the_forecast_is_better_than_none(run):
    text, losses = run("rushlight", "series")
    whole = recorded("series")["whole run"]
    lstm, naive, line = map(float, re.search(r"\n +all +(\S+) +(\S+) +(\S+)\n", text).groups())
    assert (naive, line) == (whole["naive"], whole["line"])  # no training in these: to the last digit
    assert lstm == pytest.approx(whole["LSTM"], rel=0.5) and lstm < naive / 10
    assert len(losses) == 625 and losses[-1] < losses[0] / 100


def test_the_series_follows_its_law(tmp_path):
    """With steps ten times as short the same series comes out, until chaos tells the two apart."""
    program = """
import sys
sys.path.insert(0, sys.argv[1])
import series
one, other = series.mackey_glass(5), series.mackey_glass(5, every=300, step=0.01)
assert max(abs(x - y) for x, y in zip(one, other)) < 0.01, (one, other)
assert len(set(one)) == 5 and all(0.2 < x < 1.5 for x in series.mackey_glass(100))
"""
    words = [sys.executable, "-m", "rushlight", "run", "-c", program, str(FOLDER)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment())
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("name", NAMES)
def test_they_are_plain_torch_programs(name):
    imports = re.findall(r"^ *(?:import|from) +(\w+)", (FOLDER / f"{name}.py").read_text(), re.MULTILINE)
    assert "torch" in imports and "rushlight" not in imports
    assert set(imports) <= {*sys.stdlib_module_names, "torch", "matplotlib"}


@pytest.mark.parametrize("name", NAMES)
def test_a_plot_where_matplotlib_is_installed(name, tmp_path):
    pytest.importorskip("matplotlib")
    words = command("rushlight", name, [*recorded(name)["arguments"], "--plot", "a plot.png"])
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=environment())
    assert done.returncode == 0, done.stderr
    assert "plot saved to a plot.png" in done.stdout
    assert (tmp_path / "a plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", NAMES)
def test_a_bar_on_a_terminal(name, tmp_path):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    words = command("rushlight", name, recorded(name)["arguments"])
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=theirs, cwd=tmp_path, env=environment()
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
    last = recorded(name)["arguments"][1].encode()
    assert re.search(rb"\rtraining \[#{30}\] " + last + b"/" + last + rb"  loss \d\.\d+\r?\n", text)
