"""Muon (Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024): momentum whose matrix is
made nearly orthogonal before the step.

A quintic Newton-Schulz iteration, X = a X + (b A + c A^2) X with A = X X^T, drives all singular values of the
momentum towards 1 without computing them; five rounds in bfloat16 are enough. The learning rate is adjusted to
the matrix's shape, by Jordan's rule or that of "Muon is Scalable for LLM Training" (Liu et al., 2025).
"""

import math
from typing import Any

from rushlight.autograd.modes import enable_grad, no_grad
from rushlight.optim._fused import check_lr
from rushlight.optim._ops import addmm, zeros_like
from rushlight.optim.optimizer import Optimizer, ParamsT, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["Muon"]

EPS = 1e-7
DEFAULT_A, DEFAULT_B, DEFAULT_C = 3.4445, -4.7750, 2.0315
DEFAULT_NS_STEPS = 5


def _zeropower_via_newtonschulz(
    grad: Tensor, ns_coefficients: tuple[float, float, float], ns_steps: int, eps: float
) -> Tensor:
    """A matrix with the singular vectors of ``grad`` and singular values near 1, in bfloat16."""
    if ns_steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if grad.dim() != 2:
        raise ValueError("Input tensor gradient must be a 2D matrix")
    if len(ns_coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = ns_coefficients
    tall = grad.size(0) > grad.size(1)
    x = grad.bfloat16()
    if x is grad:  # already in bfloat16, and not ours to change
        x = grad.clone()
    if tall:
        x = x.T
    x.div_(x.norm().clamp(min=eps))
    for _ in range(ns_steps):
        gram = x @ x.T
        polynomial = addmm(gram, gram, gram, beta=b, alpha=c)
        x = addmm(x, polynomial, x, beta=a)
    return x.T if tall else x


def _adjust_lr(lr: Any, adjust_lr_fn: str | None, param_shape: Any) -> Any:
    rows, columns = param_shape[:2]
    if adjust_lr_fn is None or adjust_lr_fn == "original":
        return lr * math.sqrt(max(1, rows / columns))
    if adjust_lr_fn == "match_rms_adamw":
        return lr * (0.2 * math.sqrt(max(rows, columns)))
    return lr


class Muon(Optimizer):
    """Steps along the orthogonalised momentum, for the matrices of hidden layers.

    Args:
        params: matrices, (name, matrix) pairs, or dicts of parameter groups. Vectors, embeddings and output
            layers belong to another optimizer.
        lr: learning rate, a float or a one-element tensor.
        weight_decay: shrinks p by lr * weight_decay.
        momentum: how slowly the running mean of gradients follows.
        nesterov: look ahead along the momentum.
        ns_coefficients: (a, b, c) of the iteration.
        eps: the smallest norm that is divided by.
        ns_steps: rounds of the iteration, below 100.
        adjust_lr_fn: "original" (also for None) or "match_rms_adamw".

    Raises ValueError for options out of range and for parameters that are not matrices.

    Example::

        >>> import rushlight as torch
        >>> w = torch.eye(2, requires_grad=True)
        >>> optimizer = torch.optim.Muon([w], lr=0.1, weight_decay=0.0)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> bool((w.diagonal() < 1).all())
        True
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (DEFAULT_A, DEFAULT_B, DEFAULT_C),
        eps: float = EPS,
        ns_steps: int = DEFAULT_NS_STEPS,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 <= momentum:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn is not None and adjust_lr_fn not in ("original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for param in group["params"]:
                if param.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{param.size()}\nGive it to another optimizer, such as AdamW."
                    )

    @no_grad()
    def step(self, closure: Any = None) -> Any:
        """One step by the gradients in ``.grad``; parameters without one stay as they are.

        ``closure``, if given, is called first with gradients on, and its result is returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            for param in params:
                if param.is_complex():
                    raise RuntimeError("Muon does not support complex parameters")
                entry = self.state[param]
                if "momentum_buffer" not in entry:
                    entry["momentum_buffer"] = zeros_like(param.grad)
            muon(
                params,
                [p.grad for p in params],
                [self.state[p]["momentum_buffer"] for p in params],
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                momentum=group["momentum"],
                nesterov=group["nesterov"],
                ns_coefficients=group["ns_coefficients"],
                eps=group["eps"],
                ns_steps=group["ns_steps"],
                adjust_lr_fn=group["adjust_lr_fn"],
                has_complex=False,
            )
        return loss


def muon(
    params: list[Tensor],
    grads: list[Tensor],
    muon_momentum_bufs: list[Tensor],
    *,
    foreach: bool | None = None,
    lr: Any,
    weight_decay: float,
    momentum: Any,
    nesterov: bool,
    ns_coefficients: tuple[float, float, float],
    ns_steps: int,
    eps: float,
    adjust_lr_fn: str | None,
    has_complex: bool,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError for ``foreach=True``, ValueError for complex parameters and for gradients that are not
    matrices.
    """
    if foreach:
        raise RuntimeError("Foreach is not supported for Muon yet")
    lr = _to_scalar(lr)
    if has_complex:
        raise ValueError("Complex parameters are not supported")
    for param, grad, buffer in zip(params, grads, muon_momentum_bufs):
        if grad.dim() != 2:
            raise ValueError("Param gradient must be a 2D matrix")
        buffer.lerp_(grad, 1 - momentum)
        update = grad.lerp(buffer, momentum) if nesterov else buffer
        update = _zeropower_via_newtonschulz(update, ns_coefficients, ns_steps, eps)
        size = _adjust_lr(lr, adjust_lr_fn, param.shape)
        param.mul_(1 - lr * weight_decay)
        param.add_(update, alpha=-_get_value(size))
