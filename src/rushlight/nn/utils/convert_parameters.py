"""All parameters as one vector, and back."""

from collections.abc import Iterable

from rushlight.nn._ops import cat
from rushlight.nn.modules.module import typename
from rushlight.tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """One vector of all parameters' elements, in order; differentiable.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.utils.parameters_to_vector(torch.nn.Linear(2, 3).parameters()).shape
        torch.Size([9])
    """
    return cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give each parameter its part of the vector as its data (the memory is shared)."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for param in parameters:
        stop = start + param.numel()
        param.data = vec[start:stop].view_as(param).data
        start = stop
