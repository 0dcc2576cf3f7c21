// Links to matches: copies one, and opens the one in the address.

import { ask } from "./server.js";
import { PERSON, newState } from "./play.js";
import { copyText, showCopied } from "./clipboard.js";
import { leave } from "./views.js";

// The link in the address; an empty string if there is none.
export function linkInAddress() {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // has been edited
  }
}

// Copies a link to a match, which opens on this page.
export async function copyLink({ game, options, start, steps }, button) {
  const { link } = await ask("link", { game, options, start, steps });
  await copyText(new URL(`#${link}`, location.href).href);
  showCopied(button);
}

// Opens the match of the link in the address; the match so far stays among the earlier ones. Afterwards the address is
// that of the page alone, so that a reloaded page goes on with the match. A wrong link is an error and changes nothing.
export async function openLink(play) {
  const { hash } = location;
  const match = await ask("open-link", { link: linkInAddress() });
  await play.begin(newState(match, [PERSON, PERSON]));
  leave(null, hash);
}
