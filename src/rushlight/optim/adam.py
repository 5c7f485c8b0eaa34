"""Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2014) and what all its variants share.

    m = beta1 m + (1 - beta1) g            v = beta2 v + (1 - beta2) g^2
    p = p - lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)

Float32 and float64 parameters are updated many at a time (``_flat.py``), in PyTorch's order of operations but
for one division; complex and half-precision ones, and everything under ``differentiable=True``, one by one
with tensor operators (``adam``).
"""

from typing import Any

import numpy as np

from rushlight.autograd.modes import enable_grad, set_grad_enabled
from rushlight.kernels.quiet import hush, unhush
from rushlight.nn._ops import maximum, view_as_real, zeros_like
from rushlight.nn._ops import tensor as make_tensor
from rushlight.optim._flat import Flat, Run, fits, same
from rushlight.optim.optimizer import (
    Optimizer,
    ParamsT,
    _device_dtype_check_for_fused,
    _get_scalar_dtype,
    _get_value,
    _to_scalar,
)
from rushlight.tensor import Tensor, user_place

__all__ = ["Adam", "adam"]

_TENSOR_LR = "lr as a Tensor is not supported for capturable=False and foreach=True"
_CAPTURABLE = (
    "If capturable=True, params and state_steps must be on supported devices: "
    "['cuda', 'xpu', 'hpu', 'privateuseone', 'xla']."
)


class Adam(Optimizer):
    """Steps of the size of ``lr``, whatever the gradient's scale, from its running mean and mean square.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of parameter groups.
        lr: learning rate, a float or a one-element tensor.
        betas: how slowly the running means follow, each in [0, 1).
        eps: added to the root of the mean square.
        weight_decay: adds weight_decay * p to the gradient; with ``decoupled_weight_decay`` shrinks p itself.
        amsgrad: divide by the largest mean square so far (Reddi et al., 2018).
        maximize: step uphill.
        foreach, fused: accepted; there is one implementation.
        capturable: for devices with graphs; an error at the first step on the CPU.
        differentiable: the step itself is recorded for gradients.

    Raises ValueError for options out of range.

    Example::

        >>> import rushlight as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.Adam([w], lr=0.5)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        betas: Any = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor):
            if foreach and not capturable:
                raise ValueError(_TENSOR_LR)
            if lr.numel() != 1:
                raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for place in (0, 1):
            if not 0.0 <= betas[place] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {place}: {betas[place]}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if not (
            all(isinstance(b, float) for b in betas[:2]) or all(isinstance(b, Tensor) for b in betas[:2])
        ):
            raise ValueError("betas must be either both floats or both Tensors")
        for place in (0, 1):
            beta = betas[place]
            if isinstance(beta, Tensor):
                if not capturable and foreach:
                    raise ValueError(
                        f"betas[{place}] as a Tensor is not supported for capturable=False and foreach=True"
                    )
                if beta.numel() != 1:
                    raise ValueError(f"Tensor betas[{place}] must be 1-element")
        defaults = {
            "lr": lr,
            "betas": tuple(map(_to_scalar, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        self._layouts: dict[int, Any] = {}
        super().__init__(params, defaults)
        if fused:
            if differentiable:
                raise RuntimeError("`fused` does not support `differentiable`")
            self._step_supports_amp_scaling = True
            if foreach:
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._layouts = {}
        for group in self.param_groups:
            for option in ("amsgrad", "maximize", "capturable", "differentiable", "decoupled_weight_decay"):
                group.setdefault(option, False)
            group.setdefault("foreach", None)
            fused = group.setdefault("fused", None)
            for param in group["params"]:
                entry = self.state.get(param)
                if entry and not isinstance(entry["step"], Tensor):  # saved before steps were tensors
                    entry["step"] = make_tensor(float(entry["step"]), dtype=_get_scalar_dtype(is_fused=fused))

    def _new_entry(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """The state of a parameter that has none yet."""
        if group["fused"]:
            _device_dtype_check_for_fused(param)
        entry = self.state[param]
        entry["step"] = make_tensor(0.0, dtype=_get_scalar_dtype(is_fused=group["fused"]))
        for name in _names(group):
            entry[name] = zeros_like(param)
        return entry

    def step(self, closure: Any = None) -> Any:
        """One step by the gradients in ``.grad``; parameters without one stay as they are.

        ``closure``, if given, is called first with gradients on, and its result is returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        writer = (f"{type(self).__name__}.step", user_place())
        for number, group in enumerate(self.param_groups):
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
        known = self._layouts.get(number)
        if known is not None:
            listed, flats, waiting, slow, key = known
            if (
                same(listed, params)
                and key == _layout_key(group)
                and all(p._grad is None for p in waiting)
                and all(flat.intact(self.state) for flat in flats)
            ):
                return flats, slow
        if group["foreach"] and isinstance(group["lr"], Tensor) and not group["capturable"]:
            raise RuntimeError(_TENSOR_LR)
        if group["capturable"] and any(p._grad is not None for p in params):
            raise AssertionError(_CAPTURABLE)
        started = [p for p in params if p._grad is not None or self.state.get(p)]
        for param in started:
            if not self.state.get(param):
                self._new_entry(param, group)
        plain = not group["differentiable"] and len(set(started)) == len(started)
        kinds: dict[Any, list[Tensor]] = {}
        slow = []
        for param in started:
            step = self.state[param]["step"]
            if plain and fits(param) and step._a.ndim == 0:
                kinds.setdefault((param._a.dtype, step._a.dtype), []).append(param)
            else:
                slow.append(param)
        flats = []
        for (_, step_dtype), members in kinds.items():
            flat = Flat(members, _names(group), step_dtype)
            for k, param in enumerate(flat.params):
                entry = self.state[param]
                if "max_exp_avg_sq" in flat.names and "max_exp_avg_sq" not in entry:
                    raise KeyError("max_exp_avg_sq")  # amsgrad was switched on after the first step
                flat.adopt_step(k, entry)
                for name in flat.names:
                    flat.adopt(k, entry, name)
                flat.dicts.append(entry)
            flats.append(flat)
        has_entry = set(started)
        waiting = [p for p in params if p not in has_entry]
        self._layouts[number] = list(params), flats, waiting, slow, _layout_key(group)
        return flats, slow

    def _slow_step(self, params: list[Tensor], group: dict[str, Any]) -> None:
        params = [p for p in params if p.grad is not None]
        entries = [self.state[p] for p in params]
        if group["differentiable"] and any(entry["step"].requires_grad for entry in entries):
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        with set_grad_enabled(group["differentiable"]):
            adam(
                params,
                [p.grad for p in params],
                [e["exp_avg"] for e in entries],
                [e["exp_avg_sq"] for e in entries],
                [e["max_exp_avg_sq"] for e in entries] if group["amsgrad"] else [],
                [e["step"] for e in entries],
                foreach=group["foreach"],
                capturable=group["capturable"],
                differentiable=group["differentiable"],
                fused=group["fused"],
                decoupled_weight_decay=group["decoupled_weight_decay"],
                amsgrad=group["amsgrad"],
                beta1=group["betas"][0],
                beta2=group["betas"][1],
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
            )


