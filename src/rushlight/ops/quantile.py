"""Quantiles: sorted values at given ranks, and what lies between two of them."""
import numpy as np

from .. import dtypes
from ..kernels.reduce import one_axis
from ..tensor import Tensor, wrap
from . import scan
from ._reduced import give
from .declare import composite
from .sorting import sort

__all__ = []

_KINDS = ("linear", "lower", "higher", "midpoint", "nearest")


def _checked(name, input, q, interpolation):
    """``q`` as a Tensor of the input's dtype; RuntimeError for what PyTorch refuses."""
    if not input._a.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty\nThere is no quantile of nothing.")
    if isinstance(q, Tensor) and q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor\nGive the quantiles in a row.")
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype\nConvert it with "
                           ".float().")
    if isinstance(q, Tensor):
        if q.dtype is not input.dtype:
            raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor\nIt is {q.dtype}, "
                               f"the input {input.dtype}.")
    elif not 0 <= q <= 1:
        raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}\nQuantiles are fractions.")
    if interpolation not in _KINDS:
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or "
                           "nearest, but got "
                           f"{interpolation}\nChoose one of these.")
    if not isinstance(q, Tensor):
        return wrap(np.asarray(q, input._a.dtype))
    if q._a.size and not bool(((q._a >= 0) & (q._a <= 1)).all()):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]\nQuantiles are fractions.")
    return q


def _quantile(name, input, q, dim, keepdim, interpolation, out, ignore):
    q = _checked(name, input, q, interpolation)
    shape = tuple(input.shape)
    if dim is None:
        lines, kept = input.reshape(-1), (1,) * len(shape)
    else:
        axis = one_axis(dim, len(shape))
        kept = tuple(1 if i == axis else n for i, n in enumerate(shape))
        lines = input.transpose(axis, -1) if shape else input.reshape(1)
    ordered = sort(lines, -1).values if lines.ndim else lines
    values = ordered._a
    n = values.shape[-1]
    nan = np.isnan(values)
    count = q.numel()
    flat = q.reshape(-1)
    numbers = n - np.add.reduce(nan, -1, np.int64, None, True)
    if ignore:
        last = wrap(np.maximum(numbers - 1, 0).astype(values.dtype))
        ranks = flat * last
    else:
        # A line with a NaN answers NaN: its last element.
        broken = numbers < n
        good = wrap((~broken).astype(values.dtype))
        ranks = (flat * (n - 1)) * good + wrap(np.where(broken, n - 1, 0).astype(values.dtype))
    place = ranks._a
    lead = values.shape[:-1]
    if interpolation == "lower":
        place = np.floor(place)
    elif interpolation == "higher":
        place = np.ceil(place)
    elif interpolation == "nearest":
        place = np.rint(place)
    below = np.broadcast_to(place, (*lead, count)).astype(np.int64, "C")
    made = scan.gather_at.public(ordered, wrap(below), -1)
    if interpolation in ("linear", "midpoint"):
        above = np.broadcast_to(np.ceil(place), (*lead, count)).astype(np.int64, "C")
        upper = scan.gather_at.public(ordered, wrap(above), -1)
        weight = 0.5 if interpolation == "midpoint" else ranks - wrap(below.astype(values.dtype))
        made = _between(made, upper, weight)
    rest = kept if keepdim else () if dim is None else shape[:axis] + shape[axis + 1:]
    # The quantiles' dimension goes to the front; the reduced one, swapped to the end before, comes back in
    # its place.
    if dim is not None and shape:
        made = made.unsqueeze(-2)
        if axis != len(shape) - 1:
            made = made.transpose(axis - len(shape) - 1, -2)
        made = made.permute(made.ndim - 1, *range(made.ndim - 1))
    else:
        made = made.reshape((count, *kept))
    made = made.reshape((*(() if q.ndim == 0 else (count,)), *rest))
    return give(out, made, name)


def _between(low, high, weight):
    """Linear interpolation; from the nearer end, as ``lerp``, and exact where both ends are infinite and
    equal.
    """
    span = high - low
    w = weight._a if isinstance(weight, Tensor) else weight
    near = np.asarray(np.abs(w) < 0.5)
    first = low + weight * span
    if near.all():
        return first
    second = high - span * (1 - weight)
    if not near.any():
        return second
    return first.where(wrap(np.broadcast_to(near, first._a.shape).copy()), second)


@composite(method=True)
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The ``q``-th quantiles (``q`` a number or a row of them, in [0, 1]) of all elements or along ``dim``;
    NaN if any is.

    Several quantiles make a first dimension of their own. ``interpolation``: what is returned between two
    ranks: "linear", "lower", "higher", "midpoint" or "nearest". RuntimeError for other than float32 and
    float64, and for nothing.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1., 2., 3., 4.]).quantile(0.5)
        tensor(2.5000)
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, out, False)


@composite(method=True)
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """``quantile`` of what is not NaN."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, out, True)
