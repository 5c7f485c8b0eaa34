"""Views and in-place: how history stays right when memory is shared.

A view remembers its ``_base`` (never itself a view), shares the base's version counter, and notes in ``_view_version`` what
the counter showed when its own edge was last right. Three rules follow, PyTorch's:

1. *Writing to a base* gives the base a new edge. Each view's edge is then stale, which it notices because the counter
   moved; when next asked (``sync``), it becomes "as_strided of the base's new edge".
2. *Writing to a view* is writing to a part of its base: the base's new edge is a ``CopySlices`` node, which sends the part's
   gradient through the writer's rule and everything else through unchanged; the view is then stale as in 1.
3. *A view of something that needs no gradient yet* may come to need one when somebody writes a tensor with history into the base.
   Such a view carries ``_rg = UNSURE``: truthy, so that operators stop and ask here.

The geometry of a view is kept as bytes (shape, strides, offset into the base), read from the arrays themselves, so it
works for any base and for views of another dtype (``real``, ``view_as_real``).
"""
import numpy as np

from . import modes
from .node import Node, _next_sequence, function_name

UNSURE = 2

# How a view came to be, where that restricts writing to it (``_view_meta``).
MULTI, NO_GRAD, INFERENCE, CUSTOM = "multi", "no_grad", "inference", "custom"


def address(array):
    return array.__array_interface__["data"][0]


class Geometry:
    """Where a view lies in its base: all in bytes, besides the dtypes."""

    __slots__ = ("base_shape", "base_strides", "base_dtype", "shape", "strides", "dtype", "offset")

    def __init__(self, base, view):
        self.base_shape, self.base_strides, self.base_dtype = base.shape, base.strides, base.dtype
        self.shape, self.strides, self.dtype = view.shape, view.strides, view.dtype
        self.offset = address(view) - address(base) if view.size and base.size else 0

    def dense(self):
        """An array of the base's shape and strides with memory of its own, zeroed."""
        low = sum(s * (n - 1) for s, n in zip(self.base_strides, self.base_shape) if s < 0 and n)
        high = sum(s * (n - 1) for s, n in zip(self.base_strides, self.base_shape) if s > 0 and n)
        raw = np.zeros((high - low) // self.base_dtype.itemsize + 1, self.base_dtype)
        return np.ndarray(self.base_shape, self.base_dtype, raw, -low, self.base_strides)

    def part(self, dense):
        """The view's part of an array made by ``dense``."""
        whole = dense.base if dense.base is not None else dense
        start = address(dense) - address(whole) + self.offset
        return np.ndarray(self.shape, self.dtype, whole, start, self.strides)

    @property
    def elements(self):
        """(size, stride, offset) in elements, as ``as_strided`` on the base's own storage takes them."""
        n = self.dtype.itemsize
        return self.shape, tuple(s // n for s in self.strides), self.offset // n


class CopySlices(Node):
    """The base's history after a write to one of its views by ``writer``."""

    __slots__ = ("writer", "geometry")


class _CopySlicesPlan:
    grad_name = "torch::autograd::CopySlices"
    outputs = None
    saves = kinds = guarded = sources = ()
    whole_node = True
    simple = False
    frees = True

    @staticmethod
    def backward(node, g, create):
        if g is None:
            return (None,) * len(node.edges)
        writer, geometry = node.writer, node.geometry
        if create:
            return _CopySlicesPlan.recorded(node, g, writer, geometry)
        whole = geometry.dense()
        np.copyto(whole, g)
        part = geometry.part(whole)
        results = run_writer(writer, part.copy(), create)
        first = results[0] if results else None
        if first is None:
            part[...] = 0
        else:
            np.copyto(part, first, casting="unsafe")
        return (whole, *results[1:])

    @staticmethod
    def recorded(node, g, writer, geometry):
        size, stride, offset = geometry.elements
        whole = g.clone()
        if geometry.dtype != geometry.base_dtype:
            raise NotImplementedError("rushlight cannot take a second derivative through a write to a view of another dtype"
                                      "\nThe nearest is torch.complex(real, imag) of new parts.")
        layout = geometry.dense()
        if whole._a.strides != layout.strides:      # as_strided speaks of the base's own layout
            whole = whole.clone()._with_layout(layout)
        part = whole.as_strided(size, stride, offset)
        results = run_writer(writer, part.clone(), True)
        if results[0] is None:
            part.zero_()
        else:
            part.copy_(results[0])
        return (whole, *results[1:])

    @staticmethod
    def free(node):
        if node.writer is not None and node.writer.plan.frees:
            node.writer.plan.free(node.writer)

    @staticmethod
    def saved_names():
        return ()

    @staticmethod
    def saved_attribute(node, name, raw=False):
        raise AttributeError(f"'CopySlices' object has no attribute '_saved_{name}'")


run_writer = None      # the engine's way of running one node; set when the engine is imported
as_strided_plan = None # the derivative of as_strided; set when its family is imported


def sync(view):
    """Bring a view's edge up to date with its base; True if it has a history of its own.

    RuntimeError where the base was written and the way the view was made does not allow to say what its history is now.
    """
    base = view._base
    cell = base._ver
    if view._view_version != cell[0]:
        if base._rg:
            if view._view_meta is not None:
                refuse(view, "its base or another view of its base has been")
            view._view_version = cell[0]
            geometry = Geometry(base._a, view._a)
            old = view._edge
            view._edge = as_strided_plan(base._edge or base, geometry)
            view._rg = True
            _move_watch(old, view, view._edge)
        else:
            view._view_version = cell[0]
    return view._rg is True


def refuse(view, modified):
    """Raise PyTorch's error for a view that cannot follow a write; ``modified`` says what was written, and how."""
    meta = view._view_meta
    edge = view._edge
    node = getattr(edge, "node", edge)
    if isinstance(node, Node):
        text = f"Output {getattr(edge, 'index', 0)} of {function_name(node.name())} is a view and {modified} modified inplace."
    elif meta == INFERENCE:
        text = f"A view was created in inference mode and {modified} modified inplace in normal mode."
    else:
        text = f"A view was created in no_grad mode and {modified} modified inplace with grad mode enabled."
    if meta == MULTI:
        text += (" This view is the output of a function that returns multiple views. Such functions do not allow the output views to "
                 "be modified inplace. You should replace the inplace operation by an out-of-place one.")
    elif meta == CUSTOM:
        text += (" This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
                 "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
                 "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.")
    else:
        block = "inference_mode" if meta == INFERENCE else "no_grad"
        text += (" Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the "
                 f"view and the inplace either both inside the {block} block (if you don't want the inplace to be tracked) or both outside "
                 "(if you want the inplace to be tracked).")
    raise RuntimeError(text)


def edge_of(tensor):
    """The edge that a consumer of ``tensor`` points to, or None."""
    rg = tensor._rg
    if not rg:
        return None
    if tensor._base is not None and not sync(tensor):
        return None
    return tensor._edge or tensor


def attach_view(view, base):
    """Make ``view`` (an array that shares memory with ``base``) a view of it for in-place purposes."""
    root = base._base
    if root is None:
        root = base
    view._base = root
    cell = root._ver
    if cell is None:
        cell = root._ver = [0]
    view._ver = cell
    view._view_version = cell[0]
    view._view_meta = None


def check_writable(tensor):
    """Raise PyTorch's errors for an in-place operator that would be recorded."""
    base = tensor._base
    if base is not None:
        sync(tensor)
    if tensor._rg is True and tensor._edge is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation."
                           "\nChange it under torch.no_grad(), or change a clone.")
    if base is None:
        return
    if base._rg and base._edge is None:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation."
                           "\nChange it under torch.no_grad(), or change a clone.")
    if tensor._view_meta is not None:
        refuse(tensor, "is being")


