"""Eigenvalues and singular values.

Eigenvectors and singular vectors are determined up to a factor of absolute value 1 each, and not at all where values repeat. A
gradient exists only for functions that do not depend on that choice: rules check the factor, where numbers are complex, and divide
by zero where values repeat, as PyTorch's do.
"""

import numpy as np

from ..kernels import linalg_factors as kernels
from ..kernels.errors import scalar_name
from ..kernels.linalg import need_floating, need_kernel, need_matrix, need_square
from ._linalg import adjoint, diagonal_matrix, exactly, give_all, give_one, is_complex, named, need_tensors, on_page, show
from ._reduced import like, plain
from .declare import Array, both, op

__all__ = ["svd_of", "singular_values", "off_diagonal"]


def _need_no_phase(name, what, diagonal):
    """RuntimeError where a gradient depends on the phase of complex vectors; ``diagonal`` would be real else."""
    turn = plain(diagonal).imag
    if not np.allclose(turn, 0, rtol=1e-2, atol=1e-2):
        raise RuntimeError(f"{name}: The {what} in the complex case are specified up to multiplication by e^{{i phi}}. The specified "
                           "loss function depends on this quantity, so it is ill-defined.\nUse what does not depend on the phase.")


def _diagonal(x):
    return both.sum(x * like(x, np.eye(x.shape[-1], dtype=plain(x).real.dtype)), -1, False)


def off_diagonal(x):
    """``x`` with zeros on the diagonal, whatever stood there."""
    return both.where(like(x, np.eye(x.shape[-1], dtype=bool)), 0, x)


def _gaps(values):
    """``values[j] - values[i]`` at (i, j), and 1 on the diagonal."""
    return values[..., None, :] - values[..., :, None] + like(values, np.eye(values.shape[-1], dtype=plain(values).real.dtype))


# ---------------------------------------------------------------- eigenvalues

@op(function=False, returns=("eigenvalues", "eigenvectors"), out=exactly)
def linalg_eig(input: Array):
    """The eigenvalues (*, n) and, as columns, eigenvectors of length 1 (*, n, n) of square matrices; complex, in LAPACK's order.

    RuntimeError for integers and for nan or infinity.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.eig(torch.tensor([[0., 1.], [-1., 0.]])).eigenvalues.imag
        tensor([ 1., -1.])
    """
    return kernels.eig(_need_eig("linalg.eig", input))


def _need_eig(name, input):
    need_square(name, input)
    if input.dtype.kind in "biu":
        raise RuntimeError(f"Unknown Complex ScalarType for {scalar_name(input.dtype)}\nConvert it with .float() first.")
    need_kernel("linalg_eig_out_cpu", input)
    return input


@linalg_eig.derivatives
def _eig_gradient(g0, g1, input_dtype, out0, out1):
    if g0 is None and g1 is None:
        return (None,)
    v = out1
    if g1 is None:
        inner = diagonal_matrix(g0)
    else:
        inner = adjoint(v) @ g1
        diagonal = _diagonal(inner)
        _need_no_phase("linalg_eig_backward", "eigenvectors", diagonal)
        inner = inner - adjoint(v) @ (v * diagonal.real[..., None, :])
        inner = off_diagonal(inner / both.conj(_gaps(out0)))
        if g0 is not None:
            inner = inner + diagonal_matrix(g0)
    made = both.linalg_solve_ex(adjoint(v), inner @ adjoint(v))[0]
    return (made if input_dtype.numpy.kind == "c" else made.real,)


@op(function=False, out=False, name="_linalg_eigvals", differentiable=False)
def _eigvals(input: Array):
    """The eigenvalues alone."""
    return kernels.eig(input, False)[0]


@on_page
def linalg_eigvals(input, *, out=None):
    """The eigenvalues of square matrices, as ``linalg.eig`` gives them, without the work for the vectors unless a gradient is wanted."""
    need_tensors("linalg_eigvals", input=input)
    _need_eig("linalg.eigvals", input._a)
    made = linalg_eig.public(input)[0] if input.requires_grad else _eigvals.public(input)
    return give_one(out, made, "linalg_eigvals")


@op(function=False, returns=("eigenvalues", "eigenvectors"), out=exactly)
def linalg_eigh(input: Array, UPLO="L"):
    """The eigenvalues (*, n), ascending, and orthonormal eigenvectors, as columns, of Hermitian matrices (*, n, n).

    ``UPLO`` says which triangle counts: "L" or "U".

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.eigh(torch.tensor([[2., 1.], [1., 2.]])).eigenvalues
        tensor([1., 3.])
    """
    need_square("linalg.eigh", input)
    if not isinstance(UPLO, str) or UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    need_kernel("linalg_eigh_cpu", input)
    return kernels.eigh(input, UPLO in "Ll")


