"""Reductions: sums, means, products, extremes, logic, counting."""
import builtins

import numpy as np

from .. import dtypes
from ..dtypes import BY_NUMPY
from ..kernels import reduce as kernels
from ..kernels.quiet import hush, unhush
from ..kernels.reduce import add, axes_of, extreme, lost_count
from ..tensor import Tensor
from . import table
from ._reduced import divided, keep, like, plain, spread, total
from .declare import Array, both, composite, op
from .overload import ABSENT, overloads, quick_pair, whole_first, wrong_arguments

_f32, _f64 = np.dtype(np.float32), np.dtype(np.float64)


def _numpy(dtype):
    return None if dtype is None else dtype.numpy


def check_keepdim(name, keepdim):
    if keepdim.__class__ is not bool:
        raise TypeError(f"{name}(): argument 'keepdim' must be bool, not {type(keepdim).__name__}\nSeveral "
                        "dimensions go in a "
                        "tuple: dim=(0, 1).")


def check_dim(name, dim):
    """TypeError for what is no dimension."""
    for d in dim if isinstance(dim, (tuple, list)) else (dim,):
        if d is not None and not hasattr(d, "__index__"):
            raise wrong_arguments(name, (dim,), "dim is an int, or several in a tuple.")


# ---------------------------------------------------------------- sum

@op(name="sum", function=False, out=False, grad_name="SumBackward0")
def sum_all(input: Array, *, dtype=None):
    """The sum of all elements."""
    return kernels.add_all(input) if dtype is None else add(input, None, False, dtype.numpy)


sum_all.derivative(input=lambda g, input_shape: spread(g, input_shape, None, False))
_sum_all = sum_all.public


@op(name="sum", function=False, grad_name="SumBackward1")
def sum_dim(input: Array, dim=None, keepdim=False, *, dtype=None):
    """The sum over ``dim``."""
    check_dim("sum", dim)
    check_keepdim("sum", keepdim)
    return add(input, dim, keepdim, _numpy(dtype))


sum_dim.derivative(input=lambda g, input_shape, dim, keepdim: spread(g, input_shape, dim, keepdim))
_sum_dim = sum_dim.public


def _choose_sum(input, dim=None, keepdim=False, *, dtype=None, out=None, axis=ABSENT, keepdims=ABSENT):
    """The sum of all elements, or over the dimensions in ``dim`` (an int or several; negative ones count from
    the end).

    ``keepdim`` keeps them with length 1. Integers and bools are added in int64, half types in float32;
    ``dtype`` casts the elements first. The sum of nothing is 0. IndexError for a dimension out of range.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([[1., 2.], [3., 4.]]).sum(dim=0)
        tensor([4., 6.])
    """
    if axis is not ABSENT:
        dim = axis
    if keepdims is not ABSENT:
        keepdim = keepdims
    if out is not None and dtype is None and isinstance(out, Tensor):
        dtype = out.dtype
    if dim is None and keepdim is False and out is None:
        return _sum_all(input, dtype=dtype)
    return _sum_dim(input, dim, keepdim, dtype=dtype, out=out)


_choose_sum.__name__ = "sum"
sum = overloads(sum_all, sum_dim)(whole_first(
    _choose_sum, sum_all, ["row = (ones32 if d is f32 else ones64)[a0.size]",
                           "r = add(a0, None) if row is None else (a0 if a0.ndim == 1 else "
                           "a0.ravel()).dot(row)"],
    sum_dim, ["r = add(a0, dim)"]))


@composite(method=True, function_too=False)
def sum_to_size(input, *size):
    """``input`` summed over what broadcasting from ``size`` would add or stretch; the tensor itself if
    nothing.

    Example::

        >>> import rushlight as torch
        >>> torch.ones(2, 3).sum_to_size(1, 3)
        tensor([[2., 2., 2.]])
    """
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = size[0]
    shape, size = tuple(input.shape), tuple(size)
    lead = len(shape) - len(size)
    if lead < 0 or builtins.any(n != 1 and n != m for n, m in zip(size, shape[lead:])):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}."
                           "\nEach of its dimensions must be 1 or the tensor's own.")
    if not size:
        return sum(input)
    if shape == size:
        return input
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(size) if n == 1 and shape[i + lead] != 1)
    made = _sum_dim(input, axes, True) if axes else input
    return made.view(size) if lead else made


