"""Views and in-place operations: one storage, one history.

An in-place operation on a view rewrites the history of its base, and every other view of that base sees it.
"""

import pytest

MULTI = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the "
    "output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
NO_GRAD = (
    "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given "
    "that this use "
    "case is ambiguous and error-prone, it is forbidden."
)
LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


# What is a view, and of whom


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t.view(4),
        lambda t: t[0],
        lambda t: t[:1],
        lambda t: t.t(),
        lambda t: t.transpose(0, 1),
        lambda t: t[None],
        lambda t: t.permute(1, 0),
        lambda t: t.expand(3, 2, 2),
        lambda t: t.diagonal(),
        lambda t: t.unbind()[1],
        lambda t: t.split(1)[0],
        lambda t: t.narrow(0, 0, 1),
        lambda t: t.as_strided((2,), (1,)),
        lambda t: t.detach(),
        lambda t: t.squeeze(),
        lambda t: t.reshape(4),
        lambda t: t.unfold(0, 1, 1),
        lambda t: t.select(0, 1),
        lambda t: t.T,
        lambda t: t.chunk(2)[0],
        lambda t: t.flatten(),
        lambda t: t.view_as(t),
        lambda t: t[..., 1],
        lambda t: t.movedim(0, 1),
    ],
)
def test_views_share_memory_and_version(torch, make):
    base = torch.ones(2, 2)
    v = make(base)
    base.zero_()
    assert float(v.abs().sum()) == 0.0
    assert v._version == base._version == 1


def test_base_is_the_first_tensor_of_a_chain_of_views(torch):
    base = leaf(torch, 4) * 1
    v = base.view(2, 2)
    w = v[0]
    assert v._base is base and w._base is base and base._base is None
    assert v._is_view() and not base._is_view()


def test_copies_are_no_views(torch):
    base = torch.ones(2, 2)
    for copy in (
        base.clone(),
        base + 0,
        base[[0, 1]],
        base[base > 0],
        base.t().reshape(4),
        base.t().contiguous(),
    ):
        assert copy._base is None
        base.zero_()
        assert float(copy.sum()) == 4.0
        base.fill_(1.0)


def test_detached_view_keeps_no_base_history(torch):
    base = torch.zeros(4)
    d = base.detach()
    d.mul_(leaf(torch, 4))
    assert d.requires_grad and not base.requires_grad and base._version == 1


# The history of base and views


def test_in_place_on_a_view_reaches_the_base(torch):
    x = leaf(torch, 4)
    base = x * 1
    base.view(2, 2)[0].mul_(3)
    base.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 1.0, 1.0]


def test_in_place_on_a_view_of_a_plain_tensor_gives_it_a_history(torch):
    base, x = torch.zeros(4), leaf(torch, 2, 2)
    base.view(2, 2).add_(x)
    assert base.requires_grad and not base.is_leaf and type(base.grad_fn).__name__ == "CopySlices"
    (base * torch.arange(4.0)).sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0], [2.0, 3.0]]


def test_copy_slices_knows_the_old_base_and_the_new_value(torch):
    x, y = leaf(torch, 4), leaf(torch, 2)
    base = x * 1
    old = base.grad_fn
    base[:2].copy_(y)
    assert base.grad_fn.name() == "torch::autograd::CopySlices"
    assert type(base.grad_fn).__name__ == "CopySlices"
    assert base.grad_fn.next_functions[0][0] is old
    assert base.grad_fn.next_functions[1][0].variable is y


def test_in_place_on_the_base_reaches_the_views(torch):
    x = leaf(torch, 4)
    base = x * 1
    v = base.view(2, 2)
    base.mul_(5)
    v[0].sum().backward()
    assert x.grad.tolist() == [5.0, 5.0, 0.0, 0.0]


def test_a_view_of_a_changed_base_gets_a_new_grad_fn(torch):
    base = leaf(torch, 4) * 1
    v = base.view(2, 2)
    before = v.grad_fn
    base.mul_(2)
    assert v.grad_fn is not before
    assert v.grad_fn.next_functions[0][0] is base.grad_fn
    assert v.grad_fn.name() == "AsStridedBackward0"


