"""What people reported about retained gradients and hooks (areas a and b of the reports), as tests.

Each test is named after the row of the table of reports that it answers. The other areas are in
`test_reports_graph.py` and `test_reports_numerics.py`.
"""

import copy
import gc
import warnings
import weakref

import pytest


def ones(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


# a. retain_grad, .grad of non-leaves, is_leaf, requires_grad


def test_R01_retaining_can_be_taken_back(rushlight, quiet):
    x = ones(rushlight, 2)
    h = x * 2
    h.retain_grad()
    h.retain_grad(False)
    assert not h.retains_grad
    h.sum().backward()
    with quiet():
        assert h.grad is None
    assert x.grad.tolist() == [2.0, 2.0]


def test_R01_retains_grad_is_read_only(torch):
    h = ones(torch, 2) * 2
    h.retain_grad()
    with pytest.raises(AttributeError):
        h.retains_grad = False
    assert h.retains_grad


def test_R01_a_scope_in_which_tensors_retain(rushlight, quiet):
    x = ones(rushlight, 2)
    y, z = x * 2, x * 3
    z.retain_grad()
    with rushlight.autograd.graph.retaining(x, y, z):
        assert y.retains_grad
        (y + z).sum().backward(retain_graph=True)
    assert y.grad.tolist() == [1.0, 1.0] and not y.retains_grad and z.retains_grad
    (y + z).sum().backward()
    with quiet():
        assert y.grad.tolist() == [1.0, 1.0] and z.grad.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="can't retain_grad"), rushlight.autograd.graph.retaining(w := x * 2, rushlight.ones(2)):
        pass
    assert not w.retains_grad


def test_R02_only_reading_grad_of_a_plain_intermediate_warns(torch, warned):
    x = ones(torch, 2)
    y = x * 2
    (text,) = warned(lambda: y.grad)
    assert "leaf" in text and "retain_grad" in text
    y.retain_grad()
    assert warned(lambda: (y.grad, x.grad, torch.ones(2).grad, y.detach().grad)) == []


def test_R02_training_never_trips_the_warning(torch, warned):
    def train():
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            out = model(torch.ones(1, 2))
            out.sum().backward()
            optimizer.step()
        repr(out), out.clone(), out.detach(), model.state_dict()

    assert warned(train) == []


def test_R02_the_warning_names_the_operator_and_the_users_line(rushlight):
    y = ones(rushlight, 2) * 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y.grad
    (warning,) = caught
    assert warning.filename == __file__ and "It was made by MulBackward0 at " + __file__ in str(warning.message)


def test_R03_retain_grad_on_a_leaf_does_not_double(torch):
    x = ones(torch, 2)
    x.retain_grad()
    (x * 3).sum().backward()
    assert not x.retains_grad and x.grad.tolist() == [3.0, 3.0]


def test_R04_a_retained_gradient_holds_accumulates_and_resets(torch):
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    h = (w + 1).pow(2)
    h.retain_grad()
    h.retain_grad()
    loss = (h * 3).sum()
    for expected in (3.0, 6.0):
        loss.backward(retain_graph=True)
        assert torch.equal(h.grad, torch.full((2, 2), expected))
    h.grad = None
    loss.backward()
    assert torch.equal(h.grad, torch.full((2, 2), 3.0))
    assert torch.equal(w.grad, 18 * (w.detach() + 1))


def test_R05_what_the_setters_refuse(torch, fails):
    with fails(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"):
        torch.ones(2).retain_grad()
    y = ones(torch, 2) * 2
    for value in (True, False):
        with fails(RuntimeError, "you can only change requires_grad flags of leaf variables."):
            y.requires_grad = value
    assert y.requires_grad_() is y
    with fails(RuntimeError, "you can only change requires_grad flags of leaf variables."):
        y.requires_grad_(False)


def test_R05_the_errors_say_how_to_get_what_was_wanted(rushlight, fails):
    with fails(RuntimeError, "can't retain_grad") as caught:
        rushlight.ones(2).retain_grad()
    assert "call requires_grad_() on what it is computed from" in str(caught.value)
    with fails(RuntimeError, "you can only change requires_grad flags") as caught:
        (ones(rushlight, 2) * 2).requires_grad = True
    assert "detach().requires_grad_()" in str(caught.value) and "MulBackward0 at " + __file__ in str(caught.value)


def test_R06_retained_is_the_newest_value_hooks_stay_with_theirs(torch):
    a = ones(torch, 1).clone()
    before, after = [], []
    a.register_hook(lambda g: before.append(g.item()))
    a.retain_grad()
    a.mul_(2)
    a.register_hook(lambda g: after.append(g.item()))
    assert a.retains_grad
    (a * 3).sum().backward()
    assert (a.grad.item(), before, after) == (3.0, [6.0], [3.0])


def test_R07_retained_view_of_a_base_that_is_written_stays_empty(torch):
    x = ones(torch, 4)
    base = x * 1
    v = base[:2]
    v.retain_grad()
    base.mul_(3)
    base.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0, 3.0] and v.grad is None


