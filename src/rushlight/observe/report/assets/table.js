// Every tensor of the step: sorted by a click on a head, filtered by words.

const COLUMNS = [
  { key: "name", label: "name", text: true, of: (r, t) => t.name },
  { key: "op", label: "operator", text: true, of: (r, t) => t.op },
  { key: "shape", label: "shape", text: true, of: (r, t) => shapeText(t.shape), order: (t) => t.shape.reduce((a, b) => a * b, 1) },
  { key: "dtype", label: "dtype", text: true, of: (r, t) => t.dtype },
  { key: "place", label: "line", text: true, of: (r, t) => (t.place === null ? "" : r.places[t.place].short) },
  ...[["norm", "norm"], ["mean", "mean"], ["std", "std"], ["min", "min"], ["max", "max"], ["zeros", "zeros"], ["nan", "NaN"], ["inf", "Inf"], ["grad_to_weight", "grad / weight"], ["update_to_weight", "update / weight"]]
    .map(([key, label]) => ({ key, label, figure: true })),
];
const sorting = { key: null, down: true };
const MANY = 150;
let tableLimit = MANY, tableRows = [];

function tableData() {
  const run = getRun(state.run), words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean), c = state.column;
  let rows = run.tensors.map((_, i) => i).filter((i) => {
    const t = run.tensors[i], text = `${t.name} ${t.op} ${t.place === null ? "" : run.places[t.place].short}`.toLowerCase();
    if (!words.every((w) => text.includes(w)) || $("only-parameters").checked && t.kind !== "parameter") return false;
    if ($("only-bad").checked && !(run.at(state.kind, "bad", i, c) > 0)) return false;
    return !($("only-missing").checked && !(Number.isNaN(run.at("gradient", "norm", i, c)) && (run.gridded.has(i) || c === run.columns - 1)));
  });
  const column = COLUMNS.find((k) => k.key === sorting.key);
  if (column) {
    const value = (i) => (column.figure ? valueAt(run, column.key, i) : column.order ? column.order(run.tensors[i]) : column.of(run, run.tensors[i])), sign = sorting.down ? -1 : 1;
    const blank = (v) => v === "" || Number.isNaN(v);
    const keyed = rows.map((i) => [value(i), i]);
    keyed.sort(([a, i], [b, j]) => (blank(a) || blank(b) ? blank(a) - blank(b) : typeof a === "string" ? sign * a.localeCompare(b, "en", { numeric: true }) : sign * (a - b)) || i - j); // blanks last, both ways
    rows = keyed.map(([, i]) => i);
  }
  return rows;
}

const valueAt = (run, key, i) => (run[state.kind] && run[state.kind][key] || !run.empty && key in run.gradient && state.kind === "gradient" ? shownAt(run, state.kind, key, i, state.column) : NaN);

function drawTable() {
  const run = getRun(state.run);
  $("table-card").hidden = !run.tensors.length;
  if (!run.tensors.length) return;
  drawTableHead(run);
  const rows = (tableRows = run.empty ? run.tensors.map((_, i) => i) : tableData()), shown = rows.slice(0, tableLimit);
  $("table-count").textContent = `${rows.length === run.tensors.length ? rows.length.toLocaleString("en") : `${rows.length.toLocaleString("en")} of ${run.tensors.length.toLocaleString("en")}`}${run.empty ? "" : `, ${state.kind} at ${stepsOf(run, state.column)}`}`;
  document.querySelector("#table tbody").replaceChildren(...shown.map((i) => tableRow(run, i)));
  pinRow(run);
  if (!rows.length) document.querySelector("#table tbody").append(el("tr", {}, el("td", { class: "text none", colspan: COLUMNS.length }, "No tensor fits the filter.")));
  const more = $("table-more");
  more.hidden = rows.length <= tableLimit;
  more.textContent = `Show the other ${(rows.length - shown.length).toLocaleString("en")}`;
}

// ratios are there where an optimizer was watched, and of gradients
const tableColumns = (run) => COLUMNS.filter((c) => !c.key.endsWith("_to_weight") || state.kind === "gradient" && (run.empty || run.present("gradient", c.key)));

