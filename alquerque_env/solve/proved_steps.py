"""The steps of a proof, packed, for who plays by it. `ProvedSteps` runs on the static page too.

A file `GAME.steps` is compressed by gzip. It has a line of JSON, as in `Header`, then the data of each section: where
the positions of each bucket begin, the rest of their numbers, and the place of each one's step among its legal actions.
"""

import gzip
import json
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..engine import rules_scalar as rules
from ..errors import AlquerqueError, TableError
from ..files.schema import Key, parse
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from .tables.table_file import tables_folder

if TYPE_CHECKING:
    from .tables.match_values import MatchValues

FORMAT = "alquerque steps 1"
SUFFIX = ".steps"
SHIPPED = Path(__file__).parent / "solved"  # proofs that come with the package

BUCKETS = 1 << 16
BEGIN_SIZE, REST_SIZE = 3, 4  # bytes
NUMBER_BITS = 48  # of a bucket and the rest together
_KEY_BITS = 63
_CLOCK_FACTOR = 0x1F83D9ABFB41BD6B
_DAMAGE = (ValueError, EOFError, zlib.error, LookupError, AlquerqueError)  # raised by a damaged file


@dataclass(frozen=True)
class Section:
    """What is proved of one player.

    Attributes:
      player: The player that succeeds.
      wins: Whether it wins; otherwise it does not lose.
      positions: How many positions have a step.
    """

    player: Annotated[int, Key(low=0, high=1)]
    wins: bool
    positions: Annotated[int, Key(low=0, high=(1 << 8 * BEGIN_SIZE) - 1)]

    @property
    def size(self) -> int:
        """Bytes of its data."""
        return BEGIN_SIZE * (BUCKETS + 1) + (REST_SIZE + 1) * self.positions


@dataclass(frozen=True)
class Header:
    """The first line of a file.

    Attributes:
      format: FORMAT.
      game: The game, for people.
      table_hash: Of its rules.
      position: The first position of the proof.
      table_pieces: The endgame table that decides positions of so many pieces; 0 without one.
      sections: One, or two of a draw.
    """

    format: str
    game: str
    table_hash: str
    position: str
    table_pieces: Annotated[int, Key(low=0)]
    sections: tuple[Section, ...]


class ProvedSteps:
    """A step for each position of a proof in which the side that succeeds has a choice.

    A position is known by 48 bits of a hash. So one outside the proof is taken for one of its `n` positions with a
    probability of `n / 2 ** 48`. A complete walk of `exploit` shows that no positions of the proof are confused.

    Args:
      sections: As in `Header`.
      data: Those of all sections, as bytes.
      at: Where they begin.
    """

    def __init__(self, sections: Sequence[Section], data: Any, at: int = 0) -> None:
        self._sides: list[_Side] = []
        for section in sections:
            self._sides.append(_Side(section.player, section.wins, section.positions, data, at))
            at += section.size

    def find(self, match: Match) -> Step | None:
        """The step of the proof; None if the proof does not have the position, or no choice in it."""
        for side in self._sides:
            if side.player == match.player and (step := side.find(match)) is not None:
                return step
        return None

    def note(self, match: Match) -> str:
        """What is proved of a step that `find` returns."""
        wins = any(side.wins and side.find(match) for side in self._sides if side.player == match.player)
        return "proved: wins" if wins else "proved: does not lose"

    def bounds(self, match: Match, table: "MatchValues | None" = None) -> tuple[int, int] | None:
        """The least and the most that the player to move gets: 1 a win, 0 a draw, -1 a loss.

        Where the side that succeeds has no choice, the steps are followed to positions in which it has one, and to
        those that the rules or the table decide. None if these are not all known.
        """
        least, most = -1, 1
        for side in self._sides:
            if not side.holds(match, table):
                continue
            if side.player == match.player:
                least = max(least, int(side.wins))
            else:
                most = min(most, -int(side.wins))
        return None if (least, most) == (-1, 1) else (least, most)


