"""Weights of convolutions in another order of memory."""

from typing import Any, TypeVar

from rushlight.nn.modules.conv import _ConvNd
from rushlight.nn.modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]

_M = TypeVar("_M", bound=Module)


def _convert(module: _M, memory_format: Any, dims: int) -> _M:
    for layer in module.modules():
        if isinstance(layer, _ConvNd) and layer.weight.dim() == dims:
            layer.weight.data = layer.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: _M, memory_format: Any) -> _M:
    """Lay out the weights of all 2-D convolutions, transposed ones too, as ``memory_format`` says; returns the module.

    Example::

        >>> import rushlight as torch
        >>> conv = torch.nn.Conv2d(2, 3, 3)
        >>> conv = torch.nn.utils.convert_conv2d_weight_memory_format(conv, torch.channels_last)
        >>> conv.weight.stride()
        (18, 1, 6, 2)
    """
    return _convert(module, memory_format, 4)


def convert_conv3d_weight_memory_format(module: _M, memory_format: Any) -> _M:
    """The same for 3-D convolutions."""
    return _convert(module, memory_format, 5)
