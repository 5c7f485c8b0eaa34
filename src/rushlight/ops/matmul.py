"""Matrix products: matmul and ``@``, mm, bmm, mv, dot, vdot.

One rule serves them all: the gradient of ``a @ b`` is ``g @ b.H`` for a and ``a.H @ g`` for b, once vectors
are seen as matrices of one row or column. Broadcast leading dimensions are summed by the engine, except where
a stack of matrices meets a single one: there the stack is one tall matrix, and its sum is part of one
product.
"""
import copy
import linecache
import sys

import numpy as np

from ..autograd import modes
from ..autograd.node import Node
from ..autograd.node import _next_sequence as next_sequence
from ..kernels import matmul as kernels
from ..kernels.blas import dot as blas_dot
from ..kernels.matmul import transposed
from ..tensor import Tensor
from . import call
from .declare import Array, both, op
from .exact import exact, said
from .functional_form import F32, F64, edge_of
from .generate import UNUSUAL, public_function
from .table import namespaces

__all__ = []

state = modes.state
_ndarray = np.ndarray
_getframe = sys._getframe


def times(a, b):
    """``a @ b`` in a rule: arrays or Tensors; plain matrices without a detour."""
    if a.__class__ is _ndarray:
        d = a.dtype
        if (d is F32 or d is F64) and a.ndim == 2 and b.ndim == 2:
            return a.dot(b) if a.size <= 4096 else blas_dot(a, b)
        return kernels.product(a, np.asarray(b))
    return both.matmul(a, b)


def _conj(x):
    kind = x.__class__
    return x if kind is _ndarray and x.dtype.kind != "c" else both.conj(x)


def _tall(x):
    """A stack of matrices as one."""
    rows = 1
    for n in x.shape[:-1]:
        rows *= n
    return x.reshape((rows, x.shape[-1]))


def left_gradient(g, other, input_shape):
    """Of the first factor of ``input @ other``."""
    other = _conj(other)
    if other.ndim == 1:
        return g * other if len(input_shape) == 1 else g[..., None] * other
    if len(input_shape) == 1:
        return times(other, g[..., None])[..., 0]      # a row times a matrix
    return times(g, transposed(other))


def right_gradient(g, input, other_shape):
    """Of the second factor of ``input @ other``."""
    input = _conj(input)
    if len(other_shape) == 1:
        if input.ndim == 1:
            return g * input
        if input.ndim > 2:
            input = _tall(input)
            g = g.reshape((input.shape[0],))
        return times(transposed(input), g)
    if input.ndim == 1:
        return input[:, None] * g[..., None, :]
    if input.ndim > 2 and len(other_shape) == 2:
        return times(_tall(input).T, _tall(g))
    return times(transposed(input), g)


def _matmul_name(input, other):
    n, m = input._a.ndim, other._a.ndim
    if n == 1:
        return "DotBackward0" if m == 1 else "SqueezeBackward4" if m > 1 else "MatmulBackward0"
    if n == 2 and m <= 2:
        return "MmBackward0" if m == 2 else "MvBackward0"
    return "SqueezeBackward1" if m == 1 and n < 3 else "UnsafeViewBackward0"


@op(function=False, grad_name=_matmul_name, out=exact)
def matmul(input: Array, other: Array):
    """The matrix product ``input @ other``.

    Two vectors give their scalar product (0-d); a vector counts as a row on the left and a column on the
    right and its dimension is dropped again; more dimensions are stacks of matrices, whose leading dimensions
    broadcast. Both have one dtype; RuntimeError when dtypes or shapes do not fit.

    Example::

        >>> import rushlight as torch
        >>> a, b = torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.])
        >>> torch.matmul(a, b)
        tensor([3., 7.])
    """
    return kernels.matmul(input, other)


matmul.derivative(input=lambda g, other, input_shape: left_gradient(g, other, input_shape),
                  other=lambda g, input, other_shape: right_gradient(g, input, other_shape))