@linalg_eigh.derivatives
def _eigh_gradient(g0, g1, out0, out1):
    v = out1
    if g1 is None:
        if g0 is None:
            return (None,)
        return ((v * g0[..., None, :]) @ adjoint(v),)
    inner = adjoint(v) @ g1
    if is_complex(v):
        _need_no_phase("linalg_eigh_backward", "eigenvectors", _diagonal(inner))
    inner = off_diagonal(_skew(inner) * 0.5 / _gaps(out0))
    if g0 is not None:
        inner = inner + diagonal_matrix(g0)
    return (v @ inner @ adjoint(v),)


@on_page
def linalg_eigvalsh(input, UPLO="L", *, out=None):
    """The eigenvalues of Hermitian matrices, ascending."""
    need_tensors("linalg_eigvalsh", input=input)
    return give_one(out, linalg_eigh.public(input, UPLO)[0], "linalg_eigvalsh")


# ---------------------------------------------------------------- singular values

@op(function=False, out=False, multiple=True, grad_name="LinalgSvdBackward0")
def _linalg_svd(A: Array, full_matrices=True):
    """(U, S, Vh)."""
    return kernels.svd(A, bool(full_matrices))


@_linalg_svd.derivatives
def _svd_gradient(g0, g1, g2, out0, out1, out2):
    """Townsend 2016, with the parts of full matrices beyond the singular values left out, as in PyTorch."""
    if g0 is None and g1 is None and g2 is None:
        return (None,)
    k = out1.shape[-1]
    u, s, vh = out0[..., :k], out1, out2[..., :k, :]
    g0 = None if g0 is None else g0[..., :k]
    g2 = None if g2 is None else g2[..., :k, :]
    if g0 is None and g2 is None:
        return ((u * g1[..., None, :]) @ vh,)
    row, column = s[..., None, :], s[..., :, None]
    beside_u = None if g0 is None else _skew(adjoint(u) @ g0)
    beside_v = None if g2 is None else _skew(vh @ adjoint(g2))
    if is_complex(u):
        turn = sum(_diagonal(x) for x in (beside_u, beside_v) if x is not None)
        _need_no_phase("svd_backward", "singular vectors", turn)
    inner = 0
    if beside_u is not None:
        inner = beside_u * row
    if beside_v is not None:
        inner = inner + column * beside_v
    inner = off_diagonal(inner / _square_gaps(s))
    if g1 is not None:
        inner = inner + diagonal_matrix(g1)
    if is_complex(u) and beside_u is not None and beside_v is not None:
        inner = inner + diagonal_matrix(_diagonal(beside_u) / (2 * s))
    made = u @ inner
    if g0 is not None and u.shape[-2] > k:
        outside = g0 / row
        made = made + outside - u @ (adjoint(u) @ outside)
    if g2 is not None and vh.shape[-1] > k:
        outside = g2 / column
        outside = outside - (outside @ adjoint(vh)) @ vh
        return (made @ vh + u @ outside,)
    return (made @ vh,)


def _skew(x):
    return x - adjoint(x)


def _square_gaps(s):
    """``s[j]**2 - s[i]**2`` at (i, j), and 1 on the diagonal."""
    return _gaps(s) * (s[..., None, :] + s[..., :, None]) * like(s, 1 - np.eye(s.shape[-1], dtype=plain(s).dtype)) \
        + like(s, np.eye(s.shape[-1], dtype=plain(s).dtype))


def _need_svd(A, driver, name="linalg.svd"):
    need_matrix("linalg.svd", A)
    need_floating("linalg.svd", A, low=True)
    need_kernel("linalg_svd_cpu", A)
    if driver is not None:
        raise RuntimeError("torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.")


def svd_of(A, full_matrices, driver=None):
    """(U, S, Vh) of a Tensor."""
    _need_svd(A._a, driver)
    return _linalg_svd.public(A, full_matrices)


@on_page
@named("U", "S", "Vh")
def linalg_svd(A, full_matrices=True, *, driver=None, out=None):
    """U, S and Vh with ``A = U @ diag(S) @ Vh``: singular values S descending, U and Vh unitary.

    ``full_matrices=False`` leaves out the columns of U and rows of Vh beyond the smaller size of A. ``LinAlgError`` for nan.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.svd(torch.tensor([[3., 0.], [0., 4.]])).S
        tensor([4., 3.])
    """
    need_tensors("linalg_svd", A=A)
    return give_all(out, svd_of(A, full_matrices, driver), linalg_svd)


@op(function=False, out=False, name="_linalg_svdvals", differentiable=False)
def _svdvals(A: Array):
    """The singular values alone."""
    return kernels.svd(A, False, False)


def singular_values(A, driver=None):
    """The singular values of a Tensor; their gradient comes from the whole decomposition."""
    _need_svd(A._a, driver)
    return _linalg_svd.public(A, False)[1] if A.requires_grad else _svdvals.public(A)


@on_page
def linalg_svdvals(A, *, driver=None, out=None):
    """The singular values of matrices (*, m, n), descending: shape (*, min(m, n))."""
    need_tensors("linalg_svdvals", A=A)
    return give_one(out, singular_values(A, driver), "linalg_svdvals")


show(linalg_eig, linalg_eigh)
