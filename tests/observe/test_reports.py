"""What people reported and observing answers (areas a to d, g of the reports), as tests, on both engines.

Each test is named after the row of the table of reports that it answers; what the engines themselves owe is in `tests/test_reports*.py`.
"""

import copy
import gc
import importlib
import inspect
import math
import pathlib
import sys
import warnings
import weakref

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis.extra import numpy as npst
from tests.observe.models import inputs, settle

from rushlight import observe


def make_net(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l1, self.act, self.l2 = torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)

        def forward(self, x):
            h = self.act(self.l1(x))
            return self.act(self.l2(h))

    return settle(torch, Net())


def one_step(torch, model):
    loss = model(inputs(torch, 5, 3)).sum()
    loss.backward()
    return loss


def line_of(text):
    """The place of the line of this file that ends with the comment ``# text``, as sentences give it."""
    lines = pathlib.Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if line.endswith(f"  # {text}"))
    return f"test_reports.py:{number}"


def checkpoint_of(torch):
    return importlib.import_module(torch.__name__ + ".utils.checkpoint").checkpoint


# a. retain_grad and leaves


def test_R02_R08_explain_names_the_leaf_and_the_operator_in_between(torch):
    leaf = torch.tensor([0.25, 0.75], requires_grad=True)
    with observe.record(engine=torch.__name__) as rec:
        out = leaf * 0.01
        out.sum().backward()
    text = observe.explain(out, record=rec)
    assert "is not a leaf: it was made by mul at test_reports.py:" in text and "Behind it is 1 leaf: leaf." in text
    assert "Behind it is 1 leaf: leaf." in observe.explain(leaf.to(torch.float64))


def test_R06_entries_are_of_versions(torch):
    with observe.record(engine=torch.__name__) as rec:
        a = torch.ones(1, requires_grad=True).clone()
        a.mul_(2)
        (a * 3).sum().backward()
    before, after = rec.find(variable="a") if len(rec.find(variable="a")) == 2 else (rec.find(op="clone")[0], rec.find(op="mul_")[0])
    assert (float(before.array[0]), float(after.array[0])) == (6.0, 3.0)


def test_R07_R15_retained_and_never_reached_is_said(torch):
    with observe.record(engine=torch.__name__) as rec:
        h = torch.ones(2, requires_grad=True) * 2
        alias = h.reshape(2, 1)
        alias.retain_grad()
        h.retain_grad()
        h.sum().backward()
        inside = observe.explain(rec)
    (note,) = rec.notes
    assert note.startswith("alias (") and note.endswith("asked to retain its gradient, and no backward pass reached it.")
    assert note in inside and rec.summary().count(note) == 1 and "test_reports.py:" in note
    with observe.record(engine=torch.__name__) as rec:
        base = torch.ones(4, requires_grad=True) * 1
        v = base[:2]
        v.retain_grad()
        base.mul_(3)
        base.sum().backward()
    assert any(n.startswith("v (") and "asked to retain" in n for n in rec.notes) and v.shape == (2,)


def test_R11_the_record_owns_gradients_not_tensors(torch):
    with observe.record(engine=torch.__name__) as rec:

        def build():
            h = torch.ones(2, requires_grad=True) * 2
            return (h * 3).sum()

        build().backward()
    gc.collect()
    assert rec["h"].ref() is None and rec["h"].array.tolist() == [3.0, 3.0]


def test_R12_nothing_to_retain_is_refused(torch):
    with pytest.raises(RuntimeError, match="this tensor has no history"):
        observe.retain((torch.ones(2) * 2).sum())
    with pytest.warns(UserWarning, match="nothing was recorded"), observe.record(engine=torch.__name__):
        torch.ones(2) * 2


def test_R14_a_recording_keeps_nothing_on_modules(torch):
    model = make_net(torch)
    one_step(torch, model)
    before = set(vars(model.l1))
    with observe.record(model):
        one_step(torch, model)
        twin = copy.deepcopy(model)
        assert not any(isinstance(v, torch.Tensor) for v in vars(model.l1).values())
    assert set(vars(model.l1)) == before and torch.equal(twin.l1.weight, model.l1.weight)


