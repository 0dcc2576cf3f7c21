"""Pictures: text, SVG, pixels and the window."""

import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from alquerque_env.errors import MissingExtraError, install_command
from alquerque_env.game.animals import animal_drawings
from alquerque_env.game.board import Board
from alquerque_env.game.board_file import parse_board
from alquerque_env.game.game import load_game
from alquerque_env.render import Picture, Piece, Window, draw_rgb, draw_svg, draw_text
from alquerque_env.render.geometry import PIECE_RADIUS, RING_RADIUS, UNIT, Label, Layout, lay_out
from tests.shipped_boards import NAMES, shipped_board

# Boards whose points have names of their own.
NAMED = ("aadu_puli_attam", "gol_skuish", "pretwa")
CHEQUERED = ("draughts_english", "draughts_international")


ALQUERQUE = shipped_board("alquerque")
CULIN = shipped_board("mosona_culin")


def ring() -> Board:
    """A hexagon round a centre, with numbers for names: no columns, no rows, a closed curve."""
    spokes = [(round(2 * math.cos(k * math.pi / 3), 3), round(2 * math.sin(k * math.pi / 3), 3)) for k in range(6)]
    lines, circles = ((1, 0, 4), (2, 0, 5), (3, 0, 6)), ((1, 2, 3, 4, 5, 6),)
    labels = tuple(str(number) for number in range(20, 27))
    return Board("ring", ((0, 0), *spokes), lines, circles=circles, own_labels=labels)


def large() -> Board:
    """A square grid of 9 x 9 points."""
    rows = [tuple(range(9 * y, 9 * y + 9)) for y in range(9)]
    return Board("large", tuple((x, y) for y in range(9) for x in range(9)), (*rows, *zip(*rows, strict=True)))


def every_board() -> list[Any]:
    """Parameters for a test: all boards, some of them by default."""
    boards = [*(shipped_board(name) for name in NAMES), ring(), large()]
    chosen = ("Alquerque board", "Pretwa board", "ring", "large")
    return [
        pytest.param(board, id=board.title, marks=() if board.title in chosen else pytest.mark.slow) for board in boards
    ]


every_board_in_turn = pytest.mark.parametrize("board", every_board())


def picture(
    pieces: str = "",
    *,
    chain: str = "",
    caption: str = "",
    player: int | None = None,
    turned: bool = False,
    **marks: str,
) -> Picture:
    """A picture of the 5x5 board from labels: pieces as `Wa1 WKc3 Bd4`, marks as labels in one string."""
    at = ALQUERQUE.index
    return Picture(
        ALQUERQUE,
        {at[word[-2:]]: Piece("WB".index(word[0]), "K" in word) for word in pieces.split()},
        player,
        chain=at[chain] if chain else None,
        caption=caption,
        turned=turned,
        **{name: tuple(at[label] for label in labels.split()) for name, labels in marks.items()},
    )


def start(game: str = "alquerque", player: int | None = None) -> Picture:
    loaded = load_game(game)
    pieces = {point: (side, False) for side in (0, 1) for point in loaded.start[side]}
    return Picture(loaded.board, pieces, player)


def marks_of(drawn: str, kind: str) -> list[str | None]:
    """Labels of the elements of an SVG whose first class is `kind`."""
    return [
        element.get("data-at")
        for element in ElementTree.fromstring(drawn).iter()
        if element.get("class", "").split()[:1] == [kind]
    ]


def character_at(text: str, column: str, row: str) -> str:
    """The character of a text picture above a column's name and beside a row's name."""
    lines = text.split("\n")
    names = next(line for line in reversed(lines) if re.fullmatch(r"[a-z ]+", line))
    line = next(line for line in lines if line.startswith(row))
    return line[names.index(column)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"targets": (25,)}, "no point 25 on a board of 25 points"),
        ({"chain": -1}, "no point -1"),
        ({"pieces": {0: (2, False)}}, "no player 2"),
    ],
)
def test_a_point_outside_the_board_and_a_third_player_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Picture(ALQUERQUE, **wrong)


