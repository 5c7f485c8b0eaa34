"""What the errors of a backward pass mean, in sentences: the half of ``explain`` that takes exceptions and warnings.

rushlight's own errors carry what is known as ``error.about`` (see ``autograd.blame``). Those of PyTorch carry nothing: there the record
tells. A pass that failed stopped at the entry to which the newest gradient came, and the log of writes knows who wrote into
what.
"""

import os
import re
import warnings

from ..autograd import blame
from . import engines
from .alarms import NonFinite
from .births import birth_text
from .why import cut_story

__all__ = ["explain_error"]

_FREED = re.compile(r"Trying to backward through the graph a second time")
_CHANGED = re.compile(r"modified by an inplace operation: (?:\[torch\.\w+ \[([\d, ]*)\]\])?(?:\[\])?(?:, which is output \d+ of (\w+),)?")
_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
_NO_HISTORY = re.compile(r"element (\d+) of tensors does not require grad")
_BROADCAST = re.compile(
    r"Using a target size \(torch\.Size\((\[[\d, ]*\])\)\) that is different to the input size \(torch\.Size\((\[[\d, ]*\])\)\)"
)
_NORM = re.compile(r"The total norm of order \S+ for gradients from `parameters` is non-finite")
_ANOMALY = re.compile(r"Function '(\w+)' returned (nan|inf) values")
_WALKERS = ("backward", "grad")  # the functions in whose frames the roots of a pass stand
_ROOTS = ("self", "tensors", "outputs", "roots")


def explain_error(error, record):
    """Sentences on an exception, a warning, or a ``warnings.WarningMessage``. TypeError for one that is not known."""
    place = None
    if isinstance(error, warnings.WarningMessage):
        if not error.filename.startswith(tuple(p for engine in engines.loaded() for p in engine.packages)):
            place = f"{os.path.basename(error.filename)}:{error.lineno}"
        error = error.message
    text = str(error)
    if isinstance(error, NonFinite):
        return "\n".join(_nonfinite(error.alarm))
    if _FREED.search(text):
        return "\n".join(_freed(error, record))
    if _CHANGED.search(text):
        return "\n".join(_changed(error, text, record))
    if found := _NO_HISTORY.search(text):
        return "\n".join(_no_history(error, int(found[1]), record))
    if found := _BROADCAST.search(text):
        return "\n".join(_broadcast(error, found, place, record))
    if _NORM.search(text) or _ANOMALY.search(text):
        return "\n".join(_spoiled(text, record))
    raise TypeError(
        "this error cannot be explained\nexplain() knows the errors of a second backward pass, of values changed in place, of a loss "
        "without history, of numbers that are not finite and of losses that broadcast; "
        f"this is {type(error).__name__}: {text.splitlines()[0] if text else ''}"
    )


def _short(place):
    """``file.py:12`` of a place with the whole path."""
    return os.path.basename(place)


def _count(n):
    return "once" if n == 1 else f"{n} times"


# ---------------------------------------------------------------- numbers that are not finite


def _nonfinite(alarm):
    lines = [alarm.text]
    if "throughout" in alarm.text or "untaken branch" in alarm.text:
        return lines  # the cause is known, and the remedy said
    if alarm.kind == "value":
        lines.append(
            "A value is NaN or Inf in the forward pass, before any gradient. Keep the operator's input where its result is finite: "
            "clamp it, add a small number, or use the form that is stable (log_softmax for the log of softmax, logsumexp for the log "
            "of a sum of exps)."
        )
    else:
        lines.append(
            "The values are finite and their derivative is not, as that of sqrt or norm at 0. Keep the input away from that point: "
            "add a small number inside, as in torch.sqrt(x + 1e-12), or clamp it."
        )
    return lines


