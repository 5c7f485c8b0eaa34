"""``torch.jit`` without TorchScript: the questions that code written for both asks are answered with False."""

from __future__ import annotations

from typing import Any

from .compat import absent

__all__ = ["is_scripting", "is_tracing"]


def is_scripting() -> bool:
    """Whether the caller is being compiled to TorchScript: never.

    >>> import rushlight as torch
    >>> torch.jit.is_scripting()
    False
    """
    return False


def is_tracing() -> bool:
    """Whether the caller is being traced: never."""
    return False


def __getattr__(name: str) -> Any:
    raise absent.missing(__name__, name)
