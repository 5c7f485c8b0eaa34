"""Linear algebra: ``torch.linalg``. It is written in ``rushlight.ops.linalg_*``.

A page of names, taken from the table of operators.

Example::

    >>> import rushlight as torch
    >>> A = torch.tensor([[2., 1.], [1., 3.]])
    >>> torch.linalg.solve(A, torch.tensor([3., 4.]))
    tensor([1., 1.])
"""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.kernels.linalg import LinAlgError
from rushlight.ops import linalg as _linalg  # noqa: F401  (declares the operators)
from rushlight.ops.table import namespaces as _namespaces

globals().update(_namespaces["linalg"])

__all__ = ["LinAlgError", *sorted(_namespaces["linalg"])]


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
