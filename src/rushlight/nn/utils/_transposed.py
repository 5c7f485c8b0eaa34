"""Which layers keep their output channels in dimension 1 of the weight."""

from rushlight.nn.modules.conv import _ConvNd
from rushlight.nn.modules.module import Module

__all__ = ["output_dim"]


def output_dim(module: Module) -> int:
    """The dimension of the weight along which the outputs lie: 1 for transposed convolutions, else 0."""
    return 1 if isinstance(module, _ConvNd) and module.transposed else 0
