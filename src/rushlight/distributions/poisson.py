"""The Poisson distribution."""
from rushlight.autograd.modes import no_grad
from rushlight.ops.late import torch

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """Counts of events that come at ``rate``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Poisson
    >>> Poisson(torch.tensor(2.)).log_prob(torch.tensor([0., 1.]))
    tensor([-2.0000, -1.3069])
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    _own_dims = {"rate": 0}

    def __init__(self, rate, validate_args=None):
        self._set_parameters(validate_args, rate=rate)

    @property
    def mean(self):
        return self.rate

    @property
    def mode(self):
        return self.rate.floor()

    @property
    def variance(self):
        return self.rate

    def sample(self, sample_shape=()):
        with no_grad():
            return torch.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (torch.log(self.rate),)

    def _log_normalizer(self, x):
        return torch.exp(x)
