"""Searching and the distinct: searchsorted, bucketize, isin, unique. No gradient passes through them."""
import numpy as np

from .. import dtypes
from ..autograd import modes
from ..dtypes import BY_NUMPY
from ..kernels import reduce
from ..kernels import sorting as kernels
from ..kernels.reduce import one_axis
from ..tensor import Tensor
from .declare import Array, Operand, OptionalArray, composite, op

__all__ = []

_i32, _i64 = np.dtype(np.int32), np.dtype(np.int64)


# ---------------------------------------------------------------- sorted sequences

def _check_search(edges, x, sorter, right, side):
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}\nOr "
                           "give right=.")
    if side == "left" and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left "
                           "while right was True"
                           "\nGive one of them.")
    if edges.ndim == 0:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should have positive dimension, but got "
                           "0 dimension"
                           "\nGive a sorted row.")
    if edges.ndim > 1:
        if not isinstance(x, np.ndarray) or x.ndim == 0:
            raise RuntimeError("torch.searchsorted(): input value can be a scalar only when boundaries "
                               "tensor dimension is 1, but "
                               f"we got boundaries tensor dim({edges.ndim}) and input value's dim(0) numel(1)"
                               "\nGive one row of values per row of boundaries.")
        if x.ndim != edges.ndim or x.shape[:-1] != edges.shape[:-1]:
            raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first "
                               "N-1 dimensions of "
                               "boundaries tensor and input value tensor must match, but we got boundaries "
                               "tensor "
                               f"{list(edges.shape)} and input value tensor {list(x.shape)}\nGive one row "
                               "per row.")
    if sorter is not None:
        if sorter.shape != edges.shape:
            raise RuntimeError("torch.searchsorted(): boundary and sorter must have the same size, but got "
                               "boundary tensor "
                               f"{list(edges.shape)}and got sorter tensor {list(sorter.shape)}\nGive the "
                               "indices that sort it.")
        if sorter.dtype != _i64:
            raise RuntimeError("torch.searchsorted(): sorter must be a tensor of long dtype but got dtype "
                               f"{BY_NUMPY[sorter.dtype].scalar_name}\nUse what argsort returns.")
        if sorter.size and (sorter.min() < 0 or sorter.max() >= sorter.shape[-1]):
            raise RuntimeError("torch.searchsorted(): sorter index out of range\nUse what argsort returns.")


def _locate(edges, x, right, out_int32):
    x = np.asarray(x)
    for given in (edges, x):
        if given.dtype.kind == "c":
            reduce.refuse_dtype("searchsorted_out_cpu", given)
    return kernels.search(edges, x, right).astype(_i32 if out_int32 else _i64, copy=False)


def _check_out(out, out_int32):
    if isinstance(out, Tensor) and out.dtype is not (dtypes.int32 if out_int32 else dtypes.int64):
        raise RuntimeError("torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) "
                           "or Long(int64) "
                           "depending on whether out_int32 flag is True, but we got output tensor's dtype "
                           f"{out.dtype.scalar_name} and out_int32 flag is {out_int32}\nGive a tensor of "
                           "that dtype.")


@op(name="searchsorted", function=False, differentiable=False, fast=False)
def _searchsorted(sorted_sequence: Array, input: Operand, *, out_int32=False, right=False, side=None,
                  sorter: OptionalArray = None):
    """Where values belong."""
    _check_search(sorted_sequence, input, sorter, right, side)
    if sorter is not None:
        sorted_sequence = np.take_along_axis(sorted_sequence, sorter, -1)
    return _locate(sorted_sequence, input, right or side == "right", out_int32)


@composite
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """The index at which each value of ``input`` can be put into ``sorted_sequence`` (sorted along its last
    dimension) to keep it
    sorted: before equal ones, or behind them with ``right=True`` (or ``side="right"``).

    A 1-d sequence serves values of any shape; else all dimensions but the last must agree. ``sorter`` gives
    the indices that sort the sequence. int64, or int32 with ``out_int32``.

    Example::

        >>> import rushlight as torch
        >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 4]))
        tensor([1, 2])
    """
    _check_out(out, out_int32)
    return _searchsorted.public(sorted_sequence, input, out_int32=out_int32, right=right, side=side,
                                sorter=sorter, out=out)


@op(differentiable=False, fast=False)
def bucketize(input: Operand, boundaries: Array, *, out_int32=False, right=False):
    """The index of the bucket that each value falls in; bucket ``i`` ends with ``boundaries[i]`` (and without
    it if ``right``).

    Example::

        >>> import rushlight as torch
        >>> torch.bucketize(torch.tensor([0., 3., 9.]), torch.tensor([1., 3., 5.]))
        tensor([0, 1, 3])
    """
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})\nGive a "
                           "sorted row.")
    return _locate(boundaries, input, right, out_int32)


