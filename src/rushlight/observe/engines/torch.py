"""How modules of the real PyTorch are observed.

A ``TorchFunctionMode`` shows each public call of the thread with its arguments and result; a pre-hook on the node that made a
tensor shows the gradient that ``retain_grad`` would keep. What the mode cannot see (custom Functions, what was made before the
recording) gets an entry when it is first used or returned by a module.
"""

import os
import sys
import threading

import numpy as np
import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode

from ..info import Info
from ..names import UNKNOWN, place_of
from .rushlight import package as _own

name = "torch"
package = os.path.dirname(torch.__file__) + os.sep
packages = (package, _own)
module_files = tuple(os.path.join(package, "nn", "modules", f) for f in ("module.py",))
_modes: dict = {}  # thread -> its mode


class _Mode(TorchFunctionMode):
    """Shows the calls of one thread to the recorders that are open in it."""

    def __init__(self):
        super().__init__()
        self.recorders = ()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if not all(r.busy for r in self.recorders):
            self.show(func, args, kwargs, result)
        return result

    def show(self, func, args, kwargs, result):
        called = _called(func)
        if called in _SILENT:
            return
        inplace = called == "__setitem__" or called.endswith("_") and not called.endswith("__") or bool(kwargs and kwargs.get("inplace"))
        if inplace or kwargs and kwargs.get("out") is not None:
            self._note_write(called, args[0] if inplace and args else (kwargs or {}).get("out"))
        inputs = _tensors(args) + _tensors(tuple((kwargs or {}).values()))
        if called == "__setitem__":
            result = args[0]
        outputs = _tensors((result,))
        known = {id(t) for t in inputs}
        made = [t for t in outputs if inplace or id(t) not in known]
        if not made and called not in ("backward", "grad"):
            return
        if inplace:
            self._written(called, inputs, made)
        else:
            self._tell(called.strip("_"), None, inputs, made)

    def _written(self, called, inputs, made):
        made = made[:1]
        try:
            if not made or made[0].grad_fn is None:
                return
        except RuntimeError:  # a view that was made under no_grad and then written: it has no history that could be asked for
            return
        self._tell(called, None, [t for t in inputs if t is not made[0]], made)
        if made[0]._base is not None:
            self._tell("copy_slices", None, [], [made[0]._base])

    def _note_write(self, called, target):
        """Remember what was written, for the error that may come of it: see ``writes``."""
        grad = torch.is_grad_enabled()
        written = [t for t in _tensors((target,)) if (grad or t.requires_grad) and t.layout is torch.strided]
        members = tuple((storage(t), tuple(t.shape)) for t in written if t.numel())
        if not members:
            return
        frame, op = sys._getframe(1), called
        while frame.f_back is not None and frame.f_code.co_filename.startswith(packages):
            if frame.f_code.co_name == "step" and isinstance(frame.f_locals.get("self"), torch.optim.Optimizer):
                op = f"{type(frame.f_locals['self']).__name__}.step"
            frame = frame.f_back
        place = place_of((frame.f_code, frame.f_lasti))
        for recorder in self.recorders:
            recorder.record._writes.note(op, place, recorder.step, members)

    def _tell(self, *call):
        for recorder in self.recorders:
            recorder.computed(*call)


_SILENT = {
    "__get__",
    "__set__",
    "size",
    "dim",
    "numel",
    "item",
    "tolist",
    "numpy",
    "register_hook",
    "retain_grad",
    "requires_grad_",
    "stride",
    "is_contiguous",
    "data_ptr",
    "register_post_accumulate_grad_hook",
    "__len__",
    "__bool__",
    "__float__",
    "__repr__",
}


def _called(func):
    found = getattr(func, "__name__", type(func).__name__)
    if found == "__get__":
        owner = getattr(getattr(func, "__self__", None), "__name__", "")
        return owner if owner in ("T", "mT", "H", "mH", "real", "imag", "data") else found
    return found


def _tensors(values):
    found = []
    for v in values:
        if isinstance(v, torch.Tensor):
            found.append(v)
        elif isinstance(v, (list, tuple)):
            found += _tensors(v)
    return found


def start(recorder):
    """Show the calls of this thread to one recorder more."""
    mode = _modes.get(recorder.thread)
    if mode is None:
        mode = _modes[recorder.thread] = _Mode()
        mode.__enter__()
    mode.recorders = (*(r for r in mode.recorders if r.open), recorder)


def stop(recorder):
    """The last recorder of a thread takes the mode away."""
    mode = _modes.get(recorder.thread)
    if mode is None or recorder not in mode.recorders:
        return
    mode.recorders = tuple(r for r in mode.recorders if r is not recorder)
    if not mode.recorders and recorder.thread == threading.get_ident():
        del _modes[recorder.thread]
        mode.__exit__(None, None, None)


