"""``watch``: training goes on as it is, and what goes wrong in its gradients is said, with the place where it began.

A watch is a recording that keeps statistics of the step at hand and forgets them with the next. On the way it looks for

* *values and gradients that are not finite*: the first of a step has no cause but the operator that made it, so that operator, the
  ranges of its inputs, its module and its line are named;
* *vanishing and exploding*: the sizes of the weights' gradients, first layers against last, and each step against those before it
  (``trend``);
* *dead units*: outputs of a layer whose gradient was zero for every example (``units``);
* *parameters without gradient*, and why;
* *losses that broadcast* (N,) against (N, 1).

Sizes are compared by the root of the mean square, so that large and small layers can be.
"""

import logging
import typing
import warnings

import numpy as np

from . import names
from .births import birth, softmax_cause
from .record import Record
from .statistics import surely_finite
from .store import outcome_of
from .table import figure, plural
from .trend import Trend
from .units import Units
from .why import missing_parameters, parameter_story

__all__ = ["watch", "Watching", "Alarm", "NonFinite"]

_log = logging.getLogger("rushlight.observe")
# Operators that only move elements, which were looked at when they were computed.
_MOVES = frozenset(
    "view view_as reshape permute transpose t flatten unflatten clone contiguous unsafe_view expand getitem unbind split chunk squeeze "
    "unsqueeze narrow select".split()
)
# Operators whose derivative is finite wherever the values and the gradient are. Of any other, the range of the inputs is kept: the
# reason for a gradient that is not finite may lie there, and the inputs may be gone when it comes.
_TAME = _MOVES | frozenset(
    "add sub mul neg linear matmul mm bmm addmm cat stack relu gelu silu tanh sigmoid dropout embedding layer_norm batch_norm group_norm "
    "scaled_dot_product_attention softmax log_softmax cross_entropy mse_loss sum mean conv1d conv2d max_pool2d avg_pool2d".split()
)
_MASKS = ("masked_fill", "masked_fill_", "where", "full", "full_like", "fill_")
_UNSET = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted")  # whatever lay in memory
_PARTIAL = ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "div", "true_divide", "pow", "acos", "asin", "acosh", "atanh")


class NonFinite(ArithmeticError):
    """A value or gradient became NaN or Inf under ``watch(..., on="raise")``. ``alarm`` tells where."""

    def __init__(self, alarm):
        super().__init__(alarm.text)
        self.alarm = alarm


class Alarm(typing.NamedTuple):
    """Something that was noticed: ``kind`` ("value", "gradient", "vanishing", "exploding", "spike", "dead" or "missing"), ``step``,
    ``name`` of the entry, parameter or layer, ``text``, sentences, and ``place``, the line of the program where it has one.
    """

    kind: str
    step: int
    name: str
    text: str
    place: typing.Any = None


def watch(
    model=None,
    *,
    on="raise",
    optimizer=None,
    every=1,
    ignore=(),
    vanishing=1e-3,
    exploding=1e3,
    window=50,
    values=False,
    engine=None,
    file=None,
    run=None,
):
    """A context manager that watches the training of a model for non-finite numbers and gradients that go wrong.

    Args:
        model: a module of rushlight or PyTorch; None: each model that is called inside.
        on: what to do at the first non-finite value or gradient of a step: "raise" ``NonFinite``, "log" a warning to the logger
            "rushlight.observe", or a function called with ``alarm=``. Everything else waits for ``report()``.
        optimizer, every, values, engine: as for ``record``.
        ignore: operators whose infinite results are meant (masks made by ``masked_fill`` and ``where`` are ignored anyway).
        vanishing, exploding: the ratio of the first weights' gradients to the last ones' that is too small, or too large.
        window: how many steps back the trend looks.
        file, run: as for ``record``; alarms are written too, at once.

    Example::

        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> model = torch.nn.Linear(2, 1)
        >>> with observe.watch(model, on="log") as seen:
        ...     model(torch.ones(4, 2)).sum().backward()
        >>> print(seen.report())
        Watched 1 step of 2 intermediates and 2 parameters.
        Nothing unusual was seen.
    """
    made = Record(
        model,
        keep="statistics",
        only=None,
        optimizer=optimizer,
        budget=None,
        every=every,
        values=values,
        engine=engine,
        file=file,
        run=run,
    )
    return Watching(made, on, ignore, vanishing, exploding, window)


