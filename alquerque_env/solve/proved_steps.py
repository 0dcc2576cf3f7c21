"""The steps and values of a certificate, for who plays by a proof."""

import hashlib
import json
import lzma
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from ..errors import TableError
from ..game.game import Game
from ..game.step import PASS, Step
from ..match.match import Match
from .tables.table_file import tables_folder

MAGIC = "alquerque certificate 1"
SHIPPED = Path(__file__).parent / "solved"  # certificates that come with the package
_NO_STEPS = ("*", "?")
_KEY_BYTES = 16
_DAMAGE = (ValueError, EOFError, lzma.LZMAError, LookupError, TypeError, AttributeError)  # raised by a damaged file


class _OtherRulesError(TableError):
    """A certificate of another game or of other options."""


class ProvedSteps:
    """A step for each position of a proof in which the side that succeeds is to move.

    Attributes:
      wins: Whether these steps win; otherwise they do not lose.

    Raises:
      TableError: If the file cannot be read, or is no certificate of the game with its options.
    """

    def __init__(self, game: Game, path: Path) -> None:
        self._game, self.wins = game, False
        places: dict[str, int] = {}
        keys, steps = [], []
        claims: list[tuple[int, bool, list[bytes]]] = []  # who succeeds, whether by a win, and in which positions
        try:
            with lzma.open(path, "rt", encoding="utf-8") as file:
                _read_header(file, game, path)
                for line in file:
                    position, _, how = line.rstrip("\n").partition(" ")
                    if position == "=":
                        self.wins = how.endswith(" wins")
                        named = int(how.startswith("player_1"))
                        claims.append((named if self.wins else 1 - named, self.wins, []))
                        continue
                    claims[-1][2].append(key := _key(position))
                    if how not in _NO_STEPS:
                        keys.append(key)
                        steps.append(places.setdefault(how, len(places)))
        except _OtherRulesError:
            raise
        except OSError as error:
            raise TableError(f"cannot read certificate {path}: {error.strerror or error}") from None
        except _DAMAGE:
            raise TableError(f"{path} is damaged or no certificate") from None
        order = np.argsort(_as_array(keys))
        self._keys, self._steps = _as_array(keys)[order], np.array(steps, np.int32)[order]
        self._texts = list(places)
        self._claims = [(player, wins, np.sort(_as_array(known))) for player, wins, known in claims]

    def find(self, match: Match) -> Step | None:
        """The step of the proof; None if the proof does not have the position."""
        place = _place(self._keys, _key(match.position))
        if place is None:
            return None
        steps = {step_text(self._game, match.player, step.action): step for step in match.legal_steps}
        return steps.get(self._texts[self._steps[place]])

    def bounds(self, match: Match) -> tuple[int, int] | None:
        """The least and the most that the player to move gets: 1 a win, 0 a draw, -1 a loss.

        None if the proof does not have the position.
        """
        key, least, most = _key(match.position), -1, 1
        for player, wins, keys in self._claims:
            if _place(keys, key) is None:
                continue
            if player == match.player:
                least = max(least, int(wins))
            else:
                most = min(most, -int(wins))
        return None if (least, most) == (-1, 1) else (least, most)


def present_proof(game: Game) -> tuple[ProvedSteps | None, str]:
    """The proof of the start of a game, `GAME.xz` in the folder of tables or in the package.

    Returns:
      The proof; None if there is none that can be read and has these options. A sentence about a file that cannot be
      read; empty if there is none.
    """
    damage = ""
    for folder in (tables_folder(), SHIPPED):
        path = folder / f"{game.name}.xz"
        if not path.exists():
            continue
        try:
            return ProvedSteps(game, path), damage
        except _OtherRulesError:
            pass
        except TableError as error:
            damage = str(error)
    return None, damage


def has_proof(game: Game) -> bool:
    """Whether there is a proof of the start of a game, of which only the beginning is read."""
    for folder in (tables_folder(), SHIPPED):
        with suppress(TableError, OSError, *_DAMAGE), lzma.open(folder / f"{game.name}.xz", "rt") as file:
            return _read_header(file, game, folder) == Match(game).position
    return False


def _read_header(file: TextIO, game: Game, path: Path) -> str:
    """Reads the position that a certificate is about; refuses one of other rules."""
    magic, header = (line.rstrip("\n") for line in islice(file, 2))
    told = json.loads(header)
    if magic != MAGIC:
        raise ValueError(magic)
    rules = game.name, game.file_text or "", dict(game.options)
    if (told["game"], told.get("game_file", ""), told["options"]) != rules:
        raise _OtherRulesError(f"{path} is no certificate of {game.name} with {rules[2]}")
    return str(told["position"])


def _key(position: str) -> bytes:
    """A digest of a position, so long that no two positions have the same."""
    return hashlib.blake2b(position.encode(), digest_size=_KEY_BYTES).digest()


def _as_array(keys: Sequence[bytes]) -> np.ndarray:
    return np.array(keys, f"S{_KEY_BYTES}")


def _place(keys: np.ndarray, key: bytes) -> int | None:
    """The place of a key among sorted ones; None if it is not there."""
    (sought,) = _as_array([key])
    place = int(np.searchsorted(keys, sought))
    return place if place < len(keys) and keys[place] == sought else None


def step_text(game: Game, player: int, action: int) -> str:
    """A step as its points; a capture with the point of its victim."""
    step = game.steps[player][action]
    if step is None:
        return PASS
    victims = "".join(f"^{game.board.labels[point]}" for point in step.captured)
    return step.text if step.text.endswith(victims) else step.text + victims
