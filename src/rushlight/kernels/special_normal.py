"""The normal distribution and what belongs to it, of arrays: its quantile, the logarithm of its integral, the scaled error
function, entropy.

* ``erfcx`` uses the rational functions of ``special`` for erfc, whose factor exp(-x * x) it leaves out, and the asymptotic
  series (DLMF 7.12.1) beyond their range.
* ``ndtri``: Wichura's algorithm AS 241, see ``special``, on the side that keeps the digits.
"""
import math

import numpy as np

from . import special
from .special import horner, in_double, piecewise

__all__ = ["erfcx", "log_ndtr", "ndtri", "entr"]


def _erfcx_far(x):
    total = term = np.ones_like(x)
    square = 2 * x * x
    for k in range(1, 8):
        term = term * (-(2 * k - 1) / square)
        total = total + term
    return total / (x * math.sqrt(math.pi))


def _erfcx_middle(x):
    s = 1 / (x * x)
    near = x < 1 / 0.35
    rational = np.where(near, horner(s, special._ERFC_RA) / horner(s, special._ERFC_SA),
                        horner(s, special._ERFC_RB) / horner(s, special._ERFC_SB))
    return np.exp(rational - 0.5625) / x


def _square_exp(x):
    """exp(x * x), with x * x split so that its rounding does not count."""
    high = (x.view(np.int64) & ~0x7FFFFFF).view(np.float64)
    return np.exp(high * high) * np.exp((x - high) * (x + high))


def _erfcx(x):
    return piecewise(x, (lambda t: t < -27, lambda t: np.full_like(t, np.inf)),
                     (lambda t: t < 0, lambda t: 2 * _square_exp(t) - _erfcx(-t)),
                     (lambda t: t < 1.25, lambda t: _square_exp(t) * special.erfc(t)), (lambda t: t < 20, _erfcx_middle),
                     (lambda t: t >= 20, _erfcx_far))


erfcx = in_double(_erfcx)
erfcx.__name__, erfcx.__doc__ = "erfcx", "exp(x * x) * erfc(x), which neither overflows nor vanishes for large x."


@in_double
def log_ndtr(x):
    """The logarithm of the normal distribution's integral up to x, accurate far out on both sides."""
    return piecewise(x, (lambda t: t == -np.inf, lambda t: t),
                     (lambda t: t < -1, lambda t: np.log(_erfcx(t * -math.sqrt(0.5)) / 2) - t * t / 2),
                     (lambda t: t >= -1, lambda t: np.log1p(-special.erfc(t * math.sqrt(0.5)) / 2)))


@in_double
def ndtri(p):
    """The number below which the normal distribution has the share p: infinite at 0 and 1, NaN outside."""
    inside = (p > 0) & (p < 1)
    share = np.where(inside, p, 0.5)
    q = share - 0.5
    r = 0.180625 - q * q
    central = q * horner(r, special._AS241_A) / horner(r, special._AS241_B)
    s = np.sqrt(-np.log(np.minimum(share, 1 - share)))
    tail = np.where(s <= 5, horner(s - 1.6, special._AS241_C) / horner(s - 1.6, special._AS241_D),
                    horner(s - 5, special._AS241_E) / horner(s - 5, special._AS241_F))
    value = np.where(np.abs(q) <= 0.425, central, np.copysign(tail, q))
    return np.where(inside, value, np.where(p == 0, -np.inf, np.where(p == 1, np.inf, np.nan)))


def entr(x):
    """-x log(x), 0 at 0 and -inf below."""
    return np.where(x > 0, -x * np.log(x), np.where(x == 0, 0, np.where(x < 0, -np.inf, x))).astype(x.dtype, copy=False)
