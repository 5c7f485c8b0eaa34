"""Small texts that the reports share: a run's head, numbers in few characters, a curve in one line."""

import itertools
import math
import os
import re
import time

import numpy as np

from ..table import figure

__all__ = [
    "plural",
    "duration",
    "began",
    "ending",
    "brief",
    "head",
    "is_rate",
    "losses",
    "number",
    "spark",
    "bins",
    "alarm_line",
    "grouped",
    "printable",
    "BLOCKS",
    "PLAIN_BLOCKS",
]

BLOCKS = "▁▂▃▄▅▆▇█"
PLAIN_BLOCKS = "12345678"
_SENTENCE = re.compile(r"[.!?](?=\s)")  # ends one; a stop within a number or a name of a file does not
_BRIEF = 160  # characters
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plural(n, what):
    """``3 steps``, ``1 step``, ``2,000 tensors``."""
    return f"{n:,} {what}" + ("" if n == 1 else "s")


def number(value):
    """A number in few characters; ``NaN`` and ``Inf`` by name, a dash for None."""
    if value is None:
        return "-"
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return figure(value)


def duration(seconds):
    """``3.2 s``, ``5 min 20 s``, ``2 h 05 min``."""
    if seconds < 60:
        return f"{max(seconds, 0.0):.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def began(run):
    """When a run began, in local time."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started))


def brief(state):
    """The first sentence of how a run stands, without its full stop: an error of many lines must not bury what stands beside it."""
    line = state.strip().partition("\n")[0]
    found = _SENTENCE.search(line)
    line = (line[: found.start()] if found else line).rstrip(".:, ")
    return line if len(line) <= _BRIEF else line[: _BRIEF - 1].rstrip() + "…"


def ending(run):
    """How a run stands, and after how long: ``finished after 3.2 s``."""
    state = run.state()
    seconds = duration(run.seconds if run.ended is None else run.ended - run.started)
    if state == "finished":
        return f"finished after {seconds}"
    if state == "running":
        return f"running, {seconds} so far"
    if state.startswith("killed"):
        return f"killed after {seconds}"
    return f"ended after {seconds} with {brief(state)}"


def head(run):
    """What a reader must know of a run first: [(word, text)]."""
    state = run.state()
    first, last, count = run.span()
    seconds = run.seconds if run.ended is None else run.ended - run.started
    steps = plural(count, "step")
    if count and last - first + 1 != count:
        steps += f", of those from {first} to {last}"
    return [
        ("run", f"{run.name} (number {run.number} in {os.path.basename(run.file)})"),
        ("program", run.program),
        ("engine", f"{run.engine} ({run.versions})"),
        ("began", began(run)),
        ("lasted", f"{duration(seconds)}, {steps}" if count else f"{duration(seconds)}, no step is over"),
        ("state", state),
    ]


def is_rate(name):
    """Whether a scalar is a learning rate: of the first optimizer ``learning rate``, of another ``learning rate 2``."""
    return name.startswith("learning rate")


def losses(scalars):
    """The losses among the scalars of a run, the one with the most steps first: [(name, steps, values)]."""
    found = [(n, s, v) for n, (s, v) in scalars.items() if not is_rate(n)]
    return sorted(found, key=lambda x: -len(x[1]))


def bins(values, width):
    """A series condensed to at most ``width`` numbers: means of neighbours, NaN where one of them is not finite."""
    values = np.asarray(values, dtype=float)
    if len(values) <= width:
        return values
    edges = np.linspace(0, len(values), width + 1).astype(np.intp)
    return np.array([values[a:b].mean() if np.isfinite(values[a:b]).all() else math.nan for a, b in itertools.pairwise(edges)])


def spark(values, width, blocks=BLOCKS):
    """A curve in one line, condensed to ``width`` characters: the lowest block for the smallest number, N for what is not finite."""
    values = bins(values, width)
    finite = values[np.isfinite(values)]
    if not len(finite):
        return "N" * len(values)
    low, high = float(finite.min()), float(finite.max())
    size = (high - low) or 1.0
    top = len(blocks) - 1
    return "".join(blocks[min(top, int((v - low) / size * (top + 1)))] if math.isfinite(v) else "N" for v in values)


def grouped(alarms):
    """Alarms that say the same of one place at many steps as one: [(the first of them, a sentence about the others or "")]."""
    groups = {}
    for alarm in alarms:
        groups.setdefault((alarm["kind"], alarm["name"], alarm["file"], alarm["line"]), []).append(alarm)
    return [(g[0], f"The same {plural(len(g) - 1, 'more time')}, last at step {g[-1]['step']}." if g[1:] else "") for g in groups.values()]


def printable(text):
    """A text without what would command a terminal: names and lines of a file may hold any character."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def alarm_line(alarm):
    """The line of the program that an alarm is about, as ``model.py:31: h = torch.log(x)``; empty if it is not known."""
    if not alarm["file"]:
        return ""
    source = f": {alarm['source']}" if alarm["source"] else ""
    return f"{os.path.basename(alarm['file'])}:{alarm['line']}{source}"
