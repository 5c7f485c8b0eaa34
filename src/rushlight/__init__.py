"""rushlight: PyTorch's tensors and autograd on NumPy, with every gradient in sight.

    import rushlight as torch

The public page. Operators come from ``rushlight.ops``; heavy corners load when first asked for.
"""
from . import dtypes, ops  # noqa: F401  (ops declares the operators)
from .autograd.api import tensor_backward as _tensor_backward  # noqa: F401  (hangs backward on Tensor)
from .autograd.modes import (  # noqa: F401
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .device import device  # noqa: F401
from .dtypes import (  # noqa: F401
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
    uint8,
    uint16,
    uint32,
    uint64,
)
from .ops import table as _table
from .random import (  # noqa: F401
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .printing import set_printoptions  # noqa: F401
from .tensor import Size, Tensor  # noqa: F401

__version__ = "0.1.0"

bool = dtypes.bool_
globals().update(dtypes.ALIASES)
globals().update(_table.namespaces["torch"])
