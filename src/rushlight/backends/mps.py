"""``torch.backends.mps``: rushlight does not compute with Apple's Metal."""

from __future__ import annotations

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """Whether Apple's Metal can be used: never."""
    return False


def is_built() -> bool:
    """Whether this build knows Apple's Metal: no."""
    return False
