"""What people reported about backward, checkpoints and Functions (areas c, g, h of the reports), as tests."""

import contextlib
import math
import pathlib
import pickle
import weakref

import numpy as np
import pytest

from rushlight import observe

CHANGED = "one of the variables needed for gradient computation has been modified by an inplace operation: "
SECOND = "Trying to backward through the graph a second time"
ELEMENT_0 = "element 0 of tensors does not require grad and does not have a grad_fn"


def ones(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def line_of(text):
    """``file:number`` of the line of this file that ends with the comment ``# text``."""
    lines = pathlib.Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if line.endswith(f"  # {text}"))
    return f"{__file__}:{number}"


def function(torch, forward, backward, name="Custom"):
    return type(
        name,
        (torch.autograd.Function,),
        {"forward": staticmethod(forward), "backward": staticmethod(backward)},
    )


# c. backward, retain_graph, in-place errors, anomaly mode


def test_R40_backward_inputs_fills_after_in_place_changes(torch):
    param = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x = param.clone()
    for _ in range(3):
        x.grad = None
        (x.clone() * 2).sum().backward(inputs=[x])
        assert x.grad.tolist() == [2.0, 2.0, 2.0] and x.retains_grad
        x.add_(1.0, alpha=0.1)
    assert param.grad is None


def test_R41_backward_inputs_fills_exactly_those(torch, fails):
    x, other = ones(torch, 2), ones(torch, 2)
    y = x * 2
    (y * 3).sum().backward(inputs=[y, other])
    assert y.grad.tolist() == [3.0, 3.0] and x.grad is None and other.grad is None
    with fails(RuntimeError, "`inputs` argument to `backward()` cannot be empty."):
        (x * 1).sum().backward(inputs=[])


@pytest.mark.parametrize(
    "save, change",
    [
        (lambda y: y.exp(), None),
        (lambda y: y * y, lambda y: y.add_(1)),
        (lambda y: y * y, lambda y: y.__setitem__(0, 5.0)),
        (lambda y: y.view(4).sin(), lambda y: y.zero_()),
        (lambda y: y.sin(), lambda y: y.view(4).zero_()),
    ],
)
def test_R42_a_changed_saved_value_is_refused(torch, fails, save, change):
    y = ones(torch, 2, 2) * 1
    z = save(y)
    if change is None:
        z.add_(1)
    else:
        change(y)
    with fails(RuntimeError, CHANGED):
        z.sum().backward()


def test_R42_the_message_has_shape_producer_and_versions(torch, fails):
    b = ones(torch, 3).exp()
    b.add_(1)
    with fails(
        RuntimeError,
        CHANGED + "[torch.FloatTensor [3]], which is output 0 of Exp, is at version 1; "
        "expected version 0 instead.",
    ):
        b.sum().backward()


def test_R42_the_keeper_and_every_write_are_named(rushlight, fails):
    y = ones(rushlight, 3).exp()  # the keeper
    y.add_(1)  # write 1
    y[0] = 5.0  # write 2
    rushlight.mul(y.detach(), 2, out=y.detach())  # write 3
    with fails(RuntimeError, CHANGED) as caught:
        y.sum().backward()
    last = str(caught.value).splitlines()[-1]
    assert last.startswith(f"ExpBackward0 kept its own result at {line_of('the keeper')}; it was then written by ")
    assert f"add_ at {line_of('write 1')}, " in last and last.endswith(f"mul(out=) at {line_of('write 3')}.")
    assert f" at {line_of('write 2')} and " in last


def test_R42_many_writes_are_counted(rushlight):
    y = ones(rushlight, 3).exp()
    with rushlight.no_grad():
        for _ in range(50):
            y.add_(1)
        y.mul_(2)
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    about = caught.value.about
    assert len(about.writes) >= 8 and len(about.writes) + about.forgotten == 51 and about.writes[-1][0] == "mul_"
    assert "times)" in str(caught.value) and f"{about.forgotten} more of its writes being forgotten" in str(caught.value)
    assert len(y._ver) <= 17
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.about == about


