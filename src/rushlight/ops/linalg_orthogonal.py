"""QR, and products of Householder's reflections: ``H_1 ... H_k`` with ``H_i = 1 - tau_i v_i v_i^H``.

``v_i`` is column i of a matrix below the diagonal, with 1 on it and 0 above, as LAPACK's ``geqrf`` leaves them. The rule of a product
walks along it: it undoes one reflection after the other, so that no partial product need be kept.
"""
import numpy as np

from ..kernels import linalg_factors as kernels
from ..kernels.errors import scalar_name
from ..kernels.linalg import adjoint as turned
from ..kernels.linalg import need_floating, need_kernel, need_matrix
from ._linalg import adjoint, exactly, eye_like, is_complex, show
from ._reduced import like, plain, total
from .declare import Array, both, op

__all__ = []


# ---------------------------------------------------------------- QR

@op(function=False, returns=("Q", "R"), out=exactly)
def linalg_qr(A: Array, mode="reduced"):
    """Q with orthonormal columns and R, upper triangular, with ``A = Q @ R``.

    With k the smaller size of A (*, m, n): "reduced" gives Q (*, m, k) and R (*, k, n); "complete" Q (*, m, m) and R (*, m, n); "r" R
    alone, and an empty Q. Signs are LAPACK's.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.qr(torch.tensor([[3., 1.], [4., 2.]])).R
        tensor([[-5.0000, -2.2000],
                [ 0.0000,  0.4000]])
    """
    need_matrix("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'")
    need_floating("linalg.qr", A, low=True)
    need_kernel("geqrf_cpu", A)
    return kernels.qr(A, mode)


@linalg_qr.derivatives
def _qr_gradient(g0, g1, out0, out1, A_shape, mode):
    if mode == "r":
        raise RuntimeError("The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
                           "linalg.qr(A, mode='reduced') if you are going to require gradients")
    m, n = A_shape[-2:]
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols")
    if g0 is None and g1 is None:
        return (None,)
    q, r = out0, out1
    if m < n:                   # the columns of A beyond the square are Q times those of R
        if g1 is not None:
            to_beyond = q @ g1[..., m:]
            g0, g1 = total(g0, q @ (r[..., m:] @ adjoint(g1[..., m:]))), g1[..., :m]
        else:
            to_beyond = like(q, np.zeros((*A_shape[:-1], n - m), plain(q).dtype))
        return (both.cat([_square_gradient(g0, g1, q, r[..., :m]), to_beyond], -1),)
    return (_square_gradient(g0, g1, q, r),)


def _square_gradient(g0, g1, q, r):
    """The gradient of a matrix that is not wider than high."""
    inner = None if g0 is None else -(adjoint(q) @ g0)
    if g1 is not None:
        inner = total(inner, g1 @ adjoint(r))
    inner = _mirrored(both.triu(inner))
    made = q @ inner
    if g0 is not None:
        made = made + g0
    return both.linalg_solve_triangular(adjoint(r), made, upper=False, left=False)


def _mirrored(x):
    """An upper triangle made Hermitian: its real diagonal once."""
    made = x + adjoint(x)
    return made - (x.real if is_complex(x) else x) * like(x, np.eye(x.shape[-1], dtype=plain(x).real.dtype))


@op(method=True, returns=("a", "tau"), out=exactly)
def geqrf(input: Array):
    """QR as LAPACK leaves it: R above, the reflections' vectors below the diagonal of ``a`` (*, m, n), their factors ``tau``.

    Without gradient, as in PyTorch: use ``linalg.qr``.
    """
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    need_kernel("geqrf_cpu", input)
    return kernels.geqrf(input)


@geqrf.derivatives
def _geqrf_gradient(g0, g1):
    raise NotImplementedError("the derivative for 'geqrf' is not implemented.\nlinalg.qr has one.")


# ---------------------------------------------------------------- products of reflections

def _check_vectors(name, A, tau, kernel):
    if A.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if tau.dtype != A.dtype:
        raise RuntimeError(f"{name}: tau dtype {scalar_name(tau.dtype)} does not match input dtype {scalar_name(A.dtype)}"
                           "\nConvert one of them with .to(dtype).")
    if A.ndim - tau.ndim != 1:
        raise RuntimeError(f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and "
                           f"input.ndim is equal to {A.ndim}")
    need_kernel(kernel, A)


