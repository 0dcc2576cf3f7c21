"""What the planes, points and actions of a game mean on its board, in the frame of the player to move."""

from dataclasses import dataclass, field
from typing import NamedTuple

from alquerque_env.game.game import Game
from alquerque_env.game.planes import planes
from alquerque_env.game.ruleset import NORTH, SOUTH
from alquerque_env.game.table_layout import NO_POINT
from alquerque_env.search import Gains

# Points that a step and a capture go over at the least, the target included.
NEAREST_STEP, NEAREST_CAPTURE = 1, 2


class Move(NamedTuple):
    """What an action does.

    Attributes:
      origin: Point of the piece.
      target: Point to which it goes.
      victim: Point of the piece that it captures, if it captures one.
    """

    origin: int
    target: int
    victim: int | None


class Maker(NamedTuple):
    """Who can make a step: pieces of one side and kind."""

    is_enemy: bool
    is_king: bool


class Link(NamedTuple):
    """A step that the rules let some piece make, or a pair of points that memory can name.

    Attributes:
      move: The step.
      makers: Who can make it somewhere in the game; nobody if only memory names it.
      is_far: Whether it goes over more points than it must.
      memory: Plane and point where the observation says that it is forbidden, if there are such.
    """

    move: Move
    makers: frozenset[Maker]
    is_far: bool
    memory: tuple[int, int] | None


@dataclass(frozen=True)
class Geometry:
    """A game as its networks need it.

    Both players see the same where the game is symmetric under the half-turn; elsewhere it is what `player_0` sees.

    Attributes:
      points: Coordinates `(x, y)` of every point.
      actions: What each action does; None for the pass, which stands last.
      links: All steps of both sides, and what memory can name.
      zones: For the player to move and for the opponent the points where their men are promoted.
      fact_planes: Planes that say something of a point or of the game; the others say something of a link.
      gains: What steps gain in observed positions.
    """

    points: tuple[tuple[int, int], ...]
    actions: tuple[Move | None, ...]
    links: tuple[Link, ...]
    zones: tuple[frozenset[int], frozenset[int]]
    fact_planes: tuple[int, ...]
    gains: Gains = field(compare=False, repr=False)

    @classmethod
    def of(cls, game: Game) -> "Geometry":
        """Reads it off a game."""
        memory = _memory(game)
        of_links = {plane for plane, _ in memory.values()}
        return cls(
            points=game.board.points,
            actions=tuple(
                None if action is None else Move(*action[:2], victim)
                for action, victim in zip(game.actions, game.table.over, strict=True)
            ),
            links=_links(game, memory),
            zones=(game.promotion_points(SOUTH), game.promotion_points(NORTH)),
            fact_planes=tuple(plane for plane in range(len(planes(game))) if plane not in of_links),
            gains=Gains(game),
        )

    @property
    def moves(self) -> tuple[Move, ...]:
        """The actions but for the pass."""
        return tuple(action for action in self.actions if action is not None)

    @property
    def has_pass(self) -> bool:
        """Whether there is a pass."""
        return None in self.actions


def _memory(game: Game) -> dict[Move, tuple[int, int]]:
    """For each simple step that memory can forbid, the plane and point that say so."""
    if game.rules.undo_scope == "off":
        return {}
    number = {plane.name: index for index, plane in enumerate(planes(game))}
    if game.remembers_points:
        return {
            Move(origin, target, None): (number[f"remembered_{label}"], target)
            for origin, label in enumerate(game.board.labels)
            for target in range(len(game.board.points))
            if target != origin
        }
    return {
        Move(origin, target, None): (number[f"no_undo_{relation}"], origin)
        for relation, pairs in enumerate(game.relations)
        for origin, target in pairs.items()
    }


def _links(game: Game, memory: dict[Move, tuple[int, int]]) -> tuple[Link, ...]:
    makers: dict[Move, set[Maker]] = {move: set() for move in memory}
    is_far: dict[Move, bool] = {}
    for player in (SOUTH, NORTH):
        for template in game.table.templates[player]:
            victim = None if template.victim == NO_POINT else template.victim
            move = Move(template.origin, template.target, victim)
            makers.setdefault(move, set()).add(Maker(player == NORTH, template.is_king))
            is_far[move] = len(template.path) > (NEAREST_STEP if victim is None else NEAREST_CAPTURE)
    return tuple(Link(move, frozenset(who), is_far.get(move, False), memory.get(move)) for move, who in makers.items())
