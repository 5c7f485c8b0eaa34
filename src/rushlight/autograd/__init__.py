"""Automatic differentiation: the graph, the backward pass, and what one may ask of them.

The names load when they are first asked for: the core (``modes``, ``node``, ``views``) is imported by ``tensor``, and everything
else imports ``tensor``.
"""
import importlib
import sys
import types

from ..compat import absent

_HOMES = {
    "modes": ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled"),
    "api": ("backward", "grad"),
    "function": ("Function", "FunctionCtx", "NestedIOFunction", "InplaceFunction"),
    "anomaly": ("detect_anomaly", "set_detect_anomaly"),
    "gradcheck": ("gradcheck", "gradgradcheck", "GradcheckError"),
    "variable": ("Variable",),
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("graph", "functional", "function", "anomaly_mode", "grad_mode", "gradcheck", "variable")
__all__ = ["Variable", "Function", "backward", "grad_mode", "NestedIOFunction", "detect_anomaly", "enable_grad", "grad",
           "gradcheck", "gradgradcheck", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled"]


def __getattr__(name):
    home = _NAMES.get(name)
    if home is not None:
        value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise absent.missing(__name__, name)


def __dir__():
    return sorted({*globals(), *_NAMES, *_MODULES})


class _Package(types.ModuleType):
    """``autograd.gradcheck`` is a function, also after somebody imported the submodule of that name."""

    def __setattr__(self, name, value):
        if not (name == "gradcheck" and isinstance(value, types.ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
