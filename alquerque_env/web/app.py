"""The questions that the page asks, and the answers: JSON over HTTP."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, StringConstraints, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from .. import __version__
from ..errors import AlquerqueError
from ..game.game import games, load_game
from ..game.step import Step
from ..match.match import Match
from ..match.records import format_record, read_records
from ..render import draw_svg
from ..solve.tables import StepValue
from . import catalogue
from .bot_pool import FaultError, Thinkers
from .messages import Body, MatchText, Name, RulesText, Text, show, show_step, show_way
from .request_guard import TOO_LARGE, Guard, TooLargeError

STATIC = Path(__file__).parent / "static"
MOST_THINKING = 2
"""Bots that think at once; others wait."""
MOST_LOADED = 50
"""Matches taken from a file of several."""
_LOOK = 0.2

Player = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
"""A name or a spec, which may be a whole command."""
Question = TypeVar("Question", bound=Body)
Result = TypeVar("Result")


class BoardText(RulesText):
    """A board to be drawn, for South or turned for North."""

    turned: bool = False


class BotText(Body):
    """A match and the spec of the bot that is to play."""

    match: MatchText
    bot: Player


class ThinkText(Body):
    """A match and the time that its evaluation may take."""

    match: MatchText
    seconds: Annotated[float, Field(gt=0, le=60)] = 1.0


class SaveText(Body):
    """A match to be written down.

    Attributes:
      south, north: Names of the players.
      result, reason: How people have ended it, None where they have not, or the board says it.
      date: When it was played, as `2026.11.21`, None where that is not known.
      headers: Further headers.
    """

    match: MatchText
    south: Player
    north: Player
    result: Name | None = None
    reason: Text | None = None
    date: Name | None = None
    headers: Annotated[dict[Name, Text], Field(max_length=64, default_factory=dict)]


class LoadText(Body):
    """A file of matches."""

    text: str


class PictureText(Body):
    """A match to be drawn."""

    match: MatchText
    turned: bool = False


class Desk:
    """Answers what bots and levels have a part in.

    Args:
      thinkers: The bots.
      is_ending: Tells whether the server is about to end, so that nobody thinks on.
    """

    def __init__(self, thinkers: Thinkers, is_ending: Callable[[], bool]) -> None:
        self._thinkers = thinkers
        self._is_ending = is_ending
        self._seats = asyncio.Semaphore(MOST_THINKING)

    def list_games(self, _: Request) -> Response:
        """All games, with their options and levels."""
        found = [catalogue.describe(game, self._thinkers.levels(game)) for game in map(load_game, games())]
        return JSONResponse({"version": __version__, "games": found, "seconds": self._thinkers.seconds})

    def show_rules(self, asked: RulesText) -> Any:
        """The rules of a game under its options, and who plays it."""
        game = asked.load()
        return catalogue.rules(game) | {"levels": [level._asdict() for level in self._thinkers.levels(game)]}

    async def play(self, request: Request) -> Response:
        """A bot's turn."""
        asked = await _read(request, BotText)

        def task(stop: threading.Event) -> Any:
            match = asked.match.replay()
            return _played(match, self._thinkers.play(match, asked.bot, stop))

        return JSONResponse(await self._think_about(request, task))

    async def think(self, request: Request) -> Response:
        """What a position and its steps are worth."""
        asked = await _read(request, ThinkText)

        def task(stop: threading.Event) -> Any:
            match = asked.match.replay()
            thought = _thought(match, self._thinkers.think(match, stop, asked.seconds))
            return _with_truth(match, thought, *self._thinkers.know(match))

        return JSONResponse(await self._think_about(request, task))

    async def _think_about(self, request: Request, task: Callable[[threading.Event], Result]) -> Result:
        """Does what takes long, and stops it when nobody waits for it any more."""
        stop = threading.Event()
        async with self._seats:
            thinking = _beside(task, stop)
            while not (await asyncio.wait([thinking], timeout=_LOOK))[0]:
                if self._is_ending():
                    stop.set()
                    thinking.cancel()  # what comes of it would reach a server that is gone
                    raise HTTPException(503, "the server ends")
                if await request.is_disconnected():
                    stop.set()
            return thinking.result()


def _beside(task: Callable[[threading.Event], Result], stop: threading.Event) -> asyncio.Future[Result]:
    """Does a task in a thread that does not keep the server from ending."""
    done: concurrent.futures.Future[Result] = concurrent.futures.Future()
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            done.set_result(task(stop))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return asyncio.wrap_future(done)


