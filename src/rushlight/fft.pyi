"""Types of ``fft``. Written by tools/make_stubs.py from the operators themselves; do not edit."""
from collections.abc import Sequence

from .dtypes import dtype as _dtype
from .layout import layout as _layout
from .tensor import Tensor as Tensor
from .tensor import _bool, _Device, _float, _int

def fft(
    input: Tensor,
    n: _int | None = None,
    dim: _int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The discrete Fourier transform over one dimension."""

def fft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``fftn`` over two dimensions, by default the last."""

def fftfreq(
    n: _int,
    d: _float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """The frequencies that ``fft`` of n points, ``d`` apart, gives: from 0 up, then the negative ones."""

def fftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``fft`` over several dimensions."""

def fftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """A spectrum with frequency 0 in the middle of the dimensions ``dim`` (all)."""

def hfft(
    input: Tensor,
    n: _int | None = None,
    dim: _int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``fft`` of a signal that is Hermitian in time, of which ``input`` is the first half: real numbers."""

def hfft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``hfftn`` over two dimensions, by default the last."""

def hfftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...

def ifft(
    input: Tensor,
    n: _int | None = None,
    dim: _int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of ``fft``; ``norm`` names the same three pairs, so "backward" divides by n here."""

def ifft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of ``fft2``."""

def ifftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of ``fftn``."""

def ifftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """The inverse of ``fftshift``."""

def ihfft(
    input: Tensor,
    n: _int | None = None,
    dim: _int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of ``hfft``: half of a Hermitian signal, from real numbers."""

def ihfft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of ``hfft2``."""

def ihfftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of ``hfftn``."""

def irfft(
    input: Tensor,
    n: _int | None = None,
    dim: _int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of ``rfft``: ``n`` real numbers, by default ``2 * (size - 1)``; say n if it was odd."""

def irfft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of ``rfft2``."""

def irfftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of ``rfftn``."""

def rfft(
    input: Tensor,
    n: _int | None = None,
    dim: _int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``fft`` of real numbers: the first ``n // 2 + 1`` of its results, whose conjugates the others are."""

def rfft2(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] = ...,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``rfftn`` over two dimensions, by default the last."""

def rfftfreq(
    n: _int,
    d: _float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """The frequencies that ``rfft`` of n points, ``d`` apart, gives; errors as in ``fftfreq``."""

def rfftn(
    input: Tensor,
    s: _int | Sequence[_int] | None = None,
    dim: _int | Sequence[_int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``fftn`` of real numbers: the first half of its results along the last of ``dim``."""
