"""``torch.distributed`` of a build without it: one process on one machine, and it says so.

A program that can train on many machines asks ``is_available()`` (PyTorch too is built without process groups on
some platforms) or ``is_initialized()``, gets False and goes on alone. All that needs a process group is absent.
"""

from __future__ import annotations

from typing import Any

from .compat import absent

__all__ = ["is_available", "is_initialized"]


def is_available() -> bool:
    """Whether process groups can be used: never.

    >>> import rushlight as torch
    >>> torch.distributed.is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """Whether this process belongs to a group: never."""
    return False


def __getattr__(name: str) -> Any:
    raise absent.missing(__name__, name)
