// The bar, the head and the alarms.

function drawHead() {
  const run = getRun(state.run);
  $("run-name").textContent = run.name;
  const badge = $("state");
  badge.textContent = run.state;
  badge.className = "badge " + (run.state === "finished" ? "good" : run.state === "running" ? "on" : "bad");
  const facts = [
    ["Program", run.program],
    ["Engine", run.engine, run.versions],
    ["Began", new Date(run.started * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })],
    ["Took", duration(run.seconds)],
    ["Steps", run.steps.toLocaleString("en")],
    ["Tensors", `${run.tensors.length.toLocaleString("en")}, ${count(run.tensors.filter((t) => t.kind === "parameter").length, "parameter")}`],
  ];
  const loss = Object.entries(run.scalars).find(([n]) => !isRate(n)); // the one with the most steps stands first
  if (loss) facts.push([`Last ${loss[0]}`, loss[1].last === null ? "not finite" : number(loss[1].last)]);
  $("facts").replaceChildren(...facts.map(([name, value, more]) => el("div", { title: more }, el("dt", {}, name), el("dd", { class: value === "not finite" ? "bad" : null }, value))));
  const says = [...(about.left_out ? [about.left_out] : []), ...run.says, ...run.notes];
  const items = says.map((s) => el("li", {}, s));
  $("says").replaceChildren(...items.slice(0, 8));
  if (items.length > 8) $("says").append(el("li", {}, el("details", {}, el("summary", {}, `${items.length - 8} more notes`), ...items.slice(8).map((i) => el("div", {}, i.textContent)))));
}

const SHOWN = 4;
let allAlarms = false;

function drawAlarms() {
  const run = getRun(state.run), total = run.alarms.reduce((n, a) => n + a.times, 0);
  $("alarms-card").classList.toggle("none", !total);
  $("alarms-count").textContent = !total ? "none in this run" : total === run.alarms.length ? String(total) : `${total.toLocaleString("en")} at ${count(run.alarms.length, "place")}`;
  const shown = allAlarms ? run.alarms : run.alarms.slice(0, SHOWN);
  $("alarms").replaceChildren(...shown.map(alarmItem));
  const more = $("alarms-more");
  more.hidden = run.alarms.length <= SHOWN;
  more.textContent = allAlarms ? "Show fewer" : `Show all ${run.alarms.length}`;
}

function alarmItem(alarm) {
  const steps = alarm.times === 1 ? `step ${alarm.step.toLocaleString("en")}` : `steps ${alarm.step.toLocaleString("en")}–${alarm.until.toLocaleString("en")}`;
  return el("li", {}, el("button", { type: "button", onclick: () => goTo(alarm), title: "Show this step and this tensor" },
    el("span", { class: "what" }, el("span", { class: "kind" }, alarm.kind), el("span", {}, steps), alarm.times > 1 ? el("span", {}, `${alarm.times.toLocaleString("en")} times`) : null),
    el("div", { class: "said" }, alarm.text,
      alarm.short ? el("div", { class: "source" }, el("span", { title: `${alarm.file}:${alarm.line}` }, alarm.short), el("code", {}, alarm.source || "")) : null)));
}

function goTo(alarm) {
  const run = getRun(state.run);
  if (run.empty) return;
  const patch = { column: run.column(alarm.step), zoom: null };
  if (alarm.tensor !== null) {
    patch.tensor = alarm.tensor;
    if (alarm.kind === "value" && run.value) patch.kind = "value";
    else patch.kind = "gradient";
    if (!shownRows().includes(alarm.tensor) && run.gridded.has(alarm.tensor)) Object.assign(patch, { rows: "all", rowsFilter: "" });
  }
  set(patch);
  $("heatmap-card").scrollIntoView({ block: "start" });
}

function drawScrubber() {
  const run = getRun(state.run);
  $("scrubber").hidden = run.empty;
  if (run.empty) return;
  const range = $("step");
  range.max = run.columns - 1;
  range.value = state.column;
  range.disabled = run.columns < 2;
  range.setAttribute("aria-valuetext", stepsOf(run, state.column));
  $("step-text").textContent = stepsOf(run, state.column);
  $("step-back").disabled = state.column === 0;
  $("step-on").disabled = state.column === run.columns - 1;
}

function startHead() {
  const names = [...Array(runCount).keys()].map((i) => getRunName(i));
  if (runCount > 1) {
    $("run-pick").hidden = $("compare-pick").hidden = false;
    $("run").replaceChildren(...names.map((n, i) => el("option", { value: i }, n)));
    $("run").addEventListener("change", (e) => set({ run: Number(e.target.value) }));
    $("compare").addEventListener("change", (e) => set({ compare: e.target.value === "" ? null : Number(e.target.value) }));
  }
  const pick = () => {
    $("run").value = state.run;
    $("compare").replaceChildren(el("option", { value: "" }, narrow() ? "compare with" : "none"), ...names.map((n, i) => el("option", { value: i, hidden: i === state.run, disabled: i === state.run }, n)));
    $("compare").value = state.compare === null ? "" : state.compare;
  };
  pick();
  onChange(["run", "compare"], pick);
  onChange(["run"], () => { allAlarms = false; drawHead(); drawAlarms(); });
  onChange(["run", "column"], drawScrubber);
  let asked = 0; // a hand is quicker than a drawing
  $("step").addEventListener("input", () => { asked = asked || requestAnimationFrame(() => { asked = 0; set({ column: Number($("step").value) }); }); });
  $("step-back").addEventListener("click", () => set({ column: Math.max(state.column - 1, 0) }));
  $("step-on").addEventListener("click", () => set({ column: Math.min(state.column + 1, getRun(state.run).columns - 1) }));
  $("alarms-more").addEventListener("click", () => { allAlarms = !allAlarms; drawAlarms(); });
  $("footer").textContent = `Written by rushlight from ${about.file} on ${new Date(about.written * 1000).toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" })}. This page holds all of its data and asks the network for nothing.`;
  drawHead();
  drawAlarms();
  drawScrubber();
}

// the names of runs that share one get their number
function getRunName(index) {
  const name = getRun(index).name, others = [...Array(runCount).keys()].filter((i) => getRun(i).name === name);
  return others.length > 1 ? `${name} (${others.indexOf(index) + 1})` : name;
}
