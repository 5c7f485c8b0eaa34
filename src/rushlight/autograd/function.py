"""User-defined differentiable functions: ``Function`` and its ``ctx``.

``ctx`` *is* the graph's node, as in PyTorch: a ``Node`` with a dictionary for the user's attributes. Saved tensors are kept so
that no cycle arises: an input as itself (the graph points to it anyway), the function's own result as its array, anything else
as a tensor without history.
"""
import functools
import inspect
import traceback
import warnings

import numpy as np

from ..tensor import Tensor, describe_place, user_place, wrap
from . import blame, modes, saved, views
from .engine import as_tensor
from .node import Node, Out, _next_sequence, function_name, resolve

__all__ = ["Function", "FunctionCtx", "once_differentiable", "NestedIOFunction", "InplaceFunction"]


class FunctionCtx:
    """What ``forward`` and ``backward`` of a ``Function`` share."""

    def save_for_backward(self, *tensors):
        """Keep tensors (or None) for ``backward``, which finds them in ``saved_tensors``; call it once, in forward.

        Only inputs and outputs have history in a second derivative. A second derivative that leads through anything else of a
        floating type raises RuntimeError: its part would be missing.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for ``jvp``. Forward-mode differentiation does not exist in rushlight: they are only held."""
        for t in tensors:
            if not isinstance(t, Tensor) and t is not None:
                raise AssertionError("save_for_forward expects all arguments to be tensors or None; you should save "
                                     "non-tensors as attributes on ctx.")
        self.saved_for_forward = tensors

    def mark_dirty(self, *args):
        """Say which inputs ``forward`` changed in place; each must be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Say which outputs never get a gradient."""
        self.non_differentiable = args

    def mark_shared_storage(self, *pairs):
        warnings.warn("mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that calls "
                      "to `set_()` are not tracked", FutureWarning, stacklevel=2)

    def set_materialize_grads(self, value):
        """Whether missing gradients reach ``backward`` as zeros (the default) or as None."""
        self.materialize_grads = value


class _FunctionPlan:
    """How the engine runs the nodes of one Function."""

    outputs = True
    whole_node = True
    simple = False
    frees = True
    saves = kinds = guarded = sources = ()

    def __init__(self, name):
        self.grad_name = name

    def backward(self, node, grads, create):
        return node._run(grads, create)

    @staticmethod
    def free(node):
        node._kept = None if node._kept else node._kept

    @staticmethod
    def saved_names():
        return ()

    @staticmethod
    def saved_attribute(node, name, raw=False):
        raise AttributeError(f"'{node.name()}' object has no attribute '_saved_{name}'\nA Function's are in saved_tensors.")


