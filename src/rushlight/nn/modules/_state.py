"""State dicts of modules: saving parameters and buffers by name, and loading them back with every mismatch
named.

``state_dict`` walks down the tree and lets each module write its own entries under its prefix;
``load_state_dict`` walks the same way and collects every missing key, unexpected key and wrong shape before
it raises one error with all of them. What a module writes and reads can be changed at four places (hooks
before and after each of the two), by ``get_extra_state``/``set_extra_state``, or by overriding
``_save_to_state_dict`` and ``_load_from_state_dict``.
"""

import itertools
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.autograd.node import RemovableHandle
from rushlight.nn.modules._hooks import _WrappedHook, register
from rushlight.nn.parameter import Parameter, is_lazy
from rushlight.tensor import Tensor

__all__ = ["StateMixin"]

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"
_REPORT = (
    "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
    "to report this bug."
)


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What ``load_state_dict`` returns."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _quoted(keys: list[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


class StateMixin:
    """The part of ``Module`` that saves and loads."""

    _version: int = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: dict[int, Callable]
    _state_dict_pre_hooks: dict[int, Callable]
    _load_state_dict_pre_hooks: dict[int, Callable]
    _load_state_dict_post_hooks: dict[int, Callable]

    def get_extra_state(self) -> Any:
        """Override it (with ``set_extra_state``) to put something of your own into the state dict."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. " + _REPORT
        )

    def set_extra_state(self, state: Any) -> None:
        """Override it to receive from a loaded state dict what ``get_extra_state`` returned."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. " + _REPORT
        )

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after saving; it changes the dict in
        place.
        """
        hook._from_public_api = True
        return register(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable) -> RemovableHandle:
        """The older form, whose returned dict replaces the result at the root."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was "
                "previously registered via register_state_dict_post_hook"
            )
        return register(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before saving."""
        return register(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable, with_module: bool = False
    ) -> RemovableHandle:
        return register(self._load_state_dict_pre_hooks, _WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs)`` before loading; it may change the dict and the lists."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading; it may change both lists in place."""
        return register(self._load_state_dict_post_hooks, hook)

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        """Write this module's own entries, not those of its children, into ``destination``."""
        persistent = ((k, v) for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set)
        for name, tensor in itertools.chain(self._parameters.items(), persistent):
            if tensor is not None:
                destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not StateMixin.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """All parameters and persistent buffers by their dotted names, detached but sharing memory with the
        module.

        Example::

            >>> import rushlight as torch
            >>> list(torch.nn.Linear(2, 3).state_dict())
            ['weight', 'bias']
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict"
                " for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            answer = hook(self, destination, prefix, local_metadata)
            if answer is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = answer
        return destination

    def _load_entry(
        self, name: str, key: str, param: Tensor, value: Any, assign: bool, error_msgs: list[str]
    ) -> None:
        if not isinstance(value, Tensor) and not hasattr(type(value), "__torch_function__"):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object '
                f"from checkpoint but received {type(value)}"
            )
            return
        if is_lazy(param) and is_lazy(value):
            return
        if param.dim() == 0 and tuple(value.shape) == (1,):
            value = value[0]  # checkpoints of PyTorch before 0.4 had no 0-d tensors
        if value.shape != param.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                f"the shape in current model is {param.shape}."
            )
            return
        try:
            with no_grad():
                if not assign:
                    param.copy_(value)
                    return
                if isinstance(param, Parameter):
                    if not isinstance(value, Parameter):
                        value = Parameter(value, requires_grad=param.requires_grad)
                    else:
                        value.requires_grad_(param.requires_grad)
                setattr(self, name, value)
        except Exception as error:
            error_msgs.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{param.size()} and whose dimensions in the checkpoint are {value.size()}, "
                f"an exception occurred : {error.args}."
            )

    def _load_from_state_dict(
        self,
        state_dict: dict,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Read this module's own entries; what goes wrong is appended to the three lists, nothing is
        raised.
        """
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        persistent = ((k, v) for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set)
        local = {k: v for k, v in itertools.chain(self._parameters.items(), persistent) if v is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, param in local.items():
            key = prefix + name
            if key in state_dict:
                self._load_entry(name, key, param, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)

        extra_key = prefix + _EXTRA_STATE_KEY_SUFFIX
        if type(self).set_extra_state is not StateMixin.set_extra_state:
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)

        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra_key:
                    head, dot, _ = key[len(prefix) :].partition(".")
                    if head not in (self._modules if dot else local):
                        unexpected_keys.append(key)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Copy parameters and buffers out of ``state_dict`` into this module and its children.

        ``strict=False`` tolerates missing and unexpected keys; ``assign=True`` puts the given tensors in
        place instead of copying their values. Returns the names of both kinds of keys.

        Raises TypeError if ``state_dict`` is no mapping, RuntimeError with every mismatch otherwise.

        Example::

            >>> import rushlight as torch
            >>> a, b = torch.nn.Linear(2, 3), torch.nn.Linear(2, 3)
            >>> a.load_state_dict(b.state_dict())
            <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict)}.\n"
                "Give the mapping of names to tensors itself, such as model.state_dict() returns."
            )
        missing_keys: list[str] = []
        unexpected_keys: list[str] = []
        error_msgs: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)  # hooks and overriding modules may change it
        if metadata is not None:
            state_dict._metadata = metadata

        context = _Load(metadata, assign, missing_keys, unexpected_keys, error_msgs)
        context.load(self, state_dict, "")
        if strict:
            if unexpected_keys:
                error_msgs.insert(0, f"Unexpected key(s) in state_dict: {_quoted(unexpected_keys)}. ")
            if missing_keys:
                error_msgs.insert(0, f"Missing key(s) in state_dict: {_quoted(missing_keys)}. ")
        if error_msgs:
            text = "\n\t".join(error_msgs)
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}"
                + _advice(missing_keys, unexpected_keys)
            )
        return _IncompatibleKeys(missing_keys, unexpected_keys)


class _Load:
    """One run of ``load_state_dict`` down the tree, collecting what goes wrong."""

    def __init__(
        self,
        metadata: Any,
        assign: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        self.metadata = metadata
        self.assign = assign
        self.lists = missing_keys, unexpected_keys, error_msgs

    def load(self, module: Any, state: dict, prefix: str) -> None:
        local_metadata = {} if self.metadata is None else self.metadata.get(prefix[:-1], {})
        if self.assign:
            local_metadata["assign_to_params_buffers"] = self.assign
        module._load_from_state_dict(state, prefix, local_metadata, True, *self.lists)
        for name, child in module._modules.items():
            if child is not None:
                below = f"{prefix}{name}."
                self.load(child, {k: v for k, v in state.items() if k.startswith(below)}, below)
        incompatible = _IncompatibleKeys(*self.lists[:2])
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, incompatible) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return "
                    "new values, if incompatible_keys need to be modified, it should be done inplace."
                )


def _advice(missing: list[str], unexpected: list[str]) -> str:
    """One more line, where the keys themselves show what went wrong."""
    if not missing or not unexpected:
        return ""
    first = unexpected[0]
    prefix = next((first[: -len(key)] for key in missing if first.endswith("." + key)), "")
    if prefix and all(key.startswith(prefix) for key in unexpected):
        return (
            f"\nThe keys of the state dict begin with '{prefix}': strip it with torch.nn.modules.utils."
            f"consume_prefix_in_state_dict_if_present(state_dict, '{prefix}')."
        )
    return ""
