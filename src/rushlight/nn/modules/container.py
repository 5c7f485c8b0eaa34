"""Modules made of modules (``Sequential``, ``ModuleList``, ``ModuleDict``) and of parameters."""

import operator
import warnings
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain, islice
from typing import Any, Self

from rushlight.nn.modules.module import Module, _addindent
from rushlight.nn.parameter import Parameter
from rushlight.tensor import Tensor

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]


def _renumber(module: Module) -> None:
    """Close the gaps in the numbers that name the children."""
    module._modules = OrderedDict((str(i), child) for i, child in enumerate(module._modules.values()))


def _checked_index(container: Any, idx: Any) -> int:
    """``idx`` as a number from 0, or IndexError."""
    idx = operator.index(idx)
    size = len(container)
    if not -size <= idx < size:
        raise IndexError(f"index {idx} is out of range")
    return idx % size


def _pairs(kind: str, value: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """The (key, value) pairs of a sequence given to ``update``, each checked."""
    pair: Any
    for place, pair in enumerate(value):
        if not hasattr(pair, "__iter__"):
            raise TypeError(
                f"{kind} update sequence element #{place} should be Iterable; is{type(pair).__name__}"
            )
        if len(pair) != 2:
            raise ValueError(f"{kind} update sequence element #{place} has length {len(pair)}; 2 is required")
        key, item = pair
        yield key, item


class _NumberedNames:
    """Hides the children's numbers from ``dir``: they are no attribute names."""

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]


class Container(Module):
    """A module with the children given by name; deprecated in favour of ``Module`` itself."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass "
            "that instead.",
            FutureWarning,
            stacklevel=2,
        )
        for key, value in kwargs.items():
            self.add_module(key, value)


class Sequential(_NumberedNames, Module):
    """Calls its modules one after the other, each on the result of the one before.

    Made of modules, or of an ``OrderedDict`` that names them. Supports indexing, slicing, ``append``,
    ``insert``, ``extend``, ``pop``, ``del``, ``+`` and ``*``.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
        Sequential(
          (0): Linear(in_features=2, out_features=3, bias=True)
          (1): ReLU()
        )
    """

    _modules: dict[str, Module]

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, module in args[0].items():
                self.add_module(key, module)
        else:
            for place, module in enumerate(args):
                self.add_module(str(place), module)

    def _key_at(self, idx: Any) -> str:
        return next(islice(self._modules, _checked_index(self, idx), None))

    def __getitem__(self, idx: slice | int) -> Any:
        if isinstance(idx, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key_at(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._key_at(idx), module)

    def __delitem__(self, idx: slice | int) -> None:
        keys = list(self._modules)[idx] if isinstance(idx, slice) else [self._key_at(idx)]
        for key in keys:
            delattr(self, key)
        _renumber(self)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def _require_sequential(self, other: Any) -> None:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )

    def __add__(self, other: "Sequential") -> "Sequential":
        self._require_sequential(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: "Sequential") -> Self:
        self._require_sequential(other)
        return self.extend(list(other))

    def _require_factor(self, other: Any) -> None:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def __mul__(self, other: int) -> "Sequential":
        self._require_factor(other)
        return Sequential(*(list(self) * other))

    def __rmul__(self, other: int) -> "Sequential":
        return self.__mul__(other)

    def __imul__(self, other: int) -> Self:
        self._require_factor(other)
        return self.extend(list(self) * (other - 1))

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def append(self, module: Module) -> Self:
        """Add ``module`` at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Put ``module`` before the one at ``index``; IndexError if there is no such place."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self._modules)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        if index < 0:
            index += size
        for place in range(size, index, -1):
            self._modules[str(place)] = self._modules[str(place - 1)]
        self._modules[str(index)] = module
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add all of ``sequential`` at the end."""
        for layer in sequential:
            self.append(layer)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take the module at ``key`` out and return it."""
        value = self[key]
        del self[key]
        return value


