"""What a page shows of a run, as JSON: figures by tensor and column, quantiles, scalars, alarms, sentences about what was left out.

A page must open on a telephone, so its size is bounded whatever the run's: steps are condensed into columns, a long list of tensors is cut
to the most telling ones, and the columns are made fewer until all of it fits. Each of these is said in a sentence of ``says``.

Arrays of figures stand as base64 of the upper halves of their float64: the whole range of exponents and six digits, in half of the room.
"""

import base64
import math

import numpy as np

from .layout import LARGEST, views
from .order import in_order
from .words import brief, is_rate, losses

__all__ = ["collect", "packed", "GRADIENT", "VALUE"]

GRADIENT = ("norm", "rms", "mean", "std", "min", "max", "zeros", "nan", "inf", "grad_to_weight", "update_to_weight")
VALUE = ("norm", "rms", "mean", "std", "min", "max", "zeros", "nan", "inf")
ROWS = 400  # tensors with figures at every column
_FIGURE_BYTES, _CURVE_BYTES = 6_000_000, 2_000_000  # in a page, all runs together
_FEWEST_COLUMNS, _MOST_CURVES, _FEWEST_CURVES = 50, 100, 8
_POINTS = 1000  # of a scalar
_GROUPS, _STEPS_OF_ALARM = 200, 500


def collect(run, *, columns=400, rows=ROWS, share=1.0):
    """A run as a dict of JSON's types. ``share``: its part of the page's size."""
    tensors = in_order(run.tensors)
    alarms, says, state = _alarms(run.alarms, tensors), [], run.state()
    if (short := brief(state)) != state.rstrip("."):
        says.append(f"It ended with {state}")
    if len(alarms) > _GROUPS:
        says.append(f"Alarms came from {len(alarms):,} places; the first {_GROUPS} are shown.")
        del alarms[_GROUPS:]
    found = {
        "name": run.name,
        "program": run.program,
        "engine": run.engine,
        "versions": run.versions,
        "started": run.started,
        "seconds": run.ended - run.started if run.ended is not None else run.seconds,
        "state": short,
        "steps": run.steps,
        "notes": run.notes,
        "says": says,
        "alarms": alarms,
        "places": [],
        "tensors": [],
        "scalars": _scalars(run.scalars()),
    }
    _describe(tensors, found)
    if not found["steps"]:
        running = "No step is over yet: a step ends with the first computation after a backward pass, or with the recording."
        says.append(running if state == "running" else "No step was recorded: a step is a backward pass, with what was computed before it.")
        return found
    numbers = run.step_numbers()
    gaps = np.unique(np.diff(numbers))
    if len(gaps) == 1 and gaps[0] > 1:
        says.append(f"Each {_ordinal(int(gaps[0]))} step was recorded, {numbers[0]:,} to {numbers[-1]:,}.")
    values = run.has_values
    of_a_cell = (14 if values else 7) * 16 / 3  # bytes; the other figures are seldom there, or all zero
    chosen = _chosen(tensors, alarms, min(rows, int(_FIGURE_BYTES * share / of_a_cell / _FEWEST_COLUMNS)))
    if len(chosen) < len(tensors):
        says.append(
            f"{len(chosen):,} of {len(tensors):,} tensors have figures over time: those of alarms, outputs of modules and parameters "
            "before others, evenly spaced. The table and the graph show the others at the newest step."
        )
    room = int(_FIGURE_BYTES * share / of_a_cell / max(len(chosen), 1))
    _figures(run, found, tensors, chosen, min(columns, room), values)
    _curves(run, found, tensors, chosen, share, values)
    newest = int(numbers[-1])
    present, rest = run.at(newest), run.at(newest, values=True) if values else {}
    place = {t.number: i for i, t in enumerate(tensors)}
    shown = set(chosen)
    left = [i for i, t in enumerate(tensors) if t.number in present and i not in shown]
    found["newest"] = {
        "step": newest,
        "rows": left,
        "gradient": {f: [_short(present[tensors[i].number][f]) for i in left] for f in GRADIENT},
        "value": {f: [_short(rest.get(tensors[i].number, {}).get(f)) for i in left] for f in VALUE} if values else None,
    }
    shown = sorted(place[n] for n in present if n in place)
    edges = run.edges()
    if edges is None:
        edges = [(n, tensors[i].number) for i in shown for n in tensors[i].inputs]
        says.append("The file does not say which edges the newest step's graph has: those of other steps may be among them.")
    found["graph"] = views(tensors, shown, edges)
    says += _about_graph(found["graph"])
    return found


