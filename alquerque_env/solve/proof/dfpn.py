"""One question about a position, and the search for its answer."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import TableError
from ...game import table_layout as e
from ...game.game import Game
from ...game.kernel_arrays import word_rows, words
from ...game.step import Step
from ...match.match import Match
from ..tables import EndgameTable
from ..tables.search_probe import Endgames
from . import dfpn_kernels as k

PROVED, DISPROVED, OPEN = "proved", "disproved", "open"


class Question(NamedTuple):
    """Whether a player can reach a goal.

    Attributes:
      player: The player.
      draw_is_enough: Whether a draw will do, and not only a win.
    """

    player: int
    draw_is_enough: bool


class Answer(NamedTuple):
    """What is known of a question.

    Attributes:
      state: PROVED, DISPROVED or OPEN.
      proof, disproof: How much must yet be shown at least, by the search's own measure.
      nodes: Positions searched.
      held: Positions in memory.
    """

    state: str
    proof: int
    disproof: int
    nodes: int
    held: int


UNASKED = Answer(OPEN, 1, 1, 0, 0)
"""What is known of a question before its search has begun."""


class ProofSearch:
    """Searches for the answer to a question.

    Args:
      match: Where to search; not over.
      question: What is asked.
      table: Exact values of endgames, if there are any.
      entries: Positions that can be remembered; rounded down to a power of 2.
      file: Where they are kept, to go on later; None to keep them in memory only.

    Attributes:
      match, question, table: What is asked, and over which table.
      endgames, memory, control: As the kernels read them.

    Raises:
      TableError: If the file cannot be used.
    """

    def __init__(
        self, match: Match, question: Question, table: EndgameTable | None, entries: int, file: Path | None = None
    ) -> None:
        self.match = match.copy()
        self.question = question
        game = match.game
        t = game.table.words
        self.table = table
        self.endgames = Endgames(table, most=None)
        buckets = 1 << max(0, (entries // k.BUCKET).bit_length() - 1)
        self.memory = _open_memory(file, buckets * k.BUCKET * k.ENTRY_SIZE)
        levels = longest_line(game)
        self._states = word_rows(levels, t[e.T_STATE_SIZE])
        self._choices = word_rows(levels, t[e.T_NUM_ACTIONS])
        self._frames = word_rows(levels, k.FRAME_SIZE)
        self._kids = word_rows(levels, k.KID_SIZE * t[e.T_NUM_ACTIONS])
        self._scratch = words(t[e.T_SCRATCH_SIZE])
        self._states[0][:] = match.state
        self.control = words(k.CONTROL_SIZE)
        self.control[k.LEVEL] = k.BEGIN
        self.control[k.PROVER] = question.player
        self.control[k.DRAW_IS_ENOUGH] = question.draw_is_enough
        self.control[k.MASK] = buckets - 1

    def go_on(self, nodes: int) -> bool:
        """Searches so many more positions; tells whether the question is answered."""
        return bool(
            k.search(
                self.match.game.table.words,
                self._states,
                self._choices,
                self._frames,
                self._kids,
                self._scratch,
                self.endgames.index,
                self.endgames.codes,
                self.memory,
                self.control,
                nodes,
            )
        )

    @property
    def answer(self) -> Answer:
        """What is known by now."""
        if self.control[k.LEVEL] == k.BEGIN:
            return UNASKED
        root = self._frames[0]
        proof, disproof = int(root[k.PROOF]), int(root[k.DISPROOF])
        state = OPEN
        if 0 in (proof, disproof):
            state = PROVED if proof == 0 else DISPROVED
        return Answer(state, proof, disproof, int(self.control[k.NODES]), int(self.control[k.HELD]))

    def line(self, state: str) -> tuple[Step, ...]:
        """A line that shows an answer, to where the table knows it, or what is remembered ends.

        Whoever succeeds takes the step that took the least work to show, the other the one that took the most.

        Args:
          state: The answer, PROVED or DISPROVED.
        """
        ahead = self.match.copy()
        is_proved = state == PROVED
        succeeds = self.question.player if is_proved else 1 - self.question.player
        while not ahead.is_over:
            found = []
            for step in ahead.legal_steps:
                ahead.push(step)
                known = self._recall(ahead)
                ahead.pop()
                if known is not None and (known.proof if is_proved else known.disproof) == 0:
                    found.append((known.work, step))
            if not found or (ahead.player != succeeds and len(found) < len(ahead.legal_steps)):
                break
            choose = min if ahead.player == succeeds else max
            work, step = choose(found, key=lambda entry: entry[0])
            ahead.push(step)
            if work == 0:
                break
        return ahead.steps[len(self.match.steps) :]

    def _recall(self, match: Match) -> "_Recalled | None":
        """What is known of a position; None where it is not remembered."""
        t = self.match.game.table.words
        kid = words(k.KID_SIZE)
        room = words(t[e.T_NUM_ACTIONS])
        endgames = (self.endgames.index, self.endgames.codes)
        k.value(t, match.state, room, self._scratch, *endgames, self.memory, self.control, kid)
        proof, disproof = int(kid[k.KID_PROOF]), int(kid[k.KID_DISPROOF])
        if kid[k.KID_KEY] == 0:
            return _Recalled(proof, disproof, 0)
        place = k.recall(self.memory, self.control, kid[k.KID_KEY], kid[k.KID_CHECK])
        return None if place < 0 else _Recalled(proof, disproof, int(self.memory[place + k.E_REST]) >> k.WORK_AT)


class _Recalled(NamedTuple):
    """The numbers of a position and how many have been searched below it, 0 where the rules or the table decide."""

    proof: int
    disproof: int
    work: int


def longest_line(game: Game) -> int:
    """Steps for which there must be room: until the rules end every match.

    Raises:
      TableError: If they end some by repetition only, so that a position does not say all that matters.
    """
    rules = game.rules
    pieces = sum(len(side) for side in game.start)
    progress = pieces * (2 if rules.promotion != "none" else 1)
    if rules.no_progress_limit != "off":
        quiet = rules.no_progress_limit
    elif not rules.can_shuffle:
        quiet = 2 * len(game.board.points) * pieces
    else:
        raise TableError(
            f"{game.name} cannot be solved from the start where only repetition ends play without progress: "
            f"set no_progress_limit to a number"
        )
    if rules.repetition != "off" and rules.can_shuffle:
        raise TableError(f"{game.name} cannot be solved from the start with repetition={rules.repetition}")
    return (quiet + 1) * (progress + 1) + 2 * len(game.board.points)


def _open_memory(file: Path | None, size: int) -> Any:
    if file is None:
        return np.zeros(size, np.int64)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and file.stat().st_size != 8 * size:
            raise TableError(f"{file} holds another amount of memory: give the same --memory, or delete it")
        return np.memmap(file, np.int64, "r+" if file.exists() else "w+", shape=(size,))
    except OSError as error:
        raise TableError(f"cannot use {file}: {error.strerror or error}") from None
