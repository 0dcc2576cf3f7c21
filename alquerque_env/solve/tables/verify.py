"""Checks every value of a table against those of the positions after each turn."""

from ...errors import TableError
from .index import Slice
from .probe import check
from .slices import Reports, Watch
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
    reports = Reports(watch, table.index.size)
    with Crew(threads) as crew:
        for part in table.index.slices:
            _verify_slice(table, part, crew, reports)
    return sum(part["positions"] for part in table.header.slices)


def _verify_slice(table: EndgameTable, part: Slice, crew: Crew, reports: Reports) -> None:
    done = part.base

    def wrong(begin: int, end: int) -> int:
        t, x = table.index.rules, table.index.words
        return int(check(t, x, table.codes, part.row, begin, end, ROOM))

    def tell(count: int) -> None:
        nonlocal done
        done += count
        reports.tell(part.name, "checking", done)

    found = max(crew.share(part.size, wrong, SMALLEST, tell))
    if found >= 0:
        raise TableError(
            f"the value of number {found} of slice {part.name} is wrong; delete the file and solve the game again"
        )
