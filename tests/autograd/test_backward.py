"""`backward` and `autograd.grad`: arguments, results and refusals."""

import pytest

SECOND = (
    "Trying to backward through the graph a second time "
    "(or directly access saved tensors after they have already been freed)."
)


def ones(torch, *shape, **options):
    return torch.ones(*shape, requires_grad=True, **options)


def test_gradient_seeds_a_non_scalar(torch):
    x = ones(torch, 3)
    (x * 2).backward(torch.tensor([1.0, 2.0, 3.0]))
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_one_element_of_any_rank_needs_no_seed(torch):
    x = ones(torch, 1, 1)
    (x * 2).backward()
    assert x.grad.tolist() == [[2.0]]


def test_non_scalar_without_gradient(torch, fails):
    with fails(RuntimeError, "grad can be implicitly created only for scalar outputs"):
        (ones(torch, 2, 3) * 2).backward()


def test_backward_of_what_needs_no_grad(torch, fails):
    with fails(RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.ones(()).backward()


def test_the_element_without_grad_is_named(torch, fails):
    with fails(RuntimeError, "element 1 of tensors does not require grad and does not have a grad_fn"):
        torch.autograd.backward([ones(torch, 1).sum(), torch.ones(())])


def test_seed_of_wrong_shape(torch, fails):
    x = ones(torch, 2)
    with fails(
        RuntimeError,
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) "
        "and output[0] has a shape of torch.Size([]).",
    ):
        x.sum().backward(torch.ones(2))
    assert x.grad is None


def test_seed_of_wrong_type(torch, fails):
    with fails(TypeError, "gradients can be either Tensors or None, but got str"):
        ones(torch, 2).backward("x")


def test_number_of_seeds(torch, fails):
    a, b = ones(torch, 2).sum(), ones(torch, 2).sum()
    with fails(RuntimeError, "got 2 tensors and 1 gradients"):
        torch.autograd.backward([a, b], [torch.ones(())])


def test_several_roots_at_once(torch):
    x = ones(torch, 2)
    torch.autograd.backward([(x * 2).sum(), x * 3], [None, torch.ones(2)])
    assert x.grad.tolist() == [5.0, 5.0]


def test_backward_of_nothing_is_nothing(torch):
    assert torch.autograd.backward([]) is None


def test_second_backward_is_refused_and_leaves_grad_alone(torch, fails):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    with fails(RuntimeError, SECOND):
        y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_graph_that_saves_nothing_may_be_walked_again(torch):
    x = ones(torch, 2)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_retain_graph_allows_a_second(torch, fails):
    x = torch.tensor([3.0], requires_grad=True)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [12.0]
    with fails(RuntimeError, SECOND):
        y.backward()


def test_retain_graph_false_wins_over_create_graph(torch, fails, quiet):
    x = torch.tensor([3.0], requires_grad=True)
    y = x * x
    torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    with fails(RuntimeError, SECOND):
        torch.autograd.grad(y, x)


def test_create_graph_implies_retain_graph(torch):
    x = torch.tensor([3.0], requires_grad=True)
    y = x * x
    torch.autograd.grad(y, x, create_graph=True)
    assert torch.autograd.grad(y, x)[0].tolist() == [6.0]


def test_sharing_a_freed_piece_is_refused(torch, fails):
    x = ones(torch, 2)
    shared = x.exp()
    (shared * 2).sum().backward()
    with fails(RuntimeError, SECOND):
        (shared * 3).sum().backward()


