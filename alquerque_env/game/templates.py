"""Every step that a piece can take in some position: what the rules and the board permit, before it is compiled."""

from collections.abc import Callable, Iterator
from itertools import pairwise, takewhile
from typing import NamedTuple

from . import scratch_layout as SCRATCH, state_layout as STATE, table_layout as TABLE
from .board import Board
from .ruleset import Ruleset


class Template(NamedTuple):
    """One step that a piece might take, in points of the board."""

    origin: int
    target: int
    victim: int  # or NO_POINT
    path: tuple[tuple[int, int], ...]  # the conditions in order: (EMPTY or ENEMY, point)
    is_king: bool
    first: bool  # may begin a turn
    next: bool  # may continue a chain
    row: tuple[int, ...] = ()  # the points of the pieces that it may take, if they are several, the victim's first


def find_templates(game: Ruleset, player: int) -> Iterator[Template]:
    """Every step that a piece of `player` can take in some position, with every possible victim; drops and removals.

    A drop goes from a point to itself and sees it empty. A removal sees an enemy there.
    """
    yield from find_man_templates(game, player)
    for what, does in ((SCRATCH.EMPTY, TABLE.DROPS), (SCRATCH.ENEMY, TABLE.REMOVES)):
        plies = [ply.points for ply in game.schedule if (ply.player, ply.does) == (player, does)]
        for point in sorted(frozenset().union(*plies)):
            victim = STATE.NO_POINT if does == TABLE.DROPS else point
            yield Template(point, point, victim, ((what, point),), False, True, False)
    if game.rules.promotion != "none":
        yield from (template for template in _king_templates(game) if template.victim not in game.sanctuary)


def find_doubled(game: Ruleset) -> Template | None:
    """A step of promoted pieces that another way makes too, of the same piece over the same victim; None if none does.

    Straight lines meet once, so only circles lead to a point in two ways. They would be one action, listed twice.
    """
    ways: dict[tuple[int, int, int], Template] = {}
    for template in _king_templates(game) if game.rules.promotion != "none" else ():
        if ways.setdefault(template[:3], template) != template:
            return template
    return None


def most_actions(game: Ruleset) -> int:
    """At least the number of actions of a game, counted without finding them."""
    board = game.board
    ways = [len(joined) for joined in board.neighbours]
    kinds = {game.captures(player) for player in (0, 1)}
    bent = sum(count * (count - 1) for count in ways) if game.rules.leap == "pattern" else len(leaps_of_men(game))
    captures = {"leap": bent, "odd_rows": 0, "approach_withdrawal": 2 * sum(ways), "custodial": 0, "none": 0}
    if "odd_rows" in kinds:
        captures["odd_rows"] = sum(len(line) * (len(line) - 1) for line in (*board.lines, *board.circles))
    actions = (
        sum(ways)
        + sum(captures[kind] for kind in kinds)
        + len(board.points) * len({ply.does for ply in game.schedule} - {TABLE.MOVES})
        + sum(len(game.man_double_steps(player)) for player in (0, 1))
    )
    if "any_distance" in map(game.step_directions, (0, 1)):
        actions += sum(len(line) * (len(line) - 1) for line in (*board.lines, *board.circles))
    if game.rules.promotion != "none":
        for line, steps_far, captures_far in flights(game):
            length = len(line)
            # Ordered pairs of points, and triples in the order of a line; on a circle there is one from every point.
            pairs = length * (length - 1)
            triples = pairs * (length - 2) // (1 if line in board.circles else 3)
            actions += (pairs if steps_far else 0) + (triples if captures_far else 2 * length)
    return actions


def find_man_templates(game: Ruleset, player: int) -> Iterator[Template]:
    """Those of the men of `player`."""
    rules = game.rules
    if game.step_directions(player) == "any_distance":
        for line in (*game.board.lines, *game.board.circles):
            for origin, ray in _rays(line, line in game.board.circles):
                if origin not in game.frozen(player):
                    yield from _slides(origin, ray, True, is_king=False)
    else:
        for origin, target in game.man_steps(player):
            yield Template(origin, target, STATE.NO_POINT, ((SCRATCH.EMPTY, target),), False, True, False)
        for origin, between, target in game.man_double_steps(player):
            way = (SCRATCH.EMPTY, between), (SCRATCH.EMPTY, target)
            yield Template(origin, target, STATE.NO_POINT, way, False, True, False)
    is_free_later = rules.man_capture_dirs == "first_leap_forward_sideways"
    directions = "forward_sideways" if is_free_later else rules.man_capture_dirs
    for origin, target, row, path in _CAPTURES[game.captures(player)](game):
        first = game.goes(directions, player, origin, target)
        after = first or is_free_later
        if after:
            yield Template(origin, target, row[0], path, False, first, after, row[: len(row) * (len(row) > 1)])


Path = tuple[tuple[int, int], ...]
Capture = tuple[int, int, tuple[int, ...], Path]
"""Origin, target, the points of the pieces that may be taken, and the conditions."""


