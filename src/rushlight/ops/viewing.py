"""A Tensor around a view, the short way: what hand-written view functions share."""
from ..autograd import modes, views
from ..autograd.node import Node, _next_sequence
from ..tensor import Tensor, user_place

__all__ = ["view_of"]

_ONE = (True,)
_new = object.__new__
_state = modes.state
_edge_of, _UNSURE, _NO_GRAD = views.edge_of, views.UNSURE, views.NO_GRAD


def view_of(base, array, op, saved):
    """``array``, which shares memory with ``base``, as a view of it; recorded as a call of ``op`` where
    gradients are.

    ``saved`` is what its rule asks for, in that order.

    Only for plain modes: the long way of an operator knows the others.
    """
    t = _new(Tensor)
    t._a = array
    t._edge = t._grad = t._extra = None
    if base._extra is not None and base._extra.inference:
        t._rg, t._base, t._ver = False, None, None
        t._rare().inference = True
        return t
    root = base._base
    if root is None:
        root = base
        t._view_meta = None if _state.grad else _NO_GRAD
    else:
        t._view_meta = base._view_meta
    t._base = root
    cell = root._ver
    if cell is None:
        cell = root._ver = [0]
    t._ver = cell
    t._view_version = cell[0]
    t._rg = _UNSURE
    if base._rg and _state.grad:
        edge = (base._edge or base) if base is root else _edge_of(base)
        if edge is not None:
            plan = op.plans.get(_ONE) or op.plan(_ONE)
            node = _new(Node)
            node.plan = plan
            node.edges = (edge,)
            node.saved = saved
            node.guard = None
            node.shape = array.shape
            node.dtype = array.dtype
            node.watch = None
            node.where = user_place()
            node.seq = _next_sequence()
            t._edge = node
            t._rg = True
    return t
