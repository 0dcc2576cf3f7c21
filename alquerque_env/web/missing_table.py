"""What the page says of a position without exact values: the command that builds a table which has it."""

from functools import lru_cache

from ..errors import AlquerqueError
from ..game.game import Game
from ..match.match import Match
from ..solve.tables.build import plan
from ..solve.tables.index import least_pieces
from ..solve.tables.slices import memory_needed
from ..solve.tables.whole import seconds_needed

MOST_SECONDS, MOST_BYTES = 2 * 60 * 60, 4_000_000_000
"""Processor time and memory of a table that is worth naming."""


def missing_table(match: Match) -> str:
    """Returns the command that builds a table with the position, or why there is none, in a sentence."""
    picture = match.picture()
    if sum(picture.hands):
        return "Tables have no positions with pieces in hand."
    return _describe(match.game, len(picture.pieces))


@lru_cache(64)
def _describe(game: Game, needed: int) -> str:
    found, problem = None, "it is too large"
    for pieces in range(least_pieces(game), needed + 1):
        try:
            index = plan(game, pieces, float("inf"))
        except AlquerqueError as error:
            problem = str(error)
            break
        seconds = seconds_needed(index, False)
        size = memory_needed(index)
        if seconds > MOST_SECONDS or size > MOST_BYTES:
            break
        found = pieces, seconds, size
    if found is None:
        return f"No table has this position: {problem}."
    pieces, seconds, size = found
    largest = f"the largest table for two hours and 4 GB, of {pieces} pieces"
    what = "a table with this position" if pieces == needed else largest
    command = " ".join(["alquerque solve", game.command_argument, *game.option_arguments, f"--pieces {pieces}"])
    cost = f"about {_duration(seconds)} on one core and {max(1, round(size / 1e6)):,} MB of memory"
    return f"This command builds {what}, in {cost}: {command}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} minutes" if minutes < 120 else f"{round(minutes / 60):,} hours"
