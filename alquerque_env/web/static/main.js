// Connects the parts of the page.

import { Analysis } from "./analysis.js";
import { Board, NARROW, walksOnBoard } from "./board.js";
import { asked } from "./catalogue.js";
import { button, made } from "./elements.js";
import { PERSON, Play } from "./play.js";
import { Players } from "./players.js";
import { Sound } from "./sound.js";
import { MatchReport } from "./match_report.js";
import { SIDES, aimText, answered, explainRefusal, statusText } from "./status_text.js";
import { isBroken, isNewcomer, latest, latestUnfinished, stored } from "./storage.js";
import { telling } from "./tasks.js";
import { TurnList } from "./turn_list.js";
import { onTravel, openDialog } from "./views.js";

const WHEEL_PAUSE_MS = 300; // after which it is turned anew
const WHEEL_STEP = 40; // pixels

const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((found) => [found.id, found]));

const board = new Board(page.board, {
  onStep: (step) => (play.changes === 0 ? play.play(step) : show()),
  onSelect: () => {
    tell("");
    sayStanding();
  },
  onChoice: offer,
  onRefusal: (origin, target) => {
    tell("");
    say(explainRefusal(play, origin, target));
  },
  isWalked: walksOnBoard,
});
const play = new Play({
  layBoard,
  show,
  animate: async (step, brisk) => {
    if (!brisk && !play.isWatched) board.svg.scrollIntoView({ block: "nearest" });
    await board.animate(step, brisk);
    sound.step(step);
  },
  busy: (isBusy) => page.field.setAttribute("aria-busy", isBusy),
  slow: (isSlow) => (page["move-now"].hidden = !(isSlow && catalogue.can_stop_bots)),
  tell,
});
const players = new Players(page["seat-top"], page["seat-bottom"], (player, spec) => play.setPlayer(player, spec));
const turns = new TurnList(page.turns, (steps, line) => play.lookAt(steps, line));
const report = new MatchReport(page, { onMistake: showMistake, onTurn: (steps) => play.lookAt(steps), onDone: show });
const sound = new Sound(page.sound);

function say(text) {
  page.status.textContent = text;
}

// Says how the match stands. A small screen leaves the turn of a bot to those who do not see it on the board.
function sayStanding() {
  const heard = answered(play);
  page.status.replaceChildren(...(heard ? [made("span", { className: "heard" }, heard), " "] : []), statusText(play, board.selected !== null));
}

// `kind` is "done" for what is no problem.
function tell(problem, kind = "") {
  page.problem.className = kind;
  page.problem.textContent = problem.slice(0, 1).toUpperCase() + problem.slice(1);
}

// Tells what a link leads to, and offers a button.
function propose(sentence, text, task) {
  tell(sentence, "done");
  page.problem.append(" ", button(text, () => reportErrors(task)));
}

function layBoard() {
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
  const { state, shown } = play;
  const focused = document.activeElement;
  board.show(shown, play.mayMove);
  players.show(play);
  page.aim.textContent = aimText(play);
  page.status.classList.toggle("over", play.isOver && play.isLive);
  offer([]);
  page.pass.hidden = !(play.mayMove && shown.legal.some((step) => step.path.length === 0));
  page.pass.textContent = shown.chain ? "End turn" : "Pass";
  page.pause.hidden = !play.isWatched || play.isOver;
  page.pause.textContent = state.paused ? "Continue" : "Pause";
  page["ask-again"].hidden = !play.isStuck;
  page.rematch.hidden = !play.isOver || !play.isLive;
  page.rematch.textContent = rematchText();
  page.undo.disabled = !play.isLive || (state.match.steps.length === 0 && state.ended === null);
  page.hint.disabled = !play.mayMove;
  page.undo.hidden = !play.isLive;
  page.hint.hidden = !play.isLive || play.isOver;
  page.resign.hidden = play.isOver;
  page.resign.disabled = play.isWatched;
  page["copy-link-after"].hidden = page.rematch.hidden;
  page.send.hidden = !play.isToSend;
  page.send.textContent = `Send “Your move” to ${state.names[1 - play.me] ?? "your friend"}`;
  page.facing.parentElement.hidden = play.isOver || !play.isShared;
  page.facing.checked = state.facing;
  page["play-on"].hidden = play.isLive;
  if (state.match.steps.length > 0) page.resume.replaceChildren();
  page.welcome.hidden = state.match.steps.length > 0 || !isNewcomer();
  page["variation-actions"].hidden = play.branch < 0;
  page.promote.textContent = play.branches[play.branch]?.parent === null ? "Make it the main line" : "Promote variation";
  page.first.disabled = page.back.disabled = play.looked.steps.length === 0;
  page.last.disabled = page.forward.disabled = play.isLive;
  report.look(play);
  turns.show(play, report.marks);
  keepFocus(focused);
  analysis.look(play);
}

