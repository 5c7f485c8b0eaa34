"""``retain`` and ``graph`` on graphs that exist already."""

import shutil

import numpy as np
import pytest
from tests.observe.models import MODELS, inputs
from tests.observe.test_record import make_net

from rushlight import observe


def test_retain_keeps_every_intermediate(torch):
    model = make_net(torch)
    h = torch.tanh(model.l1(inputs(torch, 5, 3)))
    y = torch.exp(h) * 2
    loss = y.sum()
    h.retain_grad()
    y.retain_grad()
    kept = observe.retain(loss)
    assert kept["exp"].grad is None and "no gradient yet" in repr(kept["exp"])
    loss.backward()
    by_op = {k.op: k for k in kept}
    np.testing.assert_array_equal(by_op["tanh"].grad.numpy(), h.grad.numpy())
    np.testing.assert_array_equal(by_op["mul"].grad.numpy(), y.grad.numpy())
    assert kept[0].op == "sum" and len(kept) >= 5 and kept["exp"].statistics.norm > 0
    assert len(kept.table().splitlines()) == len(kept) + 2
    with pytest.raises(KeyError, match="nothing is called 'expo'.*exp"):
        kept["expo"]


def test_names_without_a_recording(rushlight):
    model = make_net(rushlight)
    out = model(inputs(rushlight, 5, 3))
    kept = observe.retain(out)
    assert {"h", "z", "both"} & set(kept.names()) and "split[0]" in kept.names()
    assert kept["both"].place.file.endswith("test_record.py")


def test_what_cannot_be_asked(torch):
    with pytest.raises(RuntimeError, match="this tensor has no history"):
        observe.retain(torch.ones(2))
    with pytest.raises(TypeError, match="a module of rushlight or PyTorch is needed, not str"):
        observe.graph("loss")


def test_structure(torch):
    w = torch.ones(3, requires_grad=True)
    g = observe.graph((w * w).sum())
    assert [n.op for n in g] == ["sum", "mul", "leaf"] and [n.inputs for n in g] == [[1], [2, 2], []]
    assert g.nodes[1].saved == g.saved == 24 and g.nodes[2].kind == "leaf"
    (w * w).sum().backward()
    assert g.nodes[2].norm == pytest.approx(2 * 3**0.5)


def test_a_record_names_modules_and_gradients(torch):
    model = make_net(torch)
    with observe.record(model) as rec:
        loss = model(inputs(torch, 5, 3)).sum()
        seen = observe.graph(loss, rec)
        loss.backward()
    names = [n.name for n in seen]
    assert {"act#0", "act#1", "l1", "l2", "l1.weight", "both", "loss"} <= set(names)
    by_name = {n.name: n for n in seen}
    assert by_name["l1"].norm == rec["l1"].norm and by_name["l1.weight"].norm == pytest.approx(rec["l1.weight"].norm)
    assert "act#1" in str(seen) and "test_record.py:" in str(seen)
    folded = seen.folded(1)
    assert len(folded) < len(seen) and {"l1", "l2", "act"} <= {n.name for n in folded if n.kind == "module"}
    assert folded.saved == seen.saved
    dot = seen.dot()
    assert dot.startswith("digraph") and dot.count("->") == sum(len(n.inputs) for n in seen) and "gradient norm" in dot


def test_non_finite_gradients_are_red(torch):
    with observe.record(engine=torch.__name__) as rec:
        x = torch.tensor([0.0, 1.0], requires_grad=True) * 1
        loss = x.sqrt().sum()
        seen = observe.graph(loss, rec)
        loss.backward()
    assert rec["x"].statistics.inf == 1 and seen.dot().count("fillcolor=red") == 1


def test_large_graphs_are_cut_and_long_ones_walked(torch):
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(5000):
        y = y + 1
    seen = observe.graph(y)
    assert len(seen) == 5001 and seen.text(limit=10).splitlines()[-1] == "... and 4991 more nodes"
    assert seen.dot(limit=10).count("\n") < 40
    del seen
    while y.grad_fn is not None:  # a long chain of PyTorch's is taken apart from its end
        y = x


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_graph(torch, name):
    model, run = MODELS[name](torch)
    with observe.record(model) as rec:
        run(lambda key, tensor: observe.graph(tensor).dot() and observe.graph(tensor, rec).text())
    assert not rec.notes


def test_svg_needs_graphviz(torch):
    seen = observe.graph(torch.ones(2, requires_grad=True) * 2)
    if shutil.which("dot"):
        assert "<svg" in seen.svg()
    else:
        with pytest.raises(RuntimeError, match="needs the program dot of Graphviz, which is not installed"):
            seen.svg()


def test_a_graph_keeps_nothing_alive(rushlight, no_gc):
    import weakref

    w = rushlight.ones(2, requires_grad=True)
    y = w * 2
    seen = observe.graph(y)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None and len(seen) == 2
