"""One of several categories, as a vector with a one in its place."""
from rushlight.ops.late import F, torch
from rushlight.tensor import Size

from . import constraints
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """Vectors of length K with a single one; see ``Categorical`` for ``probs`` and ``logits``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import OneHotCategorical
    >>> OneHotCategorical(torch.tensor([0., 1., 0.])).sample()
    tensor([0., 1., 0.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True
    _own_dims = {"_categorical": 0}

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @property
    def _param(self):
        return self._categorical._param

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
        return self.probs

    @property
    def mode(self):
        return F.one_hot(self.probs.argmax(dim=-1), num_classes=self.probs.shape[-1]).to(self.probs)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        indices = self._categorical.sample(Size(sample_shape))
        return F.one_hot(indices, self._categorical._num_events).to(self.probs)

    def log_prob(self, value):
        self._check(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self.event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype).view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """``OneHotCategorical`` whose ``rsample`` hands gradients straight to the probabilities (Y. Bengio and others, 2013).

    >>> import rushlight as torch
    >>> from rushlight.distributions import OneHotCategoricalStraightThrough
    >>> p = torch.tensor([0., 1.], requires_grad=True)
    >>> OneHotCategoricalStraightThrough(p).rsample()
    tensor([0., 1.], grad_fn=<AddBackward0>)
    """

    has_rsample = True
    _own_dims = {"_categorical": 0}

    def rsample(self, sample_shape=()):
        probs = self._categorical.probs
        return self.sample(sample_shape) + (probs - probs.detach())
