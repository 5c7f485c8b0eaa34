"""The Gumbel distribution."""
import math

from rushlight import dtypes
from rushlight.ops.late import torch

from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The distribution of maxima, around ``loc``, of scale ``scale``: ``loc - scale * log(-log(u))`` with u uniform.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Gumbel
    >>> Gumbel(0., 1.).mean
    tensor(0.5772)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    _own_dims = {"loc": 0, "scale": 0}

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = dtypes.finfo(self.loc.dtype)
        base = Uniform(torch.full_like(self.loc, limits.tiny), torch.full_like(self.loc, 1 - limits.eps), validate_args=validate_args)
        steps = [ExpTransform().inv, AffineTransform(loc=0, scale=-torch.ones_like(self.scale)), ExpTransform().inv,
                 AffineTransform(loc=loc, scale=-self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    def log_prob(self, value):
        self._check(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    @property
    def mean(self):
        return self.loc + self.scale * euler_constant

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)
