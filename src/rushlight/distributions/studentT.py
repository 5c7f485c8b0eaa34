"""Student's t-distribution."""
import math

from rushlight.ops.late import torch

from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """``loc + scale * x / sqrt(z / df)`` with x normal and z chi-squared of ``df`` degrees of freedom.

    >>> import rushlight as torch
    >>> from rushlight.distributions import StudentT
    >>> StudentT(torch.tensor([4.])).variance
    tensor([2.])
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _own_dims = {"df": 0, "loc": 0, "scale": 0, "_chi2": 0}

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        found = self.scale.pow(2) * self.df / (self.df - 2)
        return found.masked_fill(self.df <= 2, math.inf).masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape=()):
        x = _standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        return self.loc + self.scale * (x * torch.rsqrt(self._chi2.rsample(sample_shape) / self.df))

    def _log_ratio(self):
        """The logarithm of gamma(df / 2) / gamma((df + 1) / 2)."""
        return torch.lgamma(0.5 * self.df) - torch.lgamma(0.5 * (self.df + 1.0))

    def log_prob(self, value):
        self._check(value)
        y = (value - self.loc) / self.scale
        constant = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + self._log_ratio()
        return -0.5 * (self.df + 1.0) * torch.log1p(y ** 2.0 / self.df) - constant

    def entropy(self):
        half = 0.5 * (self.df + 1)
        slope = torch.digamma(half) - torch.digamma(0.5 * self.df)
        return self.scale.log() + half * slope + 0.5 * self.df.log() + self._log_ratio() + math.lgamma(0.5)
