"""Losses over classes: the negative log likelihood and the cross entropy of logits."""
import copy

import numpy as np

from ..autograd import modes
from ..kernels import loss as kernels
from ..kernels.errors import only_floating
from ..kernels.quiet import hush, nameless, unhush
from ..tensor import Tensor, wrap
from .call import invoke, overridable
from .declare import Array, OptionalArray, both, composite, op
from .functional_form import F32, F64, edge_of, remember
from .late import torch
from .reduction import constant, reduction_of
from .table import namespaces
from .tie import tied

F = namespaces["nn.functional"]


def wide(x, name):
    """The array in float32 at least; what is not floating is refused."""
    if x.dtype.kind == "f" and x.itemsize > 2:
        return x
    only_floating(name, x)
    return x.astype(np.float32)


def _plain(x):
    return x._a if isinstance(x, Tensor) else x


@op(space="nn.functional", function=False, out=False, extras=("total",))
def nll_loss(input: Array, target: Array, weight: OptionalArray = None, ignore_index=-100, reduction="mean"):
    """Minus the element of ``input`` at each target class, weighted and reduced."""
    x, w = wide(input, "nll_loss_out_frame"), weight if weight is None else wide(weight, "nll_loss_out_frame")
    loss, total = kernels.nll(x, target, w, ignore_index, reduction)
    return loss.astype(input.dtype, copy=False), {"total": total}


@op(function=False, out=False)
def nll_loss_backward(
    grad: Array, target: Array, weight: OptionalArray, ignore_index, reduction, total, shape
):
    """The gradient of nll_loss; it is linear in ``grad``, and nll_loss is its derivative."""
    return kernels.nll_gradient(grad, target, weight, ignore_index, reduction, total, shape, grad.dtype)


nll_loss_backward.derivative(grad=lambda g, target, weight, ignore_index, reduction:
                             both.nll_loss(g, target, weight, ignore_index, reduction))
nll_loss.derivative(input=lambda g, input, target, weight, ignore_index, reduction, total, input_shape: tied(
    both.nll_loss_backward(g, target, weight, ignore_index, reduction, _plain(total), input_shape), input))


@op(
    space="nn.functional",
    function=False,
    out=False,
    extras=("log_sum", "total"),
    grad_name="NllLossBackward0",
)
def cross_entropy(
    input: Array, target: Array, weight: OptionalArray = None, ignore_index=-100, reduction="mean"
):
    """``nll_loss(log_softmax(input))`` for targets that are class indices, in one operator.

    Kept for the backward pass are the input and the logarithm of each row's sum: as much as PyTorch keeps.
    """
    name = "log_softmax_lastdim_kernel_impl"
    x, w = wide(input, name), weight if weight is None else wide(weight, name)
    loss, log_sum, total = kernels.cross_entropy(x, target, w, ignore_index, reduction)
    return loss.astype(input.dtype, copy=False), {"log_sum": log_sum, "total": total}


@op(function=False, out=False)
def cross_entropy_backward(
    grad: Array, input: Array, target: Array, weight: OptionalArray, ignore_index, reduction, log_sum, total
):
    """The gradient of cross_entropy: ``(softmax(input) - one_hot(target)) * weights * grad``."""
    return kernels.cross_entropy_gradient(
        grad, wide(input, "cross_entropy"), target, weight, ignore_index, reduction, log_sum, total
    )


@op(function=False, out=False, differentiable=False)
def row_weights(input: Array, target: Array, weight: OptionalArray, ignore_index, reduction):
    """The factor of each row in the loss, with the dimension of classes kept."""
    rows, total = kernels.row_weights(input, target, weight, ignore_index)
    return rows / total if reduction == "mean" else rows


def _second_to_grad(g, input, target, weight, ignore_index, reduction):
    """The loss changes along ``g`` by: the mean of g under softmax, minus g at the target, weighted."""
    dim = 1 if input.ndim > 1 else 0
    rows = both.row_weights(input, target, weight, ignore_index, reduction)
    mean = ((both.softmax(input, dim) * g).sum(axis=dim, keepdims=True) * rows)
    mean = mean.reshape(tuple(target.shape)) if reduction == "none" else mean.sum()
    return mean + both.nll_loss(g, target, weight, ignore_index, reduction)


