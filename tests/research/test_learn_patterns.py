"""Learning of patterns, of `training/research`: examples, the regression, and going on after a break."""

from pathlib import Path

import learn_patterns
import numpy as np
import pytest
from click.testing import CliRunner
from pattern_examples import ExampleMaker, Examples
from pattern_regression import BATCH, fit

from alquerque_env import Match, load_game, load_table
from alquerque_env.bots.patterns.pattern_file import PatternSet, read_card, read_weights
from alquerque_env.errors import AlquerqueError
from alquerque_env.files.lock import locked_file
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import copied
from alquerque_env.search.alphabeta_batch import BatchAlphaBeta, scores_to_values
from alquerque_env.search.scores import SCALE
from alquerque_env.search.static_evaluation import evaluate_one, evaluation_features
from tests.grid_games import write_grid


def test_regression_finds_the_weights_that_made_the_values() -> None:
    rng = np.random.default_rng(0)
    true = rng.normal(0, 0.5, 30).astype(np.float32)
    numbers = np.stack([rng.integers(0, 10, 20_000) + 10 * k for k in range(3)], 1).astype(np.int32)
    static = rng.normal(0, 0.2, 20_000).astype(np.float32)
    targets = np.tanh(static + true[numbers].sum(1))
    weights = np.zeros(30, np.float32)

    def error() -> float:
        return float(np.mean((targets - np.tanh(static + weights[numbers].sum(1))) ** 2))

    def numbers_of(rows: np.ndarray) -> np.ndarray:
        assert len(rows) <= BATCH  # those of all examples of a game take gigabytes
        return numbers[rows]

    before = error()
    fit(weights, numbers_of, static, targets, passes=60, generator=rng)
    assert error() < 0.01 * before


def whole_states(game: Game, examples: list[Examples]) -> np.ndarray:
    """The states of examples, with the further words of the start."""
    known = np.concatenate([each.states for each in examples])
    whole = np.tile(np.array(Match(game).state, np.int64), (len(known), 1))
    whole[:, : known.shape[1]] = known
    return whole


@pytest.mark.slow  # compiles kernels that bots do not need
def test_examples_are_quiet_and_have_the_scores_of_a_search() -> None:
    game, depth = load_game("felli_simplified", no_progress_limit=1000), 2  # examples do not show the clock
    maker = ExampleMaker(game, play_depth=2, score_depth=depth)
    examples = [maker.play(seed) for seed in range(12)]
    again = maker.play(0)
    assert (again.states == examples[0].states).all()
    assert (again.targets == examples[0].targets).all()

    states = whole_states(game, examples)
    static, targets = (np.concatenate([getattr(each, name) for each in examples]) for name in ("static", "targets"))
    assert len(states) > 100
    t, features = game.table.words, evaluation_features(game)
    for state, value in zip(states, static, strict=True):
        assert not any(step.captured for step in Match.from_state(game, state).legal_steps)
        assert value == pytest.approx(evaluate_one(t, copied(t, state), features) / SCALE)
    values = scores_to_values(BatchAlphaBeta(game, depth).run(states, np.zeros((len(states), 1), np.int64)).max(1))
    # On the line of a match, its result is a part of the value.
    errors = np.abs(targets - [values, *(0.7 * values + 0.3 * result for result in (-1, 0, 1))])
    assert errors.min(0).max() < 1e-6
    assert (errors[0] > 1e-6).any()
    assert (errors[0] < 1e-6).sum() > len(errors[0]) / 3


@pytest.mark.slow
def test_matches_end_where_positions_have_more_turns_than_a_search_has_time_for() -> None:
    maker = ExampleMaker(load_game("kolowis_awithlaknannai"), play_depth=2, score_depth=3)
    assert any(len(maker.play(seed).targets) for seed in range(3))


@pytest.mark.slow  # compiles kernels that bots do not need
def test_examples_of_a_table_have_its_values() -> None:
    table = load_table("felli_simplified")
    maker = ExampleMaker(table.game, play_depth=2, score_depth=2, table=table)
    examples = [maker.play(seed) for seed in range(6)]
    found = np.concatenate([each.targets for each in examples])
    exact = table.probe(whole_states(table.game, examples), clockless=True).value
    certain = np.abs(found) == 1
    assert (found[certain] == exact[certain]).all()
    # The others are draws, or may become draws by the limit of plies without progress.
    assert certain.sum() > 0.5 * np.count_nonzero(exact)
    assert (found[exact == 0] == 0).all()


