"""Symmetric distributions around 0, folded onto the positive side."""
import math

from rushlight.ops.late import torch

from . import constraints
from .transformed_distribution import TransformedDistribution

__all__ = ["Half"]


class Half(TransformedDistribution):
    """What the half-normal and the half-Cauchy distribution share: twice the density of the base, above 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    @property
    def scale(self):
        """The scale of the base."""
        return self.base_dist.scale

    @property
    def mode(self):
        return torch.zeros_like(self.scale)

    def log_prob(self, value):
        self._check(value)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        self._check(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)
