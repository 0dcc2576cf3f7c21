"""The rules of play: legal actions, the state after an action, the outcome, what an observation shows.

They are written here once. `binding.py` binds this text to kinds of words: integers for one match, in
`rules_scalar.py`, and vectors for many matches at once, in `rules_simd.py` and `rules_torch.py`. It reads as if it were
for one match. At `if any_of(flag)` one match takes the branch if its flag is set, and many matches take it if any flag
is set; `where` then chooses for each match.

The rules know no game. They read a step table, which `game/step_table.py` compiles from a game. A state holds
everything that they look at, except earlier positions of the match. Arguments are not checked: actions must be legal.

Steps are found, listed and read in one way for one match, in `moves.py`, and in another for many matches, in
`vector_moves.py`.

Arguments that many functions share:
  rules: The step table.
  state: A state, see `fields.py`.
  scratch: What the functions that find steps read and write.
  actions: Where they leave the actions.
"""

from typing import Any

from ..game import state_layout as STATE, table_layout as TABLE
from ..game.kernel_arrays import WORD_BITS
from ..game.outcomes import (
    BLOCKED,
    BY_MAJORITY,
    CAPTURED_ALL,
    NO_PROGRESS,
    NO_WINNER,
    NOBODY,
    OCCURRENCES_TO_DRAW,
    ONGOING,
    REACHED_GOAL,
    REPETITION,
)
from .binding import inlined, kernel
from .compiler import allocate, release, reverse_bits, wrapped_product
from .fields import Flag, Rules, State, Word
from .moves import (
    add_pass,
    can_continue,
    count_capturable,
    find_captures,
    find_placings,
    find_steps,
    is_leap,
    is_pass,
    is_placing,
    keep_opening,
    look,
    origin_of,
    plan_of,
    planned_points,
    point_beyond,
    point_of,
    points_taken,
    read_step,
    step_of,
    target_of,
    victim_of,
)
from .splitmix import FIRST_FACTOR_63, SECOND_FACTOR_63
from .undo_memory import forget, remember
from .words.integers import (
    any_of,
    constant,
    count_each,
    give_to_player,
    mover,
    never,
    no,
    of_player,
    shifted,
    where,
    wide,
)

MOST_CHAIN_POSITIONS = 1 << 12
"""Positions of chains that are looked at, for one position of a match, to compare captures."""

_FEW = 32  # a search of so few positions is over sooner than notes of them and bounds would pay
_SEEN_SIZE = 1 << 12  # a power of two, since places in the table are low bits of a hash
_LONGEST, _LEFT, _SEARCH_SIZE = 0, 1, 2
_DROPPED = -1


@inlined
def legal_actions(rules: Rules, state: State, scratch: Any, actions: Any) -> Word:
    """Finds the legal actions, also where the match has ended.

    Returns:
      What the functions that find steps return: how many there are, or where they are; 0 if there is none.
    """
    player = mover(state, scratch)
    men, kings = of_player(player, state.men), of_player(player, state.kings)
    in_chain = state.chain >= 0
    opens = never(in_chain)
    if rules.has_opening:
        opens = is_start(rules, state)
    has_schedule = rules.extras and rules.stages
    drops, removes, waits = opens, opens, opens
    if has_schedule:
        does = plan_of(rules, scratch, state.stage) >> 1
        drops, removes = does == TABLE.DROPS, does == TABLE.REMOVES
        waits = drops | removes
    shut = _shut(rules, state)
    stepping, walkers = no(in_chain), men
    if rules.extras and rules.num_flanks and any_of(in_chain):
        piece = where(in_chain, constant(men, 1) << point_of(state.chain), 0)
        flanking = _flanking(rules, player, men & ~piece, of_player(1 - player, state.men))
        shut = where(in_chain, shut | ~flanking, shut)
        walkers = where(in_chain, piece, men)
        stepping = stepping | in_chain
    look(rules, state, scratch, player, men, kings, shut)
    found = find_captures(rules, state, scratch, actions, player, men, kings, waits)
    if rules.compares:
        found = keep_best(rules, state, scratch, actions, found)
    if has_schedule:
        stepping = stepping & no(waits)
    if not rules.capture_optional:
        stepping = stepping & (found == 0)
    found = find_steps(rules, state, scratch, actions, player, walkers, kings, stepping, found)
    if rules.has_opening and any_of(opens):
        found = keep_opening(rules, scratch, actions, player, opens, found)
    if has_schedule:
        points = planned_points(rules, scratch, state.stage)
        found = find_placings(rules, scratch, actions, player, points, drops, removes, found)
    if rules.pass_action >= 0:
        passes = never(in_chain)
        if rules.chain == TABLE.OPTIONAL:
            passes = in_chain
        if rules.no_moves == TABLE.PASS:
            passes = passes | ((found == 0) & no(in_chain | opens))
        found = add_pass(rules, scratch, actions, passes, found)
    return found


