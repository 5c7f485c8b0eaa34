"""Norms and distances: norm, dist, renorm, cdist, pdist; and logsumexp.

All p-norms share one rule, ``norm_gradient``. Where a norm is 0 its gradient is 0 (the subgradient PyTorch
takes): the formula divides by a norm made safe, and masks the place. Masks are constants, the rest is written
with operators, so the rule can be differentiated again.
"""
import math

import numpy as np

from ..dtypes import BY_NUMPY, COMPLEX, FLOATING
from ..kernels import reduce as kernels
from ..kernels.memory import contiguous
from ..kernels.reduce import axes_of
from ..tensor import Tensor
from . import table
from ._reduced import give, keep, like, plain, spread
from .declare import Array, both, composite, op
from .late import linalg

__all__ = ["norm_gradient"]

_inf = math.inf
_f32, _f64 = np.dtype(np.float32), np.dtype(np.float64)


# ---------------------------------------------------------------- the p-norm

def _order_text(ord):
    return f"{ord:g}" if isinstance(ord, float) else str(ord)


def _check_vector_norm(x, ord, dim, dtype):
    known = BY_NUMPY[x.dtype]
    if known.category < FLOATING:
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                           f"{known.scalar_name}\nConvert it with .float() first.")
    if dtype is not None:
        if dtype.category < FLOATING:
            raise RuntimeError("linalg.vector_norm: dtype should be floating point or complex, but got "
                               f"{dtype.scalar_name}\nPass torch.float32 or torch.float64.")
        if (dtype.category == COMPLEX) != (known.category == COMPLEX):
            which = "complex" if known.category == COMPLEX else "real"
            raise RuntimeError(f"linalg.vector_norm: dtype should be {which} for {which} inputs, but got "
                               f"{dtype.scalar_name}"
                               "\nA norm's dtype= says in what precision it is computed.")
    if not x.size and (ord < 0 or ord == _inf):
        if dim is None or (isinstance(dim, (list, tuple)) and (not dim or len(dim) == x.ndim)) or x.ndim == 1:
            raise RuntimeError(f"linalg.vector_norm cannot compute the {_order_text(ord)} norm on an empty "
                               "tensor because the "
                               "operation does not have an identity\nThe tensor is empty.")
        for axis in axes_of(dim, x.ndim):
            if not x.shape[axis]:
                raise RuntimeError(f"linalg.vector_norm cannot compute the {_order_text(ord)} norm on the "
                                   f"dimension {axis}"
                                   "because this dimension is empty and the operation does not have an "
                                   "identity"
                                   f"\nThe tensor has shape {list(x.shape)}.")


def norm_of(x, ord, dim, keepdim):
    """The p-norm of an array over ``dim``, real."""
    x = kernels.wide(x)
    if x.dtype.kind == "c" and ord != 2:
        x = np.abs(x)
    if ord == 2:
        if dim is None and not keepdim and x.dtype.kind == "f" and x.flags.c_contiguous:
            flat = x.reshape(-1)
            return np.sqrt(flat.dot(flat))
        square = x * x if x.dtype.kind == "f" else x.real * x.real + x.imag * x.imag
        return np.sqrt(kernels.add(square, dim, keepdim, None))
    if ord == 1:
        return kernels.add(np.abs(x), dim, keepdim, None)
    if ord == 0:
        return kernels.add((x != 0).astype(x.dtype), dim, keepdim, None)
    if ord in (_inf, -_inf):
        return kernels.extreme(np.maximum if ord > 0 else np.minimum, np.abs(x), dim, keepdim)
    real = x.dtype.type
    return np.power(kernels.add(np.power(np.abs(x), real(ord)), dim, keepdim, None), real(1 / ord))


