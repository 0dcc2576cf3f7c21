"""The index of a table: its slices of positions, and the arrays with which kernels number positions.

The memory of a piece against undoing is the set of points to which it may not step back. Single pieces are moved about
with the engine to find which memories there can be on each point.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any, NamedTuple

import numpy as np

from ...engine import entry_points
from ...errors import RulesError
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.board import Permutation
from ...game.game import Game
from ...game.kernel_arrays import constants, words
from ...game.ruleset import NORTH, SOUTH
from ...game.templates import Template
from . import index_layout as INDEX
from .numbering import memory_of

MOST = 4096  # the most pairs of a point and a memory


class Memories(NamedTuple):
    """All memories that pieces can have."""

    kind: int  # NO_MEMORY, OF_EACH if every piece has its own, OF_ONE if one piece of a player has one
    radix: int  # the most memories of a piece on a point, the empty one included
    # For each player and point the memories as bitboards, the empty one first.
    words: tuple[tuple[tuple[int, ...], ...], ...]

    def count(self, pieces: int) -> int:
        """How many numbers there are for the memories of `pieces` pieces of a player."""
        if self.kind == INDEX.NO_MEMORY:
            return 1
        return self.radix**pieces if self.kind == INDEX.OF_EACH else 1 + pieces * (self.radix - 1)


def find_memories(game: Game) -> Memories:
    """Finds the memories that pieces can have; `RulesError` if there are too many, or if the game has kings too."""
    points = range(len(game.board.points))
    if game.rules.undo_scope == "off":
        return Memories(INDEX.NO_MEMORY, 1, tuple(tuple((0,) for _ in points) for _ in (SOUTH, NORTH)))
    if game.rules.promotion != "none":
        raise RulesError(f"{game.name}: tables of games with an undo rule and promotion cannot be built yet")
    found = tuple(_find_for(game, player) for player in (SOUTH, NORTH))
    kind = INDEX.OF_ONE if game.rules.undo_scope == "per_player_last_move" else INDEX.OF_EACH
    return Memories(kind, max(len(known) for side in found for known in side), found)


def _find_for(game: Game, player: int) -> tuple[tuple[int, ...], ...]:
    known: set[tuple[int, int]] = {(point, 0) for point in range(len(game.board.points))}
    untried = list(known)
    while untried:
        point, memory = untried.pop()
        for template in game.table.templates[player]:
            if template.origin != point:
                continue
            after = (template.target, _memory_after(game, player, template, memory))
            if after not in known:
                known.add(after)
                untried.append(after)
        if len(known) > MOST:
            raise RulesError(
                f"{game.name}: a piece may remember more than {MOST} different things, too many for a table: "
                f"choose another undo_scope or undo_cleared_by_jump=true"
            )
    return tuple(
        tuple(sorted(memory for place, memory in known if place == point)) for point in range(len(game.board.points))
    )


def _memory_after(game: Game, player: int, template: Template, memory: int) -> int:
    """The memory of a piece after a step or leap, from its memory before."""
    t = game.table.words
    s = words(t, t[TABLE.STATE_SIZE])
    s[STATE.MEN + player] = 1 << template.origin
    s[STATE.PLAYER] = player
    s[STATE.CHAIN] = STATE.NO_POINT
    if template.victim >= 0:
        s[STATE.MEN + 1 - player] = 1 << template.victim
    if t[TABLE.REMEMBERS_POINTS]:
        s[STATE.MEMORY_POINTS + template.origin] = memory
    for relation, pairs in enumerate(game.relations):
        if template.origin in pairs and memory >> pairs[template.origin] & 1:
            s[STATE.MEMORY + relation] |= 1 << template.origin
    entry_points.apply_action(t, s, words(t, t[TABLE.SCRATCH_SIZE]), _action(game, player, template))
    return int(memory_of(t, s, template.target))


def _action(game: Game, player: int, template: Template) -> int:
    rows = game.table.steps[player * game.num_actions : (player + 1) * game.num_actions]
    key = template.origin, template.target, max(template.victim, -1)
    return next(
        action
        for action, row in enumerate(rows)
        if (row.origin, row.target, max(row.over, -1)) == key and game.actions[action] is not None
    )


class Slice(NamedTuple):
    """The positions with the same number of men and kings on each side."""

    player: int  # the player to move; always `player_0` if the game looks the same from both sides
    own_men: int  # from here on numbers of pieces, from the point of view of the player to move
    own_kings: int
    enemy_men: int
    enemy_kings: int
    base: int  # its first number
    size: int  # how many numbers it has; some belong to no position
    row: int  # where its row begins in the index

    @property
    def end(self) -> int:
        """The number after its last one."""
        return self.base + self.size

    @property
    def lead(self) -> int:
        """The pieces of the player to move minus those of the opponent."""
        return self.own_men + self.own_kings - self.enemy_men - self.enemy_kings

    @property
    def name(self) -> str:
        """Its name: `3v2`, with kings `2+1Kv0+1K`; `North` follows where the player to move matters and is North."""
        own, enemy = (
            f"{men}+{kings}K" if kings else str(men)
            for men, kings in ((self.own_men, self.own_kings), (self.enemy_men, self.enemy_kings))
        )
        return f"{own}v{enemy}" + ("" if self.player == SOUTH else " North")


Sides = tuple[int, int, int, int]


class Index:
    """Numbers all positions of a game with at most `pieces` pieces, at least one for each player.

    It has `size` numbers in `slices`, in the order of solving: captures and promotions lead to earlier slices; `groups`
    are the slices that quiet steps connect. Raises `RulesError` if pieces can have too many memories.
    """

    def __init__(self, game: Game, pieces: int) -> None:
        self.game = game
        self.pieces = pieces
        self.memories = find_memories(game)
        self.most = min(pieces - 1, max(game.most_pieces))
        self.groups = tuple(self._number_groups())
        self.slices = tuple(part for group in self.groups for part in group)
        self.size = self.slices[-1].end

    @cached_property
    def words(self) -> Any:
        """The index as an array for kernels."""
        return constants(_write(self).tolist())

    @cached_property
    def rules(self) -> Any:
        """The step table of the game without its opening rule.

        The opening rule holds in the start position only and not in the positions that share its number.
        """
        table = list(self.game.table.words)
        table[TABLE.HAS_OPENING] = 0
        return constants([int(word) for word in table])

    @cached_property
    def symmetries(self) -> tuple[Permutation, ...]:
        """The symmetries of the game as permutations of points."""
        return tuple(symmetry.points for symmetry in self.game.symmetries)

    @cached_property
    def orbits(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """For each number of pieces: the entries of all sets of points, and the sets that represent the orbits."""
        return tuple(
            _find_orbits(len(self.game.board.points), count, self.symmetries) for count in range(self.most + 1)
        )

    @cached_property
    def _orbit_counts(self) -> tuple[int, ...]:
        """For each number of pieces: the number of orbits, found without listing them."""
        return tuple(_count_orbits(count, self.symmetries) for count in range(self.most + 1))

    @property
    def entries(self) -> int:
        """How many integers `orbits` has, found without listing them."""
        points = len(self.game.board.points)
        return sum(comb(points, count) for count in range(self.most + 1)) + sum(self._orbit_counts)

    def digits(self, sides: Sides) -> tuple[int, int, int, int, int, int]:
        """The number of values of each digit of a slice."""
        own_men, own_kings, enemy_men, enemy_kings = sides
        own, enemy = own_men + own_kings, enemy_men + enemy_kings
        return (
            self._orbit_counts[own],
            comb(len(self.game.board.points) - own, enemy),
            comb(own, own_kings),
            comb(enemy, enemy_kings),
            self.memories.count(own),
            self.memories.count(enemy),
        )

    def _number_groups(self) -> Iterator[tuple[Slice, ...]]:
        base, row = 0, INDEX.HEAD
        for first, second in self._pairs():
            players = (SOUTH, SOUTH) if self.game.is_symmetric else (SOUTH, NORTH)
            members = [(players[0], first), (players[1], second)]
            if not self.game.is_symmetric and first != second:
                members += [(SOUTH, second), (NORTH, first)]
            group = []
            for player, sides in dict.fromkeys(members):
                if not self._can_occur(player, sides):
                    continue
                # Python's integers, since a table that is too large is refused by its size, which may not fit 64 bits.
                size = int(np.prod(self.digits(sides), dtype=object))
                group.append(Slice(player, *sides, base=base, size=size, row=row))
                base += size
                row += INDEX.ROW_SIZE
            if group:
                yield tuple(group)

    def _can_occur(self, player: int, sides: Sides) -> bool:
        """Whether a match goes on with these pieces; asked only where the sides differ.

        There a side that can have few pieces would else be numbered with as many as the other.
        """
        if not self.game.has_roles:
            return True
        counts = sides[0] + sides[1], sides[2] + sides[3]
        south, north = counts if player == SOUTH else counts[::-1]
        return all(
            few < count <= most
            for few, count, most in zip(self.game.loses_at, (south, north), self.game.most_pieces, strict=True)
        )

    def _pairs(self) -> Iterator[tuple[Sides, Sides]]:
        """Each balance of pieces from both points of view, fewer pieces first, then fewer men."""
        has_kings = self.game.rules.promotion != "none"
        kinds = [
            (count - kings, kings)
            for count in range(1, self.most + 1)
            for kings in range(count + 1 if has_kings else 1)
        ]
        pairs = [pair for pair in combinations_with_replacement(kinds, 2) if sum(map(sum, pair)) <= self.pieces]
        pairs.sort(key=lambda pair: (sum(map(sum, pair)), pair[0][0] + pair[1][0], pair))
        for less, more in pairs:
            yield (*more, *less), (*less, *more)


def least_pieces(game: Game) -> int:
    """The fewest pieces with which a table has positions: where the sides differ, none has fewer than it may have."""
    return sum(few + 1 for few in game.loses_at) if game.has_roles else 2


def majority_wins(index: Index) -> bool:
    """Whether there is endless play that the player with more pieces wins. A repetition rule ends it before."""
    rules = index.game.rules
    return index.game.can_shuffle and rules.has_majority_at_limit and rules.repetition == "off"


def has_clock(index: Index) -> bool:
    """Whether there is a limit of plies without progress whose effect is studied.

    It is not where no position can recur, since such games are not solved by going back. It cannot be where a blocked
    match can be a draw although the player with more pieces wins endless play, since draws have no distance; where that
    player wins at the limit but repetition can draw the match before; and where promotions do not count as progress,
    since they lead to other groups of slices.
    """
    rules = index.game.rules
    is_drawn_early = bool({"draw", "majority"} & {*index.game.no_moves}) or rules.repetition != "off"
    is_mixed = is_drawn_early and rules.no_progress_result == "majority"
    is_slow = rules.promotion != "none" and rules.progress == "capture"
    return rules.no_progress_limit != "off" and index.game.can_shuffle and not (is_mixed or is_slow)


def has_notes(index: Index, notes: Mapping[str, int]) -> bool:
    """Whether these are notes on a group: those of `clock.ClockStudy` if there is a clock, else none."""
    return set(notes) == ({"longest_way", "changed"} if has_clock(index) else set())


def _find_orbits(points: int, count: int, symmetries: tuple[Permutation, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The entries of all sets of `count` points, see `index_layout.py`, and the sets that represent the orbits."""
    sets = _sets(points, count)
    images = np.stack([_permute(sets, permutation) for permutation in symmetries])
    view = images.argmin(axis=0)
    least = images.min(axis=0)
    is_fixed = (images == least).sum(axis=0) > 1
    # Sets ascend, which for bitboards is colexicographic order: `rank` finds the entries, bisection the orbits.
    representatives = sets[least == sets]
    orbit = np.searchsorted(representatives, least)
    return orbit << INDEX.ORBIT_AT | is_fixed * INDEX.IS_FIXED | view, representatives


