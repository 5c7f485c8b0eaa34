"""Convolution in any number of dimensions on arrays, and its two gradients.

A convolution is one matrix product once the windows of the padded input stand in columns ("im2col",
Chellapilla and others 2006): a view by strides names every window without copying, one copy puts them in
order, and BLAS does the rest. The gradient for the weight is a product of the same columns; the gradient for
the input is the opposite product, whose columns are then added back to where they came from.

The columns repeat every element once for each place of the kernel, so they are made for a few samples at a
time: what is copied is still in the cache when it is multiplied, and no step holds all of them at once.

Shapes: input (N, C, *size), weight (O, C / groups, *kernel), output (N, O, *out). Groups stand in a dimension of
their own in all matrices, so that `matmul` runs through them.
"""
import math
from itertools import product

import numpy as np

__all__ = ["output_size", "convolve", "convolve_input", "convolve_weight", "unfold", "fold"]

# Elements of columns made at a time: four megabytes in single precision.
AT_ONCE = 1 << 20


def output_size(n, k, stride, padding, dilation):
    """How many windows of ``k`` fit."""
    return (n + 2 * padding - dilation * (k - 1) - 1) // stride + 1


def _padded(x, padding):
    if not any(padding):
        return x
    made = np.zeros((*x.shape[:2], *(n + 2 * p for n, p in zip(x.shape[2:], padding))), x.dtype)
    made[(..., *(slice(p, p + n) for n, p in zip(x.shape[2:], padding)))] = x
    return made


def _windows(x, kernel, stride, dilation):
    """The windows of a padded input: a view of shape (N, C, *kernel, *out)."""
    out = tuple(output_size(n, k, s, 0, d) for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation))
    if not x.flags.c_contiguous:
        x = np.ascontiguousarray(x)
    steps = x.strides[2:]
    strides = (
        *x.strides[:2],
        *(s * d for s, d in zip(steps, dilation)),
        *(s * t for s, t in zip(steps, stride)),
    )
    return np.ndarray((*x.shape[:2], *kernel, *out), x.dtype, x, 0, strides), out