class FunctionNode(Node, FunctionCtx):
    """One call of a Function. Subclasses, one per Function, are called after it."""

    _forward_cls = None
    to_save = None
    saved_for_forward = None
    dirty_tensors = None
    non_differentiable = None
    materialize_grads = True
    clear_saved_tensors_on_access = False
    needs_input_grad = ()

    def __init__(self):
        self.edges = ()
        self.saved, self.guard = (), None
        self.shape, self.dtype = [], []
        self.watch = None
        self.where = None
        self.seq = 0
        self._kept = ()
        self._arguments = ()

    def __repr__(self):
        return f"<torch.autograd.function.{self.name()} object at {hex(id(self))}>"

    @property
    def requires_grad(self):
        return bool(self.edges)

    @property
    def saved_tensors(self):
        """The tensors given to ``save_for_backward``, with their history."""
        if self._kept is None:
            raise blame.freed(saved.FREED_ERROR, self)
        return tuple(self._open(i, k) for i, k in enumerate(self._kept))

    @property
    def saved_variables(self):
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def _open(self, position, kept):
        if kept is None:
            return None
        what, value, cell, version = kept
        if what == "packed":
            got = value.open()
            if isinstance(cell, int):                 # one of this node's own results
                return saved.result_alias(self, got._a, cell) if self.edges else got
            if cell == "aside":
                return self._stands_aside(got, position) if self._derived_again() else got
            return saved.input_alias(got._a, cell) if cell is not None else got
        if cell[0] != version:
            array = value if isinstance(value, np.ndarray) else value._a
            edge = Out(self, value[1]) if what == "output" else getattr(value, "_edge", None)
            source = "" if edge is None or isinstance(edge, Tensor) else \
                f", which is output {getattr(edge, 'index', 0)} of {function_name(resolve(edge)[0].name())},"
            text = ("one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"[torch.{saved.array_type_name(array)} {list(array.shape)}]{source} is at version {cell[0]}; expected version "
                    f"{version} instead. Hint: enable anomaly detection to find the operation that failed to compute its "
                    "gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).")
            raise blame.changed(text, self, f"saved it (number {position})", cell, version, array,
                                value if isinstance(value, Tensor) and edge is None else edge)
        if what == "output":
            index = kept[1][1]
            made = wrap(kept[1][0])
            made._ver = cell
            if self.edges:
                made._rg, made._edge = True, Out(self, index)
            return made
        return self._stands_aside(value, position) if what == "aside" and self._derived_again() else value

    def _derived_again(self):
        """Whether ``backward`` is running and is itself recorded."""
        return modes.state.in_backward and modes.state.grad and bool(self.edges)

    def _stands_aside(self, tensor, position):
        """A saved tensor that is neither input nor output, for a backward that is recorded: differentiating it is refused."""
        node = _Aside._backward_cls()
        node.edges, node.where, node.seq = self.edges, user_place(), _next_sequence()
        node.shape, node.dtype = [tensor._a.shape], [tensor._a.dtype]
        node.of = self.name(), position, describe_place(self.where)
        made = wrap(tensor._a)
        made._ver = tensor._cell()
        made._rg, made._edge = True, Out(node, 0)
        return made

    def _keep(self, outputs, inputs):
        """Turn ``to_save`` into what the node holds."""
        kept = []
        for i, t in enumerate(self.to_save or ()):
            if t is None:
                kept.append(None)
                continue
            if not isinstance(t, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type {type(t).__name__}"
                                "\nSave other things as attributes of ctx.")
            cell = t._cell()
            index = next((j for j, o in enumerate(outputs) if o is t), None)
            aside = t._rg is not True and index is None and views.edge_of(t) is None and t.dtype.category >= 2 \
                and not any(t is a for a in inputs)
            if modes.state.saved_hooks_error is not None:
                raise RuntimeError(modes.state.saved_hooks_error)
            if modes.state.saved_hooks:
                pack, unpack = modes.state.saved_hooks[-1]
                own = index is not None and isinstance(t._edge, Out) and t._edge.node is self
                modes.state.saving = self.name()
                kept.append(("packed", saved.pack_one(t, pack, unpack), index if own else "aside" if aside else views.edge_of(t), 0))
            elif index is not None and isinstance(t._edge, Out) and t._edge.node is self:
                kept.append(("output", _OutputArray((t._a, index)), cell, cell[0]))
            else:
                kept.append(("aside" if aside else "tensor", t, cell, cell[0]))
        self._kept = tuple(kept)
        self.to_save = None

    def _run(self, grads, create):
        cls = self._forward_cls
        shown = []
        for i, g in enumerate(grads):
            if g is None and self.materialize_grads and self.shape[i] is not None:
                g = np.zeros(self.shape[i], self.dtype[i])
            shown.append(as_tensor(g))
        rule = cls.vjp if cls.backward is Function.backward and cls.vjp is not Function.vjp else cls.backward
        returned = rule(self, *shown)
        results = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        given = self._arguments
        if len(results) > len(given) and all(r is None for r in results[len(given):]):
            results = results[:len(given)]
        if len(results) != len(given):
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients (expected {len(given)}, got "
                               f"{len(results)})\nbackward returns one gradient (or None) per argument of forward: "
                               f"{', '.join(_argument_names(cls, len(given)))}.")
        made = []
        for i, (r, is_tensor) in enumerate(zip(results, given)):
            if not is_tensor:
                if r is not None:
                    raise RuntimeError(f"function {self.name()} returned a gradient different than None at position {i + 1}, "
                                       "but the corresponding forward input was not a Variable\nReturn None there: it is the "
                                       f"argument '{_argument_names(cls, len(given))[i]}'.")
                continue
            if r is not None and not isinstance(r, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(r).__name__})\nbackward returns Tensors.")
            made.append(r if create or r is None else r._a)
        return made

    def name(self):
        return self.plan.grad_name

    def argument_name(self, position):
        """What ``forward`` calls its tensor argument of that number, for error texts."""
        tensors = [i for i, is_tensor in enumerate(self._arguments) if is_tensor]
        return _argument_names(self._forward_cls, len(self._arguments))[tensors[position]]

    def __getattr__(self, name):
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _argument_names(cls, count):
    """What ``forward`` calls its arguments, for error texts."""
    parameters = list(inspect.signature(cls.forward).parameters.values())
    if cls.setup_context is Function.setup_context:
        parameters = parameters[1:]
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    rest = next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), "argument")
    return names + [f"{rest}[{i}]" for i in range(count - len(names))]


