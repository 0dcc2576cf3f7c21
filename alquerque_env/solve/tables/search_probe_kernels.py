"""Values of an endgame table within a search, compiled. An index of zeros stands for no table: it holds no position."""

from ...engine import rules_scalar as e
from ...engine.compiler import borrowed, entry_kernel, kernel, popcount
from ...engine.kernel_types import Table, Words
from .index_layout import DRAWN, ENDLESS, LOST, UNKNOWN, WON
from .numbering import number_of
from .turn_values import must_capture


@kernel
def exact_value(t: Table, x: Table, codes: Table, s: Table, choices: Table, n: int) -> int:
    """The code of a position that is not over; UNKNOWN if it is not in the table or the no-progress limit may matter.

    A table leaves plies without progress out, so a win must fit into the plies left. Where the side with more pieces
    wins at the limit, a draw needs equal sides and an endless win needs the lead already: the capture that changes the
    lead may come too late. Where a repeated position ends the match, only positions right after progress have a value.
    """
    if t[e.T_HAS_OPENING] and e.is_start(t, s):
        return UNKNOWN
    if s[e.CHAIN] >= 0 or must_capture(t, s, choices, n) or (t[e.T_THREEFOLD] and s[e.QUIET]):
        return UNKNOWN
    number = number_of(t, x, s)
    if number < 0:
        return UNKNOWN
    code = int(codes[number])
    limit = t[e.T_NO_PROGRESS_LIMIT]
    if limit == 0:
        return code
    if code in (DRAWN, ENDLESS, -ENDLESS):
        if not t[e.T_NO_PROGRESS_MAJORITY]:
            return code
        mover = s[e.PLAYER]
        lead = popcount(s[e.MEN + mover] | s[e.KINGS + mover]) - popcount(s[e.MEN + 1 - mover] | s[e.KINGS + 1 - mover])
        holds = lead == 0 if code == DRAWN else lead > 0 if code == ENDLESS else lead < 0
        return code if holds else UNKNOWN
    plies = code - WON if code > 0 else LOST - code
    return code if s[e.QUIET] + plies <= limit else UNKNOWN


@entry_kernel
def exact_value_of(t: Table, x: Table, codes: Table, s: Table, w: Words, actions: Words) -> int:
    """As `exact_value`, called from Python with arrays."""
    p_t, p_s, p_actions = borrowed(t), borrowed(s), borrowed(actions)
    n = e.legal_actions(p_t, p_s, borrowed(w), p_actions)
    return exact_value(p_t, borrowed(x), borrowed(codes), p_s, p_actions, n)


@kernel
def plies_to_end(t: Table, s: Table, code: int) -> int:
    """The most plies to the end of a match that the table says is won or lost."""
    if code == ENDLESS or code == -ENDLESS:
        return t[e.T_NO_PROGRESS_LIMIT] - s[e.QUIET]
    return code - WON if code > 0 else LOST - code
