"""Convolutions and transposed convolutions in one, two and three dimensions.

One operator serves all: `convolution`, whose two gradients are operators of their own, each bilinear and each
the others' derivative. A transposed convolution is the gradient of a convolution for its input, with a bias.
"""
import functools
import warnings

import numpy as np

from ..kernels import convolution as kernels
from ..kernels.errors import c_name, refuse, scalar_name
from .call import invoke
from .declare import Array, OptionalArray, both, composite, op
from .late import F
from .table import namespaces
from .tie import tied


def _wide(x):
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


# ---------------------------------------------------------------- the operators

@op(function=False, out=False)
def convolution(input: Array, weight: Array, bias: OptionalArray, stride, padding, dilation, groups):
    """The cross-correlation of (N, C, *size) with (O, C / groups, *kernel), plus a bias for each output
    channel."""
    if input.dtype.kind == "b":
        raise refuse("compute_columns3d" if input.ndim == 5 else "slow_conv2d_cpu", input.dtype)
    made = kernels.convolve(
        _wide(input), _wide(weight), None if bias is None else _wide(bias), stride, padding, dilation, groups
    )
    return made.astype(input.dtype, copy=False)


@op(function=False, out=False, name="_conv_transpose", grad_name="ConvolutionBackward0")
def _conv_transpose(input: Array, weight: Array, bias: OptionalArray, size, stride, padding, dilation, groups):
    """The transposed convolution of (N, C, *) with (C, O / groups, *kernel), of the given output ``size``."""
    if input.dtype.kind == "b":
        raise refuse(f"slow_conv_transpose{'3' if input.ndim == 5 else '2'}d_out_cpu", input.dtype)
    shape = (input.shape[0], weight.shape[1] * groups, *size)
    made = kernels.convolve_input(_wide(input), _wide(weight), shape, stride, padding, dilation, groups)
    if bias is not None:
        made += _wide(bias).reshape(-1, *(1,) * len(size))
    return made.astype(input.dtype, copy=False)


@op(function=False, out=False)
def convolution_input(grad: Array, weight: Array, shape, stride, padding, dilation, groups):
    """The gradient of ``convolution`` for an input of ``shape``."""
    return kernels.convolve_input(_wide(grad), _wide(weight), shape, stride, padding, dilation, groups)


@op(function=False, out=False)
def convolution_weight(grad: Array, input: Array, kernel, stride, padding, dilation, groups):
    """The gradient of ``convolution`` for a weight whose last dimensions are ``kernel``."""
    return kernels.convolve_weight(_wide(grad), _wide(input), kernel, stride, padding, dilation, groups)


def _from_tbc(x):
    """(time, batch, channels) as (batch, channels, time)."""
    return x.swapaxes(0, 1).swapaxes(1, 2)


def _to_tbc(x):
    """(batch, channels, time) as (time, batch, channels)."""
    return x.swapaxes(1, 2).swapaxes(0, 1)


@op(function=False, out=False, name="_conv_tbc", grad_name="ConvTbcBackward0")
def _conv_tbc(input: Array, weight: Array, bias: Array, pad):
    """The 1-d convolution of (time, batch, channels) with (k, channels, outputs)."""
    made = kernels.convolve(_wide(_from_tbc(input)), _wide(weight.swapaxes(0, 2)), _wide(bias), (1,), (pad,), (1,), 1)
    return np.array(_to_tbc(made), input.dtype, order="C")


def _over_places(g):
    """A gradient summed over all but its channels."""
    return g.sum(axis=(0, *range(2, g.ndim)))


def _cut(made, shape):
    """Windows beyond those that ``shape`` has, which an output padding left room for, count for nothing."""
    if tuple(made.shape) == tuple(shape):
        return made
    return made[(..., *(slice(0, n) for n in shape[2:]))]


