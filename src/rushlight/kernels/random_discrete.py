"""Random integers, flips, permutations and choices, bit for bit as PyTorch's CPU draws them.

Which words each reads stands in `random`. What follows are the rules for the ranges of ``random_``:

* ``random_(low, high)`` is ``low + word % (high - low)``, the word being one of 32 bits for a range below
  2**28 and of 64 bits from there on. For a floating dtype the bounds first move inwards to numbers the dtype
  holds.
* ``random_(low, None)`` ends at the largest integer of the dtype, for floating dtypes at ``2**digits`` (2**24
  for float32), inclusive.
* ``random_()`` is ``word % (largest + 1)`` for integers and ``word % (2**digits + 1)`` for floating dtypes:
  never negative.
* ``random_(-2**63, None)`` is the whole 64-bit range.

``dropout`` is ``bernoulli_(1 - p)`` on a tensor like its input, divided by ``1 - p``: `dropout_noise` is that
tensor, to be multiplied by the input (so that a NaN is not dropped). ``feature_dropout`` draws one number for
each sample and channel, `feature_shape`. The alpha variants use the same flips: `alpha_dropout_noise`.
"""

import math
from array import array
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .random import (
    BFLOAT16,
    COMPLEX64,
    COMPLEX128,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FLOAT_LIMITS,
    FLOATING,
    SCALAR_NAMES,
    Array,
    Engine,
    Shape,
    cast,
    count,
    drawn_like,
    exponential,
    libm,
    unsupported,
    warn,
)
from .random_order import largest

__all__ = [
    "alpha_dropout_noise",
    "bernoulli",
    "bernoulli_tensor",
    "dropout_noise",
    "feature_shape",
    "geometric",
    "multinomial",
    "random",
    "random_from_to",
    "randperm",
]

BOOL, INT64, UINT64 = np.dtype(np.bool_), np.dtype(np.int64), np.dtype(np.uint64)
DIGITS = {FLOAT16: 11, BFLOAT16: 8, FLOAT32: 24, FLOAT64: 53}
BAREBONES = frozenset(map(np.dtype, (np.uint16, np.uint32, np.uint64)))
COMPLEX = frozenset([COMPLEX64, COMPLEX128])
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
RANDPERM_WIDE = ((1 << 32) - 1) // 20  # from this size on, permutations read 64 bits an element
_TWO53 = 2.0**53


def _integers_to(values: Array, dtype: np.dtype[Any]) -> Array:
    """uint64 or int64 to any real dtype as C++ casts them: integers wrap, half precision is reached through
    float32."""
    if dtype == FLOAT16 or dtype == BFLOAT16:
        values = values.astype(np.float32)
        with np.errstate(over="ignore"):
            return values.astype(dtype)
    return values.astype(dtype)


# -- random_ and randint ------------------------------------------------------------------------------------


def random(engine: Engine, shape: Shape, dtype: DTypeLike) -> Array:
    """``random_()``: uniform integers from 0 to the largest of the dtype (2**digits for floating dtypes),
    inclusive.

    Raises NotImplementedError for complex dtypes and uint16, uint32, uint64.
    """
    dtype = np.dtype(dtype)
    n = count(shape)
    if n == 0:
        return np.empty(shape, dtype)
    if dtype in BAREBONES or dtype in COMPLEX:
        raise unsupported("random_kernel_cpu", dtype)
    if dtype == BOOL:
        modulus = 2
    elif dtype in FLOATING:
        modulus = (1 << DIGITS[dtype]) + 1
    else:
        modulus = int(np.iinfo(dtype).max) + 1
    values = engine.random64(n) if dtype in (INT64, FLOAT64) else engine.random32(n).astype(np.uint64)
    values %= np.uint64(modulus)
    return _integers_to(values, dtype).reshape(shape)


