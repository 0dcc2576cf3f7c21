// The match on the page. Changes run one after another, and each takes effect as a whole or not at all. Bots think
// meanwhile.

import { ask } from "./server.js";
import { claim, releaseAllBut, store } from "./storage.js";

export const PERSON = "human";
const WATCH_PAUSE_MS = 500;
const LONG_MS = 700; // after so long a bot may be told to move now

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join(".");
}

// The state of a match. `seats` has the spec of a bot or PERSON for each side, `names` the names of people (null if
// unknown), `headers` the other headers of a match file. `ended` is the result and reason if people ended the match,
// such as by resigning, otherwise null. `cursor` is the number of steps shown, null for all.
export function newState(match, seats, more = {}) {
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
  // `layBoard` draws a new board and `show` what has changed. `animate` moves a piece, `busy` receives whether a change
  // is running, `slow` whether a bot thinks for long, and `tell` an error message, "" for none.
  constructor({ layBoard, show, animate, busy, slow, tell }) {
    Object.assign(this, { layBoard, show, animate, busy, slow, tell });
    this.state = null;
    this.view = null; // the match after all steps
    this.shown = null; // the match after the steps up to the cursor
    this.board = null;
    this.rules = null;
    this.isStuck = false;
    this.note = null; // what a bot said of its turn, and the number of steps after it
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

  // Runs a change after those before it. A thinking bot starts again afterwards.
  change(task) {
    this.thinking?.abort();
    this.tell("");
    this.isStuck = false;
    return this.enqueue(task);
  }

  enqueue(task) {
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
        if (this.changes === 0) this.askBot();
        this.busy(this.changes > 0 || this.thinking !== null);
      });
    return this.queue;
  }

  // Changes to another state, after the server has sent all that is needed to show it.
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
    if (missing.length > 0) this.tell(`${missing.length > 1 ? "The bots" : "A bot"} of this match cannot play here: you play instead.`);
    this.rules = { ...known, key: rulesKey };
    const isNew = this.board?.key !== boardKey;
    this.board = { ...board, key: boardKey };
    this.take({ ...state, seats, paused }, view, shown ?? view, isNew);
  }

  take(state, view, shown, isNew) {
    Object.assign(this, { state, view, shown });
    this.store(state);
    if (isNew) this.layBoard();
    this.show();
  }

  store(state) {
    store(state, { isOver: this.isOver, turns: this.view.turns.length });
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

  // As `become`, for a match that this tab has not locked yet.
  async becomeAnother(state) {
    try {
      await this.become(await claim(state));
    } finally {
      releaseAllBut(this.state?.id);
    }
  }

  play(step) {
    return this.change(async () => {
      const { state } = this;
      const steps = [...state.match.steps, step.text];
      this.store({ ...state, match: { ...state.match, steps }, cursor: null }); // the page may be closed during the animation
      try {
        await this.animate(step, true);
        await this.alterSteps(steps);
      } catch (error) {
        this.store(state);
        throw error;
      }
    });
  }

  // Takes back the last turn of a person and all later turns; in a match between bots, the last turn. If people ended
  // the match, takes back only that.
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

  setPlayer(player, spec) {
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

  // Asks again for the rules, with which the bots come that can play.
  askRules() {
    this.rules = { ...this.rules, key: null };
    return this.change(() => this.alter({}));
  }

  turnBoard() {
    return this.enqueue(() => this.alter({ turned: !this.state.turned }));
  }

  // Shows the match after this number of steps.
  lookAt(steps) {
    return this.change(() => this.showUntil(steps));
  }

  showUntil(steps) {
    return this.alter({ cursor: steps >= this.state.match.steps.length ? null : steps });
  }

  // Shows the end of the previous or next turn.
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
      // The steps that are cut off stay in the stored match with the old id.
      const match = { ...this.state.match, steps };
      return this.becomeAnother({ ...this.state, match, id: crypto.randomUUID(), cursor: null, ended: null });
    });
  }

  // Lets the bot play if it is to move. Its answer is dropped if the match has changed meanwhile.
  async askBot() {
    if (this.thinking || this.isStuck || !this.view) return;
    if (this.isOver || !this.isLive || this.isPerson(this.view.player) || this.state.paused) return;
    const abort = (this.thinking = new AbortController());
    const { signal } = abort;
    this.busy(true);
    try {
      const id = (this.asked = crypto.randomUUID());
      const asked = { match: this.state.match, bot: this.state.seats[this.view.player], id };
      const [{ steps, note }] = await Promise.all([this.timed(ask("api/turn", asked, signal)), this.isWatched && sleep(WATCH_PAUSE_MS)]);
      this.note = { text: note, steps: asked.match.steps.length + steps.length };
      for (const step of steps) await this.enqueue(() => signal.aborted || this.playBotStep(step, signal));
    } catch (error) {
      if (!signal.aborted) await (error.botFailed ? this.forfeit(this.view.player, error) : this.showBotError(error));
    } finally {
      if (this.thinking === abort) this.thinking = null;
    }
    if (this.changes === 0) this.askBot();
    this.busy(this.changes > 0 || this.thinking !== null);
  }

  // Says meanwhile if an answer takes long.
  async timed(answer) {
    const long = setTimeout(() => this.slow(true), LONG_MS);
    try {
      return await answer;
    } finally {
      clearTimeout(long);
      this.slow(false);
    }
  }

  // Tells the thinking bot to play what it has found.
  moveNow() {
    return ask("api/move-now", { id: this.asked });
  }

  async playBotStep(step, signal) {
    await this.animate(step, false);
    if (signal.aborted) return;
    const match = { ...this.state.match, steps: [...this.state.match.steps, step.text] };
    this.take({ ...this.state, match, cursor: null }, step.after, step.after, false);
  }

  // A bot that fails loses. Undo asks it again.
  forfeit(player, error) {
    return this.enqueue(() => this.alter(lost(player, error.message.replaceAll(/\s+/g, " "))));
  }

  showBotError(error) {
    this.isStuck = true;
    this.tell(error.message);
    this.show();
  }
}

const lost = (player, reason) => ({ ended: { result: ["0-1", "1-0"][player], reason }, cursor: null });

const isLive = ({ cursor, match }) => cursor === null || cursor === match.steps.length;

export const until = (match, steps) => ({ ...match, steps: match.steps.slice(0, steps) });
