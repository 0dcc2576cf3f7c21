"""Checks a proof: that each of its positions follows from others of it, and these from the rules or the table."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ...errors import TableError
from ...game import table_layout as e
from ...game.kernel_arrays import word_rows, words
from ...match.match import Match
from . import dfpn_kernels as k
from . import verify_kernels as c
from .dfpn import PROVED, ProofSearch, longest_line

POSITIONS_AT_ONCE = 1 << 16
GAPS_AT_ONCE = 1 << 10
ENTRIES_FOR_A_GAP = 1 << 18
NODES_FOR_A_GAP = 1 << 24


class Checked(NamedTuple):
    """What a proof consists of.

    Attributes:
      positions: In which one side must move: all steps of one side lead on, and one of the other.
      ends: Steps to where the rules or the table decide.
      gaps: Positions of which it was no longer remembered how to go on; they were searched again, and what was found
        was walked through as well.
    """

    positions: int
    ends: int
    gaps: int


def check_proof(
    search: ProofSearch, state: str, entries: int = 1 << 16, watch: Callable[[Checked], None] | None = None
) -> Checked:
    """Walks through all positions that an answer rests on, each once as far as there is room to know it again.

    Args:
      search: What remembers them.
      state: The answer, PROVED or DISPROVED.
      entries: Positions that can be known again; rounded down to a power of 2.
      watch: Told now and then how far it is.

    Raises:
      TableError: If the proof does not hold.
    """
    slots = 1 << max(0, entries.bit_length() - 1)
    walk = _Walk(search, state, words(slots * c.SEEN_SIZE))
    while True:
        is_done = walk.go_on()
        if watch:
            watch(walk.checked)
        if is_done:
            return walk.checked


class _Walk:
    """One through the proof that a search remembers; each gap in it is searched again and walked through as well."""

    def __init__(self, search: ProofSearch, state: str, seen: Any) -> None:
        game = search.match.game
        t = game.table.words
        self._search, self._state = search, state
        levels = longest_line(game)
        self._states = word_rows(levels, t[e.T_STATE_SIZE])
        self._choices = word_rows(levels, t[e.T_NUM_ACTIONS])
        self._frames = word_rows(levels, c.FRAME_SIZE)
        self._kid, self._scratch = words(k.KID_SIZE), words(t[e.T_SCRATCH_SIZE])
        self._gaps = word_rows(GAPS_AT_ONCE, t[e.T_STATE_SIZE])
        self._seen, self._tally, self._task = seen, words(c.TALLY_SIZE), words(c.TASK_SIZE)
        self._states[0][:] = search.match.state
        self._tally[c.LEVEL] = c.BEGIN
        player = search.question.player
        self._task[c.SUCCEEDS] = player if state == PROVED else 1 - player
        self._task[c.SHOWN] = k.KID_PROOF if state == PROVED else k.KID_DISPROOF
        self._task[c.MASK] = len(seen) // c.SEEN_SIZE - 1
        self._in_gaps = Checked(0, 0, 0)

    @property
    def checked(self) -> Checked:
        """What has been walked through by now."""
        positions, ends, gaps = self._in_gaps
        return Checked(int(self._tally[c.POSITIONS]) + positions, int(self._tally[c.ENDS]) + ends, gaps)

    def go_on(self) -> bool:
        """Walks on for a while; tells whether it is at its end."""
        search = self._search
        is_done = c.walk(
            search.match.game.table.words,
            self._states,
            self._choices,
            self._frames,
            self._kid,
            self._scratch,
            search.endgames.index,
            search.endgames.codes,
            search.memory,
            search.control,
            self._task,
            self._seen,
            self._tally,
            self._gaps,
            POSITIONS_AT_ONCE,
        )
        if self._tally[c.WRONG]:
            raise TableError("the proof does not hold: one of its steps leads to another result")
        for row in range(int(self._tally[c.GAPS])):
            self._fill(Match.from_state(search.match.game, self._gaps[row]))
        self._tally[c.GAPS] = 0
        return bool(is_done)

    def _fill(self, match: Match) -> None:
        """Searches a position again of which too little is remembered."""
        search = ProofSearch(match, self._search.question, self._search.table, ENTRIES_FOR_A_GAP)
        if not search.go_on(NODES_FOR_A_GAP):
            raise TableError("too little of the proof is remembered to check it: solve the position again")
        if search.answer.state != self._state:
            raise TableError(f"the proof does not hold: {match.position} is {search.answer.state}, not {self._state}")
        walk = _Walk(search, self._state, self._seen)
        while not walk.go_on():
            pass
        positions, ends, gaps = walk.checked
        # The position itself has been counted where the gap was found.
        found = Checked(positions - 1, ends, gaps + 1)
        self._in_gaps = Checked(*(one + other for one, other in zip(self._in_gaps, found, strict=True)))
