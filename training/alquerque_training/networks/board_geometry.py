"""The meaning of a game's planes, points and actions on its board, in the frame of the player to move."""

from dataclasses import dataclass, field
from typing import NamedTuple

from alquerque_env.game import state_layout as STATE
from alquerque_env.game.canonical import CanonicalImages
from alquerque_env.game.game import Game
from alquerque_env.game.planes import clock_planes, planes
from alquerque_env.game.ruleset import NORTH, SOUTH
from alquerque_env.search import BothMasks, SearchFeatures

# The least number of points on the path of a step and of a capture, the target included.
NEAREST_STEP, NEAREST_CAPTURE = 1, 2


class Move(NamedTuple):
    """The effect of an action: points of origin, target and captured piece, which is None for a simple step."""

    origin: int
    target: int
    victim: int | None


class Maker(NamedTuple):
    """Pieces that can make a step: those of one side and kind."""

    is_enemy: bool
    is_king: bool


class Link(NamedTuple):
    """A step that some piece can make by the rules, or a pair of points in the no-undo memory."""

    move: Move
    makers: frozenset[Maker]  # pieces that can make it somewhere in the game; empty if only the memory names it
    is_far: bool  # whether its path is longer than that of a man's step or capture
    # Plane and point where the observation says that it is forbidden; None if there is no such plane.
    memory: tuple[int, int] | None


@dataclass(frozen=True)
class Geometry:
    """The geometry of a game, for networks that use it.

    If the game is symmetric under the half-turn, both players see the same; otherwise this is the view of `player_0`.

    Attributes:
      grid: Column and row of each point on a grid.
      actions: Effect of each action; None for the pass, the last one.
      links: All steps of both sides, and the pairs of points in the no-undo memory.
      zones: Points where men are promoted, for the player to move and for the opponent.
      fact_planes: Planes about a point or the whole game; the others are about a link.
      clock_planes: Planes that a network that does not see the clock ignores.
      gains: Computes the search features of observed positions.
      masks: Computes the steps of both players there.
      images: Their images under the symmetries of the game.
    """

    grid: tuple[tuple[int, int], ...]
    actions: tuple[Move | None, ...]
    links: tuple[Link, ...]
    zones: tuple[frozenset[int], frozenset[int]]
    fact_planes: tuple[int, ...]
    clock_planes: tuple[int, ...]
    gains: SearchFeatures = field(compare=False, repr=False)
    masks: BothMasks = field(compare=False, repr=False)
    images: CanonicalImages = field(compare=False, repr=False)

    @classmethod
    def of(cls, game: Game) -> "Geometry":
        """Returns the geometry of a game."""
        memory = _memory(game)
        of_links = {plane for plane, _ in memory.values()}
        return cls(
            grid=game.board.grid,
            actions=tuple(
                None if victim is None and step.origin < 0 else Move(step.origin, step.target, victim)
                for step, victim in zip(game.table.steps, game.table.over, strict=False)
            ),
            links=_links(game, memory),
            zones=(game.promotion_points(SOUTH), game.promotion_points(NORTH)),
            fact_planes=tuple(plane for plane in range(len(planes(game))) if plane not in of_links),
            clock_planes=clock_planes(game),
            gains=SearchFeatures(game),
            masks=BothMasks(game),
            images=CanonicalImages(game),
        )

    @property
    def moves(self) -> tuple[Move, ...]:
        """The actions without the pass."""
        return tuple(action for action in self.actions if action is not None)

    @property
    def has_pass(self) -> bool:
        """Whether there is a pass."""
        return None in self.actions


def _memory(game: Game) -> dict[Move, tuple[int, int]]:
    """For each simple step that the no-undo memory can forbid, its plane and point."""
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
            victim = None if template.victim == STATE.NO_POINT else template.victim
            move = Move(template.origin, template.target, victim)
            makers.setdefault(move, set()).add(Maker(player == NORTH, template.is_king))
            is_far[move] = len(template.path) > (NEAREST_STEP if victim is None else NEAREST_CAPTURE)
    return tuple(Link(move, frozenset(who), is_far.get(move, False), memory.get(move)) for move, who in makers.items())
