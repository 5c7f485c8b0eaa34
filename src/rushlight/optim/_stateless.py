"""An optimizer for a while on other parameters and with another state."""

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.optim.optimizer import Optimizer
from rushlight.tensor import Tensor

__all__ = ["swap_in_optimizer_params_and_state"]

_NAME = "swap_in_optimizer_params_and_state"


def _checked_state(state: Any) -> dict[Any, Any]:
    if not isinstance(state, dict):
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids to "
            f"per-param state dicts, got {type(state).__name__}."
        )
    if any(isinstance(key, Tensor) for key in state):
        raise RuntimeError(
            f"{_NAME} requires optimizer.state_dict()-style state keyed by packed parameter ids."
        )
    if any(isinstance(key, int) and not isinstance(entry, dict) for key, entry in state.items()):
        raise RuntimeError(f"{_NAME} requires per-parameter optimizer state entries to be dictionaries.")
    return state


def _checked_groups(optimizer: Optimizer, groups: Any) -> list[dict[str, Any]]:
    if not isinstance(groups, list):
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['param_groups'] to be a list of param-group dicts, got "
            f"{type(groups).__name__}."
        )
    if len(optimizer.param_groups) != len(groups):
        raise RuntimeError(
            "swapin_optim_state has a different number of parameter groups than the live optimizer."
        )
    return groups


def _checked_numbers(place: int, live: dict[str, Any], group: Any) -> list[int]:
    """The parameters' numbers in a saved group that fits the optimizer's own."""
    if not isinstance(group, dict):
        raise RuntimeError(f"{_NAME} requires each optimizer param group to be a dictionary.")
    numbers = group.get("params")
    if not isinstance(numbers, list) or not all(isinstance(number, int) for number in numbers):
        raise RuntimeError(
            f"{_NAME} requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed "
            "parameter ids."
        )
    if len(live["params"]) != len(numbers):
        raise RuntimeError(
            f"swapin_optim_state param group {place} has a different number of params than the live "
            "optimizer param group."
        )
    more, fewer = [k for k in group if k not in live], [k for k in live if k not in group]
    if more or fewer:
        raise RuntimeError(
            f"{_NAME} requires optimizer.state_dict()-style param group keys to exactly match the live "
            f"optimizer group keys for group {place}. Keys only in swap-in: {more}. Keys only in live: {fewer}."
        )
    return numbers


def _write_back(optimizer: Any, state: dict, parts: list, saved: dict) -> None:
    """Copy what steps wrote into long arrays (``_flat.py``) to the tensors that were given."""
    arrays: set[int] = set()
    for _, flats, *_ in getattr(optimizer, "_layouts", {}).values():
        for flat in flats:
            for views in (*flat.views.values(), *flat.scalar_views.values()):
                arrays.update(map(id, views))
    for _, _, numbers, params in parts:
        for param, number in zip(params, numbers):
            entry = state.get(param, {})
            for name, given in saved.get(number, {}).items():
                now = entry.get(name)
                if isinstance(given, Tensor) and isinstance(now, Tensor) and id(now._a) in arrays:
                    with no_grad():
                        given.copy_(now)


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Context manager: inside, ``optimizer`` works on other parameters, options and state, and afterwards on its
    own again.

    Args:
        optimizer: one that has made a step.
        swapin_parameters: tensors by name, in the order of the optimizer's groups.
        swapin_optim_state: as ``state_dict()`` gives it. Its tensors are used as they are, so what a step
            writes into them stays; what is put in their place is forgotten.

    Raises RuntimeError where the state does not fit the optimizer.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.optim import swap_in_optimizer_params_and_state
        >>> w, other = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=1.0, momentum=0.5)
        >>> w.sum().backward(); optimizer.step()
        >>> other.grad = torch.ones(1)
        >>> with swap_in_optimizer_params_and_state(optimizer, {"w": other}, optimizer.state_dict()):
        ...     optimizer.step()
        >>> w.item(), other.item()
        (0.0, -1.5)
    """
    if not optimizer.state:
        raise RuntimeError(f"{_NAME} requires initialized optimizer state.")
    if not isinstance(swapin_optim_state, dict):
        raise RuntimeError(f"{_NAME} requires a DCP-style optimizer state_dict.")
    saved = _checked_state(swapin_optim_state.get("state"))
    groups = _checked_groups(optimizer, swapin_optim_state.get("param_groups"))
    tensors = list(swapin_parameters.values())
    start = 0
    parts = []
    seen: set[int] = set()
    for place, (live, group) in enumerate(zip(optimizer.param_groups, groups)):
        numbers = _checked_numbers(place, live, group)
        seen.update(numbers)
        if start + len(numbers) > len(tensors):
            raise RuntimeError(
                f"{_NAME} requires the explicit parameter state to match optimizer.param_groups ordering."
            )
        parts.append((live, group, numbers, tensors[start : start + len(numbers)]))
        start += len(numbers)
    extra = [key for key in saved if key not in seen]
    if extra:
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['state'] to be keyed only by packed parameter ids from "
            f"param_groups[*]['params']; got extra keys {extra!r}."
        )
    own_state, own_groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        state: defaultdict = defaultdict(dict)
        for live, group, numbers, params in parts:
            live.update(group)
            live["params"] = params
            for param, number in zip(params, numbers):
                state[param] = dict(saved.get(number, {}))
        optimizer.state = state
        yield
        _write_back(optimizer, state, parts, saved)
    finally:
        for live, before in zip(optimizer.param_groups, own_groups):
            live.clear()
            live.update(before)
        optimizer.state = own_state
