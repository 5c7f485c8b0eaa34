"""``backward`` and ``grad``: the questions one asks of a graph."""
import warnings
from collections.abc import Sequence

import numpy as np

from .. import dtypes
from ..tensor import Tensor, wrap
from . import engine, modes, views
from .blame import why_no_history
from .node import AccumulateGrad, Node, Out, resolve

__all__ = ["backward", "grad", "GradientEdge", "get_gradient_edge"]


class GradientEdge(tuple):
    """A place in the graph where a gradient arrives: ``node`` and ``output_nr``; stands for a tensor that may be gone."""

    __slots__ = ()
    _fields = ("node", "output_nr", "ownership_token")

    def __new__(cls, node, output_nr, ownership_token=None):
        return tuple.__new__(cls, (node, output_nr, ownership_token))

    node = property(lambda self: self[0])
    output_nr = property(lambda self: self[1])

    def __repr__(self):
        return f"GradientEdge(node={self[0]!r}, output_nr={self[1]})"


def get_gradient_edge(tensor):
    """The ``GradientEdge`` where ``tensor``'s gradient arrives. RuntimeError unless it requires grad.

    Example::

        >>> import rushlight as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> torch.autograd.graph.get_gradient_edge(x * 2).node.name()
        'MulBackward0'
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients"
                           "\nSet requires_grad before computing with it.")
    edge = views.edge_of(tensor)
    if isinstance(edge, Tensor):
        return GradientEdge(resolve(edge)[0], 0)
    return GradientEdge(*resolve(edge))


def _engine_edge(given, what):
    """The engine's edge of a Tensor, GradientEdge or Node."""
    if isinstance(given, Tensor):
        return views.edge_of(given)
    if isinstance(given, GradientEdge):
        node, index = given.node, given.output_nr
    else:
        node, index = given, 0
    if isinstance(node, AccumulateGrad):
        return node.variable
    if not isinstance(node, Node):
        raise TypeError(f"{what} can be either Tensors or GradientEdges, but got {type(given).__name__}")
    return Out(node, index) if node.plan.outputs is not None else node


def _meta(given):
    """(shape, NumPy dtype) of what a root stands for."""
    if isinstance(given, Tensor):
        return given._a.shape, given._a.dtype
    edge = _engine_edge(given, "outputs")
    if isinstance(edge, Tensor):
        return edge._a.shape, edge._a.dtype
    return edge.shape, edge.dtype


def _start_gradients(roots, given, create, batched=False):
    """The gradients to start from, checked, as the engine takes them."""
    if len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients\nOne gradient (or None) per tensor.")
    started = []
    for i, (root, g) in enumerate(zip(roots, given)):
        shape, dtype = _meta(root)
        if g is None:
            if root.requires_grad if isinstance(root, Tensor) else True:
                if int(np.prod(shape)) != 1:
                    raise RuntimeError("grad can be implicitly created only for scalar outputs"
                                       f"\nThis one has shape {list(shape)}: pass gradient=, or reduce it first, as with .sum().")
                if not dtypes.BY_NUMPY[dtype].is_floating_point:
                    raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                                       f"{dtypes.BY_NUMPY[dtype]}\nPass gradient=, or take .abs() or .real first.")
                started.append(wrap(np.ones(shape, dtype)) if create else np.ones(shape, dtype))
            else:
                started.append(None)
            continue
        if not isinstance(g, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}"
                            "\nWrap it with torch.as_tensor.")
        if not batched and tuple(g._a.shape) != tuple(shape):
            raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of "
                               f"torch.Size({list(shape)}).\nA gradient has the shape of what it is the gradient of.")
        if dtypes.BY_NUMPY[dtype].is_complex != g.dtype.is_complex:
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
                f"grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {dtypes.BY_NUMPY[dtype]}.")
        if g._a.dtype != dtype:
            g = g._to_numpy_dtype(dtype)
        started.append(g if create else g._a)
    return started


