// Elements, numbers and colours. Whatever comes from the program is set as text, never as HTML.

const $ = (id) => document.getElementById(id);

function el(tag, attributes = {}, ...children) {
  const made = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((c) => c !== null && c !== undefined));
  return made;
}

const block = (id) => JSON.parse($(id).textContent);
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const narrow = () => window.innerWidth <= 640;
const coarse = () => window.matchMedia("(pointer: coarse)").matches;

// plotly reads some HTML in its texts, and formulas between dollars
const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\$/g, "&#36;");

// of the first optimizer "learning rate", of another "learning rate 2"
const isRate = (name) => name.startsWith("learning rate");

// numbers between gaps, which no line shows
const lone = (values) => values.map((v, i) => v !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null);
function lineOf(values) {
  const alone = lone(values);
  return alone.some(Boolean) ? { mode: "lines+markers", marker: { size: alone.map((a) => (a ? 5 : 0)), line: { width: 0 } } } : { mode: "lines", marker: { size: 5 } };
}

function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "−Inf";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return value.toLocaleString("en").replace("-", "−");
  const text = size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  return text.replace("-", "−").replace("e-", "e−");
}

const count = (value, one, several = one + "s") => `${value.toLocaleString("en")} ${value === 1 ? one : several}`;
const share = (value) => (value === null || value === undefined || Number.isNaN(value) ? "–"
  : value === 0 ? "0%" : value >= 0.9995 && value < 1 ? ">99.9%" : value < 0.001 ? "<0.1%" : `${Number((100 * value).toPrecision(3))}%`);

function duration(seconds) {
  if (seconds < 1) return "under a second";
  if (seconds < 90) return `${Number(seconds.toPrecision(2))} s`;
  const whole = Math.round(seconds / 60);
  return whole < 90 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}

function bytes(text) {
  const raw = atob(text), made = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) made[i] = raw.charCodeAt(i);
  return new DataView(made.buffer);
}

// the upper halves of float64, see collect.py
function upperHalves(text) {
  const from = bytes(text), made = new Float64Array(from.byteLength / 4), half = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < made.length; i++) {
    half.setUint32(4, from.getUint32(4 * i, true), true);
    made[i] = half.getFloat64(0, true);
  }
  return made;
}

function floats(text) {
  const from = bytes(text), made = new Float32Array(from.byteLength / 4);
  for (let i = 0; i < made.length; i++) made[i] = from.getFloat32(4 * i, true);
  return made;
}

// ---------------------------------------------------------------- colours: viridis, even to the eye and safe for the colour-blind

const RAMP = ["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"]
  .map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
const RAMP_CSS = `linear-gradient(90deg, ${RAMP.map((c) => `rgb(${c})`).join(", ")})`;
const RAMP_PLOTLY = RAMP.map((c, i) => [i / (RAMP.length - 1), `rgb(${c})`]);

function ramp(part) {
  const at = Math.min(Math.max(part, 0), 1) * (RAMP.length - 1), low = Math.min(Math.floor(at), RAMP.length - 2);
  return RAMP[low].map((v, i) => Math.round(v + (at - low) * (RAMP[low + 1][i] - v)));
}

// the ink that stands out more, by the contrast of WCAG
function inkOn(color) {
  const [r, g, b] = color.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)), light = 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  return light / 0.058 > 1.05 / light ? "#15171a" : "#ffffff";
}

const FIGURES = {
  norm: { label: "norm", log: true },
  rms: { label: "root mean square", log: true },
  std: { label: "standard deviation", log: true },
  grad_to_weight: { label: "gradient / weight", log: true, only: "gradient" },
  update_to_weight: { label: "update / weight", log: true, only: "gradient" },
  zeros: { label: "share of zeros", log: false },
  bad: { label: "NaN and Inf", log: true },
};
