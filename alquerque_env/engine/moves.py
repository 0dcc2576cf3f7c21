"""Generates the steps and captures of one match, for the text of the rules.

A table has sections of blocks. A block takes a bitboard of origins and keeps the origins with the right kind of point
(empty or enemy) at a distance, in eight directions at once, one for each lane. A block with actions yields an action
for each origin that is left; other blocks pass their origins on to the blocks that follow.

Arguments are as in `rules/`; `scratch` is laid out as SCRATCH says, and `actions` has room for all actions. For many
matches, `torch_moves.py` has functions of the same names.
"""

from ..game import scratch_layout as SCRATCH, table_layout as TABLE
from .binding import inlined, kernel
from .compiler import count_lanes, fill_lanes, find_lane, invert_lanes, lowest, narrow_lanes, nth_bit, popcount
from .fields import Rules, State
from .kernel_types import Words


@inlined
def look(rules: Rules, state: State, scratch: Words, player: int, men: int, kings: int, shut: int) -> None:
    """Fills the scratch space with the bitboards that blocks read: pieces that may move, empty points, enemies.

    Args:
      men, kings: The pieces of the player.
      shut: Points that no piece may enter.
    """
    theirs = state.men[1 - player] | state.kings[1 - player]
    _look(rules, scratch, men | kings, theirs, state.captured, shut)
    chain = state.chain
    if chain >= 0:
        men &= 1 << chain
        kings &= 1 << chain
    _take(scratch, men, kings)


@inlined
def _look(rules: Rules, scratch: Words, own: int, theirs: int, captured: int, shut: int) -> None:
    fill_lanes(scratch, SCRATCH.EMPTY, rules.all_points & ~(own | theirs | shut))
    fill_lanes(scratch, SCRATCH.ENEMY, theirs & ~captured)


@inlined
def _take(scratch: Words, men: int, kings: int) -> None:
    fill_lanes(scratch, SCRATCH.OWN_MEN, men)
    fill_lanes(scratch, SCRATCH.OWN_KINGS, kings)


@inlined
def find_captures(
    rules: Rules, state: State, scratch: Words, actions: Words, player: int, men: int, kings: int, opens: bool
) -> int:  # fmt: skip
    """Lists the captures, before any rule compares them; returns their number."""
    if opens:
        return 0
    return list_actions(rules, scratch, player, TABLE.FIRST_LEAP if state.chain < 0 else TABLE.NEXT_LEAP, actions, 0)


@inlined
def find_steps(
    rules: Rules, state: State, scratch: Words, actions: Words, player: int, men: int, kings: int, stepping: bool,
    found: int,
) -> int:  # fmt: skip
    """Lists the simple steps behind the `found` actions if there may be any; returns the new number."""
    if not stepping:
        return found
    if rules.remembers:
        invert_lanes(scratch, SCRATCH.ALLOWED, state.memory)
    return list_actions(rules, scratch, player, TABLE.STEP, actions, found)


@inlined
def keep_opening(rules: Rules, scratch: Words, actions: Words, player: int, opens: bool, found: int) -> int:
    """Keeps the steps that the opening rule allows; returns their number."""
    kept = 0
    for index in range(found):
        if rules[step_of(rules, player, actions[index]) + TABLE.OPENS]:
            actions[kept] = actions[index]
            kept += 1
    return kept


@inlined
def find_placings(
    rules: Rules, scratch: Words, actions: Words, player: int, points: int, drops: bool, removes: bool, found: int
) -> int:  # fmt: skip
    """Lists the drops or the removals on some points behind the `found` actions; returns the new number."""
    if drops or removes:
        _take(scratch, points, 0)
        return list_actions(rules, scratch, player, TABLE.DROP if drops else TABLE.REMOVAL, actions, found)
    return found


@inlined
def add_pass(rules: Rules, scratch: Words, actions: Words, passes: bool, found: int) -> int:
    """Appends the pass if it is legal; returns the new number of actions."""
    if not passes:
        return found
    actions[found] = rules.pass_action
    return found + 1


@inlined
def can_continue(
    rules: Rules, scratch: Words, player: int, men: int, kings: int, theirs: int, captured: int, shut: int,
    piece: int, kind: int, goes_on: bool,
) -> bool:  # fmt: skip
    """Whether a piece in the middle of a chain, a bitboard of its point, has an action of a section of blocks."""
    _look(rules, scratch, men | kings, theirs, captured, shut)
    _take(scratch, men & piece, kings & piece)
    section = _section(rules, player, kind)
    block = rules[section + TABLE.BEGIN]
    end = rules[section + TABLE.END if scratch[SCRATCH.OWN_KINGS] else section + TABLE.KINGS_BEGIN]
    while block < end:
        lanes = _narrow(rules, scratch, block)
        if lanes and rules[block + TABLE.ACTIONS]:
            return True
        block = block + TABLE.BLOCK_SIZE if lanes else rules[block + TABLE.SKIP]
    return False


