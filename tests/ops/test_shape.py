"""Shapes: views and copies of other shapes, their errors, strides and histories.

Most of it is a long list of expressions with PyTorch's recorded answers (``tests/golden/tensors``); the
fixture ``torch`` runs it on PyTorch itself too, where that is installed.
"""

import pytest
from tests.golden.tensors.check import cases, check


@pytest.mark.parametrize("expression", cases("shape"))
def test_answers_as_recorded(torch, expression):
    check("shape", expression, torch)


def test_a_view_shares_memory_both_ways(torch):
    x = torch.zeros(2, 3)
    for view in (
        x.view(6),
        x.reshape(3, 2),
        x.t(),
        x.permute(1, 0),
        x.expand(1, 2, 3),
        x.unsqueeze(0),
        x.flatten(),
        x.unfold(1, 2, 1),
        x.narrow(1, 0, 2),
        x.select(0, 0),
        x.diagonal(),
        x.split(1)[0],
        x.unbind()[0],
        x.mT,
        x.as_strided((2,), (1,)),
    ):
        assert view.data_ptr() == x.data_ptr()
        assert view._base is x
    x.view(6)[5] = 7
    assert x[1, 2] == 7


def test_gradients_of_overlapping_windows_add_up(torch):
    x = torch.arange(4.0, requires_grad=True)
    x.unfold(0, 2, 1).sum().backward()
    assert x.grad.tolist() == [1, 2, 2, 1]
    x.grad = None
    x.as_strided((3, 2), (1, 1)).sum().backward()
    assert x.grad.tolist() == [1, 2, 2, 1]


def test_the_gradient_of_as_strided_on_an_expanded_tensor_is_shared_evenly(torch):
    x = torch.ones(1, 3, requires_grad=True)
    x.expand(2, 3).as_strided((3,), (1,)).sum().backward()
    assert x.grad.tolist() == [[1, 1, 1]]


def test_a_write_to_a_view_reaches_the_history_of_its_base(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y = x.clone()
    y.t()[0].fill_(5.0)
    assert y.grad_fn.name().endswith("CopySlices")
    y.sum().backward()
    assert x.grad.tolist() == [[0, 1, 1], [0, 1, 1]]


def test_views_made_together_may_not_be_written(torch, fails):
    x = torch.ones(2, 3, requires_grad=True).clone()
    for parts in (x.unbind(), x.split(1), x.chunk(2)):
        with fails(RuntimeError, "Output 0 of "):
            parts[0].zero_()


def test_missing_gradients_of_parts_count_as_zero(torch):
    x = torch.ones(3, 2, requires_grad=True)
    (x.unbind()[1] * 2).sum().backward()
    assert x.grad.tolist() == [[0, 0], [2, 2], [0, 0]]
    x.grad = None
    x.split([1, 2])[0].sum().backward()
    assert x.grad.tolist() == [[1, 1], [0, 0], [0, 0]]


def test_in_place_views_keep_the_memory_and_the_history(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 2
    y.t_()
    assert y.shape == (3, 2) and not y.is_leaf
    (y * torch.arange(6.0).view(3, 2)).sum().backward()
    assert x.grad.tolist() == [[0, 4, 8], [2, 6, 10]]


def test_the_warning_of_T_names_what_to_use(torch, quiet):
    with quiet():
        assert torch.zeros(2, 3, 4).T.shape == (4, 3, 2)


def test_as_strided_scatter_sends_the_gradient_where_values_came_from(rushlight):
    torch = rushlight  # PyTorch 2.13 returns it for the replaced part instead
    x, src = torch.ones(4, requires_grad=True), torch.ones(2, requires_grad=True)
    torch.as_strided_scatter(x, src, (2,), (2,)).sum().backward()
    assert x.grad.tolist() == [0, 1, 0, 1]
    assert src.grad.tolist() == [1, 1]


def test_broadcast_tensors_gives_back_what_has_the_shape(torch):
    a, b = torch.zeros(2, 3, requires_grad=True), torch.zeros(3, requires_grad=True)
    x, y = torch.broadcast_tensors(a, b)
    assert x is a and y.grad_fn.name() == "ExpandBackward0" and y.shape == (2, 3)
    assert torch.broadcast_tensors(b)[0] is b