# ---------------------------------------------------------------- mean

def _mean_dtype(given, dtype):
    if dtype is not None:
        if dtype.category < dtypes.FLOATING:
            raise RuntimeError("mean(): could not infer output dtype. Optional dtype must be either a "
                               "floating point or complex "
                               f"dtype. Got: {dtype.scalar_name}\nPass torch.float32.")
        return dtype.numpy
    known = BY_NUMPY[given]
    if known.category < dtypes.FLOATING:
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating "
                           "point or complex dtype. "
                           f"Got: {known.scalar_name}\nPass dtype=torch.float32, or convert it with .float() "
                           "first.")
    return given


def mean_of(x, dim, keepdim, dtype=None):
    """The mean over ``dim`` in x's dtype or another floating one (arrays)."""
    d = x.dtype
    if dtype is None and (d is _f32 or d is _f64):
        if dim is None and not keepdim:
            n = x.size
            return kernels.add_all(x) / d.type(n) if n else d.type(np.nan)
    else:
        d = _mean_dtype(d, dtype)
    if d.itemsize == 2:
        return np.asarray(mean_of(x.astype(_f32), dim, keepdim)).astype(d)
    return add(x, dim, keepdim, d) / d.type(lost_count(x.shape, dim))


@op(name="mean", function=False, out=False, grad_name="MeanBackward0")
def mean_all(input: Array, *, dtype=None):
    """The mean of all elements."""
    return mean_of(input, None, False, dtype)


def mean_gradient(g, shape, dim, keepdim):
    """``g`` shared out over ``shape``: memory of its own, unlike a sum's, so hooks may write to it."""
    if isinstance(g, Tensor):
        return spread(g, shape, dim, keepdim) / (lost_count(shape, dim) or 1)
    g = kernels.wide(np.asarray(g))
    made = np.empty(shape, g.dtype)
    if dim is None and not keepdim:
        made.fill(g / (made.size or 1))
    else:
        made[...] = keep(divided(g, lost_count(shape, dim)), shape, dim, keepdim)
    return made


mean_all.derivative(input=lambda g, input_shape: mean_gradient(g, input_shape, None, False))
_mean_all = mean_all.public


@op(name="mean", function=False, grad_name="MeanBackward1")
def mean_dim(input: Array, dim=None, keepdim=False, *, dtype=None):
    """The mean over ``dim``."""
    check_dim("mean", dim)
    check_keepdim("mean", keepdim)
    return mean_of(input, dim, keepdim, dtype)


mean_dim.derivative(input=lambda g, input_shape, dim, keepdim: mean_gradient(g, input_shape, dim, keepdim))
_mean_dim = mean_dim.public


def _choose_mean(input, dim=None, keepdim=False, *, dtype=None, out=None, axis=ABSENT, keepdims=ABSENT):
    """The mean of all elements, or over ``dim``; NaN of nothing.

    RuntimeError for integer and bool tensors unless ``dtype`` names a floating or complex one.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([[1., 2.], [3., 4.]]).mean(1)
        tensor([1.5000, 3.5000])
    """
    if axis is not ABSENT:
        dim = axis
    if keepdims is not ABSENT:
        keepdim = keepdims
    if dim is None and keepdim is False and out is None:
        return _mean_all(input, dtype=dtype)
    return _mean_dim(input, dim, keepdim, dtype=dtype, out=out)


_choose_mean.__name__ = "mean"
mean = overloads(mean_all, mean_dim)(whole_first(
    _choose_mean, mean_all, ["n = a0.size", "row = (ones32 if d is f32 else ones64)[n]",
                             "r = (add(a0, None) if row is None else (a0 if a0.ndim == 1 else "
                             "a0.ravel()).dot(row)) / n"],
    mean_dim, ["r = add(a0, dim) / a0.shape[dim]"]))


# ---------------------------------------------------------------- prod

