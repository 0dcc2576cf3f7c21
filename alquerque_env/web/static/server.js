// Sends requests to the server. An error becomes an Error whose message is a sentence for the user; `fields` are the
// fields of the New-game dialog that it is about, `legal` the number of legal steps before one that is not.

export async function ask(name, body = {}, signal) {
  const response = await send(name, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });
  const type = response.headers.get("content-type") ?? "";
  const found = type.startsWith("application/json") ? await response.json() : {};
  const { error, bot_failed: botFailed = false, fields = [], legal } = found;
  if (!response.ok) throw Object.assign(new Error(error ?? `the server answered ${response.status}`), { botFailed, fields, legal });
  return found;
}

async function send(name, init) {
  try {
    return await fetch(`api/${name}`, init);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Start it again with: alquerque web");
  }
}
