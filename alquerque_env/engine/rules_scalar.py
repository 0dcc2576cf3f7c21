"""The rules of play for one match: `rules/` bound to integers, and what builds on it.

Compiled where Numba is installed, else plain Python. A state is a sequence of `t[TABLE.STATE_SIZE]` integers.

Arguments that many kernels share:
  t: The step table.
  s: A state.
  w: Scratch space, `t[TABLE.SCRATCH_SIZE]` integers.
  actions: Room for `t[TABLE.NUM_ACTIONS]` actions.

STATE, TABLE and SCRATCH say what stands where in them. The exported player carries this file.
"""

from collections.abc import Callable

from ..game import state_layout as STATE, table_layout as TABLE
from ..game.outcomes import ONGOING
from . import moves as moves_text, rules as rules_text
from .binding import bind
from .compiler import allocate, inlined, kernel, release, spread_word, wrapped_sum
from .kernel_types import Table, Words
from .rules import undo_memory as memory_text
from .splitmix import INCREMENT_63
from .words import integers

_KIND = globals(), integers, moves_text

step_of: Callable[[Table, int, int], int] = bind(moves_text.step_of, *_KIND)
forbid_remembered: Callable[[Table, Words, int], None] = bind(memory_text.forbid_remembered, *_KIND)
position_key: Callable[[Table, Table], int] = bind(rules_text.position_key, *_KIND)
mix: Callable[[int], int] = bind(rules_text.mix, *_KIND)
is_start: Callable[[Table, Table], bool] = bind(rules_text.is_start, *_KIND)
shown: Callable[[Table, Table, int, int], int] = bind(rules_text.shown, *_KIND)
in_frame: Callable[[Table, int, int], int] = bind(rules_text.in_frame, *_KIND)
copy_state: Callable[[Table, Table, Words], None] = bind(rules_text.copy_state, *_KIND)
closed_points: Callable[[Table, int], int] = bind(rules_text.closed_points, *_KIND)
outcome: Callable[[Table, Table, int, int], int] = bind(rules_text.outcome, *_KIND)
winner_of: Callable[[int], int] = bind(rules_text.winner_of, *_KIND)
reward_of: Callable[[int, int], int] = bind(rules_text.reward_of, *_KIND)
apply_action: Callable[[Table, Words, Words, int], None] = bind(rules_text.apply_action, *_KIND)
legal_actions: Callable[[Table, Table, Words, Words], int] = bind(rules_text.legal_actions, *_KIND)


