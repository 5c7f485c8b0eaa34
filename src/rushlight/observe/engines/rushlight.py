"""How rushlight itself is observed.

Operators take their long way while somebody records, which shows each call to ``modes.state.observer`` of the thread; a node's
``Watch`` shows the gradient, when it is final, to its ``observers``. Leaves tell through their post-accumulate hooks, which are
put in place here without ``modes.note_leaf_hook``: being told at the end of the pass is early enough, and the passes after
the recording must cost what they did before.
"""

import functools
import heapq
import sys
import threading
import weakref

import numpy as np

from ...autograd import modes, views
from ...autograd.graph import saved_tensors_hooks
from ...autograd.node import Hooks, Node, Out, function_name
from ...autograd.saved import Packed, PackedTensor
from ...dtypes import BY_NUMPY
from ...kernels.quiet import hush, unhush
from ...nn.modules.module import Module, register_module_forward_hook, register_module_forward_pre_hook
from ...nn.parameter import Parameter
from ...ops.table import namespaces
from ...optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from ...tensor import _PACKAGE, Tensor, wrap
from ..info import Info
from ..names import UNKNOWN, local_variables, place_of
from ..why import cut_story, step_made

name = "rushlight"
package = _PACKAGE
packages = (_PACKAGE,)
module_files = tuple(_PACKAGE + "nn/modules/" + f for f in ("module.py", "_hooks.py"))


class Observer:
    """What the operators of one thread are shown to: the recorders that are open in it. ``inside`` and ``newest`` (the number of
    the tensor that was shown last) belong to ``ops.seen``.
    """

    __slots__ = ("recorders", "inside", "newest")

    def __init__(self, recorders):
        self.recorders = recorders
        self.inside, self.newest = False, None

    def computed(self, op, values, tensors):
        where = None
        if tensors:
            self.newest = id(tensors[0])
            node = tensors[0]._edge
            if node is not None:
                if node.__class__ is Out:
                    node = node.node
                if node.code is not None:
                    where = node.code, node.at
        inputs = []
        for i in op.tensor_at:
            v = values[i]
            if isinstance(v, Tensor):
                inputs.append(v)
            elif v.__class__ is list or v.__class__ is tuple:
                inputs += [t for t in v if isinstance(t, Tensor)]
        name = _RENAMED.get(op.name) or (op.name.strip("_") if _is_public(op.name) else _asked_for(op.name))
        for recorder in self.recorders:
            recorder.computed(name, where, inputs, tensors)

    def written(self, tensor, node):
        writer = tensor._ver[-1] if tensor._ver is not None and len(tensor._ver) > 1 else None
        op = writer[0] if writer else function_name(node.name()).lower() + "_"
        behind = [e.node.seq if e.__class__ is Out else e.seq for e in node.edges if isinstance(e, (Out, Node))]
        self._show(op, node.where, [], [tensor], behind)
        if tensor._base is not None:
            self._show("copy_slices", node.where, [], [tensor._base], behind)

    def applied(self, cls, ctx, inputs, results):
        if not cls.__module__.startswith("rushlight.") or cls.__name__ == "CheckpointFunction":
            self._show(cls.__name__, ctx.where, inputs, results)

    def cut(self, tensor, result, op):
        self._show(op, None, [tensor], [result])

    def _show(self, *call):
        for recorder in self.recorders:
            recorder.computed(*call)

    # What errors of the backward pass ask: see ``autograd.blame``.

    def step_of(self, node):
        """(the step in which a node was made, the step at hand); (None, None) where no recorder knows."""
        for recorder in self.recorders:
            made = step_made(recorder.record, node.seq)
            if made is not None:
                return made, recorder.step
        return None, None

    def label(self, leaf):
        """A leaf's recorded name, or None."""
        return next((n for r in self.recorders for n, _, known in r.leaves if known is leaf and n != "leaf"), None)

    def cut_story(self, tensor):
        """A sentence that says where the way to a tensor was cut, or None."""
        return next((s for s in (cut_story(r.record, tensor) for r in self.recorders) if s is not None), None)


# What a program writes with brackets, and operators that PyTorch calls otherwise.
_RENAMED = dict.fromkeys(("basic_select", "basic_slice", "basic_unsqueeze", "basic_alias", "index"), "getitem")
_RENAMED |= {"constant_pad_nd": "pad"}


@functools.cache
def _is_public(name):
    """Whether a program can call this operator by its name. Others are parts of one: what normalizes in ``layer_norm``."""
    return not name.startswith("_") and (hasattr(Tensor, name) or any(name in space for space in namespaces.values()))