def test_a_view_not_touched_keeps_its_grad_fn(torch):
    base = leaf(torch, 4) * 1
    v = base.view(2, 2)
    assert v.grad_fn is v.grad_fn and v.grad_fn.name() == "ViewBackward0"


def test_other_views_see_a_change_through_one_of_them(torch):
    x = leaf(torch, 2, 2)
    base = x * 1
    row, column = base[0], base[:, 0]
    row.mul_(3)
    column.mul_(5)
    assert row.tolist() == [15.0, 3.0]
    row.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [[15.0, 3.0], [0.0, 0.0]]
    x.grad = None
    base.sum().backward()
    assert x.grad.tolist() == [[15.0, 3.0], [5.0, 1.0]]


def test_chain_of_views_and_writes(torch):
    x, y = leaf(torch, 2, 3), leaf(torch, 2)
    base = x * 1
    base.t()[1].mul_(y)
    base.view(6)[1:3].add_(1)
    base[1].sin_()
    want_x, want_y = torch.autograd.grad(base.sum(), (x, y))
    assert torch.allclose(want_x[0], torch.ones(3))
    cos = torch.cos(torch.tensor(1.0))
    assert torch.allclose(want_x[1], cos.expand(3))
    assert torch.allclose(want_y, torch.stack([torch.tensor(1.0), cos]))


def test_overwritten_parts_lose_their_gradient(torch):
    x, y = leaf(torch, 3), leaf(torch, 1)
    base = x * 2
    base[:1] = y * 7
    base.sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 2.0] and y.grad.tolist() == [7.0]


def test_zero_cuts_the_gradient(torch):
    x = leaf(torch, 3)
    base = x * 2
    base[1:].zero_()
    base.sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 0.0]


def test_in_place_on_a_transposed_view(torch):
    x, y = leaf(torch, 2, 3), leaf(torch, 3, 2)
    base = x * 1
    base.t().mul_(y * 4)
    weights = torch.arange(6.0).view(2, 3)
    (base * weights).sum().backward()
    assert torch.equal(x.grad, 4 * weights) and torch.equal(y.grad, 4 * weights.t())


def test_in_place_on_the_diagonal(torch):
    x = leaf(torch, 3, 3)
    base = x * 1
    base.diagonal().mul_(4)
    base.sum().backward()
    assert torch.equal(x.grad, torch.ones(3, 3) + 3 * torch.eye(3))
    assert type(base.grad_fn).__name__ == "CopySlices"


def test_in_place_on_as_strided(torch):
    x = leaf(torch, 6)
    base = x * 1
    base.as_strided((2, 2), (3, 1), 1).mul_(5)
    base.sum().backward()
    assert x.grad.tolist() == [1.0, 5.0, 5.0, 1.0, 5.0, 5.0]


def test_overlapping_as_strided_adds_its_gradients(torch):
    x = leaf(torch, 3)
    x.as_strided((2, 2), (1, 1)).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 1.0]


def test_in_place_inside_an_unsafe_reshape_does_not_touch_the_source(torch):
    x = leaf(torch, 2, 2)
    base = x * 1
    copy = base.t().reshape(4)
    copy.mul_(3)
    base.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_in_place_unsqueeze_and_transpose_change_the_shape_and_the_graph(torch):
    x = leaf(torch, 2, 3)
    y = x * 1
    assert y.t_() is y and y.shape == (3, 2) and y.grad_fn.name() == "TBackward1"
    assert y.unsqueeze_(0).shape == (1, 3, 2) and y.grad_fn.name() == "UnsqueezeBackward1"
    (y * torch.arange(6.0).view(1, 3, 2)).sum().backward()
    assert x.grad.tolist() == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]


def test_view_under_hooks_of_the_base(torch):
    x = leaf(torch, 2)
    base = x * 1
    seen = []
    base.register_hook(lambda g: seen.append(g.tolist()))
    base[0].mul_(3)
    base.register_hook(lambda g: seen.append(g.tolist()))
    base.sum().backward()
    assert seen == [[1.0, 1.0], [3.0, 1.0]]


