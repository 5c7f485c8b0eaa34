"""Running sums, products and extremes along one axis.

PyTorch carries a running value in float64 for float32 tensors (float32 for half types is not enough there
either) and rounds each step; so do these, which makes them equal to its last bit. Log-sum-exp runs carry the
sum as a logarithm. All results are contiguous, whatever the input's strides.
"""
import numpy as np

from ..dtypes import BY_NUMPY
from .memory import contiguous
from .reduce import one_axis

__all__ = ["running_sum", "running_sum_back", "running_product", "product_gradient", "running_extreme",
           "gather_at", "add_at",
           "running_logsumexp", "log_weighted_back", "log_weighted"]

_wider = {np.dtype(np.complex64): np.dtype(np.complex128), np.dtype(np.complex128): np.dtype(np.complex128)}
_i64, _f32, _f64 = np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.float64)


def _accumulate(ufunc, x, axis, dtype):
    if dtype.kind in "iu":
        return ufunc.accumulate(x, axis, dtype)
    if dtype.kind == "b":
        return ufunc.accumulate(x.astype(_i64), axis) != 0
    carried = _wider.get(dtype, _f64)
    made = ufunc.accumulate(x if x.dtype.kind != "V" else x.astype(_f64), axis, carried)
    return made if carried == dtype else made.astype(dtype)


def _start(x, dim, dtype):
    """(x in the dtype to run in, axis or None for a 0-d array, that dtype)."""
    if dtype is None:
        dtype = x.dtype if x.dtype.kind in "fcV" else _i64
    axis = one_axis(dim, x.ndim)
    if x.dtype != dtype:
        x = x.astype(dtype)
    return contiguous(x), (axis if x.ndim else None), dtype


def running_sum(x, dim, dtype=None):
    """The sums of the elements up to each one."""
    if dtype is None and x.ndim and (x.dtype is _f32 or x.dtype is _f64):
        made = np.add.accumulate(contiguous(x), one_axis(dim, x.ndim), _f64)
        return made if x.dtype is _f64 else made.astype(_f32)
    x, axis, dtype = _start(x, dim, dtype)
    return x.copy() if axis is None else _accumulate(np.add, x, axis, dtype)


def running_sum_back(x, dim):
    """The sums of the elements from each one on."""
    x, axis, dtype = _start(np.asarray(x), dim, None)
    if axis is None:
        return x.copy()
    turned = (slice(None),) * axis + (slice(None, None, -1),)
    return np.ascontiguousarray(_accumulate(np.add, x[turned], axis, dtype)[turned])


def running_product(x, dim, dtype=None):
    """The products of the elements up to each one."""
    x, axis, dtype = _start(x, dim, dtype)
    return x.copy() if axis is None else _accumulate(np.multiply, x, axis, dtype)


def product_gradient(g, x, out, dim):
    """The gradient of ``running_product``, also where elements are 0.

    Before a line's first 0 the plain formula holds (the sum of g * out from here on, over x). At it, the
    products are those with this element replaced by 1. After it nothing arrives.
    """
    axis = one_axis(dim, x.ndim)
    out = np.conj(out)
    if x.ndim == 0:
        return g
    zero = x == 0
    if not zero.any():
        return running_sum_back(g * out, dim) / np.conj(x)
    seen = np.logical_or.accumulate(zero, axis)
    first = zero & (np.cumsum(zero, axis) == 1)
    before = running_sum_back(g * out, dim) / np.conj(np.where(zero, x.dtype.type(1), x))
    repaired = np.multiply.accumulate(np.where(first, x.dtype.type(1), x), axis)
    at = running_sum_back(np.where(seen, g * np.conj(repaired), x.dtype.type(0)), dim)
    return np.where(first, at, np.where(seen, x.dtype.type(0), before))


def running_extreme(ufunc, x, dim):
    """(extremes so far, where they stand: the last of equals); NaN stays once met."""
    axis = one_axis(dim, x.ndim)
    if x.ndim == 0:
        return x.copy(), np.zeros((), _i64)
    x = contiguous(x)
    given = x.dtype
    if given.kind == "V":
        x = x.astype(_f32)
    values = ufunc.accumulate(x, axis)
    hit = x == values
    if x.dtype.kind == "f":
        hit |= x != x
    shape = [1] * x.ndim
    shape[axis] = -1
    places = np.where(hit, np.arange(x.shape[axis]).reshape(shape), 0)
    return values.astype(given), np.maximum.accumulate(places, axis)


