"""Walks through a proof, compiled: whoever is to succeed has one step at each position, the other has all.

The proof is what the memory of a search holds. Where that has given way to something else there is a gap.
"""

from ...engine import rules as e
from ...engine.compiler import borrowed, kernel
from .dfpn_kernels import E_REST, KID_CHECK, KID_KEY, WORK_AT, numbers_of, recall

# Layout of a frame: a position of the line that is being walked.
COUNT, NEXT, FRAME_SIZE = 0, 1, 2  # steps to be looked at, and the one whose turn it is

# Layout of the tally.
LEVEL, POSITIONS, ENDS, GAPS, WRONG, TALLY_SIZE = 0, 1, 2, 3, 4, 5
BEGIN = -2  # as a level: the walk has not begun

# Numbers of the task: who succeeds, the number that is 0 where that is shown, and the mask of `seen`.
SUCCEEDS, SHOWN, MASK, TASK_SIZE = 0, 1, 2, 3

SEEN_SIZE = 2


@kernel
def walk(t, states, choices, frames, kid, w, x, codes, memory, control, task, seen, tally, gaps, budget):
    """Goes on for `budget` positions, to the end, or until `gaps` is full; tells whether the end is reached.

    Args:
      seen: Positions that have been walked through; a later one may take the place of another, which is then walked
        through once more.
      tally: Counted: positions, ends that the rules or the table decide, gaps, ends that are decided otherwise.
      gaps: Written: states of which it is not remembered what leads to success.
    """
    return _walk(
        borrowed(t),
        borrowed(states),
        borrowed(choices),
        borrowed(frames),
        borrowed(kid),
        borrowed(w),
        borrowed(x),
        borrowed(codes),
        borrowed(memory),
        borrowed(control),
        borrowed(task),
        borrowed(seen),
        borrowed(tally),
        borrowed(gaps),
        len(gaps),
        budget,
    )


@kernel
def _walk(t, states, choices, frames, kid, w, x, codes, memory, control, task, seen, tally, gaps, room, budget):
    level = tally[LEVEL]
    end = tally[POSITIONS] + budget
    if level == BEGIN:
        level = 0
        _enter(t, states, choices, frames, kid, w, x, codes, memory, control, task, tally, gaps, 0)
    while level >= 0 and tally[POSITIONS] < end and tally[GAPS] < room and tally[WRONG] == 0:
        frame = frames[level]
        if frame[NEXT] == frame[COUNT]:
            level -= 1
            continue
        action = choices[level][frame[NEXT]]
        frame[NEXT] += 1
        _look(t, states, choices, kid, w, x, codes, memory, control, level, action)
        if kid[KID_KEY] == 0:
            tally[ENDS] += 1
            tally[WRONG] += kid[task[SHOWN]] != 0
            continue
        place = (kid[KID_KEY] & task[MASK]) * SEEN_SIZE
        if seen[place] == kid[KID_KEY] and seen[place + 1] == kid[KID_CHECK]:
            continue
        seen[place] = kid[KID_KEY]
        seen[place + 1] = kid[KID_CHECK]
        level += 1
        _enter(t, states, choices, frames, kid, w, x, codes, memory, control, task, tally, gaps, level)
    tally[LEVEL] = level
    return level == -1


@kernel
def _enter(t, states, choices, frames, kid, w, x, codes, memory, control, task, tally, gaps, level):
    """Sets up the frame of a position: all its steps, or the one that took the least work to show."""
    tally[POSITIONS] += 1
    frame, s = frames[level], states[level]
    n = e.legal_actions(t, s, w, choices[level])
    frame[NEXT] = 0
    frame[COUNT] = n
    if s[e.PLAYER] != task[SUCCEEDS]:
        return
    frame[COUNT] = 0
    least = 0
    for index in range(n):
        action = choices[level][index]
        _look(t, states, choices, kid, w, x, codes, memory, control, level, action)
        if kid[task[SHOWN]] != 0:
            continue
        work = 0
        if kid[KID_KEY] != 0:
            place = recall(memory, control, kid[KID_KEY], kid[KID_CHECK])
            work = memory[place + E_REST] >> WORK_AT
        if frame[COUNT] == 0 or work < least:
            least = work
            choices[level][0] = action
            frame[COUNT] = 1
    if frame[COUNT] == 0:
        e.copy_state(t, s, gaps[tally[GAPS]])
        tally[GAPS] += 1


@kernel
def _look(t, states, choices, kid, w, x, codes, memory, control, level, action):
    """Writes the position after a step into the next row, and its numbers into `kid`, the keys 0 where it is an end."""
    after = states[level + 1]
    e.copy_state(t, states[level], after)
    e.apply_action(t, after, w, action)
    kid[KID_KEY] = 0
    numbers_of(t, after, choices[level + 1], w, x, codes, memory, control, kid, 0)
