// Exercises on the board: the lessons of a game, and puzzles. An exercise is a position and a line, the turns that solve
// it with the replies between them, each as the texts of its steps. So it is judged here, without a request.

import { ask } from "./server.js";
import { Board, NARROW } from "./board.js";
import { button, fillSelect, made } from "./elements.js";
import { PERSON } from "./play.js";
import { explainRefusal, mayNot, sentences } from "./status_text.js";
import { days, learned, otherMatches, puzzles } from "./storage.js";
import { sleep } from "./tasks.js";
import { EXERCISE, enter, leave, rename } from "./views.js";

export const LESSONS = "lessons";
export const PUZZLES = "puzzles";

const ALL = ""; // in place of a game: one drawn anew for each puzzle
const OWN = "own"; // the puzzles are from the person's matches
const DAY = "day"; // the puzzle of the day, then as ALL
const DAY_MS = 24 * 60 * 60 * 1000;
const FEWEST_IN_A_ROW = 2; // puzzles solved at once that are counted
const PAUSE_MS = 400; // before a step of a reply or of a solution
const TITLES = { [LESSONS]: "Learn", [PUZZLES]: "Puzzles" };
const WORDS = { [LESSONS]: "learn", [PUZZLES]: "puzzle" }; // in addresses
const SOURCES = { natural: "From a match", uniform: "Taken at random from all positions with few pieces" };
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

const idOf = ({ game, position }) => `${game} ${position}`;
const random = (list) => list[Math.floor(Math.random() * list.length)];

// The day here, as a number, and an item of a list that is another one each day.
const today = () => Math.floor((Date.now() - new Date().getTimezoneOffset() * 60_000) / DAY_MS);
const ofDay = (list, day) => list[(Math.imul(day, 2_654_435_761) >>> 8) % list.length];

// The kind, the game and the number that an address names, such as `puzzle/fetaix/17`; null for another one.
export function exerciseIn(address) {
  const found = /^(learn|puzzle)(?:\/([^/]+))?(?:\/(\d+))?$/.exec(address);
  return found && { kind: found[1] === WORDS[LESSONS] ? LESSONS : PUZZLES, game: found[2], number: Number(found[3] ?? 0) };
}

export class Exercises {
  // `page` has the elements by their ids, `match` is what an exercise hides. `onClose` is called when that is back, `onPlay`
  // with a game to play a match of, `onStep` with each step on the board.
  constructor(page, match, { onClose, onPlay, onStep }) {
    Object.assign(this, { page, match, onClose, onStep });
    this.kind = null;
    this.sets = new Map(); // the exercises of a game by kind and game
    this.exercise = null;
    this.steps = []; // played from its position
    this.asked = 0; // the number of the last action, which ends those before it
    this.own = null; // puzzles from the person's matches
    this.daily = null; // the puzzle of the day
    this.remark = () => ""; // what is said beside the next exercise, whose game it is given
    this.board = new Board(page["exercise-board"], {
      onStep: (step) => this.run(() => this.answer(step)),
      onSelect: () => this.say(""),
      onChoice: (steps) => steps.length > 0 && this.say("Which piece do you capture? Choose it on the board."),
      onRefusal: (origin, target) => this.isOpen && this.say(explainRefusal(this.inMatch, origin, target)),
    });
    const actions = {
      "exercise-next": () => this.next(),
      "exercise-retry": () => this.retry(),
      "exercise-pass": () => this.answer(this.view.legal.find((step) => step.path.length === 0)),
      "exercise-solution": () => this.solve(),
      "exercise-own": () => this.choose(OWN),
      "exercise-day": () => this.choose(DAY),
      "exercise-play": () => onPlay(this.exercise.game),
      "exercise-close": () => this.close(),
    };
    for (const [id, action] of Object.entries(actions)) page[id].addEventListener("click", () => this.run(action));
    page["exercise-game"].addEventListener("change", () => this.run(() => this.choose(page["exercise-game"].value)));
    page["exercise-hint"].addEventListener("click", () => this.hint());
    NARROW.addEventListener("change", () => this.exercise && this.lay());
  }

