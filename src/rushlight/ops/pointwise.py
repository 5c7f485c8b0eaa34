"""Functions of each element: exponentials and logarithms, trigonometry, rounding, signs, what is finite.

Gradients of complex functions are conjugate, as PyTorch's: for a holomorphic f the rule is ``g *
conj(f'(x))``, and ``both.conj`` costs nothing for real numbers.
"""
import math

import numpy as np

from .. import dtypes
from ..kernels import pointwise as kernels
from ..kernels.pointwise import dtype_name, kind_of, refuse
from ..tensor import Tensor
from .arithmetic import no_gradient
from .declare import Array, Operand, both, op
from .table import alias, namespaces

__all__ = []

_LN2, _LN10 = math.log(2), math.log(10)


# ---------------------------------------------------------------- exponentials and logarithms

@op(promote="float", ufunc=np.exp, method=True, inplace=True)
def exp(input: Array):
    """e to the power of each element.

    Example::

        >>> import rushlight as torch
        >>> torch.exp(torch.tensor([0., 1.]))
        tensor([1.0000, 2.7183])
    """
    return np.exp(input)


exp.derivative(input=lambda g, out: g * both.conj(out))


@op(promote="float", ufunc=np.exp2, method=True, inplace=True)
def exp2(input: Array):
    """2 to the power of each element."""
    return np.exp2(input)


exp2.derivative(input=lambda g, out: g * (both.conj(out) * _LN2))


@op(promote="float", ufunc=np.expm1, method=True, inplace=True)
def expm1(input: Array):
    """``exp(input) - 1``, accurate near 0."""
    return np.expm1(input)


expm1.derivative(input=lambda g, out: g * (both.conj(out) + 1))


@op(promote="float", ufunc=np.log, method=True, inplace=True)
def log(input: Array):
    """The natural logarithm; -inf at 0, nan for negative real numbers."""
    return np.log(input)


log.derivative(input=lambda g, input: g / both.conj(input))


@op(promote="float", ufunc=np.log1p, method=True, inplace=True, grad_name="Log1PBackward0")
def log1p(input: Array):
    """``log(1 + input)``, accurate near 0."""
    return np.log1p(input)


log1p.derivative(input=lambda g, input: g / both.conj(input + 1))


@op(promote="float", ufunc=np.log2, method=True, inplace=True)
def log2(input: Array):
    """The logarithm to base 2."""
    return np.log2(input)


log2.derivative(input=lambda g, input: g / (both.conj(input) * _LN2))


@op(promote="float", ufunc=np.log10, method=True, inplace=True)
def log10(input: Array):
    """The logarithm to base 10."""
    return np.log10(input)


log10.derivative(input=lambda g, input: g / (both.conj(input) * _LN10))


# ---------------------------------------------------------------- trigonometry

@op(promote="float", ufunc=np.sin, method=True, inplace=True)
def sin(input: Array):
    """The sine of angles in radians."""
    return np.sin(input)


sin.derivative(input=lambda g, input: g * both.conj(both.cos(input)))


@op(promote="float", ufunc=np.cos, method=True, inplace=True)
def cos(input: Array):
    """The cosine of angles in radians."""
    return np.cos(input)


cos.derivative(input=lambda g, input: g * -both.conj(both.sin(input)))


@op(promote="float", ufunc=np.tan, method=True, inplace=True)
def tan(input: Array):
    """The tangent of angles in radians."""
    return np.tan(input)


tan.derivative(input=lambda g, out: g * both.conj(1 + out * out))


@op(promote="float", ufunc=np.arcsin, method=True, inplace=True)
def asin(input: Array):
    """The angle whose sine is ``input``; nan outside [-1, 1] for real numbers."""
    return np.arcsin(input)


asin.derivative(input=lambda g, input: g * both.conj(both.rsqrt(1 - input * input)))


@op(promote="float", ufunc=np.arccos, method=True, inplace=True)
def acos(input: Array):
    """The angle whose cosine is ``input``; nan outside [-1, 1] for real numbers."""
    return np.arccos(input)


acos.derivative(input=lambda g, input: g * -both.conj(both.rsqrt(1 - input * input)))


@op(promote="float", ufunc=np.arctan, method=True, inplace=True)
def atan(input: Array):
    """The angle whose tangent is ``input``."""
    return np.arctan(input)


