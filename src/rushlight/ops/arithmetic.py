"""Arithmetic on tensors and numbers, and the operators + - * / // % ** of Tensor.

Where integers and rounding follow rules of their own, the arithmetic is in ``kernels/pointwise``.
"""
import numpy as np

from .. import dtypes
from ..kernels.pointwise import (
    c_modulo,
    dtype_name,
    floored_quotient,
    kind_of,
    modulo,
    power,
    refuse,
    truncated_quotient,
)
from ..tensor import Tensor, wrap
from .call import NUMBER
from .declare import Array, Operand, both, composite, op
from .generate import inplace_function, operator_function
from .overload import overloads
from .table import alias

__all__ = []


def no_gradient(g):
    """Zeros like ``g``: the gradient of what does not change with its input."""
    return wrap(np.zeros_like(g._a)) if isinstance(g, Tensor) else np.zeros_like(g)


def check_alpha(input, other, alpha, name="add"):
    """What PyTorch refuses as ``alpha``."""
    if alpha.__class__ is int and alpha == 1:
        return
    if not isinstance(alpha, (*NUMBER, Tensor)):
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}\nIt multiplies the second operand.")
    kinds = kind_of(input) + kind_of(other)
    if isinstance(alpha, (bool, np.bool_)) and kinds != "bb":
        raise RuntimeError("Boolean alpha only supported for Boolean results.\nGive a number of the tensors' "
                           "own kind.")
    if isinstance(alpha, (complex, np.complexfloating)) and "c" not in kinds:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number."
                           "\nConvert a tensor to complex first.")
    if isinstance(alpha, (float, np.floating)) and "f" not in kinds and "c" not in kinds:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number."
                           "\nConvert a tensor to floating point first.")


def scaled(x, alpha):
    """``x * alpha`` in the dtype of ``x``."""
    if alpha == 1:
        return x
    if kind_of(x) == "b":
        return x & bool(alpha)
    return x * (int(alpha) if isinstance(alpha, (bool, np.bool_)) else alpha)


def check_subtraction(input, other, alpha=1):
    first, second = kind_of(input) == "b", kind_of(other) == "b"
    if first and second:
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the "
                           "`^` or "
                           "`logical_xor()` operator instead.")
    if first or second:
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
                           "trying to invert "
                           "a mask, use the `~` or `logical_not()` operator instead.")
    check_alpha(input, other, alpha, "sub")


# ---------------------------------------------------------------- sums and differences

@op(promote="arith", ufunc=np.add, integers=True, method=True, inplace=True, check=check_alpha)
def add(input: Operand, other: Operand, *, alpha=1):
    """``input + alpha * other``, element by element.

    Shapes broadcast; the dtype is PyTorch's promotion of both. ``alpha`` must be a number of the result's
    category, else RuntimeError.

    Example::

        >>> import rushlight as torch
        >>> torch.add(torch.tensor([1., 2.]), torch.tensor([10., 20.]), alpha=2)
        tensor([21., 42.])
    """
    return np.add(input, other if alpha == 1 else scaled(other, alpha))


add.derivative(input=lambda g: g, other=lambda g, alpha: g if alpha == 1 else g * conjugate(alpha))


def conjugate(number):
    """The conjugate of a Python number."""
    return number.conjugate() if isinstance(number, complex) else number


@op(promote="arith", ufunc=np.subtract, integers=True, method=True, inplace=True, check=check_subtraction)
def sub(input: Operand, other: Operand, *, alpha=1):
    """``input - alpha * other``, element by element; RuntimeError for bool tensors.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1., 2.]) - 1
        tensor([0., 1.])
    """
    return np.subtract(input, other if alpha == 1 else scaled(other, alpha))


sub.derivative(input=lambda g: g, other=lambda g, alpha: -g if alpha == 1 else g * -conjugate(alpha))


@op(promote="arith", method=True, out=False, check=check_subtraction,
    grad_name=lambda input, other, alpha: "RsubBackward0" if isinstance(other, Tensor) else "RsubBackward1")
