"""Search over many matches: against the search of the exported player, against minimax, and the rules of Gumbel."""

import math
from itertools import pairwise, product

import numpy as np
import pytest

from alquerque_env import Match, load_game
from alquerque_env.engine.player_view import PlayerView
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT, word_rows
from alquerque_env.game.planes import planes
from alquerque_env.match.position_text import format_position
from alquerque_env.search import GUMBEL, PUCT, BatchSearch, Decisions, Evaluate, Rule, puct
from alquerque_env.search.decision_batch import DecisionBatch
from alquerque_env.search.puct import Position
from alquerque_env.search.trees import considered_visits, halving
from tests.option_values import few_games
from tests.sets import first_by_default

PLAIN = pytest.mark.skipif(not JIT, reason="takes minutes in plain Python; the compiled run has the same source")


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


def rows_of(matches: list[Match], room: int = 256):
    """States and histories as a search wants them."""
    t = matches[0].game.table.words
    states = word_rows(t, len(matches), len(matches[0].state))
    past = word_rows(t, len(matches), room)
    for row, match in enumerate(matches):
        states[row][:] = match.state
        past[row][:] = match.keys(room)
    return states, past


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


def blind(game: Game, value: float = 0.0) -> Evaluate:
    """A network that takes all steps for equal, and all positions too."""
    return lambda seen: (np.zeros((len(seen), game.num_actions)), np.full(len(seen), value))


def search(game: Game, matches: list[Match], simulations: int, rule: Rule, evaluate=None, generator=None) -> Decisions:
    states, past = rows_of(matches)
    tree = BatchSearch(game, len(matches), simulations, rule)
    return tree.run(states, past, evaluate or Guesses(game), simulations, generator)


@first_by_default
@PLAIN
@pytest.mark.parametrize("name", few_games())
@pytest.mark.parametrize(("simulations", "exploration"), [(0, 0.3), (1, 0.3), (40, 0.3), (40, 1.5)])
def test_puct_decides_as_plain_puct(name, simulations, exploration):
    """The two share no code: one is compiled and searches all trees in turn, one is plain and searches one."""
    game = load_game(name)
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


def learned_values(game: Game, match: Match) -> dict[int, float]:
    """What a search that tries every action once finds each to be worth, but for a constant.

    With equal logits the improved policy is the softmax of (c_visit + 1) c_scale q.
    """
    choices = len(match.legal_steps)
    rule = Rule(kind=GUMBEL, considered=choices, value_offset=50, value_scale=0.01)
    found = search(game, [match], choices, rule, blind(game, 0.5))
    return dict(zip(found.legal[0].tolist(), (np.log(found.policy[0]) / 0.51).tolist(), strict=True))


@PLAIN
def test_values_are_negated_between_players_and_not_within_a_chain():
    """The player to move is worth .5: a step after which one is to move again is worth 1 more than one that is not."""
    game = load_game("alquerque_murray")
    compared = 0
    for match in positions(game, 400, seed=1):
        after = {step.action: match.copy() for step in match.legal_steps}
        for action, ahead in after.items():
            ahead.push(action)
        # Steps without a choice would be gone through.
        open_ones = {a: m for a, m in after.items() if not m.is_over and len(m.legal_steps) > 1}
        again = [a for a, m in open_ones.items() if m.player == match.player]
        other = [a for a, m in open_ones.items() if m.player != match.player]
        if again and other:
            values = learned_values(game, match)
            assert values[again[0]] - values[other[0]] == pytest.approx(1.0, abs=1e-6)
            compared += 1
        if compared == 10:
            return
    raise AssertionError(f"only {compared} positions in which a chain may be begun or not")


@pytest.mark.parametrize(
    ("considered", "simulations", "sequence"),
    [
        (1, 4, (0, 1, 2, 3)),
        (2, 4, (0, 0, 1, 1)),
        (4, 8, (0, 0, 0, 0, 1, 1, 2, 2)),
        (4, 3, (0, 0, 0)),
        (8, 16, (0,) * 8 + (1,) * 4 + (2,) * 2 + (3,) * 2),
    ],
)
def test_sequential_halving_visits_all_then_the_better_half(considered, simulations, sequence):
    assert halving(considered, simulations) == sequence