convolution.derivative(
    input=lambda g, weight, input_shape, stride, padding, dilation, groups: both.convolution_input(
        g, both.conj(weight), input_shape, stride, padding, dilation, groups
    ),
    weight=lambda g, input, weight_shape, stride, padding, dilation, groups: both.convolution_weight(
        g, both.conj(input), tuple(weight_shape[2:]), stride, padding, dilation, groups
    ),
    bias=lambda g, input, weight: tied(_over_places(g), input, weight),
)
_conv_transpose.derivative(
    input=lambda g, weight, input_shape, stride, padding, dilation, groups: _cut(both.convolution(
        g, both.conj(weight), None, stride, padding, dilation, groups), input_shape),
    weight=lambda g, input, weight_shape, stride, padding, dilation, groups: both.convolution_weight(
        both.conj(input), g, tuple(weight_shape[2:]), stride, padding, dilation, groups),
    bias=lambda g, input, weight: tied(_over_places(g), input, weight),
)
_conv_tbc.derivative(
    input=lambda g, input_shape, weight, pad: _to_tbc(both.convolution_input(
        _from_tbc(g), weight.swapaxes(0, 2), (input_shape[1], input_shape[2], input_shape[0]), (1,), (pad,), (1,), 1)),
    weight=lambda g, input, weight_shape, pad: both.convolution_weight(
        _from_tbc(g), _from_tbc(input), (weight_shape[0],), (1,), (pad,), (1,), 1).swapaxes(0, 2),
    bias=lambda g, input, weight: tied(g.sum(axis=(0, 1)), input, weight),
)
convolution_input.derivative(
    grad=lambda g, grad_shape, weight, stride, padding, dilation, groups: _cut(both.convolution(
        g, both.conj(weight), None, stride, padding, dilation, groups), grad_shape),
    weight=lambda g, grad, weight_shape, stride, padding, dilation, groups: both.convolution_weight(
        both.conj(grad), g, tuple(weight_shape[2:]), stride, padding, dilation, groups
    ),
)
convolution_weight.derivative(
    grad=lambda g, grad_shape, input, stride, padding, dilation, groups: _cut(both.convolution(
        both.conj(input), g, None, stride, padding, dilation, groups), grad_shape),
    input=lambda g, grad, input_shape, stride, padding, dilation, groups:
        both.convolution_input(both.conj(grad), g, input_shape, stride, padding, dilation, groups))


# ---------------------------------------------------------------- what fits and what does not

def _numbers(function, name, value, n):
    """A number, or a list of one or ``n``, as a tuple of ``n``."""
    if isinstance(value, (tuple, list)):
        if len(value) not in (1, n):
            raise RuntimeError(f"expected {name} to be a single integer value or a list of {n} values to match the "
                               f"convolution dimensions, but got {name}={list(value)}")
        value = tuple(int(v) for v in value)
        return value * n if len(value) == 1 else value
    if isinstance(value, (bool, float)) or not hasattr(value, "__index__"):
        raise TypeError(f"{function}(): argument '{name}' must be tuple of ints, not {type(value).__name__}")
    return (int(value),) * n


def _check_weight(n, x, w, stride):
    if len(w) < 3:
        raise RuntimeError("weight should have at least three dimensions\nIts shape is (out_channels, in_channels / "
                           "groups, *kernel), or with the first two swapped for a "
                           "transposed convolution.")
    if len(w) != n + 2:
        if n == 1:
            raise RuntimeError(f"Expected {len(w)}-dimensional input for {len(w)}-dimensional weight "
                               f"{list(w)}, but got {len(x)}-dimensional input of size {list(x)} "
                               f"instead\nThe weight of conv{n}d has {n + 2} dimensions.")
        raise RuntimeError(f"expected stride to be a single integer value or a list of {len(w) - 2} values "
                           f"to match the convolution dimensions, but got stride={list(stride)}\nThe weight of "
                           f"conv{n}d has {n + 2} dimensions.")


def _check_channels(x, w, bias, groups, transposed):
    head = f"Given {f'transposed={int(transposed)}' if transposed else f'groups={groups}'}"
    if w[0] < groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, "
                           f"but got weight of size {list(w)} instead")
    if w[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension "
                           f"0, but got weight of size [{list(w)}] instead")
    wanted, outputs = (w[0], w[1] * groups) if transposed else (w[1] * groups, w[0])
    if x[1] != wanted:
        raise RuntimeError(f"{head}, weight of size {list(w)}, expected input{list(x)} to have "
                           f"{wanted} channels, but got {x[1]} channels instead")
    if bias is not None and bias != (outputs,):
        raise RuntimeError(f"Given {'transposed=1, ' if transposed else ''}weight of size {list(w)}, expected bias "
                           f"to be 1-dimensional with {outputs} elements, but got bias of size {list(bias)} instead")


def _by(values):
    return "(" + " x ".join(map(str, values)) + ")"


def _places(**lists):
    """``output_padding_height: 0 output_padding_width: 1`` and so on, as PyTorch lists numbers per dimension.

    (Which of its libraries PyTorch asks depends on sizes and threads, and they say different things. These are the
    sentences of its own kernels.)
    """
    words = []
    for name, values in lists.items():
        values = (0, *values) if len(values) == 1 and name == "output_padding" else values * 2 if len(
            values) == 1 else values
        words += [f"{name}_{place}: {v}" for place, v in zip(("depth", "height", "width")[-len(values):], values)]
    return " ".join(words)


