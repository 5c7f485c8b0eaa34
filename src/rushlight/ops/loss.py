"""Losses between numbers: squared, absolute, Huber's, the binary cross entropies, and likelihoods.

The common ones are operators with a rule; their mean or sum belongs to the operator, so that no tensor of the
losses of all elements is recorded. The others are written over operators.
"""
import math
import sys
import warnings

import numpy as np

from ..kernels.errors import refuse, scalar_name, uncastable
from ..kernels.loss import reduced
from ..tensor import _PACKAGE, Tensor
from ._reduced import plain
from .call import broadcast_shapes
from .declare import Array, OptionalArray, both, composite, op
from .late import torch
from .reduction import apply_reduction, constant, mean_factor, reduction_name, reduction_of
from .table import namespaces

F = namespaces["nn.functional"]


def _count(x):
    n = 1
    for m in x.shape:
        n *= m
    return n


def warn_sizes(input, target):
    """PyTorch's warning for losses between tensors of different shapes."""
    if target.size() != input.size():
        frame, level = sys._getframe(1), 2      # the warning is of the user's line, also where a module or a functional form calls
        while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
            frame, level = frame.f_back, level + 1
        warnings.warn(f"Using a target size ({target.shape}) that is different to the input size "
                      f"({input.shape}). This will "
                      "likely lead to incorrect results due to broadcasting. Please ensure they have the "
                      "same size.",
                      stacklevel=level)


def _same_shape(input, target):
    """Tensors of two dtypes broadcast to one shape: a 0-d one has its say in the dtype of the result then."""
    if input._a.dtype == target._a.dtype or input._a.shape == target._a.shape:
        return input, target
    return torch.broadcast_tensors(input, target)


def _rounded(loss, dtype, reduction):
    """The losses of all elements rounded to ``dtype`` and reduced without further loss of digits."""
    if loss.dtype == dtype:
        return reduced(loss, reduction)
    return np.asarray(reduced(loss.astype(dtype).astype(loss.dtype), reduction)).astype(dtype)


def _weighted(loss, input, weight, reduction, by_weight):
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.sum() / weight.sum() if by_weight else loss.mean()
    return loss.sum()


# ---------------------------------------------------------------- squared and absolute errors

@op(promote="arith", space="nn.functional", function=False, out=False)
def mse_loss(input: Array, target: Array, reduction="mean"):
    """The squared difference."""
    if input.dtype.kind != "f":
        raise refuse("mse_cpu", input.dtype)
    d = np.subtract(input, target)
    if reduction == "none":
        return np.multiply(d, d)
    flat = d.ravel()
    total = flat.dot(flat)
    if reduction == "mean":
        return total / total.dtype.type(d.size) if d.size else np.full((), np.nan, d.dtype)
    return total


def _mse_rule(g, input, target, reduction):
    d = input - target
    return d * (g * (2 * mean_factor(reduction, _count(d))))


mse_loss.derivative(
    input=_mse_rule, target=lambda g, input, target, reduction: -_mse_rule(g, input, target, reduction)
)


