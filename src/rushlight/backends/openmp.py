"""``torch.backends.openmp``: rushlight does not compute with OpenMP."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether OpenMP can be used: never."""
    return False
