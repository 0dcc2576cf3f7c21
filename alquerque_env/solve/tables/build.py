"""Builds a table: checks the memory it needs, solves it group by group, compresses its values and writes the file."""

import hashlib
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from ...errors import TableError
from ...game.array_check import python_number
from ...game.game import Game
from ...progress import Progress, Watch, unwatched
from ..notes import held
from .clock import ClockStudy
from .index import Index, Slice, has_clock, least_pieces, majority_wins
from .probe import encode
from .retrograde import LONGEST_TURN, GroupAnalysis
from .slice_statistics import count_codes, count_unreachable, describe_slice
from .table_file import BLOCK, Header, TableFile, compress, table_path, verification_folder, write_table
from .threads import Passes, ThreadPool
from .turn_values import Values, solve_numbers
from .value_codes import DRAWN, ENDLESS, OUTSIDE, UNKNOWN
from .work_folder import Work


def memory_needed(index: Index) -> int:
    """Bytes that solving takes: two for each position, more for each of the largest group, and the index."""
    largest = max(group[-1].end - group[0].base for group in index.groups)
    passes = 15 if has_clock(index) else 6 if majority_wins(index) else 3 * index.game.can_shuffle
    return (4 if has_clock(index) else 2) * index.size + passes * largest + 8 * index.entries


def solve(work: Work, each: Passes) -> np.ndarray:
    """Solves the groups that are not done; returns int16 `[N]` codes."""
    index, values = work.index, work.values
    clock = ClockStudy(index, values, work.limited, work.differs, each)
    for group in index.groups[len(work.done) :]:
        each.begin(group)
        if not index.game.can_shuffle:
            _solve_bottom_up(index, values, group, each)
        else:
            analysis = GroupAnalysis(index, values, group, each)
            analysis.solve()
            is_left = analysis.is_left
            if not majority_wins(index):
                analysis.values[is_left] = DRAWN
            if majority_wins(index) or has_clock(index):
                winners = clock.play(group)[is_left]
                analysis.values[is_left] = np.where(winners == 0, DRAWN, winners * np.int16(ENDLESS))
        work.finish(clock.finish(group))
    return values


def _solve_bottom_up(index: Index, values: np.ndarray, group: tuple[Slice, ...], each: Passes) -> None:
    """Solves a group in which no position can recur."""
    data = Values(index.rules, index.words, np.asarray(values))
    # A piece that walks forward and sideways without turning back enters no point twice before the next capture.
    length = 2 * LONGEST_TURN + 2 * len(index.game.board.points) * index.pieces

    def task(row: int, begin: int, end: int) -> int:
        return int(solve_numbers(data, row, begin, end, length))

    if max(each(group, "working out", 1.0, task)) >= 0:
        raise TableError(f"a match in slice {group[0].name} has more than {length} steps")


GIBIBYTE = 1 << 30


def build_table(
    game: Game,
    pieces: int,
    path: Path | str | None = None,
    *,
    memory: float = 16.0,
    threads: int | None = None,
    watch: Watch = unwatched,
    note: Callable[[str], None] | None = None,
) -> Path:
    """Solves all positions of a game with at most `pieces` pieces and writes their values to a file.

    An undamaged file of this very table is left as it is. After an exception, Ctrl-C included, the unfinished work
    stays in a folder beside the file, and the same call checks and resumes it. While another process builds the same
    file, the call waits, and then returns the file.

    Args:
      game: The rules.
      pieces: The most pieces on the board, at least 2.
      path: The file; None for its place in the user's cache directory.
      memory: The most memory to use, in GiB.
      threads: How many kernels run at once; None for one per processor.
      watch: Called now and then with the progress.
      note: Called with a sentence that names the process for which the call waits.

    Returns:
      The file.

    Raises:
      TableError: If it needs more memory, or a file cannot be read or written.
      RulesError: If pieces can have too many no-undo memories.
    """
    pieces = python_number(pieces)
    index = plan(game, pieces, memory)
    target = table_path(game, pieces) if path is None else Path(path)
    folder = target.with_name(target.name + ".work")
    with held(target, note):
        if not is_built(target, index):
            _build(index, target, folder, threads, watch)
            shutil.rmtree(verification_folder(target), ignore_errors=True)  # of an older table
        shutil.rmtree(folder, ignore_errors=True)  # under the lock, so that nobody else has its files open
    return target