def test_R16_siblings_that_are_not_used(torch):
    with observe.record(engine=torch.__name__) as rec:
        a = torch.ones(2, requires_grad=True) * 2
        p, q = a.unbind()
        p.backward()
    assert rec["p"].arrivals == 1 and rec["q"].arrivals == 0 and q.dim() == 0 and not rec.notes


def test_R18_gradients_by_name_and_pattern(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    assert rec["l1"].grad.shape == (5, 4) and rec["h"].grad.shape == (5, 4)
    assert {e.name for e in rec.find("l*.weight")} == {"l1.weight", "l2.weight"}
    with observe.record(model, only="act*") as rec:
        one_step(torch, model)
    assert {e.name for e in rec if e.grad is not None} == {"act#0", "act#1"}


def test_R19_a_slice_is_taken_from_the_record(torch):
    x = torch.ones(2, 3, requires_grad=True)
    with observe.record(engine=torch.__name__) as rec:
        (x * torch.arange(6.0).reshape(2, 3)).sum().backward()
    assert rec["x"].grad[0].tolist() == [0.0, 1.0, 2.0]


def test_R21_what_was_skipped_is_listed_with_the_reason(torch):
    model = make_net(torch)
    model.l1.requires_grad_(False)
    w = torch.ones(2, requires_grad=True)
    with observe.record(model) as rec:
        frozen = model.l1(torch.ones(1, 3))
        with torch.no_grad():
            unrecorded = w * 2
        with torch.inference_mode():
            made = torch.ones(2) * 2
        behind = (w * 3).detach() * 2
        torch.ones(2) + 1
        model(inputs(torch, 5, 3)).sum().backward()
    reasons = set(rec.skipped)
    assert {
        "tensors computed from frozen parameters",
        "tensors computed under no_grad",
        "tensors made in inference_mode",
        "tensors that were cut off, as by detach",
        "tensors computed from what was cut off",
        "tensors computed from data alone",
    } <= reasons
    assert "Skipped: " in rec.summary() and not any(t.requires_grad for t in (frozen, unrecorded, made, behind))


# b. hooks


def test_R22_in_place_models_are_recorded(torch):
    model = settle(torch, torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(inplace=True), torch.nn.Linear(4, 1)))
    x = inputs(torch, 2, 3)
    with observe.record(model) as rec:
        model(x).sum().backward()
    w = model[2].weight.detach().numpy()
    kept = (torch.nn.functional.linear(x, model[0].weight, model[0].bias).detach().numpy() > 0).astype(np.float32)
    np.testing.assert_allclose(rec["1"].array, np.broadcast_to(w, (2, 4)), rtol=1e-6)
    np.testing.assert_allclose(rec.find(op="linear", path="0")[0].array, w * kept, rtol=1e-6)


def test_R23_inputs_and_outputs_are_not_wrapped(torch):
    seen = []

    class Same(torch.nn.Module):
        def forward(self, x):
            seen.append(x)
            return x

    model, x = Same(), torch.ones(2, requires_grad=True)
    with observe.record(model):
        out = model(x)
        (out * 2).sum().backward()
    assert seen[0] is x and out is x


