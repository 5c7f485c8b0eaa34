"""Copies and writes: clone, detach, contiguous, copy_, fill_, zero_, dtype casts inside the graph."""
import warnings

import numpy as np

from ..autograd import modes, views
from ..dtypes import BY_NUMPY, COMPLEX
from ..kernels import memory
from ..kernels.quiet import hush, unhush
from ..layout import channels_last, channels_last_3d, contiguous_format, format_order
from ..tensor import Tensor, user_place, wrap, wrap_like
from . import call
from ._factory import is_preserve, ordered_empty, overriding, publish
from .declare import Array, op
from .scalars import fill_array

_new = object.__new__


def zeros_for(g):
    """Zeros in place of a gradient, array or Tensor."""
    return wrap(np.zeros_like(g._a)) if isinstance(g, Tensor) else np.zeros_like(g)


# ---------------------------------------------------------------- clone, detach, contiguous

@op(method=True, out=False)
def clone(input: Array, *, memory_format=None):
    """A copy with memory of its own, through which gradients flow.

    The order of dimensions in memory is kept unless ``memory_format`` asks for another.

    Example::

        >>> import rushlight as torch
        >>> x = torch.ones(2)
        >>> y = x.clone()
        >>> y.zero_()
        tensor([0., 0.])
        >>> x
        tensor([1., 1.])
    """
    if memory_format is None or is_preserve(memory_format):
        return input.copy() if input.flags.c_contiguous else memory.copy_dense(input)
    made = ordered_empty(input.shape, input.dtype, memory_format)
    np.copyto(made, input)
    return made


clone.derivative(input=lambda g: g)


@publish(method=True)
def detach(self):
    """The same memory, cut from the graph: no gradient flows through it.

    Writes to one are seen by the other and counted in the version that both share.

    Example::

        >>> import rushlight as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> (x * 2).detach().requires_grad
        False
    """
    if not modes.plain:
        taken, result = overriding(detach, (self,), (self,))
        if taken:
            return result
    t = _new(Tensor)
    t._a = self._a
    t._rg = False
    t._edge = None
    t._base = None
    t._grad = t._extra = None
    cell = self._ver
    if cell is None:
        cell = self._ver = [0]
    t._ver = cell
    if self._extra is not None and self._extra.inference:
        t._rare().inference = True
    if not modes.plain and modes.state.observer is not None:
        modes.state.observer.cut(self, t, "detach")
    return t


@publish(method=True)
def detach_(self):
    """Cut this tensor itself from the graph. RuntimeError for a view: use ``detach``.

    Example::

        >>> import rushlight as torch
        >>> (torch.ones(2, requires_grad=True) * 2).detach_().is_leaf
        True
    """
    if not modes.plain:
        taken, result = overriding(detach_, (self,), (self,))
        if taken:
            return result
    if self._base is not None:
        raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                           "DistributedDataParallel (DDP) "
                           "for training, and gradient_as_bucket_view is set as True, gradients are views of "
                           "DDP buckets, "
                           "and hence detach_() cannot be called on these gradients. To fix this error, "
                           "please refer to the "
                           "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.")
    self._edge = None
    self._rg = False
    return self


def has_order(array, memory_format):
    """Whether the elements lie as a memory format asks."""
    order = format_order(memory_format, array.ndim)
    return array.flags.c_contiguous if order is None else array.transpose(order).flags.c_contiguous


@publish(method=True, as_function=False)
def contiguous(self, memory_format=contiguous_format):
    """This tensor if its elements lie one after the other in the order asked for, else a copy that does.

    Example::

        >>> import rushlight as torch
        >>> torch.ones(2, 3).t().contiguous().stride()
        (2, 1)
    """
    if not modes.plain:
        kwargs = {} if memory_format is contiguous_format else {"memory_format": memory_format}
        taken, result = overriding(contiguous, (self,), (self,), kwargs)
        if taken:
            return result
    if memory_format is contiguous_format:
        if self._a.flags.c_contiguous:
            return self
    elif has_order(self._a, memory_format):
        return self
    return clone.public(self, memory_format=memory_format)


