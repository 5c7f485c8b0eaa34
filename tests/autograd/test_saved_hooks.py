"""`saved_tensors_hooks`, `save_on_cpu`, switching hooks off, hooks of one saved tensor."""

import pytest


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def test_pack_and_unpack_are_called_for_each_saved_tensor(torch):
    x = leaf(torch, 2)
    log = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: (log.append("pack"), t)[1], lambda t: (log.append("unpack"), t)[1]
    ):
        y = (x * 1).exp().sin()
    z = y * 2
    assert log == ["pack", "pack"]
    z.sum().backward()
    assert log == ["pack", "pack", "unpack", "unpack"]


def test_backward_uses_what_unpack_gives(torch):
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: t.tolist(), lambda values: torch.tensor(values) * 10
    ):
        w = leaf(torch, 1)
        v = w * w
    v.sum().backward()
    assert w.grad.item() == 20.0


def test_packed_data_may_be_anything(torch):
    kept = {}
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: (kept.__setitem__(len(kept), t.detach()), len(kept) - 1)[1], kept.get
    ):
        x = torch.tensor([3.0], requires_grad=True)
        y = x * x
    y.sum().backward()
    assert len(kept) == 2 and x.grad.item() == 6.0


def test_hooks_nest_and_the_innermost_acts(torch):
    hooks, log = torch.autograd.graph.saved_tensors_hooks, []
    x = leaf(torch, 1)
    with hooks(lambda t: (log.append("outer"), t)[1], lambda t: t):
        with hooks(lambda t: (log.append("inner"), t)[1], lambda t: t):
            x.exp()
        x.exp()
    x.exp()
    assert log == ["inner", "outer"]


def test_pack_runs_without_grad_mode_being_changed_for_the_caller(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
        y = leaf(torch, 1).exp()
    assert torch.is_grad_enabled() and y.requires_grad


def test_unpack_runs_each_time_the_value_is_looked_at(torch):
    log = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: (log.append(1), t)[1]):
        y = leaf(torch, 1).exp()
    y.grad_fn._saved_result, y.grad_fn._saved_result
    assert len(log) == 2


def test_pack_may_not_change_its_input(torch, fails):
    with fails(
        RuntimeError,
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook "
        "cannot be modified by in-place operations as this can lead to unexpected side-effects.",
    ):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t):
            (leaf(torch, 2) * 1).exp()


def test_unpack_must_return_a_tensor(torch, fails):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 5):
        y = leaf(torch, 2).exp()
    with fails(
        TypeError, "Output of saved tensor unpack_hook expected to be a Tensor but got result of type int"
    ):
        y.sum().backward()


@pytest.mark.parametrize("where", ["pack", "unpack"])
def test_errors_in_hooks_keep_their_type(torch, where):
    class Boom(Exception):
        pass

    def boom(_):
        raise Boom(where)

    pack, unpack = (boom, lambda t: t) if where == "pack" else (lambda t: t, boom)
    with pytest.raises(Boom, match=where):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = leaf(torch, 2).exp()
        y.sum().backward()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        leaf(torch, 2).exp().sum().backward()


def test_hooks_apply_to_save_for_backward(torch):
    log = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

    x = torch.tensor([3.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: (log.append("pack"), t)[1], lambda t: (log.append("unpack"), t)[1]
    ):
        y = Square.apply(x)
    y.sum().backward()
    assert log == ["pack", "unpack"] and x.grad.item() == 6.0


def test_double_backward_through_hooks(torch):
    x = torch.tensor([2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x**3
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    assert torch.autograd.grad(g, x)[0].item() == 12.0


def test_version_is_not_checked_for_packed_values(torch):
    x = leaf(torch, 2)
    h = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = h.sin()
    h.zero_()
    y.sum().backward()
    assert torch.allclose(x.grad, torch.ones(2).cos())


def test_save_on_cpu(torch):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        y = (x * x).exp()
    y.sum().backward()
    assert torch.allclose(x.grad, 2 * x.detach() * (x.detach() ** 2).exp())


def test_disabled_hooks_refuse_to_be_used(torch, fails):
    graph = torch.autograd.graph
    with graph.disable_saved_tensors_hooks("not here"):
        with fails(RuntimeError, "not here"):
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        pass


def test_disabling_within_hooks_refuses(torch, fails):
    graph = torch.autograd.graph
    with fails(RuntimeError, "not here"):
        with (
            graph.saved_tensors_hooks(lambda t: t, lambda t: t),
            graph.disable_saved_tensors_hooks("not here"),
        ):
            pass


def test_disable_as_a_decorator(torch, fails):
    graph = torch.autograd.graph

    @graph.disable_saved_tensors_hooks("not here")
    def f():
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            pass

    with fails(RuntimeError, "not here"):
        f()


# One saved tensor


def test_register_hooks_on_one_saved_tensor(torch, fails):
    y = leaf(torch, 1).exp()
    raw = y.grad_fn._raw_saved_result
    raw.register_hooks(lambda t: t * 0 + 9, lambda t: t)
    assert y.grad_fn._saved_result.item() == 9.0
    with fails(
        RuntimeError,
        "Calling register_hooks on a saved tensor whose hooks have already been set. "
        "Hint: only one pair of hooks is allowed at a time.",
    ):
        raw.register_hooks(lambda t: t, lambda t: t)


def test_register_hooks_after_backward(torch, fails):
    y = leaf(torch, 1).exp()
    raw = y.grad_fn._raw_saved_result
    y.sum().backward()
    with fails(RuntimeError, "Calling register_hooks on a saved tensor after it has been freed."):
        raw.register_hooks(lambda t: t, lambda t: t)