@op(function=False, out=exact)
def mm(input: Array, mat2: Array):
    """The product of two matrices, (n, m) and (m, p); no broadcasting. RuntimeError when dtypes or shapes do
    not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.mm(torch.tensor([[1., 2.]]), torch.tensor([[3.], [4.]]))
        tensor([[11.]])
    """
    return kernels.mm(input, mat2)


mm.derivative(input=lambda g, mat2: times(g, _conj(mat2).T), mat2=lambda g, input: times(_conj(input).T, g))


@op(method=True, out=exact)
def bmm(input: Array, mat2: Array):
    """The products of two stacks of matrices, (b, n, m) and (b, m, p); no broadcasting.

    Example::

        >>> import rushlight as torch
        >>> torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten()
        tensor([3., 3.])
    """
    return kernels.bmm(input, mat2)


bmm.derivative(input=lambda g, mat2: times(g, _conj(mat2).mT), mat2=lambda g,
               input: times(_conj(input).mT, g))


@op(method=True, out=exact)
def mv(input: Array, vec: Array):
    """The product of a matrix (n, m) and a vector (m).

    Example::

        >>> import rushlight as torch
        >>> torch.mv(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
        tensor([3., 7.])
    """
    return kernels.mv(input, vec)


mv.derivative(input=lambda g, vec: g[:, None] * _conj(vec), vec=lambda g, input: times(_conj(input).T, g))


_DOT_OUT = said("result dtype {given} does not match input dtype {wanted}")


@op(method=True, out=_DOT_OUT)
def dot(input: Array, tensor: Array):
    """The scalar product of two vectors of equal length; no conjugation (see ``vdot``).

    Example::

        >>> import rushlight as torch
        >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
        tensor(11.)
    """
    return kernels.dot(input, tensor)


dot.derivative(input=lambda g, tensor: g * _conj(tensor), tensor=lambda g, input: g * _conj(input))


@op(method=True, out=_DOT_OUT)
def vdot(input: Array, other: Array):
    """The scalar product of two vectors, the first conjugated."""
    return kernels.dot(np.conjugate(input) if input.dtype.kind == "c" else input, other)


vdot.derivative(input=lambda g, other: both.conj(g) * other, other=lambda g, input: g * input)


# ---------------------------------------------------------------- the short way

_SOURCE = """
def {name}(input, {other}{out}):
    if modes.plain{free}:
        try:
            a = input._a
            b = {other}._a
            d = a.dtype
            if d is b.dtype and (d is F32 or d is F64):
                {choose}
                t = new(Tensor)
                t._a = r
                t._edge = t._grad = t._extra = t._base = t._ver = None
                t._rg = False
                if (input._rg or {other}._rg) and state.grad:
                    e0 = e1 = None
                    if input._rg:
                        e0 = (input._edge or input) if input._base is None else edge_of(input)
                    if {other}._rg:
                        e1 = ({other}._edge or {other}) if {other}._base is None else edge_of({other})
                    if e0 is not None:
                        c1 = {other}._ver or {other}._cell()
                        if e1 is not None:
                            c0 = input._ver or input._cell()
                            plan, guard = plans[0], (c1, c1[0], c0, c0[0])
                            saved = {both}
                        else:
                            plan, saved, guard = plans[1], {first}, (c1, c1[0])
                    elif e1 is not None:
                        c0 = input._ver or input._cell()
                        plan, saved, guard = plans[2], {second}, (c0, c0[0])
                    else:
                        return t
                    node = new(Node)
                    node.plan = plan
                    node.edges = (e0, e1)
                    node.saved = saved
                    node.guard = guard
                    node.shape = r.shape
                    node.dtype = d
                    node.watch = None
                    frame = getframe(1)
                    node.code, node.at = frame.f_code, frame.f_lasti
                    node.seq = next_sequence()
                    t._edge = node
                    t._rg = True
                return t
        except UNUSUAL:
            pass      # the long way knows what to say
    {ending}return long_way(input, {other}{pass_out})
"""


def _plans(op):
    """The plans of an operator of two tensors: both need gradients, the first does, the second does."""
    return tuple(op.plan(mask) for mask in ((True, True), (True, False), (False, True)))


