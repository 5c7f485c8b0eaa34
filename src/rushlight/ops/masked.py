"""Choosing by masks: where, masked_fill, masked_select, masked_scatter, and the positions of what is not
zero.
"""
import sys

import numpy as np

from .. import dtypes
from ..autograd import modes
from ..autograd.node import make
from ..dtypes import BY_NUMPY
from ..kernels import masked as kernels
from ..kernels.quiet import nameless
from ..tensor import Tensor, wrap
from . import call, table
from .declare import Array, Operand, both, composite, op
from .exact import said
from .functional_form import F32, F64, edge_of

__all__ = []

state = modes.state
_getframe = sys._getframe
_np_where, _putmask, _contiguous = np.where, np.putmask, np.ascontiguousarray
_UNUSUAL = (AttributeError, TypeError, ValueError, ArithmeticError, LookupError)
_BOOL = np.dtype(np.bool_)
_NUMBERS = frozenset((float, int))
_GREATEST = float(np.finfo(np.float32).max)


# ---------------------------------------------------------------- where

@op(function=False, out=said("Expected out type to be {wanted} but got {given}"))
def where(condition: Array, input: Operand, other: Operand):
    """``input`` where ``condition`` is true, else ``other``.

    The three broadcast. Either value may be a number; the result has the promoted dtype of both.
    ``condition`` is bool, else RuntimeError. With ``condition`` alone: the indices of its nonzero elements,
    as ``nonzero(as_tuple=True)``.

    Example::

        >>> import rushlight as torch
        >>> x = torch.tensor([-1., 2.])
        >>> torch.where(x > 0, x, 0.0)
        tensor([0., 2.])
    """
    return kernels.where(condition, input, other)


where.derivative(input=lambda g, condition: both.where(condition, g, 0), other=lambda g,
                 condition: both.where(condition, 0, g))
_WHERE = {mask: where.plan(mask)
          for mask in ((False, True, True), (False, True, False), (False, False, True))}


def _where(condition, input=None, other=None, *, out=None):
    if modes.plain and out is None:
        try:
            c, kind, kind2 = condition._a, input.__class__, other.__class__
            a = input if kind in _NUMBERS else input._a
            b = other if kind2 in _NUMBERS else other._a
            d = b.dtype if kind in _NUMBERS else a.dtype
            if c.dtype is _BOOL and (d is F32 or d is F64) and (kind2 in _NUMBERS or d is b.dtype):
                t = wrap(_np_where(c, a, b))
                if state.grad:
                    e1 = edge_of(input) if kind not in _NUMBERS and input._rg else None
                    e2 = edge_of(other) if kind2 not in _NUMBERS and other._rg else None
                    if e1 is not None or e2 is not None:
                        frame = _getframe(1)
                        cell = condition._cell()
                        t._edge = make(_WHERE[False, e1 is not None, e2 is not None], (None, e1, e2), (c,),
                                       (cell, cell[0]),
                                       t._a.shape, d, (frame.f_code, frame.f_lasti))
                        t._rg = True
                return t
        except _UNUSUAL:
            pass      # the long way knows what to say
    return _where_any(condition, input, other, out)


def _where_any(condition, input, other, out):
    if not modes.plain:
        given = condition, input, other
        taken, result = call.try_override(where.public, given, tuple(x for x in given if x is not None),
                                          {} if out is None else {"out": out})
        if taken:
            return result
    if input is None and other is None and out is None and isinstance(condition, Tensor):
        return nonzero_tuple(condition)
    allowed = (Tensor, *call.NUMBER)
    if not isinstance(condition, Tensor) or not isinstance(input, allowed) or not isinstance(other, allowed):
        given = [type(x).__name__ for x in (condition, input, other) if x is not None] + ([] if out is None
                                                                                          else
                                                                                         [f"out={type(out).__name__}"])
        raise TypeError(f"where() received an invalid combination of arguments - got ({', '.join(given)}), "
                        "but expected one of:\n"
                        " * (Tensor condition)\n * (Tensor condition, Tensor or Number input, Tensor or "
                        "Number other, *, Tensor out)")
    a, b, c = input, other, condition._a
    if not isinstance(input, Tensor) and not isinstance(other,
                                                        Tensor):       # two numbers have a dtype of their own
        common = dtypes.combine([], [], [dtypes.category_of_number(input), dtypes.category_of_number(other)])
        a, b = wrap(np.asarray(input, common.numpy)), wrap(np.asarray(other, common.numpy))
    if c.dtype == np.uint8:
        condition = wrap(c.astype(bool))
    elif c.dtype != bool:
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{BY_NUMPY[c.dtype].scalar_name}\nCompare it first, such as condition != 0.")
    shape = c.shape
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        call.broadcast_shapes(call.broadcast_shapes(shape, a._a.shape),
                              b._a.shape) if a._a.shape == b._a.shape else \
            call.broadcast_shapes(shape, call.broadcast_shapes(a._a.shape, b._a.shape))
    else:
        for x in (a, b):
            if isinstance(x, Tensor):
                call.broadcast_shapes(shape, x._a.shape)
    return call.invoke(where, (condition, a, b), out)


