"""Special functions: ``torch.special``. They are written in ``rushlight.ops.special`` and the files beside it.

A page of names, taken from the table of operators.

Example::

    >>> import rushlight as torch
    >>> torch.special.erfcx(torch.tensor([0., 1.]))
    tensor([1.0000, 0.4276])
"""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.ops import special_bessel as _special_bessel  # noqa: F401  (declares the functions)
from rushlight.ops import special_gamma as _special_gamma  # noqa: F401
from rushlight.ops import special_normal as _special_normal  # noqa: F401
from rushlight.ops import special_polynomials as _special_polynomials  # noqa: F401
from rushlight.ops.table import namespaces as _namespaces

# Functions of the main namespace that PyTorch also keeps here.
_SHARED = ("exp2", "expm1", "log1p", "log_softmax", "logsumexp", "round", "softmax")

_own, _main = _namespaces["special"], _namespaces["torch"]
_own.update({name: _main[name] for name in _SHARED})
_own.update(gammainc=_main["igamma"], gammaincc=_main["igammac"])
globals().update(_own)

__all__ = sorted(_own)


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
