"""The value of a position of the whole game: whether one player wins, or the other; and its proof as a certificate."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from ...engine.source_digest import source_digest
from ...errors import TableError
from ...files.lock import locked_file
from ...files.schema import Key, parse
from ...game.game import Game
from ...game.ruleset import NORTH, SOUTH
from ...game.step import Step, join_turn
from ...match.match import Match
from ..notes import read_notes, write_notes
from ..tables import EndgameTable
from ..tables.whole import Start
from . import dfpn_kernels
from .certificate import open_proof_file
from .dfpn import DISPROVED, OPEN, PROVED, UNASKED, Answer, ProofSearch, longest_line
from .dfpn_kernels import BUCKET, ENTRY_SIZE
from .verify_proof import SEEN_SIZE, Checked, verify_proof

NODES_AT_ONCE = 1 << 14
NODES_BETWEEN_PLAYERS = 1 << 20  # positions searched for one player before the search turns to the other

_BYTES_AN_ENTRY = 8 * ENTRY_SIZE
_BYTES_SEEN = 8 * SEEN_SIZE
_SHARE_OF_VERIFYING = 1 / 16
_MEMORY_FOR_SCHEDULE = 1.0  # GiB
_NOTES, _MEMORY = "questions.json", "player_{}.memory"


class Solution(NamedTuple):
    """The value of a position.

    Attributes:
      winner: 0 or 1, "draw", or None if it is not known yet.
      answers: For each player searched, whether this player wins; counts the positions of all resumed runs.
      line: The turns of a line that shows it, as far as the tables reach.
      seconds: How long it took, all resumed runs together.
      checked: For each player with a verified answer, the size of its proof.
    """

    winner: int | str | None
    answers: dict[int, Answer]
    line: tuple[str, ...]
    seconds: float
    checked: dict[int, Checked]


Watch = Callable[[int, Answer], None]
WatchCheck = Callable[[Checked], None]


def solve_position(
    match: Match,
    table: EndgameTable | None = None,
    *,
    memory: float = 4.0,
    seconds: float | None = None,
    folder: Path | None = None,
    watch: Watch | None = None,
    verify: bool = False,
    watch_check: WatchCheck | None = None,
    certificate: Path | None = None,
) -> Solution:
    """Finds who wins a position, or that it is a draw.

    Args:
      match: A match that is not over.
      table: An endgame table, or None.
      memory: Size of the transposition tables, in GiB.
      seconds: When to stop; None to search until it is known.
      folder: Where the transposition tables are kept, so that the search can be resumed; None to keep nothing.
      watch: Called now and then with a player and whether this player wins, so far.
      verify: Whether to verify the proof once it is found.
      watch_check: Called now and then with the progress of that.
      certificate: The file to write the proof to once it is found, see `open_proof_file`; verifies it too.

    Raises:
      TableError: If only repetition ends some matches, the folder cannot be used, or a proof does not hold.
      LockedError: If another process searches in the folder.
    """
    longest_line(match.game)
    players = (SOUTH, NORTH) if can_be_drawn(match.game) else (SOUTH,)
    room = memory * (1 << 30) * _SHARE_OF_VERIFYING  # also without verify, so that the files keep their size
    entries = int((memory * (1 << 30) - room) / _BYTES_AN_ENTRY / len(players)) // BUCKET * BUCKET
    with _held(folder):
        notes = _Notes(folder, match, table, len(players))
        searches = [
            ProofSearch(match, player, table, entries, folder and folder / _MEMORY.format(player)) for player in players
        ]
        try:
            _run(searches, notes, None if seconds is None else time.monotonic() + seconds, watch)
        finally:
            notes.save(searches)
        solution = _conclude(match, searches, notes)
        if not verify and (certificate is None or solution.winner is None):
            return solution
        checked = {}
        path, pieces = None if solution.winner is None else certificate, 0 if table is None else table.pieces
        with open_proof_file(path, match, pieces) as file:
            for search, answer in zip(searches, notes.answers(searches), strict=True):
                if answer.state != OPEN:
                    claim = (search.player, answer.state == PROVED)
                    if len(players) == 1 and answer.state == DISPROVED:  # there are no draws
                        claim = (1 - search.player, True)
                    is_enough = claim[1] or solution.winner == "draw"  # who wins is proved by that alone
                    record = file.begin_section(*claim) if file is not None and is_enough else None
                    room_for_seen = int(room / _BYTES_SEEN)
                    checked[search.player] = verify_proof(search, answer.state, room_for_seen, watch_check, record)
        return solution._replace(checked=checked)


def value_after_schedule(table: EndgameTable, folder: Path | None = None, watch: Watch | None = None) -> Start:
    """The value of the start of a game that begins with a schedule: its plies are searched over the table of the rest.

    Args:
      table: The table of all positions after the schedule.
      folder: As in `solve_position`.
      watch: As in `solve_position`.
    """
    found = solve_position(Match(table.game), table, memory=_MEMORY_FOR_SCHEDULE, folder=folder, watch=watch)
    return Start(found.winner, None, (), found.line)


@contextmanager
def _held(folder: Path | None) -> Iterator[None]:
    """Makes a folder, and keeps other processes from searching in it."""
    if folder is None:
        yield
        return
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked_file(folder))
        except OSError as error:
            raise TableError(f"cannot use {folder}: {error.strerror or error}") from None
        yield


def can_be_drawn(game: Game) -> bool:
    """Whether the rules allow draws."""
    rules = game.rules
    return game.can_shuffle or rules.no_progress_limit != "off" or bool({"draw", "majority"} & {*game.no_moves})


def _run(searches: list[ProofSearch], notes: "_Notes", end: float | None, watch: Watch | None) -> None:
    """Searches for the players in turn, the least searched first, until one wins or all are answered."""
    while True:
        answers = notes.answers(searches)
        waiting = [place for place, answer in enumerate(answers) if answer.state == OPEN]
        if not waiting or any(answer.state == PROVED for answer in answers):
            return
        place = min(waiting, key=lambda place: answers[place].nodes)
        search = searches[place]
        goal = search.answer.nodes + NODES_BETWEEN_PLAYERS
        while search.answer.nodes < goal and not search.run(NODES_AT_ONCE):
            if watch:
                watch(search.player, notes.answers(searches)[place])
            if end is not None and time.monotonic() > end:
                return
        notes.save(searches)


def _conclude(match: Match, searches: list[ProofSearch], notes: "_Notes") -> Solution:
    answers = notes.answers(searches)
    proved = next((place for place, answer in enumerate(answers) if answer.state == PROVED), None)
    winner: int | str | None = None
    shown = proved
    if proved is not None:
        winner = searches[proved].player
        # If one player wins the other does not, whether or not that was searched too.
        answers = [replace(answer, state=DISPROVED) if answer.state == OPEN else answer for answer in answers]
    elif all(answer.state == DISPROVED for answer in answers):
        winner = "draw" if len(searches) > 1 else 1 - searches[0].player
        shown = 0
    line = () if shown is None else _turns(match, searches[shown].line(answers[shown].state))
    found = {search.player: answer for search, answer in zip(searches, answers, strict=True)}
    return Solution(winner, found, line, notes.seconds, {})


def _turns(match: Match, line: Sequence[Step]) -> tuple[str, ...]:
    ahead = match.copy()
    for step in line:
        ahead.push(step)
    return tuple(join_turn([step.text for step in steps]) for _, steps in ahead.history[len(match.history) :])


@dataclass(frozen=True)
class _Found:
    seconds: Annotated[float, Key(low=0)]
    answers: tuple[Answer, ...]


class _Notes:
    """The notes in a folder of transposition tables: the answers and `seconds` of all resumed runs together."""

    def __init__(self, folder: Path | None, match: Match, table: EndgameTable | None, players: int) -> None:
        self._file = None if folder is None else folder / _NOTES
        self._identity: dict[str, Any] = {
            "game": match.game.name,
            "table_hash": match.game.table_hash,
            "position": match.position,
            "table": None if table is None else table.digest,
            "code": source_digest(Path(dfpn_kernels.__file__)),
        }
        self._began = time.monotonic()
        self._known = _Found(0.0, (UNASKED,) * players)
        if self._file is not None and self._file.exists():
            self._known = read_notes(self._file, self._identity, partial(_parse, players))
        elif folder is not None:
            if any(folder.glob(_MEMORY.format("*"))):
                raise TableError(f"{folder} has no {_NOTES}, which says what was searched: delete it to begin again")
            self.save([])  # before there are tables whose positions could be taken for those of another search
        self.seconds = self._known.seconds

    def answers(self, searches: Sequence[ProofSearch]) -> list[Answer]:
        """The answer for each player from all resumed runs together."""
        return [
            known if known.state != OPEN or not found.nodes else replace(found, nodes=known.nodes + found.nodes)
            for known, found in zip(self._known.answers, (search.answer for search in searches), strict=True)
        ]

    def save(self, searches: Sequence[ProofSearch]) -> None:
        """Writes the notes."""
        self.seconds = self._known.seconds + time.monotonic() - self._began
        if self._file is not None:
            answers = tuple(self.answers(searches)) if searches else self._known.answers
            write_notes(self._file, self._identity, asdict(_Found(self.seconds, answers)))


def _parse(players: int, content: dict[str, Any]) -> _Found:
    found = parse(_Found, content, _NOTES, TableError)
    if len(found.answers) != players:
        raise ValueError(found)
    return found
