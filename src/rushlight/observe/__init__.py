"""Seeing gradients: what PyTorch forgets, by name, without editing the model.

* ``record(model)``: the gradient of every tensor that takes part, by module path, operator, variable and line;
* ``Statistics``: what is kept of an array too large to keep, whatever the array holds.
"""
from .entry import Entry
from .record import Record, record
from .statistics import Statistics

__all__ = ["record", "Record", "Entry", "Statistics"]
