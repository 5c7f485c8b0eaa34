"""Small helpers of the layers: one number for every dimension, and names of state dicts."""

import collections.abc
from typing import Any

__all__ = ["consume_prefix_in_state_dict_if_present", "factory_kwargs"]


def _ntuple(n: int, name: str):
    def parse(x: Any) -> tuple:
        return tuple(x) if isinstance(x, collections.abc.Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(values: tuple, n: int) -> tuple:
    """(a, b) to (b, b, a, a) for n = 2: a convolution's padding as ``functional.pad`` wants it."""
    return tuple(value for value in reversed(values) for _ in range(n))


def _weight_and_bias(module: Any) -> tuple[Any, Any]:
    """``module.weight, module.bias`` without the failing look-ups before ``__getattr__`` is asked."""
    params = module._parameters
    try:
        return params["weight"], params["bias"]
    except KeyError:  # replaced by plain attributes, or computed by a property
        return module.weight, module.bias


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Strip ``prefix`` from all keys of a state dict (and of its metadata) that begin with it, in place.

    Example::

        >>> from rushlight.nn.modules.utils import consume_prefix_in_state_dict_if_present
        >>> state = {"module.weight": 1}
        >>> consume_prefix_in_state_dict_if_present(state, "module.")
        >>> state
        {'weight': 1}
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        for key in list(metadata):
            if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
                metadata[key[len(prefix) :]] = metadata.pop(key)


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The keywords that a factory such as ``torch.empty`` takes, out of a layer's own: ``device``, ``dtype`` and
    ``memory_format``, given as they are or in ``factory_kwargs``, but not both. TypeError for any other.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.factory_kwargs({"dtype": torch.float64})
        {'dtype': torch.float64}
    """
    if kwargs is None:
        return {}
    names = ("device", "dtype", "memory_format")
    unknown = kwargs.keys() - {*names, "factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}\nA factory takes {', '.join(names)}.")
    made = dict(kwargs.get("factory_kwargs", {}))
    for name in names:
        if name in kwargs:
            if name in made:
                raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
            made[name] = kwargs[name]
    return made
