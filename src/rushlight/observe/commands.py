"""The commands that read a file of runs: ``rushlight report``, ``rushlight compare``, ``rushlight runs``.

Exit status: 0; for ``compare`` 1 if the runs part; 2 for a file or a run that cannot be read, or a library that is missing; 141 where
whoever read the output wants no more of it (as ``head`` does), without a word.
"""

import argparse
import os
import pathlib
import sys
import time

from .report import compare as comparing
from .report import page, tensorboard, terminal
from .report.words import brief, plural, printable
from .runs import read
from .store import NoRunFile

__all__ = ["main", "COMMANDS"]

COMMANDS = ("report", "compare", "runs")
_DEFAULT = "observe.db"
_PIPE = 141  # what a shell reports of a program that SIGPIPE ended


def main(command, words):
    """Carry out a command; returns the exit status."""
    try:
        status = {"report": _report, "compare": _compare, "runs": _runs}[command](words)
        sys.stdout.flush()  # not at the interpreter's end, where an error can no longer be caught
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still in the buffer
        return _PIPE
    except (NoRunFile, ImportError, KeyError, ValueError, OSError) as error:
        text = error.args[0] if isinstance(error, KeyError) else error
        print(f"rushlight {command}: {text}", file=sys.stderr)
        return 2


def _parser(command, description):
    return argparse.ArgumentParser(prog=f"rushlight {command}", description=description)


def _report(words):
    parser = _parser("report", "Show a run that `rushlight run --observe` recorded: as a page, in the terminal, for TensorBoard.")
    parser.add_argument("file", nargs="?", default=_DEFAULT, help=f"the file of runs (default: {_DEFAULT})")
    parser.add_argument("--run", help="the run's name or its number from 1 on (default: the newest; the page shows all)")
    parser.add_argument("--text", action="store_true", help="in the terminal, in place of a page")
    parser.add_argument("--out", metavar="PAGE", help="where the page goes (default: the file's name with .html)")
    parser.add_argument("--tensorboard", metavar="FOLDER", help="write event files for TensorBoard into this folder, in place of a page")
    parser.add_argument("--sort", help="with --text: sort the table by this figure, largest first")
    parser.add_argument("--limit", type=int, default=40, help="with --text: rows of the table (default: 40)")
    given = parser.parse_args(words)
    if given.text or given.tensorboard:
        with read(given.file) as runs:
            run = _choose(runs, given.run)
            if given.text:
                terminal.show(run, limit=given.limit, sort=given.sort)
            if given.tensorboard:
                print(f"written: {tensorboard.export(run, given.tensorboard)}")
        return 0
    out = given.out or pathlib.Path(given.file).with_suffix(".html")
    print(f"written: {page.write(given.file, out, run=given.run)}")
    return 0


def _compare(words):
    parser = _parser("compare", "Show where two runs first part.")
    parser.add_argument("a", metavar="A", help="FILE or FILE:RUN, the run by name or number from 1 on; the newest by default")
    parser.add_argument("b", metavar="B", nargs="?", help="another one; by default the last two runs of A are compared")
    parser.add_argument("--rtol", type=float, default=1e-5, help="relative difference that is let pass (default: 1e-5)")
    given = parser.parse_args(words)
    if given.b is None:
        with read(given.a) as runs:
            if len(runs) < 2:
                raise ValueError(f"{given.a} has {plural(len(runs), 'run')}; name another file to compare it with")
            found = comparing.compare(runs[-2], runs[-1], rtol=given.rtol)
    else:
        found = comparing.compare(given.a, given.b, rtol=given.rtol)
    print(found.text)
    return 0 if found.same else 1


def _runs(words):
    parser = _parser("runs", "List the runs of a file.")
    parser.add_argument("file", nargs="?", default=_DEFAULT, help=f"the file of runs (default: {_DEFAULT})")
    given = parser.parse_args(words)
    with read(given.file) as runs:
        for number, run in enumerate(runs, 1):
            started = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started))
            print(printable(f"{number:3}  {run.name}  {started}  {run.engine}  {plural(run.steps, 'step')}  {brief(run.state())}"))
    return 0


def _choose(runs, name):
    """The run of that name or number; the newest if none is given."""
    if not len(runs):
        raise ValueError(f"{runs.file} has no runs")
    if name is None:
        return runs[-1]
    if name.isdigit() and 1 <= int(name) <= len(runs) and all(r.name != name for r in runs):
        return runs[int(name) - 1]
    return runs[name]