atan.derivative(input=lambda g, input: g / both.conj(input * input + 1))


@op(promote="float", ufunc=np.sinh, method=True, inplace=True)
def sinh(input: Array):
    """The hyperbolic sine."""
    return np.sinh(input)


sinh.derivative(input=lambda g, input: g * both.conj(both.cosh(input)))


@op(promote="float", ufunc=np.cosh, method=True, inplace=True)
def cosh(input: Array):
    """The hyperbolic cosine."""
    return np.cosh(input)


cosh.derivative(input=lambda g, input: g * both.conj(both.sinh(input)))


@op(promote="float", ufunc=np.tanh, method=True, inplace=True)
def tanh(input: Array):
    """The hyperbolic tangent."""
    return np.tanh(input)


_ONES = {np.dtype(t): np.ones((), t) for t in (np.float32, np.float64)}


def _tanh_rule(g, out):
    one = _ONES.get(out.dtype) if out.__class__ is np.ndarray and out.ndim else None
    if one is None:
        return g * both.conj(1 - out * out)
    made = np.multiply(out, out)         # the same in one buffer: this rule runs at every step of every small network
    np.subtract(one, made, made)
    return np.multiply(g, made, made)


tanh.derivative(input=_tanh_rule)


@op(promote="float", ufunc=np.arcsinh, method=True, inplace=True)
def asinh(input: Array):
    """The inverse of ``sinh``."""
    return np.arcsinh(input)


asinh.derivative(input=lambda g, input: g * both.conj(both.rsqrt(input * input + 1)))


@op(promote="float", ufunc=np.arccosh, method=True, inplace=True)
def acosh(input: Array):
    """The inverse of ``cosh``; nan below 1 for real numbers."""
    return np.arccosh(input)


acosh.derivative(input=lambda g, input: g * both.conj(both.rsqrt(input - 1) * both.rsqrt(input + 1)))


@op(promote="float", ufunc=np.arctanh, method=True, inplace=True)
def atanh(input: Array):
    """The inverse of ``tanh``; infinite at -1 and 1, nan beyond for real numbers."""
    return np.arctanh(input)


atanh.derivative(input=lambda g, input: g / both.conj(1 - input * input))

for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
    alias("arc" + _name, "a" + _name)


@op(promote="float", ufunc=np.arctan2, method=True, inplace=True, refuse=("atan2_cpu", "c"))
def atan2(input: Array, other: Array):
    """The angle of the point (``other``, ``input``), in (-pi, pi]; its gradient at the origin is 0."""
    return np.arctan2(input, other)


def _inverse_square(input, other):
    size = input * input + other * other
    return both.where(size == 0, 0, 1 / size)


atan2.derivative(input=lambda g, input, other: g * (other * _inverse_square(input, other)),
                 other=lambda g, input, other: g * -(input * _inverse_square(input, other)))
alias("arctan2", "atan2")


@op(promote="arith", ufunc=np.hypot, method=True, inplace=True, refuse=("hypot_cpu", "bic"))
def hypot(input: Array, other: Array):
    """``sqrt(input ** 2 + other ** 2)`` without overflow. Floating dtypes only, else NotImplementedError."""
    return np.hypot(input, other)


hypot.derivative(input=lambda g, input, out: g * (input / out), other=lambda g, other, out: g * (other / out))


def _no_complex_angle(name):
    def check(input):
        if kind_of(input) == "c":
            raise RuntimeError(f"{name} is not supported for complex tensors.\nConvert the real and "
                               "imaginary parts.")
    return check


@op(promote="float", method=True, inplace=True, check=_no_complex_angle("deg2rad"),
    grad_name="Deg2RadBackward0")
def deg2rad(input: Array):
    """Degrees to radians."""
    return input * input.dtype.type(math.pi / 180)


deg2rad.derivative(input=lambda g: g * (math.pi / 180))


@op(promote="float", method=True, inplace=True, check=_no_complex_angle("rad2deg"),
    grad_name="Rad2DegBackward0")
def rad2deg(input: Array):
    """Radians to degrees."""
    return input * input.dtype.type(180 / math.pi)


rad2deg.derivative(input=lambda g: g * (180 / math.pi))


# ---------------------------------------------------------------- rounding

