"""``Module``: a tree of named parameters, buffers and submodules with a ``forward``.

What is assigned to a module sorts itself by type: a ``Parameter`` goes to ``_parameters``, a ``Module`` to
``_modules``, a ``Buffer`` (or anything assigned to a registered buffer's name) to ``_buffers``, the rest to
the instance as usual. Reading looks in the instance first and then, in ``__getattr__``, in these three
tables.

A call goes straight to ``forward`` while there are no hooks. Afterwards the module notes its output, weakly:
that is ``module.output``, explained in ``_output.py``.

The class is put together with three files beside this one: hooks, state dicts, conversions.
"""

import difflib
import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Self

from rushlight.autograd.node import Node
from rushlight.autograd.views import UNSURE
from rushlight.nn.modules._convert import ConvertMixin
from rushlight.nn.modules._hooks import (
    HookMixin,
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_buffer_registration_hooks,
    _global_forward_hooks,
    _global_forward_pre_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from rushlight.nn.modules._output import OutputRef, remember
from rushlight.nn.modules._state import StateMixin, _IncompatibleKeys
from rushlight.nn.parameter import Buffer, Parameter
from rushlight.settings import typename as _typename
from rushlight.tensor import Tensor

__all__ = [
    "register_module_forward_pre_hook",
    "register_module_forward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_backward_hook",
    "register_module_full_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
    "Module",
    "_IncompatibleKeys",
]

_OUTPUT = "_output_ref"
_HOOK_TABLES = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def typename(value: Any) -> str:
    """What PyTorch's messages call the type of ``value``: ``torch.FloatTensor``, ``str``, ``pkg.Class``."""
    name = _typename(value)
    return f"torch.{name[10:]}" if name.startswith("rushlight.") else name


def _addindent(text: str, spaces: int) -> str:
    """Indent all lines but the first; blank ones stay blank."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(spaces * " " + line if line.strip() else "" for line in rest)])


def _register(hooks: dict, module: "Module", name: str, value: Any) -> Any:
    for hook in hooks.values():
        changed = hook(module, name, value)
        if changed is not None:
            value = changed
    return value


def _forward_unimplemented(self: "Module", *input: Any) -> None:
    """What the call of the module computes: every subclass defines its own."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(HookMixin, StateMixin, ConvertMixin):
    """The base class of all layers and networks. Subclass it, call ``super().__init__()``, define
    ``forward``.

    Example::

        >>> import rushlight as torch
        >>> class Net(torch.nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.layer = torch.nn.Linear(4, 2)
        ...     def forward(self, x):
        ...         x = self.layer(x)
        ...         if x.requires_grad:
        ...             x.retain_grad()
        ...         return x.relu().sum()
        >>> net = Net()
        >>> net(torch.ones(1, 4)).backward()
        >>> net.layer.output.grad.shape           # kept because forward asked for it
        torch.Size([1, 2])
    """

    dump_patches: bool = False
    call_super_init: bool = False
    training: bool
    forward: Callable[..., Any] = _forward_unimplemented

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if self.call_super_init is False and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if self.call_super_init is False and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        own = self.__dict__  # past __setattr__, which needs these tables itself
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistent_buffers_set"] = set()
        own["_is_full_backward_hook"] = None
        for name in _HOOK_TABLES:
            own[name] = OrderedDict()
        own["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # ---- the call ----

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        if (
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or _global_forward_hooks
            or _global_forward_pre_hooks
            or _global_backward_hooks
            or _global_backward_pre_hooks
        ):
            result = self._call_hooked(args, kwargs)
        else:
            result = self.forward(*args, **kwargs)
        if type(result) is Tensor and (needs := result._rg) is not UNSURE:
            if needs:
                edge = result._edge
                if type(edge) is Node and edge.watch is None:  # nobody hooked it yet: it cannot retain
                    self.__dict__[_OUTPUT] = OutputRef(result)
                else:
                    self.__dict__[_OUTPUT] = remember(result)
        else:
            kept = remember(result)
            if kept is not None:
                self.__dict__[_OUTPUT] = kept
        return result

    __call__: Callable[..., Any] = _call_impl

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Not available: rushlight runs every operator as it is called."""
        raise RuntimeError(
            "rushlight has no compiler: Module.compile() would change nothing but the speed.\n"
            "Leave the call out, the module runs the same without it."
        )

    # ---- registration ----

    def _has(self, name: str) -> bool:
        """``hasattr``, except that a remembered output is not an attribute anybody set."""
        if name != "output":
            return hasattr(self, name)
        return (
            name in self.__dict__
            or name in self._parameters
            or name in self._buffers
            or name in self._modules
            or hasattr(type(self), name)
        )

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Keep ``tensor`` under ``name`` without training it; part of the state dict if ``persistent``.

        Raises AttributeError before ``__init__``, KeyError for a name that is taken or invalid, TypeError for
        other types.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not (isinstance(tensor, Tensor) or hasattr(tensor, "__torch_function__")):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = _register(_global_buffer_registration_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add ``param`` to the module under ``name``; None reserves the name.

        Raises AttributeError before ``__init__``, KeyError for a name that is taken or invalid, TypeError for
        anything but a Parameter, ValueError for one that has a history.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
                "the forward() method."
            )
        self._parameters[name] = _register(_global_parameter_registration_hooks, self, name, param)

    def _check_name(self, kind: str, name: str, table: dict) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in table and self._has(name):
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name: str, module: "Module | None") -> None:
        """Add ``module`` as a child under ``name``; the same errors as the other ``register_*``."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if name not in self._modules and self._has(name):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = _register(_global_module_registration_hooks, self, name, module)

    def register_module(self, name: str, module: "Module | None") -> None:
        """The same as ``add_module``."""
        self.add_module(name, module)

    # ---- attributes ----

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_parameters" in own:  # absent only before __init__
            if name in (table := own["_parameters"]):
                return table[name]
            if name in (table := own["_modules"]):
                return table[name]
            if name in (table := own["_buffers"]):
                return table[name]
        message = f"'{type(self).__name__}' object has no attribute '{name}'"
        if name == "output":
            kept = own.get(_OUTPUT)
            value = None if kept is None else kept()
            if value is not None:
                return value
            why = (
                "This module has not been called with gradients on"
                if kept is None
                else "The last output was freed"
            )
            message += (
                f"\n{why}: module.output is the result of the last call whose result requires grad, kept as "
                "long as somebody holds it or it retains its gradient (retain_grad())."
            )
        raise AttributeError(message, name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        params = own.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._clear_name(name, own, self._buffers, self._modules)
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            modules = own.get("_modules")
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._clear_name(name, own, self._parameters, self._buffers)
            modules[name] = _register(_global_module_registration_hooks, self, name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            own["_modules"][name] = _register(_global_module_registration_hooks, self, name, value)
        elif name in own.get("_buffers", ()) or isinstance(value, Buffer):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _clear_name(self, name: str, *tables: dict) -> None:
        for table in tables:
            table.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not (isinstance(value, Tensor) or hasattr(value, "__torch_function__")):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if isinstance(value, Buffer):
            persistent = value.persistent
        else:
            persistent = name not in self._non_persistent_buffers_set
        if "persistent" in inspect.signature(self.register_buffer).parameters:
            self.register_buffer(name, value, persistent)
        elif persistent:  # a subclass whose register_buffer is older than the argument
            self.register_buffer(name, value)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements "
                "register_buffer() without the persistent argument is not allowed."
            )

    def __delattr__(self, name: str) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    def __getstate__(self) -> dict:
        state = self.__dict__.copy()
        state.pop(_OUTPUT, None)
        return state

    def __setstate__(self, state: dict) -> None:
        own = self.__dict__
        own.update(state)
        for name in _HOOK_TABLES:  # a module pickled before the table existed
            own.setdefault(name, OrderedDict())
        own.setdefault("_non_persistent_buffers_set", set())
        own.setdefault("_is_full_backward_hook", None)

    # ---- the tree ----

    def get_submodule(self, target: str) -> "Module":
        """The submodule at a dotted path, such as ``"encoder.0"``; AttributeError says which part is
        missing.
        """
        module: Module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                near = difflib.get_close_matches(name, list(module._modules), 1)
                raise AttributeError(
                    f"{module._get_name()} has no attribute `{name}`"
                    + (f"\nDid you mean '{near[0]}'?" if near else "")
                )
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: "Module", strict: bool = False) -> None:
        """Put ``module`` at a dotted path; ``strict`` demands that there is one already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        exists = parent._has(name)
        if strict and not exists:
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if exists and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted path, such as ``"encoder.0.weight"``."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        param = getattr(module, name)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted path, such as ``"norm.running_mean"``."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return getattr(module, name)

    def _named_members(
        self, get_members_fn: Callable, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """(dotted name, member) for whatever ``get_members_fn`` finds in each module; a shared member
        once.
        """
        seen: set = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in modules:
            for name, value in get_members_fn(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield (f"{path}.{name}" if path else name), value

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once, in the order of registration."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """(dotted name, parameter) pairs.

        Example::

            >>> import rushlight as torch
            >>> [name for name, _ in torch.nn.Sequential(torch.nn.Linear(1, 1)).named_parameters()]
            ['0.weight', '0.bias']
        """
        yield from self._named_members(
            lambda module: module._parameters.items(),
            prefix=prefix,
            recurse=recurse,
            remove_duplicate=remove_duplicate,
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """(dotted name, buffer) pairs."""
        yield from self._named_members(
            lambda module: module._buffers.items(),
            prefix=prefix,
            recurse=recurse,
            remove_duplicate=remove_duplicate,
        )

    def children(self) -> Iterator["Module"]:
        """The direct submodules, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """(name, submodule) pairs of the direct submodules."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator["Module"]:
        """This module and everything below it, each once."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: "set[Module] | None" = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, "Module"]]:
        """(dotted name, module) pairs of this module (under ``prefix``) and everything below it."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(
                    memo, f"{prefix}.{name}" if prefix else name, remove_duplicate
                )

    # ---- on all of the tree ----

    def apply(self, fn: Callable[["Module"], None]) -> Self:
        """Call ``fn`` on every submodule and then on this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Switch this module and everything below it to training (or evaluation) behaviour."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """The same as ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Switch gradients of all parameters on or off."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all parameters' gradients, or set them to zero in place."""
        if getattr(self, "_is_replica", False):
            warnings.warn(
                "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. "
                "The parameters are copied (in a differentiable manner) from the original module. "
                "This means they are not leaf nodes in autograd and so don't accumulate gradients. "
                "If you need gradients in your forward method, consider using autograd.grad instead.",
                stacklevel=2,
            )
        for param in self.parameters():
            grad = param.grad
            if grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    # ---- how it looks ----

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses of the repr; override it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()]
        if not child_lines and len(extra_lines) <= 1:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join(extra_lines + child_lines) + "\n)"
