// The runs, what is selected, and who wants to know.

const about = block("about");

class Run {
  constructor(index) {
    Object.assign(this, block(`run-${index}`));
    this.index = index;
    this.empty = !this.starts || !this.starts.length;
    this.columns = this.empty ? 0 : this.starts.length;
    this.byName = new Map(this.tensors.map((t, i) => [t.name, i]));
    this.usedBy = this.tensors.map(() => []);
    this.tensors.forEach((t, i) => t.inputs.forEach((j) => this.usedBy[j].push(i)));
    this.gridded = new Set(this.rows || []);
    this.decoded = {};
    this.scales = {};
    if (this.newest) this.newestRow = new Map(this.newest.rows.map((t, i) => [t, i]));
    if (this.empty) return;
    const gap = (c) => (this.columns === 1 ? 1 : c ? this.starts[c] - this.ends[c - 1] : this.starts[1] - this.ends[0]);
    this.edges = [this.starts[0] - gap(0) / 2];
    for (let c = 0; c + 1 < this.columns; c++) this.edges.push((this.ends[c] + this.starts[c + 1]) / 2);
    this.edges.push(this.ends[this.columns - 1] + gap(this.columns - 1) / 2);
    this.whole = [this.edges[0], this.edges[this.columns]];
  }

  present(kind, figure) {
    return figure === "bad" ? Boolean(this[kind]) : Boolean(this[kind] && (this[kind][figure].rows.length || this[kind][figure].zero.length));
  }

  // a figure of a tensor over the columns, or null where the page has none
  series(kind, figure, tensor) {
    if (!this[kind] || !this.gridded.has(tensor)) return null;
    const key = `${kind} ${figure}`;
    if (!(key in this.decoded)) {
      if (figure === "bad") this.decoded[key] = new Map();
      else {
        const { rows, zero, data } = this[kind][figure], all = upperHalves(data), found = new Map();
        rows.forEach((t, i) => found.set(t, all.subarray(i * this.columns, (i + 1) * this.columns)));
        zero.forEach((t) => found.set(t, new Float64Array(this.columns)));
        this.decoded[key] = found;
      }
    }
    const cache = this.decoded[key];
    if (figure === "bad" && !cache.has(tensor)) {
      const a = this.series(kind, "nan", tensor), b = this.series(kind, "inf", tensor);
      cache.set(tensor, a && b ? a.map((v, i) => v + b[i]) : null);
    }
    return cache.get(tensor) || null;
  }

  at(kind, figure, tensor, column) {
    const row = this.series(kind, figure, tensor);
    if (row) return row[column];
    if (this.gridded.has(tensor) || column !== this.columns - 1 || !this.newest || !this.newest[kind]) return NaN;
    if (figure === "bad") return this.at(kind, "nan", tensor, column) + this.at(kind, "inf", tensor, column);
    const found = this.newestRow.has(tensor) ? this.newest[kind][figure][this.newestRow.get(tensor)] : null;
    return found === null || found === undefined ? NaN : found;
  }

  // what the colours of a figure span: all but the outermost hundredths
  scale(kind, figure) {
    const key = `${kind} ${figure}`;
    if (key in this.scales) return this.scales[key];
    if (figure === "zeros") return (this.scales[key] = { low: 0, high: 1, log: false });
    let all = [];
    for (const t of this.rows || []) {
      const row = this.series(kind, figure, t);
      if (row) for (const v of row) if (v > 0 && Number.isFinite(v)) all.push(Math.log10(v));
    }
    all = Float64Array.from(all).sort();
    let low = all.length ? all[Math.floor(0.01 * (all.length - 1))] : -1, high = all.length ? all[Math.ceil(0.99 * (all.length - 1))] : 0;
    if (figure === "bad") low = 0;
    if (high - low < 0.02) [low, high] = figure === "bad" ? [0, Math.max(high, 1)] : [low - 0.5, high + 0.5];
    return (this.scales[key] = { low, high, log: true });
  }

  column(step) {
    let low = 0, high = this.columns - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.edges[middle] <= step) low = middle; else high = middle - 1;
    }
    return low;
  }

  middle(column) { return (this.starts[column] + this.ends[column]) / 2; }
}

