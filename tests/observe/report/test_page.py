"""The page of a file of runs: its data are the reader's, its size is bounded, and no text of a program gets out of its place."""

import importlib
import math
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.observe.models import settle
from tests.observe.report.pages import curves_of, data_of, figure_of, parse
from tests.observe.report.runs import make_model, train
from tests.observe.report.synthetic import write_run

import rushlight
from rushlight import observe
from rushlight.observe.report import collect, page
from rushlight.observe.report.collect import GRADIENT, VALUE, packed
from rushlight.observe.report.layout import LARGEST, views

NAUGHTY = "</script><img src=x onerror=alert(1)>"


@pytest.fixture
def file(tmp_path):
    pytest.importorskip("plotly")
    return str(tmp_path / "observe.db")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "observe.html"


def spoil_at(step):
    def spoil(now, model, x):
        if now == step:
            x[0, 0] = math.inf

    return spoil


def test_figures_are_the_readers(torch, file, out):
    train(torch, file, steps=7, spoil=spoil_at(4))
    assert page.write(file, out) == out
    about, (run,) = data_of(out)
    with observe.read(file) as runs:
        real = runs[0]
        assert about["file"] == "observe.db" and run["steps"] == real.steps == 7
        assert run["starts"] == run["ends"] == real.step_numbers().tolist()
        assert sorted(t["name"] for t in run["tensors"]) == sorted(t.name for t in real.tensors)
        for kind, figures in (("gradient", GRADIENT), ("value", VALUE)):
            for figure in figures:
                shown = figure_of(run, kind, figure)
                for t in real.tensors:
                    steps, expected = real.series(t.name, figure, values=kind == "value")
                    row = np.full(7, np.nan)
                    row[steps] = expected
                    found = shown.get(t.name, np.full(7, np.nan))
                    np.testing.assert_allclose(found, row, rtol=1e-6, equal_nan=True, err_msg=f"{figure} of {t.name}")
        steps, expected = real.curves("first.weight")
        assert run["curves"]["steps"] == steps.tolist()
        np.testing.assert_array_equal(curves_of(run, "gradient")["first.weight"], expected)
        for name, (steps, values) in real.scalars().items():
            shown = run["scalars"][name]
            assert shown["steps"] == steps.tolist() and shown["bad"] == steps[~np.isfinite(values)].tolist()
            assert [v for v in shown["mean"] if v is not None] == pytest.approx(values[np.isfinite(values)].tolist(), rel=1e-5)


def test_alarms_that_came_again_are_one(torch, file, out):
    def spoil(step, model, x):
        settle(torch, model)  # weights that stay NaN are told of once
        if step >= 3:
            spoil_at(step)(step, model, x)

    train(torch, file, steps=6, spoil=spoil)
    page.write(file, out)
    _, (run,) = data_of(out)
    with observe.read(file) as runs:
        real = runs[0].alarms
    assert sum(a["times"] for a in run["alarms"]) == len(real) > len(run["alarms"])
    first = run["alarms"][0]
    assert first["text"] == real[0]["text"] and first["source"] == real[0]["source"] and first["line"] == real[0]["line"]
    assert first["short"].endswith(f":{real[0]['line']}") and first["steps"][0] == 3 and first["until"] == 5
    assert run["tensors"][first["tensor"]]["op"] == "linear"


def test_tensors_stand_in_the_order_of_the_model(torch, file, out):
    train(torch, file)
    page.write(file, out)
    _, (run,) = data_of(out)
    names = [t["name"] for t in run["tensors"]]
    assert names[:3] == ["first", "first.weight", "first.bias"]
    assert names.index("second.weight") == names.index("second") + 1
    h = run["tensors"][names.index("h")]
    assert [names[i] for i in h["inputs"]] == ["first"] and run["places"][h["place"]]["source"] == "h = torch.relu(self.first(x))"


