// The selected tensor: what it is, its numbers at the step, a figure and its distribution over time.

const NUMBERS = [["norm", "norm"], ["root mean square", "rms"], ["mean", "mean"], ["std", "std"], ["min", "min"], ["max", "max"], ["zeros", "zeros"], ["NaN", "nan"], ["Inf", "inf"],
  ["gradient / weight", "grad_to_weight"], ["update / weight", "update_to_weight"]];

function drawTensor() {
  const run = getRun(state.run), i = state.tensor;
  $("tensor-card").hidden = i === null;
  if (i === null) return;
  const t = run.tensors[i], place = t.place === null ? null : run.places[t.place];
  $("tensor-name").textContent = t.name;
  const facts = [["what", t.kind === "parameter" ? "parameter" : `${t.op}${t.output ? ", output of a module" : ""}`], ["shape", `${shapeText(t.shape)} ${t.dtype}`]];
  if (place) facts.push(["line", el("div", { class: "source", style: "margin:0" }, el("span", { title: `${place.file}:${place.line}` }, place.short), el("code", {}, place.source || ""))]);
  const links = (list) => el("div", { class: "links" }, ...list.slice(0, 12).map((j) => el("button", { class: "link", type: "button", onclick: () => set({ tensor: j }) }, run.tensors[j].name)),
    list.length > 12 ? `and ${list.length - 12} more` : null);
  if (t.inputs.length) facts.push(["from", links(t.inputs)]);
  if (run.usedBy[i].length) facts.push(["used by", links(run.usedBy[i])]);
  const box = $("tensor");
  box.replaceChildren(el("dl", { class: "about" }, ...facts.flatMap(([n, v]) => [el("dt", {}, n), el("dd", {}, v)])));
  if (run.empty) return;
  const kinds = run.value ? ["gradient", "value"] : ["gradient"];
  if (!run.gridded.has(i) && state.column !== run.columns - 1) {
    box.append(el("p", { class: "quiet foot" }, "This tensor has figures at the newest step only."));
    return;
  }
  const rows = NUMBERS.map(([label, f]) => [label, f, kinds.map((k) => (run[k] && run[k][f] ? shownAt(run, k, f, i, state.column) : NaN))]).filter(([, f, v]) => !f.includes("_") || !Number.isNaN(v[0]));
  box.append(el("table", { class: "numbers" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, stepsOf(run, state.column)), ...kinds.map((k) => el("th", { scope: "col" }, k)))),
    el("tbody", {}, ...rows.map(([label, f, values]) => el("tr", {}, el("th", { scope: "row" }, label),
      ...values.map((v) => el("td", { class: (f === "nan" || f === "inf") && v > 0 ? "bad" : null }, f === "zeros" ? share(v) : number(v))))))));
}

function curvesOf(run, kind, tensor) {
  const found = run.curves && run.curves[kind], at = found ? found.rows.indexOf(tensor) : -1;
  if (at < 0) return null;
  found.floats = found.floats || floats(found.data);
  const n = run.curves.steps.length;
  return { steps: run.curves.steps, at: (step) => found.floats.subarray((at * n + step) * 21, (at * n + step + 1) * 21) };
}

// gradients span orders of magnitude, values seldom do
const spread = () => state.spread || (state.kind === "gradient" ? "log" : "linear");

// signed log: linear around zero, by a unit that fits the numbers at hand
function bent(curves) {
  if (spread() === "linear" || !curves) return { to: (v) => v, unit: 0 };
  const sizes = [];
  curves.steps.forEach((_, s) => { for (const v of curves.at(s)) if (v && Number.isFinite(v)) sizes.push(Math.abs(v)); });
  sizes.sort((a, b) => a - b);
  const unit = 10 ** Math.floor(Math.log10(sizes.length ? sizes[Math.floor(sizes.length * 0.05)] : 1));
  return { to: (v) => Math.sign(v) * Math.log10(1 + Math.abs(v) / unit), unit };
}

function drawDetail() {
  const run = getRun(state.run), i = state.tensor;
  $("detail-card").hidden = run.empty || i === null;
  if (run.empty || i === null) return;
  const row = run.series(state.kind, state.figure, i), curves = curvesOf(run, state.kind, i);
  $("detail-title").textContent = `${run.tensors[i].name} over time`;
  $("spread").value = spread();
  $("series").hidden = !row;
  $("spreads").hidden = !curves;
  if (!curves) $("histogram").hidden = true;
  $("detail-none").hidden = Boolean(row || curves);
  $("detail-none").textContent = run.gridded.has(i) ? `There is no ${state.kind} of this tensor at any step, or not this figure.` : "The page holds no figures over time of this tensor; see its numbers at the newest step.";
  const legend = row ? [legendItem(`${FIGURES[state.figure].label} of the ${state.kind}`, token("--first"))] : [];
  if (row) drawSeries(run, i, row, legend);
  if (curves) {
    drawSpreads(run, curves);
    legend.push(...[["median", 1], ["25–75%", 0.45], ["5–95%", 0.28], ["all", 0.14]].map(([n, o]) => legendItem(n, `color-mix(in srgb, ${token("--first")} ${100 * o}%, transparent)`, false, o < 1)));
  }
  $("detail-legend").replaceChildren(...legend);
}

