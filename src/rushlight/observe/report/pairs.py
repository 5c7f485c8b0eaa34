"""Two runs tensor by tensor: which belong together, and how far their figures are apart.

*What belongs together* has one name. Engines name some operators differently (``view`` here, ``flatten`` there), so a tensor that only
one run has is paired with one that only the other has, if module, line and shape are the same and there are as many on both sides.

*How far two figures are apart* is measured by the tensor's own scale: the norm by the norm, the mean and the deviation by the root of
the mean square, the extremes by the largest element. One allowance is made. What is computed is a sum of terms that may cancel, and
then nothing remains but rounding noise, as in the gradient of a bias before a batch normalization: two exact computations differ there
by any ratio. So a tenth of the allowed difference is counted from the norm of what the tensor was computed from: for a value that of
its inputs, for a gradient that of the tensors it comes from.

Rows are read for some steps at a time: the memory that is needed does not grow with the file.
"""

import difflib
import os

import numpy as np

__all__ = ["Pair", "pair", "nearest_tensor", "Figures", "read_figures", "apart", "noise_only", "COLUMNS", "SHOWN"]

COLUMNS = ["size", "norm", "mean", "std", "low", "high", "nan", "inf", "arrivals", "weight_norm", "update_norm"]
SHOWN = {  # names of the figures in texts; the first in which two tensors are apart is shown
    "there": "computed",
    "shape": "shape",
    "size": "elements",
    "arrivals": "gradients that came",
    "nan": "NaN",
    "inf": "Inf",
    "norm": "norm",
    "mean": "mean",
    "std": "std",
    "low": "min",
    "high": "max",
}
_NOISE = 0.1  # the share of the allowed difference that is counted from what a tensor is computed from
_SQL = ", ".join(COLUMNS)


class Pair:
    """A tensor in both runs. ``before``: the places, in the list of pairs, of what its value is computed from; ``after``: of the tensors
    that its gradient comes from.
    """

    __slots__ = ("a", "b", "before", "after")

    def __init__(self, a, b):
        self.a, self.b, self.before, self.after = a, b, [], []

    @property
    def name(self):
        return self.a.name

    @property
    def leaf(self):
        return self.a.kind != "intermediate"


def pair(a, b):
    """(pairs in the order of computation, tensors only of run ``a``, tensors only of run ``b``)."""
    in_b = {t.name: t for t in b.tensors}
    pairs = [Pair(t, in_b[t.name]) for t in a.tensors if t.name in in_b and in_b[t.name].kind == t.kind]
    known = {p.name for p in pairs}
    only_a, only_b = [t for t in a.tensors if t.name not in known], [t for t in b.tensors if t.name not in known]
    groups = _groups(only_b)
    for key, tensors in _groups(only_a).items():
        if len(groups.get(key, ())) == len(tensors):
            pairs += [Pair(t, other) for t, other in zip(tensors, groups[key])]
    taken = {p.a.number for p in pairs} | {p.b.number for p in pairs}
    pairs.sort(key=lambda p: (p.leaf, p.a.position, p.a.number))
    _connect(pairs)
    return pairs, [t for t in only_a if t.number not in taken], [t for t in only_b if t.number not in taken]


def _groups(tensors):
    """The intermediates that have the name of their operator, by what does not depend on that name."""
    found = {}
    for t in tensors:
        if t.kind == "intermediate" and not t.outputs and not t.variable and t.file:
            found.setdefault((t.path, os.path.basename(t.file), t.line, t.shape), []).append(t)
    return found


def _connect(pairs):
    place = {p.a.number: i for i, p in enumerate(pairs)}
    by_path = {}
    for i, p in enumerate(pairs):
        if not p.leaf:
            for path in {p.a.path, *p.a.outputs}:
                by_path.setdefault(path, []).append(i)
        for number in p.a.inputs:
            if number in place:
                p.before.append(place[number])
                pairs[place[number]].after.append(i)
    for p in pairs:
        if p.leaf and not p.after:  # where it is not known what uses it: its gradient is a sum over those of its module's results
            p.after = by_path.get(p.a.path, [])


def nearest_tensor(tensor, others):
    """What a tensor is perhaps called in the other run, one of ``others`` or None: by kind, operator and shape if any has the same, and
    by name.
    """
    alike = [t for t in others if (t.kind, t.op, t.shape) == (tensor.kind, tensor.op, tensor.shape)]
    among = alike or [t for t in others if t.kind == tensor.kind]
    if len(alike) == 1:
        return alike[0]
    names = difflib.get_close_matches(tensor.name, [t.name for t in among], 1, 0.4)
    return next((t for t in among if names and t.name == names[0]), None)