// If the focused button was disabled or hidden, moves the focus to a button beside it, or to the board.
function keepFocus(button) {
  if (document.activeElement !== button && document.activeElement !== document.body) return;
  if (!button.disabled && !button.hidden && button.isConnected) return;
  const beside = button.closest(".actions")?.querySelector("button:enabled:not([hidden])");
  if (beside) beside.focus();
  else board.focus(board.current);
}

// Offers steps that differ in the captured piece.
function offer(steps) {
  const buttons = steps.map((step) => button(step.captured.join(", ") || "none", () => board.onStep(step)));
  const wasHere = page.choices.contains(document.activeElement);
  page.choices.replaceChildren(...buttons);
  page.choices.hidden = steps.length === 0;
  if (steps.length > 0) {
    const { one } = play.rules.sides[1 - play.view.player];
    say(`Which ${one} do you capture? Choose it on the board or here.`);
    buttons[0].focus();
  } else {
    sayStanding();
    if (wasHere) board.focus(board.current);
  }
}

async function hint() {
  try {
    await showHint(play, board, say, catalogue.seconds);
  } catch (error) {
    sayStanding();
    throw error;
  }
}

const boardHere = () => (exercises.isShown ? exercises.board : board);

// Reads the board to those who do not see it.
function read(inWords) {
  if (!boardHere().view) return;
  requestAnimationFrame(() => (page.spoken.textContent = inWords(boardHere()))); // also what was said before
}

// Copies a link to the match, or to the exercise; a position of the person's own matches is the start of a match.
async function copyAddress(button) {
  if (!exercises.isShown) return copyMatch(button);
  if (!exercises.address.includes("/")) return exercises.exercise && copyLink(exercises.matchNow, button);
  return copyText(new URL(`#${exercises.address}`, location.href).href, button);
}

const copyMatch = (button) => copyLink(play.state.match, button, [0, 1].map((player) => play.nameOf(player)).map((name) => name !== PERSON && name));

function resign() {
  const player = play.own ?? play.view.player;
  if (confirm(play.own === null ? `Does ${SIDES[player]} resign?` : "Do you resign?")) play.resign(player);
}

// Shows the position before a mistake, with what would have been better.
async function showMistake({ start, move, text, sentence, paths }) {
  await play.lookAt(start);
  board.svg.scrollIntoView({ block: "nearest" });
  board.point(paths);
  say(`${move} was ${text}. ${sentence}`);
}

function rematchText() {
  const { own } = play;
  if (own === null) return "Play again";
  const { one, many } = play.rules.sides[1 - own];
  return `Play again (you are ${one === "piece" ? ["white", "dark"][1 - own] : `the ${many}`} now)`;
}

// Starts the same game again. A person who plays a bot or a friend changes sides with it.
function rematch() {
  const { match: before, seats, names, turned, facing } = play.state;
  const match = { ...before, steps: [] };
  if (play.own === null) return play.begin({ match, seats, names, turned, facing });
  return play.begin({ match, seats: seats.toReversed(), names: names.toReversed() });
}

const reportErrors = (task) => telling(tell, task);

