"""Scores recorded matches by exact values: what each player's steps lose where a table reaches."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..arena.exact_errors import ExactErrors, find_losing, judge, summarise_choices
from ..match.records import Record
from ..solve.tables.whole import present_large_table


@dataclass(frozen=True)
class RecordScore:
    """What the steps of a player lose in the recorded matches of a game with the same options.

    Attributes:
      player: The name of the player.
      game: The game and its chosen options, such as `pretwa capture=optional`.
      matches: How many matches the player played.
      moves: How many steps, where there was a choice.
      known: How many of them were made where the values of all steps are known.
      regret: Mean value lost by these steps, from 0 to 2; None if there are none.
      critical: The errors where some step loses value; None if there are no such steps.
    """

    player: str
    game: str
    matches: int
    moves: int
    known: int
    regret: float | None
    critical: ExactErrors | None


def score_records(records: Iterable[Record]) -> list[RecordScore]:
    """Scores the steps of all players in recorded matches, by the largest table of each game that is present."""
    found: dict[tuple[str, str], list[tuple[int, np.ndarray, np.ndarray]]] = {}
    for record in records:
        match, game = record.match.copy(), record.match.game
        table = present_large_table(game)
        steps: tuple[list[tuple[list[int], int]], list[tuple[list[int], int]]] = ([], [])
        for step in reversed(match.steps):
            match.pop()
            if len(match.legal_steps) > 1:
                steps[match.player].append(([int(word) for word in match.state], step.action))
        name = " ".join([game.name, *game.option_texts])
        for player, made in zip((record.south, record.north), steps, strict=True):
            states = np.array([state for state, _ in made], np.int64).reshape(len(made), -1)
            chosen = np.array([action for _, action in made], np.int64)
            values = np.zeros((0, game.num_actions), np.int64)
            if table is not None and made:
                values, is_known = judge(table, states)
                values, chosen = values[is_known], chosen[is_known]
            found.setdefault((player, name), []).append((len(made), values, chosen[: len(values)]))
    return [_score(player, name, parts) for (player, name), parts in found.items()]


def _score(player: str, name: str, parts: list[tuple[int, np.ndarray, np.ndarray]]) -> RecordScore:
    moves, values, chosen = zip(*parts, strict=True)
    all_values, all_chosen = np.concatenate(values), np.concatenate(chosen)
    known = len(all_chosen)
    critical, regret = None, None
    if known:
        regret = float((all_values.max(1) - all_values[np.arange(known), all_chosen]).mean())
        is_critical = find_losing(all_values).any(1)
        if is_critical.any():
            critical = summarise_choices(all_values[is_critical], all_chosen[is_critical], seed=0)
    return RecordScore(player, name, len(parts), sum(moves), known, regret, critical)
