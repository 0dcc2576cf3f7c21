"""Counts sequences of steps or turns: the measure by which move generators are compared."""

from . import entry
from .errors import AlquerqueError
from .game import Game
from .match import Match

# Far more than can be counted, and few enough to find room for.
MAX_DEPTH = 1000


def perft(game: Game, depth: int, position: str | None = None, *, turns: bool = False) -> int:
    """Number of sequences of `depth` steps, or of whole turns with distinct paths counted.

    Ended matches count only at depth 0; repetition is not looked at.

    Args:
      game: The rules.
      depth: Number of steps (sub-steps, passes included) or turns, at least 0.
      position: Position text to begin from; the start of the game if None.
      turns: Whether to count whole turns.

    Raises:
      PositionError: If the text is not a position of the game.
      AlquerqueError: If the depth is out of range.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise AlquerqueError(f"depth is {depth}, expected 0 to {MAX_DEPTH}")
    return int(entry.perft(game.table.words, Match(game, position).state, depth, turns))


def divide(game: Game, depth: int, position: str | None = None, *, turns: bool = False) -> dict[str, int]:
    """The counts behind each first step, by its text; they add up to `perft`. With `turns`, behind each first turn.

    Raises:
      PositionError, AlquerqueError: As `perft`; the depth must be at least 1.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise AlquerqueError(f"depth is {depth}, expected 1 to {MAX_DEPTH} to divide")
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
        counts[" ".join(path)] = int(entry.perft(game.table.words, after.state, depth - 1, turns))
    return counts
