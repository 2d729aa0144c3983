/* Copyright Ciphermill contributors. SPDX-License-Identifier: Apache-2.0 */
/* What both plots of an exploration and its table share: candidates, scales, marks, the tip. */
const data = JSON.parse(document.getElementById("exploration-data").textContent);
const axes = data.axes.map((axis, index) => ({ ...axis, index: index + 2 }));
const points = data.points.map((row, order) => ({ row, order, place: row[0], kind: data.kinds[row[1]] }));
/* Chosen ranges by the index of their axis, each from 0 to 1 along it. */
const ranges = new Map();
const PHONE = 560;

function make(name, attributes = {}, ...children) {
  const one = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  one.append(...children);
  return one;
}

function element(name, text = "", attributes = {}) {
  const one = document.createElement(name);
  one.textContent = text;
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  return one;
}

/* A figure in three digits, or as a word of the axis. */
function words(axis, value) {
  if (value === null || value === undefined) return "-";
  if (axis.words.length) return axis.words[value] ?? "";
  if (value !== 0 && (Math.abs(value) >= 1e9 || Math.abs(value) < 1e-4)) return value.toExponential(2);
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 4;
  return (Number.isInteger(value) ? value : Number(value.toFixed(digits))).toLocaleString("en", { maximumFractionDigits: 6 });
}

/* Whether plots draw a value: they have no room for one near the limits of floating point. */
function isDrawn(value) {
  const [least, most] = data.drawn;
  return value !== null && (value === 0 || (Math.abs(value) >= least && Math.abs(value) <= most));
}

function valuesOn(axis) {
  return points.map((point) => point.row[axis.index]).filter(isDrawn);
}

function mayBeLogarithmic(axis) {
  return !axis.words.length && valuesOn(axis).every((value) => value > 0);
}

/* Whether values differ so much that small ones need a logarithmic scale. */
function isWide(axis) {
  const values = valuesOn(axis);
  return axis.role !== "field" && values.length > 0 && mayBeLogarithmic(axis)
    && values.reduce((a, b) => Math.max(a, b)) / values.reduce((a, b) => Math.min(a, b)) > 10;
}

/* A scale: numbers to 0..1 and back, and its ticks. */
function scale(axis, logarithmic, margin = 0) {
  const values = valuesOn(axis);
  let low = values.length ? values.reduce((a, b) => Math.min(a, b)) : 0;
  let high = values.length ? values.reduce((a, b) => Math.max(a, b)) : 1;
  if (axis.words.length) { low = 0; high = axis.words.length - 1; }
  const to = logarithmic ? Math.log10 : (value) => value;
  const back = logarithmic ? (value) => 10 ** value : (value) => value;
  let [from, until] = [to(low), to(high)];
  if (from === until) { from -= 0.5; until += 0.5; }
  const room = (until - from) * margin;
  from -= room; until += room;
  return {
    at: (value) => (to(value) - from) / (until - from),
    value: (part) => back(from + part * (until - from)),
    ticks: () => (axis.words.length ? axis.words.map((_, index) => index) : fewValues(axis, values) ?? ticks(from, until, logarithmic)),
  };
}

const MOST_VALUES = 8;

/* The values of a field that has few numbers, sorted; null if there are many. */
function fewValues(axis, values) {
  const found = [...new Set(values)].sort((a, b) => a - b);
  return axis.role === "field" && found.length <= MOST_VALUES ? found : null;
}

function ticks(from, until, logarithmic) {
  const found = [];
  if (logarithmic) {
    const each = until - from > 2 ? [1] : [1, 2, 5];
    for (let power = Math.floor(from); power <= until; power++) {
      for (const digit of each) {
        const value = digit * 10 ** power;
        if (Math.log10(value) >= from && Math.log10(value) <= until) found.push(value);
      }
    }
    if (found.length > 1) return found;
    return [10 ** from, 10 ** until].map((value) => Number(value.toPrecision(2)));
  }
  const rough = (until - from) / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * unit).find((size) => size >= rough);
  for (let count = Math.ceil(from / step); count * step <= until + step * 1e-9; count++) {
    found.push(Number((count * step).toPrecision(12)));
  }
  return found;
}

/* The outline of a mark: each kind has a shape of its own. */
function shape(kind, x, y, r) {
  const [l, t, e, b] = [x - r, y - r, x + r, y + r];
  switch (kind) {
    case "front": return `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}Z`;
    case "measured": return `M${l} ${y}A${r} ${r} 0 1 1 ${e} ${y}A${r} ${r} 0 1 1 ${l} ${y}Z`;
    case "outside": return `M${l} ${t}H${e}V${b}H${l}Z`;
    case "dropped": return `M${l} ${t}H${e}L${x} ${b}Z`;
    case "failed": return `M${l} ${t}L${e} ${b}M${l} ${b}L${e} ${t}`;
    case "waiting": return `M${x} ${t}V${b}M${l} ${y}H${e}`;
    default: return `M${l} ${y}H${e}`;
  }
}

/* Positions along every axis as the parallel coordinates have it, for the ranges. */
const brushScales = new Map(axes.map((axis) => [axis.index, scale(axis, isWide(axis))]));

function inRanges(point) {
  for (const [index, [low, high]] of ranges) {
    const value = point.row[index];
    if (!isDrawn(value)) return false;
    const at = brushScales.get(index).at(value);
    if (at < low - 1e-9 || at > high + 1e-9) return false;
  }
  return true;
}

function label(point) {
  const told = axes.filter((axis) => axis.role !== "figure" && point.row[axis.index] !== null);
  return `Candidate ${point.place}, ${point.kind.words}. `
    + told.map((axis) => `${axis.name} ${words(axis, point.row[axis.index])}`).join(", ");
}

const TIP_LINES = 14;

/* Shows a candidate's fields and figures beside a point of a plot. */
function showTip(figure, point, x, y, first = []) {
  hideTip();
  const tip = element("div", "", { class: "tip", role: "tooltip" });
  tip.append(element("b", `Candidate ${point.place}: ${point.kind.words}`));
  const list = element("dl");
  const told = [...new Set([...axes.filter((axis) => axis.role !== "figure"), ...first, ...axes])]
    .filter((axis) => point.row[axis.index] !== null);
  for (const axis of told.slice(0, TIP_LINES)) {
    list.append(element("dt", axis.name), element("dd", words(axis, point.row[axis.index])));
  }
  tip.append(list);
  if (told.length > TIP_LINES) tip.append(element("span", `and ${told.length - TIP_LINES} more in the table`));
  figure.append(tip);
  const width = figure.clientWidth;
  tip.style.left = `${Math.max(0, Math.min(x + 14, width - tip.offsetWidth))}px`;
  tip.style.top = `${y + tip.offsetHeight + 20 > figure.clientHeight ? Math.max(0, y - tip.offsetHeight - 14) : y + 14}px`;
}

function hideTip() {
  for (const tip of document.querySelectorAll(".tip")) tip.remove();
}

/* Marks one candidate in both plots. */
function choose(point) {
  for (const one of document.querySelectorAll(".chosen")) one.classList.remove("chosen");
  if (point) for (const one of document.querySelectorAll(`[data-place="${point.place}"]`)) one.classList.add("chosen");
}

/* Draws a plot again when its width changes. */
function redrawn(figure, draw) {
  let before = 0;
  new ResizeObserver(() => {
    const width = Math.round(figure.clientWidth);
    if (width && width !== before) { before = width; draw(); }
  }).observe(figure);
}

document.documentElement.classList.add("js");
