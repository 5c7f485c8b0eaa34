"""Adafactor (Shazeer and Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost", 2018): the mean
square of a matrix's gradients kept as one row and one column.

    R = R + t^beta2_decay (row means of g^2 - R)        C = C + t^beta2_decay (column means of g^2 - C)
    V = R C / mean(R)                                   U = g / max(sqrt(V), eps1)
    p = p - max(eps2, rms(p)) min(lr, 1 / sqrt(t)) U / max(1, rms(U) / d)

As in PyTorch, ``lr`` bounds the relative step, eps1 guards the divisions and not the means, and means stand
where the paper has sums. A vector keeps its V whole.
"""

from typing import Any

from rushlight.autograd.modes import enable_grad, no_grad
from rushlight.dtypes import finfo
from rushlight.optim._fused import check_lr, check_steps
from rushlight.optim._ops import tensor as make_tensor
from rushlight.optim._ops import zeros_like
from rushlight.optim.optimizer import Optimizer, ParamsT, _get_scalar_dtype, _get_value, _to_scalar
from rushlight.tensor import Tensor

__all__ = ["Adafactor", "adafactor"]


class Adafactor(Optimizer):
    """Steps relative to the parameter's own size, with a second moment of row and column size.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: the largest relative step, and the factor of weight decay; a float or a one-element tensor.
        beta2_decay: the power of the step count with which new gradients enter the means, at most 0.
        eps: (a guard of divisions, None for the dtype's epsilon; the smallest size a parameter counts with).
        d: updates of a larger root mean square are clipped to it, at least 1.
        weight_decay: shrinks p by lr * weight_decay.
        foreach: accepted; there is one implementation.
        maximize: step uphill.

    Raises ValueError for options out of range, RuntimeError for complex parameters.

    Example::

        >>> import rushlight as torch
        >>> w = torch.ones(2, 3, requires_grad=True)
        >>> optimizer = torch.optim.Adafactor([w], lr=0.5)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w[0, 0].item()
        0.5
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("foreach", None)
            for param in group["params"]:
                entry = self.state.get(param)
                if entry and not isinstance(entry["step"], Tensor):
                    entry["step"] = make_tensor(float(entry["step"]), dtype=_get_scalar_dtype())

    def _begin(self, param: Tensor) -> dict[str, Any]:
        entry: dict[str, Any] = self.state[param]
        grad: Any = param.grad
        entry["step"] = make_tensor(0.0, dtype=_get_scalar_dtype())
        if grad.dim() > 1:
            shape = list(grad.shape)
            entry["row_var"] = grad.new_zeros([*shape[:-1], 1])
            entry["col_var"] = grad.new_zeros([*shape[:-2], 1, shape[-1]])
        else:
            entry["variance"] = zeros_like(grad)
        return entry

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
            if any(p.is_complex() for p in params):
                raise RuntimeError("Adafactor does not support complex parameters")
            entries = [self.state[p] or self._begin(p) for p in params]
            adafactor(
                params,
                [p.grad for p in params],
                [e.get("row_var") for e in entries],
                [e.get("col_var") for e in entries],
                [e.get("variance") for e in entries],
                [e["step"] for e in entries],
                d=group["d"],
                lr=group["lr"],
                beta2_decay=group["beta2_decay"],
                weight_decay=group["weight_decay"],
                eps1=group["eps"][0],
                eps2=group["eps"][1],
                foreach=group["foreach"],
                maximize=group["maximize"],
            )
        return loss


def _mean_squares(grad: Tensor, dim: int) -> Tensor:
    """Means of g^2 along ``dim``, which stays."""
    return grad.norm(dim=dim, keepdim=True).square_().div_(grad.size(dim))


def adafactor(
    params: list[Tensor],
    grads: list[Tensor],
    row_vars: list[Tensor | None],
    col_vars: list[Tensor | None],
    variances: list[Tensor | None],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    *,
    d: float,
    lr: Any,
    beta2_decay: float,
    weight_decay: float,
    eps1: float | None,
    eps2: float,
    maximize: bool,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for variances of the wrong kind.
    """
    check_steps(state_steps)
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Grad scaling should occur outside of optimizer.step()")
    lr = _get_value(_to_scalar(lr))
    for i, (param, grad, step) in enumerate(zip(params, grads, state_steps)):
        if maximize:
            grad = -grad
        if eps1 is None:
            eps1 = finfo(param.dtype).eps  # of the first parameter, and kept for the others, as in PyTorch
        step += 1
        count = step.item()
        fresh = count**beta2_decay
        relative = min(lr, 1 / (count**0.5))
        size = max(eps2, param.norm(2).item() / (param.numel() ** 0.5)) * relative
        if weight_decay != 0:
            param.mul_(1 - lr * weight_decay)
        if grad.dim() > 1:
            row, column = row_vars[i], col_vars[i]
            if row is None or column is None:
                raise AssertionError("row_var and col_var should be defined when grad is multidimensional")
            row.lerp_(_mean_squares(grad, -1), fresh)
            column.lerp_(_mean_squares(grad, -2), fresh)
            estimate = row @ column
            estimate.div_(row.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            variance = variances[i]
            if variance is None:
                raise AssertionError("variance should be defined when grad is a vector")
            variance.lerp_(grad * grad, fresh)
            estimate = variance.clone()
        update = estimate.clamp_(min=eps1 * eps1).rsqrt_()
        update.mul_(grad)
        excess = max(1.0, update.norm(2).item() / ((update.numel() ** 0.5) * d))
        param.add_(update, alpha=-size / excess)
