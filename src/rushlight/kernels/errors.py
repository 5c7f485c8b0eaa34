"""Sentences that several kernels say: a dtype they lack, a dimension out of range."""
import numpy as np

from ..dtypes import BY_NUMPY

__all__ = ["refuse", "only_floating", "wrap_dim", "scalar_name"]


def scalar_name(dtype):
    """PyTorch's C++ name of a dtype, such as ``Float``."""
    return BY_NUMPY[np.dtype(dtype)].scalar_name


def refuse(name, dtype, kind=NotImplementedError):
    """The error of a kernel that lacks a dtype."""
    return kind(f"\"{name}\" not implemented for '{scalar_name(dtype)}'\nConvert the input with .to(dtype) "
                "first.")


def only_floating(name, x):
    """Raise unless the array is of floating dtype."""
    if x.dtype.kind != "f" and not BY_NUMPY[x.dtype].is_floating_point:
        raise refuse(name, x.dtype)


def wrap_dim(dim, ndim):
    """A dimension counted from the front; IndexError where there is none."""
    n = ndim or 1
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got "
                         f"{dim})")
    return dim + n if dim < 0 else dim
