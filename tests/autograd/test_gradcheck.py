"""`gradcheck` and `gradgradcheck`: what they accept, what they find, and their options."""

import importlib

import pytest

MISMATCH = "Jacobian mismatch for output 0 with respect to input 0,"


def doubles(torch, *values):
    return torch.tensor(values or (0.3, 0.7, 1.1), dtype=torch.float64, requires_grad=True)


def rule(torch, backward, forward=lambda x: x * 2):
    def run(ctx, x):
        ctx.save_for_backward(x)
        return forward(x)

    return type(
        "Rule", (torch.autograd.Function,), {"forward": staticmethod(run), "backward": staticmethod(backward)}
    ).apply


@pytest.mark.parametrize(
    "f",
    [
        lambda t, x: x.sin(),
        lambda t, x: x.sum(),
        lambda t, x: (x * 2, x.sum()),
        lambda t, x: x.prod(),
        lambda t, x: t.outer(x, x),
        lambda t, x: x.cumsum(0),
        lambda t, x: x.softmax(0),
        lambda t, x: x[[0, 0, 1]],
        lambda t, x: [x * 1],
    ],
)
@pytest.mark.parametrize("fast", [False, True])
def test_right_gradients_pass(torch, f, fast):
    assert torch.autograd.gradcheck(lambda x: f(torch, x), doubles(torch), fast_mode=fast) is True


def test_several_inputs(torch):
    x, y = doubles(torch), doubles(torch, 2.0, 3.0, 4.0)
    assert torch.autograd.gradcheck(lambda a, b, k: a * b * k, (x, y, 3))


def test_inputs_that_need_no_grad_are_left_alone(torch):
    x, y = doubles(torch), doubles(torch).detach()
    assert torch.autograd.gradcheck(torch.mul, (x, y)) and y.grad is None


def test_complex_inputs_and_outputs(torch):
    z = torch.tensor([1 + 2j, 0.5 - 1j], dtype=torch.complex128, requires_grad=True)
    for f in (
        lambda z: z * z,
        lambda z: z.abs(),
        lambda z: z.conj(),
        lambda z: z.real * 2,
        lambda z: (z * 2j).exp(),
    ):
        assert torch.autograd.gradcheck(f, z)
    x = doubles(torch)
    assert torch.autograd.gradcheck(lambda x: torch.complex(x, x * 2), x)


def test_wrong_gradients_are_found(torch, fails):
    bad = rule(torch, lambda ctx, g: g * 3)
    kind = importlib.import_module(torch.__name__ + ".autograd.gradcheck").GradcheckError
    assert issubclass(kind, RuntimeError)
    with fails(kind, MISMATCH + "\nnumerical:tensor([[2."):
        torch.autograd.gradcheck(bad, doubles(torch))
    with fails(kind, MISMATCH):
        torch.autograd.gradcheck(bad, doubles(torch), fast_mode=True)


def test_raise_exception_false(torch):
    assert (
        torch.autograd.gradcheck(rule(torch, lambda ctx, g: g * 3), doubles(torch), raise_exception=False)
        is False
    )


def test_tolerances(torch):
    nearly = rule(torch, lambda ctx, g: g * 2.01)
    assert not torch.autograd.gradcheck(nearly, doubles(torch), raise_exception=False)
    assert torch.autograd.gradcheck(nearly, doubles(torch), rtol=0.02)
    assert torch.autograd.gradcheck(nearly, doubles(torch), atol=0.05)


def test_nothing_requires_grad(torch, fails):
    with fails(
        ValueError,
        "gradcheck expects at least one input tensor to require gradient, but none of them have "
        "requires_grad=True.",
    ):
        torch.autograd.gradcheck(torch.sin, torch.ones(2, dtype=torch.float64))


def test_single_precision_warns(torch):
    with pytest.warns(
        UserWarning,
        match="Input #0 requires gradient and is not a double precision floating point or complex.",
    ):
        assert not torch.autograd.gradcheck(
            torch.sin, torch.ones(2, requires_grad=True), raise_exception=False
        )