def test_create_graph_gives_derivatives_of_every_order(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x**4
    values = []
    for _ in range(4):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        values.append(y.item())
    assert values == [32.0, 48.0, 48.0, 24.0]


def test_create_graph_in_backward_warns_of_the_cycle(fresh_process):
    out = fresh_process(
        "import warnings\n"
        "x = torch.ones(1, requires_grad=True)\n"
        "with warnings.catch_warnings(record=True) as w:\n"
        "    warnings.simplefilter('always')\n"
        "    torch.autograd.grad((x * x).sum(), x, create_graph=True)\n"
        "    print(len(w))\n"
        "    (x * x).sum().backward(create_graph=True)\n"
        "    print(str(w[0].message)[:57])\n"
    )
    assert out.splitlines() == ["0", "Using backward() with create_graph=True will create a ref"]


def test_backward_runs_without_recording(torch):
    x = ones(torch, 2)
    modes = []
    y = x * 1
    y.register_hook(lambda g: modes.append((torch.is_grad_enabled(), g.requires_grad)))
    y.sum().backward()
    assert modes == [(False, False)]


def test_create_graph_runs_rules_with_recording(torch):
    x = ones(torch, 2)
    modes = []
    y = x * x
    y.register_hook(lambda g: modes.append(torch.is_grad_enabled()))
    torch.autograd.grad(y.sum(), x, create_graph=True)
    assert modes == [True]


def test_backward_works_under_no_grad(torch):
    x = ones(torch, 2)
    y = (x * x).sum()
    with torch.no_grad():
        y.backward()
    assert x.grad.tolist() == [2.0, 2.0] and torch.is_grad_enabled()


def test_backward_restores_the_grad_mode_after_an_error(torch):
    x = ones(torch, 2)
    y = x * 1

    def explode(g):
        raise KeyError("hook")

    y.register_hook(explode)
    with pytest.raises(KeyError):
        y.sum().backward()
    assert torch.is_grad_enabled() and x.grad is None


# inputs=


def test_inputs_restrict_accumulation(torch):
    x, y = ones(torch, 2), ones(torch, 2)
    (x * y).sum().backward(inputs=[x])
    assert x.grad.tolist() == [1.0, 1.0] and y.grad is None


def test_inputs_may_be_one_tensor(torch):
    x, y = ones(torch, 2), ones(torch, 2)
    (x * y).sum().backward(inputs=y)
    assert x.grad is None and y.grad.tolist() == [1.0, 1.0]


def test_inputs_may_be_non_leaves(torch):
    x = ones(torch, 2)
    y = x * 2
    (y * 3).sum().backward(inputs=[y])
    assert y.grad.tolist() == [3.0, 3.0] and x.grad is None and y.retains_grad


def test_inputs_unreachable_are_left_alone(torch):
    x, y = ones(torch, 2), ones(torch, 2)
    x.sum().backward(inputs=[x, y])
    assert x.grad.tolist() == [1.0, 1.0] and y.grad is None


def test_inputs_leaf_and_intermediate_together(torch):
    x = ones(torch, 2)
    y = x * 2
    (y * y).sum().backward(inputs=[x, y])
    assert y.grad.tolist() == [4.0, 4.0] and x.grad.tolist() == [8.0, 8.0]


def test_inputs_empty(torch, fails):
    with fails(RuntimeError, "`inputs` argument to `backward()` cannot be empty."):
        ones(torch, 2).sum().backward(inputs=[])


def test_inputs_without_grad(torch, fails):
    with fails(RuntimeError):
        ones(torch, 2).sum().backward(inputs=[torch.ones(2)])


def test_inputs_accumulate_into_an_existing_grad(torch):
    x = ones(torch, 2)
    y = x + 1
    for _ in range(2):
        y.sum().backward(inputs=[y])
    assert y.grad.tolist() == [2.0, 2.0]


def test_nodes_off_the_way_to_inputs_do_not_run(torch):
    x, w = ones(torch, 2), ones(torch, 2)
    ran = []
    side = w.exp()
    side.register_hook(lambda g: ran.append(1))
    (x * side).sum().backward(inputs=[x])
    assert ran == [] and w.grad is None


# autograd.grad


def test_grad_returns_and_does_not_accumulate(torch):
    x = ones(torch, 2)
    (g,) = torch.autograd.grad((x * 3).sum(), x)
    assert g.tolist() == [3.0, 3.0] and x.grad is None and not g.requires_grad


def test_grad_returns_a_tuple_in_the_order_of_inputs(torch):
    x, y = ones(torch, 2), ones(torch, 2)
    result = torch.autograd.grad((x * 2 + y * 3).sum(), [y, x])
    assert type(result) is tuple
    assert [g.tolist() for g in result] == [[3.0, 3.0], [2.0, 2.0]]


def test_grad_of_an_intermediate(torch):
    x = ones(torch, 2)
    y = x * 2
    gy, gx = torch.autograd.grad((y * y).sum(), (y, x))
    assert gy.tolist() == [4.0, 4.0] and gx.tolist() == [8.0, 8.0]


def test_grad_of_a_root_with_respect_to_itself(torch):
    y = (ones(torch, 2) * 2).sum()
    assert torch.autograd.grad(y, y)[0].item() == 1.0


def test_grad_with_the_same_input_twice(torch):
    x = ones(torch, 2)
    a, b = torch.autograd.grad((x * 2).sum(), (x, x))
    assert a.tolist() == b.tolist() == [2.0, 2.0]


def test_grad_with_several_outputs(torch):
    x = ones(torch, 2)
    (g,) = torch.autograd.grad([x * 2, x * 3], x, [torch.ones(2), torch.tensor([0.0, 1.0])])
    assert g.tolist() == [2.0, 5.0]


def test_unused_input_is_named(torch, fails):
    x, y = ones(torch, 2), ones(torch, 2)
    with fails(
        RuntimeError,
        "The differentiated Tensor at index 1 appears to not have been used in the graph. "
        "Set allow_unused=True if this is the desired behavior.",
    ):
        torch.autograd.grad(x.sum(), [x, y])


def test_allow_unused_gives_none(torch):
    x, y = ones(torch, 2), ones(torch, 2)
    assert torch.autograd.grad(x.sum(), [x, y], allow_unused=True)[1] is None


def test_materialize_grads_gives_zeros(torch):
    x, y = ones(torch, 2), ones(torch, 3, dtype=torch.float64)
    g = torch.autograd.grad(x.sum(), [x, y], materialize_grads=True)[1]
    assert g.tolist() == [0.0, 0.0, 0.0] and g.dtype == torch.float64


def test_materialize_grads_contradicts_allow_unused_false(torch, fails):
    x = ones(torch, 2)
    with fails(
        ValueError,
        "Expected allow_unused to be True or not passed when materialize_grads=True, "
        "but got: allow_unused=False.",
    ):
        torch.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True)


