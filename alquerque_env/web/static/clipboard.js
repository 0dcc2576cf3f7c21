// Copies text, and says so for a moment on the button that was pressed for it.

import { made } from "./elements.js";

const COPIED_MS = 1500;

export async function copyText(text, button = null) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Browsers give no clipboard to pages that were not sent over HTTPS.
    const field = made("textarea", { value: text });
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  if (!button) return;
  const { textContent } = button;
  Object.assign(button, { textContent: "Copied", disabled: true });
  setTimeout(() => Object.assign(button, { textContent, disabled: false }), COPIED_MS);
}
