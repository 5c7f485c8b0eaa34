"""Calling a module with other parameters than its own."""

import contextlib
from typing import Any

from ...tensor import Tensor

__all__ = ["functional_call"]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """``module(*args, **kwargs)`` with tensors from a dictionary (or several) in place of parameters and buffers of those names.

    The module is as before afterwards, also after an error. ``tie_weights``: a tensor registered under several names is replaced under all.
    ``strict``: the dictionary must name exactly the module's parameters and buffers.

    Example::

        >>> import rushlight as torch
        >>> layer = torch.nn.Linear(2, 1)
        >>> torch.func.functional_call(layer, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(2))
        tensor([2.])
    """
    given = _merged(parameter_and_buffer_dicts)
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def _merged(dicts: Any) -> dict[str, Tensor]:
    if isinstance(dicts, dict):
        return dict(dicts)
    if not isinstance(dicts, (list, tuple)):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    merged: dict[str, Tensor] = {}
    repeated = []
    for d in dicts:
        repeated += [k for k in d if k in merged]
        merged.update(d)
    if repeated:
        raise ValueError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        )
    return merged


@contextlib.contextmanager
def _replaced(module: Any, given: dict[str, Tensor], tie_weights: bool, strict: bool) -> Any:
    own = {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
    if strict:
        missing, unexpected = [n for n in own if n not in given], [n for n in given if n not in own]
        if tie_weights:
            covered = {id(own[n]) for n in given if n in own}
            missing = [n for n in missing if id(own[n]) not in covered]
        lines = [
            f"\n\t{what} key(s): {', '.join(repr(n) for n in names)}."
            for what, names in (("Unexpected", unexpected), ("Missing", missing))
            if names
        ]
        if lines:
            raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:" + "".join(lines))
    if tie_weights:
        for name, tensor in list(given.items()):
            if name in own:
                for other, held in own.items():
                    if held is own[name] and other not in given:
                        given[other] = tensor
    undo = []
    try:
        for name, tensor in given.items():
            path, _, last = name.rpartition(".")
            owner = module.get_submodule(path) if path else module
            for table in (owner._parameters, owner._buffers):
                if last in table:
                    undo.append((table, last, table[last]))
                    table[last] = tensor
                    break
            else:
                raise AttributeError(f"{owner._get_name()} has no attribute `{last}`")
        yield
    finally:
        for table, last, before in reversed(undo):
            table[last] = before
