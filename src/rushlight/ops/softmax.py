"""The softmax family."""
import warnings

from ..kernels import softmax as kernels
from .declare import Array, both, composite, op
from .functional_form import functional
from .table import namespaces

F = namespaces["nn.functional"]


@op(method=True, silent=True)
def softmax(input: Array, dim, dtype=None):
    """``exp(input)`` divided by its sum over ``dim``, so that the slices along ``dim`` sum to 1.

    ``dtype`` converts ``input`` first. Raises NotImplementedError for integers without ``dtype``, IndexError
    for a ``dim`` out of range.

    Example::

        >>> import rushlight as torch
        >>> torch.softmax(torch.tensor([0., 0.]), 0)
        tensor([0.5000, 0.5000])
    """
    return kernels.softmax(input, dim, dtype)


softmax.kernel = kernels.softmax          # one call less on the short way


@op(function=False, out=False)
def softmax_backward(grad: Array, result: Array, dim):
    """The gradient of softmax, as an operator of its own: it has derivatives too."""
    return kernels.softmax_backward(grad, result, dim)


def _total(x, dim):
    return x.sum(axis=dim, keepdims=True) if x.ndim else x


# The map is linear and symmetric in grad; in result it is quadratic.
softmax_backward.derivative(
    grad=lambda g, result, dim: both.softmax_backward(g, result, dim),
    result=lambda g, grad, result, dim: (
        g * (grad - _total(grad * result, dim)) - grad * _total(g * result, dim)
    ),
)
softmax.derivative(input=lambda g, out, dim: both.softmax_backward(g, out, dim))


@op(method=True, silent=True)
def log_softmax(input: Array, dim, dtype=None):
    """The logarithm of ``softmax``, computed so that it neither overflows nor loses digits.

    Example::

        >>> import rushlight as torch
        >>> torch.log_softmax(torch.tensor([0., 0.]), 0)
        tensor([-0.6931, -0.6931])
    """
    return kernels.log_softmax(input, dim, dtype)


log_softmax.kernel = kernels.log_softmax


@op(function=False, out=False)
def log_softmax_backward(grad: Array, result: Array, dim):
    """The gradient of log_softmax, as an operator of its own."""
    return kernels.log_softmax_backward(grad, result, dim)


log_softmax_backward.derivative(
    grad=lambda g, result, dim: g - _total(g * both.exp(result), dim),
    result=lambda g, grad, result, dim: -(g * both.exp(result) * _total(grad, dim)))
log_softmax.derivative(input=lambda g, out, dim: both.log_softmax_backward(g, out, dim))


def implicit_dim(name, ndim, stacklevel):
    """The dimension that PyTorch once chose when none was given; warns."""
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
                  "dim=X as an "
                  "argument.", stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


_PARAMETERS = "input, dim=None, _stacklevel=3, dtype=None"
for _op in (softmax, log_softmax):
    functional(_op, _PARAMETERS, [f"if dim is None: dim = implicit_dim('{_op.name}', input.ndim, "
                                  "_stacklevel)"],
               implicit_dim=implicit_dim)


@composite(space="nn.functional")
def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """``softmax(-input, dim)``."""
    if dim is None:
        dim = implicit_dim("softmin", input.ndim, _stacklevel)
    return softmax(-input, dim, dtype)
