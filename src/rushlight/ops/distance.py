"""Distances, similarities, and the losses that compare scores: margins, rankings, triplets."""
import numpy as np

from ..kernels.errors import only_floating, wrap_dim
from .declare import Array, OptionalArray, both, composite, op
from .late import torch
from .reduction import apply_reduction, constant, mean_factor, reduction_name, reduction_of
from .table import namespaces

F = namespaces["nn.functional"]
T = namespaces["torch"]


# ---------------------------------------------------------------- distances

@composite
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """``x1 . x2 / (max(|x1|, eps) max(|x2|, eps))`` along ``dim``; shapes broadcast.

    Example::

        >>> import rushlight as torch
        >>> torch.cosine_similarity(torch.tensor([1., 0.]), torch.tensor([1., 1.]), dim=0)
        tensor(0.7071)
    """
    if not (x1.dtype.is_floating_point and x2.dtype.is_floating_point):
        raise RuntimeError("expected common dtype to be floating point, yet common dtype is "
                           f"{x1.dtype.scalar_name}\nConvert the tensors with .to(dtype).")
    x1, x2 = torch.broadcast_tensors(x1, x2)
    wrap_dim(dim, x1.ndim)
    n1 = _length(x1, dim, eps)
    n2 = _length(x2, dim, eps)
    return ((x1 / n1) * (x2 / n2)).sum(dim)


def _length(x, dim, eps):
    """The norm along ``dim``, kept at ``eps`` at least; what is below has no influence on the gradient's
    direction."""
    norm = torch.norm(x, 2, dim, True)
    low = norm.detach() < eps
    return torch.where(low, norm.detach() * 0 + eps, norm) if low.any() else norm


@composite
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of ``x1 - x2 + eps`` along the last dimension."""
    return torch.norm(x1 - x2 + eps, p, -1, keepdim)


F["cosine_similarity"] = T["cosine_similarity"]
F["pairwise_distance"] = T["pairwise_distance"]


@composite(space="nn.functional")
def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """``input`` divided by its p-norm along ``dim``, which counts as ``eps`` at least."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return torch.div(input, length, out=out) if out is not None else input / length


# ---------------------------------------------------------------- rankings

def _margin_ranking(input1, input2, target, margin, reduction):
    return apply_reduction((-target * (input1 - input2) + float(margin)).clamp_min(0), reduction)


@composite(space="nn.functional")
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``max(0, -target (input1 - input2) + margin)``, reduced; ``target`` holds 1 and -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    if input1.ndim != input2.ndim or input1.ndim != target.ndim:
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got "
                           "sizes: input1: "
                           f"{input1.shape}, input2: {input2.shape}, target: {target.shape} ")
    return _margin_ranking(input1, input2, target, margin, reduction)


@composite(name="margin_ranking_loss")
def _torch_margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    """``nn.functional.margin_ranking_loss`` with the reduction as a number."""
    return _margin_ranking(input1, input2, target, margin, reduction_name(reduction))


def _hinge(input, target, margin, reduction):
    zeros = torch.zeros_like(input)
    # Of integers PyTorch takes the margin in their dtype.
    gap = margin - input if input.is_floating_point() or input.is_complex() else torch.full_like(input, margin) - input
    close = torch.where(target != 1, gap.clamp_min(0), zeros)
    same = torch.where(target != -1, input, zeros)
    return apply_reduction(close + same, reduction)


@composite(space="nn.functional")
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1, reduced."""
    return _hinge(input, target, margin, reduction_of(size_average, reduce, reduction))


@composite(name="hinge_embedding_loss")
def _torch_hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    """``nn.functional.hinge_embedding_loss`` with the reduction as a number."""
    return _hinge(input, target, margin, reduction_name(reduction))


def _cosine_embedding(input1, input2, target, margin, reduction):
    if target.ndim not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.ndim == 1:
        if input1.ndim != 2:
            raise RuntimeError("1D target tensor expects 2D input tensors, but found inputs with sizes "
                               f"{list(input1.shape)} and {list(input2.shape)}.")
    elif input1.ndim != 1:
        raise RuntimeError("0D target tensor expects 1D input tensors, but found inputs with sizes "
                           f"{list(input1.shape)} and {list(input2.shape)}.")
    tiny = 1e-12                   # PyTorch's, inside the square root
    dim = target.ndim
    product = (input1 * input2).sum(dim)
    size = ((input1 * input1).sum(dim) + tiny) * ((input2 * input2).sum(dim) + tiny)
    cosine = product / size.sqrt()
    zeros = torch.zeros_like(cosine)
    same = torch.where(target == 1, 1 - cosine, zeros)
    other = torch.where(target == -1, (cosine - margin).clamp_min(0), zeros)
    return apply_reduction(same + other, reduction)


@composite(space="nn.functional")
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1, reduced."""
    return _cosine_embedding(input1, input2, target, margin, reduction_of(size_average, reduce, reduction))


