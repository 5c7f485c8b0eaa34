"""One small adapter for each engine; everything else of ``observe`` is shared.

An adapter is a module with the functions that ``recorder`` asks for: what a tensor is, whether it needs a gradient, which node
made it, how to be told of calls and gradients. The adapter of PyTorch is loaded when a model of PyTorch is given.
"""

import importlib
import sys

from . import rushlight

__all__ = ["choose", "loaded", "present"]


def choose(model, name=None):
    """The adapter for a model (or a tensor), or the one of that name."""
    if name is None:
        name = "rushlight" if model is None else _home(model)
    if name == "rushlight":
        return rushlight
    if name != "torch":
        raise ValueError(f'there is no engine {name!r}\nIt is "rushlight" or "torch".')
    return importlib.import_module(f"{__name__}.torch")


def loaded():
    """The adapters that are in use."""
    return [rushlight] + [m for m in (sys.modules.get(f"{__name__}.torch"),) if m is not None]


def present():
    """The adapters of the engines that the program has imported: rushlight's, and PyTorch's where `torch` is the real one."""
    real = getattr(sys.modules.get("torch"), "__name__", None) == "torch" and hasattr(sys.modules["torch"], "Tensor")
    return [rushlight, choose(None, "torch")] if real else [rushlight]


def _home(model):
    if rushlight.is_module(model) or rushlight.is_tensor(model):
        return "rushlight"
    for cls in type(model).__mro__:
        if cls.__module__.partition(".")[0] == "torch" and cls.__name__ in ("Module", "Tensor"):
            return "torch"
    raise TypeError(
        f"a module of rushlight or PyTorch is needed, not {type(model).__name__}"
        "\nGive the model, or nothing to record without module paths."
    )
