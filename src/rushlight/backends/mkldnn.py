"""``torch.backends.mkldnn``: rushlight does not compute with oneDNN."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether oneDNN can be used: never."""
    return False
