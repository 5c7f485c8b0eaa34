"""as_strided: any window on a tensor's memory, and its derivative.

The gradient of a window is spread over the layout of the tensor it looks at: elements that the window shows
twice get the sum, those it does not show get zero. Where that tensor itself repeats elements (an expanded
one), what arrives at one place of memory is shared evenly among the elements that stand for it, as in
PyTorch. ``autograd.views`` uses the same derivative to give a view its history again after its base was
written to; its geometries are in bytes and may change the dtype (``real`` of a complex base).
"""
import numpy as np

from ..autograd import modes, views
from ..autograd.node import make
from ..kernels import memory
from ..tensor import Tensor, user_place
from ._factory import overriding, publish, size_list
from .declare import Array, both, op

__all__ = ["Window"]


class Window:
    """Where a view lies relative to its base: shapes, strides and offset in bytes, and both dtypes."""

    __slots__ = ("base_shape", "base_strides", "base_dtype", "shape", "strides", "dtype", "offset")

    def __init__(self, base, shape, strides, offset, dtype):
        self.base_shape, self.base_strides, self.base_dtype = base.shape, base.strides, base.dtype
        self.shape, self.strides, self.offset, self.dtype = shape, strides, offset, dtype


def _memory_for(window):
    """Zeroed memory that holds both base and window: (bytes, offset of the base, offset of the window)."""
    low, high = memory.extent(window.base_shape, window.base_strides, window.base_dtype.itemsize)
    start, stop = memory.extent(window.shape, window.strides, window.dtype.itemsize)
    bottom = min(low, window.offset + start)
    top = max(high, window.offset + stop)
    return np.zeros(top - bottom, np.uint8), -bottom, window.offset - bottom


def _repeats(shape, strides):
    """Whether some place in memory stands for several elements."""
    reach = 0
    for s, n in sorted((abs(s), n) for s, n in zip(strides, shape)):
        if n > 1:
            if s <= reach:
                return True
            reach += s * (n - 1)
    return False


def _positions(shape, strides, itemsize, offset):
    """The number of each element's place, counted in elements from the start of the memory."""
    at = np.full(shape, offset // itemsize, np.intp)
    for d, (n, s) in enumerate(zip(shape, strides)):
        at += (np.arange(n, dtype=np.intp) * (s // itemsize)).reshape((n,) + (1,) * (len(shape) - d - 1))
    return at


@op(function=False, out=False, grad_name="AsStridedBackward0")
def _window_scatter(g: Array, window):
    raw, base_at, window_at = _memory_for(window)
    made = np.ndarray(window.base_shape, window.base_dtype, raw, base_at, window.base_strides) if raw.size \
        else np.zeros(window.base_shape, window.base_dtype)
    if not g.size or not raw.size:
        return made
    if g.dtype != window.dtype:
        g = memory.convert(np.asarray(g), window.dtype)
    if _repeats(window.shape, window.strides):
        flat = raw[window_at % window.dtype.itemsize:]
        flat = flat[:flat.size // window.dtype.itemsize * window.dtype.itemsize].view(window.dtype)
        np.add.at(flat, _positions(window.shape, window.strides, window.dtype.itemsize,
                                   window_at - window_at % window.dtype.itemsize), g)
    else:
        np.copyto(np.ndarray(window.shape, window.dtype, raw, window_at, window.strides), g)
    if _repeats(window.base_shape, window.base_strides):
        size = window.base_dtype.itemsize
        at = _positions(window.base_shape, window.base_strides, size, base_at - base_at % size)
        count = np.bincount(at.reshape(-1))
        made = made / count[at].astype(window.base_dtype)
    return made


@op(function=False, out=False, grad_name="AsStridedBackward0")
def _window_gather(input: Array, window):
    raw, base_at, window_at = _memory_for(window)
    if not raw.size:
        return np.zeros(window.shape, window.dtype)
    if input.dtype != window.base_dtype:
        input = memory.convert(np.asarray(input), window.base_dtype)
    np.copyto(np.ndarray(window.base_shape, window.base_dtype, raw, base_at, window.base_strides), input)
    return np.ndarray(window.shape, window.dtype, raw, window_at, window.strides).copy()


_window_scatter.derivative(g=lambda g, window: both._window_gather(g, window))
_window_gather.derivative(input=lambda g, window: both._window_scatter(g, window))


@op(function=False, view=True, out=False, grad_name="AsStridedBackward0")
def _look(input: Array, window):
    return memory.strided(input, window.shape, window.strides, window.offset, window.dtype)


_look.derivative(input=lambda g, window: both._window_scatter(g, window))


def as_strided_node(base_edge, geometry):
    """The node that makes a view a window on its base's new value: for ``autograd.views.sync``."""
    plan = _look.plan((True,))
    return make(plan, (base_edge,), (geometry,), None, geometry.shape, geometry.dtype, user_place())


views.as_strided_plan = as_strided_node


def storage_start(array):
    """Bytes between the start of the memory and the first element."""
    owner = memory.root(array)
    return 0 if owner is array else memory.address(array) - memory.address(owner)


@publish(method=True)
def as_strided(input, size, stride, storage_offset=None):
    """A view of ``input``'s memory with any ``size``, ``stride`` and ``storage_offset`` (in elements; None
    keeps the tensor's own).

    RuntimeError for negative strides and windows that leave the memory.

    Example::

        >>> import rushlight as torch
        >>> torch.arange(5).as_strided((3, 3), (1, 1))
        tensor([[0, 1, 2],
                [1, 2, 3],
                [2, 3, 4]])
    """
    if not modes.plain:
        taken, result = overriding(as_strided, (input,), (input, size, stride, storage_offset))
        if taken:
            return result
    return _look.public(input, window_on(input, size, stride, storage_offset, "as_strided"))


def window_on(input, size, stride, storage_offset, name):
    """The checked Window of an as_strided call."""
    shape, steps = size_list(size, name, "size", 2), size_list(stride, name, "stride", 3)
    a = input._a
    each = a.itemsize
    if len(shape) != len(steps):
        raise RuntimeError(f"mismatch in length of strides and shape\nThe size has {len(shape)} numbers, the "
                           f"stride {len(steps)}.")
    if any(s < 0 for s in steps):
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: "
                           f"{list(steps)}"
                           "\nUse torch.flip, which copies.")
    for n in shape:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}\nSizes "
                               "are 0 or more.")
    start = storage_start(a)
    offset = start if storage_offset is None else int(storage_offset) * each
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset // each}\nIt is 0 or more.")
    strides = tuple(s * each for s in steps)
    top = offset + memory.extent(shape, strides, each)[1]
    room = memory.nbytes(memory.root(a))
    if 0 not in shape and top > room:
        raise RuntimeError(f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset "
                           f"{offset // each}, and itemsize "
                           f"{each} requiring a storage size of {top} are out of bounds for storage of size "
                           f"{room}"
                           "\nThe window leaves the tensor's memory.")
    return Window(a, shape, strides, offset - start, a.dtype)


@op(function=False, out=False, grad_name="CloneBackward0")
def _laid_out(input: Array, strides):
    size = memory.extent(input.shape, strides, input.itemsize)[1]
    made = np.ndarray(input.shape, input.dtype, np.zeros(max(size, 1), np.uint8), 0, strides)
    np.copyto(made, input)
    return made


_laid_out.derivative(input=lambda g: g)


def _with_layout(self, array):
    """A copy with the strides of ``array``."""
    return _laid_out.public(self, array.strides)


Tensor._with_layout = _with_layout
