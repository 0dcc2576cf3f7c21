"""Compiles a step table for the SIMD kernels: its blocks serve both players at once and fill sets of origins.

An origin set is a bitboard: the points from which one direction of one block has a legal action. The legal actions of
a position are its origin sets, and an action is a set and a point.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..game import scratch_layout as SCRATCH, state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import JIT, step_words
from ..game.ruleset import NORTH, SOUTH
from ..game.step_table import Block, Section, StepTable
from . import simd_layout as SIMD


class SimdArrays(NamedTuple):
    """The arrays of a `SimdTable` that kernels read."""

    codes: Any
    maps: np.ndarray
    start: np.ndarray


MOST_ORIGIN_SETS = 512
"""With more origin sets, most of them empty, it is faster to play one match after another."""


_KEPT = 16  # tables of the last games: small batches are made often, and a table takes longer than one of their steps


class SimdTable(NamedTuple):
    """A step table for the SIMD kernels.

    Attributes:
      codes: What the kernels do, see `simd_layout.py`.
      maps: `[M]`, tables that are looked up for each match.
      actions: `[2, sets, points]`, the action of each player, origin set and point; -1 where there is none.
      start: The start state.
      kind: dtype of states and scratch space: int32 if the points of the board fit, else int64, also of each half of a
        set in `words/wide_words.py`.
      num_vectors: Number of scratch vectors.
      lanes: Matches to a vector.
    """

    codes: Any
    maps: np.ndarray
    actions: np.ndarray
    start: np.ndarray
    kind: Any
    num_vectors: int
    lanes: int

    @property
    def arrays(self) -> SimdArrays:
        """What kernels read."""
        return SimdArrays(self.codes, self.maps, self.start)

    @property
    def is_fast(self) -> bool:
        """Whether a batch of environments is faster by these kernels, once compiled, than match by match."""
        return bool(self.codes[SIMD.NUM_ORIGIN_SETS] <= MOST_ORIGIN_SETS)


@lru_cache(_KEPT)
def make_simd_table(game: Game) -> SimdTable | None:
    """Compiles a game's step table for the SIMD kernels.

    Returns:
      None if a rule compares captures with each other, if no-undo memory holds points, or if a schedule has points of
      a board with more than 63.
    """
    t, table = step_words(game.table), game.table
    if t[TABLE.COMPARES] or t[TABLE.REMEMBERS_POINTS] or (t[TABLE.STAGES] and game.board.is_wide):
        return None
    points = len(game.board.points)
    kind = np.int32 if points < np.iinfo(np.int32).bits else np.int64
    layout = _Layout(game, np.iinfo(kind).bits)
    codes = layout.codes()
    return SimdTable(
        codes=np.array(codes, kind) if JIT else tuple(codes),
        maps=np.array(layout.maps, kind),
        actions=np.array(layout.actions, kind),
        start=np.array(table.start, object if game.board.is_wide else kind),
        kind=kind,
        num_vectors=layout.num_vectors,
        lanes=SIMD.WIDTH // np.iinfo(kind).bits,
    )


def _shape(table: StepTable, section: Section) -> list[Any]:
    shape: list[Any] = [section.kings - section.begin]
    for block in table.blocks[section.begin : section.end]:
        parents = _offset(block.parents, section)
        shape.append((parents, block.sees, block.skip - section.begin, block.actions >= 0))
    return shape


def _offset(words: int, section: Section) -> int:
    """Index of scratch words; those of blocks are counted from the beginning of the section."""
    first = SCRATCH.FIRST_BLOCK_WORD + TABLE.LANES * section.begin
    return words - first + SCRATCH.FIRST_BLOCK_WORD if words >= SCRATCH.FIRST_BLOCK_WORD else words


class _Layout:
    """The codes and maps of a game."""

    def __init__(self, game: Game, bits: int) -> None:
        self.game = game
        self.bits = bits  # of a word
        self.table = game.table
        self.points = len(game.board.points)
        self.pairs: list[tuple[Block, Block]] = []
        self.lanes: list[int] = []
        self.first_sets: list[int] = []  # number of origin sets before each block
        self.skips: list[int] = []
        self.origin_sets: list[tuple[int, int]] = []  # indices in `action_at` for each player, -1 for none
        self.sections: list[tuple[int, int, int]] = []
        self.vectors: dict[int, int] = {}  # by index of scratch words
        self.same_leaps = self._has_same_leaps()
        for number in range(TABLE.NUM_SECTIONS):
            if number == TABLE.NEXT_LEAP and self.same_leaps:
                self.sections.append(self.sections[TABLE.FIRST_LEAP])
            else:
                self._add_section(number)
        self.first_sets.append(len(self.origin_sets))
        self.has_pass = bool(step_words(game.table)[TABLE.PASS_ACTION] >= 0)
        self._place_vectors()
        numbers = range(self.num_sets)
        self.actions = [[self._actions(player, number) for number in numbers] for player in (SOUTH, NORTH)]
        self.maps = self._maps()

    def _has_same_leaps(self) -> bool:
        for player in (SOUTH, NORTH):
            first, after = self.table.sections[TABLE.NUM_SECTIONS * player :][:2]
            if _shape(self.table, first) != _shape(self.table, after) or self._lanes_of(first) != self._lanes_of(after):
                return False
        return True

    def _lanes_of(self, section: Section) -> list[Any]:
        actions = self.table.action_at
        size = TABLE.LANES * self.points
        return [
            (
                block.distances,
                block.origins,
                actions[block.actions : block.actions + size] if block.actions >= 0 else None,
            )
            for block in self.table.blocks[section.begin : section.end]
        ]

    def _add_section(self, number: int) -> None:
        south, north = (self.table.sections[TABLE.NUM_SECTIONS * player + number] for player in (SOUTH, NORTH))
        first, blocks = len(self.pairs), self.table.blocks
        if _shape(self.table, south) == _shape(self.table, north):
            for index in range(south.end - south.begin):
                self._add_pair(blocks[south.begin + index], blocks[north.begin + index], first - south.begin)
            self.sections.append((first, first + south.kings - south.begin, len(self.pairs)))
            return
        # Each block serves one player.
        self._add_runs(range(south.begin, south.kings), range(north.begin, north.kings))
        kings = len(self.pairs)
        self._add_runs(range(south.kings, south.end), range(north.kings, north.end))
        self.sections.append((first, kings, len(self.pairs)))

    def _add_runs(self, south: range, north: range) -> None:
        """Adds blocks of `player_0`, then blocks of `player_1`, each without origins for the other."""
        shift = len(self.pairs) - south.start
        for index in south:
            self._add_pair(self.table.blocks[index], None, shift)
        shift = len(self.pairs) - north.start
        for index in north:
            self._add_pair(None, self.table.blocks[index], shift)

    def _add_pair(self, south: Block | None, north: Block | None, shift: int) -> None:
        """Adds the blocks of both players as one, or that of one player, without origins for the other.

        Args:
          south: The block of `player_0`, if it has one.
          north: That of `player_1`.
          shift: The number of this pair less that of its block.
        """
        block = south or north
        assert block is not None
        idle = block._replace(distances=(0,) * TABLE.LANES, origins=(0,) * TABLE.LANES)
        pair = south or idle, north or idle
        lanes = max(lane + 1 for each in pair for lane in range(TABLE.LANES) if each.origins[lane] or lane == 0)
        self.pairs.append(pair)
        self.lanes.append(lanes)
        self.skips.append(block.skip + shift)
        self.first_sets.append(len(self.origin_sets))
        if block.actions >= 0:
            for lane in range(lanes):
                at = lane * self.points
                self.origin_sets.append((south.actions + at if south else -1, north.actions + at if north else -1))

    def _place_vectors(self) -> None:
        """Assigns scratch vectors: the sets to blocks with actions, vectors of their own to the others."""
        inner = [index for index, pair in enumerate(self.pairs) if pair[0].actions < 0]
        self.sets_at = SIMD.FIRST_BLOCK_VECTOR + TABLE.LANES * len(inner)
        for index, (south, _) in enumerate(self.pairs):
            is_inner = south.actions < 0
            own = SIMD.FIRST_BLOCK_VECTOR + TABLE.LANES * inner.index(index) if is_inner else 0
            self.vectors[south.words] = own if is_inner else self.sets_at + self.first_sets[index]
        self.num_sets = len(self.origin_sets) + self.has_pass
        self.tallies_at = self.sets_at + self.num_sets + 1
        self.mask_at = self.tallies_at + self.num_sets
        self.num_mask_words = -(-self.game.num_actions // SIMD.BITS)
        self.num_vectors = self.mask_at + self.num_mask_words

    def _maps(self) -> list[int]:
        """For each player the actions of sets and points; then for each player what each action does."""
        maps: list[int] = []
        for player in (SOUTH, NORTH):
            for actions in self.actions[player]:
                maps += [max(0, action) for action in actions]
        for step in self.table.steps:
            if step.origin == STATE.NO_POINT:
                maps.append(1 << SIMD.PASS_SHIFT)
                continue
            over, undo = (step.over + 1) << SIMD.OVER_SHIFT, (step.undo + 1) << SIMD.UNDO_SHIFT
            placing = (step.origin == step.target) << SIMD.PLACING_SHIFT
            maps.append(step.origin | step.target << SIMD.TARGET_SHIFT | over | undo | placing)
        t = self.table.plain_words
        self.schedule_at = len(maps)
        for place in (TABLE.SCHEDULE, TABLE.SCHEDULE_POINTS):
            maps += t[t[place] :][: t[TABLE.STAGES] + 1]
        self.taken_at = len(maps)
        maps += t[t[TABLE.TAKEN] :][: len(self.table.steps) if t[TABLE.TAKES] else 0]
        self.beyond_at = len(maps)
        maps += t[t[TABLE.BEYOND] :][: len(self.table.steps) if t[TABLE.MUST_TURN] else 0]
        return maps

    def codes(self) -> list[int]:
        """The codes of the table."""
        codes = [0] * SIMD.HEAD
        blocks_at = SIMD.HEAD + SIMD.SECTION_SIZE * TABLE.NUM_SECTIONS
        codes[SIMD.ORIGIN_SETS], codes[SIMD.NUM_ORIGIN_SETS] = self.sets_at, self.num_sets
        codes[SIMD.PASS_SET] = self.num_sets - 1 if self.has_pass else -1
        codes[SIMD.TALLIES] = self.tallies_at
        codes[SIMD.SAME_LEAPS] = int(self.same_leaps)
        codes[SIMD.SECTIONS] = SIMD.HEAD
        num_steps = len(self.table.steps) // 2
        codes[SIMD.MAPS + NORTH] = self.num_sets * self.points
        codes[SIMD.STEPS + SOUTH] = 2 * self.num_sets * self.points
        codes[SIMD.STEPS + NORTH] = codes[SIMD.STEPS + SOUTH] + num_steps
        codes[SIMD.SCHEDULE] = self.schedule_at
        codes[SIMD.SCHEDULE_POINTS] = self.schedule_at + self.table.plain_words[TABLE.STAGES] + 1
        for player in (SOUTH, NORTH):
            codes[SIMD.TAKEN + player] = self.taken_at + player * num_steps
            codes[SIMD.BEYOND + player] = self.beyond_at + player * num_steps
        for blocks in self.sections:
            codes += [blocks_at + SIMD.BLOCK_SIZE * block for block in blocks]
            codes += [self.first_sets[block] for block in blocks]
        for index in range(len(self.pairs)):
            codes += self._block(index, blocks_at)
        codes[SIMD.OPENS] = len(codes)
        codes += [self._openers(player, number) for number in range(len(self.origin_sets)) for player in (SOUTH, NORTH)]
        codes[SIMD.MASK_BITS], codes[SIMD.NUM_MASK_WORDS] = self.mask_at, self.num_mask_words
        sources = self._sources()
        codes[SIMD.SOURCES] = len(codes)
        codes[SIMD.SHIFTS] = len(codes) + SIMD.SOURCE_SIZE * len(sources)
        shifts: list[int] = []
        for south, north, is_turned, actions in sources:
            shifts += self._shifts(actions, codes[SIMD.SHIFTS] + len(shifts))
            codes += [south, north, int(is_turned), codes[SIMD.SHIFTS] + len(shifts)]
        return codes + shifts

    def _block(self, index: int, blocks_at: int) -> list[int]:
        south, north = self.pairs[index]
        parents, parents_step = self._vector(south.parents)
        sees, sees_step = self._vector(south.sees)
        skip = self.skips[index]
        is_last = skip == index + 1
        is_shared = sees_step == 0 and south[-2:] == north[-2:]
        row = [
            *(parents, parents_step, sees, sees_step, self.vectors[south.words], int(is_last)),
            *(blocks_at + SIMD.BLOCK_SIZE * skip, self.lanes[index], int(is_shared)),
            *(self.first_sets[index + 1], self.first_sets[skip]),
        ]
        for lane in range(TABLE.LANES):
            row += [south.distances[lane], north.distances[lane], south.origins[lane], north.origins[lane]]
        return row

    def _vector(self, words: int) -> tuple[int, int]:
        """The vector of scratch words of the first direction, and the step to the next direction's."""
        if words >= SCRATCH.FIRST_BLOCK_WORD:
            return self.vectors[words], 1
        return words // TABLE.LANES, 1 if words == SCRATCH.ALLOWED else 0

    def _sources(self) -> list[tuple[int, int, bool, list[int]]]:
        """Pairs of sets, one of each player, with equal actions at each point.

        On a symmetric board the sets of the second player are those of the first reversed. A set without a
        counterpart is paired with the vector of zeros.
        """
        zeros = self.tallies_at - 1
        south, north = self.actions[SOUTH], list(self.actions[NORTH])
        found: dict[tuple[int, ...], list[int]] = {}
        for number, actions in enumerate(north):
            found.setdefault(tuple(actions), []).append(number)
        sources = []
        for number, actions in enumerate(south):
            if max(actions) < 0:
                continue
            alike = [
                (others[0], is_turned)
                for is_turned in (False, True)
                if (others := found.get(tuple(actions[:: -1 if is_turned else 1])))
            ]
            other, is_turned = min(alike, default=(zeros - self.sets_at, False))
            sources.append((self.sets_at + number, self.sets_at + other, is_turned, actions))
            if alike:
                found[tuple(north[other])].pop(0)
                north[other] = []
        left = [number for number, actions in enumerate(north) if max(actions, default=-1) >= 0]
        return sources + [(zeros, self.sets_at + number, False, north[number]) for number in left]

    def _actions(self, player: int, number: int) -> list[int]:
        """The action of an origin set at each point, or -1."""
        if number == len(self.origin_sets):
            return [step_words(self.game.table)[TABLE.PASS_ACTION]] + [-1] * (self.points - 1)
        first = self.origin_sets[number][player]
        if first < 0:
            return [-1] * self.points
        return [int(action) for action in self.table.action_at[first : first + self.points]]

    def _shifts(self, actions: list[int], begin: int) -> list[int]:
        """The shifts that move the bit of each point to the bit of its action. `begin` is their index in the codes."""
        found: dict[int, dict[int, int]] = {}
        for point, action in enumerate(actions):
            if action >= 0:
                word, bit = divmod(action, SIMD.BITS)
                shifts = found.setdefault(word, {})
                distance = (point - bit) % self.bits
                shifts[distance] = shifts.get(distance, 0) | 1 << bit
        codes: list[int] = []
        for word, shifts in found.items():
            codes += [word, begin + len(codes) + SIMD.TO_WORD_SIZE + SIMD.SHIFT_SIZE * len(shifts)]
            for distance, bits in shifts.items():
                codes += [distance, self._signed(bits)]
        return codes

    def _signed(self, word: int) -> int:
        """The signed integer with these bits."""
        return word - (word >> self.bits - 1 << self.bits)

    def _openers(self, player: int, number: int) -> int:
        """The points from which the opening rule allows the actions of an origin set."""
        steps = self.table.steps[len(self.table.steps) // 2 * player :]
        actions = self.actions[player][number]
        return sum(1 << point for point, action in enumerate(actions) if action >= 0 and steps[action].opens)
