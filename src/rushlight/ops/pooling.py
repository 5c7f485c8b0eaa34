"""2-d pooling. The pooled gradients are operators too, each linear and the other's derivative."""
import math

import numpy as np

from ..kernels import pooling as kernels
from ..kernels.errors import refuse
from .call import invoke
from .declare import Array, both, composite, op
from .late import F
from .tie import tied


def _pair(function, name, value, default=None):
    if isinstance(value, (tuple, list)):
        value = tuple(int(v) for v in value)
        if not value and default is not None:
            return default
        if len(value) not in (1, 2):
            raise RuntimeError(f"{function}: {name} must either be a single int, or a tuple of two ints")
        return value if len(value) == 2 else value * 2
    if value is None:
        return default
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"{function}(): argument '{name}' must be tuple of ints, not {type(value).__name__}")
    return int(value), int(value)


def _geometry(name, x, kernel_size, stride, padding, dilation, ceil_mode):
    """(kernel, stride, padding, dilation, output size); PyTorch's errors for what does not fit."""
    kernel = _pair(name, "kernel_size", kernel_size)
    stride = _pair(name, "stride", stride, kernel)
    padding, dilation = _pair(name, "padding", padding), _pair(name, "dilation", dilation)
    if min(stride) == 0:
        raise RuntimeError("stride should not be zero")
    if min(kernel) <= 0:
        raise RuntimeError(f"kernel size should be greater than zero, but got kH: {kernel[0]} kW: "
                           f"{kernel[1]}")
    if min(stride) < 0:
        raise RuntimeError(f"stride should be greater than zero, but got dH: {stride[0]} dW: {stride[1]}")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got dilationH: {dilation[0]} "
                           f"dilationW: {dilation[1]}")
    for p, k, d in zip(padding, kernel, dilation):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={p}, "
                               f"kernel_size={k} and "
                               f"dilation={d}")
    if x.ndim not in (3, 4):
        raise (
            RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
            if name == "max_pool2d"
            else IndexError(
                f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got -3)"
            )
        )
    if 0 in x.shape[-3:]:
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, "
                           "but got:"
                           f"{list(x.shape)}")
    out = tuple(kernels.pooled_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in
                zip(x.shape[-2:], kernel, stride, padding, dilation))
    if min(out) < 1:
        c, h, w = x.shape[-3:]
        raise RuntimeError(f"Given input size: ({c}x{h}x{w}). Calculated output size: "
                           f"({c}x{max(out[0], 0)}x{max(out[1], 0)}). "
                           "Output size is too small")
    return kernel, stride, padding, dilation, out


def _planes(x):
    """An unbatched input as a batch of one."""
    return x if x.ndim == 4 else x[None]


def _wide(x):
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


# ---------------------------------------------------------------- maxima

@op(function=False, out=False, multiple=True, materialize=False, grad_name="MaxPool2DWithIndicesBackward0")
def max_pool2d_with_indices(input: Array, kernel, stride, padding, dilation, out_size):
    """(the maximum of each window, its place in the plane)."""
    if input.dtype.kind in "bc":
        raise refuse("max_pool2d", input.dtype)
    best, places = kernels.max_pool(_planes(_wide(input)), out_size, kernel, stride, padding, dilation)
    shape = input.shape[:-2] + tuple(out_size)
    return best.astype(input.dtype, copy=False).reshape(shape), places.reshape(shape)


@op(
    function=False,
    out=False,
    extras=("places",),
    grad_name="MaxPool2DWithIndicesBackward0",
    name="_max_pool2d",
)
def _max_pool2d(input: Array, kernel, stride, padding, dilation, out_size):
    """The maximum of each window."""
    best, places = max_pool2d_with_indices.kernel(input, kernel, stride, padding, dilation, out_size)
    return best, {"places": places}


@op(function=False, out=False)
def scatter_pooled(grad: Array, places, shape):
    """``grad`` added to its places in zeros of ``shape``."""
    return kernels.scatter(_planes(grad), _planes(places), shape if len(shape) == 4 else (1, *shape)).reshape(
        shape
    )


@op(function=False, out=False)
def gather_pooled(input: Array, places):
    """The elements of the planes of ``input`` at ``places``."""
    return kernels.gather(_planes(input), _planes(places)).reshape(places.shape)


def _plain(x):
    return x if isinstance(x, np.ndarray) else x._a


