// The list of turns, in two columns. A click shows the position after a turn.

export class TurnList {
  // `onTurn` is called with the number of steps up to the end of a turn.
  constructor(list, onTurn) {
    this.list = list;
    this.onTurn = onTurn;
  }

  show(turns, now) {
    const first = turns[0]?.player ?? 0;
    const isFocused = this.list.contains(document.activeElement);
    const rows = [];
    for (const turn of turns) {
      const column = turn.player === first ? 0 : 1;
      if (rows.length === 0 || column === 0 || rows.at(-1).lastChild.dataset.column === "1") rows.push(document.createElement("li"));
      rows.at(-1).append(this.button(turn, column, now));
    }
    this.list.replaceChildren(...rows);
    const current = this.list.querySelector("[aria-current]");
    if (current) this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
    if (isFocused) current?.focus({ preventScroll: true });
  }

  button(turn, column, now) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = turn.text;
    button.className = `turn side-${turn.player}`;
    button.dataset.column = column;
    if (turn.steps === now) button.setAttribute("aria-current", "step");
    button.addEventListener("click", () => this.onTurn(turn.steps));
    return button;
  }
}
