"""The backward pass.

``run`` walks the graph from its roots and hands every gradient on, newest call first: see ``_walk``. Nothing recurses, so a
chain of a million calls is as good as one of ten.

Gradients are plain arrays, and no Tensor is made until somebody looks; with ``create_graph`` they are Tensors and the
same rules run on those, which records the pass itself. A gradient *arrives* in one place, whatever it is for: it is
fitted to the tensor it belongs to (broadcast dimensions summed, dtype restored), shown to hooks, kept for
``retain_grad``, captured for ``autograd.grad``. Then the node's own rule runs.

Nobody writes into an array in transit, except the sums made here.
"""
import heapq
import sys
import threading
import types
import warnings
import weakref

import numpy as np

from ..kernels.quiet import hush, unhush
from ..tensor import Tensor, describe_place, wrap
from . import anomaly, modes, views
from .blame import freed
from .node import AccumulateGrad, Node, Out, Watch
from .saved import FREED_ERROR, changed_error, open_saved

__all__ = ["run", "fit"]

_ndarray = np.ndarray
_ref = weakref.ref
_method = types.MethodType
_getrefcount = sys.getrefcount
_accumulate_lock = threading.Lock()


# ---------------------------------------------------------------- fitting

def sum_to(g, shape):
    """``g`` summed over the dimensions that broadcasting added or stretched (arrays and Tensors alike)."""
    lead = g.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 and g.shape[i + lead] != 1)
    if axes:
        g = g.sum(axis=axes, keepdims=True)
    if tuple(g.shape) != shape:
        g = g.reshape(shape)
    return g


_ONES = {}


def row_of_ones(n, dtype):
    """``n`` ones, remembered for a few ``n``."""
    found = _ONES.get((n, dtype))
    if found is None:
        if len(_ONES) > 256:
            _ONES.clear()
        found = _ONES[n, dtype] = np.ones(n, dtype)
    return found


def fit(g, shape, np_dtype, who):
    """A gradient in the shape and dtype of the tensor it belongs to.

    Raises RuntimeError when the shape cannot come from broadcasting.
    """
    if isinstance(g, Tensor):
        if tuple(g.shape) != shape:
            check_expandable(g.shape, shape, who)
            g = sum_to(g, shape)
        if g._a.dtype != np_dtype:
            if g.dtype.is_complex and np_dtype.kind != "c":
                g = g.real
            g = g._to_numpy_dtype(np_dtype)
        return g
    if g.shape != shape:
        if g.ndim == 2 and len(shape) == 1 and g.shape[1] == shape[0] and g.dtype.char in "fd":
            g = row_of_ones(g.shape[0], g.dtype).dot(g)       # the gradient of a bias; a product sums faster than a reduction
        else:
            check_expandable(g.shape, shape, who)
            g = sum_to(g, shape)
    if g.dtype != np_dtype:
        if g.dtype.kind == "c" and np_dtype.kind != "c":
            g = g.real
        g = g.astype(np_dtype)
    return g


def check_expandable(given, shape, who):
    """``given`` must be what broadcasting made of ``shape``."""
    given = tuple(given)
    lead = len(given) - len(shape)
    if lead < 0 or any(n != 1 and n != m for n, m in zip(shape, given[lead:])):
        node, index = who
        name = getattr(node, "argument_name", None)      # a Function can name its argument
        raise RuntimeError(
            f"Function {node.name()} returned an invalid gradient at index {index} - got {list(given)} but expected shape "
            f"compatible with {list(shape)}\nA gradient has the shape of its input" +
            ("." if name is None else f": the argument '{name(index)}'."))


# ---------------------------------------------------------------- leaves

