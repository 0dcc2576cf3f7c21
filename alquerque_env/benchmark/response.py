"""The best response to an agent: what anybody can achieve against it in a whole game."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from ..arena.exploit.best_response import best_response
from ..arena.exploit.walk import gets_at_end
from ..errors import AlquerqueError, BotError
from ..files.schema import Key
from ..game.step import Step
from ..match.match import Match
from ..solve.tables import EndgameTable
from ..solve.tables.whole import value_of_start
from .agents.ask import AgentError
from .agents.fault_count import CheckedPlayer
from .agents.function import is_function_spec

_DRAW = "random", "greedy"  # the bots that give the probabilities of their steps


@dataclass(frozen=True)
class Response:
    """What the best response to an agent in a seat achieves."""

    seat: int
    kept: bool | None  # whether the agent gets what the start is worth against any play, None if that is not known
    complete: bool  # whether the search came to its end
    positions: Annotated[int, Key(low=1)]  # found by the search
    line: tuple[str, ...]  # steps by which it gets less, empty if none were found


class _AskedAnew:
    """An agent that answers a question again instead of remembering what it has answered."""

    name = "agent"

    def __init__(self, agent: CheckedPlayer) -> None:
        self._agent = agent

    def choose(self, match: Match) -> Step:
        """Chooses a step; raises `AgentError` if the agent did not choose a legal one in time."""
        return self.choose_many([match])[0]

    def choose_many(self, matches: Sequence[Match]) -> list[Step]:
        """Likewise in each of several matches."""
        steps = []
        for found in self._agent.ask_many(matches):
            if isinstance(found, AgentError):
                raise found
            steps.append(found.step)
        return steps


def find_responses(
    spec: str, player: CheckedPlayer, table: EndgameTable, seconds: float
) -> tuple[Response, ...] | None:
    """The best response for each seat that has something to keep; None to an agent that fails or chooses at random.

    The search in a seat stops after so many seconds: of processor time, so that other work of the machine changes
    nothing, or by the clock if the agent plays in another process.
    """
    is_function = is_function_spec(spec)
    clock = time.monotonic if is_function else time.process_time
    asked = _AskedAnew(player) if is_function else spec  # bots are loaded anew
    responses = []
    for seat in _seats(table):
        began = clock()

        def is_late(began: float = began) -> bool:
            return clock() - began >= seconds

        try:
            [found] = best_response(asked, table.game, seat=seat, table=table, stop=is_late)
        except BotError:  # it does not choose alike when asked again
            return None
        responses.append(Response(seat, found.kept, found.complete, found.positions, found.line))
    return tuple(responses)


def response_errors(found: Sequence[Response], spec: str, table: EndgameTable) -> Iterator[str]:
    """What is wrong with the best responses to an agent in a result, in sentences. Their lines are played again."""
    seats, limit = _seats(table), table.game.rules.no_progress_limit
    if (told := tuple(each.seat for each in found)) != seats:
        yield f"responses are of the seats {told}, expected {seats}"
        return
    needed, most = int(len(seats) == 1), table.index.size * (1 if limit == "off" else limit + 1)
    for each in found:
        where = f"responses: seat {each.seat}"
        match = Match(table.game)
        try:
            for step in each.line:
                match.push(step)
        except AlquerqueError as error:
            yield f"{where} has a line that cannot be played: {error}"
            return
        if each.line and (not match.is_over or gets_at_end(match, each.seat) >= needed):
            yield f"{where} has a line that does not end with less for it than the start is worth"
        # An agent that draws its steps may make up for a lost line of a drawn game by others.
        is_open = not each.complete and (not each.line or (spec in _DRAW and not needed))
        kept = None if is_open else not each.line
        if each.kept is not kept:
            line = "a line" if each.line else "no line"
            yield f"{where} has kept {each.kept}, complete {each.complete} and {line}, so kept should be {kept}"
        if each.positions > most:
            yield f"{where} has {each.positions} positions, expected at most {most}"


def _seats(table: EndgameTable) -> tuple[int, ...]:
    """The seats that have something to keep."""
    winner = value_of_start(table).winner
    return (winner,) if isinstance(winner, int) else (0, 1)
