"""Inverses, systems of linear equations and determinants.

What PyTorch calls ``inv``, ``solve`` and ``det`` rests on LU. Rules solve again rather than keep factors: that is as quick with
NumPy's LAPACK, and the same formula serves every order of derivative.
"""
import math

import numpy as np

from ..kernels import linalg as kernels
from ..kernels.errors import refuse
from ..kernels.linalg import is_vector, need_floating, need_shapes, need_solvable, need_square
from ..kernels.reduce import one_axis
from ._linalg import adjoint, diagonal_matrix, exactly, give_one, is_complex, need_none, need_tensors, on_page, show
from ._reduced import like, plain
from .declare import Array, both, op

__all__ = ["singular"]


# ---------------------------------------------------------------- inverses

def singular(row):
    """What is said of a matrix without inverse."""
    return f"The diagonal element {row} is zero, the inversion could not be completed because the input matrix is singular."


@op(function=False, returns=("inverse", "info"), out=exactly)
def linalg_inv_ex(A: Array, *, check_errors=False):
    """The inverses of square matrices (*, n, n), and ``info``: 0, or where the matrix turned out to be singular.

    Named results ``inverse`` and ``info`` (int32). With ``check_errors`` a singular matrix raises ``LinAlgError``; without, what
    ``inverse`` holds for it means nothing. RuntimeError for integers, half types and matrices that are not square.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.inv_ex(torch.tensor([[2., 0.], [0., 4.]])).inverse
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    need_square("linalg.inv", A)
    need_floating("linalg.inv", A)
    made, info = kernels.inverse(A)
    if check_errors:
        need_none("linalg.inv_ex", info, singular)
    return made, info


@linalg_inv_ex.derivatives
def _inv_gradient(g0, out0):
    turned = adjoint(out0)
    return (-(turned @ g0 @ turned) if g0 is not None else None,)


@on_page
def linalg_inv(A, *, out=None):
    """The inverses of square matrices (*, n, n); ``LinAlgError`` for a singular one.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.inv(torch.tensor([[1., 2.], [0., 1.]]))
        tensor([[ 1., -2.],
                [ 0.,  1.]])
    """
    need_tensors("linalg_inv", A=A)
    return inverted(A, "linalg.inv", out)


def inverted(A, name, out=None):
    """``inv`` for several callers, which have each their name in its error."""
    made, info = linalg_inv_ex.public(A)
    need_none(name, info, singular)
    return give_one(out, made, "linalg_inv")


# ---------------------------------------------------------------- systems

@op(function=False, returns=("result", "info"), out=exactly)
def linalg_solve_ex(A: Array, B: Array, *, left=True, check_errors=False):
    """X with ``A X = B`` (``X A = B`` with ``left=False``), and ``info``: 0, or where ``A`` turned out to be singular.

    ``A`` is (*, n, n), ``B`` (*, n, k), or one vector (*, n) for each matrix. Other sizes broadcast.
    """
    name = "linalg.solve"
    vector = is_vector(A, B)
    if vector and not left:
        raise RuntimeError("linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
                           "linalg.solve is equivalent to B / A.squeeze(-1)")
    right = B[..., None] if vector else B
    need_solvable(name, A, right, left)
    need_floating(name, A)
    if left:
        made, info = kernels.solve(A, right)
    else:
        made, info = kernels.solve(np.swapaxes(A, -1, -2), np.swapaxes(right, -1, -2))
        made = np.ascontiguousarray(np.swapaxes(made, -1, -2))
    if check_errors:
        need_none("torch.linalg.solve_ex", info, _no_solution)
    return made[..., 0] if vector else made, info


def _no_solution(row):
    return "The solver failed because the input matrix is singular."


@linalg_solve_ex.derivatives
def _solve_gradients(g0, A, out0, B_shape, left, needs):
    if g0 is None:
        return None, None
    vector = len(B_shape) == 1 or A.ndim - 1 == len(B_shape) and tuple(B_shape) == tuple(A.shape[:-1])
    g, x = (g0[..., None], out0[..., None]) if vector else (g0, out0)
    to_b = both.linalg_solve_ex(adjoint(A), g, left=left)[0]
    to_a = None
    if needs[0]:
        to_a = -(to_b @ adjoint(x)) if left else -(adjoint(x) @ to_b)
    return to_a, to_b[..., 0] if vector else to_b


@on_page
def linalg_solve(A, B, *, left=True, out=None):
    """X with ``A X = B`` (``X A = B`` with ``left=False``), for square matrices A (*, n, n) and B (*, n, k) or vectors (*, n).

    ``LinAlgError`` for a singular matrix; RuntimeError for other dtypes than floating ones of one kind, and sizes that do not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 2.]))
        tensor([1.0000, 0.5000])
    """
    need_tensors("linalg_solve", A=A, B=B)
    made, info = linalg_solve_ex.public(A, B, left=left)
    need_none("torch.linalg.solve", info, _no_solution)
    return give_one(out, made, "linalg_solve")


@op(function=False, out=exactly, grad_name="LinalgSolveTriangularBackward0")
def linalg_solve_triangular(input: Array, B: Array, *, upper, left=True, unitriangular=False):
    """X with ``input @ X = B`` (``X @ input = B`` with ``left=False``), where of ``input`` one triangle counts.

    ``unitriangular`` takes the diagonal for ones. A zero on it gives inf or nan, no error.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.solve_triangular(torch.tensor([[1., 1.], [9., 2.]]), torch.ones(2, 1), upper=True)
        tensor([[0.5000],
                [0.5000]])
    """
    need_shapes("linalg.solve_triangular", input, B, left)
    need_triangular(input)
    return kernels.triangular(input, B, bool(upper), bool(left), bool(unitriangular)).astype(input.dtype, copy=False)


def need_triangular(A):
    kernels.need_kernel("triangular_solve_cpu", A)


@linalg_solve_triangular.derivatives
def _triangular_gradients(g, input, out, upper, left, unitriangular, needs):
    return through_triangle(g, input, out, upper, left, unitriangular, needs)


def through_triangle(g, A, out, upper, left, unitriangular, needs):
    """The gradients of a triangular system with respect to the triangle and the right side."""
    to_b = both.linalg_solve_triangular(adjoint(A), g, upper=not upper, left=left, unitriangular=unitriangular)
    to_a = None
    if needs[0]:
        to_a = -(to_b @ adjoint(out)) if left else -(adjoint(out) @ to_b)
        edge = int(unitriangular)
        to_a = both.triu(to_a, edge) if upper else both.tril(to_a, -edge)
    return to_a, to_b


# ---------------------------------------------------------------- tensors as matrices

@on_page
def linalg_tensorinv(input, ind=2, *, out=None):
    """The inverse of ``input`` as a map between tensors: with it, ``tensordot(tensorinv(input), input, ind)`` is the identity.

    ``input`` is read as a square matrix whose rows are its first ``ind`` dimensions. RuntimeError if it is not square, ``LinAlgError``
    if it is singular.
    """
    need_tensors("linalg_tensorinv", input=input)
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > input.ndim:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {input.ndim}\nind counts dimensions of the tensor.")
    rows, columns = tuple(input.shape[:ind]), tuple(input.shape[ind:])
    if math.prod(rows) != math.prod(columns):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
                           f"{math.prod(columns)} != {math.prod(rows)}")
    made = inverted(input.reshape(math.prod(rows), math.prod(columns)), "inv").reshape(columns + rows)
    return give_one(out, made, "linalg_tensorinv")


@on_page
def linalg_tensorsolve(input, other, dims=None, *, out=None):
    """X with ``tensordot(input, X, X.ndim) = other``; ``dims`` names dimensions of ``input`` that are moved to its end first."""
    need_tensors("linalg_tensorsolve", input=input, other=other)
    if dims is not None:
        moved = [one_axis(d, input.ndim) for d in dims]
        input = input.movedim(moved, list(range(input.ndim - len(moved), input.ndim)))
    shape = tuple(input.shape[other.ndim:])
    rows, columns = math.prod(input.shape[:other.ndim]), math.prod(shape)
    if rows != columns or rows != other.numel():
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
                           f"but got {columns} != {rows if rows != columns else other.numel()}")
    made = linalg_solve(input.reshape(rows, columns), other.flatten()).reshape(shape)
    return give_one(out, made, "linalg_tensorsolve")


# ---------------------------------------------------------------- determinants

@op(function=False, out=exactly)
def linalg_det(A: Array):
    """The determinants of square matrices (*, n, n): shape (*).

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.det(torch.tensor([[1., 2.], [3., 4.]]))
        tensor(-2.)
    """
    need_square("linalg.det", A)
    need_floating("linalg.det", A, low=True)
    if A.dtype.char not in "fdFD":
        raise refuse("lu_cpu", A.dtype)
    return np.asarray(np.linalg.det(A)).astype(A.dtype, copy=False)


def _det_gradient(g, A, out):
    """The adjugate's adjoint: the determinant times the inverse, or for singular matrices from singular values."""
    det = plain(out)
    if (np.abs(det) > 100 * np.finfo(det.dtype).eps).all():
        return (g * both.conj(out))[..., None, None] * adjoint(both.linalg_inv_ex(A)[0])
    u, s, vh = both._linalg_svd(A, False)
    n = A.shape[-1]
    others = both.where(like(g, np.eye(n, dtype=bool)), 1, s[..., None, :]).prod(-1)
    sign = both.conj(both.linalg_det(u) * both.linalg_det(vh))
    return (g * sign)[..., None, None] * (u @ (others[..., None] * vh))


