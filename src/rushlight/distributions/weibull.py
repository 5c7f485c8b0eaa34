"""The Weibull distribution."""
from rushlight.ops.late import torch

from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """``scale * x ** (1 / concentration)`` with x exponential of rate 1: times to failure.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Weibull
    >>> Weibull(torch.tensor(2.), torch.tensor(1.)).mean
    tensor(2.)
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    _own_dims = {"scale": 0, "concentration": 0, "concentration_reciprocal": 0}

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        super().__init__(Exponential(torch.ones_like(self.scale), validate_args=validate_args),
                         [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)],
                         validate_args=validate_args)

    @property
    def mean(self):
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self):
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self):
        first, second = (torch.lgamma(1 + n * self.concentration_reciprocal) for n in (1, 2))
        return self.scale.pow(2) * (torch.exp(second) - torch.exp(2 * first))

    def entropy(self):
        return euler_constant * (1 - self.concentration_reciprocal) + torch.log(self.scale * self.concentration_reciprocal) + 1
