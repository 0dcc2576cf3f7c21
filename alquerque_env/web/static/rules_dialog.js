// The dialog with the rules of the current game.

import { ask } from "./server.js";
import { openDialog } from "./views.js";

function list(title, items) {
  const heading = document.createElement("h3");
  heading.textContent = title;
  const made = document.createElement("ul");
  made.append(...items.map((content) => {
    const item = document.createElement("li");
    item.append(...content);
    return item;
  }));
  return [heading, made];
}

function small(text) {
  const made = document.createElement("small");
  made.textContent = text;
  return made;
}

// The sentence that says who wins, and a button that begins a match with the analysis.
function solution(page, sentence, onAnalyse) {
  const button = document.createElement("button");
  button.textContent = "Analyse from the start";
  button.addEventListener("click", () => {
    page.rules.close();
    onAnalyse();
  });
  return [`${sentence} `, button];
}

function figure({ sentence, position, svg }) {
  const made = document.createElement("figure");
  const picture = document.createElement("img");
  const text = document.createElement("figcaption");
  picture.alt = position;
  picture.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  text.textContent = sentence;
  made.append(picture, text);
  return made;
}

// The pictures come after the text, which does not wait for them.
async function showPictures(host, asked) {
  const { pictures } = await ask("rule-pictures", asked).catch(() => ({ pictures: [] }));
  host.replaceChildren(...pictures.map(figure));
  host.hidden = pictures.length === 0;
  host.removeAttribute("aria-busy");
}

// `onAnalyse` is called if the person wants to see the proof of a solved game.
export async function showRules(page, { game, options }, onAnalyse) {
  const rules = await ask("rules", { game, options });
  const pictures = document.createElement("div");
  pictures.className = "figures";
  pictures.setAttribute("aria-busy", true);
  page["rules-title"].textContent = rules.title;
  const colours = "South has the white pieces, North the dark ones.";
  page["rules-text"].replaceChildren(
    pictures,
    ...list("How to play", [colours, ...rules.sentences].map((sentence) => [sentence])),
    ...list("How it ends", [
      ...rules.endings.map((sentence) => [sentence]),
      ...(rules.solution ? [solution(page, rules.solution, () => onAnalyse({ game, options }))] : []),
    ]),
    ...list("Where sources differ", rules.options.map(({ answer, source, is_default }) => [
      `${answer} `,
      small(`${is_default ? "" : "Changed. "}${source}.`),
    ])),
    ...list("Notation", rules.notation.map((sentence) => [sentence])),
    ...list("Sources", [...rules.sources, `${rules.board.title}: ${rules.board.source}`].map((source) => [source])),
  );
  showPictures(pictures, { game, options });
  openDialog(page.rules);
  page.rules.scrollTop = 0;
}
