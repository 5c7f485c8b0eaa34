"""`autograd.functional`: vjp, jvp, jacobian, hessian, vhp, hvp."""

import pytest


@pytest.fixture
def fn(torch):
    return torch.autograd.functional


@pytest.fixture
def x(torch):
    return torch.tensor([1.0, 2.0])


def lists(value):
    """Nested tuples of tensors as nested tuples of lists."""
    return tuple(lists(v) for v in value) if isinstance(value, tuple) else value.tolist()


# vjp and jvp


def test_vjp(torch, fn, x):
    assert lists(fn.vjp(lambda x: x**2, x, torch.ones(2))) == ([1.0, 4.0], [2.0, 4.0])


def test_vjp_of_a_scalar_needs_no_vector(fn, x):
    assert lists(fn.vjp(lambda x: (x**2).sum(), x)) == (5.0, [2.0, 4.0])


def test_vjp_with_tuples(torch, fn, x):
    assert lists(fn.vjp(lambda x: (x * 2, x * 3), x, (torch.ones(2), torch.ones(2)))) == (
        ([2.0, 4.0], [3.0, 6.0]),
        [5.0, 5.0],
    )
    assert lists(fn.vjp(lambda x, y: x * 2, (x, x), torch.ones(2))) == ([2.0, 4.0], ([2.0, 2.0], [0.0, 0.0]))


def test_jvp(torch, fn, x):
    assert lists(fn.jvp(lambda x: x**2, x, torch.tensor([1.0, 10.0]))) == ([1.0, 4.0], [2.0, 40.0])


def test_jvp_with_tuples(torch, fn, x):
    result = fn.jvp(lambda x, y: (x * y, x.sum()), (x, x), (torch.ones(2), torch.ones(2) * 3))
    assert lists(result) == (([1.0, 4.0], 3.0), ([4.0, 8.0], 2.0))


def test_results_are_detached_unless_create_graph(torch, fn, x):
    x.requires_grad_()
    for f in (fn.vjp, fn.jvp):
        plain = f(lambda x: x**2, x, torch.ones(2))
        assert not plain[0].requires_grad and not plain[1].requires_grad
        graph = f(lambda x: x**2, x, torch.ones(2), create_graph=True)
        assert graph[0].requires_grad
        assert torch.autograd.grad(graph[1].sum(), x)[0].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", ["vjp", "jvp"])
def test_errors_of_the_vector(torch, fn, fails, x, name):
    with fails(RuntimeError, "The vector v can only be None if the "):
        getattr(fn, name)(lambda x: x**2, x)
    with fails(RuntimeError, "v has invalid size: should be torch.Size([2]) but got torch.Size([3])."):
        getattr(fn, name)(lambda x: x**2, x, torch.ones(3))


def test_errors_of_arguments(torch, fn, fails, x):
    with fails(
        TypeError,
        "The outputs of the user-provided function given to vjp must be either a Tensor or a tuple of "
        "Tensors "
        "but the given outputs of the user-provided function has type <class 'int'>.",
    ):
        fn.vjp(lambda x: 5, x, torch.ones(2))
    with fails(
        TypeError,
        "The inputs given to vjp must be either a Tensor or a tuple of Tensors but the given inputs has type "
        "<class 'int'>.",
    ):
        fn.vjp(lambda x: x * 2, 5, torch.ones(2))
    with fails(RuntimeError, "v is a tuple of invalid length: should be 2 but got 1."):
        fn.vjp(lambda x: (x * 2, x * 3), x, torch.ones(2))


@pytest.mark.parametrize("name", ["vjp", "jvp", "jacobian"])
def test_strict_refuses_outputs_without_a_graph(torch, fn, fails, x, name):
    vector = () if name == "jacobian" else (torch.ones(2),)
    with fails(
        RuntimeError,
        "Output 0 of the user-provided function does not require gradients. The outputs must be computed "
        "in a differentiable manner from the input when running in strict mode.",
    ):
        getattr(fn, name)(lambda x: x.detach(), x, *vector, strict=True)


def test_not_strict_gives_zeros(torch, fn, x):
    assert fn.vjp(lambda x: x.detach(), x, torch.ones(2))[1].tolist() == [0.0, 0.0]
    assert fn.jvp(lambda x: x.detach(), x, torch.ones(2))[1].tolist() == [0.0, 0.0]
    assert fn.jacobian(lambda x: x.detach(), x).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_strict_refuses_independent_inputs(torch, fn, fails, x):
    with fails(
        RuntimeError,
        "The output of the user-provided function is independent of input 1. "
        "This is not allowed in strict mode.",
    ):
        fn.vjp(lambda x, y: x * 2, (x, x), torch.ones(2), strict=True)
    with fails(
        RuntimeError,
        "Output 0 of the user-provided function is independent of input 1. "
        "This is not allowed in strict mode.",
    ):
        fn.jacobian(lambda x, y: x * 2, (x, x), strict=True)


