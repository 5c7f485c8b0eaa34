"""Matrix products: matmul and ``@``, mm, bmm, mv, dot, vdot.

One rule serves them all: the gradient of ``a @ b`` is ``g @ b.H`` for a and ``a.H @ g`` for b, once vectors are seen as
matrices of one row or column. Broadcast leading dimensions are summed by the engine, except where a stack of matrices meets a single one:
there the stack is one tall matrix, and its sum is part of one product.
"""
import sys

import numpy as np

from ..autograd import modes
from ..autograd.node import make
from ..kernels import matmul as kernels
from ..kernels.matmul import transposed
from ..tensor import Tensor, wrap
from . import call, table
from .declare import Array, both, op
from .functional_form import F32, F64, edge_of

__all__ = []

state = modes.state
_ndarray = np.ndarray
_getframe = sys._getframe
_UNUSUAL = (AttributeError, TypeError, ValueError, ArithmeticError)


def times(a, b):
    """``a @ b`` in a rule: arrays or Tensors; plain matrices without a detour."""
    if a.__class__ is _ndarray:
        d = a.dtype
        if (d is F32 or d is F64) and a.ndim == 2 and b.ndim == 2:
            return a.dot(b)
        return kernels.product(a, np.asarray(b))
    return both.matmul(a, b)


def _conj(x):
    kind = x.__class__
    return x if kind is _ndarray and x.dtype.kind != "c" else both.conj(x)


def left_gradient(g, other, input_shape):
    """Of the first factor of ``input @ other``."""
    other = _conj(other)
    if other.ndim == 1:
        return g * other if len(input_shape) == 1 else g[..., None] * other
    if len(input_shape) == 1:
        return times(other, g[..., None])[..., 0]
    return times(g, transposed(other))


def right_gradient(g, input, other_shape):
    """Of the second factor of ``input @ other``."""
    input = _conj(input)
    if len(other_shape) == 1:
        if input.ndim == 1:
            return g * input
        if input.ndim > 2:
            input, g = input.reshape((-1, input.shape[-1])), g.reshape((-1,))
        return times(transposed(input), g)
    if input.ndim == 1:
        return input[:, None] * g[..., None, :]
    if input.ndim > 2 and len(other_shape) == 2 and 0 not in input.shape:
        return times(input.reshape((-1, input.shape[-1])).T, g.reshape((-1, g.shape[-1])))
    return times(transposed(input), g)


def _matmul_name(input, other):
    n, m = input._a.ndim, other._a.ndim
    if n == 1:
        return "DotBackward0" if m == 1 else "SqueezeBackward4" if m > 1 else "MatmulBackward0"
    if n == 2 and m <= 2:
        return "MmBackward0" if m == 2 else "MvBackward0"
    return "SqueezeBackward1" if m == 1 and n < 3 else "UnsafeViewBackward0"


def _product_op(name, kernel, **options):
    def give(input: Array, other: Array):
        return kernel(input, other)
    give.__name__ = name
    return op(**options)(give)


@op(function=False, grad_name=_matmul_name)
def matmul(input: Array, other: Array):
    """The matrix product ``input @ other``.

    Two vectors give their scalar product (0-d); a vector counts as a row on the left and a column on the right and its dimension is
    dropped again; more dimensions are stacks of matrices, whose leading dimensions broadcast. Both have one dtype; RuntimeError when
    dtypes or shapes do not fit.

    Example::

        >>> import rushlight as torch
        >>> a, b = torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.])
        >>> torch.matmul(a, b)
        tensor([3., 7.])
    """
    return kernels.matmul(input, other)


matmul.derivative(input=lambda g, other, input_shape: left_gradient(g, other, input_shape),
                  other=lambda g, input, other_shape: right_gradient(g, input, other_shape))


@op(function=False)
def mm(input: Array, mat2: Array):
    """The product of two matrices, (n, m) and (m, p); no broadcasting. RuntimeError when dtypes or shapes do not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.mm(torch.tensor([[1., 2.]]), torch.tensor([[3.], [4.]]))
        tensor([[11.]])
    """
    return kernels.mm(input, mat2)


mm.derivative(input=lambda g, mat2: times(g, _conj(mat2).T), mat2=lambda g, input: times(_conj(input).T, g))


@op(method=True)
def bmm(input: Array, mat2: Array):
    """The products of two stacks of matrices, (b, n, m) and (b, m, p); no broadcasting.

    Example::

        >>> import rushlight as torch
        >>> torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten()
        tensor([3., 3.])
    """
    return kernels.bmm(input, mat2)


bmm.derivative(input=lambda g, mat2: times(g, _conj(mat2).mT), mat2=lambda g, input: times(_conj(input).mT, g))


@op(method=True)
def mv(input: Array, vec: Array):
    """The product of a matrix (n, m) and a vector (m).

    Example::

        >>> import rushlight as torch
        >>> torch.mv(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
        tensor([3., 7.])
    """
    return kernels.mv(input, vec)


mv.derivative(input=lambda g, vec: g[:, None] * _conj(vec), vec=lambda g, input: times(_conj(input).T, g))


@op(method=True)
def dot(input: Array, tensor: Array):
    """The scalar product of two vectors of equal length; no conjugation (see ``vdot``).

    Example::

        >>> import rushlight as torch
        >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
        tensor(11.)
    """
    return kernels.dot(input, tensor)


dot.derivative(input=lambda g, tensor: g * _conj(tensor), tensor=lambda g, input: g * _conj(input))


@op(method=True)
def vdot(input: Array, other: Array):
    """The scalar product of two vectors, the first conjugated."""
    return kernels.dot(np.conjugate(input) if input.dtype.kind == "c" else input, other)


vdot.derivative(input=lambda g, other: both.conj(g) * other, other=lambda g, input: g * input)


# ---------------------------------------------------------------- the short way

_MM = {mask: mm.plan(mask) for mask in ((True, True), (True, False), (False, True))}


def _product_name(input, other):
    pass


def _matrices(op, long_way, ending):
    """The product of two matrices written out for the plain case, which is the most common product; see ``generate``."""
    plans = {}
    name = "MmBackward0"

    def direct(input, other, *, out=None):
        return long_way(input, other, out=out)
    return direct
