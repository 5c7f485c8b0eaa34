"""Schedules that go up and down once or again and again, the momentum the other way (Smith, "Cyclical Learning
Rates for Training Neural Networks", 2015; Smith and Topin, "Super-Convergence", 2017). They count batches, not
epochs: call ``step`` after each.
"""

import functools
import math
import types
from collections.abc import Callable
from typing import Any

from rushlight.optim.lr_scheduler.base import (
    LRScheduler,
    _check_optimizer,
    _format_param,
    _update_param_group_val,
    asked,
)
from rushlight.optim.optimizer import Optimizer

__all__ = ["CyclicLR", "OneCycleLR"]


def _uses_beta1(optimizer: Optimizer) -> bool:
    """Whether the optimizer's momentum is ``betas[0]``; ValueError if it has none."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled\n"
            "Pass cycle_momentum=False."
        )
    return "betas" in optimizer.defaults


def _set_momentum(group: dict[str, Any], momentum: Any, use_beta1: bool) -> None:
    if use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def _triangular(x: float) -> float:
    return 1.0


def _triangular2(x: float) -> float:
    return 1 / (2.0 ** (x - 1))


def _exp_range(gamma: float, x: float) -> float:
    return gamma**x


class CyclicLR(LRScheduler):
    """Between ``base_lr`` and ``max_lr``, up and down in straight lines, with a height that may change.

    Args:
        optimizer: whose groups are changed.
        base_lr, max_lr: the lower and the upper end, a number or a list with one for each group.
        step_size_up, step_size_down: batches on the way up and down; down as up if None.
        mode: "triangular" (always the same height), "triangular2" (half of it in each further cycle) or
            "exp_range" (height times gamma ** batches).
        gamma: of "exp_range".
        scale_fn: a function that gives the height's factor, in place of ``mode``.
        scale_mode: what it is a function of: "cycle" (the number of the cycle) or "iterations" (of the batch).
        cycle_momentum: move the momentum (or ``betas[0]``) between ``max_momentum`` and ``base_momentum``.
        base_momentum, max_momentum: its ends, a number or a list.
        last_epoch: the batch to go on from; -1 starts anew.

    Raises TypeError for anything but an optimizer; ValueError for another mode, lists of another length than
    that of the groups, and an optimizer without momentum if it is to be moved.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
        >>> rates = scheduler.get_last_lr()
        >>> for batch in range(4):
        ...     optimizer.step(); scheduler.step()
        ...     rates = rates + scheduler.get_last_lr()
        >>> rates
        [0.0, 0.5, 1.0, 0.5, 0.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _format_param("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                _update_param_group_val(group, "lr", lr)
        self.max_lrs = _format_param("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_ref: Callable[[float], float]
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _uses_beta1(optimizer)
            self.base_momentums = _format_param("base_momentum", optimizer, base_momentum)
            self.max_momentums = _format_param("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                for high, low, group in zip(self.max_momentums, self.base_momentums, optimizer.param_groups):
                    _set_momentum(group, high, self.use_beta1)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        if self.mode == "triangular":
            self._scale_fn_ref, self.scale_mode = _triangular, "cycle"
        elif self.mode == "triangular2":
            self._scale_fn_ref, self.scale_mode = _triangular2, "cycle"
        elif self.mode == "exp_range":
            self._scale_fn_ref, self.scale_mode = functools.partial(_exp_range, self.gamma), "iterations"

    def scale_fn(self, x: float) -> float:
        """The factor of the height at a cycle or batch."""
        return (self._scale_fn_ref if self._scale_fn_custom is None else self._scale_fn_custom)(x)

    @asked
    def get_lr(self) -> list[Any]:
        """The place in the cycle; moves the momentum too."""
        turns = self.last_epoch / self.total_size
        cycle = math.floor(1 + turns)
        x = 1.0 + turns - cycle
        ratio = self.step_ratio
        height = x / ratio if x <= ratio else (x - 1) / (ratio - 1)

        def scaled(low: Any, high: Any) -> Any:
            at = cycle if self.scale_mode == "cycle" else self.last_epoch
            return (high - low) * height * self.scale_fn(at)

        lrs = [low + scaled(low, high) for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]
        if self.cycle_momentum:
            momentums = [
                high - scaled(low, high)
                for low, high in zip(self.base_momentums, self.max_momentums, strict=True)
            ]
            for group, momentum in zip(self.optimizer.param_groups, momentums, strict=True):
                _set_momentum(group, momentum, self.use_beta1)
        return lrs

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer and the built-in functions. Of an own ``scale_fn``, an object gives
        its attributes, and a plain function or lambda None.
        """
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        function = state.pop("_scale_fn_custom")
        saved = function is not None and not isinstance(function, types.FunctionType)
        state["_scale_fn_custom"] = function.__dict__.copy() if saved else None
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave; an own function itself stays."""
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        saved = state_dict["_scale_fn_custom"]
        if saved is not None:
            self._scale_fn_custom.__dict__.update(saved)
        self._init_scale_fn()


def _count(name: str, value: Any) -> int:
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


class OneCycleLR(LRScheduler):
    """One way up from max_lr / div_factor to ``max_lr``, and one down to far below the start.

    Args:
        optimizer: whose groups are changed.
        max_lr: the top, a number or a list with one for each group.
        total_steps: batches in all; or
        epochs, steps_per_epoch: whose product they are.
        pct_start: the part of the way that goes up.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: move the momentum (or ``betas[0]``) from ``max_momentum`` down to ``base_momentum`` and
            back.
        base_momentum, max_momentum: its ends, a number or a list.
        div_factor: what max_lr is divided by at the start.
        final_div_factor: what the start is divided by at the end.
        three_phase: go down to the start as slowly as up, then on to the end.
        last_epoch: the batch to go on from; -1 starts anew.

    Raises TypeError for anything but an optimizer; ValueError for options out of range, an optimizer without
    momentum if it is to be moved, and, at a step, past the last one.

    Example::

        >>> import rushlight as torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(
        ...     optimizer, max_lr=1.0, total_steps=4, pct_start=0.5, anneal_strategy="linear")
        >>> rates = scheduler.get_last_lr()
        >>> for batch in range(2):
        ...     optimizer.step(); scheduler.step()
        ...     rates = rates + scheduler.get_last_lr()
        >>> [round(rate, 3) for rate in rates]
        [0.04, 1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            self.total_steps = _count("total_steps", total_steps)
        elif epochs is not None and steps_per_epoch is not None:
            self.total_steps = _count("epochs", epochs) * _count("steps_per_epoch", steps_per_epoch)
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        top = float(pct_start * self.total_steps) - 1
        phases = [(top, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            middle = float(2 * pct_start * self.total_steps) - 2
            phases += [
                (middle, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                (self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            phases += [(self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        keys = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        self._schedule_phases: list[dict[str, Any]] = [dict(zip(keys, phase)) for phase in phases]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        max_lrs = _format_param("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for high, group in zip(max_lrs, optimizer.param_groups):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _uses_beta1(optimizer)
            highs = _format_param("max_momentum", optimizer, max_momentum)
            lows = _format_param("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                for high, low, group in zip(highs, lows, optimizer.param_groups):
                    _set_momentum(group, high, self.use_beta1)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start: Any, end: Any, pct: float) -> Any:
        """The value after the part ``pct`` of the way from start to end."""
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)
        if self._anneal_func_type == "linear":
            return (end - start) * pct + start
        raise ValueError(f"Unknown _anneal_func_type: {self._anneal_func_type}")

    @asked
    def get_lr(self) -> list[Any]:
        """The place in the phase that this step belongs to; moves the momentum too."""
        number = self.last_epoch
        if number > self.total_steps:
            raise ValueError(
                f"Tried to step {number} times. The specified number of total steps is {self.total_steps}"
            )
        start: float = 0.0
        for phase in self._schedule_phases:
            if number <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        part = (number - start) / (phase["end_step"] - start)
        lrs = []
        for group in self.optimizer.param_groups:
            lrs.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, self._anneal_func(*ends, part), self.use_beta1)
        return lrs
