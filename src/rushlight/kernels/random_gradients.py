"""How a gamma or Dirichlet variate moves with its concentration: the derivatives behind ``rsample``.

The samplers reject, so there is no formula from uniform numbers to a variate that could be differentiated. Implicit differentiation
needs none: a variate x keeps its quantile while the concentration a changes, so dx/da = -(dF(x; a)/da) / p(x; a), with F the cumulative
distribution and p the density. F has no closed form; PyTorch approximates the quotient region by region, to about a part in a thousand,
and these are its regions and its published constants, so that gradients agree beyond that error:

* by the Taylor series of F where x is small;
* by Rice's saddle point expansion where the concentrations are large, and near its removable singularity by a polynomial;
* by rational functions of logarithms, fitted to the exact values, in between.

A component of a Dirichlet variate is a beta variate of its concentration and the sum of the others; see M. Jankowiak and F. Obermeyer,
"Pathwise Derivatives Beyond the Reparameterization Trick" (2018). All of it is computed in double.
"""
import numpy as np

from .special import digamma

__all__ = ["dirichlet_grad", "standard_gamma_grad"]

# Rows: powers of u = log(x / a). Columns: powers of v = log(a), first of the numerator, then of the denominator.
_GAMMA = np.array([
    [0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084],
    [0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
    [0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07],
])

# Numerator and denominator; powers of u = log(x), of a = log(alpha) - u, of b = log(total) - a.
_BETA = np.array([
    [[[1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
      [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
      [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013]],
     [[0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
      [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
      [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05]],
     [[-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
      [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
      [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05]]],
    [[[1, -0.02924021934, -0.04438342661, 0.007285809825],
      [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
      [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149]],
     [[0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
      [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
      [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05]],
     [[0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
      [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
      [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06]]],
])


def _by_region(arrays, regions):
    """Each function of ``regions`` where its mask is the first that holds; NaN where none does."""
    arrays = [a.reshape(-1) for a in np.broadcast_arrays(*arrays)]
    out = np.full(arrays[0].shape, np.nan)
    left = np.ones(arrays[0].shape, bool)
    with np.errstate(all="ignore"):
        for mask, function in regions(*arrays):
            here = np.flatnonzero(left & mask)
            if here.size:
                out[here] = function(*(a[here] for a in arrays))
                left[here] = False
    return out


def standard_gamma_grad(concentration, x):
    """dx/da for variates ``x`` of the gamma distributions with rate 1 and the given concentrations, in their dtype.

    >>> import numpy as np
    >>> from rushlight.kernels.random_gradients import standard_gamma_grad
    >>> standard_gamma_grad(np.array([2.0]), np.array([0.5])).round(4)
    array([0.498])
    """
    out = _by_region((concentration.astype(np.float64), x.astype(np.float64)), lambda a, x: (
        (x < 0.8, _gamma_series),
        ((a > 8) & (0.9 * a <= x) & (x <= 1.1 * a), _gamma_centre),
        (a > 8, _gamma_saddle),
        (np.ones(x.shape, bool), _gamma_fitted)))
    return out.reshape(x.shape).astype(x.dtype)


def _gamma_series(a, x):
    term, first, second = np.ones_like(x), 1 / a, 1 / (a * a)
    for i in range(1, 6):
        term = term * -x / i
        first += term / (a + i)
        second += term / ((a + i) * (a + i))
    # F = x**a * first without its constant, p = x**(a - 1) * exp(-x): x**a cancels to x.
    found = -((np.log(x) - digamma(a)) * first - second) * x * np.exp(x)
    return np.where(np.isnan(found), 0.0, found)


def _gamma_centre(a, x):
    numerator = 1440 * a * a + 6 * x * (53 - 120 * x) - 65 * x * x / a + a * (107 + 3600 * x)
    return (1 + 24 * a * (1 + 12 * a)) * numerator / (1244160 * a ** 4)


def _gamma_saddle(a, x):
    root, ratio, gap = np.sqrt(8 * a), np.log(x / a), a - x
    inner = root / gap - np.sign(gap) * (-gap - a * ratio) ** -1.5
    slope = ratio * inner - np.sqrt(2 / a) * (a + x) / (gap * gap)
    return -(1 + 1 / (12 * a) * (1 + 1 / (24 * a))) * x * slope / root


def _gamma_fitted(a, x):
    u, v = np.log(x / a), np.log(a)
    row = [c0 + u * (c1 + u * c2) for c0, c1, c2 in _GAMMA.T]
    cubic = [c[0] + v * (c[1] + v * (c[2] + v * c[3])) for c in (row[:4], row[4:])]
    return np.exp(cubic[0] / cubic[1])


def dirichlet_grad(x, concentration, total):
    """dx/da for components ``x`` of Dirichlet variates with the given concentrations, whose sums are ``total``, where only the
    own concentration moves and the others share what is left.
    """
    def regions(x, a, total):
        edge, b = total * x * (1 - x), total - a
        return ((x <= 0.5) & (edge < 2.5), _beta_own), ((x >= 0.5) & (edge < 0.75), _beta_other), \
            ((a > 6) & (b > 6), _beta_saddle), (np.ones(x.shape, bool), _beta_fitted)
    out = _by_region([a.astype(np.float64) for a in (x, concentration, total)], regions)
    return out.reshape(x.shape).astype(x.dtype)


def _beta_own(x, a, total):
    b = total - a
    factor = digamma(a) - digamma(total) - np.log(x)
    term, series = np.ones_like(x), (factor + 1 / a) / a
    for i in range(1, 11):
        term = term * (i - b) * x / i
        series += term / (a + i) * (factor + 1 / (a + i))
    found = x * (1 - x) ** -b * series
    return np.where(np.isnan(found), 0.0, found)


def _beta_other(x, a, total):
    """Near 1: the mirrored variate y = 1 - x, whose second concentration is the one that moves."""
    y, first = 1 - x, total - a
    factor = digamma(total) - digamma(a)
    term, rising, slope, series = np.ones_like(x), np.ones_like(x), np.zeros_like(x), factor / first
    for i in range(1, 9):
        term = term * -y / i
        slope = slope * (a - i) + rising
        rising = rising * (a - i)
        series += term / (first + i) * (slope + factor * rising)
    found = (1 - y) ** (1 - a) * series
    return np.where(np.isnan(found), 0.0, found)


def _beta_saddle(x, a, total):
    b, mean = total - a, a / total
    spread = np.sqrt(a * b / (total + 1)) / total
    near = np.abs(x - mean) <= 0.1 * spread
    inner = a * ((453 + 1620 * b * (1 - x) - 455 * x) * b + a * 8 * (1 - x) * (135 * b - 11))
    poly = 47 * x * b ** 4 + a * ((43 + 20 * (16 + 27 * b) * x) * b ** 3 + a * (3 * (59 + 180 * b - 90 * x) * b * b + inner))
    centre = (1 + 12 * a) * (1 + 12 * b) / (total * total) / (1 - x) * poly / (12960 * a ** 3 * b * b * (1 + 12 * total))
    stirling = _stirling(a) * _stirling(b) / _stirling(total)
    gap = a * (x - 1) + b * x
    first = (2 * a * a * (x - 1) + a * b * (x - 1) - x * b * b) / (np.sqrt(2 * a / b) * total ** 1.5 * gap * gap)
    depth = (b * np.log(b / (total * (1 - x))) + a * np.log(a / (total * x))) ** -1.5
    rest = 0.5 * np.log(a / (total * x)) * (np.sqrt(8 * a * b / total) / gap + np.where(x < mean, depth, -depth))
    return np.where(near, centre, stirling * -x / np.sqrt(2 * a * b / total) * (first + rest))


def _stirling(z):
    return 1 + 1 / (12 * z) + 1 / (288 * z * z)


def _beta_fitted(x, alpha, total):
    u = np.log(x)
    a = np.log(alpha) - u
    b = np.log(total) - a
    p, q = (sum(u ** i * a ** j * (c[i, j, 0] + b * (c[i, j, 1] + b * (c[i, j, 2] + b * c[i, j, 3])))
                for i in range(3) for j in range(3)) for c in _BETA)
    return p / q * x * (digamma(total) - digamma(alpha)) / (total - alpha)
