"""``explain``: answers, in sentences, to the questions that people ask most about gradients that are not there.

What the graph knows is said for any tensor. Where a call cut the way, which module made what, and in which step, is known only
to a record: give one, or ask while one is open.
"""

import math
import warnings

from ..autograd.blame import leaf_name
from . import engines
from .births import birth_text
from .explain_errors import explain_error
from .graph import graph
from .record import Record
from .statistics import Statistics
from .why import cut_from, missing_parameters, parameter_story, way_ends, zero_parameters

__all__ = ["explain"]


def explain(what, *, loss=None, record=None):
    """Say why a gradient is as it is, as text.

    ``what``: a tensor (why is its ``.grad`` None, or what it is), a model (which parameters got nothing, and why), the
    name of a parameter or entry of ``record``, a ``Record`` (what it saw and what it did not), an error that a backward pass raised, or
    the warning of a loss that broadcasts. ``loss``: a tensor; says where the path
    from it to ``what`` runs. ``record``: a ``Record``; the open one, if there is one, when left out.

    KeyError for an unknown name, with the nearest; TypeError for what cannot be explained.

    Example::

        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> w = torch.ones(2)
        >>> print(observe.explain(w))
        This tensor is a leaf that does not require grad, so no gradient is computed for it.
        If it should be trained, call requires_grad_() on it before it is used.
    """
    if isinstance(what, (BaseException, warnings.WarningMessage)):
        return explain_error(what, record if record is not None else _open_record(None))
    if isinstance(what, Record):
        return what.summary()
    if isinstance(what, str):
        record = record if record is not None else _open_record(None)
        if record is None:
            raise TypeError("a name can be explained only with a record\nGive record=, or the tensor itself.")
        return _name(what, record)
    engine = engines.choose(what)
    record = record if record is not None else _open_record(engine)
    if engine.is_module(what):
        return _model(what, engine, record)
    lines = _tensor(what, engine, record, loss)
    if loss is not None:
        lines.append(_path(what, loss, engine, record))
    return "\n".join(lines)


def _open_record(engine):
    for one in (engine,) if engine is not None else engines.loaded():
        found = one.current()
        if found is not None:
            return found.record
    return None


def _name(name, record):
    if any(n == name for n, place, _ in record._recorder.leaves if place is None):
        return parameter_story(record, name)
    try:
        entry = record[name]
    except KeyError:
        if name in dict(record._recorder.models.named_parameters()):
            return parameter_story(record, name)
        raise
    if not entry.arrivals:
        return way_ends(record, entry)
    text = f"{entry.name} ({entry.op} at {entry.place}) got {entry.arrivals} gradient(s) in step {entry.step}: {entry.statistics}."
    if entry.statistics is not None and not entry.statistics.finite:
        text += "\n" + birth_text(record, entry)
    return text


def _model(model, engine, record):
    known = {} if record is None else {id(p): name for name, p in record._recorder.models.named_parameters()}
    own = [known[id(p)] for p in model.parameters() if id(p) in known]
    if not own:
        lines = []
        for name, p in model.named_parameters():
            grad = engine.grad_of(p)
            if not p.requires_grad:
                lines.append(f"{name} is frozen: requires_grad is False.")
            elif grad is None:
                lines.append(f"{name} has no gradient.")
            elif Statistics(engine.array(grad)).zeros == math.prod(grad.shape):
                lines.append(f"{name} has a gradient of zeros.")
        if not lines:
            return "Every parameter has a gradient."
        return "\n".join(
            [*lines, "Why, is known to a recording: with observe.record(model) as rec, then observe.explain(model, record=rec)."]
        )
    silent = {*missing_parameters(record), *zero_parameters(record)}
    lines = [parameter_story(record, name) for name in own if name in silent]
    return "\n".join(lines) if lines else "Every parameter got a gradient."


def _tensor(tensor, engine, record, loss):
    grad = engine.grad_of(tensor)
    if grad is not None:
        found = Statistics(engine.array(grad))
        bad = "" if found.finite else f" It holds {found.nan} NaN and {found.inf} Inf."
        lines = [f"This tensor has a gradient of shape {list(found.shape)} and norm {found.norm:.4g}.{bad}"]
        entry = None if found.finite or record is None else _entry_for(tensor, engine, record)
        if entry is not None and entry.arrivals:
            lines.append(birth_text(record, entry, engine.array(grad)))
        return lines + _broadcasts(tensor, record)
    if tensor.is_inference():
        return [
            "This tensor was made in inference_mode, where nothing is recorded.",
            "Compute it outside of that block, or take a clone of it there and use that.",
        ]
    if not engine.needs_grad(tensor):
        return _without_history(tensor, record)
    if engine.is_leaf(tensor):
        return _leaf(tensor, engine, record, loss)
    return _intermediate(tensor, engine, record)


