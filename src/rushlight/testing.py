"""``assert_close`` and ``make_tensor``: what tests of tensor programs use."""
import collections.abc
import math

import numpy as np

from . import dtypes
from .compat import absent
from .device import check
from .random import default_generator
from .tensor import Tensor, wrap

__all__ = ["assert_close", "make_tensor"]

# (rtol, atol) by dtype: PyTorch's defaults. Integers and bools must be equal.
_TOLERANCES = {dtypes.float16: (1e-3, 1e-5), dtypes.bfloat16: (1.6e-2, 1e-5), dtypes.float32: (1.3e-6, 1e-5), dtypes.float64: (1e-7, 1e-7),
               dtypes.complex64: (1.3e-6, 1e-5), dtypes.complex128: (1e-7, 1e-7)}


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True, check_dtype=True,
                 check_layout=True, check_stride=False, msg=None):
    """Raise AssertionError unless ``|actual - expected| <= atol + rtol * |expected|`` everywhere.

    Numbers, tensors, and sequences and mappings of them are compared; dtypes too unless ``check_dtype`` is False. ``rtol`` and ``atol`` are
    given together; their defaults depend on the dtype. ``msg``: the error's text, or a function of the text that would be.

    Example::

        >>> import rushlight as torch
        >>> torch.testing.assert_close(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
        >>> torch.testing.assert_close(torch.tensor([1, 2]), torch.tensor([1, 3]))
        Traceback (most recent call last):
        ...
        AssertionError: Tensor-likes are not equal!
        <BLANKLINE>
        Mismatched elements: 1 / 2 (50.0%)
        Greatest absolute difference: 1 at index (1,)
        Greatest relative difference: 0.3333333432674408 at index (1,)
    """
    if (rtol is None) != (atol is None):
        raise ValueError("Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                         f"{'rtol' if rtol is None else 'atol'}.\nGive both.")
    text = _difference(actual, expected, "", rtol, atol, equal_nan, check_dtype, check_stride, allow_subclasses)
    if text:
        raise AssertionError(msg(text) if callable(msg) else msg or text)


def _difference(actual, expected, where, *options):
    """What differs, in PyTorch's words; "" if nothing does."""
    if isinstance(actual, collections.abc.Mapping) and isinstance(expected, collections.abc.Mapping):
        if set(actual) != set(expected):
            return (f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {sorted(set(expected) - set(actual))}\n"
                    f"Additional keys in the actual mapping: {sorted(set(actual) - set(expected))}")
        pairs = [(k, actual[k], expected[k]) for k in actual]
    elif _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            return f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
        pairs = [(i, a, e) for i, (a, e) in enumerate(zip(actual, expected))]
    else:
        return _compared(actual, expected, where, *options)
    for key, a, e in pairs:
        text = _difference(a, e, f"{where}[{key!r}]", *options)
        if text:
            return text
    return ""


def _is_sequence(x):
    return isinstance(x, collections.abc.Sequence) and not isinstance(x, str)


def _compared(actual, expected, where, rtol, atol, equal_nan, check_dtype, check_stride, allow_subclasses):
    item = f"\n\nThe failure occurred for item {where}" if where else ""
    if actual is None or expected is None:
        return "" if actual is expected else f"None mismatch: {actual} is not {expected}" + item
    if isinstance(actual, bool) and isinstance(expected, bool):
        return "" if actual is expected else f"Booleans mismatch: {actual} is not {expected}" + item
    scalars = not isinstance(actual, (Tensor, np.ndarray)) and not isinstance(expected, (Tensor, np.ndarray))
    if not scalars and type(actual) is not type(expected) and not (allow_subclasses and isinstance(actual, Tensor)
                                                                  and isinstance(expected, Tensor)):
        raise TypeError(f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.")
    if any(np.asarray(x).dtype.kind in "OUS" for x in (actual, expected) if not isinstance(x, Tensor)):
        raise TypeError(f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.")
    a, e = _tensor(actual), _tensor(expected)
    if a._a.shape != e._a.shape:
        return f"The values for attribute 'shape' do not match: {a.shape} != {e.shape}." + item
    if check_dtype and a.dtype is not e.dtype and not scalars:
        return f"The values for attribute 'dtype' do not match: {a.dtype} != {e.dtype}." + item
    if check_stride and a.stride() != e.stride():
        return f"The values for attribute 'stride()' do not match: {a.stride()} != {e.stride()}." + item
    if rtol is None:
        choices = [_TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (a, e)]
        rtol, atol = max(r for r, _ in choices), max(t for _, t in choices)
    return _values(a, e, rtol, atol, equal_nan, scalars, item)


def _tensor(x):
    if isinstance(x, Tensor):
        return x
    return wrap(np.asarray(x))


def _values(a, e, rtol, atol, equal_nan, scalars, item):
    exact = rtol == 0 and atol == 0
    kind = np.complex128 if "c" in (a._a.dtype.kind, e._a.dtype.kind) else np.float64 if not exact or a.dtype.is_floating_point else None
    x, y = (t._a.astype(kind) if kind else t._a for t in (a, e))
    with np.errstate(all="ignore"):
        close = (x == y) | (np.abs(x - y) <= atol + rtol * np.abs(y)) if kind else x == y
        if equal_nan and kind:
            close |= np.isnan(x) & np.isnan(y)
        if np.all(close):
            return ""
        gap = np.abs(x.astype(np.complex128 if kind is np.complex128 else np.float64) - y)
        relative = gap / np.abs(y)
    gap, relative = np.where(close, 0, gap), np.where(close, 0, relative)
    allowed = "" if exact else f" (up to {atol} allowed)", "" if exact else f" (up to {rtol} allowed)"
    word = "equal" if exact else "close"
    if scalars or x.ndim == 0 and y.ndim == 0:
        whole = a.dtype.category < dtypes.FLOATING and e.dtype.category < dtypes.FLOATING
        gap = int(gap) if whole else gap
        return (f"Scalars are not {word}!\n\nExpected {e._a.item()} but got {a._a.item()}.\n"
                f"Absolute difference: {np.max(gap)}{allowed[0]}\nRelative difference: {np.max(relative)}{allowed[1]}" + item)
    wrong = int(np.size(close) - np.count_nonzero(close))

    def greatest(values, allowed):
        flat = np.where(np.isnan(values), np.inf, values).reshape(-1)
        at = int(flat.argmax())
        index = tuple(int(i) for i in np.unravel_index(at, values.shape)) if values.ndim else ()
        value = np.asarray(values).reshape(-1)[at]
        value = int(value) if a.dtype.category < dtypes.FLOATING and values is gap and math.isfinite(value) else float(value)
        if values is relative and a.dtype not in (dtypes.float64, dtypes.complex128):
            value = float(np.float32(value))         # PyTorch divides in the tensors' own precision
        return f"{value} at index {index}{allowed}"
    return (f"Tensor-likes are not {word}!\n\n"
            f"Mismatched elements: {wrong} / {np.size(close)} ({100 * wrong / np.size(close):.1f}%)\n"
            f"Greatest absolute difference: {greatest(gap, allowed[0])}\n"
            f"Greatest relative difference: {greatest(relative, allowed[1])}" + item)


def make_tensor(*shape, dtype, device="cpu", low=None, high=None, requires_grad=False, noncontiguous=False, exclude_zero=False,
                memory_format=None):
    """A tensor of random numbers between ``low`` and ``high`` (by default -9 to 9, 0 to 9 for unsigned), for tests.

    The numbers come from NumPy's generator seeded by the default generator, so ``manual_seed`` repeats them; they are not PyTorch's.
    """
    check(device)
    if len(shape) == 1 and isinstance(shape[0], collections.abc.Sequence):
        shape = tuple(shape[0])
    rng = np.random.default_rng(int(default_generator._engine.random64(1)[0]))
    numpy = dtype.numpy
    if dtype is dtypes.bool_:
        array = rng.integers(0, 2, shape).astype(numpy)
    elif dtype.category == dtypes.INTEGRAL:
        info = np.iinfo(numpy)
        lowest, highest = max(0 if info.min == 0 else -9, info.min) if low is None else low, 10 if high is None else high
        array = rng.integers(int(lowest), int(highest), shape).astype(numpy)
    else:
        lowest, highest = -9 if low is None else low, 9 if high is None else high
        array = rng.uniform(lowest, highest, shape)
        if dtype.is_complex:
            array = array + 1j * rng.uniform(lowest, highest, shape)
        array = np.asarray(array).astype(numpy)
    if exclude_zero:
        array = np.where(array == 0, np.ones((), numpy), array)
    if noncontiguous and array.size > 1:
        array = np.repeat(array, 2, -1)[..., ::2]
    made = wrap(np.asarray(array))
    return made.requires_grad_() if requires_grad else made


def __getattr__(name):
    raise absent.missing(__name__, name)
