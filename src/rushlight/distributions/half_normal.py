"""The half-normal distribution."""
import math

from ._half import Half
from .normal import Normal
from .transforms import AbsTransform

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """The distribution of ``abs(x)`` with x normal of mean 0 and deviation ``scale``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import HalfNormal
    >>> HalfNormal(1.).mean
    tensor(0.7979)
    """

    _own_dims: dict[str, int] = {}

    def __init__(self, scale, validate_args=None):
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        return self.scale.pow(2) * (1 - 2 / math.pi)
