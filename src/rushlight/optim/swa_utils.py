"""Averages of a model's weights over training: the plain mean (Izmailov et al., "Averaging Weights Leads to Wider
Optima and Better Generalization", 2018) and the exponential one; and what goes with them.

The functions come in two kinds: an ``avg_fn`` takes one parameter and returns its new average, a
``multi_avg_fn`` takes lists and changes the averages in place.
"""

import itertools
import math
import warnings
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from rushlight import dtypes
from rushlight.autograd.modes import no_grad
from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.nn.modules.module import Module
from rushlight.optim._ops import tensor as make_tensor
from rushlight.optim.lr_scheduler.base import LRScheduler, _format_param
from rushlight.optim.optimizer import Optimizer
from rushlight.tensor import Tensor

__all__ = [
    "AveragedModel",
    "update_bn",
    "SWALR",
    "get_ema_multi_avg_fn",
    "get_swa_multi_avg_fn",
    "get_ema_avg_fn",
    "get_swa_avg_fn",
]

_INTEGER_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
    "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
    "tensor2), for all dtypes.\nAverages of integers need an avg_fn of their own."
)


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _lerps(param: Tensor) -> bool:
    return param.is_floating_point() or param.is_complex()


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable:
    """A ``multi_avg_fn``: average = decay * average + (1 - decay) * parameter.

    Raises ValueError for a decay outside of [0, 1].
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        for average, param in zip(ema_param_list, current_param_list):
            if _lerps(ema_param_list[0]):
                average.lerp_(param, 1 - decay)
            else:
                average.copy_(average * decay + param * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable:
    """A ``multi_avg_fn``: the mean of all parameters so far."""

    @no_grad()
    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        if not _lerps(averaged_param_list[0]):
            if isinstance(num_averaged, Tensor):
                raise RuntimeError(_INTEGER_ADDCDIV)
            raise RuntimeError(
                "For integral input tensors, argument alpha must not be a floating point number.\n"
                "Averages of integers need an avg_fn of their own."
            )
        weight = 1 / (num_averaged + 1)
        for average, param in zip(averaged_param_list, current_param_list):
            average.lerp_(param, weight)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable:
    """An ``avg_fn``: decay * average + (1 - decay) * parameter.

    Raises ValueError for a decay outside of [0, 1].
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable:
    """An ``avg_fn``: the mean of all parameters so far."""

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages; call it like the model.

    Args:
        model: what is copied.
        device: where the averages are kept; the CPU.
        avg_fn: takes average, parameter and the number averaged so far, returns the new average.
        multi_avg_fn: takes lists of both and the number, changes the averages in place.
        use_buffers: average the buffers too; without, they are copied.

    Without a function it is the plain mean. Raises AssertionError if both are given.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.optim.swa_utils import AveragedModel
        >>> model = torch.nn.Linear(1, 1, bias=False)
        >>> average = AveragedModel(model)
        >>> for value in (1.0, 2.0, 6.0):
        ...     _ = torch.nn.init.constant_(model.weight, value)
        ...     average.update_parameters(model)
        >>> average.module.weight.item()
        3.0
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable | None = None,
        multi_avg_fn: Callable | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", make_tensor(0, dtype=dtypes.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The averaged model's output."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the model's present parameters into the averages; the first time, copy them."""
        own: Iterable[Tensor] = self.parameters()
        others: Iterable[Tensor] = model.parameters()
        if self.use_buffers:
            own = itertools.chain(self.module.parameters(), self.module.buffers())
            others = itertools.chain(model.parameters(), model.buffers())
        pairs = [(average.detach(), param.detach()) for average, param in zip(own, others)]
        if self.n_averaged == 0:
            for average, param in pairs:
                average.copy_(param)
        elif self.multi_avg_fn is not None:
            kinds: dict[Any, tuple[list, list]] = {}
            for average, param in pairs:
                averages, params = kinds.setdefault(average.dtype, ([], []))
                averages.append(average)
                params.append(param)
            for averages, params in kinds.values():
                self.multi_avg_fn(averages, params, self.n_averaged.clone())
        else:
            avg_fn = get_swa_avg_fn() if self.avg_fn is None else self.avg_fn
            for average, param in pairs:
                average.copy_(avg_fn(average, param, self.n_averaged.clone()))
        if not self.use_buffers:
            for kept, buffer in zip(self.module.buffers(), model.buffers(), strict=True):
                kept.detach().copy_(buffer.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of a model's batch norms anew, from one pass over ``loader``.

    Each batch is a tensor, or a list or tuple that begins with the model's input.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.optim.swa_utils import update_bn
        >>> norm = torch.nn.BatchNorm1d(1)
        >>> update_bn([torch.tensor([[1.0], [3.0]])], norm)
        >>> norm.running_mean
        tensor([2.])
    """
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None  # the mean of all batches, not a running one
    for batch in loader:
        if isinstance(batch, (list, tuple)):
            batch = batch[0]
        if device is not None:
            batch = batch.to(device)
        model(batch)
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """From the present learning rates to ``swa_lr`` in ``anneal_epochs`` epochs, and there it stays.

    Args:
        optimizer: whose groups are changed.
        swa_lr: the learning rate to end at, a number or a list with one for each group.
        anneal_epochs: epochs on the way.
        anneal_strategy: "cos" or "linear".
        last_epoch: the epoch to go on from; -1 starts anew.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.swa_utils.SWALR(optimizer, 0.5, anneal_epochs=2, anneal_strategy="linear")
        >>> optimizer.step(); scheduler.step()
        >>> scheduler.get_last_lr()
        [0.75]
    """

    _unsaved = ("optimizer", "anneal_func")

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(_format_param("swa_lr", optimizer, swa_lr), optimizer.param_groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _linear_anneal(t: float) -> float:
        return t

    @staticmethod
    def _cosine_anneal(t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2

    def _set_anneal_func(self, strategy: str) -> None:
        self._anneal_strategy = strategy
        self.anneal_func = self._cosine_anneal if strategy == "cos" else self._linear_anneal

    def get_lr(self) -> list[Any]:
        """One step on, from what the present learning rates say about where the way began."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        whole = max(1, self.anneal_epochs)
        before, now = (self.anneal_func(max(0, min(1, at / whole))) for at in (step - 1, step))
        lrs = []
        for group in self.optimizer.param_groups:
            lr, end = group["lr"], group["swa_lr"]
            start = end if before == 1 else (lr - before * end) / (1 - before)
            lrs.append(end * now + start * (1 - now))
        return lrs

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave."""
        super().load_state_dict(state_dict)
        self._set_anneal_func(self._anneal_strategy)
