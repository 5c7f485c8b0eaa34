"""Products built on ``matmul``: sums of a product and a tensor (addmm and its like), outer, inner and
Kronecker products, contractions over several dimensions, cross products and matrix powers.
"""
import warnings

import numpy as np

from ..kernels import products
from ..kernels.errors import wrap_dim
from ..kernels.matmul import transposed
from ..tensor import Tensor, wrap
from ._reduced import give
from .declare import Array, both, composite, op
from .exact import exact, said
from .late import torch
from .matmul import VIEWED, _conj, matmul, mm, times
from .table import alias, namespaces

__all__ = []


def scale(g, number):
    """``g`` times the conjugate of ``alpha`` or ``beta``."""
    if number.__class__ is int and number == 1:
        return g
    return g * (number.conjugate() if isinstance(number, complex) else number)


# ---------------------------------------------------------------- a product added to a tensor

@op(method=True, inplace=True, out=exact)
def addmm(input: Array, mat1: Array, mat2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat1 @ mat2)``; ``input`` broadcasts to the product's shape.

    With ``beta`` 0 what ``input`` holds, NaN included, does not count.

    Example::

        >>> import rushlight as torch
        >>> torch.addmm(torch.tensor([1., 2.]), torch.ones(1, 3), torch.ones(3, 2))
        tensor([[4., 5.]])
    """
    return products.addmm(input, mat1, mat2, beta, alpha)


addmm.derivative(input=lambda g, beta: scale(g, beta),
                 mat1=lambda g, mat2, alpha: scale(times(g, _conj(mat2).T), alpha),
                 mat2=lambda g, mat1, alpha: scale(times(_conj(mat1).T, g), alpha))


@op(method=True, inplace=True, out=exact)
def addmv(input: Array, mat: Array, vec: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat @ vec)``.

    Example::

        >>> import rushlight as torch
        >>> torch.addmv(torch.zeros(2), torch.ones(2, 3), torch.ones(3), alpha=2)
        tensor([6., 6.])
    """
    return products.addmv(input, mat, vec, beta, alpha)


addmv.derivative(input=lambda g, beta: scale(g, beta),
                 mat=lambda g, vec, alpha: scale(g[:, None] * _conj(vec), alpha),
                 vec=lambda g, mat, alpha: scale(times(_conj(mat).T, g), alpha))


