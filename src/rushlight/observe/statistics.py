"""Statistics of an array that never fail, whatever the array holds.

A monitor is needed most when numbers have gone wrong. So every figure is of the *finite* part, and what is not finite is
counted beside it; an empty array has no mean and says None. Norm, mean, standard deviation, extremes and the share of zeros
are of all elements; quantiles and the histogram come from at most ``SAMPLE`` elements, evenly spaced, because sorting a
whole gradient would cost more than computing it. ``exact`` says whether those few were all.

A recording measures each gradient while the training waits, some hundred in a step of a few milliseconds. So little is done then
(``quick``): one product for the norm, which also tells whether all is finite, and the copy of a sample. What can be had from
the sample is computed when somebody asks. Of an array of at most ``SAMPLE`` elements that is everything; up to ``LARGE`` elements the
figures are taken from the array at once. Above, only the norm and the counts of NaN and Inf are of all elements; mean,
deviation, extremes and zeros are of the sample, and ``estimated`` says so. The distance of the elements that are looked at has no
divisor in common with the size, so they come from every row and column alike.
"""

import functools
import math

import numpy as np

from ..kernels.quiet import hush, nameless, unhush

__all__ = ["Statistics", "magnitudes", "norm_of", "surely_finite"]

SAMPLE = 512
LARGE = 4096
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


@functools.lru_cache(1024)
def _step(size, count):
    """A distance at which at most ``count`` of ``size`` elements lie, without a divisor in common with the size."""
    step = -(-size // count)
    while math.gcd(step, size) > 1:
        step += 1
    return step


@functools.lru_cache(256)
def _places(shape, step):
    """The places of every ``step``-th element, in the order of rows, for an array that does not lie in that order."""
    return np.unravel_index(np.arange(0, math.prod(shape), step), shape)


def spread(array, count):
    """At most ``count`` elements of an array as an array of its own, evenly spaced in the order of rows, however it lies in memory."""
    if array.size <= count:
        return array.reshape(-1).copy()
    step = _step(array.size, count)
    if array.flags.c_contiguous:
        return array.reshape(-1)[::step].copy()
    return array[_places(array.shape, step)]


@nameless
def _squares(flat):
    """The sum of the squares of a flat array; NumPy's warnings are not heard."""
    return float(flat.dot(flat))


def surely_finite(array):
    """Whether every element is finite, as one product tells. False also means that the squares are too large to say."""
    if array.dtype not in _ONES:
        return False
    flat = array.reshape(-1) if array.flags.c_contiguous else array.ravel("K")
    return _squares(flat) < math.inf


def norm_of(array):
    """The norm of an array's finite elements."""
    if array.dtype.kind == "f" and array.dtype.itemsize >= 4 and array.flags.c_contiguous:
        flat = array.reshape(-1)
        squares = _squares(flat)
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

    __slots__ = ("shape", "_dtype", "size", "nan", "inf", "norm", "sample", "estimated", "_finite", "_figures")

    def __init__(self, array, quick=False):
        if array.__class__ is not np.ndarray:
            array = np.asarray(array)
        self.shape, self._dtype, self.size = array.shape, array.dtype, array.size
        self.nan = self.inf = 0
        self.estimated, self._figures = False, None
        if array.dtype in _ONES:
            self._measure(array, quick)
            return
        token = hush()
        try:
            self._measure(magnitudes(array), quick)
        finally:
            unhush(token)

    def _measure(self, array, quick):
        flat = array.reshape(-1) if array.flags.c_contiguous else array.ravel("K")
        squares = _squares(flat)
        if 0.0 < squares < math.inf:
            self.norm = math.sqrt(squares)
            self._finite = flat.size
            self._choose(array, flat, squares, quick)
            return
        token = hush()
        try:
            self._look_closely(flat, quick)
        finally:
            unhush(token)

    def _look_closely(self, flat, quick):
        """For what is empty, not finite, zero throughout, or has squares that leave the range of its type."""
        good = np.isfinite(flat)
        if not good.all():
            self.nan = int(np.isnan(flat).sum())
            self.inf = int(flat.size - good.sum()) - self.nan
            flat = flat[good]
        flat = flat.astype(np.float64)
        self._finite, self.norm = flat.size, 0.0
        if flat.size == 0:
            self.sample, self._figures = flat, (None, None, None, None, 0)
            return
        top = float(np.abs(flat).max())
        if top > 0.0:
            self.norm = top * math.sqrt(float(np.square(flat / top).sum()))
        self._choose(flat, flat, self.norm * self.norm, quick)

    def _choose(self, array, flat, squares, quick):
        """Take the sample, and those figures that cannot be had from it later. ``flat``: the elements in any order."""
        n = flat.size
        if n <= SAMPLE:
            self.sample = flat.copy()
            return
        if quick and n > LARGE:
            self.estimated = True
        else:
            self._figures = _figures(flat, squares)
        self.sample = spread(array, SAMPLE)

    def _settled(self):
        """(mean, std, min, max, zeros): of the array if they were taken from it, else of the sample."""
        if self._figures is None:
            token = hush()
            try:
                flat = self.sample.astype(np.float64)
                mean, std, low, high, zeros = _figures(flat, float(flat.dot(flat)))
            finally:
                unhush(token)
            self._figures = mean, std, low, high, round(zeros * self._finite / flat.size) if self.estimated else zeros
        return self._figures

    def shrink(self):
        """Keep 21 quantiles in place of the sample, where memory is short. The figures stay as they were."""
        if len(self.sample) > CURVE:
            self._settled()
            self.sample = self.curve()

    @property
    def mean(self):
        """The mean of the finite elements, or None."""
        return self._settled()[0]

    @property
    def std(self):
        """The standard deviation of the finite elements, or None."""
        return self._settled()[1]

    @property
    def min(self):
        """The smallest finite element, or None."""
        return self._settled()[2]

    @property
    def max(self):
        """The largest finite element, or None."""
        return self._settled()[3]

    @property
    def zeros(self):
        """How many elements are exactly zero."""
        return self._settled()[4]

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


def _figures(flat, squares):
    """(mean, std, min, max, zeros) of a flat array that is finite, whose squares sum to about ``squares``.

    The deviation is computed in float64 where the mean has the greater part of the squares: digits by which two runs are compared
    would be lost in the difference.
    """
    n = flat.size
    low, high = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat))
    zeros = int(np.count_nonzero(flat == 0)) if low <= 0.0 <= high else 0
    if not math.isfinite(squares):  # numbers whose squares no float64 can hold
        top = max(abs(low), abs(high))
        return top * float((flat / top).mean()), top * float((flat / top).std()), low, high, zeros
    mean = _total(flat) / n
    variance = squares / n - mean * mean
    if not variance > mean * mean:
        variance = float(np.square(flat.astype(np.float64) - mean).mean())
    return mean, math.sqrt(variance), low, high, zeros


def _total(flat):
    """The sum of a flat array: of a short one in float64, of a long one by a matrix product, three times as fast as a reduction."""
    ones = _ONES.get(flat.dtype)
    if flat.size < 8 * _ROW or ones is None or not flat.flags.c_contiguous:
        return float(np.add.reduce(flat, dtype=np.float64))
    whole = flat.size // _ROW * _ROW
    return float(np.add.reduce(flat[:whole].reshape(-1, _ROW).dot(ones), dtype=np.float64)) + float(np.add.reduce(flat[whole:]))


def _short(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)
