"""The logistic normal distribution."""
from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Probabilities of K + 1 categories: K normal numbers of mean ``loc`` and deviation ``scale``, through ``StickBreakingTransform``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import LogisticNormal
    >>> LogisticNormal(torch.zeros(2), torch.ones(2)).sample().sum()
    tensor(1.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    _own_dims: dict[str, int] = {}

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base if base.batch_shape else base.expand([1]), StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self):
        """The means before the transform."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self):
        """The deviations before the transform."""
        return self.base_dist.base_dist.scale
