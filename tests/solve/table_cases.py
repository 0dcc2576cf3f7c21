"""Small games for tables: where the pieces begin, random matches, and what a table says of them."""

import json
import random
from dataclasses import asdict
from functools import cache

from alquerque_env import Match
from alquerque_env.solve.tables import EndgameTable, build_table
from alquerque_env.solve.tables.verify_table import verify_table
from tests.brute_force import wandering
from tests.reference import Reference
from tests.small_games import small_game

# The board and where South and North begin.
SNAKE = "snake", "b1 d1", "b3 d3"
WEDGE = "wedge", "a1 b1", "b3"
HOOK = "hook", "a1 b1", "b3"
SQUARE = "square", "a1 b1", "c3 b3"
LADDER = "ladder", "a1 b1", "a3 b3"
MAJORITY = {"no_progress_result": "majority"}


def some_match(game, rng, most):
    """A match that goes on, from a position of 2 to `most` pieces, sometimes in the middle of a chain."""
    labels, longest = game.board.labels, max(map(len, game.start))
    remembered = memories(game)
    while True:
        count = rng.randint(2, most)
        first = rng.randint(max(1, count - longest), min(count - 1, longest))
        points = rng.sample(range(len(labels)), count)
        sides, memory = [], []
        for player, own in enumerate((points[:first], points[first:])):
            ends, promotes = game.promotion_points(player), game.rules.promotion != "none"
            kings = {point for point in own if promotes and (point in ends or rng.random() < 0.3)}
            sides.append(",".join("K" * (point in kings) + labels[point] for point in own))
            rememberers = own[:1] if game.rules.undo_scope == "per_player_last_move" else own
            for point in rememberers:
                targets = rng.choice(remembered[player][point])
                memory += [f"{labels[point]}-{labels[target]}" for target in sorted(targets)]
        text = f"{rng.choice('WB')}:W{sides[0]}:B{sides[1]}" + (f":U{','.join(memory)}" if memory else "")
        match = Match(game, text)
        if rng.random() < 0.3:
            for _ in range(rng.randint(1, 2)):
                captures = [step for step in match.legal_steps if step.captured]
                if captures:
                    match.push(rng.choice(captures))
        if not match.is_over:
            return Match(game, match.position)


@cache
def memories(game):
    """For each player and point what a piece there may remember."""
    found = [wandering(Reference(game), player) for player in (0, 1)]
    return [[sorted(of_point, key=sorted) for of_point in side] for side in found]


def content_of_table(path, base, board, south, north, pieces, rules):
    """What a table file says, and what is read from it; the table is verified."""
    game = small_game(base, board, south, north, **rules)
    table = EndgameTable(game, build_table(game, pieces, path))
    verify_table(table)
    rng = random.Random(1)
    matches = [some_match(game, rng, pieces) for _ in range(20)]
    steps = [[(found.step.text, found.value, found.distance) for found in table.steps(match)] for match in matches]
    header = asdict(table.header) | {"seconds": 0}
    return json.loads(json.dumps([header, steps, table.values(matches)]))
