// The graph: boxes coloured by the heat map's figure and step, modules that open, a view that pans and zooms.

const BOX = { width: 178, height: 40, across: 200, down: 74 };
const look = { x: 0, y: 0, zoom: 1 };
let drawn = null; // the view at hand
const svg = el("svg:svg", { "aria-hidden": "true" }), stage = el("svg:g");
svg.append(stage);

function drawGraph() {
  const run = getRun(state.run), graph = run.graph;
  $("graph-card").hidden = !graph || !graph.count;
  drawn = null;
  if (!graph || !graph.count) return;
  if (!state.view || !graph.views[state.view]) state.view = graph.first || Object.keys(graph.views)[0];
  const view = graph.views[state.view];
  drawCrumbs(run, graph);
  if (!view) return;
  stage.replaceChildren();
  const where = (x, y) => [x * BOX.across, y * BOX.down], inside = state.view.startsWith("in ") ? state.view.slice(3) : null;
  drawn = { view, run, boxes: [], edges: [], size: [0, 0] };
  for (const [a, b, ...bends] of view.edges) {
    const from = where(view.nodes[a][1], view.nodes[a][2]), to = where(view.nodes[b][1], view.nodes[b][2]), down = from[1] < to[1] ? 1 : -1;
    const points = [[from[0], from[1] + down * BOX.height / 2]];
    for (let i = 0; i < bends.length; i += 2) points.push(where(bends[i], bends[i + 1]));
    points.push([to[0], to[1] - down * (BOX.height / 2 + 3)]);
    const path = el("svg:path", { class: "edge", d: curve(points), "marker-end": "url(#arrow)" });
    stage.append(path);
    drawn.edges.push({ a, b, path });
  }
  view.nodes.forEach(([reference, x, y], n) => {
    const box = nodeBox(run, graph, reference, where(x, y), inside, n);
    stage.append(box.node);
    drawn.boxes.push(box);
    drawn.size[0] = Math.max(drawn.size[0], where(x, y)[0]);
    drawn.size[1] = Math.max(drawn.size[1], where(x, y)[1]);
  });
  stage.prepend(el("svg:defs", {}, el("svg:marker", { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, el("svg:path", { d: "M0 1L7 4L0 7z", fill: token("--faint") }))));
  if (!svg.parentNode) $("graph").append(svg);
  colourGraph();
  fitGraph();
}

function curve(points) {
  let d = `M${points[0]}`;
  for (let i = 1; i < points.length; i++) {
    const [x0, y0] = points[i - 1], [x1, y1] = points[i], middle = (y0 + y1) / 2;
    d += `C${x0},${middle} ${x1},${middle} ${x1},${y1}`;
  }
  return d;
}

function nodeBox(run, graph, reference, [x, y], inside, number_) {
  const module = typeof reference === "string", t = module ? null : run.tensors[reference], w = BOX.width, h = BOX.height;
  const outside = inside !== null && !(module ? reference : t.path).concat(".").startsWith(inside + ".");
  const node = el("svg:g", { class: `node${module ? " module" : ""}${outside ? " outside" : ""}`, transform: `translate(${x - w / 2},${y - h / 2})` });
  if (module) node.append(el("svg:rect", { class: "back", x: 4, y: 4, width: w, height: h, rx: 7 }));
  const rect = el("svg:rect", { class: "box", width: w, height: h, rx: 7 });
  const members = module ? membersOf(run, graph, reference) : [reference];
  const name = module ? reference : t.name, sub = module ? count(members.length, "operator") : `${t.op} ${shapeText(t.shape)}`;
  const cut = (text, fits) => (text.length <= fits ? text : "…" + text.slice(text.length - fits + 1));
  const title = el("svg:text", { x: 9, y: 16 }, cut(boxLabel(name, inside), 22)), under = el("svg:text", { class: "sub", x: 9, y: 31 }, cut(sub, 25));
  node.append(rect, title, under);
  const parameters = members.flatMap((i) => graph.parameters[i] || []), chips = [];
  if (!module) parameters.slice(0, 5).forEach((p, i) => {
    const chip = el("svg:rect", { class: "chip", x: w - 14 - 13 * i, y: h - 14, width: 10, height: 10, rx: 2, stroke: token("--card") });
    chip.addEventListener("click", (e) => { e.stopPropagation(); if (!moved) set({ tensor: p }); });
    chip.addEventListener("mousemove", (e) => { e.stopPropagation(); showTip(e, cellTip(p, state.column)); });
    chips.push({ chip, p });
    node.append(chip);
  });
  node.addEventListener("click", () => { if (!moved) module ? openModule(reference) : set({ tensor: reference }); });
  node.addEventListener("mousemove", (e) => showTip(e, module ? moduleTip(reference, members) : cellTip(reference, state.column)));
  node.addEventListener("mouseleave", hideTip);
  return { node, rect, title, under, reference, members, chips, number: number_, at: [x, y], module, parameters };
}

// names without what all of them begin with
const boxLabel = (name, inside) => (inside !== null && name.startsWith(inside + ".") ? name.slice(inside.length + 1) : rowLabel(name));

const membersOf = (run, graph, path) => run.tensors.flatMap((t, i) => (t.kind !== "parameter" && (t.path === path || t.path.startsWith(path + ".")) ? [i] : []));

function moduleTip(path, members) {
  const run = getRun(state.run), worst = members.reduce((best, i) => { const v = run.at("gradient", graphFigure(), i, state.column); return v > best ? v : best; }, -1);
  return [el("b", {}, path), el("strong", {}, worst >= 0 ? `largest ${FIGURES[graphFigure()].label} inside ${number(worst)}` : "no gradient inside"), el("span", {}, `${count(members.length, "operator")}; open with a click`)];
}

// parameters' ratios are no figures of operators: the graph then shows the norm
const graphFigure = () => (FIGURES[state.figure].only ? "norm" : state.figure);

function colourGraph() {
  if (!drawn || $("graph-card").hidden) return;
  const run = drawn.run;
  if (run !== getRun(state.run)) return;
  const best = (list) => list.map((i) => grade(run, state.kind, graphFigure(), i, state.column)).reduce((a, b) => (rank(b) > rank(a) ? b : a), "none");
  for (const box of drawn.boxes) {
    const found = best(box.members), { fill, ink } = paint(found);
    box.rect.setAttribute("fill", fill);
    box.title.setAttribute("fill", ink);
    box.under.setAttribute("fill", ink);
    box.node.classList.toggle("bad", found === "bad");
    for (const { chip, p } of box.chips) chip.setAttribute("fill", paint(grade(run, state.kind, state.figure, p, state.column)).fill);
  }
  markGraph();
}

const rank = (g) => (g === "bad" ? 3 : g === "none" ? -2 : g === "zero" ? -1 : g);

function markGraph() {
  if (!drawn || drawn.run !== getRun(state.run)) return;
  const holds = (box) => box.reference === state.tensor || box.module && holdsTensor(box, state.tensor) || box.chips.some((c) => c.p === state.tensor);
  const picked = new Set();
  for (const box of drawn.boxes) {
    const on = holds(box);
    box.node.classList.toggle("picked", on);
    if (on) picked.add(box.number);
  }
  for (const { a, b, path } of drawn.edges) path.classList.toggle("near", picked.has(a) || picked.has(b));
}

function holdsTensor(box, tensor) {
  if (tensor === null) return false;
  const path = getRun(state.run).tensors[tensor].path;
  return path === box.reference || path.startsWith(box.reference + ".");
}

// ---------------------------------------------------------------- panning and zooming

function place() {
  stage.setAttribute("transform", `translate(${look.x},${look.y}) scale(${look.zoom})`);
}

// all of it where that can be read; else its width, from the top, near what is selected
function fitGraph(whole = false) {
  const w = $("graph").clientWidth, h = $("graph").clientHeight, pad = 16;
  const width = drawn.size[0] + BOX.width, height = drawn.size[1] + BOX.height, all = Math.min((w - 2 * pad) / width, (h - 2 * pad) / height, 1.1);
  look.zoom = whole ? all : Math.max(all, Math.min((w - 2 * pad) / width, 1), 0.8);
  if (!whole && all >= 0.62) look.zoom = all;
  look.x = (w - drawn.size[0] * look.zoom) / 2;
  look.y = Math.max((h - drawn.size[1] * look.zoom) / 2, pad + BOX.height / 2 * look.zoom);
  if (!whole) {
    const box = drawn.boxes.find((b) => b.node.classList.contains("picked")) || (width * look.zoom > w ? drawn.boxes[0] : null);
    if (box) bringIn(box);
  }
  place();
}

function bringIn(box) {
  const w = $("graph").clientWidth, h = $("graph").clientHeight, x = look.x + box.at[0] * look.zoom, y = look.y + box.at[1] * look.zoom;
  if (x < 80 || x > w - 80) look.x += w / 2 - x;
  if (y < 30 || y > h - 30) look.y += h / 2 - y;
  look.y = Math.min(look.y, Math.max(16 + BOX.height / 2 * look.zoom, (h - drawn.size[1] * look.zoom) / 2)); // nothing is above the first layer
  place();
}

function zoomGraph(by, x = $("graph").clientWidth / 2, y = $("graph").clientHeight / 2) {
  const zoom = Math.min(Math.max(look.zoom * by, 0.04), 3);
  look.x = x - (x - look.x) * zoom / look.zoom;
  look.y = y - (y - look.y) * zoom / look.zoom;
  look.zoom = zoom;
  place();
}

let moved = false;
function panning(box) {
  const fingers = new Map();
  box.addEventListener("pointerdown", (e) => { fingers.set(e.pointerId, e); moved = false; });
  box.addEventListener("pointermove", (e) => {
    const before = fingers.get(e.pointerId);
    if (!before) return;
    const others = [...fingers.values()].filter((f) => f.pointerId !== e.pointerId);
    if (others.length) {
      const was = Math.hypot(before.clientX - others[0].clientX, before.clientY - others[0].clientY), is = Math.hypot(e.clientX - others[0].clientX, e.clientY - others[0].clientY), edge = box.getBoundingClientRect();
      if (was > 0) zoomGraph(is / was, (e.clientX + others[0].clientX) / 2 - edge.left, (e.clientY + others[0].clientY) / 2 - edge.top);
    } else if (moved || Math.hypot(e.clientX - before.clientX, e.clientY - before.clientY) > 3) {
      if (!moved) box.setPointerCapture(e.pointerId);
      moved = true;
      look.x += e.clientX - before.clientX;
      look.y += e.clientY - before.clientY;
      place();
    } else return;
    fingers.set(e.pointerId, e);
    hideTip();
  });
  const up = (e) => fingers.delete(e.pointerId);
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) box.addEventListener(name, up);
  box.addEventListener("wheel", (e) => { // a page with a graph must still scroll
    if (!e.ctrlKey && !e.metaKey && document.activeElement !== box) return;
    e.preventDefault();
    const edge = box.getBoundingClientRect();
    zoomGraph(Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.0016)), e.clientX - edge.left, e.clientY - edge.top);
  }, { passive: false });
}