@op(function=False, out=True)
def linalg_vector_norm(input: Array, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The ``ord``-norm of the elements over ``dim``, as if they were one vector."""
    if dtype is None and input.size and (input.dtype is _f32 or input.dtype is _f64):
        return norm_of(input, ord, dim, keepdim)
    _check_vector_norm(input, ord, dim, dtype)
    result = input.dtype if dtype is None else dtype.numpy
    made = norm_of(input if dtype is None else input.astype(result), ord, dim, keepdim)
    if result.kind == "c":
        return made
    return kernels.narrow(np.asarray(made), result)


def _masked(value, zero):
    """``value`` with 0 where the mask says so, whatever stood there (its infinities included)."""
    if isinstance(value, Tensor):
        return value.masked_fill(like(value, zero), 0)
    return np.where(zero, value.dtype.type(0), value)


def norm_gradient(g, input, out, ord, dim, keepdim):
    """The gradient of a p-norm with respect to the vector."""
    shape = tuple(input.shape)
    g, out = keep(g, shape, dim, keepdim), keep(out, shape, dim, keepdim)
    norm = plain(out)
    if ord == 0:
        return like(g, np.zeros(shape, plain(input).dtype))
    if ord == 1:
        return both.sgn(input) * g
    none = norm == 0
    if ord == 2:
        return input * (g / (out + like(g, none.astype(norm.dtype))) * like(g, (~none).astype(norm.dtype)))
    if ord in (_inf, -_inf):
        size = np.abs(plain(input))
        equal = (size == norm) | ((size != size) & (norm != norm))
        count = np.add.reduce(equal, axes_of(dim, len(shape)), np.int64, None, True)
        return both.sgn(input) * (g * like(g, np.asarray(equal / count).astype(norm.dtype)))
    if ord < 1:
        scaled = _masked(both.sgn(input) * both.abs(input) ** (ord - 1), plain(input) == 0)
        return scaled * (g * out ** (1 - ord))
    if ord < 2:
        scaled = both.sgn(input) * both.abs(input) ** (ord - 1)
    else:
        scaled = input * both.abs(input) ** (ord - 2)
    return scaled * _masked(g / out ** (ord - 1), none)


# Counting passes no gradient at all, as in PyTorch.
linalg_vector_norm.derivative(input=lambda g, input, out, ord, dim, keepdim:
                              None if ord == 0 else norm_gradient(g, input, out, ord, dim, keepdim))


# ---------------------------------------------------------------- norm

@composite(method=True)
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The p-norm of the elements over ``dim`` (all by default): ``p`` a number, ``inf``, ``-inf``, "fro" or
    "nuc".

    "fro" is the 2-norm; "nuc" sums the singular values of the matrices in two dimensions. Where the norm is 0
    so is its gradient. RuntimeError for integers.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([3., 4.]).norm()
        tensor(5.)
    """
    if isinstance(p, str):
        if p == "fro" and (dim is None or isinstance(dim, int) or len(dim) <= 2):
            return linalg_vector_norm.public(input, 2, dim, keepdim, dtype=dtype, out=out)
        if p != "nuc":
            if p == "fro":
                raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}"
                                   "\nFor more dimensions give p=2.")
            raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.\nUse a number, 'fro' or 'nuc'.")
        dims = tuple(range(input.ndim)) if dim is None else (dim,) if isinstance(dim, int) else dim
        return give(out, linalg.matrix_norm(input, "nuc", dims, keepdim, dtype=dtype), "norm")
    return linalg_vector_norm.public(input, 2.0 if p is None else p, dim, keepdim, dtype=dtype, out=out)


# ---------------------------------------------------------------- dist and renorm

@op(promote="arith", method=True)
def dist(input: Array, other: Array, p=2):
    """The ``p``-norm of ``input - other``, which broadcast. Real for complex tensors."""
    if input.dtype.kind not in "fc":
        raise RuntimeError("norm(): input dtype should be either floating point or complex. Got "
                           f"{BY_NUMPY[input.dtype].scalar_name} instead.\nConvert it with .float() first.")
    return norm_of(input - other, p, None, False)


dist.derivative(input=lambda g, input, other, out, p: norm_gradient(g, input - other, out, p, None, False),
                other=lambda g, input, other, out, p: -norm_gradient(g, input - other, out, p, None, False))


def _renorm_parts(input, p, dim, maxnorm):
    """(dims of a slice, norms of the slices, factors, mask of the slices that are too long)."""
    dim = dim % input.ndim
    rest = tuple(i for i in range(input.ndim) if i != dim)
    norms = both.linalg_vector_norm(input, p, rest, True)
    long = plain(norms) > maxnorm
    return rest, norms, long


