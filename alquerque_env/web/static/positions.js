// The positions of a match that are known, so that a walk through it needs no request for each step. They are asked for
// some at a time, ahead of the walk.

import { ask } from "./server.js";

const FIRST = 8; // moments that are asked for at once where one is missing
const AHEAD = 12; // that shall be known beyond the one shown
const LATER = 40; // that are asked for then
const MOST = 4000; // positions that are kept

const key = (line, count) => line.slice(0, count).join(" ");

export class Positions {
  constructor() {
    this.known = new Map(); // each as what the server shows of it, or the promise of that, which a failure takes away
    this.of = "";
  }

  // Takes a position that came from the server; `match` and `person` are those of the request.
  keep(match, person, view) {
    this.turnTo(match, person);
    this.known.set(key(match.steps, match.steps.length), view);
  }

  turnTo({ game, options, start }, person) {
    const of = JSON.stringify([game, options, start, person]);
    if (of !== this.of || this.known.size > MOST) this.known.clear();
    this.of = of;
  }

  // The position after the step `moments[place]` of a match. Those that come next in a direction are asked for, too.
  async find(match, person, moments, place, direction) {
    this.turnTo(match, person);
    const at = (count) => moments[place + direction * count];
    const next = (count) => Array.from({ length: count }, (_, number) => at(number)).filter((moment) => moment !== undefined);
    const wanted = key(match.steps, at(0));
    if (!this.known.has(wanted)) this.request(match, person, next(FIRST));
    const found = await this.known.get(wanted);
    const last = next(AHEAD).at(-1);
    if (!this.known.has(key(match.steps, last))) this.request(match, person, next(LATER));
    return found;
  }

  request(match, person, moments) {
    const counts = moments.filter((moment) => !this.known.has(key(match.steps, moment)));
    const steps = match.steps.slice(0, Math.max(...counts));
    counts.sort((one, other) => one - other);
    const asked = ask("positions", { match: { ...match, steps, person }, counts });
    for (const [number, count] of counts.entries()) {
      const name = key(steps, count);
      const found = asked.then(({ positions }) => positions[number]);
      this.known.set(name, found);
      found.catch(() => this.known.get(name) === found && this.known.delete(name));
    }
  }
}
