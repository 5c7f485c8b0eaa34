"""Process-wide settings that programs read or set: threads, determinism, precision, default device and tensor type."""
import os

from . import dtypes
from .autograd import modes
from .device import check, device
from .kernels import blas
from .tensor import Tensor

__all__ = ["get_num_threads", "set_num_threads", "get_num_interop_threads", "set_num_interop_threads",
           "use_deterministic_algorithms", "are_deterministic_algorithms_enabled",
           "is_deterministic_algorithms_warn_only_enabled", "set_deterministic_debug_mode",
           "get_deterministic_debug_mode", "get_float32_matmul_precision", "set_float32_matmul_precision", "get_default_device",
           "set_default_device", "set_default_tensor_type", "is_anomaly_enabled", "is_anomaly_check_nan_enabled", "typename"]

_threads = None
_interop = os.cpu_count() or 1
_deterministic = 0
_precision = "highest"


def get_num_threads():
    """How many threads one operator may use: BLAS's, for products of matrices; everything else runs on one."""
    return _threads if _threads is not None else blas.get_threads() or 1


def set_num_threads(n):
    """Let one operator use ``n`` threads (a positive int): NumPy's BLAS is told, for the whole process."""
    global _threads
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"set_num_threads expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError("set_num_threads expects a positive integer\nGive 1 or more.")
    _threads = n
    blas.set_threads(n)


def get_num_interop_threads():
    """How many operators may run side by side, as last set."""
    return _interop


def set_num_interop_threads(n):
    """Remember how many operators may run side by side (a positive int); rushlight runs them one after another."""
    global _interop
    if not isinstance(n, int):
        raise TypeError(f"set_num_interop_threads expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer\nGive 1 or more.")
    _interop = n


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Every operator of rushlight is deterministic; the setting is remembered."""
    global _deterministic
    _deterministic = (1 if warn_only else 2) if mode else 0


def are_deterministic_algorithms_enabled():
    """Whether ``use_deterministic_algorithms`` was switched on."""
    return _deterministic > 0


def is_deterministic_algorithms_warn_only_enabled():
    """Whether ``use_deterministic_algorithms`` was switched on with ``warn_only``."""
    return _deterministic == 1


def set_deterministic_debug_mode(debug_mode):
    """0 or "default", 1 or "warn", 2 or "error": see ``use_deterministic_algorithms``."""
    global _deterministic
    names = {"default": 0, "warn": 1, "error": 2}
    value = names.get(debug_mode, debug_mode) if isinstance(debug_mode, str) else debug_mode
    if value not in (0, 1, 2):
        raise RuntimeError("invalid value of debug_mode, expected `default`, `warn`, `error`, 0, 1, or 2, but got " + str(debug_mode))
    _deterministic = value


def get_deterministic_debug_mode():
    """The value that ``set_deterministic_debug_mode`` takes."""
    return _deterministic


def get_float32_matmul_precision():
    """"highest", "high" or "medium", as last set."""
    return _precision


def set_float32_matmul_precision(precision):
    """Remember the precision; float32 products are always computed in float32."""
    global _precision
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(f"{precision} is not one of 'highest', 'high', or 'medium'; the current setupMatmulPrecision call has no "
                           "effect.")
    _precision = precision


def get_default_device():
    """The device of new tensors: the CPU."""
    return device("cpu")


def set_default_device(device):
    """Only the CPU can be the default device."""
    check(device)


def set_default_tensor_type(t):
    """Set the default dtype by a legacy type such as ``torch.DoubleTensor``."""
    name = t if isinstance(t, str) else getattr(t, "__name__", str(t))
    names = {"FloatTensor": dtypes.float32, "DoubleTensor": dtypes.float64, "HalfTensor": dtypes.float16,
             "BFloat16Tensor": dtypes.bfloat16}
    short = name.rpartition(".")[2]
    if short not in names:
        raise TypeError(f"invalid type object: only floating-point types are supported as the default type\n{name} is none.")
    dtypes.set_default_dtype(names[short])


def is_anomaly_enabled():
    """Whether anomaly mode is on in this thread."""
    return modes.state.anomaly


def is_anomaly_check_nan_enabled():
    """Whether anomaly mode looks for NaN."""
    return modes.state.anomaly_nan


def typename(obj):
    """The name of an object's type, with its module; of a Tensor, its legacy type name.

    Example::

        >>> import rushlight as torch
        >>> torch.typename(torch.ones(1))
        'torch.FloatTensor'
    """
    if isinstance(obj, Tensor):
        return obj.type()
    if hasattr(obj, "__qualname__"):
        return f"{obj.__module__ or ''}.{obj.__qualname__}".removeprefix("builtins.").lstrip(".")
    kind = type(obj)
    return f"{kind.__module__}.{kind.__name__}".removeprefix("builtins.")
