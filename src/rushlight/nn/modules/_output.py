"""``module.output``: how a module remembers the result of its last call.

The reference is weak, so that remembering keeps no graph alive. When a tensor is asked to retain its
gradient, the references of modules to it become strong: a program that calls ``retain_grad()`` on a layer's
result inside ``forward`` and drops the name can still read ``model.layer.output.grad`` after the backward.
The tensor knows nothing of the reference, so there is no cycle, and the module's next call replaces it.
"""

from typing import Any

from rushlight.autograd.node import OutputRef
from rushlight.tensor import Tensor

__all__ = ["OutputRef", "remember"]


class Several:
    """The remembered output of a module that returned several tensors in a tuple, list or dict."""

    __slots__ = ("kept", "kind", "keys")

    def __init__(self, kept: list, kind: type, keys: list | None = None) -> None:
        self.kept, self.kind, self.keys = kept, kind, keys

    def __call__(self) -> Any:
        values = [kept if kept is None else kept() for kept in self.kept]
        if all(value is None for value in values):
            return None
        if self.keys is not None:
            return dict(zip(self.keys, values))
        return self.kind(*values) if hasattr(self.kind, "_fields") else self.kind(values)

    def __reduce__(self) -> tuple:
        return _forget, ()


def _forget() -> None:
    return None


def remember(value: Any) -> Any:
    """``value`` with each tensor that requires grad replaced by a reference; None if there is none in it."""
    if isinstance(value, Tensor):
        if not value.requires_grad:
            return None
        made = OutputRef(value)
        if value.retains_grad:
            made.strong = value
        return made
    if isinstance(value, dict):
        kept = [remember(v) for v in value.values()]
        return Several(kept, dict, list(value)) if any(k is not None for k in kept) else None
    if isinstance(value, (tuple, list)):
        kept = [remember(v) for v in value]
        return Several(kept, type(value)) if any(k is not None for k in kept) else None
    return None