_MM, _MV, _DOT = _plans(mm), _plans(mv), _plans(dot)


def _viewed(op):
    """``op`` under the node's name that it has in PyTorch's contractions, which end in a view of its result."""
    made = copy.copy(op)
    made.grad_name, made.plans = "ViewBackward0", {}
    made.public = public_function(made)
    return made


VIEWED, VIEWED_STACK = _viewed(mm), _viewed(bmm)
# How each function gets its product and its plans. A scalar product comes as a NumPy scalar.
_CHOICES = {
    "mm": "if a.ndim != 2 or b.ndim != 2: raise ValueError\n                "
          "r, plans = a.dot(b) if a.size <= 4096 else blas_dot(a, b), MM",
    "mv": "if a.ndim != 2 or b.ndim != 1: raise ValueError\n                r, plans = a.dot(b), MV",
    "dot": "if a.ndim != 1 or b.ndim != 1: raise ValueError\n                r, plans = asarray(a.dot(b)), "
           "DOT",
    "matmul": """n, m = a.ndim, b.ndim
                if n == 2 and m == 2: r, plans = a.dot(b) if a.size <= 4096 else blas_dot(a, b), MM
                elif n == 2 and m == 1: r, plans = a.dot(b), MV
                elif n == 1 and m == 1: r, plans = asarray(a.dot(b)), DOT
                else: return long_way(input, other)""",
}


def _matmul_long(input, other, *, out=None):
    """``matmul`` of anything: vectors and matrices are the operators of that kind, as in PyTorch."""
    if not modes.plain:
        taken, result = call.try_override(namespaces["torch"]["matmul"], (input, other), (input, other),
                                          {} if out is None else {"out": out})
        if taken:
            return result
    op = matmul
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        shape = input._a.ndim, other._a.ndim
        op = mm if shape == (2, 2) else mv if shape == (2, 1) else dot if shape == (1, 1) else matmul
    return call.invoke(op, (input, other), out)


def _publish(op, name, choice, long_way, method=True, function=True, ending=""):
    """Make the function from the text above and hang it where users look."""
    other = op.names[1]
    operator = bool(ending)
    source = _SOURCE.format(
        name=name, other=other, choose=_CHOICES[choice], ending=ending, out="" if operator
        else ", *, out=None",
        free="" if operator else " and out is None", pass_out="" if operator else ", out=out",
        both="(b, a)", first="(b,)", second="(a,)")
    scope = {"__name__": None, "modes": modes, "state": state, "F32": F32, "F64": F64, "Tensor": Tensor,
             "Node": Node,
             "new": object.__new__, "asarray": np.asarray, "getframe": _getframe,
             "next_sequence": next_sequence,
             "edge_of": edge_of, "UNUSUAL": UNUSUAL, "blas_dot": blas_dot, "long_way": long_way,
             "MM": _plans(op) if op is VIEWED else _MM, "MV": _MV, "DOT": _DOT}
    filename = __file__.replace("matmul.py", f"generated/{name}")
    exec(compile(source, filename, "exec"), scope)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    made = scope[name]
    made.__qualname__, made.__module__, made.__doc__, made.op = name, "torch", op.doc, op
    if op is VIEWED:
        op.public = made
    if function:
        op.public = namespaces["torch"][name] = made
    if method:
        setattr(Tensor, name, made)
    return made


for _op in (mm, mv, dot):
    _publish(_op, _op.name, _op.name, _op.public)
_publish(VIEWED, "mm", "mm", VIEWED.public, method=False, function=False)
_publish(matmul, "matmul", "matmul", _matmul_long)
_publish(matmul, "__matmul__", "matmul", _matmul_long, function=False,
         ending="if not isinstance(other, Tensor) and not hasattr(other, '__torch_function__'): return "
                "NotImplemented\n    ")


def _reflected(self, other):
    """``other @ self``."""
    return matmul.public(other, self)


Tensor.__rmatmul__ = _reflected

# PyTorch's names for a product of which one factor may be sparse, or whose result is.
for _name in ("dsmm", "hsmm", "spmm"):
    namespaces["torch"][_name] = mm.public
