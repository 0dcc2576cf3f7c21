// The match on the page. Changes run one after another, and each takes effect as a whole or not at all. Bots think
// meanwhile.

import { askOrTake } from "./catalogue.js";
import { ask } from "./server.js";
import { Positions } from "./positions.js";
import { claim, keep, keepInTab, releaseAllBut, store } from "./storage.js";
import { SIDES } from "./status_text.js";
import { sleep } from "./tasks.js";
import { branchAt, lookingAt, momentsOf, withBranchFirst, withLine, withoutBranch } from "./variations.js";

export const PERSON = "human";
export const FRIEND = "friend"; // a person who sends moves by links
const isBot = (seat) => seat !== PERSON && seat !== FRIEND;
const WATCH_PAUSE_MS = 500;
const LONG_MS = 700; // after so long a bot may be told to move now

// The day here as match files have it, such as 2026.01.31. Swedish dates have its order.
const today = () => new Date().toLocaleDateString("sv").replaceAll("-", ".");

// The state of a match, from the match, the seats and what else is known. `seats` has the spec of a bot, PERSON or FRIEND
// for each side, `names` the names of people (null if unknown), `headers` the other headers of a match file. `ended` is the
// result and reason if people ended the match, such as by resigning, otherwise null. `variations` are other lines, each with
// all its steps from the start; `comments` have the steps before them and a text. `facing` is whether the board turns to who
// is to move. `line` is the variation that is shown, null for what was played, and `cursor` the number of its steps shown,
// null for all.
export function newState(known) {
  const [south, north] = known.seats;
  return {
    id: crypto.randomUUID(),
    names: [null, null],
    date: today(),
    headers: {},
    turned: south !== PERSON && north === PERSON,
    facing: false,
    ended: null,
    variations: [],
    comments: [],
    line: null,
    cursor: null,
    paused: false,
    ...known,
  };
}