_where = nameless(_where)
_where.__name__ = _where.__qualname__ = "where"
_where.__module__ = "torch"
_where.__doc__ = where.doc
_where.op = where
where.public = table.namespaces["torch"]["where"] = _where


def _where_method(self, condition, other):
    """``torch.where(condition, self, other)``."""
    return _where(condition, self, other)


_where_method.__name__ = "where"
Tensor.where = _where_method


# ---------------------------------------------------------------- filling

@op(method=True, inplace=True, out=False)
def masked_fill(input: Array, mask: Array, value: Operand):
    """``input`` with ``value`` (a number or a 0-d tensor) where the bool ``mask`` is true; both broadcast.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1., 2.]).masked_fill(torch.tensor([True, False]), 0.0)
        tensor([0., 2.])
    """
    return kernels.masked_fill(input, mask, value)


masked_fill.derivative(input=lambda g, mask: both.where(mask, 0, g), value=lambda g,
                       mask: both.where(mask, g, 0).sum())
_FILL, _fill_long = masked_fill.plan((True, False, False)), masked_fill.public


def _masked_fill(input, mask, value):
    if modes.plain and value.__class__ in _NUMBERS:
        try:
            a, m = input._a, mask._a
            d = a.dtype
            if m.dtype is _BOOL and (d is F64 or d is F32
                                     and (-_GREATEST <= value <= _GREATEST or value - value != 0)):
                r = _np_where(m, value, a)
                t = wrap(r if r.flags.c_contiguous else _contiguous(r))
                if input._rg and state.grad:
                    e = edge_of(input)
                    if e is not None:
                        frame = _getframe(1)
                        cell = mask._cell()
                        t._edge = make(_FILL, (e, None, None), (m,), (cell, cell[0]), t._a.shape, d,
                                       (frame.f_code, frame.f_lasti))
                        t._rg = True
                return t
        except _UNUSUAL:
            pass      # the long way knows what to say
    return _fill_long(input, mask, value)


_masked_fill = nameless(_masked_fill)
_masked_fill.__name__ = _masked_fill.__qualname__ = "masked_fill"
_masked_fill.__module__, _masked_fill.__doc__, _masked_fill.op = "torch", masked_fill.doc, masked_fill
masked_fill.public = table.namespaces["torch"]["masked_fill"] = Tensor.masked_fill = _masked_fill
_fill_twin = masked_fill.inplace_public


def _masked_fill_(input, mask, value):
    if modes.plain and value.__class__ in _NUMBERS:
        try:
            if not (input._rg and state.grad) and (input._extra is None or not input._extra.inference):
                a, m = input._a, mask._a
                d = a.dtype
                if m.dtype is _BOOL and a.shape == m.shape and a.flags.c_contiguous and a is not m \
                        and (d is F64 or d is F32
                             and (-_GREATEST <= value <= _GREATEST or value - value != 0)):
                    _putmask(a, m, value)
                    frame = _getframe(1)
                    input._bump(("masked_fill_", (frame.f_code, frame.f_lasti)))
                    return input
        except _UNUSUAL:
            pass      # the long way knows what to say
    return _fill_twin(input, mask, value)


_masked_fill_ = nameless(_masked_fill_)
_masked_fill_.__name__ = _masked_fill_.__qualname__ = "masked_fill_"
_masked_fill_.__doc__ = _fill_twin.__doc__
masked_fill.inplace_public = Tensor.masked_fill_ = _masked_fill_


