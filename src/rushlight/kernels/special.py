"""Special functions of arrays: erf and its relatives, the gamma family, Bessel functions of imaginary
argument.

Everything is computed in float64 and rounded once for narrower types, except ``erf`` of float32, which has a
formula of its own because networks call it (GELU). Each function splits the line into ranges and evaluates
on each range the formula that is accurate there; ``piecewise`` does the splitting. Sources:

* erf, erfc: the rational approximations of FreeBSD's and Sun's fdlibm, ``s_erf.c`` (below one unit in the
  last place).
* erf of float32: two polynomials fitted by Lawson's reweighted least squares on Chebyshev nodes (below 1.3
  units in the last place).
* erfinv: Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics
  37 (1988), with one Newton step.
* lgamma, digamma, zeta: DLMF chapters 5 and 25: the Taylor series of log-gamma at 2 (5.7.3), Stirling's
  series (5.11.1 and 5.11.2) after the recurrence (5.5.1), reflection (5.5.3 and 5.5.4), Euler and
  Maclaurin's sum for Hurwitz's zeta (25.11.5 and 25.11.28).
* i0, i1: DLMF 10.25.2 (power series) and 10.40.1 (for large arguments).
"""
import math

import numpy as np

__all__ = ["erf", "erfc", "erfinv", "lgamma", "digamma", "polygamma", "zeta", "i0", "i1"]


def horner(x, coefficients):
    """The polynomial with the given coefficients, constant first."""
    total = x * coefficients[-1]
    total += coefficients[-2]
    for c in coefficients[-3::-1]:
        total *= x
        total += c
    return total


def piecewise(x, *parts):
    """Evaluate each formula where its condition holds and none before it did: ``parts`` are (condition,
    formula) pairs.

    What no condition claims (NaN) stays NaN.
    """
    out = np.full(x.shape, np.nan)
    free = np.ones(x.shape, bool)
    for condition, formula in parts:
        here = condition(x) & free
        if here.any():
            out[here] = formula(x[here])
            free &= ~here
    return out


def in_double(function):
    """Run ``function`` on a float64 array with at least one dimension; give the result the shape and dtype
    that came.
    """
    def wrapped(x, *more):
        given = np.asarray(x)
        result = function(np.atleast_1d(np.asarray(given, np.float64)), *more)
        dtype = given.dtype if given.dtype.kind in "fV" else np.float64
        return result.astype(dtype, copy=False).reshape(given.shape)
    wrapped.__name__, wrapped.__doc__ = function.__name__, function.__doc__
    return wrapped


# ---------------------------------------------------------------- error functions

_ERF_P = (1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
          -5.77027029648944159157e-03, -2.37630166566501626084e-05)
_ERF_Q = (1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
          1.32494738004321644526e-04, -3.96022827877536812320e-06)
_ERF_AT_1 = 8.45062911510467529297e-01
_ERF_PA = (-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
           3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
           -2.16637559486879084300e-03)
_ERF_QA = (1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
           1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02)
_ERFC_RA = (-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
            -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
            -8.12874355063065934246e+01, -9.81432934416914548592e+00)
_ERFC_SA = (1.0, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
            6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
            6.57024977031928170135e+00, -6.04244152148580987438e-02)
_ERFC_RB = (-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
            -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
            -4.83519191608651397019e+02)
_ERFC_SB = (1.0, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
            3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
            -2.24409524465858183362e+01)
# float32: erf(x) is x + x * P(x*x) up to 0.925 and 1 - exp(x * Q(x) - x) beyond
_ERF32_P = (0.128379148, -0.376124811, 0.112816828, -0.0267617265, 0.0049859482, -0.000595377338)
_ERF32_Q = (-0.12864849, -0.635151318, -0.106236875, 0.0237620608, -0.00364245796, 0.000322803572,
            -1.12312755e-05)


def _erf_small(x):
    square = x * x
    return x + x * (horner(square, _ERF_P) / horner(square, _ERF_Q))


def _erf_middle(x):
    s = x - 1
    return horner(s, _ERF_PA) / horner(s, _ERF_QA)


def _erfc_tail(x):
    """erfc for x >= 1.25: exp(-x*x) times a rational function of 1/x**2, with x*x split so that no digit is
    lost.
    """
    s = 1 / (x * x)
    near = x < 1 / 0.35
    rational = np.where(near, horner(s, _ERFC_RA) / horner(s, _ERFC_SA),
                        horner(s, _ERFC_RB) / horner(s, _ERFC_SB))
    z = (x.view(np.int64) & ~0xFFFFFFFF).view(np.float64)
    return np.exp(-z * z - 0.5625) * np.exp((z - x) * (z + x) + rational) / x


@in_double
def _erf64(x):
    size = np.abs(x)
    value = piecewise(
        size, (lambda t: t < 0.84375, _erf_small), (lambda t: t < 1.25, lambda t: _ERF_AT_1 + _erf_middle(t)),
        (lambda t: t < 6, lambda t: 1 - _erfc_tail(t)), (lambda t: t >= 6, np.ones_like))
    return np.copysign(value, x)


