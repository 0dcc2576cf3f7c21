"""Whether a player wins a position: the proof-number search for the answer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np

from ...errors import TableError
from ...files.mapped import map_file
from ...files.schema import Key
from ...game import table_layout as TABLE
from ...game.game import Game
from ...game.kernel_arrays import copied, word_rows, words
from ...game.step import Step
from ...match.match import Match
from ..notes import cannot_write
from ..tables import EndgameTable
from ..tables.search_probe import Endgames
from . import dfpn_kernels as k

PROVED: Final = "proved"
DISPROVED: Final = "disproved"
OPEN: Final = "open"


_State = Literal["proved", "disproved", "open"]
_Count = Annotated[int, Key(low=0)]


@dataclass(frozen=True)
class Answer:
    """The answer so far to whether a player wins.

    Attributes:
      state: PROVED, DISPROVED or OPEN.
      proof, disproof: Proof number and disproof number of the position.
      nodes: Positions searched.
      held: Positions in the transposition table.
    """

    state: _State
    proof: _Count
    disproof: _Count
    nodes: _Count
    held: _Count


UNASKED = Answer(OPEN, 1, 1, 0, 0)  # the answer before the search has begun


class ProofSearch:
    """Searches for whether a player wins.

    Args:
      match: The position to search, of a match that is not over.
      player: 0 or 1.
      table: An endgame table, or None.
      entries: Size of the transposition table, rounded down to a power of 2.
      file: The file of the transposition table, so that the search can be resumed, in a folder that exists; None to
        keep it in memory only.

    Attributes:
      match, player, table: As above.
      memory: The transposition table.
      known: What the kernels look positions up in.

    Raises:
      TableError: If the file cannot be used.
    """

    def __init__(
        self, match: Match, player: int, table: EndgameTable | None, entries: int, file: Path | None = None
    ) -> None:
        self.match = match.copy()
        self.player = player
        game = match.game
        t = game.table.words
        self.table = table
        endgames = Endgames(table, most=None)
        buckets = 1 << max(0, (entries // k.BUCKET).bit_length() - 1)
        self.memory = _open_memory(file, buckets * k.BUCKET * k.ENTRY_SIZE)
        levels = longest_line(game)
        states = word_rows(t, levels, t[TABLE.STATE_SIZE])
        states[0][:] = copied(t, match.state)
        self._line = k.Search(
            states,
            word_rows(t, levels, t[TABLE.NUM_ACTIONS]),
            word_rows(t, levels, k.FRAME_SIZE),
            word_rows(t, levels, k.KID_SIZE * t[TABLE.NUM_ACTIONS]),
        )
        control = words(t, k.CONTROL_SIZE)
        control[k.LEVEL] = k.BEGIN
        control[k.PROVER] = player
        control[k.MASK] = buckets - 1
        self.known = k.Known(t, endgames.index, endgames.codes, self.memory, control, words(t, t[TABLE.SCRATCH_SIZE]))

    def run(self, nodes: int) -> bool:
        """Searches `nodes` more positions; returns whether the question is answered."""
        return bool(k.search(self.known, self._line, nodes))

    @property
    def answer(self) -> Answer:
        """The answer so far."""
        control = self.known.control
        if control[k.LEVEL] == k.BEGIN:
            return UNASKED
        root = self._line.frames[0]
        proof, disproof = int(root[k.PROOF]), int(root[k.DISPROOF])
        state: _State = PROVED if proof == 0 else DISPROVED if disproof == 0 else OPEN
        return Answer(state, proof, disproof, int(control[k.NODES]), int(control[k.HELD]))

    def line(self, state: str) -> tuple[Step, ...]:
        """A line that shows the answer PROVED or DISPROVED, as far as transposition and endgame table reach.

        The side that succeeds takes the step that took the least work to show, the other side the one that took most.
        """
        ahead = self.match.copy()
        shown = k.KID_PROOF if state == PROVED else k.KID_DISPROOF
        succeeds = self.player if state == PROVED else 1 - self.player
        while not ahead.is_over:
            found = []
            for step in ahead.legal_steps:
                ahead.push(step)
                work = self._work_to_show(ahead, shown)
                ahead.pop()
                if work is not None:
                    found.append((work, step))
            if not found or (ahead.player != succeeds and len(found) < len(ahead.legal_steps)):
                break
            choose = min if ahead.player == succeeds else max
            work, step = choose(found, key=lambda entry: entry[0])
            ahead.push(step)
            if work == 0:
                break
        return ahead.steps[len(self.match.steps) :]

    def _work_to_show(self, match: Match, shown: int) -> int | None:
        """The positions searched to show a position's answer, 0 where rules or table decide; None without one."""
        t = match.game.table.words
        kid = words(t, k.KID_SIZE)
        k.numbers_of(self.known, copied(t, match.state), words(t, match.game.num_actions), kid)
        if kid[shown] != 0:
            return None
        if kid[k.KID_KEY] == 0:
            return 0
        place = k.find_entry(self.memory, self.known.control, kid[k.KID_KEY], kid[k.KID_CHECK])
        return None if place < 0 else int(self.memory[place + k.E_REST]) >> k.WORK_AT


def longest_line(game: Game) -> int:
    """The most steps until the rules end every match.

    Raises `TableError` if only repetition ends some, or if the board has too many points for a proof.
    """
    game.check_fits("a proof", TableError)
    rules = game.rules
    pieces = sum(game.most_pieces)
    progress = pieces * (2 if rules.promotion != "none" else 1) + sum(game.hands)
    men_progress = rules.progress == "capture_or_man_step"
    if rules.no_progress_limit != "off" and (game.can_shuffle or not men_progress):
        quiet = rules.no_progress_limit
        if men_progress:
            # Each man walks once, and once more after each capture, without coming back to a point.
            rows = {y for _, y in game.board.points}
            progress += 2 * pieces * (len(rows if rules.man_steps == "forward" else game.board.points) - 1)
    elif not game.can_shuffle:
        quiet = 2 * len(game.board.points) * pieces
    else:
        raise TableError(
            f"{game.name} cannot be solved from the start where only repetition ends play without progress: "
            f"set no_progress_limit to a number"
        )
    if rules.repetition != "off" and game.can_shuffle:
        raise TableError(f"{game.name} cannot be solved from the start with repetition={rules.repetition}")
    return (quiet + 1) * (progress + 1) + 2 * len(game.board.points) + len(game.schedule)


def _open_memory(file: Path | None, size: int) -> Any:
    if file is None:
        return np.zeros(size, np.int64)
    try:
        if file.exists() and file.stat().st_size != 8 * size:
            raise TableError(f"{file} holds another amount of memory: give the same --memory, or delete it")
        return map_file(file, np.int64, size)
    except OSError as error:
        raise cannot_write(file, error, " or take less --memory") from None
