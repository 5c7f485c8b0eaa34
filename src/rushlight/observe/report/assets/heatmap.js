// Layers by step. Cells that are not finite, that are exactly zero and that got nothing have colours of their own, off the scale.

let rowRange = null; // of a zoom into the rows
const rowsZoomed = () => rowRange !== null;
let heatRows = [];

function shownRows() {
  const run = getRun(state.run), words = state.rowsFilter.toLowerCase().split(/\s+/).filter(Boolean);
  return (run.rows || []).filter((i) => {
    const t = run.tensors[i];
    if (state.rows === "layers" && !t.output && t.kind === "intermediate" || state.rows === "outputs" && !t.output) return false;
    if (state.rows === "parameters" && t.kind !== "parameter") return false;
    if (state.kind === "value" && !run.series("value", "norm", i)) return false; // values of parameters are not recorded
    const text = `${t.name} ${t.op}`.toLowerCase();
    return words.every((w) => text.includes(w));
  });
}

// a program without modules has no layers to show
function someRows() {
  if (state.rows === "layers" && !state.rowsFilter && !shownRows().some((i) => getRun(state.run).tensors[i].kind === "intermediate")) state.rows = "all";
}

function tail(text, room) {
  const fits = Math.max(4, Math.floor(room / 6.7));
  return text.length <= fits ? text : "…" + text.slice(text.length - fits + 1);
}

// the module that nearly all names begin with need not stand in each label
let prefix = "";
function findPrefix(run, rows) {
  const counts = new Map();
  for (const i of rows) {
    const name = run.tensors[i].name, first = name.slice(0, name.indexOf(".") + 1);
    if (first) counts.set(first, (counts.get(first) || 0) + 1);
  }
  const [most, times] = [...counts].sort((a, b) => b[1] - a[1])[0] || ["", 0];
  prefix = times > 2 && times >= 0.8 * rows.length ? most : "";
}
const rowLabel = (name) => (prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name);

function drawHeatmap() {
  const run = getRun(state.run);
  heatRows = run.empty ? [] : shownRows();
  findPrefix(run, heatRows);
  const none = !heatRows.length;
  $("heatmap").hidden = $("scale").hidden = none;
  if (none) $("profile").hidden = true;
  document.querySelector("#heatmap-card .controls").hidden = run.empty;
  $("heatmap-hint").hidden = none || coarse();
  $("heatmap-none").hidden = !none;
  $("heatmap-none").textContent = !run.empty ? "No tensor fits. Choose other rows or another filter."
    : run.state === "running" ? "No step is over yet. Write the page again when the run has gone on." : "The run has no steps.";
  $("heatmap-title").textContent = { layers: "Layers by step", outputs: "Layers by step", parameters: "Parameters by step", all: "Tensors by step" }[state.rows];
  if (none) return;
  const id = "heatmap", width = $(id).clientWidth, left = labelRoom(width), n = heatRows.length;
  const perRow = n <= 12 ? 26 : n <= 40 ? 17 : 13, height = Math.round(Math.min(Math.max(n * perRow, 90), Math.max(760, window.innerHeight * 0.8))) + 38;
  const marks = alarmMarks(run), strip = marks.length ? 12 : 0; // the alarms have a strip of their own, above the cells
  const scale = run.scale(state.kind, state.figure), picks = { finite: [], zero: [], bad: [], none: [] }, some = { zero: false, bad: false, none: false };
  for (const t of heatRows) {
    const finite = [], zero = [], bad = [], blank = [];
    for (let c = 0; c < run.columns; c++) {
      const g = grade(run, state.kind, state.figure, t, c);
      finite.push(typeof g === "number" ? g : null);
      zero.push(g === "zero" ? 1 : null);
      bad.push(g === "bad" ? 1 : null);
      blank.push(g === "none" ? 1 : null);
      if (typeof g === "string") some[g] = true;
    }
    picks.finite.push(finite); picks.zero.push(zero); picks.bad.push(bad); picks.none.push(blank);
  }
  const map = (z, colorscale) => ({ type: "heatmap", x: run.edges, y: [...Array(n + 1).keys()].map((i) => i - 0.5), z, zmin: 0, zmax: 1, colorscale, showscale: false, hoverinfo: "none", xgap: 0, ygap: n <= 60 ? 1 : 0 });
  const single = (color) => [[0, color], [1, color]];
  const traces = [map(picks.finite, RAMP_PLOTLY)];
  if (some.zero) traces.push(map(picks.zero, single(token("--zero"))));
  if (some.bad) traces.push(map(picks.bad, single(token("--bad"))));
  if (some.none) traces.push(map(picks.none, single("rgba(128,128,128,0)")));
  const layout = { ...baseLayout(id, height + strip, left), xaxis: timeAxis(id, left), shapes: heatShapes(), hovermode: "closest" };
  layout.xaxis.showgrid = false;
  layout.xaxis.anchor = "y";
  const shownCount = rowRange ? Math.abs(rowRange[0] - rowRange[1]) : n, each = Math.max(1, Math.ceil(shownCount * 12.5 / (height - 38)));
  const ticks = heatRows.map((_, i) => i).filter((i) => i % each === 0);
  layout.yaxis = { domain: [0, 1 - strip / (height + strip - layout.margin.t - layout.margin.b)], range: rowRange || [n - 0.5, -0.5], tickvals: ticks, ticktext: ticks.map((i) => plain(tail(rowLabel(run.tensors[heatRows[i]].name), left - 12))), showgrid: false, zeroline: false,
    fixedrange: coarse() || n < 8, tickfont: { family: token("--mono"), size: 11 }, ticks: "", automargin: false, ticklabelstandoff: 4 };
  if (strip) {
    traces.push({ x: marks, y: marks.map(() => 0.5), xaxis: "x", yaxis: "y3", mode: "markers", hoverinfo: "skip", cliponaxis: false, marker: { symbol: "triangle-down", size: 8, color: token("--bad") } });
    layout.yaxis3 = { domain: [layout.yaxis.domain[1], 1], range: [0, 1], visible: false, fixedrange: true };
  }
  Plotly.react($(id), traces, layout, CONFIG);
  listenHeatmap(id);
  drawProfile();
  drawScale(run, scale, some);
}