def _refuse_rounding(name, input):
    if kind_of(input) == "c":
        raise NotImplementedError(f"{name} is not supported for complex inputs\nRound the real and imaginary "
                                  "parts.")
    refuse(name + "_vml_cpu", input)


@op(promote="arith", method=True, inplace=True)
def ceil(input: Array):
    """The least whole number that is not below. The gradient of rounding is 0."""
    _refuse_rounding("ceil", input)
    return np.ceil(input)


@op(promote="arith", method=True, inplace=True)
def floor(input: Array):
    """The greatest whole number that is not above."""
    _refuse_rounding("floor", input)
    return np.floor(input)


@op(promote="arith", method=True, inplace=True)
def trunc(input: Array):
    """The whole part: rounded towards zero."""
    _refuse_rounding("trunc", input)
    return np.trunc(input)


for _op in (ceil, floor, trunc):
    _op.derivative(input=lambda g: no_gradient(g))
alias("fix", "trunc")


@op(name="round", promote="arith", method=True, inplace=True, refuse=("round_vml_cpu", "bc"),
    grad_name=lambda input, decimals: "RoundBackward1" if decimals else "RoundBackward0")
def round_(input: Array, *, decimals=0):
    """Rounded to the nearest whole number, halves to the even one; or to so many ``decimals`` (negative:
    tens, hundreds...).

    Example::

        >>> import rushlight as torch
        >>> torch.round(torch.tensor([0.5, 1.5, 2.345]))
        tensor([0., 2., 2.])
    """
    if decimals == 0:
            return np.rint(input).astype(input.dtype, copy=False)
    refuse("round_cpu", input, kinds="biuc")
    return kernels.round_decimals(input, decimals)


round_.derivative(input=lambda g: no_gradient(g))


@op(promote="arith", method=True, inplace=True, refuse=("frac_cpu", "bic"))
def frac(input: Array):
    """``input - trunc(input)``. Floating dtypes only, else NotImplementedError."""
    return input - np.trunc(input)


frac.derivative(input=lambda g: g)


@op(method=True, returns=("mantissa", "exponent"))
def frexp(input: Array):
    """(mantissa, exponent) with ``input == mantissa * 2 ** exponent`` and a mantissa in (-1, -0.5] or [0.5,
    1), or zero.
    """
    if kind_of(input) != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes\nConvert the tensor with "
                           ".float().")
    mantissa, exponent = np.frexp(input)
    finite = np.isfinite(input)
    return np.asarray(mantissa, input.dtype), np.where(finite, exponent, 0).astype(np.int32)


frexp.derivative(input=lambda g0, out1: both.ldexp(g0, -out1))


@op(promote="float", method=True, inplace=True)
def ldexp(input: Array, other: Array):
    """``input * 2 ** other``."""
    places = np.rint(other)
    if kind_of(input) == "f" and np.array_equal(places, other):
        return np.ldexp(input, np.minimum(np.maximum(places, -5000), 5000).astype(np.int32))
    return input * np.exp2(other)


ldexp.derivative(input=lambda g, other: g * both.conj(both.exp2(other)), other=lambda g,
                 out: g * (both.conj(out) * _LN2))


# ---------------------------------------------------------------- signs

@op(promote="arith", method=True, inplace=True)
def sgn(input: Array):
    """``sign`` for real numbers; for complex ones ``input / abs(input)``, and 0 at 0."""
    if input.dtype.kind == "c":
        return kernels.unit(input)
    return kernels.sign(input)


def _sgn_gradient(g, input, out):
    """0 for real numbers; for complex ones the part of ``g`` across the direction of ``input``, over its
    length.
    """
    if "complex" not in str(input.dtype):
        return no_gradient(g)
    size = both.abs(input)
    across = g - out * both.real(both.conj(out) * g)
    return both.where(size == 0, 0, across / size)


sgn.derivative(input=_sgn_gradient)


@op(promote="arith", method=True, inplace=True)
def sign(input: Array):
    """-1, 0 or 1 as the element is negative, zero or positive; complex numbers raise NotImplementedError
    (see ``sgn``).
    """
    if input.dtype.kind == "c":
        raise NotImplementedError("Unlike NumPy, torch.sign is not intended to support complex numbers. "
                                  "Please use torch.sgn "
                                  "instead.")
    return kernels.sign(input)


sign.derivative(input=lambda g: no_gradient(g))


