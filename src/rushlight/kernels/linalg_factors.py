"""Factors of matrices other than LU: Cholesky, Bunch and Kaufman's LDL, Householder's reflections, eigenvalues, singular values,
least squares.

NumPy's LAPACK gives most of them, in double precision. What it lacks is written here: which matrix of a stack is not
positive definite, LDL, and products of reflections.
"""
import math

import numpy as np

from .linalg import LinAlgError, adjoint, double, size_of

__all__ = ["cholesky", "ldl", "ldl_solve", "qr", "geqrf", "unit_lower", "reflect", "eig", "eigh", "svd", "least_squares"]


# ---------------------------------------------------------------- Cholesky

def cholesky(a, upper):
    """(L with ``L L^H = a``, or U with ``U^H U = a``; the order of the first minor that is not positive, or 0)."""
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        made = np.linalg.cholesky(a, upper=upper)
        if np.isfinite(made).all():
            return made.astype(a.dtype, copy=False), info
    except np.linalg.LinAlgError:
        pass                                    # some matrix is not positive definite: which, is found out below
    wide = double(adjoint(a) if upper else a).reshape(math.prod(a.shape[:-2]), *a.shape[-2:])
    made, where = np.zeros_like(wide), np.zeros(len(wide), np.int32)
    for i, x in enumerate(wide):
        made[i], where[i] = _one_cholesky(x)
    made = made.reshape(a.shape).astype(a.dtype)
    return adjoint(made) if upper else made, where.reshape(info.shape)


def _one_cholesky(x):
    """``cholesky`` of one matrix, of which the lower triangle counts; columns from the failing one on stay as they are."""
    made = np.tril(x)
    for j in range(len(x)):
        row = made[j, :j]
        top = (made[j, j] - row @ row.conj()).real
        if not top > 0:
            made[j, j] = top
            return made, j + 1
        made[j, j] = np.sqrt(top)
        made[j + 1:, j] = (made[j + 1:, j] - made[j + 1:, :j] @ row.conj()) / made[j, j]
    return made, 0


# ---------------------------------------------------------------- LDL

_ALPHA = (1 + np.sqrt(17)) / 8      # which bounds the growth of elements


def ldl(a, hermitian):
    """(L and D in one lower triangle, pivots, info) of symmetric or Hermitian matrices: LAPACK's ``sytrf`` and ``hetrf``.

    Bunch and Kaufman 1977. Whether a step takes one column or two depends on the numbers, so each matrix of a stack goes its own way.
    """
    hermitian = hermitian and a.dtype.kind == "c"
    n, count = a.shape[-1], math.prod(a.shape[:-2])
    made = np.tril(double(a)).reshape(count, n, n)
    pivots, info = np.zeros((len(made), n), np.int32), np.zeros(len(made), np.int32)
    for x, p, i in zip(made, pivots, range(len(made))):
        info[i] = _one_ldl(x, p, hermitian)
    batch = a.shape[:-2]
    return made.reshape(a.shape).astype(a.dtype), pivots.reshape(*batch, n), info.reshape(batch)


def _one_ldl(a, pivots, hermitian):
    """Factor one lower triangle in its place; the number of the first zero of D, or 0."""
    n, k, info = len(a), 0, 0
    turn = np.conjugate if hermitian else np.asarray
    diagonal = (lambda x: abs(x.real)) if hermitian else size_of
    while k < n:
        step, at = 1, k
        column = size_of(a[k + 1:, k])
        largest = column.max(initial=0)
        top = diagonal(a[k, k])
        if not max(top, largest) > 0:           # zero, or nan
            info = info or k + 1
            if hermitian:
                a[k, k] = a[k, k].real
            pivots[k] = k + 1
            k += 1
            continue
        if top < _ALPHA * largest:
            row = k + 1 + int(column.argmax())
            beside = max(size_of(a[row, k:row]).max(initial=0), size_of(a[row + 1:, row]).max(initial=0))
            if top < _ALPHA * largest * (largest / beside):
                at = row
                step = 1 if diagonal(a[row, row]) >= _ALPHA * beside else 2
        end = k + step - 1
        if at != end:
            _exchange(a, end, at, turn)
            if step == 2:
                a[k + 1, k], a[at, k] = a[at, k], a[k + 1, k]
        if hermitian:
            for i in range(k, k + step):
                a[i, i] = a[i, i].real
        block = _block(a, k, step, turn)
        below = a[k + step:, k:k + step]
        factor = below / block if step == 1 else np.linalg.solve(block.T, below.T).T        # below times the block's inverse
        rest = a[k + step:, k + step:]
        rest -= np.tril(factor @ turn(below.T))
        if hermitian and len(rest):
            np.fill_diagonal(rest, rest.diagonal().real)
        a[k + step:, k:k + step] = factor
        pivots[k:k + step] = at + 1 if step == 1 else -(at + 1)
        k += step
    return info


