"""Hooks: on tensors, on nodes, after accumulation; their order, their handles, their refusals."""

import weakref

import pytest


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def test_hook_sees_and_changes_the_gradient(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    assert x.grad.tolist() == [20.0, 20.0]


def test_hook_on_a_leaf(torch):
    x = leaf(torch, 2)
    x.register_hook(lambda g: g + 1)
    x.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_hook_returning_none_changes_nothing(torch):
    x = leaf(torch, 2)
    x.register_hook(lambda g: None)
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_hooks_run_in_order_of_registration_each_on_the_result_of_the_last(torch):
    x = leaf(torch, 1)
    x.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: g * 10)
    x.sum().backward()
    assert x.grad.item() == 20.0


def test_hook_runs_once_on_the_sum(torch):
    x = leaf(torch, 2)
    y = x + 1
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    (y * 2 + y * 3).sum().backward()
    assert seen == [[5.0, 5.0]]


def test_hook_runs_in_autograd_grad_too(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.register_hook(lambda g: g * 5)
    x.register_hook(lambda g: g + 1)
    assert torch.autograd.grad(y.sum(), y)[0].tolist() == [5.0, 5.0]
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [11.0, 11.0]


def test_grad_of_a_tensor_on_the_way_to_another_input_is_taken_before_its_hooks(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.register_hook(lambda g: g * 5)
    gy, gx = torch.autograd.grad(
        y.sum(), (y, x)
    )  # PyTorch's choice: captured raw where the node runs afterwards
    assert gy.tolist() == [1.0, 1.0] and gx.tolist() == [10.0, 10.0]


def test_hook_works_though_the_tensor_is_gone(torch):
    x = leaf(torch, 2)
    seen = []

    def build():
        y = x * 2
        y.register_hook(lambda g: seen.append(1))
        return y.sum()

    build().backward()
    assert seen == [1]


def test_hook_on_a_tensor_that_is_not_used(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.register_hook(lambda g: pytest.fail("must not run"))
    x.sum().backward()


def test_handle_remove_is_idempotent(torch):
    x = leaf(torch, 2)
    handle = x.register_hook(lambda g: g * 0)
    handle.remove()
    handle.remove()
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_handle_is_a_context_manager(torch):
    x = leaf(torch, 2)
    with x.register_hook(lambda g: g * 3):
        x.sum().backward()
    x.sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_removed_hook_does_not_run_on_a_kept_graph(torch):
    x = leaf(torch, 2)
    y = x * 2
    handle = y.register_hook(lambda g: g * 0)
    out = y.sum()
    out.backward(retain_graph=True)
    handle.remove()
    out.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_hook_removes_itself_while_running(torch):
    x = leaf(torch, 2)
    calls = []

    def once(g):
        handle.remove()
        calls.append("once")

    handle = x.register_hook(once)
    x.register_hook(lambda g: calls.append("other"))
    x.sum().backward()
    x.sum().backward()
    assert calls == ["once", "other", "other"]


def test_handles_have_different_ids_and_survive_others_removal(torch):
    x = leaf(torch, 1)
    calls = []
    handles = [x.register_hook(lambda g, i=i: calls.append(i)) for i in range(3)]
    handles[1].remove()
    x.sum().backward()
    assert calls == [0, 2]


# Refusals


def test_hook_without_grad(torch, fails):
    with fails(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"):
        torch.ones(2).register_hook(lambda g: g)


@pytest.mark.parametrize(
    "value, kind, sentence",
    [
        (lambda t: t.ones(5), RuntimeError, "hook 'answer' has changed the size of value"),
        (
            lambda t: t.ones(2, dtype=t.float64),
            RuntimeError,
            "hook 'answer' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)",
        ),
        (lambda t: 5, TypeError, "expected Variable, but hook returned 'int'"),
    ],
)
def test_what_a_tensor_hook_may_not_return(torch, fails, value, kind, sentence):
    x = leaf(torch, 2)
    y = x * 1

    def answer(g):
        return value(torch)

    y.register_hook(answer)
    with fails(kind, sentence):
        y.sum().backward()
    assert x.grad is None


def test_an_error_in_a_hook_keeps_its_type(torch):
    class Boom(Exception):
        pass

    def boom(g):
        raise Boom("here")

    x = leaf(torch, 2)
    x.register_hook(boom)
    with pytest.raises(Boom, match="here"):
        x.sum().backward()
    assert x.grad is None


# Hooks and in-place


def test_hook_before_an_in_place_op_belongs_to_the_old_value(torch):
    x = leaf(torch, 1)
    y = x.clone()
    seen = []
    y.register_hook(lambda g: seen.append(("before", g.item())))
    y.mul_(2)
    y.register_hook(lambda g: seen.append(("after", g.item())))
    (y * 3).sum().backward()
    assert seen == [("after", 3.0), ("before", 6.0)]


def test_in_place_inside_a_hook_on_the_gradient_is_seen(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.register_hook(lambda g: g.clone().mul_(3))
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


# Nodes


def test_node_post_hook_sees_gradients_of_inputs_and_outputs(torch):
    x = leaf(torch, 2)
    y = x * 3
    seen = []
    y.grad_fn.register_hook(lambda gi, go: seen.append((gi, go)))
    y.sum().backward()
    ((inputs, outputs),) = seen
    assert type(inputs) is tuple and inputs[0].tolist() == [3.0, 3.0] and inputs[1] is None
    assert type(outputs) is tuple and outputs[0].tolist() == [1.0, 1.0] and len(outputs) == 1


def test_node_post_hook_replaces_gradients_of_inputs(torch):
    x = leaf(torch, 2)
    y = x * 1
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 7, None))
    y.sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]


def test_node_prehook_sees_and_replaces_gradients_of_outputs(torch):
    x = leaf(torch, 2)
    y = x * 2
    seen = []

    def hook(grads):
        seen.append([g.tolist() for g in grads])
        return (grads[0] * 5,)

    y.grad_fn.register_prehook(hook)
    y.sum().backward()
    assert seen == [[[1.0, 1.0]]] and x.grad.tolist() == [10.0, 10.0]


def test_node_hooks_can_be_removed(torch):
    x = leaf(torch, 2)
    y = x * 1
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 0, None)).remove()
    y.grad_fn.register_prehook(lambda go: (go[0] * 0,)).remove()
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "answer, kind, sentence",
    [
        (lambda t: t.ones(2), TypeError, "expected tuple, but hook returned 'Tensor'"),
        (
            lambda t: (t.ones(2),),
            RuntimeError,
            "hook 'hook' has returned an incorrect number of values (got 1, but expected 2)",
        ),
        (lambda t: (t.ones(3), None), RuntimeError, "hook 'hook' has changed the size of value"),
        (lambda t: (5, None), TypeError, "expected Variable, but hook returned 'int'"),
    ],
)
def test_what_a_node_post_hook_may_not_return(torch, fails, answer, kind, sentence):
    x = leaf(torch, 2)
    y = x * 1

    def hook(gi, go):
        return answer(torch)

    y.grad_fn.register_hook(hook)
    with fails(kind, sentence):
        y.sum().backward()


