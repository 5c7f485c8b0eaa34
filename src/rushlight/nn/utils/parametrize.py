"""Parametrizations: a tensor of a module as the value of modules over another tensor.

``register_parametrization(module, "weight", P())`` moves the parameter to ``module.parametrizations.weight.original``
and makes ``module.weight`` a property that computes ``P()(original)``. The property needs a class of its own, so the
module's class is replaced by one derived from it for this object alone.
"""

import copy
import copyreg
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.tensor import Tensor

__all__ = [
    "cached",
    "ParametrizationList",
    "register_parametrization",
    "is_parametrized",
    "remove_parametrizations",
    "type_before_parametrizations",
    "transfer_parametrizations_and_params",
]

_cache_enabled = 0
_cache: dict[tuple[int, str], Tensor] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Inside, each parametrized tensor is computed once and then remembered.

    Worth it where one is used often in a step, as the weight of a recurrent cell is.
    """
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache.clear()


def _register_parameter_or_buffer(module: Module, name: str, value: Any) -> None:
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


def _take_over(tensor: Tensor, value: Tensor) -> None:
    """Let ``tensor`` be ``value``, in place: whoever holds it (an optimizer) sees the change."""
    with no_grad():
        tensor.set_(value)


def _compare(
    kind: str, before: tuple[str, Any], after: tuple[str, Any], flag: str = "`unsafe` flag"
) -> None:
    if before[1] != after[1]:
        raise ValueError(
            f"Registering a parametrization may not change the {kind} of the tensor, unless {flag} is enabled.\n"
            f"{before[0]}: {before[1]}\n{after[0]}: {after[1]}"
        )


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, applied in order, and the tensor or tensors they start from.

    ``original`` is that tensor, or ``original0``, ``original1``, ... if the first parametrization's
    ``right_inverse`` gives several.
    """

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new: Any = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:  # it has none, and the tensor is the start as it is
                        continue
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        start: Any = new
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if dtype != start.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {start.dtype}"
                )
            _take_over(original, start)
            _register_parameter_or_buffer(self, "original", original)
        else:
            self._register_several(original, start)
        if not unsafe:
            made = self()
            if not isinstance(made, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
            _compare("dtype", ("unparametrized dtype", dtype), ("parametrized dtype", made.dtype))
            _compare("shape", ("unparametrized shape", shape), ("parametrized shape", made.shape))

    def _register_several(self, original: Tensor, values: Sequence) -> None:
        for i, value in enumerate(values):
            if not isinstance(value, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {i} of the sequence with type {type(value).__name__}."
                )
            if isinstance(original, Parameter):
                value = Parameter(value, original.requires_grad)
            value.requires_grad_(original.requires_grad)
            _register_parameter_or_buffer(self, f"original{i}", value)

    def right_inverse(self, value: Any) -> None:
        """Set the original so that the parametrized tensor becomes ``value``.

        RuntimeError if a parametrization has no ``right_inverse``; ValueError if one returns something unfit.
        """
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                if value.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                        f"{self.original.dtype}"
                    )
                _take_over(self.original, value)
                return
            if not isinstance(value, Sequence):
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}."
                )
            if len(value) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence "
                    f"of length {len(value)}."
                )
            for i, tensor in enumerate(value):
                original = getattr(self, f"original{i}")
                if not isinstance(tensor, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a sequence of tensors or reference-type opaques. "
                        f"Got element {i} of type {type(tensor).__name__}."
                    )
                if original.dtype != tensor.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` has dtype {tensor.dtype} while `original{i}` has "
                        f"dtype {original.dtype}"
                    )
                _take_over(original, tensor)

    def forward(self) -> Tensor:
        """The parametrized tensor."""
        first, *rest = self
        if self.is_tensor:
            value = first(self.original)
        else:
            value = first(*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for module in rest:
            value = module(value)
        return value


def _copy_parametrized(self: Any, memo: dict) -> Any:
    """Deep copies share the class with its properties: what these compute from is in the instance."""
    if id(self) in memo:
        return memo[id(self)]
    replica = memo[id(self)] = self.__new__(self.__class__)
    replica.__dict__ = copy.deepcopy(self.__dict__, memo)
    for slot in copyreg._slotnames(self.__class__):
        if hasattr(self, slot):
            setattr(replica, slot, copy.deepcopy(getattr(self, slot), memo))
    return replica


def _refuse_pickling(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _inject_new_class(module: Module) -> None:
    """Give the module a class of its own, to hang properties on."""
    cls = type(module)
    body = {"__getstate__": _refuse_pickling, "__module__": cls.__module__}
    if not hasattr(cls, "__deepcopy__"):
        body["__deepcopy__"] = _copy_parametrized
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), body)


def _inject_property(module: Module, tensor_name: str) -> None:
    def get_parametrized(self: Any) -> Tensor:
        parametrization = self.parametrizations[tensor_name]
        if not _cache_enabled:
            return parametrization()
        key = id(self), tensor_name
        found = _cache.get(key)
        if found is None:
            found = _cache[key] = parametrization()
        return found

    def set_original(self: Any, value: Any) -> None:
        self.parametrizations[tensor_name].right_inverse(value)

    setattr(type(module), tensor_name, property(get_parametrized, set_original))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Make ``module.<tensor_name>`` the value of ``parametrization`` over what it was.

    Args:
        parametrization: a module; if it has ``right_inverse``, the value now is kept, and assigning to the tensor
            sets the original through it.
        unsafe: skip the check that shape and dtype stay as they are.

    Registering once more applies the new one after those there are. Returns the module. ValueError for a
    parametrization that changes shape or dtype, or a name that is no parameter or buffer.

    Example::

        >>> import rushlight as torch
        >>> class Symmetric(torch.nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        >>> layer = torch.nn.utils.parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", Symmetric())
        >>> torch.equal(layer.weight, layer.weight.T)
        True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_next(module, tensor_name, parametrization)
        parametrizations: Any = module.parametrizations
        parametrizations[tensor_name].append(parametrization)
        parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        made = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _check_next(module: Module, tensor_name: str, parametrization: Any) -> None:
    """A further parametrization must keep shape and dtype, and so must its right inverse."""
    before = getattr(module, tensor_name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    name = f"module.{tensor_name}"
    for kind in ("dtype", "shape"):
        _compare(
            kind,
            (f"{name}.{kind}", getattr(before, kind)),
            (f"parametrization({name}).{kind}", getattr(after, kind)),
            "the `unsafe` flag",
        )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for kind in ("dtype", "shape"):
        if getattr(back, kind) != getattr(before, kind):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {kind} as {name}, unless "
                f"the `unsafe` flag is enabled.\n{name}.{kind}: {getattr(before, kind)}\n"
                f"returned {kind}: {getattr(back, kind)}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether the module has a parametrized tensor, or this one is."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make the tensor an ordinary parameter or buffer again, with its value now or (False) its original's.

    ValueError if it is not parametrized, or has several originals and ``leave_parametrized`` is False.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations: Any = module.parametrizations
    found = parametrizations[tensor_name]
    if found.is_tensor:
        original = found.original
        if leave_parametrized:
            with no_grad():
                value = getattr(module, tensor_name)
            _take_over(original, value)
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del parametrizations[tensor_name]
    _register_parameter_or_buffer(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that the module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give ``to_module`` the parametrizations (of one tensor or all) and originals of ``from_module``."""
    if not is_parametrized(from_module):
        return to_module
    source: Any = from_module.parametrizations
    for name in source if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in source[name]:
            register_parametrization(to_module, name, parametrization)
        target: Any = to_module.parametrizations[name]
        if hasattr(source[name], "original"):
            target.original = source[name].original
        else:
            for i in range(source[name].ntensors):
                setattr(target, f"original{i}", getattr(source[name], f"original{i}"))
    return to_module
