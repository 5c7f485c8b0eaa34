"""Adagrad (Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic
Optimization", 2011): each element's steps shrink as its gradients add up.

    s = s + g^2        p = p - lr / (1 + (t - 1) lr_decay) * g / (sqrt(s) + eps)
"""

from typing import Any, ClassVar

import numpy as np

from rushlight.optim._flat import Run
from rushlight.optim._fused import FusedOptimizer, Numbers, check_lr, check_steps, real_views
from rushlight.optim._ops import full_like
from rushlight.optim._ops import tensor as make_tensor
from rushlight.optim.optimizer import ParamsT, _get_scalar_dtype, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["Adagrad", "adagrad"]


class _Numbers(Numbers):
    __slots__ = ("eps", "size")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float) -> None:
        super().__init__(group, dtype)
        self.eps = np.array(group["eps"], dtype)
        self.size = np.array(-_get_value(group["lr"]) / (1 + (step - 1) * group["lr_decay"]), dtype)


class Adagrad(FusedOptimizer):
    """Steps divided by the root of the sum of all squared gradients.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: learning rate, a float or a one-element tensor.
        lr_decay: the learning rate is divided by 1 + (steps so far) * lr_decay.
        weight_decay: adds weight_decay * p to the gradient.
        initial_accumulator_value: what the sum of squares begins with.
        eps: added to the root.
        foreach, fused: accepted; there is one implementation.
        maximize: step uphill.
        differentiable: the step itself is recorded for gradients.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.Adagrad([w], lr=0.5)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    _numbers = _Numbers
    _later: ClassVar = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= lr_decay:
            raise ValueError(f"Invalid lr_decay value: {lr_decay}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if not 0.0 <= initial_accumulator_value:
            raise ValueError(f"Invalid initial_accumulator_value value: {initial_accumulator_value}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        self._take_fused()
        for group in self.param_groups:
            for param in group["params"]:
                self._begin(param, group, self.state[param])

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("sum",)

    def _begin(self, param: Tensor, group: dict[str, Any], entry: dict[str, Any]) -> None:
        value = group["initial_accumulator_value"]
        entry["step"] = make_tensor(0.0, dtype=_get_scalar_dtype(is_fused=group["fused"]))
        entry["sum"] = full_like(param, complex(value, value) if param.is_complex() else value)

    def share_memory(self) -> None:
        """Move the state into memory that processes share."""
        for group in self.param_groups:
            for param in group["params"]:
                for value in self.state[param].values():
                    value.share_memory_()

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        adagrad(
            params,
            grads,
            [e["sum"] for e in entries],
            [e["step"] for e in entries],
            differentiable=group["differentiable"],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            lr_decay=group["lr_decay"],
            eps=group["eps"],
            maximize=group["maximize"],
        )

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: _Numbers) -> None:
        work, update, total = run.work, run.update, run.state["sum"]
        np.add(total, np.multiply(g, g, work), total)
        np.add(np.sqrt(total, work), numbers.eps, work)
        np.divide(np.multiply(g, numbers.size, update), work, update)


def adagrad(
    params: list[Tensor],
    grads: list[Tensor],
    state_sums: list[Tensor],
    state_steps: list[Tensor],
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: Any,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors.
    """
    check_steps(state_steps)
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    lr = _to_scalar(lr)
    for param, grad, state_sum, step in zip(params, grads, state_sums, state_steps):
        step += 1
        if maximize:
            grad = -grad
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        size = lr / (1 + (_get_value(step) - 1) * lr_decay)
        param, grad, state_sum = real_views(param, grad, state_sum)
        state_sum.addcmul_(grad, grad, value=1)
        std = state_sum.sqrt() + eps if differentiable else state_sum.sqrt().add_(eps)
        param.addcdiv_(grad, std, value=-_get_value(size))
