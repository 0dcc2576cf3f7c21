"""Refuses requests that do not come from the page of this server, so that no other web page can use it.

A request counts as work when its body has arrived, so that slow clients take no place from others.
"""

from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 2048 * 1024  # size of the largest request, a part of a match file; the longest matches take 100 kB

TOO_LARGE = f"the request is too large: at most {MAX_BYTES // 1024} kB"

MOST_AT_WORK = 64  # requests that are worked on at the same time; further ones are refused

BUSY = f"the server works on {MOST_AT_WORK} requests already: try again in a moment"

_HOSTS = ("127.0.0.1", "localhost", "[::1]")

# Scripts, styles and pictures come from this server only, and no page may frame this one.
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class RequestGuard:
    """Middleware that refuses requests with another host name (DNS rebinding), from other pages, and too large ones."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._at_work = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request, as in ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            _check_headers(scope["method"], Headers(scope=scope))
            body = await _read_body(receive)
            if self._at_work >= MOST_AT_WORK:
                raise _RefusedError(503, BUSY)
        except _RefusedError as error:
            await JSONResponse({"error": error.reason}, error.status, headers=HEADERS)(scope, receive, send)
            return
        self._at_work += 1
        try:
            await self._app(scope, _with_body(body, receive), _with_headers(send))
        finally:
            self._at_work -= 1


class _RefusedError(Exception):
    """A request that is refused, with the status of the answer."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def _check_headers(method: str, headers: Headers) -> None:
    host = headers.get("host", "").lower()  # names of hosts know no capitals
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name.removesuffix(".") not in _HOSTS:
        raise _RefusedError(403, f"this server answers requests to localhost, not to {host[:80]!r}")
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host}":
        raise _RefusedError(403, f"requests come from this server's own page, not from {origin[:80]!r}")
    if method == "POST":
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise _RefusedError(415, f"expected JSON (application/json), not {kind[:80]!r}")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:12]) > MAX_BYTES:
            raise _RefusedError(413, TOO_LARGE)


async def _read_body(receive: Receive) -> bytes:
    """Reads the body, whose length the header can leave out or state wrongly."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _RefusedError(400, "the request ended before its body did")
        body += message.get("body", b"")
        if len(body) > MAX_BYTES:
            raise _RefusedError(413, TOO_LARGE)
        if not message.get("more_body", False):
            return bytes(body)


def _with_body(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read, and then what follows it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def _with_headers(send: Send) -> Send:
    added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return with_headers
