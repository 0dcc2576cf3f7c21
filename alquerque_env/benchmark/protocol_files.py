"""The files of a protocol, protected by checksums in `SHA256SUMS`."""

import hashlib
from pathlib import Path

from ..errors import BenchmarkError, made_for_other_rules
from ..files.atomic import write_whole
from ..files.lock import locked_file
from ..game.game import Game

SUMS = "SHA256SUMS"


def read_checked(folder: Path, name: str) -> tuple[str, str]:
    """Reads the text of a file in the folder of a protocol, and its SHA-256.

    Raises:
      BenchmarkError: If it is missing, or its checksum differs.
    """
    try:
        data = (folder / name).read_bytes()
    except FileNotFoundError:
        raise BenchmarkError(f"benchmark {folder.name} has no {name}") from None
    found, expected = _sum(data), _read_sums(folder).get(name)
    if found != expected:
        raise BenchmarkError(
            f"benchmark {folder.name}: {name} is damaged: its SHA-256 is {found[:12]}…, "
            f"expected {expected[:12] + '…' if expected else 'none'}"
        )
    return data.decode(), found


def check_rules(kind: str, benchmark: str, table_hash: str, game: Game) -> None:
    """Checks that a file was made for the rules of a game.

    Raises:
      BenchmarkError: If its hash is not that of the game.
    """
    if game.option_arguments:
        raise BenchmarkError(f"only the default options are measured, not {' '.join(game.option_arguments)}")
    if table_hash != game.table_hash:
        what = f"the {kind} of {game.name} in benchmark {benchmark}"
        remedy = f"make it again with: alquerque benchmark --make-{kind} {game.name}"
        raise BenchmarkError(made_for_other_rules(what, table_hash, game.table_hash, remedy))


def write_checked(folder: Path, name: str, text: str) -> None:
    """Writes a file and its checksum.

    Raises:
      OSError: If they cannot be written.
    """
    data = text.encode()
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    with locked_file(folder / SUMS, waiting=lambda _sentence: None):  # others write their checksums too
        write_whole(folder / name, data)
        sums = _read_sums(folder) | {name: _sum(data)}
        write_whole(folder / SUMS, "".join(f"{value}  {file}\n" for file, value in sorted(sums.items())).encode())


def _read_sums(folder: Path) -> dict[str, str]:
    """The checksum of each file; the format is that of the program sha256sum."""
    file = folder / SUMS
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return {name: value for value, _, name in (line.partition("  ") for line in lines)}


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
