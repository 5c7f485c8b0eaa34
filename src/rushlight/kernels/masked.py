"""Choosing between arrays, and picking elements, by bool masks."""
import numpy as np

from ..dtypes import BY_NUMPY, category_of_number, combine
from .errors import scalar_name
from .memory import contiguous

__all__ = ["where", "masked_fill", "masked_select", "masked_place", "masked_scatter", "masked_unscatter",
           "nonzero", "mask_for"]

_ndarray = np.ndarray
_BOOL = np.dtype(np.bool_)


def where(condition, a, b):
    """``a`` where ``condition``, else ``b``; numbers take part in the promotion as PyTorch's do."""
    first, second = a.__class__ is _ndarray, b.__class__ is _ndarray
    if first and second and a.dtype is b.dtype:
        return np.where(condition, a, b)
    if not first and isinstance(a, np.generic):
        a, first = np.asarray(a), True
    if not second and isinstance(b, np.generic):
        b, second = np.asarray(b), True
    dims, zero, numbers = [], [], []
    for x, array in ((a, first), (b, second)):
        if array:
            (dims if x.ndim else zero).append(BY_NUMPY[x.dtype])
        else:
            numbers.append(category_of_number(x))
    common = combine(dims, zero, numbers).numpy
    return np.where(condition, _cast(a, common), _cast(b, common))


def _cast(x, dtype):
    return x.astype(dtype) if isinstance(x, _ndarray) and x.dtype != dtype else np.asarray(x).astype(dtype) \
        if not isinstance(x, _ndarray) else x


def broadcast(a, b):
    """The common shape of two; RuntimeError as PyTorch where there is none."""
    if a == b:
        return a
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        n = max(len(a), len(b))
        for i in range(n - 1, -1, -1):
            x = a[i - n + len(a)] if i >= n - len(a) else 1
            y = b[i - n + len(b)] if i >= n - len(b) else 1
            if x != y and x != 1 and y != 1:
                raise RuntimeError(f"The size of tensor a ({x}) must match the size of tensor b ({y}) at "
                                   "non-singleton dimension "
                                   f"{i}\nThe shapes are {list(a)} and {list(b)}.") from None
        raise


def convertible(value, dtype):
    """A number as an array of ``dtype``; RuntimeError where PyTorch finds that it does not fit."""
    if isinstance(value, (complex, np.complexfloating)) and dtype.kind not in "cb":
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {c_name(dtype)} without "
                               "overflow\nThe tensor is real.")
        value = value.real
    if dtype.kind in "iu" and not isinstance(value, _ndarray):
        if isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise RuntimeError(f"value cannot be converted to type {c_name(dtype)} without overflow\nIt "
                                   f"is {value}.")
            value = int(value)
        info = np.iinfo(dtype)
        low = -int(info.max) if dtype.kind == "u" else int(info.min)
        if not low <= int(value) <= int(info.max):
            raise RuntimeError(f"value cannot be converted to type {c_name(dtype)} without overflow\nIt is "
                               f"{value}.")
        return np.asarray(int(value) % (1 << 8 * dtype.itemsize) if dtype.kind == "u" else int(value), dtype)
    made = np.asarray(value).astype(dtype)
    if dtype.kind not in "biuc" and not isinstance(value, _ndarray) and np.isinf(made.astype(np.float64)) \
            and not np.isinf(float(value)):
        raise RuntimeError(f"value cannot be converted to type {c_name(dtype)} without overflow\nIt is "
                           f"{value}.")
    return made


_C_NAMES = {"Byte": "uint8_t", "Char": "int8_t", "Short": "int16_t", "Int": "int", "Long": "int64_t",
            "Half": "c10::Half",
            "Float": "float", "Double": "double", "Bool": "bool", "BFloat16": "c10::BFloat16",
            "ComplexFloat": "c10::complex<float>",
            "ComplexDouble": "c10::complex<double>", "UInt16": "uint16_t", "UInt32": "uint32_t",
            "UInt64": "uint64_t"}


def c_name(dtype):
    """The C++ type of a dtype, as some of PyTorch's sentences have it."""
    return _C_NAMES.get(scalar_name(dtype), scalar_name(dtype).lower())


def masked_fill(x, mask, value):
    """``x`` with ``value`` where ``mask``."""
    if mask.dtype != _BOOL:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{_type_name(mask.dtype)}"
                           "\nCompare it first, such as mask != 0.")
    if isinstance(value, _ndarray):
        if value.ndim:
            raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
                               f"with {value.ndim} "
                               "dimension(s).\nUse torch.where for more.")
        if value.dtype.kind == "c" and x.dtype.kind != "c":
            value = convertible(complex(value), x.dtype)
        value = value.astype(x.dtype)
    else:
        value = convertible(value, x.dtype)
    broadcast(mask.shape, x.shape)
    return contiguous(np.where(mask, value, x))


def _type_name(dtype):
    return {"Byte": "unsigned char", "Char": "signed char", "Short": "short", "Int": "int",
            "Long": "long"}.get(scalar_name(dtype), c_name(dtype))


def mask_for(name, mask, x):
    """``mask`` and ``x`` in their common shape."""
    shape = broadcast(mask.shape, x.shape)
    if mask.shape != shape:
        mask = np.broadcast_to(mask, shape)
    if x.shape != shape:
        x = np.broadcast_to(x, shape)
    return mask, x


def masked_select(x, mask):
    """The elements where ``mask`` is true, in a row."""
    if mask.dtype != _BOOL:
        raise RuntimeError("masked_select: expected BoolTensor for mask\nCompare it first, such as mask != "
                           "0.")
    mask, x = mask_for("masked_select", mask, x)
    return x[mask]


def masked_place(g, mask, shape):
    """Zeros of the common shape of ``shape`` and ``mask``, with ``g`` where the mask is true."""
    g = np.asarray(g)
    shape = np.broadcast_shapes(shape, mask.shape)
    made = np.zeros(shape, g.dtype)
    made[np.broadcast_to(mask, shape)] = g
    return made


def masked_scatter(x, mask, source):
    """``x`` with the elements of ``source``, in order, where ``mask`` is true."""
    if x.dtype != source.dtype:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes but "
                           f"got{scalar_name(x.dtype)} and "
                           f"{scalar_name(source.dtype)}\nConvert the source.")
    if mask.dtype != _BOOL:
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype "
                           f"{scalar_name(mask.dtype)}"
                           "\nCompare it first, such as mask != 0.")
    mask, x = mask_for("masked_scatter", mask, x)
    made = np.array(x, order="C")
    count = int(np.count_nonzero(mask))
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask"
                           f"\nThere are {source.size} elements for {count} places.")
    made[mask] = source.reshape(-1)[:count]
    return made


def masked_unscatter(g, mask, shape):
    """Zeros of ``shape`` that begin with the elements of ``g`` where ``mask`` is true."""
    g = np.asarray(g)
    made = np.zeros(shape, g.dtype)
    chosen = g[np.broadcast_to(mask, g.shape)]
    made.reshape(-1)[:chosen.size] = chosen
    return made


def nonzero(x):
    """The indices of nonzero elements, one row each."""
    if x.ndim == 0:
        return np.empty((int(bool(x)), 0), np.int64)
    if x.ndim == 1:
        return x.nonzero()[0].reshape(-1, 1)
    return np.transpose(x.nonzero())

