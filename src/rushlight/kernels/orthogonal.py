"""Chebyshev's, Hermite's, Laguerre's and Legendre's polynomials of arrays x, of the degrees in an array n.

All follow from the two of degree 0 and 1 by a recurrence of three terms (DLMF 18.9), which here goes up to the largest degree
and stops for each element at its own. Inside their interval Chebyshev's polynomials of high degree are cosines and sines,
which is quicker. As in PyTorch a degree is cut to a whole number, one below 0 gives 0, and the arithmetic is that of x's own
dtype; a product and what is taken from it are rounded once in single precision, as its compiler fuses them.
"""
import numpy as np

__all__ = ["chebyshev", "hermite", "laguerre", "legendre"]


def _climb(x, n, first, second, step):
    """The value of degree ``n`` where ``step(k, p, q)`` gives degree k + 1 from degrees k - 1 and k."""
    p, q = first, second
    out = np.where(n == 0, p, q)
    k = 1
    top = int(n.max(initial=0))
    while k < top:
        going = n > k
        if not np.any(going & ~np.isnan(q)):
            break
        p, q = q, step(k, p, q)
        out = np.where(going, q, out)
        k += 1
    return np.where(n < 0, x.dtype.type(0), out)


def _less(a, b, c):
    """a * b - c, in single precision rounded once."""
    if a.dtype == np.float32:
        return (a.astype(np.float64) * b - c).astype(np.float32)
    return a * b - c


def _degrees(n):
    """Whole numbers, as C's cast makes them: what has no place in 64 bits is below 0."""
    whole = np.trunc(n.astype(np.float64))
    return np.where(np.abs(whole) < 2.0 ** 63, whole, -1).astype(np.int64)


def _both(x, n):
    x, n = np.broadcast_arrays(x, n)
    return np.array(x), _degrees(n)


def _sign(n, x):
    """(-1) ** n."""
    return np.where(n % 2, -1, 1).astype(x.dtype)


# For each kind: whether its size grows with the degree at 1, and at -1; beyond which degree the angle serves, and so if shifted.
_GROWS = {"t": (False, False), "u": (True, True), "v": (False, True), "w": (True, False)}
_ANGLE_FROM = {"t": (6, 6), "u": (8, 6), "v": (8, 6), "w": (8, 4)}


def _by_angle(kind, y, n):
    angle = np.arccos(y)
    if kind == "t":
        return np.cos(n * angle)
    if kind == "u":
        return np.sin((n + 1) * angle) / np.sin(angle)
    half = (n + y.dtype.type(0.5)) * angle
    return np.cos(half) / np.cos(angle / 2) if kind == "v" else np.sin(half) / np.sin(angle / 2)


def chebyshev(kind, x, n, shifted=False):
    """Chebyshev's polynomials of the first to fourth ``kind``: t, u, v, w. Shifted ones are those of 2 x - 1."""
    x, n = _both(x, n)
    y = x + x - 1 if shifted else x
    one = x.dtype.type(1)
    second = {"t": y, "u": y + y, "v": y + y - 1, "w": y + y + 1}[kind]
    large = n.astype(x.dtype)
    angled = (n > _ANGLE_FROM[kind][shifted]) & (np.abs(y) < 1)
    out = np.zeros_like(x)
    rest = ~angled
    if rest.any():
        z = y[rest]
        out[rest] = _climb(z, n[rest], np.ones_like(z), second[rest], lambda k, p, q: _less(z + z, q, p))
    if angled.any():
        out[angled] = _by_angle(kind, y[angled], large[angled])
    at_one, below = _GROWS[kind]
    size = large + 1 if kind == "u" else large + large + 1
    top = x == 1
    bottom = x == 0 if shifted else x == -1
    out = np.where(top, size if at_one else one, out)
    out = np.where(bottom, _sign(n, x) * (size if below else one), out)
    return np.where(n < 0, x.dtype.type(0), out)


_HIGHEST = {np.dtype(np.float32): 128, np.dtype(np.float64): 512}


def hermite(x, n, probabilist=False):
    """Hermite's polynomials, physicists' or probabilists'; NaN from the degree on that PyTorch does not compute."""
    x, n = _both(x, n)
    y = x if probabilist else x + x
    factor = 1 if probabilist else 2
    highest = _HIGHEST[x.dtype]
    made = _climb(y, np.minimum(n, highest), np.ones_like(x), y, lambda k, p, q: _less(y, q, x.dtype.type(factor * k) * p))
    return np.where(n > highest, x.dtype.type(np.nan), made)


def laguerre(x, n):
    """Laguerre's polynomials."""
    x, n = _both(x, n)
    of = x.dtype.type
    made = _climb(x, n, np.ones_like(x), 1 - x, lambda k, p, q: _less(of(k + k) + (1 - x), q, of(k) * p) / of(k + 1))
    return np.where((x == 0) & (n >= 0), of(1), made)


def legendre(x, n):
    """Legendre's polynomials."""
    x, n = _both(x, n)
    of = x.dtype.type
    made = _climb(x, n, np.ones_like(x), x, lambda k, p, q: _less(of(k + k + 1) * x, q, of(k) * p) / of(k + 1))
    return np.where((np.abs(x) == 1) & (n >= 0), np.where(x > 0, of(1), _sign(n, x)), made)
