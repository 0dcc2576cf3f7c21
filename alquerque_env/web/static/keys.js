// Single keys for what the buttons of the page do, and the dialog that lists them. They do nothing while a dialog is
// open, in fields, or with Ctrl, Alt or Meta, which belong to the browser and to screen readers, and can be turned off.

const STORED = "alquerque.keys";
const NAMES = { ArrowLeft: "←", ArrowRight: "→" };
const ON_BOARD = ["ArrowLeft", "ArrowRight"]; // where these move from point to point

export class Keys {
  constructor({ "keys-table": table, "keys-on": on, keys: dialog, "open-keys": button }) {
    this.list = table.tBodies[0];
    this.dialog = dialog;
    this.actions = new Map();
    this.on = on;
    on.checked = read() !== "off";
    on.addEventListener("change", () => write(on.checked ? "on" : "off"));
    button.addEventListener("click", () => dialog.showModal());
    document.addEventListener("keydown", (event) => this.press(event));
  }

  // A key by its name in keyboard events, what it does in words, and the function for it.
  add(key, text, action) {
    this.actions.set(key, action);
    const row = this.list.insertRow();
    const shown = document.createElement("kbd");
    shown.textContent = NAMES[key] ?? key;
    row.insertCell().append(shown);
    row.insertCell().textContent = text;
  }

  press(event) {
    const { target, key } = event;
    const isTyped = target.closest("input:not([type=checkbox], [type=radio]), select, textarea");
    const isOnBoard = target.closest(".spot") && ON_BOARD.includes(key);
    if (isTyped || isOnBoard || document.querySelector("dialog[open]")) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
    const action = this.actions.get(key);
    if (!action || (!this.on.checked && !key.startsWith("Arrow"))) return;
    event.preventDefault();
    action();
  }
}

// The browser can refuse its storage.
function read() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

function write(value) {
  try {
    localStorage.setItem(STORED, value);
  } catch {
    // The choice holds until the page is closed.
  }
}
