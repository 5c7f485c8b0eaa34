"""One of several categories."""
import math

from rushlight import dtypes
from rushlight.ops.late import torch
from rushlight.tensor import Size

from . import constraints
from ._odds import exactly_one
from .distribution import Distribution
from .utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Categorical"]


class Categorical(Distribution):
    """Indices 0 to K - 1, with probabilities in proportion to ``probs``, or to ``exp(logits)``, along the last dimension.

    Raises:
        ValueError: unless exactly one of ``probs`` and ``logits`` is given, with at least one dimension.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Categorical
    >>> d = Categorical(torch.tensor([1., 1., 2.]))
    >>> d.probs, d.log_prob(torch.tensor(2)).exp()
    (tensor([0.2500, 0.2500, 0.5000]), tensor(0.5000))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _own_dims = {"probs": 1, "logits": 1, "_param": 1}
    _kept = ("_num_events",)

    def __init__(self, probs=None, logits=None, validate_args=None):
        exactly_one(probs, logits)
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = self._param = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = self._param = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.shape[:-1], validate_args=validate_args)

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self):
        """Logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self):
        """The probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._param.size()

    @property
    def mean(self):
        return torch.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    @property
    def mode(self):
        return self.probs.argmax(dim=-1)

    @property
    def variance(self):
        return torch.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    def sample(self, sample_shape=()):
        rows = self.probs.reshape(-1, self._num_events)
        drawn = torch.multinomial(rows, Size(sample_shape).numel(), True)
        return drawn.T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        self._check(value)
        index, log_pmf = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_pmf.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self):
        finite = torch.clamp(self.logits, min=dtypes.finfo(self.logits.dtype).min)  # 0 * -inf is 0 here
        return -(finite * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        return self._enumerated(torch.arange(self._num_events), expand)
