"""Pooling whose windows follow from the output's size: adaptive, fractional; and unpooling."""
import functools

import numpy as np

from ..kernels import pooling as kernels
from ..kernels.errors import refuse, scalar_name
from .call import invoke
from .declare import Array, both, composite, op
from .late import torch
from .pooling import check_dims, named, numbers, one, plain, planes, wide
from .table import namespaces
from .tie import tied


@op(function=False, out=False)
def _scatter_pooled(grad: Array, places, shape):
    """``grad`` added to its places in zeros of ``shape``, (N, C, *)."""
    n = len(shape) - 2
    return kernels.scatter(planes(grad, n), planes(places, n), shape)


@op(function=False, out=False)
def _gather_pooled(input: Array, places):
    """The elements of the planes of ``input`` at ``places``, both (N, C, *)."""
    return kernels.gather(input, places)


_scatter_pooled.derivative(grad=lambda g, places: both._gather_pooled(g, places))
_gather_pooled.derivative(input=lambda g, places, input_shape: both._scatter_pooled(g, places, tuple(input_shape)))


def _to_places(g, places, input, n, input_shape):
    """The gradient of elements that were taken from ``places`` of the planes of ``input``."""
    places, shape = plain(places), tuple(input_shape)
    if len(shape) == n + 2:
        return tied(both._scatter_pooled(g, places, shape), input)
    return tied(both._scatter_pooled(g[None], places[None], (1, *shape))[0], input)


# ---------------------------------------------------------------- adaptive

def _adaptive_size(name, n, x, output_size):
    average = name.startswith("adaptive_avg")
    if isinstance(output_size, (tuple, list)) and x.ndim <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    if x.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got{' ' if average else ': '}"
                           f"{list(x.shape)}")
    sizes = list(output_size) if isinstance(output_size, (tuple, list)) else [output_size] * n
    if len(sizes) != n:
        raise RuntimeError(f"{name}: output_size must be {n}" if average else
                           f"{name}(): internal error: output_size.size() must be {n}")
    out = tuple(m if s is None else int(s) for s, m in zip(sizes, x.shape[-n:]))
    for at in range(x.ndim - n - (not average), x.ndim):
        if x.shape[at] == 0:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has "
                               f"sizes {list(x.shape)} with dimension {at} being empty")
    if min(out) < 0:
        shown = f"{{{out[0]}, {out[1]}}}" if n == 2 else f"{{{out[0]}, {out[1]},{out[-1]}}}"
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received {shown}"
                           if average else
                           f"Trying to create tensor with negative dimension {min(out)}: {[*x.shape[:-n], *out]}")
    return out


@functools.lru_cache(256)
def _matrix(n, out):
    made = kernels.adaptive_matrix(n, out, np.float64)
    made.flags.writeable = False
    return made


@op(function=False, out=False, grad_name="AdaptiveAvgPool2DBackward0", name="_adaptive_avg_pool")
def _adaptive_avg_pool(input: Array, matrices):
    """Each of the last dimensions of ``input`` multiplied by its constant matrix."""
    if input.dtype.kind in "biuc":
        raise refuse("adaptive_avg_pool2d" if len(matrices) == 2 else "adaptive_avg_pool3d_cpu", input.dtype)
    x = wide(input)
    made = kernels.along(x, [m.astype(x.dtype, copy=False) for m in matrices])
    return np.array(made, dtype=input.dtype, order="C", copy=made is input or None)


_adaptive_avg_pool.derivative(input=lambda g, input, matrices: tied(
    both._adaptive_avg_pool(g, [m.T for m in matrices]), input))
_MEANS = {2: _adaptive_avg_pool, 3: named(_adaptive_avg_pool, "AdaptiveAvgPool3DBackward0")}


def _adaptive_mean(n, input, output_size):
    x = input._a
    out = _adaptive_size(f"adaptive_avg_pool{n}d", n, x, output_size)
    if out == (1,) * n and x.dtype.kind == "f":
        return input.mean(tuple(range(-1, -n - 1, -1)), True)
    matrices = [_matrix(m, o) for m, o in zip(x.shape[-n:], out)]
    return invoke(_MEANS[n], (input, matrices))


