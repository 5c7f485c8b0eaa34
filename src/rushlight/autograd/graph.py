"""Looking at the graph, and deciding how saved tensors are kept."""
import collections.abc
import contextlib
import threading
import weakref

from ..tensor import Tensor, wrap
from . import modes
from .api import GradientEdge, get_gradient_edge
from .node import AccumulateGrad, RemovableHandle
from .node import Node as _Node

__all__ = ["saved_tensors_hooks", "save_on_cpu", "disable_saved_tensors_hooks", "register_multi_grad_hook",
           "allow_mutation_on_saved_tensors", "retaining", "Node", "GradientEdge", "get_gradient_edge", "increment_version"]


class _NodeMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, (_Node, AccumulateGrad)) if cls is Node else type.__instancecheck__(cls, instance)

    def __subclasscheck__(cls, subclass):
        return issubclass(subclass, (_Node, AccumulateGrad)) if cls is Node else type.__subclasscheck__(cls, subclass)


class Node(metaclass=_NodeMeta):
    """What every ``grad_fn`` is an instance of: ``name``, ``metadata``, ``next_functions``, ``register_hook``,
    ``register_prehook``. For ``isinstance`` only.
    """

    def __new__(cls, *args, **kwargs):
        raise TypeError("Can't instantiate abstract class Node\nNodes are made by recording operators.")


def increment_version(tensor):
    """Count a change of the tensor's memory that was made behind autograd's back (a Tensor or several)."""
    several = (tensor,) if isinstance(tensor, Tensor) else tensor
    if not isinstance(several, collections.abc.Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input"
                           f"\nIt got {type(tensor).__name__}.")
    for t in several:
        t._bump(("increment_version", None))


class saved_tensors_hooks:
    """Context manager: tensors that are saved for backward inside go through ``pack_hook``, and come back through
    ``unpack_hook`` when a rule needs them.

    ``pack_hook(tensor)`` returns anything; ``unpack_hook`` of that returns a tensor of the same content.

    Example::

        >>> import rushlight as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
        ...     y = x.exp()
        >>> y.sum().backward()
        >>> x.grad
        tensor([2.7183, 2.7183])
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        if modes.state.saved_hooks_error is not None:
            raise RuntimeError(modes.state.saved_hooks_error)
        modes.enter_special()
        modes.state.saved_hooks += ((self.pack_hook, self.unpack_hook),)
        return self

    def __exit__(self, *_):
        modes.state.saved_hooks = modes.state.saved_hooks[:-1]
        modes.leave_special()


class retaining:
    """Context manager: the tensors given retain their gradients inside, and at its end again only those that did before.

    What their ``.grad`` holds then stays. RuntimeError for a tensor that does not require grad. PyTorch has no such thing.

    Example::

        >>> import rushlight as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> y = x * 3
        >>> with torch.autograd.graph.retaining(y):
        ...     (y * 2).sum().backward()
        >>> y.grad, y.retains_grad
        (tensor([2., 2.]), False)
    """

    def __init__(self, *tensors):
        self.tensors, self._asked = tensors, []

    def __enter__(self):
        try:
            for t in self.tensors:
                if not t.retains_grad:
                    t.retain_grad()
                    self._asked.append(t)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        while self._asked:
            self._asked.pop().retain_grad(False)


class save_on_cpu(saved_tensors_hooks):
    """Keeps saved tensors in CPU memory of their own: here, a copy of each."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: wrap(tensor._a.copy()), lambda packed: packed)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Inside, using ``saved_tensors_hooks`` raises RuntimeError with this message."""
    state = modes.state
    if state.saved_hooks:
        raise RuntimeError(error_message)
    before, state.saved_hooks_error = state.saved_hooks_error, error_message
    modes.enter_special()
    try:
        yield
    finally:
        state.saved_hooks_error = before
        modes.leave_special()


class _MultiHandle(RemovableHandle):
    __slots__ = ("handles",)

    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()

    def __getstate__(self):
        return self.handles

    def __setstate__(self, state):
        self.handles = state


def _register_on(given, hook):
    if isinstance(given, Tensor):
        return given.register_hook(hook)
    node, index = given.node, given.output_nr
    if isinstance(node, AccumulateGrad):
        return node.variable.register_hook(hook)
    return node.register_prehook(lambda grads: hook(grads[index]))


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call ``fn`` once per backward pass: with all gradients (None where there was none) when the last of them came
    (``mode="all"``), or with the first that came (``mode="any"``). Returns a handle.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    lock = threading.Lock()
    tensors = tuple(tensors)
    if mode == "any":
        seen = {}

        def first(grad):
            walk = modes.state.walk
            with lock:
                if seen.get("walk") is walk:
                    return
                seen["walk"] = walk
            fn(grad)
        return _MultiHandle(tuple(_register_on(t, first) for t in tensors))
    nodes = [get_gradient_edge(t) if isinstance(t, Tensor) else t for t in tensors]
    buffers = weakref.WeakKeyDictionary()

    def inner(i):
        def hook(grad):
            walk = modes.state.walk
            with lock:
                if walk not in buffers:
                    buffers[walk] = [0, [None] * len(tensors), sum(walk.will_reach(n) for n in nodes)]
                entry = buffers[walk]
                entry[1][i] = grad
                entry[0] += 1
                complete = entry[0] == entry[2]
            if complete:
                fn(entry[1])
                del buffers[walk]
        return hook
    return _MultiHandle(tuple(_register_on(t, inner(i)) for i, t in enumerate(tensors)))


class _AllowMutationOnSavedContext:
    """What ``allow_mutation_on_saved_tensors`` yields; ``clear()`` forgets the copies."""

    def __init__(self):
        self.open = True
        self.copies = collections.OrderedDict()

    def clear(self):
        self.copies.clear()


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """Inside, tensors saved for backward may be changed in place: backward uses the content at the time of saving.

    Each saved tensor is copied when it is saved. The graph must be used inside too.
    """
    context = _AllowMutationOnSavedContext()

    def pack(tensor):
        return wrap(tensor._a.copy())

    def unpack(packed):
        if not context.open:
            raise AssertionError("Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph "
                                 "was originally recorded.")
        return packed
    try:
        with saved_tensors_hooks(pack, unpack):
            if modes.state.mutation_allowed:
                raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
            modes.state.mutation_allowed = True
            try:
                yield context
            finally:
                modes.state.mutation_allowed = False
    finally:
        context.open = False
        context.clear()


