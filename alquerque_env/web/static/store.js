// Matches survive in the browser's storage: that of this tab through a reload, the latest of all tabs on a shelf.

const HERE = "alquerque.match";
const SHELF = "alquerque.match.";
const MOST_KEPT = 20;

// `facts` are what is told of the match where it is offered.
export function keep(state, facts) {
  write(sessionStorage, HERE, state);
  if (state.match.steps.length === 0) return;
  write(localStorage, SHELF + state.id, { ...state, ...facts, at: Date.now() });
  for (const { id } of shelved().slice(MOST_KEPT)) localStorage.removeItem(SHELF + id);
}

function write(storage, key, state) {
  try {
    storage.setItem(key, JSON.stringify(state));
  } catch {
    // Storage can be full or switched off; the match goes on without.
  }
}

function read(storage, key) {
  try {
    return JSON.parse(storage.getItem(key));
  } catch {
    return null;
  }
}

function shelved() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(SHELF));
  const found = keys.map((key) => read(localStorage, key)).filter((state) => state?.match?.steps);
  return found.sort((one, other) => other.at - one.at);
}

export const kept = () => read(sessionStorage, HERE);

// The other matches, the latest first.
export function earlier(id) {
  try {
    return shelved().filter((state) => state.id !== id);
  } catch {
    return [];
  }
}