scatter_pooled.derivative(grad=lambda g, places: both.gather_pooled(g, places))
gather_pooled.derivative(input=lambda g, places, input_shape: both.scatter_pooled(g, places, input_shape))
_max_pool2d.derivative(input=lambda g, input, places, input_shape:
                       tied(both.scatter_pooled(g, _plain(places), input_shape), input))
max_pool2d_with_indices.derivative(
    input=lambda g0, input, out1, input_shape: tied(both.scatter_pooled(g0, _plain(out1), input_shape), input)
)


def _max_pool2d_form(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The maximum of each window of (N, C, H, W) or (C, H, W).

    ``stride`` is ``kernel_size`` by default; ``padding`` is at most half the kernel. RuntimeError for what
    does not fit.
    """
    geometry = _geometry("max_pool2d", input._a, kernel_size, stride, padding, dilation, ceil_mode)
    return invoke(_max_pool2d, (input, *geometry))


composite(_max_pool2d_form, name="max_pool2d")


@composite(space="nn.functional", name="max_pool2d_with_indices")
def _with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """(``max_pool2d``, the places of the maxima in the H * W plane)."""
    geometry = _geometry("max_pool2d", input._a, kernel_size, stride, padding, dilation, ceil_mode)
    return invoke(max_pool2d_with_indices, (input, *geometry))


@composite(space="nn.functional", name="max_pool2d")
def _max_pool2d_function(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The maximum of each window of (N, C, H, W) or (C, H, W), with ``return_indices`` also its place in the
    plane.

    ``stride`` is ``kernel_size`` by default; ``padding`` is at most half the kernel. RuntimeError for what
    does not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.max_pool2d(torch.tensor([[[1., 2.], [3., 4.]]]), 2)
        tensor([[[4.]]])
    """
    if return_indices:
        return _with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool2d_form(input, kernel_size, stride, padding, dilation, ceil_mode)


# ---------------------------------------------------------------- means

@op(function=False, out=False, grad_name="AvgPool2DBackward0", name="_avg_pool2d")
def _avg_pool2d(input: Array, kernel, stride, padding, out_size, include_pad, override):
    """The mean of each window."""
    if input.dtype.kind in "biuc" and input.dtype != np.int64:
        raise refuse("avg_pool2d", input.dtype)
    x = _planes(_wide(input))
    divisors = kernels.avg_divisors(
        x.shape[2:], out_size, kernel, stride, padding, include_pad, override, x.dtype
    )
    made = kernels.sum_pool(x, out_size, kernel, stride, padding)
    made = (np.trunc(made / divisors) if made.dtype.kind == "i" else made / divisors).astype(input.dtype)
    return made.reshape(input.shape[:-2] + tuple(out_size))


@op(function=False, out=False)
def _avg_pool2d_backward(grad: Array, shape, kernel, stride, padding, include_pad, override):
    g = _planes(grad)
    planes = shape if len(shape) == 4 else (1, *shape)
    divisors = kernels.avg_divisors(
        planes[2:], g.shape[2:], kernel, stride, padding, include_pad, override, g.dtype
    )
    return kernels.sum_pool_gradient(g / divisors, planes, kernel, stride, padding).reshape(shape)


_avg_pool2d.derivative(
    input=lambda g, input, input_shape, kernel, stride, padding, include_pad, override: tied(
        both._avg_pool2d_backward(g, input_shape, kernel, stride, padding, include_pad, override), input
    )
)
_avg_pool2d_backward.derivative(
    grad=lambda g, grad_shape, kernel, stride, padding, include_pad, override: both._avg_pool2d(
        g, kernel, stride, padding, tuple(grad_shape[-2:]), include_pad, override
    )
)


@composite(space="nn.functional")
def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of each window of (N, C, H, W) or (C, H, W).

    ``count_include_pad`` counts padded zeros; ``divisor_override`` divides by a number of one's own.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.avg_pool2d(torch.tensor([[[1., 2.], [3., 4.]]]), 2)
        tensor([[[2.5000]]])
    """
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    kernel, stride, padding, _, out = _geometry(
        "avg_pool2d", input._a, kernel_size, stride, padding, 1, ceil_mode
    )
    return invoke(
        _avg_pool2d, (input, kernel, stride, padding, out, bool(count_include_pad), divisor_override)
    )


@composite(space="nn.functional")
def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window, ``p = norm_type``; infinity gives the maximum of the magnitudes."""
    kernel = _pair("lp_pool2d", "kernel_size", kernel_size)
    if norm_type == math.inf:
        return F.max_pool2d(input.abs(), kernel, stride, 0, 1, ceil_mode)
    if norm_type == -math.inf:
        return -F.max_pool2d(-input.abs(), kernel, stride, 0, 1, ceil_mode)
    out = F.avg_pool2d(input.pow(norm_type), kernel, stride, 0, ceil_mode)
    return (out.sign() * F.relu(out.abs())).mul(kernel[0] * kernel[1]).pow(1.0 / norm_type)


# ---------------------------------------------------------------- adaptive

def _adaptive_size(name, x, output_size, colon):
    if isinstance(output_size, (tuple, list)) and x.ndim <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    if x.ndim not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got{colon}{list(x.shape)}")
    sizes = list(output_size) if isinstance(output_size, (tuple, list)) else [output_size] * 2
    if len(sizes) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2" if name == "adaptive_avg_pool2d" else
                           f"{name}(): internal error: output_size.size() must be 2")
    out = tuple(n if s is None else int(s) for s, n in zip(sizes, x.shape[-2:]))
    for at in range(x.ndim - 3, x.ndim):
        if x.shape[at] == 0:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, "
                               "but input has sizes "
                               f"{list(x.shape)} with dimension {at} being empty")
    if min(out) < 0:
        raise RuntimeError("adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 "
                           "but received "
                           f"{{{out[0]}, {out[1]}}}" if name == "adaptive_avg_pool2d" else
                           f"Trying to create tensor with negative dimension {min(out)}: "
                           f"{[*x.shape[:-2], *out]}")
    return out


