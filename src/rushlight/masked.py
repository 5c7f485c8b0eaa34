"""Functions that leave elements out: ``torch.masked``. They are written in ``rushlight.ops.masked_reductions`` and ``masked_along``.

A page of names, taken from the table of operators. MaskedTensor, PyTorch's prototype of a tensor with its mask, is absent: the mask is
an argument.

Example::

    >>> import rushlight as torch
    >>> x = torch.tensor([[1., 2., 30.], [4., 50., 60.]])
    >>> torch.masked.mean(x, 1, mask=x < 10)
    tensor([1.5000, 4.0000])
"""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.ops import masked_along as _along  # noqa: F401  (declares the functions)
from rushlight.ops import masked_reductions as _reductions  # noqa: F401
from rushlight.ops.table import namespaces as _namespaces

globals().update(_namespaces["masked"])

__all__ = sorted(_namespaces["masked"])


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
