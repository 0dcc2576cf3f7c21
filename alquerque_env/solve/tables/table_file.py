"""Table files: a JSON header and the values of each slice in compressed blocks, all with checksums.

The first line is `alquerque endgame table 1`. The second line is the SHA-256 of the header and the header. The blocks
follow without gaps. A block holds, for each number, a place in the header's list of codes: one byte, or two if there
are more than 256 codes. Values of positions with compulsory captures are left out, since they follow from the positions
after them; the place before them is repeated, which costs next to nothing.

Tables are kept in the user's cache directory, under the game's name and the hash of its rules. The environment variable
`ALQUERQUE_TABLES` names another folder.
"""

import hashlib
import json
import lzma
import os
import shlex
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, BinaryIO

import numpy as np

from ...errors import TableError, made_for_other_rules, shorten
from ...files.atomic import open_whole
from ...files.regular import open_regular
from ...files.release import fetched_folder
from ...files.schema import Key, parse
from ...files.user_folders import user_cache_folder
from ...game.game import Game
from ...game.options import OptionValue
from ...match.match import Match
from ..notes import cannot_write
from .index import least_pieces
from .value_codes import ENDLESS

MAGIC = b"alquerque endgame table 1\n"
SUFFIX = ".aqt"
WHOLE = Path(__file__).parents[1] / "whole"  # tables of whole games that come with the package
FEW = Path(__file__).parents[1] / "few"  # tables of few pieces that come with the package
BLOCK = 1 << 20  # numbers of a block

_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6}]


_Count = Annotated[int, Key(low=0)]


@dataclass(frozen=True)
class SliceNotes:
    """What a table file says of a slice."""

    name: str  # as `index.Slice.name`
    player: Annotated[int, Key(low=0, high=1)]
    own: tuple[_Count, _Count]  # numbers of men and of kings of the player to move
    enemy: tuple[_Count, _Count]
    positions: _Count  # of which so many are `won`, `drawn` or `lost`
    won: _Count
    drawn: _Count
    lost: _Count
    endless: _Count  # how many of these are won or lost by endless play
    longest: _Count  # the most plies to the end under best play
    size: Annotated[int, Key(low=1)]  # how many numbers it has
    blocks: tuple[tuple[Annotated[int, Key(low=1)], str], ...]  # for each block its length in bytes and its SHA-256


@dataclass(frozen=True)
class Header:
    """The header of a table file."""

    game: str  # game, options and table_hash are the rules
    options: dict[str, OptionValue]
    table_hash: str
    pieces: int  # the most pieces on the board
    # The list of codes, the most frequent first.
    codes: Annotated[tuple[Annotated[int, Key(low=-ENDLESS, high=ENDLESS)], ...], Key(low=1)]
    # For each group of slices the notes of `clock.ClockStudy`, if plies without progress are limited.
    groups: tuple[dict[str, int], ...]
    slices: Annotated[tuple[SliceNotes, ...], Key(low=1)]
    seconds: float  # of processor time that it took to make, earlier work included


def compress(places: np.ndarray) -> bytes:
    """A block of places in the list of codes, compressed."""
    return lzma.compress(places.tobytes(), lzma.FORMAT_RAW, filters=_FILTERS)


def write_table(path: Path, header: Header, blocks: Iterator[bytes]) -> None:
    """Writes a table file completely or not at all (`TableError`)."""
    text = json.dumps(asdict(header), separators=(",", ":")).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_whole(path) as file:
            file.write(MAGIC + hashlib.sha256(text).hexdigest().encode() + b" " + text + b"\n")
            file.writelines(blocks)
    except OSError as error:
        raise cannot_write(path, error) from None


