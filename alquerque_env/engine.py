"""The engine: what is legal, what a step does, how a match stands. It knows no game, only step tables.

A state is a sequence of integers, `t[T_STATE_SIZE]` of them, laid out by the constants below; it holds everything that the
rules look at. Sets of points are words: bit `p` stands for point `p`. Kernels trust their arguments: an action must be
legal where it is applied.

Throughout, `t` is a table: one sequence of integers, compiled by `table.py` and laid out as below; `s` is a state, `w`
scratch space of `t[T_SCRATCH_SIZE]` words, `actions` room for `t[T_NUM_ACTIONS]` of them, `bits` some points as a word.
The exported player carries this file as it is.
"""

from .jit import (
    allocate,
    count_lanes,
    fill_lanes,
    inlined,
    invert_lanes,
    kernel,
    lowest,
    narrow_lanes,
    popcount,
    release,
    wrapped_product,
    wrapped_sum,
)


# Layout of a state. MEN and KINGS hold a word for each player.
MEN = 0
KINGS = 2
PLAYER = 4
CHAIN = 5  # the point of a piece in the middle of a chain, or NO_POINT
QUIET = 6  # turns without progress
CAPTURED = 7  # captured in this chain and not yet removed
BARRED = 8  # vacant points on which this chain may not land
MEMORY = 9  # where the game has memory: for each of LANES relations the pieces that it holds back,
MEMORY_POINTS = 17  # and where it can bite later than at once, the remembered points of the piece on each point

NO_POINT = -1

# Blocks of a table work on LANES words at once. Scratch words that they look at, the same in every lane but for ALLOWED,
# which has the pieces that a relation does not hold back; the blocks' own words follow.
LANES = 8
OWN_MEN = 0
OWN_KINGS = LANES
EMPTY = 2 * LANES
ENEMY = 3 * LANES
ALLOWED = 4 * LANES
FIRST_BLOCK_WORD = 5 * LANES

# Layout of a table: first its facts and the answers of the rules,
T_POINTS = 0
T_ALL_POINTS = 1
T_NUM_ACTIONS = 2
T_PASS_ACTION = 3  # -1 where the game has none
T_STATE_SIZE = 4
T_SCRATCH_SIZE = 5
T_RELATIONS = 6
T_COMPARES = 7  # whether a rule of landing or maximum chooses among captures
T_PROMOTION = 8  # promotion points of each player
T_CHAIN = 10
T_CAPTURE_OPTIONAL = 11
T_REMOVAL_AT_END = 12
T_MIDCHAIN_PROMOTION = 13
T_PROMOTION_IS_PROGRESS = 14
T_MAY_RETURN_TO_START = 15
T_LANDING_MUST_CONTINUE = 16
T_MOST_PIECES = 17
T_HAS_OPENING = 18
T_NO_MOVES = 19
T_THREEFOLD = 20
T_NO_PROGRESS_LIMIT = 21  # 0 where there is none
T_NO_PROGRESS_MAJORITY = 22
T_COUNTS_QUIET = 23
T_REMEMBERS = 24
T_REMEMBERS_POINTS = 25
T_UNDO_SCOPE = 26
T_JUMP_CLEARS = 27
# then where its lists begin,
T_BLOCKS = 28
T_SECTIONS = 29
T_STEPS = 30
T_START = 31
T_MAN_STEPS = 32  # for each player and point the points to which a man may step by direction
T_RELATION_TARGET = 33  # for each relation and point the other point, or NO_POINT
T_FRAME = 34  # for each player and point of the mover's frame the point of the board
TABLE_HEAD = 35
# then the lists. A block narrows words of origins, one in each lane, to those that see what they must so many points
# away: the words to narrow, the words to look at, its own words and a word for their tally, where the actions of each
# lane and point stand if steps end here, else 0, the next block if no origin is left; then for each lane the distance
# and the origins that have a point there.
PARENTS, SEES, WORDS, TALLY, ACTIONS, SKIP, DISTANCES = 0, 1, 2, 3, 4, 5, LANES
ORIGINS = DISTANCES + LANES
BLOCK_SIZE = ORIGINS + LANES
# A section of blocks, for each player: those of men from BEGIN, those of kings from KINGS_BEGIN to END.
BEGIN, KINGS_BEGIN, END, SECTION_SIZE = 0, 1, 2, 3
FIRST_LEAP, NEXT_LEAP, STEP, SECTIONS = 0, 1, 2, 3
# A step, for each player and action: points, the relation that would lead back or -1, whether the opening allows it.
ORIGIN, TARGET, OVER, UNDO, OPENS, STEP_SIZE = 0, 1, 2, 3, 4, 5

