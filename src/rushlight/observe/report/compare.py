"""``compare``: where two runs first part, and how they go on from there.

The steps that both runs have are gone through in order, and within a step the tensors in the order in which they are computed: the
weights as the step finds them, the values of the forward pass (if both runs recorded values), the gradients from the loss to the input,
those of the parameters, the optimizer's updates, at last the losses and learning rates. The first that is further apart than ``rtol``
is the answer; what came before it agrees. ``pairs.py`` says how the distance is measured.

A parameter whose gradient is nothing but rounding noise (``pairs.py`` says when) is moved by noise. With Adam, which scales gradients,
as far as any other. Its weights and updates are no difference between two runs: they are left out, and named.

A file holds figures, not elements: two tensors with the same elements in another order look the same.
"""

import dataclasses
import math

import numpy as np

from ..runs import Run, run_of
from .account import account
from .pairs import apart, noise_only, pair, read_figures
from .words import is_rate

__all__ = ["compare", "Comparison", "Parting"]

_ROWS = 50_000  # rows of figures that are in memory at once
_LATER = 10  # steps of the table of what comes afterwards


@dataclasses.dataclass(frozen=True)
class Parting:
    """Where two runs part: ``step``; ``kind`` ("weight", "value", "gradient", "update" or "scalar"); ``name`` and ``name_b``, of the tensor
    in either run; ``figure``, its numbers ``a`` and ``b``, and their relative ``difference``; ``tensor_a`` and ``tensor_b`` (None for a
    scalar).
    """

    step: int
    kind: str
    name: str
    name_b: str
    figure: str
    a: float | None
    b: float | None
    difference: float
    tensor_a: object = None
    tensor_b: object = None


@dataclasses.dataclass
class Comparison:
    """What ``compare`` found. ``same``: whether the runs agree wherever both have figures, and have the same tensors (those that an
    engine has for itself aside). ``parting``: a ``Parting``, or None.

    ``a`` and ``b`` are the runs; ``compared``: how many tensors were; ``steps``: those that both have; ``agreed``: how many of these
    agreed before the parting, and ``agreed_within``: how many gradients of its own step; ``largest``: the largest relative difference
    among what agreed. ``noisy``: parameters whose updates were left out (see the head of the file). ``only_a``, ``only_b`` are lists
    of ``Tensor``, ``renamed`` and ``shapes`` of pairs of them with different names and shapes. ``scalars``: {name: (steps, values of
    a, values of b)} at some steps; ``later``: rows of (step, largest difference, where) from the parting on. ``silent``: how many
    tensors had no figures to compare. ``text`` says all this.
    """

    a: Run
    b: Run
    rtol: float
    compared: int
    steps: np.ndarray
    only_a: list
    only_b: list
    renamed: list
    shapes: list
    parting: Parting | None = None
    agreed: int = 0
    agreed_within: int = 0
    largest: float = 0.0
    silent: int = 0
    noisy: list = dataclasses.field(default_factory=list)
    scalars: dict = dataclasses.field(default_factory=dict)
    later: list = dataclasses.field(default_factory=list)
    text: str = ""

    @property
    def same(self):
        if self.parting is not None or self.shapes or not len(self.steps) or not self.compared:
            return False
        apart_names = self.only_a + self.only_b
        if self.a.engine != self.b.engine:  # one call may be several operators on one engine and one on the other
            apart_names = [t for t in apart_names if t.kind != "intermediate"]
        return not apart_names

    def __str__(self):
        return self.text

    def __repr__(self):
        where = "no difference" if self.parting is None else f"they part at step {self.parting.step}, {self.parting.name}"
        return f"<Comparison of {self.a.name} and {self.b.name}: {where}>"


def compare(a, b, *, rtol=1e-5, atol=0.0, later=_LATER):
    """Where two runs first part: the step, the tensor, the lines that made it, and how the difference goes on.

    Args:
        a, b: runs, or names of files: "FILE" for its newest run, "FILE:RUN" for one by name or number.
        rtol: the relative difference of a figure, by the tensor's own scale, that is let pass.
        atol: a difference that is let pass whatever the scale.
        later: how many steps from the parting on are looked at for the table of what follows.

    Returns a ``Comparison``: ``same``, ``parting``, ``text`` and more. Raises ValueError for an ``rtol`` or ``atol`` that means nothing,
    ``NoRunFile`` for what is no file of runs, and KeyError for an unknown run.

    Example::

        >>> import os, tempfile
        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> file = os.path.join(tempfile.mkdtemp(), "observe.db")
        >>> def train(rate):
        ...     torch.manual_seed(0)
        ...     model = torch.nn.Linear(3, 1)
        ...     optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        ...     with observe.watch(model, optimizer=optimizer, file=file):
        ...         for _ in range(4):
        ...             loss = model(torch.ones(2, 3)).pow(2).mean()
        ...             optimizer.zero_grad()
        ...             loss.backward()
        ...             optimizer.step()
        >>> for rate in (0.1, 0.1, 0.2):
        ...     train(rate)
        >>> observe.compare(file + ":1", file + ":2").same
        True
        >>> found = observe.compare(file + ":1", file + ":3")
        >>> found.same, found.parting.step, found.parting.kind, found.parting.name
        (False, 0, 'update', 'weight')
    """
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0 or math.isinf(value):
            raise ValueError(f"{name}={value!r} must be a number from 0 on")
    opened = []
    try:
        runs = []
        for what in (a, b):
            runs.append(run_of(what))
            if not isinstance(what, Run):
                opened.append(runs[-1])
        return _Search(*runs, rtol, atol).result(later)
    finally:
        for run in opened:
            run.close()


