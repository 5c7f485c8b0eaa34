"""Divergences: each formula is the integral it stands for, the nearest formula is found, and all of PyTorch's pairs are here."""

import importlib.util
import math

import pytest

PAIRS = {
    "Normal": lambda D, t: (D.Normal(t([0.3]), t([1.2])), D.Normal(t([-0.2]), t([0.8]))),
    "Laplace": lambda D, t: (D.Laplace(t([0.3]), t([1.2])), D.Laplace(t([-0.2]), t([0.8]))),
    "Uniform": lambda D, t: (D.Uniform(t([0.2]), t([0.9])), D.Uniform(t([0.1]), t([1.5]))),
    "Beta": lambda D, t: (D.Beta(t([2.3]), t([1.8])), D.Beta(t([1.4]), t([3.0]))),
    "Gamma": lambda D, t: (D.Gamma(t([2.3]), t([1.8])), D.Gamma(t([1.4]), t([3.0]))),
    "Exponential": lambda D, t: (D.Exponential(t([2.3])), D.Exponential(t([1.4]))),
    "Gumbel": lambda D, t: (D.Gumbel(t([0.3]), t([1.8])), D.Gumbel(t([-0.4]), t([1.3]))),
    "HalfNormal": lambda D, t: (D.HalfNormal(t([1.3])), D.HalfNormal(t([0.8]))),
    "Pareto": lambda D, t: (D.Pareto(t([1.3]), t([3.5])), D.Pareto(t([0.8]), t([2.5]))),
    "ContinuousBernoulli": lambda D, t: (D.ContinuousBernoulli(t([0.3])), D.ContinuousBernoulli(t([0.8]))),
    "Cauchy": lambda D, t: (D.Cauchy(t([0.3]), t([1.2])), D.Cauchy(t([-0.2]), t([0.8]))),
}
SHAPES = {"Bernoulli": ("probs",), "Binomial": ("probs",), "Categorical": ("probs",), "Dirichlet": ("concentration",),
          "Poisson": ("rate",), "Geometric": ("probs",), "OneHotCategorical": ("probs",)}


def one(D, t, kind, which):
    """A small distribution of a kind, the first or second of two."""
    a, b = t([[1.4, 0.6], [2.1, 1.7]][which]), t([[2.5, 3.0], [0.7, 1.9]][which])
    p = t([[0.3, 0.6], [0.45, 0.2]][which])
    matrix = t([[[1.5, 0.2], [0.2, 1.0]], [[1.0, -0.3], [-0.3, 2.0]]][which])
    made = {
        "Bernoulli": lambda: D.Bernoulli(p), "Binomial": lambda: D.Binomial(5, p), "Geometric": lambda: D.Geometric(p),
        "ContinuousBernoulli": lambda: D.ContinuousBernoulli(p), "Categorical": lambda: D.Categorical(b),
        "OneHotCategorical": lambda: D.OneHotCategorical(b), "Dirichlet": lambda: D.Dirichlet(a), "Exponential": lambda: D.Exponential(a),
        "Poisson": lambda: D.Poisson(a), "HalfNormal": lambda: D.HalfNormal(a), "Uniform": lambda: D.Uniform(p, p + b),
        "Independent": lambda: D.Independent(D.Normal(a, b), 1), "TransformedDistribution": lambda: D.LogNormal(a, b),
        "MultivariateNormal": lambda: D.MultivariateNormal(a, matrix), "ExponentialFamily": lambda: D.ContinuousBernoulli(p),
        "LowRankMultivariateNormal": lambda: D.LowRankMultivariateNormal(a, matrix[:, :1], b),
    }
    return made[kind]() if kind in made else getattr(D, kind)(a, b)


@pytest.mark.parametrize("kind", sorted(PAIRS))
def test_the_formula_is_the_integral(torch, kind):
    def t(numbers):
        return torch.tensor(numbers, dtype=torch.float64)

    import_module = importlib.import_module(f"{torch.__name__}.distributions")
    p, q = PAIRS[kind](import_module, t)
    u = (torch.arange(200000, dtype=torch.float64) + 0.5) / 200000
    if kind in ("Beta", "Gamma"):
        low, high = (1e-9, 1 - 1e-9) if kind == "Beta" else (1e-9, 40.0)
        x = (low + (high - low) * u).unsqueeze(-1)
        weight = p.log_prob(x).exp() * (high - low)
    else:
        x, weight = p.icdf(u.unsqueeze(-1)), 1.0  # an integral over quantiles
    wanted = ((p.log_prob(x) - q.log_prob(x)) * weight).mean(0)
    torch.testing.assert_close(import_module.kl_divergence(p, q), wanted, rtol=2e-3, atol=1e-4)
    zero = import_module.kl_divergence(p, p)
    torch.testing.assert_close(zero, torch.zeros_like(zero), rtol=0, atol=1e-12)


