// The analysis: a bar with the value beside the board, a curve of values over the match, and the table of steps.

import { fillSelect, made } from "./elements.js";
import { ask } from "./server.js";
import { called } from "./status_text.js";
import { differences, spell, stepsTable, turnButton } from "./steps_table.js";
import { sleep } from "./tasks.js";
import { showCurve } from "./value_curve.js";

export const SEARCH = "search";
const [EXACT, NOBODY] = ["exact", ""];
const HERE_SECONDS = 1.0; // of the search; bots take the time that they have for a step
const BOT_SECONDS = 60;
const EARLIER_SECONDS = 0.3;
const [DEEPER, DEEPEST_SECONDS] = [4, 60]; // how much longer a deeper search takes, and the longest one
const SETTLE_MS = 150; // a position has been shown for so long before it is asked for: nobody runs through the match
const LINES = 3; // of the first evaluator; of another one that of its choice

export class Analysis {
  // `onPoint` is called with the paths of a turn, the best one or one that is pointed at, `onTry` with the steps of turns
  // to try out, `onTurn` with a number of steps of the line that is shown. `seconds` is the longest of a search that was
  // not asked to look deeper.
  constructor(page, { onPoint, onTry, onTurn, seconds }) {
    Object.assign(this, { page, onPoint, onTry, onTurn });
    this.seconds = Math.min(HERE_SECONDS, seconds);
    this.known = new Map();
    this.deeper = new Map(); // the seconds for positions that a person wanted to look deeper into
    this.best = [];
    this.abort = null;
    page.deeper.addEventListener("click", () => this.lookDeeper());
  }

  get isOn() {
    return this.page.analyse.checked;
  }

