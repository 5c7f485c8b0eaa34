"""Functions of functions: ``grad``, ``vjp``, ``jacrev``, ``hessian`` and ``functional_call``.

A transformed function differentiates with respect to arguments of its own: aliases of what it was given, if that belongs to
a computation outside (so that transforms nest), else leaves. What it returns keeps history outside and drops its own.
"""
import functools

import numpy as np

from .autograd import modes
from .autograd.api import grad as compute_grad
from .autograd.node import Node, Out
from .nn.utils.stateless import functional_call
from .tensor import Tensor, wrap

__all__ = ["grad", "grad_and_value", "vjp", "jvp", "jacrev", "jacfwd", "hessian", "functional_call"]


# ---------------------------------------------------------------- nested containers

def _flatten(tree):
    """(leaves, how to build the tree from others)."""
    if isinstance(tree, dict):
        keys = list(tree)
        parts = [_flatten(tree[k]) for k in keys]
        return [leaf for p in parts for leaf in p[0]], lambda leaves: type(tree)(zip(keys, _rebuild(parts, leaves)))
    if isinstance(tree, (list, tuple)):
        parts = [_flatten(v) for v in tree]

        def build(leaves):
            made = _rebuild(parts, leaves)
            return type(tree)(*made) if hasattr(tree, "_fields") else type(tree)(made)
        return [leaf for p in parts for leaf in p[0]], build
    return [tree], lambda leaves: leaves[0]


def _rebuild(parts, leaves):
    made, at = [], 0
    for part, build in parts:
        made.append(build(leaves[at:at + len(part)]))
        at += len(part)
    return made


def _map(function, tree):
    leaves, build = _flatten(tree)
    return build([function(v) for v in leaves])


# ---------------------------------------------------------------- levels

def _own(t):
    """An alias of ``t`` to differentiate with respect to."""
    if not isinstance(t, Tensor):
        return t
    if t.requires_grad and modes.state.grad:
        return t.view_as(t)
    return t.detach().requires_grad_()


def _outside(t, own, record):
    """A result without the history that ends in the transform's own arguments."""
    if not isinstance(t, Tensor) or not t.requires_grad:
        return t
    if not record or not _leads_outside(t, own):
        return t.detach()
    return t


def _leads_outside(t, own):
    ends = {id(o) for o in own if o._edge is None}
    stack, seen = [t._edge or t], set()
    while stack:
        e = stack.pop()
        e = e.node if isinstance(e, Out) else e
        if id(e) in seen:
            continue
        seen.add(id(e))
        if isinstance(e, Node):
            stack.extend(x for x in e.edges if x is not None)
        elif id(e) not in ends:
            return True
    return False


def _chosen(args, argnums):
    many = isinstance(argnums, (tuple, list))
    numbers = tuple(argnums) if many else (argnums,)
    for n in numbers:
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
    return many, tuple(n % len(args) for n in numbers)


def _call(func, args, numbers, kwargs):
    """(result, own arguments by leaf, their trees): call with own arguments in place of the chosen ones."""
    given = list(args)
    for n in numbers:
        given[n] = _map(_own, args[n])
    flat = [_flatten(given[n]) for n in numbers]
    return func(*given, **kwargs), flat


def _tensors(leaves):
    return [v for v in leaves if isinstance(v, Tensor)]


# ---------------------------------------------------------------- transforms

def grad_and_value(func, argnums=0, has_aux=False):
    """A function that returns (gradient, value) of ``func``, which returns a scalar Tensor (with ``has_aux``, and anything beside it)."""
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        record = modes.state.grad
        many, numbers = _chosen(args, argnums)
        with modes.enable_grad():
            result, flat = _call(func, args, numbers, kwargs)
            aux = None
            if has_aux:
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError("grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True")
                result, aux = result
            if not isinstance(result, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(result)}")
            if result.dim() != 0:
                raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                                   f"{result.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
            leaves = [leaf for f in flat for leaf in f[0]]
            own = _tensors(leaves)
            grads = iter(_vector_jacobian(result, own, None))
            made = [f[1]([next(grads) if isinstance(v, Tensor) else v for v in f[0]]) for f in flat]
        made = [_map(lambda t: _outside(t, own, record), m) for m in made]
        result = _outside(result, own, record)
        gradient = tuple(made) if many else made[0]
        if has_aux:
            return gradient, (result, _map(lambda t: _outside(t, own, record), aux))
        return gradient, result
    return wrapper


def _vector_jacobian(output, own, seed):
    """Gradients of one output, zeros where nothing leads."""
    if not output.requires_grad:
        return [wrap(np.zeros_like(t._a)) for t in own]
    grads = compute_grad(output, own, seed, create_graph=True, allow_unused=True)
    return [wrap(np.zeros_like(t._a)) if g is None else g for g, t in zip(grads, own)]


