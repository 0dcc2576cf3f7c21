// One match on the page: what is played, by whom, and what is shown of it.

import { ask, get } from "./api.js";
import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { RecordDialogue } from "./record.js";
import { showRules } from "./rules.js";
import { PERSON, Setup, fillSeat } from "./setup.js";
import { keep, kept, newest } from "./store.js";

const SIDES = ["South", "North"];
const WATCH_PAUSE_MS = 500;
const HINT_SECONDS = 2;

const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((found) => [found.id, found]));

// `cursor` is the number of steps shown, null for all of them.
const state = { match: null, seats: [PERSON, PERSON], turned: false, resigned: null, cursor: null, paused: false };
let view = null; // of all steps
let shown = null; // of the steps up to the cursor
let catalogue = null;
let levels = [];
let seatSelects = [];
let waiting = null; // for a bot

const board = new Board(page.board, chooseStep, refuse);
const analysis = new Analysis(page, (turns) => board.point(turns));
const record = new RecordDialogue(
  page,
  () => ({ match: state.match, names: state.seats.map(nameOf), resigned: state.resigned, turned: state.turned, position: shown.position }),
  (match, headers) => changing(() => begin(match, [PERSON, PERSON], resignedIn(headers))),
);

function nameOf(seat) {
  return seat === PERSON ? "person" : seat;
}

function resignedIn({ Reason = "", Result = "" }) {
  return Reason === "resigned" ? { "0-1": 0, "1-0": 1 }[Result] ?? null : null;
}

const isOver = () => view.outcome !== null || state.resigned !== null;
const isLive = () => state.cursor === null || state.cursor === state.match.steps.length;
const isPerson = (player) => state.seats[player] === PERSON;
const mayMove = () => isLive() && !isOver() && isPerson(view.player);
const prefix = () => ({ ...state.match, steps: state.match.steps.slice(0, state.cursor ?? undefined) });

async function tried(task) {
  page.problem.textContent = "";
  try {
    await task();
  } catch (error) {
    if (error.name !== "AbortError") page.problem.textContent = error.message;
  }
}

// Does what changes the match; the board waits so long.
let changes = 0;

async function changing(task) {
  changes += 1;
  page.field.setAttribute("aria-busy", "true");
  await tried(task);
  changes -= 1;
  if (changes === 0) page.field.setAttribute("aria-busy", "false");
}

function remember() {
  keep(state);
}

function stopWaiting() {
  waiting?.abort();
  waiting = null;
}

async function begin(match, seats, resigned = null) {
  stopWaiting();
  Object.assign(state, { match, seats, resigned, cursor: null, paused: false });
  state.turned = seats[0] !== PERSON && seats[1] === PERSON;
  await lay();
  await refresh();
}

// Another game or another side in front: the board is drawn anew.
async function lay() {
  const { game, options } = state.match;
  const [parts, rules] = await Promise.all([
    ask("api/board", { game, options, turned: state.turned }),
    ask("api/rules", { game, options }),
  ]);
  levels = rules.levels;
  page.title.textContent = rules.title;
  document.title = `${rules.title} – Alquerque`;
  board.lay(parts, state.turned);
  laySeats();
}

function laySeats() {
  page.bar.classList.toggle("turned", state.turned);
  const places = state.turned ? [page["seat-top"], page["seat-bottom"]] : [page["seat-bottom"], page["seat-top"]];
  seatSelects = places.map((place, player) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    const name = document.createElement("b");
    name.textContent = SIDES[player];
    name.className = `side side-${player}`;
    select.id = `seat-${player}`;
    fillSeat(select, levels, state.seats[player]);
    state.seats[player] = select.value;
    select.addEventListener("change", () => changing(() => seat(player, select.value)));
    label.append(name, select);
    const count = document.createElement("span");
    count.className = "count";
    place.replaceChildren(label, count);
    return place;
  });
}

async function seat(player, spec) {
  stopWaiting();
  state.seats[player] = spec;
  await refresh();
}

// Asks for the position after all steps and shows it, or the one that is looked back at.
async function refresh() {
  remember();
  view = await ask("api/match", state.match);
  shown = isLive() ? view : await ask("api/match", prefix());
  present();
  await go();
}

