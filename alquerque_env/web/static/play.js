// The match that is played on the page. A change of it comes through as a whole or leaves all as it was; changes wait
// for each other, and bots think beside them.

import { ask } from "./api.js";
import { claim, keep, letGo } from "./store.js";

export const PERSON = "human";
const WATCH_PAUSE_MS = 500;

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join(".");
}

// A match as the page keeps it. `names` are those of people, null where nobody has said them; `headers` what else a
// record said; `ended` the result and the reason of a match that people have ended, null for others; `cursor` is the
// number of steps that are shown, null for all of them.
export function sitting(match, seats, more = {}) {
  return {
    id: crypto.randomUUID(),
    match,
    seats,
    names: [null, null],
    date: today(),
    headers: {},
    turned: seats[0] !== PERSON && seats[1] === PERSON,
    ended: null,
    cursor: null,
    paused: false,
    ...more,
  };
}

export class Play {
  // `lay` draws another board, `show` what has changed; `animate` plays a step on the board, `busy` says whether
  // something is under way, and `tell` what went wrong, "" for nothing.
  constructor({ lay, show, animate, busy, tell }) {
    Object.assign(this, { lay, show, animate, busy, tell });
    this.state = null;
    this.view = null; // of all steps
    this.shown = null; // of the steps up to the cursor
    this.board = null;
    this.rules = null;
    this.isStuck = false;
    this.changes = 0;
    this.queue = Promise.resolve();
    this.thinking = null;
  }

  get isLive() {
    return isLive(this.state);
  }

  get isOver() {
    return this.view.outcome !== null || this.state.ended !== null;
  }

  get isWatched() {
    return !this.isPerson(0) && !this.isPerson(1);
  }

  // The side of the only person, null if there are two or none.
  get person() {
    return this.isPerson(0) === this.isPerson(1) ? null : this.isPerson(0) ? 0 : 1;
  }

  get mayMove() {
    return this.isLive && !this.isOver && this.isPerson(this.view.player);
  }

  get now() {
    return this.state.cursor ?? this.state.match.steps.length;
  }

  isPerson(player) {
    return this.state.seats[player] === PERSON;
  }

  nameOf(player) {
    return this.isPerson(player) ? (this.state.names[player] ?? PERSON) : this.state.seats[player];
  }

  // Does what changes the match when everything before has come through. A bot that thinks starts anew afterwards.
  change(task) {
    this.thinking?.abort();
    this.tell("");
    this.isStuck = false;
    return this.afterwards(task);
  }

  afterwards(task) {
    this.changes += 1;
    this.busy(true);
    this.queue = this.queue
      .then(task)
      .catch((error) => {
        this.tell(error.message);
        if (this.view) this.show();
      })
      .then(() => {
        this.changes -= 1;
        if (this.changes === 0) this.wake();
        this.busy(this.changes > 0 || this.thinking !== null);
      });
    return this.queue;
  }

  // Makes the match another one, once everything is there that is needed to show it.
  async become(state) {
    const { match, turned } = state;
    const rulesKey = JSON.stringify([match.game, match.options]);
    const boardKey = JSON.stringify([rulesKey, turned]);
    const rules = { game: match.game, options: match.options };
    const [view, shown, known, board] = await Promise.all([
      ask("api/match", match),
      isLive(state) ? null : ask("api/match", until(match, state.cursor)),
      this.rules?.key === rulesKey ? this.rules : ask("api/rules", rules),
      this.board?.key === boardKey ? this.board : ask("api/board", { ...rules, turned }),
    ]);
    const missing = state.seats.filter((seat) => seat !== PERSON && !known.levels.some((level) => level.spec === seat));
    const seats = state.seats.map((seat) => (missing.includes(seat) ? PERSON : seat));
    const paused = state.paused && !seats.includes(PERSON);
    if (missing.length > 0) this.tell(`${missing.join(" and ")} cannot be asked here, so a person plays instead.`);
    this.rules = { ...known, key: rulesKey };
    const isNew = this.board?.key !== boardKey;
    this.board = { ...board, key: boardKey };
    this.take({ ...state, seats, paused }, view, shown ?? view, isNew);
  }

  take(state, view, shown, isNew) {
    Object.assign(this, { state, view, shown });
    this.keep(state);
    if (isNew) this.lay();
    this.show();
  }

  keep(state) {
    keep(state, { isOver: this.isOver, turns: this.view.turns.length });
  }

  alter(change) {
    return this.become({ ...this.state, ...change });
  }

  alterSteps(steps, change = {}) {
    return this.alter({ match: { ...this.state.match, steps }, cursor: null, ...change });
  }

  begin(state) {
    return this.change(() => this.becomeAnother(state));
  }

