// The analysis: a bar with the value beside the board, a curve of values over the match, and the table of steps.

import { ask } from "./server.js";
import { called } from "./status_text.js";
import { differences, spell, stepsTable } from "./steps_table.js";
import { turnAt, valueCurve } from "./value_curve.js";

export const SEARCH = "search";
const [EXACT, NOBODY] = ["exact", ""];
const HERE_SECONDS = 1.0; // of the search; bots take the time that they have for a step
const BOT_SECONDS = 60;
const EARLIER_SECONDS = 0.3;
const LINE = 5; // turns shown of what an evaluator expects

export class Analysis {
  // `onBest` is called with the paths of the best turn, `onTurn` with a number of steps of the line that is shown.
  constructor(page, onBest, onTurn) {
    Object.assign(this, { page, onBest, onTurn });
    this.known = new Map();
    this.abort = null;
  }

  get isOn() {
    return this.page.analyse.checked;
  }

  // Evaluates the position shown, then the earlier positions without a value.
  async look({ rules, state, moments, now: cursor, person }) {
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
    const here = (name) => evaluate(name, cursor, name === SEARCH ? HERE_SECONDS : BOT_SECONDS);
    try {
      this.clear();
      this.draw(match, moments, cursor, first);
      const found = await here(first);
      this.describe([found]);
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
    for (const [select, choices] of [[this.page.evaluator, all], [this.page.compared, [[NOBODY, "nobody"], ...all]]]) {
      const before = select.value;
      select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
      select.value = choices.some(([value]) => value === before) ? before : choices[0][0];
    }
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
    const { bar, candidates, differences: list, depth } = this.page;
    bar.querySelector("span").textContent = "…";
    bar.setAttribute("aria-label", `Value for ${called(0, this.person)}: unknown`);
    candidates.replaceChildren();
    list.replaceChildren();
    depth.textContent = "Thinking …";
  }

  // Shows the evaluations of one or two evaluators.
  describe(evaluations) {
    const { candidates, differences: list, depth } = this.page;
    const [{ candidates: steps, player, exact, choice, value, table = "" }] = evaluations;
    depth.textContent = exact;
    if (steps.length === 0) return;
    candidates.replaceChildren(stepsTable(evaluations));
    list.replaceChildren(...differences(evaluations).map((sentence) => {
      const item = document.createElement("li");
      item.textContent = sentence;
      return item;
    }));
    const searched = evaluations.filter((found) => found.choice !== null);
    const lines = searched.map(({ name, line, note }) => `${name}: ${line.slice(0, LINE).join(" ")}${note ? ` (${note})` : ""}.`);
    const isKnown = steps.some((step) => step.exact);
    const scale = `Values are for the side to move (${called(player, this.person)}): +1 wins, −1 loses.`;
    const counted = !exact && steps.some((step) => / in /.test(step.exact?.words)) ? "Exact values count the turns of both sides." : "";
    const unknown = choice === null && !isKnown && !exact ? "No table and no proof has this position." : "";
    depth.textContent = [exact, unknown, ...lines, searched.length > 0 ? scale : "", counted, table].filter(Boolean).join(" ");
    this.onBest(choice === null && value === null && !isKnown ? [] : steps[0].paths);
  }

  draw(match, moments, cursor, evaluator) {
    const here = this.known.get(key(match, cursor, evaluator));
    if (here) this.drawBar(here.value);
    this.drawCurve(
      moments.map((moment) => this.known.get(key(match, moment, evaluator))?.value ?? undefined),
      moments,
      moments.findLastIndex((moment) => moment <= cursor),
    );
  }

  drawBar(value) {
    const { bar } = this.page;
    bar.querySelector("div").style.height = `${50 + 50 * (value ?? 0)}%`;
    bar.querySelector("span").textContent = value === null ? "?" : spell(value, 1);
    bar.setAttribute("aria-label", `Value for ${called(0, this.person)}: ${value === null ? "unknown" : `${spell(value)} of 1`}`);
  }

  // A click on the curve shows the position there. Its parent listens, since a curve may be replaced during a click.
  drawCurve(values, moments, now) {
    const svg = valueCurve(values, now);
    this.page.curve.onclick = (event) => this.onTurn(moments[turnAt(svg, event, moments.length - 1)]);
    this.page.curve.replaceChildren(svg);
  }
}

function key(match, moment, evaluator) {
  return JSON.stringify([evaluator, match.game, match.options, match.start, match.steps.slice(0, moment)]);
}
