"""Pooling over windows in one, two and three dimensions: maxima, means, p-norms.

The pooled gradients are operators too, each linear and the other's derivative. The 1-d functions are the 2-d ones
on planes one row high, as in PyTorch, whose messages and ``grad_fn`` show it.
"""
import copy
import functools
import math

import numpy as np

from ..kernels import pooling as kernels
from ..kernels.errors import refuse
from .call import invoke
from .declare import Array, both, composite, op
from .late import F
from .tie import tied

__all__ = ["check_dims", "named", "numbers", "one", "plain", "planes", "wide"]

COUNT = {1: "one", 2: "two", 3: "three"}
LETTERS = "THW"


def numbers(function, name, value, n, default=None):
    """A number, or a sequence of one or ``n`` numbers, as a tuple of ``n``."""
    if value is None:
        return default
    if isinstance(value, (tuple, list)):
        value = tuple(int(v) for v in value)
        if not value and default is not None:
            return default
        if len(value) not in (1, n):
            middle = "must be" if function == "avg_pool3d" else "must either be"
            raise RuntimeError(f"{function}: {name} {middle} a single int, or a tuple of {COUNT[n]} ints")
        return value if len(value) == n else value * n
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"{function}(): argument '{name}' must be tuple of ints, not {type(value).__name__}")
    return (int(value),) * n


def one(function, name, value):
    """A number, or a sequence of one."""
    if isinstance(value, (tuple, list)):
        if len(value) != 1:
            raise RuntimeError(f"{function}() argument '{name}' should contain one int (got {len(value)})")
        value = value[0]
    return value


def check_dims(name, input):
    """PyTorch's error for a 1-d pooling of what is neither (N, C, L) nor (C, L)."""
    if input.ndim not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 "
                           f"'self' (while checking arguments for {name})")


def _listed(prefix, values):
    return " ".join(f"{prefix}{letter}: {v}" for letter, v in zip(LETTERS[-len(values):], values))


def _check_shape(name, n, shape):
    if len(shape) not in (n + 1, n + 2):
        if name == "avg_pool2d":
            raise IndexError(f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], "
                             "but got -3)")
        raise RuntimeError(f"non-empty {n + 1}D or {n + 2}D (batch mode) tensor expected for input")
    if 0 in shape[-n - 1:]:
        if n == 3:
            where = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else "avg_pool3d"
            raise RuntimeError(f"{where}(): Expected input's non-batch dimensions to have positive length, but input has a shape "
                               f"of {list(shape)} and non-batch dimension 0 has length zero!")
        raise RuntimeError(f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with optional 0 dim batch size for input, "
                           f"but got:{list(shape)}")


@functools.lru_cache(4096)
def _geometry(name, n, shape, kernel_size, stride, padding, dilation, ceil_mode):
    """(kernel, stride, padding, dilation, output size); PyTorch's errors for what does not fit. Cached: a network
    asks the same few questions in every step."""
    kernel = numbers(name, "kernel_size", kernel_size, n)
    stride = numbers(name, "stride", stride, n, kernel)
    padding, dilation = numbers(name, "padding", padding, n), numbers(name, "dilation", dilation, n)
    if min(stride) == 0:
        raise RuntimeError("stride should not be zero")
    if min(kernel) <= 0:
        raise RuntimeError(f"kernel size should be greater than zero, but got {_listed('k', kernel)}")
    if min(stride) < 0:
        raise RuntimeError(f"stride should be greater than zero, but got {_listed('d', stride)}")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {_listed('dilation', dilation)}")
    for p, k, d in zip(padding, kernel, dilation):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                               f"dilation={d}")
    _check_shape(name, n, shape)
    size = shape[-n:]
    out = tuple(kernels.pooled_size(m, k, s, p, d, ceil_mode)
                for m, k, s, p, d in zip(size, kernel, stride, padding, dilation))
    if min(out) < 1:
        if name == "avg_pool3d":
            raise RuntimeError(f"input image ({_listed('', size)}) smaller than kernel size ({_listed('k', kernel)})")
        given, made = ("x".join(map(str, (shape[-n - 1], *v))) for v in (size, [max(o, 0) for o in out]))
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small")
    return kernel, stride, padding, dilation, out


