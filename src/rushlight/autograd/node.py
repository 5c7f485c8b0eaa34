"""The graph: what a recorded operator leaves behind.

A ``Node`` is made for each recorded call. It points *backwards* only, through ``edges``, to whatever produced the
call's inputs, so there are no reference cycles: a graph dies with the last tensor that leads to it. An edge is

* a ``Node``: the (only) result of an earlier call;
* an ``Out``: one of several results of an earlier call;
* a leaf ``Tensor`` that requires grad: its gradient is accumulated there;
* ``None``: the input needs no gradient.

What a rule wants to see again is in ``saved``, plain arrays and plain arguments, in the order of ``plan.saves``; a call's
own result is saved as its array, never as the tensor that leads back here. ``guard`` holds the version counters of the
saved arrays and what they showed, pair after pair.

Sequence numbers grow with every node. An input's node is always older than its consumer's, so walking by falling
number never meets a node before all of its consumers.
"""
import collections
import itertools
import re
import types
import weakref

__all__ = ["Node", "Out", "Watch", "RemovableHandle"]

_next_sequence = itertools.count(1).__next__
_new = object.__new__


class Watch:
    """What somebody wants to see or change at one node. Most nodes have none (``node.watch is None``).

    ``tensor_hooks[i]``: ordered hooks of the i-th result; ``retains[i]``: weak reference to the tensor that keeps its
    gradient; ``pre`` and ``post``: hooks of the node itself; ``observers``: pairs (result number, function of the gradient as it is in
    transit) of ``rushlight.observe``.
    """

    __slots__ = ("tensor_hooks", "retains", "pre", "post", "observers")

    def __init__(self):
        self.tensor_hooks = None
        self.retains = None
        self.pre = None
        self.post = None
        self.observers = None


class OutputRef(weakref.ref):
    """A module's reference to its last output: weak, and ``strong`` once that output retains its gradient."""

    __slots__ = ("strong",)

    def __reduce__(self):
        return _nothing, ()          # neither copied nor pickled with its module


def _nothing():
    return None


class RemovableHandle:
    """Returned by every ``register_*`` method: ``remove()`` takes the hook away. Also a context manager.

    It holds the table of hooks weakly, so that keeping a handle keeps nothing else alive.
    """

    _next_id = itertools.count()
    __slots__ = ("id", "_table", "_extra", "__weakref__")

    def __init__(self, hooks, *, extra_dict=None):
        self.id = next(RemovableHandle._next_id)
        self._table = weakref.ref(hooks)
        extra = () if extra_dict is None else extra_dict if isinstance(extra_dict, list) else [extra_dict]
        self._extra = [weakref.ref(d) for d in extra]

    def remove(self):
        for ref in (self._table, *self._extra):
            table = ref()
            if table is not None:
                table.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def __getstate__(self):
        return self.id

    def __setstate__(self, state):
        self.id = state
        self._table, self._extra = weakref.ref(collections.OrderedDict()), []


class Hooks(collections.OrderedDict):
    """An ordered table of hooks that handles can point to weakly."""

    __slots__ = ()

    def __repr__(self):
        return repr(collections.OrderedDict(self))       # as PyTorch's, which is one

    def add(self, hook):
        handle = RemovableHandle(self)
        self[handle.id] = hook
        return handle