@kernel
def apply_action(rules: Rules, state: State, scratch: Any, action: Word) -> None:
    """Changes the state to the one after a legal action."""
    player = mover(state, scratch)
    step = read_step(rules, scratch, player, action)
    passes, leaps = is_pass(rules, step), is_leap(rules, step)
    men, kings = of_player(player, state.men), of_player(player, state.kings)
    their_men, their_kings = of_player(1 - player, state.men), of_player(1 - player, state.kings)
    chain = state.chain
    captured, barred = state.captured, state.barred
    progresses = leaps
    goes_on = never(leaps)
    has_schedule = rules.extras and rules.stages
    drops, removes = goes_on, goes_on
    if has_schedule:
        placing = is_placing(rules, step) & no(passes)
        drops, removes = placing & no(leaps), placing & leaps
        progresses = leaps | drops
    stands = constant(men, 0)  # where a piece that is not in a chain any more may be promoted
    if any_of(no(passes)):
        one = where(passes, 0, constant(men, 1))
        if has_schedule:
            one = where(removes, 0, one)
        origin, target = one << origin_of(rules, step), one << target_of(rules, step)
        removed = constant(men, 0)
        is_man = men & origin != 0
        if has_schedule:
            is_man = is_man | drops
        if rules.man_step_is_progress:
            progresses = progresses | is_man
        men = where(is_man, men ^ (origin | target), men)
        kings = where(is_man, kings, kings ^ (origin | target))
        stands = target
        if any_of(leaps):
            victim = constant(men, 1) << victim_of(rules, step)
            if rules.extras and rules.takes:
                theirs = (their_men | their_kings) & ~captured
                victim = _taken(rules, points_taken(rules, scratch, player, action), victim, theirs)
            victim = where(leaps, victim, 0)
            if rules.removal_at_end:
                captured = captured | victim
            else:
                removed = victim
                their_men, their_kings = their_men & ~removed, their_kings & ~removed
        if rules.extras and rules.num_flanks:
            caught = _caught(rules, player, target, men | kings, their_men)
            caught = where(drops, 0, caught)
            their_men = their_men & ~caught
            leaps = leaps | (caught != 0)
            progresses = progresses | leaps
        if rules.remembers:
            remember(rules, state, player, step, origin, target, men, removed)
        if any_of(leaps):
            stops = never(leaps)
            if rules.chain == TABLE.SINGLE:
                stops = leaps
            if rules.midchain_promotion != TABLE.IF_TURN_ENDS_THERE:
                landed = where(leaps, men & target & of_player(player, rules.promotion), 0)
                men, kings = men ^ landed, kings | landed
                if rules.midchain_promotion == TABLE.PROMOTE_AND_STOP:
                    stops = stops | (landed != 0)
            if rules.extras and rules.visits_once:
                barred = where(leaps, barred | origin, barred)
            elif not rules.may_return_to_start:
                barred = where(leaps & (chain < 0), origin, barred)
            goes_on = leaps & no(stops)
            if has_schedule:
                goes_on = goes_on & no(removes)
            if rules.extras and rules.decides_at_once:
                left = count_each((their_men | their_kings) & ~captured)
                if rules.stages:
                    left = left + of_player(1 - player, state.hand)
                goes_on = goes_on & (left > of_player(1 - player, rules.loses_at))
            if any_of(goes_on):
                theirs = their_men | their_kings
                shut, kind = barred, TABLE.NEXT_LEAP
                if rules.extras:
                    if rules.num_parts:
                        shut = shut | state.closed
                    if rules.must_turn:
                        shut = shut | point_beyond(rules, scratch, player, action)
                    if rules.num_flanks:
                        shut, kind = shut | ~_flanking(rules, player, men & ~target, theirs), TABLE.STEP
                goes_on = can_continue(
                    rules, scratch, player, men, kings, theirs, captured, shut, target, kind, goes_on
                )
    if rules.chain == TABLE.OPTIONAL:
        ends_chain = passes & (chain >= 0)
        if any_of(ends_chain):
            stands = stands | where(ends_chain, constant(men, 1) << point_of(chain), 0)
            progresses = progresses | ends_chain
    landed = where(goes_on, 0, men & stands & of_player(player, rules.promotion))
    men, kings = men ^ landed, kings | landed
    if rules.promotion_is_progress:
        progresses = progresses | (landed != 0)
    if rules.removal_at_end:
        removed = where(goes_on, 0, captured)
        their_men, their_kings = their_men & ~removed, their_kings & ~removed
        if rules.remembers:
            forget(rules, state, removed)
        state.captured = where(goes_on, captured, 0)
    if rules.remembers and rules.promotion[0] | rules.promotion[1]:
        forget(rules, state, kings)  # memory holds back men only
    give_to_player(player, state.men, men, their_men)
    give_to_player(player, state.kings, kings, their_kings)
    if not rules.may_return_to_start:
        state.barred = where(goes_on, barred, 0)
    if rules.extras and rules.num_parts:
        pieces = men | kings | their_men | their_kings
        closed = state.closed
        for part in range(rules.parts, rules.parts + rules.num_parts):
            closed = closed | where(pieces & rules[part] == 0, rules[part], 0)
        state.closed = where(goes_on, state.closed, closed)
    if rules.extras and rules.must_turn:
        state.ahead = where(goes_on, point_beyond(rules, scratch, player, action), 0)
    state.chain = where(goes_on, target_of(rules, step), STATE.NO_POINT)
    if rules.counts_quiet:
        state.quiet = where(progresses, 0, state.quiet + 1)
    else:
        state.quiet = 0
    state.player = where(goes_on, player, 1 - player)
    if has_schedule:
        plan = plan_of(rules, scratch, state.stage)
        for side in range(2):  # a drop that is passed is given up
            placed = (plan >> 1 == TABLE.DROPS) & (player == side)
            state.hand[side] = where(placed, state.hand[side] - 1, state.hand[side])
        stays = plan & 1 == 1
        state.player = where(stays, player, state.player)
        state.stage = where(goes_on | (state.stage == rules.stages), state.stage, state.stage + 1)


