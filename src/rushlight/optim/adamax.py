"""Adamax (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2014, section 7): Adam with the largest
gradient in place of the mean square.

    m = beta1 m + (1 - beta1) g        u = max(beta2 u, |g| + eps)        p = p - lr / (1 - beta1^t) * m / u
"""

from typing import Any

import numpy as np

from rushlight.optim._flat import Run
from rushlight.optim._fused import (
    FusedOptimizer,
    Numbers,
    check_betas,
    check_lr,
    check_steps,
    lerp,
    real_views,
    refuse_capturable,
)
from rushlight.optim._ops import amax, cat, maximum
from rushlight.optim.optimizer import ParamsT, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["Adamax", "adamax"]


class _Numbers(Numbers):
    __slots__ = ("weight", "far", "beta2", "eps", "size")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float) -> None:
        super().__init__(group, dtype)
        beta1, beta2 = group["betas"]
        self.weight, self.far = self.toward(beta1, dtype)
        self.beta2 = np.array(beta2, dtype)
        self.eps = np.array(group["eps"], dtype)
        self.size = np.array(-(_get_value(group["lr"]) / (1 - beta1**step)), dtype)


class Adamax(FusedOptimizer):
    """Steps of at most about ``lr``, from the running mean of gradients and their fading largest size.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: learning rate, a float or a one-element tensor.
        betas: how slowly mean and largest size follow, each in [0, 1).
        eps: added to the gradient's size.
        weight_decay: adds weight_decay * p to the gradient.
        foreach: accepted; there is one implementation.
        maximize: step uphill.
        differentiable: the step itself is recorded for gradients.
        capturable: for devices with graphs; an error at the first step on the CPU.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.Adamax([w], lr=0.5)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    _numbers = _Numbers

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_inf")

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        adamax(
            params,
            grads,
            [e["exp_avg"] for e in entries],
            [e["exp_inf"] for e in entries],
            [e["step"] for e in entries],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            eps=group["eps"],
            beta1=group["betas"][0],
            beta2=group["betas"][1],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
        )

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: _Numbers) -> None:
        work, m, largest = run.work, run.state["exp_avg"], run.state["exp_inf"]
        lerp(m, g, numbers.weight, numbers.far, work)
        np.multiply(largest, numbers.beta2, largest)
        np.maximum(largest, np.add(np.abs(g, work), numbers.eps, work), out=largest)
        np.divide(np.multiply(m, numbers.size, run.update), largest, run.update)


def adamax(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_infs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: Any,
    weight_decay: float,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for ``capturable`` on the CPU.
    """
    check_steps(state_steps)
    refuse_capturable(capturable)
    lr = _to_scalar(lr)
    for param, grad, exp_avg, exp_inf, step in zip(params, grads, exp_avgs, exp_infs, state_steps):
        step += 1
        if maximize:
            grad = -grad
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        param, grad, exp_avg, exp_inf = real_views(param, grad, exp_avg, exp_inf)
        exp_avg.lerp_(grad, 1 - beta1)
        size = grad.abs().add_(eps)
        if differentiable:
            both = cat([exp_inf.mul_(beta2).unsqueeze(0), size.unsqueeze_(0)], 0)
            exp_inf.copy_(amax(both, 0, keepdim=False))
        else:
            exp_inf.copy_(maximum(exp_inf.mul_(beta2), size))
        bias_correction = 1 - beta1 ** _get_value(step)
        param.addcdiv_(exp_avg, exp_inf, value=-_get_value(lr / bias_correction))
