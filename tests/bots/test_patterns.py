"""Patterns: where they are, what their kernel reads, and what is refused."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from alquerque_env.bots.patterns.examples import ExampleMaker, Examples
from alquerque_env.bots.patterns.regression import BATCH, fit
from click.testing import CliRunner
from safetensors import safe_open
from safetensors.numpy import save

from alquerque_env import Match, games, load_bot, load_game, load_table
from alquerque_env.bots.alphabeta import AlphaBetaBot
from alquerque_env.bots.patterns import learn
from alquerque_env.bots.patterns.find_patterns import KING_DIGITS, find_patterns
from alquerque_env.bots.patterns.pattern_file import (
    SHIPPED,
    PatternCard,
    find_pattern_file,
    read_card,
    read_weights,
    write_patterns,
)
from alquerque_env.bots.patterns.pattern_set import PatternSet
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError, BotError
from alquerque_env.files.lock import locked_file
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import copied
from alquerque_env.search.alphabeta_batch import BatchAlphaBeta, scores_to_values
from alquerque_env.search.pattern_kernels import NO_PATTERNS, WEIGHT_BITS, judge_one
from alquerque_env.search.scores import SCALE
from alquerque_env.search.static_evaluation import evaluate_one, evaluation_features
from tests.all_forms import plain_kernels
from tests.grid_games import write_grid

# One-sided steps, kings, four and twelve symmetries, and two roles without a half-turn.
GAMES = ("alquerque", "fetaix", "awithlaknannai_mosona", "pretwa", "fox_and_geese")


def random_matches(game: Game, count: int, seed: int = 0) -> Iterator[Match]:
    """Positions of random matches, some of them in the middle of a chain."""
    rng = random.Random(seed)
    match = Match(game)
    for _ in range(count):
        if match.is_over:
            match = Match(game)
        yield match
        match.push(rng.choice(match.legal_steps))


def random_weights(found: PatternSet, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3000, 3000, found.num_weights).astype(np.int16)


def read_slowly(game: Game, weights: np.ndarray, match: Match) -> int:
    """What patterns add to the static evaluation, read point by point."""
    state = [int(word) for word in match.state]
    player, left = state[STATE.PLAYER], ~state[STATE.CAPTURED]
    patterns = find_patterns(game)
    sizes = [each.size if each.shared == index else 0 for index, each in enumerate(patterns)]
    own_weights = sum(sizes) + (len(game.board.points) + 1) ** 2 if player and game.turn is None else 0
    total = 0
    for pattern in patterns:
        number = 0
        for at, point in enumerate(pattern.points):
            seen = 1 << (game.turn.index(point) if player and game.turn else point)
            digits = {1: STATE.MEN + player, 2: STATE.MEN + 1 - player}
            if pattern.digits == KING_DIGITS:
                digits |= {3: STATE.KINGS + player, 4: STATE.KINGS + 1 - player}
            number += pattern.digits**at * sum(digit for digit, word in digits.items() if state[word] & left & seen)
        total += int(weights[own_weights + sum(sizes[: pattern.shared]) + number])
    own, theirs = (
        (state[STATE.MEN + side] & left).bit_count() + (state[STATE.KINGS + side] & left).bit_count()
        for side in (player, 1 - player)
    )
    total += int(weights[own_weights + sum(sizes) + (len(game.board.points) + 1) * own + theirs])
    return total >> WEIGHT_BITS


@pytest.mark.parametrize("name", GAMES)
def test_the_kernel_reads_what_stands_on_the_points(name: str) -> None:
    game = load_game(name)
    found = PatternSet(game)
    weights = random_weights(found)
    features, arrays = evaluation_features(game), found.arrays(weights)
    t = game.table.words

    for match in random_matches(game, 60):
        static = evaluate_one(t, copied(t, match.state), features)
        judged = judge_one(t, copied(t, match.state), features, *arrays)
        assert judged - static == read_slowly(game, weights, match)
        assert judge_one(t, copied(t, match.state), features, *NO_PATTERNS) == static
        if match.chain is None:
            state = np.array([[int(word) for word in match.state]])
            assert int(weights[found.numbers(state)].sum()) >> WEIGHT_BITS == judged - static


@pytest.mark.parametrize("name", GAMES)
def test_images_of_a_position_have_equal_values(name: str) -> None:
    game = load_game(name)
    found = PatternSet(game)
    arrays, features = found.arrays(random_weights(found)), evaluation_features(game)
    t, values = game.table.words, set()
    for match in random_matches(game, 40):
        state = [int(word) for word in match.state]
        seen = set()
        for symmetry in game.symmetries:
            image = list(state)
            for word in (STATE.MEN, STATE.MEN + 1, STATE.KINGS, STATE.KINGS + 1, STATE.CAPTURED):
                image[word] = sum(1 << symmetry.points[p] for p in range(len(symmetry.points)) if state[word] >> p & 1)
            judged = judge_one(t, copied(t, image), features, *arrays)
            seen.add(judged - evaluate_one(t, copied(t, image), features))
        assert len(seen) == 1
        values |= seen
    assert len(values) > 10


def test_both_players_see_a_turned_position_alike() -> None:
    game = load_game("alquerque")
    found = PatternSet(game)
    arrays, features = found.arrays(random_weights(found)), evaluation_features(game)
    for match in random_matches(game, 20):
        state = [int(word) for word in match.state]
        other = list(state)
        for player, kind in itertools.product((0, 1), (STATE.MEN, STATE.KINGS)):
            points = state[kind + player]
            other[kind + 1 - player] = sum(1 << game.turn[p] for p in range(25) if points >> p & 1)
        other[STATE.CAPTURED] = sum(1 << game.turn[p] for p in range(25) if state[STATE.CAPTURED] >> p & 1)
        other[STATE.PLAYER] = 1 - state[STATE.PLAYER]
        t = game.table.words
        assert judge_one(t, copied(t, state), features, *arrays) == judge_one(t, copied(t, other), features, *arrays)


@pytest.mark.parametrize("name", games())
def test_patterns_come_with_their_images_and_none_lies_within_another_of_its_kind(name: str) -> None:
    game = load_game(name)
    if game.board.is_wide:
        return
    patterns = find_patterns(game)
    assert {point for pattern in patterns for point in pattern.points} == set(range(len(game.board.points)))
    for pattern in patterns:
        images = {tuple(each.points[p] for p in pattern.points) for each in game.symmetries}
        alike = {each.points for each in patterns if each.shared == pattern.shared}
        assert images == alike
    for one, other in itertools.permutations({(p.digits, frozenset(p.points)) for p in patterns}, 2):
        assert not (one[0] == other[0] and one[1] < other[1])


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


class StoppedError(Exception):
    """Ends learning in the middle of a round."""


@pytest.mark.slow
def test_learning_that_is_stopped_goes_on_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "MATCHES", 8)
    monkeypatch.setattr(learn, "SCORE_DEPTHS", {0: 2, 1: 3})
    monkeypatch.setattr(learn, "KEPT", 2)
    game = load_game("felli_simplified")

    def stop(done: int, _seconds: float) -> None:
        if done == 12:
            raise StoppedError

    whole, reached = learn.learn_patterns(game, tmp_path / "one", rounds=3, seed=5, watch=lambda *_: None)
    with pytest.raises(StoppedError):
        learn.learn_patterns(game, tmp_path / "two", rounds=3, seed=5, watch=stop)
    resumed, same = learn.learn_patterns(game, tmp_path / "two", rounds=3, seed=5, watch=lambda *_: None)

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
            learn.learn_patterns(game, memory, rounds=3, seed=seed, watch=lambda *_: None)


@pytest.mark.slow
def test_a_game_without_a_choice_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "MATCHES", 4)
    game = load_game(write_grid(tmp_path, 3, 1))
    with pytest.raises(AlquerqueError, match="nothing to learn"):
        learn.learn_patterns(game, tmp_path / "memory", rounds=1, seed=0, watch=lambda *_: None)


@pytest.mark.slow
def test_the_command_learns_into_the_users_folder_and_replaces_nothing_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "MATCHES", 4)
    monkeypatch.setattr("alquerque_env.bots.patterns.pattern_file.pattern_path", lambda _game: tmp_path / "a" / "own")
    command = ["patterns", "felli_simplified", "--rounds", "2", "--threads", "2"]

    file = tmp_path / "a" / "own"
    file.parent.mkdir()
    (file.parent / ".own.rounds.0123abcd.partial").touch()  # of a killed process
    done = CliRunner().invoke(main, command)
    card = read_card(file)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-2:] == [
        f"{file}: patterns of felli_simplified from {card.examples:,} positions",
        "play against them: alquerque play felli_simplified --opponent patterns:5",
    ]
    assert card.command == "alquerque patterns felli_simplified --rounds 2 --seed 0"
    assert [path.name for path in file.parent.iterdir()] == ["own"]
    assert load_bot("patterns:2", "felli_simplified").choose(Match("felli_simplified"))

    assert "--force replaces it" in CliRunner().invoke(main, command).output
    elsewhere = CliRunner().invoke(main, [*command[:4], "-o", str(tmp_path / "one")])
    assert elsewhere.output.splitlines()[-1] == f"bots look for them in {file}"
    game = load_game("felli_simplified")
    threaded, single = (read_weights(path, game, PatternSet(game)) for path in (file, tmp_path / "one"))
    assert (threaded == single).all()

    short = tmp_path / "short"
    assert CliRunner().invoke(main, [*command[:2], "--minutes", "0.00001", "-o", str(short)]).exit_code == 0
    assert read_card(short).rounds == 1


def test_a_game_without_patterns_is_answered_with_the_command_that_learns_them() -> None:
    with pytest.raises(BotError, match=r"no patterns for fetaix .*: `alquerque patterns fetaix --option chain=single`"):
        load_bot("patterns:2", load_game("fetaix", chain="single"))


def test_a_file_that_another_process_learns_is_refused(tmp_path: Path) -> None:
    with locked_file(tmp_path / "own"):
        done = CliRunner().invoke(main, ["patterns", "felli_simplified", "-o", str(tmp_path / "own")])
    assert done.exit_code == 2
    assert "own' is in use by process" in done.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "message"), [("fanorona", "fanorona has positions with too many captures"), ("zamma", "at most 63 points")]
)
def test_games_that_can_have_no_patterns_are_refused(name: str, message: str) -> None:
    for refuse in (PatternSet, lambda game: load_bot("patterns:3", game)):
        with pytest.raises(BotError, match=message):
            refuse(load_game(name))
    assert message in CliRunner().invoke(main, ["patterns", name]).output


def test_plain_and_compiled_bots_choose_alike() -> None:
    plain, compiled = (load_bot("patterns:2", "alquerque", seed=3) for _ in range(2))
    for match in itertools.islice((m for m in random_matches(load_game("alquerque"), 60) if not m.is_over), 12):
        with plain_kernels():
            step, score = plain.choose(match), plain.analyse(match).score
        assert (step, score) == (compiled.choose(match), compiled.analyse(match).score)


def test_files_of_other_rules_and_damaged_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alquerque_env.bots.patterns.pattern_file.pattern_path", lambda _game: tmp_path / "own")
    with pytest.raises(BotError, match="`alquerque patterns alquerque --option capture=optional` learns them"):
        load_bot("patterns:3", load_game("alquerque", capture="optional"))

    game = load_game("felli_simplified")
    found = PatternSet(game)

    def write(weights: np.ndarray, table_hash: str = game.table_hash) -> None:
        card = PatternCard(
            game=game.name, options=dict(game.options), table_hash=table_hash, command="", seed=0, rounds=1,
            examples=1, processor_time=1.0,
        )  # fmt: skip
        write_patterns(tmp_path / "own", weights, card)

    write(random_weights(found))
    assert isinstance(load_bot("patterns:3", game), AlphaBetaBot)
    for weights in (np.zeros(3, np.int16), np.zeros(found.num_weights, np.int32)):
        write(weights)
        with pytest.raises(
            BotError, match=r"is damaged: expected .*; remove it, or learn it anew with `alquerque patterns"
        ):
            load_bot("patterns:3", game)
    write(random_weights(found), "another")
    with pytest.raises(BotError, match="with rules another"):
        load_bot("patterns:3", game)
    (tmp_path / "own").write_bytes(b"x" * 40)
    with pytest.raises(BotError, match="no file of patterns"):
        load_bot("patterns:3", game)
    for fact, message in (
        ('"many"', "rounds is 'many', expected an integer"),
        ("many", "no file of patterns"),
        ("[" * 100_000, "no file of patterns"),
    ):
        write_with(tmp_path / "own", rounds=fact)
        with pytest.raises(BotError, match=message):
            load_bot("patterns:3", game)


def write_with(path: Path, **facts: str) -> None:
    """Writes a file of patterns again with other metadata."""
    shipped = SHIPPED / "felli_simplified.safetensors"
    with safe_open(shipped, "numpy") as file:
        path.write_bytes(save({"weights": file.get_tensor("weights")}, file.metadata() | facts))


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*")), ids=lambda path: path.stem)
def test_shipped_patterns_fit_their_games(path: Path) -> None:
    game = load_game(path.stem)
    card = read_card(path)
    assert find_pattern_file(game) == path
    assert card.table_hash == game.table_hash
    assert (
        card.command.removesuffix(" --exact")
        == f"alquerque patterns {game.name} --rounds {card.rounds} --seed {card.seed}"
    )
    assert load_bot("patterns:1", game, seed=0).choose(Match(game)) in Match(game).legal_steps
