"""The snippets of the documents that rushlight was created from, each as what it must do.

Some of those texts print values that no program printed; here stands what is true, and what rushlight adds.
A test that asks for `torch` holds for PyTorch as well; one that asks for `rushlight` goes beyond it.
"""

import re

import pytest

ELEMENT_0 = "element 0 of tensors does not require grad and does not have a grad_fn"
SCALARS = "grad can be implicitly created only for scalar outputs"


def help_after(info, sentence):
    """What stands behind the leading sentence of an error."""
    message = str(info.value)
    assert message.startswith(sentence)
    return message[len(sentence) :].strip()


def names_line_of(text, marker):
    """Does the text name this file and the number of the line that carries the marker?"""
    with open(__file__, encoding="utf-8") as source:
        number = next(i for i, line in enumerate(source, 1) if marker in line and "marker" not in line)
    return re.search(rf"test_seeds\.py\D{{1,12}}{number}\b", text) is not None


def test_01_a_retained_gradient_prints(torch):
    t = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    res = t * 2
    res.retain_grad()
    res.sum().backward()
    assert str(res.grad) == "tensor([1., 1., 1.])"


def test_02_without_retaining_it_is_none_and_warns(torch):
    t = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    res = t * 2
    res.sum().backward()
    with pytest.warns(
        UserWarning, match=r"^The \.grad attribute of a Tensor that is not a leaf Tensor is being accessed\."
    ):
        assert res.grad is None


def test_02_the_warning_names_the_line_that_made_the_tensor(rushlight):
    t = rushlight.tensor([1.0, 2.0, 3.0], requires_grad=True)
    res = t * 2  # row two
    res.sum().backward()
    with pytest.warns(UserWarning) as caught:
        res.grad
    assert names_line_of(str(caught[0].message), "# row two")


def test_03_the_output_of_a_layer_keeps_its_gradient(rushlight):
    torch, nn = rushlight, rushlight.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.l1 = nn.Linear(3, 3)
            self.l2 = nn.Linear(3, 1)

        def forward(self, x):
            x = self.l1(x)
            x.retain_grad()
            return self.l2(x)

    torch.manual_seed(0)
    model = Model()
    model(torch.randn(1, 3, requires_grad=True)).sum().backward()
    assert str(model.l1.output.grad) == "tensor([[-0.5516, -0.3824, -0.2380]])"
    assert torch.equal(model.l1.output.grad, model.l2.weight)


def test_04_backward_of_a_matrix(torch, fails):
    x = torch.randn(2, 3, requires_grad=True)
    z = x * 2 * 3
    with fails(RuntimeError, SCALARS):
        z.backward()
    assert x.grad is None


def test_04_the_error_says_what_to_do(rushlight):
    x = rushlight.randn(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError) as info:
        (x * 2 * 3).backward()
    more = help_after(info, SCALARS)
    assert "gradient=" in more and re.search(r"sum|mean|reduce", more)


def test_05_backward_of_a_sum_of_matrices(torch, fails):
    x = torch.randn(2, 3, requires_grad=True)
    w = x * 2 * 3 + x
    with fails(RuntimeError, SCALARS):
        w.backward()
    w.backward(torch.ones(2, 3))
    assert torch.equal(x.grad, torch.full((2, 3), 7.0))


def test_05_the_error_says_what_to_do(rushlight):
    x = rushlight.randn(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError) as info:
        (x * 2 * 3 + x).backward()
    assert "gradient=" in help_after(info, SCALARS)


def test_06_backward_of_what_was_made_under_no_grad(torch, fails):
    with torch.no_grad():
        x = torch.randn(2, 3)
        z = x * 2 * 3
    with fails(RuntimeError, ELEMENT_0):
        z.backward(torch.ones(2, 3))
    assert x.grad is None and z.grad is None


def test_06_the_error_says_that_it_was_no_grad(rushlight):
    x = rushlight.randn(2, 3, requires_grad=True)
    with rushlight.no_grad():
        z = (x * 2).sum()
    with pytest.raises(RuntimeError) as info:
        z.backward()
    assert "no_grad" in help_after(info, ELEMENT_0)


def test_07_backward_into_intermediates(torch, fails):
    x = torch.randn(2, 3, requires_grad=True)
    y = x * 2
    z = y * 3
    with fails(RuntimeError, SCALARS):
        z.backward(inputs=[z, y])
    z.backward(gradient=torch.ones(2, 3), inputs=[z, y])
    assert (
        torch.equal(z.grad, torch.ones(2, 3))
        and torch.equal(y.grad, torch.full((2, 3), 3.0))
        and x.grad is None
    )


def test_08_save_for_backward_is_not_in_autograd(torch):
    with pytest.raises(AttributeError, match="save_for_backward"):
        torch.autograd.save_for_backward(torch.ones(2))


def test_08_the_error_points_to_ctx_and_to_retain_grad(rushlight):
    with pytest.raises(AttributeError) as info:
        rushlight.autograd.save_for_backward
    assert "ctx.save_for_backward" in str(info.value) and "retain_grad" in str(info.value)


def test_09_checkpoint_is_not_at_the_top(torch):
    with pytest.raises(AttributeError, match="checkpoint"):
        torch.checkpoint.checkpoint(torch.ones(2))


def test_09_the_error_points_to_utils_checkpoint(rushlight):
    with pytest.raises(AttributeError) as info:
        rushlight.checkpoint
    assert "utils.checkpoint" in str(info.value)


def test_09_the_real_checkpoint_works(torch):
    x = torch.randn(2, 3, requires_grad=True)
    torch.utils.checkpoint.checkpoint(lambda x: x * 2 * 3, x, use_reentrant=False).sum().backward()
    assert torch.equal(x.grad, torch.full((2, 3), 6.0))


def test_10_gradient_of_a_square(torch):
    t = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (t**2).sum().backward()
    assert str(t.grad) == "tensor([2., 4., 6.])"


def test_11_squared_error(torch):
    w = torch.tensor([0.5, -0.2, 0.8], requires_grad=True)
    x = torch.tensor([1.0, 2.0, 3.0])
    y_pred = (w * x).sum()
    loss = (y_pred - torch.tensor([4.0])) ** 2
    loss.backward()
    assert str(w.grad) in ("tensor([-3., -6., -9.])", "tensor([-3.0000, -6.0000, -9.0000])")
    assert torch.allclose(w.grad, torch.tensor([-3.0, -6.0, -9.0]))


def test_12_zeroing_between_two_backwards(torch):
    torch.manual_seed(0)
    w = torch.randn(3, requires_grad=True)
    x = torch.tensor([1.0, 2.0, 3.0])
    printed = []
    for _ in range(2):
        (w * x).sum().backward()
        printed.append(str(w.grad))
        w.grad.zero_()
    assert printed == ["tensor([1., 2., 3.])"] * 2


def test_13_is_there_a_gradient(torch):
    t = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    before = t.grad is None
    (t**2).sum().backward()
    assert (before, t.grad is None) == (True, False)