@functools.lru_cache(4096)
def _geometry(n, transposed, x, w, bias, stride, padding, output_padding, dilation, groups):
    """(stride, padding, dilation, output size of a transposed one) for shapes; PyTorch's errors for what does not
    fit. Cached: a network asks the same few questions in every step."""
    name = f"conv_transpose{n}d" if transposed else f"conv{n}d"
    stride, dilation = _numbers(name, "stride", stride, n), _numbers(name, "dilation", dilation, n)
    padding = _numbers(name, "padding", padding, n)
    output_padding = _numbers(name, "output_padding", output_padding, n)
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(dilation) <= 0:
        shown = (1, *dilation) if n == 1 else dilation
        raise RuntimeError("dilation should be greater than zero, but got " + (
            _places(dilation=shown) if transposed else str(list(shown))))
    _check_channels(x, w, bias, groups, transposed)
    size, kernel = x[2:], w[2:]
    extent = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    if not transposed:
        padded = [m + 2 * p for m, p in zip(size, padding)]
        if any(m < k for m, k in zip(padded, extent)):
            raise RuntimeError(f"Calculated padded input size per channel: {_by(padded)}. Kernel size: "
                               f"{_by(extent)}. Kernel size can't be greater than actual input size")
    if 0 in size and 0 not in x[:2]:
        shown = list(x) if n > 1 else [*x[:2], 1, *size]
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {shown}")
    if 0 in kernel:
        raise RuntimeError(f"kernel size should be greater than zero, but got {_by(kernel)}\nThe weight is empty.")
    if not transposed:
        return stride, padding, dilation, None
    if any(o >= s and o >= d for o, s, d in zip(output_padding, stride, dilation)):
        raise RuntimeError("output padding must be smaller than either stride or dilation, but got " + _places(
            output_padding=output_padding, stride=stride, dilation=dilation))
    out = tuple((m - 1) * s - 2 * p + e + o for m, s, p, e, o in zip(size, stride, padding, extent, output_padding))
    if min(out) < 1:
        shown = [_by((1, *v) if n == 1 else v) for v in (size, out)]
        raise RuntimeError(f"Given input size per channel: {shown[0]}. Calculated output size per channel: "
                           f"{shown[1]}. Output size is too small")
    return stride, padding, dilation, out


def _check_bias(x, bias):
    """What PyTorch's convolutions (not the transposed ones) ask before they look at shapes."""
    if bias is not None and bias.dtype != x.dtype:
        raise RuntimeError(f"Input type ({c_name(x.dtype)}) and bias type ({c_name(bias.dtype)}) should be the same"
                           "\nConvert the input, or the module, with .to(dtype).")


def _type_name(dtype):
    """PyTorch's name of the tensors of a dtype, as its errors show them."""
    name = scalar_name(dtype)
    return f"CPU{name}Type" if name == "BFloat16" or dtype.kind == "c" else f"torch.{name}Tensor"


def _check_dtypes(x, w, bias, transposed=False):
    if x.dtype != w.dtype:
        half = x.dtype.itemsize == 2 and x.dtype.kind not in "iu"
        if half or x.dtype.kind == "c":
            raise RuntimeError(f"Input type ({_type_name(x.dtype)}) and weight type ({_type_name(w.dtype)}) should be the "
                               "same" + " or input should be a MKLDNN tensor and weight is a dense tensor" * half
                               + "\nConvert one of them with .to(dtype).")
        if x.dtype.kind == "b":
            return                   # refused by the kernel
        raise RuntimeError(f"expected scalar type {scalar_name(x.dtype)} but found {scalar_name(w.dtype)}"
                           "\nConvert one of them with .to(dtype).")
    if transposed:
        _check_bias(x, bias)


def _key(value):
    return value if value.__class__ in (int, tuple) else tuple(value) if isinstance(value, list) else value


