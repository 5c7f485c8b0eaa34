"""`func`: grad, vjp, jacrev, hessian as functions of functions, and `functional_call`."""

import pytest


@pytest.fixture
def x(torch):
    return torch.tensor([1.0, 2.0])


def cubes(x):
    return (x**3).sum()


def test_grad(torch, x):
    assert torch.func.grad(cubes)(x).tolist() == [3.0, 12.0]
    assert x.grad is None and not x.requires_grad


def test_grad_of_grad(torch, x):
    inner = torch.func.grad(cubes)
    assert torch.func.grad(lambda x: inner(x).sum())(x).tolist() == [6.0, 12.0]


def test_grad_argnums(torch, x):
    def f(a, b):
        return (a * b).sum()

    assert torch.func.grad(f, argnums=1)(x, x * 2).tolist() == [1.0, 2.0]
    both = torch.func.grad(f, argnums=(0, 1))(x, x * 2)
    assert type(both) is tuple and [g.tolist() for g in both] == [[2.0, 4.0], [1.0, 2.0]]


def test_grad_has_aux(torch, x):
    g, aux = torch.func.grad(lambda x: ((x**2).sum(), x * 9), has_aux=True)(x)
    assert g.tolist() == [2.0, 4.0] and aux.tolist() == [9.0, 18.0] and not aux.requires_grad


def test_grad_and_value(torch, x):
    g, value = torch.func.grad_and_value(lambda x: (x**2).sum())(x)
    assert g.tolist() == [2.0, 4.0] and value.item() == 5.0


def test_grad_of_containers(torch, x):
    g = torch.func.grad(lambda d: (d["a"] * d["b"][0]).sum())({"a": x, "b": [x * 3]})
    assert g["a"].tolist() == [3.0, 6.0] and g["b"][0].tolist() == [1.0, 2.0]


def test_grad_passes_keywords(torch, x):
    assert torch.func.grad(lambda x, k=1.0: (x * k).sum())(x, k=4.0).tolist() == [4.0, 4.0]


def test_grad_of_what_does_not_depend_is_zero(torch, x):
    assert torch.func.grad(lambda x: x.detach().sum())(x).tolist() == [0.0, 0.0]


def test_grad_stays_in_the_graph_outside(torch, x):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    g = torch.func.grad(lambda y: (y**2 * w).sum())(x)
    g.sum().backward()
    assert g.tolist() == [2.0, 8.0] and w.grad.tolist() == [2.0, 4.0]


def test_grad_works_under_no_grad_outside(torch, x):
    with torch.no_grad():
        g = torch.func.grad(cubes)(x)
    assert g.tolist() == [3.0, 12.0] and not g.requires_grad


def test_no_grad_inside_is_respected(torch, x):
    def f(y):
        with torch.no_grad():
            constant = y**2
        return (y - constant).sum()

    assert torch.func.grad(f)(x).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "result, sentence",
    [
        (lambda x: x**3, "Expected f(*args) to return a scalar Tensor, got tensor with 1 dims."),
        (lambda x: 5, "Expected f(*args) to return a Tensor, got <class 'int'>"),
        (lambda x: (x.sum(), x), "Expected f(*args) to return a Tensor, got <class 'tuple'>"),
    ],
)
def test_grad_wants_one_scalar(torch, fails, x, result, sentence):
    with fails(RuntimeError, "grad_and_value(f)(*args): " + sentence):
        torch.func.grad(result)(x)


def test_grad_refuses_integers_and_absent_arguments(torch, fails, x):
    with fails(RuntimeError, "only Tensors of floating point dtype can require gradients"):
        torch.func.grad(lambda x: x.sum())(torch.ones(2, dtype=torch.int64))
    with fails(RuntimeError, "Got argnum=2, but only 2 positional inputs"):
        torch.func.grad(lambda a, b: (a * b).sum(), argnums=2)(x, x)