// ---------------------------------------------------------------- modules

const openModule = (path) => set({ view: `in ${path}` });

function leaveModule() {
  const graph = getRun(state.run).graph;
  if (!state.view.startsWith("in ")) return;
  const parts = state.view.slice(3).split(".");
  while (parts.pop() && parts.length) if (graph.views[`in ${parts.join(".")}`]) return set({ view: `in ${parts.join(".")}` });
  set({ view: graph.first });
}

function drawCrumbs(run, graph) {
  const crumbs = $("crumbs"), inside = state.view.startsWith("in ");
  crumbs.hidden = !inside;
  if (inside) {
    const parts = state.view.slice(3).split("."), made = [el("button", { class: "link", type: "button", onclick: () => set({ view: graph.first }) }, "whole graph")];
    parts.forEach((p, i) => {
      const key = `in ${parts.slice(0, i + 1).join(".")}`;
      made.push("›", graph.views[key] && i < parts.length - 1 ? el("button", { class: "link", type: "button", onclick: () => set({ view: key }) }, p) : el("span", { class: "mono" }, p));
    });
    crumbs.replaceChildren(...made);
  }
  const pick = $("depth");
  pick.replaceChildren(...graph.depths.map(([key, n]) => el("option", { value: key }, key === "all" ? `every operator (${n})` : `${key.replace("depth", "modules, depth")} (${n})`)), inside ? el("option", { value: state.view }, "inside a module") : "");
  pick.value = state.view;
  pick.parentNode.hidden = pick.options.length < 2;
  const shown = graph.views[state.view] ? graph.views[state.view].nodes.filter(([r]) => typeof r === "string").length : 0;
  const cut = graph.views[state.view] ? graph.views[state.view].cut : 0;
  $("graph-note").textContent = [cut ? `${count(cut, "box", "boxes")} furthest from the loss are not drawn.` : "", `${count(graph.count, "operator")} of the newest step, ${FIGURES[state.figure].only ? "coloured by norm" : "coloured as the heat map"}.`,
    shown ? "Double boxes are modules, coloured by the largest inside; a click opens one." : "", Object.keys(graph.parameters).length ? "Small squares are parameters." : ""].filter(Boolean).join(" ");
}

