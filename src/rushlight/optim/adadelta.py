"""Adadelta (Zeiler, "ADADELTA: An Adaptive Learning Rate Method", 2012): steps in the parameters' own units.

    v = rho v + (1 - rho) g^2        d = sqrt(u + eps) / sqrt(v + eps) * g        u = rho u + (1 - rho) d^2
    p = p - lr d
"""

from typing import Any

import numpy as np

from rushlight.optim._flat import Run
from rushlight.optim._fused import (
    FusedOptimizer,
    Numbers,
    add_squares,
    check_lr,
    check_steps,
    real_views,
    refuse_capturable,
)
from rushlight.optim.optimizer import ParamsT, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["Adadelta", "adadelta"]


class _Numbers(Numbers):
    __slots__ = ("rho", "rest", "eps", "size")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float) -> None:
        super().__init__(group, dtype)
        self.rho, self.rest = np.array(group["rho"], dtype), np.array(1 - group["rho"], dtype)
        self.eps = np.array(group["eps"], dtype)
        self.size = np.array(-_get_value(group["lr"]), dtype)


class Adadelta(FusedOptimizer):
    """Steps from the ratio of the running sizes of past steps and of gradients.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: factor of the step, a float or a one-element tensor.
        rho: how slowly the running means follow, in [0, 1].
        eps: added under the roots.
        weight_decay: adds weight_decay * p to the gradient.
        foreach: accepted; there is one implementation.
        capturable: for devices with graphs; an error at the first step on the CPU.
        maximize: step uphill.
        differentiable: the step itself is recorded for gradients.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.Adadelta([w], eps=0.01)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.6877], requires_grad=True)
    """

    _numbers = _Numbers
    _capturable_what = ("params and state_steps", False)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("square_avg", "acc_delta")

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        adadelta(
            params,
            grads,
            [e["square_avg"] for e in entries],
            [e["acc_delta"] for e in entries],
            [e["step"] for e in entries],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            lr=group["lr"],
            rho=group["rho"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            maximize=group["maximize"],
        )

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: _Numbers) -> None:
        work, update = run.work, run.update
        v, u = run.state["square_avg"], run.state["acc_delta"]
        add_squares(v, g, numbers.rho, numbers.rest, work)
        np.sqrt(np.add(v, numbers.eps, work), work)
        np.sqrt(np.add(u, numbers.eps, update), update)
        np.divide(update, work, update)
        np.multiply(update, g, update)
        add_squares(u, update, numbers.rho, numbers.rest, work)
        np.multiply(update, numbers.size, update)


def adadelta(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    acc_deltas: list[Tensor],
    state_steps: list[Tensor],
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: Any,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for ``capturable`` on the CPU.
    """
    check_steps(state_steps)
    refuse_capturable(capturable, xla=False)
    lr = _to_scalar(lr)
    for param, grad, square_avg, acc_delta, step in zip(params, grads, square_avgs, acc_deltas, state_steps):
        step += 1
        if maximize:
            grad = -grad
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        param, grad, square_avg, acc_delta = real_views(param, grad, square_avg, acc_delta)
        square_avg.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        std = square_avg.add(eps).sqrt_()
        delta = acc_delta.add(eps).sqrt_()
        if differentiable:
            delta = delta.clone()
        delta.div_(std).mul_(grad)
        acc_delta.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-_get_value(lr))
