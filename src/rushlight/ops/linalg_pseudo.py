"""What is made of singular values: the pseudoinverse, least squares, the rank.
"""
import numpy as np

from ..kernels import linalg_factors as kernels
from ..kernels.linalg import need_kernel, need_matrix, need_square
from ..tensor import wrap
from . import call
from ._linalg import adjoint, give_one, named, need_tensors, on_page
from ._reduced import plain
from .declare import Array, both, op

__all__ = []


# ---------------------------------------------------------------- the pseudoinverse

def _limits(A, atol, rtol, default):
    """(atol, rtol) as arrays that broadcast over the batch; ``rtol`` is 0 if only ``atol`` is given."""
    given = atol is not None
    atol = 0.0 if atol is None else atol
    if rtol is None:
        rtol = np.where(np.asarray(plain(atol)) > 0, 0.0, default) if given else default
    return np.asarray(plain(atol), np.float64), np.asarray(plain(rtol), np.float64)


def tolerance(A):
    """What PyTorch takes for zero beside the largest singular value, unless told otherwise."""
    return max(A.shape[-2:]) * float(np.finfo(A.dtype).eps)


@op(function=False, out=False, name="_linalg_pinv", grad_name="LinalgPinvBackward0")
def _pinv(A: Array, atol, rtol, hermitian=False):
    """The pseudoinverse, with singular values up to max(atol, rtol * largest) taken for zero."""
    if not A.size:
        return np.zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]), A.dtype)
    if hermitian:
        values, vectors = kernels.eigh(A, True)
        size = np.abs(values)
        u, vh = vectors, np.conjugate(np.swapaxes(vectors, -1, -2))
    else:
        u, values, vh = kernels.svd(A, False)
        size = values
    limit = np.maximum(np.asarray(atol)[..., None], np.asarray(rtol)[..., None] * size.max(-1, keepdims=True))
    kept = size > limit
    inverse = np.where(kept, 1 / np.where(kept, values, 1), 0).astype(A.real.dtype)
    return np.conjugate(np.swapaxes(vh, -1, -2)) @ (inverse[..., None] * np.conjugate(np.swapaxes(u, -1, -2)))


def through_pinv(g, A, out):
    """The derivative of the pseudoinverse at constant rank (Golub and Pereyra 1973), the smaller products first."""
    gh, back = adjoint(g), adjoint(out)
    if A.shape[-2] <= A.shape[-1]:
        k = gh @ out
        kb = k @ back
        return -adjoint(out @ k) + kb - (A @ out) @ kb + (back @ out) @ (gh - k @ A)
    k = out @ gh
    bk = back @ k
    return -adjoint(k @ out) + (gh - A @ k) @ out @ back + bk - (bk @ out) @ A


_pinv.derivative(A=lambda g, A, out: through_pinv(g, A, out))


@on_page
def linalg_pinv(input, *args, atol=None, rtol=None, hermitian=False, rcond=None, out=None):
    """The pseudoinverse (Moore and Penrose) of matrices (*, m, n): (*, n, m).

    Singular values not above ``max(atol, rtol * the largest)`` count as zero. Without both, ``rtol`` is the larger size times the
    dtype's eps. ``hermitian`` trusts that they are Hermitian, and works with eigenvalues.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.pinv(torch.tensor([[2.], [0.]]))
        tensor([[0.5000, 0.0000]])
    """
    need_tensors("linalg_pinv", input=input)
    if args:                                    # the older signature: (input, rcond, hermitian)
        rcond, hermitian = args[0], args[1] if len(args) > 1 else hermitian
    rtol = rtol if rcond is None else rcond
    a = input._a
    if a.ndim < 2 or a.dtype.char not in "fdFD":
        raise RuntimeError(f"linalg.pinv({input.dtype.scalar_name}{{{list(a.shape)}}}): expected a tensor with 2 or more dimensions of "
                           "float, double, cfloat or cdouble types")
    if hermitian:
        need_square("linalg.eigh", a)
    made = _pinv.public(input, *_limits(a, atol, rtol, tolerance(a)), hermitian)
    return give_one(out, made, "linalg_pinv")


# ---------------------------------------------------------------- rank and condition