function stepsOf(run, column) {
  const from = run.starts[column], to = run.ends[column];
  return from === to ? `step ${from.toLocaleString("en")}` : `steps ${from.toLocaleString("en")}–${to.toLocaleString("en")}`;
}

// A figure as it is shown. The norm of what has no finite number is no number, though the file says 0.
function shownAt(run, kind, figure, tensor, column) {
  const value = run.at(kind, figure, tensor, column);
  if (value !== 0 || !["norm", "rms", "zeros", "grad_to_weight"].includes(figure)) return value;
  return run.at(kind, "bad", tensor, column) > 0 && Number.isNaN(run.at(kind, "mean", tensor, column)) ? NaN : value;
}

// "bad", "zero", "none", or a part of the scale from 0 to 1
function grade(run, kind, figure, tensor, column) {
  const value = run.at(kind, figure, tensor, column), bad = run.at(kind, "bad", tensor, column);
  if (figure !== "bad" && bad > 0 || value === Infinity) return "bad";
  if (Number.isNaN(value)) return "none";
  const { low, high, log } = run.scale(kind, figure);
  if (log && value === 0) return "zero";
  return Math.min(Math.max(((log ? Math.log10(value) : value) - low) / (high - low), 0), 1);
}

function paint(found) {
  if (found === "bad") return { fill: token("--bad"), ink: token("--card") };
  if (found === "zero") return { fill: token("--zero"), ink: inkOn([180, 180, 180]) };
  if (found === "none") return { fill: token("--card"), ink: token("--text") };
  const color = ramp(found);
  return { fill: `rgb(${color})`, ink: inkOn(color) };
}

const runs = new Map();
function getRun(index) {
  if (!runs.has(index)) runs.set(index, new Run(index));
  return runs.get(index);
}
const runCount = document.querySelectorAll('script[id^="run-"]').length;

const state = { run: runCount - 1, compare: null, tensor: null, column: 0, kind: "gradient", figure: "norm", rows: "layers", rowsFilter: "",
  zoom: null, spread: null, view: null };
const listeners = [];
const onChange = (keys, run) => listeners.push({ keys: keys === "*" ? null : new Set(keys), run });

function set(patch) {
  const changed = Object.keys(patch).filter((k) => state[k] !== patch[k]);
  if (!changed.length) return;
  const before = { ...state };
  Object.assign(state, patch);
  if (changed.includes("run")) {
    const old = getRun(before.run), fresh = getRun(state.run), name = before.tensor === null ? null : old.tensors[before.tensor].name;
    state.tensor = "tensor" in patch ? patch.tensor : fresh.byName.has(name) ? fresh.byName.get(name) : firstTensor(fresh);
    if (!("column" in patch)) state.column = old.empty || fresh.empty || before.column === old.columns - 1 ? Math.max(fresh.columns - 1, 0) : fresh.column(old.middle(before.column));
    if (state.compare === state.run) state.compare = null;
    if (state.kind === "value" && !fresh.value) state.kind = "gradient";
    state.zoom = null;
    state.view = null;
    changed.push("tensor", "column", "compare", "kind", "zoom", "view");
  }
  if (changed.includes("kind") && FIGURES[state.figure].only && FIGURES[state.figure].only !== state.kind) {
    state.figure = "norm";
    changed.push("figure");
  }
  for (const { keys, run } of listeners) if (!keys || changed.some((k) => keys.has(k))) run(new Set(changed));
}

// what a page shows at first: where an alarm points, or the output of the first layer that has a gradient at the newest step
function firstTensor(run) {
  const alarm = run.alarms.find((a) => a.tensor !== null);
  if (alarm) return alarm.tensor;
  const live = (i) => !run.empty && !Number.isNaN(run.at("gradient", "norm", i, run.columns - 1));
  for (const fits of [(t, i) => t.output && live(i), (t, i) => live(i), (t) => t.output]) {
    const found = run.tensors.findIndex(fits);
    if (found >= 0) return found;
  }
  return run.tensors.length ? 0 : null;
}