const alarmMarks = (run) => [...new Set(run.alarms.flatMap((a) => a.steps.map((s) => run.column(s))))].map((c) => run.middle(c));

// beside the map: the figure of every row at the step, from the first layer to the last
function drawProfile() {
  const run = getRun(state.run), wide = side("heatmap") && heatRows.length && !run.empty;
  $("profile").hidden = !wide;
  if (!wide) return;
  const log = run.scale(state.kind, state.figure).log, traces = [], map = $("heatmap").layout;
  const add = (from, column, color, dash, parameters) => {
    const x = heatRows.map((t) => {
      if ((run.tensors[t].kind === "parameter") !== parameters) return null;
      const i = from === run ? t : from.byName.get(run.tensors[t].name), v = i === undefined ? NaN : from.at(state.kind, state.figure, i, column);
      return !Number.isFinite(v) || log && v <= 0 ? null : v;
    });
    traces.push({ x, y: heatRows.map((_, i) => i), mode: parameters ? "markers" : "lines+markers", line: { color, width: 1.3, dash }, connectgaps: true, hoverinfo: "none",
      marker: { color, size: heatRows.length > 60 ? 3.5 : 5.5, symbol: parameters ? "circle-open" : "circle" } });
  };
  const other = state.compare === null ? null : getRun(state.compare);
  for (const parameters of [false, true]) {
    if (other && !other.empty && other[state.kind]) add(other, other.column(run.middle(state.column)), token("--second"), "dot", parameters);
    add(run, state.column, token("--first"), "solid", parameters);
  }
  const layout = { ...baseLayout("profile", map.height, 8), hovermode: "closest", shapes: profileShapes(), dragmode: false };
  layout.yaxis = { domain: [...map.yaxis.domain], range: [...map.yaxis.range], visible: false, fixedrange: true };
  const seen = traces.flatMap((t) => t.x).filter((v) => v !== null);
  layout.xaxis = { type: log ? "log" : "linear", gridcolor: token("--line-soft"), zeroline: false, fixedrange: true, nticks: 4, ticks: "", tickangle: 0, ...(log ? logAxis(seen, 3) : { showticklabels: seen.length > 0 }) };
  if (state.figure === "zeros") Object.assign(layout.xaxis, { tickformat: ".0%", range: [-0.05, 1.05], nticks: 3 });
  Plotly.react($("profile"), traces, layout, CONFIG);
  if (profiling) return;
  profiling = true;
  $("profile").on("plotly_hover", (e) => showTip(e.event, cellTip(heatRows[e.points[0].y], state.column)));
  $("profile").on("plotly_unhover", hideTip);
  $("profile").on("plotly_click", (e) => { if (!scrolled) set({ tensor: heatRows[e.points[0].y] }); });
}
let profiling = false;

