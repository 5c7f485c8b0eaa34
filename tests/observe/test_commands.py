"""The commands that read a file: what they print and how they end."""

import os
import subprocess
import sys

import pytest
from tests.observe.report.runs import train

import rushlight
from rushlight.observe import commands


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "observe.db")


def test_runs_are_listed_a_line_each(file, capsys):
    def spoil(step, model, x):
        if step == 1:
            raise ValueError("It is over. More of it.\nAnd more.")

    train(rushlight, file, steps=2, run="good")
    with pytest.raises(ValueError):
        train(rushlight, file, spoil=spoil, run="short\x1b[31m")
    assert commands.main("runs", [file]) == 0
    good, short = capsys.readouterr().out.splitlines()
    assert good.startswith("  1  good  ") and good.endswith("  rushlight  2 steps  finished")
    assert short.startswith("  2  short\\x1b[31m  ") and short.endswith("  1 step  ValueError: It is over")


def test_one_run_is_not_compared(file, capsys):
    train(rushlight, file, steps=1)
    assert commands.main("compare", [file]) == 2
    assert capsys.readouterr().err == f"rushlight compare: {file} has 1 run; name another file to compare it with\n"


@pytest.mark.parametrize("command", ["runs", "compare", "report"])
@pytest.mark.skipif(os.name != "posix", reason="only there a pipe that nobody reads is an error of its own")
def test_a_reader_that_wants_no_more_is_left_in_peace(file, command):
    for _ in range(2):
        train(rushlight, file, steps=1)
    words = [command, file] + (["--text"] if command == "report" else [])
    if command == "report":
        pytest.importorskip("rich")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([sys.executable, "-m", "rushlight", *words], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
