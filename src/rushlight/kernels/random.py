"""PyTorch's CPU random numbers, bit for bit: the generator, and the distributions that read it word by word.

``manual_seed(0)`` must give the numbers that published notebooks print, so nothing here may be "a" uniform or
"a" normal distribution: each function reproduces one particular stream. This essay says where each comes
from.

**The words.** A CPU generator is MT19937 with the seeding of Matsumoto and Nishimura's ``init_genrand`` on
the low 32 bits of the seed. NumPy carries the same generator in C, so its `random_raw` supplies the words at
about 2 ns each, and its memory (624 words and a position) is read and written in place to save and restore a
state. A 64-bit number is two words, **the first of them the high half**. A uniform float is the low 24 bits
of one word times 2**-24; a uniform double is the low 53 bits of two words times 2**-53. float16 and bfloat16
draw float32 and round afterwards; when that rounding reaches the upper bound, the lower bound is returned
instead.

**Which width a distribution reads** is its own decision and rarely the result's dtype:

====================================================  =======================================================
`uniform`, `rand`                                     the result's: one word, two for float64
`normal` below 16 elements, or not contiguous         two doubles for a *pair* of values, for every dtype
`normal` from 16 contiguous elements                  floats (float64: doubles), 16 at a time: `random_normal`
`log_normal`                                          as `normal` below 16, at every size
`exponential`, `geometric`, `cauchy`                  one double each
`bernoulli` with a number                             one double each
`bernoulli` with an array of probabilities            float64 probabilities a double each, others a float
`random_` between bounds                              one word; two from a range of 2**28 on
`random_` without bounds                              one word; two for int64 and float64
`randperm`                                            n - 1 words, two each from n = (2**32 - 1) // 20 on
`multinomial` with replacement                        a double a sample; else an `exponential` a category
`poisson`, `binomial`, `standard_gamma`               doubles, as many as their rejection loops want
`dropout`                                             `bernoulli` with the number 1 - p
====================================================  =======================================================

PyTorch's x86 builds contain Intel's MKL, and some versions drew `bernoulli_` and `exponential_` from an MCG31
stream of MKL's that was seeded with one word of the generator. PyTorch 2.13 does not: its MKL streams are
switched off in the published packages, and these functions read MT19937 like the others. (Measured: the
threshold at which ``bernoulli_(p)`` flips is the 53-bit double of the first two words, on both AVX2 and
AVX-512.)

**The cached normal.** The Box-Muller transform of the small path yields two values; the second waits in the
generator (`next_double_normal_sample`) for the next call, across calls and dtypes, and belongs to the saved
state. The state also has a place for a cached float, which no CPU distribution fills.

**The last bit of a logarithm.** Where PyTorch calls the C library's ``log``, ``log1p``, ``sin``, ``cos``,
``exp``, ``tan`` on doubles, NumPy's vectorised loops are a unit in the last place off now and then. `math`
calls the very functions PyTorch calls, so those are mapped over lists: 30 ns an element, still within a few
times of PyTorch.

**Fused operations.** Where a variate is scaled (``u * (high - low) + low``, ``n * std + mean``) PyTorch's
compiler fuses product and sum, on every processor with AVX2: see `random_fused`. The rejection samplers are
compiled without.

**Order in memory.** A distribution that fills a tensor in place visits its elements in the order of memory,
not of indices, when the tensor is a permuted view: ``x.t().uniform_()`` fills ``x`` row by row.
`memory_order` gives the view that is to be filled in C order. The same holds for new tensors that take over
the layout of another one: ``rand_like``, ``randn_like``, ``randint_like``, the dropouts and the exponentials
in `multinomial`; for those there is `drawn_like`. What makes a new contiguous tensor draws in the order of
indices: ``torch.bernoulli(p)``, ``poisson``, ``binomial``, ``_standard_gamma``, ``rrelu``. `normal` takes
``contiguous=False`` for tensors that are not C-contiguous: PyTorch then takes the small path at every size.

**Concurrency.** Each call holds the generator's lock from its first word to its last, as PyTorch's does:
calls from several threads interleave as wholes.

Functions take an `Engine`, then what they draw, and return a new array. They check what PyTorch checks and
raise its errors before a word is drawn, so that a failing call leaves the generator as it was. The rest of
the family: `random_normal` (normal, log_normal), `random_discrete` (random_, randint, randperm, bernoulli,
geometric, dropout, multinomial), `random_rejection` (poisson, binomial, gamma, dirichlet).
"""