def test_R42_what_a_function_saved_is_named_too(rushlight):
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    Saves = function(rushlight, forward, lambda ctx, g: (ctx.saved_tensors[1] * g, ctx.saved_tensors[0] * g))
    w = ones(rushlight, 2)
    y = Saves.apply(ones(rushlight, 2), w)  # saved here
    with rushlight.no_grad():
        w.add_(1)  # written here
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    wanted = f"CustomBackward saved it (number 1) at {line_of('saved here')}; it was then written by add_ at {line_of('written here')}."
    assert str(caught.value).splitlines()[-1] == wanted


def test_R42_what_saves_nothing_may_be_changed(torch):
    x = ones(torch, 2)
    y = x * 1
    z = y + y
    y.mul_(3)
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_R43_an_optimizer_step_between_two_backwards_is_refused(torch, fails):
    first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(second.parameters(), lr=0.1)
    hidden = first(torch.ones(1, 2))
    out = second(hidden).sum()
    out.backward(retain_graph=True)
    optimizer.step()
    with fails(RuntimeError, CHANGED):
        out.backward()


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Rprop"])
def test_R43_the_parameter_and_the_optimizer_are_named(rushlight, name):
    D = rushlight.nn.Sequential(rushlight.nn.Linear(2, 2), rushlight.nn.Linear(2, 2))
    optimizer = getattr(rushlight.optim, name)(D.parameters(), lr=0.1)
    real, fake = D(rushlight.ones(1, 2)).sum(), D(rushlight.zeros(1, 2)).sum()
    real.backward()
    optimizer.step()  # the step
    with pytest.raises(RuntimeError) as caught:
        fake.backward()
    last = str(caught.value).splitlines()[-2:]
    assert f"kept its input 'weight' at {__file__}:" in last[0] and f"written by {name}.step at {line_of('the step')}." in last[0]
    assert last[1].startswith(f"parameter D.1.weight was changed by {name}.step(): call backward for everything before")


def test_R43_parameters_of_a_trainer_and_of_no_module(rushlight):
    class Trainer:
        def __init__(self):
            self.net = rushlight.nn.Linear(2, 2)

        def run(self):
            h = (rushlight.ones(1, 2, requires_grad=True) * 1) @ self.net.weight
            with rushlight.no_grad():
                optimizer = rushlight.optim.SGD(self.net.parameters(), lr=0.1)
                self.net.weight.grad = rushlight.ones(2, 2)
                optimizer.step()
            h.sum().backward()

    with pytest.raises(RuntimeError, match="parameter self.net.weight was changed by SGD.step"):
        Trainer().run()
    w = ones(rushlight, 2)
    y = (rushlight.ones(2, requires_grad=True) * w).sum()
    optimizer = rushlight.optim.SGD([w], lr=0.1)
    w.grad = rushlight.ones(2)
    optimizer.step()
    with pytest.raises(RuntimeError, match="parameter w was changed by SGD.step"):
        y.backward()


def test_R44_the_freed_node_and_its_line_are_named(rushlight):
    x = ones(rushlight, 2)
    feature = x.exp()  # built once
    (feature * 2).sum().backward()
    with pytest.raises(RuntimeError) as caught:
        (feature * 3).sum().backward()
    assert f"The freed node is ExpBackward0, built at {line_of('built once')}." in str(caught.value)
    with pytest.raises(RuntimeError) as caught:
        feature.grad_fn._saved_result
    assert "The freed node is ExpBackward0, built at " in str(caught.value)


def test_R44_an_open_recording_tells_the_step(rushlight):
    with observe.record() as rec:
        feature = ones(rushlight, 2).exp()
        feature.sum().backward()
        (ones(rushlight, 2) * 2).sum().backward()
        with pytest.raises(RuntimeError, match=r"built at .* in step 0; this is step 2\.") as caught:
            (feature * 3).sum().backward()
    assert "It was built in step 0; the pass that failed is of step 2." in observe.explain(caught.value, record=rec)


def test_R44_backward_a_second_time(torch, fails):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    with fails(RuntimeError, SECOND):
        y.backward()
    with fails(RuntimeError, SECOND):
        torch.autograd.grad(y, x)
    assert x.grad.tolist() == [2.0, 4.0]


def test_R44_a_piece_built_outside_the_loop(torch, fails):
    x = ones(torch, 2)
    feature = x.exp()
    for step in range(2):
        loss = (feature * (step + 1)).sum()
        if step == 0:
            loss.backward()
        else:
            with fails(RuntimeError, SECOND):
                loss.backward()