def _key(value):
    return tuple(value) if isinstance(value, list) else value


def geometry(name, n, input, *values):
    """The geometry of a pooling of a tensor."""
    return _geometry(name, n, input._a.shape, *map(_key, values))


def planes(x, n):
    """An unbatched input as a batch of one."""
    return x if x.ndim == n + 2 else x[None]


def wide(x):
    """A half type in single precision."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def plain(x):
    """The array of an extra that may have been wrapped."""
    return x if isinstance(x, np.ndarray) else x._a


def named(operator, name):
    """The operator under another ``grad_fn`` name."""
    made = copy.copy(operator)
    made.grad_name, made.plans = name, {}
    return made


# ---------------------------------------------------------------- maxima

def _maxima(input, kernel, stride, padding, dilation, out_size):
    n = len(kernel)
    if input.dtype.kind in "bc":
        raise refuse(f"max_pool{n}d", input.dtype)
    x = planes(wide(input), n)
    best, won = kernels.max_pool(x, out_size, kernel, stride, padding, dilation)
    return best.astype(input.dtype, copy=False).reshape(input.shape[:-n] + tuple(out_size)), won


@op(function=False, out=False, extras=("won",), name="_max_pool", grad_name="MaxPool2DWithIndicesBackward0")
def _max_pool(input: Array, kernel, stride, padding, dilation, out_size):
    """The maximum of each window."""
    best, won = _maxima(input, kernel, stride, padding, dilation, out_size)
    return best, {"won": won}


@op(function=False, out=False, multiple=True, extras=("won",), name="_max_pool_with_indices",
    grad_name="MaxPool2DWithIndicesBackward0")
def _max_pool_with_indices(input: Array, kernel, stride, padding, dilation, out_size):
    """(the maximum of each window, its place in the plane)."""
    best, won = _maxima(input, kernel, stride, padding, dilation, out_size)
    places = kernels.places_of(won, input.shape[-len(kernel):], kernel, stride, padding, dilation)
    return (best, places.reshape(best.shape)), {"won": won}


@op(function=False, out=False)
def _give_back(grad: Array, won, shape, kernel, stride, padding, dilation):
    """``grad`` added to the places that won, in zeros of ``shape``."""
    n = len(kernel)
    return kernels.give_back(planes(grad, n), won, tuple(shape[-n:]), kernel, stride, padding, dilation).reshape(shape)


@op(function=False, out=False)
def _take_won(input: Array, won, kernel, stride, padding, dilation):
    """The elements of ``input`` at the places that won."""
    n = len(kernel)
    made = kernels.take_won(planes(input, n), won, kernel, stride, padding, dilation)
    return made.reshape(input.shape[:-n] + made.shape[2:])


def _to_input(g, input, won, input_shape, kernel, stride, padding, dilation):
    return tied(both._give_back(g, plain(won), tuple(input_shape), kernel, stride, padding, dilation), input)


_give_back.derivative(grad=lambda g, won, kernel, stride, padding, dilation: both._take_won(
    g, won, kernel, stride, padding, dilation))
_take_won.derivative(input=lambda g, won, input_shape, kernel, stride, padding, dilation: both._give_back(
    g, won, tuple(input_shape), kernel, stride, padding, dilation))
_max_pool.derivative(input=lambda g, input, won, input_shape, kernel, stride, padding, dilation: _to_input(
    g, input, won, input_shape, kernel, stride, padding, dilation))
_max_pool_with_indices.derivative(input=lambda g0, input, won, input_shape, kernel, stride, padding, dilation: _to_input(
    g0, input, won, input_shape, kernel, stride, padding, dilation))

MAXIMA = {2: _max_pool, 3: named(_max_pool, "MaxPool3DWithIndicesBackward0")}
MAXIMA_AND_PLACES = {2: _max_pool_with_indices, 3: named(_max_pool_with_indices, "MaxPool3DWithIndicesBackward0")}


def _pool(n, input, kernel_size, stride, padding, dilation, ceil_mode, with_indices=False):
    kernel, stride, padding, dilation, out = geometry(f"max_pool{n}d", n, input, kernel_size, stride, padding, dilation,
                                                      bool(ceil_mode))
    operators = MAXIMA_AND_PLACES if with_indices else MAXIMA
    return invoke(operators[n], (input, kernel, stride, padding, dilation, out))


def _only(name, value, optional=False):
    """The one number that a 1-d maximum takes."""
    if isinstance(value, (tuple, list)):
        if optional and not value:
            return None
        if len(value) != 1:
            kinds = "None, an int, list of ints, or tuple of ints" if optional else "an int, list of ints or tuple of ints"
            raise RuntimeError(f"max_pool1d() {name} must be {kinds} of size 1 but got size {len(value)}")
        return int(value[0])
    return value


def _pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, with_indices=False):
    shape = input._a.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError("max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
                           f"got:{list(shape)}")
    k, p, d = (_only(name, v) for name, v in (("kernel_size", kernel_size), ("padding", padding),
                                              ("dilation", dilation)))
    s = _only("stride", stride, True)
    s = k if s is None else s
    for name, value in (("kernel_size", k), ("stride", s), ("dilation", d)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
        if name == "stride" and p < 0:
            raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {p}")
        if name == "stride" and p > k // 2:
            raise RuntimeError("max_pool1d() padding should be at most half of kernel size, but got padding="
                               f"{p} and kernel_size={k}")
    size = kernels.pooled_size(shape[-1], k, s, p, d, ceil_mode)
    if size <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {size}")
    if not with_indices and input._a.dtype.kind in "biuc":
        raise refuse("max_pool1d_impl", input._a.dtype)
    made = _pool(2, input.unsqueeze(-2), (1, k), (1, s), (0, p), (1, d), ceil_mode, with_indices)
    return tuple(t.squeeze(-2) for t in made) if with_indices else made.squeeze(-2)


def _max_forms(n, shapes, example, pool):
    """The public functions of the ``n``-d maximum: torch's without indices, torch's with, and nn.functional's."""
    def form(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode)

    def with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    def function(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode, bool(return_indices))

    form.__doc__ = (f"The maximum of each window of {shapes}.\n\n    ``stride`` is ``kernel_size`` by default; ``padding`` "
                    "is at most half the kernel. RuntimeError for what does not fit.\n    ")
    with_indices.__doc__ = f"(``max_pool{n}d``, the places of the maxima: their indices in the plane read row by row)."
    function.__doc__ = form.__doc__.rstrip() + (" With ``return_indices`` also where each maximum was.\n\n"
                                                f"    Example::\n\n{example}    ")
    composite(form, name=f"max_pool{n}d")
    composite(with_indices, name=f"max_pool{n}d_with_indices", space="nn.functional")
    composite(function, name=f"max_pool{n}d", space="nn.functional")
    if n == 1:
        composite(with_indices, name="max_pool1d_with_indices")


