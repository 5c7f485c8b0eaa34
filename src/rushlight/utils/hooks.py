"""Hooks that can be taken away again: the handle of every ``register_*``, and what modules build on it."""

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.autograd.node import RemovableHandle
from rushlight.nn.modules._hooks import BackwardHook

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks", "BackwardHook"]


def unserializable_hook(f: Callable) -> Callable:
    """Decorator: no warning is wanted when a tensor that has this hook is saved without it.

    Example::

        >>> from rushlight.utils.hooks import unserializable_hook
        >>> @unserializable_hook
        ... def show(grad):
        ...     print(grad)
    """
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of each hook of ``tensor`` that will not be saved with it."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can "
                "decorate the function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )
