"""Names for type annotations, as PyTorch's ``torch.types`` has them."""
from .device import device
from .dtypes import dtype
from .tensor import Size, Tensor

__all__ = ["Number", "Device", "Storage"]

Number = int | float | bool
Device = device | str | int | None
Storage = object
_dtype, _device, _size = dtype, device, Size | list[int] | tuple[int, ...]
_TensorOrTensors = Tensor | tuple[Tensor, ...]
