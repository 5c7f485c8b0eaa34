"""The older names: what ``torch`` and ``Tensor`` have of linear algebra, most of it under other signatures than ``torch.linalg``."""
import warnings

import numpy as np

from ..kernels.linalg import need_floating, need_square, triangular
from ..tensor import Tensor, wrap
from . import call, table
from ._linalg import give_all, give_one, named, need_tensors
from ._reduced import total
from .declare import Array, composite, op
from .late import torch
from .linalg_lu import linalg_lu_factor_ex
from .linalg_norms import matrix_norm
from .linalg_orthogonal import linalg_householder_product, linalg_qr
from .linalg_pseudo import linalg_pinv
from .linalg_solving import inverted, linalg_det, linalg_slogdet, need_triangular, through_triangle
from .linalg_spectral import singular_values, svd_of

__all__ = []


# ---------------------------------------------------------------- inverses and determinants

@composite(method=True)
def inverse(input, *, out=None):
    """``linalg.inv``: the inverses of square matrices.

    Example::

        >>> import rushlight as torch
        >>> torch.inverse(torch.tensor([[2., 0.], [0., 4.]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    need_tensors("inverse", input=input)
    return inverted(input, "linalg.inv", out)


@composite(method=True)
def pinverse(input, rcond=1e-15):
    """``linalg.pinv`` with ``rtol=rcond``."""
    need_tensors("pinverse", input=input)
    return linalg_pinv(input, rtol=rcond)


@composite(method=True)
def det(input):
    """``linalg.det``: the determinants of square matrices."""
    need_tensors("det", input=input)
    return linalg_det.public(input)


@composite(method=True)
@named("sign", "logabsdet")
def slogdet(input, *, out=None):
    """``linalg.slogdet``: the determinants' signs and the logarithms of their absolute values."""
    need_tensors("slogdet", input=input)
    return give_all(out, linalg_slogdet.public(input), slogdet)


@composite(method=True)
def logdet(input):
    """The logarithms of determinants: nan for a negative one, -inf for 0.

    Example::

        >>> import rushlight as torch
        >>> torch.logdet(torch.eye(3))
        tensor(0.)
    """
    need_tensors("logdet", input=input)
    need_square("logdet", input._a)
    need_floating("logdet", input._a)
    sign, size = linalg_slogdet.public(input)
    if input._a.dtype.kind == "c":
        return sign.log() + size
    return torch.where(sign == -1, float("nan"), size)


# ---------------------------------------------------------------- factors

@composite(method=True)
@named("Q", "R")
def qr(input, some=True, *, out=None):
    """``linalg.qr``, complete unless ``some``. Deprecated, as in PyTorch: it warns."""
    need_tensors("qr", input=input)
    warnings.warn("torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe boolean "
                  "parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould be replaced with\n"
                  "Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')", UserWarning, stacklevel=3)
    return give_all(out, linalg_qr.public(input, "reduced" if some else "complete"), qr)


@composite(method=True)
@named("U", "S", "V")
def svd(input, some=True, compute_uv=True, *, out=None):
    """U, S and V (not its adjoint) with ``input = U @ diag(S) @ V.mH``; without ``compute_uv`` U and V are zeros.

    Example::

        >>> import rushlight as torch
        >>> torch.svd(torch.tensor([[3., 0.], [0., 4.]])).S
        tensor([4., 3.])
    """
    need_tensors("svd", input=input)
    if input.ndim < 2:
        raise RuntimeError(f"linalg.svd: input should have at least 2 dimensions, but has {input.ndim} dimensions instead")
    if compute_uv:
        u, s, vh = svd_of(input, not some)
        v = vh.mH
    else:
        s = singular_values(input)
        u, v = (wrap(np.zeros((*input.shape[:-2], n, n), input._a.dtype)) for n in input.shape[-2:])
    return give_all(out, (u, s, v), svd)


@composite(method=True)
def orgqr(input, input2, *, out=None):
    """``linalg.householder_product``."""
    need_tensors("orgqr", input=input, input2=input2)
    return give_one(out, linalg_householder_product.public(input, input2), "orgqr")


@composite(method=True)
def lu(A, pivot=True, get_infos=False, out=None):
    """LU factors and pivots as ``linalg.lu_factor`` gives them; with ``get_infos`` also LAPACK's ``info``.

    Deprecated, as in PyTorch: it warns.
    """
    need_tensors("lu", A=A)
    warnings.warn("torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a future "
                  "PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
                  "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, "
                  "get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
                  UserWarning, stacklevel=3)
    made = linalg_lu_factor_ex.public(A, pivot=pivot)
    if not get_infos:
        made = made[:2]
    if out is not None:
        if len(out) != len(made):
            raise TypeError(f"expected tuple of {len(made)} elements but got {len(out)}")
        made = [give_one(o, r, "lu") for o, r in zip(out, made)]
    return call.return_type("_lu_with_info", ("LU", "pivots", "info"))(tuple(made)) if get_infos else tuple(made)


