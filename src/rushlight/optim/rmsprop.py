"""RMSprop (Hinton, lecture 6 of "Neural Networks for Machine Learning", 2012; centered: Graves, "Generating
Sequences with Recurrent Neural Networks", 2013).

    v = alpha v + (1 - alpha) g^2        d = g / (sqrt(v) + eps),  centered d = g / (sqrt(v - mean(g)^2) + eps)
    p = p - lr d,   with momentum b = momentum b + d,  p = p - lr b
"""

from typing import Any, ClassVar

import numpy as np

from rushlight.optim._flat import Run
from rushlight.optim._fused import (
    FusedOptimizer,
    Numbers,
    add_squares,
    check_lr,
    check_steps,
    lerp,
    real_views,
    refuse_capturable,
)
from rushlight.optim.optimizer import ParamsT, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["RMSprop", "rmsprop"]


class _Numbers(Numbers):
    __slots__ = ("alpha", "rest", "weight", "far", "momentum", "eps", "size", "centered")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float) -> None:
        super().__init__(group, dtype)
        alpha = group["alpha"]
        self.alpha, self.rest = np.array(alpha, dtype), np.array(1 - alpha, dtype)
        self.centered = group["centered"]
        self.weight, self.far = self.toward(alpha, dtype)
        self.momentum = np.array(group["momentum"], dtype) if group["momentum"] > 0 else None
        self.eps = np.array(group["eps"], dtype)
        self.size = np.array(-_get_value(group["lr"]), dtype)


class RMSprop(FusedOptimizer):
    """Steps divided by the root of the gradient's running mean square.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: learning rate, a float or a one-element tensor.
        alpha: how slowly the mean square follows.
        eps: added to the root.
        weight_decay: adds weight_decay * p to the gradient.
        momentum: of the running sum of steps.
        centered: divide by the gradient's standard deviation instead.
        capturable: for devices with graphs; an error at the first step on the CPU.
        foreach: accepted; there is one implementation.
        maximize: step uphill.
        differentiable: the step itself is recorded for gradients.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.RMSprop([w], lr=0.05)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    _numbers = _Numbers
    _layout_options = ("momentum", "centered")
    _later: ClassVar = {"momentum": 0, "centered": False, **FusedOptimizer._later}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        if not 0.0 <= momentum:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if not 0.0 <= alpha:
            raise ValueError(f"Invalid alpha value: {alpha}")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        names = ["square_avg"]
        if group["momentum"] > 0:
            names.append("momentum_buffer")
        if group["centered"]:
            names.append("grad_avg")
        return tuple(names)

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        rmsprop(
            params,
            grads,
            [e["square_avg"] for e in entries],
            [e["grad_avg"] for e in entries] if group["centered"] else [],
            [e["momentum_buffer"] for e in entries] if group["momentum"] > 0 else [],
            [e["step"] for e in entries],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            lr=group["lr"],
            alpha=group["alpha"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            centered=group["centered"],
        )

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: _Numbers) -> None:
        work, update, state = run.work, run.update, run.state
        v = state["square_avg"]
        add_squares(v, g, numbers.alpha, numbers.rest, work)
        if numbers.centered:
            mean = state["grad_avg"]
            lerp(mean, g, numbers.weight, numbers.far, work)
            v = np.subtract(v, np.multiply(mean, mean, work), work)
        np.add(np.sqrt(v, work), numbers.eps, work)
        if numbers.momentum is None:
            np.divide(np.multiply(g, numbers.size, update), work, update)
            return
        buffer = state["momentum_buffer"]
        np.multiply(buffer, numbers.momentum, buffer)
        np.add(buffer, np.divide(g, work, work), buffer)
        np.multiply(buffer, numbers.size, update)


def rmsprop(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    grad_avgs: list[Tensor],
    momentum_buffer_list: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: Any,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for ``capturable`` on the CPU.
    """
    check_steps(state_steps)
    refuse_capturable(capturable)
    lr = _to_scalar(lr)
    for i, (param, grad, square_avg, step) in enumerate(zip(params, grads, square_avgs, state_steps)):
        if maximize:
            grad = -grad
        step += 1
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        param, grad, square_avg = real_views(param, grad, square_avg)
        square_avg.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if centered:
            (grad_avg,) = real_views(grad_avgs[i])
            grad_avg.lerp_(grad, 1 - alpha)
            root = square_avg.addcmul(grad_avg, grad_avg, value=-1).sqrt_()
        else:
            root = square_avg.sqrt()
        root = root.add(eps) if differentiable else root.add_(eps)
        if momentum > 0:
            (buffer,) = real_views(momentum_buffer_list[i])
            buffer.mul_(momentum).addcdiv_(grad, root)
            param.add_(buffer, alpha=-_get_value(lr))
        else:
            param.addcdiv_(grad, root, value=-_get_value(lr))