@pytest.mark.parametrize(
    "step",
    [
        lambda t, x: x.view(2, 1),
        lambda t, x: x.reshape(1, 2),
        lambda t, x: x * 0.01,
        lambda t, x: x.to(t.float64),
        lambda t, x: x.unsqueeze(0),
        lambda t, x: x[:],
        lambda t, x: x.flatten()[None],
    ],
)
def test_R08_a_rebound_name_is_a_non_leaf_and_the_leaf_has_the_gradient(torch, step):
    leaf = torch.tensor([0.25, 0.75], requires_grad=True)
    out = step(torch, leaf)
    assert not out.is_leaf and out.grad_fn is not None
    out.sum().backward()
    assert leaf.grad.shape == leaf.shape and leaf.grad.dtype == leaf.dtype


def test_R08_a_conversion_that_changes_nothing_keeps_the_leaf(torch):
    leaf = ones(torch, 2)
    assert leaf.to(torch.float32) is leaf and leaf.float() is leaf and leaf.cpu() is leaf
    v = torch.tensor([0.25, 0.75]).view(2, 1).requires_grad_()
    assert v.is_leaf


@pytest.mark.parametrize("retain_first", [True, False])
def test_R09_a_retained_gradient_is_what_hooks_left(torch, retain_first):
    y = ones(torch, 2) * 1
    steps = [lambda: y.retain_grad(), lambda: y.register_hook(lambda g: g * 4)]
    for step in steps if retain_first else reversed(steps):
        step()
    y.sum().backward()
    assert y.grad.tolist() == [4.0, 4.0]


def test_R10_retaining_makes_no_cycle(torch, no_gc):
    x = ones(torch, 3)
    for walk in (True, False):
        y = x * 2
        y.retain_grad()
        s = (y * y).sum()
        ref = weakref.ref(y)
        if walk:
            s.backward()
        del s, y
        assert ref() is None


def test_R11_hooks_fire_though_the_tensor_is_gone(torch):
    seen = []

    def build():
        h = ones(torch, 2) * 2
        h.register_hook(lambda g: seen.append(g.tolist()))
        return (h * 3).sum()

    build().backward()
    assert seen == [[3.0, 3.0]]