@op(function=False, out=exactly)
def linalg_householder_product(input: Array, tau: Array):
    """The first n columns of ``H_1 ... H_k``, of vectors input (*, m, n) and factors tau (*, k), k <= n <= m.

    Example::

        >>> import rushlight as torch
        >>> a, tau = torch.geqrf(torch.tensor([[3., 1.], [4., 2.]]))
        >>> torch.linalg.householder_product(a, tau)
        tensor([[-0.6000, -0.8000],
                [-0.8000,  0.6000]])
    """
    name = "torch.linalg.householder_product"
    if input.ndim >= 2:
        if input.shape[-2] < input.shape[-1]:
            raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
        if tau.shape[-1] > input.shape[-1]:
            raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    _check_vectors(name, input, tau, "householder_product_cpu")
    if tau.shape[:-1] != input.shape[:-2]:
        raise RuntimeError(f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(tau.shape[:-1])}")
    eye = np.broadcast_to(np.eye(*input.shape[-2:], dtype=input.dtype), input.shape)
    return kernels.reflect(kernels.unit_lower(input, tau.shape[-1]), tau, eye)


@linalg_householder_product.derivatives
def _product_gradients(g, input, tau, out):
    to_a, to_tau, _ = _through_reflections(g, input, tau, out, False)
    return to_a, to_tau


def _through_reflections(g, A, tau, out, backwards):
    """The gradients of ``H_1 ... H_k x`` (of the adjoint product if ``backwards``) with respect to A, tau and x.

    ``rest`` is the result without the reflections passed so far, ``g`` its gradient. ``H_i`` is undone by a reflection with another
    factor.
    """
    m, n = A.shape[-2:]
    k = tau.shape[-1]
    vectors = both.tril(A[..., :k], -1) + eye_like(A, m, k)
    rest = out
    to_vectors, to_tau = [None] * k, [None] * k
    for i in reversed(range(k)) if backwards else range(k):
        v, t = vectors[..., i:i + 1], tau[..., i, None, None]
        t = both.conj(t) if backwards else t
        vh = adjoint(v)
        rest = rest - t / (t * (vh @ v) - 1) * (v @ (vh @ rest))
        w, z = vh @ rest, vh @ g
        change = -both.sum(both.conj(w) * z, -1, False)
        to_tau[i] = both.conj(change) if backwards else change
        to_vectors[i] = -(both.conj(t) * (g @ adjoint(w)) + t * (rest @ adjoint(z)))
        g = g - both.conj(t) * (v @ z)
    if not k:                   # nothing was reflected; what is empty keeps the gradient a function of the inputs, for second derivatives
        return A * 0, tau * 0, g - vectors @ (adjoint(vectors) @ g)
    to_a = both.tril(both.cat(to_vectors, -1), -1)
    if k < n:
        to_a = both.cat([to_a, like(to_a, np.zeros((*plain(A).shape[:-1], n - k), plain(A).dtype))], -1)
    return to_a, both.cat(to_tau, -1), g


@op(method=True, out=exactly)
def ormqr(input: Array, input2: Array, input3: Array, left=True, transpose=False):
    """Q times ``input3``, or with ``left=False`` ``input3`` times Q; Q^H for Q with ``transpose``.

    Q is the m by m product of the reflections with vectors ``input`` (*, m, n) and factors ``input2``, as ``geqrf`` gives them.
    """
    name = "torch.ormqr"
    if input3.ndim < 2:
        raise RuntimeError(f"{name}: other must have at least 2 dimensions.")
    side = -2 if left else -1
    if input.ndim >= 2:
        if input3.shape[side] < input2.shape[-1]:
            raise RuntimeError(f"{name}: other.shape[{side}] must be greater than or equal to tau.shape[-1]")
        if input3.shape[side] != input.shape[-2]:
            raise RuntimeError(f"{name}: other.shape[{side}] must be equal to input.shape[-2]")
        if input2.shape[-1] > input.shape[-1]:
            raise RuntimeError(f"{name}: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    _check_vectors(name, input, input2, "ormqr_cpu")
    if input3.ndim != input.ndim:
        raise RuntimeError(f"{name}: Expected other to have the same number of dimensions as input, but got other.ndim equal to "
                           f"{input3.ndim} and input.ndim is equal to {input.ndim}")
    for what, shape in (("tau", input2.shape[:-1]), ("other", input3.shape[:-2])):
        if shape != input.shape[:-2]:
            raise RuntimeError(f"{name}: Expected batch dimensions of {what} to be equal to input.shape[:-2], but got {list(shape)}")
    if input3.dtype != input.dtype:
        raise RuntimeError(f"{name}: Expected input and other to have the same dtype, but input has dtype {scalar_name(input.dtype)} "
                           f"and other has dtype {scalar_name(input3.dtype)}\nConvert one of them with .to(dtype).")
    vectors = kernels.unit_lower(input, input2.shape[-1])
    if left:
        return kernels.reflect(vectors, input2, input3, bool(transpose))
    return turned(kernels.reflect(vectors, input2, turned(input3), not transpose))


@ormqr.derivatives
def _ormqr_gradients(g, input, input2, out, left, transpose):
    if left:
        return _through_reflections(g, input, input2, out, bool(transpose))
    to_a, to_tau, to_other = _through_reflections(adjoint(g), input, input2, adjoint(out), not transpose)
    return to_a, to_tau, adjoint(to_other)


show(linalg_qr, linalg_householder_product)
