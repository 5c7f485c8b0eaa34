"""Where a NaN or Inf was born: the operator whose derivative made it of finite numbers, and why such a derivative does.

Two causes are known by name. A ``where`` sends a gradient of zero to the branch that it did not take, and zero times an infinite
derivative is NaN. A row that is minus infinity throughout has no softmax.
"""

import numpy as np

__all__ = ["birth", "birth_text", "softmax_cause"]

_CHOICES = ("where", "masked_fill", "masked_fill_")
_SOFTMAX = ("softmax", "log_softmax", "logsumexp", "scaled_dot_product_attention")
_SEARCHED = 500  # entries that are looked through for the choice behind a branch


def makers_of(record, entry):
    """The entries that were computed from an entry and through which its gradient came."""
    if entry.kind == "intermediate":
        positions = entry.used_by
    else:
        leaf = entry.ref()
        positions = record._recorder.leaves.users.get(id(leaf), ()) if leaf is not None and entry.step == record._recorder.step else ()
    found = [record.entries[p] for p in positions if p is not None]
    if not found and entry.kind == "parameter":
        same = [e for e in record.entries if e.kind == "intermediate" and e.step == entry.step]
        found = [e for e in same if e.path == entry.path or entry.path in e.outputs]
    return [e for e in found if e.arrivals]


def birth(record, entry, grad=None):
    """(sentence, cause, maker): where the NaN or Inf in an entry's gradient was born; why, if the cause is a known one, else ""; and
    the entry whose derivative made it, or None. ``grad``: the gradient as an array, where it is at hand.
    """
    seen = {id(entry)}
    while True:
        makers = makers_of(record, entry)
        spoiled = next((m for m in makers if m.statistics is not None and not m.statistics.finite and id(m) not in seen), None)
        if spoiled is None:
            break
        seen.add(id(spoiled))
        entry, grad = spoiled, None  # it was not finite there already
    if not makers:
        return "It came in with the gradient that backward was started with.", "", None
    born = " or ".join(f"{m.op} at {m.place}{_inside(m.path)}, whose own gradient was finite" for m in makers[:3])
    text = f"It was born in the derivative of {born}."
    if entry.kind != "intermediate":
        text = f"{text[:-1]}, or in the sum: the .grad of a leaf adds up what came since it was last cleared."
    if grad is None:
        grad = entry.array
    cause = next((c for c in (known_cause(record, entry, m, grad) for m in makers[:3]) if c is not None), None)
    return text, cause or "", makers[0]


def birth_text(record, entry, grad=None):
    """``birth`` as one text."""
    text, cause, _ = birth(record, entry, grad)
    return f"{text} {cause}" if cause else text


def known_cause(record, entry, maker, grad):
    """Why the derivative of ``maker`` gave NaN for ``entry``, if the cause is one that is known; else None."""
    value = None if entry.ref() is None else record.engine.array(entry.ref())
    if maker.op in _SOFTMAX and value is not None:
        rows = empty_rows(value)
        if rows:
            return _softmax_text(rows)
    found = entry.statistics
    if found is not None and found.nan:
        choice = _choice_after(record, maker)
        if choice is not None and _is_zero_there(maker, grad):
            name = entry.variable or "x"
            return (
                f"It comes from the untaken branch of {choice.op} at {choice.place}: {choice.op} sends a gradient of zero there, and zero "
                f"times the derivative of {maker.op}, which is not finite, is NaN. Make the branch safe before the choice: where `mask` is "
                f"the condition under which it is taken, use torch.where(mask, {name}, 1.0) in place of {name} in {maker.op}."
            )
    return None


def empty_rows(array):
    """How many rows are minus infinity throughout, along the last dimension or, if none is, the first along which one is."""
    if array.size == 0 or array.ndim == 0 or array.dtype.kind not in "fV":
        return 0
    bad = array.astype(np.float32) == -np.inf if array.dtype.kind == "V" else array == -np.inf
    for axis in range(array.ndim - 1, -1, -1):
        count = int(bad.all(axis=axis).sum())
        if count:
            return count
    return 0


def _softmax_text(rows):
    which = "1 row of the input is" if rows == 1 else f"{rows} rows of the input are"
    return (
        f"{which} -inf throughout (everything is masked), and such a row has no softmax: the result and its gradient are NaN. Leave one "
        "finite value in each row, or put a number in such rows first: scores.masked_fill(all_masked, 0.0)."
    )


def softmax_cause(op, arrays):
    """The sentence on rows of minus infinity for an operator whose value is NaN; None if that is not the cause."""
    rows = max((empty_rows(a) for a in arrays), default=0) if op in _SOFTMAX else 0
    return _softmax_text(rows) if rows else None


def _choice_after(record, entry):
    """The ``where`` or ``masked_fill`` to which an entry's result leads, or None."""
    queue, seen = [entry], {id(entry)}
    for at in queue:
        if at is not entry and at.op in _CHOICES:
            return at
        if len(queue) < _SEARCHED:
            for position in at.used_by:
                following = None if position is None else record.entries[position]
                if following is not None and id(following) not in seen:
                    seen.add(id(following))
                    queue.append(following)
    return None


def _is_zero_there(maker, grad):
    """Whether the gradient that came to ``maker`` was zero where NaN came out of it, as far as is known of it."""
    came = maker.array
    if came is not None and grad is not None and came.shape == grad.shape:
        return bool((came[np.isnan(grad)] == 0).all())
    found = maker.statistics
    return found is not None and bool(found.zeros)


def _inside(path):
    return f" in module {path}" if path else ""
