"""Fourier transforms over several dimensions, and what belongs to them: frequencies and shifts of spectra.

The operators are those of ``fourier``. Names that end in 2 are those that end in n with the last two dimensions as default.
"""
import operator

import numpy as np

from .. import dtypes
from ..kernels.errors import wrap_dim
from ..tensor import Tensor
from ._factory import check_place, check_sizes, finish, numpy_dtype, refill_out
from ._reduced import give, need_tensor
from .complex_parts import conj_physical
from .fourier import (
    c2c,
    c2r,
    check_norm,
    check_out,
    check_points,
    need_real,
    normalization_of,
    promoted,
    public,
    r2c,
    resized,
    wrapped_dim,
)
from .rearrange import roll

__all__ = []


# ---------------------------------------------------------------- arguments

def _whole_list(name, argument, value):
    """A tuple of ints; one int is a tuple of one."""
    if hasattr(value, "__index__") and not isinstance(value, (bool, Tensor)):
        return (operator.index(value),)
    if not isinstance(value, (tuple, list)) or not all(hasattr(v, "__index__") for v in value):
        raise TypeError(f"fft_{name}(): argument '{argument}' must be tuple of ints, not {type(value).__name__}\nPass whole numbers.")
    return tuple(operator.index(v) for v in value)


def _shape_and_dims(name, input, s, dim):
    """What is transformed, and the sizes it is brought to."""
    ndim = input.ndim
    if dim is not None:
        dims = tuple(wrapped_dim(d, ndim) for d in _whole_list(name, "dim", dim))
        if len(set(dims)) != len(dims):
            raise RuntimeError("FFT dims must be unique\nName each dimension once.")
    if s is None:
        dims = tuple(range(ndim)) if dim is None else dims
        shape = tuple(input.shape[d] for d in dims)
    else:
        s = _whole_list(name, "s", s)
        if dim is None:
            if len(s) > ndim:
                raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {ndim} dimensions.\nGive one size for each.")
            dims = tuple(range(ndim - len(s), ndim))
        elif len(dims) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length"
                               f"\nThey are {list(dims)} and {list(s)}.")
        shape = tuple(input.shape[d] if n == -1 else n for n, d in zip(s, dims))
    for n in shape:
        check_points(n)
    return shape, dims


