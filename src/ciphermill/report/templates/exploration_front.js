/* Copyright Ciphermill contributors. SPDX-License-Identifier: Apache-2.0 */
/* The Pareto front: candidates over two figures, and the front of these two as a step line. */
const frontFigure = document.getElementById("front-plot");
const selects = { x: document.getElementById("axis-x"), y: document.getElementById("axis-y") };
const logarithms = { x: document.getElementById("log-x"), y: document.getElementById("log-y") };
const plottable = axes.filter((axis) => axis.role !== "field");
let focused = null;

function fillControls() {
  for (const side of ["x", "y"]) {
    for (const role of ["objective", "figure"]) {
      const group = element("optgroup", "", { label: role === "objective" ? "Objectives" : "Figures" });
      for (const axis of plottable.filter((one) => one.role === role)) {
        group.append(element("option", axis.name, { value: axis.index }));
      }
      if (group.children.length) selects[side].append(group);
    }
    selects[side].addEventListener("change", () => { setLogarithm(side); drawFront(); });
    logarithms[side].addEventListener("change", drawFront);
  }
  selects.x.selectedIndex = 0;
  selects.y.selectedIndex = Math.min(1, plottable.length - 1);
  setLogarithm("x");
  setLogarithm("y");
}

function chosenAxis(side) {
  return axes.find((axis) => axis.index === Number(selects[side].value));
}

function setLogarithm(side) {
  const axis = chosenAxis(side);
  logarithms[side].disabled = !mayBeLogarithmic(axis);
  logarithms[side].checked = isWide(axis);
}

function drawKey() {
  const key = document.getElementById("front-key");
  for (const kind of data.kinds) {
    const count = points.filter((point) => point.kind === kind).length;
    if (!count) continue;
    const item = element("li");
    item.append(
      make("svg", { class: "sign", viewBox: "0 0 16 16", "aria-hidden": "true" },
        make("path", { d: shape(kind.name, 8, 8, 5), class: `mark ${kind.name}` })),
      `${kind.words}: ${count.toLocaleString("en")}`,
    );
    key.append(item);
  }
}

/* Good candidates that none beats in these two objectives, the best across first. */
function frontOfTwo(x, y) {
  const sign = (axis) => (axis.direction === "maximise" ? -1 : 1);
  const loss = (point, axis) => sign(axis) * point.row[axis.index];
  const good = points.filter((point) => ["front", "measured"].includes(point.kind.name)
    && isDrawn(point.row[x.index]) && isDrawn(point.row[y.index]));
  good.sort((a, b) => loss(a, x) - loss(b, x) || loss(a, y) - loss(b, y));
  let best = Infinity;
  return good.filter((point) => {
    const better = loss(point, y) < best;
    if (better) best = loss(point, y);
    return better;
  });
}

function stepPath(x, y, px, py, box) {
  const line = frontOfTwo(x, y).map((point) => [px(point), py(point)]);
  if (!line.length) return "";
  const worstY = y.direction === "maximise" ? box.bottom : box.top;
  const worstX = x.direction === "maximise" ? box.left : box.right;
  let path = `M${line[0][0]} ${worstY}V${line[0][1]}`;
  for (const [across, up] of line.slice(1)) path += `H${across}V${up}`;
  return `${path}H${worstX}`;
}

