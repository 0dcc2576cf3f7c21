"""The best response to an agent: what anybody can achieve against it in a whole game."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ..arena.exploit.best_response import best_response
from ..errors import BotError
from ..game.step import Step
from ..match.match import Match
from ..solve.tables import EndgameTable
from ..solve.tables.whole import value_of_start
from .agents.ask import AgentError
from .agents.fault_count import CheckedPlayer


@dataclass(frozen=True)
class Response:
    """What the best response to an agent in a seat achieves."""

    seat: int
    kept: bool | None  # whether the agent gets what the start is worth against any play, None if that is not known
    complete: bool  # whether the search came to its end
    positions: int  # found by the search
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


def find_responses(agent: str | CheckedPlayer, table: EndgameTable, seconds: float) -> tuple[Response, ...] | None:
    """The best response for each seat that has something to keep; None to an agent that fails or chooses at random.

    The search in a seat stops after so many seconds: of processor time, so that other work of the machine changes
    nothing, or by the clock if the agent plays in another process.
    """
    clock = time.process_time if isinstance(agent, str) else time.monotonic
    asked = agent if isinstance(agent, str) else _AskedAnew(agent)
    winner = value_of_start(table).winner
    responses = []
    for seat in (winner,) if isinstance(winner, int) else (0, 1):
        began = clock()

        def is_late(began: float = began) -> bool:
            return clock() - began >= seconds

        try:
            [found] = best_response(asked, table.game, seat=seat, table=table, stop=is_late)
        except BotError:  # it does not choose alike when asked again
            return None
        responses.append(Response(seat, found.kept, found.complete, found.positions, found.line))
    return tuple(responses)
