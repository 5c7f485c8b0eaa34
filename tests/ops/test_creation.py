"""Making tensors: factories, ranges, legacy constructors, and writing constants.

Most of it is a long list of expressions with PyTorch's recorded answers (``tests/golden/tensors``); the
fixture ``torch`` runs it on PyTorch itself too, where that is installed.
"""

import pytest
from tests.golden.tensors.check import cases, check


@pytest.mark.parametrize("expression", cases("creation"))
def test_answers_as_recorded(torch, expression):
    check("creation", expression, torch)


def test_new_tensors_are_leaves_with_memory_of_their_own(torch):
    a, b = torch.zeros(3), torch.zeros(3)
    a.fill_(1)
    assert b.tolist() == [0, 0, 0]
    assert a.is_leaf and a._base is None and a.grad_fn is None


def test_ranges_are_exact_in_float64(torch):
    assert torch.arange(0, 1, 0.1, dtype=torch.float64).tolist() == [i * 0.1 for i in range(10)]
    ends = torch.linspace(-3, 5, 9, dtype=torch.float64)
    assert ends.tolist() == [float(i) for i in range(-3, 6)]


def test_the_default_dtype_is_used(torch):
    torch.set_default_dtype(torch.float64)
    assert {
        t.dtype
        for t in (
            torch.zeros(1),
            torch.tensor(1.0),
            torch.arange(1.0),
            torch.eye(1),
            torch.linspace(0, 1, 2),
            torch.full((1,), 1.0),
            torch.Tensor(1),
        )
    } == {torch.float64}
    assert torch.tensor(1j).dtype == torch.complex128


def test_writes_count_versions(torch):
    x = torch.zeros(3)
    x.fill_(1)
    x.zero_()
    x.copy_(torch.ones(3))
    assert x._version == 3
    assert x.view(3)._version == 3


def test_a_write_to_a_leaf_that_requires_grad_is_refused_and_changes_nothing(torch, fails):
    x = torch.ones(3, requires_grad=True)
    for write in (x.zero_, lambda: x.fill_(2.0), lambda: x.copy_(torch.zeros(3))):
        with fails(
            RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation."
        ):
            write()
    with fails(
        RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place operation."
    ):
        x.view(3).zero_()
    assert x.tolist() == [1, 1, 1] and x._version == 0


def test_copy_carries_gradients_to_its_source(torch):
    x = torch.ones(3, requires_grad=True)
    y = torch.zeros(2, 3, dtype=torch.float64)
    y.copy_(x)
    y.sum().backward()
    assert x.grad.tolist() == [2, 2, 2] and x.grad.dtype == torch.float32


def test_resize_grows_and_keeps_what_was_there(torch):
    x = torch.arange(4)
    y = x.view(2, 2)
    x.resize_(6)
    assert x[:4].tolist() == [0, 1, 2, 3]
    assert y.tolist() == [[0, 1], [2, 3]]


def test_a_view_made_without_grad_of_a_base_that_needs_it_may_not_be_written(torch, fails):
    base = torch.ones(3, requires_grad=True) * 1
    with torch.no_grad():
        dead = base.view(3)
        free = torch.ones(3).view(3)
    for write in (dead.zero_, lambda: dead.fill_(2.0), lambda: dead.copy_(torch.zeros(3))):
        with fails(RuntimeError, "A view was created in no_grad mode and is being modified inplace"):
            write()
    assert free.zero_().tolist() == [0, 0, 0]