@op(function=False, out=False, multiple=True, grad_name="TriangularSolveBackward0")
def _triangular_solve(input: Array, A: Array, upper=True, transpose=False, unitriangular=False):
    """(X, a copy of A)."""
    for name, x in (("b", input), ("A", A)):
        if x.ndim < 2:
            raise RuntimeError(f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {x.ndim} dimensions "
                               "instead")
    need_square("triangular_solve", A)
    if input.shape[-2] != A.shape[-1]:
        raise RuntimeError(f"Incompatible matrix sizes for triangular_solve: each A matrix is {A.shape[-2]} by {A.shape[-1]} but each b "
                           f"matrix is {input.shape[-2]} by {input.shape[-1]}")
    need_triangular(A)
    a = np.swapaxes(A, -1, -2) if transpose else A
    batch = np.broadcast_shapes(A.shape[:-2], input.shape[:-2])
    return (triangular(a, input, bool(upper) != bool(transpose), True, bool(unitriangular)),
            np.array(np.broadcast_to(A, (*batch, *A.shape[-2:]))))


@_triangular_solve.derivatives
def _triangular_gradients(g0, g1, A, out0, upper, transpose, unitriangular, needs):
    to_b = to_a = None
    if g0 is not None:
        a = A.mT if transpose else A
        to_a, to_b = through_triangle(g0, a, out0, bool(upper) != bool(transpose), True, unitriangular, (needs[1], needs[0]))
        if to_a is not None and transpose:
            to_a = to_a.mT
    return to_b, total(to_a, g1)


@composite(method=True)
@named("solution", "cloned_coefficient")
def triangular_solve(input, A, upper=True, transpose=False, unitriangular=False, *, out=None):
    """X with ``A X = input`` (``A^T X = input`` with ``transpose``) for a triangle A, and a copy of A.

    Named results ``solution`` and ``cloned_coefficient``. Deprecated, as in PyTorch: it warns.
    """
    need_tensors("triangular_solve", input=input, A=A)
    warnings.warn("torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future PyTorch "
                  "release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\n"
                  "X = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).",
                  UserWarning, stacklevel=3)
    made = _triangular_solve.public(input, A, upper, transpose, unitriangular)
    return give_all(out, made, triangular_solve)


# ---------------------------------------------------------------- norms

@composite
def frobenius_norm(input, dim, keepdim=False, *, out=None):
    """``linalg.norm`` of order 2 over one or two dimensions, of all for an empty list."""
    need_tensors("frobenius_norm", input=input)
    warnings.warn("at::frobenius_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future PyTorch "
                  "release. Please use `linalg.vector_norm(A, 2., dim, keepdim)` instead", UserWarning, stacklevel=3)
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead.")
    return give_one(out, table.OPS["linalg_vector_norm"].public(input, 2.0, dims or None, keepdim), "frobenius_norm")


@composite
def nuclear_norm(input, dim=(-2, -1), keepdim=False, *, out=None):
    """``linalg.matrix_norm`` with "nuc": the sum of the singular values."""
    need_tensors("nuclear_norm", input=input)
    warnings.warn("at::nuclear_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future PyTorch "
                  "release. Please use `linalg.matrix_norm(A, 'nuc', dim, keepdim)` instead", UserWarning, stacklevel=3)
    return give_one(out, matrix_norm(input, "nuc", dim, keepdim, None), "nuclear_norm")


# ---------------------------------------------------------------- names that PyTorch removed

def _removed(name, rest):
    def function(*args, **kwargs):
        raise RuntimeError(f"This function was deprecated since version 1.9 and is now removed.{rest}")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Removed from PyTorch: it raises a RuntimeError that names the function of ``torch.linalg`` to use."
    table.namespaces["torch"][name] = function
    if name != "matrix_rank":
        setattr(Tensor, name, function)


_removed("matrix_rank", "\n\nPlease use the `torch.linalg.matrix_rank` function instead.")
_removed("eig", " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking complex "
         "tensors.\n\nL, V = torch.linalg.eig(A) stands for L, V = torch.eig(A, eigenvectors=True).")
_removed("symeig", " The default behavior has changed from using the upper triangular portion of the matrix by default to using the lower "
         "triangular portion.\n\nL, V = torch.linalg.eigh(A, UPLO='U') stands for L, V = torch.symeig(A, eigenvectors=True).")
_removed("lstsq", " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n\nIts arguments are reversed: "
         "torch.linalg.lstsq(A, B).solution.")
_removed("solve", " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed and does "
         "not return the LU factorization.\n\nX = torch.linalg.solve(A, B) stands for X = torch.solve(B, A).solution.")
