"""Derivatives of functions as functions: vjp, jvp, jacobian, hessian and their products."""
import numpy as np

from ..tensor import Tensor, wrap
from . import modes
from .api import grad as compute_grad

__all__ = ["vjp", "jvp", "jacobian", "hessian", "hvp", "vhp"]


# ---------------------------------------------------------------- arguments and results

def _as_tuple(given, what=None, name=None):
    """(whether it was a tuple, a tuple of Tensors); TypeError for anything else."""
    many = isinstance(given, tuple)
    items = given if many else (given,)
    for i, item in enumerate(items):
        if not isinstance(item, Tensor):
            if many:
                raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the value at index "
                                f"{i} has type {type(item)}.")
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the given {what} has type "
                            f"{type(item)}.")
    return many, tuple(items)


def _prepare(inputs, create_graph, need_graph):
    """The inputs as tensors that require grad: aliases in the caller's graph, or leaves of our own."""
    made = []
    for t in inputs:
        if create_graph and t.requires_grad:
            made.append(t.view_as(t))
        else:
            made.append(t.detach().requires_grad_(need_graph))
    return tuple(made)


def _outputs(value, name):
    return _as_tuple(value, "outputs of the user-provided function", name)


def _postprocess(value, create_graph):
    if isinstance(value, tuple):
        return tuple(_postprocess(v, create_graph) for v in value)
    return value if create_graph else value.detach()


def _single(many, values):
    return tuple(values) if many else values[0]


def _check_vector(v, like, many):
    if many and len(v) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for i, (a, b) in enumerate(zip(v, like)):
        if a.shape != b.shape:
            where = f"Entry {i} in " if many else ""
            raise RuntimeError(f"{where}v has invalid size: should be {b.shape} but got {a.shape}.")


