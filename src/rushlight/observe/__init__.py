"""Seeing gradients: what PyTorch forgets, by name, without editing the model.

* ``record(model)``: the gradient of every tensor that takes part, by module path, operator, variable and line;
* ``kept = retain(loss)``: the gradients of an existing graph's intermediates, asked for just before ``backward``;
* ``graph(loss)``: that graph as a structure, as text, for Graphviz;
* ``explain(tensor)``: why a gradient is missing, or what an error means, in sentences;
* ``watch(model)``: alarms for non-finite, vanishing and exploding gradients, dead units and layers without gradient;
* ``read(file)``: the runs of a file that ``record`` and ``watch`` write with ``file=``, and ``rushlight run --observe`` for a program;
* ``verify()``: an error when a value that backward uses is not the one that forward kept;
* ``compare(a, b)``: where two runs of such files first part;
* ``Statistics``: what is kept of an array too large to keep, whatever the array holds.
"""

from .alarms import Alarm, NonFinite, Watching, watch
from .entry import Entry
from .explain import explain
from .graph import Graph, GraphNode, Retained, graph, retain
from .record import Record, record
from .report.compare import Comparison, compare
from .runs import Run, Runs, read
from .statistics import Statistics
from .store import NoRunFile
from .verify import verify

__all__ = [
    "record",
    "Record",
    "Entry",
    "retain",
    "Retained",
    "graph",
    "Graph",
    "GraphNode",
    "explain",
    "watch",
    "Watching",
    "Alarm",
    "NonFinite",
    "read",
    "Runs",
    "Run",
    "NoRunFile",
    "compare",
    "Comparison",
    "Statistics",
    "verify",
]
