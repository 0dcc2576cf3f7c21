"""Writes the endgame table of a game for the static page, which has neither NumPy nor LZMA."""

import gzip

import numpy as np

from ...files.browser_json import write_json
from ...game import table_layout as TABLE
from ...game.game import Game
from ...solve.tables import EndgameTable, index_layout as INDEX
from ...solve.tables.build import plan
from ...solve.tables.probe import CAPTURES
from ...solve.tables.table import UnderLimit
from ...solve.tables.table_file import shipped_tables
from ...solve.tables.value_codes import DRAWN, ENDLESS, LOST, WON
from .carried_tables import place_of_code

MOST_POSITIONS = 10_000_000  # a byte each in the memory of the page
ALWAYS = 1 << 20  # more plies than any match has


def site_table(game: Game) -> EndgameTable | None:
    """The table that comes with the package and has the most pieces among those that a page can hold."""
    for pieces, path in sorted(shipped_tables(game).items(), reverse=True):
        if plan(game, pieces, float("inf")).size <= MOST_POSITIONS:
            return EndgameTable(game, path)
    return None


def table_data(table: EndgameTable) -> bytes:
    """A line of JSON, and a byte for each number: the place of its code in the list of codes; compressed by gzip.

    Whether a value holds after some plies without progress is written out: for each slice, and at last for turns that
    capture, the most plies with which each code holds, -1 if it never does.
    """
    table.load()
    codes = np.unique(table.codes)
    if len(codes) > 256:
        raise ValueError(f"{len(codes)} codes do not fit into a byte")
    header = {
        "pieces": table.pieces,
        "codes": codes.tolist(),
        "index": [int(word) for word in table.index.words],
        "latest": _latest_clocks(table, int(np.abs(codes[np.abs(codes) != ENDLESS]).max()) - WON),
    }
    data = write_json(header) + b"\n" + np.searchsorted(codes, table.codes).astype(np.uint8).tobytes()
    return gzip.compress(data, compresslevel=7, mtime=0)  # a hundredth more than by 9, in a quarter of the time


def _latest_clocks(table: EndgameTable, longest: int) -> list[list[int]]:
    plies = range(longest + table.pieces + 1)  # captures that the table leaves out make a win longer
    codes = [DRAWN, ENDLESS, -ENDLESS, *(code for ply in plies for code in (WON + ply, LOST - ply))]
    assert [place_of_code(code) for code in codes] == list(range(len(codes)))
    under_limit = UnderLimit(table.index, table.header.groups)
    last = max(1, int(table.game.table.words[TABLE.NO_PROGRESS_LIMIT]))
    rows = [INDEX.HEAD + INDEX.ROW_SIZE * place for place in range(len(table.index.slices))]
    every, clocks = np.repeat(np.array(codes, np.int16), last + 1), np.tile(np.arange(last + 1), len(codes))
    found = []
    for row in (*rows, CAPTURES):
        holds = under_limit.holds(every, clocks, np.full(len(every), row)).reshape(len(codes), last + 1)
        latest = holds.sum(1) - 1  # what holds has held before
        found.append(np.where(latest == last, ALWAYS, latest).tolist())
    return found
