"""Averaged stochastic gradient descent (Polyak and Juditsky, "Acceleration of stochastic approximation by
averaging", 1992), with Bottou's schedule.

    p = p (1 - lambd eta) - eta g            a = a + mu (p - a)
    eta = lr / (1 + lambd lr t)^alpha        mu = 1 / max(1, t - t0)
"""

from typing import Any, ClassVar

import numpy as np

from rushlight.optim._flat import Flat, Run
from rushlight.optim._fused import (
    FusedOptimizer,
    Numbers,
    check_lr,
    check_steps,
    real_views,
    refuse_capturable,
)
from rushlight.optim._ops import as_tensor, zeros_like
from rushlight.optim._ops import tensor as make_tensor
from rushlight.optim.optimizer import ParamsT, _get_scalar_dtype, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["ASGD", "asgd"]


class _Numbers(Numbers):
    __slots__ = ("keep", "size", "mu")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float, eta: float, mu: float) -> None:
        super().__init__(group, dtype)
        self.keep = np.array(1 - group["lambd"] * eta, dtype)
        self.size = np.array(-eta, dtype)
        self.mu = None if mu == 1 else np.array(mu, dtype)


class ASGD(FusedOptimizer):
    """Gradient descent that keeps the average of its way in ``state[p]["ax"]``.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: learning rate, a float or a one-element tensor.
        lambd: decay of the parameters.
        alpha: the power with which the learning rate falls.
        t0: the step at which averaging starts.
        weight_decay: adds weight_decay * p to the gradient.
        foreach: accepted; there is one implementation.
        maximize: step uphill.
        differentiable: the step itself is recorded for gradients.
        capturable: for devices with graphs; an error at the first step on the CPU.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.ASGD([w], lr=0.25, lambd=0.0)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    _numbers = _Numbers
    _scalars: ClassVar = ("step", "eta", "mu")
    _replaces = True
    _capturable_what = ("params, mus, etas, and state_steps", True)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("ax",)

    def _begin(self, param: Tensor, group: dict[str, Any], entry: dict[str, Any]) -> None:
        dtype = _get_scalar_dtype()
        entry["step"] = make_tensor(0.0, dtype=dtype)
        entry["eta"] = make_tensor(float(_get_value(group["lr"])), dtype=dtype)
        entry["mu"] = make_tensor(1.0, dtype=dtype)
        entry["ax"] = zeros_like(param)

    def _settle(self, flat: Flat, which: Any, group: dict[str, Any]) -> None:
        steps, etas, mus = flat.scalars.values()
        lr, lambd, alpha, t0 = _get_value(group["lr"]), group["lambd"], group["alpha"], group["t0"]
        numbers = steps.tolist()
        for k in range(len(numbers)) if isinstance(which, slice) else which:
            etas[k] = lr / ((1 + lambd * lr * numbers[k]) ** alpha)
            mus[k] = 1 / max(1, numbers[k] - t0)

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        asgd(
            params,
            grads,
            [e["ax"] for e in entries],
            [e["mu"] for e in entries],
            [e["eta"] for e in entries],
            [e["step"] for e in entries],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            lambd=group["lambd"],
            lr=group["lr"],
            t0=group["t0"],
            alpha=group["alpha"],
            weight_decay=group["weight_decay"],
        )

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: _Numbers) -> None:
        work, update, average = run.work, run.update, run.state["ax"]
        np.multiply(p, numbers.keep, update)
        np.add(update, np.multiply(g, numbers.size, work), update)
        if numbers.mu is None:
            np.copyto(average, update)
        else:
            np.multiply(np.subtract(update, average, work), numbers.mu, work)
            np.add(average, work, average)


def asgd(
    params: list[Tensor],
    grads: list[Tensor],
    axs: list[Tensor],
    mus: list[Tensor],
    etas: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: Any,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for ``capturable`` on the CPU.
    """
    check_steps(state_steps)
    refuse_capturable(capturable, "params, mus, etas, and state_steps")
    lr = _to_scalar(lr)
    for param, grad, ax, mu, eta, step in zip(params, grads, axs, mus, etas, state_steps):
        if maximize:
            grad = -grad
        param, grad, ax = real_views(param, grad, ax)
        step += 1
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        size = _get_value(eta)
        param.mul_(1 - lambd * size)
        param.add_(grad, alpha=-size)
        if mu.item() != 1:
            ax.add_(param.sub(ax).mul_(mu))
        else:
            ax.copy_(param)
        count = _get_value(step)
        eta.copy_(as_tensor(lr / ((1 + lambd * lr * count) ** alpha)))
        mu.copy_(as_tensor(1 / max(1, count - t0)))
