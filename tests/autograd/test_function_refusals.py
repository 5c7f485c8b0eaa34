"""`autograd.Function`: wrong returns, returned inputs and views, in-place Functions."""

import pytest


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def make(torch, forward, backward=lambda ctx, *grads: grads[0], name="Custom"):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(name, (torch.autograd.Function,), body)


@pytest.fixture
def Triple(torch):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    return make(torch, forward, lambda ctx, g: g * 3, "Triple")


# Wrong returns


@pytest.mark.parametrize(
    "backward, kind, sentence",
    [
        (
            lambda t: lambda ctx, g: (g, g),
            RuntimeError,
            "function CustomBackward returned an incorrect number of gradients (expected 1, got 2)",
        ),
        (
            lambda t: lambda ctx, g: t.ones(5),
            RuntimeError,
            "Function CustomBackward returned an invalid gradient at index 0 - got [5] but expected "
            "shape compatible with [2]",
        ),
        (lambda t: lambda ctx, g: 5, RuntimeError, "expected Variable or None (got int)"),
    ],
)
def test_what_backward_may_not_return(torch, fails, backward, kind, sentence):
    x = leaf(torch, 2)
    y = make(torch, lambda ctx, t: t * 2, backward(torch)).apply(x)
    with fails(kind, sentence):
        y.sum().backward()
    assert x.grad is None


def test_too_few_gradients(torch, fails):
    x = leaf(torch, 2)
    y = make(torch, lambda ctx, a, b: a * b, lambda ctx, g: g).apply(x, x)
    with fails(
        RuntimeError, "function CustomBackward returned an incorrect number of gradients (expected 2, got 1)"
    ):
        y.sum().backward()


def test_missing_forward(torch, fails):
    with fails(NotImplementedError, "You must implement the forward function for custom autograd.Function."):
        torch.autograd.Function.apply(leaf(torch, 2))


def test_missing_backward(torch, fails):
    NoBackward = type(
        "NoBackward", (torch.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 2)}
    )
    y = NoBackward.apply(leaf(torch, 2))
    with fails(
        NotImplementedError,
        "You must implement either the backward or vjp method for your custom autograd.Function "
        "to use it with backward mode AD.",
    ):
        y.sum().backward()


def test_save_for_backward_takes_tensors(torch, fails):
    def forward(ctx, x):
        ctx.save_for_backward(x, 5)
        return x * 2

    with fails(TypeError, "save_for_backward can only save variables, but argument 1 is of type int"):
        make(torch, forward).apply(leaf(torch, 2))


# Returned inputs and views


def test_returned_input_is_a_view_with_its_own_backward(torch):
    x = leaf(torch, 2)
    y = make(torch, lambda ctx, t: t, lambda ctx, g: g * 10).apply(x)
    assert y is not x and y.data_ptr() == x.data_ptr() and y.grad_fn.name() == "CustomBackward"
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


def test_returned_view_has_its_own_backward(torch):
    x = leaf(torch, 2)
    y = make(torch, lambda ctx, t: t.view(2, 1), lambda ctx, g: g.view(2) * 10).apply(x)
    assert y._base is x and y.grad_fn.name() == "CustomBackward"
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


@pytest.mark.parametrize("returns", [lambda x: x, lambda x: x.view(2, 1)])
def test_in_place_on_a_returned_view_is_refused(torch, fails, returns):
    y = make(torch, lambda ctx, t: returns(t)).apply(leaf(torch, 2) * 1)
    with fails(
        RuntimeError,
        "Output 0 of Custom is a view and is being modified inplace. This view was created inside a custom "
        "Function (or because an input was returned as-is) and the autograd logic to handle view+inplace "
        "would override the custom backward associated with the custom Function, leading to incorrect "
        "gradients. This behavior is forbidden.",
    ):
        y.mul_(2)


