"""Counts of categories among several draws."""
import math

from rushlight.ops.late import torch
from rushlight.tensor import Size

from . import constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """How often each of K categories comes in ``total_count`` draws; see ``Categorical`` for ``probs`` and ``logits``.

    Raises:
        NotImplementedError: for a ``total_count`` that is no int.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Multinomial
    >>> Multinomial(4, torch.tensor([1., 0.])).sample()
    tensor([4., 0.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    _own_dims = {"_categorical": 0}
    _kept = ("total_count", "_binomial")

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported\nGive one int for the whole batch.")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    @property
    def probs(self):
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self):
        """Logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._categorical.param_shape

    @property
    def mean(self):
        return self.probs * self.total_count

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        sample_shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count,)) + sample_shape).movedim(0, -1)
        counts = torch.zeros(self._extended_shape(sample_shape), dtype=drawn.dtype)
        return counts.scatter_add_(-1, drawn, torch.ones_like(drawn)).type_as(self.probs)

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        never = (value == 0) & (logits == -math.inf)  # 0 * -inf is 0 here
        powers = (logits.masked_fill(never, 0) * value).sum(-1)
        return torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1) + powers

    def entropy(self):
        n = torch.tensor(self.total_count)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        ties = (torch.exp(self._binomial.log_prob(counts)) * torch.lgamma(counts + 1)).sum([0, -1])
        return n * self._categorical.entropy() - torch.lgamma(n + 1) + ties
