"""AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2017): Adam that shrinks parameters
itself.
"""

from typing import Any

from rushlight.optim.adam import Adam, adam
from rushlight.optim.optimizer import ParamsT
from rushlight.tensor import Tensor

__all__ = ["AdamW", "adamw"]


class AdamW(Adam):
    """``Adam`` with p = p * (1 - lr * weight_decay) before each step instead of a term in the gradient.

    Arguments and errors as of ``Adam``; ``weight_decay`` is 0.01 if not given.

    Example::

        >>> import rushlight as torch
        >>> torch.optim.AdamW([torch.zeros(1, requires_grad=True)]).defaults["weight_decay"]
        0.01
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:  # also for states that were saved without the option
            group["decoupled_weight_decay"] = True


def adamw(*args: Any, **kwargs: Any) -> None:
    """``adam`` with decoupled weight decay: the same arguments."""
    adam(*args, **{**kwargs, "decoupled_weight_decay": True})
