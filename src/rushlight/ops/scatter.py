"""Writing elements by index arrays: scatter, index_add, index_copy, index_fill, put and their relatives.

Where indices repeat, written values leave the last one and added values add up. ``scatter_reduce`` and
``index_reduce`` share one rule, told how to read, add and clear at their positions.
"""
import numpy as np

from ..autograd import modes
from ..kernels import scatter as kernels
from ..tensor import Tensor
from . import call, indexing
from ._reduced import like, plain
from .declare import Array, Operand, both, composite, op
from .direct import writing, writing_in_place
from .exact import exact
from .overload import ABSENT, wrong_arguments
from .table import namespaces

__all__ = []


def _conj(number):
    return number.conjugate() if isinstance(number, complex) else number


# ---------------------------------------------------------------- scatter

@op(name="scatter", function=False, inplace=True, out=exact)
def _scatter_combined(input: Array, dim, index: Array, src: Operand, *, reduce=None):
    """``scatter`` with a ``reduce``: not differentiable, as in PyTorch."""
    return kernels.scatter(input, dim, index, src, reduce)


@op(function=False, inplace=True, fast=False, out=exact,
    grad_name=lambda input, dim, index, src: "ScatterBackward0" if isinstance(src, Tensor)
    else "ScatterBackward1")
def scatter(input: Array, dim, index: Array, src: Operand):
    """``input`` with ``src``, a tensor or number, written at ``index`` along ``dim``.

    ``out[index[i][j]][j] = src[i][j]`` for ``dim`` 0, the reverse of ``gather``. ``index`` (int64 or int32)
    has as many dimensions as ``input`` and ``src`` and is nowhere longer than ``src``, nor than ``input`` but
    along ``dim``. ``reduce``: "add" or "multiply" combine with what is there. RuntimeError for an index out
    of bounds.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(2, 2).scatter(1, torch.tensor([[1], [0]]), 5.0)
        tensor([[0., 5.],
                [5., 0.]])
    """
    return kernels.scatter(input, dim, index, src)


scatter.derivative(input=lambda g, dim, index: both.scatter(g, dim, index, 0),
                   src=lambda g, dim, index: both.gather(g, dim, index))


def _scatter_arguments(name, dim, index, src, value, reduce):
    if src is ABSENT:
        src = value
    if src is ABSENT or not isinstance(index, Tensor) or not isinstance(src, (Tensor, *call.NUMBER)):
        raise wrong_arguments(name, [x for x in (dim, index, src) if x is not ABSENT],
                              f"The forms are {name}(dim, index, src) and {name}(dim, index, value), both "
                              "with reduce=.")
    return (dim, index, src) if reduce is None else (dim, index, src, reduce)


def _scatter(input, dim, index, src=ABSENT, *, value=ABSENT, reduce=None, out=None):
    values = (input, *_scatter_arguments("scatter", dim, index, src, value, reduce))
    return call.invoke(scatter if reduce is None else _scatter_combined, values, out)


def _scatter_inplace(self, dim, index, src=ABSENT, *, value=ABSENT, reduce=None):
    """In-place version of ``scatter``."""
    values = [self, *_scatter_arguments("scatter_", dim, index, src, value, reduce)]
    if not modes.plain:
        taken, result = call.try_override(_scatter_inplace, values, tuple(values[:4]), {} if reduce is None
                                          else {"reduce": reduce})
        if taken:
            return result
    return call.invoke_inplace(scatter if reduce is None else _scatter_combined, values, "scatter_")


_scatter.__name__, _scatter.__module__ = "scatter", "torch"
_scatter.__doc__, _scatter.op = scatter.doc, scatter
_scatter_inplace.__name__ = "scatter_"
scatter.public = _scatter_combined.public = namespaces["torch"]["scatter"] = Tensor.scatter = _scatter
scatter.inplace_public = Tensor.scatter_ = _scatter_inplace


@op(method=True, inplace=True, out=exact)
def scatter_add(input: Array, dim, index: Array, src: Array):
    """``input`` with ``src`` added at ``index`` along ``dim``; indices may repeat, and then all is added. See
    ``scatter``.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(3).scatter_add(0, torch.tensor([0, 2, 2]), torch.tensor([1., 2., 3.]))
        tensor([1., 0., 5.])
    """
    return kernels.scatter_into(input, dim, index, src)


