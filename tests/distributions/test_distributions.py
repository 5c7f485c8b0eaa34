"""Every distribution by what must hold of it, on both engines: densities that integrate to one, moments and entropies that are those
integrals, quantiles that invert probabilities, copies for other shapes, and samples that repeat.
"""

import importlib
import math
import os
import pathlib
import pickle
import subprocess
import sys

import pytest
from tests.distributions.cases import CASES, DISCRETE, build

NAMES = sorted(CASES)
GRID = [n for n in NAMES if CASES[n].grid]
SINGULAR = ("Beta", "Chi2", "Gamma", "RelaxedBernoulli", "Uniform")  # densities steep at an end: the grid is not so exact


@pytest.fixture(autouse=True)
def _load(request):
    if "torch" in request.fixturenames:
        request.getfixturevalue("torch").distributions


def integrals(torch, distribution, low, high, *functions, n=40001):
    """Integrals of ``f(x, log_prob(x)) * exp(log_prob(x))`` by the midpoint rule, finer towards both ends."""
    edges = low + (high - low) * 0.5 * (1 - torch.cos(torch.linspace(0, math.pi, n + 1, dtype=torch.float64)))
    x, dx = (edges[1:] + edges[:-1]) / 2, edges[1:] - edges[:-1]
    with torch.no_grad():
        wide = x.reshape((-1,) + (1,) * len(distribution.batch_shape)).expand((-1, *distribution.batch_shape))
        inside = distribution.support.check(wide)
        safe = torch.where(inside, wide, distribution.sample().to(torch.float64))
        log_p = torch.where(inside, distribution.log_prob(safe), -math.inf)
        weight = log_p.exp() * dx.reshape((-1,) + (1,) * len(distribution.batch_shape))
        finite = torch.where(weight > 0, log_p, 0.0)
        return [(f(safe, finite) * weight).sum(0) for f in functions]


@pytest.mark.parametrize("name", GRID)
def test_the_density_integrates_to_one_and_gives_the_moments(torch, name):
    d, _, _ = build(torch, name, torch.float64)
    one, mean, square, entropy = integrals(torch, d, *CASES[name].grid, lambda x, p: x * 0 + 1, lambda x, p: x, lambda x, p: x * x,
                                           lambda x, p: -p)
    tolerance = 1e-3 if name.startswith(SINGULAR) else 1e-5
    torch.testing.assert_close(one, torch.ones_like(one), rtol=0, atol=tolerance)
    if CASES[name].moments:
        torch.testing.assert_close(d.mean.detach(), mean, rtol=tolerance, atol=tolerance)
        torch.testing.assert_close(d.variance.detach(), square - mean * mean, rtol=2e-3, atol=10 * tolerance)
        torch.testing.assert_close(d.stddev.detach(), d.variance.detach().sqrt())
    if type(d).entropy is not torch.distributions.Distribution.entropy:
        torch.testing.assert_close(d.entropy().detach(), entropy, rtol=10 * tolerance, atol=10 * tolerance)


@pytest.mark.parametrize("name", [n for n in NAMES if n.startswith(("Bernoulli", "Binomial", "Categorical", "OneHot"))])
def test_the_probabilities_of_all_values_add_up(torch, name):
    d, _, _ = build(torch, name, torch.float64)
    values = d.enumerate_support()
    assert values.shape[1:] == d.batch_shape + d.event_shape
    p = d.log_prob(values).exp().detach()
    torch.testing.assert_close(p.sum(0), torch.ones(d.batch_shape, dtype=torch.float64))
    torch.testing.assert_close(d.entropy().detach(), -(p * p.log()).sum(0))
    if CASES[name].moments:
        values = values.to(torch.float64)
        wide = p.reshape(p.shape + (1,) * len(d.event_shape))
        torch.testing.assert_close(d.mean.detach(), (wide * values).sum(0))
    narrow = d.enumerate_support(expand=False)
    assert narrow.shape == (len(values),) + (1,) * len(d.batch_shape) + d.event_shape


