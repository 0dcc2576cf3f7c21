// The list of turns, in two columns, with variations below the turns that they replace. A click shows the position after
// a turn; the arrow keys go through the buttons.

import { button, made } from "./elements.js";

const JUMPS = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };

export class TurnList {
  // `onTurn` is called with the number of steps up to the end of a turn, and the steps of its variation if it is in one.
  constructor(list, onTurn) {
    this.list = list;
    this.onTurn = onTurn;
    list.addEventListener("keydown", (event) => this.key(event));
  }

  // `marks` has the mark of each turn that gave something away, by the number of steps up to its end.
  show({ state: { match, comments }, view: { turns }, branches, branch, now }, marks = new Map()) {
    const isFocused = this.list.contains(document.activeElement);
    const drawn = [turns, branches, comments, [...marks].join()];
    if (!this.drawn?.every((part, place) => part === drawn[place])) this.draw(match, turns, branches, comments, marks);
    this.drawn = drawn;
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const shown = this.buttons.get(`${branch} ${now}`);
    shown?.setAttribute("aria-current", "step");
    this.list.scrollTop = shown ? shown.offsetTop - this.list.clientHeight / 2 : 0;
    if (isFocused) (shown ?? this.list.querySelector("button"))?.focus({ preventScroll: true });
  }

  draw(match, turns, branches, comments, marks) {
    this.branches = branches;
    this.buttons = new Map(); // by branch and steps
    this.marks = marks;
    this.comments = Map.groupBy(comments, ({ steps }) => steps.join(" "));
    const rows = [];
    let start = 0;
    for (const turn of turns) {
      if (rows.at(-1)?.number !== turn.number) rows.push({ number: turn.number, buttons: [], beside: [] });
      const { buttons, beside } = rows.at(-1);
      buttons.push(this.button(turn, null));
      beside.push(this.comment(match.steps, turn.steps, `${turn.text}: `), this.beside(null, start));
      start = turn.steps;
    }
    const items = rows.map(({ buttons, beside }) => made("li", {}, ...buttons, ...beside.filter(Boolean)));
    const unplayed = (content) => (content ? [made("li", { className: "unplayed" }, content)] : []);
    this.list.replaceChildren(...unplayed(this.comment([], 0)), ...items, ...unplayed(this.beside(null, start)));
  }

  // The variations that leave a branch after a number of steps; null if there are none.
  beside(parent, start) {
    const found = this.branches.map((branch, place) => [branch, place]).filter(([branch]) => branch.parent === parent && branch.start === start);
    if (found.length === 0) return null;
    const called = { className: "variations", ariaLabel: found.length === 1 ? "Variation" : "Variations" };
    return made("ul", called, ...found.map(([branch, place]) => this.variation(branch, place)));
  }

  // What a match file says after so many steps of a line; null if nothing.
  comment(steps, count, before = "") {
    const found = this.comments.get(steps.slice(0, count).join(" "));
    return found ? made("span", { className: "comment" }, before + found.map(({ text }) => text).join(" ")) : null;
  }

  variation({ turns, start, steps }, place) {
    const item = made("li");
    let [done, isNew] = [start, true];
    for (const turn of turns) {
      if (turn.column === 0 || isNew) item.append(made("span", { className: "number" }, `${turn.number}${turn.column === 0 ? "." : "…"}`));
      item.append(this.button(turn, place), " ");
      const comment = this.comment(steps, turn.steps);
      if (comment) item.append(comment, " ");
      const beside = this.beside(place, done);
      if (beside) item.append(beside);
      [done, isNew] = [turn.steps, beside !== null];
    }
    return item;
  }

  button(turn, place) {
    const look = () => this.onTurn(turn.steps, place === null ? undefined : this.branches[place].steps);
    const entry = button(turn.text, look, { className: `turn side-${turn.player}` });
    if (place === null) entry.dataset.column = turn.column;
    this.buttons.set(`${place ?? -1} ${turn.steps}`, entry);
    const mark = place === null ? this.marks.get(turn.steps) : null;
    if (mark) entry.dataset.mark = mark;
    return entry;
  }

  key(event) {
    if (!(event.key in JUMPS) || event.altKey || event.ctrlKey || event.metaKey) return;
    const buttons = [...this.list.querySelectorAll("button")];
    const place = buttons.indexOf(document.activeElement);
    if (place < 0) return;
    event.preventDefault();
    event.stopPropagation(); // Home and End mean this list here
    buttons.at(Math.max(0, Math.min(buttons.length - 1, place + JUMPS[event.key]))).focus();
  }
}
