"""Types of ``linalg``. Written by tools/make_stubs.py from the operators themselves; do not edit."""
from collections.abc import Sequence
from typing import Any

from .dtypes import dtype as _dtype
from .tensor import (
    Number,
    Tensor,
    _bool,
    _float,
    _int,
    _linalg_cholesky_ex,
    _linalg_eig,
    _linalg_eigh,
    _linalg_inv_ex,
    _linalg_ldl_factor,
    _linalg_ldl_factor_ex,
    _linalg_lstsq,
    _linalg_lu,
    _linalg_lu_factor,
    _linalg_lu_factor_ex,
    _linalg_qr,
    _linalg_slogdet,
    _linalg_solve_ex,
    _linalg_svd,
)

class LinAlgError(RuntimeError):
    """Raised where a matrix does not allow what is asked: an inverse of a singular one, for instance."""

def cholesky(input: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor:
    """L, lower triangular, with ``L @ L.mH = input``, for Hermitian positive definite matrices."""

def cholesky_ex(
    input: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: Tensor | None = None,
) -> _linalg_cholesky_ex:
    """Cholesky factors, and ``info``: 0, or the order of the first minor that is not positive."""

def cond(input: Tensor, p: Number | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number of matrices."""

def cross(input: Tensor, other: Tensor | Number, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """The cross products of vectors of length 3 along ``dim``, which broadcast."""

def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinants of square matrices (*, n, n): shape (*)."""

def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """``torch.diagonal`` of the last two dimensions: a view."""

def eig(input: Tensor, *, out: Tensor | None = None) -> _linalg_eig:
    """The eigenvalues (*, n) and, as columns, eigenvectors of length 1 (*, n, n) of square matrices."""

def eigh(input: Tensor, UPLO: str = 'L', *, out: Tensor | None = None) -> _linalg_eigh: ...

def eigvals(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...

def eigvalsh(input: Tensor, UPLO: str = 'L', *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of Hermitian matrices, ascending."""

def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first n columns of ``H_1 ..."""

def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverses of square matrices (*, n, n); ``LinAlgError`` for a singular one."""

def inv_ex(A: Tensor, *, check_errors: _bool = False, out: Tensor | None = None) -> _linalg_inv_ex:
    """The inverses of square matrices (*, n, n), and ``info``."""

def ldl_factor(
    input: Tensor, *, hermitian: _bool = False, out: Sequence[Tensor] | None = None,
) -> _linalg_ldl_factor:
    """``ldl_factor_ex`` without ``info``: a matrix with a zero in D raises RuntimeError."""

def ldl_factor_ex(
    input: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: Tensor | None = None,
) -> _linalg_ldl_factor_ex: ...

def ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """X with ``A X = B`` from what ``ldl_factor`` gives for A. Without gradient, as in PyTorch."""

def lstsq(
    input: Tensor, b: Tensor, rcond: _float | None = None, *, driver: str | None = None,
) -> _linalg_lstsq: ...

def lu(A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None) -> _linalg_lu: ...

def lu_factor(
    A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None,
) -> _linalg_lu_factor:
    """LU factors in one tensor (*, m, n) and LAPACK's pivots (*, min(m, n)), for ``lu_solve``."""

def lu_factor_ex(
    A: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: Tensor | None = None,
) -> _linalg_lu_factor_ex:
    """LU factors in one tensor (*, m, n), LAPACK's pivots (*, min(m, n)), and ``info``."""

def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: _bool = True,
    adjoint: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """X with ``A X = B`` from ``linalg.lu_factor(A)``."""

def matmul(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``torch.matmul``."""

def matrix_exp(input: Tensor) -> Tensor:
    """``torch.matrix_exp``: the exponentials of square matrices."""

def matrix_norm(
    input: Tensor,
    ord: str = 'fro',
    dim: _int | Sequence[_int] = ...,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input norm of matrices."""

def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """``torch.matrix_power``: the ``n``-th power of square matrices, of their inverses for negative ``n``."""

def matrix_rank(
    input: Tensor,
    *args: Any,
    atol: Tensor | Number | None = None,
    rtol: Tensor | Number | None = None,
    tol: Tensor | Number | None = None,
    hermitian: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...

def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of two or more matrices, multiplied in the order that costs least."""

def norm(
    input: Tensor,
    ord: Number | str | None = None,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
) -> Tensor:
    """A norm of a vector or of matrices, whichever ``dim`` and ``ord`` say."""

def pinv(
    input: Tensor,
    *args: Any,
    atol: Tensor | Number | None = None,
    rtol: Tensor | Number | None = None,
    hermitian: _bool = False,
    rcond: Tensor | Number | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The pseudoinverse (Moore and Penrose) of matrices (*, m, n): (*, n, m)."""

def qr(A: Tensor, mode: str = 'reduced', *, out: Tensor | None = None) -> _linalg_qr:
    """Q with orthonormal columns and R, upper triangular, with ``A = Q @ R``."""

def slogdet(A: Tensor, *, out: Tensor | None = None) -> _linalg_slogdet: ...

def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor: ...

def solve_ex(
    A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: Tensor | None = None,
) -> _linalg_solve_ex:
    """X with ``A X = B`` (``X A = B`` with ``left=False``), and ``info``."""

def solve_triangular(
    input: Tensor,
    B: Tensor,
    *,
    upper: Any,
    left: _bool = True,
    unitriangular: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...

def svd(
    A: Tensor, full_matrices: _bool = True, *, driver: str | None = None, out: Sequence[Tensor] | None = None,
) -> _linalg_svd:
    """U, S and Vh with ``A = U @ diag(S) @ Vh``: singular values S descending, U and Vh unitary."""

def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values of matrices (*, m, n), descending: shape (*, min(m, n))."""

def tensorinv(input: Tensor, ind: _int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``input`` as a map between tensors."""

def tensorsolve(
    input: Tensor,
    other: Tensor | Number,
    dims: _int | Sequence[_int] | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """X with ``tensordot(input, X, X.ndim) = other``."""

def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """The powers 0 to N - 1 of each element, along a new last dimension."""

def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """The sums of ``conj(x) * y`` along ``dim``; other dimensions broadcast."""

def vector_norm(
    input: Tensor,
    ord: Number | str | None = 2,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The ``ord``-norm of the elements over ``dim``, all of them by default, as if they were one vector."""