linalg_det.derivative(A=_det_gradient)


@op(function=False, returns=("sign", "logabsdet"), out=exactly)
def linalg_slogdet(A: Array):
    """The sign of the determinant (a number of absolute value 1 where complex) and the logarithm of its absolute value.

    A singular matrix gives 0 and -inf.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.slogdet(torch.tensor([[0., 1.], [1., 0.]])).sign
        tensor(-1.)
    """
    need_square("linalg.slogdet", A)
    need_floating("linalg.slogdet", A)
    sign, size = np.linalg.slogdet(A)
    return np.asarray(sign).astype(A.dtype, copy=False), np.asarray(size).astype(A.real.dtype, copy=False)


@linalg_slogdet.derivatives
def _slogdet_gradient(g0, g1, A, out0):
    weight = g1
    if is_complex(A) and g0 is not None:
        turned = (g0 * both.conj(out0)).imag * 1j
        weight = turned if weight is None else weight + turned
    if weight is None:
        return (None,)
    n = A.shape[-1]
    spread = diagonal_matrix(weight[..., None] * like(weight, np.ones(n, plain(weight).real.dtype)))
    if is_complex(A) and not is_complex(spread):
        spread = spread + 0j
    return (both.linalg_solve_ex(adjoint(A), spread)[0],)


show(linalg_inv_ex, linalg_solve_ex, linalg_solve_triangular, linalg_det, linalg_slogdet)
