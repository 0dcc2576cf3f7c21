// The report after a match: the mistake that decided it, the curve with a mark for each mistake, the accuracy of both
// sides. It is asked for in parts, so that it can be stopped and goes on where it stopped.

import { button, made } from "./elements.js";
import { ask } from "./server.js";
import { placeOf, showCurve } from "./value_curve.js";

const keyOf = ({ match, ended }) => JSON.stringify([match, ended?.result ?? null]);

export class MatchReport {
  // `onMistake` is called with a mistake to show; `onTurn` with a number of steps; `onDone` when a report is complete.
  constructor(page, { onMistake, onTurn, onDone }) {
    Object.assign(this, { page, onMistake, onTurn, onDone });
    this.known = new Map(); // what is known of each match, by its steps and result
    this.abort = null;
    this.chosen = null;
    page.report.addEventListener("click", () => this.run());
    page["stop-report"].addEventListener("click", () => this.stop());
  }

  get report() {
    return this.known.get(this.key)?.report ?? null;
  }

  // The marks of the turns by the numbers of steps up to their ends.
  get marks() {
    return new Map((this.report?.mistakes ?? []).map(({ end, mark }) => [end, mark]));
  }

  // The mistake to try again from: the one that was chosen last, otherwise the decisive one.
  get again() {
    if (!this.report) return null;
    const { mistakes, decisive } = this.report;
    return mistakes.find(({ start }) => start === this.chosen) ?? mistakes.find(({ start }) => start === decisive) ?? mistakes[0] ?? null;
  }

  // Takes over the match that is shown. The report is about what was played, also while a variation is looked at.
  look(play) {
    const { page } = this;
    const isOver = play.isOver && play.view.turns.length > 0;
    const key = isOver ? keyOf(play.state) : null;
    if (key !== this.key) {
      this.stop();
      this.chosen = null;
    }
    this.key = key;
    this.play = play;
    page.after.hidden = !isOver || !this.known.has(key);
    page.report.hidden = !isOver || this.report !== null || this.abort !== null;
    this.draw();
  }

  async run() {
    const { page, key, play } = this;
    const { match, ended } = play.state;
    const found = this.known.get(key) ?? { judged: [], report: null };
    this.known.set(key, found);
    const abort = (this.abort = new AbortController());
    page["report-problem"].textContent = "";
    this.look(play);
    page.after.scrollIntoView({ block: "nearest" });
    page["stop-report"].focus({ preventScroll: true });
    try {
      while (!found.report) {
        const asked = { match: { ...match, person: play.person }, result: ended?.result ?? null, judged: found.judged };
        const { judged, turns, report } = await ask("report", asked, abort.signal);
        found.judged = [...found.judged, ...judged];
        [page["report-progress"].max, page["report-progress"].value] = [turns, found.judged.length];
        page["report-done"].textContent = `${found.judged.length} of ${turns} turns`;
        found.report = report;
      }
    } catch (error) {
      if (error.name !== "AbortError") page["report-problem"].textContent = error.message;
    } finally {
      if (this.abort === abort) this.abort = null;
    }
    if (this.key !== key) return;
    this.onDone();
    if (found.report) page["after-title"].focus({ preventScroll: true });
  }

  stop() {
    this.abort?.abort();
    this.abort = null;
  }

  draw() {
    const { page, report } = this;
    const isRunning = this.abort !== null;
    page["report-running"].hidden = !isRunning;
    page.verdict.hidden = page.reported.hidden = !report;
    if (!report) return;
    page.verdict.textContent = report.verdict;
    page.accuracy.textContent = report.accuracy;
    page["report-basis"].textContent = report.basis;
    this.drawCurve();
    page.mistakes.replaceChildren(...report.mistakes.map((mistake) => this.item(mistake)));
    page["try-again"].hidden = this.again === null;
    if (this.again) page["try-again"].textContent = `Try again from move ${this.again.number}`;
  }

  drawCurve() {
    const { page, report, play } = this;
    const moments = [0, ...play.view.turns.map(({ steps }) => steps)];
    const marks = report.mistakes.map((mistake) => {
      const button = this.mark(mistake, mistake.mark);
      const place = moments.indexOf(mistake.end);
      const [left, top] = placeOf(report.values, place, report.values[place] ?? 0);
      Object.assign(button.style, { left: `${left}%`, top: `${top}%` });
      button.setAttribute("aria-label", `${mistake.move}, ${mistake.text}: ${mistake.kind}`);
      button.className = `mark side-${mistake.player}`;
      return button;
    });
    showCurve(page["report-curve"], report.values, moments, play.now, this.onTurn, marks);
  }

  item(mistake) {
    const turn = this.mark(mistake, `${mistake.number}${mistake.column === 0 ? "." : "…"} ${mistake.text} ${mistake.mark}`);
    turn.className = "turn";
    const kind = made("small", {}, mistake.is_exact ? `${mistake.kind}, exact` : `${mistake.kind}, searched`);
    return made("li", {}, turn, " ", kind, " ", made("span", {}, mistake.sentence));
  }

  mark(mistake, text) {
    const look = () => {
      this.chosen = mistake.start;
      this.onMistake(mistake);
    };
    return button(text, look, mistake.start === this.chosen ? { ariaPressed: true } : {});
  }
}