@pytest.mark.parametrize("name", ["Geometric", "Geometric-logits", "NegativeBinomial", "NegativeBinomial-logits", "Poisson"])
def test_counts_without_end_add_up(torch, name):
    d, _, _ = build(torch, name, torch.float64)
    x = torch.arange(400, dtype=torch.float64).unsqueeze(-1).expand(-1, *d.batch_shape)
    p = d.log_prob(x).exp().detach()
    torch.testing.assert_close(p.sum(0), torch.ones(d.batch_shape, dtype=torch.float64))
    torch.testing.assert_close(d.mean.detach(), (p * x).sum(0))
    torch.testing.assert_close(d.variance.detach(), (p * x * x).sum(0) - d.mean.detach() ** 2)


@pytest.mark.parametrize("name", [n for n in NAMES if CASES[n].quantiles])
def test_quantiles_invert_probabilities(torch, name):
    dtype = torch.float32 if name == "GeneralizedPareto" else torch.float64  # PyTorch compares it with a float32
    d, _, values = build(torch, name, dtype)
    p = torch.linspace(0.05, 0.95, 7, dtype=dtype).reshape((-1,) + (1,) * len(d.batch_shape)).expand((-1, *d.batch_shape))
    torch.testing.assert_close(d.cdf(d.icdf(p)), p, check_stride=False, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(d.icdf(d.cdf(values)), values, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", [n for n in NAMES if CASES[n].quantiles and n != "GeneralizedPareto"] + ["Gamma", "Chi2"])
def test_the_density_is_the_slope_of_the_probability(torch, name):
    d, _, values = build(torch, name, torch.float64)
    step = 1e-5
    slope = (d.cdf(values + step) - d.cdf(values - step)) / (2 * step)
    # Near 1/2 the continuous Bernoulli's cdf is that of the uniform distribution.
    torch.testing.assert_close(slope, d.log_prob(values).exp(), rtol=1e-3 if name == "ContinuousBernoulli" else 1e-4, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_samples_have_their_shape_and_lie_in_the_support(torch, name, quiet):
    d, _, values = build(torch, name)
    assert values.shape == (d.batch_shape + d.event_shape if "vectors" not in name else values.shape)
    with quiet():
        for shape in ((), (3,), torch.Size([4, 2])):
            torch.manual_seed(1)
            x = d.sample(shape)
            assert x.shape == torch.Size(shape) + d.batch_shape + d.event_shape and not x.requires_grad
            torch.manual_seed(1)
            assert torch.equal(x, d.sample(shape))
            assert d.support.check(x).all()
            assert d.log_prob(x).shape == torch.Size(shape) + d.batch_shape


@pytest.mark.parametrize("name", [n for n in NAMES if CASES[n].moments])
def test_samples_have_the_mean_and_the_variance(torch, name, quiet):
    d, _, _ = build(torch, name, torch.float64)
    n = 3000
    with quiet(), torch.no_grad():
        x = d.sample((n,))
        deviation = d.variance.sqrt()
        assert ((x.mean(0) - d.mean).abs() < 5 * deviation / math.sqrt(n) + 1e-9).all()
        assert ((x.var(0).sqrt() - deviation).abs() < 0.2 * deviation + 1e-9).all()


@pytest.mark.parametrize("name", NAMES)
def test_gradients_of_samples_and_of_densities(torch, name, quiet):
    d, parameters, values = build(torch, name, torch.float64)
    used = [p for p in parameters if p.requires_grad]
    if name != "GeneralizedPareto":
        grads = torch.autograd.grad(d.log_prob(values).sum(), used, allow_unused=True)
        assert any(g is not None and g.abs().sum() > 0 for g in grads)
        assert all(g is None or torch.isfinite(g).all() for g in grads)
    if d.has_rsample and not (name.startswith("Wishart") and torch.__name__ == "torch"):  # PyTorch cannot: it writes into its mask
        d, parameters, _ = build(torch, name, torch.float64)
        with quiet():
            x = d.rsample((5,))
        assert x.requires_grad
        grads = torch.autograd.grad((x * x).sum(), [p for p in parameters if p.requires_grad], allow_unused=True)
        assert any(g is not None and g.abs().sum() > 0 for g in grads)
    elif not d.has_rsample and name not in ("RelaxedBernoulli",):
        with pytest.raises(NotImplementedError):
            d.rsample()


@pytest.mark.parametrize("name", NAMES)
def test_expand(torch, name, quiet):
    d, _, values = build(torch, name)
    shape = (3, *d.batch_shape)
    wide = d.expand(shape)
    assert wide.batch_shape == torch.Size(shape) and wide.event_shape == d.event_shape and type(wide) is type(d)
    if not (name == "GeneralizedPareto" and torch.__name__ == "torch"):
        torch.testing.assert_close(wide.log_prob(values), d.log_prob(values).expand(shape))
    with quiet():
        assert wide.sample((2,)).shape == (2, *shape, *d.event_shape)
    if CASES[name].moments:
        torch.testing.assert_close(wide.mean, d.mean.expand((3, *d.mean.shape)))
        torch.testing.assert_close(wide.variance, d.variance.expand((3, *d.variance.shape)))
    assert wide._validate_args == d._validate_args


@pytest.mark.parametrize("name", NAMES)
def test_values_outside_are_refused(torch, name):
    d, _, values = build(torch, name)
    if name.startswith("Categorical"):
        bad = values + 10
    else:
        bad = torch.full_like(values, math.nan)
    if not name.startswith("Independent"):  # checks its base
        with pytest.raises(ValueError, match="to be within the support") as info:
            d.log_prob(bad)
        assert f"({d.support!r})" in str(info.value) and repr(d) in str(info.value)
        with pytest.raises(ValueError, match="The value argument to log_prob must be a Tensor"):
            (d.log_prob if not name.startswith(("Gamma", "Chi2", "Half")) else d._validate_sample)("x")


def test_validation_can_be_left_out(torch):
    d = torch.distributions.Normal(0.0, -1.0, validate_args=False)
    assert torch.isnan(d.log_prob(torch.tensor(math.nan)))
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        torch.distributions.Normal(0.0, -1.0)
    finally:
        torch.distributions.Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError):
        torch.distributions.Distribution.set_default_validate_args("no")


def test_errors_of_parameters(torch, fails):
    D = torch.distributions
    with fails(ValueError, "Expected parameter scale (Tensor of shape (2,)) of distribution Normal(loc: torch.Size([2]), "
                           "scale: torch.Size([2])) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid "
                           "values:\ntensor([ 1., -1.])"):
        D.Normal(torch.zeros(2), torch.tensor([1.0, -1.0]))
    with fails(ValueError, "Either `probs` or `logits` must be specified, but not both."):
        D.Bernoulli()
    with fails(ValueError, "Either `probs` or `logits` must be specified, but not both."):
        D.Categorical(torch.ones(2), logits=torch.ones(2))
    with fails(ValueError, "`probs` parameter must be at least one-dimensional."):
        D.Categorical(torch.tensor(1.0))
    with fails(ValueError, "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."):
        D.Normal([0.0], 1.0)
    with fails(ValueError, "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."):
        D.MultivariateNormal(torch.zeros(2))
    with fails(ValueError, "Expected parameter covariance_matrix"):
        D.MultivariateNormal(torch.zeros(2), torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
    with fails(NotImplementedError, "inhomogeneous total_count is not supported"):
        D.Multinomial(torch.tensor([1, 2]), torch.ones(2))
    with fails(NotImplementedError, "Inhomogeneous total count not supported by `entropy`."):
        D.Binomial(torch.tensor([1, 2]), torch.tensor(0.5)).entropy()
    with fails(ValueError, "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual 1 vs 0"):
        D.Independent(D.Normal(0.0, 1.0), 1)
    with fails(ValueError, "The right-most size of value must match event_shape: torch.Size([3]) vs torch.Size([2])."):
        D.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(3))
    with fails(ValueError, "Value is not broadcastable with batch_shape+event_shape: torch.Size([3]) vs torch.Size([2])."):
        D.Normal(torch.zeros(2), 1.0).log_prob(torch.zeros(3))
    with fails(ValueError, "Expected parameter probs (Tensor of shape ()) of distribution Geometric(probs: 0.0) to be positive"):
        D.Geometric(torch.tensor(0.0))
    with fails(ValueError, "`mixture_distribution component` (3) does not equal `component_distribution.batch_shape[-1]` (2)"):
        D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.zeros(2), 1.0))
    with fails(ValueError, "transforms must be a Transform or list, but was 3"):
        D.TransformedDistribution(D.Normal(0.0, 1.0), 3)


