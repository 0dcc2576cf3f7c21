// Keeps the files of this version of the page, so that it works without a network. The line above has the version, the
// files that the page needs at first, and those that are kept afterwards.
//
// A new version is fetched beside the old one, and takes its place when the page is opened next.

const PREFIX = `alquerque ${new URL(self.registration.scope).pathname} `;
const CACHE = PREFIX + SITE.version;

// Files that the browser has already are not sent again.
const fresh = (path) => new Request(path, { cache: "no-cache" });

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SITE.first.map(fresh))));
});

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
  await self.clients.claim();
}
self.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));

async function keepLater() {
  const cache = await caches.open(CACHE);
  for (const path of SITE.later) if (!(await cache.match(path))) await cache.add(fresh(path));
}
self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
  else event.waitUntil(keepLater().catch(() => null)); // goes on at the next visit
});

async function answer(request) {
  const { waiting } = self.registration;
  if (request.mode === "navigate" && waiting && (await self.clients.matchAll()).length < 2) {
    waiting.postMessage("take over");
    return new Response("", { headers: { Refresh: "0" } });
  }
  const cache = await caches.open(CACHE);
  const found = await cache.match(request, { ignoreSearch: true });
  if (found) return found;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(self.registration.scope)) event.respondWith(answer(request));
});
