"""Sorting and selection by rank: sort, topk, kthvalue, median, mode.

What is selected keeps its gradient and the rest gets none: all rules are ``put_at`` (or ``tied`` where the
whole tensor gives one value, as PyTorch splits that among equals).
"""
import numpy as np

from ..kernels import reduce
from ..kernels import sorting as kernels
from ..kernels.memory import contiguous, ordered_like
from ._reduced import give
from .declare import Array, composite, op
from .overload import ABSENT, overloads, quick_pair
from .reduce import check_index_out, check_keepdim, selected, tied

__all__ = []


def _refuse_complex(x, sentence):
    if x.dtype.kind == "c":
        raise RuntimeError(sentence + "\nComplex numbers have no order; sort by abs() or real.")


@op(name="sort", function=False, returns=("values", "indices"))
def _sort(input: Array, dim=-1, descending=False, *, stable=False):
    """Values in order, and where they stood."""
    _refuse_complex(input, " Sort does not support complex dtypes on CPU")
    return kernels.sort(input, dim, descending, stable)


_sort.derivative(input=lambda g0, input_shape, out1, dim: selected(g0, out1, input_shape, dim, True))
_run_sort = quick_pair(_sort)


@overloads(_sort)
def sort(input, dim=-1, descending=False, *, stable=False, out=None, axis=ABSENT):
    """The elements in order along ``dim`` and the indices they had, as a named tuple ``(values, indices)``.

    NaN comes last (first if ``descending``). Equal elements keep their order if ``stable`` is True.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([3., 1., 2.]).sort().indices
        tensor([1, 2, 0])
    """
    if axis is not ABSENT:
        dim = axis
    if dim.__class__ is bool:
        raise TypeError("sort() received an invalid combination of arguments - got (Tensor, bool)\nThe "
                        "second is dim; give "
                        "descending= by name.")
    if out is not None:
        check_index_out(out)
    return _run_sort(input, dim, descending, stable=bool(stable), out=out)


@op(method=True, differentiable=False)
def argsort(input: Array, dim=-1, descending=False, *, stable=False):
    """The indices that sort ``input`` along ``dim``: the second result of ``sort``.

    Example::

        >>> import rushlight as torch
        >>> torch.argsort(torch.tensor([3., 1., 2.]))
        tensor([1, 2, 0])
    """
    _refuse_complex(input, " Sort does not support complex dtypes on CPU")
    return ordered_like(kernels.order(input, dim, descending, stable), input)


@composite(method=True)
def msort(input, *, out=None):
    """``input`` sorted along its first dimension."""
    return give(out, sort(input, 0).values, "msort")


@op(name="topk", function=False, returns=("values", "indices"))
def _topk(input: Array, k, dim=-1, largest=True, sorted=True):
    """The ``k`` greatest and where they stand."""
    _refuse_complex(input, " topk does not support complex dtypes on CPU")
    if input.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU\nConvert it first.")
    axis = reduce.one_axis(dim, input.ndim)
    if not 0 <= k <= (input.shape[axis] if input.ndim else 1):
        raise RuntimeError("selected index k out of range"
                           f"\nk is {k}; dimension {dim} has {input.shape[axis] if input.ndim else 1} "
                           "elements.")
    if input.ndim == 0:
        return input.copy(), np.zeros((), np.int64)
    indices = kernels.topk(input, k, axis, largest, sorted)
    return reduce.take_along(input, indices, axis), indices


_topk.derivative(input=lambda g0, input_shape, out1, dim: selected(g0, out1, input_shape, dim, True))
_run_topk = quick_pair(_topk)


@overloads(_topk)
def topk(input, k, dim=-1, largest=True, sorted=True, *, out=None, axis=ABSENT):
    """The ``k`` greatest (``largest=False``: least) elements along ``dim`` and their indices, in order; NaN
    is the greatest.

    ``sorted=False`` leaves their order open. RuntimeError for ``k`` beyond the dimension.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1., 5., 3.]).topk(2).values
        tensor([5., 3.])
    """
    if axis is not ABSENT:
        dim = axis
    if out is not None:
        check_index_out(out)
    return _run_topk(input, k, -1 if dim is None else dim, largest, sorted, out=out)


# ---------------------------------------------------------------- one by its rank

def _refuse_bool(name, x):
    reduce.refuse_dtype(name, x, "cb")


def _take(x, index, dim, keepdim):
    """(values, indices) at one index per line (with its dimension kept)."""
    if x.ndim == 0:
        return x.copy(), np.zeros((), np.int64)
    axis = dim % x.ndim
    values, index = contiguous(reduce.take_along(x, index, axis)), contiguous(index)
    return (values, index) if keepdim else (values.squeeze(axis), index.squeeze(axis))


@op(returns=("values", "indices"), method=True)
def kthvalue(input: Array, k, dim=-1, keepdim=False):
    """The ``k``-th least element (counted from 1) along ``dim`` and its index."""
    check_keepdim("kthvalue", keepdim)
    axis = reduce.one_axis(dim, input.ndim)
    reduce.need_nonempty("kthvalue", input, dim)
    n = input.shape[axis] if input.ndim else 1
    if not 1 <= k <= n:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}\nk is {k}; "
                           f"there are {n} elements.")
    _refuse_bool("kthvalue_cpu", input)
    return _take(input, kernels.kth(input, k - 1, axis) if input.ndim else None, axis, keepdim)


