"""Normalizations. ``normalized`` is the operator behind layer, batch, group and instance normalization.

With x^ = (x - mean) / deviation and h = g * weight, the gradient for x is (h - mean(h) - x^ mean(h x^)) /
deviation, the means over the numbers that share statistics (Ioffe and Szegedy 2015). An ordinary backward
pass takes mean and deviation as the forward pass left them; when it is recorded they are computed again, so
that the second derivative sees them.
"""
import copy
import math

import numpy as np

from ..autograd import modes
from ..autograd.modes import no_grad
from ..kernels import normalization as kernels
from ..kernels.errors import only_floating, scalar_name
from ..kernels.memory import is_channels_last
from ..layout import channels_last, channels_last_3d
from ..tensor import Tensor
from .call import invoke
from .declare import Array, OptionalArray, composite, op
from .late import F
from .table import namespaces
from .tie import tied

state = modes.state


@op(function=False, out=False, extras=("mean", "rstd"))
def normalized(
    input: Array, weight: OptionalArray, bias: OptionalArray, view, axes, parameters, eps, fixed, seen
):
    """``(input - mean) / sqrt(variance + eps) * weight + bias``.

    ``view``: the shape in which the numbers that share statistics lie along ``axes``; ``parameters``: the
    shape of weight and bias against the input; ``fixed``: a (mean, variance) instead of the input's own;
    ``seen``: a list that is given them.
    """
    dtype = input.dtype
    if dtype.itemsize == 2:
        input = input.astype(np.float32)
        weight, bias = (p if p is None else p.astype(np.float32) for p in (weight, bias))
    out, mean, rstd, var = kernels.normalize(input, weight, bias, view, axes, parameters, eps, fixed)
    if seen is not None:
        seen[:] = mean, var
    return out.astype(dtype, copy=False), {"mean": mean, "rstd": rstd}


def _fold(g, parameters, shape):
    """The gradient of a parameter: summed over what it was stretched along."""
    lead = g.ndim - len(parameters)
    axes = (*range(lead), *(i + lead for i, n in enumerate(parameters) if n == 1))
    g = g.sum(axis=axes) if axes else g
    return g.reshape(shape)


@normalized.derivatives
def _normalized_rule(
    g, input, weight, weight_shape, bias_shape, view, axes, parameters, eps, fixed, mean, rstd, needs
):
    x = input.reshape(view)
    n = kernels.count(view_of(x), axes) or math.nan
    if isinstance(x, Tensor) and fixed is None:
        mean = x.sum(axis=axes, keepdims=True) * (1 / n)
        d = x - mean
        rstd = ((d * d).sum(axis=axes, keepdims=True) * (1 / n) + eps) ** -0.5
        hat = d * rstd
    else:
        hat = (x - mean) * rstd
    to_input = to_weight = to_bias = None
    if needs[0]:
        h = g if weight is None else g * weight.reshape(parameters)
        h = h.reshape(view)
        if fixed is None:
            h = (
                h
                - h.sum(axis=axes, keepdims=True) * (1 / n)
                - hat * ((h * hat).sum(axis=axes, keepdims=True) * (1 / n))
            )
        to_input = (h * rstd).reshape(tuple(input.shape))
    if needs[1]:
        to_weight = _fold(g * hat.reshape(tuple(input.shape)), parameters, weight_shape)
    if needs[2]:
        to_bias = tied(_fold(g, parameters, bias_shape), input, weight)
    return to_input, to_weight, to_bias


def view_of(x):
    return tuple(x.shape)


def _named(name):
    made = copy.copy(normalized)
    made.grad_name, made.plans = name, {}
    return made


LAYER, BATCH, GROUP, INSTANCE = (_named(n) for n in (
    "NativeLayerNormBackward0", "NativeBatchNormBackward0", "NativeGroupNormBackward0", "ViewBackward0"))


def _shape_argument(name, shape):
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not "
                        f"{type(shape).__name__}\nWrite ({shape},).")
    return tuple(int(n) for n in shape)


def _check_trailing(input, shape, parameters, star):
    """PyTorch's errors for a normalized_shape and parameters that do not fit the input."""
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
                           "least one element, but "
                           "got normalized_shape = []")
    for name, p in parameters:
        if p is not None and tuple(p.shape) != shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of "
                               "shape "
                               f"{list(p.shape)} and normalized_shape = {list(shape)}")
    if tuple(input.shape[max(input.ndim - len(shape), 0):]) != shape:
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape [*{star}"
                           + ", ".join(map(str, shape)) + f"], but got input of size{list(input.shape)}")


