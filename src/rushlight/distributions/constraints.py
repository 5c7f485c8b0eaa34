"""What parameters and values must satisfy: ``constraints.positive.check(x)``.

A constraint says for each event of a tensor whether it holds; ``event_dim`` is the number of dimensions an event has, and
``is_discrete`` whether the values are isolated. The plain ones are instances (``real``, ``simplex``), those with bounds are classes to be
called (``interval(0, 1)``). The classes carry PyTorch's names, which are read: ``repr`` prints them without the underscore.

A bound that depends on another parameter is *dependent*: as a property of a distribution it yields the constraint, asked of the class
itself it says only what is known without parameters.
"""
from rushlight import dtypes
from rushlight.ops.late import linalg, torch

__all__ = ["Constraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property", "greater_than", "greater_than_eq",
           "independent", "integer_interval", "interval", "half_open_interval", "is_dependent", "less_than", "lower_cholesky",
           "lower_triangular", "MixtureSameFamilyConstraint", "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive",
           "positive_semidefinite", "positive_definite", "positive_integer", "real", "real_vector", "simplex", "square", "stack",
           "symmetric", "unit_interval"]


class Constraint:
    """A region of values; a subclass defines ``check``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import constraints
    >>> constraints.positive.check(torch.tensor([-1., 2.]))
    tensor([False,  True])
    >>> constraints.interval(0, 1)
    Interval(lower_bound=0, upper_bound=1)
    """

    is_discrete = False
    event_dim = 0

    def check(self, value):
        """A boolean tensor, without the event dimensions: where ``value`` satisfies this."""
        raise NotImplementedError

    def __repr__(self):
        return type(self).__name__[1:] + "()"


def _known(value, name):
    if value is NotImplemented:
        raise NotImplementedError(f".{name} cannot be determined statically\nAsk the constraint of an instance.")
    return value


class _Dependent(Constraint):
    """Depends on other parameters, so that nothing can be checked."""

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self):
        return _known(self._is_discrete, "is_discrete")

    @property
    def event_dim(self):
        return _known(self._event_dim, "event_dim")

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        return _Dependent(is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
                          event_dim=self._event_dim if event_dim is NotImplemented else event_dim)

    def check(self, value):
        raise ValueError("Cannot determine validity of dependent constraint\nAsk the constraint of an instance.")


def is_dependent(constraint):
    """Whether ``constraint`` depends on parameters that it does not know."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """The decorator of a property that returns a constraint; asked of the class, it is a dependent constraint itself."""

    def __init__(self, fn=None, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn):
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def _must(condition, message):
    if not condition:
        raise AssertionError(message)


def _all_of(result, dims, have, need):
    """Truth of whole events: ``result`` reduced over its last ``dims`` dimensions."""
    if dims < 0 or have < need:
        raise ValueError(f"Expected value.dim() >= {need} but got {have}")
    keep = result.dim() - dims
    return result.reshape((*result.shape[:keep], result.shape[keep:].numel())).all(-1)  # no -1: there may be no events at all


class _Wrapped(Constraint):
    def __init__(self, base_constraint):
        _must(isinstance(base_constraint, Constraint), f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete


class _IndependentConstraint(_Wrapped):
    """``base_constraint`` in every one of ``reinterpreted_batch_ndims`` further dimensions of an event."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        super().__init__(base_constraint)
        _must(isinstance(reinterpreted_batch_ndims, int),
              f"reinterpreted_batch_ndims must be an int, got {type(reinterpreted_batch_ndims).__name__}")
        _must(reinterpreted_batch_ndims >= 0, f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def event_dim(self):
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value):
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_of(result, self.reinterpreted_batch_ndims, value.dim(), 0)

    def __repr__(self):
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(_Wrapped):
    """What a value of a mixture satisfies: ``base_constraint`` of every component."""

    @property
    def event_dim(self):
        return self.base_constraint.event_dim

    def check(self, value):
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        keep = value.dim() - self.event_dim
        return _all_of(result, result.dim() - keep, value.dim(), self.event_dim)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value):
        return boolean.check(value).all(-1) & value.sum(-1).eq(1)


