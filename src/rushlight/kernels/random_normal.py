"""Normal numbers as PyTorch's CPU draws them: Box-Muller, in two variants that share no number.

**From 16 contiguous elements** the tensor is filled with uniforms first, as `uniform` would, and then each
block of 16 becomes normal in place: with ``u1 = 1 - x[j]`` and ``u2 = x[j + 8]``, the block's j-th and
(j+8)-th values are ``sqrt(-2 log u1)`` times the cosine and the sine of ``2 pi u2``. When 16 does not divide
the size, the last 16 elements are thrown away and drawn anew, overlapping the block before. float16 and
bfloat16 keep no such uniforms: whole blocks are drawn, then one more block for the tail, so that they read
fewer words than float32.

For float32 (and the half precisions, which compute in it) PyTorch runs this on AVX2 with the polynomials of
the Cephes library, in the arrangement of Julien Pommier's and Giovanni Garberoglio's ``avx_mathfun``: not the
values of any C library. They are evaluated here operation by operation. PyTorch's compiler contracts them:
where a product feeds a sum, the two are one fused operation, rounded once. Which products are fused was found
by comparing all candidates with PyTorch. The fused operation is a float64 one here: the product of two
float32 is exact in it, and rounding the sum to float64 and then to float32 is the same as rounding once
unless the first rounding hits the middle between two float32. There are only 2**24 uniforms; on none of them
does that change a logarithm, a sine or a cosine (``tests/kernels`` repeats this for a part of them). The last
step, ``n * std + mean``, has arbitrary factors and is rounded properly.

Processors without AVX2 get other numbers from PyTorch itself; these are the ones of x86 processors since
2013. float64 uses the C library (see `random`) and a fused last step.

**Below 16 elements, or when the target is not contiguous**, each pair of uniform *doubles* (u1, u2) gives the
values ``sqrt(-2 log1p(-u2))`` times the cosine of ``2 pi u1`` (now) and the sine (at the next call: the
generator keeps it). `log_normal` is the exponential of these at every size.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .random import (
    FLOAT32,
    FLOAT64,
    FLOATING,
    REAL_OF,
    Array,
    Engine,
    Shape,
    cast,
    count,
    libm,
    unsupported,
)
from .random_fused import fused32, fused64

__all__ = ["log_normal", "normal", "normal_tensors"]

_TWO_PI = 2.0 * math.pi
_CHUNK = 1024  # blocks of 16 at a time: a dozen temporaries of 32 kB stay in the L2 cache


def _f32(*values: float) -> tuple[Array, ...]:
    return tuple(np.array(value, np.float32) for value in values)


# Cephes' logf, sinf, cosf: minimax coefficients, and constants split so that a product with a small integer
# is exact. Those that take part in a fused operation stand in float64.
_LOG = [
    np.array(np.float32(c), np.float64)
    for c in (
        7.0376836292e-2,
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    )
]
_LN2_LOW, _LN2_HIGH = _f32(-2.12194440e-4, 0.693359375)
_SQRT_HALF_BITS = np.array(np.float32(0.707106781186547524).view(np.int32))
_SIN_COS = np.array(
    [
        [-1.9515295891e-4, 2.443315711809948e-5],
        [8.3321608736e-3, -1.388731625493765e-3],
        [-1.6666654611e-1, 4.166664568298827e-2],
    ],
    np.float32,
).astype(np.float64)[:, :, None]
_PI4_1, _PI4_2 = _f32(-0.78515625, -2.4187564849853515625e-4)
_PI4_3 = np.array(np.float32(-3.77489497744594108e-8), np.float64)
_FOUR_OVER_PI, _HALF, _MINUS_HALF, _ONE, _MINUS_TWO, _TWO_PI32 = _f32(
    1.27323954473516, 0.5, -0.5, 1.0, -2.0, _TWO_PI
)
_MANTISSA = np.array(0x7FFFFF, np.int32)
_BITS23, _BITS30, _INT1, _INT2 = (np.array(value, np.int32) for value in (23, 30, 1, 2))


def _log32(x: Array) -> Array:
    """Cephes' logf of float32 in [2**-24, 1]."""
    # x = m * 2**e with sqrt(1/2) <= m < sqrt(2), cut out of the bits; then f = m - 1 is exact.
    bits = x.view(np.int32) - _SQRT_HALF_BITS
    e = (bits >> _BITS23).astype(np.float32)
    bits &= _MANTISSA
    bits += _SQRT_HALF_BITS
    f = bits.view(np.float32)
    f -= _ONE
    # Each round is one fused step: a float64 product and sum, rounded to float32 on its way through y.
    wide = f.astype(np.float64)
    step = wide * _LOG[0]
    step += _LOG[1]
    y = step.astype(np.float32)
    for coefficient in _LOG[2:]:
        step[...] = y
        step *= wide
        step += coefficient
        y[...] = step
    y *= f
    z = f * f
    step[...] = y
    step *= z
    step += e * _LN2_LOW
    y[...] = step
    z *= _HALF
    y -= z
    f += y
    e *= _LN2_HIGH
    f += e
    return f


