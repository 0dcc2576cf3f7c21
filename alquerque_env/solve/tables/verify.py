"""Checks every value of a table against those of the positions after each turn."""

import time
from collections.abc import Callable

from ...errors import TableError
from .index import Slice
from .probe import check
from .slices import SECONDS_BETWEEN_REPORTS, SolveProgress, Watch
from .table import ROOM, EndgameTable
from .threads import SMALLEST, Crew


def verify_table(table: EndgameTable, threads: int | None = None, watch: Watch | None = None) -> int:
    """Checks every value that a table keeps; the others follow from them.

    Args:
      table: What is to be checked.
      threads: How many kernels run at once; None for as many as there are processors.
      watch: Told now and then how far it is.

    Returns:
      The number of positions in the table.

    Raises:
      TableError: If a value is wrong; the message names the slice and the number.
    """
    table.load()
    with Crew(threads) as crew:
        for part in table.index.slices:
            _verify_slice(table, part, crew, watch)
    return sum(part["positions"] for part in table.header.slices)


def _verify_slice(table: EndgameTable, part: Slice, crew: Crew, watch: Watch | None) -> None:
    def wrong(begin: int, end: int) -> int:
        t, x = table.index.rules, table.index.words
        return int(check(t, x, table.codes, part.row, begin, end, ROOM))

    found = max(crew.share(part.size, wrong, SMALLEST, _teller(table, part.name, part.base, watch)))
    if found >= 0:
        raise TableError(
            f"the value of number {found} of slice {part.name} is wrong; delete the file and solve the game again"
        )


def _teller(table: EndgameTable, name: str, base: int, watch: Watch | None) -> Callable[[int], None]:
    done = base
    next_report = 0.0

    def tell(count: int) -> None:
        nonlocal done, next_report
        done += count
        now = time.monotonic()
        if watch and now >= next_report:
            next_report = now + SECONDS_BETWEEN_REPORTS
            watch(SolveProgress(name, "checking", done, table.index.size))

    return tell