function graphKeys(e) {
  if (!drawn) return;
  const at = drawn.boxes.find((b) => b.node.classList.contains("picked")) || drawn.boxes[0], go = (n) => {
    const box = drawn.boxes[n];
    if (box) { set({ tensor: box.module ? box.members[box.members.length - 1] : box.reference }); bringIn(box); }
  };
  const ups = drawn.edges.filter((d) => d.b === at.number).map((d) => d.a), downs = drawn.edges.filter((d) => d.a === at.number).map((d) => d.b);
  const level = drawn.boxes.filter((b) => b.at[1] === at.at[1]).sort((a, b) => a.at[0] - b.at[0]), here = level.indexOf(at);
  if (e.key === "ArrowUp" && ups.length) go(ups[0]);
  else if (e.key === "ArrowDown" && downs.length) go(downs[0]);
  else if (e.key === "ArrowLeft" && here > 0) go(level[here - 1].number);
  else if (e.key === "ArrowRight" && here < level.length - 1) go(level[here + 1].number);
  else if (e.key === "Enter" && at.module) openModule(at.reference);
  else if (e.key === "Escape") leaveModule();
  else if (e.key === "+" || e.key === "=") zoomGraph(1.25);
  else if (e.key === "-") zoomGraph(0.8);
  else if (e.key === "0") fitGraph(true);
  else if (!e.key.startsWith("Arrow")) return;
  e.preventDefault();
}

function startGraph() {
  const box = $("graph");
  panning(box);
  box.addEventListener("keydown", graphKeys);
  $("depth").addEventListener("change", (e) => set({ view: e.target.value }));
  $("graph-in").addEventListener("click", () => zoomGraph(1.3));
  $("graph-out").addEventListener("click", () => zoomGraph(1 / 1.3));
  $("graph-fit").addEventListener("click", () => fitGraph(true));
}
