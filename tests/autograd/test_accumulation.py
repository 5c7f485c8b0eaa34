"""Where `.grad` comes from: accumulation, identity, aliasing, shape and dtype of what arrives at a leaf."""

import pytest


def ones(torch, *shape, **options):
    return torch.ones(*shape, requires_grad=True, **options)


def test_grad_is_none_before_the_first_backward(torch):
    x = ones(torch, 2)
    assert x.grad is None
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_second_backward_adds_in_place_and_keeps_the_object(torch):
    x = ones(torch, 2)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    assert x.grad is first
    assert first.tolist() == [5.0, 5.0]


def test_grad_none_starts_afresh(torch):
    x = ones(torch, 2)
    (x * 2).sum().backward()
    first = x.grad
    x.grad = None
    (x * 3).sum().backward()
    assert x.grad is not first
    assert first.tolist() == [2.0, 2.0] and x.grad.tolist() == [3.0, 3.0]


def test_zeroed_grad_is_added_to_in_place(torch):
    x = ones(torch, 2)
    x.sum().backward()
    first = x.grad
    first.zero_()
    (x * 3).sum().backward()
    assert x.grad is first and first.tolist() == [3.0, 3.0]


def test_in_place_accumulation_bumps_the_version_of_grad(torch):
    x = ones(torch, 2)
    x.sum().backward()
    before = x.grad._version
    x.sum().backward()
    assert x.grad._version == before + 1


def test_create_graph_accumulates_out_of_place(torch, quiet):
    x = ones(torch, 2)
    x.sum().backward()
    first = x.grad
    with quiet():
        (x * x).sum().backward(create_graph=True)
    assert x.grad is not first
    assert first.tolist() == [1.0, 1.0] and x.grad.tolist() == [3.0, 3.0]
    assert x.grad.requires_grad


def test_plain_grad_needs_no_grad(torch):
    x = ones(torch, 2)
    (x * x).sum().backward()
    assert not x.grad.requires_grad and x.grad.grad_fn is None and x.grad.is_leaf


