"""Fourier transforms: ``torch.fft``. They are written in ``rushlight.ops.fourier`` and ``fourier_nd``.

A page of names, taken from the table of operators.

Example::

    >>> import rushlight as torch
    >>> signal = torch.tensor([1., 0., -1., 0.])
    >>> torch.fft.ifft(torch.fft.fft(signal)).real
    tensor([ 1.,  0., -1.,  0.])
"""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.ops import fourier as _fourier  # noqa: F401  (declares the transforms)
from rushlight.ops import fourier_nd as _fourier_nd  # noqa: F401
from rushlight.ops.table import namespaces as _namespaces
from rushlight.tensor import Tensor as Tensor  # which PyTorch's page has too

globals().update(_namespaces["fft"])

__all__ = sorted([*_namespaces["fft"], "Tensor"])


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