def _others(x, axis):
    """For each element the product of the other ones along ``axis``, zeros or not (arrays)."""
    n = x.shape[axis]
    lead = (slice(None),) * axis
    shape = list(x.shape)
    shape[axis] = 1
    one = np.ones(shape, x.dtype)
    before = np.multiply.accumulate(np.concatenate((one, x[(*lead, slice(0, n - 1))]), axis), axis)
    turned = x[(*lead, slice(None, 0, -1))]
    after = np.multiply.accumulate(np.concatenate((one, turned), axis), axis)[(*lead, slice(None, None, -1))]
    return before * after


def prod_gradient(g, input, out, dim, keepdim):
    """The gradient of a product: g times the product of the others, twice differentiable also at zeros."""
    shape = tuple(input.shape)
    if isinstance(input, Tensor):
        if input._a.all():
            return spread(g * out.conj(), shape, dim, keepdim) / input.conj()
        if dim is None or not shape:
            return _tensor_others(input.reshape(-1), 0).reshape(shape).conj() * g
        return _tensor_others(input, dim).conj() * keep(g, shape, dim, keepdim)
    x = kernels.wide(input)
    if not x.size:
        return x.copy()
    if x.all():                      # a NaN or an infinity reaches all, as PyTorch's quotient lets it
        return spread(g, shape, dim, keepdim) * np.conj(keep(kernels.wide(out), shape, dim, keepdim) / x)
    if dim is None or not shape:
        if x.size - np.count_nonzero(x) > 1:         # also beside a NaN
            return np.zeros_like(x)
        return g * np.conj(_others(x.reshape(-1), 0)).reshape(shape)
    return keep(g, shape, dim, keepdim) * np.conj(_others(x, dim % x.ndim))


def _tensor_others(x, dim):
    """``_others`` on Tensors: products of everything before and everything after, by products alone."""
    parts = []
    n = x.shape[dim]
    for i in range(n):
        before, after = x.narrow(dim, 0, i), x.narrow(dim, i + 1, n - i - 1)
        parts.append(before.prod(dim, True) * after.prod(dim, True))
    return both.cat(parts, dim)


@op(name="prod", function=False, grad_name="ProdBackward0")
def prod_all(input: Array, *, dtype=None):
    """The product of all elements."""
    return kernels.multiply(input, None, False, _numpy(dtype))


prod_all.derivative(input=lambda g, input, out: prod_gradient(g, input, out, None, False))
_prod_all = prod_all.public


@op(name="prod", function=False, grad_name="ProdBackward1")
def prod_dim(input: Array, dim, keepdim=False, *, dtype=None):
    """The product over ``dim``."""
    check_keepdim("prod", keepdim)
    return kernels.multiply(input, dim, keepdim, _numpy(dtype))


prod_dim.derivative(input=lambda g, input, out, dim, keepdim: prod_gradient(g, input, out, dim, keepdim))
_prod_dim = prod_dim.public
PROD_FORMS = "It takes (*, dtype), or (int dim, bool keepdim=False, *, dtype)."


@overloads(prod_all, prod_dim)
def prod(input, dim=None, keepdim=ABSENT, *, dtype=None, out=None, axis=ABSENT, keepdims=ABSENT):
    """The product of all elements, or over one dimension; integers are multiplied in int64; 1 of nothing.

    The gradient is the product of the *other* elements, so it is right at zeros too.

    Example::

        >>> import rushlight as torch
        >>> x = torch.tensor([2., 0., 3.], requires_grad=True)
        >>> x.prod().backward()
        >>> x.grad
        tensor([0., 6., 0.])
    """
    if axis is not ABSENT:
        dim = axis
    if keepdims is not ABSENT:
        keepdim = keepdims
    if out is not None and dtype is None and isinstance(out, Tensor):
        dtype = out.dtype
    if dim is None and keepdim is ABSENT:
        return _prod_all(input, dtype=dtype, out=out)
    if dim is None or isinstance(dim, (tuple, list)):
        raise wrong_arguments("prod", (input, dim), PROD_FORMS)
    return _prod_dim(input, dim, False if keepdim is ABSENT else keepdim, dtype=dtype, out=out)


# ---------------------------------------------------------------- extremes