function connect() {
  const actions = {
    pass: () => play.changes === 0 && play.play(play.shown.legal.find((step) => step.path.length === 0)),
    undo: () => play.undo(),
    turn: () => play.turnBoard(),
    pause: () => play.pause(),
    "ask-again": () => play.askAgain(),
    first: () => play.lookAt(0),
    back: () => play.lookOn(-1),
    forward: () => play.lookOn(1),
    last: () => play.lookAt(Infinity),
    "play-on": () => play.playOn(),
    "try-again": () => play.playOn(report.again.start),
    promote: () => reportErrors(() => play.promoteVariation()),
    "delete-variation": () => play.deleteVariation(),
    "move-now": () => reportErrors(() => play.moveNow()),
    rematch,
    resign,
    hint: () => reportErrors(hint),
    changed: () => reportErrors(() => showRules(page, play.state.match, analyseStart)),
    "open-setup": () => newGame.open(play.state),
    skip: () => boardHere().view && boardHere().focus(boardHere().current),
    "open-lessons": () => exercises.open(LESSONS, catalogue, play.state?.match.game),
    "welcome-lessons": () => exercises.open(LESSONS, catalogue, play.state.match.game),
    "open-puzzles": () => exercises.open(PUZZLES, catalogue, play.state?.match.game),
    "open-rules": () => reportErrors(() => showRules(page, exercises.exercise ?? play.state.match, analyseStart)),
    "open-record": () => matchFile.open(),
    "copy-link": () => reportErrors(() => copyAddress(page["copy-link"])),
    "copy-link-after": () => reportErrors(() => copyMatch(page["copy-link-after"])),
    send: () => reportErrors(async () => tell((await sendLink(play)) ?? "", "done")),
    facing: () => play.face(page.facing.checked),
  };
  for (const [name, action] of Object.entries(actions)) page[name].addEventListener("click", action);
  for (const choice of [page.analyse, page.evaluator, page.compared]) choice.addEventListener("change", show);
  NARROW.addEventListener("change", () => {
    layBoard();
    show();
  });
  page.typed.addEventListener("submit", (event) => {
    event.preventDefault();
    reportErrors(typeMove);
  });
  connectKeys();
  page.board.addEventListener("wheel", stepByWheel, { passive: false });
}

// The wheel over the board steps through the match. Where there is no step, and in a turn of the wheel that began there,
// it scrolls the page.
const wheel = { turned: 0, at: -Infinity, scrolls: false };
function stepByWheel(event) {
  if (event.ctrlKey || event.deltaY === 0) return;
  const button = event.deltaY < 0 ? page.back : page.forward;
  const isNew = event.timeStamp - wheel.at > WHEEL_PAUSE_MS;
  wheel.at = event.timeStamp;
  if (isNew) Object.assign(wheel, { turned: 0, scrolls: button.disabled });
  if (wheel.scrolls) return;
  event.preventDefault();
  wheel.turned += event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * WHEEL_STEP;
  if (Math.abs(wheel.turned) < WHEEL_STEP || play.changes > 0) return;
  wheel.turned = 0;
  button.click();
}

// Every key presses the first of its buttons that is seen or in the menu, so that it does nothing where none can do anything.
function connectKeys() {
  const keys = new Keys(page);
  for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, () => (page.spoken.textContent = ""), true); // what was said is old
  const press = (...names) => () => names.map((name) => page[name]).find((button) => button.checkVisibility() || page.menu.contains(button))?.click();
  const step = (name) => (isHeld) => (isHeld && play.changes > 0) || press(name)(); // a held key does not run ahead
  keys.add("?", "Show this list", () => openDialog(page.keys));
  keys.add("n", "New game", press("open-setup"));
  keys.add("l", "Learn", press("open-lessons"));
  keys.add("z", "Puzzles", press("open-puzzles"));
  keys.add("b", "Back from Learn and Puzzles to the match", press("exercise-close"));
  keys.add("r", "Rules", press("open-rules"));
  keys.add("s", "Save or load a match", press("open-record"));
  keys.add("m", "Type a move", () => page["typed-move"].select());
  keys.add("u", "Undo", press("undo"));
  keys.add(UNDO, "Undo, too", press("undo"));
  keys.add("h", "Hint", press("exercise-hint", "hint"));
  keys.add("f", "Flip the board", press("turn"));
  keys.add("o", "Say where the pieces are, to a screen reader", () => read(readPosition));
  keys.add("c", "Say what can move, to a screen reader", () => read(readMoves));
  keys.add("v", "Sound on or off", press("sound"));
  keys.add("e", "End the turn, or pass", press("exercise-pass", "pass"));
  keys.add("p", "Pause two bots, or let them go on", press("pause"));
  keys.add("a", "Analysis on or off", press("analyse"));
  keys.add("ArrowLeft", "Previous move", step("back"));
  keys.add("ArrowRight", "Next move", step("forward"));
  keys.add("Home", "Go to the start", press("first"));
  keys.add("End", "Go to the end", press("last"));
}

