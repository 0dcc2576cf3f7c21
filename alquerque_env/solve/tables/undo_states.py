"""The no-undo memories that a piece can have on each point, found by moving single pieces about with the engine.

The memory of a piece is the set of points to which it may not step back.
"""

from typing import NamedTuple

from ...engine import entry_points
from ...errors import RulesError
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.game import Game
from ...game.kernel_arrays import words
from ...game.ruleset import NORTH, SOUTH
from ...game.templates import Template
from . import index_layout as INDEX
from .numbering import memory_of

MOST = 4096  # the most pairs of a point and a memory


class Memories(NamedTuple):
    """All memories that pieces can have."""

    kind: int  # NO_MEMORY, OF_EACH if every piece has its own, OF_ONE if one piece of a player has one
    radix: int  # the most memories of a piece on a point, the empty one included
    # For each player and point the memories as bitboards, the empty one first.
    words: tuple[tuple[tuple[int, ...], ...], ...]

    def count(self, pieces: int) -> int:
        """How many numbers there are for the memories of `pieces` pieces of a player."""
        if self.kind == INDEX.NO_MEMORY:
            return 1
        return self.radix**pieces if self.kind == INDEX.OF_EACH else 1 + pieces * (self.radix - 1)


def find_memories(game: Game) -> Memories:
    """Finds the memories that pieces can have; `RulesError` if there are too many, or if the game has kings too."""
    points = range(len(game.board.points))
    if game.rules.undo_scope == "off":
        return Memories(INDEX.NO_MEMORY, 1, tuple(tuple((0,) for _ in points) for _ in (SOUTH, NORTH)))
    if game.rules.promotion != "none":
        raise RulesError(f"{game.name}: tables of games with an undo rule and promotion cannot be built yet")
    found = tuple(_find_for(game, player) for player in (SOUTH, NORTH))
    kind = INDEX.OF_ONE if game.rules.undo_scope == "per_player_last_move" else INDEX.OF_EACH
    return Memories(kind, max(len(known) for side in found for known in side), found)


def _find_for(game: Game, player: int) -> tuple[tuple[int, ...], ...]:
    known: set[tuple[int, int]] = {(point, 0) for point in range(len(game.board.points))}
    untried = list(known)
    while untried:
        point, memory = untried.pop()
        for template in game.table.templates[player]:
            if template.origin != point:
                continue
            after = (template.target, _memory_after(game, player, template, memory))
            if after not in known:
                known.add(after)
                untried.append(after)
        if len(known) > MOST:
            raise RulesError(
                f"{game.name}: a piece may remember more than {MOST} different things, too many for a table: "
                f"choose another undo_scope or undo_cleared_by_jump=true"
            )
    return tuple(
        tuple(sorted(memory for place, memory in known if place == point)) for point in range(len(game.board.points))
    )


def _memory_after(game: Game, player: int, template: Template, memory: int) -> int:
    """The memory of a piece after a step or leap, from its memory before."""
    t = game.table.words
    s = words(t, t[TABLE.STATE_SIZE])
    s[STATE.MEN + player] = 1 << template.origin
    s[STATE.PLAYER] = player
    s[STATE.CHAIN] = STATE.NO_POINT
    if template.victim >= 0:
        s[STATE.MEN + 1 - player] = 1 << template.victim
    if t[TABLE.REMEMBERS_POINTS]:
        s[STATE.MEMORY_POINTS + template.origin] = memory
    for relation, pairs in enumerate(game.table.relations):
        if template.origin in pairs and memory >> pairs[template.origin] & 1:
            s[STATE.MEMORY + relation] |= 1 << template.origin
    entry_points.apply_action(t, s, words(t, t[TABLE.SCRATCH_SIZE]), _action(game, player, template))
    return int(memory_of(t, s, template.target))


def _action(game: Game, player: int, template: Template) -> int:
    """The action of a step or leap."""
    rows = game.table.steps[player * game.num_actions : (player + 1) * game.num_actions]
    key = template.origin, template.target, max(template.victim, -1)
    return next(
        action
        for action, row in enumerate(rows)
        if (row.origin, row.target, max(row.over, -1)) == key and game.actions[action] is not None
    )
