"""Names of nodes that users print: contractions, recurrent layers, functions of their own; and tables of hooks."""
import pytest


@pytest.mark.parametrize("equation, name", [
    ("ij,jk->ik", "ViewBackward0"), ("ij,jk", "ViewBackward0"), ("ij,kj->ik", "ViewBackward0"),
    ("ij,j->i", "ViewBackward0"), ("ij,ij->ij", "MulBackward0"), ("ij->ji", "PermuteBackward0"),
])
def test_einsum(torch, equation, name):
    shapes = [(2,) * len(part) for part in equation.partition("->")[0].split(",")]
    made = torch.einsum(equation, *(torch.ones(s, requires_grad=True) for s in shapes))
    assert made.grad_fn.name() == name
    made.sum().backward()


def test_contractions(torch):
    a, b = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
    stack = torch.ones(3, 2, 2, requires_grad=True)
    assert torch.einsum("bij,bjk->bik", stack, stack).grad_fn.name() == "ViewBackward0"
    assert torch.inner(a, b).grad_fn.name() == "ViewBackward0"
    assert torch.tensordot(a, b, 1).grad_fn.name() == "ViewBackward0"
    assert torch.mm(a, b).grad_fn.name() == "MmBackward0"
    assert torch.log1p(a).grad_fn.name() == "Log1PBackward0"


@pytest.mark.parametrize("layer, name", [("GRU", "TransposeBackward1"), ("RNN", "TransposeBackward1"),
                                         ("LSTM", "TransposeBackward0")])
def test_batch_first(torch, layer, name):
    made = getattr(torch.nn, layer)(2, 3, batch_first=True)(torch.ones(1, 2, 2))[0]
    assert made.grad_fn.name() == name
    made.sum().backward()


def test_functions_of_users(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    made = Twice.apply(torch.ones(1, requires_grad=True))
    assert repr(made.grad_fn).startswith("<torch.autograd.function.TwiceBackward object at 0x")
    assert repr(made) == "tensor([2.], grad_fn=<TwiceBackward>)"


def test_tables_of_hooks(torch):
    x = torch.ones(1, requires_grad=True)
    assert x._backward_hooks is None
    handle = x.register_hook(lambda g: g)
    assert repr(x._backward_hooks).startswith("OrderedDict(")
    handle.remove()
    assert repr(x._backward_hooks) == "OrderedDict()"


def test_range_is_deprecated(torch, warned):
    assert warned(lambda: torch.range(0, 3)) == [
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."]