def _names(group: dict[str, Any]) -> tuple[str, ...]:
    return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if group["amsgrad"] else ("exp_avg", "exp_avg_sq")


def _layout_key(group: dict[str, Any]) -> tuple:
    """The options that decide how a group is laid out."""
    return group["amsgrad"], group["differentiable"], group["capturable"], group["foreach"], type(group["lr"])


class _Options:
    """A group's numbers for one step, as arrays without dimensions: NumPy takes them faster than Python's
    numbers.
    """

    __slots__ = ("maximize", "decay", "shrink", "amsgrad", "lerp", "far", "beta2", "rest2", "eps", "size")

    def __init__(self, group: dict[str, Any], dtype: np.dtype, step: float) -> None:
        lr = _get_value(group["lr"])
        beta1, beta2 = map(_get_value, group["betas"])
        decay = _get_value(group["weight_decay"])
        number = np.array
        self.maximize, self.amsgrad = group["maximize"], group["amsgrad"]
        self.decay = self.shrink = None
        if decay != 0:
            if group["decoupled_weight_decay"]:
                self.shrink = number(1 - lr * decay, dtype)
            else:
                self.decay = number(decay, dtype)
        weight = 1 - beta1
        self.far = weight >= 0.5  # which end lerp starts from
        self.lerp = number(1 - weight if self.far else weight, dtype)
        self.beta2, self.rest2 = number(beta2, dtype), number(1 - beta2, dtype)
        # m / (sqrt(v) / root + eps) = root m / (sqrt(v) + root eps): one division of arrays instead of two.
        root = (1 - beta2**step) ** 0.5
        self.eps = number(root * group["eps"], dtype)
        self.size = number(-(lr / (1 - beta1**step)) * root, dtype)