export class Play {
  // `layBoard` draws a new board and `show` what has changed. `animate` moves a piece, `busy` receives whether a change
  // is running, `slow` whether a bot thinks for long, and `tell` an error message, "" for none, or what was done.
  constructor({ layBoard, show, animate, busy, slow, tell }) {
    Object.assign(this, { layBoard, show, animate, busy, slow, tell });
    this.state = null;
    this.view = null; // the match after all steps
    this.shown = null; // the position that is shown
    this.positions = new Positions();
    this.branches = []; // the variations, arranged beside the turns that they replace
    this.board = null;
    this.rules = null;
    this.isStuck = false;
    this.said = ""; // what was done last, for those who do not see it
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

  // Whether two people play at this screen.
  get isShared() {
    return this.isPerson(0) && this.isPerson(1);
  }

  // The side of the person who plays a friend by links, otherwise null.
  get me() {
    const { seats } = this.state;
    return seats.includes(FRIEND) ? seats.indexOf(PERSON) : null;
  }

  // The side of the only person at this screen; null if there are two or none.
  get own() {
    return this.person ?? this.me;
  }

  // Whether the friend does not have the last move, or the end of the match, by a link yet.
  get isToSend() {
    const { me, view, state: { ended } } = this;
    if (me === null || !this.isLive) return false;
    if (ended) return ended.result === lost(me).ended.result;
    return view.outcome ? view.turns.at(-1).player === me : view.player !== me;
  }

  // The side of the only person, who plays a bot; null if there are two or none.
  get person() {
    return personOf(this.state);
  }

  // Whether a step played now belongs to the match. One in another position, or after its end, is a variation.
  get isPlaying() {
    return this.isLive && !this.isOver;
  }

  get mayMove() {
    return this.isPlaying ? this.isPerson(this.view.player) : this.shown.outcome === null;
  }

  get now() {
    return this.state.cursor ?? this.state.match.steps.length;
  }

  // The match with the steps to the position shown.
  get looked() {
    const { match, line } = this.state;
    return { ...match, steps: (line ?? match.steps).slice(0, this.now) };
  }

  // The place among the branches of the one that is shown, -1 for the main line.
  get branch() {
    return branchAt(this.branches, this.state.match, this.looked.steps);
  }

  // The numbers of steps at the ends of the turns of the line that is shown.
  get moments() {
    return momentsOf(this.branches, this.branch, this.view.turns);
  }

  isPerson(player) {
    return this.state.seats[player] === PERSON;
  }

  nameOf(player) {
    const seat = this.state.seats[player];
    return isBot(seat) ? seat : (this.state.names[player] ?? PERSON);
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
      .then(() => {
        this.said = "";
        return task();
      })
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
    const { match, turned, variations } = state;
    const rulesKey = JSON.stringify([match.game, match.options]);
    const boardKey = JSON.stringify([rulesKey, turned]);
    const rules = { game: match.game, options: match.options };
    const told = { ...match, person: personOf(state) };
    const [view, shown, arranged, known, board] = await Promise.all([
      askOrTake("match", told),
      isLive(state) ? null : ask("match", { ...told, steps: (state.line ?? match.steps).slice(0, state.cursor) }).catch(() => null),
      variations.length > 0 ? ask("variations", { match, variations }).catch(unarranged(variations)) : NO_VARIATIONS,
      this.rules?.key === rulesKey ? this.rules : askOrTake("rules", rules),
      this.board?.key === boardKey ? this.board : askOrTake("board", { ...rules, turned }),
    ]);
    const missing = state.seats.filter((seat) => isBot(seat) && !known.levels.some((level) => level.spec === seat));
    const seats = state.seats.map((seat) => (missing.includes(seat) ? PERSON : seat));
    const paused = state.paused && !seats.includes(PERSON);
    if (missing.length > 0) this.tell(`${missing.length > 1 ? "The bots" : "A bot"} of this match cannot play here: you play instead.`);
    if (arranged.problems.length > 0) this.tell(arranged.problems.join(" "));
    this.branches = arranged.branches;
    const looking = isLive(state) || shown ? {} : { line: null, cursor: null };
    this.rules = { ...known, key: rulesKey };
    const isNew = this.board?.key !== boardKey;
    this.board = { ...board, key: boardKey };
    this.take({ ...state, seats, paused, variations: arranged.lines, ...looking }, view, shown ?? view, isNew);
  }

  take(state, view, shown, isNew) {
    Object.assign(this, { state, view, shown });
    this.store(state);
    this.positions.keep(this.looked, this.person, shown);
    if (isNew) this.layBoard();
    this.show();
  }

  store(state) {
    store(state, { isOver: this.isOver, turns: this.view.turns.length });
  }

  alter(change) {
    return this.become({ ...this.state, ...change });
  }

  async alterSteps(steps, change = {}) {
    await this.alter({ match: { ...this.state.match, steps }, line: null, cursor: null, ...change });
    const { facing, turned } = this.state;
    if (facing && this.isShared && !this.isOver && turned !== Boolean(this.view.player)) await this.alter({ turned: !turned });
  }

  // Begins a match, or goes on with one, from what `newState` takes.
  begin(known) {
    return this.change(() => this.becomeAnother(newState(known)));
  }

  // As `become`, for a match that this tab has not locked yet. Of one with a step that is not legal, the steps before it
  // become a match of their own, and the one that was stored stays as it is.
  async becomeAnother(state) {
    const claimed = await claim(state, state.seats.includes(FRIEND));
    try {
      await this.become(claimed);
      if (claimed.id !== state.id) this.tell("Another tab plays this match, so this is a copy of it. What you play here does not change the other one.");
    } catch (error) {
      if (error.legal === undefined) throw error;
      const match = until(state.match, error.legal);
      keep(state);
      await this.become(await claim({ ...state, match, id: crypto.randomUUID(), line: null, cursor: null, ended: null, paused: true }));
      this.tell(`Step ${error.legal + 1} of this match, ${state.match.steps[error.legal]}, is not legal by the rules of this version. What came before it is a match of its own now, and the whole match stays among the earlier ones.`);
    } finally {
      releaseAllBut(this.state?.id);
    }
  }

  play(step) {
    if (!this.isPlaying) return this.tryOut(step);
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

  // Plays a step as a variation. A bot goes on thinking meanwhile.
  tryOut(step) {
    return this.tryLine([step.text], () => this.animate(step, true));
  }

  // Goes on with some steps from the position shown, as a variation unless the match has them.
  tryLine(more, animate = () => null) {
    this.tell("");
    return this.enqueue(async () => {
      const steps = [...this.looked.steps, ...more];
      const variations = withLine(this.state, steps);
      await animate();
      await this.arrange(variations, steps);
    });
  }

  // Changes the variations, and shows the position after some steps.
  arrange(variations, steps) {
    return this.alter({ variations, ...lookingAt({ ...this.state, variations }, steps) });
  }

  // Deletes the variation that is shown, and shows where it began.
  deleteVariation() {
    return this.enqueue(() => {
      const branch = this.branches[this.branch];
      return this.arrange(withoutBranch(this.state.variations, branch), branch.steps.slice(0, branch.start));
    });
  }

  // Puts the variation that is shown before the one that it leaves. One that leaves the main line becomes the main line of
  // a match of its own between people, since the match that was played stays what it is.
  async promoteVariation() {
    const branch = this.branches[this.branch];
    const { steps } = this.looked;
    if (branch.parent !== null) return this.enqueue(() => this.arrange(withBranchFirst(this.state.variations, branch), steps));
    await this.change(() => {
      const { match, variations, names, seats } = this.state;
      const promoted = { ...match, steps: branch.steps };
      const others = [match.steps, ...variations.filter((line) => line !== branch.steps && line.join() !== branch.steps.join())];
      const state = { ...this.state, match: promoted, variations: others, id: crypto.randomUUID(), ended: null, paused: false };
      const people = { seats: [PERSON, PERSON], names: seats.map((seat, player) => (seat === PERSON ? names[player] : null)) };
      return this.becomeAnother({ ...state, ...people, ...lookingAt({ match: promoted, variations: others }, steps) });
    });
    return this.tell("The variation is the main line of a match of its own now. The match that was played stays among the earlier ones.", "done");
  }

  // Takes back the last turn of a person and all later turns; in a match between bots, the last turn. If people ended
  // the match, takes back only that.
  undo() {
    return this.change(() => {
      if (this.state.ended !== null) {
        this.said = "The end of the match is taken back.";
        return this.alter({ ended: null });
      }
      const { turns } = this.view;
      const starts = turns.map(({ player }, number) => ({ player, at: number ? turns[number - 1].steps : 0 }));
      const mine = starts.filter(({ player }) => this.isWatched || this.isPerson(player));
      const to = (mine.at(-1) ?? starts.at(-1))?.at ?? 0;
      this.said = `Taken back: ${turns.filter(({ steps }) => steps > to).map(({ short }) => short).join(" and ")}.`;
      return this.alterSteps(this.state.match.steps.slice(0, to), { paused: this.isWatched });
    });
  }

  setPlayer(player, spec) {
    return this.change(() => {
      const before = this.state.seats.with(player, spec);
      const seats = before.includes(PERSON) ? before : before.map((seat) => (seat === FRIEND ? PERSON : seat));
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

  // Whether the board turns after each move to who is to move.
  face(facing) {
    return this.change(() => this.alter({ facing, turned: facing ? this.view.player === 1 : this.state.turned }));
  }

  turnBoard() {
    return this.enqueue(() => {
      const turned = !this.state.turned;
      this.said = `The board is turned: ${SIDES[Number(turned)]} is at the bottom.`;
      return this.alter({ turned });
    });
  }

  // Shows the position after this number of steps of a line, by default of the main line. A bot goes on thinking.
  lookAt(count, line = this.state.match.steps) {
    this.tell("");
    return this.enqueue(() => this.look(line.slice(0, count), -1));
  }

  // Shows the end of the previous or next turn of the line that is shown.
  lookOn(direction) {
    this.tell("");
    return this.enqueue(() => {
      const { moments, now } = this;
      const next = direction < 0 ? moments.findLast((steps) => steps < now) : moments.find((steps) => steps > now);
      return next === undefined ? null : this.look((this.state.line ?? this.state.match.steps).slice(0, next), direction);
    });
  }

  // Shows the position after some steps, of a line whose turns are arranged. Others in a direction are fetched for later.
  async look(steps, direction) {
    const state = { ...this.state, ...lookingAt(this.state, steps) };
    const branch = branchAt(this.branches, state.match, steps);
    const match = branch < 0 ? state.match : { ...state.match, steps: this.branches[branch].steps };
    const moments = momentsOf(this.branches, branch, this.view.turns);
    const place = moments.indexOf(steps.length); // elsewhere than in the middle of a turn
    const [known, at] = place < 0 ? [[steps.length], 0] : [moments, place];
    const shown = isLive(state) ? this.view : await this.positions.find(match, this.person, known, at, direction);
    Object.assign(this, { state, shown });
    keepInTab(state);
    this.show();
  }

  // Begins a match of its own from a position, by default the one that is shown, with the same players.
  playOn(count = null) {
    return this.change(() => {
      // The steps that are cut off, and the variations, stay in the stored match with the old id.
      const match = count === null ? this.looked : until(this.state.match, count);
      const begun = { match, variations: [], line: null, cursor: null, ended: null, id: crypto.randomUUID() };
      return this.becomeAnother({ ...this.state, ...begun });
    });
  }

  // Lets the bot play if it is to move. Its answer is dropped if the match has changed meanwhile.
  async askBot() {
    if (this.thinking || this.isStuck || !this.view) return;
    if (this.isOver || !isBot(this.state.seats[this.view.player]) || this.state.paused) return;
    const abort = (this.thinking = new AbortController());
    const { signal } = abort;
    this.busy(true);
    try {
      const id = (this.asked = crypto.randomUUID());
      const asked = { match: { ...this.state.match, person: this.person }, bot: this.state.seats[this.view.player], id };
      const [{ steps, note }] = await Promise.all([this.timed(ask("turn", asked, signal)), this.isWatched && sleep(WATCH_PAUSE_MS)]);
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
    return ask("move-now", { id: this.asked });
  }

  // Who looks at another position goes on looking at it.
  async playBotStep(step, signal) {
    const { isLive } = this;
    if (isLive) await this.animate(step, false);
    if (signal.aborted) return;
    const { match, variations } = this.state;
    const played = { ...match, steps: [...match.steps, step.text] };
    const looking = isLive ? { line: null, cursor: null } : lookingAt({ match: played, variations }, this.looked.steps);
    this.take({ ...this.state, match: played, ...looking }, step.after, isLive ? step.after : this.shown, false);
    if (variations.length > 0) await this.alter({}); // to arrange them beside the new turn
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

const NO_VARIATIONS = { lines: [], branches: [], problems: [] };

// Variations that the server did not arrange are kept.
const unarranged = (variations) => (error) => ({ lines: variations, branches: [], problems: [`The variations cannot be shown: ${error.message}`] });

const personOf = ({ seats: [south, north] }) =>
  (south === PERSON) === (north === PERSON) || [south, north].includes(FRIEND) ? null : Number(north === PERSON);

export const lost = (player, reason) => ({ ended: { result: ["0-1", "1-0"][player], reason }, line: null, cursor: null });

const isLive = ({ line, cursor, match }) => line === null && (cursor === null || cursor === match.steps.length);

export const until = (match, steps) => ({ ...match, steps: match.steps.slice(0, steps) });