class _Lower(Constraint):
    def __init__(self, lower_bound):
        self.lower_bound = lower_bound

    def __repr__(self):
        return f"{type(self).__name__[1:]}({', '.join(f'{k}={v}' for k, v in vars(self).items())})"


class _Upper(_Lower):
    def __init__(self, upper_bound):
        self.upper_bound = upper_bound


class _Between(_Lower):
    def __init__(self, lower_bound, upper_bound):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound


class _IntegerInterval(_Between):
    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_Upper):
    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Lower):
    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Real(Constraint):
    def check(self, value):
        return value == value  # NaN is not


class _GreaterThan(_Lower):
    def check(self, value):
        return self.lower_bound < value


class _GreaterThanEq(_Lower):
    def check(self, value):
        return self.lower_bound <= value


class _LessThan(_Upper):
    def check(self, value):
        return value < self.upper_bound


class _Interval(_Between):
    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    def check(self, value):
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value):
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, x):
        return (x >= 0).all(dim=-1) & (x.sum(dim=-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value):
        return (value.tril() == value).all(-1).all(-1)


class _LowerCholesky(_LowerTriangular):
    def check(self, value):
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(Constraint):
    event_dim = 2

    def check(self, value):
        tolerance = dtypes.finfo(value.dtype).eps * value.size(-1) * 10
        rows = (linalg.norm(value.detach(), dim=-1) - 1).abs().le(tolerance).all(-1)
        return lower_cholesky.check(value) & rows


class _Square(Constraint):
    event_dim = 2

    def check(self, value):
        return torch.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=dtypes.bool_)


class _Symmetric(_Square):
    def check(self, value):
        is_square = super().check(value)
        if not is_square.all():
            return is_square
        return torch.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value):
        is_symmetric = super().check(value)
        return linalg.eigvalsh(value).ge(0).all(-1) if is_symmetric.all() else is_symmetric


class _PositiveDefinite(_Symmetric):
    def check(self, value):
        is_symmetric = super().check(value)
        return linalg.cholesky_ex(value).info.eq(0) if is_symmetric.all() else is_symmetric


class _Several(Constraint):
    """Constraints for parts of a tensor along one dimension."""

    def __init__(self, cseq, dim):
        _must(all(isinstance(c, Constraint) for c in cseq), "All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim

    @property
    def is_discrete(self):
        return any(c.is_discrete for c in self.cseq)

    def _check_dim(self, value):
        _must(-value.dim() <= self.dim < value.dim(), f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Several):
    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        _must(len(self.lengths) == len(self.cseq), f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    @property
    def event_dim(self):
        return max(c.event_dim for c in self.cseq)

    def check(self, value):
        self._check_dim(value)
        checks, start = [], 0
        for constraint, length in zip(self.cseq, self.lengths):
            checks.append(constraint.check(value.narrow(self.dim, start, length)))
            start += length
        return torch.cat(checks, self.dim)


class _Stack(_Several):
    def __init__(self, cseq, dim=0):
        super().__init__(cseq, dim)

    @property
    def event_dim(self):
        dim = max(c.event_dim for c in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value):
        self._check_dim(value)
        parts = (value.select(self.dim, i) for i in range(value.size(self.dim)))
        return torch.stack([c.check(v) for v, c in zip(parts, self.cseq)], self.dim)


dependent, dependent_property, independent = _Dependent(), _DependentProperty, _IndependentConstraint
boolean, one_hot = _Boolean(), _OneHot()
nonnegative_integer, positive_integer, integer_interval = _IntegerGreaterThan(0), _IntegerGreaterThan(1), _IntegerInterval
real, real_vector = _Real(), _IndependentConstraint(_Real(), 1)
positive, nonnegative = _GreaterThan(0.0), _GreaterThanEq(0.0)
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
unit_interval, interval, half_open_interval = _Interval(0.0, 1.0), _Interval, _HalfOpenInterval
simplex, multinomial = _Simplex(), _Multinomial
lower_triangular, lower_cholesky, corr_cholesky = _LowerTriangular(), _LowerCholesky(), _CorrCholesky()
square, symmetric = _Square(), _Symmetric()
positive_semidefinite, positive_definite = _PositiveSemidefinite(), _PositiveDefinite()
cat, stack = _Cat, _Stack
