"""Parts of a tensor, as views: select, narrow, diagonal, unfold; and many at once: unbind, split, chunk and
relatives.

Views that one call makes several of share a node, so PyTorch forbids writing to them while gradients are
recorded; ``views.MULTI`` marks them.
"""
import itertools

import numpy as np

from ..autograd import modes, views
from ..autograd.node import Out, make
from ..kernels import memory
from ..tensor import Tensor, user_place, wrap
from ._factory import overriding, publish, size_list
from .declare import Array, both, op
from .shape import whole, wrap_dim

_new = object.__new__
_FULL = slice(None)


# ---------------------------------------------------------------- one part

@op(view=True, method=True, out=False)
def select(input: Array, dim, index):
    """The view at one ``index`` of a dimension, which disappears. IndexError outside the range.

    Example::

        >>> import rushlight as torch
        >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 1, 0)
        tensor([1, 3])
    """
    if not input.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.\nIts number is .item().")
    d = wrap_dim(dim, input.ndim, "select", "dim", 1)
    if index.__class__ is not int:
        index = whole(index, "select", "index", 2)
    n = input.shape[d]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input.shape)} at "
                         f"dimension {d}"
                         f"\nThat dimension has {n}.")
    return input[(_FULL,) * d + (index, ...)]


@op(function=False, out=False, grad_name="SelectBackwardBackward0")
def _select_backward(g: Array, shape, dim, index):
    made = np.zeros(shape, g.dtype)
    made[(_FULL,) * (dim % len(shape)) + (index,)] = g
    return made


select.derivative(input=lambda g, input_shape, dim, index:
                  both._select_backward(g, input_shape, dim, int(index)))
_select_backward.derivative(g=lambda g, dim, index: both.select(g, dim, index))


@op(function=False, view=True, out=False, grad_name="SliceBackward0")
def _slice(input: Array, dim, start, stop, step=1):
    return input[(_FULL,) * dim + (slice(start, stop, step),)]


@op(function=False, out=False, grad_name="SliceBackwardBackward0")
def _slice_backward(g: Array, shape, dim, start, stop, step):
    made = np.zeros(shape, g.dtype)
    made[(_FULL,) * dim + (slice(start, stop, step),)] = g
    return made


_slice.derivative(input=lambda g, input_shape, dim, start, stop, step:
                  both._slice_backward(g, input_shape, dim, start, stop, step))
_slice_backward.derivative(g=lambda g, dim, start, stop, step: both._slice(g, dim, start, stop, step))


@publish(method=True)
def narrow(input, dim, start, length):
    """The view of ``length`` elements of a dimension from ``start`` on. RuntimeError if they reach beyond its
    end.

    Example::

        >>> import rushlight as torch
        >>> torch.narrow(torch.arange(5), 0, 1, 3)
        tensor([1, 2, 3])
    """
    if not modes.plain:
        taken, result = overriding(narrow, (input,), (input, dim, start, length))
        if taken:
            return result
    shape = input._a.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.\nIt has no dimension to narrow.")
    d = wrap_dim(dim, len(shape), "narrow")
    if isinstance(start, Tensor) and (start._a.ndim or start._a.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.\nPass a whole number.")
    start, length = whole(start, "narrow", "start", 3), whole(length, "narrow", "length", 4)
    n = shape[d]
    if length < 0:
        raise RuntimeError(f"narrow(): length must be non-negative.\nIt is {length}.")
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})"
                         f"\nDimension {d} has {n}.")
    if start < 0:
        start += n
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).\nThe "
                           f"dimension is {d}.")
    return _slice.public(input, d, start, start + length)


# ---------------------------------------------------------------- diagonals and windows

def _diagonal_view(a, offset, dim1, dim2):
    """A view of a diagonal with strides of its own, so that no side is needed to be square."""
    d1, d2 = wrap_dim(dim1, a.ndim, "diagonal"), wrap_dim(dim2, a.ndim, "diagonal")
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}\nGive two dimensions.")
    return a.diagonal(offset, d1, d2), d1, d2


