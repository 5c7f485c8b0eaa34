"""Arithmetic of arrays where NumPy's own functions differ from PyTorch's: rounding division, powers of
integers, shifts.

Integers behave as in C: they wrap around, and dividing one by zero is an error, which PyTorch reports as a
RuntimeError whose text is "ZeroDivisionError".
"""
import numpy as np

from .. import dtypes

__all__ = ["kind_of", "dtype_name", "refuse", "truncated_quotient", "floored_quotient", "modulo", "c_modulo",
           "power", "shift_left", "shift_right", "sign", "unit", "round_decimals"]


def kind_of(x):
    """NumPy's one-letter kind of an array or number; bfloat16 counts as "f"."""
    kind = x.dtype.kind if hasattr(x, "dtype") else np.asarray(x).dtype.kind
    return "f" if kind == "V" else kind


def dtype_name(x):
    """PyTorch's C++ name of the dtype of an array or number, for error texts."""
    return (dtypes.of(x.dtype) if isinstance(x, np.ndarray) else dtypes.of_number(x)).scalar_name


def refuse(name, *arrays, kinds="b"):
    """PyTorch's error for a dtype that a kernel has not been written for, if an array's kind is among
    ``kinds``.
    """
    for x in arrays:
        if kind_of(x) in kinds:
            raise NotImplementedError(f'"{name}" not implemented for \'{dtype_name(x)}\'\nConvert the tensor '
                                      "first, for instance with .float().")


# ---------------------------------------------------------------- division

def nonzero_divisor(other):
    """RuntimeError as PyTorch's where integers would be divided by zero."""
    if kind_of(other) in "iu" and not np.all(other):
        raise RuntimeError("ZeroDivisionError\nAn integer tensor was divided by zero; floating-point "
                           "division gives inf or nan.")


def truncated_quotient(input, other):
    """C's division: rounded towards zero."""
    if kind_of(input) in "iu" and kind_of(other) in "iu":
        nonzero_divisor(other)
        quotient = np.floor_divide(input, other)
        if kind_of(input) == "i":      # one too low where the signs differ and it is not exact
            quotient = quotient + ((np.multiply(quotient, other) != input) & ((input < 0) != (other < 0)))
        return quotient.astype(input.dtype, copy=False)
    return np.trunc(np.true_divide(input, other))


def floored_quotient(input, other):
    """Python's ``//``."""
    nonzero_divisor(other)
    return np.floor_divide(input, other)


def modulo(input, other):
    """Python's ``%``: the result has the divisor's sign."""
    nonzero_divisor(other)
    if kind_of(input) in "iu" and kind_of(other) in "iu":
        return np.remainder(input, other)
    rest = np.fmod(input, other)
    return np.where((rest != 0) & ((rest < 0) != (other < 0)), rest + other, rest)


def c_modulo(input, other):
    """C's ``fmod`` and ``%``: the result has the dividend's sign."""
    nonzero_divisor(other)
    return np.fmod(input, other)


# ---------------------------------------------------------------- powers

def power(input, exponent):
    """``input ** exponent`` of arrays of one dtype; what PyTorch computes exactly is computed so here."""
    kind = input.dtype.kind
    if kind in "iu":
        return _integer_power(input, exponent)
    if kind == "b":
        return np.logical_or(input, np.logical_not(exponent))
    if exponent.ndim == 0 and kind != "c":
        special = _EXACT_POWERS.get(exponent.item())
        if special is not None:
            return special(input)
    return np.power(input, exponent)


_EXACT_POWERS = {0.5: np.sqrt, 2.0: np.square, 3.0: lambda x: x * x * x, -2.0: lambda x: 1 / (x * x),
                 -1.0: np.reciprocal,
                 -0.5: lambda x: 1 / np.sqrt(x)}


def _integer_power(input, exponent):
    """Integers, wrapping around; to a negative power 1 and -1 keep their meaning and all others give 0."""
    if kind_of(exponent) == "u" or not np.any(np.less(exponent, 0)):
        return np.power(input, exponent)
    negative = exponent < 0
    result = np.power(input, np.where(negative, 0, exponent).astype(input.dtype))
    odd = (exponent & 1).astype(bool)
    units = np.where(input == 1, 1, np.where(input == -1, np.where(odd, -1, 1), 0))
    return np.where(negative, units, result).astype(input.dtype)


# ---------------------------------------------------------------- shifts

def _places(input, other):
    """The counts that can be shifted by, and where there are none."""
    odd = (other < 0) | (other >= 8 * input.dtype.itemsize)
    return np.where(odd, 0, other).astype(input.dtype), odd


def shift_left(input, other):
    """``input << other``, and 0 for negative counts and those beyond the width."""
    places, odd = _places(input, other)
    return np.where(odd, 0, np.left_shift(input, places)).astype(input.dtype)


def shift_right(input, other):
    """``input >> other``, and nothing but the sign for negative counts and those beyond the width."""
    places, odd = _places(input, other)
    gone = np.right_shift(input,
                          input.dtype.type(8 * input.dtype.itemsize - 1)) if kind_of(input) == "i" else 0
    return np.where(odd, gone, np.right_shift(input, places)).astype(input.dtype)


# ---------------------------------------------------------------- signs and rounding

def sign(x):
    """-1, 0 or 1; unlike NumPy's, 0 for NaN."""
    if x.dtype.kind == "b":
        return x.copy()
    return np.sign(x) if x.dtype.kind in "iu" else np.subtract(x > 0, x < 0, dtype=x.dtype)


def unit(z):
    """``z / abs(z)`` of complex numbers, and 0 at 0."""
    size = np.absolute(z)
    zero = size == 0
    return np.where(zero, 0, z / np.where(zero, 1, size)).astype(z.dtype)


def round_decimals(input, decimals):
    """Rounded to so many decimals (tens, hundreds... if negative), halves to even, as PyTorch computes it."""
    scale = input.dtype.type(10.0 ** abs(decimals))
    return np.rint(input * scale) / scale if decimals > 0 else np.rint(input / scale) * scale
