"""Transforms and constraints: inverses, Jacobians against autograd's, shapes, caches, and what the registries answer."""

import importlib
import math

import pytest


@pytest.fixture
def D(torch):
    return importlib.import_module(f"{torch.__name__}.distributions")


def all_of(torch, D):
    def t(numbers):
        return torch.tensor(numbers, dtype=torch.float64)

    T = D.transforms
    return {
        "exp": T.ExpTransform(), "sigmoid": T.SigmoidTransform(), "tanh": T.TanhTransform(), "softplus": T.SoftplusTransform(),
        "affine": T.AffineTransform(t(1.0), t([2.0, -3.0, 0.5])), "affine-number": T.AffineTransform(1.0, -2.0),
        "affine-event": T.AffineTransform(0.0, t([2.0, -3.0, 0.5]), event_dim=1),
        "chain": T.ComposeTransform([T.AffineTransform(0.5, 2.0), T.TanhTransform(),
                                     T.AffineTransform(2.0, 1.0), T.PowerTransform(t(1.5))]),
        "stick": T.StickBreakingTransform(), "corr": T.CorrCholeskyTransform(), "independent": T.IndependentTransform(T.ExpTransform(), 1),
        "reshape": T.ReshapeTransform((3,), (3, 1)), "inverse": T.ExpTransform().inv,
        "cat": T.CatTransform([T.ExpTransform(), T.AffineTransform(1.0, 3.0)], dim=-1, lengths=[1, 2]),
        "stack": T.StackTransform([T.ExpTransform(), T.AffineTransform(1.0, 3.0), T.TanhTransform()], dim=-1),
        "cdf": T.CumulativeDistributionTransform(D.Normal(0.0, 1.0)),
    }


NAMES = ["exp", "sigmoid", "tanh", "softplus", "affine", "affine-number", "affine-event", "chain", "stick", "corr", "independent",
         "reshape", "inverse", "cat", "stack", "cdf"]


