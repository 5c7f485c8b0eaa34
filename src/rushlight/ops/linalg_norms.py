"""Norms of matrices, condition numbers, and products: what ``torch.linalg`` makes of operators of other families."""
import itertools

import numpy as np

from ..dtypes import BY_NUMPY, COMPLEX, FLOATING
from ..kernels import products as kernels
from ..kernels.linalg import need_floating, need_matrix, need_square
from ..kernels.reduce import kept_shape, one_axis
from ..tensor import Tensor, wrap
from ._linalg import give_one, need_tensors, on_page
from .late import torch
from .linalg_solving import linalg_inv_ex
from .linalg_spectral import singular_values
from .norms import linalg_vector_norm as vector_norm
from .products import _cross, _matrix_exp

__all__ = []


# ---------------------------------------------------------------- norms

@on_page
def linalg_vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """The ``ord``-norm of the elements over ``dim``, all of them by default, as if they were one vector.

    ``ord`` is any number, ``inf`` or ``-inf``; 0 counts what is not zero. ``dtype`` is the one to compute in. RuntimeError for integers.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.vector_norm(torch.tensor([3., -4.]), ord=1)
        tensor(7.)
    """
    need_tensors("linalg_vector_norm", input=input)
    return give_one(out, vector_norm.public(input, ord, dim, keepdim, dtype=dtype), "linalg_vector_norm")


def _check_norm_dtype(name, A, dtype):
    known = BY_NUMPY[A._a.dtype]
    if dtype is None:
        return
    if dtype.category < FLOATING:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {dtype.scalar_name}\nPass torch.float32 or "
                           "torch.float64.")
    if (dtype.category == COMPLEX) != (known.category == COMPLEX):
        which = "complex" if known.category == COMPLEX else "real"
        raise RuntimeError(f"{name}: dtype should be {which} for {which} inputs, but got {dtype.scalar_name}\nA norm's dtype= says in "
                           "what precision it is computed.")


def _two_dims(dim, ndim):
    """The two dimensions of matrices, counted from 0."""
    if isinstance(dim, int) or len(dim) != 2:
        given = str(dim) if isinstance(dim, int) else " ".join(map(str, dim))
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {given}\nA matrix has rows and columns.")
    rows, columns = (one_axis(d, ndim) for d in dim)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})\nName two dimensions.")
    return rows, columns


def matrix_norm(A, ord, dim, keepdim, dtype):
    """A norm of the matrices in two dimensions of a Tensor."""
    need_matrix("linalg.matrix_norm", A._a)
    need_floating("linalg.matrix_norm", A._a, low=True)
    _check_norm_dtype("linalg.matrix_norm", A, dtype)
    rows, columns = _two_dims(dim, A.ndim)
    if isinstance(ord, str):
        if ord not in ("fro", "nuc"):
            raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.\nUse 'fro', 'nuc' or a number.")
    elif abs(ord) not in (1, 2, np.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord:g} not supported.\nUse 1, 2, inf, their negatives, 'fro' or 'nuc'.")
    if ord == "fro":
        return vector_norm.public(A, 2, (rows, columns), keepdim, dtype=dtype)
    if dtype is not None:
        A = A.to(dtype)
    if ord == "nuc" or abs(ord) == 2:
        values = singular_values(A.movedim((rows, columns), (-2, -1)))
        made = values.sum(-1) if ord == "nuc" else _extreme(values, ord > 0, -1)
        return made.reshape(kept_shape(tuple(A.shape), (rows, columns))) if keepdim else made
    summed, compared = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = vector_norm.public(A, 1, summed, keepdim)
    return _extreme(sums, ord > 0, compared if keepdim or compared < summed else compared - 1, keepdim)


def _extreme(values, largest, dim, keepdim=False):
    """The largest or smallest along a dimension; 0 is the largest of nothing, as in PyTorch."""
    if largest and not values.shape[dim]:
        return values.sum(dim, keepdim)
    return (values.amax if largest else values.amin)(dim, keepdim)


