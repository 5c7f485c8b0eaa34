"""``explain``: the sentences that are given for the questions people ask."""

import pytest
from tests.observe.models import inputs, settle

from rushlight import observe


def make_net(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name in ("l1", "cutoff", "unused", "aside", "quiet", "frozen"):
                setattr(self, name, torch.nn.Linear(3, 4))
            self.frozen.requires_grad_(False)

        def forward(self, x):
            self.h = torch.tanh(self.l1(x))
            self.c = torch.tanh(self.cutoff(x)).detach()
            aside = self.aside(x) * 2
            with torch.no_grad():
                q = self.quiet(x)
            self.also = aside
            return self.h + self.c + q + self.frozen(x)

    return settle(torch, Net())


@pytest.fixture
def recorded(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        model.loss = model(inputs(torch, 2, 3)).sum()
        model.loss.backward()
        yield model, rec


def test_parameters_that_got_nothing(recorded):
    model, rec = recorded
    text = observe.explain(model)
    assert text == observe.explain(model, record=rec)
    lines = {line.split(" ")[0]: line for line in text.splitlines()}
    assert set(lines) == {f"{n}.{p}" for n in ("cutoff", "unused", "aside", "quiet", "frozen") for p in ("weight", "bias")}
    assert "is cut by .detach() at test_explain.py:" in lines["cutoff.weight"] and "through tanh" in lines["cutoff.weight"]
    assert "its module unused was never called in forward" in lines["unused.weight"]
    assert "aside#0 was used, up to aside#1 (mul at test_explain.py:" in lines["aside.bias"]
    assert "was called only under torch.no_grad() at test_explain.py:" in lines["quiet.weight"]
    assert "frozen.weight is frozen" in lines["frozen.weight"]
    assert observe.explain("l1.weight").startswith("l1.weight got a gradient in 1 step, of norm ")
    assert observe.explain("cutoff.bias", record=rec) == lines["cutoff.bias"]


def test_the_way_leads_through_writes_in_place(torch):
    model = settle(torch, torch.nn.ModuleDict({"a": torch.nn.Linear(3, 4), "b": torch.nn.Linear(3, 4), "c": torch.nn.Linear(3, 4)}))
    with observe.record(model) as rec:
        x = inputs(torch, 2, 3)
        h = model["a"](x)
        h += model["b"](x)
        h[:, 0] = model["c"](x)[:, 0]
        cut = h.detach()
        (cut * model["a"].bias).sum().backward()
    for name in ("a", "b", "c"):
        assert "is cut by .detach() at test_explain.py:" in observe.explain(f"{name}.weight", record=rec), name


def test_unknown_names(recorded):
    _, rec = recorded
    with pytest.raises(KeyError, match="nothing is called 'cutof'.*cutoff"):
        observe.explain("cutof", record=rec)


def test_tensors(recorded):
    model, _ = recorded
    text = observe.explain(model.h)
    assert "is not a leaf: it was made by tanh at test_explain.py:" in text and "retain_grad()" in text
    assert "Behind it are 2 leaves: l1." in text
    assert "cut off from" in observe.explain(model.c) and "by .detach() at test_explain.py:" in observe.explain(model.c)
    assert observe.explain(model.l1.weight).startswith("This tensor has a gradient of shape [4, 3]")
    assert "never called in forward" in observe.explain(model.unused.weight)


def test_paths(recorded):
    model, rec = recorded
    text = observe.explain(model.l1.weight, loss=model.loss, record=rec).splitlines()[-1]
    assert text.startswith("The path from the loss: model.loss (sum at test_explain.py:")
    assert "tanh at" in text and text.endswith("<- l1.weight.")
    assert observe.explain(model.aside.weight, loss=model.loss).endswith("the loss was not computed from it.")


def test_without_a_record(torch):
    w = torch.ones(3, requires_grad=True)
    y = w * 2
    text = observe.explain(y)
    assert "is not a leaf: it was made by mul" in text and "Behind it is 1 leaf: w." in text
    y.retain_grad()
    assert "It asked to retain its gradient." in observe.explain(y)
    assert "Give loss= to see" in observe.explain(w)
    assert "<- mul" in observe.explain(w, loss=y.sum()) or "y (mul" in observe.explain(w, loss=y.sum())
    assert "does not require grad" in observe.explain(y.detach())
    with torch.inference_mode():
        made = w * 2
    assert "made in inference_mode" in observe.explain(made)
    assert "The loss itself has no history" in observe.explain(w, loss=w.detach())
    model = torch.nn.Linear(2, 2)
    assert observe.explain(model).startswith("weight has no gradient.")
    with pytest.raises(TypeError, match="a name can be explained only with a record"):
        observe.explain("w")


def test_a_second_backward(torch):
    with observe.record(engine=torch.__name__) as rec:
        w = torch.ones(3, requires_grad=True)
        shared = w.exp()
        shared.sum().backward()
        with pytest.raises(RuntimeError) as caught:
            (shared * 2).sum().backward()
    text = observe.explain(caught.value, record=rec)
    assert text.startswith("A backward pass came to a part of the graph whose saved values were freed")
    assert "exp" in text.lower() and "test_explain.py:" in text and "step 0" in text and "retain_graph=True" in text


def test_a_value_changed_in_place(torch):
    with observe.record(engine=torch.__name__) as rec:
        w = torch.ones(3, requires_grad=True)
        y = w.exp()
        y.mul_(2)
        with pytest.raises(RuntimeError) as caught:
            y.sum().backward()
    text = observe.explain(caught.value, record=rec)
    assert "shape [3]" in text and "written by mul_ at test_explain.py:" in text and "exp" in text.lower()


def test_a_parameter_changed_by_its_optimizer(torch):
    model = settle(torch, torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with observe.record(model, optimizer=optimizer) as rec:
        first = model(inputs(torch, 5, 3))
        second = model(inputs(torch, 5, 3, seed=1.0))
        first.sum().backward()
        optimizer.step()
        with pytest.raises(RuntimeError) as caught:
            second.sum().backward()
    assert "parameter 2.weight was changed by SGD.step()" in observe.explain(caught.value, record=rec)


def test_other_errors_are_not_explained(torch):
    with pytest.raises(TypeError, match="this error cannot be explained"):
        observe.explain(ValueError("what"))