@composite
def adaptive_avg_pool1d(input, output_size):
    """The means of ``output_size`` windows that cover (N, C, L) or (C, L) evenly.

    Example::

        >>> import rushlight as torch
        >>> torch.adaptive_avg_pool1d(torch.tensor([[1., 2., 3., 4., 5.]]), 2)
        tensor([[2., 4.]])
    """
    check_dims("adaptive_avg_pool1d", input)
    size = one("adaptive_avg_pool1d", "output_size", output_size)
    return _adaptive_mean(2, input.unsqueeze(-2), (1, size)).squeeze(-2)


@composite(space="nn.functional")
def adaptive_avg_pool2d(input, output_size):
    """The mean of each of ``output_size`` (a number or a pair, None: the input's) windows that cover the
    plane evenly."""
    return _adaptive_mean(2, input, output_size)


@composite(space="nn.functional")
def adaptive_avg_pool3d(input, output_size):
    """The mean of each of ``output_size`` (a number or three, None: the input's) windows that cover (N, C, D, H, W) or
    (C, D, H, W) evenly."""
    return _adaptive_mean(3, input, output_size)


@op(function=False, out=False, multiple=True, grad_name="AdaptiveMaxPool2DBackward0",
    name="_adaptive_max_pool")
def _adaptive_max_pool(input: Array, out_size):
    """(the maximum of each adaptive window, its place in the plane)."""
    n = len(out_size)
    if input.dtype.kind in "biuc":
        raise refuse("adaptive_max_pool2d" if n == 2 else "adaptive_max_pool3d_cpu", input.dtype)
    windows = [kernels.bounds(m, o) for m, o in zip(input.shape[-n:], out_size)]
    best, places = kernels.max_of_windows(planes(wide(input), n), windows)
    shape = input.shape[:-n] + tuple(out_size)
    return best.astype(input.dtype, copy=False).reshape(shape), places.reshape(shape)


_adaptive_max_pool.derivative(input=lambda g0, input, out1, out_size, input_shape: _to_places(
    g0, out1, input, len(out_size), input_shape))
_MAXIMA = {2: _adaptive_max_pool, 3: named(_adaptive_max_pool, "AdaptiveMaxPool3DBackward0")}


def _adaptive_maximum(n, input, output_size):
    out = _adaptive_size(f"adaptive_max_pool{n}d", n, input._a, output_size)
    return invoke(_MAXIMA[n], (input, out))


def _adaptive_maximum1d(input, output_size):
    check_dims("adaptive_max_pool1d", input)
    size = one("adaptive_max_pool1d", "output_size", output_size)
    for at in range(input.ndim - 2, input.ndim):
        if input.shape[at] == 0:
            raise RuntimeError("adaptive_max_pool1d(): Expected input to have non-zero size for non-batch dimensions, but "
                               f"input has sizes {list(input.shape)} with dimension {at} being empty")
    return tuple(t.squeeze(-2) for t in _adaptive_maximum(2, input.unsqueeze(-2), (1, size)))


def _adaptive_forms(n, pool):
    def with_indices(input, output_size, return_indices=False):
        return pool(input, output_size)

    def function(input, output_size, return_indices=False):
        made = pool(input, output_size)
        return made if return_indices else made[0]

    with_indices.__doc__ = f"(``adaptive_max_pool{n}d``, the places of the maxima in the plane)."
    function.__doc__ = (f"The maximum of each of ``output_size`` windows that cover the last {n} dimensions evenly; with "
                        "``return_indices`` its place too.")
    composite(with_indices, name=f"adaptive_max_pool{n}d_with_indices", space="nn.functional")
    composite(function, name=f"adaptive_max_pool{n}d", space="nn.functional")


_adaptive_forms(1, _adaptive_maximum1d)
_adaptive_forms(2, functools.partial(_adaptive_maximum, 2))
_adaptive_forms(3, functools.partial(_adaptive_maximum, 3))


