// The players, above and below the board, and what they are called.

import { fillSelect, made } from "./elements.js";
import { FRIEND, PERSON } from "./play.js";

// What a person in a seat is called.
export function personName({ seats, names }, player) {
  const other = seats[1 - player] === PERSON;
  if (names[player]) return names[player];
  if (!other) return "You";
  return seats[player] === PERSON ? `Player ${player + 1}` : "Another person";
}

const span = (text, className = "") => made("span", { className }, text);

export class Players {
  // `onChange` is called with a side and its new player.
  constructor(top, bottom, onChange) {
    this.ends = [bottom, top];
    this.onChange = onChange;
  }

  show(play) {
    const { state, shown, rules } = play;
    const places = state.turned ? this.ends.toReversed() : this.ends;
    for (const [player, place] of places.entries()) {
      if (place.dataset.player !== String(player)) this.lay(place, player);
      const select = place.querySelector("select");
      const { name, one, many } = rules.sides[player];
      place.querySelector("b").textContent = name;
      const isFriend = state.seats[player] === FRIEND;
      const person = isFriend ? "You instead" : personName(state, player);
      const friend = isFriend ? (state.names[player] ?? "Your friend") : state.seats[1 - player] === PERSON && "A friend, by link";
      const bots = rules.levels.map(({ spec, name: level }) => [spec, `Bot: ${level}`]);
      fillSelect(select, [[PERSON, person], ...(friend ? [[FRIEND, friend]] : []), ...bots], state.seats[player]);
      const count = Object.values(shown.pieces).filter(([owner]) => owner === player).length;
      const inHand = shown.hands[player];
      const said = [`${count} ${count === 1 ? one : many}`, ...(inHand ? [`${inHand} in hand`] : [])];
      place.querySelector(".count").replaceChildren(...said.map((text) => span(text)));
      place.querySelector(".hand").replaceChildren(...Array.from({ length: inHand }, () => span("", `side side-${player}`)));
      place.classList.toggle("to-move", !play.isOver && shown.player === player);
    }
  }

  lay(place, player) {
    const select = made("select", { id: `seat-${player}` });
    const name = made("b", { className: `side side-${player}` });
    select.addEventListener("change", () => this.onChange(player, select.value));
    place.dataset.player = player;
    place.replaceChildren(made("label", {}, name, select), span("", "hand"), span("", "count"));
  }
}
