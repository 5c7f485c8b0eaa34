"""``Optimizer``: parameter groups, their options, the state kept for each parameter, and how all of it is
saved.

A subclass gives the options' defaults and a ``step``. A group is a dict: ``"params"`` and the options, each
of which may be changed between steps (that is what learning-rate schedulers do). ``state`` maps a parameter
to a dict of its own. ``state_dict`` writes numbers in place of the parameters, in the layout of PyTorch, so
that files go both ways.
"""

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any, TypeAlias

from rushlight.autograd.modes import is_grad_enabled, set_grad_enabled
from rushlight.autograd.node import RemovableHandle
from rushlight.dtypes import float32, float64, get_default_dtype
from rushlight.nn.modules.module import typename
from rushlight.optim._ops import view_as_real
from rushlight.tensor import Tensor

__all__ = ["Optimizer", "register_optimizer_step_pre_hook", "register_optimizer_step_post_hook"]

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
StateDict: TypeAlias = dict[str, Any]

_global_optimizer_pre_hooks: dict[int, Callable] = OrderedDict()
_global_optimizer_post_hooks: dict[int, Callable] = OrderedDict()
_HOOK_TABLES = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


class _RequiredParameter:
    """Stands for an option without a default: each group must give it."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def _use_grad_for_differentiable(func: Callable) -> Callable:
    """Decorator of ``step``: gradients are off inside, except for a ``differentiable`` optimizer."""

    @functools.wraps(func)
    def with_grad_mode(self: "Optimizer", *args: Any, **kwargs: Any) -> Any:
        before = is_grad_enabled()
        try:
            set_grad_enabled(self.defaults["differentiable"])
            return func(self, *args, **kwargs)
        finally:
            set_grad_enabled(before)

    return with_grad_mode


def _get_value(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor) else x


def _to_scalar(x: Any) -> Any:
    """A one-element tensor without its dimensions; a number as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def _get_scalar_dtype(is_fused: bool | None = None) -> Any:
    """The dtype of ``state["step"]``."""
    return float64 if not is_fused and get_default_dtype() == float64 else float32