@composite(name="adaptive_max_pool1d")
def _adaptive_max_pool1d(input, output_size):
    """(the maxima of ``output_size`` windows that cover (N, C, L) or (C, L) evenly, their places)."""
    return _adaptive_maximum1d(input, output_size)


# ---------------------------------------------------------------- unpooling

@op(function=False, out=False, name="_max_unpool", grad_name="MaxUnpool2DBackward0")
def _max_unpool(input: Array, indices: Array, size):
    """The elements of ``input`` at their places in planes of zeros of ``size``."""
    n = len(size)
    if indices.dtype != np.int64:
        raise RuntimeError("elements in indices should be type int64"
                           + (f" but got: {scalar_name(indices.dtype)}" if n == 2 else ""))
    if input.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got a tensor with "
                           f"{input.ndim} dimensions.")
    if input.shape != indices.shape:
        raise RuntimeError("Expected shape of indices to be same as that of the input tensor "
                           f"({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}")
    for at in range(input.ndim - n - 1, input.ndim):
        if input.shape[at] == 0:
            raise RuntimeError(f"max_unpooling{n}d_forward_out_cpu(): Expected input to have non-zero size for non-batch "
                               f"dimensions, but got {list(input.shape)} with dimension {at} being empty.")
    if input.dtype.kind in "biuc":
        raise refuse(f"max_unpool{n}d", input.dtype)
    volume = int(np.prod(size))
    if indices.size and not 0 <= indices.min() <= indices.max() < volume:
        wrong = indices[(indices < 0) | (indices >= volume)].ravel()[0]
        raise RuntimeError(f"Found an invalid max index: {wrong} (output volumes are of size {'x'.join(map(str, size))})")
    x = planes(input, n)
    made = kernels.put(x, planes(indices, n), (*x.shape[:2], *size))
    return made if input.ndim == n + 2 else made[0]


def _from_places(g, indices, size):
    places, n = plain(indices), len(size)
    if places.ndim == n + 2:
        return both._gather_pooled(g, places)
    return both._gather_pooled(g[None], places[None])[0]


_max_unpool.derivative(input=lambda g, indices, size: _from_places(g, indices, size))
_UNPOOL = {2: _max_unpool, 3: named(_max_unpool, "MaxUnpool3DBackward0")}


def _unpooled_size(input, kernel, stride, padding, output_size):
    """The output's size: as asked for, or the least that the windows fill."""
    n = len(kernel)
    default = [(m - 1) * s + k - 2 * p for m, k, s, p in zip(input.shape[input.ndim - n:], kernel, stride, padding)]
    if output_size is None:
        return default
    output_size = tuple(int(m) for m in output_size)
    if len(output_size) == n + 2:
        output_size = output_size[2:]
    if len(output_size) != n:
        raise ValueError(f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of "
                         f"'{len(output_size)}'")
    for at, (size, usual, s) in enumerate(zip(output_size, default, stride)):
        if not usual - s < size < usual + s:
            raise ValueError(f'invalid output_size "{output_size}" (dim {at} must be between {usual - s} and {usual + s})')
    return list(output_size)


def _unpool(n, input, indices, kernel_size, stride, padding, output_size):
    name = f"max_unpool{n}d"
    kernel = numbers(name, "kernel_size", kernel_size, n)
    stride, padding = numbers(name, "stride", stride, n, kernel), numbers(name, "padding", padding, n)
    size = _unpooled_size(input, kernel, stride, padding, output_size)
    if n > 1:
        return invoke(_UNPOOL[n], (input, indices, tuple(size)))
    return invoke(_UNPOOL[2], (input.unsqueeze(-1), indices.unsqueeze(-1), (*size, 1))).squeeze(-1)


@composite(space="nn.functional")
def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The opposite of ``max_pool1d``: maxima back at their ``indices``, zeros elsewhere. See ``max_unpool2d``."""
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


@composite(space="nn.functional")
def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The opposite of ``max_pool2d``: maxima back at their ``indices``, zeros elsewhere.

    ``output_size`` chooses among the sizes that the pooling maps to the input's. RuntimeError for an index outside
    the plane.

    Example::

        >>> import rushlight as torch
        >>> F = torch.nn.functional
        >>> pooled, at = F.max_pool2d(torch.tensor([[[1., 2.], [4., 3.]]]), 2, return_indices=True)
        >>> F.max_unpool2d(pooled, at, 2)
        tensor([[[0., 0.],
                 [4., 0.]]])
    """
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