def _root_edges(roots):
    edges = []
    for i, root in enumerate(roots):
        edge = _engine_edge(root, "outputs")
        if edge is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn" + why_no_history(root))
        edges.append(edge)
    return edges


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Compute gradients of ``tensors`` with respect to the graph's leaves and add them to the leaves' ``.grad``.

    ``grad_tensors``: the gradients to start from, of the tensors' shapes; None for scalars. ``retain_graph``: keep what the graph
    saved, for another pass (default: ``create_graph``). ``create_graph``: record the pass, for higher derivatives. ``inputs``:
    fill only these. RuntimeError where PyTorch has it.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> torch.autograd.backward((w * w).sum())
        >>> w.grad
        tensor([2., 4.])
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please "
                               "only use `grad_tensors`.")
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, (Tensor, GradientEdge)) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.\nLeave it out to fill every leaf.")
    roots = (tensors,) if isinstance(tensors, (Tensor, GradientEdge, Node)) else tuple(tensors)
    if grad_tensors is None:
        given = (None,) * len(roots)
    else:
        given = (grad_tensors,) if isinstance(grad_tensors, Tensor) or not isinstance(grad_tensors, Sequence) \
            or isinstance(grad_tensors, str) else tuple(grad_tensors)
    keep = create_graph if retain_graph is None else retain_graph
    if create_graph:
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which "
            "can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to "
            "use this function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and "
            "avoid the leak.", UserWarning, stacklevel=2 if modes.state.in_backward else 3)
    starts = _start_gradients(roots, given, create_graph)
    edges = _root_edges(roots)
    if inputs is None:
        engine.run(edges, starts, keep, create_graph)
        return
    wanted = (inputs,) if isinstance(inputs, (Tensor, GradientEdge)) else tuple(inputs)
    targets = []
    for i, t in enumerate(wanted):
        edge = _engine_edge(t, "inputs")
        if edge is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad"
                               f"\nIt is number {i} of inputs.")
        if isinstance(t, Tensor) and not isinstance(edge, Tensor):
            t.retain_grad()
        targets.append(edge)
    engine.run(edges, starts, keep, create_graph, targets, accumulate_captured=True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """The gradients of ``outputs`` with respect to ``inputs``, as a tuple; no ``.grad`` of a leaf changes.

    ``allow_unused``: None stands for the gradient of an input that was not used (else RuntimeError); with ``materialize_grads`` zeros.
    ``is_grads_batched``: each of ``grad_outputs`` has one more leading dimension and so has each result.

    Example::

        >>> import rushlight as torch
        >>> x = torch.tensor(3., requires_grad=True)
        >>> g, = torch.autograd.grad(x ** 3, x, create_graph=True)
        >>> torch.autograd.grad(g, x)
        (tensor(18.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if not isinstance(inputs, (Tensor, GradientEdge)) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.\nName the tensors whose gradients are wanted.")
    if allow_unused is None:
        allow_unused = materialize_grads
    roots = (outputs,) if isinstance(outputs, (Tensor, GradientEdge, Node)) else tuple(outputs)
    wanted = (inputs,) if isinstance(inputs, (Tensor, GradientEdge)) else tuple(inputs)
    if grad_outputs is None:
        given = (None,) * len(roots)
    else:
        given = (grad_outputs,) if isinstance(grad_outputs, Tensor) or not isinstance(grad_outputs, Sequence) \
            else tuple(grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        return _batched(roots, wanted, given, keep, create_graph, allow_unused, materialize_grads)
    starts = _start_gradients(roots, given, create_graph)
    edges = _root_edges(roots)
    targets = []
    for t in wanted:
        edge = _engine_edge(t, "inputs")
        if edge is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad"
                               "\nSet requires_grad on it before it is used, or leave it out.")
        targets.append(edge)
    results = engine.run(edges, starts, keep, create_graph, targets)
    found = []
    for i, (g, t) in enumerate(zip(results, wanted)):
        if g is None:
            if not allow_unused:
                raise RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                                   "allow_unused=True if this is the desired behavior.")
            if materialize_grads:
                shape, dtype = _meta(t)
                g = np.zeros(shape, dtype)
        found.append(_own(g, starts) if g is not None else None)
    return tuple(found)


def _own(g, starts):
    """A gradient as a Tensor of its own."""
    if isinstance(g, Tensor):
        return g
    array = np.asarray(g)
    if array.base is not None or any(array is s for s in starts):
        array = array.copy()
    return wrap(array)


def _batched(roots, wanted, given, keep, create, allow_unused, materialize):
    """``is_grads_batched``: one pass per row of the given gradients, stacked."""
    if all(g is None for g in given):
        raise ValueError("vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 "
                         "so expected in_dim to satisfy 0 <= in_dim < 0.\nGive grad_outputs with one row for each pass.")
    for i, (root, g) in enumerate(zip(roots, given)):
        shape = _meta(root)[0]
        if g is not None and g._a.shape[1:] != shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. "
                f"The sizes of the remaining dimensions are expected to match the shape of "
                f"corresponding output, but a mismatch was detected: grad_output[{i}] "
                f"has a shape of {g.shape} and output[{i}] has a shape of torch.Size({list(shape)}). If you only want some tensors in "
                "`grad_output` to be considered batched, consider using vmap.")
    rows = len(next(g for g in given if g is not None))
    passes = [grad(roots, wanted, [g if g is None else g[i] for g in given], True if i + 1 < rows else keep, create,
                   allow_unused, False, materialize) for i in range(rows)]
    return tuple(None if column[0] is None else column[0]._stack_like(column) for column in zip(*passes))


def tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Compute the gradient of this tensor with respect to the graph's leaves: see ``torch.autograd.backward``.

    ``gradient`` has this tensor's shape; a scalar needs none.
    """
    if not modes.plain and not modes.state.no_torch_function and type(self) is not Tensor:
        taken, result = Tensor._try_override(tensor_backward, (self,), (self,), dict(
            gradient=gradient, retain_graph=retain_graph, create_graph=create_graph, inputs=inputs))
        if taken:
            return result
    if inputs is None and not create_graph and self._rg is True and self._base is None:
        # The usual call, without the general one's loops.
        array = self._a
        if gradient is None:
            start = _ONES.get(array.dtype) if array.ndim == 0 else None
        elif gradient.__class__ is Tensor and gradient._a.shape == array.shape and gradient._a.dtype is array.dtype:
            start = gradient._a
        else:
            start = None
        if start is not None:
            engine.run((self._edge or self,), (start,), retain_graph, False)
            return
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


# The gradient of a scalar with respect to itself; nobody writes into arrays in transit.
_ONES = {np.dtype(t): np.ones((), t) for t in (np.float32, np.float64)}
for _one in _ONES.values():
    _one.flags.writeable = False

Tensor.backward = tensor_backward
