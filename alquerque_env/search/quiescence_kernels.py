"""What each legal step comes to in pieces once the captures that follow it have been played out, compiled.

After a step as many turns are tried in full as is asked, both sides choosing what is best for them, and then captures
only; where they are free to choose a player may also leave it at what there is. Throughout, `t` is a step table and
`w` scratch words. The exported player carries this file as it is.

Sources: Shannon 1950, Programming a computer for playing chess (evaluation of quiet positions only); Knuth and Moore
1975, An analysis of alpha-beta pruning.
"""

from ..engine import rules as e
from ..engine.compiler import allocate, borrowed, inlined, kernel, popcount, release

# Worths of pieces, and of a match that is over.
MAN, KING, WIN = 1, 2, 100

# How a step is coded: ILLEGAL, or EVEN and what it gains, at most MOST either way, which a match won or lost counts as.
ILLEGAL, EVEN, MOST = 0, 5, 4
# What a network is told of each code: how much the step has for it, and how much against it.
CODES = ((0.0, 0.0), *(((MOST + gain) / (2 * MOST), (MOST - gain) / (2 * MOST)) for gain in range(-MOST, MOST + 1)))

# Of a position in the line that is played out: its choices, the next one to try, the window, the best so far, and how
# many turns from it on are tried in full.
COUNT, NEXT, ALPHA, BETA, BEST, TURNS, FRAME_SIZE = 0, 1, 2, 3, 4, 5, 6
# Steps that are tried after one step, and twice as many for each turn that is tried in full. Where captures are free to
# choose, to try all of them would take too long; what is open then counts as it stands.
PATIENCE = 300


@kernel
def weigh(t, observation, count, turns, codes):
    """Codes the steps of so many observations, one after another.

    Args:
      turns: Turns after each step that are tried in full.
      codes: Written: a number for each action, row by row.
    """
    _weigh(borrowed(t), borrowed(observation), count, turns, borrowed(codes))


@kernel
def _weigh(t, observation, count, turns, codes):
    # Every capture takes a piece for good, and at most one step of a turn is none. What is no position may go on for
    # longer, and is cut off.
    levels = 2 * t[e.T_POINTS] + 3 + turns
    states = allocate(levels, t[e.T_STATE_SIZE])
    choices = allocate(levels, t[e.T_NUM_ACTIONS])
    frames = allocate(levels, FRAME_SIZE)
    scratch = allocate(1, t[e.T_SCRATCH_SIZE])
    w = scratch[0]
    size = t[e.T_NUM_PLANES] * t[e.T_POINTS]
    for row in range(count):
        place = row * t[e.T_NUM_ACTIONS]
        e.recall(t, observation, row * size, states[0])
        now = _material(states[0])
        n = e.legal_actions(t, states[0], w, choices[0])
        for action in range(t[e.T_NUM_ACTIONS]):
            codes[place + action] = ILLEGAL
        for index in range(n):
            action = choices[0][index]
            frames[0][ALPHA] = now - MOST
            frames[0][BETA] = now + MOST
            frames[0][TURNS] = turns + 1
            score = _play_out(t, states, choices, frames, levels, w, action)
            codes[place + action] = EVEN + max(-MOST, min(score - now, MOST))
    release(states)
    release(choices)
    release(frames)
    release(scratch)


@kernel
def _play_out(t, states, choices, frames, levels, w, action):
    """What a step of the position at level 0 comes to, for the player to move there."""
    e.copy_state(t, states[0], states[1])
    e.apply_action(t, states[1], w, action)
    level = 1
    left = PATIENCE << (frames[0][TURNS] - 1)
    searched = _open(t, states, choices, frames, w, level)
    while True:
        frame = frames[level]
        has_more = searched and frame[NEXT] < frame[COUNT] and frame[ALPHA] < frame[BETA]
        if has_more and left > 0 and level + 1 < levels:
            e.copy_state(t, states[level], states[level + 1])
            e.apply_action(t, states[level + 1], w, choices[level][frame[NEXT]])
            frame[NEXT] += 1
            left -= 1
            level += 1
            searched = _open(t, states, choices, frames, w, level)
            continue
        if frame[BEST] < -WIN:
            frame[BEST] = _material(states[level])
        turned = states[level][e.PLAYER] != states[level - 1][e.PLAYER]
        score = -frame[BEST] if turned else frame[BEST]
        level -= 1
        if level == 0:
            return score
        searched = True
        frames[level][BEST] = max(frames[level][BEST], score)
        frames[level][ALPHA] = max(frames[level][ALPHA], score)


@inlined
def _open(t, states, choices, frames, w, level):
    """Sets up a position; tells whether it must be searched. If not, its score is in BEST."""
    s = states[level]
    frame = frames[level]
    above = frames[level - 1]
    turned = s[e.PLAYER] != states[level - 1][e.PLAYER]
    frame[ALPHA] = -above[BETA] if turned else above[ALPHA]
    frame[BETA] = -above[ALPHA] if turned else above[BETA]
    frame[TURNS] = max(0, above[TURNS] - 1) if turned else above[TURNS]
    n = e.legal_actions(t, s, w, choices[level])
    standing = e.outcome(t, s, n, 0)
    if standing != e.ONGOING:
        winner = standing & 3
        frame[BEST] = 0 if winner == e.NOBODY else WIN if winner == s[e.PLAYER] else -WIN
        return False
    frame[NEXT] = 0
    frame[COUNT] = n
    frame[BEST] = -2 * WIN
    if s[e.CHAIN] < 0 and frame[TURNS] == 0:
        frame[COUNT] = _captures(t, s, choices[level], n)
        if frame[COUNT] == 0 or t[e.T_CAPTURE_OPTIONAL]:
            frame[BEST] = _material(s)
            frame[ALPHA] = max(frame[ALPHA], frame[BEST])
    return frame[COUNT] > 0


@inlined
def _captures(t, s, choices, n):
    """The number of captures among the choices, which begin with them."""
    over = t[e.T_STEPS] + e.STEP_SIZE * t[e.T_NUM_ACTIONS] * s[e.PLAYER] + e.OVER
    count = 0
    while count < n and t[over + e.STEP_SIZE * choices[count]] >= 0:
        count += 1
    return count


@inlined
def _material(s):
    """Pieces of the player to move less those of the opponent."""
    player = s[e.PLAYER]
    men = popcount(s[e.MEN + player]) - popcount(s[e.MEN + 1 - player])
    kings = popcount(s[e.KINGS + player]) - popcount(s[e.KINGS + 1 - player])
    return MAN * men + KING * kings