@composite(space="nn.functional")
def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The opposite of ``max_pool3d``: maxima back at their ``indices``, zeros elsewhere. See ``max_unpool2d``."""
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)


# ---------------------------------------------------------------- fractional

@op(function=False, out=False, multiple=True, name="_fractional_max_pool",
    grad_name="FractionalMaxPool2DBackward0")
def _fractional_max_pool(input: Array, samples: Array, kernel, out_size):
    """(the maximum of each window, its place), the windows placed by random ``samples``, (N, C, n)."""
    n = len(kernel)
    best, places = kernels.fractional_max(planes(wide(input), n), samples, kernel, out_size)
    shape = input.shape[:-n] + tuple(out_size)
    return best.astype(input.dtype, copy=False).reshape(shape), places.reshape(shape)


_fractional_max_pool.derivative(input=lambda g0, input, out1, kernel, input_shape: _to_places(
    g0, out1, input, len(kernel), input_shape))
_FRACTIONAL = {2: _fractional_max_pool, 3: named(_fractional_max_pool, "FractionalMaxPool3DBackward0")}


def _several(name, what, value, n):
    if isinstance(value, (tuple, list)):
        if len(value) != n:
            raise RuntimeError(f"{name}: {what} must either be a single Int or tuple of Ints")
        return tuple(int(v) for v in value)
    return (int(value),) * n


def _fractional(n, input, kernel_size, output_size, output_ratio, samples):
    name, x = f"fractional_max_pool{n}d", input._a
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * n
        output_size = [int(input.size(i - n) * ratios[i]) for i in range(n)]
    kernel, out = _several(name, "kernel_size", kernel_size, n), _several(name, "output_size", output_size, n)
    if samples is None:
        channels = input.size(-n - 1)
        if x.dtype.kind in "biuc":
            raise refuse("check_uniform_bounds", x.dtype)
        samples = torch.rand(1 if x.ndim == n + 1 else input.size(0), channels, n, dtype=input.dtype)
    if x.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got: {list(x.shape)}")
    for at in range(x.ndim - n - 1, x.ndim):
        if x.shape[at] == 0:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got"
                               f"{list(x.shape)} with dimension {at} being empty.")
    for word, k, o, m in zip(("time", "height", "width")[-n:], kernel, out, x.shape[-n:]):
        if o + k - 1 >= m + (n == 2):
            where = name if n == 2 else f"{name}_out"
            raise RuntimeError(f"{where}(): pool {word} {k} too large relative to input {word} {m}")
    if samples.ndim != 3 or samples.shape[2] != n:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {n}; got {samples.shape[-1]}.")
    return invoke(_FRACTIONAL[n], (input, samples, kernel, out))


def _fractional_forms(n):
    def with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        return _fractional(n, input, kernel_size, output_size, output_ratio, _random_samples)

    def function(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        made = _fractional(n, input, kernel_size, output_size, output_ratio, _random_samples)
        return made if return_indices else made[0]

    with_indices.__doc__ = f"(``fractional_max_pool{n}d``, the places of the maxima in the plane)."
    function.__doc__ = (
        f"The maxima of windows placed at random over the last {n} dimensions (Graham 2014, arXiv:1412.6071).\n\n"
        "    ``output_size``, or ``output_ratio`` between 0 and 1 of the input's size, says how many; the windows of "
        "``kernel_size`` may\n    overlap. ``_random_samples``, (N, C, dimensions), replaces the random numbers.\n    ")
    composite(with_indices, name=f"fractional_max_pool{n}d_with_indices", space="nn.functional")
    composite(function, name=f"fractional_max_pool{n}d", space="nn.functional")


_fractional_forms(2)
_fractional_forms(3)

for _name in ("avg_pool1d", "adaptive_avg_pool1d"):
    namespaces["nn.functional"][_name] = namespaces["torch"][_name]
