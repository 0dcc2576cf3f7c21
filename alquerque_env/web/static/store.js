// Matches survive in the browser's storage: that of this tab through a reload, the latest of all tabs on a shelf. A match
// belongs to the tab that plays it: a lock by its name on the shelf is held for as long.

const HERE = "alquerque.match";
const SHELF = "alquerque.match.";
const MOST_KEPT = 20;
const RELOAD_MS = 500; // until a page that is reloaded has let go of its match

const held = new Map(); // what lets go of each match that this tab holds

// The match, under another id if another tab plays it already; this tab holds it from now on.
export async function claim(state) {
  if (held.has(state.id) || (await lock(state.id))) return state;
  const id = crypto.randomUUID();
  await lock(id);
  return { ...state, id };
}

// Lets go of all matches but one.
export function letGo(but) {
  for (const [id, release] of held) {
    if (id === but) continue;
    held.delete(id);
    release();
  }
}

// Where locks cannot be had at all, nothing keeps tabs apart.
function lock(id) {
  if (!navigator.locks) return true;
  return new Promise((done) => {
    const hold = () => {
      done(true);
      return new Promise((release) => held.set(id, release));
    };
    const isTaken = ({ name }) => ["TimeoutError", "AbortError"].includes(name);
    const asked = navigator.locks.request(SHELF + id, { signal: AbortSignal.timeout(RELOAD_MS) }, hold);
    asked.catch((error) => done(!isTaken(error)));
  });
}

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

// The last match that was left unfinished, and that no tab plays.
export async function unfinished(id) {
  const locks = await navigator.locks?.query().catch(() => null);
  const played = new Set((locks?.held ?? []).map(({ name }) => name));
  return earlier(id).find((state) => !state.isOver && !played.has(SHELF + state.id)) ?? null;
}
