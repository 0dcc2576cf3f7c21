"""Requests that bots answer: the turn of a bot, a hint, an analysis, a report."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import lru_cache
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..bots.analysis import Analysis, Limits
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from ..solve.exact_steps import exact_steps
from ..solve.proved_steps import present_proof
from ..solve.tables import present_table
from .bot_pool import SEARCH, BotPool
from .catalogue import Catalogue
from .evaluation_view import EXACT, SECONDS_FOR_LINES, show_evaluation
from .json_answer import JsonAnswer
from .missing_table import missing_table
from .page_view import show_match, show_step
from .report_view import report_part
from .request_bodies import BotBody, EvaluationBody, ReportBody, StopBody

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
        self._proof = lru_cache(maxsize=16)(_present_proof)

    async def play_turn(self, request: Request) -> Response:
        """The turn of a bot, step by step, with the match after each step, and the bot's note."""
        body = BotBody.model_validate_json(await request.body())

        def task(stop: threading.Event) -> dict[str, Any]:
            match = body.match.replay(self._catalogue)
            steps, note = self._bots.choose_turn(match, body.bot, stop)
            return {"steps": [_play(match, step, body.match.person) for step in steps], "note": note}

        stop = self._thinking[body.id] = threading.Event()
        try:
            return JsonAnswer(await self._search(request, task, stop))
        finally:
            self._thinking.pop(body.id, None)

    def move_now(self, body: StopBody) -> dict[str, bool]:
        """Ends the search of a bot, which plays what it has found; says whether it was thinking."""
        stop = self._thinking.get(body.id)
        if stop is not None:
            stop.set()
        return {"stopped": stop is not None}

    async def evaluate(self, request: Request) -> Response:
        """The value of a position and of its steps, exact ones and an evaluator's: for hint and analysis."""
        body = EvaluationBody.model_validate_json(await request.body())

        def task(stop: threading.Event) -> dict[str, Any]:
            match = body.match.replay(self._catalogue)
            match.table = table = present_table(match.game, shipped=True)
            known = exact_steps(match, table, self._proof(match.game))
            if match.is_over:
                return show_evaluation(match, known, None, "", body.match.person)
            unknown = {} if known.known else {"table": missing_table(match)}
            if body.evaluator == EXACT:
                return show_evaluation(match, known, None, "", body.match.person) | unknown
            is_short = known.least == known.most and body.evaluator == SEARCH
            seconds = min(body.seconds, SECONDS_FOR_LINES) if is_short else body.seconds
            analysis, note = self._bots.evaluate(match, body.evaluator, stop, seconds)
            return show_evaluation(match, known, analysis, note, body.match.person) | unknown

        return JsonAnswer(await self._search(request, task, threading.Event()))

    async def report(self, request: Request) -> Response:
        """The next part of the report on a match."""
        body = ReportBody.model_validate_json(await request.body())

        def task(stop: threading.Event) -> dict[str, Any]:
            match = body.match.replay(self._catalogue)
            table = present_table(match.game, shipped=True)

            def search(position: Match, limits: Limits) -> Analysis:
                return self._bots.evaluate(position, SEARCH, stop, limits.seconds or 0, limits.nodes)[0]

            judged = [turn.read() for turn in body.judged]
            proof, person = self._proof(match.game), body.match.person
            return report_part(match, judged, body.result, search, table, proof, person, stop.is_set)

        return JsonAnswer(await self._search(request, task, threading.Event()))

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


def _present_proof(game: Game) -> Any:
    return present_proof(game)[0]


def _play(match: Match, step: Step, person: int | None) -> dict[str, Any]:
    match.push(step)
    return show_step(match.game, step) | {"after": show_match(match, person)}
