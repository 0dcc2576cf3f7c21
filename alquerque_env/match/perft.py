"""Counts sequences of steps or turns: the measure by which move generators are compared."""

from operator import index as as_integer

from ..engine import entry_points
from ..errors import AlquerqueError
from ..game.game import Game
from ..game.step import join_turn
from .match import Match

# Far more than can be counted, and few enough to find room for.
MAX_DEPTH = 1000


def perft(game: Game | str, depth: int, position: str | None = None, *, turns: bool = False) -> int:
    """Number of sequences of `depth` steps, or of whole turns with distinct paths counted.

    Ended matches count only at depth 0; repetition is not looked at.

    Args:
      game: The rules, or a game's id.
      depth: Number of steps (sub-steps, passes included) or turns, at least 0.
      position: Position text to begin from; the start of the game if None.
      turns: Whether to count whole turns.

    Raises:
      PositionError: If the text is not a position of the game.
      AlquerqueError: If the depth is not a whole number or out of range.
    """
    _check_depth(depth, 0)
    match = Match(game, position)
    return int(entry_points.perft(match.game.table.words, match.state, depth, turns))


def divide(game: Game | str, depth: int, position: str | None = None, *, turns: bool = False) -> dict[str, int]:
    """The counts behind each first step, by its text; they add up to `perft`. With `turns`, behind each first turn.

    A turn is named by all its leaps, as in `Match.turns`; where a chain may be stopped, that is not written.

    Raises:
      PositionError, AlquerqueError: As `perft`; the depth must be at least 1.
    """
    _check_depth(depth, 1)
    match = Match(game, position)
    counts: dict[str, int] = {}
    paths: list[list[str]] = [[step.text] for step in match.legal_steps[::-1]]
    while paths:
        path = paths.pop()
        after = match.copy()
        for text in path:
            after.push(text)
        if turns and after.chain is not None:
            paths += [[*path, step.text] for step in after.legal_steps[::-1]]
            continue
        counts[join_turn(path) if turns else path[0]] = int(
            entry_points.perft(match.game.table.words, after.state, depth - 1, turns)
        )
    return counts


def _check_depth(depth: int, least: int) -> None:
    try:
        if least <= as_integer(depth) <= MAX_DEPTH:
            return
    except TypeError:
        pass
    raise AlquerqueError(f"depth is {depth!r}, expected a whole number from {least} to {MAX_DEPTH}")
