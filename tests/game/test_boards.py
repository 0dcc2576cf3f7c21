"""The boards of the package, and what a board file may say: own labels, points anywhere, circles."""

import re
import tomllib
from collections import Counter
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest

from alquerque_env import Match, load_game
from alquerque_env.errors import NotationError, RulesError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.board import Board
from alquerque_env.game.board_file import parse_board
from alquerque_env.game.game import Game
from alquerque_env.game.step import captures_through, join_turn, split_turn
from tests.shipped_boards import NAMES, shipped_board

# Counted on the drawings that sources of boards describe: points, edges, straight lines, circles and arcs,
# points by the number of their neighbours, symmetries.
COUNTS = {
    "aadu_puli_attam": (23, 38, 10, 0, 0, {2: 6, 3: 4, 4: 13}, 2),
    "adugo": (31, 66, 18, 0, 0, {2: 2, 3: 15, 4: 5, 5: 3, 8: 6}, 2),
    "alquerque": (25, 56, 16, 0, 0, {3: 12, 4: 4, 5: 4, 8: 5}, 8),
    "cross_orthogonal": (33, 52, 14, 0, 0, {2: 8, 3: 12, 4: 13}, 8),
    "dash_guti": (21, 32, 10, 0, 0, {1: 2, 2: 4, 3: 10, 4: 4, 8: 1}, 4),
    "dash_guti_corners": (21, 36, 12, 0, 0, {3: 16, 4: 4, 8: 1}, 4),
    "draughts_english": (32, 49, 13, 0, 0, {1: 2, 2: 12, 4: 18}, 4),
    "draughts_international": (50, 81, 17, 0, 0, {1: 2, 2: 16, 4: 32}, 4),
    "egara_guti": (23, 40, 11, 0, 0, {2: 4, 3: 10, 4: 4, 5: 4, 6: 1}, 4),
    "fanorona": (45, 108, 24, 0, 0, {3: 16, 4: 10, 5: 8, 8: 11}, 4),
    "felli": (13, 20, 7, 0, 0, {2: 4, 3: 6, 4: 2, 6: 1}, 4),
    "fox_and_geese": (33, 72, 20, 0, 0, {3: 20, 4: 4, 7: 4, 8: 5}, 8),
    "gol_skuish": (43, 84, 3, 7, 0, {3: 6, 4: 36, 6: 1}, 12),
    "grid_4x4": (16, 24, 8, 0, 0, {2: 4, 3: 8, 4: 4}, 8),
    "grid_5x5_diagonals": (25, 72, 24, 0, 0, {3: 4, 5: 12, 8: 9}, 8),
    "grid_5x5_long_diagonals": (25, 48, 12, 0, 0, {3: 16, 4: 4, 6: 4, 8: 1}, 8),
    "high_jump": (25, 40, 10, 0, 0, {2: 4, 3: 12, 4: 9}, 8),
    "kharbaga": (41, 104, 24, 0, 0, {3: 4, 4: 16, 5: 12, 8: 9}, 8),
    "kolowis_culin": (49, 110, 33, 0, 2, {3: 6, 4: 28, 6: 15}, 4),
    "kolowis_murray": (49, 80, 35, 0, 0, {2: 32, 3: 2, 6: 15}, 4),
    "kolowis_slab": (48, 107, 33, 0, 1, {2: 2, 3: 3, 4: 28, 5: 1, 6: 14}, 2),
    "kolowis_zigzag": (49, 64, 34, 0, 0, {2: 34, 4: 15}, 4),
    "kotu_ellima": (49, 96, 24, 0, 0, {2: 8, 3: 24, 4: 8, 8: 9}, 8),
    "lau_kata_kati": (19, 30, 9, 0, 0, {2: 4, 3: 10, 4: 4, 6: 1}, 4),
    "mosona_culin": (25, 54, 17, 0, 2, {3: 6, 4: 12, 6: 7}, 4),
    "mosona_murray": (25, 40, 19, 0, 0, {2: 16, 3: 2, 6: 7}, 4),
    "mosona_zigzag": (25, 32, 18, 0, 0, {2: 18, 4: 7}, 4),
    "pretwa": (19, 36, 3, 3, 0, {3: 6, 4: 12, 6: 1}, 12),
    "sixteen_soldiers": (37, 76, 20, 0, 0, {2: 4, 3: 18, 4: 6, 5: 2, 8: 7}, 4),
    "terhuchu_large": (73, 136, 32, 0, 0, {2: 16, 3: 32, 4: 12, 6: 4, 8: 9}, 8),
    "zamma": (81, 208, 32, 0, 0, {3: 20, 4: 24, 5: 12, 8: 25}, 8),
}

