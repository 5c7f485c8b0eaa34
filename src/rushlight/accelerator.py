"""``torch.accelerator`` of a machine without one: programs ask it where to compute, and go on with the CPU.

    device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
"""

from __future__ import annotations

from typing import Any

from .compat import absent
from .device import device

__all__ = ["current_accelerator", "device_count", "is_available"]


def is_available() -> bool:
    """Whether a device other than the CPU can be used: never.

    >>> import rushlight as torch
    >>> torch.accelerator.is_available()
    False
    """
    return False


def current_accelerator(check_available: bool = False) -> device | None:
    """The device other than the CPU that this build computes on: None."""
    return None


def device_count() -> int:
    """The number of devices other than the CPU: 0."""
    return 0


def __getattr__(name: str) -> Any:
    raise absent.missing(__name__, name)
