"""The rules of play on one state: legal actions, the state after an action, the outcome, the observation.

The kernels know no game. They read a step table, which `game/step_table.py` compiles from a game. A state is a sequence
of `t[T_STATE_SIZE]` integers and holds everything that the rules look at, except earlier positions of the match.
Arguments are not checked: an action must be legal in the state to which it is applied.

Arguments that many kernels share:
  t: The step table.
  s: A state.
  w: Scratch space, `t[T_SCRATCH_SIZE]` integers.
  actions: Room for `t[T_NUM_ACTIONS]` actions.

`game/table_layout.py` has the layout of tables, states and scratch space. The exported player carries this file.
"""

from ..game.table_layout import *
from .compiler import (
    allocate,
    inlined,
    kernel,
    popcount,
    release,
    reverse_bits,
    spread_word,
    wrapped_product,
    wrapped_sum,
)
from .kernel_types import Table, Words
from .moves import (
    can_go_on,
    count_actions,
    generate,
    generate_captures,
    look,
    look_back,
    pick_action,
    section_of,
)
from .undo_memory import forbid_remembered, forget, remember_leap, remember_step


@kernel
def legal_actions(t: Table, s: Table, w: Words, actions: Words) -> int:
    """Fills `actions` with the legal actions and returns their number, also where the match has ended."""
    if t[T_HAS_OPENING] and is_start(t, s):
        return _opening_actions(t, s, w, actions)
    n = generate_captures(t, s, w, actions)
    if n > 1 and t[T_LANDING_MUST_CONTINUE]:
        n = _keep_continuing(t, s, w, actions, n)
    if n > 1 and t[T_MOST_PIECES]:
        n = _keep_longest(t, s, w, actions, n)
    if s[CHAIN] >= 0:
        if t[T_CHAIN] == OPTIONAL:
            actions[n] = t[T_PASS_ACTION]
            n += 1
        return n
    if n == 0 or t[T_CAPTURE_OPTIONAL]:
        if n:
            look(t, s, w)
        look_back(t, s, w)
        n = generate(t, w, section_of(t, s, STEP), actions, n)
    if n == 0 and t[T_NO_MOVES] == PASS:
        actions[0] = t[T_PASS_ACTION]
        n = 1
    return n


@kernel
def apply_action(t: Table, s: Words, w: Words, action: int) -> None:
    """Changes the state to the one after a legal action."""
    player = s[PLAYER]
    if action == t[T_PASS_ACTION]:
        _end_turn(t, s, s[QUIET] + 1 if s[CHAIN] < 0 else 0)
        return
    step = step_of(t, player, action)
    origin = 1 << t[step + ORIGIN]
    target = 1 << t[step + TARGET]
    is_man = s[MEN + player] & origin
    s[MEN + player if is_man else KINGS + player] ^= origin | target
    if t[step + OVER] < 0:
        if t[T_REMEMBERS]:
            remember_step(t, s, step)
        promoted = _promote(t, s, player, target)
        _end_turn(t, s, 0 if promoted and t[T_PROMOTION_IS_PROGRESS] else s[QUIET] + 1)
        return
    if t[T_REMOVAL_AT_END]:
        s[CAPTURED] |= 1 << t[step + OVER]
    else:
        _remove(t, s, 1 - player, 1 << t[step + OVER])
    if t[T_REMEMBERS]:
        remember_leap(t, s, step)
    stops = t[T_CHAIN] == SINGLE
    if t[T_MIDCHAIN_PROMOTION] != IF_TURN_ENDS_THERE and _promote(t, s, player, target):
        stops = stops or t[T_MIDCHAIN_PROMOTION] == PROMOTE_AND_STOP
    if s[CHAIN] < 0 and not t[T_MAY_RETURN_TO_START]:
        s[BARRED] = origin
    s[CHAIN] = t[step + TARGET]
    if stops or not can_go_on(t, s, w):
        _end_turn(t, s, 0)
    else:
        s[QUIET] = 0


