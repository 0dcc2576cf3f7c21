"""Values of an endgame table for bots and within a search, compiled.

An index of zeros stands for no table: it holds no position.
"""

from typing import Any

import numpy as np

from ...engine import rules_scalar as rules
from ...engine.compiler import entry_kernel, inlined, kernel, popcount
from ...engine.kernel_types import Table, Words
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.game import Game
from ...game.kernel_arrays import words
from ...game.step import Step
from ...match.match import Match
from ..exact_steps import exact_steps
from . import EndgameTable, index_layout as INDEX
from .numbering import number_of
from .turn_values import must_capture
from .value_codes import DRAWN, ENDLESS, LOST, UNKNOWN, WON

MOST_POSITIONS = 1 << 25
"""How many values are read for a search, fewer pieces first."""


class Endgames:
    """The exact values that a bot uses.

    Args:
      table: The table of its game, or None if there is none.
      most: How many positions to read, fewer pieces first; None for all.

    Attributes:
      index, codes: The table as kernels take it.
    """

    def __init__(self, table: EndgameTable | None, most: int | None = MOST_POSITIONS) -> None:
        self._table = table
        self.index = np.zeros(INDEX.HEAD, np.int64) if table is None else table.index.words
        self.codes = np.zeros(1, np.int16) if table is None else table.codes
        if table is not None:
            table.load(most)
            if not table.holds_under_limit:
                is_sure = (self.codes != DRAWN) & (np.abs(self.codes.astype(np.int32)) != ENDLESS)
                self.codes = np.where(is_sure, self.codes, np.int16(UNKNOWN))

    def value(self, game: Game, state: Any) -> int | None:
        """1, 0 or -1 for the player to move in a state that is not over; None if it is not known."""
        t = game.table.words
        scratch, actions = words(t, t[TABLE.SCRATCH_SIZE]), words(t, t[TABLE.NUM_ACTIONS])
        code = exact_value_of(t, self.index, self.codes, state, scratch, actions)
        if code == UNKNOWN:
            return None
        return 0 if code == DRAWN else 1 if code > 0 else -1

    def best(self, match: Match) -> list[Step]:
        """The quickest winning or slowest losing steps; none if they are not known."""
        best = () if self._table is None else exact_steps(match, self._table, None).best
        return [found.step for found in best if found.distance is not None]

    def keeping(self, match: Match) -> frozenset[int]:
        """The actions that may keep the value of the position, by what the table knows of it and of the steps."""
        steps = match.legal_steps
        if self._table is not None:
            steps = tuple(found.step for found in exact_steps(match, self._table, None).keeping)
        return frozenset(step.action for step in steps)


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
    n = rules.legal_actions(t, s, w, actions)
    return exact_value(t, x, codes, s, actions, n)


@kernel
def plies_to_end(t: Table, s: Table, code: int) -> int:
    """The most plies to the end of a match that the table says is won or lost."""
    if code == ENDLESS or code == -ENDLESS:
        return t[TABLE.NO_PROGRESS_LIMIT] - s[STATE.QUIET]
    return code - WON if code > 0 else LOST - code
