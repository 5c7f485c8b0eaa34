"""What optimizers do to the parameters: how large each update is, and the learning rate of the step."""

import weakref

import numpy as np

from ..kernels.quiet import hush, unhush
from .statistics import norm_of

__all__ = ["Updates"]


class Updates:
    """Measures the steps of optimizers. ``entries``: {id of a parameter: its entry of this step}, of the recorder."""

    def __init__(self, engine):
        self._engine = engine
        self._before = {}
        self._seen = weakref.WeakKeyDictionary()

    def begins(self, optimizer, entries):
        """Before a step: remember the parameters that got a gradient."""
        every = (p for group in optimizer.param_groups for p in group["params"])
        self._before = {id(p): self._engine.array(p).copy() for p in every if id(p) in entries}

    def ends(self, optimizer, entries):
        """After it: note the size of each update in its entry; returns (name, learning rate) of its groups: the first, and the others
        where they differ from it.
        """
        for group in optimizer.param_groups:
            for p in group["params"]:
                old, entry = self._before.pop(id(p), None), entries.get(id(p))
                if old is not None and entry is not None:
                    change = _difference(self._engine.array(p), old)
                    entry.update = norm_of(change) if np.isfinite(change).all() else None  # of spoilt weights no size is true
        number = self._seen.setdefault(optimizer, len(self._seen) + 1)
        name = "learning rate" if number == 1 else f"learning rate {number}"
        rates = [float(group["lr"]) for group in optimizer.param_groups if "lr" in group]
        return [(name, r) if i == 0 else (f"{name}, group {i + 1}", r) for i, r in enumerate(rates) if i == 0 or r != rates[0]]


def _difference(new, old):
    token = hush()  # infinite weights are no reason to warn here
    try:
        return new - old
    finally:
        unhush(token)
