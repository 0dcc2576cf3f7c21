"""Verifies a table: its values, its statistics, and its notes on the limit of plies without progress.

The values are verified from the rules alone: by steps forward, with no part of the retrograde analysis.

`find_wrong_value` compares each value with those after each turn. That settles wins and losses in a known number of
plies: a wrong one would need another that ends sooner, down to the end of a match. It does not settle draws and endless
play, since a cycle of wrong values can agree with itself.

`improve` settles them. It plays each group of slices with a clock that leaves 0, 1, 2, ... plies without a capture or
promotion: at the end of the clock the match has its result at the limit, captures and promotions lead to a value that
is verified already. Values only get better for the player who fares badly at the limit. So every value must be reached
after some number of plies; one that never is has nothing that makes it so.

The same clock, with the game's own rule of progress, verifies the notes on the limit.

Every kernel works on the numbers of one slice from `begin` to `end`; `row` is the slice's row in the index.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules_scalar as rules
from ...engine.compiler import borrowed, inlined, kernel, long_kernel
from ...engine.kernel_types import Table, Words
from ...errors import PositionError, TableError
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.ruleset import NORTH, SOUTH
from ...match.match import Match
from ...match.position_text import SIDES
from ...progress import Progress, Watch
from ..notes import held
from . import index_layout as INDEX
from .index import Slice, has_clock, majority_wins
from .numbering import number_of, set_up
from .probe import LONGEST_LINE, fill_in
from .slice_statistics import count_changed, count_codes, count_unreachable, describe_slice
from .table import EndgameTable
from .threads import SMALLEST, ThreadPool
from .turn_values import Line, Values, allocate_line, final_value, is_conversion, release_line, value_after, value_of
from .value_codes import DRAWN, UNKNOWN, WON
from .work_folder import LIMITED, Work

UNSETTLED = 2  # as a goal: the value is not known before


class Clock(NamedTuple):
    """The values of a group while the clock is played.

    Attributes:
      t, x, codes: The step table, the index, and the codes of earlier groups, none left out.
      goals: int8, for each number of the group the value to be reached, 1, 0 or -1, or UNSETTLED.
      before, after: int8, the values with one ply less on the clock, and with this many.
      restarted: int8, the values after progress within the group, such as a man's step. Looked at if `restarts`.
      first: The first number of the group.
      restarts: Whether such steps are progress.
    """

    t: Table
    x: Table
    codes: Words
    goals: Words
    before: Words
    after: Words
    restarted: Words
    first: int
    restarts: int


@long_kernel
def find_wrong_value(values: Values, row: int, begin: int, end: int, length: int) -> int:
    """Compares values of a slice with those that follow from the positions after each turn.

    Values of positions with compulsory captures, which a file leaves out, must be there. Numbers of no position get
    UNKNOWN.

    Returns:
      The number of the first value that is wrong, or -1.
    """
    v = borrowed(values)
    line = allocate_line(v.t, length)
    wrong = -1
    for number in range(begin, end):
        place = v.x[row + INDEX.BASE] + number
        if not set_up(v.t, v.x, row, number, line.states[0]):
            v.codes[place] = UNKNOWN
        elif value_of(v, line) != v.codes[place]:
            wrong = number
            break
    release_line(line)
    return wrong


@long_kernel
def begin_clock(clock: Clock, row: int, begin: int, end: int, at_limit: int, is_settled: int) -> None:
    """Writes the values with no ply left: the result at the limit for the player to move, unless the match has ended.

    Goals are the signs of the values in the table if `is_settled`, else UNSETTLED.
    """
    c = borrowed(clock)
    line = allocate_line(c.t, 1)
    s = line.states[0]
    for number in range(begin, end):
        place = c.x[row + INDEX.BASE] + number
        goal = 0
        result = 0
        if set_up(c.t, c.x, row, number, s):
            n = rules.legal_actions(c.t, s, line.scratch[0], line.choices[0])
            code = final_value(c.t, s, n)
            goal = sign_of(code)
            result = goal
            if code == UNKNOWN:
                goal = sign_of(int(c.codes[place])) if is_settled else UNSETTLED
                result = at_limit
        c.goals[place - c.first] = goal
        c.before[place - c.first] = result
    release_line(line)


@long_kernel
def improve(clock: Clock, row: int, begin: int, end: int, length: int) -> int:
    """Writes the values with one ply more on the clock from those with one less; returns how many are others."""
    c = borrowed(clock)
    line = allocate_line(c.t, length)
    count = 0
    for number in range(begin, end):
        place = c.x[row + INDEX.BASE] + number - c.first
        value = int(c.before[place])
        if value != c.goals[place] and set_up(c.t, c.x, row, number, line.states[0]):
            value = _best_value(c, line)
            if value != c.before[place]:
                count += 1
        c.after[place] = value
    release_line(line)
    return count


@kernel
def _best_value(c: Clock, line: Line) -> int:
    t, s, after, w, actions = c.t, line.states[0], line.states[1], line.scratch[0], line.choices[0]
    values = Values(t, c.x, c.codes)
    n = rules.legal_actions(t, s, w, actions)
    best = -1
    for index in range(n):
        rules.copy_state(t, s, after)
        rules.apply_action(t, after, w, actions[index])
        is_progress = c.restarts and after[STATE.QUIET] == 0
        after[STATE.QUIET] = 0
        if is_conversion(t, s, after, actions[index]):
            value = sign_of(value_after(values, line, actions[index]))
        else:
            child = number_of(t, c.x, after) - c.first
            value = -int(c.restarted[child] if is_progress else c.before[child])
        best = max(best, value)
        if best == 1:
            break
    return best


@inlined
def sign_of(code: int) -> int:
    """1, 0 or -1 for a value; 0 for UNKNOWN."""
    if code == DRAWN:
        return 0
    return 1 if code > 0 else -1 if code < 0 else 0


MATCHES = 200
"""Positions whose values are compared with those of the steps of a match."""


class Verified(NamedTuple):
    """A table that is verified.

    Attributes:
      positions: The number of its positions.
      seconds: The processor time that it took, that of earlier work included.
    """

    positions: int
    seconds: float


def verify_table(
    table: EndgameTable,
    threads: int | None = None,
    watch: Watch | None = None,
    *,
    folder: Path | None = None,
    note: Callable[[str], None] | None = None,
) -> Verified:
    """Verifies all that a table's file says of its positions.

    Values that the file leaves out are worked out, as by `EndgameTable.expand`. Then matches are set up from texts of
    positions, and their values are compared with those of their legal steps: the kernels that build and verify a table
    set positions up from numbers, and would share a mistake in that.

    Args:
      table: The table.
      threads: How many kernels run at once; None for one per processor.
      watch: Called now and then with the progress.
      folder: Where what is verified is kept, with checksums, until all is: after an exception, Ctrl-C included, the
        same call goes on there. None to keep nothing. A call waits for another process that has the folder.
      note: Called with a sentence that names that process.

    Raises:
      TableError: If the table is wrong, the message names the slice or the position; or if the folder cannot be used.
    """
    began = time.process_time()
    table.load()
    with held(folder, note):
        earlier = _verify_groups(table, threads, watch, folder)
        _verify_by_matches(table)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
    return Verified(sum(part.positions for part in table.header.slices), earlier + time.process_time() - began)


def _verify_groups(table: EndgameTable, threads: int | None, watch: Watch | None, folder: Path | None) -> float:
    """Verifies the groups that are not in the folder yet; returns the processor time of those that are."""

    def report(done: int) -> None:
        if watch:
            watch(Progress("checking", done, table.index.size, "earlier work"))

    work = None
    if folder is not None:
        header = hashlib.sha256(json.dumps(asdict(table.header)).encode()).hexdigest()
        work = Work(table.index, folder, code=__file__, of={"header": header}, report=report)
    earlier = 0.0 if work is None else work.seconds
    with ThreadPool(threads) as pool:
        _Verification(table, pool, watch, work).run()
    return earlier


def _verify_by_matches(table: EndgameTable) -> None:
    """Compares the values of random positions, as texts, with those after each step of a match."""
    generator = np.random.default_rng(0)
    slices = table.index.slices
    for part in (slices[place] for place in generator.integers(len(slices), size=MATCHES)):
        text = _draw_position(table, part, generator)
        try:
            match = Match(table.game, text)
        except PositionError:  # a man where men are promoted, or memory that the text leaves out
            continue
        steps = table.steps(match)
        if match.is_over or not steps:
            continue
        best = steps[0]
        if (table.clockless(match), table.distance(match)) != (best.clockless, best.distance):
            raise _error(f"the value of {match.position} is not that of its best step, {best.step}")


def _draw_position(table: EndgameTable, part: Slice, generator: np.random.Generator) -> str:
    """A random position of a slice as text; all empty parts of a board that shrinks are closed."""
    board = table.game.board
    labels = generator.permutation(board.labels).tolist()
    own = [*(labels.pop() for _ in range(part.own_men)), *(f"K{labels.pop()}" for _ in range(part.own_kings))]
    enemy = [*(labels.pop() for _ in range(part.enemy_men)), *(f"K{labels.pop()}" for _ in range(part.enemy_kings))]
    south, north = (own, enemy) if part.player == SOUTH else (enemy, own)
    vacant = {board.index[label] for label in labels}
    closed = frozenset[int]().union(*(strip for strip in table.game.closing_parts if strip <= vacant))
    closing = ":Z" + ",".join(board.labels[point] for point in sorted(closed)) if closed else ""
    return f"{SIDES[part.player]}:{SIDES[SOUTH]}{','.join(south)}:{SIDES[NORTH]}{','.join(north)}{closing}"


class _Verification:
    """Verifies one group of slices after the other, and keeps what is verified if there is `work`."""

    def __init__(self, table: EndgameTable, pool: ThreadPool, watch: Watch | None, work: Work | None) -> None:
        self._table = table
        self._index = table.index
        self._pool = pool
        self._watch = watch
        self._work = work
        self._told = dict(zip(table.index.slices, table.header.slices, strict=True))
        t = table.game.table.words
        self._limit = int(t[TABLE.NO_PROGRESS_LIMIT]) if has_clock(table.index) else None
        self._is_within_group = bool(t[TABLE.MAN_STEP_IS_PROGRESS])
        self._has_majority = majority_wins(table.index)
        # Values under the limit, from the first group on in which they differ.
        self._limited: np.ndarray | None = None
        self._done = 0 if work is None else self._resume(work)

    def run(self) -> None:
        """Verifies all groups that are left."""
        pairs = zip(self._index.groups, self._table.header.groups, strict=True)
        for group, notes in islice(pairs, self._done, None):
            self._verify(group, notes)

    def _resume(self, work: Work) -> int:
        """Takes over what earlier work has verified; returns the number of groups."""
        done = len(work.done)
        end = sum(part.size for group in self._index.groups[:done] for part in group)
        self._table.codes[:end] = work.values[:end]
        if any(notes.get("changed") for notes in work.done):
            self._limited = np.asarray(work.open(LIMITED))
        return done

    def _verify(self, group: tuple[Slice, ...], notes: dict[str, int]) -> None:
        """Verifies a group; those before it are verified."""
        for part in group:
            self._map(part, "verifying captures", partial(fill_in, self._table.data, part.row, length=LONGEST_LINE))
        for part in group:
            find_wrong = partial(find_wrong_value, self._table.data, part.row, length=LONGEST_LINE)
            self._refuse_value(part, max(self._map(part, "verifying", find_wrong)))
        found = {} if self._index.is_acyclic else self._verify_under_clock(group)
        for part in group:
            told = self._told[part]
            counts = count_codes(self._table.codes, part) - count_unreachable(
                self._index, self._table.codes, part, self._pool, self._report(part, "verifying counts")
            )
            if told != describe_slice(part, counts, told.blocks):
                raise _error(f"the statistics of slice {part.name} are wrong")
        if found != notes:
            raise _error(f"the notes on the no-progress limit of slice {group[0].name} are wrong")
        if self._work is not None:
            place = slice(group[0].base, group[-1].base + group[-1].size)
            self._work.values[place] = self._table.codes[place]
            self._work.finish(found)

    def _verify_under_clock(self, group: tuple[Slice, ...]) -> dict[str, int]:
        """Verifies that each value of a group is reached with some number of plies left; returns the notes on it."""
        codes = self._table.codes
        first, last = group[0].base, group[-1].base + group[-1].size
        signs = np.where(codes[first:last] == DRAWN, 0, np.sign(codes[first:last])).astype(np.int8)
        reached, longest, within = self._play_clock(group, codes, is_settled=True)
        for part in group:
            place = slice(part.base - first, part.base - first + part.size)
            self._refuse_value(part, int(np.append(np.flatnonzero(reached[place] != signs[place]), -1)[0]))
        if self._limit is None:
            return {}
        if self._is_within_group:
            told = codes if self._limited is None else self._limited
            before, within = None, signs
            while before is None or (within != before).any():
                before = within
                _, longest, within = self._play_clock(group, told, is_settled=False, restarted=before)
        elif self._limited is not None:
            _, longest, within = self._play_clock(group, self._limited, is_settled=False)
        changed = count_changed(self._index, group, within != signs)
        if changed and self._limited is None:
            self._limited = np.asarray(self._work.open(LIMITED)) if self._work else np.zeros_like(codes)
            self._limited[:first] = codes[:first]
        if self._limited is not None:
            self._limited[first:last] = np.where(within == 0, DRAWN, within * np.int16(WON))
        return {"longest_way": longest, "changed": changed}

    def _play_clock(
        self, group: tuple[Slice, ...], codes: np.ndarray, is_settled: bool, restarted: np.ndarray | None = None
    ) -> tuple[np.ndarray, int, np.ndarray]:
        """Plays a group with 0, 1, 2, ... plies left until no value changes.

        Args:
          group: The group.
          codes: int16 `[N]`, the codes of earlier groups.
          is_settled: Whether the values to be reached are those of the table.
          restarted: int8, the values after progress within the group, None if only captures and promotions count.

        Returns:
          int8, the values then; the plies that took; and int8, the values with as many plies as the limit allows.
        """
        first = group[0].base
        size = sum(part.size for part in group)
        goals, before, after = np.zeros((3, size), np.int8)
        data = self._table.data
        clock = Clock(
            data.t,
            data.x,
            codes,
            goals,
            before,
            after,
            before if restarted is None else restarted,
            first,
            int(restarted is not None),
        )
        within = None
        for part in group:
            lead = (part.lead > 0) - (part.lead < 0)
            at_limit = lead if self._has_majority else 0
            start = partial(begin_clock, clock, part.row, at_limit=at_limit, is_settled=int(is_settled))
            self._map(part, "verifying clock", start)
        plies = 0
        while True:
            if plies == self._limit:
                within = before.copy()
            stage = f"verifying clock, ply {plies + 1}"
            passes = (self._map(part, stage, partial(improve, clock, part.row, length=LONGEST_LINE)) for part in group)
            if not sum(map(sum, passes)):
                return before, plies, before if within is None else within
            before, after = after, before
            clock = clock._replace(before=before, after=after)
            plies += 1

    def _map(self, part: Slice, stage: str, task: Callable[[int, int], Any]) -> list[Any]:
        return self._pool.map_ranges(part.size, task, SMALLEST, self._report(part, stage))

    def _report(self, part: Slice, stage: str) -> Callable[[int], None]:
        def report(done: int) -> None:
            if self._watch:
                self._watch(Progress(stage, part.base + done, self._index.size, part.name))

        return report

    def _refuse_value(self, part: Slice, number: int) -> None:
        """Refuses the value of a number unless it is -1."""
        if number >= 0:
            raise _error(f"the value of number {number} of slice {part.name} is wrong")


def _error(what: str) -> TableError:
    return TableError(f"{what}; delete the file and solve the game again")
