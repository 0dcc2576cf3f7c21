// Answers the requests of the page without a server: from the files of this folder, and by the engine of the package in
// workers. It takes the place of the page's own `server.js`.

const KEEP_AFTER_MS = 3000; // what is needed at first comes before
const SEARCHES = ["turn", "analysis", "report"];
const FILES = ["card", "rule-pictures", "lessons", "puzzles"]; // requests whose answers are files, one for each game
const NO_OPTIONS =
  "This page has each game with its default rules. To play by others, install alquerque-env and run: alquerque web";

const NO_WEIGHTS =
  "Trained cannot play, since its weights were not fetched whole: connect to the network and ask it again, or choose another level.";

// Browsers have this function only on pages that were sent over HTTPS or by this machine.
crypto.randomUUID ??= () => "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
  (Number(digit) ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (Number(digit) / 4)))).toString(16));

const texts = new Map(); // address of a file of the games -> its text, or the promise of it

function load(address) {
  if (!texts.has(address)) {
    const text = fetch(address).then((response) => {
      if (!response.ok) throw new Error(`this page has no file ${address} (status ${response.status})`);
      return response.text();
    });
    texts.set(address, text);
    text.catch(() => texts.delete(address)); // to be tried again
  }
  return texts.get(address);
}

const loadGame = (id) => loadOf("games", id);

// What one of the folders has of a game.
async function loadOf(folder, id) {
  const { games } = await ask("games");
  if (!games.some((game) => game.id === id)) throw new Error(`This page has no game ${JSON.stringify(id)}.`);
  try {
    return JSON.parse(await load(`${folder}/${encodeURIComponent(id)}.json`));
  } catch (error) {
    const what = folder === "games" ? "game" : `${folder} of the game`;
    throw new Error(`The ${what} cannot be loaded (${error.message}). Connect to the network and try again.`);
  }
}

// The endgame table of a game; null if it cannot be had now: the engine searches then, and needs it again next time.
async function loadTable(id) {
  const response = await fetch(`tables/${encodeURIComponent(id)}.table`).catch(() => null);
  return response?.ok ? response.arrayBuffer() : null;
}

// What the level Trained needs in a game. The browser refuses files that are not those of this page.
async function loadNetwork(id, signal) {
  try {
    const { network } = await loadGame(id);
    const whole = network.map(async ([path, integrity]) => (await fetch(path, { integrity, cache: "no-cache", signal })).arrayBuffer());
    const [graph, weights] = await Promise.all(whole);
    return { game: id, graph, weights };
  } catch {
    throw new Error(NO_WEIGHTS);
  }
}

// What the engine may need of a game.
const NEEDED = {
  async game(name) {
    const known = (await ask("games")).games.map(({ id }) => id);
    if (!known.includes(name)) return { unknown: JSON.stringify({ name, known }) };
    return { game: JSON.stringify((await loadGame(name)).game) };
  },
  table: async (game) => ({ table: { game, data: await loadTable(game) } }),
  network: async (game, signal) => ({ network: await loadNetwork(game, signal) }),
};

// A worker with the engine. It answers one request after another. A request that is aborted while the engine works on it
// ends the worker, since it would not listen, and another one takes its place.
class Engine {
  constructor() {
    this.worker = null;
    this.queue = Promise.resolve();
  }

  start() {
    return (this.worker ??= new Worker(new URL("worker.js", import.meta.url), { type: "module" }));
  }

  ask(name, body, signal) {
    const answer = this.queue.then(async () => {
      signal?.throwIfAborted();
      let found = await this.send({ name, body: JSON.stringify(body) }, signal);
      while (found.needs) {
        const [what, id] = found.needs;
        found = await this.send({ name, body: JSON.stringify(body), ...(await NEEDED[what](id, signal)) }, signal);
      }
      return found;
    });
    this.queue = answer.catch(() => null);
    return answer;
  }

  send(request, signal) {
    const worker = this.start();
    return new Promise((done, fail) => {
      const stop = (error) => {
        worker.terminate();
        this.worker = null;
        fail(error);
      };
      const abort = () => stop(signal.reason);
      signal?.addEventListener("abort", abort, { once: true });
      worker.onmessage = ({ data }) => {
        signal?.removeEventListener("abort", abort);
        if (data.failed) return stop(new Error(`The engine of this page failed (${data.failed}). Load the page again.`));
        done(data.answer);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        stop(new Error("The engine of this page cannot be loaded. Connect to the network and load the page again."));
      };
      worker.postMessage(request);
    });
  }
}

// One for what the page shows, which begins to load behind the first board, and one for what takes time.
const [quick, patient] = [new Engine(), new Engine()];
const HAS_WEBASSEMBLY = typeof WebAssembly === "object";
addEventListener("load", () => HAS_WEBASSEMBLY && quick.start());

function check(found) {
  const { error, fields = [], legal } = found;
  if (error) throw Object.assign(new Error(error), { botFailed: false, fields, legal });
  return found;
}

function requireDefaults({ options = {} }) {
  const fields = Object.keys(options);
  if (fields.length > 0) throw Object.assign(new Error(NO_OPTIONS), { fields });
}

const FROM_FILES = {
  games: loadGames,
  rules: async ({ game }) => (await loadGame(game)).rules,
  board: async ({ game, turned = false }) => (await loadGame(game)).boards[Number(turned)],
  ...Object.fromEntries(FILES.map((name) => [name, ({ game }) => loadOf(name, game)])),
};

async function loadGames() {
  if (!HAS_WEBASSEMBLY) {
    throw new Error("This browser cannot play: it has no WebAssembly, or it is switched off. Use another browser.");
  }
  try {
    return JSON.parse(await load("games.json"));
  } catch {
    throw new Error("The games cannot be loaded. Connect to the network and load the page again.");
  }
}

const isStart = ({ options = {}, start = null, steps = [] }) => Object.keys(options).length + steps.length === 0 && start === null;

async function startOf({ game, person }) {
  const { start, notes } = await loadGame(game);
  return { ...start, note: notes[person ?? 2] };
}

export async function ask(name, body = {}, signal) {
  signal?.throwIfAborted();
  if (name === "match" && isStart(body)) return startOf(body);
  if (name in FROM_FILES) {
    requireDefaults(body);
    return check(await FROM_FILES[name](body));
  }
  const engine = SEARCHES.includes(name) ? patient : quick;
  return check(await engine.ask(name, body, signal));
}

// From now on the page works without a network. A browser that keeps no data of sites goes on without that.
async function keep() {
  try {
    await navigator.serviceWorker?.register(new URL("../service_worker.js", import.meta.url));
    (await navigator.serviceWorker?.ready)?.active.postMessage("keep the other games");
  } catch {}
}
addEventListener("load", () => setTimeout(keep, KEEP_AFTER_MS));
addEventListener("online", keep);
