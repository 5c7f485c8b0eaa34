"""Mixtures of distributions of one kind."""
from rushlight.autograd.modes import no_grad
from rushlight.ops.late import torch
from rushlight.tensor import Size

from . import constraints
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """One of K components, chosen by ``mixture_distribution``.

    Args:
        mixture_distribution: a ``Categorical`` of K categories.
        component_distribution: a distribution whose last batch dimension counts the components.

    Raises:
        ValueError: for other things, and for shapes that do not fit.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Categorical, MixtureSameFamily, Normal
    >>> MixtureSameFamily(Categorical(torch.ones(2)), Normal(torch.tensor([0., 4.]), 1.)).mean
    tensor(2.)
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    _own_dims: dict[str, int] = {}
    _kept = ("_num_component", "_event_ndims")

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        mixed, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(a != 1 and b != 1 and a != b for a, b in zip(reversed(mixed), reversed(batch))):
            raise ValueError(f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                             f"`component_distribution.batch_shape`({batch})")
        weights, components = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if weights != components:
            raise ValueError(f"`mixture_distribution component` ({weights}) does not equal "
                             f"`component_distribution.batch_shape[-1]` ({components})")
        self._num_component, self._event_ndims = weights, len(component_distribution.event_shape)
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch_shape = Size(batch_shape)
        new = self._copy_for(batch_shape, _instance)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        return self._finish_copy(new, batch_shape, self._event_shape)

    @constraints.dependent_property
    def support(self):
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        """The distribution over the components."""
        return self._mixture_distribution

    @property
    def component_distribution(self):
        """The components."""
        return self._component_distribution

    def _weights(self):
        """The probabilities of the components, with dimensions for the batch and the event."""
        probs, own = self._mixture_distribution.probs, len(self._mixture_distribution.batch_shape)
        more = 0 if own == 1 else len(self.batch_shape) - own
        return probs.reshape(probs.shape[:-1] + (1,) * more + probs.shape[-1:] + (1,) * self._event_ndims)

    def _average(self, values):
        return torch.sum(self._weights() * values, dim=-1 - self._event_ndims)

    def _pad(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    @property
    def mean(self):
        return self._average(self._component_distribution.mean)

    @property
    def variance(self):
        parts = self._component_distribution
        return self._average(parts.variance) + self._average((parts.mean - self._pad(self.mean)).pow(2.0))

    def cdf(self, x):
        return torch.sum(self._component_distribution.cdf(self._pad(x)) * self._mixture_distribution.probs, dim=-1)

    def log_prob(self, x):
        self._check(x)
        weights = torch.log_softmax(self._mixture_distribution.logits, dim=-1)
        return torch.logsumexp(self._component_distribution.log_prob(self._pad(x)) + weights, dim=-1)

    def sample(self, sample_shape=()):
        with no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            values = self._component_distribution.sample(sample_shape)
            chosen = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            return torch.gather(values, dim, chosen.expand(chosen.shape[:dim + 1] + self.event_shape)).squeeze(dim)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"
