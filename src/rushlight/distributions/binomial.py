"""Heads among several tosses."""
from rushlight.autograd.modes import no_grad
from rushlight.ops.late import torch

from . import constraints
from ._odds import ODDS, Odds

__all__ = ["Binomial"]


def _positive_part(x):
    """``x.clamp(min=0)`` with the gradient 1/2 at 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(Odds):
    """The number of successes in ``total_count`` trials of probability ``probs`` (or the sigmoid of ``logits``).

    Raises:
        ValueError: unless exactly one of ``probs`` and ``logits`` is given, within its constraint.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Binomial
    >>> d = Binomial(2, torch.tensor(0.5))
    >>> d.log_prob(d.enumerate_support()).exp()
    tensor([0.2500, 0.5000, 0.2500])
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer, **Odds.arg_constraints}
    has_enumerate_support = True
    _own_dims = {"total_count": 0, **ODDS}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        super().__init__(self._set_odds(probs, logits, total_count).shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        self._check(value)
        n = self.total_count
        ways = torch.lgamma(n + 1) - torch.lgamma(value + 1) - torch.lgamma(n - value + 1)
        softplus = _positive_part(self.logits) + torch.log1p(torch.exp(-torch.abs(self.logits)))
        return value * self.logits + ways - n * softplus

    def _one_count(self, name):
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{name}`.")
        return count

    def entropy(self):
        self._one_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        return self._enumerated(torch.arange(1 + self._one_count("enumerate_support"), dtype=self._param.dtype), expand)
