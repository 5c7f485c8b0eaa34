// Everything over steps: one time axis for all plots, the scalars, the distributions of the selected tensor.

const SIDE = 150; // room right of the time axis: a profile, a histogram
const CONFIG = { displayModeBar: false, responsive: false, doubleClick: false, showTips: false, scrollZoom: false };
const plots = []; // of the time axis

const side = (id) => ($(id).clientWidth >= 720 ? SIDE : 0);

// the room for the names of rows, the same for all plots where there is room
function labelRoom(width) {
  const run = getRun(state.run);
  if (run.empty) return 60;
  const rows = shownRows();
  findPrefix(run, rows);
  const longest = rows.reduce((n, t) => Math.max(n, rowLabel(run.tensors[t].name).length), 4);
  return Math.ceil(Math.min(longest * 6.7 + 14, width < 500 ? width * 0.36 : width * 0.28, 260));
}

function baseLayout(id, height, left) {
  const width = $(id).clientWidth, right = side(id) ? 6 : 8, quiet = token("--quiet");
  return {
    width, height, autosize: false, margin: { l: left, r: right, t: 6, b: 26, pad: 0 }, showlegend: false, hovermode: "x",
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", dragmode: coarse() ? false : "zoom",
    font: { family: token("--sans"), size: 11.5, color: quiet },
  };
}

function timeAxis(id, left) {
  const run = getRun(state.run), width = $(id).clientWidth - left - 8, range = state.zoom || run.whole, gap = side(id) ? (side(id) + 14) / width : 0;
  const axis = { domain: [0, 1 - gap], range: [...range], fixedrange: coarse(), gridcolor: token("--line-soft"), zeroline: false, tickformat: ",d", nticks: Math.max(3, Math.floor(width / 90)),
    linecolor: token("--line"), automargin: false, ticks: "", hoverformat: ",d" };
  if (range[1] - range[0] < 8) Object.assign(axis, { tickmode: "linear", tick0: 0, dtick: 1 });
  return axis;
}

const valueAxis = (more) => ({ gridcolor: token("--line-soft"), zeroline: false, fixedrange: true, automargin: false, exponentformat: "e", nticks: 5, ...more });

// Powers of ten where the numbers span some, else round numbers
function logAxis(values, most) {
  const seen = values.filter((v) => v > 0 && Number.isFinite(v)), axis = { type: "log", tickmode: "array" };
  if (!seen.length) return { ...axis, range: [-1, 0], tickvals: [], ticktext: [] };
  let low = Math.log10(seen.reduce((a, b) => Math.min(a, b))), high = Math.log10(seen.reduce((a, b) => Math.max(a, b)));
  const room = 0.06 * (high - low) + 0.03;
  [low, high] = [low - room, high + room];
  axis.range = [low, high];
  const step = Math.max(1, Math.ceil((high - low) / most));
  let ticks = [];
  const each = (parts) => {
    const made = [];
    for (let k = Math.floor(low); k <= high; k++) for (const m of parts) if (Math.log10(m) + k >= low && Math.log10(m) + k <= high) made.push(Number(`${m}e${k}`));
    return made;
  };
  if (high - low > 2.2) for (let k = Math.ceil(low / step) * step; k <= high; k += step) ticks.push(Number(`1e${k}`));
  else if (high - low > 0.5) ticks = [[1, 2, 5], [1, 3], [1]].map(each).find((t) => t.length <= most + 1) || [];
  if (ticks.length < 2) {
    ticks = [];
    const from = 10 ** low, to = 10 ** high, raw = (to - from) / most, unit = 10 ** Math.floor(Math.log10(raw)), even = [1, 2, 5, 10].map((m) => m * unit).find((u) => u >= raw);
    for (let v = Math.ceil(from / even) * even; v <= to; v += even) ticks.push(v);
  }
  axis.tickvals = ticks;
  axis.ticktext = ticks.map((v) => number(Number(v.toPrecision(3))));
  return axis;
}

function stepLine(yref = "paper") {
  const run = getRun(state.run), at = run.middle(state.column);
  return { type: "line", xref: "x", yref, x0: at, x1: at, y0: 0, y1: 1, line: { color: token("--accent"), width: 1.5 }, layer: "above" };
}

// a finger that scrolls the page over a plot chooses nothing there
let scrolled = false;
window.addEventListener("pointerdown", () => { scrolled = false; }, true);
window.addEventListener("pointercancel", () => { scrolled = true; }, true);

// a plot on the time axis: its clicks choose a step, its zoom is everybody's
function onTime(id, shapes) {
  const node = $(id);
  if (plots.some((p) => p.id === id)) return;
  plots.push({ id, shapes });
  node.on("plotly_relayout", (e) => {
    if ("xaxis.range[0]" in e) set({ zoom: [e["xaxis.range[0]"], e["xaxis.range[1]"]] });
  });
  node.on("plotly_click", (e) => {
    if (scrolled) return;
    const point = e.points.find((p) => p.xaxis._id === "x");
    if (point && id !== "heatmap") set({ column: getRun(state.run).column(point.x) });
  });
  node.on("plotly_doubleclick", () => { set({ zoom: null }); });
}

function moveLines() {
  if (getRun(state.run).empty) return;
  for (const { id, shapes } of plots) if (!$(id).hidden) Plotly.relayout($(id), { shapes: shapes() });
}

