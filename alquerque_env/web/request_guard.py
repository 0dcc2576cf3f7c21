"""Refuses requests that do not come from the page of this server, so that no other web page can use it.

A request counts as work when its body has arrived, so that slow clients take no place from others.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
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
            messages: list[Message] = [{"type": "http.request", "body": await _read_body(receive)}]
            if self._at_work >= MOST_AT_WORK:
                raise HTTPException(503, BUSY)
        except HTTPException as error:
            await JSONResponse({"error": error.detail}, error.status_code, headers=HEADERS)(scope, receive, send)
            return

        async def replay() -> Message:
            """Gives the body that was read, and then what follows it."""
            return messages.pop() if messages else await receive()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        self._at_work += 1
        try:
            await self._app(scope, replay, send_with_headers)
        finally:
            self._at_work -= 1


def _check_headers(method: str, headers: Headers) -> None:
    host = headers.get("host", "").lower()  # names of hosts know no capitals
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name.removesuffix(".") not in _HOSTS:
        raise HTTPException(403, f"this server answers requests to localhost, not to {host[:80]!r}")
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host}":
        raise HTTPException(403, f"requests come from this server's own page, not from {origin[:80]!r}")
    if method == "POST":
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise HTTPException(415, f"expected JSON (application/json), not {kind[:80]!r}")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:12]) > MAX_BYTES:
            raise HTTPException(413, TOO_LARGE)


async def _read_body(receive: Receive) -> bytes:
    """Reads the body, whose length the header can leave out or state wrongly."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HTTPException(400, "the request ended before its body did")
        body += message.get("body", b"")
        if len(body) > MAX_BYTES:
            raise HTTPException(413, TOO_LARGE)
        if not message.get("more_body", False):
            return bytes(body)
