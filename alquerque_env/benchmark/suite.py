"""Suites of positions with known exact values, one file per game, made from endgame tables.

The first line of a file says how it was made; each further line is a position:

    {"position": "W:Wa1,c3:Be5", "value": 1, "distance": 5, "steps": "+=-+", "unique": false}

`value` and `steps` are for the player to move: `+` a win, `=` a draw, `-` a loss, one sign for each legal step in the
order of `Match.legal_steps`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import BenchmarkError
from ..game.game import Game, games
from ..match.match import Match
from .ladder import find_ladder
from .protocol import Protocol, check_rules, read_checked

SIGNS = "-=+"  # of the values -1, 0 and 1


@dataclass(frozen=True)
class SuitePosition:
    """A position and its exact values."""

    position: str  # its text, with no plies without progress
    value: int  # 1, 0 or -1 for the player to move
    distance: int | None  # turns to the end under best play, None for draws
    steps: tuple[int, ...]  # the value after each legal step for the same player, in the order of `Match.legal_steps`
    unique: bool  # whether exactly one whole turn keeps the value

    @property
    def player(self) -> int:
        """The player to move, 0 or 1."""
        return int(self.position.startswith("B"))

    @property
    def is_critical(self) -> bool:
        """Whether some step loses value."""
        return min(self.steps) < self.value

    @property
    def pieces(self) -> int:
        """The number of pieces on the board."""
        return sum(side.count(",") + (len(side) > 1) for side in self.position.split(":")[1:3])

    def as_line(self) -> str:
        """Its line in a file."""
        return json.dumps(vars(self) | {"steps": "".join(SIGNS[value + 1] for value in self.steps)})


@dataclass(frozen=True)
class Suite:
    """The suite of a game."""

    game: Game
    origin: Mapping[str, Any]  # how it was made: seed, pieces, package version
    positions: tuple[SuitePosition, ...]  # ordered by pieces and value
    sha256: str  # SHA-256 of the file

    def sample(self, count: int) -> tuple[SuitePosition, ...]:
        """At most `count` positions, evenly spaced over the suite."""
        total = len(self.positions)
        count = min(count, total)
        return tuple(self.positions[number * total // count] for number in range(count))


def suite_file(game: str) -> str:
    """The suite file of a game in the folder of a protocol."""
    return f"suites/{game}.jsonl"


def measured_games(protocol: Protocol) -> tuple[str, ...]:
    """Ids of the games that a protocol measures: those with a suite, or by `tracks.py`."""
    if protocol.exact is None:
        return tuple(name for name in games() if (protocol.folder / suite_file(name)).is_file())
    exact = {setting.game for setting in protocol.exact.settings}
    return tuple(name for name in games() if name in exact or find_ladder(protocol, name) is not None)


def read_suite(protocol: Protocol, game: Game) -> Suite:
    """Reads the suite of a game; refuses one that is damaged or of other rules."""
    text, sha256 = read_checked(protocol.folder, suite_file(game.name))
    origin, *lines = (json.loads(line) for line in text.splitlines())
    check_rules("suite", protocol.version, origin["table_hash"], game)
    positions = tuple(
        SuitePosition(**line | {"steps": tuple(SIGNS.index(sign) - 1 for sign in line["steps"])}) for line in lines
    )
    return Suite(game, origin, positions, sha256)


def format_suite(origin: Mapping[str, Any], positions: Sequence[SuitePosition]) -> str:
    """The text of a suite file."""
    return "".join(f"{line}\n" for line in (json.dumps(origin), *(each.as_line() for each in positions)))


def open_position(game: Game, entry: SuitePosition) -> Match:
    """A match from a position of a suite; refuses one whose legal steps are not as many as the suite's."""
    match = Match(game, entry.position)
    if len(match.legal_steps) != len(entry.steps):
        raise BenchmarkError(
            f"{entry.position!r} of {game.name} has {len(match.legal_steps)} steps, the suite says {len(entry.steps)}"
        )
    return match