class _OutputArray(tuple):
    """(array, output number) of a saved result."""

    @property
    def shape(self):
        return self[0].shape

    @property
    def _a(self):
        return self[0]


class _FunctionMeta(type):
    """Makes the class of a Function's nodes when the Function is defined."""

    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        plan = _FunctionPlan(name + "Backward")
        cls._backward_cls = type(name + "Backward", (FunctionNode,), {
            "plan": plan, "_forward_cls": cls, "__module__": "torch.autograd.function"})


class Function(FunctionCtx, metaclass=_FunctionMeta):
    """Base class of user-defined differentiable functions: static ``forward`` and ``backward``, called through ``apply``.

    Either ``forward(ctx, *args)``, or ``forward(*args)`` with ``setup_context(ctx, inputs, output)``.

    Example::

        >>> import rushlight as torch
        >>> class Cube(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x ** 3
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         x, = ctx.saved_tensors
        ...         return g * 3 * x ** 2
        >>> x = torch.tensor(2., requires_grad=True)
        >>> Cube.apply(x).backward()
        >>> x.grad
        tensor(12.)
    """

    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        warnings.warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
                      "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
                      "version of PyTorch.", DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
                           "function with static forward method. (Example: "
                           "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the result(s); override."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fill ``ctx`` when ``forward`` does not take it; override."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Return the gradient of each argument of ``forward``; override."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom autograd.Function to use "
                                  "it with backward mode AD.")

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with forward mode "
                                  "AD.")

    @staticmethod
    def vmap(info, in_dims, *args):
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap static method or set "
                                  "generate_vmap_rule=True.")

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call the function on ``args``; the results are recorded if gradients are on and an argument requires grad."""
        separate = cls.setup_context is not Function.setup_context
        if separate:
            args = _bind_defaults(cls.forward, args, kwargs)
        ctx = cls._backward_cls()
        needs = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        ctx.needs_input_grad = needs
        state = modes.state
        recorded = state.grad and True in needs
        edges = tuple(views.edge_of(a) for a in args if isinstance(a, Tensor))
        before, state.grad = state.grad, False
        try:
            if separate:
                raw = cls.forward(*args)
                cls.setup_context(ctx, args, raw)
            else:
                raw = cls.forward(ctx, *args, **kwargs)
        finally:
            state.grad = before
        ctx._arguments = tuple(isinstance(a, Tensor) for a in args)
        return _wrap_results(cls, ctx, args, raw, edges, recorded)


def _bind_defaults(forward, args, kwargs):
    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


def _wrap_results(cls, ctx, args, raw, edges, recorded):
    single = not isinstance(raw, tuple)
    if isinstance(raw, list):
        return raw
    given = (raw,) if single else raw
    tensors = [o for o in given if isinstance(o, Tensor)]
    inputs = [a for a in args if isinstance(a, Tensor)]
    dirty = list(ctx.dirty_tensors or ())
    fixed = list(ctx.non_differentiable or ())
    for i, d in enumerate(dirty):
        if not isinstance(d, Tensor):
            raise RuntimeError(f"mark_dirty can only accept variables, but argument {i} is of type {type(d).__name__}")
    for f in fixed:
        if not isinstance(f, Tensor):
            raise RuntimeError(f"mark_non_differentiable only accepts variable arguments, but got {type(f).__name__}")
    for d in dirty:
        if not any(d is o for o in tensors):
            raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. The inputs "
                               "that are modified inplace must all be outputs of the Function.")
    if recorded:
        ctx.edges = edges
        ctx.where = user_place()
        ctx.seq = _next_sequence()
        if modes.state.anomaly:
            ctx.metadata["traceback_"] = traceback.format_stack()[:-2]
            ctx.metadata["parent_"] = modes.state.running
    ctx.shape = [o._a.shape if isinstance(o, Tensor) else None for o in given]
    ctx.dtype = [o._a.dtype if isinstance(o, Tensor) else None for o in given]
    results = []
    for index, o in enumerate(given):
        if not isinstance(o, Tensor):
            results.append(o)
            continue
        is_input = any(o is a for a in inputs)
        is_dirty = any(o is d for d in dirty)
        differentiable = recorded and o.dtype.category >= 2 and not any(o is f for f in fixed)
        results.append(_finish(cls, ctx, o, index, is_input, is_dirty, differentiable, inputs, len(given)))
    ctx._keep([r if isinstance(r, Tensor) else None for r in _aligned(ctx, given, results)], inputs)
    ctx.dirty_tensors = ctx.non_differentiable = None
    if recorded and modes.state.observer is not None:
        modes.state.observer.applied(cls, ctx, inputs, [r for r in results if isinstance(r, Tensor)])
    return results[0] if single else tuple(results)


def _aligned(ctx, given, results):
    """What save_for_backward named: an output that had to be wrapped anew is saved as its new self."""
    swap = {id(g): r for g, r in zip(given, results) if isinstance(g, Tensor)}
    if ctx.to_save is not None:
        inputs_kept = [t for t in ctx.to_save]
        ctx.to_save = tuple(swap[id(t)] if isinstance(t, Tensor) and id(t) in swap and swap[id(t)] is not t
                            and not _was_input(t, swap) else t for t in inputs_kept)
    return results


def _was_input(t, swap):
    """An input that was returned as it is came back as a view of itself; what was saved is the input."""
    made = swap[id(t)]
    return made._base is not None and (made._base is t or made._base is t._base)


def _finish(cls, ctx, o, index, is_input, is_dirty, differentiable, inputs, count):
    """History for one result, by PyTorch's rules."""
    if is_dirty:
        if differentiable and o._base is not None:
            if o._view_meta is not None:
                views.refuse(o, "is being")
            views.check_writable(o)
        if o.requires_grad and o.is_leaf and differentiable:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation."
                               "\nMark only what may be changed, or call it under no_grad.")
        if not is_input:
            warnings.warn("Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no need "
                          "to pass it to mark_dirty().", UserWarning, stacklevel=4)
        if o._base is not None and count > 1:
            raise RuntimeError("If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                               "return more than one Tensor. This is not supported by the current autograd engine. You should "
                               "either make sure the input is not a view (using .clone() for example) or make your Function only "
                               "return one Tensor (potentially splitting it into two Functions: one doing the inplace that returns "
                               "a single Tensor and a second one that does the other operations). You can ask on the forum "
                               "https://discuss.pytorch.org/ if you need help to do this change.")
        o._bump((cls.__name__, user_place()))
        if differentiable:
            o._grad = None
            _give_history(ctx, o, index)
        return o
    if is_input:
        made = wrap(o._a)
        views.attach_view(made, o)
        made._rg = views.UNSURE
        made._view_meta = views.CUSTOM if count == 1 else views.MULTI
        if differentiable:
            made._rg, made._edge = True, Out(ctx, index)
        elif not modes.state.grad or not o.requires_grad:
            made._view_meta = o._view_meta if o._base is not None else None
        if not differentiable:
            made = made if not o.requires_grad else made.detach()
        return made
    if not differentiable:
        if o._edge is not None or o._rg is True:
            return o.detach()
        return o
    o._rg, o._edge = True, Out(ctx, index)
    if o._base is not None:
        o._view_version = o._base._cell()[0]
        if any(o._base is a or o._base is a._base for a in inputs):
            o._view_meta = views.CUSTOM if count == 1 else views.MULTI
    return o