def _count_orbits(count: int, symmetries: tuple[Permutation, ...]) -> int:
    """The number of orbits of sets of `count` points.

    Source: the Cauchy-Frobenius lemma, by which it is the mean number of sets that a symmetry maps to themselves.
    """
    return sum(_count_fixed(count, permutation) for permutation in symmetries) // len(symmetries)


def _count_fixed(count: int, permutation: Permutation) -> int:
    """How many sets of `count` points are unions of cycles of a permutation."""
    ways = [1] + [0] * count
    left = set(range(len(permutation)))
    while left:
        start = point = left.pop()
        length = 1
        while (point := permutation[point]) != start:
            left.remove(point)
            length += 1
        # Downwards, so that each cycle is taken once at most.
        for size in range(count, length - 1, -1):
            ways[size] += ways[size - length]
    return ways[count]


def _sets(points: int, count: int) -> np.ndarray:
    """All sets of `count` of `points` points as bitboards, in ascending order."""
    rows = [np.zeros(1, np.int64)] + [np.zeros(0, np.int64)] * count
    for point in range(points):
        rows = [rows[0]] + [
            np.concatenate((rows[size], rows[size - 1] | np.int64(1) << point)) for size in range(1, count + 1)
        ]
    return rows[count]


def _permute(sets: np.ndarray, permutation: Permutation) -> np.ndarray:
    images = np.zeros_like(sets)
    for point, image in enumerate(permutation):
        images |= (sets >> point & 1) << image
    return images


