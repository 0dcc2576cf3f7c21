"""A web server for files, as hosts have it: it compresses, and sends a strict content policy."""

import gzip
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self' data: blob:"
KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".table": "application/octet-stream",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


class Host:
    """What was sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sent: dict[str, int] = {}
        self.is_down = False
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
                self.wfile.write(data)

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
