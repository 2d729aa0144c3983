// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// The page of benchmarks: starts one, shows its runs as they come, cancels it.

import { ask, Failure, pause } from "./ask.js";
import { element, time } from "./views.js";

const SVG = "http://www.w3.org/2000/svg";
const POLL_MS = 200;
const find = (identity) => document.getElementById(identity);
const form = find("form");
const path = form.dataset.path;
const devices = JSON.parse(form.dataset.devices);
let polling = false;

/** Fill a list of choices, and keep what is chosen where it is possible. */
function offer(name, values, first, words = (value) => value) {
  const list = find(name);
  const before = list.value;
  list.replaceChildren(...values.map((value) => new Option(words(value), value)));
  const kept = [before, String(first)].find((one) => values.map(String).includes(one));
  if (kept) list.value = kept;
}

/** Offer what the device can do: each choice narrows the next. */
function narrow() {
  const device = devices.find((one) => one.name === find("device").value);
  if (!device) return;
  const only = (kept, place) => [...new Set(device.able.filter(kept).map((one) => one[place]))];
  find("description").textContent = device.description;
  offer("mode", only(() => true, 0), "ctr", (mode) => mode.toUpperCase());
  const mode = find("mode").value;
  offer("operation", only((one) => one[0] === mode, 1), "encrypt");
  const operation = find("operation").value;
  offer("key-bits", only((one) => one[0] === mode && one[1] === operation, 2), 256);
}

function number(name) {
  return Number(find(name).value);
}

async function start() {
  const question = {
    device: find("device").value, mode: find("mode").value, key_bits: number("key-bits"),
    operation: find("operation").value, bytes: number("bytes"), runs: number("runs"),
    seconds: number("seconds"), keep: find("keep").checked,
  };
  await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
  say(`Started: ${question.device}.`);
  await follow();
}

/** Show all benchmarks until none runs. */
async function follow() {
  if (polling) return;
  polling = true;
  try {
    for (;;) {
      const all = await ask(`${path}/all`);
      show(all);
      if (!all.some((one) => one.running)) return;
      await pause(POLL_MS);
    }
  } finally {
    polling = false;
  }
}

let running = false;

function show(all) {
  const now = all.find((one) => one.running);
  find("go").disabled = Boolean(now);
  const focused = document.activeElement === find("cancel");
  find("cancel").hidden = !now;
  if (!now && focused) find("go").focus();
  // Figures change several times a second: only the begin and the end are said.
  if (running && !now) say(ended(all[0]));
  running = Boolean(now);
  find("results").replaceChildren(...all.map(card));
}

function say(words) {
  find("announce").textContent = words;
}

function ended(one) {
  if (one.error) return `${one.words}: ${one.error}`;
  return `${one.words}: median ${one.result.median}, ${one.result.rate}.`;
}

/** What the page shows of a benchmark. */
function card(one) {
  const made = element("article", "", element("h2", one.words));
  made.className = one.running ? "result running" : "result";
  if (one.running) made.append(...progress(one));
  if (one.error) made.append(noted("warn", one.error));
  const { result } = one;
  if (result) {
    const figures = [[result.rate, "throughput by the median"], [result.median, `median of ${result.runs} ${result.runs === 1 ? "run" : "runs"}`]];
    made.append(cards(figures));
  }
  if (one.times_s.length > 1) made.append(strip(one.times_s));
  if (result) {
    if (!result.correct) made.append(noted("warn", "The output is wrong: do not trust this device."));
    made.append(table(result.rows), noted("about", [result.how, ...result.notes, result.stored].join(" ")));
    made.append(element("p", "From the command line: ", element("code", result.command)));
    made.lastChild.className = "about";
  }
  return made;
}

function noted(kind, words) {
  const made = element("p", words);
  made.className = kind;
  return made;
}

function progress(one) {
  const bar = document.createElement("progress");
  bar.max = one.runs;
  if (one.times_s.length) bar.value = one.times_s.length;
  bar.setAttribute("aria-label", "Runs that are done");
  const sorted = [...one.times_s].sort((a, b) => a - b);
  const middle = sorted.length ? `, median so far ${time(sorted[sorted.length >> 1])}` : "";
  return [bar, noted("about", `${one.step}: ${one.times_s.length} of at most ${one.runs} runs${middle}`)];
}

function cards(figures) {
  const list = element("ul");
  list.className = "cards";
  list.append(...figures.map(([figure, what]) => {
    const item = element("li", "", element("span", figure), " ", element("span", what));
    item.children[0].className = "figure";
    item.children[1].className = "what";
    return item;
  }));
  return list;
}

function table(rows) {
  const made = element("table");
  made.className = "figures tight";
  made.append(element("tbody", "", ...rows.map(([what, figure]) => {
    const head = element("th", what);
    head.scope = "row";
    return element("tr", "", head, element("td", figure));
  })));
  return made;
}

/** A dot for each run, from the first to the last, over its time. */
function strip(times) {
  const [width, height, edge] = [600, 110, 10];
  const drawing = document.createElementNS(SVG, "svg");
  const top = Math.max(...times);
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", `Times of ${times.length} runs, from ${time(Math.min(...times))} to ${time(top)}`);
  const line = document.createElementNS(SVG, "line");
  const floor = { x1: 0, x2: width, y1: height - edge, y2: height - edge, class: "axis" };
  for (const [name, value] of Object.entries(floor)) line.setAttribute(name, value);
  drawing.append(line);
  times.forEach((one, place) => {
    const dot = document.createElementNS(SVG, "circle");
    dot.setAttribute("cx", edge + (width - 2 * edge) * (times.length > 1 ? place / (times.length - 1) : 0));
    dot.setAttribute("cy", height - edge - (height - 2 * edge) * (one / top));
    dot.setAttribute("r", times.length > 100 ? 2 : 4);
    drawing.append(dot);
  });
  const made = element("figure", "", drawing, element("figcaption", `Time of each run in order, from 0 to ${time(top)}`));
  made.className = "strip";
  return made;
}

async function attempt(what) {
  find("error").hidden = true;
  try {
    await what();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    find("error").textContent = error.message;
    find("error").hidden = false;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(start);
});
for (const name of ["device", "mode", "operation"]) find(name).addEventListener("change", narrow);
find("cancel").addEventListener("click", () => attempt(() => ask(`${path}/running`, { method: "DELETE" })));
narrow();
await attempt(follow);
