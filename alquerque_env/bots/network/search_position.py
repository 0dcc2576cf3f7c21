"""Positions in a search tree: an engine state with its earlier positions, for repetition."""

from typing import Any

from ...engine import entry_points
from ...game import table_layout as e
from ...game.kernel_arrays import words
from ...match.match import Match

RESULTS = {0: 1, 1: -1, e.NOBODY: 0}


class Position:
    """A position in a search tree.

    Attributes:
      table: The game's table.
      state: The engine's state.
      player: 0 or 1, the player to move.
      earlier: How often the position occurred before in the match.
      actions: The legal actions in ascending order; none when the match is over.
      result: The result for `player_0` when the match is over, 1, 0 or -1; else None.
    """

    __slots__ = ("_keys", "_room", "actions", "earlier", "player", "result", "state", "table")

    def __init__(self, table: Any, state: Any, keys: tuple[int, ...], earlier: int, room: tuple[Any, Any]) -> None:
        self.table = table
        self.state = state
        self.earlier = earlier
        self._keys = keys
        self._room = room
        self.player = int(state[e.PLAYER])
        scratch, legal = room
        count = entry_points.legal_actions(table, state, scratch, legal)
        # Not `outcome`: in an exported player that would hide the engine's function.
        code = int(entry_points.outcome(table, state, count, earlier))
        over = code != e.ONGOING
        self.actions: tuple[int, ...] = () if over else tuple(sorted(int(action) for action in legal[:count]))
        self.result = RESULTS[code % 4] if over else None

    @classmethod
    def of(cls, match: Match) -> "Position":
        """Makes the position of a match, with its history."""
        t, state = match.game.table.words, match.state
        room = words(t[e.T_SCRATCH_SIZE]), words(t[e.T_NUM_ACTIONS])
        if not t[e.T_THREEFOLD] or match.chain is not None:
            return cls(t, state, (), 0, room)
        keys = tuple(int(key) for key in match.keys(int(state[e.QUIET]) + 1))
        return cls(t, state, keys, match.occurrences() - 1, room)

    def after(self, action: int) -> "Position":
        """Returns the position after a legal action."""
        t, state = self.table, self.state.copy()
        entry_points.apply_action(t, state, self._room[0], action)
        if not t[e.T_THREEFOLD] or state[e.CHAIN] >= 0:
            return Position(t, state, (), 0, self._room)
        before = self._keys[: int(state[e.QUIET])]
        key = int(entry_points.position_key(t, state))
        return Position(t, state, (*before, key), before.count(key), self._room)