def accumulate(leaf, g, create):
    """Add a gradient that is complete to ``leaf.grad``; run the leaf's hooks around that."""
    rare = leaf._extra
    if rare is not None and rare.any_hooks:
        g = call_tensor_hooks(rare.tensor_hooks, g, create)
        if rare.node_pre:
            g = call_node_pre(rare.node_pre, (g,), create)[0]
            if g is None:
                return
    if not leaf._rg:                     # frozen after the forward pass
        return
    if leaf._edge is not None and leaf._base is None:
        raise RuntimeError("leaf variable has been moved into the graph interior\nIt was changed in place after it was "
                           "used; change a clone instead.")
    with _accumulate_lock:
        old = leaf._grad
        if create and isinstance(g, Tensor) and g.requires_grad:
            leaf._grad = g.clone() if old is None else old + g
        else:
            array = g._a if isinstance(g, Tensor) else g
            if old is None:
                # Steal the array only if it owns its memory and nobody but this walk knows it: see `_references`.
                if array.__class__ is not _ndarray:
                    array = np.asarray(array)
                elif array.base is not None or _getrefcount(array) > _references or not array.flags.c_contiguous \
                        or isinstance(g, Tensor):
                    array = array.copy()
                leaf._grad = wrap(array)
            elif old._rg or old._a.shape != array.shape:
                leaf._grad = wrap(old._a + array)
            else:
                np.add(old._a, array, out=old._a)
                old._bump()
    if rare is not None:
        if rare.post_accumulate:
            for hook in tuple(rare.post_accumulate.values()):
                with _grad_mode(create):
                    hook(leaf)
        if rare.node_post:
            shown = as_tensor(g)
            for hook in tuple(rare.node_post.values()):
                with _grad_mode(create):
                    hook((), (shown,))


# References to an array that arrives at `accumulate` when nobody keeps it: the parameter `g`, the name `array`,
# the argument of getrefcount, and the caller's own name. Measured at import on a call of the same form.
_references = 4


class _grad_mode:
    """Grad mode for user code called from the engine."""

    __slots__ = ("mode", "before")

    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        self.before = modes.state.grad
        modes.state.grad = self.mode

    def __exit__(self, *_):
        modes.state.grad = self.before


# ---------------------------------------------------------------- hooks

def as_tensor(g):
    """What user code is shown of a gradient."""
    if g is None or isinstance(g, Tensor):
        return g
    return wrap(g if g.__class__ is _ndarray else np.asarray(g))


def call_tensor_hooks(hooks, g, create):
    """Run hooks registered on a tensor, in order; each may replace the gradient."""
    if not hooks:
        return g
    shown = as_tensor(g)
    for hook in tuple(hooks.values()):
        with _grad_mode(create):
            made = hook(shown)
        if made is not None:
            shown = check_hook_result(shown, made, hook)
    return shown if create or shown is None or not isinstance(shown, Tensor) else shown._a


def check_hook_result(before, made, hook):
    """A hook's replacement must be a tensor of the same kind."""
    name = getattr(hook, "__name__", type(hook).__name__)
    if not isinstance(made, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(made).__name__}'"
                        "\nReturn the new gradient as a Tensor, or nothing to leave it.")
    if before is None:
        raise RuntimeError(f"can't replace a None gradient with a non-None value\nThe hook '{name}' was called with None.")
    if made.dtype is not before.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was torch.{_type_name(before)} got "
                           f"torch.{_type_name(made)})\nReturn a gradient of the same dtype.")
    if made._a.shape != before._a.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value\nIt was {list(before.shape)} and is now "
                           f"{list(made.shape)}.")
    return made


def check_hook_results(before, made, hook):
    """What a node's hook returned in place of the tuple ``before``."""
    name = getattr(hook, "__name__", type(hook).__name__)
    if not isinstance(made, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(made).__name__}'\nReturn one gradient (or None) for each.")
    if len(made) != len(before):
        raise RuntimeError(f"hook '{name}' has returned an incorrect number of values (got {len(made)}, but expected "
                           f"{len(before)})\nReturn one gradient (or None) for each.")
    return tuple(m if m is None else check_hook_result(b, m, hook) for b, m in zip(before, made))


def _type_name(t):
    return {"Float": "FloatTensor", "Double": "DoubleTensor"}.get(t.dtype.scalar_name, t.dtype.scalar_name + "Tensor")


def call_node_pre(hooks, grads, create):
    shown = tuple(as_tensor(g) for g in grads)
    for hook in tuple(hooks.values()):
        with _grad_mode(create):
            made = hook(shown)
        if made is not None:
            shown = check_hook_results(shown, made, hook)
    return shown if create else tuple(t._a if isinstance(t, Tensor) else t for t in shown)


