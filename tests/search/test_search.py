"""Search over many matches: against the search of the exported player, drawn noise, and matches of decisions."""

import math

import numpy as np
import pytest

from alquerque_env import Match, load_game
from alquerque_env.engine.player_view import PlayerView
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.game.planes import planes
from alquerque_env.match.position_text import format_position
from alquerque_env.search import GUMBEL, PUCT, BatchSearch, Decisions, Rule, puct
from alquerque_env.search.decision_batch import DecisionBatch
from alquerque_env.search.puct import Position
from tests.option_values import few_games, is_fast
from tests.search_rows import positions, rows_of
from tests.sets import first_by_default

PLAIN = pytest.mark.skipif(not JIT, reason="takes minutes in plain Python; the compiled run has the same source")


class Guesses:
    """A fixed network: logits and values by a random linear map of what is seen."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        inputs = len(planes(game)) * len(game.board.points)
        self.policy = rng.normal(0, 0.3, (inputs, game.num_actions))
        self.value = rng.normal(0, 0.15, inputs)

    def __call__(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        flat = seen.reshape(len(seen), -1).astype(np.float64)
        return flat @ self.policy, np.tanh(flat @ self.value)


def search(game: Game, matches: list[Match], simulations: int, rule: Rule, evaluate=None, generator=None) -> Decisions:
    states, past = rows_of(matches, 256)
    tree = BatchSearch(game, len(matches), simulations, rule)
    return tree.run(states, past, evaluate or Guesses(game), simulations, generator)


@first_by_default
@PLAIN
@pytest.mark.parametrize("name", few_games())
@pytest.mark.parametrize(("simulations", "exploration"), [(0, 0.3), (1, 0.3), (40, 0.3), (40, 1.5)])
def test_puct_decides_as_plain_puct(name, simulations, exploration):
    """The two share no code: one is compiled and searches all trees in turn, one is plain and searches one."""
    game = load_game(name)
    if game.options.get("repetition", "off") != "off" and simulations:
        pytest.skip("where repetition counts, the compiled trees have nodes for forced steps")
    guesses, view = Guesses(game), PlayerView(game)

    def evaluate(position: Position) -> tuple[list[float], float]:
        seen = view.observe(position.state, position.player, position.earlier)
        logits, value = guesses(seen[None])
        weights = np.exp(logits[0][list(position.actions)])
        return (weights / weights.sum()).tolist(), float(value[0])

    matches = positions(game, 4)
    found = search(game, matches, simulations, Rule(kind=PUCT, exploration=exploration))
    for row, match in enumerate(matches):
        expected = puct.decide(Position.of(match), evaluate, simulations, exploration=exploration)
        count = found.counts[row]
        assert found.actions[row] == expected.action
        assert found.legal[row, :count].tolist() == sorted(step.action for step in match.legal_steps)
        assert np.allclose(found.policy[row, :count], expected.policy, atol=1e-12)
        assert found.values[row] == pytest.approx(expected.value, abs=1e-12)


@PLAIN
def test_gumbel_noise_without_simulations_samples_the_policy():
    """The maximum of logits and Gumbel noise is a draw from the softmax of the logits."""
    game = load_game("alquerque")
    match = positions(game, 1, seed=4)[0]
    count = 4000
    found = search(game, [match] * count, 0, Rule(kind=GUMBEL, root_noise=1.0), generator=np.random.default_rng(0))
    width = found.counts[0]
    shares = [(found.actions == action).mean() for action in found.legal[0, :width]]
    assert np.allclose(shares, found.policy[0, :width], atol=4 * math.sqrt(0.25 / count))


# DecisionBatch, one decision at a time.


@pytest.mark.parametrize("name", [case for case in few_games() if is_fast(*case.values)])
def test_a_decision_batch_agrees_with_matches_played_step_by_step(name):
    game = load_game(name)
    count = 20 if JIT else 4
    played = DecisionBatch(game, count, 3, seed=1)
    rng = np.random.default_rng(0)
    twins = [Match(game, text) for text in texts(game, played)]
    ended = 0
    for _ in range(250 if JIT else 20):
        players = played.players()
        assert [twin.player for twin in twins] == players.tolist()
        assert all(len(twin.legal_steps) > 1 for twin in twins)
        steps = [twin.legal_steps[rng.integers(len(twin.legal_steps))] for twin in twins]
        standings, lengths = played.advance(np.array([step.action for step in steps]), np.zeros(count, bool))
        for number, (twin, step) in enumerate(zip(twins, steps, strict=True)):
            before = len(twin.steps)
            twin.push(step)
            while not twin.is_over and len(twin.legal_steps) == 1:
                twin.push(twin.legal_steps[0])
            assert len(twin.steps) - before == lengths[number]
            assert twin.is_over == bool(standings[number])
            if twin.is_over:
                winner = standings[number] & 3
                assert twin.outcome.winner == (None if winner == 2 else winner)
                ended += 1
                twins[number] = Match(game, texts(game, played)[number])
    assert ended > 0 or not JIT or game.schedule  # matches with drops are long


def texts(game: Game, matches: DecisionBatch) -> list[str]:
    rows = [[int(word) for word in row] for row in matches.states]
    return [format_position(game.table.words, game.board.labels, row) for row in rows]


def test_stopped_matches_are_reset_and_the_others_continue():
    game = load_game("alquerque")
    played = DecisionBatch(game, 4, 0, seed=1)
    begin = texts(game, played)[0]
    first = [Match(game, text).legal_steps[0].action for text in texts(game, played)]
    played.advance(np.array(first), np.zeros(4, bool))
    after = texts(game, played)
    second = [Match(game, text).legal_steps[0].action for text in after]
    standings, steps = played.advance(np.array(second), np.array([True, False, True, False]))
    assert texts(game, played)[0] == texts(game, played)[2] == begin
    assert texts(game, played)[1] != begin
    assert standings.tolist() == [0] * 4
    assert steps[0] == steps[2] == 0 < steps[1]
