"""Automatic differentiation: the graph, the backward pass, and what one may ask of them.

The names load when they are first asked for: the core (``modes``, ``node``, ``views``) is imported by ``tensor``, and everything
else imports ``tensor``.
"""
import importlib

_HOMES = {
    "modes": ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled"),
    "api": ("backward", "grad"),
    "function": ("Function", "FunctionCtx", "NestedIOFunction", "InplaceFunction"),
    "anomaly": ("detect_anomaly", "set_detect_anomaly"),
    "gradcheck": ("gradcheck", "gradgradcheck", "GradcheckError"),
    "variable": ("Variable",),
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("graph", "functional", "function", "anomaly_mode", "grad_mode", "gradcheck", "forward_ad", "profiler", "variable")
__all__ = ["Variable", "Function", "backward", "grad_mode", "NestedIOFunction", "detect_anomaly", "enable_grad", "grad",
           "gradcheck", "gradgradcheck", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled"]
_ELSEWHERE = {
    "save_for_backward": "It is a method of a Function's ctx: ctx.save_for_backward(y). To keep the gradient of an intermediate "
                         "tensor, call y.retain_grad() before backward.",
    "forward_ad": "Forward-mode differentiation does not exist in rushlight yet; the nearest is torch.autograd.functional.jvp.",
    "profiler": "The profiler does not exist in rushlight; the nearest is Python's cProfile.",
}


def __getattr__(name):
    home = _NAMES.get(name)
    if home is not None:
        value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value
    if name in _ELSEWHERE:
        raise AttributeError(f"module 'torch.autograd' has no attribute '{name}'\n{_ELSEWHERE[name]}")
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.autograd' has no attribute '{name}'\nIt has {', '.join(sorted(__all__))}.")


def __dir__():
    return sorted({*globals(), *_NAMES, *_MODULES})