def _leaps(game: Ruleset) -> Iterator[Capture]:
    for origin, victim, target in sorted(leaps_of_men(game)):
        if victim not in game.sanctuary:
            yield origin, target, (victim,), ((SCRATCH.ENEMY, victim), (SCRATCH.EMPTY, target))


def _over_odd_rows(game: Ruleset) -> Iterator[Capture]:
    """Leaps over an unbroken row of an odd number of enemies."""
    for line in (*game.board.lines, *game.board.circles):
        for origin, ray in _rays(line, line in game.board.circles):
            for length in range(1, len(ray), 2):
                row, target = ray[:length], ray[length]
                if game.sanctuary.isdisjoint(row):
                    yield origin, target, row, (*((SCRATCH.ENEMY, point) for point in row), (SCRATCH.EMPTY, target))


def _by_approach_or_withdrawal(game: Ruleset) -> Iterator[Capture]:
    """Steps towards a row of enemies or away from it."""
    for line in game.board.lines:
        for way in (line, line[::-1]):
            for place, (origin, target) in enumerate(pairwise(way)):
                for points in (way[place + 2 :], way[:place][::-1]):
                    row = tuple(takewhile(lambda point: point not in game.sanctuary, points))
                    if row:
                        yield origin, target, row, ((SCRATCH.EMPTY, target), (SCRATCH.ENEMY, row[0]))


_CAPTURES: dict[str, Callable[[Ruleset], Iterator[Capture]]] = {
    "leap": _leaps,
    "odd_rows": _over_odd_rows,
    "approach_withdrawal": _by_approach_or_withdrawal,
    "custodial": lambda _game: iter(()),  # a step captures by where it ends
    "none": lambda _game: iter(()),
}
"""The captures of men, by the answer to the question `captures`."""


def leaps_of_men(game: Ruleset) -> set[tuple[int, int, int]]:
    """Leaps of men as (origin, victim, target); the option `leap` decides which."""
    rules, board = game.rules, game.board
    if rules.leap == "pattern":
        return {
            (origin, victim, target)
            for origin, victim in board.edges
            for target in board.neighbours[victim]
            if target != origin
        }
    lines = [*board.lines, *(circle + circle[:2] for circle in board.circles)]
    if rules.leap == "drawn_line":
        lines += [*board.end_arcs, *board.bends]
    elif rules.end_arc:
        lines += board.end_arcs
    triples = {triple for line in lines for triple in zip(line, line[1:], line[2:], strict=False)}
    return triples | {triple[::-1] for triple in triples}


def _king_templates(game: Ruleset) -> Iterator[Template]:
    """Steps and captures of kings along lines and circles."""
    for line, steps_far, captures_far in flights(game):
        for origin, ray in _rays(line, line in game.board.circles):
            yield from _slides(origin, ray, steps_far, is_king=True)
            yield from _captures(origin, ray, captures_far)


def flights(game: Ruleset) -> Iterator[tuple[tuple[int, ...], bool, bool]]:
    """The lines and circles, each with whether kings step far and capture far along it."""
    rules = game.rules
    diagonals = long_diagonals(game.board)
    for line in (*game.board.lines, *game.board.circles):
        flies = rules.mullah_lines == "all" or line in diagonals
        yield line, flies and rules.mullah_steps == "any_distance", flies and rules.mullah_captures == "any_distance"


def _rays(line: tuple[int, ...], is_closed: bool) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The points of a line, each with those before it, both ways; on a circle these are all others."""
    for way in (line, line[::-1]):
        for start, origin in enumerate(way):
            yield origin, way[start + 1 :] + (way[:start] if is_closed else ())


def long_diagonals(board: Board) -> list[tuple[int, ...]]:
    """The diagonals among the longest lines of a board; none where the longest lines are rows or columns."""
    longest = max(len(line) for line in board.lines)
    lines = [line for line in board.lines if len(line) == longest]
    begins = [(board.points[line[0]], board.points[line[1]]) for line in lines]
    return [line for line, ((x0, y0), (x1, y1)) in zip(lines, begins, strict=True) if x0 != x1 and y0 != y1]


def _slides(origin: int, ray: tuple[int, ...], is_far: bool, is_king: bool) -> Iterator[Template]:
    """Steps of a piece along the points before it, over one point unless it goes far."""
    for distance, target in enumerate(ray if is_far else ray[:1]):
        path = tuple((SCRATCH.EMPTY, point) for point in ray[: distance + 1])
        yield Template(origin, target, STATE.NO_POINT, path, is_king, True, False)


def _captures(origin: int, ray: tuple[int, ...], is_far: bool) -> Iterator[Template]:
    """Captures by a king along the points before it, of its neighbour with a short leap unless it captures far."""
    for distance, victim in enumerate(ray if is_far else ray[:1]):
        to_victim = (*((SCRATCH.EMPTY, point) for point in ray[:distance]), (SCRATCH.ENEMY, victim))
        behind = ray[distance + 1 : None if is_far else distance + 2]
        for beyond, target in enumerate(behind):
            path = to_victim + tuple((SCRATCH.EMPTY, point) for point in behind[: beyond + 1])
            yield Template(origin, target, victim, path, True, True, True)
