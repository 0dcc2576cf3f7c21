"""Alpha-beta in many positions at once against a plain minimax after each step."""

import random

import numpy as np
import pytest

from alquerque_env import load_bot, load_game, load_table
from alquerque_env.bots.patterns.pattern_file import load_patterns
from alquerque_env.errors import AlquerqueError
from alquerque_env.search.alphabeta_batch import ILLEGAL, BatchAlphaBeta, scores_to_values
from alquerque_env.search.scores import score_to_value
from alquerque_env.solve.tables import build_table
from tests.minimax import WIN, minimax, some_position
from tests.search_rows import rows_of

ROOM = 300  # more than the steps of any position here


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("alquerque", {}),
        ("fetaix", {"chain": "optional", "capture": "optional", "no_progress_limit": 3}),
        ("awithlaknannai_mosona", {"no_moves": "pass", "repetition": "threefold_draw", "no_progress_limit": 9}),
        ("adugo", {}),
        ("bagh_chal", {}),
    ],
    ids=str,
)
def test_each_step_has_the_score_of_looking_at_everything(name, options):
    game, rng = load_game(name, **options), random.Random(name)
    matches = [some_position(game, rng) for _ in range(8)]
    for depth in (1, 2):
        scores = BatchAlphaBeta(game, depth).run(*rows_of(matches, ROOM))
        for match, row in zip(matches, scores, strict=True):
            expected = np.full(game.num_actions, ILLEGAL)
            for step in match.legal_steps:
                after = match.copy()
                after.push(step)
                sign, turn = (1, 0) if after.player == match.player and not after.is_over else (-1, 1)
                if not after.is_over:
                    turn = int(after.chain is None)
                    score = sign * minimax(after, depth - turn, turn)
                else:
                    winner = after.outcome.winner
                    score = 0 if winner is None else (WIN - 1) * (1 if winner == match.player else -1)
                expected[step.action] = score
            assert np.array_equal(row, expected), (match.position, depth)


@pytest.mark.parametrize("name", ["alquerque", "fetaix"])
def test_with_patterns_the_best_action_is_worth_what_the_bot_says(name):
    game, rng = load_game(name), random.Random(name)
    matches = [some_position(game, rng) for _ in range(8)]
    plain = BatchAlphaBeta(game, 3).run(*rows_of(matches, ROOM))
    scores = BatchAlphaBeta(game, 3, patterns=load_patterns(game)).run(*rows_of(matches, ROOM))
    assert not np.array_equal(scores, plain)
    bot = load_bot("patterns:3", game)
    for match, row in zip(matches, scores, strict=True):
        assert score_to_value(int(row.max())) == bot.analyse(match).value


def test_scores_become_values_one_by_one():
    scores = np.array([-29_990, -250, 0, 7, 250, 29_999])
    assert scores_to_values(scores) == pytest.approx([score_to_value(int(score)) for score in scores])


def test_a_table_gives_exact_results(tmp_path, monkeypatch):
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    game = load_game("felli_simplified")
    build_table(game, 3)
    table, rng = load_table(game), np.random.default_rng(1)
    states = table.sample(200, rng)
    known = table.action_values(states, clockless=True)
    scores = BatchAlphaBeta(game, 2, table).run(states, np.zeros((len(states), 1), np.int64))
    legal = scores != ILLEGAL
    assert np.array_equal(legal, known.known)
    assert np.array_equal(np.sign(scores[legal]), known.value[legal])


def test_histories_of_another_number_of_positions_are_refused():
    search = BatchAlphaBeta(load_game("alquerque"), 1)
    states = np.array(load_game("alquerque").table.words)[:0]
    with pytest.raises(AlquerqueError, match="states"):
        search.run(states, np.zeros((0, 1), np.int64))