kthvalue.derivative(input=lambda g0, input_shape, out1, dim, keepdim:
                    selected(g0, out1, input_shape, dim, keepdim))


def _lines_median(x, dim, keepdim, ignore):
    axis = reduce.one_axis(dim, x.ndim)
    if x.ndim == 0:
        return _take(x, None, dim, keepdim)
    n = x.shape[axis]
    ranks = kernels.order(x, axis, False)
    wide = kernels.comparable(x)
    if wide.dtype.kind != "f":
        middle = np.full([1 if i == axis else m for i, m in enumerate(x.shape)], (n - 1) // 2)
    else:
        nan = wide != wide
        numbers = n - np.add.reduce(nan, axis, np.int64, None, True)
        # NaN sorts last, so the first of them has as its rank the count of numbers.
        middle = np.maximum(numbers - 1, 0) // 2 if ignore else np.where(numbers < n, numbers, (n - 1) // 2)
    return _take(x, reduce.take_along(ranks, middle, axis), axis, keepdim)


def _whole_median(x, ignore):
    if not x.size:
        return np.full((), np.nan if x.dtype.kind in "fV" else np.iinfo(x.dtype).min, x.dtype)
    wide = kernels.comparable(x).reshape(-1)
    if ignore and wide.dtype.kind == "f":
        numbers = wide[wide == wide]
        wide = numbers if numbers.size else wide
    ordered = wide.copy()
    n = ordered.shape[0]
    middle = (n - 1) // 2
    ordered.partition((middle, n - 1))          # a NaN would stand last
    return (ordered[middle] if ordered[-1] == ordered[-1] else ordered[-1]).astype(x.dtype)


def _medians(name, ignore):
    """Both forms of median or nanmedian."""
    def kernel_all(input: Array):
        _refuse_bool("median_cpu", input)
        return _whole_median(input, ignore)

    def kernel_dim(input: Array, dim, keepdim=False):
        check_keepdim(name, keepdim)
        reduce.need_nonempty(name, input, dim)
        _refuse_bool("median_out", input)
        return _lines_median(input, dim, keepdim, ignore)
    kernel_all.__doc__ = f"The {name} of all elements."
    kernel_dim.__doc__ = f"The {name} along ``dim`` and its index."
    whole = op(name=name, function=False, grad_name=name.capitalize() + "Backward0")(kernel_all)
    whole.derivative(input=lambda g, input, out: tied(g, input, out, None, False, nans=True))
    along = op(name=name, function=False, returns=("values", "indices"),
               grad_name=name.capitalize() + "Backward1")(kernel_dim)
    along.derivative(input=lambda g0, input_shape, out1, dim, keepdim:
                     selected(g0, out1, input_shape, dim, keepdim))
    return whole, along


_median_all, _median_dim = _medians("median", False)
_run_median, _run_median_dim = _median_all.public, quick_pair(_median_dim)
_nanmedian_all, _nanmedian_dim = _medians("nanmedian", True)
_run_nanmedian, _run_nanmedian_dim = _nanmedian_all.public, quick_pair(_nanmedian_dim)


@overloads(_median_all, _median_dim)
def median(input, dim=None, keepdim=False, *, out=None, axis=ABSENT):
    """The median of all elements, or ``(values, indices)`` along ``dim``; the lower one of an even number;
    NaN if any is.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([3., 1., 2., 4.]).median()
        tensor(2.)
    """
    dim = dim if axis is ABSENT else axis
    if dim is None:
        return _run_median(input, out=out)
    return _run_median_dim(input, dim, keepdim, out=out)


@overloads(_nanmedian_all, _nanmedian_dim)
def nanmedian(input, dim=None, keepdim=False, *, out=None, axis=ABSENT):
    """The median of what is not NaN, of all elements or ``(values, indices)`` along ``dim``; NaN where
    nothing else is.
    """
    dim = dim if axis is ABSENT else axis
    if dim is None:
        return _run_nanmedian(input, out=out)
    return _run_nanmedian_dim(input, dim, keepdim, out=out)


@op(returns=("values", "indices"), method=True)
def mode(input: Array, dim=-1, keepdim=False):
    """The most frequent element along ``dim`` (the least of equally frequent ones) and the index of an
    occurrence.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([3, 1, 1, 2]).mode().values
        tensor(1)
    """
    check_keepdim("mode", keepdim)
    axis = reduce.one_axis(dim, input.ndim)
    if input.ndim and input.shape[axis] == 0:
        raise IndexError(f"mode(): Expected reduction dim {axis} to have non-zero size.\nThe tensor has "
                         f"shape {list(input.shape)}.")
    reduce.refuse_dtype("mode_cpu", input)
    values, indices = kernels.mode(input, axis)
    if keepdim and input.ndim:
        return np.expand_dims(values, axis), np.expand_dims(indices, axis)
    return np.array(values), np.array(indices)


mode.derivative(input=lambda g0, input_shape, out1, dim, keepdim:
                selected(g0, out1, input_shape, dim, keepdim))
for _op in (kthvalue, mode):
    overloads(_op)(quick_pair(_op))