def _spoiled(text, record):
    """A norm that cannot be clipped, or what anomaly mode found."""
    found = text.splitlines()
    lines = [found[0].split(", so it cannot")[0] + "." if ", so it cannot" in found[0] else found[0], *found[1:]]
    bad = [] if record is None else [e for e in record if e.statistics is not None and not e.statistics.finite]
    bad = [e for e in bad if e.step == bad[-1].step]
    order = [] if record is None else [name for name, _ in record._recorder.models.named_parameters()]
    parameters = sorted((e for e in bad if e.kind == "parameter"), key=lambda e: order.index(e.variable) if e.variable in order else 0)
    if parameters and not any(parameters[0].variable in line for line in lines):
        shown = [f"{e.variable} ({e.statistics.nan} NaN and {e.statistics.inf} Inf)" for e in parameters[:3]]
        more = f" and {len(parameters) - 3} more" if len(parameters) > 3 else ""
        lines.append("Not finite: the gradient of " + ", ".join(shown) + more + ".")
    if bad:
        first = bad[0] if bad[0].kind == "intermediate" else parameters[0]
        lines.append(f"The gradient of {first.name} is not finite. {birth_text(record, first)}")
    else:
        lines.append("Where the first one was born is told by observe.watch(model), which stops there.")
    return lines


# ---------------------------------------------------------------- a second pass


def _freed(error, record):
    lines = ["A backward pass came to a part of the graph whose saved values were freed by an earlier pass."]
    about = getattr(error, "about", None)
    if isinstance(about, blame.Freed):
        lines.append(f"The freed node is {about.node}" + (f", built at {_short(about.place)}." if about.place else "."))
        step, now = about.step, about.now
        if step is None and record is not None and about.place:
            steps = [e.step for e in record if e.place.file and f"{e.place.file}:{e.place.line}" == about.place]
            step, now = (steps[0], record._recorder.step) if len(set(steps)) == 1 else (None, None)
        if step is not None:
            lines.append(f"It was built in step {step}; the pass that failed is of step {now}.")
    elif record is not None:
        entry = record._recorder.last_arrival
        if entry is not None and entry.arrivals > 1:
            lines.append(f"The pass stopped at {entry.name}, built by {entry.op} at {entry.place}: what that had kept is freed.")
            lines.append(f"It was built in step {entry.step}; the pass that failed is of step {record._recorder.step}.")
        else:
            lines.append("The node was not recorded, so its line is not known.")
    else:
        lines.append("Which node it was is known to a recording: run it inside observe.record(model) as rec, then give record=rec.")
    lines.append(
        "Build that part inside the loop, detach() what is carried over from one step to the next, or call "
        "backward(retain_graph=True) the first time."
    )
    return lines


# ---------------------------------------------------------------- changed in place


def _changed(error, text, record):
    about = getattr(error, "about", None)
    if isinstance(about, blame.Changed):
        shape, kept = about.shape, f"{about.node} {about.role}"
        place, parameter = about.place, about.parameter
        writes = [(name, _short(at) if at else None) for name, at in about.writes]
        forgotten = about.forgotten
    else:
        found = _CHANGED.search(text)[1]
        shape = tuple(int(n) for n in (found or "").replace(" ", "").split(",") if n)
        kept, place, parameter, writes, forgotten = _from_record(text, shape, record)
    lines = [f"A tensor of shape {list(shape)} was kept for backward and then changed in place, so its derivative would be wrong."]
    if kept is not None:
        lines.append(kept + (f" at {_short(place)}." if place else "."))
    if writes:
        more = f" Before that it was written {_count(forgotten)} more." if forgotten else ""
        lines.append(f"It was then written by {blame.listed(writes)}.{more}")
    elif record is None:
        lines.append("Who wrote is known to a recording: run it inside observe.record(model) as rec, then give record=rec.")
    steps = [name for name, _ in writes if name.endswith(".step")]
    if steps:
        who = "A parameter" if parameter is None else f"parameter {parameter}"
        lines.append(f"{who} was changed by {steps[-1]}().")
        lines.append("Call backward for everything before the optimizer's step, and compute the loss again after it.")
    else:
        lines.append("Write to a clone, or use the operator that does not write in place.")
    return lines


def _from_record(text, shape, record):
    """Who kept a value and who wrote to it, for an error of PyTorch: (sentence, place, parameter, writes, how many are unknown)."""
    if record is None:
        return None, None, None, [], 0
    entry = record._recorder.last_arrival
    kept = place = None
    if entry is not None:
        kept, place = f"It was kept by {entry.op}, which made {entry.name},", str(entry.place) if entry.place.file else None
    found = _VERSIONS.search(text)
    count = int(found[1]) - int(found[2]) if found else 1
    version = int(found[1]) if found else None
    best = _which_storage(record, entry, shape, version)
    if best is None:
        return kept, place, None, [], 0
    name, log = best
    known = log[-count:]
    return kept, place, name, [(w.op, str(w.place) if w.place.file else None) for w in known], count - len(known)