@on_page
def linalg_matrix_rank(input, *args, atol=None, rtol=None, tol=None, hermitian=False, out=None):
    """How many singular values (or, with ``hermitian``, eigenvalues) exceed ``max(atol, rtol * the largest)``: int64.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.matrix_rank(torch.ones(3, 3))
        tensor(1)
    """
    need_tensors("linalg_matrix_rank", input=input)
    if args:                                    # the older signature: (input, tol, hermitian)
        tol, hermitian = args[0], args[1] if len(args) > 1 else hermitian
    a = input._a
    need_matrix("torch.linalg.matrix_rank", a, "input")
    if a.dtype.char not in "fdFD":
        raise RuntimeError("This function doesn't handle types other than float and double\nConvert it with .float() first.")
    if tol is not None:
        atol, rtol = tol, 0.0
    if not a.size:
        made = np.zeros(a.shape[:-2], np.int64)
    else:
        size = np.abs(kernels.eigh(a, True)[0]) if hermitian else kernels.svd(a, False, False)
        low, high = _limits(a, atol, rtol, tolerance(a))
        made = (size > np.maximum(low[..., None], high[..., None] * size.max(-1, keepdims=True))).sum(-1)
    return give_one(out, wrap(np.asarray(made, np.int64)), "linalg_matrix_rank")


# ---------------------------------------------------------------- least squares

_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@op(function=False, out=False, multiple=True, grad_name="LinalgLstsqBackward0")
def _lstsq(A: Array, B: Array, rcond=None, driver="gelsy"):
    """(solution, residuals, rank, singular values); ``B`` is a matrix for each A."""
    made, rank, sizes = kernels.least_squares(A, B, rcond, driver)
    rank = np.asarray(rank, np.int64)
    if driver == "gelsy" or A.shape[-2] <= A.shape[-1] or not (rank == A.shape[-1]).all():
        return made, np.zeros((0,), A.real.dtype), rank, sizes
    rest = np.abs(A @ made - B)
    return made, (rest * rest).sum(-2), rank, sizes


@_lstsq.derivatives
def _lstsq_gradients(g0, g1, A, B, out0, needs):
    to_a = to_b = None
    if g0 is not None:
        inverse = both._linalg_pinv(A, 0.0, tolerance(plain(A)))
        to_b = adjoint(inverse) @ g0
        if needs[0]:
            to_a = through_pinv(g0 @ adjoint(B), A, inverse)
    if g1 is not None and g1.shape[-1] and g1.ndim == out0.ndim - 1:
        rest = (A @ out0 - B) * (2 * g1[..., None, :])
        to_b = -rest if to_b is None else to_b - rest
        if needs[0]:
            more = rest @ adjoint(out0)
            to_a = more if to_a is None else to_a + more
    return to_a, to_b


@on_page
@named("solution", "residuals", "rank", "singular_values")
def linalg_lstsq(input, b, rcond=None, *, driver=None):
    """X that makes the norm of ``input @ X - b`` smallest, for ``input`` (*, m, n) and ``b`` (*, m, k) or vectors (*, m).

    Named results: ``solution``; ``residuals``, the squared norms, for m > n, full rank and another driver than "gelsy" (else empty);
    ``rank``; ``singular_values`` (drivers "gelsd" and "gelss"). ``driver`` is one of "gels" (which takes full rank for granted), "gelsy"
    (by default), "gelsd", "gelss"; here all compute with singular values, of which those up to ``rcond`` times the largest count as zero.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.lstsq(torch.tensor([[1.], [1.]]), torch.tensor([[1.], [3.]])).solution
        tensor([[2.]])
    """
    need_tensors("linalg_lstsq", input=input, b=b)
    a, right = input._a, b._a
    name = "torch.linalg.lstsq"
    if rcond is not None and (isinstance(rcond, bool) or not isinstance(rcond, (int, float, np.number))):
        raise TypeError(f"linalg_lstsq(): argument 'rcond' must be float, not {type(rcond).__name__}")
    if a.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if right.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if a.dtype != right.dtype:
        raise RuntimeError(f"{name}: Expected input and other to have the same dtype, but got input's dtype {input.dtype.scalar_name} and "
                           f"other's dtype {b.dtype.scalar_name}\nConvert one of them with .to(dtype).")
    need_kernel("linalg_lstsq_cpu", a)
    if driver is not None and driver not in _DRIVERS:
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    driver = driver or "gelsy"
    short = a.ndim - right.ndim
    if not 0 <= short <= 1:
        raise RuntimeError(f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1")
    vector = right.ndim == 1 or short == 1
    if a.shape[-2] != right.shape[-1 if vector else -2]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({-1 if vector else -2})")
    right = b.unsqueeze(-1) if vector else b
    batch = call.broadcast_shapes(a.shape[:-2], right._a.shape[:-2])
    input, right = input.expand(*batch, *a.shape[-2:]), right.expand(*batch, *right._a.shape[-2:])
    limit = tolerance(a) if rcond is None else float(rcond)
    made, rest, rank, sizes = _lstsq.public(input, right, limit, driver)
    return linalg_lstsq.returns((
        made.squeeze(-1) if vector else made, rest, rank if driver != "gels" else wrap(np.zeros((0,), np.int64)),
        sizes.detach() if driver in ("gelsd", "gelss") else wrap(np.zeros((0,), a.real.dtype))))
