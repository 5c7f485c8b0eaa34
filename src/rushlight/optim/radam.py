"""RAdam (Liu et al., "On the Variance of the Adaptive Learning Rate and Beyond", 2019): Adam that does without
the mean square until enough gradients were seen to trust it.

    m = beta1 m + (1 - beta1) g        v = beta2 v + (1 - beta2) g^2        m' = m / (1 - beta1^t)
    rho_inf = 2 / (1 - beta2) - 1      rho = rho_inf - 2 t beta2^t / (1 - beta2^t)
    p = p - lr m'                                                           while rho <= 5, and then
    p = p - lr m' r sqrt(1 - beta2^t) / (sqrt(v) + eps)
    with r^2 = (rho - 4) (rho - 2) rho_inf / ((rho_inf - 4) (rho_inf - 2) rho)
"""

from typing import Any, ClassVar

import numpy as np

from rushlight.optim._flat import Run
from rushlight.optim._fused import (
    FusedOptimizer,
    Numbers,
    add_squares,
    check_betas,
    check_lr,
    check_steps,
    lerp,
    real_views,
    refuse_capturable,
)
from rushlight.optim.optimizer import ParamsT, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["RAdam", "radam"]


def _rectification(beta2: float, step: float) -> float | None:
    """The factor r, or None while rho is too small."""
    rho_inf = 2 / (1 - beta2) - 1
    rho = rho_inf - 2 * step * (beta2**step) / (1 - beta2**step)
    if rho > 5.0:
        return ((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho)) ** 0.5
    return None


class _Numbers(Numbers):
    __slots__ = ("weight", "far", "beta2", "rest2", "eps", "size", "adaptive")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float) -> None:
        super().__init__(group, dtype)
        beta1, beta2 = group["betas"]
        self.weight, self.far = self.toward(beta1, dtype)
        self.beta2, self.rest2 = np.array(beta2, dtype), np.array(1 - beta2, dtype)
        self.eps = np.array(group["eps"], dtype)
        size = -_get_value(group["lr"]) / (1 - beta1**step)
        factor = _rectification(beta2, step)
        self.adaptive = factor is not None
        if factor is not None:
            size *= factor * (1 - beta2**step) ** 0.5
        self.size = np.array(size, dtype)


class RAdam(FusedOptimizer):
    """Adam with a warm-up that follows from the statistics of its mean square.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: learning rate, a float or a one-element tensor.
        betas: how slowly the running means follow, each in [0, 1).
        eps: added to the root of the mean square.
        weight_decay: adds weight_decay * p to the gradient; with ``decoupled_weight_decay`` shrinks p itself.
        foreach: accepted; there is one implementation.
        maximize: step uphill.
        capturable: for devices with graphs; an error at the first step on the CPU.
        differentiable: the step itself is recorded for gradients.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.RAdam([w], lr=0.25)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    _numbers = _Numbers
    _later: ClassVar = {**FusedOptimizer._later, "decoupled_weight_decay": False}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq")

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        radam(
            params,
            grads,
            [e["exp_avg"] for e in entries],
            [e["exp_avg_sq"] for e in entries],
            [e["step"] for e in entries],
            decoupled_weight_decay=group["decoupled_weight_decay"],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            maximize=group["maximize"],
            beta1=group["betas"][0],
            beta2=group["betas"][1],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
        )

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: _Numbers) -> None:
        work, update, state = run.work, run.update, run.state
        m, v = state["exp_avg"], state["exp_avg_sq"]
        lerp(m, g, numbers.weight, numbers.far, work)
        add_squares(v, g, numbers.beta2, numbers.rest2, work)
        np.multiply(m, numbers.size, update)
        if numbers.adaptive:
            np.divide(update, np.add(np.sqrt(v, work), numbers.eps, work), update)


def radam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: Any,
    weight_decay: float,
    eps: float,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for ``capturable`` on the CPU.
    """
    check_steps(state_steps)
    refuse_capturable(capturable)
    lr = _to_scalar(lr)
    for param, grad, exp_avg, exp_avg_sq, step in zip(params, grads, exp_avgs, exp_avg_sqs, state_steps):
        if maximize:
            grad = -grad
        param, grad, exp_avg, exp_avg_sq = real_views(param, grad, exp_avg, exp_avg_sq)
        step += 1
        count = _get_value(step)
        if weight_decay != 0:
            if decoupled_weight_decay:
                param.mul_(1 - lr * weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)
        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        way = exp_avg / (1 - beta1**count) * lr
        factor = _rectification(beta2, count)
        if factor is not None:
            root = exp_avg_sq.sqrt()
            root = root.add(eps) if differentiable else root.add_(eps)
            way = way * ((1 - beta2**count) ** 0.5 / root) * factor
        param.add_(way, alpha=-1.0)
