"""Where an array's elements lie, and arrays laid over given memory.

NumPy keeps, for each view, a reference to the array that owns the memory: the end of the ``base`` chain, here
the *root*. It plays the part of PyTorch's storage: offsets count from its first element. Memory that comes
from outside (a slice of a user's array, a DLPack capsule, bytes) is made a root of its own by ``adopt``.
"""
import numpy as np

__all__ = ["address", "root", "strided", "adopt", "spanning", "as_buffer", "dense_strides", "empty_like",
           "copy_dense", "convert", "extent", "nbytes", "contiguous", "ordered_like", "is_channels_last"]

_ndarray = np.ndarray


class Memory:
    """Memory described by NumPy's array interface; keeps ``owner`` alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface, owner):
        self.__array_interface__ = interface
        self.owner = owner


def address(array):
    """The address of the first element."""
    return array.__array_interface__["data"][0]


def root(array):
    """The array at the end of the chain of bases: whose memory it is."""
    while array.base.__class__ is _ndarray:
        array = array.base
    return array


def adopt(array):
    """The same memory as an array that is a root: its storage begins at its own first element."""
    if array.base is None and array.__class__ is _ndarray:
        return array
    interface = array.__array_interface__
    kind = f"|V{array.itemsize}" if array.dtype.kind == "V" else interface["typestr"]
    shell = Memory({"data": interface["data"], "shape": array.shape, "strides": array.strides, "version": 3,
                    "typestr": kind}, array)
    made = np.asarray(shell)
    return made.view(array.dtype) if made.dtype != array.dtype else made


def extent(shape, strides, itemsize):
    """(lowest, highest + 1) byte that an array of this shape and strides touches, relative to its first
    element.
    """
    low = high = 0
    for n, s in zip(shape, strides):
        if n == 0:
            return 0, 0
        if s < 0:
            low += s * (n - 1)
        else:
            high += s * (n - 1)
    return low, high + itemsize


def nbytes(array):
    """Bytes from the first to the last element of a root, both included."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return array.nbytes
    low, high = extent(array.shape, array.strides, array.itemsize)
    return high - low


def spanning(array):
    """All memory of a root as a flat array of bytes."""
    if array.flags.c_contiguous:
        return np.ndarray((array.nbytes,), np.uint8, array)
    if array.flags.f_contiguous:
        return np.ndarray((array.nbytes,), np.uint8, array.T)
    low, high = extent(array.shape, array.strides, array.itemsize)
    where = address(array) + low, not array.flags.writeable
    return np.asarray(Memory({"data": where, "shape": (high - low,), "typestr": "|u1", "version": 3}, array))


def as_buffer(array):
    """A root in a form that NumPy takes as the buffer of another array."""
    if array.flags.c_contiguous:
        return array
    return array.T if array.flags.f_contiguous else spanning(array)


def strided(array, shape, strides, offset=0, dtype=None):
    """A view of ``array``'s memory of any shape and strides; ``offset`` (bytes) counts from its first
    element.

    ValueError if it would leave the memory.
    """
    dtype = array.dtype if dtype is None else dtype
    owner = root(array)
    if owner is not array:
        offset += address(array) - address(owner)
    return _ndarray(shape, dtype, owner if owner.flags.c_contiguous else as_buffer(owner), offset, strides)


def dense_strides(shape, strides, itemsize):
    """Strides (bytes) of a gapless copy that keeps the order in which dimensions lie in memory.

    Where strides leave the order open (a repeated element, a dimension of size 1), earlier dimensions stay
    outer.
    """
    order = list(range(len(shape) - 1, -1, -1))          # innermost first
    for i in range(1, len(order)):
        at = i
        for j in range(i - 1, -1, -1):
            swap = _should_swap(order[j], order[at], shape, strides)
            if swap > 0:
                order[j], order[at] = order[at], order[j]
                at = j
            elif swap < 0:
                break
    made = [0] * len(shape)
    step = itemsize
    for d in order:
        made[d] = step
        if shape[d] > 1:
            step *= shape[d]
    return tuple(made)


def _should_swap(inner, outer, shape, strides):
    a, b = strides[inner], strides[outer]
    if a == 0 or b == 0:
        return 0
    if a != b:
        return -1 if a < b else 1
    return 1 if shape[inner] > shape[outer] else 0


def is_dense(array):
    """Whether elements lie without gap or overlap, in some order of the dimensions."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    step = array.itemsize
    for s, n in sorted((s, n) for s, n in zip(array.strides, array.shape) if n != 1):
        if n and s != step:
            return False
        step *= n
    return True


def empty_like(array, dtype=None):
    """Uninitialised memory for a copy of ``array`` in the same order in memory."""
    dtype = array.dtype if dtype is None else dtype
    if array.flags.c_contiguous:
        return np.empty(array.shape, dtype)
    if is_dense(array):
        ratio = dtype.itemsize, array.itemsize
        strides = tuple(s // ratio[1] * ratio[0] for s in array.strides)
    else:
        strides = dense_strides(array.shape, array.strides, 1)
        strides = tuple(s * dtype.itemsize for s in strides)
    return _ndarray(array.shape, dtype, np.empty(max(array.size, 1), dtype), 0, strides)


def contiguous(array):
    """The array itself where its elements lie in C order, else a copy that does."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def ordered_like(made, array):
    """``made`` with its dimensions in the order in memory that a copy of ``array`` (of its shape) has."""
    if made.flags.c_contiguous and array.flags.c_contiguous:
        return made
    laid = empty_like(array, made.dtype)
    np.copyto(laid, made)
    return laid


def is_channels_last(array):
    """Whether images or volumes lie with their channels (dimension 1) innermost, without gaps."""
    if array.ndim not in (4, 5) or array.flags.c_contiguous:
        return False
    return array.transpose(0, *range(2, array.ndim), 1).flags.c_contiguous


def copy_dense(array):
    """A copy that keeps the order of dimensions in memory (PyTorch's preserve_format)."""
    if array.flags.c_contiguous:
        return array.copy()
    made = empty_like(array)
    np.copyto(made, array)
    return made


def convert(array, dtype):
    """A copy in another dtype, values cast as in C: the imaginary part and fractions are dropped. Warnings
    are the caller's to hush.
    """
    kind = array.dtype.kind
    if kind == "c" and dtype.kind != "c":
        array = array != 0 if dtype.kind == "b" else array.real
        if array.dtype == dtype:
            return array.copy()
    if array.flags.c_contiguous:
        return array.astype(dtype)
    made = empty_like(array, dtype)
    np.copyto(made, array, casting="unsafe")
    return made
