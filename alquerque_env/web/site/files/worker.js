// Runs the engine of the package in MicroPython, and passes requests to its function `answer`, with the game, or the table
// or the network of a game, that it needs, or that there is no such game.

import { loadMicroPython } from "../engine/micropython.js";
import { FamilyNetwork } from "./family_network.js";

const HEAP = 4 * 1024 * 1024; // bytes at first; it grows
const STACK = 16 * 1024; // words
const FUNCTIONS = ["answer", "take_game", "refuse", "take_table", "take_network"];

async function start() {
  const source = fetch(new URL("../engine/engine.txt", import.meta.url)).then((response) => {
    if (!response.ok) throw new Error(`engine.txt: status ${response.status}`);
    return response.text();
  });
  const python = await loadMicroPython({ heapsize: HEAP, pystack: STACK });
  python.runPython(await source);
  return Object.fromEntries(FUNCTIONS.map((name) => [name, python.globals.get(name)]));
}

// The header of a table and its places, as `table_data` wrote them.
async function unpack(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const end = bytes.indexOf("\n".charCodeAt(0));
  return [new TextDecoder().decode(bytes.subarray(0, end)), bytes.subarray(end + 1)];
}

// The facts of a game for the engine, and what evaluates the network there.
function readNetwork({ graph, weights }) {
  const { views, gains, ...facts } = JSON.parse(new TextDecoder().decode(graph));
  const network = new FamilyNetwork(weights, { views, gains });
  return [JSON.stringify(facts), (inputs) => JSON.stringify(network.evaluate(...JSON.parse(inputs)))];
}

const started = start();

self.addEventListener("message", async ({ data: { name, body, game, unknown, table, network } }) => {
  try {
    const { answer, take_game, refuse, take_table, take_network } = await started;
    if (game) take_game(game);
    if (unknown) refuse(unknown);
    if (table) take_table(table.game, ...(table.data ? await unpack(table.data) : ["", null]));
    if (network) take_network(network.game, ...readNetwork(network));
    self.postMessage({ answer: JSON.parse(answer(name, body)) });
  } catch (error) {
    const lines = error.message.trim().split("\n");
    self.postMessage({ failed: lines.at(-1) });
  }
});
