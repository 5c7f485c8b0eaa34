"""Special functions of each element: error functions, the gamma family, Bessel's i0, sigmoid and logit,
xlogy and their kin.

The arithmetic is in ``kernels/special``. ``torch.special``'s other names of these functions are noted in its
namespace here.
"""
import math

import numpy as np

from ..kernels import special as kernels
from ..kernels.memory import ordered_like
from ..kernels.pointwise import kind_of
from ..tensor import Tensor
from .arithmetic import no_gradient
from .declare import Array, Operand, both, op
from .table import namespaces

__all__ = []


# ---------------------------------------------------------------- error functions

@op(promote="float", method=True, inplace=True, refuse=("erf_vml_cpu", "c"))
def erf(input: Array):
    """The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to ``input``.

    Example::

        >>> import rushlight as torch
        >>> torch.erf(torch.tensor([0., 1.]))
        tensor([0.0000, 0.8427])
    """
    return kernels.erf(input)


erf.derivative(input=lambda g, input: g * (2 / math.sqrt(math.pi) * both.exp(-input * input)))


@op(promote="float", method=True, inplace=True, refuse=("erfc_vml_cpu", "c"))
def erfc(input: Array):
    """``1 - erf(input)``, accurate where that is tiny."""
    return kernels.erfc(input)


erfc.derivative(input=lambda g, input: g * (-2 / math.sqrt(math.pi) * both.exp(-input * input)))


@op(promote="float", method=True, inplace=True, refuse=("erfinv_vml_cpu", "c"))
def erfinv(input: Array):
    """The inverse of ``erf``: infinite at -1 and 1, nan beyond."""
    return ordered_like(kernels.erfinv(input), input)


erfinv.derivative(input=lambda g, out: g * (math.sqrt(math.pi) / 2 * both.exp(out * out)))


# ---------------------------------------------------------------- the gamma family

@op(promote="float", method=True, inplace=True, refuse=("lgamma_vml_cpu", "c"))
def lgamma(input: Array):
    """The logarithm of the absolute value of the gamma function; infinite at 0, -1, -2...

    Example::

        >>> import rushlight as torch
        >>> torch.lgamma(torch.tensor([1., 5.]))     # log(0!), log(4!)
        tensor([0.0000, 3.1781])
    """
    return kernels.lgamma(input)


lgamma.derivative(input=lambda g, input: g * both.digamma(input))


@op(promote="float", method=True, inplace=True, refuse=("digamma", "c"))
def digamma(input: Array):
    """The derivative of ``lgamma``; infinite at 0 and nan at -1, -2..."""
    return kernels.digamma(input)


digamma.derivative(input=lambda g, input: g * both.polygamma(1, input))


def check_polygamma(n, input):
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}\nThe "
                        "order comes first.")
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.\nGive 0 or a positive order.")


@op(promote="float", check=check_polygamma, refuse=("polygamma", "c"))
def polygamma(n, input: Array):
    """The ``n``-th derivative of ``digamma``, for a whole ``n`` that is not negative, else RuntimeError."""
    return kernels.polygamma(n, input)


polygamma.derivative(input=lambda g, n, input: g * both.polygamma(n + 1, input))


def _polygamma_method(self, n):
    """``torch.polygamma(n, self)``."""
    return polygamma.public(n, self)


def _polygamma_in_place(self, n):
    """``self`` replaced by ``torch.polygamma(n, self)``."""
    return self.copy_(polygamma.public(n, self))


Tensor.polygamma, Tensor.polygamma_ = _polygamma_method, _polygamma_in_place


def check_mvlgamma(input, p):
    if isinstance(p, bool) or not isinstance(p, (int, np.integer)):
        raise TypeError(f"mvlgamma(): argument 'p' (position 2) must be int, not {type(p).__name__}\nIt is the number of dimensions.")
    if input.dtype == np.bool_:
        raise RuntimeError("The input tensor may not be a boolean tensor.\nConvert it with .float().")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1\nIt is the number of dimensions.")


@op(promote="float", method=True, inplace=True, check=check_mvlgamma, refuse=("mvlgamma", "c"))
def mvlgamma(input: Array, p):
    """The logarithm of the multivariate gamma function of dimension ``p`` (RuntimeError if below 1).

    It is the sum of ``lgamma(input - j / 2)`` over j below p, plus p (p - 1) / 4 log(pi).
    """
    total = 0
    for j in range(p):
        total = total + kernels.lgamma(input - j / 2)
    return total + input.dtype.type(p * (p - 1) / 4 * math.log(math.pi))


def _mvlgamma_gradient(g, input, p):
    total = both.digamma(input)
    for j in range(1, p):
        total = total + both.digamma(input - j / 2)
    return g * total


mvlgamma.derivative(input=_mvlgamma_gradient)


# ---------------------------------------------------------------- Bessel functions

@op(promote="float", method=True, inplace=True, refuse=("i0_vml_cpu", "c"))
def i0(input: Array):
    """The modified Bessel function of the first kind, order 0."""
    return kernels.i0(input)


i0.derivative(input=lambda g, input: g * both.special_i1(input))


@op(promote="float", function=False, refuse=("i1_cpu", "c"))
def special_i1(input: Array):
    """The modified Bessel function of the first kind, order 1."""
    return kernels.i1(input)


def _i1_gradient(g, input, out):
    zero = input == 0
    return g * both.where(zero, 0.5, both.i0(input) - out / both.where(zero, 1, input))


special_i1.derivative(input=_i1_gradient)


# ---------------------------------------------------------------- sigmoid, logit, sinc

