"""Statistics of an array that never fail, whatever the array holds.

A monitor is needed most when numbers have gone wrong. So every figure is of the *finite* part, and what is not finite is
counted beside it; an empty array has no mean and says None. Norm, mean, standard deviation, extremes and the share of zeros
are of all elements; quantiles and the histogram come from at most ``SAMPLE`` elements, evenly spaced, because sorting a
whole gradient would cost more than computing it. ``exact`` says whether those few were all.

A recording measures each gradient while the training waits. There, of an array over ``LARGE`` elements, only the norm and the
counts of NaN and Inf are of all elements, which is one pass by BLAS; mean, deviation, extremes and zeros are of ``PART`` elements,
and ``estimated`` says so. The distance of the elements that are looked at has no divisor in common with the size, so they
come from every row and column alike.
"""

import functools
import math

import numpy as np

from ..kernels.quiet import hush, unhush

__all__ = ["Statistics", "magnitudes", "norm_of"]

SAMPLE = 512
LARGE = 65_536
PART = 4096
CURVE = 21


def magnitudes(array):
    """An array as real floating point numbers that NumPy computes with: halves widened, complex numbers by their size."""
    array = np.asarray(array)
    kind = array.dtype.kind
    if kind == "f":
        return array if array.dtype.itemsize >= 4 else array.astype(np.float32)
    if kind == "c":
        return np.abs(array)
    return array.astype(np.float64 if kind in "iub" else np.float32)  # kind "V": the halves of ml_dtypes