def pause(recorder):
    """Nothing: a mode is taken away by those inside of it only. The recorder itself looks away."""


def resume(recorder):
    """Nothing: see ``pause``."""


def current():
    """The recorder that was opened last in this thread, or None."""
    mode = _modes.get(threading.get_ident())
    return mode.recorders[-1] if mode is not None and mode.recorders else None


def hook_modules(enter, leave):
    """Call ``enter`` and ``leave`` around every module's ``forward``; returns handles."""
    return [register_module_forward_pre_hook(enter), register_module_forward_hook(leave, always_call=True)]


def hook_optimizers(before, after):
    """Call ``before`` and ``after`` around every optimizer's step; returns handles."""
    return [register_optimizer_step_pre_hook(before), register_optimizer_step_post_hook(after)]


# ---------------------------------------------------------------- tensors


def is_module(value):
    return isinstance(value, torch.nn.Module)


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def needs_grad(tensor):
    return tensor.requires_grad


def is_leaf(tensor):
    return tensor.is_leaf


def history(tensor):
    """What tells the node that made a tensor from all others; False for a leaf, None for what needs no gradient."""
    node = tensor.grad_fn
    if node is None:
        return False if tensor.requires_grad else None
    return node._sequence_nr(), node.name()


def facts(tensor):
    """(shape, name of the dtype, which of its node's results it is)."""
    return tuple(tensor.shape), dtype_name(tensor), tensor.output_nr


def is_differentiable(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def array(value):
    """A NumPy array of a tensor or gradient; types that NumPy lacks as float32."""
    if isinstance(value, np.ndarray):
        return value
    value = value.detach()
    if value.layout is not torch.strided:
        value = value.to_dense()
    if value.dtype is torch.bfloat16 or value.dtype.itemsize == 1 and value.dtype.is_floating_point:
        value = value.float()
    return value.resolve_conj().resolve_neg().cpu().numpy()


def dtype_name(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def grad_enabled():
    return torch.is_grad_enabled()


def in_backward():
    return torch._C._current_graph_task_id() != -1


def sequence(tensor):
    node = tensor.grad_fn
    return None if node is None else (node._sequence_nr(), node.name())


def storage(tensor):
    """What tells a tensor's memory from all other that lives."""
    return tensor.untyped_storage().data_ptr()


def output_number(tensor):
    return tensor.output_nr


def node_name(tensor):
    node = tensor.grad_fn
    return None if node is None else node.name().rpartition("::")[2].partition("Backward")[0].lower()


# ---------------------------------------------------------------- the graph


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


def saved_hooks(pack, unpack):
    """A context manager under which what operators save goes through ``pack``."""
    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


def saving():
    """PyTorch does not tell its hooks which operator saves."""
    return ""


def attach_node(node, index, see):
    """Show ``see`` the gradient of a node's result: after its hooks, as ``retain_grad`` sees it."""

    def before(grads):
        if grads[index] is not None:
            see(grads[index])

    node.register_prehook(before)


# ---------------------------------------------------------------- gradients


def attach(tensor, see):
    """Show ``see`` the gradient of a tensor that is not a leaf."""
    attach_node(tensor.grad_fn, tensor.output_nr, see)


def hook_leaf(leaf, done):
    return leaf.register_post_accumulate_grad_hook(done)


def grad_of(tensor):
    """A tensor's ``.grad``, without PyTorch's warning about those that cannot have one."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def size(grad):
    return grad.numel() * grad.element_size()


_NUMPYS = {torch.float32, torch.float64, torch.float16, torch.complex64, torch.complex128}


def keeps_graph():
    """Whether the graph of the backward pass that runs is kept, so that more gradients may come."""
    return torch._C._autograd._get_current_graph_task_keep_graph()


def is_parameter(tensor):
    return isinstance(tensor, torch.nn.Parameter)


def kept(grad):
    """A gradient to keep."""
    return grad.detach().clone()


def shelved(grad, shelf):
    """A copy of a gradient on the shelf, or None if the budget is spent."""
    if grad.dtype in _NUMPYS and grad.layout is torch.strided and grad.device.type == "cpu":
        made = shelf.put(array(grad))
        return None if made is None else torch.from_numpy(made)
    if not shelf.budget.take(size(grad)):
        return None
    return grad.detach().clone()


def write(whole, grad):
    """Write a gradient over one that is kept."""
    whole.copy_(grad.detach())


def add(old, grad):
    return old + grad.detach()


def tensor(whole):
    return whole.clone()


def shown(grad):
    return grad.detach().clone()
