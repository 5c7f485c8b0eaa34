"""``interpolate``: images, sequences and volumes in another size."""
import functools
import warnings

import numpy as np

from ..kernels import interpolation as kernels
from ..kernels import pooling
from ..kernels.errors import refuse
from ..tensor import Tensor
from .adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from .call import invoke
from .declare import Array, both, composite, op
from .pooling import named, wide

MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
AXES = "DHW"
AREA = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}


def _check_sizes(input, out):
    n = input.ndim - 2
    size = input.shape[2:]
    if min(out) <= 0 or min(size) <= 0:
        def shown(values):
            return ", ".join(f"{axis}: {v}" for axis, v in zip(AXES[-n:], values))
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({shown(size)}) "
                           f"{'and ' if n == 1 else ''}output ({shown(out)})")
    if input.shape[1] == 0:
        raise RuntimeError(f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes {list(input.shape)}")


@op(function=False, out=False, grad_name="UpsampleNearest2DBackward0")
def _upsample_nearest(input: Array, chosen):
    """The elements of ``input`` at the indices ``chosen`` along each of its last dimensions."""
    if input.dtype.kind in "bic" or input.dtype.kind == "u" and input.dtype.itemsize > 1:
        raise refuse("upsample_nearest2d_channels_last" if len(chosen) == 2 else "compute_indices_weights_nearest",
                     input.dtype)
    return np.array(kernels.take(input, chosen), order="C")


@op(function=False, out=False)
def _downsample_nearest(grad: Array, chosen, size):
    """``grad`` added to where ``_upsample_nearest`` took its elements from."""
    return kernels.give(wide(grad), chosen, size).astype(grad.dtype, copy=False)


_upsample_nearest.derivative(input=lambda g, chosen, input_shape: both._downsample_nearest(
    g, chosen, tuple(input_shape[2:])))
_downsample_nearest.derivative(grad=lambda g, chosen: both._upsample_nearest(g, chosen))


@op(function=False, out=False, grad_name="UpsampleBilinear2DBackward0")
def _upsample_weighted(input: Array, matrices, kind):
    """The last dimensions of ``input`` multiplied by a constant matrix each."""
    if input.dtype == np.uint8 and len(matrices) == 2:
        return kernels.fixed_point(input, matrices)
    if input.dtype.kind in "biuc":
        raise refuse(kind, input.dtype)
    x = wide(input)
    made = pooling.along(x, [None if m is None else m.astype(x.dtype, copy=False) for m in matrices])
    return made.astype(input.dtype) if made is input or made.dtype != input.dtype else np.ascontiguousarray(made)


_upsample_weighted.derivative(input=lambda g, matrices, kind: both._upsample_weighted(
    g, [None if m is None else m.T for m in matrices], kind))


@functools.cache
def _operator(kind, n, antialias=False):
    """The operator under the name that PyTorch's ``grad_fn`` shows."""
    base = _upsample_nearest if kind in ("Nearest", "NearestExact") else _upsample_weighted
    return named(base, f"Upsample{kind}{n}D{'Aa' if antialias else ''}Backward0")


KINDS = {"linear": ("Linear", 1, "linear"), "bilinear": ("Bilinear", 2, "linear"), "bicubic": ("Bicubic", 2, "cubic"),
         "trilinear": ("Trilinear", 3, "linear"), "lanczos": ("Lanczos", 2, "lanczos")}


def _nearest(input, out, factors, exact):
    x = input._a
    n = x.ndim - 2
    _check_sizes(x, out)
    if n == 2:          # planes keep a size that stays, whatever the scale says; sequences and volumes do not
        factors = [None if m == o else f for m, o, f in zip(x.shape[2:], out, factors)]
    chosen = tuple(kernels.nearest(m, o, f, exact) for m, o, f in zip(x.shape[2:], out, factors))
    return invoke(_operator("NearestExact" if exact else "Nearest", n), (input, chosen))


def _weighted(input, out, factors, mode, align_corners, antialias):
    x = input._a
    _check_sizes(x, out)
    title, n, kind = KINDS[mode]
    # Where the size stays all weights but the plain cubic ones ignore the scale.
    ignoring = kind == "linear" or antialias or x.dtype == np.uint8
    matrices = [None if m == o and ignoring else kernels.matrix(m, o, kind, align_corners, f, antialias)
                for m, o, f in zip(x.shape[2:], out, factors)]
    if antialias:
        message = "compute_index_ranges_weights"
    elif kind == "cubic":
        message = "compute_indices_weights_cubic"
    else:
        message = "upsample_bilinear2d_channels_last" if n == 2 else "compute_indices_weights_linear"
    return invoke(_operator(title, n, antialias), (input, matrices, message))


def _per_dimension(input, value, what, n):
    """``size`` or ``scale_factor`` as a list with one number for each dimension; PyTorch's errors."""
    if not isinstance(value, (list, tuple)):
        return [value] * n
    if len(value) != n:
        size = list(input.shape[2:])
        if what == "size":
            raise ValueError("Input and output must have the same number of spatial dimensions, but got input with spatial "
                             f"dimensions of {size} and output size of {value}. Please provide input tensor in (N, C, d1, "
                             "d2, ...,dK) format and output size in (o1, o2, ...,oK) format.")
        raise ValueError("Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
                         f"dimensions of {size} and scale_factor of shape {value}. Please provide input tensor in (N, C, d1, "
                         "d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.")
    return list(value)


def _whole(x):
    return isinstance(x, int) and not isinstance(x, bool) or isinstance(x, (np.integer, Tensor))


@composite(space="nn.functional")
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):
    """``input``, (N, C, *size), in another size.

    Args:
        size, scale_factor: the new size, or what to multiply the old one with; a number or one for each dimension.
            Exactly one of the two.
        mode: ``nearest``, ``nearest-exact``, ``area`` (1 to 3 dimensions); ``linear`` (1), ``bilinear``, ``bicubic``,
            ``lanczos`` (2), ``trilinear`` (3).
        align_corners: whether the corner elements' centres, rather than their outer edges, stay in place.
        recompute_scale_factor: compute the scale anew from the rounded sizes.
        antialias: widen the filter when the image shrinks (``bilinear``, ``bicubic``; ``lanczos`` always).

    Raises ValueError for arguments that exclude each other, NotImplementedError for a mode that does not serve the
    input's dimensions.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2, mode="linear")
        tensor([[[1.0000, 1.2500, 1.7500, 2.0000]]])
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
                             "| trilinear")
    else:
        align_corners = bool(align_corners)
    n = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    factors = [None] * n
    if size is not None:
        out = _per_dimension(input, size, "size", n)
        if not all(map(_whole, out)):
            raise TypeError("expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got "
                            f"size with types {[type(x) for x in out]}")
        out = [int(o) for o in out]
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    else:
        given = [float(f) for f in _per_dimension(input, scale_factor, "scale_factor", n)]
        out = kernels.output_sizes(input.shape[2:], given)
        if not recompute_scale_factor and mode != "area":
            factors = given
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4):
        raise ValueError("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as "
                         "input")
    if n in (1, 2, 3):
        if mode in ("nearest", "nearest-exact"):
            return _nearest(input, out, factors, mode != "nearest")
        if mode == "area":
            return AREA[n](input, out)
        if mode in KINDS and KINDS[mode][1] == n:
            if mode == "lanczos" and align_corners:
                raise ValueError("Lanczos mode does not support align_corners=True")
            if mode == "lanczos" and not antialias:
                raise ValueError("Lanczos mode requires antialias=True")
            return _weighted(input, out, factors, mode, align_corners, bool(antialias))
        if mode in ("linear", "bilinear", "trilinear"):
            raise NotImplementedError(f"Got {n + 2}D input, but {mode} mode needs {KINDS[mode][1] + 2}D input")
    raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: "
                              f"{MODES} (got {mode})")


@composite(space="nn.functional")
def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """An older name of ``interpolate``."""
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3)
    return interpolate(input, size, scale_factor, mode, align_corners)


@composite(space="nn.functional")
def upsample_nearest(input, size=None, scale_factor=None):
    """``interpolate`` with ``mode="nearest"``: an older name."""
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3)
    return interpolate(input, size, scale_factor, mode="nearest")


@composite(space="nn.functional")
def upsample_bilinear(input, size=None, scale_factor=None):
    """``interpolate`` with ``mode="bilinear"`` and ``align_corners=True``: an older name."""
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
