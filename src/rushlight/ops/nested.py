"""Numbers and nested lists of numbers as arrays: what ``torch.tensor`` makes of Python data.

The shape is read off the first elements and then checked everywhere; the dtype is the promotion of all
elements' own; numbers that do not fit raise PyTorch's errors.
"""
import numpy as np

from .. import dtypes
from ..dtypes import BY_NUMPY
from ..kernels import memory
from ..kernels.quiet import hush, unhush
from ..tensor import Tensor
from . import call
from .scalars import number_for

__all__ = ["array_of", "flat_array"]

_ndarray = np.ndarray


def _nested_shape(data):
    """The shape of nested sequences, by their first elements, as PyTorch finds it."""
    shape = []
    while True:
        if isinstance(data, _ndarray):
            return (*shape, *data.shape)
        # A tensor among numbers counts as one.
        if isinstance(data, (str, bytes, Tensor)) or not _is_sequence(data):
            return tuple(shape)
        shape.append(len(data))
        if not len(data):
            return tuple(shape)
        data = data[0]


def _is_sequence(data):
    return isinstance(data, (list, tuple)) or (hasattr(data, "__len__") and hasattr(data, "__getitem__")
                                               and not isinstance(data, (dict, set, np.generic)))


def _check_nesting(data, shape, depth):
    """Every sequence at ``depth`` must have the length of the first; RuntimeErrors as PyTorch's."""
    if depth == len(shape):
        if isinstance(data, (Tensor, _ndarray)):
            if (data._a if isinstance(data, Tensor) else data).size != 1:
                raise ValueError("only one element tensors can be converted to Python scalars\nA number was "
                                 "expected here.")
        return
    if not _is_sequence(data) or isinstance(data, (str, bytes, Tensor)):
        raise TypeError("not a sequence\nNested lists must be equally deep everywhere.")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})"
                         "\nNested lists must be equally long everywhere.")
    if depth + 1 < len(shape):
        for item in data:
            _check_nesting(item, shape, depth + 1)
    elif not isinstance(data, _ndarray):
        for item in data:
            if item.__class__ not in _PLAIN:
                _check_scalar(item)


_PLAIN = frozenset((int, float, bool, complex))


def _check_scalar(item):
    if isinstance(item, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(item).__name__}'\nConvert it to a number first.")
    if isinstance(item, (list, tuple)):
        raise TypeError(f"'{type(item).__name__}' object cannot be interpreted as an integer\nNested lists "
                        "must be equally deep "
                        "everywhere.")
    if isinstance(item, (Tensor, _ndarray)):
        if (item._a if isinstance(item, Tensor) else item).size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars\nA number was "
                             "expected here.")
        return
    if not isinstance(item, call.NUMBER) and not (hasattr(item, "__index__") or hasattr(item, "__float__")):
        raise RuntimeError(f"Could not infer dtype of {type(item).__name__}\nGive numbers or nested lists of "
                           "numbers.")


def _infer(data, found=None):
    """The dtype of nested Python data: the promotion of its elements' own dtypes."""
    if isinstance(data, Tensor):
        d = data.dtype
    elif isinstance(data, _ndarray):
        d = dtypes.of(data.dtype)
    elif isinstance(data, np.generic):
        d = dtypes.of(data.dtype)
    elif isinstance(data, call.NUMBER):
        d = dtypes.of_number(data)
    elif isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'\nConvert it to a number first.")
    elif _is_sequence(data):
        if data.__class__ in (list, tuple):
            kinds = set(map(type, data))
            if kinds <= _PLAIN:
                for kind, d in ((bool, dtypes.bool_), (int, dtypes.int64),
                                (float, dtypes.get_default_dtype()), (complex, dtypes.default_complex())):
                    if kind in kinds:
                        found = d if found is None else dtypes.promote_types(found, d)
                return found
        for item in data:
            found = _infer(item, found)
        return found
    else:
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}\nGive numbers or nested lists of "
                           "numbers.")
    return d if found is None else dtypes.promote_types(found, d)


def _plain(data):
    """Nested data with tensors and scalars of NumPy as Python lists and numbers."""
    if isinstance(data, Tensor):
        return data.detach().reshape(()).item()
    if isinstance(data, (_ndarray, np.generic)):
        return data.tolist()
    if isinstance(data, (list, tuple)) or _is_sequence(data):
        return [_plain(item) for item in data]
    return data