@kernel
def count_capturable(rules: Rules, state: State, scratch: Words, actions: Words) -> int:
    """An upper bound on the captures that can follow in a chain in progress.

    Counts the enemies that a leap from a point in reach takes; the points behind them are then in reach too. It is a
    bound because an enemy can be captured once only. Where captured pieces leave the board at once, the points of all
    enemies count as vacant too, since any of them may have been captured before.
    """
    player = state.player
    piece = 1 << state.chain
    men, kings = state.men[player], state.kings[player]
    theirs = state.men[1 - player] | state.kings[1 - player]
    # The piece leaves its point, so that the chain may come back there.
    _look(rules, scratch, (men | kings) & ~piece, theirs, state.captured, state.barred)
    if not rules.removal_at_end:
        fill_lanes(scratch, SCRATCH.EMPTY, scratch[SCRATCH.EMPTY] | theirs)
    men &= piece
    kings &= piece
    reached_men, reached_kings, victims = 0, 0, 0
    while men | kings:
        is_men = men != 0
        # Men and kings apart, since an action does not tell which of them comes to its target.
        _take(scratch, men, 0 if is_men else kings)
        found = list_actions(rules, scratch, player, TABLE.NEXT_LEAP, actions, 0)
        targets = 0
        for index in range(found):
            step = step_of(rules, player, actions[index])
            victims |= 1 << rules[step + TABLE.OVER]
            targets |= 1 << rules[step + TABLE.TARGET]
        if is_men:
            reached_men |= men
            men = targets & ~reached_men
            if rules.midchain_promotion == TABLE.PROMOTE_AND_CONTINUE:
                kings |= targets & rules.promotion[player] & ~reached_kings
        else:
            reached_kings |= kings
            kings = targets & ~reached_kings
    return popcount(victims)


@inlined
def _narrow(rules: Rules, scratch: Words, block: int) -> int:
    """Runs a block; returns the lanes in which an origin is left, as bits."""
    parents, sees, words = rules[block + TABLE.PARENTS], rules[block + TABLE.SEES], rules[block + TABLE.WORDS]
    return narrow_lanes(rules, block + TABLE.DISTANCES, block + TABLE.ORIGINS, scratch, parents, sees, words)


@inlined
def list_actions(rules: Rules, scratch: Words, player: int, kind: int, actions: Words, n: int) -> int:
    """Appends the actions of a section of blocks to the `n` in `actions`; returns the new number."""
    section = _section(rules, player, kind)
    block = rules[section + TABLE.BEGIN]
    end = rules[section + TABLE.END if scratch[SCRATCH.OWN_KINGS] else section + TABLE.KINGS_BEGIN]
    while block < end:
        lanes = _narrow(rules, scratch, block)
        if lanes == 0:
            block = rules[block + TABLE.SKIP]
            continue
        if rules[block + TABLE.ACTIONS]:
            n = _list(rules, scratch, block, lanes, actions, n)
        block += TABLE.BLOCK_SIZE
    return n


@inlined
def _list(rules: Rules, scratch: Words, block: int, lanes: int, actions: Words, n: int) -> int:
    while lanes:
        lane = lowest(lanes)
        lanes &= lanes - 1
        origins = scratch[rules[block + TABLE.WORDS] + lane]
        numbers = rules[block + TABLE.ACTIONS] + lane * rules.points
        while origins:
            actions[n] = rules[numbers + lowest(origins)]
            n += 1
            origins &= origins - 1
    return n


@inlined
def count_pass(rules: Rules, scratch: Words, counts: Words, passes: bool, found: int) -> int:
    """As `add_pass`, but counts it."""
    return found + 1 if passes else found


@inlined
def keep_all(rules: Rules, state: State, scratch: Words, counts: Words, found: int) -> int:
    """In place of `keep_best`: where a rule compares captures, they are not counted."""
    return found


