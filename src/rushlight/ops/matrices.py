"""What parametrizations need of matrices, with derivatives: exponential, solving, Householder products, norms of slices.

Kernels come from `numpy.linalg`, whose LAPACK works in double precision, rounded at the end.
"""
import numpy as np

from ..tensor import Tensor
from .declare import Array, both, composite, op
from .late import torch

__all__ = ["matrix_exponential", "solve", "reflections", "householder_product"]

# Taylor's series to this many terms is exact to double precision for matrices of norm 1/2 at most.
_TERMS = 16


@op(function=False, out=False, grad_name="LinalgMatrixExpBackward0")
def matrix_exponential(input: Array):
    """The exponential of square matrices (*, n, n), by scaling and squaring."""
    dtype = input.dtype
    a = input.astype(np.complex128 if dtype.kind == "c" else np.float64)
    if not a.size:
        return input.copy()
    norm = np.abs(a).sum(-2).max(-1)                # the 1-norm of each matrix
    squarings = np.zeros(norm.shape, np.int64)
    finite = np.isfinite(norm)
    squarings[finite] = np.ceil(np.log2(np.maximum(norm[finite], 0.25) * 2)).astype(np.int64)
    a = a / (2.0 ** squarings)[..., None, None]
    identity = np.eye(a.shape[-1], dtype=a.dtype)
    made = identity + a / _TERMS
    for k in range(_TERMS - 1, 0, -1):              # Horner's rule
        made = identity + (a @ made) / k
    for step in range(int(squarings.max(initial=0))):
        more = (squarings > step)[..., None, None]
        made = np.where(more, made @ made, made)
    return made.astype(dtype)


def _exponential_rule(g, input):
    """The derivative of exp at A^H in the direction g: a corner of the exponential of a matrix of four blocks (Mathias 1996)."""
    n = input.shape[-1]
    turned = both.conj(input.swapaxes(-1, -2))
    nothing = turned * 0
    blocks = both.cat([both.cat([turned, g], -1), both.cat([nothing, turned], -1)], -2)
    return both.matrix_exponential(blocks)[..., :n, n:]


matrix_exponential.derivative(input=_exponential_rule)


@op(function=False, out=False, grad_name="LinalgSolveExBackward0")
def solve(a: Array, b: Array):
    """X with ``a X = b``, for square matrices (*, n, n) and (*, n, k)."""
    return np.linalg.solve(a, b).astype(b.dtype, copy=False)


def _solve_to_b(g, a):
    return both.solve(both.conj(a.swapaxes(-1, -2)), g)


solve.derivative(a=lambda g, a, out: -(_solve_to_b(g, a) @ both.conj(out.swapaxes(-1, -2))), b=lambda g, a: _solve_to_b(g, a))


def reflections(a):
    """LAPACK's ``geqrf`` of an array (*, n, k): (reflectors below, R above; their factors tau)."""
    h, tau = np.linalg.qr(a, mode="raw")
    return np.ascontiguousarray(h.swapaxes(-1, -2)).astype(a.dtype), tau.astype(a.dtype)


def householder_product(vectors, tau):
    """The first k columns of the product of ``1 - tau_i v_i v_i^H``, of Tensors (*, n, k) and (*, k).

    ``v_i`` is column i of ``vectors`` below the diagonal, with 1 on it and 0 above.
    """
    n, k = vectors.shape[-2:]
    lower = vectors.tril(diagonal=-1) + torch.eye(n, k, dtype=vectors.dtype)
    made = torch.eye(n, k, dtype=vectors.dtype).expand(vectors.shape)
    for i in range(k - 1, -1, -1):
        v = lower[..., i:i + 1]
        made = made - tau[..., i, None, None] * (v @ (v.conj().transpose(-2, -1) @ made))
    return made


# ---------------------------------------------------------------- weights of given length

@composite
def norm_except_dim(v, pow=2, dim=0):
    """The norms of the slices of ``v`` along ``dim``, other dimensions kept with size 1; of all of it for -1.

    Example::

        >>> import rushlight as torch
        >>> torch.norm_except_dim(torch.tensor([[3., 4.], [6., 8.]]))
        tensor([[ 5.],
                [10.]])
    """
    if not isinstance(v, Tensor):
        raise TypeError(f"norm_except_dim(): argument 'v' (position 1) must be Tensor, not {type(v).__name__}")
    if dim == -1:
        return v.norm(pow)
    last = v.ndim - 1
    if dim == last and dim:
        return v.contiguous().view(-1, v.shape[last]).norm(pow, 0).view(*[1] * last, v.shape[last])
    if dim == 0:
        return v.contiguous().view(v.shape[0], -1).norm(pow, 1).view(v.shape[0], *[1] * last)
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)


@composite
def _weight_norm(v, g, dim=0):
    """``v`` with the norms of its slices along ``dim`` made ``g`` (Salimans and Kingma 2016)."""
    return v * (g / norm_except_dim(v, 2, dim))
