"""The small drawn games for training, validation and test, and their tables."""

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ..errors import AlquerqueError, UnknownNameError
from ..files.lock import locked_file
from ..game.array_check import check_at_least
from ..game.game import Game
from ..solve.tables import EndgameTable, build_table, load_table
from ..solve.tables.table_file import table_name, tables_folder
from ..solve.tables.whole import whole_pieces
from .games import DISTRIBUTION, draw_game

TRAIN, VALIDATION, TEST = "train", "validation", "test"
SPLITS: Mapping[str, range] = MappingProxyType(
    {TRAIN: range(10_000), VALIDATION: range(10_000, 11_000), TEST: range(11_000, 12_000)}
)
"""The seeds of each split. No game is that of another split, or one of the package, but for symmetry and names.

The test games have 200 critical natural positions at least. Nothing may be trained on them.
"""

MOST_BYTES = 1 << 30  # of tables of drawn games on disk; the ones that were used longest ago are deleted


class DrawnGame(NamedTuple):
    """A drawn game and the table of all its positions.

    Attributes:
      game: The game.
      table: The table.
    """

    game: Game
    table: EndgameTable


def seeds_of(split: str, count: int | None = None) -> range:
    """The first seeds of a split; all if `count` is None.

    Raises:
      UnknownNameError: If there is no such split.
      AlquerqueError: If it has fewer seeds.
    """
    if split not in SPLITS:
        raise UnknownNameError("split", split, SPLITS)
    seeds = SPLITS[split]
    if count is not None and check_at_least(1, "count", count) > len(seeds):
        raise AlquerqueError(f"count is {count}, but the split {split!r} has {len(seeds)} games")
    return seeds[:count]


def drawn_games(split: str, count: int | None = None) -> Iterator[DrawnGame]:
    """Yields the games of a split with the tables of all their positions.

    A table is built when it is used for the first time, which takes about a second, and kept in the user's cache
    directory, see `MOST_BYTES`.

    Args:
      split: "train", "validation" or "test".
      count: How many games, from the first one on; None for all.

    Raises:
      UnknownNameError, AlquerqueError: As `seeds_of`.
      OSError: If a table cannot be written.
    """
    return (DrawnGame(game, table_of(game)) for game in map(draw_game, seeds_of(split, count)))


def table_of(game: Game) -> EndgameTable:
    """The table of a drawn game, built if it is not there."""
    folder = tables_folder() / DISTRIBUTION
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / table_name(game, whole_pieces(game))
    if path.exists():
        now = time.time_ns()  # finer than the clock of the file system, which tells quick draws not apart
        os.utime(path, ns=(now, now))
    else:
        build_table(game, whole_pieces(game), path, threads=1)
        _delete_oldest(folder, path)
    return load_table(game, path)


def _delete_oldest(folder: Path, newest: Path) -> None:
    # The lock of the folder itself would take the files that other processes write there for those of killed ones.
    with locked_file(folder / "size", waiting=lambda _who: None):
        files = [(path.stat().st_mtime_ns, path.stat().st_size, path) for path in folder.glob(f"*{newest.suffix}")]
        too_many = sum(size for _, size, _ in files) - MOST_BYTES
        for _, size, path in sorted(files):
            if too_many <= 0:
                return
            if path != newest:
                path.unlink(missing_ok=True)
                too_many -= size
