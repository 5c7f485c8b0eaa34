"""A run as event files for TensorBoard, through its own library, without TensorFlow.

Scalars are the losses and learning rates, and of each tensor the norm of its gradient, its ratio to the weight, that of the update, and
the counts of NaN and Inf where there ever was one. Histograms come from the 21 quantiles that a file keeps: between two neighbours lie
5% of the elements. Alarms and notes are texts. Times are those of the run.

TensorBoard itself shows a thousand points of a curve. A longer run is condensed here already, so that no spike gets lost: a point is the
largest of its steps. What was condensed is said in the notes.
"""

import importlib
import itertools
import math
import os
import pathlib
import re

import numpy as np

from .words import alarm_line, head, is_rate

__all__ = ["export"]

_POINTS = 1000
_VALUES = 1_000_000  # of all curves together, so that an export takes a minute at most
_HISTOGRAMS = 100
_SCALARS = ("norm", "grad_to_weight", "update_to_weight", "nan", "inf")
_TAGS = {
    "norm": "gradient_norm",
    "grad_to_weight": "grad_to_weight",
    "update_to_weight": "update_to_weight",
    "nan": "nan_count",
    "inf": "inf_count",
}


def export(run, folder, *, points=None, histograms=_HISTOGRAMS):
    """Write a run as an event file for TensorBoard, into a sub-folder of ``folder`` that has the run's name; returns its path.

    Exporting a run again writes the same file again; two runs of one name get two sub-folders.

    Args:
        run: a ``Run``, finished or not.
        folder: what ``tensorboard --logdir`` is given. It is made if need be.
        points: how many points a curve has at most; by default 1,000, or fewer where there are many hundred tensors.
        histograms: of how many steps, evenly spaced, there are histograms.

    Raises ImportError where the library tensorboard is not installed, and OSError for a folder that cannot be written.
    """
    if points is None:
        points = max(50, min(_POINTS, _VALUES // (3 * max(1, len(run.tensors)))))
    for name, value in (("points", points), ("histograms", histograms)):
        if value < 1:
            raise ValueError(f"{name}={value!r} must be a number from 1 on")
    library = _Library()
    target, name = _place(run, pathlib.Path(folder))
    unfinished = target / f"{name}.unfinished"
    try:
        with open(unfinished, "wb") as file:
            _Events(library, library.writer(file), run).write(points, histograms)
        os.replace(unfinished, target / name)
    finally:
        unfinished.unlink(missing_ok=True)
    return str(target)


class _Library:
    """What is used of TensorBoard."""

    def __init__(self):
        try:
            self.events = importlib.import_module("tensorboard.compat.proto.event_pb2")
            self.summaries = importlib.import_module("tensorboard.compat.proto.summary_pb2")
            self.tensors = importlib.import_module("tensorboard.compat.proto.tensor_pb2")
            self.types = importlib.import_module("tensorboard.compat.proto.types_pb2")
            self.writer = importlib.import_module("tensorboard.summary.writer.record_writer").RecordWriter
        except ImportError as error:
            raise ImportError(
                f"an export for TensorBoard needs its library, which is not installed ({error})"
                "\npip install 'rushlight[tensorboard]' brings it."
            ) from error


def _place(run, folder):
    """(sub-folder, name of the file). A sub-folder that holds another run's events is left alone."""
    plain = re.sub(r"[^\w.+-]+", "_", run.name).strip("._")[:100] or "run"
    name = f"events.out.tfevents.{int(run.started):010}.rushlight.{round(run.started % 1 * 1e6):06}.{run.process}.{run.number}"
    count = 1
    while True:
        target = folder / (plain if count == 1 else f"{plain}_{count}")
        target.mkdir(parents=True, exist_ok=True)
        if all(other.name.startswith(name) for other in target.iterdir()):
            return target, name
        count += 1


class _Events:
    """Writes the events of one run."""

    def __init__(self, library, writer, run):
        self.library, self.writer, self.run = library, writer, run
        rows = run.query("SELECT step, seconds FROM steps WHERE run = ? ORDER BY step", (run.number,))
        self.steps = np.array([step for step, _ in rows], dtype=np.int64)
        self.seconds = np.array([seconds for _, seconds in rows])
        self.condensed = []

    def write(self, points, histograms):
        self._event(0, self.run.started, file_version="brain.Event:2")
        if len(self.steps):
            self._scalars(points)
            self._curves(points)
            self._histograms(histograms, values=False)
            if self.run.has_values:
                self._histograms(histograms, values=True)
        self._texts()

    def _event(self, step, time=None, **content):
        """An event of a step, at the time when that step was over."""
        if time is None:
            at = min(int(np.searchsorted(self.steps, step)), len(self.steps) - 1)
            time = self.run.started + (float(self.seconds[at]) if at >= 0 else 0.0)
        self.writer.write(self.library.events.Event(wall_time=time, step=int(step), **content).SerializeToString())

    def _summary(self, step, values):
        if values:
            self._event(step, summary=self.library.summaries.Summary(value=values))

    def _number(self, tag, value):
        return self.library.summaries.Summary.Value(tag=tag, simple_value=float(value))

    # ---------------------------------------------------------------- curves

    def _scalars(self, points):
        for name, (steps, values) in self.run.scalars().items():
            tag = name if is_rate(name) else f"loss/{name}"
            if len(steps) > points:
                self.condensed.append(f"{tag} has {len(steps)} steps, of which {points} are here, the largest of each part of the run.")
                steps, values = _largest(steps, values, points)
            for step, value in zip(steps, values):
                self._summary(step, [self._number(tag, value)])

    def _curves(self, points):
        grids = dict(zip(_SCALARS, self.run.grid(*_SCALARS, columns=points)))
        norm = grids["norm"]
        if norm.per_column > 1:
            self.condensed.append(
                f"The {len(self.steps)} steps are condensed to {len(norm.starts)} points: each shows the largest of {norm.per_column} "
                "steps, of counts the sum."
            )
        ever = {f: (grids[f].values > 0).any(axis=1) for f in ("nan", "inf")}
        for column, step in enumerate(norm.starts):
            values = []
            for figure, tag in _TAGS.items():
                found = grids[figure].values[:, column]
                for i, tensor in enumerate(norm.tensors):
                    if found[i] == found[i] and (figure not in ever or ever[figure][i]):
                        values.append(self._number(f"{tag}/{tensor.name}", found[i]))
            self._summary(step, values)

    # ---------------------------------------------------------------- histograms

    def _histograms(self, count, values):
        folder = "value" if values else "gradient"
        if len(self.steps) > count:
            self.condensed.append(f"Histograms of {folder}s are of {count} of the {len(self.steps)} steps.")
        sql = "SELECT size - nan - inf, mean, norm FROM figures WHERE tensor = ? AND of_value = ? AND step = ?"
        for tensor in self.run.tensors:
            steps, curves = self.run.curves(tensor.name, columns=count, values=values)
            for step, curve in zip(steps, curves):
                if not np.isfinite(curve).all():
                    continue  # nothing was finite, or no gradient came
                finite, mean, norm = self.run.query(sql, (tensor.number, values, int(step)))[0]
                made = self._histogram(curve.astype(float), finite, mean, norm)
                self._summary(step, [self.library.summaries.Summary.Value(tag=f"{folder}/{tensor.name}", histo=made)])

    def _histogram(self, curve, finite, mean, norm):
        """The quantiles as buckets. What lies between equal ones, a crowd on one number, joins the bucket that ends there."""
        limits, counts = [], []
        for left, right in itertools.pairwise(curve):
            share = finite / (len(curve) - 1)
            if limits and right <= limits[-1]:
                counts[-1] += share
            else:
                limits.append(max(float(right), float(left)))
                counts.append(share)
        return self.library.summaries.HistogramProto(
            min=curve[0], max=curve[-1], num=finite, sum=mean * finite, sum_squares=norm * norm, bucket_limit=limits, bucket=counts
        )

    # ---------------------------------------------------------------- texts

    def _texts(self):
        last = int(self.steps[-1]) if len(self.steps) else 0
        self._text("run", 0, "\n".join(f"- {word}: {text}" for word, text in head(self.run)), self.run.started)
        by_step = {}
        for alarm in self.run.alarms:
            place = alarm_line(alarm)
            by_step.setdefault(alarm["step"], []).append(f"- {alarm['text']}" + (f"\n\n      {place}" if place else ""))
        for step, texts in by_step.items():
            self._text("alarms", step, "\n".join(texts))
        if notes := [*self.run.notes, *self.condensed]:
            self._text("notes", last, "\n".join(f"- {n}" for n in notes))

    def _text(self, tag, step, text, time=None):
        summaries = self.library.summaries
        plugin = summaries.SummaryMetadata.PluginData(plugin_name="text")
        tensor = self.library.tensors.TensorProto(dtype=self.library.types.DT_STRING, string_val=[text.encode("utf-8", "replace")])
        value = summaries.Summary.Value(tag=tag, metadata=summaries.SummaryMetadata(plugin_data=plugin), tensor=tensor)
        if time is None and not len(self.steps):
            time = self.run.started
        self._event(step, time, summary=summaries.Summary(value=[value]))


def _largest(steps, values, points):
    """At most so many of a curve's points: the largest of each part, one that is not finite before all others."""
    edges = np.linspace(0, len(steps), points + 1).astype(np.intp)
    rank = np.where(np.isfinite(values), values, math.inf)
    chosen = [a + int(np.argmax(rank[a:b])) for a, b in itertools.pairwise(edges)]
    return steps[chosen], values[chosen]