def test_one_model_stands_after_the_other(torch, file, out):
    a, b = (torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()) for _ in "ab")
    with observe.record(file=file, engine=torch.__name__):
        for first, second in ((a, b), (b, a)):
            loss = second(first(torch.ones(3, 2))).sum() * 2
            loss.backward()
    page.write(file, out)
    _, (run,) = data_of(out)
    roots = [t["name"].partition(".")[0].partition("#")[0] for t in run["tensors"]]
    assert sorted(roots, key=roots.index) == roots and {"a", "b", "loss"} <= set(roots)
    names = [t["name"] for t in run["tensors"]]
    assert names.index("a.0.weight") > names.index("a.0") and names.index("b.0.weight") > names.index("b.0")
    view = run["graph"]["views"]["all"]
    drawn = [names[n[0]] for n in sorted(view["nodes"], key=lambda n: n[2])]
    assert [n for n in drawn if n != "sum" and n != "loss"] == ["b.0", "b.1", "a.0", "a.1"]  # of the newest step alone
    assert all(view["nodes"][e[0]][2] < view["nodes"][e[1]][2] for e in view["edges"]) and len(view["edges"]) == 5
    inputs = {t["name"]: {names[i] for i in t["inputs"]} for t in run["tensors"]}
    assert inputs["a.0"] == {"b.1", "a.0.weight", "a.0.bias"} and inputs["b.0"] == {"b.0.weight", "b.0.bias"}


def test_a_file_that_does_not_know_its_graphs_says_so(torch, file, out):
    train(torch, file, steps=2)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE steps SET graph = NULL")
    page.write(file, out)
    _, (run,) = data_of(out)
    assert any("which edges" in s for s in run["says"]) and run["graph"]["count"] > 3


def test_files_of_the_first_versions_are_read(torch, file, out):
    train(torch, file, steps=2)
    with observe.read(file) as runs:
        newest = {tuple(e) for e in runs[0].edges()}
    connection = sqlite3.connect(file)
    connection.executescript(
        "CREATE TABLE old (source INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID;"
        "INSERT INTO old SELECT DISTINCT source, target FROM edges; DROP TABLE edges; ALTER TABLE old RENAME TO edges;"
        "ALTER TABLE steps DROP COLUMN graph"
    )
    connection.close()
    with observe.read(file) as runs:
        assert runs[0].edges() is None and runs[0].edges(0) is None
        assert {(n, t.number) for t in runs[0].tensors for n in t.inputs} == newest
    page.write(file, out)
    _, (run,) = data_of(out)
    assert len(run["graph"]["views"]["all"]["edges"]) > 3


def test_a_learning_rate_is_no_loss_and_an_error_no_state(torch, file, out):
    model = make_model(torch)
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (model.first, model.second)]
    with pytest.raises(ValueError), observe.watch(model, file=file, optimizer="all"):
        for _ in range(3):
            z = model(torch.ones(2, 4)).sum()
            z.backward()
            for o in optimizers:
                o.step()
        raise ValueError("It is over. More of it.\nAnd more.")
    page.write(file, out)
    _, (run,) = data_of(out)
    assert next(iter(run["scalars"])) == "z" and sorted(run["scalars"])[:2] == ["learning rate", "learning rate 2"]
    assert run["state"] == "ValueError: It is over" and "It ended with ValueError: It is over. More of it." in run["says"]


def test_text_of_the_program_stays_in_its_place(file, out):
    model = rushlight.nn.Sequential()
    model.add_module(NAUGHTY.replace(".", ""), rushlight.nn.Linear(2, 2))
    model.add_module("größe&\u2028\ud800", rushlight.nn.Linear(2, 1))
    with observe.record(model, file=file, run=f"{NAUGHTY} & co"):
        model(rushlight.ones(3, 2)).sum().backward()
    page.write(file, out)
    found = parse(out)
    assert [t for t, a in found.tags if t == "img"] == [] and all("onerror" not in a for _, a in found.tags)
    assert sum(t == "script" for t, _ in found.tags) == 4  # about, the run, plotly, the page's program
    _, (run,) = data_of(out)
    assert run["name"] == f"{NAUGHTY} & co" and NAUGHTY in {t["name"] for t in run["tensors"]}
    assert any(t["path"].startswith("größe&\u2028") for t in run["tensors"])


