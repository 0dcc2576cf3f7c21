"""Matches in progress at random positions."""

import random

from alquerque_env import Match
from alquerque_env.game.game import Game


def matches(game: Game, number: int, seed: object = 0) -> list[Match]:
    """Matches in progress at random positions, a fair part of them in the middle of a chain."""
    rng, found = random.Random(seed), []
    match = Match(game)
    while len(found) < number:
        if match.is_over:
            match = Match(game)
        if rng.random() < (0.8 if match.chain is not None else 0.15):
            found.append(match.copy())
        match.push(rng.choice(match.legal_steps))
    return found
