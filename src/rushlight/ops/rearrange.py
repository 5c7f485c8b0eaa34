"""Elements in another order or repeated, always as copies: flip, roll, rot90, repeat, tile,
repeat_interleave.
"""
import numpy as np

from ..autograd import modes
from ..kernels.memory import contiguous, empty_like, is_channels_last
from ..tensor import Tensor, wrap
from ._factory import by_keyword, overriding, publish, size_list
from .declare import Array, both, composite, op
from .reshaping import flatten
from .shape import reshaped, spread, wrap_dim, wrap_dims

_FULL = slice(None)


# ---------------------------------------------------------------- flip

@op(name="flip", function=False, out=False)
def _flip(input: Array, dims):
    chosen = wrap_dims(dims, input.ndim, "flip")
    return _flipped(input, chosen)


def _flipped(a, axes):
    """A copy in the same order in memory, reversed along ``axes``."""
    if not a.ndim:
        return a.copy()
    turned = a[tuple(slice(None, None, -1) if d in axes else _FULL for d in range(a.ndim))]
    if a.flags.c_contiguous:
        return turned.copy()
    made = empty_like(a)
    np.copyto(made, turned)
    return made


_flip.derivative(input=lambda g, dims: both.flip(g, dims))


def _method_flip(self, *dims, **named):
    """A copy with the order of elements reversed along ``dims``.

    Example::

        >>> import rushlight as torch
        >>> torch.arange(3).flip(0)
        tensor([2, 1, 0])
    """
    if named or not dims:
        dims = by_keyword("flip", "dims", dims, named)
    dims = size_list(spread(dims), "flip", "dims", 1)
    if not modes.plain:
        taken, result = overriding(_method_flip, (self,), (self, *dims))
        if taken:
            return result
    return _flip.public(self, dims)


publish(_method_flip, name="flip", method=True, as_function=False)


@publish
def flip(input, dims):
    """A copy with the order of elements reversed along ``dims`` (a sequence).

    Example::

        >>> import rushlight as torch
        >>> torch.flip(torch.arange(3), (0,))
        tensor([2, 1, 0])
    """
    return _method_flip(input, dims)


@composite(method=True)
def fliplr(input):
    """A copy with the second dimension reversed. RuntimeError for fewer than two dimensions."""
    if input._a.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.\nThe second dimension is reversed.")
    return _flip.public(input, (1,))


@composite(method=True)
def flipud(input):
    """A copy with the first dimension reversed. RuntimeError for a 0-d tensor."""
    if input._a.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.\nThe first dimension is reversed.")
    return _flip.public(input, (0,))


# ---------------------------------------------------------------- roll and rot90

@op(method=True)
def roll(input: Array, shifts, dims=()):
    """A copy shifted by ``shifts`` along ``dims``; what leaves at one end comes in at the other. Without
    dims: of the flattened tensor.

    Example::

        >>> import rushlight as torch
        >>> torch.roll(torch.arange(4), 1)
        tensor([3, 0, 1, 2])
    """
    shifts = (shifts,) if not isinstance(shifts, (tuple, list)) else tuple(shifts)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    if not shifts:
        raise RuntimeError("`shifts` required\nSay by how many elements.")
    if len(dims) == 0 and len(shifts) == 1:
        flat = input.reshape(-1)
        return _roll_one(flat, int(shifts[0]), 0).reshape(input.shape)
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    made = input if is_channels_last(input) else contiguous(input)
    for s, d in zip(shifts, dims):
        if not input.ndim:
            raise IndexError(f"Dimension specified as {d} but tensor has no dimensions\nThere is nothing to "
                             "roll.")
        made = _roll_one(made, int(s), wrap_dim(d, input.ndim, "roll"))
    return made


def _roll_one(a, shift, d):
    n = a.shape[d]
    if n == 0:
        return a.copy()
    shift %= n
    if not shift:
        return np.array(a, order="C")
    lead = (_FULL,) * d
    return np.concatenate((a[(*lead, slice(n - shift, None))], a[(*lead, slice(0, n - shift))]), d)