def _write(index: Index) -> np.ndarray:
    game, memories = index.game, index.memories
    points, sides = len(game.board.points), index.most + 1
    head = np.zeros(INDEX.HEAD, np.int64)
    lists: list[np.ndarray] = [head]

    def add(values: Any) -> int:
        """Appends a list; returns where it begins."""
        lists.append(np.asarray(values, np.int64).ravel())
        return sum(len(each) for each in lists[:-1])

    slices = np.full((2, sides, sides, sides, sides), -1, np.int64)
    for part in index.slices:
        slices[part[:5]] = part.row
    add([[*part[:5], part.base, part.size, *index.digits(part[1:5])[1:]] for part in index.slices])
    head[INDEX.POINTS] = points
    head[INDEX.ALL_POINTS] = (1 << points) - 1
    head[INDEX.BYTES] = -(-points // 8)
    head[INDEX.SYMMETRIES] = len(index.symmetries)
    head[INDEX.IS_SYMMETRIC] = game.is_symmetric
    head[INDEX.SIDES] = sides
    head[INDEX.MEMORY] = memories.kind
    head[INDEX.RADIX] = memories.radix
    counts = np.array([[comb(n, k) for k in range(points + 1)] for n in range(points + 1)], dtype=object)
    # No set of more points is numbered.
    head[INDEX.BINOMIALS] = add(np.minimum(counts, np.iinfo(np.int64).max))
    views = list(index.symmetries)
    if game.is_symmetric:
        views += [tuple(view[game.turn[point]] for point in range(points)) for view in index.symmetries]
    head[INDEX.VIEWS] = add([_byte_table(view) for view in views])
    head[INDEX.PLACES] = add(views)
    head[INDEX.SLICES] = add(slices)
    head[INDEX.MEMORIES] = add([add([len(known), *known]) for side in memories.words for known in side])
    head[INDEX.RETRO_STEPS] = add(
        [add(_retro_steps(game, player, point)) for player, point in product((SOUTH, NORTH), range(points))]
    )
    for count, (entries, representatives) in enumerate(index.orbits):
        head[INDEX.ORBITS + count] = add(entries)
        head[INDEX.REPRESENTATIVES + count] = add(representatives)
    return np.concatenate(lists)


def _byte_table(view: Permutation) -> list[int]:
    """For each byte of a bitboard and each value of the byte: the permuted points."""
    table = []
    for first in range(0, len(view), 8):
        images = [1 << image for image in view[first : first + 8]]
        table += [sum(image for bit, image in enumerate(images) if value >> bit & 1) for value in range(INDEX.BYTE)]
    return table


def _retro_steps(game: Game, player: int, point: int) -> list[int]:
    """The quiet steps of a player that end on a point, after their number."""
    rows = [
        (template.origin, sum(1 << seen for _, seen in template.path if seen != point), template.is_king)
        for template in game.table.templates[player]
        if template.victim == STATE.NO_POINT
        and template.target == point != template.origin
        # A man that steps there is promoted, which leads to an earlier group.
        and (template.is_king or point not in game.promotion_points(player))
    ]
    return [len(rows), *(number for row in rows for number in row)]