function drawSeries(run, i, row, legend) {
  const id = "series", left = narrowLeft(id, labelRoom($(id).clientWidth)), log = run.scale(state.kind, state.figure).log, traces = [], bad = run.series(state.kind, "bad", i);
  const zeros = []; // a logarithm has no place for them
  const add = (from, values, holes, color, dash) => {
    const x = from.starts.map((_, c) => from.middle(c)), y = gapped(values).map((v) => (log && v !== null && v <= 0 ? null : v)), { mode, marker } = lineOf(y);
    if (log && state.figure !== "bad") values.forEach((v, c) => { if (v === 0 && !(holes && holes[c] > 0)) zeros.push({ x: x[c], color }); });
    traces.push({ x, y, mode, marker: { ...marker, color }, line: { color, width: 1.5, dash }, hovertemplate: "%{y:.4g}<extra></extra>", connectgaps: false });
  };
  add(run, row, bad, token("--first"), "solid");
  if (state.compare !== null) {
    const other = getRun(state.compare), j = other.byName.get(run.tensors[i].name), values = j === undefined || other.empty ? null : other.series(state.kind, state.figure, j);
    if (values) {
      add(other, values, other.series(state.kind, "bad", j), token("--second"), "dot");
      legend.push(legendItem(`the same of ${getRunName(state.compare)}`, token("--second"), true));
    }
  }
  const marks = bad ? [...bad.keys()].filter((c) => bad[c] > 0) : [];
  const layout = { ...baseLayout(id, 130, left), xaxis: timeAxis(id, left), yaxis: valueAxis({ nticks: 4 }), shapes: [stepLine()] };
  if (state.figure === "zeros") Object.assign(layout.yaxis, { tickformat: ".0%", range: [-0.03, 1.03], nticks: 3 });
  if (log) Object.assign(layout.yaxis, logAxis(traces.flatMap((t) => t.y), 4));
  if (marks.length) {
    traces.push({ x: marks.map((c) => run.middle(c)), y: marks.map(() => 0.03), yaxis: "y2", mode: "markers", marker: { symbol: "x", size: 6, color: token("--bad") }, hovertemplate: "NaN or Inf<extra></extra>" });
  }
  if (zeros.length) {
    traces.push({ x: zeros.map((z) => z.x), y: zeros.map(() => 0.03), yaxis: "y2", mode: "markers", marker: { symbol: "circle-open", size: 6, color: zeros.map((z) => z.color) }, hovertemplate: "exactly 0<extra></extra>" });
    legend.push(el("span", {}, "○ exactly 0"));
  }
  if (marks.length || zeros.length) layout.yaxis2 = { overlaying: "y", range: [0, 1], visible: false, fixedrange: true };
  layout.xaxis.showticklabels = !$("spreads").hidden ? false : true;
  if ($("spreads").hidden === false) layout.margin.b = 8;
  Plotly.react($(id), traces, themed(layout), CONFIG);
  onTime(id, () => [stepLine()]);
}

function drawSpreads(run, curves) {
  const id = "spreads", left = narrowLeft(id, labelRoom($(id).clientWidth)), traces = [], color = token("--first"), { to, unit } = bent(curves);
  const n = curves.steps.length, half = n > 1 ? (curves.steps[n - 1] - curves.steps[0]) / (n - 1) / 2 : 0.5, runsOf = [];
  for (let s = 0; s < n; s++) { // stretches of steps that have numbers
    if (Number.isNaN(curves.at(s)[0])) continue;
    const last = runsOf[runsOf.length - 1];
    if (last && last[1] === s - 1) last[1] = s; else runsOf.push([s, s]);
  }
  const x = (s, end) => curves.steps[s] + (end && n > 0 ? end * Math.min(half, 0.5) : 0);
  for (const [low, high, opacity] of [[0, 20, 0.14], [1, 19, 0.2], [5, 15, 0.3]]) {
    const px = [], py = [];
    for (const [from, until] of runsOf) {
      const single = from === until, steps = [];
      for (let s = from; s <= until; s++) steps.push(s);
      const up = steps.flatMap((s) => (single ? [[x(s, -1), s], [x(s, 1), s]] : [[x(s), s]]));
      px.push(...up.map((p) => p[0]), ...up.slice().reverse().map((p) => p[0]), null);
      py.push(...up.map((p) => to(curves.at(p[1])[high])), ...up.slice().reverse().map((p) => to(curves.at(p[1])[low])), null);
    }
    traces.push({ x: px, y: py, fill: "toself", fillcolor: color, opacity, line: { width: 0 }, mode: "lines", hoverinfo: "skip" });
  }
  const quantiles = (s) => [0, 5, 10, 15, 20].map((q) => number(Number(curves.at(s)[q].toPrecision(4))));
  const live = [...Array(n).keys()];
  const medians = live.map((s) => (Number.isNaN(curves.at(s)[10]) ? null : to(curves.at(s)[10]))), { mode, marker } = lineOf(medians);
  traces.push({ x: curves.steps, y: medians, mode, line: { color, width: 1.6 }, marker: { ...marker, color },
    customdata: live.map((s) => quantiles(s)), hovertemplate: "median %{customdata[2]}<br>half in %{customdata[1]} to %{customdata[3]}<br>all in %{customdata[0]} to %{customdata[4]}<extra></extra>" });
  const layout = { ...baseLayout(id, 230, left), xaxis: timeAxis(id, left), shapes: [stepLine("y domain")], yaxis: valueAxis({}) };
  if (unit) {
    const values = traces.flatMap((t) => t.y).filter((v) => v !== null), most = Math.max(...values.map(Math.abs), 1), ticks = [0];
    for (let k = 1; k <= most + 1; k++) ticks.push(k, -k);
    const step = Math.ceil(ticks.length / 9), kept = ticks.filter((k) => k === 0 || Math.abs(k) % step === 0);
    Object.assign(layout.yaxis, { tickvals: kept.map((k) => Math.sign(k) * Math.log10(1 + 10 ** Math.abs(k)) * (k ? 1 : 0)), ticktext: kept.map((k) => (k ? number(Math.sign(k) * Number((unit * 10 ** Math.abs(k)).toPrecision(2))) : "0")) });
  }
  if (side(id)) addHistogram(run, curves, to, traces, layout);
  $("histogram").hidden = Boolean(side(id));
  if (!side(id)) drawHistogram(run, curves, to, layout.yaxis, left);
  Plotly.react($(id), traces, themed(layout), CONFIG);
  onTime(id, () => [stepLine("y domain")]);
}

