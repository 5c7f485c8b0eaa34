"""Sentences that several kernels say: a dtype they lack, a dimension out of range."""
import numpy as np

from ..dtypes import BY_NUMPY

__all__ = ["not_a_dim", "refuse", "only_floating", "wrap_dim", "scalar_name", "c_name", "uncastable"]


def scalar_name(dtype):
    """PyTorch's C++ name of a dtype, such as ``Float``."""
    return BY_NUMPY[np.dtype(dtype)].scalar_name


_C_NAMES = {
    "Float": "float",
    "Double": "double",
    "Half": "c10::Half",
    "BFloat16": "c10::BFloat16",
    "Long": "long int",
    "Int": "int",
    "Short": "short int",
    "Char": "signed char",
    "Byte": "unsigned char",
    "Bool": "bool",
    "ComplexHalf": "c10::complex<c10::Half>",
    "ComplexFloat": "c10::complex<float>",
    "ComplexDouble": "c10::complex<double>",
}


def c_name(dtype):
    """The C++ type that PyTorch's matrix products and convolutions name, such as ``long int``."""
    name = scalar_name(dtype)
    return _C_NAMES.get(name, name)


def uncastable(result, wanted):
    """The error of a result whose dtype is of a higher kind than the tensor it is written to."""
    return RuntimeError(f"result type {scalar_name(result)} can't be cast to the desired output type "
                        f"{scalar_name(wanted)}\nConvert the tensors with .to(dtype) first.")


def refuse(name, dtype, kind=NotImplementedError):
    """The error of a kernel that lacks a dtype."""
    return kind(f"\"{name}\" not implemented for '{scalar_name(dtype)}'\nConvert the input with .to(dtype) "
                "first.")


def only_floating(name, x):
    """Raise unless the array is of floating dtype."""
    if x.dtype.kind != "f" and not BY_NUMPY[x.dtype].is_floating_point:
        raise refuse(name, x.dtype)


def not_a_dim(dim):
    """The TypeError of a ``dim`` that is no number."""
    return TypeError(f"argument 'dim' must be int, not {type(dim).__name__}\nDimensions are counted from 0, or back from -1.")


def wrap_dim(dim, ndim):
    """A dimension counted from the front; IndexError where there is none."""
    n = ndim or 1
    try:
        inside = -n <= dim < n
    except TypeError:
        raise not_a_dim(dim) from None
    if not inside:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got "
                         f"{dim})")
    return dim + n if dim < 0 else dim
