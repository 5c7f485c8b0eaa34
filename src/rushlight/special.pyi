"""Types of ``special``. Written by tools/make_stubs.py from the operators themselves; do not edit."""
from collections.abc import Sequence
from typing import Any

from .dtypes import dtype as _dtype
from .tensor import Number, Tensor, _bool, _int

def airy_ai(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Airy's function Ai, which solves y'' = x y and vanishes for large x. It has no derivative."""

def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, order 0. It has no derivative, as in PyTorch."""

def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, order 1. It has no derivative."""

def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, order 0: -inf at 0, nan below. It has no derivative."""

def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, order 1: -inf at 0, nan below. It has no derivative."""

def chebyshev_polynomial_t(
    x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """Chebyshev's polynomial of the first kind, of degree ``n``."""

def chebyshev_polynomial_u(
    x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """Chebyshev's polynomial of the second kind, of degree ``n``."""

def chebyshev_polynomial_v(
    x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """Chebyshev's polynomial of the third kind, of degree ``n``."""

def chebyshev_polynomial_w(
    x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """Chebyshev's polynomial of the fourth kind, of degree ``n``."""

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of ``lgamma``; infinite at 0 and nan at -1, -2..."""

def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-input * log(input)``, the part that a probability has in an entropy: 0 at 0, -inf below."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to ``input``."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - erf(input)``, accurate where that is tiny."""

def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(input * input) * erfc(input)``, which neither overflows nor vanishes for large ``input``."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``erf``: infinite at -1 and 1, nan beyond."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of each element."""

def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-input))``."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(input) - 1``, accurate near 0."""

def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised lower incomplete gamma function."""

def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - igamma(input, other)``, accurate where that is tiny; errors and derivatives as there."""

def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function; infinite at 0, -1, -2..."""

def hermite_polynomial_h(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Hermite's polynomial of degree ``n``, as physicists have it: leading coefficient 2 ** n."""

def hermite_polynomial_he(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Hermite's polynomial of degree ``n``, as probabilists have it."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0."""

def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(-abs(input))`` times the modified Bessel function of the first kind, order 0."""

def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 1."""

def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(-abs(input))`` times the modified Bessel function of the first kind, order 1."""

def laguerre_polynomial_l(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Laguerre's polynomial of degree ``n``, 1 at 0."""

def legendre_polynomial_p(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Legendre's polynomial of degree ``n``, 1 at 1."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + input)``, accurate near 0."""

def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of ``ndtr``, accurate far out on both sides."""

def log_softmax(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    dtype: _dtype | None = None,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """The logarithm of ``softmax``, computed so that it neither overflows nor loses digits."""

def logit(input: Tensor, eps: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``log(input / (1 - input))``, the inverse of sigmoid."""

def logsumexp(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """``log(sum(exp(input)))`` over ``dim``, without overflow; -inf of nothing. Integers become floating."""

def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0; ``i0`` is the same and has a derivative."""

def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 1; ``i1`` is the same and has a derivative."""

def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, order 0: inf at 0, nan below. It has no derivative."""

def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, order 1: inf at 0, nan below. It has no derivative."""

def multigammaln(input: Tensor, p: Any, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension ``p`` (RuntimeError if below 1)."""

def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The integral of the normal distribution up to ``input``."""

def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``ndtr``: infinite at 0 and 1, nan outside."""

def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The ``n``-th derivative of ``digamma``, for a whole ``n`` that is not negative, else RuntimeError."""

def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of ``lgamma``; infinite at 0 and nan at -1, -2..."""

def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """Rounded to the nearest whole number, halves to the even one."""

def scaled_modified_bessel_k0(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(x)`` times ``modified_bessel_k0``. It has no derivative."""

def scaled_modified_bessel_k1(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(x)`` times ``modified_bessel_k1``. It has no derivative."""

def shifted_chebyshev_polynomial_t(
    x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """Chebyshev's polynomial of the first kind, of degree ``n``, at ``2 * x - 1``."""

def shifted_chebyshev_polynomial_u(
    x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """Chebyshev's polynomial of the second kind, of degree ``n``, at ``2 * x - 1``."""

def shifted_chebyshev_polynomial_v(
    x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """Chebyshev's polynomial of the third kind, of degree ``n``, at ``2 * x - 1``."""

def shifted_chebyshev_polynomial_w(
    x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """Chebyshev's polynomial of the fourth kind, of degree ``n``, at ``2 * x - 1``."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(pi * input) / (pi * input)``, and 1 at 0."""

def softmax(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    dtype: _dtype | None = None,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """``exp(input)`` divided by its sum over ``dim``, so that the slices along ``dim`` sum to 1."""

def spherical_bessel_j0(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(x) / x``, 1 at 0 and 0 at infinity. It has no derivative."""

def xlog1py(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input * log1p(other)``, and 0 where ``input`` is 0 unless ``other`` is nan."""

def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input * log(other)``, and 0 where ``input`` is 0 unless ``other`` is nan."""

def zeta(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Hurwitz's zeta function, the sum of ``(other + k) ** -input`` over k = 0, 1, 2..."""
