"""Transforms of each element by itself."""
import math

from rushlight import dtypes
from rushlight.ops.late import F, torch

from . import constraints
from ._transform import Transform
from .utils import Number, broadcast_all, lazy_property

__all__ = ["AbsTransform", "AffineTransform", "CumulativeDistributionTransform", "ExpTransform", "PowerTransform", "SigmoidTransform",
           "SoftplusTransform", "TanhTransform"]


class _Plain(Transform):
    """Without parameters: all instances are equal."""

    domain: constraints.Constraint = constraints.real

    def __eq__(self, other):
        return isinstance(other, type(self))


class _Increasing(_Plain):
    bijective = True
    sign = +1


class ExpTransform(_Increasing):
    """``y = exp(x)``."""

    codomain = constraints.positive

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


def clipped_sigmoid(x):
    """The sigmoid, kept from 0 and 1 so that its inverse is finite."""
    limits = dtypes.finfo(x.dtype)
    return torch.clamp(torch.sigmoid(x), min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_Increasing):
    """``y = 1 / (1 + exp(-x))``; the inverse is ``logit``."""

    codomain = constraints.unit_interval

    def _call(self, x):
        return clipped_sigmoid(x)

    def _inverse(self, y):
        limits = dtypes.finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(_Increasing):
    """``y = log(1 + exp(x))``."""

    codomain = constraints.positive

    def _call(self, x):
        return F.softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -F.softplus(-x)


class TanhTransform(_Increasing):
    """``y = tanh(x)``. At its ends the inverse is infinite: keep the cache on for values that were made by it."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        # log(1 - tanh(x)**2) without its cancellation.
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(_Plain):
    """``y = abs(x)``; no bijection, its inverse takes the positive side."""

    codomain = constraints.positive

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


def _shape_of(value):
    return getattr(value, "shape", ())


class PowerTransform(Transform):
    """``y = x ** exponent``, for positive ``x``."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def _arguments(self):
        return (self.exponent,)

    @lazy_property
    def sign(self):
        """The sign of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and self.exponent.eq(other.exponent).all().item()

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape):
        return torch.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


class AffineTransform(Transform):
    """``y = loc + scale * x``.

    Args:
        loc, scale: tensors or numbers.
        event_dim: how many of the last dimensions make up an event.
    """

    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    def _arguments(self):
        return self.loc, self.scale, self._event_dim

    @property
    def event_dim(self):
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    def __eq__(self, other):
        if not isinstance(other, AffineTransform):
            return False
        for mine, its in (self.loc, other.loc), (self.scale, other.scale):
            same = mine == its
            if not (same if isinstance(same, bool) else same.all().item()):
                return False
        return True

    @property
    def sign(self):
        if isinstance(self.scale, Number):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        if isinstance(self.scale, Number):
            result = torch.full_like(x, math.log(abs(self.scale)))
        else:
            result = torch.abs(self.scale).log()
        if not self.event_dim:
            return result.expand(x.shape)
        return result.view((*result.shape[:-self.event_dim], -1)).sum(-1).expand(x.shape[:-self.event_dim])

    def forward_shape(self, shape):
        return torch.broadcast_shapes(shape, _shape_of(self.loc), _shape_of(self.scale))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(_Increasing):
    """``y = distribution.cdf(x)``: makes values of ``distribution`` uniform."""

    codomain = constraints.unit_interval

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    def _arguments(self):
        return (self.distribution,)

    def __eq__(self, other):
        return self is other

    @property
    def domain(self):
        return self.distribution.support

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)