def test_repr(torch):
    D = torch.distributions
    assert repr(D.Normal(0.0, 2.0)) == "Normal(loc: 0.0, scale: 2.0)"
    assert repr(D.Bernoulli(torch.tensor([0.5, 0.25]))) == "Bernoulli(probs: torch.Size([2]))"
    assert repr(D.Independent(D.Normal(torch.zeros(2), 1.0), 1)) == "Independent(Normal(loc: torch.Size([2]), scale: torch.Size([2])), 1)"
    assert repr(D.Chi2(torch.tensor([1.0]))) == "Chi2()"
    assert repr(D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Normal(torch.zeros(2), 1.0))) == (
        "MixtureSameFamily(\n  Categorical(probs: torch.Size([2]), logits: torch.Size([2])),\n"
        "  Normal(loc: torch.Size([2]), scale: torch.Size([2])))")


def test_parameters_that_have_the_shape_stay_themselves(torch):
    loc = torch.zeros(2, requires_grad=True)
    assert torch.distributions.Normal(loc, 1.0).loc is loc


def test_a_class_of_ones_own(torch):
    D = torch.distributions

    class Mine(D.Normal):
        def __init__(self, loc):
            super().__init__(loc, 1.0)

    with pytest.raises(NotImplementedError, match="Subclass Mine of Normal that defines a custom __init__ method must also define"):
        Mine(torch.zeros(2)).expand((3, 2))

    class Plain(D.Normal):
        pass

    assert type(Plain(torch.zeros(2), 1.0).expand((3, 2))) is Plain

    class Bare(D.Distribution):
        arg_constraints = {}

    for ask in ("mean", "variance", "support"):
        with pytest.raises(NotImplementedError):
            getattr(Bare(), ask)
    with pytest.raises(NotImplementedError):
        Bare().expand((2,))


