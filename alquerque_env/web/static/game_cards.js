// The games as cards to choose from: a picture of the start, title, a line, kind. One group of radio buttons, which a
// text and a kind narrow down.

import { button, made, pictureAddress } from "./elements.js";
import { ask } from "./server.js";

const ALL = "All";
const SOLVED = "Solved";

export class GameCards {
  // `onChoose` is called with the id of a game that a person chooses.
  constructor({ search, kinds, cards, found }, games, onChoose) {
    Object.assign(this, { search, kinds, host: cards, found, games, onChoose });
    this.kind = ALL;
    this.cards = new Map(games.map((game) => [game.id, card(game)]));
    this.host.replaceChildren(...this.cards.values());
    const named = [ALL, ...[...new Set(games.map((game) => game.kind))].sort(), SOLVED];
    this.kinds.replaceChildren(...named.map((name) => this.kindButton(name)));
    this.host.addEventListener("change", ({ target }) => this.onChoose(target.value));
    this.search.addEventListener("input", () => this.narrow());
    this.search.addEventListener("keydown", (event) => this.key(event));
    this.watcher = new IntersectionObserver((seen) => this.draw(seen), { root: this.host, rootMargin: "200px" });
    for (const each of this.cards.values()) this.watcher.observe(each);
    this.narrow();
  }

  get value() {
    return this.host.querySelector(":checked")?.value;
  }

  // Shows all games, with one of them chosen.
  choose(id) {
    this.search.value = "";
    this.kind = ALL;
    this.narrow();
    this.cards.get(id).querySelector("input").checked = true;
  }

  // Brings the chosen card into view, once the dialog is open.
  reveal() {
    this.cards.get(this.value)?.scrollIntoView({ block: "nearest" });
  }

  kindButton(name) {
    const choose = () => {
      this.kind = name;
      this.narrow();
    };
    const shown = button(name === ALL || name === SOLVED || name === "Draughts" ? name : `${name}s`, choose);
    shown.dataset.kind = name;
    return shown;
  }

  narrow() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isMeant = (game) => {
      const text = `${game.title} ${game.id} ${game.about} ${game.kind} ${game.solved} ${game.board}`.toLowerCase();
      const isKind = this.kind === ALL || (this.kind === SOLVED ? game.solved !== "" : game.kind === this.kind);
      return isKind && words.every((word) => text.includes(word));
    };
    const meant = this.games.filter(isMeant);
    for (const game of this.games) this.cards.get(game.id).hidden = !meant.includes(game);
    for (const button of this.kinds.children) button.setAttribute("aria-pressed", button.dataset.kind === this.kind);
    this.found.textContent = meant.length === 0 ? "No game has these words." : `${meant.length} of ${this.games.length} games`;
    // The only one left is what is meant, and Start begins it.
    if (meant.length === 1 && meant[0].id !== this.value) this.cards.get(meant[0].id).querySelector("input").click();
  }

  // From the text to the cards: Enter chooses the first one, which would otherwise begin a match.
  key(event) {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const first = this.host.querySelector(".card:not([hidden]) input");
    if (!first) return;
    const shown = this.host.querySelector(".card:not([hidden]) :checked");
    if (event.key === "Enter" || !shown) first.click();
    (event.key === "Enter" ? first : (shown ?? first)).focus();
  }

  // Asks for the pictures of the cards that come into view, each once.
  draw(seen) {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      this.watcher.unobserve(target);
      const picture = target.querySelector("img");
      ask("card", { game: target.dataset.game }).then(
        ({ svg }) => (picture.src = pictureAddress(svg)),
        () => addEventListener("online", () => this.watcher.observe(target), { once: true }),
      );
    }
  }
}

function card({ id, title, about, kind, solved }) {
  const radio = made("input", { type: "radio", name: "game", value: id });
  const line = made("span", { className: "about" }, about);
  const tags = made("small", {}, [kind, solved].filter(Boolean).join(" · "));
  const label = made("label", { className: "card" }, radio, made("img", { alt: "" }), made("b", {}, title), line, tags);
  label.dataset.game = id;
  return label;
}
