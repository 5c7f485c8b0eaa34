"""Complex numbers, their parts, and views between complex tensors and real ones.

PyTorch conjugates and negates lazily, with a bit on a tensor that shares memory; here both are computed at
once, so ``is_conj`` and ``is_neg`` are always False and ``resolve_conj`` returns its tensor.
"""
import math

import numpy as np

from .. import dtypes
from ..kernels.pointwise import dtype_name, kind_of
from ..tensor import Tensor
from .arithmetic import no_gradient
from .declare import Array, both, composite, op
from .table import namespaces

__all__ = []


_conj_in_rules = both.conj      # which lets what is real pass untouched


@op(name="conj", function=False, out=False)
def conjugate(input: Array):
    """The complex conjugate."""
    return np.conj(input)


conjugate.derivative(input=lambda g: both.conj(g))


@composite(method=True)
def conj(input):
    """The complex conjugate; a real tensor is returned as it is."""
    return conjugate.public(input) if input._a.dtype.kind == "c" else input


both.conj = _conj_in_rules


@op(inplace=True, method=True)
def conj_physical(input: Array):
    """The complex conjugate in memory of its own; a real tensor is returned as it is."""
    return np.conj(input) if kind_of(input) == "c" else input.copy()


conj_physical.derivative(input=lambda g: both.conj(g))


def _conj_physical(input, *, out=None):
    """The complex conjugate in memory of its own; a real tensor is returned as it is."""
    if out is None and isinstance(input, Tensor) and input._a.dtype.kind != "c":
        return input
    return conj_physical.public(input, out=out)


composite(_conj_physical, method=True, name="conj_physical")
namespaces["torch"]["conj_physical_"] = Tensor.conj_physical_


def _need_tensor(name, input):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
                        "\nConvert it with torch.as_tensor.")
    return input


@composite(method=True)
def resolve_conj(input):
    """``input`` itself: conjugates are never pending here."""
    return _need_tensor("resolve_conj", input)


@composite(method=True)
def resolve_neg(input):
    """``input`` itself: negations are never pending here."""
    return _need_tensor("resolve_neg", input)


@composite(method=True)
def is_conj(input):
    """False: conjugates are computed at once here."""
    return _need_tensor("is_conj", input) is None


@composite(method=True)
def is_neg(input):
    """False: negations are computed at once here."""
    return _need_tensor("is_neg", input) is None


@op(name="real", view=True, function=False, grad_name="SelectBackward0")
def real_part(input: Array):
    """The real part, sharing memory."""
    return np.real(input)


real_part.derivative(input=lambda g: g)


@op(name="imag", view=True, function=False, grad_name="SelectBackward0")
def imaginary_part(input: Array):
    """The imaginary part, sharing memory."""
    return np.imag(input)


imaginary_part.derivative(input=lambda g: g * 1j)


def real(input):
    """The real part, sharing memory; a real tensor is returned as it is.

    Example::

        >>> import rushlight as torch
        >>> torch.real(torch.tensor([1 + 2j]))
        tensor([1.])
    """
    return real_part.public(input) if not isinstance(input, Tensor) or input._a.dtype.kind == "c" else input


def imag(input):
    """The imaginary part of a complex tensor, sharing memory; RuntimeError for a real one."""
    if isinstance(input, Tensor) and input._a.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.\nIt would be zero.")
    return imaginary_part.public(input)


composite(real)
composite(imag)
Tensor.real = property(real, lambda self, value: real(self).copy_(value), doc=real.__doc__)
Tensor.imag = property(imag, lambda self, value: imag(self).copy_(value), doc=imag.__doc__)


@op(view=True)
def view_as_real(input: Array):
    """A complex tensor seen as a real one with a last dimension of size 2; RuntimeError for a real one."""
    if kind_of(input) != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors\nThis one is real already.")
    input = np.asarray(input)
    half = input.real
    return np.lib.stride_tricks.as_strided(half, (*input.shape, 2), (*input.strides, half.dtype.itemsize))


view_as_real.derivative(input=lambda g: both.view_as_complex(_together(g)))


