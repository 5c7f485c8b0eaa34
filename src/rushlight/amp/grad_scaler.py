"""``GradScaler``: multiply the loss so that small gradients do not vanish in half precision, divide the gradients
before the step, and leave out steps whose gradients overflowed.

The scale grows while all goes well and falls when a gradient is infinite or not a number. ``unscale_`` finds that
out; ``step`` calls it unless the program has, so that it can clip the true gradients in between.
"""

import inspect
import math
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.kernels.quiet import hush, unhush
from rushlight.optim._ops import tensor as make_tensor
from rushlight.optim.optimizer import Optimizer
from rushlight.tensor import Tensor, user_place

__all__ = ["OptState", "GradScaler"]


class OptState(Enum):
    """What has been done for an optimizer since the last ``update``."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def _unscale(grads: list[Tensor], found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiply gradients in place, and note in ``found_inf`` if one of them was not finite."""
    factor = inv_scale.item()
    writer = ("GradScaler.unscale_", user_place())
    token = hush()
    try:
        for grad in grads:
            array = grad._a
            if not np.isfinite(array).all():
                found_inf.fill_(1.0)
            if factor != 1:
                if array.dtype.itemsize == 2:  # computed in float32, as PyTorch does
                    np.copyto(array, array.astype(np.float32) * np.float32(factor), casting="unsafe")
                else:
                    np.multiply(array, array.dtype.type(factor), array)
                grad._bump(writer)
    finally:
        unhush(token)


