"""The engine: what is legal, what a step does, how a match stands. It knows no game, only step tables.

A state is a sequence of integers, `t.state_size` of them, laid out by the constants below; it holds everything that the
rules look at. Sets of points are words: bit `p` stands for point `p`. Kernels trust their arguments: an action must be
legal where it is applied.

Throughout, `t` is a `KernelTable` (see `table.py`), `s` a state, `w` scratch space of `t.scratch_size` words, `actions`
room for `t.num_actions` of them, `bits` some points as a word. The exported player carries this file as it is.
"""

from .jit import kernel, lowest, new_rows, new_words, popcount

# Layout of a state. MEN and KINGS hold a word for each player.
MEN = 0
KINGS = 2
PLAYER = 4
CHAIN = 5  # the point of a piece in the middle of a chain, or NO_POINT
QUIET = 6  # turns without progress
CAPTURED = 7  # captured in this chain and not yet removed
BARRED = 8  # vacant points on which this chain may not land
MEMORY = 9  # a word for each relation that memory can forbid, then a word of remembered points for each point

NO_POINT = -1

# Scratch words that the nodes of a table look at; a word for each relation follows, then one for each node.
OWN_MEN = 0
OWN_KINGS = 1
EMPTY = 2
ENEMY = 3
ALLOWED = 4

# Sections of the node list, for each player.
FIRST_LEAP, NEXT_LEAP, STEP, SECTIONS = 0, 1, 2, 3

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

MASK_63 = 0x7FFFFFFFFFFFFFFF


@kernel
def legal_actions(t, s, w, actions):
    """Fills in the legal actions and returns their number, whether or not the match has ended."""
    if t.has_opening and is_start(t, s):
        return _opening_actions(t, s, w, actions)
    n = _captures(t, s, w, actions)
    if n > 1 and t.landing_must_continue:
        n = _keep_continuing(t, s, w, actions, n)
    if n > 1 and t.most_pieces:
        n = _keep_longest(t, s, w, actions, n)
    if s[CHAIN] >= 0:
        if t.chain == OPTIONAL:
            actions[n] = t.pass_action
            n += 1
        return n
    if n == 0 or t.capture_optional:
        _look(t, s, w)
        n = _generate(t, w, t.sections[SECTIONS * s[PLAYER] + STEP], actions, n)
    if n == 0 and t.no_moves == PASS:
        actions[0] = t.pass_action
        n = 1
    return n


@kernel
def apply_action(t, s, w, action):
    """Changes the state to the one after a legal action."""
    player = s[PLAYER]
    if action == t.pass_action:
        _end_turn(t, s, s[QUIET] + 1 if s[CHAIN] < 0 else 0)
        return
    step = t.steps[t.num_actions * player + action]
    origin = 1 << step.origin
    target = 1 << step.target
    is_man = s[MEN + player] & origin
    s[MEN + player if is_man else KINGS + player] ^= origin | target
    if step.over < 0:
        if t.remembers:
            _remember_step(t, s, step)
        promoted = _promote(t, s, player, target)
        _end_turn(t, s, 0 if promoted and t.promotion_is_progress else s[QUIET] + 1)
        return
    if t.removal_at_end:
        s[CAPTURED] |= 1 << step.over
    else:
        _remove(t, s, 1 - player, 1 << step.over)
    if t.remembers:
        _remember_leap(t, s, step)
    stops = t.chain == SINGLE
    if t.midchain_promotion != IF_TURN_ENDS_THERE and _promote(t, s, player, target):
        stops = stops or t.midchain_promotion == PROMOTE_AND_STOP
    if s[CHAIN] < 0 and not t.may_return_to_start:
        s[BARRED] = origin
    s[CHAIN] = step.target
    if stops or not _can_go_on(t, s, w):
        _end_turn(t, s, 0)
    else:
        s[QUIET] = 0


@kernel
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
        if t.no_moves == LOSS:
            return 4 * BLOCKED + 1 - player
        return 4 * BLOCKED + (NOBODY if t.no_moves == DRAW else _more_pieces(s))
    if t.threefold and earlier + 1 >= OCCURRENCES_TO_DRAW:
        return 4 * REPETITION + NOBODY
    if t.no_progress_limit > 0 and s[QUIET] >= t.no_progress_limit:
        if t.no_progress_majority:
            return 4 * BY_MAJORITY + _more_pieces(s)
        return 4 * NO_PROGRESS + NOBODY
    return ONGOING


@kernel
def is_start(t, s):
    """Whether the state is the start of the game."""
    for index in range(t.state_size):
        if s[index] != t.start[index]:
            return False
    return True


@kernel
def position_key(t, s):
    """A 63-bit hash of everything in the state but the clock."""
    key = 0
    for index in range(t.state_size):
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


@kernel
def random_below(rng, n):
    """A pseudo-random integer in [0, n), n below 2**31. `rng` holds one word, the generator's state.

    Source: Steele, Lea and Flood 2014, SplitMix, reduced to 63 bits.
    """
    rng[0] = rng[0] + 0x1E3779B97F4A7C15 & MASK_63
    return (_mix(rng[0]) >> 31) * n >> 32


