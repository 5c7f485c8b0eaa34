"""The gamma distribution."""
from rushlight import dtypes
from rushlight.ops import special_gamma as _special_gamma  # noqa: F401  (declares the incomplete gamma function)
from rushlight.ops.late import torch
from rushlight.ops.sampling_gamma import standard_gamma
from rushlight.tensor import Tensor

from . import constraints
from .exp_family import ExponentialFamily

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """The gamma distribution of shape ``concentration`` and inverse scale ``rate``. Gradients of samples are right to a part in a
    thousand, as PyTorch's: see ``kernels.random_gradients``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Gamma
    >>> d = Gamma(torch.tensor([2.]), torch.tensor([4.]))
    >>> d.mean, d.variance
    (tensor([0.5000]), tensor([0.1250]))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _own_dims = {"concentration": 0, "rate": 0}

    def __init__(self, concentration, rate, validate_args=None):
        self._set_parameters(validate_args, concentration=concentration, rate=rate)

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def mode(self):
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self):
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        value = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=dtypes.finfo(value.dtype).tiny)  # an underflow to 0 has no logarithm
        return value

    def log_prob(self, value):
        if not isinstance(value, Tensor):
            value = torch.as_tensor(value)
        value = value.to(self.rate.dtype)
        self._check(value)
        return (torch.xlogy(self.concentration, self.rate) + torch.xlogy(self.concentration - 1, value) - self.rate * value
                - torch.lgamma(self.concentration))

    def cdf(self, value):
        self._check(value)
        return torch.igamma(self.concentration, self.rate * value)

    def entropy(self):
        return (self.concentration - torch.log(self.rate) + torch.lgamma(self.concentration)
                + (1.0 - self.concentration) * torch.digamma(self.concentration))

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())