def call_node_post(hooks, results, grads, create):
    shown_in = tuple(as_tensor(g) for g in results)
    shown_out = tuple(as_tensor(g) for g in grads)
    for hook in tuple(hooks.values()):
        with _grad_mode(create):
            made = hook(shown_in, shown_out)
        if made is not None:
            shown_in = check_hook_results(shown_in, made, hook)
    return shown_in if create else tuple(t._a if isinstance(t, Tensor) else t for t in shown_in)


def arrive(node, grads, create):
    """Hooks and retained gradients of a watched node, in PyTorch's order. ``grads`` is a list, one per result."""
    watch = node._watching()
    if watch.tensor_hooks:
        for i, hooks in watch.tensor_hooks.items():
            if hooks:
                grads[i] = call_tensor_hooks(hooks, grads[i], create)
    if watch.retains:
        for i, ref in watch.retains.items():
            tensor, g = ref(), grads[i]
            if tensor is not None and g is not None:
                keep_gradient(tensor, g, create)
    if watch.observers is not None:
        for i, see in watch.observers:
            if grads[i] is not None:
                see(grads[i])
    return grads


def keep_gradient(tensor, g, create):
    """Add to the ``.grad`` of a tensor that is not a leaf; its memory is always its own."""
    old = tensor._grad
    if create and isinstance(g, Tensor):
        tensor._grad = g.clone() if old is None else old + g
        return
    array = g._a if isinstance(g, Tensor) else g
    if old is None:
        tensor._grad = wrap(array.copy() if array.__class__ is _ndarray and array.flags.c_contiguous else np.array(array, order="C"))
    else:
        tensor._grad = wrap(np.asarray(old._a + array))


# ---------------------------------------------------------------- the walk

def reachable(roots, wanted):
    """Which nodes and leaves lead to one of ``wanted`` (edges): the only ones worth running."""
    needed = {}
    stack = [(r, False) for r in roots]
    while stack:
        at, done = stack.pop()
        if done:
            needed[at] = any(needed.get(_target(e), False) for e in at.edges if e is not None) or at in wanted
            continue
        if at in needed:
            continue
        if not isinstance(at, Node):
            needed[at] = at in wanted
            continue
        needed[at] = at in wanted
        stack.append((at, True))
        for e in at.edges:
            if e is not None:
                target = _target(e)
                if target not in needed:
                    stack.append((target, False))
    return {n for n, yes in needed.items() if yes}


def _target(edge):
    return edge.node if edge.__class__ is Out else edge


class Walk:
    """One backward pass, for hooks that must tell passes apart. ``keep``: its graph is kept for another one."""

    __slots__ = ("roots", "keep", "needed", "_reached", "__weakref__")

    def __init__(self, roots, keep):
        self.roots, self.keep, self.needed, self._reached = roots, keep, None, None

    def will_reach(self, gradient_edge):
        """Whether this pass computes the gradient at a ``GradientEdge``."""
        if self._reached is None:
            self._reached = seen = set()
            stack = [_target(r) for r in self.roots]
            while stack:
                at = stack.pop()
                if at in seen or self.needed is not None and at not in self.needed:
                    continue
                seen.add(at)
                if isinstance(at, Node):
                    stack.extend(_target(e) for e in at.edges if e is not None)
        node = gradient_edge.node
        return (node.variable if isinstance(node, AccumulateGrad) else node) in self._reached


def run(roots, grads, keep, create, captures=None, accumulate_captured=False):
    """Send ``grads`` from ``roots`` (edges) through the graph.

    ``keep``: saved values stay for another pass. ``create``: the pass itself is recorded. ``captures``: edges whose
    gradients are wanted; then only what leads to them runs, leaves do not accumulate unless ``accumulate_captured``,
    and a list of gradients (or None) is returned.
    """
    state = modes.state
    before = state.grad, state.in_backward, state.walk
    state.grad, state.in_backward, state.walk = create, True, Walk(roots, keep)
    token = hush()
    try:
        return _walk(roots, grads, keep, create, captures, accumulate_captured)
    finally:
        state.grad, state.in_backward, state.walk = before
        unhush(token)


