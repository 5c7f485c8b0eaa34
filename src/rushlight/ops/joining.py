"""Several tensors into one: cat, stack and their relatives."""
import itertools
import warnings

import numpy as np

from .. import dtypes
from ..autograd import modes, views
from ..autograd.node import make
from ..dtypes import BY_NUMPY
from ..tensor import Tensor, user_place, wrap
from . import call, table
from ._factory import publish
from .declare import Array, Arrays, both, composite, op
from .reshaping import _widen_1, _widen_2, _widen_3
from .shape import reshaped, view_as_shape, whole, wrap_dim

_new = object.__new__
# Without NumPy's look for overrides, where it lets itself be asked so.
_concatenate = getattr(np.concatenate, "_implementation", np.concatenate)
_f32, _f64 = np.dtype(np.float32), np.dtype(np.float64)


# ---------------------------------------------------------------- cat

def common_dtype(arrays):
    """PyTorch's result type of several arrays, as a NumPy dtype."""
    first = arrays[0].dtype
    if all(a.dtype is first for a in arrays):
        return first
    dims = [BY_NUMPY[a.dtype] for a in arrays if a.ndim]
    zero = [BY_NUMPY[a.dtype] for a in arrays if not a.ndim]
    return dtypes.combine(dims, zero, []).numpy


def _skipped(a):
    """PyTorch lets an empty 1-d tensor stand among others of any shape."""
    return a.ndim == 1 and a.shape[0] == 0


def check_cat(arrays, dim):
    """The dimension; errors as PyTorch's."""
    if not arrays:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors\nThere is nothing to join.")
    for i, a in enumerate(arrays):
        if a.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated\nUse "
                               "torch.stack.")
    first = next((a for a in arrays if not _skipped(a)), arrays[0])
    d = wrap_dim(dim, first.ndim, "cat")
    for i, a in enumerate(arrays):
        if _skipped(a):
            continue
        if a.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and "
                               f"{a.ndim}\nThe shapes are "
                               f"{[list(x.shape) for x in arrays]}.")
        for j, (n, m) in enumerate(zip(first.shape, a.shape)):
            if j != d and n != m:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {d}. Expected size {n} "
                                   f"but got size {m} for "
                                   f"tensor number {i} in the list.\nThe shapes are "
                                   f"{[list(x.shape) for x in arrays]}.")
    return d


@op(name="cat", function=False)
def _cat(tensors: Arrays, dim=0):
    d = check_cat(tensors, dim)
    dtype = common_dtype(tensors)
    kept = [a for a in tensors if not _skipped(a)] or tensors[:1]
    if any(a.dtype != dtype for a in kept):
        kept = [a if a.dtype == dtype else a.astype(dtype) for a in kept]
    return _gapless(_concatenate(kept, d))


def _gapless(made):
    """NumPy keeps the order of its inputs' dimensions in memory; PyTorch joins in the ordinary order."""
    return made if made.flags.c_contiguous else np.ascontiguousarray(made)


def _cat_pieces(g, tensors_shape, dim):
    """The part of the gradient that belongs to each tensor."""
    pieces, at = [], 0
    n = g.ndim
    dim %= n or 1
    lead = (slice(None),) * dim
    for shape in tensors_shape:
        if len(shape) != n:
            pieces.append(g.reshape(-1)[:0])     # an empty tensor that was passed over
            continue
        pieces.append(g[(*lead, slice(at, at + shape[dim]))])
        at += shape[dim]
    return pieces


_cat.derivative(tensors=_cat_pieces)
_cat_public = _cat.public


