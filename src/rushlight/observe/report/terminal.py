"""A run in the terminal, with the library rich: what ``rushlight report --text`` shows.

Everything is legible without colours as well, and in a width of 60 characters: in a strip of layers by steps the height of a block
says what its colour says, and ``N`` and ``I`` are for NaN and Inf. Where the output knows no blocks (a pipe in plain ASCII) there are
digits. What has no place is left out, and the report says what that was.
"""

import importlib
import math
import sys

import numpy as np

from ..runs import FIGURES
from .order import groups
from .words import BLOCKS, PLAIN_BLOCKS, alarm_line, grouped, head, losses, number, plural, printable, spark

__all__ = ["show"]

_LAYERS = 30  # rows of the strip
_CURVES = 6  # losses that are drawn
_ALARMS = 20
_COLOURS = ["#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26"]  # dark to light, for any eyes
_BAD = "bold white on red"
# The columns of the table, and which go first where the terminal is narrow.
_COLUMNS = ["name", "op", "shape", "line", "norm", "mean", "std", "zeros", "NaN", "Inf", "grad/weight", "update/weight"]
_FIRST_TO_GO = ["std", "mean", "op", "shape", "update/weight", "zeros", "line", "grad/weight"]


def show(run, out=None, width=None, limit=40, sort=None):
    """Print a report of a run: its head, the losses, the gradients of the layers over the steps, a table of the newest step, alarms and
    notes.

    Args:
        run: a ``Run``, finished or not.
        out: the file to print to; by default the standard output. Colours appear in terminals that have them, unless NO_COLOR is set.
        width: how many characters a line may have; by default the terminal's.
        limit: how many rows the table has at most.
        sort: a figure to sort the table by, largest first: "norm", "nan", "grad_to_weight", ... or "name"; by default the order of
            computation.

    Raises ImportError where rich is not installed, and ValueError for a ``sort``, ``limit`` or ``width`` that means nothing.
    """
    if sort is not None and sort != "name" and sort not in FIGURES:
        raise ValueError(f"a table cannot be sorted by {sort!r}\nIt can by name, {', '.join(FIGURES)}.")
    if limit < 1:
        raise ValueError(f"limit={limit!r} must be a number from 1 on")
    if width is not None and width < 20:
        raise ValueError(f"width={width!r} must be a number from 20 on")
    out = sys.stdout if out is None else out
    page = _Page(out, width)
    page.head(run)
    page.losses(run)
    if run.steps:
        page.strip(run)
        page.table(run, limit, sort)
    page.words(run)
    page.print_to(out)


def _rich(name):
    try:
        return importlib.import_module(f"rich.{name}")
    except ImportError as error:
        raise ImportError(
            "a report in the terminal needs rich, which is not installed\npip install 'rushlight[text]' brings it; "
            "rushlight report FILE writes a page without it."
        ) from error