def _same(n, input, weight, dilation):
    """(the input padded by the odd one where that is needed, the even padding) for an output of the input's
    size."""
    total = [d * (k - 1) for k, d in zip(weight.shape[2:], dilation)]
    odd = [t % 2 for t in total]
    if any(odd):
        warnings.warn("Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of "
                      "the input be created", stacklevel=5)
        input = F.pad(input, [v for o in reversed(odd) for v in (0, o)])
    return input, tuple(t // 2 for t in total)


def _arrays(name, input, weight, bias):
    """The arrays of the three; TypeError for what is no tensor."""
    try:
        return input._a, weight._a, None if bias is None else bias._a
    except AttributeError:
        for at, argument, value in ((1, "input", input), (2, "weight", weight), (3, "bias", bias)):
            if not hasattr(value, "_a") and not (value is None and at == 3):
                raise TypeError(f"{name}(): argument '{argument}' (position {at}) must be Tensor, not "
                                f"{type(value).__name__}\nPass a Tensor.") from None
        raise


def _convolve(n, input, weight, bias, stride, padding, dilation, groups):
    name = f"conv{n}d"
    x, w, b = _arrays(name, input, weight, bias)
    if x.ndim != n + 2:
        if x.ndim != n + 1:
            raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of "
                               f"size: {list(x.shape)}")
        return _convolve(n, input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    if padding.__class__ is str:
        if padding == "valid":
            padding = 0
        elif padding != "same":
            raise RuntimeError(f"Invalid padding string: '{padding}'\nIt is 'valid' or 'same'.")
        elif max(_numbers(name, "stride", stride, n)) > 1:
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        else:
            if w.ndim != n + 2:
                _check_weight(n, x.shape, w.shape, _numbers(name, "stride", stride, n))
            input, padding = _same(n, input, weight, _numbers(name, "dilation", dilation, n))
            x = input._a
    elif b is not None and b.dtype is not x.dtype:
        _check_bias(x, b)
    if w.ndim != n + 2:
        _check_weight(n, x.shape, w.shape, _numbers(name, "stride", stride, n))
    stride, padding, dilation, _ = _geometry(n, False, x.shape, w.shape, None if b is None else b.shape, _key(stride),
                                             _key(padding), 0, _key(dilation), groups)
    _check_dtypes(x, w, b)
    return invoke(convolution, (input, weight, bias, stride, padding, dilation, groups))


def _transposed(n, input, weight, bias, stride, padding, output_padding, groups, dilation):
    name = f"conv_transpose{n}d"
    x, w, b = _arrays(name, input, weight, bias)
    if w.ndim != n + 2:
        _check_weight(n, x.shape, w.shape, _numbers(name, "stride", stride, n))
    if x.ndim != n + 2:
        if x.ndim != n + 1:
            raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of "
                               f"size: {list(x.shape)}")
        return _transposed(n, input.unsqueeze(0), weight, bias, stride, padding, output_padding, groups,
                           dilation).squeeze(0)
    stride, padding, dilation, out = _geometry(n, True, x.shape, w.shape, None if b is None else b.shape, _key(stride),
                                               _key(padding), _key(output_padding), _key(dilation), groups)
    _check_dtypes(x, w, b, True)
    return invoke(_conv_transpose, (input, weight, bias, out, stride, padding, dilation, groups))


# ---------------------------------------------------------------- the public functions

@composite
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """The 1-d cross-correlation of ``input``, (N, C, L) or (C, L), with ``weight``, (O, C / groups, k).

    As ``conv2d``, in one dimension.

    Example::

        >>> import rushlight as torch
        >>> torch.conv1d(torch.tensor([[[1., 2., 4., 8.]]]), torch.tensor([[[-1., 1.]]]))
        tensor([[[1., 2., 4.]]])
    """
    return _convolve(1, input, weight, bias, stride, padding, dilation, groups)


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
    return _convolve(2, input, weight, bias, stride, padding, dilation, groups)


@composite
def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """The 3-d cross-correlation of ``input``, (N, C, D, H, W) or (C, D, H, W), with ``weight``, (O, C / groups, kd,
    kh, kw).

    As ``conv2d``, in three dimensions.
    """
    return _convolve(3, input, weight, bias, stride, padding, dilation, groups)


@composite
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The 1-d transposed convolution of ``input``, (N, C, L) or (C, L), with ``weight``, (C, O / groups, k).

    As ``conv_transpose2d``, in one dimension.

    Example::

        >>> import rushlight as torch
        >>> torch.conv_transpose1d(torch.tensor([[[1., 2.]]]), torch.tensor([[[1., 10.]]]), stride=2)
        tensor([[[ 1., 10.,  2., 20.]]])
    """
    return _transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@composite
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The 2-d transposed convolution: what ``conv2d`` with the same arguments takes apart, this puts together.

    ``input``: (N, C, H, W) or (C, H, W); ``weight``: (C, O / groups, kh, kw); ``bias``: (O). The output's size is
    ``(n - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1``; ``output_padding`` chooses among
    the sizes that a strided convolution maps to ``n``. RuntimeError for shapes that do not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2))
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])
    """
    return _transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


@composite
def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The 3-d transposed convolution of ``input``, (N, C, D, H, W) or (C, D, H, W), with ``weight``, (C, O / groups,
    kd, kh, kw).

    As ``conv_transpose2d``, in three dimensions.
    """
    return _transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


@composite(name="convolution")
def _any(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """A convolution of as many dimensions as ``weight`` has kernel dimensions, transposed or not."""
    n = weight.ndim - 2
    if transposed:
        return _transposed(n, input, weight, bias, stride, padding, output_padding, groups, dilation)
    return _convolve(n, input, weight, bias, stride, padding, dilation, groups)


@composite
def conv_tbc(input, weight, bias, pad=0):
    """The 1-d convolution of sequences laid out (time, batch, channels) with ``weight``, (k, channels, outputs)."""
    if input.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.ndim != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if bias.shape[0] != weight.shape[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    return invoke(_conv_tbc, (input, weight, bias, int(pad)))


for _name in ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv_tbc"):
    namespaces["nn.functional"][_name] = namespaces["torch"][_name]
