"""Divergences between distributions of different kinds: of -entropy(p) and the mean of ``q.log_prob`` under p, in closed form.

Where p has values outside the support of q the divergence is infinite, for whole pairs of kinds (the table at the foot) or for some
parameters (``masked_fill``).
"""
import math

from rushlight.ops.late import torch

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .continuous_bernoulli import ContinuousBernoulli
from .exponential import Exponential
from .gamma import Gamma
from .gumbel import Gumbel
from .kl import register_kl
from .laplace import Laplace
from .normal import Normal
from .pareto import Pareto
from .poisson import Poisson
from .uniform import Uniform
from .utils import euler_constant

__all__: list[str] = []

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


def _normal_cost(mean, variance, q):
    """The mean of ``-q.log_prob`` for a normal q, under a distribution of this mean and variance."""
    return _HALF_LOG_2PI + q.scale.log() + (variance + (mean - q.loc).pow(2)) / (2 * q.scale.pow(2))


def _gamma_cost(mean, mean_log, q):
    """The same for a gamma q, from the means of x and log(x)."""
    return q.concentration.lgamma() - q.concentration * q.rate.log() - (q.concentration - 1) * mean_log + q.rate * mean


def _bernoulli_cost(mean, q):
    """The same for a continuous Bernoulli q."""
    return -mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p, q):
    return -p.entropy() + _bernoulli_cost(p.mean, q)


@register_kl(Beta, Exponential)
def _beta_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    mean_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return -p.entropy() + _gamma_cost(p.mean, mean_log, q)


@register_kl(Beta, Normal)
def _beta_normal(p, q):
    return -p.entropy() + _normal_cost(p.mean, p.variance, q)


@register_kl(Beta, Uniform)
def _beta_uniform(p, q):
    return (-p.entropy() + (q.high - q.low).log()).masked_fill((q.low > 0) | (q.high < 1), math.inf)


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p, q):
    return -p.entropy() + _normal_cost(p.mean, p.variance, q)


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p, q):
    # PyTorch counts equal ends as outside.
    return (-p.entropy() + (q.high - q.low).log()).masked_fill((q.low >= 0) | (q.high <= 1), math.inf)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    return -p.entropy() + _gamma_cost(p.mean, -euler_constant - p.rate.log(), q)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    product, shift = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - shift + torch.exp(shift) * product / (product + 1) + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p, q):
    return -p.entropy() + _normal_cost(p.mean, p.variance, q)


@register_kl(Gamma, Exponential)
def _gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p, q):
    product, shift, a = p.rate * q.scale, q.loc / q.scale, p.concentration
    mean_exp = torch.exp(shift) * (1 + product.reciprocal()).pow(-a)
    return (a - 1) * a.digamma() - a.lgamma() - a + product.log() + a / product + mean_exp - shift


@register_kl(Gamma, Normal)
def _gamma_normal(p, q):
    return -p.entropy() + _normal_cost(p.mean, p.variance, q)


@register_kl(Gumbel, Normal)
def _gumbel_normal(p, q):
    return -p.entropy() + _normal_cost(p.mean, p.variance, q)


@register_kl(Laplace, Normal)
def _laplace_normal(p, q):
    return -p.entropy() + _normal_cost(p.mean, p.variance, q)


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    gap, ratio = (p.loc - q.loc) / q.scale, (p.scale / q.scale).pow(2)
    return -0.5 * ratio.log() + gap + torch.exp(-gap + 0.5 * ratio) - 0.5 - _HALF_LOG_2PI


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    gap = p.loc - q.loc
    away = gap / p.scale
    mean_distance = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * away.pow(2)) + gap * torch.erf(math.sqrt(0.5) * away)
    return (q.scale / p.scale).log() + mean_distance / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p, q):
    a, product = p.alpha, p.scale * q.rate
    return ((a / product).log() - a.reciprocal() + a * product / (a - 1) - 1).masked_fill(a <= 1, math.inf)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p, q):
    a = p.alpha
    mean_log = p.scale.log() + a.reciprocal()
    return (a.log() - mean_log - 1 + _gamma_cost(a * p.scale / (a - 1), mean_log, q)).masked_fill(a <= 1, math.inf)


@register_kl(Pareto, Normal)
def _pareto_normal(p, q):
    a = p.alpha
    mean = a * p.scale / (a - 1)
    variance = a * (p.scale / (a - 1)).pow(2) / (a - 2)
    return (-p.entropy() + _normal_cost(mean, variance, q)).masked_fill(a <= 2, math.inf)


def _x_log_x(x):
    return torch.xlogy(x, x)


def _mean_log(low, high):
    """The mean of log(x) for x uniform between the two."""
    return (_x_log_x(high) - _x_log_x(low)) / (high - low) - 1


@register_kl(Uniform, Beta)
def _uniform_beta(p, q):
    a, b = q.concentration1, q.concentration0
    constant = a.lgamma() + b.lgamma() - (a + b).lgamma()
    cost = constant - (a - 1) * _mean_log(p.low, p.high) - (b - 1) * _mean_log(1 - p.high, 1 - p.low)
    return (-p.entropy() + cost).masked_fill((p.high > 1) | (p.low < 0), math.inf)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p, q):
    return (-p.entropy() + _bernoulli_cost(p.mean, q)).masked_fill((p.high >= 1) | (p.low <= 0), math.inf)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    return (-p.entropy() - q.rate.log() + q.rate * p.mean).masked_fill(p.low < 0, math.inf)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p, q):
    return (-p.entropy() + _gamma_cost(p.mean, _mean_log(p.low, p.high), q)).masked_fill(p.low < 0, math.inf)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p, q):
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    ratio = q.scale / (p.high - p.low)
    return ratio.log() + 0.5 * (high + low) - ratio * (torch.exp(-high) - torch.exp(-low))


@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    return -p.entropy() + _normal_cost(p.mean, p.variance, q)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    cost = (q.alpha + 1) * _mean_log(p.low, p.high) - (q.alpha * q.scale.pow(q.alpha)).log()
    return (-p.entropy() + cost).masked_fill(p.low < q.scale, math.inf)


def _infinite(name):
    def infinity(p, q):
        return torch.full_like(getattr(p, name), math.inf)
    return infinity


# Kind of p, one of its parameters, and the kinds of q that do not reach as far.
for _p, _parameter, _kinds in (
        (Beta, "concentration1", (Pareto,)),
        (ContinuousBernoulli, "probs", (Pareto,)),
        (Exponential, "rate", (Beta, ContinuousBernoulli, Pareto, Uniform)),
        (Gamma, "concentration", (Beta, ContinuousBernoulli, Pareto, Uniform)),
        (Gumbel, "loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
        (Laplace, "loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
        (Normal, "loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
        (Pareto, "scale", (Beta, ContinuousBernoulli, Uniform)),
        (Poisson, "rate", (Bernoulli, Binomial))):
    for _q in _kinds:
        register_kl(_p, _q)(_infinite(_parameter))