def random_from_to(engine: Engine, shape: Shape, dtype: DTypeLike, low: int, high: int | None) -> Array:
    """``random_(low, high)`` and ``randint``: uniform integers in [low, high), or from `low` to the dtype's
    largest when `high` is None.

    Raises RuntimeError when the range is empty or does not fit the dtype. Warns as PyTorch when a floating
    dtype cannot hold every integer of the range.
    """
    dtype = np.dtype(dtype)
    n = count(shape)
    if high is None and low == INT64_MIN:
        if n == 0:
            return np.empty(shape, dtype)
        if dtype in BAREBONES or dtype in COMPLEX or dtype == BOOL or dtype == FLOAT16:
            raise unsupported("random_full_64_bits_range_kernel_cpu", dtype)
        if dtype not in (INT64, FLOAT64, FLOAT32, BFLOAT16):
            raise RuntimeError(
                "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16\n"
                f"Not {SCALAR_NAMES[dtype][1]}: give it a range that fits."
            )
        return _integers_to(engine.random64(n).view(np.int64), dtype).reshape(shape)
    low, last = _bounds(dtype, low, high)
    if n == 0:
        return np.empty(shape, dtype)
    span = last - low + 1
    if span >= 1 << 28:
        values = engine.random64(n)
    else:
        with engine.lock:
            values = engine.words(n)
    if span < 1 << 64:
        values %= np.uint64(span)
    values += np.uint64(low % (1 << 64))
    return _integers_to(values.view(np.int64), dtype).reshape(shape)


def _bounds(dtype: np.dtype[Any], low: int, high: int | None) -> tuple[int, int]:
    """The first and the last integer that are drawn, after PyTorch's adjustments and checks."""
    if high is not None and low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}\n"
            "The upper bound is exclusive."
        )
    if dtype in FLOATING:
        low = _raised(low, dtype)
        if high is not None:
            high = _lowered(high, dtype)
            if low >= high:
                raise RuntimeError(
                    "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                    f"from={low} >= to={high}\n{SCALAR_NAMES[dtype][1]} holds no integer between them."
                )
            last = high - 1
        else:
            last = 1 << DIGITS[dtype]
            if low >= last:
                raise RuntimeError(
                    "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
                    f"dtype, but got from={low} > to_inc={last}\nGive an upper bound."
                )
    elif dtype in COMPLEX:
        name = "check_random_bounds" if high is not None else "random_from_to_impl"
        raise RuntimeError(
            f"{name} handles only integral, floating-point and boolean types\nNot {SCALAR_NAMES[dtype][1]}."
        )
    elif high is not None:
        last = high - 1
    elif dtype == UINT64:
        last = -1  # its largest, seen as an int64: PyTorch then finds it out of bounds
    else:
        last = 1 if dtype == BOOL else int(np.iinfo(dtype).max)
    _check_range(dtype, low, last)
    return low, last


def _check_range(dtype: np.dtype[Any], low: int, last: int) -> None:
    cpp = SCALAR_NAMES[dtype][1]
    least: float
    most: float
    if dtype in FLOATING:
        most = FLOAT_LIMITS[dtype]
        least = -most
    elif dtype == BOOL:
        least, most = 0, 1
    else:
        least, most = int(np.iinfo(dtype).min), min(int(np.iinfo(dtype).max), INT64_MAX)
    for name, value in (("from", low), ("to - 1", last)):
        if not least <= value <= most:
            raise RuntimeError(
                f"{name} is out of bounds for {cpp}\n{cpp} reaches from {least} to {most}, but got {value}."
            )
    if dtype in FLOATING:
        digits = DIGITS[dtype]
        for name, value in (("from", low), ("to - 1", last)):
            if abs(value) > 1 << digits:
                warn(
                    f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                    f"{cpp} can support discrete uniform distribution only within this range. "
                    "This warning will become an error in version 1.7 release, please fix the code in advance"
                )


def _through(value: int, dtype: np.dtype[Any]) -> int:
    """An int64 cast to a floating dtype and back; what does not fit becomes the smallest int64, as on x86."""
    there = float(_integers_to(np.array([value], np.int64), dtype)[0])
    return int(there) if -(2.0**63) <= there < 2.0**63 else INT64_MIN


def _raised(low: int, dtype: np.dtype[Any]) -> int:
    if low == INT64_MAX:
        return low
    back = _through(low + 1, dtype)
    if back < low:
        return back + (1 << max(abs(low + 1).bit_length() - DIGITS[dtype], 0))
    return low


