"""`utils.checkpoint`: recomputation instead of memory, without reentrance (the better way) and with it."""

import contextlib
import weakref

import pytest


def leaf(torch, *values):
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


@pytest.fixture
def ck(torch):
    return torch.utils.checkpoint.checkpoint


BOTH = pytest.mark.parametrize("reentrant", [False, True])


@BOTH
def test_gradients_are_those_of_the_plain_function(torch, ck, reentrant):
    def f(x, y):
        return (x * y).exp().sin() + x

    x, y = leaf(torch), leaf(torch, 0.5, 0.25)
    want = torch.autograd.grad(f(x, y).sum(), (x, y))
    ck(f, x, y, use_reentrant=reentrant).sum().backward()
    assert torch.equal(x.grad, want[0]) and torch.equal(y.grad, want[1])


@BOTH
def test_forward_runs_once_and_again_in_backward(torch, ck, reentrant):
    calls = []

    def f(x):
        calls.append(torch.is_grad_enabled())
        return x.exp()

    out = ck(f, leaf(torch), use_reentrant=reentrant)
    assert calls == [not reentrant]
    out.sum().backward()
    assert calls == [not reentrant, True]


@BOTH
def test_parameters_inside_are_trained(torch, ck, reentrant):
    layer = torch.nn.Linear(2, 2)
    ck(layer, torch.ones(1, 2, requires_grad=True), use_reentrant=reentrant).sum().backward()
    assert layer.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]] and layer.bias.grad.tolist() == [1.0, 1.0]


@BOTH
def test_several_outputs_and_arguments_that_are_no_tensors(torch, ck, reentrant):
    def f(x, k, nothing):
        assert nothing is None
        return x * k, x.exp()

    x = leaf(torch)
    a, b = ck(f, x, 3.0, None, use_reentrant=reentrant)
    (a.sum() + b.sum()).backward()
    assert torch.allclose(x.grad, 3 + x.detach().exp())


@BOTH
def test_the_random_state_is_replayed_and_left_untouched(torch, ck, reentrant):
    x = torch.ones(64, requires_grad=True)
    torch.manual_seed(1)
    out = ck(lambda x: torch.nn.functional.dropout(x, 0.5) * x, x, use_reentrant=reentrant)
    torch.rand(5)
    state = torch.get_rng_state()
    out.sum().backward()
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(x.grad, 2 * out.detach())


@BOTH
def test_preserve_rng_state_false_draws_anew(torch, ck, reentrant):
    draws = []

    def f(x):
        draws.append(torch.rand(3).tolist())
        return x.exp()

    ck(f, leaf(torch), use_reentrant=reentrant, preserve_rng_state=False).sum().backward()
    assert draws[0] != draws[1]


@BOTH
def test_nested(torch, ck, quiet, reentrant):
    def inner(x):
        return x.exp()

    def outer(x):
        return ck(inner, x.sin(), use_reentrant=reentrant).sin()

    x = leaf(torch)
    (want,) = torch.autograd.grad(x.sin().exp().sin().sum(), x)
    with quiet():  # the inner forward runs under no_grad first, and says so
        out = ck(outer, x, use_reentrant=reentrant)
    out.sum().backward()
    assert torch.allclose(x.grad, want)


@BOTH
def test_many_in_a_row(torch, ck, reentrant):
    x = leaf(torch, 1.0)
    y, plain = x, x
    for _ in range(50):
        y = ck(lambda t: t.sin(), y, use_reentrant=reentrant)
        plain = plain.sin()
    (want,) = torch.autograd.grad(plain.sum(), x)
    y.sum().backward()
    assert torch.allclose(x.grad, want)


@BOTH
def test_second_backward_is_refused(torch, ck, fails, reentrant):
    out = ck(lambda x: x.exp() * x, leaf(torch), use_reentrant=reentrant).sum()
    out.backward()
    with fails(
        RuntimeError,
        "Trying to backward through the graph a second time (or directly access saved tensors after they "
        "have already been freed).",
    ):
        out.backward()


def test_keyword_arguments(torch, ck, fails):
    def f(x, scale=1.0):
        return x * scale

    x = leaf(torch)
    ck(f, x, scale=3.0, use_reentrant=False).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with fails(ValueError, "Unexpected keyword arguments: scale"):
        ck(f, x, scale=3.0, use_reentrant=True)
    with pytest.raises(TypeError):
        ck(f, x, bogus=1, use_reentrant=False)


def test_the_choice_should_be_explicit(torch, ck, warned):
    texts = warned(lambda: ck(lambda x: x * 2, leaf(torch)))
    assert texts[0].startswith(
        "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly."
    )
    assert warned(lambda: ck(lambda x: x * 2, leaf(torch), use_reentrant=False)) == []


# Without reentrance


def test_works_where_no_input_requires_grad(torch, ck):
    layer = torch.nn.Linear(2, 2)
    ck(layer, torch.ones(1, 2), use_reentrant=False).sum().backward()
    assert layer.weight.grad is not None


