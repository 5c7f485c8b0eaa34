"""One toss of a coin."""
from rushlight.autograd.modes import no_grad
from rushlight.ops.late import F, torch

from . import constraints
from ._odds import ODDS, Odds
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Bernoulli"]


class Bernoulli(Odds, ExponentialFamily):
    """1 with probability ``probs`` (or the sigmoid of ``logits``), else 0.

    Raises:
        ValueError: unless exactly one of ``probs`` and ``logits`` is given, within its constraint.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Bernoulli
    >>> d = Bernoulli(torch.tensor(0.25))
    >>> d.log_prob(torch.tensor(1.)).exp(), d.variance
    (tensor(0.2500), tensor(0.1875))
    """

    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0
    _own_dims = ODDS

    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(self._set_odds(probs, logits).shape, validate_args=validate_args)

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = float("nan")
        return mode

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        with no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        return self._enumerated(torch.arange(2, dtype=self._param.dtype), expand)

    @property
    def _natural_params(self):
        return (torch.logit(self.probs),)

    def _log_normalizer(self, x):
        return torch.log1p(torch.exp(x))
