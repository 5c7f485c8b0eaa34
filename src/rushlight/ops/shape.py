"""Views that give a tensor another shape: view, reshape, expand, permute, transpose, squeeze, unsqueeze,
flatten...

A view shares its input's memory; ``reshape`` copies only where no view can do.
"""
import numpy as np

from ..autograd import modes, views
from ..autograd.node import make
from ..autograd.saved import array_type_name
from ..dtypes import BY_NUMPY
from ..dtypes import dtype as dtype_type
from ..kernels import memory
from ..tensor import Tensor, user_place
from ._factory import by_keyword, overriding, publish, size_list
from .declare import Array, both, op
from .viewing import view_of

# ---------------------------------------------------------------- dimensions

def wrap_dim(dim, ndim, name="dim", argument="dim", position=2):
    """A dimension from 0 to ndim - 1; IndexError with PyTorch's sentence outside, TypeError for other than
    whole numbers.
    """
    if dim.__class__ is not int:
        dim = whole(dim, name, argument, position)
    if dim < 0:
        if dim + ndim >= 0:
            return dim + ndim
    elif dim < ndim:
        return dim
    if ndim == 0 and dim in (0, -1):
        return 0
    n = ndim or 1
    raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
                     f"\nThe tensor has {ndim} dimensions.")


def whole(value, name, argument, position):
    """A Python int; TypeError as PyTorch for a float and such."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be int, not "
                        f"{type(value).__name__}"
                        "\nPass a whole number.")
    return value.__index__()


def wrap_dims(dims, ndim, name="dims"):
    """Several dimensions, each once."""
    made = []
    for d in (dims,) if isinstance(dims, int) else dims:
        d = wrap_dim(d, ndim, name)
        if d in made:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims\nName each once.")
        made.append(d)
    return made


def spread(given):
    """The numbers of ``*given``: themselves, or those of the one sequence among them."""
    if len(given) == 1:
        first = given[0]
        if isinstance(first, (tuple, list)):
            return first if isinstance(first, tuple) else tuple(first)
        if isinstance(first, Tensor) and first._a.ndim == 1:
            return tuple(first._a.tolist())
    return given


# ---------------------------------------------------------------- view and reshape

def infer_size(shape, count):
    """``shape`` with its -1 worked out; RuntimeErrors as PyTorch's."""
    unknown, known = None, 1
    for i, n in enumerate(shape):
        if n == -1:
            if unknown is not None:
                raise RuntimeError(f"only one dimension can be inferred\nThe shape given is {list(shape)}.")
            unknown = i
        elif n < 0:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}\nSizes are "
                               "0 or more, or -1 once.")
        else:
            known *= n
    if unknown is None:
        if known == count:
            return tuple(shape)
    elif known and count % known == 0:
        return (*shape[:unknown], count // known, *shape[unknown + 1:])
    elif known == 0 and count == 0:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because the "
                           "unspecified dimension size -1 "
                           "can be any value and is ambiguous\nGive every size.")
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}\nThe numbers of elements "
                       "must agree.")


def view_strides(old_shape, old_strides, shape, itemsize):
    """Strides of a view of another shape with the same elements in order, or None if there is none: PyTorch's
    rule.
    """
    if 0 in old_shape:
        return old_strides if old_shape == shape else np.empty(shape, np.uint8).strides
    strides = [0] * len(shape)
    at = len(shape) - 1
    base = old_strides[-1] if old_strides else itemsize
    count = seen = 1
    for d in range(len(old_shape) - 1, -1, -1):
        count *= old_shape[d]
        if d == 0 or (old_shape[d - 1] != 1 and old_strides[d - 1] != count * base):
            while at >= 0 and (seen < count or shape[at] == 1):
                strides[at] = seen * base
                seen *= shape[at]
                at -= 1
            if seen != count:
                return None
            if d:
                base = old_strides[d - 1]
                count = seen = 1
    if at != -1:
        while at >= 0 and shape[at] == 1:
            strides[at] = itemsize
            at -= 1
        if at != -1:
            return None
    return tuple(strides)