def test_R12_retaining_where_nothing_requires_grad_is_refused(torch, fails):
    h = torch.ones(2) * 2
    with fails(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"):
        h.retain_grad()


def test_R13_intermediate_gradients_are_freed_as_soon_as_used(torch, no_gc):
    refs, y = [], ones(torch, 2)
    for _ in range(6):
        y = y.sin()
        y.register_hook(lambda g: refs.append(weakref.ref(g)))
    y.sum().backward()
    assert len(refs) == 6 and all(r() is None for r in refs)


def test_R14_deepcopy_of_a_module_that_keeps_an_intermediate(torch, fails):
    class Keeps(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(2, 2)
            self.last = None

        def forward(self, x):
            self.last = self.lin(x)
            return self.last

    m = Keeps()
    m(torch.ones(1, 2)).sum().backward()
    with fails(
        RuntimeError,
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol",
    ):
        copy.deepcopy(m)
    m.last = m.last.detach()
    c = copy.deepcopy(m)
    assert (
        c.lin.weight is not m.lin.weight
        and torch.equal(c.lin.weight, m.lin.weight)
        and c.lin.weight.grad is None
    )


def test_R14_module_output_does_not_get_in_the_way_of_deepcopy(rushlight):
    m = rushlight.nn.Linear(2, 2)
    out = m(rushlight.ones(1, 2))
    out.retain_grad()
    out.sum().backward()
    assert m.output is out
    assert rushlight.equal(copy.deepcopy(m).weight, m.weight)


def test_R15_a_retaining_alias_that_the_loss_does_not_use_stays_none(torch):
    h = ones(torch, 2) * 2
    alias = h.reshape(2, 1)
    alias.retain_grad()
    h.sum().backward()
    assert alias.grad is None


def test_R16_hook_of_an_unused_sibling_is_called_with_none(torch):
    a = ones(torch, 2)
    p, q = (a * 2).unbind()
    seen = []
    q.register_hook(seen.append)
    q.retain_grad()
    p.backward()
    assert a.grad.tolist() == [2.0, 0.0] and q.grad is None and seen == [None]


def test_R16_hook_of_an_unused_view_is_not_called(torch):
    b = ones(torch, 2) * 2
    seen = []
    b[1].register_hook(seen.append)
    b[0].backward()
    assert seen == []


def test_R17_optimizers_refuse_non_leaves_unless_they_retain(torch, fails):
    y = ones(torch, 2) * 0.01
    with fails(ValueError, "can't optimize a non-leaf Tensor"):
        torch.optim.SGD([y], lr=0.1)
    y.retain_grad()
    torch.optim.SGD([y], lr=0.1)


def test_R17_the_error_names_the_operator(rushlight, fails):
    with fails(ValueError, "can't optimize a non-leaf Tensor\nIt was made by MulBackward0 at " + __file__):
        rushlight.optim.SGD([ones(rushlight, 2) * 0.01], lr=0.1)


def test_R19_a_fresh_view_has_no_gradient(torch, quiet):
    x = ones(torch, 2)
    x.sum().backward()
    with quiet():
        assert x[0].grad is None and x.view(2, 1).grad is None
    assert x.detach().grad is None


def test_R20_freezing_after_the_forward_stops_accumulation(torch):
    w, b = torch.full((5, 3), 0.5, requires_grad=True), torch.zeros(1, 3, requires_grad=True)
    z = torch.ones(1, 5) @ w + b
    w.requires_grad_(False)
    ((z - 1) ** 2 / 2).sum().backward()
    assert w.grad is None and torch.allclose(b.grad, z.detach() - 1)


def test_R21_hooks_on_what_needs_no_grad(torch, fails):
    frozen = torch.nn.Linear(2, 2).requires_grad_(False)
    with torch.no_grad():
        unrecorded = ones(torch, 2) * 2
    for t in (torch.ones(2), frozen(torch.ones(1, 2)), unrecorded, ones(torch, 2).detach()):
        with fails(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"):
            t.register_hook(lambda g: g)


# b. Hooks


def in_place_network(torch):
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(inplace=True), torch.nn.Linear(4, 1))


def test_R22_full_backward_hook_before_an_in_place_module_is_refused(torch, fails):
    m = in_place_network(torch)
    handle = m[0].register_full_backward_hook(lambda mod, gi, go: None)
    with fails(RuntimeError, "Output 0 of BackwardHookFunction is a view and is being modified inplace."):
        m(torch.ones(2, 3))
    handle.remove()
    m(torch.ones(2, 3)).sum().backward()


def test_R22_forward_hook_with_a_tensor_hook_works_on_in_place_models(torch):
    m, grads = in_place_network(torch), {}

    def watch(name):
        def forward_hook(mod, args, out):
            out.register_hook(lambda g: grads.__setitem__(name, g.clone()))

        return forward_hook

    for name, mod in m.named_children():
        mod.register_forward_hook(watch(name))
    x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 1.0, -1.0]])
    m(x).sum().backward()
    w = m[2].weight.detach()
    pre = torch.nn.functional.linear(x, m[0].weight, m[0].bias).detach()
    assert torch.equal(grads["2"], torch.ones(2, 1)) and torch.allclose(grads["1"], w.expand(2, 4))
    assert torch.allclose(grads["0"], w * (pre > 0))


def test_R23_a_hook_that_does_nothing_changes_no_value(torch):
    lin, x = torch.nn.Linear(2, 2), ones(torch, 1, 2)
    plain = lin(x)
    want = torch.autograd.grad(plain.sum(), [x, lin.weight])
    lin.register_full_backward_hook(lambda m, gi, go: None)
    hooked = lin(x)
    got = torch.autograd.grad(hooked.sum(), [x, lin.weight])
    assert torch.equal(plain, hooked) and all(torch.equal(a, b) for a, b in zip(want, got))


