"""2-d convolution on arrays, and its two gradients.

A convolution is one matrix product once the windows of the padded input stand in columns ("im2col",
Chellapilla and others 2006): a view by strides names every window without copying, one copy puts them in
order, and BLAS does the rest. The gradient for the weight is a product of the same columns; the gradient for
the input is the opposite product, whose columns are then added back to where they came from.

Groups lie in the first dimension of all matrices, so that `matmul` runs through them.
"""
import numpy as np
from numpy.lib.stride_tricks import as_strided

__all__ = ["output_size", "conv2d", "conv2d_input", "conv2d_weight"]


def output_size(n, k, stride, padding, dilation):
    """How many windows of ``k`` fit."""
    return (n + 2 * padding - dilation * (k - 1) - 1) // stride + 1


def _padded(x, padding):
    ph, pw = padding
    if not ph and not pw:
        return x
    n, c, h, w = x.shape
    made = np.zeros((n, c, h + 2 * ph, w + 2 * pw), x.dtype)
    made[:, :, ph:ph + h, pw:pw + w] = x
    return made


def _columns(x, kernel, stride, padding, dilation, groups):
    """(groups, channels of a group * kh * kw, N * oh * ow), and the output's size."""
    (kh, kw), (sh, sw), (dh, dw) = kernel, stride, dilation
    n, c = x.shape[:2]
    oh = output_size(x.shape[2], kh, sh, padding[0], dh)
    ow = output_size(x.shape[3], kw, sw, padding[1], dw)
    x = _padded(x, padding)
    a, b, h, w = x.strides
    windows = as_strided(
        x, (groups, c // groups, kh, kw, n, oh, ow), (b * (c // groups), b, h * dh, w * dw, a, h * sh, w * sw)
    )
    return windows.reshape(groups, (c // groups) * kh * kw, n * oh * ow), (oh, ow)


def conv2d(x, weight, bias, stride, padding, dilation, groups):
    """The cross-correlation of ``x`` (N, C, H, W) with ``weight`` (O, C / groups, kh, kw)."""
    out_channels = weight.shape[0]
    n = x.shape[0]
    columns, (oh, ow) = _columns(x, weight.shape[2:], stride, padding, dilation, groups)
    rows = weight.reshape(groups, out_channels // groups, -1)
    made = np.matmul(rows, columns).reshape(out_channels, n, oh, ow)
    if bias is not None:
        made += bias[:, None, None, None]
    return np.ascontiguousarray(made.transpose(1, 0, 2, 3))


def _rows_of(g, groups):
    """The output's gradient as (groups, channels of a group, N * oh * ow)."""
    n, o, h, w = g.shape
    return g.transpose(1, 0, 2, 3).reshape(groups, o // groups, n * h * w)


def conv2d_weight(g, x, kernel, stride, padding, dilation, groups):
    """The gradient for a weight whose last dimensions are ``kernel``."""
    columns, _ = _columns(x, kernel, stride, padding, dilation, groups)
    made = np.matmul(_rows_of(g, groups), columns.transpose(0, 2, 1))
    return made.reshape(g.shape[1], x.shape[1] // groups, *kernel)


def conv2d_input(g, weight, shape, stride, padding, dilation, groups):
    """The gradient for an input of ``shape``: the transposed convolution of ``g``."""
    n, c, height, width = shape
    (kh, kw), (sh, sw), (dh, dw), (ph, pw) = weight.shape[2:], stride, dilation, padding
    oh, ow = g.shape[2:]
    rows = weight.reshape(groups, weight.shape[0] // groups, -1)
    columns = np.matmul(rows.transpose(0, 2, 1), _rows_of(g, groups)).reshape(c, kh, kw, n, oh, ow)
    made = np.zeros((c, n, height + 2 * ph, width + 2 * pw), columns.dtype)
    for i in range(kh):
        for j in range(kw):
            made[
                :, :, i * dh : i * dh + sh * (oh - 1) + 1 : sh, j * dw : j * dw + sw * (ow - 1) + 1 : sw
            ] += columns[:, i, j]
    return np.ascontiguousarray(made[:, :, ph:ph + height, pw:pw + width].transpose(1, 0, 2, 3))
