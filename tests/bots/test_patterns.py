"""Patterns: where they are, what their kernel reads, and what is refused."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save

from alquerque_env import Match, games, load_bot, load_game
from alquerque_env.bots.alphabeta import AlphaBetaBot
from alquerque_env.bots.patterns.pattern_file import (
    KING_DIGITS,
    SHIPPED,
    PatternCard,
    PatternSet,
    find_pattern_file,
    find_patterns,
    read_card,
    write_patterns,
)
from alquerque_env.errors import BotError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import copied
from alquerque_env.search.pattern_kernels import NO_PATTERNS, WEIGHT_BITS, judge_one
from alquerque_env.search.static_evaluation import evaluate_one, evaluation_features
from tests.all_forms import plain_kernels
from tests.drawn_matches import matches

# One-sided steps, kings, four and twelve symmetries, and two roles without a half-turn.
GAMES = ("alquerque", "fetaix", "awithlaknannai_mosona", "pretwa", "fox_and_geese")


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

    for match in matches(game, 60):
        static = evaluate_one(t, copied(t, match.state), features)
        judged = judge_one(t, copied(t, match.state), features, *arrays)
        assert judged - static == read_slowly(game, weights, match)
        assert judge_one(t, copied(t, match.state), features, *NO_PATTERNS) == static
        if match.chain is None:
            state = np.array([[int(word) for word in match.state]])
            assert int(weights[found.numbers(state)].sum()) >> WEIGHT_BITS == judged - static


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


@pytest.mark.parametrize(
    ("name", "message"), [("fanorona", "fanorona has positions with too many captures"), ("zamma", "at most 63 points")]
)
def test_games_that_can_have_no_patterns_are_refused(name: str, message: str) -> None:
    for refuse in (PatternSet, lambda game: load_bot("patterns:3", game)):
        with pytest.raises(BotError, match=message):
            refuse(load_game(name))


def test_plain_and_compiled_bots_choose_alike() -> None:
    plain, compiled = (load_bot("patterns:2", "alquerque", seed=3) for _ in range(2))
    for match in matches(load_game("alquerque"), 12):
        with plain_kernels():
            step, score = plain.choose(match), plain.analyse(match).score
        assert (step, score) == (compiled.choose(match), compiled.analyse(match).score)


def test_files_of_other_rules_and_damaged_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alquerque_env.bots.patterns.pattern_file.pattern_path", lambda _game: tmp_path / "own")
    with pytest.raises(BotError, match=r"`python .*/learn_patterns.py alquerque --option capture=optional` learns"):
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
            BotError, match=r"is damaged: expected .*; remove it, or learn it anew with `python training/"
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
        == f"python training/research/learn_patterns.py {game.name} --rounds {card.rounds} --seed {card.seed}"
    )
    assert load_bot("patterns:1", game, seed=0).choose(Match(game)) in Match(game).legal_steps
