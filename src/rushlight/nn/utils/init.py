"""Modules without initial values."""

import inspect
from typing import Any

from rushlight.nn.modules.module import Module
from rushlight.random import get_rng_state, set_rng_state

__all__ = ["skip_init"]


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """``module_cls(*args, **kwargs)`` with uninitialised parameters, and no random numbers drawn.

    RuntimeError for what is no Module class, or takes no ``device``.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.utils.skip_init(torch.nn.Linear, 5, 1).weight.shape
        torch.Size([1, 5])
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    state = get_rng_state()
    try:
        return module_cls(*args, **kwargs).to_empty(device=device)
    finally:
        set_rng_state(state)