@inlined
def outcome(t: Table, s: Table, legal: int, earlier: int) -> int:
    """The outcome of a match: ONGOING, or `4 * reason + winner` with NOBODY as the winner of a draw.

    Args:
      legal: Number of legal actions in the state.
      earlier: How often the position occurred before in this match.
    """
    if s[CHAIN] >= 0:
        return ONGOING
    player = s[PLAYER]
    if s[MEN + player] | s[KINGS + player] == 0:
        return 4 * CAPTURED_ALL + 1 - player
    if s[MEN + 1 - player] | s[KINGS + 1 - player] == 0:
        return 4 * CAPTURED_ALL + player
    if legal == 0:
        if t[T_NO_MOVES] == LOSS:
            return 4 * BLOCKED + 1 - player
        return 4 * BLOCKED + (NOBODY if t[T_NO_MOVES] == DRAW else _more_pieces(s))
    if t[T_THREEFOLD] and earlier + 1 >= OCCURRENCES_TO_DRAW:
        return 4 * REPETITION + NOBODY
    if t[T_NO_PROGRESS_LIMIT] > 0 and s[QUIET] >= t[T_NO_PROGRESS_LIMIT]:
        if t[T_NO_PROGRESS_MAJORITY]:
            return 4 * BY_MAJORITY + _more_pieces(s)
        return 4 * NO_PROGRESS + NOBODY
    return ONGOING