scatter_add.derivative(input=lambda g: g, src=lambda g, dim, index: both.gather(g, dim, index))


# ---------------------------------------------------------------- whole slices

def _selected(g, dim, index, shape):
    """The slices of ``g`` at ``index``, in the shape of the source they came from (which may be 0-d)."""
    g = both.index_select(g, dim, index)
    return g if tuple(g.shape) == tuple(shape) else g.reshape(shape)


@op(method=True, inplace=True, out=exact)
def index_add(input: Array, dim, index: Array, source: Array, *, alpha=1):
    """``input`` with ``alpha`` times the slices of ``source`` added at ``index`` (a vector) along ``dim``;
    indices may repeat.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(2).index_add(0, torch.tensor([1, 1]), torch.tensor([1., 2.]))
        tensor([0., 3.])
    """
    return kernels.index_add(input, dim, index, source, alpha)


index_add.derivative(
    input=lambda g: g,
    source=lambda g, dim, index, source_shape, alpha: _selected(g, dim, index, source_shape) * _conj(alpha))


@op(method=True, inplace=True, out=exact)
def index_copy(input: Array, dim, index: Array, source: Array):
    """``input`` with the slices of ``source`` written at ``index`` (an int64 vector) along ``dim``.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(3).index_copy(0, torch.tensor([2, 0]), torch.tensor([1., 2.]))
        tensor([2., 0., 1.])
    """
    return kernels.index_copy(input, dim, index, source)


index_copy.derivative(
    input=lambda g, dim, index: both.index_fill(g, dim, index, 0),
    source=lambda g, dim, index, source_shape: _selected(g, dim, index, source_shape))


def _distinct(g, dim, index):
    """Each slice once, counted from the front: an element was filled once however often it is named."""
    index = plain(index)
    return like(g, np.unique(index % (g.shape[dim] if g.ndim else 1)) if index.size else index)


@op(method=True, inplace=True, out=False, fast=False,
    grad_name=lambda input, dim, index, value: "IndexFillBackward1" if isinstance(value, Tensor)
    else "IndexFillBackward0")
def index_fill(input: Array, dim, index: Array, value: Operand):
    """``input`` with the slices at ``index`` (an int64 vector) along ``dim`` filled with a number or 0-d
    tensor.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(3).index_fill(0, torch.tensor([0, 2]), 1.0)
        tensor([1., 0., 1.])
    """
    return kernels.index_fill(input, dim, index, value)


index_fill.derivative(input=lambda g, dim, index: both.index_fill(g, dim, index, 0),
                      value=lambda g, dim, index: both.index_select(g, dim, _distinct(g, dim, index)).sum())


writing(scatter, kernels.scatter)
writing_in_place(scatter, kernels.scatter)
for _op, _kernel in ((scatter_add, kernels.scatter_into), (index_add, kernels.index_add),
                     (index_copy, kernels.index_copy)):
    writing(_op, _kernel)
    writing_in_place(_op, _kernel)


# ---------------------------------------------------------------- reductions at positions

def _reduced_gradients(g, input, source, out, reduce, include_self, *, read, add, combine, clear):
    """(gradient of input, gradient of source) of ``out = combine(input, source)``.

    ``read(x)``: elements of something shaped like ``input`` at the positions; ``add(x, s)``: the reverse,
    adding; ``clear(x)``: zeros there. Masks and counts are constants, computed on arrays.
    """
    x, s = plain(input), plain(source)

    def counted(start, what):
        """How many of ``what`` fell on each place, added to ``start``, in the dtype of the gradient."""
        kind = plain(g).dtype
        return np.asarray(add(np.asarray(start).astype(kind), np.asarray(what).astype(kind)))

    if reduce == "sum":
        to_input, to_source = g, read(g)
    elif reduce == "mean":
        count = counted(np.full(x.shape, bool(include_self)), np.ones(s.shape))
        count = like(g, np.where(count == 0, count.dtype.type(1), count))
        to_input = g / count
        to_source = read(to_input)
    elif reduce == "prod":
        zero = x == 0
        repaired = both.where(like(g, zero), 1, input)
        to_input = g * both.conj(combine(repaired, source) / repaired)
        zero = s == 0
        zeros = np.asarray(read(counted(np.zeros(x.shape), zero)))
        single = like(g, zero & (zeros == 1))
        without = combine(input, both.where(single, 1, source))
        to_source = both.where(single, read(g * both.conj(without)),
                               read(g * both.conj(out)) / both.conj(both.where(like(g, zero), 1, source)))
        to_source = both.where(like(g, zeros > 1), 0, to_source)
    else:
        value = plain(out)
        own, given = x == value, s == np.asarray(read(value))
        count = counted(own, given)
        # Ties share; where the own value does not take part a place may have no winner at all.
        share = g / like(g, np.where(count == 0, count.dtype.type(1), count))
        to_input = both.where(like(g, own), share, 0)
        to_source = both.where(like(g, given), read(share), 0)
    return to_input if include_self else clear(to_input), to_source


