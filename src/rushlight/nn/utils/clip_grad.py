"""Keeping gradients within bounds: the norm of all of them together, or each element."""

import math
import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from rushlight.autograd.blame import leaf_name
from rushlight.autograd.modes import no_grad
from rushlight.nn._ops import tensor as make_tensor
from rushlight.tensor import Tensor, wrap

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


_NONFINITE = (
    "The total norm of order {} for gradients from `parameters` is non-finite, so it cannot be clipped. To disable this error and "
    "scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
)
_NAMED = 3  # parameters that an error names


def _first_bad(params: list[Tensor]) -> str:
    """A sentence that names the first parameters whose gradients hold NaN or Inf."""
    bad = []
    for number, param in enumerate(params):
        grad = param.grad
        if grad is not None and not np.isfinite(array := _countable(grad._a)).all():
            name = leaf_name(param) or f"number {number}, of shape {list(param.shape)}"
            bad.append(f"{name} ({int(np.isnan(array).sum())} NaN and {int(np.isinf(array).sum())} Inf of {array.size} values)")
    if not bad:
        return "\nEvery gradient is finite, and too large for the norm."
    more = len(bad) - _NAMED
    return "\nNot finite: the gradient of " + ", ".join(bad[:_NAMED]) + (f" and {more} more." if more > 0 else ".")


def _countable(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind in "fc" else array.astype(np.float32)


def _as_list(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _vector_norm(array: np.ndarray, order: float) -> Any:
    """The norm of all elements, in the array's own dtype (accumulated in float32 for the half types)."""
    flat = np.abs(array if array.dtype.kind in "fc" else array.astype(np.float32)).reshape(-1)
    if order == math.inf:
        return flat.max(initial=0)
    if order == -math.inf:
        return flat.min(initial=math.inf)
    work = flat.astype(np.float32) if flat.dtype.itemsize < 4 else flat
    if order == 0:
        value = np.count_nonzero(work)
    elif order == 1:
        value = work.sum()
    elif order == 2:
        value = np.sqrt(np.dot(work, work))
    else:
        value = (work**order).sum() ** (1 / order)
    return np.asarray(value, dtype=array.dtype if array.dtype.kind not in "c" else flat.dtype)[()]


@no_grad()
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of the norms of all tensors, as of one long vector.

    Raises RuntimeError for a NaN or infinite norm if ``error_if_nonfinite``.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.utils.get_total_norm([torch.tensor([3.]), torch.tensor([4.])])
        tensor(5.)
    """
    given = _as_list(tensors)
    norm_type = float(norm_type)
    if not given:
        return make_tensor(0.0)
    with np.errstate(all="ignore"):
        norms = np.array([_vector_norm(t._a, norm_type) for t in given])
        total = wrap(np.asarray(_vector_norm(norms, norm_type)))
    if error_if_nonfinite and not np.isfinite(total._a):
        raise RuntimeError(_NONFINITE.format(norm_type))
    return total


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients by max_norm / total_norm, in place, if that is less than 1."""
    scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for param in _as_list(parameters):
        if param.grad is not None:
            param.grad.mul_(scale)


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients of ``parameters`` in place so that their total norm is at most ``max_norm``.

    Returns the total norm as it was before. Raises RuntimeError as ``get_total_norm`` does, and names the first parameters whose
    gradients are at fault.

    Example::

        >>> import rushlight as torch
        >>> w = torch.zeros(2, requires_grad=True)
        >>> w.grad = torch.tensor([3., 4.])
        >>> torch.nn.utils.clip_grad_norm_(w, 1.0)
        tensor(5.)
        >>> w.grad
        tensor([0.6000, 0.8000])
    """
    params = _as_list(parameters)
    if not params and isinstance(parameters, types.GeneratorType):
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    grads = [param.grad for param in params if param.grad is not None]
    total = get_total_norm(grads, norm_type, False, foreach)
    if error_if_nonfinite and not np.isfinite(total._a):
        raise RuntimeError(_NONFINITE.format(float(norm_type)) + _first_bad(params))
    clip_grads_with_norm_(params, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The old name of ``clip_grad_norm_``; warns with a FutureWarning."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Cut every element of the gradients to [-clip_value, clip_value], in place."""
    clip_value = float(clip_value)
    for param in _as_list(parameters):
        if param.grad is not None:
            param.grad.clamp_(min=-clip_value, max=clip_value)
