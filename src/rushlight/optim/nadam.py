"""NAdam (Dozat, "Incorporating Nesterov Momentum into Adam", 2016): Adam whose step looks ahead.

    mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2)        M_t = mu_1 mu_2 ... mu_t
    m = beta1 m + (1 - beta1) g        v = beta2 v + (1 - beta2) g^2
    p = p - lr ((1 - mu_t) / (1 - M_t) g + mu_{t+1} / (1 - M_{t+1}) m) / (sqrt(v / (1 - beta2^t)) + eps)
"""

from typing import Any, ClassVar

import numpy as np

from rushlight.optim._flat import Flat, Run
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
from rushlight.optim._ops import tensor as make_tensor
from rushlight.optim._ops import zeros_like
from rushlight.optim.optimizer import ParamsT, _get_scalar_dtype, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["NAdam", "nadam"]


def _momentum(beta1: float, step: float, decay: float) -> float:
    return beta1 * (1.0 - 0.5 * (0.96 ** (step * decay)))


class _Numbers(Numbers):
    __slots__ = ("weight", "far", "beta2", "rest2", "correction", "eps", "now", "ahead")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float, product: float) -> None:
        super().__init__(group, dtype)
        (beta1, beta2), lr, decay = group["betas"], _get_value(group["lr"]), group["momentum_decay"]
        self.weight, self.far = self.toward(beta1, dtype)
        self.beta2, self.rest2 = np.array(beta2, dtype), np.array(1 - beta2, dtype)
        self.correction = np.array(1 - beta2**step, dtype)
        self.eps = np.array(group["eps"], dtype)
        mu, mu_next = _momentum(beta1, step, decay), _momentum(beta1, step + 1, decay)
        self.now = np.array(-lr * (1.0 - mu) / (1.0 - product), dtype)
        self.ahead = np.array((-lr * mu_next) / (1.0 - product * mu_next), dtype)


class NAdam(FusedOptimizer):
    """Adam with Nesterov momentum.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: learning rate, a float or a one-element tensor.
        betas: how slowly the running means follow, each in [0, 1).
        eps: added to the root of the mean square.
        weight_decay: adds weight_decay * p to the gradient; with ``decoupled_weight_decay`` shrinks p itself.
        momentum_decay: how fast the momentum grows to ``betas[0]``.
        foreach: accepted; there is one implementation.
        maximize: step uphill.
        capturable: for devices with graphs; an error at the first step on the CPU.
        differentiable: the step itself is recorded for gradients.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.NAdam([w], lr=0.5)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.4718], requires_grad=True)
    """

    _numbers = _Numbers
    _scalars: ClassVar = ("step", "mu_product")
    _later: ClassVar = {**FusedOptimizer._later, "decoupled_weight_decay": False}
    _capturable_what = ("params, mu_products and state_steps", True)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        if not 0.0 <= momentum_decay:
            raise ValueError(f"Invalid momentum_decay value: {momentum_decay}")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq")

    def _begin(self, param: Tensor, group: dict[str, Any], entry: dict[str, Any]) -> None:
        entry["step"] = make_tensor(0.0, dtype=_get_scalar_dtype())
        entry["mu_product"] = make_tensor(1.0, dtype=_get_scalar_dtype())
        for name in self._names(group):
            entry[name] = zeros_like(param)

    def _advance(self, flat: Flat, which: Any, group: dict[str, Any]) -> None:
        super()._advance(flat, which, group)
        steps, products = flat.scalars["step"][which], flat.scalars["mu_product"]
        mus = [_momentum(group["betas"][0], step, group["momentum_decay"]) for step in steps.tolist()]
        products[which] *= np.array(mus, products.dtype)

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        nadam(
            params,
            grads,
            [e["exp_avg"] for e in entries],
            [e["exp_avg_sq"] for e in entries],
            [e["mu_product"] for e in entries],
            [e["step"] for e in entries],
            decoupled_weight_decay=group["decoupled_weight_decay"],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            maximize=group["maximize"],
            beta1=group["betas"][0],
            beta2=group["betas"][1],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            momentum_decay=group["momentum_decay"],
            eps=group["eps"],
        )

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: _Numbers) -> None:
        work, update, state = run.work, run.update, run.state
        m, v = state["exp_avg"], state["exp_avg_sq"]
        lerp(m, g, numbers.weight, numbers.far, work)
        add_squares(v, g, numbers.beta2, numbers.rest2, work)
        np.multiply(g, numbers.now, update)
        np.add(update, np.multiply(m, numbers.ahead, work), update)
        np.sqrt(np.divide(v, numbers.correction, work), work)
        np.divide(update, np.add(work, numbers.eps, work), update)


def nadam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    mu_products: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: Any,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for ``capturable`` on the CPU.
    """
    check_steps(state_steps)
    if not all(isinstance(product, Tensor) for product in mu_products):
        raise RuntimeError("API has changed, `mu_products` argument must contain a list of singleton tensors")
    refuse_capturable(capturable, "params, mu_products and state_steps")
    lr = _to_scalar(lr)
    lists = zip(params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps)
    for param, grad, exp_avg, exp_avg_sq, mu_product, step in lists:
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
        mu, mu_next = _momentum(beta1, count, momentum_decay), _momentum(beta1, count + 1, momentum_decay)
        mu_product *= mu
        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        denominator = exp_avg_sq.div(1 - beta2**count).sqrt()
        if differentiable:
            denominator = denominator.add(eps)
            param.addcdiv_(grad * (-lr * (1.0 - mu) / (1.0 - mu_product)), denominator)
            param.addcdiv_(exp_avg * (-lr * mu_next / (1.0 - mu_product * mu_next)), denominator)
        else:
            product = _get_value(mu_product)
            denominator.add_(eps)
            now, ahead = -lr * (1.0 - mu) / (1.0 - product), (-lr * mu_next) / (1.0 - product * mu_next)
            param.addcdiv_(grad, denominator, value=_get_value(now))
            param.addcdiv_(exp_avg, denominator, value=_get_value(ahead))