class TableFile:
    """A table file. Its blocks are read when they are needed. `TableError` if it is no table or damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open_regular(path) as file:
                self.header = self._read_header(file)
                self._first = file.tell()
            size = path.stat().st_size
        except OSError as error:
            raise TableError(f"cannot read table {path}: {error.strerror or error}") from None
        lengths = [length for part in self.header.slices for length, _ in part.blocks]
        if size != self._first + sum(lengths):
            raise TableError(
                f"{path} is damaged: it has {size} bytes, expected {self._first + sum(lengths)}; solve the game again"
            )

    def check_game(self, game: Game) -> None:
        """Refuses the table of another game or of other options, or of more pieces than the game has."""
        header, most = self.header, sum(game.most_pieces)
        # A table that was built before the game had an option does not name it; then the hash decides.
        if (header.game, {**game.options, **header.options}) != (game.name, dict(game.options)):
            raise TableError(
                f"{self.path} is a table of {header.game} with {header.options}, "
                f"not of {game.name} with {dict(game.options)}"
            )
        if header.table_hash != game.table_hash:
            arguments = [*game.option_arguments, "--pieces", str(header.pieces), "-o", str(self.path)]
            remedy = f"build it again with: alquerque solve {game.command_argument} {shlex.join(arguments)}"
            what = f"endgame table {self.path}"
            raise TableError(made_for_other_rules(what, header.table_hash, game.table_hash, remedy))
        least = least_pieces(game)
        if not least <= header.pieces <= most:
            raise TableError(
                f"{self.path} is a table of {header.pieces} pieces, {game.name} has from {least} to {most}"
            )

    def has_sizes(self, sizes: list[int]) -> bool:
        """Whether its slices have the sizes that this version of the package gives them."""
        return [part.size for part in self.header.slices] == sizes

    def check_blocks(self) -> None:
        """Checks all blocks against their checksums."""
        try:
            with open_regular(self.path) as file:
                file.seek(self._first)
                for part in self.header.slices:
                    for block in part.blocks:
                        self._read_block(file, part.name, *block)
        except OSError as error:
            raise TableError(f"cannot read table {self.path}: {error.strerror or error}") from None

    def read_slice(self, number: int) -> np.ndarray:
        """int16 `[size]`, the codes of a slice; raises `TableError` if a block is damaged."""
        part = self.header.slices[number]
        before = self.header.slices[:number]
        place = self._first + sum(length for other in before for length, _ in other.blocks)
        codes = np.array(self.header.codes, np.int16)
        kind = np.uint8 if len(codes) <= 256 else np.uint16
        found = np.empty(part.size, np.int16)
        with open_regular(self.path) as file:
            file.seek(place)
            for first, block in zip(range(0, len(found), BLOCK), part.blocks, strict=True):
                wanted = found[first : first + BLOCK]
                data = _decompress(self._read_block(file, part.name, *block), wanted.size * kind(0).itemsize)
                if data is None or (places := np.frombuffer(data, kind)).max() >= len(codes):
                    raise self._damaged(part.name)
                wanted[:] = codes[places]
        return found

    def _read_block(self, file: BinaryIO, name: str, length: int, checksum: str) -> bytes:
        data = file.read(length)
        if hashlib.sha256(data).hexdigest() != checksum:
            raise self._damaged(name)
        return data

    def _damaged(self, name: str) -> TableError:
        return TableError(f"{self.path} is damaged in slice {shorten(name)}; solve the game again")

    def _read_header(self, file: BinaryIO) -> Header:
        if file.read(len(MAGIC)) != MAGIC:
            raise TableError(f"{self.path} is not an endgame table of this version of the package")
        checksum, _, text = file.readline().rstrip(b"\n").partition(b" ")
        if hashlib.sha256(text).hexdigest().encode() != checksum:
            raise TableError(f"the header of {self.path} is damaged; solve the game again")
        another = TableError(f"{self.path} was made by another version of the package; solve the game again")
        try:
            header = parse(Header, json.loads(text), str(self.path), TableError)
        except (ValueError, RecursionError):
            raise another from None
        if any(len(part.blocks) != -(-part.size // BLOCK) for part in header.slices):
            raise another
        return header


def _decompress(data: bytes, size: int) -> bytes | None:
    """The `size` bytes that were compressed; None if they are of another size or damaged. Unpacks no more than that."""
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
    try:
        found = unpacker.decompress(data, size)
        more = b"" if unpacker.eof else unpacker.decompress(b"", 1)
    except (lzma.LZMAError, EOFError):
        return None
    return found if len(found) == size and not more else None


def tables_folder() -> Path:
    """The folder of tables."""
    chosen = os.environ.get("ALQUERQUE_TABLES")
    return Path(chosen) if chosen else user_cache_folder() / "tables"


def table_path(game: Game, pieces: int) -> Path:
    """The file of the table of a game with at most `pieces` pieces."""
    return tables_folder() / table_name(game, pieces)


def table_name(game: Game, pieces: int) -> str:
    """The name of that file."""
    return f"{_stem(game)}-{pieces}{SUFFIX}"


def verification_folder(path: Path) -> Path:
    """The folder of the unfinished verification of a table: beside it, or among the user's tables if it is shipped."""
    place = tables_folder() if path.parent in (WHOLE, FEW) else path.parent
    return place / f"{path.name}.verify"


def pieces_of(path: Path) -> int:
    """The most pieces of the table in a file, by its name; 0 for another name."""
    pieces = path.name.removesuffix(SUFFIX).rpartition("-")[2]
    return int(pieces) if pieces.isdecimal() else 0


def proof_folder(match: Match, pieces: int) -> Path:
    """The folder of a proof-number search from a position, with a table of `pieces` pieces."""
    position = hashlib.sha256(match.position.encode()).hexdigest()[:8]
    return tables_folder() / f"{_stem(match.game)}-{position}-{pieces}.proof"


def find_table(game: Game, *, shipped: bool = False) -> Path:
    """The file of the table of a game with the most pieces; raises `TableError` if there is or can be none.

    Args:
      game: The game.
      shipped: Whether a table that comes with the package will do, too, of the whole game or of few pieces.
    """
    game.check_fits("an endgame table", TableError)
    found = (shipped_tables(game) if shipped else {}) | _tables_in(tables_folder(), game)
    if not found:
        command = " ".join(["alquerque solve", game.command_argument, *game.option_arguments, "--pieces 5"])
        raise TableError(f"there is no endgame table of {game.name} yet: build one with {command}")
    return found[max(found)]


def shipped_tables(game: Game) -> dict[int, Path]:
    """The files of the tables of a game that come with the package or were fetched, by their most pieces."""
    fetched = fetched_folder() / "alquerque_env" / "solve"
    folders = fetched / "few", fetched / "whole", FEW, WHOLE
    return {pieces: path for folder in folders for pieces, path in _tables_in(folder, game).items()}


def _tables_in(folder: Path, game: Game) -> dict[int, Path]:
    paths = folder.glob(f"{_stem(game)}-*{SUFFIX}")
    return {pieces_of(path): path for path in paths if pieces_of(path) > 0}


def _stem(game: Game) -> str:
    return f"{game.name}-{game.table_hash}"
