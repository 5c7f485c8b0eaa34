"""Failures before the first success."""
from rushlight import dtypes
from rushlight.autograd.modes import no_grad
from rushlight.ops.late import F, torch

from . import constraints
from ._odds import ODDS, Odds
from .utils import broadcast_all

__all__ = ["Geometric"]


class Geometric(Odds):
    """The number of failures before the first success, each trial with probability ``probs`` (or the sigmoid of ``logits``).

    Raises:
        ValueError: unless exactly one of ``probs`` and ``logits`` is given; for probabilities outside (0, 1].

    >>> import rushlight as torch
    >>> from rushlight.distributions import Geometric
    >>> Geometric(torch.tensor(0.25)).mean
    tensor(3.)
    """

    support = constraints.nonnegative_integer
    _own_dims = ODDS

    def __init__(self, probs=None, logits=None, validate_args=None):
        value = self._set_odds(probs, logits)
        super().__init__(value.shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not (value > 0).all():
            raise ValueError(f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} "
                             f"to be positive but found invalid values:\n{value.detach()[~(value > 0)]}")

    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        return torch.zeros_like(self.probs)

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=()):
        dtype = self.probs.dtype
        with no_grad():
            u = torch.empty(self._extended_shape(sample_shape), dtype=dtype).uniform_(dtypes.finfo(dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        self._check(value)
        value, probs = broadcast_all(value, self.probs)
        sure = (probs == 1) & (value == 0)  # no failure there is: 0 * log(0) is 0 here
        return value * (-probs.masked_fill(sure, 0)).log1p() + self.probs.log()

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