function present() {
  board.show(shown, mayMove());
  for (const [player, place] of seatSelects.entries()) {
    const count = Object.values(shown.pieces).filter(([owner]) => owner === player).length;
    place.querySelector(".count").textContent = `${count} piece${count === 1 ? "" : "s"}`;
    place.classList.toggle("to-move", !isOver() && shown.player === player);
  }
  page.status.textContent = sentence();
  page.status.classList.toggle("over", isOver());
  page.choices.hidden = true;
  page.pass.hidden = !(mayMove() && view.legal.some((step) => step.way.length === 0));
  const watched = !isPerson(0) && !isPerson(1);
  page.pause.hidden = !watched || isOver();
  page.pause.textContent = state.paused ? "Go on" : "Pause";
  page.undo.disabled = state.match.steps.length === 0;
  page.hint.disabled = !mayMove();
  page.resign.disabled = isOver() || watched;
  listTurns();
  analysis.look(state.match, view.turns, state.cursor ?? state.match.steps.length, view.outcome);
}

function sentence() {
  if (!isLive()) return `Looking back. ${SIDES[shown.player]} to move.`;
  if (view.outcome) return view.outcome.sentence;
  if (state.resigned !== null) return `${SIDES[1 - state.resigned]} wins: ${SIDES[state.resigned]} has resigned.`;
  const who = SIDES[view.player];
  const what = isPerson(view.player) ? `${who} to move.` : `${who} is thinking.`;
  const captures = view.legal.some((step) => step.captured.length > 0);
  const must = mayMove() && !view.chain && captures && view.legal.every((step) => step.captured.length > 0 || step.way.length === 0);
  return [what, must ? "A capture is compulsory." : "", view.standing].filter(Boolean).join(" ");
}

function listTurns() {
  const now = state.cursor ?? state.match.steps.length;
  const rows = [];
  for (const turn of view.turns) {
    if (rows.length === 0 || turn.player === firstPlayer() || rows.at(-1).childElementCount === 2) rows.push(document.createElement("li"));
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = turn.text;
    button.className = `turn side-${turn.player}`;
    if (turn.steps === now) button.setAttribute("aria-current", "step");
    button.addEventListener("click", () => changing(() => lookAt(turn.steps)));
    rows.at(-1).append(button);
  }
  page.turns.replaceChildren(...rows);
  const current = page.turns.querySelector("[aria-current]");
  if (current) page.turns.scrollTop = current.offsetTop - page.turns.clientHeight / 2;
  page["play-on"].hidden = isLive();
  page.first.disabled = page.back.disabled = now === 0;
  page.last.disabled = page.forward.disabled = isLive();
}

const firstPlayer = () => view.turns[0]?.player ?? 0;

async function lookAt(steps) {
  stopWaiting();
  state.cursor = steps >= state.match.steps.length ? null : Math.max(0, steps);
  await refresh();
}

// The beginning of the turn before or after the one that is shown.
function moment(direction) {
  const now = state.cursor ?? state.match.steps.length;
  const moments = [0, ...view.turns.map((turn) => turn.steps)];
  return direction < 0 ? moments.findLast((steps) => steps < now) : moments.find((steps) => steps > now);
}

function chooseStep(steps) {
  if (changes > 0) return;
  if (steps.length === 1) {
    changing(() => playStep(steps[0]));
    return;
  }
  page.choices.replaceChildren(
    "Capture: ",
    ...steps.map((step) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = step.captured.join(", ");
      button.addEventListener("click", () => changing(() => playStep(step)));
      return button;
    }),
  );
  page.choices.hidden = false;
  page.choices.querySelector("button").focus();
}

function refuse(label) {
  const [player] = shown.pieces[label];
  const captures = view.legal.every((step) => step.captured.length > 0);
  const why = player !== view.player ? `it is ${SIDES[view.player]}'s turn` : captures ? "another piece must capture" : "nothing is free beside it";
  page.status.textContent = `The piece on ${label} cannot move: ${why}.`;
}

async function playStep(step) {
  await board.animate(step, true);
  state.match.steps.push(step.text);
  state.cursor = null;
  try {
    await refresh();
  } catch (error) {
    // A step that never came through is not played.
    if (view && view.turns.at(-1)?.steps !== state.match.steps.length) state.match.steps.pop();
    remember();
    board.show(view, mayMove());
    throw error;
  }
}

