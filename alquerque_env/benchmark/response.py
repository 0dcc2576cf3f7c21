"""The best response to an agent: what anybody can achieve against it in a whole game."""

from dataclasses import dataclass

from ..bots.bot import Bot
from ..errors import BotError
from ..exploit.best_response import best_response
from ..game.game import Game


@dataclass(frozen=True)
class Response:
    """What the best response to an agent in a seat achieves."""

    seat: int
    kept: bool | None  # whether the agent gets what the start is worth against any play, None if that is not known
    complete: bool  # whether the search came to its end
    positions: int  # found by the search
    line: tuple[str, ...]  # steps by which it gets less, empty if none were found


def find_responses(agent: str | Bot, game: Game, seconds: float) -> tuple[Response, ...] | None:
    """The best response for each seat that has something to keep; None to an agent that chooses at random."""
    try:
        found = best_response(agent, game, seconds=seconds)
    except BotError:  # it does not choose alike when asked again
        return None
    return tuple(Response(each.seat, each.kept, each.complete, each.positions, each.line) for each in found)