@kernel
def _taken(rules: Rules, points: Word, first: Word, theirs: Word) -> Word:
    """The pieces that a capture takes: those on its points, or those in a row from the first one on.

    The numbers of points ascend or descend along a row.
    """
    if rules.takes == TABLE.TAKES_ALL:
        return points & theirs
    gaps = points & ~theirs
    before = gaps - 1 & ~gaps
    for distance in (1, 2, 4, 8, 16):
        gaps = gaps | gaps >> distance
    if rules.points > 32:
        gaps = gaps | gaps >> 32
    return points & where(points & 0 - points == first, before, ~gaps)


@inlined
def _shut(rules: Rules, state: State) -> Word:
    """The points that no piece may enter: where this chain may not land, and those closed for good."""
    shut = state.barred
    if rules.extras:
        if rules.num_parts:
            shut = shut | state.closed
        if rules.must_turn:
            shut = shut | state.ahead
    return shut


@inlined
def _flanking(rules: Rules, player: Word, own: Word, theirs: Word) -> Word:
    """The points to which a piece may step to capture an enemy between it and one of the pieces `own`."""
    found = constant(own, 0)
    for row in range(rules.flanks, rules.flanks + TABLE.FLANK_SIZE * rules.num_flanks, TABLE.FLANK_SIZE):
        near, behind = rules[row + TABLE.NEAR], rules[row + TABLE.BEHIND]
        found = found | (shifted(theirs, near) & shifted(own, behind) & rules[row + TABLE.TARGETS])
    return found & of_player(player, rules.flankers)


@inlined
def _caught(rules: Rules, player: Word, target: Word, own: Word, theirs: Word) -> Word:
    """The enemies between a piece that has stepped to a point, a bitboard, and another piece of `own`."""
    found = constant(own, 0)
    for row in range(rules.flanks, rules.flanks + TABLE.FLANK_SIZE * rules.num_flanks, TABLE.FLANK_SIZE):
        origin = target & rules[row + TABLE.TARGETS]
        near, behind = -rules[row + TABLE.NEAR], -rules[row + TABLE.BEHIND]
        found = found | where(own & shifted(origin, behind) != 0, shifted(origin, near) & theirs, 0)
    return found & of_player(player, rules.flankers)


