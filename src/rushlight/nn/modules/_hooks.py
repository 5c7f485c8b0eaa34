"""Hooks of modules: the tables, how they are registered, and the call that runs them.

Five kinds run around a call: forward pre-hooks and forward hooks see the arguments and the result; full
backward pre-hooks and full backward hooks see the gradients of the outputs and inputs; the older, non-full
backward hooks see the last node's. Each kind has a table on the module and a table for all modules.

Full backward hooks need the gradient of *all* outputs together before that of *all* inputs, whatever happens
in between. So the inputs, and later the outputs, pass together through one identity function
(``BackwardHookFunction``); its node in the graph is where ``BackwardHook`` listens. Nothing of this costs
anything while no hook is registered: ``Module.__call__`` looks at the tables and goes straight to
``forward``.
"""

import functools
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from rushlight.autograd.function import Function
from rushlight.autograd.modes import is_grad_enabled
from rushlight.autograd.node import RemovableHandle
from rushlight.tensor import Tensor

__all__ = [
    "BackwardHook",
    "register_module_forward_pre_hook",
    "register_module_forward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_backward_hook",
    "register_module_full_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

_global_buffer_registration_hooks: dict[int, Callable] = OrderedDict()
_global_module_registration_hooks: dict[int, Callable] = OrderedDict()
_global_parameter_registration_hooks: dict[int, Callable] = OrderedDict()

_global_backward_pre_hooks: dict[int, Callable] = OrderedDict()
_global_backward_hooks: dict[int, Callable] = OrderedDict()
_global_is_full_backward_hook: bool | None = None
_global_forward_pre_hooks: dict[int, Callable] = OrderedDict()
_global_forward_hooks: dict[int, Callable] = OrderedDict()
_global_forward_hooks_always_called: dict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: dict[int, bool] = OrderedDict()

_MIXED_GLOBAL = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
    "Please use only one of them."
)
_MIXED = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. "
    "Please use only one of them."
)