@publish(method=True, as_function=False)
def is_contiguous(self, memory_format=contiguous_format):
    """Whether the elements lie one after the other, last dimension innermost (or as ``memory_format`` says).
    """
    if memory_format is contiguous_format:
        return self._a.flags.c_contiguous
    if memory_format is channels_last and self._a.ndim != 4 \
            or memory_format is channels_last_3d and self._a.ndim != 5:
        return False
    return has_order(self._a, memory_format)


# ---------------------------------------------------------------- dtype casts

@op(function=False, out=False, grad_name="ToCopyBackward0")
def _to_copy(input: Array, dtype):
    return memory.convert(np.asarray(input), dtype)


_to_copy.derivative(input=lambda g: g)


@op(function=False, out=False, differentiable=False)
def _to_whole(input: Array, dtype):
    return memory.convert(np.asarray(input), dtype)


def cast_to(self, numpy):
    """A copy of a Tensor in another NumPy dtype; gradients flow back if that is floating or complex."""
    if numpy.kind in "fc" or BY_NUMPY[numpy].is_floating_point:
        return _to_copy.public(self, numpy)
    return _to_whole.public(self, numpy)


def _to_numpy_dtype(self, numpy):
    """This tensor in a NumPy dtype: itself if it has it already."""
    return self if self._a.dtype == numpy else cast_to(self, numpy)


Tensor._to_numpy_dtype = _to_numpy_dtype


# ---------------------------------------------------------------- writing

@op(function=False, grad_name="torch::autograd::CopyBackwards")
def _copy(input: Array, src: Array):
    if src.shape != input.shape:
        src = np.broadcast_to(src, call.broadcast_shapes(input.shape, src.shape))
    return src if src.dtype == input.dtype else memory.convert(src, input.dtype)


_copy.derivative(input=zeros_for, src=lambda g: g)


@publish(method=True, as_function=False)
def copy_(self, src, non_blocking=False):
    """Write the values of ``src``, broadcast and cast, into this tensor; returns it. Gradients flow to
    ``src``.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(2, 2).copy_(torch.tensor([1, 2]))
        tensor([[1., 2.],
                [1., 2.]])
    """
    if not isinstance(src, Tensor):
        if not isinstance(src, call.NUMBER):
            raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}"
                            "\nWrap it with torch.as_tensor.")
        src = wrap(np.asarray(src, self._a.dtype))
    if modes.plain and not (self._rg and needs_history(self) or src._rg and needs_history(src)):
        if self is src:
            return self
        a, b = self._a, src._a
        if a.shape == b.shape and 0 not in a.strides and not call.overlaps(a, b):
            if a.dtype is b.dtype:
                np.copyto(a, b)
            else:
                _write_cast(a, b)
            note_write(self, "copy_")
            return self
    elif not modes.plain:
        taken, result = overriding(copy_, (self, src), (self, src))
        if taken:
            return result
    if self is src:
        return self
    shape, given = self._a.shape, src._a.shape
    if given != shape:
        common = call.broadcast_shapes(shape, given)
        if common != shape:
            raise RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape "
                               f"{list(common)}"
                               "\ncopy_ cannot grow its tensor.")
    call.check_partial_overlap(self._a, (src,))
    if src.dtype.category == COMPLEX and self.dtype.category != COMPLEX:
        src = _real_part(src)
    return call.invoke_inplace(_copy, (self, src), "copy_")


def _real_part(src):
    """A complex source for a real target: PyTorch warns and takes the real part."""
    warn_discards()
    return cast_to(src, np.dtype(np.float64 if src.dtype.itemsize == 16 else np.float32))


def warn_discards():
    warnings.warn("Casting complex values to real discards the imaginary part\nTake .real to say that it is "
                  "meant.",
                  UserWarning, stacklevel=4)


def _write_cast(a, b):
    """Copy between dtypes as C casts do."""
    token = hush()
    try:
        if b.dtype.kind == "c" and a.dtype.kind != "c":
            warn_discards()
            b = b.real
        np.copyto(a, b, casting="unsafe")
    finally:
        unhush(token)


def _filled(input, value):
    made = np.empty(input.shape, input.dtype)
    fill_array(made, value)
    return made


def _filled_by_tensor(input, value):
    if value.dtype != input.dtype:
        value = memory.convert(value, input.dtype)
    return np.broadcast_to(value, input.shape)


