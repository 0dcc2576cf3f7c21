// The analysis: a bar with the value beside the board, a curve of values over the match, and the best turns.

import { ask } from "./server.js";

const SVG = "http://www.w3.org/2000/svg";
const SHOWN = 3;
const HERE_SECONDS = 1.0;
const EARLIER_SECONDS = 0.3;

// Values are for South, from -1 to 1.
const spell = (value, digits = 2) => {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : (value > 0 ? "+" : "−") + text;
};

export class Analysis {
  // `onBest` is called with the paths of the best turn.
  constructor(page, onBest) {
    this.page = page;
    this.onBest = onBest;
    this.known = new Map();
    this.abort = null;
  }

  get isOn() {
    return this.page.analyse.checked;
  }

  // Evaluates the position shown, then the earlier positions without a value.
  async look(match, turns, cursor, outcome) {
    this.abort?.abort();
    this.page.analysis.hidden = !this.isOn;
    this.page.bar.hidden = !this.isOn;
    if (!this.isOn) return;
    const abort = new AbortController();
    this.abort = abort;
    const moments = [0, ...turns.map((turn) => turn.steps)];
    const end = moments.at(-1);
    if (outcome) this.known.set(key(match, end), { value: [1, -1][outcome.winner] ?? 0, candidates: [] });
    try {
      this.clear();
      this.draw(match, moments, cursor);
      this.describe(await this.evaluate(match, cursor, HERE_SECONDS, abort.signal), match, cursor);
      this.draw(match, moments, cursor);
      for (const moment of moments.toReversed()) {
        if (this.known.has(key(match, moment))) continue;
        await this.evaluate(match, moment, EARLIER_SECONDS, abort.signal);
        this.draw(match, moments, cursor);
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      this.clear();
      this.page.depth.textContent = error.message;
    }
  }

  async evaluate(match, moment, seconds, signal) {
    const at = key(match, moment);
    const before = this.known.get(at);
    if (before && (before.seconds ?? Infinity) >= seconds) return before;
    const cut = { ...match, steps: match.steps.slice(0, moment) };
    const found = await ask("api/analysis", { match: cut, seconds }, signal);
    this.known.set(at, { ...found, seconds });
    return this.known.get(at);
  }

  // Removes the values of the position shown before.
  clear() {
    const { bar, candidates, depth } = this.page;
    bar.querySelector("span").textContent = "…";
    bar.setAttribute("aria-label", "Value for South: unknown");
    candidates.replaceChildren();
    depth.textContent = "Thinking …";
  }

  describe(found) {
    const { candidates, depth } = this.page;
    const best = found.candidates.slice(0, SHOWN);
    candidates.replaceChildren(
      ...best.map(({ line, short, value }) => {
        const item = document.createElement("li");
        const number = document.createElement("b");
        number.textContent = spell(value);
        item.append(number, ` ${short}`);
        const rest = document.createElement("span");
        rest.textContent = ` ${line.slice(1, 5).join(" ")}`;
        item.append(rest);
        return item;
      }),
    );
    const ahead = found.depth ? `Searched ${found.depth} turn${found.depth === 1 ? "" : "s"} ahead.` : "";
    depth.textContent = `${found.exact || ahead} +1: South wins; −1: North wins; 0: even.`;
    this.onBest(best[0]?.paths ?? []);
  }

  draw(match, moments, cursor) {
    const here = this.known.get(key(match, cursor));
    if (here) this.drawBar(here.value);
    this.drawCurve(
      moments.map((moment) => this.known.get(key(match, moment))?.value),
      moments.findLastIndex((moment) => moment <= cursor),
    );
  }

  drawBar(value) {
    const { bar } = this.page;
    bar.querySelector("div").style.height = `${50 + 50 * value}%`;
    bar.querySelector("span").textContent = spell(value, 1);
    bar.setAttribute("aria-label", `Value for South: ${spell(value)} of 1`);
  }

  drawCurve(values, now) {
    const [width, height] = [Math.max(1, values.length - 1), 2];
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 -1.1 ${width} ${height + 0.2}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `Value over ${values.length - 1} turns`);
    const places = values.map((value, x) => (value === undefined ? null : `${x} ${-value}`)).filter(Boolean);
    const paths = [
      ["zero", `M0 0H${width}`],
      ["now", `M${now} -1.1V1.1`],
      ["values", places.length ? `M${places.join("L")}` : ""],
    ];
    for (const [kind, d] of paths) {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", kind);
      path.setAttribute("d", d);
      path.setAttribute("vector-effect", "non-scaling-stroke");
      svg.append(path);
    }
    this.page.curve.replaceChildren(svg);
  }
}

function key(match, moment) {
  return JSON.stringify([match.game, match.options, match.start, match.steps.slice(0, moment)]);
}
