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
import threading
from itertools import product

import numpy as np

__all__ = ["output_size", "convolve", "convolve_input", "convolve_weight", "unfold", "fold"]

# Elements of columns made at a time: two megabytes in single precision.
AT_ONCE = 1 << 19


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


_held = threading.local()


def _scratch(shape, dtype, name):
    """An array to fill and forget. Each thread keeps one of every kind: fresh memory of this size would come from
    the system every time, page by page, which costs more than filling it."""
    count = math.prod(shape)
    if count > 2 * AT_ONCE:
        return np.empty(shape, dtype)
    key = name + dtype.str
    found = _held.__dict__.get(key)
    if found is None or found.size < count:
        found = _held.__dict__[key] = np.empty(count, dtype)
    return found[:count].reshape(shape)


def _in_order(windows, shape):
    """Windows as columns of ``shape``, in scratch memory unless they lie in order already."""
    if windows.flags.c_contiguous:
        return windows.reshape(shape)
    made = _scratch(windows.shape, windows.dtype, "columns")
    np.copyto(made, windows)
    return made.reshape(shape)


# ---------------------------------------------------------------- one kernel for each channel

# A matrix product would have one row. The kernel's places are walked instead, for as many samples as stay in the cache.
IN_CACHE = 1 << 15


def _per_channel(weight, at):
    """The numbers of the kernels at one place, beside (N, C, *out)."""
    return weight[(slice(None), 0, *at)].reshape(-1, *(1,) * len(at))


def _is_depthwise(channels, weight, groups):
    return groups == channels == weight[0] and groups > 1


def _depthwise(x, weight, bias, stride, padding, dilation):
    windows, out = _windows(_padded(x, padding), weight.shape[2:], stride, dilation)
    n, c = x.shape[:2]
    made = np.empty((n, c, *out), np.result_type(x, weight))
    made[...] = 0 if bias is None else bias.reshape(-1, *(1,) * len(out))
    step = max(1, IN_CACHE // max(1, c * math.prod(out)))
    for i in range(0, n, step):
        part, target = windows[i:i + step], made[i:i + step]
        share = _scratch(target.shape, made.dtype, "share")
        for at in product(*map(range, weight.shape[2:])):
            np.multiply(part[(slice(None), slice(None), *at)], _per_channel(weight, at), out=share)
            target += share
    return made


def _depthwise_weight(g, windows, kernel):
    made = np.zeros((g.shape[1], 1, *kernel), np.result_type(g, windows))
    step = max(1, IN_CACHE // max(1, math.prod(g.shape[1:])))
    each = "nc" + "xyz"[:len(kernel)]
    for i in range(0, len(g), step):
        part, gradient = windows[i:i + step], g[i:i + step]
        for at in product(*map(range, kernel)):
            made[(slice(None), 0, *at)] += np.einsum(f"{each},{each}->c", gradient,
                                                        part[(slice(None), slice(None), *at)])
    return made


def _depthwise_input(g, weight, shape, stride, padding, dilation):
    n, c, *size = shape
    made = np.zeros((n, c, *(m + 2 * p for m, p in zip(size, padding))), np.result_type(g, weight))
    step = max(1, IN_CACHE // max(1, math.prod(g.shape[1:])))
    for i in range(0, n if g.size else 0, step):
        part, target = g[i:i + step], made[i:i + step]
        share = _scratch(part.shape, made.dtype, "share")
        for at in product(*map(range, weight.shape[2:])):
            np.multiply(part, _per_channel(weight, at), out=share)
            target[(..., *(slice(j * d, j * d + s * (m - 1) + 1, s)
                           for j, d, s, m in zip(at, dilation, stride, g.shape[2:])))] += share
    return np.ascontiguousarray(made[(..., *(slice(p, p + m) for p, m in zip(padding, size)))])


# ---------------------------------------------------------------- convolution and its gradients

def convolve(x, weight, bias, stride, padding, dilation, groups):
    """The cross-correlation of ``x`` with ``weight``, plus a bias for each output channel."""
    n, c = x.shape[:2]
    if _is_depthwise(c, weight.shape, groups):
        return _depthwise(x, weight, bias, stride, padding, dilation)
    windows, out = _windows(_padded(x, padding), weight.shape[2:], stride, dilation)
    depth, length = math.prod(weight.shape[1:]), math.prod(out)
    rows = weight.reshape(groups, weight.shape[0] // groups, depth)
    made = np.empty((n, *rows.shape[:2], length), np.result_type(x, weight))
    step = _step(n, groups * depth * length)
    for i in range(0, n, step):
        part = windows[i:i + step]
        np.matmul(rows, _in_order(part, (len(part), groups, depth, length)), out=made[i:i + step])
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
    if _is_depthwise(c, g.shape[1:], groups):
        return _depthwise_weight(g, windows, kernel)
    outputs, depth, length = g.shape[1] // groups, c // groups * math.prod(kernel), math.prod(g.shape[2:])
    made = np.zeros((groups, outputs, depth), np.result_type(g, x))
    step = _step(n, groups * depth * length)
    for i in range(0, n, step):
        part, gradient = windows[i:i + step], g[i:i + step]
        m = len(part)
        if outputs <= length:           # one product for each sample, which are then summed
            columns = _in_order(part, (m, groups, depth, length))
            made += np.matmul(gradient.reshape(m, groups, outputs, length), columns.swapaxes(2, 3)).sum(0)
        else:                           # the products would be larger than the columns: one for all samples
            columns = _in_order(np.moveaxis(part, 0, 1 + len(kernel)), (groups, depth, m * length))
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
    if _is_depthwise(c, weight.shape, groups):
        return _depthwise_input(g, weight, shape, stride, padding, dilation)
    rows = np.ascontiguousarray(weight.reshape(groups, weight.shape[0] // groups, -1).swapaxes(1, 2))
    result = np.empty(shape, np.result_type(g, weight))
    step = _step(n, c * math.prod(kernel) * math.prod(out), 8)
    for i in range(0, n, step):
        part = g[i:i + step]
        m = len(part)
        made = np.zeros((c, *(k + 2 * p for k, p in zip(size, padding)), m), result.dtype)
        if math.prod(out):
            flat = _scratch((math.prod(part.shape[1:]), m), g.dtype, "gradient")
            np.copyto(flat, part.reshape(m, -1).T)
            columns = _scratch((groups, rows.shape[1], math.prod(out) * m), result.dtype, "columns")
            np.matmul(rows, flat.reshape(groups, g.shape[1] // groups, -1), out=columns)
            _add_back(columns.reshape(c, *kernel, *out, m), made, kernel, stride, dilation, out)
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
