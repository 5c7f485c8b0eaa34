"""Grad modes as blocks, as decorators and per thread; what requires grad and what is detached."""

import threading

import pytest


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def test_no_grad_records_nothing(torch):
    x = leaf(torch, 2)
    with torch.no_grad():
        y = x * 2
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    assert not y.requires_grad and y.grad_fn is None and y.is_leaf


def test_enable_grad_within_no_grad(torch):
    x = leaf(torch, 2)
    with torch.no_grad(), torch.enable_grad():
        y = x * 2
    assert y.requires_grad


def test_leaves_made_under_no_grad_may_require_grad(torch):
    with torch.no_grad():
        x = leaf(torch, 2)
        parameter = torch.nn.Parameter(torch.ones(2))
    assert x.requires_grad and parameter.requires_grad


def test_set_grad_enabled_acts_at_once_and_as_a_block(torch):
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_modes_are_restored_after_an_exception(torch):
    with pytest.raises(KeyError), torch.no_grad():
        raise KeyError
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("with_call", [True, False])
def test_no_grad_decorates_with_and_without_call(torch, with_call):
    decorator = torch.no_grad() if with_call else torch.no_grad

    @decorator
    def f(x):
        """Doc."""
        return x * 2, torch.is_grad_enabled()

    y, mode = f(leaf(torch, 2))
    assert not y.requires_grad and mode is False and torch.is_grad_enabled()
    assert f.__name__ == "f" and f.__doc__ == "Doc."


def test_enable_grad_decorates(torch):
    @torch.enable_grad()
    def f(x):
        return x * 2

    with torch.no_grad():
        assert f(leaf(torch, 2)).requires_grad
        assert not torch.is_grad_enabled()


def test_set_grad_enabled_decorates_without_acting_at_once(torch):
    @torch.set_grad_enabled(False)
    def f(x):
        return x * 2

    assert torch.is_grad_enabled()
    assert not f(leaf(torch, 2)).requires_grad
    assert torch.is_grad_enabled()


def test_decorator_is_reentrant(torch):
    @torch.no_grad()
    def f(depth):
        return torch.is_grad_enabled() if depth == 0 else f(depth - 1)

    assert f(3) is False and torch.is_grad_enabled()


def test_decorator_restores_after_an_exception(torch):
    @torch.no_grad()
    def f():
        raise KeyError

    with pytest.raises(KeyError):
        f()
    assert torch.is_grad_enabled()


def test_decorated_generator_runs_in_its_mode_and_the_caller_in_his(torch):
    @torch.no_grad()
    def numbers():
        for i in range(3):
            yield i, torch.is_grad_enabled()

    seen = []
    for i, inside in numbers():
        seen.append((i, inside, torch.is_grad_enabled()))
    assert seen == [(0, False, True), (1, False, True), (2, False, True)]


def test_decorated_generator_sends_throws_and_returns(torch):
    log = []

    @torch.no_grad()
    def talker():
        try:
            got = yield "first"
            log.append((got, torch.is_grad_enabled()))
            yield "second"
        except KeyError:
            log.append(("caught", torch.is_grad_enabled()))
            yield "third"
        return "result"

    g = talker()
    assert next(g) == "first"
    assert g.send("hello") == "second"
    assert g.throw(KeyError()) == "third"
    with pytest.raises(StopIteration) as info:
        next(g)
    assert info.value.value == "result"
    assert log == [("hello", False), ("caught", False)] and torch.is_grad_enabled()


def test_decorated_generator_can_be_closed(torch):
    log = []

    @torch.no_grad()
    def g():
        try:
            yield 1
        finally:
            log.append(torch.is_grad_enabled())

    it = g()
    next(it)
    it.close()
    assert log == [False] and torch.is_grad_enabled()


def test_every_thread_has_its_own_mode(torch):
    seen = {}

    def work():
        seen["at start"] = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        seen["after"] = torch.is_grad_enabled()

    with torch.no_grad():
        t = threading.Thread(target=work)
        t.start()
        t.join()
        assert not torch.is_grad_enabled()
    assert seen == {"at start": True, "after": False}
    assert torch.is_grad_enabled()


def test_a_block_object_may_be_used_twice(torch):
    block = torch.no_grad()
    for _ in range(2):
        with block:
            assert not torch.is_grad_enabled()
        assert torch.is_grad_enabled()


def test_in_place_on_a_leaf_under_no_grad(torch):
    x = leaf(torch, 2)
    with torch.no_grad():
        x.add_(1)
        x[0] = 5.0
    assert x.tolist() == [5.0, 2.0] and x.requires_grad and x.is_leaf and x._version == 2


def test_requires_grad_of_in_place_under_no_grad_is_kept(torch):
    x = leaf(torch, 2)
    y = x * 2
    node = y.grad_fn
    with torch.no_grad():
        y.add_(x)
    assert y.requires_grad and y.grad_fn is node


def test_the_modes_are_in_autograd_too(torch):
    for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode"):
        assert getattr(torch.autograd, name) is getattr(torch, name)


# requires_grad, is_leaf, detach


def test_leaf_rules(torch):
    x = leaf(torch, 2)
    assert x.is_leaf and torch.ones(2).is_leaf and x.detach().is_leaf
    assert not (x * 2).is_leaf and not x.view(2).is_leaf


def test_integer_results_require_no_grad(torch):
    x = leaf(torch, 3)
    for y in (x.argmax(), x > 0, x.long(), x == x, x.sort()[1], torch.zeros_like(x), torch.isnan(x)):
        assert not y.requires_grad and y.grad_fn is None


