// The dialog for a new match: game, options with their sources, players and start position. It also lists earlier
// matches.

import { ask } from "./server.js";
import { PERSON, newState } from "./play.js";
import { fillPlayerList } from "./players.js";
import { otherMatches } from "./storage.js";

export class NewGameDialog {
  // `onBegin` is called with the state of the match to play, and `onOpen` after a checkpoint was opened.
  constructor(page, { games, checkpoints }, onBegin, onOpen) {
    this.page = page;
    this.games = games;
    this.onBegin = onBegin;
    this.onOpen = onOpen;
    this.levels = [];
    this.wanted = []; // the chosen players, even if they cannot play with the chosen options
    this.asked = 0;
    this.checked = Promise.resolve(); // resolves when the players for the chosen options are known
    const hunts = document.createElement("optgroup");
    hunts.label = "Hunts";
    const [others, listed] = [false, true].map((isHunt) =>
      games.filter((game) => game.is_hunt === isHunt).map((game) => new Option(game.title, game.id)));
    hunts.append(...listed);
    page.game.replaceChildren(...others, ...(listed.length > 0 ? [hunts] : []));
    page.game.addEventListener("change", () => this.choose());
    page.begin.form.addEventListener("submit", (event) => {
      if (event.submitter?.value === "cancel") return;
      event.preventDefault();
      this.begin();
    });
    page.defaults.addEventListener("click", () => this.choose());
    page.options.addEventListener("change", ({ target }) => (this.checked = this.check(target)));
    page.checkpoint.hidden = checkpoints.length === 0;
    page["checkpoint-about"].textContent = `A folder below ${checkpoints.join(" or ")}, such as run-1/checkpoints/final.`;
    page["open-checkpoint"].addEventListener("click", () => this.openCheckpoint());
    page.folder.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // which would begin the match
      this.openCheckpoint();
    });
    for (const seat of [page.south, page.north]) seat.addEventListener("change", () => this.choosePlayers());
  }

  get game() {
    return this.games.find((game) => game.id === this.page.game.value);
  }

  open(state) {
    const { page } = this;
    page.game.value = state.match.game;
    this.wanted = [...state.seats];
    this.choose(state.match.options);
    page.start.value = "";
    page.differing.open = Object.keys(state.match.options).length > 0;
    this.listEarlier(state.id);
    page.setup.showModal();
  }

  choose(options = {}) {
    const { page, game } = this;
    for (const [player, side] of ["south-name", "north-name"].entries()) page[side].textContent = game.sides[player].name;
    page.options.replaceChildren(...game.options.map((option) => optionField(option, options[option.name])));
    page.sources.replaceChildren(...game.sources.map((source) => {
      const item = document.createElement("li");
      item.textContent = source;
      return item;
    }));
    page.start.placeholder = game.start;
    this.checked = this.check();
  }

  // Asks which bots can play with the chosen options, or why the options contradict each other. `changed` is the field
  // that was changed last.
  async check(changed = null) {
    const { page, game } = this;
    const asked = (this.asked += 1);
    this.changed = changed;
    this.showChosen(game);
    this.forgetProblem();
    if (!page.begin.form.checkValidity()) return;
    try {
      const rules = await ask("api/rules", { game: game.id, options: this.options() });
      if (asked === this.asked) this.showChosen(rules);
    } catch (error) {
      if (asked === this.asked) this.showProblem(error);
    }
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
  showChosen({ levels, strongest, solution }) {
    this.levels = levels;
    this.page["board-title"].textContent = `${this.game.board}, ${this.game.points} points. ${solution}`;
    const known = [PERSON, ...levels.map((level) => level.spec)];
    const [south, north] = this.wanted.map((seat) => (known.includes(seat) ? seat : strongest));
    fillPlayerList(this.page.south, levels, south);
    fillPlayerList(this.page.north, levels, north);
    this.tell();
  }

  choosePlayers() {
    this.wanted = [this.page.south.value, this.page.north.value];
    this.tell();
  }

  tell() {
    const chosen = [this.page.south.value, this.page.north.value];
    const about = this.levels.filter((level) => chosen.includes(level.spec));
    this.page["level-about"].textContent = about.map((level) => `${level.name}: ${level.about}`).join(" ");
  }

  // The options that differ from their defaults, with values of their types.
  options() {
    const chosen = {};
    for (const option of this.game.options) {
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
    const seats = [page.south.value, page.north.value];
    try {
      const match = { game: this.game.id, options: this.options(), start: page.start.value.trim() || null, steps: [] };
      await ask("api/match", match);
      page.setup.close();
      this.onBegin(newState(match, seats));
    } catch (error) {
      this.showProblem(error)?.focus({ preventScroll: true });
    }
  }

  // Opens a checkpoint on the server, which offers it as a player and an evaluator from then on.
  async openCheckpoint() {
    const { folder, simulations, "checkpoint-about": about, "checkpoint-problem": problem } = this.page;
    about.textContent = problem.textContent = "";
    const wanted = { folder: folder.value.trim(), simulations: simulations.value === "" ? null : Number(simulations.value) };
    try {
      const { name, games } = await ask("api/open", wanted);
      about.textContent = `${name} plays ${games.join(", ")}.`;
      this.onOpen();
      await this.check();
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  listEarlier(id) {
    const { page } = this;
    const buttons = otherMatches(id).map((state) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = this.describe(state);
      button.addEventListener("click", () => {
        page.setup.close();
        this.onBegin(newState(state.match, state.seats, state));
      });
      return button;
    });
    page.shelf.hidden = buttons.length === 0;
    page.earlier.replaceChildren(...buttons);
  }

  // An earlier match in one line.
  describe({ match, seats, names, turns, isOver, at }) {
    const game = this.games.find((known) => known.id === match.game);
    const called = seats.map((seat, player) => {
      if (seat === PERSON) return names?.[player] ?? "Person";
      return game?.levels.find((level) => level.spec === seat)?.name ?? seat;
    });
    const when = new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    return `${game?.title ?? match.game}: ${called.join(" – ")}, ${turns} turn${turns === 1 ? "" : "s"}, ${isOver ? "over, " : ""}${when}`;
  }
}

function optionField(option, chosen = option.default) {
  const field = document.createElement("div");
  field.className = "option";
  const label = document.createElement("label");
  const select = document.createElement("select");
  const note = document.createElement("p");
  const number = document.createElement("input");
  const isListed = option.values.some(({ value }) => value === chosen);
  label.append(option.question, select);
  select.name = option.name;
  for (const { value, meaning } of option.values) {
    const code = value === "N" ? "N" : JSON.stringify(value);
    select.append(new Option(meaning, code, value === option.default, isListed ? value === chosen : value === "N"));
  }
  number.type = "number";
  number.name = `${option.name}:N`;
  number.min = 1;
  number.max = 10000;
  number.step = 1;
  number.required = true;
  number.value = typeof chosen === "number" ? chosen : typeof option.default === "number" ? option.default : 40;
  number.setAttribute("aria-label", `${option.question} Number`);
  const toggle = () => (number.hidden = number.disabled = select.value !== "N");
  toggle();
  select.addEventListener("change", toggle);
  note.textContent = `Source: ${option.source}`;
  field.append(label, number, note);
  return field;
}