# Answers of the rules, as the table holds them.
COMPULSORY, OPTIONAL, SINGLE = 0, 1, 2
IF_TURN_ENDS_THERE, PROMOTE_AND_STOP, PROMOTE_AND_CONTINUE = 0, 1, 2
LOSS, DRAW, MAJORITY, PASS = 0, 1, 2, 3
PER_COIN, PER_PLAYER, NEVER_REVISIT = 0, 1, 2

# How a match stands: `4 * reason + winner`, where winner NOBODY means a draw.
ONGOING = 0
CAPTURED_ALL, BLOCKED, REPETITION, NO_PROGRESS, BY_MAJORITY = 1, 2, 3, 4, 5
NOBODY = 2

OCCURRENCES_TO_DRAW = 3

DROPPED = -1

MASK_63 = 0x7FFFFFFFFFFFFFFF


@kernel
def legal_actions(t, s, w, actions):
    """Fills in the legal actions and returns their number, whether or not the match has ended."""
    if t[T_HAS_OPENING] and is_start(t, s):
        return _opening_actions(t, s, w, actions)
    n = _captures(t, s, w, actions)
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
            _look(t, s, w)
        _look_back(t, s, w)
        n = _generate(t, w, _section(t, s, STEP), actions, n)
    if n == 0 and t[T_NO_MOVES] == PASS:
        actions[0] = t[T_PASS_ACTION]
        n = 1
    return n


@kernel
def apply_action(t, s, w, action):
    """Changes the state to the one after a legal action."""
    player = s[PLAYER]
    if action == t[T_PASS_ACTION]:
        _end_turn(t, s, s[QUIET] + 1 if s[CHAIN] < 0 else 0)
        return
    step = _step(t, player, action)
    origin = 1 << t[step + ORIGIN]
    target = 1 << t[step + TARGET]
    is_man = s[MEN + player] & origin
    s[MEN + player if is_man else KINGS + player] ^= origin | target
    if t[step + OVER] < 0:
        if t[T_REMEMBERS]:
            _remember_step(t, s, step)
        promoted = _promote(t, s, player, target)
        _end_turn(t, s, 0 if promoted and t[T_PROMOTION_IS_PROGRESS] else s[QUIET] + 1)
        return
    if t[T_REMOVAL_AT_END]:
        s[CAPTURED] |= 1 << t[step + OVER]
    else:
        _remove(t, s, 1 - player, 1 << t[step + OVER])
    if t[T_REMEMBERS]:
        _remember_leap(t, s, step)
    stops = t[T_CHAIN] == SINGLE
    if t[T_MIDCHAIN_PROMOTION] != IF_TURN_ENDS_THERE and _promote(t, s, player, target):
        stops = stops or t[T_MIDCHAIN_PROMOTION] == PROMOTE_AND_STOP
    if s[CHAIN] < 0 and not t[T_MAY_RETURN_TO_START]:
        s[BARRED] = origin
    s[CHAIN] = t[step + TARGET]
    if stops or not _can_go_on(t, s, w):
        _end_turn(t, s, 0)
    else:
        s[QUIET] = 0


@inlined
def outcome(t, s, legal, earlier):
    """How the match stands: ONGOING, or `4 * reason + winner`.

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
def is_start(t, s):
    """Whether the state is the start of the game."""
    for index in range(t[T_STATE_SIZE]):
        if s[index] != t[t[T_START] + index]:
            return False
    return True


@kernel
def position_key(t, s):
    """A 63-bit hash of everything in the state but the clock."""
    key = 0
    for index in range(t[T_STATE_SIZE]):
        if index != QUIET:
            key = _mix(key ^ s[index] & MASK_63)
    return key


@kernel
def earlier_occurrences(t, s, keys):
    """Notes the position in `keys` and tells how often it occurred before.

    Args:
      keys: Hashes of the positions since the last progress, one for each value of the clock.
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
def random_below(rng, n):
    """A pseudo-random integer in [0, n), n below 2**31. `rng` holds one word, the generator's state.

    Source: Steele, Lea and Flood 2014, SplitMix, reduced to 63 bits.
    """
    rng[0] = wrapped_sum(rng[0], 0x1E3779B97F4A7C15)
    return (_mix(rng[0]) >> 31) * n >> 32


