"""What is measured in a game: the exact values of its table, its puzzles and its ladder."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from ..arena.exact_errors import ENDINGS, KINDS, draw_critical
from ..errors import BenchmarkError, TableError
from ..exercises.puzzle_set import SHIPPED, SUFFIX, load_puzzles
from ..exercises.solved_share import choices
from ..files.regular import checksum
from ..game.game import Game, games, load_text
from ..match.match import Match
from ..solve.tables import EndgameTable
from ..solve.tables.table_file import shipped_tables
from ..solve.tables.whole import whole_command, whole_table
from .protocol import Ladder, Protocol, Setting, find_ladder, ladder_file


class Sample(NamedTuple):
    """Critical positions of a kind."""

    states: np.ndarray  # int64 [N, S]
    values: np.ndarray  # int64 [N, A], see `draw_critical`
    sha256: str  # of the states


class Question(NamedTuple):
    """A turn of a puzzle in which the agent is asked."""

    puzzle: int  # number of the puzzle
    match: Match
    solution: str  # text of the step that wins


class Entry(NamedTuple):
    """What is measured in a game with some options."""

    game: Game
    setting: Setting | None  # None if there are no exact values
    ladder: Ladder | None  # None if no matches are played

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of positions in which choices are compared with exact values."""
        return () if self.setting is None else KINDS if self.setting.pieces is None else (ENDINGS,)

    @property
    def is_whole(self) -> bool:
        """Whether the value of the start is known, so that the best response to an agent can be judged."""
        return self.setting is not None and self.setting.pieces is None

    @property
    def missing(self) -> str | None:
        """What to do about a table that has not been built; None if no table is missing."""
        if not self.is_whole or whole_table(self.game) is not None:
            return None
        name = " ".join([self.game.name, *self.game.option_texts])
        return f"there is no table of {name}: build it with {whole_command(self.game)}"

    @property
    def table(self) -> EndgameTable:
        """The table with the exact values; raises `BenchmarkError` if there is none."""
        if self.missing is not None:
            raise BenchmarkError(self.missing)
        table = whole_table(self.game) if self.is_whole else None
        if table is None:
            assert self.setting is not None
            assert self.setting.pieces is not None
            table = _few_pieces(self.game, self.setting.pieces)
        return table

    def sample(self, kind: str, protocol: Protocol) -> Sample:
        """The positions of a kind."""
        plan = protocol.exact
        count = plan.endings if kind == ENDINGS else plan.positions
        states, values = draw_critical(self.table, min(count, protocol.most_positions), kind, plan.seed)
        return Sample(states, values, hashlib.sha256(states.astype("<i8").tobytes()).hexdigest())

    @property
    def puzzles_sha256(self) -> str | None:
        """The SHA-256 of the puzzles of the game; None if it has none with its options."""
        path = SHIPPED / f"{self.game.name}{SUFFIX}"
        if self.game.chosen_options or not path.is_file():
            return None
        return checksum(path)

    def questions(self) -> list[Question]:
        """The turns of its puzzles in which an agent is asked."""
        puzzles = load_puzzles(self.game).puzzles
        return [
            Question(number, *each)
            for number, puzzle in enumerate(puzzles)
            for each in choices(self.game, puzzle.exercise)
        ]


@cache
def _few_pieces(game: Game, pieces: int) -> EndgameTable:
    """A table of few pieces that comes with the package; those in the user's cache directory may know more."""
    path = shipped_tables(game).get(pieces)
    if path is None:
        raise TableError(f"the package has no table of {pieces} pieces of {game.name}")
    return EndgameTable(game, path)


def measured_games(protocol: Protocol) -> tuple[str, ...]:
    """Ids of the games that a protocol measures: those with exact values or a ladder."""
    exact = {setting.game for setting in protocol.exact.settings}
    return tuple(name for name in games() if name in exact or (protocol.folder / ladder_file(name)).is_file())


def entries_of(names: Iterable[str], protocol: Protocol) -> dict[str, Entry]:
    """What is measured in the settings that a result names; refuses others."""
    names = list(names)
    entries = find_entries(list(dict.fromkeys(name.partition(" ")[0] for name in names)), protocol, "kept")
    for name in names:
        if name not in entries:
            raise BenchmarkError(f"{name!r} is not measured")
    return entries


def find_entries(
    names: Sequence[str], protocol: Protocol, without_table: Literal["left out", "if alone", "kept"]
) -> dict[str, Entry]:
    """What is measured in some games, by name of the setting.

    Settings whose table has not been built are left out, kept, or kept if no setting of their game has a table.
    """
    found: dict[str, Entry] = {}
    missing: list[str] = []
    for name in names:
        game = load_text(name)
        if (ladder := find_ladder(protocol, game)) is not None:
            found[name] = Entry(game, None, ladder)
        settings = [each for each in protocol.exact.settings if each.game == name]
        entries = {each.name: Entry(load_text(name, **each.options), each, None) for each in settings}
        lacking = [entry.missing for entry in entries.values() if entry.missing is not None]
        is_alone = len(lacking) == len(entries)
        missing += lacking
        for setting, entry in entries.items():
            if without_table == "kept" or entry.missing is None or (without_table == "if alone" and is_alone):
                found[setting] = entry._replace(ladder=found[setting].ladder if setting in found else None)
    if not found:
        raise BenchmarkError(
            f"there is nothing to measure: {'; or '.join(missing) or 'none of the games has positions or opponents'}"
        )
    return found
