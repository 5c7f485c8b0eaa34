"""Some eigenvalues of a large symmetric matrix, by LOBPCG (Knyazev 2001): the locally optimal block preconditioned conjugate gradient.

Each step looks for the best vectors among the present ones, their residuals and their last change. The basis of these is made orthonormal
by its own Gram matrix, and directions that hardly differ from others are dropped (Stathopoulos and Wu 2002), so that nothing has to be
factored that may be singular.
"""
import math

import numpy as np

from ..kernels.linalg import adjoint, double
from ..tensor import wrap
from ._linalg import diagonal_matrix, eye_like, need_tensors
from ._reduced import like, plain
from .declare import Array, OptionalArray, both, composite, op
from .late import torch
from .linalg_spectral import off_diagonal

__all__ = []

_EPS = {"float32": 1.2e-07, "float64": 2.23e-16}


class _Iteration:
    """What a ``tracker`` is shown: ``X``, ``E``, ``R`` and ``S`` of the step, and the counts in ``ivars``."""

    def __init__(self, a, b, ik, iparams, fparams, bparams):
        self.A, self.B, self.iK = (None if m is None else wrap(m) for m in (a, b, ik))
        self.iparams, self.fparams, self.bparams = iparams, fparams, bparams
        self.ivars = {"istep": 0, "converged_count": 0, "iterations_left": iparams["niter"]}
        self.fvars = {}
        self.tvars = {}
        self.bvars = {"force_stop": False}

    def show(self, tracker, arrays, dtype, errors, converged):
        self.X, self.E, self.R, self.S = (wrap(x.astype(dtype)) for x in arrays)
        self.tvars["rerr"] = wrap(errors.astype(dtype))
        self.ivars["converged_count"] = converged
        tracker(self)
        self.ivars["istep"] += 1
        self.ivars["iterations_left"] -= 1


def _orthonormal(s, b):
    """A basis of the columns' span, orthonormal where ``b`` measures, without directions that are nearly dependent."""
    for _ in range(2):
        gram = adjoint(s) @ (s if b is None else b @ s)
        size = np.sqrt(np.maximum(np.diagonal(gram).real, 0))
        used = size > 0
        s, gram, size = s[:, used], gram[np.ix_(used, used)], size[used]
        values, vectors = np.linalg.eigh(gram / np.outer(size, size))
        kept = values > 1e-14 * values.max(initial=0)
        s = (s / size) @ (vectors[:, kept] / np.sqrt(values[kept]))
    return s


def _best(a, s, n, largest):
    """Eigenvalues and coefficients of the best ``n`` vectors in the span of an orthonormal basis (Rayleigh and Ritz)."""
    projected = adjoint(s) @ (a @ s)
    values, vectors = np.linalg.eigh((projected + adjoint(projected)) / 2)
    order = np.argsort(-values if largest else values, kind="stable")[:n]
    return values[order], vectors[:, order]


def _iterate(a, b, x, ik, niter, tol, largest, iteration, tracker, dtype):
    """(eigenvalues, vectors) of one matrix."""
    def times_b(v):
        return v if b is None else b @ v
    n = x.shape[1]
    norms = np.linalg.norm(x) or 1.0
    norm_a, norm_b = np.linalg.norm(a @ x) / norms, np.linalg.norm(times_b(x)) / norms
    basis = _orthonormal(x, b)
    values, c = _best(a, basis, n, largest)
    x, change = basis @ c, np.zeros((len(a), 0), a.dtype)
    step = 0
    while True:
        rest = a @ x - times_b(x) * values
        errors = np.linalg.norm(rest, axis=0) / (np.linalg.norm(x, axis=0) * (norm_a + np.abs(values) * norm_b))
        converged = n if (errors < tol).all() else int((errors >= tol).argmax())
        if tracker is not None:
            iteration.show(tracker, (x, values, rest, basis), dtype, errors, converged)
        if converged >= n or step == niter or iteration is not None and iteration.bvars["force_stop"]:
            return values, x
        step += 1
        active = rest[:, converged:]
        more = np.concatenate([active if ik is None else ik @ active, change], 1)
        more = more - x @ (adjoint(x) @ times_b(more))          # what is new in them
        basis = np.concatenate([x, _orthonormal(more, b)], 1)
        basis = _orthonormal(basis, b) if b is not None else np.linalg.qr(basis)[0]
        values, c = _best(a, basis, n, largest)
        before, x = x, basis @ c
        change = x - before @ (adjoint(before) @ times_b(x))