def test_in_place_on_one_of_several_outputs_with_a_view_is_refused(torch, fails):
    view, _ = make(torch, lambda ctx, t: (t.view(2, 1), t * 2)).apply(leaf(torch, 2) * 1)
    with fails(
        RuntimeError,
        "Output 0 of Custom is a view and is being modified inplace. This view is the output of a function "
        "that returns multiple views.",
    ):
        view.mul_(2)


def test_in_place_on_plain_outputs_is_fine(torch):
    x = leaf(torch, 2)
    a, b = make(torch, lambda ctx, t: (t * 1, t * 2), lambda ctx, ga, gb: ga + 2 * gb).apply(x)
    a.mul_(5)
    (a + b).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]
    assert a.grad_fn.name() == "MulBackward0"


def test_the_same_output_twice(torch):
    def forward(ctx, x):
        y = x * 2
        return y, y

    a, b = make(torch, forward, lambda ctx, ga, gb: 2 * (ga + gb)).apply(leaf(torch, 2))
    assert a.tolist() == b.tolist() == [2.0, 2.0]


# In-place Functions


def test_in_place_function_returns_the_same_object_with_a_new_history(torch, Triple):
    x = leaf(torch, 2)
    z = x * 1
    out = Triple.apply(z)
    assert out is z and z.grad_fn.name() == "TripleBackward" and z._version > 0
    z.sum().backward()
    assert z.tolist() == [3.0, 3.0] and x.grad.tolist() == [3.0, 3.0]


def test_in_place_function_on_a_leaf(torch, Triple, fails):
    with fails(RuntimeError, "a leaf Variable that requires grad has been used in an in-place operation."):
        Triple.apply(leaf(torch, 2))


def test_in_place_function_without_grad(torch, Triple):
    z = torch.ones(2)
    out = Triple.apply(z)
    assert out is z and z.tolist() == [3.0, 3.0] and not z.requires_grad


def test_in_place_function_bumps_the_version_for_earlier_users(torch, Triple, fails):
    z = leaf(torch, 2) * 1
    s = z * z
    Triple.apply(z)
    with fails(
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace operation: ",
    ):
        s.sum().backward()


def test_in_place_function_on_a_view_rewrites_the_base(torch, Triple):
    x = leaf(torch, 3, 2)
    base = x * 1
    row = base[0]
    assert Triple.apply(row) is row
    assert type(base.grad_fn).__name__ == "CopySlices"
    base.sum().backward()
    assert x.grad.tolist() == [[3.0, 3.0], [1.0, 1.0], [1.0, 1.0]]


def test_in_place_function_on_a_view_returns_one_tensor_only(torch, fails):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x, x * 2

    row = (leaf(torch, 3, 2) * 1)[0]
    with fails(
        RuntimeError,
        "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
        "return more than one Tensor.",
    ):
        make(torch, forward).apply(row)


def test_in_place_function_on_a_multi_view(torch, Triple, fails):
    row = (leaf(torch, 3, 2) * 1).unbind()[0]
    with fails(RuntimeError, "Output 0 of Unbind is a view and is being modified inplace."):
        Triple.apply(row)


def test_dirty_inputs_must_be_returned(torch, fails):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x.clone()

    with fails(
        RuntimeError,
        "Some elements marked as dirty during the forward method were not returned as output. "
        "The inputs that are modified inplace must all be outputs of the Function.",
    ):
        make(torch, forward).apply(leaf(torch, 2) * 1)


def test_mark_dirty_takes_tensors(torch, fails):
    def forward(ctx, x):
        ctx.mark_dirty(5)
        return x

    with fails(RuntimeError, "mark_dirty can only accept variables, but argument "):
        make(torch, forward).apply(leaf(torch, 2) * 1)


def test_mark_non_differentiable_takes_tensors(torch, fails):
    def forward(ctx, x):
        ctx.mark_non_differentiable(5)
        return x * 2

    with fails(RuntimeError, "mark_non_differentiable only accepts variable arguments, but got "):
        make(torch, forward).apply(leaf(torch, 2))
