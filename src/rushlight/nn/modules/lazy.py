"""Lazy modules: parameters whose shapes follow from the first input.

A lazy module registers two hooks: before its first call one takes the shapes from the input, initialises the
parameters and changes the module's class to the ordinary one; before a state dict is loaded the other takes them
from there. Both are gone afterwards, so an initialised module is an ordinary one.
"""

from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.nn.parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Put it before the module's class and give ``cls_to_become`` and ``initialize_parameters(self, input)``.

    Example::

        >>> import rushlight as torch
        >>> net = torch.nn.Sequential(torch.nn.LazyLinear(4), torch.nn.ReLU(), torch.nn.LazyLinear(1))
        >>> net(torch.ones(2, 7)).shape, net[0].in_features
        (torch.Size([2, 1]), 7)
    """

    cls_to_become: type | None = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        """Uninitialized parameters are saved as they are."""
        buffers = ((k, v) for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set)
        for name, value in (*self._parameters.items(), *buffers):
            if value is not None:
                destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()

    def _lazy_load_hook(self, state_dict: dict, prefix: str, *rest: Any) -> None:
        """Give an uninitialized parameter the shape of the one that is loaded into it."""
        for name, value in (*self._parameters.items(), *self._buffers.items()):
            given = state_dict.get(prefix + name)
            if given is not None and is_lazy(value) and not is_lazy(given):
                with no_grad():
                    value.materialize(given.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Initialise the parameters for this first input; every lazy module defines it."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        return any(is_lazy(value) for value in (*self._parameters.values(), *self._buffers.values()))

    def _infer_parameters(self, module: Any, args: tuple, kwargs: dict | None = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self) -> Any:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward pass "
            "to correctly initialize the modules"
        )
