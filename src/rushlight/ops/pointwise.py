"""Functions of each element: exponentials, trigonometry, rounding, complex parts."""
import numpy as np

from .declare import Array, both, op

__all__ = []


@op(method=True)
def conj(input: Array):
    """The complex conjugate; a real tensor is returned as it is."""
    if getattr(getattr(input, "dtype", None), "kind", "") == "c":
        return np.conj(input)
    return input.conjugate() if isinstance(input, complex) else input


conj.derivative(input=lambda g: both.conj(g))


@op(promote="float", ufunc=np.tanh, method=True, inplace=True)
def tanh(input: Array):
    """The hyperbolic tangent."""
    return np.tanh(input)


tanh.derivative(input=lambda g, out: g * both.conj(1 - out * out))


@op(promote="float", ufunc=np.exp, method=True, inplace=True)
def exp(input: Array):
    """e to the power of each element.

    Example::

        >>> import rushlight as torch
        >>> torch.exp(torch.tensor([0., 1.]))
        tensor([1.0000, 2.7183])
    """
    return np.exp(input)


exp.derivative(input=lambda g, out: g * both.conj(out))


@op(promote="float", ufunc=np.log, method=True, inplace=True)
def log(input: Array):
    """The natural logarithm; -inf at 0, nan for negative real numbers."""
    return np.log(input)


log.derivative(input=lambda g, input: g / both.conj(input))


@op(promote="float", ufunc=np.sin, method=True, inplace=True)
def sin(input: Array):
    """The sine of angles in radians."""
    return np.sin(input)


sin.derivative(input=lambda g, input: g * both.conj(both.cos(input)))


@op(promote="float", ufunc=np.cos, method=True, inplace=True)
def cos(input: Array):
    """The cosine of angles in radians."""
    return np.cos(input)


cos.derivative(input=lambda g, input: -g * both.conj(both.sin(input)))


def _sign_of_complex(z):
    size = np.absolute(z)
    return np.where(size == 0, 0, z / np.where(size == 0, 1, size)).astype(z.dtype)


@op(promote="arith", method=True, inplace=True)
def sgn(input: Array):
    """``sign`` for real numbers; for complex ones ``input / abs(input)``, and 0 at 0."""
    if input.dtype.kind == "c":
        return _sign_of_complex(input)
    return input.copy() if input.dtype.kind == "b" else np.sign(input)
