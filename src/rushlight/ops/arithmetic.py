"""Arithmetic on tensors and numbers, and the operators + - * / // % ** of Tensor."""
import numpy as np

from ..tensor import Tensor
from .declare import Array, Operand, both, op


@op(promote="arith", ufunc=np.multiply, method=True, inplace=True)
def mul(input: Array, other: Operand):
    """The product of ``input`` and ``other``, element by element.

    Shapes broadcast; the dtype is PyTorch's promotion of both.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1., 2.]) * 3
        tensor([3., 6.])
    """
    return np.multiply(input, other)


mul.derivative(input=lambda g, other: g * both.conj(other), other=lambda g, input: g * both.conj(input))


@op(promote="arith", method=True, inplace=True)
def neg(input: Array):
    """``-input``."""
    return np.negative(input)


neg.derivative(input=lambda g: -g)

Tensor.__mul__ = Tensor.__rmul__ = mul.public
Tensor.__neg__ = neg.public
