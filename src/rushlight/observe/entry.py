"""One observed tensor of one step: where it was made and what is kept of its gradient."""

import typing

from .select import NOTHING, SAMPLE, STATISTICS, WHOLE
from .statistics import Statistics, spread

__all__ = ["Entry", "Cut"]

_SAMPLE_SIZE = 1024


class Cut(typing.NamedTuple):
    """A place where a gradient's way ends: ``how`` (such as ".detach()"), where, in which module and step, of which
    entries and leaves.
    """

    how: str
    place: typing.Any
    path: str
    step: int
    sources: tuple
    leaves: tuple


class Entry:
    """What a record knows of one tensor.

    ``kind`` is "intermediate", "parameter" or "input" (a leaf that is no parameter). ``path`` is the module that made
    it, ``call`` the number of that module's call within the step, ``op`` the operator, ``variable`` the name that the program
    gave the result (None if it gave none), ``place`` its file, line and function. ``outputs`` lists the modules that returned
    the tensor, innermost first. ``adopted``: nobody saw it being made, and ``place`` is where it was first used.
    ``shape``, ``dtype``; ``step``; ``arrivals``: how many gradients came. ``kept`` says in which form the
    gradient is there: "whole", "statistics", "sample", "result" or "nothing"; ``note`` why it is less than was asked for.
    """

    __slots__ = (
        "record",
        "kind",
        "path",
        "call",
        "op",
        "variable",
        "place",
        "outputs",
        "number",
        "shape",
        "dtype",
        "step",
        "arrivals",
        "position",
        "kept",
        "note",
        "result",
        "error",
        "value",
        "weight_norm",
        "update",
        "used_by",
        "node",
        "number_in_node",
        "ref",
        "range",
        "adopted",
        "_whole",
        "_sample",
        "_statistics",
        "_bytes",
        "_counted",
        "_name",
        "_sum",
        "_expects",
        "stored",
    )

    def __init__(self, record, kind):
        self.record, self.kind = record, kind
        self.path, self.call, self.op, self.variable, self.place = "", 0, "", None, None
        self.outputs, self.number, self.used_by = (), 0, ()  # tuples: the garbage collector has less to walk
        self.shape, self.dtype, self.step, self.arrivals, self.position = (), "", 0, 0, None
        self.kept, self.note, self.result, self.error = NOTHING, None, None, None
        self.value = self.weight_norm = self.update = None
        self.node = self.number_in_node = self.ref = self.range = None
        self.adopted = False
        self._whole = self._sample = self._statistics = self._name = None
        self._expects, self._sum = False, None  # whether more may come, as the graph is kept; what came so far, if it is not whole
        self.stored = None  # the number in the file of what was written already
        self._bytes = self._counted = 0  # of the budget: by what is kept, by the sample of the statistics

    def see(self, grad):
        """A gradient arrived. (A method, because a node holds nothing smaller that knows its entry.)"""
        self.record._recorder.arrived(self, grad)

    # ---------------------------------------------------------------- names

    @property
    def base_name(self):
        """The name without the number of the call."""
        if self.kind != "intermediate":
            return self.variable
        if self.outputs:
            base = self.outputs[0] or self.variable or "output"
            return f"{base}[{self.number}]" if self.number else base
        last = self.variable or self.op
        return f"{self.path}.{last}" if self.path else last

    @property
    def name(self):
        """The entry's name within its step: "encoder.linear1", "encoder.h", "l1.weight"; "act#0" and "act#1"
        where there are several.
        """
        return self.record._name_of(self)

    def goes_by(self):
        """Every name that a pattern may mean."""
        found = [self.base_name, *self.outputs]
        if self.variable:
            found.append(self.variable)
        return found

    # ---------------------------------------------------------------- the gradient

    @property
    def grad(self):
        """The whole gradient as a tensor of its own; None if none came, or if it was not kept whole (``kept``
        and ``note`` say why).
        """
        return None if self._whole is None else self.record.engine.tensor(self._whole)

    @property
    def array(self):
        """The whole gradient as a NumPy array of its own (halves as float32 on torch), or None."""
        return None if self._whole is None else self.record.engine.array(self._whole).copy()

    @property
    def statistics(self):
        """``Statistics`` of the gradient, or None if none came or nothing is kept."""
        if self._statistics is None and self._whole is not None:
            self._measure(self.record.engine.array(self._whole), False)
        return self._statistics

    def _measure(self, array, quick):
        """Take statistics. Their sample counts against the budget, and is reduced to a few quantiles where that is spent."""
        found = self._statistics = Statistics(array, quick)
        if self.record.budget.limit is not None:
            size = found.sample.nbytes
            if self.record.budget.spare(size):
                self._counted = size
            else:
                found.shrink()

    @property
    def sample(self):
        """Some of the gradient's elements, evenly spaced, as an array; None unless kept="sample"."""
        return self._sample

    @property
    def norm(self):
        """The gradient's norm (of the finite elements), or None."""
        found = self.statistics
        return None if found is None else found.norm

    @property
    def ratio(self):
        """A parameter's gradient norm by its own norm; None for other entries and for a weight of zeros."""
        return self.norm / self.weight_norm if self.weight_norm and self.norm is not None else None

    @property
    def update_ratio(self):
        """The size of the optimizer's update by the parameter's norm; None unless an optimizer was given."""
        return self.update / self.weight_norm if self.weight_norm and self.update is not None else None

    def keep(self, form, engine, grad, own):
        """Take over a gradient in the form asked for; statistics where the budget is spent.

        A graph that is kept may bring more. Whole gradients are added up; of others the sum so far is held, for as long as the graph
        is, so that their figures are those of the sum as well.
        """
        if form == NOTHING:
            return
        if not own:  # a leaf's .grad is the sum already
            if self._sum is not None:
                grad = engine.add(self._sum, grad)
            elif self.arrivals > 1 and self._whole is None:
                self.note = f"of the last of {self.arrivals} gradients that came"
            self._expects = engine.keeps_graph()
            self._sum = engine.kept(grad) if self._expects and form != WHOLE else None
            if self._expects:
                self.record._recorder.expecting.append(self)
        if form == WHOLE:
            if self._whole is not None:
                self._forget_statistics()
                if own:  # a leaf's .grad is the sum already
                    engine.write(self._whole, grad)
                else:
                    engine.write(self._whole, engine.add(self._whole, grad))
                return
            if self.kept != STATISTICS:
                self._whole = engine.shelved(grad, self.record.shelf)
                if self._whole is not None:
                    self.kept, self._bytes = WHOLE, engine.size(grad)
                    return
            self.note = "the memory budget was spent: statistics instead of the whole gradient"
        elif form == SAMPLE:
            part = spread(engine.array(grad), _SAMPLE_SIZE)
            self.drop()
            if self.record.budget.take(part.nbytes):
                self._sample, self._bytes, self.kept = part, part.nbytes, SAMPLE
            else:
                self.note = "the memory budget was spent: statistics instead of a sample"
        self._forget_statistics()
        self._measure(engine.array(grad), True)
        if self.kept == NOTHING:
            self.kept = STATISTICS
    def _forget_statistics(self):
        self.record.budget.give_back(self._counted)
        self._statistics, self._counted = None, 0

    def set_aside(self):
        """Forget what is kept, since the step is over, but for a sum to which more may come."""
        if self._expects and self._whole is not None:
            self._sum = self._whole
        self.drop()

    def expect_no_more(self):
        """Forget the sum too: its step is long over."""
        self._expects, self._sum = False, None

    def drop(self):
        """Forget what is kept."""
        self.record.budget.give_back(self._bytes + self._counted)
        self._whole = self._sample = self._statistics = None
        self._bytes, self._counted, self.kept = 0, 0, NOTHING

    def __repr__(self):
        where = f" at {self.place}" if self.place is not None and self.place.file else ""
        figures = self.statistics
        if figures is None:
            state = "no gradient" if not self.arrivals else f"gradient {self.kept}"
        else:
            state = f"gradient norm {figures.norm:.4g}" + ("" if figures.finite else f", {figures.nan} NaN, {figures.inf} Inf")
        return f"<{self.name}: {self.op} {list(self.shape)} {self.dtype}{where}, {state}>"

    def as_dict(self):
        """The entry as a flat dict: one row of a table."""
        found = self.statistics
        row = {
            "step": self.step,
            "name": self.name,
            "kind": self.kind,
            "path": self.path,
            "call": self.call,
            "op": self.op,
            "variable": self.variable,
            "file": self.place.file or None,
            "line": self.place.line or None,
            "shape": "x".join(map(str, self.shape)),
            "dtype": self.dtype,
            "arrivals": self.arrivals,
            "kept": self.kept,
        }
        for name in ("norm", "mean", "std", "min", "max", "zeros", "nan", "inf"):
            row[name] = None if found is None else getattr(found, name)
        row["grad_to_weight"], row["update_to_weight"] = self.ratio, self.update_ratio
        return row
