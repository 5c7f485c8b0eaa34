"""Backward inside backward, backward from several threads, and graphs too deep for recursion."""

import threading

import pytest


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def test_backward_inside_a_hook(torch):
    x, w = leaf(torch, 2), leaf(torch, 2)
    y = x * 2
    inner = (w * w).sum()
    y.register_hook(lambda g: inner.backward())
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0] and w.grad.tolist() == [2.0, 2.0]


def test_inner_backward_may_fill_the_same_leaf(torch):
    x = leaf(torch, 2)
    y = x * 2

    def hook(g):
        with torch.enable_grad():
            (x * 10).sum().backward()

    y.register_hook(hook)
    y.sum().backward()
    assert x.grad.tolist() == [12.0, 12.0]


def test_autograd_grad_inside_a_function(torch):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.exp()

        @staticmethod
        def backward(ctx, g):
            x = ctx.saved_tensors[0].detach().requires_grad_()
            with torch.enable_grad():
                y = x.exp()
            return torch.autograd.grad(y, x, g)[0]

    x = leaf(torch, 2)
    Inner.apply(x).sum().backward()
    assert torch.allclose(x.grad, x.detach().exp())


def test_deep_reentrance(torch):
    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = Deep.apply(ctx.x, depth - 1) if depth else ctx.x * 3
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, g):
            ctx.y.backward(g)
            return ctx.x.grad, None

    x = leaf(torch, 1)
    Deep.apply(x, 40).sum().backward()
    assert x.grad.tolist() == [3.0]


def test_error_in_an_inner_backward_reaches_the_caller(torch):
    x = leaf(torch, 2)
    y = x * 2

    def hook(g):
        torch.ones(()).backward()

    y.register_hook(hook)
    with pytest.raises(RuntimeError, match="^element 0 of tensors does not require grad"):
        y.sum().backward()
    assert x.grad is None
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_inner_backward_restores_the_mode(torch):
    x = leaf(torch, 2)
    y = x * 2
    modes = []

    def hook(g):
        modes.append(torch.is_grad_enabled())
        with torch.enable_grad():
            z = (x * 1).sum()
        z.backward()
        modes.append(torch.is_grad_enabled())

    y.register_hook(hook)
    y.sum().backward()
    assert modes == [False, False] and torch.is_grad_enabled()


# Threads


def run_threads(count, work):
    errors = []

    def guarded(i):
        try:
            work(i)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors


def test_backward_of_own_graphs_from_threads(torch):
    grads = {}

    def work(i):
        x = torch.full((4,), float(i), requires_grad=True)
        y = x
        for _ in range(20):
            y = y * 1.0 + x
        y.sum().backward()
        grads[i] = x.grad.tolist()

    run_threads(6, work)
    assert grads == {i: [21.0] * 4 for i in range(6)}


def test_backward_into_a_shared_leaf_from_threads(torch):
    x = leaf(torch, 1000)

    def work(i):
        for _ in range(20):
            (x * 2).sum().backward()

    run_threads(4, work)
    assert torch.equal(x.grad, torch.full((1000,), 160.0))


def test_backward_of_one_retained_graph_from_threads(torch):
    x = leaf(torch, 10)
    y = (x * x).sum()
    run_threads(4, lambda i: y.backward(retain_graph=True))
    assert x.grad.tolist() == [8.0] * 10


def test_hooks_run_in_the_calling_thread(torch):
    seen = []

    def work(i):
        y = leaf(torch, 2) * 2
        y.register_hook(lambda g: seen.append(threading.get_ident()))
        y.sum().backward()
        assert seen[-1] == threading.get_ident()

    run_threads(1, work)
    assert seen != [threading.get_ident()]


def test_saved_tensor_hooks_are_per_thread(torch):
    log = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append(1), t)[1], lambda t: t):
        run_threads(1, lambda i: leaf(torch, 2).exp())
    assert log == []


# Depth


@pytest.mark.parametrize("length", [100_000])
def test_long_chain_is_built_walked_and_freed(torch, length):
    x = leaf(torch, 1)
    y = x
    for _ in range(length):
        y = y + 1
    y.backward()
    assert x.grad.tolist() == [1.0]
    del y


def test_long_chain_is_freed_without_backward(torch, no_gc):
    x = leaf(torch, 1)
    y = x
    for _ in range(100_000):
        y = y * 1.0
    del y
    y = x.exp()
    y.backward()
    assert x.grad is not None


def test_long_chain_of_functions(torch):
    class Identity(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g

    x = leaf(torch, 1)
    y = x
    for _ in range(5_000):
        y = Identity.apply(y)
    y.backward()
    assert x.grad.tolist() == [1.0]


def test_long_chain_with_second_derivatives(torch):
    x = torch.tensor(1.0, requires_grad=True)
    y = x * x
    for _ in range(3_000):
        y = y * 1.0
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    assert torch.autograd.grad(g, x)[0].item() == 2.0


def test_wide_graph(torch):
    x = leaf(torch, 1)
    parts = [x * float(i) for i in range(3_000)]
    torch.cat(parts).sum().backward()
    assert x.grad.item() == sum(range(3_000))