@op(method=True, differentiable=False)
def signbit(input: Array):
    """Whether the sign is negative: a bool tensor; true for -0.0."""
    kind = kind_of(input)
    if kind == "c":
        raise NotImplementedError("signbit is not implemented for complex tensors.\nUse the real or "
                                  "imaginary part.")
    return np.signbit(input) if kind == "f" else np.less(input, 0)


@op(promote="float", method=True, inplace=True,
    refuse=("copysign_cpu", "c"),
    grad_name=lambda input, other: "CopysignBackward0" if isinstance(other, Tensor) else "CopysignBackward1")
def copysign(input: Array, other: Operand):
    """The size of ``input`` with the sign of ``other``."""
    return np.copysign(input, other)


copysign.derivative(input=lambda g, input, out: both.where(input == 0, 0, g * (out / input)),
                    other=lambda g: no_gradient(g))


# ---------------------------------------------------------------- fused arithmetic

def _value_of(value, like):
    """``value`` as PyTorch casts it to the dtype it computes in: a whole number for integers."""
    return int(value) if kind_of(like) in "iu" else value


@op(promote="arith", method=True, inplace=True, refuse=("addcmul_cpu_out", "b"))
def addcmul(input: Array, tensor1: Array, tensor2: Array, *, value=1):
    """``input + value * tensor1 * tensor2``, element by element."""
    product = tensor1 * tensor2 if value == 1 else tensor1 * _value_of(value, input) * tensor2
    return input + product


addcmul.derivative(input=lambda g: g, tensor1=lambda g, tensor2, value: g * both.conj(tensor2 * value),
                   tensor2=lambda g, tensor1, value: g * both.conj(tensor1 * value))


def check_addcdiv(input, tensor1, tensor2, value=1):
    if kind_of(tensor1) in "biu" and kind_of(tensor2) in "biu":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
            "perform a true division "
            "of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
            "torch.trunc(tensor1 / "
            "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
            "float inputs. The "
            "future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
            "for all dtypes.")


@op(promote="arith", method=True, inplace=True, check=check_addcdiv)
def addcdiv(input: Array, tensor1: Array, tensor2: Array, *, value=1):
    """``input + value * tensor1 / tensor2``, element by element; RuntimeError for two integer tensors."""
    quotient = tensor1 / tensor2
    return input + (quotient if value == 1 else quotient * value)


addcdiv.derivative(input=lambda g: g, tensor1=lambda g, tensor2, value: g * both.conj(value / tensor2),
                   tensor2=lambda g, tensor1, tensor2,
                   value: -g * both.conj(value * tensor1 / (tensor2 * tensor2)))


def _lower(x):
    return {"Float": "float", "Double": "double", "Long": "long int", "Half": "c10::Half",
            "BFloat16": "c10::BFloat16",
            "Int": "int", "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>",
            "Bool": "bool"}.get(dtype_name(x), dtype_name(x))


def check_lerp(input, end, weight):
    for name, x in (("end", end), ("weight", weight)):
        if isinstance(x, np.ndarray) and x.dtype != input.dtype and (name == "end" or x.ndim
                                                                     or kind_of(x) != "f"):
            raise RuntimeError(f"expected dtype {_lower(input)} for `{name}` but got dtype "
                               f"{_lower(x)}\nConvert one of them.")
    refuse("lerp_kernel_tensor" if isinstance(weight, np.ndarray) else "lerp_kernel_scalar", input,
           kinds="biu")
    if not isinstance(weight, np.ndarray) and kind_of(weight) == "c" and kind_of(input) != "c":
        raise RuntimeError(f"value cannot be converted to type {_lower(input)} without overflow\nGive a real "
                           "weight.")


@op(promote="arith", method=True, inplace=True, check=check_lerp,
    grad_name=lambda input, end, weight: "LerpBackward1" if isinstance(weight, Tensor) else "LerpBackward0")
def lerp(input: Array, end: Array, weight: Operand):
    """``input + weight * (end - input)``: on the way from ``input`` to ``end``. All of one floating or
    complex dtype.

    Example::

        >>> import rushlight as torch
        >>> torch.lerp(torch.tensor([0., 10.]), torch.tensor([1., 20.]), 0.5)
        tensor([ 0.5000, 15.0000])
    """
    way = end - input
    if getattr(weight, "ndim", 0) == 0:         # from the nearer end, which loses fewer digits
        return input + weight * way if abs(weight) < 0.5 else end - way * (1 - weight)
    return np.where(np.abs(weight) < 0.5, input + weight * way, end - way * (1 - weight))


