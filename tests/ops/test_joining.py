"""Joining: cat, stack and their relatives.

Most of it is a long list of expressions with PyTorch's recorded answers (``tests/golden/tensors``); the
fixture ``torch`` runs it on PyTorch itself too, where that is installed.
"""

import pytest
from tests.golden.tensors.check import cases, check


@pytest.mark.parametrize("expression", cases("joining"))
def test_answers_as_recorded(torch, expression):
    check("joining", expression, torch)


def test_cat_may_not_write_over_what_it_reads(torch, fails):
    x = torch.zeros(2, 3)
    with fails(
        RuntimeError,
        "unsupported operation: some elements of the input tensor and the written-to "
        "tensor refer to a single",
    ):
        torch.cat([x[:1], x[1:]], out=x)
    with fails(
        RuntimeError,
        "unsupported operation: more than one element of the written-to tensor refers to a single memory",
    ):
        torch.cat([torch.zeros(1, 3), torch.zeros(1, 3)], out=torch.zeros(1, 3).expand(2, 3))


def test_gradients_go_to_each_part_in_its_dtype(torch):
    a, b = torch.ones(2, requires_grad=True), torch.ones(1, dtype=torch.float64, requires_grad=True)
    joined = torch.cat([a, b])
    assert joined.dtype == torch.float64
    joined.backward(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64))
    assert (a.grad.dtype, b.grad.dtype) == (torch.float32, torch.float64)
    assert a.grad.tolist() == [1, 2] and b.grad.tolist() == [3]


def test_one_tensor_in_several_places(torch):
    a = torch.ones(2, requires_grad=True)
    torch.stack([a, a, a]).sum().backward()
    assert a.grad.tolist() == [3, 3]


def test_meshgrid_asks_for_its_indexing(torch, warned):
    x = torch.arange(2)
    if torch.__name__ == "rushlight":
        assert warned(lambda: torch.meshgrid(x, x))[0].startswith(
            "torch.meshgrid: in an upcoming release, it will be required"
        )


def test_vander_is_differentiable(rushlight):
    x = rushlight.tensor([2.0, 3.0], requires_grad=True)  # PyTorch 2.13 raises in the backward pass
    rushlight.vander(x, 3).sum().backward()
    assert x.grad.tolist() == [5, 7]
