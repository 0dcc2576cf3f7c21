"""The value of a quiet position: material alone, or also what decides games with two roles.

In a hunt one side is few and is blocked, the other is many and is captured piece by piece, or walks to a goal. Neither
shows in the material until it is too late. So the full evaluation also looks at how near each side is to the number of
pieces with which it has lost, how freely a few pieces can step and what is out of their reach, how far a side is from
its goal, and how close the side with more pieces keeps to the other one. What it looks at follows from the rules of
each side, so that no game and no role need be named.

The scores were chosen by matches of `alphabeta:3` in eight hunts, and against random steps in sixteen soldiers.
"""

from typing import Any

from ..engine.compiler import entry_kernel, kernel, popcount
from ..engine.kernel_types import Table
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import constants, copied
from ..game.ruleset import NORTH, SOUTH
from .scores import KING_SCORE, MAN_SCORE, ROW_SCORE

LAST_SCORE = 200
"""What a side lacks in its last piece, divided by the captures that are left to the end."""
STEP_SCORE, BLOCKED_SCORE = 8, 80
"""Of the free steps, and of the pieces that have none, divided by the number of pieces."""
REACH_SCORE, FEW = 24, 4
"""Likewise of the empty points out of reach, of a side that has few pieces."""
CHASE_SCORE = 1
"""Of each step between a piece of the side with more pieces and the nearest enemy."""
GOAL_SCORE = 20
"""Of each step between a piece and its place at the goal."""

# Features of a game: whether the evaluation is full, for each player whether it sees that the side is blocked, and by
# how much South is ahead at the start, which counts as even: a draw is worth as much. For each player whether that side
# keeps close to the other, the score of a layer, and where its layers and its ways begin and the ways end. Layers are
# sets of points; a man counts once for each that it stands on. A way is a direction of steps: the distance between the
# points, and the points where steps up and steps down begin.
IS_FULL, BLOCKS, START_LEAD, CHASES, LAYER, LAYERS, WAYS, END, HEAD = 0, 1, 3, 4, 6, 8, 10, 12, 14
WAY_SIZE = 3


def evaluation_features(game: Game) -> Any:
    """What `evaluate` looks at: in full where the sides differ or pieces are dropped, else by material alone."""
    is_full = game.has_roles or bool(game.schedule)
    head = [0] * HEAD
    head[IS_FULL] = int(is_full)
    lists: list[int] = []
    for player in (SOUTH, NORTH):
        # Promoted pieces step in other ways than men.
        head[BLOCKS + player] = int(is_full and game.no_moves[player] == "loss" and game.rules.promotion == "none")
        head[CHASES + player] = int(is_full and _walks(game, player) and not game.sides[player].goal)
        ranks, head[LAYER + player] = _ranks(game, player, is_full)
        layers = [sum(1 << p for p, rank in enumerate(ranks) if rank > least) for least in range(max(ranks))]
        head[LAYERS + player] = HEAD + len(lists)
        lists += layers
        head[WAYS + player] = HEAD + len(lists)
        lists += _ways(game, player) if is_full else []
        head[END + player] = HEAD + len(lists)
    features = constants(head + lists)
    if not is_full:
        return features
    t = game.table.words
    start = copied(t, t[t[TABLE.START] :][: t[TABLE.STATE_SIZE]])
    start[STATE.PLAYER] = SOUTH
    head[START_LEAD] = int(evaluate_one(t, start, features))
    return constants(head + lists)


def _walks(game: Game, player: int) -> bool:
    """Whether a player's men step in all directions."""
    return game.step_directions(player) in ("all", "any_distance")


def _ranks(game: Game, player: int, is_full: bool) -> tuple[list[int], int]:
    """How much each point counts for a man of a player, and the score of 1.

    Men in reserve have a value where most steps forward cannot be taken back.
    """
    goal = game.sides[player].goal
    if is_full and goal:
        outside = frozenset(range(len(game.board.points))) - goal
        ahead, depth = _distances(game, player, goal), _distances(game, player, outside)
        return [max(depth) + one - other for one, other in zip(ahead, depth, strict=True)], -GOAL_SCORE
    if is_full and (game.has_roles or (_walks(game, player) and game.rules.promotion == "none")):
        return [0], 0
    heights = [y for _, y in game.board.points]
    rows = sorted(set(heights))
    before = [rows.index(y) for y in heights]
    return [len(rows) - 1 - row for row in before] if player == SOUTH else before, ROW_SCORE


