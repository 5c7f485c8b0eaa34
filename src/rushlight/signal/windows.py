"""Window functions: ``torch.signal.windows``. They are written in ``rushlight.ops.windows``.

A page of names, taken from the table of operators.

Example::

    >>> import rushlight as torch
    >>> torch.signal.windows.hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
"""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.ops import windows as _windows  # noqa: F401  (declares them)
from rushlight.ops.table import namespaces as _namespaces

globals().update(_namespaces["signal.windows"])

__all__ = sorted(_namespaces["signal.windows"])


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
