"""nn.utils: clipping, vectors of parameters; on rushlight and on PyTorch alike."""

import pytest


def with_grads(torch, *values):
    made = []
    for value in values:
        p = torch.nn.Parameter(torch.zeros(len(value)))
        p.grad = torch.tensor(value)
        made.append(p)
    return made


@pytest.mark.parametrize("order", [2.0, 1, 3, 0.5, float("inf"), float("-inf"), 0])
def test_norms(torch, order):
    params = with_grads(torch, [3.0, -4.0], [12.0])
    values = torch.tensor([3.0, 4.0, 12.0])
    total = torch.nn.utils.get_total_norm([p.grad for p in params], order)
    each = [[3.0, 4.0], [12.0]]

    def norm(numbers):
        if order == 0:
            return float(sum(n != 0 for n in numbers))
        if order in (float("inf"), float("-inf")):
            return max(numbers) if order > 0 else min(numbers)
        return sum(n**order for n in numbers) ** (1 / order)

    assert total.item() == pytest.approx(norm([norm(e) for e in each])) and values.numel() == 3


def test_clip_norm(torch, fails):
    params = with_grads(torch, [3.0], [4.0])
    assert torch.nn.utils.clip_grad_norm_(params, 1.0).item() == 5.0
    assert [p.grad.item() for p in params] == pytest.approx([0.6, 0.8])
    assert torch.nn.utils.clip_grad_norm_(params, 10.0).item() == pytest.approx(1.0)
    assert [p.grad.item() for p in params] == pytest.approx([0.6, 0.8])
    assert torch.nn.utils.clip_grad_norm_([], 1.0).item() == 0.0
    params[0].grad = None
    assert torch.nn.utils.clip_grad_norm_(params, 1.0).item() == pytest.approx(0.8)
    params[1].grad.fill_(float("nan"))
    with fails(
        RuntimeError,
        "The total norm of order 2.0 for gradients from `parameters` is non-finite, so it cannot be",
    ):
        torch.nn.utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
    with pytest.warns(
        UserWarning, match="`parameters` is an empty generator, no gradient clipping will occur."
    ):
        torch.nn.utils.clip_grad_norm_((p for p in []), 1.0)
    with pytest.warns(FutureWarning, match="`torch.nn.utils.clip_grad_norm` is now deprecated"):
        torch.nn.utils.clip_grad_norm(with_grads(torch, [3.0]), 1.0)


def test_clip_value(torch):
    (p,) = with_grads(torch, [3.0, -4.0, 0.5])
    torch.nn.utils.clip_grad_value_(p, 1)
    assert p.grad.tolist() == [1.0, -1.0, 0.5]


def test_vectors(torch, fails):
    net = torch.nn.Linear(2, 1)
    vector = torch.nn.utils.parameters_to_vector(net.parameters())
    assert vector.tolist() == [*net.weight.flatten().tolist(), *net.bias.tolist()] and vector.requires_grad
    torch.nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), net.parameters())
    assert net.weight.tolist() == [[1.0, 2.0]] and net.bias.tolist() == [3.0]
    with fails(TypeError, "expected torch.Tensor, but got: list"):
        torch.nn.utils.vector_to_parameters([1.0], net.parameters())


def test_hook_helpers(torch):
    hooks = torch.utils.hooks
    x = torch.ones(1, requires_grad=True)
    handle = x.register_hook(lambda g: None)
    with pytest.warns(UserWarning, match="on tensor will not be serialized"):
        hooks.warn_if_has_hooks(x)
    handle.remove()
    x.register_hook(hooks.unserializable_hook(lambda g: None))
    hooks.warn_if_has_hooks(x)
    assert isinstance(handle, hooks.RemovableHandle)
