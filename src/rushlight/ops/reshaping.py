"""More ways to see a tensor in another shape, over the views of ``shape``: flatten, movedim, T, atleast_2d,
broadcast_to...
"""
import warnings

from .. import layout as layouts
from ..autograd import modes, views
from ..tensor import Size, Tensor
from . import call, table
from ._factory import overriding, publish, size_list
from .declare import Array, both, composite, op
from .shape import (
    _squeeze,
    _squeeze_dim,
    _squeeze_dims,
    expanded,
    permute,
    permuted,
    reshaped,
    transpose,
    unsqueeze,
    view_as_shape,
    wrap_dim,
)
from .strided import as_strided


@publish(method=True)
def flatten(input, start_dim=0, end_dim=-1):
    """``input`` with the dimensions from ``start_dim`` to ``end_dim`` as one; a 0-d tensor becomes 1-d. A
    view where possible.

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(2, 3, 4).flatten(1).shape
        torch.Size([2, 12])
    """
    if not modes.plain:
        taken, result = overriding(flatten, (input,), (input, start_dim, end_dim,))
        if taken:
            return result
    shape = input._a.shape
    n = len(shape)
    start, end = wrap_dim(start_dim, n, "flatten"), wrap_dim(end_dim, n, "flatten")
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim\n"
                           f"They are {start_dim} and {end_dim}.")
    if n == 0:
        return reshaped(input, (1,))
    if start == end:
        return input
    count = 1
    for m in shape[start:end + 1]:
        count *= m
    return reshaped(input, (*shape[:start], count, *shape[end + 1:]))


@publish(method=True)
def ravel(input):
    """``input`` as one dimension: a view where possible."""
    if not modes.plain:
        taken, result = overriding(ravel, (input,), (input,))
        if taken:
            return result
    return reshaped(input.contiguous(), (input._a.size,))


