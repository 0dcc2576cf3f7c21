"""Matches with a choice, and as a search of many takes them."""

from typing import Any

import numpy as np

from alquerque_env import Match
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import word_rows


def rows_of(matches: list[Match], room: int) -> tuple[Any, Any]:
    """States, and hashes of earlier positions with room for so many."""
    t = matches[0].game.table.words
    states, past = word_rows(t, len(matches), len(matches[0].state)), word_rows(t, len(matches), room)
    for row, match in enumerate(matches):
        states[row][:], past[row][:] = match.state, match.keys(room)
    return states, past


def positions(game: Game, count: int, seed: int = 0) -> list[Match]:
    """Positions with a choice from random play."""
    rng = np.random.default_rng(seed)
    found: list[Match] = []
    match = Match(game)
    while len(found) < count:
        if match.is_over:
            match = Match(game)
        if len(match.legal_steps) > 1 and rng.random() < 0.4:
            found.append(match.copy())
        match.push(match.legal_steps[rng.integers(len(match.legal_steps))])
    return found