def _distances(game: Game, player: int, points: frozenset[int]) -> list[int]:
    """How many steps of a player each point is away from the nearest of some points."""
    steps = game.man_steps(player)
    found, distance = dict.fromkeys(points, 0), 0
    while new := {origin for origin, target in steps if target in found} - found.keys():
        distance += 1
        found |= dict.fromkeys(new, distance)
    return [found.get(point, distance + 1) for point in range(len(game.board.points))]


def _ways(game: Game, player: int) -> list[int]:
    """The steps of a player's men by the distance between the points."""
    ups: dict[int, int] = {}
    downs: dict[int, int] = {}
    for origin, target in game.man_steps(player):
        ways = ups if target > origin else downs
        ways[abs(target - origin)] = ways.get(abs(target - origin), 0) | 1 << origin
    return [word for way in sorted(ups | downs) for word in (way, ups.get(way, 0), downs.get(way, 0))]


@kernel
def evaluate(t: Table, s: Table, features: Table) -> int:
    """The value of a position for the player to move. Captured pieces that still stand do not count."""
    lead = _worth(t, s, features, SOUTH) - _worth(t, s, features, NORTH) - features[START_LEAD]
    return lead if s[STATE.PLAYER] == SOUTH else -lead


evaluate_one = entry_kernel(evaluate)
"""As `evaluate`, called from Python."""


@kernel
def _worth(t: Table, s: Table, features: Table, player: int) -> int:
    """What a player has."""
    left = ~s[STATE.CAPTURED]
    men, kings = s[STATE.MEN + player] & left, s[STATE.KINGS + player] & left
    worth = MAN_SCORE * popcount(men) + KING_SCORE * popcount(kings)
    layers = 0
    for place in range(features[LAYERS + player], features[WAYS + player]):
        layers += popcount(s[STATE.MEN + player] & features[place])
    worth += features[LAYER + player] * layers
    if features[IS_FULL]:
        worth += _standing(t, s, features, player, men | kings)
    return worth


@kernel
def _standing(t: Table, s: Table, features: Table, player: int, pieces: int) -> int:
    """What the pieces of a player, and those in hand, are worth beyond the material on the board."""
    first, end = features[WAYS + player], features[END + player]
    theirs = s[STATE.MEN + 1 - player] | s[STATE.KINGS + 1 - player]
    empty = t[TABLE.ALL_POINTS] & ~(pieces | theirs)
    count, hand = popcount(pieces), 0
    if t[TABLE.STAGES]:
        hand = s[t[TABLE.HAND] + player]
    worth = MAN_SCORE * hand - LAST_SCORE // max(count + hand - t[TABLE.LOSES_AT + player], 1)
    if features[BLOCKS + player] and count + hand <= FEW:
        steps, reached, movable = 0, 0, 0
        for way in range(first, end, WAY_SIZE):
            distance = features[way]
            up = (pieces & features[way + 1]) << distance & empty
            down = (pieces & features[way + 2]) >> distance & empty
            steps += popcount(up) + popcount(down)
            reached |= up | down
            movable |= up >> distance | down << distance
        freedom = STEP_SCORE * steps - BLOCKED_SCORE * popcount(pieces & ~movable)
        known = 0
        while reached != known:
            known = reached
            reached |= _spread(features, first, end, known) & empty
        freedom -= REACH_SCORE * popcount(empty & ~reached)
        worth += freedom // max(count + hand, 1)
    if features[CHASES + player] and count > popcount(theirs):
        known, near = 0, theirs
        while near != known:
            worth -= CHASE_SCORE * popcount(pieces & ~near)
            known = near
            near |= _spread(features, first, end, known)
    return worth


@kernel
def _spread(features: Table, first: int, end: int, points: int) -> int:
    """The points that are one step away from some points."""
    spread = 0
    for way in range(first, end, WAY_SIZE):
        distance = features[way]
        spread |= (points & features[way + 1]) << distance | (points & features[way + 2]) >> distance
    return spread