@pytest.mark.slow
def test_learning_that_is_stopped_goes_on_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_patterns, "MATCHES", 8)
    monkeypatch.setattr(learn_patterns, "SCORE_DEPTHS", {0: 2, 1: 3})
    monkeypatch.setattr(learn_patterns, "KEPT", 2)
    game = load_game("felli_simplified")

    def stop(done: int, _seconds: float) -> None:
        if done == 12:
            raise RuntimeError("stopped")

    whole, reached = learn_patterns.learn_patterns(game, tmp_path / "one", rounds=3, seed=5, watch=lambda *_: None)
    with pytest.raises(RuntimeError, match="stopped"):
        learn_patterns.learn_patterns(game, tmp_path / "two", rounds=3, seed=5, watch=stop)
    resumed, same = learn_patterns.learn_patterns(game, tmp_path / "two", rounds=3, seed=5, watch=lambda *_: None)

    assert whole.any()
    assert (whole == resumed).all()
    assert (reached.rounds, reached.examples, reached.sizes) == (same.rounds, same.examples, same.sizes)
    assert sum(same.sizes) == len(same.known.targets) < same.examples

    memory, kept = tmp_path / "two", (tmp_path / "one").read_bytes()
    rounds = b'"numbers":"[3, '
    assert rounds in kept
    damaged = [kept[:-1], kept.replace(rounds, b'"numbers":"[-3,'), kept.replace(rounds, b'"numbers":"[[],')]
    for seed, data in ((6, kept), *((5, data) for data in damaged)):
        memory.write_bytes(data)
        with pytest.raises(AlquerqueError, match=r"two' cannot be continued: .*; remove it to begin anew"):
            learn_patterns.learn_patterns(game, memory, rounds=3, seed=seed, watch=lambda *_: None)


@pytest.mark.slow
def test_a_game_without_a_choice_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_patterns, "MATCHES", 4)
    game = load_game(write_grid(tmp_path, 3, 1))
    with pytest.raises(AlquerqueError, match="nothing to learn"):
        learn_patterns.learn_patterns(game, tmp_path / "memory", rounds=1, seed=0, watch=lambda *_: None)


@pytest.mark.slow
def test_the_command_learns_into_the_users_folder_and_replaces_nothing_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn_patterns, "MATCHES", 4)
    monkeypatch.setattr("learn_patterns.pattern_path", lambda _game: tmp_path / "a" / "own")
    command = ["felli_simplified", "--rounds", "2", "--threads", "2"]

    file = tmp_path / "a" / "own"
    file.parent.mkdir()
    (file.parent / ".own.rounds.0123abcd.partial").touch()  # of a killed process
    done = CliRunner().invoke(learn_patterns.main, command)
    card = read_card(file)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-2:] == [
        f"{file}: patterns of felli_simplified from {card.examples:,} positions",
        "play against them: alquerque play felli_simplified --opponent patterns:5",
    ]
    assert card.command == "python training/research/learn_patterns.py felli_simplified --rounds 2 --seed 0"
    assert [path.name for path in file.parent.iterdir()] == ["own"]

    assert "--force replaces it" in str(CliRunner().invoke(learn_patterns.main, command).exception)
    with locked_file(tmp_path / "other"):
        refused = CliRunner().invoke(learn_patterns.main, ["felli_simplified", "-o", str(tmp_path / "other")])
    assert "other' is in use by process" in str(refused.exception)
    elsewhere = CliRunner().invoke(learn_patterns.main, [*command[:3], "-o", str(tmp_path / "one")])
    assert elsewhere.output.splitlines()[-1] == f"bots look for them in {file}"
    game = load_game("felli_simplified")
    threaded, single = (read_weights(path, game, PatternSet(game)) for path in (file, tmp_path / "one"))
    assert (threaded == single).all()

    short = tmp_path / "short"
    assert (
        CliRunner().invoke(learn_patterns.main, [*command[:1], "--minutes", "0.00001", "-o", str(short)]).exit_code == 0
    )
    assert read_card(short).rounds == 1