@inlined
def observe(t: Table, s: Table, earlier: int, observation: Words, place: int) -> None:
    """Writes the observation of the player to move, plane by plane, into `observation` from `place` on.

    Args:
      earlier: How often the position occurred before in this match.
    """
    player = s[PLAYER]
    points = t[T_POINTS]
    last = t[T_PLANES] + PLANE_SIZE * (t[T_NUM_PLANES] - 1)
    for plane in range(t[T_PLANES], last + 1, PLANE_SIZE):
        kind = t[plane + PLANE_KIND]
        source = t[plane + PLANE_SOURCE + player]
        if kind <= PLANE_POINT:
            word = s[source]
            if kind == PLANE_POINT:
                word = 1 << word if word >= 0 else 0
            room = points * ((last - plane) // PLANE_SIZE + 1)
            spread_word(observation, place, _in_frame(t, player, word), points, room)
        else:
            value = earlier
            if kind == PLANE_CLOCK:
                value = s[QUIET] // source % CLOCK_DIGIT
            elif kind == PLANE_PLAYER:
                value = player
            elif kind == PLANE_OPENING:
                value = 1 if is_start(t, s) else 0
            for point in range(points):
                observation[place + point] = value
        place += points


@inlined
def recall(t: Table, observation: Words, place: int, s: Words) -> None:
    """Sets a state from an observation that `observe` has written from `place` on; the inverse of `observe`.

    Points stay in the frame of the player to move. In a symmetric game this player becomes `player_0`, except in the
    start position. Parts of the state that are not observed are set to 0.
    """
    points = t[T_POINTS]
    end = t[T_PLANES] + PLANE_SIZE * t[T_NUM_PLANES]
    for index in range(t[T_STATE_SIZE]):
        s[index] = 0
    s[CHAIN] = NO_POINT
    last = end - PLANE_SIZE
    if t[last + PLANE_KIND] == PLANE_PLAYER:
        s[PLAYER] = int(observation[place + points * (t[T_NUM_PLANES] - 1)])
    for plane in range(t[T_PLANES], end, PLANE_SIZE):
        kind = t[plane + PLANE_KIND]
        source = t[plane + PLANE_SOURCE + s[PLAYER]]
        if kind == PLANE_WORD:
            word = 0
            for point in range(points):
                if observation[place + point]:
                    word |= 1 << point
            s[source] = word
        elif kind == PLANE_POINT:
            for point in range(points):
                if observation[place + point]:
                    s[source] = point
        elif kind == PLANE_CLOCK:
            s[QUIET] += source * int(observation[place])
        elif kind == PLANE_OPENING and observation[place]:
            for index in range(t[T_STATE_SIZE]):
                s[index] = t[t[T_START] + index]
        place += points
    if t[T_REMEMBERS_POINTS]:
        for point in range(points):
            forbid_remembered(t, s, point)


@inlined
def _in_frame(t: Table, player: int, word: int) -> int:
    """A bitboard in the frame of a player."""
    turn = t[T_TURN + player]
    if turn == NOT_TURNED:
        return word
    if turn == HALF_TURN:
        return reverse_bits(word, t[T_POINTS])
    frame = t[T_FRAME] + player * t[T_POINTS]
    seen = 0
    for point in range(t[T_POINTS]):
        seen |= (word >> t[frame + point] & 1) << point
    return seen


@inlined
def is_start(t: Table, s: Table) -> bool:
    """Whether the state is the start of the game. The clock is compared only if the game has a no-progress limit."""
    for index in range(t[T_STATE_SIZE]):
        if s[index] != t[t[T_START] + index] and (index != QUIET or t[T_NO_PROGRESS_LIMIT]):
            return False
    return True


@kernel
def position_key(t: Table, s: Table) -> int:
    """A 63-bit hash of everything in the state except the clock."""
    key = 0
    for index in range(t[T_STATE_SIZE]):
        if index != QUIET:
            key = _mix(key ^ s[index] + 1)
    return key


@kernel
def earlier_occurrences(t: Table, s: Table, keys: Words) -> int:
    """Stores the hash of the position in `keys` and returns how often the position occurred before.

    Args:
      keys: Hashes of the positions since the last progress, indexed by the clock.
    """
    key = position_key(t, s)
    clock = s[QUIET]
    keys[clock] = key
    count = 0
    for earlier in range(clock % 2, clock, 2):
        if keys[earlier] == key:
            count += 1
    return count


@inlined
def random_below(rng: Words, n: int) -> int:
    """A pseudo-random integer in [0, n), n below 2**31. `rng` holds one integer, the generator's state.

    Source: Steele, Lea and Flood 2014, SplitMix, reduced to 63 bits.
    """
    rng[0] = wrapped_sum(rng[0], 0x1E3779B97F4A7C15)
    return (_mix(rng[0]) >> 31) * n >> 32


@inlined
def copy_state(t: Table, source: Table, s: Words) -> None:
    """Copies the state `source` to `s`."""
    for index in range(t[T_STATE_SIZE]):
        s[index] = source[index]


@kernel
def perft(t: Table, start: Table, depth: int, by_turns: bool) -> int:
    """Number of sequences of `depth` actions, or of `depth` whole turns. Ended matches count only at depth 0.

    Uses an explicit stack, since Numba cannot cache compiled recursion.
    """
    levels = depth * (t[T_POINTS] + 1) if by_turns else depth
    states = allocate(levels + 1, t[T_STATE_SIZE])
    choices = allocate(levels + 1, t[T_NUM_ACTIONS])
    levels_left = allocate(2, levels + 1)
    untried, to_go = levels_left[0], levels_left[1]
    scratch = allocate(1, t[T_SCRATCH_SIZE])
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
        left = to_go[level] - (1 if not by_turns or after[CHAIN] < 0 else 0)
        if left == 0:
            count += 1
            continue
        level += 1
        to_go[level] = left
        untried[level] = _open_actions(t, after, w, choices[level])
    release(states)
    release(choices)
    release(levels_left)
    release(scratch)
    return count


@kernel
def sample_action(t: Table, s: Table, w: Words, actions: Words, rng: Words) -> tuple[int, int]:
    """Draws a legal action uniformly; returns it and the number of legal actions, `(-1, 0)` if there is none.

    Unless a rule compares actions with each other, they are counted and not listed, which is faster.
    """
    if t[T_COMPARES] or (t[T_HAS_OPENING] and is_start(t, s)):
        n = legal_actions(t, s, w, actions)
        return actions[random_below(rng, n)] if n else -1, n
    look(t, s, w)
    captures = section_of(t, s, FIRST_LEAP if s[CHAIN] < 0 else NEXT_LEAP)
    steps = section_of(t, s, STEP)
    n = count_actions(t, w, captures)
    first_step = n
    if s[CHAIN] >= 0:
        n += 1 if t[T_CHAIN] == OPTIONAL else 0
    elif n == 0 or t[T_CAPTURE_OPTIONAL]:
        look_back(t, s, w)
        n += count_actions(t, w, steps)
    if n == 0:
        return (t[T_PASS_ACTION], 1) if t[T_NO_MOVES] == PASS else (-1, 0)
    index = random_below(rng, n)
    if index < first_step:
        return pick_action(t, w, captures, index), n
    if s[CHAIN] >= 0:
        return t[T_PASS_ACTION], n
    return pick_action(t, w, steps, index - first_step), n


@kernel
def play_out(t: Table, s: Words, w: Words, actions: Words, keys: Words, room: int, rng: Words) -> tuple[int, int]:
    """Rollout: plays random legal actions from an ongoing state to the end of the match.

    Args:
      s: Changed to the final state.
      keys: As for `earlier_occurrences`, with the positions so far.
      room: Length of `keys`. A match that fills it without progress counts as a draw.

    Returns:
      `(outcome, number of actions)`.
    """
    action, _ = sample_action(t, s, w, actions, rng)
    result = ONGOING
    played = 0
    while result == ONGOING:
        if t[T_THREEFOLD] and s[QUIET] + 1 >= room:
            return 4 * NO_PROGRESS + NOBODY, played
        apply_action(t, s, w, action)
        played += 1
        action, n = sample_action(t, s, w, actions, rng)
        earlier = earlier_occurrences(t, s, keys) if t[T_THREEFOLD] and s[CHAIN] < 0 else 0
        result = outcome(t, s, n, earlier)
    return result, played


@inlined
def _open_actions(t: Table, s: Table, w: Words, actions: Words) -> int:
    """As `legal_actions`, but returns 0 if the match has ended."""
    n = legal_actions(t, s, w, actions)
    return n if outcome(t, s, n, 0) == ONGOING else 0


@inlined
def count_captures(t: Table, s: Table, actions: Words, n: int) -> int:
    """Number of captures among `n` legal actions, which begin with them."""
    count = 0
    while count < n and t[step_of(t, s[PLAYER], actions[count]) + OVER] >= 0:
        count += 1
    return count


@inlined
def step_of(t: Table, player: int, action: int) -> int:
    """Index in the table of the row of an action."""
    return t[T_STEPS] + STEP_SIZE * (t[T_NUM_ACTIONS] * player + action)


@kernel
def _opening_actions(t: Table, s: Table, w: Words, actions: Words) -> int:
    look(t, s, w)
    look_back(t, s, w)
    found = generate(t, w, section_of(t, s, STEP), actions, 0)
    n = 0
    for index in range(found):
        if t[step_of(t, s[PLAYER], actions[index]) + OPENS]:
            actions[n] = actions[index]
            n += 1
    return n


@inlined
def _end_turn(t: Table, s: Words, quiet: int) -> None:
    player = s[PLAYER]
    if s[CHAIN] >= 0:
        _promote(t, s, player, 1 << s[CHAIN])
        s[CHAIN] = NO_POINT
        s[BARRED] = 0
        if s[CAPTURED]:
            _remove(t, s, 1 - player, s[CAPTURED])
            s[CAPTURED] = 0
    s[QUIET] = quiet if t[T_COUNTS_QUIET] else 0
    s[PLAYER] = 1 - player


@inlined
def _promote(t: Table, s: Words, player: int, bits: int) -> bool:
    """Promotes the men of `player` that stand on `bits` and on promotion points; returns whether there was one."""
    landed = s[MEN + player] & bits & t[T_PROMOTION + player]
    s[MEN + player] ^= landed
    s[KINGS + player] |= landed
    return landed != 0


@inlined
def _remove(t: Table, s: Words, player: int, bits: int) -> None:
    s[MEN + player] &= ~bits
    s[KINGS + player] &= ~bits
    if t[T_REMEMBERS]:
        forget(t, s, bits)


@inlined
def _more_pieces(s: Table) -> int:
    lead = popcount(s[MEN] | s[KINGS]) - popcount(s[MEN + 1] | s[KINGS + 1])
    if lead == 0:
        return NOBODY
    return 0 if lead > 0 else 1


@kernel
def _keep_continuing(t: Table, s: Table, w: Words, actions: Words, n: int) -> int:
    """Of the captures by one piece of one victim, keeps those that allow a further capture, if there are any."""
    scratch = allocate(2, t[T_STATE_SIZE] + n)
    after, goes_on = scratch[0], scratch[1]
    for index in range(n):
        copy_state(t, s, after)
        apply_action(t, after, w, actions[index])
        goes_on[index] = 1 if after[CHAIN] >= 0 else 0
    for index in range(n):
        if goes_on[index] == 0 and _has_continuing_rival(t, s, actions, goes_on, index, n):
            # The captures that follow are still compared with this one, so it is removed later.
            goes_on[index] = DROPPED
    kept = 0
    for index in range(n):
        if goes_on[index] != DROPPED:
            actions[kept] = actions[index]
            kept += 1
    release(scratch)
    return kept


@inlined
def _has_continuing_rival(t: Table, s: Table, actions: Words, goes_on: Words, index: int, n: int) -> bool:
    step = step_of(t, s[PLAYER], actions[index])
    for other in range(n):
        rival = step_of(t, s[PLAYER], actions[other])
        same_leap = t[rival + ORIGIN] == t[step + ORIGIN] and t[rival + OVER] == t[step + OVER]
        if same_leap and goes_on[other] == 1:
            return True
    return False


@kernel
def _keep_longest(t: Table, s: Table, w: Words, actions: Words, n: int) -> int:
    """Keeps the captures that begin a chain with the most captured pieces."""
    scratch = allocate(2, t[T_STATE_SIZE] + n)
    after, length = scratch[0], scratch[1]
    longest = 0
    for index in range(n):
        copy_state(t, s, after)
        apply_action(t, after, w, actions[index])
        length[index] = _longest_chain(t, after, w) if after[CHAIN] >= 0 else 0
        longest = max(longest, length[index])
    kept = 0
    for index in range(n):
        if length[index] == longest:
            actions[kept] = actions[index]
            kept += 1
    release(scratch)
    return kept


@kernel
def _longest_chain(t: Table, start: Table, w: Words) -> int:
    """The most captures that can follow in a chain in progress."""
    states = allocate(t[T_POINTS] + 1, t[T_STATE_SIZE])
    choices = allocate(t[T_POINTS] + 1, t[T_NUM_ACTIONS])
    counts = allocate(1, t[T_POINTS] + 1)
    untried = counts[0]
    copy_state(t, start, states[0])
    untried[0] = generate_captures(t, states[0], w, choices[0])
    level = 0
    longest = 0
    while level >= 0:
        if untried[level] == 0:
            level -= 1
            continue
        untried[level] -= 1
        copy_state(t, states[level], states[level + 1])
        apply_action(t, states[level + 1], w, choices[level][untried[level]])
        longest = max(longest, level + 1)
        if states[level + 1][CHAIN] >= 0:
            level += 1
            untried[level] = generate_captures(t, states[level], w, choices[level])
    release(states)
    release(choices)
    release(counts)
    return longest


@inlined
def _mix(word: int) -> int:
    word = wrapped_product(word ^ (word >> 30), 0x3F58476D1CE4E5B9)
    word = wrapped_product(word ^ (word >> 27), 0x14D049BB133111EB)
    return word ^ (word >> 31)