def gather_at(x, index, dim):
    """``x`` at ``index`` along ``dim`` (the other dimensions of equal length)."""
    return np.take_along_axis(x, index, dim % x.ndim) if x.ndim else x.copy()


def add_at(g, index, shape, dim):
    """Zeros of ``shape`` to which ``g`` is added at ``index`` along ``dim``; indices may repeat."""
    g = np.asarray(g)
    if not shape:
        return g.reshape(()).copy()
    axis = dim % len(shape)
    carried = _f32 if BY_NUMPY[g.dtype].low_precision else g.dtype
    made = np.zeros(shape, carried)
    lines = np.moveaxis(made, axis, -1)
    flat = np.zeros(lines.shape, carried)
    rows = flat.reshape(-1, shape[axis]) if flat.size else flat.reshape(0, shape[axis])
    at = np.moveaxis(index, axis, -1).reshape(rows.shape[0], index.shape[axis])
    start = np.arange(rows.shape[0])[:, None] * shape[axis]
    given = np.moveaxis(g, axis, -1).reshape(-1).astype(carried, copy=False)
    np.add.at(rows.reshape(-1), (at + start).reshape(-1), given)
    lines[...] = flat
    return made.astype(g.dtype, copy=False)


# ---------------------------------------------------------------- logarithms of running sums

def _log_add(a, b):
    """``log(exp(a) + exp(b))`` of complex numbers, the greater real part taken out."""
    swap = b.real > a.real
    high, low = np.where(swap, b, a), np.where(swap, a, b)
    return np.where(np.isneginf(high.real), high, high + np.log1p(np.exp(low - high)))


def running_logsumexp(x, dim):
    """``log(sum(exp))`` of the elements up to each one."""
    axis = one_axis(dim, x.ndim)
    if x.ndim == 0 or not x.size:
        return x.copy()
    x = contiguous(x)
    given = x.dtype
    if given.kind != "c":
        return np.logaddexp.accumulate(x.astype(_f64), axis).astype(given)
    lines = np.moveaxis(x.astype(np.complex128), axis, 0)
    made = np.empty_like(lines)
    made[0] = lines[0]
    for i in range(1, len(lines)):
        made[i] = _log_add(made[i - 1], lines[i])
    return np.ascontiguousarray(np.moveaxis(made, 0, axis)).astype(given)


def _falls(out):
    """exp(out[i] - out[i + 1]) along the first axis, 1 where both are equal (infinities included)."""
    return np.where(out[:-1] == out[1:], 1, np.exp(out[:-1] - out[1:]))


def log_weighted_back(g, x, out, dim):
    """``sum over i >= k of g[i] * conj(exp(x[k] - out[i]))``: the gradient of ``running_logsumexp``.

    Exponents of differences of neighbours only, so nothing overflows.
    """
    if x.ndim == 0:
        return g * np.conj(np.exp(x - out))
    axis = one_axis(dim, x.ndim)
    lines, x0, out0 = (np.moveaxis(a, axis, 0) for a in (g, x, out))
    made = np.array(lines)
    fall = np.conj(_falls(out0))
    for k in range(len(made) - 2, -1, -1):
        made[k] += made[k + 1] * fall[k]
    return np.ascontiguousarray(np.moveaxis(made * np.conj(np.exp(x0 - out0)), 0, axis))


def log_weighted(t, x, out, dim):
    """``sum over k <= i of t[k] * exp(x[k] - out[i])``."""
    if x.ndim == 0:
        return t * np.exp(x - out)
    axis = one_axis(dim, x.ndim)
    lines, x0, out0 = (np.moveaxis(a, axis, 0) for a in (t, x, out))
    made = lines * np.exp(x0 - out0)
    fall = _falls(out0)
    for i in range(1, len(made)):
        made[i] += made[i - 1] * fall[i - 1]
    return np.ascontiguousarray(np.moveaxis(made, 0, axis))
