"""The generalized Pareto distribution."""
import math

from rushlight.ops.late import torch

from . import constraints
from .distribution import Distribution

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """What exceeds a high threshold ``loc``, of scale ``scale``: bounded for a negative ``concentration``, exponential for 0, and with a
    power-law tail for a positive one.

    >>> import rushlight as torch
    >>> from rushlight.distributions import GeneralizedPareto
    >>> GeneralizedPareto(0., 1., 0.).cdf(torch.tensor(1.))
    tensor(0.6321)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _own_dims = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(self, loc, scale, concentration, validate_args=None):
        self._set_parameters(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        bounded = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch.where(self.concentration < 0, bounded, math.inf))

    def _exponential(self):
        """Where the concentration is 0, and the concentration with a 1 there: both branches must be finite for gradients."""
        zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return zero, torch.where(zero, torch.ones_like(self.concentration), self.concentration)

    def rsample(self, sample_shape=()):
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value):
        self._check(value)
        z = (value - self.loc) / self.scale
        zero, k = self._exponential()
        power = 1 / k + torch.ones_like(z)
        tail = torch.where(power == 0, power, power * torch.log1p(k * z))
        return -self.scale.log() - torch.where(zero, z, tail)

    def log_survival_function(self, value):
        """The logarithm of the probability of greater values."""
        self._check(value)
        z = (value - self.loc) / self.scale
        zero, k = self._exponential()
        return torch.where(zero, -z, -torch.log1p(k * z) / k)

    def log_cdf(self, value):
        """The logarithm of ``cdf``."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return torch.exp(self.log_cdf(value))

    def icdf(self, value):
        zero, k = self._exponential()
        log_above = torch.log1p(-value)
        return torch.where(zero, self.loc - self.scale * log_above, self.loc + self.scale / k * torch.expm1(-k * log_above))

    @property
    def mean(self):
        finite = self.concentration < 1
        k = torch.where(finite, self.concentration, 0.5)
        return torch.where(finite, self.loc + self.scale / (1 - k), math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        finite = self.concentration < 0.5
        k = torch.where(finite, self.concentration, 0.25)
        return torch.where(finite, self.scale ** 2 / ((1 - k) ** 2 * (1 - 2 * k)), math.nan)

    def entropy(self):
        return torch.log(self.scale) + self.concentration + 1