def _second_to_input(g, grad, input, target, weight, ignore_index, reduction):
    dim = 1 if input.ndim > 1 else 0
    rows = both.row_weights(input, target, weight, ignore_index, reduction)
    if grad.ndim:
        grad = grad.reshape(tuple(rows.shape))
    return both.softmax_backward(g, both.softmax(input, dim), dim) * (grad * rows)


cross_entropy_backward.derivative(grad=_second_to_grad, input=_second_to_input)
cross_entropy.derivative(
    input=lambda g, input, target, weight, ignore_index, reduction, log_sum, total: (
        both.cross_entropy_backward(
            g, input, target, weight, ignore_index, reduction, _plain(log_sum), _plain(total)
        )
    )
)


def _named(op, name):
    made = copy.copy(op)
    made.grad_name, made.plans = name, {}
    return made


# PyTorch names the graph's node after the number of dimensions.
NLL, NLL_2D = nll_loss, _named(nll_loss, "NllLoss2DBackward0")
ENTROPY, ENTROPY_2D = cross_entropy, _named(cross_entropy, "NllLoss2DBackward0")
I64 = np.dtype(np.int64)
NEVER = [0]
state = modes.state


@composite(space="nn.functional", name="nll_loss")
def _nll_loss(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
):
    """Minus the log-probability of each target class, averaged.

    ``input``: (C), (N, C) or (N, C, d1, ...), log-probabilities; ``target``: (), (N) or (N, d1, ...), int64
    in [0, C), or ``ignore_index``, which does not count. ``weight``: (C), a weight for each class; the mean
    is the weighted one. Raises ValueError or RuntimeError for shapes that do not fit, IndexError for a target
    out of bounds.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.nll_loss(torch.tensor([[-1., -2.]]), torch.tensor([1]))
        tensor(2.)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    return invoke(
        NLL_2D if getattr(input, "ndim", 0) > 2 else NLL, (input, target, weight, ignore_index, reduction)
    )


def _probabilities(input, target, weight, reduction, label_smoothing):
    """Cross entropy with a distribution over the classes for each row."""
    if not target.is_floating_point():
        raise RuntimeError("Expected floating point type for target with class probabilities, got "
                           f"{target.dtype.scalar_name}"
                           "\nA target of the input's shape is taken for probabilities.")
    dim = 0 if input.ndim == 1 else 1
    classes = input.shape[dim]
    if weight is not None and (weight.ndim != 1 or weight._a.size != classes):
        raise RuntimeError(f"cross_entropy: weight tensor should be defined either for all {classes} classes "
                           "or no classes but "
                           f"got weight tensor of shape: {list(weight.shape)}")
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    loss = torch.log_softmax(input, dim) * target
    if weight is not None:
        loss = loss * weight.reshape([classes if i == dim else 1 for i in range(input.ndim)])
    if reduction == "none":
        return -loss.sum(dim)
    if reduction == "sum":
        return -loss.sum()
    return -loss.sum() / (input._a.size // classes if input._a.size else 0)


def _smoothed(input, target, weight, ignore_index, reduction, label_smoothing):
    """Cross entropy with indices, a share of each target spread evenly over all classes."""
    dim = 0 if input.ndim == 1 else 1
    classes = input.shape[dim]
    logs = torch.log_softmax(input, dim)
    nll = invoke(NLL_2D if input.ndim > 2 else NLL, (logs, target, weight, ignore_index, reduction))
    spread = -(
        logs
        if weight is None
        else logs * weight.reshape([classes if i == dim else 1 for i in range(input.ndim)])
    )
    spread = spread.sum(dim)
    ignored = target == ignore_index
    spread = torch.where(ignored, torch.zeros_like(spread), spread)
    if reduction == "sum":
        spread = spread.sum()
    elif reduction == "mean":
        if weight is None:
            spread = spread.sum() / int((~ignored._a).sum())
        else:
            safe = wrap(np.where(ignored._a, 0, target._a))
            counted = torch.where(ignored, torch.zeros_like(spread.detach()), weight[safe])
            spread = spread.sum() / counted.sum()
    return (1 - label_smoothing) * nll + (label_smoothing / classes) * spread


def _full_cross_entropy(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
):
    reduction = reduction_of(size_average, reduce, reduction, 5)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if isinstance(input, Tensor) and isinstance(target, Tensor):
        if input._a.shape == target._a.shape:
            if ignore_index >= 0:
                raise RuntimeError("ignore_index is not supported for floating point target"
                                   "\nGive class indices, or leave ignore_index out.")
            return _probabilities(input, target, weight, reduction, label_smoothing)
        if label_smoothing > 0:
            return _smoothed(input, target, weight, ignore_index, reduction, label_smoothing)
    constant("nll_loss_forward", weight=weight)
    return invoke(
        ENTROPY_2D if getattr(input, "ndim", 0) > 2 else ENTROPY,
        (input, target, weight, ignore_index, reduction),
    )


_full = overridable(_full_cross_entropy, "cross_entropy")


@nameless
def _cross_entropy(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
):
    """The cross entropy of softmax probabilities of the logits ``input``, averaged.

    ``input``: (C), (N, C) or (N, C, d1, ...). ``target``: class indices (int64) of shape (), (N) or (N, d1,
    ...), of which ``ignore_index`` does not count, or probabilities of the input's shape. ``weight``: (C), a
    weight for each class; with indices the mean is the weighted one. ``label_smoothing`` in [0, 1] spreads
    that share of each target over all classes (Szegedy and others 2016). Raises ValueError or RuntimeError
    for shapes that do not fit, IndexError for a target out of bounds.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.cross_entropy(torch.tensor([[0., 0.]]), torch.tensor([1]))
        tensor(0.6931)
    """
    if modes.plain and weight is None and label_smoothing == 0.0 and size_average is None and reduce is None \
            and (reduction == "mean" or reduction == "sum"):
        try:
            x = input._a
            y = target._a
            d = x.dtype
            if x.ndim == 2 and y.ndim == 1 and y.dtype is I64 and (d is F32 or d is F64):
                token = hush()
                try:
                    loss, log_sum, total = kernels.cross_entropy(x, y, None, ignore_index, reduction)
                finally:
                    unhush(token)
                t = wrap(loss)
                if input._rg and state.grad:
                    e0 = edge_of(input)
                    if e0 is not None:
                        c0, c1 = input._cell(), target._cell()
                        remember(
                            t,
                            ENTROPY.plan((True, False, False)),
                            (e0, None, None),
                            (x, y, None, ignore_index, reduction, log_sum, total),
                            (c0, c0[0], c1, c1[0], NEVER, 0),
                        )
                return t
        except (AttributeError, TypeError, ArithmeticError):
            pass      # the long way knows what to say
    return _full(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)


_cross_entropy.__name__ = _cross_entropy.__qualname__ = "cross_entropy"
_cross_entropy.__module__ = "torch.nn.functional"
F["cross_entropy"] = _cross_entropy


@composite(space="nn.functional")
def linear_cross_entropy(
    input,
    linear_weight,
    target,
    *,
    linear_bias=None,
    weight=None,
    reduction="mean",
    ignore_index=None,
    label_smoothing=0.0,
    options=None,
):
    """``cross_entropy(linear(input, linear_weight, linear_bias), target)``.

    ``input``: (N, in) or (in); ``linear_weight``: (C, d1, ..., in). ``options`` belongs to PyTorch's way of
    computing it in pieces, which changes no result; RuntimeError for shapes that do not fit.
    """
    if not 1 <= input.ndim <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.ndim}")
    if linear_weight.ndim < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.ndim}")
    batch, features = tuple(input.shape[:-1]), input.shape[-1]
    if features != linear_weight.shape[-1]:
        raise RuntimeError("expected equal input and linear_weight last dimensions (in_features), got "
                           f"{features} and {linear_weight.shape[-1]}, respectively")
    outputs = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != outputs:
        raise RuntimeError(f"expected linear_bias shape {outputs}, got {tuple(linear_bias.shape)}")
    if len(outputs) > 1 and not batch:
        raise RuntimeError(f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} "
                           "requires batched "
                           f"input, (N, {features}), got unbatched input with shape {tuple(input.shape)}")
    if tuple(target.shape) == batch + outputs and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if len(outputs) > 1:
        linear_weight = linear_weight.reshape((-1, features))
        linear_bias = None if linear_bias is None else linear_bias.reshape((-1,))
    logits = F["linear"](input, linear_weight, linear_bias).reshape(batch + outputs)
    return F["cross_entropy"](
        logits,
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=-100 if ignore_index is None else ignore_index,
        label_smoothing=label_smoothing,
    )
