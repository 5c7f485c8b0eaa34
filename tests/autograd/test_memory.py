"""What a graph keeps alive, what a backward frees, and that no cycle needs the garbage collector."""

import gc
import tracemalloc
import weakref

SIZE = 50_000


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def alive(refs):
    return sum(r() is not None for r in refs)


def test_graph_dies_with_its_last_user(torch, no_gc):
    x = leaf(torch, 2)
    h = x * 2
    y = h.exp()
    refs = [weakref.ref(h), weakref.ref(y)]
    del h, y
    assert alive(refs) == 0


def test_graph_dies_after_backward(torch, no_gc):
    x = leaf(torch, 2)
    h = x * 2
    y = (h * h).sum()
    refs = [weakref.ref(h), weakref.ref(y)]
    y.backward()
    del h, y
    assert alive(refs) == 0


def test_an_output_that_is_saved_by_its_own_node_makes_no_cycle(torch, no_gc):
    x = leaf(torch, 2)
    for op in ("exp", "tanh", "sigmoid", "sqrt", "relu"):
        y = getattr(x, op)()
        ref = weakref.ref(y)
        del y
        assert ref() is None, op


def test_nodes_die_by_reference_counting(torch, no_gc):
    class Witness:
        pass

    witness = Witness()
    ref = weakref.ref(witness)
    y = leaf(torch, 2).exp()
    y.grad_fn.metadata["witness"] = witness
    del witness
    assert ref() is not None
    del y
    assert ref() is None


def test_views_and_in_place_make_no_cycles(torch, no_gc):
    x = leaf(torch, 4)
    base = x * 1
    v = base.view(2, 2)
    v[0].mul_(3)
    refs = [weakref.ref(base), weakref.ref(v)]
    v.sum().backward()
    del base, v
    assert alive(refs) == 0


def test_higher_derivatives_make_no_cycles(torch, no_gc):
    x = leaf(torch, 2)
    y = x.exp() * x.sin()
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    refs = [weakref.ref(t) for t in (y, g, gg, x)]
    del y, g, gg, x
    assert alive(refs) == 0


def test_mul_by_constants_keeps_no_intermediate(torch, no_gc):
    x, c = leaf(torch, 2), torch.full((2,), 3.0)
    refs, y = [], x
    for _ in range(10):
        y = y * c
        refs.append(weakref.ref(y))
    assert alive(refs) == 1


def test_saved_inputs_are_kept_until_backward_and_then_freed(torch, no_gc):
    x = leaf(torch, 2)
    refs, y = [], x
    for _ in range(10):
        y = y * 1
        refs.append(weakref.ref(y))
        y = y.sin()
    out = y.sum()
    del y
    out.backward()
    assert alive(refs) == 0
    assert out.item() < 2


def test_retain_graph_keeps(torch, no_gc):
    x = leaf(torch, 2)
    h = x * 1
    y = h.sin().sum()
    saved = y.grad_fn.next_functions[0][0]
    y.backward(retain_graph=True)
    assert saved._saved_self is not None


def test_failed_backward_keeps_nothing_alive(torch, no_gc):
    x = leaf(torch, 2)
    h = x * 1
    y = h.sin()

    def boom(g):
        raise KeyError

    h.register_hook(boom)
    try:
        y.sum().backward()
    except KeyError:
        pass
    refs = [weakref.ref(h), weakref.ref(y)]
    del h, y
    gc.collect()
    assert alive(refs) == 0


def test_gradient_of_an_intermediate_is_dropped_when_used(torch, no_gc):
    x = leaf(torch, 2)
    refs = []
    y = x
    for _ in range(5):
        y = y * 2
        y.register_hook(lambda g: refs.append(weakref.ref(g)))
    y.sum().backward()
    assert len(refs) == 5 and alive(refs) == 0


def test_training_steps_leave_no_growth(torch, no_gc):
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.ones(3, 4)

    def step():
        optimizer.zero_grad()
        loss = ((model(data) - 1) ** 2).mean()
        loss.backward()
        optimizer.step()

    for _ in range(5):
        step()
    before = len(gc.get_objects())
    for _ in range(100):
        step()
    assert len(gc.get_objects()) - before < 50


# The arrays themselves, counted by the allocator (PyTorch's are outside Python's sight)


def megabytes_of(build):
    """How much memory the result of `build` keeps, in arrays of SIZE float32."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = build()
        after = tracemalloc.get_traced_memory()[0]
        del kept
    finally:
        tracemalloc.stop()
    return (after - before) / (4 * SIZE)


def test_chain_of_mul_by_constants_keeps_one_array(rushlight):
    x = leaf(rushlight, SIZE)
    c = rushlight.full((SIZE,), 1.5)

    def build():
        y = x
        for _ in range(20):
            y = y * c * 2.0
        return y

    assert megabytes_of(build) < 2.0


def test_chain_of_exp_keeps_one_array_per_step(rushlight):
    x = leaf(rushlight, SIZE)

    def build():
        y = x * -1.0
        for _ in range(20):
            y = (y * 0.01).exp()
        return y

    assert 19.5 < megabytes_of(build) < 21.5


def test_chain_of_sin_keeps_its_inputs(rushlight):
    x = leaf(rushlight, SIZE)

    def build():
        y = x
        for _ in range(20):
            y = y.sin()
        return y

    assert 19.5 < megabytes_of(build) < 21.5


def test_backward_frees_what_was_saved(rushlight):
    x = leaf(rushlight, SIZE)

    def build():
        y = x
        for _ in range(20):
            y = y.sin()
        out = y.sum()
        del y
        out.backward()
        return out

    assert megabytes_of(build) < 2.0


def test_backward_drops_saved_values_as_it_goes(rushlight):
    x = leaf(rushlight, SIZE)
    y = x
    for _ in range(40):
        y = y.sin()
    out = y.sum()
    del y
    gc.collect()
    tracemalloc.start()
    out.backward()
    peak = tracemalloc.get_traced_memory()[1] / (4 * SIZE)
    tracemalloc.stop()
    assert peak < 6.0