def _erf32(x):
    x = np.asarray(x)
    size = np.minimum(np.abs(x), np.float32(4))
    small = size + size * horner(size * size, _ERF32_P)
    large = 1 - np.exp(size * horner(size, _ERF32_Q) - size)
    return np.copysign(np.where(size < np.float32(0.925), small, large), x)


def erf(x):
    """The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
    return _erf32(x) if x.dtype == np.float32 else _erf64(x)


@in_double
def erfc(x):
    """1 - erf(x), accurate where that is tiny."""
    size = np.abs(x)
    value = piecewise(
        size, (lambda t: t < 0.84375, lambda t: 1 - _erf_small(t)),
        (lambda t: t < 1.25, lambda t: 1 - _ERF_AT_1 - _erf_middle(t)),
        (lambda t: t < 28, _erfc_tail), (lambda t: t >= 28, np.zeros_like))
    return np.where(x < 0, 2 - value, value)


_AS241_A = (3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
            1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
            3.3430575583588128105e+4, 2.5090809287301226727e+3)
_AS241_B = (1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
            2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
            5.2264952788528545610e+3)
_AS241_C = (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
            3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
            2.27238449892691845833e-2, 7.74545014278341407640e-4)
_AS241_D = (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
            1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
            1.05075007164441684324e-9)
_AS241_E = (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
            2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
            2.71155556874348757815e-5, 2.01033439929228813265e-7)
_AS241_F = (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
            7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
            2.04426310338993978564e-15)


@in_double
def erfinv(x):
    """The inverse of erf: infinite at -1 and 1, NaN beyond."""
    size = np.abs(x)
    inside = size < 1
    y = np.where(inside, size, 0.0)
    r = 0.180625 - y * y / 4
    central = y / 2 * horner(r, _AS241_A) / horner(r, _AS241_B)
    s = np.sqrt(-np.log((1 - y) / 2))
    tail = np.where(s <= 5, horner(s - 1.6, _AS241_C) / horner(s - 1.6, _AS241_D),
                    horner(s - 5, _AS241_E) / horner(s - 5, _AS241_F))
    value = np.where(y <= 0.85, central, tail) / math.sqrt(2)
    complement = np.where(y <= 0.85, y - _erf64(value),
                          erfc(value) - (1 - y))     # Newton, on the side that keeps the digits
    value = value + complement * (math.sqrt(math.pi) / 2) * np.exp(value * value)
    return np.copysign(np.where(inside, value, np.where(size == 1, np.inf, np.nan)), x)


# ---------------------------------------------------------------- the gamma family

_EULER = 0.57721566490153286061
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
              -174611 / 330)   # B2, B4...


def _zeta_minus_1(k):
    """zeta(k) - 1 for k >= 2, by Euler and Maclaurin's sum from 16 on."""
    n = 16
    rest = n ** (1 - k) / (k - 1) + n ** -k / 2
    factor = k * n ** (-k - 1)
    for j, b in enumerate(_BERNOULLI[:6]):
        rest += b * factor / math.factorial(2 * j + 2)
        factor *= (k + 2 * j + 1) * (k + 2 * j + 2) / n ** 2
    return math.fsum(i ** -float(k) for i in range(2, n)) + rest


# log-gamma at 2 + z is z times this polynomial
_AT_2 = (1 - _EULER, *((-1) ** k * _zeta_minus_1(k) / k for k in range(2, 34)))
_STIRLING = tuple(b / (2 * j * (2 * j - 1)) for j, b in enumerate(_BERNOULLI[:8], 1))
_STIRLING_DERIVED = tuple(b / (2 * j) for j, b in enumerate(_BERNOULLI[:8], 1))


