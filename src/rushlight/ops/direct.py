"""Short ways for operators that read or write by an index, for which the generated ones (equal dtypes all
over) are not meant.

See ``generate`` for why there are short ways at all. Whatever is not plain, and every error, goes to the
operator's own function.
"""
import sys

import numpy as np

from ..autograd import modes
from ..autograd.node import make
from ..kernels.quiet import nameless
from ..tensor import Tensor, wrap
from . import table
from .functional_form import edge_of

__all__ = ["reading", "writing", "writing_in_place", "publish"]

state = modes.state
_i64, _f32, _f64 = np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.float64)
_getframe = sys._getframe
may_share = np.may_share_memory
_UNUSUAL = (AttributeError, TypeError, ValueError, LookupError, RuntimeError)


def publish(op, function, in_place=False):
    """Make a function the public one of ``op`` (or its in-place twin)."""
    name = op.name + "_" if in_place else op.name
    function.__name__ = function.__qualname__ = name
    function.__module__, function.op = "torch", op
    function.__wrapped__ = op.inplace_public if in_place else op.public     # whose signature it has
    if in_place:
        function.__doc__ = op.inplace_public.__doc__
        op.inplace_public = function
    else:
        function.__doc__ = op.doc
        op.public = table.namespaces["torch"][name] = function
    setattr(Tensor, name, function)


def reading(op, read):
    """``op(input, dim, index)``, computed by ``read(array, dim, index array)``, recorded or not."""
    long_way = op.public
    plan = op.plan((True, False))
    if plan.saves != ("dim", "index", "input_shape"):
        raise TypeError(f"{op} saves {plan.saves}")

    def direct(*args, **kwargs):
        if modes.plain and not kwargs:
            try:
                input, dim, index = args
                a, i = input._a, index._a
                if i.dtype is _i64 and dim.__class__ is int:
                    t = wrap(read(a, dim, i))
                    if input._rg and state.grad:
                        e = edge_of(input)
                        if e is not None:
                            frame = _getframe(1)
                            cell = index._cell()
                            t._edge = make(plan, (e, None), (dim, i, a.shape), (cell, cell[0]), t._a.shape,
                                           t._a.dtype,
                                           (frame.f_code, frame.f_lasti))
                            t._rg = True
                    return t
            except _UNUSUAL:
                pass      # the long way knows what to say
        return long_way(*args, **kwargs)
    publish(op, direct)


def writing(op, write):
    """``op(input, dim, index, source)`` where nothing is recorded."""
    long_way = op.public

    def direct(*args, **kwargs):
        if modes.plain and not kwargs and len(args) == 4:
            try:
                input, dim, index, source = args
                if not (state.grad and (input._rg or source._rg)):
                    a, i, s = input._a, index._a, source._a
                    d = a.dtype
                    if i.dtype is _i64 and d is s.dtype and (d is _f32 or d is _f64
                                                             or d is _i64) and dim.__class__ is int:
                        return wrap(write(a, dim, i, s))
            except _UNUSUAL:
                pass      # the long way knows what to say
        return long_way(*args, **kwargs)
    publish(op, nameless(direct))


def refuse_overlap(*args):
    """PyTorch's error for a source or index that shares memory with the tensor to be written."""
    target = args[0]
    for t in args[1:]:
        if isinstance(t, Tensor) and isinstance(target, Tensor) and np.shares_memory(target._a, t._a):
            raise RuntimeError("unsupported operation: some elements of the input tensor and the written-to "
                               "tensor refer to a single "
                               "memory location. Please clone() the tensor before performing the operation.")


def writing_in_place(op, write):
    """``input.op_(dim, index, source)`` where nothing is recorded: writes into the tensor itself, not into a
    copy.
    """
    long_way = op.inplace_public
    name = op.name + "_"

    def direct(*args, **kwargs):
        if modes.plain and not kwargs and len(args) == 4:
            try:
                input, dim, index, source = args
                if not (state.grad and (input._rg or source._rg)) and (input._extra is None
                                                                       or not input._extra.inference):
                    a, i, s = input._a, index._a, source._a
                    if i.dtype is _i64 and a.dtype is s.dtype and a.flags.c_contiguous \
                            and dim.__class__ is int and not may_share(a, s) and not may_share(a, i):
                        write(a, dim, i, s, into=a)
                        frame = _getframe(1)
                        input._bump((name, (frame.f_code, frame.f_lasti)))
                        return input
            except _UNUSUAL:
                pass      # the long way knows what to say
        refuse_overlap(*args, *kwargs.values())
        return long_way(*args, **kwargs)
    publish(op, nameless(direct), in_place=True)
