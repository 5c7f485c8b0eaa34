"""Schedules that follow a law of the epoch.

Most have two forms. ``get_lr`` multiplies the present learning rate (the chainable form, which respects changes
that others make), ``_get_closed_form_lr`` computes it from the initial one, for ``step(epoch)``. Both are computed
in PyTorch's order of operations, so that they agree with it to the last bit.
"""

import math
import types
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.optim.lr_scheduler.base import LRScheduler, asked
from rushlight.optim.optimizer import Optimizer

__all__ = [
    "LambdaLR",
    "MultiplicativeLR",
    "StepLR",
    "MultiStepLR",
    "ConstantLR",
    "LinearLR",
    "ExponentialLR",
    "PolynomialLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
]


class _ByFunction(LRScheduler):
    """What schedules by functions of the epoch share: one function for each group, saved if it is an object."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas: list[Callable[[int], float]] = list(lr_lambda)
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer. Of the functions, objects give their attributes, and plain functions
        and lambdas None.
        """
        state = super().state_dict()
        del state["lr_lambdas"]
        state["lr_lambdas"] = [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave; the functions themselves stay."""
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for function, saved in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if saved is not None:
                function.__dict__.update(saved)


class LambdaLR(_ByFunction):
    """initial lr * lr_lambda(epoch).

    Args:
        optimizer: whose groups are changed.
        lr_lambda: a function of the epoch, or a list of them, one for each group.
        last_epoch: the epoch to go on from; -1 starts anew.

    Raises ValueError if the number of functions is not that of the groups.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
        >>> optimizer.step(); scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    @asked
    def get_lr(self) -> list[Any]:
        """The initial learning rates times the functions' values."""
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_ByFunction):
    """The present lr times lr_lambda(epoch), from epoch 1.

    Arguments and errors as of ``LambdaLR``; TypeError for what is no function.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
        >>> for epoch in range(2):
        ...     optimizer.step(); scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def _check_functions(self) -> None:
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    @asked
    def get_lr(self) -> list[Any]:
        """The present learning rates times the functions' values."""
        if self._is_initial:
            return self._current()
        groups = self.optimizer.param_groups
        return [group["lr"] * f(self.last_epoch) for f, group in zip(self.lr_lambdas, groups, strict=True)]


