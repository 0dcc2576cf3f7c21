"""The schedule of a game: who plays each of the first plies, and whether a piece is dropped, removed or moved.

A line of a schedule lists plies, `north drops, south moves`, and may repeat them: `20 times: north drops, south moves`.
A number stands for so many plies in a row: `south drops 2`. Points say where: `south drops on c3 c7`, `south drops off
c3`. In a symmetric game `first` is the player who begins, and `second` the other one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from ..errors import RulesError
from ..files.schema import show
from .board import Board, find_points
from .ruleset import NORTH, SOUTH, Ply
from .table_layout import DROPS, MOVES, REMOVES

MOST_PLIES = 127  # observations are bytes
_LINE = re.compile(r"(?:([1-9][0-9]{0,2}) times: )?(.+)")
_PLY = re.compile(r"(south|north|first|second) (drops|removes|moves)(?: ([1-9][0-9]{0,2}))?(?: (on|off) ([a-z0-9 ]+))?")
VERBS = {MOVES: "moves", DROPS: "drops", REMOVES: "removes"}
"""What a schedule calls what a ply does."""
_DOES = {verb: does for does, verb in VERBS.items()}


def read_schedule(lines: Sequence[str], board: Board, first: int, file: str, path: str) -> tuple[Ply, ...]:
    """The plies of the lines of a schedule, in which `first` means that player; errors name the file and the key.

    Raises:
      RulesError: If a line cannot be read or names an unknown point, or there are too many plies.
    """
    found = (
        ply for number, line in enumerate(lines) for ply in _read_line(line, board, first, file, f"{path}[{number}]")
    )
    plies = tuple(islice(found, MOST_PLIES + 1))
    if len(plies) > MOST_PLIES:
        raise RulesError(f"{file}: {path} has more than {MOST_PLIES} plies, expected {MOST_PLIES} at most")
    return plies


def names_any(lines: Iterable[str], *names: str) -> bool:
    """Whether a schedule has one of the names. It says who begins if it names `south` or `north`."""
    return any(re.search(rf"\b({'|'.join(names)})\b", line) for line in lines)


def _read_line(line: str, board: Board, first: int, file: str, path: str) -> Iterator[Ply]:
    found = _LINE.fullmatch(line)
    plies = [_PLY.fullmatch(ply) for ply in found[2].split(", ")] if found else [None]
    if found is None or None in plies:
        raise RulesError(
            f"{file}: {path} is {show(line)}, expected plies such as '20 times: north drops, south moves' or "
            "'south drops 2 on b2 c3'"
        )
    sides = {"south": SOUTH, "north": NORTH, "first": first, "second": 1 - first}
    everywhere = frozenset(range(len(board.points)))
    for _ in range(int(found[1] or 1)):
        for ply in plies:
            assert ply is not None
            side, verb, count, preposition, labels = ply.groups()
            named = frozenset(find_points(board, labels, file, path)) if labels else frozenset()
            points = named if preposition == "on" else everywhere - named
            for _ in range(int(count or 1)):
                yield Ply(sides[side], _DOES[verb], points)


Block = tuple[tuple[tuple[Ply, int], ...], int]
"""Plies of a schedule, each with how often it is played in a row, and how often all of them are."""


def blocks(schedule: Sequence[Ply]) -> list[Block]:
    """A schedule as blocks, each repeated as often as it can be: the lines of a file in one form."""
    left = [(ply, len(list(same))) for ply, same in groupby(schedule)]
    found: list[Block] = []
    while left:
        length, times = max(
            ((length, _times(left, length)) for length in range(1, len(left) // 2 + 1)),
            key=lambda block: (block[1] > 1, block[0] * block[1], -block[0]),
            default=(1, 1),
        )
        length = length if times > 1 else 1
        found.append((tuple(left[:length]), times))
        left = left[length * times :]
    return found


def _times(items: Sequence[object], length: int) -> int:
    """How often the first `length` items stand in a row at the beginning."""
    times = 1
    while items[:length] == items[length * times : length * (times + 1)]:
        times += 1
    return times