def _give_history(ctx, o, index):
    """A dirty input's new history; if it is a view, its base's."""
    if o._base is None:
        old = o._edge
        o._rg, o._edge = True, Out(ctx, index)
        views._move_watch(old, o, o._edge)
    else:
        views.rebase(o, _SingleOutput(ctx, index))


class _SingleOutputPlan:
    """Lets a Function with one result stand where a node with a plain result is expected."""

    outputs = None
    whole_node = True
    simple = False
    frees = True
    saves = kinds = guarded = sources = ()

    def __init__(self, name):
        self.grad_name = name

    @staticmethod
    def backward(node, g, create):
        grads = [None] * len(node.inner.shape)
        grads[node.index] = g
        return node.inner._run(grads, create)

    @staticmethod
    def free(node):
        node.inner.plan.free(node.inner)

    saved_names = staticmethod(lambda: ())
    saved_attribute = _FunctionPlan.saved_attribute


class _SingleOutput(Node):
    """See ``_SingleOutputPlan``."""

    __slots__ = ("inner", "index")

    def __init__(self, inner, index):
        self.plan = _SingleOutputPlan(inner.name())
        self.inner, self.index = inner, index
        self.edges, self.saved, self.guard, self.watch = inner.edges, (), None, None
        self.shape, self.dtype = inner.shape[index], inner.dtype[index]
        self.where, self.seq = inner.where, inner.seq