import ctypes
import math
import operator
import os
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

from .random_fused import fused, fused64

__all__ = [
    "DEFAULT_SEED",
    "STATE_SIZE",
    "Engine",
    "cauchy",
    "drawn_like",
    "exponential",
    "memory_axes",
    "memory_order",
    "rrelu_noise",
    "uniform",
]

Array = NDArray[Any]
Shape = int | Sequence[int]

DEFAULT_SEED = 67280421310721  # of a new torch.Generator()
STATE_SIZE = 5056  # bytes of a saved state
WORDS = 624

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOAT16, FLOAT32, FLOAT64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
COMPLEX64, COMPLEX128 = np.dtype(np.complex64), np.dtype(np.complex128)
FLOATING = frozenset([FLOAT16, BFLOAT16, FLOAT32, FLOAT64])
REAL_OF: dict[Any, np.dtype[Any]] = {COMPLEX64: FLOAT32, COMPLEX128: FLOAT64}
SCALAR_NAMES = {  # PyTorch's ScalarType and the C++ type, as its messages print them
    np.dtype(np.bool_): ("Bool", "bool"),
    np.dtype(np.uint8): ("Byte", "unsigned char"),
    np.dtype(np.int8): ("Char", "signed char"),
    np.dtype(np.int16): ("Short", "short int"),
    np.dtype(np.int32): ("Int", "int"),
    np.dtype(np.int64): ("Long", "long int"),
    np.dtype(np.uint16): ("UInt16", "short unsigned int"),
    np.dtype(np.uint32): ("UInt32", "unsigned int"),
    np.dtype(np.uint64): ("UInt64", "long unsigned int"),
    FLOAT16: ("Half", "c10::Half"),
    BFLOAT16: ("BFloat16", "c10::BFloat16"),
    FLOAT32: ("Float", "float"),
    FLOAT64: ("Double", "double"),
    COMPLEX64: ("ComplexFloat", "c10::complex<float>"),
    COMPLEX128: ("ComplexDouble", "c10::complex<double>"),
}
FLOAT_LIMITS = {
    FLOAT16: 65504.0,
    BFLOAT16: 3.3895313892515355e38,
    FLOAT32: 3.4028234663852886e38,
    FLOAT64: 1.7976931348623157e308,
}

# 0-d arrays make NumPy's cheapest scalar operands.
_MASK21 = np.array(0x1FFFFF, np.uint64)
_MASK24 = np.array(0xFFFFFF, np.uint64)
_SHIFT32 = np.array(32, np.uint64)
_STEP24 = np.array(2.0**-24, np.float32)
_STEP53 = np.array(2.0**-53)
_CHUNK = 1 << 15  # elements drawn at a time: the temporaries stay in the L2 cache

_STATE = np.dtype(
    {
        "names": [
            "seed",
            "left",
            "seeded",
            "next",
            "state",
            "normal_y",
            "normal_is_valid",
            "float_normal",
            "float_normal_is_valid",
        ],
        "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", WORDS), "<f8", "<i4", "<f4", "u1"],
        "offsets": [0, 8, 12, 16, 24, 5024, 5040, 5048, 5052],
        "itemsize": STATE_SIZE,
    }
)


