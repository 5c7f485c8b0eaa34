"""Distributions drawn by rejection: Poisson, binomial, gamma, Dirichlet, bit for bit as PyTorch's CPU draws
them.

How many numbers an element needs depends on the numbers, so these are loops, in the order of the elements. A
`_Tape` reads the generator ahead in large pieces and, when the loop is over, sets it to where the loop ended.
All read uniform doubles; gamma's normals are those of the small path (see `random_normal`) and share its
cached value.

The samplers compute in double, except where PyTorch's templates keep a parameter in the tensor's own dtype:
such a subexpression is rounded to float32 here too. Sources: W. Hoermann, "The transformed rejection method
for generating Poisson random variables" (1993) and "The generation of binomial random variates" (1993); L.
Devroye, "Non-Uniform Random Variate Generation" (1986) for the small cases; G. Marsaglia and W. Tsang, "A
simple method for generating gamma variables" (2000).

Two functions are the C library's in PyTorch and cannot be called from Python: ``lgamma`` (of `math`, exact to
a few units in the last place) and ``log1pf`` (rounded from `math.log1p`). Both only decide comparisons; once
in some 10**8 float32 draws from a binomial of small mean that can change the outcome.
"""

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .random import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    SCALAR_NAMES,
    Array,
    Engine,
    unsupported,
)

__all__ = ["binomial", "dirichlet", "poisson", "standard_gamma"]

_TWO_PI = 2.0 * math.pi
_THIRD = float(np.float32(1) / np.float32(3))
_SQUEEZE = float(np.float32(0.0331))


class _Tape:
    """Uniform doubles and normals for one loop; used as a context manager, under the generator's lock."""

    def __init__(self, engine: Engine, guess: int) -> None:
        self._engine = engine
        self._piece = min(max(guess, 16), 1 << 14)
        self._taken = 0
        self._rest: Iterator[float] = iter(())
        self.uniform: Callable[[], float] = self._read().__next__

    def __enter__(self) -> "_Tape":
        self._engine.lock.acquire()
        self._start = self._engine.snapshot()
        return self

    def __exit__(self, *error: object) -> None:
        self._engine.rewind(self._start, self._taken - operator.length_hint(self._rest))
        self._engine.lock.release()

    def _read(self) -> Iterator[float]:
        while True:
            self._rest = iter(self._engine.doubles(self._piece).tolist())
            self._taken += self._piece
            yield from self._rest

    def normal(self) -> float:
        engine = self._engine
        cached = engine.next_double_normal_sample
        if cached is not None:
            engine.next_double_normal_sample = None
            return cached
        theta = self.uniform() * _TWO_PI
        radius = math.sqrt(-2.0 * math.log1p(-self.uniform()))
        engine.next_double_normal_sample = radius * math.sin(theta)
        return radius * math.cos(theta)


# -- Poisson ------------------------------------------------------------------------------------------------


def poisson(engine: Engine, rates: Array) -> Array:
    """Poisson counts with the given `rates`, in their dtype and shape: ``poisson``.

    Raises NotImplementedError unless `rates` is floating, RuntimeError when a rate is negative or NaN.
    """
    if rates.dtype not in (FLOAT16, BFLOAT16, FLOAT32, FLOAT64):
        raise unsupported("poisson_cpu", rates.dtype)
    if not (rates >= 0).all():
        raise RuntimeError(
            "invalid Poisson rate, expected rate to be non-negative\nSome rate is negative or NaN."
        )
    with _Tape(engine, 4 * rates.size) as tape:
        counts = [_poisson(rate, tape.uniform) for rate in rates.astype(np.float64).reshape(-1).tolist()]
    values = np.array(counts, np.int64)
    if rates.dtype in (FLOAT16, BFLOAT16):
        values = values.astype(np.float32)
    with np.errstate(over="ignore"):
        return values.astype(rates.dtype).reshape(rates.shape)


def _poisson(rate: float, uniform: Callable[[], float]) -> int:
    if rate == 0:
        return 0
    if rate < 10:
        limit = math.exp(-rate)
        count = 0
        product = uniform()
        while product > limit:
            count += 1
            product *= uniform()
        return count
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43) if us else -1
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        left = (math.log(v) if v else -math.inf) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
        if left <= -rate + k * log_rate - math.lgamma(k + 1):
            return k


