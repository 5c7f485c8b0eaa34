"""``a * b + c`` rounded once, in float32 and float64, without a fused instruction.

PyTorch's kernels for AVX2 and AVX-512 are compiled with contraction: ``uniform_(low, high)``, ``normal_(mean,
std)`` and ``cauchy_`` scale their standard variate by one fused multiply-add, and a product rounded on its
own would differ in the last bit of about every second value. NumPy offers no such operation, so it is
composed here.

float32: a product of two float32 is exact in float64, and the float64 sum is rounded to float32 correctly
unless it became, inexactly, the middle between two float32; those few are redone. float64: Boldo and
Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE
Transactions on Computers 57(4), 2008.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["fused", "fused32", "fused64"]

Array = NDArray[Any]

_DROPPED = np.array((1 << 29) - 1, np.int64)  # the bits of a float64 that a float32 has not
_MIDDLE = np.array(1 << 28, np.int64)
_SPLITTER = 134217729.0  # 2**27 + 1 (Veltkamp)


def fused(a: Array, b: float, c: float) -> Array:
    """`fused32` or `fused64`, by the dtype of `a`."""
    return fused32(a, b, c) if a.dtype == np.float32 else fused64(a, b, c)


def fused32(a: Array, b: float, c: float) -> Array:
    """a * b + c in float32, rounded once; `b` and `c` must be float32 values."""
    if 1e-30 < abs(b) < 1e30 and abs(c) < 1e30:
        return _fused32(a, b, c)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        # float32's subnormal numbers drop more bits than others: no shortcut there
        return _to_odd(a * np.float64(b), np.float64(c)).astype(np.float32)


def _fused32(a: Array, b: float, c: float) -> Array:
    if c == 0 or _power_of_two(b):  # one of the two roundings has nothing to do
        result: Array = a * np.float32(b) if b != 1 else a
        return result + np.float32(c)  # adding 0 turns -0 into 0, as the fused operation does
    total = a * np.float64(b)
    total += c
    result = total.astype(np.float32)
    bits = total.view(np.int64)
    bits &= _DROPPED
    middle = bits == _MIDDLE
    if middle.any():
        result[middle] = _to_odd(a[middle] * np.float64(b), np.float64(c)).astype(np.float32)
    return result


def _power_of_two(x: float) -> bool:
    return abs(math.frexp(x)[0]) == 0.5


def fused64(a: Array, b: float, c: float) -> Array:
    """a * b + c in float64, rounded once, but for results near the ends of float64's range."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        if c == 0 or _power_of_two(b):
            return a * b + c
        high, low = _two_product(a, b)
        upper, lower = _two_sum(low, np.float64(c))
        total, rest = _two_sum(high, upper)
        exact = total + _to_odd(lower, rest)
        finite = np.isfinite(exact)
        return exact if finite.all() else np.where(finite, exact, a * b + c)


def _to_odd(a: Array, b: Array | np.floating[Any]) -> Array:
    """a + b in float64, rounded to odd: an inexact sum takes that neighbour whose last bit is 1."""
    total, error = _two_sum(a, b)
    wrong = (error != 0) & ((total.view(np.int64) & 1) == 0) & np.isfinite(error)
    if wrong.any():
        total[wrong] = np.nextafter(total[wrong], np.copysign(np.inf, error[wrong]))
    return total


def _two_sum(a: Array, b: Array | np.floating[Any]) -> tuple[Array, Array]:
    """The rounded sum and its rounding error (Knuth)."""
    total: Array = a + b
    rest = total - a
    return total, (a - (total - rest)) + (b - rest)


def _two_product(a: Array, b: float) -> tuple[Array, Array]:
    """The rounded product and its rounding error (Dekker)."""
    product = a * b
    scaled = a * _SPLITTER
    a_high = scaled - (scaled - a)
    a_low = a - a_high
    b_scaled = b * _SPLITTER
    b_high = b_scaled - (b_scaled - b)
    b_low = b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
