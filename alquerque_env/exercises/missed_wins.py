"""Positions of a match in which a player missed the only turn that won."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..game.step import Step
from ..match.match import Match
from ..solve.exact_steps import exact_steps
from .exercise import Exercise

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
      The number of turns before the position, and the position with the line that wins: it goes on while one turn
      alone wins and a table knows how to resist longest. Turns with a choice among winning steps are left out.
    """
    ahead = Match(match.game, _first_position(match))
    for number, (player, steps) in enumerate(match.history):
        only = _only_turn(ahead, table, proof) if player in players and len(ahead.legal_steps) > 1 else ()
        if only and only != tuple(step.text for step in steps):
            yield number, Exercise(ahead.position, _line(ahead, only, table))
        for step in steps:
            ahead.push(step)


def _first_position(match: Match) -> str:
    first = match.copy()
    for _ in match.steps:
        first.pop()
    return first.position


def _line(match: Match, only: tuple[str, ...], table: "MatchValues | None") -> tuple[tuple[str, ...], ...]:
    """The line that begins with the only turn that wins; the opponent resists as long as possible."""
    now = match.copy()
    turns: list[tuple[str, ...]] = []
    replies: list[tuple[str, ...]] = []
    while only:
        turns += [*replies, only]
        for text in only:
            now.push(next(step for step in now.legal_steps if step.text == text))
        replies = [] if table is None else _longest_resistance(now, match.player, table)
        only = _only_turn(now, table, None) if replies else ()
    return tuple(turns)


def _longest_resistance(match: Match, player: int, table: "MatchValues") -> list[tuple[str, ...]]:
    """Plays the turns of the opponent, if possible so that one turn alone wins again; empty if none is known."""
    played = len(match.history)
    while not match.is_over and match.player != player:
        ranked = table.steps(match)
        if not ranked:
            return []
        best = ranked[0].value, ranked[0].distance
        longest = [found.step for found in ranked if (found.value, found.distance) == best]
        match.push(next((step for step in longest if _wins_alone(match, step, player, table)), longest[0]))
    return [tuple(step.text for step in steps) for _, steps in match.history[played:]]


def _wins_alone(match: Match, step: Step, player: int, table: "MatchValues") -> bool:
    """Whether after a step of the opponent one turn alone wins."""
    after = match.copy()
    after.push(step)
    return after.player == player and bool(_only_turn(after, table, None))


def _only_turn(match: Match, table: "MatchValues | None", proof: "ProvedSteps | None") -> tuple[str, ...]:
    """The steps of the only turn that wins; empty if there is none."""
    now, player, line = match.copy(), match.player, []
    while not now.is_over and now.player == player:
        known = exact_steps(now, table, proof).steps
        wins = [found.step for found in known if found.least == 1]
        is_sure = all(found.most < 1 or found.least == 1 for found in known)
        if len(wins) != 1 or not is_sure:
            return ()
        line.append(wins[0].text)
        now.push(wins[0])
        if not now.turn_goes_on:
            break
    return tuple(line)
