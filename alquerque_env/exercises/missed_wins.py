"""Positions of a match in which a player missed the only turn that won."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..match.match import Match
from ..solve.exact_steps import exact_steps
from .exercise import Exercise

if TYPE_CHECKING:
    from ..solve.proved_steps import ProvedSteps
    from ..solve.tables.match_values import MatchValues


def find_missed_wins(
    match: Match, players: Sequence[int], table: "MatchValues | None", proof: "ProvedSteps | None"
) -> Iterator[tuple[int, Exercise]]:
    """Yields the positions in which one step alone won, as a table or a proof knows, and the player took another.

    Args:
      match: The match; it is unchanged.
      players: The sides that are looked at.
      table: A table of the game, None if there is none.
      proof: A proof of the game, None if there is none.

    Yields:
      The number of turns before the position, and the position with the turn that wins. Turns with a further choice
      among winning steps are left out.
    """
    ahead = Match(match.game, _first_position(match))
    for number, (player, steps) in enumerate(match.history):
        if player in players and (line := _only_turn(ahead, table, proof)) and line != tuple(s.text for s in steps):
            yield number, Exercise(ahead.position, (line,))
        for step in steps:
            ahead.push(step)


def _first_position(match: Match) -> str:
    first = match.copy()
    for _ in match.steps:
        first.pop()
    return first.position


def _only_turn(match: Match, table: "MatchValues | None", proof: "ProvedSteps | None") -> tuple[str, ...]:
    """The steps of the only turn that wins; empty if there is none, or no other turn at all."""
    if match.is_over or len(match.legal_steps) < 2:
        return ()
    now, player, line = match.copy(), match.player, []
    while not now.is_over and now.player == player:
        known = exact_steps(now, table, proof)
        wins = [found.step for found in known if found.least == 1]
        is_sure = len(known) == len(now.legal_steps) and all(found.most < 1 or found.least == 1 for found in known)
        if len(wins) != 1 or not is_sure:
            return ()
        line.append(wins[0].text)
        now.push(wins[0])
        if not now.turn_goes_on:
            break
    return tuple(line)
