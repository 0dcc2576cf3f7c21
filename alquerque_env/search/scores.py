"""Scores of positions for the player to move, in hundredths of a man. A win in n turns scores WIN - n."""

import math

MAN_SCORE = 100
KING_SCORE = 200
ROW_SCORE = 1  # of each row before a man; small, so that it decides only between positions of equal material
WIN = 30_000
INFINITE = 32_000
SURE = WIN - 1_000  # greater scores are wins, and smaller than -SURE losses

SCALE = 2 * MAN_SCORE
"""A score of so much is a value of tanh(1)."""
HIGHEST_UNCERTAIN_VALUE = 0.9999


def score_to_value(score: int) -> float:
    """Maps a score in hundredths of a man to [-1, 1], where 1 is a certain win and -1 a certain loss."""
    if abs(score) > SURE:
        return math.copysign(1.0, score)
    return math.tanh(score / SCALE)


# What a value is called from here on, which is that of a quarter of a piece, then of 0.75, 1.5, 2.5 and 3.5 pieces.
_WORDS = (
    (0.124, "a little better", "a little worse"),
    (0.358, "a piece up", "a piece down"),
    (0.635, "two pieces up", "two pieces down"),
    (0.848, "three pieces up", "three pieces down"),
    (0.941, "far ahead", "far behind"),
)


def value_in_words(value: float, turns: int | None = None) -> str:
    """Says a value that came from a score: `a piece up`, or `wins in 13` with the turns of `turns_to_end`."""
    if turns is not None or abs(value) == 1:
        result = "wins" if value > 0 else "loses"
        return result if turns is None else f"{result} in {abs(turns)}"
    found = [down if value < 0 else up for least, up, down in _WORDS if abs(value) >= least]
    return found[-1] if found else "level"


def value_to_score(value: float) -> int:
    """Inverts `score_to_value`; never returns the score of a certain result."""
    return round(SCALE * math.atanh(max(-HIGHEST_UNCERTAIN_VALUE, min(value, HIGHEST_UNCERTAIN_VALUE))))


def turns_to_end(score: int) -> int | None:
    """Returns the turns to a certain win, negative for a certain loss; None if neither is certain."""
    if abs(score) <= SURE:
        return None
    turns = WIN - abs(score)
    return turns if score > 0 else -turns
