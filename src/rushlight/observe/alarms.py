"""``watch``: training goes on as it is, and what goes wrong in its gradients is said, with the place where it began.

A watch is a recording that keeps statistics of the step at hand and forgets them with the next. On the way it looks for

* *values and gradients that are not finite*: the first of a step has no cause but the operator that made it, so that operator, the
  ranges of its inputs, its module and its line are named;
* *vanishing and exploding*: the sizes of the weights' gradients, first layers against last, and each step against those before it;
* *dead units*: outputs of a layer whose gradient was zero in every step;
* *parameters without gradient*, and why;
* *losses that broadcast* (N,) against (N, 1).

Sizes are compared by the root of the mean square, so that large and small layers can be.
"""

import logging
import statistics as _numbers
import typing
import warnings

import numpy as np

from . import names
from .births import birth, softmax_cause
from .record import Record
from .statistics import surely_finite
from .store import outcome_of
from .table import figure
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
_PATIENCE = 3  # steps before a unit that never had a gradient is called dead
_FEW = 1000  # units of which a sample surely sees one that is zero throughout
_SPIKE = 100.0  # times the median of the steps before


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
        self.on, self.vanishing, self.exploding, self.window = on, vanishing, exploding, window
        self.ignore = {*_MASKS, *_UNSET, *((ignore,) if isinstance(ignore, str) else ignore)}
        self.record = record
        self.engine = self.record.engine
        self.alarms = []
        self.steps = 0
        self._totals = []
        self._alive = {}  # layer -> [steps, which units had a gradient]
        self._reached, self._missing, self._stories = set(), None, {}
        self._tripped, self._compared = {"value": None, "gradient": None}, set()
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
        recorder = self.record._recorder
        place = made[0].place if made else names.place_of(where if where is not None else recorder._user_place())
        path = recorder.calls.path
        array = self.engine.array(tensor)
        came, texts = False, []
        for t in inputs:
            found = self.engine.array(t)
            low, high = _range(found)
            texts.append(f"{list(found.shape)}{_from_to(low, high) if low is not None else ', empty'}")
            came = came or low is not None and not (np.isfinite(low) and np.isfinite(high))
        text = f"Step {step}: {op} at {place}{_inside(path)} gave {_counts(array)} of {array.size} values "
        text += f"of shape {list(array.shape)}."
        if texts:
            text += f" Its input{'s were' if len(texts) > 1 else ' was'} " + "; ".join(texts) + "."
        text += (
            " The input was not finite already: it came in from outside, so look at the data or the parameters."
            if came
            else " The inputs were finite: it was born here."
        )
        cause = softmax_cause(op, [self.engine.array(t) for t in inputs if self.engine.is_differentiable(t)])
        if cause is not None:
            text += f" {cause}"
        elif not came and op in _PARTIAL:
            text += (
                " A torch.where that leaves these values out does not help: the untaken branch gives a gradient of NaN. Make the input "
                "safe first, as in torch.where(mask, x, 1.0)."
            )
        self._alarm(Alarm("value", step, made[0].name if made else op, text, place), True)

    def arrived(self, entry, grad):
        if entry.kind == "parameter":
            self._reached.add(entry.variable)
        found = entry.statistics
        if found is not None and entry.outputs and len(entry.shape) > 1:
            self._note_units(entry, grad, found)
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
            self._compare_steps(step, sum(s.norm**2 for s in sizes.values()) ** 0.5)

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

    def _compare_steps(self, step, total):
        before = self._totals[-self.window :]
        if len(before) >= 5:
            usual = _numbers.median(before)
            if usual > 0 and total > _SPIKE * usual:
                self._alarm(
                    Alarm(
                        "spike",
                        step,
                        "",
                        f"Step {step}: the norm of all gradients is {total:.3g}, {total / usual:.0f} times the median "
                        f"of the {len(before)} steps before it ({usual:.3g}). Look at this step's data.",
                    )
                )
        self._totals = [*before, total]

    def _note_units(self, entry, grad, found):
        """Remember which units of a layer ever had a gradient."""
        name = entry.outputs[0]
        axis = 1 if len(entry.shape) > 3 else len(entry.shape) - 1
        known = self._alive.get(name)
        if known is not None and known[1] is True:
            return  # all of them had
        if not found.zeros and not (found.estimated and entry.shape[-1] > _FEW):
            self._alive[name] = [0, True]
            return
        array = self.engine.array(grad)
        alive = (array != 0).any(axis=tuple(i for i in range(array.ndim) if i != axis))
        if known is None or known[1].shape != alive.shape:
            known = self._alive[name] = [0, np.zeros(alive.shape, bool)]
        known[0] += 1
        known[1] |= alive
        if known[1].all():
            known[1] = True

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
        """The dead units by layer: a dict from the module's path to their numbers. After three steps at least."""
        found = {}
        for name, (steps, alive) in self._alive.items():
            if alive is not True and steps >= _PATIENCE:
                found[name] = [int(i) for i in np.flatnonzero(~alive)]
        return found

    def missing(self):
        """The parameters that never got a gradient, with the reason: a dict from name to sentence."""
        return dict(self._stories)

    def _conclusions(self):
        """Alarms for what only the whole watch shows: dead units, parameters that never got a gradient."""
        last = self.record._recorder.step
        found = []
        for name, units in self.dead_units().items():
            steps, alive = self._alive[name]
            some = ", ".join(map(str, units[:10])) + (", ..." if len(units) > 10 else "")
            label = name or "the model's output"
            if len(units) == alive.size:
                text = f"{label}: no gradient but zeros came to any of its {alive.size} units in {_plural(steps, 'step')}."
            else:
                text = (
                    f"{label}: {len(units)} of {alive.size} units are dead ({some}): their gradient was zero in each of "
                    f"{_plural(steps, 'step')}. "
                    "Behind a ReLU such a unit cannot recover: try a smaller learning rate, LeakyReLU or another initialization."
                )
            found.append(Alarm("dead", last, name, text))
        return found + [Alarm("missing", last, name, text) for name, text in self._stories.items()]

    def report(self):
        """What was seen, in sentences."""
        count = sum(1 for _, place, _ in self.record._recorder.leaves if place is None)
        lines = [f"Watched {_plural(self.steps, 'step')} of {_plural(self._widest, 'intermediate')} and {_plural(count, 'parameter')}."]
        skipped = [f"{n} {what}" for what, n in self.record.skipped.items() if what != "tensors computed from data alone"]
        if skipped:
            lines.append("Not watched: " + ", ".join(skipped) + ".")
        said = [a.text for a in [*self.alarms, *self._conclusions()]]
        said += self.record.notes
        return "\n".join(lines + (said or ["Nothing unusual was seen."]))

    def __repr__(self):
        return f"<Watching: {_plural(self.steps, 'step')}, {_plural(len(self.alarms), 'alarm')}>"


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


def _from_to(low, high):
    return " with NaN" if low != low or high != high else f" from {figure(low)} to {figure(high)}"


def _counts(array):
    array = array.astype(np.float32) if array.dtype.kind == "V" else array
    nan, inf = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    return " and ".join(t for n, t in ((nan, f"{nan} NaN"), (inf, f"{inf} Inf")) if n) or "no non-finite"


def _inside(path):
    return f" in module {path}" if path else ""


def _plural(n, what):
    return f"{n} {what}" + ("" if n == 1 else "s")
