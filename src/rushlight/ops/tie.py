"""Gradients that depend on a value only in name.

The gradient of a pooling does not change with its input. PyTorch's backward functions take the input all the
same, so that a gradient taken with ``create_graph=True`` requires grad, and its derivative with respect to
the input is zero rather than missing. `tied` says the same of a gradient here; in an ordinary backward pass
it does nothing.
"""
import numpy as np

from ..tensor import Tensor
from .declare import Array, both, op

__all__ = ["tied"]


@op(function=False, out=False)
def _tie(input: Array, other: Array):
    """A copy of ``input`` with ``other`` among its ancestors."""
    return input.copy()


@op(function=False, out=False, differentiable=False)
def _zeros_of(input: Array):
    """Zeros of the shape and dtype of ``input``."""
    return np.zeros_like(input)


_tie.derivative(input=lambda g: g, other=lambda g, other: both._zeros_of(other))


def tied(gradient, *others):
    """``gradient``, with the recorded tensors among ``others`` as its ancestors."""
    if isinstance(gradient, Tensor):
        for other in others:
            if isinstance(other, Tensor) and other.requires_grad:
                gradient = _tie(gradient, other)
    return gradient