_EXAMPLE = """        >>> import rushlight as torch
        >>> torch.nn.functional.max_pool{}d(torch.tensor({}), 2)
        tensor({})
"""
_max_forms(1, "(N, C, L) or (C, L)", _EXAMPLE.format(1, "[[1., 2., 4., 3.]]", "[[2., 4.]]"), _pool1d)
_max_forms(2, "(N, C, H, W) or (C, H, W)", _EXAMPLE.format(2, "[[[1., 2.], [3., 4.]]]", "[[[4.]]]"),
           functools.partial(_pool, 2))
_max_forms(3, "(N, C, D, H, W) or (C, D, H, W)", _EXAMPLE.format(3, "[[[[1., 2.], [3., 4.]]] * 2]", "[[[[4.]]]]"),
           functools.partial(_pool, 3))


# ---------------------------------------------------------------- means

@op(function=False, out=False, grad_name="AvgPool2DBackward0", name="_avg_pool")
def _avg_pool(input: Array, kernel, stride, padding, out_size, include_pad, override):
    """The mean of each window."""
    n = len(kernel)
    if input.dtype.kind in "biuc" and input.dtype != np.int64:
        raise refuse("avg_pool2d" if n == 2 else "avg_pool3d_out_frame", input.dtype)
    x = planes(wide(input), n)
    divisors = kernels.avg_divisors(x.shape[2:], out_size, kernel, stride, padding, include_pad, override, x.dtype)
    made = kernels.sum_pool(x, out_size, kernel, stride, padding)
    made = np.trunc(made / divisors) if made.dtype.kind == "i" else made / divisors
    return made.astype(input.dtype, copy=False).reshape(input.shape[:-n] + tuple(out_size))