def test_self_assignment_of_a_sum_needs_neither(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y[0] = y[1] + y[0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 2.0]


def test_self_assignment_of_a_product_is_refused(torch, fails):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y[0] = y[1] * y[0]
    with fails(
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace operation: ",
    ):
        y.sum().backward()


def test_double_backward_through_copy_slices(torch):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x**3
    y[0].mul_(5)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert g.tolist() == [60.0, 27.0]
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [60.0, 18.0]


# Assignment by index


@pytest.mark.parametrize(
    "index, grad",
    [
        (lambda t: 0, [0.0, 1.0, 1.0]),
        (lambda t: slice(0, 2), [0.0, 0.0, 1.0]),
        (lambda t: [0, 2], [0.0, 1.0, 0.0]),
        (lambda t: t.tensor([2, 2]), [1.0, 1.0, 0.0]),
        (lambda t: t.tensor([True, False, True]), [0.0, 1.0, 0.0]),
        (lambda t: Ellipsis, [0.0, 0.0, 0.0]),
        (lambda t: -1, [1.0, 1.0, 0.0]),
    ],
)
def test_assigning_a_number_by_index(torch, index, grad):
    x = leaf(torch, 3)
    y = x * 1
    y[index(torch)] = 9.0
    y.sum().backward()
    assert x.grad.tolist() == grad and y._version == 1


def test_assigning_a_tensor_by_a_list(torch):
    y, v = torch.zeros(4), leaf(torch, 2)
    y[[3, 1]] = v * torch.tensor([2.0, 5.0])
    assert y.tolist() == [0.0, 5.0, 0.0, 2.0] and y.grad_fn.name() == "IndexPutBackward0"
    (y * torch.arange(4.0)).sum().backward()
    assert v.grad.tolist() == [6.0, 5.0]


def test_assigning_a_broadcast_value_sums_its_gradient(torch):
    y, v = torch.zeros(2, 3), leaf(torch, 3)
    y[:] = v
    y.sum().backward()
    assert v.grad.tolist() == [2.0, 2.0, 2.0]


def test_assigning_a_0d_tensor_by_a_mask(torch):
    y, v = torch.zeros(4), leaf(torch, ())
    y[y >= 0] = v
    y.sum().backward()
    assert v.grad.item() == 4.0


def test_assigning_through_mixed_indices(torch):
    x, v = leaf(torch, 2, 3), leaf(torch, 2)
    y = x * 1
    y[1, [0, 2]] = v * 3
    y.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0, 1.0], [0.0, 1.0, 0.0]] and v.grad.tolist() == [3.0, 3.0]


def test_fill_of_a_column_with_a_tensor(torch):
    y, v = torch.zeros(2, 2), leaf(torch, ())
    y[:, 0].fill_(v)
    assert type(y.grad_fn).__name__ == "CopySlices"
    y.sum().backward()
    assert v.grad.item() == 2.0


def test_augmented_assignment_by_index(torch):
    x = leaf(torch, 3)
    y = x * 1
    y[1] *= 4
    y[[0]] += 1
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 4.0, 1.0] and y.tolist() == [2.0, 4.0, 1.0]


# Refusals


def test_leaf_and_views_of_leaves(torch, fails):
    x = leaf(torch, 2)
    for change, sentence in (
        (lambda: x.add_(1), LEAF),
        (lambda: x[0].add_(1), VIEW_OF_LEAF),
        (lambda: x.__setitem__(0, 1.0), VIEW_OF_LEAF),
        (lambda: x.view(2).zero_(), VIEW_OF_LEAF),
    ):
        with fails(RuntimeError, sentence):
            change()
    assert x.tolist() == [1.0, 1.0] and x._version == 0