@on_page
def linalg_matrix_norm(input, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """input norm of matrices: "fro" (the root of the sum of squares), "nuc" (the sum of singular values), 1 and inf (the largest sum of
    absolute values of a column, of a row), 2 (the largest singular value), and -1, -inf, -2 with the smallest.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.matrix_norm(torch.tensor([[1., -2.], [3., 4.]]), ord=1)
        tensor(6.)
    """
    need_tensors("linalg_matrix_norm", input=input)
    if isinstance(dim, int):
        raise TypeError(f"linalg_matrix_norm() received an invalid combination of arguments - got (Tensor, dim={type(dim).__name__}), but "
                        "expected dim to be a tuple of two ints")
    return give_one(out, matrix_norm(input, ord, dim, keepdim, dtype), "linalg_matrix_norm")


@on_page
def linalg_norm(input, ord=None, dim=None, keepdim=False, *, out=None, dtype=None):
    """A norm of a vector or of matrices, whichever ``dim`` and ``ord`` say.

    With two dimensions in ``dim``, or an ``ord`` and a matrix, ``matrix_norm``; else ``vector_norm``, by default of all elements.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.norm(torch.tensor([[3., 0.], [0., -4.]])), torch.linalg.norm(torch.tensor([[3., 0.], [0., -4.]]), ord=2)
        (tensor(5.), tensor(4.))
    """
    need_tensors("linalg_norm", input=input)
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if dims is None and ord is not None and input.ndim not in (1, 2):
        raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
                           f"{input.ndim}D.")
    if isinstance(ord, str):
        made = matrix_norm(input, ord, (0, 1) if dims is None else dims if len(dims) == 2 else dims[0], keepdim, dtype)
    elif ord is not None and (len(dims) == 2 if dims is not None else input.ndim == 2):
        made = matrix_norm(input, ord, dims or (0, 1), keepdim, dtype)
    else:
        made = vector_norm.public(input, 2 if ord is None else ord, dims, keepdim, dtype=dtype)
    return give_one(out, made, "linalg_norm")


@on_page
def linalg_cond(input, p=None, *, out=None):
    """The condition number of matrices: the norm times the norm of the inverse; inf for a singular matrix, in norms other than 2.

    ``p`` is None or 2 (largest by smallest singular value), -2, or for square matrices 1, inf, -1, -inf, "fro", "nuc".

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.cond(torch.tensor([[2., 0.], [0., 1.]]))
        tensor(2.)
    """
    need_tensors("linalg_cond", input=input)
    if input.ndim < 2:
        raise RuntimeError(f"linalg.cond: The input tensor must have at least 2 dimensions.\nIt has {input.ndim}.")
    if p not in (None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}\nUse 2, 1, inf, their negatives, 'fro' or 'nuc'.")
    if p is None or p in (2, -2) or p == "nuc":
        values = singular_values(input)
        if not values.shape[-1]:
            made = values.sum(-1)
        elif p == "nuc":
            made = values.sum(-1) * values.reciprocal().sum(-1)
        else:
            largest, smallest = values.narrow(-1, 0, 1), values.narrow(-1, values.shape[-1] - 1, 1)
            made = (smallest / largest if p == -2 else largest / smallest).squeeze(-1)
        return give_one(out, made, "linalg_cond")
    need_square(f"linalg.cond(ord={p})", input._a)
    if not input.numel():
        return give_one(out, wrap(np.zeros(input.shape[:-2], input._a.real.dtype)), "linalg_cond")
    inverse, info = linalg_inv_ex.public(input)
    if info._a.any():
        inverse = inverse.masked_fill(wrap(np.asarray(info._a != 0)[..., None, None]), float("inf"))
    made = matrix_norm(input, p, (-2, -1), False, None) * matrix_norm(inverse, p, (-2, -1), False, None)
    return give_one(out, torch.nan_to_num(made, float("inf"), float("inf"), float("-inf")), "linalg_cond")


# ---------------------------------------------------------------- products

@on_page
def linalg_matmul(input, other, *, out=None):
    """``torch.matmul``."""
    return torch.matmul(input, other, out=out)