LOPSIDED = ("aadu_puli_attam", "adugo", "kolowis_slab")

# The points of the longest lines, by number, as the descriptions of the games list them.
LONG_LINES = {
    "dash_guti": ((0, 3, 6, 10, 14, 17, 20), (1, 4, 7, 10, 13, 16, 19), (2, 5, 8, 10, 12, 15, 18), (9, 10, 11)),
    "dash_guti_corners": ((0, 9, 18), (2, 11, 20), (9, 10, 11)),
    "draughts_english": ((0, 4, 9, 13, 18, 22, 27, 31),),
    "draughts_international": ((0, 5, 11, 16, 22, 27, 33, 38, 44, 49),),
    "egara_guti": ((0, 5, 8, 11, 14, 17, 22), (1, 5, 15, 19), (2, 6, 9, 11, 13, 16, 20), (3, 7, 17, 21)),
    "felli": ((0, 3, 6, 9, 12), (1, 4, 6, 8, 11), (2, 5, 6, 7, 10)),
    "gol_skuish": ((37, 31, 25, 19, 13, 7, 1, 0, 4, 10, 16, 22, 28, 34, 40),),
    "high_jump": ((10, 11, 12, 13, 14), (2, 7, 12, 17, 22)),
    "kharbaga": ((0, 5, 10, 15, 20, 25, 30, 35, 40), (4, 8, 12, 16, 20, 24, 28, 32, 36), (18, 19, 20, 21, 22)),
    "kolowis_culin": (tuple(range(16)), tuple(range(16, 33)), tuple(range(33, 49)), (0, 17, 34)),
    "kolowis_slab": (tuple(range(16)), tuple(range(16, 32)), tuple(range(32, 48)), (15, 31, 46)),
    "kotu_ellima": ((1, 4, 9, 16, 24, 32, 39, 44, 47), tuple(range(20, 29)), (0, 3, 9, 17, 26, 35, 42)),
    "lau_kata_kati": ((0, 3, 6, 9, 12, 15, 18), (1, 4, 7, 9, 11, 14, 17), (2, 5, 8, 9, 10, 13, 16)),
    "pretwa": ((13, 7, 1, 0, 4, 10, 16), (14, 8, 2, 0, 5, 11, 17), (15, 9, 3, 0, 6, 12, 18)),
    "sixteen_soldiers": ((1, 4, 8, 13, 18, 23, 28, 32, 35), (0, 3, 8, 14, 20), (16, 22, 28, 33, 36), (2, 5, 8, 12, 16)),
}


def make(**tables: Any) -> Board:
    return parse_board({"title": "a board", **tables}, "a.toml")


def refused(**tables: Any) -> str:
    with pytest.raises(RulesError) as caught:
        make(**tables)
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix("a.toml: ")