def test_the_lazy_parameter_keeps_its_gradient(torch):
    logits = torch.tensor([0.3], requires_grad=True)
    with torch.no_grad():
        probs = torch.distributions.Bernoulli(logits=logits).probs
    probs.sum().backward()
    torch.testing.assert_close(logits.grad, (probs * (1 - probs)).detach())


def test_sample_n_is_deprecated(torch):
    with pytest.warns(FutureWarning, match="will be deprecated"):
        assert torch.distributions.Normal(0.0, 1.0).sample_n(3).shape == (3,)


@pytest.mark.parametrize("name", ["normal", "categorical", "kl", "utils", "multivariate_normal", "studentT", "constraint_registry"])
def test_each_stands_in_its_file(torch, name):
    module = importlib.import_module(f"{torch.__name__}.distributions.{name}")
    for public in set(module.__all__) & set(torch.distributions.__all__):
        assert getattr(module, public) is getattr(torch.distributions, public)


@pytest.mark.parametrize("concentration", [0.3, 0.9, 2.0, 7.0, 9.0, 40.0])
def test_gamma_samples_move_with_their_concentration(torch, concentration):
    """A variate keeps its quantile: dx/da = -(dF/da) / p."""
    a = torch.full((60,), concentration, dtype=torch.float64, requires_grad=True)
    x = torch.distributions.Gamma(a, 1.0).rsample()
    (slope,) = torch.autograd.grad(x.sum(), a)
    x, a, step = x.detach(), a.detach(), 1e-4
    wanted = -(torch.special.gammainc(a + step, x) - torch.special.gammainc(a - step, x)) / (2 * step)
    wanted = wanted / torch.distributions.Gamma(a, 1.0).log_prob(x).exp()
    torch.testing.assert_close(slope, wanted, rtol=5e-3, atol=1e-4)


@pytest.mark.parametrize(("a", "b"), [(0.4, 0.6), (2.0, 3.0), (8.0, 30.0), (0.8, 20.0)])
def test_beta_samples_move_with_their_concentration(torch, a, b):
    def below(a, x, n=20000):
        """The distribution function of Beta(a, b) by the midpoint rule in t = x**a, which takes the pole at 0 away."""
        t = (torch.arange(n, dtype=torch.float64) + 0.5) / n * x.unsqueeze(-1) ** a
        area = ((1 - t ** (1 / a)) ** (b - 1)).mean(-1) * x ** a / a
        return area * math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))

    first = torch.full((20,), a, dtype=torch.float64, requires_grad=True)
    x = torch.distributions.Beta(first, b).rsample()
    (slope,) = torch.autograd.grad(x.sum(), first)
    x, step = x.detach(), 1e-4
    keep = (x > 1e-3) & (x < 0.97)
    x, slope = x[keep], slope[keep]
    density = torch.distributions.Beta(torch.tensor(a, dtype=torch.float64), b).log_prob(x).exp()
    wanted = -(below(a + step, x) - below(a - step, x)) / (2 * step) / density
    torch.testing.assert_close(slope, wanted, rtol=1e-2, atol=1e-3)


