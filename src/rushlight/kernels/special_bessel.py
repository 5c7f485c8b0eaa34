"""Bessel functions of order 0 and 1 of every kind, and Airy's function, of arrays.

Everything is computed in float64. Each function has three ranges, with the formula that loses no digits there:

* near zero: the power series with the digamma function in them (DLMF 10.8.1 for Y, 10.31.1 for K);
* in the middle, J and Y: Miller's backward recurrence (DLMF 3.6(iii)), normalised by J0 + 2 (J2 + J4 + ...) = 1, which yields
  J of all orders at once, and Y0 and Y1 from Neumann's series over them (DLMF 10.23(iii) and its derivative);
* far out: Hankel's expansions (DLMF 10.17.3 and 10.17.4).

K of any order, and so Airy's function of positive numbers, is its integral over exp(-x cosh t) cosh(order t) (DLMF 10.32.9).
The integrand falls off doubly exponentially, so that the trapezoidal rule with twenty points has full precision. Airy's
function of negative numbers is the sum of two complex ones, whose integral (DLMF 9.5.8) Gauss and Laguerre's rule takes, as
Gil, Segura and Temme propose, "Computing complex Airy functions by numerical quadrature", Numerical Algorithms 30 (2002).
"""
import functools
import math

import numpy as np

from .special import in_double, piecewise

__all__ = ["j0", "j1", "y0", "y1", "k0", "k1", "scaled_k0", "scaled_k1", "i0e", "i1e", "spherical_j0", "airy_ai"]

_EULER = 0.57721566490153286061
_NEAR, _FAR = 2.0, 25.0     # the borders of the ranges of J and Y


# ---------------------------------------------------------------- power series

def _series(order, x, sign):
    """Sums over q**k / (k! (k + order)!) with q = sign * x**2 / 4: plain, and weighted with psi(k + 1) + psi(k + order + 1)."""
    q = sign * (x * x / 4)
    term = np.ones_like(x)
    psi = -2 * _EULER + sum(1 / j for j in range(1, order + 1))
    plain, weighted = term.copy(), term * psi
    for k in range(1, 26):
        term = term * (q / (k * (k + order)))
        psi += 1 / k + 1 / (k + order)
        plain += term
        weighted += term * psi
    return plain, weighted


def _j_near(order, x):
    return (x / 2) ** order * _series(order, x, -1)[0]


def _y_near(order, x):
    plain, weighted = _series(order, x, -1)
    half = x / 2
    value = (2 * np.log(half) * plain - weighted) * half ** order / math.pi
    return value - 1 / (math.pi * half) if order else value


def _k_near(order, x):
    plain, weighted = _series(order, x, 1)
    half = x / 2
    value = (weighted / 2 - np.log(half) * plain) * half ** order
    return 1 / x - value if order else value


# ---------------------------------------------------------------- J and Y in the middle and far out