@op(view=True, method=True, out=False)
def diagonal(input: Array, offset=0, dim1=0, dim2=1):
    """The view of a diagonal of two dimensions, which become one at the end; ``offset`` counts above the main
    one.

    Example::

        >>> import rushlight as torch
        >>> torch.diagonal(torch.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    made, d1, d2 = _diagonal_view(input, offset, dim1, dim2)
    if made.flags.writeable or not input.flags.writeable:
        return made
    start = max(-offset, 0) * input.strides[d1] + max(offset, 0) * input.strides[d2]
    return memory.strided(input, made.shape, made.strides, start if made.size else 0)


@op(function=False, out=False, grad_name="DiagonalBackwardBackward0")
def _diagonal_backward(g: Array, shape, offset, dim1, dim2):
    made = np.zeros(shape, g.dtype)
    writable = made.diagonal(offset, dim1 % len(shape), dim2 % len(shape))
    writable.flags.writeable = True
    writable[...] = g
    return made


diagonal.derivative(input=lambda g, input_shape, offset, dim1, dim2:
                    both._diagonal_backward(g, input_shape, offset, dim1, dim2))
_diagonal_backward.derivative(g=lambda g, offset, dim1, dim2: both.diagonal(g, offset, dim1, dim2))


def _windows(a, d, size, step):
    """All windows of a dimension: a view with one more dimension at the end."""
    if not a.ndim:
        return memory.strided(a, (size,), (a.itemsize,))
    n = a.shape[d]
    shape = list(a.shape)
    shape[d] = (n - size) // step + 1
    strides = list(a.strides)
    strides[d] *= step
    shape, strides = (*shape, size), (*strides, a.strides[d])
    if 0 in shape:
        return np.ndarray(shape, a.dtype)
    return memory.strided(a, shape, strides)


@op(function=False, view=True, out=False, grad_name="UnfoldBackward0")
def _unfold(input: Array, dimension, size, step):
    d = wrap_dim(dimension, input.ndim, "unfold", "dimension", 1)
    n = input.shape[d] if input.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0\nA window has no negative size.")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}\n"
                           "The window does not fit.")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0\nWindows go forward.")
    return _windows(input, d, size, step)


@publish(method=True, as_function=False)
def unfold(self, dimension, size, step):
    """The view of all windows of ``size`` elements, ``step`` apart, of a dimension.

    A window's elements are the last dimension of the result. RuntimeError if the window does not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.arange(5).unfold(0, 3, 2)
        tensor([[0, 1, 2],
                [2, 3, 4]])
    """
    if not modes.plain:
        taken, result = overriding(unfold, (self,), (self, dimension, size, step))
        if taken:
            return result
    return _unfold.public(self, dimension, size, step)


@op(function=False, out=False, grad_name="UnfoldBackwardBackward0")
def _unfold_backward(g: Array, shape, dimension, size, step):
    made = np.zeros(shape, g.dtype)
    if not shape:
        return g.sum(dtype=g.dtype) if g.size else made
    d = dimension % len(shape)
    count = g.shape[d]
    for i in range(size):                    # windows overlap: add one offset within the window at a time
        made[(_FULL,) * d + (slice(i, i + (count - 1) * step + 1, step),)] += g[..., i]
    return made


_unfold.derivative(input=lambda g, input_shape, dimension, size, step:
                   both._unfold_backward(g, input_shape, dimension, size, step))
_unfold_backward.derivative(g=lambda g, dimension, size, step: both._unfold(g, dimension, size, step))


# ---------------------------------------------------------------- many parts

def many_views(input, arrays, op_, values):
    """Views of ``input`` that one call made together, recorded with one node."""
    base = input._base
    root = input if base is None else base
    cell = root._ver
    if cell is None:
        cell = root._ver = [0]
    version = cell[0]
    made = []
    meta = views.MULTI if modes.state.grad else views.NO_GRAD
    for a in arrays:
        t = _new(Tensor)
        t._a = a
        t._rg = views.UNSURE
        t._edge = None
        t._base = root
        t._ver = cell
        t._grad = t._extra = None
        t._view_version = version
        t._view_meta = meta
        made.append(t)
    if input._rg and modes.state.grad:
        edge = views.edge_of(input)
        if edge is not None:
            plan = op_.plan((True,))
            values = {**values, "input_shape": input._a.shape}
            saved = tuple([values[n] for n in plan.saves])
            node = make(plan, (edge,), saved, None, [a.shape for a in arrays], [a.dtype for a in arrays],
                        user_place())
            for i, t in enumerate(made):
                t._rg = True
                t._edge = Out(node, i)
    return tuple(made)


def _zeros_like(g, shape):
    return wrap(np.zeros(shape, g._a.dtype)) if isinstance(g, Tensor) else np.zeros(shape, g.dtype)


@op(name="unbind", function=False, view=True, multiple=True, out=False)
def _unbind(input: Array, dim=0):
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions\nThere is nothing to "
                         "take apart.")
    d = wrap_dim(dim, input.ndim, "unbind")
    if d == 0 and input.ndim > 1:
        return list(input)
    return [input[(*(_FULL,) * d, i, ...)] for i in range(input.shape[d])]


def _rebind(gs, input_shape, dim):
    given = next(g for g in gs if g is not None)
    d = dim % len(input_shape)
    part = input_shape[:d] + input_shape[d + 1:]
    return both.stack([_zeros_like(given, part) if g is None else g for g in gs], d)


_unbind.derivative(input=_rebind)


@publish(method=True)
def unbind(input, dim=0):
    """The views at every index of a dimension, as a tuple.

    Example::

        >>> import rushlight as torch
        >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]))
        (tensor([1, 2]), tensor([3, 4]))
    """
    if not modes.plain:
        return _unbind.public(input, dim)
    return many_views(input, _unbind.kernel(input._a, dim), _unbind, {"dim": dim})


def _pieces(a, d, lengths):
    lead, at, made = (_FULL,) * d, 0, []
    for n in lengths:
        made.append(a[(*lead, slice(at, at + n))])
        at += n
    return made


def _rejoin(gs, input_shape, lengths, dim):
    given = next(g for g in gs if g is not None)
    parts = [_zeros_like(given, (*input_shape[:dim], n, *input_shape[dim + 1:])) if g is None else g
             for g, n in zip(gs, lengths)]
    return both.cat(parts, dim)


@op(name="split", function=False, view=True, multiple=True, out=False)
def _split(input: Array, split_size, dim):
    return _pieces(input, dim, _equal(input.shape[dim], split_size))


@op(name="split_with_sizes", function=False, view=True, multiple=True, out=False)
def _split_sizes(input: Array, split_sizes, dim):
    return _pieces(input, dim, split_sizes)


_split.derivative(input=lambda gs, input_shape, split_size, dim:
                  _rejoin(gs, input_shape, _equal(input_shape[dim], split_size), dim))
_split_sizes.derivative(input=lambda gs, input_shape, split_sizes, dim:
                        _rejoin(gs, input_shape, split_sizes, dim))


def _equal(n, size):
    """Lengths of pieces of ``size`` (the last may be shorter) of ``n`` elements; one empty piece of nothing.
    """
    if n == 0 or size == 0:
        return [0]
    return [min(size, n - at) for at in range(0, n, size)]


@publish(method=True)
def split_with_sizes(input, split_sizes, dim=0):
    """Views of the given lengths along ``dim``, which must add up to its size.

    Example::

        >>> import rushlight as torch
        >>> torch.split_with_sizes(torch.arange(3), [1, 2])
        (tensor([0]), tensor([1, 2]))
    """
    lengths = size_list(split_sizes, "split_with_sizes", "split_sizes", 2)
    a = input._a
    if not a.ndim:
        raise RuntimeError("split_with_sizes expects at least a 1-dimensional tensor\nIts number is .item().")
    d = wrap_dim(dim, a.ndim, "split_with_sizes")
    if any(n < 0 for n in lengths):
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, but got "
                           f"split_sizes={list(lengths)}")
    if sum(lengths) != a.shape[d]:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {a.shape[d]} (input "
                           "tensor's size at dimension "
                           f"{d}), but got split_sizes={list(lengths)}")
    if not modes.plain:
        return _split_sizes.public(input, lengths, d)
    return many_views(input, _pieces(a, d, lengths), _split_sizes, {"split_sizes": lengths, "dim": d})


@publish(method=True, name="split")
def split(tensor, split_size_or_sections=None, dim=0, *, split_size=None):
    """Views of ``split_size`` elements along ``dim`` (the last may be shorter), or of the lengths in a list.

    Example::

        >>> import rushlight as torch
        >>> torch.split(torch.arange(5), 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    size = split_size if split_size_or_sections is None else split_size_or_sections
    if not modes.plain:
        taken, result = overriding(split, (tensor,), (tensor, size, dim))
        if taken:
            return result
    if isinstance(size, Tensor) and not size._a.ndim:
        size = int(size)
    if not isinstance(size, int):
        return split_with_sizes(tensor, size, dim)
    a = tensor._a
    if not a.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor\nIts number is .item().")
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    d = wrap_dim(dim, a.ndim, "split")
    n = a.shape[d]
    if size == 0 and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    if not modes.plain:
        return _split.public(tensor, size, d)
    return many_views(tensor, _pieces(a, d, _equal(n, size)), _split, {"split_size": size, "dim": d})


@publish(method=True)
def chunk(input, chunks, dim=0):
    """At most ``chunks`` views of equal length along ``dim`` (the last may be shorter).

    Example::

        >>> import rushlight as torch
        >>> torch.chunk(torch.arange(5), 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
    """
    if not modes.plain:
        taken, result = overriding(chunk, (input,), (input, chunks, dim))
        if taken:
            return result
    shape = input._a.shape
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor\nIts number is .item().")
    chunks = whole(chunks, "chunk", "chunks", 2)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    d = wrap_dim(dim, len(shape), "chunk")
    size = -(-shape[d] // chunks)
    if size == 0:
        return split_with_sizes(input, (0,) * chunks, d)
    if not modes.plain:
        return _split.public(input, size, d)
    parts = _pieces(input._a, d, _equal(shape[d], size))
    return many_views(input, parts, _split, {"split_size": size, "dim": d})


def _spans(n, sections):
    """Starts and ends of ``tensor_split``: equal sections, or between given indices."""
    if isinstance(sections, int):
        small, more = divmod(n, sections)
        ends = [(i + 1) * small + min(i + 1, more) for i in range(sections)]
        return list(zip([0, *ends[:-1]], ends))
    bounds = [0, *sections, n]
    return list(itertools.pairwise(bounds))


@publish(method=True)
def tensor_split(input, indices_or_sections=None, dim=0, *, indices=None, sections=None):
    """Views along ``dim``: that many as equal as possible, or cut at the given indices.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor_split(torch.arange(5), 3)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    cuts = next((c for c in (indices_or_sections, indices, sections) if c is not None), None)
    if not modes.plain:
        taken, result = overriding(tensor_split, (input, cuts), (input, cuts, dim))
        if taken:
            return result
    shape = input._a.shape
    if not shape:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 "
                           "dims")
    d = wrap_dim(dim, len(shape), "tensor_split")
    if isinstance(cuts, Tensor):
        if cuts._a.dtype != np.int64:
            raise RuntimeError("tensor_split expected tensor_indices_or_sections to have dtype of long, but "
                               "got "
                               f"{cuts.dtype.scalar_name}")
        if cuts._a.ndim > 1:
            raise RuntimeError("tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                               "one-dimensional tensor, "
                               f"but got a tensor with {cuts._a.ndim} dims")
        cuts = cuts.tolist()
    if isinstance(cuts, (tuple, list)):
        cuts = size_list(cuts, "tensor_split", "indices")
    elif not hasattr(cuts, "__index__") or isinstance(cuts, bool):
        raise TypeError("tensor_split() received an invalid combination of arguments - got "
                        f"({type(cuts).__name__}), but expected one "
                        "of:\n * (tuple of ints indices, int dim = 0)\n * (Tensor "
                        "tensor_indices_or_sections, int dim = 0)\n"
                        " * (int sections, int dim = 0)\n")
    else:
        cuts = int(cuts)
        if cuts <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {cuts}")
    n = shape[d]
    parts = []
    for start, stop in _spans(n, cuts):
        start, stop, _ = slice(start, stop).indices(n)
        parts.append(_slice.public(input, d, start, max(start, stop)))
    return tuple(parts)


def _declare_axis_split(name, least, dim):
    def split_axis(input, indices_or_sections=None, *, indices=None, sections=None):
        cuts = next((c for c in (indices_or_sections, indices, sections) if c is not None), None)
        if not modes.plain:
            taken, result = overriding(split_axis, (input,), (input, cuts))
            if taken:
                return result
        ndim = input._a.ndim
        if ndim < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, but got a "
                               f"tensor with {ndim} "
                               "dimensions!")
        d = 0 if name == "hsplit" and ndim == 1 else dim
        n = input._a.shape[d]
        if isinstance(cuts, int) and (cuts <= 0 or n % cuts):
            raise RuntimeError(f"torch.{name} attempted to split along dimension {d}, but the size of the "
                               f"dimension {n} is not "
                               f"divisible by the split_size {cuts}!")
        return tensor_split(input, cuts, d)
    split_axis.__doc__ = f"""Views along dimension {dim}: that many equal ones, or cut at the given indices.

    RuntimeError if the tensor has fewer than {least} dimensions or cannot be divided evenly.
    """
    publish(split_axis, name=name, method=True)


_declare_axis_split("hsplit", 1, 1)
_declare_axis_split("vsplit", 2, 0)
_declare_axis_split("dsplit", 3, 2)


# ---------------------------------------------------------------- pieces with memory of their own

@op(multiple=True, method=True, out=False)
def unsafe_split_with_sizes(input: Array, split_sizes, dim=0):
    """The pieces of ``split_with_sizes`` as copies, which may be written to."""
    return [np.ascontiguousarray(p) for p in _pieces(input, wrap_dim(dim, input.ndim, "unsafe_split_with_sizes"), split_sizes)]


@op(multiple=True, method=True, out=False)
def unsafe_split(input: Array, split_size, dim=0):
    """The pieces of ``split`` as copies, which may be written to."""
    d = wrap_dim(dim, input.ndim, "unsafe_split")
    return [np.ascontiguousarray(p) for p in _pieces(input, d, _equal(input.shape[d], split_size))]


def _joined(gs, shapes, dim):
    """The gradient of pieces side by side, zeros where there is none."""
    known = next(g for g in gs if g is not None)
    return both.cat([_zeros_like(known, shape) if g is None else g for g, shape in zip(gs, shapes)], dim)


def _shapes(input_shape, lengths, dim):
    d = dim % len(input_shape)
    return [(*input_shape[:d], n, *input_shape[d + 1:]) for n in lengths]


unsafe_split_with_sizes.derivative(input=lambda gs, input_shape, split_sizes, dim: _joined(
    gs, _shapes(input_shape, split_sizes, dim), dim))
unsafe_split.derivative(input=lambda gs, input_shape, split_size, dim: _joined(
    gs, _shapes(input_shape, _equal(input_shape[dim], split_size), dim), dim))


@publish(method=True)
def unsafe_chunk(input, chunks, dim=0):
    """The pieces of ``chunk`` as copies, which may be written to."""
    n = input._a.shape[wrap_dim(dim, input._a.ndim, "unsafe_chunk")]
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = -(-n // chunks)
    if size == 0:
        return unsafe_split_with_sizes(input, (0,) * chunks, dim)
    return unsafe_split(input, size, dim)