function profileShapes() {
  const row = heatRows.indexOf(state.tensor);
  return row < 0 ? [] : [{ type: "rect", xref: "paper", yref: "y", x0: 0, x1: 1, y0: row - 0.5, y1: row + 0.5, line: { color: token("--accent"), width: 1.5 }, fillcolor: "rgba(0,0,0,0)" }];
}

function heatShapes() {
  const run = getRun(state.run), row = heatRows.indexOf(state.tensor), color = token("--accent"), shapes = [];
  for (const line of [{ color: token("--card"), width: 3.5 }, { color, width: 1.5 }]) { // a line with a rim is seen on every colour
    shapes.push({ type: "rect", xref: "x", yref: "y domain", x0: run.edges[state.column], x1: run.edges[state.column + 1], y0: 0, y1: 1, line, fillcolor: "rgba(0,0,0,0)" });
    if (row >= 0) shapes.push({ type: "rect", xref: "x domain", yref: "y", x0: 0, x1: 1, y0: row - 0.5, y1: row + 0.5, line, fillcolor: "rgba(0,0,0,0)" });
  }
  return shapes;
}

function drawScale(run, scale, some) {
  const parts = [], name = FIGURES[state.figure].label, of = state.figure.includes("_") ? "" : ` of the ${state.kind}`;
  const low = scale.log ? number(Number((10 ** scale.low).toPrecision(2))) : "0", high = scale.log ? number(Number((10 ** scale.high).toPrecision(2))) : "100%";
  parts.push(el("span", {}, name + of + (prefix ? `, names in ${prefix.slice(0, -1)}` : "")));
  parts.push(el("span", { class: "ramp" }, scale.log ? `≤ ${low}` : low, el("i", { style: `background:${RAMP_CSS}` }), scale.log ? `≥ ${high}` : high));
  const key = (text, style) => parts.push(el("span", { class: "key" }, el("i", { style }), text));
  if (some.bad) key("NaN or Inf", `background:${token("--bad")}`);
  if (some.zero) key("exactly 0", `background:${token("--zero")}`);
  if (some.none) key(state.kind === "gradient" ? "no gradient" : "nothing", `border:1px solid ${token("--line")}`);
  if (run.alarms.length) parts.push(el("span", { class: "key" }, el("span", { style: `color:${token("--bad")}` }, "▼"), "alarm"));
  if (side("heatmap")) parts.push(el("span", { class: "key", style: "margin-left:auto" }, "right: ● layers ○ parameters", state.compare === null ? "" : el("span", { style: `color:${token("--second")}` }, `dotted: ${getRunName(state.compare)}`)));
  $("scale").replaceChildren(...parts);
}

let listening = false;
function listenHeatmap(id) {
  onTime(id, heatShapes);
  if (listening) return;
  listening = true;
  const node = $(id);
  const cell = (e) => {
    const p = e.points[0];
    if (!p) return null;
    return Array.isArray(p.pointNumber) ? p.pointNumber : null;
  };
  node.on("plotly_hover", (e) => {
    const at = cell(e);
    if (!at || !(heatRows[at[0]] >= 0)) return;
    showTip(e.event, cellTip(heatRows[at[0]], at[1]));
  });
  node.on("plotly_unhover", hideTip);
  node.on("plotly_click", (e) => {
    const at = scrolled ? null : cell(e);
    if (at && heatRows[at[0]] >= 0) set({ tensor: heatRows[at[0]], column: at[1] });
  });
  node.on("plotly_relayout", (e) => {
    if ("yaxis.range[0]" in e) {
      rowRange = [e["yaxis.range[0]"], e["yaxis.range[1]"]];
      drawHeatmap();
      $("zoom-out").hidden = false;
    }
  });
  node.on("plotly_doubleclick", () => wholeRun());
}

