"""The 2-d convolution. Its two gradients are operators of their own, each bilinear and each the others'
derivative."""
import warnings

import numpy as np

from ..kernels import convolution as kernels
from ..kernels.errors import refuse, scalar_name
from .call import invoke
from .declare import Array, OptionalArray, both, composite, op
from .late import F
from .table import namespaces
from .tie import tied

C_NAMES = {
    "Float": "float",
    "Double": "double",
    "Half": "c10::Half",
    "BFloat16": "c10::BFloat16",
    "Long": "long int",
    "ComplexFloat": "c10::complex<float>",
    "ComplexDouble": "c10::complex<double>",
}


def _wide(x):
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


@op(function=False, out=False)
def convolution(input: Array, weight: Array, bias: OptionalArray, stride, padding, dilation, groups):
    """The cross-correlation of (N, C, H, W) with (O, C / groups, kh, kw), plus a bias for each output
    channel."""
    if input.dtype.kind == "b":
        raise refuse("slow_conv2d_cpu", input.dtype)
    made = kernels.conv2d(
        _wide(input), _wide(weight), None if bias is None else _wide(bias), stride, padding, dilation, groups
    )
    return made.astype(input.dtype, copy=False)


@op(function=False, out=False)
def convolution_input(grad: Array, weight: Array, shape, stride, padding, dilation, groups):
    """The gradient of ``convolution`` for an input of ``shape``."""
    return kernels.conv2d_input(grad, weight, shape, stride, padding, dilation, groups)


@op(function=False, out=False)
def convolution_weight(grad: Array, input: Array, kernel, stride, padding, dilation, groups):
    """The gradient of ``convolution`` for a weight whose last dimensions are ``kernel``."""
    return kernels.conv2d_weight(grad, input, kernel, stride, padding, dilation, groups)


convolution.derivative(
    input=lambda g, weight, input_shape, stride, padding, dilation, groups: both.convolution_input(
        g, both.conj(weight), input_shape, stride, padding, dilation, groups
    ),
    weight=lambda g, input, weight_shape, stride, padding, dilation, groups: both.convolution_weight(
        g, both.conj(input), tuple(weight_shape[2:]), stride, padding, dilation, groups
    ),
    bias=lambda g, input, weight: tied(g.sum(axis=(0, 2, 3)), input, weight),
)
convolution_input.derivative(
    grad=lambda g, weight, stride, padding, dilation, groups: both.convolution(
        g, both.conj(weight), None, stride, padding, dilation, groups
    ),
    weight=lambda g, grad, weight_shape, stride, padding, dilation, groups: both.convolution_weight(
        both.conj(grad), g, tuple(weight_shape[2:]), stride, padding, dilation, groups
    ),
)
convolution_weight.derivative(
    grad=lambda g, input, stride, padding, dilation, groups:
        both.convolution(both.conj(input), g, None, stride, padding, dilation, groups),
    input=lambda g, grad, input_shape, stride, padding, dilation, groups:
        both.convolution_input(both.conj(grad), g, input_shape, stride, padding, dilation, groups))


def _pair(name, value):
    if isinstance(value, (tuple, list)):
        if len(value) == 1:
            value = (*value, *value)
        if len(value) != 2:
            raise RuntimeError(f"expected {name} to be a single integer value or a list of 2 values to match "
                               "the convolution "
                               f"dimensions, but got {name}={list(value)}")
        return tuple(int(v) for v in value)
    if isinstance(value, (bool, float)) or not hasattr(value, "__index__"):
        raise TypeError(f"conv2d(): argument '{name}' must be tuple of ints, not {type(value).__name__}")
    return int(value), int(value)


def _check_weight(input, weight, stride):
    x, w = input._a, weight._a
    if w.ndim < 3:
        raise RuntimeError(f"weight should have at least three dimensions, but got {w.ndim}\nIts shape is "
                           "(out_channels, in_channels / groups, height, width).")
    if w.ndim != 4:
        if x.ndim in (w.ndim, w.ndim - 1):
            raise RuntimeError(f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight "
                               f"{list(w.shape)}, but got {x.ndim}-dimensional input of size {list(x.shape)} "
                               "instead\nThe weight of conv2d has 4 dimensions.")
        raise RuntimeError(f"expected stride to be a single integer value or a list of {w.ndim - 2} values "
                           "to match "
                           f"the convolution dimensions, but got stride={list(stride)}\nThe weight of conv2d "
                           "has 4 "
                           "dimensions.")