def _sincos32(x: Array) -> tuple[Array, Array]:
    """Cephes' sinf and cosf of float32 in [0, 2 pi]."""
    octant = (x * _FOUR_OVER_PI).astype(np.int32)
    octant += _INT1
    octant >>= _INT1  # quarter turns, 0 to 4
    y = (octant + octant).astype(np.float32)
    f = y * _PI4_1
    f += x
    f += y * _PI4_2
    step = y * _PI4_3
    step += f
    factors = np.empty((2, x.size), np.float32)
    factors[0] = step
    f, z = factors
    np.multiply(f, f, z)
    # Both polynomials side by side: row 0 on the way to the sine of f, row 1 to its cosine.
    wide = z.astype(np.float64)
    steps = wide * _SIN_COS[0]
    steps += _SIN_COS[1]
    both = steps.astype(np.float32)
    steps[...] = both
    steps *= wide
    steps += _SIN_COS[2]
    both[...] = steps
    both *= z
    steps[...] = both
    steps *= factors  # the sine ends in p * f + f, the cosine in p * z - z / 2
    z *= _MINUS_HALF
    steps += factors
    both[...] = steps
    sine, cosine = both
    cosine += _ONE
    swap = (octant & _INT1).astype(np.bool_)
    first = np.where(swap, cosine, sine)
    second = np.where(swap, sine, cosine)
    # quarter turns 2 and 3 have negative sines, 1 and 2 negative cosines
    signs = octant & _INT2
    signs <<= _BITS30
    first.view(np.int32)[...] ^= signs
    octant += _INT1
    octant &= _INT2
    octant <<= _BITS30
    second.view(np.int32)[...] ^= octant
    return first, second


def _fill32(blocks: Array, mean: float, std: float) -> None:
    """Turns float32 uniforms of shape (blocks, 16) into normals in place."""
    with np.errstate(over="ignore"):
        mean, std = float(np.float32(mean)), float(np.float32(std))
    for start in range(0, len(blocks), _CHUNK):
        # halves of blocks move as items of 32 bytes, much faster than as rows of 8
        halves = blocks[start : start + _CHUNK].view("V32")
        radius = _log32(_ONE - halves[:, 0].copy().view(np.float32))
        radius *= _MINUS_TWO
        np.sqrt(radius, radius)
        angles = halves[:, 1].copy().view(np.float32)
        angles *= _TWO_PI32
        sine, cosine = _sincos32(angles)
        cosine *= radius
        sine *= radius
        halves[:, 0] = fused32(cosine, std, mean).view("V32")
        halves[:, 1] = fused32(sine, std, mean).view("V32")


def _fill64(blocks: Array, mean: float, std: float) -> None:
    halves = blocks.view("V64")
    radius = libm(math.log, 1.0 - halves[:, 0].copy().view(np.float64))
    radius *= -2.0
    np.sqrt(radius, radius)
    theta = halves[:, 1].copy().view(np.float64)
    theta *= _TWO_PI
    halves[:, 0] = fused64(radius * libm(math.cos, theta), std, mean).view("V64")
    halves[:, 1] = fused64(radius * libm(math.sin, theta), std, mean).view("V64")


def standard_normals(engine: Engine, n: int) -> Array:
    """The next `n` normals of the small path, as float64 (the caller holds the lock)."""
    if n == 0:
        return np.empty(0)
    cached = engine.next_double_normal_sample
    have = cached is not None
    pairs = (n - have + 1) // 2
    if pairs <= 8:
        values = [] if cached is None else [cached]
        words = iter(engine.words(4 * pairs).tolist())
        for first, second, third, fourth in zip(words, words, words, words, strict=True):
            theta = _TWO_PI * (((first & 0x1FFFFF) << 32 | second) * 2.0**-53)
            radius = math.sqrt(-2.0 * math.log1p(-(((third & 0x1FFFFF) << 32 | fourth) * 2.0**-53)))
            values.append(radius * math.cos(theta))
            values.append(radius * math.sin(theta))
        out = np.array(values)
    else:
        uniforms = engine.doubles(2 * pairs)
        radius_ = libm(math.log1p, -uniforms[1::2])
        radius_ *= -2.0
        np.sqrt(radius_, radius_)
        angles = uniforms[0::2] * _TWO_PI
        out = np.empty(2 * pairs + have)
        if have:
            out[0] = cached
        out[have::2] = radius_ * libm(math.cos, angles)
        out[have + 1 :: 2] = radius_ * libm(math.sin, angles)
    engine.next_double_normal_sample = float(out[n]) if out.size > n else None
    return out[:n]