@publish
def cat(tensors, dim=0, *, out=None, axis=None):
    """The tensors one after the other along ``dim``; all other sizes must agree (empty 1-d tensors are
    skipped).

    ValueError for an empty list, RuntimeError for shapes that do not fit, IndexError for a dimension that
    does not exist.

    Example::

        >>> import rushlight as torch
        >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
        tensor([1, 2, 3])
    """
    if axis is not None:
        dim = axis
    if modes.plain and out is None and tensors.__class__ in _LISTS:
        try:
            arrays, d, grad = [], None, False
            for t in tensors:
                a = t._a
                if d is None:
                    d, n = a.dtype, a.ndim
                elif a.dtype is not d or a.ndim != n:
                    d = None
                    break
                if t._rg:
                    grad = True
                arrays.append(a)
            if d is not None and not (grad and modes.state.grad):
                r = _concatenate(arrays, dim)
                if n > 1 and not r.flags.c_contiguous:
                    r = _gapless(r)
                t = _new(Tensor)
                t._a = r
                t._rg = False
                t._edge = t._base = t._ver = t._grad = t._extra = None
                return t
            if d is not None and (d is _f32 or d is _f64):
                return _recorded_cat(tensors, arrays, dim)
        except (AttributeError, TypeError, ValueError, IndexError):
            pass      # the long way knows what to say
    if dim.__class__ is not int:
        dim = whole(dim, "cat", "dim", 2)
    if out is not None:
        _check_apart(tensors, out)
        return _cat_public(tensors, dim, out=out)
    return _cat_public(tensors, dim)


def _check_apart(tensors, out):
    """cat reads while it writes: what is written must not lie in what is read, nor one element on another."""
    if isinstance(out, Tensor):
        call.check_overlap(out._a)
        for t in tensors:
            if t is out or isinstance(t, Tensor) and t._a.size and np.may_share_memory(t._a, out._a):
                raise RuntimeError("unsupported operation: some elements of the input tensor and the "
                                   "written-to tensor refer to a "
                                   "single memory location. Please clone() the tensor before performing the "
                                   "operation.")


_LISTS = frozenset((list, tuple))


def _recorded_cat(tensors, arrays, dim):
    """cat of plain tensors of one floating dtype, with a node."""
    return recorded(_gapless(_concatenate(arrays, dim)), tensors, _cat, ([a.shape for a in arrays], dim))


def recorded(r, tensors, op_, saved):
    """A result of several tensors with its node; ``saved`` is what the rule asks for, in that order."""
    edges = tuple([((t._edge or t) if t._base is None else _edge_of(t)) if t._rg else None for t in tensors])
    t = wrap(r)
    for e in edges:
        if e is not None:
            plan = op_.plans.get(_ONE) or op_.plan(_ONE)
            t._edge = make(plan, edges, saved, None, r.shape, r.dtype, user_place(4))
            t._rg = True
            break
    return t


_edge_of, _ONE = views.edge_of, (True,)


# ---------------------------------------------------------------- stack

@op(name="stack", function=False)
def _stack(tensors: Arrays, dim=0):
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList\nThere is nothing to join.")
    first = tensors[0].shape
    d = wrap_dim(dim, len(first) + 1, "stack")
    for i, a in enumerate(tensors):
        if a.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} at entry "
                               f"0 and {list(a.shape)} at "
                               f"entry {i}\nUse torch.cat for tensors that differ in one size.")
    dtype = common_dtype(tensors)
    index = (slice(None),) * d + (None,)
    return _gapless(_concatenate([(a if a.dtype == dtype else a.astype(dtype))[index] for a in tensors], d))


def _stack_pieces(g, dim, tensors_shape):
    lead = (slice(None),) * (dim % g.ndim)
    return [g[(*lead, i)] for i in range(len(tensors_shape))]


_stack.derivative(tensors=_stack_pieces)


@publish
def stack(tensors, dim=0, *, out=None, axis=None):
    """Tensors of one shape along a new dimension ``dim``. RuntimeError if the shapes differ or there are
    none.

    Example::

        >>> import rushlight as torch
        >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], dim=1)
        tensor([[1, 3],
                [2, 4]])
    """
    if axis is not None:
        dim = axis
    if modes.plain and out is None and dim == 0 and tensors.__class__ in _LISTS:
        made = _stack_plain(tensors)
        if made is not None:
            return made
    return _stack.public(tensors, dim, out=out)


