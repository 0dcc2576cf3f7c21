"""Compiles a step table for PyTorch's vectors: its blocks serve both players at once and fill sets of origins.

An origin set is a bitboard: the points from which one direction of one block has a legal action. The legal actions of
a position are its origin sets, and an action is a set and a point.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..game import scratch_layout as SCRATCH, state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.ruleset import NORTH, SOUTH
from ..game.step_table import Block, Section, StepTable
from . import torch_layout as TORCH

_KEPT = 16  # tables of the last games, which several batches of one game share


class TorchTable(NamedTuple):
    """A step table for many matches at once.

    Attributes:
      codes: What is done, see `torch_layout.py`.
      maps: `[M]`, tables that are looked up for each match.
      actions: `[2, sets, points]`, the action of each player, origin set and point; -1 where there is none.
      start: The start state; its dtype is that of states, int32 if the points of the board fit, else int64.
      num_vectors: Number of scratch vectors.
    """

    codes: tuple[int, ...]
    maps: np.ndarray
    actions: np.ndarray
    start: np.ndarray
    num_vectors: int


@lru_cache(_KEPT)
def make_torch_table(game: Game) -> TorchTable | None:
    """Compiles a game's step table for vectors.

    Returns:
      None if a rule compares captures with each other, if no-undo memory holds points, or if a word has no room for
      the points of the board.
    """
    t, table = game.table.plain_words, game.table
    if t[TABLE.COMPARES] or t[TABLE.REMEMBERS_POINTS] or game.board.is_wide:
        return None
    # The sign bit stays free, since a shift to the right would copy it into other points.
    kind = np.int32 if len(game.board.points) < np.iinfo(np.int32).bits else np.int64
    layout = _Layout(game)
    return TorchTable(
        codes=tuple(layout.codes()),
        maps=np.array(layout.maps, kind),
        actions=np.array(layout.actions, kind),
        start=np.array(table.start, kind),
        num_vectors=layout.num_vectors,
    )


def _shape(table: StepTable, section: Section) -> list[Any]:
    shape: list[Any] = [section.kings - section.begin]
    for block in table.blocks[section.begin : section.end]:
        parents = _offset(block.parents, section)
        shape.append((parents, block.sees, block.actions >= 0))
    return shape


def _offset(words: int, section: Section) -> int:
    """Index of scratch words; those of blocks are counted from the beginning of the section."""
    first = SCRATCH.FIRST_BLOCK_WORD + TABLE.LANES * section.begin
    return words - first + SCRATCH.FIRST_BLOCK_WORD if words >= SCRATCH.FIRST_BLOCK_WORD else words


class _Layout:
    """The codes and maps of a game."""

    def __init__(self, game: Game) -> None:
        self.table = game.table
        self.points = len(game.board.points)
        self.pairs: list[tuple[Block, Block]] = []
        self.lanes: list[int] = []
        self.first_sets: list[int] = []  # number of origin sets before each block
        self.origin_sets: list[tuple[int, int]] = []  # indices in `action_at` for each player, -1 for none
        self.sections: list[tuple[int, int]] = []
        self.vectors: dict[int, int] = {}  # by index of scratch words
        self.same_leaps = self._has_same_leaps()
        for number in range(TABLE.NUM_SECTIONS):
            if number == TABLE.NEXT_LEAP and self.same_leaps:
                self.sections.append(self.sections[TABLE.FIRST_LEAP])
            else:
                self._add_section(number)
        self.first_sets.append(len(self.origin_sets))
        self.has_pass = game.table.plain_words[TABLE.PASS_ACTION] >= 0
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
                self._add_pair(blocks[south.begin + index], blocks[north.begin + index])
        else:
            for index in range(south.begin, south.end):
                self._add_pair(blocks[index], None)
            for index in range(north.begin, north.end):
                self._add_pair(None, blocks[index])
        self.sections.append((first, len(self.pairs)))

    def _add_pair(self, south: Block | None, north: Block | None) -> None:
        """Adds the blocks of both players as one, or that of one player, without origins for the other."""
        block = south or north
        assert block is not None
        idle = block._replace(distances=(0,) * TABLE.LANES, origins=(0,) * TABLE.LANES)
        pair = south or idle, north or idle
        lanes = max(lane + 1 for each in pair for lane in range(TABLE.LANES) if each.origins[lane] or lane == 0)
        self.pairs.append(pair)
        self.lanes.append(lanes)
        self.first_sets.append(len(self.origin_sets))
        if block.actions >= 0:
            for lane in range(lanes):
                at = lane * self.points
                self.origin_sets.append((south.actions + at if south else -1, north.actions + at if north else -1))

    def _place_vectors(self) -> None:
        """Assigns scratch vectors: the sets to blocks with actions, vectors of their own to the others."""
        inner = [index for index, pair in enumerate(self.pairs) if pair[0].actions < 0]
        self.sets_at = TORCH.FIRST_BLOCK_VECTOR + TABLE.LANES * len(inner)
        for index, (south, _) in enumerate(self.pairs):
            is_inner = south.actions < 0
            own = TORCH.FIRST_BLOCK_VECTOR + TABLE.LANES * inner.index(index) if is_inner else 0
            self.vectors[south.words] = own if is_inner else self.sets_at + self.first_sets[index]
        self.num_sets = len(self.origin_sets) + self.has_pass
        self.num_vectors = self.sets_at + self.num_sets

    def _maps(self) -> list[int]:
        """What each action does, for each player; then what the schedule and the rules on captures look up."""
        maps: list[int] = []
        for step in self.table.steps:
            if step.origin == STATE.NO_POINT:
                maps.append(1 << TORCH.PASS_SHIFT)
                continue
            over, undo = (step.over + 1) << TORCH.OVER_SHIFT, (step.undo + 1) << TORCH.UNDO_SHIFT
            placing = (step.origin == step.target) << TORCH.PLACING_SHIFT
            maps.append(step.origin | step.target << TORCH.TARGET_SHIFT | over | undo | placing)
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
        codes = [0] * TORCH.HEAD
        blocks_at = TORCH.HEAD + TORCH.SECTION_SIZE * TABLE.NUM_SECTIONS
        codes[TORCH.ORIGIN_SETS], codes[TORCH.NUM_ORIGIN_SETS] = self.sets_at, self.num_sets
        codes[TORCH.PASS_SET] = self.num_sets - 1 if self.has_pass else -1
        codes[TORCH.SAME_LEAPS] = int(self.same_leaps)
        codes[TORCH.SECTIONS] = TORCH.HEAD
        num_steps = len(self.table.steps) // 2
        codes[TORCH.STEPS + NORTH] = num_steps
        codes[TORCH.SCHEDULE] = self.schedule_at
        codes[TORCH.SCHEDULE_POINTS] = self.schedule_at + self.table.plain_words[TABLE.STAGES] + 1
        for player in (SOUTH, NORTH):
            codes[TORCH.TAKEN + player] = self.taken_at + player * num_steps
            codes[TORCH.BEYOND + player] = self.beyond_at + player * num_steps
        for blocks in self.sections:
            codes += [blocks_at + TORCH.BLOCK_SIZE * block for block in blocks]
            codes += [self.first_sets[block] for block in blocks]
        for index in range(len(self.pairs)):
            codes += self._block(index)
        codes[TORCH.OPENS] = len(codes)
        codes += [self._openers(player, number) for number in range(len(self.origin_sets)) for player in (SOUTH, NORTH)]
        return codes

    def _block(self, index: int) -> list[int]:
        south, north = self.pairs[index]
        parents, parents_step = self._vector(south.parents)
        sees, sees_step = self._vector(south.sees)
        is_shared = sees_step == 0 and south[-2:] == north[-2:]
        row = [
            *(parents, parents_step, sees, sees_step),
            *(self.vectors[south.words], self.lanes[index], int(is_shared)),
        ]
        for lane in range(TABLE.LANES):
            row += [south.distances[lane], north.distances[lane], south.origins[lane], north.origins[lane]]
        return row

    def _vector(self, words: int) -> tuple[int, int]:
        """The vector of scratch words of the first direction, and the step to the next direction's."""
        if words >= SCRATCH.FIRST_BLOCK_WORD:
            return self.vectors[words], 1
        return words // TABLE.LANES, 1 if words == SCRATCH.ALLOWED else 0

    def _actions(self, player: int, number: int) -> list[int]:
        """The action of an origin set at each point, or -1."""
        if number == len(self.origin_sets):
            return [self.table.plain_words[TABLE.PASS_ACTION]] + [-1] * (self.points - 1)
        first = self.origin_sets[number][player]
        if first < 0:
            return [-1] * self.points
        return [int(action) for action in self.table.action_at[first : first + self.points]]

    def _openers(self, player: int, number: int) -> int:
        """The points from which the opening rule allows the actions of an origin set."""
        steps = self.table.steps[len(self.table.steps) // 2 * player :]
        actions = self.actions[player][number]
        return sum(1 << point for point, action in enumerate(actions) if action >= 0 and steps[action].opens)
