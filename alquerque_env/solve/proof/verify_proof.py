"""Verifies a proof: each position follows from other positions of the proof, and these from the rules or the table."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ...errors import TableError
from ...game import table_layout as TABLE
from ...game.kernel_arrays import word_rows, words
from ...match.match import Match
from . import dfpn_kernels as k, verify_kernels as c
from .dfpn import PROVED, ProofSearch, longest_line

POSITIONS_AT_ONCE = 1 << 16
GAPS_AT_ONCE = 1 << 10
LOGGED_AT_ONCE = 1 << 12
ENTRIES_FOR_A_GAP = 1 << 18
NODES_FOR_A_GAP = 1 << 24


class Checked(NamedTuple):
    """The size of a proof."""

    positions: int  # positions visited
    ends: int  # steps to positions that the rules or the endgame table decide
    gaps: int  # positions whose entries were replaced; they were searched again, and the result was verified too


Record = Callable[[list[int], int], None]
"""Takes a state and the step that shows its answer, an action, ALL_STEPS or BY_TABLE, see `verify_kernels.py`."""


def verify_proof(
    search: ProofSearch,
    state: str,
    entries: int = 1 << 16,
    watch: Callable[[Checked], None] | None = None,
    record: Record | None = None,
) -> Checked:
    """Visits all positions that an answer depends on, most of them once; `TableError` if the proof does not hold.

    Args:
        search: The search that found the answer.
        state: The answer, PROVED or DISPROVED.
        entries: Size of the hash table of visited positions, rounded down to a power of 2.
        watch: Called now and then with the progress.
        record: Called for each position, after those that it leads to; now and then twice for the same position.
    """
    slots = 1 << max(0, entries.bit_length() - 1)
    walk = _ProofWalk(search, state, words(search.match.game.table.words, slots * c.SEEN_SIZE), record)
    while True:
        is_done = walk.run()
        if watch:
            watch(walk.checked)
        if is_done:
            return walk.checked


class _ProofWalk:
    """A walk through the proof of a search; each gap is searched again and that proof is walked through as well."""

    def __init__(self, search: ProofSearch, state: str, seen: Any, record: Record | None) -> None:
        t = search.match.game.table.words
        self._search, self._state, self._record = search, state, record
        levels = longest_line(search.match.game)
        # A position is recorded after those that it leads to, so a recorded walk goes on when a gap is filled.
        gaps, logged = (GAPS_AT_ONCE, 1) if record is None else (1, LOGGED_AT_ONCE)
        states, self._gaps = word_rows(t, levels, t[TABLE.STATE_SIZE]), word_rows(t, gaps, t[TABLE.STATE_SIZE])
        states[0][:] = search.match.state
        self._data = c.Walk(
            states=states,
            choices=word_rows(t, levels, t[TABLE.NUM_ACTIONS]),
            frames=word_rows(t, levels, c.FRAME_SIZE),
            kid=words(t, k.KID_SIZE),
            task=words(t, c.TASK_SIZE),
            seen=seen,
            tally=words(t, c.TALLY_SIZE),
            gaps=self._gaps,
            log=word_rows(t, logged, t[TABLE.STATE_SIZE] + 1),
        )
        self._data.task[c.LOGS] = record is not None
        self._data.tally[c.LEVEL] = c.BEGIN
        self._data.task[c.SUCCEEDS] = search.player if state == PROVED else 1 - search.player
        self._data.task[c.SHOWN] = k.KID_PROOF if state == PROVED else k.KID_DISPROOF
        self._data.task[c.MASK] = len(seen) // c.SEEN_SIZE - 1
        self._in_gaps = Checked(0, 0, 0)

    @property
    def checked(self) -> Checked:
        """What has been visited so far."""
        positions, ends, gaps = self._in_gaps
        tally = self._data.tally
        return Checked(int(tally[c.POSITIONS]) + positions, int(tally[c.ENDS]) + ends, gaps)

    def run(self) -> bool:
        """Walks on for a while; returns whether the walk is finished."""
        is_done = c.walk(self._search.known, self._data, POSITIONS_AT_ONCE)
        tally = self._data.tally
        if self._record is not None:
            rows = self._data.log
            for row in range(int(tally[c.LOGGED])):
                known = [int(rows[row][place]) for place in range(len(rows[row]))]
                self._record(known[:-1], known[-1])
            tally[c.LOGGED] = 0
        if tally[c.WRONG]:
            raise TableError("the proof does not hold: one of its steps leads to another result")
        for row in range(int(tally[c.GAPS])):
            self._fill(Match.from_state(self._search.match.game, self._gaps[row]))
        tally[c.GAPS] = 0
        return bool(is_done)

    def _fill(self, match: Match) -> None:
        """Searches the position of a gap again and walks through its proof."""
        entries = min(ENTRIES_FOR_A_GAP, len(self._search.memory) // k.ENTRY_SIZE)
        search = ProofSearch(match, self._search.player, self._search.table, entries)
        if not search.run(NODES_FOR_A_GAP):
            raise TableError("too little of the proof is left in memory to verify it: solve the position again")
        if search.answer.state != self._state:
            raise TableError(f"the proof does not hold: {match.position} is {search.answer.state}, not {self._state}")
        walk = _ProofWalk(search, self._state, self._data.seen, self._record)
        while not walk.run():
            pass
        positions, ends, gaps = walk.checked
        # The position itself was counted where the gap was found.
        found = Checked(positions - 1, ends, gaps + 1)
        self._in_gaps = Checked(*(one + other for one, other in zip(self._in_gaps, found, strict=True)))
