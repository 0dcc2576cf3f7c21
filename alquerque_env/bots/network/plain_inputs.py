"""The inputs of the network for all games, in plain Python: the exported player and the static page carry it."""

from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

from ...engine import rules_scalar as rules
from ...engine.both_masks import mark_steps
from ...engine.graph_form import BOUND, SHOWN, count_facts
from ...game import table_layout as TABLE
from ...search import quiescence as q
from ...search.puct import Position

Vector = list[float]


def plain_inputs(
    table: Sequence[int], facts: Mapping[str, Any], position: Position
) -> tuple[int, list[Vector], list[tuple[int, int, int]], list[int], Vector]:
    """The inputs that change during a match.

    Args:
      table: The step table of the game.
      facts: Those of `graph_data`, and the `feature_depth` of the network.
      position: The position.

    Returns:
      The player; for each point `POSITION_POINT_FACTS`; for each link whether player and opponent can take it and the
      code of its search feature; the codes of all actions; and `COUNTS`.
    """
    size, actions, planes = table[TABLE.POINTS], table[TABLE.NUM_ACTIONS], facts["planes"]
    observation, masks, codes = [0] * (table[TABLE.NUM_PLANES] * size), [0] * (2 * actions), [q.ILLEGAL] * actions
    rules.observe(table, position.state, position.earlier, observation, 0)
    for number in facts["hidden"]:
        observation[number * size : (number + 1) * size] = [0] * size
    mark_steps(table, observation, 1, masks)
    if facts["feature_depth"] is not None:
        q.code_steps(table, observation, 1, facts["feature_depth"], codes)

    def plane(name: str) -> list[int]:
        first = planes[name] * size if name in planes else len(observation)
        return observation[first : first + size] or [0] * size

    player, shown, captures = plane("player")[0], [plane(name) for name in SHOWN], facts["captures"]
    past = add_all([plane(name) for name in planes if name.startswith(("no_undo_", "remembered_"))]) or [0] * size
    vacant = [1 - number for number in add_all(shown[:4])]
    points = [list(now) for now in zip(*shown, [number / 4 for number in past], vacant, strict=True)]
    own, enemy = masks[: len(captures)], masks[actions : actions + len(captures)]
    seen = {link for link, legal in zip(facts["enemy"], enemy, strict=True) if legal}
    links = [(legal, int(link in seen), code) for link, (legal, code) in enumerate(zip(own, codes, strict=False))]
    steps = [sum(own), sum(enemy), *(sum(map(min, side, captures)) for side in (own, enemy))]
    pieces = [*map(sum, shown[:4]), sum(shown[SHOWN.index("chain")])]
    counts = count_facts(lambda name: plane(name)[0], pieces, steps, facts["counts"][player], exp)
    return player, points, links, codes, [max(-BOUND, min(count, BOUND)) for count in counts]


def add_all(vectors: Sequence[Sequence[float]]) -> Vector:
    """The sum of some vectors."""
    return list(map(sum, zip(*vectors, strict=True)))
