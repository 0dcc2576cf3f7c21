// The status of the match, below the board, and the aim above it.

export const SIDES = ["South", "North"];

// What a player is called within a sentence; `person` is the only person of a match against a bot, else null.
export const called = (player, person) => (person === null ? SIDES[player] : player === person ? "you" : "the bot");

const withArticle = (noun) => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const isMine = ({ own }, player) => player === own;

// As `called`, by name where people play each other.
function calledIn({ person, me, state }, player) {
  if (person !== null) return called(player, person);
  return player === me ? "you" : (state.names[player] ?? (me === null ? SIDES[player] : "your friend"));
}
const named = (play, player) => capital(calledIn(play, player));

// The aim of the person who plays, or of both sides.
export function aimText(play) {
  const { rules, own } = play;
  if (own !== null) return rules.aims[own];
  return play.isWatched ? `Two bots play. ${rules.aim}` : rules.aim;
}

const touched = () => matchMedia("(pointer: coarse)").matches;

// What to do, for a person who has not moved yet.
function firstStep({ view, person, rules }, isChosen) {
  const moved = view.turns.some(({ player }) => person === null || player === person);
  if (moved || view.legal.every(({ path }) => path.length === 0)) return "";
  const how = touched() ? "Tap" : "Click";
  if (isChosen) return `${how} a marked point to move there.`;
  if (isDrop(view)) return `${how} a marked point to put ${withArticle(rules.sides[view.player].one)} there.`;
  return isRemoval(view) ? `${how} a ringed piece to remove it.` : `${how} a ringed piece.`;
}

// `isChosen` is whether a piece is chosen that can move.
export function statusText(play, isChosen = false) {
  const { view, state } = play;
  if (!play.isLive) return elsewhere(play);
  if (play.isOver) return ending(play);
  if (play.isPerson(view.player)) return sentences(toMove(play, view.player), firstStep(play, isChosen), compulsion(view), view.note);
  const who = named(play, view.player);
  if (play.me !== null) return sentences(toMove(play, view.player), "Send the link: the answer comes by one, too.", view.note);
  if (play.isStuck) return `${who} did not answer.`;
  return sentences(state.paused ? `Paused. ${toMove(play, view.player)}` : `${who} is thinking.`, view.note);
}

// Whose turn it is. In other positions than that of the match a person moves both sides.
function toMove(play, player) {
  if (play.me !== null) return player === play.me ? "Your turn." : `${named(play, player)}’s turn.`;
  if (play.person === null) return `${named(play, player)} to move.`;
  return `${isMine(play, player) ? "Your" : "The bot's"} turn.`;
}

// A position that the match is not in. What is played there is a variation.
function elsewhere(play) {
  const { shown, branch } = play;
  const where = branch < 0 ? "Earlier position." : "Variation.";
  return `${where} ${shown.outcome ? shown.outcome.sentence : toMove(play, shown.player)}`;
}

export const sentences = (...all) => all.filter(Boolean).join(" ");

const winnerOf = ({ result }) => ({ "1-0": 0, "0-1": 1 })[result] ?? null;

function ending(play) {
  const { view, state: { ended } } = play;
  if (view.outcome) return view.outcome.sentence;
  const winner = winnerOf(ended);
  const who = winner === null ? "Draw" : `${named(play, winner)} win${isMine(play, winner) ? "" : "s"}`;
  if (winner !== null && ended.reason === "resigned") return `${who}: ${calledIn(play, 1 - winner)} resigned.`;
  return ended.reason ? `${who}: ${ended.reason}.` : `${who}.`;
}

// A turn by its text, within a sentence. `plays`, `puts` and `removes` are the verbs for it, for a drop and for a removal.
export function inWords(text, player, sides, [plays, puts, removes]) {
  const [, sign, points] = /^([@x])((?:[a-z]*[0-9]+\1?)+)$/.exec(text) ?? [];
  if (!sign) return `${plays} ${text}`.trim();
  const on = points.split(sign);
  const { one, many } = sides[sign === "@" ? player : 1 - player];
  return `${sign === "@" ? puts : removes} ${on.length > 1 ? many : withArticle(one)} on ${on.join(" and ")}`;
}

// What was done last, or the last turn of a bot and what the bot says of it.
export function answered(play) {
  if (play.said) return play.said;
  const last = play.view.turns.at(-1);
  const isAnswer = play.isLive && !play.isOver && play.isPerson(play.view.player);
  if (!isAnswer || !last || play.isPerson(last.player)) return "";
  const note = play.note?.steps === last.steps && play.note.text ? ` (${play.note.text})` : "";
  const who = play.me === null ? "The bot" : named(play, last.player);
  return `${who} ${inWords(last.short, last.player, play.rules.sides, ["played", "put", "removed"])}${note}.`;
}

function compulsion({ chain, legal, takes_most: takesMost }) {
  if (!chain && legal.length === 1 && legal[0].path.length === 0) return "No piece can move: pass.";
  const isOnly = legal.every((step) => (step.origin && step.captured.length > 0) || step.path.length === 0);
  return !chain && isOnly && legal.some((step) => step.captured.length > 0) ? COMPULSORY[Number(takesMost)] : "";
}

const COMPULSORY = ["A capture is compulsory.", "Capture as many pieces as possible."];

// A schedule asks for drops alone, or for removals alone.
const isDrop = ({ legal }) => legal.some((step) => !step.origin && step.target);
const isRemoval = ({ legal }) => legal.some((step) => !step.target && step.captured.length > 0);

// What a piece may not do for a while, such as to go back to the point from which it came.
export const mayNot = ({ shown: view, rules }, origin) =>
  `The ${rules.sides[view.pieces[origin][0]].one} on ${origin} may not go ${view.forbidden_way} to`;

// Why a piece cannot move, or cannot move to a point, or why none can be dropped or removed there.
export function explainRefusal(play, origin, target) {
  const { shown: view, rules } = play;
  if (!play.mayMove) return statusText(play);
  const [player] = view.pieces[origin] ?? [];
  const { one } = rules.sides[view.player];
  const why = isDrop(view) ? `${named(play, view.player)} must drop one ${one}.` : sentences(compulsion(view), view.note);
  if (player === undefined && isDrop(view)) return `No ${one} can be dropped on ${origin}.`;
  if (player === undefined) return `There is no piece on ${origin}. ${toMove(play, view.player)}`;
  const piece = `The ${rules.sides[player].one} on ${origin}`;
  if (player !== view.player && isRemoval(view)) return `${piece} cannot be removed.`;
  const whose = isMine(play, player) ? "yours" : `${calledIn(play, player)}'s`;
  if (player !== view.player) return `${piece} is ${whose}. ${toMove(play, view.player)}`;
  const forbidden = view.forbidden.filter(([from]) => from === origin).map(([, to]) => to);
  if (forbidden.includes(target)) return `${mayNot(play, origin)} ${target}.`;
  if (target !== undefined) return sentences(`${piece} cannot go to ${target}.`, why);
  if (why) return `${piece} cannot move now. ${why}`;
  return forbidden.length > 0
    ? `${mayNot(play, origin)} ${forbidden.join(" or ")}, and no other point is free.`
    : `${piece} cannot move now: no point that it may go to is free.`;
}
