"""Coins that can fall a little on both sides: samples with gradients."""
from rushlight.ops.late import torch

from . import constraints
from ._odds import ODDS, Odds
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Odds):
    """The logits of ``RelaxedBernoulli``: a logistic number around ``logits``, divided by ``temperature``.

    Raises:
        ValueError: unless exactly one of ``probs`` and ``logits`` is given, within its constraint.
    """

    support = constraints.real
    _own_dims = ODDS
    _kept = ("temperature",)

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        super().__init__(self._set_odds(probs, logits).shape, validate_args=validate_args)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=probs.dtype))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        gap = logits - value.mul(self.temperature)
        return self.temperature.log() + gap - 2 * gap.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """Numbers in (0, 1) that come close to those of ``Bernoulli`` as the tensor ``temperature`` goes to 0, and have gradients.

    >>> import rushlight as torch
    >>> from rushlight.distributions import RelaxedBernoulli
    >>> RelaxedBernoulli(torch.tensor(0.1), probs=torch.tensor([0.1, 0.9])).rsample().shape
    torch.Size([2])
    """

    arg_constraints = Odds.arg_constraints
    support = constraints.unit_interval
    has_rsample = True
    _own_dims: dict[str, int] = {}

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args)

    @property
    def temperature(self):
        """The temperature."""
        return self.base_dist.temperature

    @property
    def logits(self):
        """The logarithm of the odds."""
        return self.base_dist.logits

    @property
    def probs(self):
        """The probability."""
        return self.base_dist.probs