def ring(count: int, **tables: Any) -> Board:
    """A circle of four points round the middle, as often as wanted, and its two diameters."""
    places = [[x * size, y * size] for size in range(1, count + 1) for x, y in ((0, -1), (1, 0), (0, 1), (-1, 0))]
    names = ["m0", *(f"{letter}{size}" for size in range(1, count + 1) for letter in "abcd")]
    spoke = {letter: [f"{letter}{size}" for size in range(1, count + 1)] for letter in "abcd"}
    data = {
        "points": [[0, 0], *places],
        "labels": " ".join(names),
        "lines": [" ".join([*spoke[a][::-1], "m0", *spoke[b]]) for a, b in ("ac", "bd")],
        "circles": [" ".join(f"{letter}{size}" for letter in "abcd") for size in range(1, count + 1)],
    }
    return make(**{**data, **tables})


# The boards of the package.


@pytest.mark.parametrize("name", NAMES)
def test_a_board_is_the_one_that_its_sources_describe(name: str) -> None:
    points, edges, lines, circles, arcs, degrees, symmetries = COUNTS[name]
    board = shipped_board(name)

    assert (len(board.points), len(board.edges)) == (points, 2 * edges)
    assert (len(board.lines), len(board.circles), len(board.end_arcs)) == (lines, circles, arcs)
    assert Counter(map(len, board.neighbours)) == degrees
    assert len(board.reflections) == len(set(board.reflections)) == symmetries
    assert (board.half_turn is None) == (name in LOPSIDED)
    assert {min(line, line[::-1]) for line in LONG_LINES.get(name, ())} <= {
        min(line, line[::-1]) for line in board.lines
    }


@pytest.mark.parametrize("name", [name for name in NAMES if not shipped_board(name).circles])
def test_points_are_numbered_row_by_row_from_south(name: str) -> None:
    board = shipped_board(name)

    assert list(board.points) == sorted(board.points, key=lambda point: (point[1], point[0]))
    assert name in LOPSIDED or board.half_turn == tuple(reversed(range(len(board.points))))


@pytest.mark.parametrize("name", NAMES)
def test_every_symmetry_keeps_the_lines(name: str) -> None:
    board = shipped_board(name)

    assert board.reflections[0] == tuple(range(len(board.points)))
    for image in board.reflections:
        assert {(image[a], image[b]) for a, b in board.edges} == board.edges
        for line in board.lines:
            assert {tuple(image[point] for point in line), tuple(image[point] for point in line[::-1])} & set(
                board.lines
            )


@pytest.mark.parametrize(("name", "rings"), [("pretwa", 3), ("gol_skuish", 7)])
def test_a_board_of_rings_is_numbered_from_the_centre_outwards(name: str, rings: int) -> None:
    board = shipped_board(name)

    assert board.points[0] == (0, 0)
    assert board.circles == tuple(tuple(range(1 + 6 * size, 7 + 6 * size)) for size in range(rings))
    assert board.points[1 : 1 + 6 * rings : 6] == tuple((0, -size) for size in range(1, rings + 1))
    assert board.half_turn == (0, *(1 + 6 * size + (spoke + 3) % 6 for size in range(rings) for spoke in range(6)))


@pytest.mark.parametrize(("name", "size"), [("draughts_english", 8), ("draughts_international", 10)])
def test_squares_of_draughts_have_their_usual_numbers(name: str, size: int) -> None:
    board = shipped_board(name)
    dark = [(x, y) for y in reversed(range(size)) for x in range(size) if (x + y) % 2 == 0]

    assert {label: board.points[point] for label, point in board.index.items()} == {
        str(number): place for number, place in enumerate(dark, 1)
    }


def test_columns_behind_the_26th_have_two_letters() -> None:
    labels = shipped_board("kolowis_culin").labels

    assert labels[:13] == tuple(f"{letter}1" for letter in "bdfhjlnprtvxz")
    assert labels[13:18] == ("ab1", "ad1", "af1", "a2", "c2")
    assert labels[32] == "ag2"
    assert shipped_board("kolowis_slab").labels == tuple(label for label in labels if label != "ag2")


# Own labels and places.