async function typeMove() {
  const field = page["typed-move"];
  const problem = await playTyped(play, field.value);
  if (!problem) field.value = "";
  tell(problem);
}

const catalogue = await asked.catch((error) => {
  page.board.replaceChildren();
  document.body.inert = false;
  tell(error.message);
  throw error;
});

const analysis = new Analysis(page, {
  onPoint: (paths) => board.point(paths),
  onTry: (steps) => {
    board.svg.scrollIntoView({ block: "nearest" });
    play.tryLine(steps);
  },
  onTurn: (steps) => play.lookAt(steps, play.state.line ?? undefined),
  seconds: catalogue.seconds,
});

const before = stored();
await start();

const {
  Exercises, Keys, LESSONS, MatchFileDialog, NewGameDialog, PUZZLES, UNDO, copyLink, copyText, exerciseIn, linkInAddress,
  openLink, playTyped, readMoves, readPosition, sendLink, showHint, showRules,
} = await import("./after_board.js");
const exercises = new Exercises(page, document.querySelector("main:not(#exercise)"), {
  onClose: () => board.focus(board.current),
  onPlay: (game) => beginMatch({ match: { game, options: {}, start: null, steps: [] }, seats: [PERSON, catalogue.opponent] }),
  onStep: (step) => sound.step(step),
});
const matchFile = new MatchFileDialog(page, play, beginMatch, catalogue);
const newGame = new NewGameDialog(page, catalogue, beginMatch, () => play.askRules());

connect();
if (!before) await offerToResume();
document.body.inert = false; // until now a click would have been lost
onTravel(followAddress);
addEventListener("storage", () => {
  const other = latest(play.state);
  if (other !== play.state) play.begin({ ...play.state, ...other });
});
if (linkInAddress()) await followAddress();

async function beginMatch(known) {
  if (exercises.isShown) exercises.close();
  await play.begin(known);
  if (board.current) board.focus(board.current); // there is none if nothing could begin
}

// Begins a match of a solved game with the analysis, which shows the steps that keep the value.
function analyseStart({ game, options }) {
  page.analyse.checked = true;
  return reportErrors(() => beginMatch({ match: { game, options, start: null, steps: [] }, seats: [PERSON, PERSON] }));
}

// Shows what the address names: an exercise, a match, or the match of this tab.
async function followAddress() {
  const address = linkInAddress();
  const linked = exerciseIn(address);
  if (linked) {
    if (!exercises.isShown || exercises.address !== address) await exercises.open(linked.kind, catalogue, play.state.match.game, linked);
    return;
  }
  if (exercises.isShown) exercises.hide();
  if (address) await reportErrors(() => openLink(play, propose));
}

// Restores the match of this tab. Without one, starts a new match and offers the latest unfinished one.
async function start() {
  if (before) {
    await play.begin(before);
    if (play.view) return;
  }
  const problem = isBroken() ? "what the browser has kept is no match." : page.problem.textContent;
  await play.begin({ match: { game: catalogue.first, options: {}, start: null, steps: [] }, seats: [PERSON, catalogue.opponent] });
  if (problem) tell(`The match of this tab cannot be restored: ${problem}`);
}

// Offers the latest unfinished match to a tab that has none.
async function offerToResume() {
  const other = await latestUnfinished(play.state.id);
  if (!other) return;
  page.resume.replaceChildren(button(`Resume the last match (${newGame.describe(other)})`, () => play.begin(other)));
}