@composite(space="nn.functional", name="mse_loss")
def _mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The mean of the squared differences, or their ``sum``, or all of them (``none``).

    Shapes broadcast, with a warning. With ``weight`` the mean is the weighted one.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.mse_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(2.)
    """
    try:
        differ = input._a.shape != target._a.shape
    except AttributeError:
        differ = target.size() != input.size()           # no tensors: the error names what PyTorch asks for
    if differ:
        warn_sizes(input, target)
    if size_average is not None or reduce is not None or reduction not in ("mean", "sum", "none"):
        reduction = reduction_of(size_average, reduce, reduction)
    if input._a.dtype != target._a.dtype:
        input, target = _same_shape(input, target)
    if weight is not None:
        return _weighted((input - target) ** 2, input, weight, reduction, True)
    return _mse_op(input, target, reduction)


_mse_op = mse_loss.public


@composite(space="nn.functional")
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The mean of the absolute differences, or their ``sum``, or all of them (``none``)."""
    warn_sizes(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    input, target = _same_shape(input, target)
    loss = (input - target).abs()
    if weight is not None:
        return _weighted(loss, input, weight, reduction, True)
    return apply_reduction(loss, reduction)


def _huber(d, inner, slope):
    """Quadratic within ``inner``, linear outside: 0.5 d^2 * (slope / inner), slope * (|d| - inner / 2)."""
    size = np.abs(d)
    kind = d.dtype.type
    return np.where(size < inner, d * d * kind(0.5 * slope / inner), (size - kind(0.5 * inner)) * kind(slope))


@op(promote="arith", space="nn.functional", function=False, out=False)
def smooth_l1_loss(input: Array, target: Array, reduction="mean", beta=1.0):
    """Squared near 0, absolute further out."""
    if input.dtype.kind != "f":
        raise refuse("smooth_l1_cpu", input.dtype)
    return reduced(_huber(input - target, beta, 1.0), reduction)


@op(promote="arith", space="nn.functional", function=False, out=False)
def huber_loss(input: Array, target: Array, reduction="mean", delta=1.0):
    """``delta`` times the smooth loss with ``beta = delta``."""
    if input.dtype.kind != "f":
        raise refuse("huber_cpu", input.dtype)
    return reduced(_huber(input - target, delta, delta), reduction)


@op(function=False, out=False, grad_name="HuberLossBackward0")
def _huber_of_two(input: Array, target: Array, reduction, delta):
    """``huber_loss`` of two dtypes: the result is of the input's, and PyTorch has no gradient of it."""
    if input.dtype.kind in "iub" and target.dtype.kind not in "iub" or target.dtype.kind == "c" != input.dtype.kind:
        raise uncastable(target.dtype, input.dtype)
    if input.dtype.kind in "iubc":
        raise refuse("huber_cpu", input.dtype)
    kind = np.float64 if np.float64 in (input.dtype, target.dtype) else np.float32
    loss = _huber(input.astype(kind) - target.astype(kind), delta, delta)
    return _rounded(loss, input.dtype, reduction)


def _refuse_two(g, input, target):
    raise RuntimeError(f"Found dtype {scalar_name(plain(target).dtype)} but expected {scalar_name(plain(input).dtype)}"
                       "\nConvert the target with .to(dtype) before the loss.")


_huber_of_two.derivative(input=_refuse_two, target=_refuse_two)


def _huber_rule(g, input, target, reduction, inner, slope):
    d = input - target
    return g * (both.clamp(d, -inner, inner) * (slope / inner * mean_factor(reduction, _count(d))))


smooth_l1_loss.derivative(
    input=lambda g, input, target, reduction, beta: _huber_rule(g, input, target, reduction, beta, 1.0),
    target=lambda g, input, target, reduction, beta: -_huber_rule(g, input, target, reduction, beta, 1.0))
huber_loss.derivative(
    input=lambda g, input, target, reduction, delta: _huber_rule(g, input, target, reduction, delta, delta),
    target=lambda g, input, target, reduction, delta: -_huber_rule(g, input, target, reduction, delta, delta))


@composite(space="nn.functional", name="smooth_l1_loss")
def _smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """``0.5 d^2 / beta`` where ``|d| < beta``, else ``|d| - 0.5 beta``, reduced (Girshick 2015).

    RuntimeError for a negative ``beta``; 0 gives ``l1_loss``.
    """
    warn_sizes(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if beta == 0:
        return apply_reduction((input - target).abs(), reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    input, target = _same_shape(input, target)
    return smooth_l1_loss(input, target, reduction, float(beta))


@composite(space="nn.functional", name="huber_loss")
def _huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """``0.5 d^2`` where ``|d| < delta``, else ``delta (|d| - 0.5 delta)``, reduced (Huber 1964).

    RuntimeError unless ``delta`` is positive.
    """
    warn_sizes(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    reduction = reduction_of(None, None, reduction)
    if input._a.dtype != target._a.dtype:
        loss = _huber_of_two(input, target, reduction if weight is None else "none", float(delta))
        return loss if weight is None else _weighted(loss, input, weight, reduction, False)
    if weight is not None:
        return _weighted(huber_loss(input, target, "none", float(delta)), input, weight, reduction, False)
    return huber_loss(input, target, reduction, float(delta))


# ---------------------------------------------------------------- binary cross entropy

@op(space="nn.functional", function=False, out=False)
def binary_cross_entropy(input: Array, target: Array, weight: OptionalArray = None, reduction="mean"):
    """``-(target log(input) + (1 - target) log(1 - input))``, the logarithms not below -100."""
    if target.dtype != input.dtype:
        raise RuntimeError(f"Found dtype {scalar_name(target.dtype)} but expected {scalar_name(input.dtype)}"
                           "\nConvert the target with .to(dtype).")
    if input.dtype.kind in "iubc":
        raise refuse("binary_cross_entropy", input.dtype)
    if not ((input >= 0) & (input <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1\nApply sigmoid first, or use the "
                           "loss with logits.")
    if not ((target >= 0) & (target <= 1)).all():
        raise RuntimeError("all elements of target should be between 0 and 1\nThe targets are probabilities too.")
    floor = input.dtype.type(-100)
    loss = (target - 1) * np.maximum(np.log1p(-input), floor) - target * np.maximum(np.log(input), floor)
    if weight is not None:
        loss = (loss * weight).astype(input.dtype, copy=False)
    return reduced(loss, reduction)


def _bce_to_input(g, input, target, weight, reduction):
    # PyTorch keeps the denominator from 0 in the same way.
    made = g * (
        (input - target) / both.clamp(input * (1 - input), 1e-12) * mean_factor(reduction, _count(input))
    )
    return made if weight is None else made * weight


def _bce_to_target(g, input, target, weight, reduction):
    made = g * ((both.log1p(-input) - both.log(input)) * mean_factor(reduction, _count(input)))
    return made if weight is None else made * weight


binary_cross_entropy.derivative(input=_bce_to_input, target=_bce_to_target)


@composite(space="nn.functional", name="binary_cross_entropy")
def _binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The cross entropy of ``target`` in [0, 1] under probabilities ``input``, reduced.

    ValueError for different shapes, RuntimeError for an input outside [0, 1].
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size "
                         f"({input.shape}) is "
                         "deprecated. Please ensure they have the same size.")
    constant("binary_cross_entropy", weight=weight)
    return binary_cross_entropy(input, target, weight, reduction)


@op(space="nn.functional", function=False, out=False)
def binary_cross_entropy_with_logits(input: Array, target: Array, weight: OptionalArray = None,
                                     pos_weight: OptionalArray = None, reduction="mean"):
    """``(1 - target) input + c log(1 + exp(-input))`` with ``c = 1 + (pos_weight - 1) target``, without
    overflow."""
    if input.dtype.kind != "f":
        raise refuse("log_sigmoid_cpu", input.dtype)
    if target.dtype.kind in "iub":           # PyTorch writes the loss into a tensor of the target's dtype
        if target.dtype.kind == "b":
            raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                               "`logical_xor()` operator instead.\nConvert the target with .to(input.dtype).")
        raise uncastable(input.dtype, target.dtype)
    for other in (pos_weight, weight):
        if other is not None and other.shape != input.shape:
            broadcast_shapes(input.shape, other.shape) if other is weight else broadcast_shapes(other.shape, input.shape)
    soft = np.log1p(np.exp(-np.abs(input))) - np.minimum(input, 0)          # log(1 + exp(-x))
    loss = (1 - target) * input
    loss = loss + (soft if pos_weight is None else ((pos_weight - 1) * target + 1) * soft)
    if weight is not None:
        loss = loss * weight
    return reduced(loss.astype(target.dtype, copy=False), reduction)


def _logits_to_input(g, input, target, weight, pos_weight, reduction):
    s = both.sigmoid(input)
    if pos_weight is None:
        made = s - target
    else:
        both_ways = pos_weight * target
        made = (both_ways + 1 - target) * s - both_ways
    made = made * (g * mean_factor(reduction, _count(made)))
    return made if weight is None else made * weight


def _logits_to_target(g, input, target, weight, pos_weight, reduction):
    made = -input
    if pos_weight is not None:
        made = both.logsigmoid(-input) - pos_weight * both.logsigmoid(input)
    made = made * (g * mean_factor(reduction, _count(made)))
    return made if weight is None else made * weight


binary_cross_entropy_with_logits.derivative(input=_logits_to_input, target=_logits_to_target)


@composite(space="nn.functional", name="binary_cross_entropy_with_logits")
def _binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """``binary_cross_entropy(sigmoid(input), target)``, without overflow; ``pos_weight`` weighs the positive
    targets.

    ValueError for different shapes.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    constant("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    return binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


@composite(name="binary_cross_entropy_with_logits")
def _torch_binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    """``nn.functional.binary_cross_entropy_with_logits`` with the reduction as a number."""
    constant("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    return binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction_name(reduction))


# ---------------------------------------------------------------- likelihoods

def _kl(input, target, log_target):
    for name, t in (("input", input), ("target", target)):
        if not isinstance(t, Tensor):
            raise TypeError(f"kl_div(): argument '{name}' must be Tensor, not {type(t).__name__}")
    for kind, found in (("Complex", "c"), ("Integral", "iub")):
        if input._a.dtype.kind in found or target._a.dtype.kind in found:
            raise RuntimeError(f"kl_div: {kind} inputs not supported.\nConvert both with .to(torch.float32).")
    if log_target:
        return target.exp() * (target - input)
    return torch.xlogy(target, target) - target * input


@composite(space="nn.functional")
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """The pointwise Kullback-Leibler divergence ``target (log target - input)``, reduced.

    ``input`` holds log-probabilities; ``target`` too if ``log_target``. ``batchmean`` divides the sum by the
    batch size.
    """
    batch = False
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    elif reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support "
                      "size.'batchmean' "
                      "divides only by the batch size, and aligns with the KL div math definition.'mean' "
                      "will be changed to "
                      "behave the same as 'batchmean' in the next major release.", stacklevel=3)
    elif reduction == "batchmean":
        reduction, batch = "sum", True
    loss = apply_reduction(_kl(input, target, log_target), reduction_of(None, None, reduction))
    return loss / input.shape[0] if batch and input.ndim else loss


@composite(name="kl_div")
def _torch_kl_div(input, target, reduction=0, *, log_target=False):
    """``nn.functional.kl_div`` with the reduction as a number."""
    return apply_reduction(_kl(input, target, log_target), reduction_name(reduction))


def _poisson(input, target, log_input, full, eps, reduction):
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + torch.where(target > 1, stirling, torch.zeros_like(stirling))
    return apply_reduction(loss, reduction)


@composite(space="nn.functional")
def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
):
    """The negative log likelihood of counts ``target`` under a Poisson rate ``exp(input)``, or ``input``.

    ``full`` adds Stirling's approximation of ``log(target!)``.
    """
    return _poisson(input, target, log_input, full, eps, reduction_of(size_average, reduce, reduction))


@composite(name="poisson_nll_loss")
def _torch_poisson_nll_loss(input, target, log_input, full, eps, reduction):
    """``nn.functional.poisson_nll_loss`` with the reduction as a number."""
    return _poisson(input, target, log_input, full, eps, reduction_name(reduction))


@composite(space="nn.functional")
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """The negative log likelihood of ``target`` under normal distributions of mean ``input`` and variance
    ``var``.

    ``var`` has the input's shape, or lacks its last dimension, or has size 1 in one dimension, or is a
    number; it is kept at ``eps`` at least. ``full`` adds ``log(2 pi) / 2``. ValueError for negative or
    ill-shaped variances.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch.ones_like(input)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif not (input.ndim == var.ndim and sum(y for x, y in zip(input.shape, var.shape) if x != y) == 1):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    # The clamp is invisible to the gradient: a variance below eps still learns.
    var = var + (var.detach().clamp(min=eps) - var.detach())
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return apply_reduction(loss, reduction)


@op(space="nn.functional", function=False, out=False)
def soft_margin_loss(input: Array, target: Array, reduction="mean"):
    """``log(1 + exp(-target * input))``."""
    if input.dtype.kind in "iub":    # PyTorch writes the loss into a tensor like the input
        raise uncastable(target.dtype if target.dtype.kind not in "iub" else np.float32, input.dtype)
    if target.shape != input.shape:
        shape = broadcast_shapes(input.shape, target.shape)
        if shape != input.shape:
            raise RuntimeError(f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(shape)}"
                               "\nThe target must broadcast to the input's shape.")
    kind = np.result_type(input, np.float32) if input.dtype.kind in "fc" else np.float32
    x = input.astype(kind, copy=False)
    return _rounded(np.log1p(np.exp(-target.astype(kind, copy=False) * x)), input.dtype, reduction)


def _soft_margin_rule(g, input, target, reduction):
    made = -target * both.sigmoid(-target * input)
    return made * (g * mean_factor(reduction, _count(made)))


soft_margin_loss.derivative(input=_soft_margin_rule)


@composite(space="nn.functional", name="soft_margin_loss")
def _soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """``log(1 + exp(-target * input))`` for targets of 1 and -1, reduced."""
    constant("soft_margin_loss", target=target)
    return soft_margin_loss(input, target, reduction_of(size_average, reduce, reduction))


@composite(space="nn.functional")
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The binary cross entropy with logits, averaged over the classes (the last dimension), then reduced."""
    reduction = reduction_of(size_average, reduce, reduction)
    soft = F["logsigmoid"]
    loss = -(target * soft(input) + (1 - target) * soft(-input))
    if weight is not None:
        loss = loss * weight
    return apply_reduction(loss.sum(-1) / input.shape[-1] if input.ndim else loss, reduction)