def test_pieces_in_hand_stand_beside_the_board_by_the_home_row_of_their_side() -> None:
    shown = Picture(ALQUERQUE, player=1, hands=(2, 12), names=("tiger", "goat"))
    for turned in (False, True):
        drawn = ElementTree.fromstring(draw_svg(replace(shown, turned=turned)))
        south, north = (element for element in drawn.iter() if element.get("class") == "hand")
        below, above = (
            [float(disc.get("cy", "")) for disc in side if disc.tag.endswith("circle")] for side in (south, north)
        )
        assert (len(below), len(above)) == (2, 12)
        assert (min(below) > max(above)) is not turned
        assert [side[0].text for side in (south, north)] == ["South (tiger): 2 in hand", "North (goat): 12 in hand"]
    assert (
        shown.description
        == "North (goat) to move. South (tiger): no pieces; 2 in hand. North (goat): no pieces; 12 in hand."
    )
    lines = draw_text(shown, unicode=False).split("\n")
    assert lines[-3:] == [
        "w South (tiger)   b North (goat) to move",
        "South in hand: ww 2",
        f"North in hand: {12 * 'b'} 12",
    ]


def test_every_dropped_piece_of_the_last_turn_has_a_ring_and_no_arrow_joins_them() -> None:
    shown = picture("Wa1 Wb1 Bc3")
    shown = replace(shown, dropped=tuple(ALQUERQUE.index[label] for label in ("a1", "b1")), captured=(24,))
    drawn = draw_svg(shown)
    assert marks_of(drawn, "last-turn") == ["a1", "b1"]
    assert shown.victim_player == 1
    rings = [mark for mark in ElementTree.fromstring(drawn).iter() if mark.get("class") == "last-turn"]
    assert all(child.tag.rpartition("}")[2] in ("title", "circle") for ring in rings for child in ring)
    assert "(w)-(w)" in draw_text(shown, unicode=False)


def test_victims_belong_to_the_opponent_of_the_piece_that_landed() -> None:
    assert picture("Wc3", last_turn="a1 c3", captured="b2", player=1).victim_player == 1
    assert picture("Bc3", last_turn="a1 c3", captured="b2", player=1).victim_player == 0
    assert picture("Bc3", last_turn="a1 c3").victim_player is None


@every_board_in_turn
def test_pieces_do_not_overlap_and_stay_inside_the_frame(board: Board) -> None:
    layout = lay_out(board)
    width, height = layout.size

    nearest = min(math.dist(a, b) for a, b in combinations(layout.places, 2))

    assert nearest == pytest.approx(UNIT * math.sqrt(2) if board.is_chequered else UNIT)
    assert nearest > 2 * PIECE_RADIUS
    for x, y in layout.places:
        assert layout.strip + PIECE_RADIUS < x < width - layout.strip - PIECE_RADIUS
        assert layout.strip + PIECE_RADIUS < y < height - layout.strip - PIECE_RADIUS


@every_board_in_turn
def test_a_turned_board_is_the_board_rotated_by_half_a_turn(board: Board) -> None:
    upright, turned = lay_out(board), lay_out(board, turned=True)
    width, height = upright.size

    assert turned.size == upright.size
    for (x, y), (turned_x, turned_y) in zip(upright.places, turned.places, strict=True):
        assert (turned_x, turned_y) == pytest.approx((width - x, height - y))


