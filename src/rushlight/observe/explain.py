"""``explain``: answers, in sentences, to the questions that people ask most about gradients that are not there.

What the graph knows is said for any tensor. Where a call cut the way, which module made what, and in which step, is known only
to a record: give one, or ask while one is open.
"""

import re

from . import engines, names
from .graph import graph
from .statistics import Statistics
from .why import missing_parameters, parameter_story, way_ends

__all__ = ["explain"]


def explain(what, *, loss=None, record=None):
    """Say why a gradient is as it is, as text.

    ``what``: a tensor (why is its ``.grad`` None, or what it is), a model (which parameters got nothing, and why), the
    name of a parameter or entry of ``record``, or an error that a backward pass raised. ``loss``: a tensor; says where the path
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
    if isinstance(what, BaseException):
        return _error(what, record if record is not None else _open_record(None))
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
    if any(n == name for n, place, _ in record._recorder.known_leaves() if place is None):
        return parameter_story(record, name)
    try:
        entry = record[name]
    except KeyError:
        if name in dict(record._recorder.named_parameters()):
            return parameter_story(record, name)
        raise
    if entry.arrivals:
        return f"{entry.name} ({entry.op} at {entry.place}) got {entry.arrivals} gradient(s) in step {entry.step}: {entry.statistics}."
    return way_ends(record, entry)


def _model(model, engine, record):
    if record is None or record._recorder.model is not model:
        lines = []
        for name, p in model.named_parameters():
            if not p.requires_grad:
                lines.append(f"{name} is frozen: requires_grad is False.")
            elif engine.grad_of(p) is None:
                lines.append(f"{name} has no gradient.")
        if not lines:
            return "Every parameter has a gradient."
        return "\n".join(
            [*lines, "Why, is known to a recording: with observe.record(model) as rec, then observe.explain(model, record=rec)."]
        )
    missing = missing_parameters(record)
    if not missing:
        return "Every parameter got a gradient."
    return "\n".join(parameter_story(record, name) for name in missing)


def _tensor(tensor, engine, record, loss):
    grad = engine.grad_of(tensor)
    if grad is not None:
        found = Statistics(engine.array(grad))
        bad = "" if found.finite else f" It holds {found.nan} NaN and {found.inf} Inf."
        return [f"This tensor has a gradient of shape {list(found.shape)} and norm {found.norm:.4g}.{bad}"]
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
        before = [record.entries[p] for p in cut.sources if p is not None]
        sources = ", ".join([f"{e.name} ({e.op} at {e.place})" for e in before] + list(cut.leaves)) or "what it was computed from"
        made = f"This tensor has no history: it was cut off from {sources} by {cut.how} at {cut.place}."
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
    if name is not None and any(n == name and place is None for n, place, _ in record._recorder.known_leaves()):
        lines.append(parameter_story(record, name))
    elif loss is None:
        lines.append("Give loss= to see whether a path leads from the loss to it.")
    return lines


def _intermediate(tensor, engine, record):
    info = engine.describe(engine.graph_root(tensor))
    entry = None if record is None else record._recorder._entry_of(tensor)
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
        lines.append("Call retain_grad() on it before backward, or observe.retain(loss), or record: with observe.record(model) as rec.")
    leaves = [n.name for n in graph(tensor, record) if n.kind == "leaf"]
    known = [n for n in leaves if not n.startswith("leaf")]
    lines.append(
        f"Behind it {'is' if len(leaves) == 1 else 'are'} {len(leaves)} "
        + ("leaf" if len(leaves) == 1 else "leaves")
        + (": " + ", ".join(known[:8]) if known else "")
        + (f" and {len(leaves) - 8} more" if len(known) > 8 else "")
        + "."
    )
    return lines


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


# ---------------------------------------------------------------- errors

_FREED = re.compile(r"Trying to backward through the graph a second time")
_CHANGED = re.compile(r"modified by an inplace operation: \[torch\.\w+ \[([\d, ]*)\]\](?:, which is output \d+ of (\w+),)?")
_BUILT = re.compile(r"The freed node is (\w+), built at (.*):(\d+)")
_KEPT = re.compile(
    r"(\w+) (?:kept its (?:own result|input '(\w+)')|saved it \(number \d+\)) ?(?:at (.*?):(\d+))?; it was then written by "
    r"([\w.]+(?:\(out=\))?)(?: at (.*?):(\d+))?\.?$",
    re.MULTILINE,
)


def _error(error, record):
    text = str(error)
    if _FREED.search(text):
        return _freed(text, record)
    if _CHANGED.search(text):
        return _changed(text, record)
    raise TypeError(
        "this error cannot be explained\nexplain() knows the errors of a second backward pass and of values changed in place; "
        f"this is {type(error).__name__}: {text.splitlines()[0] if text else ''}"
    )


def _freed(text, record):
    lines = ["A backward pass came to a part of the graph whose saved values were freed by an earlier pass."]
    found = _BUILT.search(text)
    if found is not None:
        node, file, line = found.groups()
        lines.append(f"The freed node is {node}, built at {names.Place(file, int(line), '', ())}.")
        if record is not None:
            steps = sorted({e.step for e in record if e.place.file == file and e.place.line == int(line)})
            if steps:
                lines.append(
                    f"It was built in step {steps[0] if len(steps) == 1 else f'{steps[0]} to {steps[-1]}'}; "
                    f"the pass that failed is of step {record._recorder.step}."
                )
    elif record is not None:
        old = [
            e
            for e in record
            if e.arrivals and e.step < record._recorder.step and any(p is not None and record.entries[p].step > e.step for p in e.used_by)
        ]
        lines += [f"Built in step {e.step} and used again later: {e.name} ({e.op} at {e.place})." for e in old[:4]]
    lines.append(
        "Build that part inside the loop, detach() what is carried over from one step to the next, or call "
        "backward(retain_graph=True) the first time."
    )
    return "\n".join(lines)


def _changed(text, record):
    shape, made_by = _CHANGED.search(text).groups()
    shape = tuple(int(n) for n in shape.replace(" ", "").split(",") if n)
    lines = [f"A tensor of shape {list(shape)} was kept for backward and then changed in place, so its derivative would be wrong."]
    found = _KEPT.search(text)
    if found is not None:
        node, what, file, line, writer, at_file, at_line = found.groups()
        kept = names.Place(file or "", int(line or 0), "", ())
        lines.append(f"{node} kept " + (f"its input '{what}'" if what else "its own result") + (f" at {kept}." if file else "."))
        written = f" at {names.Place(at_file, int(at_line), '', ())}" if at_file else ""
        if writer.endswith(".step"):
            lines.append(f"{_parameter(record, file, line, what, shape)} was changed by {writer}(){written}.")
            lines.append("Call backward for everything before the optimizer's step, and compute the loss again after it.")
            return "\n".join(lines)
        lines.append(f"It was then written by {writer}{written}.")
    elif record is not None:
        op = (made_by or "").partition("Backward")[0].lower()
        makers = [e for e in record if e.shape == shape and (not op or e.op == op)]
        writers = [e for e in record if e.shape == shape and e.op.endswith("_")]
        lines += [f"It may be {e.name}, made by {e.op} at {e.place}." for e in makers[-3:] if not e.op.endswith("_")]
        lines += [f"It may have been written by {e.op} at {e.place}." for e in writers[-3:]]
        same = [e.variable for e in record if e.kind == "parameter" and e.shape in (shape, shape[::-1])]
        if record._updates and same:
            lines.append(f"parameter {same[-1]} was changed by {record._updates[-1][1]}.step().")
    lines.append("Write to a clone, or use the operator that does not write in place.")
    return "\n".join(lines)


def _parameter(record, file, line, what, shape):
    """The parameter that was kept at a line, as far as a record can tell."""
    if record is not None and file:
        paths = {e.path for e in record if e.place.file == file and e.place.line == int(line)}
        recorder = record._recorder
        several = [
            n
            for n, place, leaf in recorder.known_leaves()
            if place is None
            and n.rpartition(".")[0] in paths
            and (what is None or n.rpartition(".")[2] == what)
            and tuple(leaf.shape) == shape
        ]
        if several:
            return "parameter " + (several[0] if len(several) == 1 else "one of " + ", ".join(several))
    return "A parameter"
