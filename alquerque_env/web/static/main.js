// The page: what its parts have to do with each other.

import { ask, get } from "./api.js";
import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { PERSON, Play, sitting } from "./play.js";
import { RecordDialogue } from "./record.js";
import { showRules } from "./rules.js";
import { Seats } from "./seats.js";
import { Setup } from "./setup.js";
import { kept, unfinished } from "./store.js";
import { Turns } from "./turns.js";
import { SIDES, headline, refusal } from "./words.js";

const HINT_SECONDS = 2;
const TURN_KEYS = { ArrowLeft: -1, ArrowRight: 1 };

const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((found) => [found.id, found]));

const board = new Board(page.board, {
  onStep: (step) => (play.changes === 0 ? play.play(step) : show()),
  onChoice: offer,
  onRefusal: (origin, target) => say(refusal(play, origin, target)),
});
const play = new Play({
  lay,
  show,
  animate: (step, brisk) => board.animate(step, brisk),
  busy: (isBusy) => page.field.setAttribute("aria-busy", isBusy),
  tell,
});
const seats = new Seats(page["seat-top"], page["seat-bottom"], (player, spec) => play.seat(player, spec));
const turns = new Turns(page.turns, (steps) => play.lookAt(steps));
const analysis = new Analysis(page, (arrows) => board.point(arrows));
const record = new RecordDialogue(page, play, (match, seating) => play.begin(sitting(match, [PERSON, PERSON], seating)));

function say(text) {
  page.status.textContent = text;
}

function tell(problem) {
  page.problem.textContent = problem;
}

function lay() {
  const { rules, state } = play;
  page.title.textContent = rules.title;
  document.title = `${rules.title} – Alquerque`;
  const changed = rules.options.filter((option) => !option.is_default);
  page.changed.hidden = changed.length === 0;
  page.changed.textContent = changed.length === 1 ? "1 rule changed" : `${changed.length} rules changed`;
  page.changed.title = changed.map((option) => option.answer).join("\n");
  page.bar.classList.toggle("turned", state.turned);
  board.lay(play.board, state.turned);
}

function show() {
  const { state, view, shown } = play;
  const focused = document.activeElement;
  board.show(shown, play.mayMove);
  seats.show(play);
  page.status.classList.toggle("over", play.isOver && play.isLive);
  offer([]);
  page.pass.hidden = !(play.mayMove && view.legal.some((step) => step.way.length === 0));
  page.pass.textContent = view.chain ? "End turn" : "Pass";
  page.pause.hidden = !play.isWatched || play.isOver;
  page.pause.textContent = state.paused ? "Go on" : "Pause";
  page["ask-again"].hidden = !play.isStuck;
  page.rematch.hidden = !play.isOver || !play.isLive;
  page.undo.disabled = !play.isLive || (state.match.steps.length === 0 && state.ended === null);
  page.hint.disabled = !play.mayMove;
  page.resign.disabled = play.isOver || play.isWatched;
  page["play-on"].hidden = play.isLive;
  page.first.disabled = page.back.disabled = play.now === 0;
  page.last.disabled = page.forward.disabled = play.isLive;
  turns.show(view.turns, play.now);
  keepFocus(focused);
  analysis.look(state.match, view.turns, play.now, view.outcome);
}

// A button that has just been used and is no use any more gives the focus to one beside it, or to the board.
function keepFocus(button) {
  if (document.activeElement !== button && document.activeElement !== document.body) return;
  if (!button.disabled && !button.hidden && button.isConnected) return;
  const beside = button.closest(".actions")?.querySelector("button:enabled:not([hidden])");
  if (beside) beside.focus();
  else board.focus(board.current);
}