@pytest.mark.parametrize(
    "answer, kind, sentence",
    [
        (lambda t: t.ones(2), TypeError, "expected tuple, but hook returned 'Tensor'"),
        (
            lambda t: (t.ones(2), None),
            RuntimeError,
            "hook 'hook' has returned an incorrect number of values (got 2, but expected 1)",
        ),
    ],
)
def test_what_a_node_prehook_may_not_return(torch, fails, answer, kind, sentence):
    y = leaf(torch, 2) * 1

    def hook(go):
        return answer(torch)

    y.grad_fn.register_prehook(hook)
    with fails(kind, sentence):
        y.sum().backward()


def test_hooks_on_an_accumulator(torch):
    x = leaf(torch, 2)
    accumulator = (x * 1).grad_fn.next_functions[0][0]
    log = []
    accumulator.register_prehook(lambda go: log.append(("pre", go[0].tolist(), x.grad)))
    accumulator.register_hook(lambda gi, go: log.append(("post", gi, x.grad.tolist())))
    x.sum().backward()
    assert log == [("pre", [1.0, 1.0], None), ("post", (), [1.0, 1.0])]


def test_hook_of_a_sibling_output_is_called_with_none(torch):
    x = leaf(torch, 2)
    p, q = (x * 2).unbind()
    seen = []
    q.register_hook(seen.append)
    p.backward()
    assert seen == [None]


