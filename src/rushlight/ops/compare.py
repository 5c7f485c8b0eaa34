"""Comparisons, extremes of two, clamping, and logic: what answers yes or no, or chooses.

Comparisons promote their operands as arithmetic does and give bool. Ties share a gradient in halves between
the two operands of ``maximum`` and ``minimum``; NaN wins there, and loses in ``fmax`` and ``fmin``.
"""
import numpy as np

from ..kernels.pointwise import dtype_name, kind_of
from ..tensor import Tensor
from .declare import Array, Operand, both, composite, op
from .generate import operator_function
from .table import alias

__all__ = []


# ---------------------------------------------------------------- comparisons

def _comparison(name, function, symbol, ordered=True):
    """Declare ``name``: the comparison written ``symbol``."""
    def kernel(input: Array, other: Operand):
        return function(input, other)
    kernel.__name__ = name
    kernel.__doc__ = (f"``input {symbol} other``, element by element: a bool tensor.\n\nShapes broadcast."
                      + (" Complex numbers have no order: NotImplementedError." if ordered else ""))
    return op(promote="compare", ufunc=function, integers=True, method=True, inplace=True,
              differentiable=False,
              refuse=(name + "_cpu", "c") if ordered else None)(kernel)


eq = _comparison("eq", np.equal, "==", ordered=False)
ne = _comparison("ne", np.not_equal, "!=", ordered=False)
lt = _comparison("lt", np.less, "<")
le = _comparison("le", np.less_equal, "<=")
gt = _comparison("gt", np.greater, ">")
ge = _comparison("ge", np.greater_equal, ">=")

for _op in (eq, ne, lt, le, gt, ge):
    setattr(Tensor, f"__{_op.name}__", operator_function(_op, arrays=_op is eq))
for _new, _old in (("not_equal", "ne"), ("less", "lt"), ("less_equal", "le"), ("greater", "gt"),
                   ("greater_equal", "ge")):
    alias(_new, _old)


# ---------------------------------------------------------------- the greater or lesser of two

def _refuse_complex(name):
    def check(input, other):
        for x in (input, other):
            if kind_of(x) == "c":
                raise RuntimeError(f"{name} not implemented for complex tensors.\nCompare their abs() or "
                                   "real parts.")
    return check


@op(promote="arith", ufunc=np.maximum, method=True, check=_refuse_complex("maximum"))
def maximum(input: Array, other: Array):
    """The greater of two, element by element; NaN if either is. Where both are equal each gets half of the
    gradient.

    Example::

        >>> import rushlight as torch
        >>> torch.maximum(torch.tensor([1., 5.]), torch.tensor([3., 2.]))
        tensor([3., 5.])
    """
    return np.maximum(input, other)


maximum.derivative(
    input=lambda g, input, other: both.where(input < other, 0, both.where(input == other, g / 2, g)),
    other=lambda g, input, other: both.where(input > other, 0, both.where(input == other, g / 2, g)))


@op(promote="arith", ufunc=np.minimum, method=True, check=_refuse_complex("minimum"))
def minimum(input: Array, other: Array):
    """The lesser of two, element by element; NaN if either is. Where both are equal each gets half of the
    gradient.
    """
    return np.minimum(input, other)


minimum.derivative(
    input=lambda g, input, other: both.where(input > other, 0, both.where(input == other, g / 2, g)),
    other=lambda g, input, other: both.where(input < other, 0, both.where(input == other, g / 2, g)))


@op(promote="arith", ufunc=np.fmax, method=True, check=_refuse_complex("fmax"))
def fmax(input: Array, other: Array):
    """The greater of two, element by element; NaN only if both are. On ties ``input`` gets the gradient."""
    return np.fmax(input, other)


fmax.derivative(
    input=lambda g, input, other: both.where(both.logical_or(input >= other, both.isnan(other)), g, 0),
    other=lambda g, input, other: both.where(both.logical_or(input >= other, both.isnan(other)), 0, g))


@op(promote="arith", ufunc=np.fmin, method=True, check=_refuse_complex("fmin"))
def fmin(input: Array, other: Array):
    """The lesser of two, element by element; NaN only if both are. On ties ``input`` gets the gradient."""
    return np.fmin(input, other)


fmin.derivative(
    input=lambda g, input, other: both.where(both.logical_or(input <= other, both.isnan(other)), g, 0),
    other=lambda g, input, other: both.where(both.logical_or(input <= other, both.isnan(other)), 0, g))


# ---------------------------------------------------------------- clamping

def check_clamp(input, min=None, max=None):
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None\nGive a lower or an "
                           "upper bound.")
    for x in (input, min, max):
        if x is not None and kind_of(x) == "c":
            raise NotImplementedError("clamp is not supported for complex types\nClamp the real and "
                                      "imaginary parts.")


@op(promote="arith", method=True, inplace=True, check=check_clamp,
    grad_name=lambda input, min, max: "ClampBackward0" if isinstance(min, Tensor) or isinstance(max, Tensor)
    else "ClampBackward1")
