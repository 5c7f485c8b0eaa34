"""Transforms of tensors that know their Jacobian: the base, the inverse, the chain, and transforms over further dimensions.

``y = t(x)``, ``x = t.inv(y)``, and ``t.log_abs_det_jacobian(x, y)`` is the logarithm by which volumes grow, per event. ``domain`` and
``codomain`` are constraints; their ``event_dim`` says how many of the last dimensions are transformed together. With ``cache_size=1`` the
last pair is kept, so that the inverse of a value just made costs nothing and loses nothing.
"""
import functools
import operator

from rushlight.ops.late import torch
from rushlight.tensor import Size

from . import constraints
from .utils import _sum_rightmost, lazy_property

__all__ = ["ComposeTransform", "IndependentTransform", "ReshapeTransform", "Transform", "identity_transform"]


class Transform:
    """The base class; a transform of one's own defines ``domain``, ``codomain``, ``bijective``, ``_call``, ``_inverse`` and
    ``log_abs_det_jacobian``.

    Args:
        cache_size: 0, or 1 to keep the last pair of values.

    Raises:
        ValueError: for other cache sizes.

    >>> import rushlight as torch
    >>> from rushlight.distributions.transforms import ExpTransform
    >>> t = ExpTransform()
    >>> t.inv(t(torch.tensor(2.))), t.inv
    (tensor(2.), _InverseTransform(ExpTransform()))
    """

    bijective = False

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv = None
        self._cached_x_y = (None, None)
        super().__init__()

    def __getstate__(self):
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self):
        """How many of the last dimensions are transformed together, if the transform keeps that number."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self):
        """The inverse transform; its own inverse is this one."""
        if self._inv is None:
            self._inv = self._make_inverse()
        return self._inv

    def _make_inverse(self):
        return _InverseTransform(self)

    @property
    def sign(self):
        """1 if the transform increases, -1 if it decreases."""
        raise NotImplementedError

    def _arguments(self):
        """What the transform was made from, to make it again with another cache; None if unknown."""
        return () if type(self).__init__ is Transform.__init__ else None

    def with_cache(self, cache_size=1):
        """This transform with the given cache size.

        Raises:
            NotImplementedError: for a class of one's own whose ``__init__`` takes arguments.
        """
        if self._cache_size == cache_size:
            return self
        arguments = self._arguments()
        if arguments is None:
            raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
        return type(self)(*arguments, cache_size=cache_size)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return not self == other

    def __call__(self, x):
        if not self._cache_size:
            return self._call(x)
        if x is not self._cached_x_y[0]:
            self._cached_x_y = (x, self._call(x))
        return self._cached_x_y[1]

    def _inv_call(self, y):
        if not self._cache_size:
            return self._inverse(y)
        if y is not self._cached_x_y[1]:
            self._cached_x_y = (self._inverse(y), y)
        return self._cached_x_y[0]

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """The logarithm of the absolute value of the Jacobian's determinant at ``x``, where ``y`` is the result."""
        raise NotImplementedError

    def forward_shape(self, shape):
        """The shape of the result for an argument of ``shape``."""
        return shape

    def inverse_shape(self, shape):
        """The shape of the argument for a result of ``shape``."""
        return shape

    def __repr__(self):
        return type(self).__name__ + "()"


class _InverseTransform(Transform):
    """A transform read backwards."""

    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._inv.domain

    @property
    def bijective(self):
        return self._inv.bijective

    @property
    def sign(self):
        return self._inv.sign

    @property
    def inv(self):
        return self._inv

    def __getstate__(self):
        return self.__dict__.copy()  # the transform itself is all there is

    def with_cache(self, cache_size=1):
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)

    def __repr__(self):
        return f"{type(self).__name__}({self._inv!r})"


def _widened(own, steps):
    """The constraint ``own`` over as many dimensions as a chain needs; ``steps`` are (here, there) event dimensions along it."""
    need = steps[0][0]
    for here, there in steps:
        need = max(need + there - here, there)
    if need < own.event_dim:
        raise AssertionError(f"event_dim {need} must be >= {own.event_dim}")
    return constraints.independent(own, need - own.event_dim) if need > own.event_dim else own


class ComposeTransform(Transform):
    """Transforms one after the other: ``parts`` in the order in which they are applied.

    >>> import rushlight as torch
    >>> from rushlight.distributions.transforms import AffineTransform, ComposeTransform, ExpTransform
    >>> ComposeTransform([AffineTransform(0., 2.), ExpTransform()])(torch.tensor(0.))
    tensor(1.)
    """

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def _arguments(self):
        return (self.parts,)

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        if not self.parts:
            return constraints.real
        return _widened(self.parts[0].domain, [(p.codomain.event_dim, p.domain.event_dim) for p in reversed(self.parts)])

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        if not self.parts:
            return constraints.real
        return _widened(self.parts[-1].codomain, [(p.domain.event_dim, p.codomain.event_dim) for p in self.parts])

    @lazy_property
    def bijective(self):
        """Whether all parts are."""
        return all(p.bijective for p in self.parts)

    @lazy_property
    def sign(self):
        """The product of the parts' signs."""
        return functools.reduce(operator.mul, (p.sign for p in self.parts), 1)

    def _make_inverse(self):
        inverse = ComposeTransform([p.inv for p in reversed(self.parts)])
        inverse._inv = self
        return inverse

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return torch.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        terms, dims = [], self.domain.event_dim
        for i, part in enumerate(self.parts):
            terms.append(_sum_rightmost(part.log_abs_det_jacobian(values[i], values[i + 1]), dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        inner = ",\n    ".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n    {inner}\n)"


identity_transform = ComposeTransform([])


def _enough(value, event_dim):
    if value.dim() < event_dim:
        raise ValueError(f"Too few dimensions on input\nThe transform takes at least {event_dim}, but got {value.dim()}.")


class IndependentTransform(Transform):
    """``base_transform`` whose events have ``reinterpreted_batch_ndims`` dimensions more; only the Jacobian differs, which is summed."""

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def _arguments(self):
        return self.base_transform, self.reinterpreted_batch_ndims

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self):
        return self.base_transform.bijective

    @property
    def sign(self):
        return self.base_transform.sign

    def _call(self, x):
        _enough(x, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y):
        _enough(y, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """The last dimensions, of shape ``in_shape``, in the shape ``out_shape``.

    Raises:
        ValueError: if the two shapes differ in their number of elements.
    """

    bijective = True

    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    def _arguments(self):
        return self.in_shape, self.out_shape

    @constraints.dependent_property
    def domain(self):
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x):
        return x.reshape(x.shape[:x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[:y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[:x.dim() - len(self.in_shape)])

    @staticmethod
    def _exchanged(shape, old, new):
        if len(shape) < len(old):
            raise ValueError("Too few dimensions on input")
        cut = len(shape) - len(old)
        if shape[cut:] != old:
            raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
        return shape[:cut] + new

    def forward_shape(self, shape):
        return self._exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return self._exchanged(shape, self.out_shape, self.in_shape)
