"""What the page says of a position without exact values: the command that builds a table which has it."""

from functools import lru_cache

from ..engine.compiled_parts import BOTS
from ..engine.forms import load_kernels
from ..errors import AlquerqueError
from ..game.game import Game
from ..match.match import Match

MOST_SECONDS = 2 * 60 * 60
"""Processor time of a table that is worth naming."""


def missing_table(match: Match) -> str:
    """Returns the command that builds a table with the position, or why there is none, in a sentence."""
    picture = match.picture()
    if sum(picture.hands):
        return "Tables have no positions with pieces in hand."
    return _describe(match.game, len(picture.pieces))


@lru_cache(64)
def _describe(game: Game, pieces: int) -> str:
    try:
        index = load_kernels("solve.tables.build", BOTS, game).plan(game, pieces, float("inf"))
    except AlquerqueError as error:
        return f"No table has this position: {error}."
    seconds = load_kernels("solve.tables.whole", BOTS, game).seconds_needed(index, False)
    if seconds > MOST_SECONDS:
        return f"A table of {pieces} pieces would take about {_duration(seconds)} on one core."
    command = " ".join(["alquerque solve", game.command_argument, *game.option_arguments, f"--pieces {pieces}"])
    megabytes = max(1, round(load_kernels("solve.tables.slices", BOTS, game).memory_needed(index) / 1e6))
    cost = f"about {_duration(seconds)} on one core and {megabytes:,} MB of memory"
    return f"This command builds a table with this position, in {cost}: {command}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} minutes" if minutes < 120 else f"{round(minutes / 60):,} hours"
