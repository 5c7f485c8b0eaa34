// The beginning: what the address selects, who draws what when, and again in another light or width.

function drawAll() {
  drawScalars();
  drawHeatmap();
  drawTensor();
  drawDetail();
  drawGraph();
  drawTable();
  markTable();
}

// the address keeps the selection, so that a link shows what was seen
function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1)), patch = {}, index = Number(words.get("run"));
  if (words.has("run") && Number.isInteger(index) && index >= 0 && index < runCount) patch.run = index;
  const run = getRun(patch.run ?? state.run);
  if (run.byName.has(words.get("tensor"))) patch.tensor = run.byName.get(words.get("tensor"));
  if (!run.empty && words.has("step") && Number.isFinite(Number(words.get("step")))) patch.column = run.column(Number(words.get("step")));
  if (Object.hasOwn(FIGURES, words.get("figure")) && !run.empty && run.present("gradient", words.get("figure"))) patch.figure = words.get("figure");
  return patch;
}

let writing = 0;
function writeAddress() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    const run = getRun(state.run), words = new URLSearchParams();
    if (runCount > 1) words.set("run", state.run);
    if (state.tensor !== null) words.set("tensor", run.tensors[state.tensor].name);
    if (!run.empty) words.set("step", run.starts[state.column]);
    if (state.figure !== "norm") words.set("figure", state.figure);
    history.replaceState(null, "", `#${words}`);
  }, 250);
}

function start() {
  const run = getRun(state.run), given = readAddress();
  state.tensor = firstTensor(run);
  state.column = Math.max(run.columns - 1, 0);
  if (!run.empty && run.alarms.length) state.column = run.column(run.alarms[0].step);
  set(given);
  startHead();
  startHeatmap();
  startGraph();
  startTable();
  $("spread").addEventListener("change", (e) => set({ spread: e.target.value }));
  drawAll();
  onChange(["run", "compare"], drawScalars);
  onChange(["run", "compare", "kind", "figure", "rows", "rowsFilter"], drawHeatmap);
  onChange(["column"], () => { if (!getRun(state.run).empty) drawReadings(); });
  onChange(["column", "tensor"], drawProfile);
  onChange(["run", "tensor", "column"], drawTensor);
  onChange(["run", "compare", "tensor", "kind", "figure", "spread"], drawDetail);
  onChange(["column"], (changed) => { if (!changed.has("run") && !changed.has("tensor")) drawDetail(); });
  onChange(["tensor", "column"], moveLines);
  onChange(["zoom"], moveZoom);
  onChange(["run", "view"], drawGraph);
  onChange(["column", "kind", "figure"], colourGraph);
  onChange(["figure"], () => { if (drawn) drawCrumbs(getRun(state.run), getRun(state.run).graph); });
  onChange(["tensor"], () => {
    markGraph();
    const box = drawn && drawn.boxes.find((b) => b.node.classList.contains("picked"));
    if (box) bringIn(box);
  });
  onChange(["run", "column", "kind"], () => { drawTable(); markTable(); });
  onChange(["tensor"], markTable);
  onChange(["run", "tensor", "column", "figure"], writeAddress);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let width = window.innerWidth, waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (window.innerWidth !== width) { width = window.innerWidth; drawAll(); } }, 120); // a telephone's bars only change the height
  });
  document.documentElement.dataset.ready = "true";
}

start();