def test_grad_input_without_requires_grad(torch, fails):
    x = ones(torch, 2)
    with fails(RuntimeError, "One of the differentiated Tensors does not require grad"):
        torch.autograd.grad(x.sum(), [x, torch.ones(2)])


def test_grad_without_inputs(torch, fails):
    with fails(RuntimeError, "`inputs` argument to `grad()` cannot be empty."):
        torch.autograd.grad((ones(torch, 2) * 2).sum(), [])


def test_grad_of_a_non_scalar(torch, fails):
    x = ones(torch, 2)
    with fails(RuntimeError, "grad can be implicitly created only for scalar outputs"):
        torch.autograd.grad(x * 2, x)


def test_batched_grads(torch):
    x = ones(torch, 2)
    y = x * torch.tensor([2.0, 3.0])
    (g,) = torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True)
    assert g.tolist() == [[2.0, 0.0], [0.0, 3.0]]


def test_batched_grads_of_a_non_linear_function(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = (x @ x).sum(0).tanh()
    seeds = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 2.0]])
    (g,) = torch.autograd.grad(y, x, seeds, retain_graph=True, is_grads_batched=True)
    one_by_one = torch.stack([torch.autograd.grad(y, x, s, retain_graph=True)[0] for s in seeds])
    assert g.shape == (3, 2, 2) and torch.allclose(g, one_by_one)


def test_batched_grads_of_wrong_shape(torch, fails):
    x = ones(torch, 2)
    with fails(
        RuntimeError,
        "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the "
        "batch dimension.",
    ):
        torch.autograd.grad(x * 2, x, torch.ones(2, 3, 2), is_grads_batched=True)


def test_grad_does_not_touch_leaf_grads_but_fills_retaining_intermediates(torch):
    x = ones(torch, 2)
    y = x * 2
    y.retain_grad()
    torch.autograd.grad((y * 3).sum(), x)
    assert x.grad is None and y.grad.tolist() == [3.0, 3.0]


def test_newest_node_runs_first(torch):
    x = ones(torch, 1)
    order = []
    first, second, third = x * 1, x * 2, x * 3
    for name, t in (("first", first), ("third", third), ("second", second)):
        t.grad_fn.register_hook(lambda gi, go, name=name: order.append(name))
    (first + third + second).sum().backward()
    assert order == ["third", "second", "first"]


def test_gradients_are_summed_before_they_go_on(torch):
    x = torch.tensor([1.5], requires_grad=True)
    h = x * 1
    arrivals = []
    h.register_hook(lambda g: arrivals.append(g.item()))
    (h * 2 + h.exp() * 0 + h * 5).backward()
    assert arrivals == [7.0]


def test_chain_of_diamonds_is_linear_in_time(torch):
    x = torch.tensor(1.0, requires_grad=True)
    h = x
    for _ in range(60):
        h = h + h
    h.backward()
    assert x.grad.item() == 2.0**60


def test_zero_element_tensors_flow(torch):
    x = ones(torch, 0, 3)
    (x * 2).sum().backward()
    assert x.grad.shape == (0, 3)


def test_rushlight_adds_a_line_that_helps(rushlight):
    x = rushlight.ones(2, requires_grad=True)
    y = x * x
    for call in (lambda: y.backward(), lambda: rushlight.ones(()).backward()):
        with pytest.raises(RuntimeError) as info:
            call()
        assert str(info.value).partition("\n")[2].strip()


def test_a_leaf_of_another_dtype_takes_part_in_second_derivatives(torch):
    """What was saved of it is its converted copy, which must lead back to it."""
    x = torch.full((3,), 2.0, dtype=torch.float64, requires_grad=True)
    w = torch.full((3,), 3.0, requires_grad=True)
    y = x * w * w
    first = torch.autograd.grad(y, [x, w], torch.ones_like(y), create_graph=True)
    assert [g.tolist() for g in first] == [[9.0] * 3, [12.0] * 3]
    second = torch.autograd.grad(first[0].sum() + first[1].sum(), [x, w])
    assert [g.tolist() for g in second] == [[6.0] * 3, [10.0] * 3]
    assert second[1].dtype is torch.float32
    z = torch.zeros(1, requires_grad=True)      # which is false, and led nowhere
    g, = torch.autograd.grad((x[:1] * z).sum(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), z)[0].tolist() == [1]
