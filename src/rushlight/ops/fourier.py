"""Fourier transforms: what ``torch.fft`` offers, over three operators.

As in PyTorch every transform is one of ``_fft_c2c`` (complex to complex), ``_fft_r2c`` (real to complex) and ``_fft_c2r``
(from half a Hermitian spectrum to real numbers), after the input has been cut or padded with zeros. Each is linear, so its
gradient is again one of the three, and derivatives of any order follow.

``normalization`` says by what the sum is divided: 0 nothing, 1 the root of the number of points, 2 that number. ``numpy.fft``
computes; it keeps single precision. This family loads with ``rushlight.fft``, not with the package; transforms over several
dimensions are in ``fourier_nd``.
"""
import operator
from typing import Any

import numpy as np

from .. import dtypes
from ..kernels.errors import wrap_dim
from ..tensor import Tensor
from . import table
from ._reduced import give, like, need_tensor
from .call import overridable
from .copying import _to_copy
from .declare import Array, both, op
from .padding import constant_pad_nd

__all__ = ["c2c", "c2r", "r2c", "promoted", "check_norm", "normalization_of", "wrapped_dim", "check_points", "resized", "need_real",
           "check_out", "public"]

# NumPy's names, by normalization, for the transforms that it calls forward, and for their inverses
_FORWARD: Any = ("backward", "ortho", "forward")
_BACKWARD: Any = ("forward", "ortho", "backward")


# ---------------------------------------------------------------- the operators

@op(name="_fft_c2c", function=False, out=False, grad_name="FftC2CBackward0")
def c2c(input: Array, dim, normalization, forward):
    """The transform of complex numbers over the dimensions ``dim``; ``forward`` is the sign of the exponent."""
    if len(dim) == 1:       # NumPy's functions for one dimension answer in half the time
        return np.fft.fft(input, None, dim[0], _FORWARD[normalization]) if forward else \
            np.fft.ifft(input, None, dim[0], _BACKWARD[normalization])
    if not dim:
        return input.copy()
    if forward:
        return np.fft.fftn(input, axes=dim, norm=_FORWARD[normalization])
    return np.fft.ifftn(input, axes=dim, norm=_BACKWARD[normalization])


c2c.derivative(input=lambda g, dim, normalization, forward: both._fft_c2c(g, dim, normalization, not forward))


@op(name="_fft_r2c", function=False, out=False, grad_name="FftR2CBackward0")
def r2c(input: Array, dim, normalization, onesided):
    """The transform of real numbers; ``onesided``: only the first half of the last of ``dim``, which determines the other."""
    if len(dim) == 1:
        return (np.fft.rfft if onesided else np.fft.fft)(input, None, dim[0], _FORWARD[normalization])
    transform = np.fft.rfftn if onesided else np.fft.fftn
    return transform(input, axes=dim, norm=_FORWARD[normalization])


def _r2c_gradient(g, input_shape, dim, normalization, onesided):
    if onesided:
        last = dim[-1]
        g = both.constant_pad_nd(g, _pad_at(len(input_shape), last, input_shape[last] - g.shape[last]), 0)
    return both.real(both._fft_c2c(g, dim, normalization, False))


r2c.derivative(input=_r2c_gradient)


@op(name="_fft_c2r", function=False, out=False, grad_name="FftC2RBackward0")
def c2r(input: Array, dim, normalization, last_dim_size):
    """The real numbers whose spectrum has ``input`` as its first half along the last of ``dim``."""
    if len(dim) == 1:
        return np.fft.irfft(input, last_dim_size, dim[0], _BACKWARD[normalization])
    shape = [input.shape[d] for d in dim[:-1]] + [last_dim_size]
    return np.fft.irfftn(input, shape, dim, _BACKWARD[normalization])


def _c2r_gradient(g, input_shape, dim, normalization, last_dim_size):
    """Each number of the half spectrum stands for its mirror image too, where it has one."""
    last = dim[-1]
    half = input_shape[last]
    weights = np.ones((half,) + (1,) * (len(input_shape) - last - 1), g.real.dtype if isinstance(g, np.ndarray) else g.dtype.numpy)
    weights[1:1 + last_dim_size - half] = 2
    return both._fft_r2c(g, dim, normalization, True) * like(g, weights)


c2r.derivative(input=_c2r_gradient)


# ---------------------------------------------------------------- arguments

def _pad_at(ndim, dim, after):
    """``constant_pad_nd``'s list for ``after`` zeros behind dimension ``dim``."""
    return [0] * (2 * (ndim - dim - 1)) + [0, after]


def promoted(input, to_complex=False):
    """The input in a dtype that can be transformed."""
    wanted = input.dtype
    if wanted.category < dtypes.FLOATING:
        wanted = dtypes.get_default_dtype()
    if wanted.low_precision:
        raise RuntimeError(f"Unsupported dtype {wanted.scalar_name}\nTransform x.float().")
    if to_complex:
        wanted = wanted.to_complex()
    return input if wanted is input.dtype else _to_copy.public(input, wanted.numpy)


def check_norm(name, norm):
    if norm is not None and not isinstance(norm, str):
        raise TypeError(f"fft_{name}(): argument 'norm' must be str, not {type(norm).__name__}\nIt is 'forward', 'backward' or 'ortho'.")


def normalization_of(norm, forward):
    """The operators' number for a ``norm=`` of a transform in one direction."""
    if norm is None or norm == "backward":
        return 0 if forward else 2
    if norm == "forward":
        return 2 if forward else 0
    if norm == "ortho":
        return 1
    raise RuntimeError(f'Invalid normalization mode: "{norm}"\nIt is \'forward\', \'backward\' or \'ortho\'.')