@op(promote="float", method=True, inplace=True)
def sigmoid(input: Array):
    """``1 / (1 + exp(-input))``.

    Example::

        >>> import rushlight as torch
        >>> torch.sigmoid(torch.tensor([0., 2.]))
        tensor([0.5000, 0.8808])
    """
    denominator = np.exp(np.negative(input))
    denominator += 1
    return np.reciprocal(denominator)


sigmoid.derivative(input=lambda g, out: g * both.conj(out * (1 - out)))


@op(promote="float", method=True, inplace=True, refuse=("logit_cpu", "c"))
def logit(input: Array, eps=None):
    """``log(input / (1 - input))``, the inverse of sigmoid; nan outside [0, 1] unless ``eps`` is given, to
    whose interval [eps, 1 - eps] the input is then clamped.
    """
    if eps is not None:
        input = np.minimum(np.maximum(input, eps), 1 - eps)
    return np.log(input / (1 - input))


def _logit_gradient(g, input, eps):
    slope = g / (input * (1 - input))
    low, high, outside = (0, 1, math.nan) if eps is None else (eps, 1 - eps, 0)
    return both.where(both.logical_or(input < low, input > high), outside, slope)


logit.derivative(input=_logit_gradient)


@op(promote="float", method=True, inplace=True)
def sinc(input: Array):
    """``sin(pi * input) / (pi * input)``, and 1 at 0."""
    zero = input == 0
    angle = np.where(zero, 1, input) * input.dtype.type(math.pi)
    return np.where(zero, 1, np.sin(angle) / angle).astype(input.dtype, copy=False)


def _sinc_gradient(g, input):
    """The quotient rule, and 0 at 0 as in PyTorch (whose second derivative there is nan)."""
    angle = math.pi * input
    slope = (angle * both.cos(angle) - both.sin(angle)) / (angle * input)
    return both.where(input == 0, 0, g * both.conj(slope))


sinc.derivative(input=_sinc_gradient)


# ---------------------------------------------------------------- of two arguments

def _xlogy_name(input, other):
    if not isinstance(other, Tensor):
        return "XlogyBackward2"
    return "XlogyBackward0" if isinstance(input, Tensor) else "XlogyBackward1"


@op(promote="float", method=True, inplace=True, refuse=("xlogy_cpu", "c"), grad_name=_xlogy_name)
def xlogy(input: Operand, other: Operand):
    """``input * log(other)``, and 0 where ``input`` is 0 unless ``other`` is nan."""
    return np.where(np.logical_and(input == 0, ~np.isnan(other)), 0, input * np.log(other))


xlogy.derivative(
    input=lambda g, input, other:
        both.where(both.logical_and(input == 0, other <= 0), 0, both.xlogy(g, other)),
    other=lambda g, input, other: g * input / other)


@op(promote="arith", method=True, refuse=("logaddexp_cpu", "bi"))
def logaddexp(input: Array, other: Array):
    """``log(exp(input) + exp(other))`` without overflow. Floating and complex dtypes only, else
    NotImplementedError.
    """
    if kind_of(input) != "c":
        return np.logaddexp(input, other)
    larger = np.where(np.real(input) >= np.real(other), input, other)
    smaller = np.where(np.real(input) >= np.real(other), other, input)
    same = np.isinf(np.real(larger)) & (np.real(larger) == np.real(smaller))
    turn = larger + np.log1p(np.exp(np.where(same, 0, smaller - larger)))
    both_low = same & (np.real(larger) < 0)
    return np.where(both_low, larger, turn).astype(input.dtype)


logaddexp.derivative(input=lambda g, input, other: g / both.conj(1 + both.exp(other - input)),
                     other=lambda g, input, other: g / both.conj(1 + both.exp(input - other)))


@op(promote="arith", method=True, refuse=("logaddexp2_cpu", "bic"))
def logaddexp2(input: Array, other: Array):
    """``log2(2 ** input + 2 ** other)`` without overflow. Floating dtypes only, else NotImplementedError."""
    return np.logaddexp2(input, other)


logaddexp2.derivative(input=lambda g, input, other: g / (1 + both.exp2(other - input)),
                      other=lambda g, input, other: g / (1 + both.exp2(input - other)))


def check_heaviside(input, values):
    if kind_of(input) == "c" or kind_of(values) == "c":
        raise RuntimeError("heaviside is not yet implemented for complex tensors.\nUse the real part.")
    if input.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.\nConvert one "
                           "of them.")


@op(promote="arith", method=True, inplace=True, check=check_heaviside)
def heaviside(input: Array, values: Array):
    """0 where ``input`` is negative, 1 where it is positive, ``values`` where it is 0. Not differentiable,
    as in PyTorch.
    """
    return np.where(input == 0, values, input > 0).astype(input.dtype)


@op(promote="arith", opmath=False, method=True, inplace=True, refuse=("nextafter_cpu", "bic"))
def nextafter(input: Array, other: Array):
    """The next representable number after ``input`` towards ``other``. Floating dtypes only, else
    NotImplementedError.
    """
    return np.nextafter(input, other)


nextafter.derivative(input=lambda g, input, other: both.where(input == other, 0, g),
                     other=lambda g: no_gradient(g))

_special = namespaces["special"]
for _name, _op in (("erf", erf), ("erfc", erfc), ("erfinv", erfinv), ("gammaln", lgamma),
                   ("digamma", digamma), ("psi", digamma),
                   ("polygamma", polygamma), ("multigammaln", mvlgamma), ("i0", i0), ("i1", special_i1),
                   ("expit", sigmoid),
                   ("logit", logit), ("sinc", sinc), ("xlogy", xlogy)):
    _special[_name] = _op.public