function drawTableHead(run) {
  const head = document.querySelector("#table thead"), columns = tableColumns(run);
  if (head.querySelectorAll("th").length !== columns.length) {
    head.replaceChildren(el("tr", {}, ...columns.map((c) => el("th", { scope: "col", class: `${c.text ? "text " : ""}${c.key}`, "data-key": c.key }, el("button", { type: "button", onclick: () => sortBy(c) }, c.label, el("span", { "aria-hidden": "true" }))))));
  }
  for (const th of head.querySelectorAll("th")) {
    const on = th.dataset.key === sorting.key;
    if (on) th.setAttribute("aria-sort", sorting.down ? "descending" : "ascending"); else th.removeAttribute("aria-sort");
    th.querySelector("span").textContent = on ? (sorting.down ? " ↓" : " ↑") : "";
  }
}

// numbers begin with the largest, texts with the first; a third click gives the program's order back
function sortBy(column) {
  const first = !column.text;
  if (sorting.key !== column.key) Object.assign(sorting, { key: column.key, down: first });
  else if (sorting.down === first) sorting.down = !first;
  else sorting.key = null;
  tableLimit = MANY;
  drawTable();
}

function tableRow(run, i) {
  const t = run.tensors[i], cells = tableColumns(run).map((c) => {
    if (c.key === "name") {
      const color = run.empty ? token("--card") : paint(grade(run, state.kind, "norm", i, state.column)).fill;
      return el("td", { class: "text name", title: t.name }, el("div", {}, el("i", { style: `background:${color}` }), el("span", {}, el("bdi", {}, t.name))));
    }
    if (c.text) {
      const place = c.key === "place" && t.place !== null ? run.places[t.place] : null;
      return el("td", { class: `text ${c.key}`, title: place ? `${place.file}:${place.line}\n${place.source || ""}` : null }, c.of(run, t));
    }
    const v = run.empty ? NaN : valueAt(run, c.key, i), bad = (c.key === "nan" || c.key === "inf") && v > 0;
    return el("td", { class: bad ? "bad" : Number.isNaN(v) || v === 0 ? "none" : null }, c.key === "zeros" ? share(v) : number(v));
  });
  return el("tr", { tabindex: i === state.tensor ? 0 : -1, "data-tensor": i, class: i === state.tensor ? "picked" : null, "aria-current": i === state.tensor ? "true" : null }, ...cells);
}

// what is selected and stands further down than the rows that are shown comes first
function pinRow(run) {
  const body = document.querySelector("#table tbody"), at = tableRows.indexOf(state.tensor);
  body.querySelector("tr.apart")?.remove();
  if (at < tableLimit) return;
  const row = tableRow(run, state.tensor);
  row.classList.add("apart");
  body.prepend(row);
}

function markTable() {
  const body = document.querySelector("#table tbody");
  pinRow(getRun(state.run));
  for (const row of body.children) {
    const on = Number(row.dataset.tensor) === state.tensor;
    row.classList.toggle("picked", on);
    row.tabIndex = on ? 0 : -1;
    if (on) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
  }
  const picked = body.querySelector("tr.picked"), wrap = body.closest(".table-wrap");
  if (picked && !body.contains(document.activeElement)) { // seen without a move of the page
    const head = wrap.querySelector("thead").offsetHeight, top = picked.offsetTop - head, bottom = picked.offsetTop + picked.offsetHeight - wrap.clientHeight;
    if (wrap.scrollTop > top) wrap.scrollTop = top; else if (wrap.scrollTop < bottom) wrap.scrollTop = bottom;
  }
  if (!picked && body.firstChild) body.firstChild.tabIndex = 0;
}

function startTable() {
  const body = document.querySelector("#table tbody"), again = () => { tableLimit = MANY; drawTable(); markTable(); };
  body.addEventListener("click", (e) => {
    const row = e.target.closest("tr[data-tensor]");
    if (row) set({ tensor: Number(row.dataset.tensor) });
  });
  body.addEventListener("keydown", (e) => {
    const row = e.target.closest("tr[data-tensor]"), next = row && { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[e.key];
    if (next) { e.preventDefault(); next.focus(); set({ tensor: Number(next.dataset.tensor) }); }
    else if (row && (e.key === "Enter" || e.key === " ")) { e.preventDefault(); set({ tensor: Number(row.dataset.tensor) }); }
  });
  $("filter").addEventListener("input", again);
  for (const id of ["only-bad", "only-parameters", "only-missing"]) $(id).addEventListener("change", again);
  $("table-more").addEventListener("click", () => { tableLimit = Infinity; drawTable(); markTable(); });
}
