"""Normalization on arrays: subtract the mean and divide by the standard deviation over some axes, then an
affine map.

Layer, batch, group and instance normalization differ in which numbers share their statistics. Each brings the
input into a shape (``view``) in which those lie along whole ``axes``; the weight and bias broadcast against
the input's own shape.
"""
import math

import numpy as np

from .memory import is_channels_last, ordered_like

__all__ = ["statistics", "normalize", "count"]

_reduce = np.add.reduce


def count(shape, axes):
    """How many numbers share one mean."""
    return math.prod(shape[i] for i in axes)


def statistics(x, axes):
    """(mean, x - mean, variance), the axes kept; the variance is the biased one."""
    n = x.dtype.type(count(x.shape, axes) or math.nan)
    mean = _reduce(x, axes, None, None, True) / n
    d = x - mean
    if axes == (x.ndim - 1,):
        var = np.einsum("...i,...i->...", d, d)[..., None] / n
    else:
        var = _reduce(d * d, axes, None, None, True) / n
    return mean, d, var


def normalize(x, weight, bias, view, axes, parameters, eps, fixed):
    """(result, mean, 1 / standard deviation, variance). ``fixed``: a (mean, variance) to use instead of x's
    own. The result lies in C order, or with the channels last where x's are and channels are normalized."""
    laid = None
    if not x.flags.c_contiguous:
        if len(view) > 2 and is_channels_last(x):
            laid = x
        else:
            x = np.ascontiguousarray(x)
    seen = x.reshape(view)
    if fixed is None:
        mean, d, var = statistics(seen, axes)
    else:
        mean, var = fixed
        d = seen - mean
    rstd = 1 / np.sqrt(var + x.dtype.type(eps))
    d *= rstd
    out = d.reshape(x.shape)
    if weight is not None:
        out *= weight.reshape(parameters)
    if bias is not None:
        out += bias.reshape(parameters)
    return out if laid is None else ordered_like(out, laid), mean, rstd, var
