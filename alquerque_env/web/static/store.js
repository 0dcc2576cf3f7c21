// The match of this tab survives a reload in the tab's own storage; the newest one of all tabs is offered to a new tab.

const HERE = "alquerque.match";
const NEWEST = "alquerque.newest";

export function keep(state) {
  const text = JSON.stringify(state);
  const begun = state.match.steps.length > 0;
  for (const [storage, key] of [[sessionStorage, HERE], ...(begun ? [[localStorage, NEWEST]] : [])]) {
    try {
      storage.setItem(key, text);
    } catch {
      // Storage can be full or switched off; the match goes on without.
    }
  }
}

function read(storage, key) {
  try {
    return JSON.parse(storage.getItem(key));
  } catch {
    return null;
  }
}

export const kept = () => read(sessionStorage, HERE);
export const newest = () => read(localStorage, NEWEST);
