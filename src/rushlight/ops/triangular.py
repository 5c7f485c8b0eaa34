"""Triangles and diagonals: tril, triu, diag, diag_embed, their indices; and copies with a part replaced (the
``*_scatter`` functions).
"""
import numpy as np

from ..autograd import modes
from ..dtypes import BY_NUMPY
from ..kernels import memory
from . import call
from ._factory import check_place, finish, numpy_dtype, publish
from .declare import Array, both, composite, op
from .shape import reshaped, whole, wrap_dim
from .splitting import _diagonal_view, diagonal
from .strided import window_on

_FULL = slice(None)


# ---------------------------------------------------------------- the trace

@op(method=True, out=False)
def trace(input: Array):
    """The sum of a matrix's diagonal; integers add up to int64.

    Example::

        >>> import rushlight as torch
        >>> torch.trace(torch.eye(3))
        tensor(3.)
    """
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    if input.dtype == bool:
        raise NotImplementedError("\"trace\" not implemented for 'Bool'\nConvert it with .long() first.")
    return input.trace(dtype=np.int64 if input.dtype.kind in "iu" else None)


trace.derivative(input=lambda g, input_shape: g * both._identity(g, input_shape))


@op(function=False, name="_identity", out=False, differentiable=False)
def _identity(like: Array, shape):
    """Ones on the diagonal of a matrix of ``shape``, in the dtype of ``like``."""
    return np.eye(*shape, dtype=like.dtype)


# ---------------------------------------------------------------- triangles

def _check_matrix(a, name):
    if a.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions\nIt has {a.ndim}.")


def _band(a, diagonal, lower):
    rows, columns = a.shape[-2:]
    keep = np.arange(columns) <= np.arange(rows)[:, None] + diagonal if lower else \
        np.arange(columns) >= np.arange(rows)[:, None] + diagonal
    return memory.contiguous(np.where(keep, a, np.zeros((), a.dtype)))


@op(method=True, inplace=True)
def tril(input: Array, diagonal=0):
    """The lower triangle of matrices, zeros elsewhere; ``diagonal`` counts above the main one.

    Example::

        >>> import rushlight as torch
        >>> torch.tril(torch.ones(2, 2))
        tensor([[1., 0.],
                [1., 1.]])
    """
    _check_matrix(input, "tril")
    return _band(input, diagonal, True)


@op(method=True, inplace=True)
def triu(input: Array, diagonal=0):
    """The upper triangle of matrices, zeros elsewhere; ``diagonal`` counts above the main one.

    Example::

        >>> import rushlight as torch
        >>> torch.triu(torch.ones(2, 2))
        tensor([[1., 1.],
                [0., 1.]])
    """
    _check_matrix(input, "triu")
    return _band(input, diagonal, False)


tril.derivative(input=lambda g, diagonal: both.tril(g, diagonal))
triu.derivative(input=lambda g, diagonal: both.triu(g, diagonal))


def _declare_indices(name, indices):
    def made(row, col, offset=0, *, dtype=None, device=None, layout=None, pin_memory=False):
        check_place(layout, device, pin_memory)
        row, col = whole(row, name, "row", 1), whole(col, name, "col", 2)
        for n, what in ((row, "row"), (col, "col")):
            if n < 0:
                raise RuntimeError(f"{what} must be non-negative, got{n}")
        numpy = np.dtype(np.int64) if dtype is None else numpy_dtype(dtype, name)
        if numpy.kind not in "iu":
            raise NotImplementedError(f"\"{name}\" not implemented for '{BY_NUMPY[numpy].scalar_name}'\nPass "
                                      "an integer dtype.")
        return finish(np.array(indices(row, offset, col)).reshape(2, -1).astype(numpy))
    made.__doc__ = f"""The row and column numbers of the {'lower' if name == 'tril_indices' else 'upper'}
    triangle of a matrix, as a tensor of two rows.

    Example::

        >>> import rushlight as torch
        >>> torch.{name}(2, 2).shape
        torch.Size([2, 3])
    """
    publish(made, name=name)


_declare_indices("tril_indices", lambda row, offset, col: np.tril_indices(row, offset, col))
_declare_indices("triu_indices", lambda row, offset, col: np.triu_indices(row, offset, col))


# ---------------------------------------------------------------- diagonals

@op(method=True, out=False)
def diag_embed(input: Array, offset=0, dim1=-2, dim2=-1):
    """The last dimension as a diagonal of two new ones, zeros elsewhere.

    Example::

        >>> import rushlight as torch
        >>> torch.diag_embed(torch.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])
    """
    ndim = input.ndim + 1
    d1, d2 = wrap_dim(dim1, ndim, "diag_embed"), wrap_dim(dim2, ndim, "diag_embed")
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}\nGive two dimensions.")
    n = input.shape[-1] + abs(offset)
    shape = list(input.shape[:-1])
    for d in sorted((d1, d2)):
        shape.insert(d, n)
    made = np.zeros(shape, input.dtype)
    part = made.diagonal(offset, d1, d2)
    part.flags.writeable = True
    part[...] = input
    return made


diag_embed.derivative(input=lambda g, offset, dim1, dim2: both.diagonal(g, offset, dim1, dim2))


