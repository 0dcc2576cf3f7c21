"""The server of the page: the addresses of its requests, which carry JSON over HTTP, and their errors."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..errors import AlquerqueError, MissingExtraError, PositionError

try:
    import uvicorn  # noqa: F401  that of `server.py`
    from pydantic import ValidationError
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import FileResponse, Response
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles
except ModuleNotFoundError as error:
    if error.name not in ("pydantic", "starlette", "uvicorn"):
        raise
    raise MissingExtraError(error.name, "web") from None

from .. import __version__
from ..bots.levels import EASY, level_names, levels
from ..game.game import Game
from ..match.replay import StoppedError
from . import match_requests, page_view
from .bot_pool import BotFailedError, BotPool, title_of
from .bot_requests import BotRequests
from .catalogue import Catalogue
from .checkpoint_folders import CheckpointFolders
from .exercise_requests import ExerciseRequests
from .json_answer import JsonAnswer
from .options_problem import OptionsProblemError
from .request_bodies import (
    BoardBody,
    Body,
    GameBody,
    LinkBody,
    LoadBody,
    MatchBody,
    MissedBody,
    OpenBody,
    PictureBody,
    RefuteBody,
    SaveBody,
    ShownBody,
    StopBody,
    VariationsBody,
)
from .request_guard import RequestGuard
from .rule_pictures import show_rule_pictures

STATIC = Path(__file__).parent / "static"

FIRST_OPPONENT = EASY.spec
"""Who plays against a newcomer."""

Received = TypeVar("Received", bound=Body)


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
    catalogue = catalogue or Catalogue()
    bots = BotPool(offered or {}, seconds)
    folders = CheckpointFolders(checkpoints)
    bot_requests = BotRequests(catalogue, bots, is_stopping)
    exercises = ExerciseRequests(catalogue)

    def show_bots(game: Game) -> dict[str, Any]:
        offered = [level._asdict() for level in bots.levels(game)]
        return {"levels": offered, "evaluators": bots.evaluators(game), "strongest": levels(game)[-1].spec}

    def list_games(_: Request) -> Response:
        about = {
            "version": __version__,
            "level_names": level_names(),
            "first": catalogue.first,
            "opponent": FIRST_OPPONENT,
            "seconds": bots.seconds,
            "checkpoints": folders.names,
        }
        return JsonAnswer({**about, "games": [page_view.show_game(game) for game in catalogue.games.values()]})

    def show_rules(body: GameBody) -> dict[str, Any]:
        game = body.load(catalogue)
        return page_view.show_rules(game) | show_bots(game)

    def open_checkpoint(body: OpenBody) -> dict[str, Any]:
        path = folders.find(body.folder)
        spec = str(path) if body.simulations is None else f"{path}:{body.simulations}"
        name, played = bots.open(spec, catalogue.games.values())
        return {"name": name, "games": [title_of(spec, catalogue.games[game]) for game in played]}

    routes = [
        Route("/", lambda _: FileResponse(STATIC / "index.html")),
        Mount("/static", StaticFiles(directory=STATIC)),
        Route("/api/games", list_games),
        Route("/api/turn", bot_requests.play_turn, methods=["POST"]),
        Route("/api/analysis", bot_requests.evaluate, methods=["POST"]),
        Route("/api/report", bot_requests.report, methods=["POST"]),
        _route("/api/move-now", StopBody, bot_requests.move_now),
        _route("/api/open", OpenBody, open_checkpoint),
        _route("/api/rules", GameBody, show_rules),
        _route("/api/rule-pictures", GameBody, lambda body: show_rule_pictures(body.load(catalogue))),
        _route("/api/card", GameBody, lambda body: page_view.show_card(body.load(catalogue))),
        _route("/api/board", BoardBody, lambda body: page_view.show_board(body.load(catalogue), turned=body.turned)),
        _route("/api/match", ShownBody, lambda body: page_view.show_match(body.replay(catalogue), body.person)),
        _route("/api/variations", VariationsBody, lambda body: match_requests.variations(body, catalogue)),
        _route("/api/save", SaveBody, lambda body: match_requests.save(body, catalogue)),
        _route("/api/load", LoadBody, lambda body: match_requests.load(body, catalogue)),
        _route("/api/link", MatchBody, lambda body: match_requests.write_link(body, catalogue)),
        _route("/api/open-link", LinkBody, lambda body: match_requests.open_link(body, catalogue)),
        Route("/api/exercises", lambda _: JsonAnswer(exercises.list_games())),
        _route("/api/lessons", GameBody, exercises.lessons),
        _route("/api/puzzles", GameBody, exercises.puzzles),
        _route("/api/refute", RefuteBody, exercises.refute),
        _route("/api/missed", MissedBody, exercises.missed),
        _route("/api/picture", PictureBody, lambda body: match_requests.draw(body, catalogue)),
    ]
    handlers: dict[Any, Any] = {
        AlquerqueError: lambda _, error: _error(400, error),
        StoppedError: lambda _, error: _error(400, error, legal=error.legal),
        OptionsProblemError: lambda _, error: _error(400, error, fields=error.fields),
        PositionError: lambda _, error: _error(400, error, fields=["start"]),
        ImportError: lambda _, error: _error(400, error),
        BotFailedError: lambda _, error: _error(400, error, bot_failed=True),
        HTTPException: lambda _, error: JsonAnswer({"error": error.detail}, error.status_code, headers=error.headers),
        ValidationError: _invalid_body,
        ClientDisconnect: lambda _, __: Response(status_code=400),
    }
    return Starlette(routes=routes, exception_handlers=handlers, middleware=[Middleware(RequestGuard)])


def _route(path: str, kind: type[Received], answer: Callable[[Received], Any]) -> Route:
    """The route of a request that needs no search."""

    async def respond(request: Request) -> Response:
        body = kind.model_validate_json(await request.body())
        return JsonAnswer(await run_in_threadpool(answer, body))

    endpoint: Callable[[Request], Awaitable[Response]] = respond
    return Route(path, endpoint, methods=["POST"])


def _error(status: int, error: object, **more: Any) -> Response:
    return JsonAnswer({"error": str(error), **more}, status)


def _invalid_body(_: Request, error: ValidationError) -> Response:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the request"
    return _error(400, f"{where}: {first['msg']}")