// Lets the bot play whose turn it is.
async function go() {
  if (waiting || isOver() || !isLive() || isPerson(view.player) || state.paused) return;
  const abort = (waiting = new AbortController());
  try {
    const asked = { match: state.match, bot: state.seats[view.player] };
    const [{ steps }] = await Promise.all([ask("api/play", asked, abort.signal), isWatched() && sleep(WATCH_PAUSE_MS)]);
    for (const step of steps) {
      if (abort.signal.aborted) return;
      await board.animate(step, false);
      if (abort.signal.aborted) return;
      state.match.steps.push(step.text);
      view = shown = step.after;
      remember();
      present();
    }
  } finally {
    if (waiting === abort) waiting = null;
  }
  await go();
}

const isWatched = () => !isPerson(0) && !isPerson(1);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Back to the start of the last turn that a person played, or of the last turn where only bots play.
async function undo() {
  stopWaiting();
  state.resigned = null;
  const { steps } = state.match;
  const starts = view.turns.map((turn, number) => ({ player: turn.player, at: number ? view.turns[number - 1].steps : 0 }));
  const mine = starts.filter((turn) => isWatched() || isPerson(turn.player));
  const to = (mine.length > 0 ? mine : starts).at(-1)?.at ?? 0;
  state.paused = isWatched();
  steps.length = Math.min(to, Math.max(0, steps.length - 1));
  state.cursor = null;
  await refresh();
}

async function hint() {
  page.status.textContent = "Looking for a good turn …";
  const { candidates, depth } = await ask("api/think", { match: state.match, seconds: HINT_SECONDS });
  if (!mayMove()) return;
  const [best] = candidates;
  page.status.textContent = `Hint: ${best.line[0]}${depth ? `, found ${depth} turns ahead` : ""}.`;
  board.point([{ ways: best.ways, text: "" }]);
}

async function resign() {
  const player = isPerson(view.player) ? view.player : 1 - view.player;
  if (!confirm(`Does ${SIDES[player]} resign?`)) return;
  stopWaiting();
  state.resigned = player;
  state.cursor = null;
  await refresh();
}

async function turnBoard() {
  state.turned = !state.turned;
  await lay();
  await refresh();
}

function connect() {
  const changers = {
    pass: () => playStep(view.legal.find((step) => step.way.length === 0)),
    undo,
    turn: turnBoard,
    resign,
    pause: () => {
      stopWaiting();
      state.paused = !state.paused;
      return refresh();
    },
    first: () => lookAt(0),
    back: () => lookAt(moment(-1) ?? 0),
    forward: () => lookAt(moment(1) ?? state.match.steps.length),
    last: () => lookAt(state.match.steps.length),
    "play-on": () => {
      state.match.steps.length = state.cursor;
      state.cursor = null;
      state.resigned = null;
      return refresh();
    },
  };
  const others = {
    "open-setup": () => setup.open(state.match, state.seats),
    "open-rules": () => showRules(page, state.match),
    "open-record": () => record.open(),
    hint,
  };
  for (const [name, action] of Object.entries(changers)) page[name].addEventListener("click", () => changing(action));
  for (const [name, action] of Object.entries(others)) page[name].addEventListener("click", () => tried(action));
  page.analyse.addEventListener("change", () => present());
}

const setup = await get("api/games").then(
  (found) => {
    catalogue = found;
    return new Setup(page, found.games, (match, seats) => changing(() => begin(match, seats)));
  },
  (error) => {
    page.problem.textContent = error.message;
    throw error;
  },
);

connect();
await changing(async () => {
  const before = kept();
  if (before?.match) {
    Object.assign(state, before);
    try {
      await lay();
      await refresh();
      return;
    } catch (error) {
      page.problem.textContent = `The match of this tab cannot be restored: ${error.message}`;
    }
  }
  const game = catalogue.games.find((known) => known.id === "alquerque") ?? catalogue.games[0];
  const other = newest();
  await begin({ game: game.id, options: {}, start: null, steps: [] }, [PERSON, game.levels[1].spec]);
  if (!before && other?.match?.steps?.length > 0) offer(other);
});

// A match that another tab left unfinished.
function offer(other) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = `Go on with the last match (${other.match.game}, ${other.match.steps.length} steps)`;
  button.addEventListener("click", () => {
    changing(async () => {
      Object.assign(state, other);
      await lay();
      await refresh();
    });
  });
  page.problem.replaceChildren(button);
}
