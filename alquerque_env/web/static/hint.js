// A hint: asks the server for the best turn, names it in the status and draws an arrow.

import { SEARCH } from "./analysis.js";
import { ask } from "./server.js";
import { inWords } from "./status_text.js";

const HINT_SECONDS = 2;

// `say` sets the status, `longest` is the most seconds of a search. A hint that comes after the position has changed is dropped.
export async function showHint(play, board, say, longest) {
  const { match } = play.state;
  const [only, ...others] = play.view.legal;
  const told = (text) => inWords(text, play.view.player, play.rules.sides, ["", "put", "remove"]);
  if (others.length === 0) {
    say(`Hint: ${told(only.text)}, the only move.`);
    board.point([only.path].filter((path) => path.length > 0));
    return;
  }
  const isStale = () => play.state.match !== match || !play.isLive || play.isOver;
  say("Looking for a good move …");
  try {
    const { candidates, depth, exact } = await ask("analysis", { match: { ...match, person: play.person }, evaluator: SEARCH, seconds: Math.min(HINT_SECONDS, longest) });
    if (isStale()) return;
    const [best] = candidates;
    say(`Hint: ${told(best.line[0].text)}${depth && !exact ? `, found ${depth} ${depth === 1 ? "turn" : "turns"} ahead` : ""}. ${exact}`.trim());
    board.point(best.line[0].paths);
  } catch (error) {
    if (!isStale()) throw error;
  }
}