@composite(method=True)
def unflatten(input, dim, sizes):
    """``input`` with one dimension as several, of ``sizes`` (one may be -1).

    Example::

        >>> import rushlight as torch
        >>> torch.zeros(6).unflatten(0, (2, -1)).shape
        torch.Size([2, 3])
    """
    shape = input._a.shape
    d = wrap_dim(dim, len(shape), "unflatten")
    sizes = size_list(sizes, "unflatten", "sizes", 3)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty\nGive the sizes of the new dimensions.")
    n = shape[d] if shape else 1
    known = 1
    for s in sizes:
        if s != -1:
            known *= s
    if sizes.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred\n" f"The sizes given are {list(sizes)}.")
    if (known == 0 and n or known and n % known) if -1 in sizes else known != n:
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim "
                           f"{d} ({n}) in the input tensor")
    if -1 in sizes:
        sizes = tuple(n // known if s == -1 else s for s in sizes)
    return view_as_shape(input, (*shape[:d], *sizes, *shape[d + 1:])) if input._a.flags.c_contiguous \
        else input.view((*shape[:d], *sizes, *shape[d + 1:]))


@publish(method=True)
def reshape_as(input, other):
    """``input.reshape(other.shape)``."""
    if not modes.plain:
        taken, result = overriding(reshape_as, (input, other,), (input, other,))
        if taken:
            return result
    return reshaped(input, other._a.shape)


@publish(method=True)
def view_as(input, other):
    """``input.view(other.shape)``."""
    if not modes.plain:
        taken, result = overriding(view_as, (input, other,), (input, other,))
        if taken:
            return result
    return view_as_shape(input, other._a.shape)


del table.namespaces["torch"]["reshape_as"], table.namespaces["torch"]["view_as"]


# ---------------------------------------------------------------- order of dimensions

def _move(input, source, destination, name):
    ndim = input._a.ndim
    if isinstance(source, int) is not isinstance(destination, int):
        kinds = f"{type(source).__name__}, {type(destination).__name__}"
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}), but "
                        "expected one of:\n"
                        " * (int source, int destination)\n * (tuple of ints source, tuple of ints "
                        "destination)\n")
    source, destination = ((s,) if isinstance(s, int) else tuple(s) for s in (source, destination))
    if len(source) != len(destination):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({list(source)} dims) "
                           "should contain the same number "
                           f"of dims as destination ({list(destination)} dims)")
    src = [wrap_dim(s, ndim, name) for s in source]
    dst = [wrap_dim(d, ndim, name) for d in destination]
    for dims, given, what in ((src, source, "source"), (dst, destination, "destination")):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{what}` ({list(given)})")
    if not ndim:
        return input.view(())
    order = [None] * ndim
    for s, d in zip(src, dst):
        order[d] = s
    rest = iter(d for d in range(ndim) if d not in src)
    return permuted(input, tuple(next(rest) if d is None else d for d in order))


@publish(method=True)
def movedim(input, source, destination):
    """A view with dimensions moved to other places; the others keep their order.

    Example::

        >>> import rushlight as torch
        >>> torch.movedim(torch.zeros(2, 3, 4), 0, -1).shape
        torch.Size([3, 4, 2])
    """
    if not modes.plain:
        taken, result = overriding(movedim, (input,), (input, source, destination,))
        if taken:
            return result
    return _move(input, source, destination, "movedim")


@publish(method=True)
def moveaxis(input, source, destination):
    """Another name for ``movedim``."""
    if not modes.plain:
        taken, result = overriding(moveaxis, (input,), (input, source, destination,))
        if taken:
            return result
    return _move(input, source, destination, "moveaxis")


@publish(method=True)
def swapaxes(input, axis0, axis1):
    """Another name for ``transpose``."""
    return transpose.public(input, axis0, axis1)


@publish(method=True)
def swapdims(input, dim0, dim1):
    """Another name for ``transpose``."""
    return transpose.public(input, dim0, dim1)


@op(view=True, method=True, out=False)
def t(input: Array):
    """The transpose of a matrix, as a view; fewer dimensions stay as they are. RuntimeError for more.

    Example::

        >>> import rushlight as torch
        >>> torch.t(torch.zeros(2, 3)).shape
        torch.Size([3, 2])
    """
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D"
                           "\nThe nearest is .mT.")
    return input.T


t.derivative(input=lambda g: both.t(g))


def _T(self):
    """The dimensions in reverse order, as a view."""
    ndim = self._a.ndim
    if ndim == 2:
        return permuted(self, (1, 0))
    if ndim == 0:
        warnings.warn("Tensor.T is deprecated on 0-D tensors. This function is the identity in these "
                      "cases.", UserWarning,
                      stacklevel=2)
    else:
        warnings.warn("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
                      "deprecated and it will throw an "
                      "error in a future release. Consider `x.mT` to transpose batches of matrices or "
                      "`x.permute(*torch.arange(x.ndim "
                      "- 1, -1, -1))` to reverse the dimensions of a tensor.", UserWarning, stacklevel=2)
    return permute(self, tuple(range(ndim - 1, -1, -1)))


def _matrix_transpose(self, name, stacklevel=3):
    ndim = self._a.ndim
    if ndim == 1:
        called = name if name != "adjoint" else "adjoint()"
        raise RuntimeError(f"tensor.{called} is only supported on matrices or batches of matrices. Got 1-D "
                           "tensor."
                           "\nGive it a dimension first, as with x[:, None].")
    if ndim == 0:
        called = "adjoint()" if name == "adjoint" else "Tensor." + name
        advice = "Consider using x.conj()."
        if name == "mT":
            advice = "This function is the identity in these cases."
        warnings.warn(f"{called} is deprecated on 0-D tensors. {advice}", UserWarning, stacklevel=stacklevel)
        return self
    return transpose.public(self, -2, -1)


def _conjugated(t):
    return t.conj() if t._a.dtype.kind == "c" else t


def _H(self):
    """The conjugate transpose of a matrix."""
    ndim = self._a.ndim
    if ndim not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor."
                           + (" For batches of matrices, consider using tensor.mH" if ndim > 2 else ""))
    if ndim == 0:
        warnings.warn("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().", UserWarning,
                      stacklevel=2)
        return _conjugated(self)
    return _conjugated(transpose.public(self, 0, 1))


