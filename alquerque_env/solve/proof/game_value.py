"""The value of a position of the whole game, from the answers to two questions."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import TableError
from ...files.atomic import write_whole
from ...game.game import Game
from ...game.ruleset import NORTH, SOUTH
from ...game.step import Step, join_turn
from ...match.match import Match
from ..tables import EndgameTable
from .dfpn import DISPROVED, OPEN, PROVED, UNASKED, Answer, ProofSearch, Question, longest_line
from .dfpn_kernels import BUCKET, ENTRY_SIZE
from .verify_kernels import SEEN_SIZE
from .verify_proof import Checked, check_proof

NODES_AT_ONCE = 1 << 14
NODES_BETWEEN_QUESTIONS = 1 << 20
"""Positions that are searched for one question before the other has its turn."""

_BYTES_AN_ENTRY = 8 * ENTRY_SIZE
_BYTES_SEEN = 8 * SEEN_SIZE
_SHARE_OF_CHECK = 1 / 16
_NOTES = "questions.json"
_SEARCH = 2
"""Counted up whenever what a search remembers comes to mean something else."""


class Solution(NamedTuple):
    """What is known of a position.

    Attributes:
      winner: 0 or 1 where that player wins, "draw", or None where it is not known yet.
      answers: For each question that was asked, what is known of it, with the positions of all sessions.
      line: The turns of a line that shows it, as far as it is remembered.
      seconds: How long it took, all sessions together.
      checked: For each answer that was checked, what its proof consists of.
    """

    winner: int | str | None
    answers: dict[Question, Answer]
    line: tuple[str, ...]
    seconds: float
    checked: dict[Question, Checked]


Watch = Callable[[Question, Answer], None]
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
) -> Solution:
    """Finds out who wins a position, or whether it is a draw.

    Args:
      match: A match that is not over.
      table: Exact values of endgames, if there are any.
      memory: What positions may be remembered in, in GiB.
      seconds: When to stop; None for when it is known.
      folder: Where they are kept, to go on later; None to keep nothing.
      watch: Told now and then how far it is.
      verify: Whether to walk through the proof, once there is one, and check that each position follows from others.
      watch_check: Told now and then how far that is.

    Raises:
      TableError: If the rules do not allow it, the folder cannot be used, or a proof does not hold.
    """
    longest_line(match.game)
    questions = (
        [Question(SOUTH, False), Question(NORTH, False)] if can_be_drawn(match.game) else [Question(SOUTH, False)]
    )
    room = memory * (1 << 30) * _SHARE_OF_CHECK  # whether or not a proof is checked: the files keep their size
    entries = int((memory * (1 << 30) - room) / _BYTES_AN_ENTRY / len(questions)) // BUCKET * BUCKET
    notes = _Notes(folder, match, table, len(questions))
    searches = [
        ProofSearch(match, question, table, entries, folder and folder / f"player_{question.player}.memory")
        for question in questions
    ]
    try:
        _run(searches, notes, None if seconds is None else time.monotonic() + seconds, watch)
    finally:
        notes.save(searches)
    solution = _conclude(match, searches, notes)
    if not verify:
        return solution
    return solution._replace(
        checked={
            search.question: check_proof(search, answer.state, int(room / _BYTES_SEEN), watch_check)
            for search, answer in zip(searches, notes.answers(searches), strict=True)
            if answer.state != OPEN
        }
    )


def can_be_drawn(game: Game) -> bool:
    """Whether the rules know draws."""
    rules = game.rules
    return rules.can_shuffle or rules.no_progress_limit != "off" or rules.no_moves in ("draw", "majority")


def _run(searches: list[ProofSearch], notes: "_Notes", end: float | None, watch: Watch | None) -> None:
    """Asks the questions in turn, that of which least is known first, until one is proved or all are answered."""
    while True:
        answers = notes.answers(searches)
        waiting = [place for place, answer in enumerate(answers) if answer.state == OPEN]
        if not waiting or any(answer.state == PROVED for answer in answers):
            return
        place = min(waiting, key=lambda place: answers[place].nodes)
        search = searches[place]
        goal = search.answer.nodes + NODES_BETWEEN_QUESTIONS
        while search.answer.nodes < goal and not search.go_on(NODES_AT_ONCE):
            if watch:
                watch(search.question, notes.answers(searches)[place])
            if end is not None and time.monotonic() > end:
                return
        notes.save(searches)


def _conclude(match: Match, searches: list[ProofSearch], notes: "_Notes") -> Solution:
    answers = notes.answers(searches)
    proved = next((place for place, answer in enumerate(answers) if answer.state == PROVED), None)
    winner: int | str | None = None
    shown = proved
    if proved is not None:
        winner = searches[proved].question.player
        # Where one wins the other does not, whether or not that has been searched too.
        answers = [answer._replace(state=DISPROVED) if answer.state == OPEN else answer for answer in answers]
    elif all(answer.state == DISPROVED for answer in answers):
        winner = "draw" if len(searches) > 1 else 1 - searches[0].question.player
        shown = 0
    line = () if shown is None else _turns(match, searches[shown].line(answers[shown].state))
    found = {search.question: answer for search, answer in zip(searches, answers, strict=True)}
    return Solution(winner, found, line, notes.seconds, {})


def _turns(match: Match, line: Sequence[Step]) -> tuple[str, ...]:
    ahead = match.copy()
    for step in line:
        ahead.push(step)
    return tuple(join_turn([step.text for step in steps]) for _, steps in ahead.history[len(match.history) :])


class _Notes:
    """What a folder says of the questions that its memory answers, and how long that has taken.

    Attributes:
      seconds: How long it took, all sessions together, as of the last time that it was saved.
    """

    def __init__(self, folder: Path | None, match: Match, table: EndgameTable | None, questions: int) -> None:
        self._file = None if folder is None else folder / _NOTES
        self._identity: dict[str, Any] = {
            "game": match.game.name,
            "table_hash": match.game.table_hash,
            "position": match.position,
            "table": None if table is None else table.digest,
            "search": _SEARCH,
        }
        self._began = time.monotonic()
        self._seconds = 0.0
        self._known = [UNASKED] * questions
        if self._file is not None and self._file.exists():
            self._read(self._file)
        self.seconds = self._seconds

    def answers(self, searches: Sequence[ProofSearch]) -> list[Answer]:
        """What is known of each question, from all sessions."""
        return [_joined(known, search.answer) for known, search in zip(self._known, searches, strict=True)]

    def save(self, searches: Sequence[ProofSearch]) -> None:
        """Notes how it stands."""
        self.seconds = self._seconds + time.monotonic() - self._began
        if self._file is None:
            return
        answers = [answer._asdict() for answer in self.answers(searches)]
        content = {**self._identity, "seconds": self.seconds, "answers": answers}
        write_whole(self._file, json.dumps(content).encode())

    def _read(self, file: Path) -> None:
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            self._seconds = float(found.pop("seconds"))
            self._known = [_read_answer(**answer) for answer in found.pop("answers")]
        except (ValueError, KeyError, AttributeError, TypeError):
            raise TableError(f"{file} is damaged: delete its folder to begin again") from None
        if found != self._identity:
            raise TableError(f"{file.parent} holds the work on {found}, not on {self._identity}")


def _joined(known: Answer, found: Answer) -> Answer:
    """What is known of a question after a session."""
    if known.state != OPEN or found.nodes == 0:
        return known
    return found._replace(nodes=known.nodes + found.nodes)


def _read_answer(state: str, **numbers: int) -> Answer:
    if state not in (PROVED, DISPROVED, OPEN):
        raise ValueError(state)
    return Answer(state, **{name: int(number) for name, number in numbers.items()})