class Engine:
    """The state of one PyTorch CPU generator.

    Each sampling function takes one. `lock` is reentrant and is held by them for a whole call.

    Example::

        >>> from rushlight.kernels.random import Engine, uniform
        >>> uniform(Engine(0), 3, "float32").tolist()
        [0.49625658988952637, 0.7682217955589294, 0.08847743272781372]
    """

    __slots__ = (
        "_bits",
        "_memory",
        "_seed",
        "_started",
        "lock",
        "next_double_normal_sample",
        "next_float_normal_sample",
        "words",
    )

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self.lock = threading.RLock()
        self._started = False
        self.next_float_normal_sample: float | None = None
        self.next_double_normal_sample: float | None = None
        self.manual_seed(seed)

    def __getattr__(self, name: str) -> Any:
        """The generator's memory, made when it is first asked for: NumPy loads `numpy.random` then, which takes a
        fifth of the time that importing all of rushlight does, and many programs draw nothing."""
        if name not in ("_bits", "_memory", "words"):
            raise AttributeError(f"'Engine' object has no attribute {name!r}")
        with self.lock:
            if not self._started:  # another thread may have been here first
                self._bits = np.random.MT19937(0)
                # NumPy's state in place: 624 words, then the position as a C int. Its `state` property copies
                # through a dict and takes 30 us; a snapshot through this view takes less than one.
                address = self._bits.ctypes.state_address
                block = (ctypes.c_uint32 * (WORDS + 1)).from_address(address)
                self._memory: Array = np.ctypeslib.as_array(block)
                self._restart()
                self.words: Callable[..., Array] = self._bits.random_raw
                self._started = True
        return object.__getattribute__(self, name)

    def _restart(self) -> None:
        np.random.RandomState(self._bits).seed(self._seed & 0xFFFFFFFF)

    # -- seeding --------------------------------------------------------------------------------------------

    def manual_seed(self, seed: int) -> "Engine":
        """Starts the stream of `seed`, which must lie in [-2**63, 2**64) and counts modulo 2**64; forgets the
        cached normals. Returns the engine. Raises ValueError outside that range."""
        seed = operator.index(seed)
        if not -(1 << 63) <= seed < 1 << 64:
            raise ValueError(
                f"Overflow when unpacking long long\nA seed lies in [-2**63, 2**64), but got {seed}."
            )
        with self.lock:
            self._seed = seed % (1 << 64)
            if self._started:  # else it will start from this seed
                self._restart()
            self.next_float_normal_sample = self.next_double_normal_sample = None
        return self

    def initial_seed(self) -> int:
        """The seed that the stream was started with, in [0, 2**64)."""
        return self._seed

    def seed(self) -> int:
        """Starts a stream of a seed that the operating system chose, and returns that seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    # -- words ----------------------------------------------------------------------------------------------

    def random32(self, n: int) -> Array:
        """The next `n` 32-bit words, as uint32."""
        with self.lock:
            return self.words(n).astype(np.uint32)

    def random64(self, n: int) -> Array:
        """The next `n` 64-bit numbers (two words each, high half first), as uint64."""
        with self.lock:
            words = self.words(2 * n)
            return (words[0::2] << _SHIFT32) | words[1::2]

    def floats(self, n: int) -> Array:
        """The next `n` uniform float32 in [0, 1), one word each."""
        if n <= _CHUNK:
            return np.bitwise_and(self.words(n), _MASK24).astype(np.float32) * _STEP24
        return _chunked(self.floats, n, FLOAT32)

    def doubles(self, n: int) -> Array:
        """The next `n` uniform float64 in [0, 1), two words each."""
        if n <= _CHUNK:
            values: Array = self.integers53(n).astype(np.float64)
            values *= _STEP53
            return values
        return _chunked(self.doubles, n, FLOAT64)

    def integers53(self, n: int) -> Array:
        """The next `n` integers below 2**53, as uint64: `doubles` before they are scaled."""
        words = self.words(2 * n)
        high = np.bitwise_and(words[0::2], _MASK21)
        high <<= _SHIFT32
        high |= words[1::2]
        return high

    # -- states ---------------------------------------------------------------------------------------------

    def snapshot(self) -> Array:
        """NumPy's 624 words and position, to be given back to `rewind`."""
        return self._memory.copy()

    def rewind(self, snapshot: Array, doubles: int) -> None:
        """Goes back to `snapshot` and then forward by `doubles` uniform doubles."""
        self._memory[:] = snapshot
        if doubles:
            self._bits.random_raw(2 * doubles, output=False)

    def get_state(self) -> Array:
        """The state as 5056 bytes (uint8), equal to ``torch.get_rng_state()`` byte for byte."""
        record = np.zeros((), _STATE)
        with self.lock:
            position = int(self._memory[WORDS])
            if position == WORDS and self._fresh():
                position = 0
            record["seed"] = self._seed
            record["left"] = 1 if position in (0, WORDS) else WORDS + 1 - position
            record["seeded"] = 1
            record["next"] = position
            record["state"] = self._memory[:WORDS]
            if self.next_double_normal_sample is not None:
                record["normal_y"], record["normal_is_valid"] = self.next_double_normal_sample, 1
            if self.next_float_normal_sample is not None:
                record["float_normal"], record["float_normal_is_valid"] = self.next_float_normal_sample, 1
        return np.frombuffer(record.tobytes(), np.uint8).copy()

    def _fresh(self) -> bool:
        # Both a seeded and a used-up block wait for the next twist; PyTorch writes position 0 for the one and
        # 624 for the other. A seeded block is known by its first words, which init_genrand fixes (others
        # match once in 2**64).
        first = int(self._memory[0])
        second = (1812433253 * (first ^ (first >> 30)) + 1) & 0xFFFFFFFF
        return first == self._seed & 0xFFFFFFFF and second == int(self._memory[1])

    def set_state(self, state: Array) -> None:
        """Takes over a state that `get_state` or PyTorch saved.

        Raises TypeError unless `state` is a uint8 array, RuntimeError unless it has 5056 bytes that hold a
        state. A failing call changes nothing.
        """
        if not isinstance(state, np.ndarray):
            raise TypeError(
                f"expected a torch.ByteTensor, but got {type(state).__name__}\n"
                "Give what get_state() returned."
            )
        if state.dtype != np.uint8:
            raise TypeError(f"RNG state must be a torch.ByteTensor\nBut this one has dtype {state.dtype}.")
        if state.size != STATE_SIZE:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_SIZE} but found the input RNG state size "
                f"to be {state.size}\nStates of other devices and of other libraries do not fit."
            )
        record = np.frombuffer(np.ascontiguousarray(state).tobytes(), _STATE)[0]
        left, position = int(record["left"]), int(record["next"]) & 0xFFFFFFFF
        if record["seeded"] & 0xFF == 0 or not 0 < left <= WORDS or position > WORDS:
            raise RuntimeError("Invalid mt19937 state\nThe bytes are not those that get_state() returns.")
        if left > 1 and left + position != WORDS + 1:
            raise RuntimeError(
                f"Invalid mt19937 state\n{left} words left do not go with position {position}."
            )
        with self.lock:
            self._seed = int(record["seed"])
            self._memory[:WORDS] = record["state"].astype(np.uint32)
            self._memory[WORDS] = WORDS if left == 1 else position
            self.next_double_normal_sample = float(record["normal_y"]) if record["normal_is_valid"] else None
            self.next_float_normal_sample = (
                float(record["float_normal"]) if record["float_normal_is_valid"] else None
            )

    def clone(self) -> "Engine":
        """An independent engine in the same state."""
        with self.lock:
            other = Engine(self._seed)
            other._memory[:] = self._memory
            other.next_float_normal_sample = self.next_float_normal_sample
            other.next_double_normal_sample = self.next_double_normal_sample
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.get_state(),)


