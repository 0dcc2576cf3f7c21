"""A network and a search of one's own, of `training/research`."""

import numpy as np
import pytest
from alquerque_training.run.config_file import ConfigError, parse_config
from expert_search import ExpertConfig, ExpertSearch

from alquerque_env import Match, load_game
from alquerque_env.engine.both_masks import BothMasks
from alquerque_env.search.alphabeta_batch import BatchAlphaBeta, scores_to_values
from alquerque_env.search.decision_batch import DecisionBatch
from tests.chosen_steps import random_match


@pytest.mark.parametrize("name", ["alquerque", "fetaix", "felli", "catch_the_hare"])
def test_each_player_has_its_legal_steps_as_if_it_were_to_move(name):
    game = load_game(name)
    seen, expected = [], []
    for match in random_match(game, 1):
        if match.is_over or match.chain is not None:
            continue
        mover, _, rest = match.position.partition(":")
        turned = Match(game, f"{'B' if mover == 'W' else 'W'}:{rest}")
        if not turned.is_over:
            seen.append(match.observation())
            expected.append([match.action_mask(), turned.action_mask()])

    masks = BothMasks(game)(np.stack(seen))

    assert np.array_equal(masks, expected)
    assert len(seen) > 10


def test_in_the_middle_of_a_chain_the_mover_goes_on_and_the_opponent_steps_freely():
    match = Match(load_game("alquerque"), "W:Wa1:Bb1,d1,e5")
    match.push("a1xc1")
    assert match.chain is not None

    mover, opponent = BothMasks(match.game)(match.observation()[None])[0]

    assert mover.tolist() == match.action_mask().tolist()
    assert opponent.tolist() == Match(match.game, "B:Wc1:Bd1,e5").action_mask().tolist()


# Self-play with an expert, a search of one's own.


RULE = "expert_search:ExpertSearch"


@pytest.mark.slow
def test_it_labels_the_positions_of_matches_in_which_the_network_plays_one_seat() -> None:
    game, matches, config = load_game("fetaix"), 16, ExpertConfig(depth=2, learner_share=0.5)
    wanted = np.random.default_rng(1).standard_normal(game.num_actions).astype(np.float32)

    def evaluate(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.tile(wanted, (len(seen), 1)), np.zeros(len(seen), np.float32)

    batch, search = DecisionBatch(game, matches, 8, 1), ExpertSearch(game, matches, config)
    values = scores_to_values(BatchAlphaBeta(game, 2).run(batch.states, batch.past))
    found = search.run(batch.states, batch.past, evaluate, 0)
    for row, count in enumerate(found.counts):
        legal = found.legal[row, :count]
        expected = np.exp((values[row, legal] - values[row, legal].max()) / config.temperature)
        assert found.policy[row, :count] == pytest.approx(expected / expected.sum(), rel=1e-5)
        assert found.values[row] == pytest.approx(values[row, legal].max())
        is_network = row < matches / 2 and batch.players()[row] == row % 2
        best = legal[wanted[legal].argmax()] if is_network else legal[values[row, legal].argmax()]
        assert found.actions[row] == best or (not is_network and values[row, found.actions[row]] == values[row, best])


def test_a_search_of_ones_own_declares_its_settings() -> None:
    config = parse_config({"run": {"algorithm": "alphazero"}, "search": {"rule": RULE, "depth": 3}}, "test")
    assert config.of(ExpertConfig).depth == 3
    assert parse_config(config.as_data(), "again") == config
    with pytest.raises(ConfigError, match=r"\[search\] has unknown key 'dept'; did you mean 'depth'"):
        parse_config({"run": {"algorithm": "alphazero"}, "search": {"rule": RULE, "dept": 3}}, "test")


def test_patterns_that_a_game_lacks_are_refused() -> None:
    message = r"search\.patterns: there are no patterns for bagh_chal with these rules yet"
    with pytest.raises(ConfigError, match=message):
        ExpertSearch(load_game("bagh_chal"), 4, ExpertConfig(patterns=True))