// Between two quantiles lies a twentieth of the numbers; twins make a spike
function histogram(curve, to, bins = 26) {
  const low = to(curve[0]), high = to(curve[20]), width = (high - low) / bins, mass = new Float64Array(bins);
  if (!(width > 0)) return { centers: [low], mass: [1], width: Math.abs(low) * 0.02 || 1 };
  for (let q = 0; q < 20; q++) {
    const a = to(curve[q]), b = to(curve[q + 1]);
    if (b - a < 1e-12 * (high - low)) mass[Math.min(bins - 1, Math.floor((a - low) / width))] += 0.05;
    else for (let k = Math.floor((a - low) / width); k < bins; k++) {
      const part = Math.min(b, low + (k + 1) * width) - Math.max(a, low + k * width);
      if (part <= 0) break;
      mass[k] += 0.05 * part / (b - a);
    }
  }
  return { centers: [...mass.keys()].map((k) => low + (k + 0.5) * width), mass: [...mass], width };
}

function nearestCurve(run, curves) {
  const at = run.middle(state.column);
  return curves.steps.reduce((best, s, i) => (Math.abs(s - at) < Math.abs(curves.steps[best] - at) ? i : best), 0);
}

// below the distributions, where there is no room beside them
function drawHistogram(run, curves, to, ticks, left) {
  const s = nearestCurve(run, curves), curve = curves.at(s), known = !Number.isNaN(curve[0]), h = known ? histogram(curve, to) : null;
  const layout = { ...baseLayout("histogram", known ? 120 : 40, left), yaxis: valueAxis({ nticks: 3, tickformat: ".0%", rangemode: "tozero" }),
    xaxis: { zeroline: false, fixedrange: true, showgrid: false, nticks: 5, exponentformat: "e", ...(ticks.tickvals ? { tickvals: ticks.tickvals.filter((_, i) => i % 2 === 0), ticktext: ticks.ticktext.filter((_, i) => i % 2 === 0) } : {}) } };
  layout.margin.t = 24;
  layout.xaxis.visible = layout.yaxis.visible = known;
  layout.annotations = [{ text: `${known ? state.kind : "nothing finite"} at step ${curves.steps[s].toLocaleString("en")}`, showarrow: false, xref: "paper", yref: "paper", x: 0, xanchor: "left", y: 1, yanchor: "bottom", yshift: 2, font: { size: 11.5 } }];
  const bars = known ? [{ type: "bar", x: h.centers, y: h.mass, width: h.width * 0.92, marker: { color: token("--first") }, hovertemplate: "%{y:.1%}<extra></extra>" }] : [];
  Plotly.react($("histogram"), bars, themed(layout), CONFIG);
}

function addHistogram(run, curves, to, traces, layout) {
  const s = nearestCurve(run, curves), curve = curves.at(s), end = layout.xaxis.domain[1], width = $("spreads").clientWidth - layout.margin.l - 8;
  layout.xaxis2 = { domain: [end + 14 / width, 1], showgrid: false, zeroline: false, fixedrange: true, showticklabels: false, rangemode: "tozero", ticks: "", anchor: "y",
    title: { text: `step ${curves.steps[s].toLocaleString("en")}`, font: { size: 11.5 }, standoff: 4 } };
  if (Number.isNaN(curve[0])) return;
  const h = histogram(curve, to);
  traces.push({ type: "bar", orientation: "h", x: h.mass, y: h.centers, width: h.width * 0.92, xaxis: "x2", yaxis: "y", marker: { color: token("--first") }, hovertemplate: "%{x:.1%}<extra></extra>" });
}
