"""What an endgame table says of a position within a search, compiled.

`x` is the index of the table and `codes` its values, as in `tables.numbering`; an index of zeros reaches nowhere.
"""

from ...engine import rules as e
from ...engine.compiler import borrowed, kernel, popcount
from .index_layout import DRAWN, ENDLESS, LOST, UNKNOWN, WON
from .numbering import number_of
from .turn_values import must_capture


@kernel
def exact_value(t, x, codes, s, choices, n):
    """The code of the value of a position that goes on, UNKNOWN where the table does not say or the clock may matter.

    A table leaves the clock out, so a win must fit into the plies left. Where the side with more pieces wins at
    the end of the clock, what comes of endless play must be what comes of nothing more being captured: a side that is
    to win must be ahead already, since the capture that puts it ahead may come too late. Where positions may not come
    again, it speaks only of positions right after progress.
    """
    if t[e.T_HAS_OPENING] and e.is_start(t, s):
        return UNKNOWN
    if s[e.CHAIN] >= 0 or must_capture(t, s, choices, n) or (t[e.T_THREEFOLD] and s[e.QUIET]):
        return UNKNOWN
    place = number_of(t, x, s)
    if place < 0:
        return UNKNOWN
    code = int(codes[place])
    limit = t[e.T_NO_PROGRESS_LIMIT]
    if limit == 0:
        return code
    if code in (DRAWN, ENDLESS, -ENDLESS):
        if not t[e.T_NO_PROGRESS_MAJORITY]:
            return code
        mover = s[e.PLAYER]
        lead = popcount(s[e.MEN + mover] | s[e.KINGS + mover]) - popcount(s[e.MEN + 1 - mover] | s[e.KINGS + 1 - mover])
        is_so = lead == 0 if code == DRAWN else lead > 0 if code == ENDLESS else lead < 0
        return code if is_so else UNKNOWN
    plies = code - WON if code > 0 else LOST - code
    return code if s[e.QUIET] + plies <= limit else UNKNOWN


@kernel
def known_value(t, x, codes, s, w, actions):
    """As `exact_value`, for Python."""
    p_t, p_s, p_actions = borrowed(t), borrowed(s), borrowed(actions)
    n = e.legal_actions(p_t, p_s, borrowed(w), p_actions)
    return exact_value(p_t, borrowed(x), borrowed(codes), p_s, p_actions, n)


@kernel
def plies_to_end(t, s, code):
    """In how many plies a win or loss by the table ends the match, at most."""
    if code == ENDLESS or code == -ENDLESS:
        return t[e.T_NO_PROGRESS_LIMIT] - s[e.QUIET]
    return code - WON if code > 0 else LOST - code