def tied(g, input, out, dim, keepdim, nans=False):
    """The gradient of an extreme, in equal parts to all elements that are equal to it.

    An extreme that is NaN equals none, and all gradients on the way to it are NaN, unless ``nans``: then the
    NaNs share it.
    """
    shape = tuple(input.shape)
    x, best = plain(input), keep(plain(out), shape, dim, keepdim)
    equal = x == best
    if nans and x.dtype.kind in "fV":
        equal |= (x != x) & (best != best)
    count = np.add.reduce(equal, axes_of(dim, x.ndim), np.int64, None, True)
    real = np.float64 if x.dtype == np.float64 else np.float32
    token = hush()                   # 0 / 0 where an extreme is NaN
    try:
        share = np.asarray(equal / count).astype(real)
    finally:
        unhush(token)
    return spread(g, shape, dim, keepdim) * like(g, share)


@op(method=True)
def amax(input: Array, dim=(), keepdim=False):
    """The greatest element over ``dim`` (an int or several; all by default); NaN is the greatest of all.

    Equal ones share the gradient evenly. An empty dimension raises IndexError.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([[1., 5.], [7., 2.]]).amax(1)
        tensor([5., 7.])
    """
    check_keepdim("amax", keepdim)
    kernels.need_nonempty("amax", input, dim)
    kernels.refuse_dtype("max_values_cpu", input)
    return extreme(np.maximum, input, dim, keepdim)


amax.derivative(input=lambda g, input, out, dim, keepdim: tied(g, input, out, dim, keepdim))


@op(method=True)
def amin(input: Array, dim=(), keepdim=False):
    """The least element over ``dim``; as ``amax``."""
    check_keepdim("amin", keepdim)
    kernels.need_nonempty("amin", input, dim)
    kernels.refuse_dtype("min_values_cpu", input)
    return extreme(np.minimum, input, dim, keepdim)


amin.derivative(input=lambda g, input, out, dim, keepdim: tied(g, input, out, dim, keepdim))


@op(name="aminmax", function=False, returns=("min", "max"))
def _aminmax(input: Array, *, dim=None, keepdim=False):
    """The least and the greatest."""
    if dim is None:
        if not input.size:
            raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation "
                               "has no identity."
                               "\nThe tensor is empty.")
    elif not input.size and input.shape[kernels.one_axis(dim, input.ndim)] == 0:
        raise IndexError(f"aminmax(): Expected reduction dim {kernels.one_axis(dim, input.ndim)} to have "
                         "non-zero size."
                         f"\nThe tensor has shape {list(input.shape)}.")
    kernels.refuse_dtype("aminmax_cpu" if dim is not None else "aminmax_allreduce_cpu", input)
    return extreme(np.minimum, input, dim, keepdim), extreme(np.maximum, input, dim, keepdim)


_aminmax.derivative(input=lambda g0, g1, input, out0, out1, dim, keepdim: total(
    None if g0 is None else tied(g0, input, out0, dim, keepdim),
    None if g1 is None else tied(g1, input, out1, dim, keepdim)))
_run_aminmax = _aminmax.public


@overloads(_aminmax)
def aminmax(input, *, dim=None, keepdim=False, out=None, axis=ABSENT, keepdims=ABSENT):
    """The least and the greatest element, of all or over one dimension, as a named tuple ``(min, max)``.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([3., 1., 2.]).aminmax().max
        tensor(3.)
    """
    dim = dim if axis is ABSENT else axis
    keepdim = keepdim if keepdims is ABSENT else keepdims
    if isinstance(out, (tuple, list)) and isinstance(input, Tensor):
        for o in out:
            check_out_dtype(o, input.dtype)
    return _run_aminmax(input, dim=dim, keepdim=keepdim, out=out)


@op(name="take_at", function=False, out=False)
def take_at(input: Array, index: Array, dim, keepdim):
    """The elements of ``input`` at ``index`` along ``dim``: what a selection selected."""
    if input.ndim == 0:
        return input.copy()
    axis = dim % input.ndim
    if keepdim:
        return kernels.take_along(input, index, axis)
    kept = np.expand_dims(index, axis)
    return kernels.take_along(input, kept, axis).reshape(index.shape)


