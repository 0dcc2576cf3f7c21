"""Endgame tables for bots that search."""

from typing import Any

import numpy as np

from ...game import state_layout as STATE, table_layout as TABLE
from ...game.game import Game
from ...game.kernel_arrays import step_words, words
from ...game.step import Step
from ...match.match import Match
from . import EndgameTable, StepValue, index_layout as INDEX
from .search_probe_kernels import exact_value_of, outlasts_limit
from .value_codes import DRAWN, ENDLESS, UNKNOWN, WON

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
        self._holds_under_limit = table is not None and table.holds_under_limit
        self.index = words(INDEX.HEAD) if table is None else table.index.words
        self.codes = np.zeros(1, np.int16) if table is None else table.codes
        if table is not None:
            table.load(most)
            if not self._holds_under_limit:
                is_sure = (self.codes != DRAWN) & (np.abs(self.codes.astype(np.int32)) != ENDLESS)
                self.codes = np.where(is_sure, self.codes, np.int16(UNKNOWN))

    def value(self, game: Game, state: Any) -> int | None:
        """1, 0 or -1 for the player to move in a state that is not over; None if it is not known."""
        t = step_words(game.table)
        scratch, actions = words(t[TABLE.SCRATCH_SIZE]), words(t[TABLE.NUM_ACTIONS])
        code = exact_value_of(t, self.index, self.codes, state, scratch, actions)
        if code == UNKNOWN:
            return None
        return 0 if code == DRAWN else 1 if code > 0 else -1

    def best(self, match: Match) -> list[Step]:
        """The quickest winning or slowest losing steps; none if they are not known or exceed the no-progress limit."""
        if self._table is None:
            return []
        steps = self._table.steps(match)
        if not steps or steps[0].distance is None or not _is_certain(match, WON + steps[0].distance):
            return []
        best = steps[0].clockless, steps[0].distance
        return [found.step for found in steps if (found.clockless, found.distance) == best]

    def keeping(self, match: Match) -> frozenset[int]:
        """The actions that keep the value of the position; all legal ones if that is not known."""
        steps = () if self._table is None else self._table.steps(match)
        # A win without the clock may come too late.
        if won := frozenset(found.step.action for found in steps if found.value == 1):
            return won
        sure = [found for found in steps if self._holds(match, found)]
        best = max((found.clockless for found in sure), default=0)
        # A step of uncertain value may be better than a certain draw.
        if not sure or (best < 1 and len(sure) < len(steps)):
            return frozenset(step.action for step in match.legal_steps)
        return frozenset(found.step.action for found in sure if found.clockless == best)

    def _holds(self, match: Match, found: StepValue) -> bool:
        """Whether the value of a step holds under the no-progress limit, as far as that is known without a search."""
        if not match.game.rules.has_majority_at_limit:
            return True
        if match.chain is not None or found.step.captured:
            return self._holds_under_limit  # the count of plies without progress starts again
        code = found.clockless * (ENDLESS if found.distance is None else WON + found.distance) or DRAWN
        return _is_certain(match, code) and (found.distance is not None or self._holds_under_limit)


def _is_certain(match: Match, code: int) -> bool:
    """Whether the no-progress limit cannot change the value of a position, from the position alone."""
    state, player = [int(word) for word in match.state], match.player
    own, other = ((state[STATE.MEN + side] | state[STATE.KINGS + side]).bit_count() for side in (player, 1 - player))
    return bool(outlasts_limit(step_words(match.game.table), state[STATE.QUIET], own - other, code))