def test_columns_and_rows_are_counted_from_the_smallest_coordinate_if_it_is_negative() -> None:
    crossing = make(rows=[[-1, 0, 1], [-1, 0, 1]], lines=["a1 b1 c1", "a2 b2 c2", "a1 a2"])
    below = make(points=[[2, -2], [2, -1]], lines=["c1 c2"])

    assert crossing.labels == ("a1", "b1", "c1", "a2", "b2", "c2")
    assert crossing.points[0] == (-1, 0)
    assert below.labels == ("c1", "c2")
    assert make(rows=[[1, 2]], lines=["b1 c1"]).labels == ("b1", "c1")


def test_a_board_may_have_labels_of_its_own() -> None:
    board = make(rows=[[0, 0.5, 1]], labels="x1 12 aa3", lines=["x1 12 aa3"])

    assert board.labels == ("x1", "12", "aa3")
    assert board.points == ((0, 0), (0.5, 0), (1, 0))
    assert board.index == {"x1": 0, "12": 1, "aa3": 2}


def test_whole_numbers_may_be_written_with_a_point() -> None:
    board = make(points=[[0.0, -0.0], [1.0, 0]], lines=["a1 b1"])

    assert repr(board.points) == "((0, 0), (1, 0))"
    assert board == make(rows=[[0, 1]], lines=["a1 b1"])


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            {"lines": ["a1 b1"]},
            "rows is missing, expected the x of every point, row by row, or the key points",
        ),
        (
            {"rows": [[0, 1]], "labels": "1 2 3", "lines": ["1 2"]},
            "labels has 3 labels, expected 2, one for every point",
        ),
        (
            {"points": [[x % 90, x // 90] for x in range(127)], "lines": ["a1 b1"]},
            "points has 127 points, expected 126 at most",
        ),
        (
            {"rows": [[0, 1], [0, 1]], "lines": ["a1 b1", "a2 b2"]},
            "lines lead from a1 to 2 of 4 points, expected lines to all others: a2, b2",
        ),
    ],
)
def test_what_is_no_board_is_refused(tables: dict[str, Any], message: str) -> None:
    assert refused(**tables) == message


def test_a_chequered_board_has_its_points_on_squares_of_one_colour() -> None:
    lines = {"lines": ["a1 b2 c3", "b2 a3", "b2 c1"]}
    assert make(rows=[[0, 2], [1], [0, 2]], chequered=True, **lines).is_chequered
    assert refused(rows=[[0, 1], [1, 2]], lines=["a1 b1", "a1 b2", "b1 c2"], chequered=True) == (
        "rows has a point at [1, 0], expected dark squares of a chequered board: whole numbers, of which every second "
        "one in a row and in a column is a point"
    )


def test_rounded_points_lie_on_straight_lines() -> None:
    board = make(points=[[0, 0], [0.866, 0.5], [1.7321, 1]], labels="1 2 3", lines=["1 2 3"])
    crooked = {"points": [[0, 0], [0.866, 0.52], [1.7321, 1]], "labels": "1 2 3", "lines": ["1 2 3"]}

    assert board.half_turn == (2, 1, 0)
    assert refused(**crooked) == "lines[0] is '1 2 3', expected points in order along a straight line"


@pytest.mark.parametrize("first", ["a1-b1", "a1xc1", "a1xc1^b1", "@a1", "xa1"])
@pytest.mark.parametrize("second", ["x1-y1", "x1xz1", "x1xz1^y1", "@x1"])
def test_a_move_from_a_point_with_an_x_follows_another_in_a_turn(first: str, second: str) -> None:
    columns = {"rows": [[*range(26)]], "lines": [" ".join(f"{letter}1" for letter in ascii_lowercase)]}
    board = make(**columns)
    text = join_turn([first, second])
    found = [step if over is None else f"{step}^{over}" for step, over in split_turn(text, board)]
    assert found == [first, second]
    assert captures_through(text, board) == ()


# Circles.


def test_a_circle_joins_its_last_point_with_its_first() -> None:
    board = ring(1)

    assert board.neighbours == ((1, 2, 3, 4), (0, 2, 4), (0, 1, 3), (0, 2, 4), (0, 1, 3))


def test_a_circle_that_is_gone_takes_symmetries_with_it() -> None:
    lopsided = ring(2, circles=["a2 b2 c2 d2"], end_arcs=["a1 b1 c1"])

    assert len(lopsided.reflections) == 2
    assert lopsided.half_turn is None


def test_circles_must_go_round_once() -> None:
    star = {
        "points": [[0, 3], [2.853, 0.927], [1.763, -2.427], [-1.763, -2.427], [-2.853, 0.927]],
        "labels": "1 2 3 4 5",
        "lines": ["1 2"],
        "circles": ["1 3 5 2 4"],
    }

    assert refused(**star).startswith("circles[0] is '1 3 5 2 4', expected points in order round a closed curve")
    assert make(**{**star, "circles": ["1 2 3 4 5"], "lines": ["1 3"]}).circles == ((0, 1, 2, 3, 4),)


# What games have of their boards.


def small_game(board: Board, **rules: Any) -> Game:
    """Alquerque on another board, a man of each side on its last points."""
    given = load_game("alquerque_murray")
    last = len(board.points) - 1
    start = frozenset({last}), frozenset({last - 2})
    return replace(given, board=board, start=start, rules=replace(given.rules, **rules))


def test_the_hash_of_a_game_depends_on_circles_and_labels_but_not_on_how_they_are_written() -> None:
    board = ring(2)
    name = {"a1": "s1", "b1": "t1"}
    renamed = replace(board, own_labels=tuple(name.get(label, label) for label in board.labels))
    hashes = [small_game(each).table_hash for each in (board, replace(board, circles=board.circles[:1]), renamed)]

    assert len(set(hashes)) == 3
    assert small_game(ring(2, circles=["c2 d2 a2 b2", "d1 c1 b1 a1"])).table_hash == hashes[0]
    assert small_game(replace(board, title="Another", picture_size=900)).table_hash == hashes[0]


@pytest.mark.parametrize("leap", ["straight", "drawn_line"])
def test_a_leap_goes_over_any_three_neighbours_on_a_circle(leap: str) -> None:
    game = small_game(shipped_board("pretwa"), leap=leap)
    leaps = {
        (template.origin, template.victim, template.target)
        for template in game.table.templates[0]
        if template.victim != STATE.NO_POINT
    }
    on_circles = {each for each in leaps if all(point in range(7, 13) for point in each)}

    assert on_circles == {
        tuple(7 + place % 6 for place in way)
        for first in range(6)
        for way in ((first, first + 1, first + 2), (first + 2, first + 1, first))
    }
    # On each of three lines of seven points five, both ways, and on each of three circles six.
    assert len(leaps) == 2 * (3 * 5 + 3 * 6)


def test_a_king_captures_along_a_circle_but_not_past_itself() -> None:
    game = small_game(shipped_board("pretwa"), promotion="last_rank", mullah_steps="one_point")
    match = Match(game, "W:WKa2:Bd2")

    assert {step.text for step in Match(game, "W:WKa2:Be3").legal_steps} == {"a2-a1", "a2-a3", "a2-b2", "a2-f2"}
    # Over d2 either way round the circle, or along the line through the centre.
    assert {step.text.partition("^")[0] for step in match.legal_steps if step.captured} == {
        *("a2xb2", "a2xc2", "a2xe2", "a2xf2", "a2xd3"),
    }
    assert len(match.legal_steps) == len({step.action for step in match.legal_steps})


def test_promoted_pieces_that_fly_are_refused_on_circles() -> None:
    with pytest.raises(RulesError, match=r"mullah_steps='any_distance' .* expected mullah_steps='one_point' or"):
        small_game(shipped_board("pretwa"), promotion="last_rank")
    small_game(shipped_board("pretwa"), promotion="last_rank", mullah_lines="long_diagonals")


OCTAGON = {
    "points": [[0, 0], [0, -2], [1.41, -1.41], [2, 0], [1.41, 1.41], [0, 2], [-1.41, 1.41], [-2, 0], [-1.41, -1.41]],
    "labels": "m0 a1 a2 a3 a4 a5 a6 a7 a8",
    "lines": ["a1 m0 a5", "a2 m0 a6"],
}


def test_promoted_pieces_that_could_take_one_action_in_two_ways_are_refused() -> None:
    two_circles = make(**OCTAGON, circles=["a1 a2 a3 a4 a5 a6 a7 a8", "a1 a3 a5 a7"])
    chord = make(**{**OCTAGON, "lines": [*OCTAGON["lines"], "a4 a3", "a1 a8 ", "a7 a8", "a8 m0"]}, circles=["a2 a4 a6"])

    with pytest.raises(RulesError, match=r"capture from a1 to a5 over a3 in two ways.* mullah_captures='next_point'"):
        small_game(two_circles, promotion="last_rank", mullah_steps="one_point")
    with pytest.raises(RulesError, match=r"step from a6 to a2 in two ways.* mullah_steps='one_point' or other circles"):
        small_game(chord, promotion="last_rank", mullah_lines="long_diagonals")
    captures = small_game(two_circles, promotion="last_rank", mullah_steps="one_point", mullah_captures="next_point")
    assert captures.num_actions == len(set(captures.actions))
    small_game(two_circles)


def test_rounded_coordinates_count_as_one_row() -> None:
    rows = {"points": [[0, 0], [1, 0.0005], [0, 1], [1, 1.0005], [2, 1]], "labels": "1 2 3 4 5"}
    board = make(**rows, lines=["1 2", "3 4 5", "1 3", "2 4"])
    game = small_game(board, promotion="last_rank", man_steps="forward_sideways")

    assert game.last_rank(0) == {2, 3, 4}
    assert game.last_rank(1) == {0, 1}
    assert set(game.man_steps(0)) == {(0, 1), (1, 0), (2, 3), (3, 2), (3, 4), (4, 3), (0, 2), (1, 3)}


def test_examples_exist_where_no_line_has_three_points() -> None:
    board = make(rows=[[0, 1], [0, 1]], lines=["a1 b1", "a1 a2", "a2 b2"])

    line = board.longest_line
    assert len(set(line)) == 3
    assert all(pair in board.edges for pair in pairwise(line))
    with pytest.raises(NotationError, match="expected something like b1-a1, b1xa2"):
        split_turn("?", make(rows=[[0, 1], [0]], lines=["a1 b1", "a1 a2"]))


def test_the_example_of_the_documentation_is_a_board() -> None:
    page = (Path(__file__).parents[2] / "docs" / "file_formats.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"<!-- file: wheel.toml -->\n```toml\n(.*?)```", page, re.DOTALL)
    board = parse_board(tomllib.loads(text), "wheel.toml")

    assert (len(board.points), len(board.edges), len(board.reflections)) == (5, 16, 8)


@pytest.mark.parametrize("name", NAMES)
def test_every_point_has_a_place_of_its_own_on_a_grid_in_the_order_of_its_coordinates(name: str) -> None:
    board = shipped_board(name)

    assert len(set(board.grid)) == len(board.points)
    assert min(column for column, _ in board.grid) == min(row for _, row in board.grid) == 0
    for axis in (0, 1):
        for one, other in product(range(len(board.points)), repeat=2):
            apart = board.points[one][axis] - board.points[other][axis]
            steps = board.grid[one][axis] - board.grid[other][axis]
            assert (steps > 0) == (apart > 0.01)
            assert name in ("aadu_puli_attam", "pretwa", "gol_skuish", "terhuchu_large") or steps == apart
