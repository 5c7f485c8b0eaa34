"""Factors of Hermitian matrices, of which one triangle counts: Cholesky for positive definite ones, LDL for the others."""
import warnings

import numpy as np

from ..kernels import linalg_factors as kernels
from ..kernels.errors import scalar_name
from ..kernels.linalg import adjoint as turned
from ..kernels.linalg import inverse, need_floating, need_kernel, need_matrix, need_square, triangular
from ._linalg import adjoint, exactly, give_all, give_one, named, need_none, need_tensors, on_page, show
from .declare import Array, both, composite, op
from .linalg_solving import singular

__all__ = []


# ---------------------------------------------------------------- Cholesky

def _not_definite(order):
    return ("The factorization could not be completed because the input is not positive-definite (the leading minor of order "
            f"{order} is not positive-definite).")


def _cholesky_gradient(g, factor, upper):
    """Half of what changes below the diagonal in L^H g, between the inverses of L (Murray 2016)."""
    lower, to_lower = (adjoint(factor), adjoint(g)) if upper else (factor, g)
    inner = adjoint(lower) @ to_lower
    inner = (both.tril(inner) + adjoint(both.tril(inner, -1))) * 0.5
    inner = both.linalg_solve_triangular(adjoint(lower), inner, upper=True)
    return both.linalg_solve_triangular(lower, inner, upper=False, left=False)


@op(function=False, returns=("L", "info"), out=exactly)
def linalg_cholesky_ex(input: Array, *, upper=False, check_errors=False):
    """Cholesky factors, and ``info``: 0, or the order of the first minor that is not positive.

    Named results ``L`` and ``info`` (int32). What ``L`` holds for a matrix that is not positive definite means nothing.
    """
    need_square("linalg.cholesky", input)
    need_floating("linalg.cholesky", input, low=True)
    need_kernel("cholesky_cpu", input)
    made, info = kernels.cholesky(input, bool(upper))
    if check_errors:
        need_none("linalg.cholesky_ex", info, _not_definite)
    return made, info


@linalg_cholesky_ex.derivatives
def _cholesky_ex_gradient(g0, out0, upper):
    return (None if g0 is None else _cholesky_gradient(g0, out0, upper),)


@on_page
def linalg_cholesky(input, *, upper=False, out=None):
    """L, lower triangular, with ``L @ L.mH = input``, for Hermitian positive definite matrices; U, ``U.mH @ U = input``, with ``upper``.

    Only the triangle that is asked for is read. ``LinAlgError`` for a matrix that is not positive definite.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.cholesky(torch.tensor([[4., 2.], [2., 5.]]))
        tensor([[2., 0.],
                [1., 2.]])
    """
    need_tensors("linalg_cholesky", input=input)
    made, info = linalg_cholesky_ex.public(input, upper=upper)
    need_none("linalg.cholesky", info, _not_definite)
    return give_one(out, made, "linalg_cholesky")


@op(function=False, out=False, grad_name="CholeskyBackward0")
def _cholesky(input: Array, upper=False):
    """``cholesky`` as an operator."""
    need_square("cholesky", input)
    need_kernel("cholesky_cpu", input)
    made, info = kernels.cholesky(input, bool(upper))
    need_none("cholesky", info, _not_definite)
    return made


_cholesky.derivative(input=lambda g, out, upper: _cholesky_gradient(g, out, upper))


@composite(method=True)
def cholesky(input, upper=False, *, out=None):
    """``linalg.cholesky`` under its older name. Deprecated, as in PyTorch: it warns."""
    need_tensors("cholesky", input=input)
    warnings.warn("torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.\n"
                  "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\n"
                  "should be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent results for all valid "
                  "(symmetric positive definite) inputs.", UserWarning, stacklevel=3)
    return give_one(out, _cholesky.public(input, upper), "cholesky")


@op(method=True, out=exactly)
def cholesky_inverse(input: Array, upper=False):
    """The inverse of ``A = L L^H`` from its Cholesky factor L (or, with ``upper``, of ``U^H U``).

    Example::

        >>> import rushlight as torch
        >>> torch.cholesky_inverse(torch.tensor([[2., 0.], [0., 1.]]))
        tensor([[0.2500, 0.0000],
                [0.0000, 1.0000]])
    """
    need_square("cholesky_inverse", input)
    need_kernel("cholesky_inverse_out_cpu", input)
    zero = np.diagonal(input, axis1=-2, axis2=-1) == 0
    need_none("cholesky_inverse", np.where(zero.any(-1), zero.argmax(-1) + 1, 0) if zero.size else np.zeros(()), singular)
    factor = np.triu(input) if upper else np.tril(input)
    made = inverse(factor)[0]
    return made @ turned(made) if upper else turned(made) @ made


@cholesky_inverse.derivatives
def _cholesky_inverse_gradient(g, input, out, upper):
    inner = out @ (g + adjoint(g)) @ out
    return (-(input @ inner) if upper else -(inner @ input),)