@inlined
def copy_state(t, source, s):
    """Copies a state."""
    for index in range(t[T_STATE_SIZE]):
        s[index] = source[index]


@kernel
def perft(t, start, depth, by_turns):
    """Number of sequences of `depth` actions, or of whole turns; ended matches count only at depth 0.

    An explicit stack, since Numba cannot keep compiled recursion.
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


@inlined
def play_on(t, s, w, actions, keys, action):
    """Applies an action and finds out how the match then stands.

    Args:
      actions: Overwritten by the legal actions of the new state.
      keys: As for `earlier_occurrences`.

    Returns:
      `(outcome, number of legal actions)`.
    """
    apply_action(t, s, w, action)
    n = legal_actions(t, s, w, actions)
    earlier = earlier_occurrences(t, s, keys) if t[T_THREEFOLD] and s[CHAIN] < 0 else 0
    return outcome(t, s, n, earlier), n


@kernel
def sample_action(t, s, w, actions, rng):
    """Draws one of the legal actions uniformly; returns it with their number, or -1 and 0 where there is none.

    Counting the actions and picking one is faster than listing them, where no rule compares them with each other.
    """
    if t[T_COMPARES] or t[T_HAS_OPENING] and is_start(t, s):
        n = legal_actions(t, s, w, actions)
        return actions[random_below(rng, n)] if n else -1, n
    _look(t, s, w)
    captures = _section(t, s, FIRST_LEAP if s[CHAIN] < 0 else NEXT_LEAP)
    steps = _section(t, s, STEP)
    n = _count(t, w, captures)
    first_step = n
    if s[CHAIN] >= 0:
        n += 1 if t[T_CHAIN] == OPTIONAL else 0
    elif n == 0 or t[T_CAPTURE_OPTIONAL]:
        _look_back(t, s, w)
        n += _count(t, w, steps)
    if n == 0:
        return (t[T_PASS_ACTION], 1) if t[T_NO_MOVES] == PASS else (-1, 0)
    index = random_below(rng, n)
    if index < first_step:
        return _pick(t, w, captures, index), n
    if s[CHAIN] >= 0:
        return t[T_PASS_ACTION], n
    return _pick(t, w, steps, index - first_step), n


@kernel
def play_out(t, s, w, actions, keys, room, rng):
    """Plays random legal actions from an ongoing state to the end of the match.

    Args:
      s: Changed to the final state.
      keys: As for `earlier_occurrences`, with the positions so far.
      room: Number of words in `keys`. A match that outlasts them without progress is taken for a draw.

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
def _open_actions(t, s, w, actions):
    """As `legal_actions`, but none where the match has ended."""
    n = legal_actions(t, s, w, actions)
    return n if outcome(t, s, n, 0) == ONGOING else 0


@inlined
def _look(t, s, w):
    """Sets up the scratch words that blocks look at, for the player to move."""
    player = s[PLAYER]
    men = s[MEN + player]
    kings = s[KINGS + player]
    enemy = s[MEN + 1 - player] | s[KINGS + 1 - player]
    fill_lanes(w, EMPTY, t[T_ALL_POINTS] & ~(men | kings | enemy | s[BARRED]))
    fill_lanes(w, ENEMY, enemy & ~s[CAPTURED])
    if s[CHAIN] >= 0:
        men &= 1 << s[CHAIN]
        kings &= 1 << s[CHAIN]
    fill_lanes(w, OWN_MEN, men)
    fill_lanes(w, OWN_KINGS, kings)


@inlined
def _look_back(t, s, w):
    """Sets up the scratch words for memory."""
    if t[T_REMEMBERS]:
        invert_lanes(w, ALLOWED, s, MEMORY)


@inlined
def _narrow(t, w, block):
    """Lets a block do its work; returns the lanes in which origins are left, as bits."""
    return narrow_lanes(
        t, block + DISTANCES, block + ORIGINS, w, t[block + PARENTS], t[block + SEES], t[block + WORDS]
    )


@inlined
def _generate(t, w, section, actions, n):
    """Appends the actions of a section of blocks to the `n` there are; returns the new number."""
    block = t[section + BEGIN]
    end = t[section + END if w[OWN_KINGS] else section + KINGS_BEGIN]
    while block < end:
        lanes = _narrow(t, w, block)
        if lanes == 0:
            block = t[block + SKIP]
            continue
        if t[block + ACTIONS]:
            n = _list(t, w, block, lanes, actions, n)
        block += BLOCK_SIZE
    return n


