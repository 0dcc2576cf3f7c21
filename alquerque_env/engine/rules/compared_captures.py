"""Rules that compare captures with each other. They play each capture, and are for one match."""

from typing import Any

from ...game import state_layout as STATE
from ..binding import inlined, kernel
from ..compiler import allocate, release
from ..fields import Rules, State
from ..moves import count_capturable, find_captures, look, origin_of, step_of, victim_of
from ..words.integers import count_each
from .states import copy_state, mix, shut_points
from .transition import apply_action

MOST_CHAIN_POSITIONS = 1 << 12
"""Positions of chains that are looked at, for one position of a match, to compare captures."""

_FEW = 32  # a search of so few positions is over sooner than notes of them and bounds would pay
_SEEN_SIZE = 1 << 12  # a power of two, since places in the table are low bits of a hash
_LONGEST, _LEFT, _SEARCH_SIZE = 0, 1, 2
_DROPPED = -1


@inlined
def keep_best(rules: Rules, state: State, scratch: Any, actions: Any, found: int) -> int:
    """Keeps the captures that no other one beats; returns their number."""
    if found > 1 and rules.landing_must_continue:
        found = _keep_continuing(rules, state, scratch, actions, found)
    if found > 1 and rules.most_pieces:
        found = _keep_longest(rules, state, scratch, actions, found)
    # Captures that are played to compare them overwrite the scratch space. Steps are found in this position next.
    player = state.player
    look(rules, state, scratch, player, state.men[player], state.kings[player], shut_points(rules, state))
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
    # Each capture takes at least one enemy, so no chain has more captures than there are enemies.
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
            # The same enemies are left, so as many captures led here as at the first visit, which went on from here.
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
    # A chain that goes on has enemies left, so 0 in the first row stands for no position.
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
    look(rules, state, scratch, player, men, kings, shut_points(rules, state))
    return find_captures(rules, state, scratch, actions, player, men, kings, False)
