"""``autocast`` and what else PyTorch offers around it; ``policy.py`` knows the operators."""

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np

from rushlight import dtypes
from rushlight.amp.policy import DEFAULT_DTYPES, state, switch
from rushlight.tensor import Tensor

__all__ = ["autocast_decorator", "autocast", "is_autocast_available", "custom_fwd", "custom_bwd"]

_DEVICES = (
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia "
    "privateuseone".split()
)


def _device(device_type: Any, function: str) -> str:
    """The device type of a string such as ``cuda:0``; RuntimeError for one that does not exist."""
    if not isinstance(device_type, str):
        raise TypeError(
            f"{function}(): argument 'device_type' (position 1) must be str, not {type(device_type).__name__}"
        )
    if not device_type:
        raise RuntimeError("Device string must not be empty")
    name = device_type.partition(":")[0]
    if name not in _DEVICES:
        raise RuntimeError(
            f"Expected one of {', '.join(_DEVICES)} device type at start of device string: {name}"
        )
    return name


def _autocast_device(device_type: Any, function: str) -> str:
    device = _device(device_type, function)
    if device not in DEFAULT_DTYPES:
        raise RuntimeError(f"unsupported scalarType\nThere is no autocast for {device}.")
    return device


# ---- the thread's settings ----


def is_autocast_available(device_type: str) -> bool:
    """Whether PyTorch has autocast for a device type; here it changes something for "cpu" alone.

    Example::

        >>> import rushlight as torch
        >>> torch.amp.is_autocast_available("cpu")
        True
    """
    return _device(device_type, "_is_autocast_available") in DEFAULT_DTYPES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether this thread is inside autocast for a device type."""
    return state.is_enabled(_autocast_device(device_type, "is_autocast_enabled"))


def set_autocast_enabled(device_type: Any, enabled: Any = None) -> None:
    """Switch autocast on or off in this thread."""
    if enabled is None and isinstance(device_type, bool):
        device_type, enabled = "cuda", device_type
    device = _autocast_device(device_type, "set_autocast_enabled")
    if not isinstance(enabled, bool):
        raise TypeError(
            "set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not "
            + type(enabled).__name__
        )
    state.enabled = {**(state.enabled or {}), device: enabled}
    if device == "cpu":
        switch(enabled)


def get_autocast_dtype(device_type: str) -> Any:
    """The dtype that autocast computes in."""
    return state.dtype(_autocast_device(device_type, "get_autocast_dtype"))


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Set the dtype that autocast computes in, in this thread."""
    device = _autocast_device(device_type, "set_autocast_dtype")
    state.dtypes = {**(state.dtypes or {}), device: dtype}


