// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Asks the server.

/** What went wrong, in words for the page. */
export class Failure extends Error {}

/** Ask the server; gives the text of its answer. */
export async function text(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Failure("The server does not answer: start ciphermill web again.");
  }
  const found = await answer.text();
  if (answer.ok) return found;
  let content = null;
  try {
    content = JSON.parse(found);
  } catch { /* Not from a page's own route. */ }
  throw new Failure(content?.error ?? (found || `The server answered ${answer.status}.`));
}

/** Ask the server; gives the JSON of its answer, null if it is empty. */
export async function ask(path, options = {}) {
  return JSON.parse((await text(path, options)) || "null");
}

/** Wait. */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
