"""Reading a file of runs: during the run, after it, after a kill.

    runs = observe.read("observe.db")
    runs[-1].series("encoder.linear1"), runs["first try"].alarms

A file holds figures only, so everything here answers from SQL and keeps little in memory. A long run is *condensed*: its steps
are gathered into so many columns, each of which shows the largest of its steps (the sum, for counts), so that no spike gets lost.
"""

import ctypes
import dataclasses
import math
import os
import pathlib
import sys
import time

import numpy as np

from .names import nearest
from .store import NoRunFile, connect

__all__ = ["read", "run_of", "Runs", "Run", "Tensor", "Grid", "FIGURES"]

# What can be asked of a tensor at a step: SQL, and how the steps of a column become one number.
FIGURES = {
    "norm": ("norm", "max"),
    "rms": ("norm / root(max(size - nan - inf, 1))", "max"),
    "mean": ("mean", "avg"),
    "std": ("std", "max"),
    "min": ("low", "min"),
    "max": ("high", "max"),
    "zeros": ("1.0 * zeros / max(size, 1)", "max"),
    "nan": ("nan", "sum"),
    "inf": ("inf", "sum"),
    "nonfinite": ("nan + inf", "sum"),
    "arrivals": ("arrivals", "sum"),
    "grad_to_weight": ("norm / nullif(weight_norm, 0)", "max"),
    "update_to_weight": ("update_norm / nullif(weight_norm, 0)", "max"),
    "weight_norm": ("weight_norm", "max"),
}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor of a run, by its name: what it is and where it is made. ``outputs``: the modules that return it, innermost first;
    ``source``: the text of the line; ``inputs``: numbers of the tensors it is computed from, in the newest step that has it.
    """

    number: int
    position: int
    name: str
    kind: str
    path: str
    call: int
    op: str
    variable: str | None
    outputs: tuple
    file: str | None
    line: int | None
    source: str | None
    shape: tuple
    dtype: str
    inputs: tuple = ()

    @property
    def place(self):
        """The line as ``model.py:31``; empty if it is not known."""
        return f"{os.path.basename(self.file)}:{self.line}" if self.file else ""


@dataclasses.dataclass(frozen=True)
class Grid:
    """One figure of many tensors over the steps. ``values``: an array of a row for each of ``tensors`` and a column for each of
    ``starts``, the first step of the column; NaN where there is nothing. ``per_column``: how many steps a column holds at most.
    """

    figure: str
    tensors: list
    starts: np.ndarray
    values: np.ndarray
    per_column: int


def read(file):
    """The runs of a file, as ``Runs``. ``NoRunFile`` for what is no such file, or one of a newer version.

    Example::

        >>> import os, tempfile
        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> model = torch.nn.Linear(2, 1)
        >>> file = os.path.join(tempfile.mkdtemp(), "observe.db")
        >>> with observe.record(model, file=file, run="first"):
        ...     for _ in range(3):
        ...         loss = model(torch.ones(4, 2)).sum()
        ...         loss.backward()
        >>> runs = observe.read(file)
        >>> runs["first"].steps, [t.name for t in runs[-1].tensors]
        (3, ['output', 'loss', 'weight', 'bias'])
        >>> runs[-1].series("weight")[1].round(3).tolist()
        [5.657, 11.314, 16.971]
        >>> runs.close()
    """
    return Runs(file)


def run_of(what):
    """The run that somebody names: a ``Run`` itself, "FILE" for the newest of the file, or "FILE:RUN" with the run's name or number.

    NoRunFile for what is no file of runs, or has none yet; KeyError for an unknown run, with those there are.
    """
    if isinstance(what, Run):
        return what
    file, key = os.fspath(what), None
    if not os.path.exists(file) and ":" in file and os.path.exists(file.rpartition(":")[0]):
        file, _, key = file.rpartition(":")
    runs = Runs(file)
    try:
        if not len(runs):
            raise NoRunFile(f"there is no run in {file!r} yet\nrushlight run --observe={file} SCRIPT adds one.")
        if key is None:
            return runs[-1]
        numbered = next((r for r in runs if str(r.number) == key), None)
        named = [r for r in runs if r.name == key]
        if not named and numbered is None:
            raise KeyError(f"no run is called {key!r} in {file}. There are {', '.join(f'{r.number} ({r.name})' for r in runs)}.")
        return named[-1] if named else numbered
    except BaseException:
        runs.close()
        raise


class Runs:
    """The runs of one file, oldest first: a sequence, and by name. It holds the file open until ``close()`` or the end of a ``with``."""

    def __init__(self, file):
        self.file = os.fspath(file)
        self._connection = connect(file)
        self._connection.create_function("root", 1, _root, deterministic=True)  # SQLite may lack sqrt
        self._runs = [Run(self, *row) for row in self._connection.execute(f"SELECT {_RUN} FROM runs ORDER BY id")]

    def __getitem__(self, key):
        """A run by its place or its name (the newest of that name). KeyError for an unknown name, with the nearest."""
        if not isinstance(key, str):
            return self._runs[key]
        found = [r for r in self._runs if r.name == key]
        if not found:
            raise KeyError(f"no run is called {key!r} in {self.file}. {nearest(key, [r.name for r in self._runs])}")
        return found[-1]

    def __iter__(self):
        return iter(self._runs)

    def __len__(self):
        return len(self._runs)

    def query(self, text, values=()):
        """The rows of a query in SQL. The tables are those of ``store.py``."""
        return self._connection.execute(text, values).fetchall()

    def close(self):
        self._connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<Runs of {self.file}: {', '.join(r.name for r in self._runs)}>"


_ANOTHER = 60.0  # seconds by which two clocks may differ

_RUN = "id, name, program, engine, versions, process, started, ended, outcome"
# Pairs of tensors, those of the newest graph that has the target.
_INPUTS = """
WITH newest AS (SELECT graph, max(step) AS step FROM steps WHERE run = ? AND graph IS NOT NULL GROUP BY graph),
    best AS (SELECT target, max(step) AS step FROM edges JOIN newest USING (graph) GROUP BY target)
