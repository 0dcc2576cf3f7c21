"""Patterns: where they are, what their kernel reads, and what is refused."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from alquerque_env import Match, games, load_bot, load_game, load_table
from alquerque_env.bots.alphabeta import AlphaBetaBot
from alquerque_env.bots.patterns import learn
from alquerque_env.bots.patterns.examples import ExampleMaker
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
from alquerque_env.bots.patterns.regression import fit
from alquerque_env.cli.main import main
from alquerque_env.engine.forms import load_plain
from alquerque_env.errors import AlquerqueError, BotError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import copied, step_words
from alquerque_env.search.pattern_kernels import NO_PATTERNS, WEIGHT_BITS, judge_one
from alquerque_env.search.static_evaluation import evaluate_one, evaluation_features

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
    features, arrays = evaluation_features(game, game.has_roles), found.arrays(weights)
    t = step_words(game.table)

    for match in random_matches(game, 60):
        static = evaluate_one(t, copied(match.state), features)
        judged = judge_one(t, copied(match.state), features, *arrays)
        assert judged - static == read_slowly(game, weights, match)
        assert judge_one(t, copied(match.state), features, *NO_PATTERNS) == static
        if match.chain is None:
            state = np.array([[int(word) for word in match.state]])
            assert int(weights[found.numbers(state)].sum()) >> WEIGHT_BITS == judged - static


@pytest.mark.parametrize("name", GAMES)
def test_images_of_a_position_have_equal_values(name: str) -> None:
    game = load_game(name)
    found = PatternSet(game)
    arrays, features = found.arrays(random_weights(found)), evaluation_features(game, False)
    t, values = step_words(game.table), set()
    for match in random_matches(game, 40):
        state = [int(word) for word in match.state]
        seen = set()
        for symmetry in game.symmetries:
            image = list(state)
            for word in (STATE.MEN, STATE.MEN + 1, STATE.KINGS, STATE.KINGS + 1, STATE.CAPTURED):
                image[word] = sum(1 << symmetry.points[p] for p in range(len(symmetry.points)) if state[word] >> p & 1)
            judged = judge_one(t, copied(image), features, *arrays)
            seen.add(judged - evaluate_one(t, copied(image), features))
        assert len(seen) == 1
        values |= seen
    assert len(values) > 10


def test_both_players_see_a_turned_position_alike() -> None:
    game = load_game("alquerque")
    found = PatternSet(game)
    arrays, features = found.arrays(random_weights(found)), evaluation_features(game, False)
    for match in random_matches(game, 20):
        state = [int(word) for word in match.state]
        other = list(state)
        for player, kind in itertools.product((0, 1), (STATE.MEN, STATE.KINGS)):
            points = state[kind + player]
            other[kind + 1 - player] = sum(1 << game.turn[p] for p in range(25) if points >> p & 1)
        other[STATE.CAPTURED] = sum(1 << game.turn[p] for p in range(25) if state[STATE.CAPTURED] >> p & 1)
        other[STATE.PLAYER] = 1 - state[STATE.PLAYER]
        t = step_words(game.table)
        assert judge_one(t, copied(state), features, *arrays) == judge_one(t, copied(other), features, *arrays)


@pytest.mark.parametrize("name", games())
def test_patterns_come_with_their_images_and_none_lies_within_another_of_its_kind(name: str) -> None:
    game = load_game(name)
    if game.board.is_wide:
        with pytest.raises(BotError, match="at most 63 points"):
            PatternSet(game)
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

    before = error()
    fit(weights, numbers, static, targets, passes=60, generator=rng)
    assert error() < 0.01 * before


@pytest.mark.slow  # compiles kernels that bots do not need
def test_examples_are_quiet_and_have_the_scores_of_a_search() -> None:
    game = load_game("felli_simplified")
    maker = ExampleMaker(game, play_depth=2, score_depth=3)
    examples = [maker.play(seed) for seed in range(6)]
    assert sum(len(each.targets) for each in examples) > 5
    again = maker.play(0)
    assert (again.states == examples[0].states).all()
    assert (again.targets == examples[0].targets).all()
    for each in examples:
        assert (np.abs(each.targets) <= 1).all()


@pytest.mark.slow  # compiles kernels that bots do not need
def test_examples_of_a_table_have_its_values() -> None:
    table = load_table("felli_simplified")
    maker = ExampleMaker(table.game, play_depth=2, score_depth=2, table=table)
    states, targets = zip(*((each.states, each.targets) for each in map(maker.play, range(6))), strict=True)
    known = np.concatenate(states)
    whole = np.tile(np.array(Match(table.game).state, np.int64), (len(known), 1))
    whole[:, : known.shape[1]] = known
    found = np.concatenate(targets)
    exact = table.probe(whole, clockless=True).value
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
    game = load_game("felli_simplified")

    def stop(done: int, _all: int) -> None:
        if done == 12:
            raise StoppedError

    whole, reached = learn.learn_patterns(game, tmp_path / "one", rounds=3, seed=5, watch=lambda *_: None)
    with pytest.raises(StoppedError):
        learn.learn_patterns(game, tmp_path / "two", rounds=3, seed=5, watch=stop)
    resumed, same = learn.learn_patterns(game, tmp_path / "two", rounds=3, seed=5, watch=lambda *_: None)

    assert whole.any()
    assert (whole == resumed).all()
    assert (reached.rounds, reached.examples) == (same.rounds, same.examples)


@pytest.mark.slow
def test_the_command_learns_into_the_users_folder_and_replaces_nothing_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "MATCHES", 4)
    monkeypatch.setattr("alquerque_env.bots.patterns.pattern_file.pattern_path", lambda _game: tmp_path / "a" / "own")
    command = ["patterns", "felli_simplified", "--rounds", "2", "--threads", "2"]

    file = tmp_path / "a" / "own"
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


def test_a_game_without_patterns_is_answered_with_the_command_that_learns_them() -> None:
    with pytest.raises(BotError, match=r"no patterns for fetaix .*: `alquerque patterns fetaix --option chain=single`"):
        load_bot("patterns:2", load_game("fetaix", chain="single"))


def test_games_without_full_searches_are_refused() -> None:
    with pytest.raises(AlquerqueError, match="fanorona has positions with too many captures for full searches"):
        ExampleMaker(load_game("fanorona"), play_depth=2, score_depth=2)


def test_plain_and_compiled_bots_choose_alike() -> None:
    plain = load_plain("bots.load").load_bot("patterns:2", "alquerque", seed=3)
    compiled = load_bot("patterns:2", "alquerque", seed=3)
    for match in itertools.islice((m for m in random_matches(load_game("alquerque"), 60) if not m.is_over), 12):
        assert plain.choose(match) == compiled.choose(match)
        assert plain.analyse(match).score == compiled.analyse(match).score


def test_files_of_other_rules_and_damaged_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alquerque_env.bots.patterns.pattern_file.pattern_path", lambda _game: tmp_path / "own")
    with pytest.raises(BotError, match="`alquerque patterns alquerque --option capture=optional` learns them"):
        load_bot("patterns:3", load_game("alquerque", capture="optional"))

    game = load_game("felli_simplified")
    found = PatternSet(game)

    def save(weights: np.ndarray, table_hash: str = game.table_hash) -> None:
        card = PatternCard(
            game=game.name, options=dict(game.options), table_hash=table_hash, command="", seed=0, rounds=1,
            examples=1, processor_time=1.0,
        )  # fmt: skip
        write_patterns(tmp_path / "own", weights, card)

    save(random_weights(found))
    assert isinstance(load_bot("patterns:3", game), AlphaBetaBot)
    for weights in (np.zeros(3, np.int16), np.zeros(found.num_weights, np.int32)):
        save(weights)
        with pytest.raises(BotError, match="is damaged: expected"):
            load_bot("patterns:3", game)
    save(random_weights(found), "another")
    with pytest.raises(BotError, match="with rules another"):
        load_bot("patterns:3", game)
    (tmp_path / "own").write_bytes(b"x" * 40)
    with pytest.raises(BotError, match="no file of patterns"):
        load_bot("patterns:3", game)


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
