"""One public name over several operators.

Where PyTorch's schema gives a function several forms (``max(x)``, ``max(x, dim)``, ``max(x, other)``), each
form is an operator with its own node; a small function chooses among them. ``overloads`` makes that function
the public face of all: it is what overrides are shown, and what rules reach through ``both``.
"""
import inspect
import linecache

import numpy as np

from ..autograd import modes
from ..kernels.quiet import hush, unhush
from ..tensor import Tensor, wrap
from . import generate, table

__all__ = ["overloads", "whole_first", "quick_pair", "ABSENT", "wrong_arguments"]


class _Absent:
    """Stands for an argument that was not given."""

    def __repr__(self):
        return "<not given>"


ABSENT = _Absent()


def overloads(*ops, method=True, space="torch"):
    """Make the decorated chooser the public function of ``ops`` (which it calls by their generated
    functions).
    """
    def publish(function):
        function.__module__ = space if space == "torch" else "torch." + space
        for op in ops:
            op.public = function
        function.op = ops[-1]
        table.namespaces[space][function.__name__] = function
        if method:
            setattr(Tensor, function.__name__, function)
        return function
    return publish


def wrong_arguments(name, args, help):
    """The TypeError of a call that fits no form; ``help`` says which there are."""
    given = ", ".join(type(a).__name__ for a in args)
    return TypeError(f"{name}() received an invalid combination of arguments - got ({given})\n{help}")


def whole_first(chooser, whole, lines, along=None, along_lines=()):
    """``chooser`` with its plainest calls written out in one piece: ``f(x)`` and, with ``along``, ``f(x,
    dim)``.

    That is for float32 and float64 tensors of moderate size. ``lines`` compute ``r`` from ``a0`` (and
    ``dim``); they run where NumPy's warnings are dropped (see ``generate``). Overhead decides on small
    tensors: this takes about half the time of two functions calling one another. ``whole`` and ``along`` are
    the operators that the calls record.
    """
    scope = dict(generate._SCOPE, chooser=chooser, add=np.add.reduce, maximum=np.maximum.reduce,
                 minimum=np.minimum.reduce, ones32=_ROWS[0], ones64=_ROWS[1])
    text = ["if not kwargs and modes.plain:", "    try:", "        if not args:",
            "            a0 = input._a", "            d = a0.dtype",
            "            if (d is f32 or d is f64) and 0 < a0.size <= 16384:"]
    text += ["                " + line for line in (*lines, *_rest(whole, scope, "whole"))]
    if along is not None:
        text += ["        elif len(args) == 1 and args[0].__class__ is int:", "            a0 = input._a",
                 "            d = a0.dtype", "            dim, = args", "            keepdim = False",
                 "            if (d is f32 or d is f64) and 0 < a0.size <= 1024 and -(n := a0.ndim) <= dim < n "
                 "and (n < 3 or a0.flags.c_contiguous):"]
        text += ["                " + line for line in (*along_lines, *_rest(along, scope, "along"))]
    text += ["    except UNUSUAL:", "        pass      # the long way knows what to say",
             "return chooser(input, *args, **kwargs)"]
    name = chooser.__name__
    source = f"def {name}(input, *args, **kwargs):\n" + "".join(f"    {line}\n" for line in text)
    filename = f"{generate._FOLDER}generated/{name}_first"
    exec(compile(source, filename, "exec"), scope)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    function = scope[name]
    function.__doc__, function.__qualname__ = chooser.__doc__, name
    function.__signature__ = inspect.signature(chooser)
    return function


def _rest(op, scope, tag):
    """The lines of a generated call after its result is computed, their names made the operator's own."""
    own = {"op": op}
    made = generate.main_case(op, own, ["input"], ["a0"])
    scope.update({f"{tag}_{key}": value for key, value in own.items()})
    rest = made[made.index("if r.__class__ is not ndarray: r = asarray(r)"):]
    return [line.replace("plan0", f"{tag}_plan0") for line in rest]


class _Row(dict):
    """Rows of ones by length; a sum is a product with one, which NumPy does in half the time of
    ``add.reduce``.
    """

    def __init__(self, dtype):
        super().__init__()
        self.whole = np.ones(1024, dtype)

    def __missing__(self, n):
        if n > 1024:
            return None
        self[n] = row = self.whole[:n]
        return row


_ROWS = _Row(np.float32), _Row(np.float64)


def quick_pair(op):
    """A short way for an operator of one tensor with a pair of results: its public function, or the long way
    where
    something is to be recorded or is not plain."""
    kernel, long_way, returns = op.kernel, op.public, op.returns or tuple
    state = modes.state

    def quick(input, *args, out=None, **kwargs):
        if modes.plain and out is None and input.__class__ is Tensor and not (input._rg and state.grad) \
                and not state.inference:
            try:
                token = hush()
                try:
                    first, second = kernel(input._a, *args, **kwargs)
                finally:
                    unhush(token)
                return returns((wrap(np.asarray(first)), wrap(np.asarray(second))))
            except generate.UNUSUAL:
                pass      # the long way knows what to say
        return long_way(input, *args, **kwargs) if out is None else long_way(input, *args, out=out, **kwargs)
    quick.__name__ = quick.__qualname__ = op.name
    quick.__doc__, quick.__signature__ = op.doc, inspect.signature(long_way)
    quick.op = op
    return quick