@op(function=False, out=False, grad_name="FillBackward0")
def _fill(input: Array, value):
    return _filled(input, value)


@op(function=False, out=False, grad_name="FillBackward2")
def _fill_here(input: Array, value):
    return _filled(input, value)


_fill.derivative(input=zeros_for)
_fill_here.derivative(input=zeros_for)


@op(function=False, out=False, grad_name="FillBackward1")
def _fill_tensor(input: Array, value: Array):
    return _filled_by_tensor(input, value).copy()


@op(function=False, out=False, grad_name="FillBackward3")
def _fill_tensor_here(input: Array, value: Array):
    return _filled_by_tensor(input, value)


_fill_tensor.derivative(input=zeros_for, value=lambda g: g.sum())
_fill_tensor_here.derivative(input=zeros_for, value=lambda g: g.sum())


def fill_value(value):
    """Check a fill value: a number, or a 0-d Tensor."""
    if isinstance(value, Tensor):
        if value._a.ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{value._a.ndim} dimensions."
                               "\nUse copy_.")
    elif not isinstance(value, call.NUMBER):
        raise TypeError("fill_() received an invalid combination of arguments - got "
                        f"({type(value).__name__}), but expected one "
                        "of:\n * (Tensor value)\n      didn't match because some of the arguments have "
                        "invalid types: "
                        f"(!{type(value).__name__}!)\n * (Number value)\n      didn't match because some of "
                        "the arguments "
                        f"have invalid types: (!{type(value).__name__}!)\n")
    return value


@publish(method=True)
def fill(input, value):
    """A tensor like ``input`` filled with ``value`` (a number or a 0-d tensor).

    Example::

        >>> import rushlight as torch
        >>> torch.fill(torch.zeros(2), 3)
        tensor([3., 3.])
    """
    fill_value(value)
    if not modes.plain:
        taken, result = overriding(fill, (input, value), (input, value))
        if taken:
            return result
    return (_fill_tensor if isinstance(value, Tensor) else _fill).public(input, value)


@publish(method=True)
def fill_(self, value):
    """Write ``value`` (a number or a 0-d tensor) into every element; returns this tensor.

    RuntimeError if the dtype cannot hold the value.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(2).fill_(3)
        tensor([3., 3.])
    """
    fill_value(value)
    if not modes.plain:
        taken, result = overriding(fill_, (self, value), (self, value))
        if taken:
            return result
    if isinstance(value, Tensor):
        return call.invoke_inplace(_fill_tensor_here, (self, value), "fill_")
    return write_constant(self, value, _fill_here, "fill_")


def write_constant(self, value, operator, name):
    """Fill with a number, recorded where gradients are."""
    if needs_history(self) or self.is_inference():
        values = (self, value) if operator is _fill_here else (self,)
        return call.invoke_inplace(operator, values, name)
    fill_array(self._a, value)
    note_write(self, name)
    return self


def needs_history(self):
    """Whether a write to this tensor is recorded, or forbidden: gradients are on and it leads to something
    that requires them.
    """
    if not (self._rg and modes.state.grad):
        return False
    base = self._base
    return base is not None and bool(base._rg) or views.edge_of(self) is not None


def note_write(self, name):
    """Count a write. Its place is looked up only if somebody may have saved the tensor, which then has a
    counter.
    """
    if self._ver is None:
        self._ver = [1, (name, None)]
    else:
        self._bump((name, user_place()))


@op(function=False)
def _zero(input: Array):
    return np.zeros(input.shape, input.dtype)


_zero.grad_name = "ZeroBackward0"
_zero.derivative(input=zeros_for)


@publish(method=True)
def zero_(self):
    """Set every element to zero; returns this tensor.

    Example::

        >>> import rushlight as torch
        >>> torch.ones(2).zero_()
        tensor([0., 0.])
    """
    if not modes.plain:
        taken, result = overriding(zero_, (self,), (self,))
        if taken:
            return result
    if modes.plain and not (self._rg and needs_history(self)):
        self._a.fill(0)
        note_write(self, "zero_")
        return self
    return write_constant(self, 0, _zero, "zero_")


def new_view(self, array):
    """A view of ``self`` without an op: for methods that only look at memory."""
    t = wrap_like(Tensor, array)
    views.attach_view(t, self)
    return t
