"""States without their clock, for who does not see it.

An opening rule holds in the start with a clock of 0 alone. So a later start keeps a clock of 1, and its legal actions.
"""

from typing import Any

from . import state_layout as STATE, table_layout as TABLE


def hide_clock(t: Any, state: Any) -> None:
    """Sets the clock of a state, or of the columns `[S, N]` of many, as if progress had just been made."""
    state[STATE.QUIET] = (state[STATE.QUIET] > 0) * looks_like_start(t, state)


def looks_like_start(t: Any, state: Any) -> Any:
    """Whether a state is, but for its clock, a start with an opening rule: 0 or 1, for columns an array `[N]`.

    `t` is the game's table.
    """
    begin, same = int(t[TABLE.START]), int(bool(t[TABLE.HAS_OPENING]))
    for place in range(len(state) if same else 0):
        if place != STATE.QUIET:
            same = same * (state[place] == t[begin + place])
    return same
