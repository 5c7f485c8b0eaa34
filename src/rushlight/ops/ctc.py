"""``ctc_loss``: the loss of sequences whose alignment is unknown (Graves and others 2006)."""
import numpy as np

from ..kernels import ctc as kernels
from ..kernels.errors import refuse
from ..tensor import Tensor, wrap
from .declare import Array, both, composite, op
from .late import torch
from .reduction import reduction_name

__all__ = ["ctc_losses"]


@op(function=False, out=False, extras=("loss", "alpha"), grad_name="CtcLossBackward0")
def ctc_losses(log_probs: Array, states, jump, input_lengths, target_lengths, zero_infinity):
    """The negative log likelihood of each sample of the batch."""
    loss, alpha = kernels.forward(log_probs, states, jump, input_lengths, target_lengths)
    return loss, {"loss": loss.copy(), "alpha": alpha}


@op(function=False, out=False)
def _ctc_loss_backward(
    grad: Array, log_probs: Array, states, jump, input_lengths, target_lengths, loss, alpha, zero_infinity
):
    """The gradient of ``ctc_losses``; it has none of its own, as in PyTorch."""
    return kernels.backward(grad, log_probs, states, jump, input_lengths, target_lengths, loss, alpha, zero_infinity)


@ctc_losses.derivatives
def _ctc_rule(g, log_probs, states, jump, input_lengths, target_lengths, zero_infinity, loss, alpha, needs):
    loss, alpha = (x._a if isinstance(x, Tensor) else x for x in (loss, alpha))
    return (both._ctc_loss_backward(g, log_probs, states, jump, input_lengths, target_lengths, loss, alpha, zero_infinity),)


def _numbers(name, lengths):
    """Lengths given as a tensor or a sequence of numbers."""
    if isinstance(lengths, Tensor):
        if lengths._a.dtype.kind not in "iu":
            raise RuntimeError(f"{name} must be integral")
        lengths = lengths._a.reshape(-1)
    return np.array([int(n) for n in lengths], np.int64)


def _check(log_probs, targets, input_lengths, target_lengths, blank):
    """PyTorch's errors for arguments that do not go together."""
    frames, batch, classes = log_probs.shape
    if log_probs._a.dtype.kind != "f" or log_probs._a.dtype.itemsize == 2:
        raise refuse("ctc_loss_cpu", log_probs._a.dtype)
    if not log_probs.numel():
        raise RuntimeError("log_probs tensor must not be empty")
    if not 0 <= blank < classes:
        raise RuntimeError(f"blank must be in label range\nIt is {blank}; there are {classes} classes.")
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if len(lengths) != batch:
            raise RuntimeError(f"{name} must be of size batch_size\nThere are {batch} samples and {len(lengths)} lengths.")
        if (lengths < 0).any():
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {lengths[lengths < 0][0]} (while "
                               "checking arguments for ctc_loss_allocate_outputs)")
    if targets.ndim not in (1, 2):
        raise RuntimeError("Expected 1 to 2 dimensions, but got "
                           f"{targets.ndim}-dimensional tensor for argument #2 'targets' (while checking arguments for "
                           "ctc_loss_allocate_outputs)")
    if (input_lengths > frames).any():
        raise RuntimeError(f"Expected input_lengths to have value at most {frames}, but got value "
                           f"{input_lengths[input_lengths > frames][0]} (while checking arguments for ctc_loss_allocate_outputs)")


def _rows(targets, lengths):
    """The targets of each sample, from a padded matrix or one after the other."""
    if targets.ndim == 2:
        longest = int(lengths.max()) if len(lengths) else 0
        if targets.shape[0] != len(lengths) or targets.shape[1] < longest:
            raise RuntimeError("Expected tensor to have size at least "
                               f"{longest} at dimension 1, but got size {targets.shape[1]} for argument #2 'targets' "
                               "(while checking arguments for ctc_loss_allocate_outputs)")
        return list(targets)
    ends = np.cumsum(lengths)
    if len(ends) and targets.shape[0] != ends[-1]:
        raise RuntimeError(f"Expected tensor to have size {ends[-1]} at dimension 0, but got size {targets.shape[0]} for "
                           "argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)")
    return [targets[e - n:e] for e, n in zip(ends, lengths)]


def _loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity):
    batched = log_probs.ndim == 3
    if not batched:
        log_probs = log_probs.unsqueeze(1)
    input_lengths, target_lengths = _numbers("input_lengths", input_lengths), _numbers("target_lengths", target_lengths)
    if log_probs.ndim != 3:
        raise RuntimeError(f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor for argument #1 "
                           "'log_probs' (while checking arguments for ctc_loss_allocate_outputs)")
    _check(log_probs, targets, input_lengths, target_lengths, blank)
    labels = _rows(targets._a.astype(np.int64), target_lengths)
    for row, n in zip(labels, target_lengths):
        if ((row[:n] < 0) | (row[:n] >= log_probs.shape[2])).any():
            raise RuntimeError(f"ctc_loss: a target is outside of the {log_probs.shape[2]} classes\n"
                               "Targets are numbers of classes, other than the blank's.")
    states, jump = kernels.stretch(labels, target_lengths, blank)
    loss = ctc_losses(log_probs, states, jump, input_lengths, target_lengths, zero_infinity)
    if zero_infinity:
        loss = torch.where(loss == np.inf, 0.0, loss)
    if reduction == "mean":
        return (loss / wrap(np.maximum(target_lengths, 1).astype(loss._a.dtype))).mean()
    if reduction == "sum":
        return loss.sum()
    return loss if batched else loss.squeeze(0)


@composite(space="nn.functional")
def ctc_loss(
    log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False
):
    """The negative log likelihood of label sequences under any alignment to the frames.

    ``log_probs``: (T, N, C) or (T, C), out of ``log_softmax``; ``targets``: (N, S), or all targets one after the other;
    lengths: sequences or tensors of N numbers; ``blank``: the class that separates labels. ``mean`` divides each loss
    by its target's length first; ``zero_infinity`` makes losses of targets that do not fit their input, and their
    gradients, zero. RuntimeError for lengths and shapes that do not fit.

    The gradient is PyTorch's: correct for ``log_probs`` that come out of ``log_softmax``, and only for those.

    Example::

        >>> import rushlight as torch
        >>> x = torch.zeros(4, 1, 3).log_softmax(2)
        >>> torch.nn.functional.ctc_loss(x, torch.tensor([[1, 2]]), (4,), (2,))
        tensor(0.8432)
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)


@composite(name="ctc_loss")
def _torch_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
    """``nn.functional.ctc_loss`` with the reduction as a number, and as in PyTorch none by default."""
    return _loss(log_probs, targets, input_lengths, target_lengths, blank, reduction_name(reduction), zero_infinity)
