"""Endgame tables for Python: exact values, distances and best steps."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import TableError
from ...game import table_layout as e
from ...game.game import Game, as_game
from ...game.kernel_arrays import JIT
from ...game.step import Step
from ...match.match import Match
from ...match.state_check import check_states
from . import index_layout as x
from .index import Index
from .locations import find_table
from .probe import fill_in, probe
from .table_file import Header, TableFile
from .threads import SMALLEST, ThreadPool
from .turn_values import Values, score_of, value_before

LONGEST_LINE = 256
"""The most steps of a turn and of the captures that follow it."""


class StepValue(NamedTuple):
    """The value of a step for its player.

    Attributes:
      step: The step.
      value: 1 wins, 0 draws, -1 loses.
      distance: Plies to the end under best play, this one included; None for draws and endless play.
    """

    step: Step
    value: int
    distance: int | None


class Probed(NamedTuple):
    """The values of `N` positions, each for its player to move.

    Attributes:
      known: bool `[N]`, whether the table has the position.
      value: int8 `[N]`, 1 won, 0 drawn, -1 lost; 0 if it is not known.
      distance: int16 `[N]`, plies to the end; -1 for draws, endless play and unknown positions.
    """

    known: np.ndarray
    value: np.ndarray
    distance: np.ndarray


class EndgameTable:
    """Exact values of all positions of a game with few pieces.

    Plies without progress are not counted: endless play has the result of the game's `no_progress_result`, a draw or a
    win for the player with more pieces. A ply is a whole turn; a turn in progress counts as one.

    Attributes:
      pieces: The most pieces on the board.
      header: The header of the file, with its statistics.

    Raises:
      TableError: If the file cannot be read, is damaged or is the table of another game.
    """

    def __init__(self, game: Game, path: Path) -> None:
        self._file = TableFile(path)
        self._file.check_game(game)
        self.game = game
        self.header: Header = self._file.header
        self.pieces = self.header.pieces
        self.index = Index(game, self.pieces)
        if not self._file.has_sizes([part.size for part in self.index.slices]):
            raise TableError(f"{path} was made by another version of the package; solve the game again")
        try:
            self.codes = np.zeros(self.index.size, np.int16)
        except MemoryError:
            raise TableError(f"{path} has {self.index.size:,} numbers, which do not fit into memory") from None
        self._bases = [part.base for part in self.index.slices]
        self._loaded: set[int] = set()
        self._is_complete = False

    @property
    def data(self) -> Values:
        """The table as kernels take it."""
        return Values(self.index.rules, self.index.words, self.codes)

    @property
    def digest(self) -> str:
        """A hash of the values of the table."""
        parts = [part.blocks for part in self.header.slices]
        return hashlib.sha256(json.dumps([self.header.codes, parts]).encode()).hexdigest()[:16]

    @property
    def holds_under_limit(self) -> bool:
        """Whether draws and endless wins stay the same under the limit of plies without progress.

        They do where the limit draws the match. Where the side with more pieces wins at the limit, they do if the
        `clock.ClockStudy` of the table found no change.
        """
        if not self.game.rules.has_majority_at_limit:
            return True
        studied = [group["changed"] for group in self.header.groups if "changed" in group]
        return bool(studied) and not any(studied)

    def value(self, match: Match) -> int | None:
        """1, 0 or -1 for the player to move; None if the position is not in the table.

        Raises:
          TableError: If the match has other rules. All methods that take a match raise it.
        """
        code = self._code(match)
        return None if code == x.OUTSIDE else _value(code)

    def distance(self, match: Match) -> int | None:
        """Plies to the end under best play, where the loser delays.

        None for draws, for wins and losses by endless play, and if the position is not in the table.
        """
        return _distance(self._code(match))

    def best_steps(self, match: Match) -> tuple[Step, ...]:
        """The steps that keep the value; none if the match is over or the position is not in the table."""
        steps = self.steps(match)
        return tuple(found.step for found in steps if found.value == steps[0].value)

    def steps(self, match: Match) -> tuple[StepValue, ...]:
        """The value of each legal step, the best first: quick wins before slow ones, slow losses before quick ones.

        Empty if the match is over or a position after a step is not in the table.
        """
        return tuple(StepValue(step, _value(code), _distance(code)) for code, step in self._rank(match))

    def _rank(self, match: Match) -> list[tuple[int, Step]]:
        """The code of each legal step for its player, the best first; empty as `steps`."""
        self.check_game(match.game)
        states = []
        for step in match.legal_steps:
            after = match.copy()
            after.push(step)
            states.append(after.state)
        codes = self._probe(np.array(states, np.int64)) if states else np.zeros(0, np.int16)
        if not len(codes) or (codes == x.OUTSIDE).any():
            return []
        turned = [int(state[e.PLAYER]) != match.player for state in states]
        own = [value_before(int(code)) if turn else int(code) for code, turn in zip(codes, turned, strict=True)]
        return sorted(zip(own, match.legal_steps, strict=True), key=lambda pair: -score_of(pair[0]))

    def values(self, positions: "Iterable[str | Match]") -> list[int | None]:
        """As `value`, for many positions at once, each a position text or a match.

        Raises:
          PositionError: If a text is not a position of the game.
        """
        states = []
        for position in positions:
            match = Match(self.game, position) if isinstance(position, str) else position
            self.check_game(match.game)
            states.append(match.state)
        if not states:
            return []
        found = self.probe(np.array(states, np.int64))
        return [int(value) if known else None for known, value in zip(found.known, found.value, strict=True)]

    def probe(self, states: np.ndarray) -> Probed:
        """Looks up many positions.

        Args:
          states: int64 `[N, S]`, states as in `Match.state`, of matches that are not over.

        Raises:
          TableError: If they are not states of the game.
        """
        states = check_states(self.game, states, TableError)
        codes = self._probe(states)
        if self.game.opening is not None:
            start = Match(self.game)
            codes[(states == np.array(start.state)).all(1)] = self._code(start)
        known = codes != x.OUTSIDE
        value = np.where(known & (codes != x.DRAWN), np.sign(codes), 0).astype(np.int8)
        finite = known & (codes != x.DRAWN) & (np.abs(codes.astype(np.int32)) != x.ENDLESS)
        return Probed(known, value, np.where(finite, np.abs(codes.astype(np.int32)) - x.WON, -1).astype(np.int16))

    def load(self, most: int | None = None) -> None:
        """Reads the values of at most so many positions, fewer pieces first, into `codes`; None for all."""
        for number, part in enumerate(self.index.slices):
            if most is None or part.base + part.size <= most:
                self._load(number)

    def expand(self, threads: int | None = None) -> None:
        """Works out the values of positions with compulsory captures too, which makes `probe` faster.

        A file leaves them out; without this call they are worked out at each lookup. It takes about half as long as
        solving did. Runs so many kernels at once; None for one per processor.
        """
        self.load()
        with ThreadPool(threads) as pool:
            for part in self.index.slices:
                pool.map_ranges(part.size, partial(fill_in, self.data, part.row, length=LONGEST_LINE), SMALLEST)
        self._is_complete = True

    def check_game(self, game: Game) -> None:
        """Checks that a game is the one of the table.

        Raises:
          TableError: If its rules differ.
        """
        if game.table_hash != self.game.table_hash:
            raise TableError(
                f"the table is of {self.game.name} with {dict(self.game.options)}, "
                f"the match of {game.name} with {dict(game.options)}"
            )

    def _code(self, match: Match) -> int:
        self.check_game(match.game)
        # The values leave the opening rule out.
        if match.game.opening is not None and match.position == Match(match.game).position:
            ranked = self._rank(match)
            return ranked[0][0] if ranked else x.OUTSIDE
        if match.outcome is not None:
            winner = match.outcome.winner
            return x.DRAWN if winner is None else x.WON if winner == match.player else x.LOST
        return int(self._probe(np.array([match.state], np.int64))[0])

    def _probe(self, states: np.ndarray) -> np.ndarray:
        """The codes of states; reads the slices that they need from the file."""
        codes = np.zeros(len(states), np.int16)
        missing_numbers = np.zeros(len(states), np.int64)
        rows = states if JIT else states.tolist()
        probe(self.data, rows, LONGEST_LINE, self._is_complete, codes, missing_numbers)
        missing = (codes == x.OUTSIDE) & (missing_numbers >= 0)
        if missing.any():
            slices = {bisect_right(self._bases, number) - 1 for number in missing_numbers[missing].tolist()}
            if slices - self._loaded:
                for number in slices - self._loaded:
                    self._load(number)
                codes[missing] = self._probe(states[missing])
        return codes

    def _load(self, number: int) -> None:
        if number not in self._loaded:
            part = self.index.slices[number]
            self.codes[part.base : part.base + part.size] = self._file.read_slice(number)
            self._loaded.add(number)


@cache
def _open(game_hash: str, path: Path, changed: int, game: Game) -> "EndgameTable":  # noqa: ARG001
    return EndgameTable(game, path)


def present_table(game: Game) -> EndgameTable | None:
    """The table of a game in the user's cache directory; None if there is none that can be read.

    Returns the same object at every call until the file changes.
    """
    try:
        path = find_table(game)
        return _open(game.table_hash, path, path.stat().st_mtime_ns, game)
    except (TableError, OSError):
        return None


def load_table(game: Game | str, path: Path | str | None = None) -> EndgameTable:
    """Opens the endgame table of a game.

    Args:
      game: The rules, or a game's id.
      path: A table file; None for the table with the most pieces in the user's cache directory, where
        `alquerque solve` puts tables.

    Raises:
      TableError: If there is none, or it cannot be read, is damaged or is the table of another game.
    """
    rules = as_game(game)
    return EndgameTable(rules, find_table(rules) if path is None else Path(path))


def _value(code: int) -> int:
    return 0 if code == x.DRAWN else 1 if code > 0 else -1


def _distance(code: int) -> int | None:
    if code in (x.DRAWN, x.OUTSIDE, x.ENDLESS, -x.ENDLESS):
        return None
    return abs(code) - x.WON
