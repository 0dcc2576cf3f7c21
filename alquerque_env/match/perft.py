"""Perft: counts of step sequences, which move generators are compared by."""

from ..engine import entry_points
from ..errors import AlquerqueError
from ..game.array_check import as_integer
from ..game.game import Game, GameId
from ..game.kernel_arrays import copied
from .match import Match

# Far more than can be counted; the engine allocates memory for every ply.
MAX_DEPTH = 1000


def perft(game: Game | GameId, depth: int, position: str | None = None, *, turns: bool = False) -> int:
    """Counts the sequences of `depth` steps, or of `depth` whole turns.

    Turns that reach the same position by different paths count separately. Ended matches count only at depth 0.
    Repetition is ignored.

    Args:
      game: The game, its id, or the path of a game file.
      depth: Number of steps or turns, 0 to 1000. Each leap of a chain is a step, and so is a pass.
      position: Text of the position to begin from; the start of the game if None.
      turns: Whether to count whole turns.

    Returns:
      The number of sequences.

    Raises:
      PositionError: If the text is not a position of the game.
      AlquerqueError: If the depth is not a whole number or out of range.
    """
    depth = _check_depth(depth, 0)
    match = Match(game, position)
    return _count(match, depth, turns)


def divide(game: Game | GameId, depth: int, position: str | None = None, *, turns: bool = False) -> dict[str, int]:
    """Counts the sequences that begin with each legal step, or with each legal turn. The counts add up to `perft`.

    Arguments and errors are those of `perft`, but `depth` is at least 1.

    Returns:
      The count by the text of the first step or turn. A turn is written as in `Match.turns`.
    """
    depth = _check_depth(depth, 1)
    match = Match(game, position)
    counts: dict[str, int] = {}
    untried = [(match, step) for step in match.legal_steps[::-1]]
    while untried:
        before, step = untried.pop()
        after = before.copy()
        after.push(step)
        if turns and after.turn_goes_on:
            untried += [(after, following) for following in after.legal_steps[::-1]]
        else:
            counts[after.turns[0]] = _count(after, depth - 1, turns)
    return counts


def _count(match: Match, depth: int, turns: bool) -> int:
    t = match.game.table.words
    return int(entry_points.perft(t, copied(t, match.state), depth, turns))


def _check_depth(depth: int, least: int) -> int:
    try:
        if least <= (number := as_integer(depth)) <= MAX_DEPTH:
            return number
    except TypeError:
        pass
    raise AlquerqueError(f"depth is {depth!r}, expected a whole number from {least} to {MAX_DEPTH}")
