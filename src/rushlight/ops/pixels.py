"""Rearranging planes: pixels into channels and back, channels across groups, windows into columns and back."""
import math

import numpy as np

from ..kernels import convolution as kernels
from ..kernels.errors import refuse
from .declare import Array, both, op
from .table import namespaces


@op(space="nn.functional", out=False)
def pixel_shuffle(input: Array, upscale_factor):
    """Channels into pixels: (*, C r^2, H, W) to (*, C, H r, W r) (Shi and others 2016)."""
    r = upscale_factor
    if input.ndim < 3:
        raise RuntimeError("pixel_shuffle expects input to have at least 3 dimensions, but got input with "
                           f"{input.ndim} "
                           "dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    if c % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the "
                           "square of "
                           f"upscale_factor, but input.size(-3)={c} is not divisible by {r * r}")
    n, c = len(lead), c // (r * r)
    parts = input.reshape((*lead, c, r, r, h, w)).transpose((*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return np.array(parts, order="C").reshape((*lead, c, h * r, w * r))


@op(space="nn.functional", out=False)
def pixel_unshuffle(input: Array, downscale_factor):
    """Pixels into channels, the opposite of ``pixel_shuffle``."""
    r = downscale_factor
    if input.ndim < 3:
        raise RuntimeError(f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
                           f"{input.ndim} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    for size, name, at in ((h, "height", -2), (w, "width", -1)):
        if size % r:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                               f"input.size({at})={size} is not divisible by {r}")
    n = len(lead)
    parts = input.reshape((*lead, c, h // r, r, w // r, r)).transpose(
        (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    )
    return np.array(parts, order="C").reshape((*lead, c * r * r, h // r, w // r))


@op(space="nn.functional", out=False)
def channel_shuffle(input: Array, groups):
    """The channels (dimension 1) read across ``groups`` groups (Zhang and others 2018)."""
    if input.ndim <= 2:
        raise RuntimeError("channel_shuffle expects input with > 2 dims, but got input with sizes "
                           f"{list(input.shape)}")
    if groups <= 0:
        raise RuntimeError("Number of groups to divide channels in must be positive. Value of "
                           f"groups:{groups}")
    n, c, *rest = input.shape
    if c % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} "
                           "groups.")
    parts = input.reshape((n, groups, c // groups, *rest)).swapaxes(1, 2)
    return np.array(parts, order="C").reshape((n, c, *rest))


pixel_shuffle.derivative(input=lambda g, upscale_factor: both.pixel_unshuffle(g, upscale_factor))
pixel_unshuffle.derivative(input=lambda g, downscale_factor: both.pixel_shuffle(g, downscale_factor))
channel_shuffle.derivative(input=lambda g, groups: both.channel_shuffle(g, g.shape[1] // groups))

for _name in ("pixel_shuffle", "pixel_unshuffle", "channel_shuffle"):
    namespaces["torch"][_name] = namespaces["nn.functional"][_name]
namespaces["torch"]["native_channel_shuffle"] = namespaces["nn.functional"]["native_channel_shuffle"] = \
    namespaces["nn.functional"]["channel_shuffle"]


# ---------------------------------------------------------------- windows and columns

def _pair(name, value):
    if isinstance(value, (tuple, list)):
        if len(value) not in (1, 2):
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(value)}")
        return tuple(int(v) for v in value) * (3 - len(value))
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"argument '{name}' must be tuple of ints, not {type(value).__name__}")
    return int(value), int(value)


def _check_windows(kernel, dilation, padding, stride):
    for name, short, pair in (("kernel size", "kernel", kernel), ("dilation", "dilation", dilation),
                              ("padding", "pad", padding), ("stride", "stride", stride)):
        if min(pair) < (name == "padding" and 0 or name != "padding"):
            raise RuntimeError(f"{name} should be {'non-negative' if name == 'padding' else 'greater than zero'}, "
                               f"but got {short}_height: {pair[0]} {short}_width: {pair[1]}")


def _blocks(size, kernel, dilation, padding, stride):
    return tuple(kernels.output_size(n, k, s, p, d)
                 for n, k, d, p, s in zip(size, kernel, dilation, padding, stride))


@op(space="nn.functional", out=False, grad_name="Im2ColBackward0")
def unfold(input: Array, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of (N, C, H, W) or (C, H, W) as columns: (N, C * kh * kw, windows).

    A product with a matrix of kernels is then a convolution. RuntimeError where no window fits.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.unfold(torch.ones(1, 2, 3, 3), 2).shape
        torch.Size([1, 8, 4])
    """
    kernel, dilation = _pair("kernel_size", kernel_size), _pair("dilation", dilation)
    padding, stride = _pair("padding", padding), _pair("stride", stride)
    _check_windows(kernel, dilation, padding, stride)
    if input.ndim < 3:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], "
                         "but got 2)\nThe input is (N, C, H, W) or (C, H, W).")
    if input.ndim not in (3, 4) or 0 in input.shape[-3:]:
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                           f"dimensions for input, but got: {list(input.shape)}")
    if input.dtype.kind in "iu":
        raise refuse("im2col_out_cpu", input.dtype)
    size = input.shape[-2:]
    blocks = _blocks(size, kernel, dilation, padding, stride)
    if min(blocks) < 1:
        raise RuntimeError(f"Given input with spatial size {tuple(size)}, kernel_size={kernel}, dilation={dilation}, "
                           f"padding={padding}, calculated shape of the array of sliding blocks as {blocks}, but its "
                           "components must be at least one.")
    made = kernels.unfold(input if input.ndim == 4 else input[None], kernel, stride, padding, dilation)
    return made if input.ndim == 4 else made[0]


@op(space="nn.functional", out=False, grad_name="Col2ImBackward0")
def fold(input: Array, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns (N, C * kh * kw, windows) added to where ``unfold`` took them from: (N, C, *output_size).

    Overlapping windows add up. RuntimeError where the number of columns is not that of the windows.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.fold(torch.ones(1, 4, 4), (3, 3), 2)
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])
    """
    size, kernel = _pair("output_size", output_size), _pair("kernel_size", kernel_size)
    dilation, padding, stride = _pair("dilation", dilation), _pair("padding", padding), _pair("stride", stride)
    _check_windows(kernel, dilation, padding, stride)
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
                           f"dimensions for input, but got: {list(input.shape)}")
    rows, count = input.shape[-2:]
    if rows % math.prod(kernel):
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                           f"input.size(1)={rows} and kernel_size={kernel}.")
    h, w = _blocks(size, kernel, dilation, padding, stride)
    if h * w != count or min(h, w) < 1:
        raise RuntimeError(f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
                           f"stride={stride}, expected size of input's dimension 2 to match the calculated number of "
                           f"sliding blocks {h} * {w} = {h * w}, but got input.size(2)={count}.")
    if input.dtype.kind in "iu":
        raise refuse("col2im_out_cpu", input.dtype)
    made = kernels.fold(input if input.ndim == 3 else input[None], size, kernel, stride, padding, dilation)
    return made if input.ndim == 3 else made[0]


unfold.derivative(input=lambda g, input_shape, kernel_size, dilation, padding, stride: both.fold(
    g, tuple(input_shape[-2:]), kernel_size, dilation, padding, stride))
fold.derivative(input=lambda g, kernel_size, dilation, padding, stride: both.unfold(
    g, kernel_size, dilation, padding, stride))
