// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// What the pages show of a result: sizes, times, histograms.

const SVG = "http://www.w3.org/2000/svg";

/** A new element with text and children. */
export function element(name, text = "", ...children) {
  const made = document.createElement(name);
  made.append(text, ...children);
  return made;
}

/** A number of bytes with a decimal unit. */
export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < units.length - 1; unit++) bytes /= 1000;
  return `${unit && bytes < 100 ? bytes.toFixed(bytes < 10 ? 2 : 1) : Math.round(bytes)} ${units[unit]}`;
}

/** A time with a unit, three digits. */
export function time(seconds) {
  for (const [unit, scale] of [["s", 1], ["ms", 1e3], ["µs", 1e6]])
    if (seconds * scale >= 1) return `${Number((seconds * scale).toPrecision(3))} ${unit}`;
  return `${Math.round(seconds * 1e9)} ns`;
}

/** A share of one, as a percentage that is 0 or 100 only if it is all. */
export function share(part) {
  if (part === 0 || part === 1) return `${part * 100} %`;
  return `${Math.min(99.9, Math.max(0.1, 100 * part)).toFixed(part < 0.1 || part > 0.9 ? 1 : 0)} %`;
}

/** The cards of a result: a figure and what it is. */
export function times(result) {
  const rate = size(result.bytes_in / result.time_s);
  const cards = [
    [time(result.total_s), "total, until the file is complete"],
    [time(result.derivation_s), `for the key from the password (${result.key_derivation})`],
    [time(result.time_s), `without the key: ${rate} a second`],
  ];
  if (result.processing_s !== null) {
    cards.push([time(result.processing_s), `processing in ${result.device}, ${result.method}; chunks added up`]);
  }
  if (result.transfer_s) {
    cards.push([time(result.transfer_s), `transfer to ${result.device} and back, ${result.method}; chunks added up`]);
  }
  return cards.map(([figure, what]) => {
    const card = element("li", "", element("span", figure), " ", element("span", what));
    card.children[0].className = "figure";
    card.children[1].className = "what";
    return card;
  });
}

/** A drawing of how often each value of red, green and blue occurs. */
export function histogram(counts) {
  const drawing = document.createElementNS(SVG, "svg");
  const all = counts.flat();
  drawing.setAttribute("viewBox", "0 0 255 100");
  drawing.setAttribute("preserveAspectRatio", "none");
  drawing.setAttribute("role", "img");
  const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
  const frequent = all.filter((one) => one > mean / 100).length;
  drawing.setAttribute("aria-label", `Histogram: ${frequent} of the 768 values are frequent`);
  // A single colour would flatten all others: the scale ends at twelve times the mean.
  const top = Math.min(Math.max(...all), 12 * mean) || 1;
  ["red", "green", "blue"].forEach((colour, channel) => {
    const line = document.createElementNS(SVG, "polyline");
    const points = counts[channel].map((count, x) => `${x},${97 - 94 * Math.min(1, count / top)}`);
    line.setAttribute("class", colour);
    line.setAttribute("points", points.join(" "));
    drawing.append(line);
  });
  return [drawing, element("p", "", element("span", "0"), element("span", "red, green and blue"), element("span", "255"))];
}