class _Page:
    """What is shown, part by part; what was left out is gathered for the end."""

    def __init__(self, out, width):
        self.Text, self.Table, self.box = _rich("text").Text, _rich("table").Table, _rich("box")
        self.console = _rich("console").Console(file=out, width=width, highlight=False, soft_wrap=False)
        self.width = self.console.width
        self.encoding = getattr(out, "encoding", None) or "utf-8"
        self.blocks = BLOCKS if _can(self.encoding, BLOCKS + "…") else PLAIN_BLOCKS
        self.more = "…" if self.blocks is BLOCKS else "~"
        self.parts, self.left_out = [], []

    def print_to(self, out):
        """Print the parts. A character that the output lacks is shown by its number, and ends nothing."""
        with self.console.capture() as caught:
            for part in self.parts:
                self.console.print(part, markup=False)
        text = "\n".join(line.rstrip() for line in caught.get().split("\n"))
        out.write(text.encode(self.encoding, "backslashreplace").decode(self.encoding))
        out.flush()

    def title(self, text):
        self.parts += [self.Text(), self.Text(text, style="bold")]

    def line(self, text, style=""):
        self.parts.append(self.Text(printable(text), style=style))

    # ---------------------------------------------------------------- head and losses

    def head(self, run):
        for word, text in head(run):
            style = ""
            if word == "state":
                style = "green" if text == "finished" else "yellow" if text == "running" else "bold red"
            self.parts.append(self.Text.assemble((f"{word:9}", "dim"), (printable(text), style)))

    def losses(self, run):
        found = losses(run.scalars())
        if not found:
            return
        self.title("Losses")
        if len(found) > _CURVES:
            self.left_out.append(f"{len(found) - _CURVES} of {len(found)} losses")
        for name, steps, values in found[:_CURVES]:
            finite = values[np.isfinite(values)]
            text = f"{name}: first {number(values[0])}, last {number(values[-1])}"
            if len(finite):
                text += f", min {number(finite.min())} at step {steps[values == finite.min()][0]}"
            if len(finite) < len(values):
                text += f", not finite in {plural(len(values) - len(finite), 'step')}"
            self.line(text)
            if len(values) > 1:
                curve = spark(values, self.width - 2, self.blocks)
                self.parts.append(self._coloured("  ", curve, ["red" if c == "N" else "cyan" for c in curve]))
                if len(values) > self.width - 2:
                    self.left_out.append(f"single steps of {name}: a character is the mean of {_ceil(len(values), self.width - 2)}")

    def _coloured(self, before, characters, styles):
        text = self.Text(printable(before))
        for character, style in zip(characters, styles):
            text.append(character, style=style)
        return text

    # ---------------------------------------------------------------- layers by steps

    def strip(self, run):
        every = _by_model(run.tensors)
        tensors = [t for t in every if t.outputs] or [t for t in every if t.kind == "parameter"] or every
        what = "layers" if tensors[0].outputs else "parameters" if tensors[0].kind == "parameter" else "tensors"
        label = min(max(len(t.name) for t in tensors), max(12, self.width // 3))
        norm, nan, inf = run.grid("norm", "nan", "inf", columns=max(self.width - label - 1, 8), tensors=tensors)
        rows = _chosen(nan.values, inf.values, _LAYERS)
        self.title(f"Gradients of {what}, by steps {norm.starts[0]} to {run.span()[1]}")
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log10(norm.values[rows])
        finite = logs[np.isfinite(logs)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
        for i, row in enumerate(rows):
            cells = [self._cell(*c, low, high) for c in zip(norm.values[row], logs[i], nan.values[row], inf.values[row])]
            name = _short(tensors[row].name, label, self.more).ljust(label + 1)
            self.parts.append(self._coloured(name, [c for c, _ in cells], [s for _, s in cells]))
        legend = f"{self.blocks[0]} norm {10**low:.1e}, {self.blocks[-1]} {10**high:.1e} (logarithmic); 0 zero; N NaN, I Inf; blank: none"
        self.line(legend, "dim")
        if norm.per_column > 1:
            self.left_out.append(f"single steps of the strip: a column is the largest of {norm.per_column}")
        if len(rows) < len(tensors):
            self.left_out.append(f"{len(tensors) - len(rows)} of {len(tensors)} {what} in the strip")

    def _cell(self, norm, log, nan, inf, low, high):
        if nan > 0:
            return "N", _BAD
        if inf > 0:
            return "I", _BAD
        if math.isnan(norm):
            return " ", ""
        if norm == 0.0:
            return "0", "dim"
        top = len(self.blocks) - 1
        level = top if high == low else min(top, int((log - low) / (high - low) * (top + 1)))
        return self.blocks[level], _COLOURS[level]

    # ---------------------------------------------------------------- the newest step

    def table(self, run, limit, sort):
        step = run.span()[1]
        figures = run.at(step)
        tensors = [t for t in _by_model(run.tensors) if t.number in figures]
        if sort == "name":
            tensors.sort(key=lambda t: t.name)
        elif sort is not None:
            tensors.sort(key=lambda t: _rank(figures[t.number][sort]))
        shown = tensors[:limit]
        rows = {t.number: _row(t, figures[t.number]) for t in shown}
        names = [n for n in _COLUMNS if n == "name" or any(rows[t.number][n] for t in shown)]
        out = []
        for gone in _FIRST_TO_GO:
            if self._fits(names, rows.values()):
                break
            if gone in names:
                names.remove(gone)
                out.append(gone)
        if out:
            self.left_out.append(f"the column{'s' if len(out) > 1 else ''} {', '.join(out)} (the width is {self.width})")
        self.title(f"Step {step}, {plural(len(tensors), 'tensor')}" + (f", by {sort}" if sort else ""))
        table = self.Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
        room = self.width - sum(_width(n, rows.values()) + 1 for n in names if n != "name") - 1
        for name in names:
            table.add_column(name, justify="left" if name in ("name", "op", "shape", "line") else "right", no_wrap=True)
        for t in shown:
            found = figures[t.number]
            style = _BAD if found["nonfinite"] else "dim" if found["norm"] is None else ""
            cells = rows[t.number] | {"name": _short(t.name, max(room, 8), self.more)}
            table.add_row(*(self.Text(printable(cells[n]), style=style) for n in names))
        self.parts.append(table)
        if len(shown) < len(tensors):
            self.left_out.append(f"{len(tensors) - len(shown)} of {len(tensors)} rows of the table")

    def _fits(self, names, rows):
        need = sum(_width(n, rows) + 1 for n in names if n != "name") + min(_width("name", rows), max(16, self.width // 3)) + 1
        return need <= self.width

    # ---------------------------------------------------------------- words

    def words(self, run):
        alarms = run.alarms
        if alarms:
            self.title(plural(len(alarms), "alarm").capitalize())
        groups = grouped(alarms)
        if len(groups) > _ALARMS:
            self.left_out.append(f"the alarms of {len(groups) - _ALARMS} of {len(groups)} places")
        for alarm, others in groups[:_ALARMS]:
            self.line(alarm["text"], "red" if alarm["kind"] in ("value", "gradient") else "yellow")
            if place := alarm_line(alarm):
                self.line(f"    {place}", "dim")
            if others:
                self.line(f"    {others}", "dim")
        notes = run.notes
        if notes:
            self.title("Notes")
        for note in notes:
            self.line(note)
        if self.left_out:
            self.title("Left out")
        for text in self.left_out:
            self.line(f"{text[0].upper()}{text[1:]}.", "dim")


def _by_model(tensors):
    """In the order of computation, one model after the other, parameters last."""
    group = groups(tensors)
    return sorted(tensors, key=lambda t: (t.kind == "parameter", group[t.number]))


def _can(encoding, text):
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _ceil(a, b):
    return -(-a // b)


def _short(name, width, more):
    """The end of a name that is too long, which tells more than its beginning."""
    return name if len(name) <= width else more + name[-(width - 1) :]


def _chosen(nan, inf, limit):
    """The rows of a strip: all, or those with NaN and Inf first of all and then evenly spaced ones, in their order."""
    count = len(nan)
    if count <= limit:
        return list(range(count))
    bad = np.flatnonzero((np.nan_to_num(nan) + np.nan_to_num(inf)).sum(axis=1))[: limit // 2]
    good = np.setdiff1d(np.arange(count), bad)
    spread = good[np.linspace(0, len(good) - 1, limit - len(bad)).round().astype(np.intp)]
    return sorted({*bad.tolist(), *spread.tolist()})


def _rank(value):
    """Largest first, then what has none."""
    return (1, 0.0) if value is None else (0, -value)


def _row(tensor, found):
    cells = {"name": tensor.name, "op": tensor.op, "shape": "x".join(map(str, tensor.shape)) or "()", "line": tensor.place}
    none = "none" if not found["arrivals"] else "not kept"
    nothing_finite = found["mean"] is None and found["nonfinite"]
    cells["norm"] = none if found["norm"] is None else "-" if nothing_finite else number(found["norm"])
    for name in ("mean", "std"):
        cells[name] = "" if found[name] is None else number(found[name])
    cells["zeros"] = "" if found["norm"] is None or found["zeros"] is None else f"{100 * found['zeros']:.0f}%"
    cells["NaN"], cells["Inf"] = str(found["nan"] or ""), str(found["inf"] or "")
    for name, figure in (("grad/weight", "grad_to_weight"), ("update/weight", "update_to_weight")):
        cells[name] = "" if found[figure] is None else number(found[figure])
    return cells


def _width(name, rows):
    return max(len(name), *(len(r[name]) for r in rows))
