"""Verifies a table: compares every value with the values of the positions after each turn."""

from functools import partial

from ...errors import TableError
from .index import Slice
from .probe import find_wrong_value
from .slices import SolveProgress, Watch
from .table import LONGEST_LINE, EndgameTable
from .threads import SMALLEST, ThreadPool


def verify_table(table: EndgameTable, threads: int | None = None, watch: Watch | None = None) -> int:
    """Verifies every value that the file of a table holds; the others follow from them.

    Args:
      table: The table to verify.
      threads: How many kernels run at once; None for one per processor.
      watch: Called now and then with the progress.

    Returns:
      The number of positions in the table.

    Raises:
      TableError: If a value is wrong; the message names the slice and the number.
    """
    table.load()
    with ThreadPool(threads) as pool:
        for part in table.index.slices:

            def report(done: int, part: Slice = part) -> None:
                if watch:
                    watch(SolveProgress(part.name, "checking", part.base + done, table.index.size))

            find_wrong = partial(find_wrong_value, table.data, part.row, length=LONGEST_LINE)
            found = max(pool.map_ranges(part.size, find_wrong, SMALLEST, report))
            if found >= 0:
                raise TableError(
                    f"the value of number {found} of slice {part.name} is wrong; "
                    f"delete the file and solve the game again"
                )
    return sum(part.positions for part in table.header.slices)
