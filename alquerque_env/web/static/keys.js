// Single keys for what the buttons of the page do, and the dialog that lists them. They do nothing while a dialog is
// open, in fields, or with Ctrl, Alt or Meta, which belong to the browser and to screen readers, and can be turned off.

import { walksOnBoard } from "./board.js";
import { made } from "./elements.js";
import { choose, chosen } from "./storage.js";
import { openDialog } from "./views.js";

const STORED = "alquerque.keys";
const NAMES = { ArrowLeft: "←", ArrowRight: "→" };
export const UNDO = "Ctrl+Z";
const RUNNING = ["ArrowLeft", "ArrowRight"]; // which go on while they are held; on the board they move from point to point

export class Keys {
  constructor({ "keys-table": table, "keys-on": on, keys: dialog, "open-keys": button }) {
    this.list = table.tBodies[0];
    this.dialog = dialog;
    this.actions = new Map();
    this.on = on;
    on.checked = chosen(STORED) !== "off";
    on.addEventListener("change", () => choose(STORED, on.checked ? "on" : "off"));
    button.addEventListener("click", () => openDialog(dialog));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  // A key by its name in keyboard events, what it does in words, and the function for it, which is told whether the key
  // is held.
  add(key, text, action) {
    this.actions.set(key, action);
    const row = this.list.insertRow();
    row.insertCell().append(made("kbd", {}, NAMES[key] ?? key));
    row.insertCell().textContent = text;
  }

  press(event) {
    const { target, repeat } = event;
    const isTakingBack = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "z";
    const key = isTakingBack ? UNDO : event.key;
    const isTyped = target.closest("input:not([type=checkbox], [type=radio]), select, textarea");
    const isRunning = RUNNING.includes(key);
    const isWalked = isRunning && (target.closest("#exercise .spot") || (target.closest(".spot") && walksOnBoard()));
    if (isTyped || isWalked || document.querySelector("dialog[open]")) return;
    if (event.altKey || ((event.ctrlKey || event.metaKey) && !isTakingBack) || (repeat && !isRunning)) return;
    const action = this.actions.get(key);
    if (!action || (!this.on.checked && !isRunning && !isTakingBack)) return;
    event.preventDefault();
    action(repeat);
  }
}