def _flat_step(flat: Flat, group: dict[str, Any], writer: tuple) -> None:
    grads: list[Any] = [None if p._grad is None else p._grad._a for p in flat.params]
    missing = any(g is None for g in grads)
    if missing:
        for k, g in enumerate(grads):
            if g is not None:
                flat.steps[k] += 1
    else:
        flat.steps += 1
    steps = flat.steps.tolist()
    shared = _Options(group, flat.dtype, steps[0])
    if not missing and steps.count(steps[0]) == len(steps):
        for run in flat.runs:
            _update_run(flat, run, grads, shared)
        alone: Any = range(flat.large, len(grads))
    else:
        alone = [k for k, g in enumerate(grads) if g is not None]
    for k in alone:
        options = shared if steps[k] == steps[0] else _Options(group, flat.dtype, steps[k])
        for run in flat.chunks_of(k):
            p = flat.part(run, flat.arrays[k])
            if options.shrink is not None:
                np.multiply(p, options.shrink, p)
            _update(run, flat.part(run, grads[k]), p, options)
            np.add(p, run.update, p)
    for param, g in zip(flat.params, grads):
        if g is not None:
            param._bump(writer)


def _update_run(flat: Flat, run: Run, grads: list, options: _Options) -> None:
    g = flat.gather(run, grads, run.grad)
    arrays = flat.arrays
    if options.shrink is not None:
        for k in run.members:
            np.multiply(arrays[k], options.shrink, arrays[k])
    _update(run, g, None if options.decay is None else flat.gather(run, arrays, run.other), options)
    for k, piece in zip(run.members, run.pieces):
        np.add(arrays[k], piece, arrays[k])


def _update(run: Run, g: np.ndarray, p: Any, options: _Options) -> None:
    """Move the run's state on by the gradient ``g`` and write what is to be added to ``p`` into
    ``run.update``.
    """
    multiply, add, subtract = np.multiply, np.add, np.subtract
    work, update, state = run.work, run.update, run.state
    if options.maximize:
        g = np.negative(g, run.grad)
    if options.decay is not None:
        g = add(g, multiply(p, options.decay, work), run.grad)
    m, v = state["exp_avg"], state["exp_avg_sq"]
    subtract(g, m, work)
    multiply(work, options.lerp, work)
    if options.far:
        subtract(g, work, m)
    else:
        add(m, work, m)
    multiply(v, options.beta2, v)
    multiply(g, options.rest2, work)
    multiply(work, g, work)
    add(v, work, v)
    if options.amsgrad:
        v = np.maximum(state["max_exp_avg_sq"], v, out=state["max_exp_avg_sq"])
    np.sqrt(v, work)
    add(work, options.eps, work)
    multiply(m, options.size, update)
    np.divide(update, work, update)


def adam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    max_exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: Any,
    beta2: Any,
    lr: Any,
    weight_decay: Any,
    eps: float,
    maximize: bool,
) -> None:
    """One Adam step as a function of lists of tensors, all changed in place, with tensor operators.

    Raises RuntimeError if the steps are not tensors, AssertionError for ``capturable`` on the CPU.
    """
    if not all(isinstance(step, Tensor) for step in state_steps):
        raise RuntimeError("API has changed, `state_steps` argument must contain a list of singleton tensors")
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    lr, beta1, beta2 = _to_scalar(lr), _to_scalar(beta1), _to_scalar(beta2)
    for i, param in enumerate(params):
        grad = -grads[i] if maximize else grads[i]
        exp_avg, exp_avg_sq, step = exp_avgs[i], exp_avg_sqs[i], state_steps[i]
        largest = max_exp_avg_sqs[i] if amsgrad else None
        if capturable:
            raise AssertionError(_CAPTURABLE)
        step += 1
        if weight_decay != 0:
            if decoupled_weight_decay:
                param.mul_(1 - lr * weight_decay)
            elif differentiable and isinstance(weight_decay, Tensor) and weight_decay.requires_grad:
                grad = grad.addcmul_(param.clone(), weight_decay)
            else:
                grad = grad.add(param, alpha=_get_value(weight_decay))
        if param.is_complex():
            param, grad, exp_avg, exp_avg_sq = map(view_as_real, (param, grad, exp_avg, exp_avg_sq))
            largest = None if largest is None else view_as_real(largest)
        first = beta1.to(dtype=param.dtype) if isinstance(beta1, Tensor) else beta1
        exp_avg.lerp_(grad, 1 - first)
        if differentiable and isinstance(beta2, Tensor) and beta2.requires_grad:
            exp_avg_sq.lerp_(grad * grad, 1 - beta2)
        else:
            exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=_get_value(1 - beta2))
        count: Any = step.clone() if differentiable else step.item()
        size = lr / (1 - beta1**count)
        root = (1 - beta2**count) ** 0.5
        second = exp_avg_sq
        if largest is not None:
            second = largest.copy_(maximum(largest.clone() if differentiable else largest, exp_avg_sq))
        if differentiable:
            denominator = (second.sqrt() / (root * -size)).add_(eps / -size)
            param.addcdiv_(exp_avg.clone(), denominator)
        else:
            denominator = (second.sqrt() / root).add_(eps)
            param.addcdiv_(exp_avg, denominator, value=-_get_value(size))