@inlined
def outcome(rules: Rules, state: State, movable: Flag, earlier: Word) -> Word:
    """The outcome of a match: ONGOING, or `4 * reason + winner` with NOBODY as the winner of a draw.

    Args:
      movable: Whether there is a legal action.
      earlier: How often the position occurred before in this match.
    """
    pieces_0, pieces_1 = state.men[0] | state.kings[0], state.men[1] | state.kings[1]
    result = constant(state.player, ONGOING)
    if rules.no_progress_limit > 0:
        late = state.quiet >= rules.no_progress_limit
        if any_of(late):
            if rules.no_progress_majority:
                result = where(late, _more_pieces(state) + 4 * BY_MAJORITY, result)
            else:
                result = where(late, 4 * NO_PROGRESS + NOBODY, result)
    if rules.threefold:
        result = where(earlier + 1 >= OCCURRENCES_TO_DRAW, 4 * REPETITION + NOBODY, result)
    if any_of(no(movable)):
        winner = constant(state.player, NOBODY)
        if rules.no_moves == TABLE.LOSS:
            winner = 1 - state.player
        elif rules.no_moves != TABLE.DRAW:
            winner = _more_pieces(state)
        result = where(movable, result, winner + 4 * BLOCKED)
    lost_0, lost_1 = _is_captured(pieces_0, rules.loses_at[0]), _is_captured(pieces_1, rules.loses_at[1])
    if rules.extras:
        for player in range(2):
            goal = rules.goal[player]
            if goal != 0:
                held = (state.men[player] | state.kings[player]) & goal == goal
                result = where(held, 4 * REACHED_GOAL + player, result)
        if rules.stages:
            lost_0 = count_each(pieces_0) + state.hand[0] <= rules.loses_at[0]
            lost_1 = count_each(pieces_1) + state.hand[1] <= rules.loses_at[1]
    result = where(lost_1, 4 * CAPTURED_ALL, result)
    result = where(lost_0, 4 * CAPTURED_ALL + 1, result)
    return where(state.chain >= 0, ONGOING, result)


@inlined
def _is_captured(pieces: Word, few: int) -> Flag:
    """Whether a player has lost too many pieces: `few` or fewer are left."""
    if few > 0:
        return count_each(pieces) <= few
    return pieces == 0


@inlined
def winner_of(result: Word) -> Word:
    """The player who has won by an outcome, or NO_WINNER."""
    return where(result & 3 == NOBODY, NO_WINNER, where(result == ONGOING, NO_WINNER, result & 3))


@inlined
def reward_of(result: Word, player: Word) -> Word:
    """The reward of a player for an outcome: 1 for a win, -1 for a loss, otherwise 0."""
    won = where(result & 3 == player, constant(result, 1), -1)
    return where(result & 3 == NOBODY, 0, where(result == ONGOING, 0, won))


@inlined
def is_start(rules: Rules, state: State) -> Flag:
    """Whether the state is the start of the game. The clock is compared only if the game has a no-progress limit."""
    same = state[STATE.MEN] == rules[rules.start + STATE.MEN]
    if any_of(same):
        for place in range(rules.state_size):
            if place != STATE.QUIET or rules.no_progress_limit:
                same = same & (state[place] == rules[rules.start + place])
    return same


@inlined
def shown(rules: Rules, state: State, plane: int, earlier: Word) -> Word:
    """What a plane of the observation shows: a bitboard, in the frame of South, or the plane's value.

    Args:
      plane: The row of the plane in the step table.
      earlier: How often the position occurred before in this match.
    """
    kind = rules[plane + TABLE.PLANE_KIND]
    source = rules[plane + TABLE.PLANE_SOURCE]
    if kind == TABLE.PLANE_WORD or kind == TABLE.PLANE_NUMBER:
        return where(state.player == 0, state[source], state[rules[plane + TABLE.PLANE_SOURCE + 1]])
    if kind == TABLE.PLANE_POINT:
        point = state[source]
        return where(point >= 0, constant(state[STATE.MEN], 1) << point_of(point), 0)
    if kind == TABLE.PLANE_CLOCK:
        return state.quiet >> (0 if source == 1 else TABLE.CLOCK_SHIFT) & (TABLE.CLOCK_DIGIT - 1)
    if kind == TABLE.PLANE_OPENING:
        return where(is_start(rules, state), constant(state.player, 1), 0)
    if kind == TABLE.PLANE_PLAYER:
        return state.player
    return earlier


