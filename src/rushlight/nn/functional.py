"""The functions of ``nn``: ``import rushlight.nn.functional as F``. They are written in ``rushlight.ops``.

Example::

    >>> import rushlight as torch
    >>> import rushlight.nn.functional as F
    >>> F.relu(torch.tensor([-1., 2.]))
    tensor([0., 2.])
"""
from .. import ops as _ops  # noqa: F401  (declares the operators)
from ..ops import table as _table

globals().update(_table.namespaces["nn.functional"])
__all__ = sorted(_table.namespaces["nn.functional"])
