// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// The form of both pages: choose a file, encrypt or decrypt it, show what came of it.

import { example } from "./example.js";
import { element, histogram, share, size, times } from "./views.js";

const find = (identity) => document.getElementById(identity);
const pictures = document.body.dataset.page === "pictures";
const POLL_MS = 150;

let devices = [];
/** What was sent last: its item, name and bytes, and `picture` or `container`. */
let input = null;
/** What came of it. */
let output = null;
let job = null;
let busy = false;
let queue = Promise.resolve();

class Failure extends Error {}

/** Ask the server; gives the JSON of its answer. */
async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Failure("The server does not answer: start ciphermill web again.");
  }
  if (answer.status === 204) return null;
  const text = await answer.text();
  let content = null;
  try {
    content = JSON.parse(text);
  } catch { /* Not from a page's own route. */ }
  if (!answer.ok) throw new Failure(content?.error ?? (text || `The server answered ${answer.status}.`));
  return content;
}

/** Send a file with progress; gives what the server says of it. */
function send(file, name) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const path = `${pictures ? "pictures" : "files"}?name=${encodeURIComponent(name)}`;
    request.open("POST", path);
    request.upload.onprogress = (event) => show("sending", event.loaded, event.total);
    request.upload.onload = () => show(pictures ? "reading the picture" : "looking at the file", 0, null);
    request.onerror = () => reject(new Failure("The server does not answer: start ciphermill web again."));
    request.onabort = () => reject(new Failure("Stopped."));
    request.onload = () => {
      let content = {};
      try {
        content = JSON.parse(request.responseText);
      } catch { /* An error that is no JSON. */ }
      if (request.status === 201) resolve(content);
      else reject(new Failure(content.error ?? (request.responseText || `The server answered ${request.status}.`)));
    };
    job = { stop: () => request.abort() };
    request.send(file);
  });
}

