"""Values of an endgame table within a search, compiled. An index of zeros stands for no table: it holds no position."""

from ...engine import rules_scalar as rules
from ...engine.compiler import borrowed, entry_kernel, kernel, popcount
from ...engine.kernel_types import Table, Words
from ...game import state_layout as STATE, table_layout as TABLE
from .numbering import number_of
from .turn_values import must_capture
from .value_codes import DRAWN, ENDLESS, LOST, UNKNOWN, WON


@kernel
def exact_value(t: Table, x: Table, codes: Table, s: Table, choices: Table, n: int) -> int:
    """The code of a position that is not over; UNKNOWN if it is not in the table or the no-progress limit may matter.

    A table leaves plies without progress out, so a win must fit into the plies left. Where the side with more pieces
    wins at the limit, a draw needs equal sides and an endless win needs the lead already: the capture that changes the
    lead may come too late. Where a repeated position ends the match, only positions right after progress have a value.
    """
    if t[TABLE.HAS_OPENING] and rules.is_start(t, s):
        return UNKNOWN
    if s[STATE.CHAIN] >= 0 or must_capture(t, s, choices, n) or (t[TABLE.THREEFOLD] and s[STATE.QUIET]):
        return UNKNOWN
    number = number_of(t, x, s)
    if number < 0:
        return UNKNOWN
    code = int(codes[number])
    limit = t[TABLE.NO_PROGRESS_LIMIT]
    if limit == 0:
        return code
    if code in (DRAWN, ENDLESS, -ENDLESS):
        if not t[TABLE.NO_PROGRESS_MAJORITY]:
            return code
        mover = s[STATE.PLAYER]
        lead = popcount(s[STATE.MEN + mover] | s[STATE.KINGS + mover]) - popcount(
            s[STATE.MEN + 1 - mover] | s[STATE.KINGS + 1 - mover]
        )
        holds = lead == 0 if code == DRAWN else lead > 0 if code == ENDLESS else lead < 0
        return code if holds else UNKNOWN
    plies = code - WON if code > 0 else LOST - code
    return code if s[STATE.QUIET] + plies <= limit else UNKNOWN


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
