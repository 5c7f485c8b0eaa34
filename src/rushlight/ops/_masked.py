"""What the functions of ``torch.masked`` share: the mask in the input's shape, and the input with its masked-out elements made neutral.

A mask is true where an element counts. Nothing is skipped when a function computes: what does not count is replaced by a number that
changes nothing (0 in a sum, -inf in a maximum), and the plain operator does the rest. So derivatives come by themselves, those of
masked-out elements being 0. Errors are PyTorch's, which come from the replacing: what has no neutral number cannot be masked.
"""
from ..dtypes import bool_, iinfo, uint8
from ..tensor import Tensor
from . import table
from .late import torch

__all__ = ["on_page", "need_tensor", "dims_of", "mask_like", "neutral", "neutralized"]

inf, nan = float("inf"), float("nan")
_FIXED = {"sum": 0, "prod": 1, "median": nan}
_LEAST = frozenset(("amax", "argmax", "logaddexp", "logsumexp"))


def on_page(function):
    """Put a function called ``masked_<name>`` on the page ``torch.masked`` as ``name``.

    The operators inside it answer to ``__torch_function__``; it does not itself, as in PyTorch.
    """
    function.__name__ = function.__name__.removeprefix("masked_")
    table.publish_late("masked", function.__name__, function)
    return function


def need_tensor(x):
    """AttributeError, which is PyTorch's, for what is no tensor."""
    if not isinstance(x, Tensor):
        kind = type(x)
        name = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise AttributeError(f"'{name}' object has no attribute 'layout'\nConvert it with torch.as_tensor.")


def dims_of(dim, ndim):
    """The dimensions that ``dim`` means, counted from 0 and in order: all for None and ``()``, the one for an int."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    known = max(ndim, 1)
    found = []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims\nName each dimension once.")
        if d >= known or d < -known:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-known}, {known - 1}], but got {d})")
        found.append(d % known)
    return tuple(sorted(found))


def mask_like(input, mask):
    """A mask as a bool Tensor of the input's shape."""
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)\n"
                             f"The mask has shape {tuple(mask.shape)}, the input {tuple(input.shape)}.")
        mask = torch.broadcast_to(mask.clone(), input.shape)
    return mask.to(dtype=bool_)


def neutral(name, input, ord=None):
    """The number that changes nothing in the function ``name`` of tensors such as ``input``."""
    dtype = input.dtype
    if name in _FIXED:
        return _FIXED[name]
    if name == "norm":
        if ord != -inf:
            return 0
        if not dtype.is_floating_point:
            raise AssertionError(f"input must be floating point, got {dtype}\nThe (-inf)-norm needs a number above all others.")
        return inf
    least = name in _LEAST
    if dtype.is_floating_point:
        return -inf if least else inf
    if dtype.is_complex and name == "logsumexp":
        return complex(-inf, 0)
    if dtype.is_signed or dtype is uint8:
        return iinfo(dtype).min if least else iinfo(dtype).max
    raise NotImplementedError(f"identity of {name} on {dtype} input\nConvert the input to a signed or floating dtype first.")


def neutralized(name, input, mask, ord=None):
    """``input`` with a neutral number wherever ``mask`` is false; ``input`` itself if there is no mask."""
    need_tensor(input)
    if mask is None:
        return input
    mask = mask_like(input, mask)
    return torch.where(mask, input, torch.full((), neutral(name, input, ord), dtype=input.dtype, device=input.device))
