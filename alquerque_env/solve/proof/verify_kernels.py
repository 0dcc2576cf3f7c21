"""Walks through a proof, compiled: one step from each position of the side that succeeds, all steps of the other side.

The proof is in the transposition table of a search. Where an entry was replaced, there is a gap.
"""

from typing import NamedTuple

from ...engine import rules_scalar as rules
from ...engine.compiler import borrowed, kernel, long_kernel
from ...engine.kernel_types import Rows, Words
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.outcomes import ONGOING
from .dfpn_kernels import (
    E_REST,
    KID_CHECK,
    KID_KEY,
    WORK_AT,
    Known,
    find_entry,
    first_key,
    second_key,
    write_numbers,
)

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
def walk(known: Known, state: Walk, budget: int) -> bool:
    """Visits `budget` more positions, or until `gaps` or `log` is full; returns whether the walk is finished."""
    k, at, room, log_room = borrowed(known), borrowed(state), len(state.gaps), len(state.log)
    kid, tally = at.kid, at.tally
    level = tally[LEVEL]
    end = tally[POSITIONS] + budget
    if level == BEGIN:
        level += 2  # not `level = 0`: Numba compiles a kernel once for each constant argument
        _enter(k, at, level)
    while level >= 0 and tally[POSITIONS] < end and tally[GAPS] < room and tally[WRONG] == 0:
        if tally[LOGGED] == log_room:
            break
        frame = at.frames[level]
        if frame[NEXT] == frame[COUNT]:
            if at.task[LOGS] and frame[COUNT] > 0:
                succeeds = at.states[level][STATE.PLAYER] == at.task[SUCCEEDS]
                _log(k, at, level, at.choices[level][0] if succeeds else ALL_STEPS)
            level -= 1
            continue
        action = at.choices[level][frame[NEXT]]
        frame[NEXT] += 1
        _take(k, at, level, action)
        if kid[KID_KEY] == 0:
            tally[ENDS] += 1
            tally[WRONG] += kid[at.task[SHOWN]] != 0
            if at.task[LOGS]:
                _log_end(k, at, level + 1)
            continue
        if _was_seen(at, kid[KID_KEY], kid[KID_CHECK]):
            continue
        level += 1
        _enter(k, at, level)
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