@op(function=False, out=False)
def _avg_pool_backward(grad: Array, shape, kernel, stride, padding, include_pad, override):
    """``grad`` spread over the windows in zeros of ``shape``."""
    n = len(kernel)
    g = planes(grad, n)
    whole = tuple(shape) if len(shape) == n + 2 else (1, *shape)
    divisors = kernels.avg_divisors(whole[2:], g.shape[2:], kernel, stride, padding, include_pad, override, g.dtype)
    return kernels.sum_pool_gradient(g / divisors, whole, kernel, stride, padding).reshape(shape)


_avg_pool.derivative(
    input=lambda g, input, input_shape, kernel, stride, padding, include_pad, override: tied(
        both._avg_pool_backward(g, tuple(input_shape), kernel, stride, padding, include_pad, override), input
    )
)
_avg_pool_backward.derivative(
    grad=lambda g, grad_shape, kernel, stride, padding, include_pad, override: both._avg_pool(
        g, kernel, stride, padding, tuple(grad_shape[-len(kernel):]), include_pad, override
    )
)
MEANS = {2: _avg_pool, 3: named(_avg_pool, "AvgPool3DBackward0")}


def _mean(n, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    kernel, stride, padding, _, out = geometry(f"avg_pool{n}d", n, input, kernel_size, stride, padding, 1, bool(ceil_mode))
    return invoke(MEANS[n], (input, kernel, stride, padding, out, bool(count_include_pad), divisor_override))


@composite
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of (N, C, L) or (C, L); ``stride`` is ``kernel_size`` by default.

    Example::

        >>> import rushlight as torch
        >>> torch.avg_pool1d(torch.tensor([[1., 2., 4., 6.]]), 2)
        tensor([[1.5000, 5.0000]])
    """
    check_dims("avg_pool1d", input)
    kernel = one("avg_pool1d", "kernel_size", kernel_size)
    stride = kernel if stride is None or stride == [] or stride == () else one("avg_pool1d", "stride", stride)
    made = _mean(2, input.unsqueeze(-2), (1, kernel), (1, stride), (0, one("avg_pool1d", "padding", padding)), ceil_mode,
                 count_include_pad, None)
    return made.squeeze(-2)


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
    return _mean(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@composite(space="nn.functional")
def avg_pool3d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W); the arguments are those of ``avg_pool2d``."""
    return _mean(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


# ---------------------------------------------------------------- p-norms

def _norms(n, input, norm_type, kernel_size, stride, ceil_mode):
    maxima = getattr(F, f"max_pool{n}d")
    if norm_type == math.inf:
        return maxima(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -math.inf:
        return -maxima(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    powers = input.pow(norm_type)
    out = avg_pool1d(powers, kernel_size, stride, 0, ceil_mode) if n == 1 else _mean(
        n, powers, kernel_size, stride, 0, ceil_mode, True, None)
    count = kernel_size if isinstance(kernel_size, int) and n == 1 else math.prod(
        numbers(f"lp_pool{n}d", "kernel_size", kernel_size, n))
    return (out.sign() * F.relu(out.abs())).mul(count).pow(1.0 / norm_type)


@composite(space="nn.functional")
def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of (N, C, L) or (C, L), as ``lp_pool2d``."""
    return _norms(1, input, norm_type, kernel_size, stride, ceil_mode)


@composite(space="nn.functional")
def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window, ``p = norm_type``; infinity gives the maximum of the magnitudes."""
    return _norms(2, input, norm_type, kernel_size, stride, ceil_mode)


@composite(space="nn.functional")
def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of (N, C, D, H, W) or (C, D, H, W), as ``lp_pool2d``."""
    return _norms(3, input, norm_type, kernel_size, stride, ceil_mode)
