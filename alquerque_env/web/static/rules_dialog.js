// The dialog with the rules of the current game.

import { ask } from "./server.js";

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

export async function showRules(page, { game, options }) {
  const rules = await ask("api/rules", { game, options });
  page["rules-title"].textContent = rules.title;
  page["rules-text"].replaceChildren(
    ...list("How to play", rules.sentences.map((sentence) => [sentence])),
    ...list("How it ends", [...rules.endings, rules.solution].filter(Boolean).map((sentence) => [sentence])),
    ...list("Where sources differ", rules.options.map(({ answer, source, is_default }) => [
      `${answer} `,
      small(`${is_default ? "" : "Changed. "}${source}.`),
    ])),
    ...list("Notation", rules.notation.map((sentence) => [sentence])),
    ...list("Sources", [...rules.sources, `${rules.board.title}: ${rules.board.source}`].map((source) => [source])),
  );
  page.rules.showModal();
  page.rules.scrollTop = 0;
}