# ---------------------------------------------------------------- selecting

@op(method=True, out=said("masked_select(): self and result must have the same scalar type"))
def masked_select(input: Array, mask: Array):
    """The elements of ``input`` where the bool ``mask`` is true, as a vector; both broadcast.

    Example::

        >>> import rushlight as torch
        >>> torch.masked_select(torch.tensor([1, 2, 3]), torch.tensor([True, False, True]))
        tensor([1, 3])
    """
    return kernels.masked_select(input, mask)


masked_select.derivative(input=lambda g, mask, input_shape: both.masked_place(g, mask, input_shape))


@op(function=False, out=False)
def masked_place(g: Array, mask: Array, shape):
    """Zeros of the shape that ``shape`` and ``mask`` broadcast to, with the vector ``g`` where the mask is
    true.
    """
    return kernels.masked_place(g, mask, shape)


masked_place.derivative(g=lambda g, mask: both.masked_select(g, mask))


@op(method=True, inplace=True, out=False)
def masked_scatter(input: Array, mask: Array, source: Array):
    """``input`` with the elements of ``source``, in order, where the bool ``mask`` is true; both broadcast.

    RuntimeError if ``source`` has too few elements.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(3).masked_scatter(torch.tensor([True, False, True]), torch.tensor([1., 2., 3.]))
        tensor([1., 0., 2.])
    """
    return kernels.masked_scatter(input, mask, source)


masked_scatter.derivative(
    input=lambda g, mask: both.where(mask, 0, g),
    source=lambda g, mask, source_shape: both.masked_unscatter(g, mask, source_shape))


@op(function=False, out=False)
def masked_unscatter(g: Array, mask: Array, shape):
    """The elements of ``g`` where ``mask`` is true at the front of zeros of ``shape``: the gradient of a
    scattered source.
    """
    return kernels.masked_unscatter(g, mask, shape)


masked_unscatter.derivative(g=lambda g, mask, g_shape: both.masked_spread(g, mask, g_shape))


@op(function=False, out=False)
def masked_spread(g: Array, mask: Array, shape):
    """Zeros of ``shape`` with the first elements of ``g`` where ``mask`` is true."""
    return kernels.masked_scatter(np.zeros(shape, g.dtype), mask, np.asarray(g))


masked_spread.derivative(g=lambda g, mask, g_shape: both.masked_unscatter(g, mask, g_shape))


# ---------------------------------------------------------------- positions of what is not zero

def nonzero_tuple(input):
    """The indices of the nonzero elements: one vector for each dimension (of a 0-d tensor as if it had one).
    """
    array = input._a
    return tuple(wrap(i) for i in (array if array.ndim else array.reshape(1)).nonzero())


@composite(method=True)
def nonzero(input, *, out=None, as_tuple=False):
    """The indices of the elements that are not zero (False): an int64 tensor with one row each, or with
    ``as_tuple`` a vector for each dimension.

    Example::

        >>> import rushlight as torch
        >>> torch.nonzero(torch.tensor([[0, 7], [8, 0]]))
        tensor([[0, 1],
                [1, 0]])
    """
    if as_tuple:
        return nonzero_tuple(input)
    if out is None and isinstance(input, Tensor):
        return wrap(kernels.nonzero(input._a))
    return _nonzero.public(input, out=out)


@op(name="nonzero", function=False, differentiable=False,
    out=said("nonzero: Expected out tensor to have scalar type Long but got scalar type{given}"))
def _nonzero(input: Array):
    """The indices of nonzero elements as rows."""
    return kernels.nonzero(input)


@op(method=True, differentiable=False)
def nonzero_static(input: Array, *, size, fill_value=-1):
    """``nonzero`` in exactly ``size`` rows: cut, or filled with ``fill_value``."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer\nIt is the number of "
                           "rows.")
    found = kernels.nonzero(input)[:size]
    made = np.full((size, input.ndim), fill_value, np.int64)
    made[:len(found)] = found
    return made


@op(method=True, differentiable=False, out=False)
def argwhere(input: Array):
    """The indices of the elements that are not zero, one row each: ``nonzero`` by another name."""
    return kernels.nonzero(input)