def test_vjp_may_be_called_again(torch, x):
    out, pull = torch.func.vjp(lambda x: x**2, x)
    assert out.tolist() == [1.0, 4.0]
    assert [pull(torch.ones(2) * k)[0].tolist() for k in (1, 2)] == [[2.0, 4.0], [4.0, 8.0]]


def test_vjp_of_several_inputs_and_outputs(torch, x):
    out, pull = torch.func.vjp(lambda a, b: (a * b, a.sum()), x, x)
    ga, gb = pull((torch.ones(2), torch.tensor(1.0)))
    assert out[1].item() == 3.0 and ga.tolist() == [2.0, 3.0] and gb.tolist() == [1.0, 2.0]


def test_vjp_has_aux(torch, x):
    _, pull, aux = torch.func.vjp(lambda x: (x * 2, x * 5), x, has_aux=True)
    assert aux.tolist() == [5.0, 10.0] and pull(torch.ones(2))[0].tolist() == [2.0, 2.0]


def test_vjp_checks_the_shape(torch, fails, x):
    _, pull = torch.func.vjp(lambda x: x**2, x)
    with fails(RuntimeError, "Mismatch in shape: grad_output[0] has a shape of torch.Size([3])"):
        pull(torch.ones(3))


def test_jacrev(torch, x):
    assert torch.func.jacrev(lambda x: x**2)(x).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert torch.func.jacrev(lambda x: x.sum())(x).tolist() == [1.0, 1.0]
    a, b = torch.func.jacrev(lambda a, b: a * b, argnums=(0, 1))(x, x * 2)
    assert a.tolist() == [[2.0, 0.0], [0.0, 4.0]] and b.tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_jacrev_of_tuples_and_with_aux(torch, x):
    square, total = torch.func.jacrev(lambda x: (x**2, x.sum()))(x)
    assert square.tolist() == [[2.0, 0.0], [0.0, 4.0]] and total.tolist() == [1.0, 1.0]
    j, aux = torch.func.jacrev(lambda x: (x**2, x * 3), has_aux=True)(x)
    assert j.shape == (2, 2) and aux.tolist() == [3.0, 6.0]


def test_hessian(torch, x, quiet):
    with quiet():
        h = torch.func.hessian(cubes)(x)
    assert h.tolist() == [[6.0, 0.0], [0.0, 12.0]]


# functional_call


@pytest.fixture
def layer(torch):
    return torch.nn.Linear(2, 1)


def test_functional_call_uses_the_given_parameters(torch, layer, x):
    before = layer.weight
    values = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    for arguments in (x, (x,)):
        assert torch.func.functional_call(layer, values, arguments).tolist() == [3.0]
    assert layer.weight is before


def test_functional_call_keeps_what_is_not_given(torch, layer, x):
    out = torch.func.functional_call(layer, {"weight": torch.zeros(1, 2)}, x)
    assert torch.equal(out, layer.bias)


def test_functional_call_is_differentiable_in_the_parameters(torch, layer, x):
    values = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    g = torch.func.grad(lambda values: torch.func.functional_call(layer, values, (x,)).sum())(values)
    assert g["weight"].tolist() == [[1.0, 2.0]] and g["bias"].tolist() == [1.0]
    assert layer.weight.grad is None


def test_functional_call_strict_and_ambiguous(torch, fails, layer, x):
    with fails(RuntimeError, "Error(s) in reparametrizing for Linear:\n\tMissing key(s): 'bias'."):
        torch.func.functional_call(layer, {"weight": torch.ones(1, 2)}, x, strict=True)
    twice = ({"weight": torch.ones(1, 2)}, {"weight": torch.ones(1, 2)})
    with fails(
        ValueError, "['weight'] appeared in multiple dictionaries; behavior of functional call is ambiguous"
    ):
        torch.func.functional_call(layer, twice, x)


def test_functional_call_restores_after_an_error(torch, layer):
    before = layer.weight
    with pytest.raises(RuntimeError):
        torch.func.functional_call(layer, {"weight": torch.ones(1, 2)}, torch.ones(5))
    assert layer.weight is before