def clamp(input: Array, min: Operand = None, max: Operand = None):
    """``input`` with what is below ``min`` raised to it and what is above ``max`` lowered to it.

    The bounds are numbers or tensors that broadcast; either may be left out (RuntimeError if both are). If
    ``min`` is above ``max`` the result is ``max``. Elements on a bound pass their gradient on.

    Example::

        >>> import rushlight as torch
        >>> torch.clamp(torch.tensor([-1., 0.5, 2.]), 0, 1)
        tensor([0.0000, 0.5000, 1.0000])
    """
    if min is None:
        return np.minimum(max, input)
    raised = np.maximum(min, input)      # of equals NumPy takes the second: a -0.0 stays
    return raised if max is None else np.minimum(max, raised)


def _inside(g, input, min, max):
    if max is None:
        return both.where(input >= min, g, 0)
    if min is None:
        return both.where(input <= max, g, 0)
    return both.where(both.logical_and(input >= min, input <= max), g, 0)


def _below(g, input, min, max):
    below = input < min
    return both.where(below if max is None else both.logical_and(below, min < max), g, 0)


def _above(g, input, min, max):
    above = input > max
    return both.where(above if min is None else both.logical_or(above, max < min), g, 0)


clamp.derivative(input=_inside, min=_below, max=_above)


@op(promote="arith", ufunc=np.maximum, method=True, inplace=True, check=check_clamp,
    grad_name=lambda input, min: "ClampMinBackward1" if isinstance(min, Tensor) else "ClampMinBackward0")
def clamp_min(input: Array, min: Operand):
    """``clamp`` with a lower bound only."""
    return np.maximum(input, min)


clamp_min.derivative(input=lambda g, input, min: both.where(input >= min, g, 0),
                     min=lambda g, input, min: both.where(input < min, g, 0))


@op(promote="arith", ufunc=np.minimum, method=True, inplace=True, check=check_clamp,
    grad_name=lambda input, max: "ClampMaxBackward1" if isinstance(max, Tensor) else "ClampMaxBackward0")
def clamp_max(input: Array, max: Operand):
    """``clamp`` with an upper bound only."""
    return np.minimum(input, max)


clamp_max.derivative(input=lambda g, input, max: both.where(input <= max, g, 0),
                     max=lambda g, input, max: both.where(input > max, g, 0))

alias("clip", "clamp")


# ---------------------------------------------------------------- logic

def _logic(name, function, text):
    def kernel(input: Array, other: Array):
        return function(input, other)
    kernel.__name__ = name
    kernel.__doc__ = f"{text}, element by element: a bool tensor. Numbers count as true unless they are zero."
    return op(promote="compare", ufunc=function, integers=True, method=True, inplace=True,
              differentiable=False)(kernel)


logical_and = _logic("logical_and", np.logical_and, "Whether both are true")
logical_or = _logic("logical_or", np.logical_or, "Whether one or both are true")
logical_xor = _logic("logical_xor", np.logical_xor, "Whether exactly one is true")


@op(promote="compare", ufunc=np.logical_not, integers=True, method=True, inplace=True, differentiable=False)
def logical_not(input: Array):
    """Whether each element is false (zero): a bool tensor."""
    return np.logical_not(input)


# ---------------------------------------------------------------- nearly equal

def check_isclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    if input.dtype != other.dtype:
        raise RuntimeError(f"{dtype_name(input)} did not match {dtype_name(other)}\nConvert one of them.")


@op(promote="compare", method=True, out=False, differentiable=False, check=check_isclose)
def isclose(input: Array, other: Array, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether ``abs(input - other) <= atol + rtol * abs(other)``, element by element: a bool tensor.

    Equal infinities are close; NaN is close to NaN only with ``equal_nan``. RuntimeError for different
    dtypes.
    """
    for name, x in (("rtol", rtol), ("atol", atol)):
        if x < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {x:g}\nTolerances are "
                               "not negative.")
    close = np.equal(input, other)
    if equal_nan and kind_of(input) in "fc":
        close = close | (np.isnan(input) & np.isnan(other))
    if rtol == 0 and atol == 0:
        return close
    if kind_of(input) in "biu":
        input, other = input.astype(np.float64), other.astype(np.float64)
    gap = np.abs(input - other)
    return close | (np.isfinite(gap) & (gap <= atol + np.abs(rtol * other)))


@composite(method=True)
def allclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether ``isclose`` holds for every element: a Python bool."""
    return bool(isclose.public(input, other, rtol, atol, equal_nan)._a.all())


@composite(method=True)
def equal(input, other):
    """Whether both have the same shape and the same elements: a Python bool.

    Example::

        >>> import rushlight as torch
        >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
        True
    """
    for i, (name, x) in enumerate((("input", input), ("other", other)), 1):
        if not isinstance(x, Tensor):
            raise TypeError(f"equal(): argument '{name}' (position {i}) must be Tensor, not "
                            f"{type(x).__name__}\nPass a Tensor.")
    return input._a.shape == other._a.shape and bool(np.all(np.equal(input._a, other._a)))
