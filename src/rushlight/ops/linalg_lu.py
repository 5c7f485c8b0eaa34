"""LU factors with partial pivoting, and systems solved by them.

``A = P L U``: P exchanges rows, L is lower triangular with ones on its diagonal, U upper triangular. L and U of an m by n matrix
share one array; pivots say, as LAPACK's, which row each row was exchanged with, one after the other, counted from 1.
"""
import warnings

import numpy as np

from ..kernels import linalg as kernels
from ..kernels.linalg import need_shapes
from ..tensor import wrap
from ._linalg import adjoint, exactly, eye_like, give_all, give_one, named, need_tensors, on_page, show
from ._reduced import like, plain, total
from .declare import Array, both, composite, op

__all__ = ["lower_of", "upper_of"]


def lower_of(factors):
    """L of two in one: (*, m, min(m, n)), with its ones."""
    m, n = factors.shape[-2:]
    k = min(m, n)
    return both.tril(factors[..., :k], -1) + eye_like(factors, m, k)


def upper_of(factors):
    """U of two in one: (*, min(m, n), n)."""
    m, n = factors.shape[-2:]
    return both.triu(factors[..., :min(m, n), :])


def _check_lu(A, pivot, name):
    if A.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead")
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU\nLeave pivot=True.")
    kernels.need_kernel("lu_cpu", A)


def _zero_on_diagonal(name, info):
    """RuntimeError for factors with which no system can be solved."""
    if info.any():
        at = int(np.flatnonzero(info)[0])
        batch = f"(Batch element {at}): " if info.ndim else ""
        row = int(info.reshape(-1)[at])
        raise RuntimeError(f"{name}: {batch}U[{row},{row}] is zero and using it on lu_solve would result in a division by zero. If you "
                           "still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
                           "linalg.lu_factor_ex(A, pivot)")


# ---------------------------------------------------------------- factors

@op(function=False, returns=("LU", "pivots", "info"), out=exactly)
def linalg_lu_factor_ex(A: Array, *, pivot=True, check_errors=False):
    """LU factors in one tensor (*, m, n), LAPACK's pivots (*, min(m, n)), and ``info``: 0, or the first zero of U's diagonal."""
    _check_lu(A, pivot, "torch.lu_factor")
    made, pivots = kernels.lu(A)
    info = kernels.first_zero(made)
    if check_errors:
        _zero_on_diagonal("torch.linalg.lu_factor_ex", info)
    return made, pivots, info


@linalg_lu_factor_ex.derivatives
def _factor_gradient(g0, out0, out1):
    if g0 is None:
        return (None,)
    k = min(out0.shape[-2:])
    order = kernels.from_pivots(plain(out1), out0.shape[-2])
    return (through_lu(both.tril(g0[..., :k], -1), both.triu(g0[..., :k, :]), lower_of(out0), upper_of(out0), order),)


def through_lu(to_lower, to_upper, lower, upper, order):
    """The gradient of LU factors with respect to the matrix; gradients that are None count as zero."""
    m, n, k = lower.shape[-2], upper.shape[-1], lower.shape[-1]
    square_l, square_u = lower[..., :k, :], upper[..., :k]
    inner = outer = below = beside = None
    if to_lower is not None:
        inner = adjoint(square_l) @ to_lower[..., :k, :]
        if m > k:
            outer = -(adjoint(lower[..., k:, :]) @ to_lower[..., k:, :])
            below = both.linalg_solve_triangular(adjoint(square_u), to_lower[..., k:, :], upper=False, left=False)
    if to_upper is not None:
        outer = total(outer, to_upper[..., :k] @ adjoint(square_u))
        if n > k:
            inner = total(inner, -(to_upper[..., k:] @ adjoint(upper[..., k:])))
            beside = both.linalg_solve_triangular(adjoint(square_l), to_upper[..., k:], upper=True, unitriangular=True)
    made = total(None if inner is None else both.tril(inner, -1), None if outer is None else both.triu(outer))
    made = both.linalg_solve_triangular(adjoint(square_u), made, upper=False, left=False)
    made = both.linalg_solve_triangular(adjoint(square_l), made, upper=True, unitriangular=True)
    if below is not None:
        made = both.cat([made, below], -2)
    elif m > k:
        made = both.cat([made, like(made, np.zeros((*made.shape[:-2], m - k, k), plain(made).dtype))], -2)
    if n > k:
        if beside is None:
            beside = like(made, np.zeros((*made.shape[:-2], m, n - k), plain(made).dtype))
        made = both.cat([made, beside], -1)
    return like(made, kernels.permutation(order, plain(made).dtype)) @ made


