"""Divergences between two distributions of one kind."""
import math

from rushlight.autograd.api import grad
from rushlight.ops.late import F, linalg, torch

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .kl import kl_divergence, register_kl
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis, half_log_det
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import _sum_rightmost, euler_constant

__all__: list[str] = []


def _of(*kinds):
    return register_kl(*kinds) if len(kinds) == 2 else register_kl(kinds[0], kinds[0])


@_of(Bernoulli)
def _bernoulli(p, q):
    def side(probability, sign, impossible):
        term = probability * (F.softplus(sign * q.logits) - F.softplus(sign * p.logits))
        return term.masked_fill(impossible, math.inf).masked_fill(probability == 0, 0)
    return side(p.probs, -1, q.probs == 0) + side(1 - p.probs, 1, q.probs == 1)


def _log_beta(total, *parts):
    return sum(part.lgamma() for part in parts) - total.lgamma()


@_of(Beta)
def _beta(p, q):
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    constant = _log_beta(c + d, c, d) - _log_beta(a + b, a, b)
    return constant + (a - c) * torch.digamma(a) + (b - d) * torch.digamma(b) + (c + d - a - b) * torch.digamma(a + b)


@_of(Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * one).masked_fill(p.total_count > q.total_count, math.inf)


@_of(Categorical)
def _categorical(p, q):
    terms = (p.probs * (p.logits - q.logits)).masked_fill(q.probs == 0, math.inf)
    return terms.masked_fill(p.probs == 0, 0).sum(-1)


@_of(OneHotCategorical)
def _one_hot(p, q):
    return _categorical(p._categorical, q._categorical)


@_of(ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    return (p.mean * (p.logits - q.logits) + p._cont_bern_log_norm() + torch.log1p(-p.probs)
            - q._cont_bern_log_norm() - torch.log1p(-q.probs))


@_of(Dirichlet)
def _dirichlet(p, q):
    total = p.concentration.sum(-1)
    constant = total.lgamma() - q.concentration.sum(-1).lgamma() - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    slopes = p.concentration.digamma() - total.digamma().unsqueeze(-1)
    return constant + ((p.concentration - q.concentration) * slopes).sum(-1)


@_of(Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@_of(ExponentialFamily)
def _exponential_family(p, q):
    """Bregman's divergence of the log normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential families cannot be computed using Bregman "
                                  "divergences")
    mine, theirs = [a.detach().requires_grad_() for a in p._natural_params], q._natural_params
    normalizer = p._log_normalizer(*mine)
    slopes = grad(normalizer.sum(), mine, create_graph=True)
    result = q._log_normalizer(*theirs) - normalizer
    for a, b, slope in zip(mine, theirs, slopes):
        result = result - _sum_rightmost((b - a) * slope, len(q.event_shape))
    return result


@_of(Gamma)
def _gamma(p, q):
    return (q.concentration * (p.rate / q.rate).log() + torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
            + (p.concentration - q.concentration) * torch.digamma(p.concentration) + (q.rate - p.rate) * (p.concentration / p.rate))


@_of(Gumbel)
def _gumbel(p, q):
    ratio, shift = p.scale / q.scale, (q.loc - p.loc) / q.scale
    return -ratio.log() - shift + ratio * euler_constant + torch.exp(shift + (1 + ratio).lgamma()) - (1 + euler_constant)


@_of(Geometric)
def _geometric(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@_of(Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@_of(HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@_of(Laplace)
def _laplace(p, q):
    ratio, gap = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + gap / q.scale + ratio * torch.exp(-gap / p.scale) - 1


@_of(Cauchy)
def _cauchy(p, q):
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@_of(Pareto)
def _pareto(p, q):
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return result.masked_fill(p.scale < q.scale, math.inf)


@_of(Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@_of(Uniform)
def _uniform(p, q):
    return ((q.high - q.low) / (p.high - p.low)).log().masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@_of(TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("No KL(p || q) is implemented for different transforms")
    return kl_divergence(p.base_dist, q.base_dist)


@_of(Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("No KL(p || q) is implemented for different reinterpreted_batch_ndims")
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# -- normal distributions of vectors: log det(q) / det(p), the trace of p's covariance measured by q, and the distance of the means


def _square(matrix):
    """The sum of squares of each matrix, the trace of ``m @ m.mT``."""
    return matrix.pow(2).sum((-2, -1))


def _same_events(p, q, kind):
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between two {kind} with different event shapes cannot be computed")


def _solve(tril, matrix):
    """``inv(tril) @ matrix``, batches broadcast."""
    batch = torch.broadcast_shapes(tril.shape[:-2], matrix.shape[:-2])
    return linalg.solve_triangular(tril.expand(batch + tril.shape[-2:]), matrix.expand(batch + matrix.shape[-2:]), upper=False)


@_of(MultivariateNormal)
def _multivariate_normal(p, q):
    _same_events(p, q, "Multivariate Normals")
    mine, its = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    spread = _square(_solve(its, mine)) + _batch_mahalanobis(its, q.loc - p.loc)
    return half_log_det(its) - half_log_det(mine) + 0.5 * (spread - p.event_shape[0])


_VECTORS = "(Low Rank) Multivariate Normals"


@_of(LowRankMultivariateNormal)
def _low_rank(p, q):
    _same_events(p, q, "Low Rank Multivariate Normals")
    half, root = q._half_precision(), p._unbroadcasted_cov_diag.sqrt()
    factor, weights = p._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
    trace = ((p._unbroadcasted_cov_diag / weights).sum(-1) + _square(factor * weights.rsqrt().unsqueeze(-1))
             - _square(half * root.unsqueeze(-2)) - _square(half.matmul(factor)))
    return 0.5 * (q._log_det() - p._log_det() + trace + q._mahalanobis(q.loc - p.loc) - p.event_shape[0])


@_of(MultivariateNormal, LowRankMultivariateNormal)
def _to_low_rank(p, q):
    _same_events(p, q, _VECTORS)
    mine = p._unbroadcasted_scale_tril
    trace = _square(mine * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)) - _square(q._half_precision().matmul(mine))
    return 0.5 * (q._log_det() - 2 * half_log_det(mine) + trace + q._mahalanobis(q.loc - p.loc) - p.event_shape[0])


@_of(LowRankMultivariateNormal, MultivariateNormal)
def _from_low_rank(p, q):
    _same_events(p, q, _VECTORS)
    its = q._unbroadcasted_scale_tril
    trace = _square(_solve(its, p._unbroadcasted_cov_factor)) + _square(_solve(its, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt())))
    return 0.5 * (2 * half_log_det(its) - p._log_det() + trace + _batch_mahalanobis(its, q.loc - p.loc) - p.event_shape[0])