  // Runs an action and says its error.
  async run(action) {
    const asked = (this.asked += 1);
    this.busy(true);
    try {
      await action();
    } catch (error) {
      if (asked === this.asked) this.say(error.message, "wrong");
    }
    if (asked === this.asked) this.busy(false);
  }

  // What a promise brings. If another action was begun meanwhile, this one ends here.
  async wait(promise) {
    const { asked } = this;
    const found = await promise;
    if (asked !== this.asked) throw new Error("another action was begun");
    return found;
  }

  busy(isBusy) {
    this.page["exercise-field"].setAttribute("aria-busy", isBusy);
  }

  say(text, kind = "") {
    this.page["exercise-status"].textContent = text;
    this.page["exercise-status"].className = kind;
  }

  get isShown() {
    return !this.page.exercise.hidden;
  }

  // Opens lessons or puzzles. `game` is that of the match, whose exercises come first. An address that leads here names the
  // exercise, see `exerciseIn`.
  async open(kind, catalogue, game, linked = null) {
    const { page } = this;
    const { games, puzzles: known } = this.known = catalogue;
    if (!this.isShown && !linked) enter(EXERCISE, `#${WORDS[kind]}`);
    this.kind = kind;
    page["exercise-play"].textContent = `Play a match on ${catalogue.level_names[catalogue.opponent]}`;
    this.match.hidden = true;
    page.exercise.hidden = false;
    page["exercise-title"].textContent = TITLES[kind];
    page["exercise-title"].focus();
    for (const each of [LESSONS, PUZZLES]) page[`open-${each}`].ariaCurrent = each === kind ? "page" : null;
    await this.run(async () => {
      this.titles = new Map(games.map(({ id, title }) => [id, title]));
      const offered = [...this.titles].filter(([id]) => kind === LESSONS || known.includes(id));
      fillSelect(page["exercise-game"], kind === LESSONS ? offered : [[ALL, "All games"], ...offered], game);
      page["exercise-own"].hidden = page["exercise-day"].hidden = kind === LESSONS;
      if (linked?.game === DAY && kind === PUZZLES) return this.choose(DAY);
      const wanted = linked?.game ?? game;
      if (offered.some(([id]) => id === wanted)) return this.choose(wanted, linked?.number);
      const title = this.titles.get(wanted);
      const why = title ? `There are no puzzles of ${title}.` : `This page has no game ${JSON.stringify(wanted)}.`;
      this.remark = (shown) => `${why} This one is of ${shown}.`;
      return this.choose(page["exercise-game"].value);
    });
  }

  close() {
    leave(EXERCISE, `#${this.address}`);
    this.hide();
  }

  hide() {
    this.asked += 1;
    this.busy(false);
    this.exercise = null;
    this.board.host.replaceChildren();
    this.page.exercise.hidden = true;
    this.match.hidden = false;
    for (const kind of [LESSONS, PUZZLES]) this.page[`open-${kind}`].ariaCurrent = null;
    this.onClose();
  }

  // Chooses a game, all games, the puzzle of the day, or the person's own matches; a number names one of the exercises of a
  // game, 0 none.
  async choose(game, number = 0) {
    this.page["exercise-title"].scrollIntoView({ block: "nearest" });
    this.game = game === DAY ? ALL : game;
    this.exercise = null;
    if (game === OWN) this.own = await this.findOwn();
    else this.page["exercise-game"].value = this.game;
    if (game === DAY) this.daily = await this.findDaily();
    const list = number > 0 ? await this.load(game) : [];
    if (game === DAY) return this.begin(this.daily);
    if (!number) return this.next();
    const named = list[number - 1];
    if (!named) this.remark = (title) => `${title} has ${list.length} ${this.kind}, and no number ${number}.`;
    return named ? this.begin(named) : this.next();
  }

  async findDaily() {
    const day = today();
    return ofDay(await this.load(ofDay(this.known.puzzles, day)), day * 31);
  }

