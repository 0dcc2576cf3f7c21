// The dialog with the rules of the current game.

import { button, made, pictureAddress } from "./elements.js";
import { ask } from "./server.js";
import { openDialog } from "./views.js";

const list = (title, items) => [made("h3", {}, title), made("ul", {}, ...items.map((content) => made("li", {}, ...content)))];

// The sentence that says who wins, and a button that begins a match with the analysis.
function solution(page, sentence, onAnalyse) {
  const analyse = () => {
    page.rules.close();
    onAnalyse();
  };
  return [`${sentence} `, button("Analyse from the start", analyse)];
}

function figure({ sentence, position, svg }) {
  const picture = made("img", { alt: position, src: pictureAddress(svg) });
  return made("figure", {}, picture, made("figcaption", {}, sentence));
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
  const pictures = made("div", { className: "figures", ariaBusy: true });
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
      made("small", {}, `${is_default ? "" : "Changed. "}${source}.`),
    ])),
    ...list("Notation", rules.notation.map((sentence) => [sentence])),
    ...list("Sources", [...rules.sources, `${rules.board.title}: ${rules.board.source}`].map((source) => [source])),
  );
  showPictures(pictures, { game, options });
  openDialog(page.rules);
  page.rules.scrollTop = 0;
}