def test_R25_parameters_are_read_when_grad_is_complete(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        assert not model.l1.weight._backward_hooks  # no hook on the gradient as it passes by
        one_step(torch, model)
        one_step(torch, model)
    np.testing.assert_array_equal(rec["l1.weight"].array, model.l1.weight.grad.numpy())
    assert not model.l1.weight._backward_hooks
    if torch.__name__ == "rushlight":
        assert model.l1.weight._extra is None


def test_R27_R31_callbacks_are_told_what_the_gradient_is_of(torch):
    model, seen = make_net(torch), {}

    def note(*, name, tensor, grad):
        seen[name] = (tensor is None or tuple(tensor.shape) == tuple(grad.shape), grad)
        grad.zero_()  # a copy of its own: the training is not harmed

    with observe.record(model, keep={"l?.weight": note, "act": note, "*": "nothing"}):
        one_step(torch, model)
    assert {"l1.weight", "l2.weight"} <= set(seen) and all(fits for fits, _ in seen.values())
    assert float(model.l1.weight.grad.abs().sum()) > 0


def test_R35_values_are_taken_before_they_are_overwritten(torch):
    with observe.record(engine=torch.__name__, values=True) as rec:
        x = torch.tensor([-1.0, 2.0], requires_grad=True) * 1
        torch.nn.functional.relu(x, inplace=True)
        x.sum().backward()
    first = rec.find(op="mul")[0]
    assert (first.value.min, first.value.max) == (-1.0, 2.0)


def test_R36_calls_of_one_module_are_told_apart(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    assert rec["act#0"].call == 0 and rec["act#1"].call == 1 and rec["act#0"].shape == (5, 4) and rec["act#1"].shape == (5, 2)


def test_R37_any_order_and_unknown_names_at_once(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
        with pytest.raises(KeyError, match="nothing is called 'l1.wieght'.*l1.weight"):
            rec["l1.wieght"]
        with pytest.raises(KeyError, match="nothing is called 'bise'"):
            observe.explain("bise")
    assert [rec[n].arrivals for n in ("act#1", "l1", "l2", "act#0")] == [1] * 4
    kept = observe.retain(loss := model(inputs(torch, 5, 3)).sum())
    with pytest.raises(KeyError, match="nothing is called 'tahn#0'.*tanh"):
        kept["tahn#0"]
    loss.backward()


def test_R38_no_option_is_swallowed_and_only_own_hooks_go(torch):
    for f in (observe.record, observe.watch, observe.retain, observe.graph, observe.explain, observe.verify.__init__):
        assert all(p.kind != p.VAR_KEYWORD for p in inspect.signature(f).parameters.values()), f
    with pytest.raises(TypeError, match="gradients"):
        observe.record(make_net(torch), gradients=True)
    model, calls = make_net(torch), []
    model.l1.register_forward_hook(lambda *a: calls.append("forward"))
    model.l1.weight.register_hook(lambda g: calls.append("weight"))
    model.l1.weight.register_post_accumulate_grad_hook(lambda p: calls.append("post"))
    with observe.record(model):
        one_step(torch, model)
    one_step(torch, model)
    assert calls == ["forward", "weight", "post"] * 2


def test_R39_tuples_reuse_and_in_place(torch):
    class Both(torch.nn.Module):
        def forward(self, x):
            a, b = x * 2, x * 3
            b += 1
            return a, b

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.both = Both()

        def forward(self, x):
            a, b = self.both(x)
            c, d = self.both(a + b)
            return c * 10 + d

    with observe.record(Net()) as rec:
        x = torch.tensor(1.0, requires_grad=True)
        rec._recorder.model(x).backward()
    found = {(e.call, e.number): float(e.array) for e in rec if "both" in e.outputs}
    assert found == {(0, 0): 23.0, (0, 1): 23.0, (1, 0): 10.0, (1, 1): 1.0}


# c. backward, in-place errors, anomaly mode


def test_R42_every_write_is_named(torch):
    with observe.record(engine=torch.__name__) as rec:
        y = torch.ones(3, requires_grad=True).exp()  # kept
        y.add_(1)  # written first
        y[0] = 5.0  # written second
        with torch.no_grad():
            y *= 2  # written third
        with pytest.raises(RuntimeError) as caught:
            y.sum().backward()
    text = observe.explain(caught.value, record=rec)
    (written,) = [t for t in text.splitlines() if t.startswith("It was then written by ")]
    assert f"add_ at {line_of('written first')}" in written and f"mul_ at {line_of('written third')}" in written
    assert f" at {line_of('written second')}" in written and "exp" in text.lower() and line_of("kept") in text


@pytest.mark.parametrize("name, options", [("SGD", {}), ("Adam", {}), ("AdamW", {"foreach": True}), ("SGD", {"momentum": 0.9})])
def test_R43_the_parameter_and_the_optimizer_are_named(torch, name, options):
    D = settle(torch, torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 3)))
    optimizer = getattr(torch.optim, name)(D.parameters(), lr=0.1, **options)
    with observe.record(D) as rec:
        real, fake = D(inputs(torch, 5, 3)).sum(), D(inputs(torch, 5, 3, seed=1.0)).sum()
        real.backward()
        optimizer.step()  # the step
        with pytest.raises(RuntimeError) as caught:
            fake.backward()
    text = observe.explain(caught.value, record=rec)
    assert f"parameter 2.weight was changed by {name}.step()." in text, text
    assert f"{name}.step at {line_of('the step')}" in text and "compute the loss again after it" in text


def test_R44_the_freed_node_its_line_and_its_step(torch):
    with observe.record(engine=torch.__name__) as rec:
        x = torch.ones(2, requires_grad=True)
        feature = x.exp()  # built once
        for step in range(4):
            (x * 2).sum().backward()
            loss = (feature * (step + 1)).sum()
            if step == 2:
                loss.backward()
            if step == 3:
                with pytest.raises(RuntimeError) as caught:
                    loss.backward()
    text = observe.explain(caught.value, record=rec)
    assert "exp" in text.lower() and line_of("built once") in text
    assert "It was built in step 0; the pass that failed is of step " in text and "Build that part inside the loop" in text


def test_R45_a_write_past_the_counter_is_found_when_asked(torch):
    def run():
        x = torch.ones(2, requires_grad=True)
        h = x * 1
        y = (h * h).sum()
        h.data.zero_()
        y.backward()
        return x.grad.tolist()

    assert run() == [0.0, 0.0]
    with observe.verify(torch.__name__), pytest.raises(RuntimeError, match=r"a value of shape \[2\] .*has changed since") as caught:
        run()
    assert "It was kept at test_reports.py:" in str(caught.value)
    with observe.verify(torch.__name__):
        x = torch.ones(2, requires_grad=True)
        ((x * 2) ** 2).exp().sum().backward()
    assert torch.isfinite(x.grad).all()
    nan = torch.tensor([math.nan, math.inf], requires_grad=True)
    with observe.verify(torch.__name__):
        (nan * nan + torch.ones(0).sum()).sum().backward()


def test_R48_nodes_made_in_backward_have_their_line(rushlight):
    torch = rushlight
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with observe.record() as rec:
        (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        loss = (g * g).sum()
    for seen in (observe.graph(loss, rec), observe.graph(loss)):
        assert all(n.place.file == __file__ for n in seen if n.kind == "operator")


def test_R48_every_entry_has_its_line(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    assert all(e.place.file == __file__ and e.place.line for e in rec if e.kind == "intermediate")


@pytest.mark.parametrize("kind", ["detach", "data", "no_grad"])
def test_R49_the_cut_is_named_far_behind_it(torch, kind):
    w = torch.ones(2, requires_grad=True)
    with observe.record(engine=torch.__name__) as rec:
        h = w * 2
        if kind == "detach":
            cut = h.detach()  # cut by detach
        elif kind == "data":
            cut = h.data  # cut by data
        else:
            with torch.no_grad():
                cut = h * 2  # cut by no_grad
        loss = ((cut + 1) * 3).sum()
        with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad") as caught:
            loss.backward()
    how = {"detach": ".detach()", "data": ".data", "no_grad": "torch.no_grad()"}[kind]
    wanted = f"The path to w ends at {how}, {line_of(f'cut by {kind}')}"
    assert wanted in observe.explain(caught.value, record=rec)
    assert torch.__name__ == "torch" or wanted in str(caught.value)


def test_R49_without_a_record_the_source_is_read(torch):
    w = torch.ones(2, requires_grad=True)

    def detached():
        loss = (w * 2).sum().detach()
        loss.backward()

    def unrecorded():
        with torch.no_grad():
            loss = (w * 2).sum()
        loss.backward()

    for f, said in ((detached, ", where .detach() cuts what it is applied to."), (unrecorded, ", under the no_grad() of line ")):
        with pytest.raises(RuntimeError) as caught:
            f()
        text = observe.explain(caught.value)
        assert "It is loss, assigned at test_reports.py:" in text and said in text
        assert torch.__name__ == "torch" or said in str(caught.value)


def test_R51_which_parameters_got_nothing_and_why(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name in ("used", "unused", "cut", "frozen", "zero"):
                setattr(self, name, torch.nn.Linear(3, 3, bias=False))
            self.frozen.requires_grad_(False)

        def forward(self, x):
            return self.used(x) + self.cut(x).detach() + self.frozen(x) + self.zero(x) * 0

    model = settle(torch, Net())
    with observe.record(model) as rec:
        one_step(torch, model)
    lines = dict(line.split(" ", 1) for line in observe.explain(model, record=rec).splitlines())
    assert set(lines) == {"unused.weight", "cut.weight", "frozen.weight", "zero.weight"}
    assert "never called" in lines["unused.weight"] and ".detach() at test_reports.py:" in lines["cut.weight"]
    assert "is frozen" in lines["frozen.weight"] and "it was zero in each" in lines["zero.weight"]
    assert "zero.weight has a gradient of zeros." in observe.explain(model)


# d. monitoring


def test_R47_off_costs_nothing(rushlight):
    model = make_net(rushlight)
    x = inputs(rushlight, 5, 3)

    def calls():
        count = 0

        def see(frame, event, arg):
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(see)
        try:
            model(x).sum().backward()
        finally:
            sys.setprofile(None)
        return count

    one_step(rushlight, model)
    calls()
    before = calls()
    with observe.record(model):
        one_step(rushlight, model)
        assert calls() > before
    assert calls() == before


def test_R47_what_it_costs_is_stated():
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "observing.md"
    assert "what it costs" in page.read_text(encoding="utf-8")


def test_R58_activations_gradients_and_updates_in_one_record(torch):
    model = make_net(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with observe.record(model, optimizer=optimizer, values=True) as rec:
        for _ in range(2):
            optimizer.zero_grad()
            one_step(torch, model)
            optimizer.step()
    for step in (0, 1):
        (h,) = rec.find(variable="h", step=step)
        (w,) = rec.find("l1.weight", step=step)
        assert h.value.max <= 1.0 and h.norm > 0 and w.update == pytest.approx(0.1 * w.norm, rel=1e-4)


def test_R59_filters_steps_and_sorting(torch):
    model = make_net(torch)
    with observe.record(model, only=["l*.weight", lambda e: e.op == "tanh"], every=2) as rec:
        for _ in range(4):
            one_step(torch, model)
    assert {e.step for e in rec} == {0, 2}
    assert {e.base_name for e in rec if e.kept == "whole"} == {"l1.weight", "l2.weight", "act"}
    norms = [e.norm for e in rec.find(step=-2) if e.norm is not None]
    assert f"{max(norms):.3g}" in rec.table(sort="norm", step=2).splitlines()[2]


def test_R61_what_was_seen_is_said_also_when_it_is_nothing(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    assert rec.summary().startswith(f"Recorded {len(rec)} tensors in 1 step; a gradient came to {len(rec)}.")
    with pytest.warns(UserWarning, match="nothing was recorded"), observe.record(model):
        pass
    with pytest.warns(UserWarning, match="nothing was watched"), observe.watch(model):
        pass
    model.l1.requires_grad_(False)
    with observe.record(model) as rec:
        one_step(torch, model)
        model.l1.requires_grad_()  # unfrozen later
        one_step(torch, model)
    assert [e.step for e in rec.find("l1.weight")] == [1]
    with observe.watch(model) as seen, torch.no_grad():
        model(inputs(torch, 5, 3))
        with torch.enable_grad():
            one_step(torch, model)
    lines = seen.report().splitlines()
    assert lines[0] == "Watched 1 step of 5 intermediates and 4 parameters." and lines[1].startswith("Not watched: ")
    assert "computed under no_grad" in lines[1]


ODD = [0.0, -0.0, 1.0, -1.5, math.nan, math.inf, -math.inf, 1e-45, 1e38, -6e4]
DTYPES = ["float16", "bfloat16", "float32", "float64", "complex64", "int64", "uint8", "bool"]


@st.composite
def odd_arrays(draw):
    shape = draw(npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
    count = math.prod(shape)
    values = draw(st.lists(st.sampled_from(ODD), min_size=count, max_size=count))
    return shape, values, draw(st.sampled_from(DTYPES))


def odd_tensor(torch, array):
    shape, values, dtype = array
    if dtype in ("int64", "uint8", "bool"):
        values = [int(v) % 3 if math.isfinite(v) and abs(v) < 1e30 else 1 for v in values]
    return torch.tensor(values, dtype=torch.float64).to(getattr(torch, dtype)).reshape(shape)


def odd_program(torch, x, see):
    """A program over an odd tensor: with gradients if it can have some, else beside a weight."""
    w = torch.tensor(2.0, requires_grad=True)
    if x.is_floating_point() or x.is_complex():
        x = x.clone().requires_grad_()
    h = x * w
    y = (h * h).abs().sqrt() if h.is_complex() else torch.where(h > 0, h.sqrt(), h)
    loss = y.float().sum()
    see(x, h, y, loss)
    loss.backward()
    see(x, h, y, loss)
    return [None if t.grad is None else t.grad.clone() for t in (x, w) if t.requires_grad]


@hypothesis.settings(max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(array=odd_arrays(), keep=st.sampled_from(["whole", "statistics", "sample", "nothing"]))
def test_R60_odd_tensors_never_make_a_monitor_fail(torch, quiet, array, keep):
    def look(record):
        def see(x, h, y, loss):
            for t in (x, h, y, loss):
                assert observe.explain(t, record=record)
            assert observe.explain(x, loss=loss, record=record)
            seen = observe.graph(loss, record)
            assert str(seen) and seen.dot()
            assert observe.retain(loss, record).table()

        return see

    def run(see):
        with quiet(), np.errstate(all="ignore"):
            return odd_program(torch, odd_tensor(torch, array), see)

    plain = run(lambda *tensors: None)
    with observe.record(engine=torch.__name__, keep=keep, values=True) as rec:
        recorded = run(look(rec))
    assert not [n for n in rec.notes if "failed" in n], rec.notes
    assert rec.table() and rec.summary() and observe.explain(rec)
    for e in rec:
        assert repr(e) and e.as_dict()
        if e.statistics is not None:
            assert e.statistics.quantiles() is not None and e.statistics.histogram() is not None and repr(e.statistics)
    heard = []
    with observe.watch(torch.nn.Linear(1, 1), on=lambda *, alarm: heard.append(alarm)) as seen:
        watched = run(lambda *tensors: None)
    assert seen.report() and not [n for n in seen.record.notes if "failed" in n], seen.record.notes
    for a in heard:
        assert observe.explain(observe.NonFinite(a))
    for other in (recorded, watched):
        for a, b in zip(plain, other, strict=True):
            assert a is b is None or torch.equal(torch.nan_to_num(torch.view_as_real(a) if a.is_complex() else a.double()),
                                                 torch.nan_to_num(torch.view_as_real(b) if b.is_complex() else b.double()))


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, math.inf])
def test_R62_norms_of_the_parts_and_of_the_whole_agree(torch, order):
    model = make_net(torch)
    one_step(torch, model)
    grads = [p.grad for p in model.parameters()]
    each = [float(torch.norm(g, order)) for g in grads]
    total = float(torch.norm(torch.tensor(each), order))
    whole = float(torch.norm(torch.cat([g.reshape(-1) for g in grads]), order))
    clipped = float(torch.nn.utils.clip_grad_norm_(model.parameters(), 1e9, norm_type=order))
    assert total == pytest.approx(whole, rel=1e-5) and clipped == pytest.approx(whole, rel=1e-5)
    if order == 2.0:
        with observe.record(model, keep="statistics") as rec:
            model.zero_grad()
            one_step(torch, model)
        recorded = math.sqrt(sum(e.norm**2 for e in rec.find(kind="parameter")))
        assert recorded == pytest.approx(whole, rel=1e-5)


def test_R63_thresholds_are_relative(torch):
    torch.manual_seed(0)
    layers = [layer for _ in range(8) for layer in (torch.nn.Linear(16, 16), torch.nn.Sigmoid())]
    deep = torch.nn.Sequential(*layers, torch.nn.Linear(16, 1))
    for scale in (1e-12, 1.0, 1e12):  # of neighbours: the size of the loss does not matter
        deep.zero_grad()
        with observe.watch(deep) as seen:
            (deep(inputs(torch, 8, 16)).pow(2).mean() * scale).backward()
        assert [a.kind for a in seen.alarms] == ["vanishing"], scale
    small = settle(torch, torch.nn.Linear(4, 2))
    for scale in (1e-6, 1e6):  # of history
        with observe.watch(small) as seen:
            for i in range(8):
                small.zero_grad()
                (small(inputs(torch, 3, 4)).pow(2).mean() * scale * (1000 if i == 6 else 1)).backward()
        assert [(a.kind, a.step) for a in seen.alarms] == [("spike", 6)]
    with observe.record(deep) as rec:
        one = deep(inputs(torch, 8, 16)).sum()
        one.backward()
    lines = rec.table(sort="norm", limit=10).splitlines()
    assert len([n for n in lines if n]) >= 10 and lines[-1].startswith("... and ")


def test_R64_tensors_of_no_dimension(torch):
    with observe.record(engine=torch.__name__) as rec:
        s = torch.tensor(2.0, requires_grad=True) * 3
        loss = s * s
        kept = observe.retain(loss)
        loss.backward()
    assert float(rec["s"].grad) == 12.0 and float(kept[1].grad) == 12.0 and rec["s"].shape == ()
    assert rec["s"].statistics.mean == 12.0


def test_R65_graphs_as_text_and_dot(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        loss = (model(inputs(torch, 5, 3)) * torch.tensor([math.nan, 1.0])).sum()
        loss.backward()
        seen = observe.graph(loss, rec)
    text, dot = str(seen), seen.dot()
    assert "l1" in text and "l2.weight" in text and "test_reports.py:" in text
    assert "gradient norm" in dot and "fillcolor=red" in dot and dot.startswith("digraph")


def test_R65_deep_graphs_need_no_recursion(torch):
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y * 1.0
    seen = observe.graph(y)
    assert len(seen) == 3001 and "more" in seen.text(limit=20) and "more" in seen.dot(limit=20)


def test_R66_the_first_bad_parameters_are_named(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        (model(inputs(torch, 5, 3)).sum() * math.nan).backward()
    with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped") as caught:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
    text = observe.explain(caught.value, record=rec)
    assert "Not finite: the gradient of " in text and "l1.weight (12 NaN and 0 Inf" in text and "born in the derivative of mul" in text
    if torch.__name__ == "rushlight":
        assert "Not finite: the gradient of model.l1.weight (12 NaN and 0 Inf of 12 values)" in str(caught.value)


def test_R67_forward_values_by_module_with_exceptions(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(3, 3)

        def forward(self, x):
            h = self.lin(x)
            return torch.log(h * 0).exp().sum()

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Net()

        def forward(self, x):
            return self.inner(x)

    model = settle(torch, Outer())
    with pytest.raises(observe.NonFinite, match="log at test_reports.py:.* in module inner gave 6 Inf of 6 values"), observe.watch(model):
        model(inputs(torch, 2, 3))
    with observe.watch(model, ignore="log", on="log") as seen:
        model(inputs(torch, 2, 3)).backward()
    assert "value" not in [a.kind for a in seen.alarms]


def test_R68_more_than_norms(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    e = rec["l1"]
    assert e.grad.shape == (5, 4) and e.norm > 0 and e.place.line and e.name == "l1"
    assert {"norm", "mean", "std", "min", "max", "zeros", "nan", "inf"} <= set(e.as_dict())


def test_R69_replicated_modules_are_refused(torch):
    model = torch.nn.DataParallel(make_net(torch))
    with pytest.raises(TypeError, match="a replicated model cannot be recorded.*\nRecord model.module."), observe.record(model):
        pass


# f. numerics, where the report must name the cause


@pytest.mark.parametrize("between", [lambda t: t, lambda t: t * 2 + 1])
def test_R80_the_untaken_branch_is_named_with_the_repair(torch, between):
    model = settle(torch, torch.nn.Linear(2, 2))
    with observe.watch(model, on="log") as seen:
        h = model(inputs(torch, 3, 2))
        x = h - h.detach()
        torch.where(x > 0, between(x.sqrt()), x).sum().backward()  # the choice
    (alarm,) = seen.alarms
    assert f"It comes from the untaken branch of where at {line_of('the choice')}" in alarm.text
    assert "torch.where(mask, x, 1.0) in place of x in sqrt" in alarm.text and "6 NaN" in alarm.text


def test_R80_a_leaf_and_a_record(torch):
    x = torch.tensor([-1.0, 4.0], requires_grad=True)
    with observe.record(engine=torch.__name__) as rec:
        x.sqrt().masked_fill(x < 0, 0.0).sum().backward()
        text = observe.explain(x, record=rec)
    assert "It holds 1 NaN and 0 Inf." in text and "the untaken branch of masked_fill at test_reports.py:" in text
    repaired = torch.where(x > 0, x, 1.0).sqrt().masked_fill(x < 0, 0.0).sum()
    assert torch.isfinite(torch.autograd.grad(repaired, x)[0]).all()


def test_R80_a_branch_that_is_taken_is_not_blamed(torch):
    with observe.record(engine=torch.__name__) as rec:
        x = torch.tensor([-1.0, 4.0], requires_grad=True)
        torch.where(x < 9, x.sqrt(), x).sum().backward()
        text = observe.explain(x, record=rec)
    assert "It was born in the derivative of sqrt" in text and "untaken" not in text


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_R79_rows_that_are_masked_throughout_are_named(torch, name):
    model = settle(torch, torch.nn.Linear(2, 2))
    with pytest.raises(observe.NonFinite, match="1 row of the input is -inf throughout") as caught, observe.watch(model):
        mask = torch.tensor([[True, True], [True, False], [False, False]])
        scores = model(inputs(torch, 3, 2)).masked_fill(mask, -math.inf)
        getattr(scores, name)(1).sum().backward()
    assert "Leave one finite value in each row" in observe.explain(caught.value) and f"{name} at test_reports.py:" in str(caught.value)


def test_R92_a_broadcasting_loss_shows_shapes_and_line(torch):
    prediction = torch.ones(3, requires_grad=True) * 1
    with warnings.catch_warnings(record=True) as caught, observe.record(engine=torch.__name__) as rec:
        warnings.simplefilter("always")
        loss = torch.nn.functional.mse_loss(prediction, torch.ones(3, 1))  # the loss
    place = line_of("the loss")
    (warning,) = [w for w in caught if "different to the input size" in str(w.message)]
    for what in (warning, warning.message):
        text = observe.explain(what, record=rec)
        assert f"at {place} takes an input of shape [3] and a target of shape [3, 1]" in text and "[3, 3]" in text
    assert f"mse_loss at {place} takes shapes [3] and [3, 1] and broadcasts them to [3, 3]" in observe.explain(
        loss, record=rec
    )
    with pytest.raises(ValueError, match="different to the input size") as refused:
        torch.nn.functional.binary_cross_entropy(torch.full((3,), 0.5), torch.full((3, 1), 0.5))
    assert "takes an input of shape [3] and a target of shape [3, 1], which do not fit" in observe.explain(refused.value)


# g. checkpoint


def test_R103_a_recomputation_is_no_second_call(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        x = inputs(torch, 5, 3).requires_grad_()
        checkpoint_of(torch)(lambda x: model(x), x, use_reentrant=False).sum().backward()
    assert [e.name for e in rec.find("l1")] == ["l1"] and rec["l1"].call == 0 and rec["l1"].arrivals == 1
    assert len(rec.find(op="tanh")) == 2 and len(rec.find("l1.weight")) == 1


def test_R106_R10_a_record_holds_no_graph(rushlight, no_gc):
    model = make_net(rushlight)
    with observe.record(model) as rec:
        loss = one_step(rushlight, model)
        ref = weakref.ref(loss)
        del loss
        assert ref() is None
    assert len(rec)