def _build(index: Index, target: Path, folder: Path, threads: int | None, watch: Watch) -> None:
    """Solves an index in a folder and writes the table."""
    game = index.game
    work = Work(index, folder, code=__file__, watch=watch)
    with ThreadPool(threads) as pool:
        values = solve(work, Passes(index, pool, watch))
        began = time.process_time()
        counts = [count_codes(values, part) for part in index.slices]
        codes, blocks = _compress(index, values, counts, pool, watch)
        for part, count in zip(index.slices, counts, strict=True):
            watch(Progress("counting", part.base, index.size, part.name))
            count -= count_unreachable(index, values, part, pool)
    header = Header(
        game=game.name,
        options=dict(game.options),
        table_hash=game.table_hash,
        pieces=index.pieces,
        codes=tuple(codes),
        groups=tuple(work.done),
        slices=tuple(
            describe_slice(part, count, tuple((len(block), hashlib.sha256(block).hexdigest()) for block in found))
            for part, count, found in zip(index.slices, counts, blocks, strict=True)
        ),
        seconds=round(work.seconds + time.process_time() - began, 1),
    )
    write_table(target, header, (block for found in blocks for block in found))


def plan(game: Game, pieces: int, memory: float) -> Index:
    """The index of a table that can be solved in `memory` GiB.

    Raises `TableError` if the board has too many points, if it needs more memory, if there are no positions with that
    many pieces, or if the start position is among them, has an opening rule and can recur.
    """
    game.check_fits("an endgame table", TableError)
    least, most = least_pieces(game), sum(game.most_pieces)
    if not least <= pieces <= most:
        raise TableError(f"a table of {game.name} has from {least} to {most} pieces, not {pieces}")
    if pieces == most and game.opening is not None and game.can_shuffle:
        raise TableError(
            f"{game.name} has an opening rule, which applies whenever the start position recurs, "
            f"so a table of all {most} pieces is impossible: take fewer"
        )
    index = Index(game, pieces)
    needed = memory_needed(index) / GIBIBYTE
    if needed > memory:
        raise TableError(
            f"{game.name} with {pieces} pieces has {index.size:,} positions and needs {needed:.1f} GiB, "
            f"more than the {memory:g} allowed: take fewer pieces or allow more with --memory"
        )
    return index


def is_built(path: Path, index: Index) -> bool:
    """Whether a file is an undamaged table with this index."""
    try:
        file = TableFile(path)
        file.check_game(index.game)
        file.check_blocks()
    except TableError:
        return False
    return file.has_sizes([part.size for part in index.slices])


def _compress(
    index: Index, values: np.ndarray, counts: list[np.ndarray], pool: ThreadPool, watch: Watch
) -> tuple[list[int], list[list[bytes]]]:
    """The codes that occur, the most frequent first, and the compressed blocks of each slice."""
    total = np.sum(counts, axis=0)
    total[UNKNOWN - OUTSIDE] = 0
    codes = np.argsort(-total, kind="stable")[: np.count_nonzero(total)]
    places = np.zeros(1 << 16, np.int64)
    places[codes] = np.arange(len(codes))
    kind = np.uint8 if len(codes) <= 256 else np.uint16
    data = Values(index.rules, index.words, np.asarray(values))

    def compress_block(row: int, begin: int, end: int) -> bytes:
        encoded = np.zeros(end - begin, kind)
        encode(data, row, begin, end, places, encoded)
        return compress(encoded)

    blocks = []
    for part in index.slices:
        watch(Progress("compressing", part.base, index.size, part.name))
        blocks.append(pool.map_ranges(part.size, partial(compress_block, part.row), BLOCK))
    return (codes + OUTSIDE).tolist(), blocks