@op(method=True, inplace=True, out=exact)
def scatter_reduce(input: Array, dim, index: Array, src: Array, reduce, *, include_self=True):
    """``input`` combined with ``src`` at ``index`` along ``dim``, as ``scatter`` places it.

    ``reduce``: "sum", "prod", "mean", "amax" or "amin"; ``include_self``: whether what is there takes part.

    Example::

        >>> import rushlight as torch
        >>> torch.ones(2).scatter_reduce(0, torch.tensor([0, 0, 1]), torch.tensor([2., 3., 4.]), "prod")
        tensor([6., 4.])
    """
    return kernels.scatter_reduce(input, dim, index, src, reduce, include_self)


@scatter_reduce.derivatives
def _scatter_reduce_gradients(g, input, dim, index, src, reduce, include_self, out, needs):
    def read(x):
        return both.gather(x, dim, index if isinstance(x, Tensor) else plain(index))

    def add(x, s):
        return kernels.scatter_into(x, dim, plain(index), s)

    def combine(x, s):
        return both.scatter_reduce(x, dim, index, s, reduce, include_self=include_self)

    first, second = _reduced_gradients(g, input, src, out, reduce, include_self, read=read, add=add,
                                       combine=combine,
                                       clear=lambda x: both.scatter(x, dim, index, 0))
    return first if needs[0] else None, None, second if needs[2] else None


@op(method=True, inplace=True, out=exact)
def index_reduce(input: Array, dim, index: Array, source: Array, reduce, *, include_self=True):
    """``input`` with the slices of ``source`` combined into it at ``index`` (a vector) along ``dim``.

    ``reduce``: "prod", "mean", "amax" or "amin"; ``include_self``: whether what is there takes part.

    Example::

        >>> import rushlight as torch
        >>> torch.ones(2).index_reduce(0, torch.tensor([0, 0]), torch.tensor([2., 3.]), "amax")
        tensor([3., 1.])
    """
    return kernels.index_reduce(input, dim, index, source, reduce, include_self)


@index_reduce.derivatives
def _index_reduce_gradients(g, input, dim, index, source, reduce, include_self, out, needs):
    shape = tuple(source.shape)

    def read(x):
        return _selected(x, dim, index if isinstance(x, Tensor) else plain(index), shape)

    def add(x, s):
        return kernels.index_add(x, dim, plain(index), s, 1)

    def combine(x, s):
        return both.index_reduce(x, dim, index, s, reduce, include_self=include_self)

    first, second = _reduced_gradients(g, input, source, out, reduce, include_self, read=read, add=add,
                                       combine=combine,
                                       clear=lambda x: both.index_fill(x, dim, index, 0))
    return first if needs[0] else None, None, second if needs[2] else None


# ---------------------------------------------------------------- flat positions and brackets

@op(method=True, inplace=True, out=False)
def put(input: Array, index: Array, source: Array, accumulate=False):
    """``input``, read as one row, with the elements of ``source`` written (or added, with ``accumulate``) at
    ``index``.

    ``index`` is int64; negative ones count from the end.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(2, 2).put(torch.tensor([1, -1]), torch.tensor([5., 6.]))
        tensor([[0., 5.],
                [0., 6.]])
    """
    return kernels.put(input, index, source, accumulate)


def _put_to_input(g, index, accumulate):
    if accumulate:
        return g
    return both.index_fill(g.reshape((-1,)), 0, index.reshape((-1,)), 0).reshape(g.shape)


put.derivative(input=lambda g, index, accumulate: _put_to_input(g, index, accumulate),
               source=lambda g, index, source_shape: both.take(g, index).reshape(source_shape))
namespaces["torch"].pop("put_", None)


