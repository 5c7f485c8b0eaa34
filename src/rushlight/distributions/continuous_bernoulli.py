"""The continuous Bernoulli distribution."""
import math

from rushlight.autograd.modes import no_grad
from rushlight.ops.late import F, torch

from . import constraints
from ._odds import ODDS, Odds
from .exp_family import ExponentialFamily
from .utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Odds, ExponentialFamily):
    """Numbers x in [0, 1] with a density in proportion to ``probs ** x * (1 - probs) ** (1 - x)``
    (G. Loaiza-Ganem and J. Cunningham, 2019).

    Args:
        probs, logits: exactly one of them.
        lims: between these probabilities, near 1/2 where the formulas are 0 / 0, Taylor series take their place.

    >>> import rushlight as torch
    >>> from rushlight.distributions import ContinuousBernoulli
    >>> ContinuousBernoulli(torch.tensor(0.5)).variance
    tensor(0.0833)
    """

    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0
    _own_dims = ODDS
    _kept = ("_lims",)

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        value = self._set_odds(probs, logits)
        self._lims = lims
        if logits is None:
            if validate_args is not None and not constraints.unit_interval.check(value).all():
                raise ValueError("The parameter probs has invalid values")
            value = self.probs = self._param = clamp_probs(value)
        super().__init__(value.shape, validate_args=validate_args)

    @lazy_property
    def probs(self):
        """The probability parameter."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _away_from_half(self):
        """Where the formulas hold, and the probabilities with a harmless one elsewhere."""
        away = (self.probs <= self._lims[0]) | (self.probs > self._lims[1])
        return away, torch.where(away, self.probs, self._lims[0] * torch.ones_like(self.probs))

    def _cont_bern_log_norm(self):
        """The logarithm of the density's constant."""
        away, p = self._away_from_half()
        below = torch.where(p <= 0.5, p, torch.zeros_like(p))
        above = torch.where(p >= 0.5, p, torch.ones_like(p))
        gap = torch.where(p <= 0.5, torch.log1p(-2.0 * below), torch.log(2.0 * above - 1.0))
        exact = torch.log(torch.abs(torch.log1p(-p) - torch.log(p))) - gap
        x = torch.pow(self.probs - 0.5, 2)
        return torch.where(away, exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self):
        away, p = self._away_from_half()
        x = self.probs - 0.5
        exact = p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - torch.log(p))
        return torch.where(away, exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * torch.pow(x, 2)) * x)

    @property
    def variance(self):
        away, p = self._away_from_half()
        x = torch.pow(self.probs - 0.5, 2)
        exact = p * (p - 1.0) / torch.pow(1.0 - 2.0 * p, 2) + 1.0 / torch.pow(torch.log1p(-p) - torch.log(p), 2)
        return torch.where(away, exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape=()):
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value):
        self._check(value)
        away, p = self._away_from_half()
        exact = (torch.pow(p, value) * torch.pow(1.0 - p, 1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inner = torch.where(away, exact, value)
        return torch.where(value <= 0.0, torch.zeros_like(value), torch.where(value >= 1.0, torch.ones_like(value), inner))

    def icdf(self, value):
        away, p = self._away_from_half()
        fail = torch.log1p(-p)
        return torch.where(away, (torch.log1p(-p + value * (2.0 * p - 1.0)) - fail) / (torch.log(p) - fail), value)

    def entropy(self):
        fail, success = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (fail - success) - self._cont_bern_log_norm() - fail

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        low, high = (limit - 0.5 for limit in self._lims)
        away = (x <= low) | (x > high)
        safe = torch.where(away, x, low * torch.ones_like(x))
        exact = torch.log(torch.abs(torch.expm1(safe))) - torch.log(torch.abs(safe))
        return torch.where(away, exact, 0.5 * x + torch.pow(x, 2) / 24.0 - torch.pow(x, 4) / 2880.0)