@inlined
def _more_pieces(state: State) -> Word:
    """The player with more pieces, NOBODY if both have equally many."""
    lead = count_each(state.men[0] | state.kings[0]) - count_each(state.men[1] | state.kings[1])
    return where(lead == 0, NOBODY, where(lead > 0, constant(lead, 0), 1))


# Rules that compare captures play each of them. They are for one match.


@inlined
def keep_best(rules: Rules, state: State, scratch: Any, actions: Any, found: int) -> int:
    """Keeps the captures that no other one beats; returns their number."""
    if found > 1 and rules.landing_must_continue:
        found = _keep_continuing(rules, state, scratch, actions, found)
    if found > 1 and rules.most_pieces:
        found = _keep_longest(rules, state, scratch, actions, found)
    player = state.player
    look(rules, state, scratch, player, state.men[player], state.kings[player], _shut(rules, state))
    return found


@kernel
def _keep_continuing(rules: Rules, state: State, scratch: Any, actions: Any, found: int) -> int:
    """Of the captures by one king of one victim, keeps those that allow a further capture, if there are any."""
    rows: Any = allocate(2, rules.state_size + found)
    after, goes_on = rows[0], rows[1]
    for index in range(found):
        copy_state(rules, state, after)
        apply_action(rules, after, scratch, actions[index])
        goes_on[index] = 1 if after[STATE.CHAIN] >= 0 else 0
    for index in range(found):
        if goes_on[index] == 0 and _has_continuing_rival(rules, state, actions, goes_on, index, found):
            # Rivals are found by their index in `actions`, so nothing is removed before all are compared.
            goes_on[index] = _DROPPED
    kept = 0
    for index in range(found):
        if goes_on[index] != _DROPPED:
            actions[kept] = actions[index]
            kept += 1
    release(rows)
    return kept


@inlined
def _has_continuing_rival(rules: Rules, state: State, actions: Any, goes_on: Any, index: int, found: int) -> bool:
    step = step_of(rules, state.player, actions[index])
    if state.men[state.player] >> origin_of(rules, step) & 1:
        return False
    for other in range(found):
        rival = step_of(rules, state.player, actions[other])
        same_piece = origin_of(rules, rival) == origin_of(rules, step)
        if same_piece and victim_of(rules, rival) == victim_of(rules, step) and goes_on[other] == 1:
            return True
    return False


@kernel
def _keep_longest(rules: Rules, state: State, scratch: Any, actions: Any, found: int) -> int:
    """Keeps the captures that begin a chain with the most captured pieces.

    A capture is removed only if another one is known to begin a longer chain. Where the search ends early because
    there are too many positions, captures may stay that do not begin a longest chain.
    """
    rows: Any = allocate(3, rules.state_size + found + _SEARCH_SIZE)
    after, most, search = rows[0], rows[1], rows[2]
    search[_LONGEST] = 0
    search[_LEFT] = MOST_CHAIN_POSITIONS
    for index in range(found):
        copy_state(rules, state, after)
        apply_action(rules, after, scratch, actions[index])
        most[index] = _longest_chain(rules, after, scratch, search) if after[STATE.CHAIN] >= 0 else 0
    kept = 0
    for index in range(found):
        if most[index] >= search[_LONGEST]:
            actions[kept] = actions[index]
            kept += 1
    release(rows)
    return kept


