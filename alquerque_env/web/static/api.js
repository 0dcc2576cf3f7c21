// Questions to the server. Every refusal becomes an Error with a sentence for people.

async function answer(response) {
  const type = response.headers.get("content-type") ?? "";
  const body = type.startsWith("application/json") ? await response.json() : {};
  // `isFault`: who was asked has failed, not who has asked.
  const { error, is_fault: isFault = false } = body;
  if (!response.ok) throw Object.assign(new Error(error ?? `the server answered ${response.status}`), { isFault });
  return body;
}

async function reach(path, init) {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer; start it again with: alquerque web");
  }
}

export async function get(path) {
  return answer(await reach(path, {}));
}

export async function ask(path, body, signal) {
  const headers = { "content-type": "application/json" };
  return answer(await reach(path, { method: "POST", headers, body: JSON.stringify(body), signal }));
}