def grad(func, argnums=0, has_aux=False):
    """A function that returns the gradient of ``func`` with respect to its arguments ``argnums``.

    Example::

        >>> import rushlight as torch
        >>> torch.func.grad(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
        tensor([ 3., 12.])
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        if has_aux:
            gradient, (_, aux) = both(*args, **kwargs)
            return gradient, aux
        return both(*args, **kwargs)[0]
    return wrapper


def vjp(func, *primals, has_aux=False):
    """(outputs, pull): ``pull(vectors)`` gives the product of vectors of the outputs' shapes with the Jacobian, any number of times."""
    record = modes.state.grad
    with modes.enable_grad():
        result, flat = _call(func, primals, tuple(range(len(primals))), {})
        aux = None
        if has_aux:
            if not (isinstance(result, tuple) and len(result) == 2):
                raise RuntimeError("vjp(f, *primals): output of function f should be a tuple: (output, aux) if has_aux is True")
            result, aux = result
    own = _tensors([leaf for f in flat for leaf in f[0]])
    outputs, build = _flatten(result)
    if not outputs or not all(isinstance(o, Tensor) for o in outputs):
        raise RuntimeError(f"vjp(f, *primals): Expected f(*primals) to return only tensors, got {type(result)}")

    def pull(*cotangents, retain_graph=True, create_graph=None):
        seeds, _ = _flatten(cotangents[0] if len(cotangents) == 1 and not isinstance(result, tuple) else
                            cotangents[0] if len(cotangents) == 1 else cotangents)
        if len(seeds) != len(outputs):
            raise RuntimeError(f"Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                               f"cotangents: {len(seeds)}, primal output: {len(outputs)}")
        keep = modes.state.grad
        with modes.enable_grad():
            pairs = [(o, s) for o, s in zip(outputs, seeds) if o.requires_grad]
            grads = compute_grad([o for o, _ in pairs], own, [s for _, s in pairs], retain_graph=True, create_graph=keep,
                                 allow_unused=True) if pairs else [None] * len(own)
        made = iter([_outside(wrap(np.zeros_like(t._a)) if g is None else g, own, keep) for g, t in zip(grads, own)])
        trees = [f[1]([next(made) if isinstance(v, Tensor) else v for v in f[0]]) for f in flat]
        return tuple(trees)

    shown = build([_outside(o, own, record) for o in outputs])
    if has_aux:
        return shown, pull, _map(lambda t: _outside(t, own, record), aux)
    return shown, pull


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """(outputs, J v) at ``primals`` in the direction ``tangents`` (tuples), by differentiating a backward pass in its seed."""
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple):
        raise RuntimeError(f"jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals), got "
                           f"{type(primals)} and {type(tangents)}")
    record = modes.state.grad
    with modes.enable_grad():
        result, flat = _call(func, primals, tuple(range(len(primals))), {})
        aux = None
        if has_aux:
            result, aux = result
        own = _tensors([leaf for f in flat for leaf in f[0]])
        directions = _tensors(_flatten(tangents)[0])
        outputs, build = _flatten(result)
        made = []
        for o in outputs:
            seed = wrap(np.zeros_like(o._a)).requires_grad_()
            pulled = _vector_jacobian(o, own, seed)
            total = sum(((p * d.conj() if p.dtype.is_complex else p * d).sum() for p, d in zip(pulled, directions)
                         if p.requires_grad), wrap(np.zeros((), o._a.dtype)))
            pushed = compute_grad(total, seed, create_graph=True, allow_unused=True)[0] if total.requires_grad else None
            made.append(_outside(wrap(np.zeros_like(o._a)) if pushed is None else pushed, [*own, seed], record))
    shown = build([_outside(o, own, record) for o in outputs]), build(made)
    return (*shown, _map(lambda t: _outside(t, own, record), aux)) if has_aux else shown


def _rows(output, own):
    """The Jacobian of one output with respect to each of ``own``."""
    flat = output.reshape(-1)
    rows = [_vector_jacobian(flat[i], own, None) for i in range(output.numel())]
    return [rows[0][k]._stack_like([r[k] for r in rows]).reshape((*output.shape, *t.shape)) if rows
            else wrap(np.zeros((*output.shape, *t.shape), t._a.dtype)) for k, t in enumerate(own)]


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """A function that returns the Jacobian of ``func``, of shape output + input, row by row.

    ``chunk_size`` is accepted: rows are computed one after another.

    Example::

        >>> import rushlight as torch
        >>> torch.func.jacrev(lambda x: x ** 2)(torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        record = modes.state.grad
        many, numbers = _chosen(args, argnums)
        with modes.enable_grad():
            result, flat = _call(func, args, numbers, kwargs)
            aux = None
            if has_aux:
                result, aux = result
            own = _tensors([leaf for f in flat for leaf in f[0]])
            outputs, build = _flatten(result)
            made = []
            for o in outputs:
                columns = iter(_outside(c, own, record) for c in _rows(o, own))
                trees = [f[1]([next(columns) if isinstance(v, Tensor) else v for v in f[0]]) for f in flat]
                made.append(tuple(trees) if many else trees[0])
        jacobian = build(made)
        return (jacobian, _map(lambda t: _outside(t, own, record), aux)) if has_aux else jacobian
    return wrapper


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """As ``jacrev``: rushlight has no forward mode yet, so the columns come from backward passes too."""
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func, argnums=0):
    """A function that returns the second derivatives of ``func``, of shape input + input for a scalar output."""
    return jacrev(jacrev(func, argnums), argnums)


def __getattr__(name):
    if name == "vmap":
        raise AttributeError("module 'torch.func' has no attribute 'vmap'\nrushlight has no vmap yet: broadcast, or loop and torch.stack.")
    raise AttributeError(f"module 'torch.func' has no attribute '{name}'\nrushlight has {', '.join(__all__)} there.")