@op(method=True, inplace=True, fast=False)
def addr(input: Array, vec1: Array, vec2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * outer(vec1, vec2)``.

    Example::

        >>> import rushlight as torch
        >>> torch.addr(torch.zeros(2, 2), torch.tensor([1., 2.]), torch.tensor([3., 4.]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    return products.addr(input, vec1, vec2, beta, alpha)


addr.derivative(input=lambda g, beta: scale(g, beta),
                vec1=lambda g, vec2, alpha: scale(times(g, _conj(vec2)), alpha),
                vec2=lambda g, vec1, alpha: scale(times(g.T, _conj(vec1)), alpha))


@op(method=True, inplace=True, out=exact)
def baddbmm(input: Array, batch1: Array, batch2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * bmm(batch1, batch2)``; ``input`` broadcasts."""
    return products.baddbmm(input, batch1, batch2, beta, alpha)


baddbmm.derivative(input=lambda g, beta: scale(g, beta),
                   batch1=lambda g, batch2, alpha: scale(times(g, _conj(batch2).mT), alpha),
                   batch2=lambda g, batch1, alpha: scale(times(_conj(batch1).mT, g), alpha))


@op(method=True, inplace=True, out=said("self and mat2 must have the same dtype, but got {given} and "
                                        "{wanted}"))
def addbmm(input: Array, batch1: Array, batch2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * bmm(batch1, batch2).sum(0)``; ``input`` broadcasts."""
    return products.addbmm(input, batch1, batch2, beta, alpha)


addbmm.derivative(input=lambda g, beta: scale(g, beta),
                  batch1=lambda g, batch2, alpha: scale(times(g, _conj(batch2).mT), alpha),
                  batch2=lambda g, batch1, alpha: scale(times(_conj(batch1).mT, g), alpha))
namespaces["torch"]["saddmm"] = addmm.public


# ---------------------------------------------------------------- outer, inner, Kronecker

def _vectors(*given):
    for name, t in given:
        if isinstance(t, Tensor) and t._a.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {t._a.ndim}-D\nFlatten it "
                               "first.")


@composite(method=True)
def outer(input, vec2, *, out=None):
    """The matrix of the products of all pairs of elements of two vectors; the dtype is promoted.

    Example::

        >>> import rushlight as torch
        >>> torch.outer(torch.tensor([1, 2]), torch.tensor([3, 4]))
        tensor([[3, 4],
                [6, 8]])
    """
    _vectors(("self", input), ("vec2", vec2))
    if out is None:
        return input.unsqueeze(1) * vec2
    return namespaces["torch"]["mul"](input.unsqueeze(1), vec2, out=out)


alias("ger", "outer")


@composite(method=True)
def inner(input, other, *, out=None):
    """The sums of products over the last dimension of both: ``tensordot`` over it; with a 0-d tensor the
    plain product.

    Example::

        >>> import rushlight as torch
        >>> torch.inner(torch.tensor([1, 2]), torch.tensor([[3, 4], [5, 6]]))
        tensor([11, 17])
    """
    x, y = input._a, other._a
    if x.ndim == 0 or y.ndim == 0:
        return namespaces["torch"]["mul"](input, other, out=out)
    if x.shape[-1] != y.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(x.shape)} and {list(y.shape)}")
    return tensordot(input, other, ([-1], [-1]), out=out)


@composite(method=True)
def kron(input, other, *, out=None):
    """The Kronecker product: every element of ``input`` times the whole of ``other``, in its place.

    Example::

        >>> import rushlight as torch
        >>> torch.kron(torch.tensor([1, 10]), torch.tensor([1, 2]))
        tensor([ 1,  2, 10, 20])
    """
    n = max(input._a.ndim, other._a.ndim)
    a = (1,) * (n - input._a.ndim) + input._a.shape
    b = (1,) * (n - other._a.ndim) + other._a.shape
    left = input.reshape([m for size in a for m in (size, 1)])
    right = other.reshape([m for size in b for m in (1, size)])
    return give(out, (left * right).reshape([s * t for s, t in zip(a, b)]), "kron")


# ---------------------------------------------------------------- contractions

def _contract(a, b, dims_a, dims_b):
    """Sum the products over pairs of dimensions, as one product of matrices."""
    rest_a = [d for d in range(a._a.ndim) if d not in dims_a]
    rest_b = [d for d in range(b._a.ndim) if d not in dims_b]
    size = 1
    for i, j in zip(dims_a, dims_b):           # a dimension of size 1 is summed before, as broadcasting asks
        n, m = a._a.shape[i], b._a.shape[j]
        if n == 1 and m != 1:
            b = b.sum(j, keepdim=True)
        elif m == 1 and n != 1:
            a = a.sum(i, keepdim=True)
        size *= min(n, m) if n == 1 or m == 1 else n
    shape_a, shape_b = [a._a.shape[d] for d in rest_a], [b._a.shape[d] for d in rest_b]
    left = arranged(a, rest_a + dims_a, (_product(shape_a), size))
    right = arranged(b, dims_b + rest_b, (size, _product(shape_b)))
    return arranged(VIEWED.public(left, right), None, (*shape_a, *shape_b))


def arranged(t, order, shape):
    """``t`` permuted and reshaped, as far as that changes anything."""
    if order is not None and order != list(range(len(order))):
        t = t.permute(order)
    return t if t._a.shape == shape else t.reshape(shape)


def _product(sizes):
    made = 1
    for n in sizes:
        made *= n
    return made


@composite
def tensordot(a, b, dims=2, out=None):
    """The sums of products of ``a`` and ``b`` over pairs of dimensions.

    ``dims``: a number n for the last n of ``a`` with the first n of ``b``, or two lists of dimensions.

    Example::

        >>> import rushlight as torch
        >>> torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), dims=1).shape
        torch.Size([2, 4])
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (tuple, list)):
        dims_a, dims_b = [[d] if isinstance(d, int) else list(d.tolist() if isinstance(d, Tensor) else d)
                          for d in dims]
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a._a.ndim, b._a.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims_a, dims_b = list(range(-dims, 0)), list(range(dims))
    if len(dims_a) != len(dims_b):
        raise RuntimeError("both dimension lists should have same length\nThey pair up.")
    if a._a.dtype != b._a.dtype:
        raise RuntimeError("both inputs should have same dtype\nConvert one of them with .to(dtype).")
    axes = []
    for dims_of, t in ((dims_a, a), (dims_b, b)):
        axes.append([wrap_dim(d, t._a.ndim) for d in dims_of])
        for i, d in enumerate(axes[-1]):
            if d in axes[-1][:i]:
                raise RuntimeError(f"dim {d} appears multiple times in the list of dims\nName each dimension "
                                   "once.")
    for i, (d, e) in enumerate(zip(*axes)):
        n, m = a._a.shape[d], b._a.shape[e]
        if n != m and n != 1 and m != 1:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {n} in dim "
                               f"{dims_a[i]} and second has size "
                               f"{m} in dim {dims_b[i]}")
    if out is not None and isinstance(out, Tensor) and out._a.dtype != a._a.dtype:
        raise RuntimeError(f"tensordot: Expected the output tensor to have dtype {a.dtype.scalar_name}, but "
                           "got an output tensor with "
                           f"dtype {out.dtype.scalar_name}\nGive a tensor of that dtype.")
    return give(out, _contract(a, b, *axes), "tensordot")


@composite
def chain_matmul(*matrices, out=None):
    """The product of several matrices, multiplied in the order that costs least. Deprecated, as in PyTorch:
    it warns.
    """
    warnings.warn("torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
                  "torch.linalg.multi_dot "
                  "instead, which accepts a list of two or more tensors rather than multiple "
                  "parameters.", UserWarning, stacklevel=3)
    if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)):
        matrices = tuple(matrices[0])
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for t in matrices:
        if t._a.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {t._a.ndim}, expected 2 instead.")
    if len(matrices) == 1:
        return give(out, matrices[0], "chain_matmul")
    order = products.cheapest_order([t._a.shape for t in matrices])

    def multiplied(first, last):
        if first == last:
            return matrices[first]
        split = order[first, last]
        return mm.public(multiplied(first, split), multiplied(split + 1, last))
    return give(out, multiplied(0, len(matrices) - 1), "chain_matmul")


# ---------------------------------------------------------------- cross products

@op(name="linalg_cross", function=False, out=exact)
def _cross(input: Array, other: Array, dim=-1):
    """Cross products along ``dim``."""
    return products.cross(input, other, dim)


_cross.derivative(input=lambda g, other, dim: both.linalg_cross(_conj(other), g, dim),
                  other=lambda g, input, dim: both.linalg_cross(g, _conj(input), dim))


@composite(method=True)
def cross(input, other, dim=None, *, out=None):
    """The cross products of vectors of length 3 along ``dim``; without it, along the first dimension of size
    3.

    Example::

        >>> import rushlight as torch
        >>> torch.cross(torch.tensor([1., 0., 0.]), torch.tensor([0., 1., 0.]), dim=0)
        tensor([0., 0., 1.])
    """
    if dim is None:
        warnings.warn("Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass "
                      "the dim explicitly or "
                      "simply use torch.linalg.cross.\nThe default value of dim will change to agree with "
                      "that of linalg.cross in "
                      "a future release.", UserWarning, stacklevel=3)
        dim = next((d for d, n in enumerate(input._a.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input\nThe cross product is one of vectors in "
                               "space.")
    return _cross.public(input, other, dim, out=out)


# ---------------------------------------------------------------- powers

@composite(method=True)
def matrix_power(input, n, *, out=None):
    """The ``n``-th power of square matrices, by repeated squaring; of their inverses for negative ``n``.

    Example::

        >>> import rushlight as torch
        >>> torch.matrix_power(torch.tensor([[1., 1.], [0., 1.]]), 3)
        tensor([[1., 3.],
                [0., 1.]])
    """
    products.check_square("matrix_power", input._a)
    if n < 0:
        input, n = torch.inverse(input), -n
    if n == 0:
        eye = np.broadcast_to(np.eye(input._a.shape[-1], dtype=input._a.dtype), input._a.shape).copy()
        return give(out, input.clone().copy_(wrap(eye)), "matrix_power")
    made, square = None, input
    while True:
        if n & 1:
            made = square if made is None else matmul.public(made, square)
        n >>= 1
        if not n:
            break
        square = matmul.public(square, square)
    return give(out, made if made is not input else input.clone(), "matrix_power")


@op(name="linalg_matrix_exp", function=False, out=False)
def _matrix_exp(input: Array):
    """The exponentials of square matrices."""
    return products.matrix_exp(input)


def _matrix_exp_gradient(g, input):
    """The upper right block of exp([[x.H, g], [0, x.H]]): the derivative of exp at x.H in direction g.

    Source: Higham, Functions of Matrices, theorem 3.6 and chapter 10.6.
    """
    x = transposed(_conj(input))
    n = x.shape[-1]
    block = both.cat([both.cat([x, g], -1), both.cat([x * 0, x], -1)], -2)
    return both.linalg_matrix_exp(block)[..., :n, n:]


_matrix_exp.derivative(input=_matrix_exp_gradient)


@composite(method=True)
def matrix_exp(input):
    """The matrix exponential ``I + x + x @ x / 2 + ...`` of square matrices; stacks are served matrix by
    matrix.

    Example::

        >>> import rushlight as torch
        >>> torch.matrix_exp(torch.zeros(2, 2))
        tensor([[1., 0.],
                [0., 1.]])
    """
    return _matrix_exp.public(input)


# ---------------------------------------------------------------- in place

def _fitting(op, ndim=None):
    """Publish the in-place twin of a sum of a product and a tensor, with PyTorch's word for a tensor that
    would have to grow.
    """
    twin = op.inplace_public

    def in_place(self, first, second, *, beta=1, alpha=1):
        if isinstance(self, Tensor) and isinstance(first, Tensor) and isinstance(second, Tensor):
            a, b = first._a.shape, second._a.shape
            if ndim is not None:
                if self._a.ndim != ndim:
                    raise RuntimeError(f"{ndim}D tensor expected, got {self._a.ndim}D tensor for input")
            elif len(a) + len(b) > 2 and self._a.shape != (shape := a[:-1] + b[1 if len(b) < 3 else 2:]):
                raise RuntimeError(f"Bad in-place call: input tensor size {list(self._a.shape)} and output "
                                   f"tensor size {list(shape)} "
                                   "should match\nAn in-place operator cannot grow its tensor.")
        return twin(self, first, second, beta=beta, alpha=alpha)
    in_place.__name__ = in_place.__qualname__ = op.name + "_"
    in_place.__doc__ = twin.__doc__
    op.inplace_public = in_place
    setattr(Tensor, op.name + "_", in_place)


_fitting(addmm)
_fitting(addmv)
_fitting(baddbmm)
_fitting(addr, 2)
namespaces["torch"]["addmv_"] = addmv.inplace_public
_addbmm_twin = addbmm.inplace_public


def _addbmm_(self, batch1, batch2, *, beta=1, alpha=1):
    """In-place version of ``addbmm``. As PyTorch, it lets a tensor without history grow to the result's
    shape.
    """
    if isinstance(batch1, Tensor) and isinstance(batch2, Tensor) and batch1._a.ndim == batch2._a.ndim == 3:
        shape = batch1._a.shape[1], batch2._a.shape[2]
        if self._a.shape != shape and not (self.requires_grad or batch1.requires_grad
                                           or batch2.requires_grad):
            made = addbmm.public(self, batch1, batch2, beta=beta, alpha=alpha)
            return self.resize_(shape).copy_(made)
    return _addbmm_twin(self, batch1, batch2, beta=beta, alpha=alpha)


_addbmm_.__name__ = "addbmm_"
addbmm.inplace_public = Tensor.addbmm_ = _addbmm_
