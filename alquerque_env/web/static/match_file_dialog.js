// The dialog with the match as text, to copy, save and load.

import { ask } from "./server.js";
import { button, made, pictureAddress } from "./elements.js";
import { copyText } from "./clipboard.js";
import { PERSON } from "./play.js";
import { telling } from "./tasks.js";
import { openDialog } from "./views.js";

const MOST_BYTES = 64e6;
const PNG_SIZE = 1200; // pixels of the longer side
const PART = 600_000; // characters of a match file that a request carries
const LATIN_1 = "This file is not in UTF-8 and is read as Latin-1: names may show wrong letters.";

function download(name, type, content) {
  const link = made("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The pixels of a picture, as the content of a PNG file.
async function drawPng(svg) {
  const picture = new Image();
  picture.src = pictureAddress(svg);
  await picture.decode();
  const scale = PNG_SIZE / Math.max(picture.naturalWidth, picture.naturalHeight);
  const [width, height] = [picture.naturalWidth, picture.naturalHeight].map((side) => Math.round(scale * side));
  const canvas = made("canvas", { width, height });
  canvas.getContext("2d").drawImage(picture, 0, 0, width, height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// Players in a file are named by their specs.
function playerName(name, levelNames) {
  if (isNobody(name)) return "a person";
  return levelNames[name] ? `Bot: ${levelNames[name]}` : name;
}

const isNobody = (name) => ["?", PERSON].includes(name);

export class MatchFileDialog {
  // `onLoad` is called with what `newState` takes of a match from a file.
  constructor(page, play, onLoad, { games, level_names: levelNames }) {
    this.page = page;
    this.titles = new Map(games.map(({ id, title }) => [id, title]));
    this.levelNames = levelNames;
    this.play = play;
    this.onLoad = onLoad;
    this.isOpening = false;
    for (const [name, field] of [["copy-record", "record-text"], ["copy-position", "position"]]) {
      page[name].addEventListener("click", () => copyText(page[field].value, page[name]));
    }
    page["save-record"].addEventListener("click", () => {
      download(`${this.play.state.match.game}.pdn`, "text/plain", page["record-text"].value);
    });
    page["save-svg"].addEventListener("click", () => this.reportErrors(() => this.savePicture("svg", "image/svg+xml", (svg) => svg)));
    page["save-png"].addEventListener("click", () => this.reportErrors(() => this.savePicture("png", "image/png", drawPng)));
    page["load-record"].addEventListener("click", () => this.reportErrors(() => this.load(page["record-text"].value)));
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
      page["record-text"].value = (await ask("save", said)).text;
    });
    openDialog(page.record);
    this.isOpening = false;
  }

  reportErrors(task) {
    return telling((problem) => (this.page["record-problem"].textContent = problem), task);
  }

  // Saves the board as it is shown; `draw` makes the content of the file from an SVG picture.
  async savePicture(ending, type, draw) {
    const { looked, state } = this.play;
    const { svg } = await ask("picture", { match: looked, turned: state.turned });
    download(`${looked.game}.${ending}`, type, await draw(svg));
  }

  async openFile() {
    const [file] = this.page["open-file"].files;
    this.page["open-file"].value = "";
    if (!file) return;
    if (file.size > MOST_BYTES) throw new Error("This file has more than 64 MB. Divide it into smaller files.");
    const decode = async (encoding) => new TextDecoder(encoding, { fatal: true }).decode(await file.arrayBuffer());
    const utf8 = await decode("utf-8").catch(() => null);
    const text = (utf8 ?? (await decode("latin1"))).replace(/\r\n?/g, "\n");
    this.page["record-text"].value = text.slice(0, PART);
    await this.load(text, utf8 === null ? LATIN_1 : "");
  }

  // Shows the matches of a part of a text, or takes the only one. `earlier` shows those before them.
  async load(text, remark = "", { from, ...place } = { from: 0 }, earlier = null) {
    this.page.loaded.replaceChildren();
    const part = text.slice(from, from + PART).replace(/[\ud800-\udbff]$/, "");
    const { matches, read, next } = await ask("load", { text: part, ...place, is_last: from + PART >= text.length });
    if (matches.length === 1 && !earlier && !next) {
      await this.take(matches[0]);
      return remark && this.play.tell(remark);
    }
    const add = (words, task) => {
      this.page.loaded.append(task ? button(words, () => this.reportErrors(task)) : made("p", {}, words));
    };
    if (remark) add(remark);
    if (earlier) add("Earlier matches", earlier);
    for (const match of matches) add(match.problem ?? this.title(match), match.problem ? null : () => this.take(match));
    if (!next) return;
    const later = { ...next, from: from + [...part].slice(0, read).join("").length };
    add("Later matches", () => this.load(text, remark, later, () => this.load(text, remark, { from, ...place }, earlier)));
  }

  title({ number, match, result, date, ...said }) {
    const [south, north] = [said.south, said.north].map((name) => playerName(name, this.levelNames));
    return `${number}. ${this.titles.get(match.game)}: ${south} – ${north} ${result} ${date}`;
  }

  // The players in the file play on if they are available here. A match between two bots starts paused.
  async take({ match, south, north, date, headers, ended, variations, left_out: leftOut, comments, comments_left_out: unsaid }) {
    const { game, options } = match;
    const { levels } = await ask("rules", { game, options });
    const said = [south, north];
    const seats = said.map((name) => (levels.some((level) => level.spec === name) ? name : PERSON));
    const names = said.map((name, player) => (seats[player] === PERSON && !isNobody(name) ? name : null));
    this.page.record.close();
    const paused = !seats.includes(PERSON);
    await this.onLoad({ match, seats, names, date, headers, ended, variations, comments, paused });
    if (unsaid > 0) this.play.tell(`The page keeps the first ${comments.length} comments of this match; ${unsaid} more are in the file.`);
    if (leftOut > 0) this.play.tell(`The page keeps the first ${variations.length} variations of this match; ${leftOut} more are in the file.`);
  }
}
