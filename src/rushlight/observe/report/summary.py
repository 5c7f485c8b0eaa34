"""A run in some lines of plain text: what ``rushlight run --observe`` prints at the end. No library is needed for it."""

import math
import shlex

from .words import alarm_line, ending, grouped, losses, number, plural, printable

__all__ = ["text"]

_NAMES = 8  # names in one line


def text(run, *, limit=5, notes=()):
    """A summary of a run as text: steps and tensors, the loss, the largest and smallest gradients, alarms, what got no gradient, what
    was left out and why, and the command that shows more.

    Args:
        run: a ``Run``, finished or not.
        limit: how many alarms are said; the others are counted.
        notes: further notes, such as those of a record whose file could not be written.

    Example::

        >>> import os, tempfile
        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> from rushlight.observe.report import summary
        >>> model = torch.nn.Linear(2, 1)
        >>> file = os.path.join(tempfile.mkdtemp(), "observe.db")
        >>> with observe.watch(model, file=file, run="first"):
        ...     loss = model(torch.ones(4, 2)).mean()
        ...     loss.backward()
        >>> with observe.read(file) as runs:
        ...     print(summary.text(runs["first"]))
        first: finished after ... s. 1 step of 4 tensors (2 intermediates, 2 parameters) on rushlight.
        loss was ... at its only step.
        Gradient norms of layers at step 0: ...
        More: rushlight report ...observe.db
    """
    tensors = run.tensors
    _, last, count = run.span()
    lines = [_head(run, tensors, count)]
    lines += [_loss(*found) for found in losses(run.scalars())[:3]]
    if count:
        lines += _layers(run, tensors, last)
    alarms = run.alarms
    lines += _alarms([a for a in alarms if a["kind"] != "missing"], limit)
    lines += _missing([a for a in alarms if a["kind"] == "missing"])
    lines += list(dict.fromkeys([*run.notes, *notes]))
    command = f"rushlight report {shlex.quote(run.file)}"
    return printable("\n".join([*lines, f"More: {command}"]))


def _head(run, tensors, count):
    kinds = [plural(n, what) for what in ("intermediate", "parameter", "input") if (n := sum(1 for t in tensors if t.kind == what))]
    line = f"{run.name}: {ending(run)}. {plural(count, 'step')}"
    return line + (f" of {plural(len(tensors), 'tensor')} ({', '.join(kinds)})" if tensors else "") + f" on {run.engine}."


def _loss(name, steps, values):
    if len(values) == 1:
        return f"{name} was {number(values[0])} at its only step."
    line = f"{name} went from {number(values[0])} to {number(values[-1])}"
    finite = [(v, s) for v, s in zip(values, steps) if math.isfinite(v)]
    if not finite:
        return line + "; it was never finite."
    low, at = min(finite)
    line += f", its lowest {number(low)} at step {at}"
    bad = len(values) - len(finite)
    return line + (f"; it was not finite in {plural(bad, 'step')}." if bad else ".")


def _layers(run, tensors, last):
    """The largest and smallest gradients of the newest step, of the modules' outputs (of the parameters where there are none).

    A module that gives one number is a loss and no layer: its gradient is 1 or near it, the largest of nearly every run.
    """
    layers = [t for t in tensors if t.outputs and t.shape] or [t for t in tensors if t.kind == "parameter"]
    figures = run.at(last)
    reached = [t for t in layers if t.number in figures and figures[t.number]["norm"] is not None]
    found = [(figures[t.number]["norm"], t.name) for t in reached if not figures[t.number]["nonfinite"]]
    bad = [t.name for t in reached if figures[t.number]["nonfinite"]]
    if bad:
        more = f" and {len(bad) - _NAMES} more" if len(bad) > _NAMES else ""
        some = ", ".join(bad[:_NAMES])
        return [f"At step {last} the gradients of {len(bad)} of {plural(len(reached), 'layer')} are not finite: {some}{more}."]
    if not found:
        return []
    (high, top), (low, bottom) = max(found), min(found)
    line = f"Gradient norms of layers at step {last}: "
    if len(found) == 1:
        return [line + f"{number(high)} at {top}."]
    return [line + f"largest {number(high)} at {top}, smallest {number(low)} at {bottom}."]


def _alarms(alarms, limit):
    if not alarms:
        return []
    lines = [f"{plural(len(alarms), 'alarm')}:"]
    groups = grouped(alarms)
    for alarm, others in groups[:limit]:
        lines.append(f"  {alarm['text']}")
        if place := alarm_line(alarm):
            lines.append(f"    {place}")
        if others:
            lines.append(f"    {others}")
    if len(groups) > limit:
        lines.append(f"  ... and {len(groups) - limit} more of other places.")
    return lines


def _missing(alarms):
    if not alarms:
        return []
    names = [a["name"] for a in alarms]
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return [f"No gradient came to {', '.join(names[:_NAMES])}{more}. {alarms[0]['text']}"]
