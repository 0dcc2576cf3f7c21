// The dialog with the match as text, to copy, save and load.

import { ask } from "./server.js";
import { copyText, showCopied } from "./clipboard.js";
import { PERSON } from "./play.js";

function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copy(field, button) {
  await copyText(field.value);
  showCopied(button);
}

// Players in a file are named by their specs.
function playerName(name, levelNames) {
  if (isNobody(name)) return "a person";
  return levelNames[name] ? `Bot: ${levelNames[name]}` : name;
}

const isNobody = (name) => ["?", PERSON].includes(name);

export class MatchFileDialog {
  // `onLoad` is called with a match from a file and the rest of its state.
  constructor(page, play, onLoad, { games, level_names: levelNames }) {
    this.page = page;
    this.titles = new Map(games.map(({ id, title }) => [id, title]));
    this.levelNames = levelNames;
    this.play = play;
    this.onLoad = onLoad;
    this.isOpening = false;
    for (const [name, field] of [["copy-record", "record-text"], ["copy-position", "position"]]) {
      page[name].addEventListener("click", () => copy(page[field], page[name]));
    }
    page["save-record"].addEventListener("click", () => {
      download(`${this.play.state.match.game}.pdn`, "text/plain", page["record-text"].value);
    });
    page["save-picture"].addEventListener("click", () => this.reportErrors(() => this.savePicture()));
    page["load-record"].addEventListener("click", () => this.reportErrors(() => this.load()));
    page["open-file"].addEventListener("change", () => this.reportErrors(() => this.openFile()));
  }

  // The dialog opens after the text has arrived, so that the text cannot replace what the user types.
  async open() {
    if (this.isOpening) return;
    this.isOpening = true;
    const { page, play } = this;
    const { match, ended, date, headers, variations, comments } = play.state;
    const said = { match, south: play.nameOf(0), north: play.nameOf(1), ...ended, date, headers, variations, comments };
    page["record-text"].value = "";
    page.loaded.replaceChildren();
    page.position.value = play.shown.position;
    await this.reportErrors(async () => {
      page["record-text"].value = (await ask("api/save", said)).text;
    });
    page.record.showModal();
    this.isOpening = false;
  }

  async reportErrors(task) {
    this.page["record-problem"].textContent = "";
    try {
      await task();
    } catch (error) {
      this.page["record-problem"].textContent = error.message;
    }
  }

  async savePicture() {
    const { looked, state } = this.play;
    const { svg } = await ask("api/picture", { match: looked, turned: state.turned });
    download(`${looked.game}.svg`, "image/svg+xml", svg);
  }

  async openFile() {
    const [file] = this.page["open-file"].files;
    this.page["open-file"].value = "";
    if (!file) return;
    this.page["record-text"].value = await file.text();
    await this.load();
  }

  async load() {
    const { page } = this;
    page.loaded.replaceChildren();
    const { matches, more } = await ask("api/load", { text: page["record-text"].value });
    const take = (loaded) => this.reportErrors(() => this.take(loaded));
    if (matches.length === 1) {
      await this.take(matches[0]);
      return;
    }
    page.loaded.replaceChildren(
      ...matches.map((loaded, number) => {
        const button = document.createElement("button");
        const { South = "?", North = "?", Date = "", Result = "" } = loaded.headers;
        const [south, north] = [South, North].map((name) => playerName(name, this.levelNames));
        button.type = "button";
        button.textContent = `${number + 1}. ${this.titles.get(loaded.match.game)}: ${south} – ${north} ${Result} ${Date}`;
        button.addEventListener("click", () => take(loaded));
        return button;
      }),
    );
    if (more) page.loaded.append(`These are the first ${matches.length} matches. To see later ones, delete earlier ones from the text.`);
  }

  // The players in the file play on if they are available here. A match between two bots starts paused.
  async take({ match, headers, others, ended, variations, left_out: leftOut, comments, comments_left_out: unsaid }) {
    const { game, options } = match;
    const { levels } = await ask("api/rules", { game, options });
    const said = [headers.South ?? "?", headers.North ?? "?"];
    const seats = said.map((name) => (levels.some((level) => level.spec === name) ? name : PERSON));
    const names = said.map((name, player) => (seats[player] === PERSON && !isNobody(name) ? name : null));
    this.page.record.close();
    await this.onLoad(match, {
      seats,
      names,
      turned: seats[0] !== PERSON && seats[1] === PERSON,
      ended,
      paused: !seats.includes(PERSON),
      headers: others,
      date: headers.Date ?? null,
      variations,
      comments,
    });
    if (unsaid > 0) this.play.tell(`The page keeps the first ${comments.length} comments of this match; ${unsaid} more are in the file.`);
    if (leftOut > 0) this.play.tell(`The page keeps the first ${variations.length} variations of this match; ${leftOut} more are in the file.`);
  }
}
