"""Successes before a number of failures."""
from rushlight.autograd.modes import no_grad
from rushlight.ops.late import F, torch

from . import constraints
from ._odds import ODDS, Odds
from .gamma import Gamma
from .utils import lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Odds):
    """The number of successes, of probability ``probs`` (or the sigmoid of ``logits``), before ``total_count`` failures.

    Raises:
        ValueError: unless exactly one of ``probs`` and ``logits`` is given, within its constraint.

    >>> import rushlight as torch
    >>> from rushlight.distributions import NegativeBinomial
    >>> NegativeBinomial(2., torch.tensor(0.5)).mean
    tensor(2.)
    """

    arg_constraints = {"total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}
    support = constraints.nonnegative_integer
    _own_dims = {"total_count": 0, **ODDS}

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        super().__init__(self._set_odds(probs, logits, total_count).shape, validate_args=validate_args)

    @property
    def mean(self):
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self):
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        return self.mean / torch.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self):
        return Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape=()):
        with no_grad():
            return torch.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value):
        self._check(value)
        n = self.total_count
        chance = n * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        ways = torch.lgamma(n + value) - torch.lgamma(1.0 + value) - torch.lgamma(n)
        return chance + ways.masked_fill(n + value == 0.0, 0.0)  # no trials: one way
