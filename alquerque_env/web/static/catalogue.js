// Asks for the list of the games, and for what the first match of a new tab needs, while other scripts are on their way.

import { ask } from "./server.js";
import { stored } from "./storage.js";

const early = new Map(); // a request as text -> its answer

export const asked = ask("games");
asked.then(askForFirst).catch(() => null); // which the page tells

function askForFirst({ first }) {
  if (stored()) return;
  const rules = { game: first, options: {} };
  const bodies = { match: { ...rules, start: null, steps: [], person: 0 }, rules, board: { ...rules, turned: false } };
  for (const request of Object.entries(bodies)) early.set(JSON.stringify(request), ask(...request));
}

// As `ask`, with the answer that is on its way if there is one. It serves once.
export function askOrTake(...request) {
  const text = JSON.stringify(request);
  const found = early.get(text) ?? ask(...request);
  early.delete(text);
  return found;
}