def _restore(state: Array) -> Engine:
    engine = Engine()
    engine.set_state(state)
    return engine


def _chunked(draw: Callable[[int], Array], n: int, dtype: np.dtype[Any]) -> Array:
    out = np.empty(n, dtype)
    for start in range(0, n, _CHUNK):
        stop = min(start + _CHUNK, n)
        out[start:stop] = draw(stop - start)
    return out


# -- shared with the sibling modules ------------------------------------------------------------------------


def count(shape: Shape) -> int:
    return shape if isinstance(shape, int) else math.prod(shape)


def unsupported(kernel: str, dtype: np.dtype[Any]) -> NotImplementedError:
    return NotImplementedError(
        f"\"{kernel}\" not implemented for '{SCALAR_NAMES[dtype][0]}'\n"
        "Draw in a dtype that this distribution supports and convert the result."
    )


def libm(function: Callable[[float], float], values: Array) -> Array:
    """`function` of `math` over a float64 array: the C library's own last bit, which NumPy's loops do not
    have."""
    if values.size <= _CHUNK:
        return np.fromiter(map(function, values.tolist()), np.float64, values.size)
    parts = [libm(function, values[i : i + _CHUNK]) for i in range(0, values.size, _CHUNK)]
    return np.concatenate(parts)


def cast(values: Array, dtype: np.dtype[Any]) -> Array:
    """float32 or float64 to a floating dtype as C++ does: half precision is reached through float32, rounding
    twice; what overflows becomes infinite without a warning."""
    if values.dtype == dtype:
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype == FLOAT64:
            return values.astype(FLOAT64)
        return values.astype(FLOAT32).astype(dtype, copy=False)


def warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)


def memory_axes(array: Array) -> tuple[int, ...]:
    """The axes of `array` from the slowest to the fastest in memory, as PyTorch ranks them: equal strides and
    strides of 0 stay where they are."""
    fastest = list(range(array.ndim - 1, -1, -1))
    for i in range(1, array.ndim):
        here = i
        for there in range(i - 1, -1, -1):
            near, far = fastest[there], fastest[here]
            a, b = array.strides[near], array.strides[far]
            if a == 0 or b == 0 or (a == b and array.shape[near] <= array.shape[far]):
                continue
            if a < b:
                break
            fastest[there], fastest[here] = far, near
            here = there
    return tuple(reversed(fastest))


def memory_order(target: Array) -> Array:
    """The permuted view of `target` whose C order is the order of memory, in which PyTorch fills it in place.

    ``memory_order(x)[...] = uniform(engine, memory_order(x).shape, x.dtype)`` is ``x.uniform_()`` for every
    layout that does not overlap itself.
    """
    return target if target.flags.c_contiguous else target.transpose(memory_axes(target))


def drawn_like(array: Array, draw: Callable[[tuple[int, ...]], Array]) -> Array:
    """A new array in the layout of `array`, filled by ``draw(shape)`` in the order of memory.

    This is how PyTorch fills ``empty_like(x)``: ``drawn_like(x, lambda shape: dropout_noise(engine, shape,
    x.dtype, p))`` is what ``dropout`` multiplies a permuted `x` by.
    """
    if array.flags.c_contiguous:
        return draw(array.shape)
    axes = memory_axes(array)
    return draw(tuple(array.shape[axis] for axis in axes)).transpose(np.argsort(axes))


# -- continuous distributions that read one number per value ------------------------------------------------


def uniform(engine: Engine, shape: Shape, dtype: DTypeLike, low: float = 0.0, high: float = 1.0) -> Array:
    """Uniform in [low, high): ``rand`` and ``uniform_``.

    Floating and complex dtypes (a complex number is two reals, real part first).

    Raises NotImplementedError for other dtypes; RuntimeError when a bound or their difference does not fit
    the dtype or `low` exceeds `high`.
    """
    dtype = np.dtype(dtype)
    real = REAL_OF.get(dtype)
    if real is not None:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if 0 in shape:
            return np.empty(shape, dtype)
        parts = uniform(engine, (*shape, 2), real, low, high)
        return parts.view(dtype).reshape(shape)
    if dtype not in FLOATING:
        raise unsupported("check_uniform_bounds", dtype)
    unit = low == 0.0 and high == 1.0
    if not unit:
        _check_uniform(low, high, dtype)
    n = count(shape)
    with engine.lock:
        values = engine.doubles(n) if dtype == FLOAT64 else engine.floats(n)
    if not unit:
        kind: Any = values.dtype.type
        start = kind(low)
        values = fused(values, float(kind(high) - start), float(start))
    if dtype != values.dtype:
        values = cast(values, dtype)
    elif unit:
        return values.reshape(shape)
    scalar: Any = dtype.type
    top = values == scalar(high)
    if top.any():  # rounding may reach the open end
        values[top] = scalar(low)
    return values.reshape(shape)


