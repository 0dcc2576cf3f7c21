// The dialog for a new match: game, opponent and side; behind these the options with their sources, a start position and
// earlier matches.

import { button, fillSelect, made } from "./elements.js";
import { ask } from "./server.js";
import { GameCards } from "./game_cards.js";
import { FRIEND, PERSON } from "./play.js";
import { personName } from "./players.js";
import { otherMatches } from "./storage.js";
import { telling } from "./tasks.js";
import { openDialog } from "./views.js";

const WATCH = ""; // instead of an opponent: two bots
const MEDIUM = 3; // among the levels
const PEOPLE = {
  [PERSON]: "Two people take turns at this screen.",
  [FRIEND]: "After each of your moves you send a link. It holds the whole match, and your friend answers by another one.",
};

export class NewGameDialog {
  // `onBegin` is called with what `newState` takes of the match to play, and `onOpen` after a checkpoint was opened.
  constructor(page, { games, checkpoints, level_names: levelNames }, onBegin, onOpen) {
    this.page = page;
    this.games = games;
    this.levelNames = levelNames;
    this.onBegin = onBegin;
    this.onOpen = onOpen;
    this.rules = null; // of the chosen game, as the server has them
    this.levels = [];
    this.wanted = []; // the chosen players, even if they cannot play with the chosen options
    this.asked = 0;
    this.checked = null; // resolves when the players for the chosen options are known
    this.cards = new GameCards(page, games, () => this.choose());
    page.begin.form.addEventListener("submit", (event) => {
      if (event.submitter?.value === "cancel") return;
      event.preventDefault();
      this.begin();
    });
    page.defaults.addEventListener("click", () => this.choose());
    page.options.addEventListener("change", ({ target }) => this.check(target));
    page.checkpoint.hidden = checkpoints.length === 0;
    page["checkpoint-about"].textContent = `A folder below ${checkpoints.join(" or ")}, such as run-1/checkpoints/final.`;
    page.checkpoint.addEventListener("toggle", () => this.listCheckpoints());
    const tell = (problem) => (page["checkpoint-problem"].textContent = problem);
    page["open-checkpoint"].addEventListener("click", () => telling(tell, () => this.openCheckpoint()));
    page.folder.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // which would begin the match
      page["open-checkpoint"].click();
    });
    page.opponents.addEventListener("change", ({ target }) => this.chooseOpponent(target.value));
    page["side-chips"].addEventListener("change", ({ target }) => this.chooseSide(Number(target.value)));
    for (const seat of [page.south, page.north]) seat.addEventListener("change", () => this.chooseWatched());
  }

  get game() {
    return this.games.find((game) => game.id === this.cards.value);
  }

  open(state) {
    const { page } = this;
    this.cards.choose(state.match.game);
    this.wanted = [...state.seats];
    this.choose(state.match.options);
    page.start.value = "";
    page.differing.open = Object.keys(state.match.options).length > 0;
    this.listEarlier(state.id);
    openDialog(page.setup);
    this.cards.reveal();
  }

  // Takes the chosen card; `options` are those to begin with.
  choose(options = {}) {
    this.rules = null;
    this.page["game-about"].textContent = this.game.about;
    this.checked = this.inquire(options);
  }

  // Takes the chosen options. `changed` is the field that was changed last.
  check(changed = null) {
    this.changed = changed;
    this.forgetProblem();
    if (this.page.begin.form.checkValidity()) this.checked = this.inquire(this.options());
    return this.checked;
  }

  // Asks which bots can play with some options, or why the options contradict each other. Marks the players as busy
  // meanwhile.
  async inquire(options) {
    const { page, game } = this;
    const asked = (this.asked += 1);
    page.opponents.setAttribute("aria-busy", true);
    this.forgetProblem();
    const found = await ask("rules", { game: game.id, options }).catch((error) => ({ error }));
    if (asked !== this.asked) return;
    if (found.error) this.showProblem(found.error);
    else this.showChosen(found, options);
    page.opponents.setAttribute("aria-busy", false);
  }

  // Shows the questions and the sources of a game.
  showGame(rules, options) {
    const { page } = this;
    this.rules = rules;
    for (const [player, side] of ["south-name", "north-name"].entries()) page[side].textContent = rules.sides[player].name;
    page.options.replaceChildren(...rules.questions.map((option) => optionField(option, options[option.name])));
    page.sources.replaceChildren(...rules.sources.map((source) => made("li", {}, source)));
    page.differing.hidden = rules.questions.length === 0;
    page.start.placeholder = rules.start;
  }

  // Shows an error below the field that it is about, the one changed last if it names several.
  showProblem({ message, fields = [] }) {
    const { begin, "setup-problem": problem } = this.page;
    this.forgetProblem();
    const named = fields.map((name) => begin.form.elements[name]).filter(Boolean);
    const field = named.find((each) => each === this.changed) ?? named[0];
    problem.textContent = message;
    if (!field) return null;
    field.setAttribute("aria-invalid", true);
    field.closest("details").open = true;
    field.closest("div, details").append(problem);
    problem.scrollIntoView({ block: "nearest" });
    return field;
  }

  forgetProblem() {
    const { begin, "setup-problem": problem } = this.page;
    problem.textContent = "";
    begin.before(problem);
    begin.form.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
  }

  // Shows what depends on the chosen options: who wins if that is known, and who can play. A bot that cannot is replaced
  // by the strongest level.
  showChosen(rules, options) {
    const { page } = this;
    const { levels, strongest, solution, board, first, sides } = rules;
    if (this.rules === null) this.showGame(rules, options);
    this.levels = levels;
    const about = this.game.about ? `${this.game.about} ` : "";
    page["game-about"].textContent = `${about}${board.title}, ${board.points} points. ${solution}`;
    const known = [PERSON, FRIEND, ...levels.map((level) => level.spec)];
    this.seats = this.wanted.map((seat) => (known.includes(seat) ? seat : strongest));
    // Two bots are of Medium strength, unless somebody chose others.
    const bots = levels.map(({ spec, name }) => [spec, name]);
    for (const [player, select] of [page.south, page.north].entries()) fillSelect(select, bots, this.seats[player], levels[MEDIUM].spec);
    const opponents = [...bots, [PERSON, "Another person here"], [FRIEND, "A friend, by link"], [WATCH, "Two bots, to watch"]];
    page.opponents.replaceChildren(...opponents.map(([value, text]) => chip("opponent", value, text, value === this.opponent)));
    const starts = (player) => (player === first ? ", moves first" : "");
    const named = sides.map(({ name }, player) => `${name}: ${["white", "dark"][player]}${starts(player)}`);
    page["side-chips"].replaceChildren(...named.map((text, player) => chip("side", player, text, player === this.side)));
    this.tell();
    this.listCheckpoints();
  }

  get persons() {
    return this.seats.filter((seat) => seat === PERSON).length;
  }

  // The opponent of a person: a bot, another person, or two bots instead of both.
  get opponent() {
    if (this.persons === 0) return WATCH;
    return this.persons === 2 ? PERSON : this.seats.find((seat) => seat !== PERSON);
  }

  get side() {
    return Math.max(0, this.seats.indexOf(PERSON));
  }

  chooseOpponent(opponent) {
    if (opponent === WATCH) this.chooseWatched();
    else this.seat(this.side === 0 ? [PERSON, opponent] : [opponent, PERSON]);
  }

  chooseSide(side) {
    if (side !== this.side) this.seat(this.seats.toReversed());
  }

  chooseWatched() {
    this.seat([this.page.south.value, this.page.north.value]);
  }

  seat(seats) {
    this.wanted = this.seats = seats;
    this.tell();
  }

  // Shows what depends on the players.
  tell() {
    const { page } = this;
    page.watched.hidden = this.persons > 0;
    page.sides.hidden = this.persons !== 1;
    const about = this.levels.filter((level) => this.seats.includes(level.spec));
    const told = about.map((level) => `${level.name}: ${level.about}`);
    page["level-about"].textContent = PEOPLE[this.opponent] ?? told.join(" ");
    page.names.hidden = !(this.opponent in PEOPLE);
  }

  // The options that differ from their defaults, with values of their types.
  options() {
    const chosen = {};
    for (const option of this.rules?.questions ?? []) {
      const field = this.page.options.querySelector(`[name="${option.name}"]`);
      const number = this.page.options.querySelector(`[name="${option.name}:N"]`);
      const value = field.value === "N" ? Number(number.value) : JSON.parse(field.value);
      if (value !== option.default) chosen[option.name] = value;
    }
    return chosen;
  }

  async begin() {
    const { page } = this;
    if (page.options.querySelector(":invalid")) page.differing.open = true;
    if (!page.begin.form.reportValidity()) return;
    await this.checked;
    if (this.rules === null) return; // the dialog says why
    const { seats } = this;
    try {
      const match = { game: this.game.id, options: this.options(), start: page.start.value.trim() || null, steps: [] };
      await ask("match", match);
      page.setup.close();
      const names = [page["south-called"], page["north-called"]].map(({ value }) => (page.names.hidden ? null : value.trim() || null));
      this.onBegin({ match, seats, names });
    } catch (error) {
      this.showProblem(error)?.focus({ preventScroll: true });
    }
  }

  // Lists the checkpoints of the server, newest first, with what differs from the chosen game and rules.
  async listCheckpoints() {
    const { asked, page } = this;
    if (!page.checkpoint.open) return;
    const wanted = { game: this.game.id, options: this.options() };
    const { checkpoints } = await ask("checkpoints", wanted).catch(() => ({ checkpoints: [] })); // `check` says why
    if (asked !== this.asked) return;
    const buttons = checkpoints.map(({ folder, about, at }) => button(`${folder}: ${about}, ${dateText(at * 1000)}`, () => {
      page.folder.value = folder;
      page["open-checkpoint"].click();
    }));
    // What is listed already keeps the focus.
    if (buttons.map((each) => each.textContent).join("") !== page.saved.textContent) page.saved.replaceChildren(...buttons);
  }

  // Opens a checkpoint on the server, which offers it as a player and an evaluator from then on. If it plays the chosen
  // game, it takes the place of the bot that a person would play against.
  async openCheckpoint() {
    const { folder, simulations, "checkpoint-about": about } = this.page;
    about.textContent = "";
    const wanted = { folder: folder.value.trim(), simulations: simulations.value === "" ? null : Number(simulations.value) };
    const { name, games } = await ask("open", wanted);
    about.textContent = `${name} plays ${games.join(", ")}.`;
    this.onOpen();
    if (this.persons === 1 && games.includes(this.game.title)) {
      this.wanted = this.seats.map((seat) => (seat === PERSON ? PERSON : name));
    }
    await this.checked; // else the options are not known yet
    await this.check();
  }

  listEarlier(id) {
    const { page } = this;
    const resume = (state) => {
      page.setup.close();
      this.onBegin(state);
    };
    const buttons = otherMatches(id).map((state) => button(this.describe(state), () => resume(state)));
    page.shelf.hidden = buttons.length === 0;
    page.earlier.replaceChildren(...buttons);
  }

  // An earlier match in one line.
  describe({ match, seats, names, turns, isOver, at }) {
    const game = this.games.find((known) => known.id === match.game);
    const called = seats.map((seat, player) => {
      if (seat === PERSON) return personName({ seats, names: names ?? [] }, player);
      return seat === FRIEND ? (names?.[player] ?? "A friend") : `Bot: ${this.levelNames[seat] ?? seat}`;
    });
    return `${game?.title ?? match.game}: ${called.join(" – ")}, ${turns} move${turns === 1 ? "" : "s"}, ${isOver ? "over, " : ""}${dateText(at)}`;
  }
}

function optionField(option, chosen = option.default) {
  const select = made("select", { name: option.name });
  const isListed = option.values.some(({ value }) => value === chosen);
  for (const { value, meaning } of option.values) {
    const code = value === "N" ? "N" : JSON.stringify(value);
    select.append(new Option(meaning, code, value === option.default, isListed ? value === chosen : value === "N"));
  }
  const value = [chosen, option.default].find((each) => typeof each === "number") ?? 40;
  const limits = { type: "number", min: 1, max: 10000, step: 1, required: true };
  const number = made("input", { ...limits, name: `${option.name}:N`, value, ariaLabel: `${option.question} Number` });
  const toggle = () => (number.hidden = number.disabled = select.value !== "N");
  toggle();
  select.addEventListener("change", toggle);
  const note = made("p", {}, `Source: ${option.source}`);
  return made("div", { className: "option" }, made("label", {}, option.question, select), number, note);
}

function dateText(at) {
  return new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

// A radio button that looks like a button.
function chip(name, value, text, isChosen) {
  const radio = made("input", { type: "radio", name, value, checked: isChosen });
  return made("label", { className: "chip" }, radio, text);
}
