"""Activation functions on arrays: what NumPy has no single function for.

Arrays come as float32 or float64 (the operators' promotion sees to half types); integers reach only those
that PyTorch computes for integers too, everything else refuses them with PyTorch's sentence.
"""
import functools
import math

import numpy as np

from .errors import only_floating, refuse, scalar_name, wrap_dim
from .memory import contiguous
from .special import erf

__all__ = [
    "relu",
    "threshold",
    "hardtanh",
    "relu6",
    "elu",
    "elu_slope",
    "leaky_relu",
    "prelu",
    "softplus",
    "logsigmoid",
    "sigmoid",
    "silu",
    "mish",
    "gelu",
    "hardsigmoid",
    "hardswish",
    "hardshrink",
    "softshrink",
    "normal_cdf",
]

_maximum, _minimum, _where = np.maximum, np.minimum, np.where


@functools.lru_cache(256)
def number(value, dtype):
    """A 0-d array: NumPy's cheapest operand."""
    return np.array(value, dtype)


_ZEROS = {}


def relu(x):
    """``max(x, 0)``; NaN stays NaN."""
    d = x.dtype
    zero = _ZEROS.get(d)
    if zero is None:
        if d.kind == "c":
            raise NotImplementedError("clamp is not supported for complex types\nTake the real part, or the "
                               "absolute value.")
        if d.kind == "b":
            raise RuntimeError("Boolean inputs not supported for relu\nConvert the input with "
                               ".to(torch.uint8) first.")
        zero = _ZEROS[d] = np.zeros((), d)
    return _maximum(zero, x)         # of equals NumPy takes the second, so that -0.0 stays


def threshold(x, limit, value):
    """``x`` where it exceeds ``limit`` (NaN stays), else ``value``."""
    if x.dtype.kind in "bc":
        raise refuse("threshold_cpu", x.dtype)
    return _where(x <= limit, np.asarray(value).astype(x.dtype), x)


def hardtanh(x, low, high):
    """``x`` between the bounds; NaN stays NaN."""
    if x.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh\nConvert the input with .to(torch.uint8) "
                           "first.")
    low, high = np.asarray(low).astype(x.dtype), np.asarray(high).astype(x.dtype)
    return _minimum(high, _maximum(low, x))      # in this order -0.0 stays


def relu6(x):
    return hardtanh(x, 0, 6)


def elu(x, alpha, scale, input_scale):
    """``scale * x`` for positive x, else ``scale * alpha * (exp(input_scale * x) - 1)``."""
    only_floating("elu_cpu", x)
    negative = np.expm1(_minimum(number(0, x.dtype), x) * x.dtype.type(input_scale))     # -0.0 stays
    negative *= x.dtype.type(alpha * scale)
    return _where(x > 0, x * x.dtype.type(scale), negative)


def leaky_relu(x, slope):
    only_floating("leaky_relu_cpu", x)
    return _where(x > 0, x, x * x.dtype.type(slope))


def softplus(x, beta, limit):
    """``log(1 + exp(beta x)) / beta``; x itself where ``beta x`` exceeds ``limit``."""
    only_floating("softplus_cpu", x)
    scaled = x * x.dtype.type(beta)
    return _where(scaled > limit, x, np.log1p(np.exp(_minimum(scaled, limit))) / x.dtype.type(beta))


def logsigmoid(x):
    """``log(1 / (1 + exp(-x)))`` without overflow."""
    only_floating("log_sigmoid_cpu", x)
    x = contiguous(x)
    return _minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


def sigmoid(x):
    """``1 / (1 + exp(-x))``; where ``exp`` overflows the quotient is the right 0."""
    e = np.exp(np.negative(x))
    e += 1
    return np.reciprocal(e)


def silu(x):
    if x.dtype.kind not in "fc":
        raise refuse("silu_cpu", x.dtype)
    return x * sigmoid(x)


def mish(x):
    """``x * tanh(log(1 + exp(x)))``."""
    only_floating("mish_cpu", x)
    return x * np.tanh(np.logaddexp(x, number(0, x.dtype)))


def hardsigmoid(x):
    """``relu6(x + 3) / 6``."""
    only_floating("hardsigmoid_cpu", x)
    return _minimum(_maximum(x + 3, 0), 6) / x.dtype.type(6)


def hardswish(x):
    """``x * relu6(x + 3) / 6``."""
    only_floating("hardswish_cpu", x)
    return x * _minimum(_maximum(x + 3, 0), 6) / x.dtype.type(6)


def hardshrink(x, limit):
    """0 where ``-limit <= x <= limit``; NaN stays."""
    only_floating("hardshrink_cpu", x)
    return _where((x >= -limit) & (x <= limit), number(0, x.dtype), x)


def softshrink(x, limit):
    """``x`` moved towards 0 by ``limit``, and 0 within it."""
    only_floating("softshrink_check", x)
    if not 0 <= limit <= np.finfo(x.dtype).max:
        raise RuntimeError(f"lambda must be in range [0, {np.finfo(x.dtype).max:g}] for input dtype "
                           f"{scalar_name(x.dtype)}, but found {limit:g}")
    return x - _minimum(_maximum(x, -x.dtype.type(limit)), x.dtype.type(limit))


def elu_slope(x, alpha, scale, input_scale):
    """The derivative of ``elu``."""
    return _where(
        x > 0, x.dtype.type(scale), np.exp(_minimum(x, 0) * input_scale) * (alpha * scale * input_scale)
    )


def glu(x, dim):
    """The first half times the sigmoid of the second."""
    if x.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    only_floating("glu_cpu", x)
    dim = wrap_dim(dim, x.ndim)
    n = x.shape[dim]
    if n % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {n}")
    lead = (slice(None),) * dim
    return x[(*lead, slice(None, n // 2))] * sigmoid(x[(*lead, slice(n // 2, None))])


def prelu(x, weight):
    return _where(x > 0, x, x * weight)


# ---------------------------------------------------------------- gelu

_SQRT_HALF, _SQRT_2_OVER_PI, _CUBE = math.sqrt(0.5), math.sqrt(2 / math.pi), 0.044715


def gelu(x, approximate):
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"approximate argument must be either none or tanh.\nIt was {approximate!r}.")
    only_floating("GeluKernelImpl", x)
    if approximate == "tanh":
        cubic = x * x * x
        cubic *= _CUBE
        cubic += x
        cubic *= _SQRT_2_OVER_PI
        return (np.tanh(cubic) + 1) * x * x.dtype.type(0.5)
    return x * normal_cdf(x)


def normal_cdf(x):
    """The standard normal distribution function."""
    return (erf(x * x.dtype.type(_SQRT_HALF)) + 1) * x.dtype.type(0.5)
