"""Self-play with a search: what is kept of each match, the replay buffer, symmetries, and going on after a break."""

import numpy as np
import pytest
import torch
from alquerque_training.alphazero import AlphaZeroConfig, AlphaZeroLearner, alphazero_loss
from alquerque_training.config.settings import Config
from alquerque_training.experience.replay_buffer import Augmenter, Positions, ReplayBuffer
from alquerque_training.run.config_file import ConfigError
from alquerque_training.self_play.generator import SearchConfig, SelfPlay

from alquerque_env import Match, SelfPlayVectorEnv, load_game
from alquerque_env.game.game import Game
from alquerque_env.game.planes import planes
from alquerque_env.game.step import Step
from alquerque_env.search import Evaluate
from alquerque_env.search.decision_batch import DecisionBatch
from alquerque_env.solve.tables import EndgameTable, build_table, load_table
from alquerque_env.solve.tables.table_file import table_path
from tests.sets import first_by_default
from tests.training.tiny_runs import compiled, settings

pytestmark = compiled


def even(game: Game) -> Evaluate:
    """A network that knows nothing and takes all positions for equal."""
    return lambda seen: (np.zeros((len(seen), game.num_actions), np.float32), np.zeros(len(seen), np.float32))


def self_play(config: Config, seed: int = 1) -> SelfPlay:
    game = load_game(config.run.game, **config.run.options)
    return SelfPlay(game, config.self_play.num_games, config.self_play, config.of(SearchConfig), seed)


