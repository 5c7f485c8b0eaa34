"""``torch.backends.cudnn`` where there is no cuDNN: switches that can be set and have nothing to switch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "allow_tf32",
    "benchmark",
    "benchmark_limit",
    "deterministic",
    "enabled",
    "flags",
    "is_available",
    "version",
]

enabled: bool = True
benchmark: bool = False
benchmark_limit: int | None = None
deterministic: bool = False
allow_tf32: bool = True


def is_available() -> bool:
    """Whether cuDNN can be used: never."""
    return False


def version() -> int | None:
    """The version of cuDNN: None, there is none."""
    return None


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int | None = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
) -> Iterator[None]:
    """Set the switches for the length of a ``with`` block.

    >>> import rushlight as torch
    >>> with torch.backends.cudnn.flags(deterministic=True):
    ...     torch.backends.cudnn.deterministic
    True
    """
    asked = {
        "enabled": enabled,
        "benchmark": benchmark,
        "benchmark_limit": benchmark_limit,
        "deterministic": deterministic,
        "allow_tf32": allow_tf32,
    }
    switches = globals()
    before = {name: switches[name] for name in asked}
    switches.update(asked)
    try:
        yield
    finally:
        switches.update(before)