def rebase(tensor, node):
    """``node`` has just written ``tensor`` (the counter moved already): give it, or its base, the new history."""
    base = tensor._base
    if base is None:
        old = tensor._edge
        tensor._edge = node
        tensor._rg = True
        _move_watch(old, tensor, node)
        if modes.state.observer is not None:
            modes.state.observer.written(tensor, node)
        return
    slices = object.__new__(CopySlices)
    slices.plan = _CopySlicesPlan
    slices.edges = (base._edge or base if base._rg else None, *node.edges[1:])
    slices.saved, slices.guard = (), None
    slices.shape, slices.dtype = base._a.shape, base._a.dtype
    slices.watch = None
    slices.where = node.where
    slices.writer, slices.geometry = node, Geometry(base._a, tensor._a)
    slices.seq = _next_sequence()
    old = base._edge
    base._edge = slices
    base._rg = True
    _move_watch(old, base, slices)
    tensor._view_version = -1
    sync(tensor)
    if modes.state.observer is not None:
        modes.state.observer.written(tensor, node)


def _move_watch(old, tensor, new):
    """``retain_grad`` follows a tensor to its new value; hooks stay with the gradient of the old one."""
    node = getattr(old, "node", old)
    watch = getattr(node, "watch", None)
    if watch is None:
        return
    watch = node._watching()
    for i, ref in list((watch.retains or {}).items()):
        if ref() is tensor:
            del watch.retains[i]
            target, index = (new.node, new.index) if hasattr(new, "node") else (new, 0)
            target._watching().retains = {**(target._watching().retains or {}), index: ref}