class Watching:
    """A watch: ``alarms``, a list of ``Alarm``; ``report()``; ``record``, the ``Record`` of the step at hand."""

    def __init__(self, record, on, ignore, vanishing, exploding, window):
        if on not in ("raise", "log") and not callable(on):
            raise ValueError(f'on={on!r} is unknown\nIt is "raise", "log" or a function called with alarm=.')
        self.on, self.vanishing, self.exploding = on, vanishing, exploding
        self.ignore = {*_MASKS, *_UNSET, *((ignore,) if isinstance(ignore, str) else ignore)}
        self.record = record
        self.engine = self.record.engine
        self.alarms = []
        self.steps = 0
        self._trend, self._units = Trend(window), Units(self.engine)
        self._reached, self._missing, self._stories = set(), None, {}
        self._tripped, self._compared = {"value": None, "gradient": None}, set()
        self._said_spoilt = set()  # names of the parameters of which it was said
        self._widest = 0
        self.record._recorder.watchers = (self,)
        self.record._recorder.alarms = (NonFinite,)

    def __enter__(self):
        self.record._recorder.start()
        return self

    def __exit__(self, kind, error, traceback):
        self.record._recorder.stop()
        self.record._conclude()
        if self.record.writer is not None:
            for alarm in self._conclusions():
                self.record.writer.alarm(alarm)
            self.record.writer.closed(outcome_of(error))
        if not self.steps and kind is None:
            warnings.warn("nothing was watched: no backward pass ran inside\n" + " ".join(self.record.notes), UserWarning, stacklevel=2)

    # ---------------------------------------------------------------- what the recorder tells

    def began(self, step):
        """A new step: the one before is forgotten."""
        self.record._forget()

    def computed(self, op, where, inputs, outputs, sources, made):
        if op not in _TAME:
            for entry in sources:
                if entry.range is None and (tensor := entry.ref()) is not None:
                    entry.range = _range(self.engine.array(tensor))
        step = self.record._recorder.step
        if self._tripped["value"] == step or sources and op in _MOVES:
            return
        for tensor in outputs:
            if not self.engine.is_differentiable(tensor):
                continue
            array = self.engine.array(tensor)
            if surely_finite(array):
                continue
            low, high = _range(array)
            if low is None or np.isfinite(low) and np.isfinite(high):
                continue
            if op in _UNSET or low == low and (op in self.ignore or high != np.inf and self._masked(inputs)):
                continue
            self._tripped["value"] = step
            self._nonfinite_value(op, where, inputs, tensor, made, step)
            return

    def _masked(self, inputs):
        """Whether minus infinity came in, as from a mask, and nothing worse."""
        ranges = [_range(self.engine.array(t)) for t in inputs if self.engine.is_differentiable(t)]
        return any(low == -np.inf for low, _ in ranges if low is not None) and all(
            high != np.inf and high == high for _, high in ranges if high is not None
        )

    def _nonfinite_value(self, op, where, inputs, tensor, made, step):
        spoilt = self._spoilt(inputs)
        if spoilt and self.on != "raise":
            self._tripped["gradient"] = step  # whose gradients tell nothing more
            if spoilt <= self._said_spoilt:
                return
            self._said_spoilt |= spoilt
        recorder = self.record._recorder
        place = made[0].place if made else names.place_of(where if where is not None else recorder._user_place())
        path = recorder.calls.path
        array = self.engine.array(tensor)
        came, texts = False, []
        for t in inputs:
            found = self.engine.array(t)
            low, high = _range(found)
            texts.append(f"{list(found.shape)}{_from_to(low, high) if low is not None else ', empty'}")
            came = came or not _is_finite(found)
        text = f"Step {step}: {op} at {place}{_inside(path)} gave {_counts(array)} of {array.size} values "
        text += f"of shape {list(array.shape)}."
        if texts:
            text += f" Its input{'s were' if len(texts) > 1 else ' was'} " + "; ".join(texts) + "."
        cause = softmax_cause(op, [self.engine.array(t) for t in inputs if self.engine.is_differentiable(t)])
        if cause is not None:
            text += f" {cause}"
        elif spoilt:
            text += f" {self._spoilt_text(spoilt, step)}"
        elif came:
            text += " The input was not finite already: it came in from outside, so look at the data or the parameters."
        else:
            text += " The inputs were finite: it was born here."
            if op in _PARTIAL:
                text += (
                    " A torch.where that leaves these values out does not help: the untaken branch gives a gradient of NaN. Make the "
                    "input safe first, as in torch.where(mask, x, 1.0)."
                )
        self._alarm(Alarm("value", step, made[0].name if made else op, text, place), True)

    def _spoilt(self, inputs):
        """The names of those inputs that are parameters and not finite."""
        leaves, found = self.record._recorder.leaves, set()
        for t in inputs:
            if leaves.is_hooked(t):
                name, place = leaves.name(id(t))
                if place is None and not _is_finite(self.engine.array(t)):
                    found.add(name)
        return found

    def _spoilt_text(self, spoilt, step):
        """What is said of spoilt weights: everything that is computed with them is spoilt too."""
        few = sorted(spoilt)
        text = "Parameter " + few[0] if len(few) == 1 else "Parameters " + ", ".join(few[:-1]) + " and " + few[-1]
        text += " is not finite itself" if len(few) == 1 else " are not finite themselves"
        updates = [(at, kind) for at, kind in self.record._updates if at < step]
        if updates:
            text += f", after the update by {updates[-1][1]} in step {updates[-1][0]}"
        text += ": no step from here on can be right. Go back to weights from before that."
        return text if self.on == "raise" else f"{text} Steps that follow are not reported while it stays so."

    def arrived(self, entry, grad):
        if entry.kind == "parameter":
            self._reached.add(entry.variable)
        found = entry.statistics
        if found is not None and entry.outputs and len(entry.shape) > 1:
            self._units.note(entry, grad)
        if found is None or found.finite or self._tripped["gradient"] == self.record._recorder.step:
            return
        step = self._tripped["gradient"] = self.record._recorder.step
        text = f"Step {step}: the gradient of {entry.name}"
        if entry.place.file:
            text += f" ({entry.op} at {entry.place})"
        text += f" holds {_counts(self.engine.array(grad))} of {found.size} values."
        born, cause, maker = birth(self.record, entry, self.engine.array(grad))
        text += f" {born}"
        value = entry.ref()
        low, high = entry.range or (_range(self.engine.array(value)) if value is not None else (None, None))
        if maker is not None and low is not None:
            text += f" {maker.op} was computed from {entry.name}, which ranged{_from_to(low, high)}."
        text += f" {cause}" if cause else ""
        self._alarm(Alarm("gradient", step, entry.name, text, maker.place if maker is not None else entry.place), True)

    def stepped(self, step):
        """A step's backward passes are over."""
        self.steps += 1
        entries = self.record.entries
        self._widest = max(self._widest, sum(1 for e in entries if e.kind == "intermediate"))
        missing = [n for n in missing_parameters(self.record) if n not in self._reached]
        if missing != self._missing:
            self._missing = missing
            self._stories = {n: parameter_story(self.record, n) for n in missing}
        sizes = {e.variable: e.statistics for e in entries if e.kind == "parameter" and e.statistics is not None}
        for prefix, layers in self._weights():
            weights = [(n, sizes[n].rms) for n in layers if n in sizes and sizes[n].finite]
            self._compare_layers(step, prefix, weights)
        if sizes and all(s.finite for s in sizes.values()):
            text = self._trend.note(step, sum(s.norm**2 for s in sizes.values()) ** 0.5)
            if text is not None:
                self._alarm(Alarm("spike", step, "", text))

    def _weights(self):
        """(model's prefix, names of its weights in order) of each model."""
        for model, prefix in self.record._recorder.models.roots():
            yield prefix, [f"{prefix}.{n}" if prefix else n for n, p in model.named_parameters() if p.ndim > 1]

    def _compare_layers(self, step, prefix, weights):
        if len(weights) < 3 or not weights[-1][1] or prefix in self._compared:
            return
        (first, small), (last, large) = weights[0], weights[-1]
        ratio = small / large
        kind = "vanishing" if ratio < self.vanishing else "exploding" if ratio > self.exploding else None
        if kind is None:
            return
        self._compared.add(prefix)  # once is enough
        shown = weights if len(weights) <= 10 else weights[:: -(-len(weights) // 10)]
        verb = "vanish" if kind == "vanishing" else "explode"
        text = (
            f"Step {step}: gradients {verb} on their way back. That of {first} is {ratio:.1e} times that of {last}. "
            "From first to last layer: " + ", ".join(f"{n} {v:.1e}" for n, v in shown) + ". "
        )
        text += (
            "The first layers hardly learn: try another activation (ReLU), a normalization, skip connections or larger initial weights."
            if kind == "vanishing"
            else "Try smaller initial weights, a normalization, or clip_grad_norm_."
        )
        self._alarm(Alarm(kind, step, first, text))

    # ---------------------------------------------------------------- what is said

    def _alarm(self, alarm, at_once=False):
        self.alarms.append(alarm)
        if self.record.writer is not None:
            self.record.writer.alarm(alarm)
        if not at_once:
            return
        if self.on == "raise":
            raise NonFinite(alarm)
        if self.on == "log":
            _log.warning("%s", alarm.text)
        else:
            self.on(alarm=alarm)

    def dead_units(self):
        """The units that never had a gradient: a dict from the module's path to their numbers. Of layers that were seen in three steps and
        with 500 examples at least; fewer are no evidence.
        """
        return self._units.dead()

    def missing(self):
        """The parameters that never got a gradient, with the reason: a dict from name to sentence."""
        return dict(self._stories)

    def _conclusions(self):
        """Alarms for what only the whole watch shows: dead units, parameters that never got a gradient."""
        last = self.record._recorder.step
        found = [Alarm("dead", last, name, text) for name, text in self._units.sentences()]
        return found + [Alarm("missing", last, name, text) for name, text in self._stories.items()]

    def report(self):
        """What was seen, in sentences."""
        count = sum(1 for _, place, _ in self.record._recorder.leaves if place is None)
        lines = [f"Watched {plural(self.steps, 'step')} of {plural(self._widest, 'intermediate')} and {plural(count, 'parameter')}."]
        skipped = [f"{n} {what}" for what, n in self.record.skipped.items() if what != "tensors computed from data alone"]
        if skipped:
            lines.append("Not watched: " + ", ".join(skipped) + ".")
        said = [a.text for a in [*self.alarms, *self._conclusions()]]
        said += self.record.notes
        return "\n".join(lines + (said or ["Nothing unusual was seen."]))

    def __repr__(self):
        return f"<Watching: {plural(self.steps, 'step')}, {plural(len(self.alarms), 'alarm')}>"


def _range(array):
    """(smallest, largest); NaN if any is; (None, None) for what is empty or no number."""
    if array.size == 0 or array.dtype.kind not in "fcV":
        if array.size == 0 or array.dtype.kind not in "iub":
            return None, None
        return float(array.min()), float(array.max())
    if array.dtype.kind == "c":
        array = np.abs(array)
    elif array.dtype.itemsize < 4:
        array = array.astype(np.float32)
    return float(np.minimum.reduce(array, None)), float(np.maximum.reduce(array, None))


def _is_finite(array):
    low, high = _range(array)
    return low is None or bool(np.isfinite(low) and np.isfinite(high))


def _from_to(low, high):
    return " with NaN" if low != low or high != high else f" from {figure(low)} to {figure(high)}"


def _counts(array):
    array = array.astype(np.float32) if array.dtype.kind == "V" else array
    nan, inf = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    return " and ".join(t for n, t in ((nan, f"{nan} NaN"), (inf, f"{inf} Inf")) if n) or "no non-finite"


def _inside(path):
    return f" in module {path}" if path else ""