def test_containers_keep_their_graph(torch, ck):
    x = leaf(torch)
    out = ck(lambda pair: {"a": pair["x"].exp()}, {"x": x}, use_reentrant=False)
    out["a"].sum().backward()
    assert torch.allclose(x.grad, x.detach().exp())


def test_autograd_grad_and_inputs(torch, ck):
    x = leaf(torch)
    out = ck(lambda x: x.exp(), x, use_reentrant=False).sum()
    (g,) = torch.autograd.grad(out, x)
    assert torch.allclose(g, x.detach().exp()) and x.grad is None


def test_autograd_grad_inside_the_function(torch, ck):
    def f(x):
        y = x**3
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        return g.sin()

    x = leaf(torch)
    (want,) = torch.autograd.grad(f(x).sum(), x)
    ck(f, x, use_reentrant=False).sum().backward()
    assert torch.allclose(x.grad, want)


def test_second_derivatives(torch, ck):
    x = leaf(torch)
    (g,) = torch.autograd.grad(
        ck(lambda x: x.exp().sin(), x, use_reentrant=False).sum(), x, create_graph=True
    )
    (gg,) = torch.autograd.grad(g.sum(), x)
    (g,) = torch.autograd.grad(x.exp().sin().sum(), x, create_graph=True)
    assert torch.allclose(gg, torch.autograd.grad(g.sum(), x)[0])


def test_retain_graph_recomputes_each_time(torch, ck):
    calls = []

    def f(x):
        calls.append(1)
        return x.exp()

    x = leaf(torch)
    out = ck(f, x, use_reentrant=False).sum()
    out.backward(retain_graph=True)
    out.backward(retain_graph=True)
    assert torch.allclose(x.grad, 2 * x.detach().exp()) and len(calls) == 3


def test_recomputation_stops_early(torch, ck):
    log = []

    def f(x):
        y = x.exp()
        z = y.sin()
        log.append("end")
        return z + 1

    ck(f, leaf(torch), use_reentrant=False).sum().backward()
    assert log == ["end"]
    log.clear()
    ck(f, leaf(torch), use_reentrant=False, early_stop=False).sum().backward()
    assert log == ["end", "end"]
    log.clear()
    with torch.utils.checkpoint.set_checkpoint_early_stop(False):
        ck(f, leaf(torch), use_reentrant=False).sum().backward()
    assert log == ["end", "end"]


def test_what_retains_inside_gets_its_gradient_on_the_forward_copy(torch, ck):
    kept = []

    def f(x):
        h = x.exp()
        h.retain_grad()
        kept.append(h)
        return h.sin()

    ck(f, leaf(torch), use_reentrant=False).sum().backward()
    assert torch.allclose(kept[0].grad, kept[0].detach().cos())


def test_context_fn_surrounds_forward_and_recomputation(torch, ck):
    log = []

    @contextlib.contextmanager
    def note(name):
        log.append(name)
        yield

    ck(
        lambda x: x.exp().sin(),
        leaf(torch),
        use_reentrant=False,
        context_fn=lambda: (note("forward"), note("again")),
    ).sum().backward()
    assert log == ["forward", "again"]


def test_saved_values_are_recomputed_when_looked_at(torch, ck):
    x = leaf(torch)
    out = ck(lambda x: x.exp().sin(), x, use_reentrant=False)
    assert torch.equal(out.grad_fn._saved_self, x.detach().exp())


def test_under_no_grad_nothing_is_kept(torch, ck):
    with torch.no_grad():
        assert not ck(lambda x: x.exp(), leaf(torch), use_reentrant=False).requires_grad


def test_intermediates_are_not_kept(torch, ck, no_gc):
    refs = []

    def f(x):
        h = x.exp()
        refs.append(weakref.ref(h))
        return h.sin().sin()

    out = ck(f, leaf(torch), use_reentrant=False)
    assert refs[0]() is None
    out.sum().backward()
    assert refs[-1]() is None


def test_hooks_of_weights_run_once(torch, ck):
    layer = torch.nn.Linear(2, 2)
    calls = []
    layer.weight.register_hook(lambda g: calls.append(1))
    ck(layer, leaf(torch), use_reentrant=False).sum().backward()
    assert calls == [1]


def test_exceptions_pass(torch, ck):
    def f(x):
        raise KeyError("inside")

    with pytest.raises(KeyError):
        ck(f, leaf(torch), use_reentrant=False)
    ck(lambda x: x.exp(), leaf(torch), use_reentrant=False).sum().backward()


# A function that does not repeat itself


def changing(first, later):
    calls = []

    def f(x):
        calls.append(1)
        return first(x) if len(calls) == 1 else later(x)

    return f


def test_fewer_tensors(torch, ck, fails):
    f = changing(lambda x: x.exp().exp(), lambda x: x.exp())
    assert issubclass(torch.utils.checkpoint.CheckpointError, RuntimeError)
    with fails(
        torch.utils.checkpoint.CheckpointError,
        "torch.utils.checkpoint: A different number of tensors was saved during the original forward "
        "and recomputation.\n"
        "Number of tensors saved during forward: 2\nNumber of tensors saved during recomputation: 1.",
    ):
        ck(f, leaf(torch), use_reentrant=False).sum().backward()


