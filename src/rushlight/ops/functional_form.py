"""The forms that ``nn.functional`` gives to operators, and how a function is written by hand for the short
way.

``torch.relu(input)`` and ``F.relu(input, inplace=False)`` are one operator with two parameter lists. A
wrapper around the operator would cost a call, a tenth of what the whole operator takes on a small tensor, so
`functional` has the operator's function generated once more, under the other parameter list and with a few
lines in front.

Operators with optional tensors have no generated short way (``generate``). `by_hand` publishes one written by
hand; `remember` records a call in it, and its functions see NumPy's warnings no more than generated ones do.
"""
import copy

import numpy as np

from ..autograd import views
from ..autograd.node import make
from ..kernels.quiet import nameless
from ..tensor import user_place
from . import generate, table

__all__ = ["functional", "by_hand", "remember", "flagged"]


def functional(op, parameters, first=(), doc=None, **scope):
    """Publish ``op`` in ``nn.functional`` with another parameter list.

    ``first`` are lines in front of the operator's own; they see the names in ``scope``.
    """
    twin = copy.copy(op)
    twin.out, twin.space = False, "nn.functional"
    made = generate.public_function(twin, parameters=parameters, first=first, names=scope)
    made.__module__ = "torch.nn.functional"
    made.__doc__ = doc or op.kernel.__doc__
    twin.public = made
    table.namespaces["nn.functional"][op.name] = made
    return made


def flagged(op, parameters=""):
    """``functional`` with the flag ``inplace`` behind the operator's own ``parameters``."""
    names = "".join(", " + n for n in op.names)[2:]
    return functional(op, f"input{parameters}, inplace=False", [f"if inplace: return in_place({names})"],
                      in_place=op.inplace_public)


def by_hand(op, *spaces):
    """Decorator: publish a function written by hand as ``op``'s public function in ``spaces`` (else in its
    own)."""
    def publish(function):
        made = nameless(function)
        made.__name__ = made.__qualname__ = op.name
        made.__doc__ = function.__doc__ or op.kernel.__doc__
        made.__module__ = "torch" if "torch" in (spaces or (op.space,)) else "torch.nn.functional"
        made.op = op
        op.public = made
        for space in spaces or (op.space,):
            table.namespaces[space][op.name] = made
        return made
    return publish


def remember(t, plan, edges, saved, guard):
    """Record: make the node of tensor ``t``, the result of a call that followed the short way."""
    a = t._a
    t._edge = make(plan, edges, saved, guard, a.shape, a.dtype, user_place())
    t._rg = True
    return t


edge_of = views.edge_of
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