def check_parameter_dtype(input, *parameters):
    for p in parameters:
        if p is not None and p._a.dtype != input._a.dtype:
            if input._a.dtype.itemsize == 2 and p._a.dtype == np.float32:
                continue
            if input._a.dtype.itemsize > 4:
                raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.\nConvert them "
                                   "with .to(dtype).")
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of "
                               f"{scalar_name(input._a.dtype)}\nConvert it with .to(dtype).")


@composite
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    """Normalize the last dimensions, of shape ``normalized_shape``, of each sample (Ba and others 2016).

    ``weight`` and ``bias``: of that shape, multiplied and added afterwards. RuntimeError for shapes that do
    not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.layer_norm(torch.tensor([[1., 3.]]), (2,))
        tensor([[-1.0000,  1.0000]])
    """
    shape = _shape_argument("layer_norm", normalized_shape)
    _check_trailing(input, shape, (("weight", weight), ("bias", bias)), ", ")
    only_floating("LayerNormKernelImpl", input._a)
    check_parameter_dtype(input, weight, bias)
    lead = input._a.shape[:input._a.ndim - len(shape)]
    view = (math.prod(lead), math.prod(shape))
    return invoke(LAYER, (input, weight, bias, view, (1,), shape, eps, None, None))


@composite(space="nn.functional", name="layer_norm")
def _layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalize the last dimensions, of shape ``normalized_shape``, of each sample; see
    ``torch.layer_norm``."""
    return layer_norm(input, normalized_shape, weight, bias, eps)


@composite
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divide the last dimensions, of shape ``normalized_shape``, by their root mean square (Zhang and
    Sennrich 2019).

    ``eps`` is added to the mean of squares; None stands for the dtype's own.
    """
    shape = _shape_argument("rms_norm", normalized_shape)
    if input._a.dtype.kind in "iub":
        only_floating("rms_norm", input._a)
    _check_trailing(input, shape, (("weight", weight),), "")
    dims = tuple(range(input.ndim - len(shape), input.ndim))
    x = input
    if input._a.dtype.itemsize == 2:
        x = input.float()
    last = is_channels_last(x._a)
    if not last:
        x = x.contiguous()
    if eps is None:
        eps = np.finfo(x._a.dtype).eps
    out = x * ((x * x).mean(dims, True) + float(eps)).rsqrt()
    if weight is not None:
        out = out * weight
    if last:
        out = out.contiguous(memory_format=channels_last if out.ndim == 4 else channels_last_3d)
    return out if out._a.dtype == input._a.dtype else out.type_as(input)


namespaces["nn.functional"]["rms_norm"] = namespaces["torch"]["rms_norm"]


def _check_channels(input, channels, named):
    for name, p in named:
        if p is not None and p._a.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {p._a.size}\nThe input has "
                               f"{channels} channels.")


def _update_running(running_mean, running_var, mean, var, n, momentum):
    """Move the running statistics towards those of this batch (the variance unbiased), as PyTorch in
    place."""
    with no_grad():
        for running, new in ((running_mean, mean), (running_var, var * (n / (n - 1) if n > 1 else math.inf))):
            if running is not None:
                a = running._a
                np.copyto(a, (1 - momentum) * a + momentum * new.reshape(a.shape), casting="unsafe")
                running._bump(("batch_norm", None))


