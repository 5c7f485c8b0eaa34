"""What the rules of reductions share: bringing a gradient back to the shape of what was reduced.

Rules run on arrays or on Tensors. ``spread`` undoes the loss of dimensions for both; ``plain`` and ``like``
let a rule compute a constant (a mask, a count) on arrays and use it beside a Tensor.
"""
import numpy as np

from ..autograd import modes
from ..kernels.reduce import kept_shape, wide
from ..tensor import Tensor, wrap
from . import call

__all__ = ["spread", "keep", "divided", "plain", "like", "total", "give", "need_tensor"]

_new_array = np.ndarray


def plain(x):
    """The array of a Tensor; arrays as they are."""
    return x._a if isinstance(x, Tensor) else x


def like(g, array):
    """A constant array in the world of ``g``: wrapped if that is a Tensor."""
    return wrap(np.asarray(array)) if isinstance(g, Tensor) else array


def keep(g, shape, dim, keepdim):
    """A reduction's result or gradient with its lost dimensions back, of length 1."""
    if keepdim or not shape:
        return g
    return g.reshape(kept_shape(shape, dim))


def spread(g, shape, dim, keepdim):
    """The gradient ``g`` of a reduction of a tensor of ``shape``, repeated over what was reduced (without
    copying).
    """
    if isinstance(g, Tensor):
        return keep(g, shape, dim, keepdim).expand(shape)
    if g.dtype.kind == "V":
        return np.broadcast_to(keep(g, shape, dim, keepdim), shape)
    if dim is None:
        return _new_array(shape, g.dtype, g, 0, (0,) * len(shape)) if g.size else np.zeros(shape, g.dtype)
    g = keep(g, shape, dim, keepdim)
    return np.broadcast_to(g, shape)


def divided(g, n):
    """``g`` shared out among ``n``; a half type in float32, which holds counts that it does not."""
    return (g if isinstance(g, Tensor) else wide(np.asarray(g))) / (n or 1)


def total(first, second):
    """The sum of two gradients of which one may be missing."""
    return second if first is None else first if second is None else first + second


def give(out, made, name):
    """The result of a composite: itself, or written into the Tensor given as ``out=``."""
    if out is None:
        return made
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}\nPass a Tensor "
                        "to write into.")
    if modes.state.grad and (made.requires_grad or out.requires_grad):
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                           "differentiation, but one of the "
                           "arguments requires grad.\nCall it without out=, or under torch.no_grad().")
    call.put_out(out, made._a, name)
    return out


def need_tensor(name, argument, x):
    """TypeError if the first argument of a composite is no Tensor."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position 1) must be Tensor, not {type(x).__name__}"
                        "\nConvert it with torch.as_tensor.")
