"""A distribution after transforms of its values."""
import functools
import operator

from rushlight.autograd.modes import no_grad
from rushlight.tensor import Size

from . import constraints
from .distribution import Distribution
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of ``f(x)`` with x from ``base_distribution`` and f one transform or a list, the first applied first.

    Raises:
        ValueError: for other things than transforms, and a base with fewer dimensions than they transform.

    >>> import rushlight as torch
    >>> from rushlight.distributions import ExpTransform, Normal, TransformedDistribution
    >>> d = TransformedDistribution(Normal(0., 1.), [ExpTransform()])
    >>> d.log_prob(torch.tensor(1.))
    tensor(-0.9189)
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    _own_dims: dict[str, int] = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        chain = ComposeTransform(transforms)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        own, need = len(base_distribution.event_shape), chain.domain.event_dim
        if len(shape) < need:
            raise ValueError(f"base_distribution needs to have shape with size at least {need}, but got {shape}.")
        result = chain.forward_shape(shape)
        wanted = chain.inverse_shape(result)  # parameters of the transforms may broadcast it
        if shape != wanted:
            base_distribution = base_distribution.expand(wanted[:len(wanted) - own])
        if need > own:
            base_distribution = Independent(base_distribution, need - own)
        self.base_dist = base_distribution
        event_dim = max(chain.codomain.event_dim, own + chain.codomain.event_dim - need)
        if len(result) < event_dim:
            raise AssertionError(f"forward_shape length {len(result)} must be >= event_dim {event_dim}")
        cut = len(result) - event_dim
        super().__init__(result[:cut], result[cut:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch_shape = Size(batch_shape)
        new = self._copy_for(batch_shape, _instance)
        shape = batch_shape + self.event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        return self._finish_copy(new, batch_shape, self.event_shape)

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    def _transformed(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape=()):
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        self._check(value)
        event_dim, result = len(self.event_shape), 0.0
        for transform in reversed(self.transforms):
            before = transform.inv(value)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            grown = transform.log_abs_det_jacobian(before, value)
            result = result - _sum_rightmost(grown, event_dim - transform.domain.event_dim)
            value = before
        return result + _sum_rightmost(self.base_dist.log_prob(value), event_dim - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value):
        """``1 - value`` where the transforms decrease."""
        sign = functools.reduce(operator.mul, (t.sign for t in self.transforms), 1)
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value):
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))
