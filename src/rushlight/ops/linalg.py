"""The families of ``torch.linalg``, and the older names of ``torch`` and ``Tensor``. Importing this module declares them.

It is not among the families that load with the package: see ``asked``.
"""
from . import (  # noqa: F401
    linalg_definite,
    linalg_lobpcg,
    linalg_lowrank,
    linalg_lu,
    linalg_norms,
    linalg_older,
    linalg_orthogonal,
    linalg_pseudo,
    linalg_solving,
    linalg_spectral,
    table,
)

__all__: list[str] = []

table.settle_homes()