def once_differentiable(fn):
    """Decorate a ``backward`` that works on plain numbers: differentiating its results raises RuntimeError."""
    @functools.wraps(fn)
    def wrapper(ctx, *args):
        before, modes.state.grad = modes.state.grad, False
        try:
            outputs = fn(ctx, *args)
        finally:
            modes.state.grad = before
        if not modes.state.grad or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs
        single = not isinstance(outputs, tuple)
        wrapped = tuple(_Delayed.apply(o, *[a for a in args if isinstance(a, Tensor) and a.requires_grad])
                        if isinstance(o, Tensor) else o for o in ((outputs,) if single else outputs))
        return wrapped[0] if single else wrapped
    return wrapper


class _Delayed(Function):
    """Identity on its first argument whose backward refuses."""

    @staticmethod
    def forward(ctx, value, *anchors):
        return wrap(value._a.copy())

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable"
                           "\nWrite its backward with differentiable operators and drop the decorator.")


class _Aside(Function):
    """Stands behind a saved tensor that is neither input nor output of a Function: its history is not known."""

    materialize_grads = False

    @staticmethod
    def backward(ctx, *grads):
        name, position, place = ctx.of
        raise RuntimeError(
            f"{name} saved a tensor that is neither an input nor an output of its forward (number {position} of "
            f"save_for_backward{f', called at {place}' if place else ''}), so its part in the second derivative is not known: PyTorch "
            "leaves it out silently.\nSave inputs and outputs only and compute the rest from them in backward; or return the tensor as "
            "a further output. If it does not depend on the inputs, keep it as an attribute of ctx. If no second derivative is "
            "wanted, mark backward with @once_differentiable.")


class InplaceFunction(Function):
    """Base class for Functions with an ``inplace`` switch (kept for programs that derive from it)."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """PyTorch's base for nested inputs and outputs exists only for old-style Functions, which cannot run."""
