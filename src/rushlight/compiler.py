"""``torch.compiler`` without a compiler: nothing is compiled, so nothing has to be kept from it either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from .compat import absent

__all__ = ["disable", "is_compiling", "is_dynamo_compiling"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def is_compiling() -> bool:
    """Whether the caller is being compiled: never.

    >>> import rushlight as torch
    >>> torch.compiler.is_compiling()
    False
    """
    return False


def is_dynamo_compiling() -> bool:
    """Whether the caller is being read by PyTorch's Dynamo: never."""
    return False


@overload
def disable(fn: _Function, recursive: bool = ..., *, reason: str | None = ...) -> _Function: ...
@overload
def disable(fn: None = ..., recursive: bool = ..., *, reason: str | None = ...) -> Callable[[_Function], _Function]: ...
def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """``fn`` itself: it is never compiled. Without ``fn``, a decorator that hands its function back.

    >>> import rushlight as torch
    >>> @torch.compiler.disable(recursive=False)
    ... def twice(x):
    ...     return 2 * x
    >>> twice(torch.ones(1))
    tensor([2.])
    """
    return fn if fn is not None else disable


def __getattr__(name: str) -> Any:
    raise absent.missing(__name__, name)
