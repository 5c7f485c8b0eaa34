"""rushlight's distributions beside PyTorch's: the same numbers, shapes, texts and gradients, and the same samples after the same seed.

Samples that are drawn by one operator are equal bit for bit. Those that go through exp, log, a matrix product or the like can differ
in the last bits of these; ``EXACT`` says which is which.
"""

import pytest
from tests.distributions.cases import CASES, build

pytest.importorskip("torch")

EXACT = ("Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "Dirichlet", "Exponential", "FisherSnedecor", "Gamma",
         "Geometric", "HalfCauchy", "HalfNormal",
         "Independent", "MixtureSameFamily", "Multinomial", "NegativeBinomial", "Normal", "OneHotCategorical",
         "Poisson", "StudentT", "Uniform", "VonMises")
ASKED = ("mean", "variance", "stddev", "mode", "entropy", "perplexity")


@pytest.fixture
def pair(rushlight):
    import torch
    import torch.distributions

    import rushlight.distributions

    return rushlight, torch


def outcome(function):
    """The result, or the error by its type and first line, without the engine's name."""
    try:
        return function()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}".replace("rushlight.", "torch.")


def same(torch, mine, its, rtol, atol):
    if isinstance(its, str) or its is None:
        assert mine == its
        return
    theirs = its.detach()
    got = torch.tensor(mine.detach().numpy())
    assert got.dtype == theirs.dtype
    torch.testing.assert_close(got, theirs, rtol=rtol, atol=atol, equal_nan=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_the_same_numbers(pair, name, dtype):
    if name == "GeneralizedPareto" and dtype == "float64":
        pytest.skip("PyTorch compares it with a float32 and fails")
    torch = pair[1]
    built = [build(engine, name, getattr(engine, dtype)) for engine in pair]
    (mine, _, my_values), (its, _, its_values) = built
    assert (mine.batch_shape, mine.event_shape) == (tuple(its.batch_shape), tuple(its.event_shape))
    assert (mine.has_rsample, mine.has_enumerate_support) == (its.has_rsample, its.has_enumerate_support)
    assert repr(mine) == repr(its) and repr(mine.support) == repr(its.support)
    rtol, atol = (2e-5, 2e-5) if dtype == "float32" else (1e-6, 1e-6)
    for asked in ASKED:
        results = [outcome(lambda d=d, asked=asked: getattr(d, asked)() if callable(getattr(type(d), asked)) else getattr(d, asked))
                   for d in (mine, its)]
        same(torch, *results, rtol, atol)
    for asked in ("log_prob", "cdf"):
        same(torch, outcome(lambda a=asked: getattr(mine, a)(my_values)), outcome(lambda a=asked: getattr(its, a)(its_values)), rtol, atol)
    same(torch, outcome(mine.enumerate_support), outcome(its.enumerate_support), 0, 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_the_same_samples(pair, name, dtype, quiet):
    torch = pair[1]
    mine, its = (build(engine, name, getattr(engine, dtype))[0] for engine in pair)
    rtol, atol = (0, 0) if name.split("-")[0] in EXACT else (1e-5, 1e-5) if dtype == "float32" else (1e-12, 1e-12)
    for engine in pair:
        engine.manual_seed(11)
    for shape in ((), (3,), (20, 2)):
        with quiet():
            same(torch, mine.sample(shape), its.sample(shape), rtol, atol)
            if its.has_rsample:
                same(torch, mine.rsample(shape), its.rsample(shape), max(rtol, 1e-6), max(atol, 1e-6))
    wide = [d.expand((3, *d.batch_shape)) for d in (mine, its)]
    assert repr(wide[0]) == repr(wide[1])
    with quiet():
        same(torch, *(d.sample((2,)) for d in wide), rtol, atol)
    assert pair[0].get_rng_state().tolist() == torch.get_rng_state().tolist()


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_same_gradients(pair, name, quiet):
    torch = pair[1]
    sampled, scored = [], []
    for engine in pair:
        d, parameters, values = build(engine, name)
        used = [p for p in parameters if p.requires_grad]
        scored.append(engine.autograd.grad(d.log_prob(values).sum(), used, allow_unused=True))
        if d.has_rsample and not name.startswith("Wishart"):  # PyTorch's cannot be differentiated
            d, parameters, _ = build(engine, name)
            used = [p for p in parameters if p.requires_grad]
            engine.manual_seed(3)
            x = d.rsample((6,))
            sampled.append(engine.autograd.grad((x * x).sum(), used, allow_unused=True))
    for found, tolerance in (scored, 1e-4), (sampled, 1e-3):
        for mine, its in zip(*found):
            same(torch, mine, its, tolerance, tolerance)


def test_empty_samples(pair):
    for engine in pair:
        D = engine.distributions
        for d in (D.Normal(0.0, 1.0), D.Gamma(1.0, 1.0), D.Poisson(2.0), D.MultivariateNormal(engine.zeros(2), engine.eye(2))):
            assert d.sample((0, 2)).shape == (0, 2, *d.event_shape)


def test_every_name_is_here(pair):
    mine, its = (engine.distributions for engine in pair)
    assert set(its.__all__) <= set(mine.__all__)
    assert set(its.constraints.__all__) == set(mine.constraints.__all__)
    assert set(its.transforms.__all__) == set(mine.transforms.__all__)
    assert set(its.utils.__all__) == set(mine.utils.__all__)