def _asked_for(name):
    """The public function, such as "layer_norm", that called an operator of our own; its own name if none did."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        called = frame.f_code.co_name
        if called == "wrapped":  # every composite's face, a closure over itself
            called = getattr(local_variables(frame).get(called), "__name__", called)
        if called in ("backward", "grad"):  # what a rule computes under create_graph
            break
        if _is_public(called):
            return called.strip("_")
        frame = frame.f_back
    return name.strip("_")


_paused: list = []  # recorders that are open and rest


def start(recorder):
    """Show the calls of this thread to one recorder more."""
    before = () if modes.state.observer is None else modes.state.observer.recorders
    modes.state.observer = Observer((*(r for r in before if r.open), recorder))
    modes.enter_special(recording=True)
    recorder.shown = True


def stop(recorder):
    """Only the recorder itself goes; one that was opened in another thread is no business of this one."""
    observer = modes.state.observer
    if observer is not None:
        rest = tuple(r for r in observer.recorders if r is not recorder)
        modes.state.observer = Observer(rest) if rest else None
    if recorder.shown:
        modes.leave_special(recording=True)
        recorder.shown = False
    if recorder in _paused:
        _paused.remove(recorder)


def pause(recorder):
    """Show nothing to a recorder for a while: operators cost again what they cost without it."""
    if recorder.shown:
        stop(recorder)
        _paused.append(recorder)


def resume(recorder):
    if recorder in _paused:
        _paused.remove(recorder)
        start(recorder)


def current():
    """The recorder that was opened last in this thread, or None."""
    observer = modes.state.observer
    if observer is not None:
        return observer.recorders[-1]
    return next((r for r in reversed(_paused) if r.thread == threading.get_ident()), None)


def guarded(hook):
    """A hook on a module, as it is: nothing of rushlight runs where it may not be called."""
    return hook


def hook_modules(enter, leave):
    """Call ``enter`` and ``leave`` around every module's ``forward``; returns handles."""
    return [register_module_forward_pre_hook(enter), register_module_forward_hook(leave, always_call=True)]


def hook_optimizers(before, after):
    """Call ``before`` and ``after`` around every optimizer's step; returns handles."""
    return [register_optimizer_step_pre_hook(before), register_optimizer_step_post_hook(after)]


# ---------------------------------------------------------------- tensors


def is_module(value):
    return isinstance(value, Module)


def is_tensor(value):
    return isinstance(value, Tensor)


def needs_grad(tensor):
    return views.edge_of(tensor) is not None


def is_leaf(tensor):
    return isinstance(views.edge_of(tensor), Tensor)


def history(tensor):
    """What tells the node that made a tensor from all others; False for a leaf, None for what needs no gradient."""
    edge = views.edge_of(tensor)
    if edge is None:
        return None
    if edge.__class__ is Out:
        edge = edge.node
    return edge.seq if isinstance(edge, Node) else False


def facts(tensor):
    """(shape, name of the dtype, which of its node's results it is)."""
    edge = tensor._edge
    array = tensor._a
    return array.shape, BY_NUMPY[array.dtype].name, edge.index if edge.__class__ is Out else 0


def is_measured(tensor):
    """Each can."""
    return True


def is_differentiable(tensor):
    kind = tensor._a.dtype.kind
    return kind in "fc" or kind == "V"


def array(value):
    """A tensor's (or a gradient's) own array."""
    return value._a if isinstance(value, Tensor) else np.asarray(value)


def dtype_name(tensor):
    return BY_NUMPY[tensor._a.dtype].name


def grad_enabled():
    return modes.state.grad


def in_backward():
    return modes.state.in_backward


def keeps_graph():
    """Whether the graph of the backward pass that runs is kept, so that more gradients may come."""
    walk = modes.state.walk
    return walk is not None and walk.keep


def is_parameter(tensor):
    return isinstance(tensor, Parameter)


def _node(tensor):
    edge = views.edge_of(tensor)
    return (edge.node, edge.index) if edge.__class__ is Out else (edge, 0)


def sequence(tensor):
    node = _node(tensor)[0]
    return node.seq if isinstance(node, Node) else None


def output_number(tensor):
    return _node(tensor)[1]


def node_name(tensor):
    """The operator that made a tensor, from the name of its node."""
    node = _node(tensor)[0]
    return function_name(node.name().rpartition("::")[2]).lower() if isinstance(node, Node) else None


# ---------------------------------------------------------------- the graph


