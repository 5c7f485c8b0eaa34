"""The incomplete gamma functions and Hurwitz's zeta function of two arrays.

P(a, x) = igamma and Q(a, x) = igammac add up to 1; the smaller of the two is computed and the other is its complement:

* by the power series of P (DLMF 8.11.4) below a, and by that of 1 - Q without its leading one (DLMF 8.7.3) for small x;
* by the continued fraction of Q (DLMF 8.9.2), evaluated as Lentz and Thompson do, above a;
* for a > 20 near x, where both are slow, by Temme's uniform expansion (DLMF 8.12.3 to 8.12.12). Its coefficients follow from
  those of the function inverse to x - log(1 + x) by recurrence, in fractions, so no table is needed.

The common factor x**a exp(-x) / gamma(a + 1) takes the difference of large numbers from a series of its own.

Zeta is Euler and Maclaurin's sum (DLMF 25.11.28), after ten terms added one by one.
"""
import fractions
import functools
import math

import numpy as np

from .special import _BERNOULLI, _STIRLING, erfc, horner, lgamma

__all__ = ["igamma", "igammac", "zeta"]


def pairwise(function):
    """Run ``function`` on two float64 arrays of one shape, one-dimensional; give the result the shape and dtype that came."""
    @functools.wraps(function)
    def wrapped(a, b):
        a, b = np.broadcast_arrays(a, b)
        dtype = a.dtype if a.dtype.kind in "fV" else np.dtype(np.float64)
        result = function(a.astype(np.float64).reshape(-1), b.astype(np.float64).reshape(-1))
        return result.astype(dtype, copy=False).reshape(a.shape)
    return wrapped


def choose(a, b, *parts):
    """``special.piecewise`` for functions of two arrays."""
    out = np.full(a.shape, np.nan)
    free = np.ones(a.shape, bool)
    for condition, formula in parts:
        here = condition & free
        if here.any():
            out[here] = formula(a[here], b[here])
            free &= ~here
    return out


# ---------------------------------------------------------------- incomplete gamma functions

def _log1p_rest(m):
    """log(1 + m) - m, without subtracting them where m is small."""
    small = np.abs(m) < 0.5
    r = np.where(small, m, 0)
    r = r / (2 + r)
    square = r * r
    total = horner(square, [1 / (2 * k + 1) for k in range(1, 20)]) * square * r * 2
    return np.where(small, total - 2 * square / (1 - r), np.log1p(m) - m)


def _factor(a, x):
    """x**a exp(-x) / gamma(a)."""
    large = a >= 10
    many = np.where(large, a, 10)
    correction = horner(1 / (many * many), _STIRLING) / many
    by_stirling = np.sqrt(many / (2 * math.pi)) * np.exp(many * _log1p_rest((x - many) / many) - correction)
    few = np.where(large, 1, a)
    # gamma(a) of tiny a overflows before a / gamma(a + 1) does
    return np.where(large, by_stirling, few * np.exp(few * np.log(x) - x - lgamma(few + 1)))


def _until_settled(step, state, limit):
    """Take steps until each element has settled: ``step(n, *state)`` gives the new state, result first, and what goes on.

    Elements differ widely in how many they need, so those that have settled are put aside now and then.
    """
    out = state[0].copy()
    left = np.arange(out.size)
    for n in range(1, limit):
        *state, going = step(n, *state)
        if n % 8 == 0 or not going.any():
            out[left] = state[0]
            if not going.any():
                break
            left = left[going]
            state = [part[going] for part in state]
    else:
        out[left] = state[0]
    return out


def _p_series(a, x):
    def step(n, total, term, a, x):
        term = term * (x / (a + n))
        total = total + term
        return total, term, a, x, term > total * 1e-17
    return _until_settled(step, (np.ones_like(a), np.ones_like(a), a, x), 2000) * _factor(a, x) / a


def _q_small(a, x):
    """1 - x**a / gamma(a + 1) (1 - ...), where x is small and Q is not near 1."""
    def step(n, total, term, a, x):
        term = term * (-x / n)
        more = term / (a + n)
        total = total + more
        return total, term, a, x, np.abs(more) > np.abs(total) * 1e-17
    total = _until_settled(step, (np.zeros_like(a), np.ones_like(a), a, x), 200)
    log = a * np.log(x) - lgamma(1 + a)
    return -np.expm1(log) - np.exp(log) * a * total


def _q_fraction(a, x):
    def step(n, h, a, b, c, d):
        top = n * (a - n)
        b = b + 2
        d = top * d + b
        c = b + top / c
        d = 1 / np.where(d == 0, 1e-300, d)
        c = np.where(c == 0, 1e-300, c)
        change = d * c
        return h * change, a, b, c, d, np.abs(change - 1) > 4e-16
    b = x + 1 - a
    return _until_settled(step, (1 / b, a, b, np.full_like(a, 1e300), 1 / b), 2000) * _factor(a, x)


_ORDER = 20


