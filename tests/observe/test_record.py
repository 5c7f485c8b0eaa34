"""Recordings: names, what is kept, the budget, parameters, and everything that can go wrong around one."""

import copy
import io
import pickle
import re
import threading
import warnings
import weakref

import numpy as np
import pytest
from tests.observe.models import inputs, settle

from rushlight import observe
from rushlight.autograd import modes


def make_net(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l1, self.act, self.l2 = torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 4)

        def forward(self, x):
            h = self.act(self.l1(x))
            z = self.act(self.l2(h))
            both = h + z
            first, second = both.chunk(2, dim=1)
            return first * second

    return settle(torch, Net())


def one_step(torch, model):
    loss = model(inputs(torch, 5, 3)).sum()
    loss.backward()
    return loss


# ---------------------------------------------------------------- names


def test_names_lines_and_calls(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    assert rec["l1"].op == "linear" and rec["l1"].variable is None
    assert rec["act#0"].variable == "h" and rec["act#1"].variable == "z" and rec["act#1"].call == 1
    assert rec["h"] is rec["act#0"] and rec["both"].op == "add"
    assert rec["first"].shape == (5, 2) and rec["second"].place.function == "forward"
    assert rec["both"].place.file == __file__ and rec["both"].place.line == rec["first"].place.line - 1
    assert rec["output"].outputs == ("",) and rec["loss"].shape == ()
    assert rec["l2.weight"].kind == "parameter" and rec["l2.weight"].shape == (4, 4)
    assert rec["l1"].dtype == "float32" and rec[0] is rec["l1"] and len(rec) == len(list(rec))


def test_unknown_and_ambiguous_names_are_refused(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    with pytest.raises(KeyError, match="nothing is called 'l3'.*l2"):
        rec["l3"]
    with pytest.raises(KeyError, match="2 entries of step 0 are called 'act': act#0, act#1"):
        rec["act"]
    assert "l1" in rec and "act" not in rec


def test_variables_of_every_form_of_assignment(torch):
    w = torch.ones(4, requires_grad=True)

    class Holder:
        pass

    holder = Holder()
    with observe.record(engine=torch.__name__) as rec:
        a = w * 2
        b = c = a + 1
        d, e = torch.split(b, 2)
        holder.f = d * e
        if (g := holder.f.sum()) is not None:
            pass
        a *= 3
        (g + c.sum() + a.sum()).backward()
    names = {x.variable for x in rec}
    assert {"a", "b", "d", "e", "holder.f", "g", "w"} <= names
    assert [x.op for x in rec.find(variable="a")] == ["mul", "mul_"]
    assert rec["w"].kind == "input"


def test_find(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
        one_step(torch, model)
    assert rec.steps == 2 and {e.step for e in rec.find(op="tanh")} == {0, 1}
    assert len(rec.find(op="tanh", step=-1)) == 2 and len(rec.find("l?.weight", step=0)) == 2
    assert rec.find(nonfinite=True) == [] and rec.find(reached=False) == []
    assert rec.find(where=lambda e: e.norm > 1e9) == []
    assert {e.name for e in rec.find(path="l2", kind="parameter")} == {"l2.weight", "l2.bias"}


# ---------------------------------------------------------------- what is kept


def test_forms_by_pattern(torch):
    model = make_net(torch)
    seen = []

    def note(*, name, tensor, grad):
        seen.append((name, tuple(grad.shape)))
        return float(grad.sum())

    with observe.record(model, keep={"act*": "whole", "l1": "statistics", "l2": "sample", "both": note, "*": "nothing"}) as rec:
        one_step(torch, model)
    assert rec["act#0"].kept == "whole" and rec["l1"].kept == "statistics" and rec["l1"].grad is None
    assert rec["l2"].kept == "sample" and rec["l2"].sample.shape == (20,)
    assert seen == [("both", (5, 4))] and isinstance(rec["both"].result, float)
    assert rec["loss"].kept == "nothing" and rec["loss"].arrivals == 1


def test_only(torch):
    model = make_net(torch)
    with observe.record(model, only=["l1*", re.compile("^z$")]) as rec:
        one_step(torch, model)
    assert {e.base_name for e in rec if e.kept == "whole"} == {"l1", "l1.weight", "l1.bias", "act"}
    with pytest.warns(UserWarning, match="'lauer' matched nothing"), observe.record(model, only=["lauer", "l1"]):
        one_step(torch, model)


@pytest.mark.parametrize("limit", [0, 100, 300, 1000])
def test_the_budget_is_kept_and_the_record_says_so(torch, limit):
    model = make_net(torch)
    with observe.record(model, budget=limit) as rec:
        one_step(torch, model)
    whole = [e for e in rec if e.kept == "whole"]
    reduced = [e for e in rec if e.kept == "statistics"]
    assert sum(e.array.nbytes for e in whole) == rec.budget.used <= limit
    assert all("budget" in e.note and e.norm is not None and e.grad is None for e in reduced)
    assert bool(reduced) == any("budget" in n for n in rec.notes)


def test_gradients_belong_to_the_reader(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    rec["l1"].grad.zero_()
    assert rec["l1"].norm > 0 and float(abs(rec["l1"].grad).sum()) > 0


def test_no_tensor_of_the_model_is_kept(rushlight, no_gc):
    torch = rushlight
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    assert all(e.ref() is None for e in rec if e.kind == "intermediate")


def test_parameters_ratios_and_updates(torch):
    model = make_net(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with observe.record(model, optimizer=optimizer) as rec:
        one_step(torch, model)
        before = model.l1.weight.detach().clone()
        optimizer.step()
    e = rec["l1.weight"]
    assert e.ratio == pytest.approx(float(model.l1.weight.grad.norm() / before.norm()), rel=1e-5)
    assert e.update == pytest.approx(0.1 * float(model.l1.weight.grad.norm()), rel=1e-4)
    assert e.update_ratio == pytest.approx(0.1 * e.ratio, rel=1e-4)
    assert "update/weight" in rec.table()


def test_a_parameter_shows_its_accumulated_grad(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        loss = model(inputs(torch, 5, 3)).sum()
        loss.backward(retain_graph=True)
        loss.backward()
    np.testing.assert_array_equal(rec["l1.weight"].array, model.l1.weight.grad.numpy())
    assert rec["l1.weight"].arrivals == 2 and rec["l1"].arrivals == 2


def test_every_nth_step(torch):
    model = make_net(torch)
    with observe.record(model, every=3) as rec:
        for _ in range(7):
            one_step(torch, model)
    assert {e.step for e in rec} == {0, 3, 6}


def test_reentrant_checkpoints_record_what_is_recomputed(torch, quiet):
    import importlib

    checkpoint = importlib.import_module(torch.__name__ + ".utils.checkpoint").checkpoint
    model = make_net(torch)
    with quiet(), observe.record(model) as rec:
        x = inputs(torch, 5, 3).requires_grad_()
        checkpoint(lambda x: model.act(model.l1(x)), x, use_reentrant=True).sum().backward()
    assert rec["l1"].arrivals == 1 and rec["act"].name == "act" and rec["act"].call == 0


def test_higher_derivatives(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with observe.record(engine=torch.__name__) as rec:
        y = x**3
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        (g * g).sum().backward()
    assert rec.steps == 1
    np.testing.assert_allclose(rec["x"].array, [36.0, 288.0])


# ---------------------------------------------------------------- tables


def test_table(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    lines = rec.table().splitlines()
    assert lines[0].split()[:4] == ["name", "op", "shape", "line"] and len(lines) == len(rec) + 2
    assert any(line.startswith("act#1") and "test_record.py:" in line for line in lines)
    assert rec.table(sort="norm", limit=2).splitlines()[-1] == f"... and {len(rec) - 2} more"
    with pytest.raises(ValueError, match="cannot be sorted by 'size_of'"):
        rec.table(sort="size_of")


def test_frames_need_their_library(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    for name, make in (("pandas", rec.to_pandas), ("polars", rec.to_polars)):
        try:
            __import__(name)
        except ImportError:
            with pytest.raises(ImportError, match=f"needs {name}"):
                make()
        else:
            assert len(make()) == len(rec)


def test_rich_shows_a_record(torch):
    console = pytest.importorskip("rich.console").Console(width=200, record=True, file=io.StringIO())
    model = make_net(torch)
    with observe.record(model) as rec:
        one_step(torch, model)
    console.print(rec)
    text = console.export_text()
    assert "act#1" in text and "l1.weight" in text and "test_record.py:" in text


# ---------------------------------------------------------------- faults


def test_arguments(torch):
    for wrong in (dict(keep="all"), dict(budget="much"), dict(every=0), dict(engine="jax"), dict(budget=-1)):
        with pytest.raises(ValueError, match="\\w"):
            observe.record(**wrong)
    with pytest.raises(TypeError, match="a module of rushlight or PyTorch is needed, not int"):
        observe.record(3)
    with pytest.raises(TypeError, match="a pattern is"):
        observe.record(only=3)


def test_a_model_that_raises_in_the_middle(torch):
    model = make_net(torch)
    model.l2.forward = lambda x: 1 / 0
    with pytest.raises(ZeroDivisionError), observe.record(model) as rec:
        model(inputs(torch, 5, 3))
    assert "l1" in rec and any("backward was not called" in n for n in rec.notes)
    del model.l2.forward
    with observe.record(model) as rec:
        model.act.forward = lambda x: 1 / 0
        with pytest.raises(ZeroDivisionError):
            model(inputs(torch, 5, 3))
        del model.act.forward
        one_step(torch, model)
    assert rec["output"].arrivals == 1 and rec["l2"].path == "l2"
    one_step(torch, model)


def test_a_backward_that_never_comes(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        model(inputs(torch, 5, 3))
    assert rec.unreached == list(rec) and "backward was not called" in rec.notes[0] and "note:" in rec.table()


def test_the_summary_says_what_was_not_seen(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        model(inputs(torch, 5, 3))[0].sum().backward()
        aside = model.l1(inputs(torch, 2, 3))
        with torch.no_grad():
            model.l1(inputs(torch, 2, 3))
    lines = rec.summary().splitlines()
    assert lines[0] == f"Recorded {len(rec)} tensors in 2 steps; a gradient came to {len(rec) - 1}."
    assert lines[1] == "None came to l1." and "Skipped: " in lines[2] and aside.grad_fn is not None


def test_replicated_models_are_refused(torch):
    class DataParallel(torch.nn.Module):
        pass

    with pytest.raises(TypeError, match="Record model.module"), observe.record(DataParallel()):
        pass


def test_nothing_recorded_is_said(torch):
    model = make_net(torch)
    with pytest.warns(UserWarning, match="nothing was recorded"), observe.record(model) as rec, torch.no_grad():
        model(inputs(torch, 5, 3))
    assert rec.skipped["tensors computed under no_grad"] > 3


def test_a_callback_that_raises(torch):
    model = make_net(torch)

    def bad(*, name, tensor, grad):
        raise OSError("disk")

    with observe.record(model, keep=bad) as rec:
        one_step(torch, model)
    assert model.l1.weight.grad is not None and rec["l1"].error == "OSError: disk"
    assert any("the training went on" in n for n in rec.notes)


def test_a_users_hook_that_raises(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        out = model(inputs(torch, 5, 3))

        def bad(grad):
            raise OSError("hook")

        out.register_hook(bad)
        with pytest.raises(OSError, match="hook"):
            out.sum().backward()
    assert rec["out"].arrivals == 0 and rec["sum"].arrivals == 1


def test_a_users_hook_that_replaces_the_gradient(torch):
    x = torch.ones(2, requires_grad=True)
    with observe.record(engine=torch.__name__) as rec:
        y = x * 2
        y.register_hook(lambda g: g * 10)
        y.sum().backward()
    np.testing.assert_array_equal(rec["y"].array, [10.0, 10.0])


def test_generators(torch):
    model = make_net(torch)

    def batches():
        for _ in range(2):
            yield one_step(torch, model)

    with observe.record(model) as rec:
        list(batches())
    assert rec.steps == 2
    half = batches()
    with observe.record(model) as rec:
        next(half)
    next(half)
    assert rec.steps == 1


def test_threads(torch):
    model, other = make_net(torch), make_net(torch)
    records = {}

    def work(name, net):
        with observe.record(net) as rec:
            for _ in range(3):
                one_step(torch, net)
        records[name] = rec

    threads = [threading.Thread(target=work, args=a) for a in (("a", model), ("b", other))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [len(r) for r in records.values()] == [len(records["a"])] * 2 and records["a"].steps == 3
    with observe.record(model) as rec:
        t = threading.Thread(target=one_step, args=(torch, model))
        t.start()
        t.join()
        one_step(torch, model)
    assert rec.steps == 1 and rec.skipped["calls in other threads"] > 0


def test_recordings_nest_and_leave_nothing(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        with pytest.raises(RuntimeError, match="this recording is open already"), rec:
            pass
        one_step(torch, model)
        with observe.record(model, keep="statistics") as inner, observe.watch(model) as seen:
            one_step(torch, model)
        one_step(torch, model)
    count = len(inner)
    assert len(rec) == 3 * count and rec.steps == 3 and seen.steps == 1
    assert [e.name for e in rec.find(step=1)] == [e.name for e in inner]
    assert [e.norm for e in rec.find(step=1)] == pytest.approx([e.norm for e in inner], rel=1e-6)
    assert not rec.notes and not inner.notes
    one_step(torch, model)
    assert len(rec) == 3 * count
    assert not model.l1._forward_hooks and not model.l1._forward_pre_hooks and not model.l1._forward_hooks_always_called


def test_after_a_recording_operators_take_the_short_way_again(rushlight):
    from rushlight.autograd import modes

    plain, leaf_hooks = modes.plain, modes.leaf_hooks
    model = make_net(rushlight)
    with observe.record(model):
        assert not modes.plain
        one_step(rushlight, model)
    assert modes.plain is plain and modes.leaf_hooks is leaf_hooks and modes.state.observer is None


def test_copied_and_pickled_models_carry_no_recorder(torch):
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh())
    with observe.record(model) as rec:
        pickled = pickle.dumps(model)
        assert b"observe" not in pickled
        twin, again = copy.deepcopy(model), pickle.loads(pickled)
        for m in (twin, again, model):
            m(inputs(torch, 5, 3)).sum().backward()
    assert len([e for e in rec if e.kind == "parameter"]) == 2
    with observe.record(again) as rec:
        again(inputs(torch, 5, 3)).sum().backward()
    assert rec["0"].op == "linear"


def test_a_shape_that_broadcasts_in_a_loss_is_noted(torch):
    prediction = torch.ones(4, 1, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with observe.record(engine=torch.__name__) as rec:
            torch.nn.functional.mse_loss(prediction * 1, torch.ones(4)).backward()
            ((prediction * 1 - torch.ones(4)) ** 2).mean().backward()
    assert len(rec.notes) == 2 and all("[4, 1] and [4]" in n and "test_record.py:" in n for n in rec.notes)


def test_strange_tensors(torch):
    nan = float("nan")
    with observe.record(engine=torch.__name__) as rec:
        empty = (torch.ones(0, requires_grad=True) * 2).sum()
        scalar = torch.tensor(2.0, requires_grad=True) * 3
        bad = (torch.tensor([0.0, 1.0], requires_grad=True) * torch.tensor([nan, float("inf")])).sum()
        half = torch.ones(2, dtype=torch.bfloat16, requires_grad=True) * 2
        rows = torch.ones(3, 2, requires_grad=True)[torch.tensor([0, 0])]
        (empty + scalar + bad + half.sum().float() + rows.sum()).backward()
    assert rec.find(nonfinite=True) and rec["scalar"].norm == 1.0 and rec["half"].dtype == "bfloat16"
    assert rec["rows"].norm == 2.0 and "nan" in rec.table() and not rec.notes


# ---------------------------------------------------------------- models that nobody named


def named_paths(rec):
    return {e.path for e in rec if e.outputs}


def test_models_are_found_and_named_as_the_program_names_them(torch):
    net = make_net(torch)
    criterion = torch.nn.MSELoss()
    with observe.record(optimizer="all", engine=torch.__name__) as rec:
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        loss = criterion(net(inputs(torch, 5, 3)), torch.zeros(5, 2))
        loss.backward()
        optimizer.step()
    assert {"net.l1", "net.act", "net.l2", "criterion"} <= named_paths(rec)
    assert rec["net"].grad.shape == (5, 2) and rec["net.l1.weight"].kind == "parameter"
    assert rec["net.l1.weight"].update == pytest.approx(0.1 * rec["net.l1.weight"].norm, rel=1e-5)
    assert rec._recorder.scalars[0][0] in ("loss", "criterion") and rec._recorder.scalars[0][1] == pytest.approx(loss.item())
    assert rec._recorder.scalars[1] == ("learning rate", 0.1)


def test_training_in_another_thread_is_told_from_no_training(torch):
    model = torch.nn.Linear(3, 1)

    def train():
        for _ in range(3):
            model(torch.ones(2, 3)).sum().backward()

    with pytest.warns(UserWarning, match="nothing was recorded"), observe.record(engine=torch.__name__) as rec:
        thread = threading.Thread(target=train)
        thread.start()
        thread.join()
    (note,) = rec.notes
    assert note.startswith("Nothing was recorded: the modules ran in other threads (6 calls), and a recording sees only the thread that")


def test_models_in_attributes_and_containers_have_names(torch):
    class Trainer:
        def __init__(self):
            self.policy = make_net(torch)

        def run(self):
            self.policy(inputs(torch, 5, 3)).sum().backward()

    class Holder:
        parts = None

    holder = Holder()
    holder.parts = {"a": torch.nn.Linear(3, 1)}
    models = [torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)]
    whole = make_net(torch)
    with observe.record(engine=torch.__name__) as rec:
        Trainer().run()
        (models[0](inputs(torch, 5, 3)) + models[1](inputs(torch, 5, 3))).sum().backward()
        holder.parts["a"](inputs(torch, 5, 3)).sum().backward()
        whole.l1(inputs(torch, 5, 3)).sum().backward()
        torch.nn.Linear(3, 1)(inputs(torch, 5, 3)).sum().backward()
        torch.nn.Linear(3, 1)(inputs(torch, 5, 3)).sum().backward()
    found = named_paths(rec)
    assert {"policy.l1", "models[0]", "models[1]", "holder.parts['a']", "whole.l1", "Linear"} <= found, found
    assert not rec.notes


def test_a_module_made_on_the_way_is_known_by_its_class(torch):
    class Odd(torch.nn.Module):
        def forward(self, x):
            return torch.nn.Linear(3, 2)(x)

    odd = Odd()
    with observe.record(engine=torch.__name__) as rec:
        odd(inputs(torch, 5, 3)).sum().backward()
    assert "odd.Linear" in named_paths(rec) and "odd.Linear.weight" in rec


def test_found_models_and_leaves_are_not_kept(rushlight, no_gc):
    with observe.record(keep="statistics") as rec:
        for _ in range(250):
            model = rushlight.nn.Linear(3, 2)
            x = rushlight.ones(4, 3, requires_grad=True)
            model(x).sum().backward()
    gone = weakref.ref(model), weakref.ref(x)
    del model, x
    assert gone[0]() is None and gone[1]() is None
    assert len(rec._recorder.leaves.hooked) < 500 and not rec.notes


def test_parameters_unfrozen_later_have_their_names(torch):
    model = make_net(torch)
    model.l1.weight.requires_grad_(False)
    with observe.record(model) as rec:
        one_step(torch, model)
        model.l1.weight.requires_grad_()
        one_step(torch, model)
    assert [e.step for e in rec.find("l1.weight")] == [1] and rec["l1.weight"].kind == "parameter"


def test_operators_have_the_names_that_programs_call_them_by(torch):
    F = torch.nn.functional
    x = torch.nn.Parameter(inputs(torch, 2, 4, 8, 8))
    calls = {
        "layer_norm": lambda: F.layer_norm(x, (8,)),
        "batch_norm": lambda: torch.nn.BatchNorm2d(4)(x),
        "max_pool2d": lambda: F.max_pool2d(x, 2),
        "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(x, 2),
        "adaptive_max_pool2d": lambda: F.adaptive_max_pool2d(x, 2),
        "pad": lambda: F.pad(x, (1, 1)),
        "getitem": lambda: x[:, 1:],
        "squeeze": lambda: x.squeeze(),
        "interpolate": lambda: F.interpolate(x, scale_factor=2),
        "conv_transpose2d": lambda: F.conv_transpose2d(x, torch.ones(4, 2, 2, 2)),
        "scaled_dot_product_attention": lambda: F.scaled_dot_product_attention(x, x, x),
        "cross_entropy": lambda: F.cross_entropy(x[0, 0], torch.zeros(8, dtype=torch.long)),
    }
    for name, call in calls.items():
        with observe.record(engine=torch.__name__, keep="nothing") as rec:
            call().sum().backward()
        assert [e.op for e in rec if e.kind == "intermediate"][-2] == name


def test_steps_that_are_not_recorded_run_as_without_a_recording(rushlight):
    """Between the steps that are recorded, operators take their short way; those that are recorded are seen all the same."""
    model = rushlight.nn.Linear(3, 2)
    ways, plain = [], modes.plain  # a class of tensors that another test made may have ended the short way for good
    with observe.record(model, every=3) as rec:
        for _ in range(8):
            out = model(rushlight.ones(4, 3))
            ways.append(modes.plain)
            out.sum().backward()
    assert ways == [False, plain, plain, False, plain, plain, False, plain]
    assert modes.plain == plain and modes.state.observer is None
    assert {e.step for e in rec} == {0, 3, 6} and len(rec.find("weight")) == 3
    with observe.record(model, every=2) as outer, observe.record(model, every=4) as inner:
        for _ in range(9):
            model(rushlight.ones(4, 3)).sum().backward()
    assert {e.step for e in outer} == {0, 2, 4, 6, 8} and {e.step for e in inner} == {0, 4, 8}
    assert modes.plain == plain and not modes.watched and modes.state.observer is None


@pytest.mark.parametrize("steps", [4, 5])
def test_a_last_step_that_is_not_recorded_is_no_missing_backward(torch, tmp_path, steps):
    model = make_net(torch)
    with observe.record(model, every=2, file=tmp_path / "x.db") as rec, observe.watch(model, every=2, on="log") as seen:
        for _ in range(steps):
            one_step(torch, model)
    assert not [n for n in [*rec.notes, *seen.record.notes] if "No gradient" in n]


def test_the_update_of_spoilt_weights_has_no_size(torch):
    model = make_net(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=float("inf"))
    with observe.record(model, optimizer=optimizer) as rec:
        one_step(torch, model)
        optimizer.step()
    assert rec["l1.weight"].update is None and not rec.notes


# ---------------------------------------------------------------- gradients that come late, parameters that come early


def test_gradients_that_come_late_reach_their_step_in_the_file(torch, tmp_path):
    first, second = torch.nn.Linear(4, 2), torch.nn.Linear(2, 1)
    both = settle(torch, torch.nn.ModuleDict({"G": first, "D": second}))
    with observe.record(both, file=tmp_path / "late.db") as rec:
        for _ in range(3):
            fake = first(inputs(torch, 8, 4))
            fake.retain_grad()
            second(fake.detach()).sum().backward()
            second(fake).pow(2).sum().backward()
    with observe.read(tmp_path / "late.db") as runs:
        steps, norms = runs[0].series("G")
        assert steps.tolist() == [0, 2, 4] and norms.tolist() == pytest.approx([fake.grad.norm().item()] * 3, rel=1e-5)
        assert runs[0].series("G.weight")[0].tolist() == [1, 3, 5]
        assert runs.query("SELECT step, tensors, reached FROM steps WHERE step IN (0, 1)") == [(0, 5, 5), (1, 7, 7)]
    assert not rec.notes


@pytest.mark.parametrize("keep", ["whole", "statistics", "sample"])
@pytest.mark.parametrize("to_file", [False, True])
def test_gradients_of_two_passes_over_one_graph_are_added(torch, tmp_path, keep, to_file):
    trunk, a, b = (settle(torch, torch.nn.Linear(i, o)) for i, o in ((4, 3), (3, 1), (3, 1)))
    model = torch.nn.ModuleDict({"trunk": trunk, "a": a, "b": b})
    true = []
    with observe.record(model, keep=keep, file=tmp_path / "sum.db" if to_file else None) as rec:
        for _ in range(3):
            h = torch.tanh(trunk(inputs(torch, 5, 4)))
            h.retain_grad()
            a(h).pow(2).sum().backward(retain_graph=True)
            b(h).pow(2).sum().backward()
            true.append(h.grad.norm().item())
    if to_file:
        with observe.read(tmp_path / "sum.db") as runs:
            assert runs[0].series("h")[1].tolist() == pytest.approx(true, rel=1e-5)
    else:
        found = rec.find(where=lambda e: e.variable == "h" and e.op == "tanh")
        assert [e.norm for e in found] == pytest.approx(true, rel=1e-5) and [e.note for e in found] == [None] * 3


def test_no_sum_outlives_its_graph_for_long(rushlight):
    model = make_net(rushlight)
    with observe.record(model, keep="statistics") as rec:
        for _ in range(4):
            model(inputs(rushlight, 5, 3)).sum().backward(retain_graph=True)
    assert not [e for e in rec if e.step < 2 and e._sum is not None] and [e for e in rec if e._sum is not None]


def test_parameters_touched_before_their_module_is_called_have_their_names(torch):
    q = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 2))
    with observe.record(engine=torch.__name__) as rec, observe.watch(engine=torch.__name__, on="log") as seen:
        target = copy.deepcopy(q)
        for p in target.parameters():
            p.requires_grad_(False)
        assert q[0].weight.norm().item() > 0
        penalty = sum(p.pow(2).sum() for p in q.parameters())
        (q(inputs(torch, 8, 4)).sum() + penalty).backward()
    assert {e.variable for e in rec if e.kind == "parameter"} == {"q.0.weight", "q.0.bias", "q.1.weight", "q.1.bias"}
    assert not rec.find(kind="input") and not rec.notes
    assert all(not name.startswith("q.") for name in seen.missing())


def test_steps_that_rest_count_as_gradients_that_came(torch):
    one, two = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
    both = torch.nn.ModuleList([one, two])
    with observe.watch(both, every=2, on="log") as seen:
        for _ in range(4):
            one(inputs(torch, 5, 3)).sum().backward()
            two(inputs(torch, 5, 3)).sum().backward()
    assert seen.missing() == {}


def test_the_rates_of_groups_and_optimizers_are_noted(torch):
    net = make_net(torch)
    first = torch.optim.SGD([{"params": net.l1.parameters()}, {"params": net.l2.parameters(), "lr": 0.5}], lr=0.25)
    second = torch.optim.Adam(net.parameters(), lr=0.125)
    with observe.record(net, optimizer=[first, second]) as rec:
        one_step(torch, net)
        first.step()
        second.step()
    assert rec._recorder.scalars[1:] == [("learning rate", 0.25), ("learning rate, group 2", 0.5), ("learning rate 2", 0.125)]
