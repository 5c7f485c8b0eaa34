"""The report for the terminal: in colours and without, wide and narrow, and everything that it leaves out."""

import io
import math
import re
import sys

import pytest
from tests.observe.models import settle
from tests.observe.report.runs import train

from rushlight import observe
from rushlight.observe.report import terminal as terminal_module

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def terminal():
    pytest.importorskip("rich")
    return terminal_module


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "observe.db")


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch):
    """What the environment of the tests says of its terminal is not asked."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


class Screen(io.StringIO):
    """A terminal, as far as rich asks."""

    def isatty(self):
        return True


def shown(terminal, file, out=None, **options):
    out = io.StringIO() if out is None else out
    with observe.read(file) as runs:
        terminal.show(runs[-1], out, **options)
    return out.getvalue()


def nan_at(number):
    def spoil(step, model, x):
        if step == number:
            x[0, 0] = math.nan

    return spoil


def test_everything_is_there(torch, terminal, file):
    train(torch, file, run="good")
    found = shown(terminal, file, width=140)
    with observe.read(file) as runs:
        run = runs[-1]
        losses = run.scalars()["loss"][1]
        weight = run.at(5)[run.tensor("first.weight").number]
    assert not ANSI.search(found), "a pipe has no colours"
    assert f"run      good (number 1 in {file.rpartition('/')[2]})" in found and "state    finished" in found
    assert f"loss: first {losses[0]:.3g}, last {losses[-1]:.3g}, min {losses.min():.3g} at step " in found
    assert "Gradients of layers, by steps 0 to 5" in found and "Step 5, 10 tensors" in found
    head = next(line for line in found.splitlines() if line.startswith("name "))
    assert head.split() == ["name", "op", "shape", "line", "norm", "mean", "std", "zeros", "grad/weight", "update/weight"]
    row = next(line for line in found.splitlines() if line.startswith("first.weight"))
    assert f"{weight['norm']:.3g}" in row.split() and f"{weight['grad_to_weight']:.3g}" in row.split() and "6x4" in row.split()
    assert "spare.weight got nothing" in found and "Left out" not in found


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(torch, terminal, file, width):
    train(torch, file, 40, spoil=nan_at(30), run="a name of a run that is rather long for a narrow terminal")
    found = shown(terminal, file, width=width)
    assert max(map(len, found.splitlines())) <= width
    if width <= 60:
        assert f"(the width is\n{width})" in found or f"(the width is {width})" in " ".join(found.split())
        assert "The column" in found


def test_without_colours_nan_and_inf_are_unmistakable(torch, terminal, file):
    def spoil(step, model, x):
        if step == 3:
            with torch.no_grad():
                model.second.bias += math.inf

    train(torch, file, 8, spoil=spoil)
    found = shown(terminal, file, width=100)
    rows = [line.split() for line in found.splitlines() if line.startswith(("first ", "second "))]
    strip = {row[0]: row[1] for row in rows if len(row) == 2}
    assert set(strip) == {"first", "second"} and all(len(s) == 8 for s in strip.values())
    assert strip["second"][3:] in ("INNNN", "NNNNN") and re.fullmatch("[▁▂▃▄▅▆▇█]{3}[NI]{5}", strip["first"])
    assert "N NaN, I Inf" in found and "not finite in 5 steps" in found
    head = next(line for line in found.splitlines() if line.startswith("name "))
    assert "NaN" in head.split()


def test_colours_are_there_in_a_terminal_and_not_with_no_color(torch, terminal, file, monkeypatch):
    train(torch, file, 3, spoil=nan_at(2))
    coloured = shown(terminal, file, Screen(), width=100)
    assert ANSI.search(coloured)
    plain = [line.rstrip() for line in ANSI.sub("", coloured).splitlines()]
    assert plain == shown(terminal, file, width=100).splitlines(), "colours add nothing but colours"
    monkeypatch.setenv("NO_COLOR", "1")
    plain = shown(terminal, file, Screen(), width=100)
    assert not re.search(r"\x1b\[[0-9;]*(3[0-9]|4[0-9]|38|48)[;m]", plain)


def test_output_that_knows_no_blocks(torch, terminal, file):
    train(torch, file, run="größe")
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    with observe.read(file) as runs:
        terminal.show(runs[-1], out, width=80)
    out.flush()
    text = raw.getvalue().decode("ascii")
    assert "run      gr\\xf6\\xdfe" in text and re.search(r"^first +[1-8]{6}$", text, re.MULTILINE)


def test_a_long_run_is_condensed_and_no_spike_gets_lost(torch, terminal, file):
    train(torch, file, 200, spoil=nan_at(150))
    found = shown(terminal, file, width=60)
    strip = next(line for line in found.splitlines() if line.startswith("first ") and "N" in line)
    assert len(strip) <= 60 and "N" in strip
    assert "Single steps of the strip: a column is the largest of" in found
    assert "Single steps of loss: a character is the mean of 4." in found


def test_one_model_stands_after_the_other(torch, terminal, file):
    a, b = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()), torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    with observe.record(file=file, engine=torch.__name__):
        for first, second in ((a, b), (b, a)):
            second(first(torch.ones(3, 2))).sum().backward()
    rows = [line.split()[0] for line in shown(terminal, file).splitlines() if line[:2] in ("a.", "b.")]
    assert rows[:4] == ["a.0", "a.1", "b.0", "b.1"]


def test_limit_and_sort(torch, terminal, file):
    train(torch, file)
    found = shown(terminal, file, width=120, limit=3, sort="norm")
    rows = found.partition("by norm\n")[2].splitlines()[1:4]
    norms = [float(r.split()[4 if "runs.py" in r else 3]) for r in rows]
    assert norms == sorted(norms, reverse=True) and "7 of 10 rows of the table." in found
    names = [line.split()[0] for line in shown(terminal, file, width=120, sort="name").partition("by name\n")[2].splitlines()[1:11]]
    assert names == sorted(names) and len(names) == 10
    for wrong in ({"sort": "colour"}, {"limit": 0}, {"width": 5}):
        with pytest.raises(ValueError):
            shown(terminal, file, **wrong)


def test_many_layers_are_thinned_and_the_bad_ones_stay(torch, terminal, file):
    model = settle(torch, torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(50)]))
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(0.5)

    def burst(grad):
        return grad * math.nan

    with observe.watch(model, on="log", file=file):
        for _ in range(2):
            h = torch.ones(3, 2)
            for i, layer in enumerate(model):
                h = layer(h)
                if i == 7:
                    h.register_hook(burst)
            h.sum().backward()
    found = shown(terminal, file, width=80, limit=5)
    assert "layers in the strip." in found and re.search(r"20 of 50 layers", found)
    assert re.search(r"^7 +NN$", found, re.MULTILINE) or re.search(r"^6 +NN$", found, re.MULTILINE)
    assert "95 of 100 rows of the table." in found or "rows of the table." in found


def test_a_run_without_steps_and_text_that_looks_like_markup(torch, terminal, file):
    with pytest.warns(UserWarning), observe.record(file=file, engine=torch.__name__, run="[red]x[/red] \x1b[31m"):
        pass
    found = shown(terminal, file, width=80)
    assert "[red]x[/red]" in found and "no step is over" in found and "No tensor that requires grad" in found
    assert "\x1b" not in found


def test_the_standard_output_is_the_default(rushlight, terminal, file, capsys):
    train(rushlight, file, 2)
    with observe.read(file) as runs:
        terminal.show(runs[-1], width=80)
    assert "Step 1, 10 tensors" in capsys.readouterr().out


def test_without_rich_the_error_says_what_to_install(rushlight, file, monkeypatch):
    train(rushlight, file, 1)
    for name in [n for n in sys.modules if n.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    match = r"needs rich, which is not installed\npip install 'rushlight\[text\]'"
    with observe.read(file) as runs, pytest.raises(ImportError, match=match):
        terminal_module.show(runs[-1])