@composite(name="cosine_embedding_loss")
def _torch_cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    """``nn.functional.cosine_embedding_loss`` with the reduction as a number."""
    return _cosine_embedding(input1, input2, target, margin, reduction_name(reduction))


# ---------------------------------------------------------------- triplets

def _triplet(near, far, other, margin, swap, reduction):
    if swap:
        far = torch.minimum(far, other())
    return apply_reduction((near - far + margin).clamp_min(0), reduction)


def _triplet_margin(anchor, positive, negative, margin, p, eps, swap, reduction):
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError("All inputs should have same dimension but got "
                           f"{anchor.ndim}D, {positive.ndim}D and {negative.ndim}D inputs.")
    distance = T["pairwise_distance"]
    return _triplet(distance(anchor, positive, p, eps), distance(anchor, negative, p, eps),
                    lambda: distance(positive, negative, p, eps), margin, swap, reduction)


@composite(space="nn.functional")
def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin=1.0,
    p=2,
    eps=1e-6,
    swap=False,
    size_average=None,
    reduce=None,
    reduction="mean",
):
    """``max(0, |anchor - positive| - |anchor - negative| + margin)``, reduced (Balntas and others 2016).

    ``swap`` takes the nearer of anchor and positive for the second distance. ValueError for a margin that is
    not positive.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _triplet_margin(anchor, positive, negative, margin, p, eps, swap, reduction)


@composite(name="triplet_margin_loss")
def _torch_triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction=1
):
    """``nn.functional.triplet_margin_loss`` with the reduction as a number."""
    return _triplet_margin(anchor, positive, negative, margin, p, eps, swap, reduction_name(reduction))


@composite(space="nn.functional")
def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """``triplet_margin_loss`` with a distance of one's own (``pairwise_distance`` if None)."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = distance_function or T["pairwise_distance"]
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number "
                           "of dimensions, "
                           f"but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
                           f"{negative.ndim}D inputs")
    return _triplet(
        distance(anchor, positive),
        distance(anchor, negative),
        lambda: distance(positive, negative),
        margin,
        swap,
        reduction,
    )


# ---------------------------------------------------------------- margins between classes