function wholeRun() {
  rowRange = null;
  set({ zoom: null });
  drawHeatmap();
  $("zoom-out").hidden = true;
}

function cellTip(tensor, column) {
  const run = getRun(state.run), t = run.tensors[tensor], place = t.place === null ? null : run.places[t.place];
  const value = shownAt(run, state.kind, state.figure, tensor, column), bad = [run.at(state.kind, "nan", tensor, column), run.at(state.kind, "inf", tensor, column)];
  const said = Number.isNaN(value) ? (bad[0] + bad[1] > 0 ? "nothing finite" : state.kind === "gradient" ? "no gradient" : "nothing recorded") : `${FIGURES[state.figure].label} ${state.figure === "zeros" ? share(value) : number(value)}`;
  return [el("b", {}, t.name), el("strong", {}, said + (bad[0] > 0 ? `, ${number(bad[0])} NaN` : "") + (bad[1] > 0 ? `, ${number(bad[1])} Inf` : "")),
    el("span", {}, stepsOf(run, column)), el("span", {}, `${t.op} ${shapeText(t.shape)}${place ? ` at ${place.short}` : ""}`)];
}

const shapeText = (shape) => (shape.length ? shape.join("×") : "scalar");

function showTip(event, parts) {
  const tip = $("tip");
  tip.replaceChildren(...parts);
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), gap = 14;
  let x = event.clientX + gap, y = event.clientY + gap;
  if (x + box.width > window.innerWidth - 8) x = Math.max(8, event.clientX - gap - box.width);
  if (y + box.height > window.innerHeight - 8) y = Math.max(8, event.clientY - gap - box.height);
  tip.style.left = `${x}px`;
  tip.style.top = `${y}px`;
}
const hideTip = () => { $("tip").hidden = true; };

function heatKeys(e) {
  const run = getRun(state.run), row = heatRows.indexOf(state.tensor);
  const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], PageUp: [-10, 0], PageDown: [10, 0] };
  if (e.key === "Home") set({ column: 0 });
  else if (e.key === "End") set({ column: run.columns - 1 });
  else if (e.key === "Escape") wholeRun();
  else if (moves[e.key]) {
    const [down, on] = moves[e.key];
    const column = Math.min(Math.max(state.column + on * (e.shiftKey ? 10 : 1), 0), run.columns - 1);
    const tensor = down ? heatRows[row < 0 ? 0 : Math.min(Math.max(row + down, 0), heatRows.length - 1)] : state.tensor;
    set({ column, tensor });
  } else return;
  e.preventDefault();
}

function startHeatmap() {
  someRows();
  onChange(["run"], someRows);
  const figures = () => {
    const run = getRun(state.run);
    $("figure").replaceChildren(...Object.entries(FIGURES).filter(([n, f]) => (!f.only || f.only === state.kind) && (run.empty || run.present(state.kind, n) || n === state.figure))
      .map(([n, f]) => el("option", { value: n }, f.label)));
    $("figure").value = state.figure;
    $("kind").value = state.kind;
    $("kind-pick").hidden = !run.value;
    $("rows").value = state.rows;
    if ($("rows-filter").value !== state.rowsFilter) $("rows-filter").value = state.rowsFilter;
  };
  figures();
  onChange(["run", "kind", "figure", "rows", "rowsFilter"], figures);
  onChange(["run", "rows", "rowsFilter"], () => { rowRange = null; });
  for (const name of ["figure", "kind", "rows"]) $(name).addEventListener("change", (e) => set({ [name]: e.target.value }));
  $("rows-filter").addEventListener("input", (e) => set({ rowsFilter: e.target.value }));
  $("zoom-out").addEventListener("click", wholeRun);
  $("heatmap").addEventListener("keydown", heatKeys);
  for (const id of ["heatmap", "profile"]) $(id).addEventListener("pointerdown", (e) => { if (e.pointerType !== "touch") $("heatmap").focus({ preventScroll: true }); }); // plotly keeps the focus from moving
  $("heatmap").addEventListener("mouseleave", hideTip);
  window.addEventListener("scroll", hideTip, { passive: true });
}