  // Evaluates the position shown, then the earlier positions without a value.
  async look(play) {
    const { rules, state, moments, now: cursor, person } = play;
    this.play = play;
    this.abort?.abort();
    this.page.analysis.hidden = !this.isOn;
    this.page.bar.hidden = !this.isOn;
    if (!this.isOn) return;
    this.offer(rules);
    if (person !== this.person) this.known.clear(); // what was found calls the players by other names
    this.person = person;
    const abort = new AbortController();
    this.abort = abort;
    const match = state.line === null ? state.match : { ...state.match, steps: state.line };
    const { evaluator, compared } = this.page;
    const first = evaluator.value;
    const evaluate = (name, moment, seconds) => this.evaluate(match, moment, name, seconds, abort.signal);
    const at = key(match, cursor, first);
    const seconds = this.deeper.get(at) ?? this.seconds;
    const here = (name) => evaluate(name, cursor, name === SEARCH ? seconds : BOT_SECONDS);
    const before = this.known.get(at);
    try {
      if (before) this.describe([before]);
      else this.clear();
      this.draw(match, moments, cursor, first);
      if (!before) await sleep(SETTLE_MS);
      abort.signal.throwIfAborted();
      this.offerDeeper(null);
      if (before?.seconds < seconds) this.page.depth.textContent = `Looking deeper, for ${seconds} seconds …`;
      const found = await here(first);
      this.describe([found]);
      this.offerDeeper(first === SEARCH && !found.exact && found.choice !== null ? { at, seconds: seconds * DEEPER } : null);
      this.draw(match, moments, cursor, first);
      if (compared.value !== NOBODY) {
        await here(compared.value).then(
          (other) => this.describe([found, other]),
          (error) => this.complain(error),
        );
      }
      for (const moment of moments.toReversed()) {
        if (this.known.has(key(match, moment, first))) continue;
        await evaluate(first, moment, EARLIER_SECONDS);
        this.draw(match, moments, cursor, first);
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      this.clear();
      this.complain(error);
    }
  }

  // Offers a longer search, null for none.
  offerDeeper(longer) {
    const { deeper } = this.page;
    this.longer = longer;
    const isOffered = longer !== null && longer.seconds <= DEEPEST_SECONDS * DEEPER;
    const isRunning = longer === null && deeper === document.activeElement;
    deeper.hidden = !isOffered && !isRunning; // the focus stays
    deeper.setAttribute("aria-disabled", !isOffered);
    if (isOffered) deeper.textContent = `Deeper (${Math.min(DEEPEST_SECONDS, longer.seconds)} s)`;
  }

  lookDeeper() {
    if (!this.longer) return null;
    this.deeper.set(this.longer.at, Math.min(DEEPEST_SECONDS, this.longer.seconds));
    return this.look(this.play);
  }

  complain(error) {
    if (error.name === "AbortError") throw error;
    this.page.depth.textContent = error.message;
  }

  // Offers what can evaluate with these rules.
  offer({ levels, evaluators }) {
    if (this.levels === levels) return;
    this.levels = levels;
    const bots = levels.filter(({ spec }) => evaluators.includes(spec)).map(({ name, spec }) => [spec, name]);
    const all = [[SEARCH, "Search"], [EXACT, "Exact"], ...bots];
    this.names = new Map(all);
    const { evaluator, compared } = this.page;
    fillSelect(evaluator, all, evaluator.value);
    fillSelect(compared, [[NOBODY, "nobody"], ...all], compared.value);
  }

  async evaluate(match, moment, evaluator, seconds, signal) {
    const at = key(match, moment, evaluator);
    const before = this.known.get(at);
    if (before && (before.seconds ?? Infinity) >= seconds) return before;
    const cut = { ...match, steps: match.steps.slice(0, moment) };
    const found = await ask("analysis", { match: { ...cut, person: this.person }, evaluator, seconds }, signal);
    this.known.set(at, { ...found, seconds, name: this.names.get(evaluator) });
    return this.known.get(at);
  }

  // Removes the values of the position shown before.
  clear() {
    const { bar, candidates, differences: list, depth, lines } = this.page;
    bar.querySelector("span").textContent = "…";
    bar.setAttribute("aria-label", `Value for ${called(0, this.person)}: unknown`);
    for (const shown of [candidates, list, lines]) shown.replaceChildren();
    this.offerDeeper(null);
    depth.textContent = "Thinking …";
  }

  // Shows the evaluations of one or two evaluators.
  describe(evaluations) {
    const { candidates, differences: list, depth, lines } = this.page;
    const [{ candidates: steps, player, exact, choice, value, table = "" }] = evaluations;
    depth.textContent = exact;
    lines.replaceChildren();
    if (steps.length === 0) return;
    const moves = stepsTable(evaluations);
    for (const [place, row] of [...moves.tBodies[0].rows].entries()) this.makeTurn(row, steps[place].line, 0);
    const focused = [...candidates.querySelectorAll("button")].indexOf(document.activeElement);
    candidates.replaceChildren(moves);
    candidates.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
    list.replaceChildren(...differences(evaluations).map((sentence) => made("li", {}, sentence)));
    const searched = evaluations.filter((found) => found.choice !== null);
    lines.replaceChildren(...searched.flatMap((found, place) => this.lines(found, place === 0 ? "" : found.name)));
    const notes = searched.filter(({ note }) => note).map(({ name, note }) => `${name}: ${note}.`);
    const isKnown = steps.some((step) => step.exact);
    const scale = `Values are for the side to move (${called(player, this.person)}): +1 wins, −1 loses.`;
    const counted = !exact && steps.some((step) => / in /.test(step.exact?.words)) ? "Exact values count the turns of both sides." : "";
    const unknown = choice === null && !isKnown && !exact ? "No table and no proof has this position." : "";
    depth.textContent = [exact, unknown, ...notes, searched.length > 0 ? scale : "", counted, table].filter(Boolean).join(" ");
    this.best = choice === null && value === null && !isKnown ? [] : steps[0].line[0].paths;
    this.onPoint(this.best);
  }

  // The best lines of an evaluation, the first without a name, as lists of turns that can be tried out.
  lines(found, name) {
    const shown = name ? found.candidates.filter(({ step }) => step.text === found.choice) : found.candidates.slice(0, LINES);
    return shown.map(({ value, words, exact, line }) => {
      const number = exact ? "" : `${spell((1 - 2 * found.player) * value)} `;
      const said = made("small", {}, [name, exact ? exact.words : words].filter(Boolean).join(": "));
      const turns = line.map(({ text }, place) => this.makeTurn(turnButton(text), line, place));
      return made("li", {}, number, said, " ", ...turns.flatMap((turn) => [turn, " "]));
    });
  }

  // Makes an element stand for a turn of a line from the position shown: an arrow shows it, and a click tries it out.
  makeTurn(element, line, place) {
    const { paths } = line[place];
    const steps = line.slice(0, place + 1).flatMap((turn) => turn.steps);
    for (const type of ["pointerenter", "focusin"]) element.addEventListener(type, () => this.onPoint(paths));
    for (const type of ["pointerleave", "focusout"]) element.addEventListener(type, () => this.onPoint(this.best));
    element.addEventListener("click", () => this.onTry(steps));
    return element;
  }

  draw(match, moments, cursor, evaluator) {
    const here = this.known.get(key(match, cursor, evaluator));
    if (here) this.drawBar(here.value);
    const values = moments.map((moment) => this.known.get(key(match, moment, evaluator))?.value);
    showCurve(this.page.curve, values, moments, cursor, this.onTurn);
  }

  drawBar(value) {
    const { bar } = this.page;
    bar.querySelector("div").style.height = `${50 + 50 * (value ?? 0)}%`;
    bar.querySelector("span").textContent = value === null ? "?" : spell(value, 1);
    bar.setAttribute("aria-label", `Value for ${called(0, this.person)}: ${value === null ? "unknown" : `${spell(value)} of 1`}`);
  }
}

function key(match, moment, evaluator) {
  return JSON.stringify([evaluator, match.game, match.options, match.start, match.steps.slice(0, moment)]);
}
