"""Game files whose boards have very many steps, lines or symmetries."""

import math
from itertools import combinations
from pathlib import Path

import pytest

from alquerque_env import Match, load_game
from alquerque_env.errors import RulesError
from tests.grid_games import write_grid
from tests.own_games import write_rules


def write_ring(folder: Path, count: int, *, joins_all: bool, **rules: object) -> Path:
    """Writes a game on a regular polygon, with a line between any two points or a circle and one line."""
    angles = [2 * math.pi * place / count for place in range(count)]
    labels = [str(point + 1) for point in range(count)]
    board = {
        "points": [[round(20 * math.cos(angle), 4), round(20 * math.sin(angle), 4)] for angle in angles],
        "labels": " ".join(labels),
        "lines": [f"{a} {b}" for a, b in combinations(labels, 2)] if joins_all else ["1 3"],
        "circles": [] if joins_all else [" ".join(labels)],
    }
    rules = {"promotion": "points", "mullah_steps": "one_point", **rules}
    return write_rules(folder, "ring", board, "1", "3", {"promotion": {"south": "2", "north": "4"}}, **rules)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [{}, {"mullah_captures": "next_point"}])
def test_a_board_of_all_lines_between_63_points_has_the_symmetries_of_the_polygon(
    rules: dict[str, str], tmp_path: Path
) -> None:
    file = write_ring(tmp_path, 63, joins_all=True, **rules)
    game = load_game(file)

    assert len(game.board.reflections) == 2 * 63
    # The promotion points are those of neither player after a rotation.
    assert [symmetry.points for symmetry in game.symmetries] == [tuple(range(63))]
    assert len(Match(game).legal_steps) == 61


@pytest.mark.slow
def test_a_board_whose_drawing_would_have_thousands_of_lines_is_listed(tmp_path: Path) -> None:
    text = str(Match(load_game(write_ring(tmp_path, 63, joins_all=True, mullah_captures="next_point"))))

    assert "Lines: 1 2; 1 3;" in text
    assert len(text.splitlines()) < 200
    assert max(map(len, text.splitlines())) <= 80


def test_bent_leaps_over_all_lines_between_many_points_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError) as caught:
        load_game(write_ring(tmp_path, 63, joins_all=True, leap="pattern", mullah_captures="next_point"))

    assert str(caught.value).endswith(
        "ring.toml: leap='pattern' with these lines gives up to 249,984 actions, expected 16,384 at most: set "
        "leap='straight' or fewer or shorter lines"
    )


def test_pieces_that_fly_round_a_long_circle_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        RulesError, match=r"mullah_captures='any_distance' with these lines gives up to [0-9,]+ actions"
    ):
        load_game(write_ring(tmp_path, 60, joins_all=False))

    short = load_game(write_ring(tmp_path, 60, joins_all=False, mullah_captures="next_point"))
    assert len(short.actions) == 2 * 61 + 2 * 60


def test_a_line_of_63_points_along_which_pieces_fly_is_refused(tmp_path: Path) -> None:
    file = write_grid(tmp_path, 1, 63)
    with pytest.raises(
        RulesError, match=r"actions, expected 16,384 at most: set mullah_captures='next_point' or fewer"
    ):
        load_game(file)

    assert len(load_game(write_grid(tmp_path, 1, 63, promotion="none")).actions) == 2 * 62 + 2 * 61


@pytest.mark.parametrize("leap", ["straight", "pattern"])
def test_a_board_of_63_points_may_have_long_lines_bent_leaps_and_pieces_that_fly(leap: str, tmp_path: Path) -> None:
    game = load_game(write_grid(tmp_path, 7, 9, leap=leap))

    assert {action[:2] for action in game.actions if action is not None} >= {(0, 62 - 6), (0, 6)}
