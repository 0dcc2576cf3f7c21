"""Requests that bots answer: the turn of a bot, a hint, an analysis."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..bots.analysis import Analysis
from ..engine.compiled_parts import BOTS
from ..engine.forms import load_kernels
from ..game.step import Step
from ..match.match import Match
from ..match.status_text import exact_sentence
from .bot_pool import BotPool
from .catalogue import Catalogue
from .page_view import shorten_turn, show_match, show_paths, show_step
from .request_bodies import BotBody, EvaluationBody, StopBody

if TYPE_CHECKING:
    from ..solve.tables import StepValue

SECONDS_FOR_LINES = 0.1  # of the search where an endgame table has the values
MAX_SEARCHES = 2  # searches that run at the same time; further requests wait
_POLL_SECONDS = 0.2

Result = TypeVar("Result")


class BotRequests:
    """Answers requests with bots. Searches end when `is_stopping` says that the server is about to stop."""

    def __init__(self, catalogue: Catalogue, bots: BotPool, is_stopping: Callable[[], bool]) -> None:
        self._catalogue = catalogue
        self._bots = bots
        self._is_stopping = is_stopping
        self._places = asyncio.Semaphore(MAX_SEARCHES)
        self._thinking: dict[str, threading.Event] = {}  # by the id of the request

    async def play_turn(self, request: Request) -> Response:
        """The turn of a bot, step by step, with the match after each step, and the bot's note."""
        body = BotBody.model_validate_json(await request.body())

        def task(stop: threading.Event) -> dict[str, Any]:
            match = body.match.replay(self._catalogue)
            steps, note = self._bots.choose_turn(match, body.bot, stop)
            return {"steps": [_play(match, step) for step in steps], "note": note}

        stop = self._thinking[body.id] = threading.Event()
        try:
            return JSONResponse(await self._search(request, task, stop))
        finally:
            self._thinking.pop(body.id, None)

    def move_now(self, body: StopBody) -> dict[str, bool]:
        """Ends the search of a bot, which plays what it has found; says whether it was thinking."""
        stop = self._thinking.get(body.id)
        if stop is not None:
            stop.set()
        return {"stopped": stop is not None}

    async def evaluate(self, request: Request) -> Response:
        """The value of a position and of its steps, for a hint and for the analysis."""
        body = EvaluationBody.model_validate_json(await request.body())

        def task(stop: threading.Event) -> dict[str, Any]:
            match = body.match.replay(self._catalogue)
            match.table = table = load_kernels("solve.tables", BOTS, match.game).present_table(match.game, shipped=True)
            known = () if table is None else table.steps(match)
            seconds = SECONDS_FOR_LINES if known and all(step.value is not None for step in known) else body.seconds
            return _with_exact_values(match, known, _show_evaluation(match, self._bots.evaluate(match, stop, seconds)))

        return JSONResponse(await self._search(request, task, threading.Event()))

    async def _search(
        self, request: Request, task: Callable[[threading.Event], Result], stop: threading.Event
    ) -> Result:
        """Runs a task in a thread, and sets its event when the page no longer waits for the answer."""
        async with self._places:
            search = _start(task, stop)
            while not (await asyncio.wait([search], timeout=_POLL_SECONDS))[0]:
                if self._is_stopping():
                    stop.set()
                    search.cancel()  # its result must not reach an event loop that has ended
                    raise HTTPException(503, "the server is stopping")
                if await request.is_disconnected():
                    stop.set()
            return search.result()


def _start(task: Callable[[threading.Event], Result], stop: threading.Event) -> asyncio.Future[Result]:
    """Runs a task in a daemon thread, which does not keep the server from ending."""
    future: Future[Result] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(task(stop))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return asyncio.wrap_future(future)


def _play(match: Match, step: Step) -> dict[str, Any]:
    match.push(step)
    return show_step(match.game, step) | {"after": show_match(match)}


def _show_evaluation(match: Match, analysis: Analysis) -> dict[str, Any]:
    """An evaluation with values for South."""
    sign = 1 - 2 * match.player
    candidates = [
        {
            "line": list(candidate.line),
            "short": shorten_turn(match.game, turn),
            "value": round(sign * candidate.value, 4),
            "share": candidate.share,
            "step": show_step(match.game, candidate.step),
            "paths": show_paths(match.game, turn),
        }
        for candidate in analysis.candidates
        for turn in [_first_turn(match, candidate.line)]
    ]
    return {
        "value": round(sign * analysis.value, 4),
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "candidates": candidates,
    }


def _with_exact_values(match: Match, known: "Sequence[StepValue]", evaluation: dict[str, Any]) -> dict[str, Any]:
    """Replaces values of the search by those of an endgame table, and adds a sentence on the position's."""
    sign = 1 - 2 * match.player
    values = {found.step.text: sign * found.value for found in known if found.value is not None}
    for candidate in evaluation["candidates"]:
        candidate["value"] = values.get(candidate["step"]["text"], candidate["value"])
    if match.value is not None:
        evaluation["value"] = sign * match.value
    if known:
        order = [found.step.text for found in known]
        evaluation["candidates"].sort(key=lambda candidate: order.index(candidate["step"]["text"]))
    return evaluation | {"exact": exact_sentence(match)}


def _first_turn(match: Match, line: Sequence[str]) -> Sequence[Step]:
    """The steps of the first turn of a line."""
    ahead = match.copy()
    ahead.push(line[0])
    return ahead.steps[len(match.steps) :]
