"""What the table of a whole game says: who wins from the start, in how many plies, and by which steps."""

from typing import Any, NamedTuple

from ...errors import TableError
from ...game.game import Game
from ...game.step import join_turn
from ...match.match import Match
from .index import Index
from .table import EndgameTable, present_table
from .table_file import find_table, pieces_of

# Numbers that one core solves in a second: `alquerque solve pretwa --whole`. Kings, as in `felli`, take no longer.
_SPEED = 600_000
# Where nobody must capture, or the sides differ, few positions are settled by captures alone. How many times longer
# the rest takes differs: 2.4 times with `alquerque solve pretwa --option capture=optional --whole`, 6 with
# `catch_the_hare`.
_LONGER_IF_OPTIONAL, _LONGER_IF_ROLES = 4, 6


class Start(NamedTuple):
    """The value of the start of a game.

    Attributes:
      winner: 0 or 1, "draw", or None if the table does not say: where a schedule comes first, or where the no-progress
        limit may change the value.
      plies: Plies to the end under best play; None for draws.
      steps: The texts of the first steps that keep the value.
      line: The turns of a line of best play; empty for draws.
    """

    winner: int | str | None
    plies: int | None
    steps: tuple[str, ...]
    line: tuple[str, ...]


def whole_pieces(game: Game) -> int:
    """The pieces of a table of the whole game: those of the start, and those in hand."""
    return sum(game.most_pieces)


def whole_table(game: Game) -> EndgameTable | None:
    """The table of a whole game, of the user's cache directory or the package; None if there is none.

    No table is of a whole game that begins with a schedule.
    """
    table = None if game.schedule else present_table(game, shipped=True)
    return None if table is None or table.pieces < whole_pieces(game) else table


def large_table(game: Game) -> EndgameTable:
    """The table of a whole game, or the one with the most pieces in the user's cache directory.

    Those of few pieces that come with the package are left out: they know the end of matches alone.

    Raises:
      TableError: If there is none, or it cannot be read.
    """
    return whole_table(game) or EndgameTable(game, find_table(game))


def present_large_table(game: Game) -> EndgameTable | None:
    """As `large_table`, but None if there is none that can be read."""
    return whole_table(game) or present_table(game)


def has_whole_table(game: Game) -> bool:
    """Whether there is a file that `whole_table` would open. It may be damaged."""
    try:
        return not game.schedule and pieces_of(find_table(game, shipped=True)) >= whole_pieces(game)
    except TableError:
        return False


def whole_command(game: Game) -> str:
    """The command that builds the table of a whole game."""
    return " ".join(["alquerque solve", game.command_argument, *game.option_arguments, "--whole"])


def value_of_start(table: EndgameTable) -> Start:
    """The value of the start of a game from the table of the whole game."""
    match = Match(table.game)
    value = table.value(match)
    if value is None:
        return Start(None, None, (), ())
    winner = "draw" if value == 0 else match.player if value > 0 else 1 - match.player
    plies, steps = table.distance(match), tuple(step.text for step in table.best_steps(match))
    while plies is not None and not match.is_over:
        match.push(table.steps(match)[0].step)
    line = tuple(join_turn([step.text for step in turn]) for _, turn in match.history)
    return Start(winner, plies, steps, line)


def count_values(table: EndgameTable) -> dict[str, int]:
    """The number of positions at the beginning of a turn, and how many are won, drawn and lost for who is to move."""
    slices = table.header.slices
    return {what: sum(getattr(part, what) for part in slices) for what in ("positions", "won", "drawn", "lost")}


def seconds_needed(index: Index, verified: bool) -> float:
    """About how many seconds one core takes to solve an index, and to verify it, as measured on one machine."""
    game = index.game
    longer = _LONGER_IF_ROLES if game.has_roles else _LONGER_IF_OPTIONAL if game.rules.capture == "optional" else 1
    return (1 + verified) * index.size / _SPEED * longer


def whole_entry(table: EndgameTable, start: Start, command: str, seconds: float) -> dict[str, Any]:
    """What `whole/GAME.json` keeps of a table."""
    return {
        "options": dict(table.game.options),
        "table_hash": table.game.table_hash,
        **start._asdict(),
        **count_values(table),
        "digest": table.digest,
        "command": command,
        "processor_seconds": seconds,
    }