class Node:
    """A recorded call: ``tensor.grad_fn``.

    ``shape`` and ``dtype`` describe the result (lists of them when ``plan.outputs`` is not None), for fitting incoming
    gradients.
    """

    __slots__ = ("plan", "edges", "saved", "guard", "shape", "dtype", "watch", "seq", "code", "at", "_metadata",
                 "__weakref__")

    @property
    def where(self):
        """The place of the recorded call as ``user_place`` gives it, or None. (Kept in two slots: a tuple more in each node would be
        felt.)"""
        return None if self.code is None else (self.code, self.at)

    @where.setter
    def where(self, place):
        self.code, self.at = place if place is not None else (None, 0)

    def name(self):
        """The name PyTorch gives this node, such as ``MulBackward0``."""
        return self.plan.grad_name

    def __repr__(self):
        return f"<{self.name()} object at {hex(id(self))}>"

    @property
    def metadata(self):
        """A dictionary for the user's notes; under anomaly mode it holds ``traceback_``."""
        try:
            return self._metadata
        except AttributeError:
            self._metadata = {}
            return self._metadata

    def _sequence_nr(self):
        return self.seq

    @property
    def next_functions(self):
        """A tuple of (node, output number), one for each input of the recorded call; (None, 0) where none is needed."""
        return tuple(resolve(e) for e in self.edges)

    @property
    def _input_metadata(self):
        many = self.plan.outputs is not None
        return list(zip(self.shape, self.dtype)) if many else [(self.shape, self.dtype)]

    def _watching(self):
        """The node's ``Watch``, made if need be. A node of which only a gradient is retained has a bare weak reference instead, one
        that only a recording looks at the bare method that is to see the gradient.
        """
        watch = self.watch
        if watch.__class__ is not Watch:
            made = self.watch = Watch()
            if watch.__class__ is types.MethodType:
                made.observers = [(0, watch)]
            elif watch is not None:
                made.retains = {0: watch}
        return self.watch

    def register_hook(self, fn):
        """Call ``fn(grad_inputs, grad_outputs)`` after the node ran; it may return other grad_inputs. Returns a handle."""
        watch = self._watching()
        if watch.post is None:
            watch.post = Hooks()
        return watch.post.add(fn)

    def register_prehook(self, fn):
        """Call ``fn(grad_outputs)`` before the node runs; it may return other grad_outputs. Returns a handle."""
        watch = self._watching()
        if watch.pre is None:
            watch.pre = Hooks()
        return watch.pre.add(fn)

    def __getattr__(self, name):
        if name.startswith("_saved_"):
            return self.plan.saved_attribute(self, name[7:])
        if name.startswith("_raw_saved_"):
            return self.plan.saved_attribute(self, name[11:], raw=True)
        raise AttributeError(f"'{self.name()}' object has no attribute '{name}'")

    def __dir__(self):
        return sorted({*object.__dir__(self), *("_saved_" + n for n in self.plan.saved_names())})


class Out:
    """The ``index``-th result of a node that has several."""

    __slots__ = ("node", "index", "shape", "dtype", "__weakref__")

    def __init__(self, node, index):
        self.node, self.index = node, index
        self.shape, self.dtype = node.shape[index], node.dtype[index]


def make(plan, edges, saved, guard, shape, dtype, where):
    """A new Node with the newest sequence number."""
    node = _new(Node)
    node.plan = plan
    node.edges = edges
    node.saved = saved
    node.guard = guard
    node.shape = shape
    node.dtype = dtype
    node.watch = None
    node.code, node.at = where if where is not None else (None, 0)
    node.seq = _next_sequence()
    return node


def expose(node):
    """A node as users see it: of a class named after its operator.

    Nodes are made as plain ``Node``, because the interpreter's attribute caches serve one class well and many badly; a node
    gets its own class when somebody first asks for it.
    """
    if node.__class__ is Node:
        node.__class__ = node.plan.node_class
    return node


def function_name(name):
    """An operator's node without its ending: "Mul" of "MulBackward0", as error texts name it."""
    return re.sub(r"Backward\d*$", "", name)


def resolve(edge):
    """(grad_fn-like node, output number) of an edge; a leaf gives its AccumulateGrad."""
    if edge is None:
        return None, 0
    if type(edge) is Out:
        return expose(edge.node), edge.index
    if isinstance(edge, Node):
        return expose(edge), 0
    return accumulator(edge), 0


class AccumulateGrad:
    """The end of a path: adds what arrives to ``variable.grad``.

    The graph's edges lead to the leaf itself; this object is made when somebody asks for it, and the hooks registered
    on it live with the leaf, so no cycle arises.
    """

    __slots__ = ("variable", "_metadata", "__weakref__")
    edges = ()
    next_functions = ()
    metadata = Node.metadata

    def __init__(self, variable):
        self.variable = variable

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def __repr__(self):
        return f"<AccumulateGrad object at {hex(id(self))}>"

    def _sequence_nr(self):
        return 2 ** 64 - 1

    def register_hook(self, fn):
        return self.variable._rare().hooks("node_post").add(fn)

    def register_prehook(self, fn):
        return self.variable._rare().hooks("node_pre").add(fn)


def accumulator(leaf):
    """The leaf's AccumulateGrad: the same object as long as somebody holds it."""
    rare = leaf._rare()
    found = rare.accumulator and rare.accumulator()
    if found is None:
        found = AccumulateGrad(leaf)
        rare.accumulator = weakref.ref(found)
    return found
