"""Values of an endgame table within a search, compiled. An index of zeros stands for no table: it holds no position."""

from ...engine import rules_scalar as rules
from ...engine.compiler import borrowed, entry_kernel, inlined, kernel, popcount
from ...engine.kernel_types import Table, Words
from ...game import state_layout as STATE, table_layout as TABLE
from .numbering import number_of
from .turn_values import must_capture
from .value_codes import DRAWN, ENDLESS, LOST, UNKNOWN, WON


@kernel
def exact_value(t: Table, x: Table, codes: Table, s: Table, choices: Table, n: int) -> int:
    """The code of a position that is not over; UNKNOWN if it is not in the table or the no-progress limit may matter.

    Where a repeated position ends the match, only positions right after progress have a value.
    """
    if t[TABLE.HAS_OPENING] and rules.is_start(t, s):
        return UNKNOWN
    if s[STATE.CHAIN] >= 0 or must_capture(t, s, choices, n) or (t[TABLE.THREEFOLD] and s[STATE.QUIET]):
        return UNKNOWN
    number = number_of(t, x, s)
    if number < 0:
        return UNKNOWN
    code = int(codes[number])
    return code if _outlasts_limit(t, s[STATE.QUIET], _lead(s), code) else UNKNOWN


@kernel
def _outlasts_limit(t: Table, clock: int, lead: int, code: int) -> bool:
    """Whether a value is certain after `clock` plies without progress, from the position alone; see `UnderLimit`.

    A win must fit into the plies left. Where the side with more pieces wins at the limit, a draw needs equal sides and
    an endless win needs the lead already: the capture that changes the lead may come too late.
    """
    limit = t[TABLE.NO_PROGRESS_LIMIT]
    if limit == 0:
        return True
    if code in (DRAWN, ENDLESS, -ENDLESS):
        is_same = lead == 0 if code == DRAWN else lead > 0 if code == ENDLESS else lead < 0
        return is_same or not t[TABLE.NO_PROGRESS_MAJORITY]
    return clock + (code - WON if code > 0 else LOST - code) <= limit


@inlined
def _lead(s: Table) -> int:
    """How many pieces more than the opponent the player to move has."""
    player = s[STATE.PLAYER]
    own = s[STATE.MEN + player] | s[STATE.KINGS + player]
    return popcount(own) - popcount(s[STATE.MEN + 1 - player] | s[STATE.KINGS + 1 - player])


@entry_kernel
def exact_value_of(t: Table, x: Table, codes: Table, s: Table, w: Words, actions: Words) -> int:
    """As `exact_value`, called from Python with arrays."""
    p_t, p_s, p_actions = borrowed(t), borrowed(s), borrowed(actions)
    n = rules.legal_actions(p_t, p_s, borrowed(w), p_actions)
    return exact_value(p_t, borrowed(x), borrowed(codes), p_s, p_actions, n)


@kernel
def plies_to_end(t: Table, s: Table, code: int) -> int:
    """The most plies to the end of a match that the table says is won or lost."""
    if code == ENDLESS or code == -ENDLESS:
        return t[TABLE.NO_PROGRESS_LIMIT] - s[STATE.QUIET]
    return code - WON if code > 0 else LOST - code