def _renorm_gradient(g, input, p, dim, maxnorm):
    rest, norms, long = _renorm_parts(input, p, dim, maxnorm)
    real = plain(norms).dtype
    length = norms + 1e-7
    high = like(g, long.astype(real))
    factor = (maxnorm / length) * high + like(g, (~long).astype(real))
    product = both.sum(g * both.conj(input), rest, True)
    product = product.real if plain(product).dtype.kind == "c" else product
    through = product * (-maxnorm / (length * length)) * high
    return g * factor + norm_gradient(through, input, norms, p, rest, True)


@op(method=True, inplace=True)
def renorm(input: Array, p, dim, maxnorm):
    """``input`` with each slice along ``dim`` whose ``p``-norm exceeds ``maxnorm`` scaled down to it.

    RuntimeError for fewer than two dimensions, non-positive ``p`` or negative ``maxnorm``.
    """
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported\nGive p > 0.")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}\nA length is not "
                           "negative.")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions\nAdd one "
                           "with unsqueeze.")
    axis = kernels.one_axis(dim, input.ndim)
    _check_vector_norm(input, p, None, None)
    x = kernels.wide(input)
    norms = norm_of(x, p, tuple(i for i in range(x.ndim) if i != axis), True)
    factor = np.where(norms > maxnorm, maxnorm / (norms + norms.dtype.type(1e-7)), norms.dtype.type(1))
    return contiguous((x * factor).astype(input.dtype))


renorm.derivative(input=lambda g, input, p, dim, maxnorm: _renorm_gradient(g, input, p, dim, maxnorm))


# ---------------------------------------------------------------- logsumexp

@op(promote="float", method=True)
def logsumexp(input: Array, dim, keepdim=False):
    """``log(sum(exp(input)))`` over ``dim``, without overflow; -inf of nothing. Integers become floating.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1000., 1000.]).logsumexp(0)
        tensor(1000.6932)
    """
    axes = axes_of(dim, input.ndim)
    if not input.size:
        return np.log(kernels.add(np.exp(input), dim, keepdim, None))
    real = input.real if input.dtype.kind == "c" else input
    top = np.maximum.reduce(real, axes, None, None, True)
    shift = np.where(np.abs(top) == _inf, top.dtype.type(0), top)
    made = np.log(kernels.add(np.exp(input - shift), dim, True, None)) + shift
    made = contiguous(made)
    return made if keepdim else made.reshape([n for i, n in enumerate(made.shape) if i not in axes])


logsumexp.derivative(input=lambda g, input, out, dim, keepdim:
                     _logsumexp_gradient(g, input, out, dim, keepdim))


def _logsumexp_gradient(g, input, out, dim, keepdim):
    shape = tuple(input.shape)
    return spread(g, shape, dim, keepdim) * both.conj(both.exp(input - keep(out, shape, dim, keepdim)))


# ---------------------------------------------------------------- pairwise distances

def _check_distances(x1, x2, p, compute_mode):
    for name, x in (("X1", x1), ("X2", x2)):
        if x.dtype.kind not in "fV":
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: "
                               f"{BY_NUMPY[x.dtype].scalar_name}"
                               "\nConvert it with .float() first.")
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D\nAdd a "
                               "dimension with unsqueeze.")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: "
                           f"{x2.shape[-1]}"
                           f"\nThe shapes are {list(x1.shape)} and {list(x2.shape)}.")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values\nGive p >= 0.")
    if x1.dtype != x2.dtype:
        raise RuntimeError(f"expected scalar type {BY_NUMPY[x1.dtype].scalar_name} but found "
                           f"{BY_NUMPY[x2.dtype].scalar_name}"
                           "\nConvert one of them.")
    if x1.dtype.itemsize == 2:
        raise NotImplementedError(f'"cdist" not implemented for \'{BY_NUMPY[x1.dtype].scalar_name}\''
                                  '\nConvert with .float().')
    if compute_mode not in _CDIST_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode\nIt is one of "
                         f"{', '.join(_CDIST_MODES)}.")


_CDIST_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
                "donot_use_mm_for_euclid_dist")
_AT_ONCE = 1 << 22      # elements of differences held at a time


