"""Rules that compare captures where more chains can be played than anybody can walk through."""

from pathlib import Path

import numpy as np
import pytest

from alquerque_env import Match, load_game
from alquerque_env.errors import PositionError
from alquerque_env.game.game import Game
from tests.grid_games import write_grid
from tests.reference import Reference, RefMatch, RefStep
from tests.sets import first_by_default

MOST: dict[str, object] = {"max_capture": "most_pieces"}

CROWDED: list[tuple[str, dict[str, object]]] = [
    ("kharbaga", {}),
    ("kharbaga", {"capture_removal": "end_of_turn", "mullah_landing": "must_continue"}),
    ("kharbaga", {"midchain_promotion": "promote_and_continue"}),
    ("draughts_international", {}),
    ("draughts_international", {"capture_removal": "immediate", "midchain_promotion": "promote_and_stop"}),
    ("fetaix", MOST | {"midchain_promotion": "promote_and_continue", "man_capture_dirs": "all"}),
    ("5x5", MOST | {"leap": "pattern"}),
    ("5x5", MOST | {"leap": "pattern", "capture_removal": "end_of_turn", "midchain_promotion": "promote_and_continue"}),
    ("5x5", {"leap": "pattern", "mullah_landing": "must_continue"}),
    (
        "5x5",
        MOST | {"leap": "pattern", "chain_may_return_to_start": False, "mullah_captures": "next_point"},
    ),
]


def make_game(folder: Path, name: str, options: dict[str, object]) -> Game:
    if "x" in name and name[0].isdigit():
        width, height = map(int, name.split("x"))
        return load_game(write_grid(folder, width, height, **options))
    return load_game(name, **options)


def crowded_position(game: Game, rng: np.random.Generator) -> str:
    """Text of a position in which up to three pieces stand among many enemies."""
    labels = rng.permutation(game.board.labels)
    own = int(rng.integers(1, 4))
    enemies = int(rng.uniform(0.1, 0.55) * len(labels))
    kings = ["K" if rng.random() < 0.5 else "" for _ in range(own)]
    sides = [
        ",".join(map("".join, zip(kings, labels[:own], strict=True))),
        ",".join(labels[own : own + enemies]),
    ]
    player = rng.integers(2)
    return f"{'WB'[player]}:W{sides[player]}:B{sides[1 - player]}"


@first_by_default
@pytest.mark.parametrize(("name", "options"), CROWDED, ids=str)
def test_the_captures_that_begin_a_longest_chain_are_those_of_the_reference(
    name: str, options: dict[str, object], tmp_path: Path
) -> None:
    game = make_game(tmp_path, name, options)
    reference, rng = Reference(game), np.random.default_rng(3)
    captures = 0
    while captures < 40:
        try:
            match = Match(game, crowded_position(game, rng))
        except PositionError:  # a man on its promotion points, for one
            continue
        other = RefMatch(reference, reference.parse(match.position))
        while not match.is_over and match.legal_steps[0].captured:
            steps = {(step.origin, step.target, *step.captured) for step in match.legal_steps}
            assert steps == {(step.origin, step.target, step.victim) for step in other.legal}, match.position
            step = match.legal_steps[rng.integers(len(match.legal_steps))]
            match.push(step)
            other.push(RefStep(step.origin, step.target, step.captured[0]))
            captures += 1


@pytest.mark.parametrize("removal", ["immediate", "end_of_turn"])
def test_among_more_chains_than_can_be_walked_every_legal_one_takes_all_pieces(removal: str, tmp_path: Path) -> None:
    # Twelve pieces, each with eight vacant points round it: a leap bends to any of seven, so there are many millions of
    # millions of chains.
    game = load_game(write_grid(tmp_path, 7, 9, leap="pattern", promotion="none", capture_removal=removal, **MOST))
    enemies = [f"{column}{row}" for column in "bdf" for row in (2, 4, 6, 8)]
    rng = np.random.default_rng(0)
    for _ in range(5):
        match = Match(game, f"W:Wd5:B{','.join(enemies)}")
        while not match.is_over:
            assert match.player == 0
            match.push(match.legal_steps[rng.integers(len(match.legal_steps))])
        assert len(match.steps) == len(enemies)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "position"),
    [
        ("kharbaga", {}, "W:WKb6:BKc1,d2,f2,h2,a3,c3,g3,b4,f4,h4,c5,e5,d6,f6,h6,a7,c7,g7,i7,d8,f8,h8,a9,e9"),
        ("7x9", MOST, "W:WKd5:Bb2,d2,f2,b4,d4,f4,b6,d6,f6,b8,d8,f8,c3,e3,c5,e5,c7,e7,a3,g3,a7,g7"),
        (
            "7x9",
            MOST | {"leap": "pattern"},
            "W:Wd5,a1:Bb2,d2,f2,b4,d4,f4,b6,d6,f6,b8,d8,f8,c3,e3,c5,e5,c7,e7,a3,g3,a7,g7",
        ),
    ],
    ids=str,
)
def test_where_chains_are_too_many_to_compare_some_captures_are_legal(
    name: str, options: dict[str, object], position: str, tmp_path: Path
) -> None:
    game = make_game(tmp_path, name, options)
    match = Match(game, position)
    free = Match(make_game(tmp_path, name, options | {"max_capture": "none"}), position)
    rng = np.random.default_rng(0)
    while match.chain is not None or not match.steps:
        legal = {step.text for step in match.legal_steps}
        assert legal
        assert legal <= {step.text for step in free.legal_steps if step.captured}
        step = match.legal_steps[rng.integers(len(match.legal_steps))]
        match.push(step)
        free.push(step.text)