def _about_graph(graph):
    if graph["count"] <= LARGEST:
        return []
    if graph["views"][graph["first"]]["cut"]:
        return [f"The graph has {graph['count']:,} operators and few modules to fold; the {LARGEST} boxes nearest to the loss are drawn."]
    return [f"The graph has {graph['count']:,} operators, which are folded by module: open a module to see its inside."]


# ---------------------------------------------------------------- tensors


def _describe(tensors, found):
    places, files = {}, found["places"]
    index = {t.number: i for i, t in enumerate(tensors)}
    for t in tensors:
        place = (t.place, t.file, t.line, t.source)
        if t.file and place not in places:
            places[place] = len(files)
            files.append({"short": t.place, "file": t.file, "line": t.line, "source": t.source})
        found["tensors"].append(
            {
                "name": t.name,
                "kind": t.kind,
                "path": t.path,
                "op": t.op,
                "variable": t.variable,
                "output": bool(t.outputs),
                "place": places.get(place),
                "shape": list(t.shape),
                "dtype": t.dtype,
                "inputs": [index[n] for n in t.inputs if n in index],
            }
        )


def _chosen(tensors, alarms, rows):
    """Places of the tensors that get figures at every column, in order."""
    if len(tensors) <= rows:
        return list(range(len(tensors)))
    alarmed = {a["tensor"] for a in alarms if a["tensor"] is not None}
    classes = [[], [], []]
    for i, t in enumerate(tensors):
        classes[0 if i in alarmed else 1 if t.outputs or t.kind == "parameter" else 2].append(i)
    chosen = []
    for several in classes:
        room = rows - len(chosen)
        if len(several) > room:
            several = [several[j] for j in np.unique(np.linspace(0, len(several) - 1, room).astype(int))] if room else []
        chosen += several
    return sorted(chosen)


# ---------------------------------------------------------------- figures


def _figures(run, found, tensors, chosen, columns, values):
    numbers = run.step_numbers()
    for kind, names, of_value in (("gradient", GRADIENT, False), ("value", VALUE, True)):
        found[kind] = None
        if of_value and not values:
            continue
        grids = run.grid(*names, columns=columns, values=of_value, tensors=[tensors[i] for i in chosen])
        found[kind] = {g.figure: _rows(g.values, chosen) for g in grids}
        starts = grids[0].starts
    ends = numbers[np.append(np.searchsorted(numbers, starts[1:]) - 1, len(numbers) - 1)]
    found["rows"], found["starts"], found["ends"] = chosen, starts.tolist(), ends.tolist()
    found["per_column"] = grids[0].per_column
    if grids[0].per_column > 1:
        found["says"].append(
            f"{len(numbers):,} steps are shown in {len(starts):,} columns; each column shows the largest of its "
            f"{grids[0].per_column:,} steps (the smallest for minima, the mean for means, the sum for counts of NaN and Inf)."
        )


def _rows(values, chosen):
    """The rows of a figure that hold anything, and which tensors they are of."""
    some = np.flatnonzero(~np.isnan(values).all(axis=1))
    zero = [int(i) for i in some if not values[i].any()]  # NaN counts as something: these rows are zero at every column
    some = sorted(set(some.tolist()) - set(zero))
    return {"rows": [chosen[i] for i in some], "zero": [chosen[i] for i in zero], "data": packed(values[some])}


def packed(values):
    """An array as base64 of the upper 32 bits of each number's float64, rounded; little-endian."""
    bits = np.ascontiguousarray(values, "<f8").view("<u8")
    finite = np.isfinite(values)
    upper = np.where(finite, (bits + (finite.astype("<u8") << np.uint64(31))) >> np.uint64(32), bits >> np.uint64(32)).astype("<u4")
    return base64.b64encode(upper.tobytes()).decode("ascii")


