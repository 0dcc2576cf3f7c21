"""Endgame tables for Python: exact values, distances and best steps."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...batch.batch import PLAY
from ...batch.make_batch import make_batch
from ...errors import PositionError, TableError
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.game import Game, GameId, as_game
from ...game.hidden_clock import hide_clock
from ...game.kernel_arrays import words
from ...game.outcomes import NO_WINNER, ONGOING
from ...match.chain_check import check_states
from ...match.match import Match
from ...match.position_text import unpromoted_men
from . import index_layout as INDEX
from .index import Index, has_notes
from .match_values import MatchValues, code_of_outcome, plain_value
from .numbering import set_up
from .probe import LONGEST_LINE, fill_in, probe
from .table_file import Header, TableFile, find_table
from .threads import SMALLEST, ThreadPool
from .turn_values import Values
from .value_codes import DRAWN, ENDLESS, OUTSIDE, WON

_NEVER = 1 << 30


class UnderLimit:
    """Which values of a table hold in a match whose plies without progress are counted.

    A table leaves this count, the clock, out. The limit of plies cannot change a value

    * if the match ends before it: a win in `d` plies needs `d` plies more;
    * if the player who needs progress can force it before the limit. The study of the clock, see `clock.py`, notes how
      many plies that takes at most in each group of slices, and whether the limit changes a value there or before;
    * if the match is worth the same at the limit: a draw where the limit draws; where the side with more pieces wins
      there, a draw of equal sides or a win of that side.

    Where a repeated position draws the match, a win is certain only if no position can have occurred before: right
    after progress. Nothing but such wins is certain if the side with more pieces wins at the limit as well. If it
    `holds_at_zero`, the limit changes no value of a position right after progress. Raises `ValueError` for notes on
    groups that `clock.ClockStudy` does not write.
    """

    def __init__(self, index: Index, notes: Sequence[dict[str, int]]) -> None:
        rules = index.game.rules
        self._limit = int(index.game.table.words[TABLE.NO_PROGRESS_LIMIT])
        self._has_majority = rules.has_majority_at_limit
        self._is_repetition_drawn = rules.repetition != "off"
        ways = []
        is_same = True
        for group, found in zip(index.groups, notes, strict=True):
            if not has_notes(index, found):
                raise ValueError(found)
            is_same = is_same and found.get("changed") == 0
            ways += [found["longest_way"] if is_same else _NEVER] * len(group)
        self.holds_at_zero = not self._has_majority or (is_same and not self._is_repetition_drawn)
        self._leads = np.array([part.lead for part in index.slices])
        self._ways = np.array([*ways, 0 if is_same else _NEVER])  # the last one for turns that capture

    def holds(self, codes: np.ndarray, clocks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Whether values hold, bool `[N]`; False for positions that are not in the table.

        Args:
            codes: int16 `[N]`, codes of the table.
            clocks: int64 `[N]`, plies without progress so far.
            rows: int64 `[N]`, rows of slices and CAPTURES, as `probe` writes them.
        """
        captures = rows < INDEX.HEAD
        places = np.where(captures, len(self._ways) - 1, (rows - INDEX.HEAD) // INDEX.ROW_SIZE)
        plies = np.abs(codes.astype(np.int64)) - WON
        is_decided = (codes != DRAWN) & (plies < ENDLESS - WON)
        clocks = np.where(captures, 0, clocks)
        holds = clocks + np.minimum(self._ways[places], np.where(is_decided, plies - captures, _NEVER)) <= self._limit
        if not self._limit:
            holds = np.ones(len(codes), bool)
        if self._is_repetition_drawn:
            holds &= is_decided & (clocks == 0)
        if not self._has_majority:
            holds |= codes == DRAWN
        elif not self._is_repetition_drawn:
            leads = np.append(self._leads, 0)[places]
            signs = np.where(codes == DRAWN, 0, np.sign(codes))
            holds |= ~captures & (np.sign(leads) == signs) & (self._ways[places] < _NEVER)
        return np.asarray(holds & (codes != OUTSIDE))


_AT_ONCE = 1 << 14  # positions whose actions are played at once


class Probed(NamedTuple):
    """The values of `N` positions, each for its player to move.

    Attributes:
      known: bool `[N]`, whether the value is known: the table has it and the no-progress limit cannot change it.
      value: int8 `[N]`, 1 won, 0 drawn, -1 lost; 0 if it is not known.
      distance: int16 `[N]`, plies to the end; -1 for draws, endless play and unknown values.
    """

    known: np.ndarray
    value: np.ndarray
    distance: np.ndarray


class ActionValues(NamedTuple):
    """The values of the actions of a game in `N` positions, each for the player to move; without `N` for one match.

    Attributes:
      known: bool `[N, A]`, whether the value of an action is known; false for actions that are not legal.
      value: int8 `[N, A]`, 1 wins, 0 draws, -1 loses; 0 if it is not known.
      distance: int16 `[N, A]`, plies to the end under best play, this one included; -1 for draws, endless play and
        unknown values.
    """

    known: np.ndarray
    value: np.ndarray
    distance: np.ndarray


class EndgameTable(MatchValues):
    """Exact values of all positions of a game with few pieces.

    The values in the file are *clockless*: plies without progress are not counted, and endless play has the result of
    the game's `no_progress_result`, a draw or a win for the player with more pieces. `value` answers for a match with
    its count, or not at all, see `UnderLimit`. A ply is a whole turn; a turn in progress counts as one.

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
            self._under_limit = UnderLimit(self.index, self.header.groups)
        except ValueError:
            raise TableError(f"{path} was made by another version of the package; solve the game again") from None
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
        `clock.ClockStudy` of the table found no change, unless repetition can draw the match before.
        """
        return self._under_limit.holds_at_zero

    def values(self, positions: "Iterable[str | Match]") -> list[int | None]:
        """Returns what `value` does, for many positions at once, each a position text or a match.

        Raises:
          PositionError: If a text is not a position of the game; the message says which one.
          TableError: If a match has other rules; likewise.
        """
        if isinstance(positions, str):
            raise PositionError("one position was given where several are expected: put it in a list")
        matches = [self._open(number, position) for number, position in enumerate(positions)]
        values = [plain_value(code_of_outcome(match)) if match.is_over else None for match in matches]
        ongoing = [number for number, match in enumerate(matches) if not match.is_over]
        if ongoing:
            found = self.probe(np.array([matches[number].state for number in ongoing], np.int64))
            for number, known, value in zip(ongoing, found.known, found.value, strict=True):
                values[number] = int(value) if known else None
        return values

    def _open(self, number: int, position: "str | Match") -> Match:
        try:
            match = Match(self.game, position) if isinstance(position, str) else position
            self.check_game(match.game)
        except (PositionError, TableError) as error:
            raise type(error)(f"position {number}: {error}") from None
        return match

    def probe(self, states: np.ndarray, *, clockless: bool = False) -> Probed:
        """Looks up many positions.

        Args:
          states: int64 `[N, S]`, states as in `Match.state`, of matches that are not over.
          clockless: Whether to answer as if plies without progress were not counted.

        Returns:
          Values and distances, arrays `[N]`.

        Raises:
          TableError: If they are not states of the game.
        """
        states = self._check(states, clockless)
        codes, known = self._probe_all(states)
        if self.game.opening is not None:
            start = Match(self.game)
            are_starts = (states == np.array(start.state)).all(1)
            codes[are_starts], known[are_starts] = self._find(start)
        if clockless:
            known = codes != OUTSIDE
        value = np.where(known & (codes != DRAWN), np.sign(codes), 0).astype(np.int8)
        finite = known & (codes != DRAWN) & (np.abs(codes.astype(np.int32)) != ENDLESS)
        return Probed(known, value, np.where(finite, np.abs(codes.astype(np.int32)) - WON, -1).astype(np.int16))

    def action_values(self, positions: "Match | np.ndarray", *, clockless: bool = False) -> ActionValues:
        """The value of every action, in the frame of the player to move.

        Args:
          positions: A match, or int64 `[N, S]`, states as in `Match.state`, of matches that are not over.
          clockless: Whether to answer as if plies without progress were not counted.

        Returns:
          Arrays `[A]` for a match, `[N, A]` for states.

        Raises:
          TableError: If they are not of this game.
        """
        if isinstance(positions, Match):
            self.check_game(positions.game)
            if positions.is_over:
                raise TableError("the match is over, so that no action has a value")
            of_one = self.action_values(np.array([positions.state], np.int64), clockless=clockless)
            return ActionValues(*(array[0] for array in of_one))
        states = self._check(positions, clockless)
        shape = len(states), self.game.num_actions
        known, value, distance = np.zeros(shape, bool), np.zeros(shape, np.int8), np.full(shape, -1, np.int16)
        mask = make_batch(self.game, len(states)).set(states).mask if len(states) else np.zeros(shape, np.int8)
        for first in range(0, len(states), _AT_ONCE):
            places, actions = np.nonzero(mask[first : first + _AT_ONCE])
            places += first
            batch = make_batch(self.game, len(places))
            movers = batch.set(states[places]).player
            after = batch.step(actions.astype(np.int64), np.full(len(places), PLAY, np.int8))
            goes_on = np.flatnonzero(after.outcome == ONGOING)
            found = self.probe(np.ascontiguousarray(batch.states[goes_on], np.int64), clockless=clockless)
            passes_turn = after.player[goes_on] != movers[goes_on]
            own = np.where(after.winner == NO_WINNER, 0, np.where(after.winner == movers, 1, -1))
            plies = np.where(after.winner == NO_WINNER, -1, 1)
            is_known = after.outcome != ONGOING
            own[goes_on] = np.where(passes_turn, -found.value, found.value)
            plies[goes_on] = np.where(found.distance < 0, -1, found.distance + passes_turn)
            is_known[goes_on] = found.known
            known[places, actions], value[places, actions], distance[places, actions] = is_known, own, plies
        return ActionValues(known, value, distance)

    def sample(self, count: int, generator: np.random.Generator) -> np.ndarray:
        """Draws positions at the beginning of a turn uniformly, some perhaps more than once.

        Positions with men who would have been promoted, to which no match leads, are left out.

        Returns:
          int64 `[count, S]`, states with a clock of 0. Matches may be over in them.
        """
        drawn = (int(generator.integers(self.index.size)) for _ in repeat(None))
        return np.stack(list(islice(self._set_up(drawn), count)))

    def positions(self) -> Iterator[np.ndarray]:
        """Yields all positions that `sample` can draw, each once: int64 `[S]`."""
        return self._set_up(range(self.index.size))

    def _set_up(self, wanted: Iterable[int]) -> Iterator[np.ndarray]:
        """The states of the positions with these numbers, where a number has one and a match may lead to it."""
        t, numbers = self.game.table.words, self.index.words
        state = words(t, t[TABLE.STATE_SIZE])
        for number in wanted:
            part = self.index.slices[bisect_right(self._bases, number) - 1]
            if set_up(t, numbers, part.row, number - part.base, state) and not unpromoted_men(t, state):
                yield np.array(state, np.int64)

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

    def _check(self, states: np.ndarray, clockless: bool) -> np.ndarray:
        """Checks states; without the clock it is hidden, so that the limit ends no match."""
        checked = check_states(self.game, states, TableError)
        if clockless:
            checked = checked.copy()
            hide_clock(self.game.table.words, checked.T)
        return checked

    def _look_up(self, states: Sequence[Any]) -> list[tuple[int, bool]]:
        codes, holds = self._probe_all(np.array(states, np.int64))
        return list(zip(codes.tolist(), holds.tolist(), strict=True))

    def _probe_all(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The codes of states, and whether they hold under the limit; reads the slices that they need from the file."""
        codes = np.zeros(len(states), np.int16)
        missing_numbers, slice_rows = np.zeros((2, len(states)), np.int64)
        probe(self.data, states, len(states), LONGEST_LINE, self._is_complete, codes, missing_numbers, slice_rows)
        holds = self._under_limit.holds(codes, states[:, STATE.QUIET], slice_rows)
        missing = (codes == OUTSIDE) & (missing_numbers >= 0)
        if missing.any():
            slices = {bisect_right(self._bases, number) - 1 for number in missing_numbers[missing].tolist()}
            if slices - self._loaded:
                for number in slices - self._loaded:
                    self._load(number)
                codes[missing], holds[missing] = self._probe_all(states[missing])
        return codes, holds

    def _load(self, number: int) -> None:
        if number not in self._loaded:
            part = self.index.slices[number]
            self.codes[part.base : part.base + part.size] = self._file.read_slice(number)
            self._loaded.add(number)


@lru_cache(maxsize=4)  # the largest that comes with the package takes 190 MB
def _open(game_hash: str, path: Path, changed: int, game: Game) -> "EndgameTable":  # noqa: ARG001
    return EndgameTable(game, path)


def present_table(game: Game, *, shipped: bool = False) -> EndgameTable | None:
    """Returns the table of a game in the user's cache directory; None if there is none that can be read.

    Returns the same object at every call until the file changes, or four others were asked for.

    Args:
      game: The game.
      shipped: Whether a table that comes with the package will do, too. Bots ask for none, so that they play alike
        whatever is installed.
    """
    try:
        path = find_table(game, shipped=shipped)
        return _open(game.table_hash, path, path.stat().st_mtime_ns, game)
    except (TableError, OSError):
        return None


def load_table(game: Game | GameId, path: Path | str | None = None) -> EndgameTable:
    """Opens the endgame table of a game.

    Args:
      game: The game, its id, or the path of a game file.
      path: A table file; None for the table with the most pieces among those in the user's cache directory, where
        `alquerque solve` puts tables, and those that come with the package.

    Returns:
      The table, whose `value` and `steps` look up positions.

    Raises:
      TableError: If there is none, or it cannot be read, is damaged or is the table of another game.
    """
    rules = as_game(game)
    return EndgameTable(rules, find_table(rules, shipped=True) if path is None else Path(path))
