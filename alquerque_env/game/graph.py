"""A game as a graph whose facts mean the same in every game: for networks that play more than one.

The nodes are the points of the board. There is a link for each action but the pass, in the order of the actions. A link
names points by the roles that they have in its step. All of it is in the frame of the player to move.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ..files.schema import literals
from .board import TOLERANCE
from .options import RULE_KINDS, RULE_NAMES
from .ruleset import NORTH, SOUTH, Ruleset
from .state_layout import NO_POINT
from .step_table import StepTable, flanking_triples
from .templates import Template

GRAPH_VERSION = 1
"""Raised whenever a fact is added, changes its meaning or moves."""

ORIGIN, TARGET, VICTIM, BETWEEN = ROLES = 1, 2, 3, 4
"""The roles of a point in a link; 0 for none. A drop has a target only, a removal a victim only.

Victims are all points whose pieces the step may take. Between are the vacant points that a piece flies over, and the
points behind the victims of flanking.
"""

POINT_FACTS = (
    *("is_point", "promotes_own", "promotes_enemy", "goal_own", "goal_enemy", "sanctuary", "start_own", "start_enemy"),
    "degree",
)
LINK_FACTS = (
    "is_link",
    *("own_man", "own_king", "enemy_man", "enemy_king"),
    *("own_first", "own_next", "enemy_first", "enemy_next"),
    *("capture", "far", "drop", "removal", "forward", "sideways", "backward"),
    *("row", "row_length", "approach", "withdrawal", "bent", "flanking", "may_be_forbidden"),
)

_CAPTURES = tuple(literals(RULE_KINDS["captures"]))
_STEPS = tuple(literals(RULE_KINDS["man_steps"]))
_ANSWERS = tuple(
    (name, value)
    for name in RULE_NAMES
    for value in ([True] if RULE_KINDS[name] is bool else literals(RULE_KINDS[name]))
)
RULE_FACTS = (
    *(f"{name}={value}" for name, value in _ANSWERS),
    *(
        f"{side}_{fact}"
        for side in ("own", "enemy")
        for fact in (*(f"captures={kind}" for kind in _CAPTURES), *(f"man_steps={kind}" for kind in _STEPS))
    ),
    *(f"{side}_{fact}" for side in ("own", "enemy") for fact in ("loses_at", "has_goal", "pieces")),
    *("is_symmetric", "points", "links_per_point", "no_progress_limit", "has_schedule", "schedule_length"),
)


class Graph(NamedTuple):
    """The facts of a game that stay the same during a match, as one player sees them.

    Attributes:
      points: float32 `[P, F]`, for each point `POINT_FACTS`; the degree in eighths.
      links: float32 `[L, F]`, for each action but the pass `LINK_FACTS`: which pieces of which side can make this step,
        as the first of a turn and later in a chain of captures, and what kind of step it is; the row's length in
        quarters. Directions are 0 in games in which they make no difference.
      roles: int8 `[L, P]`, the role of each point in each link, see `ROLES`.
      rules: float32 `[F]`, `RULE_FACTS`: 1 for each answer that holds; what wins and with how many pieces; sizes.
    """

    points: np.ndarray
    links: np.ndarray
    roles: np.ndarray
    rules: np.ndarray


def make_graph(game: Ruleset, table: StepTable, player: int) -> Graph:
    """The graph of a game as a player sees it."""
    links = _Links(game, table, player)
    return Graph(_points(game, player), links.facts, links.roles, _rules(game, player, len(links.facts)))


class _Links:
    """Fills in the facts and roles of the links of a game, as `player` sees them."""

    def __init__(self, game: Ruleset, table: StepTable, player: int) -> None:
        self._game, self._player = game, player
        self._turn = game.turn if player == NORTH else tuple(range(len(game.board.points)))
        self._number = table.number
        lines = [*game.board.lines, *(circle + circle[:2] for circle in game.board.circles)]
        ahead = {triple for line in lines for triple in zip(line, line[1:], line[2:], strict=False)}
        self._straight = ahead | {triple[::-1] for triple in ahead}
        rules = game.rules
        self._has_directions = (
            rules.promotion != "none"
            or rules.man_capture_dirs != "all"
            or any(game.step_directions(side).startswith("forward") for side in (SOUTH, NORTH))
        )
        self.facts = np.zeros((len(self._number), len(LINK_FACTS)), np.float32)
        self.roles = np.zeros((len(self._number), len(self._turn)), np.int8)
        for points, link in self._number.items():
            self._mark(link, "is_link")
            for place, role in zip(points, (ORIGIN, TARGET, VICTIM), strict=True):
                if place is not None:
                    self.roles[link, place] = role
        self._flanked: dict[int, list[tuple[int, int]]] = {}
        for target, near, behind in flanking_triples(game) if any(game.flankers) else ():
            self._flanked.setdefault(target, []).append((near, behind))
        for side, whose in ((player, "own"), (1 - player, "enemy")):
            for template in table.templates[side]:
                self._add(template, side, whose)

    def _mark(self, link: int, fact: str, value: float = 1.0) -> None:
        self.facts[link, LINK_FACTS.index(fact)] = value

    def _name(self, link: int, role: int, points: Iterable[int]) -> None:
        """Gives points of the board a role in a link, unless they have one that comes before it."""
        for point in points:
            known = self.roles[link, self._turn[point]]
            self.roles[link, self._turn[point]] = min(known or role, role)

    def _add(self, template: Template, side: int, whose: str) -> None:
        """Adds what a template says of its link. A step of the opponent that is no action here has none."""
        turn, is_placed = self._turn, template.origin == template.target
        victim = None if template.victim == NO_POINT else turn[template.victim]
        origin = None if is_placed else turn[template.origin]
        target = None if is_placed and victim is not None else turn[template.target]
        link = self._number.get((origin, target, victim))
        if link is None:
            return
        flanking = self._flanking(template, side)
        for when in self._times(template, side, can_flank=bool(flanking)):
            self._mark(link, f"{whose}_{'king' if template.is_king else 'man'}")
            self._mark(link, f"{whose}_{when}")
        if is_placed:
            self._mark(link, "drop" if victim is None else "removal")
            return
        if victim is not None:
            self._mark(link, "capture")
            self._add_capture(link, template, self._game.captures(side))
        elif any(pairs.get(template.origin) == template.target for pairs in self._game.relations):
            self._mark(link, "may_be_forbidden")
        if flanking:
            self._mark(link, "flanking")
        if not template.row and len(template.path) > 1 + (victim is not None):
            self._mark(link, "far")
        self._name(link, VICTIM, (*template.row, *(near for near, _ in flanking)))
        self._name(link, BETWEEN, (*(point for _, point in template.path), *(behind for _, behind in flanking)))
        if self._has_directions:
            rise = self._rise(template)
            self._mark(link, "sideways" if abs(rise) <= TOLERANCE else "forward" if rise > 0 else "backward")

    def _flanking(self, template: Template, side: int) -> list[tuple[int, int]]:
        """The enemies that a step may take by flanking, each with the point behind it."""
        if not self._game.flankers[side] or template.origin == template.target:
            return []
        vacant = {template.origin, *(point for _, point in template.path)}
        return [pair for pair in self._flanked.get(template.target, []) if vacant.isdisjoint(pair)]

    def _times(self, template: Template, side: int, *, can_flank: bool) -> Iterator[str]:
        """When a step is possible: as the first of a turn, and later in a chain.

        Where men are promoted none stands, but for those that start there and some in the middle of a chain.
        """
        game, is_placed = self._game, template.origin == template.target
        stays = is_placed or template.is_king or template.origin not in game.promotion_points(side)
        if template.first and (stays or template.origin in game.start[side]):
            yield "first"
        goes_on = (template.next or can_flank) and game.rules.chain != "single"
        if goes_on and (stays or game.rules.midchain_promotion == "only_if_turn_ends_there"):
            yield "next"

    def _add_capture(self, link: int, template: Template, kind: str) -> None:
        if template.is_king:
            return
        if template.row:
            self._mark(link, "row")
            self._mark(link, "row_length", len(template.row) / 4)
        if kind == "approach_withdrawal":
            self._mark(link, "approach" if template[:3] in self._straight else "withdrawal")
        elif kind == "leap" and (template.origin, template.victim, template.target) not in self._straight:
            self._mark(link, "bent")

    def _rise(self, template: Template) -> float:
        points = self._game.board.points
        rise = points[template.target][1] - points[template.origin][1]
        return rise if self._player == SOUTH else -rise


def _points(game: Ruleset, player: int) -> np.ndarray:
    own, enemy = player, 1 - player
    sets = (game.promotion_points(own), game.promotion_points(enemy), game.goals[own], game.goals[enemy])
    facts = np.zeros((len(game.board.points), len(POINT_FACTS)), np.float32)
    facts[:, 0] = 1
    for column, points in enumerate((*sets, game.sanctuary, game.start[own], game.start[enemy]), 1):
        facts[list(points), column] = 1
    facts[:, -1] = [len(joined) / 8 for joined in game.board.neighbours]
    return facts[list(game.turn)] if player == NORTH else facts


def _rules(game: Ruleset, player: int, links: int) -> np.ndarray:
    return np.array(list(_rule_facts(game, player, links)), np.float32)


def _rule_facts(game: Ruleset, player: int, links: int) -> Iterator[float]:
    rules, points = game.rules, len(game.board.points)
    yield from (float(getattr(rules, name) == value) for name, value in _ANSWERS)
    sides = player, 1 - player
    for side in sides:
        yield from (float(game.captures(side) == kind) for kind in _CAPTURES)
        yield from (float(game.step_directions(side) == kind) for kind in _STEPS)
    for side in sides:
        yield from (game.loses_at[side] / 10, float(bool(game.goals[side])), game.most_pieces[side] / 20)
    limit = 0 if rules.no_progress_limit == "off" else min(rules.no_progress_limit, 200)
    yield from (float(game.is_symmetric), points / 32, links / points / 16, limit / 100)
    yield from (float(bool(game.schedule)), len(game.schedule) / 40)