def _block(a, k, step, turn):
    """The block of D at k, of one row or two."""
    if step == 1:
        return a[k:k + 1, k:k + 1]
    return np.array([[a[k, k], turn(a[k + 1, k])], [a[k + 1, k], a[k + 1, k + 1]]])


def _exchange(a, i, j, turn):
    """Exchange rows and columns i < j of what is left of the lower triangle."""
    kept = a[j + 1:, i].copy()
    a[j + 1:, i], a[j + 1:, j] = a[j + 1:, j], kept
    kept = a[i + 1:j, i].copy()
    a[i + 1:j, i], a[j, i + 1:j] = turn(a[j, i + 1:j]), turn(kept)
    a[j, i] = turn(a[j, i])
    a[i, i], a[j, j] = a[j, j], a[i, i]


def ldl_solve(factors, pivots, b, hermitian):
    """X with ``A X = b`` from what ``ldl`` made of A."""
    hermitian = hermitian and factors.dtype.kind == "c"
    batch = np.broadcast_shapes(factors.shape[:-2], b.shape[:-2])
    (n, columns), count = b.shape[-2:], math.prod(batch)
    made = np.array(np.broadcast_to(double(b), (*batch, n, columns))).reshape(count, n, columns)
    factors = np.broadcast_to(double(factors), (*batch, n, n)).reshape(count, n, n)
    pivots = np.broadcast_to(pivots, (*batch, n)).reshape(count, n)
    turn = np.conjugate if hermitian else np.asarray
    for a, p, x in zip(factors, pivots, made):
        steps, k = [], 0
        while k < n:
            step = 1 if p[k] > 0 else 2
            end, at = k + step - 1, abs(int(p[k])) - 1
            x[[end, at]] = x[[at, end]]
            x[k + step:] -= a[k + step:, k:k + step] @ x[k:k + step]
            block = _block(a, k, step, turn)
            x[k:k + step] = x[k:k + step] / block if step == 1 else np.linalg.solve(block, x[k:k + step])
            steps.append((k, step, end, at))
            k += step
        for k, step, end, at in reversed(steps):
            x[k:k + step] -= turn(a[k + step:, k:k + step].T) @ x[k + step:]
            x[[end, at]] = x[[at, end]]
    return made.reshape(*batch, n, columns).astype(b.dtype)


# ---------------------------------------------------------------- reflections

def qr(a, mode):
    """(Q, R); Q is empty for mode "r"."""
    if mode == "r":
        return np.zeros((0,), a.dtype), np.linalg.qr(a, "r").astype(a.dtype, copy=False)
    q, r = np.linalg.qr(a, mode)
    return q.astype(a.dtype, copy=False), r.astype(a.dtype, copy=False)


def geqrf(a):
    """(R above, the reflections' vectors below the diagonal; the reflections' factors)."""
    h, tau = np.linalg.qr(a, "raw")
    return np.ascontiguousarray(np.swapaxes(h, -1, -2)).astype(a.dtype, copy=False), tau.astype(a.dtype, copy=False)


def unit_lower(a, columns):
    """The vectors of reflections: the first columns below the diagonal, with 1 on it."""
    m = a.shape[-2]
    return np.tril(a[..., :columns], -1) + np.eye(m, columns, dtype=a.dtype)


_TOGETHER = 32      # reflections that are applied as one


def reflect(vectors, tau, x, turned=False):
    """``H_1 ... H_k x`` with ``H_i = 1 - tau_i v_i v_i^H``, or its adjoint product, of ``unit_lower`` vectors (*, m, k).

    A block of reflections is ``1 - V T V^H`` with a small triangle T (Schreiber and Van Loan 1989), so the work is matrix products.
    """
    vectors, tau, made = double(vectors), double(tau), double(x)
    k = vectors.shape[-1]
    starts = range(0, k, _TOGETHER)
    for start in starts if turned else reversed(starts):
        v = vectors[..., start:start + _TOGETHER]
        t = _joined(v, tau[..., start:start + _TOGETHER])
        made = made - v @ ((adjoint(t) if turned else t) @ (adjoint(v) @ made))
    return made.astype(x.dtype) if k else np.array(x)