def test_a_gradient_nobody_else_holds_is_stolen(torch):
    x = ones(torch, 3)
    seen = []

    class Rule(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            mine = torch.full((3,), 2.0)
            seen.append(mine.data_ptr())
            return mine

    Rule.apply(x).sum().backward()
    assert x.grad.data_ptr() == seen[0]


def test_a_gradient_somebody_holds_is_copied(torch):
    x = ones(torch, 3)
    held = torch.full((3,), 2.0)

    class Rule(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return held

    Rule.apply(x).sum().backward()
    assert x.grad.data_ptr() != held.data_ptr() and x.grad.tolist() == [2.0, 2.0, 2.0]


def test_the_seed_of_backward_is_never_aliased(torch):
    x = ones(torch, 2)
    seed = torch.ones(2)
    x.backward(seed)
    seed.zero_()
    assert x.grad.tolist() == [1.0, 1.0]


def test_seed_through_a_view_is_not_aliased(rushlight):
    x = ones(rushlight, 2, 2)
    seed = rushlight.ones(4)  # PyTorch shares memory here, against its own promise
    x.view(4).backward(seed)
    seed.zero_()
    assert x.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_two_leaves_of_one_addition_do_not_share(torch):
    x, y = ones(torch, 2), ones(torch, 2)
    (x + y).backward(torch.ones(2))
    x.grad.mul_(5)
    assert y.grad.tolist() == [1.0, 1.0]


def test_retained_grad_does_not_share_with_the_leaf(torch):
    x = ones(torch, 2)
    h = x + 0
    h.retain_grad()
    h.sum().backward()
    x.grad.zero_()
    assert h.grad.tolist() == [1.0, 1.0]


def test_gradient_of_expand_owns_its_elements(torch):
    x = ones(torch, 3)
    x.sum().backward()
    x.grad[0] = 7.0
    assert x.grad.tolist() == [7.0, 1.0, 1.0]


def test_gradient_returned_by_grad_does_not_alias_the_seed_after_accumulation(torch):
    x = ones(torch, 2)
    g = torch.ones(2)
    x.grad = g
    x.sum().backward()
    assert x.grad is g and g.tolist() == [2.0, 2.0]


def test_grad_of_a_transposed_use_has_the_layout_of_the_leaf(torch):
    x = ones(torch, 2, 3)
    (x.t() * torch.arange(6.0).view(3, 2)).sum().backward()
    assert x.grad.stride() == x.stride() == (3, 1)
    assert x.grad.tolist() == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]


def test_one_leaf_used_many_times_sums(torch):
    x = ones(torch, 2)
    (x * 2 + x * 3 + x).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_backward_on_a_leaf_itself(torch):
    x = torch.tensor(3.0, requires_grad=True)
    x.backward()
    assert x.grad.item() == 1.0


def test_frozen_leaf_gets_nothing(torch):
    x, y = ones(torch, 2), torch.ones(2)
    (x * y).sum().backward()
    assert y.grad is None


def test_leaf_frozen_after_the_forward_gets_nothing(torch):
    x, y = ones(torch, 2), ones(torch, 2)
    z = (x * y).sum()
    y.requires_grad_(False)
    z.backward()
    assert y.grad is None and x.grad.tolist() == [1.0, 1.0]


# Assigning .grad


def test_assigned_grad_is_the_same_object(torch):
    x, g = ones(torch, 2), torch.ones(2)
    x.grad = g
    assert x.grad is g


def test_grad_can_be_deleted(torch):
    x = ones(torch, 2)
    x.sum().backward()
    del x.grad
    assert x.grad is None


def test_assigning_a_wrong_shape(torch, fails):
    x = ones(torch, 2)
    with fails(
        RuntimeError,
        "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. "
        "Please ensure that the gradient and the tensor are the same size",
    ):
        x.grad = torch.ones(3)
    assert x.grad is None


def test_assigning_a_wrong_dtype(torch, fails):
    x = ones(torch, 2)
    with fails(
        RuntimeError,
        "attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'.",
    ):
        x.grad = torch.ones(2, dtype=torch.float64)
    assert x.grad is None


def test_assigning_itself(torch, fails):
    x = ones(torch, 2)
    with fails(RuntimeError, "can't assign Variable as its own grad"):
        x.grad = x


def test_assigning_no_tensor(torch, fails):
    x = ones(torch, 2)
    with fails(TypeError, "assigned grad expected to be a Tensor or None but got grad of type int"):
        x.grad = 3


def test_integer_tensors_may_carry_an_assigned_grad(torch):
    x = torch.ones(2, dtype=torch.int64)
    x.grad = torch.ones(2, dtype=torch.int64)
    assert x.grad.tolist() == [1, 1]


# The shape and the dtype of what arrives


@pytest.mark.parametrize(
    "left, right",
    [
        ((2, 1), (1, 3)),
        ((), (2, 3)),
        ((3,), (2, 3)),
        ((1,), ()),
        ((0, 3), (1, 3)),
        ((4, 1, 1), (2, 3)),
        ((1, 1), (1,)),
    ],
)
def test_broadcast_operands_get_their_own_shape(torch, left, right):
    a, b = ones(torch, left), ones(torch, right)
    out = a * b
    out.sum().backward()
    assert a.grad.shape == a.shape and b.grad.shape == b.shape
    count = out.numel()
    assert float(a.grad.sum()) == count and float(b.grad.sum()) == count


@pytest.mark.parametrize(
    "low, high", [("float32", "float64"), ("float16", "float32"), ("bfloat16", "float32")]
)
def test_each_operand_gets_its_own_dtype(torch, low, high):
    a, b = ones(torch, 2, dtype=getattr(torch, low)), ones(torch, 2, dtype=getattr(torch, high))
    (a * b).sum().backward()
    assert a.grad.dtype == a.dtype and b.grad.dtype == b.dtype


def test_conversion_returns_the_gradient_in_the_dtype_of_its_input(torch):
    x = ones(torch, 2)
    x.double().sum().backward()
    assert x.grad.dtype == torch.float32


def test_zero_dimensional_operand_keeps_dtype_and_shape(torch):
    s = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    x = ones(torch, 3)
    (x * s).sum().backward()
    assert s.grad.dtype == torch.float64 and s.grad.shape == () and s.grad.item() == 3.0
    assert x.grad.dtype == torch.float32


def test_integer_seed_is_cast_to_the_dtype_of_the_output(torch):
    x = ones(torch, 2)
    x.backward(torch.ones(2, dtype=torch.int64))
    assert x.grad.dtype == torch.float32 and x.grad.tolist() == [1.0, 1.0]


def test_double_seed_is_cast_to_the_dtype_of_the_output(torch):
    x = ones(torch, 2)
    (x * 2).backward(torch.ones(2, dtype=torch.float64))
    assert x.grad.dtype == torch.float32 and x.grad.tolist() == [2.0, 2.0]


# Complex gradients: the conjugate convention, in which `-grad` points downhill


def test_real_loss_of_a_complex_leaf(torch):
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    (z * z.conj()).real.sum().backward()
    assert z.grad.tolist() == [2 + 4j, 6 - 2j]


def test_holomorphic_product_conjugates_the_factor(torch):
    z = torch.tensor([1 + 2j], requires_grad=True)
    w = torch.tensor([3 + 1j])
    (z * w).backward(torch.ones(1, dtype=torch.complex64))
    assert z.grad.tolist() == [3 - 1j]


def test_real_leaf_in_a_complex_product_gets_a_real_gradient(torch):
    x = torch.tensor([2.0], requires_grad=True)
    w = torch.tensor([3 + 4j])
    (x * w).abs().sum().backward()
    assert x.grad.dtype == torch.float32 and x.grad.tolist() == [5.0]


def test_real_and_imag_are_differentiable(torch):
    z = torch.tensor([1 + 2j], requires_grad=True)
    (z.real * 3 + z.imag * 5).sum().backward()
    assert z.grad.tolist() == [3 + 5j]


def test_abs_of_complex_at_zero_is_flat(torch):
    z = torch.tensor([0j, 3 + 4j], requires_grad=True)
    z.abs().sum().backward()
    assert z.grad[0].item() == 0
    assert abs(z.grad[1].item() - (0.6 + 0.8j)) < 1e-6


def test_complex_loss_has_no_implicit_gradient(torch, fails):
    z = torch.tensor(1 + 2j, requires_grad=True)
    with fails(
        RuntimeError, "grad can be implicitly created only for real scalar outputs but got torch.complex64"
    ):
        z.backward()


def test_complex_seed_for_a_real_output_is_refused(torch, fails):
    x = ones(torch, 2)
    with fails(
        RuntimeError, "For complex Tensors, both grad_output and output are required to have the same dtype."
    ):
        x.backward(torch.ones(2, dtype=torch.complex64))
