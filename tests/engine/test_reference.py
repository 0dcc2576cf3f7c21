"""The reference beside its worked positions: the leaps of each board."""

import pytest

from alquerque_env.game.game import load_game
from alquerque_env.game.options import OptionValue
from tests.reference import Reference

MOSONA = "awithlaknannai_mosona"


def reference(name: str, **options: OptionValue) -> Reference:
    return Reference(load_game(name, **options))


@pytest.mark.parametrize(
    ("board", "leap", "end_arc", "count"),
    [
        ("culin", "straight", False, 66),
        ("culin", "straight", True, 70),
        ("culin", "drawn_line", False, 70),
        ("culin", "pattern", True, 390),
        ("murray", "straight", True, 42),
        ("murray", "drawn_line", True, 78),
        ("murray", "pattern", True, 254),
        ("zigzag", "straight", True, 28),
        ("zigzag", "drawn_line", True, 64),
        ("zigzag", "pattern", True, 120),
    ],
)
def test_each_mosona_board_has_its_number_of_leaps(board: str, leap: str, end_arc: bool, count: int) -> None:
    """The zigzag board loses the 14 leaps along the middle row; its pattern is the sum of degree * (degree - 1)."""
    assert len(reference(MOSONA, board=board, leap=leap, end_arc=end_arc).leaps) == count


def test_the_alquerque_board_has_80_leaps_and_none_with_two_victims() -> None:
    leaps = reference("alquerque").leaps

    assert len(leaps) == 80
    assert len({(origin, target) for origin, _, target in leaps}) == 80