@kernel
def copy_state(t, source, s):
    """Copies a state."""
    for index in range(t.state_size):
        s[index] = source[index]


@kernel
def perft(t, start, depth, by_turns):
    """Number of sequences of `depth` actions, or of whole turns; ended matches count only at depth 0.

    An explicit stack, since Numba cannot keep compiled recursion.
    """
    if depth == 0:
        return 1
    levels = depth * (t.points + 1) if by_turns else depth
    states = new_rows(levels + 1, t.state_size)
    choices = new_rows(levels + 1, t.num_actions)
    open_choices = new_words(levels + 1)
    to_go = new_words(levels + 1)
    w = new_words(t.scratch_size)
    copy_state(t, start, states[0])
    open_choices[0] = _open_actions(t, states[0], w, choices[0])
    to_go[0] = depth
    level = 0
    count = 0
    while level >= 0:
        if open_choices[level] == 0:
            level -= 1
            continue
        if to_go[level] == 1 and not by_turns:
            count += open_choices[level]
            level -= 1
            continue
        open_choices[level] -= 1
        after = states[level + 1]
        copy_state(t, states[level], after)
        apply_action(t, after, w, choices[level][open_choices[level]])
        left = to_go[level] - (1 if not by_turns or after[CHAIN] < 0 else 0)
        if left == 0:
            count += 1
            continue
        level += 1
        to_go[level] = left
        open_choices[level] = _open_actions(t, after, w, choices[level])
    return count


@kernel
def play_out(t, s, w, actions, keys, rng):
    """Plays random legal actions from an ongoing state to the end of the match; returns the outcome.

    Args:
      s: Changed to the final state.
      keys: As for `earlier_occurrences`; room for one more than the most turns without progress, or empty where the
        game does not look at repetition.
    """
    n = legal_actions(t, s, w, actions)
    result = ONGOING
    while result == ONGOING:
        apply_action(t, s, w, actions[random_below(rng, n)])
        n = legal_actions(t, s, w, actions)
        result = outcome(t, s, n, earlier_occurrences(t, s, keys) if t.threefold and s[CHAIN] < 0 else 0)
        if t.threefold and s[QUIET] + 1 >= len(keys):
            result = 4 * NO_PROGRESS + NOBODY
    return result


@kernel
def _open_actions(t, s, w, actions):
    """As `legal_actions`, but none where the match has ended."""
    n = legal_actions(t, s, w, actions)
    return n if outcome(t, s, n, 0) == ONGOING else 0


@kernel
def _look(t, s, w):
    """Sets up the scratch words that nodes look at, for the player to move."""
    player = s[PLAYER]
    men = s[MEN + player]
    kings = s[KINGS + player]
    enemy = s[MEN + 1 - player] | s[KINGS + 1 - player]
    w[EMPTY] = t.all_points & ~(men | kings | enemy | s[BARRED])
    w[ENEMY] = enemy & ~s[CAPTURED]
    if s[CHAIN] >= 0:
        men &= 1 << s[CHAIN]
        kings &= 1 << s[CHAIN]
    w[OWN_MEN] = men
    w[OWN_KINGS] = kings
    for relation in range(t.relations):
        w[ALLOWED + relation] = ~s[MEMORY + relation]


@kernel
def _narrow(t, w, index):
    """The origins that a node leaves of those its parent left: those that see what it asks for at its distance."""
    node = t.nodes[index]
    origins = w[node.parent] & node.origins & ((w[node.sees] >> node.right) << node.left)
    w[t.first_node + index] = origins
    return origins if node.actions >= 0 else 0


@kernel
def _generate(t, w, section, actions, n):
    """Appends the actions of a section of nodes to the `n` there are; returns the new number."""
    for index in range(section.begin, section.end if w[OWN_KINGS] else section.kings):
        origins = _narrow(t, w, index)
        while origins:
            actions[n] = t.action_at[t.nodes[index].actions + lowest(origins)]
            n += 1
            origins &= origins - 1
    return n


@kernel
def _captures(t, s, w, actions):
    """Fills in the captures of the player to move, also those that a rule of maximum or of landing forbids."""
    _look(t, s, w)
    kind = FIRST_LEAP if s[CHAIN] < 0 else NEXT_LEAP
    return _generate(t, w, t.sections[SECTIONS * s[PLAYER] + kind], actions, 0)


@kernel
def _can_go_on(t, s, w):
    """Whether the piece in the middle of a chain can capture again."""
    _look(t, s, w)
    section = t.sections[SECTIONS * s[PLAYER] + NEXT_LEAP]
    for index in range(section.begin, section.end if w[OWN_KINGS] else section.kings):
        if _narrow(t, w, index):
            return True
    return False


@kernel
def _opening_actions(t, s, w, actions):
    _look(t, s, w)
    found = _generate(t, w, t.sections[SECTIONS * s[PLAYER] + STEP], actions, 0)
    n = 0
    for index in range(found):
        if t.steps[t.num_actions * s[PLAYER] + actions[index]].opens:
            actions[n] = actions[index]
            n += 1
    return n


