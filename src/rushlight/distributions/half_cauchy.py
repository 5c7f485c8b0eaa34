"""The half-Cauchy distribution."""
import math

from rushlight.ops.late import torch

from ._half import Half
from .cauchy import Cauchy
from .transforms import AbsTransform

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """The distribution of ``abs(x)`` with x from the Cauchy distribution around 0 of scale ``scale``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import HalfCauchy
    >>> HalfCauchy(1.).cdf(torch.tensor(1.))
    tensor(0.5000)
    """

    _own_dims: dict[str, int] = {}

    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self):
        return torch.full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self):
        return self.base_dist.variance

    def log_prob(self, value):
        return super().log_prob(torch.as_tensor(value, dtype=self.scale.dtype))