def graph_root(tensor):
    """Where the graph behind a tensor begins: a node, a leaf, or None."""
    edge = views.edge_of(tensor)
    return edge.node if edge.__class__ is Out else edge


def identity(item):
    """What tells a node or leaf from all others."""
    return item.seq if isinstance(item, Node) else id(item)


def walk(root):
    """The nodes from a root, newest first, then the leaves."""
    if isinstance(root, Tensor):
        return [root]
    found, leaves, seen, heap = [], {}, {root}, [(-root.seq, root)]
    while heap:
        node = heapq.heappop(heap)[1]
        found.append(node)
        for edge in node.edges:
            item = edge.node if edge.__class__ is Out else edge
            if isinstance(item, Tensor):
                leaves[id(item)] = item
            elif item is not None and item not in seen:
                seen.add(item)
                heapq.heappush(heap, (-item.seq, item))
    return found + list(leaves.values())


def describe(item):
    """What ``graph`` shows of a node or leaf."""
    if isinstance(item, Tensor):
        return Info("leaf", "leaf", item._a.shape, UNKNOWN, 0, [], tensor=item)
    many = item.plan.outputs is not None
    op = function_name(item.name().rpartition("::")[2]).lower()
    inputs = [id(e.node if e.__class__ is Out else e) for e in item.edges if e is not None]
    return Info(
        "operator",
        op,
        list(item.shape) if many else item.shape,
        place_of(item.where),
        _saved_bytes(item),
        inputs,
        item.seq,
        weakref.ref(item),
    )


def _saved_bytes(node):
    held = getattr(node, "_kept", None) if node.saved == () else node.saved
    total, stack = 0, [held] if held.__class__ is not tuple else list(held)
    while stack:
        one = stack.pop()
        if isinstance(one, np.ndarray):
            total += one.nbytes
        elif isinstance(one, Tensor):
            total += one._a.nbytes
        elif isinstance(one, (list, tuple)):
            stack.extend(one)
        elif isinstance(one, Packed):
            stack.extend(one.entries)
        elif isinstance(one, PackedTensor) and isinstance(one.held, (Tensor, np.ndarray)):
            stack.append(one.held)
    return total


def saved_hooks(pack, unpack):
    """A context manager under which what operators save goes through ``pack``."""
    return saved_tensors_hooks(pack, unpack)


def saving():
    """The operator whose values are being packed."""
    return function_name(modes.state.saving or "")


def attach_node(node, index, see):
    watch = node._watching()
    if watch.observers is None:
        watch.observers = []
    watch.observers.append((index, see))


# ---------------------------------------------------------------- gradients


def attach(tensor, see):
    """Show ``see``, a method, the gradient of a tensor that is not a leaf."""
    edge = views.edge_of(tensor)
    if edge.__class__ is Node and edge.watch is None and edge.plan.outputs is None:
        edge.watch = see
    else:
        attach_node(*_node(tensor), see)


def hook_leaf(leaf, done):
    rare = leaf._rare()
    if rare.post_accumulate is None:
        rare.post_accumulate = Hooks()
    return _LeafHandle(leaf, rare.post_accumulate.add(done))


class _LeafHandle:
    """Takes the recorder's hook off a leaf, and what only it needed: the passes that come cost what they did before."""

    __slots__ = ("handle", "leaf")

    def __init__(self, leaf, handle):
        self.leaf, self.handle = weakref.ref(leaf), handle

    def remove(self):
        self.handle.remove()
        leaf = self.leaf()
        rare = None if leaf is None else leaf._extra
        if rare is not None and not rare.post_accumulate:
            rare.post_accumulate = None
            if all(getattr(rare, name) in (None, False) for name in rare.__slots__):
                leaf._extra = None


def grad_of(leaf):
    return leaf._grad


def size(grad):
    return array(grad).nbytes


def kept(grad):
    """A gradient to keep: arrays in transit are never written to, so they need no copy unless they hang on a larger one."""
    a = array(grad)
    return a.copy() if isinstance(grad, Tensor) or a.base is not None else a


def shelved(grad, shelf):
    """A copy of a gradient on the shelf, or None if the budget is spent."""
    return shelf.put(array(grad))


def write(whole, grad):
    """Write a gradient over one that is kept."""
    whole[...] = array(grad)


def add(old, grad):
    token = hush()
    try:
        return np.asarray(old + array(grad))
    finally:
        unhush(token)


def tensor(whole):
    return wrap(whole.copy())


def shown(grad):
    """A gradient as a callback gets it."""
    return wrap(array(grad).copy())
