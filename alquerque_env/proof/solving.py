"""The value of a position of the whole game, from the answers to two questions."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import TableError
from ..game import Game
from ..match import Match
from ..ruleset import NORTH, SOUTH
from ..step import join_turn
from ..tables import EndgameTable
from .kernels import BUCKET, ENTRY_SIZE
from .search import DISPROVED, OPEN, PROVED, Answer, ProofSearch, Question, longest_line

NODES_AT_ONCE = 1 << 14
NODES_BETWEEN_QUESTIONS = 1 << 20
"""Positions that are searched for one question before the other has its turn."""

_BYTES_AN_ENTRY = 8 * ENTRY_SIZE
_NOTES = "questions.json"


class Solution(NamedTuple):
    """What is known of a position.

    Attributes:
      winner: 0 or 1 where that player wins, "draw", or None where it is not known yet.
      answers: For each question that was asked, what is known of it, with the positions of all sessions.
      line: The turns of a line that shows it, as far as it is remembered.
      seconds: How long it took, all sessions together.
    """

    winner: int | str | None
    answers: dict[Question, Answer]
    line: tuple[str, ...]
    seconds: float


Watch = Callable[[Question, Answer], None]


def solve_position(
    match: Match,
    table: EndgameTable | None = None,
    *,
    memory: float = 4.0,
    seconds: float | None = None,
    folder: Path | None = None,
    watch: Watch | None = None,
) -> Solution:
    """Finds out who wins a position, or whether it is a draw.

    Args:
      match: A match that is not over.
      table: Exact values of endgames, if there are any.
      memory: What positions may be remembered in, in GiB.
      seconds: When to stop; None for when it is known.
      folder: Where they are kept, to go on later; None to keep nothing.
      watch: Told now and then how far it is.

    Raises:
      TableError: If the rules do not allow it, or the folder cannot be used.
    """
    longest_line(match.game)
    questions = (
        [Question(SOUTH, False), Question(NORTH, False)] if can_be_drawn(match.game) else [Question(SOUTH, False)]
    )
    entries = int(memory * (1 << 30) / _BYTES_AN_ENTRY / len(questions)) // BUCKET * BUCKET
    notes = _Notes(folder, match, table, len(questions))
    began = time.monotonic()
    searches = [
        ProofSearch(match, question, table, entries, folder and folder / f"player_{question.player}.memory")
        for question in questions
    ]
    try:
        _run(searches, None if seconds is None else began + seconds, watch)
    finally:
        notes.save(searches, time.monotonic() - began)
    return _conclude(match, searches, notes)


def can_be_drawn(game: Game) -> bool:
    """Whether the rules know draws."""
    rules = game.rules
    return rules.can_shuffle or rules.no_progress_limit != "off" or rules.no_moves in ("draw", "majority")


def _run(searches: list[ProofSearch], end: float | None, watch: Watch | None) -> None:
    """Asks the questions in turn until one is proved or all are answered."""
    while any(search.answer.state == OPEN for search in searches):
        for search in searches:
            if search.answer.state != OPEN:
                continue
            goal = search.answer.nodes + NODES_BETWEEN_QUESTIONS
            while search.answer.nodes < goal and not search.go_on(NODES_AT_ONCE):
                if watch:
                    watch(search.question, search.answer)
                if end is not None and time.monotonic() > end:
                    return
            if search.answer.state == PROVED:
                return


def _conclude(match: Match, searches: list[ProofSearch], notes: "_Notes") -> Solution:
    answers = {
        search.question: search.answer._replace(nodes=nodes)
        for search, nodes in zip(searches, notes.nodes, strict=True)
    }
    proved = next((search for search in searches if search.answer.state == PROVED), None)
    winner: int | str | None = None
    shown = proved
    if proved is not None:
        winner = proved.question.player
    elif all(answer.state == DISPROVED for answer in answers.values()):
        winner = "draw" if len(searches) > 1 else 1 - searches[0].question.player
        shown = searches[0]
    return Solution(winner, answers, () if shown is None else _turns(match, shown), notes.seconds)


def _turns(match: Match, search: ProofSearch) -> tuple[str, ...]:
    ahead = match.copy()
    for step in search.line():
        ahead.push(step)
    return tuple(join_turn([step.text for step in steps]) for _, steps in ahead.history[len(match.history) :])


class _Notes:
    """What a folder says of the questions that its memory answers, and how long that has taken."""

    def __init__(self, folder: Path | None, match: Match, table: EndgameTable | None, questions: int) -> None:
        self._file = None if folder is None else folder / _NOTES
        self._identity: dict[str, Any] = {
            "game": match.game.name,
            "table_hash": match.game.table_hash,
            "position": match.position,
            "pieces": None if table is None else table.pieces,
        }
        self.seconds = 0.0
        self.nodes = [0] * questions
        if self._file is not None and self._file.exists():
            self._read(self._file)

    def save(self, searches: list[ProofSearch], seconds: float) -> None:
        """Notes how it stands."""
        self.seconds += seconds
        self.nodes = [before + search.answer.nodes for before, search in zip(self.nodes, searches, strict=True)]
        if self._file is None:
            return
        draft = self._file.with_suffix(".draft")
        text = json.dumps({**self._identity, "seconds": self.seconds, "nodes": self.nodes})
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, self._file)

    def _read(self, file: Path) -> None:
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            self.seconds = float(found.pop("seconds"))
            self.nodes = [int(nodes) for nodes in found.pop("nodes")]
        except (ValueError, KeyError, AttributeError, TypeError):
            raise TableError(f"{file} is damaged: delete its folder to begin again") from None
        if found != self._identity:
            raise TableError(f"{file.parent} holds the work on {found}, not on {self._identity}")
