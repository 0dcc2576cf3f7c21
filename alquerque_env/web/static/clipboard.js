// Copies text.

import { made } from "./elements.js";

const COPIED_MS = 1500;

export async function copyText(text) {
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
}

// Says on a button for a moment that something was copied.
export function showCopied(button) {
  const { textContent } = button;
  Object.assign(button, { textContent: "Copied", disabled: true });
  setTimeout(() => Object.assign(button, { textContent, disabled: false }), COPIED_MS);
}