function moveZoom() {
  if (getRun(state.run).empty) return;
  $("zoom-out").hidden = !state.zoom && !rowsZoomed();
  for (const { id } of plots) if (!$(id).hidden) {
    const axis = timeAxis(id, 60);
    Plotly.relayout($(id), { "xaxis.range": axis.range, "xaxis.tickmode": axis.tickmode || "auto", "xaxis.dtick": axis.dtick || null });
  }
}

const gapped = (values) => Array.from(values, (v) => (v === null || !Number.isFinite(v) ? null : v));
const narrowLeft = (id, left) => ($(id).clientWidth < 500 ? 54 : Math.max(left, 54));

// ---------------------------------------------------------------- scalars

function drawScalars() {
  const run = getRun(state.run), other = state.compare === null ? null : getRun(state.compare);
  const names = [...new Set([...Object.keys(run.scalars), ...(other ? Object.keys(other.scalars) : [])])];
  const losses = names.filter((n) => !isRate(n)).slice(0, 6), rates = names.filter(isRate).slice(0, 4), more = names.length - losses.length - rates.length;
  const none = run.empty || !names.length;
  $("scalars-card").hidden = none;
  if (none) return;
  const id = "scalars", two = losses.length && rates.length, traces = [], legend = [];
  const height = two ? 210 : 150, left = narrowLeft(id, labelRoom($(id).clientWidth));
  const colors = [token("--first"), "#0f8a7e", "#9a4fc4", "#b8860b", "#d1495b", "#5a7d2a"];
  const add = (from, name, axis, color, dash, label) => {
    if (!Object.hasOwn(from.scalars, name)) return;
    const s = from.scalars[name];
    if (s.low) {
      traces.push({ x: [...s.steps, ...s.steps.slice().reverse()], y: [...s.low, ...s.high.slice().reverse()], fill: "toself", fillcolor: color, opacity: 0.18,
        line: { width: 0 }, mode: "lines", hoverinfo: "skip", yaxis: axis });
    }
    traces.push({ x: s.steps, y: s.mean, mode: s.steps.length === 1 ? "markers" : "lines", line: { color, width: 1.6, dash, shape: axis === "y2" ? "hv" : "linear" }, marker: { color, size: 6 },
      yaxis: axis, name: plain(label), hovertemplate: "%{y:.5g}<extra>%{fullData.name}</extra>", connectgaps: false });
    if (s.bad.length) {
      const known = s.low ? [...s.low, ...s.high] : s.mean, floor = Math.min(...known.filter((v) => v !== null));
      traces.push({ x: s.bad, y: s.bad.map(() => (Number.isFinite(floor) ? floor : 0)), mode: "markers", marker: { color: token("--bad"), size: 6, symbol: "x" }, yaxis: axis,
        hovertemplate: "not finite<extra>%{fullData.name}</extra>", name: plain(label) });
    }
    legend.push([label, color, dash, from, s]);
  };
  losses.forEach((n, i) => {
    add(run, n, "y", colors[i], "solid", n);
    if (other) add(other, n, "y", token("--second"), "dot", `${n} of ${getRunName(state.compare)}`);
  });
  rates.forEach((n, i) => {
    add(run, n, two ? "y2" : "y", colors[(i + 4) % 6], "solid", n);
    if (other) add(other, n, two ? "y2" : "y", token("--second"), "dot", `${n} of ${getRunName(state.compare)}`);
  });
  const layout = { ...baseLayout(id, height, left), xaxis: timeAxis(id, left), shapes: [stepLine()] };
  layout.yaxis = valueAxis({ domain: two ? [0.36, 1] : [0, 1] });
  layout.xaxis.anchor = two ? "y2" : "y";
  if (two) layout.yaxis2 = valueAxis({ domain: [0, 0.26], nticks: 3, rangemode: "tozero" });
  if (!coarse()) layout.hovermode = "x";
  $("scalars-title").textContent = losses.length ? (rates.length ? "Loss and learning rate" : "Loss") : "Learning rate";
  Plotly.react($(id), traces, themed(layout), CONFIG);
  onTime(id, () => [stepLine()]);
  [readings, unread, beside] = [legend, more, side(id) > 0];
  drawReadings();
  if (beside && $("scalars-side").scrollHeight > height) {
    beside = false;
    drawReadings();
  }
}

// the legend, with the values at the step; beside the plot where there is room for all of it
let readings = [], unread = 0, beside = false;
function drawReadings() {
  const run = getRun(state.run), at = run.empty ? 0 : run.middle(state.column), wide = beside, legend = readings, more = unread;
  const items = legend.map(([label, color, dash, , s]) => {
    const near = s.steps.reduce((best, v, i) => (Math.abs(v - at) < Math.abs(s.steps[best] - at) ? i : best), 0), item = legendItem(label, color, dash !== "solid");
    item.append(el("b", {}, s.mean[near] === null ? "not finite" : number(Number(s.mean[near].toPrecision(4)))));
    return item;
  });
  if (more) items.push(el("span", {}, `and ${more} more`));
  $("scalars-legend").replaceChildren(...(wide ? [] : items));
  $("scalars-side").hidden = !wide;
  $("scalars-side").replaceChildren(...(wide ? [el("span", {}, `At ${stepsOf(run, state.column)}`), ...items] : []));
}

function themed(layout) {
  layout.hoverlabel = { bgcolor: token("--card"), bordercolor: token("--line"), font: { color: token("--text"), size: 12 } };
  return layout;
}

function legendItem(label, color, dashed = false, box = false) {
  return el("span", {}, el("i", { class: box ? "box" : dashed ? "dash" : "", style: `background:${color};--mark:${color}` }), label);
}