def test_R44_a_graph_that_keeps_nothing_may_be_walked_again(torch):
    x = ones(torch, 2)
    z = (x + 1).sum()
    z.backward()
    z.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_R45_detach_shares_the_counter_and_data_does_not(torch, fails):
    x = ones(torch, 2)
    h = x * 1
    y = h * h
    h.data.zero_()
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]  # quietly wrong, as in PyTorch
    h = x * 1
    y = h * h
    h.detach().zero_()
    with fails(RuntimeError, CHANGED):
        y.sum().backward()


def test_R46_anomaly_mode_finds_nan_of_backward_only(torch, fails, quiet):
    with quiet(), torch.autograd.detect_anomaly():
        x = torch.tensor(0.0, requires_grad=True)
        x.sqrt().backward()
        assert x.grad.item() == math.inf
        y = torch.tensor(0.0, requires_grad=True)
        with fails(RuntimeError, "Function 'SqrtBackward0' returned nan values in its 0th output."):
            (y.sqrt() * 0).backward()
        assert y.grad is None
        assert torch.tensor(-1.0, requires_grad=True).log().isnan()
    assert not torch.is_anomaly_enabled()


@pytest.fixture
def searching(rushlight, quiet):
    """`with searching(check_inf=True):` is anomaly mode with the options that PyTorch lacks."""

    @contextlib.contextmanager
    def block(**options):
        with quiet(), rushlight.autograd.detect_anomaly(**options):
            yield

    return block


def test_R46_inf_in_backward_when_asked(rushlight, searching):
    x = rushlight.tensor([0.0, 4.0], requires_grad=True)
    with searching(check_inf=True), pytest.raises(RuntimeError) as caught:
        x.sqrt().sum().backward()  # the root
    text = str(caught.value)
    assert text.startswith("Function 'SqrtBackward0' returned inf values in its 0th output.")
    assert text.endswith(f"Built at {line_of('the root')}: 1 Inf among 2 values of shape [2].")
    with searching():
        x.sqrt().sum().backward()
    assert x.grad.tolist() == [math.inf, 0.25]


def test_R46_forward_when_asked(rushlight, searching):
    x = rushlight.tensor([-1.0, 1.0], requires_grad=True)
    with searching(check_forward=True), pytest.raises(RuntimeError) as caught:
        x.log()  # the logarithm
    text = str(caught.value)
    assert text.startswith("Function 'log' returned nan values in its 0th output.\nIn the forward pass, at " + line_of("the logarithm"))
    assert "1 NaN among 2 values of shape [2]. The inputs held none: they were born here." in text
    with searching(check_forward=True):
        assert rushlight.zeros(2).log().isinf().all()
        rushlight.zeros(2).masked_fill(rushlight.tensor([True, False]), -math.inf)  # Inf only when asked
    with searching(check_forward=True, check_inf=True), pytest.raises(RuntimeError, match="returned inf values"):
        rushlight.zeros(2).log()
    with searching(check_forward=True), pytest.raises(RuntimeError, match="An input held such values already"):
        rushlight.tensor([math.nan]) + 1
    with searching(check_forward=True), pytest.raises(RuntimeError, match="Function 'log' returned nan"):
        (x.detach() * 1).log_()


