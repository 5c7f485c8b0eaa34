"""``torch.backends.mha``: whether transformer encoders take PyTorch's fast path in evaluation.

The numbers are the same, except that a stack of encoder layers leaves zeros where its input is padding.
"""

from __future__ import annotations

from ..ops.multihead import FAST_PATH

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]


def get_fastpath_enabled() -> bool:
    """Whether the fast path may be taken."""
    return FAST_PATH[0]


def set_fastpath_enabled(value: bool) -> None:
    """Allow or forbid the fast path."""
    FAST_PATH[0] = value