def _which_storage(record, entry, shape, version):
    """(name of the leaf or None, its writes) of the memory that an error most likely speaks of.

    The error tells its shape and how often it was written. Of several, the one counts that was an input of the entry at which the
    pass stopped.
    """
    recorder, engine = record._recorder, record.engine
    leaves = {engine.storage(leaf): (name, leaf) for name, _, leaf in recorder.leaves}
    ranked = []
    for order, (storage, log) in enumerate(record._writes.candidates(shape)):
        name, leaf = leaves.get(storage, (None, None))
        used = leaf is not None and entry is not None and entry.position in recorder.leaves.users.get(id(leaf), ())
        near = name is not None and entry is not None and name.rpartition(".")[0] == entry.path
        counted = leaf is not None and leaf._version == version or leaf is None and len(log) == version
        ranked.append(((not used, not near, not counted, order), name, log))
    return min(ranked, key=lambda r: r[0])[1:] if ranked else None


# ---------------------------------------------------------------- no history


def _no_history(error, number, record):
    root = _root_of(error, number)
    lines = ["backward was called on a tensor without history: nothing that requires grad leads to it, so there is nothing to compute."]
    story = None if record is None or root is None else cut_story(record, root)
    if story is not None:
        lines.append(story)
    elif root is not None:
        lines += _from_the_source(error, root)
    if story is None and record is None:
        lines.append("With observe.record() around the computation, the line of the cut is known.")
    lines.append("Use the tensor before the cut, or set requires_grad=True on a leaf and compute it again with gradients enabled.")
    return lines


def _root_of(error, number):
    """The tensor that backward was to start from, from the frames of the traceback; None if they are gone."""
    at = error.__traceback__
    found = None
    while at is not None:
        frame = at.tb_frame
        if frame.f_code.co_name in _WALKERS:
            held = [frame.f_locals[n] for n in _ROOTS if n in frame.f_locals]
            for value in held:
                several = list(value) if isinstance(value, (list, tuple)) else [value]
                several = [v for v in several if _is_tensor(v)]
                if number < len(several):
                    found = several[number]
        at = at.tb_next
    return found


def _is_tensor(value):
    return any(engine.is_tensor(value) for engine in engines.loaded()) or type(value).__module__.partition(".")[0] == "torch" and hasattr(
        value, "requires_grad"
    )


def _from_the_source(error, root):
    """What the caller's source says of the root: where it was assigned, and what stands in that line."""
    own = engines.choose(root).packages + engines.rushlight.packages
    at, frame = error.__traceback__, None
    while at is not None:
        if not at.tb_frame.f_code.co_filename.startswith(own):
            frame, line = at.tb_frame, at.tb_lineno
        at = at.tb_next
    if frame is None:
        return []
    name = next((n for n, v in frame.f_locals.items() if v is root), None)
    found = None if name is None else blame.assignment(frame.f_code, line, name)
    if found is None:
        return []
    number, cut = found
    return [f"It is {name}, assigned at {os.path.basename(frame.f_code.co_filename)}:{number}{cut}."]


# ---------------------------------------------------------------- broadcasting


def _broadcast(error, found, place, record):
    target, given = ([int(n) for n in text.strip("[]").replace(" ", "").split(",") if n] for text in found.groups())
    made = _together(given, target)
    note = None if record is None else next((n for n in reversed(record.notes) if f"{given} and {target}" in n), None)
    if place is None and note is not None:
        place = note.partition(" takes shapes")[0].rpartition(" at ")[2]
    where = f" at {place}" if place else ""
    refused = isinstance(error, Exception) and not isinstance(error, Warning)
    does = f"and broadcasts them to {made}, every element against every other" if made and not refused else "which do not fit"
    lines = [f"The loss{where} takes an input of shape {given} and a target of shape {target}, {does}."]
    lines.append("Give both the same shape: squeeze(1) takes a dimension of 1 away, unsqueeze(1) adds one.")
    return lines


def _together(a, b):
    """The shape that broadcasting makes of two, or None."""
    made = []
    for i in range(1, max(len(a), len(b)) + 1):
        m, n = a[-i] if i <= len(a) else 1, b[-i] if i <= len(b) else 1
        if m != n and 1 not in (m, n):
            return None
        made.append(max(m, n) if 0 not in (m, n) else 0)
    return made[::-1]
