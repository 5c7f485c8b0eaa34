"""Mixed precision: ``autocast`` chooses a dtype for each operator, ``GradScaler`` keeps small gradients alive."""

from typing import Any

from rushlight.amp.autocast_mode import (
    _enter_autocast,
    _exit_autocast,
    autocast,
    custom_bwd,
    custom_fwd,
    is_autocast_available,
)
from rushlight.amp.grad_scaler import GradScaler
from rushlight.compat import absent as _absent

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available", "GradScaler"]

_private = (_enter_autocast, _exit_autocast)


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