class _Side:
    """The section of one player: its data begin at a place of `data`."""

    def __init__(self, player: int, wins: bool, positions: int, data: Any, at: int) -> None:
        self.player, self.wins, self._data, self._begins = player, wins, data, at
        self._rests = at + BEGIN_SIZE * (BUCKETS + 1)
        self._places = self._rests + REST_SIZE * positions

    def find(self, match: Match) -> Step | None:
        number = position_number(match)
        bucket, rest = number >> 8 * REST_SIZE, number & (1 << 8 * REST_SIZE) - 1
        low, high = (self._read(self._begins + BEGIN_SIZE * place, BEGIN_SIZE) for place in (bucket, bucket + 1))
        while low < high:
            middle = (low + high) // 2
            if self._read(self._rests + REST_SIZE * middle, REST_SIZE) < rest:
                low = middle + 1
            else:
                high = middle
        if low == self._read(self._begins + BEGIN_SIZE * (bucket + 1), BEGIN_SIZE):
            return None
        steps, place = match.legal_steps, self._data[self._places + low]
        if self._read(self._rests + REST_SIZE * low, REST_SIZE) != rest or not place < len(steps) > 1:
            return None
        return sorted(steps, key=_action)[place]

    def holds(self, match: Match, table: "MatchValues | None") -> bool:
        """Whether the rules, the table or the proof show that the player succeeds."""
        if match.outcome is not None:
            return match.outcome.winner == self.player or (match.outcome.winner is None and not self.wins)
        value = None if table is None else table.value(match)
        if value is not None:
            return (value if match.player == self.player else -value) >= int(self.wins)
        if match.player == self.player and len(match.legal_steps) > 1:
            return self.find(match) is not None
        ahead = match.copy()
        for step in match.legal_steps:
            ahead.push(step)
            if not self.holds(ahead, table):
                return False
            ahead.pop()
        return True

    def _read(self, at: int, size: int) -> int:
        number = 0
        for place in range(size):
            number |= self._data[at + place] << 8 * place
        return number


def _action(step: Step) -> int:
    return step.action


def position_number(match: Match) -> int:
    """The number by which a position is known, of `NUMBER_BITS` bits."""
    t, state = match.game.table.words, match.state
    return clocked_number(rules.position_key(t, state), state[STATE.QUIET] if t[TABLE.NO_PROGRESS_LIMIT] else 0)


def clocked_number(key: int, clock: int) -> int:
    """The number of a position from the engine's hash of it, and its plies without progress if they are limited."""
    return (int(key) + int(clock) * _CLOCK_FACTOR & (1 << _KEY_BITS) - 1) >> _KEY_BITS - NUMBER_BITS


def present_proof(game: Game) -> tuple[ProvedSteps | None, str]:
    """The proof of the start of a game, `GAME.steps` in the folder of tables or in the package.

    Returns:
      The proof; None if there is none that can be read and has these options. A sentence about a file that cannot be
      read; empty if there is none.
    """
    damage = ""
    for path in _paths(game):
        try:
            header, data = read_steps(path)
        except TableError as error:
            damage = str(error)
            continue
        if header.table_hash == game.table_hash:
            return ProvedSteps(header.sections, data), damage
    return None, damage


def has_proof(game: Game) -> bool:
    """Whether there is a proof of the start of a game, of which only the beginning is read."""
    for path in _paths(game):
        with suppress(OSError, *_DAMAGE), gzip.open(path) as file:
            header = _parse(file.readline(), path)
            return (header.table_hash, header.position) == (game.table_hash, Match(game).position)
    return False


def read_steps(path: Path) -> tuple[Header, bytes]:
    """Reads a file; raises `TableError` if it cannot be read or is damaged."""
    try:
        with gzip.open(path) as file:
            header, data = _parse(file.readline(), path), file.read()
        begins = [section.size for section in header.sections]
        if len(data) != sum(begins):
            raise ValueError(path)
    except OSError as error:
        if not isinstance(error, gzip.BadGzipFile):
            raise TableError(f"cannot read {path}: {error.strerror or error}") from None
        raise TableError(f"{path} is damaged or has no steps of a proof") from None
    except _DAMAGE:
        raise TableError(f"{path} is damaged or has no steps of a proof") from None
    return header, data


def _paths(game: Game) -> list[Path]:
    paths = [folder / f"{game.name}{SUFFIX}" for folder in (tables_folder(), SHIPPED)]
    return [path for path in paths if path.exists()]


def _parse(line: bytes, path: Path) -> Header:
    header = parse(Header, json.loads(line), path.name, TableError)
    if header.format != FORMAT:
        raise ValueError(path)
    return header