@op(method=True, out=exactly)
def cholesky_solve(input: Array, input2: Array, upper=False):
    """X with ``A X = input``, from the Cholesky factor ``input2`` of A."""
    if input.ndim < 2:
        raise RuntimeError(f"b should have at least 2 dimensions, but has {input.ndim} dimensions instead")
    if input2.ndim < 2:
        raise RuntimeError(f"u should have at least 2 dimensions, but has {input2.ndim} dimensions instead")
    need_square("cholesky_solve", input2)
    if input.dtype != input2.dtype:
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type {scalar_name(input.dtype)} and A of type "
                           f"{scalar_name(input2.dtype)} instead\nConvert one of them with .to(dtype).")
    if input.shape[-2] != input2.shape[-1]:
        raise RuntimeError(f"Incompatible matrix sizes for cholesky_solve: each A matrix is {input2.shape[-2]} by {input2.shape[-1]} "
                           f"but each b matrix is {input.shape[-2]} by {input.shape[-1]}")
    need_kernel("cholesky_solve_cpu", input)
    lower = turned(input2) if upper else input2
    return triangular(turned(lower), triangular(lower, input, False), True)


@cholesky_solve.derivatives
def _cholesky_solve_gradients(g, input2, out, upper, needs):
    to_b = both.cholesky_solve(g, input2, upper)
    if not needs[1]:
        return to_b, None
    inner = to_b @ adjoint(out)
    inner = inner + adjoint(inner)
    return to_b, -(input2 @ inner) if upper else -(inner @ input2)


# ---------------------------------------------------------------- LDL

@op(function=False, returns=("LD", "pivots", "info"), out=exactly)
def linalg_ldl_factor_ex(input: Array, *, hermitian=False, check_errors=False):
    """The factors of symmetric (or, with ``hermitian``, Hermitian) matrices as LAPACK's ``sytrf`` packs them.

    Named results ``LD``, ``pivots`` (int32) and ``info``: 0, or the first zero on the diagonal of D. Only the lower triangle is read.
    Without gradient, as in PyTorch.
    """
    name = "torch.linalg.ldl_factor_ex"
    need_square(name, input)
    need_floating(name, input, low=True)
    need_kernel("ldl_factor_kernel_cpu", input)
    made, pivots, info = kernels.ldl(input, hermitian)
    if check_errors:
        _zero_in_d("torch.linalg.ldl_factor_ex", info)
    return made, pivots, info


def _zero_in_d(name, info):
    if info.any():
        code = int(info.reshape(-1)[np.flatnonzero(info)[0]])
        raise RuntimeError(f"{name}: Unknown error code: {code}.\nThe element {code} on the diagonal of D is zero; "
                           "ldl_factor_ex gives the factors all the same.")


@on_page
@named("LD", "pivots")
def linalg_ldl_factor(input, *, hermitian=False, out=None):
    """``ldl_factor_ex`` without ``info``: a matrix with a zero in D raises RuntimeError.

    Example::

        >>> import rushlight as torch
        >>> factors = torch.linalg.ldl_factor(torch.tensor([[0., 1.], [1., 0.]]))
        >>> torch.linalg.ldl_solve(*factors, torch.tensor([[1.], [2.]]))
        tensor([[2.],
                [1.]])
    """
    need_tensors("linalg_ldl_factor", input=input)
    made, pivots, info = linalg_ldl_factor_ex.public(input, hermitian=hermitian)
    _zero_in_d("torch.linalg.ldl_factor", info._a)
    return give_all(out, (made, pivots), linalg_ldl_factor)


@op(function=False, out=exactly)
def linalg_ldl_solve(LD: Array, pivots: Array, B: Array, *, hermitian=False):
    """X with ``A X = B`` from what ``ldl_factor`` gives for A. Without gradient, as in PyTorch."""
    name = "torch.linalg.ldl_solve"
    need_square(name, LD)
    if B.ndim < 2:
        raise IndexError(f"Dimension out of range (expected to be in range of [-1, 0], but got -2)\n{name}: B has no columns.")
    need_matrix(name, B, "B")
    if pivots.dtype.kind not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {scalar_name(pivots.dtype)}")
    if LD.dtype != B.dtype:
        raise RuntimeError(f"ldl_solve: Expected LD and B to have the same dtype, but found LD of type {scalar_name(LD.dtype)} and B "
                           f"of type {scalar_name(B.dtype)} instead\nConvert one of them with .to(dtype).")
    if LD.shape[-1] != B.shape[-2]:
        raise RuntimeError("Incompatible matrix sizes for ldl_solve: each A matrix is "
                           f"{LD.shape[-1]} by {LD.shape[-2]} but each b matrix is {B.shape[-2]} by {B.shape[-1]}")
    if pivots.shape != LD.shape[:-1]:
        raise RuntimeError(f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(pivots.shape)} instead")
    need_kernel("ldl_solve_cpu", LD)
    return kernels.ldl_solve(LD, pivots, B, hermitian)


show(linalg_cholesky_ex, linalg_ldl_factor_ex, linalg_ldl_solve)