def rsub(input: Array, other: Operand, *, alpha=1):
    """``other - alpha * input``: subtraction with its operands exchanged."""
    return np.subtract(other, input if alpha == 1 else scaled(input, alpha))


rsub.derivative(input=lambda g, alpha: -g if alpha == 1 else g * -conjugate(alpha), other=lambda g: g)


# ---------------------------------------------------------------- products and quotients

@op(promote="arith", ufunc=np.multiply, integers=True, method=True, inplace=True, holomorphic=True)
def mul(input: Operand, other: Operand):
    """The product of ``input`` and ``other``, element by element.

    Shapes broadcast; the dtype is PyTorch's promotion of both.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1., 2.]) * 3
        tensor([3., 6.])
    """
    return np.multiply(input, other)


mul.derivative(input=lambda g, other: g * other, other=lambda g, input: g * input)


@op(name="div", promote="float", ufunc=np.true_divide, inplace=True, function=False)
def true_quotient(input: Operand, other: Operand):
    """``input / other``, element by element; integers give the default floating dtype."""
    return np.true_divide(input, other)


true_quotient.derivative(input=lambda g, other: g / both.conj(other),
                         other=lambda g, input, other: -g * both.conj((input / other) / other))


@op(promote="arith", function=False, inplace=True, grad_name="DivBackward2", refuse=("div_trunc_cpu", "bc"))
def div_trunc(input: Operand, other: Operand):
    """``input / other`` rounded towards zero."""
    return truncated_quotient(input, other)


@op(promote="arith", function=False, inplace=True, grad_name="DivBackward2", refuse=("div_floor_cpu", "bc"))
def div_floor(input: Operand, other: Operand):
    """``input / other`` rounded downwards."""
    return floored_quotient(input, other)


for _op in (div_trunc, div_floor):
    _op.derivative(input=lambda g: no_gradient(g), other=lambda g: no_gradient(g))


def _quotient(rounding_mode):
    """The operator for a rounding mode."""
    if rounding_mode == "trunc":
        return div_trunc
    if rounding_mode == "floor":
        return div_floor
    raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                       f"'{rounding_mode}'"
                       "\nUse one of these.")


_divide, _divide_in_place = true_quotient.public, true_quotient.inplace_public


@overloads(true_quotient)
def div(input, other, *, rounding_mode=None, out=None):
    """``input / other``, element by element; integers give the default floating dtype.

    ``rounding_mode="trunc"`` rounds towards zero as in C, ``"floor"`` downwards as ``//`` in Python; both
    keep integer dtypes, and raise RuntimeError where an integer is divided by zero.

    Example::

        >>> import rushlight as torch
        >>> torch.div(torch.tensor([-7, 7]), 2), torch.div(torch.tensor([-7, 7]), 2, rounding_mode="floor")
        (tensor([-3.5000,  3.5000]), tensor([-4,  3]))
    """
    if rounding_mode is None:
        return _divide(input, other, out=out)
    return _quotient(rounding_mode).public(input, other, out=out)


def div_(input, other, *, rounding_mode=None):
    """In-place version of ``div``."""
    if rounding_mode is None:
        return _divide_in_place(input, other)
    return _quotient(rounding_mode).inplace_public(input, other)


Tensor.div_ = div_


@op(promote="arith", method=True, inplace=True, refuse=("div_floor_cpu", "bc"))
def floor_divide(input: Operand, other: Operand):
    """``input // other``: the quotient rounded downwards. Not differentiable, as in PyTorch."""
    return floored_quotient(input, other)


def _remainder_name(input, other):
    return "RemainderBackward1" if isinstance(other, Tensor) else "RemainderBackward0"


@op(promote="arith", method=True, inplace=True, grad_name=_remainder_name, refuse=("remainder_cpu", "bc"))
def remainder(input: Operand, other: Operand):
    """``input % other`` with the sign of ``other``, as in Python; integers modulo zero raise RuntimeError.

    Example::

        >>> import rushlight as torch
        >>> torch.remainder(torch.tensor([-3., 3.]), 2)
        tensor([1., 1.])
    """
    return modulo(input, other)


remainder.derivative(input=lambda g: g, other=lambda g, input, other: -g * both.div_floor(input, other))