@op(function=False, out=False, multiple=True, grad_name="LOBPCGAutogradFunctionBackward")
def _lobpcg(A: Array, X: Array, k, B: OptionalArray = None, iK: OptionalArray = None, niter=1000, tol=None, largest=True, parameters=None,
            tracker=None):
    """(eigenvalues, eigenvectors) of a stack of matrices."""
    batch, m = A.shape[:-2], X.shape[-2]
    count = math.prod(batch)

    def flat(x):
        return None if x is None else double(x).reshape(count, *x.shape[-2:])
    values, vectors = np.empty((count, k)), np.empty((count, m, k), double(A).dtype)
    weights = flat(B)
    for i, (a, x) in enumerate(zip(flat(A), flat(X))):
        b = None if weights is None else weights[i]
        ik = None if iK is None else double(iK) if iK.ndim == 2 else flat(iK)[i]
        iteration = None if tracker is None else _Iteration(a.astype(A.dtype), b, ik, dict(parameters[0], batch_index=i), *parameters[1:])
        found = _iterate(a, b, x, ik, niter, tol, largest, iteration, tracker, A.dtype)
        values[i], vectors[i] = found[0][:k], found[1][:, :k]
    return values.reshape(*batch, k).astype(A.dtype), vectors.reshape(*batch, m, k).astype(A.dtype)


@_lobpcg.derivatives
def _lobpcg_gradient(g0, g1, A, B, out0, out1, needs):
    """As ``eigh``'s within the span of the vectors found; beyond it by solving for each vector how the rest answers."""
    if B is not None:
        raise ValueError("lobpcg.backward does not support backward with B != I yet.\nA Cholesky factor of B makes a problem without.")
    if g0 is None and g1 is None:
        return (None,) * 4
    u, turned = out1, out1.mT
    if g1 is None:
        return (u * g0[..., None, :]) @ turned, None, None, None
    gaps = out0[..., None, :] - out0[..., :, None] + eye_like(out0, out0.shape[-1])
    inner = off_diagonal((turned @ g1) / gaps)
    if g0 is not None:
        inner = inner + diagonal_matrix(g0)
    made = u @ inner @ turned
    m = A.shape[-1]
    span = u @ turned
    beyond = eye_like(A, m) - span
    outside = beyond @ g1
    answers = []
    for j in range(out0.shape[-1]):
        matrix = beyond @ (out0[..., j, None, None] * like(A, np.eye(m, dtype=plain(A).dtype)) - A) @ beyond + span
        answers.append(both.linalg_solve_ex(matrix, outside[..., j:j + 1])[0])
    return made + beyond @ both.cat(answers, -1) @ turned, None, None, None


@composite
def lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None,
           ortho_iparams=None, ortho_fparams=None, ortho_bparams=None):
    """(eigenvalues (*, k), eigenvectors (*, m, k)) of symmetric positive definite matrices A (*, m, m): the ``k`` largest, or smallest.

    With ``B`` those of ``A x = e B x``. ``X`` (*, m, n), n >= k, is where to start, by default random numbers of the default generator;
    ``iK`` a preconditioner; ``niter`` the number of steps at most (1000; -1 for no limit); ``tol`` the residual at which to stop.
    ``tracker`` is called at each step with the state of the iteration. ``method`` and the ``ortho_`` parameters choose among PyTorch's ways
    to keep a basis; here there is one. ValueError if m < 3 n. With a gradient in A, if B is None; A is made symmetric first then.

    Example::

        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> values, vectors = torch.lobpcg(torch.diag(torch.arange(1., 10.)), k=2)
        >>> torch.allclose(values, torch.tensor([9., 8.]))
        True
    """
    need_tensors("lobpcg", A=A)
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    if tol is None:
        tol = _EPS[A._a.dtype.name] ** 0.5
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    if m < 3 * n:
        raise ValueError(f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of requested "
                         f"eigenpairs (={n})\nUse torch.linalg.eigh.")
    if X is None:
        batch = A.shape[:-2]
        X = torch.stack([torch.randn(m, n, dtype=A.dtype) for _ in range(math.prod(batch))]).reshape(*batch, m, n)
    if A.requires_grad or B is not None and B.requires_grad:
        A, B = (A + A.mT) / 2, None if B is None else (B + B.mT) / 2
    largest = True if largest is None else largest
    niter = 1000 if niter is None else niter
    parameters = ({"m": m, "n": n, "k": k, "niter": niter, **(ortho_iparams or {})}, {"tol": tol, **(ortho_fparams or {})},
                  {"largest": largest, **(ortho_bparams or {})})
    return _lobpcg.public(A, X.detach(), k, B, None if iK is None else iK.detach(), niter, tol, bool(largest), parameters, tracker)