roll.derivative(input=lambda g, shifts, dims: both.roll(
    g, tuple(-s for s in shifts) if isinstance(shifts, (tuple, list)) else -shifts, dims))


@op(method=True)
def rot90(input: Array, k=1, dims=(0, 1)):
    """A copy turned by ``k`` times 90 degrees in the plane of two dimensions, from the first towards the
    second.

    Example::

        >>> import rushlight as torch
        >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
        tensor([[2, 4],
                [1, 3]])
    """
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}\nTwo dimensions "
                           "span a plane.")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}\nTwo dimensions "
                           "span a plane.")
    a, b = dims
    if a == b or abs(a - b) == input.ndim:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {a} and dim1 = {b}")
    for d in dims:
        if not -input.ndim <= d < input.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], but "
                f"got {d})"
                f"\nThe tensor has {input.ndim} dimensions.")
    a, b, k = a % input.ndim, b % input.ndim, k % 4
    if k == 0:
        return input.copy()
    if k == 2:
        return _flipped(input, (a, b))
    return _flipped(input, (b if k == 1 else a,)).swapaxes(a, b)


rot90.derivative(input=lambda g, k, dims: both.rot90(g, -k, dims))


# ---------------------------------------------------------------- repeating

@op(name="repeat", function=False, out=False)
def _repeat(input: Array, repeats):
    if len(repeats) < input.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions "
                           "of tensor\n"
                           f"They are {len(repeats)} and {input.ndim}.")
    shape = (1,) * (len(repeats) - input.ndim) + input.shape
    for r in repeats:
        if r < 0:
            bad = [n * m for n, m in zip(shape, repeats)]
            first = next((n for n in bad if n < 0), r)
            raise RuntimeError(f"Trying to create tensor with negative dimension {first}: {bad}\nRepeats are "
                               "0 or more.")
    # Each dimension as (times, size), broadcast over times, then copied: one pass over memory.
    wide = np.empty([x for r, n in zip(repeats, shape) for x in (r, n)], input.dtype)
    wide[...] = input.reshape([x for n in shape for x in (1, n)])
    return wide.reshape([r * n for r, n in zip(repeats, shape)])


def _unrepeat(g, input_shape, repeats):
    """Sum over the copies."""
    shape = (1,) * (len(repeats) - len(input_shape)) + input_shape
    if 0 in repeats:
        return both._zeros_of_shape(g, input_shape)
    wide = g.reshape([x for r, n in zip(repeats, shape) for x in (r, n)])
    if wide.ndim:
        wide = wide.sum(axis=tuple(range(0, 2 * len(shape), 2)))
    return wide.reshape(input_shape)


@op(function=False, out=False)
def _zeros_of_shape(g: Array, shape):
    return np.zeros(shape, g.dtype)


_zeros_of_shape.derivative(g=lambda g, g_shape: both._zeros_of_shape(g, g_shape))
_repeat.derivative(input=_unrepeat)


@publish(method=True, as_function=False)
def repeat(self, *repeats, **named):
    """A copy repeated that many times along each dimension; more numbers than dimensions add dimensions in
    front.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1, 2]).repeat(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
    """
    if named or not repeats:
        repeats = by_keyword("repeat", "repeats", repeats, named)
    repeats = size_list(spread(repeats), "repeat", "repeats", 1)
    if not modes.plain:
        taken, result = overriding(repeat, (self,), (self, *repeats))
        if taken:
            return result
    return _repeat.public(self, repeats)


def _method_tile(self, *dims, **named):
    """Like ``repeat``, but fewer numbers than dimensions count from the last.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([[1, 2]]).tile(2)
        tensor([[1, 2, 1, 2]])
    """
    if named or not dims:
        dims = by_keyword("tile", "dims", dims, named)
    dims = size_list(spread(dims), "tile", "dims", 1)
    if not modes.plain:
        taken, result = overriding(_method_tile, (self,), (self, *dims))
        if taken:
            return result
    return _repeat.public(self, (1,) * (self._a.ndim - len(dims)) + dims)


publish(_method_tile, name="tile", method=True, as_function=False)


