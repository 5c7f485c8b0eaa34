"""What the optimizers share whose step works on each element by itself: laying parameters out, one pass over
all of them, and the way round for what does not fit.

A subclass names its state (``_names`` and ``_scalars``), says how a parameter's begins (``_begin``), computes
a step's numbers (a subclass of ``Numbers``), and moves a run on (``_update``); its function of lists of tensors
(``_slow``), in PyTorch's signature, serves half-precision and complex parameters and ``differentiable=True``.
"""

from typing import Any, ClassVar

import numpy as np

from rushlight.autograd.modes import enable_grad, set_grad_enabled
from rushlight.kernels.quiet import hush, unhush
from rushlight.optim._flat import Flat, Run, fits, same
from rushlight.optim._ops import tensor as make_tensor
from rushlight.optim._ops import view_as_real, zeros_like
from rushlight.optim.optimizer import (
    Optimizer,
    ParamsT,
    _device_dtype_check_for_fused,
    _get_scalar_dtype,
    _get_value,
)
from rushlight.tensor import Tensor, user_place

__all__ = ["FusedOptimizer", "Numbers", "check_steps", "refuse_capturable", "real_views", "lerp"]

_STEPS = "API has changed, `state_steps` argument must contain a list of singleton tensors"


def check_lr(lr: Any) -> None:
    """Raise ValueError for a tensor of several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_betas(betas: Any) -> None:
    """Raise ValueError unless both are in [0, 1)."""
    for place in (0, 1):
        if not 0.0 <= betas[place] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {place}: {betas[place]}")


def check_steps(state_steps: list) -> None:
    """Raise RuntimeError unless the steps of a function of lists are tensors."""
    if not all(isinstance(step, Tensor) for step in state_steps):
        raise RuntimeError(_STEPS)


def refuse_capturable(capturable: bool, what: str = "params and state_steps", xla: bool = True) -> None:
    """Raise AssertionError for ``capturable=True``: the CPU captures no graphs."""
    if capturable:
        devices = ["cuda", "xpu", "hpu", "privateuseone"] + ["xla"] * xla
        raise AssertionError(f"If capturable=True, {what} must be on supported devices: {devices}.")


def real_views(*tensors: Tensor) -> Any:
    """Complex tensors as their real and imaginary parts; others as they are."""
    return [view_as_real(t) if t.is_complex() else t for t in tensors]


def lerp(m: np.ndarray, g: np.ndarray, weight: np.ndarray, far: bool, work: np.ndarray) -> None:
    """Move ``m`` towards ``g``, from the end that PyTorch starts at.

    ``weight`` is the way to go, or, if that is half or more (``far``), the way that is left.
    """
    np.subtract(g, m, work)
    np.multiply(work, weight, work)
    if far:
        np.subtract(g, work, m)
    else:
        np.add(m, work, m)


def add_squares(v: np.ndarray, g: np.ndarray, keep: np.ndarray, rest: np.ndarray, work: np.ndarray) -> None:
    """v = keep v + rest g^2, in place."""
    np.multiply(v, keep, v)
    np.multiply(g, rest, work)
    np.multiply(work, g, work)
    np.add(v, work, v)


class Numbers:
    """A group's numbers for one step, as arrays without dimensions: NumPy takes them faster than Python's.

    ``decay`` is added to the gradient as a multiple of the parameter, ``shrink`` multiplies the parameter
    first; None where there is nothing to do.
    """

    __slots__ = ("maximize", "decay", "shrink")

    def __init__(self, group: dict[str, Any], dtype: np.dtype) -> None:
        self.maximize = group["maximize"]
        self.decay = self.shrink = None
        decay = _get_value(group.get("weight_decay", 0))
        if decay != 0:
            if group.get("decoupled_weight_decay", False):
                self.shrink = np.array(1 - _get_value(group["lr"]) * decay, dtype)
            else:
                self.decay = np.array(decay, dtype)

    @staticmethod
    def toward(beta: float, dtype: np.dtype) -> tuple[np.ndarray, bool]:
        """What ``lerp`` takes to go the part ``1 - beta`` of the way."""
        weight = 1 - beta
        far = weight >= 0.5
        return np.array(1 - weight if far else weight, dtype), far


class FusedOptimizer(Optimizer):
    """Base of the optimizers that work element by element; see the top of the file."""

    _scalars: ClassVar[tuple[str, ...]] = ("step",)
    _later: ClassVar[dict[str, Any]] = {  # options that older files lack
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    _numbers: ClassVar[Any] = Numbers
    _replaces: ClassVar[bool] = False  # the update is the new value, not what is to be added
    _layout_options: ClassVar[tuple[str, ...]] = ()  # options that decide which state there is
    _capturable_what: ClassVar[tuple] = ("params and state_steps", True)

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self._layouts: dict[int, Any] = {}
        super().__init__(params, defaults)

    def _take_fused(self) -> None:
        """Check the option ``fused`` against the others."""
        if self.defaults["fused"]:
            if self.defaults["differentiable"]:
                raise RuntimeError("`fused` does not support `differentiable`")
            self._step_supports_amp_scaling = True
            if self.defaults["foreach"]:
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._layouts = {}
        for group in self.param_groups:
            for option, value in self._later.items():
                group.setdefault(option, value)
            for param in group["params"]:
                entry = self.state.get(param) or {}
                for name in self._scalars if entry else ():
                    if not isinstance(entry[name], Tensor):  # saved before these were tensors
                        dtype = _get_scalar_dtype(is_fused=group.get("fused"))
                        entry[name] = make_tensor(float(entry[name]), dtype=dtype)

    # ---- what subclasses say ----

    def _names(self, group: dict[str, Any]) -> tuple[str, ...]:
        """The names of the state that has the parameter's shape."""
        raise NotImplementedError

    def _begin(self, param: Tensor, group: dict[str, Any], entry: dict[str, Any]) -> None:
        """Fill the state of a parameter at its first step."""
        entry["step"] = make_tensor(0.0, dtype=_get_scalar_dtype(is_fused=group.get("fused")))
        for name in self._names(group):
            entry[name] = zeros_like(param)

    def _advance(self, flat: Flat, which: Any, group: dict[str, Any]) -> None:
        """Count the step of the parameters ``which`` before it is made."""
        flat.scalars["step"][which] += 1

    def _settle(self, flat: Flat, which: Any, group: dict[str, Any]) -> None:
        """Move one-number states on after the step."""

    @staticmethod
    def _update(run: Run, g: np.ndarray, p: Any, numbers: Any) -> None:
        """Move the run's state on by the gradient ``g`` and write the update into ``run.update``.

        ``p``, the parameters, are there if the update replaces them. ``run.work`` is free to use, and so is
        ``run.other`` if they are not.
        """
        raise NotImplementedError

    def _slow(self, params: list, grads: list, entries: list, group: dict[str, Any]) -> None:
        """The step with tensor operators."""
        raise NotImplementedError

    def _refuse(self, group: dict[str, Any]) -> None:
        """Raise for options that PyTorch refuses at the first step."""
        if group.get("capturable", False) and any(p._grad is not None for p in group["params"]):
            refuse_capturable(True, *self._capturable_what)

    # ---- the step ----

    def step(self, closure: Any = None) -> Any:
        """One step by the gradients in ``.grad``; parameters without one stay as they are.

        ``closure``, if given, is called first with gradients on, and its result is returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        writer = (f"{type(self).__name__}.step", user_place())
        scaled = "found_inf" in self.__dict__
        for number, group in enumerate(self.param_groups):
            flats, slow = self._layout(number, group)
            if scaled and not unscaled(self, group):
                continue
            if flats:
                token = hush()
                try:
                    for flat in flats:
                        self._flat_step(flat, group, writer)
                finally:
                    unhush(token)
            if slow:
                self._slow_step(slow, group)
        return loss

    def _layout_key(self, group: dict[str, Any]) -> tuple:
        return (
            group["differentiable"],
            group.get("capturable"),
            group["foreach"],
            type(group["lr"]),
            *[group[option] for option in self._layout_options],
        )

    def _layout(self, number: int, group: dict[str, Any]) -> tuple[list[Flat], list[Tensor]]:
        """The group's parameters that have had a gradient, laid out; and those that are updated one by
        one.
        """
        params = group["params"]
        known = self._layouts.get(number)
        key = self._layout_key(group)
        if known is not None:
            listed, flats, waiting, slow, known_key = known
            if (
                same(listed, params)
                and key == known_key
                and all(p._grad is None for p in waiting)
                and all(flat.intact(self.state) for flat in flats)
            ):
                return flats, slow
        self._refuse(group)
        started = [p for p in params if p._grad is not None or self.state.get(p)]
        for param in started:
            if not self.state.get(param):
                if group.get("fused"):
                    _device_dtype_check_for_fused(param)
                self._begin(param, group, self.state[param])
        plain = not group["differentiable"] and len(set(started)) == len(started)
        kinds: dict[Any, list[Tensor]] = {}
        slow = []
        for param in started:
            entry = self.state[param]
            scalars = [entry[name]._a for name in self._scalars]
            if plain and fits(param) and all(a.ndim == 0 for a in scalars):
                kinds.setdefault((param._a.dtype, *[a.dtype for a in scalars]), []).append(param)
            else:
                slow.append(param)
        flats = []
        names = self._names(group)
        for (_, *dtypes), members in kinds.items():
            flat = Flat(members, names, dict(zip(self._scalars, dtypes)))
            for k, param in enumerate(flat.params):
                entry = self.state[param]
                for name in names:
                    if name not in entry:
                        raise KeyError(name)  # the option that needs it was switched on after the first step
                for name in self._scalars:
                    flat.adopt_scalar(k, entry, name)
                for name in names:
                    flat.adopt(k, entry, name)
                flat.dicts.append(entry)
            flats.append(flat)
        has_entry = set(started)
        waiting = [p for p in params if p not in has_entry]
        self._layouts[number] = list(params), flats, waiting, slow, key
        return flats, slow

    def _slow_step(self, params: list[Tensor], group: dict[str, Any]) -> None:
        params = [p for p in params if p.grad is not None]
        entries = [self.state[p] for p in params]
        with set_grad_enabled(group["differentiable"]):
            self._slow(params, [p.grad for p in params], entries, group)

    def _flat_step(self, flat: Flat, group: dict[str, Any], writer: tuple) -> None:
        grads: list[Any] = [None if p._grad is None else p._grad._a for p in flat.params]
        missing = any(g is None for g in grads)
        which: Any = [k for k, g in enumerate(grads) if g is not None] if missing else slice(None)
        self._advance(flat, which, group)
        values = list(zip(*[numbers.tolist() for numbers in flat.scalars.values()]))
        shared = self._numbers(group, flat.dtype, *values[0])
        if not missing and values.count(values[0]) == len(values):
            for run in flat.runs:
                self._step_run(flat, run, grads, shared)
            alone: Any = range(flat.large, len(grads))
        else:
            alone = range(len(grads)) if not missing else which
        finish = np.copyto if self._replaces else _add
        update = self._update
        for k in alone:
            numbers = shared if values[k] == values[0] else self._numbers(group, flat.dtype, *values[k])
            for run in flat.chunks_of(k):
                p = flat.part(run, flat.arrays[k])
                if numbers.shrink is not None:
                    np.multiply(p, numbers.shrink, p)
                update(run, _gradient(run, flat.part(run, grads[k]), p, numbers), p, numbers)
                finish(p, run.update)
        self._settle(flat, which, group)
        for param, g in zip(flat.params, grads):
            if g is not None:
                param._bump(writer)

    def _step_run(self, flat: Flat, run: Run, grads: list, numbers: Any) -> None:
        g = flat.gather(run, grads, run.grad)
        arrays = flat.arrays
        if numbers.shrink is not None:
            for k in run.members:
                np.multiply(arrays[k], numbers.shrink, arrays[k])
        p = None
        if self._replaces or numbers.decay is not None:
            p = flat.gather(run, arrays, run.other)
        self._update(run, _gradient(run, g, p, numbers), p, numbers)
        finish = np.copyto if self._replaces else _add
        for k, piece in zip(run.members, run.pieces):
            finish(arrays[k], piece)


def _add(p: np.ndarray, update: np.ndarray) -> None:
    np.add(p, update, p)


def _gradient(run: Run, g: np.ndarray, p: Any, numbers: Numbers) -> np.ndarray:
    """The gradient with ``maximize`` and weight decay; the one given stays as it is."""
    if numbers.maximize:
        g = np.negative(g, run.grad)
    if numbers.decay is not None:
        g = np.add(g, np.multiply(p, numbers.decay, run.work), run.grad)
    return g


def unscaled(optimizer: Any, group: dict[str, Any]) -> bool:
    """What a ``fused`` optimizer does under a ``GradScaler``: divide the group's gradients by the scale; or,
    where one of them was infinite, nothing: then False.
    """
    if optimizer.found_inf.item():
        return False
    scale = optimizer.grad_scale
    if scale is not None:
        for param in group["params"]:
            if param._grad is not None:
                param._grad.div_(scale.item())
    return True
