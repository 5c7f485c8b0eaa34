"""``load("x.safetensors")``: files of the safetensors library, read with that library.

Programs that ``import safetensors.torch`` under ``rushlight run`` get the library's own module; this one serves
``load``, with or without the alias.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from .. import dtypes
from ..device import check, device
from ..kernels import memory
from ..tensor import Tensor, wrap

__all__ = ["load_file"]

_DTYPES = {
    **{"F64": dtypes.float64, "F32": dtypes.float32, "F16": dtypes.float16, "BF16": dtypes.bfloat16},
    **{"I64": dtypes.int64, "I32": dtypes.int32, "I16": dtypes.int16, "I8": dtypes.int8, "U8": dtypes.uint8},
    **{"U64": dtypes.uint64, "U32": dtypes.uint32, "U16": dtypes.uint16, "BOOL": dtypes.bool_, "C64": dtypes.complex64},
}


def load_file(path: Any, map_location: Any = None) -> dict[str, Tensor]:
    """The tensors of a file by name.

    RuntimeError if the library is not installed, or ``map_location`` is neither a string nor a device.
    """
    if map_location is not None and not isinstance(map_location, (str, device)):
        kind = "dict" if isinstance(map_location, dict) else "callable"
        raise RuntimeError(
            f"Loading safetensors file with {kind} map_location is not supported. Use a device string or torch.device instead."
        )
    check(map_location)
    try:
        library = importlib.import_module("safetensors")
    except ImportError as error:
        raise RuntimeError(
            "Attempting to load a safetensors file but safetensors is not installed. Please install safetensors with: "
            "pip install safetensors"
        ) from error
    with open(path, "rb") as file:
        entries = library.deserialize(file.read())
    return {name: _tensor(name, entry) for name, entry in sorted(entries)}


def _tensor(name: str, entry: dict[str, Any]) -> Tensor:
    dtype = _DTYPES.get(entry["dtype"])
    if dtype is None:
        raise RuntimeError(f"tensor {name!r} has the dtype {entry['dtype']}, which rushlight lacks\nConvert it first.")
    shape = tuple(entry["shape"])
    if not math.prod(shape):
        return wrap(np.empty(shape, dtype.numpy))
    array = np.frombuffer(entry["data"], np.dtype(dtype.numpy)).reshape(shape)
    return wrap(memory.adopt(array))
