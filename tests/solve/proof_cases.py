"""Positions whose value a minimax over whole matches finds too."""

import random
from functools import cache

from alquerque_env import Match

MEMORY = 0.01
CASES = [
    ("alquerque", {}, 3),
    ("alquerque", {"undo_scope": "per_player_last_move", "no_progress_limit": 5}, 3),
    ("fetaix", {"no_progress_limit": 2}, 3),
    ("fetaix", {"no_progress_limit": 2, "no_moves": "draw", "capture": "optional"}, 3),
    ("awithlaknannai_mosona", {"no_progress_limit": 2}, 4),
    ("awithlaknannai_mosona_davis", {"no_progress_limit": 3, "no_progress_result": "draw"}, 4),
    ("alquerque_alfonso_x", {"no_progress_limit": 3}, 3),
    ("alquerque_murray", {"no_progress_limit": 2, "no_moves": "pass"}, 4),
    ("draughts_english", {"no_progress_limit": 2}, 3),
]


def minimax(match):
    """Who wins a match under best play, every legal way tried: 0, 1 or "draw"."""
    game = match.game

    @cache
    def winner(position):
        at = Match(game, position)
        if at.outcome is not None:
            return "draw" if at.outcome.winner is None else at.outcome.winner
        found = set()
        for step in at.legal_steps:
            at.push(step)
            # A match that has ended says so only while its steps are there.
            ended = at.outcome
            if ended is not None:
                found.add("draw" if ended.winner is None else ended.winner)
            else:
                found.add(winner(at.position))
            at.pop()
            if at.player in found:
                return at.player
        return "draw" if "draw" in found else 1 - at.player

    return winner(match.position)


def few_pieces(game, pieces, seed, count):
    """Positions of so many pieces on random points, a piece of each player at least, with several legal steps."""
    rng = random.Random(seed)
    promotes = game.rules.promotion != "none"
    found = []
    while len(found) < count:
        labels = rng.sample(game.board.labels, pieces)
        own = rng.randint(1, pieces - 1)
        sides = []
        for player, side in enumerate((labels[:own], labels[own:])):
            ends = {game.board.labels[point] for point in game.promotion_points(player)}
            kings = {label for label in side if promotes and (label in ends or rng.random() < 0.3)}
            sides.append(",".join("K" * (label in kings) + label for label in side))
        match = Match(game, f"{rng.choice('WB')}:W{sides[0]}:B{sides[1]}")
        if not match.is_over and len(match.legal_steps) > 1:
            found.append(match)
    return found
