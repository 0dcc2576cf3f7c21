"""The state after an action."""

from typing import Any

from ...game import state_layout as STATE, table_layout as TABLE
from ..binding import inlined, kernel
from ..fields import Flag, Rules, State, Word
from ..moves import (
    can_continue,
    is_leap,
    is_pass,
    is_placing,
    origin_of,
    plan_of,
    point_beyond,
    point_of,
    points_taken,
    read_step,
    target_of,
    victim_of,
)
from ..words.integers import any_of, constant, count_each, give_to_player, mover, never, no, of_player, where
from .states import closed_points
from .undo_memory import forget, remember
from .victims import flanking_points, pieces_flanked, pieces_taken


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
        # A step clears one bit and sets another; a drop, which begins where it ends, sets its one bit.
        men = where(is_man, men ^ (origin | target), men)
        kings = where(is_man, kings, kings ^ (origin | target))
        stands = target
        if any_of(leaps):
            victim = constant(men, 1) << victim_of(rules, step)
            if rules.extras and rules.takes:
                theirs = (their_men | their_kings) & ~captured
                victim = pieces_taken(rules, points_taken(rules, scratch, player, action), victim, theirs)
            victim = where(leaps, victim, 0)
            if rules.removal_at_end:
                captured = captured | victim
            else:
                removed = victim
                their_men, their_kings = their_men & ~removed, their_kings & ~removed
        if rules.extras and rules.num_flanks:
            caught = pieces_flanked(rules, player, target, men | kings, their_men)
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
                        shut, kind = shut | ~flanking_points(rules, player, men & ~target, theirs), TABLE.STEP
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
        closed = state.closed | closed_points(rules, men | kings | their_men | their_kings)
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
        _follow_schedule(rules, state, scratch, player, goes_on)


@inlined
def _follow_schedule(rules: Rules, state: State, scratch: Any, player: Word, goes_on: Flag) -> None:
    """Takes what was dropped from the hand, and goes on to the next ply of the schedule."""
    plan = plan_of(rules, scratch, state.stage)
    for side in range(2):  # a drop that is passed is given up
        placed = (plan >> 1 == TABLE.DROPS) & (player == side)
        state.hand[side] = where(placed, state.hand[side] - 1, state.hand[side])
    stays = plan & 1 == 1
    state.player = where(stays, player, state.player)
    state.stage = where(goes_on | (state.stage == rules.stages), state.stage, state.stage + 1)
