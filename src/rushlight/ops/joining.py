"""Several tensors into one: cat, stack and their relatives."""
import numpy as np

from .. import dtypes
from ..autograd import modes, views
from ..autograd.node import make
from ..dtypes import BY_NUMPY
from ..tensor import Tensor, user_place
from . import call
from ._factory import overriding, publish
from .declare import Arrays, op
from .shape import wrap_dim, whole

_new = object.__new__
_concatenate = np.concatenate
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
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated\nUse torch.stack.")
    first = next((a for a in arrays if not _skipped(a)), arrays[0])
    d = wrap_dim(dim, first.ndim, "cat")
    for i, a in enumerate(arrays):
        if _skipped(a):
            continue
        if a.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {a.ndim}\nThe shapes are "
                               f"{[list(x.shape) for x in arrays]}.")
        for j, (n, m) in enumerate(zip(first.shape, a.shape)):
            if j != d and n != m:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {d}. Expected size {n} but got size {m} for "
                                   f"tensor number {i} in the list.\nThe shapes are {[list(x.shape) for x in arrays]}.")
    return d


@op(name="cat", function=False)
def _cat(tensors: Arrays, dim=0):
    d = check_cat(tensors, dim)
    dtype = common_dtype(tensors)
    kept = [a for a in tensors if not _skipped(a)] or tensors[:1]
    if any(a.dtype != dtype for a in kept):
        kept = [a if a.dtype == dtype else a.astype(dtype) for a in kept]
    return _concatenate(kept, d)


def _cat_pieces(g, tensors_shape, dim):
    """The part of the gradient that belongs to each tensor."""
    pieces, at = [], 0
    n = g.ndim
    dim %= n or 1
    lead = (slice(None),) * dim
    for shape in tensors_shape:
        if len(shape) != n:
            pieces.append(None)
            continue
        pieces.append(g[(*lead, slice(at, at + shape[dim]))])
        at += shape[dim]
    return pieces


_cat.derivative(tensors=_cat_pieces)
_cat_public = _cat.public


@publish
def cat(tensors, dim=0, *, out=None, axis=None):
    """The tensors one after the other along ``dim``; all other sizes must agree (empty 1-d tensors are skipped).

    ValueError for an empty list, RuntimeError for shapes that do not fit, IndexError for a dimension that does not exist.

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
                t = _new(Tensor)
                t._a = r
                t._rg = False
                t._edge = t._base = t._ver = t._grad = None
                return t
            if d is not None and (d is _f32 or d is _f64):
                return _recorded_cat(tensors, arrays, dim)
        except (AttributeError, TypeError, ValueError, IndexError):
            pass      # the long way knows what to say
    if dim.__class__ is not int:
        dim = whole(dim, "cat", "dim", 2)
    if out is not None:
        return _cat_public(tensors, dim, out=out)
    return _cat_public(tensors, dim)


_LISTS = frozenset((list, tuple))
_plan = None


def _recorded_cat(tensors, arrays, dim):
    """cat of plain tensors of one floating dtype, with a node."""
    r = _concatenate(arrays, dim)
    edge_of = views.edge_of
    edges = tuple([edge_of(t) for t in tensors])
    t = _new(Tensor)
    t._a = r
    t._rg = False
    t._edge = t._base = t._ver = t._grad = None
    for e in edges:
        if e is not None:
            t._edge = make(_cat.plan((True,)), edges, _saved(arrays, dim), None, r.shape, r.dtype, user_place())
            t._rg = True
            break
    return t


def _saved(arrays, dim):
    """What ``_cat_pieces`` asks for, in the order of the plan."""
    values = {"tensors_shape": [a.shape for a in arrays], "dim": dim}
    return tuple([values[n] for n in _cat.plan((True,)).saves])


# ---------------------------------------------------------------- stack

@op(name="stack", function=False)
def _stack(tensors: Arrays, dim=0):
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList\nThere is nothing to join.")
    first = tensors[0].shape
    d = wrap_dim(dim, len(first) + 1, "stack")
    for i, a in enumerate(tensors):
        if a.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and {list(a.shape)} at "
                               f"entry {i}\nUse torch.cat for tensors that differ in one size.")
    dtype = common_dtype(tensors)
    index = (slice(None),) * d + (None,)
    return _concatenate([(a if a.dtype == dtype else a.astype(dtype))[index] for a in tensors], d)


def _stack_pieces(g, dim, tensors_shape):
    lead = (slice(None),) * (dim % g.ndim)
    return [g[(*lead, i)] for i in range(len(tensors_shape))]


_stack.derivative(tensors=_stack_pieces)


@publish
def stack(tensors, dim=0, *, out=None, axis=None):
    """Tensors of one shape along a new dimension ``dim``. RuntimeError if the shapes differ or there are none.

    Example::

        >>> import rushlight as torch
        >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], dim=1)
        tensor([[1, 3],
                [2, 4]])
    """
    if axis is not None:
        dim = axis
    return _stack.public(tensors, dim, out=out)


def _stack_like(self, tensors):
    return stack(list(tensors))


Tensor._stack_like = _stack_like


def publish_others():
    """The names of this family that share an implementation."""
    for name in ("concat", "concatenate"):
        publish_alias(name)


def publish_alias(name):
    from . import table
    table.namespaces["torch"][name] = cat


publish_others()