def _joined(v, tau):
    """The triangle T of a block of reflections."""
    k = v.shape[-1]
    t = np.zeros((*v.shape[:-2], k, k), v.dtype)
    products = adjoint(v) @ v
    for j in range(k):
        t[..., j, j] = tau[..., j]
        t[..., :j, j:j + 1] = -tau[..., j, None, None] * (t[..., :j, :j] @ products[..., :j, j:j + 1])
    return t


# ---------------------------------------------------------------- eigenvalues and singular values

def _complex(dtype):
    return np.result_type(dtype, np.complex64)


def eig(a, vectors=True):
    """(eigenvalues, eigenvectors or None) of square matrices, complex."""
    if not np.isfinite(a).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    try:
        values, made = np.linalg.eig(a) if vectors else (np.linalg.eigvals(a), None)
    except np.linalg.LinAlgError:
        raise LinAlgError("linalg.eig: The algorithm failed to converge because the input matrix is ill-conditioned or has too many "
                          "repeated eigenvalues.") from None
    dtype = _complex(a.dtype)
    return values.astype(dtype), made if made is None else made.astype(dtype)


def eigh(a, lower):
    """(eigenvalues in ascending order, eigenvectors) of matrices of which one triangle counts; nan for those with nan."""
    try:
        values, vectors = np.linalg.eigh(a, "L" if lower else "U")
    except np.linalg.LinAlgError:
        raise LinAlgError("linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or has too many "
                          "repeated eigenvalues.") from None
    return values.astype(a.real.dtype, copy=False), vectors.astype(a.dtype, copy=False)


def svd(a, full, vectors=True):
    """(U, S, Vh), or S alone. nan raises; a matrix with infinities gives nan, without being shown to LAPACK, which would print about it."""
    odd = ~np.isfinite(a).all((-2, -1))
    if odd.any():
        if np.isnan(a).any():
            raise _no_singular_values(a, np.isnan(a).any((-2, -1)), "the input matrix contained non-finite values.")
        a = np.where(odd[..., None, None], a.dtype.type(0), a)
    try:
        made = np.linalg.svd(a, full_matrices=full, compute_uv=vectors)
    except np.linalg.LinAlgError:
        raise _no_singular_values(a, odd, "the input matrix is ill-conditioned or has too many repeated singular values.") from None
    made = [x.astype(dtype, copy=False) for x, dtype in zip(made, (a.dtype, a.real.dtype, a.dtype))] if vectors else \
        [made.astype(a.real.dtype, copy=False)]
    if odd.any():
        for x in made:
            x[odd] = np.nan
    return tuple(made) if vectors else made[0]


def _no_singular_values(a, odd, why):
    batch = f"(Batch element {int(odd.reshape(-1).argmax())}): " if a.ndim > 2 else ""
    return LinAlgError(f"linalg.svd: {batch}The algorithm failed to converge because {why}")


def least_squares(a, b, rcond, driver):
    """(X that makes ``a X - b`` smallest, itself the smallest of all such; ranks; singular values), by singular values.

    Singular values up to ``rcond`` times the largest count as zero. ``driver`` "gels" wants full rank, and says where
    there is less.
    """
    if not np.isfinite(a).all():
        raise LinAlgError("torch.linalg.lstsq: The least squares solution could not be computed because the input matrix contained "
                          "non-finite values.")
    u, s, vh = svd(double(a), False)
    if driver == "gels":
        _need_full_rank(a)
        used = s > 0
    else:
        used = s > rcond * s.max(-1, initial=0, keepdims=True)
    inverse = np.where(used, 1 / np.where(used, s, 1), 0)
    x = adjoint(vh) @ (inverse[..., None] * (adjoint(u) @ double(b)))
    return x.astype(b.dtype), used.sum(-1), s.astype(a.real.dtype)


def _need_full_rank(a):
    """LinAlgError for a triangle R with a zero on its diagonal."""
    if not a.size:
        return
    r = np.linalg.qr(double(a if a.shape[-2] >= a.shape[-1] else adjoint(a)), "r")
    size = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    zero = (size <= np.finfo(a.dtype).eps * size.max(-1, keepdims=True)).reshape(-1, size.shape[-1])
    at = np.flatnonzero(zero.any(-1))
    if len(at):
        batch = f"(Batch element {at[0]}): " if a.ndim > 2 else ""
        raise LinAlgError(f"torch.linalg.lstsq: {batch}The least squares solution could not be computed because the input matrix does "
                          f"not have full rank (error code: {zero[at[0]].argmax() + 1}).")