@op(promote="arith", method=True, inplace=True,
    grad_name=lambda input, other: "FmodBackward1" if isinstance(other, Tensor) else "FmodBackward0",
    refuse=("fmod_cpu", "bc"))
def fmod(input: Array, other: Operand):
    """The remainder of C's division: it has the sign of ``input``; integers modulo zero raise
    RuntimeError.
    """
    return c_modulo(input, other)


fmod.derivative(input=lambda g: g, other=lambda g, input, other: -g * both.trunc(input / other))


@op(promote="float", ufunc=np.reciprocal, method=True, inplace=True)
def reciprocal(input: Array):
    """``1 / input``; integers give the default floating dtype."""
    return np.reciprocal(input)


reciprocal.derivative(input=lambda g, out: -g * both.conj(out * out))


# ---------------------------------------------------------------- signs

def check_negation(input):
    if kind_of(input) == "b":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying "
                           "to invert a mask, "
                           "use the `~` or `logical_not()` operator instead.")


@op(promote="arith", ufunc=np.negative, method=True, inplace=True, check=check_negation)
def neg(input: Array):
    """``-input``; RuntimeError for bool tensors."""
    return np.negative(input)


neg.derivative(input=lambda g: -g)


@composite(method=True)
def positive(input):
    """``input`` itself; RuntimeError for bool tensors."""
    if input._a.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.\nConvert it to integers "
                           "first.")
    return input


@op(name="abs", method=True, inplace=True, promote="arith", refuse=("abs_cpu", "b"))
def abs_(input: Array):
    """The absolute value; of complex numbers the modulus, which is real. The gradient at 0 is 0.

    Example::

        >>> import rushlight as torch
        >>> torch.abs(torch.tensor([-1., 2.]))
        tensor([1., 2.])
    """
    return np.absolute(input)


abs_.derivative(input=lambda g, input: g * both.sgn(input))


def _abs_in_place(input):
    """In-place version of ``abs``; RuntimeError for complex tensors, whose absolute values are real."""
    if kind_of(input._a) == "c":
        raise RuntimeError("In-place abs is not supported for complex tensors.\nUse the out-of-place "
                           "function.")
    return abs_.inplace_public(input)


Tensor.abs_ = _abs_in_place


# ---------------------------------------------------------------- powers

_C_NAMES = {"int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t"}


def check_power(input, exponent):
    """Whole exponents of whole numbers that PyTorch refuses."""
    if isinstance(exponent, np.ndarray):
        if kind_of(input) == "b" and kind_of(exponent) == "b":
            refuse("pow", exponent)
    elif kind_of(exponent) == "i" and kind_of(input) in "biu":
        if exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.\nConvert the tensor to "
                               "floating point first.")
        if kind_of(input) != "b" and exponent > np.iinfo(input.dtype).max:
            name = _C_NAMES.get(input.dtype.name, input.dtype.name)
            raise RuntimeError(f"value cannot be converted to type {name} without overflow"
                               "\nThe exponent must fit the tensor's dtype.")


def _pow_name(input, exponent):
    if not isinstance(exponent, Tensor):
        return "PowBackward0"
    return "PowBackward1" if isinstance(input, Tensor) else "PowBackward2"


@op(name="pow", promote="arith", method=True, inplace=True, check=check_power, grad_name=_pow_name)
def pow_(input: Operand, exponent: Operand):
    """``input ** exponent``, element by element; either may be a number.

    Integer tensors to a negative whole number raise RuntimeError. The gradient is 0 where the exponent is 0.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1., 2., 3.]) ** 2
        tensor([1., 4., 9.])
    """
    return power(input, exponent)


def power_gradient(g, input, exponent):
    """``g * exponent * input ** (exponent - 1)``, and 0 where the exponent is 0, whatever the base."""
    if exponent.ndim == 0 and not isinstance(exponent, Tensor):
        if exponent == 2:
            return g * (2 * both.conj(input))
        return no_gradient(g) if exponent == 0 else g * both.conj(exponent * both.pow(input, exponent - 1))
    return both.where(exponent == 0, 0, g * both.conj(exponent * both.pow(input, exponent - 1)))