class ModuleList(_NumberedNames, Module):
    """A list whose modules are registered: their parameters are found by the module that holds the list.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.ModuleList([torch.nn.Linear(1, 1) for _ in range(3)])
        ModuleList(
          (0-2): 3 x Linear(in_features=1, out_features=1, bias=True)
        )
    """

    _modules: dict[str, Module]

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _get_abs_string_index(self, idx: Any) -> str:
        return str(_checked_index(self, idx))

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return self.__class__(list(self._modules.values())[idx])
        return self._modules[self._get_abs_string_index(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._get_abs_string_index(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        if isinstance(idx, slice):
            for place in range(len(self._modules))[idx]:
                delattr(self, str(place))
        else:
            delattr(self, self._get_abs_string_index(idx))
        _renumber(self)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        combined = ModuleList()
        for place, module in enumerate(chain(self, other)):
            combined.add_module(str(place), module)
        return combined

    def __repr__(self) -> str:
        runs: list[list] = []  # [first, last, repr]: neighbours that look alike share a line
        for place, text in enumerate(repr(item) for item in self):
            if runs and runs[-1][2] == text:
                runs[-1][1] = place
            else:
                runs.append([place, place, text])
        if not runs:
            return self._get_name() + "()"
        lines = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in runs
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(_addindent(line, 2) for line in lines) + "\n)"

    def insert(self, index: int, module: Module) -> None:
        """Put ``module`` before the one at ``index``."""
        for place in range(len(self._modules), index, -1):
            self._modules[str(place)] = self._modules[str(place - 1)]
        self._modules[str(index)] = module

    def append(self, module: Module) -> Self:
        """Add ``module`` at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take the module at ``key`` out and return it."""
        value = self[key]
        del self[key]
        return value

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add all of ``modules`` at the end; TypeError if they cannot be iterated."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        offset = len(self)
        for place, module in enumerate(modules):
            self.add_module(str(offset + place), module)
        return self


class ModuleDict(Module):
    """A dict whose modules are registered. Keys are strings, in the order of insertion.

    Example::

        >>> import rushlight as torch
        >>> layers = torch.nn.ModuleDict({"relu": torch.nn.ReLU()})
        >>> layers["relu"](torch.tensor([-1.]))
        tensor([0.])
    """

    _modules: dict[str, Module]

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take the module at ``key`` out and return it."""
        value = self[key]
        del self[key]
        return value

    def keys(self) -> KeysView[str]:
        return self._modules.keys()

    def items(self) -> ItemsView[str, Module]:
        return self._modules.items()

    def values(self) -> ValuesView[Module]:
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a mapping, another ModuleDict or (key, module) pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        if isinstance(modules, (ModuleDict, Mapping)):
            for key, module in modules.items():
                self[key] = module
        else:
            for key, module in _pairs("ModuleDict", modules):
                self[key] = module


def _describe(key: Any, value: Any, kind: str) -> str:
    """One line of a parameter container's repr."""
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    size = "x".join(str(n) for n in value.size())
    name = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {name} containing: [{kind} of size {size}]"


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


class ParameterList(_NumberedNames, Module):
    """A list whose parameters are registered; tensors become parameters, other objects are kept as they
    are.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _get_abs_string_index(self, idx: Any) -> str:
        return str(_checked_index(self, idx))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            out = self.__class__()
            for place in range(len(self))[idx]:
                out.append(self[place])
            return out
        return getattr(self, self._get_abs_string_index(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._get_abs_string_index(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[place] for place in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def append(self, value: Any) -> Self:
        """Add ``value`` at the end."""
        place = len(self)
        self._size += 1
        self[place] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add all of ``values`` at the end; TypeError for a tensor or what cannot be iterated."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(
            _describe(place, value, str(getattr(value, "dtype", ""))) for place, value in enumerate(self)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict whose parameters are registered; tensors become parameters, other objects are kept as they
    are.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        attr = self._key_to_attr(key)
        self._keys[key] = None
        setattr(self, attr, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def copy(self) -> "ParameterDict":
        """A new ParameterDict with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove everything."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take the parameter at ``key`` out and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Take the last pair out and return it."""
        key = next(reversed(self._keys)) if self._keys else self._keys.popitem()[0]
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> "ParameterDict":
        """A new ParameterDict with ``default`` at each of ``keys``."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> KeysView[str]:
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add parameters from a mapping (a plain dict in sorted order), a ParameterDict or (key, parameter)
        pairs.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs: Any = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = _pairs("ParameterDict", parameters)
        for key, parameter in pairs:
            self[key] = parameter

    def extra_repr(self) -> str:
        return "\n".join(
            _describe(key, value, value.type() if isinstance(value, Tensor) else "")
            for key, value in self.items()
        )

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: "ParameterDict") -> "ParameterDict":
        copy = self.copy()
        copy.update(other)
        return copy

    def __ror__(self, other: "ParameterDict") -> "ParameterDict":
        copy = other.copy()
        copy.update(self)
        return copy

    def __ior__(self, other: "ParameterDict") -> Self:
        self.update(other)
        return self