function drawFront() {
  const width = Math.max(frontFigure.clientWidth, 260);
  const height = width < PHONE ? 360 : 460;
  const [x, y] = [chosenAxis("x"), chosenAxis("y")];
  const [sx, sy] = [scale(x, logarithms.x.checked, 0.06), scale(y, logarithms.y.checked, 0.06)];
  const box = { left: 62, right: width - 12, top: 26, bottom: height - 44 };
  const across = (part) => box.left + part * (box.right - box.left);
  const up = (part) => box.bottom - part * (box.bottom - box.top);
  const px = (point) => across(sx.at(point.row[x.index]));
  const py = (point) => up(sy.at(point.row[y.index]));
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "group", "aria-label": `Candidates: ${y.name} over ${x.name}` });
  let last = -Infinity;
  for (const tick of sx.ticks()) {
    const at = across(sx.at(tick));
    svg.append(make("line", { class: "grid", x1: at, x2: at, y1: box.top, y2: box.bottom }));
    if (at - last < 46) continue;
    last = at;
    svg.append(make("text", { x: at, y: box.bottom + 17, "text-anchor": "middle" }, words(x, tick)));
  }
  for (const tick of sy.ticks()) {
    const at = up(sy.at(tick));
    svg.append(make("line", { class: "grid", x1: box.left, x2: box.right, y1: at, y2: at }));
    svg.append(make("text", { x: box.left - 7, y: at + 4, "text-anchor": "end" }, words(y, tick)));
  }
  const better = { minimise: " (less is better)", maximise: " (more is better)" };
  svg.append(make("text", { class: "name", x: box.right, y: height - 8, "text-anchor": "end" }, x.name + (better[x.direction] ?? "")));
  svg.append(make("text", { class: "name", x: 4, y: 14 }, y.name + (better[y.direction] ?? "")));
  const pair = x.direction && y.direction && x !== y;
  if (pair) svg.append(make("path", { class: "step", d: stepPath(x, y, px, py, box) }));
  const drawn = points.filter((point) => isDrawn(point.row[x.index]) && isDrawn(point.row[y.index]));
  for (const point of [...drawn].reverse()) {
    const mark = make("path", {
      d: shape(point.kind.name, px(point), py(point), point.kind.name === "front" ? 5.5 : 4.5),
      class: `mark ${point.kind.name}${inRanges(point) ? "" : " faded"}`, "data-place": point.place, tabindex: -1, role: "img",
    });
    mark.addEventListener("pointerenter", () => tell(point, mark, px(point), py(point)));
    mark.addEventListener("pointerleave", () => { if (document.activeElement !== mark) { hideTip(); choose(null); } });
    mark.addEventListener("focus", () => tell(point, mark, px(point), py(point)));
    mark.addEventListener("blur", () => { hideTip(); choose(null); });
    mark.addEventListener("click", () => openRow(point.place));
    svg.append(mark);
  }
  function tell(point, mark, left, top) {
    mark.setAttribute("aria-label", label(point));
    choose(point);
    showTip(frontFigure, point, left, top, [x, y]);
  }
  frontFigure.replaceChildren(svg);
  makeReachable(svg, drawn, x, y);
  const lacking = points.filter((point) => point.row[x.index] === null || point.row[y.index] === null).length;
  document.getElementById("front-note").textContent =
    (pair ? "The step line is the front of these two objectives alone. " : "A step line is drawn between two objectives. ")
    + (lacking ? `${lacking} of ${points.length} candidates are not drawn, since they lack one of these figures; the table has them.` : "");
}

/* One stop of the tab key; arrows walk through the candidates across and up. */
function makeReachable(svg, drawn, x, y) {
  const mark = (point) => svg.querySelector(`.mark[data-place="${point.place}"]`);
  const order = (axis) => [...drawn].sort((a, b) => a.row[axis.index] - b.row[axis.index] || a.order - b.order);
  const lists = { x: order(x), y: order(y) };
  const start = drawn.find((point) => point.place === focused) ?? drawn[0];
  if (start) mark(start).setAttribute("tabindex", 0);
  svg.addEventListener("keydown", (event) => {
    const at = Number(event.target.getAttribute("data-place"));
    const list = ["ArrowUp", "ArrowDown"].includes(event.key) ? lists.y : lists.x;
    const seen = list.filter(inRanges);
    const walk = seen.length ? seen : list;
    const here = walk.findIndex((point) => point.place === at);
    const next = {
      ArrowRight: here + 1, ArrowUp: here + 1, ArrowLeft: here - 1, ArrowDown: here - 1, Home: 0, End: walk.length - 1,
    }[event.key];
    if (event.key === "Enter") openRow(at);
    if (next === undefined) return;
    event.preventDefault();
    const point = walk[Math.max(0, Math.min(walk.length - 1, next))];
    event.target.setAttribute("tabindex", -1);
    focused = point.place;
    mark(point).setAttribute("tabindex", 0);
    mark(point).focus();
  });
}

if (plottable.length) {
  fillControls();
  drawKey();
  redrawn(frontFigure, drawFront);
}
