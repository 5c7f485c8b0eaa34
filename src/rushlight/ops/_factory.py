"""What the functions that make tensors have in common: sizes, dtypes, and the keyword arguments every one of
them takes.
"""
import functools
import operator

import numpy as np

from .. import dtypes
from ..autograd import modes
from ..device import CPU, check
from ..dtypes import BY_NUMPY
from ..layout import check_layout, contiguous_format, format_order, preserve_format, strided
from ..tensor import Tensor, wrap
from . import call, table

__all__ = ["sizes", "size_list", "numpy_dtype", "finish", "check_place", "publish", "refill_out",
           "ordered_empty", "overriding"]

_new = object.__new__
_PYTHON_TYPES = {float: np.dtype(np.float64), int: np.dtype(np.int64), bool: np.dtype(np.bool_),
                 complex: np.dtype(np.complex128)}


def size_list(given, name, argument="size", position=1):
    """A sequence of whole numbers as a tuple of ints; TypeError with PyTorch's sentence otherwise."""
    if isinstance(given, Tensor) and given._a.ndim == 1 and given._a.dtype.kind in "iu":
        return tuple(given._a.tolist())
    if not isinstance(given, (tuple, list)):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be tuple of ints, not "
                        f"{type(given).__name__}\nPass whole numbers.")
    made = []
    for i, n in enumerate(given):
        if n.__class__ is not int:
            if not _is_whole(n):
                if i == 0:
                    raise TypeError(f"{name}(): argument '{argument}' must be tuple of ints, but found "
                                    "element of type "
                                    f"{type(n).__name__} at pos 0\nPass whole numbers.")
                raise TypeError(f"{name}(): argument '{argument}' failed to unpack the object at pos {i + 1} "
                                "with error \"type "
                                f"must be tuple of ints,but got {type(n).__name__}\"\nPass whole numbers.")
            n = operator.index(n)
        made.append(n)
    return tuple(made)


def _is_whole(n):
    """Whether something can be a size: an int, an integer of NumPy, an integer tensor."""
    if isinstance(n, Tensor):
        return n._a.dtype.kind in "iu"
    return hasattr(n, "__index__") and not isinstance(n, bool)


def sizes(given, name, argument="size"):
    """A shape from ``*size``: numbers, or one sequence of numbers."""
    if len(given) == 1:
        first = given[0]
        if first.__class__ is tuple or isinstance(first, (tuple, list)):
            given = first
        elif isinstance(first, Tensor) and first._a.ndim == 1:
            return size_list(first, name, argument)
        elif first.__class__ is not int and not _is_whole(first):
            raise TypeError(f"{name}(): argument '{argument}' (position 1) must be tuple of ints, not "
                            f"{type(first).__name__}"
                            "\nPass whole numbers.")
    for n in given:
        if n.__class__ is not int:
            return size_list(given, name, argument)
    return given if given.__class__ is tuple else tuple(given)


def by_keyword(name, argument, given, named):
    """The argument of a method that takes it as ``*given`` or by keyword, as the tuple ``given``."""
    for key in named:
        if key != argument:
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    if named:
        if given:
            raise TypeError(f"{name}() got multiple values for argument '{argument}'")
        return (named[argument],)
    if not given:
        raise TypeError(f'{name}() missing 1 required positional arguments: "{argument}"')
    return given


def check_sizes(shape, name):
    """No negative dimension, and a number of elements that can be counted."""
    count = 1
    for n in shape:
        count *= n
        if n < 0:
            if name == "zeros":
                raise RuntimeError(f"{name}: Dimension size must be non-negative.\nThe size given is "
                                   f"{list(shape)}.")
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}\nSizes "
                               "are 0 or more.")
    if count >= _COUNTABLE:
        raise too_large(shape, name)


_COUNTABLE = 1 << 61


def too_large(shape, name):
    """The error of a shape that no memory could hold."""
    for place, n in enumerate(shape, 1):
        if n >= 1 << 63:
            return TypeError(f"{name}(): argument 'size' failed to unpack the object at pos {place} with error "
                             '"Overflow when unpacking long long'
                             f"\nThe size {n} has more than 63 bits.")
    return RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}\nSuch a tensor fits into no memory.")


def numpy_dtype(given, name):
    """The NumPy dtype of a ``dtype=`` argument: a rushlight dtype, or Python's float, int, bool, complex."""
    if given.__class__ is dtypes.dtype:
        return given.numpy
    found = _PYTHON_TYPES.get(given) if isinstance(given, type) else None
    if found is None:
        raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(given).__name__}"
                        "\nThe dtypes are attributes of the module, such as torch.float32.")
    return found


def check_place(layout=None, device=None, pin_memory=False):
    """Only strided tensors in ordinary memory exist."""
    if layout is not None and layout is not strided:
        check_layout(layout)
    if device is not None and device is not CPU:
        check(device)
    if pin_memory:
        raise RuntimeError("pin_memory=True requires a CUDA or other accelerator backend; no pinned memory "
                           "allocator is "
                           "available on this system.\nLeave pin_memory out.")


def finish(array, requires_grad=False, name=""):
    """A new leaf around ``array``, made by the function ``name``."""
    t = wrap(array)
    if not modes.plain and modes.state.inference:
        t._rare().inference = True
    if requires_grad is not False:
        if requires_grad.__class__ is not bool and (requires_grad is not None or name in _NEVER_NONE):
            raise modes.no_flag(name, "'requires_grad'", requires_grad)
        if requires_grad:
            require(t)
    return t


_NEVER_NONE = ("tensor", "new_tensor", "asarray", "frombuffer")      # elsewhere None is as good as False


def require(t):
    if t._a.dtype.kind not in "fc" and BY_NUMPY[t._a.dtype].category < dtypes.FLOATING:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients\n"
                           f"This one is {t.dtype}: pass dtype=torch.float32.")
    t._rg = True
    return t


def refill_out(out, array, name, requires_grad=False):
    """Write into ``out=`` and return it."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}\nPass a Tensor "
                        "to write into.")
    call.put_out(out, array, name)
    return out


def ordered_empty(shape, dtype, memory_format):
    """Uninitialised memory in the order that a memory format asks for."""
    order = None
    if memory_format is not None and memory_format is not contiguous_format:
        order = format_order(memory_format, len(shape))
    if order is None:
        return np.empty(shape, dtype)
    inverse = sorted(range(len(shape)), key=order.__getitem__)
    return np.empty([shape[d] for d in order], dtype).transpose(inverse)


def is_preserve(memory_format):
    return memory_format is None or memory_format is preserve_format


# Functions without a tensor among their arguments: no subclass can take them over, but a mode can.
FACTORIES = frozenset(("zeros", "ones", "empty", "full", "arange", "range", "eye", "linspace", "logspace", "tensor", "as_tensor", "asarray",
                       "randperm", "scalar_tensor", "empty_strided", "empty_permuted"))


def _seen_by_modes(function):
    @functools.wraps(function)
    def factory(*args, **kwargs):
        if not modes.plain and modes.state.function_modes:
            return call.try_override(factory, (), args, kwargs)[1]
        return function(*args, **kwargs)
    return factory


def publish(function=None, *, name=None, method=False, space="torch", as_function=True):
    """Hang a hand-written function where users look, as it is: it asks modes and subclasses itself."""
    if function is None:
        return lambda f: publish(f, name=name, method=method, space=space, as_function=as_function)
    name = name or function.__name__
    if name in FACTORIES:
        function = _seen_by_modes(function)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "torch"
    table.COMPOSITES[name] = function
    if as_function:
        table.namespaces[space][name] = function
    if method:
        setattr(Tensor, name, function)
    return function


def overriding(function, values, args, kwargs=None):
    """``call.try_override`` for hand-written functions: used where ``modes.plain`` is false."""
    return call.try_override(function, values, args, kwargs or {})


Tensor._try_override = staticmethod(call.try_override)      # for backward, which is written below this layer