def test_every_round_of_halving_considers_actions_of_the_round_before():
    for considered, simulations in product(range(1, 17), (1, 7, 32, 200)):
        sequence = halving(considered, simulations)
        assert len(sequence) == simulations
        tried = [sequence.count(visits) for visits in range(max(sequence) + 1)]
        assert tried[0] == min(considered, simulations)
        assert all(later <= earlier for earlier, later in pairwise(tried)), (considered, simulations)


def test_the_schedule_of_a_match_depends_on_its_number_of_choices():
    table = considered_visits(np.array([2, 3, 40]), 4, 8)
    assert table.shape == (8, 3)
    assert table[:, 0].tolist() == list(halving(2, 8))
    assert table[:, 1].tolist() == list(halving(3, 8))
    assert table[:, 2].tolist() == list(halving(4, 8))


@PLAIN
def test_the_mmd_weight_removes_a_share_of_the_logits_from_the_policy_and_leaves_the_choice_alone():
    game = load_game("alquerque")
    matches = positions(game, 40, seed=3)
    prior = search(game, matches, 0, Rule(kind=GUMBEL))
    free = search(game, matches, 32, Rule(kind=GUMBEL))
    drawn = search(game, matches, 32, Rule(kind=GUMBEL, mmd_weight=0.25))
    expected = np.where(free.policy > 0, free.policy / np.where(prior.policy > 0, prior.policy, 1) ** 0.25, 0)
    np.testing.assert_allclose(drawn.policy, expected / expected.sum(1, keepdims=True), rtol=1e-9)
    assert (drawn.actions == free.actions).all()


def test_a_policy_over_equal_steps_returns_to_uniform_only_with_an_mmd_weight():
    game = load_game("awithlaknannai_mosona_davis")
    (match,) = positions(game, 1)
    steps = sorted(step.action for step in match.legal_steps)
    for mmd_weight, final in ((0.0, 0.97), (0.5, 1 / len(steps))):
        probabilities = np.full(len(steps), 0.03 / (len(steps) - 1))
        probabilities[0] = 0.97
        for _ in range(40):
            logits = np.zeros((1, game.num_actions))
            logits[0, steps] = np.log(probabilities)
            told = search(
                game, [match], 0, Rule(kind=GUMBEL, mmd_weight=mmd_weight), lambda _, told=logits: (told, np.zeros(1))
            )
            probabilities = told.policy[0, : len(steps)]
        assert probabilities[0] == pytest.approx(final, abs=1e-6)


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


@PLAIN
def test_repetition_is_seen_with_the_history_of_the_match():
    """Where the player to move is worth .5, a step is worth -.5, but a draw by the third occurrence 0."""
    game = load_game("fetaix", repetition="threefold_draw", no_progress_limit="off")
    match = Match(game, "W:WKa1:BKc5")
    for step in ("a1-a2", "c5-d5", "a2-a1", "d5-c5", "a1-a2", "c5-d5", "a2-a1"):
        match.push(step)
    number = {step.text: step.action for step in match.legal_steps}
    ahead = match.copy()
    ahead.push("d5-c5")
    assert ahead.outcome.reason == "repetition"

    values = learned_values(game, match)
    ordinary = learned_values(game, Match(game, match.position))
    assert values[number["d5-c5"]] - values[number["d5-e5"]] == pytest.approx(0.5, abs=1e-6)
    assert ordinary[number["d5-c5"]] - ordinary[number["d5-e5"]] == pytest.approx(0, abs=1e-6)


# DecisionBatch, one decision at a time.


@pytest.mark.parametrize("name", few_games())
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


def test_a_restored_decision_batch_continues_equally():
    game = load_game("fetaix", repetition="threefold_draw")
    one, other = DecisionBatch(game, 6, 4, seed=3), DecisionBatch(game, 6, 4, seed=9)
    other.set_state(one.get_state())
    for _ in range(30):
        assert texts(game, one) == texts(game, other)
        actions = np.array([Match(game, text).legal_steps[-1].action for text in texts(game, one)])
        for played in (one, other):
            played.advance(actions, np.zeros(6, bool))