def _stack_plain(tensors):
    """stack of plain tensors of one shape and dtype along dimension 0; None if they are otherwise."""
    arrays, first, grad = [], None, False
    for t in tensors:
        if not isinstance(t, Tensor):
            return None
        a = t._a
        if first is None:
            first, shape, d = a, a.shape, a.dtype
        elif a.dtype is not d or a.shape != shape:
            return None
        if t._rg:
            grad = True
        arrays.append(a)
    if first is None:
        return None
    n = len(arrays)
    grad = grad and modes.state.grad
    if grad and d is not _f32 and d is not _f64:
        return None
    r = _gapless(_concatenate(arrays)).reshape((n, *shape)) if shape else np.array(arrays)
    return recorded(r, tensors, _stack, (0, [shape] * n)) if grad else wrap(r)


def _stack_like(self, tensors):
    return stack(list(tensors))


Tensor._stack_like = _stack_like


for _name in ("concat", "concatenate"):
    table.namespaces["torch"][_name] = cat


# ---------------------------------------------------------------- relatives of cat

def _join(name, tensors, widen, dim, out):
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}"
                        "\nPut the tensors in a list.")
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList\nThere is nothing to join.")
    parts = [widen(t) for t in tensors]
    return cat(parts, dim(parts), out=out) if out is not None else cat(parts, dim(parts))


@composite
def hstack(tensors, *, out=None):
    """The tensors side by side: along dimension 1, or 0 if they are 1-d.

    Example::

        >>> import rushlight as torch
        >>> torch.hstack([torch.tensor([1]), torch.tensor([2, 3])])
        tensor([1, 2, 3])
    """
    return _join("hstack", tensors, _widen_1, lambda parts: 0 if parts[0]._a.ndim == 1 else 1, out)


@composite
def vstack(tensors, *, out=None):
    """The tensors one above the other; 1-d ones count as rows.

    Example::

        >>> import rushlight as torch
        >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
        tensor([[1, 2],
                [3, 4]])
    """
    return _join("vstack", tensors, _widen_2, lambda parts: 0, out)


@composite
def dstack(tensors, *, out=None):
    """The tensors behind each other: along dimension 2, widened to three dimensions first."""
    return _join("dstack", tensors, _widen_3, lambda parts: 2, out)


@composite
def column_stack(tensors, *, out=None):
    """The tensors side by side; 1-d ones count as columns."""
    return _join("column_stack", tensors, _as_column, lambda parts: 1, out)


def _as_column(t):
    return reshaped(t, (t._a.size, 1)) if t._a.ndim <= 1 else t


table.namespaces["torch"]["row_stack"] = table.namespaces["torch"]["vstack"]


@op(name="block_diag", function=False, out=False)
def _block_diag(tensors: Arrays):
    if not tensors:
        return np.zeros((1, 0), dtypes.get_default_dtype().numpy)
    for i, a in enumerate(tensors):
        if a.ndim > 2:
            raise RuntimeError(f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} "
                               f"has {a.ndim} dimensions")
    blocks = [np.atleast_2d(a) for a in tensors]
    made = np.zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)), common_dtype(blocks))
    row = column = 0
    for b in blocks:
        made[row:row + b.shape[0], column:column + b.shape[1]] = b
        row, column = row + b.shape[0], column + b.shape[1]
    return made


def _blocks(g, tensors_shape):
    pieces, row, column = [], 0, 0
    for shape in tensors_shape:
        rows, columns = (1,) * (2 - len(shape)) + tuple(shape)
        pieces.append(g[row:row + rows, column:column + columns].reshape(shape))
        row, column = row + rows, column + columns
    return pieces


_block_diag.derivative(tensors=_blocks)


