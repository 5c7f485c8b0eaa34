"""Version counters, and saved tensors that refuse when their memory moved on."""

import pytest

CHANGED = "one of the variables needed for gradient computation has been modified by an inplace operation: "
HINT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.add_(1),
        lambda t: t.zero_(),
        lambda t: t.fill_(2),
        lambda t: t.copy_(t + 1),
        lambda t: t.__setitem__(0, 1.0),
        lambda t: t[0].mul_(2),
        lambda t: t.view(-1).sin_(),
        lambda t: t.clamp_(0, 1),
        lambda t: t.masked_fill_(t > 5, 0.0),
        lambda t: t.uniform_(),
        lambda t: t.relu_(),
        lambda t: t.detach().exp_(),
        lambda t: t.t_(),
    ],
)
def test_every_in_place_operation_counts_once(torch, change):
    t = torch.ones(2, 2)
    change(t)
    assert t._version == 1


def test_reading_does_not_count(torch):
    t = torch.ones(2, 2)
    t.sum(), t[0], t.view(4), t + 1, t.detach(), t.numpy(), t.clone(), repr(t)
    assert t._version == 0


def test_version_starts_at_zero_for_results(torch):
    t = torch.ones(2)
    t.add_(1)
    assert (t * 2)._version == 0 and t.clone()._version == 0


def test_out_counts(torch):
    out = torch.empty(2)
    torch.mul(torch.ones(2), 2, out=out)
    assert out._version == 1


def test_changed_result_of_exp(torch, fails):
    y = leaf(torch, 2).exp()
    y.add_(1)
    with fails(
        RuntimeError,
        CHANGED + "[torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; "
        "expected version 0 instead. " + HINT,
    ):
        y.sum().backward()


def test_changed_intermediate_input(torch, fails):
    h = leaf(torch, 2) * 1
    y = h * h
    h.add_(1)
    with fails(
        RuntimeError,
        CHANGED + "[torch.FloatTensor [2]], which is output 0 of Add, is at version 1; "
        "expected version 0 instead. " + HINT,
    ):
        y.sum().backward()


def test_changed_plain_tensor_has_no_producer(torch, fails):
    w = torch.ones(2)
    y = leaf(torch, 2) * w
    w.add_(1)
    with fails(
        RuntimeError, CHANGED + "[torch.FloatTensor [2]] is at version 1; expected version 0 instead. " + HINT
    ):
        y.sum().backward()


def test_the_dtype_is_named_as_a_type(torch, fails):
    w = torch.ones(2, 3, dtype=torch.float64)
    y = torch.ones(2, 3, dtype=torch.float64, requires_grad=True) * w
    w[0] = 5.0
    with fails(
        RuntimeError, CHANGED + "[torch.DoubleTensor [2, 3]] is at version 1; expected version 0 instead."
    ):
        y.sum().backward()


def test_changed_after_two_writes_names_both_versions(torch, fails):
    w = torch.ones(2)
    w.add_(1)
    y = leaf(torch, 2) * w
    w.add_(1).mul_(2)
    with fails(
        RuntimeError, CHANGED + "[torch.FloatTensor [2]] is at version 3; expected version 1 instead."
    ):
        y.sum().backward()


def test_change_through_another_view(torch, fails):
    base = leaf(torch, 2) * 1
    y = base.view(2, 1).sin()
    base.zero_()
    with fails(RuntimeError, CHANGED):
        y.sum().backward()


def test_change_of_another_part_of_the_same_memory_is_refused_too(torch, fails):
    base = torch.ones(4)
    y = leaf(torch, 2) * base[:2]
    base[3] = 7.0
    with fails(RuntimeError, CHANGED):
        y.sum().backward()


def test_change_through_detach(torch, fails):
    h = leaf(torch, 2) * 1
    y = h.sin()
    h.detach().add_(1)
    with fails(RuntimeError, CHANGED):
        y.sum().backward()


def test_change_under_no_grad_is_seen(torch, fails):
    x = leaf(torch, 2)
    y = x * x
    with torch.no_grad():
        x.add_(1)
    with fails(
        RuntimeError, CHANGED + "[torch.FloatTensor [2]] is at version 1; expected version 0 instead."
    ):
        y.sum().backward()


def test_change_through_data_is_not_seen(torch):
    x = leaf(torch, 2)
    h = x * 1
    y = h * h
    h.data.fill_(5.0)
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


def test_operations_that_save_nothing_allow_changes(torch):
    x = leaf(torch, 2)
    h = x * 1
    y = h + h
    h.mul_(3)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_the_partner_of_a_constant_may_be_changed(torch):
    x = leaf(torch, 2)
    h = x * 1
    y = h * torch.full((2,), 3.0)
    h.zero_()
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("op", ["exp_", "tanh_", "sigmoid_", "relu_", "sqrt_"])
def test_in_place_operations_that_save_their_result_are_fine(torch, op):
    x = torch.full((2,), 0.25, requires_grad=True)
    y = getattr(x * 1, op)()
    y.sum().backward()
    want = torch.full((2,), 0.25, requires_grad=True)
    getattr(want, op[:-1])().sum().backward()
    assert torch.allclose(x.grad, want.grad)


@pytest.mark.parametrize("op", ["sin_", "log_", "square_"])
def test_in_place_operations_that_need_their_old_input_work_from_a_copy(torch, op):
    x = torch.full((2,), 0.5, requires_grad=True)
    y = getattr(x * 1, op)()
    y.sum().backward()
    want = torch.full((2,), 0.5, requires_grad=True)
    getattr(want, op[:-1])().sum().backward()
    assert torch.allclose(x.grad, want.grad)


def test_in_place_square_by_multiplication_is_refused(torch, fails):
    z = leaf(torch, 2) * 1
    z *= z
    with fails(RuntimeError, CHANGED):
        z.sum().backward()


def test_in_place_product_whose_factor_needs_the_old_value(torch):
    x, w = leaf(torch, 2), leaf(torch, 2)
    y = x * 2
    y.mul_(w)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0] and w.grad.tolist() == [2.0, 2.0]


def test_optimizer_step_between_two_backwards(torch, fails):
    w, v = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    out = (torch.ones(1, 2) @ v @ w).sum()
    out.backward(retain_graph=True)
    torch.optim.SGD([w, v], lr=0.1).step()
    with fails(RuntimeError, CHANGED):
        out.backward()


def test_failed_operation_leaves_version_and_graph_alone(torch):
    y = leaf(torch, 2) * 1
    node = y.grad_fn
    with pytest.raises(RuntimeError):
        y.add_(torch.ones(3))
    assert y._version == 0 and y.grad_fn is node and y.tolist() == [1.0, 1.0]


def test_saved_output_of_a_changed_view_is_refused(torch, fails):
    x = leaf(torch, 4)
    y = x.exp()
    y[:2].zero_()
    with fails(RuntimeError, CHANGED):
        y.sum().backward()


# Beyond PyTorch: where it was saved, where it was changed


def test_the_error_says_which_line_changed_the_value(rushlight):
    h = leaf(rushlight, 2) * 1
    y = h * h
    h.add_(1)
    with pytest.raises(RuntimeError) as info:
        y.sum().backward()
    first, _, more = str(info.value).partition("\n")
    assert first.endswith(HINT) and more.strip()


def test_second_backward_says_what_helps(rushlight):
    y = (leaf(rushlight, 2) ** 2).sum()
    y.backward()
    with pytest.raises(RuntimeError) as info:
        y.backward()
    assert "\n" in str(info.value)
