"""Reading elements by index arrays: gather, index_select, take, take_along_dim. Their writing counterparts
are in ``scatter``.

Each read has an operator of its own for its gradient ("zeros with the gradient added where it was read"); the
two are each other's derivative, so they can be differentiated as often as wanted.
"""
import numpy as np

from ..kernels import gather as kernels
from ..tensor import Tensor, wrap
from . import call, indexing  # noqa: F401  (indexing has an internal operator named index_select too)
from .declare import Array, both, composite, op
from .direct import reading
from .exact import exact, said

__all__ = []

_i64 = np.dtype(np.int64)


@op(function=False, out=False)
def gather_back(g: Array, dim, index: Array, shape):
    """Zeros of ``shape`` with ``g`` added at ``index`` along ``dim``: the gradient of ``gather``."""
    return kernels.gather_back(g, dim, index, shape)


gather_back.derivative(g=lambda g, dim, index: both.gather(g, dim, index))


@op(method=True, out=exact)
def gather(input: Array, dim, index: Array, *, sparse_grad=False):
    """The elements of ``input`` at ``index`` along ``dim``: ``out[i][j] = input[index[i][j]][j]`` for ``dim``
    0.

    ``index`` (int64 or int32) has as many dimensions as ``input`` and is nowhere longer but along ``dim``;
    its shape is the result's. RuntimeError for an index out of bounds; negative ones are.

    Example::

        >>> import rushlight as torch
        >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
        tensor([[1, 1],
                [4, 3]])
    """
    return kernels.gather(input, dim, index)


gather.derivative(input=lambda g, dim, index, input_shape: both.gather_back(g, dim, index, input_shape))


# ---------------------------------------------------------------- whole slices

@op(function=False, out=False)
def index_select_back(g: Array, dim, index: Array, shape):
    """Zeros of ``shape`` with the slices of ``g`` added at ``index`` along ``dim``: the gradient of
    ``index_select``.
    """
    return kernels.select_back(g, dim, index, shape)


index_select_back.derivative(g=lambda g, dim, index: both.index_select(g, dim, index))


@op(method=True, out=said("index_select(): self and result must have the same scalar type"))
def index_select(input: Array, dim, index: Array):
    """The slices of ``input`` at ``index``, a vector of int64 or int32, along ``dim``; always a copy.

    IndexError for an index out of bounds.

    Example::

        >>> import rushlight as torch
        >>> torch.index_select(torch.tensor([[1, 2], [3, 4]]), 0, torch.tensor([1, 1]))
        tensor([[3, 4],
                [3, 4]])
    """
    return kernels.select(input, dim, index)


index_select.derivative(input=lambda g, dim, index,
                        input_shape: both.index_select_back(g, dim, index, input_shape))


# ---------------------------------------------------------------- flat positions

@op(function=False, out=False)
def take_back(g: Array, index: Array, shape):
    """Zeros of ``shape`` with ``g`` added at flat positions: the gradient of ``take``."""
    return kernels.take_back(g, index, shape)


take_back.derivative(g=lambda g, index: both.take(g, index))


@op(method=True, out=said("take(): self and out expected to have the same dtype, but got self.dtype = "
                          "{wanted} and out.dtype = "
                          "{given}"))
def take(input: Array, index: Array):
    """The elements of ``input``, read as one row, at ``index`` (int64, negative ones count from the end).

    The result has the shape of ``index``. IndexError for an index out of range.

    Example::

        >>> import rushlight as torch
        >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0, -1]))
        tensor([1, 4])
    """
    return kernels.take(input, index)


take.derivative(input=lambda g, index, input_shape: both.take_back(g, index, input_shape))


reading(gather, kernels.gather)
reading(index_select, kernels.select)


@composite(method=True)
def take_along_dim(input, indices, dim=None, *, out=None):
    """The elements of ``input`` at ``indices`` (int64) along ``dim``; the other dimensions broadcast. Without
    ``dim`` both are read as one row. What ``argmax`` and ``argsort`` return are such indices.

    Example::

        >>> import rushlight as torch
        >>> x = torch.tensor([[3, 1], [2, 5]])
        >>> torch.take_along_dim(x, x.argsort(dim=1), dim=1)
        tensor([[1, 3],
                [2, 5]])
    """
    if not isinstance(indices, Tensor):
        raise TypeError("take_along_dim(): argument 'indices' (position 2) must be Tensor, not "
                        f"{type(indices).__name__}"
                        "\nWrap it with torch.tensor.")
    if indices._a.dtype != _i64:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got "
                           f"{indices.dtype.scalar_name}"
                           "\nConvert it with .long().")
    if dim is None:
        return take.public(input, indices.reshape(-1), out=out)
    if input._a.ndim != indices._a.ndim:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of "
                           "dimensions, but got "
                           f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
                           "\nUse unsqueeze to add some.")
    axis = kernels.wrap_dim(dim, input._a.ndim)
    if input._a.ndim:
        shape, other = list(input._a.shape), list(indices._a.shape)
        shape[axis] = other[axis] = 1
        common = list(call.broadcast_shapes(tuple(shape), tuple(other)))
        n, m = input._a.shape[axis], indices._a.shape[axis]
        common[axis] = n
        input = input.expand(common)
        common[axis] = m
        indices = indices.expand(common)
        n = input._a.shape[axis]
    else:
        n = 1
    index = indices._a
    if n and index.size and not kernels.within(index, n):
        index = index % n                       # PyTorch takes any number, modulo the size
    return gather.public(input, axis, wrap(np.ascontiguousarray(index)), out=out)
