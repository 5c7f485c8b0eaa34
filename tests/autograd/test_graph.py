"""`autograd.graph`: gradient edges, hooks over several tensors, mutation of what is saved, versions."""


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def test_edge_of_a_result_and_of_a_leaf(torch):
    get_edge = torch.autograd.graph.get_gradient_edge
    x = leaf(torch, 2)
    y = x * 2
    edge = get_edge(y)
    assert isinstance(edge, torch.autograd.graph.GradientEdge)
    assert edge.node is y.grad_fn and edge.output_nr == 0
    assert get_edge(x).node.name() == "torch::autograd::AccumulateGrad"
    assert [get_edge(t).output_nr for t in leaf(torch, 2, 2).unbind()] == [0, 1]


def test_edge_without_grad(torch, fails):
    with fails(
        RuntimeError,
        "It is not possible to get the gradient edge for a Tensor that does not require gradients",
    ):
        torch.autograd.graph.get_gradient_edge(torch.ones(2))


def test_grad_with_respect_to_an_edge(torch):
    x = leaf(torch, 2)
    y = x * 2
    edge = torch.autograd.graph.get_gradient_edge(y)
    z = (y * 3).sum()
    del y
    assert torch.autograd.grad(z, edge)[0].tolist() == [3.0, 3.0]


def test_grad_of_an_edge(torch):
    x = leaf(torch, 2)
    edge = torch.autograd.graph.get_gradient_edge((x * 5).sum())
    assert torch.autograd.grad(edge, x)[0].tolist() == [5.0, 5.0]


def test_backward_of_an_edge(torch, fails):
    x = leaf(torch, 2)
    edge = torch.autograd.graph.get_gradient_edge(x * 2)
    with fails(RuntimeError, "grad can be implicitly created only for scalar outputs"):
        torch.autograd.backward(edge)
    torch.autograd.backward(edge, torch.ones(2))
    assert x.grad.tolist() == [2.0, 2.0]


def test_backward_into_the_edge_of_a_leaf(torch):
    x, w = leaf(torch, 2), leaf(torch, 2)
    (x * w * 3).sum().backward(inputs=torch.autograd.graph.get_gradient_edge(x))
    assert x.grad.tolist() == [3.0, 3.0] and w.grad is None


def test_edges_and_tensors_mix(torch):
    x = leaf(torch, 2)
    y = x * 2
    gx, gy = torch.autograd.grad((y * 3).sum(), [x, torch.autograd.graph.get_gradient_edge(y)])
    assert gx.tolist() == [6.0, 6.0] and gy.tolist() == [3.0, 3.0]


# register_multi_grad_hook


def test_multi_grad_hook_all_waits_for_every_gradient(torch):
    x, y, z = leaf(torch, 2), leaf(torch, 2), leaf(torch, 2)
    seen = []
    handle = torch.autograd.graph.register_multi_grad_hook(
        (x, y), lambda grads: seen.append([g.tolist() for g in grads])
    )
    (x * 2 + y * 3 + z).sum().backward()
    assert seen == [[[2.0, 2.0], [3.0, 3.0]]]
    handle.remove()
    (x * y).sum().backward()
    assert len(seen) == 1


def test_multi_grad_hook_all_gives_none_for_what_is_not_reached(torch):
    x, y = leaf(torch, 2), leaf(torch, 2)
    seen = []
    torch.autograd.graph.register_multi_grad_hook(
        (x, y), lambda grads: seen.append([g is None for g in grads])
    )
    (x * 2).sum().backward()
    assert seen == [[False, True]]


def test_multi_grad_hook_on_intermediates(torch):
    x = leaf(torch, 2)
    a, b = x * 2, x * 3
    seen = []
    torch.autograd.graph.register_multi_grad_hook((a, b), lambda grads: seen.append(len(grads)))
    (a * b).sum().backward()
    assert seen == [2]


def test_multi_grad_hook_any_runs_once_with_the_first(torch):
    x = leaf(torch, 2)
    a, b = x * 2, x * 3
    seen = []
    torch.autograd.graph.register_multi_grad_hook((a, b), lambda g: seen.append(g.tolist()), mode="any")
    out = (a * 10 + b * 20).sum()
    out.backward(retain_graph=True)
    assert seen == [[20.0, 20.0]]  # b is newer, so its gradient arrives first
    out.backward()
    assert len(seen) == 2


def test_multi_grad_hook_mode(torch, fails):
    with fails(ValueError, "Expects mode to be one of ('all', 'any') but got foo"):
        torch.autograd.graph.register_multi_grad_hook([leaf(torch, 2)], lambda g: g, mode="foo")


# allow_mutation_on_saved_tensors


def test_mutation_of_saved_tensors_is_allowed_inside(torch):
    x = torch.tensor([2.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        h = x * 1
        y = h * h
        h.add_(10)
        y.sum().backward()
    assert x.grad.item() == 4.0


def test_mutation_of_a_result_that_was_saved(torch):
    x = torch.tensor([0.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = (x * 1).exp()
        y.mul_(5)
        y.sum().backward()
    assert x.grad.item() == 5.0


def test_mutation_through_a_view_and_by_index(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        h = x * 1
        y = h.square()
        h.view(2, 1).zero_()
        h[0] = 7.0
        y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_mutation_contexts_do_not_nest(torch, fails):
    allow = torch.autograd.graph.allow_mutation_on_saved_tensors
    with fails(RuntimeError, "allow_mutation_on_saved_tensors contexts cannot be nested"):
        with allow(), allow():
            pass


def test_backward_outside_the_mutation_context(torch, fails):
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        h = leaf(torch, 1) * 1
        y = h * h
        h.add_(1)
    with fails(AssertionError, "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"):
        y.sum().backward()


# increment_version


def test_increment_version(torch):
    a, b = torch.ones(2), torch.ones(2)
    torch.autograd.graph.increment_version(a)
    torch.autograd.graph.increment_version([a, b])
    assert (a._version, b._version) == (2, 1)


def test_incremented_version_is_noticed_by_backward(torch, fails):
    w = torch.ones(2)
    y = leaf(torch, 2) * w
    torch.autograd.graph.increment_version(w)
    with fails(
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace operation: ",
    ):
        y.sum().backward()


def test_increment_version_takes_tensors(torch, fails):
    with fails(RuntimeError, "increment_version expect a Iterable[Tensor] as input"):
        torch.autograd.graph.increment_version(5)