Tensor.T = property(_T)
Tensor.H = property(_H)
Tensor.mT = property(lambda self: _matrix_transpose(self, "mT"), doc="The last two dimensions exchanged, as "
                                                                     "a view.")
Tensor.mH = property(lambda self: _conjugated(_matrix_transpose(self, "mH")),
                     doc="The last two dimensions exchanged, and conjugated.")


@composite(method=True)
def adjoint(input):
    """The conjugate transpose of the last two dimensions."""
    return _conjugated(_matrix_transpose(input, "adjoint", 4))


# ---------------------------------------------------------------- broadcasting

@publish
def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to. RuntimeError if there is none.

    Example::

        >>> import rushlight as torch
        >>> torch.broadcast_shapes((2, 1), (3,))
        torch.Size([2, 3])
    """
    shapes = [(s,) if isinstance(s, int) else size_list(s, "broadcast_shapes", "shapes") for s in shapes]
    length = max(map(len, shapes), default=0)
    made = [1] * length
    for at, s in enumerate(shapes):
        for i in range(-1, -1 - len(s), -1):
            if s[i] < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!\nShape number "
                                 f"{at} is {s}.")
            if s[i] == 1 or s[i] == made[i]:
                continue
            if made[i] != 1:
                raise RuntimeError(f"Attempting to broadcast a dimension of length {s[i]} at {i}! "
                                   f"Mismatching argument at index {at} "
                                   f"had {tuple(s)}; but expected shape should be broadcastable to {made}"
                                   f"\nThe shapes are {[list(x) for x in shapes]}.")
            made[i] = s[i]
    return Size(made)


@composite
def broadcast_tensors(*tensors):
    """The tensors expanded to their common shape, as views in a tuple; those that have it already are given back.

    Example::

        >>> import rushlight as torch
        >>> [x.shape for x in torch.broadcast_tensors(torch.zeros(2, 1), torch.zeros(3))]
        [torch.Size([2, 3]), torch.Size([2, 3])]
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    shape = ()
    for x in tensors:
        shape = call.broadcast_shapes(shape, x._a.shape)
    return tuple(x if x._a.shape == shape else expanded(x, shape) for x in tensors)


@composite(method=True)
def broadcast_to(input, size):
    """``input.expand(size)``."""
    return input.expand(size)


@publish(method=True)
def expand_as(input, other):
    """``input.expand(other.shape)``."""
    if not modes.plain:
        taken, result = overriding(expand_as, (input, other,), (input, other,))
        if taken:
            return result
    return expanded(input, other._a.shape)


del table.namespaces["torch"]["expand_as"]


def _declare_atleast(n, widen):
    def atleast(*tensors):
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            tensors = tuple(tensors[0])
        elif len(tensors) == 1:
            return widen(tensors[0])
        return tuple(map(widen, tensors))
    atleast.__doc__ = f"""A view with at least {n} dimension{'s' * (n > 1)}; of several tensors, a tuple.

    Example::

        >>> import rushlight as torch
        >>> torch.atleast_{n}d(torch.tensor(1)).ndim
        {n}
    """
    composite(name=f"atleast_{n}d")(atleast)


def _widen_1(x):
    return reshaped(x, (1,)) if not x._a.ndim else x


def _widen_2(x):
    ndim = x._a.ndim
    return reshaped(x, (1, 1)) if ndim == 0 else unsqueeze.public(x, 0) if ndim == 1 else x


def _widen_3(x):
    ndim = x._a.ndim
    if ndim == 0:
        return reshaped(x, (1, 1, 1))
    if ndim == 1:
        return unsqueeze.public(unsqueeze.public(x, 0), -1)
    return unsqueeze.public(x, -1) if ndim == 2 else x


_declare_atleast(1, _widen_1)
_declare_atleast(2, _widen_2)
_declare_atleast(3, _widen_3)


# ---------------------------------------------------------------- in-place views

def _declare_inplace_view(name, view):
    """A method that turns the tensor itself into one of its views."""
    def inplace(self, *args, **kwargs):
        if not modes.plain:
            taken, result = overriding(inplace, (self,), (self, *args), kwargs)
            if taken:
                return result
        return become(self, view(self, *args, **kwargs), name)
    inplace.__doc__ = f"``{name[:-1]}`` on the tensor itself: its shape changes, its memory stays; returned."
    publish(inplace, name=name, method=True, as_function=False)


