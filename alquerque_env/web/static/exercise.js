// Exercises on the board: the lessons of a game, and puzzles. An exercise is a position and a line, the turns that solve
// it with the replies between them, each as the texts of its steps. So it is judged here, without a request.

import { ask } from "./server.js";
import { Board, NARROW } from "./board.js";
import { PERSON } from "./play.js";
import { keepLearned, keepPuzzles, keptLearned, keptPuzzles, otherMatches } from "./storage.js";

export const LESSONS = "lessons";
export const PUZZLES = "puzzles";

const ALL = ""; // in place of a game: one drawn anew for each puzzle
const OWN = "own"; // the puzzles are from the person's matches
const REPLY_MS = 350; // before the opponent replies
const STEP_MS = 500; // between the steps of a solution
const TITLES = { [LESSONS]: "Learn", [PUZZLES]: "Puzzles" };
const SOURCES = { natural: "From a match", uniform: "Drawn from all positions with few pieces" };
const TAGS = {
  quiet: "a quiet move",
  capture: "a capture",
  chain: "a chain",
  sacrifice: "a sacrifice",
  promotion: "a promotion",
  captured: "the last capture",
  blocked: "a win by blocking",
  goal: "the goal",
};

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const idOf = ({ game, position }) => `${game} ${position}`;
const random = (list) => list[Math.floor(Math.random() * list.length)];