def _curves(run, found, tensors, chosen, share, values):
    room = int(_CURVE_BYTES * share / max(len(chosen) * 112 * (1 + values), 1))
    columns = max(_FEWEST_CURVES, min(_MOST_CURVES, room))
    curves = {"steps": [], "gradient": None, "value": None}
    for kind, of_value in (("gradient", False), ("value", True)):
        if of_value and not values:
            continue
        rows, arrays = [], []
        for i in chosen:
            steps, found_here = run.curves(tensors[i].name, columns=columns, values=of_value)
            if not np.isnan(found_here).all():
                rows.append(i)
                arrays.append(found_here)
            curves["steps"] = steps.tolist()
        data = np.ascontiguousarray(np.stack(arrays) if arrays else np.zeros(0), "<f4")
        curves[kind] = {"rows": rows, "data": base64.b64encode(data.tobytes()).decode("ascii")}
    found["curves"] = curves
    if len(curves["steps"]) < found["steps"]:
        found["says"].append(f"Distributions are those of {len(curves['steps']):,} steps, evenly spaced.")


def _scalars(scalars):
    """The losses, that with the most steps first, then the learning rates."""
    rates = [(n, *s) for n, s in scalars.items() if is_rate(n)]
    return {n: _condensed(*s) for n, *s in [*losses(scalars), *rates]}


def _condensed(steps, values):
    """A scalar over steps: mean, least and largest of each of at most ``_POINTS`` parts; the steps at which it was not finite."""
    bad = steps[~np.isfinite(values)]
    part = np.arange(len(steps)) * _POINTS // len(steps) if len(steps) > _POINTS else np.arange(len(steps))
    finite = np.isfinite(values)
    count = int(part[-1]) + 1
    amount = np.bincount(part[finite], minlength=count)
    total = np.bincount(part[finite], np.where(np.abs(values[finite]) < 1e300, values[finite], 0.0), minlength=count)
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, part[finite], values[finite])
    np.maximum.at(high, part[finite], values[finite])
    first = np.searchsorted(part, np.arange(count))
    last = np.append(first[1:] - 1, len(steps) - 1)
    some = amount > 0
    return {
        "steps": ((steps[first] + steps[last]) / 2).tolist(),
        "mean": [_short(t / n) if n else None for t, n in zip(total.tolist(), amount.tolist())],
        "low": [_short(v) if s else None for v, s in zip(low.tolist(), some)] if count < len(steps) else None,
        "high": [_short(v) if s else None for v, s in zip(high.tolist(), some)] if count < len(steps) else None,
        "bad": bad[:_POINTS].tolist(),
        "last": _short(float(values[-1])),
        "of": len(steps),
    }


def _short(value):
    """A number to six digits; None for one that JSON lacks."""
    if value is None or isinstance(value, int):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _ordinal(n):
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


# ---------------------------------------------------------------- alarms


def _alarms(alarms, tensors):
    """The alarms, those that came again and again as one: the first one's sentences, and the steps."""
    by_name = {t.name: i for i, t in enumerate(tensors)}
    for i, t in enumerate(tensors):
        by_name.setdefault(f"{t.path}.{t.op}", i)
    by_line = {}
    for i, t in enumerate(tensors):
        by_line.setdefault((t.file, t.line), i)
    groups = {}
    for a in alarms:
        key = (a["kind"], a["name"], a["file"], a["line"])
        if key not in groups:
            tensor = by_name.get(a["name"])
            if tensor is None and a["file"]:
                tensor = by_line.get((a["file"], a["line"]))
            short = f"{a['file'].replace(chr(92), '/').rpartition('/')[2]}:{a['line']}" if a["file"] else ""
            groups[key] = {**a, "short": short, "tensor": tensor, "steps": [], "times": 0}
        group = groups[key]
        group["times"] += 1
        group["until"] = a["step"]
        if len(group["steps"]) < _STEPS_OF_ALARM:
            group["steps"].append(a["step"])
    return list(groups.values())