@op(name="put_at", function=False, out=False, grad_name="ValueSelectingReductionBackward0")
def put_at(input: Array, index: Array, shape, dim, keepdim):
    """Zeros of ``shape`` with the elements of ``input`` at ``index`` along ``dim``: the gradient of a
    selection.
    """
    return kernels.put_along(input, index, shape, dim, keepdim)


take_at.derivative(input=lambda g, input_shape, index, dim, keepdim:
                   both.put_at(g, index, input_shape, dim, keepdim))
put_at.derivative(input=lambda g, index, dim, keepdim: both.take_at(g, index, dim, keepdim))


def selected(g, index, shape, dim, keepdim):
    """The gradient of a selection along ``dim``: all of it to the selected element."""
    return both.put_at(g, index, shape, dim, keepdim)


def _extremes(name, ufunc, find, kernel_name):
    """The three forms of max or min."""
    def kernel_all(input: Array):
        kernels.need_nonempty(name, input, None)
        kernels.refuse_dtype(name + "_all", input)
        return ufunc.reduce(input, None) if input.dtype.kind != "V" else extreme(ufunc, input, None, False)

    def kernel_dim(input: Array, dim, keepdim=False):
        check_keepdim(name, keepdim)
        if input.dtype.kind == "c":
            raise RuntimeError(f"{name}(): does not support complex input\nUse its abs(), or view_as_real.")
        kernels.refuse_dtype(kernel_name, input)
        kernels.need_nonempty(name, input, dim)
        return kernels.extreme_with_index(find, ufunc, input, dim, keepdim)
    kernel_all.__doc__ = f"The {name} of all elements."
    kernel_dim.__doc__ = f"The {name} along ``dim`` and where it stands."
    whole = op(name=name, function=False, grad_name=name.capitalize() + "Backward1")(kernel_all)
    whole.derivative(input=lambda g, input, out: tied(g, input, out, None, False, nans=True))
    along = op(name=name, function=False, returns=("values", "indices"),
               grad_name=name.capitalize() + "Backward0")(kernel_dim)
    along.derivative(input=lambda g0, input_shape, out1, dim, keepdim:
                     selected(g0, out1, input_shape, dim, keepdim))
    return whole, along


max_all, max_dim = _extremes("max", np.maximum, np.ndarray.argmax, "max_cpu")
_max_all, _max_dim = max_all.public, quick_pair(max_dim)
min_all, min_dim = _extremes("min", np.minimum, np.ndarray.argmin, "min_cpu")
_min_all, _min_dim = min_all.public, quick_pair(min_dim)
EXTREME_FORMS = "It takes (), (Tensor other), or (int dim, bool keepdim=False)."


def _choose_extreme(name, pair, whole, along, input, dim, keepdim, other, out):
    if dim is None and other is None:
        if keepdim is not ABSENT:
            raise wrong_arguments(name, (input,), EXTREME_FORMS)
        return whole(input, out=out)
    if other is None and isinstance(dim, Tensor):
        dim, other = None, dim
    if other is not None:
        if dim is not None or keepdim is not ABSENT:
            raise wrong_arguments(name, (input, other, dim), EXTREME_FORMS)
        return table.OPS[pair].public(input, other, out=out)
    if dim.__class__ is not int and not hasattr(dim, "__index__"):
        raise wrong_arguments(name, (input, dim), EXTREME_FORMS)
    if out is not None:
        check_index_out(out)
    return along(input, dim, False if keepdim is ABSENT else keepdim, out=out)


def check_index_out(out):
    """``out=`` of values and indices: the second must be int64."""
    if isinstance(out, (tuple, list)) and len(out) == 2:
        check_out_dtype(out[1], dtypes.int64)


_C_NAMES = {"float32": "float", "float64": "double", "int32": "int", "int64": "long int",
            "int16": "short int", "uint8": "unsigned char", "int8": "signed char", "float16": "c10::Half",
            "bfloat16": "c10::BFloat16", "complex64": "c10::complex<float>",
            "complex128": "c10::complex<double>"}