def test_R24_full_backward_hook_without_input_gradients(torch, warned):
    lin, rec = torch.nn.Linear(2, 2), []
    lin.register_full_backward_hook(lambda m, gi, go: rec.append((gi, go)))
    texts = warned(lambda: lin(torch.ones(1, 2)).sum().backward())
    assert rec[0][0] == (None,) and torch.equal(rec[0][1][0], torch.ones(1, 2))
    assert len(texts) == 1 and "no inputs require gradients" in texts[0]
    rec.clear()
    x = ones(torch, 1, 2)
    assert warned(lambda: lin(x).sum().backward()) == []
    assert torch.allclose(rec[0][0][0], lin.weight.detach().sum(0, keepdim=True))


def test_R24_calling_forward_skips_hooks(torch):
    lin, rec = torch.nn.Linear(2, 2), []
    lin.register_full_backward_hook(lambda m, gi, go: rec.append(1))
    lin.forward(ones(torch, 1, 2)).sum().backward()
    assert rec == []


def test_R26_full_hooks_under_no_grad(torch):
    m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True))
    rec = []
    m[0].register_full_backward_hook(lambda *a: rec.append(1))
    m[1].register_full_backward_pre_hook(lambda *a: rec.append(2))
    with torch.no_grad():
        out = m(ones(torch, 1, 2))
    assert not out.requires_grad and rec == [] and torch.is_grad_enabled()


