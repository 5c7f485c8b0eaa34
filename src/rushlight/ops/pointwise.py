"""Functions of each element: exponentials, trigonometry, rounding, complex parts."""
import numpy as np

from .declare import Array, both, op


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
