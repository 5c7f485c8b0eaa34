"""Hooks around a module's call and its backward, on rushlight and on PyTorch alike."""

import pytest


def doubled(torch):
    class Double(torch.nn.Module):
        def forward(self, x, scale=2):
            return x * scale

    return Double()


def ones(torch, n=2):
    return torch.ones(n, requires_grad=True)


def test_order_and_values(torch):
    net, seen = doubled(torch), []
    net.register_forward_pre_hook(lambda m, args: seen.append("pre"))
    net.register_forward_pre_hook(lambda m, args: seen.append("first"), prepend=True)
    net.register_forward_hook(lambda m, args, out: seen.append("post"))
    net.register_forward_hook(lambda m, args, out: out + 1, prepend=True)
    assert net(torch.ones(1)).item() == 3 and seen == ["first", "pre", "post"]


def test_arguments_replaced(torch, fails):
    net = doubled(torch)
    handle = net.register_forward_pre_hook(lambda m, args: args[0] * 10)
    assert net(torch.ones(1)).item() == 20
    handle.remove()
    with net.register_forward_pre_hook(lambda m, args, kwargs: (args, {"scale": 5}), with_kwargs=True):
        assert net(torch.ones(1)).item() == 5
    assert net(torch.ones(1)).item() == 2
    with net.register_forward_hook(lambda m, args, kwargs, out: out * kwargs["scale"], with_kwargs=True):
        assert net(torch.ones(1), scale=3).item() == 9
    with net.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True):
        with fails(
            RuntimeError, "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got 3."
        ):
            net(torch.ones(1))


def test_always_call(torch):
    class Broken(torch.nn.Module):
        def forward(self, x):
            raise ValueError("broken")

    net, seen = Broken(), []
    net.register_forward_hook(lambda m, args, out: seen.append(("plain", out)))
    net.register_forward_hook(lambda m, args, out: seen.append(("always", out)), always_call=True)
    with pytest.raises(ValueError, match="broken"):
        net(1)
    assert seen == [("always", None)]

    def bad(m, args, out):
        raise RuntimeError("worse")

    net.register_forward_hook(bad, always_call=True)
    with pytest.warns(UserWarning, match="raised an exception that was silenced"), pytest.raises(ValueError):
        net(1)


def test_global_hooks(torch):
    from_module, seen = torch.nn.modules.module, []
    handles = [
        from_module.register_module_forward_pre_hook(lambda m, args: seen.append("pre")),
        from_module.register_module_forward_hook(lambda m, args, out: seen.append("post")),
        from_module.register_module_full_backward_hook(lambda m, gi, go: seen.append("backward")),
        from_module.register_module_full_backward_pre_hook(lambda m, go: seen.append("backward pre")),
    ]
    try:
        doubled(torch)(ones(torch)).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    doubled(torch)(ones(torch)).sum().backward()
    assert seen == ["pre", "post", "backward pre", "backward"]


def test_full_backward(torch):
    net, x = doubled(torch), ones(torch)
    seen = []
    net.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0].tolist(), go[0].tolist())))
    (net(x) * 3).sum().backward()
    assert seen == [([6.0, 6.0], [3.0, 3.0])] and x.grad.tolist() == [6.0, 6.0]


def test_full_backward_changes_gradients(torch):
    net, x = doubled(torch), ones(torch)
    net.register_full_backward_pre_hook(lambda m, go: (go[0] * 10,))
    net.register_full_backward_hook(lambda m, gi, go: (gi[0] + 1,))
    net(x).sum().backward()
    assert x.grad.tolist() == [21.0, 21.0]


def test_full_backward_of_several(torch):
    class Swap(torch.nn.Module):
        def forward(self, a, note, b):
            return b * 2, note, a * 3

    net, seen = Swap(), []
    net.register_full_backward_hook(
        lambda m, gi, go: seen.append([g if g is None else g.tolist() for g in gi + go])
    )
    a, b = ones(torch, 1), ones(torch, 1)
    out = net(a, "note", b)
    assert out[1] == "note"
    (out[0] + out[2] * 5).sum().backward()
    assert seen == [[[15.0], None, [2.0], [1.0], None, [5.0]]]


def test_full_backward_refuses(torch, fails):
    net = doubled(torch)
    net.register_full_backward_hook(lambda m, gi, go: (1, 2))
    with fails(RuntimeError, "Backward hook returned an invalid number of grad_input, got 2, but expected 1"):
        net(ones(torch)).sum().backward()
    net = doubled(torch)
    net.register_full_backward_pre_hook(lambda m, go: (1, 2))
    with fails(
        RuntimeError, "Backward pre hook returned an invalid number of grad_output, got 2, but expected 1"
    ):
        net(ones(torch)).sum().backward()
    with fails(
        RuntimeError, "Cannot use both regular backward hooks and full backward hooks on a single Module."
    ):
        net.register_full_backward_hook(print)
        net.register_backward_hook(print)
    other = doubled(torch)
    with fails(
        RuntimeError, "Cannot use both regular backward hooks and full backward hooks on a single Module."
    ):
        other.register_backward_hook(print)
        other.register_full_backward_hook(print)


def test_no_input_requires_grad(torch):
    net, seen = torch.nn.Linear(2, 1), []
    net.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go[0].tolist())))
    with pytest.warns(UserWarning, match="Full backward hook is firing when gradients are computed"):
        net(torch.ones(1, 2)).sum().backward()
    assert seen == [((None,), [[1.0]])]


def test_output_that_is_no_tensor(torch):
    class Listed(torch.nn.Module):
        def forward(self, x):
            return [x * 2]

    net = Listed()
    net.register_full_backward_hook(lambda m, gi, go: None)
    with pytest.warns(
        UserWarning, match="module output should be a Tensor or a tuple of Tensors but received"
    ):
        net(ones(torch))


def test_non_full_backward(torch):
    net, seen = torch.nn.Tanh(), []
    net.register_backward_hook(lambda m, gi, go: seen.append(go[0].tolist()))
    net(ones(torch) * 1).sum().backward()
    assert seen == [[1.0, 1.0]]

    class Long(torch.nn.Module):
        def forward(self, x):
            return (x * 2).exp()

    net = Long()
    net.register_backward_hook(lambda m, gi, go: None)
    with pytest.warns(FutureWarning, match="forward contains multiple autograd Nodes"):
        net(ones(torch))


def test_handles_are_weak_and_repeatable(torch):
    net = doubled(torch)
    handle = net.register_forward_hook(lambda m, args, out: None)
    assert len(net._forward_hooks) == 1
    handle.remove()
    handle.remove()
    assert len(net._forward_hooks) == 0
    handle = net.register_forward_hook(lambda m, args, out: None)
    del net
    handle.remove()


def test_inputs_must_hold_a_tensor(torch):
    class Constant(torch.nn.Module):
        def forward(self, x):
            return torch.ones(1)

    net = Constant()
    net.register_full_backward_hook(lambda m, gi, go: None)
    assert net(3).item() == 1