CROSS = [("Beta", "Normal"), ("Beta", "Gamma"), ("Beta", "Exponential"), ("Beta", "ContinuousBernoulli"), ("Exponential", "Gamma"),
         ("Exponential", "Gumbel"), ("Exponential", "Normal"), ("Gamma", "Gumbel"), ("Gamma", "Normal"), ("Gumbel", "Normal"),
         ("Laplace", "Normal"), ("Normal", "Gumbel"), ("Normal", "Laplace"), ("Uniform", "Normal"), ("Uniform", "Gumbel"),
         ("Uniform", "Gamma"), ("Uniform", "Exponential"), ("Bernoulli", "Poisson"), ("MultivariateNormal", "LowRankMultivariateNormal"),
         ("LowRankMultivariateNormal", "MultivariateNormal"), ("MultivariateNormal", "MultivariateNormal"), ("Dirichlet", "Dirichlet"),
         ("LowRankMultivariateNormal", "LowRankMultivariateNormal"), ("ContinuousBernoulli", "Normal"), ("Poisson", "Poisson")]


@pytest.mark.parametrize(("kind", "other"), CROSS)
def test_the_formula_is_the_mean_over_samples(torch, kind, other):
    D = importlib.import_module(f"{torch.__name__}.distributions")
    p, q = (one(D, lambda n: torch.tensor(n, dtype=torch.float64), k, i) for i, k in enumerate((kind, other)))
    q._validate_args = False
    x = p.sample((4000,))
    difference = p.log_prob(x) - q.log_prob(x)
    error = difference.std(0) / math.sqrt(4000)
    assert ((D.kl_divergence(p, q) - difference.mean(0)).abs() < 5 * error + 1e-9).all()


def test_outside_the_support_it_is_infinite(torch):
    D = importlib.import_module(f"{torch.__name__}.distributions")
    for p, q in (D.Normal(0.0, 1.0), D.Exponential(1.0)), (D.Uniform(0.0, 2.0), D.Uniform(0.0, 1.0)), \
            (D.Uniform(-1.0, 1.0), D.Gamma(1.0, 1.0)), \
            (D.Pareto(0.5, 1.0), D.Pareto(1.0, 1.0)), (D.Bernoulli(torch.tensor(0.5)), D.Bernoulli(torch.tensor(0.0))), \
            (D.Categorical(torch.ones(2)), D.Categorical(torch.tensor([1.0, 0.0]))), (D.Pareto(1.0, 0.5), D.Exponential(1.0)):
        assert D.kl_divergence(p, q) == math.inf


def test_the_nearest_formula_is_found(torch):
    D = importlib.import_module(f"{torch.__name__}.distributions")

    class Mine(D.Normal):
        pass

    class Other(D.Normal):
        pass

    p, q = Mine(0.0, 1.0), D.Normal(0.0, 1.0)
    assert D.kl_divergence(p, q) == 0

    @D.register_kl(Mine, D.Normal)
    def _left(p, q):
        return torch.tensor(1.0)

    assert D.kl_divergence(p, q) == 1 and D.kl_divergence(q, p) == 0

    @D.register_kl(D.Normal, Other)
    def _right(p, q):
        return torch.tensor(2.0)

    with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(Mine, Other\). Please register_kl\(Mine, Other\)"):
        assert D.kl_divergence(p, Other(0.0, 1.0)) == 1


def test_errors(torch, fails):
    D = importlib.import_module(f"{torch.__name__}.distributions")
    with fails(NotImplementedError, "No KL(p || q) is implemented for p type Normal and q type Cauchy"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Cauchy(0.0, 1.0))
    with fails(NotImplementedError, "KL between Binomials where q.total_count > p.total_count is not implemented"):
        D.kl_divergence(D.Binomial(1, torch.tensor(0.5)), D.Binomial(2, torch.tensor(0.5)))
    with pytest.raises(TypeError):
        D.register_kl(3, D.Normal)


def test_all_pairs_of_pytorch(rushlight):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch.distributions")
    mine = importlib.import_module("rushlight.distributions.kl")._KL_REGISTRY
    its = importlib.import_module("torch.distributions.kl")._KL_REGISTRY
    builtin = {tuple(k.__name__ for k in pair) for pair in its if all(k.__module__.startswith("torch.") for k in pair)}
    assert builtin <= {tuple(k.__name__ for k in pair) for pair in mine}
    for kinds in sorted(builtin):
        found = []
        for engine in (rushlight, torch):
            p, q = (one(engine.distributions, engine.tensor, kind, i) for i, kind in enumerate(kinds))
            found.append(engine.distributions.kl_divergence(p, q))
        got = torch.tensor(found[0].tolist())
        torch.testing.assert_close(got, found[1], rtol=1e-4, atol=1e-4, msg=lambda text, kinds=kinds: f"{kinds}: {text}")
