"""Operators that a recording looks at, the short way.

While anybody records, ``modes.plain`` is false and every call arrives at ``call.invoke``, the one place where all of them can be
seen. Going on by the long way would cost more than the recording itself: it asks for modes that are off and plans what is
known. So where recordings are the only rare feature in use (``modes.watched``), ``invoke`` lets the operator's public function
run after all, as a *twin*: the same code in a namespace whose ``modes.plain`` is true. What it returns is then shown. What the
code itself gives up on comes to ``invoke`` again, which takes the long way that time.

Nothing of this is on the way of a call while nobody records.
"""
import types

from ..autograd import modes
from ..autograd.node import Out
from ..tensor import user_place

__all__ = ["twin_of", "call_twin"]

_twins = {}


class _Plain:
    """Stands for ``autograd.modes`` in a twin."""

    plain = True

    def __getattr__(self, name):
        return getattr(modes, name)


_PLAIN = _Plain()


def twin_of(op):
    """The twin of an operator's public function; None if it has none that takes the operator's own values."""
    found = _twins.get(op)
    if found is None:
        public = getattr(op, "public", None)
        if public.__class__ is types.FunctionType and "write_now" in public.__globals__ \
                and public.__code__.co_name == "_first_call":
            public.__globals__["write_now"]()      # see `generate.deferred`
        found = _twins[op] = _make(op, public)
    return found or None


def _make(op, public):
    if public.__class__ is not types.FunctionType:
        return False
    code = public.__code__
    given = code.co_varnames[:code.co_argcount]
    named = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    k = op.keyword_from
    if public.__globals__.get("modes") is not modes or not {"modes", "plain"} <= set(code.co_names) \
            or list(given[:k]) != op.names[:k] or not {*op.names[k:]} <= {*given[k:], *named}:
        return False
    made = types.FunctionType(code, {**public.__globals__, "modes": _PLAIN}, public.__name__, public.__defaults__, public.__closure__)
    made.__kwdefaults__ = public.__kwdefaults__
    return made


def call_twin(twin, op, values, observer):
    """Call an operator's twin and show what it returns to the recordings of this thread."""
    observer.inside, observer.newest = True, None
    try:
        if op.keyword_from == len(values):
            result = twin(*values)
        else:
            k = op.keyword_from
            result = twin(*values[:k], **dict(zip(op.names[k:], values[k:])))
    finally:
        observer.inside = False
    tensors = list(result) if op.multiple else [result]
    if tensors and observer.newest != id(tensors[0]):     # else the long way has shown it
        edge = tensors[0]._edge
        if edge is not None:
            node = edge.node if edge.__class__ is Out else edge
            node.code, node.at = user_place(3)     # the twin took its caller, which is this function
        observer.computed(op, values, tensors)
    return result
