"""The Laplace distribution."""
from rushlight import dtypes
from rushlight.ops.late import torch

from . import constraints
from .distribution import Distribution

__all__ = ["Laplace"]


class Laplace(Distribution):
    """Two exponential tails around ``loc``, of scale ``scale``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Laplace
    >>> Laplace(0., 1.).cdf(torch.tensor([0., 1.]))
    tensor([0.5000, 0.8161])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _own_dims = {"loc": 0, "scale": 0}

    def __init__(self, loc, scale, validate_args=None):
        self._set_parameters(validate_args, loc=loc, scale=scale)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return 2 * self.scale.pow(2)

    @property
    def stddev(self):
        return 2 ** 0.5 * self.scale

    def rsample(self, sample_shape=()):
        dtype = self.loc.dtype
        u = torch.empty(self._extended_shape(sample_shape), dtype=dtype).uniform_(dtypes.finfo(dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    def log_prob(self, value):
        self._check(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value):
        self._check(value)
        gap = value - self.loc
        return 0.5 - 0.5 * gap.sign() * torch.expm1(-gap.abs() / self.scale)

    def icdf(self, value):
        gap = value - 0.5
        return self.loc - self.scale * gap.sign() * torch.log1p(-2 * gap.abs())

    def entropy(self):
        return 1 + torch.log(2 * self.scale)
