"""Taking operators over: ``__torch_function__`` of classes and of modes."""
from .autograd import modes
from .compat import absent
from .ops import call
from .tensor import DisableTorchFunctionSubclass, Tensor, _disabled_torch_function_impl

__all__ = ["has_torch_function", "handle_torch_function", "is_tensor_like", "TorchFunctionMode", "BaseTorchFunctionMode",
           "DisableTorchFunctionSubclass", "is_tensor_method_or_property", "resolve_name"]


_ROOT = __name__.partition(".")[0]


class TorchFunctionMode:
    """Context manager inside which ``self.__torch_function__(func, types, args, kwargs)`` answers every operator call.

    Inside the method the mode is off (an enclosing mode is on), so that it may call ``func`` itself.

    Example::

        >>> import rushlight as torch
        >>> class Log(torch.overrides.TorchFunctionMode):
        ...     def __torch_function__(self, func, types, args=(), kwargs=None):
        ...         print(func.__name__)
        ...         return func(*args, **(kwargs or {}))
        >>> with Log():
        ...     y = torch.tanh(torch.zeros(1))
        zeros
        tanh
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        modes.enter_special()
        modes.state.function_modes += (self,)
        return self

    def __exit__(self, *_):
        modes.state.function_modes = modes.state.function_modes[:-1]
        modes.leave_special()


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that passes every call on."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def is_tensor_like(inp):
    """Whether ``inp`` is a Tensor or of a class with ``__torch_function__``."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def has_torch_function(relevant_args):
    """Whether one of the arguments, or a mode, wants to take the call over."""
    if modes.state.function_modes:
        return True
    return not modes.state.no_torch_function and any(
        type(a) is not Tensor and hasattr(type(a), "__torch_function__")
        and type(a).__torch_function__ is not _disabled_torch_function_impl for a in relevant_args)


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """The result of the mode or class that takes the call over; TypeError if all of them decline."""
    taken, result = call.try_override(public_api, tuple(relevant_args), args, kwargs)
    if not taken:
        raise TypeError(f"no implementation found for '{resolve_name(public_api)}' on types that implement __torch_function__: "
                        f"{[type(a) for a in relevant_args]}")
    return result


def resolve_name(f):
    """The dotted name of an operator, as far as it tells."""
    if isinstance(f, str):
        return f
    home, name = getattr(f, "__module__", None), getattr(f, "__qualname__", getattr(f, "__name__", str(f)))
    if isinstance(home, str) and (home + ".").startswith(_ROOT + "."):
        home = "torch" + home.removeprefix(_ROOT)
    return f"{home}.{name}" if home else name


def is_tensor_method_or_property(func):
    """Whether ``func`` is found on Tensor by its name."""
    return getattr(Tensor, getattr(func, "__name__", ""), None) is func


def __getattr__(name):
    raise absent.missing(__name__, name)