def _without_history(tensor, record):
    found = None if record is None else record._cut_results.get(id(tensor))
    if found is not None and found[0]() is tensor:
        cut = found[1]
        made = f"This tensor has no history: it was cut off from {cut_from(record, cut)} by {cut.how} at {cut.place}."
        return [made, "No gradient flows through it; use the tensor before the cut if one should."]
    return [
        "This tensor is a leaf that does not require grad, so no gradient is computed for it.",
        "If it should be trained, call requires_grad_() on it before it is used.",
    ]


def _leaf(tensor, engine, record, loss):
    name = None if record is None else record._leaf_labels().get(id(tensor))
    lines = [
        f"{'This tensor' if name is None else name} is a leaf that requires grad, and its .grad is None: no backward "
        f"pass reached it "
        "since it was made or since its gradient was set to None."
    ]
    if name is not None and any(n == name and place is None for n, place, _ in record._recorder.leaves):
        lines.append(parameter_story(record, name))
    elif loss is None:
        lines.append("Give loss= to see whether a path leads from the loss to it.")
    return lines


def _intermediate(tensor, engine, record):
    info = engine.describe(engine.graph_root(tensor))
    entry = None if record is None else _entry_for(tensor, engine, record)
    op, place = (entry.op, entry.place) if entry is not None else (info.op, info.place)
    where = f" at {place}" if place is not None and place.file else ""
    name = entry.name if entry is not None else place.variable(0)
    lines = [
        f"This tensor{'' if name is None else f' ({name})'} is not a leaf: it was made by {op}{where}. "
        "backward() keeps .grad of leaves only."
    ]
    if tensor.retains_grad:
        lines[0] += " It asked to retain its gradient."
        lines.append("No backward pass has reached it since: backward was not called, or the loss was not computed from this tensor.")
    else:
        lines.append(
            "For its .grad call retain_grad() on it before backward. kept = observe.retain(loss) before backward, and "
            "with observe.record(model) as rec, hold its gradient without that, by its name, in kept and in rec."
        )
    leaves = _leaves_behind(tensor, engine, record)
    known = [n for n in leaves if n is not None]
    lines.append(
        f"Behind it {'is' if len(leaves) == 1 else 'are'} {len(leaves)} "
        + ("leaf" if len(leaves) == 1 else "leaves")
        + (": " + ", ".join(known[:8]) if known else "")
        + (f" and {len(leaves) - 8} more" if len(known) > 8 else "")
        + "."
    )
    return lines + _broadcasts(tensor, record)


def _entry_for(tensor, engine, record):
    """The newest entry of a tensor as it is now, also when the recording is over; None if it has none."""
    node, number = engine.sequence(tensor), engine.output_number(tensor)
    for entry in reversed(record.entries):
        if entry.ref() is tensor and (entry.kind != "intermediate" or (entry.node, entry.number_in_node) == (node, number)):
            return entry
    return None


def _leaves_behind(tensor, engine, record):
    """The names of the leaves behind a tensor, as a record or the caller knows them; None for one that nobody names."""
    labels, found = {} if record is None else record._leaf_labels(), []
    for item in engine.walk(engine.graph_root(tensor)):
        leaf = engine.describe(item).tensor
        if leaf is not None:
            name = labels.get(id(leaf), "leaf")
            found.append(leaf_name(leaf) if name == "leaf" else name)
    return found


def _broadcasts(tensor, record):
    """What a record noted on losses that broadcast, of those that the tensor was computed by."""
    notes = [] if record is None else [n for n in record.notes if " and broadcasts them to " in n]
    if not notes or tensor.grad_fn is None:
        return []
    made = {f"{n.op} at {n.place}" for n in graph(tensor, record)}
    return [n for n in notes if n.partition(" takes shapes")[0] in made]


def _path(tensor, loss, engine, record):
    """Where the way from the loss to a tensor runs."""
    if engine.graph_root(loss) is None:
        return "The loss itself has no history: no path leads anywhere. " + " ".join(_without_history(loss, record))
    seen = graph(loss, record)
    target = engine.graph_root(tensor)
    number = None if target is None else seen.number_of(target)
    if number is None:
        return "No path leads from the loss to it: the loss was not computed from it."
    came_from = {0: None}
    queue = [0]
    for at in queue:
        for i in seen.nodes[at].inputs:
            if i not in came_from:
                came_from[i] = at
                queue.append(i)
    way, at = [], number
    while at is not None:
        way.append(seen.nodes[at])
        at = came_from[at]
    shown = [f"{n.name} ({n.op}{f' at {n.place}' if n.place.file else ''})" if n.kind != "leaf" else n.name for n in reversed(way)]
    if len(shown) > 12:
        shown = [*shown[:6], f"... {len(shown) - 12} more ...", *shown[-6:]]
    return "The path from the loss: " + " <- ".join(shown) + "."