@kernel
def _end_turn(t, s, quiet):
    player = s[PLAYER]
    if s[CHAIN] >= 0:
        _promote(t, s, player, 1 << s[CHAIN])
        s[CHAIN] = NO_POINT
        s[BARRED] = 0
        if s[CAPTURED]:
            _remove(t, s, 1 - player, s[CAPTURED])
            s[CAPTURED] = 0
    s[QUIET] = quiet if t.counts_quiet else 0
    s[PLAYER] = 1 - player


@kernel
def _promote(t, s, player, bits):
    """Promotes a man on the promotion points; tells whether there was one."""
    landed = s[MEN + player] & bits & t.promotion[player]
    s[MEN + player] ^= landed
    s[KINGS + player] |= landed
    return landed != 0


@kernel
def _remove(t, s, player, bits):
    s[MEN + player] &= ~bits
    s[KINGS + player] &= ~bits
    if t.remembers:
        _forget(t, s, bits)


@kernel
def _more_pieces(s):
    lead = popcount(s[MEN] | s[KINGS]) - popcount(s[MEN + 1] | s[KINGS + 1])
    if lead == 0:
        return NOBODY
    return 0 if lead > 0 else 1


@kernel
def _remember_step(t, s, step):
    """Notes a simple move, so that it is not undone."""
    origin = 1 << step.origin
    target = 1 << step.target
    points = origin
    if t.undo_scope == NEVER_REVISIT:
        points |= s[MEMORY + t.relations + step.origin]
    _forget(t, s, origin if t.undo_scope != PER_PLAYER else origin | s[MEN + s[PLAYER]])
    if t.remembers_points:
        _store_memory(t, s, step.target, points)
    elif step.undo >= 0:
        s[MEMORY + step.undo] |= target


@kernel
def _remember_leap(t, s, step):
    """Clears the memory of a piece that captures, or carries it along."""
    origin = 1 << step.origin
    if t.jump_clears:
        _forget(t, s, origin if t.undo_scope != PER_PLAYER else origin | s[MEN + s[PLAYER]])
        return
    points = s[MEMORY + t.relations + step.origin]
    if t.undo_scope == NEVER_REVISIT:
        points |= origin
    _forget(t, s, origin)
    _store_memory(t, s, step.target, points)


@kernel
def _forget(t, s, bits):
    for relation in range(t.relations):
        s[MEMORY + relation] &= ~bits
    if t.remembers_points:
        for point in range(t.points):
            if bits >> point & 1:
                s[MEMORY + t.relations + point] = 0


@kernel
def _store_memory(t, s, point, points):
    """Lets the piece on `point` remember `points`, and marks the steps that this forbids."""
    if t.jump_clears:
        points &= _within_steps(t, s[PLAYER], point, points)
    s[MEMORY + t.relations + point] = points
    for relation in range(t.relations):
        other = t.relation_target[relation * t.points + point]
        if other >= 0 and points >> other & 1:
            s[MEMORY + relation] |= 1 << point


@kernel
def _within_steps(t, player, point, remembered):
    """Points to which a man on `point` might yet step, if it walks round those that it remembers."""
    within = 0
    reached = 1 << point
    to_do = reached
    while to_do:
        targets = t.man_steps[player * t.points + lowest(to_do)]
        to_do &= to_do - 1
        within |= targets
        to_do |= targets & ~remembered & ~reached
        reached |= targets & ~remembered
    return within


@kernel
def _keep_continuing(t, s, w, actions, n):
    """Keeps, among the landings of a piece behind one victim, those that allow a further capture, if any does."""
    after = new_words(t.state_size)
    goes_on = new_words(n)
    for index in range(n):
        copy_state(t, s, after)
        apply_action(t, after, w, actions[index])
        goes_on[index] = after[CHAIN] >= 0
    first = t.num_actions * s[PLAYER]
    kept = 0
    for index in range(n):
        step = t.steps[first + actions[index]]
        better = False
        for other in range(n):
            rival = t.steps[first + actions[other]]
            if goes_on[other] and rival.origin == step.origin and rival.over == step.over:
                better = True
        # A dropped action may be compared with later, so the list is closed up only behind the reader.
        goes_on[index] = goes_on[index] + 2 * (better and not goes_on[index])
    for index in range(n):
        if goes_on[index] < 2:
            actions[kept] = actions[index]
            kept += 1
    return kept


@kernel
def _keep_longest(t, s, w, actions, n):
    """Keeps the captures that begin a chain of the most pieces."""
    after = new_words(t.state_size)
    length = new_words(n)
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
    return kept


@kernel
def _longest_chain(t, start, w):
    """The most captures with which a chain in progress can go on."""
    states = new_rows(t.points + 1, t.state_size)
    choices = new_rows(t.points + 1, t.num_actions)
    untried = new_words(t.points + 1)
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
    return longest


@kernel
def _mix(word):
    word = (word ^ (word >> 30)) * 0x3F58476D1CE4E5B9 & MASK_63
    word = (word ^ (word >> 27)) * 0x14D049BB133111EB & MASK_63
    return word ^ (word >> 31)
