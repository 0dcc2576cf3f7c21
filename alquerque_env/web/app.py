"""The server of the page: requests carry JSON over HTTP, to the address of their name, and so do their errors."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import AlquerqueError, MissingExtraError

try:
    import uvicorn  # noqa: F401  that of `server.py`
    from pydantic import ValidationError
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import FileResponse, JSONResponse, Response
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles
except ModuleNotFoundError as error:
    if error.name not in ("pydantic", "starlette", "uvicorn"):
        raise
    raise MissingExtraError(error.name, "web") from None

from ..files.browser_json import write_json
from ..progress import in_daemon_thread
from .answers import SEARCHES, show_error
from .bot_pool import BotPool
from .request_bodies import BODIES
from .request_guard import RequestGuard
from .server_host import ANSWERS, Catalogue, ServerHost

STATIC = Path(__file__).parent / "static"

MAX_SEARCHES = 2  # searches that run at the same time; further requests wait
_POLL_SECONDS = 0.2


def make_app(
    *,
    catalogue: Catalogue | None = None,
    offered: Mapping[str, Sequence[str]] | None = None,
    seconds: float = 2.0,
    checkpoints: Sequence[Path] = (),
    is_stopping: Callable[[], bool] = lambda: False,
) -> Starlette:
    """Makes the server; `offered` and `seconds` are those of `BotPool`, and searches end when `is_stopping` says so.

    The page may open checkpoints below the folders `checkpoints`.
    """
    host = ServerHost(catalogue or Catalogue(), BotPool(offered or {}, seconds), checkpoints)
    places = asyncio.Semaphore(MAX_SEARCHES)

    async def respond(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in BODIES:
            raise HTTPException(404)
        body = BODIES[name].model_validate_json(await request.body()).model_dump()
        if name not in SEARCHES:
            return JsonAnswer(await run_in_threadpool(ANSWERS[name], body, host))
        return JsonAnswer(await search(request, name, body))

    async def search(request: Request, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Answers in a thread, and stops the search when the page no longer waits for the answer."""
        stop = threading.Event()
        with host.until(stop, body.get("id")) as searching:
            async with places:
                task = asyncio.wrap_future(in_daemon_thread(lambda: ANSWERS[name](body, searching)))
                while not (await asyncio.wait([task], timeout=_POLL_SECONDS))[0]:
                    if is_stopping():
                        stop.set()
                        task.cancel()  # its result must not reach an event loop that has ended
                        raise HTTPException(503, "the server is stopping")
                    if await request.is_disconnected():
                        stop.set()
                return task.result()

    handlers: dict[Any, Any] = {
        AlquerqueError: lambda _, error: JsonAnswer(show_error(error), 400),
        ImportError: lambda _, error: JsonAnswer(show_error(error), 400),
        HTTPException: lambda _, error: JsonAnswer({"error": error.detail}, error.status_code, headers=error.headers),
        ValidationError: _invalid_body,
        ClientDisconnect: lambda _, __: Response(status_code=400),
    }
    routes = [
        Route("/", lambda _: FileResponse(STATIC / "index.html")),
        Mount("/static", StaticFiles(directory=STATIC)),
        Route("/api/{name}", respond, methods=["POST"]),
    ]
    middleware = [Middleware(RequestGuard), Middleware(GZipMiddleware, compresslevel=6)]
    return Starlette(routes=routes, exception_handlers=handlers, middleware=middleware)


class JsonAnswer(JSONResponse):
    """An answer with numbers that a browser holds."""

    def render(self, content: object) -> bytes:
        """Writes it."""
        return write_json(content)


def _invalid_body(_: Request, error: ValidationError) -> Response:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the request"
    return JsonAnswer({"error": f"{where}: {first['msg']}"}, 400)