// Steps that differ in what they capture.
function offer(steps) {
  const buttons = steps.map((step) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = step.captured.join(", ") || "none";
    button.addEventListener("click", () => board.onStep(step));
    return button;
  });
  const wasHere = page.choices.contains(document.activeElement);
  page.choices.replaceChildren(...buttons);
  page.choices.hidden = steps.length === 0;
  if (steps.length > 0) {
    say("Which piece is captured? Choose it on the board or here.");
    buttons[0].focus();
  } else {
    say(headline(play));
    if (wasHere) board.focus(board.current);
  }
}

async function hint() {
  const { match } = play.state;
  const isStale = () => play.state.match !== match || !play.isLive || play.isOver;
  say("Looking for a good turn …");
  try {
    const { candidates, depth } = await ask("api/think", { match, seconds: HINT_SECONDS });
    if (isStale()) return;
    const [best] = candidates;
    say(`Hint: ${best.line[0]}${depth ? `, found ${depth} turns ahead` : ""}.`);
    board.point([{ ways: best.ways, text: "" }]);
  } catch (error) {
    if (isStale()) return;
    say(headline(play));
    tell(error.message);
  }
}

function resign() {
  const player = play.person ?? play.view.player;
  if (confirm(`Does ${SIDES[player]} resign?`)) play.resign(player);
}

// The same game, with the seats changed where one person plays a bot.
function rematch() {
  const { match, seats: before, names, turned } = play.state;
  const again = { ...match, steps: [] };
  if (play.person === null) return play.begin(sitting(again, before, { names, turned }));
  return play.begin(sitting(again, before.toReversed(), { names: names.toReversed() }));
}

async function tried(task) {
  tell("");
  try {
    await task();
  } catch (error) {
    tell(error.message);
  }
}

function connect() {
  const actions = {
    pass: () => play.changes === 0 && play.play(play.view.legal.find((step) => step.way.length === 0)),
    undo: () => play.undo(),
    turn: () => play.turnBoard(),
    pause: () => play.pause(),
    "ask-again": () => play.askAgain(),
    first: () => play.lookAt(0),
    back: () => play.lookOn(-1),
    forward: () => play.lookOn(1),
    last: () => play.lookAt(Infinity),
    "play-on": () => play.playOn(),
    rematch,
    resign,
    hint: () => tried(hint),
    changed: () => tried(() => showRules(page, play.state.match)),
    "open-setup": () => setup.open(play.state),
    "open-rules": () => tried(() => showRules(page, play.state.match)),
    "open-record": () => record.open(),
  };
  for (const [name, action] of Object.entries(actions)) page[name].addEventListener("click", action);
  page.analyse.addEventListener("change", show);
  document.addEventListener("keydown", (event) => {
    const isElsewhere = event.target.closest("dialog, input, select, textarea, .spot");
    if (isElsewhere || event.altKey || event.ctrlKey || event.metaKey || !(event.key in TURN_KEYS)) return;
    event.preventDefault();
    play.lookOn(TURN_KEYS[event.key]);
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && page.choices.contains(event.target) && board.cancel());
}

const catalogue = await get("api/games").catch((error) => {
  tell(error.message);
  throw error;
});
const setup = new Setup(page, catalogue.games, (state) => play.begin(state));

connect();
await restore();

// Begins with the match of this tab; else with a new one, and offers the last that another tab left unfinished.
async function restore() {
  const before = kept();
  if (before?.match) {
    await play.begin(sitting(before.match, before.seats, before));
    if (play.view) return;
  }
  const problem = page.problem.textContent;
  const game = catalogue.games.find((known) => known.id === "alquerque") ?? catalogue.games[0];
  await play.begin(sitting({ game: game.id, options: {}, start: null, steps: [] }, [PERSON, game.levels[1].spec]));
  if (problem) tell(`The match of this tab cannot be restored: ${problem}`);
  const other = before ? null : await unfinished(play.state.id);
  if (other) offerToGoOn(other);
}

function offerToGoOn(other) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = `Go on with the last match (${setup.describe(other)})`;
  button.addEventListener("click", () => play.begin(other));
  page.problem.replaceChildren(button);
}