def test_end_arcs_bulge_outwards_and_pass_through_their_points() -> None:
    layout = lay_out(CULIN)
    arcs = {edge.points: edge.arc for edge in layout.edges if edge.arc is not None}
    b1, a2, b3 = (CULIN.index[label] for label in ("b1", "a2", "b3"))

    assert len(arcs) == 4
    assert layout.stretch == pytest.approx(math.sqrt(3))  # flat boards are drawn apart
    for points in ((b1, a2), (a2, b3)):
        polyline = arcs[points].polyline
        chord = [layout.places[point] for point in points]
        middle = polyline[len(polyline) // 2]
        assert (polyline[0], polyline[-1]) == tuple(chord)
        assert middle[0] < (chord[0][0] + chord[1][0]) / 2


def test_a_curve_that_reaches_beyond_its_points_stays_inside_the_frame() -> None:
    layout = lay_out(ring())
    lowest = max(y for edge in layout.edges if edge.arc is not None for _, y in edge.arc.polyline)

    assert lowest > max(y for _, y in layout.places) + 0.1 * UNIT
    assert layout.size[1] - layout.strip - lowest > 0.6 * UNIT


def test_the_way_of_a_piece_follows_the_arc_over_the_victim_and_the_shorter_one_round_a_circle() -> None:
    layout = lay_out(CULIN)
    b1, a2, b3 = (CULIN.index[label] for label in ("b1", "a2", "b3"))

    way = layout.route(b3, b1)

    assert (way[0], way[-1]) == (layout.places[b3], layout.places[b1])
    assert layout.places[a2] in way
    assert len(layout.route(CULIN.index["b1"], CULIN.index["d3"])) == 2
    bent = shipped_board("mosona_murray")
    places, ends = lay_out(bent).places, [bent.index[label] for label in ("b1", "a2", "b3")]
    assert lay_out(bent).route(ends[0], ends[2]) == tuple(places[point] for point in ends)
    round_a_circle = lay_out(ring())
    assert round_a_circle.places[6] in round_a_circle.route(5, 1)
    assert round_a_circle.places[3] not in round_a_circle.route(5, 1)


@pytest.mark.parametrize("turned", [False, True])
@every_board_in_turn
def test_svg_draws_every_edge_and_every_point_exactly_once(board: Board, turned: bool) -> None:
    drawn = draw_svg(Picture(board, turned=turned))
    edges = [frozenset((board.labels[a], board.labels[b])) for a, b in board.edges if a < b and not board.is_chequered]

    shown = [frozenset(str(at).split("-")) for at in marks_of(drawn, "edge")]

    assert len(shown) == len(set(shown)) == len(edges)
    assert set(shown) == set(edges)
    assert sorted(map(str, marks_of(drawn, "point"))) == sorted(board.labels)
    assert marks_of(drawn, "piece") == []


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", CHEQUERED)
def test_a_chequered_board_has_a_dark_square_in_its_lower_left_corner_and_every_second_one(
    name: str, turned: bool
) -> None:
    board = shipped_board(name)
    layout = lay_out(board, turned)
    root = ElementTree.fromstring(draw_svg(Picture(board, turned=turned)))
    (light,) = (element for element in root if element.get("class") == "light")
    dark = {element.get("data-at"): element[1] for element in root if element.get("class") == "point"}
    side = round(math.sqrt(2 * len(board.points)))

    def squares(rectangles: Any) -> set[tuple[int, int]]:
        """Column and row of each, counted from the lower left corner of the field, which they fill."""
        corners = [(float(each.get("x")) - layout.strip, float(each.get("y")) - layout.strip) for each in rectangles]
        assert all((each.get("width"), each.get("height")) == ("100", "100") for each in rectangles)
        return {(round(x / UNIT), side - 1 - round(y / UNIT)) for x, y in corners}

    every = {(column, row) for column in range(side) for row in range(side)}
    assert squares(dark.values()) == {at for at in every if sum(at) % 2 == 0}
    assert squares(light) == {at for at in every if sum(at) % 2 == 1}
    assert layout.size == pytest.approx((side * UNIT + 2 * layout.strip,) * 2)
    for label, place in zip(board.labels, layout.places, strict=True):
        corner = float(dark[label].get("x")), float(dark[label].get("y"))
        assert corner == pytest.approx((place[0] - UNIT / 2, place[1] - UNIT / 2))


@pytest.mark.parametrize("name", CHEQUERED)
def test_the_number_of_a_square_stands_in_its_corner_beside_the_piece(name: str) -> None:
    layout = lay_out(shipped_board(name))

    for label, (x, y) in zip(layout.labels, layout.places, strict=True):
        left, top, right, bottom = box_of(label)
        assert x - UNIT / 2 < left < right < x
        assert y - UNIT / 2 < top < bottom < y
        assert math.dist((right, bottom), (x, y)) > PIECE_RADIUS


def test_svg_draws_end_arcs_as_curves_and_lines_as_straight_strokes() -> None:
    root = ElementTree.fromstring(draw_svg(Picture(CULIN)))
    paths = {element.get("data-at"): element[0].get("d", "") for element in root if element.get("class") == "edge"}

    curved = {at: path for at, path in paths.items() if "A" in path}

    # The flags of an arc: the short way round, 1 for clockwise from b1 up to a2.
    assert {at: path.split()[3:6] for at, path in curved.items()} == {
        "b1-a2": ["0", "0", "1"],
        "a2-b3": ["0", "0", "1"],
        "p1-q2": ["0", "0", "0"],
        "q2-p3": ["0", "0", "0"],
    }


def test_svg_names_every_piece_by_side_kind_and_point_and_describes_the_position() -> None:
    root = ElementTree.fromstring(draw_svg(replace(picture("Wa1 WKc3 Bd4 BKe5", player=1), names=("hare", "hunter"))))
    pieces = [element for element in root if element.get("class", "").startswith("piece ")]

    assert [(piece.get("class"), piece.get("data-at"), piece[0].text) for piece in pieces] == [
        ("piece south man", "a1", "South hare on a1"),
        ("piece south king", "c3", "South king on c3"),
        ("piece north man", "d4", "North hunter on d4"),
        ("piece north king", "e5", "North king on e5"),
    ]
    root = ElementTree.fromstring(draw_svg(picture("Wa1 BKe5", player=1)))
    assert root[1].text == "North to move. South: a1. North: king e5."
    assert "<title>South man on a1</title>" in draw_svg(picture("Wa1"))


def test_svg_shows_each_mark_only_where_it_is_given_and_victims_as_pale_pieces_of_their_side() -> None:
    pieces = "Wa1 We5 Bd4 Bc5"
    plain = draw_svg(picture(pieces))
    marked = draw_svg(
        picture(pieces, chain="e5", last_turn="c3 e5", captured="b2", pending="d4", targets="c3 e3", origins="a1")
    )
    marks = {
        "chain": ["e5"],
        "last-turn": ["c3-e5"],
        "ghost": ["b2"],
        "pending": ["d4"],
        "target": ["c3", "e3"],
        "origin": ["a1"],
    }

    assert {kind: marks_of(plain, kind) for kind in marks} == {kind: [] for kind in marks}
    assert {kind: marks_of(marked, kind) for kind in marks} == marks
    ghost = next(element for element in ElementTree.fromstring(marked) if element.get("class") == "ghost-piece")
    assert float(ghost.get("opacity", "1")) < 0.6
    assert ghost[0].get("fill") == "url(#alquerque-north)"
    assert marks_of(draw_svg(picture("Wc3", last_turn="c3 c3")), "last-turn") == ["c3-c3"]


def test_the_arrow_along_an_arc_ends_at_the_rim_of_the_piece() -> None:
    b1, a2, b3 = (CULIN.index[label] for label in ("b1", "a2", "b3"))
    root = ElementTree.fromstring(draw_svg(Picture(CULIN, {b3: (0, False)}, last_turn=(b1, b3), captured=(a2,))))
    head = next(element for element in root if element.get("class") == "last-turn")[-2]
    tip = [float(value) for value in re.findall(r"[\d.]+", head.get("d", ""))[:2]]

    assert 1.0 < math.dist(tip, lay_out(CULIN).places[b3]) / PIECE_RADIUS < 1.2


def test_svg_marks_the_side_of_the_player_to_move() -> None:
    def height(player: int, turned: bool) -> float:
        root = ElementTree.fromstring(draw_svg(Picture(ALQUERQUE, player=player, turned=turned)))
        mover = next(element for element in root if element.get("class") == "mover")
        return float(mover[1].get("cy", ""))

    assert height(0, turned=False) > height(1, turned=False)
    assert height(0, turned=True) < height(1, turned=True)
    assert marks_of(draw_svg(Picture(ALQUERQUE)), "mover") == []


def test_svg_escapes_and_shortens_the_caption_and_drops_what_xml_cannot_hold() -> None:
    root = ElementTree.fromstring(draw_svg(Picture(ALQUERQUE, caption='a < b & "c"\n\x00')))
    caption = next(element for element in root if element.get("class") == "caption")

    assert root[0].text == 'a < b & "c"'
    assert caption[0].text == 'a < b & "c"'
    long = ElementTree.fromstring(draw_svg(Picture(ALQUERQUE, caption="a caption " * 40)))
    (caption,) = (element for element in long if element.get("class") == "caption")
    assert str(caption[0].text).endswith("…")
    assert len(str(caption[0].text)) < 60 < len(str(long[0].text))


def test_svg_refers_to_nothing_outside_itself() -> None:
    drawn = draw_svg(start(player=0))
    defined = set(re.findall(r' id="([^"]+)"', drawn))

    assert set(re.findall(r"url\(#([^)]+)\)", drawn)) == defined
    assert "href" not in drawn
    assert re.findall(r"https?://[^\"]+", drawn) == ["http://www.w3.org/2000/svg"]


def test_names_stand_beside_the_points_or_once_for_each_column_and_row_at_the_frame() -> None:
    def names(board: Board) -> list[str]:
        root = ElementTree.fromstring(draw_svg(Picture(board)))
        return [str(element[0].text) for element in root if element.get("class") == "label"]

    assert names(ring()) == list(ring().labels)
    assert all(label in draw_text(Picture(ring())) for label in ring().labels)
    assert sorted(names(CULIN)) == [*"123", *"abcdefghijklmnopq"]


@pytest.mark.parametrize(("unicode", "glyphs"), [(True, "○♔●♚·"), (False, "wWbB.")])
def test_text_shows_each_piece_at_its_point(unicode: bool, glyphs: str) -> None:
    text = draw_text(picture("Wa1 WKc3 Bd4 BKe5"), unicode=unicode)

    shown = [character_at(text, column, row) for column, row in ("a1", "c3", "d4", "e5", "b2")]

    assert "".join(shown) == glyphs


@every_board_in_turn
def test_text_shows_as_many_pieces_as_there_are(board: Board) -> None:
    pieces = {point: (point % 2, point % 3 == 0) for point in range(0, len(board.points), 2)}
    pieces |= dict.fromkeys(range(1, len(board.points), 4), (1, False))
    drawn = "\n".join(draw_text(Picture(board, pieces)).split("\n")[:-2])
    glyphs = "○●♔♚"

    for player in (0, 1):
        for promoted in (False, True):
            count = sum(piece == (player, promoted) for piece in pieces.values())
            assert drawn.count(glyphs[2 * promoted + player]) == count
    assert drawn.count("·") == len(board.points) - len(pieces)


def test_text_draws_the_lines_of_the_board() -> None:
    assert draw_text(start(player=0), unicode=False).split("\n") == [
        "5  b---b---b---b---b",
        r"   | \ | / | \ | / |",
        "4  b---b---b---b---b",
        r"   | / | \ | / | \ |",
        "3  b---b---.---w---w",
        r"   | \ | / | \ | / |",
        "2  w---w---w---w---w",
        r"   | / | \ | / | \ |",
        "1  w---w---w---w---w",
        "",
        "   a   b   c   d   e",
        "",
        "w South to move   b North",
    ]


def test_text_draws_only_the_lines_that_a_mosona_board_has() -> None:
    culin, murray = (
        draw_text(Picture(shipped_board(name)), unicode=False).split("\n") for name in ("mosona_culin", "mosona_murray")
    )

    assert culin[:3] == [
        "3    .---.---.---.---.---.---.---.",
        "    / \\" + " / \\" * 7,
        "2  .---.---.---.---.---.---.---.---.",
    ]
    assert murray[0] == "3    .   .   .   .   .   .   .   ."
    assert murray[1:3] == culin[1:3]


def test_text_marks_chain_last_turn_victims_and_targets_where_given() -> None:
    plain = draw_text(picture("Wa1 We5 Bd4"), unicode=False)
    marked = draw_text(
        picture(
            "Wa1 We5 Bd4",
            chain="e5",
            last_turn="c3 e5",
            captured="b2",
            pending="d4",
            targets="c5",
            origins="a1",
            caption="c3 → e5 ♔",
        ),
        unicode=False,
    )

    assert not set("[]{}()<>x*") & set(plain)
    assert marked.isascii()
    for shown in ("[w]", "{b}", "(.)", "<w>"):
        assert shown in marked
    assert character_at(marked, "b", "2") == "x"
    assert character_at(marked, "c", "5") == "*"
    assert marked.endswith(
        "[ ] in a chain   { } captured, not yet removed   < > may move   ( ) last turn\nx captured   * target"
    )


def test_text_of_a_turned_board_swaps_opposite_points_and_labels() -> None:
    lines = draw_text(picture("Wa1 Bb1", turned=True), unicode=False).split("\n")

    assert lines[0] == "1  .---.---.---b---w"
    assert lines[10] == "   e   d   c   b   a"


def test_text_in_colour_is_the_same_text_with_escapes() -> None:
    shown = picture("Wa1 WKe5 Bd4", chain="e5", targets="c5", caption="colours", player=0)
    coloured = draw_text(shown, color=True)

    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw_text(shown)
    assert "\x1b" not in draw_text(shown)


@pytest.mark.parametrize("package", ["pygame", "resvg_py"])
@pytest.mark.parametrize("call", [lambda: draw_rgb(Picture(ALQUERQUE)), Window], ids=["draw_rgb", "Window"])
def test_without_a_package_of_the_extra_one_line_says_how_to_install_it(
    call: Callable[[], object], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtraError) as caught:
        call()

    assert isinstance(caught.value, ImportError)
    assert str(caught.value) == f"{package} is missing: {install_command('render')}"


@pytest.fixture
def _pygame() -> None:
    pytest.importorskip("pygame")
    pytest.importorskip("resvg_py")


@pytest.mark.usefixtures("_pygame")
class TestPixels:
    def test_the_array_has_height_width_and_three_colours_of_bytes(self) -> None:
        square, flat = draw_rgb(start(), size=200), draw_rgb(Picture(CULIN), size=200)

        assert draw_rgb(Picture(ALQUERQUE)).shape[:2] == (480, 480)
        assert square.shape == (200, 200, 3)
        assert square.dtype == np.uint8
        assert flat.shape[1:] == (200, 3)
        assert flat.shape[0] < 120
        assert square.flags["C_CONTIGUOUS"]

    def test_a_size_below_one_is_refused(self) -> None:
        with pytest.raises(ValueError, match="size is 0"):
            draw_rgb(Picture(ALQUERQUE), size=0)

    @pytest.mark.parametrize("turned", [False, True])
    @every_board_in_turn
    def test_the_colour_at_each_piece_is_that_of_its_side(self, board: Board, turned: bool) -> None:
        pieces = {point: (point % 2, False) for point in range(len(board.points)) if point % 5}
        shown = draw_rgb(Picture(board, pieces, turned=turned), size=400)
        layout = lay_out(board, turned)

        for point, (player, _) in pieces.items():
            x, y = (int(place * 400 / max(layout.size)) for place in layout.places[point])
            lightness = shown[y, x].mean()
            assert lightness > 200 if player == 0 else lightness < 100

    def test_every_animal_looks_like_no_other_and_unlike_a_plain_piece_on_both_sides(self) -> None:
        drawings = "", *animal_drawings().values()
        drawn = [draw_rgb(replace(picture("Wa1 Be5"), drawings=(each, each)), size=200) for each in drawings]

        for one, other in combinations(drawn, 2):
            rows, columns = np.nonzero((one != other).any(axis=2))
            assert min((rows > 100).sum(), (rows < 100).sum()) > 40
            assert np.array_equal(rows > 100, columns < 100)

    def test_kings_look_different_from_men(self) -> None:
        men, kings = draw_rgb(picture("Wa1 Be5"), size=200), draw_rgb(picture("WKa1 BKe5"), size=200)
        rows, columns = np.nonzero((men != kings).any(axis=2))

        assert len(rows) > 200
        assert np.array_equal(rows > 100, columns < 100)

    def test_labels_are_written_without_fonts_of_the_system(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import resvg_py

        given: dict[str, object] = {}
        rasterise = resvg_py.svg_to_bytes
        monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **kw: given.update(kw) or rasterise(**kw))
        plain, named = draw_rgb(start(), size=200), draw_rgb(replace(start(), caption="a caption"), size=200)
        rows, _ = np.nonzero((plain != named).any(axis=2))

        assert given["skip_system_fonts"]
        assert len(rows) > 100
        assert rows.max() < 20

    @pytest.mark.slow
    def test_text_and_svg_load_no_pygame_and_pixels_open_no_display(self) -> None:
        code = (
            "import sys; from alquerque_env import load_game; from alquerque_env.render import *; "
            "p = Picture(load_game('alquerque').board, player=0, caption='x'); draw_text(p); draw_svg(p); "
            "print('pygame' in sys.modules); draw_rgb(p); import pygame; "
            "print(pygame.get_init(), pygame.display.get_init(), pygame.mixer.get_init())"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout.split() == ["False", "False", "False", "None"]


@pytest.fixture
def _dummy_display(_pygame: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    import pygame

    pygame.display.quit()


@pytest.mark.usefixtures("_dummy_display")
class TestWindow:
    def test_a_window_opens_with_the_first_picture_and_closes_twice_without_harm(self) -> None:
        window = Window(size=120, fps=0)
        assert not window.is_open
        assert window.show(start(player=0))
        assert window.is_open
        for _ in range(2):
            window.close()
        assert not window.is_open
        assert not window.show(start())

    def test_a_user_may_close_the_window(self) -> None:
        import pygame

        with Window(size=120, fps=0) as window:
            window.show(start())
            pygame.event.post(pygame.event.Event(pygame.QUIT))
            assert not window.pump()
            assert window.is_closed
            assert not window.show(start())

    def test_a_user_who_closes_one_window_keeps_the_other(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import pygame

        opened: list[pygame.Window] = []
        make = pygame.Window
        monkeypatch.setattr(pygame, "Window", lambda *given: opened.append(make(*given)) or opened[-1])
        with Window(size=120, fps=0) as first, Window(size=120, fps=0) as second:
            first.show(start())
            second.show(start())
            pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=opened[0]))

            assert second.pump()
            assert not first.pump()
            assert second.show(start())

    def test_a_window_waits_before_it_shows_the_next_picture(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = [100.0]
        clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.append(now.pop() + seconds))
        monkeypatch.setattr("alquerque_env.render.window.time", clock)
        with Window(size=120, fps=20) as window:
            window.show(start())
            assert now[0] == 100.0
            for _ in range(4):
                window.show(start())

        assert now[0] == pytest.approx(100.2)


# Boards of other shapes.


def samples(layout: Layout) -> list[tuple[float, float]]:
    """Places along all lines of a board."""
    found = []
    for edge in layout.edges:
        way = edge.places if edge.arc is None else edge.arc.polyline
        for (ax, ay), (bx, by) in pairwise(way):
            found += [(ax + (bx - ax) * i / 20, ay + (by - ay) * i / 20) for i in range(21)]
    return found


def box_of(label: Label) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a label; a digit is about half as broad as the font is high."""
    (x, y), breadth, height = label.place, 0.5 * len(label.text) * label.size, 0.7 * label.size
    return x - breadth / 2, y - height / 2, x + breadth / 2, y + height / 2


def distance(box: tuple[float, float, float, float], place: tuple[float, float]) -> float:
    left, top, right, bottom = box
    return math.dist(place, (min(max(place[0], left), right), min(max(place[1], top), bottom)))


@pytest.mark.parametrize("name", NAMES)
def test_labels_are_clear_of_pieces_and_of_each_other(name: str) -> None:
    layout = lay_out(shipped_board(name))
    boxes = [box_of(label) for label in layout.labels]
    rim = PIECE_RADIUS + 0.02 * UNIT
    for number, box in enumerate(boxes):
        assert min(distance(box, place) for place in layout.places) > rim
        for other in boxes[:number]:
            assert box[2] < other[0] or other[2] < box[0] or box[3] < other[1] or other[3] < box[1]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", NAMED)
def test_names_beside_points_are_clear_of_arrows_and_rings_and_nearest_to_their_own_point(
    name: str, turned: bool
) -> None:
    layout = lay_out(shipped_board(name), turned)
    width, height = layout.size
    arrow = 0.075 * UNIT  # half as broad as an arrow with its rim
    lines = samples(layout)

    assert [label.text for label in layout.labels] == list(layout.board.labels)
    for point, (label, own) in enumerate(zip(layout.labels, layout.places, strict=True)):
        box = box_of(label)
        assert layout.strip < box[0] < box[2] < width - layout.strip
        assert layout.strip < box[1] < box[3] < height - layout.strip
        near = [place for place in lines if math.dist(place, own) < 2 * UNIT]
        assert min(distance(box, place) for place in near) > arrow, label
        others = [place for other, place in enumerate(layout.places) if other != point]
        assert min(distance(box, place) for place in others) > RING_RADIUS, label
        assert min(distance(box, place) for place in others) > 1.04 * distance(box, own), label
        assert min(math.dist(place, label.place) for place in others) > 1.04 * math.dist(own, label.place), label


@every_board_in_turn
def test_labels_have_one_size_with_few_exceptions_and_can_be_read_at_the_size_of_the_board(board: Board) -> None:
    layout = lay_out(board)
    pixels = board.picture_size / max(layout.size)
    sizes = [label.size for label in layout.labels]

    assert sizes.count(max(sizes)) >= 0.75 * len(sizes)
    assert min(sizes) * pixels >= 9.5
    assert UNIT * pixels >= 24


@pytest.mark.parametrize("name", ["pretwa", "gol_skuish"])
def test_circles_are_round(name: str) -> None:
    board = shipped_board(name)
    layout = lay_out(board)
    arcs = {edge.points: edge.arc for edge in layout.edges}

    for number, circle in enumerate(board.circles, 1):
        around = [arcs[min(pair), max(pair)] for pair in pairwise((*circle, circle[0]))]
        assert all(arc is not None for arc in around)
        for arc in around:
            assert arc.radius == pytest.approx(number * UNIT, rel=1e-3)
            assert arc.centre == pytest.approx(layout.places[0], abs=0.2)
            assert abs(arc.sweep) == pytest.approx(math.tau / 6, rel=1e-3)


@pytest.mark.parametrize(
    "name", sorted(set(NAMES) - {name for name in NAMES if name.startswith(("mosona", "kolowis"))})
)
def test_boards_that_are_not_flat_are_drawn_as_their_coordinates_say(name: str) -> None:
    board = shipped_board(name)
    places = lay_out(board).places
    scales = [math.dist(places[a], places[b]) / math.dist(board.points[a], board.points[b]) for a, b in board.edges]

    assert scales == pytest.approx([scales[0]] * len(scales), rel=1e-9)


def test_a_picture_has_the_size_of_the_board_or_the_one_asked_for() -> None:
    kolowis = shipped_board("kolowis_culin")
    own, sized, free = (
        ElementTree.fromstring(draw_svg(Picture(kolowis), **size)) for size in ({}, {"size": 800}, {"size": None})
    )

    assert (own.get("width"), kolowis.picture_size) == ("960", 960)
    assert sized.get("width") == "800"
    assert 0 < float(sized.get("height", "")) < 400
    assert (free.get("width"), free.get("height")) == (None, None)
    assert free.get("viewBox") == sized.get("viewBox")


@every_board_in_turn
def test_text_fits_wide_and_narrow_terminals_and_names_every_point(board: Board) -> None:
    lines = draw_text(Picture(board, player=1)).split("\n")

    assert max(map(len, lines)) <= 80
    assert len(lines) <= 45
    if board.own_labels:
        words = re.findall(r"[a-z]*[0-9]+|\b[a-z]\b", "\n".join(lines))
        beside = {column + row for column in words if column.isalpha() for row in words if row.isdecimal()}
        assert sorted(word for word in words if word in board.labels) == sorted(set(board.labels) - beside)
    start = Picture(board, {point: (point % 2, False) for point in range(0, len(board.points), 3)}, 1, hands=(0, 20))
    for width in (44, 60):
        lines = draw_text(replace(start, origins=(0,), targets=(1,), last_turn=(3, 4)), width=width).split("\n")
        assert max(map(len, lines)) <= width


def test_text_marks_a_captured_piece_whose_point_is_a_target() -> None:
    c2, c3, c4 = (ALQUERQUE.index[label] for label in ("c2", "c3", "c4"))
    shown = draw_text(Picture(ALQUERQUE, {c2: (1, False)}, last_turn=(c4, c2), captured=(c3,), targets=(c3,)))
    assert "──×◇×──" in shown
    assert shown.endswith("( ) last turn   × captured   ◇ target")


def test_a_board_that_is_too_wide_for_a_terminal_is_listed() -> None:
    board = parse_board({"title": "long", "rows": [list(range(24)), [0]], "lines": [ROW_OF_24, "a1 a2"]}, "long")
    shown = Picture(
        board,
        {0: (0, False), 3: (1, True), 5: (0, True)},
        player=0,
        caption="Hello",
        last_turn=(4, 5),
        targets=(8,),
        dropped=(1,),
        hands=(0, 3),
    )
    lines = draw_text(shown, unicode=False).split("\n")

    assert lines[:4] == ["Hello", "", "South to move: a1 Kf1", "North: Kd1; 3 in hand"]
    assert max(map(len, lines)) <= 80
    assert "Targets: i1" in lines
    assert "Last turn: e1 Kf1 b1" in lines
    text = " ".join(line.strip() for line in lines)
    assert f"Lines: {ROW_OF_24}; a1 a2" in text
    assert "Vacant: b1 c1 e1 g1 h1" in text


ROW_OF_24 = " ".join(f"{letter}1" for letter in "abcdefghijklmnopqrstuvwx")
