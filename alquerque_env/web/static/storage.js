// Keeps matches in the browser's storage: the match of this tab in the session storage, for reloads, and the latest
// matches of all tabs in the local storage, to resume them. While a tab plays a match it holds a lock on its key, so
// that no other tab plays the same match.

const TAB_KEY = "alquerque.match";
const KEY_PREFIX = "alquerque.match.";
const MAX_KEPT = 20;
const RELOAD_MS = 500; // time until a reloaded page has released its lock

const held = new Map(); // id of a match that this tab holds -> function that releases it

// Locks a match for this tab. If another tab plays it, returns a copy with a new id.
export async function claim(state) {
  if (held.has(state.id) || (await lock(state.id))) return state;
  const id = crypto.randomUUID();
  await lock(id);
  return { ...state, id };
}

// Releases all matches but one.
export function releaseAllBut(kept) {
  for (const [id, release] of held) {
    if (id === kept) continue;
    held.delete(id);
    release();
  }
}

// Resolves to whether this tab got the lock; true in browsers without locks.
function lock(id) {
  if (!navigator.locks) return true;
  return new Promise((done) => {
    const hold = () => {
      done(true);
      return new Promise((release) => held.set(id, release));
    };
    const isTaken = ({ name }) => ["TimeoutError", "AbortError"].includes(name);
    const asked = navigator.locks.request(KEY_PREFIX + id, { signal: AbortSignal.timeout(RELOAD_MS) }, hold);
    asked.catch((error) => done(!isTaken(error)));
  });
}

// Stores a match. `facts` describe it where it is offered.
export function store(state, facts) {
  write(sessionStorage, TAB_KEY, state);
  if (state.match.steps.length === 0) return;
  write(localStorage, KEY_PREFIX + state.id, { ...state, ...facts, at: Date.now() });
  for (const { id } of storedMatches().slice(MAX_KEPT)) localStorage.removeItem(KEY_PREFIX + id);
}

function write(storage, key, state) {
  try {
    storage.setItem(key, JSON.stringify(state));
  } catch {
    // Storage can be full or switched off; the match continues without it.
  }
}

function read(storage, key) {
  try {
    return JSON.parse(storage.getItem(key));
  } catch {
    return null;
  }
}

function storedMatches() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(KEY_PREFIX));
  const found = keys.map((key) => read(localStorage, key)).filter((state) => state?.match?.steps);
  return found.sort((one, other) => other.at - one.at);
}

// The match of this tab before a reload; null if there is none.
export const stored = () => read(sessionStorage, TAB_KEY);

// The other stored matches, the latest first.
export function otherMatches(id) {
  try {
    return storedMatches().filter((state) => state.id !== id);
  } catch {
    return [];
  }
}

// The latest unfinished match that no tab plays; null if there is none.
export async function latestUnfinished(id) {
  const locks = await navigator.locks?.query().catch(() => null);
  const played = new Set((locks?.held ?? []).map(({ name }) => name));
  return otherMatches(id).find((state) => !state.isOver && !played.has(KEY_PREFIX + state.id)) ?? null;
}
