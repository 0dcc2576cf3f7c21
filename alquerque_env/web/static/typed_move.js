// A move that is typed: c2-c3, c2xc4, a chain c2xc4xe4, a drop @c3, a removal xc3, pass. Signs may be left out or be
// others, or words as the key `c` reads them; what counts are the points.

import { ask } from "./server.js";
import { explainRefusal } from "./status_text.js";

const MOST_NAMED = 4;

// The points that a text names: those of the board, and what looks like one.
function labelsIn(text, points) {
  const known = Object.keys(points).sort((one, other) => other.length - one.length).join("|");
  return text.match(new RegExp(`(?:${known})(?![0-9])|[a-wyz]?[0-9]+`, "g")) ?? [];
}

// A legal step between these points; more than one where the captured piece is not named.
function meant(legal, [origin, target], over) {
  const between = legal.filter((step) => step.origin === origin && step.target === target);
  return over ? between.filter((step) => step.captured.includes(over)) : between;
}

const isPass = ({ path }) => path.length === 0;

// The steps to which a single point can refer: drops and removals.
const single = (legal, label) => legal.filter(({ origin, target, captured }) => !origin && (target ?? captured[0]) === label);

// Plays what is typed. Resolves to a sentence on what is wrong, "" if nothing is.
export async function playTyped(play, typed) {
  const text = typed.trim().toLowerCase().replaceAll("×", "x").replace(/ takes .+ to /, "x");
  if (!play.mayMove) return play.shown.outcome ? "The match is over." : "It is not your turn.";
  const { legal } = play.shown;
  if (text === "") return `Type a move, such as ${legal[0].text}.`;
  const exact = legal.find((step) => step.text.toLowerCase() === text);
  if (exact) return done(play, exact);
  const labels = labelsIn(text.replaceAll(/\^[a-z]*[0-9]+/g, " "), play.board.points);
  const unknown = labels.find((label) => !(label in play.board.points));
  if (unknown) return `There is no point ${unknown} on this board. ${suggestion(legal, labels)}`;
  if (labels.length === 0) return `“${typed.trim()}” is no move. ${suggestion(legal, labels)}`;
  if (labels.length === 1) {
    const steps = single(legal, labels[0]);
    return steps.length === 1 ? done(play, steps[0]) : `A move names two points. ${suggestion(legal, labels)}`;
  }
  return playThrough(play, labels, text.match(/\^([a-z]*[0-9]+)/)?.[1]);
}

// Plays step by step through the points, if all of these steps are legal.
async function playThrough(play, labels, over) {
  const { looked, person } = play;
  const found = [];
  let { legal } = play.shown;
  for (let at = 0; at + 1 < labels.length; at += 1) {
    const pair = labels.slice(at, at + 2);
    if (at > 0) ({ legal } = await ask("match", { ...looked, steps: [...looked.steps, ...found.map(({ text }) => text)], person }));
    const steps = meant(legal, pair, over);
    if (steps.length > 1) return `Which piece is captured? Type ${steps.map((step) => step.text).join(" or ")}.`;
    if (steps.length === 0 && at > 0) return `Nothing is played: after ${labels.slice(0, at + 1).join("-")}, ${pair.join("-")} is not legal.`;
    if (steps.length === 0) return `${explainRefusal(play, ...pair)} ${suggestion(legal, pair)}`;
    found.push(steps[0]);
  }
  for (const step of found) await play.play(step);
  return "";
}

async function done(play, step) {
  await play.play(step);
  return "";
}

// Legal moves that are like the points that were typed, else some of all.
function suggestion(legal, labels) {
  const [first, second] = labels;
  const likeness = ({ origin, target }) =>
    Number(origin === second && target === first) * 4 + Number(origin === first) * 2 + Number(target === (second ?? first));
  const steps = legal.filter((step) => !isPass(step));
  const like = steps.filter((step) => likeness(step) > 0).sort((one, other) => likeness(other) - likeness(one));
  if (like.length > 0) return `Did you mean ${named(like, " or ")}?`;
  return steps.length > 0 ? `Legal: ${named(steps, ", ")}${steps.length > MOST_NAMED ? ", …" : ""}.` : "Legal: pass.";
}

const named = (steps, between) => steps.slice(0, MOST_NAMED).map((step) => step.text).join(between);
