"""rushlight: PyTorch's tensors and autograd on NumPy, with every gradient in sight.

    import rushlight as torch

The public page. Operators come from ``rushlight.ops``, which hangs them on Tensor and lists them by namespace; ``nn``, ``optim``,
``utils`` and other heavy corners load when they are first asked for, so that the first tensor is there at once.
"""
import importlib as _importlib

from . import device as _device
from . import dtypes as _dtypes
from . import ops as _ops
from .autograd.api import tensor_backward as _tensor_backward
from .autograd.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .compat import absent as _absent
from .dtypes import (
    bfloat16,
    can_cast,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .kernels import heap as _heap
from .ops import asked as _asked
from .ops import table as _table
from .printing import set_printoptions
from .random import (
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .settings import (
    are_deterministic_algorithms_enabled,
    get_default_device,
    get_deterministic_debug_mode,
    get_float32_matmul_precision,
    get_num_interop_threads,
    get_num_threads,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_deterministic_algorithms_warn_only_enabled,
    set_default_device,
    set_default_tensor_type,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    set_num_interop_threads,
    set_num_threads,
    typename,
    use_deterministic_algorithms,
)
from .tensor import Size, Tensor

__version__ = "0.1.0"
_heap.keep()

bool = _dtypes.bool_
half, float, double = float16, float32, float64
short, int, long = int16, int32, int64
cfloat, cdouble = complex64, complex128
inf, nan = _dtypes.np.inf, _dtypes.np.nan
pi, e = _dtypes.np.pi, _dtypes.np.e
newaxis = None
device = _device.device
# After the submodules: several operators are called as their file is.
globals().update(_table.namespaces["torch"])

# Loaded when first asked for: modules, and names that live in one of them.
_MODULES = ("autograd", "nn", "optim", "utils", "cuda", "backends", "version", "random", "overrides", "testing", "amp", "func",
            "types", "return_types", "serialization", "storage", "observe", "accelerator", "mps", "xpu", "distributed", "jit",
            "compiler", "linalg", "fft", "special", "signal", "masked", "distributions")
_LATE = {"save": "serialization", "load": "serialization", "UntypedStorage": "storage", "TypedStorage": "storage",
         **dict.fromkeys(("autocast", "is_autocast_available", "is_autocast_enabled", "set_autocast_enabled", "get_autocast_dtype",
                          "set_autocast_dtype", "is_autocast_cache_enabled", "set_autocast_cache_enabled", "clear_autocast_cache",
                          "autocast_increment_nesting", "autocast_decrement_nesting", "is_autocast_cpu_enabled",
                          "set_autocast_cpu_enabled", "get_autocast_cpu_dtype", "set_autocast_cpu_dtype"), "amp.autocast_mode"),
         "GradScaler": "amp.grad_scaler"}


def __getattr__(name):
    if name in _MODULES:
        try:
            return _importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    if name in _LATE:
        found = globals()[name] = getattr(_importlib.import_module(f"{__name__}.{_LATE[name]}"), name)
        return found
    if name in _asked.FUNCTIONS:
        found = globals()[name] = _asked.function(name)
        return found
    raise _absent.missing(__name__, name)


def __dir__():
    return sorted({*globals(), *_MODULES, *_LATE, *_asked.FUNCTIONS})


__all__ = [n for n in globals() if not n.startswith("_")]