class _Search:
    def __init__(self, a, b, rtol, atol):
        self.a, self.b, self.rtol, self.atol = a, b, rtol, atol
        self.pairs, only_a, only_b = pair(a, b)
        steps = np.intersect1d(a.step_numbers(), b.step_numbers())
        self.values = a.has_values and b.has_values
        renamed = [(p.a, p.b) for p in self.pairs if p.a.name != p.b.name]
        shapes = [(p.a, p.b) for p in self.pairs if p.a.shape != p.b.shape]
        self.found = Comparison(a, b, rtol, len(self.pairs), steps, only_a, only_b, renamed, shapes)
        self.seen, self.noisy = np.zeros(len(self.pairs), bool), np.zeros((len(self.pairs), 1), bool)
        forward = [i for i, p in enumerate(self.pairs) if not p.leaf]
        leaves = [i for i, p in enumerate(self.pairs) if p.leaf]
        self.order = [  # the order of computation within a step: (kind, places in the list of pairs)
            ("weight", leaves),
            ("value", forward if self.values else []),
            ("gradient", forward[::-1] + leaves),
            ("update", leaves),
        ]

    def result(self, later):
        found = self.found
        self._look_for_parting()
        if found.parting is None:
            found.silent = int((~self.seen).sum()) if len(found.steps) else 0
        else:
            found.later = self._afterwards(later)
        found.noisy = [p.name for p, noisy in zip(self.pairs, self.noisy[:, -1]) if noisy and p.leaf]
        found.scalars = self._side_by_side(later)
        found.text = account(found, self.values)
        return found

    # ---------------------------------------------------------------- the search

    def _look_for_parting(self):
        steps, at, size = self.found.steps, 0, 1
        while at < len(steps):
            part = steps[at : at + size]
            tables = self._tables(part)
            scalars = self._scalars(part)
            tops = self._tops(tables)
            for column, step in enumerate(part):
                if not tops[column] <= self.rtol or self._scalars_part(int(step), scalars):
                    self._part(int(step), column, tables, scalars)
                    return
                self.found.largest = max(self.found.largest, float(tops[column]))
                self.found.agreed += 1
            at += size
            size = max(1, min(2 * size, _ROWS // max(1, len(self.pairs))))

    def _tables(self, steps):
        """{kind: {figure: distances}} at some steps, and the figures themselves under "a" and "b"."""
        numbers = [p.a.number for p in self.pairs], [p.b.number for p in self.pairs]
        a, b = (read_figures(run, n, steps) for run, n in zip((self.a, self.b), numbers))
        tables = {kind: apart(self.pairs, a, b, kind, self.atol) for kind in ("weight", "gradient", "update")}
        figures = {kind: (a, b) for kind in tables}
        if self.values:
            a, b = (read_figures(run, n, steps, values=True) for run, n in zip((self.a, self.b), numbers))
            tables["value"], figures["value"] = apart(self.pairs, a, b, "value", self.atol), (a, b)
        self.figures = figures
        self.noise = noise_only(self.pairs, *figures["gradient"], self.rtol)
        if len(self.pairs):
            self.seen |= np.isfinite(tables["gradient"]["norm"]).any(axis=1)
        return tables

    def _tops(self, tables):
        """The largest distance of each step."""
        self.noisy = noisy = self.noisy[:, -1:] | np.logical_or.accumulate(self.noise, axis=1)
        tops = np.zeros(noisy.shape[1])
        for kind, places in self.order:
            if places:
                distances = np.fmax.reduce(list(tables[kind].values()))
                if kind in ("weight", "update"):
                    distances = np.where(noisy, 0.0, distances)
                tops = np.fmax(tops, np.fmax.reduce(distances[places]))
        return tops

    def _scalars_part(self, step, scalars):
        return any(_scalars_apart(one, other, self.atol) > self.rtol for one, other in scalars.get(step, {}).values())

    def _part(self, step, column, tables, scalars):
        """Find in one step where the runs part."""
        found, within, largest = self.found, 0, self.found.largest
        self.noisy = self.noisy[:, column : column + 1]
        for kind, places in self.order:
            for i in self._counted(kind, places):
                for figure, distances in tables[kind].items():
                    distance = distances[i, column]
                    if distance > self.rtol:
                        found.agreed_within, found.largest = within, largest
                        found.parting = self._parting(step, kind, i, figure, column, float(distance))
                        return
                    largest = max(largest, float(distance)) if distance == distance else largest
                within += kind == "gradient"
        for name, (one, other) in scalars.get(step, {}).items():
            distance = _scalars_apart(one, other, self.atol)
            if distance > self.rtol:
                found.agreed_within, found.largest = within, largest
                found.parting = Parting(step, "scalar", name, name, "value", one, other, distance)
                return
            largest = max(largest, distance)

    def _parting(self, step, kind, i, figure, column, distance):
        p = self.pairs[i]
        if figure == "there":
            numbers = [float(x.there[i, column]) for x in self.figures[kind]]
        elif figure == "shape":
            numbers = [None, None]
        else:
            name = f"{kind}_norm" if kind in ("weight", "update") else figure
            numbers = [float(x[name][i, column]) for x in self.figures[kind]]
            if figure == "norm":  # as a reader would reckon it, without the allowance for noise
                distance = abs(numbers[0] - numbers[1]) / max(numbers)
        return Parting(step, kind, p.a.name, p.b.name, figure, *numbers, distance, p.a, p.b)

    def _counted(self, kind, places):
        return [i for i in places if not self.noisy[i, -1]] if kind in ("weight", "update") else places

    # ---------------------------------------------------------------- beside it

    def _scalars(self, steps):
        """{step: {name: (a, b)}} of the losses and learning rates that both runs have."""
        query = "SELECT step, name, value FROM scalars WHERE run = ? AND step BETWEEN ? AND ?"
        sides = []
        for run in (self.a, self.b):
            rows = run.query(query, (run.number, int(steps[0]), int(steps[-1])))
            sides.append({(step, name): math.nan if value is None else value for step, name, value in rows})
        found = {}
        for (step, name), one in sorted(sides[0].items(), key=lambda x: (is_rate(x[0][1]), x[0])):
            if (step, name) in sides[1]:
                found.setdefault(step, {})[name] = one, sides[1][step, name]
        return found

    def _afterwards(self, count):
        rows = []
        steps = self.found.steps
        for step in _spread(steps[steps >= self.found.parting.step], count):
            tables = self._tables(np.array([step]))
            best = 0.0, ""
            for kind, places in self.order:
                for i in self._counted(kind, places):
                    distances = [float(d[i, 0]) for d in tables[kind].values() if d[i, 0] == d[i, 0]]
                    if distances and max(distances) > best[0]:
                        best = max(distances), f"{kind} of {self.pairs[i].name}"
            rows.append((int(step), *best))
        return rows

    def _side_by_side(self, count):
        """The scalars at the first step, at the parting and what follows, at the last."""
        steps = self.found.steps
        if not len(steps):
            return {}
        chosen = [int(steps[0]), *(row[0] for row in self.found.later), int(steps[-1])]
        if not self.found.later:
            chosen = [int(s) for s in steps[np.unique(np.linspace(0, len(steps) - 1, max(count, 2)).astype(np.intp))]]
        table = {}
        for step in sorted(set(chosen)):
            for name, both in self._scalars([step]).get(step, {}).items():
                table.setdefault(name, []).append((step, *both))
        return {name: tuple(zip(*rows)) for name, rows in table.items()}


def _scalars_apart(a, b, atol):
    if a == b or a != a and b != b:
        return 0.0
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    return max(abs(a - b) - atol, 0.0) / max(abs(a), abs(b))


def _spread(steps, count):
    """At most so many of the steps: the first, ever fewer of those that follow, the last."""
    if len(steps) <= count:
        return steps
    if count < 3:
        return steps[:count]
    last = len(steps) - 1
    return steps[np.unique(np.concatenate([[0], np.geomspace(1, last, count - 1)]).round().astype(np.intp))]
