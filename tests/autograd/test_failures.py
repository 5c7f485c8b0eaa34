"""A failed step leaves everything as it was: tensors, `.grad`, versions, the graph, modes and hooks."""

import pytest


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t, y: y.add_(t.ones(5)),
        lambda t, y: y.mul_(t.ones(2, 2, 2)),
        lambda t, y: y.add_(t.ones(2, dtype=t.complex64)),
        lambda t, y: y.__setitem__(7, 1.0),
        lambda t, y: y.__setitem__(slice(0, 2), t.ones(3)),
        lambda t, y: y.copy_(t.ones(3)),
        lambda t, y: y.view(3),
        lambda t, y: y @ t.ones(3),
        lambda t, y: t.cat([y, t.ones(2, 2)]),
        lambda t, y: y.masked_fill_(t.ones(2), 0.0),
        lambda t, y: y.scatter_(0, t.tensor([5]), 1.0),
        lambda t, y: y.index_put_((t.tensor([4]),), t.tensor(1.0)),
    ],
)
def test_a_failed_operator_changes_nothing(torch, wrong):
    x = leaf(torch, 2)
    y = x * 3
    node, version = y.grad_fn, y._version
    with pytest.raises((RuntimeError, IndexError, TypeError)):
        wrong(torch, y)
    assert y.tolist() == [3.0, 3.0] and y.grad_fn is node and y._version == version
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_an_index_that_fails_late_writes_nothing_before(rushlight):
    y = leaf(rushlight, 2) * 3  # PyTorch has written element 0 by the time it meets 9
    with pytest.raises(IndexError):
        y[[0, 9]] = 1.0
    assert y.tolist() == [3.0, 3.0] and y._version == 0


def explode(*_):
    raise KeyError("stop")


def test_a_failed_backward_keeps_what_grad_held(torch):
    x = leaf(torch, 2)
    x.sum().backward()
    held = x.grad
    y = x * 2
    y.register_hook(explode)
    with pytest.raises(KeyError):
        y.sum().backward()
    assert x.grad is held and held.tolist() == [1.0, 1.0]


def test_after_a_failed_backward_the_next_one_works(torch):
    x = leaf(torch, 2)
    y = x * x
    handle = y.register_hook(explode)
    out = y.sum()
    with pytest.raises(KeyError):
        out.backward(retain_graph=True)
    handle.remove()
    out.backward()
    assert x.grad.tolist() == [2.0, 2.0] and torch.is_grad_enabled()


def test_a_failed_backward_in_create_graph_restores_the_mode(torch):
    x = leaf(torch, 2)
    y = x * x
    y.register_hook(explode)
    out = y.sum()
    with torch.no_grad():
        with pytest.raises(KeyError):
            torch.autograd.grad(out, x, create_graph=True)
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_a_failed_function_leaves_no_trace(torch):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            raise KeyError("forward")

        @staticmethod
        def backward(ctx, g):
            return g

    x = leaf(torch, 2)
    with pytest.raises(KeyError, match="forward"):
        Bad.apply(x)
    assert torch.is_grad_enabled()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_bad_seed_frees_nothing(torch):
    x = leaf(torch, 2)
    y = x * x
    with pytest.raises(RuntimeError):
        y.backward(torch.ones(3))
    y.backward(torch.ones(2))
    assert x.grad.tolist() == [2.0, 2.0]


def test_bad_inputs_free_nothing(torch):
    x = leaf(torch, 2)
    y = (x * x).sum()
    for wrong in ([], [torch.ones(2)]):
        with pytest.raises(RuntimeError):
            torch.autograd.grad(y, wrong)
    assert torch.autograd.grad(y, x)[0].tolist() == [2.0, 2.0]


def test_non_scalar_error_frees_nothing(torch):
    x = leaf(torch, 2)
    y = x * x
    with pytest.raises(RuntimeError):
        y.backward()
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_failing_post_accumulate_hook_leaves_the_grad_there(torch):
    x = leaf(torch, 2)
    x.register_post_accumulate_grad_hook(explode)
    with pytest.raises(KeyError):
        x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_failing_node_hook_and_prehook(torch):
    for register in ("register_hook", "register_prehook"):
        x = leaf(torch, 2)
        y = x * 2
        getattr(y.grad_fn, register)(explode)
        with pytest.raises(KeyError):
            y.sum().backward()
        assert x.grad is None