def _whole(name, argument, value):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"fft_{name}(): argument '{argument}' must be int, not {type(value).__name__}\nPass a whole number.")
    return operator.index(value)


def wrapped_dim(dim, ndim):
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions\nA single number has no spectrum.")
    return wrap_dim(dim, ndim)


def check_points(n):
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified\nA transform has one point or more.")
    return n


def resized(input, shape, dims):
    """The input cut off, or filled up with zeros, to the sizes ``shape`` of ``dims``."""
    pad = [0] * (2 * input.ndim)
    for n, d in zip(shape, dims):
        if n < input.shape[d]:
            input = input.narrow(d, 0, n)
        pad[2 * (input.ndim - d) - 1] = n - input.shape[d]
    return constant_pad_nd.public(input, pad) if any(pad) else input


def need_real(name, input, sentence="{name} expects a real input tensor, but got {given}"):
    if input.dtype.is_complex:
        raise RuntimeError(sentence.format(name=name, given=input.dtype.scalar_name) + "\nUse its real part, or fft.")


def check_out(name, out, kind):
    """An ``out=`` of the wrong sort is refused before anything is computed."""
    if isinstance(out, Tensor) and not (out.dtype.is_complex if kind == "complex" else out.dtype.is_floating_point):
        raise RuntimeError(f"{name} expects a {kind} output tensor, but got {out.dtype.scalar_name}\nThat is what its results are.")


def public(function):
    """Publish on the page of ``torch.fft``, under the name that PyTorch's errors have."""
    name = function.__name__
    made = overridable(function, "fft_" + name)
    table.publish_late("fft", name, made)
    return made


# ---------------------------------------------------------------- one dimension

def _one(name, input, n, dim, norm, half=False):
    """(input cut or padded, its dimension, number of points) of a transform over one dimension."""
    need_tensor("fft_" + name, "input", input)
    check_norm(name, norm)
    dim = wrapped_dim(_whole(name, "dim", dim), input.ndim)
    size = input.shape[dim]
    points = check_points((2 * (size - 1) if half else size) if n is None else _whole(name, "n", n))
    input = promoted(input, to_complex=half)
    if n is not None:
        input = resized(input, (points // 2 + 1 if half else points,), (dim,))
    return input, (dim,), points


def _any_to_complex(name, input, n, dim, norm, out, forward):
    input, dims, _ = _one(name, input, n, dim, norm)
    check_out(name, out, "complex")
    how = normalization_of(norm, forward)
    if input.dtype.is_complex:
        return give(out, c2c.public(input, dims, how, forward), "_fft_c2c")
    made = r2c.public(input, dims, how, False)
    return give(out, made if forward else made.conj(), "_fft_r2c")


@public
def fft(input, n=None, dim=-1, norm=None, *, out=None):
    """The discrete Fourier transform over one dimension: for each k the sum of ``input[j] * exp(-2j * pi * j * k / n)``.

    Args:
        input: a real or complex tensor; whole numbers become the default floating dtype.
        n: cut the dimension off at this length, or fill it up with zeros to it.
        dim: the dimension.
        norm: "backward" (the default) divides nothing, "ortho" by the root of n, "forward" by n.
        out: a complex tensor for the result.

    RuntimeError for half types, an unknown ``norm`` and lengths below 1.

    Example::

        >>> import rushlight as torch
        >>> torch.fft.fft(torch.tensor([0., 1., 2., 3.]))
        tensor([ 6.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])
    """
    return _any_to_complex("fft", input, n, dim, norm, out, True)


@public
def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of ``fft``; ``norm`` names the same three pairs, so "backward" divides by n here."""
    return _any_to_complex("ifft", input, n, dim, norm, out, False)


@public
def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    """``fft`` of real numbers: the first ``n // 2 + 1`` of its results, whose conjugates the others are.

    Example::

        >>> import rushlight as torch
        >>> torch.fft.rfft(torch.tensor([0., 1., 2., 3.]))
        tensor([ 6.+0.j, -2.+2.j, -2.+0.j])
    """
    need_tensor("fft_rfft", "input", input)
    need_real("rfft", input)
    check_out("rfft", out, "complex")
    input, dims, _ = _one("rfft", input, n, dim, norm)
    return give(out, r2c.public(input, dims, normalization_of(norm, True), True), "_fft_r2c")


@public
def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of ``rfft``: ``n`` real numbers, by default ``2 * (size - 1)``; say n if it was odd.

    Example::

        >>> import rushlight as torch
        >>> torch.fft.irfft(torch.fft.rfft(torch.tensor([0., 1., 2.])), n=3)
        tensor([0., 1., 2.])
    """
    input, dims, points = _one("irfft", input, n, dim, norm, half=True)
    check_out("irfft", out, "floating point")
    return give(out, c2r.public(input, dims, normalization_of(norm, False), points), "_fft_c2r")


@public
def hfft(input, n=None, dim=-1, norm=None, *, out=None):
    """``fft`` of a signal that is Hermitian in time, of which ``input`` is the first half: real numbers."""
    input, dims, points = _one("hfft", input, n, dim, norm, half=True)
    check_out("hfft", out, "floating point")
    return give(out, c2r.public(input.conj(), dims, normalization_of(norm, True), points), "_fft_c2r")


@public
def ihfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of ``hfft``: half of a Hermitian signal, from real numbers."""
    need_tensor("fft_ihfft", "input", input)
    need_real("ihfft", input)
    check_out("ihfft", out, "complex")
    input, dims, _ = _one("ihfft", input, n, dim, norm)
    return give(out, r2c.public(input, dims, normalization_of(norm, False), True).conj(), "_fft_r2c")
