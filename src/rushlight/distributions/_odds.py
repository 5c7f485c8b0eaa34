"""Distributions over one probability, given as ``probs`` or as ``logits``: the other one is computed when it is asked for."""
from rushlight.tensor import Size

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

__all__ = ["ODDS", "Odds", "exactly_one"]

ODDS = {"probs": 0, "logits": 0, "_param": 0}


def exactly_one(probs, logits):
    """Raise ValueError unless one of the two is None."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class Odds(Distribution):
    """What Bernoulli, Binomial, Geometric and others share."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    _own_dims = ODDS

    def _set_odds(self, probs, logits, total_count=None):
        exactly_one(probs, logits)
        name = "logits" if probs is None else "probs"
        given = logits if probs is None else probs
        if total_count is None:
            (value,) = broadcast_all(given)
        else:
            count, value = broadcast_all(total_count, given)
            self.total_count = count.type_as(value)
        setattr(self, name, value)
        self._param = value
        return value

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self):
        """The logarithm of the odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        """The probability."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return Size(self._param.shape)
