"""One or two of every distribution, made by any engine: what the tests of this folder go through.

A case is ``Case(make, values)``: ``make(d, t)`` builds the distribution, with ``d`` the package and ``t`` a function from numbers to a
tensor that requires grad; ``values`` are events inside the support, for the whole batch. ``quantiles`` says that ``cdf`` and ``icdf`` both
exist, ``grid`` an interval that holds nearly all of a one-dimensional density.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any


@dataclasses.dataclass
class Case:
    make: Callable[..., Any]
    values: Sequence[Any]
    quantiles: bool = False
    grid: tuple[float, float] | None = None
    moments: bool = True  # mean and variance exist and are finite


def spd(t):
    return t([[2.0, 0.5], [0.5, 1.0]])


CASES = {
    "Bernoulli": Case(lambda d, t: d.Bernoulli(t([0.2, 0.7])), [0.0, 1.0]),
    "Bernoulli-logits": Case(lambda d, t: d.Bernoulli(logits=t([-1.0, 2.0])), [1.0, 1.0]),
    "Beta": Case(lambda d, t: d.Beta(t([1.5, 4.0]), t([2.5, 0.8])), [0.3, 0.6], grid=(0, 1)),
    "Binomial": Case(lambda d, t: d.Binomial(7, t([0.2, 0.7])), [3.0, 6.0]),
    "Binomial-logits": Case(lambda d, t: d.Binomial(t([40.0, 40.0]).detach(), logits=t([-0.3, 1.0])), [20.0, 26.0]),
    "Categorical": Case(lambda d, t: d.Categorical(t([[0.2, 0.3, 0.5], [1.0, 1.0, 2.0]])), [2, 0], moments=False),
    "Categorical-logits": Case(lambda d, t: d.Categorical(logits=t([[0.2, -1.0, 0.5], [1.0, 1.0, 2.0]])), [1, 2], moments=False),
    "Cauchy": Case(lambda d, t: d.Cauchy(t([0.0, 1.0]), t([1.0, 0.5])), [0.3, -2.0], quantiles=True, moments=False),
    "Chi2": Case(lambda d, t: d.Chi2(t([3.0, 5.5])), [2.0, 4.0], grid=(0, 60)),
    "ContinuousBernoulli": Case(lambda d, t: d.ContinuousBernoulli(t([0.2, 0.4995])), [0.3, 0.9], quantiles=True, grid=(0, 1)),
    "ContinuousBernoulli-logits": Case(lambda d, t: d.ContinuousBernoulli(logits=t([-2.0, 1.0])), [0.3, 0.9], quantiles=True, grid=(0, 1)),
    "Dirichlet": Case(lambda d, t: d.Dirichlet(t([[0.5, 1.5, 3.0], [8.0, 9.0, 20.0]])), [[0.2, 0.3, 0.5], [0.25, 0.25, 0.5]]),
    "Exponential": Case(lambda d, t: d.Exponential(t([0.5, 2.0])), [1.0, 0.2], quantiles=True, grid=(0, 60)),
    "FisherSnedecor": Case(lambda d, t: d.FisherSnedecor(t([3.0, 5.0]), t([12.0, 14.0])), [1.0, 0.4], grid=(0, 300)),
    "Gamma": Case(lambda d, t: d.Gamma(t([0.7, 12.0, 3.0]), t([1.0, 2.0, 0.5])), [0.5, 7.0, 4.0], grid=(0, 80)),
    "GeneralizedPareto": Case(lambda d, t: d.GeneralizedPareto(t([0.0, 1.0, 1.0]), t([1.0, 0.5, 2.0]), t([0.2, -0.3, 0.0])),
                              [0.4, 1.5, 3.0], quantiles=True),
    "Geometric": Case(lambda d, t: d.Geometric(t([0.3, 0.9])), [2.0, 0.0]),
    "Geometric-logits": Case(lambda d, t: d.Geometric(logits=t([0.3, -0.9])), [2.0, 1.0]),
    "Gumbel": Case(lambda d, t: d.Gumbel(t([0.0, 1.0]), t([1.0, 2.0])), [0.5, -1.0], quantiles=True, grid=(-15, 60)),
    "HalfCauchy": Case(lambda d, t: d.HalfCauchy(t([1.0, 2.0])), [0.5, 4.0], quantiles=True, moments=False),
    "HalfNormal": Case(lambda d, t: d.HalfNormal(t([1.0, 2.0])), [0.5, 4.0], quantiles=True, grid=(0, 30)),
    "Independent": Case(lambda d, t: d.Independent(d.Normal(t([[0.0, 1.0], [2.0, 3.0]]), t([1.0, 2.0])), 1), [[0.5, 1.0], [1.0, 2.0]]),
    "InverseGamma": Case(lambda d, t: d.InverseGamma(t([6.0, 5.0]), t([2.0, 3.0])), [0.5, 1.0], grid=(0, 300)),
    "Kumaraswamy": Case(lambda d, t: d.Kumaraswamy(t([1.5, 2.0]), t([2.0, 3.0])), [0.4, 0.7], quantiles=True, grid=(0, 1)),
    "LKJCholesky": Case(lambda d, t: d.LKJCholesky(3, t([0.8, 2.0])),
                        [[[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]]] * 2, moments=False),
    "Laplace": Case(lambda d, t: d.Laplace(t([0.0, 1.0]), t([1.0, 0.5])), [0.3, -2.0], quantiles=True, grid=(-40, 40)),
    "LogNormal": Case(lambda d, t: d.LogNormal(t([0.0, 0.5]), t([0.5, 0.3])), [1.0, 0.7], quantiles=True, grid=(0, 30)),
    "LogisticNormal": Case(lambda d, t: d.LogisticNormal(t([[0.0, 1.0], [0.5, -1.0]]), t([1.0, 0.5])),
                           [[0.2, 0.3, 0.5], [0.25, 0.25, 0.5]], moments=False),
    "LowRankMultivariateNormal": Case(
        lambda d, t: d.LowRankMultivariateNormal(t([[0.0, 1.0, 2.0], [1.0, 1.0, 0.0]]), t([[1.0], [0.5], [-1.0]]), t([0.5, 1.0, 2.0])),
        [[0.1, 0.2, 0.3], [1.0, 2.0, 0.0]]),
    "MixtureSameFamily": Case(
        lambda d, t: d.MixtureSameFamily(d.Categorical(t([[0.3, 0.7], [1.0, 2.0]])), d.Normal(t([[-1.0, 1.0], [0.0, 3.0]]), t([1.0, 0.5]))),
        [0.5, 1.0], grid=(-20, 20)),
    "MixtureSameFamily-vectors": Case(
        lambda d, t: d.MixtureSameFamily(d.Categorical(t([0.3, 0.7])), d.Independent(d.Normal(t([[-1.0, 1.0], [0.0, 3.0]]), 1.0), 1)),
        [0.5, 1.0]),
    "Multinomial": Case(lambda d, t: d.Multinomial(6, t([[0.2, 0.3, 0.5], [1.0, 1.0, 2.0]])), [[1.0, 2.0, 3.0], [0.0, 0.0, 6.0]]),
    "MultivariateNormal-covariance": Case(lambda d, t: d.MultivariateNormal(t([[0.0, 1.0], [2.0, 1.0]]), spd(t)), [[0.1, 0.2], [1.0, 2.0]]),
    "MultivariateNormal-precision": Case(lambda d, t: d.MultivariateNormal(t([0.0, 1.0]), precision_matrix=spd(t)), [0.1, 0.2]),
    "MultivariateNormal-tril": Case(
        lambda d, t: d.MultivariateNormal(t([0.0, 1.0]), scale_tril=t([[[1.0, 0.0], [0.5, 2.0]], [[2.0, 0.0], [-0.5, 1.0]]])),
        [[0.1, 0.2], [1.0, 2.0]]),
    "NegativeBinomial": Case(lambda d, t: d.NegativeBinomial(t([2.0, 4.5]), t([0.3, 0.6])), [1.0, 5.0]),
    "NegativeBinomial-logits": Case(lambda d, t: d.NegativeBinomial(3.0, logits=t([-1.0, 0.5])), [1.0, 5.0]),
    "Normal": Case(lambda d, t: d.Normal(t([0.0, 1.0]), t([1.0, 0.5])), [0.3, -1.0], quantiles=True, grid=(-12, 12)),
    "OneHotCategorical": Case(lambda d, t: d.OneHotCategorical(t([0.2, 0.3, 0.5])), [0.0, 1.0, 0.0]),
    "OneHotCategoricalStraightThrough": Case(lambda d, t: d.OneHotCategoricalStraightThrough(t([0.2, 0.3, 0.5])), [0.0, 0.0, 1.0]),
    "Pareto": Case(lambda d, t: d.Pareto(t([1.0, 0.5]), t([3.5, 4.0])), [1.5, 0.7], quantiles=True),
    "Poisson": Case(lambda d, t: d.Poisson(t([0.5, 30.0])), [1.0, 28.0]),
    "RelaxedBernoulli": Case(lambda d, t: d.RelaxedBernoulli(t(0.6), t([0.2, 0.7])), [0.3, 0.9], grid=(0, 1), moments=False),
    "RelaxedBernoulli-logits": Case(lambda d, t: d.RelaxedBernoulli(t(0.6), logits=t([-1.0, 2.0])), [0.3, 0.9], moments=False),
    "RelaxedOneHotCategorical": Case(lambda d, t: d.RelaxedOneHotCategorical(t(0.6), t([0.2, 0.3, 0.5])), [0.2, 0.2, 0.6], moments=False),
    "StudentT": Case(lambda d, t: d.StudentT(t([5.0, 9.0]), t([0.0, 1.0]), t([1.0, 2.0])), [0.5, -1.0]),
    "TransformedDistribution": Case(
        lambda d, t: d.TransformedDistribution(d.Normal(t([0.0, 1.0]), 1.0),
                                               [d.AffineTransform(1.0, t([-0.5, 0.2])), d.SigmoidTransform()]),
        [0.3, 0.8], quantiles=True, grid=(0, 1), moments=False),
    "Uniform": Case(lambda d, t: d.Uniform(t([0.0, -1.0]), t([1.0, 3.0])), [0.3, 2.0], quantiles=True, grid=(-2, 4)),
    "VonMises": Case(lambda d, t: d.VonMises(t([0.0, 1.0]), t([0.5, 4.0])), [0.3, -1.0], grid=(-3.141592653589793, 3.141592653589793),
                     moments=False),
    "Weibull": Case(lambda d, t: d.Weibull(t([1.0, 2.0]), t([1.5, 0.9])), [0.5, 3.0], quantiles=True, grid=(0, 60)),
    "Wishart": Case(lambda d, t: d.Wishart(t([4.0, 5.5]), spd(t)), [[[2.0, 0.3], [0.3, 1.0]], [[5.0, 1.0], [1.0, 4.0]]]),
    "Wishart-tril": Case(lambda d, t: d.Wishart(5.0, scale_tril=t([[1.0, 0.0], [0.5, 2.0]])), [[2.0, 0.3], [0.3, 1.0]]),
    "Wishart-precision": Case(lambda d, t: d.Wishart(t(5.0), precision_matrix=spd(t)), [[2.0, 0.3], [0.3, 1.0]]),
}

DISCRETE = ("Bernoulli", "Binomial", "Categorical", "Geometric", "Multinomial", "NegativeBinomial", "OneHotCategorical", "Poisson")


def build(torch, name, dtype=None):
    """(distribution, its parameters, values) of a case."""
    made = []

    def t(numbers):
        made.append(torch.tensor(numbers, dtype=dtype or torch.float32, requires_grad=True))
        return made[-1]

    case = CASES[name]
    distribution = case.make(torch.distributions, t)
    kind = torch.int64 if name.startswith("Categorical") else dtype or torch.float32
    return distribution, made, torch.tensor(case.values, dtype=kind)