def spread(flat, count):
    """At most ``count`` elements of a flat array, evenly spaced, at a distance that has no divisor in common with the size."""
    if flat.size <= count:
        return flat
    step = -(-flat.size // count)
    while math.gcd(step, flat.size) > 1:
        step += 1
    return flat[::step]


def norm_of(array):
    """The norm of an array's finite elements."""
    if array.dtype.kind == "f" and array.dtype.itemsize >= 4 and array.flags.c_contiguous:
        flat = array.reshape(-1)
        squares = float(flat.dot(flat))
        if 0.0 < squares < math.inf:
            return math.sqrt(squares)
    return Statistics(array).norm


class Statistics:
    """What is kept of a gradient or a value in place of the whole array.

    ``shape``, ``dtype``, ``size``; ``nan`` and ``inf``: how many elements are; of the finite ones ``norm``, ``mean``,
    ``std`` (of the population), ``min``, ``max`` (None if there are none), ``zeros``: how many are exactly zero. ``quick`` is
    for large arrays while somebody waits: see the head of the file.

    Example::

        >>> import numpy as np
        >>> from rushlight.observe import Statistics
        >>> s = Statistics(np.array([3.0, -4.0, np.nan, 0.0]))
        >>> s.norm, s.nan, s.min, s.share_of_zeros
        (5.0, 1, -4.0, 0.25)
    """

    __slots__ = (
        "shape",
        "_dtype",
        "size",
        "nan",
        "inf",
        "zeros",
        "norm",
        "mean",
        "std",
        "min",
        "max",
        "sample",
        "estimated",
        "_finite",
    )

    def __init__(self, array, quick=False):
        array = np.asarray(array)
        self.estimated = False
        self.shape, self._dtype, self.size = array.shape, array.dtype, array.size
        token = hush()
        try:
            self._measure(magnitudes(array), quick)
        finally:
            unhush(token)

    def _measure(self, a, quick):
        flat = a.ravel() if a.flags.c_contiguous else a.ravel(order="K")
        self.nan = self.inf = self.zeros = 0
        self.norm, self.mean, self.std, self.min, self.max = 0.0, None, None, None, None
        if flat.size == 0:
            self._finite, self.sample = 0, flat
            return
        squares = float(flat.dot(flat))
        if not math.isfinite(squares) or squares == 0.0:
            # Something is not finite, or the squares leave the range of float32: look closely.
            good = np.isfinite(flat)
            if not good.all():
                self.nan = int(np.isnan(flat).sum())
                self.inf = int(flat.size - good.sum()) - self.nan
                flat = flat[good]
            flat = flat.astype(np.float64)
            if flat.size == 0:
                self._finite, self.sample = 0, flat
                return
            top = float(np.abs(flat).max())
            squares = None if top == 0.0 else float(np.square(flat / top).sum())
            self.norm = 0.0 if squares is None else top * math.sqrt(squares)
            squares = self.norm if self.norm == 0.0 else self.norm * self.norm
        else:
            self.norm = math.sqrt(squares)
        n = self._finite = flat.size
        if quick and n > LARGE:
            self.estimated = True
            flat = spread(flat, PART)
            self._figures(flat, float(flat.dot(flat)))
            self.zeros = round(self.zeros * n / flat.size)
        else:
            self._figures(flat, squares)
        self.sample = spread(flat, SAMPLE).copy()

    def _figures(self, flat, squares):
        """Mean, deviation, extremes and zeros of a flat array that is finite, whose squares sum to ``squares``."""
        n = flat.size
        self.min, self.max = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat))
        self.zeros = int(np.count_nonzero(flat == 0)) if self.min <= 0.0 <= self.max else 0
        if not math.isfinite(squares):  # numbers whose squares no float64 can hold
            top = max(abs(self.min), abs(self.max))
            self.mean, self.std = top * float((flat / top).mean()), top * float((flat / top).std())
            return
        self.mean = _total(flat) / n
        variance = squares / n - self.mean * self.mean
        if not variance > 0.01 * self.mean * self.mean:  # digits were lost: the long way
            variance = float(np.square(flat.astype(np.float64) - self.mean).mean())
        self.std = math.sqrt(variance)

    @property
    def dtype(self):
        """The name of the array's dtype."""
        return self._dtype.name

    @property
    def finite(self):
        """Whether every element is."""
        return not (self.nan or self.inf)

    @property
    def exact(self):
        """Whether quantiles and histogram are of all finite elements, not of a sample."""
        return len(self.sample) == self._finite

    @property
    def share_of_zeros(self):
        """Zeros among all elements, from 0 to 1; 0 for an empty array."""
        return self.zeros / self.size if self.size else 0.0

    @property
    def rms(self):
        """The root of the mean square of the finite elements: a norm that does not grow with the size."""
        return self.norm / math.sqrt(self._finite) if self._finite else 0.0

    def quantiles(self, at=(0.05, 0.25, 0.5, 0.75, 0.95)):
        """The quantiles at the given shares, a dict; empty if nothing is finite."""
        if not len(self.sample):
            return {}
        return dict(zip(at, map(float, np.quantile(self.sample, at))))

    def curve(self):
        """21 quantiles, at 0%, 5%, ..., 100%, as a float32 array: the distribution in a form to be stored and drawn. The ends are
        ``min`` and ``max``; what lies between comes from the sample, as ``numpy.quantile`` gives it. None if nothing is finite.

        Example::

            >>> import numpy as np
            >>> from rushlight.observe import Statistics
            >>> Statistics(np.arange(101.0)).curve()[[0, 1, 10, 20]].tolist()
            [0.0, 5.0, 50.0, 100.0]
        """
        if not len(self.sample):
            return None
        low, high, share, rest = _between(len(self.sample))
        ordered = np.sort(self.sample)
        found = ordered[low] * rest + ordered[high] * share
        found[0], found[-1] = self.min, self.max
        if ordered.dtype.itemsize > 4:
            found = found.clip(-_HUGE, _HUGE)
        return found.astype(np.float32)

    def histogram(self, bins=20):
        """(counts, edges) as ``numpy.histogram`` gives them; counts are scaled up from the sample to all finite elements."""
        if not len(self.sample):
            return np.zeros(bins), np.linspace(0.0, 1.0, bins + 1)
        low, high = self.min, self.max
        if low == high or not math.isfinite(high - low):
            width = max(abs(low), 1.0) if low == high else 0.0
            low, high = (low - 0.5 * width, high + 0.5 * width) if width else (low / 2, high / 2)
        counts, edges = np.histogram(self.sample, bins, (low, high))
        return counts * (self._finite / len(self.sample)), edges

    def as_dict(self):
        """The figures by name, for tables and files."""
        return {n: getattr(self, n) for n in ("size", "norm", "mean", "std", "min", "max", "zeros", "nan", "inf")}

    def __repr__(self):
        figures = ", ".join(f"{n}={_short(v)}" for n, v in self.as_dict().items() if n not in ("nan", "inf") or v)
        return f"Statistics({self.dtype}{list(self.shape)}: {figures})"


_HUGE = float(np.finfo(np.float32).max)


@functools.lru_cache(4 * SAMPLE)
def _between(n):
    """Where the quantiles of ``curve`` lie in n ordered elements: the places below and above, the share of each."""
    place = np.linspace(0.0, n - 1.0, CURVE)
    low = place.astype(np.intp)
    share = place - low
    return low, np.minimum(low + 1, n - 1), share, 1.0 - share


_ROW = 512
_ONES = {t: np.ones(_ROW, t) for t in (np.dtype(np.float32), np.dtype(np.float64))}


def _total(flat):
    """The sum of a flat array: of a long one by a matrix product, which is three times as fast as NumPy's reduction."""
    ones = _ONES.get(flat.dtype)
    if flat.size < 8 * _ROW or ones is None or not flat.flags.c_contiguous:
        return float(np.add.reduce(flat))
    whole = flat.size // _ROW * _ROW
    return float(np.add.reduce(flat[:whole].reshape(-1, _ROW).dot(ones))) + float(np.add.reduce(flat[whole:]))


def _short(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)
