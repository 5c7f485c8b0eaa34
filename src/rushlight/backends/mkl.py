"""``torch.backends.mkl``: rushlight does not compute with Intel's MKL."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether Intel's MKL can be used: never."""
    return False