def _stirling(x):
    inverse = 1 / x
    correction = inverse * horner(inverse * inverse, _STIRLING)
    return (x - 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + correction


def _lgamma_shifted(x):
    product = x.copy()
    for k in range(1, 8):
        product *= x + k
    return _stirling(x + 8) - np.log(product)


def _lgamma_at_2(x):
    z = x - 2
    return z * horner(z, _AT_2)


def _lgamma_at_1(x):
    z = x - 1
    return z * horner(z, _AT_2) - np.log1p(z)


def _lgamma_positive(x):
    return piecewise(
        x, (lambda t: t < 0.5, lambda t: t * horner(t, _AT_2) - np.log1p(t) - np.log(t)),
        (lambda t: t < 1.5, _lgamma_at_1),
        (lambda t: t < 2.5, _lgamma_at_2), (lambda t: t < 10, _lgamma_shifted),
        (lambda t: t < 1e17, _stirling),
        (lambda t: t < np.inf, lambda t: t * (np.log(t) - 1)), (lambda t: t == np.inf, lambda t: t))


def _distance_to_whole(x):
    """x minus the nearest whole number, which is exact."""
    return x - np.rint(x)


def _lgamma_reflected(x):
    sine = np.abs(np.sin(math.pi * _distance_to_whole(x)))
    return math.log(math.pi) - np.log(sine * -x) - _lgamma_positive(-x)


@in_double
def lgamma(x):
    """The logarithm of the absolute value of the gamma function; infinite at 0, -1, -2..."""
    return piecewise(
        x, (lambda t: t > 0, _lgamma_positive),
        (lambda t: (t == 0) | np.isinf(t) | (t == np.floor(t)), lambda t: np.full_like(t, np.inf)),
        (lambda t: t < 0, _lgamma_reflected))


def _digamma_positive(x):
    total, x = np.zeros_like(x), x.copy()
    for _ in range(10):
        small = x < 10
        total -= np.where(small, 1 / x, 0)
        x += small
    inverse = 1 / (x * x)
    return total + np.log(x) - 0.5 / x - inverse * horner(inverse, _STIRLING_DERIVED)


def _digamma_negative(x):
    return _digamma_positive(1 - x) - math.pi / np.tan(math.pi * _distance_to_whole(x))


@in_double
def digamma(x):
    """The derivative of log-gamma; infinite at 0 (with the sign opposite to the zero's) and NaN at -1,
    -2...
    """
    return piecewise(
        x, (lambda t: t == 0, lambda t: np.copysign(np.inf, -t)), (lambda t: t == np.inf, lambda t: t),
        (lambda t: t > 0, _digamma_positive), (lambda t: t == np.floor(t), lambda t: np.full_like(t, np.nan)),
        (lambda t: t < 0, _digamma_negative))


def _zeta_positive(s, x):
    """Hurwitz's zeta for whole s >= 2 and x > 0."""
    total, x = np.zeros_like(x), x.copy()
    for _ in range(10):
        small = x < 10
        total += np.where(small, x ** -float(s), 0)
        x += small
    total += x ** (1.0 - s) / (s - 1) + 0.5 * x ** -float(s)
    factor = s * x ** (-s - 1.0)
    for j, b in enumerate(_BERNOULLI):
        total += b * factor / math.factorial(2 * j + 2)
        factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (x * x)
    return total


def _zeta_negative(s, x):
    """The terms with a negative base, counted from the other side, and those with a positive one."""
    rest = x - np.floor(x)
    mirrored = _zeta_positive(s, np.ceil(x) - x) - _zeta_positive(s, 1 - x)
    return _zeta_positive(s, rest) + (-1) ** s * mirrored


def zeta(s, x):
    """Hurwitz's zeta function, the sum of (x + k) ** -s over k = 0, 1, 2..., for a whole s >= 2; infinite at
    0, -1, -2...
    """
    return piecewise(
        x, (lambda t: t == np.inf, np.zeros_like), (lambda t: t > 0, lambda t: _zeta_positive(s, t)),
        (lambda t: t == -np.inf, lambda t: np.full_like(t, np.nan)),
        (lambda t: t == np.floor(t), lambda t: np.full_like(t, np.inf)),
        (lambda t: t < 0, lambda t: _zeta_negative(s, t)))


def polygamma(n, x):
    """The n-th derivative of digamma."""
    if n == 0:
        return digamma(x)
    if n == 1 and x.dtype == np.float32:
        return _trigamma32(x)
    return _polygamma(x, n)


def _trigamma32(x):
    """Trigamma of float32. Below 1/2 PyTorch reflects in float32, which costs digits near whole numbers; so
    does this.
    """
    x = np.asarray(x)
    low = x < 0.5
    value = _polygamma(np.where(low, 1 - x, x), 1)
    sine = np.sin(np.float32(math.pi) * x)
    return np.where(low, np.float32(math.pi ** 2) / (sine * sine) - value, value)


@in_double
def _polygamma(x, n):
    return (-1) ** (n + 1) * math.factorial(n) * zeta(n + 1, x)


# ---------------------------------------------------------------- modified Bessel functions

def _bessel_series(order, x):
    quarter = x * x / 4
    total = term = (x / 2) ** order / math.factorial(order)
    for k in range(1, 60):
        term = term * quarter / (k * (k + order))
        total = total + term
        if not np.any(term > total * 1e-18):
            break
    return total


def _bessel_large(order, x):
    total = term = np.ones_like(x)
    for k in range(1, 33):
        term = term * ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * x)
        total = total + term
    half = np.exp(x / 2)                # in two steps: exp(x) overflows before the quotient does
    return half / np.sqrt(2 * math.pi * x) * half * total


def _bessel(order, x):
    size = np.abs(x)
    return piecewise(size, (lambda t: t < 20, lambda t: _bessel_series(order, t)),
                     (lambda t: t == np.inf, lambda t: t),
                     (lambda t: t >= 20, lambda t: _bessel_large(order, t)))


@in_double
def i0(x):
    """The modified Bessel function of the first kind, order 0."""
    return _bessel(0, x)


@in_double
def i1(x):
    """The modified Bessel function of the first kind, order 1."""
    return np.copysign(_bessel(1, x), x)