def _step(samples, each, least=1):
    """How many samples to take at a time, when each makes so many elements of columns."""
    return max(1, min(samples, max(least, AT_ONCE // max(each, 1))))


def _depthwise(x, weight, bias, stride, padding, dilation):
    """One kernel for each channel: a sum over the kernel's places needs no columns."""
    windows, out = _windows(_padded(x, padding), weight.shape[2:], stride, dilation)
    made = np.zeros((*x.shape[:2], *out), x.dtype)
    if bias is not None:
        made += bias.reshape(-1, *(1,) * len(out))
    for at in product(*map(range, weight.shape[2:])):
        made += windows[(slice(None), slice(None), *at)] * weight[(slice(None), 0, *at)].reshape(
            -1, *(1,) * len(out))
    return made


def convolve(x, weight, bias, stride, padding, dilation, groups):
    """The cross-correlation of ``x`` with ``weight``, plus a bias for each output channel."""
    n, c = x.shape[:2]
    if groups == c == weight.shape[0] and groups > 1:
        return _depthwise(x, weight, bias, stride, padding, dilation)
    windows, out = _windows(_padded(x, padding), weight.shape[2:], stride, dilation)
    depth, length = math.prod(weight.shape[1:]), math.prod(out)
    rows = weight.reshape(groups, weight.shape[0] // groups, depth)
    made = np.empty((n, *rows.shape[:2], length), np.result_type(x, weight))
    step = _step(n, groups * depth * length)
    for i in range(0, n, step):
        part = windows[i:i + step]
        np.matmul(rows, part.reshape(len(part), groups, depth, length), out=made[i:i + step])
    if bias is not None:
        made += bias.reshape(*rows.shape[:2], 1)
    return made.reshape(n, weight.shape[0], *out)


def _channels_first(g, groups):
    """A part of the output's gradient as (groups, channels of a group, N * out)."""
    return g.reshape(*g.shape[:2], -1).transpose(1, 0, 2).reshape(groups, g.shape[1] // groups, -1)


def convolve_weight(g, x, kernel, stride, padding, dilation, groups):
    """The gradient for a weight whose last dimensions are ``kernel``."""
    n, c = x.shape[:2]
    windows, _ = _windows(_padded(x, padding), kernel, stride, dilation)
    # There may be more windows than the gradient has (the stride leaves a rest): those count for nothing.
    windows = windows[(..., *(slice(m) for m in g.shape[2:]))]
    outputs, depth, length = g.shape[1] // groups, c // groups * math.prod(kernel), math.prod(g.shape[2:])
    made = np.zeros((groups, outputs, depth), np.result_type(g, x))
    step = _step(n, groups * depth * length)
    for i in range(0, n, step):
        part, gradient = windows[i:i + step], g[i:i + step]
        m = len(part)
        if outputs <= length:           # one product for each sample, which are then summed
            columns = part.reshape(m, groups, depth, length)
            made += np.matmul(gradient.reshape(m, groups, outputs, length), columns.swapaxes(2, 3)).sum(0)
        else:                           # the products would be larger than the columns: one for all samples
            order = np.moveaxis(part, 0, 1 + len(kernel))
            columns = order.reshape(groups, depth, m * length)
            made += np.matmul(_channels_first(gradient, groups), columns.swapaxes(1, 2))
    return made.reshape(g.shape[1], c // groups, *kernel)


def _add_back(columns, made, kernel, stride, dilation, out):
    """Add columns, (A, *kernel, *out, B), to where they came from: (A, *padded size, B)."""
    for at in product(*map(range, kernel)):
        target = made[(slice(None), *(slice(i * d, i * d + s * (m - 1) + 1, s)
                                      for i, d, s, m in zip(at, dilation, stride, out)))]
        target += columns[(slice(None), *at)]


def _unpadded(made, size, padding):
    """The part of (A, *padded size, B) that is no padding."""
    return made[(slice(None), *(slice(p, p + n) for n, p in zip(size, padding)))]


def convolve_input(g, weight, shape, stride, padding, dilation, groups):
    """The gradient for an input of ``shape``: the transposed convolution of ``g``.

    The samples stand last meanwhile: what is added at once is then a whole row of them.
    """
    n, c, *size = shape
    kernel, out = weight.shape[2:], g.shape[2:]
    rows = np.ascontiguousarray(weight.reshape(groups, weight.shape[0] // groups, -1).swapaxes(1, 2))
    result = np.empty(shape, np.result_type(g, weight))
    step = _step(n, c * math.prod(kernel) * math.prod(out), 8)
    for i in range(0, n, step):
        part = g[i:i + step]
        m = len(part)
        made = np.zeros((c, *(k + 2 * p for k, p in zip(size, padding)), m), result.dtype)
        if math.prod(out):
            flat = np.ascontiguousarray(part.reshape(m, -1).T).reshape(groups, g.shape[1] // groups, -1)
            _add_back(np.matmul(rows, flat).reshape(c, *kernel, *out, m), made, kernel, stride, dilation, out)
        result[i:i + step].reshape(m, -1)[...] = _unpadded(made, size, padding).reshape(-1, m).T
    return result


def unfold(x, kernel, stride, padding, dilation):
    """The windows of ``x`` as columns: (N, C * kernel, out)."""
    windows, out = _windows(_padded(x, padding), kernel, stride, dilation)
    return np.array(windows, order="C").reshape(x.shape[0], x.shape[1] * math.prod(kernel), math.prod(out))


def fold(columns, size, kernel, stride, padding, dilation):
    """The opposite of ``unfold``: columns added to where they came from, (N, C, *size)."""
    out = tuple(output_size(n, k, s, p, d) for n, k, s, p, d in zip(size, kernel, stride, padding, dilation))
    n, c = columns.shape[0], columns.shape[1] // math.prod(kernel)
    made = np.zeros((n * c, *(m + 2 * p for m, p in zip(size, padding)), 1), columns.dtype)
    _add_back(columns.reshape(n * c, *kernel, *out, 1), made, kernel, stride, dilation, out)
    return np.ascontiguousarray(_unpadded(made, size, padding)).reshape(n, c, *size)