def _lowered(high: int, dtype: np.dtype[Any]) -> int:
    back = _through(high - 1, dtype)
    if back >= high:
        return back - (1 << max(abs(high - 1).bit_length() - DIGITS[dtype], 0))
    return high


# -- flips --------------------------------------------------------------------------------------------------


def _flips(engine: Engine, n: int, p: float) -> Array:
    # u < p for u = k / 2**53 is k < p * 2**53, and that product is exact
    with engine.lock:
        return engine.integers53(n) < np.uint64(math.ceil(p * _TWO53))


def bernoulli(engine: Engine, shape: Shape, dtype: DTypeLike, p: float = 0.5) -> Array:
    """Ones with probability `p`, zeros otherwise: ``bernoulli_(p)`` and ``torch.bernoulli(input, p)``.

    Raises RuntimeError unless ``0 <= p <= 1``, NotImplementedError for complex dtypes and uint16, uint32,
    uint64.
    """
    dtype = np.dtype(dtype)
    if not 0 <= p <= 1:
        raise RuntimeError(
            f"bernoulli_ expects p to be in [0, 1], but got p={p:g}\nA probability lies between 0 and 1."
        )
    n = count(shape)
    if n and (dtype in BAREBONES or dtype in COMPLEX):
        raise unsupported("bernoulli_scalar_cpu_", dtype)
    if n <= 1 << 15:
        return _flips(engine, n, p).astype(dtype).reshape(shape)
    out = np.empty(n, dtype)
    with engine.lock:
        for start in range(0, n, 1 << 15):
            part = out[start : start + (1 << 15)]
            part[:] = _flips(engine, part.size, p)
    return out.reshape(shape)


def bernoulli_tensor(engine: Engine, p: Array, dtype: DTypeLike) -> Array:
    """Ones with the probabilities `p`, in the shape of `p`: ``torch.bernoulli(p)`` and ``bernoulli_`` with a
    tensor (broadcast `p` to the target's shape, and give it in the target's `memory_order`).

    Raises NotImplementedError unless `p` is floating, RuntimeError when a probability lies outside [0, 1].
    """
    dtype = np.dtype(dtype)
    if p.size == 0:
        return np.empty(p.shape, dtype)
    if dtype in BAREBONES or dtype in COMPLEX:
        raise unsupported("bernoulli_tensor_cpu_self_", dtype)
    if p.dtype not in FLOATING:
        raise unsupported("bernoulli_tensor_cpu_p_", p.dtype)
    if not ((p >= 0) & (p <= 1)).all():
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)\n"
            "Some probability lies outside [0, 1] or is NaN."
        )
    with engine.lock:
        values = engine.doubles(p.size) if p.dtype == FLOAT64 else engine.floats(p.size)
    flips: Array = values.reshape(p.shape) < p.astype(values.dtype, copy=False)
    return flips.astype(dtype)


def geometric(engine: Engine, shape: Shape, dtype: DTypeLike, p: float) -> Array:
    """Number of trials up to the first success: ``geometric_``. ceil(log(u) / log1p(-p)) of a uniform double
    u.

    Raises RuntimeError unless ``0 < p < 1``, NotImplementedError for bool, complex dtypes and uint16, uint32,
    uint64.
    """
    dtype = np.dtype(dtype)
    if not 0 < p < 1:
        raise RuntimeError(
            f"geometric_ expects p to be in (0, 1), but got p={p:g}\nA probability lies between 0 and 1."
        )
    n = count(shape)
    if n == 0:
        return np.empty(shape, dtype)
    if dtype in BAREBONES or dtype in COMPLEX or dtype == BOOL:
        raise unsupported("geometric_cpu", dtype)
    with engine.lock:
        values = engine.doubles(n)
    values = libm(_log, values)
    values /= math.log1p(-p)
    np.ceil(values, values)
    if dtype in FLOATING:
        return cast(values, dtype).reshape(shape)
    with np.errstate(invalid="ignore"):
        # narrow integers are the low bits of a 32-bit conversion
        return values.astype(dtype if dtype == INT64 else np.int32).astype(dtype, copy=False).reshape(shape)


