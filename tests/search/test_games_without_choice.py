"""Games with few choices or none: a search of many matches never waits for a choice that does not come."""

import numpy as np
import pytest

from alquerque_env import Match, load_game
from alquerque_env.errors import RulesError
from alquerque_env.match.position_text import format_position
from alquerque_env.search.decision_batch import DecisionBatch, check_choice
from tests.forced_games import WITH_FEW_CHOICES, WITHOUT_CHOICE, write_forced_game
from tests.sets import first_by_default


@first_by_default
@pytest.mark.parametrize("plies", [0, 20])
@pytest.mark.parametrize("name", WITHOUT_CHOICE)
def test_a_game_without_a_choice_is_refused(name, plies, tmp_path):
    game = load_game(str(write_forced_game(tmp_path, name)))
    with pytest.raises(RulesError, match=f"^{name} has no choice: every step from its start is forced"):
        DecisionBatch(game, 4, plies, seed=1)
    with pytest.raises(RulesError, match=f"^{name} has no choice"):
        check_choice(game)


@first_by_default
@pytest.mark.parametrize("plies", [0, 20, 10**6])
@pytest.mark.parametrize("name", WITH_FEW_CHOICES)
@pytest.mark.slow
def test_each_match_of_a_game_with_few_choices_stands_at_one(name, plies, tmp_path):
    game = load_game(str(write_forced_game(tmp_path, name)))
    check_choice(game)
    played = DecisionBatch(game, 4, plies, seed=1)
    ended = 0
    for _ in range(6):
        texts = [
            format_position(game.table.words, game.board.labels, [int(word) for word in row]) for row in played.states
        ]
        steps = [Match(game, text).legal_steps for text in texts]
        assert all(len(legal) > 1 for legal in steps)
        outcomes, _ = played.advance(np.array([legal[0].action for legal in steps]), np.zeros(4, bool))
        ended += np.count_nonzero(outcomes)
    assert ended > 4
