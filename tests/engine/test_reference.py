"""The reference beside its worked positions: the leaps of each board, and what always holds in random play."""

import numpy as np
import pytest

from alquerque_env.game.game import games, load_game
from alquerque_env.game.options import OptionValue
from tests.option_values import Variants, under_option_values
from tests.reference import Reference, positions

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


def test_a_match_begun_by_player_1_has_the_same_counts() -> None:
    for name in games():
        if "who_starts" in load_game(name).option_table and load_game(name).is_symmetric:
            south, north = reference(name, who_starts="player_0"), reference(name, who_starts="player_1")
            assert north.start().player == 1
            assert north.perft(north.start(), 3) == south.perft(south.start(), 3), name


@under_option_values(sample=2)
def test_random_matches_keep_the_books(variants: Variants) -> None:
    """Pieces only leave by capture, what is taken or remembered stands on the board, and the clock stops in time."""
    for game in variants:
        limit = game.rules.no_progress_limit
        before = sum(map(len, game.start)) + sum(game.hands)
        takes_several = {"odd_rows", "approach_withdrawal", "custodial"} & {game.captures(player) for player in (0, 1)}
        most = max(len(line) for line in game.board.lines) if takes_several else 1
        for state, legal in positions(game, np.random.default_rng(0), 150):
            pieces = sum(map(len, state.men + state.kings))
            standing = pieces - len(state.captured) + sum(state.hands)
            assert pieces == len(state.occupied)
            assert before - standing in (range(most + 1) if state.quiet == 0 else (0,))
            assert state.captured <= state.pieces(1 - state.player)
            assert {piece for piece, _ in state.memory} <= state.occupied
            assert state.chain is None or state.chain in state.pieces(state.player)
            assert len(set(legal)) == len(legal)
            assert state.quiet == 0 if limit == "off" else state.quiet < limit + (not legal)
            before = standing