def test_requires_grad_cannot_be_switched_off_on_a_non_leaf(torch, fails):
    y = leaf(torch, 2) * 2
    sentence = (
        "you can only change requires_grad flags of leaf variables. If you want to use a computed "
        "variable in a "
        "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
    )
    with fails(RuntimeError, sentence):
        y.requires_grad = False
    with fails(RuntimeError, sentence):
        y.requires_grad_(False)


def test_requires_grad_setter_refuses_true_on_a_non_leaf_but_the_method_passes(torch, fails):
    y = leaf(torch, 2) * 2
    with fails(RuntimeError, "you can only change requires_grad flags of leaf variables."):
        y.requires_grad = True
    assert y.requires_grad_() is y


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool"])
def test_integers_cannot_require_grad(torch, fails, dtype):
    dtype = getattr(torch, dtype)
    with fails(RuntimeError, "Only Tensors of floating point and complex dtype can require gradients"):
        torch.ones(2, dtype=dtype, requires_grad=True)
    x = torch.ones(2, dtype=dtype)
    with fails(RuntimeError, "only Tensors of floating point and complex dtype can require gradients"):
        x.requires_grad = True
    with fails(RuntimeError, "only Tensors of floating point dtype can require gradients"):
        x.requires_grad_()


def test_variable_of_old_programs_is_a_tensor(torch):
    x = torch.autograd.Variable(torch.ones(2), requires_grad=True)
    (x * 2).sum().backward()
    assert (
        isinstance(x, torch.Tensor)
        and isinstance(x, torch.autograd.Variable)
        and x.grad.tolist() == [2.0, 2.0]
    )


def test_detach_shares_memory_and_version(torch):
    x = leaf(torch, 2)
    y = x * 1
    d = y.detach()
    assert not d.requires_grad and d.is_leaf and d.data_ptr() == y.data_ptr()
    d.add_(1)
    assert y.tolist() == [2.0, 2.0] and y._version == d._version == 1


def test_data_shares_memory_but_not_the_version(torch):
    y = leaf(torch, 2) * 1
    d = y.data
    d.add_(1)
    assert y.tolist() == [2.0, 2.0] and y._version == 0 and d._version == 1


def test_assigning_data_replaces_the_memory_and_keeps_the_graph(torch):
    x = leaf(torch, 2)
    x.data = torch.tensor([3.0, 4.0])
    assert x.is_leaf and x.requires_grad and x.tolist() == [3.0, 4.0]
    (x * x).sum().backward()
    assert x.grad.tolist() == [6.0, 8.0]


def test_detach_in_place_cuts_the_graph(torch):
    x = leaf(torch, 2)
    y = x * 2
    assert y.detach_() is y
    assert y.is_leaf and not y.requires_grad and y.grad_fn is None


def test_detach_in_place_refuses_views(torch, fails):
    y = (leaf(torch, 2) * 2).view(2, 1)
    with fails(RuntimeError, "Can't detach views in-place. Use detach() instead."):
        y.detach_()


def test_numpy_of_what_requires_grad(torch, fails):
    with fails(
        RuntimeError, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    ):
        leaf(torch, 2).numpy()


# inference_mode


def test_inference_mode_records_nothing_and_marks_its_tensors(torch):
    x = leaf(torch, 2)
    with torch.inference_mode():
        y = x * 2
        assert torch.is_inference_mode_enabled() and not torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled() and torch.is_grad_enabled()
    assert y.is_inference() and not y.requires_grad and not x.is_inference()


def test_inference_mode_false_switches_it_off(torch):
    x = leaf(torch, 2)
    with torch.inference_mode(), torch.inference_mode(False):
        y = x * 2
    assert not y.is_inference() and y.requires_grad


def test_inference_mode_decorates(torch):
    @torch.inference_mode()
    def f(x):
        return x * 2

    assert f(leaf(torch, 2)).is_inference()


def test_views_and_detached_inference_tensors_stay_inference_and_clones_do_not(torch):
    with torch.inference_mode():
        y = torch.ones(2)
    assert y.view(2).is_inference() and y.detach().is_inference() and not y.clone().is_inference()


def test_saving_an_inference_tensor(torch, fails):
    with torch.inference_mode():
        y = torch.ones(2)
    with fails(RuntimeError, "Inference tensors cannot be saved for backward."):
        y * leaf(torch, 2)


def test_adding_an_inference_tensor_saves_nothing_and_works(torch):
    with torch.inference_mode():
        y = torch.ones(2)
    x = leaf(torch, 2)
    (x + y).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_in_place_on_an_inference_tensor_outside(torch, fails):
    with torch.inference_mode():
        y = torch.ones(2)
        y.add_(1)
    with fails(RuntimeError, "Inplace update to inference tensor outside InferenceMode is not allowed."):
        y.add_(1)


def test_requires_grad_of_an_inference_tensor(torch, fails):
    with torch.inference_mode():
        y = torch.ones(2)
    with fails(
        RuntimeError, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
    ):
        y.requires_grad_()


def test_inference_tensors_have_no_version(torch, fails):
    with torch.inference_mode():
        y = torch.ones(2)
    with fails(RuntimeError, "Inference tensors do not track version counter."):
        y._version


def test_a_normal_tensor_changed_in_inference_mode_counts_its_version(torch):
    y = leaf(torch, 2) * 2
    with torch.inference_mode():
        y.add_(1)
    assert y._version == 1 and y.requires_grad


def test_a_view_made_in_inference_mode_cannot_be_changed_outside(torch, fails):
    x = leaf(torch, 2).clone()
    with torch.inference_mode():
        v = x.view(2)
    with fails(
        RuntimeError, "A view was created in inference mode and is being modified inplace in normal mode."
    ):
        v.add_(1)
