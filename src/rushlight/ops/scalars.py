"""Python numbers that become elements: what fits a dtype, and PyTorch's error for what does not."""
import math

import numpy as np

from .. import dtypes
from ..kernels.masked import c_name
from ..kernels.quiet import hush, unhush

__all__ = ["fill_array", "number_for"]


def fill_array(array, value):
    """Fill in place with a Python number, with PyTorch's overflow error."""
    kind = value.__class__
    dtype = array.dtype
    if dtype.itemsize >= 4 and (kind is float and dtype.kind == "f" and -3e38 < value < 3e38
                                or kind is int and dtype.kind in "fi" and -2**31 < value < 2**31):
        array.fill(value)                    # plain and sure to fit
        return
    array.fill(number_for(value, array.dtype, array.size == 1)) if array.dtype.kind != "V" else array.__setitem__(..., value)


def number_for(value, numpy, single=False):
    """A Python number checked against and cast to a dtype: RuntimeError where it does not fit.

    ``single``: for a tensor of one element, where PyTorch lets half precision overflow to infinity.
    """
    kind = numpy.kind
    d = dtypes.BY_NUMPY[numpy]
    if kind == "b":
        return bool(value)
    if value.__class__ is int and not -1 << 63 <= value < 1 << 64:
        raise OverflowError("int too big to convert\nGive a float.")
    if isinstance(value, (complex, np.complexfloating)) and d.category != dtypes.COMPLEX:
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {c_name(numpy)} without overflow\nIt is "
                               f"{value}.")
        value = value.real
    if kind in "iu":
        if isinstance(value, (float, np.floating)) and not math.isfinite(value):
            raise RuntimeError(f"value cannot be converted to type {c_name(numpy)} without overflow\nIt is "
                               f"{value}.")
        whole = int(value)
        info = np.iinfo(numpy)
        if not info.min <= whole <= info.max:
            if kind == "u" and -info.max <= whole < 0 and isinstance(value, (int, np.integer)):
                return whole & info.max
            raise RuntimeError(f"value cannot be converted to type {c_name(numpy)} without overflow\nIt is "
                               f"{value}.")
        return whole
    if d.category == dtypes.FLOATING:
        token = hush()
        try:
            made = numpy.type(float(value))
        finally:
            unhush(token)
        if d is not dtypes.float64 and not (single and d.itemsize == 2) and np.isinf(made) and math.isfinite(value):
            raise RuntimeError(f"value cannot be converted to type {c_name(numpy)} without overflow\nIt is "
                               f"{value}.")
        return made
    token = hush()
    try:
        return numpy.type(value)
    finally:
        unhush(token)
