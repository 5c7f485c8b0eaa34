"""Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2014) and what all its variants share.

    m = beta1 m + (1 - beta1) g            v = beta2 v + (1 - beta2) g^2
    p = p - lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)

Float32 and float64 parameters are updated many at a time (``_flat.py``), in PyTorch's order of operations but
for one division; complex and half-precision ones, and everything under ``differentiable=True``, one by one
with tensor operators (``adam``).
"""

from typing import Any, ClassVar

import numpy as np

from rushlight.optim._flat import Run
from rushlight.optim._fused import (
    FusedOptimizer,
    Numbers,
    add_squares,
    check_steps,
    lerp,
    refuse_capturable,
)
from rushlight.optim._ops import maximum, view_as_real
from rushlight.optim.optimizer import ParamsT, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["Adam", "adam"]

_TENSOR_LR = "lr as a Tensor is not supported for capturable=False and foreach=True"


class _Numbers(Numbers):
    __slots__ = ("amsgrad", "weight", "far", "beta2", "rest2", "eps", "size")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float) -> None:
        super().__init__(group, dtype)
        beta1, beta2 = map(_get_value, group["betas"])
        self.amsgrad = group["amsgrad"]
        self.weight, self.far = self.toward(beta1, dtype)
        self.beta2, self.rest2 = np.array(beta2, dtype), np.array(1 - beta2, dtype)
        # m / (sqrt(v) / root + eps) = root m / (sqrt(v) + root eps): one division of arrays instead of two.
        root = (1 - beta2**step) ** 0.5
        self.eps = np.array(root * group["eps"], dtype)
        self.size = np.array(-(_get_value(group["lr"]) / (1 - beta1**step)) * root, dtype)


class Adam(FusedOptimizer):
    """Steps of the size of ``lr``, whatever the gradient's scale, from its running mean and mean square.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: learning rate, a float or a one-element tensor.
        betas: how slowly the running means follow, each in [0, 1).
        eps: added to the root of the mean square.
        weight_decay: adds weight_decay * p to the gradient; with ``decoupled_weight_decay`` shrinks p itself.
        amsgrad: divide by the largest mean square so far (Reddi et al., 2018).
        maximize: step uphill.
        foreach, fused: accepted; there is one implementation.
        capturable: for devices with graphs; an error at the first step on the CPU.
        differentiable: the step itself is recorded for gradients.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.Adam([w], lr=0.5)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    _numbers = _Numbers
    _layout_options = ("amsgrad",)
    _later: ClassVar = {
        **FusedOptimizer._later,
        "amsgrad": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        betas: Any = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor):
            if foreach and not capturable:
                raise ValueError(_TENSOR_LR)
            if lr.numel() != 1:
                raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for place in (0, 1):
            if not 0.0 <= betas[place] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {place}: {betas[place]}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if not (
            all(isinstance(b, float) for b in betas[:2]) or all(isinstance(b, Tensor) for b in betas[:2])
        ):
            raise ValueError("betas must be either both floats or both Tensors")
        for place in (0, 1):
            beta = betas[place]
            if isinstance(beta, Tensor):
                if not capturable and foreach:
                    raise ValueError(
                        f"betas[{place}] as a Tensor is not supported for capturable=False and foreach=True"
                    )
                if beta.numel() != 1:
                    raise ValueError(f"Tensor betas[{place}] must be 1-element")
        defaults = {
            "lr": lr,
            "betas": tuple(map(_to_scalar, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        self._take_fused()

    def _refuse(self, group: dict[str, Any]) -> None:
        if group["foreach"] and isinstance(group["lr"], Tensor) and not group["capturable"]:
            raise RuntimeError(_TENSOR_LR)
        super()._refuse(group)

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if group["amsgrad"] else ("exp_avg", "exp_avg_sq")

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        if group["differentiable"] and any(entry["step"].requires_grad for entry in entries):
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        adam(
            params,
            grads,
            [e["exp_avg"] for e in entries],
            [e["exp_avg_sq"] for e in entries],
            [e["max_exp_avg_sq"] for e in entries] if group["amsgrad"] else [],
            [e["step"] for e in entries],
            foreach=group["foreach"],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            fused=group["fused"],
            decoupled_weight_decay=group["decoupled_weight_decay"],
            amsgrad=group["amsgrad"],
            beta1=group["betas"][0],
            beta2=group["betas"][1],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            maximize=group["maximize"],
        )

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: _Numbers) -> None:
        work, update, state = run.work, run.update, run.state
        m, v = state["exp_avg"], state["exp_avg_sq"]
        lerp(m, g, numbers.weight, numbers.far, work)
        add_squares(v, g, numbers.beta2, numbers.rest2, work)
        if numbers.amsgrad:
            v = np.maximum(state["max_exp_avg_sq"], v, out=state["max_exp_avg_sq"])
        np.sqrt(v, work)
        np.add(work, numbers.eps, work)
        np.multiply(m, numbers.size, update)
        np.divide(update, work, update)


def adam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    max_exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: Any,
    beta2: Any,
    lr: Any,
    weight_decay: Any,
    eps: float,
    maximize: bool,
) -> None:
    """One Adam step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for ``capturable`` on the CPU.
    """
    check_steps(state_steps)
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    lr, beta1, beta2 = _to_scalar(lr), _to_scalar(beta1), _to_scalar(beta2)
    for i, param in enumerate(params):
        grad = -grads[i] if maximize else grads[i]
        exp_avg, exp_avg_sq, step = exp_avgs[i], exp_avg_sqs[i], state_steps[i]
        largest = max_exp_avg_sqs[i] if amsgrad else None
        refuse_capturable(capturable)
        step += 1
        if weight_decay != 0:
            if decoupled_weight_decay:
                param.mul_(1 - lr * weight_decay)
            elif differentiable and isinstance(weight_decay, Tensor) and weight_decay.requires_grad:
                grad = grad.addcmul_(param.clone(), weight_decay)
            else:
                grad = grad.add(param, alpha=_get_value(weight_decay))
        if param.is_complex():
            param, grad, exp_avg, exp_avg_sq = map(view_as_real, (param, grad, exp_avg, exp_avg_sq))
            largest = None if largest is None else view_as_real(largest)
        first = beta1.to(dtype=param.dtype) if isinstance(beta1, Tensor) else beta1
        exp_avg.lerp_(grad, 1 - first)
        if differentiable and isinstance(beta2, Tensor) and beta2.requires_grad:
            exp_avg_sq.lerp_(grad * grad, 1 - beta2)
        else:
            exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=_get_value(1 - beta2))
        count: Any = step.clone() if differentiable else step.item()
        size = lr / (1 - beta1**count)
        root = (1 - beta2**count) ** 0.5
        second = exp_avg_sq
        if largest is not None:
            second = largest.copy_(maximum(largest.clone() if differentiable else largest, exp_avg_sq))
        if differentiable:
            denominator = (second.sqrt() / (root * -size)).add_(eps / -size)
            param.addcdiv_(exp_avg.clone(), denominator)
        else:
            denominator = (second.sqrt() / root).add_(eps)
            param.addcdiv_(exp_avg, denominator, value=-_get_value(size))
