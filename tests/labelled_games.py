"""Games on boards whose points have other names than a letter and a digit."""

from dataclasses import replace
from typing import Any

from alquerque_env import load_game
from alquerque_env.game.board_file import parse_board
from alquerque_env.game.game import Game
from tests.shipped_boards import shipped_board

# A line with an x before, behind and within its labels, and another that crosses it.
CROSSING = {
    "title": "crossing",
    "points": [[-4, 0], [-3, 0], [-2, 0], [-1, 0], [0, 0], [1, 0], [2, 0], [0, -2], [0, -1], [0, 1], [0, 2]],
    "labels": "x1 xx1 x11 1 11 x2 xax3 2 21 22 x22",
    "lines": ["x1 xx1 x11 1 11 x2 xax3", "2 21 11 22 x22"],
}


def game_on(board: Any, base: str = "alquerque_murray", **rules: object) -> Game:
    """A game on another board: each side has the nearest half of the points but for the middle ones."""
    count = len(board.points)
    half = count // 2 - count // 8
    start = frozenset(range(half)), frozenset(range(count - half, count))
    given = load_game(base)
    rules = {"chain": "compulsory", "capture": "compulsory", "no_progress_limit": 30, **rules}
    return replace(given, board=board, start=start, rules=replace(given.rules, **rules))


LABELLED = {
    "numbers": game_on(shipped_board("draughts_english")),
    "numbers, kings": game_on(shipped_board("draughts_english"), "fetaix", capture_removal="end_of_turn"),
    "fifty": game_on(shipped_board("draughts_international"), chain="optional"),
    "x": game_on(shipped_board("kolowis_culin")),
    "bent x": game_on(shipped_board("kolowis_murray"), leap="pattern", chain="optional"),
    "rings": game_on(shipped_board("pretwa")),
    "more rings": game_on(shipped_board("gol_skuish"), chain="optional"),
    "mixed": game_on(parse_board(CROSSING, "crossing")),
}