def _check_multi_margin(x, target, weight):
    if not (x.ndim == 2 and x.shape[1] or x.ndim in (0, 1) and x.size):
        raise RuntimeError("Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                           f"{list(x.shape)}")
    rows = x.shape[0] if x.ndim == 2 else 1
    classes = x.shape[-1] if x.ndim else 1
    if target.ndim > 1 or target.size != rows:
        raise RuntimeError("multi_margin_loss: target tensor should be 1-D with size equal to the number of "
                           "input samples "
                           f"(batch size). Expected target size [{rows}], but got {list(target.shape)}. "
                           "Input has shape "
                           f"{list(x.shape)}.")
    if weight is not None and (weight.ndim > 1 or weight.size != classes):
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    if target.size and not (target.min() >= 0 and target.max() < classes):
        raise RuntimeError(f"target out of range\nThere are {classes} classes.")
    return rows, classes


@op(function=False, out=False, grad_name="MultiMarginLossBackward0")
def _multi_margin(input: Array, target: Array, p, margin, weight: OptionalArray, reduction):
    """The mean over the other classes of ``max(0, margin - input[target] + input[j])^p``, weighted."""
    only_floating("multi_margin_loss", input)
    rows, classes = _check_multi_margin(input, target, weight)
    z = _margins(input.reshape(rows, classes), target.reshape(-1), margin)
    loss = z if p == 1 else z * z
    if weight is not None:
        loss = loss * weight.reshape(-1)[target.reshape(-1), None]
    loss = loss.sum(1) / input.dtype.type(classes)
    loss = (
        loss.reshape(target.shape)
        if reduction == "none"
        else loss.mean()
        if reduction == "mean"
        else loss.sum()
    )
    return np.asarray(loss)


def _margins(x, target, margin):
    rows = np.arange(x.shape[0])
    z = np.maximum(x.dtype.type(margin) - x[rows, target][:, None] + x, 0)
    z[rows, target] = 0
    return z


@op(function=False, out=False, differentiable=False)
def _multi_margin_slope(input: Array, target: Array, p, margin, weight: OptionalArray):
    """The derivative of each row's loss in each element."""
    rows, classes = _check_multi_margin(input, target, weight)
    target = target.reshape(-1)
    z = _margins(input.reshape(rows, classes), target, margin)
    slope = (z > 0).astype(input.dtype) if p == 1 else 2 * z
    if weight is not None:
        slope = slope * weight.reshape(-1)[target, None]
    slope /= classes
    slope[np.arange(rows), target] = -slope.sum(1)
    return slope.reshape(input.shape)


def _multi_margin_rule(g, input, target, p, margin, weight, reduction):
    slope = both._multi_margin_slope(input, target, p, margin, weight)
    if g.ndim and input.ndim == 2:
        g = g[:, None]
    return slope * (g * mean_factor(reduction, input.shape[0] if input.ndim == 2 else 1))


_multi_margin.derivative(input=_multi_margin_rule)


@composite(space="nn.functional")
def multi_margin_loss(
    input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"
):
    """The hinge loss over classes: for each row the mean of ``max(0, margin - input[target] + input[j])^p``,
    reduced.

    ``input``: (N, C) or (C); ``target``: (N) or (), int64. ValueError unless ``p`` is 1 or 2.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    constant("multi_margin_loss", weight=weight)
    return _multi_margin(input, target, p, margin, weight, reduction)


def _check_multilabel(x, target):
    if not (x.ndim == 2 and x.shape[1] or x.ndim in (0, 1) and x.size):
        raise RuntimeError("Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                           f"{list(x.shape)}")
    if (
        x.ndim <= 1
        and not (target.ndim <= 1 and target.size == x.size)
        or x.ndim == 2
        and target.shape != x.shape
    ):
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: "
                           f"{list(x.shape)}")
    classes = x.shape[-1] if x.ndim else 1
    if target.size and (target.min() < -1 or target.max() >= classes):
        raise RuntimeError("argument #2 'target' is out of range\nIt holds class indices, then -1.")
    return x.reshape(-1, classes), target.reshape(-1, classes)


def _labels(x, target):
    """For each row: which classes are labels (before the first -1), as a mask, and the list of the labels."""
    listed = np.logical_and.accumulate(target >= 0, 1)
    mask = np.zeros(x.shape, bool)
    rows, at = np.nonzero(listed)
    mask[rows, target[rows, at]] = True
    return mask, rows, target[rows, at]


@op(function=False, out=False, grad_name="MultilabelMarginLossBackward0")
def _multilabel_margin(input: Array, target: Array, reduction):
    """The sum over labels y and other classes j of ``max(0, 1 - input[y] + input[j])``, divided by the
    classes."""
    only_floating("multilabel_margin_loss_forward_out_frame", input)
    x, y = _check_multilabel(input, target)
    mask, rows, labels = _labels(x, y)
    z = np.maximum(1 - x[rows, labels][:, None] + x[rows], 0)
    z[mask[rows]] = 0
    loss = np.zeros(x.shape[0], x.dtype)
    np.add.at(loss, rows, z.sum(1) / x.dtype.type(x.shape[1]))
    if reduction == "none":
        return loss.reshape(input.shape[:-1] if input.ndim == 2 else ())
    return np.asarray(loss.mean() if reduction == "mean" else loss.sum())


@op(function=False, out=False, differentiable=False)
def _multilabel_slope(input: Array, target: Array):
    """The derivative of each row's loss in each element."""
    x, y = _check_multilabel(input, target)
    mask, rows, labels = _labels(x, y)
    active = (1 - x[rows, labels][:, None] + x[rows] > 0) & ~mask[rows]
    slope = np.zeros(x.shape, x.dtype)
    np.add.at(slope, rows, active.astype(x.dtype))
    np.subtract.at(slope, (rows, labels), active.sum(1).astype(x.dtype))
    return (slope / x.dtype.type(x.shape[1])).reshape(input.shape)


def _multilabel_rule(g, input, target, reduction):
    if g.ndim and input.ndim == 2:
        g = g[:, None]
    return both._multilabel_slope(input, target) * (
        g * mean_factor(reduction, input.shape[0] if input.ndim == 2 else 1)
    )


_multilabel_margin.derivative(input=_multilabel_rule)


@composite(space="nn.functional")
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """The hinge loss for several labels a row: ``target`` lists them, then -1.

    ``input`` and ``target``: (N, C) or (C).
    """
    return _multilabel_margin(input, target, reduction_of(size_average, reduce, reduction))