def _index_put_values(name, input, indices, values, accumulate):
    """The values of the operator that brackets use, from a tuple of index tensors."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError(f"{name}(): argument 'indices' (position 1) must be tuple of Tensors, not "
                        f"{type(indices).__name__}"
                        "\nPut them in a tuple.")
    for i, t in enumerate(indices):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}\nWrap "
                            "it with torch.tensor.")
    for position, t in ((0, input), (2, values)):
        if not isinstance(t, Tensor):
            raise TypeError(f"{name}(): argument '{'values' if position else 'self'}' (position "
                            f"{position or 1}) must be Tensor, not "
                            f"{type(t).__name__}\nWrap it with torch.tensor.")
    chosen = kernels.numpy_index(input._a, [t._a for t in indices])
    if values._a.dtype != input._a.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{input.dtype.scalar_name} for the destination and {values.dtype.scalar_name} "
                           "for the source."
                           f"\nConvert the source with .to({input.dtype}).")
    kernels.check_put(input._a, chosen, values._a.shape)
    return [input, chosen, values, bool(accumulate)]


@composite(method=True)
def index_put(input, indices, values, accumulate=False):
    """``input`` with ``values`` written (or added, with ``accumulate``) at ``indices``: ``input[indices] =
    values`` on a copy.

    ``indices``: a tuple of index tensors, int64, int32 or bool, one for each of the first dimensions.
    Repeated ones add up with ``accumulate``.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(3).index_put((torch.tensor([1, 1]),), torch.tensor(2.), accumulate=True)
        tensor([0., 4., 0.])
    """
    return call.invoke(indexing.index_put, _index_put_values("index_put", input, indices, values, accumulate))


def index_put_(input, indices, values, accumulate=False):
    """In-place version of ``index_put``."""
    if not modes.plain:
        taken, result = call.try_override(index_put_, (input, indices, values), (input, indices, values),
                                          {"accumulate": accumulate})
        if taken:
            return result
    return call.invoke_inplace(indexing.index_put,
                               _index_put_values("index_put_", input, indices, values, accumulate),
                               "index_put_")


Tensor.index_put_ = namespaces["torch"]["index_put_"] = index_put_


# ---------------------------------------------------------------- diagonals, and indices of flat positions

def fill_diagonal_(self, fill_value, wrap=False):
    """Write a number on the main diagonal, in place; all dimensions are equal, but for a matrix.

    ``wrap``: in a tall matrix the diagonal starts again below, after one row.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(2, 2).fill_diagonal_(3)
        tensor([[3., 0.],
                [0., 3.]])
    """
    if not modes.plain:
        taken, result = call.try_override(fill_diagonal_, (self,), (self, fill_value, wrap), {})
        if taken:
            return result
    ndim, shape = self._a.ndim, self._a.shape
    if ndim < 2:
        raise RuntimeError("dimensions must larger than 1\nA vector has no diagonal.")
    if ndim > 2 and len(set(shape)) > 1:
        raise RuntimeError(f"all dimensions of input must be of equal length\nThe shape is {list(shape)}.")
    step, start, size = sum(self.stride()), self.storage_offset(), min(shape)
    self.as_strided((size,), (step,), start).fill_(fill_value)
    if wrap and ndim == 2 and shape[0] > shape[1] + 1:
        rest = -(-self._a.size // (shape[1] + 1)) - size
        self.as_strided((rest,), (step,), start + self.stride(0) * (shape[1] + 1)).fill_(fill_value)
    return self


Tensor.fill_diagonal_ = fill_diagonal_


@composite
def unravel_index(indices, shape):
    """The coordinates, in a tensor of ``shape``, of flat positions: a tuple of tensors, one for each
    dimension.

    Example::

        >>> import rushlight as torch
        >>> torch.unravel_index(torch.tensor([4, 5]), (2, 3))
        (tensor([1, 1]), tensor([1, 2]))
    """
    if not isinstance(indices, Tensor) or indices._a.dtype.kind not in "iu":
        raise TypeError("expected 'indices' to be integer dtype, but got "
                        + (str(indices.dtype) if isinstance(indices, Tensor)
                                                                              else type(indices).__name__))
    if not isinstance(shape, (int, tuple, list)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in sizes:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    found, step = [], 1
    for n in reversed(sizes):
        found.append((indices // step) % n if indices._a.size else indices.clone())
        step *= n
    return tuple(reversed(found))


