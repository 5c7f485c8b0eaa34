"""Convolutions."""

import math
from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn._ops import empty
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.utils import _pair, _reverse_repeat_tuple, _weight_and_bias
from rushlight.nn.parameter import Parameter
from rushlight.tensor import Tensor

__all__ = ["Conv2d"]


class _ConvNd(Module):
    """Parameters, checks and repr of all convolutions."""

    __constants__ = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: Any
    dilation: tuple[int, ...]
    transposed: bool
    output_padding: tuple[int, ...]
    groups: int
    padding_mode: str
    weight: Tensor

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: Any,
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            valid = {"same", "valid"}
            if padding not in valid:
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {valid}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        modes = {"zeros", "reflect", "replicate", "circular"}
        if padding_mode not in modes:
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._explicit_padding()
        channels = (
            (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        )
        self.weight = Parameter(empty((*channels, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _explicit_padding(self) -> Any:
        """The padding as ``functional.pad`` wants it (last dimension first), for the modes other than
        zeros.
        """
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        sides: list[int] = []
        for d, k in reversed(list(zip(self.dilation, self.kernel_size))):
            total = d * (k - 1) if self.padding == "same" else 0
            sides += [total // 2, total - total // 2]
        return sides

    def reset_parameters(self) -> None:
        """Both from U(-1/sqrt(fan_in), 1/sqrt(fan_in)); for the weight that is kaiming with a = sqrt(5)."""
        with no_grad():
            init.kaiming_uniform_(self.weight, a=math.sqrt(5))
            if self.bias is not None:
                fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
                bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")


class Conv2d(_ConvNd):
    """Cross-correlation of images with ``out_channels`` kernels.

    Args:
        in_channels, out_channels, kernel_size: sizes of the weight (out, in / groups, kH, kW).
        stride, padding, dilation: an int or a pair; padding also ``"same"`` or ``"valid"``.
        groups: channels are convolved in so many separate groups.
        padding_mode: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.

    Shapes: (N, C_in, H, W) or (C_in, H, W) to (N, C_out, H', W') or (C_out, H', W') with
    H' = floor((H + 2 padding - dilation (kH - 1) - 1) / stride + 1).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.Conv2d(1, 8, 3, padding=1)(torch.randn(2, 1, 8, 8)).shape
        torch.Size([2, 8, 8, 8])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            _pair(kernel_size),
            _pair(stride),
            padding if isinstance(padding, str) else _pair(padding),
            _pair(dilation),
            False,
            _pair(0),
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv2d(input, weight, bias, self.stride, _pair(0), self.dilation, self.groups)
        return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, *_weight_and_bias(self))