@kernel
def _longest_chain(rules: Rules, state: State, scratch: Any, search: Any) -> int:
    """The most captures that can follow in a chain in progress.

    Where these are fewer than `search[_LONGEST]`, the result is some number below that. Where no position may be looked
    at any more, it is an upper bound.

    The search goes depth first. How a chain goes on depends on where the piece stands, what it is, and which enemies
    are left. So positions that were seen before are passed over, and those from which no longer chain than one already
    found can follow.

    Args:
      search: `_LONGEST`: the longest chain found from any capture. `_LEFT`: how many positions may still be looked at.
        Both are updated.
    """
    levels = count_each(state.men[1 - state.player] | state.kings[1 - state.player]) + 1
    states: Any = allocate(levels, rules.state_size)
    choices = allocate(levels + 1, rules.num_actions)
    counts = allocate(1, levels)
    seen = allocate(2, 0)
    untried, listed = counts[0], choices[levels]
    copy_state(rules, state, states[0])
    untried[0] = _list_captures(rules, states[0], scratch, choices[0])
    most = levels
    longest, level, tried = 0, 0, 0
    while level >= 0 and longest < most and most >= search[_LONGEST] and search[_LEFT] > 0:
        if untried[level] == 0:
            level -= 1
            continue
        untried[level] -= 1
        tried += 1
        search[_LEFT] -= 1
        after: Any = states[level + 1]
        copy_state(rules, states[level], after)
        apply_action(rules, after, scratch, choices[level][untried[level]])
        longest = max(longest, level + 1)
        if tried == _FEW:
            most = count_capturable(rules, state, scratch, listed)
            release(seen)
            seen = _make_table()
        if after[STATE.CHAIN] < 0:
            continue
        if tried > _FEW:
            if _was_seen(after, seen):
                continue
            bound = level + 1 + count_capturable(rules, after, scratch, listed)
            if bound <= longest or bound < search[_LONGEST]:
                continue
        level += 1
        untried[level] = _list_captures(rules, after, scratch, choices[level])
    is_known = level < 0 or longest == most
    most = longest if is_known else count_capturable(rules, state, scratch, listed)
    search[_LONGEST] = max(search[_LONGEST], longest)
    release(states)
    release(choices)
    release(counts)
    release(seen)
    return most


@inlined
def _make_table() -> Any:
    """An empty table of positions of chains: which enemies are left, and which piece stands where."""
    table = allocate(2, _SEEN_SIZE)
    for index in range(_SEEN_SIZE):
        table[0][index] = 0
    return table


@inlined
def _was_seen(state: State, seen: Any) -> bool:
    """Whether a position of a chain is in the table of those seen; puts it there in place of another if it is not."""
    player, point = state.player, state.chain
    left = (state.men[1 - player] | state.kings[1 - player]) & ~state.captured
    piece = point << 1 | state.men[player] >> point & 1
    place = (mix(left) ^ piece) & _SEEN_SIZE - 1
    if seen[0][place] == left and seen[1][place] == piece:
        return True
    seen[0][place] = left
    seen[1][place] = piece
    return False


@inlined
def _list_captures(rules: Rules, state: State, scratch: Any, actions: Any) -> int:
    player = state.player
    men, kings = state.men[player], state.kings[player]
    look(rules, state, scratch, player, men, kings, _shut(rules, state))
    return find_captures(rules, state, scratch, actions, player, men, kings, False)


@inlined
def in_frame(rules: Rules, player: int, word: Word) -> Word:
    """A bitboard in the frame of a player."""
    turn = rules[TABLE.TURN + player]
    if turn == TABLE.NOT_TURNED:
        return word
    if turn == TABLE.HALF_TURN:
        return reverse_bits(word, rules.points)
    frame = rules[TABLE.FRAME] + player * rules.points
    seen = constant(word, 0)
    for point in range(rules.points):
        seen = seen | (word >> rules[frame + point] & 1) << point
    return seen


@kernel
def position_key(rules: Rules, state: State) -> Word:
    """A 63-bit hash of everything in the state except the clock."""
    key = constant(wide(state.player), 0)
    for place in range(rules.state_size):
        if place != STATE.QUIET:
            key = mix(key ^ wide(state[place]) + 1)
    if rules.points > WORD_BITS:
        for place in range(rules.state_size):
            key = mix(key ^ (wide(state[place]) >> WORD_BITS) + 1)
    return key


@inlined
def mix(word: Word) -> Word:
    """Mixes the 63 bits of a word, as SplitMix does."""
    word = wrapped_product(word ^ (word >> 30), FIRST_FACTOR_63)
    word = wrapped_product(word ^ (word >> 27), SECOND_FACTOR_63)
    return word ^ (word >> 31)


@inlined
def copy_state(rules: Rules, state: State, copied: Any) -> None:
    """Copies a state to `copied`."""
    for place in range(rules.state_size):
        copied[place] = state[place]
