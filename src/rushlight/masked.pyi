"""Types of ``masked``. Written by tools/make_stubs.py from the operators themselves; do not edit."""
from collections.abc import Sequence

from .dtypes import dtype as _dtype
from .tensor import Number, Tensor, _bool, _int

def amax(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The largest of what counts, of the input's dtype or of ``dtype``; equal maxima share the gradient."""

def amin(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The smallest of what counts, of the input's dtype or of ``dtype``; equal minima share the gradient."""

def argmax(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Where the largest of what counts is: over one ``dim``, or in the flattened input."""

def argmin(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Where the smallest of what counts is: over one ``dim``, or in the flattened input."""

def cumprod(
    input: Tensor, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, mask: Tensor | None = None,
) -> Tensor:
    """The products of what counts, up to each element along ``dim``; of the input's dtype or of ``dtype``."""

def cumsum(
    input: Tensor, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, mask: Tensor | None = None,
) -> Tensor:
    """The sums of what counts, up to each element along ``dim``; of the input's dtype or of ``dtype``."""

def log_softmax(
    input: Tensor, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, mask: Tensor | None = None,
) -> Tensor:
    """``log_softmax`` along ``dim`` of what counts; the rest gets -inf, and NaN where nothing counts."""

def logaddexp(
    input: Tensor,
    other: Tensor | Number,
    *,
    dtype: _dtype | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """``log(exp(input) + exp(other))``, element by element, each with a mask of its own."""

def logsumexp(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The logarithm of the sum of the exponentials of what counts; -inf where nothing does."""

def mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The mean of what counts; NaN where nothing does."""

def median(
    input: Tensor,
    dim: _int = -1,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The median over one dimension of what counts and is not NaN, the lower one of two."""

def norm(
    input: Tensor,
    ord: Number | str | None = 2.0,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The ``ord``-norm of what counts, as of one vector: any number, ``inf`` or ``-inf``."""

def normalize(
    input: Tensor,
    ord: Number | str | None,
    dim: _int | Sequence[_int],
    *,
    eps: Number = 1e-12,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """What counts, divided by its ``ord``-norm along ``dim``, or by ``eps`` if that is larger."""

def prod(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The product of what counts, in int64 for small whole numbers or in ``dtype``."""

def softmax(
    input: Tensor, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, mask: Tensor | None = None,
) -> Tensor:
    """``softmax`` along ``dim`` of what counts; the rest gets 0, and NaN where nothing counts."""

def softmin(
    input: Tensor, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, mask: Tensor | None = None,
) -> Tensor:
    """``softmin`` along ``dim`` of what counts."""

def std(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    *,
    correction: _int | None = None,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The standard deviation of what counts: the root of ``var``, with the same arguments and errors."""

def sum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The sum of what counts. Small whole numbers are summed in int64; ``dtype`` names another."""

def var(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    *,
    correction: _int | None = None,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The variance of what counts; NaN or infinite where too little does."""