def view_array(a, shape):
    """A view of another shape, or None if only a copy can have it."""
    if a.flags.c_contiguous:
        try:
            made = a.reshape(shape)
        except (ValueError, TypeError):
            made = None
        if made is not None and (made.shape == shape or min(shape, default=0) >= -1):
            return made
        return a.reshape(infer_size(shape, a.size))
    shape = infer_size(shape, a.size)
    strides = view_strides(a.shape, a.strides, shape, a.itemsize)
    return None if strides is None else memory.strided(a, shape, strides)


@op(name="view", function=False, view=True, out=False)
def _view(input: Array, shape):
    made = view_array(input, shape)
    if made is None:
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one "
                           "dimension spans across two "
                           "contiguous subspaces). Use .reshape(...) instead.")
    return made


_view.derivative(input=lambda g, input_shape: g.reshape(input_shape))


def view_as_shape(self, shape):
    """``view`` to a tuple."""
    if modes.plain:
        a = self._a
        return view_of(self, _view_kernel(a, shape), _view, (a.shape,))
    return _view.public(self, shape)


_view_kernel = _view.kernel


@op(function=False, out=False, grad_name="UnsafeViewBackward0")
def _unsafe_view(input: Array, shape):
    return input.reshape(shape).copy() if input.base is not None else input.reshape(shape)


_unsafe_view.derivative(input=lambda g, input_shape: g.reshape(input_shape))


@op(name="view_dtype", function=False, view=True, out=False, differentiable=False)
def _view_dtype(input: Array, dtype):
    a, size = input, dtype.itemsize
    if size == a.itemsize:
        return a.view(dtype)
    if a.ndim == 0:
        raise RuntimeError("self.dim() cannot be 0 to view "
                           f"{_name(a.dtype)} as {_name(dtype)} (different element sizes)\nGive it a "
                           "dimension first.")
    return _view_resized(a, dtype, size)


def _name(numpy):
    return BY_NUMPY[numpy].scalar_name


