"""An endgame table in the hands of Python: exact values, distances and best steps."""

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
from . import index_layout as x
from .index import Index
from .locations import find_table
from .probe import fill_in, probe
from .table_file import Header, TableFile
from .threads import SMALLEST, Crew
from .turn_values import a_ply_before, worth_of

ROOM = 256
"""Steps of a turn and the captures that follow it for which there is room."""


class StepValue(NamedTuple):
    """What a step is worth, for the player who takes it.

    Attributes:
      step: The step.
      value: 1 wins, 0 draws, -1 loses.
      distance: Plies to the end under best play, this one included; None for draws and for what ends by endless play.
    """

    step: Step
    value: int
    distance: int | None


class Probed(NamedTuple):
    """What a table knows of `N` positions, each for its player to move.

    Attributes:
      known: bool `[N]`, whether the table reaches there.
      value: int8 `[N]`, 1 won, 0 drawn, -1 lost; 0 where it is not known.
      distance: int16 `[N]`, plies to the end; -1 for draws, for what ends by endless play, and where it is not known.
    """

    known: np.ndarray
    value: np.ndarray
    distance: np.ndarray


class EndgameTable:
    """Exact values of all positions of a game with few pieces.

    The count of plies without progress is left out: play without end is worth what the game's `no_progress_result`
    says, a draw, or a win for the player with more pieces. A ply is a turn; one in progress counts.

    Args:
      game: The rules.
      path: A table file.

    Attributes:
      game: The rules.
      pieces: The most pieces on the board.
      header: What the file says of itself, with its statistics.

    Raises:
      TableError: If the file cannot be read, is damaged or is a table of another game.
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
        self.codes = np.zeros(self.index.size, np.int16)
        self._bases = [part.base for part in self.index.slices]
        self._loaded: set[int] = set()
        self._is_full = False

    @property
    def digest(self) -> str:
        """Identifies the values of the table."""
        parts = [part["blocks"] for part in self.header.slices]
        return hashlib.sha256(json.dumps([self.header.codes, parts]).encode()).hexdigest()[:16]

    @property
    def holds_by_the_clock(self) -> bool:
        """Whether draws and what comes of endless play are the same with the limit of plies without progress.

        Where that makes draws it only saves who would lose; where it makes the side with more pieces win, it must have
        been found that it changes nothing.
        """
        if not self.game.rules.has_majority_at_limit:
            return True
        studied = [group["changed"] for group in self.header.groups if "changed" in group]
        return bool(studied) and not any(studied)

    def value(self, match: Match) -> int | None:
        """1, 0 or -1 for the player to move; None where the table does not reach.

        Raises:
          TableError: If the match is of another game or of other options; so do all that take one.
        """
        code = self._code(match)
        return None if code == x.OUTSIDE else _value(code)

    def distance(self, match: Match) -> int | None:
        """Plies to the end under best play, the loser delaying.

        None for draws, where a win or loss comes by endless play, and where the table does not reach.
        """
        return _distance(self._code(match))

    def best_steps(self, match: Match) -> tuple[Step, ...]:
        """The steps that keep the value; none where the match is over or the table does not reach."""
        steps = self.steps(match)
        return tuple(found.step for found in steps if found.value == steps[0].value)

    def steps(self, match: Match) -> tuple[StepValue, ...]:
        """What each legal step is worth, the best first: quick wins, slow losses.

        Empty where the match is over or the table does not reach everywhere.
        """
        self.check_game(match.game)
        states = []
        for step in match.legal_steps:
            after = match.copy()
            after.push(step)
            states.append(after.state)
        codes = self._probe(np.array(states, np.int64)) if states else np.zeros(0, np.int16)
        if not len(codes) or (codes == x.OUTSIDE).any():
            return ()
        turned = [int(state[e.PLAYER]) != match.player for state in states]
        own = [a_ply_before(int(code)) if turn else int(code) for code, turn in zip(codes, turned, strict=True)]
        ranked = sorted(zip(own, match.legal_steps, strict=True), key=lambda pair: -worth_of(pair[0]))
        return tuple(StepValue(step, _value(code), _distance(code)) for code, step in ranked)

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
        """Looks many positions up.

        Args:
          states: int64 `[N, S]`, states of the engine as `Match.state` gives them, not of matches that are over.

        Raises:
          TableError: If they cannot be states of the game.
        """
        states = self._checked(states)
        codes = self._probe(states)
        if self.game.opening is not None:
            start = Match(self.game)
            codes[(states == np.array(start.state)).all(1)] = self._code(start)
        known = codes != x.OUTSIDE
        value = np.where(known & (codes != x.DRAWN), np.sign(codes), 0).astype(np.int8)
        finite = known & (codes != x.DRAWN) & (np.abs(codes.astype(np.int32)) != x.ENDLESS)
        return Probed(known, value, np.where(finite, np.abs(codes.astype(np.int32)) - x.WON, -1).astype(np.int16))

    def load(self, most: int | None = None) -> None:
        """Reads the file, for those that look values up on their own.

        Args:
          most: How many positions to read, those with few pieces first; None for all.
        """
        for number, part in enumerate(self.index.slices):
            if most is None or part.base + part.size <= most:
                self._load(number)

    def expand(self, threads: int | None = None) -> None:
        """Works out the values of positions with compulsory captures too, so that batches are looked up fastest.

        A file leaves them out, since they follow from others; without this they are worked out whenever they are asked
        for. It takes about half as long as solving did.

        Args:
          threads: How many kernels run at once; None for as many as there are processors.
        """
        self.load()
        t, words = self.index.rules, self.index.words
        with Crew(threads) as crew:
            for part in self.index.slices:
                crew.share(part.size, partial(fill_in, t, words, self.codes, part.row, rows=ROOM), SMALLEST)
        self._is_full = True

    def check_game(self, game: Game) -> None:
        """Refuses what is played by other rules.

        Raises:
          TableError: If it is.
        """
        if game.table_hash != self.game.table_hash:
            raise TableError(
                f"the table is of {self.game.name} with {dict(self.game.options)}, "
                f"the match of {game.name} with {dict(game.options)}"
            )

    def _checked(self, states: np.ndarray) -> np.ndarray:
        """States in the form in which kernels read them, which look at no bounds."""
        given = np.asarray(states)
        t = self.game.table.words
        points, size = int(t[e.T_POINTS]), int(t[e.T_STATE_SIZE])
        if given.ndim != 2 or given.shape[1] != size or not np.issubdtype(given.dtype, np.integer):
            raise TableError(
                f"states are {given.dtype} {list(given.shape)}, expected int64 [N, {size}], a row as Match.state each"
            )
        known = np.ascontiguousarray(given, np.int64)
        pieces, players, chains = known[:, e.MEN : e.PLAYER], known[:, e.PLAYER], known[:, e.CHAIN]
        are_on_board = np.bitwise_or.reduce(pieces, 1) & ~int(t[e.T_ALL_POINTS]) == 0
        are_apart = np.bitwise_xor.reduce(pieces, 1) == pieces.sum(1)
        is_turn = np.isin(players, (0, 1)) & (chains >= e.NO_POINT) & (chains < points)
        is_sound = are_on_board & are_apart & is_turn
        if not is_sound.all():
            raise TableError(f"row {int(np.argmin(is_sound))} of the states is no position of {self.game.name}")
        return known

    def _code(self, match: Match) -> int:
        self.check_game(match.game)
        if self._opens(match):
            steps = self.steps(match)
            if not steps:
                return x.OUTSIDE
            best = steps[0]
            if best.value == 0:
                return x.DRAWN
            code = x.ENDLESS if best.distance is None else x.WON + best.distance
            return best.value * code
        if match.outcome is not None:
            winner = match.outcome.winner
            return x.DRAWN if winner is None else x.WON if winner == match.player else x.LOST
        return int(self._probe(np.array([match.state], np.int64))[0])

    def _opens(self, match: Match) -> bool:
        """Whether the opening rule holds, of which the values do not know."""
        return match.game.opening is not None and match.position == Match(match.game).position

    def _probe(self, states: np.ndarray) -> np.ndarray:
        """The codes of states; reads the slices that they need."""
        codes = np.zeros(len(states), np.int16)
        wanted = np.zeros(len(states), np.int64)
        rows = states if JIT else states.tolist()
        probe(self.index.rules, self.index.words, self.codes, rows, ROOM, self._is_full, codes, wanted)
        missing = (codes == x.OUTSIDE) & (wanted >= 0)
        if missing.any():
            slices = {bisect_right(self._bases, number) - 1 for number in wanted[missing].tolist()}
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
    """The table of a game in the user's cache directory; None where there is none that can be read.

    Whoever asks again is given the same one, as long as the file does not change.
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
      path: A table file; None for the one with the most pieces that `alquerque solve` has put into the user's cache
        directory.

    Raises:
      TableError: If there is none, or it cannot be read, is damaged or of another game.
    """
    rules = as_game(game)
    return EndgameTable(rules, find_table(rules) if path is None else Path(path))


def _value(code: int) -> int:
    return 0 if code == x.DRAWN else 1 if code > 0 else -1


def _distance(code: int) -> int | None:
    if code in (x.DRAWN, x.OUTSIDE, x.ENDLESS, -x.ENDLESS):
        return None
    return abs(code) - x.WON
