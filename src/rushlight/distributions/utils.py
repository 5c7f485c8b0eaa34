"""What the distributions share: numbers to tensors of one shape, probabilities to logits and back, values computed once."""
import functools

from rushlight import dtypes
from rushlight.autograd.modes import enable_grad
from rushlight.ops.late import F, torch
from rushlight.tensor import Tensor

__all__ = ["broadcast_all", "logits_to_probs", "clamp_probs", "probs_to_logits", "lazy_property", "tril_matrix_to_vec",
           "vec_to_tril_matrix"]

euler_constant = 0.57721566490153286060  # Euler and Mascheroni's
Number = (int, float, bool)


def is_tensor(value):
    """Whether ``value`` is a Tensor or takes part in ``__torch_function__``."""
    return isinstance(value, Tensor) or hasattr(type(value), "__torch_function__")


def broadcast_all(*values):
    """Tensors of one shape from tensors and numbers; numbers take the dtype of the first tensor, else the default one.

    Raises:
        ValueError: for anything else than numbers and tensors.

    >>> import rushlight as torch
    >>> from rushlight.distributions.utils import broadcast_all
    >>> broadcast_all(0, torch.ones(2))
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if not all(is_tensor(v) or isinstance(v, Number) for v in values):
        kinds = ", ".join(type(v).__name__ for v in values)
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.\n"
                         f"Got {kinds}: make arrays and lists tensors first, with torch.tensor.")
    dtype = next((v.dtype for v in values if isinstance(v, Tensor)), dtypes.get_default_dtype())
    tensors = [v if is_tensor(v) else torch.tensor(v, dtype=dtype) for v in values]
    # A tensor that has the shape already stays itself, a leaf and its .grad included.
    return torch.broadcast_tensors(*tensors)


def _standard_normal(shape, dtype, device=None):
    """Normal numbers of mean 0 and deviation 1."""
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value, dims):
    """``value`` summed over its last ``dims`` dimensions."""
    return value if dims == 0 else value.reshape((*value.shape[:-dims], value.shape[-dims:].numel())).sum(-1)


def logits_to_probs(logits, is_binary=False):
    """Probabilities of ``logits``: of their last dimension together, or with ``is_binary`` each for itself.

    >>> import rushlight as torch
    >>> from rushlight.distributions.utils import logits_to_probs
    >>> logits_to_probs(torch.zeros(4))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """
    return torch.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs):
    """``probs`` kept from 0 and 1 by the precision of their dtype, so that logarithms stay finite."""
    eps = dtypes.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """Logarithms of ``probs``, or with ``is_binary`` of their odds; probabilities of 0 and 1 are clamped first."""
    inside = clamp_probs(probs)
    return torch.log(inside) - torch.log1p(-inside) if is_binary else torch.log(inside)


class lazy_property:
    """A property that is computed when it is first asked for, with gradients, and is an attribute from then on.

    >>> from rushlight.distributions.utils import lazy_property
    >>> class Box:
    ...     @lazy_property
    ...     def value(self):
    ...         print("computed")
    ...         return 1
    >>> box = Box()
    >>> box.value + box.value
    computed
    2
    """

    def __init__(self, wrapped):
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)

    def __get__(self, instance, owner=None):
        if instance is None:
            return _PropertyOfClass(self.wrapped)
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _PropertyOfClass(lazy_property, property):
    """A lazy property as its class shows it: a ``property`` too, for what documents classes."""

    def __init__(self, wrapped):
        property.__init__(self, wrapped)


def _below(n, diag):
    return torch.arange(n) < torch.arange(n).view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat, diag=0):
    """The entries on and below diagonal ``diag`` of square matrices, row by row, as vectors.

    Raises:
        ValueError: if there is no such diagonal.
    """
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _below(n, diag)]


def vec_to_tril_matrix(vec, diag=0):
    """Square matrices whose entries on and below diagonal ``diag`` are the vectors', and 0 elsewhere.

    Raises:
        ValueError: if no square matrix has so many entries there.
    """
    # n + 2 * diag + 1 over 2 entries per row on average: a quadratic equation in n.
    shift = 1 + 2 * diag
    size = (-shift + (shift ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(size) - size > dtypes.finfo(vec.dtype).eps:
        raise ValueError(f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular part of "
                         "a square D x D matrix.")
    n = round(size)
    mat = torch.zeros((*vec.shape[:-1], n, n), dtype=vec.dtype)
    mat[..., _below(n, diag)] = vec
    return mat