def become(self, view, name):
    """Give ``self`` the shape and the history of a view of it."""
    if self._rg and modes.state.grad:
        views.check_writable(self)
    recorded = view._edge is not None and view.requires_grad
    edge = view._edge
    self._a = view._a
    self._bump((name, None))
    if recorded:
        old = self._edge
        self._edge, self._rg = edge, True
        views._move_watch(old, self, edge)
        if self._base is not None:
            self._view_version = self._ver[0]
    return self


def _renamed(operator, grad_name):
    """A view operator whose node has the name that PyTorch gives to the in-place form."""
    made = op(name=f"_{operator.name.lstrip('_')}_here_{grad_name[-1]}", view=True, function=False, out=False,
              grad_name=grad_name)(operator.kernel)
    made.derivative(**operator.rules)
    return made


_t_here, _unsqueeze_here = _renamed(t, "TBackward1"), _renamed(unsqueeze, "UnsqueezeBackward1")
_transpose_here = _renamed(transpose, "TransposeBackward1")
_squeeze_here = _renamed(_squeeze, "SqueezeBackward3")
_squeeze_dim_here = _renamed(_squeeze_dim, "SqueezeBackward4")
_squeeze_dims_here = _renamed(_squeeze_dims, "SqueezeBackward5")


def _squeezed_here(self, dim=None):
    if dim is None:
        return _squeeze_here.public(self)
    if isinstance(dim, (tuple, list)):
        return _squeeze_dims_here.public(self, tuple(dim))
    return _squeeze_dim_here.public(self, dim)


for _name, _view in (("squeeze_", _squeezed_here), ("unsqueeze_", _unsqueeze_here), ("t_", _t_here),
                     ("transpose_", _transpose_here), ("swapaxes_", _transpose_here),
                     ("swapdims_", _transpose_here), ("as_strided_", as_strided)):
    _declare_inplace_view(_name, _view)
table.namespaces["torch"]["as_strided_"] = Tensor.as_strided_


# ---------------------------------------------------------------- what it is

@publish(method=True, as_function=False)
def size(self, dim=None):
    """The shape, or the size of one dimension."""
    shape = self._a.shape
    if dim is None:
        return tuple.__new__(Size, shape)
    if not shape:
        wrap_dim(dim, 0, "size")
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[wrap_dim(dim, len(shape), "size")]


@publish(method=True, as_function=False)
def stride(self, dim=None):
    """How many elements apart neighbours in each dimension lie in memory, as a tuple; or in one dimension."""
    a = self._a
    n = a.itemsize
    strides = a.strides if a.size else _strides_of_none(a.shape, n)
    if dim is None:
        return tuple([s // n for s in strides])
    return strides[wrap_dim(dim, a.ndim, "stride")] // n


def _strides_of_none(shape, step):
    """Strides of a tensor without elements, which NumPy leaves out: those of a gapless one whose sizes are at
    least 1.
    """
    strides = []
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return strides[::-1]


@publish(method=True)
def numel(input):
    """The number of elements."""
    return input._a.size


@publish(method=True, as_function=False)
def nelement(self):
    """The number of elements."""
    return self._a.size


@publish(method=True, as_function=False)
def dim(self):
    """The number of dimensions."""
    return self._a.ndim


@publish(method=True, as_function=False)
def ndimension(self):
    """The number of dimensions."""
    return self._a.ndim


@publish(method=True, as_function=False)
def element_size(self):
    """Bytes per element."""
    return self._a.itemsize


@publish(method=True, as_function=False)
def dim_order(self):
    """The dimensions from outermost to innermost in memory."""
    strides = self._a.strides
    return tuple(sorted(range(len(strides)), key=lambda d: -strides[d]))




for _name in ("strided", "contiguous_format", "preserve_format", "channels_last", "channels_last_3d",
              "layout", "memory_format"):
    table.namespaces["torch"][_name] = getattr(layouts, _name)
Tensor.layout = layouts.strided
