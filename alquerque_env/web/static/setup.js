// The dialogue of a new match: game, options with their sources, who plays, and the position it begins from.

import { ask } from "./api.js";

export const PERSON = "person";

export function fillSeat(select, levels, chosen) {
  const options = [[PERSON, "Person"], ...levels.map((level) => [level.spec, level.name])];
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  select.value = options.some(([value]) => value === chosen) ? chosen : PERSON;
}

export class Setup {
  // `onBegin` is called with a match and the specs of the seats.
  constructor(page, games, onBegin) {
    this.page = page;
    this.games = games;
    this.onBegin = onBegin;
    page.game.replaceChildren(...games.map((game) => new Option(game.title, game.id)));
    page.game.addEventListener("change", () => this.choose());
    page.begin.addEventListener("click", () => this.begin());
    for (const seat of [page.south, page.north]) seat.addEventListener("change", () => this.tell());
    page.start.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.begin();
    });
  }

  get game() {
    return this.games.find((game) => game.id === this.page.game.value);
  }

  open(match, seats) {
    this.page.game.value = match.game;
    this.choose(match.options, seats);
    this.page.start.value = "";
    this.page.setup.showModal();
  }

  choose(options = {}, seats = [this.page.south.value, this.page.north.value]) {
    const { page, game } = this;
    page["board-title"].textContent = `${game.board}, ${game.points} points`;
    page.options.replaceChildren(...game.options.map((option) => optionField(option, options[option.name])));
    fillSeat(page.south, game.levels, seats[0]);
    fillSeat(page.north, game.levels, seats[1]);
    this.tell();
    page["setup-problem"].textContent = "";
  }

  tell() {
    const chosen = [this.page.south.value, this.page.north.value];
    const about = this.game.levels.filter((level) => chosen.includes(level.spec));
    this.page["level-about"].textContent = about.map((level) => `${level.name}: ${level.about}`).join(" ");
  }

  // Only what differs from the defaults, as its own type.
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
    try {
      const match = { game: this.game.id, options: this.options(), start: page.start.value.trim() || null, steps: [] };
      await ask("api/match", match);
      const { levels } = await ask("api/rules", { game: match.game, options: match.options });
      const known = [PERSON, ...levels.map((level) => level.spec)];
      const seats = [page.south.value, page.north.value];
      const unknown = seats.find((seat) => !known.includes(seat));
      if (unknown) throw new Error(`${unknown} was not trained for these rules; choose another level`);
      page.setup.close();
      this.onBegin(match, seats);
    } catch (error) {
      page["setup-problem"].textContent = error.message;
    }
  }
}

function optionField(option, chosen = option.default) {
  const field = document.createElement("div");
  field.className = "option";
  const label = document.createElement("label");
  const select = document.createElement("select");
  const note = document.createElement("p");
  const number = document.createElement("input");
  const isNumber = typeof chosen === "number";
  label.append(option.question, select);
  select.name = option.name;
  for (const { value, meaning } of option.values) {
    const code = value === "N" ? "N" : JSON.stringify(value);
    select.append(new Option(meaning, code, value === option.default, isNumber ? value === "N" : value === chosen));
  }
  number.type = "number";
  number.name = `${option.name}:N`;
  number.min = 1;
  number.max = 10000;
  number.value = isNumber ? chosen : typeof option.default === "number" ? option.default : 40;
  number.setAttribute("aria-label", `${option.question} Number`);
  number.hidden = select.value !== "N";
  select.addEventListener("change", () => (number.hidden = select.value !== "N"));
  note.textContent = `Source: ${option.source}`;
  field.append(label, number, note);
  return field;
}