def exponent_gradient(g, input, exponent, out):
    """``g * out * log(input)``, which is taken as 0 where a zero base has an exponent whose real part is not
    negative.
    """
    flat = both.logical_and(input == 0, both.real(exponent) >= 0)
    return g * both.where(flat, 0, both.conj(out * both.log(input)))


pow_.derivative(input=power_gradient, exponent=exponent_gradient)


@op(promote="float", ufunc=np.sqrt, method=True, inplace=True)
def sqrt(input: Array):
    """The square root; nan for negative real numbers. The gradient at 0 is infinite."""
    return np.sqrt(input)


sqrt.derivative(input=lambda g, out: g / (2 * both.conj(out)))


@op(promote="float", method=True, inplace=True)
def rsqrt(input: Array):
    """``1 / sqrt(input)``."""
    return np.reciprocal(np.sqrt(input))


rsqrt.derivative(input=lambda g, out: -0.5 * g * both.conj(out * out * out))


@op(promote=lambda common: dtypes.int64 if common is dtypes.bool_ else common, ufunc=np.square, method=True,
    inplace=True,
    grad_name="PowBackward0")
def square(input: Array):
    """``input * input``; bool becomes int64."""
    return np.square(input)


square.derivative(input=lambda g, input: g * (2 * both.conj(input)))


def _float_power_dtype(common):
    return dtypes.complex128 if common.category == dtypes.COMPLEX else dtypes.float64


def _float_power_in_place(self, exponent):
    """``self`` replaced by ``torch.float_power(self, exponent)``; RuntimeError unless it has the result's
    dtype already.
    """
    result = float_power.public(self, exponent)
    if result._a.dtype != self._a.dtype:
        raise RuntimeError(f"the base given to float_power_ has dtype {dtype_name(self._a)} but the "
                           "operation's result requires "
                           f"dtype {dtype_name(result._a)}\nUse the out-of-place function.")
    return pow_.inplace_public(self, exponent)


@op(promote=_float_power_dtype, method=True, grad_name=_pow_name)
def float_power(input: Operand, exponent: Operand):
    """``input ** exponent`` computed in float64 (or complex128), whatever the dtypes."""
    return power(input, exponent)


float_power.derivative(input=power_gradient, exponent=exponent_gradient)
Tensor.float_power_ = _float_power_in_place


# ---------------------------------------------------------------- the operators of Tensor

def _true_divide_reflected(self, other):
    """``other / self``: as PyTorch, the reciprocal times ``other``."""
    return reciprocal.public(self) * other if isinstance(other, (Tensor, *NUMBER)) else NotImplemented


def reflected(function):
    """The method that Python calls for ``other <operator> self`` when ``other`` does not know Tensors."""
    def method(self, other):
        return function(other, self) if isinstance(other, (Tensor, *NUMBER)) else NotImplemented
    return method


for _name, _op in (("add", add), ("sub", sub), ("mul", mul), ("truediv", true_quotient),
                   ("floordiv", floor_divide), ("mod", remainder),
                   ("pow", pow_)):
    setattr(Tensor, f"__{_name}__", operator_function(_op))
    setattr(Tensor, f"__i{_name}__", inplace_function(_op, operator=True))
Tensor.__radd__, Tensor.__rmul__, Tensor.__rsub__ = Tensor.__add__, Tensor.__mul__, operator_function(rsub)
Tensor.__div__, Tensor.__idiv__ = Tensor.__truediv__, Tensor.__itruediv__
Tensor.__rtruediv__ = Tensor.__rdiv__ = _true_divide_reflected
Tensor.__rfloordiv__ = reflected(floor_divide.public)
Tensor.__rmod__ = reflected(remainder.public)
Tensor.__rpow__ = reflected(pow_.public)
Tensor.__neg__, Tensor.__abs__, Tensor.__pos__ = neg.public, abs_.public, Tensor.positive

for _new, _old in (("subtract", "sub"), ("multiply", "mul"), ("divide", "div"), ("true_divide", "div"),
                   ("negative", "neg"),
                   ("absolute", "abs")):
    alias(_new, _old)
