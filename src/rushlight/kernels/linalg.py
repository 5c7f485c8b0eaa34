"""Systems of linear equations: what may be asked of matrices, LU with partial pivoting, triangles, inverses.

NumPy's LAPACK serves where it can (``solve``, ``inv``, ``cholesky``), in double precision, rounded at the end.
It says of a stack only that some matrix is singular; then the kernels here find out which, and where. They work
on whole stacks at once and by halving: both LU and the triangular solver split a matrix in two, so that nearly
all of their work is matrix products.
"""
import math

import numpy as np

from ..dtypes import BY_NUMPY, FLOATING
from .errors import refuse, scalar_name

__all__ = ["LinAlgError", "need_matrix", "need_square", "need_floating", "need_kernel", "need_solvable", "double", "adjoint", "is_vector",
           "lu", "permutation", "from_pivots", "triangular", "solve", "inverse", "first_zero"]

_BLOCK = 24         # below this size halving costs more than it saves


class _LinAlgError(RuntimeError):
    """Raised where a matrix does not allow what is asked: an inverse of a singular one, for instance."""


LinAlgError = _LinAlgError      # it shows itself as PyTorch's does


# ---------------------------------------------------------------- what is asked of the arguments

def need_matrix(name, x, argument="A"):
    """RuntimeError for fewer than two dimensions."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.\nIt has {x.ndim}.")


def need_square(name, x, argument="A"):
    """RuntimeError unless these are square matrices."""
    need_matrix(name, x, argument)
    if x.shape[-1] != x.shape[-2]:
        raise RuntimeError(f"{name}: {argument} must be batches of square matrices, but they are {x.shape[-2]} by {x.shape[-1]} "
                           "matrices\nThe last two sizes must be equal.")


def need_floating(name, x, low=False):
    """RuntimeError for integers, and for half types unless ``low``."""
    known = BY_NUMPY[x.dtype]
    if known.category < FLOATING:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {known.scalar_name}"
                           "\nConvert it with .float() first.")
    if not low and known.low_precision:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {known.scalar_name}\nConvert it with .float() first.")


def need_kernel(kernel, x):
    """NotImplementedError for dtypes that LAPACK lacks; ``kernel`` is PyTorch's name of the kernel."""
    if x.dtype.char not in "fdFD":
        raise refuse(kernel, x.dtype)


def need_solvable(name, a, b, left):
    """RuntimeError unless ``a X = b`` (or ``X a = b``) has an X: equal dtypes, square ``a``, fitting ``b``."""
    if a.dtype != b.dtype:
        raise RuntimeError(f"{name}: Expected A and B to have the same dtype, but found A of type {scalar_name(a.dtype)} and B of "
                           f"type {scalar_name(b.dtype)} instead\nConvert one of them with .to(dtype).")
    need_shapes(name, a, b, left)


def need_shapes(name, a, b, left):
    """RuntimeError unless ``a`` is square and ``b`` fits to it."""
    need_square(name, a)
    need_matrix(name, b, "B")
    if a.shape[-1] != b.shape[-2 if left else -1]:
        raise RuntimeError(f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
                           f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})")


def is_vector(a, b):
    """Whether the right side ``b`` of a system is one vector for each matrix, rather than a matrix."""
    return b.ndim == 1 or a.ndim - 1 == b.ndim and b.shape == a.shape[:-1]


def double(x):
    """An array in double precision, real or complex."""
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, copy=False)


def adjoint(x):
    """Transposed and conjugated."""
    x = np.swapaxes(x, -1, -2)
    return np.conjugate(x) if x.dtype.kind == "c" else x


def size_of(x):
    """How LAPACK compares candidates for a pivot: |re| + |im|."""
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


# ---------------------------------------------------------------- LU

def lu(x):
    """(L below and U above the diagonal, LAPACK's pivots counted from 1) of matrices (*, m, n).

    Row i was exchanged with row ``pivots[i]``, one after the other.
    """
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    made = np.array(double(x)).reshape(math.prod(batch), m, n)
    pivots, _ = _factor(made)
    return made.reshape(x.shape).astype(x.dtype, copy=False), (pivots + 1).astype(np.int32).reshape(*batch, min(m, n))


def _factor(a):
    """Factor a stack (b, m, n) in its place; (pivots from 0, which row went where)."""
    m, n = a.shape[-2:]
    if not a.size:
        return np.zeros((a.shape[0], min(m, n)), np.int64), np.broadcast_to(np.arange(m), (a.shape[0], m))
    half = min(m, n) // 2
    if half < _BLOCK:
        return _factor_one(a) if len(a) == 1 else _factor_plainly(a)
    first, order = _factor(a[:, :, :half])
    right = a[:, :, half:]
    right[...] = np.take_along_axis(right, order[:, :, None], 1)
    _substitute(a[:, :half, :half], right[:, :half], False, True)
    right[:, half:] -= a[:, half:, :half] @ right[:, :half]
    second, below = _factor(right[:, half:])
    left = a[:, half:, :half]
    left[...] = np.take_along_axis(left, below[:, :, None], 1)
    order = np.array(order)
    order[:, half:] = np.take_along_axis(order[:, half:], below, 1)
    return np.concatenate([first, second + half], 1), order


def _factor_plainly(a):
    """``_factor``, column by column."""
    count, m, n = a.shape
    order = np.array(np.broadcast_to(np.arange(m), (count, m)))
    pivots = np.zeros((count, min(m, n)), np.int64)
    each = np.arange(count)
    for j in range(min(m, n)):
        p = pivots[:, j] = size_of(a[:, j:, j]).argmax(1) + j
        if (p != j).any():
            for rows in (a, order):
                found = rows[each, p]
                rows[each, p] = rows[:, j]
                rows[:, j] = found
        top = a[:, j, j]
        a[:, j + 1:, j] /= np.where(top == 0, 1, top)[:, None]      # below a zero pivot all is zero
        a[:, j + 1:, j + 1:] -= a[:, j + 1:, j, None] * a[:, j, None, j + 1:]
    return pivots, order