@pytest.mark.parametrize(
    "split, name",
    [
        (lambda t: t.unbind(), "Unbind"),
        (lambda t: t.split(1), "Split"),
        (lambda t: t.chunk(2), "Split"),
        (lambda t: t.split([1, 1]), "SplitWithSizes"),
        (lambda t: tuple(t), "Unbind"),
    ],
)
def test_outputs_of_multi_view_functions_cannot_be_changed(torch, fails, split, name):
    parts = split(leaf(torch, 2, 2) * 1)
    with fails(RuntimeError, f"Output 1 of {name} is a view and is being modified inplace. " + MULTI):
        parts[1].mul_(2)


def test_their_base_may_be_changed_but_then_they_are_dead(torch, fails):
    base = leaf(torch, 2, 2) * 1
    parts = base.unbind()
    base.mul_(2)
    with fails(
        RuntimeError,
        "Output 0 of Unbind is a view and its base or another view of its base has been modified inplace. "
        + MULTI,
    ):
        parts[0].sum().backward()


def test_multi_views_of_plain_tensors_may_be_changed_by_plain_tensors(torch):
    base = torch.ones(2, 2)
    base.unbind()[0].mul_(3)
    assert base.tolist() == [[3.0, 3.0], [1.0, 1.0]]


def test_view_made_under_no_grad_changed_outside(torch, fails):
    base = leaf(torch, 2, 2) * 1
    with torch.no_grad():
        v = base[0]
    with fails(RuntimeError, NO_GRAD):
        v.mul_(2)


def test_multi_views_of_a_plain_base_refuse_a_history(torch, fails):
    sentence = (
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled. " + MULTI
    )
    base = torch.ones(2, 2)
    with fails(RuntimeError, sentence):
        base.unbind()[0].mul_(leaf(torch, 2))
    assert not base.requires_grad and base.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_multi_views_under_no_grad(torch, fails):
    base = leaf(torch, 2, 2) * 1
    with torch.no_grad():
        parts = base.unbind()
    with fails(RuntimeError, NO_GRAD):
        parts[0].mul_(2)


def test_multi_views_changed_under_no_grad_are_dead(torch, fails):
    parts = (leaf(torch, 2, 2) * 1).unbind()
    with torch.no_grad():
        parts[0].mul_(2)
    with fails(
        RuntimeError,
        "Output 0 of Unbind is a view and its base or another view of its base has been modified inplace. "
        + MULTI,
    ):
        parts[0].grad_fn


def test_view_made_and_changed_under_no_grad(torch):
    x = leaf(torch, 2)
    with torch.no_grad():
        x.view(2).mul_(3)
    assert x.tolist() == [3.0, 3.0] and x._version == 1


def test_expanded_memory_cannot_be_written(torch, fails):
    with fails(
        RuntimeError,
        "unsupported operation: more than one element of the written-to tensor refers to a single memory "
        "location. Please clone() the tensor before performing the operation.",
    ):
        torch.ones(1, 3).expand(2, 3).add_(1)


def test_in_place_result_must_fit(torch, fails):
    y = leaf(torch, 2, 3) * 1
    with fails(RuntimeError, "output with shape [2, 3] doesn't match the broadcast shape [4, 2, 3]"):
        y.add_(torch.ones(4, 2, 3))
    with fails(RuntimeError, "result type ComplexFloat can't be cast to the desired output type Float"):
        y.mul_(torch.ones(2, 3, dtype=torch.complex64))
    assert y._version == 0 and y.grad_fn.name() == "MulBackward0"


def test_out_refuses_gradients(torch, fails):
    sentence = (
        "add(): functions with out=... arguments don't support automatic differentiation, "
        "but one of the arguments requires grad."
    )
    x = leaf(torch, 2)
    with fails(RuntimeError, sentence):
        torch.add(torch.ones(2), 1, out=x)
    with fails(RuntimeError, sentence):
        torch.add(x, 1, out=torch.ones(2))


def test_out_under_no_grad_writes_and_counts(torch):
    y = leaf(torch, 2) * 1
    node = y.grad_fn
    with torch.no_grad():
        assert torch.add(y, 1, out=y) is y
    assert y.tolist() == [2.0, 2.0] and y._version == 1 and y.grad_fn is node
