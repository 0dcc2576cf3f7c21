"""The static page on a web server for files, which compresses and sends a strict content policy; what it is asked."""

import gzip
import random
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Page

from alquerque_env import Match, load_game

POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self' data: blob:"
KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain",
    ".table": "application/octet-stream",
    ".safetensors": "application/octet-stream",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


class Host:
    """What was sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sent: dict[str, int] = {}
        self.is_down = False
        self.cuts = False  # whether half of a file is all that arrives
        self.address = ""


@contextmanager
def hosted(folder: Path, under: str = "/games/play/") -> Iterator[Host]:
    """Serves a folder at a path that is not the root of its host."""
    host = Host(folder)

    class Handler(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # browsers keep nothing of older ones

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            name = path.removeprefix(under) or "index.html"
            file = host.folder / name
            if host.is_down:
                self.close_connection = True
                return
            if not path.startswith(under) or not file.is_file():
                self.send_error(404)
                return
            data = gzip.compress(file.read_bytes(), mtime=0)
            tag = f'"{zlib.crc32(data)}"'
            if self.headers["If-None-Match"] == tag:
                self.send_response(304)
                self.send_header("ETag", tag)
                self.end_headers()
                return
            host.sent[name] = host.sent.get(name, 0) + len(data)
            self.send_response(200)
            self.send_header("Content-Type", KINDS[file.suffix])
            self.send_header("ETag", tag)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            with suppress(ConnectionError):  # the page has been left
                self.wfile.write(data[: len(data) // 2] if host.cuts else data)
            self.close_connection = host.cuts

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host.address = f"http://127.0.0.1:{server.server_port}{under}"
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()


def ask(page: Page, requests: list[tuple[str, object]]) -> list[dict]:
    """The answers of the page to its own requests."""
    return page.evaluate(
        """async (requests) => {
          const { ask } = await import(new URL("static/server.js", location.href));
          const answers = [];
          for (const [name, body] of requests) {
            answers.push(await ask(name, body).catch(({ message, fields = [], legal }) => {
              const more = { ...(fields.length ? { fields } : {}), ...(legal === undefined ? {} : { legal }) };
              return { error: message, ...more };
            }));
          }
          return answers;
        }""",
        requests,
    )


def body_of(match: Match) -> dict[str, object]:
    return {"game": match.game.name, "options": {}, "start": None, "steps": [step.text for step in match.steps]}


def random_match(name: str, seed: int, most: int = 400) -> Match:
    match, chance = Match(load_game(name)), random.Random(seed)
    while not match.is_over and len(match.steps) < most:
        match.push(chance.choice(match.legal_steps))
    return match
