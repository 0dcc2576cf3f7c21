"""The legal actions."""

from typing import Any

from ...game import table_layout as TABLE
from ..binding import inlined
from ..fields import Rules, State, Word
from ..moves import (
    add_pass,
    find_captures,
    find_placings,
    find_steps,
    keep_opening,
    look,
    plan_of,
    planned_points,
    point_of,
)
from ..words.integers import any_of, constant, mover, never, no, of_player, where
from .compared_captures import keep_best
from .states import is_start, shut_points
from .victims import flanking_points


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
    shut = shut_points(rules, state)
    stepping, walkers = no(in_chain), men
    if rules.extras and rules.num_flanks and any_of(in_chain):
        # Flanking captures by a step, so a chain goes on by steps: of its piece, to points where it flanks again.
        piece = where(in_chain, constant(men, 1) << point_of(state.chain), 0)
        flanking = flanking_points(rules, player, men & ~piece, of_player(1 - player, state.men))
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
        if rules.no_moves[0] == TABLE.PASS or rules.no_moves[1] == TABLE.PASS:
            may_pass = of_player(player, rules.no_moves) == TABLE.PASS
            passes = passes | ((found == 0) & no(in_chain | opens) & may_pass)
        found = add_pass(rules, scratch, actions, passes, found)
    return found