def _factor_one(stack):
    """``_factor_plainly`` for a single matrix, with fewer steps for each column."""
    a = stack[0]
    m, n = a.shape
    order, pivots = np.arange(m), np.zeros((1, min(m, n)), np.int64)
    size = size_of if a.dtype.kind == "c" else np.abs
    for j in range(min(m, n)):
        p = pivots[0, j] = j + int(size(a[j:, j]).argmax())
        if p != j:
            row = a[j].copy()
            a[j] = a[p]
            a[p] = row
            order[j], order[p] = order[p], order[j]
        top = a[j, j]
        if top != 0:
            below = a[j + 1:, j]
            below /= top
            a[j + 1:, j + 1:] -= below[:, None] * a[j, j + 1:]
    return pivots, order[None]


def first_zero(factors):
    """LAPACK's ``info`` of LU factors: the number of the first zero on U's diagonal, counted from 1; 0 if there is none."""
    zero = np.diagonal(factors, axis1=-2, axis2=-1) == 0
    if not zero.shape[-1]:
        return np.zeros(zero.shape[:-1], np.int32)
    return np.where(zero.any(-1), zero.argmax(-1) + 1, 0).astype(np.int32)


def from_pivots(pivots, rows):
    """Which row of the matrix stands at each place of L U: (*, rows) whole numbers."""
    batch = pivots.shape[:-1]
    pivots = pivots.reshape(math.prod(batch), pivots.shape[-1]).astype(np.int64) - 1
    if pivots.size and (pivots.min() < 0 or pivots.max() >= rows):
        raise RuntimeError("pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result "
                           "of lu_factor?")
    order = np.array(np.broadcast_to(np.arange(rows), (len(pivots), rows)))
    each = np.arange(len(pivots))
    for j in range(min(pivots.shape[1], rows)):
        found = order[each, pivots[:, j]]
        order[each, pivots[:, j]] = order[:, j]
        order[:, j] = found
    return order.reshape(*batch, rows)


def permutation(order, dtype):
    """P with ``A = P L U``, from the rows' order."""
    made = order[..., None, :] == np.arange(order.shape[-1])[:, None]
    return made.astype(dtype, order="C")


# ---------------------------------------------------------------- triangles

def triangular(a, b, upper, left=True, unit=False):
    """X with ``a X = b`` (or ``X a = b``), of which ``a`` one triangle counts; a zero on the diagonal divides as zero does.

    ``unit``: take the diagonal for ones.
    """
    if not left:
        return np.swapaxes(triangular(np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2), not upper, True, unit), -1, -2)
    dtype = np.result_type(a.dtype, b.dtype)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    made = np.array(np.broadcast_to(double(b), batch + b.shape[-2:]), order="C")
    if made.dtype.kind != "c" and a.dtype.kind == "c":
        made = made.astype(np.complex128)
    if made.size:
        _substitute(double(a), made, upper, unit)
    return made.astype(dtype, copy=False)


def _substitute(a, x, upper, unit):
    """``triangular`` in the place of the right side."""
    n = a.shape[-1]
    if n > 2 * _BLOCK:
        half = n // 2
        low, high = slice(0, half), slice(half, None)
        first, rest = (high, low) if upper else (low, high)
        _substitute(a[..., first, first], x[..., first, :], upper, unit)
        x[..., rest, :] -= a[..., rest, first] @ x[..., first, :]
        _substitute(a[..., rest, rest], x[..., rest, :], upper, unit)
        return
    for i in reversed(range(n)) if upper else range(n):
        known = slice(i + 1, None) if upper else slice(0, i)
        if i < n - 1 if upper else i:
            x[..., i:i + 1, :] -= a[..., i:i + 1, known] @ x[..., known, :]
        if not unit:
            x[..., i, :] /= a[..., i, i, None]


# ---------------------------------------------------------------- systems and inverses

def solve(a, b):
    """(X with ``a X = b`` for square ``a``, ``info`` for each matrix ``a``)."""
    info = np.zeros(a.shape[:-2], np.int32)
    if not a.size or not b.size:
        return np.zeros(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:], b.dtype), info
    try:
        if b.ndim == 1:
            raise ValueError("the right side of a system is a matrix")
        return np.linalg.solve(a, b).astype(b.dtype, copy=False), info
    except np.linalg.LinAlgError:
        factors, pivots = lu(double(a))
        return by_lu(factors, pivots, double(b)).astype(b.dtype, copy=False), first_zero(factors)


def by_lu(factors, pivots, b, adjoint_of=False):
    """X with ``A X = b``, or ``A^H X = b``, from the LU factors of A."""
    order = from_pivots(pivots, factors.shape[-2])
    batch = np.broadcast_shapes(order.shape[:-1], b.shape[:-2])
    b = np.broadcast_to(b, batch + b.shape[-2:])
    order = np.broadcast_to(order, batch + order.shape[-1:])
    if not adjoint_of:
        b = np.take_along_axis(b, order[..., None], -2)
        return triangular(factors, triangular(factors, b, False, True, True), True)
    turned = adjoint(factors)
    made = triangular(turned, triangular(turned, b, False), True, True, True)
    back = np.argsort(order, -1)
    return np.take_along_axis(made, back[..., None], -2)


def inverse(a):
    """(the inverses, ``info``)."""
    try:
        return np.linalg.inv(a).astype(a.dtype, copy=False), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        return solve(a, np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape))