@inlined
def observe(t: Table, s: Table, earlier: int, observation: Words, place: int) -> None:
    """Writes the observation of the player to move, plane by plane, into `observation` from `place` on.

    Args:
      earlier: How often the position occurred before in this match.
    """
    points = t[TABLE.POINTS]
    last = t[TABLE.PLANES] + TABLE.PLANE_SIZE * (t[TABLE.NUM_PLANES] - 1)
    for plane in range(t[TABLE.PLANES], last + 1, TABLE.PLANE_SIZE):
        word = shown(t, s, plane, earlier)
        if t[plane + TABLE.PLANE_KIND] <= TABLE.PLANE_POINT:
            room = points * ((last - plane) // TABLE.PLANE_SIZE + 1)
            spread_word(observation, place, in_frame(t, s[STATE.PLAYER], word), points, room)
        else:
            for point in range(points):
                observation[place + point] = word
        place += points


@inlined
def observe_as(t: Table, s: Words, player: int, earlier: int, observation: Words, place: int) -> None:
    """As `observe`, as one of the players sees it; leaves this player as the mover of the state."""
    opens = t[TABLE.HAS_OPENING] and is_start(t, s)  # with another mover it is not the start
    s[STATE.PLAYER] = player
    observe(t, s, earlier, observation, place)
    points = t[TABLE.POINTS]
    for number in range(t[TABLE.NUM_PLANES]):
        if t[t[TABLE.PLANES] + TABLE.PLANE_SIZE * number + TABLE.PLANE_KIND] == TABLE.PLANE_OPENING:
            for point in range(points):
                observation[place + points * number + point] = 1 if opens else 0


@inlined
def recall(t: Table, observation: Words, place: int, s: Words) -> None:
    """Sets a state from an observation that `observe` has written from `place` on; the inverse of `observe`.

    Points stay in the frame of the player to move. In a symmetric game this player becomes `player_0`, except in the
    start position. Parts of the state that are not observed are set to 0.
    """
    points = t[TABLE.POINTS]
    end = t[TABLE.PLANES] + TABLE.PLANE_SIZE * t[TABLE.NUM_PLANES]
    for index in range(t[TABLE.STATE_SIZE]):
        s[index] = 0
    s[STATE.CHAIN] = STATE.NO_POINT
    last = end - TABLE.PLANE_SIZE
    if t[last + TABLE.PLANE_KIND] == TABLE.PLANE_PLAYER:
        s[STATE.PLAYER] = int(observation[place + points * (t[TABLE.NUM_PLANES] - 1)])
    for plane in range(t[TABLE.PLANES], end, TABLE.PLANE_SIZE):
        kind = t[plane + TABLE.PLANE_KIND]
        source = t[plane + TABLE.PLANE_SOURCE + s[STATE.PLAYER]]
        if kind == TABLE.PLANE_WORD:
            word = 0
            for point in range(points):
                if observation[place + point]:
                    word |= 1 << point
            s[source] = word
        elif kind == TABLE.PLANE_POINT:
            for point in range(points):
                if observation[place + point]:
                    s[source] = point
        elif kind == TABLE.PLANE_CLOCK:
            s[STATE.QUIET] += source * int(observation[place])
        elif kind == TABLE.PLANE_NUMBER:
            s[source] = int(observation[place])
        elif kind == TABLE.PLANE_OPENING and observation[place]:
            begin(t, s)
        place += points
    if t[TABLE.REMEMBERS_POINTS]:
        for point in range(points):
            forbid_remembered(t, s, point)


@inlined
def begin(t: Table, s: Words) -> None:
    """Sets a state to the start of the game."""
    for index in range(t[TABLE.STATE_SIZE]):
        s[index] = t[t[TABLE.START] + index]


@inlined
def legal_and_outcome(t: Table, s: Table, w: Words, actions: Words, keys: Words) -> tuple[int, int, int]:
    """Lists the legal actions, none where the match has ended.

    Returns:
      `(number of actions, outcome, earlier occurrences)`, the last as by `earlier_occurrences`.
    """
    n = legal_actions(t, s, w, actions)
    earlier = earlier_occurrences(t, s, keys)
    result = outcome(t, s, n, earlier)
    return n if result == ONGOING else 0, result, earlier


@inlined
def earlier_occurrences(t: Table, s: Table, keys: Words) -> int:
    """How often the position occurred before in this match; 0 in a chain, and in games without a repetition rule.

    Args:
      keys: Hashes of the positions since the last progress, indexed by the clock. That of this position is added.
    """
    return _occurrences(t, s, keys) if t[TABLE.THREEFOLD] and s[STATE.CHAIN] < 0 else 0


@kernel
def _occurrences(t: Table, s: Table, keys: Words) -> int:
    key = position_key(t, s)
    clock = s[STATE.QUIET]
    keys[clock] = key
    return occurrences(keys, clock % 2, clock, key)


@inlined
def occurrences(keys: Words, first: int, end: int, key: int) -> int:
    """How often a hash stands in `keys` from `first` to `end`, looking at every second place: one player is to move."""
    count = 0
    for place in range(first, end, 2):
        if keys[place] == key:
            count += 1
    return count


@inlined
def random_below(rng: Words, n: int) -> int:
    """A pseudo-random integer in [0, n), n below 2**31. `rng` holds one integer, the state of a SplitMix generator."""
    rng[0] = wrapped_sum(rng[0], INCREMENT_63)
    return (mix(rng[0]) >> 31) * n >> 32


@kernel
def perft(t: Table, start: Table, depth: int, by_turns: bool) -> int:
    """Number of sequences of `depth` actions, or of `depth` whole turns. Ended matches count only at depth 0.

    Uses an explicit stack, since Numba cannot cache compiled recursion.
    """
    levels = depth * (t[TABLE.POINTS] + 1) + t[TABLE.STAGES] if by_turns else depth
    states = allocate(levels + 1, t[TABLE.STATE_SIZE])
    choices = allocate(levels + 1, t[TABLE.NUM_ACTIONS])
    levels_left = allocate(2, levels + 1)
    untried, to_go = levels_left[0], levels_left[1]
    scratch = allocate(1, t[TABLE.SCRATCH_SIZE])
    w = scratch[0]
    copy_state(t, start, states[0])
    untried[0] = _open_actions(t, states[0], w, choices[0])
    to_go[0] = depth
    level = 0
    count = 1 if depth == 0 else 0
    while level >= 0 and depth > 0:
        if untried[level] == 0:
            level -= 1
            continue
        if to_go[level] == 1 and not by_turns:
            count += untried[level]
            level -= 1
            continue
        untried[level] -= 1
        after = states[level + 1]
        copy_state(t, states[level], after)
        apply_action(t, after, w, choices[level][untried[level]])
        ends_turn = after[STATE.PLAYER] != states[level][STATE.PLAYER]
        left = to_go[level] - (1 if ends_turn or not by_turns else 0)
        if left == 0:
            count += 1
            continue
        level += 1
        to_go[level] = left
        untried[level] = _open_actions(t, after, w, choices[level])
        if by_turns and untried[level] == 0 and not ends_turn and left == 1:
            count += 1  # the match ends in the middle of the turn
    release(states)
    release(choices)
    release(levels_left)
    release(scratch)
    return count


@kernel
def _open_actions(t: Table, s: Table, w: Words, actions: Words) -> int:
    """As `legal_actions`, but returns 0 if the match has ended."""
    n = legal_actions(t, s, w, actions)
    return n if outcome(t, s, n, 0) == ONGOING else 0


@inlined
def count_captures(t: Table, s: Table, actions: Words, n: int) -> int:
    """Number of captures among `n` legal actions, which begin with them."""
    count = 0
    while count < n and t[step_of(t, s[STATE.PLAYER], actions[count]) + TABLE.OVER] >= 0:
        count += 1
    return count
