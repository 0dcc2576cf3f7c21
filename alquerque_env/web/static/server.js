// Sends requests to the server. An error becomes an Error whose message is a sentence for the user; `fields` are the
// fields of the New-game dialog that it is about, `legal` the number of legal steps before one that is not.

// Whether a bot that thinks can be told to move now.
export const CAN_STOP_BOTS = true;

// Whether the page has a server, which looks up all tables of its machine.
export const IS_SERVED = true;

async function answer(response) {
  const type = response.headers.get("content-type") ?? "";
  const body = type.startsWith("application/json") ? await response.json() : {};
  const { error, bot_failed: botFailed = false, fields = [], legal } = body;
  if (!response.ok) throw Object.assign(new Error(error ?? `the server answered ${response.status}`), { botFailed, fields, legal });
  return body;
}

async function send(path, init) {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Start it again with: alquerque web");
  }
}

export async function get(path) {
  return answer(await send(path, {}));
}

export async function ask(path, body, signal) {
  const headers = { "content-type": "application/json" };
  return answer(await send(path, { method: "POST", headers, body: JSON.stringify(body), signal }));
}