@inlined
def count_actions(rules: Rules, scratch: Words, player: int, kind: int, counts: Words, found: int) -> int:
    """Adds the number of actions of a section of blocks to `found`, and writes it to `counts[kind]`.

    Leaves counts and bitboards in `scratch` for `pick_action`.
    """
    section = _section(rules, player, kind)
    block = rules[section + TABLE.BEGIN]
    end = rules[section + TABLE.END if scratch[SCRATCH.OWN_KINGS] else section + TABLE.KINGS_BEGIN]
    n = 0
    while block < end:
        lanes = _narrow(rules, scratch, block)
        if lanes and rules[block + TABLE.ACTIONS]:
            lanes = count_lanes(scratch, rules[block + TABLE.WORDS])
            n += lanes
        scratch[rules[block + TABLE.TALLY]] = lanes
        block = block + TABLE.BLOCK_SIZE if lanes else rules[block + TABLE.SKIP]
    counts[kind] = n
    return found + n


@inlined
def pick_action(rules: Rules, scratch: Words, player: int, kind: int, index: int) -> int:
    """The action at an index of those of a section that `count_actions` has counted."""
    section = _section(rules, player, kind)
    block = rules[section + TABLE.BEGIN]
    tally = scratch[rules[block + TABLE.TALLY]]
    while rules[block + TABLE.ACTIONS] == 0 or index >= tally:
        if rules[block + TABLE.ACTIONS]:
            index -= tally
        block = block + TABLE.BLOCK_SIZE if tally else rules[block + TABLE.SKIP]
        tally = scratch[rules[block + TABLE.TALLY]]
    words = rules[block + TABLE.WORDS]
    found = find_lane(scratch, words, index)
    lane, index = found >> 32, found & 0xFFFFFFFF
    return rules[rules[block + TABLE.ACTIONS] + lane * rules.points + nth_bit(scratch[words + lane], index)]


@inlined
def _section(rules: Rules, player: int, kind: int) -> int:
    """Index in the table of a section of blocks of a player."""
    return rules.sections + TABLE.SECTION_SIZE * (TABLE.NUM_SECTIONS * player + kind)


@inlined
def step_of(rules: Rules, player: int, action: int) -> int:
    """Index in the table of the row of an action."""
    return rules.steps + TABLE.STEP_SIZE * (rules.num_actions * player + action)


# What the rules ask about an action. Functions without a decorator are written out, see `binding.py`.


def read_step(rules: Rules, scratch: Words, player: int, action: int) -> int:
    """What an action does, for the functions below: the index in the table of its row."""
    return step_of(rules, player, action)


def is_pass(rules: Rules, step: int) -> bool:
    """Whether the action is the pass."""
    return rules[step + TABLE.ORIGIN] < 0


def is_leap(rules: Rules, step: int) -> bool:
    """Whether the action is a capture."""
    return rules[step + TABLE.OVER] >= 0


def is_placing(rules: Rules, step: int) -> bool:
    """Whether the action, which is no pass, is a drop or a removal."""
    return rules[step + TABLE.ORIGIN] == rules[step + TABLE.TARGET]


def origin_of(rules: Rules, step: int) -> int:
    """The point where the action begins."""
    return rules[step + TABLE.ORIGIN]


def target_of(rules: Rules, step: int) -> int:
    """The point where the action ends."""
    return rules[step + TABLE.TARGET]


def victim_of(rules: Rules, step: int) -> int:
    """The point of the piece that a capture takes."""
    return rules[step + TABLE.OVER]


def undo_of(rules: Rules, step: int) -> int:
    """The relation that leads back from a simple step, or -1."""
    return rules[step + TABLE.UNDO]


def plan_of(rules: Rules, scratch: Words, stage: int) -> int:
    """What the schedule says of a ply: twice what is done, plus 1 if the same player goes on."""
    return rules[rules[TABLE.SCHEDULE] + stage]


def planned_points(rules: Rules, scratch: Words, stage: int) -> int:
    """Where the schedule lets a piece be dropped or removed."""
    return rules[rules[TABLE.SCHEDULE_POINTS] + stage]


def points_taken(rules: Rules, scratch: Words, player: int, action: int) -> int:
    """The points of the pieces that a capture may take."""
    return rules[rules[TABLE.TAKEN] + rules[TABLE.NUM_ACTIONS] * player + action]


def point_beyond(rules: Rules, scratch: Words, player: int, action: int) -> int:
    """The point straight ahead of the target of an action, a bitboard."""
    return rules[rules[TABLE.BEYOND] + rules[TABLE.NUM_ACTIONS] * player + action]


def point_of(point: int) -> int:
    """A point that is one, where the caller has made sure of it."""
    return point