  // As `become`, with a match that this tab may not hold yet.
  async becomeAnother(state) {
    try {
      await this.become(await claim(state));
    } finally {
      letGo(this.state?.id);
    }
  }

  play(step) {
    return this.change(async () => {
      const { state } = this;
      const steps = [...state.match.steps, step.text];
      this.keep({ ...state, match: { ...state.match, steps }, cursor: null }); // the page may be left while it moves
      try {
        await this.animate(step, true);
        await this.alterSteps(steps);
      } catch (error) {
        this.keep(state);
        throw error;
      }
    });
  }

  // Back to before the last turn that a person played, or before the last turn where only bots play; how people have
  // ended the match is taken back first.
  undo() {
    return this.change(() => {
      if (this.state.ended !== null) return this.alter({ ended: null });
      const { turns } = this.view;
      const starts = turns.map(({ player }, number) => ({ player, at: number ? turns[number - 1].steps : 0 }));
      const mine = starts.filter(({ player }) => this.isWatched || this.isPerson(player));
      const to = (mine.at(-1) ?? starts.at(-1))?.at ?? 0;
      return this.alterSteps(this.state.match.steps.slice(0, to), { paused: this.isWatched });
    });
  }

  seat(player, spec) {
    return this.change(() => {
      const seats = this.state.seats.with(player, spec);
      const names = this.state.names.with(player, null);
      const [south, north] = seats.map((each) => each === PERSON);
      const turned = south === north ? this.state.turned : north;
      return this.alter({ seats, names, turned });
    });
  }

  resign(player) {
    return this.change(() => this.alter(lost(player, "resigned")));
  }

  pause() {
    return this.change(() => this.alter({ paused: !this.state.paused }));
  }

  askAgain() {
    return this.change(() => this.alter({}));
  }

  turnBoard() {
    return this.afterwards(() => this.alter({ turned: !this.state.turned }));
  }

  // Shows the match after so many steps.
  lookAt(steps) {
    return this.change(() => this.showUntil(steps));
  }

  showUntil(steps) {
    return this.alter({ cursor: steps >= this.state.match.steps.length ? null : steps });
  }

  // Shows the end of the turn before or after the one that is shown.
  lookOn(direction) {
    return this.change(() => {
      const moments = [0, ...this.view.turns.map((turn) => turn.steps)];
      const isNext = direction < 0 ? (steps) => steps < this.now : (steps) => steps > this.now;
      const next = direction < 0 ? moments.findLast(isNext) : moments.find(isNext);
      return next === undefined ? null : this.showUntil(next);
    });
  }

  playOn() {
    return this.change(() => {
      const steps = this.state.match.steps.slice(0, this.now);
      // What came after is another match now.
      const match = { ...this.state.match, steps };
      return this.becomeAnother({ ...this.state, match, id: crypto.randomUUID(), cursor: null, ended: null });
    });
  }

  // Lets the bot play whose turn it is. What it answers counts only if nothing has changed meanwhile.
  async wake() {
    if (this.thinking || this.isStuck || !this.view) return;
    if (this.isOver || !this.isLive || this.isPerson(this.view.player) || this.state.paused) return;
    const abort = (this.thinking = new AbortController());
    const { signal } = abort;
    this.busy(true);
    try {
      const asked = { match: this.state.match, bot: this.state.seats[this.view.player] };
      const [{ steps }] = await Promise.all([ask("api/play", asked, signal), this.isWatched && sleep(WATCH_PAUSE_MS)]);
      for (const step of steps) await this.afterwards(() => signal.aborted || this.answer(step, signal));
    } catch (error) {
      if (!signal.aborted) await (error.isFault ? this.forfeit(this.view.player, error) : this.stick(error));
    } finally {
      if (this.thinking === abort) this.thinking = null;
    }
    if (this.changes === 0) this.wake();
    this.busy(this.changes > 0 || this.thinking !== null);
  }

  async answer(step, signal) {
    await this.animate(step, false);
    if (signal.aborted) return;
    const match = { ...this.state.match, steps: [...this.state.match.steps, step.text] };
    this.take({ ...this.state, match, cursor: null }, step.after, step.after, false);
  }

  // A program at fault loses, and what was wrong is said; taken back, it is asked again.
  forfeit(player, error) {
    return this.afterwards(() => this.alter(lost(player, error.message.replaceAll(/\s+/g, " "))));
  }

  stick(error) {
    this.isStuck = true;
    this.tell(error.message);
    this.show();
  }
}

const lost = (player, reason) => ({ ended: { result: ["0-1", "1-0"][player], reason }, cursor: null });

const isLive = ({ cursor, match }) => cursor === null || cursor === match.steps.length;

export const until = (match, steps) => ({ ...match, steps: match.steps.slice(0, steps) });
