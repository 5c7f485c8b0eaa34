"""Types of ``signal.windows``. Written by tools/make_stubs.py from the operators themselves; do not edit."""
from collections.abc import Sequence

from ..dtypes import dtype as _dtype
from ..layout import layout as _layout
from ..tensor import Number, Tensor, _bool, _Device, _float

def bartlett(
    M: Tensor,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Bartlett's window, a triangle; arguments and errors as in ``general_cosine``."""

def blackman(
    M: Tensor,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Blackman's window; arguments and errors as in ``general_cosine``."""

def cosine(
    M: Tensor,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Half a sine's wave; arguments and errors as in ``general_cosine``."""

def exponential(
    M: Tensor,
    *,
    center: _float | None = None,
    tau: Number = 1.0,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Decay from the middle to both sides, to 1 / e over ``tau`` points."""

def gaussian(
    M: Tensor,
    *,
    std: Number = 1.0,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """The bell curve of standard deviation ``std``, ValueError unless that is positive."""

def general_cosine(
    M: Tensor,
    *,
    a: Sequence[_float],
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """A sum of cosines with the coefficients ``a``, of alternating sign."""

def general_hamming(
    M: Tensor,
    *,
    alpha: Number = 0.54,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """``alpha - (1 - alpha) * cos``; the other arguments and errors are those of ``general_cosine``."""

def hamming(
    M: Tensor,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Hamming's window; arguments and errors as in ``general_cosine``."""

def hann(
    M: Tensor,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Hann's window; arguments and errors as in ``general_cosine``."""

def kaiser(
    M: Tensor,
    *,
    beta: Number = 12.0,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Kaiser's window."""

def nuttall(
    M: Tensor,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Nuttall's window of the least side lobes; arguments and errors as in ``general_cosine``."""