class GradScaler:
    """Scales losses and unscales gradients.

    Args:
        device: "cpu"; "cuda", the default in PyTorch, warns and does nothing here.
        init_scale: the first scale.
        growth_factor: above 1; the scale grows by it after ``growth_interval`` good steps in a row.
        backoff_factor: below 1; the scale falls by it after a step that was left out.
        growth_interval: see there.
        enabled: False makes all of it do nothing.

    Raises AssertionError for factors out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.25)
        >>> scaler = torch.amp.GradScaler("cpu")
        >>> scaler.scale((w * w).sum()).backward()
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> w, scaler.get_scale()
        (tensor([0.5000], requires_grad=True), 65536.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled:
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2
            )
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            self._init_scale = init_scale
            self._scale: Tensor | None = None  # made at the first scale()
            self._growth_factor = growth_factor
            self._backoff_factor = backoff_factor
            self._growth_interval = growth_interval
            self._init_growth_tracker = 0
            self._growth_tracker: Tensor | None = None
            self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_refresh_per_optimizer_state)

    def _check_scale_growth_tracker(self, funcname: str) -> tuple[Tensor, Tensor]:
        advice = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
        if self._scale is None:
            raise AssertionError(f"Attempted {funcname} but _scale is None.  {advice}")
        if self._growth_tracker is None:
            raise AssertionError(f"Attempted {funcname} but _growth_tracker is None.  {advice}")
        return self._scale, self._growth_tracker

    def _lazy_init_scale_growth_tracker(self, dev: Any = None) -> None:
        if self._growth_tracker is not None:
            raise AssertionError("_growth_tracker initialized before _scale")
        self._scale = make_tensor(self._init_scale, dtype=dtypes.float32)
        self._growth_tracker = make_tensor(self._init_growth_tracker, dtype=dtypes.int32)

    def scale(self, outputs: Any) -> Any:
        """A tensor, or each in an iterable of them, times the scale.

        Raises ValueError for anything else.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker()
            scale: Any = self._scale
            return outputs * scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _unscale_grads_(
        self, optimizer: Optimizer, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool
    ) -> dict[Any, Tensor]:
        grads = []
        for group in optimizer.param_groups:
            for param in group["params"]:
                if not isinstance(param, Tensor):
                    raise AssertionError(f"expected param to be torch.Tensor, got {type(param).__name__}")
                grad = param.grad
                if grad is None:
                    continue
                if not allow_fp16 and grad.dtype == dtypes.float16:
                    raise ValueError(
                        "Attempting to unscale FP16 gradients.\nKeep the parameters in float32 and use autocast."
                    )
                grads.append(grad)
        if not grads:
            return {}
        _unscale(grads, found_inf, inv_scale)
        return {grads[0].device: found_inf}

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the optimizer's gradients by the scale, once between two updates.

        Raises RuntimeError for a second time and after ``step``, ValueError for float16 gradients.
        """
        if not self._enabled:
            return
        scale, _ = self._check_scale_growth_tracker("unscale_")
        entry = self._per_optimizer_states[id(optimizer)]
        if entry["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if entry["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = scale.double().reciprocal().float()
        found_inf = make_tensor(0.0, dtype=dtypes.float32)
        entry["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, found_inf, False)
        entry["stage"] = OptState.UNSCALED

    def _maybe_opt_step(self, optimizer: Optimizer, optimizer_state: dict, *args: Any, **kwargs: Any) -> Any:
        if sum(found.item() for found in optimizer_state["found_inf_per_device"].values()):
            return None
        return optimizer.step(*args, **kwargs)

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """``optimizer.step(*args, **kwargs)`` with unscaled gradients; nothing if one of them is not finite.

        Raises RuntimeError for a closure and for a second call before ``update``.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        entry = self._per_optimizer_states[id(optimizer)]
        if entry["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            result = self._step_by_itself(optimizer, entry, args, kwargs)
        else:
            if entry["stage"] is OptState.READY:
                self.unscale_(optimizer)
            if len(entry["found_inf_per_device"]) == 0:
                raise AssertionError(
                    "No inf checks were recorded for this optimizer.\nNone of its parameters has a gradient."
                )
            result = self._maybe_opt_step(optimizer, entry, *args, **kwargs)
        entry["stage"] = OptState.STEPPED
        return result

    def _step_by_itself(self, optimizer: Any, entry: dict, args: tuple, kwargs: dict) -> Any:
        """The step of an optimizer that unscales on its own: it is told the scale and what was found."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn(
                "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In "
                "the near future GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the "
                "passed optimizer and let the optimizer use them directly.",
                FutureWarning,
                stacklevel=3,
            )
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        if entry["stage"] is OptState.READY:
            self._check_inf_per_device(optimizer)
        own = getattr(optimizer, "grad_scale", None)
        if entry["stage"] is not OptState.UNSCALED:
            scale: Any = self._scale
            own = scale * (1 if own is None else own)
        optimizer.grad_scale = own
        optimizer.found_inf = sum(entry["found_inf_per_device"].values(), make_tensor(0.0))
        try:
            return optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale
            del optimizer.found_inf

    def update(self, new_scale: Any = None) -> None:
        """At the end of an iteration: let the scale grow or fall, or set it.

        Raises AssertionError if no step was made, and for a new scale that is neither a float nor a one-element
        tensor without gradient.
        """
        if not self._enabled:
            return
        scale, tracker = self._check_scale_growth_tracker("update")
        if new_scale is not None:
            if isinstance(new_scale, float):
                scale.fill_(new_scale)
            else:
                fits = new_scale.device.type == self._device and new_scale.numel() == 1
                if not fits or new_scale.requires_grad:
                    raise AssertionError(
                        "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                        "torch.FloatTensor with requires_grad=False."
                    )
                scale.copy_(new_scale)
        else:
            found = [
                value.item()
                for entry in self._per_optimizer_states.values()
                for value in entry["found_inf_per_device"].values()
            ]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._move_scale(scale, tracker, any(found))
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _move_scale(self, scale: Tensor, tracker: Tensor, overflowed: bool) -> None:
        if overflowed:
            scale.fill_(scale.item() * self._backoff_factor)
            tracker.fill_(0)
            return
        successes = int(tracker.item()) + 1
        if successes == self._growth_interval:
            grown = np.float64(scale.item()) * self._growth_factor
            if math.isfinite(grown) and grown <= dtypes.finfo(dtypes.float32).max:
                scale.fill_(float(grown))
            successes = 0
        tracker.fill_(successes)

    def _get_scale_async(self) -> Tensor | None:
        return self._scale

    def get_scale(self) -> float:
        """The present scale; 1.0 if disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """The factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """The factor by which the scale falls."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale falls."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """The number of good steps in a row after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of good steps in a row after which the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Scale, factors, interval and the count of good steps as plain numbers; empty if disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave. Raises RuntimeError for that of a disabled one."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of "
                "GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if len(self._per_optimizer_states) != 0:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the "
                    "end after scaler.update()."
                )
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = None
            state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _check_inf_per_device(self, optimizer: Optimizer) -> dict[Any, Tensor]:
        """Look for gradients that are not finite without changing any."""
        self._check_scale_growth_tracker("_check_inf_per_device")
        found_inf = make_tensor(0.0, dtype=dtypes.float32)
        found = self._unscale_grads_(optimizer, make_tensor(1.0), found_inf, True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(self, optimizer: Optimizer) -> dict[Any, Tensor]:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
