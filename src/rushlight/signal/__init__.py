"""Signals: ``torch.signal``, of which PyTorch has the window functions."""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.signal import windows as windows

__all__ = ["windows"]


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
