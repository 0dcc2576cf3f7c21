"""Matches as a search of many takes them."""

from typing import Any

from alquerque_env import Match
from alquerque_env.game.kernel_arrays import word_rows


def rows_of(matches: list[Match], room: int) -> tuple[Any, Any]:
    """States, and hashes of earlier positions with room for so many."""
    t = matches[0].game.table.words
    states, past = word_rows(t, len(matches), len(matches[0].state)), word_rows(t, len(matches), room)
    for row, match in enumerate(matches):
        states[row][:], past[row][:] = match.state, match.keys(room)
    return states, past