# -- binomial -----------------------------------------------------------------------------------------------

_STIRLING = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)


def _stirling_tail(k: float) -> float:
    if k < 10:
        return _STIRLING[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


def _identity(x: float) -> float:
    return x


def _to_float32(x: float) -> float:
    return float(np.float32(x))


def binomial(engine: Engine, counts: Array, probabilities: Array) -> Array:
    """Successes among `counts` trials of the given `probabilities` (same floating dtype and shape):
    ``binomial``.

    As in PyTorch, a count or probability that is not positive gives 0, a probability from 1 on gives the
    count, and NaN gives NaN. Raises ValueError for dtypes that are not floating, NotImplementedError for half
    precision.
    """
    from_names = (("count", counts), ("prob", probabilities))
    for name, array in from_names:
        if array.dtype not in (FLOAT16, BFLOAT16, FLOAT32, FLOAT64):
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, "
                f"got: {SCALAR_NAMES[array.dtype][0]}\n"
                "Convert it."
            )
    if counts.dtype not in (FLOAT32, FLOAT64):
        raise unsupported("binomial_cpu", counts.dtype)
    narrow = _to_float32 if counts.dtype == FLOAT32 else _identity
    with _Tape(engine, 2 * counts.size) as tape:
        values = [
            _binomial(n, p, tape.uniform, narrow)
            for n, p in zip(counts.reshape(-1).tolist(), probabilities.reshape(-1).tolist(), strict=True)
        ]
    return np.array(values, counts.dtype).reshape(counts.shape)


def _binomial(n: float, p: float, uniform: Callable[[], float], narrow: Callable[[float], float]) -> float:
    if n <= 0.0 or p <= 0.0:
        return 0.0
    if p >= 1.0:
        return n
    if p <= 0.5:
        return (_btrs if narrow(n * p) >= 10.0 else _inversion)(n, p, uniform, narrow)
    if p > 0.5:
        q = narrow(1.0 - p)
        return n - (_btrs if narrow(n * q) >= 10.0 else _inversion)(n, q, uniform, narrow)
    return math.nan


def _inversion(n: float, p: float, uniform: Callable[[], float], narrow: Callable[[float], float]) -> float:
    if n != n:
        raise RuntimeError(
            "binomial with a count of NaN does not end\nPyTorch hangs here; give a number of trials."
        )
    log_q = narrow(math.log1p(-p))
    total = 0.0
    successes = 0.0
    while True:
        u = uniform()
        total += math.ceil(math.log(u) / log_q) if u else math.inf
        if total > n:
            return successes
        successes += 1


def _btrs(n: float, p: float, uniform: Callable[[], float], narrow: Callable[[float], float]) -> float:
    product = narrow(n * p)
    deviation = narrow(math.sqrt(narrow(product * narrow(1 - p))))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = product + 0.5
    v_r = 0.92 - 4.2 / b
    r = narrow(p / narrow(1 - p))
    alpha = (2.83 + 5.1 / b) * deviation
    n1 = narrow(n + 1)
    m = float(math.floor(narrow(n1 * p)))
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        k = narrow(float(math.floor((2 * a / us + b) * u + c))) if us else -1.0
        if k < 0 or k > n:
            continue
        if us >= 0.07 and v <= v_r:
            return k
        v = math.log(v * alpha / (a / (us * us) + b)) if v else -math.inf
        beyond = narrow(narrow(n - k) + 1)
        bound = (
            (m + 0.5) * math.log((m + 1) / (r * (n - m + 1)))
            + n1 * math.log((n - m + 1) / beyond)
            + (k + 0.5) * math.log(r * beyond / narrow(k + 1))
            + _stirling_tail(m)
            + _stirling_tail(n - m)
            - _stirling_tail(k)
            - _stirling_tail(narrow(n - k))
        )
        if v <= bound:
            return k


# -- gamma and Dirichlet ------------------------------------------------------------------------------------