def _half_shape_and_dims(name, input, s, dim):
    """The same for inputs that are half a spectrum, and the number of real points of the last dimension."""
    if s is not None:
        s = _whole_list(name, "s", s)
    shape, dims = _shape_and_dims(name, input, s, dim)
    _need_axis(name.replace("2", "n"), dims)
    last = 2 * (input.shape[dims[-1]] - 1) if s is None or s[-1] == -1 else s[-1]
    check_points(last)
    return (*shape[:-1], last // 2 + 1), dims, last


def _need_axis(name, dims):
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis\nIts last one is treated apart.")


# ---------------------------------------------------------------- transforms

def _complex_nd(name, input, s, dim, norm, out, forward):
    need_tensor("fft_" + name, "input", input)
    check_norm(name, norm)
    shape, dims = _shape_and_dims(name, input, s, dim)
    input = resized(promoted(input, to_complex=True), shape, dims)
    check_out("fftn", out, "complex")       # in both directions, as in PyTorch
    how = normalization_of(norm, forward)
    return give(out, c2c.public(input, dims, how, forward), "_fft_c2c")


def _real_nd(name, input, s, dim, norm, out):
    need_tensor("fft_" + name, "input", input)
    check_norm(name, norm)
    called = name.replace("2", "n")
    need_real(called, input, "{name} expects a real-valued input tensor, but got {given}" if called == "rfftn"
               else "Only supports floating-point dtypes, but found: {given}")
    shape, dims = _shape_and_dims(name, input, s, dim)
    _need_axis(called, dims)
    check_out(called, out, "complex")
    return resized(promoted(input), shape, dims), dims


def _half_nd(name, input, s, dim, norm, out):
    need_tensor("fft_" + name, "input", input)
    check_norm(name, norm)
    called = name.replace("2", "n")
    shape, dims, last = _half_shape_and_dims(name, input, s, dim)
    input = resized(promoted(input, to_complex=True), shape, dims)
    check_out(called, out, "floating point")
    return input, dims, last


def _rfft(name, input, s, dim, norm, out):
    input, dims = _real_nd(name, input, s, dim, norm, out)
    return give(out, r2c.public(input, dims, normalization_of(norm, True), True), "_fft_r2c")


def _irfft(name, input, s, dim, norm, out):
    input, dims, last = _half_nd(name, input, s, dim, norm, out)
    return give(out, c2r.public(input, dims, normalization_of(norm, False), last), "_fft_c2r")


def _hfft(name, input, s, dim, norm, out):
    input, dims, last = _half_nd(name, input, s, dim, norm, out)
    how = normalization_of(norm, True)
    if len(dims) > 1:
        input = c2c.public(input, dims[:-1], how, True)
    return give(out, c2r.public(input.conj(), dims[-1:], how, last), "_fft_c2r")


def _ihfft(name, input, s, dim, norm, out):
    input, dims = _real_nd(name, input, s, dim, norm, out)
    how = normalization_of(norm, False)
    made = r2c.public(input, dims[-1:], how, True)
    if len(dims) == 1:
        return give(out, made.conj(), "_fft_r2c")
    return give(out, c2c.public(conj_physical.public(made), dims[:-1], how, False), "_fft_c2c")


@public
def fftn(input, s=None, dim=None, norm=None, *, out=None):
    """``fft`` over several dimensions.

    Args:
        input: a real or complex tensor.
        s: sizes to which the transformed dimensions are cut or filled up; -1 leaves one as it is.
        dim: the dimensions; by default the last ``len(s)``, or all.
        norm: as in ``fft``, with the number of all points.
        out: a complex tensor for the result.

    RuntimeError for half types, dimensions named twice, sizes below 1, and ``s`` and ``dim`` of different lengths.

    Example::

        >>> import rushlight as torch
        >>> torch.fft.fftn(torch.ones(2, 2))
        tensor([[4.+0.j, 0.+0.j],
                [0.+0.j, 0.+0.j]])
    """
    return _complex_nd("fftn", input, s, dim, norm, out, True)


@public
def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of ``fftn``."""
    return _complex_nd("ifftn", input, s, dim, norm, out, False)


@public
def rfftn(input, s=None, dim=None, norm=None, *, out=None):
    """``fftn`` of real numbers: the first half of its results along the last of ``dim``."""
    return _rfft("rfftn", input, s, dim, norm, out)


@public
def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of ``rfftn``; the last of ``s`` says how many real numbers, by default ``2 * (size - 1)``."""
    return _irfft("irfftn", input, s, dim, norm, out)


@public
def hfftn(input, s=None, dim=None, norm=None, *, out=None):
    """``fftn`` of a signal that is Hermitian in time, of which ``input`` is half along the last of ``dim``."""
    return _hfft("hfftn", input, s, dim, norm, out)


@public
def ihfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of ``hfftn``."""
    return _ihfft("ihfftn", input, s, dim, norm, out)


@public
def fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """``fftn`` over two dimensions, by default the last."""
    return _complex_nd("fft2", input, s, dim, norm, out, True)


@public
def ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """The inverse of ``fft2``."""
    return _complex_nd("ifft2", input, s, dim, norm, out, False)


@public
def rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """``rfftn`` over two dimensions, by default the last."""
    return _rfft("rfft2", input, s, dim, norm, out)


@public
def irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """The inverse of ``rfft2``."""
    return _irfft("irfft2", input, s, dim, norm, out)


@public
def hfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """``hfftn`` over two dimensions, by default the last."""
    return _hfft("hfft2", input, s, dim, norm, out)


@public
def ihfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """The inverse of ``hfft2``."""
    return _ihfft("ihfft2", input, s, dim, norm, out)


# ---------------------------------------------------------------- frequencies

def _frequencies(name, indices, n, d, out, dtype, layout, device, pin_memory, requires_grad):
    """``indices(n)`` divided by ``n * d``, in the dtype asked for."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"fft_{name}(): argument 'n' (position 1) must be int, not {type(n).__name__}\nIt is a number of points.")
    check_place(layout, device, pin_memory)
    wanted = dtypes.get_default_dtype() if dtype is None else dtypes.of(numpy_dtype(dtype, "fft_" + name))
    if out is not None and isinstance(out, Tensor):
        if dtype is not None and out.dtype is not wanted:
            raise RuntimeError(f"dtype {wanted.scalar_name} does not match dtype of out parameter ({out.dtype.scalar_name})"
                               "\nLeave dtype out.")
        wanted = out.dtype
    if wanted.category < dtypes.FLOATING:
        raise RuntimeError(f"{name} requires a floating point or complex dtype\nFrequencies are fractions.")
    if wanted.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{wanted.scalar_name}'\nPass another dtype.")
    wide = np.dtype(np.float32) if wanted.low_precision else wanted.numpy
    with np.errstate(all="ignore"):
        made = indices(operator.index(n)).astype(wanted.numpy).astype(wide)
        made = (made * wide.type(1.0 / (n * d) if n * d else np.inf)).astype(wanted.numpy)
    return finish(made, requires_grad, "fft_" + name) if out is None else refill_out(out, made, "fft_" + name)


def _two_sided(n):
    check_sizes((n,), "empty")
    return np.concatenate((np.arange((n + 1) // 2), np.arange(-(n // 2), 0)))


@public
def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The frequencies that ``fft`` of n points, ``d`` apart, gives: from 0 up, then the negative ones.

    RuntimeError for a dtype that is not floating, and a negative ``n``.

    Example::

        >>> import rushlight as torch
        >>> torch.fft.fftfreq(4)
        tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _frequencies("fftfreq", _two_sided, n, d, out, dtype, layout, device, pin_memory, requires_grad)


@public
def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The frequencies that ``rfft`` of n points, ``d`` apart, gives; errors as in ``fftfreq``.

    Example::

        >>> import rushlight as torch
        >>> torch.fft.rfftfreq(4)
        tensor([0.0000, 0.2500, 0.5000])
    """
    return _frequencies("rfftfreq", lambda n: np.arange(int(n / 2) + 1), n, d, out, dtype, layout, device, pin_memory, requires_grad)


def _shifted(name, input, dim, by):
    need_tensor("fft_" + name, "input", input)
    dims = tuple(range(input.ndim)) if dim is None else _whole_list(name, "dim", dim)
    return roll.public(input, tuple(by(input.shape[wrap_dim(d, input.ndim)]) for d in dims), dims)


@public
def fftshift(input, dim=None):
    """A spectrum with frequency 0 in the middle of the dimensions ``dim`` (all).

    Example::

        >>> import rushlight as torch
        >>> torch.fft.fftshift(torch.fft.fftfreq(4))
        tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return _shifted("fftshift", input, dim, lambda n: n // 2)


@public
def ifftshift(input, dim=None):
    """The inverse of ``fftshift``."""
    return _shifted("ifftshift", input, dim, lambda n: (n + 1) // 2)