class Figures:
    """The figures of many tensors at some steps of a run: ``there``, an array of a row for each tensor and a column for each step, and one
    array for each of ``COLUMNS``, NaN where the file has nothing.
    """

    def __init__(self, found):
        self.there = np.isfinite(found[:, :, 0])
        self._found = found

    def __getitem__(self, name):
        return self._found[:, :, COLUMNS.index(name) + 1]


def read_figures(run, numbers, steps, values=False):
    """``Figures`` of the tensors of these numbers at these steps, which rise."""
    found = np.full((len(numbers), len(steps), len(COLUMNS) + 1), np.nan)
    query = f"SELECT step, {_SQL} FROM figures WHERE tensor = ? AND of_value = ? AND step BETWEEN ? AND ?"
    for i, number in enumerate(numbers):
        rows = run.query(query, (number, values, int(steps[0]), int(steps[-1])))
        if rows:
            rows = np.array(rows, dtype=float)
            at = np.searchsorted(steps, rows[:, 0])
            good = (at < len(steps)) & (np.asarray(steps)[np.minimum(at, len(steps) - 1)] == rows[:, 0])
            found[i, at[good]] = rows[good]
    return Figures(found)


def apart(pairs, a, b, kind, atol):
    """How far two runs' ``Figures`` are apart: {figure: array of a row for each pair and a column for each step}, NaN where there is
    nothing to compare. ``kind``: "value", "gradient", "weight" or "update".
    """
    with np.errstate(all="ignore"):
        if kind in ("weight", "update"):
            return _one_figure(pairs, a, b, kind, atol)
        found = {"there": np.where(a.there == b.there, 0.0, np.inf)}
        both = a.there & b.there
        for name in ("size", "nan", "inf"):
            found[name] = _exact(a[name], b[name])
        if kind == "gradient":
            found["arrivals"] = _exact(np.minimum(a["arrivals"], 1.0), np.minimum(b["arrivals"], 1.0))
        norm = np.fmax(a["norm"], b["norm"])
        noise = _NOISE * _behind(pairs, norm, kind)
        root = np.sqrt(np.fmax(np.fmax(a["size"], b["size"]) - np.fmax(a["nan"] + a["inf"], b["nan"] + b["inf"]), 1.0))
        top = np.fmax.reduce([np.abs(x[name]) for x in (a, b) for name in ("low", "high")])
        scales = {"norm": norm, "mean": norm / root, "std": norm / root, "low": top, "high": top}
        for name, scale in scales.items():
            allowance = scale + (noise / root if name in ("mean", "std") else noise)
            difference = np.fmax(np.abs(a[name] - b[name]) - atol, 0.0)
            found[name] = np.where(difference == 0.0, 0.0, difference / allowance)
        for name in found:
            if name != "there":
                found[name][~both] = np.nan
    return found


def _behind(pairs, norm, kind):
    """The norm of what each tensor is computed from."""
    found = np.zeros_like(norm)
    for i, p in enumerate(pairs):
        if near := (p.before if kind == "value" else p.after):
            found[i] = np.nan_to_num(np.fmax.reduce(norm[near], axis=0))
    return found


def noise_only(pairs, a, b, rtol):
    """Which gradients are nothing but rounding noise: a row for each pair and a column for each step."""
    norm = np.fmax(a["norm"], b["norm"])
    return (norm > 0.0) & (norm <= rtol * _NOISE * _behind(pairs, norm, "gradient"))


def _one_figure(pairs, a, b, kind, atol):
    """The norms of the weights before the step, or of the updates: one number each."""
    one, other = a[f"{kind}_norm"], b[f"{kind}_norm"]
    scale = np.fmax(one, other)
    if kind == "update":
        scale = scale + 0.01 * np.fmax(a["weight_norm"], b["weight_norm"])
    found = {}
    if kind == "weight":
        other_shape = np.array([p.a.shape != p.b.shape for p in pairs], dtype=bool).reshape(-1, 1)
        found["shape"] = np.where(other_shape & a.there & b.there, np.inf, 0.0)
    difference = np.fmax(np.abs(one - other) - atol, 0.0)
    found["norm"] = np.where(difference == 0.0, 0.0, difference / scale)
    return found


def _exact(a, b):
    return np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(a == b, 0.0, np.inf))