def distances(x1, x2, p):
    """The p-norm of each difference of a row of ``x1`` and a row of ``x2`` (arrays); rows in portions that
    fit memory.
    """
    rows = x1.shape[-2]
    batch = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    each = math.prod(batch) * x2.shape[-2] * x1.shape[-1]
    step = max(1, _AT_ONCE // max(each, 1))
    if step >= rows:
        return norm_of(x1[..., :, None, :] - x2[..., None, :, :], p, -1, False) if x1.shape[-1] else \
            np.zeros((*batch, rows, x2.shape[-2]), x1.dtype)
    made = np.empty((*batch, rows, x2.shape[-2]), x1.dtype)
    for at in range(0, rows, step):
        part = x1[..., at:at + step, None, :] - x2[..., None, :, :]
        made[..., at:at + step, :] = norm_of(part, p, -1, False)
    return made


def _distance_gradient(g, x1, x2, out, p):
    """The gradient of ``distances`` with respect to ``x1``."""
    if p == 2 and math.prod(x1.shape) * x2.shape[-2] > _AT_ONCE:
        none = plain(out) == 0
        real = plain(out).dtype
        weight = g / (out + like(g, none.astype(real))) * like(g, (~none).astype(real))
        return x1 * both.sum(weight, -1, True) - weight @ x2
    difference = x1[..., :, None, :] - x2[..., None, :, :]
    if p == _inf:
        equal = np.abs(plain(difference)) == plain(out)[..., None]
        made = both.sgn(difference) * like(g, equal.astype(plain(out).dtype)) * g[..., None]
    else:
        made = norm_gradient(g, difference, out, p, -1, False)
    return both.sum(made, -2, False)


def _swap(x):
    return x.mT if isinstance(x, Tensor) else np.swapaxes(x, -1, -2)


@op(fast=False)
def cdist(x1: Array, x2: Array, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The ``p``-norm distances between the rows of ``x1`` (B, P, M) and of ``x2`` (B, R, M): shape (B, P, R).

    Always computed from differences, so small distances keep their digits. RuntimeError for one-dimensional
    tensors, different row lengths, integers or negative ``p``.

    Example::

        >>> import rushlight as torch
        >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3., 4.], [0., 1.]]))
        tensor([[5., 1.]])
    """
    _check_distances(x1, x2, p, compute_mode or _CDIST_MODES[0])
    return contiguous(distances(x1, x2, p))


cdist.derivative(x1=lambda g, x1, x2, out, p: _distance_gradient(g, x1, x2, out, p),
                 x2=lambda g, x1, x2, out, p: _distance_gradient(_swap(g), x2, x1, _swap(out), p))


@op(function=False, out=False)
def square_form(input: Array, n):
    """A symmetric n x n matrix with zeros on its diagonal, from the elements above it, row after row."""
    made = np.zeros((n, n), input.dtype)
    upper = np.triu_indices(n, 1)
    made[upper] = input
    made.T[upper] = input
    return made


@op(function=False, out=False)
def upper_sums(input: Array):
    """``input + input.T`` above the diagonal, row after row: what turns ``square_form`` around."""
    return (input + input.T)[np.triu_indices(input.shape[0], 1)]


square_form.derivative(input=lambda g: both.upper_sums(g))
upper_sums.derivative(input=lambda g, input_shape: both.square_form(g, input_shape[0]))


@op(name="pdist")
def pdist(input: Array, p=2.0):
    """The ``p``-norm distances between every two rows of ``input`` (N, M): N * (N - 1) / 2 of them, as above
    the diagonal.

    Example::

        >>> import rushlight as torch
        >>> torch.pdist(torch.tensor([[0.], [1.], [4.]]))
        tensor([1., 4., 3.])
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D\nReshape it to (rows, "
                           "features).")
    if input.dtype.kind not in "fV":
        raise RuntimeError("pdist only supports floating-point dtypes\nConvert it with .float() first.")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values\nGive p >= 0.")
    if input.dtype.itemsize == 2:
        raise NotImplementedError(f'"pdist" not implemented for \'{BY_NUMPY[input.dtype].scalar_name}\''
                                  '\nConvert with .float().')
    return distances(input, input, p)[np.triu_indices(input.shape[0], 1)]


def _pdist_gradient(g, input, out, p):
    n = input.shape[0]
    return _distance_gradient(both.square_form(g, n), input, input, both.square_form(out, n), p)


pdist.derivative(input=lambda g, input, out, p: _pdist_gradient(g, input, out, p))
table.namespaces["nn.functional"]["pdist"] = pdist.public
