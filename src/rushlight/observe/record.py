"""``record``: see the gradient of every tensor of a program, by name.

    with observe.record(model) as rec:
        loss = model(x).sum()
        loss.backward()
    rec["l1"].grad, rec.find(op="tanh"), print(rec.table())

``Record`` is what comes of it: a list of entries that knows names. The work is done by ``recorder.Recorder``.
"""

import warnings

from . import engines
from .names import nearest
from .recorder import Recorder
from .select import Budget, Keep, Selection
from .shelf import Shelf
from .store import Writer, outcome_of
from .table import as_pandas, as_polars, as_rich, as_text
from .unseen import counted, nothing_text, retained_notes
from .writes import Writes

__all__ = ["record", "Record"]


def record(
    model=None, *, keep="whole", only=None, optimizer=None, budget="1GB", every=1, values=False, engine=None, file=None, run=None
):
    """A context manager that records the gradient of every tensor that is computed inside.

    Args:
        model: a module of rushlight or of PyTorch, whose submodules and parameters name the entries. None: each model that is
            called inside, by the name that the calling code has for it (``model.l1`` after ``model(x)``).
        keep: what to keep of a gradient: "whole", "statistics", "sample" (evenly spaced elements), "nothing", or a function called
            with ``name=``, ``tensor=`` (None if it is gone) and ``grad=``, whose result is kept; or a dict from patterns to these.
        only: patterns; entries that match none keep nothing. A pattern is a text with ``*``, a compiled expression, or a function
            of an entry.
        optimizer: one or several optimizers whose updates are measured, or "all".
        budget: bytes (or "256MB") for whole gradients and samples; past it, statistics are kept, and the
            record says so. None: no limit.
        every: record each n-th step. A step ends with the first computation after a backward pass.
        values: keep statistics of the tensors themselves as well.
        engine: "rushlight" or "torch"; found from the model, rushlight without one.
        file: a file that the figures of each step are written to as soon as it is over (see ``read``); memory then holds the
            newest step only. ``run``: the name of the run in the file; by default the program's and a number.

    Raises TypeError for a model that is no module, ValueError for a ``keep``, ``budget`` or ``every`` that means nothing, and
    ``NoRunFile`` for a file that is something else, of a newer version, or cannot be written.

    Example::

        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh())
        >>> with observe.record(model) as rec:
        ...     model(torch.ones(4, 3)).sum().backward()
        >>> rec["1"].op, rec["1"].grad.shape, rec["0.weight"].shape
        ('tanh', torch.Size([4, 2]), (2, 3))
    """
    return Record(
        model,
        keep=keep,
        only=only,
        optimizer=optimizer,
        budget=budget,
        every=every,
        values=values,
        engine=engine,
        file=file,
        run=run,
    )


