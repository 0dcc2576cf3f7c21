// What is open over the match, a dialog or an exercise, has an entry in the history of the browser, whose step back closes
// it. Whatever closes it otherwise leaves the entry by itself.

import { attempt } from "./tasks.js";

export const EXERCISE = "exercise";

let leaving = null; // the step back of the page that is under way, with what waits for it

// Browsers refuse hundreds of changes at once; the page goes on without.
const inTurn = (task) => (leaving ? leaving.then(() => inTurn(task)) : attempt(task));

const home = () => location.pathname + location.search;

// Adds an entry for what was opened.
export const enter = (opened, hash = location.hash) => inTurn(() => history.pushState({ opened }, "", home() + hash));

// Changes the address of what is open.
export const rename = (hash) => inTurn(() => history.replaceState(history.state, "", home() + hash));

// Leaves the entry of what was closed. Without one, its address is taken away.
export function leave(opened, hash = "") {
  return inTurn(() => {
    if (history.state?.opened === opened) return goBack();
    return hash && location.hash === hash ? history.replaceState(null, "", home()) : null;
  });
}

function goBack() {
  leaving = new Promise((done) => addEventListener("popstate", done, { once: true })).then(() => (leaving = null));
  history.back();
}

// Opens a dialog, which a step back closes.
export function openDialog(dialog) {
  if (dialog.open) return;
  dialog.showModal();
  enter(dialog.id);
  dialog.addEventListener("close", () => leave(dialog.id), { once: true });
}

// Calls a function with the address after the user went through the history or changed the address.
export function onTravel(follow) {
  const { opened } = history.state ?? {};
  addEventListener("popstate", () => {
    if (leaving) return; // by the page
    for (const dialog of document.querySelectorAll("dialog[open]")) if (dialog.id !== history.state?.opened) dialog.close();
    follow();
  });
  if (opened && opened !== EXERCISE) goBack(); // the entry of a dialog before the page was loaded again
}
