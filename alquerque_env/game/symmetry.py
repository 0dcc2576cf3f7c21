"""Symmetries of a game in the mover's frame, for data augmentation."""

from collections.abc import Sequence, Set
from typing import NamedTuple

from . import state_layout as STATE
from .board import Permutation
from .planes import planes
from .ruleset import Ruleset
from .step_table import StepTable
from .templates import Template


class Symmetry(NamedTuple):
    """A rotation or reflection of the board that keeps the rules.

    Each permutation maps an index to its image: for an observation `[C, P]` and a mask `[A]`,
    `image[planes[c], points[p]] = observation[c, p]` and `image_mask[actions[a]] = mask[a]`.
    """

    points: Permutation
    actions: Permutation
    planes: Permutation


def find_symmetries(game: Ruleset, table: StepTable) -> tuple[Symmetry, ...]:
    """The board's automorphisms that keep the game's steps, captures and promotion; the identity first.

    The opening rule is ignored: it holds in the start position only, and the image of that is another position.
    """
    same = tuple(range(len(game.board.points)))
    moves = [_images(templates, same) for templates in table.templates]
    found = (_symmetry(game, table, moves, points) for points in game.board.reflections)
    return tuple(symmetry for symmetry in found if symmetry is not None)


def _symmetry(
    game: Ruleset, table: StepTable, moves: Sequence[Set[tuple[object, ...]]], points: Permutation
) -> Symmetry | None:
    for player, templates in enumerate(table.templates):
        if _images(templates, points) != moves[player]:
            return None
        zones = (game.promotion_points(player), game.sides[player].goal, *(ply.points for ply in game.schedule))
        if any({points[point] for point in zone} != zone for zone in zones):
            return None
    if {frozenset(points[point] for point in part) for part in game.closing_parts} != set(game.closing_parts):
        return None
    planes = _planes(game, points)
    return None if planes is None else Symmetry(points, _actions(table, points), planes)


def _images(templates: Sequence[Template], points: Permutation) -> Set[tuple[object, ...]]:
    """What templates do when the points are permuted. As lines are kept, their paths need not be compared."""
    image = {STATE.NO_POINT: STATE.NO_POINT, **dict(enumerate(points))}
    return {
        (image[each.origin], image[each.target], image[each.victim], each.is_king, each.first, each.next)
        for each in templates
    }


def _actions(table: StepTable, points: Permutation) -> Permutation:
    image: dict[int | None, int | None] = {None: None, **dict(enumerate(points))}
    return tuple(
        index if action is None else table.number[image[action[0]], image[action[1]], image[over]]
        for index, (action, over) in enumerate(zip(table.actions, table.over, strict=True))
    )


def _planes(game: Ruleset, points: Permutation) -> Permutation | None:
    """The image of each plane; planes of a direction or a point move with it."""
    shown = planes(game)
    order = {plane.name: number for number, plane in enumerate(shown)}
    moved = list(range(len(shown)))
    if game.remembers_points:
        for point, label in enumerate(game.board.labels):
            moved[order[f"remembered_{label}"]] = order[f"remembered_{game.board.labels[points[point]]}"]
    else:
        directions = {frozenset(pairs.items()): number for number, pairs in enumerate(game.relations)}
        for number, pairs in enumerate(game.relations):
            image = directions.get(frozenset((points[a], points[b]) for a, b in pairs.items()))
            if image is None:
                return None
            moved[order[f"no_undo_{number}"]] = order[f"no_undo_{image}"]
    return tuple(moved)