@functools.cache
def _temme():
    """d[k][n] of DLMF 8.12.11 and 8.12.12 as floats."""
    size = 3 * _ORDER + 4
    alpha = [fractions.Fraction(0), fractions.Fraction(1)]
    for n in range(2, size):
        mixed = sum(j * alpha[j] * alpha[n - j + 1] for j in range(2, n))
        alpha.append((alpha[n - 1] - mixed) / (n + 1))
    row = [fractions.Fraction(-1, 3)] + [(n + 2) * alpha[n + 2] for n in range(1, size - 2)]
    first, rows, double_factorial = row, [row], 1
    for k in range(1, _ORDER):
        double_factorial *= 2 * k + 1
        g = (-1) ** k * double_factorial * alpha[2 * k + 1]      # of the expansion of gamma itself (DLMF 5.11.3)
        row = [g * first[n] + (n + 2) * row[n + 2] for n in range(len(row) - 2)]
        rows.append(row)
    return [[float(v) for v in row[:_ORDER]] for row in rows]


def _temme_parts(a, x):
    """(eta, the correction R) of the uniform expansion."""
    mu = (x - a) / a
    square = np.maximum(-2 * _log1p_rest(mu), 0)
    eta = np.copysign(np.sqrt(square), mu)
    total = np.zeros_like(a)
    for row in reversed(_temme()):
        total = total / a + horner(eta, row)
    return eta, np.exp(-a * square / 2) / np.sqrt(2 * math.pi * a) * total


def _q_temme(a, x):
    eta, rest = _temme_parts(a, x)
    return erfc(eta * np.sqrt(a / 2)) / 2 + rest


def _p_temme(a, x):
    eta, rest = _temme_parts(a, x)
    return erfc(-eta * np.sqrt(a / 2)) / 2 - rest


def _corners(a, x, at_zero, above):
    """Where a or x are 0 or infinite, a NaN beside them included: P has (0, 1), Q has (1, 0)."""
    def constant(value):
        return lambda a, x: np.full_like(a, value)
    return (((a < 0) | (x < 0), constant(np.nan)), ((a == 0) & (x > 0), constant(above)), (a == 0, constant(np.nan)),
            (x == 0, constant(at_zero)), (np.isinf(a) & np.isinf(x), constant(np.nan)), (np.isinf(a), constant(at_zero)),
            (np.isinf(x), constant(above)))


def _near(a, x):
    return (a > 20) & (np.abs(x - a) < 0.3 * a)


@pairwise
def igamma(a, x):
    """The regularised lower incomplete gamma function."""
    return choose(a, x, *_corners(a, x, 0, 1), (_near(a, x), _p_temme),
                  ((x > 1) & (x > a), lambda a, x: 1 - _q_fraction(a, x)), (a == a, _p_series))


@pairwise
def igammac(a, x):
    """The regularised upper incomplete gamma function."""
    low = np.where(x > 1.1, x < a, np.where(x <= 0.5, -0.4 / np.log(x) < a, x * 1.1 < a))      # where P is the smaller
    return choose(a, x, *_corners(a, x, 1, 0), (_near(a, x), _q_temme), (low, lambda a, x: 1 - _p_series(a, x)),
                  (x > 1.1, _q_fraction), (a == a, _q_small))


# ---------------------------------------------------------------- zeta

def _zeta_positive(s, q):
    total = np.zeros_like(q)
    for k in range(10):
        term = (q + k) ** -s
        total += term
    q = q + 10
    term = q ** -s
    rest = term * q / (s - 1) + term / 2
    factor = s * term / q
    for j, b in enumerate(_BERNOULLI):
        rest += b * factor / math.factorial(2 * j + 2)
        factor = factor * ((s + 2 * j + 1) * (s + 2 * j + 2) / (q * q))
    return np.where(term > total * 1e-17, total + rest, total)      # where the terms vanish, so does the rest


def _zeta_negative(s, q):
    """Of a whole s: the terms with a negative base, counted from the other side, and those with a positive one."""
    sign = np.where(s % 2, -1.0, 1.0)
    mirrored = _zeta_positive(s, np.ceil(q) - q) - _zeta_positive(s, 1 - q)
    return _zeta_positive(s, q - np.floor(q)) + sign * mirrored


@pairwise
def zeta(s, q):
    """Hurwitz's zeta function: inf at s = 1 and for q = 0, -1, -2..., NaN for s < 1 and for negative q with a fractional s.

    NaN for an infinite q, and an infinite s with q > 1, where PyTorch's sum has no number either.
    """
    def constant(value):
        return lambda s, q: np.full_like(s, value)
    return choose(s, q, (s == 1, constant(np.inf)), (s < 1, constant(np.nan)), ((q <= 0) & (q == np.floor(q)), constant(np.inf)),
                  (np.isnan(s) | ~np.isfinite(q) | (q < 0) & (s != np.floor(s)), constant(np.nan)),
                  (np.isinf(s), lambda s, q: np.where(q > 1, np.nan, np.where(q == 1, 1.0, np.inf))),
                  (q > 0, _zeta_positive), (q < 0, _zeta_negative))