/** Have the server do something with an item; gives the result. */
async function run(item, direction, picture, password) {
  const question = {
    direction, picture, item, password, device: find("device").value,
    mode: chosen("modes") ?? "gcm", key_bits: Number(chosen("key-bits") ?? 256),
  };
  const body = JSON.stringify(question);
  const started = await ask("jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const path = `jobs/${started.job}`;
  job = { stop: () => ask(path, { method: "DELETE" }) };
  for (;;) {
    const facts = await ask(path);
    if (facts.error !== null) throw new Failure(facts.error);
    if (facts.result !== null) return facts.result;
    show(facts.step, facts.done, facts.total);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Show progress. */
function show(step, done, total) {
  const known = total && done;
  find("step").textContent = known ? `${step}: ${size(done)} of ${size(total)}` : `${step} …`;
  if (known) find("bar").value = done / total;
  else find("bar").removeAttribute("value");
}

/** Do something that takes time, after what is under way: with progress, and errors shown. */
function working(what) {
  queue = queue.catch(() => {}).then(() => attempt(what));
  return queue;
}

async function attempt(what) {
  busy = true;
  find("error").hidden = true;
  find("progress").hidden = false;
  show("starting", 0, null);
  form();
  try {
    await what();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    find("error").textContent = error.message;
    find("error").hidden = false;
  } finally {
    busy = false;
    job = null;
    find("progress").hidden = true;
    form();
  }
}

function chosen(name) {
  return document.querySelector(`#${name} input:checked`)?.value;
}

/** Offer values, some of which a device may not have; keep what is chosen. */
function offer(name, values, allowed, first) {
  const before = chosen(name);
  const wanted = allowed.map(String).includes(before) ? before : String(allowed.includes(first) ? first : allowed[0]);
  const labels = values.map((value) => {
    const radio = document.createElement("input");
    Object.assign(radio, { type: "radio", name, value, checked: String(value) === wanted, disabled: !allowed.includes(value) });
    return element("label", "", radio, String(value).toUpperCase());
  });
  find(name).querySelector(".choice").replaceChildren(...labels);
}

/** Bring the form up to date. */
function form() {
  const device = devices.find((one) => one.name === find("device").value);
  const container = input?.container;
  if (device) {
    find("description").textContent = device.description;
    offer("modes", ["gcm", "ctr", "cbc", "ecb"], container ? [container.mode] : device.modes, "gcm");
    offer("key-bits", [128, 192, 256], container ? [container.key_bits] : device.key_bits, 256);
  }
  find("go").textContent = container ? "Decrypt" : "Encrypt";
  find("go").disabled = busy || !input || !device;
  for (const name of ["back", "example"]) if (find(name)) find(name).disabled = busy;
}

/** Take the password out of the form: it is used once. */
function password() {
  const typed = find("password").value;
  find("password").value = "";
  if (!typed) {
    find("password").focus();
    throw new Failure("Type the password first.");
  }
  return typed;
}

async function choose(file, name) {
  await working(async () => {
    input = null;
    input = await send(file, name);
    output = null;
    find("chosen").textContent = `${input.name}, ${size(input.bytes)}`;
    if (input.container) find("chosen").append(`, encrypted in ${input.container.mode.toUpperCase()}`);
    find("chosen").hidden = false;
    for (const one of ["verdict", "next"]) find(one).hidden = true;
    find("times").replaceChildren();
    if (!pictures) return;
    const sealed = Boolean(input.container);
    draw("before", "Before", input.picture && { ...input.picture, item: input.item }, sealed ? "The ciphertext appears here." : "");
    draw("after", "After", null, sealed ? "The picture appears here." : "Its ciphertext appears here, byte for byte as pixels.");
  });
}

/** Show a picture with its histogram, or a hint. */
function draw(place, title, picture, hint) {
  const figure = find(place);
  figure.querySelector("b").textContent = title;
  figure.querySelector(".about").textContent = picture ? `${picture.width} × ${picture.height}` : "";
  if (picture) {
    const image = document.createElement("img");
    image.src = `items/${picture.item}/preview.png`;
    image.alt = title;
    figure.querySelector(".frame").replaceChildren(image);
    figure.querySelector(".histogram").replaceChildren(...histogram(picture.histogram));
  } else {
    const text = element("p", hint);
    text.className = "hint";
    figure.querySelector(".frame").replaceChildren(text);
    figure.querySelector(".histogram").replaceChildren();
  }
}

/** What a mode left of a picture, in a sentence. */
function outline(mode, repeated) {
  if (mode !== "ecb") {
    const blocks = repeated === 0 ? "no block of the ciphertext occurs twice" : `${share(repeated)} of the blocks occur more than once`;
    return [false, "Nothing of the picture shows.", `In ${mode.toUpperCase()} ${blocks}.`];
  }
  if (repeated < 0.01) {
    return [true, "This picture hardly shows, another one would.", `In ECB ${share(repeated)} of the blocks occur more than once: equal blocks of the picture become equal blocks of ciphertext.`];
  }
  return [true, "The outline of the picture shows.", `In ECB ${share(repeated)} of the blocks of the ciphertext occur more than once, as those of the picture do.`];
}

function finish(result, direction) {
  output = result;
  find("times").replaceChildren(...times(result));
  find("download").href = `items/${result.item}`;
  find("download").textContent = `Download ${result.name}`;
  find("next").hidden = false;
  const encrypted = direction === "encrypt";
  let [bad, strong, rest] = [result.mode === "ecb" && encrypted, encrypted ? "Encrypted." : "Decrypted.",
    `${size(result.bytes_in)} in, ${size(result.bytes_out)} out, AES-${result.key_bits} in ${result.mode.toUpperCase()} on ${result.device}.`];
  if (pictures) {
    if (encrypted) [bad, strong, rest] = outline(result.mode, result.after.repeated);
    else rest = `The picture is authentic: every chunk of the file was checked before it was decrypted. ${rest}`;
    draw("before", encrypted ? "Before" : "Before: encrypted", result.before, "The file was no picture of pixels: its ciphertext cannot be drawn.");
    draw("after", encrypted ? `After: ${result.mode.toUpperCase()}` : "After: decrypted", result.after, "");
    find("back").hidden = !encrypted;
  } else if (bad) {
    rest += " ECB shows which blocks of 16 bytes are equal: prefer another mode.";
  }
  if (result.reason) rest += ` ${result.reason}.`;
  find("verdict").className = bad ? "verdict bad" : "verdict";
  find("verdict").replaceChildren(element("strong", strong), ` ${rest}`);
  find("verdict").hidden = false;
  // On a narrow screen it is below the form.
  find("verdict").scrollIntoView({ block: "nearest" });
}

function begin(item, direction) {
  working(async () => finish(await run(item(), direction, pictures, password()), direction));
}

find("form").addEventListener("submit", (event) => {
  event.preventDefault();
  begin(() => input.item, input.container ? "decrypt" : "encrypt");
});
find("device").addEventListener("change", form);
find("stop").addEventListener("click", () => job?.stop());
find("file").addEventListener("change", () => {
  const [file] = find("file").files;
  if (file) choose(file, file.name);
  // The same file can be chosen again.
  find("file").value = "";
});
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    find("drop").classList.toggle("over", kind === "dragenter" || kind === "dragover");
    const file = kind === "drop" && event.dataTransfer.files[0];
    if (file) choose(file, file.name);
  });
}
if (pictures) {
  find("back").addEventListener("click", () => begin(() => output.item, "decrypt"));
  find("example").addEventListener("click", async () => choose(await example(), "windmill.png"));
}

await working(async () => {
  devices = await ask("devices");
  find("device").replaceChildren(...devices.map((one) => new Option(one.name, one.name)));
});
