"""Refuses requests that do not come from the page of this server, so that no other web page can use it."""

from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 512 * 1024
"""Size of the largest request; the longest matches take a fifth of it."""

TOO_LARGE = f"the request is too large: at most {MAX_BYTES // 1024} kB; load a part of a long match file"

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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request, as in ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = _refuse(scope["method"], Headers(scope=scope))
        if refusal is not None:
            status, reason = refusal
            await JSONResponse({"error": reason}, status, headers=HEADERS)(scope, receive, send)
            return
        await self._app(scope, _limited(receive), _with_headers(send))


class TooLargeError(Exception):
    """The body of a request is too large."""


def _refuse(method: str, headers: Headers) -> tuple[int, str] | None:
    host = headers.get("host", "")
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name not in _HOSTS:
        return 403, f"this server answers requests to localhost, not to {host[:80]!r}"
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return 403, f"requests come from this server's own page, not from {origin[:80]!r}"
    if method == "POST":
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return 415, f"expected JSON (application/json), not {kind[:80]!r}"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:12]) > MAX_BYTES:
            return 413, TOO_LARGE
    return None


def _limited(receive: Receive) -> Receive:
    """Counts the bytes of the body, since the header with its length can be missing or wrong."""
    read = 0

    async def counted() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MAX_BYTES:
            raise TooLargeError
        return message

    return counted


def _with_headers(send: Send) -> Send:
    added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return with_headers