class Watched(DecisionBatch):
    """Matches that are also played step by step, and keep the states of their decisions, their length and winner.

    The winner is 2 of a draw, and "cut" where the match was stopped.
    """

    def __init__(self, game: Game, *others: object) -> None:
        super().__init__(game, *others)
        self.game = game
        self.been: list[list[np.ndarray]] = [[] for _ in self.states]
        self.lengths = [0] * len(self.states)
        self.ended: list[tuple[list[np.ndarray], int, int | str]] = []

    def advance(self, actions: np.ndarray, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        for number, (state, action) in enumerate(zip(self.states, actions, strict=True)):
            self.been[number].append(state.copy())
            match = Match.from_state(self.game, state)
            if not stops[number]:
                self._play(number, match, int(action))
            if stops[number] or match.is_over:
                winner = "cut" if stops[number] else 2 if match.outcome.winner is None else match.outcome.winner
                self.ended.append((self.been[number], self.lengths[number], winner))
                self.been[number], self.lengths[number] = [], 0
        return super().advance(actions, stops)

    def results(self) -> list[int]:
        """The result of each position of the matches that have ended, for its mover."""
        return [
            0 if winner in (2, "cut") else 1 if winner == Match.from_state(self.game, state).player else -1
            for states, _, winner in self.ended
            for state in states
        ]

    def _play(self, number: int, match: Match, action: int) -> None:
        """Plays an action and what is forced after it."""
        match.push(action)
        self.lengths[number] += 1
        while not match.is_over and len(match.legal_steps) == 1:
            match.push(match.legal_steps[0])
            self.lengths[number] += 1


@first_by_default
@pytest.mark.parametrize(
    ("name", "options", "room"),
    [
        ("alquerque", {}, 64),
        ("fetaix", {}, 64),
        ("awithlaknannai_mosona", {}, 64),
        ("alquerque_murray", {}, 128),
    ],
)
def test_every_position_of_an_ended_match_gets_the_result_of_its_mover(name, options, room, monkeypatch):
    """However long the match: there is room for 64 at first."""
    monkeypatch.setattr("alquerque_training.self_play.generator.DecisionBatch", Watched)
    play = self_play(settings(name, run={"options": options}))
    rows, tally = play.play(even(play.game), 300, 2)
    assert len(play.get_state()["movers"]) >= 16 * room
    assert tally["games"] == len(play.matches.ended) > 5
    assert rows.outcome.tolist() == play.matches.results()


class FirstBot:
    """Plays the first legal step."""

    def choose(self, match: Match) -> Step:
        return match.legal_steps[0]


def test_bots_play_one_seat_of_the_first_games_and_no_policy_is_learned_from_them(monkeypatch):
    monkeypatch.setattr("alquerque_training.self_play.generator.bot_maker", lambda *_: lambda _seed: [FirstBot()])
    play = self_play(settings(self_play={"bots": ["first"], "bots_share": 0.5}))
    advance, seen = play.matches.advance, []

    def watched(actions: np.ndarray, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first = [Match.from_state(play.game, state).legal_steps[0].action for state in play.matches.states]
        seen.append((play.matches.players(), actions == np.array(first)))
        return advance(actions, stops)

    monkeypatch.setattr(play.matches, "advance", watched)
    rows, _ = play.play(even(play.game), 120, 4)
    players, is_first = (np.array(column) for column in zip(*seen, strict=True))
    theirs = np.zeros_like(is_first)
    theirs[:, :8] = players[:, :8] == np.arange(8) % 2
    assert is_first[theirs].all()
    assert 0.1 < is_first[~theirs].mean() < 0.9
    assert 0.6 < rows.policy_weight.mean() < 0.9
    assert set(np.unique(rows.policy_weight)) == {0.0, 1.0}
    assert set(np.unique(rows.outcome)) == {-1.0, 1.0}


def test_the_rows_of_a_position_are_its_legal_actions_and_a_distribution_over_them():
    play = self_play(settings())
    rows, _ = play.play(even(play.game), 100, 4)
    assert len(rows.outcome) > 100
    counts = (rows.actions >= 0).sum(1)
    assert counts.min() >= 2
    assert np.allclose(rows.policy.sum(1), 1, atol=1e-5)
    assert (rows.policy[rows.actions < 0] == 0).all()
    assert (np.diff(np.where(rows.actions < 0, 10_000, rows.actions), axis=1)[:, 0] > 0).all()
    assert set(np.unique(rows.outcome)) <= {-1.0, 0.0, 1.0}


@first_by_default
@pytest.mark.parametrize("max_cycles", [None, 30])
def test_a_match_counts_when_it_ends_with_all_its_steps(max_cycles, monkeypatch):
    """However often self-play was called in the course of it."""
    monkeypatch.setattr("alquerque_training.self_play.generator.DecisionBatch", Watched)
    play = self_play(settings("awithlaknannai_mosona_davis", self_play={"max_cycles": max_cycles}))
    endings, none = set(), 0
    for _ in range(60):
        rows, tally = play.play(even(play.game), 2, 2)
        assert rows.outcome.tolist() == play.matches.results()
        ended = list(play.matches.ended)
        play.matches.ended.clear()
        assert all(30 <= length < 60 for _, length, winner in ended if winner == "cut")
        winners = [winner for *_, winner in ended]
        assert (tally["games"], tally["steps"]) == (len(ended), sum(length for _, length, _ in ended))
        assert tally["player_0_wins"] == winners.count(0)
        assert tally["draws"] == winners.count(2)
        assert tally["truncated"] == winners.count("cut")
        endings |= set(winners)
        none += not ended
    assert none > 5
    assert endings >= {0, 1, 2 if max_cycles is None else "cut"}


def test_metrics_without_ended_games_or_gradients_are_absent():
    """At first no match has ended; then there are fewer positions than are wanted before the first gradient."""
    learner = AlphaZeroLearner(settings(self_play={"rollout_steps": 4}), load_game("alquerque"))
    shares = {"game_length", "player_0_wins", "draws", "truncated"}
    kinds = set()
    for _ in range(20):
        record = learner.iterate()
        assert shares & record.keys() == (shares if record["games"] else set())
        assert ("policy_loss" in record) == ("window" in record)
        assert record.get("window", 0) <= record["positions"]
        kinds.add((record["games"] > 0, "window" in record))
    assert kinds >= {(False, False), (True, False), (True, True)}


def test_a_lower_no_progress_limit_ends_matches_sooner():
    game = load_game("awithlaknannai_mosona_davis")
    clock = [plane.name for plane in planes(game)].index("clock")
    seen = {}
    for limit in (6, None):
        play = self_play(settings(game.name, search={"no_progress_limit": limit, "simulations": 4}))
        rows, tally = play.play(even(game), 200, 2)
        seen[limit] = rows.planes[:, clock].max(), tally["steps"] / tally["games"]

    assert seen[6][0] == 5
    assert seen[None][0] > 12
    assert seen[6][1] < seen[None][1]


@pytest.mark.parametrize(
    ("name", "options", "limit", "message"),
    [
        ("alquerque", {}, 10, "is 10, but alquerque has no limit"),
        ("fetaix", {}, 81, "is 81, but fetaix has a limit of 80"),
        ("fetaix", {"no_progress_limit": 300}, 100, "fetaix has other observation planes with it"),
    ],
)
def test_an_end_of_matches_that_the_rules_do_not_have_is_refused(name, options, limit, message):
    with pytest.raises(ConfigError, match=message):
        self_play(settings(name, run={"options": options}, search={"no_progress_limit": limit, "simulations": 4}))


# Replay.


def numbered(first: int, count: int) -> Positions:
    rows = Positions.empty(count, (1, 1))
    return rows._replace(value=np.arange(first, first + count, dtype=np.float32))


def test_the_buffer_keeps_the_newest_and_draws_from_its_window_evenly():
    buffer = ReplayBuffer(100, (1, 1))
    for first in range(0, 350, 35):
        buffer.add(numbered(first, 35))
    assert len(buffer) == 100
    drawn = buffer.sample(20_000, 40, np.random.default_rng(0)).value
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == list(range(310, 350))
    assert counts.min() > 400
    assert np.unique(buffer.sample(5000, 1000, np.random.default_rng(0)).value).tolist() == list(range(250, 350))


# Symmetries.


@first_by_default
@pytest.mark.parametrize("name", ["alquerque", "fetaix", "awithlaknannai_mosona", "alquerque_murray"])
def test_the_image_of_a_row_is_a_row_of_the_image(name):
    """For each symmetry: the actions of the image are legal where its planes are seen."""
    game = load_game(name)
    rows, _ = self_play(settings(name)).play(even(load_game(name)), 300, 2)
    rows = rows.take(slice(0, 40))
    images = Augmenter(game)(rows, np.random.default_rng(0))
    assert np.array_equal(images.policy, rows.policy)
    assert (images.planes != rows.planes).any()
    for row in range(len(rows.outcome)):
        found = [
            symmetry
            for symmetry in game.symmetries
            if all(
                np.array_equal(images.planes[row][image, list(symmetry.points)], rows.planes[row][plane])
                for plane, image in enumerate(symmetry.planes)
            )
        ]
        kept = rows.actions[row] >= 0
        assert any(
            [symmetry.actions[action] for action in rows.actions[row][kept]] == images.actions[row][kept].tolist()
            for symmetry in found
        )
        assert (images.actions[row][~kept] == -1).all()


# Learning.


def test_the_loss_is_the_cross_entropy_among_legal_actions_and_the_squared_error():
    rows = Positions.empty(2, (1, 1))
    rows.actions[0, :2], rows.policy[0, :2] = [3, 5], [0.25, 0.75]
    rows.actions[1, :3], rows.policy[1, :3] = [0, 1, 2], [1, 0, 0]
    rows.policy_weight[:] = [1, 0]
    rows.outcome[:], rows.value[:] = [1, -1], [0.5, -0.5]
    logits = torch.zeros(2, 6)
    logits[0, 5] = 1.0
    logits[0, 0] = 50.0  # illegal
    config = AlphaZeroConfig(search_value_share=0.5, value_weight=2.0)
    losses = alphazero_loss(logits, torch.tensor([0.0, 0.0]), rows, config)
    total = np.log(1 + np.e)
    assert losses.policy.item() == pytest.approx(0.25 * total + 0.75 * (total - 1), rel=1e-5)
    assert losses.value.item() == pytest.approx(0.75**2)
    assert losses.total.item() == pytest.approx(losses.policy.item() + 2 * losses.value.item())


@first_by_default
@pytest.mark.parametrize(("name", "pieces"), [("awithlaknannai_mosona_davis", 4), ("fetaix", 3)])
@pytest.mark.slow
def test_a_result_is_the_exact_value_from_the_first_position_in_the_table(name, pieces, tmp_path, monkeypatch):
    """Each row is compared with the table's own answers about the match as it was played."""
    game, discount = load_game(name), 0.9
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    table = load_table(game, build_table(game, pieces, table_path(game, pieces)))
    monkeypatch.setattr("alquerque_training.self_play.generator.DecisionBatch", Watched)
    play = self_play(settings(name, self_play={"discount": discount}, search={"exact_values": True}))
    rows, _ = play.play(even(play.game), 150, 2)

    expected = [
        result for states, _, winner in play.matches.ended for result in told_by(table, states, winner, discount)
    ]
    assert len(rows.outcome) == len(expected) > 400
    assert rows.outcome == pytest.approx(expected, abs=1e-6)
    reached = [table.value(Match.from_state(game, state)) for states, *_ in play.matches.ended for state in states]
    assert len([value for value in reached if value is not None]) > 40


def told_by(table: EndgameTable, states: list[np.ndarray], winner: int, discount: float) -> list[float]:
    """The result of each position of a match, from the last to the first, where the table is asked one by one."""
    results: list[float] = []
    limit = table.game.rules.no_progress_limit
    result, favoured = 1.0, winner
    for number, state in enumerate(reversed(states)):
        match = Match.from_state(table.game, state)
        if number:
            result *= discount
        value, distance = table.value(match), table.distance(match)
        if value is not None:
            result = discount ** (limit if distance is None else distance)
            favoured = 2 if value == 0 else match.player if value > 0 else 1 - match.player
        results.append(0.0 if favoured == 2 else result if favoured == match.player else -result)
    return results[::-1]


def test_without_a_table_exact_values_are_refused():
    with pytest.raises(ConfigError, match=r"search\.exact_values needs an endgame table: .*alquerque solve"):
        self_play(settings(search={"exact_values": True}))


@pytest.mark.slow
def test_it_learns_to_win_within_seconds():
    """The policy alone against random, before and after; the same as `alquerque train` does."""
    from alquerque_training.measure.evaluate import greedy_policy, play_random

    config = settings(
        run={"total_steps": 64 * 24 * 20},
        self_play={"num_games": 64, "rollout_steps": 24},
        search={"simulations": 8},
        alphazero={"batch_size": 256, "warmup_positions": 1000, "window": 20_000, "precision": "float32"},
        network={"width": 32, "blocks": 1},
    )
    game = load_game("alquerque")
    learner = AlphaZeroLearner(config, game)
    before = play_random(greedy_policy(learner.network), SelfPlayVectorEnv(game, 100, max_cycles=500), seed=0)
    while learner.iteration < config.iterations:
        learner.iterate()
    after = play_random(greedy_policy(learner.network), SelfPlayVectorEnv(game, 100, max_cycles=500), seed=0)
    wins = [sum(seat.wins for seat in result.seats) for result in (before, after)]
    assert wins[1] > 85 > wins[0]


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        (
            {"alphazero": {"warmup_positions": 2000}},
            "alphazero.warmup_positions is 2000, expected at most alphazero.window",
        ),
        (
            {"alphazero": {"batch_size": 500}},
            "alphazero.batch_size is 500, expected at most alphazero.warmup_positions",
        ),
        ({"alphazero": {"final_learning_rate": 0.5}}, "alphazero.final_learning_rate is 0.5, expected at most"),
        (
            {"alphazero": {"processes": 4, "learner_games": 5}},
            "alphazero.learner_games is 5, which leaves 11 of self_play.num_games = 16 to the rest of "
            "alphazero.processes = 4: expected a number that leaves as many to each of them, such as 4",
        ),
        (
            {"alphazero": {"processes": 2, "learner_games": 16}},
            "alphazero.learner_games is 16, which leaves 0 of .* to the rest of alphazero.processes = 2: .* such as 15",
        ),
        (
            {"alphazero": {"processes": 3}, "self_play": {"num_games": 64}},
            "self_play.num_games is 64, expected a multiple of alphazero.processes = 3, such as 63, or "
            "alphazero.learner_games = 20, which leaves 22 to each of the others",
        ),
        (
            {"alphazero": {"processes": 4}, "self_play": {"num_games": 3}},
            "self_play.num_games is 3, expected at least one for each of alphazero.processes = 4",
        ),
        (
            {"run": {"algorithm": "alphazero", "total_steps": 100}, "alphazero": {"warmup_positions": 305}},
            "alphazero.warmup_positions is 305, but run.total_steps = 100 gives 320 positions at most, so that nothing "
            "would be learned: expected at most 304 with it, or a run.total_steps of 321 or more",
        ),
        (
            {"run": {"algorithm": "alphazero", "total_steps": 40}, "self_play": {"num_games": 1}},
            "alphazero.warmup_positions is 128, .* gives 40 positions .*: expected a run.total_steps of 144 or more",
        ),
        ({"alphazero": {"average_decay": 1.0}}, "alphazero.average_decay is 1.0, expected less than 1"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(sections, message):
    with pytest.raises(ConfigError, match=message):
        settings(**sections)


def test_a_discounted_result_is_worth_less_the_further_off_it_is():
    plays = [self_play(settings(self_play={"num_games": 8, "discount": discount})) for discount in (1.0, 0.9)]
    plain, discounted = (play.play(even(play.game), 80, 4)[0] for play in plays)
    assert len(plain.outcome) > 100
    assert np.array_equal(np.sign(discounted.outcome), plain.outcome)
    # From the end of a match backwards each result is worth nine tenths of the next.
    sizes = np.abs(discounted.outcome)
    powers = np.round(np.log(sizes) / np.log(0.9)).astype(int)
    assert np.allclose(sizes, 0.9**powers)
    ends = np.flatnonzero(powers == 0)
    starts = np.concatenate([[0], ends[:-1] + 1])
    for start, end in zip(starts, ends, strict=True):
        assert powers[start : end + 1].tolist() == list(range(end - start, -1, -1))
