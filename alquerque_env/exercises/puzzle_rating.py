"""Elo ratings: of a puzzle by the bots that miss it, and of a person who solves puzzles."""

import math

FIRST = 1500
"""The rating of the bots that grade puzzles, on average, and of a person before the first puzzle."""
SCALE = 400
"""Points between two ratings of which the higher is expected to score ten times as often."""
GAIN = 32
"""The most points that a puzzle changes a person's rating by."""


def rate_puzzle(missed: int, bots: int) -> int:
    """Returns the rating of a puzzle that `missed` of `bots` bots do not solve.

    It is the Elo rating that such a score against bots of rating `FIRST` stands for, with a half solved and a half
    missed added, so that a puzzle that every bot solves has a rating too.
    """
    return round(FIRST + SCALE * math.log10((missed + 0.5) / (bots - missed + 0.5)))


def expected_score(rating: float, puzzle: float) -> float:
    """Returns the chance that a person of this rating solves a puzzle of that rating, by Elo."""
    return 1 / (1 + 10 ** ((puzzle - rating) / SCALE))


def rate_person(rating: float, puzzle: float, *, solved: bool) -> float:
    """Returns a person's rating after a puzzle, by Elo."""
    return rating + GAIN * (solved - expected_score(rating, puzzle))
