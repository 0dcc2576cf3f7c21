"""Verifies a table: its values, its statistics, and its notes on the limit of plies without progress.

The values are verified from the rules alone: by steps forward, with no part of the retrograde analysis.

`find_wrong_value` compares each value with those after each turn. That settles wins and losses in a known number of
plies: a wrong one would need another that ends sooner, down to the end of a match. It does not settle draws and endless
play, since a cycle of wrong values can agree with itself.

The study of the clock, see `clock.py`, settles them: every value must be reached after some number of plies; one that
never is has nothing that makes it so.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...engine.compiler import long_kernel
from ...errors import PositionError, TableError
from ...game.ruleset import NORTH, SOUTH
from ...match.match import Match
from ...match.position_text import SIDES
from ...progress import Watch, unwatched
from ..notes import held
from . import index_layout as INDEX
from .clock import ClockStudy
from .index import Slice, has_clock
from .numbering import set_up
from .probe import LONGEST_LINE, fill_in
from .slice_statistics import count_codes, count_unreachable, describe_slice
from .table import EndgameTable
from .threads import Passes, ThreadPool
from .turn_values import Values, allocate_line, release_line, value_of
from .value_codes import DRAWN, UNKNOWN
from .work_folder import Work


@long_kernel
def find_wrong_value(values: Values, row: int, begin: int, end: int, length: int) -> int:
    """Compares values of a slice with those that follow from the positions after each turn.

    Works on the numbers of the slice whose row in the index is `row`, from `begin` to `end`. Values of positions with
    compulsory captures, which a file leaves out, must be there. Numbers of no position get UNKNOWN.

    Returns:
      The number of the first value that is wrong, or -1.
    """
    line = allocate_line(values.t, length)
    wrong = -1
    for number in range(begin, end):
        place = values.x[row + INDEX.BASE] + number
        if not set_up(values.t, values.x, row, number, line.states[0]):
            values.codes[place] = UNKNOWN
        elif value_of(values, line) != values.codes[place]:
            wrong = number
            break
    release_line(line)
    return wrong


MATCHES = 200
"""Positions whose values are compared with those of the steps of a match."""
_SHARE = 0.25  # of each pass but those of the clock in the work on a group, for the progress display


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
    watch: Watch = unwatched,
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


def _verify_groups(table: EndgameTable, threads: int | None, watch: Watch, folder: Path | None) -> float:
    """Verifies the groups that are not in the folder yet; returns the processor time of those that are."""
    index, codes = table.index, table.codes
    work, earlier = None, 0.0
    limited = np.zeros_like(codes) if has_clock(index) and folder is None else codes
    if folder is not None:
        header = hashlib.sha256(json.dumps(asdict(table.header)).encode()).hexdigest()
        work = Work(index, folder, code=__file__, of={"header": header}, watch=watch)
        codes[: work.end] = work.values[: work.end]
        limited, earlier = work.limited, work.seconds
    done = 0 if work is None else len(work.done)
    with ThreadPool(threads) as pool:
        each = Passes(index, pool, watch)
        clock = ClockStudy(index, codes, limited, work is not None and work.differs, each)
        for group, notes in islice(zip(index.groups, table.header.groups, strict=True), done, None):
            each.begin(group)
            _verify_values(table, group, each, clock)
            found = clock.finish(group)
            _verify_statistics(table, group, each)
            if found != notes:
                raise _error(f"the notes on the no-progress limit of slice {group[0].name} are wrong")
            if work is not None:
                work.values[group[0].base : group[-1].end] = codes[group[0].base : group[-1].end]
                work.finish(found)
    return earlier


def _verify_values(table: EndgameTable, group: tuple[Slice, ...], each: Passes, clock: ClockStudy) -> None:
    """Verifies the values of a group; those before it are verified."""

    def fill(row: int, begin: int, end: int) -> None:
        fill_in(table.data, row, begin, end, LONGEST_LINE)

    def compare(row: int, begin: int, end: int) -> int:
        return int(find_wrong_value(table.data, row, begin, end, LONGEST_LINE))

    each(group, "verifying captures", _SHARE, fill)
    for part in group:
        _refuse_value(part, max(each((part,), "verifying", _SHARE, compare)))
    if table.game.can_shuffle:
        reached = clock.play(group)
        for part in group:
            codes = table.codes[part.base : part.end]
            signs = np.where(codes == DRAWN, 0, np.sign(codes))
            found = reached[part.base - group[0].base : part.end - group[0].base]
            _refuse_value(part, int(np.append(np.flatnonzero(found != signs), -1)[0]))


def _verify_statistics(table: EndgameTable, group: tuple[Slice, ...], each: Passes) -> None:
    told = dict(zip(table.index.slices, table.header.slices, strict=True))
    for part in group:
        report = each.report(part, "verifying counts", _SHARE)
        counts = count_codes(table.codes, part)
        counts -= count_unreachable(table.index, table.codes, part, each.pool, report)
        if told[part] != describe_slice(part, counts, told[part].blocks):
            raise _error(f"the statistics of slice {part.name} are wrong")


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


def _refuse_value(part: Slice, number: int) -> None:
    """Refuses the value of a number unless it is -1."""
    if number >= 0:
        raise _error(f"the value of number {number} of slice {part.name} is wrong")


def _error(what: str) -> TableError:
    return TableError(f"{what}; delete the file and solve the game again")