@publish
def block_diag(*tensors):
    """The matrices along the diagonal of one matrix, zeros elsewhere; vectors count as rows.

    Example::

        >>> import rushlight as torch
        >>> torch.block_diag(torch.tensor([1, 2]), torch.tensor([[3]]))
        tensor([[1, 2, 0],
                [0, 0, 3]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    return _block_diag.public(list(tensors))


# ---------------------------------------------------------------- grids

@composite
def meshgrid(*tensors, indexing=None):
    """Coordinates of a grid: for each 1-d tensor, a view of it spread over all the others' dimensions.

    ``indexing``: "ij" (the first tensor goes down) or "xy" (it goes right). RuntimeError for tensors of more
    dimensions or several dtypes.

    Example::

        >>> import rushlight as torch
        >>> torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")[1]
        tensor([[3, 4, 5],
                [3, 4, 5]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList\nGive at least one tensor.")
    if indexing is None:
        warnings.warn("torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
                      "argument.", UserWarning,
                      stacklevel=3)
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for x in tensors:
        if x.dtype is not tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype\nConvert them first.")
        if x._a.ndim > 1:
            raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                               f"{list(x.shape)}")
    n = len(tensors)
    swap = indexing == "xy" and n >= 2
    order = [1, 0, *range(2, n)] if swap else list(range(n))
    sizes = [tensors[i]._a.size for i in order]
    made = []
    for place, i in enumerate(order):
        shape = [1] * n
        shape[place] = tensors[i]._a.size
        made.append(view_as_shape(tensors[i].contiguous(), tuple(shape)).expand(sizes))
    if swap:
        made = [x.transpose(0, 1) for x in _grid_ij(tensors, n)]
    return tuple(made)


def _grid_ij(tensors, n):
    """The grid in "xy" order before its first two dimensions are exchanged back."""
    sizes = [x._a.size for x in tensors]
    made = []
    for i, x in enumerate(tensors):
        shape = [1] * n
        shape[i] = x._a.size
        made.append(view_as_shape(x.contiguous(), tuple(shape)).expand(sizes))
    return made


@composite
def cartesian_prod(*tensors):
    """All combinations of one element of each 1-d tensor, as rows.

    Example::

        >>> import rushlight as torch
        >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
        tensor([[1, 3],
                [1, 4],
                [2, 3],
                [2, 4]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    for x in tensors:
        if x._a.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(x.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([x.reshape(-1) for x in _grid_ij(tensors, len(tensors))], 1)


@composite(method=True)
def combinations(input, r=2, with_replacement=False):
    """All selections of ``r`` elements of a 1-d tensor, as rows.

    Example::

        >>> import rushlight as torch
        >>> torch.combinations(torch.tensor([1, 2, 3]))
        tensor([[1, 2],
                [1, 3],
                [2, 3]])
    """
    if input._a.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrap(np.empty(0, input._a.dtype))
    n = input._a.shape[0]
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(n), r)), np.int64).reshape(-1, r)
    return _take_rows.public(input, rows)


@op(function=False, out=False, grad_name="StackBackward0")
def _take_rows(input: Array, rows):
    return input[rows]


@op(function=False, out=False)
def _add_rows(g: Array, rows, shape):
    made = np.zeros(shape, g.dtype)
    np.add.at(made, rows, g)
    return made


_take_rows.derivative(input=lambda g, rows, input_shape: both._add_rows(g, rows, input_shape))
_add_rows.derivative(g=lambda g, rows: both._take_rows(g, rows))


@composite
def vander(x, N=None, increasing=False):
    """The matrix of powers of a vector: columns x ** (N - 1) ... x ** 0, or increasing.

    Example::

        >>> import rushlight as torch
        >>> torch.vander(torch.tensor([1, 2]), 3)
        tensor([[1, 1, 1],
                [4, 2, 1]])
    """
    if x._a.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor." f"\nIt has {x._a.ndim} dimensions.")
    n = x._a.shape[0] if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative." f"\nIt is {n}.")
    columns = []
    for i in range(n):
        columns.append(columns[-1] * x if i else x.new_ones(x._a.shape, dtype=_power_dtype(x)))
    if not columns:
        return x.new_empty((x._a.shape[0], 0), dtype=_power_dtype(x))
    return stack(columns if increasing else columns[::-1], 1)


def _power_dtype(x):
    return dtypes.int64 if x.dtype.category <= dtypes.INTEGRAL else x.dtype
