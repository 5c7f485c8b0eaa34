"""Padding: elements added on the edges of the last one, two or three dimensions."""

from typing import Any

from rushlight.nn import functional as F
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.utils import _ntuple
from rushlight.tensor import Tensor

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _PadNd(Module):
    """A number for every side, or (before, after) of the last dimension, then of the one before it, and so on."""

    __constants__ = ["padding"]
    _dimensions: int
    padding: tuple[int, ...]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._dimensions, "_sides")(padding)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    def _check_input_dim(self, input: Tensor) -> None:
        n = self._dimensions
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class _ConstantPadNd(_PadNd):
    __constants__ = ["padding", "value"]
    value: float

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ReflectionPadNd(_PadNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")


class _ReplicationPadNd(_PadNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")


class CircularPad1d(_CircularPadNd):
    """What lies at the other end on the edges of sequences, (N, C, L) or (C, L).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.CircularPad1d(1)(torch.tensor([[1., 2., 3.]]))
        tensor([[3., 1., 2., 3., 1.]])
    """

    _dimensions = 1


class CircularPad2d(_CircularPadNd):
    """What lies at the other end on the edges of images, (N, C, H, W) or (C, H, W)."""

    _dimensions = 2


class CircularPad3d(_CircularPadNd):
    """What lies at the other end on the edges of volumes, (N, C, D, H, W) or (C, D, H, W)."""

    _dimensions = 3


class ConstantPad1d(_ConstantPadNd):
    """A constant on the edges of sequences, (N, C, L) or (C, L).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.ConstantPad1d((2, 0), 7.0)(torch.tensor([[1., 2.]]))
        tensor([[7., 7., 1., 2.]])
    """

    _dimensions = 1


class ConstantPad2d(_ConstantPadNd):
    """A constant on the edges of images, (N, C, H, W) or (C, H, W)."""

    _dimensions = 2


class ConstantPad3d(_ConstantPadNd):
    """A constant on the edges of volumes, (N, C, D, H, W) or (C, D, H, W)."""

    _dimensions = 3


class ReflectionPad1d(_ReflectionPadNd):
    """A mirror image without the edge on the edges of sequences, (N, C, L) or (C, L).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.ReflectionPad1d(1)(torch.tensor([[1., 2., 3.]]))
        tensor([[2., 1., 2., 3., 2.]])
    """

    _dimensions = 1


class ReflectionPad2d(_ReflectionPadNd):
    """A mirror image without the edge on the edges of images, (N, C, H, W) or (C, H, W)."""

    _dimensions = 2


class ReflectionPad3d(_ReflectionPadNd):
    """A mirror image without the edge on the edges of volumes, (N, C, D, H, W) or (C, D, H, W)."""

    _dimensions = 3


class ReplicationPad1d(_ReplicationPadNd):
    """The edge repeated on the edges of sequences, (N, C, L) or (C, L).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.ReplicationPad1d((0, 2))(torch.tensor([[1., 2.]]))
        tensor([[1., 2., 2., 2.]])
    """

    _dimensions = 1


class ReplicationPad2d(_ReplicationPadNd):
    """The edge repeated on the edges of images, (N, C, H, W) or (C, H, W)."""

    _dimensions = 2


class ReplicationPad3d(_ReplicationPadNd):
    """The edge repeated on the edges of volumes, (N, C, D, H, W) or (C, D, H, W)."""

    _dimensions = 3


class ZeroPad1d(ConstantPad1d):
    """Zeros on the edges of sequences, (N, C, L) or (C, L).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.ZeroPad1d(1)(torch.tensor([[1., 2.]]))
        tensor([[0., 1., 2., 0.]])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Zeros on the edges of images, (N, C, H, W) or (C, H, W)."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Zeros on the edges of volumes, (N, C, D, H, W) or (C, D, H, W)."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"
