"""How modules of the real PyTorch are observed.

A ``TorchFunctionMode`` shows each public call of the thread with its arguments and result; a pre-hook on the node that made a
tensor shows the gradient that ``retain_grad`` would keep. What the mode cannot see (custom Functions, what was made before the
recording) gets an entry when it is first used or returned by a module. What it must not look at stands in ``torch_limits``.
"""

import os
import sys
import threading
import warnings

import numpy as np
import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode

from ..names import place_of
from .rushlight import package as _own
from .torch_graph import describe as describe
from .torch_graph import graph_root as graph_root
from .torch_graph import identity as identity
from .torch_graph import walk as walk
from .torch_limits import apart, is_compiling, now, unmeasured

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
        if is_compiling() or all(r.busy for r in self.recorders):
            return result
        try:
            apart(self.show, func, args, kwargs or {}, result)
        except Exception as error:
            if any(isinstance(error, r.alarms) for r in self.recorders):
                raise
            for recorder in self.recorders:
                recorder._failed(error)
        return result

    def show(self, func, args, kwargs, result):
        called = _called(func)
        if called in _SILENT:
            return
        inputs = _tensors(args) + _tensors(tuple(kwargs.values()))
        inplace = called == "__setitem__" or called.endswith("_") and not called.endswith("__") or bool(kwargs.get("inplace"))
        if called == "__setitem__":
            result = args[0]
        outputs = _tensors((result,))
        why = now()
        for t in () if why is not None else (*inputs, *outputs):
            why = unmeasured(t)
            if why is not None:
                break
        if why is not None:
            if outputs:
                self.skip(why)
            return
        if inplace or kwargs.get("out") is not None:
            self._note_write(called, args[0] if inplace and args else kwargs.get("out"))
        known = {id(t) for t in inputs}
        made = [t for t in outputs if inplace or id(t) not in known]
        if not made and called not in ("backward", "grad"):
            return
        if inplace:
            self._written(called, inputs, made)
        else:
            self._tell(called.strip("_"), None, inputs, made)

    def skip(self, why):
        for recorder in self.recorders:
            if not recorder.busy:
                recorder.record._skip(why)

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


def guarded(hook):
    """A hook on a module, which is not called where the compiler would follow it, and is seen by no mode."""

    def called(*args):
        if not is_compiling():
            apart(hook, *args)

    return called


def hook_modules(enter, leave):
    """Call ``enter`` and ``leave`` around every module's ``forward``; returns handles."""
    warnings.filterwarnings("ignore", "Using `torch.compile\\(module\\)` when there are global hooks on modules")  # the hooks are ours
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
    try:
        node = tensor.grad_fn
    except RuntimeError:  # a view that was made under no_grad and then written: it has no history that could be asked for
        return None
    if node is None:
        return False if tensor.requires_grad else None
    return node._sequence_nr(), node.name()


def facts(tensor):
    """(shape, name of the dtype, which of its node's results it is)."""
    return tuple(tensor.shape), dtype_name(tensor), tensor.output_nr


def is_measured(tensor):
    """Whether a tensor's values and gradients can be looked at, now."""
    return not is_compiling() and now() is None and unmeasured(tensor) is None


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


# ---------------------------------------------------------------- the graph (more of it in torch_graph)


def saved_hooks(pack, unpack):
    """A context manager under which what operators save goes through ``pack``."""
    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


def saving():
    """PyTorch does not tell its hooks which operator saves."""
    return ""


def attach_node(node, index, see):
    """Show ``see`` the gradient of a node's result: after its hooks, as ``retain_grad`` sees it."""

    def before(grads):
        if grads[index] is not None and _is_seen(grads[index]):
            apart(see, grads[index])

    node.register_prehook(before)


# ---------------------------------------------------------------- gradients


def attach(tensor, see):
    """Show ``see`` the gradient of a tensor that is not a leaf."""
    attach_node(tensor.grad_fn, tensor.output_nr, see)


def _is_seen(*tensors):
    """Whether what comes to a hook can be measured; if not, it is counted."""
    if is_compiling():
        return False
    why = now()
    for t in tensors:
        if why is None and t is not None:
            why = unmeasured(t)
    if why is not None and (mode := _modes.get(threading.get_ident())) is not None:
        mode.skip(why)
    return why is None


def hook_leaf(leaf, done):
    def after(leaf):
        if _is_seen(leaf, leaf.grad):
            apart(done, leaf)

    return leaf.register_post_accumulate_grad_hook(after)


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