@inlined
def _list(t, w, block, lanes, actions, n):
    while lanes:
        lane = lowest(lanes)
        lanes &= lanes - 1
        origins = w[t[block + WORDS] + lane]
        numbers = t[block + ACTIONS] + lane * t[T_POINTS]
        while origins:
            actions[n] = t[numbers + lowest(origins)]
            n += 1
            origins &= origins - 1
    return n


@inlined
def _count(t, w, section):
    """Number of actions of a section of blocks; leaves its tallies and words for `_pick`."""
    block = t[section + BEGIN]
    end = t[section + END if w[OWN_KINGS] else section + KINGS_BEGIN]
    n = 0
    while block < end:
        lanes = _narrow(t, w, block)
        if lanes and t[block + ACTIONS]:
            lanes = count_lanes(w, t[block + WORDS])
            n += lanes
        w[t[block + TALLY]] = lanes
        block = block + BLOCK_SIZE if lanes else t[block + SKIP]
    return n


@inlined
def _pick(t, w, section, index):
    """The action at an index of what `_count` has counted."""
    block = t[section + BEGIN]
    tally = w[t[block + TALLY]]
    while t[block + ACTIONS] == 0 or index >= tally:
        if t[block + ACTIONS]:
            index -= tally
        block = block + BLOCK_SIZE if tally else t[block + SKIP]
        tally = w[t[block + TALLY]]
    words = t[block + WORDS]
    lane = 0
    while index >= popcount(w[words + lane]):
        index -= popcount(w[words + lane])
        lane += 1
    origins = w[words + lane]
    while index > 0:
        origins &= origins - 1
        index -= 1
    return t[t[block + ACTIONS] + lane * t[T_POINTS] + lowest(origins)]


@inlined
def _section(t, s, kind):
    """Where a section of blocks of the player to move stands in the table."""
    return t[T_SECTIONS] + SECTION_SIZE * (SECTIONS * s[PLAYER] + kind)


@inlined
def _step(t, player, action):
    """Where the row of an action stands in the table."""
    return t[T_STEPS] + STEP_SIZE * (t[T_NUM_ACTIONS] * player + action)


@inlined
def _captures(t, s, w, actions):
    """Fills in the captures of the player to move, also those that a rule of maximum or of landing forbids."""
    _look(t, s, w)
    kind = FIRST_LEAP if s[CHAIN] < 0 else NEXT_LEAP
    return _generate(t, w, _section(t, s, kind), actions, 0)


@inlined
def _can_go_on(t, s, w):
    """Whether the piece in the middle of a chain can capture again."""
    _look(t, s, w)
    section = _section(t, s, NEXT_LEAP)
    block = t[section + BEGIN]
    end = t[section + END if w[OWN_KINGS] else section + KINGS_BEGIN]
    while block < end:
        lanes = _narrow(t, w, block)
        if lanes and t[block + ACTIONS]:
            return True
        block = block + BLOCK_SIZE if lanes else t[block + SKIP]
    return False


@kernel
def _opening_actions(t, s, w, actions):
    _look(t, s, w)
    _look_back(t, s, w)
    found = _generate(t, w, _section(t, s, STEP), actions, 0)
    n = 0
    for index in range(found):
        if t[_step(t, s[PLAYER], actions[index]) + OPENS]:
            actions[n] = actions[index]
            n += 1
    return n


@inlined
def _end_turn(t, s, quiet):
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
def _promote(t, s, player, bits):
    """Promotes a man on the promotion points; tells whether there was one."""
    landed = s[MEN + player] & bits & t[T_PROMOTION + player]
    s[MEN + player] ^= landed
    s[KINGS + player] |= landed
    return landed != 0


@inlined
def _remove(t, s, player, bits):
    s[MEN + player] &= ~bits
    s[KINGS + player] &= ~bits
    if t[T_REMEMBERS]:
        _forget(t, s, bits)


@inlined
def _more_pieces(s):
    lead = popcount(s[MEN] | s[KINGS]) - popcount(s[MEN + 1] | s[KINGS + 1])
    if lead == 0:
        return NOBODY
    return 0 if lead > 0 else 1


@kernel
def _remember_step(t, s, step):
    """Notes a simple move, so that it is not undone."""
    origin = 1 << t[step + ORIGIN]
    target = 1 << t[step + TARGET]
    points = origin
    if t[T_UNDO_SCOPE] == NEVER_REVISIT:
        points |= s[MEMORY_POINTS + t[step + ORIGIN]]
    _forget(t, s, origin if t[T_UNDO_SCOPE] != PER_PLAYER else origin | s[MEN + s[PLAYER]])
    if t[T_REMEMBERS_POINTS]:
        _store_memory(t, s, t[step + TARGET], points)
    elif t[step + UNDO] >= 0:
        s[MEMORY + t[step + UNDO]] |= target


