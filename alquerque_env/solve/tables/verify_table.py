"""Verifies a table: compares every value with the values of the positions after each turn."""

from ...errors import TableError
from .probe import find_wrong_value
from .slices import Reports, Watch
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
    reports = Reports(watch, table.index.size)
    with ThreadPool(threads) as pool:
        for part in table.index.slices:

            def find_wrong(begin: int, end: int, row: int = part.row) -> int:
                return find_wrong_value(table.data, row, begin, end, LONGEST_LINE)

            report = reports.counter(part.name, "checking", part.base)
            found = max(pool.map_ranges(part.size, find_wrong, SMALLEST, report))
            if found >= 0:
                raise TableError(
                    f"the value of number {found} of slice {part.name} is wrong; "
                    f"delete the file and solve the game again"
                )
    return sum(part["positions"] for part in table.header.slices)
