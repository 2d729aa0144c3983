/* Copyright Ciphermill contributors. SPDX-License-Identifier: Apache-2.0 */
/* Parallel coordinates: an axis for each varied field and objective, a line for each candidate. */
const axesFigure = document.getElementById("axes-plot");
const parallel = axes.filter((axis) => axis.role === "field").concat(axes.filter((axis) => axis.role === "objective"));
const AXIS_ROOM = 112;
const STEPS = 20;

/* Where things are: axes stand beside each other, or lie below each other where there is no room. */
function layout() {
  const width = Math.max(axesFigure.clientWidth, 260);
  const lying = width < AXIS_ROOM * parallel.length;
  const height = lying ? parallel.length * 74 + 20 : 420;
  const along = lying ? [16, width - 16] : [height - 34, 48];
  const gap = lying ? 74 : (width - 150) / Math.max(parallel.length - 1, 1);
  const xy = (order, part) => {
    const across = lying ? 34 + order * gap : 30 + order * gap;
    const at = along[0] + part * (along[1] - along[0]);
    return lying ? [at, across] : [across, at];
  };
  const part = (x, y) => Math.max(0, Math.min(1, ((lying ? x : y) - along[0]) / (along[1] - along[0])));
  return { width, height, lying, xy, part };
}

function linePath(place, point) {
  let path = "";
  let joined = false;
  parallel.forEach((axis, order) => {
    const value = point.row[axis.index];
    if (!isDrawn(value)) { joined = false; return; }
    const [x, y] = place.xy(order, brushScales.get(axis.index).at(value));
    path += `${joined ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    joined = true;
  });
  return path;
}

function drawAxes() {
  const place = layout();
  const svg = make("svg", { viewBox: `0 0 ${place.width} ${place.height}`, height: place.height, role: "group", "aria-label": "Parallel coordinates of all candidates" });
  const lines = make("g");
  for (const point of [...points].reverse()) {
    const path = linePath(place, point);
    if (!path.includes("L")) continue;
    const line = make("path", { d: path, class: `line ${point.kind.name}`, "data-place": point.place });
    line.addEventListener("pointermove", (event) => {
      const corner = axesFigure.getBoundingClientRect();
      choose(point);
      showTip(axesFigure, point, event.clientX - corner.left, event.clientY - corner.top);
    });
    line.addEventListener("pointerleave", () => { hideTip(); choose(null); });
    line.addEventListener("click", () => openRow(point.place));
    lines.append(line);
  }
  svg.append(lines);
  parallel.forEach((axis, order) => svg.append(drawAxis(axis, order, place, svg)));
  axesFigure.replaceChildren(svg);
  fadeLines();
}

function drawAxis(axis, order, place, svg) {
  const group = make("g");
  const [[x1, y1], [x2, y2]] = [place.xy(order, 0), place.xy(order, 1)];
  group.append(make("line", { class: "axis", x1, y1, x2, y2 }));
  const better = { minimise: ", less is better", maximise: ", more is better" }[axis.direction] ?? "";
  const room = place.lying ? 44 : Math.max(10, Math.floor((place.xy(1, 0)[0] - place.xy(0, 0)[0]) / 7));
  const name = axis.name.length > room ? `…${axis.name.slice(1 - room)}` : axis.name;
  const [nx, ny] = place.lying ? [x1 - 10, y1 - 12] : [x2, 14];
  const anchor = place.lying || order === 0 ? "start" : order === parallel.length - 1 ? "end" : "middle";
  const shift = place.lying ? 0 : order === 0 ? -26 : order === parallel.length - 1 ? 110 : 0;
  group.append(make("text", { class: "name halo", x: nx + shift, y: ny, "text-anchor": anchor }, name + (place.lying ? better : "")));
  if (better && !place.lying) group.append(make("text", { class: "halo", x: nx + shift, y: 29, "text-anchor": anchor }, better.slice(2)));
  let taken = -Infinity;
  for (const tick of brushScales.get(axis.index).ticks()) {
    const text = words(axis, tick);
    const short = text.length > 15 ? `${text.slice(0, 14)}…` : text;
    const [x, y] = place.xy(order, brushScales.get(axis.index).at(tick));
    const ends = { x: x < 60 ? "start" : x > place.width - 60 ? "end" : "middle" };
    const size = place.lying ? short.length * 6.6 + 8 : 15;
    const begin = place.lying ? (ends.x === "start" ? x - 8 : ends.x === "end" ? x - size : x - size / 2) : -y;
    if (begin < taken) continue;
    taken = begin + size;
    group.append(make("text", place.lying
      ? { class: "halo", x: ends.x === "start" ? x - 8 : ends.x === "end" ? x + 8 : x, y: y + 22, "text-anchor": ends.x }
      : { class: "halo", x: x + 9, y: y + 4 }, short));
  }
  const brush = make("rect", place.lying
    ? { class: "brush", x: x1, y: y1 - 11, width: x2 - x1, height: 22 }
    : { class: "brush", x: x1 - 12, y: y2, width: 24, height: y1 - y2 });
  const range = make("rect", { class: "range" });
  const limits = [0, 1].map((side) => makeLimit(axis, order, side));
  group.append(brush, range, ...limits);
  const update = () => showRange(axis, order, place, range, limits);
  axis.update = update;
  dragged(brush, svg, place, (from, to) => setRange(axis, Math.min(from, to), Math.max(from, to)), () => setRange(axis, 0, 1));
  limits.forEach((limit, side) => {
    dragged(limit, svg, place, (_, to) => moveLimit(axis, side, to), () => {});
    limit.addEventListener("keydown", (event) => stepLimit(event, axis, side));
  });
  update();
  return group;
}

function makeLimit(axis, order, side) {
  return make("path", { class: "limit", tabindex: 0, role: "slider", "aria-label": `${side ? "Upper" : "Lower"} limit of ${axis.name}`, "aria-valuemin": 0, "aria-valuemax": 100 });
}

function showRange(axis, order, place, range, limits) {
  const [low, high] = ranges.get(axis.index) ?? [0, 1];
  const [[x1, y1], [x2, y2]] = [place.xy(order, low), place.xy(order, high)];
  const shapes = place.lying ? { x: x1, y: y1 - 7, width: x2 - x1, height: 14 } : { x: x1 - 7, y: y2, width: 14, height: y1 - y2 };
  for (const [key, value] of Object.entries(shapes)) range.setAttribute(key, value);
  range.toggleAttribute("hidden", !ranges.has(axis.index));
  [[x1, y1, -1], [x2, y2, 1]].forEach(([x, y, way], side) => {
    limits[side].setAttribute("d", place.lying
      ? `M${x} ${y - 7}V${y + 7}L${x + way * 9} ${y}Z` : `M${x - 7} ${y}H${x + 7}L${x} ${y - way * 9}Z`);
    const part = side ? high : low;
    const value = brushScales.get(axis.index).value(part);
    limits[side].setAttribute("aria-valuenow", Math.round(part * 100));
    limits[side].setAttribute("aria-valuetext", words(axis, axis.words.length ? (side ? Math.floor(value + 1e-9) : Math.ceil(value - 1e-9)) : value));
  });
}

/* Follows a pointer along an axis; one that did not move resets. */
function dragged(handle, svg, place, move, reset) {
  handle.addEventListener("pointerdown", (down) => {
    const part = (event) => {
      const corner = svg.getBoundingClientRect();
      return place.part(event.clientX - corner.left, event.clientY - corner.top);
    };
    const from = part(down);
    let moved = false;
    handle.setPointerCapture(down.pointerId);
    const follow = (event) => {
      if (Math.abs(part(event) - from) > 0.015) moved = true;
      if (moved) move(from, part(event));
    };
    handle.addEventListener("pointermove", follow);
    const end = () => {
      handle.removeEventListener("pointermove", follow);
      if (!moved) reset();
    };
    handle.addEventListener("pointerup", end, { once: true });
    down.preventDefault();
    if (handle.focus && handle.hasAttribute("tabindex")) handle.focus();
  });
}

function stepLimit(event, axis, side) {
  const step = 1 / (axis.words.length > 1 ? axis.words.length - 1 : STEPS);
  const at = (ranges.get(axis.index) ?? [0, 1])[side];
  const target = {
    ArrowUp: at + step, ArrowRight: at + step, ArrowDown: at - step, ArrowLeft: at - step,
    PageUp: at + 4 * step, PageDown: at - 4 * step, Home: 0, End: 1, Escape: side,
  }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  moveLimit(axis, side, target);
}

function moveLimit(axis, side, target) {
  const [low, high] = ranges.get(axis.index) ?? [0, 1];
  if (side) setRange(axis, low, Math.max(low, Math.min(1, target)));
  else setRange(axis, Math.min(high, Math.max(0, target)), high);
}

function setRange(axis, low, high) {
  if (low <= 1e-9 && high >= 1 - 1e-9) ranges.delete(axis.index);
  else ranges.set(axis.index, [low, high]);
  axis.update();
  fadeAll();
}

function fadeLines() {
  for (const line of axesFigure.querySelectorAll(".line")) fade(line);
}

const byPlace = new Map(points.map((point) => [String(point.place), point]));

function fade(mark) {
  mark.classList.toggle("faded", !inRanges(byPlace.get(mark.dataset.place)));
}

function fadeAll() {
  hideTip();
  fadeLines();
  for (const mark of frontFigure.querySelectorAll(".mark")) fade(mark);
  filterTable();
  const count = points.filter(inRanges).length;
  document.getElementById("range-note").textContent = ranges.size ? `${count} of ${points.length} candidates are in the ranges.` : "";
}

document.getElementById("clear-ranges").addEventListener("click", () => {
  ranges.clear();
  for (const axis of parallel) axis.update();
  fadeAll();
});
if (parallel.length && points.length) redrawn(axesFigure, drawAxes);
