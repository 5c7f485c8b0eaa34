"""The graph behind a tensor of PyTorch: its nodes in order, and what ``graph`` shows of each."""

import torch

from ..info import Info
from ..names import UNKNOWN

__all__ = ["graph_root", "identity", "walk", "describe"]


def graph_root(tensor):
    """Where the graph behind a tensor begins: a node, or None."""
    if tensor.grad_fn is not None:
        return tensor.grad_fn
    return torch.autograd.graph.get_gradient_edge(tensor).node if tensor.requires_grad else None


def identity(item):
    """What tells a node from all others, as long as its graph lives."""
    return id(item.variable) if hasattr(item, "variable") else (item._sequence_nr(), item.name())


def walk(root):
    """The nodes from a root, each before what it came from, the leaves last."""
    waiting, stack, seen = {root: 0}, [root], {root}
    while stack:
        for node, _ in stack.pop().next_functions:
            if node is not None:
                waiting[node] = waiting.get(node, 0) + 1
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
    found, leaves, ready = [], [], [root]
    while ready:
        node = ready.pop()
        (leaves if hasattr(node, "variable") else found).append(node)
        for following, _ in reversed(node.next_functions):
            if following is not None:
                waiting[following] -= 1
                if not waiting[following]:
                    ready.append(following)
    return found + leaves


def describe(item):
    """What ``graph`` shows of a node. It is held as long as the ``Graph``: PyTorch's nodes have no weak references."""
    inputs = [id(node) for node, _ in item.next_functions if node is not None]
    if hasattr(item, "variable"):
        return Info("leaf", "leaf", tuple(item.variable.shape), UNKNOWN, 0, inputs, tensor=item.variable)
    op = item.name().rpartition("::")[2].partition("Backward")[0].lower()
    shapes = [None if m is None else tuple(m.shape) for m in item._input_metadata]
    return Info(
        "operator",
        op,
        shapes[0] if len(shapes) == 1 else shapes,
        UNKNOWN,
        _saved_bytes(item),
        inputs,
        (item._sequence_nr(), item.name()),
        lambda: item,
    )


def _saved_bytes(node):
    """Bytes of the saved tensors, except those under saved-tensor hooks: they are kept in whatever form the hooks chose."""
    total = 0
    for attribute in dir(node):
        if attribute.startswith("_raw_saved_"):
            raw = getattr(node, attribute)
            for one in raw if isinstance(raw, (list, tuple)) else [raw]:
                if one is not None and one.unpack_hook is None and one.data is not None:
                    total += one.data.numel() * one.data.element_size()
    return total