  // The part of the address after `#`.
  get address() {
    const list = this.exercise && this.sets.get(`${this.kind} ${this.exercise.game}`);
    const place = list ? list.indexOf(this.exercise) : -1;
    return place < 0 ? WORDS[this.kind] : `${WORDS[this.kind]}/${this.exercise.game}/${place + 1}`;
  }

  async load(game) {
    const key = `${this.kind} ${game}`;
    if (!this.sets.has(key)) {
      const { exercises } = await this.wait(ask(this.kind, { game }));
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
      const answer = await this.wait(ask("missed", { match, players }).catch(() => ({ known: false, exercises: [] })));
      known += answer.known;
      const { game, options } = match;
      found.push(...answer.exercises.map((exercise) => ({ ...exercise, game, options })));
    }
    const unknown = `There is no endgame table here for your kept matches. ${this.tableHelp}`;
    this.none = matches.length === 0 ? "This browser keeps no match of yours." : known ? `In none of your ${known} kept matches that a table knows did you miss the only move that wins.` : unknown;
    return found;
  }

  get tableHelp() {
    if (this.known.tables === null) return "Analysis names the command that builds one: open such a match and go to its end.";
    const known = this.known.tables.map((id) => this.titles.get(id));
    return `This page has tables of ${known.join(", ")}: play one of these to the end, with a network.`;
  }

  // Goes on to the next exercise: of lessons the first that is not done, of puzzles one near the person's rating.
  async next() {
    const list = this.game === OWN ? this.own : await this.load(this.game === ALL ? random(this.known.puzzles) : this.game);
    if (list.length === 0) return this.showNone();
    await this.begin(this.kind === LESSONS ? this.nextLesson(list) : this.nextPuzzle(list));
  }

  nextLesson(list) {
    const at = list.indexOf(this.exercise) + 1;
    const order = [...list.slice(at), ...list.slice(0, at)];
    return order.find((lesson) => !this.isLearned(lesson)) ?? order[0];
  }

  isLearned({ game, theme, position }) {
    return Boolean(learned.value[game]?.includes(`${theme} ${position}`));
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
    return { rating: this.known.elo.first, tried: {}, ...puzzles.value };
  }

  showNone() {
    this.board.host.replaceChildren();
    this.page["exercise-task"].textContent = "";
    this.page["exercise-title"].textContent = TITLES[PUZZLES];
    this.page["exercise-actions"].hidden = this.page["exercise-about"].hidden = true;
    this.say(this.none);
  }

  async begin(exercise) {
    const player = Number(exercise.position.startsWith("B"));
    const { game, options, position, line } = exercise;
    const [parts, view, rules] = await this.wait(Promise.all([
      ask("board", { game, options, turned: player === 1 }),
      ask("match", { game, options, start: position, steps: [], person: player }),
      ask("rules", { game, options }),
    ]));
    Object.assign(this, { exercise, player, parts, view, rules, steps: [], line: line.flat(), isOpen: true, isClean: true, change: "" });
    this.given = sentences(exercise.task, view.note, ...view.forbidden.map(([from, to]) => `${mayNot(this.inMatch, from)} ${to}.`));
    this.begins = []; // for each step of the line the number of steps before its turn
    for (const turn of line) this.begins.push(...Array(turn.length).fill(this.begins.length));
    rename(`#${this.address}`);
    this.say(this.remark(this.titles.get(game)));
    this.remark = () => "";
    this.page["exercise-retry"].hidden = true;
    this.page["exercise-actions"].hidden = this.page["exercise-about"].hidden = false;
    this.describe();
    this.lay();
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
    page["exercise-next"].textContent = this.isOpen && this.kind === PUZZLES ? "Skip" : "Next";
    page["exercise-play"].hidden = this.isOpen || !page["exercise-retry"].hidden || !this.isLearnedWhole;
    page["exercise-next"].classList.toggle("main", !this.isOpen && page["exercise-retry"].hidden && page["exercise-play"].hidden);
    page["exercise-hint"].hidden = page["exercise-solution"].hidden = !isAsked;
  }

  // Whether all lessons of the game are done.
  get isLearnedWhole() {
    return this.kind === LESSONS && this.sets.get(`${LESSONS} ${this.game}`).every((lesson) => this.isLearned(lesson));
  }

