"""The argument ``reduction`` of losses, and the two older ones that it replaced."""
import warnings

from ..autograd import modes
from ..tensor import Tensor

__all__ = ["reduction_of", "apply_reduction", "reduction_name", "constant", "mean_factor"]

NAMES = ("none", "mean", "sum")


def reduction_of(size_average, reduce, reduction, stacklevel=4):
    """The reduction by name; warns when one of the older arguments decides."""
    if size_average is None and reduce is None:
        if reduction not in NAMES:
            raise ValueError(f"{reduction} is not a valid value for reduction\nIt is one of "
                             f"{', '.join(NAMES)}.")
        return reduction
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    chosen = "none" if not reduce else "mean" if size_average else "sum"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{chosen}' "
                  "instead.", stacklevel=stacklevel)
    return chosen


def reduction_name(code):
    """The name of PyTorch's number for a reduction, as the functions in ``torch`` take it."""
    if code not in (0, 1, 2):
        raise ValueError(f"{code} is not a valid value for reduction\n0 is none, 1 is mean, 2 is sum.")
    return NAMES[code]


def apply_reduction(loss, reduction):
    """An elementwise loss as ``reduction`` wants it."""
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def mean_factor(reduction, count):
    """What the gradient of an element is multiplied by."""
    return (1.0 / count if count else float("nan")) if reduction == "mean" else 1.0


def constant(name, **tensors):
    """Refuse arguments for which PyTorch has no derivative, when they require grad."""
    for argument, t in tensors.items():
        if isinstance(t, Tensor) and t.requires_grad and modes.state.grad:
            raise RuntimeError(f"The function '{name}' is not differentiable with respect to argument "
                               f"'{argument}'. This "
                               f"input cannot have requires_grad True.\nPass {argument}.detach().")