@op(function=False, out=False, grad_name="AdaptiveAvgPool2DBackward0", name="_between_matrices")
def _between_matrices(input: Array, left, right):
    """``left @ input @ right``, for constant matrices."""
    if input.dtype.kind in "biuc":
        raise refuse("adaptive_avg_pool2d", input.dtype)
    x = _wide(input)
    return np.matmul(np.matmul(left.astype(x.dtype), x), right.astype(x.dtype)).astype(
        input.dtype, copy=False
    )


_between_matrices.derivative(
    input=lambda g, input, left, right: tied(both._between_matrices(g, left.T, right.T), input))


@composite(space="nn.functional")
def adaptive_avg_pool2d(input, output_size):
    """The mean of each of ``output_size`` (a number or a pair, None: the input's) windows that cover the
    plane evenly."""
    out = _adaptive_size("adaptive_avg_pool2d", input._a, output_size, " ")
    if out == (1, 1) and input._a.dtype.kind == "f":
        return input.mean((-1, -2), True)
    h, w = input._a.shape[-2:]
    return invoke(_between_matrices, (input, kernels.adaptive_matrix(h, out[0], np.float64),
                                      kernels.adaptive_matrix(w, out[1], np.float64).T))


@op(function=False, out=False, multiple=True, materialize=False, grad_name="AdaptiveMaxPool2DBackward0",
    name="_adaptive_max_pool2d")
def _adaptive_max_pool2d(input: Array, out_size):
    """(the maximum of each adaptive window, its place in the plane)."""
    if input.dtype.kind in "biuc":
        raise refuse("adaptive_max_pool2d", input.dtype)
    best, places = kernels.adaptive_max(_planes(_wide(input)), out_size)
    shape = input.shape[:-2] + tuple(out_size)
    return best.astype(input.dtype, copy=False).reshape(shape), places.reshape(shape)


_adaptive_max_pool2d.derivative(
    input=lambda g0, input, out1, input_shape: tied(both.scatter_pooled(g0, _plain(out1), input_shape), input)
)


@composite(space="nn.functional")
def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """(``adaptive_max_pool2d``, the places of the maxima in the plane)."""
    out = _adaptive_size("adaptive_max_pool2d", input._a, output_size, ": ")
    return invoke(_adaptive_max_pool2d, (input, out))


@composite(space="nn.functional")
def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The maximum of each of ``output_size`` windows that cover the plane evenly; with ``return_indices`` its
    place too."""
    made = adaptive_max_pool2d_with_indices(input, output_size)
    return made if return_indices else made[0]