def _device_dtype_check_for_fused(p: Tensor) -> None:
    if not p.is_floating_point():
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of supported devices: "
            "['mps', 'cuda', 'xpu', 'hpu', 'cpu', 'mtia', 'privateuseone'] "
            f"but {p.dtype} and {p.device.type}"
        )


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace complex tensors in the lists by their real views, in step."""
    for i, p in enumerate(params):
        if p.is_complex():
            params[i] = view_as_real(p)
            for tensors in state_and_grads:
                tensors[i] = view_as_real(tensors[i])


def _add_hook(table: Any, hook: Callable, prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(table)
    table[handle.id] = hook
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before the step of every optimizer; it may return other
    arguments.
    """
    return _add_hook(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after the step of every optimizer."""
    return _add_hook(_global_optimizer_post_hooks, hook)


class Optimizer:
    """The base class of all optimizers.

    Args:
        params: tensors, (name, tensor) pairs, or dicts that define parameter groups.
        defaults: the options of groups that do not set them.

    Raises TypeError for a single tensor, a set, or anything but tensors; ValueError for no parameters at all,
    for a parameter in two groups, and for a tensor that is not a leaf.
    """

    param_groups: list[dict[str, Any]]
    state: defaultdict
    _optimizer_step_pre_hooks: dict[int, Callable]
    _optimizer_step_post_hooks: dict[int, Callable]
    _optimizer_state_dict_pre_hooks: dict[int, Callable]
    _optimizer_state_dict_post_hooks: dict[int, Callable]
    _optimizer_load_state_dict_pre_hooks: dict[int, Callable]
    _optimizer_load_state_dict_post_hooks: dict[int, Callable]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for name in _HOOK_TABLES:
            setattr(self, name, OrderedDict())
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params)
                + "\nPut it in a list."
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if len(groups) == 0:
            raise ValueError(
                "optimizer got an empty parameter list\nA generator such as model.parameters() can be "
                "used only once; and a model without layers has no parameters."
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)  # type: ignore[arg-type]

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _HOOK_TABLES:
            self.__dict__.setdefault(name, OrderedDict())
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for number, group in enumerate(self.param_groups):
            text += f"\nParameter Group {number}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"

    # ---- the step and its hooks ----

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients; ``closure``, if given, computes them first and is
        returned.
        """
        raise NotImplementedError

    @staticmethod
    def profile_hook_step(func: Callable) -> Callable:
        """``func``, a class's ``step``, with the hooks around it."""

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            if not (
                _global_optimizer_pre_hooks
                or _global_optimizer_post_hooks
                or self._optimizer_step_pre_hooks
                or self._optimizer_step_post_hooks
            ):
                return func(*args, **kwargs)
            for pre_hook in chain(
                _global_optimizer_pre_hooks.values(), self._optimizer_step_pre_hooks.values()
            ):
                result = pre_hook(self, args, kwargs)
                if result is not None:
                    if not (isinstance(result, tuple) and len(result) == 2):
                        raise RuntimeError(
                            f"{func} must return None or a tuple of (new_args, new_kwargs), but got {result}."
                        )
                    args, kwargs = result
            out = func(*args, **kwargs)
            for post_hook in chain(
                self._optimizer_step_post_hooks.values(), _global_optimizer_post_hooks.values()
            ):
                post_hook(self, args, kwargs)
            return out

        return wrapper

    def _patch_step_function(self) -> None:
        cls = type(self)
        if not getattr(cls.step, "hooked", None):
            cls.step = self.profile_hook_step(cls.step)  # type: ignore[method-assign]
            cls.step.hooked = True  # type: ignore[attr-defined]

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step; it may return other arguments."""
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before ``state_dict``."""
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after ``state_dict``; a returned dict replaces it."""
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before loading; a returned dict replaces it."""

        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after loading."""

        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # ---- gradients ----

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero in place."""
        for group in self.param_groups:
            for param in group["params"]:
                if set_to_none:
                    param._grad = None
                    continue
                grad = param.grad
                if grad is not None:
                    if grad.grad_fn is not None:
                        grad.detach_()
                    else:
                        grad.requires_grad_(False)
                    grad.zero_()

    # ---- saving and loading ----

    def state_dict(self) -> StateDict:
        """``{"state": ..., "param_groups": ...}``, parameters replaced by numbers in the order of the
        groups.
        """
        for pre_hook in self._optimizer_state_dict_pre_hooks.values():
            pre_hook(self)
        numbers: dict[int, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            for place, param in enumerate(group["params"], start):
                numbers.setdefault(id(param), place)
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            start += len(packed["params"])
            groups.append(packed)
        state = {
            (numbers[id(key)] if isinstance(key, Tensor) else key): value for key, value in self.state.items()
        }
        state_dict = {"state": state, "param_groups": groups}
        for post_hook in self._optimizer_state_dict_post_hooks.values():
            result = post_hook(self, state_dict)
            if result is not None:
                state_dict = result
        return state_dict

    @staticmethod
    def _process_value_according_to_param_policy(
        param: Tensor, value: Tensor, param_id: int, param_groups: list[dict], key: Any = None
    ) -> Tensor:
        """A loaded tensor in the dtype it must have: that of its parameter, except for counts of steps."""
        if key != "step":
            return value.to(dtype=param.dtype) if param.is_floating_point() else value
        group = next((g for g in param_groups if param_id in g["params"]), {})
        return (
            value.to(dtype=float32) if group.get("capturable", False) or group.get("fused", False) else value
        )

    def _cast(
        self, param: Tensor, value: Any, param_id: int, param_groups: list[dict] | None, key: Any = None
    ) -> Any:
        if isinstance(value, Tensor):
            if param_groups is None:
                raise AssertionError("Expected param_groups to be set")
            return self._process_value_according_to_param_policy(param, value, param_id, param_groups, key)
        if isinstance(value, dict):
            return {k: self._cast(param, v, param_id, param_groups, k) for k, v in value.items()}
        if isinstance(value, Iterable):
            return type(value)(
                self._cast(param, v, param_id, param_groups)  # type: ignore[call-arg]
                for v in value
            )
        return value

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Take over the options and states of a saved ``state_dict``; parameters are matched by their order.

        Raises ValueError where the groups or their sizes differ.
        """
        state_dict = state_dict.copy()
        for pre_hook in self._optimizer_load_state_dict_pre_hooks.values():
            result = pre_hook(self, state_dict)
            if result is not None:
                state_dict = result
        groups = self.param_groups
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved_groups):
            raise ValueError(
                "loaded state dict has a different number of parameter groups\n"
                f"It has {len(saved_groups)}, this optimizer {len(groups)}."
            )
        for number, (group, saved) in enumerate(zip(groups, saved_groups)):
            if len(group["params"]) != len(saved["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    f"optimizer's group\nGroup {number} has {len(saved['params'])} parameters there and "
                    f"{len(group['params'])} here."
                )
        owner = dict(
            zip(
                chain.from_iterable(g["params"] for g in saved_groups),
                chain.from_iterable(g["params"] for g in groups),
            )
        )
        state: defaultdict = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owner:
                state[owner[key]] = self._cast(owner[key], value, key, state_dict["param_groups"])
            else:
                state[key] = value
        for group, saved in zip(groups, saved_groups):
            saved["params"] = group["params"]
            if "param_names" in group and "param_names" not in saved:
                saved["param_names"] = group["param_names"]
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for post_hook in self._optimizer_load_state_dict_post_hooks.values():
            post_hook(self)

    # ---- groups ----

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group: ``{"params": ..., option: value, ...}``; options that are left out get the
        defaults.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of "
                "tensors in sets will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        params = [p[1] if isinstance(p, tuple) else p for p in params]
        param_group["params"] = params
        if names:
            if len(names) != len(params):
                raise ValueError(
                    "all optimizer params should be with/without names. Some param names are missing"
                )
            param_group["param_names"] = names
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is " + typename(param)
                )
            if not self.defaults.get("differentiable", None) and not (param.is_leaf or param.retains_grad):
                raise ValueError(
                    f"can't optimize a non-leaf Tensor{param._made_by()}\nIt was computed from other tensors: "
                    "optimize those, or a detached copy of it."
                )
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error; see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        taken: set[Tensor] = set()
        for group in self.param_groups:
            taken.update(group["params"])
            if ("param_names" in param_group) != ("param_names" in group):
                kind = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {kind} to the optimizer"
                )
        if not taken.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)