@on_page
def linalg_matrix_exp(input):
    """``torch.matrix_exp``: the exponentials of square matrices."""
    need_tensors("linalg_matrix_exp", input=input)
    return _matrix_exp.public(input)


@on_page
def linalg_matrix_power(input, n, *, out=None):
    """``torch.matrix_power``: the ``n``-th power of square matrices, of their inverses for negative ``n``."""
    need_tensors("linalg_matrix_power", input=input)
    return torch.matrix_power(input, n, out=out)


@on_page
def linalg_cross(input, other, *, dim=-1, out=None):
    """The cross products of vectors of length 3 along ``dim``, which broadcast."""
    return _cross.public(input, other, dim, out=out)


@on_page
def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """``torch.diagonal`` of the last two dimensions: a view."""
    return torch.diagonal(A, offset=offset, dim1=dim1, dim2=dim2)


@on_page
def linalg_vecdot(x, y, *, dim=-1, out=None):
    """The sums of ``conj(x) * y`` along ``dim``; other dimensions broadcast.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.vecdot(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
        tensor([3., 7.])
    """
    need_tensors("linalg_vecdot", x=x, y=y)
    need_floating("linalg.vecdot", x._a, low=True)
    if x._a.dtype != y._a.dtype:
        raise RuntimeError(f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x.dtype.scalar_name} and y of "
                           f"type {y.dtype.scalar_name} instead\nConvert one of them with .to(dtype).")
    if x.ndim == 1 and y.ndim == 1:
        made = torch.vdot(x, y)
    else:
        made = (x.conj() * y).sum(dim)
    return give_one(out, made, "linalg_vecdot")


@on_page
def linalg_multi_dot(tensors, *, out=None):
    """The product of two or more matrices, multiplied in the order that costs least; the first and the last may be vectors.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 1), torch.ones(1, 2)])
        tensor([[3., 3.],
                [3., 3.]])
    """
    tensors = list(tensors)
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    shape = []
    for which, at in (("first", 0), ("last", -1)):
        t = tensors[at]
        if t.ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {which} tensor must be 1D or 2D but got {t.ndim}D")
        if t.ndim == 1:
            tensors[at] = t.unsqueeze(0 if at == 0 else -1)
        else:
            shape.append(t.shape[at])
    for i, t in enumerate(tensors):
        if t.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {t.ndim}D")
        if t._a.dtype != tensors[0]._a.dtype:
            names = [s.dtype.name for s in (tensors[0], t)]
            first, other = ({"float32": "float", "float64": "double"}.get(n, n) for n in names)
            raise RuntimeError(f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {first} and tensor {i} {other}")
    for i, (a, b) in enumerate(itertools.pairwise(tensors)):
        if a.shape[-1] != b.shape[0]:
            raise RuntimeError(f"multi_dot(): tensors {i} and {i + 1} with shapes {list(a.shape)} and {list(b.shape)} cannot be "
                               "multiplied")
    split = kernels.cheapest_order([tuple(t.shape) for t in tensors])

    def product(first, last):
        if first == last:
            return tensors[first]
        at = split[first, last]
        return torch.mm(product(first, at), product(at + 1, last))
    return give_one(out, product(0, len(tensors) - 1).view(shape), "linalg_multi_dot")


@on_page
def linalg_vander(x, *, N=None):
    """The powers 0 to N - 1 of each element, along a new last dimension; N is the last size of ``x`` by default.

    Example::

        >>> import rushlight as torch
        >>> torch.linalg.vander(torch.tensor([1, 2, 3]))
        tensor([[1, 1, 1],
                [1, 2, 4],
                [1, 3, 9]])
    """
    need_tensors("linalg_vander", x=x)
    if x.dtype.scalar_name == "Bool":
        raise RuntimeError("linalg.vander supports floating point, complex, and integer tensors, but got Bool\nConvert it with .long().")
    if x.ndim == 0:
        x = x.unsqueeze(-1)
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError(f"N must be greater than 1.\nIt is {n}.")
    powers = x.unsqueeze(-1).expand(*x.shape, n - 1).cumprod(-1)
    return torch.cat([powers.new_ones((*x.shape, 1)), powers], -1)