def test_more_tensors(torch, ck, fails):
    f = changing(lambda x: x.exp(), lambda x: x.exp().exp())
    with torch.utils.checkpoint.set_checkpoint_early_stop(False):
        with fails(
            torch.utils.checkpoint.CheckpointError,
            "torch.utils.checkpoint: trying to save more tensors during "
            "recomputation than during the original forward pass.",
        ):
            ck(f, leaf(torch), use_reentrant=False).sum().backward()


def test_other_shapes(torch, ck, fails):
    f = changing(lambda x: x[:1].exp(), lambda x: x.exp())
    with fails(
        torch.utils.checkpoint.CheckpointError,
        "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata "
        "than during the "
        "forward pass.\ntensor at position 0:\nsaved metadata: {'shape': torch.Size([1]), 'dtype': "
        "torch.float32, "
        "'device': device(type='cpu')}\nrecomputed metadata: {'shape': torch.Size([2]), 'dtype': "
        "torch.float32, "
        "'device': device(type='cpu')}",
    ):
        ck(f, leaf(torch), use_reentrant=False).sum().backward()


def test_the_check_can_be_switched_off(torch, ck, fails):
    f = changing(lambda x: x.float().exp(), lambda x: x.double().exp())
    ck(f, leaf(torch), use_reentrant=False, determinism_check="none").sum().backward()
    with fails(ValueError, "determinism_check should be one of ['default', 'none'], but got foo"):
        ck(f, leaf(torch), use_reentrant=False, determinism_check="foo")


# With reentrance


def test_reentrant_needs_an_input_that_requires_grad(torch, ck, warned):
    layer = torch.nn.Linear(2, 2)
    out = []
    texts = warned(lambda: out.append(ck(layer, torch.ones(1, 2), use_reentrant=True)))
    assert texts == ["None of the inputs have requires_grad=True. Gradients will be None"]
    assert not out[0].requires_grad


@pytest.mark.parametrize(
    "call", [lambda t, out, x: t.autograd.grad(out, x), lambda t, out, x: out.backward(inputs=[x])]
)
def test_reentrant_refuses_grad_and_inputs(torch, ck, fails, call):
    x = leaf(torch)
    out = ck(lambda x: x.exp(), x, use_reentrant=True).sum()
    with fails(
        RuntimeError,
        "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
        "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
        ".backward() without passing the `inputs` argument.",
    ):
        call(torch, out, x)


def test_reentrant_output_without_graph(torch, ck, fails):
    out = ck(lambda x: x.detach() * 2, leaf(torch), use_reentrant=True)
    with fails(RuntimeError, "none of output has requires_grad=True, this checkpoint() is not necessary"):
        out.sum().backward()


def test_reentrant_options(torch, ck, fails):
    for options in ({"debug": True}, {"context_fn": lambda: None}):
        with fails(ValueError, "Passing `context_fn` or `debug` is only supported when use_reentrant=False."):
            ck(lambda x: x, leaf(torch), use_reentrant=True, **options)


def test_reentrant_node(torch, ck):
    assert (
        ck(lambda x: x.exp(), leaf(torch), use_reentrant=True).grad_fn.name() == "CheckpointFunctionBackward"
    )


def test_what_retains_inside_gets_its_gradient_on_the_recomputed_copy(torch, ck):
    kept = []

    def f(x):
        h = x.exp()
        if h.requires_grad:
            h.retain_grad()
            kept.append(h)
        return h.sin()

    ck(f, leaf(torch), use_reentrant=True).sum().backward()
    assert len(kept) == 1 and torch.allclose(kept[0].grad, kept[0].detach().cos())


# checkpoint_sequential


@BOTH
@pytest.mark.parametrize("segments", [1, 2, 3])
def test_sequential(torch, segments, reentrant):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    x = torch.ones(1, 2, requires_grad=True)
    want = torch.autograd.grad(model(x).sum(), [x, *model.parameters()])
    torch.utils.checkpoint.checkpoint_sequential(model, segments, x, use_reentrant=reentrant).sum().backward()
    for got, wanted in zip([x.grad, *(p.grad for p in model.parameters())], want):
        assert torch.allclose(got, wanted)


def test_sequential_takes_a_list_of_functions(torch):
    x = leaf(torch)
    out = torch.utils.checkpoint.checkpoint_sequential([torch.exp, torch.sin], 2, x, use_reentrant=False)
    assert torch.equal(out, x.exp().sin())


def test_sequential_refuses_other_keywords(torch, fails):
    with fails(ValueError, "Unexpected keyword arguments: foo"):
        torch.utils.checkpoint.checkpoint_sequential([torch.exp], 1, leaf(torch), use_reentrant=False, foo=1)