@op(name="isin", function=False, differentiable=False, fast=False)
def _isin(elements: Operand, test_elements: Operand, *, assume_unique=False, invert=False):
    """Membership, element by element."""
    elements, test_elements = np.asarray(elements), np.asarray(test_elements)
    for x in (elements, test_elements):
        if x.dtype.kind in "cb":
            raise RuntimeError("Unsupported input type encountered for isin(): "
                               f"{BY_NUMPY[x.dtype].scalar_name}\nConvert it first.")
    common = np.result_type(kernels.comparable(elements), kernels.comparable(test_elements))
    x, pool = elements.astype(common), np.sort(test_elements.reshape(-1).astype(common))
    if not pool.size:
        return np.full(x.shape, bool(invert))
    at = np.minimum(np.searchsorted(pool, x), pool.shape[0] - 1)
    return (pool[at] == x) ^ bool(invert)


@composite
def isin(elements, test_elements, *, assume_unique=False, invert=False, out=None):
    """For each of ``elements`` whether it is among ``test_elements``; one of both may be a number. NaN is in
    nothing.

    Example::

        >>> import rushlight as torch
        >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 3]))
        tensor([False,  True,  True])
    """
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError("isin() received an invalid combination of arguments - got "
                        f"({type(elements).__name__}, "
                        f"{type(test_elements).__name__})\nAt least one of them must be a Tensor.")
    return _isin.public(elements, test_elements, assume_unique=assume_unique, invert=invert, out=out)


# ---------------------------------------------------------------- the distinct

@op(name="unique", function=False, multiple=True, out=False)
def _unique(input: Array, consecutive, dim):
    """(values, inverse, counts)."""
    name = "unique_consecutive" if consecutive else "unique"
    if input.dtype.kind == "c":
        reduce.refuse_dtype(name, input)
    if dim is None:
        flat = input.reshape(-1)
        if consecutive:
            none = slice(0), flat[:0], flat[:0]
            keep, inverse, counts = kernels.distinct_rows(flat[:, None], True) if flat.size else none
            values = flat[keep].copy()
        else:
            values, inverse, counts = kernels.distinct(flat)
        return values, inverse.reshape(input.shape).astype(_i64), counts.astype(_i64)
    if input.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions\nLeave dim out.")
    axis = one_axis(dim, input.ndim)
    lead = np.moveaxis(input, axis, 0)
    if not input.size:
        others = [n for i, n in enumerate(input.shape) if i != axis]
        if input.shape[axis] or 0 in others:
            raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be "
                               "applied"
                               f"\nThe tensor has shape {list(input.shape)}.")
        return input.copy(), np.zeros(0, _i64), np.zeros(0, _i64)
    keep, inverse, counts = kernels.distinct_rows(lead.reshape(lead.shape[0], -1), consecutive)
    return np.ascontiguousarray(np.moveaxis(lead[keep], 0, axis)), inverse, counts.astype(_i64)


def _no_derivative(consecutive, dim):
    name = "unique_consecutive" if consecutive else "_unique2" if dim is None else "unique_dim"
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.\nSelect elements with an "
                              "index, or detach its input.")


_unique.derivative(input=lambda g0, consecutive, dim: _no_derivative(consecutive, dim))


def _asked(made, return_inverse, return_counts):
    values, inverse, counts = made
    if not return_inverse and not return_counts:
        return values
    return (values, *((inverse,) if return_inverse else ()), *((counts,) if return_counts else ()))


@composite(method=True)
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements, in order; with ``dim`` the distinct slices along it, ordered by their elements.

    ``return_inverse`` adds where each element went, ``return_counts`` how often each came; then the result is
    a tuple. It has no derivative: NotImplementedError in backward.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([3, 1, 3]).unique(return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))
    """
    _check_flags("_unique2" if dim is None else "unique_dim", sorted=sorted, return_inverse=return_inverse,
                 return_counts=return_counts)
    return _asked(_unique.public(input, False, dim), return_inverse, return_counts)


@composite(method=True)
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements (or slices along ``dim``) without immediate repetitions; further results as in ``unique``.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1, 1, 2, 1]).unique_consecutive()
        tensor([1, 2, 1])
    """
    _check_flags("unique_consecutive", return_inverse=return_inverse, return_counts=return_counts)
    return _asked(_unique.public(input, True, dim), return_inverse, return_counts)


def _check_flags(name, **flags):
    for argument, value in flags.items():
        if value is not True and value is not False:
            raise modes.no_flag(name, f"'{argument}'", value)