lerp.derivative(input=lambda g, weight: g * both.conj(1 - weight), end=lambda g,
                weight: g * both.conj(weight),
                weight=lambda g, input, end: g * both.conj(end - input))


# ---------------------------------------------------------------- divisors

@op(promote="arith", method=True, inplace=True, refuse=("gcd_cpu", "bfc"))
def gcd(input: Array, other: Array):
    """The greatest common divisor of whole numbers, not negative. Integer dtypes only, else
    NotImplementedError.
    """
    return np.gcd(input, other)


@op(promote="arith", method=True, inplace=True, refuse=("lcm_cpu", "bfc"))
def lcm(input: Array, other: Array):
    """The least common multiple of whole numbers, not negative. Integer dtypes only, else
    NotImplementedError.
    """
    return np.lcm(input, other)


# ---------------------------------------------------------------- NaN and infinity

@op(method=True, ufunc=np.isnan, differentiable=False)
def isnan(input: Array):
    """Whether each element is NaN: a bool tensor."""
    return np.isnan(input)


@op(method=True, ufunc=np.isinf, differentiable=False)
def isinf(input: Array):
    """Whether each element is infinite: a bool tensor."""
    return np.isinf(input)


@op(method=True, ufunc=np.isfinite, differentiable=False)
def isfinite(input: Array):
    """Whether each element is neither infinite nor NaN: a bool tensor."""
    return np.isfinite(input)


def _infinite(name, sign):
    def kernel(input: Array):
        if kind_of(input) == "c":
            raise RuntimeError(f"{name} does not support complex inputs.\nUse the real or imaginary part.")
        return np.equal(input, sign * math.inf) if kind_of(input) == "f" else np.zeros(input.shape, bool)
    kernel.__name__ = name
    kernel.__doc__ = f"Whether each element is {'plus' if sign > 0 else 'minus'} infinity: a bool tensor."
    return op(method=True, differentiable=False)(kernel)


isposinf, isneginf = _infinite("isposinf", 1), _infinite("isneginf", -1)


@op(method=True, differentiable=False)
def isreal(input: Array):
    """Whether each element has no imaginary part: a bool tensor."""
    return np.imag(input) == 0 if kind_of(input) == "c" else np.ones(input.shape, bool)


def _limits(input, nan, posinf, neginf):
    info = dtypes.finfo(dtypes.of(input.real.dtype if kind_of(input) == "c" else input.dtype))
    return nan or 0.0, info.max if posinf is None else posinf, info.min if neginf is None else neginf


def _finite(x, nan, high, low):
    x = np.where(np.isnan(x), x.dtype.type(nan), x)
    return np.where(np.isinf(x), np.where(x > 0, x.dtype.type(high), x.dtype.type(low)), x)


@op(method=True, inplace=True, grad_name="NanToNumBackward0")
def nan_to_num(input: Array, nan=None, posinf=None, neginf=None):
    """NaN replaced by ``nan`` (0) and the infinities by ``posinf`` and ``neginf`` (the dtype's largest and
    least number).

    Example::

        >>> import rushlight as torch
        >>> torch.nan_to_num(torch.tensor([float("nan"), 1.]))
        tensor([0., 1.])
    """
    if kind_of(input) not in "fc":
        return input.copy()
    given = _limits(input, nan, posinf, neginf)
    if kind_of(input) == "f":
        return _finite(np.asarray(input), *given)
    out = np.empty_like(input)
    out.real, out.imag = _finite(np.asarray(input.real), *given), _finite(np.asarray(input.imag), *given)
    return out


nan_to_num.derivative(input=lambda g, input: both.where(both.isfinite(input), g, 0))

for _name in ("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos",
              "atan", "sinh", "cosh",
              "tanh", "asinh", "acosh", "atanh", "deg2rad", "rad2deg", "ceil", "floor", "trunc", "round",
              "frac", "nan_to_num",
              "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "fix", "ldexp", "gcd", "lcm"):
    namespaces["torch"][_name + "_"] = getattr(Tensor, _name + "_")