def _recurrence(x):
    """(J0, J1, Y0, Y1) between 2 and 25.

    With s = (-1)**k: ``first`` is the sum over k of s J[2k] / k, ``second`` that of s (J[2k - 1] - J[2k + 1]) / k.
    """
    top = 56
    above, here = np.zeros_like(x), np.full_like(x, 1e-200)
    norm, first, second = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
    for n in range(top, 0, -1):
        if n % 2 == 0:
            sign = -1 if n % 4 else 1
            norm += 2 * here
            first += sign * here / (n // 2)
            second -= sign * above / (n // 2)
        elif n < top:       # the even order above it; the one below takes it as `above`
            second += (-1 if (n + 1) % 4 else 1) * here / ((n + 1) // 2)
        above, here = here, 2 * n / x * here - above
    norm += here
    j0, j1 = here / norm, above / norm
    log = np.log(x / 2) + _EULER
    y0 = 2 / math.pi * (log * j0 - 2 * first / norm)
    y1 = 2 / math.pi * (log * j1 - j0 / x + second / norm)
    return j0, j1, y0, y1


def _hankel(order, x):
    """(J, Y) from 25 on: a slowly changing amplitude times cosine and sine."""
    term = np.ones_like(x)
    even, odd = term.copy(), np.zeros_like(x)
    for k in range(1, 27):
        term = term * ((4 * order * order - (2 * k - 1) ** 2) / (8 * k)) / x
        (odd if k % 2 else even)[...] += -term if k % 4 in (2, 3) else term
    cosine, sine = np.cos(x), np.sin(x)
    # cosine and sine of x - order * pi / 2 - pi / 4, without subtracting
    c, s = (cosine + sine, sine - cosine) if order == 0 else (sine - cosine, -sine - cosine)
    size = 1 / np.sqrt(math.pi * x)
    return size * (even * c - odd * s), size * (even * s + odd * c)


def _first_kind(order, x):
    return piecewise(x, (lambda t: t < _NEAR, lambda t: _j_near(order, t)), (lambda t: t < _FAR, lambda t: _recurrence(t)[order]),
                     (lambda t: t < np.inf, lambda t: _hankel(order, t)[0]))


def _second_kind(order, x):
    return piecewise(x, (lambda t: t == 0, lambda t: np.full_like(t, -np.inf)),
                     (lambda t: (t > 0) & (t < _NEAR), lambda t: _y_near(order, t)),
                     (lambda t: (t > 0) & (t < _FAR), lambda t: _recurrence(t)[2 + order]),
                     (lambda t: (t > 0) & (t < np.inf), lambda t: _hankel(order, t)[1]))


@in_double
def j0(x):
    """The Bessel function of the first kind, order 0."""
    return _first_kind(0, np.abs(x))


@in_double
def j1(x):
    """The Bessel function of the first kind, order 1, which is odd."""
    value = _first_kind(1, np.abs(x))
    return np.where(x < 0, -value, value)


@in_double
def y0(x):
    """The Bessel function of the second kind, order 0: -inf at 0, NaN below."""
    return _second_kind(0, x)


@in_double
def y1(x):
    """The Bessel function of the second kind, order 1: -inf at 0, NaN below."""
    return _second_kind(1, x)


# ---------------------------------------------------------------- modified functions

_POINTS = 20


def _k_integral(order, x):
    """exp(x) K(x) of any order, for x not below 1/2."""
    step = 2 * np.arcsinh(np.sqrt(20 / x)) / _POINTS       # at whose end the integrand has fallen to exp(-40)
    total = np.full_like(x, 0.5)
    for n in range(1, _POINTS + 1):
        t = n * step
        half = np.sinh(t / 2)
        total += np.exp(-2 * x * half * half) * np.cosh(order * t)
    return total * step


def _third_kind(order, x, scaled):
    def near(t):
        value = _k_near(order, t)
        return value * np.exp(t) if scaled else value

    def far(t):
        value = _k_integral(order, t)
        return value if scaled else value * np.exp(-t)
    return piecewise(x, (lambda t: t == 0, lambda t: np.full_like(t, np.inf)), (lambda t: (t > 0) & (t < 1), near),
                     (lambda t: (t > 0) & (t < np.inf), far), (lambda t: t == np.inf, np.zeros_like))


@in_double
def k0(x):
    """The modified Bessel function of the second kind, order 0: inf at 0, NaN below."""
    return _third_kind(0, x, False)


@in_double
def k1(x):
    """The modified Bessel function of the second kind, order 1: inf at 0, NaN below."""
    return _third_kind(1, x, False)


@in_double
def scaled_k0(x):
    """exp(x) times ``k0``."""
    return _third_kind(0, x, True)


@in_double
def scaled_k1(x):
    """exp(x) times ``k1``."""
    return _third_kind(1, x, True)


def _i_scaled(order, size):
    """exp(-x) I(x) for x >= 0."""
    def near(x):
        quarter = x * x / 4
        total = term = (x / 2) ** order
        for k in range(1, 60):
            term = term * (quarter / (k * (k + order)))
            total = total + term
        return total * np.exp(-x)

    def far(x):
        total = term = np.ones_like(x)
        for k in range(1, 33):
            term = term * (((2 * k - 1) ** 2 - 4 * order * order) / (8 * k)) / x
            total = total + term
        return total / np.sqrt(2 * math.pi * x)
    return piecewise(size, (lambda t: t < 20, near), (lambda t: t >= 20, far))


@in_double
def i0e(x):
    """exp(-abs(x)) times the modified Bessel function of the first kind, order 0."""
    return _i_scaled(0, np.abs(x))


@in_double
def i1e(x):
    """exp(-abs(x)) times the modified Bessel function of the first kind, order 1, which is odd."""
    return np.copysign(_i_scaled(1, np.abs(x)), x)


# ---------------------------------------------------------------- spherical, and Airy's

@in_double
def spherical_j0(x):
    """sin(x) / x, 1 at 0 and 0 at infinity."""
    return piecewise(x, (np.isinf, np.zeros_like), (lambda t: t == 0, np.ones_like), (lambda t: t == t, lambda t: np.sin(t) / t))


_AI_0, _AI_SLOPE = 0.35502805388781723926, -0.25881940379280679841      # Ai(0) and its derivative there


def _airy_near(x):
    """Maclaurin's series (DLMF 9.4.1)."""
    cube = x * x * x
    f = first = np.ones_like(x)
    g = second = x
    for k in range(1, 25):
        first = first * (cube / ((3 * k - 1) * (3 * k)))
        second = second * (cube / ((3 * k) * (3 * k + 1)))
        f, g = f + first, g + second
    return _AI_0 * f + _AI_SLOPE * g


def _airy_positive(x):
    zeta = 2 / 3 * x * np.sqrt(x)
    return np.sqrt(x / 3) / math.pi * np.exp(-zeta) * _k_integral(1 / 3, zeta)


@functools.cache
def _laguerre():
    """Points and weights of Gauss's rule for exp(-t) t**(-1/6), from the eigenvalues of its Jacobi matrix (Golub and Welsch)."""
    n, power = 40, -1 / 6
    k = np.arange(1, n)
    off = np.sqrt(k * (k + power))
    points, vectors = np.linalg.eigh(np.diag(2 * np.arange(n) + 1 + power) + np.diag(off, 1) + np.diag(off, -1))
    return points, math.gamma(1 + power) * vectors[0] ** 2


def _airy_negative(x):
    """Ai(-s) is twice the real part of exp(i pi / 3) Ai(s exp(i pi / 3)) (DLMF 9.2.14)."""
    s = -x
    xi = 2 / 3 * s * np.sqrt(s)
    total = np.zeros(x.shape, complex)
    for point, weight in zip(*_laguerre()):
        total += weight * (2 - 1j * (point / xi)) ** (-1 / 6)
    scale = 1 / (math.sqrt(math.pi) * 48 ** (1 / 6) * math.gamma(5 / 6))
    turn = complex(math.cos(math.pi / 4), math.sin(math.pi / 4))        # exp(i pi / 3) times i ** (-1 / 6)
    return 2 * scale * (turn * np.exp(-1j * xi) * xi ** (-1 / 6) * total).real


@in_double
def airy_ai(x):
    """Airy's function Ai."""
    return piecewise(x, (lambda t: np.abs(t) == np.inf, lambda t: np.full_like(t, np.nan)), (lambda t: t < -2.5, _airy_negative),
                     (lambda t: t < 1, _airy_near), (lambda t: t < 1e10, _airy_positive), (lambda t: t >= 1e10, np.zeros_like))
