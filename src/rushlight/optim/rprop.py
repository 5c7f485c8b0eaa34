"""Rprop (Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning: the RPROP
algorithm", 1993): only the gradient's sign counts, and each element has its own step size.

    sign of g * (g before) > 0: size = size * etaplus;   < 0: size = size * etaminus and g = 0 this time
    p = p - sign(g) size
"""

from typing import Any

import numpy as np

from rushlight.optim._flat import Run
from rushlight.optim._fused import FusedOptimizer, Numbers, check_lr, check_steps, real_views, refuse_capturable
from rushlight.optim._ops import full_like
from rushlight.optim.optimizer import ParamsT, _get_value
from rushlight.tensor import Tensor

__all__ = ["Rprop", "rprop"]


class _Numbers(Numbers):
    __slots__ = ("minus", "plus", "one", "smallest", "largest")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float) -> None:
        super().__init__(group, dtype)
        self.minus, self.plus = (np.array(eta, dtype) for eta in group["etas"])
        self.smallest, self.largest = (np.array(size, dtype) for size in group["step_sizes"])
        self.one = np.array(1, dtype)


class Rprop(FusedOptimizer):
    """Steps of own sizes for each element, that grow while the gradient keeps its sign and shrink when it turns.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: the first step size, a float or a one-element tensor.
        etas: the factors of shrinking, in (0, 1), and growing, above 1.
        step_sizes: the smallest and the largest.
        capturable: for devices with graphs; an error at the first step on the CPU.
        foreach: accepted; there is one implementation.
        maximize: step uphill.
        differentiable: the step itself is recorded for gradients.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.Rprop([w], lr=0.5)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    _numbers = _Numbers

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("prev", "step_size")

    def _begin(self, param: Tensor, group: dict[str, Any], entry: dict[str, Any]) -> None:
        super()._begin(param, group, entry)
        lr = _get_value(group["lr"])
        entry["step_size"] = full_like(param.grad, complex(lr, lr) if param.is_complex() else lr)

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        rprop(
            params,
            grads,
            [e["prev"] for e in entries],
            [e["step_size"] for e in entries],
            [e["step"] for e in entries],
            capturable=group["capturable"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            step_size_min=group["step_sizes"][0],
            step_size_max=group["step_sizes"][1],
            etaminus=group["etas"][0],
            etaplus=group["etas"][1],
        )

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: _Numbers) -> None:
        work, update, sizes, before = run.work, run.update, run.state["step_size"], run.state["prev"]
        np.multiply(g, before, work)
        turned = work < 0
        kept = work > 0
        np.copyto(work, numbers.one, where=work == 0)  # of what is not a number, all of this leaves it
        np.copyto(work, numbers.minus, where=turned)
        np.copyto(work, numbers.plus, where=kept)
        np.multiply(sizes, work, sizes)
        np.clip(sizes, numbers.smallest, numbers.largest, out=sizes)
        np.copyto(before, g)
        before[turned] = 0
        np.multiply(np.sign(before, update), sizes, update)
        np.negative(update, update)


def rprop(
    params: list[Tensor],
    grads: list[Tensor],
    prevs: list[Tensor],
    step_sizes: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for ``capturable`` on the CPU.
    """
    check_steps(state_steps)
    refuse_capturable(capturable)
    for param, grad, prev, step_size, step in zip(params, grads, prevs, step_sizes, state_steps):
        if maximize:
            grad = -grad
        step += 1
        param, grad, prev, step_size = real_views(param, grad, prev, step_size)
        sign = grad.mul(prev.clone() if differentiable else prev).sign()
        sign[sign.gt(0)] = etaplus
        sign[sign.lt(0)] = etaminus
        sign[sign.eq(0)] = 1
        step_size.mul_(sign).clamp_(step_size_min, step_size_max)
        grad = grad.clone()
        grad[sign.eq(etaminus)] = 0
        param.addcmul_(grad.sign(), step_size, value=-1)
        prev.copy_(grad)
