"""Builds a table file: plans the memory, solves, gathers statistics, compresses and writes."""

import hashlib
import shutil
import time
from functools import partial
from pathlib import Path

import numpy as np

from ...errors import TableError
from ...game.game import Game
from . import index_layout as x
from .index import Index
from .locations import table_path, work_folder
from .probe import encode
from .slices import SolveProgress, Solver, Watch, memory_needed
from .statistics import SliceCount, count_codes, describe
from .table_file import BLOCK, Header, TableFile, compress, write_table
from .threads import Crew

GIBIBYTE = 1 << 30


def build_table(
    game: Game,
    pieces: int,
    path: Path | str | None = None,
    *,
    memory: float = 16.0,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Path:
    """Solves all positions of a game with at most so many pieces and writes their values to a file.

    Ended by an exception, Ctrl-C included, it leaves its work in a folder beside the file, or in the user's cache
    directory, and the same call goes on with it. A file that holds this very table, undamaged, is left as it is.

    Args:
      game: The rules.
      pieces: The most pieces on the board, at least 2.
      path: The file; None for its place in the user's cache directory.
      memory: The most that may be used, in GiB.
      threads: How many kernels run at once; None for as many as there are processors.
      watch: Told now and then how far it is.

    Returns:
      The file.

    Raises:
      TableError: If it would take more memory, or a file cannot be read or written.
      RulesError: If what pieces may remember is too much to be numbered.
    """
    began = time.monotonic()
    index = plan(game, pieces, memory)
    target = table_path(game, pieces) if path is None else Path(path)
    folder = work_folder(game, pieces) if path is None else target.with_name(target.name + ".work")
    if _is_built(target, index):
        shutil.rmtree(folder, ignore_errors=True)
        return target
    solver = Solver(index, folder, threads, watch)
    values, notes = solver.run()
    counts = [count_codes(values, part) for part in index.slices]
    codes, blocks = _compress(index, values, counts, threads, watch)
    header = Header(
        game=game.name,
        options=dict(game.options),
        table_hash=game.table_hash,
        pieces=pieces,
        codes=codes,
        groups=notes,
        slices=[
            {**describe(part, count), "size": part.size, "blocks": _labels(found)}
            for part, count, found in zip(index.slices, counts, blocks, strict=True)
        ],
        seconds=round(time.monotonic() - began, 1),
    )
    write_table(target, header, (block for found in blocks for block in found))
    shutil.rmtree(folder, ignore_errors=True)
    return target


def plan(game: Game, pieces: int, memory: float) -> Index:
    """The index of a table, if it can be solved in so many GiB.

    Raises:
      TableError: If it takes more, there are no positions with so few pieces, or the start position is among them and
        has a rule of its own that other positions lead back to.
    """
    most = sum(len(side) for side in game.start)
    if not 2 <= pieces <= most:
        raise TableError(f"a table of {game.name} has from 2 to {most} pieces, not {pieces}")
    if pieces == most and game.opening is not None and game.rules.can_shuffle:
        raise TableError(
            f"{game.name} has an opening rule, which holds whenever its start position comes again, "
            f"so a table of all {most} pieces is not to be had: take fewer"
        )
    index = Index(game, pieces)
    needed = memory_needed(index) / GIBIBYTE
    if needed > memory:
        raise TableError(
            f"{game.name} with {pieces} pieces has {index.size:,} positions and needs {needed:.1f} GiB, "
            f"more than the {memory:g} allowed: take fewer pieces or allow more with --memory"
        )
    return index


def _is_built(path: Path, index: Index) -> bool:
    """Whether a file holds the table with this index, and the whole of it."""
    try:
        file = TableFile(path)
        file.check_game(index.game)
        file.check_blocks()
    except TableError:
        return False
    return file.has_sizes([part.size for part in index.slices])


def _compress(
    index: Index, values: np.ndarray, counts: list[SliceCount], threads: int | None, watch: Watch | None
) -> tuple[list[int], list[list[bytes]]]:
    """The codes that occur, the most frequent first, and the blocks of each slice: places in that list, compressed."""
    total = sum((count.codes for count in counts), start=np.zeros(1 << 16, np.int64))
    total[x.UNKNOWN - x.OUTSIDE] = 0
    indices = np.argsort(-total, kind="stable")[: np.count_nonzero(total)]
    book = np.zeros(1 << 16, np.int64)
    book[indices] = np.arange(len(indices))
    kind = np.uint8 if len(indices) <= 256 else np.uint16

    def compress_block(row: int, begin: int, end: int) -> bytes:
        places = np.zeros(end - begin, kind)
        encode(index.rules, index.words, values, row, begin, end, book, places, 0)
        return compress(places)

    blocks = []
    with Crew(threads) as crew:
        for part in index.slices:
            if watch:
                watch(SolveProgress(part.name, "compressing", part.base, index.size))
            blocks.append(crew.share(part.size, partial(compress_block, part.row), BLOCK))
    return (indices + x.OUTSIDE).tolist(), blocks


def _labels(blocks: list[bytes]) -> list[tuple[int, str]]:
    """Length and SHA-256 of each block."""
    return [(len(block), hashlib.sha256(block).hexdigest()) for block in blocks]