def _walk(roots, grads, keep, create, captures, accumulate_captured):
    """Visit nodes by falling sequence number: a node's consumers are all newer, so when it is the newest that is
    pending, everything that it will get has come.

    A leaf is finished at once when its last contribution came if anybody could tell (hooks on leaves), which takes counting
    beforehand; else all leaves are finished at the end, so that a rule that raises leaves every ``.grad`` as it was.
    """
    capture = captured = needed = None
    if captures is not None:
        capture = {}
        for i, e in enumerate(captures):
            capture.setdefault(_target(e), []).append((i, e.index if e.__class__ is Out else 0))
        needed = reachable([_target(r) for r in roots], capture)
        captured = [None] * len(captures)
        modes.state.walk.needed = needed
    waiting = _count(roots, needed) if modes.leaf_hooks else None
    buffers = {}                   # what came for each pending node, except the one in hand
    leaves = {}
    heap = []                      # (-seq, node): pending nodes, except the one in hand
    for root, g in zip(roots, grads):
        target = root.node if root.__class__ is Out else root
        if isinstance(target, Node):
            if target not in buffers:
                heapq.heappush(heap, (-target.seq, target))
            _deposit(buffers, root, target, g)
        elif waiting is not None and not waiting[target]:
            _leaf(target, g, create, capture, captured, accumulate_captured)
        else:
            _deposit(leaves, root, target, g)
    node = hand = None
    if heap:
        node = heapq.heappop(heap)[1]
        hand = buffers.pop(node)
    ordinary = not create and capture is None and not modes.state.anomaly
    while node is not None:
        plan = node.plan
        edges = node.edges
        watch = node.watch
        if watch is not None and hand is not None:
            # Only its gradient is retained, or a recording looks on: no need of the long visit.
            kind = watch.__class__
            if kind is _ref:
                tensor = watch()
                if tensor is not None:
                    keep_gradient(tensor, hand, create)
                watch = None
            elif kind is _method:
                watch(hand)
                watch = None
        if watch is None and ordinary and plan.simple and hand is not None:
            saved = node.saved
            guard = node.guard
            if saved.__class__ is not tuple or guard is not None and (
                    guard[0][0] != guard[1] or len(guard) > 2 and _changed(guard)):
                results = _apply(node, plan, hand, keep, create)
            else:
                results = plan.backward(hand, saved)
                if guard is not None and not keep:      # nothing else is worth freeing
                    node.saved = node.guard = None
                elif plan.frees and not keep:
                    node.saved = None
        else:
            results = _visit(node, plan, watch, hand, keep, create, capture, captured, needed)
        following = hand = None
        for e, result in zip(edges, results):
            if e is not None:
                if e.__class__ is Node:
                    # The commonest case first: the only result of an ordinary call.
                    if result is not None:
                        if result.shape != e.shape or result.dtype is not e.dtype:
                            result = fit(result, e.shape, e.dtype, (node, _position(results, result)))
                        if e is following:
                            hand = hand + result if hand is not None else result
                        elif e in buffers:
                            if buffers[e] is None:
                                buffers[e] = result
                            else:
                                buffers[e] = buffers[e] + result
                        elif needed is not None and e not in needed:
                            pass
                        elif following is None:
                            following, hand = e, result
                        elif e.seq > following.seq:
                            buffers[following] = hand
                            heapq.heappush(heap, (-following.seq, following))
                            following, hand = e, result
                        else:
                            buffers[e] = result
                            heapq.heappush(heap, (-e.seq, e))
                    elif e is not following and e not in buffers and (needed is None or e in needed):
                        buffers[e] = None
                        heapq.heappush(heap, (-e.seq, e))
                else:
                    target = e.node if e.__class__ is Out else e
                    if needed is not None and target not in needed:
                                    continue
                    if isinstance(target, Node):
                        if result is not None:
                            result = fit(result, e.shape, e.dtype, (node, _position(results, result)))
                        if target is following:
                            buffers[target] = hand
                            heapq.heappush(heap, (-target.seq, target))
                            following = hand = None
                        elif target not in buffers:
                            heapq.heappush(heap, (-target.seq, target))
                        _deposit(buffers, e, target, result)
                    else:
                        if result is not None:
                            array = e._a
                            if result.shape != array.shape or result.dtype is not array.dtype:
                                result = fit(result, array.shape, array.dtype, (node, _position(results, result)))
                            if e in leaves:
                                leaves[e] = leaves[e] + result
                            else:
                                leaves[e] = result
                        if waiting is not None:
                            waiting[e] -= 1
                            if waiting[e] == 0:
                                if result is not None:
                                    result = None
                                if e is edges[-1]:
                                    results = None
                                _leaf(e, leaves.pop(e, None), create, capture, captured, accumulate_captured)
        result = results = None
        if heap:
            if following is None:
                node = heapq.heappop(heap)[1]
                hand = buffers.pop(node)
            elif -heap[0][0] > following.seq:
                buffers[following] = hand
                node = heapq.heappushpop(heap, (-following.seq, following))[1]
                hand = buffers.pop(node)
            else:
                node = following
        else:
            node = following
    while leaves:
        leaf = next(iter(leaves))
        _leaf(leaf, leaves.pop(leaf), create, capture, captured, accumulate_captured)
    return captured