@pytest.mark.parametrize("name", NAMES)
def test_inverse_shape_and_jacobian(torch, D, name):
    transform = all_of(torch, D)[name]
    assert transform.bijective
    x = torch.tensor([[0.3, -0.5, 0.8], [1.0, 0.2, -0.1]], dtype=torch.float64)
    x = x.abs() if name == "inverse" else x
    y = transform(x)
    assert y.shape == transform.forward_shape(x.shape) and x.shape == transform.inverse_shape(y.shape)
    assert transform.codomain.check(y).all() and transform.domain.check(x).all()
    torch.testing.assert_close(transform.inv(y), x, rtol=1e-6, atol=1e-6)
    assert transform.inv.inv is transform
    found = transform.log_abs_det_jacobian(x, y)
    torch.testing.assert_close(transform.inv.log_abs_det_jacobian(y, x), -found)
    kept = {"stick": lambda y: y[:-1], "corr": lambda y: torch.stack([y[1, 0], y[2, 0], y[2, 1]])}.get(name, lambda y: y)
    for i, row in enumerate(x):
        jacobian = torch.autograd.functional.jacobian(lambda r: kept(transform(r)).reshape(-1), row)
        wanted = torch.linalg.slogdet(jacobian)[1]
        mine = found[i].sum()
        torch.testing.assert_close(mine, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_copies_with_a_cache(torch, D, name):
    transform = all_of(torch, D)[name].with_cache(1)
    x = torch.tensor([[0.3, 0.5, 0.8]], dtype=torch.float64)
    y = transform(x)
    if name not in ("chain",):
        assert transform(x) is y and transform.inv(y) is x
    assert transform.with_cache(1) is transform and transform.with_cache(0) is not transform


def test_no_bijections(torch, D):
    x = torch.tensor([[-1.0, 2.0]])
    assert torch.equal(D.AbsTransform()(x), x.abs()) and not D.AbsTransform().bijective
    p = D.SoftmaxTransform()(x)
    torch.testing.assert_close(p, torch.softmax(x, -1))
    torch.testing.assert_close(D.SoftmaxTransform()(D.SoftmaxTransform().inv(p)), p)
    square = torch.tensor([[0.5, 9.0], [0.3, -0.2]])
    for transform in (D.LowerCholeskyTransform(), D.PositiveDefiniteTransform()):
        y = transform(square)
        assert transform.codomain.check(y)
        torch.testing.assert_close(transform.inv(y), square.tril(), rtol=1e-4, atol=1e-5)


def test_equality_repr_and_signs(torch, D):
    assert D.ExpTransform() == D.ExpTransform() and D.ExpTransform() != D.TanhTransform()
    assert D.AffineTransform(0.0, 1.0) == D.AffineTransform(0.0, 1.0) and D.AffineTransform(0.0, 1.0) != D.AffineTransform(0.0, 2.0)
    assert D.AffineTransform(torch.zeros(2), 1.0) == D.AffineTransform(torch.zeros(2), 1.0)
    assert D.ExpTransform().inv == D.ExpTransform().inv and D.PowerTransform(2.0) == D.PowerTransform(2.0)
    assert D.AffineTransform(0.0, -2.0).sign == -1 and D.ComposeTransform([D.AffineTransform(0.0, -2.0), D.ExpTransform()]).sign == -1
    assert repr(D.ExpTransform().inv) == "_InverseTransform(ExpTransform())"
    chain = D.ComposeTransform([D.ExpTransform(), D.TanhTransform()])
    assert repr(chain) == "ComposeTransform(\n    ExpTransform(),\n    TanhTransform()\n)"
    assert repr(D.IndependentTransform(D.ExpTransform(), 2)) == "IndependentTransform(ExpTransform(), 2)"
    assert D.identity_transform == D.ComposeTransform([])
    x = torch.ones(2)
    assert D.identity_transform(x) is x and torch.equal(D.identity_transform.log_abs_det_jacobian(x, x), torch.zeros(2))


def test_errors(torch, D, fails):
    with fails(ValueError, "cache_size must be 0 or 1"):
        D.ExpTransform(cache_size=2)
    with fails(ValueError, "in_shape, out_shape have different numbers of elements"):
        D.ReshapeTransform((2,), (3,))
    with fails(ValueError, "Too few dimensions on input"):
        D.IndependentTransform(D.ExpTransform(), 1)(torch.tensor(1.0))
    with fails(ValueError, "Input is not a flattened lower-diagonal number"):
        D.CorrCholeskyTransform().forward_shape((4,))
    with fails(AssertionError, "x.size(0) = 3 must equal len(transforms) 1"):
        D.StackTransform([D.ExpTransform()])(torch.ones(3))
    with fails(AssertionError, "lengths (1) must match transforms (2)"):
        D.CatTransform([D.ExpTransform(), D.ExpTransform()], lengths=[2])

    class Mine(D.Transform):
        def __init__(self, a):
            super().__init__()

    with pytest.raises(NotImplementedError, match="with_cache is not implemented"):
        Mine(1).with_cache()


def test_tanh_policy(torch, D):
    """What reinforcement learning does: a squashed normal with the action's log probability, through the cache."""
    loc = torch.zeros(2, requires_grad=True)
    d = D.Independent(D.TransformedDistribution(D.Normal(loc, 1.0), [D.TanhTransform(cache_size=1)]), 1)
    action = d.rsample()
    log_prob = d.log_prob(action)
    log_prob.backward()
    assert log_prob.shape == () and torch.isfinite(loc.grad).all()
    x = D.transforms.TanhTransform().inv(action.detach())
    wanted = D.Normal(torch.zeros(2), 1.0).log_prob(x) - torch.log(1 - action.detach() ** 2)
    torch.testing.assert_close(log_prob.detach(), wanted.sum(), rtol=1e-4, atol=1e-4)


REGIONS = {
    "real": lambda c: c.real, "positive": lambda c: c.positive, "greater_than": lambda c: c.greater_than(2.0),
    "less_than": lambda c: c.less_than(-1.0), "interval": lambda c: c.interval(-2.0, 3.0), "unit_interval": lambda c: c.unit_interval,
    "half_open_interval": lambda c: c.half_open_interval(0.0, 1.0), "simplex": lambda c: c.simplex, "real_vector": lambda c: c.real_vector,
    "nonnegative": lambda c: c.nonnegative, "corr_cholesky": lambda c: c.corr_cholesky,
    "stack": lambda c: c.stack([c.positive, c.real, c.unit_interval], -1), "cat": lambda c: c.cat([c.positive, c.real], -1, [1, 2]),
}


@pytest.mark.parametrize("name", sorted(REGIONS))
def test_registries(torch, D, name):
    region = REGIONS[name](D.constraints)
    x = torch.tensor([[0.3, -0.5, 0.8], [1.0, 0.2, -0.1]])
    for registry in (D.biject_to, D.transform_to):
        transform = registry(region)
        y = transform(x)
        assert region.check(y).all()
        torch.testing.assert_close(transform(transform.inv(y)), y, rtol=1e-4, atol=1e-5)
    assert D.biject_to(region).bijective


def test_registries_of_ones_own(torch, D, fails):
    class Even(D.constraints.Constraint):
        pass

    with fails(NotImplementedError, "Cannot transform Even constraints"):
        D.biject_to(Even())
    D.biject_to.register(Even, lambda c: D.ExpTransform())
    assert D.biject_to(Even()) == D.ExpTransform()
    with fails(TypeError, "Expected constraint to be either a Constraint subclass or instance, but got 3"):
        D.biject_to.register(3, lambda c: D.ExpTransform())


CHECKS = [
    ("boolean", [0.0, 1.0, 2.0], [True, True, False]), ("positive", [0.0, 1.0], [False, True]), ("nonnegative", [0.0, -1.0], [True, False]),
    ("real", [0.0, math.nan, math.inf], [True, False, True]), ("unit_interval", [0.0, 1.0, 1.1], [True, True, False]),
    ("nonnegative_integer", [0.0, 0.5, -1.0], [True, False, False]), ("positive_integer", [0.0, 1.0], [False, True]),
    ("one_hot", [[0.0, 1.0], [1.0, 1.0]], [True, False]), ("simplex", [[0.5, 0.5], [0.5, 0.6], [1.5, -0.5]], [True, False, False]),
    ("real_vector", [[0.0, 1.0], [math.nan, 0.0]], [True, False]),
    ("lower_triangular", [[[1.0, 0.0], [1.0, 0.0]], [[1.0, 1.0], [0.0, 1.0]]], [True, False]),
    ("lower_cholesky", [[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]], [False, True]),
    ("corr_cholesky", [[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.0], [1.0, 1.0]]], [True, False]),
    ("positive_definite", [[[2.0, 1.0], [1.0, 2.0]], [[1.0, 2.0], [2.0, 1.0]]], [True, False]),
    ("positive_semidefinite", [[[2.0, 1.0], [1.0, 2.0]], [[1.0, 2.0], [2.0, 1.0]]], [True, False]),
    ("symmetric", [[[2.0, 1.0], [1.0, 2.0]], [[1.0, 2.0], [0.0, 1.0]]], [True, False]), ("square", [[[2.0], [1.0]]], [False]),
]


