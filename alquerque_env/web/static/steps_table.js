// The table of all moves: what is known of them exactly, and the values and shares of one or two evaluators.

import { made } from "./elements.js";

// A value from -1 to 1 as text.
export const spell = (value, digits = 2) => {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : (value > 0 ? "+" : "−") + text;
};

const cell = (kind, ...content) => made(kind, kind === "th" ? { scope: "col" } : {}, ...content);

// A turn that can be tried out.
export const turnButton = (text) => made("button", { type: "button", className: "turn" }, text);

const turnOf = ({ line }) => line[0].text;

const small = (text) => made("small", {}, text);

// The searches name how far they looked.
function extent({ depth, nodes }) {
  if (depth) return `depth ${depth}`;
  return nodes ? `${nodes.toLocaleString("en")} nodes` : "";
}

const lost = "✗";
const chosen = "▸";

// Whether an evaluator would play a step that is known to get less than another one.
const losesValue = ({ choice, candidates }) => {
  const played = candidates.find(({ step }) => step.text === choice)?.exact;
  return Boolean(played) && candidates.some(({ exact }) => exact && exact.least > played.most);
};

// `evaluations` are the answers of the server, each with the name of its evaluator. All have the same steps.
export function stepsTable(evaluations) {
  const [first] = evaluations;
  const sign = 1 - 2 * first.player;
  const shown = evaluations.filter(({ choice }) => choice !== null);
  const hasExact = first.candidates.some(({ exact }) => exact);
  const head = cell("tr", cell("th", "Move"), ...(hasExact ? [cell("th", "Exact")] : []));
  head.append(...shown.map((found) => cell("th", found.name, " ", small(extent(found)))));
  const rows = first.candidates.map((candidate) => {
    const { step, exact } = candidate;
    const row = cell("tr", cell("td", turnButton(turnOf(candidate))), ...(hasExact ? [cell("td", exact?.words ?? "?")] : []));
    for (const found of shown) {
      const own = found.candidates.find((candidate) => candidate.step.text === step.text);
      const isChosen = found.choice === step.text;
      const mark = isChosen ? (losesValue(found) ? lost : chosen) : "";
      const share = own.share === null ? [] : [" ", small(`${Math.round(100 * own.share)} %`)];
      const said = isChosen ? { className: mark === lost ? "loses" : "chosen", title: `${found.name} would play this move.` } : {};
      row.append(made("td", said, cell("i", mark), spell(sign * own.value), ...share));
    }
    return row;
  });
  return made("table", {}, cell("thead", head), cell("tbody", ...rows));
}

const said = ({ words }) => (words === "draw" ? "is a draw" : words);

// Sentences about choices that lose value, and about two evaluators that would play different steps.
export function differences(evaluations) {
  const named = (found, text) => found.candidates.find(({ step }) => step.text === text);
  const shown = evaluations.filter(({ choice }) => choice !== null);
  const mistakes = shown.filter(losesValue).map((found) => {
    const [best] = found.candidates;
    const played = named(found, found.choice);
    return `${lost} ${found.name} would play ${turnOf(played)}, which ${said(played.exact)}; ${turnOf(best)} ${said(best.exact)}.`;
  });
  const [one, other] = shown;
  if (!other || one.choice === other.choice) return mistakes;
  const [first, second] = shown.map((found) => turnOf(named(found, found.choice)));
  return [...mistakes, `≠ ${one.name} would play ${first}, ${other.name} ${second}.`];
}
