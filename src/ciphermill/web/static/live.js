// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Parts of a page that the server draws again: [data-live] is the address of such a part.
// The part itself says by [data-again] after how many seconds it may have changed; without it
// the part is final. [data-say] of a part is read out when it changes.

import { Failure, pause, text } from "./ask.js";

/** A part is asked for at most so often that the server works a fifth of the time on it. */
const SHARE = 5;
const RETRY_S = 5;

/** Put a new part in the place of the old one; keep focus, open details and scrolled boxes. */
function replace(place, html) {
  const focused = place.contains(document.activeElement) ? document.activeElement.id : "";
  const open = [...place.querySelectorAll("details[open][id]")].map((one) => one.id);
  const scrolled = [...place.querySelectorAll(".scroll[id]")].map((one) => [one.id, one.scrollLeft]);
  place.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  for (const name of open) document.getElementById(name)?.setAttribute("open", "");
  for (const [name, left] of scrolled) {
    const box = document.getElementById(name);
    if (box) box.scrollLeft = left;
  }
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

const followed = new WeakSet();

/** Keep a part up to date until it is final. */
async function follow(place) {
  if (followed.has(place)) return;
  followed.add(place);
  const status = document.getElementById("announce");
  let before = "";
  for (let again = 1; again; ) {
    const asked = place.dataset.live;
    const begun = performance.now();
    let error = "";
    try {
      const html = await text(asked);
      if (html !== before) replace(place, html);
      before = html;
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      error = failure.message;
    }
    const part = place.firstElementChild;
    const words = error || part?.dataset.say || "";
    if (status && status.textContent !== words) status.textContent = words;
    status?.classList.toggle("warn", Boolean(error));
    place.removeAttribute("aria-busy");
    if (place.dataset.live !== asked) continue;
    again = Number(error ? RETRY_S : part?.dataset.again ?? 0);
    // A choice of the reader's asks at once.
    if (again) await Promise.race([
      pause(Math.max(again * 1000, SHARE * (performance.now() - begun))),
      new Promise((resolve) => place.addEventListener("chosen", resolve, { once: true })),
    ]);
  }
  followed.delete(place);
}

for (const place of document.querySelectorAll("[data-live]")) follow(place);

/** Lists of choices change the address of a part, and the address of the page with it. */
for (const choices of document.querySelectorAll("form[data-for]")) {
  const place = document.getElementById(choices.dataset.for);
  choices.addEventListener("submit", (event) => event.preventDefault());
  choices.addEventListener("change", () => {
    const address = new URL(place.dataset.live, location.href);
    for (const [name, value] of new FormData(choices)) address.searchParams.set(name, value);
    place.dataset.live = address.href;
    history.replaceState(null, "", address.search);
    place.dispatchEvent(new Event("chosen"));
    follow(place);
  });
}