def check_out_dtype(out, wanted):
    """RuntimeError for an ``out=`` tensor of another dtype, where PyTorch does not convert."""
    if isinstance(out, Tensor) and out.dtype is not wanted:
        given = out.dtype.name
        raise RuntimeError(f"Expected out tensor to have dtype {_C_NAMES.get(wanted.name, wanted.name)}, but "
                           "got "
                           f"{_C_NAMES.get(given, given)} instead\nGive a tensor of that dtype.")


def _choose_max(input, dim=None, keepdim=ABSENT, *, other=None, out=None, axis=ABSENT, keepdims=ABSENT):
    """``max(x)``: the greatest element. ``max(x, dim)``: values and indices along it. ``max(x, y)``:
    ``maximum``.

    NaN is the greatest. Equal elements share the gradient of ``max(x)`` evenly; with ``dim`` the one in
    ``indices`` (the first) gets it all. Nothing to compare raises RuntimeError or IndexError.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([[1., 5.], [7., 2.]]).max(1).indices
        tensor([1, 0])
    """
    if dim is None and keepdim is ABSENT and axis is ABSENT and other is None:
        return _max_all(input, out=out)
    if axis is not ABSENT:
        dim = axis
    if keepdims is not ABSENT:
        keepdim = keepdims
    return _choose_extreme("max", "maximum", _max_all, _max_dim, input, dim, keepdim, other, out)


_choose_max.__name__ = "max"
max = overloads(max_all, max_dim)(whole_first(_choose_max, max_all, ["r = maximum(a0, None)"]))


def _choose_min(input, dim=None, keepdim=ABSENT, *, other=None, out=None, axis=ABSENT, keepdims=ABSENT):
    """``min(x)``: the least element. ``min(x, dim)``: values and indices along it. ``min(x, y)``:
    ``minimum``. See ``max``.
    """
    if dim is None and keepdim is ABSENT and axis is ABSENT and other is None:
        return _min_all(input, out=out)
    if axis is not ABSENT:
        dim = axis
    if keepdims is not ABSENT:
        keepdim = keepdims
    return _choose_extreme("min", "minimum", _min_all, _min_dim, input, dim, keepdim, other, out)


_choose_min.__name__ = "min"
min = overloads(min_all, min_dim)(whole_first(_choose_min, min_all, ["r = minimum(a0, None)"]))


def _index_kernel(name, find, x, dim, keepdim):
    check_keepdim(name, keepdim)
    if x.dtype.kind in "cb":
        raise RuntimeError(f"{name}(): does not support {'complex' if x.dtype.kind == 'c' else 'bool'} input"
                           "\nConvert the tensor first.")
    kernels.refuse_dtype(name + "_cpu", x)
    if not x.size:
        if dim is None:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.\nThe "
                             "tensor is empty.")
        kernels.need_nonempty(name, x, dim)
    return kernels.index_of_extreme(find, x, dim, keepdim)


@op(method=True, differentiable=False)
def argmax(input: Array, dim=None, keepdim=False):
    """The index of the greatest element (the first of equals), in the flattened tensor or along ``dim``;
    int64.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1., 7., 7.]).argmax()
        tensor(1)
    """
    return _index_kernel("argmax", np.ndarray.argmax, input, dim, keepdim)


@op(method=True, differentiable=False)
def argmin(input: Array, dim=None, keepdim=False):
    """The index of the least element (the first of equals), in the flattened tensor or along ``dim``;
    int64.
    """
    return _index_kernel("argmin", np.ndarray.argmin, input, dim, keepdim)


# ---------------------------------------------------------------- logic

@op(method=True, differentiable=False)
def all(input: Array, dim=None, keepdim=False):
    """Whether every element is non-zero, altogether or over ``dim``; bool (uint8 for uint8).

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([[1, 0], [1, 1]]).all(1)
        tensor([False,  True])
    """
    check_keepdim("all", keepdim)
    return kernels.logical(np.logical_and, input, dim, keepdim)


@op(method=True, differentiable=False)
def any(input: Array, dim=None, keepdim=False):
    """Whether some element is non-zero, altogether or over ``dim``; bool (uint8 for uint8)."""
    check_keepdim("any", keepdim)
    return kernels.logical(np.logical_or, input, dim, keepdim)