def standard_gamma(engine: Engine, alphas: Array) -> Array:
    """Gamma variates with the given concentrations `alphas` and rate 1, in their dtype and shape:
    ``_standard_gamma``.

    The least positive normal number of the dtype is the least result. Raises NotImplementedError for dtypes
    other than float32 and float64.
    """
    if alphas.dtype not in (FLOAT32, FLOAT64):
        raise unsupported("gamma_cpu", alphas.dtype)
    single = alphas.dtype == FLOAT32
    values = np.array(_gammas(engine, alphas, single), alphas.dtype)
    least: Array = np.fmax(values, np.finfo(alphas.dtype).tiny)
    return least.reshape(alphas.shape)


def _gammas(engine: Engine, alphas: Array, single: bool) -> list[float]:
    narrow = _to_float32 if single else _identity
    with _Tape(engine, 4 * alphas.size) as tape:
        return [_gamma(alpha, tape, narrow) for alpha in alphas.astype(np.float64).reshape(-1).tolist()]


def _gamma(alpha: float, tape: _Tape, narrow: Callable[[float], float]) -> float:
    uniform, normal = tape.uniform, tape.normal
    scale = 1.0
    if alpha < 1.0:
        if alpha == 0.0:
            return 0.0
        scale = _power(1 - uniform(), narrow(1.0 / alpha))
        alpha = narrow(alpha + 1.0)
    d = narrow(alpha - _THIRD)
    if not d > 0:
        # a negative or NaN concentration, for which PyTorch's loop ends with NaN
        return _gamma_outside(d, tape, scale)
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal()
        y = 1.0 + c * x
        while y <= 0:
            x = normal()
            y = 1.0 + c * x
        v = y * y * y
        u = 1 - uniform()
        xx = x * x
        if u < 1.0 - _SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf


def _gamma_outside(d: float, tape: _Tape, scale: float) -> float:
    while True:
        x = tape.normal()
        u = 1 - tape.uniform()
        if u < 1.0 - _SQUEEZE * (x * x) * (x * x):
            return math.nan


def dirichlet(engine: Engine, alphas: Array) -> Array:
    """Dirichlet samples with concentrations `alphas` along the last dimension: ``_sample_dirichlet``.

    Gamma variates in double, divided by their sum. Raises NotImplementedError for dtypes other than float32
    and float64.
    """
    dtype: np.dtype[Any] = alphas.dtype
    if dtype not in (FLOAT32, FLOAT64):
        raise unsupported("dirichlet", dtype)
    gammas = np.fmax(np.array(_gammas(engine, alphas, False)), np.finfo(np.float64).tiny).reshape(
        alphas.shape
    )
    sums = _row_sums(gammas.reshape(-1, gammas.shape[-1])).reshape(*gammas.shape[:-1], 1)
    shares = (gammas / sums).astype(dtype)
    clipped: Array = np.clip(shares, np.finfo(dtype).tiny, np.nextafter(dtype.type(1), dtype.type(0)))
    return clipped


def _row_sums(rows: Array) -> Array:
    """Sums of float64 rows in the order of PyTorch's reduction: lanes of four, four accumulators, four
    cascade levels."""
    n = rows.shape[1]
    lanes = 4 if n >= 4 else 1
    vectors = n // lanes
    body = rows[:, : vectors * lanes].reshape(len(rows), vectors, lanes)
    quads = vectors // 4
    sums = _cascade(body[:, : quads * 4].reshape(len(rows), quads, 4, lanes))
    for i in range(quads * 4, vectors):
        sums[:, 0] += body[:, i]
    for i in range(1, 4):
        sums[:, 0] += sums[:, i]
    total = np.zeros(len(rows))
    for i in range(vectors * lanes, n):
        total += rows[:, i]
    for lane in range(lanes):
        total += sums[:, 0, lane]
    return total


def _cascade(terms: Array) -> Array:
    """Sums over axis 1; each level collects what 2**power additions of the level below gathered."""
    n = terms.shape[1]
    power = max(4, (max(n - 1, 0)).bit_length() // 4)
    levels: Array = np.zeros((4, len(terms), *terms.shape[2:]))
    for i in range(n):
        levels[0] += terms[:, i]
        done = i + 1
        if done % (1 << power) == 0:
            for level in range(1, 4):
                levels[level] += levels[level - 1]
                levels[level - 1] = 0
                if done >> (level * power) & ((1 << power) - 1):
                    break
    for level in range(1, 4):
        levels[0] += levels[level]
    total: Array = levels[0]
    return total