def array_of(data, dtype=None):
    """Python data as a new array: shape and dtype as ``torch.tensor`` finds them."""
    if data.__class__ in _PLAIN:                               # the commonest case
        numpy = dtypes.of_number(data).numpy if dtype is None else dtype
        return np.asarray(_number(data, numpy), numpy)
    if isinstance(data, np.generic):
        given = np.asarray(data)
        return given.copy() if dtype is None else memory.convert(given, dtype)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'\nConvert it to a number first.")
    if not _is_sequence(data):
        if dtype is not None and dtype.kind == "f":
            raise TypeError(f"must be real number, not {type(data).__name__}\nGive numbers or nested lists "
                            "of numbers.")
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}\nGive numbers or nested lists of "
                           "numbers.")
    shape = _nested_shape(data)
    if _depth_of_first(data) == "str":
        raise ValueError(f"too many dimensions '{_depth_of_first(data)}'\nConvert strings to numbers first.")
    _check_nesting(data, shape, 0)
    if dtype is None:
        d = _infer(data)
        dtype = (dtypes.get_default_dtype() if d is None else d).numpy
    return _fill_from(data, shape, dtype)


def _depth_of_first(data):
    while _is_sequence(data) and not isinstance(data, (str, bytes, Tensor, _ndarray)) and len(data):
        data = data[0]
    return "str" if isinstance(data, (str, bytes)) else None


def _fill_from(data, shape, numpy):
    """The array itself, from data known to be well nested."""
    if numpy.kind in "fc" or BY_NUMPY[numpy].is_floating_point:
        try:
            token = hush()
            try:
                return np.array(data if _all_python(data) else _plain(data), numpy)
            finally:
                unhush(token)
        except TypeError:
            if numpy.kind != "c":
                raise TypeError("must be real number, not complex\nAsk for a complex dtype, or take the real "
                                "parts.") from None
            raise
    python = _all_python(data)
    if python and numpy.kind == "b" and _leaf_types(data) <= {bool} or numpy == np.int64 and python and \
            _leaf_types(data) <= {int, bool}:
        try:
            return np.array(data, numpy)
        except OverflowError:
            raise ValueError("Overflow when unpacking long long\nThe number does not fit in 64 "
                             "bits.") from None
    flat = np.array(_plain(data), object).reshape(-1) if 0 not in shape else np.empty(0, object)
    made = np.empty(flat.shape, numpy)
    if numpy.kind == "b":
        made[...] = [bool(v) for v in flat]
        return made.reshape(shape)
    try:
        whole = np.array([v if v.__class__ is int else int(_number(v, numpy)) for v in flat], np.int64)
    except OverflowError:
        if numpy != np.uint64:
            raise ValueError("Overflow when unpacking long long\nThe number does not fit in 64 "
                             "bits.") from None
        whole = np.array([int(v) for v in flat], np.uint64)
    if numpy.itemsize < 8 and whole.size:
        info = np.iinfo(numpy)
        for v in (int(whole.min()), int(whole.max())):
            _number(v, numpy)
        if numpy.kind == "u" and whole.min() < 0:
            whole &= info.max
    return whole.astype(numpy).reshape(shape)


def _all_python(data):
    """Whether nested lists hold nothing but Python numbers (looking at all of them)."""
    if data.__class__ is list or data.__class__ is tuple:
        kinds = set(map(type, data))
        if kinds <= _PLAIN:
            return True
        return all(map(_all_python, data))
    return data.__class__ in _PLAIN


def _leaf_types(data):
    """The types of the numbers in nested lists."""
    kinds = set(map(type, data))
    if list in kinds or tuple in kinds:
        return set().union(*map(_leaf_types, data))
    return kinds


def _number(value, numpy):
    """A Python number for a dtype, with the errors of ``torch.tensor``."""
    if numpy.kind == "f" or BY_NUMPY[numpy].is_floating_point:
        if isinstance(value, complex):
            raise TypeError("must be real number, not complex\nAsk for a complex dtype, or take the real "
                            "parts.")
        token = hush()
        try:
            return numpy.type(value)
        finally:
            unhush(token)
    if isinstance(value, int) and not isinstance(value, bool) and numpy.kind in "iu" and numpy != np.uint64 \
            and not -2**63 <= value < 2**63:
        raise ValueError("Overflow when unpacking long long\nThe number does not fit in 64 bits.")
    if numpy.kind in "iu":
        try:
            return number_for(value, numpy)
        except RuntimeError as error:
            d = BY_NUMPY[numpy]
            raise RuntimeError(f"value cannot be converted to type {d.name} without overflow\nIt is "
                               f"{value}.") from error
    return value


def flat_array(data, numpy):
    """A flat list of Python numbers as an array; None if one does not fit."""
    token = hush()
    try:
        return np.array(data, numpy)
    except OverflowError:
        return None
    finally:
        unhush(token)
