"""Verifies a proof: each position follows from other positions of the proof, and these from the rules or the table.

Kernels walk through it: one step from each position of the side that succeeds, all steps of the other side. The proof
is in the transposition table of a search. Where an entry was replaced, there is a gap.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules_scalar as rules
from ...engine.compiler import kernel, long_kernel
from ...engine.kernel_types import Rows, Words
from ...errors import TableError
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.kernel_arrays import word_rows, words
from ...game.outcomes import ONGOING
from ...match.match import Match
from . import dfpn_kernels as k
from .dfpn import PROVED, ProofSearch, longest_line
from .dfpn_kernels import E_REST, KID_CHECK, KID_KEY, WORK_AT, Known, find_entry, first_key, second_key, write_numbers

# Layout of a frame, a position of the current line: the number of steps to look at, and the next one.
COUNT, NEXT, FRAME_SIZE = 0, 1, 2

# Layout of the tally: the current level, then counts.
LEVEL, POSITIONS, ENDS, GAPS, WRONG, LOGGED, TALLY_SIZE = 0, 1, 2, 3, 4, 5, 6
BEGIN, FINISHED = -2, -1  # as levels

# Layout of the task: who succeeds, the number that is 0 if it is shown, the mask of `seen`, and whether to log.
SUCCEEDS, SHOWN, MASK, LOGS, TASK_SIZE = 0, 1, 2, 3, 4

# In the log, in place of the step of a position: all steps follow, or the endgame table decides.
ALL_STEPS, BY_TABLE = -1, -2

SEEN_SIZE = 2


class Walk(NamedTuple):
    """A walk.

    Attributes:
      states, choices, frames: The current line, a row for each position.
      kid: Room for the numbers of a position.
      task: What is to be shown.
      seen: A hash table of positions that were visited; a position that was replaced is visited again.
      tally: Counts of positions, ends that the rules or the endgame table decide, gaps, and wrong ends.
      gaps: Written: the states of gaps.
      log: Written: each position that holds as its state and the step that shows it. It comes after those it leads to.
    """

    states: Rows
    choices: Rows
    frames: Rows
    kid: Words
    task: Words
    seen: Words
    tally: Words
    gaps: Rows
    log: Rows


@long_kernel
def walk(known: Known, state: Walk, budget: int, room: int, log_room: int) -> bool:
    """Visits `budget` more positions, or until `gaps` or `log` is full; returns whether the walk is finished."""
    kid, tally = state.kid, state.tally
    level = tally[LEVEL]
    end = tally[POSITIONS] + budget
    if level == BEGIN:
        level += 2  # not `level = 0`: Numba compiles a kernel once for each constant argument
        _enter(known, state, level)
    while level >= 0 and tally[POSITIONS] < end and tally[GAPS] < room and tally[WRONG] == 0:
        if tally[LOGGED] == log_room:
            break
        frame = state.frames[level]
        if frame[NEXT] == frame[COUNT]:
            if state.task[LOGS] and frame[COUNT] > 0:
                succeeds = state.states[level][STATE.PLAYER] == state.task[SUCCEEDS]
                _log(known, state, level, state.choices[level][0] if succeeds else ALL_STEPS)
            level -= 1
            continue
        action = state.choices[level][frame[NEXT]]
        frame[NEXT] += 1
        _take(known, state, level, action)
        if kid[KID_KEY] == 0:
            tally[ENDS] += 1
            tally[WRONG] += kid[state.task[SHOWN]] != 0
            if state.task[LOGS]:
                _log_end(known, state, level + 1)
            continue
        if _was_seen(state, kid[KID_KEY], kid[KID_CHECK]):
            continue
        level += 1
        _enter(known, state, level)
    tally[LEVEL] = level
    return level == FINISHED


@kernel
def _was_seen(at: Walk, key: int, check: int) -> bool:
    """Whether a position was visited and not replaced since; notes that it is visited."""
    seen, place = at.seen, (key & at.task[MASK]) * SEEN_SIZE
    if seen[place] == key and seen[place + 1] == check:
        return True
    seen[place] = key
    seen[place + 1] = check
    return False


@kernel
def _log(k: Known, at: Walk, level: int, step: int) -> None:
    row = at.log[at.tally[LOGGED]]
    rules.copy_state(k.t, at.states[level], row)
    row[k.t[TABLE.STATE_SIZE]] = step
    at.tally[LOGGED] += 1


@kernel
def _log_end(k: Known, at: Walk, level: int) -> None:
    """Logs an end unless the rules decide it."""
    s = at.states[level]
    n = rules.legal_actions(k.t, s, k.w, at.choices[level])
    if rules.outcome(k.t, s, n, 0) == ONGOING and not _was_seen(at, first_key(k.t, s), second_key(k.t, s)):
        _log(k, at, level, BY_TABLE)


@kernel
def _enter(k: Known, at: Walk, level: int) -> None:
    """Sets up the frame of a position: all its steps, or the one that took the least work to show."""
    tally, kid, choices = at.tally, at.kid, at.choices[level]
    tally[POSITIONS] += 1
    frame, s = at.frames[level], at.states[level]
    n = rules.legal_actions(k.t, s, k.w, choices)
    frame[NEXT] = 0
    frame[COUNT] = n
    if s[STATE.PLAYER] != at.task[SUCCEEDS]:
        return
    frame[COUNT] = 0
    least = 0
    for index in range(n):
        action = choices[index]
        _take(k, at, level, action)
        if kid[at.task[SHOWN]] != 0:
            continue
        work = 0
        if kid[KID_KEY] != 0:
            place = find_entry(k.memory, k.control, kid[KID_KEY], kid[KID_CHECK])
            work = k.memory[place + E_REST] >> WORK_AT
        if frame[COUNT] == 0 or work < least:
            least = work
            choices[0] = action
            frame[COUNT] = 1
    if frame[COUNT] == 0:
        rules.copy_state(k.t, s, at.gaps[tally[GAPS]])
        tally[GAPS] += 1


@kernel
def _take(k: Known, at: Walk, level: int, action: int) -> None:
    """Writes the position after a step into the next row, and its numbers into `kid`; the key is 0 at an end."""
    after = at.states[level + 1]
    rules.copy_state(k.t, at.states[level], after)
    rules.apply_action(k.t, after, k.w, action)
    at.kid[KID_KEY] = 0
    write_numbers(k, after, at.choices[level + 1], at.kid, 0)


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
"""Takes a state and the step that shows its answer, an action, ALL_STEPS or BY_TABLE."""


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
    counts = np.zeros(3, np.int64)
    walk = _ProofWalk(search, state, words(search.match.game.table.words, slots * SEEN_SIZE), record, counts)
    is_done = False
    while not is_done:
        is_done = walk.run()
        if watch:
            watch(Checked(*counts.tolist()))
    return Checked(*counts.tolist())


class _ProofWalk:
    """A walk through the proof of a search; each gap is searched again and that proof is walked through as well.

    Adds to `counts`, as in `Checked`.
    """

    def __init__(self, search: ProofSearch, state: str, seen: Any, record: Record | None, counts: np.ndarray) -> None:
        t = search.match.game.table.words
        self._search, self._state, self._record, self._counts = search, state, record, counts
        levels = longest_line(search.match.game)
        # A position is recorded after those that it leads to, so a recorded walk goes on when a gap is filled.
        gaps, logged = (GAPS_AT_ONCE, 1) if record is None else (1, LOGGED_AT_ONCE)
        states, self._gaps = word_rows(t, levels, t[TABLE.STATE_SIZE]), word_rows(t, gaps, t[TABLE.STATE_SIZE])
        states[0][:] = search.match.state
        self._data = Walk(
            states=states,
            choices=word_rows(t, levels, t[TABLE.NUM_ACTIONS]),
            frames=word_rows(t, levels, FRAME_SIZE),
            kid=words(t, k.KID_SIZE),
            task=words(t, TASK_SIZE),
            seen=seen,
            tally=words(t, TALLY_SIZE),
            gaps=self._gaps,
            log=word_rows(t, logged, t[TABLE.STATE_SIZE] + 1),
        )
        self._data.task[LOGS] = record is not None
        self._data.tally[LEVEL] = BEGIN
        self._data.task[SUCCEEDS] = search.player if state == PROVED else 1 - search.player
        self._data.task[SHOWN] = k.KID_PROOF if state == PROVED else k.KID_DISPROOF
        self._data.task[MASK] = len(seen) // SEEN_SIZE - 1

    def run(self) -> bool:
        """Walks on for a while; returns whether the walk is finished."""
        is_done = walk(self._search.known, self._data, POSITIONS_AT_ONCE, len(self._data.gaps), len(self._data.log))
        tally = self._data.tally
        self._counts += [tally[POSITIONS], tally[ENDS], tally[GAPS]]
        tally[POSITIONS] = tally[ENDS] = 0
        if self._record is not None:
            rows = self._data.log
            for row in range(int(tally[LOGGED])):
                known = [int(rows[row][place]) for place in range(len(rows[row]))]
                self._record(known[:-1], known[-1])
            tally[LOGGED] = 0
        if tally[WRONG]:
            raise TableError("the proof does not hold: one of its steps leads to another result")
        for row in range(int(tally[GAPS])):
            self._fill(Match.from_state(self._search.match.game, self._gaps[row]))
        tally[GAPS] = 0
        return bool(is_done)

    def _fill(self, match: Match) -> None:
        """Searches the position of a gap again and walks through its proof."""
        entries = min(ENTRIES_FOR_A_GAP, len(self._search.memory) // k.ENTRY_SIZE)
        search = ProofSearch(match, self._search.player, self._search.table, entries)
        if not search.run(NODES_FOR_A_GAP):
            raise TableError("too little of the proof is left in memory to verify it: solve the position again")
        if search.answer.state != self._state:
            raise TableError(f"the proof does not hold: {match.position} is {search.answer.state}, not {self._state}")
        self._counts[0] -= 1  # the position itself was counted where the gap was found
        walk = _ProofWalk(search, self._state, self._data.seen, self._record, self._counts)
        while not walk.run():
            pass