def test_the_wishart_says_nothing_about_good_samples(rushlight):
    D = rushlight.distributions
    d = D.Wishart(rushlight.tensor(5.0), rushlight.eye(2))
    assert d.support.check(d.sample((20,))).all()
    with pytest.warns(UserWarning, match="Low df values detected"):
        D.Wishart(rushlight.tensor(1.5), rushlight.eye(2))


def test_all_discrete_ones_are_here():
    assert all(any(n.startswith(k) for n in NAMES) for k in DISCRETE)


@pytest.mark.parametrize(
    ("loc", "matrix", "value"),
    [((3, 2), (2, 2), (5, 3, 2)), ((2, 4, 3), (2, 1, 3, 3), (7, 2, 4, 3)), ((2, 4, 3), (2, 1, 3, 3), (3,)),
     ((3,), (2, 1, 3, 3), (4, 3)), ((5, 1, 3), (1, 4, 3, 3), (2, 5, 4, 3))],
)
def test_batches_of_vectors_broadcast(torch, loc, matrix, value):
    """Against the definition, with every matrix spelled out."""
    loc, value = torch.randn(loc, dtype=torch.float64), torch.randn(value, dtype=torch.float64)
    factor = torch.randn(matrix, dtype=torch.float64).tril(-1) + torch.diag_embed(1 + torch.rand(matrix[:-1], dtype=torch.float64))
    d = torch.distributions.MultivariateNormal(loc, scale_tril=factor)
    gap, covariance = value - d.loc, d.covariance_matrix
    distance = (gap * torch.linalg.solve(covariance.expand(gap.shape[:-1] + covariance.shape[-2:]), gap.unsqueeze(-1)).squeeze(-1)).sum(-1)
    n = loc.shape[-1]
    torch.testing.assert_close(d.log_prob(value), -0.5 * (distance + torch.linalg.slogdet(covariance)[1] + n * math.log(2 * math.pi)))
    torch.testing.assert_close(d.precision_matrix @ covariance, torch.eye(n, dtype=torch.float64).expand_as(covariance))


@pytest.mark.parametrize("name", NAMES)
def test_pickled_and_copied(torch, name, quiet):
    if name == "Gumbel" and torch.__name__ == "torch":
        pytest.skip("PyTorch forgets what an inverse transform is the inverse of")
    d, _, values = build(torch, name)
    found = pickle.loads(pickle.dumps(d))
    assert repr(found) == repr(d) and torch.equal(found.support.check(values), d.support.check(values))
    with quiet():
        torch.manual_seed(2)
        x = d.sample((3,))
        torch.manual_seed(2)
        assert torch.equal(found.sample((3,)), x)


def test_no_events(rushlight):
    """PyTorch's constraints cannot reshape them."""
    D = rushlight.distributions
    for d in (D.MultivariateNormal(rushlight.zeros(2), rushlight.eye(2)), D.Independent(D.Normal(rushlight.zeros(2), 1.0), 1),
              D.LogisticNormal(rushlight.zeros(2), rushlight.ones(2)), D.Wishart(3.0, rushlight.eye(2)), D.Dirichlet(rushlight.ones(2))):
        x = d.sample((0,))
        assert x.shape == (0, *d.event_shape) and d.log_prob(x).shape == (0,)


def test_loaded_when_asked_for():
    program = ("import sys, rushlight; assert 'rushlight.distributions' not in sys.modules; rushlight.distributions; "
               "assert 'rushlight.distributions.normal' in sys.modules")
    path = pathlib.Path(importlib.import_module("rushlight").__file__).parent.parent
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": str(path)})


def test_what_is_absent_says_so(rushlight):
    with pytest.raises(AttributeError, match="rushlight lacks torch.distributions.Normale; nearest: torch.distributions.Normal"):
        rushlight.distributions.Normale
