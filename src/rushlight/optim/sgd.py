"""Stochastic gradient descent, with momentum (Polyak, 1964) and Nesterov's form of it (Sutskever et al.,
2013).

    b = momentum b + (1 - dampening) g,   b = g at first
    p = p - lr b,   with Nesterov p = p - lr (g + momentum b),   without momentum p = p - lr g

Float32 and float64 parameters are updated many at a time (``_flat.py``); others, and everything under
``differentiable=True``, one by one with tensor operators (``sgd``).
"""

from typing import Any

import numpy as np

from rushlight.autograd.modes import enable_grad, set_grad_enabled
from rushlight.kernels.quiet import hush, unhush
from rushlight.optim._flat import Flat, Run, fits, same
from rushlight.optim._fused import unscaled
from rushlight.optim.optimizer import (
    Optimizer,
    ParamsT,
    _device_dtype_check_for_fused,
    _get_value,
    _to_scalar,
)
from rushlight.tensor import Tensor, user_place

__all__ = ["SGD", "sgd"]


class SGD(Optimizer):
    """Steps down the gradient.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: learning rate, a float or a one-element tensor.
        momentum, dampening: of the running sum of gradients that the step follows.
        weight_decay: adds weight_decay * p to the gradient.
        nesterov: look ahead along the momentum.
        maximize: step uphill.
        foreach, fused: accepted; there is one implementation.
        differentiable: the step itself is recorded for gradients.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.25)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Any = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        self._layouts: dict[int, Any] = {}
        super().__init__(params, defaults)
        if fused:
            self._step_supports_amp_scaling = True
            if differentiable:
                raise RuntimeError("`fused` does not support `differentiable`")
            if foreach:
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._layouts = {}
        for group in self.param_groups:
            for option in ("nesterov", "maximize", "differentiable", "fused"):
                group.setdefault(option, False)
            group.setdefault("foreach", None)

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
            if scaled and not unscaled(self, group):
                continue
            flats, slow = self._layout(number, group)
            if flats:
                token = hush()
                try:
                    for flat in flats:
                        _flat_step(flat, group, writer)
                finally:
                    unhush(token)
            if slow:
                self._slow_step(slow, group)
        return loss

    def _layout(self, number: int, group: dict[str, Any]) -> tuple[list[Flat], list[Tensor]]:
        """The group's parameters that have had a gradient, laid out; and those that are updated one by
        one.
        """
        params = group["params"]
        key = group["momentum"] != 0, group["differentiable"]
        known = self._layouts.get(number)
        if known is not None:
            listed, flats, waiting, slow, known_key = known
            if (
                same(listed, params)
                and key == known_key
                and all(p._grad is None for p in waiting)
                and all(flat.intact(self.state) for flat in flats)
            ):
                return flats, slow
        momentum = key[0]
        if group["fused"]:
            for param in params:
                _device_dtype_check_for_fused(param)
        plain = not group["differentiable"] and len(set(params)) == len(params)
        kinds: dict[Any, list[Tensor]] = {}
        slow, waiting = [], []
        for param in params:
            if param._grad is None and not (momentum and self.state.get(param)):
                waiting.append(param)
            elif plain and fits(param):
                begun = not momentum or self.state[param].get("momentum_buffer") is not None
                kinds.setdefault((param._a.dtype, begun), []).append(param)
            else:
                slow.append(param)
        flats = []
        settled = True
        for (_, begun), members in kinds.items():
            flat = Flat(members, ("momentum_buffer",) if momentum else ())
            for k, param in enumerate(flat.params):
                if momentum:
                    flat.adopt(k, self.state[param], "momentum_buffer")
                flat.dicts.append(self.state[param] if momentum else self.state.get(param))
            flat.fresh = not begun  # type: ignore[attr-defined]
            settled = settled and begun
            flats.append(flat)
        # Buffers that begin in this step are laid out once more with the others before the next.
        if settled or len(kinds) == 1:
            self._layouts[number] = list(params), flats, waiting, slow, key
        else:
            self._layouts.pop(number, None)
        return flats, slow

    def _slow_step(self, params: list[Tensor], group: dict[str, Any]) -> None:
        params = [p for p in params if p.grad is not None]
        momentum = group["momentum"] != 0
        buffers: list[Any] = [self.state[p].get("momentum_buffer") if momentum else None for p in params]
        with set_grad_enabled(group["differentiable"]):
            sgd(
                params,
                [p.grad for p in params if p.grad is not None],
                buffers,
                foreach=group["foreach"],
                fused=group["fused"],
                weight_decay=group["weight_decay"],
                momentum=group["momentum"],
                lr=group["lr"],
                dampening=group["dampening"],
                nesterov=group["nesterov"],
                maximize=group["maximize"],
            )
        if momentum:
            for param, buffer in zip(params, buffers):
                self.state[param]["momentum_buffer"] = buffer


class _Options:
    """A group's numbers for one step, as arrays without dimensions: NumPy takes them faster than Python's
    numbers.
    """

    __slots__ = ("maximize", "decay", "momentum", "rest", "nesterov", "size", "fresh")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, fresh: bool) -> None:
        decay, momentum, dampening = _get_value(group["weight_decay"]), group["momentum"], group["dampening"]
        self.maximize = group["maximize"]
        self.decay = None if decay == 0 else np.array(decay, dtype)
        self.momentum = None if momentum == 0 else np.array(momentum, dtype)
        self.rest = None if dampening == 0 else np.array(1 - dampening, dtype)
        self.nesterov = group["nesterov"]
        self.size = np.array(-_get_value(group["lr"]), dtype)
        self.fresh = fresh


def _plain_step(flat: Flat, size: np.ndarray, writer: tuple) -> None:
    """The step without momentum or decay: two calls for each parameter, fewer than gathering would take."""
    multiply, add = np.multiply, np.add
    arrays = flat.arrays
    for k, param in enumerate(flat.params):
        grad = param._grad
        if grad is None:
            continue
        array = arrays[k]
        if k < flat.large:
            add(array, multiply(grad._a, size, flat.pieces[k]), array)
        else:
            for run in flat.chunks_of(k):
                p = flat.part(run, array)
                add(p, multiply(flat.part(run, grad._a), size, run.update), p)
        param._bump(writer)


def _flat_step(flat: Flat, group: dict[str, Any], writer: tuple) -> None:
    if group["momentum"] == 0 and not group["maximize"] and _get_value(group["weight_decay"]) == 0:
        _plain_step(flat, np.array(-_get_value(group["lr"]), flat.dtype), writer)
        return
    grads: list[Any] = [None if p._grad is None else p._grad._a for p in flat.params]
    options = _Options(group, flat.dtype, flat.fresh)  # type: ignore[attr-defined]
    arrays = flat.arrays
    if any(g is None for g in grads):
        alone: Any = [k for k, g in enumerate(grads) if g is not None]
    else:
        for run in flat.runs:
            g = flat.gather(run, grads, run.grad)
            _update(run, g, None if options.decay is None else flat.gather(run, arrays, run.other), options)
            for k, piece in zip(run.members, run.pieces):
                np.add(arrays[k], piece, arrays[k])
        alone = range(flat.large, len(grads))
    for k in alone:
        for run in flat.chunks_of(k):
            p = flat.part(run, arrays[k])
            _update(run, flat.part(run, grads[k]), p, options)
            np.add(p, run.update, p)
    flat.fresh = False  # type: ignore[attr-defined]
    for param, g in zip(flat.params, grads):
        if g is not None:
            param._bump(writer)


def _update(run: Run, g: np.ndarray, p: Any, options: _Options) -> None:
    """Move the run's momentum on by the gradient ``g`` and write what is to be added to ``p`` into
    ``run.update``.
    """
    if options.maximize:
        g = np.negative(g, run.grad)
    if options.decay is not None:
        g = np.add(g, np.multiply(p, options.decay, run.work), run.grad)
    if options.momentum is not None:
        buffer = run.state["momentum_buffer"]
        if options.fresh:
            np.copyto(buffer, g)
        else:
            np.multiply(buffer, options.momentum, buffer)
            np.add(buffer, g if options.rest is None else np.multiply(g, options.rest, run.work), buffer)
        if options.nesterov:
            g = np.add(g, np.multiply(buffer, options.momentum, run.work), run.work)
        else:
            g = buffer
    np.multiply(g, options.size, run.update)


def sgd(
    params: list[Tensor],
    d_p_list: list[Tensor],
    momentum_buffer_list: list[Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    *,
    weight_decay: Any,
    momentum: float,
    lr: Any,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """One step as a function of lists of tensors, all changed in place, with tensor operators.

    ``momentum_buffer_list`` receives the buffers where it held None.
    """
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    lr = _to_scalar(lr)
    for i, param in enumerate(params):
        grad = -d_p_list[i] if maximize else d_p_list[i]
        if weight_decay != 0:
            if isinstance(weight_decay, Tensor) and weight_decay.requires_grad:
                grad = grad.addcmul_(param.clone(), weight_decay)
            else:
                grad = grad.add(param, alpha=_get_value(weight_decay))
        if momentum != 0:
            buffer = momentum_buffer_list[i]
            if buffer is None:
                buffer = momentum_buffer_list[i] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - dampening)
            grad = grad.add(buffer, alpha=momentum) if nesterov else buffer
        if isinstance(lr, Tensor) and lr.requires_grad:
            param.addcmul_(grad, lr, value=-1)
        else:
            param.add_(grad, alpha=-_get_value(lr))