def test_cut_graph_is_found(torch):
    with pytest.raises(RuntimeError, match="^Numerical gradient for function expected to be zero"):
        torch.autograd.gradcheck(lambda x: x.detach() * 2, doubles(torch))


def test_constant_functions_pass(torch):
    assert torch.autograd.gradcheck(lambda x: torch.zeros(3, dtype=torch.float64), doubles(torch))


def test_nondeterministic_backward_is_found(torch):
    noise = iter([1e-7 * i for i in range(1000)])
    shaky = rule(torch, lambda ctx, g: g * (2 + next(noise)))
    with pytest.raises(
        RuntimeError,
        match="^Backward is not reentrant, i.e., running backward with same input and grad_output "
        "multiple times gives different values",
    ):
        torch.autograd.gradcheck(shaky, doubles(torch))
    noise = iter([1e-7 * i for i in range(1000)])
    assert torch.autograd.gradcheck(shaky, doubles(torch), nondet_tol=1e-3)


def test_backward_that_ignores_its_seed_is_found(torch):
    lazy = rule(torch, lambda ctx, g: g * 2 + (0 if float(g.abs().sum()) > 0 else 1))
    with pytest.raises(RuntimeError, match="^backward not multiplied by grad_output"):
        torch.autograd.gradcheck(lazy, doubles(torch))


def test_expanded_inputs_are_refused(torch, fails):
    x = torch.ones(1, 3, dtype=torch.float64).expand(2, 3).requires_grad_()
    with fails(
        RuntimeError,
        "The 0th input has a dimension with stride 0. gradcheck only supports inputs that are "
        "non-overlapping to be able to compute the numerical gradients correctly.",
    ):
        torch.autograd.gradcheck(lambda x: x * 2, x)


def test_batched_gradients_can_be_checked(torch):
    assert torch.autograd.gradcheck(torch.sin, doubles(torch), check_batched_grad=True)


def test_undefined_gradients_need_not_be_checked(torch):
    assert torch.autograd.gradcheck(lambda x: x * 2, doubles(torch), check_undefined_grad=False)


def test_gradcheck_leaves_inputs_and_grads_alone(torch):
    x = doubles(torch)
    before = x.tolist()
    torch.autograd.gradcheck(lambda x: x**3, x)
    assert x.tolist() == before and x.grad is None and x.is_leaf


# Second order


def test_gradgradcheck_passes(torch):
    x, y = doubles(torch), doubles(torch, 2.0, 3.0, 4.0)
    assert torch.autograd.gradgradcheck(lambda a, b: a * b.exp(), (x, y))
    assert torch.autograd.gradgradcheck(lambda x: x**3, x, fast_mode=True)


def test_gradgradcheck_of_a_linear_function(torch):
    assert torch.autograd.gradgradcheck(lambda x: x * 2, doubles(torch))


def test_gradgradcheck_with_given_seeds(torch):
    assert torch.autograd.gradgradcheck(
        lambda x: x**3, doubles(torch), torch.ones(3, dtype=torch.float64, requires_grad=True)
    )


def test_gradgradcheck_generates_seeds_that_do_not_require_grad_when_asked(torch):
    assert torch.autograd.gradgradcheck(lambda x: x**3, doubles(torch), gen_non_contig_grad_outputs=True)


def test_lost_second_order_terms_are_found(torch):
    lost = rule(torch, lambda ctx, g: g * 2 * ctx.saved_tensors[0].detach(), forward=lambda x: x**2)
    assert torch.autograd.gradcheck(lost, doubles(torch))
    with pytest.raises(RuntimeError, match="^" + MISMATCH):
        torch.autograd.gradgradcheck(lost, doubles(torch))
    assert torch.autograd.gradgradcheck(lost, doubles(torch), raise_exception=False) is False