function entry(text, kind = "li") {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

export class Exercises {
  // `page` has the elements by their ids, `match` is what an exercise hides, and `onClose` is called when that is back.
  constructor(page, match, onClose) {
    Object.assign(this, { page, match, onClose });
    this.kind = null;
    this.sets = new Map(); // the exercises of a game by kind and game
    this.exercise = null;
    this.steps = []; // played from its position
    this.asked = 0; // the number of the last change: an answer that comes after another change is dropped
    this.own = null; // puzzles from the person's matches
    this.board = new Board(page["exercise-board"], {
      onStep: (step) => this.answer(step),
      onSelect: () => this.say(""),
      onChoice: (steps) => steps.length > 0 && this.say("Which piece do you capture? Choose it on the board."),
      onRefusal: (origin, target) => this.say(this.refusal(origin, target)),
    });
    const actions = {
      "exercise-next": () => this.next(),
      "exercise-retry": () => this.retry(),
      "exercise-pass": () => this.answer(this.view.legal.find((step) => step.path.length === 0)),
      "exercise-hint": () => this.hint(),
      "exercise-solution": () => this.solve(),
      "exercise-own": () => this.choose(OWN),
      "exercise-close": () => this.close(),
    };
    for (const [id, action] of Object.entries(actions)) page[id].addEventListener("click", () => this.run(action));
    page["exercise-game"].addEventListener("change", () => this.run(() => this.choose(page["exercise-game"].value)));
    NARROW.addEventListener("change", () => this.exercise && !page.exercise.hidden && this.lay());
  }

  // Runs an action and says its error.
  async run(action) {
    try {
      await action();
    } catch (error) {
      this.busy(false);
      this.say(error.message, "wrong");
    }
  }

  busy(isBusy) {
    this.page["exercise-field"].setAttribute("aria-busy", isBusy);
  }

  say(text, kind = "") {
    this.page["exercise-status"].textContent = text;
    this.page["exercise-status"].className = kind;
  }

  async open(kind, catalogue, game) {
    const { page } = this;
    const { games } = this.known = catalogue;
    this.kind = kind;
    this.match.hidden = true;
    page.exercise.hidden = false;
    page["exercise-title"].textContent = TITLES[kind];
    page["exercise-title"].focus();
    for (const id of ["open-lessons", "open-puzzles"]) page[id].removeAttribute("aria-current");
    page[`open-${kind}`].setAttribute("aria-current", "page");
    page["exercise-own"].hidden = true; // until this has come through, or it would take the place of what is chosen there
    await this.run(async () => {
      this.titles = new Map(games.map(({ id, title }) => [id, title]));
      const offered = games.filter(({ id }) => kind === LESSONS || this.known.puzzles.includes(id));
      const options = offered.map(({ id, title }) => new Option(title, id));
      if (kind === PUZZLES) options.unshift(new Option("All games", ALL));
      page["exercise-game"].replaceChildren(...options);
      page["exercise-own"].hidden = kind === LESSONS;
      await this.choose(offered.some(({ id }) => id === game) ? game : options[0].value);
    });
  }

  close() {
    this.asked += 1;
    this.exercise = null;
    this.board.host.replaceChildren();
    this.page.exercise.hidden = true;
    this.match.hidden = false;
    for (const kind of [LESSONS, PUZZLES]) this.page[`open-${kind}`].removeAttribute("aria-current");
    this.onClose();
  }

  // Chooses a game, all games, or the person's own matches.
  async choose(game) {
    this.game = game;
    this.exercise = null;
    if (game === OWN) this.own = await this.findOwn();
    else this.page["exercise-game"].value = game;
    await this.next();
  }

  async load(game) {
    const key = `${this.kind} ${game}`;
    if (!this.sets.has(key)) {
      const { exercises } = await ask(this.kind, { game });
      this.sets.set(key, exercises.map((exercise) => ({ ...exercise, game, options: {} })));
    }
    return this.sets.get(key);
  }

  // The puzzles from the matches that this browser keeps.
  async findOwn() {
    const matches = otherMatches(null).filter(({ match, seats }) => match.steps.length > 0 && seats.includes(PERSON));
    const found = [];
    let known = 0;
    for (const [number, { match, seats }] of matches.entries()) {
      this.say(`Looking through match ${number + 1} of ${matches.length} …`);
      const players = [0, 1].filter((player) => seats[player] === PERSON);
      // A match that cannot be read, such as one of a file that is not offered any more, is left out.
      const answer = await ask("missed", { match, players }).catch(() => ({ known: false, exercises: [] }));
      known += answer.known;
      const { game, options } = match;
      found.push(...answer.exercises.map((exercise) => ({ ...exercise, game, options })));
    }
    const unknown = `There is no endgame table here for your kept matches. ${this.tableHelp}`;
    this.none = matches.length === 0 ? "This browser keeps no match of yours." : known ? `You have missed no only win in the ${known} kept matches that a table knows.` : unknown;
    return found;
  }

  get tableHelp() {
    if (this.known.tables === null) return "Analysis names the command that builds one: open such a match and go to its end.";
    const known = this.known.tables.map((id) => this.titles.get(id));
    return `This page has tables of ${known.join(", ")}: play one of these to the end, with a network.`;
  }

  // Goes on to the next exercise: of lessons the first that is not done, of puzzles one near the person's rating.
  async next() {
    const now = (this.asked += 1);
    const list = this.game === OWN ? this.own : await this.load(this.game === ALL ? random(this.known.puzzles) : this.game);
    if (now !== this.asked) return;
    if (list.length === 0) return this.showNone();
    await this.begin(this.kind === LESSONS ? this.nextLesson(list) : this.nextPuzzle(list));
  }

  nextLesson(list) {
    const at = list.indexOf(this.exercise);
    const learned = keptLearned()[this.game] ?? [];
    if (at >= 0) return list[(at + 1) % list.length];
    return list.find(({ theme, position }) => !learned.includes(`${theme} ${position}`)) ?? list[0];
  }

  nextPuzzle(list) {
    const { rating, tried } = this.person;
    const others = list.filter((each) => each !== this.exercise);
    const fresh = others.filter((each) => !(idOf(each) in tried) && !this.skipped?.has(each));
    (this.skipped ??= new Set()).add(this.exercise);
    if (fresh.length === 0 || this.game === OWN) return list[(list.indexOf(this.exercise) + 1) % list.length];
    return fresh.reduce((best, each) => (Math.abs(each.rating - rating) < Math.abs(best.rating - rating) ? each : best));
  }

  get person() {
    return { rating: this.known.elo.first, tried: {}, ...keptPuzzles() };
  }

  showNone() {
    this.board.host.replaceChildren();
    this.page["exercise-task"].textContent = "";
    this.page["exercise-facts-title"].hidden = true;
    this.page["exercise-title"].textContent = TITLES[PUZZLES];
    this.page["exercise-facts"].replaceChildren();
    this.page["exercise-rating"].textContent = "";
    this.page["exercise-list"].replaceChildren();
    for (const name of ["next", "hint", "solution", "retry", "pass"]) this.page[`exercise-${name}`].hidden = true;
    this.say(this.none);
  }

  async begin(exercise) {
    const now = (this.asked += 1);
    this.busy(true);
    const player = Number(exercise.position.startsWith("B"));
    const { game, options, position, line } = exercise;
    const [parts, view] = await Promise.all([
      ask("board", { game, options, turned: player === 1 }),
      ask("match", { game, options, start: position, steps: [], person: player }),
    ]);
    if (now !== this.asked) return;
    Object.assign(this, { exercise, player, parts, view, steps: [], line: line.flat(), isOpen: true, isClean: true, change: "" });
    this.begins = []; // for each step of the line the number of steps before its turn
    for (const turn of line) this.begins.push(...Array(turn.length).fill(this.begins.length));
    this.say("");
    this.page["exercise-retry"].hidden = true;
    this.page["exercise-facts-title"].hidden = false;
    this.describe();
    this.lay();
    this.busy(false);
  }

  lay() {
    this.board.lay(this.parts, this.player === 1);
    this.show();
  }

  show() {
    const { page, view } = this;
    const isAsked = this.isOpen && view.player === this.player;
    this.board.show(view, isAsked);
    page["exercise-pass"].hidden = !(isAsked && view.legal.some((step) => step.path.length === 0));
    page["exercise-next"].hidden = false;
    page["exercise-next"].textContent = this.isOpen && this.kind === PUZZLES ? "Skip" : "Next";
    page["exercise-next"].classList.toggle("main", !this.isOpen && page["exercise-retry"].hidden);
    page["exercise-hint"].hidden = page["exercise-solution"].hidden = !isAsked;
  }

  get isSolved() {
    return this.steps.length === this.line.length;
  }

  get matchNow() {
    const { game, options, position } = this.exercise;
    return { game, options, start: position, steps: this.steps, person: this.player };
  }

  // Plays a step on the board; false if another change came meanwhile.
  async play(step, now, brisk = false) {
    await this.board.animate(step, brisk);
    if (now !== this.asked) return false;
    this.steps = [...this.steps, step.text];
    const view = await ask("match", this.matchNow);
    if (now !== this.asked) return false;
    this.view = view;
    return true;
  }

  // The person plays a step: the right one is answered by the reply, another one refuted.
  answer(step) {
    return this.run(async () => {
      if (!this.isOpen) return;
      const now = (this.asked += 1);
      const isRight = step.text === this.line[this.steps.length];
      this.busy(true);
      if (await this.play(step, now, true)) {
        if (!isRight) await this.refute(now);
        else await this.goOn(now);
      }
      if (now === this.asked) this.busy(false);
    });
  }

  async goOn(now) {
    this.show();
    if (this.isSolved) return this.end(true);
    if (this.view.player === this.player) return this.say("Right. Go on with this turn.", "right");
    this.say("Right.", "right");
    const reply = await this.reply(now);
    if (reply === null) return;
    this.show();
    this.say(`Right. The bot plays ${reply}. Find the only move again.`, "right");
  }

  // Plays the opponent's turn of the line; returns it as text, null if another change came meanwhile.
  async reply(now) {
    await sleep(REPLY_MS);
    while (!this.isSolved && this.view.player !== this.player) {
      const step = this.view.legal.find(({ text }) => text === this.line[this.steps.length]);
      if (now !== this.asked || !(await this.play(step, now))) return null;
    }
    return this.view.turns.at(-1).short;
  }

  async refute(now) {
    this.isOpen = false;
    this.rate(false);
    const since = this.begins[this.steps.length - 1];
    this.page["exercise-retry"].hidden = false;
    this.show();
    this.page["exercise-retry"].focus();
    if (this.kind === LESSONS) return this.say("That is a legal move, but not what is asked for. Try again.", "wrong");
    const { sentence, reply } = await ask("refute", { match: this.matchNow, since }).catch(() => ({ sentence: `${this.steps.at(-1)} does not win.`, reply: [] }));
    if (now !== this.asked) return;
    this.say(`Wrong: ${sentence} Try again.`, "wrong");
    const answer = this.view.legal.find(({ text }) => text === reply[0]);
    if (answer) this.board.point([answer.path].filter((path) => path.length > 1));
  }

  async retry() {
    const now = (this.asked += 1);
    const steps = this.steps.slice(0, this.begins[this.steps.length - 1]);
    const view = await ask("match", { ...this.matchNow, steps });
    if (now !== this.asked) return;
    Object.assign(this, { steps, view, isOpen: true });
    this.page["exercise-retry"].hidden = true;
    this.say("");
    this.show();
    this.board.focus(this.board.current);
  }

  hint() {
    this.rate(false);
    const step = this.view.legal.find(({ text }) => text === this.line[this.steps.length]);
    if (step.path.length === 0) return this.say("End the turn here.");
    this.board.point([step.path.slice(0, 1)]);
    return this.say(step.origin ? `The piece on ${step.origin} moves.` : `It is about ${step.target ?? step.captured[0]}.`);
  }

  // Plays the rest of the line.
  async solve() {
    const now = (this.asked += 1);
    this.rate(false);
    this.isOpen = false;
    this.busy(true);
    this.show();
    while (!this.isSolved) {
      const step = this.view.legal.find(({ text }) => text === this.line[this.steps.length]);
      if (!(await this.play(step, now))) return;
      this.show();
      await sleep(STEP_MS);
      if (now !== this.asked) return;
    }
    this.busy(false);
    this.end(false);
  }

  end(isOwn) {
    this.isOpen = false;
    this.show();
    const turns = this.view.turns.map(({ short }) => short).join(", ");
    if (this.kind === LESSONS && isOwn) this.learn();
    else if (isOwn) this.rate(true);
    const isLast = this.kind === LESSONS && this.sets.get(`${LESSONS} ${this.game}`).at(-1) === this.exercise;
    const praise = isLast ? `Right. That was the last lesson of ${this.titles.get(this.game)}.` : "Right.";
    this.say(!isOwn ? `The solution: ${turns}.` : this.kind === LESSONS ? praise : `Solved: ${turns}.`, isOwn ? "right" : "");
    this.describe();
    this.page["exercise-next"].focus();
  }

  // Rates the person by the first result of a puzzle.
  rate(isSolved) {
    const { exercise, person } = this;
    if (this.kind !== PUZZLES || !this.isClean) return;
    this.isClean = false;
    if (exercise.rating !== undefined && !(idOf(exercise) in person.tried)) {
      const { scale, gain } = this.known.elo;
      const won = gain * (isSolved - 1 / (1 + 10 ** ((exercise.rating - person.rating) / scale)));
      keepPuzzles({ rating: person.rating + won, tried: { ...person.tried, [idOf(exercise)]: isSolved } });
      this.change = ` (${won < 0 ? "−" : "+"}${Math.abs(Math.round(won))})`;
    }
    this.describe();
  }

  learn() {
    const learned = keptLearned();
    const { theme, position } = this.exercise;
    const done = new Set(learned[this.game]).add(`${theme} ${position}`);
    keepLearned({ ...learned, [this.game]: [...done] });
  }

  // Shows the task and the facts of the exercise, and its place in the list.
  describe() {
    const { page, exercise, kind } = this;
    const disc = entry(exercise.task, "span");
    disc.className = `side side-${this.player}`;
    page["exercise-task"].replaceChildren(disc);
    const title = this.titles.get(exercise.game) ?? exercise.game;
    page["exercise-title"].textContent = kind === LESSONS ? `Learn: ${title}` : `Puzzle: ${title}`;
    page["exercise-facts-title"].textContent = kind === LESSONS ? "Five lessons" : "This puzzle";
    page["exercise-rating"].textContent = kind === LESSONS ? "" : `Your rating: ${Math.round(this.person.rating)}${this.change}`;
    page["exercise-facts"].replaceChildren(...this.facts().map((text) => entry(text)));
    page["exercise-list"].replaceChildren(...(kind === LESSONS ? this.lessonButtons() : []));
  }

  facts() {
    const { exercise } = this;
    if (this.kind === LESSONS) return [];
    if (exercise.rating === undefined) return [`Move ${exercise.number} of a match of yours, in which you missed the only win`];
    const tries = `missed by ${exercise.missed} of 5 bots`;
    const known = idOf(exercise) in this.person.tried && this.isClean ? ["You have tried it before"] : [];
    const shown = this.isClean ? [] : [`It shows: ${exercise.tags.map((tag) => TAGS[tag] ?? tag).join(", ")}`];
    return [`Rating ${exercise.rating}: ${tries}`, `Won in ${exercise.distance} turns, those of both sides counted`, SOURCES[exercise.source], ...known, ...shown];
  }

  lessonButtons() {
    const learned = keptLearned()[this.game] ?? [];
    return this.sets.get(`${LESSONS} ${this.game}`).map((lesson) => {
      const button = entry(lesson.theme[0].toUpperCase() + lesson.theme.slice(1), "button");
      button.type = "button";
      const isDone = learned.includes(`${lesson.theme} ${lesson.position}`);
      if (isDone) button.append(" ", Object.assign(entry("✓", "span"), { ariaLabel: "done", role: "img" }));
      if (lesson === this.exercise) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => this.run(() => this.begin(lesson)));
      const item = document.createElement("li");
      item.append(button);
      return item;
    });
  }

  refusal(origin, target) {
    const { view, player } = this;
    if (!this.isOpen) return this.page["exercise-status"].textContent;
    const owner = view.pieces[origin]?.[0];
    if (owner === undefined) return `There is no piece on ${origin}.`;
    if (owner !== player) return `The piece on ${origin} is the bot's.`;
    const isForced = view.legal.every((step) => step.captured.length > 0 || step.path.length === 0);
    const why = isForced ? " A capture is compulsory." : "";
    return target ? `The piece on ${origin} cannot go to ${target}.${why}` : `The piece on ${origin} cannot move now.${why}`;
  }
}
