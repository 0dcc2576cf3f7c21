"""Matches played by a list of numbers, each a choice among the legal steps, or at random."""

from collections.abc import Iterator

import numpy as np

from alquerque_env import Match
from alquerque_env.game.game import Game


def play_on(match: Match, choices: list[int]) -> Match:
    """Pushes a step for each number, as long as the match is not over; returns the match."""
    for choice in choices:
        if match.is_over:
            break
        match.push(match.legal_steps[choice % len(match.legal_steps)])
    return match


def random_match(game: Game, seed: int, position: str | None = None) -> Iterator[Match]:
    """One match, at every sub-step of a random play of it, the end included."""
    match = Match(game, position)
    rng = np.random.default_rng(seed)
    yield match
    while not match.is_over:
        match.push(match.legal_steps[rng.integers(len(match.legal_steps))])
        yield match
