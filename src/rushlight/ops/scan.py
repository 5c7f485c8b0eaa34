"""Scans: running sums, products, extremes and log-sum-exps along one dimension.

Each linear scan and its adjoint (the same from the other end) are a pair of operators that are each other's
derivative, so they can be differentiated as often as wanted.
"""
import numpy as np

from ..kernels import reduce
from ..kernels import scan as kernels
from ..tensor import Tensor
from .declare import Array, both, op
from .overload import overloads, quick_pair

__all__ = []


def _numpy(dtype):
    return None if dtype is None else dtype.numpy


@op(method=True, inplace=True)
def cumsum(input: Array, dim, *, dtype=None):
    """The sums of the elements along ``dim`` up to each one; integers and bools in int64, ``dtype`` casts
    first.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1, 2, 3]).cumsum(0)
        tensor([1, 3, 6])
    """
    return kernels.running_sum(input, dim, _numpy(dtype))


@op(function=False, out=False)
def cumsum_back(input: Array, dim):
    """The sums of the elements along ``dim`` from each one on."""
    return kernels.running_sum_back(input, dim)


cumsum.derivative(input=lambda g, dim: both.cumsum_back(g, dim))
cumsum_back.derivative(input=lambda g, dim: both.cumsum(g, dim))


@op(method=True, inplace=True)
def cumprod(input: Array, dim, *, dtype=None):
    """The products of the elements along ``dim`` up to each one. The gradient is right at zeros too.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1, 2, 3]).cumprod(0)
        tensor([1, 2, 6])
    """
    return kernels.running_product(input, dim, _numpy(dtype))


def _cumprod_gradient(g, input, out, dim):
    if not isinstance(input, Tensor):
        return kernels.product_gradient(g, reduce.wide(input), reduce.wide(out), dim)
    if input.ndim == 0:
        return g * 1
    if input._a.all():
        return both.cumsum_back(g * both.conj(out), dim) / both.conj(input)
    # With a zero among them: for each element the products that leave it out, made from products alone.
    parts = []
    n = input.shape[dim]
    for k in range(n):
        here = g.narrow(dim, k, 1)
        if k + 1 < n:
            later = both.cumprod(both.conj(input.narrow(dim, k + 1, n - k - 1)), dim)
            here = here + both.sum(g.narrow(dim, k + 1, n - k - 1) * later, dim, True)
        parts.append(here * both.conj(input.narrow(dim, 0, k)).prod(dim, True) if k else here)
    return both.cat(parts, dim)


cumprod.derivative(input=lambda g, input, out, dim: _cumprod_gradient(g, input, out, dim))


# ---------------------------------------------------------------- extremes

@op(function=False, out=False)
def gather_at(input: Array, index: Array, dim):
    """The elements at ``index`` along ``dim``; as ``take_at``, and indices may repeat."""
    return kernels.gather_at(input, index, dim)


@op(function=False, out=False)
def add_at(input: Array, index: Array, shape, dim):
    """Zeros of ``shape`` plus ``input`` at ``index`` along ``dim``."""
    return kernels.add_at(input, index, shape, dim)


gather_at.derivative(input=lambda g, input_shape, index, dim: both.add_at(g, index, input_shape, dim))
add_at.derivative(input=lambda g, index, dim: both.gather_at(g, index, dim))


@op(returns=("values", "indices"), method=True)
def cummax(input: Array, dim):
    """The greatest element so far along ``dim`` and its index, the last of equals; once NaN, always NaN."""
    reduce.refuse_dtype("cummax_cpu", input)
    return kernels.running_extreme(np.maximum, input, dim)


@op(returns=("values", "indices"), method=True)
def cummin(input: Array, dim):
    """The least element so far along ``dim`` and its index, the last of equals; once NaN, always NaN."""
    reduce.refuse_dtype("cummin_cpu", input)
    return kernels.running_extreme(np.minimum, input, dim)


cummax.derivative(input=lambda g0, input_shape, out1, dim: both.add_at(g0, out1, input_shape, dim))
cummin.derivative(input=lambda g0, input_shape, out1, dim: both.add_at(g0, out1, input_shape, dim))
for _op in (cummax, cummin):
    overloads(_op)(quick_pair(_op))


# ---------------------------------------------------------------- logcumsumexp

@op(method=True)
def logcumsumexp(input: Array, dim):
    """``log(cumsum(exp(input)))`` along ``dim``, without overflow. Floating and complex tensors only."""
    if input.dtype.kind in "iub":
        reduce.refuse_dtype("logcumsumexp_out_cpu", input, "iub")
    return kernels.running_logsumexp(input, dim)


@op(function=False, out=False)
def logcumsumexp_back(input: Array, x: Array, out: Array, dim):
    """The gradient of ``logcumsumexp``; linear in ``input``."""
    return kernels.log_weighted_back(input, x, out, dim)


@op(function=False, out=False)
def logcumsumexp_forth(input: Array, x: Array, out: Array, dim):
    """The adjoint of ``logcumsumexp_back``."""
    return kernels.log_weighted(input, x, out, dim)


logcumsumexp.derivative(input=lambda g, input, out, dim: both.logcumsumexp_back(g, input, out, dim))


@logcumsumexp_back.derivatives
def _logcumsumexp_back_gradient(g, input, x, out, dim, needs):
    over = both.logcumsumexp_forth(g, x, out, dim) if needs[0] or needs[2] else None
    return (over if needs[0] else None,
            both.conj(g) * both.logcumsumexp_back(input, x, out, dim) if needs[1] else None,
            -input * both.conj(over) if needs[2] else None)


@logcumsumexp_forth.derivatives
def _logcumsumexp_forth_gradient(g, input, x, out, dim, needs):
    under = both.logcumsumexp_back(g, x, out, dim) if needs[0] or needs[1] else None
    return (under if needs[0] else None,
            both.conj(input) * under if needs[1] else None,
            -g * both.conj(both.logcumsumexp_forth(input, x, out, dim)) if needs[2] else None)