@publish
def tile(input, dims):
    """Like ``Tensor.repeat``, but fewer numbers than dimensions count from the last.

    Example::

        >>> import rushlight as torch
        >>> torch.tile(torch.tensor([1, 2]), (2,))
        tensor([1, 2, 1, 2])
    """
    return _method_tile(input, dims)


@op(name="repeat_interleave", function=False, out=False, grad_name="IndexSelectBackward0")
def _interleave(input: Array, repeats, dim):
    return np.repeat(input, repeats, dim)


def _uninterleave(g, input_shape, repeats, dim):
    n = input_shape[dim]
    if isinstance(repeats, int):
        if repeats == 0:
            return both._zeros_of_shape(g, input_shape)
        return g.reshape((*input_shape[:dim], n, repeats, *input_shape[dim + 1:])).sum(axis=dim + 1)
    return both._sum_runs(g, repeats, dim)


_interleave.derivative(input=_uninterleave)


@op(function=False, out=False)
def _sum_runs(g: Array, repeats, dim):
    """Sums of consecutive runs of given lengths along a dimension."""
    shape = list(g.shape)
    shape[dim] = len(repeats)
    made = np.zeros(shape, g.dtype)
    np.add.at(made, (_FULL,) * dim + (np.repeat(np.arange(len(repeats)), repeats),), g)
    return made


_sum_runs.derivative(g=lambda g, repeats, dim: both.repeat_interleave(g, repeats, dim))


@composite(method=True)
def repeat_interleave(input=None, repeats=None, dim=None, *, output_size=None):
    """Each element (each slice of ``dim``) repeated in place: ``repeats`` is one number or a tensor of one
    per element.

    Called with one tensor of counts, it gives index i that many times.

    Example::

        >>> import rushlight as torch
        >>> torch.repeat_interleave(torch.tensor([1, 2]), 2)
        tensor([1, 1, 2, 2])
    """
    if input is None:
        input, repeats = repeats, None
    if repeats is None:
        counts = _counts(input)
        if input._a.ndim != 1:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat\nGive a 1-d tensor of "
                               "counts.")
        _check_output_size(output_size, int(counts.sum()), True)
        return _interleave.public(wrap(np.arange(len(counts)).astype(input._a.dtype)),
                                  tuple(counts.tolist()), 0)
    if dim is None:
        input, dim = flatten(input), 0
    d = wrap_dim(dim, input._a.ndim, "repeat_interleave")
    if not input._a.ndim:
        input = reshaped(input, (1,))
    n = input._a.shape[d]
    if isinstance(repeats, Tensor):
        counts = _counts(repeats)
        if counts.ndim > 1:
            raise RuntimeError("repeats must be 0-dim or 1-dim tensor\nGive one count, or one per element.")
        if counts.ndim == 1 and counts.size not in (1, n):
            raise RuntimeError("repeats must have the same size as input along dim, but got repeats.size(0) "
                               f"= {counts.size} and "
                               f"input.size({d}) = {n}")
        if counts.size == 1:
            repeats = int(counts.reshape(()))
            _check_output_size(output_size, repeats * n, True)
            return _interleave.public(input, repeats, d)
        _check_output_size(output_size, int(counts.sum()), True)
        return _interleave.public(input, tuple(counts.tolist()), d)
    if repeats < 0:
        raise RuntimeError(f"Repeats must be non-negative\nIt is {repeats}.")
    _check_output_size(output_size, repeats * n, False)
    return _interleave.public(input, int(repeats), d)


def _counts(repeats):
    a = repeats._a
    if a.dtype not in (np.int64, np.int32):
        raise NotImplementedError("\"repeat_interleave_cpu\" not implemented for "
                                  f"'{repeats.dtype.scalar_name}'\nGive int32 or int64.")
    if a.size and a.min() < 0:
        raise RuntimeError("repeats can not be negative\nCounts are 0 or more.")
    return a


def _check_output_size(given, size, by_tensor):
    if given is not None and given != size:
        raise RuntimeError("allocated size does not match required size" if by_tensor else
                           f"repeat_interleave: Invalid output_size, expected {size} but got {given}")