def _count(roots, needed):
    """How many contributions each leaf will get (only those in ``needed``, unless that is None)."""
    waiting = {}
    seen = set()
    stack = []
    for root in roots:
        target = root.node if root.__class__ is Out else root
        if not isinstance(target, Node):
            waiting[target] = 0
        elif target not in seen:
            seen.add(target)
            stack.append(target)
    while stack:
        for e in stack.pop().edges:
            if e is not None:
                if e.__class__ is Out:
                    e = e.node
                if isinstance(e, Node):
                    if e not in seen and (needed is None or e in needed):
                        seen.add(e)
                        stack.append(e)
                else:
                    waiting[e] = waiting.get(e, 0) + 1
    return waiting


def _position(results, result):
    """The number of a result, for error texts."""
    return next((i for i, r in enumerate(results) if r is result), 0)


def _changed(guard):
    """Whether any of the saved tensors was written since it was saved."""
    for i in range(0, len(guard), 2):
        if guard[i][0] != guard[i + 1]:
            return True
    return False


def _visit(node, plan, watch, g, keep, create, capture, captured, needed):
    """One node in full: arrival, capture, rule."""
    if plan.outputs is not None and g is None:
        g = [None] * len(node.shape)
    runs = True
    if capture is not None:
        runs = any(e is not None and _target(e) in needed for e in node.edges)
        wanted = capture.get(node)
        if wanted and runs:        # PyTorch's choice: a gradient taken on the way is taken before its hooks
            for i, index in wanted:
                captured[i] = g if plan.outputs is None else g[index]
    if watch is not None:
        g = arrive(node, [g], create)[0] if plan.outputs is None else arrive(node, g, create)
    if not runs:
        for i, index in wanted or ():
            captured[i] = g if plan.outputs is None else g[index]
        return ()
    if modes.state.anomaly:
        return _apply_anomalous(node, plan, g, keep, create)
    return _apply(node, plan, g, keep, create)


def _deposit(buffers, edge, target, g):
    """Add one contribution to a node's (or leaf's) buffer."""
    if edge.__class__ is Out:
        slots = buffers.get(target)
        if slots is None:
            slots = buffers[target] = [None] * len(target.shape)
        if g is not None:
            slots[edge.index] = g if slots[edge.index] is None else slots[edge.index] + g
    elif g is not None:
        old = buffers.get(target)
        buffers[target] = g if old is None else old + g


def _leaf(leaf, g, create, capture, captured, accumulate_captured):
    """A leaf's gradient is complete: accumulate or capture it."""
    if capture is None or accumulate_captured:
        if g is not None:
            accumulate(leaf, g, create)
        return
    rare = leaf._extra
    if rare is not None and rare.tensor_hooks and g is not None:
        g = call_tensor_hooks(rare.tensor_hooks, g, create)
    for i, _ in capture.get(leaf, ()):
        captured[i] = g


