"""The von Mises distribution, the normal one of the circle.

Samples come from the rejection of D. Best and N. Fisher, "Efficient simulation of the von Mises distribution" (1979), in double as
PyTorch's. The Bessel functions are the exponentially scaled ones, to full precision, where PyTorch has polynomials of seven digits.
"""
import math

from rushlight import dtypes
from rushlight.autograd.modes import no_grad
from rushlight.ops import special_bessel as _special_bessel  # noqa: F401  (declares i0e, i1e)
from rushlight.ops.late import torch
from rushlight.ops.table import namespaces

from . import constraints
from .distribution import Distribution
from .utils import lazy_property

__all__ = ["VonMises"]


def _log_bessel(order, x):
    return namespaces["special"][("i0e", "i1e")[order]](x).log() + x


class VonMises(Distribution):
    """Angles around ``loc``, between -pi and pi; the greater ``concentration``, the closer.

    >>> import rushlight as torch
    >>> from rushlight.distributions import VonMises
    >>> VonMises(torch.tensor(0.), torch.tensor(1.)).log_prob(torch.tensor(0.))
    tensor(-1.0738)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    _own_dims = {"loc": 0, "concentration": 0}

    def __init__(self, loc, concentration, validate_args=None):
        self._set_parameters(validate_args, loc=loc, concentration=concentration)

    def log_prob(self, value):
        self._check(value)
        return self.concentration * torch.cos(value - self.loc) - math.log(2 * math.pi) - _log_bessel(0, self.concentration)

    @lazy_property
    def _proposal_r(self):
        """The parameter of the wrapped Cauchy distribution that proposes."""
        kappa = self.concentration.to(dtypes.float64)
        tau = 1 + (1 + 4 * kappa ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho ** 2) / (2 * rho))

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with no_grad():
            loc, kappa, r = self.loc.to(dtypes.float64), self.concentration.to(dtypes.float64), self._proposal_r
            x = torch.zeros(shape, dtype=dtypes.float64)
            done = torch.zeros(shape, dtype=dtypes.bool_)
            while not done.all():  # each round draws for all: accepted angles may move again, as in PyTorch
                u1, u2, u3 = torch.rand((3, *shape), dtype=dtypes.float64).unbind()
                z = torch.cos(math.pi * u1)
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                accept = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                x = torch.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        """The circular variance."""
        return 1 - (_log_bessel(1, self.concentration) - _log_bessel(0, self.concentration)).exp()
