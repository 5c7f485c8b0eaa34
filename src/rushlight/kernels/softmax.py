"""Softmax and its logarithm over one dimension.

**Small arrays without a maximum.** The textbook form subtracts each row's maximum first, so that ``exp``
cannot overflow; for up to a thousand numbers those reductions are most of the work. Here ``e = exp(x)`` is
taken at once, and one dot product tells whether that was allowed: if the squares of *all* numbers sum to at
most 80 squared, no number exceeds 80 in magnitude, every ``e`` lies between 1e-35 and 1e35, and a row of a
few thousand of them can be summed in float32 without overflow. ``exp`` has the same relative error wherever
its argument lies, so ``e / sum`` is then as accurate as the shifted form. Otherwise the row sums are looked
at: where every one lies between 1e-3 and 1e30, nothing overflowed, and what underflowed is below 1e-35 of its
row's sum. In all other cases, NaN included, the shifted form is computed. The logarithm is taken of the
quotient, not as ``x - log(sum)``, which would lose the digits that both share; so the quotient must not
underflow either, and the squares may sum to 56 squared at most: then no two numbers are further apart than
80.

Results are contiguous whatever the input's strides, as PyTorch's are.
"""
import numpy as np

from .errors import refuse, wrap_dim
from .memory import contiguous
from .quiet import nameless

__all__ = [
    "softmax",
    "log_softmax",
    "softmax_backward",
    "log_softmax_backward",
    "logsumexp_parts",
    "small_exponentials",
]

SMALL = 4096                # elements; beyond, reductions cost little beside the arithmetic
SQUARES, LOG_SQUARES = 80.0 ** 2, 56.0 ** 2

_exp, _log, _multiply, _subtract, _divide = np.exp, np.log, np.multiply, np.subtract, np.divide
_add_reduce, _max_reduce, _min_reduce = np.add.reduce, np.maximum.reduce, np.minimum.reduce


_ONES32: dict = {}
_ONES64: dict = {}
_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
SQUARE = 16


def ones_for(n, dtype):
    """(ones,) such that ``e.dot(ones)`` sums rows, or () for what is neither float32 nor float64.

    A product sums faster than a reduction does. Short rows get a square of ones: it repeats the sum in every
    column, and dividing arrays of one shape saves more than the product costs.
    """
    table = _ONES32 if dtype is _F32 else _ONES64 if dtype is _F64 else None
    if table is None:
        return ()
    made = table.get(n)
    if made is None:
        if len(table) > 1000:
            table.clear()
        made = table[n] = (np.ones((n, n if n <= SQUARE else 1), dtype),)
    return made


def _prepared(x, dim, dtype, name):
    """The array to work on, the dimension, and the dtype of the result."""
    if dtype is not None:
        x = x.astype(dtype.numpy) if x.dtype != dtype.numpy else x
    kind = x.dtype.kind
    result = x.dtype
    if kind != "f" or x.itemsize == 2:
        if kind in "iub":
            raise refuse(name, x.dtype)
        if kind != "c":
            x = x.astype(np.float32)
    return contiguous(x), wrap_dim(dim, x.ndim), result


def softmax(input, dim, dtype=None):
    """``exp(x) / exp(x).sum(dim)``."""
    x = input
    if (dim == -1 or dim == x.ndim - 1) and dtype is None and 0 < x.size <= SMALL and x.ndim:
        n = x.shape[-1]
        ones = _ONES32.get(n) if x.dtype is _F32 else None
        if ones is None:
            ones = ones_for(n, x.dtype)
        if ones:
            flat = x.ravel()
            if flat.base is None:           # a copy, so x does not lie in C order; the result shall
                x = flat.reshape(x.shape)
            e = _exp(x)
            s = e.dot(ones[0])
            if flat.dot(flat) <= SQUARES or _min_reduce(s, None) >= 1e-3 and _max_reduce(s, None) <= 1e30:
                return _divide(e, s, e)
    x, dim, result = _prepared(x, dim, dtype, "softmax_lastdim_kernel_impl")
    if x.ndim == 0 or x.size == 0:
        return np.ones_like(x, dtype=result) if x.ndim == 0 and not np.isnan(x) else np.array(x * 0, result)
    if x.dtype.kind == "c":
        e = _exp(x - x.real.max(dim, keepdims=True))
    else:
        e = _subtract(x, _max_reduce(x, dim, None, None, True))
        _exp(e, e)
    _divide(e, _add_reduce(e, dim, None, None, True), e)
    return e if e.dtype == result else e.astype(result)


def log_softmax(input, dim, dtype=None):
    """``x - log(exp(x).sum(dim))``."""
    x = input
    if (dim == -1 or dim == x.ndim - 1) and dtype is None and 0 < x.size <= SMALL and x.ndim:
        n = x.shape[-1]
        ones = ones_for(n, x.dtype)
        if ones:
            flat = x.ravel()
            if flat.dot(flat) <= LOG_SQUARES:
                e = _exp(flat.reshape(x.shape) if flat.base is None else x)
                return _log(_divide(e, e.dot(ones[0]), e), e)
    x, dim, result = _prepared(x, dim, dtype, "log_softmax_lastdim_kernel_impl")
    if x.ndim == 0 or x.size == 0:
        return np.array(x * 0, result)
    if x.dtype.kind == "c":
        shifted = x - x.real.max(dim, keepdims=True)
    else:
        shifted = _subtract(x, _max_reduce(x, dim, None, None, True))
    s = np.asarray(_add_reduce(_exp(shifted), dim, None, None, True))
    _subtract(shifted, np.log(s), shifted)
    return shifted if shifted.dtype == result else shifted.astype(result)


# Neither hushed nor heard: the callers of these need not turn warnings off.
softmax, log_softmax = nameless(softmax), nameless(log_softmax)


def softmax_backward(g, out, dim):
    """``out * (g - (g * out).sum(dim))``."""
    if out.ndim == 0:
        return g * out - g * out
    made = _multiply(g, out)
    if (
        (dim == -1 or dim == made.ndim - 1)
        and made.size <= SMALL
        and (ones := ones_for(made.shape[-1], made.dtype))
    ):
        s = made.dot(ones[0])
    else:
        s = _add_reduce(made, dim, None, None, True)
    _subtract(made, _multiply(out, s), made)
    return made


def log_softmax_backward(g, out, dim):
    """``g - exp(out) * g.sum(dim)``."""
    if out.ndim == 0:
        return g - np.exp(out) * g
    made = _exp(out)
    _multiply(made, _add_reduce(g, dim, None, None, True), made)
    return _subtract(g, made, made) if made.dtype == g.dtype else g - made


def small_exponentials(x):
    """For a small 2-d array whose exponentials are safe (see above): (exp(x), row sums as (N, 1) or (N, n)),
    else None."""
    if x.size <= SMALL:
        flat = x.ravel()
        if flat.dot(flat) <= LOG_SQUARES:
            ones = ones_for(x.shape[1], x.dtype)
            e = _exp(x)
            return e, e.dot(ones[0])
    return None


def logsumexp_parts(x, dim):
    """(x's maximum, log of the sum of ``exp(x - maximum)``), with ``dim`` kept."""
    top = _max_reduce(x, dim, None, None, True)
    shifted = _subtract(x, top)
    return top, np.log(_add_reduce(_exp(shifted, shifted), dim, None, None, True))