@op(view=True)
def view_as_complex(input: Array):
    """A real tensor whose last dimension of size 2 holds real and imaginary parts, seen as complex.

    RuntimeError unless that dimension lies together in memory.
    """
    if kind_of(input) != "f" or input.dtype.itemsize == 2:
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, but got a "
                           "tensor of scalar "
                           f"type: {dtype_name(input)}\nConvert it with .float().")
    if input.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions\nIts last one must have size 2.")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2\nIt holds the real and the imaginary "
                           "part.")
    if input.strides[-1] != input.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1\nCall .contiguous() first.")
    if any(s % (2 * input.itemsize) for s in input.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension\nCall "
                           ".contiguous() first.")
    return input.view(np.dtype(f"c{2 * input.itemsize}"))[..., 0]


view_as_complex.derivative(input=lambda g: both.view_as_real(g))


def _together(g):
    """A gradient whose last dimension lies together in memory."""
    return g.contiguous() if isinstance(g, Tensor) else np.ascontiguousarray(g)


def _check_parts(first, second):
    for x in (first, second):
        if kind_of(x) != "f" or dtype_name(x) == "BFloat16":
            raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got "
                               f"{dtype_name(first)} and "
                               f"{dtype_name(second)}\nConvert them with .float().")
    if first.dtype != second.dtype:
        raise RuntimeError(f"Expected object of scalar type {dtype_name(first)} but got scalar type "
                           f"{dtype_name(second)} for "
                           "second argument\nConvert one of them.")


def _complex_dtype(common):
    if common is dtypes.float16:
        return common.to_complex()      # raises: there is no complex32
    return common


def check_out(out, like):
    """``out=`` of ``complex`` and ``polar`` must have exactly the result's dtype."""
    if isinstance(out, Tensor) and isinstance(like, Tensor) and kind_of(like._a) == "f":
        wanted = dtypes.of(like._a.dtype).to_complex().scalar_name
        if dtype_name(out._a) != wanted:
            raise RuntimeError(f"Expected object of scalar type {wanted} but got scalar type "
                               f"{dtype_name(out._a)} for argument "
                               "'out'\nUse a tensor of that dtype.")


@op(name="complex", function=False, check=_check_parts, promote=_complex_dtype)
def complex_(real: Array, imag: Array):
    """The complex numbers with the given parts."""
    shape = np.broadcast(real, imag).shape
    out = np.empty(shape, np.complex64 if real.dtype == np.float32 else np.complex128)
    out.real, out.imag = real, imag
    return out


complex_.derivative(real=lambda g: both.real(g), imag=lambda g: both.imag(g))


@op(name="polar", function=False, check=_check_parts, promote=_complex_dtype)
def polar_(abs: Array, angle: Array):
    """The complex numbers of the given lengths and angles."""
    out = np.empty(np.broadcast(abs, angle).shape, np.complex64 if abs.dtype == np.float32 else np.complex128)
    out.real, out.imag = abs * np.cos(angle), abs * np.sin(angle)
    return out


polar_.derivative(abs=lambda g, out: both.real(both.conj(g) * both.sgn(out)),
                 angle=lambda g, out: both.real(both.conj(g) * (out * 1j)))


def _complex(real, imag, *, out=None):
    """The complex numbers with the given parts, tensors of one floating dtype (else RuntimeError).

    Example::

        >>> import rushlight as torch
        >>> torch.complex(torch.tensor([1.]), torch.tensor([2.]))
        tensor([1.+2.j])
    """
    check_out(out, real)
    return complex_.public(real, imag, out=out)


def _polar(abs, angle, *, out=None):
    """The complex numbers of the given lengths and angles (in radians), tensors of one floating dtype (else
    RuntimeError).
    """
    check_out(out, abs)
    return polar_.public(abs, angle, out=out)


composite(_complex, name="complex")
composite(_polar, name="polar")


@op(promote="float", method=True)
def angle(input: Array):
    """The angle of complex numbers in (-pi, pi]; of real ones 0 or pi."""
    if kind_of(input) == "c":
        return np.arctan2(input.imag, input.real)
    return np.where(np.isnan(input), input, np.where(input < 0, math.pi, 0)).astype(input.dtype)


def _angle_gradient(g, input):
    if "complex" not in str(input.dtype):
        return no_gradient(g)
    size = both.real(input * both.conj(input))
    zero = size == 0
    return both.where(zero, 0, g * (input * 1j) / both.where(zero, 1, size))


angle.derivative(input=_angle_gradient)
