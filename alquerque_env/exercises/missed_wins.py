"""Positions of a match in which a player missed the only turn that won."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..match.match import Match
from .exercise import Exercise
from .winning_line import only_turn, winning_line

if TYPE_CHECKING:
    from ..solve.proved_steps import ProvedSteps
    from ..solve.tables.match_values import MatchValues


def find_missed_wins(
    match: Match, players: Sequence[int], table: "MatchValues | None", proof: "ProvedSteps | None"
) -> Iterator[tuple[int, Exercise]]:
    """Yields the positions in which one turn alone won, as a table or a proof knows, and the player took another.

    Args:
      match: The match; it is unchanged.
      players: The sides that are looked at.
      table: A table of the game, None if there is none.
      proof: A proof of the game, None if there is none.

    Yields:
      The number of turns before the position, and the position with the line that wins, see `winning_line`. Turns with
      a choice among winning steps are left out.
    """
    ahead = Match(match.game, _first_position(match))
    for number, (player, steps) in enumerate(match.history):
        only = only_turn(ahead, table, proof) if player in players and len(ahead.legal_steps) > 1 else ()
        if only and only != tuple(step.text for step in steps):
            yield number, Exercise(ahead.position, winning_line(ahead, table, proof))
        for step in steps:
            ahead.push(step)


def _first_position(match: Match) -> str:
    first = match.copy()
    for _ in match.steps:
        first.pop()
    return first.position
