// Runs the engine of the package in MicroPython, and passes requests to its function `answer`.

import { loadMicroPython } from "../engine/micropython.js";

const HEAP = 4 * 1024 * 1024; // bytes at first; it grows
const STACK = 16 * 1024; // words

async function start() {
  const source = fetch(new URL("../engine/engine.txt", import.meta.url)).then((response) => {
    if (!response.ok) throw new Error(`engine.txt: status ${response.status}`);
    return response.text();
  });
  const python = await loadMicroPython({ heapsize: HEAP, pystack: STACK });
  python.runPython(await source);
  return { answer: python.globals.get("answer"), take: python.globals.get("take_game") };
}

const started = start();

self.addEventListener("message", async ({ data: { path, body, game } }) => {
  try {
    const { answer, take } = await started;
    if (game) take(game);
    self.postMessage({ answer: JSON.parse(answer(path, body)) });
  } catch (error) {
    const lines = error.message.trim().split("\n");
    self.postMessage({ failed: lines.at(-1) });
  }
});
