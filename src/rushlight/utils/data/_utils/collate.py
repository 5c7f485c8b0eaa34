"""Collating: a list of samples becomes one batch, element by element.

``default_collate_fn_map`` says what is done for which type of element; programs may add to it. Mappings and
sequences are walked into and come out as what they were, where their class allows it: of a mutable one a copy
is filled, which keeps what else it carries (the factory of a defaultdict); an immutable one is built anew; and
a class that takes neither way gives a plain dict or list.
"""

import copy
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from rushlight.autograd import modes
from rushlight.dtypes import float64
from rushlight.ops.table import namespaces
from rushlight.tensor import Tensor, wrap

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

_torch = namespaces["torch"]
_as_tensor, _stack, _tensor = _torch["as_tensor"], _torch["stack"], _torch["tensor"]

np_str_obj_array_pattern = re.compile(r"[SaUO]")

default_collate_err_msg_format = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


# ---------------------------------------------------------------- one sample


def default_convert(data: Any) -> Any:
    """Arrays and NumPy numbers in ``data`` as tensors, everything else as it is: what a DataLoader does with each
    sample where it makes no batches.

    Mappings, named tuples and sequences are walked into; a plain tuple comes out as a list. Arrays of strings or
    objects stay.

    Example::

        >>> import numpy as np
        >>> from rushlight.utils.data import default_convert
        >>> default_convert({"x": np.array([0, 1]), "name": "a"})
        {'x': tensor([0, 1]), 'name': 'a'}
    """
    if isinstance(data, Tensor):
        return data
    kind = type(data)
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        if kind.__name__ == "ndarray" and np_str_obj_array_pattern.search(data.dtype.str):
            return data
        return _as_tensor(data)
    if isinstance(data, Mapping):
        return _like_mapping(data, lambda key: default_convert(data[key]))
    if isinstance(data, tuple):
        converted = [default_convert(element) for element in data]
        return kind(*converted) if hasattr(data, "_fields") else converted
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like_sequence(data, data, default_convert)
    return data


def _like_mapping(example: Mapping, value: Callable[[Any], Any]) -> Any:
    """A mapping of the example's class with ``value(key)`` at each of its keys."""
    try:
        if isinstance(example, MutableMapping):
            made = copy.copy(example)
            made.update({key: value(key) for key in example})
            return made
        return type(example)({key: value(key) for key in example})  # type: ignore[call-arg]
    except TypeError:
        return {key: value(key) for key in example}


def _like_sequence(example: Sequence, elements: Iterable, value: Callable[[Any], Any]) -> Any:
    """A sequence of the example's class with ``value(element)`` for each of ``elements``."""
    try:
        if isinstance(example, MutableSequence):
            made = copy.copy(example)
            for i, element in enumerate(elements):
                made[i] = value(element)
            return made
        return type(example)([value(element) for element in elements])  # type: ignore[call-arg]
    except TypeError:
        return [value(element) for element in elements]


# ---------------------------------------------------------------- many samples


def collate(batch: Any, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None) -> Any:
    """Samples as one batch, with a function for each type of element.

    Args:
        batch: samples of one structure.
        collate_fn_map: from a type, or a tuple of types, to ``f(elements, *, collate_fn_map)``. The exact type is
            looked for first, then the first entry that the element is an instance of; what has none and is a
            mapping or a sequence is walked into.

    TypeError for an element without a rule; RuntimeError for sequences of different lengths.

    Example::

        >>> from rushlight.utils.data._utils.collate import collate
        >>> collate([(1, "a"), (2, "b")], collate_fn_map={int: lambda b, *, collate_fn_map: sum(b),
        ...                                               str: lambda b, *, collate_fn_map: "".join(b)})
        [3, 'ab']
    """
    element = batch[0]
    kind = type(element)
    if collate_fn_map is not None:
        rule = collate_fn_map.get(kind)
        if rule is None:
            rule = next((f for types, f in collate_fn_map.items() if isinstance(element, types)), None)
        if rule is not None:
            return rule(batch, collate_fn_map=collate_fn_map)
    if isinstance(element, Mapping):
        return _like_mapping(element, lambda key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map))
    if isinstance(element, tuple) and hasattr(element, "_fields"):
        return kind(*[collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)])
    if isinstance(element, Sequence):
        size = len(element)
        if any(len(sample) != size for sample in batch):
            raise RuntimeError(
                "each element in list of batch should be of equal size\n"
                f"Their lengths are {', '.join(str(len(sample)) for sample in batch[:8])}"
                f"{', ...' if len(batch) > 8 else ''}: pad them, or pass a collate_fn."
            )
        columns = list(zip(*batch))
        if isinstance(element, tuple):
            return [collate(column, collate_fn_map=collate_fn_map) for column in columns]
        return _like_sequence(element, columns, lambda column: collate(column, collate_fn_map=collate_fn_map))
    raise _no_rule(kind)


def _no_rule(kind: Any) -> TypeError:
    return TypeError(
        default_collate_err_msg_format.format(kind)
        + "\nPass a collate_fn that knows what to do with it, or give the sample another form."
    )


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """The tensors stacked along a new first dimension."""
    if modes.plain:
        made = _stacked(batch)
        if made is not None:
            return wrap(made)
    return _stack(batch, 0)


def _stacked(batch: Any) -> np.ndarray | None:
    """One array of those of equal plain tensors that want no gradient, or None.

    ``stack`` looks at each tensor for more than that, which is most of its time when there are many small ones.
    """
    arrays, first = [], None
    for tensor in batch:
        if tensor.__class__ is not Tensor or (tensor._rg and tensor.requires_grad):  # a view has to look
            return None
        array = tensor._a
        if first is None:
            first = array
        elif array.dtype is not first.dtype or array.shape != first.shape:
            return None
        arrays.append(array)
    if first is None:
        return None
    if not first.ndim:
        return np.array(arrays, first.dtype)
    joined = np.concatenate(arrays).reshape(len(arrays), *first.shape)
    return joined if joined.flags.c_contiguous else np.ascontiguousarray(joined)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """The arrays as tensors, collated; TypeError for arrays of strings or objects."""
    if np_str_obj_array_pattern.search(batch[0].dtype.str):
        raise _no_rule(batch[0].dtype)
    return collate([_as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """NumPy's numbers as a tensor of their own dtype."""
    return _as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Python's floats as a float64 tensor."""
    return _tensor(list(batch), dtype=float64)


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Python's ints and bools as a tensor."""
    return _tensor(list(batch))


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Strings and bytes stay as they are."""
    return batch


default_collate_fn_map: dict[type | tuple[type, ...], Callable] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """Samples as one batch, in which each tensor, array or number has become a tensor with a new first dimension.

    ====================================  ============================================================
    elements of the samples               in the batch
    ====================================  ============================================================
    tensors, NumPy arrays                 stacked; they must have one shape
    NumPy's numbers, ints, bools          a tensor of their dtype
    floats                                a float64 tensor
    str, bytes                            a list (or tuple) of them
    mappings                              a mapping with each value collated
    named tuples                          a named tuple with each field collated
    tuples                                a list with each position collated
    other sequences of one length         a sequence with each position collated
    ====================================  ============================================================

    TypeError for anything else, which ``default_collate_fn_map`` may be taught; RuntimeError for shapes or lengths
    that differ.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.utils.data import default_collate
        >>> default_collate([{"x": torch.tensor([1., 2.]), "y": 0}, {"x": torch.tensor([3., 4.]), "y": 1}])
        {'x': tensor([[1., 2.],
                [3., 4.]]), 'y': tensor([0, 1])}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