def is_autocast_cache_enabled() -> bool:
    """Whether parameters are cast once for a whole region."""
    return state.cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Say whether parameters are cast once for a whole region."""
    state.cache_enabled = enabled


def clear_autocast_cache() -> None:
    """Forget the casts of parameters."""
    state.cache = None


def autocast_increment_nesting() -> int:
    """Count one more region; returns how many there are."""
    state.nesting += 1
    return state.nesting


def autocast_decrement_nesting() -> int:
    """Count one region less; returns how many there are."""
    state.nesting -= 1
    return state.nesting


def is_autocast_cpu_enabled() -> bool:
    """``is_autocast_enabled("cpu")``; deprecated in PyTorch."""
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """``set_autocast_enabled("cpu", enabled)``; deprecated in PyTorch."""
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> Any:
    """``get_autocast_dtype("cpu")``; deprecated in PyTorch."""
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: Any) -> None:
    """``set_autocast_dtype("cpu", dtype)``; deprecated in PyTorch."""
    set_autocast_dtype("cpu", dtype)


# ---- the region ----


def autocast_decorator(autocast_instance: "autocast", func: Callable) -> Callable:
    """``func``, run inside the region."""

    @functools.wraps(func)
    def decorate_autocast(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorate_autocast


class autocast:
    """Context manager and decorator: inside, matrix products and convolutions compute in a lower precision, and
    losses, norms of many terms and decompositions in float32, whatever their arguments' dtypes.

    Wrap forward and loss, and call backward outside. Gradients arrive in the parameters' own dtype.

    Args:
        device_type: "cpu"; for another of PyTorch's device types the region has no effect.
        dtype: bfloat16, or float16; that of ``torch.get_autocast_dtype`` if not given.
        enabled: False switches autocast off inside.
        cache_enabled: cast each parameter once for the whole region.

    Raises ValueError for a device type that is no string, RuntimeError for one that does not exist. Warns and
    stays off for another dtype, and for "cuda".

    Example::

        >>> import rushlight as torch
        >>> a = torch.ones(2, 2)
        >>> with torch.amp.autocast("cpu"):
        ...     product = a @ a
        >>> product.dtype
        torch.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        supported = [dtypes.bfloat16, dtypes.float16]
        if enabled and device_type == "cuda":
            warnings.warn(
                "CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2
            )
            enabled = False
        elif enabled and self.fast_dtype not in supported:
            name = device_type.upper()
            warnings.warn(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of {', '.join(map(str, supported))} currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> "autocast":
        self.prev_cache_enabled = is_autocast_cache_enabled()
        self.prev = is_autocast_enabled(self.device)
        self.prev_fastdtype = get_autocast_dtype(self.device)
        set_autocast_enabled(self.device, self._enabled)
        set_autocast_dtype(self.device, self.fast_dtype)
        autocast_increment_nesting()
        set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> Literal[False]:
        if autocast_decrement_nesting() == 0:
            clear_autocast_cache()
        set_autocast_enabled(self.device, self.prev)
        set_autocast_dtype(self.device, self.prev_fastdtype)
        set_autocast_cache_enabled(self.prev_cache_enabled)
        return False

    def __call__(self, func: Callable) -> Callable:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager? For example:\n"
                "    with torch.autocast(device_type=...):\n"
                "        output = model(input)"
            )
        return autocast_decorator(self, func)


def _enter_autocast(*vals: Any) -> autocast:
    """A region entered without ``with``."""
    region = autocast(*vals)
    region.__enter__()
    return region


def _exit_autocast(mode: autocast) -> None:
    mode.__exit__(None, None, None)


# ---- functions with a backward of their own ----


def _cast(value: Any, device_type: str, dtype: Any) -> Any:
    """The floating tensors in ``value``, containers included, as ``dtype``; float64 and the rest as it is."""
    if isinstance(value, Tensor):
        eligible = (
            value.is_floating_point() and value.device.type == device_type and value.dtype != dtypes.float64
        )
        return value.to(dtype) if eligible else value
    if isinstance(value, (str, bytes, np.ndarray)):
        return value
    if isinstance(value, Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, Iterable):
        parts = (_cast(v, device_type, dtype) for v in value)
        return type(value)(parts) if isinstance(value, (list, tuple)) else parts
    return value


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """Decorator of ``forward`` in an ``autograd.Function``, for use inside autocast.

    With ``cast_inputs``, a dtype, floating inputs are cast and forward runs without autocast; without, it runs as
    it is. ``custom_bwd`` then runs backward in the same way. Outside of autocast it changes nothing.

    Raises ValueError for a device type that is no string.

    Example::

        >>> import rushlight as torch
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     @torch.amp.custom_bwd(device_type="cpu")
        ...     def backward(ctx, g):
        ...         return g * 2
        >>> with torch.amp.autocast("cpu"):
        ...     y = Double.apply(torch.ones(1, dtype=torch.bfloat16))
        >>> y.dtype
        torch.float32
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        ctx._dtype = get_autocast_dtype(device_type)
        active = is_autocast_enabled(device_type)
        if cast_inputs is None:
            ctx._fwd_used_autocast = active
            return fwd(*args, **kwargs)
        ctx._fwd_used_autocast = False
        if not active:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorator of ``backward`` in an ``autograd.Function`` whose forward has ``custom_fwd``.

    Raises ValueError for a device type that is no string.
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd
