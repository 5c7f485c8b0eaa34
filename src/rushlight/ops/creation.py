"""Tensors from nothing: zeros, ones, full, empty, ranges, and their ``*_like`` and ``new_*`` forms."""
import math
import warnings

import numpy as np

from .. import dtypes
from ..autograd import modes
from ..kernels import memory
from ..kernels.quiet import hush, unhush
from ..tensor import Tensor, wrap
from . import call
from ._factory import (
    check_place,
    check_sizes,
    finish,
    is_preserve,
    numpy_dtype,
    ordered_empty,
    overriding,
    publish,
    refill_out,
    sizes,
    too_large,
)
from .scalars import fill_array

_int64 = np.dtype(np.int64)


def _default_numpy():
    return dtypes._default.numpy


def _made_by_size(name, size, keyword, fill, out, dtype, layout, device, pin_memory, requires_grad):
    """Body of zeros and ones."""
    if not size and keyword is None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    shape = sizes(size if keyword is None else (keyword,), name)
    check_place(layout, device, pin_memory)
    if out is not None:
        numpy = out._a.dtype if isinstance(out, Tensor) else None
        check_sizes(shape, name)
        return refill_out(out, fill(shape, numpy), name)
    numpy = dtypes._default.numpy if dtype is None else numpy_dtype(dtype, name)
    try:
        array = fill(shape, numpy)
    except ValueError:
        check_sizes(shape, name)
        raise too_large(shape, name) from None
    return finish(array, requires_grad, name)


def _declare_filled(name, fill, example):
    def filled(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
               **named):
        if dtype is None and out is None and modes.plain \
                and not (named or requires_grad or layout or device or pin_memory):
            try:                             # the commonest call
                return wrap(fill(size[0] if size[0].__class__ is tuple else size, dtypes._default.numpy))
            except (TypeError, ValueError, IndexError):
                pass                         # the long way knows what to say
        return _made_by_size(name, size, _size_keyword(name, named), fill, out, dtype, layout, device,
                             pin_memory, requires_grad)
    filled.__doc__ = f"""A tensor of {name} of shape ``size`` (numbers, or one sequence of them), in the
    default dtype unless ``dtype`` says other.

    RuntimeError for negative sizes, TypeError for other than whole numbers.

    Example::

        >>> import rushlight as torch
        >>> torch.{name}(2)
        {example}
    """
    return publish(filled, name=name)


def _ones(shape, dtype):
    made = np.empty(shape, dtype)
    made.fill(1)
    return made


zeros = _declare_filled("zeros", np.zeros, "tensor([0., 0.])")
ones = _declare_filled("ones", _ones, "tensor([1., 1.])")


def _size_keyword(name, named):
    """``size=`` and ``names=None`` among further keywords."""
    if not named:
        return None
    size = named.pop("size", None)
    if named.pop("names", None) is not None:
        raise RuntimeError(f"{name}(): rushlight has no named tensors\nLeave names out.")
    if named:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
    return size


@publish
def empty(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
          memory_format=None, **named):
    """An uninitialised tensor: its values are whatever was in memory. ``memory_format`` may ask for channels
    last.
    """
    keyword = _size_keyword("empty", named)
    if not size and keyword is None:
        raise TypeError('empty() missing 1 required positional arguments: "size"')
    shape = sizes(size if keyword is None else (keyword,), "empty")
    check_place(layout, device, pin_memory)
    check_sizes(shape, "empty")
    if out is not None:
        return refill_out(out, np.empty(shape, out._a.dtype), "empty")
    numpy = dtypes._default.numpy if dtype is None else numpy_dtype(dtype, "empty")
    return finish(ordered_empty(shape, numpy, memory_format), requires_grad, "empty")


@publish
def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False,
                  pin_memory=False):
    """An uninitialised tensor of the given size and strides (in elements).

    Example::

        >>> import rushlight as torch
        >>> torch.empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    shape, steps = sizes((size,), "empty_strided"), sizes((stride,), "empty_strided", "stride")
    check_place(layout, device, pin_memory)
    numpy = _default_numpy() if dtype is None else numpy_dtype(dtype, "empty_strided")
    return finish(_strided_memory(shape, steps, numpy), requires_grad, "empty_strided")


def _strided_memory(shape, steps, numpy):
    if len(shape) != len(steps):
        raise RuntimeError(f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides "
                           f"({len(steps)})")
    check_sizes(shape, "empty_strided")
    if any(s < 0 for s in steps):
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: "
                           f"{list(steps)}"
                           "\nUse torch.flip, which copies.")
    strides = tuple(s * numpy.itemsize for s in steps)
    count = memory.extent(shape, strides, numpy.itemsize)[1] // numpy.itemsize
    return np.ndarray(shape, numpy, np.empty(max(count, 1), numpy), 0, strides)


@publish
def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False,
                   pin_memory=False):
    """An uninitialised tensor whose dimensions lie in memory in the order ``physical_layout`` (outermost
    first).

    Example::

        >>> import rushlight as torch
        >>> torch.empty_permuted((2, 3), (1, 0)).stride()
        (1, 2)
    """
    shape = sizes((size,), "empty_permuted")
    order = sizes((physical_layout,), "empty_permuted", "physical_layout")
    check_place(layout, device, pin_memory)
    check_sizes(shape, "empty_permuted")
    if len(order) != len(shape):
        raise RuntimeError("Number of dimensions in size does not match the length of the physical_layout; "
                           "i.e. len(size) = "
                           f"{len(shape)} is not equal to len(physical_layout) = {len(order)}")
    seen = set()
    for d in order:
        if not 0 <= d < len(shape):
            raise RuntimeError(f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but "
                               f"got {d} at index "
                               f"{order.index(d)}).  NB: negative dims not currently supported; file an "
                               "issue if you want it.")
        if d in seen:
            raise RuntimeError("Duplicate dim not allowed\nphysical_layout names every dimension once.")
        seen.add(d)
    numpy = _default_numpy() if dtype is None else numpy_dtype(dtype, "empty_permuted")
    inverse = sorted(range(len(shape)), key=order.__getitem__)
    return finish(np.empty([shape[d] for d in order], numpy).transpose(inverse), requires_grad, "empty_permuted")


def _fill_number(value, name):
    """A fill value as a Python number."""
    if isinstance(value, Tensor):
        if value._a.ndim:
            raise TypeError(f"{name}(): argument 'fill_value' (position 2) must be Number, not Tensor\nPass "
                            "one number.")
        return value._a.item() if value.dtype is not dtypes.bfloat16 else float(value._a)
    if isinstance(value, call.NUMBER):
        return value
    raise TypeError(f"{name}(): argument 'fill_value' (position 2) must be Number, not {type(value).__name__}"
                    "\nPass one number.")


def filled(shape, value, numpy, name="full"):
    """An array of one value; RuntimeError if the dtype cannot hold it."""
    made = np.empty(shape, numpy)
    fill_array(made, value)
    return made


@publish
def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
         requires_grad=False, names=None):
    """A tensor of shape ``size`` (a sequence) filled with one number, whose kind decides the dtype: bool,
    int64, or the default.

    Example::

        >>> import rushlight as torch
        >>> torch.full((2, 2), 7)
        tensor([[7, 7],
                [7, 7]])
    """
    if not isinstance(size, (tuple, list, Tensor)):
        raise TypeError("full(): argument 'size' (position 1) must be tuple of ints, not "
                        f"{type(size).__name__}"
                        "\nPut it in a tuple.")
    shape = sizes((size,), "full")
    value = _fill_number(fill_value, "full")
    check_place(layout, device, pin_memory)
    check_sizes(shape, "full")
    if out is not None:
        return refill_out(out, filled(shape, value, out._a.dtype), "full")
    numpy = (dtypes.of_number(value) if not isinstance(fill_value, Tensor) else fill_value.dtype).numpy \
        if dtype is None else numpy_dtype(dtype, "full")
    return finish(filled(shape, value, numpy), requires_grad, "full")


@publish
def scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A 0-d tensor holding a number, in the default dtype.

    Example::

        >>> import rushlight as torch
        >>> torch.scalar_tensor(3)
        tensor(3.)
    """
    check_place(layout, device, pin_memory)
    numpy = _default_numpy() if dtype is None else numpy_dtype(dtype, "scalar_tensor")
    return finish(filled((), _fill_number(s, "scalar_tensor"), numpy), requires_grad, "scalar_tensor")


# ---------------------------------------------------------------- like another tensor

def _like(name, input, dtype, layout, device, pin_memory, memory_format):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
                        "\nPass a Tensor to take shape and dtype from.")
    check_place(layout, device, pin_memory)
    a = input._a
    numpy = a.dtype if dtype is None else numpy_dtype(dtype, name)
    if is_preserve(memory_format):
        return memory.empty_like(a, numpy)
    return ordered_empty(a.shape, numpy, memory_format)


def _declare_like(name, fill, what):
    def like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
             memory_format=None):
        if not modes.plain:
            taken, result = overriding(like, (input,), (input,), _given(
                dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, requires_grad=requires_grad,
                memory_format=memory_format))
            if taken:
                return result
        made = _like(name, input, dtype, layout, device, pin_memory, memory_format)
        if fill is not None:
            made.fill(fill)
        return finish(made, requires_grad, name)
    like.__doc__ = f"""A tensor of {what} with the shape and dtype of ``input`` and, as far as it is gapless,
    its order in memory.

    Example::

        >>> import rushlight as torch
        >>> torch.{name}(torch.tensor([1, 2])).shape
        torch.Size([2])
    """
    return publish(like, name=name)


def _given(**kwargs):
    return {k: v for k, v in kwargs.items() if v is not None and v is not False}


zeros_like = _declare_like("zeros_like", 0, "zeros")
ones_like = _declare_like("ones_like", 1, "ones")
empty_like = _declare_like("empty_like", None, "uninitialised values")


@publish
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False,
              requires_grad=False, memory_format=None):
    """A tensor of one value with the shape and dtype of ``input``.

    Example::

        >>> import rushlight as torch
        >>> torch.full_like(torch.ones(2), 5)
        tensor([5., 5.])
    """
    if not modes.plain:
        taken, result = overriding(full_like, (input,), (input, fill_value), _given(
            dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, requires_grad=requires_grad,
            memory_format=memory_format))
        if taken:
            return result
    value = _fill_number(fill_value, "full_like")
    made = _like("full_like", input, dtype, layout, device, pin_memory, memory_format)
    fill_array(made, value)
    return finish(made, requires_grad, "full_like")


def _new_dtype(self, dtype, name):
    return self._a.dtype if dtype is None else numpy_dtype(dtype, name)


def _declare_new(name, fill, what):
    def new(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False,
            **named):
        keyword = _size_keyword(name, named)
        if not size and keyword is None:
            raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
        if not modes.plain:
            kwargs = _given(dtype=dtype, device=device, requires_grad=requires_grad, layout=layout,
                            pin_memory=pin_memory, size=keyword)
            taken, result = overriding(new, (self,), (self, *size), kwargs)
            if taken:
                return result
        shape = sizes(size if keyword is None else (keyword,), name)
        check_place(layout, device, pin_memory)
        check_sizes(shape, name)
        return finish(fill(shape, _new_dtype(self, dtype, name)), requires_grad, name)
    new.__doc__ = f"A tensor of {what} of shape ``size``; this tensor's dtype unless ``dtype`` says other."
    return publish(new, name=name, method=True, as_function=False)


new_zeros = _declare_new("new_zeros", np.zeros, "zeros")
new_ones = _declare_new("new_ones", _ones, "ones")
new_empty = _declare_new("new_empty", np.empty, "uninitialised values")


@publish(method=True, as_function=False)
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None,
             pin_memory=False):
    """A tensor of one value, with this tensor's dtype unless ``dtype`` says other."""
    if not modes.plain:
        taken, result = overriding(new_full, (self,), (self, size, fill_value), _given(
            dtype=dtype, device=device, requires_grad=requires_grad, layout=layout, pin_memory=pin_memory))
        if taken:
            return result
    shape = sizes((size,), "new_full")
    check_place(layout, device, pin_memory)
    check_sizes(shape, "new_full")
    value = _fill_number(fill_value, "new_full")
    return finish(filled(shape, value, _new_dtype(self, dtype, "new_full")), requires_grad, "new_full")


@publish(method=True, as_function=False)
def new_empty_strided(self, size, stride, dtype=None, layout=None, device=None, pin_memory=False,
                      requires_grad=False):
    """An uninitialised tensor of the given size and strides, with this tensor's dtype unless ``dtype`` says
    other.
    """
    shape, steps = sizes((size,), "new_empty_strided"), sizes((stride,), "new_empty_strided", "stride")
    check_place(layout, device, pin_memory)
    return finish(_strided_memory(shape, steps, _new_dtype(self, dtype, "new_empty_strided")), requires_grad, "new_empty_strided")


# ---------------------------------------------------------------- ranges

def _bound(value, name, argument):
    """An end of a range: a Python number."""
    if isinstance(value, Tensor):
        if value._a.size != 1:
            raise RuntimeError(f"a Tensor with {value._a.size} elements cannot be converted to Scalar\nPass "
                               "one number.")
        return value._a.item() if value.dtype is not dtypes.bfloat16 else float(value._a)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (int, float, complex)):
        return value
    raise TypeError(f"{name}(): argument '{argument}' must be Number, not {type(value).__name__}\nPass a "
                    "number.")


@publish
def arange(*args, start=0, end=None, step=1, out=None, dtype=None, layout=None, device=None, pin_memory=False,
           requires_grad=False):
    """Numbers from ``start`` (0) up to but not including ``end``, ``step`` (1) apart; int64 if all three are
    integers.

    RuntimeError if ``step`` is 0 or leads away from ``end``, or an end is not finite.

    Example::

        >>> import rushlight as torch
        >>> torch.arange(1, 2.5, 0.5)
        tensor([1.0000, 1.5000, 2.0000])
    """
    if len(args) == 1:
        n = args[0]
        if n.__class__ is int and n >= 0 and end is None and dtype is None and out is None and modes.plain \
                and start.__class__ is int and start == 0 and step == 1 \
                and not (requires_grad or layout or device or pin_memory):
            return wrap(np.arange(n))
        if end is None:
            end = args[0]
        else:
            start = args[0]
    elif len(args) == 2:
        start, end = args
    elif len(args) == 3:
        start, end, step = args
    if end is None or len(args) > 3:
        raise TypeError("arange() received an invalid combination of arguments - got ("
                        + ", ".join(type(a).__name__ for a in args) + "), but expected one of:\n"
                        " * (Number end, *, Tensor out = None, torch.dtype dtype = None, ...)\n"
                        " * (Number start, Number end, Number step = 1, *, Tensor out = None, torch.dtype "
                        "dtype = None, ...)")
    start, end, step = (_bound(v, "arange", n) for v, n in ((start, "start"), (end, "end"), (step, "step")))
    check_place(layout, device, pin_memory)
    if out is not None:
        numpy = out._a.dtype
    elif dtype is not None:
        numpy = numpy_dtype(dtype, "arange")
    else:
        numpy = _int64 if all(isinstance(v, int) for v in (start, end, step)) else _default_numpy()
    d = dtypes.BY_NUMPY[numpy]
    if d is dtypes.bool_ or d.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{d.scalar_name}'\nPass another "
                                  "dtype.")
    array = arange_array(start, end, step, numpy)
    return refill_out(out, array, "arange") if out is not None else finish(array, requires_grad, "arange")


def _wanted_dtype(out, dtype, name):
    """The NumPy dtype that ``out`` has, or ``dtype`` says, or else the default."""
    if out is not None:
        return out._a.dtype
    return _default_numpy() if dtype is None else numpy_dtype(dtype, name)


def _check_range(start, end, step):
    if step == 0:
        raise RuntimeError("step must be nonzero\nIt says how far apart the numbers are.")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}\nBoth ends must be finite.")
    if (step > 0 and end < start) or (step < 0 and end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign\n"
                           f"From {start} to {end} a step of {step} leads away.")


def arange_array(start, end, step, numpy):
    """The array of ``arange``: start + i * step, computed in float64 (float32 for float32) as PyTorch does.
    """
    _check_range(start, end, step)
    if numpy.kind in "iu":
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ValueError("step must be nonzero\nAs a whole number it is 0.")
        return np.arange(start, end, step, dtype=_int64).astype(numpy, copy=False)
    size = math.ceil((end - start) / step)
    wide = np.dtype(np.float64)
    index = np.arange(size, dtype=wide)
    index *= step
    index += start
    token = hush()
    try:
        return index.astype(numpy, copy=False)
    finally:
        unhush(token)


@publish(name="range")
def range_(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
           requires_grad=False):
    """Like ``arange`` but ``end`` belongs to it, and floating by default: deprecated in PyTorch.

    Example::

        >>> import rushlight as torch, warnings
        >>> warnings.simplefilter("ignore")
        >>> torch.range(1, 2, 0.5)
        tensor([1.0000, 1.5000, 2.0000])
    """
    warnings.warn("torch.range is deprecated and will be removed in a future release because its behavior is "
                  "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in "
                  "[start, end).", stacklevel=3)
    if end is None:
        start, end = 0, start
    start, end, step = (_bound(v, "range", n) for v, n in ((start, "start"), (end, "end"), (step, "step")))
    check_place(layout, device, pin_memory)
    numpy = _wanted_dtype(out, dtype, "range")
    d = dtypes.BY_NUMPY[numpy]
    if d is dtypes.bool_ or d.is_complex or d.low_precision and d is dtypes.float16:
        raise NotImplementedError(f"\"range_cpu\" not implemented for '{d.scalar_name}'\nPass another dtype.")
    _check_range(start, end, step)
    size = int((end - start) / step + 1)
    token = hush()
    try:
        array = (np.arange(size, dtype=np.float64) * step + start).astype(numpy, copy=False)
    finally:
        unhush(token)
    return refill_out(out, array, "range") if out is not None else finish(array, requires_grad, "range")


def _spaced(name, start, end, steps, out, dtype):
    """Checks that linspace and logspace share: the ends as numbers, the NumPy dtype."""
    for value, argument in ((start, "start"), (end, "end")):
        if isinstance(value, Tensor) and value._a.ndim:
            raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got "
                               f"{argument} with "
                               f"{value._a.ndim} dimension(s).\nPass numbers.")
    if steps is None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "steps"')
    if isinstance(steps, bool) or not hasattr(steps, "__index__"):
        raise TypeError(f"{name}(): argument 'steps' (position 3) must be int, not "
                        f"{type(steps).__name__}\nPass a whole number.")
    start, end = _bound(start, name, "start"), _bound(end, name, "end")
    steps = int(steps)
    if steps < 0:
        raise RuntimeError(f"number of steps must be non-negative\nIt is {steps}.")
    complex_ends = isinstance(start, complex) or isinstance(end, complex)
    if out is not None:
        numpy = out._a.dtype
    elif dtype is not None:
        numpy = numpy_dtype(dtype, name)
    else:
        numpy = (dtypes.default_complex() if complex_ends else dtypes.get_default_dtype()).numpy
    if complex_ends and dtypes.BY_NUMPY[numpy].category != dtypes.COMPLEX:
        raise RuntimeError(f"torch.{name}(): inferred dtype {dtypes.default_complex()} can't be safely cast "
                           "to passed dtype "
                           f"{dtypes.BY_NUMPY[numpy]}\nThe ends are complex.")
    return start, end, steps, numpy


def linspace_array(start, end, steps, numpy):
    """``steps`` values from start to end, both included; the second half counts back from the end, as in
    PyTorch.
    """
    if steps == 0:
        return np.empty(0, numpy)
    if steps == 1:
        return filled((1,), start, numpy)
    d = dtypes.BY_NUMPY[numpy]
    wide = np.dtype(np.float64) if d.category <= dtypes.FLOATING else np.dtype(np.complex128)
    if d in (dtypes.float32, dtypes.complex64):
        wide = numpy
    elif d.low_precision:
        wide = np.dtype(np.float32)
    if numpy.kind in "iu":
        start, end = int(start), int(end)
        wide = np.dtype(np.float32) if d is not dtypes.int64 else np.dtype(np.float64)
        wide = np.dtype(np.float64)
    start, end = wide.type(start), wide.type(end)
    step = (end - start) / wide.type(steps - 1)
    half = steps // 2
    made = np.arange(steps, dtype=wide)
    made[half:] = made[steps - half - 1::-1].copy()
    made *= step
    made[:half] += start
    np.subtract(end, made[half:], out=made[half:])
    return memory.convert(made, numpy) if numpy != wide else made


@publish
def linspace(start, end, steps=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False):
    """``steps`` values evenly spaced from ``start`` to ``end``, both included.

    Example::

        >>> import rushlight as torch
        >>> torch.linspace(0, 1, 3)
        tensor([0.0000, 0.5000, 1.0000])
    """
    check_place(layout, device, pin_memory)
    start, end, steps, numpy = _spaced("linspace", start, end, steps, out, dtype)
    token = hush()
    try:
        array = linspace_array(start, end, steps, numpy)
    finally:
        unhush(token)
    return refill_out(out, array, "linspace") if out is not None else finish(array, requires_grad, "linspace")


@publish
def logspace(start, end, steps=None, base=10.0, *, out=None, dtype=None, layout=None, device=None,
             pin_memory=False, requires_grad=False):
    """``steps`` values from ``base ** start`` to ``base ** end``, evenly spaced on a logarithmic scale.

    Example::

        >>> import rushlight as torch
        >>> torch.logspace(0, 2, 3)
        tensor([  1.,  10., 100.])
    """
    check_place(layout, device, pin_memory)
    start, end, steps, numpy = _spaced("logspace", start, end, steps, out, dtype)
    d = dtypes.BY_NUMPY[numpy]
    wide = numpy if d.category == dtypes.COMPLEX else np.dtype(np.float64)
    token = hush()
    try:
        if numpy.kind in "iu":
            powers = linspace_array(float(start), float(end), steps, wide)
        else:
            powers = linspace_array(start, end, steps, wide)
        array = memory.convert(np.power(wide.type(base), powers), numpy)
    finally:
        unhush(token)
    return refill_out(out, array, "logspace") if out is not None else finish(array, requires_grad, "logspace")


@publish
def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A matrix of ``n`` rows and ``m`` (``n``) columns with ones on the diagonal and zeros elsewhere.

    Example::

        >>> import rushlight as torch
        >>> torch.eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """
    check_place(layout, device, pin_memory)
    for value, name in ((n, "n"), (m, "m")):
        if value is not None and (isinstance(value, bool) or not hasattr(value, "__index__")):
            raise TypeError(f"eye(): argument '{name}' (position {1 if name == 'n' else 2}) must be int, not "
                            f"{type(value).__name__}\nPass a whole number.")
        if value is not None and value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}\nIt counts rows or "
                               "columns.")
    numpy = _wanted_dtype(out, dtype, "eye")
    array = np.zeros((int(n), int(n if m is None else m)), numpy)
    columns = array.shape[1]
    array.reshape(-1)[:columns * columns:columns + 1] = 1
    return refill_out(out, array, "eye") if out is not None else finish(array, requires_grad, "eye")