@pytest.mark.parametrize(("name", "values", "wanted"), CHECKS)
def test_constraints(torch, D, name, values, wanted):
    constraint = getattr(D.constraints, name)
    assert constraint.check(torch.tensor(values)).tolist() == wanted
    assert constraint.event_dim == torch.tensor(values).dim() - 1


def test_constraints_with_bounds(torch, D, fails):
    c = D.constraints
    x = torch.tensor([0.0, 1.0, 2.0])
    assert c.interval(0, 1).check(x).tolist() == [True, True, False]
    assert c.half_open_interval(0, 1).check(x).tolist() == [True, False, False]
    assert c.greater_than(1).check(x).tolist() == [False, False, True] and c.less_than(1).check(x).tolist() == [True, False, False]
    assert c.integer_interval(1, 2).check(x + 0.0).tolist() == [False, True, True] and c.multinomial(3).check(x).item()
    assert repr(c.integer_interval(0, 3)) == "IntegerInterval(lower_bound=0, upper_bound=3)" and repr(c.real) == "Real()"
    assert repr(c.positive) == "GreaterThan(lower_bound=0.0)" and repr(c.less_than(3)) == "LessThan(upper_bound=3)"
    assert repr(c.real_vector) == "IndependentConstraint(Real(), 1)" and repr(c.dependent) == "Dependent()"
    assert c.is_dependent(D.Uniform.support) and not c.is_dependent(c.real)
    assert D.Uniform.support.event_dim == 0 and not D.Uniform.support.is_discrete and D.Categorical.support.is_discrete
    with fails(ValueError, "Cannot determine validity of dependent constraint"):
        c.dependent.check(x)
    with fails(NotImplementedError, ".event_dim cannot be determined statically"):
        c.dependent.event_dim
    assert c.dependent(event_dim=2).event_dim == 2


def test_triangles_and_vectors(torch, D, fails):
    utils = importlib.import_module(f"{torch.__name__}.distributions.utils")
    v = torch.arange(6.0)
    m = utils.vec_to_tril_matrix(v)
    assert m.tolist() == [[0, 0, 0], [1, 2, 0], [3, 4, 5]] and torch.equal(utils.tril_matrix_to_vec(m), v)
    assert torch.equal(utils.tril_matrix_to_vec(utils.vec_to_tril_matrix(v, diag=-1), diag=-1), v)
    with fails(ValueError, "The size of last dimension is 5 which cannot be expressed as the lower triangular part"):
        utils.vec_to_tril_matrix(torch.ones(5))
    with fails(ValueError, "diag (3) provided is outside [-3, 2]."):
        utils.tril_matrix_to_vec(m, diag=3)
