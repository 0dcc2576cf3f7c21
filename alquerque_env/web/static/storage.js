// Keeps matches in the browser's storage: the match of this tab in the session storage, for reloads, and the latest
// matches of all tabs in the local storage, to resume them. While a tab plays a match it holds a lock on its key, so
// that no other tab plays the same match.

import { attempt } from "./tasks.js";
import { begins } from "./variations.js";

const TAB_KEY = "alquerque.match";
const KEY_PREFIX = "alquerque.match.";
const MAX_KEPT = 20;
const RELOAD_MS = 500; // time until a reloaded page has released its lock

const held = new Map(); // id of a match that this tab holds -> function that releases it

// Locks a match for this tab. If another tab plays it, takes it from that tab, or returns a copy with a new id.
export async function claim(state, isTaken) {
  if (held.has(state.id) || (await lock(state.id, isTaken))) return state;
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
function lock(id, isTaken = false) {
  if (!navigator.locks) return true;
  return new Promise((done) => {
    const hold = () => {
      done(true);
      return new Promise((release) => held.set(id, release));
    };
    const isLate = ({ name }) => ["TimeoutError", "AbortError"].includes(name);
    const asked = navigator.locks.request(KEY_PREFIX + id, isTaken ? { steal: true } : { signal: AbortSignal.timeout(RELOAD_MS) }, hold);
    // A busy browser is late, too, where no tab has the lock.
    asked.catch(async (error) => done(!isLate(error) || (!(await heldLocks()).has(KEY_PREFIX + id) && lock(id))));
  });
}

// The names of the locks that tabs hold.
async function heldLocks() {
  const locks = await navigator.locks?.query().catch(() => null);
  return new Set((locks?.held ?? []).map(({ name }) => name));
}

// Stores a match. `facts` describe it where it is offered.
export function store(state, facts) {
  keepInTab(state);
  if (state.match.steps.length > 0 || state.variations.length > 0) keep(state, facts);
}

// Stores which position of the match is shown, for a reload.
export const keepInTab = (state) => write("sessionStorage", TAB_KEY, state);

// Stores a match among the earlier ones.
export function keep(state, facts = {}) {
  write("localStorage", KEY_PREFIX + state.id, { ...state, ...facts, at: Date.now() });
  for (const { id } of storedMatches().slice(MAX_KEPT)) attempt(() => localStorage.removeItem(KEY_PREFIX + id));
}

// The browser refuses even the name of a storage where site data is blocked, and a storage can be full; the match continues
// without being kept.
const write = (storage, key, state) => attempt(() => window[storage].setItem(key, JSON.stringify(state)));
const readText = (storage, key) => attempt(() => window[storage].getItem(key));
const read = (storage, key) => attempt(() => checked(JSON.parse(readText(storage, key))));

const isText = (value) => typeof value === "string";
const isTextOrNull = (value) => value === null || isText(value);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isLine = (value) => Array.isArray(value) && value.length > 0 && value.every(isText);
const isPair = (value, isRight) => Array.isArray(value) && value.length === 2 && value.every(isRight);

// What a stored state may have besides match and seats. `newState` has a value for what is missing.
const CHECKS = {
  id: isText,
  names: (value) => isPair(value, isTextOrNull),
  date: isTextOrNull,
  headers: (value) => isObject(value) && Object.values(value).every(isText),
  turned: (value) => typeof value === "boolean",
  facing: (value) => typeof value === "boolean",
  ended: (value) => value === null || (isObject(value) && isText(value.result) && isTextOrNull(value.reason)),
  variations: Array.isArray,
  comments: (value) => Array.isArray(value) && value.every((each) => isObject(each) && isText(each.text) && Array.isArray(each.steps) && each.steps.every(isText)),
  line: (value) => value === null || isLine(value),
  cursor: (value, { steps }, { line }) => value === null || (Number.isInteger(value) && value >= 0 && value <= (line ?? steps).length),
  paused: (value) => typeof value === "boolean",
  isOver: (value) => typeof value === "boolean",
  turns: Number.isInteger,
  at: Number.isFinite,
};

// A state without what this version does not understand: another version, or a person, may have stored it. Null if it
// is not a match.
function checked(found) {
  const { match, seats } = found ?? {};
  const { game, options = {}, start = null, steps = [] } = isObject(match) ? match : {};
  const isMatch = isText(game) && isObject(options) && isTextOrNull(start) && Array.isArray(steps) && steps.every(isText);
  if (!isMatch || !isPair(seats, isText)) return null;
  const state = { match: { game, options, start, steps }, seats, isOver: false, turns: steps.length, at: 0 };
  for (const [name, isRight] of Object.entries(CHECKS)) if (isRight(found[name], state.match, state)) state[name] = found[name];
  state.variations = (state.variations ?? []).filter(isLine);
  if ((state.cursor ?? null) === null) state.line = null;
  return state;
}

function storedMatches() {
  const keys = attempt(() => Object.keys(localStorage)) ?? [];
  const ids = keys.filter((key) => key.startsWith(KEY_PREFIX)).map((key) => key.slice(KEY_PREFIX.length));
  const found = ids.map((id) => ({ ...read("localStorage", KEY_PREFIX + id), id }));
  return found.filter((state) => state.match).sort((one, other) => other.at - one.at);
}

// A stored match by its id; null if there is none.
export const keptMatch = (id) => read("localStorage", KEY_PREFIX + id);

// The stored state of a match if it has more steps, since another tab took them from a link; otherwise the state given.
export function latest(state) {
  const other = state && keptMatch(state.id);
  return other?.match.steps.length > state?.match.steps.length && begins(other.match.steps, state.match.steps) ? other : state;
}

// The match of this tab before a reload; null if there is none.
export const stored = () => latest(read("sessionStorage", TAB_KEY));

// Whether something was stored that is no match.
export const isBroken = () => stored() === null && readText("sessionStorage", TAB_KEY) !== null;

// The other stored matches, the latest first.
export const otherMatches = (id) => storedMatches().filter((state) => state.id !== id);

// The latest unfinished match that no tab plays; null if there is none.
export async function latestUnfinished(id) {
  const played = await heldLocks();
  return otherMatches(id).find((state) => !state.isOver && !played.has(KEY_PREFIX + state.id)) ?? null;
}

// A choice of the person: what it is, or null, and another one.
export const chosen = (key) => readText("localStorage", key);
export const choose = (key, value) => attempt(() => localStorage.setItem(key, value));

// What the matches share, by a key; `isRight` says what is understood of it. What the browser does not keep lasts as long
// as the page.
class Kept {
  constructor(key, isRight) {
    Object.assign(this, { key, isRight, unwritten: null });
  }

  get value() {
    const found = this.unwritten ?? attempt(() => JSON.parse(localStorage.getItem(this.key)));
    return isObject(found) && this.isRight(found) ? found : {};
  }

  set value(value) {
    this.unwritten = write("localStorage", this.key, value) === null ? value : null;
  }
}

// The rating of the person, and for each puzzle that was tried whether it was solved at once.
export const puzzles = new Kept("alquerque.puzzles", ({ rating, tried }) => Number.isFinite(rating) && isObject(tried));

// The lessons that are done, by game.
export const learned = new Kept("alquerque.learned", (found) => Object.values(found).every((done) => Array.isArray(done) && done.every(isText)));

// The last day whose puzzle was solved, as a number of days, and how many days in a row have been.
export const days = new Kept("alquerque.days", ({ day, row }) => Number.isInteger(day) && Number.isInteger(row));

// Whether this browser keeps nothing that was played, learned or solved.
export const isNewcomer = () => storedMatches().length === 0 && [puzzles, learned].every(({ key }) => chosen(key) === null);
