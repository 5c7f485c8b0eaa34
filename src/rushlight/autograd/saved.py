"""What a node keeps for its rule, and how it is seen again.

In the ordinary case ``node.saved`` is a tuple of arrays and plain arguments. Three things make it more:

* *versions*: ``node.guard`` remembers the counters of the saved tensors' storages; a rule refuses to run on memory
  that was written since (``changed_error``);
* *create_graph*: the rule wants Tensors that lead back into the graph (``open_saved``): a saved input is wrapped with
  the edge its node already has, a saved result with the node itself, made anew each time, so nothing is kept alive;
* *saved-tensor hooks*: each saved tensor is packed when it is saved; ``node.saved`` is then a ``Packed``.
"""
import numpy as np

from ..tensor import Tensor, wrap
from . import blame, modes
from .node import Node, Out, function_name, make

FREED_ERROR = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward.")

# Kinds of saved entries, in `plan.kinds`: an input (its number among the edges), a result, an array of the op's own
# making, or a plain argument.
RESULT, EXTRA, PLAIN = -1, -2, -3


class Packed:
    """Saved entries of which tensors went through the pack hooks in force when they were saved."""

    __slots__ = ("entries", "unpack")

    def __init__(self, entries, unpack):
        self.entries, self.unpack = entries, unpack


class PackedTensor:
    """One packed tensor and how to get it back."""

    __slots__ = ("held", "unpack", "kind")

    def __init__(self, held, unpack):
        self.held, self.unpack = held, unpack

    def open(self):
        got = self.unpack(self.held)
        if not isinstance(got, Tensor):
            raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                            f"{type(got).__name__}\nunpack must return what stands for the packed tensor.")
        return got


class _Converted:
    """The plan of a leaf that was saved in another dtype than its own; the engine converts what it passes on back."""

    grad_name = "ToCopyBackward0"
    outputs = None
    saves = kinds = guarded = sources = ()
    whole_node = frees = False
    simple = True
    node_class = Node

    @staticmethod
    def backward(g, saved):
        return (g,)


def input_alias(array, edge, version=None):
    """A Tensor around a saved input's array, leading where that input leads."""
    if edge is None:
        return wrap(array)
    if isinstance(edge, Tensor):
        if edge._a is array:
            return edge
        edge = make(_Converted, (edge,), (), None, array.shape, array.dtype, None)
    made = wrap(array)
    made._rg = True
    made._edge = edge
    return made


def result_alias(node, array, index=0):
    """A Tensor around a saved result of ``node``; indices and other whole numbers lead nowhere."""
    made = wrap(array)
    if array.dtype.kind in "fcV":
        made._rg = True
        made._edge = node if node.plan.outputs is None else Out(node, index)
    return made


def open_saved(node, create):
    """The saved values for one run of a rule: Tensors with history if ``create``, else arrays."""
    saved = node.saved
    entries = saved.entries if saved.__class__ is Packed else saved
    opened = []
    for (kind, (_, at)), entry in zip(node.plan.sources, entries):
        opened.append(_open(node, kind, entry, create, at))
    return tuple(opened)


def _open(node, kind, entry, create, at=None):
    """One saved entry; ``at``: which of several results it is."""
    if entry.__class__ is PackedTensor:
        entry = entry.open()._a
    if kind == PLAIN:
        return entry
    if isinstance(entry, (list, tuple)):
        if kind >= 0:
            return [_open(node, kind + i, e, create) for i, e in enumerate(entry)]
        return [result_alias(node, e, i) if create and kind == RESULT else _open(node, EXTRA, e, create)
                for i, e in enumerate(entry)]
    if not create or entry is None or not isinstance(entry, np.ndarray):
        return entry
    if kind >= 0:
        return input_alias(entry, node.edges[kind])
    if kind == RESULT:
        return result_alias(node, entry, at)
    return wrap(entry)


def pack(node_plan, entries, tensors):
    """Run the pack hooks over the tensors among ``entries``; ``tensors[i]`` stands for entry i (None: plain)."""
    pack_hook, unpack_hook = modes.state.saved_hooks[-1]
    modes.state.saving = node_plan.grad_name
    packed = []
    for entry, tensor in zip(entries, tensors):
        packed.append(entry if tensor is None else pack_one(tensor, pack_hook, unpack_hook))
    return Packed(tuple(packed), unpack_hook)


def pack_one(tensor, pack_hook, unpack_hook):
    """One tensor through ``pack_hook``, which must not change it in place."""
    before = tensor._version
    stack, modes.state.saved_hooks = modes.state.saved_hooks, ()
    grad, modes.state.grad = modes.state.grad, False
    try:
        held = pack_hook(tensor)
    finally:
        modes.state.saved_hooks, modes.state.grad = stack, grad
    if tensor._version != before:
        raise RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
                           "hook cannot be modified by in-place operations as this can lead to unexpected side-effects. "
                           "Please open an issue if you need to perform in-place operations on the input to a pack hook."
                           "\nWork on a clone inside the pack hook.")
    return PackedTensor(held, unpack_hook)


def changed_error(node, position):
    """PyTorch's error for a saved value that was written since, and what is known of the writer."""
    cell, expected = node.guard[2 * position], node.guard[2 * position + 1]
    names = [n for n in node.plan.guarded]
    name = names[position] if position < len(names) else "?"
    entry = dict(zip(node.plan.saves, node.saved or ())).get(name)
    array = entry if isinstance(entry, np.ndarray) else None
    kind = dict(zip(node.plan.saves, node.plan.kinds)).get(name, PLAIN)
    source = None
    if kind == RESULT:
        source = f"output 0 of {function_name(node.name())}"
    elif kind >= 0 and len(cell) > 1 and cell[-1] and len(cell[-1]) > 2 and cell[-1][2]:
        source = f"output 0 of {function_name(cell[-1][2])}"      # the recorded in-place operator that made it what it is now
    elif kind >= 0:
        edge = node.edges[kind] if kind < len(node.edges) else None
        if isinstance(edge, Out):
            source = f"output {edge.index} of {function_name(edge.node.name())}"
        elif isinstance(edge, Node):
            source = f"output 0 of {function_name(edge.name())}"
    described = f"[torch.{array_type_name(array)} {list(array.shape)}]" if array is not None else "[]"
    produced = f", which is {source}," if source else ""
    text = ("one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"{described}{produced} is at version {cell[0]}; expected version {expected} instead.")
    if modes.state.anomaly:
        text += (" Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
                 "variable in question was changed in there or anywhere later. Good luck!")
    else:
        text += (" Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
                 "torch.autograd.set_detect_anomaly(True, check_nan=False).")
    role = "kept its own result" if kind == RESULT else f"kept its input '{name}'"
    edge = node.edges[kind] if 0 <= kind < len(node.edges) else None
    return blame.changed(text, node, role, cell, expected, array, edge)


_TYPE_NAMES = {"float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor", "bfloat16": "BFloat16Tensor",
               "int64": "LongTensor", "int32": "IntTensor", "int16": "ShortTensor", "int8": "CharTensor",
               "uint8": "ByteTensor", "bool": "BoolTensor", "complex64": "ComplexFloatTensor",
               "complex128": "ComplexDoubleTensor"}


def array_type_name(array):
    """PyTorch's old type name of an array's dtype, such as ``FloatTensor``."""
    return _TYPE_NAMES.get(array.dtype.name, array.dtype.name)