@on_page
@named("LU", "pivots")
def linalg_lu_factor(A, *, pivot=True, out=None):
    """LU factors in one tensor (*, m, n) and LAPACK's pivots (*, min(m, n)), for ``lu_solve``.

    RuntimeError for a matrix of which U has a zero on its diagonal.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.lu_factor(torch.tensor([[1., 2.], [2., 2.]])).LU
        tensor([[2.0000, 2.0000],
                [0.5000, 1.0000]])
    """
    need_tensors("linalg_lu_factor", A=A)
    made, pivots, info = linalg_lu_factor_ex.public(A, pivot=pivot)
    _zero_on_diagonal("torch.linalg.lu_factor", info._a)
    return give_all(out, (made, pivots), linalg_lu_factor)


@op(function=False, out=False, multiple=True, grad_name="LinalgLuBackward0")
def _linalg_lu(A: Array):
    """(the rows' order, L, U)."""
    made, pivots = kernels.lu(A)
    k = min(A.shape[-2:])
    lower = np.tril(made[..., :k], -1) + np.eye(A.shape[-2], k, dtype=A.dtype)
    return kernels.from_pivots(pivots, A.shape[-2]), lower, np.triu(made[..., :k, :])


@_linalg_lu.derivatives
def _lu_gradient(g0, g1, g2, out0, out1, out2):
    if g1 is None and g2 is None:
        return (None,)
    return (through_lu(g1, g2, out1, out2, plain(out0)),)


@on_page
@named("P", "L", "U")
def linalg_lu(A, *, pivot=True, out=None):
    """P (*, m, m), L (*, m, k) and U (*, k, n) with ``A = P @ L @ U`` and k the smaller of m and n, for A (*, m, n)."""
    need_tensors("linalg_lu", A=A)
    _check_lu(A._a, pivot, "linalg.lu")
    order, lower, upper = _linalg_lu.public(A)
    return give_all(out, (wrap(kernels.permutation(order._a, A._a.dtype)), lower, upper), linalg_lu)


# ---------------------------------------------------------------- what is done with them

@op(function=False, out=False, multiple=True, grad_name="LuUnpackBackward0")
def _lu_unpack(LU_data: Array, unpack_data=True):
    """(L, U)."""
    if not unpack_data:
        return np.zeros((0,), LU_data.dtype), np.zeros((0,), LU_data.dtype)
    m, n = LU_data.shape[-2:]
    k = min(m, n)
    return np.tril(LU_data[..., :k], -1) + np.eye(m, k, dtype=LU_data.dtype), np.triu(LU_data[..., :k, :])


@_lu_unpack.derivatives
def _unpack_gradient(g0, g1, LU_data_shape, unpack_data):
    if not unpack_data or g0 is None and g1 is None:
        return (None,)
    *batch, m, n = LU_data_shape
    k, some = min(m, n), g0 if g0 is not None else g1

    def zeros(*shape):
        return like(some, np.zeros((*batch, *shape), plain(some).dtype))
    made = both.cat([both.tril(g0, -1), zeros(m, n - k)], -1) if g0 is not None else zeros(m, n)
    return (made if g1 is None else made + both.cat([both.triu(g1), zeros(m - k, n)], -2),)