class Record:
    """The entries of a recording, oldest first: see ``record``. It can be read during the recording and after it.

    ``notes`` says in sentences what a reader must know; ``skipped`` counts what was not recorded, by reason.
    """

    def __init__(self, model, *, keep, only, optimizer, budget, every, values, engine, file=None, run=None):
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ValueError(f"every={every!r} must be a whole number from 1 on")
        self.engine = engines.choose(model, engine)
        self.budget = Budget(budget)
        self.shelf = Shelf(self.budget)
        self._keep = Keep(keep)
        self._only = None if only is None else Selection(only)
        self.entries = []
        self.notes = []
        self.skipped = {}
        self._known = []
        self._cuts, self._cut_results, self._updates = [], {}, []
        self._names, self._named = {}, 0
        self._writes = Writes()
        if optimizer == "all":
            optimizers = None
        else:
            optimizers = () if optimizer is None else tuple(optimizer) if isinstance(optimizer, (list, tuple)) else (optimizer,)
        self._recorder = Recorder(self, self.engine, model, optimizers, every, values)
        self.writer = self._recorder.writer = None if file is None else Writer(file, self, run)

    # ---------------------------------------------------------------- recording

    def __enter__(self):
        self._recorder.start()
        return self

    def __exit__(self, kind, error, traceback):
        self._recorder.stop()
        self._conclude()
        if self.writer is not None:
            self.writer.closed(outcome_of(error))
        if kind is None:
            if not self.entries and not self._recorder.step:
                warnings.warn("nothing was recorded\n" + " ".join(self.notes), UserWarning, stacklevel=2)
            elif unused := self._unused():
                warnings.warn(
                    f"the pattern {unused[0]!r} matched nothing\n" + nearest(str(unused[0]), self.names()),
                    UserWarning,
                    stacklevel=2,
                )

    def _conclude(self):
        reached = sum(1 for e in self.entries if e.arrivals)
        if not self.entries and not self._recorder.step:
            self._note(nothing_text(self))
        elif not reached and not self._recorder.step:
            self._note(f"No gradient came: backward was not called inside the recording. {len(self.entries)} tensors were seen.")
        for sentence in retained_notes(self):
            self._note(sentence)
        if self.budget.refused:
            self._note(f"The memory budget of {self.budget.limit} bytes was spent: {self.budget.refused} gradients are kept as statistics.")
        for pattern in self._unused():
            self._note(f"The pattern {pattern!r} matched nothing. {nearest(str(pattern), self.names())}")

    def _unused(self):
        return self._keep.unused() + ([] if self._only is None else self._only.unused()) if self.entries else []

    def _add(self, entry):
        entry.position = len(self.entries)
        self.entries.append(entry)

    def _forget(self):
        """Forget the entries of the steps before: a watch keeps only the step at hand."""
        for e in self.entries:
            e.set_aside()
            e.position, e.used_by = None, ()
        self.entries, self._named = [], -1
        self._cuts, self._cut_results = [], {}
        self._recorder.calls.totals.clear()

    def _skip(self, what):
        self.skipped[what] = self.skipped.get(what, 0) + 1

    def _note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    @property
    def _same_form(self):
        """What is kept of every gradient; None where that depends on names."""
        return self._keep.single if self._only is None else None

    def _form(self, entry):
        names = entry.goes_by()
        if self._only is not None and not self._only.matches(entry, names):
            return "nothing"
        return self._keep.form(entry, names)

    def _leaf_labels(self):
        """Names of leaves by their ids, of those that live."""
        found = {id(e.ref()): e.variable for e in self.entries if e.kind != "intermediate" and e.ref() is not None}
        return found | {id(leaf): name for name, _, leaf in self._recorder.leaves}

    # ---------------------------------------------------------------- names

    def _name_of(self, entry):
        if self._recorder.open or self._named != len(self.entries):
            self._name_all()
        return self._names.get(entry.position, entry.base_name)

    def _name_all(self):
        """Number the entries of one step that would have the same name."""
        groups = {}
        for e in self.entries:
            groups.setdefault((e.step, e.base_name), []).append(e.position)
        self._names = {}
        for (_, base), positions in groups.items():
            for i, position in enumerate(positions):
                self._names[position] = base if len(positions) == 1 else f"{base}#{i}"
        self._named = len(self.entries)

    def _names_by_position(self):
        self._name_all()
        return self._names

    def names(self):
        """The names of all entries, each once, oldest first, then what the model has beside them."""
        self._name_all()
        return list(dict.fromkeys([*self._names.values(), *self._known]))

    def __getitem__(self, key):
        """The newest entry of that name: a module's path (its output), a parameter, a variable; or the entry at a number.

        KeyError for an unknown name, with the nearest ones, and for one that several entries of the step share.
        """
        if isinstance(key, (int, slice)):
            return self.entries[key]
        self._name_all()
        exact = [e for e in self.entries if self._names[e.position] == key]
        if exact:
            return exact[-1]
        others = [e for e in self.entries if key in e.goes_by() or f"{e.path}.{e.op}" == key]
        if others:
            newest = [e for e in others if e.step == others[-1].step]
            if len(newest) == 1:
                return newest[0]
            raise KeyError(
                f"{len(newest)} entries of step {newest[0].step} are called {key!r}: "
                + ", ".join(self._names[e.position] for e in newest[:8])
            )
        if key in self._known:
            raise KeyError(
                f"{key!r} exists and got no entry: nothing of it was recorded. observe.explain says why a parameter got nothing."
            )
        raise KeyError(f"nothing is called {key!r}. {nearest(key, self.names())}")

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def __iter__(self):
        return iter(self.entries)

    def __len__(self):
        return len(self.entries)

    @property
    def steps(self):
        """How many steps were seen."""
        return self._recorder.step + 1 if self.entries else 0

    @property
    def unreached(self):
        """The entries to which no gradient came."""
        return [e for e in self.entries if not e.arrivals]

    def find(self, name=None, *, op=None, path=None, kind=None, variable=None, step=None, nonfinite=None, reached=None, where=None):
        """The entries that fit every condition given, as a list.

        ``name`` and ``path`` are patterns, ``op``, ``kind`` and ``variable`` exact, ``step`` a number (negative from the end).
        ``nonfinite``:
        whether the gradient has NaN or Inf; ``reached``: whether one came; ``where``: a function of an entry.
        """
        wanted = None if name is None else Selection(name)
        inside = None if path is None else Selection(path)
        number = step if step is None or step >= 0 else self.steps + step
        found = []
        for e in self.entries:
            if (
                wanted is not None
                and not wanted.matches(e, [e.name, *e.goes_by()])
                or inside is not None
                and not inside.matches(e, [e.path])
            ):
                continue
            if op is not None and e.op != op or kind is not None and e.kind != kind or variable is not None and e.variable != variable:
                continue
            if number is not None and e.step != number or reached is not None and bool(e.arrivals) != reached:
                continue
            if nonfinite is not None and (e.statistics is None or e.statistics.finite == nonfinite):
                continue
            if where is None or where(e):
                found.append(e)
        return found

    # ---------------------------------------------------------------- as text and tables

    def table(self, *, step=-1, sort=None, limit=None):
        """A table of one step (None: of all) as text, with the notes below it; ``sort`` by "norm", "zeros", ..., largest first.

        Where rich is installed, ``rich.print(rec)`` shows the last step's in colours.
        """
        return as_text(self, self.find(step=step), sort, limit)

    def summary(self):
        """How many tensors were seen, reached and not reached, which were skipped and why, in sentences."""
        reached = sum(1 for e in self.entries if e.arrivals)
        lines = [f"Recorded {counted(len(self.entries), 'tensors')} in {counted(self.steps, 'steps')}; a gradient came to {reached}."]
        if self.unreached:
            named = list(dict.fromkeys(e.name for e in self.unreached))
            lines.append("None came to " + ", ".join(named[:10]) + (f" and {len(named) - 10} more." if len(named) > 10 else "."))
        lines += self.skipped_notes()
        lines += [s for s in retained_notes(self) if s not in self.notes]
        return "\n".join(lines + self.notes)

    def skipped_notes(self):
        """What was not recorded, in sentences."""
        return [f"Skipped: {counted(n, what)}." for what, n in self.skipped.items()]

    def to_pandas(self):
        """All entries as a ``pandas.DataFrame``; ImportError where pandas is not installed."""
        return as_pandas(self)

    def to_polars(self):
        """All entries as a ``polars.DataFrame``; ImportError where polars is not installed."""
        return as_polars(self)

    def __rich__(self):
        return as_rich(self, self.find(step=-1))

    def __repr__(self):
        reached = sum(1 for e in self.entries if e.arrivals)
        return f"<Record of {counted(len(self.entries), 'tensors')} in {counted(self.steps, 'steps')}, {reached} with a gradient>"