def normal(
    engine: Engine,
    shape: Shape,
    dtype: DTypeLike,
    mean: float = 0.0,
    std: float = 1.0,
    *,
    contiguous: bool = True,
) -> Array:
    """Normal with `mean` and standard deviation `std`: ``randn``, ``normal_``, ``torch.normal`` of two
    numbers.

    Floating and complex dtypes; a complex number is two reals of deviation ``std / sqrt(2)``, real part
    first. For an in-place target that is not C-contiguous give ``contiguous=False`` and the shape of its
    `memory_order`.

    Raises NotImplementedError for other dtypes, RuntimeError unless ``std >= 0``.
    """
    dtype = np.dtype(dtype)
    if not std >= 0.0:
        raise RuntimeError(
            f"normal expects std >= 0.0, but found std {std:g}\nA standard deviation is not negative."
        )
    real = REAL_OF.get(dtype)
    if real is not None:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if 0 in shape:
            return np.empty(shape, dtype)
        parts = normal(engine, (*shape, 2), real, mean, std / math.sqrt(2.0), contiguous=contiguous)
        return parts.view(dtype).reshape(shape)
    if dtype not in FLOATING:
        raise unsupported("normal_kernel_cpu", dtype)
    n = count(shape)
    if n == 0:
        return np.empty(shape, dtype)
    with engine.lock:
        if n < 16 or not contiguous:
            values = standard_normals(engine, n)
            if mean != 0.0 or std != 1.0:
                values = fused64(values, std, mean)
            else:
                values = values + 0.0  # as there: -0 becomes 0
            return cast(values, dtype).reshape(shape)
        whole, tail = n // 16 * 16, n % 16
        # What the tail's first uniforms were is never seen, but float32 and float64 draw them.
        skipped = tail if dtype in (FLOAT32, FLOAT64) else 0
        blocks = np.empty((n // 16 + (tail > 0), 16), FLOAT64 if dtype == FLOAT64 else FLOAT32)
        flat = blocks.reshape(-1)
        draw = engine.doubles if dtype == FLOAT64 else engine.floats
        if tail:
            uniforms = draw(whole + skipped + 16)
            flat[:whole] = uniforms[:whole]
            flat[whole:] = uniforms[whole + skipped :]
        else:
            flat[:] = draw(whole)
    (_fill64 if dtype == FLOAT64 else _fill32)(blocks, mean, std)
    if not tail:
        return cast(flat, dtype).reshape(shape)
    out = np.empty(n, dtype)
    out[:whole] = cast(flat[:whole], dtype)
    out[n - 16 :] = cast(flat[whole:], dtype)
    return out.reshape(shape)


def normal_tensors(engine: Engine, mean: Array | float, std: Array | float, dtype: DTypeLike) -> Array:
    """``torch.normal`` with an array among `mean` and `std`, which broadcast; the result has `dtype`.

    PyTorch draws standard normals in the result's dtype, multiplies them by `std`, then adds `mean`, rounding
    each time. With a number for `std` that number scales the draw itself. Raises RuntimeError when a
    deviation is negative.
    """
    dtype = np.dtype(dtype)
    if isinstance(std, np.ndarray):
        if np.iscomplexobj(std):
            raise RuntimeError("normal expects standard deviation to be non-complex\nGive a real deviation.")
        if std.size and not std.min() >= 0:
            raise RuntimeError(
                "normal expects all elements of std >= 0.0\nA standard deviation is not negative."
            )
        shape = np.broadcast_shapes(np.shape(mean), std.shape)
        values = normal(engine, shape, dtype)
        values = _rounded(np.multiply, values, std, dtype)
    else:
        values = normal(engine, np.shape(mean), dtype, 0.0, std)
    return _rounded(np.add, values, mean, dtype)


def _rounded(operation: np.ufunc, values: Array, other: Array | float, dtype: np.dtype[Any]) -> Array:
    """One in-place operation of PyTorch: in the promoted dtype, at least float32, then rounded to `dtype`."""
    other = np.asarray(other)
    wide: np.dtype[Any] = FLOAT32 if dtype.itemsize == 2 else dtype
    if other.ndim and other.dtype in FLOATING:
        wide = np.result_type(wide, FLOAT32 if other.dtype.itemsize == 2 else other.dtype)
    elif other.ndim or operation is np.add:
        other = other.astype(
            dtype
        )  # integers and single numbers take the dtype first; a single factor does not
    with np.errstate(over="ignore", invalid="ignore"):
        result: Array = np.asarray(operation(values.astype(wide, copy=False), other.astype(wide)))
        return result.astype(dtype, copy=False)


def log_normal(engine: Engine, shape: Shape, dtype: DTypeLike, mean: float = 1.0, std: float = 2.0) -> Array:
    """The exponential of a normal with `mean` and `std`: ``log_normal_``.

    Raises NotImplementedError for a dtype that is not floating, RuntimeError unless ``std > 0``.
    """
    dtype = np.dtype(dtype)
    if not std > 0.0:
        raise RuntimeError(
            f"log_normal_ expects std > 0.0, but found std={std:g}\nGive a positive deviation."
        )
    n = count(shape)
    if n == 0:
        return np.empty(shape, dtype)
    if dtype not in FLOATING:
        raise unsupported("log_normal_cpu", dtype)
    with engine.lock:
        values = standard_normals(engine, n)
    return cast(libm(_exp, fused64(values, std, mean)), dtype).reshape(shape)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf
