"""One page of HTML for a file of runs, which opens anywhere and asks the network for nothing.

    page.write("observe.db", "observe.html")

The page holds its data, its styles, its program and plotly, which draws the plots; a policy in its head forbids everything else, so a name
from the program that looks like HTML stays a name. What is shown of a run is chosen in ``collect.py``; the program of the page is in
the files ``assets/*.js``, which stand one after the other in one function.
"""

import html
import importlib
import json
import os
import pathlib
import time

from ..runs import read
from ..store import NoRunFile
from .collect import ROWS, collect

__all__ = ["write", "MOST_RUNS"]

MOST_RUNS = 8  # in one page; the newest
_FILES = pathlib.Path(__file__).with_name("assets")
_PROGRAM = ("base.js", "state.js", "head.js", "time.js", "heatmap.js", "detail.js", "graph.js", "table.js", "main.js")


def write(file, out, run=None, title=None, columns=400, rows=ROWS):
    """Write the page of a file of runs and return its path.

    Args:
        file: the file that a recording wrote, also while it writes.
        out: where the page goes. What stands there is replaced when the page is complete.
        run: the name of a run or its number from 1 on, or a list of them. None: the newest eight.
        title: of the page; by default the name of the run or of the file.
        columns: how many columns the steps of a long run are condensed to, at most.
        rows: how many tensors have figures over time, at most.

    Raises ImportError where plotly is missing, ``NoRunFile`` for a file that is none of runs, or has none, KeyError for an
    unknown run, ValueError for ``columns`` or ``rows`` below 1, and OSError where the page cannot be written.

    Example::

        >>> import os, tempfile
        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> from rushlight.observe.report import page
        >>> model = torch.nn.Linear(2, 1)
        >>> folder = tempfile.mkdtemp()
        >>> file = os.path.join(folder, "observe.db")
        >>> with observe.record(model, file=file, run="first"):
        ...     model(torch.ones(4, 2)).sum().backward()
        >>> try:
        ...     path = page.write(file, os.path.join(folder, "observe.html"))
        ... except ImportError:     # pip install 'rushlight[report]'
        ...     path = None
    """
    for name, value in (("columns", columns), ("rows", rows)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name}={value!r} must be a whole number from 1 on")
    plotly = _library("plotly.offline")
    with read(file) as runs:
        chosen, left_out = _runs(runs, run)
        runs.query("BEGIN")  # one moment of a run that goes on
        try:
            found = [collect(r, columns=columns, rows=rows, share=1 / len(chosen)) for r in chosen]
        finally:
            runs.query("ROLLBACK")
    about = {
        "title": title or (chosen[0].name if len(chosen) == 1 else os.path.basename(runs.file)),
        "file": os.path.basename(runs.file),
        "written": time.time(),
        "left_out": left_out,
    }
    path = pathlib.Path(out)
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(_page(plotly.get_plotlyjs(), about, found).encode("utf-8"))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _library(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        library = name.partition(".")[0]
        raise ImportError(f"the page is drawn with {library}, which is not installed\npip install 'rushlight[report]'") from error


def _runs(runs, wanted):
    """(the runs that are shown, a sentence about the others or None)."""
    if not len(runs):
        raise NoRunFile(f"{runs.file!r} has no runs yet\nA recording adds one when it begins.")
    if wanted is None:
        chosen = list(runs)[-MOST_RUNS:]
    else:
        chosen = [_run(runs, key) for key in (wanted if isinstance(wanted, (list, tuple)) else [wanted])]
    if len(chosen) == len(runs):
        return chosen, None
    which = f"the newest {len(chosen)}" if wanted is None else f"{len(chosen)}"
    return chosen, f"The file has {len(runs):,} runs; this page shows {which} of them."


def _run(runs, key):
    named = [r for r in runs if r.name == key]
    found = named[-1] if named else next((r for r in runs if str(r.number) == str(key)), None)
    if found is None:
        raise KeyError(f"no run is called {key!r} in {runs.file}. There are {', '.join(f'{r.number} ({r.name})' for r in runs)}.")
    return found


def _page(plotly, about, runs):
    data = "\n".join(_block(f"run-{i}", r) for i, r in enumerate(runs))
    parts = {
        "TITLE": html.escape(_text(about["title"])),
        "STYLE": _file("page.css"),
        "PLOTLY": plotly,
        "DATA": _block("about", about) + "\n" + data,
        "PROGRAM": "".join(_file(n) for n in _PROGRAM),
    }
    made = []
    for piece in _file("page.html").split("{{"):
        name, closing, rest = piece.partition("}}")
        made.append(parts[name] + rest if closing else piece)
    return "".join(made)


def _block(name, value):
    """JSON that no HTML parser leaves: it holds no < and no &, and only ASCII."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _text(text):
    """Text that can be encoded, whatever a program calls itself."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _file(name):
    return (_FILES / name).read_text(encoding="utf-8")
