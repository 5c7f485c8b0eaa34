"""`retain_grad`: what it keeps, when, and through in-place operations."""

import weakref

import pytest


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def test_retained_gradient_is_stored_and_accumulates(torch):
    x = leaf(torch, 2)
    h = x * 2
    h.retain_grad()
    loss = (h * 3).sum()
    loss.backward(retain_graph=True)
    assert h.grad.tolist() == [3.0, 3.0] and h.retains_grad
    loss.backward()
    assert h.grad.tolist() == [6.0, 6.0] and not h.grad.requires_grad


def test_retain_grad_twice_is_once(torch):
    h = leaf(torch, 2) * 2
    h.retain_grad()
    assert h.retain_grad() is None
    h.sum().backward()
    assert h.grad.tolist() == [1.0, 1.0]


def test_retain_grad_on_a_leaf_does_nothing(torch):
    x = leaf(torch, 2)
    x.retain_grad()
    assert not x.retains_grad
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_retain_grad_without_grad(torch, fails):
    with fails(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"):
        torch.ones(2).retain_grad()


def test_retained_gradient_is_what_hooks_made_of_it(torch):
    h = leaf(torch, 1) * 2
    h.retain_grad()
    h.register_hook(lambda g: g * 7)
    h.sum().backward()
    assert h.grad.item() == 7.0


def test_retaining_moves_with_the_tensor_through_in_place(torch):
    x = leaf(torch, 1)
    h = x * 1
    h.retain_grad()
    h.mul_(2)
    assert h.retains_grad
    (h * 3).sum().backward()
    assert h.grad.item() == 3.0 and x.grad.item() == 6.0


def test_retaining_moves_through_several_in_place_ops(torch):
    x = leaf(torch, 2)
    h = x * 1
    h.retain_grad()
    h.add_(1).mul_(3)
    h[0] = 0.0
    (h * torch.tensor([2.0, 5.0])).sum().backward()
    assert h.grad.tolist() == [2.0, 5.0] and x.grad.tolist() == [0.0, 15.0]


def test_retaining_on_a_view_follows_the_view_when_its_base_is_changed(torch):
    x = leaf(torch, 2)
    base = x * 1
    v = base.view(2)
    v.retain_grad()
    base.mul_(2)
    (v * 3).sum().backward()
    assert v.grad.tolist() == [3.0, 3.0] and x.grad.tolist() == [6.0, 6.0]


def test_retaining_on_a_view_that_the_loss_does_not_pass_stays_empty(torch):
    x = leaf(torch, 2)
    base = x * 1
    v = base.view(2)
    v.retain_grad()
    base.mul_(2)
    base.sum().backward()
    assert v.grad is None and x.grad.tolist() == [2.0, 2.0]


def test_retaining_on_a_base_changed_through_a_view(torch):
    x = leaf(torch, 2)
    base = x * 1
    base.retain_grad()
    base[0].mul_(5)
    base.sum().backward()
    assert base.grad.tolist() == [1.0, 1.0] and x.grad.tolist() == [5.0, 1.0]


def test_retained_gradient_under_create_graph_is_differentiable(torch, quiet):
    x = leaf(torch, 2)
    h = x * 2
    h.retain_grad()
    with quiet():
        (h**3).sum().backward(create_graph=True)
    assert h.grad.requires_grad
    (g,) = torch.autograd.grad(h.grad.sum(), x)
    assert g.tolist() == [24.0, 24.0]


def test_reading_grad_of_a_plain_intermediate_warns_once_per_read(torch, warned):
    y = leaf(torch, 2) * 2
    texts = warned(lambda: (y.grad, y.grad))
    assert len(texts) == 2
    assert texts[0].startswith(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. "
        "Its .grad attribute won't be populated during autograd.backward(). If you indeed want the .grad "
        "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor."
    )


def test_nothing_else_warns(torch, warned):
    x = leaf(torch, 2)
    y = x * 2
    y.retain_grad()
    texts = warned(
        lambda: (y.grad, x.grad, torch.ones(2).grad, y.detach().grad, repr(y), y.clone(), y.sum().backward())
    )
    assert texts == []


def test_retained_tensor_dies_by_reference_counting(torch, no_gc):
    x = leaf(torch, 2)
    h = x * 2
    h.retain_grad()
    ref = weakref.ref(h)
    out = (h * h).sum()
    out.backward()
    assert h.grad is not None
    del out, h
    assert ref() is None


def test_retained_tensor_dies_without_any_backward(torch, no_gc):
    h = leaf(torch, 2) * 2
    h.retain_grad()
    ref = weakref.ref(h)
    out = h.sum()
    del out, h
    assert ref() is None


def test_retaining_a_tensor_that_died_before_backward(torch):
    x = leaf(torch, 2)

    def build():
        h = x * 2
        h.retain_grad()
        return h.sum()

    build().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_retained_sibling_of_a_used_output_gets_nothing(torch):
    p, q = (leaf(torch, 2) * 2).unbind()
    q.retain_grad()
    p.backward()
    assert q.grad is None


def test_each_output_of_a_multi_output_node_retains_its_own(torch):
    p, q = (leaf(torch, 2) * 2).unbind()
    p.retain_grad()
    q.retain_grad()
    (p * 3 + q * 5).backward()
    assert p.grad.item() == 3.0 and q.grad.item() == 5.0


def test_retains_grad_is_read_only(torch):
    h = leaf(torch, 2) * 2
    with pytest.raises(AttributeError):
        h.retains_grad = True


# Beyond PyTorch


def test_retain_grad_false_takes_it_back(rushlight):
    x = leaf(rushlight, 2)
    h = x * 2
    h.retain_grad()
    h.retain_grad(False)
    assert not h.retains_grad
    h.sum().backward()
    with pytest.warns(UserWarning):
        assert h.grad is None
    assert x.grad.tolist() == [2.0, 2.0]


def test_retain_grad_false_without_retaining_is_allowed(rushlight):
    h = leaf(rushlight, 2) * 2
    h.retain_grad(False)
    assert not h.retains_grad
    h.retain_grad()
    h.sum().backward()
    assert h.grad.tolist() == [1.0, 1.0]


def test_the_warning_names_the_line_that_made_the_tensor(rushlight):
    y = leaf(rushlight, 2) * 2  # this very line
    with pytest.warns(UserWarning) as caught:
        y.grad
    assert "test_retain_grad.py" in str(caught[0].message) or caught[0].filename == __file__


def test_module_output_is_the_last_output_and_weak(rushlight, no_gc):
    layer = rushlight.nn.Linear(2, 3)
    out = layer(rushlight.ones(1, 2))
    assert layer.output is out
    ref = weakref.ref(out)
    del out
    assert ref() is None


def test_module_output_is_kept_once_it_retains(rushlight):
    layer = rushlight.nn.Linear(2, 3)

    def forward():
        h = layer(rushlight.ones(1, 2))
        h.retain_grad()
        return (h * 2).sum()

    forward().backward()
    assert layer.output.grad.tolist() == [[2.0, 2.0, 2.0]]
