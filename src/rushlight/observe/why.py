"""Why a gradient did not come: what a record says about a parameter or a tensor."""

from .names import nearest

__all__ = ["parameter_story", "way_ends", "missing_parameters", "cut_story", "cut_from", "step_made", "zero_parameters"]


def parameter_story(record, name):
    """One or more sentences: why the parameter called ``name`` got no gradient, or that it got one."""
    recorder = record._recorder
    leaf = next((leaf for known, place, leaf in recorder.leaves if known == name and place is None), None)
    got = [e for e in record if e.kind == "parameter" and e.variable == name and e.arrivals]
    if got and all(e.statistics is not None and e.statistics.finite and e.norm == 0.0 for e in got):
        return (
            f"{name} got a gradient in {_count(len(got), 'step')}, and it was zero in each: a factor on the way is zero throughout "
            "(a ReLU that is off for every example, a saturated function, a mask), or the loss does not depend on it."
        )
    if got:
        return f"{name} got a gradient in {_count(len(got), 'step')}, of norm {got[-1].norm or 0:.3g} in step {got[-1].step}."
    if leaf is None:
        frozen = dict(recorder.models.named_parameters()).get(name)
        if frozen is None:
            raise KeyError(f"no parameter is called {name!r}. {nearest(name, record.names())}")
        if frozen.requires_grad:
            return f"{name} got nothing: it requires grad, and nothing was computed from it while the recording looked."
        return (
            f"{name} is frozen: its requires_grad was False when the recording began, so no gradient is computed for it. "
            f"Set it with {name}.requires_grad_()."
        )
    path = name.rpartition(".")[0]
    with_grad, without = recorder.calls.totals.get(path, (0, 0))
    if not with_grad and not without:
        return _not_called(record, path, name)
    if not with_grad:
        place = next((c.place for c in record._cuts if c.path == path or c.path.startswith(path + ".")), None)
        where = f" at {place}" if place is not None and place.file else ""
        return (
            f"{name} got nothing: its module {_called(path)} was called only under torch.no_grad(){where}, "
            "where nothing is recorded. "
            "Take the call out of that block."
        )
    cut = next((c for c in record._cuts if name in c.leaves), None)
    outputs = [e for e in record if e.kind == "intermediate" and (e.path == path or path in e.outputs)]
    if not outputs:
        end = f" It was used at {cut.place}, where {cut.how} cut it off." if cut is not None else ""
        return f"{name} got nothing: its module {_called(path)} was called but {name} was not used to compute what needs a gradient.{end}"
    if any(e.arrivals for e in outputs):
        return (
            f"{name} got nothing although a gradient came to the output of its module {_called(path)}: "
            f"forward did not use {name}, or "
            "used a copy of it."
        )
    return f"{name} got nothing. {way_ends(record, outputs[-1])}"


def _not_called(record, path, name):
    parent = path
    while parent and parent not in record._recorder.calls.totals:
        parent = parent.rpartition(".")[0]
    if parent or "" in record._recorder.calls.totals:
        return (
            f"{name} got nothing: its module {_called(path)} was never called in forward. "
            "If it should take part, call it; if not, it need not be there."
        )
    return f"{name} got nothing: the model was not called inside the recording."


def way_ends(record, entry):
    """Where the way from an entry towards the loss ends, in a sentence or two."""
    seen, stack, last = {entry.position}, [entry], entry
    while stack:
        at = stack.pop()
        last = at if at.position >= last.position else last
        for cut in record._cuts:
            if at.position in cut.sources:
                via = "" if at is entry else f", through {at.name} ({at.op} at {at.place})"
                return (
                    f"The way from {entry.name} towards the loss{via} is cut by {cut.how} at {cut.place}. "
                    "What comes after it has no "
                    "history."
                )
        for position in at.used_by:
            if position is not None and position not in seen:
                seen.add(position)
                stack.append(record.entries[position])
    if not any(e.arrivals for e in record):
        return f"No backward pass ran inside the recording, so nothing came to {entry.name} either."
    if last is entry:
        return f"{entry.name} ({entry.op} at {entry.place}) was computed and then not used for the loss that backward was called on."
    return (
        f"{entry.name} was used, up to {last.name} ({last.op} at {last.place}), but the loss that backward was called on was not "
        f"computed from that."
    )


def cut_story(record, tensor):
    """A sentence that says where the way to a tensor without history was cut, and from what; None if the record does not know."""
    found = record._cut_results.get(id(tensor))
    if found is None or found[0]() is not tensor:
        return None
    cut = found[1]
    return f"The path to {cut_from(record, cut)} ends at {cut.how}, {cut.place}: what comes after it has no history."


def cut_from(record, cut):
    """What a cut was made behind, with the leaves that are known to be behind that."""
    names = list(cut.leaves)
    for entry in (record.entries[p] for p in cut.sources if p is not None):
        names += _leaves_behind(record, entry) or [f"{entry.name} ({entry.op} at {entry.place})"]
    shown = list(dict.fromkeys(names))
    return ", ".join(shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "") or "what it was computed from"


def _leaves_behind(record, entry):
    """Names of the leaves that an entry of this step was computed from; the tensors on the way need not live."""
    recorder = record._recorder
    before = {}
    for e in record.entries:
        for position in e.used_by:
            before.setdefault(position, []).append(e.position)
    behind, stack = {entry.position}, [entry.position]
    while stack:
        for position in before.get(stack.pop(), ()):
            if position not in behind:
                behind.add(position)
                stack.append(position)
    users = recorder.leaves.users
    names = [recorder.leaves.name(leaf)[0] for leaf in users if not behind.isdisjoint(users[leaf])]
    return [n for n in names if n != "leaf"]


def step_made(record, node):
    """The step in which a node was made, as far as the nodes that were recorded tell; None if they do not."""
    step = None
    for entry in record.entries:
        if entry.node == node:
            return entry.step
        if entry.node is not None and entry.node < node:
            step = entry.step
    return step


def missing_parameters(record):
    """Names of the model's parameters to which no gradient came."""
    recorder = record._recorder
    got = {e.variable for e in record if e.kind == "parameter" and e.arrivals}
    reached = recorder.leaves.reached  # in steps that are not recorded as well
    return [n for n, p in recorder.models.named_parameters() if n not in got and id(p) not in reached]


def zero_parameters(record):
    """Names of the model's parameters to which only gradients of zeros came."""
    sums = {}
    for e in record:
        if e.kind == "parameter" and e.arrivals:
            sums[e.variable] = sums.get(e.variable, True) and e.statistics is not None and e.statistics.finite and e.norm == 0.0
    return [name for name, zero in sums.items() if zero]


def _called(path):
    return path or "(the model itself)"


def _count(n, what):
    return f"{n} {what}" + ("" if n == 1 else "s")