# The order


def test_order_at_an_intermediate(torch):
    x = leaf(torch, 1)
    y = x * 2
    order = []

    def note(name, value=None):
        order.append((name, y.grad is not None))
        return value

    y.retain_grad()
    y.grad_fn.register_hook(lambda gi, go: note("node post"))
    y.grad_fn.register_prehook(lambda go: note("node pre"))
    y.register_hook(lambda g: note("tensor 1", g * 2))
    y.register_hook(lambda g: note("tensor 2", g * 3))
    x.register_hook(lambda g: note("leaf"))
    x.register_post_accumulate_grad_hook(lambda p: note("accumulated"))
    y.sum().backward()
    assert order == [
        ("tensor 1", False),
        ("tensor 2", False),
        ("node pre", True),
        ("node post", True),
        ("leaf", True),
        ("accumulated", True),
    ]
    assert y.grad.item() == 6.0 and x.grad.item() == 12.0


def test_retain_grad_is_last_whenever_it_was_registered(torch):
    x = leaf(torch, 1)
    for early in (True, False):
        y = x * 1
        if early:
            y.retain_grad()
        y.register_hook(lambda g: g * 2)
        if not early:
            y.retain_grad()
        y.sum().backward()
        assert y.grad.item() == 2.0


# After accumulation


def test_post_accumulate_hook_gets_the_parameter_with_its_grad(torch):
    x = leaf(torch, 2)
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append((p is x, p.grad.tolist())))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert seen == [(True, [2.0, 2.0]), (True, [4.0, 4.0])]


def test_post_accumulate_hook_may_free_the_grad(torch):
    x = leaf(torch, 2)

    def step(p):
        with torch.no_grad():
            p.sub_(p.grad)
        p.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 0.5).sum().backward()
    assert x.grad is None and x.tolist() == [0.5, 0.5]


def test_post_accumulate_hook_does_not_run_in_autograd_grad(torch):
    x = leaf(torch, 2)
    x.register_post_accumulate_grad_hook(lambda p: pytest.fail("must not run"))
    torch.autograd.grad(x.sum(), x)


def test_post_accumulate_hook_can_be_removed(torch):
    x = leaf(torch, 2)
    x.register_post_accumulate_grad_hook(lambda p: pytest.fail("must not run")).remove()
    x.sum().backward()


def test_post_accumulate_hook_only_on_leaves(torch, fails):
    with fails(RuntimeError, "post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (leaf(torch, 2) * 2).register_post_accumulate_grad_hook(lambda p: None)
    with fails(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"):
        torch.ones(2).register_post_accumulate_grad_hook(lambda p: None)


# Memory


def test_hook_lives_with_the_graph_and_dies_with_it(torch, no_gc):
    class Witness:
        def __call__(self, g):
            return None

    x = leaf(torch, 2)
    y = x * 2
    witness = Witness()
    ref = weakref.ref(witness)
    y.register_hook(witness)
    out = y.sum()
    del witness, y
    assert ref() is not None
    out.backward()
    del out
    assert ref() is None


def test_removing_a_hook_lets_it_go(torch, no_gc):
    class Witness:
        def __call__(self, g):
            return None

    x = leaf(torch, 2)
    witness = Witness()
    ref = weakref.ref(witness)
    handle = x.register_hook(witness)
    del witness
    handle.remove()
    assert ref() is None