@composite
def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=True):
    """Normalize each channel (dimension 1) over the batch and all other dimensions (Ioffe and Szegedy 2015).

    In training with the statistics of the batch, which also move the running ones: running = (1 - momentum)
    running + momentum new, in place; otherwise with the running statistics. RuntimeError for sizes that do
    not fit.
    """
    shape = input._a.shape
    channels = shape[1] if len(shape) > 1 else 0
    if running_mean is None and not training:
        raise RuntimeError("running_mean must be defined in evaluation mode\nPass it, or training=True.")
    if running_var is None and not training:
        raise RuntimeError("running_var must be defined in evaluation mode\nPass it, or training=True.")
    _check_channels(
        input,
        channels,
        (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)),
    )
    if not input._a.size:
        return _empty_batch(input, weight, bias)
    if input._a.dtype.kind in "iubc":
        only_floating("batch_norm", input._a)
    check_parameter_dtype(input, weight, bias, running_mean, running_var)
    for name, p in (("running_mean", running_mean), ("running_var", running_var)):
        if p is not None and p.requires_grad and state.grad:
            raise RuntimeError("The function 'native_batch_norm' is not differentiable with respect to "
                               f"argument '{name}'. This "
                               "input cannot have requires_grad True.")
    parameters = (1, channels) + (1,) * (input.ndim - 2)
    axes = (0, *range(2, input.ndim))
    if not training:
        wide = np.float64 if input._a.dtype == np.float64 else np.float32
        fixed = tuple(p._a.astype(wide, copy=True).reshape(parameters) for p in (running_mean, running_var))
        return invoke(BATCH, (input, weight, bias, shape, axes, parameters, eps, fixed, None))
    seen = [] if running_mean is not None or running_var is not None else None
    result = invoke(BATCH, (input, weight, bias, shape, axes, parameters, eps, None, seen))
    if seen:
        _update_running(running_mean, running_var, *seen, input._a.size // channels, momentum)
    return result


def _empty_batch(input, weight, bias):
    out = input.clone()
    if weight is not None:
        out = out * weight.reshape(-1)[:1].sum() if weight._a.size else out
    if bias is not None:
        out = out + bias.reshape(-1)[:1].sum() if bias._a.size else out
    return out


def _verify_batch(size):
    """PyTorch's refusal to normalize one number by itself."""
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


@composite(space="nn.functional", name="batch_norm")
def _batch_norm(
    input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5
):
    """Normalize each channel (dimension 1) over the batch; see ``torch.batch_norm``.

    ValueError in training for a single value per channel.
    """
    if training:
        _verify_batch(input.shape)
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


@composite
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    """Normalize the channels (dimension 1) of each sample in ``num_groups`` groups (Wu and He 2018).

    RuntimeError where the groups do not divide the channels.
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    shape = input._a.shape
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if shape[1] % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got "
                           "input of shape "
                           f"{list(shape)} and num_groups={num_groups}")
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and (p.ndim != 1 or p._a.size != shape[1]):
            raise RuntimeError(f"Expected {name} to be a vector of size equal to the number of channels in "
                               "input, but got "
                               f"{name} of shape {list(p.shape)} and input of shape {list(shape)}")
    only_floating("GroupNormKernelImpl", input._a)
    check_parameter_dtype(input, weight, bias)
    view = (shape[0], num_groups, math.prod(shape[1:]) // num_groups)
    parameters = (1, shape[1]) + (1,) * (len(shape) - 2)
    return invoke(GROUP, (input, weight, bias, view, (2,), parameters, eps, None, None))


@composite(space="nn.functional", name="group_norm")
def _group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalize the channels of each sample in groups; see ``torch.group_norm``."""
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    _verify_batch([input.shape[0] * input.shape[1] // num_groups, num_groups, *input.shape[2:]])
    return group_norm(input, num_groups, weight, bias, eps)


@composite
def instance_norm(
    input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled=True
):
    """Normalize each channel of each sample by itself (Ulyanov and others 2016).

    With ``use_input_stats`` the running statistics, where given, move towards the mean over the samples;
    without, they are used.
    """
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is "
                           "false")
    shape = input._a.shape
    only_floating("batch_norm", input._a)
    _check_channels(input, shape[1], (("weight", weight), ("bias", bias), ("running_mean", running_mean),
                                      ("running_var", running_var)))
    input = input.contiguous()
    view = (shape[0], shape[1], math.prod(shape[2:]))
    parameters = (1, shape[1]) + (1,) * (len(shape) - 2)
    if not use_input_stats:
        fixed = tuple(
            p._a.astype(p._a.dtype, copy=True).reshape(1, -1, 1) for p in (running_mean, running_var)
        )
        return invoke(INSTANCE, (input, weight, bias, view, (2,), parameters, eps, fixed, None))
    seen = []
    result = invoke(INSTANCE, (input, weight, bias, view, (2,), parameters, eps, None, seen))
    if running_mean is not None or running_var is not None:
        mean, var = (s.mean(0) for s in seen)
        _update_running(running_mean, running_var, mean, var, view[2], momentum)
    return result


@composite(space="nn.functional", name="instance_norm")
def _instance_norm(
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-5,
):
    """Normalize each channel of each sample by itself; see ``torch.instance_norm``."""
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    return instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)


@composite(space="nn.functional")
def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """``input / (k + alpha * mean of the squares of `size` neighbouring channels) ** beta`` (Krizhevsky and
    others 2012).

    ValueError for fewer than 3 dimensions.
    """
    if input.ndim < 3:
        raise ValueError("Expected 3D or higher dimensionality                          input (got "
                         f"{input.ndim} dimensions)")
    if not input._a.size:
        return input
    channels = input.shape[1]
    square = input * input
    padded = F.pad(square, (0, 0) * (input.ndim - 2) + (size // 2, (size - 1) // 2))
    total = padded[:, :channels]
    for i in range(1, size):
        total = total + padded[:, i:i + channels]
    mean = total / size if total.is_floating_point() else total.div(size, rounding_mode="trunc")
    return input / (mean * alpha + k) ** beta