def test_nothing_is_asked_of_the_network(file, out):
    train(rushlight, file, steps=2)
    page.write(file, out)
    tags = parse(out).tags
    policy = next(a["content"] for _, a in tags if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy and "http" not in policy and "connect-src" not in policy
    for tag, attributes in tags:
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:")), (tag, attributes)


def test_a_run_without_steps(file, out):
    model = rushlight.nn.Linear(2, 1)
    with observe.record(model, file=file, run="waiting"):
        model(rushlight.ones(1, 2)).sum().backward()
        page.write(file, out)
    _, (run,) = data_of(out)
    assert run["steps"] == 0 and run["state"] == "running" and "starts" not in run
    assert "No step is over yet" in run["says"][0]


@pytest.mark.parametrize("every", [1, 3])
def test_a_run_of_one_step(torch, file, out, every):
    train(torch, file, steps=2 if every == 1 else 4, every=every)
    with observe.read(file) as runs:
        count = runs[0].steps
    page.write(file, out)
    _, (run,) = data_of(out)
    assert len(run["starts"]) == count
    assert (f"Each {every}rd step was recorded, 0 to 3." in run["says"]) == (every == 3)


def test_all_not_finite_and_no_parameters(file, out):
    x = rushlight.tensor([1.0, -1.0], requires_grad=True)
    with observe.record(file=file, engine="rushlight"):
        for _ in range(2):
            (x.log().sqrt() * math.nan).sum().backward()
    page.write(file, out)
    _, (run,) = data_of(out)
    assert {v for row in figure_of(run, "gradient", "nan").values() for v in row} >= {2.0}
    assert all(np.isnan(row).all() for row in figure_of(run, "gradient", "mean").values() if row.size and not np.isfinite(row).any())


def test_an_open_run_is_read_at_one_moment(torch, file, out):
    model = make_model(torch)
    with observe.record(model, file=file):
        for _ in range(3):
            model(torch.ones(2, 4)).sum().backward()
        page.write(file, out)
    _, (run,) = data_of(out)
    assert run["state"] == "running" and run["steps"] == len(run["starts"]) == 2  # the third is not over


def test_a_long_run_is_condensed_and_says_so(file, out):
    write_run(file, tensors=12, steps=100_000, spike=(3, 54_321))
    page.write(file, out, columns=400)
    _, (run,) = data_of(out)
    assert len(run["starts"]) == 400 and run["per_column"] == 250
    said = next(s for s in run["says"] if "columns" in s)
    assert said.startswith("100,000 steps are shown in 400 columns; each column shows the largest of its 250 steps")
    row = figure_of(run, "gradient", "norm")["layers.3"]
    assert row.max() == pytest.approx(1e6, rel=1e-5) and int(row.argmax()) == 54_321 // 250  # no spike gets lost
    assert run["starts"][1] == 250 and run["ends"][0] == 249 and run["ends"][-1] == 99_999
    loss = run["scalars"]["loss"]
    assert len(loss["mean"]) == 1000 and loss["low"] is not None and loss["of"] == 100_000
    assert out.stat().st_size < 8e6


def test_many_tensors_are_cut_to_the_telling_ones(file, out):
    write_run(file, tensors=3000, steps=60, values=True, alarm=2345)
    page.write(file, out)
    _, (run,) = data_of(out)
    assert len(run["rows"]) == 400 and len(run["tensors"]) > 3000
    assert any("400 of " in s for s in run["says"])
    names = [t["name"] for t in run["tensors"]]
    assert names.index("layers.2345") in run["rows"]
    assert len(run["newest"]["rows"]) == len(names) - 400 and len(run["newest"]["gradient"]["norm"]) == len(names) - 400
    with observe.read(file) as runs:
        at = runs[0].at(59)
        left = {names[i]: n for i, n in zip(run["newest"]["rows"], run["newest"]["gradient"]["norm"])}
        assert left == {t.name: pytest.approx(at[t.number]["norm"], rel=1e-5) for t in runs[0].tensors if t.name in left}
    assert out.stat().st_size < 15e6
    assert max(len(v["nodes"]) for v in run["graph"]["views"].values()) <= LARGEST
    assert any("folded by module" in s for s in run["says"])


def test_runs_share_the_size_of_a_page(monkeypatch, file, out):
    for i in range(2):
        write_run(file, tensors=90, steps=120, name=f"run {i}")
    monkeypatch.setattr(collect, "_FIGURE_BYTES", 200_000)
    page.write(file, out)
    for run in data_of(out)[1]:
        assert len(run["rows"]) == 53 and len(run["starts"]) == 40 and run["per_column"] == 3  # 50 columns have room: 3 steps in each
        assert sum(len(run["gradient"][f]["data"]) for f in GRADIENT) < 100_000
        assert any(s.startswith("53 of 99 tensors") for s in run["says"]) and any("in 40 columns" in s for s in run["says"])
    monkeypatch.undo()
    page.write(file, out, rows=20, columns=60)
    assert [(len(r["rows"]), len(r["starts"])) for r in data_of(out)[1]] == [(20, 60), (20, 60)]


def test_runs_are_chosen_by_name_and_number(file, out):
    for i in range(10):
        write_run(file, tensors=3, steps=2, name=f"run {i}")
    page.write(file, out)
    about, runs = data_of(out)
    assert [r["name"] for r in runs] == [f"run {i}" for i in range(2, 10)]
    assert about["left_out"] == "The file has 10 runs; this page shows the newest 8 of them."
    for key, name in (("run 3", "run 3"), ("4", "run 3"), (4, "run 3")):
        page.write(file, out, run=key)
        assert [r["name"] for r in data_of(out)[1]] == [name]
    page.write(file, out, run=["run 1", "run 5"], title="Two of <them>")
    assert [r["name"] for r in data_of(out)[1]] == ["run 1", "run 5"] and "<title>Two of &lt;them&gt;" in out.read_text(encoding="utf-8")
    with pytest.raises(KeyError, match="no run is called 'run 77'"):
        page.write(file, out, run="run 77")


def test_what_cannot_be_shown_is_refused_and_no_page_is_harmed(file, out, tmp_path):
    out.write_text("before")
    with pytest.raises(observe.NoRunFile, match="there is no file"):
        page.write(str(tmp_path / "none.db"), out)
    sqlite3.connect(file).close()
    with pytest.raises(observe.NoRunFile):
        page.write(file, out)
    for columns in (0, True, 1.5):
        with pytest.raises(ValueError, match="columns="):
            page.write(file, out, columns=columns)
    assert out.read_text() == "before" and [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []


def test_a_missing_library_is_named_before_any_work(monkeypatch, tmp_path):
    real = importlib.import_module

    def without(name, *rest):
        if name.partition(".")[0] == "plotly":
            raise ModuleNotFoundError("No module named 'plotly'")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(ImportError, match=r"pip install 'rushlight\[report\]'"):
        page.write(str(tmp_path / "there is no such file"), tmp_path / "page.html")


def test_packed_numbers_keep_their_range_and_six_digits():
    values = np.array([0.0, -0.0, 1.0, -2.5, 1e-300, -1e300, np.pi, np.nan, np.inf, -np.inf, 5e-324, 1.7976931348623157e308])
    upper = np.frombuffer(importlib.import_module("base64").b64decode(packed(values)), "<u4").astype("<u8")
    back = (upper << np.uint64(32)).view("<f8")
    np.testing.assert_allclose(back[:10], values[:10], rtol=1e-6, equal_nan=True)
    assert back[10] == 0.0 and back[11] == np.inf


# ---------------------------------------------------------------- the graph


def views_of(edges, paths, parameters=()):
    tensors = []
    for i, path in enumerate(paths):
        kind = "parameter" if i in parameters else "intermediate"
        inputs = tuple(a for a, b in edges if b == i)
        tensors.append(observe.runs.Tensor(i, i, f"t{i}", kind, path, 0, "op", None, (), None, None, None, (), "float32", inputs))
    return views(tensors, range(len(paths)), edges)


def test_layers_follow_the_data_and_long_edges_have_bends():
    found = views_of([(0, 1), (1, 2), (0, 2), (2, 3), (0, 3)], ["", "", "", ""])
    (view,) = found["views"].values()
    assert [n[2] for n in view["nodes"]] == [0, 1, 2, 3]
    bends = {(e[0], e[1]): e[2:] for e in view["edges"]}
    assert bends[0, 1] == [] and len(bends[0, 2]) == 2 and len(bends[0, 3]) == 4
    assert len({(x, y) for _, x, y in view["nodes"]} | {tuple(bends[0, 2])} | {tuple(bends[0, 3][:2]), tuple(bends[0, 3][2:])}) == 7


def test_modules_fold_and_open():
    paths = ["a.x", "a.x", "a.y", "b", "b", ""]
    found = views_of([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], paths)
    assert [d[0] for d in found["depths"]] == ["depth 1", "depth 2", "all"] and found["first"] == "all"
    assert [n[0] for n in found["views"]["depth 1"]["nodes"]] == ["a", "b", 5]
    assert [n[0] for n in found["views"]["depth 2"]["nodes"]] == ["a.x", 2, 3, 4, 5]
    assert [n[0] for n in found["views"]["in a"]["nodes"]] == ["a.x", 2, 3]  # with what it leads to
    assert [n[0] for n in found["views"]["in a.x"]["nodes"]] == [0, 1, 2]


def test_an_edge_against_the_order_is_drawn_all_the_same():
    found = views_of([(0, 1), (1, 2), (2, 0)], ["", "", ""])
    (view,) = found["views"].values()
    assert [n[2] for n in view["nodes"]] == [0, 1, 2] and [e[:2] for e in view["edges"]] == [[0, 1], [1, 2], [2, 0]]


def test_layers_follow_the_edges_and_not_the_order_of_the_page():
    found = views_of([(3, 1), (1, 0), (0, 2)], ["", "", "", ""])
    (view,) = found["views"].values()
    assert [n[::2] for n in view["nodes"]] == [[3, 0], [1, 1], [0, 2], [2, 3]]
    assert [e[:2] for e in view["edges"]] == [[0, 1], [1, 2], [2, 3]]


def test_what_nothing_leads_to_stands_above_what_uses_it():
    found = views_of([(0, 1), (1, 2), (2, 3), (4, 3)], [""] * 5)
    (view,) = found["views"].values()
    assert {n[0]: n[2] for n in view["nodes"]} == {0: 0, 1: 1, 2: 2, 3: 3, 4: 2}


def test_bends_do_not_outnumber_the_boxes_without_end():
    count = 400
    found = views_of([(i, i + 1) for i in range(count - 1)] + [(0, i) for i in range(2, count)], [""] * count)
    view = found["views"]["all"]
    bends = [(e[1] - e[0], (len(e) - 2) // 2) for e in view["edges"]]
    assert sum(n for _, n in bends) <= 2000 and len(bends) == 2 * count - 3
    assert all(n in (0, span - 1) for span, n in bends) and max(s for s, n in bends if n) < min(s for s, n in bends if s > 1 and not n)


@st.composite
def any_graph(draw):
    count = draw(st.integers(0, 30))
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    edges = draw(st.lists(pairs, max_size=60)) if count else []
    paths = draw(st.lists(st.sampled_from(["", "a", "a.b", "a.b.c", "a.b.c.d", "b", "b.0", "b.1"]), min_size=count, max_size=count))
    parameters = draw(st.sets(st.integers(0, count - 1))) if count else ()
    return edges, paths, parameters


@given(any_graph())
def test_any_graph_has_views_that_are_whole(graph):
    edges, paths, parameters = graph
    found = views_of(edges, paths, parameters)
    operators = {i for i in range(len(paths)) if i not in parameters}
    assert found["count"] == len(operators) and found["first"] in found["views"]
    assert all(key in found["views"] for key, _ in found["depths"])
    for view in found["views"].values():
        nodes = view["nodes"]
        assert len({tuple(n[1:]) for n in nodes}) == len(nodes)  # no box on another
        for reference, *_ in nodes:
            assert reference in operators or f"in {reference}" in found["views"]
        for a, b, *bends in view["edges"]:
            assert 0 <= a < len(nodes) and 0 <= b < len(nodes) and a != b and len(bends) % 2 == 0
    if not parameters and len(found["depths"]):
        every = found["views"][found["depths"][-1][0]]
        ends = {(every["nodes"][a][0], every["nodes"][b][0]) for a, b, *_ in every["edges"]}
        assert ends == {(a, b) for a, b in edges if a != b}


def test_what_cannot_be_folded_is_cut_far_from_the_loss():
    count = LARGEST + 50
    for path in ("", "a"):
        found = views_of([(i, i + 1) for i in range(count - 1)], [path] * count)
        view = found["views"]["all" if not path else "in a"]
        assert view["cut"] == 50 and [n[0] for n in view["nodes"]] == list(range(50, count)) and len(view["edges"]) == LARGEST - 1
        assert found["first"] in found["views"]


def test_a_module_that_is_called_until_the_end_is_not_cut():
    count = LARGEST + 50
    paths = ["cell" if i % 10 == 0 else "" for i in range(count + count // 9)]
    view = views_of([(i, i + 1) for i in range(len(paths) - 1)], paths)["views"]["depth 1"]
    assert view["cut"] > 0 and len(view["nodes"]) == LARGEST and "cell" in [n[0] for n in view["nodes"]]


def test_a_graph_of_nothing_is_empty():
    found = views_of([], ["a", "a"], parameters=(0, 1))
    assert found["count"] == 0 and found["views"]["all"] == {"nodes": [], "edges": [], "cut": 0} and found["parameters"] == {}


def test_parameters_go_with_what_uses_them():
    found = views_of([(0, 1), (2, 0), (2, 1), (3, 1)], ["a", "b", "elsewhere", "a"], parameters=(2, 3))
    assert found["parameters"] == {0: [2], 1: [2, 3]} and found["count"] == 2


def test_parameters_go_with_their_module():
    found = views_of([(0, 1)], ["a", "b", "a", "b", "elsewhere"], parameters=(2, 3, 4))
    assert found["parameters"] == {0: [2], 1: [3]} and found["count"] == 2