@kernel
def _remember_leap(t, s, step):
    """Clears the memory of a piece that captures, or carries it along."""
    origin = 1 << t[step + ORIGIN]
    if t[T_JUMP_CLEARS]:
        _forget(t, s, origin if t[T_UNDO_SCOPE] != PER_PLAYER else origin | s[MEN + s[PLAYER]])
        return
    points = s[MEMORY_POINTS + t[step + ORIGIN]]
    if t[T_UNDO_SCOPE] == NEVER_REVISIT:
        points |= origin
    _forget(t, s, origin)
    _store_memory(t, s, t[step + TARGET], points)


@kernel
def _forget(t, s, bits):
    for relation in range(t[T_RELATIONS]):
        s[MEMORY + relation] &= ~bits
    if t[T_REMEMBERS_POINTS]:
        for point in range(t[T_POINTS]):
            if bits >> point & 1:
                s[MEMORY_POINTS + point] = 0


@kernel
def _store_memory(t, s, point, points):
    """Lets the piece on `point` remember `points`, and marks the steps that this forbids."""
    if t[T_JUMP_CLEARS]:
        points &= _within_steps(t, s[PLAYER], point, points)
    s[MEMORY_POINTS + point] = points
    for relation in range(t[T_RELATIONS]):
        other = t[t[T_RELATION_TARGET] + relation * t[T_POINTS] + point]
        if other >= 0 and points >> other & 1:
            s[MEMORY + relation] |= 1 << point


@kernel
def _within_steps(t, player, point, remembered):
    """Points to which a man on `point` might yet step, if it walks round those that it remembers."""
    within = 0
    reached = 1 << point
    to_do = reached
    while to_do:
        targets = t[t[T_MAN_STEPS] + player * t[T_POINTS] + lowest(to_do)]
        to_do &= to_do - 1
        within |= targets
        to_do |= targets & ~remembered & ~reached
        reached |= targets & ~remembered
    return within


@kernel
def _keep_continuing(t, s, w, actions, n):
    """Keeps, among the landings of a piece behind one victim, those that allow a further capture, if any does."""
    scratch = allocate(2, t[T_STATE_SIZE] + n)
    after, goes_on = scratch[0], scratch[1]
    for index in range(n):
        copy_state(t, s, after)
        apply_action(t, after, w, actions[index])
        goes_on[index] = 1 if after[CHAIN] >= 0 else 0
    for index in range(n):
        if goes_on[index] == 0 and _has_continuing_rival(t, s, actions, goes_on, index, n):
            # It must still be there for the others to be compared with, so it is only marked here.
            goes_on[index] = DROPPED
    kept = 0
    for index in range(n):
        if goes_on[index] != DROPPED:
            actions[kept] = actions[index]
            kept += 1
    release(scratch)
    return kept


@inlined
def _has_continuing_rival(t, s, actions, goes_on, index, n):
    step = _step(t, s[PLAYER], actions[index])
    for other in range(n):
        rival = _step(t, s[PLAYER], actions[other])
        same_leap = t[rival + ORIGIN] == t[step + ORIGIN] and t[rival + OVER] == t[step + OVER]
        if same_leap and goes_on[other] == 1:
            return True
    return False


@kernel
def _keep_longest(t, s, w, actions, n):
    """Keeps the captures that begin a chain of the most pieces."""
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
def _longest_chain(t, start, w):
    """The most captures with which a chain in progress can go on."""
    states = allocate(t[T_POINTS] + 1, t[T_STATE_SIZE])
    choices = allocate(t[T_POINTS] + 1, t[T_NUM_ACTIONS])
    counts = allocate(1, t[T_POINTS] + 1)
    untried = counts[0]
    copy_state(t, start, states[0])
    untried[0] = _captures(t, states[0], w, choices[0])
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
            untried[level] = _captures(t, states[level], w, choices[level])
    release(states)
    release(choices)
    release(counts)
    return longest


@inlined
def _mix(word):
    word = wrapped_product(word ^ (word >> 30), 0x3F58476D1CE4E5B9)
    word = wrapped_product(word ^ (word >> 27), 0x14D049BB133111EB)
    return word ^ (word >> 31)