def _check(input, weight, bias, stride, padding, dilation, groups):
    x, w = input._a, weight._a
    if x.ndim not in (3, 4):
        raise RuntimeError("Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: "
                           f"{list(x.shape)}")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")
    if w.shape[0] < groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, "
                           "but got weight of "
                           f"size {list(w.shape)} instead")
    if w.shape[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension "
                           "0, but got weight "
                           f"of size [{list(w.shape)}] instead")
    channels = x.shape[-3]
    if channels != w.shape[1] * groups:
        raise RuntimeError(f"Given groups={groups}, weight of size {list(w.shape)}, expected "
                           f"input{list(x.shape)} to have "
                           f"{w.shape[1] * groups} channels, but got {channels} channels instead")
    if bias is not None and (bias.ndim != 1 or bias._a.size != w.shape[0]):
        raise RuntimeError(f"Given weight of size {list(w.shape)}, expected bias to be 1-dimensional with "
                           f"{w.shape[0]} elements,"
                           f" but got bias of size {list(bias.shape)} instead")
    padded = [n + 2 * p for n, p in zip(x.shape[-2:], padding)]
    extent = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation)]
    if any(n < k for n, k in zip(padded, extent)):
        raise RuntimeError(f"Calculated padded input size per channel: ({padded[0]} x {padded[1]}). Kernel "
                           "size: "
                           f"({extent[0]} x {extent[1]}). Kernel size can't be greater than actual input "
                           "size")
    if x.dtype != w.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x.dtype)} but found {scalar_name(w.dtype)}"
                           "\nConvert one of them with .to(dtype).")
    if bias is not None and bias._a.dtype != x.dtype:
        names = [C_NAMES.get(scalar_name(d), scalar_name(d)) for d in (x.dtype, bias._a.dtype)]
        raise RuntimeError(f"Input type ({names[0]}) and bias type ({names[1]}) should be the same")


@composite
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """The 2-d cross-correlation of ``input`` with the kernels ``weight``, plus ``bias``.

    ``input``: (N, C, H, W) or (C, H, W); ``weight``: (O, C / groups, kh, kw); ``bias``: (O). ``stride``,
    ``padding`` and ``dilation``: a number or a pair; ``padding`` may be "valid" (none) or "same" (the output
    has the input's size; needs stride 1). RuntimeError for shapes that do not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)).shape
        torch.Size([1, 1, 2, 2])
    """
    stride, dilation = _pair("stride", stride), _pair("dilation", dilation)
    _check_weight(input, weight, stride)
    if isinstance(padding, str):
        if padding == "valid":
            padding = 0, 0
        elif padding != "same":
            raise RuntimeError(f"Invalid padding string: '{padding}'\nIt is 'valid' or 'same'.")
        elif stride != (1, 1):
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        else:
            input, padding = _same(input, weight, dilation)
    else:
        padding = _pair("padding", padding)
    _check(input, weight, bias, stride, padding, dilation, groups)
    if input.ndim == 3:
        return conv2d(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    return invoke(convolution, (input, weight, bias, stride, padding, dilation, groups))


def _same(input, weight, dilation):
    """(the input padded by the odd one where that is needed, the even padding) for an output of the input's
    size."""
    total = [d * (k - 1) for k, d in zip(weight.shape[2:], dilation)]
    odd = [t % 2 for t in total]
    if any(odd):
        warnings.warn("Using padding='same' with even kernel lengths and odd dilation may require a "
                      "zero-padded copy of "
                      "the input be created", stacklevel=4)
        input = F.pad(input, (0, odd[1], 0, odd[0]))
    return input, tuple(t // 2 for t in total)


namespaces["nn.functional"]["conv2d"] = namespaces["torch"]["conv2d"]


# ---------------------------------------------------------------- rearranging channels and pixels

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