class StepLR(LRScheduler):
    """lr * gamma at every ``step_size``-th epoch.

    Args:
        optimizer: whose groups are changed.
        step_size: epochs between two reductions.
        gamma: the factor.
        last_epoch: the epoch to go on from; -1 starts anew.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
        >>> for epoch in range(4):
        ...     optimizer.step(); scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @asked
    def get_lr(self) -> list[Any]:
        """The present learning rates, reduced if it is time."""
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._current()
        return self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """lr * gamma at each of the epochs ``milestones``; one named twice counts twice.

    Args:
        optimizer: whose groups are changed.
        milestones: epochs.
        gamma: the factor.
        last_epoch: the epoch to go on from; -1 starts anew.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
        >>> for epoch in range(3):
        ...     optimizer.step(); scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @asked
    def get_lr(self) -> list[Any]:
        """The present learning rates, reduced at a milestone."""
        if self.last_epoch not in self.milestones:
            return self._current()
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        milestones = sorted(self.milestones.elements())
        return [lr * self.gamma ** bisect_right(milestones, self.last_epoch) for lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """lr * factor until epoch ``total_iters``, lr from there on.

    Args:
        optimizer: whose groups are changed.
        factor: in [0, 1].
        total_iters: the epoch at which the factor is taken back.
        last_epoch: the epoch to go on from; -1 starts anew.

    Raises ValueError for another factor.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    @asked
    def get_lr(self) -> list[Any]:
        """The present learning rates, multiplied at the start and divided at the end."""
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        if self.last_epoch != self.total_iters:
            return self._current()
        return self._scaled(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [lr * (self.factor + over * (1 - self.factor)) for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """lr times a factor that goes evenly from ``start_factor`` to ``end_factor`` in ``total_iters`` epochs.

    Args:
        optimizer: whose groups are changed.
        start_factor: in (0, 1].
        end_factor: in [0, 1].
        total_iters: the epoch at which the end is reached.
        last_epoch: the epoch to go on from; -1 starts anew.

    Raises ValueError for other factors.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
        >>> optimizer.step(); scheduler.step()
        >>> scheduler.get_last_lr()
        [0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    @asked
    def get_lr(self) -> list[Any]:
        """The present learning rates, one even step on."""
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return self._scaled(1.0 + rise / before)

    def _get_closed_form_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        done = min(self.total_iters, self.last_epoch)
        return [lr * (self.start_factor + rise * done / self.total_iters) for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """lr * gamma at every epoch.

    Args:
        optimizer: whose groups are changed.
        gamma: the factor.
        last_epoch: the epoch to go on from; -1 starts anew.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> optimizer.step(); scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    @asked
    def get_lr(self) -> list[Any]:
        """The present learning rates times gamma."""
        return self._current() if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * self.gamma**self.last_epoch for lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """lr * (1 - epoch / total_iters) ** power, 0 from epoch ``total_iters``.

    Args:
        optimizer: whose groups are changed.
        total_iters: the epoch at which 0 is reached.
        power: of the polynomial.
        last_epoch: the epoch to go on from; -1 starts anew.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=1.0)
        >>> optimizer.step(); scheduler.step()
        >>> scheduler.get_last_lr()
        [0.75]
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    @asked
    def get_lr(self) -> list[Any]:
        """The present learning rates times the ratio of two neighbouring values."""
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        now, before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return self._scaled((now / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [lr * left**self.power for lr in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """From lr to ``eta_min`` along half a cosine of ``T_max`` epochs (Loshchilov and Hutter, "SGDR", 2016), and
    back in the next ``T_max``.

    Args:
        optimizer: whose groups are changed.
        T_max: epochs to the minimum.
        eta_min: the minimum.
        last_epoch: the epoch to go on from; -1 starts anew.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
        >>> optimizer.step(); scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    @asked
    def get_lr(self) -> list[Any]:
        """The present learning rates, one step on along the cosine."""
        if self._is_initial:
            return self._current()
        low, period, epoch = self.eta_min, self.T_max, self.last_epoch
        if self._step_count == 1 and epoch > 0:
            return [
                low + (lr - low) * (1 + math.cos(epoch * math.pi / period)) / 2 for lr in self.base_lrs
            ]
        groups = self.optimizer.param_groups
        if (epoch - 1 - period) % (2 * period) == 0:  # the step before was the minimum: nothing to multiply
            return [
                group["lr"] + (lr - low) * (1 - math.cos(math.pi / period)) / 2
                for lr, group in zip(self.base_lrs, groups, strict=True)
            ]
        ratio = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [ratio * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        low, angle = self.eta_min, math.pi * self.last_epoch / self.T_max
        return [low + (lr - low) * (1 + math.cos(angle)) / 2 for lr in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """From lr to ``eta_min`` along half a cosine, then at once up again (Loshchilov and Hutter, "SGDR: Stochastic
    Gradient Descent with Warm Restarts", 2016).

    Args:
        optimizer: whose groups are changed.
        T_0: epochs to the first restart.
        T_mult: each further period is so many times as long.
        eta_min: the minimum.
        last_epoch: the epoch to go on from; -1 starts anew.

    Raises ValueError for periods that are not positive integers and a minimum that is no number.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> rates = []
        >>> for epoch in range(4):
        ...     optimizer.step(); scheduler.step()
        ...     rates += scheduler.get_last_lr()
        >>> rates
        [0.5, 1.0, 0.5, 1.0]
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: Any = last_epoch
        super().__init__(optimizer, last_epoch)

    @asked
    def get_lr(self) -> list[Any]:
        """The cosine's value at ``T_cur`` of ``T_i``."""
        low, angle = self.eta_min, math.pi * self.T_cur / self.T_i
        return [low + (lr - low) * (1 + math.cos(angle)) / 2 for lr in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Go on by one epoch; or, for changes within an epoch, to ``epoch``, which may be a fraction.

        Raises ValueError for a negative epoch.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        else:
            self._jump(epoch)
        self.last_epoch = math.floor(epoch)
        with self._asking():
            values = self.get_lr()
        self._write(values)

    def _jump(self, epoch: Any) -> None:
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i = self.T_0
            self.T_cur = epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult ** (n)