  get isSolved() {
    return this.steps.length === this.line.length;
  }

  get matchNow() {
    const { game, options, position } = this.exercise;
    return { game, options, start: position, steps: this.steps, person: this.player };
  }

  // The exercise as `explainRefusal` takes a match.
  get inMatch() {
    return { shown: this.view, rules: this.rules, own: this.player, person: this.player, me: null, mayMove: true };
  }

  // The next step of the line.
  get due() {
    return this.view.legal.find(({ text }) => text === this.line[this.steps.length]);
  }

  // Plays a step on the board.
  async play(step, brisk = false) {
    await this.wait(this.board.animate(step, brisk));
    this.onStep(step);
    const steps = [...this.steps, step.text];
    const view = await this.wait(ask("match", { ...this.matchNow, steps }));
    Object.assign(this, { steps, view });
  }

  // The person plays a step: the right one is answered by the reply, another one refuted.
  async answer(step) {
    const isRight = step.text === this.line[this.steps.length];
    await this.play(step, true);
    await (isRight ? this.goOn() : this.refute());
  }

  async goOn() {
    this.show();
    if (this.isSolved) return this.end(true);
    if (this.view.player === this.player) return this.say("Right. Go on with this turn.", "right");
    this.say("Right.", "right");
    await this.follow(() => this.view.player === this.player);
    this.say(`Right. The bot plays ${this.view.turns.at(-1).short}. Find the only move again.`, "right");
  }

  // Plays the line until something holds.
  async follow(isEnough) {
    while (!isEnough()) {
      await this.wait(sleep(PAUSE_MS));
      await this.play(this.due);
      this.show();
    }
  }

  async refute() {
    this.isOpen = false;
    this.rate(false);
    const since = this.begins[this.steps.length - 1];
    this.page["exercise-retry"].hidden = false;
    this.show();
    this.page["exercise-retry"].focus();
    if (this.kind === LESSONS) return this.say("That is a legal move, but not what is asked for. Try again.", "wrong");
    const { sentence, reply } = await this.wait(ask("refute", { match: this.matchNow, since }).catch(() => ({ sentence: `${this.steps.at(-1)} does not win.`, reply: [] })));
    this.say(`Wrong: ${sentence} Try again.`, "wrong");
    const answer = this.view.legal.find(({ text }) => text === reply[0]);
    if (answer) this.board.point([answer.path].filter((path) => path.length > 1));
  }

  async retry() {
    const steps = this.steps.slice(0, this.begins[this.steps.length - 1]);
    const view = await this.wait(ask("match", { ...this.matchNow, steps }));
    Object.assign(this, { steps, view, isOpen: true });
    this.page["exercise-retry"].hidden = true;
    this.say("");
    this.show();
    this.board.focus(this.board.current);
  }

  hint() {
    this.rate(false);
    const step = this.due;
    if (step.path.length === 0) return this.say("End the turn here.");
    this.board.point([step.path.slice(0, 1)]);
    return this.say(step.origin ? `The piece on ${step.origin} moves.` : `It is about ${step.target ?? step.captured[0]}.`);
  }

  // Plays the rest of the line.
  async solve() {
    this.rate(false);
    this.isOpen = false;
    this.show();
    await this.follow(() => this.isSolved);
    this.end(false);
  }

  end(isOwn) {
    this.isOpen = false;
    const turns = this.view.turns.map(({ short }) => short).join(", ");
    if (this.kind === LESSONS) this.learn();
    else if (isOwn) this.rate(true);
    if (isOwn && this.exercise === this.daily) this.countDay();
    this.show();
    const known = this.isLearnedWhole ? ` You know ${this.titles.get(this.game)} now.` : "";
    const praise = this.kind === LESSONS ? "Right." : `Solved: ${turns}.`;
    this.say(`${isOwn ? praise : `The solution: ${turns}.`}${known}`, isOwn ? "right" : "");
    this.describe();
    this.page[known ? "exercise-play" : "exercise-next"].focus();
  }