@composite
@named("P", "L", "U")
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None):
    """P, L and U from what ``linalg.lu_factor`` gives; parts that are not wanted are empty.

    Example::

        >>> import rushlight as torch
        >>> A = torch.tensor([[1., 2.], [3., 4.]])
        >>> P, L, U = torch.lu_unpack(*torch.linalg.lu_factor(A))
        >>> torch.allclose(P @ L @ U, A)
        True
    """
    need_tensors("lu_unpack", LU_data=LU_data, LU_pivots=LU_pivots)
    if unpack_pivots and LU_pivots._a.dtype != np.int32:
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this function "
                           "is intended to be used with the output produced by torch.linalg.lu_factor")
    if LU_data.ndim < 2:
        raise RuntimeError("torch.lu_unpack: The input tensor LU must have at least 2 dimensions.")
    lower, upper = _lu_unpack.public(LU_data, unpack_data)
    p = np.zeros((0,), LU_data._a.dtype)
    if unpack_pivots:
        p = kernels.permutation(kernels.from_pivots(LU_pivots._a, LU_data.shape[-2]), LU_data._a.dtype)
    return give_all(out, (wrap(p), lower, upper), lu_unpack)


@op(function=False, out=exactly)
def linalg_lu_solve(LU: Array, pivots: Array, B: Array, *, left=True, adjoint=False):
    """X with ``A X = B`` from ``linalg.lu_factor(A)``; ``X A = B`` with ``left=False``; A^H in place of A with ``adjoint``.

    Example::

        >>> import rushlight as torch
        >>> factors = torch.linalg.lu_factor(torch.tensor([[2., 0.], [0., 4.]]))
        >>> torch.linalg.lu_solve(*factors, torch.ones(2, 1))
        tensor([[0.5000],
                [0.2500]])
    """
    name = "linalg.lu_solve"
    if LU.dtype != B.dtype:
        kernels.need_solvable(name, LU, B, left)
    if pivots.dtype != np.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32\nGive those of linalg.lu_factor.")
    need_shapes(name, LU, B, left)
    if pivots.shape[-1:] != LU.shape[-1:]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if pivots.shape[:-1] != LU.shape[:-2]:
        raise RuntimeError(f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(pivots.shape)} instead")
    kernels.need_kernel("lu_solve_cpu", LU)
    factors, right = kernels.double(LU), kernels.double(B)
    if left:
        made = kernels.by_lu(factors, pivots, right, adjoint)
    else:                                       # X A = B is A^H X^H = B^H
        made = np.ascontiguousarray(kernels.adjoint(kernels.by_lu(factors, pivots, kernels.adjoint(right), not adjoint)))
    return made.astype(B.dtype, copy=False)


@linalg_lu_solve.derivatives
def _lu_solve_gradients(g, LU, pivots, out, left, adjoint, needs):
    to_b = both.linalg_lu_solve(LU, pivots, g, left=left, adjoint=not adjoint)
    if not needs[0]:
        return None, None, to_b
    turned, of_b = _turned(out), _turned(to_b)
    if left:
        to_a = -(out @ of_b) if adjoint else -(to_b @ turned)
    else:
        to_a = -(of_b @ out) if adjoint else -(turned @ to_b)
    order = kernels.from_pivots(plain(pivots), LU.shape[-1])
    inner = like(to_a, np.swapaxes(kernels.permutation(order, plain(LU).dtype), -1, -2)) @ to_a
    return both.tril(inner @ _turned(upper_of(LU)), -1) + both.triu(_turned(lower_of(LU)) @ inner), None, to_b


_turned = adjoint       # which in `lu_solve` and its rule is the name of a parameter


@composite(method=True)
def lu_solve(input, LU_data, LU_pivots, *, out=None):
    """``linalg.lu_solve`` with the right side first. Deprecated, as in PyTorch: it warns."""
    need_tensors("lu_solve", input=input, LU_data=LU_data, LU_pivots=LU_pivots)
    warnings.warn("torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch release.\n"
                  "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
                  "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)", UserWarning, stacklevel=3)
    return give_one(out, linalg_lu_solve.public(LU_data, LU_pivots, input), "lu_solve")


show(linalg_lu_factor_ex, linalg_lu_solve)
