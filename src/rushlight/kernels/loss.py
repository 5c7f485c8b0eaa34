"""Losses over classes, on arrays: the negative log likelihood and the cross entropy of logits.

With integer targets, the loss is a sum of few chosen elements, so nothing of the size of the input is made on
the way there. ``classes_last`` views an input of shape (N, C, d1, ...) as rows of classes.
"""
import numpy as np

from .errors import scalar_name
from .softmax import logsumexp_parts, small_exponentials

__all__ = ["reduce_code", "nll", "nll_gradient", "cross_entropy", "cross_entropy_gradient", "reduced",
           "row_weights"]

REDUCTIONS = ("none", "mean", "sum")


def reduce_code(reduction):
    """Check a ``reduction``; ValueError as PyTorch's."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def reduced(x, reduction):
    """An elementwise loss as ``reduction`` wants it."""
    if reduction == "mean":
        n = x.size
        total = np.add.reduce(x, None)
        return total / x.dtype.type(n) if n else np.full((), np.nan, x.dtype)
    return np.add.reduce(x, None) if reduction == "sum" else x


def check_targets(x, target, weight):
    """PyTorch's errors for shapes and dtypes that do not fit."""
    if x.ndim == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)\nOne dimension of the input holds the "
                         "classes.")
    classes = x.shape[1] if x.ndim > 1 else x.shape[0]
    if x.ndim == 1 and target.ndim == 1 and target.shape[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}")
    if x.ndim > 1 and target.shape[:1] != x.shape[:1]:
        raise ValueError(f"Expected input batch_size ({x.shape[0]}) to match target batch_size "
                         f"({target.shape[0] if target.ndim else 0}).\nThe input is {list(x.shape)}, the "
                         "target "
                         f"{list(target.shape)}.")
    if target.ndim > 1 and x.ndim <= 2:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported"
                           "\nA row of the input has one target.")
    if x.ndim == 4 and target.ndim != 3:
        raise RuntimeError("only batches of spatial targets supported (3D tensors) but got targets of "
                           "dimension: "
                           f"{target.ndim}\nThe input is {list(x.shape)}.")
    if x.ndim > 2 and target.shape[1:] != x.shape[2:]:
        if x.ndim == 4:
            raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: "
                               f"{list(target.shape)}\nThe target has the "
                               "input's shape without its dimension 1.")
        raise RuntimeError(f"Expected target size {[x.shape[0], *x.shape[2:]]}, got {list(target.shape)}")
    if target.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_name(target.dtype)}"
                           "\nClass probabilities, of the input's shape, are the other way to give targets.")
    if weight is not None and (weight.ndim != 1 or weight.size != classes):
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes "
                           "but got weight "
                           f"tensor of shape: {list(weight.shape)}")
    if weight is not None and weight.dtype != x.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x.dtype)} but found "
                           f"{scalar_name(weight.dtype)}"
                           "\nConvert the weights with .to(dtype).")


def row_weights(x, target, weight, ignore_index):
    """(the weight of each target, with the dimension of classes kept, their sum)."""
    target, valid, _ = _places(x, target, ignore_index)
    w, total = _weights(x, target, valid, weight)
    w = np.ones(target.shape, x.dtype) if w is None else w
    return np.expand_dims(w, 1) if x.ndim > 1 else w.reshape(1), total


def _places(x, target, ignore_index):
    """(targets as they index, which count (None: all), number of classes)."""
    classes = x.shape[1] if x.ndim > 1 else x.shape[0]
    target = target.astype(np.int64) if target.dtype != np.int64 else target
    valid = None
    if target.size:
        low, high = int(np.minimum.reduce(target, None)), int(np.maximum.reduce(target, None))
        if low <= ignore_index <= high:
            valid = target != ignore_index
            checked = target[valid]
            low, high = (int(checked.min()), int(checked.max())) if checked.size else (0, 0)
            target = np.where(valid, target, 0)
        if low < 0 or high >= classes:
            wrong = target[(target < 0) | (target >= classes)] if target.ndim else target
            raise IndexError(f"Target {wrong.flat[0]} is out of bounds.\nThere are {classes} classes.")
    return target, valid, classes


def _pick(x, target):
    """``x[n, target[n, ...], ...]``."""
    if x.ndim == 1:
        return x[target]
    if x.ndim == 2:
        return x[np.arange(x.shape[0]), target]
    return np.take_along_axis(x, target[:, None], 1)[:, 0]


def _weights(x, target, valid, weight):
    """The weight of each target (None: all 1) and their sum."""
    if weight is None:
        if valid is None:
            return None, target.size
        w = valid.astype(x.dtype)
    else:
        w = weight[target]
        if valid is not None:
            w = w * valid
    return w, np.add.reduce(w, None)


def nll(x, target, weight, ignore_index, reduction):
    """(the loss, the total weight)."""
    check_targets(x, target, weight)
    target, valid, classes = _places(x, target, ignore_index)
    picked = -_pick(x, target) if classes else np.zeros(target.shape, x.dtype)
    w, total = _weights(x, target, valid, weight)
    if w is not None:
        picked = picked * w if valid is None else np.where(w == 0, x.dtype.type(0), picked * w)
    if reduction == "none":
        return np.asarray(picked), total
    loss = np.add.reduce(picked, None)
    return np.asarray(_mean(loss, total, x.dtype) if reduction == "mean" else loss), total


