"""``torch.xpu`` of a build without Intel's GPUs: it answers that nothing is there."""

from __future__ import annotations

from typing import Any

from .compat import absent

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    """Whether Intel's GPUs can be used: never.

    >>> import rushlight as torch
    >>> torch.xpu.is_available()
    False
    """
    return False


def device_count() -> int:
    """The number of such devices: 0."""
    return 0


def __getattr__(name: str) -> Any:
    raise absent.missing(__name__, name)
