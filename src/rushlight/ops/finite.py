"""Finite differences and sums over samples of a function: diff, gradient, trapezoid and its running form."""
import builtins

from ..kernels.reduce import axes_of, one_axis
from ..tensor import Tensor
from . import table
from ._reduced import give, need_tensor
from .declare import both, composite

__all__ = []


def _cut(x, dim, start, stop):
    """``x[start:stop]`` along ``dim``, a view."""
    return x[(slice(None),) * dim + (slice(start, stop),)]


# ---------------------------------------------------------------- diff

def _check_beside(input, other):
    if other is None:
        return
    if other.ndim != input.ndim:
        raise RuntimeError("diff expects prepend or append to be the same dimension as input"
                           f"\nThe input has {input.ndim} dimensions, the other {other.ndim}.")


def _check_shapes(input, other, dim):
    if other is None:
        return
    for i, (n, m) in enumerate(zip(input.shape, other.shape)):
        if n != m and i != dim:
            raise RuntimeError("diff expects the shape of tensor to prepend or append to match that of input "
                               "except along the "
                               f"differencing dimension; input.size({i}) = {n}, but got tensor.size({i}) = "
                               f"{m}"
                               "\nOnly the differencing dimension may differ.")


@composite(method=True)
def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None):
    """The ``n``-th differences of neighbours along ``dim``; exclusive-or for bool tensors.

    ``prepend`` and ``append`` are put before and behind first. More differences than elements leave an empty
    tensor.

    Example::

        >>> import rushlight as torch
        >>> torch.diff(torch.tensor([1, 3, 2]))
        tensor([ 2, -1])
    """
    need_tensor("diff", "input", input)
    if input.ndim < 1:
        raise RuntimeError("diff expects input to be at least one-dimensional\nA single number has no "
                           "neighbours.")
    for other in (prepend, append):
        _check_beside(input, other)
    axis = one_axis(dim, input.ndim)
    for other in (prepend, append):
        _check_shapes(input, other, axis)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}\nGive n >= 0.")
    parts = [t for t in (prepend, input, append) if t is not None]
    x = both.cat(parts, axis) if len(parts) > 1 else input
    if n == 0:
        return give(out, x.clone(), "diff")
    n = builtins.min(n, x.shape[axis])
    logical = x.dtype.name == "bool"
    for _ in range(n):
        after, before = _cut(x, axis, 1, None), _cut(x, axis, None, max(x.shape[axis] - 1, 0))
        x = after.logical_xor(before) if logical else after - before
    return give(out, x, "diff")


# ---------------------------------------------------------------- gradient

def _check_gradient(input, steps, dim, edge_order):
    if input.dtype.name == "uint8":
        raise RuntimeError("torch.gradient does not support uint8 input.\nConvert it to a signed dtype.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.\nThe order of the "
                           "edges' formulas.")
    if steps is not None and dim is None and steps != input.ndim:
        raise RuntimeError("torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
                           "equal to 'self.dim() = "
                           f"{input.ndim}', since dim argument was not given, but got a list of length "
                           f"{steps}"
                           "\nGive one spacing per dimension.")
    if steps is not None and dim is not None and steps != len(dim):
        raise RuntimeError("torch.gradient expected spacing to be unspecified, a scalar or it's spacing and "
                           "dim arguments to have "
                           f"the same length, but got a spacing argument of length {steps} and a dim "
                           "argument of length "
                           f"{len(dim)}.\nGive one spacing per dimension.")
    for axis in axes_of(dim, input.ndim):
        if input.shape[axis] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1"
                               f"\nDimension {axis} has {input.shape[axis]}.")


def _even(x, axis, step, edge_order):
    """Derivative at equal distances."""
    center = (_cut(x, axis, 2, None) - _cut(x, axis, None, -2)) / (2 * step)
    if edge_order == 1:
        first = (_cut(x, axis, 1, 2) - _cut(x, axis, 0, 1)) / step
        last = (_cut(x, axis, -1, None) - _cut(x, axis, -2, -1)) / step
    else:
        first = (4 * _cut(x, axis, 1, 2) - 3 * _cut(x, axis, 0, 1) - _cut(x, axis, 2, 3)) / (2 * step)
        last = (_cut(x, axis, -3, -2) - 4 * _cut(x, axis, -2, -1) + 3 * _cut(x, axis, -1, None)) / (2 * step)
    return both.cat([first, center, last], axis)