def _mean(loss, total, dtype):
    return loss / dtype.type(total)


def nll_gradient(g, target, weight, ignore_index, reduction, total, shape, dtype):
    """The gradient with respect to the input: minus the weights, where the targets are."""
    like = np.zeros(shape, dtype)
    if not like.size:
        return like
    target, valid, _ = _places(like, target, ignore_index)
    w, _ = _weights(like, target, valid, weight)
    if reduction == "mean":
        g = g / dtype.type(total)
    value = -g if w is None else np.where(w == 0, dtype.type(0), -g * w)
    if like.ndim == 1:
        like[target] = value
    elif like.ndim == 2:
        like[np.arange(shape[0]), target] = value
    else:
        np.put_along_axis(like, target[:, None], np.broadcast_to(value, target.shape)[:, None], 1)
    return like


_ROWS = {}
_I64, _U64 = np.dtype(np.int64), np.dtype(np.uint64)
_log, _add_reduce, _max_reduce = np.log, np.add.reduce, np.maximum.reduce


def rows_of(n):
    """``arange(n)``, kept for small n."""
    made = _ROWS.get(n)
    if made is None:
        made = np.arange(n)
        if n <= 4096:
            if len(_ROWS) > 200:
                _ROWS.clear()
            _ROWS[n] = made
    return made


def _small_cross_entropy(x, target, reduction):
    """The usual small case: rows of classes, one index each, all counting. None where it is not that.

    The loss of a row is ``log(sum / e[target])``: the quotient has the relative error of ``exp``, so its
    logarithm is exact to that absolutely, whatever the size of the logits.
    """
    n, classes = x.shape
    # Seen without sign, a negative index is huge: one comparison finds both kinds of bad ones, ignored ones
    # included.
    if target.shape != (n,) or target.dtype != _I64 or _max_reduce(target.view(_U64)) >= classes:
        return None
    found = small_exponentials(x)
    if found is None:
        return None
    e, s = found
    sums = s[:, 0]
    rows = sums / e[rows_of(n), target]
    loss = _add_reduce(_log(rows, rows))
    if reduction == "mean":
        loss = loss / n
    return np.asarray(loss, x.dtype), _log(sums)[:, None], n


def cross_entropy(x, target, weight, ignore_index, reduction):
    """(loss, the log of each row's sum, the total weight)."""
    if weight is None and x.ndim == 2 and reduction != "none" and x.size and ignore_index < 0:
        made = _small_cross_entropy(x, target, reduction)
        if made is not None:
            return made
    check_targets(x, target, weight)
    target, valid, _ = _places(x, target, ignore_index)
    dim = 1 if x.ndim > 1 else 0
    top, log_sum = logsumexp_parts(x, dim)
    # Large logits would take digits from the small logarithm: the difference is taken first, and the sum of both kept in float64.
    picked = np.asarray(log_sum).reshape(target.shape) - (_pick(x, target) - np.asarray(top).reshape(target.shape))
    log_sum = np.add(top, log_sum, dtype=np.float64) if x.dtype == np.float32 else top + log_sum
    w, total = _weights(x, target, valid, weight)
    if w is not None:
        picked = np.where(w == 0, x.dtype.type(0), picked * w)
    if reduction == "none":
        return np.asarray(picked), log_sum, total
    loss = np.add.reduce(picked, None)
    return np.asarray(_mean(loss, total, x.dtype) if reduction == "mean" else loss), log_sum, total


def cross_entropy_gradient(g, x, target, weight, ignore_index, reduction, log_sum, total):
    """``(softmax(x) - one_hot(target)) * weight * g``."""
    if weight is None and total == target.size:         # every target counts: the ignored are not among them
        valid = w = None
    else:
        target, valid, _ = _places(x, target, ignore_index)
        w, _ = _weights(x, target, valid, weight)
    if reduction == "mean":
        g = g / x.dtype.type(total)
    if log_sum.dtype != x.dtype:
        high = log_sum.astype(x.dtype)
        made = np.subtract(x, high)
        made -= (log_sum - high).astype(x.dtype)
    else:
        made = np.subtract(x, log_sum)
    np.exp(made, made)
    if made.ndim == 2:
        made[rows_of(x.shape[0]), target] -= 1
    elif made.ndim == 1:
        made[target] -= 1
    else:
        at = target[:, None]
        np.put_along_axis(made, at, np.take_along_axis(made, at, 1) - 1, 1)
    if w is not None:
        g = g * w
    if np.ndim(g):
        g = np.expand_dims(g, 1) if x.ndim > 1 else g
    made *= g
    if valid is not None:  # what is ignored gives 0, even where its row holds inf or nan
        made = np.where(np.expand_dims(valid, 1) if x.ndim > 1 else valid, made, made.dtype.type(0))
    return made
