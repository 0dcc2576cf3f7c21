// The board in words, for screen readers.

import { keyOf } from "./board.js";
import { SIDES } from "./status_text.js";

const listed = (labels) => labels.join(", ");

// Where the pieces are, and which points are empty. `names` has what the pieces are called by their keys, see `Board`.
export function readPosition({ rows, view, parts }) {
  const labels = rows.toReversed().flat();
  const kinds = Map.groupBy(labels, (label) => (view.pieces[label] ? parts.names[keyOf(view.pieces[label])] : "Empty"));
  const names = Object.keys(parts.names).sort().map((key) => parts.names[key]);
  const said = names.filter((name) => kinds.has(name)).map((name) => `${name}: ${listed(kinds.get(name))}.`);
  const hands = view.hands.map((count, player) => count > 0 && `${SIDES[player]} has ${count} in hand.`);
  return [...said, `Empty: ${listed((kinds.get("Empty") ?? []).filter((label) => !view.closed.includes(label)))}.`, ...hands].filter(Boolean).join(" ");
}

// What can be done: for each piece that can move where to.
export function readMoves({ legal }) {
  if (legal.length === 0) return "There is nothing to move for you now.";
  const by = Map.groupBy(legal, ({ origin, target }) => origin ?? (target ? "Drop on" : "Remove"));
  const goals = (steps) => steps.map(({ origin, target, captured }) => [origin && captured.length > 0 && `takes ${listed(captured)}`, target ?? listed(captured)].filter(Boolean).join(" to "));
  return `${[...by].map(([origin, steps]) => `${origin} ${steps[0].origin && !steps[0].captured.length ? "to " : ""}${[...new Set(goals(steps))].join(" or ")}`).join("; ")}.`;
}