def _apply(node, plan, g, keep, create):
    """Run a node's rule: a gradient (or None) for each of its edges."""
    watch = node.watch
    if watch.__class__ is not Watch:
        watch = None
    if watch is not None and watch.pre:
        g = call_node_pre(watch.pre, (g,) if plan.outputs is None else g, create)
        g = g[0] if plan.outputs is None else list(g)
    given = g
    guard = node.guard
    if guard is not None and _changed(guard):
        raise changed_error(node, next(i for i in range(len(guard) // 2) if guard[2 * i][0] != guard[2 * i + 1]))
    saved = node.saved
    if plan.whole_node:
        results = plan.backward(node, g, create)
    elif g is None or (plan.outputs is not None and all(x is None for x in g)):
        results = (None,) * len(node.edges)
    else:
        if saved is None:
            raise freed(FREED_ERROR, node)
        if create or saved.__class__ is not tuple:
            saved = open_saved(node, create)
        results = plan.backward(g, saved)
    if plan.frees and not keep:
        plan.free(node)
    if watch is not None and watch.post:
        results = call_node_post(watch.post, results, (given,) if plan.outputs is None else given, create)
    return results


def _run_writer(writer, g, create):
    """Run the rule of the node that wrote into a view, for ``views.CopySlices``."""
    return _apply(writer, writer.plan, g, True, create)


views.run_writer = _run_writer


def _apply_anomalous(node, plan, g, keep, create):
    """``_apply`` under anomaly mode: any error is preceded by a warning that shows where the node was built."""
    state = modes.state
    before, state.running = state.running, node
    try:
        results = _apply(node, plan, g, keep, create)
        if state.anomaly_nan or state.anomaly_inf:
            _refuse_anomaly(node, results)
        return results
    except Exception:
        _warn_traceback(node)
        raise
    finally:
        state.running = before


def _refuse_anomaly(node, results):
    for i, r in enumerate(results):
        if r is None:
            continue
        bad = anomaly.found_in(r._a if isinstance(r, Tensor) else np.asarray(r), modes.state.anomaly_nan, modes.state.anomaly_inf)
        if bad is not None:
            place = describe_place(node.where)
            raise RuntimeError(f"Function '{node.name()}' returned {bad[0]} values in its {i}th output.\n"
                               + (f"Built at {place}" if place else "Built at an unknown line")
                               + f"{anomaly.module_text(node.metadata.get('module_'))}: {bad[1]}.")


def _warn_traceback(node):
    stack = node.metadata.get("traceback_")
    if not stack:
        warnings.warn(f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly "
                      "during forward pass for more information.", UserWarning, stacklevel=2)
        return
    warnings.warn(f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n" + "".join(stack),
                  UserWarning, stacklevel=2)
    parent = node.metadata.get("parent_")
    while parent is not None:
        stack = parent.metadata.get("traceback_")
        if not stack:
            warnings.warn("\n\n    Previous calculation was induced by " + parent.name() + ". No forward pass information available. "
                          "Enable detect anomaly during forward pass for more information.", UserWarning, stacklevel=2)
            return
        warnings.warn(f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that induced the previous "
                      "calculation:\n" + "".join(stack), UserWarning, stacklevel=2)
        parent = parent.metadata.get("parent_")


def call_node(node, *grads):
    """``grad_fn(*grads)``: run one node's rule by hand on Tensors."""
    create = modes.state.grad and any(isinstance(g, Tensor) and g.requires_grad for g in grads)
    given = [g if create or g is None else g._a for g in grads]
    results = _apply(node, node.plan, given[0] if node.plan.outputs is None else given, True, create)
    made = tuple(as_tensor(r) for r in results)
    return made[0] if len(made) == 1 else made


def call_accumulator(accumulator, g):
    """Add a gradient to the leaf by hand."""
    accumulate(accumulator.variable, g._a.copy(), False)


Node.__call__ = call_node
AccumulateGrad.__call__ = call_accumulator