def _view_resized(a, dtype, size):
    old = a.itemsize
    if size < old:
        ratio = old // size
        if a.strides[-1] != old and a.shape[-1] > 1:
            raise RuntimeError(f"self.stride(-1) must be 1 to view {_name(a.dtype)} as {_name(dtype)} "
                               "(different element sizes), but "
                               f"got {a.strides[-1] // old}")
        return memory.strided(a, (*a.shape[:-1], a.shape[-1] * ratio), (*a.strides[:-1], size), 0, dtype)
    ratio = size // old
    if a.shape[-1] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} to view {_name(a.dtype)} as "
                           f"{_name(dtype)} (different element "
                           f"sizes), but got {a.shape[-1]}")
    if a.strides[-1] != old and a.shape[-1] > 1:
        raise RuntimeError(f"self.stride(-1) must be 1 to view {_name(a.dtype)} as {_name(dtype)} (different "
                           "element sizes), but got "
                           f"{a.strides[-1] // old}")
    for d, s in enumerate(a.strides[:-1]):
        if s % size and a.shape[d] > 1:
            raise RuntimeError(f"self.stride({d}) must be divisible by {ratio} to view {_name(a.dtype)} as "
                               f"{_name(dtype)} (different "
                               f"element sizes), but got {s // old}")
    return memory.strided(a, (*a.shape[:-1], a.shape[-1] // ratio), (*a.strides[:-1], size), 0, dtype)


def _declare_view(name, long_way, doc):
    """The method ``view`` or ``reshape``: of a gapless tensor they are the same, and written out here for
    speed.
    """
    def method(self, *shape, **named):
        a = self._a
        if modes.plain and a.flags.c_contiguous and not named and self._extra is None:
            try:
                made = a.reshape(*shape)
                if made.shape != shape and shape != _FLAT:
                    given = shape if shape[0].__class__ is int else shape[0]
                    if min(given, default=0) < -1:
                        made = None          # NumPy takes any negative number for -1
            except (TypeError, ValueError, OverflowError, AttributeError):
                made = None                  # the long way knows what to say
            if made is not None:
                t = _new(Tensor)
                t._a = made
                t._edge = t._grad = t._extra = None
                root = self._base
                if root is None:
                    root = self
                    t._view_meta = None if _state.grad else _NO_GRAD
                else:
                    t._view_meta = self._view_meta
                t._base = root
                cell = root._ver
                if cell is None:
                    cell = root._ver = [0]
                t._ver = cell
                t._view_version = cell[0]
                t._rg = _UNSURE
                if self._rg and _state.grad:
                    edge = (self._edge or self) if self is root else _edge_of(self)
                    if edge is not None:
                        plan = _view.plans.get(_ONE) or _view.plan(_ONE)
                        t._edge = make(plan, (edge,), (a.shape,), None, made.shape, made.dtype, user_place())
                        t._rg = True
                return t
        return long_way(self, shape, named)
    method.__doc__ = doc
    publish(method, name=name, method=True, as_function=False)


_new, _state, _ONE, _FLAT = object.__new__, modes.state, (True,), (-1,)
_UNSURE, _NO_GRAD, _edge_of = views.UNSURE, views.NO_GRAD, views.edge_of


def _long_view(self, shape, named):
    dtype = named.pop("dtype", None)
    if "size" in named:
        shape = (named.pop("size"),)
    if named:
        raise TypeError(f"view() got an unexpected keyword argument '{next(iter(named))}'")
    if len(shape) == 1 and isinstance(shape[0], dtype_type):
        dtype = shape[0]
    if not modes.plain:
        kwargs = {} if dtype is None or shape else {"dtype": dtype}
        taken, result = overriding(Tensor.view, (self,), (self, *shape), kwargs)
        if taken:
            return result
    if dtype is not None:
        made = _view_dtype.public(self, dtype.numpy)
        made._edge = made._base = None          # other numbers in the same memory: nothing to differentiate
        made._rg = False
        return made
    if not shape:
        raise TypeError("view() received an invalid combination of arguments - got (), but expected one of:\n"
                        " * (torch.dtype dtype)\n * (tuple of ints size)\n")
    if len(shape) == 1 and isinstance(shape[0], (float, str)):
        kind = type(shape[0]).__name__
        raise TypeError(f"view() received an invalid combination of arguments - got ({kind}), but expected "
                        "one of:\n"
                        " * (torch.dtype dtype)\n      didn't match because some of the arguments have "
                        f"invalid types: (!{kind}!)\n"
                        " * (tuple of ints size)\n      didn't match because some of the arguments have "
                        "invalid types: "
                        f"(!{kind}!)\n")
    return view_as_shape(self, size_list(spread(shape), "view", "size", 1))


_declare_view("view", _long_view, """The same memory in another shape (one size may be -1), or with
``view(dtype)`` the same bytes as another dtype.

    RuntimeError if the strides allow no such view: ``reshape`` copies then.

    Example::

        >>> import rushlight as torch
        >>> torch.arange(4).view(2, -1)
        tensor([[0, 1],
                [2, 3]])
    """)


def reshaped(self, shape):
    """``reshape`` to a tuple."""
    a = self._a
    if a.flags.c_contiguous:
        return view_as_shape(self, shape)
    shape = infer_size(shape, a.size)
    if view_strides(a.shape, a.strides, shape, a.itemsize) is None:
        return _unsafe_view.public(self.contiguous(), shape)
    return view_as_shape(self, shape)


def _long_reshape(self, shape, named):
    if named or not shape:
        shape = by_keyword("reshape", "shape", shape, named)
    shape = size_list(spread(shape), "reshape", "shape", 1)
    if not modes.plain:
        taken, result = overriding(Tensor.reshape, (self,), (self, *shape))
        if taken:
            return result
    return reshaped(self, shape)


_declare_view("reshape", _long_reshape, """This tensor in another shape: a view where the strides allow it,
else a copy. One size may be -1.

    Example::

        >>> import rushlight as torch
        >>> torch.arange(6).reshape(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """)


@publish
def reshape(input, shape):
    """``input`` in another shape: a view where the strides allow it, else a copy. One size may be -1.

    Example::

        >>> import rushlight as torch
        >>> torch.reshape(torch.arange(4), (2, 2))
        tensor([[0, 1],
                [2, 3]])
    """
    if not modes.plain:
        taken, result = overriding(reshape, (input,), (input, shape))
        if taken:
            return result
    return reshaped(input, size_list(shape, "reshape", "shape", 2))


# ---------------------------------------------------------------- expand

@op(name="expand", function=False, view=True, out=False)
def _expand(input: Array, size):
    shape, strides = input.shape, input.strides
    lead = len(size) - len(shape)
    if lead < 0:
        raise RuntimeError(f"expand(torch.{array_type_name(input)}{{{list(shape)}}}, size={list(size)}): the "
                           "number of sizes provided "
                           f"({len(size)}) must be greater or equal to the number of dimensions in the "
                           f"tensor ({len(shape)})")
    steps, made = [], []
    for i in range(len(size) - 1, -1, -1):
        n = size[i]
        if i < lead:
            if n < 0:
                raise RuntimeError(f"The expanded size of the tensor ({n}) isn't allowed in a leading, "
                                   f"non-existing dimension {i}")
            made.append(n)
            steps.append(0)
            continue
        old = shape[i - lead]
        if n == -1 or n == old:
            made.append(old)
            steps.append(strides[i - lead])
        elif old == 1 and n >= 0:
            made.append(n)
            steps.append(0)
        else:
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing size ({old}) "
                               "at non-singleton dimension "
                               f"{i}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}")
    made.reverse()
    steps.reverse()
    return memory.strided(input, tuple(made), tuple(steps)) if input.size else np.broadcast_to(input, made)


_expand.derivative(input=lambda g, input_shape: g)      # the engine sums what was repeated


@publish(method=True, as_function=False)
def expand(self, *size, implicit=False):
    """A view in which dimensions of size 1 are repeated without copying; -1 keeps a size; new dimensions may
    come in front.

    RuntimeError for sizes that do not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([[1], [2]]).expand(2, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    if modes.plain:
        try:
            shape = size[0] if len(size) == 1 and size[0].__class__ is not int else size
            return view_of(self, _expand_kernel(self._a, shape), _expand, (self._a.shape,))
        except (TypeError, AttributeError):
            pass                             # the long way knows what to say
    size = size_list(spread(size), "expand", "size", 1)
    if not modes.plain:
        taken, result = overriding(expand, (self,), (self, *size))
        if taken:
            return result
    return _expand.public(self, size)


_expand_kernel = _expand.kernel


def expanded(self, size):
    """``expand`` to a tuple."""
    if modes.plain:
        return view_of(self, _expand_kernel(self._a, size), _expand, (self._a.shape,))
    return _expand.public(self, size)


# ---------------------------------------------------------------- order of dimensions

@op(name="permute", function=False, view=True, out=False)
def _permute(input: Array, dims):
    ndim = input.ndim
    if len(dims) != ndim:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the "
                           "length of the desired "
                           f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = "
                           f"{len(dims)}")
    try:
        return input.transpose(dims)
    except ValueError:
        pass                                 # to say what is wrong with them
    order = [wrap_dim(d, ndim, "permute") for d in dims]
    if len(set(order)) != ndim:
        raise RuntimeError(f"permute(): duplicate dims are not allowed.\nThey are {list(dims)}.")
    return input.transpose(order)


def _unpermute(g, dims):
    n = len(dims)
    order = [d % n for d in dims] if n else []
    inverse = sorted(range(n), key=order.__getitem__)
    return g.permute(inverse) if isinstance(g, Tensor) else g.transpose(inverse)


_permute.derivative(input=_unpermute)


def _method_permute(self, *dims, **named):
    """A view with the dimensions in another order.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(2, 3, 4).permute(2, 0, 1).shape
        torch.Size([4, 2, 3])
    """
    if modes.plain and len(dims) > 1 and not named:
        try:
            return view_of(self, _permute_kernel(self._a, dims), _permute, (dims,))
        except (TypeError, AttributeError):
            pass                             # the long way knows what to say
    if named:
        dims = by_keyword("permute", "dims", dims, named)
    dims = size_list(spread(dims), "permute", "dims", 1)
    if not modes.plain:
        taken, result = overriding(_method_permute, (self,), (self, *dims))
        if taken:
            return result
    return permuted(self, dims)


_permute_kernel = _permute.kernel


def permuted(self, dims):
    """``permute`` by a tuple."""
    if modes.plain:
        return view_of(self, _permute_kernel(self._a, dims), _permute, (dims,))
    return _permute.public(self, dims)


publish(_method_permute, name="permute", method=True, as_function=False)


@publish
def permute(input, dims):
    """A view with the dimensions in another order.

    Example::

        >>> import rushlight as torch
        >>> torch.permute(torch.zeros(2, 3), (1, 0)).shape
        torch.Size([3, 2])
    """
    if not modes.plain:
        taken, result = overriding(permute, (input,), (input, dims))
        if taken:
            return result
    return permuted(input, size_list(dims, "permute", "dims", 2))


@op(view=True, method=True, out=False)
def transpose(input: Array, dim0, dim1):
    """A view with two dimensions exchanged. IndexError for dimensions that do not exist.

    Example::

        >>> import rushlight as torch
        >>> torch.transpose(torch.zeros(2, 3), 0, 1).shape
        torch.Size([3, 2])
    """
    ndim = input.ndim
    dim0, dim1 = wrap_dim(dim0, ndim, "transpose", "dim0", 1), wrap_dim(dim1, ndim, "transpose", "dim1", 2)
    return input.swapaxes(dim0, dim1) if ndim else input.view()


transpose.derivative(input=lambda g, dim0, dim1: both.transpose(g, dim0, dim1))


# ---------------------------------------------------------------- dimensions of size one

@op(name="squeeze", function=False, view=True, out=False)
def _squeeze(input: Array):
    return input.reshape([n for n in input.shape if n != 1]) if input.flags.c_contiguous else _without(
        input, [d for d, n in enumerate(input.shape) if n == 1])


def _without(a, dims):
    """A view without the given dimensions of size 1."""
    return a[tuple(0 if d in dims else slice(None) for d in range(a.ndim))] if dims else a.view()


@op(function=False, view=True, out=False, grad_name="SqueezeBackward1")
def _squeeze_dim(input: Array, dim):
    d = wrap_dim(dim, input.ndim, "squeeze")
    if not input.ndim or input.shape[d] != 1:
        return input.view()
    if input.flags.c_contiguous:
        return input.reshape(input.shape[:d] + input.shape[d + 1:])
    return _without(input, [d])


@op(function=False, view=True, out=False, grad_name="SqueezeBackward2")
def _squeeze_dims(input: Array, dim):
    dims = wrap_dims(dim, input.ndim, "squeeze")
    return _without(input, [d for d in dims if input.ndim and input.shape[d] == 1])


for _op in (_squeeze, _squeeze_dim, _squeeze_dims):
    _op.derivative(input=lambda g, input_shape: g.reshape(input_shape))


@publish(method=True)
def squeeze(input, dim=None):
    """A view without dimensions of size 1: all of them, or only those named by ``dim`` (a number or a tuple).

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(1, 2, 1).squeeze().shape
        torch.Size([2])
    """
    if not modes.plain:
        taken, result = overriding(squeeze, (input, dim), (input,) if dim is None else (input, dim))
        if taken:
            return result
    if dim is None:
        return _squeeze.public(input)
    if isinstance(dim, (tuple, list)):
        return _squeeze_dims.public(input, tuple(dim))
    return _squeeze_dim.public(input, dim)


@op(view=True, method=True, out=False)
def unsqueeze(input: Array, dim):
    """A view with a new dimension of size 1 at ``dim``.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(2).unsqueeze(-1).shape
        torch.Size([2, 1])
    """
    d = wrap_dim(dim, input.ndim + 1, "unsqueeze", "dim", 1)
    shape = input.shape
    if input.flags.c_contiguous:
        return input.reshape((*shape[:d], 1, *shape[d:]))
    if not input.size:
        return input[(slice(None),) * d + (None,)]
    strides = input.strides
    step = shape[d] * strides[d] if d < len(shape) else input.itemsize
    return memory.strided(input, (*shape[:d], 1, *shape[d:]), (*strides[:d], step, *strides[d:]))


unsqueeze.derivative(input=lambda g, input_shape: g.reshape(input_shape))