def _log(x: float) -> float:
    return math.log(x) if x else -math.inf


# -- dropout ------------------------------------------------------------------------------------------------


def _check_dropout(p: float) -> None:
    if not 0 <= p <= 1:
        raise RuntimeError(
            f"dropout probability has to be between 0 and 1, but got {p:g}\n"
            "It is the probability of an element to be zeroed."
        )


def feature_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that the feature dropouts draw for an input of `shape`: one number a sample and channel.

    Raises RuntimeError for fewer than 2 dimensions.
    """
    if len(shape) < 2:
        raise RuntimeError(
            f"Feature dropout requires at least 2 dimensions in the input\nBut this one has shape {shape}."
        )
    return shape[:2] + (1,) * (len(shape) - 2)


def _scalar_steps(dtype: np.dtype[Any], start: float, *steps: tuple[str, float]) -> Any:
    """A number of `dtype` through pointwise operations with Python numbers, rounded to `dtype` after each.

    Half precision computes in float32, where factors and divisors keep float32's digits but addends do not.
    """
    wide: type = np.float64 if dtype == FLOAT64 else np.float32
    value: Any = wide(start)
    for operation, operand in steps:
        other = wide(np.asarray(wide(operand)).astype(dtype)) if operation == "+" else wide(operand)
        value = value / other if operation == "/" else value * other if operation == "*" else value + other
        value = wide(np.asarray(value).astype(dtype))
    return np.asarray(value).astype(dtype)[()]


def dropout_noise(engine: Engine, shape: Shape, dtype: DTypeLike, p: float) -> Array:
    """What ``dropout`` multiplies its input by in training: 0 with probability `p`, otherwise 1 / (1 - p).

    Nothing is drawn for ``p == 0`` (all ones) and ``p == 1`` (all zeros). Raises RuntimeError unless ``0 <= p
    <= 1``.
    """
    _check_dropout(p)
    dtype = np.dtype(dtype)
    if p == 0 or p == 1:
        return np.full(shape, 1 - p, dtype)
    _check_floating(dtype)
    noise = bernoulli(engine, shape, dtype, 1 - p)
    noise *= _scalar_steps(dtype, 1.0, ("/", 1 - p))
    return noise


def _check_floating(dtype: np.dtype[Any]) -> None:
    if dtype in COMPLEX:
        raise unsupported("bernoulli_scalar_cpu_", dtype)
    if dtype not in FLOATING:
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {SCALAR_NAMES[dtype][0]}\n"
            "Convert the input to a floating dtype."
        )


def alpha_dropout_noise(engine: Engine, shape: Shape, dtype: DTypeLike, p: float) -> tuple[Array, Array]:
    """The factor and the addend of ``alpha_dropout`` in training: the result is ``input * factor + addend``.

    Kept elements get factor a and addend alpha * a * p, dropped ones 0 and -alpha * a * (1 - p), with alpha =
    1.758... of the SELU fixed point and a = ((alpha**2 p + 1)(1 - p))**-1/2. Requires ``0 < p < 1``; raises
    RuntimeError unless ``0 <= p <= 1``.
    """
    _check_dropout(p)
    dtype = np.dtype(dtype)
    if p in (0, 1):
        return np.full(shape, 1 - p, dtype), np.zeros(shape, dtype)
    alpha = 1.7580993408473766
    a = 1.0 / math.sqrt((alpha * alpha * p + 1) * (1 - p))
    _check_floating(dtype)
    kept = bernoulli(engine, shape, np.bool_, 1 - p)
    addends = [
        _scalar_steps(dtype, flip, ("+", -1.0), ("*", alpha * a), ("+", alpha * a * p)) for flip in (0.0, 1.0)
    ]
    factor = kept.astype(dtype) * _scalar_steps(dtype, 1.0, ("*", a))
    return factor, np.where(kept, addends[1], addends[0])


# -- permutations and choices -------------------------------------------------------------------------------


def randperm(engine: Engine, n: int, dtype: DTypeLike = np.int64) -> Array:
    """A permutation of 0 ... n - 1: ``randperm``. Fisher and Yates's shuffle, from the front; from
    `RANDPERM_WIDE` elements on the inside-out variant with 64-bit words.

    Raises RuntimeError for a negative `n` and when `dtype` cannot hold n - 1 exactly, NotImplementedError for
    bool, complex dtypes and uint16, uint32, uint64.
    """
    dtype = np.dtype(dtype)
    if n < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {n}: [{n}]\nA permutation has a length."
        )
    if dtype in FLOATING:
        limit = (1 << DIGITS[dtype]) + 1
        if n > limit and dtype != BFLOAT16:  # PyTorch does not check bfloat16: equal numbers then
            shown = str(limit) if DIGITS[dtype] < 24 else f"2^{DIGITS[dtype]}+1"
            raise RuntimeError(
                f"n cannot be greater than {shown} for {SCALAR_NAMES[dtype][0]} type.\n"
                "Larger integers are not exact in it."
            )
    elif dtype in COMPLEX or dtype == BOOL:
        raise unsupported("randperm", dtype)
    elif n and n - 1 > np.iinfo(dtype).max:
        raise RuntimeError(
            f"value cannot be converted to type {dtype.name}_t without overflow\n"
            f"{n - 1} does not fit {dtype.name}."
        )
    if dtype in BAREBONES:
        raise unsupported("randperm", dtype)
    if n < RANDPERM_WIDE:
        return _integers_to(_shuffle(engine, n), dtype)
    return _integers_to(_shuffle_inside_out(engine, n), dtype)


def _shuffle(engine: Engine, n: int) -> Array:
    if n < 2:
        return np.arange(n)
    steps = np.arange(n - 1, dtype=np.uint64)
    with engine.lock:
        words = engine.words(n - 1)
    words %= np.uint64(n) - steps
    words += steps
    if n > 256:
        return _swap_all(words.view(np.int64), n)
    items = list(range(n))
    for i, j in enumerate(words.tolist()):
        items[i], items[j] = items[j], items[i]
    return np.array(items, np.int64)


def _swap_all(targets: Array, n: int) -> Array:
    """What ``for i: swap(items[i], items[targets[i]])`` makes of 0 ... n - 1, where ``targets[i] >= i``,
    without the loop.

    Step k puts what stood at place k into place targets[k]. So what step i finds at a place p is what stood
    at place k at step k, for the last step k < i with target p; if there is none, it is p itself. With A[i]
    for what step i finds at place i, that is A[i] = A[k] (k the last step before i with target i) or i:
    chains that pointer jumping resolves in a few rounds. And step i leaves at place i what it finds at
    targets[i].
    """
    m = n - 1
    # one sort groups the steps by target, in ascending order within a group
    keys = np.sort((targets << 32) | np.arange(m))
    step = keys & 0xFFFFFFFF
    target = keys >> 32
    same = target[1:] == target[:-1]
    before = np.full(m, -1)  # the step before with the same target
    before[step[1:][same]] = step[:-1][same]
    last = np.append(~same, True)  # the last step of each group ...
    where, which = target[last], step[last]
    fixed = where == which  # ... or, where that is the step's own place, the one before
    found = before[which[fixed]]
    which[fixed] = np.where(found >= 0, found, where[fixed])
    chain = np.arange(n)
    chain[where] = which
    while True:
        further = chain[chain]
        if (further == chain).all():
            break
        chain = further
    out = np.empty(n, np.int64)
    out[:m] = np.where(before >= 0, chain[before], targets)
    out[m] = chain[m]
    return out


def _shuffle_inside_out(engine: Engine, n: int) -> Array:
    items = array("q", np.arange(n).tobytes())  # a list of so many numbers would fill the memory
    with engine.lock:
        for start in range(0, n, 1 << 16):
            stop = min(start + (1 << 16), n)
            targets = engine.random64(stop - start) % np.arange(start + 1, stop + 1, dtype=np.uint64)
            for i, j in enumerate(targets.tolist(), start):
                items[i] = items[j]
                items[j] = i
    return np.frombuffer(items, np.int64)


def multinomial(engine: Engine, weights: Array, samples: int, replacement: bool = False) -> Array:
    """Indices drawn with the given `weights` (1-D, or one distribution a row): ``multinomial``. Returns int64
    of shape ``(samples,)`` or ``(rows, samples)``.

    With replacement: a binary search of uniform doubles in the running sum. Without, and for a single sample
    in either case: the largest of ``weight / Exp(1)``, which is the Gumbel trick without its logarithms.

    Raises RuntimeError for weights that are negative, not finite or all zero in a row, for the wrong number
    of dimensions, and for more samples without replacement than categories.
    """
    _check_multinomial(weights, samples, replacement)
    shape = (*weights.shape[:-1], samples)
    if math.prod(shape) == 0:
        return np.empty(shape, np.int64)
    if replacement and samples > 1:
        _check_running_sums(weights)
        return _with_replacement(engine, weights.reshape(-1, weights.shape[-1]), samples).reshape(shape)
    _check_weights(weights)
    with engine.lock:
        times = drawn_like(weights, lambda shape: exponential(engine, shape, weights.dtype))
    with np.errstate(all="ignore"):
        if weights.dtype in (FLOAT16, BFLOAT16):
            quotients = weights.astype(np.float32) / times.astype(np.float32)
            keys: Array = quotients.astype(weights.dtype).astype(np.float32)
        else:
            keys = weights / times
    if samples == 1:
        return np.asarray(keys.argmax(-1, keepdims=True), np.int64)
    rows = keys.reshape(-1, keys.shape[-1])
    return np.stack([largest(row, samples) for row in rows]).reshape(shape)


def _check_multinomial(weights: Array, samples: int, replacement: bool) -> None:
    if not 0 < weights.ndim <= 2:
        raise RuntimeError(f"prob_dist must be 1 or 2 dim\nBut it has shape {weights.shape}.")
    if weights.dtype not in FLOATING:
        raise RuntimeError(
            "multinomial only supports floating-point dtypes for input, got: "
            f"{SCALAR_NAMES[weights.dtype][0]}\nConvert the weights."
        )
    if samples <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples\nGot {samples}.")
    categories = weights.shape[-1]
    if not replacement and samples > categories:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement\n"
            f"{samples} samples of {categories} categories."
        )
    if categories > 1 << 24:
        raise RuntimeError(f"number of categories cannot exceed 2^24\nGot {categories}.")
    if categories == 0 and samples == 1:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.\n"
            "multinomial needs at least one category."
        )


def _check_running_sums(weights: Array) -> None:
    if not (weights >= 0).all():
        raise RuntimeError(
            "invalid multinomial distribution (encountering probability entry < 0)\n"
            "Weights are finite and not negative; they need not sum to 1."
        )
    if not np.isfinite(weights).all():
        raise RuntimeError(
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)\n"
            "Weights are finite and not negative; they need not sum to 1."
        )
    _check_some_weight(weights)


def _check_weights(weights: Array) -> None:
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise RuntimeError(
            "probability tensor contains either `inf`, `nan` or element < 0\n"
            "Weights are finite and not negative; they need not sum to 1."
        )
    _check_some_weight(weights)


def _check_some_weight(weights: Array) -> None:
    if not (weights != 0).any(-1).all():
        raise RuntimeError(
            "invalid multinomial distribution (sum of probabilities <= 0)\n"
            "At least one weight of each distribution is positive."
        )


def _with_replacement(engine: Engine, weights: Array, samples: int) -> Array:
    rows = len(weights)
    with engine.lock:
        uniforms = engine.doubles(rows * samples).reshape(rows, samples)
    wide: Any = np.float64 if weights.dtype == FLOAT64 else np.float32
    # a running sum in the weights' precision, one addition after the other, as np.add.accumulate does
    sums = np.add.accumulate(weights.astype(wide, copy=False), axis=-1)
    sums /= sums[:, -1:].copy()
    sums[:, -1] = 1
    out = np.empty((rows, samples), np.int64)
    for row in range(rows):
        out[row] = sums[row].astype(np.float64).searchsorted(uniforms[row])
    return out
