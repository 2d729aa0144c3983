/* Copyright Ciphermill contributors. SPDX-License-Identifier: Apache-2.0 */
/* The table of candidates: sorts, opens rows, and keeps to the chosen ranges. */
const table = document.getElementById("candidate-table");
const bodies = new Map(table ? [...table.tBodies].map((body) => [body.id.slice("candidate-".length), body]) : []);

/* What the table is sorted by: "#state", "#place", "field:NAME", or the name of a figure. */
const sortChoice = document.getElementById("sort-by");
const sortDown = document.getElementById("sort-down");

function sorted(name, down) {
  if (name === "#state") return [...points].sort((a, b) => (down ? b.order - a.order : a.order - b.order));
  const axis = axes.find((one) => (one.role === "field" ? `field:${one.name}` : one.name) === name);
  const value = (point) => (name === "#place" ? point.place : axis ? point.row[axis.index] : null);
  const sign = down ? -1 : 1;
  return [...points].sort((a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one === null || other === null) return (one === null) - (other === null) || a.order - b.order;
    return sign * (one - other) || a.order - b.order;
  });
}

function sortBy(name, down) {
  for (const one of table.querySelectorAll("th[data-sort]")) {
    if (one.dataset.sort === name) one.setAttribute("aria-sort", down ? "descending" : "ascending");
    else one.removeAttribute("aria-sort");
  }
  sortChoice.value = name;
  sortDown.checked = down;
  table.append(...sorted(name, down).map((point) => bodies.get(String(point.place))));
}

/* Opens a candidate's row and goes there. */
function openRow(place) {
  const body = bodies.get(String(place));
  if (!body) return;
  open(body, true);
  body.hidden = false;
  history.replaceState(null, "", `#${body.id}`);
  body.scrollIntoView({ block: "center" });
  body.querySelector("button, a").focus({ preventScroll: true });
}

/* Fills the row below a candidate's with its figures and their origins, and its designs. */
function fill(body) {
  const order = points.findIndex((point) => `candidate-${point.place}` === body.id);
  const { details } = data;
  const [designs, pattern, digest, times] = details.rows[order];
  let cell = body.querySelector("tr.more td");
  if (!cell) {
    cell = element("td", "", { colspan: body.rows[0].cells.length });
    const row = element("tr", "", { class: "more" });
    row.append(cell);
    body.append(row);
  }
  const list = element("ul", "", { class: "figures" });
  axes.filter((axis) => axis.role !== "field").forEach((axis, index) => {
    const source = details.sources[details.patterns[pattern][index]];
    if (!source || points[order].row[axis.index] === null) return;
    const item = element("li", `${axis.name} `);
    item.append(element("b", points[order].row[axis.index].toLocaleString("en", { maximumSignificantDigits: 10 })), ` ${source[0]} `);
    item.append(source[1] >= 0
      ? element("a", `origin ${source[1] + 1}`, { href: `#origin-${source[1] + 1}` })
      : element("a", "command", { href: "#provenance" }));
    list.append(item);
  });
  if (list.children.length) cell.append(element("h4", "Figures"), list);
  cell.append(element("h4", "Design"));
  for (const design of designs) cell.append(element("pre", details.designs[design].map((line) => details.lines[line]).join("\n")));
  if (!cell.querySelector("details")) cell.append(element("p", "No log: only a failed measurement keeps one.", { class: "about" }));
  cell.append(element("p", `Digest ${digest}${times ? `; wall time: ${times}` : ""}`, { class: "about" }));
  body.dataset.filled = "";
}

function open(body, wanted) {
  if (!("filled" in body.dataset)) fill(body);
  body.classList.toggle("open", wanted);
  body.querySelector("button").setAttribute("aria-expanded", wanted);
}

function filterTable() {
  if (!table) return;
  let shown = 0;
  for (const point of points) {
    const inside = inRanges(point);
    bodies.get(String(point.place)).hidden = !inside;
    shown += inside;
  }
  document.getElementById("table-note").textContent = ranges.size ? `Only the ${shown} candidates in the chosen ranges are listed.` : "";
}

if (table) {
  for (const heading of table.querySelectorAll("th[data-sort]")) {
    const button = element("button", "", { type: "button" });
    // A long name may be broken behind a dot.
    for (const [index, part] of heading.textContent.split(".").entries()) {
      button.append(...(index ? [".", element("wbr"), part] : [part]));
    }
    heading.replaceChildren(button);
    button.addEventListener("click", () => sortBy(heading.dataset.sort, heading.getAttribute("aria-sort") === "ascending"));
    sortChoice.append(element("option", heading.dataset.sort === "#state" ? "State, the best first" : heading.textContent, { value: heading.dataset.sort }));
  }
  sortChoice.value = "#state";
  for (const one of [sortChoice, sortDown]) one.addEventListener("change", () => sortBy(sortChoice.value, sortDown.checked));
  for (const [place, body] of bodies) {
    const [cell] = body.rows[0].cells;
    const button = element("button", "details", { type: "button", class: "fold", "aria-expanded": "false", "aria-label": `Details of candidate ${place}` });
    button.addEventListener("click", () => open(body, !body.classList.contains("open")));
    cell.append(" ", button);
  }
  const follow = () => {
    const body = document.getElementById(location.hash.slice(1));
    if (!body || body.tagName !== "TBODY") return;
    open(body, true);
    // A link leads to a candidate outside the chosen ranges too.
    if (body.hidden) {
      body.hidden = false;
      body.scrollIntoView({ block: "center" });
    }
  };
  window.addEventListener("hashchange", follow);
  follow();
}