def _vector(v, like, what):
    """The vector of a product, or ones for a single number."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {what}.\nGive v in the same shape.")
        return (wrap(np.ones_like(like[0]._a)),)
    many, v = _as_tuple(v, "v", what)
    v = tuple(t.detach() if not t.requires_grad else t for t in v)
    if len(v) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    _check_vector(v, like, many)
    return v


def _check_requires_grad(outputs, strict, what):
    if not strict:
        return
    for i, o in enumerate(outputs):
        if o.requires_grad:
            continue
        if what == "outputs":
            raise RuntimeError(f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in "
                               "a differentiable manner from the input when running in strict mode.")
        if what == "grad_inputs":
            raise RuntimeError(f"The gradient with respect to input {i} of the user-provided function does not require gradients."
                               " The outputs must be computed in a differentiable manner from the input.")
        if what == "jacobian":
            raise RuntimeError(f"While computing the hessian, found that the jacobian of the user-provided function with respect to "
                               f"input {i} is independent of the input. This is not allowed in strict mode. ")
        raise RuntimeError(f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict mode "
                           "when create_graph=True.")


def _filled(grads, like, strict, create_graph, stage):
    """None becomes zeros, or an error in strict mode."""
    made = []
    for i, (g, t) in enumerate(zip(grads, like)):
        if g is None:
            if strict:
                if stage == "back":
                    raise RuntimeError("The output of the user-provided function is independent of input "
                                       f"{i}. This is not allowed in strict mode.")
                if stage == "back_trick":
                    raise RuntimeError(f"The gradient with respect to the input is independent of entry {i} in the grad_outputs when using "
                                       "the double backward trick to compute forward mode gradients. This is not allowed in strict mode.")
                if stage == "double_back":
                    raise RuntimeError("The jacobian of the user-provided function is independent of input "
                                       f"{i}. This is not allowed in strict mode.")
                raise RuntimeError("The hessian of the user-provided function is independent of entry "
                                   f"{i} in the grad_jacobian. This is not allowed in strict mode as it prevents from using the double "
                                   "backward trick to replace forward mode AD.")
            g = wrap(np.zeros_like(t._a))
        elif strict and create_graph and not g.requires_grad:
            if "double" not in stage:
                raise RuntimeError(f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict "
                                   "mode when create_graph=True.")
            raise RuntimeError(f"The hessian of the user-provided function is independent of input {i}. This is not allowed in strict mode "
                               "when create_graph=True.")
        made.append(g)
    return tuple(made)


def _gradients(outputs, inputs, seeds=None, create_graph=False, retain_graph=None):
    """``autograd.grad`` over those outputs that need it; None for inputs that nothing leads to."""
    seeds = (None,) * len(outputs) if seeds is None else seeds
    pairs = [(o, s) for o, s in zip(outputs, seeds) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return compute_grad([o for o, _ in pairs], inputs, [s for _, s in pairs], allow_unused=True, create_graph=create_graph,
                        retain_graph=retain_graph)


# ---------------------------------------------------------------- products

def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, v^T J): the product of a vector with the Jacobian of ``func`` at ``inputs``.

    ``v`` has the outputs' shapes; a single number needs none.

    Example::

        >>> import rushlight as torch
        >>> torch.autograd.functional.vjp(lambda x: x ** 2, torch.tensor([1., 2.]), torch.ones(2))
        (tensor([1., 4.]), tensor([2., 4.]))
    """
    with modes.enable_grad():
        many_in, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _prepare(inputs, create_graph, True)
        many_out, outputs = _outputs(func(*inputs), "vjp")
        _check_requires_grad(outputs, strict, "outputs")
        if v is None and (len(outputs) != 1 or outputs[0].numel() != 1):
            raise RuntimeError("The vector v can only be None if the user-provided function returns a single Tensor with a single "
                               "element.\nGive v in the shape of the outputs.")
        v = _vector(v, outputs, "vjp")
    with modes.set_grad_enabled(True if create_graph else modes.state.grad):
        grads = _gradients(outputs, inputs, v, create_graph=create_graph)
        result = _filled(grads, inputs, strict, create_graph, "back")
    return (_postprocess(_single(many_out, outputs), create_graph), _postprocess(_single(many_in, result), create_graph))


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, J v): the product of the Jacobian of ``func`` at ``inputs`` with a vector, by differentiating ``vjp`` in its vector.

    ``v`` has the inputs' shapes; a single number needs none.
    """
    with modes.enable_grad():
        _, inputs = _as_tuple(inputs, "inputs", "jvp")
        inputs = _prepare(inputs, create_graph, True)
        if v is None and (len(inputs) != 1 or inputs[0].numel() != 1):
            raise RuntimeError("The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
                               "element.\nGive v in the shape of the inputs.")
        v = _vector(v, inputs, "jvp")
        many_out, outputs = _outputs(func(*inputs), "jvp")
        _check_requires_grad(outputs, strict, "outputs")
        seeds = tuple(wrap(np.zeros_like(o._a)).requires_grad_() for o in outputs)
        first = _gradients(outputs, inputs, seeds, create_graph=True)
        _check_requires_grad([g for g in first if g is not None], strict, "grad_inputs")
    if create_graph:
        with modes.enable_grad():
            products = _gradients(first, seeds, v, create_graph=True)
            result = _filled(products, outputs, strict, create_graph, "back_trick")
    else:
        products = _gradients(first, seeds, v)
        result = _filled(products, outputs, strict, create_graph, "back_trick")
    return (_postprocess(_single(many_out, outputs), create_graph), _postprocess(_single(many_out, result), create_graph))


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian of ``func`` at ``inputs``, of shape output + input; for tuples, a tuple per output of one per input.

    ``vectorize`` is accepted: the rows are computed one after another either way. Forward mode does not exist yet.

    Example::

        >>> import rushlight as torch
        >>> torch.autograd.functional.jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
                             'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".')
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError("torch.autograd.functional.jacobian: `create_graph=True` and `strategy=\"forward-mode\"` are not "
                                      "supported together (yet). Please either set `create_graph=False` or `strategy=\"reverse-mode\"`.")
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for "
                                  "`vectorize=True` in PyTorch, and not in rushlight.\nUse strategy=\"reverse-mode\".")
    if vectorize and strict:
        raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please "
                           "either set `strict=False` or `vectorize=False`.")
    with modes.enable_grad():
        many_in, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _prepare(inputs, create_graph, True)
        many_out, outputs = _outputs(func(*inputs), "jacobian")
        _check_requires_grad(outputs, strict, "outputs")
        rows = tuple(_jacobian_of(o, i, inputs, strict, create_graph) for i, o in enumerate(outputs))
    rows = _postprocess(rows, create_graph)
    rows = rows if many_in else tuple(r[0] for r in rows)
    return rows if many_out else rows[0]


def _jacobian_of(output, number, inputs, strict, create_graph):
    columns = [[] for _ in inputs]
    flat = output.reshape(-1)
    for j in range(output.numel()):
        grads = _gradients((flat[j],), inputs, retain_graph=True, create_graph=create_graph)
        for k, (column, g, t) in enumerate(zip(columns, grads, inputs)):
            if g is None:
                if strict:
                    raise RuntimeError(f"Output {number} of the user-provided function is independent of input {k}. This is not allowed in "
                                       "strict mode.")
                g = wrap(np.zeros_like(t._a))
            elif strict and create_graph and not g.requires_grad:
                raise RuntimeError(f"The jacobian of the user-provided function is independent of input {k}. This is not allowed in strict "
                                   "mode when create_graph=True.")
            column.append(g)
    return tuple(
        columns[k][0]._stack_like(columns[k]).reshape((*output.shape, *t.shape)) if columns[k]
        else wrap(np.zeros((*output.shape, *t.shape), t._a.dtype)) for k, t in enumerate(inputs))


def _scalar(outputs, many, name):
    if many:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return outputs[0].reshape(()) if outputs[0].ndim else outputs[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The second derivatives of ``func``, which returns a single number, of shape input + input.

    Example::

        >>> import rushlight as torch
        >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    many_in, inputs = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def checked(*args):
        many, outputs = _outputs(func(*args), "hessian")
        output = _scalar(outputs, many, "hessian")
        _check_requires_grad((output,), strict, "outputs")
        return output

    def first(*args):
        rows = jacobian(checked, args, create_graph=True)
        _check_requires_grad(rows, strict, "jacobian")
        return rows
    result = jacobian(first, inputs, create_graph=create_graph, strict=strict, vectorize=vectorize, strategy=outer_jacobian_strategy)
    return result if many_in else result[0][0]


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, v^T H): the product of a vector with the second derivatives of ``func``, which returns a single number."""
    with modes.enable_grad():
        many_in, inputs = _as_tuple(inputs, "inputs", "vhp")
        inputs = _prepare(inputs, create_graph, True)
        v = _hessian_vector(v, inputs)
        many_out, outputs = _outputs(func(*inputs), "vhp")
        _check_requires_grad(outputs, strict, "outputs")
        output = _scalar(outputs, many_out, "vhp")
        first = _filled(_gradients((output,), inputs, create_graph=True), inputs, strict, False, "double_back")
        _check_requires_grad(first, strict, "jacobian")
    with modes.set_grad_enabled(True if create_graph else modes.state.grad):
        products = _gradients(first, inputs, v, create_graph=create_graph)
        result = _filled(products, inputs, strict, create_graph, "double_back")
    return _postprocess(outputs[0], create_graph), _postprocess(_single(many_in, result), create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, H v): as ``vhp``, by differentiating the gradient's product in its vector."""
    with modes.enable_grad():
        many_in, inputs = _as_tuple(inputs, "inputs", "hvp")
        inputs = _prepare(inputs, create_graph, True)
        v = _hessian_vector(v, inputs)
        many_out, outputs = _outputs(func(*inputs), "hvp")
        _check_requires_grad(outputs, strict, "outputs")
        output = _scalar(outputs, many_out, "hvp")
        first = _filled(_gradients((output,), inputs, create_graph=True), inputs, strict, False, "double_back")
        _check_requires_grad(first, strict, "jacobian")
        seeds = tuple(wrap(np.zeros_like(t._a)).requires_grad_() for t in inputs)
        second = _filled(_gradients(first, inputs, seeds, create_graph=True), inputs, strict, False, "double_back")
    with modes.set_grad_enabled(True if create_graph else modes.state.grad):
        products = _gradients(second, seeds, v, create_graph=create_graph)
        result = _filled(products, inputs, strict, create_graph, "double_back_trick")
    return _postprocess(outputs[0], create_graph), _postprocess(_single(many_in, result), create_graph)


def _hessian_vector(v, inputs):
    if v is None and (len(inputs) != 1 or inputs[0].numel() != 1):
        raise RuntimeError("The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
                           "element.\nGive v in the shape of the inputs.")
    return _vector(v, inputs, "hvp")
