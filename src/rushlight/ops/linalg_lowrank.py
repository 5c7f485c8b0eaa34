"""Singular values and principal components of large matrices, approximately, from random projections (Halko et al. 2009)."""
from ..tensor import Tensor
from ._linalg import need_tensors
from .declare import composite
from .late import torch
from .linalg_orthogonal import linalg_qr
from .linalg_spectral import svd_of

__all__ = []


def _basis(A, q, niter, M):
    """Orthonormal columns that nearly span what ``A - M`` maps to (algorithms 4.4 and 4.3 of the paper)."""
    def through(x, adjoint=False):
        made = torch.matmul(A.mH if adjoint else A, x)
        return made if M is None else made - torch.matmul(M.mH if adjoint else M, x)
    columns = linalg_qr.public(through(torch.randn(A.shape[-1], q, dtype=A.dtype)))[0]
    for _ in range(niter):
        columns = linalg_qr.public(through(columns, True))[0]
        columns = linalg_qr.public(through(columns))[0]
    return columns


@composite
def svd_lowrank(A, q=6, niter=2, M=None):
    """(U, S, V) of about the ``q`` largest singular values of ``A`` (*, m, n), or of ``A - M``, from a random projection.

    ``niter`` rounds of subspace iteration sharpen it. Uses the default generator.

    Example::

        >>> import rushlight as torch
        >>> U, S, V = torch.svd_lowrank(torch.diag(torch.tensor([5., 3., 0., 0.])), q=2)
        >>> S
        tensor([5., 3.])
    """
    need_tensors("svd_lowrank", A=A)
    m, n = A.shape[-2:]
    if M is not None:
        M = M.broadcast_to(A.size())
    if m < n:
        A, M = A.mH, None if M is None else M.mH
    columns = _basis(A, 6 if q is None else q, 2 if niter is None else niter, M)
    small = torch.matmul(columns.mH, A)
    if M is not None:
        small = small - torch.matmul(columns.mH, M)
    u, s, vh = svd_of(small, False)
    u, v = torch.matmul(columns, u), vh.mH
    return (v, s, u) if m < n else (u, s, v)


@composite
def pca_lowrank(A, q=None, center=True, niter=2):
    """The ``q`` principal components of rows (*, m, n): ``svd_lowrank`` of A less the mean of its rows, unless ``center`` is False.

    ValueError for ``q`` above the smaller size, or numbers below 0.
    """
    if not isinstance(A, Tensor):
        need_tensors("pca_lowrank", A=A)
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not (q >= 0 and q <= min(m, n)):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if not niter >= 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if center:
        A = A - A.mean(dim=(-2,), keepdim=True)
    return svd_lowrank(A, q, niter)