@composite(method=True)
def diag(input, diagonal=0, *, out=None):
    """Of a vector, the matrix with it on a diagonal; of a matrix, a copy of its diagonal.

    Example::

        >>> import rushlight as torch
        >>> torch.diag(torch.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    ndim = input._a.ndim
    if ndim == 1:
        made = diag_embed.public(input, diagonal)
    elif ndim == 2:
        made = diagonal_copy_of(input, diagonal)
    else:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D\nThe nearest for batches are "
                           "diagonal and diag_embed.")
    return made if out is None else _into(out, made, "diag")


def _into(out, made, name):
    if modes.state.grad and (out.requires_grad or made.requires_grad):
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                           "differentiation, but one of the "
                           "arguments requires grad.\nCall it without out=, or under torch.no_grad().")
    call.put_out(out, made._a, name)
    return out


def diagonal_copy_of(input, offset):
    return diagonal.public(input, offset).clone()


@composite(method=True)
def diagflat(input, offset=0):
    """The matrix with the elements of ``input`` on a diagonal."""
    return diag_embed.public(reshaped(input.contiguous(), (input._a.size,)), offset)


# ---------------------------------------------------------------- copies with a part replaced

def _put(made, part, src):
    if part.shape != src.shape:
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(src.shape)}, slice size = "
                           f"{list(part.shape)}\nThe part and what replaces it have one shape.")
    np.copyto(part, src, casting="unsafe")
    return made


@op(method=True)
def select_scatter(input: Array, src: Array, dim, index):
    """A copy of ``input`` with ``src`` at one ``index`` of a dimension.

    Example::

        >>> import rushlight as torch
        >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
        tensor([[0., 0.],
                [1., 1.]])
    """
    made = memory.copy_dense(input)
    d = wrap_dim(dim, input.ndim, "select_scatter")
    n = input.shape[d]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input.shape)} at "
                         f"dimension {d}")
    return _put(made, made[(_FULL,) * d + (index, ...)], src)


select_scatter.derivative(
    input=lambda g, src_shape, dim, index:
        both.select_scatter(g, both._zeros_of_shape(g, src_shape), dim, index),
    src=lambda g, dim, index: both.select(g, dim, index))


@op(method=True)
def slice_scatter(input: Array, src: Array, dim=0, start=None, end=None, step=1):
    """A copy of ``input`` with ``src`` in the place of a slice of a dimension."""
    made = memory.copy_dense(input)
    d = wrap_dim(dim, input.ndim, "slice_scatter")
    if step <= 0:
        raise RuntimeError("slice step must be positive\nUse torch.flip to go backwards.")
    return _put(made, made[(_FULL,) * d + (slice(start, end, step),)], src)


def _slice_of(g, dim, start, end, step):
    d = dim % g.ndim
    return both._slice(g, d, *slice(start, end, step).indices(g.shape[d]))


slice_scatter.derivative(
    input=lambda g, src_shape, dim, start, end, step:
        both.slice_scatter(g, both._zeros_of_shape(g, src_shape), dim, start, end, step),
    src=_slice_of)


@op(method=True)
def diagonal_scatter(input: Array, src: Array, offset=0, dim1=0, dim2=1):
    """A copy of ``input`` with ``src`` on a diagonal."""
    made = memory.copy_dense(input)
    part, _, _ = _diagonal_view(made, offset, dim1, dim2)
    part.flags.writeable = True
    return _put(made, part, src)


diagonal_scatter.derivative(
    input=lambda g, src_shape, offset, dim1, dim2:
        both.diagonal_scatter(g, both._zeros_of_shape(g, src_shape), offset, dim1, dim2),
    src=lambda g, offset, dim1, dim2: both.diagonal(g, offset, dim1, dim2))


@op(function=False, out=False, name="_window_put", grad_name="AsStridedScatterBackward0")
def _window_put(input: Array, src: Array, window):
    if not input.size:
        return input.copy()
    each = input.itemsize
    start = max(0, -window.offset)
    top = max(memory.extent(window.base_shape, window.base_strides, each)[1],
              window.offset + memory.extent(window.shape, window.strides, each)[1])
    raw = np.zeros(start + top, np.uint8)
    made = np.ndarray(input.shape, input.dtype, raw, start, window.base_strides)
    np.copyto(made, input)
    if 0 not in window.shape:
        part = np.ndarray(window.shape, input.dtype, raw, start + window.offset, window.strides)
        np.copyto(part, src, casting="unsafe")
    return made


_window_put.derivative(
    input=lambda g, src_shape, window: both._window_put(g, both._zeros_of_shape(g, src_shape), window),
    src=lambda g, window: both._window_gather(g, window))


@composite(method=True)
def as_strided_scatter(input, src, size, stride, storage_offset=None, *, out=None):
    """A copy of ``input`` with ``src`` in the place of an ``as_strided`` window."""
    window = window_on(input, size, stride, storage_offset, "as_strided_scatter")
    if src._a.shape != tuple(window.shape):
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(src.shape)}, slice size = "
                           f"{list(window.shape)}\nThe part and what replaces it have one shape.")
    made = _window_put.public(input, src, window)
    return made if out is None else _into(out, made, "as_strided_scatter")