def make_app(
    *,
    others: Mapping[str, Sequence[str]] | None = None,
    seconds: float = 10.0,
    is_ending: Callable[[], bool] = lambda: False,
) -> Starlette:
    """The server.

    Args:
      others: Specs of bots offered beside the levels, each with the ids of the games that it plays.
      seconds: That a bot may take for a step.
      is_ending: Tells whether the server is about to end.
    """
    desk = Desk(Thinkers(others or {}, seconds), is_ending)
    routes = [
        Route("/", lambda _: FileResponse(STATIC / "index.html")),
        Mount("/static", StaticFiles(directory=STATIC)),
        Route("/api/games", desk.list_games),
        Route("/api/play", desk.play, methods=["POST"]),
        Route("/api/think", desk.think, methods=["POST"]),
        _question("/api/rules", RulesText, desk.show_rules),
        _question("/api/board", BoardText, lambda asked: catalogue.board(asked.load(), turned=asked.turned)),
        _question("/api/match", MatchText, lambda asked: show(asked.replay())),
        _question("/api/save", SaveText, _save),
        _question("/api/load", LoadText, _load),
        _question("/api/picture", PictureText, _draw),
    ]
    refusals: dict[Any, Any] = {
        AlquerqueError: _refuse,
        FaultError: _report_fault,
        ClientDisconnect: _refuse_torn,
        ImportError: _refuse,
        ValidationError: _refuse_form,
        TooLargeError: _refuse_size,
        HTTPException: _refuse_http,
    }
    return Starlette(routes=routes, exception_handlers=refusals, middleware=[Middleware(Guard)])


async def _read(request: Request, kind: type[Question]) -> Question:
    return kind.model_validate_json(await request.body())


def _question(path: str, kind: type[Question], answer: Callable[[Question], Any]) -> Route:
    """A question that is answered at once."""

    async def reply(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(answer, await _read(request, kind)))

    endpoint: Callable[[Request], Awaitable[Response]] = reply
    return Route(path, endpoint, methods=["POST"])


def _played(match: Match, steps: list[Step]) -> dict[str, Any]:
    """Plays the steps of a turn; shows each and what came of it."""
    shown = []
    for step in steps:
        match.push(step)
        shown.append(show_step(match.game, step) | {"after": show(match)})
    return {"steps": shown}


def _thought(match: Match, thought: Any) -> dict[str, Any]:
    """A thought as South sees it."""
    sign = 1 - 2 * match.player
    candidates = [
        {
            "line": list(candidate.line),
            "value": round(sign * candidate.value, 4),
            "share": candidate.share,
            "step": show_step(match.game, candidate.step),
            "ways": _ways(match, candidate.line[0]),
        }
        for candidate in thought.candidates
    ]
    return {
        "value": round(sign * thought.value, 4),
        "depth": thought.depth,
        "nodes": thought.nodes,
        "candidates": candidates,
    }


def _with_truth(match: Match, thought: dict[str, Any], sentence: str, known: tuple[StepValue, ...]) -> dict[str, Any]:
    """A thought in which what an endgame table knows has taken the place of what a search believes."""
    sign = 1 - 2 * match.player
    values = {found.step.text: sign * found.value for found in known}
    for candidate in thought["candidates"]:
        candidate["value"] = values.get(candidate["step"]["text"], candidate["value"])
    if known:
        thought["value"] = sign * known[0].value
        order = [found.step.text for found in known]
        thought["candidates"].sort(key=lambda candidate: order.index(candidate["step"]["text"]))
    return thought | {"exact": sentence}


def _ways(match: Match, turn: str) -> list[list[list[float]]]:
    """The ways of the steps of a turn."""
    ahead = match.copy()
    ahead.push(turn)
    return [show_way(match.game, step) for step in ahead.steps[len(match.steps) :]]


def _save(asked: SaveText) -> dict[str, str]:
    match = asked.match.replay()
    is_over = match.is_over
    text = format_record(
        match,
        south=asked.south,
        north=asked.north,
        date=asked.date,
        result=None if is_over else asked.result,
        reason=None if is_over else asked.reason,
        headers=asked.headers,
    )
    return {"text": text}


def _load(asked: LoadText) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    has_more = False
    for record in read_records(asked.text):
        if len(found) == MOST_LOADED:
            has_more = True
            break
        text = MatchText.of(record.match, record.headers.get("Position"))
        is_ended = record.result != "*" and not record.match.is_over
        ended = {"result": record.result, "reason": record.reason} if is_ended else None
        said = {"headers": dict(record.headers), "others": record.other_headers, "ended": ended}
        found.append({"match": text.model_dump(), **said})
    if not found:
        raise AlquerqueError('the file holds no match; expected headers such as [Game "fetaix"] and turns')
    return {"matches": found, "more": has_more}


def _draw(asked: PictureText) -> dict[str, str]:
    match = asked.match.replay()
    return {"svg": draw_svg(match.picture(turned=asked.turned))}


def _refuse(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


def _report_fault(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error), "is_fault": True}, 400)


def _refuse_torn(_: Request, __: Exception) -> Response:
    """Who has asked is gone."""
    return Response(status_code=400)


def _refuse_form(_: Request, error: ValidationError) -> Response:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the request"
    return JSONResponse({"error": f"{where}: {first['msg']}"}, 400)


def _refuse_size(_: Request, __: Exception) -> Response:
    return JSONResponse({"error": TOO_LARGE}, 413)


def _refuse_http(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)