def test_R46_the_module_is_named(rushlight, searching):
    class Net(rushlight.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = rushlight.nn.ModuleList([rushlight.nn.Linear(2, 2), Root()])

        def forward(self, x):
            return self.layers[1](self.layers[0](x) * 0)

    class Root(rushlight.nn.Module):
        def forward(self, x):
            return x.sqrt() * 0

    with searching(), pytest.raises(RuntimeError, match=r", in module layers\.1 \(Root\): 2 NaN among 2 values of shape \[1, 2\]\."):
        Net()(rushlight.ones(1, 2)).sum().backward()
    with searching(check_forward=True), pytest.raises(RuntimeError, match=r", in module layers\.0 \(Linear\): 2 NaN among 2"):
        Net()(rushlight.full((1, 2), math.nan))
    with searching(check_forward=True), pytest.raises(RuntimeError, match=r", in module Linear: "):
        rushlight.nn.Linear(2, 2)(rushlight.full((1, 2), math.nan))


def test_R46_the_mode_and_its_options_end_together(rushlight, searching):
    with searching(check_inf=True, check_forward=True):
        with rushlight.autograd.set_detect_anomaly(True):
            rushlight.tensor(-1.0).log()
        with pytest.raises(RuntimeError):
            rushlight.tensor(-1.0).log()
    assert rushlight.tensor(-1.0).log().isnan() and not rushlight.is_anomaly_enabled()


def test_R48_nodes_remember_their_line_under_anomaly_mode_only(torch, quiet):
    assert "traceback_" not in (ones(torch, 1) * 2).grad_fn.metadata
    with quiet(), torch.autograd.detect_anomaly():
        y = ones(torch, 1) * 2  # remembered
    assert "# remembered" in "".join(y.grad_fn.metadata["traceback_"])


def test_R49_backward_of_a_cut_path(torch, fails):
    w = ones(torch, 2)
    for cut in (
        lambda: w.detach() * 2,
        lambda: w.data * 2,
        lambda: torch.from_numpy((w * 2).detach().numpy()),
    ):
        with fails(RuntimeError, ELEMENT_0):
            cut().sum().backward()
    with torch.no_grad():
        y = (w * 2).sum()
    with fails(RuntimeError, ELEMENT_0):
        y.backward()


def test_R49_the_error_tells_what_cut_the_path(rushlight, fails):
    w = ones(rushlight, 2)
    loss = (w * w).sum()
    cut = loss.detach()  # assigned here
    with fails(RuntimeError, ELEMENT_0) as caught:
        cut.backward()
    text = str(caught.value)
    assert f"It is cut, assigned at {line_of('assigned here')}, where .detach() cuts what it is applied to." in text
    assert "The path to loss ends there" in text and "SumBackward0 at " + __file__ in text
    with rushlight.inference_mode():
        made = (w * 2).sum()
    with fails(RuntimeError, ELEMENT_0 + "\nIt was made in inference_mode"):
        made.backward()
    with fails(RuntimeError, ELEMENT_0) as caught:
        rushlight.ones(2).sum().backward()
    assert "Nothing it was computed from requires grad" in str(caught.value)


def test_R49_the_error_names_the_line_while_something_records(rushlight, fails):
    w = ones(rushlight, 2)
    with observe.record():
        h = (w * 2).detach()  # the cut
        with fails(RuntimeError, f"{ELEMENT_0}\nThe path to w ends at .detach(), {line_of('the cut').rpartition('/')[2]}"):
            (h * 3 + 1).sum().backward()


def test_R50_autograd_grad_with_create_graph_makes_no_cycle(torch, no_gc):
    y = ones(torch, 1)
    (h,) = torch.autograd.grad((y**3).sum(), y, create_graph=True)
    refs = [weakref.ref(y), weakref.ref(h)]
    del h, y
    assert all(r() is None for r in refs)


def test_R50_backward_with_create_graph_gives_a_differentiable_grad(torch, quiet):
    x = torch.tensor([2.0], requires_grad=True)
    with quiet():
        (x**3).sum().backward(create_graph=True)
    assert x.grad.requires_grad
    assert torch.autograd.grad(x.grad.sum(), x)[0].tolist() == [12.0]
    x.grad = None


def test_R50_backward_with_create_graph_warns_once(rushlight, warned):
    torch, x = rushlight, ones(rushlight, 2)  # PyTorch warns once in a process
    (text,) = warned(lambda: (x**2).sum().backward(create_graph=True))
    assert text.startswith("Using backward() with create_graph=True will create a reference cycle")
    x.grad = None
    assert warned(lambda: torch.autograd.grad((x**2).sum(), x, create_graph=True)) == []


def test_R51_no_gradient_is_none_error_or_zeros(torch, fails):
    x, unused = ones(torch, 2), ones(torch, 2)
    x.sum().backward()
    assert unused.grad is None
    with fails(
        RuntimeError, "The differentiated Tensor at index 1 appears to not have been used in the graph."
    ):
        torch.autograd.grad(x.sum(), [x, unused])
    assert torch.autograd.grad(x.sum(), [x, unused], allow_unused=True)[1] is None
    assert torch.autograd.grad(x.sum(), [x, unused], materialize_grads=True)[1].tolist() == [0.0, 0.0]


def test_R52_in_place_on_one_of_several_views(torch):
    root = torch.arange(9.0).reshape(3, 3).requires_grad_()
    for change in (
        lambda x: x.unbind()[0].mul_(2),
        lambda x: x.unbind()[0].narrow(0, 0, 2).mul_(2),
        lambda x: x.split(1)[0].mul_(2),
        lambda x: x.chunk(3)[0].add_(2),
    ):
        with pytest.raises(
            RuntimeError, match="This view is the output of a function that returns multiple views"
        ):
            change(root.clone())


def test_R52_single_views_reach_the_base(torch):
    root = torch.arange(9.0).reshape(3, 3).requires_grad_()
    q = root.clone()
    q[0].mul_(2)
    q.narrow(1, 1, 2).mul_(3)
    q.sum().backward()
    assert root.grad.tolist() == [[2.0, 6.0, 6.0], [1.0, 3.0, 3.0], [1.0, 3.0, 3.0]]


def test_R53_identity_of_grad(torch, quiet):
    x = ones(torch, 2)
    (x * x).sum().backward()
    first = x.grad
    (x * x).sum().backward()
    assert x.grad is first
    with quiet():
        (x * x).sum().backward(create_graph=True)
    assert x.grad is not first and first.tolist() == [4.0, 4.0]


def test_R54_grad_never_aliases_seed_or_other_gradients(torch):
    a, b, seed = ones(torch, 2), ones(torch, 2), torch.ones(2)
    (a + b).backward(seed)
    a.grad.mul_(5)
    assert b.grad.tolist() == [1.0, 1.0] and seed.tolist() == [1.0, 1.0]
    x = ones(torch, 2)
    h = x * 1
    h.retain_grad()
    (h + 0).sum().backward()
    x.grad.zero_()
    assert h.grad.tolist() == [1.0, 1.0]
    r = ones(torch, 3)
    r.expand(2, 3).reshape(6).view(2, 3).sum(0).sum().backward()
    r.grad[0] = 9.0
    assert r.grad.tolist() == [9.0, 2.0, 2.0]


def test_R55_autograd_grad_beside_what_grad_holds(torch):
    x = ones(torch, 2)
    (x * 5).sum().backward()
    y = x * 2
    y.retain_grad()
    torch.autograd.grad((y * 3).sum(), x)
    assert x.grad.tolist() == [5.0, 5.0] and y.grad.tolist() == [3.0, 3.0]


def test_R56_a_shared_non_leaf_sums_first(torch):
    x = torch.tensor([2.0], requires_grad=True)
    y = x * 3
    (y * 2 + y * 5).backward()
    assert x.grad.item() == 21.0
    w, t = ones(torch, 3, 3), torch.eye(3)
    ((t @ w) * (t @ w).exp() + t @ w).sum().backward()
    assert torch.allclose(w.grad, torch.full((3, 3), 2 * math.e + 1))


def test_R57_wrong_gradients_are_refused(torch, fails):
    x = ones(torch, 2)
    for g in (torch.ones(3), torch.ones(2, dtype=torch.float64)):
        with fails(RuntimeError, "attempting to assign a gradient"):
            x.grad = g
    with fails(TypeError, "assigned grad expected to be a Tensor or None but got grad of type list"):
        x.grad = [1.0, 2.0]
    with fails(RuntimeError, "Mismatch in shape: grad_output[0] has a shape of torch.Size([3])"):
        x.backward(torch.ones(3))
    assert x.grad is None


# g. checkpoint


def test_R98_input_without_gradient(torch, warned):
    ck, lin, x = torch.utils.checkpoint.checkpoint, torch.nn.Linear(2, 2), torch.ones(1, 2)
    out = ck(lin, x, use_reentrant=False)
    assert out.requires_grad
    out.sum().backward()
    assert torch.equal(lin.weight.grad, torch.ones(2, 2))
    results = []
    texts = warned(lambda: results.append(ck(lin, x, use_reentrant=True)))
    assert not results[0].requires_grad and "None of the inputs have requires_grad=True" in texts[0]


@pytest.mark.parametrize("reentrant", [False, True])
def test_R99_recomputation_draws_the_same_masks(torch, reentrant):
    x = ones(torch, 100)
    drop = torch.nn.Dropout(0.5)
    out = torch.utils.checkpoint.checkpoint(lambda x: drop(x * 1) * x, x, use_reentrant=reentrant)
    after = torch.get_rng_state()
    out.sum().backward()
    assert torch.equal(x.grad, 2 * out.detach()) and torch.equal(torch.get_rng_state(), after)


@pytest.mark.parametrize("reentrant", [False, True])
def test_R99_the_generator_of_numpy_is_left_alone(torch, reentrant):
    x, drop = ones(torch, 10), torch.nn.Dropout(0.5)
    before = np.random.get_state()
    torch.utils.checkpoint.checkpoint(lambda x: drop(x * 1), x, use_reentrant=reentrant).sum().backward()
    after = np.random.get_state()
    assert before[2] == after[2] and (before[1] == after[1]).all()


def test_R100_keyword_arguments(torch, fails):
    def f(a, b=None, scale=1.0, flag=False):
        return a * scale + b if flag else a * scale

    ck, x, y = torch.utils.checkpoint.checkpoint, ones(torch, 2), torch.full((2,), 5.0, requires_grad=True)
    out = ck(f, x, b=y, scale=2.0, flag=True, use_reentrant=False)
    out.sum().backward()
    assert out.tolist() == [7.0, 7.0] and x.grad.tolist() == [2.0, 2.0] and y.grad.tolist() == [1.0, 1.0]
    with fails(ValueError, "Unexpected keyword arguments: scale"):
        ck(f, x, scale=2.0, use_reentrant=True)
    with fails(TypeError):
        ck(f, x, bogus=1, use_reentrant=False)


def test_R101_nested_and_with_autograd_grad(torch, fails):
    ck, x = torch.utils.checkpoint.checkpoint, torch.tensor([0.5], requires_grad=True)
    out = ck(
        lambda t: ck(lambda u: u.exp().sin(), t.sin(), use_reentrant=False).exp(), x, use_reentrant=False
    )
    plain = x.sin().exp().sin().exp()
    assert torch.allclose(torch.autograd.grad(out, x)[0], torch.autograd.grad(plain, x)[0])
    with fails(RuntimeError, "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad()"):
        torch.autograd.grad(ck(torch.exp, x, use_reentrant=True), x)


def test_R102_a_function_that_does_not_repeat_itself(torch, fails):
    calls, x = [], ones(torch, 3)

    def fewer(t):
        calls.append(1)
        return t.exp().exp() if len(calls) == 1 else t.exp()

    out = torch.utils.checkpoint.checkpoint(fewer, x, use_reentrant=False).sum()
    with fails(
        torch.utils.checkpoint.CheckpointError,
        "torch.utils.checkpoint: A different number of tensors was saved",
    ):
        out.backward()
    assert x.grad is None


def test_R102_the_error_lists_the_operators_of_both_runs(rushlight):
    for early_stop in (True, False):
        calls, x = [], ones(rushlight, 3)

        def other(t, calls=calls):
            calls.append(1)
            return t.exp().sin().tanh() if len(calls) == 1 else t.exp()

        with rushlight.utils.checkpoint.set_checkpoint_early_stop(early_stop):
            out = rushlight.utils.checkpoint.checkpoint(other, x, use_reentrant=False).sum()
        with pytest.raises(rushlight.utils.checkpoint.CheckpointError) as caught:
            out.backward()
        text = str(caught.value)
        assert "Operators that saved in the forward pass: ExpBackward0, SinBackward0, TanhBackward0" in text
        assert "Operators that saved in the recomputation: ExpBackward0" in text


def test_R103_weight_hooks_run_once_and_forward_hooks_again(torch):
    lin, forward, weight = torch.nn.Linear(2, 2), [], []
    lin.register_forward_hook(lambda m, i, o: forward.append(1))
    lin.weight.register_hook(lambda g: weight.append(1))
    torch.utils.checkpoint.checkpoint(
        lambda x: lin(x).sin(), ones(torch, 1, 2), use_reentrant=False
    ).sum().backward()
    assert weight == [1] and forward == [1, 1]


@pytest.mark.parametrize("reentrant", [False, True])
def test_R104_thousands_side_by_side(torch, reentrant):
    leaves = [torch.full((1,), i / 3000.0, requires_grad=True) for i in range(1500)]
    parts = [torch.utils.checkpoint.checkpoint(torch.exp, t, use_reentrant=reentrant) for t in leaves]
    torch.stack(parts).sum().backward()
    assert torch.allclose(torch.cat([t.grad for t in leaves]), torch.cat([t.detach() for t in leaves]).exp())


def test_R104_thousands_in_a_row(torch):
    x = ones(torch, 1)
    y = x
    for _ in range(1500):
        y = torch.utils.checkpoint.checkpoint(torch.sin, y, use_reentrant=False)
    y.backward()
    plain = x
    for _ in range(1500):
        plain = plain.sin()
    assert torch.allclose(x.grad, torch.autograd.grad(plain, x)[0], rtol=1e-4)


def test_R105_containers_keep_requires_grad(torch):
    out = torch.utils.checkpoint.checkpoint(lambda x: {"a": [x.exp()]}, ones(torch, 2), use_reentrant=False)
    assert out["a"][0].requires_grad


@pytest.mark.parametrize("reentrant", [False, True])
def test_R106_what_the_function_captured_is_freed(torch, no_gc, reentrant):
    class Big:
        pass

    captured = Big()
    ref = weakref.ref(captured)

    def run(x, captured):
        out = torch.utils.checkpoint.checkpoint(lambda t: (captured, t.exp())[1], x, use_reentrant=reentrant)
        out.sum().backward()

    run(ones(torch, 2), captured)
    del captured
    assert ref() is None


# h. Custom Function, saved tensors


def test_R107_saved_inputs_and_outputs_give_right_second_derivatives(torch):
    def save_input(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    def save_output(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    for forward, rule in (
        (save_input, lambda ctx, g: g * ctx.saved_tensors[0].exp()),
        (save_output, lambda ctx, g: g * ctx.saved_tensors[0]),
    ):
        assert torch.autograd.gradgradcheck(function(torch, forward, rule).apply, x)


def saves_an_intermediate(torch, once=False):
    def forward(ctx, x):
        e = x.exp()
        ctx.save_for_backward(e)
        return e * 2

    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]

    return function(torch, forward, torch.autograd.function.once_differentiable(backward) if once else backward)


def test_R107_an_intermediate_is_right_once_and_refused_twice(rushlight, fails):
    x = rushlight.tensor([0.5], requires_grad=True)
    out = saves_an_intermediate(rushlight).apply(x) ** 2  # applied here
    (plain,) = rushlight.autograd.grad(out.sum(), x, retain_graph=True)
    (first,) = rushlight.autograd.grad(out.sum(), x, create_graph=True)
    assert first.item() == plain.item() and abs(plain.item() - 8 * math.e) < 1e-4
    with fails(RuntimeError, "CustomBackward saved a tensor that is neither an input nor an output of its forward") as caught:
        first.sum().backward()
    assert f"number 0 of save_for_backward, called at {line_of('applied here')}" in str(caught.value) and x.grad is None


def test_R107_what_does_not_lead_through_it_is_not_refused(rushlight):
    x, v = rushlight.tensor([0.5], requires_grad=True), ones(rushlight, 1)
    Saves = saves_an_intermediate(rushlight)
    (g,) = rushlight.autograd.grad(Saves.apply(x), x, v, create_graph=True)
    (second,) = rushlight.autograd.grad(g.sum(), v)
    assert second.item() == g.item()

    def forward(ctx, x):
        ctx.save_for_backward(x > 0)
        ctx.scale = rushlight.full((1,), 3.0)
        return x * x

    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * ctx.scale

    (g,) = rushlight.autograd.grad(function(rushlight, forward, backward).apply(x) ** 2, x, create_graph=True)
    assert rushlight.autograd.grad(g.sum(), x)[0].item() == 2 * 3 * 3  # a mask and an attribute are constants
    x.grad = None
    with pytest.raises(RuntimeError, match="once_differentiable"):
        rushlight.autograd.grad(saves_an_intermediate(rushlight, once=True).apply(x) ** 2, x, create_graph=True)[0].sum().backward()


def test_R107_under_saved_tensor_hooks(rushlight, fails):
    x = rushlight.tensor([0.5], requires_grad=True)
    with rushlight.autograd.graph.save_on_cpu():
        out = saves_an_intermediate(rushlight).apply(x) ** 2
    (first,) = rushlight.autograd.grad(out.sum(), x, create_graph=True)
    with fails(RuntimeError, "CustomBackward saved a tensor that is neither an input nor an output"):
        rushlight.autograd.grad(first.sum(), x)


def test_R107_PyTorch_leaves_the_term_out(torch):
    if torch.__name__ == "rushlight":
        pytest.skip("rushlight raises: see above")
    x = torch.tensor([0.5], requires_grad=True)
    (first,) = torch.autograd.grad(saves_an_intermediate(torch).apply(x) ** 2, x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert abs(second.item() - 8 * math.e) < 1e-4  # half of the right one


def test_R108_save_for_backward_frees_without_the_collector(torch, no_gc):
    refs = []

    def forward(ctx, x):
        y = x.clone()
        ctx.save_for_backward(x, y)
        refs.append(weakref.ref(ctx))
        return y

    Saves = function(torch, forward, lambda ctx, g: g)
    x = ones(torch, 2)
    y = Saves.apply(x)
    (y * y).sum().backward()
    del y
    Saves.apply(x)
    assert [r() for r in refs] == [None, None]


def test_R109_a_returned_input_or_view_runs_its_own_backward(torch, fails):
    for returns in (lambda x: x, lambda x: x.view(2)):
        Through = function(torch, lambda ctx, x, returns=returns: returns(x), lambda ctx, g: g * 10)
        x = ones(torch, 2)
        out = Through.apply(x * 1)
        out.sum().backward()
        assert x.grad.tolist() == [10.0, 10.0]
        with fails(
            RuntimeError,
            "Output 0 of Custom is a view and is being modified inplace. "
            "This view was created inside a custom Function",
        ):
            Through.apply(x * 1).mul_(2)


def test_R110_in_place_functions(torch, fails):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    Triple = function(torch, forward, lambda ctx, g: g * 3)
    x = ones(torch, 2)
    z = x * 1
    before = z._version
    assert Triple.apply(z) is z and z._version > before
    z.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with fails(RuntimeError, "a leaf Variable that requires grad has been used in an in-place operation."):
        Triple.apply(ones(torch, 2))


def test_R111_counts_and_shapes_from_backward(torch, fails):
    x = ones(torch, 2)
    for answer, sentence in (
        (
            lambda g: (g, g),
            "function CustomBackward returned an incorrect number of gradients (expected 1, got 2)",
        ),
        (
            lambda g: g[:1].expand(5),
            "Function CustomBackward returned an invalid gradient at index 0 - got [5] but expected "
            "shape compatible with [2]",
        ),
    ):
        with fails(RuntimeError, sentence):
            function(torch, lambda ctx, x: x * 2, lambda ctx, g, answer=answer: answer(g)).apply(
                x
            ).sum().backward()


def test_R111_the_function_and_the_argument_are_named(rushlight):
    def run(answer, *more):
        x, y = ones(rushlight, 2), ones(rushlight, 2)
        function(rushlight, lambda ctx, left, right, *rest: left * right, lambda ctx, g: answer(g)).apply(x, y, *more).sum().backward()

    with pytest.raises(RuntimeError, match=r"function CustomBackward returned .*\n.*: left, right\.$"):
        run(lambda g: g)
    with pytest.raises(RuntimeError, match=r"Function CustomBackward .* index 1 - got \[5\] .*\n.*the argument 'right'"):
        run(lambda g: (g, g.sum().expand(5)))
    with pytest.raises(RuntimeError, match=r"different than None at position 3.*\n.*the argument 'rest\[0\]'"):
        run(lambda g: (g, g, g), 3)


def test_R112_pack_hooks_may_not_write_and_errors_keep_their_type(torch, fails):
    class Boom(Exception):
        pass

    def boom(_):
        raise Boom

    hooks, x = torch.autograd.graph.saved_tensors_hooks, ones(torch, 2)
    with fails(RuntimeError, "A saved tensor pack hook is modifying its input in place."):
        with hooks(lambda t: t.add_(1), lambda t: t):
            (x * 1).exp()
    with hooks(lambda t: t, boom):
        y = x.exp()
    with pytest.raises(Boom):
        y.sum().backward()
    with hooks(lambda t: t.detach() * 0 + 3.0, lambda t: t):
        v = x * x
    v.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]
