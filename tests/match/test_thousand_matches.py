"""A thousand random matches of every game through records, position text and observation, and back."""

import random

import numpy as np
import pytest
from observation_kernels import recall_observation, write_observation

from alquerque_env import Match, format_record, games, load_game, read_records
from alquerque_env.game import table_layout as TABLE
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import words

MATCHES = 1_000
SHOWN = 5
"""One position in so many is written as text and observed."""


def check(game: Game, match: Match) -> None:
    """A position comes back from its text, and one that looks the same from what is seen of it."""
    again = Match(game, match.position)
    assert (again.position, list(again.state)) == (match.position, list(match.state))
    assert again.legal_steps == match.legal_steps
    table, seen = game.table.words, np.ascontiguousarray(again.observation()).ravel()
    state, once_more = words(table[TABLE.STATE_SIZE]), np.zeros_like(seen)
    recall_observation(table, seen, 0, state)
    write_observation(table, state, 0, once_more, 0)
    assert (once_more == seen).all(), match.position


@pytest.mark.long
@pytest.mark.parametrize("name", games())
def test_a_thousand_matches_come_back(name: str) -> None:
    game = load_game(name)
    chance = random.Random(name)
    for _ in range(MATCHES):
        match = Match(game)
        while not match.is_over:
            match.push(chance.choice(match.legal_steps))
            if match.outcome is None and game.rules.repetition == "off" and chance.randrange(SHOWN) == 0:
                check(game, match)
        (record,) = read_records(format_record(match))
        assert record.match.steps == match.steps
        assert record.match.turns == match.turns
        assert record.match.position == match.position
        assert record.match.outcome == match.outcome