def _check_uniform(low: float, high: float, dtype: np.dtype[Any]) -> None:
    limit = FLOAT_LIMITS[dtype]
    scalar, cpp = SCALAR_NAMES[dtype]
    for name, value in (("from", low), ("to", high)):
        if not -limit <= value <= limit:
            raise RuntimeError(
                f"{name} is out of bounds for {cpp}\n{cpp} ends at +-{limit:g}, but got {value:g}."
            )
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}\n"
            "Exchange the two bounds."
        )
    if high - low > limit:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{scalar}>::max(), but found to={high:g} and "
            f"from={low:g} which result in to-from to exceed the limit\n"
            "Draw a narrower range and scale it."
        )


def exponential(engine: Engine, shape: Shape, dtype: DTypeLike, lambd: float = 1.0) -> Array:
    """Exponential with rate `lambd`: ``exponential_``. -1/lambd * log1p(-u) of a uniform double u, for every
    dtype.

    Raises RuntimeError for a dtype that is not floating and unless ``lambd > 0``.
    """
    dtype = np.dtype(dtype)
    if not lambd > 0.0:
        raise RuntimeError(
            f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}\nGive a positive rate."
        )
    if dtype not in FLOATING:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating "
            f"point but you specified {SCALAR_NAMES[dtype][0]}\nConvert the tensor to a floating dtype."
        )
    with engine.lock:
        values = np.negative(engine.doubles(count(shape)))
    values = libm(math.log1p, values)
    values *= -1.0 / lambd
    return cast(values, dtype).reshape(shape)


def cauchy(engine: Engine, shape: Shape, dtype: DTypeLike, median: float = 0.0, sigma: float = 1.0) -> Array:
    """Cauchy with location `median` and scale `sigma`: ``cauchy_``. median + sigma * tan(pi * (u - 1/2)).

    Raises RuntimeError for a dtype that is not floating and unless ``sigma > 0``.
    """
    dtype = np.dtype(dtype)
    if not sigma > 0.0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}\nGive a positive scale.")
    if dtype not in FLOATING:
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point "
            f"but you specified {SCALAR_NAMES[dtype][1]}\nConvert the tensor to a floating dtype."
        )
    with engine.lock:
        values = engine.doubles(count(shape))
    values -= 0.5
    values *= math.pi
    values = libm(math.tan, values)
    return cast(fused64(values, sigma, median), dtype).reshape(shape)


def rrelu_noise(engine: Engine, values: Array, lower: float, upper: float) -> Array:
    """The slopes of ``rrelu`` in training: uniform in [lower, upper) where ``values <= 0``, and 1 elsewhere.

    Only the elements that are not positive read from the generator, in C order, a double each. Raises
    RuntimeError for bounds in the wrong order, NotImplementedError unless the dtype is floating and at least
    single precision or bfloat16.
    """
    if not lower <= upper:
        raise RuntimeError(
            "Lower bound should be less than or equal to the upper bound\n"
            f"Got lower={lower:g} and upper={upper:g}."
        )
    if values.dtype not in (BFLOAT16, FLOAT32, FLOAT64):
        raise unsupported("rrelu_with_noise_out_cpu", values.dtype)
    noise = np.ones(values.shape, values.dtype)
    flat = noise.reshape(-1)
    chosen = np.flatnonzero(values.reshape(-1) <= 0)
    with engine.lock:
        slopes = engine.doubles(chosen.size)
    kind = FLOAT64.type if values.dtype == FLOAT64 else FLOAT32.type
    start, stop = float(kind(lower)), float(kind(upper))
    slopes *= stop - start
    slopes += start
    flat[chosen] = cast(slopes, values.dtype)
    return noise