def _uneven(x, axis, places, edge_order):
    """Derivative at given places: exact for parabolas inside, and at the edges for ``edge_order`` 2."""
    if places.ndim != 1:
        raise RuntimeError("torch.gradient expected each element of spacing to have one dimension, but got "
                           "an element with "
                           f"{places.ndim} dimensions!\nGive the coordinates along one dimension.")
    steps = diff(places)
    shape = [1] * x.ndim
    shape[axis] = -1
    left, right = steps[:-1], steps[1:]
    a = (-right / (left * (left + right))).reshape(shape)
    b = ((right - left) / (left * right)).reshape(shape)
    c = (left / (right * (left + right))).reshape(shape)
    center = a * _cut(x, axis, None, -2) + b * _cut(x, axis, 1, -1) + c * _cut(x, axis, 2, None)
    h, k = steps[0], steps[-1]
    if edge_order == 1:
        first = (_cut(x, axis, 1, 2) - _cut(x, axis, 0, 1)) / h
        last = (_cut(x, axis, -1, None) - _cut(x, axis, -2, -1)) / k
    else:
        i, m = steps[1], steps[-2]
        first = (-(2.0 * h + i) / (h * (h + i)) * _cut(x, axis, 0, 1)
                 + (h + i) / (h * i) * _cut(x, axis, 1, 2) - h / (i * (h + i)) * _cut(x, axis, 2, 3))
        last = (k / (m * (k + m)) * _cut(x, axis, -3, -2) - (k + m) / (k * m) * _cut(x, axis, -2, -1)
                + (2 * k + m) / (k * (k + m)) * _cut(x, axis, -1, None))
    return both.cat([first, center, last], axis)


@composite
def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """The numerical derivative along each dimension in ``dim`` (all by default), as a tuple of tensors of the
    input's shape.

    ``spacing``: a number (1 by default), one number per dimension, or one tensor of coordinates per
    dimension. ``edge_order`` (1 or 2): the order of the formulas at both ends. RuntimeError for dimensions
    shorter than ``edge_order + 1``.

    Example::

        >>> import rushlight as torch
        >>> torch.gradient(torch.tensor([1., 4., 9., 16.]))
        (tensor([3., 4., 6., 7.]),)
    """
    need_tensor("gradient", "input", input)
    if dim is not None and not isinstance(dim, (tuple, list)):
        dim = (dim,)
    if isinstance(spacing, Tensor) and spacing.ndim == 0:
        spacing = spacing.item()
    several = isinstance(spacing, (tuple, list))
    if spacing is None:
        spacing = 1
    if isinstance(spacing, Tensor):
        spacing, several = [spacing], True
    _check_gradient(input, len(spacing) if several else None, dim, edge_order)
    axes = axes_of(dim, input.ndim) if dim is None or len(dim) else ()
    if input.ndim == 0:
        return ()
    steps = list(spacing) if several else [spacing] * len(axes)
    return tuple(_uneven(input, axis, step, edge_order) if isinstance(step, Tensor) and step.ndim
                 else _even(input, axis, step, edge_order) for axis, step in zip(axes, steps))


# ---------------------------------------------------------------- the trapezoidal rule

def _samples(name, y, x, dx, dim):
    """(axis, widths or None): the distances of samples, checked."""
    need_tensor(name, "y", y)
    if x is not None and dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments - got (Tensor, Tensor, "
                        f"dx={type(dx).__name__})"
                        "\nGive x or dx, not both.")
    if x is not None:
        if x.dtype.name == "bool" or y.dtype.name == "bool":
            which = "y" if y.dtype.name == "bool" else "x"
            raise RuntimeError(f"{name}: received a bool input for `{which}`, but bool is not supported"
                               "\nConvert it first.")
    elif y.dtype.name == "bool":
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported\nConvert it "
                           "first.")
    if y.ndim == 0:
        if name == "cumulative_trapezoid":
            raise IndexError("slice() cannot be applied to a 0-dim tensor.\nGive samples along a dimension.")
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions\nGive samples along a "
                         "dimension.")
    axis = one_axis(dim, y.ndim)
    if x is None:
        return axis, None
    if x.ndim == 0:
        raise IndexError(f"{name}: `x` has no dimensions\nGive one coordinate per sample.")
    if x.ndim == 1:
        if x.shape[0] != y.shape[axis]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point"
                               f"\nThere are {x.shape[0]} values and {y.shape[axis]} samples.")
        widths = x[1:] - x[:-1]
        shape = [1] * y.ndim
        shape[axis] = -1
        return axis, widths.reshape(shape)
    if x.ndim < y.ndim:
        x = x.reshape((1,) * (y.ndim - x.ndim) + tuple(x.shape))
    return axis, _cut(x, axis, 1, None) - _cut(x, axis, None, -1)


def _pairs(y, axis):
    count = y.shape[axis]
    return _cut(y, axis, 1, None) + _cut(y, axis, None, builtins.max(count - 1, 0))


@composite
def trapezoid(y, x=None, *, dx=None, dim=-1):
    """The integral along ``dim`` of samples ``y``, ``dx`` (1) apart or at the places ``x``, by the
    trapezoidal rule.

    Example::

        >>> import rushlight as torch
        >>> torch.trapezoid(torch.tensor([1., 5., 10.]))
        tensor(10.5000)
    """
    axis, widths = _samples("trapezoid", y, x, dx, dim)
    made = _pairs(y, axis) if widths is None else _pairs(y, axis) * widths
    made = made.sum(axis) / 2.0
    return made if widths is not None else made * (1 if dx is None else dx)


@composite
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """The integrals of ``trapezoid`` up to each sample but the first."""
    axis, widths = _samples("cumulative_trapezoid", y, x, dx, dim)
    made = _pairs(y, axis) if widths is None else _pairs(y, axis) * widths
    made = made.cumsum(axis) / 2.0
    return made if widths is not None else made * (1 if dx is None else dx)


table.alias("trapz", "trapezoid", method=False)
