"""``torch.utils.dlpack``: memory shared with other array libraries, as a capsule or by an object that makes one."""

from __future__ import annotations

from typing import Any

from ..compat import absent
from ..ops import table
from ..tensor import Tensor

__all__ = ["from_dlpack", "to_dlpack"]

def to_dlpack(tensor: Tensor) -> Any:
    """A capsule that describes ``tensor``'s memory. It is to be read once, by ``from_dlpack`` of any library.

    >>> import rushlight as torch
    >>> x = torch.zeros(2)
    >>> y = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
    >>> x[0] = 1
    >>> y
    tensor([1., 0.])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {type(tensor).__name__}\n"
            "Other objects with __dlpack__ are read by from_dlpack as they are."
        )
    made: Any = tensor.detach()
    return made.__dlpack__()


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of ``ext_tensor``: an object with ``__dlpack__``, or a capsule. See ``torch.from_dlpack``."""
    made: Tensor = table.namespaces["torch"]["from_dlpack"](ext_tensor, device=device, copy=copy)
    return made


def __getattr__(name: str) -> Any:
    raise absent.missing(__name__, name)