def register(table: dict, hook: Callable, *, prepend: bool = False, flags: tuple = ()) -> RemovableHandle:
    """Put ``hook`` into ``table``, mark it in the tables of ``flags`` that are on, and return its handle."""
    handle = RemovableHandle(table, extra_dict=[marks for marks, _ in flags])
    table[handle.id] = hook
    for marks, on in flags:
        if on:
            marks[handle.id] = True
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` whenever any module registers a buffer; a returned value replaces
    it.
    """
    return register(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` whenever any module registers a submodule."""
    return register(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(module, name, parameter)`` whenever any module registers a parameter."""
    return register(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(module, args)`` before every module's ``forward``; it may return other arguments.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.nn.modules.module import register_module_forward_pre_hook
        >>> handle = register_module_forward_pre_hook(lambda module, args: print(type(module).__name__))
        >>> _ = torch.nn.ReLU()(torch.ones(1))
        ReLU
        >>> handle.remove()
    """
    return register(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after every module's ``forward``; it may return another output."""
    return register(
        _global_forward_hooks,
        hook,
        flags=(
            (_global_forward_hooks_with_kwargs, with_kwargs),
            (_global_forward_hooks_always_called, always_call),
        ),
    )


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """The older, non-full backward hook on every module: prefer ``register_module_full_backward_hook``."""
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is True:
        raise RuntimeError(_MIXED_GLOBAL)
    _global_is_full_backward_hook = False
    return register(_global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before the backward of every module."""
    return register(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` after the backward of every module."""
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is False:
        raise RuntimeError(_MIXED_GLOBAL)
    _global_is_full_backward_hook = True
    return register(_global_backward_hooks, hook)


class _WrappedHook:
    """A hook that may want its module as first argument, held weakly: a module owns its hooks, not the
    reverse.
    """

    def __init__(self, hook: Callable, module: Any = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if module is not None:
            self.module = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict:
        state = {"hook": self.hook, "with_module": self.with_module}
        if self.with_module:
            state["module"] = self.module()
        return state

    def __setstate__(self, state: dict) -> None:
        self.hook = state["hook"]
        self.with_module = state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


def _expected(returned: Any, count: int, module: Any) -> str:
    """What a hook of a module returned and what it should have, for error texts."""
    what = f"a Tensor of shape {list(returned.shape)}" if isinstance(returned, Tensor) else f"a {type(returned).__name__}"
    return (
        f"A hook of {type(module).__name__} returned {what}; it returns nothing, or a tuple of "
        f"{count} gradient{'' if count == 1 else 's'} (or None)."
    )


class BackwardHookFunction(Function):
    """The identity, on several tensors at once: one node that sees all their gradients together."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *args):
        return args


class BackwardHook:
    """One call's full backward hooks: collects the outputs' gradients, then the inputs', and asks the user's
    hooks.
    """

    def __init__(self, module, user_hooks, user_pre_hooks) -> None:
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.module = module
        self.grad_outputs: tuple | None = None
        self.n_outputs = -1
        self.output_tensors_index: list[int] | None = None
        self.n_inputs = -1
        self.input_tensors_index: list[int] | None = None

    @staticmethod
    def _scatter(indices, values, size):
        full = [None] * size
        for index, value in zip(indices, values, strict=True):
            full[index] = value
        return tuple(full)

    def _through_identity(self, args, listen):
        """``args`` with its tensors passed through one identity node, which ``listen`` then gets to hook
        on.
        """
        indices = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        if not (is_grad_enabled() and any(args[i].requires_grad for i in indices)):
            return args, None
        passed = BackwardHookFunction.apply(*[args[i] for i in indices])
        if len(passed) == 0:
            raise RuntimeError("Cannot set Module backward hook for a Module with no input Tensors.")
        nodes = [
            t.grad_fn
            for t in passed
            if t.grad_fn is not None and t.grad_fn.name() == "BackwardHookFunctionBackward"
        ]
        if not nodes:
            raise RuntimeError(
                "Error while setting up backward hooks. Please open an issue with a code sample to "
                "reproduce this."
            )
        listen(nodes[0])
        replaced = list(args)
        for index, tensor in zip(indices, passed, strict=True):
            replaced[index] = tensor
        return (tuple(replaced) if type(args) is tuple else type(args)(*replaced)), indices

    def _on_grad_input(self, grad_input, _):
        if self.grad_outputs is None:  # a gradient that reached the input without passing the output
            return None
        result = self._scatter(self.input_tensors_index, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            out = hook(self.module, result, self.grad_outputs)
            if out is None:
                continue
            if len(out) != len(result):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(out)}, but expected {len(result)}\n{_expected(out, len(result), self.module)}"
                )
            if isinstance(out, Tensor):
                raise RuntimeError(f"hook 'hook' has changed the size of value\n{_expected(out, len(result), self.module)}")
            result = out
        self.grad_outputs = None
        return tuple(result[i] for i in self.input_tensors_index)

    def _on_grad_output(self, _, grad_output):
        grads = self._scatter(self.output_tensors_index, grad_output, self.n_outputs)
        for pre_hook in self.user_pre_hooks:
            changed = pre_hook(self.module, grads)
            if changed is None:
                continue
            if len(changed) != len(grads):
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(changed)}, but expected {len(grads)}\n{_expected(changed, len(grads), self.module)}"
                )
            grads = changed
        self.grad_outputs = grads
        if self.input_tensors_index is None:  # no input requires grad: nothing will arrive there, so ask now
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module outputs "
                "since no inputs require gradients. See "
                "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                "#torch.nn.Module.register_full_backward_hook for more details.",
                stacklevel=5,
            )
            nothing = (None,) * self.n_inputs
            for hook in self.user_hooks:
                out = hook(self.module, nothing, self.grad_outputs)
                if out is not None and not (isinstance(out, tuple) and all(el is None for el in out)):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always "
                        "return None or None for all gradients."
                    )
            self.grad_outputs = None
        return tuple(grads[i] for i in self.output_tensors_index)

    def setup_input_hook(self, args):
        args, self.input_tensors_index = self._through_identity(
            args, lambda node: node.register_hook(self._on_grad_input)
        )
        self.n_inputs = len(args)
        return args

    def setup_output_hook(self, result):
        args = result if isinstance(result, tuple) else (result,)
        self.n_outputs = len(args)
        args, self.output_tensors_index = self._through_identity(
            args, lambda node: node.register_hook(self._on_grad_output)
        )
        return args if isinstance(result, tuple) else args[0]


class HookMixin:
    """The part of ``Module`` that registers hooks and runs a call which has some."""

    _backward_pre_hooks: dict[int, Callable]
    _backward_hooks: dict[int, Callable]
    _is_full_backward_hook: bool | None
    _forward_hooks: dict[int, Callable]
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _forward_pre_hooks: dict[int, Callable]
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    forward: Callable[..., Any]

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` (or ``hook(module, args, kwargs)``) before ``forward``.

        It may return other arguments: a tuple, a single value, or with ``with_kwargs`` a pair ``(args,
        kwargs)``.
        """
        return register(
            self._forward_pre_hooks,
            hook,
            prepend=prepend,
            flags=((self._forward_pre_hooks_with_kwargs, with_kwargs),),
        )

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` (``hook(module, args, kwargs, output)``) after ``forward``.

        It may return another output. ``always_call`` runs it even if ``forward`` raised.

        Example::

            >>> import rushlight as torch
            >>> layer = torch.nn.Identity()
            >>> handle = layer.register_forward_hook(lambda module, args, output: output * 2)
            >>> layer(torch.ones(2))
            tensor([2., 2.])
        """
        return register(
            self._forward_hooks,
            hook,
            prepend=prepend,
            flags=(
                (self._forward_hooks_with_kwargs, with_kwargs),
                (self._forward_hooks_always_called, always_call),
            ),
        )

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before the module's gradients are computed; it may return
        others.
        """
        return register(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are known.

        It may return another ``grad_input``. Raises RuntimeError where a non-full hook is registered already.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(_MIXED)
        self._is_full_backward_hook = True
        return register(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """The older hook, on the node of the last operation alone: prefer ``register_full_backward_hook``."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(_MIXED)
        self._is_full_backward_hook = False
        return register(self._backward_hooks, hook)

    def _get_backward_hooks(self) -> tuple[list[Callable], list[Callable]]:
        """The full and the non-full backward hooks that concern this module, the global ones first."""
        full: list[Callable] = []
        simple: list[Callable] = []
        for kind, table in (
            (_global_is_full_backward_hook, _global_backward_hooks),
            (self._is_full_backward_hook, self._backward_hooks),
        ):
            if kind is not None:
                (full if kind else simple).extend(table.values())
        return full, simple

    def _get_backward_pre_hooks(self) -> list[Callable]:
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    def _run_forward_pre_hooks(self, args, kwargs):
        for hook_id, hook in (*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()):
            if hook_id in self._forward_pre_hooks_with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is not None:
                    if not (isinstance(changed, tuple) and len(changed) == 2):
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                            f"but got {changed}."
                        )
                    args, kwargs = changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        return args, kwargs

    def _call_hooked(self, args: tuple, kwargs: dict) -> Any:
        """A call with hooks around it; ``state`` is what the always-called hooks may still see if it
        fails.
        """
        state = {"args": args, "kwargs": kwargs, "result": None}
        done: set[int] = set()
        try:
            return self._call_hooked_body(state, done)
        except Exception:
            self._run_always_called(state, done)
            raise

    def _call_hooked_body(self, state: dict, done: set[int]) -> Any:
        pre_hooks: list[Callable] = []
        full_hooks: list[Callable] = []
        simple_hooks: list[Callable] = []
        if self._backward_pre_hooks or _global_backward_pre_hooks:
            pre_hooks = self._get_backward_pre_hooks()
        if self._backward_hooks or _global_backward_hooks:
            full_hooks, simple_hooks = self._get_backward_hooks()
        if _global_forward_pre_hooks or self._forward_pre_hooks:
            state["args"], state["kwargs"] = self._run_forward_pre_hooks(state["args"], state["kwargs"])
        listener = None
        if full_hooks or pre_hooks:
            listener = BackwardHook(self, full_hooks, pre_hooks)
            state["args"] = listener.setup_input_hook(state["args"])
        args, kwargs = state["args"], state["kwargs"]
        result = state["result"] = self.forward(*args, **kwargs)
        for hook_id, hook in (*_global_forward_hooks.items(), *self._forward_hooks.items()):
            if hook_id in self._forward_hooks_always_called or hook_id in _global_forward_hooks_always_called:
                done.add(hook_id)
            if hook_id in self._forward_hooks_with_kwargs or hook_id in _global_forward_hooks_with_kwargs:
                changed = hook(self, args, kwargs, result)
            else:
                changed = hook(self, args, result)
            if changed is not None:
                result = state["result"] = changed
        if listener is not None:
            if not isinstance(result, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of "
                    f"Tensors but received {type(result)}",
                    stacklevel=4,
                )
            result = state["result"] = listener.setup_output_hook(result)
        if simple_hooks:
            self._hook_last_node(simple_hooks, args, result)
        return result

    def _run_always_called(self, state: dict, done: set[int]) -> None:
        """After a failure: the always-called forward hooks that have not run yet, their own errors only as
        warnings.
        """
        tables: tuple[tuple[str, dict, dict, dict], ...] = (
            ("global module", _global_forward_hooks, _global_forward_hooks_always_called, {}),
            (
                "module",
                self._forward_hooks,
                self._forward_hooks_always_called,
                self._forward_hooks_with_kwargs,
            ),
        )
        for kind, hooks, always, with_kwargs in tables:
            for hook_id, hook in list(hooks.items()):
                if hook_id not in always or hook_id in done:
                    continue
                try:
                    if hook_id in with_kwargs:
                        changed = hook(self, state["args"], state["kwargs"], state["result"])
                    else:
                        changed = hook(self, state["args"], state["result"])
                except Exception as error:
                    warnings.warn(
                        f"{kind} forward hook with ``always_call=True`` raised an exception that was "
                        f"silenced as another error was raised in forward: {error}",
                        stacklevel=4,
                    )
                else:
                    if changed is not None:
                        state["result"] = changed

    def _hook_last_node(self, hooks: list[Callable], args: Any, result: Any) -> None:
        tensor = result
        while not isinstance(tensor, Tensor):
            if isinstance(tensor, dict):
                tensor = next(v for v in tensor.values() if isinstance(v, Tensor))
            else:
                tensor = tensor[0]
        node = tensor.grad_fn
        if node is not None:
            for hook in hooks:
                node.register_hook(_WrappedHook(hook, self))
            self._maybe_warn_non_full_backward_hook(args, result, node)

    def _maybe_warn_non_full_backward_hook(self, inputs: Any, result: Any, grad_fn: Any) -> None:
        """Say where a non-full hook will not see what its name promises."""

        def warn(text):
            warnings.warn(text, FutureWarning, stacklevel=6)

        advice = "Please use register_full_backward_hook to get the documented behavior."
        outputs, inputs = _as_tensors(result), _as_tensors(inputs)
        if outputs is None:
            return warn(
                "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple "
                "of "
                "Tensors is deprecated and will be removed in future versions. This hook will be missing "
                "some "
                f"of the grad_output. {advice}"
            )
        if inputs is None:
            return warn(
                "Using non-full backward hooks on a Module that does not take as input a single Tensor or a "
                "tuple of Tensors is deprecated and will be removed in future versions. This hook will be "
                f"missing some of the grad_input. {advice}"
            )
        makers = {r.grad_fn for r in outputs if r.grad_fn is not None}
        if not makers or (len(makers) == 1 and grad_fn not in makers):
            return warn(
                "Using a non-full backward hook when outputs are nested in python data structure is "
                "deprecated "
                "and will be removed in future versions. This hook will be missing some grad_output."
            )
        if len(makers) > 1:
            return warn(
                "Using a non-full backward hook when outputs are generated by different autograd Nodes is "
                "deprecated and will be removed in future versions. This hook will be missing some "
                f"grad_output. {advice}"
            )
        if {i.grad_fn for i in inputs if i.grad_fn is not None} != {n[0] for n in grad_fn.next_functions}:
            return warn(
                "Using a non-full backward hook when the forward contains multiple autograd Nodes is "
                "deprecated "
                "and will be removed in future versions. This hook will be missing some grad_input. " + advice
            )


def _as_tensors(value: Any) -> tuple | None:
    """A tensor or a tuple of tensors as a tuple; None for anything else."""
    if isinstance(value, Tensor):
        return (value,)
    return value if isinstance(value, tuple) and all(isinstance(v, Tensor) for v in value) else None