def test_strict_with_create_graph_refuses_constant_jacobians(torch, fn, fails, x):
    x.requires_grad_()
    sentence = (
        "The jacobian of the user-provided function is independent of input 0. This is not allowed in "
        "strict mode when "
        "create_graph=True."
    )
    with fails(RuntimeError, sentence):
        fn.vjp(lambda x: x * 2, x, torch.ones(2), create_graph=True, strict=True)
    with fails(RuntimeError, sentence):
        fn.jacobian(lambda x: x * 2, x, create_graph=True, strict=True)


# jacobian


@pytest.mark.parametrize("vectorize", [False, True])
def test_jacobian(fn, x, vectorize):
    assert fn.jacobian(lambda x: x**2, x, vectorize=vectorize).tolist() == [[2.0, 0.0], [0.0, 4.0]]


@pytest.mark.parametrize("vectorize", [False, True])
def test_jacobian_of_tuples_is_outputs_by_inputs(fn, x, vectorize):
    result = fn.jacobian(lambda x, y: (x * y, x.sum()), (x, x * 2), vectorize=vectorize)
    assert lists(result) == (([[2.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]), ([1.0, 1.0], [0.0, 0.0]))


@pytest.mark.parametrize("vectorize", [False, True])
def test_jacobian_shape_is_output_then_input(torch, fn, vectorize):
    a = torch.arange(6.0).view(2, 3)
    assert fn.jacobian(lambda a: a.sum(0).tanh()[None, :], a, vectorize=vectorize).shape == (1, 3, 2, 3)
    assert fn.jacobian(lambda a: a.sum(), a, vectorize=vectorize).shape == (2, 3)


def test_jacobian_create_graph(torch, fn, x):
    x.requires_grad_()
    j = fn.jacobian(lambda x: x**3, x, create_graph=True)
    assert torch.autograd.grad(j.sum(), x)[0].tolist() == [6.0, 12.0]
    assert not fn.jacobian(lambda x: x**3, x).requires_grad


def test_jacobian_leaves_the_input_alone(fn, x):
    fn.jacobian(lambda x: x**2, x)
    assert not x.requires_grad and x.grad is None


def test_jacobian_refuses_strict_with_vectorize(fn, fails, x):
    with fails(
        RuntimeError,
        "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
        "Please either set `strict=False` or `vectorize=False`.",
    ):
        fn.jacobian(lambda x: x**2, x, vectorize=True, strict=True)


def test_jacobian_strategies(fn, fails, x):
    with fails(NotImplementedError, "Computing Jacobian using forward-AD or forward-over-reverse Hessian is"):
        fn.jacobian(lambda x: x**2, x, strategy="forward-mode")
    with fails(AssertionError, 'Expected strategy to be either "forward-mode" or "reverse-mode".'):
        fn.jacobian(lambda x: x**2, x, strategy="sideways")


# hessian and its products


@pytest.mark.parametrize("vectorize", [False, True])
def test_hessian(fn, x, vectorize):
    assert fn.hessian(lambda x: (x**3).sum(), x, vectorize=vectorize).tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_hessian_of_two_inputs(fn, x):
    result = fn.hessian(lambda x, y: (x * y * y).sum(), (x, x))
    two = [[2.0, 0.0], [0.0, 4.0]]
    assert lists(result) == (([[0.0, 0.0], [0.0, 0.0]], two), (two, two))


def test_hessian_of_a_linear_function_is_zero(fn, x):
    assert fn.hessian(lambda x: x.sum(), x).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_hessian_create_graph(torch, fn, x):
    x.requires_grad_()
    h = fn.hessian(lambda x: (x**3).sum(), x, create_graph=True)
    assert torch.autograd.grad(h.sum(), x)[0].tolist() == [6.0, 6.0]


def test_hessian_wants_one_scalar(fn, fails, x):
    with fails(
        RuntimeError, "The Tensor returned by the function given to hessian should contain a single element"
    ):
        fn.hessian(lambda x: x**3, x)
    with fails(RuntimeError, "The function given to hessian should return a single Tensor"):
        fn.hessian(lambda x: (x, x), x)
    with fails(
        RuntimeError, "The Tensor returned by the function given to hvp should contain a single element"
    ):
        fn.hvp(lambda x: x**2, x, x)


def test_hvp_and_vhp(torch, fn, x):
    v = torch.tensor([1.0, 10.0])
    for product in (fn.hvp, fn.vhp):
        value, result = product(lambda x: (x**3).sum() + x[0] * x[1], x, v)
        assert value.item() == 11.0 and result.tolist() == [16.0, 121.0]


def test_products_of_a_linear_function(torch, fn, fails, x):
    for product in (fn.hvp, fn.vhp):
        assert product(lambda x: x.sum(), x, torch.ones(2))[1].tolist() == [0.0, 0.0]
        with fails(
            RuntimeError,
            "While computing the hessian, found that the jacobian of the user-provided function with "
            "respect to input 0 is independent of the input. This is not allowed in strict mode.",
        ):
            product(lambda x: x.sum(), x, torch.ones(2), strict=True)


def test_products_create_graph(torch, fn, x):
    x.requires_grad_()
    for product in (fn.hvp, fn.vhp):
        _, result = product(lambda x: (x**3).sum(), x, torch.ones(2), create_graph=True)
        assert torch.autograd.grad(result.sum(), x)[0].tolist() == [6.0, 6.0]