SELECT edges.source, edges.target FROM best JOIN newest USING (step) JOIN edges ON edges.graph = newest.graph AND edges.target = best.target
ORDER BY edges.source
"""
_INPUTS_OF_ALL = "SELECT edges.source, target FROM edges JOIN tensors ON tensors.id = target WHERE run = ? ORDER BY edges.source"
_TENSOR = "id, position, name, kind, path, call, op, variable, outputs, file, line, source, shape, dtype"


class Run:
    """One run: ``name``, ``program`` (with its arguments), ``engine``, ``started`` and ``ended`` (seconds since 1970; None while it
    runs, and after a kill), ``outcome`` ("finished", or the error that ended it; None likewise).
    """

    def __init__(self, runs, number, name, program, engine, versions, process, started, ended, outcome):
        self._runs, self.number = runs, number
        self.name, self.program, self.engine, self.versions = name, program, engine, versions
        self.process, self.started, self.ended, self.outcome = process, started, ended, outcome
        self._found, self._newest = None, None

    @property
    def file(self):
        """The file that the run is in."""
        return self._runs.file

    def close(self):
        """Close the file, for all its runs."""
        self._runs.close()

    def query(self, text, values=()):
        """The rows of a query in SQL: see ``Runs.query``; ``number`` is the run in the tables."""
        return self._runs.query(text, values)

    # ---------------------------------------------------------------- steps

    @property
    def steps(self):
        """How many steps are in the file."""
        return self.query("SELECT count(*) FROM steps WHERE run = ?", (self.number,))[0][0]

    @property
    def seconds(self):
        """Seconds from the beginning to the newest step that is in the file; 0 before the first."""
        return self.query("SELECT coalesce(max(seconds), 0.0) FROM steps WHERE run = ?", (self.number,))[0][0]

    def step_numbers(self):
        """The numbers of the steps that are in the file, an array."""
        return np.array([s for (s,) in self.query("SELECT step FROM steps WHERE run = ? ORDER BY step", (self.number,))], dtype=np.int64)

    def span(self):
        """(number of the first step, of the last, how many there are); the first two are None where there is none."""
        return self.query("SELECT min(step), max(step), count(*) FROM steps WHERE run = ?", (self.number,))[0]

    def scalars(self):
        """The losses that backward was called on and the learning rates: {name: (steps, values)}, two arrays each."""
        found = {}
        for name, step, value in self.query("SELECT name, step, value FROM scalars WHERE run = ? ORDER BY name, step", (self.number,)):
            found.setdefault(name, ([], []))
            found[name][0].append(step)
            found[name][1].append(math.nan if value is None else value)
        return {n: (np.array(s, dtype=np.int64), np.array(v)) for n, (s, v) in found.items()}

    # ---------------------------------------------------------------- tensors

    @property
    def tensors(self):
        """The tensors of the run, a list of ``Tensor`` in the order of one step, parameters last."""
        newest = self.query("SELECT max(id), count(*) FROM tensors WHERE run = ?", (self.number,))[0]
        if newest != self._newest:  # the run may go on
            self._newest = newest
            inputs = {}
            for source, target in self.query(_INPUTS if self._graphs_are_known() else _INPUTS_OF_ALL, (self.number,)):
                inputs.setdefault(target, []).append(source)
            found = []
            for row in self.query(f"SELECT {_TENSOR} FROM tensors WHERE run = ?", (self.number,)):
                number, *middle, outputs, file, line, source, shape, dtype = row
                sizes = tuple(int(n) for n in shape.split("x") if n)
                names = tuple(outputs.split("\n")[:-1])
                found.append(Tensor(number, *middle, names, file, line, source, sizes, dtype, tuple(inputs.get(number, ()))))
            self._found = sorted(found, key=lambda t: (t.kind == "parameter", t.position, t.number))
        return self._found

    def edges(self, step=None):
        """The graph of a step, of the newest one without: pairs of tensors' numbers, each from what was computed to what it was used
        for; leaves and parameters too. None where it is not known: a file holds a thousand different graphs of a run at most.
        """
        if not self._graphs_are_known():
            return None
        wanted = "(SELECT max(step) FROM steps WHERE run = ?1)" if step is None else "?2"
        values = (self.number,) if step is None else (self.number, step)
        graph = self.query(f"SELECT graph FROM steps WHERE run = ?1 AND step = {wanted}", values)
        if not graph or graph[0][0] is None:
            return None
        return self.query("SELECT source, target FROM edges WHERE graph = ?", graph[0])

    def _graphs_are_known(self):
        """Whether the file says which step has which edges; the first versions wrote them for all steps together."""
        return any(row[1] == "graph" for row in self.query("PRAGMA table_info(steps)"))

    def tensor(self, name):
        """The tensor of that name; KeyError for an unknown one, with the nearest."""
        found = next((t for t in self.tensors if t.name == name), None)
        if found is None:
            raise KeyError(f"nothing is called {name!r} in this run. {nearest(name, [t.name for t in self.tensors])}")
        return found

    def series(self, name, figure="norm", *, values=False):
        """(steps, numbers) of one figure of a tensor, two arrays; NaN where no gradient came. ``values``: of the tensor itself
        in place of its gradient, where the run recorded them. ValueError for an unknown figure.
        """
        sql = _figure(figure)[0]
        number = self.tensor(name).number
        rows = self.query(f"SELECT step, {sql} FROM figures WHERE tensor = ? AND of_value = ? ORDER BY step", (number, values))
        steps = np.array([r[0] for r in rows], dtype=np.int64)
        return steps, np.array([math.nan if r[1] is None else r[1] for r in rows], dtype=float)

    def at(self, step, *, values=False):
        """All that the file has of one step: {tensor's number: dict of figures}."""
        names = list(FIGURES)
        sql = ", ".join(_figure(n)[0] for n in names)
        low, high = self.number << 32, (self.number + 1) << 32
        rows = self.query(
            f"SELECT tensor, {sql} FROM figures WHERE tensor IN (SELECT id FROM tensors WHERE id > ? AND id < ?) AND of_value = ? "
            "AND step = ?",
            (low, high, values, step),
        )
        return {number: dict(zip(names, row)) for number, *row in rows}

    def grid(self, *figures, columns=400, values=False, tensors=None):
        """One ``Grid`` for each figure, of all tensors or of those given, condensed to at most so many columns."""
        first, last, count = self.span()
        if not count:
            raise ValueError(f"the run {self.name!r} has no steps\nIts first step is not over, or no backward pass ran.")
        tensors = self.tensors if tensors is None else list(tensors)
        row_of = {t.number: i for i, t in enumerate(tensors)}
        numbers = self.step_numbers()
        if count <= columns:
            starts, per_column = numbers, 1
            column_of = {int(s): i for i, s in enumerate(numbers)}
            sql_column = "step"
        else:
            width = -(-(last - first + 1) // columns)
            buckets = np.unique((numbers - first) // width)
            starts, per_column = first + buckets * width, int(np.bincount((numbers - first) // width).max())
            column_of = {int(b): i for i, b in enumerate(buckets)}
            sql_column = f"(step - {first}) / {width}"
        parts = [f"{_figure(f)[1]}({_figure(f)[0]})" for f in figures]
        found = [np.full((len(tensors), len(starts)), np.nan) for _ in figures]
        query = (
            f"SELECT {sql_column} AS part, {', '.join(parts)} FROM figures WHERE tensor = ? AND of_value = ? AND step <= ? GROUP BY part"
        )
        for t in tensors:
            for part, *row in self.query(query, (t.number, values, last)):
                for array, value in zip(found, row):
                    if value is not None:
                        array[row_of[t.number], column_of[part]] = value
        return [Grid(f, tensors, starts, array, per_column) for f, array in zip(figures, found)]

    def curves(self, name, *, columns=100, values=False):
        """(steps, array of 21 quantiles each) of a tensor's gradient at evenly spaced steps; NaN where nothing was finite."""
        numbers = self.step_numbers()
        chosen = numbers[np.unique(np.linspace(0, len(numbers) - 1, columns).astype(np.intp))] if len(numbers) > columns else numbers
        query = "SELECT curve FROM figures WHERE tensor = ? AND of_value = ? AND step = ?"
        number = self.tensor(name).number
        found = np.full((len(chosen), 21), np.nan, np.float32)
        for i, step in enumerate(chosen):
            row = self.query(query, (number, values, int(step)))
            if row and row[0][0] is not None:
                found[i] = np.frombuffer(row[0][0], "<f4")
        return chosen, found

    # ---------------------------------------------------------------- words

    @property
    def alarms(self):
        """The alarms, oldest first: dicts of step, kind, name, file, line, source and text."""
        names = ("step", "kind", "name", "file", "line", "source", "text")
        rows = self.query(f"SELECT {', '.join(names)} FROM alarms WHERE run = ? ORDER BY rowid", (self.number,))
        return [dict(zip(names, r)) for r in rows]

    @property
    def notes(self):
        """What a reader must know, in sentences."""
        return [text for (text,) in self.query("SELECT text FROM notes WHERE run = ?", (self.number,))]

    @property
    def has_values(self):
        """Whether the run recorded figures of the tensors themselves beside those of their gradients."""
        low, high = self.number << 32, (self.number + 1) << 32
        query = "SELECT 1 FROM tensors JOIN figures ON tensor = id WHERE id > ? AND id < ? AND of_value = 1 LIMIT 1"
        return bool(self.query(query, (low, high)))

    def state(self):
        """How the run stands, in a word or a sentence: "finished", the error that ended it, or that it runs or was killed."""
        if self.outcome is None:
            lives = _lives(self.process, self.started)  # asked first: it may end in between
            self.ended, self.outcome = self.query("SELECT ended, outcome FROM runs WHERE id = ?", (self.number,))[0]
            if self.outcome is None:
                return "running" if lives else "killed: it ended without a word"
        return self.outcome

    def __repr__(self):
        steps = self.steps
        return f"<Run {self.name}: {steps} step{'' if steps == 1 else 's'}, {self.state()}>"


def _lives(process, started):
    """Whether the process of a run is there still. Its number may have gone to another one since, which began later."""
    if sys.platform == "win32":  # there a signal of 0 is no question
        handle = ctypes.windll.kernel32.OpenProcess(0x100000, False, process)
        if not handle:
            return False
        waits = ctypes.windll.kernel32.WaitForSingleObject(handle, 0) == 0x102
        ctypes.windll.kernel32.CloseHandle(handle)
        return waits
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return _began(process) <= started + _ANOTHER


def _began(process):
    """When a process began, in seconds since 1970, as far as the system tells: infinity for one that is dead and not yet buried."""
    try:
        state, began = _stat(process)
        _, own = _stat("self")
    except OSError:  # not Linux
        return -math.inf
    if state in "ZX":
        return math.inf
    return began if own <= time.time() + 1.0 else -math.inf  # some containers count from another beginning


def _stat(process):
    state, *rest = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    up = float(pathlib.Path("/proc/uptime").read_text().split()[0])
    return state, time.time() - up + int(rest[18]) / os.sysconf("SC_CLK_TCK")


def _root(square):
    return None if square is None else math.sqrt(square)


def _figure(name):
    if name not in FIGURES:
        raise ValueError(f"there is no figure {name!r}\nThere are {', '.join(FIGURES)}.")
    return FIGURES[name]