  // Counts the days in a row whose puzzle was solved.
  countDay() {
    const { day, row = 0 } = days.value;
    if (day !== today()) days.value = { day: today(), row: day === today() - 1 ? row + 1 : 1 };
  }

  // Rates the person by the first result of a puzzle.
  rate(isSolved) {
    const { exercise, person } = this;
    if (this.kind !== PUZZLES || !this.isClean) return;
    this.isClean = false;
    if (exercise.rating !== undefined && !(idOf(exercise) in person.tried)) {
      const { scale, gain } = this.known.elo;
      const won = gain * (isSolved - 1 / (1 + 10 ** ((exercise.rating - person.rating) / scale)));
      puzzles.value = { rating: person.rating + won, tried: { ...person.tried, [idOf(exercise)]: isSolved } };
      this.change = ` (${won < 0 ? "−" : "+"}${Math.abs(Math.round(won))})`;
    }
    this.describe();
  }

  // Notes that a lesson is done, by its solution too.
  learn() {
    const { game, theme, position } = this.exercise;
    const done = new Set(learned.value[game]).add(`${theme} ${position}`);
    learned.value = { ...learned.value, [game]: [...done] };
  }

  // Shows the task and the facts of the exercise, and its place in the list.
  describe() {
    const { page, exercise, kind } = this;
    page["exercise-task"].replaceChildren(made("span", { className: `side side-${this.player}` }, this.given));
    const title = this.titles.get(exercise.game) ?? exercise.game;
    page["exercise-aim"].textContent = this.rules.aims[this.player];
    const puzzle = exercise === this.daily ? "Puzzle of the day" : "Puzzle";
    page["exercise-title"].textContent = `${kind === LESSONS ? "Learn" : puzzle}: ${title}`;
    page["exercise-facts-title"].textContent = kind === LESSONS ? "Five lessons" : "This puzzle";
    page["exercise-rating"].textContent = kind === LESSONS ? "" : `Your rating: ${Math.round(this.person.rating)}${this.change}${this.row}`;
    page["exercise-facts"].replaceChildren(...this.facts().map((text) => made("li", {}, text)));
    page["exercise-list"].replaceChildren(...(kind === LESSONS ? this.lessonButtons() : []));
  }

  // The puzzles solved at once since one was not, in words.
  get row() {
    const tried = Object.values(this.person.tried);
    const count = tried.length - 1 - tried.lastIndexOf(false);
    return count < FEWEST_IN_A_ROW ? "" : `, ${count} solved in a row`;
  }

  dayFacts() {
    const { day, row } = days.value;
    if (this.exercise !== this.daily || !(day >= today() - 1)) return [];
    return [`${day === today() ? "Solved today. " : ""}Days in a row: ${row}`];
  }

  facts() {
    const { exercise } = this;
    if (this.kind === LESSONS) return [];
    if (exercise.rating === undefined) return [`Move ${exercise.number} of a match of yours, in which you missed the only win`];
    const tries = `missed by ${exercise.missed} of 5 bots`;
    const known = idOf(exercise) in this.person.tried && this.isClean ? ["You have tried it before"] : [];
    const shown = this.isClean ? [] : [`It shows: ${exercise.tags.map((tag) => TAGS[tag] ?? tag).join(", ")}`];
    return [...this.dayFacts(), `Rating ${exercise.rating}: ${tries}`, `Won in ${exercise.distance} turns, those of both sides counted`, SOURCES[exercise.source], ...known, ...shown];
  }

  lessonButtons() {
    return this.sets.get(`${LESSONS} ${this.game}`).map((lesson) => {
      const begin = () => this.run(async () => {
        await this.begin(lesson);
        this.board.focus(this.board.current); // this list is made anew
      });
      const entry = button(lesson.theme[0].toUpperCase() + lesson.theme.slice(1), begin, lesson === this.exercise ? { ariaCurrent: "step" } : {});
      if (this.isLearned(lesson)) entry.append(" ", made("span", { ariaLabel: "done", role: "img" }, "✓"));
      return made("li", {}, entry);
    });
  }
}
