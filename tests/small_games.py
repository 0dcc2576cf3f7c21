"""Games on boards so small that they can be solved whole, given as data."""

from dataclasses import replace
from types import MappingProxyType

from alquerque_env import load_game
from alquerque_env.game.board import Board
from alquerque_env.game.board_file import parse_board
from alquerque_env.game.game import Game
from alquerque_env.game.ruleset import Side

_ROWS_OF_THREE = [[0, 1, 2]] * 3
_GRID = ["a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3"]

_DATA = {
    # The middle of the Alquerque board.
    "square": {"rows": _ROWS_OF_THREE, "lines": [*_GRID, "a1 b2 c3", "c1 b2 a3"]},
    # Long enough for flights; diagonals cross between the points.
    "oblong": {
        "rows": [[0, 1, 2, 3]] * 3,
        "lines": [
            *("a1 b1 c1 d1", "a2 b2 c2 d2", "a3 b3 c3 d3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "d1 d2 d3"),
            *("a1 b2 c3", "d1 c2 b3", "b1 c2 d3", "c1 b2 a3"),
        ],
    },
    # The two ends of the Mosona board, with arcs and bends.
    "snake": {
        "rows": [[1, 3], [0, 2, 4], [1, 3]],
        "lines": ["b1 c2 d3", "d1 c2 b3", "a2 c2 e2"],
        "end_arcs": ["b1 a2 b3", "d1 e2 d3"],
        "bends": ["a2 b1 c2", "c2 d3 e2"],
    },
    "ladder": {
        "rows": [[0, 1]] * 3,
        "lines": ["a1 a2 a3", "b1 b2 b3", "a1 b1", "a2 b2", "a3 b3", "a1 b2", "b2 a3"],
    },
    # Looks different from either side.
    "wedge": {
        "rows": [[0, 1, 2], [0, 1, 2], [1]],
        "lines": ["a1 b1 c1", "a2 b2 c2", "b1 b2 b3", "a1 b2", "c1 b2", "a1 a2", "a2 b3"],
    },
    # Looks different from every side.
    "hook": {
        "rows": [[0, 1, 2], [0, 1], [1]],
        "lines": ["a1 b1 c1", "a2 b2", "b1 b2 b3", "a1 b2", "a1 a2", "a2 b3", "b2 c1"],
    },
}

BOARDS: dict[str, Board] = {name: parse_board({"title": name, **data}, name) for name, data in _DATA.items()}


def small_game(
    base: str, board: str, south: str, north: str, opening: tuple[int | None, int] | None = None, **rules: object
) -> Game:
    """A game of the package on a small board with some of its rules changed, whether or not it asks for them."""
    given = load_game(base)
    index = BOARDS[board].index
    start = tuple(frozenset(index[label] for label in side.split()) for side in (south, north))
    options = MappingProxyType({**given.options, **rules})
    return replace(
        given,
        name=f"{board}_{base}",
        board=BOARDS[board],
        start=start,
        rules=replace(given.rules, **rules),
        options=options,
        opening=None if opening is None else (opening,),
        promotion=(frozenset(), frozenset()),  # points of another board
        sanctuary=frozenset(),
        double_steps=frozenset(),
        sides=(Side(), Side()),
        schedule=(),
    )