def test_R27_post_accumulate_hook_receives_the_parameter(torch, fails):
    x, seen = ones(torch, 2), []
    x.register_post_accumulate_grad_hook(lambda p: seen.append((p is x, p.grad.tolist())))
    torch.autograd.grad((x * 2).sum(), x)
    assert seen == []
    (x * 2).sum().backward()
    assert seen == [(True, [2.0, 2.0])]
    with fails(RuntimeError, "post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (x * 2).register_post_accumulate_grad_hook(lambda p: None)


def test_R28_a_hook_may_remove_itself(torch):
    t, calls = ones(torch, 3), []

    def once(g):
        handle.remove()
        calls.append("once")
        return torch.zeros_like(g)

    handle = t.register_hook(once)
    t.register_hook(lambda g: calls.append("other"))
    (t**2).sum().backward()
    (t**2).sum().backward()
    assert calls == ["once", "other", "other"] and t.grad.tolist() == [2.0, 2.0, 2.0]


def test_R29_a_removed_hook_does_not_run_on_a_kept_graph(torch):
    x, calls = ones(torch, 2), []
    y = x * 2
    out = y.sum()
    with y.register_hook(lambda g: calls.append(1)):
        out.backward(retain_graph=True)
    out.backward()
    assert calls == [1]


def test_R30_what_module_hooks_may_return(torch):
    x = ones(torch, 1, 2)

    def run(hook):
        lin = torch.nn.Linear(2, 2, bias=False)
        with torch.no_grad():
            lin.weight.fill_(1.0)
        lin.register_full_backward_hook(lambda m, gi, go: hook(gi))
        return torch.autograd.grad(lin(x).sum(), x)[0].tolist()

    assert run(lambda gi: None) == [[2.0, 2.0]]
    assert run(lambda gi: (gi[0] * 2,)) == [[4.0, 4.0]]
    for wrong in (lambda gi: (gi[0], gi[0]), lambda gi: gi[0] * 3):
        with pytest.raises(RuntimeError):
            run(wrong)


def test_R30_the_errors_say_what_was_returned_and_expected(rushlight):
    def run(hook):
        lin = rushlight.nn.Linear(2, 2)
        lin.register_full_backward_hook(lambda m, gi, go: hook(gi))
        lin(ones(rushlight, 1, 2)).sum().backward()

    wanted = "; it returns nothing, or a tuple of 1 gradient (or None)."
    with pytest.raises(RuntimeError) as caught:
        run(lambda gi: gi[0] * 3)
    assert "A hook of Linear returned a Tensor of shape [1, 2]" + wanted in str(caught.value)
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 2, but expected 1") as caught:
        run(lambda gi: (gi[0], gi[0]))
    assert "A hook of Linear returned a tuple" + wanted in str(caught.value)


def test_R30_what_tensor_hooks_may_return(torch):
    def run(answer):
        x = ones(torch, 2)
        y = x * 1
        y.register_hook(lambda g: answer)
        y.sum().backward()
        return x.grad.tolist()

    assert run(torch.full((2,), 7.0)) == [7.0, 7.0]
    for answer, kind in (
        (torch.ones(5), RuntimeError),
        (torch.ones(2, dtype=torch.float64), RuntimeError),
        (5, TypeError),
    ):
        with pytest.raises(kind):
            run(answer)


def test_R31_a_tensor_hook_is_called_with_the_gradient_alone(torch):
    x, seen = ones(torch, 2), []
    x.register_hook(lambda *args, **kwargs: seen.append((len(args), kwargs)))
    x.sum().backward()
    assert seen == [(1, {})]


def test_R32_hooks_survive_the_collector(torch):
    fired = []

    def scope():
        b = torch.tensor(1.0, requires_grad=True).clone()
        node = b.grad_fn

        def hook(g):
            assert node is not None
            fired.append(1)

        b.register_hook(hook)
        return b.clone()

    out = scope()
    for expected in (1, 2):
        gc.collect()
        out.backward(retain_graph=True)
        assert len(fired) == expected


def test_R33_full_hooks_keep_nothing_after_backward(torch, no_gc):
    lin, refs = torch.nn.Linear(2, 2), []
    lin.register_full_backward_hook(lambda m, gi, go: refs.extend(weakref.ref(g) for g in (*gi, *go)))
    out = lin(ones(torch, 1, 2))
    out.sum().backward()
    ref = weakref.ref(out)
    del out
    assert ref() is None and len(refs) == 2 and all(r() is None for r in refs)


def test_R34_a_hook_runs_once_on_the_sum(torch):
    x = ones(torch, 2, 3)
    for retain in (False, True):
        x.grad, seen = None, []
        y = x + 1
        if retain:
            y.retain_grad()
        y.register_hook(lambda g, seen=seen: (seen.append(g[0, 0].item()), g * 2)[1])
        (y * 2 + y * 3 + y.exp() * 0).sum().backward()
        assert seen == [5.0] and torch.equal(x.grad, torch.full((2, 3), 10.0))
        assert not retain or torch.equal(y.grad, x.grad)


def test_R35_forward_hook_of_an_in_place_module_sees_the_overwritten_input(torch):
    relu, seen = torch.nn.ReLU(inplace=True), []
    relu.register_forward_hook(lambda m, args, out: seen.append(args[0].tolist()))
    relu.register_forward_pre_hook(lambda m, args: seen.append(args[0].tolist()))
    relu(torch.tensor([-1.0, 2.0]))
    assert seen == [[-1.0, 2.0], [0.0, 2.0]]


def test_R36_a_module_called_twice_is_seen_twice(torch):
    act, forward, backward = torch.nn.Tanh(), [], []
    act.register_forward_hook(lambda m, i, o: forward.append(o.item()))
    act.register_full_backward_hook(lambda m, gi, go: backward.append((gi[0].item(), go[0].item())))
    x = torch.tensor(0.3, requires_grad=True)
    act(act(x) * 2).backward()
    assert len(forward) == len(backward) == 2
    assert backward[0][1] == 1.0 and backward[1][0] == x.grad.item()
    assert abs(backward[1][1] - 2 * (1 - forward[1] ** 2)) < 1e-6


def test_R39_forward_hooks_with_tensor_hooks_cover_tuples_and_reuse(torch):
    class Both(torch.nn.Module):
        def forward(self, x):
            return x * 2, x * 3

    m, grads = Both(), []
    m.register_forward_hook(
        lambda mod, i, outs: (
            [o.register_hook(lambda g, k=k: grads.append((k, g.item()))) for k, o in enumerate(outs)] and None
        )
    )
    x = torch.tensor(1.0, requires_grad=True)
    a, b = m(x)
    c, d = m(a + b)
    (c * 10 + d).backward()
    assert sorted(grads) == [(0, 10.0), (0, 23.0), (1, 1.0), (1, 23.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert x.grad.item() == 115.0
