"""`autograd.Function`: the life of one call, what ctx offers, and derivatives through it."""

import gc
import weakref

import pytest

SECOND = (
    "Trying to backward through the graph a second time "
    "(or directly access saved tensors after they have already been freed)."
)


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def make(torch, forward, backward=lambda ctx, *grads: grads[0], name="Custom", **more):
    """A Function class from two plain functions."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward), **more}
    return type(name, (torch.autograd.Function,), body)


@pytest.fixture
def Cube(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x**2

    return Cube


def test_forward_and_backward(torch, Cube):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Cube.apply(x)
    y.sum().backward()
    assert y.tolist() == [1.0, 8.0] and x.grad.tolist() == [3.0, 12.0]


def test_double_backward_through_saved_inputs(torch, Cube):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [6.0, 12.0]


def test_triple_backward(torch, Cube):
    x = torch.tensor(2.0, requires_grad=True)
    (g,) = torch.autograd.grad(Cube.apply(x), x, create_graph=True)
    (g,) = torch.autograd.grad(g, x, create_graph=True)
    assert torch.autograd.grad(g, x)[0].item() == 6.0


def test_double_backward_through_saved_output(torch):
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    Exp = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    assert torch.allclose(gg, x.detach().exp())


def test_grad_fn_of_the_output(torch, Cube):
    x = leaf(torch, 2)
    y = Cube.apply(x)
    node = y.grad_fn
    assert node.name() == "CubeBackward" and type(node).__name__ == "CubeBackward"
    assert repr(y) == "tensor([1., 1.], grad_fn=<CubeBackward>)"
    assert isinstance(node, torch.autograd.graph.Node)
    assert node.next_functions[0][0].variable is x and node.metadata == {}
    assert node.needs_input_grad == (True,) and node.saved_tensors[0] is x


def test_ctx_is_the_node(torch):
    seen = []
    Keep = make(torch, lambda ctx, x: (seen.append(ctx), x * 2)[1])
    y = Keep.apply(leaf(torch, 2))
    assert seen[0] is y.grad_fn
    seen.clear()


def test_attributes_on_ctx_reach_backward(torch):
    def forward(ctx, x, k):
        ctx.k = k
        return x * k

    Scale = make(torch, forward, lambda ctx, g: (g * ctx.k, None))
    x = leaf(torch, 2)
    Scale.apply(x, 5).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_forward_runs_without_grad_and_sees_the_inputs_themselves(torch):
    seen = []
    x = leaf(torch, 2)
    make(
        torch, lambda ctx, t: (seen.append((torch.is_grad_enabled(), t is x, t.requires_grad)), t * 2)[1]
    ).apply(x)
    assert seen == [(False, True, True)]


def test_backward_runs_with_grad_only_under_create_graph(torch):
    modes = []
    Note = make(torch, lambda ctx, x: x * 2, lambda ctx, g: (modes.append(torch.is_grad_enabled()), g * 2)[1])
    x = leaf(torch, 2)
    Note.apply(x).sum().backward()
    torch.autograd.grad(Note.apply(x).sum(), x, create_graph=True)
    assert modes == [False, True]


def test_apply_under_no_grad(torch, Cube):
    with torch.no_grad():
        y = Cube.apply(leaf(torch, 2))
    assert not y.requires_grad and y.grad_fn is None


def test_apply_without_grad(torch, Cube):
    y = Cube.apply(torch.ones(2))
    assert not y.requires_grad and y.grad_fn is None


def test_needs_input_grad(torch):
    seen = []
    Note = make(
        torch,
        lambda ctx, a, k, b: (seen.append(ctx.needs_input_grad), a * b)[1],
        lambda ctx, g: (g, None, None),
    )
    Note.apply(leaf(torch, 2), 3, torch.ones(2)).sum().backward()
    assert seen == [(True, False, False)]


def test_several_inputs_and_outputs(torch):
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a + b, a * b

    def backward(ctx, g_sum, g_product):
        a, b = ctx.saved_tensors
        return g_sum + g_product * b, g_sum + g_product * a

    Both = make(torch, forward, backward)
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(5.0, requires_grad=True)
    s, p = Both.apply(a, b)
    assert (s.output_nr, p.output_nr) == (0, 1) and s.grad_fn is p.grad_fn
    (s * 10 + p).backward()
    assert a.grad.item() == 15.0 and b.grad.item() == 12.0


def test_outputs_that_are_no_tensors_pass_through(torch):
    Mixed = make(torch, lambda ctx, x: (x * 2, 5, "text", None), lambda ctx, g, *rest: g * 2)
    x = leaf(torch, 2)
    y, five, text, nothing = Mixed.apply(x)
    assert (five, text, nothing) == (5, "text", None)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_tensors_in_containers_are_not_differentiated(torch):
    seen = []
    InList = make(
        torch,
        lambda ctx, x, pair: (seen.append(ctx.needs_input_grad), x + pair[0])[1],
        lambda ctx, g: (g, None),
    )
    x, hidden = leaf(torch, 2), leaf(torch, 2)
    InList.apply(x, [hidden]).sum().backward()
    assert seen == [(True, False)] and hidden.grad is None and x.grad.tolist() == [1.0, 1.0]


def test_a_list_result_is_no_tensor_result(torch):
    out = make(torch, lambda ctx, x: [x * 2]).apply(leaf(torch, 2))
    assert type(out) is list and not out[0].requires_grad


def test_integer_outputs_require_no_grad(torch):
    ints, floats = make(torch, lambda ctx, x: (x.long(), x * 2), lambda ctx, gi, gf: gf).apply(leaf(torch, 2))
    assert not ints.requires_grad and floats.requires_grad


def test_a_fresh_output_requires_grad(torch):
    assert make(torch, lambda ctx, x: torch.zeros(3)).apply(leaf(torch, 2)).requires_grad


def test_missing_gradients_are_materialized_as_zeros(torch):
    seen = []
    Two = make(
        torch, lambda ctx, x: (x * 1, x * 2), lambda ctx, a, b: (seen.append((a.tolist(), b.tolist())), b)[1]
    )
    Two.apply(leaf(torch, 2))[1].sum().backward()
    assert seen == [([0.0, 0.0], [1.0, 1.0])]


def test_set_materialize_grads_false_gives_none(torch):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 1, x * 2

    Two = make(torch, forward, lambda ctx, a, b: (seen.append(a), b)[1])
    Two.apply(leaf(torch, 2))[1].sum().backward()
    assert seen == [None]


def test_backward_returning_none_passes_nothing(torch):
    x = leaf(torch, 2)
    y = x * 1
    make(torch, lambda ctx, t: t * 2, lambda ctx, g: None).apply(y).sum().backward()
    assert x.grad is None


def test_extra_nones_are_allowed(torch):
    x = leaf(torch, 2)
    make(torch, lambda ctx, t: t * 2, lambda ctx, g: (g, None, None)).apply(x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_gradients_are_cast_and_reduced_to_the_input(torch):
    x = leaf(torch, 2)
    make(torch, lambda ctx, t: t * 2, lambda ctx, g: g.double().expand(3, 2)).apply(x).sum().backward()
    assert x.grad.dtype == torch.float32 and x.grad.tolist() == [3.0, 3.0]


def test_mark_non_differentiable(torch):
    seen = []

    def forward(ctx, x):
        doubled, mask = x * 2, x * 0
        ctx.mark_non_differentiable(mask)
        return doubled, mask

    y, mask = make(torch, forward, lambda ctx, a, b: (seen.append(b.tolist()), a * 2)[1]).apply(
        leaf(torch, 2)
    )
    assert y.requires_grad and not mask.requires_grad and mask.grad_fn is None
    y.sum().backward()
    assert seen == [[0.0, 0.0]]


def test_only_output_non_differentiable(torch):
    def forward(ctx, x):
        y = x * 2
        ctx.mark_non_differentiable(y)
        return y

    assert not make(torch, forward).apply(leaf(torch, 2)).requires_grad


def test_once_differentiable_refuses_second_derivatives(torch, Cube, fails):
    class Once(Cube):
        backward = staticmethod(torch.autograd.function.once_differentiable(Cube.backward))

    x = torch.tensor([2.0], requires_grad=True)
    Once.apply(x).sum().backward()
    assert x.grad.tolist() == [12.0]
    seed = leaf(torch, 1)
    (g,) = torch.autograd.grad(Once.apply(x), x, seed, create_graph=True)
    assert g.tolist() == [12.0] and g.requires_grad
    with fails(
        RuntimeError, "trying to differentiate twice a function that was marked with @once_differentiable"
    ):
        g.sum().backward()


def test_setup_context_style(torch):
    seen = []

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append((type(inputs), len(inputs), output.tolist()))
            ctx.save_for_backward(inputs[0])
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k, None

    x = leaf(torch, 2)
    y = Scale.apply(x, 3)
    y.sum().backward()
    assert (
        seen == [(tuple, 2, [3.0, 3.0])]
        and y.grad_fn.name() == "ScaleBackward"
        and x.grad.tolist() == [3.0, 3.0]
    )


def test_vjp_is_another_name_for_backward(torch):
    class Named(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 7

    x = leaf(torch, 2)
    Named.apply(x).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]


def test_saved_none_comes_back_as_none(torch):
    seen = []

    def forward(ctx, x):
        ctx.save_for_backward(None, x)
        return x * 2

    make(torch, forward, lambda ctx, g: (seen.append(ctx.saved_tensors[0]), g)[1]).apply(
        leaf(torch, 2)
    ).sum().backward()
    assert seen == [None]


def test_saved_tensors_are_freed_after_backward(torch, Cube, fails):
    y = Cube.apply(leaf(torch, 2)).sum()
    y.backward()
    with fails(RuntimeError, SECOND):
        y.backward()


def test_saved_tensors_check_their_version(torch, Cube, fails):
    x = leaf(torch, 2)
    h = x * 1
    y = Cube.apply(h)
    h.add_(1)
    with fails(
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.FloatTensor [2]], which is output 0 of Add, is at version 1; expected version 0 instead.",
    ):
        y.sum().backward()


def test_saved_output_is_named_by_its_function(torch, fails):
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(y)
        return y

    y = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(leaf(torch, 2))
    y.add_(1)
    with fails(
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.FloatTensor [2]], which is output 0 of Custom, is at version 1; ",
    ):
        y.sum().backward()


def test_hooks_on_the_node_of_a_function(torch, Cube):
    x = leaf(torch, 2)
    y = Cube.apply(x)
    log = []
    y.grad_fn.register_hook(lambda gi, go: log.append(("post", gi[0].tolist())))
    y.grad_fn.register_prehook(lambda go: log.append(("pre", go[0].tolist())))
    y.sum().backward()
    assert log == [("pre", [1.0, 1.0]), ("post", [3.0, 3.0])]


def test_keyword_arguments_reach_forward(torch):
    Scale = make(torch, lambda ctx, x, k=2: x * k)
    assert Scale.apply(torch.ones(2), k=5).tolist() == [5.0, 5.0]


def test_functions_nest(torch, Cube):
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.inner = x.detach().requires_grad_()
            ctx.result = Cube.apply(ctx.inner)
        return ctx.result.detach()

    def backward(ctx, g):
        ctx.result.backward(g)
        return ctx.inner.grad

    x = torch.tensor([2.0], requires_grad=True)
    make(torch, forward, backward).apply(x).backward()
    assert x.grad.tolist() == [12.0]


def test_an_exception_in_backward_keeps_its_type(torch):
    class Boom(Exception):
        pass

    def backward(ctx, g):
        raise Boom("inside")

    x = leaf(torch, 2)
    with pytest.raises(Boom, match="inside"):
        make(torch, lambda ctx, t: t * 2, backward).apply(x).sum().backward()
    assert x.grad is None


def test_gradcheck_of_a_function(torch, Cube):
    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(Cube.apply, x)
    assert torch.autograd.gradgradcheck(Cube.apply, x)


# Memory


def test_context_dies_with_its_output(torch, no_gc):
    refs = []

    def forward(ctx, x):
        y = x.clone()
        ctx.save_for_backward(x, y)
        refs.append(weakref.ref(ctx))
        return y

    Save = make(torch, forward)
    x = leaf(torch, 2)
    y = Save.apply(x)
    assert refs[0]() is not None
    del y
    assert refs[0]() is None
    y = Save.apply(x)
    (y * y).sum().backward()
    del y
    assert refs[1]() is None


def test_an_attribute_cycle_on_ctx_is_left_to_the_collector(torch):
    refs = []

    def forward(ctx, x):
        ctx.y = x.clone()
        refs.append(weakref.ref(ctx))
        return ctx.y

    y = make(torch, forward).apply(leaf(torch, 2))
    del y
    gc.collect()
    assert refs[0]() is None
