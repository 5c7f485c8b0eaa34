"""The page in a real browser: nothing fails, nothing is fetched, and what is clicked is what is shown, at three sizes of window."""

import contextlib
import math
import os
import random
import shutil

import pytest
from tests.observe.report.runs import train
from tests.observe.report.synthetic import write_graph, write_run

import rushlight
from rushlight import observe
from rushlight.observe.report import page

SIZES = {"phone": (390, 844), "laptop": (1280, 800), "screen": (1920, 1080)}
NAUGHTY = "</script><img src=x onerror=alert(1)>"


def browser_program():
    """A browser that is installed on this machine, or None for the one that playwright brought."""
    named = os.environ.get("RUSHLIGHT_TEST_BROWSER")
    return named or next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


@pytest.fixture(scope="module")
def chromium():
    pytest.importorskip("plotly")
    api = pytest.importorskip("playwright.sync_api")
    with contextlib.ExitStack() as stack:
        try:
            driver = stack.enter_context(api.sync_playwright())
            browser = driver.chromium.launch(executable_path=browser_program(), args=["--no-sandbox", "--disable-gpu"])
        except api.Error as error:
            pytest.skip(f"no browser starts here: {str(error).splitlines()[0]}")
        stack.callback(browser.close)
        yield browser


@pytest.fixture
def visit(chromium):
    """Open a page in a window; at the end nothing may have failed or have been fetched."""
    seen, contexts = [], []

    def opened(path, size="laptop", dark=False, fragment=""):
        width, height = SIZES[size]
        phone = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
        scheme = "dark" if dark else "light"
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **phone)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda m: seen.append(f"{m.type}: {m.text}"))
        tab.on("pageerror", lambda e: seen.append(f"error: {e}"))
        tab.on("dialog", lambda d: (seen.append(f"dialog: {d.message}"), d.dismiss()))
        tab.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else seen.append(f"request: {r.url}"))
        tab.goto(path.as_uri() + fragment)
        tab.wait_for_selector("html[data-ready]", timeout=30_000)
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert seen == []


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of several kinds of runs, made once."""
    pytest.importorskip("plotly")
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def spoil(step, model, x):
        if step >= 6:
            x[0, 0] = math.inf

    def page_of(kind):
        if kind in made:
            return made[kind]
        file = str(folder / f"{kind}.db")
        if kind == "two":
            train(rushlight, file, steps=9, run="first")
            train(rushlight, file, steps=9, run=f"second {NAUGHTY}", spoil=spoil, rate=0.1)
        elif kind == "naughty":
            model = rushlight.nn.Sequential()
            model.add_module(NAUGHTY.replace(".", ""), rushlight.nn.Linear(3, 3))
            model.add_module("größe <b>&amp;\u202e", rushlight.nn.Linear(3, 1))
            with observe.watch(model, file=file, run=NAUGHTY, on="log", values=True):
                for x in (1.0, math.inf, 2.0):
                    model(rushlight.full((2, 3), x)).sum().backward()
        elif kind == "one step":
            train(rushlight, file, steps=1)
        elif kind == "from 30, each third":
            write_run(file, tensors=4, steps=7, first=30, every=3)
        elif kind == "not a number":
            x = rushlight.tensor([math.nan, 2.0], requires_grad=True)
            with observe.record(file=file, engine="rushlight"):
                for _ in range(3):
                    (x * math.nan).sum().backward()
        elif kind == "deep":
            write_run(file, tensors=500, steps=30, values=True, alarm=277)
        elif kind == "no step and over":
            with pytest.warns(UserWarning, match="nothing was"), observe.watch(file=file, engine="rushlight"):
                pass
        elif kind == "in turn":
            in_turn(file)
        elif kind == "graphs":
            graphs(file)
        elif kind == "no step":
            model = rushlight.nn.Linear(2, 1)
            with observe.record(model, file=file, run="waiting"):
                model(rushlight.ones(1, 2)).sum().backward()
                made[kind] = page.write(file, folder / f"{kind}.html")
                return made[kind]
        made[kind] = page.write(file, folder / f"{kind}.html")
        return made[kind]

    return page_of


def in_turn(file):
    """Two networks that train in turn, each with its optimizer, twice; a name that looks like a formula, a gradient that is zero."""
    for run in ("first", "second"):
        models = rushlight.nn.ModuleDict({"$a$": rushlight.nn.Linear(2, 2), "b": rushlight.nn.Linear(2, 1)})
        optimizers = [rushlight.optim.SGD(m.parameters(), lr=rate) for m, rate in zip(models.values(), (0.5, 7.0))]
        with observe.watch(models, file=file, run=run, optimizer="all"):
            for step in range(8):
                model, optimizer = list(models.values())[step % 2], optimizers[step % 2]
                if step % 4 < 2:
                    lossOfTheOneOrTheOther = model(rushlight.ones(3, 2)).sum() * (step != 4)
                    lossOfTheOneOrTheOther.backward()
                else:
                    anotherLossOfTheseNetworks = model(rushlight.ones(3, 2)).mean()
                    anotherLossOfTheseNetworks.backward()
                optimizer.step()
                optimizer.zero_grad()


def graphs(file):
    """Runs whose graphs have all kinds of shapes and sizes."""
    chance = random.Random(7)

    def local(n):
        return [(max(i - 1 - chance.randrange(6), 0), i) for i in range(1, n) for _ in range(2)]

    def anywhere(n):
        return [(chance.randrange(i), i) for i in range(1, n) for _ in range(2)]

    def modules(n, depth):
        return [".".join(f"m{chance.randrange(3)}" for _ in range(chance.randrange(depth + 1))) for _ in range(n)]

    write_graph(file, [], [], name="of nothing")
    write_graph(file, ["a", "a"], [], name="of parameters", parameters=(0, 1))
    write_graph(file, [""], [], name="of one")
    write_graph(file, [""] * 1500, local(1500), name="flat")
    write_graph(file, modules(400, 9), anywhere(400), name="deep, in circles")
    write_graph(file, [f"l_{i // 2}" if i % 2 else "" for i in range(3000)], local(3000), name="a module for each")
    write_graph(file, [""] * 900, [(0, i) for i in range(1, 900)] + [(i, i + 1) for i in range(899)], name="a leaf for all")
    write_graph(file, ["deep." * 60 + "end"] * 800 + ["other"] * 30, anywhere(830), name="one deep module")


def cell(tab, row, column):
    """The middle of a cell of the heat map, in the window, after it was scrolled to."""
    tab.locator("#heatmap").scroll_into_view_if_needed()
    at = tab.evaluate(
        """([row, column]) => {
            const node = document.getElementById("heatmap"), box = node.getBoundingClientRect(), full = node._fullLayout;
            const x = node.data[0].x, middle = (x[column] + x[column + 1]) / 2;
            let at = [box.left + full.xaxis._offset + full.xaxis.l2p(middle), box.top + full.yaxis._offset + full.yaxis.l2p(row)];
            if (at[1] < 70 || at[1] > innerHeight - 20) { scrollBy({ top: at[1] - innerHeight / 2, behavior: "instant" }); }
            const now = node.getBoundingClientRect();
            return [at[0], at[1] + now.top - box.top];
        }""",
        [row, column],
    )
    tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # until the page knows that it moved
    return at


def go_to(tab, step):
    """Move the slider."""
    tab.locator("#step").fill(str(step))
    tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def number(text):
    """A number as the page writes it; None for its dash."""
    return None if text == "\N{EN DASH}" else float(text.replace("\N{MINUS SIGN}", "-").replace(",", ""))


def names(tab):
    """The names in the table, from the top."""
    return tab.locator("#table tbody td.name").evaluate_all("cells => cells.map(c => c.title)")


def column(tab, key):
    place = tab.locator("#table thead th").evaluate_all("(heads, key) => heads.findIndex(h => h.dataset.key === key)", key)
    return tab.locator(f"#table tbody td:nth-child({place + 1})").all_inner_texts()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_overlaps_or_is_cut_off(visit, pages, size, dark):
    tab = visit(pages("two"), size, dark)
    wide = SIZES[size][0]
    assert tab.evaluate("document.documentElement.scrollWidth") == wide
    boxes = tab.evaluate(
        """() => [...document.querySelectorAll(".card, .head")].filter(c => c.offsetParent).map(c => {
            const b = c.getBoundingClientRect();
            return [c.id, b.left, b.top, b.right, b.bottom, c.scrollWidth - c.clientWidth];
        })"""
    )
    assert len(boxes) >= 7
    for i, (name, left, top, right, bottom, over) in enumerate(boxes):
        assert left >= 0 and right <= wide and over <= 0, name
        for other, left2, top2, right2, bottom2, _ in boxes[i + 1 :]:
            assert right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top, (name, other)
    buttons = tab.evaluate(
        """() => [...document.querySelectorAll("button, select, input, h1, h2, dd")]
            .filter(b => b.offsetParent && !b.closest(".table-wrap"))
            .map(b => [b.id || b.textContent, b.getBoundingClientRect().left, b.getBoundingClientRect().right])"""
    )
    for name, left, right in buttons:
        assert left >= 0 and right <= wide + 0.5, name
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(16, 18, 20)") == dark


@pytest.mark.parametrize("size", SIZES)
def test_a_click_on_a_cell_selects_everywhere(visit, pages, size):
    tab = visit(pages("two"), size)
    rows = tab.evaluate("document.getElementById('heatmap').layout.yaxis.ticktext")
    x, y = cell(tab, rows.index("second.weight"), 3)
    tab.mouse.click(x, y)
    assert tab.locator("#tensor-name").inner_text() == "second.weight"
    assert tab.locator("#step-text").inner_text() == "step 3"
    assert tab.locator("#detail-title").inner_text() == "second.weight over time"
    assert tab.locator("#table tr.picked td.name").get_attribute("title") == "second.weight"
    assert "step 3" in tab.locator("#table-count").inner_text()
    with observe.read(pages("two").with_suffix(".db")) as runs:
        expected = runs[1].at(3)[runs[1].tensor("second.weight").number]
    rows = tab.locator("#tensor .numbers tbody tr")
    shown = dict(rows.evaluate_all("rows => rows.map(r => [r.cells[0].innerText, r.cells[1].innerText])"))
    for name, key in (("norm", "norm"), ("mean", "mean"), ("max", "max"), ("gradient / weight", "grad_to_weight")):
        assert number(shown[name]) == pytest.approx(expected[key], rel=1e-3)


def test_the_tip_names_the_cell(visit, pages):
    tab = visit(pages("two"))
    x, y = cell(tab, 0, 7)
    tab.mouse.move(x - 3, y)
    tab.mouse.move(x, y)
    tip = tab.locator("#tip")
    tip.wait_for(state="visible")
    assert tip.inner_text().splitlines()[0] == "first" and "NaN" in tip.inner_text() and "step 7" in tip.inner_text()
    assert "runs.py:" in tip.inner_text()


def test_keys_move_through_the_heat_map(visit, pages):
    tab = visit(pages("two"))
    tab.locator("#heatmap").focus()
    tab.keyboard.press("Home")
    assert tab.locator("#step-text").inner_text() == "step 0"
    before = tab.locator("#tensor-name").inner_text()
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowDown")
    assert tab.locator("#step-text").inner_text() == "step 1" and tab.locator("#tensor-name").inner_text() != before
    tab.keyboard.press("ArrowUp")
    assert tab.locator("#tensor-name").inner_text() == before


@pytest.mark.parametrize("size", SIZES)
def test_the_table_sorts_and_filters(visit, pages, size):
    tab = visit(pages("two"), size)
    go_to(tab, 2)
    every = names(tab)
    tab.locator("#table th.norm button").click()
    norms = [number(t) for t in column(tab, "norm")]
    known = [n for n in norms if n is not None]
    assert known == sorted(known, reverse=True) and len(known) > 5 and norms == known + [None] * (len(norms) - len(known))
    tab.locator("#table th.norm button").click()
    norms = [number(t) for t in column(tab, "norm")]
    known = [n for n in norms if n is not None]
    assert known == sorted(known) and norms == known + [None] * (len(norms) - len(known))  # blanks are last again
    assert tab.locator("#table th.norm").get_attribute("aria-sort") == "ascending"
    tab.locator("#table th.norm button").click()
    assert names(tab) == every
    tab.locator("#filter").fill("weight second")
    assert names(tab) == ["second.weight"]
    tab.locator("#filter").fill("relu")
    assert names(tab) == ["h"]
    tab.locator("#filter").fill("nothing is called so")
    assert names(tab) == [] and tab.locator("#table tbody").inner_text() == "No tensor fits the filter."
    tab.locator("#filter").fill("")
    tab.locator("#only-parameters").check()
    assert set(names(tab)) == {n for n in every if n.endswith(("weight", "bias"))}
    tab.locator("#only-bad").check()
    assert names(tab) == []
    go_to(tab, 7)
    assert "first.weight" in names(tab)
    tab.locator("#table tbody tr").first.click()
    assert tab.locator("#tensor-name").inner_text() == names(tab)[0]


def test_runs_switch_and_compare(visit, pages):
    tab = visit(pages("two"))
    assert tab.locator("#run-name").inner_text() == f"second {NAUGHTY}"
    lines = "document.getElementById('series').data.filter(t => t.mode === 'lines').length"
    assert "value" in tab.locator("#alarms .kind").all_inner_texts() and tab.evaluate(lines) == 1
    tab.locator("#compare").select_option("0")
    assert tab.evaluate(lines) == 2
    assert tab.evaluate("document.getElementById('scalars').data.map(t => t.name)").count("loss of first") >= 1
    assert "first" in tab.locator("#scale").inner_text()
    tab.locator("#run").select_option("0")
    assert tab.locator("#run-name").inner_text() == "first"
    assert "value" not in tab.locator("#alarms .kind").all_inner_texts()
    assert tab.locator("#compare").input_value() == "" and tab.evaluate(lines) == 1


def test_figures_and_rows_switch(visit, pages):
    tab = visit(pages("two"))
    rows = "document.getElementById('heatmap').layout.yaxis.ticktext"
    every = tab.evaluate(rows)
    tab.locator("#rows").select_option("parameters")
    assert tab.evaluate(rows) == [n for n in every if n.endswith(("weight", "bias"))]
    tab.locator("#rows").select_option("all")
    assert set(tab.evaluate(rows)) > set(every)
    before = tab.evaluate("document.getElementById('heatmap').data[0].z[0][0]")
    tab.locator("#figure").select_option("std")
    assert tab.evaluate("document.getElementById('heatmap').data[0].z[0][0]") != before
    assert "standard deviation" in tab.locator("#scale").inner_text()
    tab.locator("#figure").select_option("update_to_weight")
    tab.locator("#kind").select_option("value")
    assert tab.locator("#figure").input_value() == "norm"  # a value has no update
    tab.locator("#rows-filter").fill("second")
    assert all("second" in n for n in tab.evaluate(rows))
    tab.locator("#rows-filter").fill("nothing is called so")
    assert "No tensor fits" in tab.locator("#heatmap-none").inner_text()


def test_an_alarm_leads_to_its_cell(visit, pages):
    tab = visit(pages("deep"))
    go_to(tab, 0)
    tab.locator("#table tbody tr").first.click()
    assert tab.locator("#alarms code").first.inner_text() == "x = y"
    tab.locator("#alarms button").first.click()
    assert tab.locator("#tensor-name").inner_text() == "layers.277" and tab.locator("#step-text").inner_text() == "step 29"
    assert tab.evaluate("document.getElementById('heatmap').layout.shapes.length") == 4  # its column and its row


@pytest.mark.parametrize("size", SIZES)
def test_the_graph_folds_opens_and_selects(visit, pages, size):
    tab = visit(pages("deep"), size)
    assert 1 < tab.locator("#graph .node").count() <= 150
    assert "500 operators" in tab.locator("#graph-note").inner_text()
    tab.locator("#depth").select_option("depth 2")
    tab.locator("#graph").scroll_into_view_if_needed()
    many = tab.locator("#graph .node").count()
    tab.locator("#graph .node.picked").first.click()  # the module that has the selected tensor, which the view shows
    inside = tab.locator("#crumbs").inner_text()
    assert "stages" in inside and tab.locator("#graph .node").count() != many
    while tab.locator("#graph .node.module.picked").count():
        tab.locator("#graph .node.module.picked").first.click()
    node = tab.locator("#graph .node:not(.module):not(.picked)").first
    node.scroll_into_view_if_needed()
    node.dispatch_event("click")
    assert tab.locator("#graph .node.picked").count() == 1
    picked = tab.locator("#tensor-name").inner_text()
    assert picked != "layers.277" and tab.locator("#table tr.picked td.name").get_attribute("title") == picked
    tab.locator("#graph").focus()
    tab.keyboard.press("ArrowDown")
    assert tab.locator("#tensor-name").inner_text() != picked
    tab.keyboard.press("Escape")
    tab.locator("#depth").select_option("all")
    assert tab.locator("#graph .node").count() == 500
    before = tab.locator("#graph svg > g").get_attribute("transform")
    tab.locator("#graph-in").click()
    assert tab.locator("#graph svg > g").get_attribute("transform") != before


def test_the_graph_pans_by_the_mouse(visit, pages):
    tab = visit(pages("two"))
    tab.locator("#graph").scroll_into_view_if_needed()
    box = tab.locator("#graph").bounding_box()
    before = tab.locator("#graph svg > g").get_attribute("transform")
    tab.mouse.move(box["x"] + 10, box["y"] + 100)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 40, box["y"] + 130, steps=4)
    tab.mouse.up()
    assert tab.locator("#graph svg > g").get_attribute("transform") != before


def test_colours_of_the_graph_are_the_steps(visit, pages):
    tab = visit(pages("two"))
    colours = "[...document.querySelectorAll('#graph .node rect.box')].map(r => r.getAttribute('fill'))"
    tab.locator("#heatmap").focus()
    tab.keyboard.press("End")
    bad = tab.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--bad').trim()")
    assert bad in tab.evaluate(colours)
    tab.keyboard.press("Home")
    assert bad not in tab.evaluate(colours)


def test_zoom_is_everybodys(visit, pages):
    tab = visit(pages("deep"))
    tab.locator("#heatmap").scroll_into_view_if_needed()
    x1, y = cell(tab, 5, 5)
    x2, _ = cell(tab, 5, 20)
    tab.mouse.move(x1, y)
    tab.mouse.down()
    tab.mouse.move(x2, y, steps=5)
    tab.mouse.up()
    for plot in ("heatmap", "scalars", "series", "spreads"):
        low, high = tab.evaluate(f"document.getElementById('{plot}').layout.xaxis.range")
        assert 4 < low < 6 and 19 < high < 21, plot
    tab.locator("#zoom-out").click()
    assert tab.evaluate("document.getElementById('scalars').layout.xaxis.range") == [-0.5, 29.5]


def test_another_width_and_another_light_draw_anew(visit, pages):
    tab = visit(pages("two"), "screen")
    assert tab.locator("#profile").is_visible() and tab.locator("#histogram").is_hidden()
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.locator("#histogram").wait_for(state="visible")
    assert tab.locator("#profile").is_hidden() and tab.evaluate("document.documentElement.scrollWidth") == 390
    assert tab.evaluate("document.querySelector('#heatmap svg').getBoundingClientRect().right") <= 390
    line = "document.getElementById('series').data[0].line.color"
    light = tab.evaluate(line)
    tab.emulate_media(color_scheme="dark")
    tab.wait_for_timeout(100)
    assert tab.evaluate(line) != light


def test_an_address_brings_the_selection_back(visit, pages):
    tab = visit(pages("two"))
    tab.locator("#heatmap").focus()
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowDown")
    tab.wait_for_url("**step=1*")
    name, fragment = tab.locator("#tensor-name").inner_text(), tab.evaluate("location.hash")
    again = visit(pages("two"), fragment=fragment)
    assert again.locator("#tensor-name").inner_text() == name and again.locator("#step-text").inner_text() == "step 1"
    odd = visit(pages("two"), fragment="#run=77&tensor=none&step=x&figure=toString")
    assert odd.locator("#run-name").inner_text() == f"second {NAUGHTY}"


@pytest.mark.parametrize("kind", ["no step", "no step and over", "one step", "from 30, each third", "not a number", "naughty"])
@pytest.mark.parametrize("size", SIZES)
def test_odd_runs_have_whole_pages(visit, pages, kind, size):
    tab = visit(pages(kind), size)
    assert tab.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]
    assert tab.locator("#table tbody tr").count() > 0 or kind.startswith("no step")
    assert tab.locator("img").count() == 0
    if kind.startswith("no step"):
        running = "No step is over yet. Write the page again when the run has gone on."
        assert tab.locator("#heatmap-none").inner_text() == (running if kind == "no step" else "The run has no steps.")
        assert tab.locator("#heatmap-card .controls").is_hidden()
    else:
        tab.locator("#heatmap").focus()
        for key in ("End", "ArrowLeft", "ArrowDown", "Home"):
            tab.keyboard.press(key)
        tab.locator("#spread").select_option("linear")
        tab.locator("#rows").select_option("all")
    if kind == "from 30, each third":
        assert tab.locator("#step-text").inner_text() == "step 30"
    if kind == "not a number":
        assert tab.locator("#heatmap-title").inner_text() == "Tensors by step"
        assert tab.locator("#rows").input_value() == "all" and tab.locator("#graph .node").count() == 3
        tab.locator("#only-bad").check()
        assert tab.locator("#table td.bad").count() > 0
    if kind == "naughty":
        assert NAUGHTY in tab.locator("#run-name").inner_text() and any(NAUGHTY in n for n in names(tab))


def test_a_finger_scrolls_the_page_over_plots_and_selects_nothing(visit, pages):
    tab = visit(pages("two"), "phone")
    wire = tab.context.new_cdp_session(tab)
    for plot in ("heatmap", "graph", "spreads"):
        tab.evaluate(f"scrollTo(0, scrollY + document.getElementById('{plot}').getBoundingClientRect().top - 300)")
        box, before = tab.locator(f"#{plot}").bounding_box(), tab.evaluate("scrollY")
        selected = tab.locator("#tensor-name").inner_text() + tab.locator("#step-text").inner_text()
        x, y = box["x"] + box["width"] * 0.7, box["y"] + 80
        wire.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for i in range(1, 13):
            wire.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 10 * i}]})
        wire.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        tab.wait_for_timeout(100)
        assert tab.evaluate("scrollY") > before + 50, plot
        assert tab.locator("#tensor-name").inner_text() + tab.locator("#step-text").inner_text() == selected, plot


def test_a_tap_selects(visit, pages):
    tab = visit(pages("two"), "phone")
    tab.touchscreen.tap(*cell(tab, 1, 2))
    assert tab.locator("#tensor-name").inner_text() == "first.weight" and tab.locator("#step-text").inner_text() == "step 2"


@pytest.mark.parametrize("size", ["phone", "screen"])
def test_a_graph_of_any_shape_is_drawn(visit, pages, size):
    tab = visit(pages("graphs"), size)
    counts = {"of nothing": 0, "of parameters": 0, "of one": 1, "flat": 1500, "deep, in circles": 400, "a module for each": 3000}
    counts |= {"a leaf for all": 900, "one deep module": 830}
    sizes = {"of parameters": 2}  # of the table
    for index, (name, count) in reversed(list(enumerate(counts.items()))):
        tab.locator("#run").select_option(str(index))
        assert tab.locator("#run-name").inner_text() == name
        rows = min(sizes.get(name, count), 150)
        assert tab.locator("#table-card").is_visible() == (rows > 0)
        assert not rows or tab.locator("#table tbody tr[data-tensor]:not(.apart)").count() == rows
        assert tab.locator("#heatmap").is_visible() == (rows > 0) and tab.locator("#graph-card").is_visible() == (count > 0)
        if not count:
            continue
        for detail in tab.locator("#depth option").evaluate_all("all => all.map(o => o.value)"):
            if tab.locator("#depth").is_visible():
                tab.locator("#depth").select_option(detail)
            drawn = tab.locator("#graph .node").count()
            assert min(count, 2) - 1 < drawn <= 700, (name, detail)
            tab.locator("#graph").focus()
            for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft", "0", "+", "Enter", "Enter", "Escape", "Escape"):
                tab.keyboard.press(key)
        tab.locator("#graph .node").last.dispatch_event("click")
        tab.locator("#heatmap").focus()
        for key in ("End", "PageDown", "ArrowUp", "Home"):
            tab.keyboard.press(key)
        assert tab.locator("#tensor-name").inner_text() in names(tab)
    assert tab.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]


def test_arrow_keys_move_the_heat_map_after_a_click_on_it(visit, pages):
    tab = visit(pages("two"))
    tab.locator("#graph .node").first.dispatch_event("click")
    tab.locator("#graph").focus()
    tab.mouse.click(*cell(tab, 1, 2))
    assert tab.locator("#step-text").inner_text() == "step 2"
    before = tab.locator("#tensor-name").inner_text()
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowDown")
    assert tab.locator("#step-text").inner_text() == "step 3" and tab.locator("#tensor-name").inner_text() != before


@pytest.mark.parametrize("size", SIZES)
def test_what_occurs_in_turn_is_shown(visit, pages, size):
    tab = visit(pages("in turn"), size)
    rates = "document.getElementById('scalars').data.filter(t => t.yaxis === 'y2').map(t => t.name)"
    assert tab.evaluate(rates) == ["learning rate", "learning rate 2"]
    assert "learning" not in tab.locator("#facts").inner_text()
    tab.locator("#filter").fill("b.weight")
    tab.locator("#table tbody tr").first.click()
    name = tab.locator("#tensor-name").inner_text()
    shown = tab.evaluate("document.getElementById('series').data[0]")
    there = [v is not None for v in shown["y"]]
    alone = [a and not any(there[max(i - 1, 0) : i] + there[i + 1 : i + 2]) for i, a in enumerate(there)]
    assert name == "b.weight" and any(alone) and not all(there)
    assert shown["mode"] == "lines+markers" and [s > 0 for s in shown["marker"]["size"]] == alone
    tab.locator("#filter").fill("$a$.weight")
    tab.locator("#table tbody tr").first.click()
    zeros = "document.getElementById('series').data.filter(t => t.hovertemplate.startsWith('exactly 0')).flatMap(t => t.x)"
    assert tab.evaluate(zeros) == [4] and "exactly 0" in tab.locator("#detail-legend").inner_text()
    for compared in (False, True):
        if compared:
            tab.locator("#compare").select_option("0")
        inside = tab.evaluate(
            """() => {
                const box = (node) => node.getBoundingClientRect();
                const [card, plot] = ["scalars-card", "scalars"].map(id => box(document.getElementById(id)));
                const parts = [...document.querySelectorAll("#scalars-card .legend span")].map(box).filter(b => b.width);
                const whole = parts.every(b => b.bottom <= card.bottom && b.right <= card.right && b.left >= card.left);
                return [parts.length, whole, plot.bottom <= card.bottom];
            }"""
        )
        assert inside[0] >= 4 * (1 + compared) and inside[1:] == [True, True]


@pytest.mark.parametrize("size", SIZES)
def test_alarms_stand_whole_above_the_cells(visit, pages, size):
    tab = visit(pages("deep"), size)
    boxes = tab.evaluate(
        """() => {
            const box = (node) => (b => [b.top, b.bottom])(node.getBoundingClientRect());
            const offset = (id) => document.getElementById(id)._fullLayout?.yaxis._offset;
            const edge = box(document.querySelector("#heatmap .main-svg"));
            const marks = [...document.querySelectorAll("#heatmap .scatterlayer .point")].map(box);
            return { edge, cells: edge[0] + offset("heatmap"), profile: offset("profile"), map: offset("heatmap"), marks };
        }"""
    )
    assert len(boxes["marks"]) == 1
    top, bottom = boxes["marks"][0]
    assert top >= boxes["edge"][0] and bottom <= boxes["cells"] + 1 and bottom - top >= 6
    if boxes["profile"] is not None:
        assert abs(boxes["profile"] - boxes["map"]) < 0.5
