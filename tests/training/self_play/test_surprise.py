"""Positions in which the search disagrees with the network are learned more often."""

from collections import Counter

import numpy as np
import pytest
from alquerque_training.config.settings import Config
from alquerque_training.experience.replay_buffer import Positions
from alquerque_training.self_play.generator import SelfPlay
from alquerque_training.self_play.surprise import find_frequency, find_surprise
from small_settings import settings

from alquerque_env import load_game
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.search import Decisions


def test_the_surprise_is_the_divergence_of_the_search_from_the_network():
    policy = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    legal = np.array([[1, 3, 0], [0, 2, 3]])
    found = Decisions(np.zeros(2, np.int64), np.array([2, 3]), legal, policy, np.zeros(2))
    logits = np.log(np.array([[9.0, 0.2, 9.0, 0.8], [0.25, 9.0, 0.25, 0.5]], np.float32))

    surprise = find_surprise(found, logits)

    assert surprise == pytest.approx([0.5 * np.log(0.5 / 0.2) + 0.5 * np.log(0.5 / 0.8), np.log(4)])
    assert find_surprise(found._replace(policy=np.array([[0.2, 0.8, 0], [0.25, 0.25, 0.5]])), logits) == pytest.approx(
        [0, 0], abs=1e-6
    )


def test_a_share_of_the_frequency_follows_the_surprise_within_each_match():
    surprise, taught = np.array([3.0, 1.0, 9.0, 0.0, 0.0, 5.0]), np.array([1, 1, 0, 1, 1, 0])

    frequency = find_frequency(surprise, taught, np.array([0, 0, 0, 1, 1, 2]), 0.5)

    assert frequency == pytest.approx([0.5 + 0.75, 0.5 + 0.25, 1, 1, 1, 1])


@pytest.mark.skipif(not JIT, reason="takes minutes in plain Python; the compiled run has the same source")
def test_rows_of_self_play_are_repeated_by_the_surprise_of_a_network_that_knows_nothing():
    """For equal logits it is the logarithm of the number of actions less the entropy of the policy to learn."""

    def play(share: float) -> Positions:
        rule = {"rule": "alphabeta", "depth": 2, "sampled_decisions": 0, "surprise_share": share}
        return played(settings("fetaix", search=rule))

    once, weighted = play(0.0), play(1.0)
    logs = np.log(once.policy, where=once.policy > 0, out=np.zeros_like(once.policy))
    surprise = np.log((once.actions >= 0).sum(1)) + (once.policy * logs).sum(1)
    count, times = (Counter(row.tobytes() for row in rows.planes) for rows in (once, weighted))
    each = np.array([times[row.tobytes()] / count[row.tobytes()] for row in once.planes])
    dull, striking = surprise < 0.01, surprise > np.log(4)

    assert dull.any()
    assert not each[dull].any()
    assert each[striking].mean() > 2
    assert len(weighted.outcome) == pytest.approx(len(once.outcome), rel=0.1)


def played(config: Config) -> Positions:
    game = load_game(config.run.game)
    matches = SelfPlay(game, config.self_play.num_games, config.self_play, config.search, 1)
    rows, _ = matches.play(
        lambda seen: (np.zeros((len(seen), game.num_actions), np.float32), np.zeros(len(seen), np.float32)), 60, 4
    )
    return rows
